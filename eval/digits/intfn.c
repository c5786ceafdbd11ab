#include "eval/digits/intfn.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define UNKNOWN INT_UNKNOWN
static bool known(int64_t a) { return a != UNKNOWN; }

int64_t intfn_add(int64_t a, int64_t b) {
  int64_t r;
  return known(a) && known(b) && !__builtin_add_overflow(a, b, &r) ? r : UNKNOWN;
}

int64_t intfn_mul(int64_t a, int64_t b) {
  int64_t r;
  return known(a) && known(b) && !__builtin_mul_overflow(a, b, &r) ? r : UNKNOWN;
}

int64_t intfn_power(int64_t a, int64_t exponent) {
  if (!known(a)) return UNKNOWN;
  if (a == 1 || exponent == 0) return 1;
  if (a == -1) return exponent % 2 ? -1 : 1;
  if (exponent < 0) return UNKNOWN;
  if (a == 0) return 0;
  int64_t r = 1;
  for (int64_t i = 0; i < exponent && known(r); i++) r = intfn_mul(r, a); /* ends by 64: |a| >= 2 */
  return r;
}

static int64_t i_abs(const int64_t *a) { return a[0] < 0 ? -a[0] : a[0]; }
static int64_t i_sign(const int64_t *a) { return (a[0] > 0) - (a[0] < 0); }
static int64_t i_same(const int64_t *a) { return a[0]; }
static int64_t i_truncdiv(const int64_t *a) { return a[1] ? a[0] / a[1] : UNKNOWN; }
static int64_t i_rem(const int64_t *a) { return a[1] == 0 ? UNKNOWN : a[1] == -1 ? 0 : a[0] % a[1]; }
static int64_t i_mod(const int64_t *a) {
  int64_t r = i_rem(a);
  return known(r) && r != 0 && (r < 0) != (a[1] < 0) ? r + a[1] : r;
}
static int64_t i_floordiv(const int64_t *a) {
  if (a[1] == 0) return UNKNOWN;
  return a[0] / a[1] - (a[0] % a[1] != 0 && (a[0] < 0) != (a[1] < 0));
}
static int64_t i_maximum(const int64_t *a) { return a[0] > a[1] ? a[0] : a[1]; }
static int64_t i_minimum(const int64_t *a) { return a[0] < a[1] ? a[0] : a[1]; }
static int64_t i_clamp(const int64_t *a) {
  int64_t x = a[1] < a[0] ? a[0] : a[1];
  return x < a[2] ? x : a[2];
}
static int64_t i_band(const int64_t *a) { return a[0] & a[1]; }
static int64_t i_bor(const int64_t *a) { return a[0] | a[1]; }
static int64_t i_bxor(const int64_t *a) { return a[0] ^ a[1]; }
static int64_t i_bnot(const int64_t *a) { return ~a[0]; }
static int64_t i_shl(const int64_t *a) {
  return a[1] < 0 ? UNKNOWN : a[0] == 0 ? 0 : a[1] > 62 ? UNKNOWN : intfn_mul(a[0], INT64_C(1) << a[1]);
}
static int64_t i_shr(const int64_t *a) {
  int64_t by = a[1] > 63 ? 63 : a[1];
  if (by < 0) return UNKNOWN;
  return a[0] < 0 ? ~(~a[0] >> by) : a[0] >> by;
}
static int64_t i_pow(const int64_t *a) { return intfn_power(a[0], a[1]); }

static const struct {
  const char *text;
  uint32_t arity;
  IntFn *f;
} fns[] = {
  {"abs", 1, i_abs}, {"sign", 1, i_sign}, {"floor", 1, i_same}, {"ceil", 1, i_same}, {"trunc", 1, i_same},
  {"round_even", 1, i_same}, {"round_afz", 1, i_same}, {"truncdiv", 2, i_truncdiv}, {"floordiv", 2, i_floordiv},
  {"rem", 2, i_rem}, {"mod", 2, i_mod}, {"maximum", 2, i_maximum}, {"minimum", 2, i_minimum}, {"clamp", 3, i_clamp},
  {"band", 2, i_band}, {"bor", 2, i_bor}, {"bxor", 2, i_bxor}, {"bnot", 1, i_bnot}, {"shl", 2, i_shl},
  {"shr", 2, i_shr}, {"pow", 2, i_pow},
};

IntFn *intfn_find(Sym name, uint32_t *arity) {
  const char *s = sym_text(name);
  for (size_t i = 0; i < sizeof fns / sizeof *fns; i++)
    if (!strcmp(fns[i].text, s)) {
      *arity = fns[i].arity;
      return fns[i].f;
    }
  return NULL;
}

static int64_t c_eq(const int64_t *a) { return a[0] == a[1]; }
static int64_t c_ne(const int64_t *a) { return a[0] != a[1]; }
static int64_t c_lt(const int64_t *a) { return a[0] < a[1]; }
static int64_t c_le(const int64_t *a) { return a[0] <= a[1]; }
static int64_t c_gt(const int64_t *a) { return a[0] > a[1]; }
static int64_t c_ge(const int64_t *a) { return a[0] >= a[1]; }

IntFn *intfn_compare(Sym name) {
  static const struct {
    const char *text;
    IntFn *f;
  } compares[] = {{"==", c_eq}, {"!=", c_ne}, {"<", c_lt}, {"<=", c_le}, {">", c_gt}, {">=", c_ge}};
  const char *s = sym_text(name);
  for (size_t i = 0; i < sizeof compares / sizeof *compares; i++)
    if (!strcmp(compares[i].text, s)) return compares[i].f;
  return NULL;
}
