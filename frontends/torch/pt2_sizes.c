#include "frontends/torch/pt2_sizes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>


enum { MAX_DEPTH = 64, MAX_OPERANDS = 16, MAX_POWER = 16 };

typedef struct Reader {
  const char *at, *missing;
  OpenSizes *given;
  Arena *arena;
  uint32_t depth;
} Reader;

static bool value(Reader *r, Rat *out);

static bool take(Reader *r, char c) {
  while (*r->at == ' ') r->at++;
  if (*r->at != c) return false;
  r->at++;
  return true;
}

/* 'text', as SymPy quotes names and decimals. */
static const char *quoted(Reader *r) {
  if (!take(r, '\'')) return NULL;
  size_t n = strcspn(r->at, "'");
  const char *text = arena_strdup(r->arena, r->at, n);
  r->at += n;
  return take(r, '\'') ? text : NULL;
}

/* positive=True, precision=53: properties, up to the closing bracket. */
static bool properties(Reader *r) {
  while (take(r, ',')) {
    while (*r->at == ' ') r->at++;
    while (isalnum((unsigned char)*r->at) || *r->at == '_' || *r->at == '=') r->at++;
  }
  return take(r, ')');
}

static bool symbol(Reader *r, Rat *out) {
  const char *name = quoted(r);
  int64_t n = name ? opensizes_find(r->given, name) : 0;
  if (name && !n && !r->missing) r->missing = name;
  *out = rat_int(n ? n : 1); /* read on: an expression that is not read is worse than a size that is missing */
  return name && properties(r);
}

static bool integer(Reader *r, Rat *out) {
  char *end;
  long long n = strtoll(r->at, &end, 10);
  bool read = end != r->at;
  r->at = end;
  *out = rat_int(n);
  return read;
}

static bool decimal(Reader *r, Rat *out) {
  const char *text = quoted(r);
  return text && rat_parse(text, strlen(text), out) && properties(r);
}

static bool power(Rat x, Rat n, Rat *out) {
  int64_t k;
  if (!rat_to_int(n, &k)) return rat_sign(x) >= 0 && n == rat_frac(1, 2) && rat_root(x, 2, out);
  if (k < -MAX_POWER || k > MAX_POWER || (k < 0 && !rat_sign(x))) return false;
  *out = rat_pow(x, k);
  return true;
}

static Rat toward_zero(Rat x) { return rat_sign(x) < 0 ? rat_ceil(x) : rat_floor(x); }

/* Functions of torch/utils/_sympy/functions.py, and SymPy's own. */
static bool apply(const char *f, const Rat *x, uint32_t n, Rat *out) {
  static const char *const quotients[] = {"IntTrueDiv", "FloatTrueDiv", "CleanDiv", "Rational"};
  bool two = n == 2, divides = two && rat_sign(x[1]);
  *out = n ? x[0] : RAT_0;
  if (!strcmp(f, "Add"))
    for (uint32_t k = 1; k < n; k++) *out = rat_add(*out, x[k]);
  else if (!strcmp(f, "Mul"))
    for (uint32_t k = 1; k < n; k++) *out = rat_mul(*out, x[k]);
  else if (!strcmp(f, "Max"))
    for (uint32_t k = 1; k < n; k++) *out = rat_cmp(x[k], *out) > 0 ? x[k] : *out;
  else if (!strcmp(f, "Min"))
    for (uint32_t k = 1; k < n; k++) *out = rat_cmp(x[k], *out) < 0 ? x[k] : *out;
  else if (two && (!strcmp(f, "Pow") || !strcmp(f, "PowByNatural") || !strcmp(f, "FloatPow")))
    return power(x[0], x[1], out);
  else if (divides && !strcmp(f, "FloorDiv")) *out = rat_floor(rat_div(x[0], x[1]));
  else if (divides && (!strcmp(f, "Mod") || !strcmp(f, "PythonMod")))
    *out = rat_sub(x[0], rat_mul(x[1], rat_floor(rat_div(x[0], x[1]))));
  else if (n == 1 && (!strcmp(f, "floor") || !strcmp(f, "FloorToInt"))) *out = rat_floor(x[0]);
  else if (n == 1 && (!strcmp(f, "ceiling") || !strcmp(f, "CeilToInt"))) *out = rat_ceil(x[0]);
  else if (n == 1 && !strcmp(f, "TruncToInt")) *out = toward_zero(x[0]);
  else if (n == 1 && !strcmp(f, "Abs")) *out = rat_abs(x[0]);
  else if (n == 1 && (!strcmp(f, "ToFloat") || !strcmp(f, "Identity"))) *out = x[0];
  else if (n == 1 && !strcmp(f, "OpaqueUnaryFn_sqrt")) return power(x[0], rat_frac(1, 2), out);
  else {
    for (size_t k = 0; divides && k < sizeof quotients / sizeof *quotients; k++)
      if (!strcmp(f, quotients[k])) return *out = rat_div(x[0], x[1]), true;
    return false;
  }
  return n > 0;
}

/* NAME(operands), or a number. */
static bool read_value(Reader *r, Rat *out) {
  Rat x[MAX_OPERANDS];
  uint32_t n = 0;
  while (*r->at == ' ') r->at++;
  if (isdigit((unsigned char)*r->at) || *r->at == '-') return integer(r, out);
  size_t len = 0;
  while (isalnum((unsigned char)r->at[len]) || r->at[len] == '_') len++;
  const char *f = arena_strdup(r->arena, r->at, len);
  r->at += len;
  if (!len || !take(r, '(')) return false;
  if (!strcmp(f, "Symbol")) return symbol(r, out);
  if (!strcmp(f, "Float")) return decimal(r, out);
  if (!strcmp(f, "Integer")) return integer(r, out) && take(r, ')');
  do
    if (n == MAX_OPERANDS || !value(r, &x[n++])) return false;
  while (take(r, ','));
  return take(r, ')') && apply(f, x, n, out);
}

/* Numbers that sizes have on their way: neither their whole part nor what is left of it needs more than 64 bits. */
static bool usual(Rat x) {
  int64_t i;
  if (!rat_is_finite(x) || !rat_to_int(rat_floor(x), &i)) return false;
  Rat rest = rat_sub(x, rat_floor(x));
  return !rat_sign(rest) || rat_to_int(rat_floor(rat_inv(rest)), &i);
}

static bool value(Reader *r, Rat *out) {
  if (++r->depth > MAX_DEPTH) return false;
  bool read = read_value(r, out) && usual(*out);
  r->depth--;
  return read;
}

bool pt2_size_value(const char *expression, OpenSizes *given, Rat *out, const char **missing, Arena *a) {
  Reader r = {.at = expression, .given = given, .arena = a};
  bool read = value(&r, out) && !*r.at;
  *missing = r.missing;
  return read && !r.missing;
}

/* ---- ranges */
static void add_condition(const char **text, const char *name, const char *relation, const json_t *bound, Arena *a) {
  if (json_is_integer(bound))
    *text = arena_printf(a, "%s%s%s %s %lld", *text, **text ? ", " : "", name, relation,
                         (long long)json_integer_value(bound));
}

/* Whether name stands in a list of names, separated by spaces. */
static bool listed(const char *list, const char *name) {
  size_t n = strlen(name);
  for (const char *at = list; (at = strstr(at, name)); at += n)
    if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' ')) return true;
  return false;
}

const char *pt2_size_beyond(const json_t *model, const OpenSizes *given, Arena *a) {
  json_t *ranges = json_object_get(model, "range_constraints"), *range;
  const char *name;
  json_object_foreach(ranges, name, range) {
    int64_t n = given && opensizes_known(given, sym(name)) ? opensizes_number(given->list, name) : 0;
    const json_t *least = json_object_get(range, "min_val"), *most = json_object_get(range, "max_val");
    const char *limits = "";
    if (json_integer_value(least) > 1) add_condition(&limits, name, ">=", least, a);
    add_condition(&limits, name, "<=", most, a);
    bool within = n >= json_integer_value(least) && (!json_is_integer(most) || n <= json_integer_value(most));
    if (n && !within) return arena_printf(a, "%s is %lld, where the archive has %s", name, (long long)n, limits);
  }
  return NULL;
}

const char *pt2_size_conditions(const json_t *model, Arena *a) {
  const json_t *module = json_object_get(model, "graph_module"), *ranges = json_object_get(model, "range_constraints");
  const json_t *types = json_object_get(json_object_get(module, "graph"), "tensor_values"), *spec, *size;
  const char *out = "", *seen = "";
  size_t i, d;
  json_array_foreach(json_object_get(json_object_get(module, "signature"), "input_specs"), i, spec) {
    const json_t *arg = json_object_get(json_object_get(json_object_get(spec, "user_input"), "arg"), "as_tensor");
    const char *input = json_string_value(json_object_get(arg, "name"));
    json_array_foreach(json_object_get(input ? json_object_get(types, input) : NULL, "sizes"), d, size) {
      const char *at = json_string_value(json_object_get(json_object_get(size, "as_expr"), "expr_str"));
      while (at && (at = strstr(at, "Symbol('"))) {
        at += strlen("Symbol('");
        const char *name =
            arena_strdup(a, at, strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"));
        if (!*name || isdigit((unsigned char)*name) || listed(seen, name)) continue;
        const json_t *range = json_object_get(ranges, name);
        size_t before = strlen(out);
        seen = arena_printf(a, "%s %s", seen, name);
        if (json_integer_value(json_object_get(range, "min_val")) > 1) /* a size is 1 at least */
          add_condition(&out, name, ">=", json_object_get(range, "min_val"), a);
        add_condition(&out, name, "<=", json_object_get(range, "max_val"), a);
        if (strlen(out) == before) out = arena_printf(a, "%s%s%s", out, *out ? ", " : "", name);
      }
    }
  }
  return out;
}
