/* Union-find: against a plain array of labels; explanations lead from one end to the other by equations that were
 * given; undo restores. */
#include <stdio.h>
#include <stdlib.h>

#include "eval/datalog/uf.h"

static int failures;
#define CHECK(x) \
  if (!(x)) failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #x)

enum { IDS = 200 };
static uint64_t seed = 1;
static uint32_t pick(uint32_t n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(seed >> 33) % n;
}

typedef struct {
  uint32_t at, steps;
  bool chained;
} Walk;

static void step(void *ctx, const UfUnion *u, bool forward) {
  Walk *w = ctx;
  w->chained &= w->at == (forward ? u->a : u->b) && u->reason == u->a * 1000 + u->b;
  w->at = forward ? u->b : u->a;
  w->steps++;
}

static void agree(Uf *u, const uint32_t *label) {
  for (uint32_t i = 0; i < IDS; i++)
    for (uint32_t j = 0; j < IDS; j += 7) CHECK((label[i] == label[j]) == (uf_find(u, i) == uf_find(u, j)));
}

static void unite(Uf *u, uint32_t *label, uint32_t a, uint32_t b) {
  /* The reason must belong to the equation in the order the log keeps. */
  bool swap = uf_find(u, a) < uf_find(u, b);
  uf_union(u, a, b, swap ? b * 1000 + a : a * 1000 + b, 0);
  uint32_t from = label[a], to = label[b];
  for (uint32_t i = 0; i < IDS; i++)
    if (label[i] == from) label[i] = to;
}

int main(void) {
  Uf u = {0};
  uint32_t label[IDS], before[IDS];
  for (uint32_t i = 0; i < IDS; i++) label[uf_make(&u)] = i;
  for (int k = 0; k < 90; k++) unite(&u, label, pick(IDS), pick(IDS));
  agree(&u, label);
  for (int k = 0; k < 2000; k++) {
    uint32_t a = pick(IDS), b = pick(IDS);
    Walk w = {a, 0, true};
    bool equal = uf_explain(&u, a, b, step, &w);
    CHECK(equal == (label[a] == label[b]));
    CHECK(!equal || (w.chained && w.at == b && w.steps < IDS));
  }
  for (uint32_t i = 0; i < IDS; i++) before[i] = label[i];
  UfMark outer = uf_mark(&u);
  for (int k = 0; k < 50; k++) unite(&u, label, pick(IDS), pick(IDS));
  UfMark inner = uf_mark(&u);
  for (int k = 0; k < 50; k++) unite(&u, label, pick(IDS), pick(IDS));
  agree(&u, label);
  uf_make(&u);
  uf_undo(&u, inner);
  uf_undo(&u, outer);
  agree(&u, before);
  CHECK(u.parent.len == IDS && u.trail.len == 0);
  uf_free(&u);
  return failures != 0;
}
