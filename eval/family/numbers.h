/* Numbers: the graphs of one point, the relation and the proof, taken apart into what is the same for all sizes (by a
 * hash) and the numbers in it, in order.
 *
 * Two points whose hashes are equal have the same programs and the same proof but for these numbers, and for what
 * indices are called. */
#ifndef TVR_FAMILY_NUMBERS_H
#define TVR_FAMILY_NUMBERS_H
#include "certify/certify.h"

typedef struct Numbers {
  uint64_t shape[2];
  uint32_t n_graphs; /* of them, those of the graphs and the relation come first */
  uint32_t n;
  const Rat *at;
  const bool *counts; /* it counts something: a size, an index, an integer of the graphs; no real number */
} Numbers;

/* The certificate may be NULL. */
Numbers numbers_of(const CertifyProblem *p, const Certificate *c, Arena *a);
bool numbers_alike(const Numbers *a, const Numbers *b);
#endif
