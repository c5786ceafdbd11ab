/* Cuts: common refinement of index ranges.
 *
 * A *dim* is a range 0 .. size-1.  A cut p of it means it is read as the digits (size / p, p); the cuts of a dim form a
 * divisibility chain.  Three kinds of facts are gathered, then solved once:
 *   same(a, b)      one index: they have the same cuts
 *   equate(L, R)    the digits of L, one list after another, and those of R are one index read twice (mixed radix)
 *   want(a, p)      a has the cut p
 * Solving propagates cuts through equations by a work-list until nothing changes, each dim taking at most log2(size)
 * cuts.  A cut that does not fit its dim's chain is refused: first come, first served, in the order of the facts.
 * Flat dims (a seed, and whatever is linked to one) take no cuts.  Two digits are of one sort if an equation whose
 * sides have the same digits puts them in the same place. */
#ifndef TVR_CUTS_H
#define TVR_CUTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t CutDim;
typedef struct Cuts Cuts;

Cuts *cuts_new(void);
void cuts_free(Cuts *c);
/* So many dims follow. */
void cuts_expect(Cuts *c, size_t n);
CutDim cuts_dim(Cuts *c, int64_t size); /* numbered from 0 */
/* An equation never makes this dim the same as another: flatness does not pass. */
void cuts_keep_apart(Cuts *c, CutDim a);
int64_t cuts_size(const Cuts *c, CutDim a);

/* No effect if the sizes differ. */
void cuts_same(Cuts *c, CutDim a, CutDim b);
/* Lists are major to minor.  Splits into the smallest blocks of equal products, ignores dims of size 1, and makes two
 * dims that face each other the same.  No effect if the products differ or are 0. */
void cuts_equate(Cuts *c, const CutDim *l, uint32_t n_l, const CutDim *r, uint32_t n_r);
void cuts_want(Cuts *c, CutDim a, int64_t cut);
/* Flat together, whatever their sizes. */
void cuts_link(Cuts *c, CutDim a, CutDim b);
void cuts_flat(Cuts *c, CutDim a);

void cuts_solve(Cuts *c);

/* After solving: digits of a dim, major to minor, numbered from *first (none for size 1 or 0). */
uint32_t cuts_digits(const Cuts *c, CutDim a, uint32_t *first);
bool cuts_is_flat(const Cuts *c, CutDim a);
const int64_t *cuts_digit_sizes(const Cuts *c);  /* by number of the digit */
const uint32_t *cuts_digit_sorts(const Cuts *c); /* dense, from 0 in order of the digits */

typedef struct CutStats {
  size_t n_dims, n_distinct, n_equations, n_steps, n_refused, n_digits, n_sorts;
} CutStats;
CutStats cuts_stats(const Cuts *c);
#endif
