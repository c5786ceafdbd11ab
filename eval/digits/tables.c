#include "eval/digits/tables.h"

#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

typedef struct Held {
  uint64_t key; /* of shape and values */
  NodeId node;
} Held;

typedef Vec(Held) HeldVec;

static bool varies(const Literal *l) {
  if (!l || l->kind != LIT_VALUES) return false;
  for (uint64_t i = 1; i < l->n; i++)
    if (l->values[i] != l->values[0]) return true;
  return false;
}

static int by_key_then_node(const void *a, const void *b) {
  const Held *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static HeldVec held(const Graph *g) {
  HeldVec v = {0};
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    if (!varies(n->literal)) continue;
    uint64_t shape = XXH3_64bits_withSeed(n->dims, n->rank * sizeof *n->dims, n->rank);
    vec_push(&v, (Held){XXH3_64bits_withSeed(n->literal->values, n->literal->n * sizeof(Rat), shape), id});
  }
  if (v.len) qsort(v.at, v.len, sizeof *v.at, by_key_then_node);
  return v;
}

void tables_link(const Graph *const graph[2], CutDim *const base[2], Cuts *cuts) {
  HeldVec a = held(graph[0]), b = held(graph[1]);
  for (size_t i = 0, j = 0; i < a.len && j < b.len;) {
    if (a.at[i].key != b.at[j].key) {
      if (a.at[i].key < b.at[j].key) i++;
      else j++;
      continue;
    }
    uint32_t rank = graph[0]->nodes.at[a.at[i].node].rank, other = graph[1]->nodes.at[b.at[j].node].rank;
    for (uint32_t k = 0; k < rank && rank == other; k++)
      cuts_same(cuts, base[0][a.at[i].node] + k, base[1][b.at[j].node] + k);
    i++, j++;
  }
  vec_free(&a);
  vec_free(&b);
}
