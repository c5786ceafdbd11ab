#include "eval/prove/equation.h"

#include <string.h>

#include "eval/calculus/match.h"
#include "eval/terms/build_access.h"

enum { MAX_PARAMS = 12, BUDGET = 2000, FIRST_SIZE = 5, PARTS = 20000, GUARD = 2 };

/* ---- which lemmas ---- */

typedef struct Labels { /* the indices of a lemma, by name */
  uint32_t n;
  Sym name[EQUATION_LABELS];
  bool moves[EQUATION_LABELS]; /* read at another place than its own, or bound: its size matters */
} Labels;

static uint32_t label_of(Labels *l, Sym name) {
  uint32_t i = 0;
  while (i < l->n && l->name[i] != name) i++;
  if (i == l->n && l->n < EQUATION_LABELS) l->name[l->n++] = name;
  return i;
}

static const AstParam *param_named(const AstLemma *l, Sym name) {
  for (uint32_t p = 0; p < l->n_params; p++)
    if (l->params[p].name == name) return &l->params[p];
  return NULL;
}

/* Marks what moves; false: an operand is read in a way that is not used here. */
static bool look(const AstLemma *l, const AstExpr *e, Labels *labels) {
  for (uint32_t i = 0; i < e->n_binders; i++) {
    for (uint32_t k = 0; k < labels->n; k++) labels->moves[k] |= labels->name[k] == e->binders[i].name;
    if (e->binders[i].form == FORM_GROUP) return false;
  }
  const AstParam *p = e->kind == EX_READ ? param_named(l, e->name) : NULL;
  if (e->kind == EX_READ && (!p || e->n_args != p->n_dims || e->n_devices)) return false;
  for (uint32_t d = 0; p && d < p->n_dims; d++) {
    const AstExpr *at = e->args[d];
    bool group = p->dims[d].digit->form == FORM_GROUP;
    if (group != (at->kind == EX_GROUP) || (!group && at->kind != EX_NAME)) return false;
    if (group && at->name != p->dims[d].digit->name) return false;
    if (!group && at->name != p->dims[d].digit->name) labels->moves[label_of(labels, p->dims[d].digit->name)] = true;
  }
  for (uint32_t i = 0; i < e->n_args; i++)
    if (!look(l, e->args[i], labels)) return false;
  return true;
}

/* The indices of a lemma that can be used; false: it cannot. */
static bool labels_of(const AstLemma *l, Labels *out) {
  *out = (Labels){0};
  if (l->n_attrs || !l->n_params || l->n_params > MAX_PARAMS || l->equation->kind != EX_EQ) return false;
  for (uint32_t p = 0; p < l->n_params; p++)
    for (uint32_t d = 0; d < l->params[p].n_dims; d++) {
      const AstPattern *x = &l->params[p].dims[d];
      if (x->n != 1 || x->at || l->params[p].variadic || x->digit->size) return false;
      if (x->digit->form != FORM_GROUP && label_of(out, x->digit->name) == EQUATION_LABELS) return false;
    }
  return look(l, l->equation, out) && (!l->when || look(l, l->when, out));
}

/* The sides without a condition, and the guard. */
static Lemma of_any_size(const AstItem *item, Arena *a) {
  AstItem *plain = ARENA_NEW(a, AstItem);
  *plain = *item;
  plain->lemma.when = NULL;
  Lemma out = lemma_of(plain, ".any", NULL, NULL, a), whole = lemma_of(item, ".any", NULL, NULL, a);
  if (!(out.guard = whole.guard)) return out;
  AstItem **items = ARENA_ARRAY(a, AstItem *, 3), *guard = ARENA_NEW(a, AstItem);
  memcpy(items, out.sides->items, 2 * sizeof *items);
  *guard = *whole.sides->items[2];
  guard->op.when = NULL;
  items[2] = guard;
  out.sides->items = items;
  out.sides->n_items = 3;
  return out;
}

Equations equations_of(Library *library, Instances *instances, EquationUses *uses, Arena *a, Diags *diags) {
  uint32_t n_lemmas;
  const AstItem *const *lemmas = library_lemmas(library, &n_lemmas);
  Vec(const AstItem *) items = {0}; /* the library grows */
  for (uint32_t i = 0; i < n_lemmas; i++) vec_push(&items, lemmas[i]);
  Vec(Equation) found = {0};
  for (size_t i = 0; i < items.len; i++) {
    Labels labels;
    uint32_t known;
    const AstItem *item = items.at[i];
    if (library_is_axiom(library, item)) continue; /* built in, or a rewrite */
    if (lemma_is_rewrite(library, &item->lemma) || !labels_of(&item->lemma, &labels)) continue;
    Lemma l = lemma_of(item, "", NULL, NULL, lemma_arena(library, item, "", a));
    Lemma any = of_any_size(item, lemma_arena(library, item, ".any", a));
    library_ops(library, any.right, &known);
    if (!known) library_add(library, any.sides);
    library_ops(library, l.right, &known);
    if (!known) library_add(library, l.sides);
    vec_push(&found, (Equation){l, {any.left, any.right, any.guard}, lemma_text(diags_sources(diags), item, a)});
  }
  vec_free(&items);
  Equations out = {(uint32_t)found.len, arena_copy(a, found.at, found.len * sizeof *found.at), instances, uses};
  vec_free(&found);
  return out;
}

/* ---- a side as a value ---- */

/* The indices and operands of one use: as a pattern (one name an index, operands are leaves), or as found. */
typedef struct Use {
  const Equations *all;
  const Equation *equation;
  Calculus *c;
  Arena *arena;
  Labels labels;
  uint32_t number[EQUATION_LABELS]; /* of the pattern's index, for labels that move */
  Match match;
  Value pattern, by;
  uint32_t from;
  bool ordered;
} Use;

typedef struct Hand {
  const Use *use;
  const Instance *in;
  bool found;            /* operands are what was found; else leaves */
  NameList *names;       /* by variable */
  const uint32_t *label; /* by variable; EQUATION_LABELS: of size 1 */
  Value *memo;
  bool *done, failed;
} Hand;

static bool moves(const Use *u, Sym label) {
  for (uint32_t k = 0; k < u->labels.n; k++)
    if (u->labels.name[k] == label) return u->labels.moves[k];
  return false;
}

static int64_t size_of(const Use *u, Sym label, bool found) {
  uint32_t k = 0;
  while (k < u->labels.n && u->labels.name[k] != label) k++;
  if (k == u->labels.n || !u->labels.moves[k]) return 1;
  const MatchIndex *x = &u->match.indices[u->number[k]];
  int64_t n = 1;
  for (uint32_t d = 0; d < x->n; d++) n *= x->size[d];
  return found ? n : x->pattern_size;
}

/* The operator at these sizes, over operands of the lemma; NULL: its condition does not hold. */
static const Instance *instance_at(const Use *u, Sym op, bool found) {
  const Lemma *shape = &u->equation->lemma;
  const AstLemma *l = &shape->item->lemma;
  Graph *g = graph_new();
  NodeId *args = ARENA_ARRAY(&g->arena, NodeId, l->n_params);
  for (uint32_t p = 0; p < l->n_params; p++) {
    Node n = {.op = sym("parameter"), .param = p, .dtype = u->match.params[p].integer ? DT_S32 : DT_F32};
    int64_t *dims = ARENA_ARRAY(&g->arena, int64_t, l->params[p].n_dims + 1);
    for (uint32_t d = 0; d < l->params[p].n_dims; d++)
      if (l->params[p].dims[d].digit->form != FORM_GROUP)
        dims[n.rank++] = size_of(u, l->params[p].dims[d].digit->name, found);
    n.dims = dims;
    args[p] = graph_add(g, &n);
  }
  Node n = {.op = op, .dtype = DT_F32, .n_args = l->n_params, .args = args};
  int64_t *dims = ARENA_ARRAY(&g->arena, int64_t, shape->n_dims + 1);
  for (uint32_t d = 0; d < shape->n_dims; d++)
    if (shape->dims[d].digit->form != FORM_GROUP) dims[n.rank++] = size_of(u, shape->dims[d].digit->name, found);
  n.dims = dims;
  NodeId id = graph_add(g, &n);
  Sources *none = sources_new();
  Diags *quiet = diags_new(none);
  const Instance *in = instance_of(u->all->instances, g, id, quiet);
  bool ok = in && !in->opaque && in->body != NO_X && !diag_errors(quiet);
  diags_free(quiet);
  sources_free(none);
  graph_free(g);
  return ok ? in : NULL;
}

static Value fail(Hand *s) {
  s->failed = true;
  return VALUE_ZERO;
}

static Value side_value(Hand *s, XId id);

/* Operand p, whose dimensions are read at the names of these variables. */
static Value operand(Hand *s, const X *x) {
  const Use *u = s->use;
  const AstParam *p = &u->equation->lemma.item->lemma.params[x->operand];
  const MatchParam *m = &u->match.params[x->operand];
  Subst sub = {0};
  Name leaf[EQUATION_LABELS];
  int64_t sizes[EQUATION_LABELS];
  uint32_t at = 0, n = 0;
  for (uint32_t d = 0; d < p->n_dims; d++) {
    if (p->dims[d].digit->form == FORM_GROUP) continue;
    if (at == x->n || x->mode != READ_AT) return fail(s);
    const Ix *ix = &x->ix[at++];
    if (!moves(u, p->dims[d].digit->name)) continue;
    if (ix->dyn != NO_X || ix->constant || ix->n_terms != 1 || ix->terms->coef != 1 || n == EQUATION_LABELS) return fail(s);
    const NameList *names = &s->names[ix->terms->var];
    if (!s->found && names->len != 1) return fail(s);
    for (uint32_t j = 0; s->found && j < names->len; j++)
      subst_put(&sub, match_formal(u->c, n, j, calculus_name_info(u->c, names->at[j])->size), names->at[j]);
    if (!s->found) leaf[n] = names->at[0], sizes[n] = calculus_name_info(u->c, names->at[0])->size;
    n++;
  }
  if (s->found) return m->found ? calc_rename(u->c, m->value, &sub) : fail(s);
  return calc_leaf(u->c, m->leaf, leaf, sizes, NULL, n, (LeafInfo){.integer = m->integer});
}

static Form index_form(const Hand *s, const Ix *ix) {
  Form f = {ix->constant, 0, NULL};
  for (uint32_t t = 0; t < ix->n_terms; t++) {
    const NameList *l = &s->names[ix->terms[t].var];
    int64_t stride = ix->terms[t].coef;
    for (size_t j = l->len; j-- > 0; stride *= calculus_name_info(s->use->c, l->at[j])->size) {
      Form g = {0, 1, &(FormTerm){stride, l->at[j]}};
      f = access_add(s->use->arena, f, g);
    }
  }
  return f;
}

static Value reduced(Hand *s, const X *x) {
  Calculus *c = s->use->c;
  Vec(Name) bound = {0};
  Value v = side_value(s, x->args[0]);
  if (x->kind == X_MIN) v = value_neg(v);
  for (uint32_t i = 0; i < x->n_vars; i++)
    for (size_t j = 0; j < s->names[x->vars[i]].len; j++) vec_push(&bound, s->names[x->vars[i]].at[j]);
  if (!s->failed && x->kind == X_SUM) v = calc_sum(c, bound.at, (uint32_t)bound.len, v);
  if (!s->failed && x->kind != X_SUM) v = calc_max(c, &v, 1, bound.at, (uint32_t)bound.len);
  if (x->kind == X_MIN) v = value_neg(v);
  vec_free(&bound);
  return v;
}

static Value side_x(Hand *s, const X *x) {
  Value buf[8];
  switch ((XKind)x->kind) {
    case X_RAT: return value_num(x->r);
    case X_READ: return x->group == NO_VAR && !x->permuted ? operand(s, x) : fail(s);
    case X_INDEX: {
      if (x->ix->dyn != NO_X) return fail(s);
      Form f = index_form(s, x->ix);
      Value v = value_num(rat_int(f.constant));
      for (uint32_t t = 0; t < f.n; t++) {
        int64_t size = calculus_name_info(s->use->c, f.terms[t].name)->size;
        v = calc_add2(s->use->c, v, value_scale(rat_int(f.terms[t].coef), calc_idx(s->use->c, f.terms[t].name, size)));
      }
      return v;
    }
    case X_SUM:
    case X_MAX:
    case X_MIN: return reduced(s, x);
    case X_INF:
    case X_COORD: return fail(s);
    default: break;
  }
  if (x->n > 8) return fail(s);
  for (uint32_t i = 0; i < x->n; i++) buf[i] = side_value(s, x->args[i]);
  return s->failed ? VALUE_ZERO : build_apply(s->use->c, x, buf);
}

static Value side_value(Hand *s, XId id) {
  if (s->failed || s->done[id]) return s->failed ? VALUE_ZERO : s->memo[id];
  Value v = side_x(s, &s->in->x[id]);
  s->done[id] = true;
  return s->memo[id] = v;
}

/* Names for the variables of an instance: which index each is was seen at the sizes of the pattern. */
static bool name_variables(Hand *s, const Instance *pattern) {
  const Use *u = s->use;
  s->names = ARENA_ARRAY(u->arena, NameList, s->in->n_vars + 1);
  if (pattern->n_vars != s->in->n_vars || pattern->n_x != s->in->n_x) return false;
  for (uint32_t v = 0; v < s->in->n_vars; v++) {
    if (pattern->vars[v].size == 1) continue;
    uint32_t k = 0;
    while (k < u->match.n_indices && u->match.indices[k].pattern_size != pattern->vars[v].size) k++;
    if (k == u->match.n_indices || pattern->vars[v].kind != VAR_BOUND) return false;
    const MatchIndex *x = &u->match.indices[k];
    for (uint32_t d = 0; s->found && d < x->n; d++) vec_push(&s->names[v], calculus_fresh(u->c, x->size[d]));
    if (!s->found) vec_push(&s->names[v], calculus_fresh(u->c, x->pattern_size));
  }
  return true;
}

static bool side_make(const Use *u, uint32_t side, bool found, Value *out) {
  const Instance *pattern = instance_at(u, u->equation->side[side], false);
  Hand s = {.use = u, .in = pattern && found ? instance_at(u, u->equation->side[side], true) : pattern, .found = found};
  if (!s.in) return false;
  s.memo = ARENA_ARRAY(u->arena, Value, s.in->n_x + 1);
  s.done = ARENA_ARRAY(u->arena, bool, s.in->n_x + 1);
  if (!name_variables(&s, pattern)) s.failed = true;
  *out = side_value(&s, s.in->body);
  for (uint32_t v = 0; s.names && v < s.in->n_vars; v++) vec_free(&s.names[v]);
  return !s.failed;
}

/* ---- use ---- */

static void record(const Use *u) {
  EquationUses *all = u->all->uses;
  EquationUse use = {.lemma = u->equation->lemma.item};
  for (uint32_t k = 0; k < u->labels.n; k++) {
    if (!u->labels.moves[k]) continue;
    use.index[use.n] = u->labels.name[k];
    use.size[use.n++] = size_of(u, u->labels.name[k], true);
  }
  for (size_t i = 0; i < all->len; i++)
    if (all->at[i].lemma == use.lemma && !memcmp(all->at[i].size, use.size, sizeof use.size)) return;
  vec_push(all, use);
}

static bool accept(void *context, Match *m) {
  Use *u = context;
  Value l, r;
  if (!instance_at(u, u->equation->lemma.left, true)) return false; /* not of these sizes */
  if (!side_make(u, u->from, true, &l) || !side_make(u, !u->from, true, &r)) return false;
  Value holds = VALUE_ONE;
  if (u->equation->side[GUARD] && !side_make(u, GUARD, true, &holds)) return false;
  if (!calc_holds(u->c, holds)) return false;
  if (l.k == RAT_0 || l.ref != m->part.ref || value_same(l, r)) return false;
  if (u->ordered && (value_is_num(r) || r.ref > l.ref)) return false;
  r = value_scale(rat_div(m->part.k, l.k), r);
  record(u);
  bool whole = m->rest.k == RAT_0;
  u->by = whole ? r : m->product ? calc_mul2(u->c, r, m->rest) : calc_add2(u->c, r, m->rest);
  return true;
}

static bool replace(void *context, Value part, Value *by) {
  Use *u = context;
  if (!calc_match(u->c, u->pattern, part, &u->match, BUDGET, accept, u)) return false;
  *by = u->by;
  return true;
}

static int64_t next_prime(int64_t n) {
  for (;; n++) {
    bool prime = true;
    for (int64_t d = 2; d * d <= n; d++) prime &= n % d != 0;
    if (prime) return n;
  }
}

/* Makes the pattern of the side looked for; false: the equation says nothing new. */
static bool begin(Use *u, uint32_t k, EquationWay way, MatchIndex *indices, MatchParam *params) {
  u->equation = &u->all->at[k];
  u->from = way == EQUATION_RIGHT;
  u->ordered = way == EQUATION_ORDERED;
  const AstLemma *l = &u->equation->lemma.item->lemma;
  labels_of(l, &u->labels);
  int64_t size = FIRST_SIZE - 1;
  u->match = (Match){.params = params, .n_params = l->n_params, .indices = indices};
  for (uint32_t i = 0; i < u->labels.n; i++) {
    if (!u->labels.moves[i]) continue;
    u->number[i] = u->match.n_indices;
    indices[u->match.n_indices++].pattern_size = size = next_prime(size + 1);
  }
  for (uint32_t p = 0; p < l->n_params; p++) {
    params[p].leaf = sym(arena_printf(u->arena, "%s.%s", sym_text(u->equation->lemma.name), sym_text(l->params[p].name)));
    params[p].integer = lemma_type(u->equation->lemma.item, l->params[p].name) == sym("int");
  }
  calculus_scope(u->c);
  Value other;
  return side_make(u, u->from, false, &u->pattern) &&
         !(side_make(u, !u->from, false, &other) && value_same(u->pattern, other));
}

bool equation_says_something(const Equations *all, uint32_t k, EquationWay way, Calculus *c) {
  Arena arena = {0};
  Use u = {.all = all, .c = c, .arena = &arena};
  bool does = begin(&u, k, way, (MatchIndex[EQUATION_LABELS]){0}, (MatchParam[MAX_PARAMS]){0});
  arena_free(&arena);
  return does;
}

Value equation_use(const Equations *all, uint32_t k, EquationWay way, Calculus *c, Value v) {
  Arena arena = {0};
  Use u = {.all = all, .c = c, .arena = &arena};
  uint32_t budget = PARTS;
  bool usable = begin(&u, k, way, (MatchIndex[EQUATION_LABELS]){0}, (MatchParam[MAX_PARAMS]){0});
  if (usable && !calc_matches_nowhere(c, u.pattern, v)) v = calc_replace(c, v, &budget, replace, &u);
  arena_free(&arena);
  return v;
}
