/* Operators that cannot be read as an equation: unknown functions of their operands.
 *
 * Equal operators of equal types, shapes and attributes are one function.  Dimensions that are independent of each other
 * (*batch*) keep their indices, and their sizes do not matter; all others are consumed, those of the result produced.  An
 * operator without an equation says in its definition which they are.  One whose equation does not fit the digits is
 * unknown along some dimensions only: it is independent along an index that every read of an operand has plainly, in
 * one place, or not at all.  What it computes then is what its equation says, so that is its identity. */
#include <stdarg.h>
#include <string.h>

#include "eval/exact/order.h"
#include "eval/terms/build_access.h"

/* What an unknown function is independent over: as in Instance. */
typedef struct Batch {
  bool *of;          /* by dimension of the result */
  int32_t **operand; /* [operand][dimension of the result]; -1: the operand does not have it */
  bool derived;      /* from an equation: that is the function's identity */
} Batch;

/* ---- from an equation */
/* Index k of a read is the plain variable v. */
static bool is_plain(const Ix *ix, VarId v) {
  return ix->n_terms == 1 && ix->terms[0].var == v && ix->terms[0].coef == 1 && !ix->constant && ix->dyn == NO_X;
}

static bool mentions(const Ix *ix, VarId v) {
  for (uint32_t t = 0; t < ix->n_terms; t++)
    if (ix->terms[t].var == v) return true;
  return false;
}

/* Where a read has v: the place, -1 nowhere, -2 otherwise than plainly in one place. */
static int32_t place_of(const X *x, VarId v) {
  int32_t at = -1;
  for (uint32_t k = 0; k < x->n; k++) {
    if (!mentions(&x->ix[k], v)) continue;
    if (at != -1 || x->kind != X_READ || x->mode != READ_AT || !is_plain(&x->ix[k], v)) return -2;
    at = (int32_t)k;
  }
  return at;
}

/* The equation is independent over dimension d of the result, variable v. */
static bool independent(const Instance *in, const Node *n, const Graph *g, uint32_t d, VarId v, Batch *b) {
  for (uint32_t k = 0; k < n->n_args; k++) b->operand[k][d] = -1;
  bool *seen = xcalloc(n->n_args + 1, 1), ok = true;
  for (uint32_t i = 0; i < in->n_x && ok; i++) {
    const X *x = &in->x[i];
    if (x->kind != X_READ && x->kind != X_INDEX) continue;
    int32_t at = place_of(x, v);
    if (x->kind == X_INDEX || x->operand >= n->n_args) {
      ok = at == -1;
      continue;
    }
    const Node *arg = &g->nodes.at[n->args[x->operand]];
    ok = at != -2 && (!seen[x->operand] || b->operand[x->operand][d] == at) &&
         (at < 0 || arg->dims[at] == n->dims[d]);
    seen[x->operand] = true;
    b->operand[x->operand][d] = at;
  }
  free(seen);
  return ok;
}

static Batch batch_of(Build *b, const Graph *g, const Node *n, const Instance *in) {
  Batch t = {ARENA_ARRAY(&b->arena, bool, n->rank + 1), ARENA_ARRAY(&b->arena, int32_t *, n->n_args + 1), false};
  for (uint32_t k = 0; k < n->n_args; k++) {
    t.operand[k] = ARENA_ARRAY(&b->arena, int32_t, n->rank + 1);
    for (uint32_t d = 0; d < n->rank; d++) t.operand[k][d] = in && in->batch ? in->batch_arg[k][d] : -1;
  }
  for (uint32_t d = 0; d < n->rank; d++) t.of[d] = in && in->batch && in->batch[d];
  if (!in || in->opaque || in->body == NO_X || in->groups || in->pairs || in->n_out != n->rank) return t;
  for (uint32_t i = 0; i < in->n_x; i++)
    if (in->x[i].kind == X_COORD || in->x[i].permuted || (in->x[i].kind == X_READ && in->x[i].group != NO_VAR)) return t;
  t.derived = true;
  for (uint32_t d = 0; d < n->rank; d++)
    t.of[d] = in->out[d].n == 1 && independent(in, n, g, d, in->out[d].vars[0], &t);
  return t;
}

/* ---- which function it is */
typedef Vec(char) Text;

static void say(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(Text *t, const char *fmt, ...) {
  char buf[256];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  assert(n >= 0 && (size_t)n < sizeof buf); /* numbers only: what may be long goes by put */
  for (int i = 0; i < n; i++) vec_push(t, buf[i]);
}

static void put(Text *t, const char *s) {
  for (; *s; s++) vec_push(t, *s);
}

/* Variables of an equation by number, without those that are independent. */
typedef struct Numbered {
  const Instance *in;
  const Node *node;
  const Graph *g;
  const Batch *batch;
  uint32_t *of; /* by variable */
} Numbered;

/* Whether position p of operand k tells nothing: it is independent there, or has one place, which all reads name. */
static bool is_left_out(const Numbered *m, uint32_t k, uint32_t p) {
  bool out = m->g->nodes.at[m->node->args[k]].dims[p] == 1;
  for (uint32_t i = 0; i < m->in->n_x && out; i++) {
    const X *x = &m->in->x[i];
    const Ix *at = x->kind == X_READ && x->operand == k && p < x->n ? &x->ix[p] : NULL;
    if (at) out = !at->n_terms && !at->constant && at->dyn == NO_X;
  }
  for (uint32_t d = 0; d < m->node->rank && !out; d++)
    out = m->batch->of[d] && m->batch->operand[k][d] == (int32_t)p;
  return out;
}

static void say_ix(Text *t, const Numbered *m, const Ix *ix) {
  say(t, " (%lld", (long long)ix->constant);
  for (uint32_t i = 0; i < ix->n_terms; i++) say(t, " %lldv%u", (long long)ix->terms[i].coef, m->of[ix->terms[i].var]);
  say(t, " %u)", ix->dyn);
}

/* The whole equation; dimensions that are independent have any size, and what has one place is as if it had none. */
static void say_equation(Text *t, const Instance *in, Numbered *m) {
  uint32_t n = 0;
  for (uint32_t v = 0; v < in->n_vars; v++) {
    bool any = false;
    for (uint32_t d = 0; d < in->n_out; d++) any |= m->batch->of[d] && in->out[d].n && in->out[d].vars[0] == v;
    m->of[v] = any ? UINT32_MAX : n++;
    if (!any) say(t, " v%lld", (long long)in->vars[v].size);
  }
  for (uint32_t d = 0; d < in->n_out; d++) {
    if (m->batch->of[d] || !in->out[d].n) continue;
    put(t, " o");
    for (uint32_t k = 0; k < in->out[d].n; k++) say(t, ",%u", m->of[in->out[d].vars[k]]);
  }
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    char buf[64];
    bool reads = x->kind == X_READ && x->operand < m->node->n_args;
    uint32_t left = 0;
    for (uint32_t k = 0; k < x->n; k++) left += !(reads && is_left_out(m, x->operand, k));
    say(t, " x%u.%u.%u.%u.%u ", x->kind, x->mode, x->operand, left, x->n_vars);
    if (x->name) put(t, sym_text(x->name));
    if (x->kind == X_RAT || x->kind == X_POW || x->kind == X_INF) put(t, rat_print(x->r, buf, sizeof buf));
    bool indexed = x->kind == X_READ || x->kind == X_INDEX;
    for (uint32_t k = 0; k < x->n; k++) {
      if (reads && is_left_out(m, x->operand, k)) continue;
      if (indexed) say_ix(t, m, &x->ix[k]);
      else say(t, ",%u", x->args[k]);
    }
    for (uint32_t k = 0; k < x->n_vars; k++) say(t, ";%u", m->of[x->vars[k]]);
  }
  say(t, " =%u", in->body);
}

static void say_attributes(Text *t, const Node *n, Sym except) {
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const Attr *a = &n->attrs[i];
    if (a->name == except) continue;
    const char *text = a->kind == ATTR_SYM ? sym_text(a->s) : "";
    char buf[64];
    put(t, " ");
    put(t, sym_text(a->name));
    say(t, "=%u:%zu:", a->kind, strlen(text));
    put(t, text);
    say(t, "%lld", a->kind == ATTR_INT || a->kind == ATTR_GROUPS ? (long long)a->i : 0);
    if (a->kind == ATTR_RAT) put(t, rat_print(a->r, buf, sizeof buf));
    for (uint32_t j = 0; j < a->n; j++) say(t, ",%lld", (long long)a->ints[j]);
  }
}

/* It orders the values of every row alike, however many dimensions count the rows. */
static bool by_rows(const Graph *g, const Node *n, const Batch *batch) {
  uint32_t along;
  bool rows = !batch->derived && order_along(g, n, &along);
  for (uint32_t d = 0; d < n->rank && rows; d++) rows = batch->of[d] == (d != along);
  return rows;
}

/* What is known of the values of an operator without an equation. */
static LeafInfo known_of(const Graph *g, const Node *n, const Batch *batch) {
  LeafInfo info = {.integer = !batch->derived && dtype_is_int((DType)n->dtype)};
  int64_t size;
  if (info.integer && by_rows(g, n, batch) && order_places(g, n, &size)) {
    info.distinct = info.has_range = true;
    info.lo = RAT_0;
    info.hi = rat_int(size - 1);
    info.order = order_direction(g, n);
  }
  return info;
}

/* A proof may rest on that, and on the function being one alone. */
static void say_known(Build *b, Side side, NodeId id, LeafInfo info) {
  static const char *const known[] = {"all that is known is that it gives the places of a row in descending order",
                                      "all that is known is that it gives places of a row, none of them twice",
                                      "all that is known is that it gives the places of a row in ascending order"};
  if (info.distinct) b->why_opaque[side][id] = known[info.order + 1];
}

/* The number that these digits make up, major first. */
static Value number_of(Build *b, const NameList *digits) {
  Value v = VALUE_ZERO;
  int64_t weight = 1;
  for (size_t j = digits->len; j-- > 0;) {
    int64_t size = calculus_name_info(b->calc, digits->at[j])->size;
    v = calc_add2(b->calc, v, value_scale(rat_int(weight), calc_idx(b->calc, digits->at[j], size)));
    weight *= size;
  }
  return v;
}

/* The places of a row of equal values, which stay as they stand. */
static bool as_they_stand(Build *b, Side side, NodeId id, const Batch *batch, Value x, const NameList *consumed,
                          const NameList *out, Value *v) {
  const Graph *g = b->problem->graph[side];
  const Node *n = &g->nodes.at[id];
  int64_t size;
  if (!by_rows(g, n, batch) || !order_places(g, n, &size) || !order_keeps(g, n)) return false;
  for (size_t j = 0; j < consumed->len; j++)
    if (value_has(b->calc, x, consumed->at[j])) return false;
  *v = number_of(b, out);
  return true;
}

/* Tactic: values in order are by rank.  Those of the row that are consumed come first. */
static bool in_order(Build *b, Side side, NodeId id, const Batch *batch, Value x, const NameList *consumed,
                     const NameList *out, Value *v) {
  const Graph *g = b->problem->graph[side];
  const Node *n = &g->nodes.at[id];
  if (!b->options.orders || !by_rows(g, n, batch) || !order_values(g, n)) return false;
  uint32_t along, n_row;
  order_along(g, n, &along);
  n_row = digits_dim(b->digits, side, n->args[0], along).n;
  Value rank = number_of(b, out);
  int64_t last = g->nodes.at[n->args[0]].dims[along] - 1;
  if (order_direction(g, n) > 0) rank = calc_sub(b->calc, value_num(rat_int(last)), rank);
  *v = calc_largest(b->calc, x, rank, consumed->at, n_row);
  b->why_opaque[side][id] = "all that is known is that it gives the values of a row in order";
  return true;
}

/* Equal texts, equal functions. */
static Sym identity(Build *b, Side side, NodeId id, const Instance *in, const Batch *batch) {
  const Graph *g = b->problem->graph[side];
  const Node *n = &g->nodes.at[id];
  bool rows = by_rows(g, n, batch);
  Text t = {0};
  put(&t, sym_text(n->op));
  say(&t, "#%u ", n->result);
  put(&t, dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank && !batch->derived; d++) {
    if (batch->of[d]) put(&t, rows ? "" : ",*");
    else say(&t, ",%lld", (long long)n->dims[d]);
  }
  Numbered numbered = {in, n, g, batch, ARENA_ARRAY(&b->arena, uint32_t, in ? in->n_vars + 1 : 1)};
  for (uint32_t k = 0; k < n->n_args; k++) { /* the same numbers in another shape are another operand */
    const Node *arg = &g->nodes.at[n->args[k]];
    put(&t, ";");
    put(&t, dtype_text((DType)arg->dtype));
    for (uint32_t p = 0; p < arg->rank; p++) {
      bool pointwise = false;
      for (uint32_t d = 0; d < n->rank; d++) pointwise |= batch->of[d] && batch->operand[k][d] == (int32_t)p;
      if (batch->derived && is_left_out(&numbered, k, p)) continue;
      if (pointwise) put(&t, rows ? "" : ",*");
      else say(&t, ",%lld", (long long)arg->dims[p]);
    }
  }
  if (batch->derived) say_equation(&t, in, &numbered);
  else say_attributes(&t, n, rows ? sym("dimensions") : 0);
  Sym s = sym_n(t.at, t.len);
  vec_free(&t);
  return s;
}

/* ---- the value */
/* Names of an operand: pointwise dimensions keep the result's names, all others are consumed. */
static bool consume(Build *b, Side side, NodeId id, uint32_t k, Batch *batch, bool apply, Subst *s,
                    NameList *consumed) {
  const Node *n = &b->problem->graph[side]->nodes.at[id], *arg = &b->problem->graph[side]->nodes.at[n->args[k]];
  for (uint32_t p = 0; p < arg->rank; p++) {
    DigitList l = digits_dim(b->digits, side, n->args[k], p);
    uint32_t at = UINT32_MAX;
    for (uint32_t d = 0; d < n->rank; d++)
      if (batch->of[d] && batch->operand[k][d] == (int32_t)p) at = d;
    if (at != UINT32_MAX) {
      DigitList o = digits_dim(b->digits, side, id, at);
      bool same = l.n == o.n;
      for (uint32_t j = 0; same && j < l.n; j++) same = l.size[j] == o.size[j];
      if (!same) return batch->of[at] = false;
    }
    for (uint32_t j = 0; apply && j < l.n; j++) {
      Name from = calculus_name(b->calc, NAME_DIM, p, j, l.size[j]);
      Name to =
          at != UINT32_MAX ? calculus_name(b->calc, NAME_DIM, at, j, l.size[j]) : calculus_fresh(b->calc, l.size[j]);
      subst_put(s, from, to);
      if (at == UINT32_MAX) vec_push(consumed, to);
    }
  }
  return true;
}

/* v as a function of the place that these digits make up: that place times a number plus what has none of them. */
static bool by_place(Build *b, const Name *digits, uint32_t n, Value *v, Name *place) {
  Form f;
  Rat unit = RAT_0;
  int64_t weight = 1;
  if (n < 2 || !value_affine(b->calc, *v, &b->arena, &f)) return false;
  for (uint32_t j = n; j-- > 0; weight *= calculus_name_info(b->calc, digits[j])->size) {
    int64_t coef = 0;
    for (uint32_t t = 0; t < f.n; t++)
      if (f.terms[t].name == digits[j]) coef = f.terms[t].coef;
    if (j == n - 1) unit = rat_int(coef);
    if (coef == 0 || rat_mul(unit, rat_int(weight)) != rat_int(coef)) return false;
  }
  *place = calculus_fresh(b->calc, weight);
  Value sum = calc_add2(b->calc, value_num(rat_int(f.constant)), value_scale(unit, calc_idx(b->calc, *place, weight)));
  for (uint32_t t = 0; t < f.n; t++) {
    bool digit = false;
    for (uint32_t j = 0; j < n; j++) digit |= f.terms[t].name == digits[j];
    int64_t size = calculus_name_info(b->calc, f.terms[t].name)->size;
    Value index = calc_idx(b->calc, f.terms[t].name, size);
    if (!digit) sum = calc_add2(b->calc, sum, value_scale(rat_int(f.terms[t].coef), index));
  }
  return *v = sum, true;
}

/* Numbers that count places (operands beside the one that is sorted) are the same however the places are cut; the names
 * that are consumed of such an operand are the last. */
static void join_digits(Build *b, Side side, NodeId id, uint32_t k, const Batch *batch, Value *v, NameList *consumed,
                        size_t from) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  for (uint32_t p = 0; k && p < b->problem->graph[side]->nodes.at[n->args[k]].rank; p++) {
    bool pointwise = false;
    for (uint32_t d = 0; d < n->rank; d++) pointwise |= batch->of[d] && batch->operand[k][d] == (int32_t)p;
    if (pointwise) continue;
    uint32_t digits = digits_dim(b->digits, side, n->args[k], p).n;
    Name place;
    if (by_place(b, consumed->at + from, digits, v, &place)) {
      consumed->at[from] = place;
      memmove(consumed->at + from + 1, consumed->at + from + digits, (consumed->len - from - digits) * sizeof place);
      consumed->len -= digits - 1;
      digits = 1;
    }
    from += digits;
  }
}

Value build_opaque(Build *b, Side side, NodeId id, const Instance *in) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  Batch batch = batch_of(b, b->problem->graph[side], n, in);
  NameList consumed = {0}, out = {0};
  for (bool again = true; again;) {
    again = false;
    for (uint32_t k = 0; k < n->n_args && !again; k++) again = !consume(b, side, id, k, &batch, false, NULL, NULL);
  }
  bool crosses = false; /* reads other devices */
  for (uint32_t i = 0; i < n->n_attrs; i++)
    crosses |= n->attrs[i].kind == ATTR_GROUPS || n->attrs[i].kind == ATTR_PAIRS;
  Value *args = ARENA_ARRAY(&b->arena, Value, n->n_args);
  for (uint32_t k = 0; k < n->n_args; k++) {
    Subst s = {0};
    size_t own = consumed.len;
    consume(b, side, id, k, &batch, true, &s, &consumed);
    for (uint32_t i = 0; i < b->n_mesh && crosses; i++) {
      Name f = calculus_fresh(b->calc, calculus_name_info(b->calc, b->mesh_names[i])->size);
      subst_put(&s, b->mesh_names[i], f);
      vec_push(&consumed, f);
    }
    args[k] = calc_rename(b->calc, b->value[side][n->args[k]], &s);
    join_digits(b, side, id, k, &batch, &args[k], &consumed, own);
  }
  for (uint32_t d = 0; d < n->rank; d++) {
    DigitList l = digits_dim(b->digits, side, id, d);
    for (uint32_t j = 0; j < l.n && !batch.of[d]; j++) vec_push(&out, calculus_name(b->calc, NAME_DIM, d, j, l.size[j]));
  }
  for (uint32_t i = 0; i < b->n_mesh && crosses; i++) vec_push(&out, b->mesh_names[i]);
  Value v;
  LeafInfo info = known_of(b->problem->graph[side], n, &batch);
  bool stand = n->n_args && as_they_stand(b, side, id, &batch, *args, &consumed, &out, &v);
  if (!stand) say_known(b, side, id, info);
  if (info.order) *args = calc_order_key(b->calc, *args, consumed.at, (uint32_t)consumed.len);
  if (!stand && !in_order(b, side, id, &batch, *args, &consumed, &out, &v))
    v = calc_opaque(b->calc, identity(b, side, id, in, &batch), args, n->n_args, consumed.at, (uint32_t)consumed.len, out.at,
                    (uint32_t)out.len, info);
  vec_free(&consumed);
  vec_free(&out);
  return v;
}
