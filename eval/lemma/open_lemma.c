/* open_lemma: a lemma as open terms, from its text.
 *
 * A group of indices is one index: what is done along it is done at every position alike, so a group of any number of
 * dimensions is one of their product, unless something speaks of its single positions; that is given up. */
#include <string.h>

#include "eval/lemma/open.h"
#include "lang/library.h"

enum { OPEN_BINDER = 200000, MAX_DEPTH = 60, MAX_DIMS = 12, MAX_ARGS = 4 };

typedef struct OpenBind {
  Sym name;
  const OpenTerm *value, *size; /* size: of an index, else NULL */
} OpenBind;

typedef struct Build {
  OpenTerms *o;
  const Shapes *s;
  const Library *library;
  Vec(OpenBind) env;
  size_t scope; /* names below it are the caller's of a macro */
  uint32_t binders, depth;
} Build;

static const OpenTerm *build(Build *b, const AstExpr *e);

static const OpenTerm *give_up(Build *b, const char *why) {
  if (!b->o->why) b->o->why = why;
  return open_number(b->o, RAT_0);
}

static uint32_t name_number(const Build *b, Sym name) {
  uint32_t i = 0;
  while (i < b->s->n_names && b->s->names[i] != name) i++;
  return i;
}

static const OpenBind *find(const Build *b, Sym name) {
  for (size_t i = b->env.len; i-- > b->scope;)
    if (b->env.at[i].name == name) return &b->env.at[i];
  return NULL;
}

/* The size of a name of the parameters. */
static const OpenTerm *size_of(Build *b, uint32_t name) {
  if (b->s->fixed[name] >= 0) return open_number(b->o, rat_int(b->s->fixed[name]));
  if (!b->s->follows[name]) return open_var(b->o, name);
  if (++b->depth > MAX_DEPTH) return give_up(b, "sizes that follow from each other");
  const OpenTerm *t = build(b, b->s->follows[name]);
  b->depth--;
  return t;
}

static const AstParam *param_of(const Build *b, Sym name, uint32_t *number) {
  const AstLemma *l = &b->s->item->lemma;
  for (*number = 0; *number < l->n_params; ++*number)
    if (l->params[*number].name == name) return &l->params[*number];
  return NULL;
}

/* Elements of a dimension. */
static const OpenTerm *extent(Build *b, const AstPattern *p) {
  const OpenTerm *n = open_number(b->o, RAT_1);
  for (uint32_t j = 0; j < p->n; j++) n = open_mul(b->o, n, size_of(b, name_number(b, p->digit[j].name)));
  return n;
}

/* ---- elements ---- */

/* The row-major position of digits. */
static const OpenTerm *flat(Build *b, const AstPattern *p, const AstExpr *e) {
  if (e->kind != EX_TUPLE) return build(b, e);
  if (e->n_args != p->n) return give_up(b, "digits that a dimension does not have");
  const OpenTerm *at = open_number(b->o, RAT_0);
  for (uint32_t j = 0; j < p->n; j++) {
    const OpenTerm *size = size_of(b, name_number(b, p->digit[j].name));
    at = open_add(b->o, open_mul(b->o, at, size), build(b, e->args[j]));
  }
  return at;
}

static OpenType type_of(const Build *b, Sym param) {
  Sym t = lemma_type(b->s->item, param);
  DType type;
  if (!t) return OPEN_REAL;
  if (!strcmp(sym_text(t), "bool")) return OPEN_TRUTH;
  if (!strcmp(sym_text(t), "int") || !strcmp(sym_text(t), "sint") || !strcmp(sym_text(t), "uint")) return OPEN_INT;
  DKind kind = dtype_parse(sym_text(t), strlen(sym_text(t)), &type) ? dtype_kind(type) : DK_FLOAT;
  return kind == DK_BOOL ? OPEN_TRUTH : kind == DK_INT || kind == DK_UINT ? OPEN_INT : OPEN_REAL;
}

/* Positions of a read; with `inside`, whether all are in range. */
static const OpenTerm *element(Build *b, const AstExpr *e, bool inside) {
  uint32_t number;
  const AstParam *p = param_of(b, e->name, &number);
  if (b->scope || !p || e->n_devices || e->graph || e->n_args != p->n_dims || p->n_dims > MAX_DIMS)
    return give_up(b, "a read of another kind");
  const OpenTerm *at[MAX_DIMS], *all = open_number(b->o, RAT_1);
  for (uint32_t d = 0; d < p->n_dims; d++) {
    bool group = p->dims[d].n == 1 && p->dims[d].digit->form == FORM_GROUP;
    bool own = group && e->args[d]->name == p->dims[d].digit->name; /* another one has other sizes, if as many positions */
    if (p->dims[d].at || own != (e->args[d]->kind == EX_GROUP) || own != group) return give_up(b, "positions of a group");
    at[d] = flat(b, &p->dims[d], e->args[d]);
    if (!inside || group) continue;
    const OpenTerm *low = open_compare(b->o, OPEN_LESS, at[d], open_number(b->o, RAT_0));
    const OpenTerm *high = open_compare(b->o, OPEN_LESS, at[d], extent(b, &p->dims[d]));
    all = open_and(b->o, all, open_and(b->o, open_not(b->o, low), high));
  }
  return inside ? all : open_read(b->o, number, type_of(b, p->name), at, p->n_dims);
}

/* ---- names ---- */

static const OpenTerm *named(Build *b, const AstExpr *e) {
  const OpenBind *known = find(b, e->name);
  if (known) return known->value;
  if (b->scope || e->graph) return give_up(b, "a name of another kind");
  if (e->kind == EX_NAME) {
    uint32_t number;
    const AstParam *p = param_of(b, e->name, &number);
    if (p && !p->n_dims) return element(b, e, false);
  }
  uint32_t k = name_number(b, e->name);
  if (k == b->s->n_names) return give_up(b, "a name of another kind");
  return open_var(b->o, k < b->s->n_names - b->s->n_attrs ? OPEN_INDEX + k : k);
}

static const OpenTerm *size_by_name(Build *b, Sym name) {
  const OpenBind *known = find(b, name);
  if (known) return known->size ? known->size : give_up(b, "a size of what is no index");
  uint32_t k = name_number(b, name);
  return k < b->s->n_names && !b->scope ? size_of(b, k) : give_up(b, "a size that is not known");
}

static const OpenTerm *builtin(Build *b, const AstExpr *e) {
  switch ((AstBuiltin)e->builtin) {
    case BUILTIN_INSIDE: return element(b, e->args[0], true);
    case BUILTIN_SIZE:
      if (e->args[0]->kind != EX_NAME) return give_up(b, "sizes of a group");
      return size_by_name(b, e->args[0]->name);
    case BUILTIN_COUNT: {
      const OpenTerm *n = open_number(b->o, RAT_1);
      for (uint32_t i = 0; i < e->n_args; i++) n = open_mul(b->o, n, size_by_name(b, e->args[i]->name));
      return n;
    }
    default: return give_up(b, "a function of shapes");
  }
}

/* ---- reductions ---- */

/* The size of a bound index from its first use alone in a bracket; NULL: none. */
static const OpenTerm *used_size(Build *b, const AstExpr *e, Sym name) {
  uint32_t number;
  const AstParam *p = e->kind == EX_READ ? param_of(b, e->name, &number) : NULL;
  for (uint32_t d = 0; p && e->n_args == p->n_dims && d < e->n_args; d++) {
    bool alone = e->args[d]->kind == EX_NAME && e->args[d]->name == name;
    if (alone && !(p->dims[d].n == 1 && p->dims[d].digit->form == FORM_GROUP)) return extent(b, &p->dims[d]);
  }
  for (uint32_t i = 0; i < e->n_args; i++) {
    const OpenTerm *n = used_size(b, e->args[i], name);
    if (n) return n;
  }
  return NULL;
}

/* The k-th binder of a reduction, around those after it. */
static const OpenTerm *reduce(Build *b, const AstExpr *e, uint32_t k) {
  if (k == e->n_binders) return build(b, e->args[0]);
  const AstIndex *i = &e->binders[k];
  uint32_t var = OPEN_BINDER + b->binders++, number = name_number(b, i->name);
  const OpenTerm *size = NULL;
  if (i->form == FORM_OPERANDS || b->scope) return give_up(b, "a sum over operands");
  if (i->size) size = i->form == FORM_INDEX ? build(b, i->size) : give_up(b, "sizes of a group");
  else if (number < b->s->n_names) size = size_of(b, number);
  else if (i->form == FORM_INDEX) size = used_size(b, e->args[0], i->name);
  if (!size) return give_up(b, "a size that is not known");
  vec_push(&b->env, (OpenBind){i->name, open_var(b->o, var), size});
  const OpenTerm *body = reduce(b, e, k + 1);
  vec_pop(&b->env);
  if (e->kind == EX_SUM) return open_fold(b->o, OPEN_SUM, var, size, body);
  const OpenTerm *minus = open_number(b->o, RAT_NEG1);
  if (e->kind == EX_MAX) return open_fold(b->o, OPEN_MAX, var, size, body);
  return open_mul(b->o, minus, open_fold(b->o, OPEN_MAX, var, size, open_mul(b->o, minus, body)));
}

/* ---- expressions ---- */

static const OpenTerm *macro(Build *b, const AstItem *fn, const OpenTerm *const *x) {
  size_t env = b->env.len, scope = b->scope;
  for (uint32_t i = 0; i < fn->fn.n_params; i++) vec_push(&b->env, (OpenBind){fn->fn.params[i].name, x[i], NULL});
  b->scope = env;
  const OpenTerm *t = build(b, fn->fn.body);
  b->scope = scope;
  b->env.len = env;
  return t;
}

static const OpenTerm *call(Build *b, const AstExpr *e) {
  const AstItem *fn = library_fn(b->library, e->name);
  bool root = e->name == sym("sqrt"), inverse = e->name == sym("rsqrt");
  FnId f = fn_find(e->name);
  uint32_t n = fn ? fn->fn.n_params : root || inverse ? 1 : f == FN_COUNT ? 0 : fn_arity(f);
  if (!n || n != e->n_args || n > MAX_ARGS) return give_up(b, "a function it does not know");
  const OpenTerm *x[MAX_ARGS];
  for (uint32_t i = 0; i < n; i++) x[i] = build(b, e->args[i]);
  if (fn) return macro(b, fn, x);
  return root || inverse ? open_power(b->o, x[0], rat_frac(root ? 1 : -1, 2)) : open_fn(b->o, f, x, n);
}

/* A condition: of a number, whether it is not 0. */
static const OpenTerm *truth(Build *b, const AstExpr *e) {
  const OpenTerm *t = build(b, e);
  return t->type == OPEN_TRUTH ? t : open_not(b->o, open_compare(b->o, OPEN_EQUAL, t, open_number(b->o, RAT_0)));
}

static const OpenTerm *or_of(OpenTerms *o, const OpenTerm *x, const OpenTerm *y) {
  return open_not(o, open_and(o, open_not(o, x), open_not(o, y)));
}

static const OpenTerm *let(Build *b, const AstExpr *e) {
  vec_push(&b->env, (OpenBind){e->name, build(b, e->args[0]), NULL});
  const OpenTerm *t = build(b, e->args[1]);
  vec_pop(&b->env);
  return t;
}

static const OpenTerm *pair(Build *b, const AstExpr *e) {
  OpenTerms *o = b->o;
  bool logic = e->kind == EX_AND || e->kind == EX_OR;
  const OpenTerm *x = logic ? truth(b, e->args[0]) : build(b, e->args[0]);
  const OpenTerm *y = logic ? truth(b, e->args[1]) : build(b, e->args[1]);
  switch ((AstKind)e->kind) {
    case EX_ADD: return open_add(o, x, y);
    case EX_SUB: return open_sub(o, x, y);
    case EX_MUL: return open_mul(o, x, y);
    case EX_DIV: return open_mul(o, x, open_power(o, y, RAT_NEG1));
    case EX_POW: return y->kind == OPEN_NUMBER ? open_power(o, x, y->k) : give_up(b, "a power that is no number");
    case EX_EQ: return open_compare(o, OPEN_EQUAL, x, y);
    case EX_NE: return open_not(o, open_compare(o, OPEN_EQUAL, x, y));
    case EX_LT: return open_compare(o, OPEN_LESS, x, y);
    case EX_GT: return open_compare(o, OPEN_LESS, y, x);
    case EX_LE: return open_not(o, open_compare(o, OPEN_LESS, y, x));
    case EX_GE: return open_not(o, open_compare(o, OPEN_LESS, x, y));
    case EX_AND: return open_and(o, x, y);
    default: return or_of(o, x, y);
  }
}

static const OpenTerm *build(Build *b, const AstExpr *e) {
  OpenTerms *o = b->o;
  if (o->why || ++b->depth > MAX_DEPTH) return give_up(b, "it is nested too deep");
  const OpenTerm *t;
  switch ((AstKind)e->kind) {
    case EX_RAT: t = rat_is_finite(e->value) ? open_number(o, e->value) : give_up(b, "an infinity"); break;
    case EX_NAME:
    case EX_GROUP: t = e->at ? give_up(b, "positions of a group") : named(b, e); break;
    case EX_READ: t = element(b, e, false); break;
    case EX_CALL: t = call(b, e); break;
    case EX_BUILTIN: t = builtin(b, e); break;
    case EX_SUM:
    case EX_MAX:
    case EX_MIN: t = reduce(b, e, 0); break;
    case EX_NEG: t = open_mul(o, open_number(o, RAT_NEG1), build(b, e->args[0])); break;
    case EX_NOT: t = open_not(o, truth(b, e->args[0])); break;
    case EX_ADD:
    case EX_SUB:
    case EX_MUL:
    case EX_DIV:
    case EX_POW:
    case EX_EQ:
    case EX_NE:
    case EX_LT:
    case EX_LE:
    case EX_GT:
    case EX_GE:
    case EX_AND:
    case EX_OR: t = pair(b, e); break;
    case EX_IF: t = open_if(o, truth(b, e->args[0]), build(b, e->args[1]), build(b, e->args[2])); break;
    case EX_LET: t = let(b, e); break;
    default: t = give_up(b, "an expression of another kind");
  }
  b->depth--;
  return t;
}

/* ---- the lemma ---- */

typedef struct Conditions {
  Build *b;
  OpenLemma *out;
} Conditions;

static void add_condition(void *context, const AstExpr *e) {
  Conditions *c = context;
  if (e->kind != EX_IS) vec_push(&c->out->where, build(c->b, e));
}

/* The sides are compared at every value of it: what is only bound may have the size 0. */
static bool is_free(const OpenLemma *l, uint32_t index) {
  bool is = open_has(l->left, index) || open_has(l->right, index);
  for (size_t i = 0; i < l->where.len; i++) is |= open_has(l->where.at[i], index);
  return is;
}

static void need(OpenLemma *l, OpenAssumption kind, const OpenTerm *p) {
  if (p->kind == OPEN_NUMBER) return;
  vec_push(&l->value, p);
  l->assumptions |= kind;
}

/* No denominator is 0, nothing under an even root negative, no maximum over nothing. */
static void ask_value(OpenTerms *o, const OpenTerm *t, OpenLemma *l) {
  const OpenTerm *zero = open_number(o, RAT_0);
  bool fold = t->kind == OPEN_SUM || t->kind == OPEN_MAX;
  for (uint32_t i = 0; i < t->n && !(fold && i); i++) ask_value(o, t->args[i], l);
  if (t->kind == OPEN_MAX) need(l, OPEN_NONEMPTY, open_compare(o, OPEN_LESS, zero, t->args[0]));
  if (t->kind != OPEN_POWER) return;
  if (rat_sign(t->k) < 0) need(l, OPEN_NONZERO, open_not(o, open_compare(o, OPEN_EQUAL, t->args[0], zero)));
  if (!rat_is_int(t->k)) need(l, OPEN_ROOTS, open_not(o, open_compare(o, OPEN_LESS, t->args[0], zero)));
}

bool open_lemma(OpenTerms *o, const Shapes *s, const Library *library, OpenLemma *out) {
  Build b = {.o = o, .s = s, .library = library};
  const AstLemma *l = &s->item->lemma;
  const OpenTerm *zero = open_number(o, RAT_0);
  for (uint32_t k = 0; k < s->n_names - s->n_attrs; k++) {
    const OpenTerm *size = size_of(&b, k);
    if (size->kind == OPEN_VAR) {
      vec_push(&out->sizes, size->id);
      vec_push(&out->where, open_not(o, open_compare(o, OPEN_LESS, size, zero)));
    }
  }
  for (uint32_t k = 0; k < l->n_attrs; k++)
    if (strcmp(sym_text(l->attrs[k].type), "int")) give_up(&b, "an attribute that is no integer");
  Conditions c = {&b, out};
  lemma_conjuncts(l->when, add_condition, &c);
  out->left = build(&b, l->equation->args[0]);
  out->right = build(&b, l->equation->args[1]);
  for (uint32_t k = 0; k < s->n_names - s->n_attrs && !o->why; k++) {
    if (!is_free(out, OPEN_INDEX + k)) continue;
    const OpenTerm *i = open_var(o, OPEN_INDEX + k);
    vec_push(&out->where, open_not(o, open_compare(o, OPEN_LESS, i, zero)));
    vec_push(&out->where, open_compare(o, OPEN_LESS, i, size_of(&b, k)));
  }
  for (int i = 0; i < 2 && !o->why; i++) ask_value(o, i ? out->right : out->left, out);
  vec_free(&b.env);
  return !o->why;
}
