/* Coordinate integers: equations evaluated over a vector of devices.
 *
 * A value is a vector over devices, or one number for all of them; an unknown device is INT_UNKNOWN, so that the arm of
 * a select that is not taken may be unknown.  One-element nodes are kept, interned.  Other integer operands (tables,
 * and what is made of them) are evaluated element by element where they are read, within a budget.
 *
 * Graphs are deep, so nodes do not recurse into each other: a node that reads one not evaluated yet is put back on a
 * stack under it and evaluated again. */
#include "eval/digits/coord.h"

#include "eval/digits/intfn.h"
#include "eval/digits/intvecs.h"

enum {
  MAX_STEPS = 20000,   /* expressions evaluated for one node */
  MAX_WORK = 1 << 20,  /* those times the number of devices */
  MAX_DEPTH = 200,     /* of expressions, through the operands that are evaluated element by element */
  MAX_TERMS = 4096,    /* of one sum */
};

/* n == 1: the same on all devices. */
typedef struct Lanes {
  const int64_t *v;
  int64_t n;
} Lanes;

enum { NOT_ASKED, NO_VALUE, FIRST_VALUE }; /* of a node; FIRST_VALUE + number of its vector */

struct Coord {
  const Graph *g;
  CoordSource *source;
  void *context;
  int64_t n;
  Instances *instances;
  Diags *diags;
  Sources *sources;
  Vec(uint32_t) known; /* per node */
  IntVecs vectors;
  Vec(NodeId) stack;
  Vec(NodeId) missing;
  Arena scratch;
  uint32_t steps;
};

/* Evaluation of one equation; env: value of each variable. */
typedef struct Eval {
  Coord *c;
  const Node *node;
  const Instance *in;
  Lanes *env;
  uint32_t depth;
} Eval;

static const int64_t unknown_value[1] = {INT_UNKNOWN};
static const Lanes unknown = {unknown_value, 1};

static int64_t lane(Lanes a, int64_t i) { return a.v[a.n == 1 ? 0 : i]; }
static bool is_unknown(Lanes a) { return a.n == 1 && a.v[0] == INT_UNKNOWN; }

static int64_t *new_lanes(Coord *c, int64_t n) { return ARENA_ARRAY(&c->scratch, int64_t, n); }

static Lanes number(Coord *c, int64_t x) {
  int64_t *v = new_lanes(c, 1);
  v[0] = x;
  return (Lanes){v, 1};
}

static Lanes combine(Coord *c, int64_t (*f)(int64_t, int64_t), Lanes a, Lanes b) {
  int64_t n = a.n > b.n ? a.n : b.n, *v = new_lanes(c, n);
  for (int64_t i = 0; i < n; i++) v[i] = f(lane(a, i), lane(b, i));
  return (Lanes){v, n};
}

static Lanes evaluate(Eval *e, XId id);

/* ---- reading operands */

static Lanes index_value(Eval *e, const Ix *ix) {
  Coord *c = e->c;
  Lanes r = number(c, ix->constant);
  for (uint32_t i = 0; i < ix->n_terms; i++)
    r = combine(c, intfn_add, r, combine(c, intfn_mul, number(c, ix->terms[i].coef), e->env[ix->terms[i].var]));
  return ix->dyn == NO_X ? r : combine(c, intfn_add, r, evaluate(e, ix->dyn));
}

/* Unknown where index i is outside 0 .. size-1. */
static Lanes in_range(Coord *c, Lanes i, int64_t size) {
  int64_t *v = new_lanes(c, i.n);
  for (int64_t k = 0; k < i.n; k++) v[k] = i.v[k] >= 0 && i.v[k] < size ? i.v[k] : INT_UNKNOWN;
  return (Lanes){v, i.n};
}

static Lanes table_value(Coord *c, const Literal *l, Lanes at) {
  int64_t *v = new_lanes(c, at.n);
  for (int64_t k = 0; k < at.n; k++) {
    v[k] = INT_UNKNOWN;
    if (at.v[k] == INT_UNKNOWN || (l->kind == LIT_VALUES && (uint64_t)at.v[k] >= l->n)) continue;
    Rat x = l->values[l->kind == LIT_SPLAT ? 0 : at.v[k]];
    if (!rat_is_finite(x) || !rat_to_int(x, &v[k])) v[k] = INT_UNKNOWN;
  }
  return (Lanes){v, at.n};
}

/* Unknown where the value is outside the range of the type (arithmetic there wraps around). */
static Lanes fit_type(Coord *c, DType t, Lanes a) {
  DKind kind = dtype_kind(t);
  int bits = dtype_bits(t);
  int64_t lo = 0, hi = INT64_MAX, *v = new_lanes(c, a.n);
  if (kind == DK_BOOL) hi = 1;
  else if (kind == DK_UINT) hi = bits < 63 ? (INT64_C(1) << bits) - 1 : INT64_MAX;
  else if (bits < 64) hi = (INT64_C(1) << (bits - 1)) - 1, lo = -hi - 1;
  else lo = INT_UNKNOWN + 1;
  for (int64_t i = 0; i < a.n; i++) v[i] = a.v[i] >= lo && a.v[i] <= hi ? a.v[i] : INT_UNKNOWN;
  return (Lanes){v, a.n};
}

/* Position in the own replica group, and the device at position `at` of it; unknown if the groups say nothing. */
static Lanes group_position(Coord *c, const Attr *groups) {
  int64_t *v = new_lanes(c, c->n);
  for (int64_t i = 0; i < c->n; i++) v[i] = INT_UNKNOWN;
  for (uint32_t k = 0; groups && groups->i > 0 && k < groups->n; k++)
    if (groups->ints[k] >= 0 && groups->ints[k] < c->n) v[groups->ints[k]] = k % groups->i;
  return (Lanes){v, c->n};
}

static Lanes group_member(Coord *c, const Attr *groups, Lanes at) {
  int64_t *v = new_lanes(c, c->n);
  for (int64_t i = 0; i < c->n; i++) v[i] = INT_UNKNOWN;
  for (uint32_t k = 0; groups && groups->i > 0 && groups->n % groups->i == 0 && k < groups->n; k++) {
    int64_t device = groups->ints[k], p = device >= 0 && device < c->n ? lane(at, device) : INT_UNKNOWN;
    if (p >= 0 && p < groups->i) v[device] = groups->ints[k - k % groups->i + p];
  }
  return (Lanes){v, c->n};
}

/* The value of one element (indices `at`, one per dimension) of an integer node. */
static Lanes element_value(Eval *from, NodeId id, const Lanes *at) {
  Coord *c = from->c;
  const Node *n = &c->g->nodes.at[id];
  if (!dtype_is_whole((DType)n->dtype)) return unknown;
  if (node_elements(n) == 1) {
    uint32_t k = id < c->known.len ? c->known.at[id] : NOT_ASKED;
    if (k == NOT_ASKED) vec_push(&c->missing, id);
    if (k < FIRST_VALUE) return unknown;
    const IntVec *v = &c->vectors.all.at[k - FIRST_VALUE];
    return (Lanes){v->v, (int64_t)v->n};
  }
  if (n->literal) {
    Lanes flat = number(c, 0);
    for (uint32_t i = 0; i < n->rank; i++)
      flat = combine(c, intfn_add, combine(c, intfn_mul, flat, number(c, n->dims[i])), at[i]);
    return table_value(c, n->literal, flat);
  }
  const Instance *in = c->source(c->context, id);
  if (!in || in->opaque || in->body == NO_X || in->n_out != n->rank || from->depth >= MAX_DEPTH) return unknown;
  Eval e = {c, n, in, arena_alloc(&c->scratch, in->n_vars * sizeof *e.env), from->depth + 1};
  for (uint32_t v = 0; v < in->n_vars; v++)
    e.env[v] = in->vars[v].kind == VAR_GROUP ? group_position(c, in->groups) : unknown;
  for (uint32_t i = 0; i < in->n_out; i++) {
    Lanes rest = at[i];
    for (uint32_t k = in->out[i].n; k-- > 0;) {
      int64_t size = in->vars[in->out[i].vars[k]].size, *digit = new_lanes(c, rest.n), *up = new_lanes(c, rest.n);
      for (int64_t l = 0; l < rest.n; l++) {
        bool ok = rest.v[l] != INT_UNKNOWN && size > 0;
        digit[l] = ok ? rest.v[l] % size : INT_UNKNOWN;
        up[l] = ok ? rest.v[l] / size : INT_UNKNOWN;
      }
      e.env[in->out[i].vars[k]] = (Lanes){digit, rest.n};
      rest = (Lanes){up, rest.n};
    }
  }
  return fit_type(c, n->dtype, evaluate(&e, in->body));
}

/* Lane i becomes lane device(i) of a; `none` where there is no such device. */
static Lanes from_devices(Coord *c, Lanes a, Lanes device, int64_t none) {
  int64_t *v = new_lanes(c, c->n);
  for (int64_t i = 0; i < c->n; i++) {
    int64_t d = lane(device, i);
    v[i] = d == INT_UNKNOWN ? none : d >= 0 && d < c->n ? lane(a, d) : INT_UNKNOWN;
  }
  return (Lanes){v, c->n};
}

static Lanes pair_source(Coord *c, const Attr *pairs) {
  int64_t *v = new_lanes(c, c->n);
  for (int64_t i = 0; i < c->n; i++) v[i] = INT_UNKNOWN;
  for (uint32_t k = 0; k + 1 < pairs->n; k += 2)
    if (pairs->ints[k + 1] >= 0 && pairs->ints[k + 1] < c->n) v[pairs->ints[k + 1]] = pairs->ints[k];
  return (Lanes){v, c->n};
}

static Lanes read_value(Eval *e, const X *x) {
  Coord *c = e->c;
  if (x->operand >= e->node->n_args) return unknown;
  NodeId id = e->node->args[x->operand];
  const Node *n = &c->g->nodes.at[id];
  if (!dtype_is_whole((DType)n->dtype)) return unknown;
  Lanes *at = arena_alloc(&c->scratch, (n->rank + 1u) * sizeof *at);
  if (x->mode == READ_AT) {
    if (x->n != n->rank) return unknown;
    for (uint32_t i = 0; i < x->n; i++) at[i] = in_range(c, index_value(e, &x->ix[i]), n->dims[i]);
  } else {
    if (x->n != 1) return unknown;
    Lanes rest = in_range(c, index_value(e, &x->ix[0]), node_elements(n));
    for (uint32_t i = n->rank; i-- > 0;) {
      int64_t *digit = new_lanes(c, rest.n), *up = new_lanes(c, rest.n);
      for (int64_t l = 0; l < rest.n; l++) {
        bool ok = rest.v[l] != INT_UNKNOWN && n->dims[i] > 0;
        digit[l] = ok ? rest.v[l] % n->dims[i] : INT_UNKNOWN;
        up[l] = ok ? rest.v[l] / n->dims[i] : INT_UNKNOWN;
      }
      at[i] = (Lanes){digit, rest.n};
      rest = (Lanes){up, rest.n};
    }
  }
  for (uint32_t i = 0; i < n->rank; i++)
    if (is_unknown(at[i])) return unknown;
  bool elsewhere = x->group != NO_VAR || x->permuted;
  if (elsewhere && node_elements(n) != 1) return unknown;
  Lanes v = element_value(e, id, at);
  if (x->group != NO_VAR) v = from_devices(c, v, group_member(c, e->in->groups, e->env[x->group]), INT_UNKNOWN);
  else if (x->permuted) v = e->in->pairs ? from_devices(c, v, pair_source(c, e->in->pairs), 0) : unknown;
  return v;
}

/* ---- expressions */

static Lanes apply(Coord *c, IntFn *f, const Lanes *a, uint32_t n, bool is_clamp) {
  int64_t lanes = 1, args[3];
  for (uint32_t k = 0; k < n; k++) lanes = a[k].n > lanes ? a[k].n : lanes;
  int64_t *v = new_lanes(c, lanes);
  for (int64_t i = 0; i < lanes; i++) {
    bool known = true;
    for (uint32_t k = 0; k < n; k++) known = (args[k] = lane(a[k], i)) != INT_UNKNOWN && known;
    v[i] = known ? f(args) : INT_UNKNOWN;
    if (is_clamp && !known && args[0] >= args[2] && args[2] != INT_UNKNOWN) v[i] = args[2]; /* no room to vary */
  }
  return (Lanes){v, lanes};
}

static Lanes apply_function(Eval *e, const X *x) {
  Lanes a[3];
  uint32_t arity = 2;
  IntFn *f = x->kind == X_CMP ? intfn_compare(x->name) : intfn_find(x->name, &arity);
  if (!f || x->n != arity) return unknown;
  for (uint32_t k = 0; k < arity; k++) a[k] = evaluate(e, x->args[k]);
  return apply(e->c, f, a, arity, arity == 3);
}

static Lanes select_value(Eval *e, const X *x) {
  Lanes p = evaluate(e, x->args[0]);
  if (p.n == 1) return p.v[0] == INT_UNKNOWN ? unknown : evaluate(e, x->args[p.v[0] ? 1 : 2]);
  Lanes a = evaluate(e, x->args[1]), b = evaluate(e, x->args[2]);
  int64_t *v = new_lanes(e->c, p.n);
  for (int64_t i = 0; i < p.n; i++) v[i] = p.v[i] == INT_UNKNOWN ? INT_UNKNOWN : lane(p.v[i] ? a : b, i);
  return (Lanes){v, p.n};
}

/* INT_UNKNOWN is the least. */
static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return smaller(a, b) == INT_UNKNOWN ? INT_UNKNOWN : a > b ? a : b; }

static Lanes reduce_value(Eval *e, const X *x) {
  Coord *c = e->c;
  int64_t total = 1;
  for (uint32_t k = 0; k < x->n_vars; k++)
    if (__builtin_mul_overflow(total, e->in->vars[x->vars[k]].size, &total) || total > MAX_TERMS) return unknown;
  if (total <= 0) return x->kind == X_SUM ? number(c, 0) : unknown;
  Lanes r = unknown;
  for (int64_t i = 0; i < total; i++) {
    int64_t rest = i;
    for (uint32_t k = 0; k < x->n_vars; k++) {
      int64_t size = e->in->vars[x->vars[k]].size;
      e->env[x->vars[k]] = number(c, rest % size);
      rest /= size;
    }
    Lanes v = evaluate(e, x->args[0]);
    r = i == 0 ? v : combine(c, x->kind == X_SUM ? intfn_add : x->kind == X_MAX ? larger : smaller, r, v);
    if (is_unknown(r)) break;
  }
  for (uint32_t k = 0; k < x->n_vars; k++) e->env[x->vars[k]] = unknown;
  return r;
}

static Lanes own_device(Coord *c) {
  int64_t *v = new_lanes(c, c->n);
  for (int64_t i = 0; i < c->n; i++) v[i] = i;
  return (Lanes){v, c->n};
}

static Lanes power_value(Eval *e, const X *x) {
  int64_t n;
  if (!rat_to_int(x->r, &n)) return unknown;
  Lanes a = evaluate(e, x->args[0]);
  int64_t *v = new_lanes(e->c, a.n);
  for (int64_t i = 0; i < a.n; i++) v[i] = intfn_power(a.v[i], n);
  return (Lanes){v, a.n};
}

static Lanes evaluate_kind(Eval *e, const X *x) {
  Coord *c = e->c;
  int64_t n;
  Lanes r;
  switch ((XKind)x->kind) {
    case X_RAT: return rat_to_int(x->r, &n) ? number(c, n) : unknown;
    case X_INF: return unknown;
    case X_INDEX: return index_value(e, &x->ix[0]);
    case X_READ: return read_value(e, x);
    case X_ADD:
    case X_MUL:
      r = number(c, x->kind == X_MUL);
      for (uint32_t k = 0; k < x->n; k++)
        r = combine(c, x->kind == X_MUL ? intfn_mul : intfn_add, r, evaluate(e, x->args[k]));
      return r;
    case X_POW: return power_value(e, x);
    case X_FN:
    case X_CMP: return apply_function(e, x);
    case X_SELECT: return select_value(e, x);
    case X_SUM:
    case X_MAX:
    case X_MIN: return reduce_value(e, x);
    case X_COORD: return own_device(c);
  }
  return unknown;
}

static Lanes evaluate(Eval *e, XId id) {
  Coord *c = e->c;
  if (id >= e->in->n_x || e->depth >= MAX_DEPTH || c->steps == 0) return unknown;
  c->steps--;
  e->depth++;
  Lanes r = evaluate_kind(e, &e->in->x[id]);
  e->depth--;
  if (r.n == c->n && r.n > 1) { /* the same everywhere: one number */
    int64_t i = 1;
    while (i < r.n && r.v[i] == r.v[0]) i++;
    if (i == r.n) r.n = 1;
  }
  return r;
}

/* ---- nodes */

/* An expression of the equation of node `id`; what it lacks is left in c->missing. */
static Lanes evaluate_for(Coord *c, NodeId id, const Instance *in, XId x) {
  const Node *n = &c->g->nodes.at[id];
  vec_clear(&c->missing);
  c->steps = c->n < MAX_WORK / MAX_STEPS ? MAX_STEPS : (uint32_t)(MAX_WORK / c->n) + 8;
  Eval e = {c, n, in, arena_alloc(&c->scratch, in->n_vars * sizeof *e.env), 0};
  for (uint32_t v = 0; v < in->n_vars; v++)
    e.env[v] = in->vars[v].kind == VAR_GROUP ? group_position(c, in->groups)
               : in->vars[v].kind == VAR_OUT && in->vars[v].size == 1 ? number(c, 0) : unknown;
  return evaluate(&e, x);
}

static Lanes evaluate_node(Coord *c, NodeId id) {
  const Node *n = &c->g->nodes.at[id];
  vec_clear(&c->missing);
  if (!dtype_is_whole((DType)n->dtype)) return unknown;
  if (n->literal) return fit_type(c, n->dtype, table_value(c, n->literal, number(c, 0)));
  const Instance *in = c->source(c->context, id);
  if (!in || in->opaque || in->body == NO_X) return unknown;
  return fit_type(c, n->dtype, evaluate_for(c, id, in, in->body));
}

static uint32_t keep(Coord *c, Lanes a) {
  for (int64_t i = 0; i < a.n; i++)
    if (a.v[i] != INT_UNKNOWN) return FIRST_VALUE + intvecs_put(&c->vectors, a.v, (size_t)a.n);
  return NO_VALUE;
}

/* Evaluates a one-element node, and first all it needs. */
static void settle(Coord *c, NodeId id) {
  while (c->known.len < c->g->nodes.len) vec_push(&c->known, NOT_ASKED);
  size_t base = c->stack.len;
  vec_push(&c->stack, id);
  while (c->stack.len > base) {
    NodeId at = vec_last(&c->stack);
    if (c->known.at[at] == NOT_ASKED) {
      ArenaMark mark = arena_mark(&c->scratch);
      Lanes v = evaluate_node(c, at);
      if (!c->missing.len) c->known.at[at] = keep(c, v);
      arena_reset(&c->scratch, mark);
    }
    if (c->known.at[at] != NOT_ASKED) (void)vec_pop(&c->stack);
    else for (size_t k = 0; k < c->missing.len; k++) vec_push(&c->stack, c->missing.at[k]);
  }
}

/* As a vector over all devices; NULL if any is unknown. */
static const int64_t *whole(Coord *c, Lanes a) {
  for (int64_t i = 0; i < a.n; i++)
    if (a.v[i] == INT_UNKNOWN) return NULL;
  uint32_t id;
  if (a.n == c->n) {
    id = intvecs_put(&c->vectors, a.v, (size_t)a.n);
  } else {
    int64_t *v = new_lanes(c, c->n);
    for (int64_t i = 0; i < c->n; i++) v[i] = a.v[0];
    id = intvecs_put(&c->vectors, v, (size_t)c->n);
  }
  return c->vectors.all.at[id].v;
}

const int64_t *coord_value(Coord *c, NodeId id) {
  if (id >= c->g->nodes.len || node_elements(&c->g->nodes.at[id]) != 1) return NULL;
  settle(c, id);
  uint32_t k = c->known.at[id];
  if (k < FIRST_VALUE) return NULL;
  const IntVec *v = &c->vectors.all.at[k - FIRST_VALUE];
  ArenaMark mark = arena_mark(&c->scratch);
  const int64_t *r = whole(c, (Lanes){v->v, (int64_t)v->n});
  arena_reset(&c->scratch, mark);
  return r;
}

const int64_t *coord_expression(Coord *c, NodeId id, const Instance *in, XId x) {
  if (id >= c->g->nodes.len) return NULL;
  for (;;) {
    ArenaMark mark = arena_mark(&c->scratch);
    Lanes v = evaluate_for(c, id, in, x);
    const int64_t *r = c->missing.len ? NULL : whole(c, v);
    arena_reset(&c->scratch, mark);
    if (!c->missing.len) return r;
    Vec(NodeId) todo = {0};
    for (size_t k = 0; k < c->missing.len; k++) vec_push(&todo, c->missing.at[k]);
    for (size_t k = 0; k < todo.len; k++) settle(c, todo.at[k]);
    vec_free(&todo);
  }
}

bool coord_uniform(Coord *c, NodeId id, int64_t *out) {
  const int64_t *v = coord_value(c, id);
  for (int64_t i = 1; v && i < c->n; i++)
    if (v[i] != v[0]) return false;
  if (v) *out = v[0];
  return v != NULL;
}

/* ---- life */

int64_t coord_n_devices(const Coord *c) { return c->n; }

Coord *coord_new_from(const Graph *g, CoordSource *source, void *context, int64_t n_devices) {
  Coord *c = xcalloc(1, sizeof *c);
  c->g = g;
  c->source = source;
  c->context = context;
  c->n = n_devices > 0 ? n_devices : 1;
  return c;
}

static const Instance *own_source(void *context, NodeId id) {
  Coord *c = context;
  return instance_of(c->instances, c->g, id, c->diags);
}

Coord *coord_new(const Graph *g, Instances *s, int64_t n_devices) {
  Coord *c = coord_new_from(g, own_source, NULL, n_devices);
  c->context = c;
  c->instances = s;
  c->sources = sources_new(); /* what does not fit is reported by whoever builds the graph, not here */
  c->diags = diags_new(c->sources);
  return c;
}

void coord_free(Coord *c) {
  if (!c) return;
  vec_free(&c->known);
  intvecs_free(&c->vectors);
  vec_free(&c->stack);
  vec_free(&c->missing);
  arena_free(&c->scratch);
  if (c->diags) diags_free(c->diags);
  if (c->sources) sources_free(c->sources);
  free(c);
}
