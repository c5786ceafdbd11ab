/* Join plans: an order of the atoms of a query, each reached by a scan, an index probe or a look-up by its inputs, with
 * every primitive evaluated as soon as its arguments are known.
 *
 * Greedy: the atom with the fewest expected rows given what is bound comes next; expectations come from table sizes and
 * sampled numbers of distinct values.  A semi-naive variant has a focus atom that ranges over new rows only, atoms
 * before it (in the query's order) over old rows and those after it over all. */
#ifndef TVR_DATALOG_PLAN_H
#define TVR_DATALOG_PLAN_H
#include "eval/datalog/db.h"

typedef enum Range { RANGE_ALL, RANGE_OLD, RANGE_NEW } Range;
typedef enum Access { ACCESS_SCAN, ACCESS_PROBE, ACCESS_GET } Access;

typedef struct ColReg {
  uint32_t col;
  Reg reg;
} ColReg;

/* A primitive.  Run forwards it compares its result with a register or binds it; run backwards (the result and all
 * arguments but one are known) it binds the argument, and the primitive itself is a filter later. */
typedef struct Filter {
  const IrAtom *atom;
  bool binds;
  bool (*inverse)(Db *db, const Prim *p, const Val *arg, uint32_t n, Val *out); /* NULL: forwards */
  Reg from[2], to; /* backwards */
} Filter;

typedef struct Step {
  const IrAtom *atom;
  Table *table;
  Access access;
  Range range;
  ColReg *key;     /* columns looked up, ascending */
  ColReg *check;   /* columns compared with a register */
  ColReg *bind;    /* columns stored into a register */
  ColReg *same;    /* column that must equal another: reg is the other column */
  Filter *filters; /* to apply once this step has bound its columns */
  uint32_t n_key, n_check, n_bind, n_same, n_filters;
  uint32_t lo, hi; /* rows considered, set when run */
  ColIndex *index;
  uint32_t at; /* cursor: row, or row + 1 in a chain */
} Step;

typedef struct Plan {
  Step *steps;
  uint32_t n_steps;
  Filter *lead; /* before the first step */
  uint32_t n_lead;
  uint32_t *sizes;    /* by atom: rows it ranged over when planned */
  bool focus_first;
  double cost;
  void *memory;
} Plan;

#define PLAN_NO_FOCUS UINT32_MAX

/* Plans the query into *p (reused if not NULL); rows new since epoch `since` count as new. */
Plan *plan_make(Db *db, const IrBlock *b, uint32_t focus, uint32_t since, Plan *p);
/* Are the tables still about as large as when it was made? */
bool plan_fits(const Db *db, const IrBlock *b, uint32_t focus, uint32_t since, const Plan *p);
void plan_free(Plan *p);
#endif
