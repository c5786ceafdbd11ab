/* Union-find with reasons and undo.
 *
 * Ids are dense from 0.  Every union is kept in a log: which root lost to which, the two ids that were said to be
 * equal, and why.  The log is three things at once: the list of ids whose occurrences must be rewritten (its tail),
 * the proof forest for explanations (loser -> winner, justified by a = b), and what undo walks back.
 * Invariant: a root has parent[x] == x, and every other parent chain ends in one. */
#ifndef TVR_EVAL_UF_H
#define TVR_EVAL_UF_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/vec.h"

#define UF_NONE UINT32_MAX

typedef struct UfUnion {
  uint32_t loser, winner; /* roots at that time */
  uint32_t a, b;          /* the equation; a was in loser's class */
  uint32_t reason;        /* caller's */
  uint32_t tag;           /* caller's: kind of id */
} UfUnion;

typedef struct UfWrite {
  uint32_t id, old;
} UfWrite;

typedef struct Uf {
  Vec(uint32_t) parent;
  Vec(UfUnion) log;
  Vec(UfWrite) trail; /* overwritten parents, kept only while `marks` > 0 */
  uint32_t marks;
} Uf;

typedef struct UfMark {
  size_t ids, unions, writes;
} UfMark;

typedef void UfStep(void *ctx, const UfUnion *u, bool forward);

void uf_free(Uf *u);
/* A fresh id, its own root. */
uint32_t uf_make(Uf *u);
/* Makes a and b equal; the smaller root wins.  Returns the root that lost, or UF_NONE if they were equal already. */
uint32_t uf_union(Uf *u, uint32_t a, uint32_t b, uint32_t reason, uint32_t tag);
/* The same with the winner chosen by the caller: the root of `winner`. */
uint32_t uf_link(Uf *u, uint32_t loser, uint32_t winner, uint32_t reason, uint32_t tag);
UfMark uf_mark(Uf *u);
/* Back to the latest mark, which must be `m`. */
void uf_undo(Uf *u, UfMark m);
/* The proof forest: by id, the union in which it lost, as index + 1 into the log; 0 for roots.  Release with free. */
uint32_t *uf_edges(const Uf *u);
/* Calls step for a chain of equations leading from a to b, in order; forward: from u->a to u->b.  False if not equal. */
bool uf_explain(const Uf *u, uint32_t a, uint32_t b, UfStep *step, void *ctx);
/* The same with the forest at hand, for many explanations. */
bool uf_path(const Uf *u, const uint32_t *up, uint32_t a, uint32_t b, UfStep *step, void *ctx);

static inline uint32_t uf_find(Uf *u, uint32_t x) {
  uint32_t *p = u->parent.at;
  while (p[x] != x) {
    uint32_t up = p[p[x]];
    if (up != p[x]) {
      if (u->marks) vec_push(&u->trail, (UfWrite){x, p[x]});
      p[x] = up;
    }
    x = up;
  }
  return x;
}
#endif
