#include "frontends/base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Format {
  int precision, least; /* least: exponent of the least normal */
  double most;
  bool infinite;
} Format;

static const Format formats[DT_COUNT] = {
#define FLOAT(t, precision, least, most, infinite) [DT_##t] = {precision, least, most, infinite},
#include "frontends/base/float.def"
#undef FLOAT
};

/* x in units of the last place of the format, split at the point: below <= |x| / ulp < below + 1. */
static double units(const Format *f, double x, double *ulp) {
  int e;
  frexp(x, &e);
  if (e - 1 < f->least) e = f->least + 1;
  *ulp = ldexp(1, e - f->precision);
  return fabs(x) / *ulp;
}

DecimalResult decimal_round(double x, const Rat *exact, DType type, Rat *out) {
  const Format *f = &formats[type];
  if (!f->precision) return DECIMAL_MALFORMED;
  if (!isfinite(x)) {
    *out = isnan(x) ? RAT_NAN : x > 0 ? RAT_POS_INF : RAT_NEG_INF;
    return f->infinite || isnan(x) ? DECIMAL_OK : DECIMAL_RANGE;
  }
  double r = x;
  if (type != DT_F64) {
    double ulp, n = units(f, x, &ulp), below = floor(n), rest = n - below;
    bool up = rest > 0.5;
    if (rest == 0.5) {
      int side = exact ? rat_cmp(rat_abs(*exact), rat_abs(rat_from_double(x))) : 0;
      up = side ? side > 0 : fmod(below, 2) != 0;
    }
    r = copysign((below + (up ? 1 : 0)) * ulp, x);
    if (fabs(r) > f->most || (type == DT_F8E8M0FNU && r <= 0)) return DECIMAL_RANGE;
  }
  *out = r == trunc(r) && fabs(r) < 0x1p31 ? rat_int((int64_t)r) : rat_from_double(r);
  return DECIMAL_OK;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* [digits][.digits][e[+-]digits] and nothing else. */
static bool well_formed(const char *s, const char *end) {
  const char *p = s;
  size_t digits = 0;
  if (p < end && (*p == '-' || *p == '+')) p++;
  for (; p < end && is_digit(*p); p++) digits++;
  if (p < end && *p == '.')
    for (p++; p < end && is_digit(*p); p++) digits++;
  if (!digits) return false;
  if (p < end && (*p == 'e' || *p == 'E')) {
    p++;
    if (p < end && (*p == '-' || *p == '+')) p++;
    if (p == end || !is_digit(*p)) return false;
    while (p < end && is_digit(*p)) p++;
  }
  return p == end;
}

static DecimalResult read_float(const char *s, size_t len, DType type, Rat *out) {
  const char *word = s + (len && *s == '-');
  size_t n = len - (size_t)(word - s);
  if (n == 3 && !memcmp(word, "inf", 3)) return decimal_round(word == s ? INFINITY : -INFINITY, NULL, type, out);
  if (n >= 3 && !memcmp(word, "nan", 3) && (n == 3 || word[3] == '(')) return *out = RAT_NAN, DECIMAL_OK;
  if (!well_formed(s, s + len)) return DECIMAL_MALFORMED;
  double x = strtod(s, NULL);
  if (!isfinite(x)) return DECIMAL_RANGE;
  double ulp, n_units = units(&formats[type], x, &ulp);
  Rat exact;
  bool tie = type != DT_F64 && n_units - floor(n_units) == 0.5 && rat_parse(s, len, &exact);
  return decimal_round(x, tie ? &exact : NULL, type, out);
}

static DecimalResult read_int(const char *s, size_t len, DType type, Rat *out) {
  bool negative = len && *s == '-';
  size_t i = negative;
  if (i == len) return DECIMAL_MALFORMED;
  uint64_t n = 0;
  for (; i < len; i++) {
    if (!is_digit(s[i])) return DECIMAL_MALFORMED;
    if (n > (UINT64_MAX - (uint64_t)(s[i] - '0')) / 10) return DECIMAL_RANGE;
    n = n * 10 + (uint64_t)(s[i] - '0');
  }
  int bits = dtype_bits(type);
  bool is_signed = dtype_kind(type) == DK_INT;
  uint64_t most = is_signed ? (UINT64_C(1) << (bits - 1)) - !negative : UINT64_MAX >> (64 - bits);
  if (n > most || (negative && !is_signed && n)) return DECIMAL_RANGE;
  if (n <= INT64_MAX) return *out = rat_int(negative ? -(int64_t)n : (int64_t)n), DECIMAL_OK;
  return rat_parse(s, len, out) ? DECIMAL_OK : DECIMAL_MALFORMED;
}

DecimalResult decimal_read(const char *s, size_t len, DType type, Rat *out) {
  switch (dtype_kind(type)) {
    case DK_BOOL:
      if (len == 4 && !memcmp(s, "true", 4)) return *out = RAT_1, DECIMAL_OK;
      if (len == 5 && !memcmp(s, "false", 5)) return *out = RAT_0, DECIMAL_OK;
      return read_int(s, len, type, out);
    case DK_INT:
    case DK_UINT: return read_int(s, len, type, out);
    case DK_FLOAT: return read_float(s, len, type, out);
    default: return DECIMAL_MALFORMED;
  }
}
