/* Witness: a proof written down as a certificate.
 *
 * The checker of certificates (certify/) walks over both graphs and asks; here the engine answers, from the calculus of
 * the proof.  The checker keeps what it could check itself: what it cannot, is not in a certificate. */
#ifndef TVR_WITNESS_H
#define TVR_WITNESS_H
#include "certify/certify.h"
#include "eval/verdict/check.h"

/* A certificate of the proved outputs of a report; where some part of the proof is beyond the checker, `beyond` of it
 * says so.  The report's proofs work on, but stay what they are.  `seconds`: processor time for finding the steps of a
 * proof; 0: no limit. */
Certificate *witness_make(const CheckReport *r, const CertifyProblem *p, double seconds);
#endif
