/* Witness: a proof written down as a certificate.
 *
 * The checker of certificates (certify/) walks over both graphs and asks; here the engine answers, from the calculus of
 * the proof.  The checker keeps what it could check itself: what it cannot, is not in a certificate. */
#ifndef TVR_WITNESS_H
#define TVR_WITNESS_H
#include "certify/certify.h"
#include "eval/verdict/check.h"

typedef struct WitnessLimits { /* of finding the steps of a proof; 0: none */
  double seconds;              /* of processor time */
  uint64_t megabytes;
} WitnessLimits;

/* A certificate of the proved outputs of a report; where some part of the proof is beyond the checker, `beyond` of it
 * says so.  The report's proofs work on, but stay what they are. */
Certificate *witness_make(const CheckReport *r, const CertifyProblem *p, WitnessLimits limits);
#endif
