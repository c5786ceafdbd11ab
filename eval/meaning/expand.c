#include "eval/meaning/expand_parts.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_DEPTH = 1500, MAX_STEPS = 1 << 22, MAX_NODES = 1 << 22 };

/* ---- Errors ---- */

static Val report(Expand *e, Span at, Span note, DiagCode code, const char *about, const char *fmt, va_list args) {
  if (!e->failed && !e->quiet) {
    ArenaMark m = arena_mark(e->b->arena);
    va_list copy;
    va_copy(copy, args);
    int n = vsnprintf(NULL, 0, fmt, copy);
    va_end(copy);
    char *text = arena_alloc(e->b->arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, args);
    diag_error(e->diags, at, code, "%s: %s", sym_text(e->f->node->op), text);
    diag_note(e->diags, note, "%s", about);
    arena_reset(e->b->arena, m);
  }
  e->failed = true;
  return val_int(0);
}

/* Found only when something is wrong: it counts the lines of the file. */
static Span place(const Expand *e) {
  return e->graph && e->diags ? node_span(e->graph, diags_sources(e->diags), e->node) : (Span){0};
}

Val expand_fail(Expand *e, Span at, DiagCode code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  Val v = report(e, at, place(e), code, "needed here", fmt, args);
  va_end(args);
  return v;
}

Val expand_misfit(Expand *e, Span at, DiagCode code, const char *fmt, ...) {
  va_list args;
  va_start(args, fmt);
  Val v = report(e, place(e), at, code, "by its definition", fmt, args);
  va_end(args);
  return v;
}

/* ---- Scopes ---- */

const Bind *expand_find(const Expand *e, Sym name) {
  for (size_t i = e->env.len; i-- > e->scope;)
    if (e->env.at[i].name == name) return &e->env.at[i];
  return NULL;
}

static void bind(Expand *e, Sym name, BindKind kind, const Val *v, const int64_t *size, uint32_t n) {
  vec_push(&e->env, (Bind){name, (uint8_t)kind, n, v, size});
}

const FitName *expand_name(const Expand *e, Sym name) { return e->scope ? NULL : fit_name(e->f, name); }

int64_t expand_size(const Expand *e, Sym name) {
  const Bind *b = expand_find(e, name);
  if (b) return b->kind == BIND_INDEX ? b->size[0] : -1;
  const FitName *k = expand_name(e, name);
  if (k && !k->group && (!k->each || e->each >= 0)) return k->size[k->each ? e->each : 0];
  return !e->scope && name && name == e->f->op->over ? e->f->members : -1;
}

VarId expand_var(Expand *e, VarKind kind, int64_t size, uint32_t dim, Sym name, int64_t position) {
  if (position >= 0) {
    ArenaMark m = arena_mark(e->b->arena);
    name = sym(arena_printf(e->b->arena, "%s%lld", sym_text(name), (long long)position));
    arena_reset(e->b->arena, m);
  }
  vec_push(&e->b->vars, (IxVar){(uint8_t)kind, size, dim, name});
  return (VarId)e->b->vars.len - 1;
}

bool expand_result(Expand *e, OutDim *out) {
  const FitBracket *b = &e->f->out;
  for (uint32_t p = 0; p < b->n; p++) {
    const AstPattern *q = &b->patterns[p];
    uint32_t lo = b->start[p], n = b->start[p + 1] - lo;
    bool group = q->n == 1 && q->digit[0].form == FORM_GROUP;
    for (uint32_t d = 0; d < q->n; d++) {
      const FitName *k = fit_name(e->f, q->digit[d].name);
      if (expand_find(e, k->name)) {
        expand_fail(e, q->digit[d].span, E_DEFINITION, "`%s` stands twice in the result", sym_text(k->name));
        return false;
      }
      Val *v = ARENA_ARRAY(e->b->arena, Val, n);
      for (uint32_t i = 0; i < n; i++) {
        OutDim *o = &out[b->dim[lo + i]];
        int64_t size = k->size[group ? i : 0];
        v[i] = val_int(0);
        if (size == 1) continue;
        if (!o->vars) o->vars = ARENA_ARRAY(e->b->arena, VarId, q->n);
        VarId x = expand_var(e, VAR_OUT, size, b->dim[lo + i], k->name, group && n > 1 ? (int64_t)i : -1);
        ((VarId *)o->vars)[o->n++] = x;
        v[i] = val_var(e->b, x);
      }
      bind(e, k->name, group ? BIND_GROUP : BIND_INDEX, v, k->size, n);
    }
  }
  return true;
}

Val expand_at(Expand *e, const AstExpr *x, int64_t at, int64_t count) {
  int64_t at0 = e->at, count0 = e->count;
  e->at = at;
  e->count = count;
  Val v = expand_eval(e, x);
  e->at = at0;
  e->count = count0;
  return v;
}

/* ---- Comparisons ---- */

/* A word: a string, the value of a symbol attribute, or a name that stands for nothing else. */
static bool word(const Expand *e, const AstExpr *x, bool *is_attr, Sym *out) {
  Attr a;
  *is_attr = false;
  if (x->kind == EX_STRING) return *out = x->name, true;
  if (x->kind != EX_NAME || x->graph || expand_find(e, x->name)) return false;
  if (e->scope || x->name == e->f->op->over || fit_param(e->f, x->name) < e->f->op->n_params) return false;
  if (!fit_attr(e->f, x->name, &a)) return *out = x->name, true;
  *is_attr = true;
  return a.kind == ATTR_SYM && (*out = a.s, true);
}

static Val compare(Expand *e, const AstExpr *x) {
  CmpKind k = (CmpKind)(CMP_EQ + (x->kind - EX_EQ));
  Sym s, t;
  bool attr_s, attr_t;
  if (k == CMP_EQ || k == CMP_NE) {
    bool ws = word(e, x->args[0], &attr_s, &s), wt = word(e, x->args[1], &attr_t, &t);
    if (ws || wt) { /* an attribute that is missing, or of another kind, equals nothing */
      bool equal = ws && wt && s == t && (attr_s || attr_t);
      return val_int(equal == (k == CMP_EQ));
    }
  }
  Val v = expand_eval(e, x->args[0]), w = expand_eval(e, x->args[1]);
  return val_cmp(e->b, k, v, w);
}

/* ---- Reductions ---- */

/* The size of a bound index from its first use alone in a bracket of an operand; -1: none. */
static int64_t used_size(const Expand *e, const AstExpr *x, Sym name) {
  uint32_t p = x->kind == EX_READ ? fit_param(e->f, x->name) : e->f->op->n_params;
  if (p < e->f->op->n_params && p != e->f->variadic && x->n_args == e->f->param[p].n)
    for (uint32_t i = 0; i < x->n_args; i++) {
      const FitBracket *b = &e->f->param[p];
      if (x->args[i]->kind == EX_NAME && x->args[i]->name == name && b->start[i + 1] == b->start[i] + 1)
        return fit_arg(e->f, p)->dims[b->dim[b->start[i]]];
    }
  for (uint32_t i = 0; i < x->n_args; i++) {
    int64_t n = used_size(e, x->args[i], name);
    if (n >= 0) return n;
  }
  return -1;
}

/* Sizes of a binder, position by position. */
static bool binder_sizes(Expand *e, const AstExpr *x, const AstIndex *i, const int64_t **size, uint32_t *n) {
  const FitName *k = expand_name(e, i->name);
  int64_t count = i->form == FORM_GROUP ? -1 : 1, one = -1;
  if (i->size) {
    if (i->form == FORM_GROUP) count = expand_positions(e, i->size);
    else if (i->size->kind == EX_NAME && !e->scope && i->size->name == e->f->op->over) one = e->f->members;
    int64_t *s = ARENA_ARRAY(e->b->arena, int64_t, count < 0 ? 0 : count);
    for (int64_t p = 0; p < count; p++) {
      Rat r;
      s[p] = one;
      if (one >= 0) continue;
      Val v = i->form == FORM_GROUP ? expand_at(e, i->size, p, count) : expand_eval(e, i->size);
      if (!val_const(e->b, v, &r) || !rat_to_int(r, &s[p]) || s[p] < 0) count = -1;
    }
    *size = s;
  } else if (k && k->group == (i->form == FORM_GROUP) && !k->each) {
    *size = k->size;
    count = k->n;
  } else {
    one = i->form == FORM_INDEX && !e->scope ? used_size(e, x->args[0], i->name) : -1;
    if (one < 0) count = -1;
    *size = arena_copy(e->b->arena, &one, sizeof one);
  }
  *n = (uint32_t)count;
  if (count < 0)
    expand_fail(e, i->span, E_INDEX, "the size of `%s` does not follow from its use: state it, as in `%s: n`",
                sym_text(i->name), sym_text(i->name));
  return count >= 0 && !e->failed;
}

static Val over_operands(Expand *e, const AstExpr *x) {
  const Fit *f = e->f;
  int64_t each = e->each;
  if (x->n_binders != 1 || f->variadic == f->op->n_params || f->op->params[f->variadic].name != x->binders[0].name)
    return expand_fail(e, x->binders[0].span, E_INDEX, "`%s` is no variadic operand", sym_text(x->binders[0].name));
  Val *v = ARENA_ARRAY(e->b->arena, Val, f->n_each), r = val_int(0);
  for (uint32_t k = 0; k < f->n_each && !e->failed; k++) {
    e->each = k;
    v[k] = expand_eval(e, x->args[0]);
  }
  e->each = each;
  if (e->failed) return r;
  if (x->kind == EX_SUM) return val_sum(e->b, v, f->n_each);
  if (!f->n_each) return expand_misfit(e, x->span, E_ARITY, "no operands");
  r = v[0];
  for (uint32_t k = 1; k < f->n_each; k++)
    r = val_fn(e->b, x->kind == EX_MAX ? FN_MAXIMUM : FN_MINIMUM, (Val[]){r, v[k]});
  return r;
}

static Val reduction(Expand *e, const AstExpr *x) {
  size_t env = e->env.len;
  Vec(VarId) vars = {0};
  if (x->binders[0].form == FORM_OPERANDS) return over_operands(e, x);
  for (uint32_t i = 0; i < x->n_binders; i++) {
    const AstIndex *k = &x->binders[i];
    const int64_t *size = NULL;
    uint32_t n = 0;
    if (!binder_sizes(e, x, k, &size, &n)) break;
    Val *v = ARENA_ARRAY(e->b->arena, Val, n);
    for (uint32_t p = 0; p < n; p++) {
      if (size[p] == 1) continue;
      vec_push(&vars, expand_var(e, VAR_BOUND, size[p], 0, k->name, n > 1 ? (int64_t)p : -1));
      v[p] = val_var(e->b, vec_last(&vars));
    }
    for (uint32_t p = 0; p < n; p++)
      if (size[p] == 1) v[p] = val_int(0);
    bind(e, k->name, k->form == FORM_GROUP ? BIND_GROUP : BIND_INDEX, v, size, n);
  }
  Val r = val_int(0);
  static const XKind kinds[] = {X_SUM, X_MAX, X_MIN};
  if (!e->failed) {
    Val body = expand_eval(e, x->args[0]);
    r = val_reduce(e->b, kinds[x->kind - EX_SUM], vars.at, (uint32_t)vars.len, body);
  }
  vec_free(&vars);
  e->env.len = env;
  return r;
}

/* Every value of it is 0 or 1. */
static bool gives_truth(const Expand *e, XId id) {
  const X *x = &e->b->x.at[id];
  const Node *node = &e->graph->nodes.at[e->node];
  if (x->kind == X_CMP) return true;
  if (x->kind == X_RAT) return x->r == RAT_0 || x->r == RAT_1;
  if (x->kind == X_READ) return dtype_kind((DType)e->graph->nodes.at[node->args[x->operand]].dtype) == DK_BOOL;
  bool all = x->kind == X_SELECT || x->kind == X_MUL || x->kind == X_MAX || x->kind == X_MIN;
  for (uint32_t i = x->kind == X_SELECT; all && i < x->n; i++) all = gives_truth(e, x->args[i]);
  return all;
}

/* v, the value of x, as a condition: of a number, whether it is not 0. */
static Val truth(Expand *e, const AstExpr *x, Val v) {
  bool connected = x->kind == EX_NOT || x->kind == EX_AND || x->kind == EX_OR || x->kind == EX_IS || x->kind == EX_ALL;
  bool asks = x->kind == EX_BUILTIN && x->builtin == BUILTIN_INSIDE;
  Rat k;
  if (e->failed || connected || asks || val_const(e->b, v, &k)) return v;
  if (v.x != NO_X && !v.n && !v.c && gives_truth(e, v.x)) return v;
  return val_cmp(e->b, CMP_NE, v, val_int(0));
}

static Val all(Expand *e, const AstExpr *x) {
  Val r = val_int(1);
  int64_t n = -1;
  for (uint32_t i = 0; i < x->n_binders; i++) {
    const int64_t *size;
    uint32_t m;
    if (x->binders[i].form != FORM_GROUP || !expand_sized(e, x->binders[i].name, &size, &m) || (n >= 0 && n != m))
      return expand_fail(e, x->binders[i].span, E_INDEX, "`all` takes groups of equal length");
    n = m;
  }
  for (int64_t p = 0; p < n && !e->failed && !val_is(e->b, r, 0); p++)
    r = val_and(e->b, r, truth(e, x->args[0], expand_at(e, x->args[0], p, n)));
  return r;
}

/* ---- Functions ---- */

static Val macro(Expand *e, const AstExpr *x, const AstItem *fn) {
  if (fn->fn.n_params != x->n_args)
    return expand_fail(e, x->span, E_ARITY, "`%s` takes %u arguments, not %u", sym_text(x->name), fn->fn.n_params,
                       x->n_args);
  Val *v = ARENA_ARRAY(e->b->arena, Val, x->n_args);
  for (uint32_t i = 0; i < x->n_args; i++) {
    v[i] = expand_eval(e, x->args[i]);
    if (v[i].x != NO_X || v[i].n) v[i] = val_of(val_node(e->b, v[i]));
  }
  size_t env = e->env.len, scope = e->scope;
  for (uint32_t i = 0; i < x->n_args; i++) bind(e, fn->fn.params[i].name, BIND_VALUE, &v[i], NULL, 1);
  e->scope = env;
  Val r = expand_eval(e, fn->fn.body);
  e->scope = scope;
  e->env.len = env;
  return r;
}

static Val power(Expand *e, const AstExpr *x, Val v, Rat r) {
  Val out;
  if (val_pow(e->b, v, r, &out)) return out;
  return e->partial ? val_undefined(e->b) : expand_fail(e, x->span, E_DEFINITION, "0 to a negative power");
}

static Val call(Expand *e, const AstExpr *x) {
  const AstItem *fn = library_fn(e->lib, x->name);
  if (fn) return macro(e, x, fn);
  bool root = x->name == sym("sqrt"), inverse = x->name == sym("rsqrt");
  FnId f = fn_find(x->name);
  uint32_t n = root || inverse ? 1 : f == FN_COUNT ? 0 : fn_arity(f);
  if (!n) return expand_fail(e, x->name_span, E_UNBOUND, "there is no function `%s`", sym_text(x->name));
  if (x->n_args != n)
    return expand_fail(e, x->span, E_ARITY, "`%s` takes %u arguments, not %u", sym_text(x->name), n, x->n_args);
  Val v[3];
  for (uint32_t i = 0; i < n; i++) v[i] = expand_eval(e, x->args[i]);
  Rat lo, hi;
  if (f == FN_CLAMP && val_const(e->b, v[0], &lo) && val_const(e->b, v[2], &hi) && rat_cmp(lo, hi) > 0)
    return expand_misfit(e, x->span, E_SHAPE, "the bounds of a clamp are the wrong way round");
  if (root || inverse) return power(e, x, v[0], rat_frac(root ? 1 : -1, 2));
  return val_fn(e->b, f, v);
}

/* ---- The evaluator ---- */

/* Notes the reads that a condition says are in range. */
static void know(Expand *e, const AstExpr *p) {
  if (p->kind == EX_BUILTIN && p->builtin == BUILTIN_INSIDE)
    vec_push(&e->known, (Known){p->args[0], e->env.len, e->at, e->each});
  for (uint32_t i = 0; p->kind == EX_AND && i < p->n_args; i++) know(e, p->args[i]);
}

static Val choice(Expand *e, const AstExpr *x) {
  Val p = truth(e, x->args[0], expand_eval(e, x->args[0]));
  Rat k;
  if (e->failed) return p;
  if (val_const(e->b, p, &k)) return expand_eval(e, x->args[rat_sign(k) ? 1 : 2]);
  size_t known = e->known.len;
  e->guard++;
  know(e, x->args[0]);
  Val v = expand_eval(e, x->args[1]);
  e->known.len = known;
  Val w = expand_eval(e, x->args[2]);
  e->guard--;
  return val_select(e->b, p, v, w);
}

static Val let(Expand *e, const AstExpr *x) {
  Val *v = ARENA_NEW(e->b->arena, Val);
  *v = expand_eval(e, x->args[0]);
  bind(e, x->name, BIND_VALUE, v, NULL, 1);
  Val r = expand_eval(e, x->args[1]);
  vec_pop(&e->env);
  return r;
}

/* Both sides, unless the first decides. */
static Val logic(Expand *e, const AstExpr *x) {
  bool and = x->kind == EX_AND;
  Val v = truth(e, x->args[0], expand_eval(e, x->args[0]));
  if (e->failed || val_is(e->b, v, and ? 0 : 1)) return v;
  Val w = truth(e, x->args[1], expand_eval(e, x->args[1]));
  return and ? val_and(e->b, v, w) : val_or(e->b, v, w);
}

static Val arithmetic(Expand *e, const AstExpr *x) {
  Val v = expand_eval(e, x->args[0]), w = expand_eval(e, x->args[1]), r;
  Rat k;
  switch (x->kind) {
    case EX_ADD: return val_add(e->b, v, w);
    case EX_SUB: return val_sub(e->b, v, w);
    case EX_MUL: return val_mul(e->b, v, w);
    case EX_DIV:
      if (val_div(e->b, v, w, &r)) return r;
      if (e->partial) return val_undefined(e->b);
      return expand_fail(e, x->span, E_DEFINITION, "a division by 0");
    default:
      if (val_const(e->b, w, &k)) return power(e, x, v, k);
      return val_fn(e->b, FN_POW, (Val[]){v, w});
  }
}

static Val negate(Expand *e, const AstExpr *x) {
  if (x->args[0]->kind == EX_INF) return val_inf(e->b, RAT_NEG1);
  return val_sub(e->b, val_int(0), expand_eval(e, x->args[0]));
}

static Val dispatch(Expand *e, const AstExpr *x) {
  switch ((AstKind)x->kind) {
    case EX_RAT: return val_rat(e->b, x->value);
    case EX_INF: return val_inf(e->b, RAT_1);
    case EX_NAME: return expand_named(e, x);
    case EX_GROUP: return expand_group(e, x);
    case EX_READ: return expand_read(e, x);
    case EX_CALL: return call(e, x);
    case EX_BUILTIN: return expand_builtin(e, x);
    case EX_SUM: case EX_MAX: case EX_MIN: return reduction(e, x);
    case EX_ALL: return all(e, x);
    case EX_NEG: return negate(e, x);
    case EX_NOT: return val_not(e->b, truth(e, x->args[0], expand_eval(e, x->args[0])));
    case EX_ADD: case EX_SUB: case EX_MUL: case EX_DIV: case EX_POW: return arithmetic(e, x);
    case EX_EQ: case EX_NE: case EX_LT: case EX_LE: case EX_GT: case EX_GE: return compare(e, x);
    case EX_IS: return expand_is(e, x);
    case EX_AND: case EX_OR: return logic(e, x);
    case EX_IF: return choice(e, x);
    case EX_LET: return let(e, x);
    default: return expand_fail(e, x->span, E_DEFINITION, "this cannot stand in a definition");
  }
}

Val expand_eval(Expand *e, const AstExpr *x) {
  if (e->failed) return val_int(0);
  if (e->depth >= MAX_DEPTH) return expand_fail(e, x->span, E_NESTING, "functions are nested too deep");
  if (++e->steps > MAX_STEPS || e->b->x.len > MAX_NODES)
    return expand_misfit(e, x->span, E_LIMIT, "the definition becomes too large");
  e->depth++;
  Val v = dispatch(e, x);
  e->depth--;
  if (e->b->overflow) return expand_misfit(e, x->span, E_SIZE, "a number becomes too large");
  return v;
}

static bool declared_sizes(Expand *e, const FitBracket *b) {
  for (uint32_t p = 0; p < b->n; p++)
    for (uint32_t d = 0; d < b->patterns[p].n; d++) {
      const AstIndex *i = &b->patterns[p].digit[d];
      const FitName *k = fit_name(e->f, i->name);
      for (uint32_t at = 0; i->size && k && !k->each && at < k->n; at++) {
        Rat r;
        if (i->size->kind == EX_NAME && i->size->name == e->f->op->over) continue; /* laid by fit */
        Val v = k->group ? expand_at(e, i->size, at, k->n) : expand_eval(e, i->size);
        char buf[64];
        if (!val_const(e->b, v, &r)) expand_fail(e, i->size->span, E_INDEX, "this size does not follow from the shapes");
        else if (r != rat_int(k->size[at]))
          expand_misfit(e, i->size->span, E_SHAPE, "`%s` has size %lld, but it must be %s", sym_text(i->name),
                        (long long)k->size[at], rat_print(r, buf, sizeof buf));
        if (e->failed) return false;
      }
    }
  return true;
}

bool expand_sizes(Expand *e) {
  for (uint32_t p = 0; p < e->f->op->n_params; p++)
    if (!declared_sizes(e, &e->f->param[p])) return false;
  return declared_sizes(e, &e->f->out);
}

bool expand_body(Expand *e, const AstExpr *body, XId *out) {
  Val v = expand_eval(e, body);
  if (!e->failed) *out = val_node(e->b, v);
  return !e->failed;
}

int expand_when(Expand *e, const AstExpr *when) {
  bool quiet = e->quiet;
  Rat r;
  if (!when) return 1;
  e->quiet = true;
  Val v = expand_eval(e, when);
  int holds = e->failed || !val_const(e->b, v, &r) ? -1 : rat_sign(r) != 0;
  e->quiet = quiet;
  e->failed = e->b->overflow = false;
  return holds;
}

void expand_free(Expand *e) {
  vec_free(&e->env);
  vec_free(&e->known);
}
