/* Integer arithmetic on known scalars: what turns the counter of an unrolled loop, and everything computed from it,
 * into constants.  Division truncates; what does not fit the type is not folded. */
#include "frontends/hlo/module.h"

static bool fits(DType t, int64_t v) {
  int bits = dtype_bits(t);
  if (dtype_kind(t) == DK_INT) return bits == 64 || (v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1));
  return v >= 0 && (bits >= 63 || v < INT64_C(1) << bits);
}

static bool compare(const HloInstr *i, int64_t a, int64_t b, int64_t *out) {
  Sym direction = 0;
  for (uint32_t k = 0; k < i->n_attrs; k++)
    if (i->attrs[k].name == sym("direction")) direction = i->attrs[k].s;
  const char *d = sym_text(direction);
  if (!strcmp(d, "EQ")) *out = a == b;
  else if (!strcmp(d, "NE")) *out = a != b;
  else if (!strcmp(d, "LT")) *out = a < b;
  else if (!strcmp(d, "LE")) *out = a <= b;
  else if (!strcmp(d, "GT")) *out = a > b;
  else if (!strcmp(d, "GE")) *out = a >= b;
  else return false;
  return true;
}

bool hlo_fold(const HloInstr *i, const int64_t *x, int64_t *out) {
  DType t = i->shape->dtype;
  bool pred = t == DT_PRED;
  switch ((HloOpcode)i->opcode) {
    case HLO_ADD:
      if (pred) *out = x[0] | x[1];
      else if (__builtin_add_overflow(x[0], x[1], out)) return false;
      break;
    case HLO_SUBTRACT:
      if (pred || __builtin_sub_overflow(x[0], x[1], out)) return false;
      break;
    case HLO_MULTIPLY:
      if (__builtin_mul_overflow(x[0], x[1], out)) return false;
      break;
    case HLO_DIVIDE:
    case HLO_REMAINDER:
      if (pred || x[1] == 0 || x[1] == -1) return false;
      *out = i->opcode == HLO_DIVIDE ? x[0] / x[1] : x[0] % x[1];
      break;
    case HLO_MAXIMUM: *out = x[0] > x[1] ? x[0] : x[1]; break;
    case HLO_MINIMUM: *out = x[0] < x[1] ? x[0] : x[1]; break;
    case HLO_AND: *out = x[0] & x[1]; break;
    case HLO_OR: *out = x[0] | x[1]; break;
    case HLO_XOR: *out = x[0] ^ x[1]; break;
    case HLO_NOT:
      if (!pred) return false;
      *out = !x[0];
      break;
    case HLO_NEGATE:
      if (x[0] == INT64_MIN) return false;
      *out = -x[0];
      break;
    case HLO_ABS:
      if (x[0] == INT64_MIN) return false;
      *out = x[0] < 0 ? -x[0] : x[0];
      break;
    case HLO_SIGN: *out = (x[0] > 0) - (x[0] < 0); break;
    case HLO_COMPARE: return compare(i, x[0], x[1], out);
    case HLO_SELECT: *out = x[0] ? x[1] : x[2]; break;
    case HLO_CLAMP: *out = x[1] < x[0] ? x[0] : x[1]; *out = *out > x[2] ? x[2] : *out; break;
    case HLO_CONVERT: *out = pred ? x[0] != 0 : x[0]; break;
    case HLO_COPY:
    case HLO_RESHAPE:
    case HLO_BROADCAST: *out = x[0]; break;
    default: return false;
  }
  return fits(t, *out);
}
