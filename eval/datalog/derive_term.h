/* The terms that values stand for in a proof: the origin of every id (claims.h), containers element by element.
 * Equal terms are one, so steps can be compared by what they say. */
#ifndef TVR_DATALOG_DERIVE_TERM_H
#define TVR_DATALOG_DERIVE_TERM_H
#include "eval/datalog/derive.h"

typedef struct DerivedTerm {
  Term term; /* first: printers know terms */
  uint32_t number, next;
  uint64_t size; /* of the tree, saturating */
} DerivedTerm;

typedef struct DerivedTerms {
  const Derivation *proof;
  Arena arena;
  Vec(DerivedTerm *) all; /* by number: arguments before what holds them */
  DerivedTerm **of_class, **of_box;
  uint32_t *slots;
  uint32_t mask;
} DerivedTerms;

DerivedTerms *derive_terms_new(const Derivation *p);
void derive_terms_free(DerivedTerms *t);
DerivedTerm *derive_term(DerivedTerms *t, SortId s, Val v);
/* The row as a term: f(in), R(in). */
DerivedTerm *derive_term_row(DerivedTerms *t, uint32_t table, const Val *cols);
/* The same of arguments that are terms already. */
DerivedTerm *derive_term_apply(DerivedTerms *t, uint32_t table, DerivedTerm *const *args);
#endif
