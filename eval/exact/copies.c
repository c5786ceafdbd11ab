/* copies: see copies.h. */
#include "eval/exact/copies.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MAX_VALUES = 1 << 14 }; /* of a literal that is compared number by number */

typedef struct Copies {
  const ExactSide *side;
  NodeId *same;
  Sym uninitialized; /* of what is in memory nothing is known, nor that it is equal */
} Copies;

static size_t literal_bytes(const Literal *l) {
  return sizeof *l->values * (l->kind == LIT_VALUES ? l->n : l->kind == LIT_SPLAT);
}

static bool is_compared(const Copies *c, NodeId id) {
  const Node *n = &c->side->graph->nodes.at[id];
  const Instance *in = c->side->instances[id];
  if (n->literal) return n->literal->kind == LIT_SPLAT || n->literal->n <= MAX_VALUES;
  return in && !in->opaque && in->body != NO_X && n->op != c->uninitialized;
}

static uint64_t hash_node(const Copies *c, NodeId id) {
  const Node *n = &c->side->graph->nodes.at[id];
  uint64_t h = XXH3_64bits(&c->side->instances[id], sizeof c->side->instances[id]);
  for (uint32_t k = 0; k < n->n_args; k++) h = XXH3_64bits_withSeed(&c->same[n->args[k]], sizeof *c->same, h);
  const Literal *l = n->literal;
  return l ? XXH3_64bits_withSeed(l->values, literal_bytes(l), h) : h;
}

static bool same_literal(const Literal *a, const Literal *b) {
  if (!a || !b) return a == b;
  size_t n = literal_bytes(a);
  return a->kind == b->kind && n == literal_bytes(b) && (!n || !memcmp(a->values, b->values, n));
}

static bool same_node(const Copies *c, NodeId x, NodeId y) {
  const Node *a = &c->side->graph->nodes.at[x], *b = &c->side->graph->nodes.at[y];
  if (c->side->instances[x] != c->side->instances[y] || a->op != b->op || a->result != b->result) return false;
  if (a->dtype != b->dtype || a->rank != b->rank || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims)) return false;
  if (a->n_args != b->n_args || !same_literal(a->literal, b->literal)) return false;
  for (uint32_t k = 0; k < a->n_args; k++)
    if (c->same[a->args[k]] != c->same[b->args[k]]) return false;
  return true;
}

NodeId *copies_find(const ExactSide *s, Arena *a) {
  size_t n = s->graph->nodes.len, mask = 15;
  while (mask < 2 * n) mask = 2 * mask + 1;
  Copies c = {s, ARENA_ARRAY(a, NodeId, n + 1), sym("uninitialized")};
  NodeId *slot = xcalloc(mask + 1, sizeof *slot); /* + 1 */
  for (NodeId i = 0; i < n; i++) {
    c.same[i] = i;
    if (!is_compared(&c, i)) continue;
    size_t k = hash_node(&c, i) & mask;
    while (slot[k] && !same_node(&c, slot[k] - 1, i)) k = (k + 1) & mask;
    if (slot[k]) c.same[i] = slot[k] - 1;
    else slot[k] = i + 1;
  }
  free(slot);
  return c.same;
}
