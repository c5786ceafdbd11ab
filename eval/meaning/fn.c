#include "eval/meaning/fn.h"

#include <string.h>

static const struct {
  const char *text;
  uint32_t arity;
  FnValues values;
} fns[] = {
#define FN(id, text, arity, values) {text, arity, values},
#include "eval/meaning/fn.def"
#undef FN
};

const char *fn_text(FnId f) { return fns[f].text; }
uint32_t fn_arity(FnId f) { return fns[f].arity; }
FnValues fn_values(FnId f) { return fns[f].values; }

FnId fn_find(Sym name) {
  const char *s = sym_text(name);
  for (int i = 0; i < FN_COUNT; i++)
    if (!strcmp(fns[i].text, s)) return (FnId)i;
  return FN_COUNT;
}

static Rat trunc_of(Rat x) { return rat_sign(x) < 0 ? rat_ceil(x) : rat_floor(x); }
static Rat maximum(Rat x, Rat y) { return rat_cmp(x, y) >= 0 ? x : y; }
static Rat minimum(Rat x, Rat y) { return rat_cmp(x, y) <= 0 ? x : y; }

/* Nearest integer; `even` decides a half, else away from 0. */
static Rat round_of(Rat x, bool even) {
  Rat half = rat_frac(1, 2), a = rat_abs(x), down = rat_floor(a), up = rat_add(down, RAT_1);
  int c = rat_cmp(rat_sub(a, down), half);
  bool down_even = rat_is_int(rat_mul(down, half));
  Rat r = c < 0 || (c == 0 && even && down_even) ? down : up;
  return rat_sign(x) < 0 ? rat_neg(r) : r;
}

bool fn_fold(FnId f, const Rat *x, Rat *out) {
  switch (f) {
    case FN_ABS: *out = rat_abs(x[0]); return true;
    case FN_SIGN: *out = rat_int(rat_sign(x[0])); return true;
    case FN_FLOOR: *out = rat_floor(x[0]); return true;
    case FN_CEIL: *out = rat_ceil(x[0]); return true;
    case FN_TRUNC: *out = trunc_of(x[0]); return true;
    case FN_ROUND_EVEN: *out = round_of(x[0], true); return true;
    case FN_ROUND_AFZ: *out = round_of(x[0], false); return true;
    case FN_MAXIMUM: *out = maximum(x[0], x[1]); return true;
    case FN_MINIMUM: *out = minimum(x[0], x[1]); return true;
    case FN_CLAMP: *out = minimum(maximum(x[1], x[0]), x[2]); return true;
    case FN_TRUNCDIV:
    case FN_FLOORDIV:
    case FN_REM:
    case FN_MOD: {
      if (!rat_sign(x[1])) return false;
      Rat q = rat_div(x[0], x[1]);
      q = f == FN_TRUNCDIV || f == FN_REM ? trunc_of(q) : rat_floor(q);
      *out = f == FN_REM || f == FN_MOD ? rat_sub(x[0], rat_mul(x[1], q)) : q;
      return true;
    }
    default: return false;
  }
}
