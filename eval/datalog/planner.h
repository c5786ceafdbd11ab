/* The planner's state, shared by plan.c (which atom next) and step.c (how it is reached). */
#ifndef TVR_DATALOG_PLANNER_H
#define TVR_DATALOG_PLANNER_H
#include "eval/datalog/plan.h"

/* Where the values of a bound register come from. */
typedef struct Origin {
  Table *table; /* NULL: a constant, or */
  uint32_t col; /* UINT32_MAX: computed */
  Val value;
  uint32_t n_before; /* positions it needs: 0 for constants */
} Origin;

/* What is expected of an atom given what is bound so far. */
typedef struct Guess {
  double rows;
  uint32_t n_bound, n_free_inputs; /* columns; of a primitive's, n_free_inputs alone counts */
} Guess;

/* Where a register occurs. */
typedef struct Use {
  uint32_t atom, col;
} Use;

typedef struct Planner {
  Db *db;
  const IrBlock *b;
  Plan *p;
  uint32_t focus, since;
  Origin *origin; /* by register */
  Guess *guess;   /* by atom */
  bool *bound;    /* by register */
  bool *done;     /* by atom */
  Use *use;       /* those of register r: use[first_use[r] .. first_use[r + 1]) */
  uint32_t *first_use;
  uint32_t n_prims; /* atoms that are primitives and not done */
  Step *step_at;  /* free memory of the plan */
  Filter *filter_at;
  ColReg *pair_at;
  Group *group_at;
} Planner;

double planner_rows_in(const Planner *pl, Table *t, Range r);
/* Rows of t expected to have, in column c, the value of a bound register. */
double planner_meet(const Planner *pl, Table *t, uint32_t c, Reg r);
/* A register has been bound: the atoms that use it expect fewer rows. */
void planner_bind(Planner *pl, Reg r, Origin origin);

/* Adds a position for row atom i, or positions for its group. */
void step_add(Planner *pl, uint32_t i);
/* All primitives whose arguments are known, or all but one that can be computed from the result. */
void step_add_filters(Planner *pl, Filter **list, uint32_t *n_list);
#endif
