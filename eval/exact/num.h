/* num: a real number known exactly or up to a ball.
 *
 * A Num is an exact rational as long as only rational operations made it and its size stays below a limit, an Arb ball
 * that contains the true value afterwards, an infinity, or unknown.  Every operation is rigorous: the result contains
 * the true value, or is unknown.  Infinities follow limits; inf - inf, 0 * inf and the like are unknown.
 *
 * An unknown number may be known to be none: a division by an exact 0, inf - inf, the logarithm of a negative rational,
 * and what arithmetic makes of them.  Other unknowns (undecided comparisons, balls too wide) say nothing.  Where it is none
 * in floating point as well (IEEE 754, section 7.2: 0 / 0, but not 1 / 0, nor what compares such numbers), it is a NaN. */
#ifndef TVR_NUM_H
#define TVR_NUM_H
#include <arb.h>
#include <flint/fmpq.h>

#include "lang/base/arena.h"
#include "lang/base/rat.h"

typedef enum NumKind { NUM_RATIONAL, NUM_BALL, NUM_POS_INF, NUM_NEG_INF, NUM_UNKNOWN } NumKind;

typedef enum NumLack { LACK_UNSURE, LACK_NONE, LACK_NAN, LACK_LITERAL /* a NaN that was written */ } NumLack;

typedef struct Num {
  uint8_t kind;
  union {
    fmpq q;          /* NUM_RATIONAL */
    arb_struct b;    /* NUM_BALL */
    uint8_t lack;    /* NUM_UNKNOWN: NumLack */
  };
} Num;

/* Numbers start as the rational 0 and must be cleared. */
void num_init(Num *x);
void num_clear(Num *x);
void num_set(Num *out, const Num *x);
void num_set_int(Num *out, int64_t n);
/* A literal: finite, or one of RAT_POS_INF, RAT_NEG_INF, RAT_NAN (unknown: of a literal that is left out as well). */
void num_set_rat(Num *out, Rat r);
/* The exact value of a double; NAN is unknown. */
void num_set_double(Num *out, double x);
void num_set_unknown(Num *out);
/* No value exists, for certain. */
void num_set_undefined(Num *out);
void num_set_nan(Num *out, bool literal);
static inline bool num_is_undefined(const Num *x) { return x->kind == NUM_UNKNOWN && x->lack != LACK_UNSURE; }
static inline bool num_is_nan(const Num *x) { return x->kind == NUM_UNKNOWN && x->lack >= LACK_NAN; }
void num_set_infinity(Num *out, int sign);
/* Makes out an empty ball to be written to. */
arb_ptr num_set_ball(Num *out);
/* The value as a ball, of a rational or a ball: into t, or the number's own. */
arb_srcptr num_ball(const Num *x, arb_t t, long precision);
/* To be called on a ball that an operation has written: one without a finite value becomes unknown. */
void num_finish(Num *out);

/* `out` may be an argument. */
void num_add(Num *out, const Num *a, const Num *b, long precision);
void num_sub(Num *out, const Num *a, const Num *b, long precision);
void num_mul(Num *out, const Num *a, const Num *b, long precision);
void num_div(Num *out, const Num *a, const Num *b, long precision);
void num_neg(Num *out, const Num *a);
/* out += a * b */
void num_addmul(Num *out, const Num *a, const Num *b, long precision);
/* a ^ n, n any integer. */
void num_power_int(Num *out, const Num *a, int64_t n, long precision);
void num_max(Num *out, const Num *a, const Num *b, int sign, long precision); /* sign -1: the minimum */

static inline bool num_is_finite(const Num *x) { return x->kind <= NUM_BALL; }
/* Exactly 0. */
bool num_is_zero(const Num *x);
/* -1, 0 or 1 as a <, =, > b; 2 if undecided. */
int num_compare(const Num *a, const Num *b, long precision);
/* The value if it is an integer that fits and that is certain. */
bool num_to_int(const Num *x, int64_t *out);
/* Certainly different. */
bool num_differ(const Num *a, const Num *b, long precision);
/* "7/3 = 2.333333", "[0.25 +/- 1.2e-37]", "-inf", "NaN", "unknown" */
char *num_print(const Num *x, Arena *a);
#endif
