/* aside: see aside.h. */
#include "eval/exact/aside.h"

#include <math.h>
#include <string.h>

#include "lang/base/child.h"
#include "lang/base/clock.h"

enum { LEAST_WORK = 100000 }; /* element operations of the point below which a process takes longer than it saves */
enum { LEAST_EARLY = 30000, MOST_EARLY = 5000000 }; /* numbers of both graphs */
enum { MOST_TEXT = 1 << 20 };

struct Aside {
  Arena arena;
  Child child;
  Certifier *certifier;
  ExactRun *run;
  uint32_t n;
  const bool *open;   /* those that may be wanted */
  const bool *wanted; /* NULL: not asked yet */
  const Comparison *compared;
};

/* What the child sends for an output: its number, Difference.kept, .precision, then both texts. */
typedef struct Head {
  uint32_t output, kept, precision, n_seq, n_dist;
} Head;

/* The other process hears for every open output whether it is wanted, and how it compares. */
static void ask(int wire, const Aside *x) {
  for (uint32_t i = 0; i < x->n; i++) {
    if (!x->open[i]) continue;
    child_send(wire, &x->wanted[i], sizeof *x->wanted);
    if (x->wanted[i]) child_send(wire, &x->compared[i], sizeof *x->compared);
  }
}

static bool hear(int wire, Aside *x) {
  bool *wanted = ARENA_ARRAY(&x->arena, bool, x->n);
  Comparison *compared = ARENA_ARRAY(&x->arena, Comparison, x->n);
  for (uint32_t i = 0; i < x->n; i++) {
    if (!x->open[i]) continue;
    if (!child_receive(wire, &wanted[i], sizeof *wanted)) return false;
    if (wanted[i] && !child_receive(wire, &compared[i], sizeof *compared)) return false;
  }
  x->wanted = wanted;
  x->compared = compared;
  return true;
}

static void find_all(void *context, int wire) {
  Aside *x = context;
  if (!x->wanted) {
    certifier_fill(x->certifier);
    if (!hear(wire, x)) return;
  }
  for (uint32_t i = 0; i < x->n; i++) {
    const char *why;
    Difference d = {0};
    if (!x->wanted[i]) continue;
    if (certify(x->certifier, &x->run->problem.relation->outputs[i], &x->compared[i], &x->arena, &d, &why) !=
        CERTIFIED_DIFFERENT)
      return; /* the others do not matter then */
    Head h = {i, d.kept, d.precision, (uint32_t)strlen(d.seq), (uint32_t)strlen(d.dist)};
    child_send(wire, &h, sizeof h);
    child_send(wire, d.seq, h.n_seq);
    child_send(wire, d.dist, h.n_dist);
  }
}

static Aside *aside_new(ExactRun *r, const bool *open, uint32_t n, double deadline, bool refuted) {
  Aside *x = xcalloc(1, sizeof *x);
  x->run = r;
  x->n = n;
  x->open = arena_copy(&x->arena, open, n * sizeof *open);
  x->certifier = certifier_new(r, x->open, deadline - clock_spent(), refuted); /* a new process has spent nothing */
  return x;
}

static void compared_as(Aside *x, const bool *wanted, const Comparison *compared) {
  x->wanted = arena_copy(&x->arena, wanted, x->n * sizeof *wanted);
  x->compared = arena_copy(&x->arena, compared, x->n * sizeof *compared);
}

static Aside *begun(Aside *x) {
  if (child_start(&x->child, find_all, x)) return x;
  aside_free(x);
  return NULL;
}

Aside *aside_early(ExactRun *r, const bool *open, uint32_t n, double deadline) {
  bool real = false;
  if (r->why || r->least < LEAST_EARLY || r->least > MOST_EARLY || child_processors() < 2) return NULL;
  for (uint32_t i = 0; i < n && !real; i++) real = open[i] && !certify_one_by_one(r, &r->problem.relation->outputs[i]);
  return real ? begun(aside_new(r, open, n, deadline, false)) : NULL;
}

/* What an early process cannot do: outputs that it does not know of, and those whose elements come first. */
static bool beyond(const Aside *early, const bool *wanted) {
  bool found = false;
  for (uint32_t i = 0; i < early->n && !found; i++)
    found = wanted[i] && (!early->open[i] || certify_one_by_one(early->run, &early->run->problem.relation->outputs[i]));
  return found;
}

Aside *aside_start(Aside *early, ExactRun *r, const bool *wanted, const Comparison *compared, uint32_t n, double deadline,
                   bool refuted) {
  bool any = false;
  for (uint32_t i = 0; i < n; i++) any |= wanted[i];
  if (early && any && !beyond(early, wanted)) {
    compared_as(early, wanted, compared);
    ask(early->child.wire, early);
    return early;
  }
  if (early) aside_free(early);
  if (!any || r->budget.work < LEAST_WORK || child_processors() < 2) return NULL;
  Aside *x = aside_new(r, wanted, n, deadline, refuted);
  compared_as(x, wanted, compared);
  return begun(x);
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
