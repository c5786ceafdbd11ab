/* Matching: whether a value has the form of a pattern, whose parameters stand for any values.
 *
 * A pattern is a value whose parameters are leaves, read at bound indices; every index has a size of its own, by which
 * it is known.  An index of the pattern stands for one or several of the subject's (a sum over a dimension is a sum over
 * its digits); names that are free in the subject are the place at which the equation is used, and may occur in every
 * parameter.  Sums and products match in any order, a parameter among their parts takes what is left; at the root parts
 * may remain.  What is found is a proposal: it says nothing about numbers, and the caller compares. */
#ifndef TVR_MATCH_H
#define TVR_MATCH_H
#include "eval/calculus/calculus.h"

enum { MATCH_DIGITS = 8 };

typedef struct MatchIndex {
  int64_t pattern_size; /* unique within the pattern */
  uint32_t n;           /* digits it stands for, major to minor; 0: not met yet */
  int64_t size[MATCH_DIGITS];
} MatchIndex;

typedef struct MatchParam {
  Sym leaf;
  bool integer;
  uint32_t n;            /* dimensions */
  const uint32_t *index; /* of each: number of its index */
  bool found;
  Value value; /* over match_formal */
} MatchParam;

typedef struct Match {
  uint32_t n_params, n_indices;
  MatchParam *params;
  MatchIndex *indices;
  Value part, rest; /* subject = part + rest, or part * rest if `product`; the pattern stands for `part` */
  bool product;
} Match;

/* The name that stands for a digit of a dimension of a parameter in its value. */
Name match_formal(Calculus *c, uint32_t dim, uint32_t digit, int64_t size);

/* Calls `accept` with one proposal after another until it takes one (then the result is true), for at most `budget`
 * steps.  Values that may be infinite stand for no parameter. */
typedef bool MatchAccept(void *context, Match *m);
bool calc_match(Calculus *c, Value pattern, Value subject, Match *m, uint32_t budget, MatchAccept *accept,
                void *context);

/* No part of `v` has the form of the pattern: no function of the pattern's is applied to what the pattern's is. */
bool calc_matches_nowhere(const Calculus *c, Value pattern, Value v);

/* Rebuilds a value with every part replaced for which `f` gives another one, from the inside outwards; looks at
 * `*budget` parts and leaves what is beyond as it is. */
typedef bool ReplacePart(void *context, Value part, Value *by);
Value calc_replace(Calculus *c, Value v, uint32_t *budget, ReplacePart *f, void *context);
#endif
