/* Containers: immutable, hash-consed contents behind ids of a union-find of their own.
 *
 * vec: elements.  set: sorted elements.  map: key, value pairs sorted by key.  multiset: element, count pairs sorted by
 * element.  pair: two.  function value: target, bound arguments.  row term of a relation: its columns.
 * "Sorted" is by the words themselves.  When contents change because classes merged, a container becomes another one:
 * its id is linked to that of the canonical contents, and tables see it as they see merged classes.
 * Invariant: equal contents of one sort, both not stale, are one id. */
#ifndef TVR_DATALOG_CONTAINER_H
#define TVR_DATALOG_CONTAINER_H
#include "eval/datalog/ir.h"
#include "eval/datalog/table.h"
#include "eval/datalog/uf.h"

typedef struct Box {
  SortId sort;
  uint32_t at, n; /* contents in the pool */
  bool stale;     /* not in the hash any more */
} Box;

typedef struct FnTarget {
  bool table;
  uint32_t op;
  uint32_t n_bound;
  const SortId *sorts; /* of the bound arguments */
  SortId self;
} FnTarget;

typedef struct Boxes {
  Uf uf;
  Vec(Box) box; /* by id */
  Vec(Val) pool;
  RowSlot *slots;
  uint32_t mask, n_live;
  Table in_class, in_box; /* (element, box): which boxes hold a class, a box */
} Boxes;

typedef struct Db Db;

/* Ids of the two membership tables in the undo log. */
#define BOXES_IN_CLASS (UINT32_MAX - 1)
#define BOXES_IN_BOX UINT32_MAX

void boxes_init(Boxes *b);
void boxes_free(Boxes *b);
/* Contents as given; the caller has put them in canonical order. */
Val box_make(Db *db, SortId sort, const Val *contents, uint32_t n);
/* Sorts, removes duplicates (later pairs of a map win; counts add up) in place; returns the new length. */
uint32_t box_normalise(SortKind kind, Val *contents, uint32_t n);
static inline const Val *box_get(const Boxes *b, Val id, uint32_t *n) {
  *n = b->box.at[id].n;
  return b->pool.at + b->box.at[id].at;
}
/* Sort of the i-th word of the contents, IR_NONE if it is no value. */
SortId box_element_sort(const Db *db, const Box *box, uint32_t i);
/* Brings the containers that hold a class or container merged since the last call up to date; true if any changed. */
bool boxes_rebuild(Db *db, size_t class_from, size_t box_from);
void boxes_truncate(Boxes *b, size_t n, size_t pool);
void box_revive(Boxes *b, Val id);
#endif
