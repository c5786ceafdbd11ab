/* Proofs: why a row is there, why two values are equal, as steps that each follow from others by one inference.
 *
 * A step proves a row `f(in) = out`, `R(in)`, or that two values are equal.  Values are ids, which stand for terms
 * (claims.h), so a step can be checked by looking at terms alone:
 *   GIVEN      a top-level action says so
 *   RULE       the head of a rule says so; premises: the rows of its query, in order, then the rows of tables that the
 *              operations before it found or looked up
 *   CALL       a primitive called in the head of a rule says so; premises as for a rule.  Without a rule: built by a merge
 *   MERGED     premises: the two rows whose values were merged, then rows that the merge found
 *   MOVED      a row whose columns became equal to those of premise 0; the other premises are the equations
 *   CHAIN      equal by the equations of the premises, one after the other, in either direction
 *   CONGRUENT  the outputs of two rows with the same inputs: the premises, in the order of the outputs
 *   BOX        containers whose elements are equal by the premises
 *   SAME       nothing to prove
 *   LOST       the reason was not recorded, or the step lies behind the limit of steps
 * Premises always are about earlier unions and records, so there are no cycles.  Nothing here recurses. */
#ifndef TVR_DATALOG_DERIVE_H
#define TVR_DATALOG_DERIVE_H
#include "eval/datalog/claims.h"

typedef enum DeriveKind {
  DERIVE_OPEN,
  DERIVE_GIVEN,
  DERIVE_RULE,
  DERIVE_CALL,
  DERIVE_MERGED,
  DERIVE_MOVED,
  DERIVE_CHAIN,
  DERIVE_CONGRUENT,
  DERIVE_BOX,
  DERIVE_SAME,
  DERIVE_LOST
} DeriveKind;

typedef enum DeriveWhat { PROVES_ROW, PROVES_UNION, PROVES_BOX_UNION, PROVES_EQUAL } DeriveWhat;

typedef struct DerivedStep {
  DeriveKind kind;
  DeriveWhat what;
  uint32_t of;         /* table, or sort of what is equal */
  uint32_t cols;       /* in the pool: the row, or two values */
  uint32_t claim;      /* PROVES_ROW: what made it; of a union: its index in the log */
  uint32_t record, op; /* GIVEN, RULE, CALL, MERGED; op: of the rule's block, IR_NONE: none */
  uint32_t first, n;   /* premises, in `premises` */
  uint32_t next;       /* of the same hash, + 1 */
} DerivedStep;

typedef struct Derivation {
  Db *db;
  Claims *claims;
  Vec(DerivedStep) steps;
  Vec(Val) pool;
  Vec(uint32_t) premises;
  uint32_t *slots;
  uint32_t mask;
  uint32_t n_done, most; /* steps whose premises are known; limit of steps */
} Derivation;

Derivation *derive_new(Db *db, uint32_t most_steps);
void derive_free(Derivation *p);
/* The step for a live row as it is now (inputs, output); a claim of its own if there is one. */
uint32_t derive_row(Derivation *p, uint32_t table, const Val *cols);
/* The step for two equal values. */
uint32_t derive_equal(Derivation *p, SortId s, Val a, Val b);
/* Finds the premises of everything asked for, and theirs.  False if the limit of steps was reached. */
bool derive_complete(Derivation *p);
static inline const Val *derive_cols(const Derivation *p, uint32_t step) { return p->pool.at + p->steps.at[step].cols; }
static inline const uint32_t *derive_premises(const Derivation *p, uint32_t step) {
  return p->premises.at + p->steps.at[step].first;
}
/* The rule of a RULE or CALL step, NULL if a merge made it; its registers' values. */
const IrRule *derive_rule(const Derivation *p, uint32_t step);
Val derive_register(const Derivation *p, uint32_t step, Reg r);
/* Where a GIVEN step was given. */
Span derive_given_at(const Derivation *p, uint32_t step);
#endif
