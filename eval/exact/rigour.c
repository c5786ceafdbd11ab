/* rigour: see rigour.h.  Elements wait on an explicit stack, so depth of a graph costs no C stack: an expression that
 * meets operands without a value pushes all of them and is evaluated again when they have one. */
#include "eval/exact/rigour.h"

#include "eval/exact/fn_eval.h"
#include "eval/exact/order.h"
#include "eval/exact/view.h"
#include "lang/base/clock.h"

#define MAX_DEPTH 500
#define POOL 512

typedef struct Pool {
  struct Pool *next;
  uint32_t n;
  Num at[POOL];
} Pool;

/* How a node gets its value. */
typedef enum Kind { KIND_EQUATION, KIND_GIVEN, KIND_ORDERED } Kind;

typedef struct Task {
  NodeId node;
  uint32_t class;
  uint64_t element;
} Task;

struct Rigour {
  const GraphRun *side;
  long precision;
  uint64_t work, max_work;
  double deadline;
  uint8_t *kind;     /* by node: Kind */
  const Num ***memo; /* by node; [class * n + element] */
  Pool *pool;
  Vec(Task) stack;
};

/* An expression being evaluated for one element. */
typedef struct Frame {
  Rigour *r;
  const Node *node;
  const Instance *in;
  int64_t device;
  Peers peers;
  uint32_t depth;
  int64_t at[VIEW_MAX_VARS]; /* values of the index variables */
} Frame;

Rigour *rigour_new(const GraphRun *side, long precision, uint64_t max_work, double deadline) {
  Rigour *r = xcalloc(1, sizeof *r);
  r->side = side;
  r->precision = precision;
  r->max_work = max_work;
  r->deadline = deadline;
  const Graph *g = side->source->graph;
  r->memo = xcalloc(g->nodes.len, sizeof *r->memo);
  r->kind = xcalloc(g->nodes.len, sizeof *r->kind);
  Sym parameter = sym("parameter"), constant = sym("constant"), uninitialized = sym("uninitialized");
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    if (n->op == parameter || n->op == constant || n->op == uninitialized) r->kind[i] = KIND_GIVEN;
    else r->kind[i] = order_known(g, n) ? KIND_ORDERED : KIND_EQUATION;
  }
  return r;
}

void rigour_free(Rigour *r) {
  if (!r) return;
  for (size_t i = 0; i < r->side->source->graph->nodes.len; i++) free(r->memo[i]);
  free(r->memo);
  free(r->kind);
  for (Pool *p = r->pool, *next; p; p = next) {
    next = p->next;
    for (uint32_t i = 0; i < p->n; i++) num_clear(&p->at[i]);
    free(p);
  }
  vec_free(&r->stack);
  free(r);
}

/* Counts an operation; false when there may be no more. */
static bool charge(Rigour *r) {
  if ((++r->work & 0x3fff) == 0 && clock_spent() > r->deadline) r->work = r->max_work + 1;
  return r->work <= r->max_work;
}

static Num *new_num(Rigour *r) {
  if (!r->pool || r->pool->n == POOL) {
    Pool *p = xmalloc(sizeof *p);
    p->next = r->pool;
    p->n = 0;
    r->pool = p;
  }
  Num *x = &r->pool->at[r->pool->n++];
  num_init(x);
  return x;
}

/* ---- operands ---- */

static const Node *node_of(const Rigour *r, NodeId id) { return &r->side->source->graph->nodes.at[id]; }

static const Num **slot(Rigour *r, NodeId id, uint32_t class, uint64_t element) {
  const Field *f = &r->side->fields[id];
  if (!r->memo[id]) r->memo[id] = xcalloc(f->n * f->n_classes, sizeof **r->memo);
  return &r->memo[id][class * f->n + element];
}

static void given_literal(Num *x, Rat v, bool written) {
  if (v == RAT_NAN && written) num_set_nan(x, true);
  else num_set_rat(x, v);
}

/* Parameters and constants have their value at once. */
static const Num *given(Rigour *r, NodeId id, uint32_t class, uint64_t element) {
  const Num **at = slot(r, id, class, element);
  if (*at) return *at;
  const Field *f = &r->side->fields[id];
  const Node *n = node_of(r, id);
  Num *x = new_num(r);
  if (!f->at[class]) num_set_unknown(x);
  else if (n->literal) given_literal(x, literal_value(r->side->problem, n, element), n->literal->kind != LIT_NONE);
  else num_set_double(x, f->at[class][element]);
  return *at = x;
}

/* The element, or NULL after asking for it. */
static const Num *demand(Rigour *r, NodeId id, int64_t device, uint64_t element) {
  uint32_t class = field_class(&r->side->fields[id], device);
  if (r->kind[id] == KIND_GIVEN) return given(r, id, class, element);
  const Num **at = slot(r, id, class, element);
  if (!*at) vec_push(&r->stack, (Task){id, class, element});
  return *at;
}

/* ---- expressions ---- */

/* Value of x: `space`, filled in, or a number that stays; NULL when an operand is missing. */
static const Num *ev(Frame *f, XId id, Num *space);

static const Num *fail(Num *space) {
  num_set_unknown(space);
  return space;
}

/* 1: *out is the index; 0: it has no certain value; -1: an operand is missing. */
static int index_value(Frame *f, const Ix *ix, int64_t *out) {
  int64_t v = ix->constant;
  for (uint32_t t = 0; t < ix->n_terms; t++) v += ix->terms[t].coef * f->at[ix->terms[t].var];
  *out = v;
  if (ix->dyn == NO_X) return 1;
  Num t;
  num_init(&t);
  int64_t d;
  const Num *x = ev(f, ix->dyn, &t);
  int result = !x ? -1 : num_to_int(x, &d) && !__builtin_add_overflow(v, d, out);
  num_clear(&t);
  return result;
}

static const Num *ev_read(Frame *f, const X *x, Num *space) {
  if (x->operand >= f->node->n_args) return fail(space);
  NodeId id = f->node->args[x->operand];
  const Node *arg = node_of(f->r, id);
  if (x->mode == READ_AT ? x->n != arg->rank : x->n != 1) return fail(space);
  int64_t device = f->device;
  if (x->permuted) device = f->peers.source;
  else if (x->group != NO_VAR) device = peers_member(&f->peers, f->at[x->group]);
  if (device < 0 && x->permuted) {
    num_set_int(space, 0);
    return space;
  }
  if (device < 0 || device >= f->r->side->n_devices) return fail(space);
  uint64_t position = 0;
  bool missing = false;
  for (uint32_t k = 0; k < x->n; k++) {
    int64_t index, size = x->mode == READ_AT ? arg->dims[k] : node_elements(arg);
    int ok = index_value(f, &x->ix[k], &index);
    if (ok == 1 && (index < 0 || index >= size)) {
      num_set_undefined(space);
      return space;
    }
    if (ok == 0) return fail(space);
    missing = missing || ok < 0;
    if (ok == 1) position = position * (uint64_t)size + (uint64_t)index;
  }
  return missing ? NULL : demand(f->r, id, device, position);
}

/* Adds the value of a term, a product of two without a detour; false when something is missing.  When something was
 * missing before (!add) it only asks for what it needs. */
static bool accumulate(Frame *f, XId id, Num *sum, bool add) {
  const X *x = &f->in->x[id];
  long precision = f->r->precision;
  Num s, t;
  num_init(&s);
  num_init(&t);
  bool ok;
  if (x->kind == X_MUL && x->n == 2 && f->in->x[x->args[0]].kind == X_READ && f->in->x[x->args[1]].kind == X_READ) {
    const Num *a = ev(f, x->args[0], &s), *b = ev(f, x->args[1], &t);
    ok = a && b;
    if (ok && add) num_addmul(sum, a, b, precision);
  } else {
    const Num *a = ev(f, id, &s);
    ok = a != NULL;
    if (ok && add) num_add(sum, sum, a, precision);
  }
  num_clear(&s);
  num_clear(&t);
  return ok;
}

static const Num *ev_add(Frame *f, const X *x, Num *space) {
  Num sum;
  num_init(&sum);
  bool ok = true;
  for (uint32_t k = 0; k < x->n; k++) ok &= accumulate(f, x->args[k], &sum, ok);
  num_set(space, &sum);
  num_clear(&sum);
  return ok ? space : NULL;
}

static const Num *ev_mul(Frame *f, const X *x, Num *space) {
  Num product, t;
  num_init(&product);
  num_init(&t);
  num_set_int(&product, 1);
  bool ok = true, zero = false;
  for (int guards = 1; guards >= 0 && !zero; guards--)
    for (uint32_t k = 0; k < x->n && !zero; k++) {
      if ((f->in->x[x->args[k]].kind == X_CMP) != guards) continue;
      const Num *a = ev(f, x->args[k], &t);
      ok &= a != NULL;
      zero = guards && a && num_is_zero(a);
      if (a) num_mul(&product, &product, a, f->r->precision);
    }
  if (zero) num_set_int(space, 0);
  else num_set(space, &product);
  num_clear(&product);
  num_clear(&t);
  return ok || zero ? space : NULL;
}

static const Num *ev_fn(Frame *f, const X *x, Num *space) {
  FnId fn = fn_find(x->name);
  const FnImpl *impl = fn_impl(fn);
  if (!impl || impl->arity != x->n) return fail(space);
  Num t[3];
  const Num *a[3];
  bool ok = true;
  for (uint32_t k = 0; k < x->n; k++) {
    num_init(&t[k]);
    a[k] = ev(f, x->args[k], &t[k]);
    ok &= a[k] != NULL;
  }
  const Num *result = ok ? space : NULL;
  int order = ok && (fn == FN_MAXIMUM || fn == FN_MINIMUM) ? num_compare(a[0], a[1], f->r->precision) : 2;
  if (order != 2) {
    uint32_t k = (order >= 0) == (fn == FN_MAXIMUM) ? 0 : 1;
    if (a[k] == &t[k]) num_set(space, a[k]);
    else result = a[k]; /* the object itself: see the head of rigour.h */
  } else if (ok) {
    impl->num(space, a, f->r->precision);
  }
  for (uint32_t k = 0; k < x->n; k++) num_clear(&t[k]);
  return result;
}

static const Num *ev_compare(Frame *f, const X *x, Num *space) {
  FnCompare c = fn_compare(x->name);
  if (c == FN_NO_COMPARE || x->n != 2) return fail(space);
  Num s, t;
  num_init(&s);
  num_init(&t);
  const Num *a = ev(f, x->args[0], &s), *b = ev(f, x->args[1], &t);
  int v = a && b ? fn_compare_num(c, a, b, f->r->precision) : -1;
  bool none = a && b && (num_is_undefined(a) || num_is_undefined(b));
  if (none) num_set_undefined(space);
  else if (v < 0) num_set_unknown(space);
  else num_set_int(space, v);
  num_clear(&s);
  num_clear(&t);
  return a && b ? space : NULL;
}

static const Num *ev_select(Frame *f, const X *x, Num *space) {
  Num t;
  num_init(&t);
  const Num *c = ev(f, x->args[0], &t);
  int64_t v = -1;
  bool ok = c && num_to_int(c, &v), none = c && num_is_undefined(c);
  num_clear(&t);
  if (!c) return NULL;
  if (none) num_set_undefined(space);
  return ok ? ev(f, x->args[v ? 1 : 2], space) : none ? space : fail(space);
}

/* Next values of the bound variables; false after the last. */
static bool next_point(Frame *f, const X *x) {
  for (uint32_t k = x->n_vars; k-- > 0;) {
    if (++f->at[x->vars[k]] < f->in->vars[x->vars[k]].size) return true;
    f->at[x->vars[k]] = 0;
  }
  return false;
}

static const Num *ev_reduction(Frame *f, const X *x, Num *space) {
  bool empty = false, ok = true;
  for (uint32_t k = 0; k < x->n_vars; k++) {
    empty = empty || f->in->vars[x->vars[k]].size == 0;
    f->at[x->vars[k]] = 0;
  }
  Num best, t;
  num_init(&best);
  num_init(&t);
  const Num *held = NULL; /* the best so far if it is an object that stays; else it is in `best` */
  int sign = x->kind == X_MAX ? 1 : -1;
  if (x->kind != X_SUM) num_set_infinity(&best, -sign);
  if (!empty) do {
    if (x->kind == X_SUM) {
      ok &= accumulate(f, x->args[0], &best, ok);
      continue;
    }
    const Num *a = ev(f, x->args[0], &t), *old = held ? held : &best;
    ok &= a != NULL;
    if (!ok) continue;
    int c = num_compare(a, old, f->r->precision);
    if (c == 2) {
      num_max(&best, a, old, sign, f->r->precision);
      held = NULL;
    } else if (c * sign > 0) {
      if (a == &t) num_set(&best, a);
      held = a == &t ? NULL : a;
    }
  } while (next_point(f, x) && f->r->work <= f->r->max_work);
  if (!held) num_set(space, &best);
  num_clear(&best);
  num_clear(&t);
  return !ok ? NULL : held ? held : space;
}

static const Num *ev_power(Frame *f, const X *x, Num *space) {
  Num t;
  num_init(&t);
  const Num *a = ev(f, x->args[0], &t);
  if (a) fn_power_num(space, a, x->r, f->r->precision);
  num_clear(&t);
  return a ? space : NULL;
}

static const Num *ev_index(Frame *f, const X *x, Num *space) {
  int64_t v;
  int ok = index_value(f, &x->ix[0], &v);
  if (ok < 0) return NULL;
  if (!ok) return fail(space);
  num_set_int(space, v);
  return space;
}

static const Num *ev_kind(Frame *f, const X *x, Num *space) {
  switch (x->kind) {
    case X_RAT: num_set_rat(space, x->r); return space;
    case X_INF: num_set_infinity(space, rat_sign(x->r)); return space;
    case X_INDEX: return ev_index(f, x, space);
    case X_READ: return ev_read(f, x, space);
    case X_ADD: return ev_add(f, x, space);
    case X_MUL: return ev_mul(f, x, space);
    case X_POW: return ev_power(f, x, space);
    case X_FN: return ev_fn(f, x, space);
    case X_CMP: return ev_compare(f, x, space);
    case X_SELECT: return ev_select(f, x, space);
    case X_SUM:
    case X_MAX:
    case X_MIN: return ev_reduction(f, x, space);
    case X_COORD: num_set_int(space, f->device); return space;
    default: return fail(space);
  }
}

static const Num *ev(Frame *f, XId id, Num *space) {
  if (!charge(f->r) || f->depth >= MAX_DEPTH) return fail(space);
  f->depth++;
  const Num *v = ev_kind(f, &f->in->x[id], space);
  f->depth--;
  return v;
}

/* ---- nodes ---- */

/* The candidates of a row: operand by operand, the initial value last. */
typedef struct Candidates {
  const OrderRow *row;
  const Num **at;
  long precision;
} Candidates;

static int compare_candidates(void *context, OrderValue a, OrderValue b) {
  const Candidates *c = context;
  OrderValue v[2] = {a, b};
  const Num *x[2];
  Num constant[2];
  for (int i = 0; i < 2; i++) {
    num_init(&constant[i]);
    if (v[i].operand < 0) num_set_rat(&constant[i], v[i].constant);
    x[i] = v[i].operand < 0 ? &constant[i] : c->at[v[i].operand * (c->row->size + 1) + v[i].candidate];
  }
  int order = num_compare(x[0], x[1], c->precision);
  num_clear(&constant[0]);
  num_clear(&constant[1]);
  return order;
}

static const Num *ordered(Rigour *r, const Task *t, int64_t device, Num *space) {
  const Graph *g = r->side->source->graph;
  const Node *n = node_of(r, t->node);
  OrderRow row = order_row(g, n, t->element);
  Candidates c = {&row, xcalloc((size_t)(row.n_operands * (row.size + 1)), sizeof *c.at), r->precision};
  bool ok = true;
  for (uint32_t k = 0; k < row.n_operands; k++) {
    const Num **at = c.at + k * (row.size + 1);
    for (int64_t i = 0; i < row.size; i++)
      ok &= (at[i] = demand(r, n->args[k], device, row.base + (uint64_t)(i * row.stride))) != NULL;
    if (row.has_init) ok &= (at[row.size] = demand(r, n->args[row.n_operands + k], device, 0)) != NULL;
  }
  const Num *result = NULL;
  r->work += ORDER_WORK * (uint64_t)(row.size * row.size);
  if (ok) {
    int64_t *picks = xcalloc((size_t)row.places, sizeof *picks);
    order_pick(g, n, &row, compare_candidates, &c, picks);
    int64_t pick = picks[row.place];
    free(picks);
    result = pick < 0 || row.position ? space : c.at[n->result * (row.size + 1) + pick];
    if (pick < 0) num_set_unknown(space);
    else if (row.position) num_set_int(space, pick);
  }
  free(c.at);
  return result;
}

/* An integer outside its type has no value here. */
static bool out_of_type(DType t, const Num *x) {
  DKind kind = dtype_kind(t);
  if (kind != DK_INT && kind != DK_UINT && kind != DK_BOOL) return false;
  int64_t v;
  if (!num_to_int(x, &v)) return true;
  int bits = dtype_bits(t);
  if (kind == DK_BOOL) return v != 0 && v != 1;
  if (kind == DK_UINT) return v < 0 || (bits < 63 && v >> bits != 0);
  return bits < 64 && (v >> (bits - 1)) != 0 && (v >> (bits - 1)) != -1;
}

static const Num *element_of(Rigour *r, const Task *t, Num *space) {
  const Field *field = &r->side->fields[t->node];
  const Node *n = node_of(r, t->node);
  Frame f = {.r = r, .node = n, .in = r->side->source->instances[t->node]};
  if (!field->at[t->class]) return fail(space); /* unknown everywhere */
  while (field_class(field, f.device) != t->class) f.device++;
  if (r->kind[t->node] == KIND_ORDERED) return ordered(r, t, f.device, space);
  f.peers = peers_of(f.in, r->side->n_devices, f.device);
  for (uint32_t v = 0; v < f.in->n_vars; v++)
    if (f.in->vars[v].kind == VAR_GROUP) f.at[v] = f.peers.position;
  uint64_t rest = t->element;
  for (uint32_t d = f.in->n_out; d-- > 0;)
    for (uint32_t k = f.in->out[d].n; k-- > 0;) {
      VarId v = f.in->out[d].vars[k];
      if (f.in->vars[v].kind == VAR_GROUP) continue;
      f.at[v] = (int64_t)(rest % (uint64_t)f.in->vars[v].size);
      rest /= (uint64_t)f.in->vars[v].size;
    }
  const Num *x = ev(&f, f.in->body, space);
  return x && out_of_type((DType)n->dtype, x) ? fail(space) : x;
}

const Num *rigour_value(Rigour *r, NodeId node, int64_t device, uint64_t element) {
  const Num *x = demand(r, node, device, element);
  Num space;
  num_init(&space);
  while (r->stack.len > 0 && r->work <= r->max_work) {
    Task t = vec_last(&r->stack);
    const Num **at = slot(r, t.node, t.class, t.element);
    if (*at) {
      (void)vec_pop(&r->stack);
      continue;
    }
    const Num *v = element_of(r, &t, &space);
    if (!v) continue;
    if (v == &space) {
      Num *own = new_num(r);
      num_set(own, v);
      v = own;
    }
    *at = v;
  }
  num_clear(&space);
  vec_clear(&r->stack);
  if (r->work > r->max_work) return NULL;
  return x ? x : *slot(r, node, field_class(&r->side->fields[node], device), element);
}
