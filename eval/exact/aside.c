/* aside: see aside.h. */
#include "eval/exact/aside.h"

#include <math.h>
#include <string.h>

#include "lang/base/child.h"
#include "lang/base/clock.h"

enum { LEAST_WORK = 100000 }; /* element operations of the point below which a process takes longer than it saves */
enum { MOST_TEXT = 1 << 20 };

struct Aside {
  Arena arena;
  Child child;
  Certifier *certifier;
  ExactRun *run;
  uint32_t n;
  const bool *wanted;
  const Comparison *compared;
};

/* What the child sends for an output: its number, Difference.kept, .precision, then both texts. */
typedef struct Head {
  uint32_t output, kept, precision, n_seq, n_dist;
} Head;

static void find_all(void *context, int to) {
  Aside *x = context;
  for (uint32_t i = 0; i < x->n; i++) {
    const char *why;
    Difference d = {0};
    if (!x->wanted[i]) continue;
    if (certify(x->certifier, &x->run->problem.relation->outputs[i], &x->compared[i], &x->arena, &d, &why) !=
        CERTIFIED_DIFFERENT)
      return; /* the others do not matter then */
    Head h = {i, d.kept, d.precision, (uint32_t)strlen(d.seq), (uint32_t)strlen(d.dist)};
    child_send(to, &h, sizeof h);
    child_send(to, d.seq, h.n_seq);
    child_send(to, d.dist, h.n_dist);
  }
}

Aside *aside_start(ExactRun *r, const bool *wanted, const Comparison *compared, uint32_t n, double deadline, bool refuted) {
  bool any = false;
  for (uint32_t i = 0; i < n; i++) any |= wanted[i];
  if (!any || r->budget.work < LEAST_WORK || !child_pays()) return NULL;
  Aside *x = xcalloc(1, sizeof *x);
  x->run = r;
  x->n = n;
  x->wanted = arena_copy(&x->arena, wanted, n * sizeof *wanted);
  x->compared = arena_copy(&x->arena, compared, n * sizeof *compared);
  x->certifier = certifier_new(r, x->wanted, deadline - clock_spent(), refuted); /* a new process has spent nothing */
  if (child_start(&x->child, find_all, x)) return x;
  aside_free(x);
  return NULL;
}

/* The next n bytes of a text of `left`, as a string; NULL: there are not so many. */
static const char *piece(const char **at, size_t *left, uint32_t n, Arena *a) {
  if (*left < n) return NULL;
  const char *s = arena_strdup(a, *at, n);
  *at += n;
  *left -= n;
  return s;
}

bool aside_finish(Aside *x, Arena *a, ExactOutput *outputs) {
  char *text = arena_alloc(&x->arena, MOST_TEXT);
  int status;
  ssize_t n = child_collect(&x->child, text, MOST_TEXT, INFINITY, &status);
  size_t left = n > 0 && !status ? (size_t)n : 0;
  const char *at = text;
  for (uint32_t i = 0; i < x->n; i++) {
    Head h;
    if (!x->wanted[i]) continue;
    if (left < sizeof h) return false;
    memcpy(&h, at, sizeof h);
    at += sizeof h, left -= sizeof h;
    if (h.output != i || h.kept >= x->compared[i].n_kept) return false;
    Difference d = {.kept = h.kept, .precision = h.precision};
    d.seq = piece(&at, &left, h.n_seq, a);
    d.dist = piece(&at, &left, h.n_dist, a);
    if (!d.seq || !d.dist) return false;
    outputs[i].witness = certify_witness(x->certifier, &x->run->problem.relation->outputs[i], &x->compared[i], &d, a);
  }
  return left == 0;
}

ExactRun *aside_free(Aside *x) {
  ExactRun *r = x->run;
  child_end(&x->child);
  certifier_free(x->certifier);
  arena_free(&x->arena);
  free(x);
  return r;
}
