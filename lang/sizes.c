/* Evaluation is exact; the tree at one choice of numbers shares with the written one whatever holds no size. */
#include "lang/sizes.h"

#include <inttypes.h>
#include <string.h>

#include "lang/base/vec.h"

/* ---- what is declared */

void sizes_of(Sizes *out, const AstFile *file, Arena *a) {
  *out = (Sizes){.source = file->source};
  Vec(const AstExpr *) conditions = {0};
  for (uint32_t i = 0; i < file->n_items; i++) {
    const AstItem *it = file->items[i];
    for (uint32_t k = 0; it->kind == ITEM_SIZES && k < it->sizes.n && out->n < SIZES_MAX; k++)
      if (sizes_find(out, it->sizes.names[k]->name) < 0) out->names[out->n++] = it->sizes.names[k]->name;
    for (uint32_t k = 0; it->kind == ITEM_ASSUME && k < it->assume.n_conditions; k++)
      vec_push(&conditions, it->assume.conditions[k]);
  }
  out->n_conditions = (uint32_t)conditions.len;
  out->conditions = arena_copy(a, conditions.at, conditions.len * sizeof *conditions.at);
  vec_free(&conditions);
}

int sizes_find(const Sizes *s, Sym name) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->names[i] == name) return (int)i;
  return -1;
}

/* ---- values */

typedef enum SizeFn {
  FN_MOD,
  FN_REM,
  FN_FLOORDIV,
  FN_TRUNCDIV,
  FN_MINIMUM,
  FN_MAXIMUM,
  FN_FLOOR,
  FN_CEIL,
  FN_ABS,
  FN_CLAMP
} SizeFn;
static const struct {
  const char *name;
  uint32_t arity;
} functions[] = {{"mod", 2},     {"rem", 2},   {"floordiv", 2}, {"truncdiv", 2}, {"minimum", 2},
                 {"maximum", 2}, {"floor", 1}, {"ceil", 1},     {"abs", 1},      {"clamp", 3}};
enum { MOST_BITS = 4096, N_FUNCTIONS = sizeof functions / sizeof *functions };

static int function_of(Sym name) {
  for (int i = 0; i < N_FUNCTIONS; i++)
    if (!strcmp(functions[i].name, sym_text(name))) return i;
  return -1;
}

uint32_t sizes_function(Sym name) {
  int f = function_of(name);
  return f < 0 ? 0 : functions[f].arity;
}

static Rat least(Rat x, Rat y) { return rat_cmp(x, y) <= 0 ? x : y; }
static Rat most(Rat x, Rat y) { return rat_cmp(x, y) >= 0 ? x : y; }
static Rat truncated(Rat x) { return rat_sign(x) < 0 ? rat_ceil(x) : rat_floor(x); }

static bool call_value(SizeFn fn, const Rat *v, Rat *out) {
  bool divides = fn == FN_MOD || fn == FN_REM || fn == FN_FLOORDIV || fn == FN_TRUNCDIV;
  if (divides && v[1] == RAT_0) return false;
  switch (fn) {
    case FN_MOD: *out = rat_sub(v[0], rat_mul(v[1], rat_floor(rat_div(v[0], v[1])))); return true;
    case FN_REM: *out = rat_sub(v[0], rat_mul(v[1], truncated(rat_div(v[0], v[1])))); return true;
    case FN_FLOORDIV: *out = rat_floor(rat_div(v[0], v[1])); return true;
    case FN_TRUNCDIV: *out = truncated(rat_div(v[0], v[1])); return true;
    case FN_MINIMUM: *out = least(v[0], v[1]); return true;
    case FN_MAXIMUM: *out = most(v[0], v[1]); return true;
    case FN_FLOOR: *out = rat_floor(v[0]); return true;
    case FN_CEIL: *out = rat_ceil(v[0]); return true;
    case FN_ABS: *out = rat_abs(v[0]); return true;
    case FN_CLAMP: *out = least(most(v[0], v[1]), v[2]); return true;
  }
  return false;
}

static Rat truth(bool holds) { return holds ? RAT_1 : RAT_0; }

/* Numbers of sizes are small; powers of powers are not. */
static bool is_small(Rat v) {
  mpq_t q;
  if (!(v & 1)) return true;
  mpq_init(q);
  rat_get(v, q);
  bool small = mpz_sizeinbase(mpq_numref(q), 2) < MOST_BITS && mpz_sizeinbase(mpq_denref(q), 2) < MOST_BITS;
  mpq_clear(q);
  return small;
}

static bool binary_value(AstKind kind, Rat x, Rat y, Rat *out) {
  int64_t n;
  switch (kind) {
    case EX_ADD: *out = rat_add(x, y); return true;
    case EX_SUB: *out = rat_sub(x, y); return true;
    case EX_MUL: *out = rat_mul(x, y); return true;
    case EX_DIV: return y != RAT_0 && (*out = rat_div(x, y), true);
    case EX_POW: return rat_to_int(y, &n) && n >= 0 && n <= 8 && (*out = rat_pow(x, n), true);
    case EX_EQ: *out = truth(x == y); return true;
    case EX_NE: *out = truth(x != y); return true;
    case EX_LT: *out = truth(rat_cmp(x, y) < 0); return true;
    case EX_LE: *out = truth(rat_cmp(x, y) <= 0); return true;
    case EX_GT: *out = truth(rat_cmp(x, y) > 0); return true;
    case EX_GE: *out = truth(rat_cmp(x, y) >= 0); return true;
    case EX_AND: *out = truth(x != RAT_0 && y != RAT_0); return true;
    case EX_OR: *out = truth(x != RAT_0 || y != RAT_0); return true;
    default: return false;
  }
}

bool sizes_value(const Sizes *s, const int64_t *at, const AstExpr *e, Rat *out) {
  Rat v[3];
  if (e->kind == EX_RAT) return *out = e->value, true;
  if (e->kind == EX_NAME) {
    int k = e->graph ? -1 : sizes_find(s, e->name);
    return k >= 0 && (*out = rat_int(at[k]), true);
  }
  if (e->kind == EX_IF)
    return sizes_value(s, at, e->args[0], v) && sizes_value(s, at, e->args[v[0] == RAT_0 ? 2 : 1], out);
  bool known = (e->kind >= EX_NEG && e->kind <= EX_OR && e->kind != EX_IS) || e->kind == EX_CALL;
  if (!known || e->n_args > 3) return false;
  if (e->kind == EX_AND || e->kind == EX_OR) { /* what the first decides, the other need not: it may have no value */
    if (!sizes_value(s, at, e->args[0], v)) return false;
    if ((v[0] == RAT_0) == (e->kind == EX_AND)) return *out = truth(e->kind == EX_OR), true;
  }
  for (uint32_t i = 0; i < e->n_args; i++)
    if (!sizes_value(s, at, e->args[i], &v[i])) return false;
  if (e->kind == EX_NEG) return *out = rat_neg(v[0]), true;
  if (e->kind == EX_NOT) return *out = truth(v[0] == RAT_0), true;
  if (e->kind != EX_CALL) return binary_value((AstKind)e->kind, v[0], v[1], out) && is_small(*out);
  int fn = e->graph ? -1 : function_of(e->name);
  return fn >= 0 && functions[fn].arity == e->n_args && call_value((SizeFn)fn, v, out);
}

bool sizes_admit(const Sizes *s, const int64_t *at) {
  Rat v;
  for (uint32_t i = 0; i < s->n_conditions; i++)
    if (!sizes_value(s, at, s->conditions[i], &v) || v == RAT_0) return false;
  return true;
}

bool sizes_in(const Sizes *s, const AstExpr *e) {
  if (e->kind == EX_NAME) return !e->graph && sizes_find(s, e->name) >= 0;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (sizes_in(s, e->args[i])) return true;
  return false;
}

/* ---- the file at one choice */

typedef struct Putter {
  const Sizes *s;
  const int64_t *at; /* NULL: only what stands for numbers is listed */
  Arena *a;
  Vec(const AstExpr *) seen;
} Putter;

static AstExpr *number_at(Putter *p, const AstExpr *e, Rat value) {
  AstExpr *out = arena_copy(p->a, e, sizeof *e);
  out->kind = EX_RAT;
  out->value = value;
  out->n_args = 0;
  out->depth = 1;
  return out;
}

static AstExpr *put(Putter *p, AstExpr *e);

static AstExpr **put_all(Putter *p, AstExpr **args, uint32_t n) {
  AstExpr **out = ARENA_ARRAY(p->a, AstExpr *, n + 1);
  for (uint32_t i = 0; i < n; i++) out[i] = put(p, args[i]);
  return out;
}

/* A fraction stays one where it is written `x / 1`; lists and named arguments keep their form; all else is a number. */
static AstExpr *put(Putter *p, AstExpr *e) {
  bool form = e->kind == EX_LIST || e->kind == EX_TUPLE || e->kind == EX_NAMED ||
              (e->kind == EX_DIV && e->args[1]->kind == EX_RAT && e->args[1]->value == RAT_1);
  Rat v;
  if (!sizes_in(p->s, e)) return e;
  if (form) {
    AstExpr *out = arena_copy(p->a, e, sizeof *e);
    out->args = put_all(p, e->args, e->n_args);
    return out;
  }
  if (!p->at) vec_push(&p->seen, e);
  return p->at && sizes_value(p->s, p->at, e, &v) ? number_at(p, e, v) : e;
}

/* Operands are names of values; the first argument of a constant is a number. */
static AstExpr *put_node(Putter *p, AstExpr *e) {
  if (e->kind != EX_NODE) return e;
  AstExpr *out = arena_copy(p->a, e, sizeof *e), *call = arena_copy(p->a, e->args[0], sizeof *call);
  bool constant = !strcmp(sym_text(call->name), "constant");
  AstExpr **args = ARENA_ARRAY(p->a, AstExpr *, call->n_args + 1);
  for (uint32_t i = 0; i < call->n_args; i++) {
    bool stays = call->args[i]->kind != EX_NAMED && !constant;
    args[i] = stays ? call->args[i] : put(p, call->args[i]);
  }
  call->args = args;
  out->devices = put_all(p, e->devices, e->n_devices);
  out->args = arena_copy(p->a, &call, sizeof call);
  return out;
}

static AstItem *put_item(Putter *p, AstItem *it) {
  AstItem *out = arena_copy(p->a, it, sizeof *it);
  if (it->kind == ITEM_ASSUME) {
    out->assume.lo = put(p, it->assume.lo);
    out->assume.hi = put(p, it->assume.hi);
  } else if (it->kind == ITEM_RELATION && p->at) {
    out->name = sym(sizes_path(p->s, p->at, sym_text(it->name), p->a));
  } else if (it->kind == ITEM_GRAPH) {
    out->graph.paths = put_all(p, it->graph.paths, it->graph.n_paths);
    for (uint32_t i = 0; p->at && i < it->graph.n_paths; i++) {
      AstExpr *path = arena_copy(p->a, it->graph.paths[i], sizeof *path);
      path->name = sym(sizes_path(p->s, p->at, sym_text(path->name), p->a));
      out->graph.paths[i] = path;
    }
    out->graph.nodes = ARENA_ARRAY(p->a, AstExpr *, it->graph.n_nodes + 1);
    for (uint32_t i = 0; i < it->graph.n_nodes; i++) out->graph.nodes[i] = put_node(p, it->graph.nodes[i]);
  }
  return out;
}

static bool declares(const AstItem *it) {
  return it->kind == ITEM_SIZES || (it->kind == ITEM_ASSUME && !it->assume.tensor);
}

AstFile *sizes_put(const Sizes *s, const int64_t *at, const AstFile *file, Arena *a) {
  Putter p = {.s = s, .at = at, .a = a};
  AstFile *out = arena_copy(a, file, sizeof *file);
  out->items = ARENA_ARRAY(a, AstItem *, file->n_items + 1);
  out->n_items = 0;
  for (uint32_t i = 0; i < file->n_items; i++)
    if (!declares(file->items[i])) out->items[out->n_items++] = put_item(&p, file->items[i]);
  return out;
}

const AstExpr **sizes_expressions(const Sizes *s, const AstFile *file, Arena *a, uint32_t *n) {
  Putter p = {.s = s, .a = a};
  for (uint32_t i = 0; i < file->n_items; i++)
    if (!declares(file->items[i])) put_item(&p, file->items[i]);
  const AstExpr **out = arena_copy(a, p.seen.at, p.seen.len * sizeof *out);
  *n = (uint32_t)p.seen.len;
  vec_free(&p.seen);
  return out;
}

const char *sizes_path(const Sizes *s, const int64_t *at, const char *path, Arena *a) {
  const char *out = "";
  for (const char *open; (open = strchr(path, '{'));) {
    const char *close = strchr(open, '}');
    int k = close ? sizes_find(s, sym_n(open + 1, (size_t)(close - open - 1))) : -1;
    if (k >= 0) out = arena_printf(a, "%s%.*s%" PRId64, out, (int)(open - path), path, at[k]);
    else out = arena_printf(a, "%s%.*s{", out, (int)(open - path), path);
    path = k >= 0 ? close + 1 : open + 1;
  }
  return arena_printf(a, "%s%s", out, path);
}

const char *sizes_print(const Sizes *s, const int64_t *at, Arena *a) {
  const char *out = "";
  for (uint32_t i = 0; i < s->n; i++)
    out = arena_printf(a, "%s%s%s = %" PRId64, out, i ? ", " : "", sym_text(s->names[i]), at[i]);
  return out;
}
