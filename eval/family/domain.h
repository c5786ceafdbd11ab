/* Domain: which sizes a family has: those that meet its conditions, and for which there are files.
 *
 * A point gives every size a number.  The smallest points are found by trying in order; where conditions are such that
 * this finds none, Z3 says whether there are any. */
#ifndef TVR_FAMILY_DOMAIN_H
#define TVR_FAMILY_DOMAIN_H
#include "eval/lemma/solver.h"
#include "lang/base/vec.h"
#include "lang/sizes.h"

typedef struct Domain {
  const Sizes *sizes;
  Arena *arena;          /* points live here */
  const int64_t **files; /* points for which there are files, in order; NULL: there is no such limit */
  uint32_t n_files;
  SolverLimits limits; /* of a question to Z3 */
} Domain;

typedef Vec(const int64_t *) Points;

bool domain_admits(const Domain *d, const int64_t *at);
/* Adds the smallest points (by the sum of their sizes), at most n; returns how many there are at least.  0: none was
 * found, and *empty says whether it is certain that there is none. */
uint32_t domain_smallest(const Domain *d, uint32_t n, Points *out, bool *empty);
/* Adds large points whose sizes have little in common with other numbers: prime multiples of their common divisors, and
 * one with many divisors.  At most n. */
void domain_generic(const Domain *d, uint32_t n, Points *out);
/* The same along one size, with the others as in `at`. */
void domain_generic_along(const Domain *d, const int64_t *at, uint32_t axis, uint32_t n, Points *out);
/* The next size number `axis` from `from` on, up or down, with the others as in `at`; 0: none within reach. */
int64_t domain_next(const Domain *d, const int64_t *at, uint32_t axis, int64_t from, int step);
/* No point but these is admissible, for certain. */
bool domain_is(const Domain *d, const int64_t *const *points, uint32_t n);

/* Answers to "some admissible point has property", in SMT-LIB over the names s0, s1, ..: 1 yes (then at[] is one), 0
 * no, -1 not known, with *why. */
int domain_ask(const Domain *d, const char *property, int64_t *at, const char **why);
#endif
