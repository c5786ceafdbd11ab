/* crew: see crew.h. */
#include "eval/lemma/crew.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "eval/lemma/lemma_json.h"
#include "lang/base/child.h"

enum { MOST = 64 };

struct Crew {
  const AstItem *const *lemmas;
  uint32_t n, n_children;
  Library *library;
  const LemmaOptions *options;
  Diags *diags;
  atomic_uint *next; /* lemma that nobody has taken; of all processes */
  char **reports;    /* as they were sent; NULL: not there yet */
  Child children[MOST];
};

/* Before the text of a report. */
typedef struct Head {
  uint32_t lemma;
  size_t len;
} Head;

/* In a child. */
static void work(void *context, int wire) {
  Crew *c = context;
  LemmaKnown known = {0};
  LemmaOptions o = *c->options;
  o.known = &known;
  Arena a = {0};
  for (uint32_t i; (i = atomic_fetch_add(c->next, 1)) < c->n;) {
    LemmaReport r = lemma_check(c->lemmas[i], c->library, &o, &a, c->diags);
    json_t *json = lemma_json(&r);
    char *text = json_dumps(json, JSON_COMPACT);
    Head head = {i, strlen(text)};
    child_send(wire, &head, sizeof head);
    child_send(wire, text, head.len);
    free(text);
    json_decref(json);
  }
}

Crew *crew_start(const AstItem *const *lemmas, uint32_t n, Library *library, const LemmaOptions *options,
                 Diags *diags) {
  Crew *c = xcalloc(1, sizeof *c);
  *c = (Crew){.lemmas = lemmas, .n = n, .library = library, .options = options, .diags = diags};
  c->reports = xcalloc(n + 1, sizeof *c->reports);
  uint32_t processors = child_processors(), wanted = processors < n ? processors : n;
  if (wanted < 2) return c;
  void *shared = mmap(NULL, sizeof *c->next, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) return c;
  c->next = shared;
  while (c->n_children < wanted && c->n_children < MOST && child_start(&c->children[c->n_children], work, c))
    c->n_children++;
  return c;
}

/* The next report of a child; false: it ended. */
static bool hear(Crew *c, const Child *from) {
  Head head;
  if (!child_receive(from->wire, &head, sizeof head)) return false;
  char *text = xmalloc(head.len + 1);
  text[head.len] = 0;
  if (!child_receive(from->wire, text, head.len)) {
    free(text);
    return false;
  }
  c->reports[head.lemma] = text;
  return true;
}

/* Waits for one report, or the end of a child; false: all have ended. */
static bool wait_for_one(Crew *c) {
  struct pollfd wires[MOST];
  uint32_t working = 0;
  for (uint32_t i = 0; i < c->n_children; i++) {
    working += c->children[i].pid != 0;
    wires[i] = (struct pollfd){.fd = c->children[i].pid ? c->children[i].wire : -1, .events = POLLIN};
  }
  if (!working) return false;
  if (poll(wires, c->n_children, -1) < 0 && errno != EINTR) return false;
  for (uint32_t i = 0; i < c->n_children; i++)
    if (wires[i].fd >= 0 && wires[i].revents && !hear(c, &c->children[i])) child_end(&c->children[i]);
  return true;
}

LemmaReport crew_report(Crew *c, uint32_t i, Arena *a) {
  while (!c->reports[i] && wait_for_one(c)) continue;
  json_t *json = c->reports[i] ? json_loads(c->reports[i], 0, NULL) : NULL;
  LemmaReport r;
  bool there = lemma_json_read(json, c->lemmas[i], a, &r) && r.status != LEMMA_WRONG;
  json_decref(json);
  return there ? r : lemma_check(c->lemmas[i], c->library, c->options, a, c->diags);
}

void crew_end(Crew *c) {
  for (uint32_t i = 0; i < c->n_children; i++) child_end(&c->children[i]);
  if (c->next) munmap(c->next, sizeof *c->next);
  for (uint32_t i = 0; i < c->n; i++) free(c->reports[i]);
  free(c->reports);
  free(c);
}
