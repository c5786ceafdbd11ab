/* Join plans: an order of the atoms of a query, each reached by a scan, an index probe or a look-up by its inputs, with
 * every primitive evaluated as soon as its arguments are known.
 *
 * Greedy: the atom with the fewest expected rows given what is bound comes next; expectations come from table sizes and
 * from samples of columns (sample.h).  Where that promises much work, every atom is tried as the first.  Atoms that bind
 * the same variables form a *group*: which of them is walked, and which are only looked up, is decided each time it is
 * entered, by the lengths of their chains.  With that, cyclic queries cost what their worst-case bound says (generic
 * join: Ngo, Re and Rudra, SIGMOD Record 2013) and others what the binary plan does.
 * A semi-naive variant has a focus atom that ranges over new rows only, atoms before it (in the query's order) over old
 * rows and those after it over all. */
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
  uint32_t back;   /* positions before this one that a row here depends on: where it has none, the last of them moves on */
  uint32_t lo, hi; /* rows considered, set when run */
  ColIndex *index; /* NULL: not looked up yet */
  uint32_t at;     /* cursor: row, or row + 1 in a chain, or end in the list of pending rows */
  uint32_t base;   /* begin in that list */
  bool any;        /* a row has been found since it was entered */
} Step;

/* Atoms that bind the same registers: one is walked by its `walk`, the others are looked up by their `get`. */
typedef struct Group {
  uint32_t n;
  Step *walk, *get;
} Group;

typedef struct Plan {
  Step **at;          /* by position; a group's are arranged anew when it is entered */
  Group **group;      /* by position: begins here, or NULL */
  uint32_t n_steps;
  uint32_t n_needed;  /* positions that bind what the actions use: one match for each of their rows is enough */
  Filter *lead;       /* before the first step */
  uint32_t n_lead;
  uint32_t *sizes;    /* by atom: rows it ranged over when planned */
  bool focus_first;
  bool by_age;        /* older rows first: some set takes the latest value */
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
