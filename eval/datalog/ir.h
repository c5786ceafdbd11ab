/* The checked program: what a front end hands to the engine.  Knows nothing of any surface syntax.
 *
 * Everything that runs is a *block*: a query (atoms) and a straight line of operations over one file of registers.
 *   registers [0, n_body)   variables of the query, bound by matching
 *   inits                   registers holding a constant or a global before matching starts
 *   the rest                results of operations
 * A rule is a block; a check is a block without operations; a top-level action is one without atoms; a merge is one
 * whose registers 0 and 1 are the stored and the incoming value and whose `result` is the new one.
 * Sorts are checked and overloads resolved before: an atom or operation names one table or one primitive instance.
 *
 * Atoms.  IR_ROW: `op` is a table, args are its columns (inputs, then the output unless it is a relation).
 *         IR_PRIM: `op` is a primitive, args are its arguments and then its result; holds if it succeeds and agrees.
 * Operations, in order of execution; `dst` gets the result where there is one.
 *   IR_CALL       primitive `op` on args
 *   IR_MAKE       find or create the row of constructor or relation `op`
 *   IR_MAKE_AS    the same, its output being made equal to the last arg (saves an id where a term is built to be unioned)
 *   IR_LOOKUP     output of function `op`
 *   IR_SET        args = inputs, value
 *   IR_UNION      args[0] = args[1]; op: their sort
 *   IR_DELETE, IR_SUBSUME  row of table `op`
 *   IR_PANIC      `op` is the symbol of the message */
#ifndef TVR_DATALOG_IR_H
#define TVR_DATALOG_IR_H
#include <stdbool.h>
#include <stdint.h>

#include "eval/datalog/value.h"
#include "lang/base/source.h"

typedef uint32_t SortId, TableId, PrimId, GlobalId, RuleId, RulesetId, Reg;
#define IR_NONE UINT32_MAX

typedef enum IrAtomKind { IR_ROW, IR_PRIM } IrAtomKind;

typedef struct IrAtom {
  IrAtomKind kind;
  uint32_t op;
  uint32_t n;
  Reg *arg;
  Span at;
} IrAtom;

typedef enum IrOpKind {
  IR_CALL, IR_MAKE, IR_MAKE_AS, IR_LOOKUP, IR_SET, IR_UNION, IR_DELETE, IR_SUBSUME, IR_PANIC
} IrOpKind;

typedef struct IrOp {
  IrOpKind kind;
  uint32_t op;
  uint32_t n;
  Reg *arg;
  Reg dst; /* IR_NONE: none */
  Span at;
} IrOp;

typedef struct IrInit {
  Reg reg;
  bool global;
  uint32_t value; /* Val or GlobalId */
} IrInit;

typedef struct IrBlock {
  IrAtom *atoms;
  IrOp *ops;
  IrInit *inits;
  uint32_t n_atoms, n_ops, n_inits;
  uint32_t n_body, n_regs;
  uint32_t widest; /* most arguments of any atom or operation */
  Reg result;
  bool never;  /* the query contradicts itself: no match */
  Sym *names;  /* of registers [0, n_body), 0 where invented; may be NULL */
  SortId *sorts; /* of all registers */
} IrBlock;

typedef enum IrRuleFlags { IR_NAIVE = 1, IR_UNSAFE = 2 } IrRuleFlags;

typedef struct IrRule {
  Sym name;
  RulesetId ruleset;
  uint32_t flags;
  Span at;
  IrBlock block;
} IrRule;

typedef enum IrScheduleKind { IR_RUN, IR_SEQ, IR_REPEAT, IR_SATURATE } IrScheduleKind;

/* More than match_limit new matches of a rule wait for ban_length iterations, and both double (backoff.h). */
typedef struct IrBackOff {
  uint64_t match_limit, ban_length;
  struct BackOff *state; /* the engine's */
} IrBackOff;

typedef struct IrSchedule {
  IrScheduleKind kind;
  Sym ruleset;           /* IR_RUN; looked up when reached */
  IrBlock *until;        /* IR_RUN: may be NULL */
  IrBackOff *backoff;    /* IR_RUN: may be NULL */
  uint64_t times;        /* IR_REPEAT */
  struct IrSchedule **at; /* the rest */
  uint32_t n;
  Span span;
} IrSchedule;

typedef enum SortKind {
  SORT_UNIT, SORT_BOOL, SORT_I64, SORT_F64, SORT_STRING, SORT_BIGINT, SORT_BIGRAT, SORT_EQ,
  SORT_VEC, SORT_SET, SORT_MAP, SORT_MULTISET, SORT_PAIR, SORT_FN, SORT_ROW
} SortKind;

/* The built-in sorts have the ids of their kinds. */
typedef struct Sort {
  Sym name;
  SortKind kind;
  bool is_id;      /* values are ids: eq sorts and containers */
  bool moves;      /* values may change when classes merge: eq sorts, containers of such */
  uint32_t n_args; /* element sorts; SORT_FN: inputs, then output; SORT_ROW: columns of the relation */
  SortId *args;
  TableId table;   /* SORT_ROW */
} Sort;

typedef enum TableKind { TABLE_CONSTRUCTOR, TABLE_FUNCTION, TABLE_RELATION } TableKind;

typedef struct TableSpec {
  Sym name;
  TableKind kind;
  uint32_t n_in;
  const SortId *in;
  SortId out;         /* relations: ignored */
  uint64_t cost;
  bool unextractable, hidden;
  const IrBlock *merge; /* functions: NULL means no merge; copied */
} TableSpec;
#endif
