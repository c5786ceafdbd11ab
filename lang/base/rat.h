/* Exact rationals as 64-bit values: equal numbers are equal bits.
 *
 * A number whose reduced numerator fits 32 bits and whose denominator fits 31 bits is stored inline:
 *     bits 63..32 numerator (signed), 31..1 denominator (> 0), bit 0 = 0
 * anything larger is an index into a process-wide table of interned GMP rationals (bit 0 = 1) that only grows. */
#ifndef TVR_BASE_RAT_H
#define TVR_BASE_RAT_H
#include <gmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t Rat;

#define RAT_INT(n) ((Rat)((uint64_t)(uint32_t)(int32_t)(n) << 32 | 2u)) /* |n| < 2^31 */
#define RAT_0 RAT_INT(0)
#define RAT_1 RAT_INT(1)
#define RAT_NEG1 RAT_INT(-1)

/* Special values of literals; never operands of the arithmetic below. */
#define RAT_POS_INF ((Rat)0xfffffffffffffff1u)
#define RAT_NEG_INF ((Rat)0xfffffffffffffff3u)
#define RAT_NAN ((Rat)0xfffffffffffffff5u)
static inline bool rat_is_finite(Rat a) { return a < (Rat)0xfffffffffffffff1u; }

Rat rat_int(int64_t n);
/* n / d in lowest terms; d != 0. */
Rat rat_frac(int64_t n, int64_t d);
Rat rat_add(Rat a, Rat b);
Rat rat_sub(Rat a, Rat b);
Rat rat_mul(Rat a, Rat b);
/* b != 0. */
Rat rat_div(Rat a, Rat b);
Rat rat_neg(Rat a);
Rat rat_inv(Rat a);
Rat rat_abs(Rat a);
/* a^n for an integer exponent; a != 0 when n < 0. */
Rat rat_pow(Rat a, int64_t n);
/* Exact n-th root of a >= 0 into *root; false if it is not rational. */
bool rat_root(Rat a, int64_t n, Rat *root);
#define RAT_FACTORS 32
/* a > 0 as a product of whole powers: of its prime factors below 1000, and of what is left of numerator and denominator.
 * Returns their number; 0 if a is too large. */
uint32_t rat_factors(Rat a, Rat base[RAT_FACTORS], int64_t power[RAT_FACTORS]);
size_t rat_bits(Rat a); /* how many numerator and denominator have at most */
int rat_cmp(Rat a, Rat b);
int rat_sign(Rat a);
bool rat_is_int(Rat a);
/* The value when it is an integer that fits; false otherwise. */
bool rat_to_int(Rat a, int64_t *out);
Rat rat_floor(Rat a);
Rat rat_ceil(Rat a);
double rat_to_double(Rat a);
/* Exact value of a finite double. */
Rat rat_from_double(double x);
/* The shortest decimal that reads back as a finite double; false if it is none. */
bool rat_shortest(double x, Rat *out);
/* Decimal ("-1.5e-3", "7") or fraction ("1/3") text; false if it is no number or its exponent exceeds 10,000. */
bool rat_parse(const char *s, size_t len, Rat *out);
/* Into buf ("3", "-1/480"), at most size bytes, NUL-terminated; returns buf. */
char *rat_print(Rat a, char *buf, size_t size);
/* GMP views: `out` is initialised by the caller. */
void rat_get(Rat a, mpq_t out);
/* Interns a canonical mpq. */
Rat rat_set(const mpq_t q);
/* Greatest common divisor of |a| and |b|, both integers. */
Rat rat_gcd(Rat a, Rat b);
#endif
