/* Does a lemma hold?  First the breaker tries to refute it.  What it cannot break is proved, at several shapes: by the
 * normal forms; by tactics of the search and lemmas before it; by Z3, with every element an unknown real.  The status
 * is the weakest of all shapes.  Both sides are one-operator graphs, so a proof is one of `tvr check`.
 *
 * These proofs are made at the sizes that are tried.  The laws of the calculus use a size only as the range of an index
 * and as a factor, so these (distinct primes among them) stand for all; Z3 may prove it for all sizes besides
 * (allsizes.h), and a lemma without indices and attributes has none. */
#ifndef TVR_LEMMA_CHECK_H
#define TVR_LEMMA_CHECK_H
#include "eval/lemma/solver.h"
#include "eval/prove/equation.h"
#include "eval/verdict/check.h"

/* From the strongest on. */
typedef enum LemmaStatus {
  LEMMA_NORMAL,  /* proved by the normal forms alone */
  LEMMA_DERIVED, /* proved with tactics, or lemmas before it (which are named) */
  LEMMA_PROVED,  /* proved by Z3 */
  LEMMA_AXIOM,   /* of the listed few (stdlib/axioms.tvr): agrees, and is taken as it is */
  LEMMA_TESTED,  /* agrees on all inputs that were tried, not proved */
  LEMMA_FALSE,   /* a counterexample is known */
  LEMMA_WRONG,   /* it does not fit together, or nothing meets its condition (reported) */
  LEMMA_N_STATUS,
} LemmaStatus;
const char *lemma_status_text(LemmaStatus s);

typedef struct LemmaReport {
  const AstItem *item;
  Sym name;
  LemmaStatus status;
  uint32_t shapes, inputs;      /* at which it was tried to break it */
  uint32_t proved;              /* shapes at which it was proved */
  const char *all_sizes;        /* proved for all sizes and attributes: "by induction on i", ""; or NULL */
  const char *how;              /* what it was derived by, or NULL */
  const char *conditions;       /* what a proof assumed: "denominators are not zero", or NULL */
  const char *missing;          /* with this condition a false lemma could not be broken, or NULL */
  const char *shape;            /* of the counterexample, or of the first shape that stays open */
  const char *left, *right;     /* values of both sides there */
  const char *at, *inputs_text; /* the element, and the inputs it depends on, a line each */
  const char *want, *have;      /* the open sides as terms */
  const char *why;              /* not proved by Z3: why */
  double seconds;
  bool cached;
} LemmaReport;

typedef Vec(LemmaReport) LemmaKnown;

typedef struct LemmaOptions {
  CheckOptions check;
  SolverLimits solver; /* per shape; 0 seconds: no Z3 */
  LemmaKnown *known;   /* what was found out, is looked up and added; or NULL */
} LemmaOptions;
LemmaOptions lemma_defaults(void);
/* Of a lemma that a proof rests on: "an axiom", "proved, where denominators are not zero", "normal at the sizes that were
 * tried, not for all". */
const char *lemma_standing(const LemmaReport *r, Arena *a);

/* It holds at the sizes of this use, whatever it does at others; conditions of the proof are added to *where, and nothing
 * to `diags`. */
bool lemma_holds_at(const EquationUse *use, Library *library, const LemmaOptions *options, Arena *a, Diags *diags,
                    const char **where);

/* Everything in the report is allocated in `a`.  Lemmas of the library before this one may be used,
 * and are checked then. */
LemmaReport lemma_check(const AstItem *lemma, Library *library, const LemmaOptions *options, Arena *a, Diags *diags);
#endif
