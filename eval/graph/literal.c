/* literal: see literal.h. */
#include "eval/graph/literal.h"

#include <math.h>

enum {
  MASK = -1000000000, /* masks are this or below it */
  SHORT = 10,         /* bits of what was not rounded, as it seems */
  UNITS = 4,          /* in the last place, after a few operations on rounded numbers */
};

/* The simplest fraction in [lo, hi], both positive, by continued fractions. */
static bool simplest(double lo, double hi, int64_t *num, int64_t *den) {
  int64_t p = 1, q = 0, p0 = 0, q0 = 1; /* convergents */
  for (int i = 0; i < 40; i++) {
    double a = floor(lo);
    if (a > 1 << 30) return false;
    bool last = a + 1 <= hi || a == lo;
    int64_t digit = (int64_t)a + (last && a != lo), n = digit * p + p0, d = digit * q + q0;
    if (n > 1 << 30 || d > 1 << 30) return false;
    p0 = p, q0 = q, p = n, q = d;
    if (last) return *num = n, *den = d, true;
    double x = lo - a;
    lo = 1 / (hi - a);
    hi = 1 / x;
  }
  return false;
}

/* A decimal fraction of few digits that is `off` from x at most, as 1e-12, 0.044715, or three times one, as derivatives have
 * it. */
static bool short_decimal(double x, double off, int bits, int64_t *digits, int64_t *power) {
  *power = 1;
  for (int k = 0; k < 18; k++, *power *= 10) {
    double n = round(x * (double)*power);
    if (n > 3 * ldexp(1.0, bits - 8)) return false;
    *digits = (int64_t)n;
    bool few = n <= ldexp(1.0, bits - 8) || *digits % 3 == 0;
    if (few && n > 0 && fabs(n / (double)*power - x) <= off) return true;
  }
  return false;
}

/* What no binary fraction is (1/24 in a written graph) was not rounded. */
static bool is_binary(Rat value) {
  mpq_t q;
  mpq_init(q);
  rat_get(value, q);
  bool binary = mpz_popcount(mpq_denref(q)) == 1;
  mpq_clear(q);
  return binary;
}

/* A literal is read as a fraction p/q that rounds to it, if p*q is small enough to be meant: a fraction that takes about
 * as many bits to write as the literal says nothing.  Fractions simpler still may be two units in the last place
 * away, if they are rounded themselves: constants are computed in the same arithmetic (0.6 * (1/3) as 0.200000018).  A short
 * decimal fraction is written with fewer digits than its numerator and denominator say. */
static Rat fraction(Rat value, DType type) {
  if (!dtype_is_float(type) || !rat_is_finite(value) || rat_is_int(value) || !is_binary(value)) return value;
  int bits = type == DT_F64 ? 53 : type == DT_F32 ? 24 : type == DT_F16 ? 11 : 0;
  if (!bits) return value; /* too coarse to tell what was meant */
  double x = fabs(rat_to_double(value));
  int e;
  frexp(x, &e);
  static const struct {
    double ulps;
    int spare; /* bits of the literal that p*q must leave unused */
  } tries[] = {{0.5, 4}, {2, 14}};
  for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
    double off = tries[i].ulps * ldexp(1.0, e - bits);
    int64_t n, d;
    if (!simplest(x - off, x + off, &n, &d) || fabs((double)n / (double)d - x) > off) continue;
    if ((double)n * (double)d > ldexp(1.0, bits - tries[i].spare)) continue;
    if (i && !(d & (d - 1))) continue; /* rounded, it would be itself */
    return rat_sign(value) < 0 ? rat_frac(-n, d) : rat_frac(n, d);
  }
  int64_t digits, power; /* of fewer digits if they are computed (-0.9 / 20 as -0.0449999981) */
  bool rounded = short_decimal(x, ldexp(0.5, e - bits), bits, &digits, &power);
  if (!rounded && !short_decimal(x, ldexp(2, e - bits), bits - 6, &digits, &power)) return value;
  Rat read = rat_frac(rat_sign(value) < 0 ? -digits : digits, power);
  return rounded || !is_binary(read) ? read : value; /* rounded, that would be itself */
}

bool literal_is_mask(Rat value, DType type) {
  return dtype_is_float(type) && rat_is_finite(value) && rat_cmp(value, RAT_INT(MASK)) <= 0;
}

Rat literal_read(Rat value, DType type, Literals how) {
  if (how == LITERALS_MASKS && literal_is_mask(value, type)) return RAT_NEG_INF;
  return how == LITERALS_EXACT ? value : fraction(value, type);
}

double literal_slack(Rat value, DType type) {
  int bits = type == DT_F64 ? 53 : type == DT_F32 ? 24 : 0, e;
  if (!bits || !rat_is_finite(value) || literal_is_mask(value, type)) return 0;
  double mantissa = ldexp(frexp(fabs(rat_to_double(value)), &e), SHORT);
  if (mantissa == floor(mantissa) || rat_is_int(value) || !is_binary(value) || fraction(value, type) != value) return 0;
  return ldexp(UNITS, e - bits);
}

/* Bits of a literal that was rounded and stands for no fraction; 0: it may be meant as it stands. */
static int rounded_bits(Rat value, DType type) {
  int bits = type == DT_F64 ? 53 : type == DT_F32 ? 24 : 0;
  double x = fabs(rat_to_double(value));
  bool simple = ldexp(x, 10) == floor(ldexp(x, 10)); /* as it stands */
  if (!bits || simple || !is_binary(value) || !(x > 1e-6 && x < 1e6) || fraction(value, type) != value) return 0;
  return bits;
}

static double without(int64_t n, int64_t factor) {
  while (n > 1 && n % factor == 0) n /= factor;
  return (double)n;
}

/* x, off by two units in the last place at most, is this root of a simple fraction, or that times a power of 2, which moves
 * no digit: 55.4256 is the root of 3072. */
static bool is_root(double x, uint32_t root, int bits, Rat *of) {
  double power = root == 2 ? x * x : x * x * x * x, off = 2 * root * ldexp(power, -bits);
  int64_t n, d;
  if (!simplest(power - off, power + off, &n, &d) || fabs((double)n / (double)d - power) > off) return false;
  if (without(n, INT64_C(1) << root) * without(d, INT64_C(1) << root) > 1024) return false;
  *of = rat_frac(n, d);
  return true;
}

/* A literal that is no fraction may be a square or fourth root of a simple one (1.41421354, the scale of attention). */
uint32_t literal_read_root(Rat value, DType type, Rat *of) {
  int bits = rounded_bits(value, type);
  Rat whole;
  for (uint32_t root = 2; bits && root <= 4; root += 2)
    if (is_root(fabs(rat_to_double(value)), root, bits, of) && !rat_root(*of, root, &whole)) return root; /* or a fraction */
  return 0;
}

/* Exponentials to the base 2 (exp2, or those of kernels): log(2), 1/log(2), and the scale of attention times that. */
int literal_read_log_2(Rat value, DType type, Rat *of) {
  int bits = rounded_bits(value, type);
  double x = fabs(rat_to_double(value));
  if (!bits) return 0;
  return is_root(x / M_LN2, 2, bits, of) ? 1 : is_root(x * M_LN2, 2, bits, of) ? -1 : 0;
}

/* A literal may be a constant of gelu: a multiple of the square root of 2 / pi by a power of two, or, where a compiler has
 * multiplied constants, by a small one of the other constant, off by two or three units in the last place at most. */
bool literal_is_root_of_2_over_pi(Rat value, DType type, Rat *factor) {
  int bits = type == DT_F64 ? 53 : type == DT_F32 ? 24 : 0, scale;
  double v = fabs(rat_to_double(value)), x = frexp(v, &scale), root = M_2_SQRTPI * M_SQRT1_2;
  if (!bits || scale <= -8 || scale >= 8) return false;
  *factor = rat_pow(RAT_INT(2), scale);
  if (fabs(x - root) <= 2 * ldexp(1.0, -bits)) return true;
  for (int64_t n = 1; n <= 3; n += 2) { /* 0.044715, and three times that in the derivative */
    *factor = rat_frac(n * 8943, 200000);
    double y = frexp(rat_to_double(*factor) * root, &scale);
    if (fabs(x - y) > 3 * ldexp(1.0, -bits)) continue;
    *factor = rat_mul(*factor, rat_pow(RAT_INT(2), ilogb(v) + 1 - scale));
    return true;
  }
  return false;
}
