/* Does a lemma hold?  Its two sides are built as one-operator graphs on small shapes (sizes 1, equal sizes, distinct
 * primes; groups of rank 0 to 2) and checked like any pair: the shape on which they certainly differ refutes it, the
 * smallest first; where every shape is proved, its status is the weakest of them.
 *
 * A proof by normal forms is made at these sizes.  The laws of the calculus use a size only as the range of an index and
 * as a factor, so the sizes tried (distinct primes among them) stand for all; the report names them. */
#ifndef TVR_LEMMA_CHECK_H
#define TVR_LEMMA_CHECK_H
#include "eval/verdict/check.h"
#include "eval/prove/lemma.h"

typedef enum LemmaStatus {
  LEMMA_NORMAL,  /* proved by the normal forms alone */
  LEMMA_DERIVED, /* proved with tactics, or lemmas before it (which are named) */
  LEMMA_AXIOM,   /* of the listed few (stdlib/axioms.tvr): agrees, and is taken as it is */
  LEMMA_TESTED,  /* agrees on random inputs, not proved */
  LEMMA_OPEN,    /* neither proved nor evaluated */
  LEMMA_FALSE,   /* a counterexample is known */
  LEMMA_WRONG,   /* it does not even fit together (reported) */
} LemmaStatus;
const char *lemma_status_text(LemmaStatus s);

typedef struct LemmaReport {
  Sym name;
  LemmaStatus status;
  uint32_t shapes;            /* tried */
  const char *how;            /* what it was derived by, or NULL */
  const char *conditions;     /* what a proof assumed: "denominators are not zero", or NULL */
  const char *shape;          /* of the counterexample, or of the first shape that stays open */
  const char *left, *right;   /* values of both sides there */
  const char *at, *inputs;    /* the element, and the inputs it depends on */
  const char *want, *have;    /* the open sides as terms */
  double seconds;
} LemmaReport;

/* Everything in the report is allocated in `a`.  Lemmas of the library before this one may be used. */
LemmaReport lemma_check(const AstItem *lemma, Library *library, const CheckOptions *options, Arena *a, Diags *diags);
#endif
