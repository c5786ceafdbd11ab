/* Operators by name, in a table; one function for all. */
#include "frontends/base/fold.h"

typedef enum FoldOp {
  F_ADD, F_SUBTRACT, F_MULTIPLY, F_DIVIDE, F_REMAINDER, F_FLOOR_REMAINDER, F_MAXIMUM, F_MINIMUM, F_AND, F_OR, F_XOR,
  F_NOT, F_NEGATE, F_ABS, F_SIGN, F_COMPARE, F_SELECT, F_CLAMP, F_CONVERT, F_SAME
} FoldOp;

static const struct { const char *text; FoldOp op; uint32_t n; } table[] = {
    {"add", F_ADD, 2},         {"subtract", F_SUBTRACT, 2},   {"multiply", F_MULTIPLY, 2}, {"divide", F_DIVIDE, 2},
    {"remainder", F_REMAINDER, 2}, {"maximum", F_MAXIMUM, 2}, {"minimum", F_MINIMUM, 2},   {"and", F_AND, 2},
    {"or", F_OR, 2},           {"xor", F_XOR, 2},             {"not", F_NOT, 1},           {"negate", F_NEGATE, 1},
    {"abs", F_ABS, 1},         {"sign", F_SIGN, 1},           {"compare", F_COMPARE, 2},   {"select", F_SELECT, 3},
    {"clamp", F_CLAMP, 3},     {"convert", F_CONVERT, 1},     {"copy", F_SAME, 1},         {"reshape", F_SAME, 1},
    {"broadcast", F_SAME, 1},  {"floor_remainder", F_FLOOR_REMAINDER, 2},
};

bool fold_fits(DType t, int64_t v) {
  int bits = dtype_bits(t);
  if (dtype_kind(t) == DK_INT) return bits == 64 || (v >= -(INT64_C(1) << (bits - 1)) && v < INT64_C(1) << (bits - 1));
  return v >= 0 && (bits >= 63 || v < INT64_C(1) << bits);
}

bool fold_known(const Graph *g, NodeId id, int64_t *out) {
  if (id == NO_NODE) return false;
  const Node *x = &g->nodes.at[id];
  for (int steps = 0; steps < 8 && !x->literal && x->n_args == 1 && x->op == sym("copy"); steps++)
    x = &g->nodes.at[x->args[0]];
  if (!x->literal || x->literal->kind != LIT_SPLAT || dtype_kind(x->dtype) > DK_UINT) return false;
  return rat_is_finite(*x->literal->values) && rat_to_int(*x->literal->values, out);
}

static bool compare(const char *d, int64_t a, int64_t b, int64_t *out) {
  if (!strcmp(d, "EQ")) *out = a == b;
  else if (!strcmp(d, "NE")) *out = a != b;
  else if (!strcmp(d, "LT")) *out = a < b;
  else if (!strcmp(d, "LE")) *out = a <= b;
  else if (!strcmp(d, "GT")) *out = a > b;
  else if (!strcmp(d, "GE")) *out = a >= b;
  else return false;
  return true;
}

static bool fold(FoldOp op, bool pred, const char *direction, const int64_t *x, int64_t *out) {
  switch (op) {
    case F_ADD:
      if (pred) *out = x[0] | x[1];
      return pred || !__builtin_add_overflow(x[0], x[1], out);
    case F_SUBTRACT: return !pred && !__builtin_sub_overflow(x[0], x[1], out);
    case F_MULTIPLY: return !__builtin_mul_overflow(x[0], x[1], out);
    case F_DIVIDE:
    case F_REMAINDER:
      if (pred || x[1] == 0 || x[1] == -1) return false;
      *out = op == F_DIVIDE ? x[0] / x[1] : x[0] % x[1];
      return true;
    case F_FLOOR_REMAINDER:
      if (pred || x[1] == 0 || x[1] == -1) return false;
      *out = x[0] % x[1];
      if (*out && (*out < 0) != (x[1] < 0)) *out += x[1];
      return true;
    case F_MAXIMUM: *out = x[0] > x[1] ? x[0] : x[1]; return true;
    case F_MINIMUM: *out = x[0] < x[1] ? x[0] : x[1]; return true;
    case F_AND: *out = x[0] & x[1]; return true;
    case F_OR: *out = x[0] | x[1]; return true;
    case F_XOR: *out = x[0] ^ x[1]; return true;
    case F_NOT: *out = !x[0]; return pred;
    case F_NEGATE: return !__builtin_sub_overflow(0, x[0], out);
    case F_ABS:
      *out = x[0];
      return x[0] >= 0 || !__builtin_sub_overflow(0, x[0], out);
    case F_SIGN: *out = (x[0] > 0) - (x[0] < 0); return true;
    case F_COMPARE: return compare(direction, x[0], x[1], out);
    case F_SELECT: *out = x[0] ? x[1] : x[2]; return true;
    case F_CLAMP:
      *out = x[1] < x[0] ? x[0] : x[1];
      *out = *out > x[2] ? x[2] : *out;
      return true;
    case F_CONVERT: *out = pred ? x[0] != 0 : x[0]; return true;
    case F_SAME: *out = x[0]; return true;
  }
  return false;
}

bool fold_scalar(Sym op, DType t, Sym direction, const int64_t *x, uint32_t n, int64_t *out) {
  const char *text = sym_text(op);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (table[k].n == n && !strcmp(text, table[k].text))
      return fold(table[k].op, t == DT_PRED, sym_text(direction), x, out) && fold_fits(t, *out);
  return false;
}

NodeId fold_truth(const Graph *g, Sym op, DType t, const NodeId *args) {
  bool both = op == sym("and");
  if (t != DT_PRED || (!both && op != sym("or"))) return NO_NODE;
  for (int k = 0; k < 2; k++) {
    int64_t x;
    if (fold_known(g, args[k], &x)) return args[!x == both ? k : 1 - k];
  }
  return NO_NODE;
}
