#include "eval/family/numbers.h"

#include <string.h>
#include <xxhash.h>

#include "eval/graph/bounds.h"

enum { MOST_SLOTS = 256, MOST_ALIKE = 64 };

typedef struct Taker {
  XXH3_state_t *hash;
  const Certificate *proof; /* or NULL */
  Vec(Rat) numbers;
  Vec(bool) counts;
  Vec(const uint32_t *) orders; /* by definition: its slots in the order of their new numbers; NULL: as they are */
  Arena arena;
} Taker;

static void same(Taker *t, uint64_t word) { XXH3_128bits_update(t->hash, &word, sizeof word); }

static void put(Taker *t, Rat v, bool counts) {
  if (!rat_is_finite(v)) {
    same(t, v);
    return;
  }
  vec_push(&t->numbers, v);
  vec_push(&t->counts, counts);
}

static void number(Taker *t, Rat v) { put(t, v, false); }
static void integer(Taker *t, int64_t v) { put(t, rat_int(v), true); }

/* A literal is the fraction that the proof reads it as: what was rounded is no polynomial of anything. */
static Rat as_read(const Taker *t, Rat v) {
  for (uint32_t i = 0; t->proof && i < t->proof->n_parts; i++)
    for (uint32_t k = 0; k < t->proof->parts[i].n_readings; k++)
      if (t->proof->parts[i].readings[k].literal == v) return t->proof->parts[i].readings[k].read;
  return v;
}

/* How many there are, then all of them. */
static void integers(Taker *t, const int64_t *at, uint32_t n) {
  same(t, n);
  for (uint32_t i = 0; i < n; i++) integer(t, at[i]);
}

/* ---- graphs and relation */

static void take_attr(Taker *t, const Attr *a) {
  same(t, a->name);
  same(t, a->kind);
  same(t, a->kind == ATTR_SYM ? a->s : 0);
  if (a->kind == ATTR_RAT) number(t, a->r);
  if (a->kind == ATTR_INT) integer(t, a->i);
  if (a->kind == ATTR_GROUPS) same(t, (uint64_t)a->i);
  if (a->kind == ATTR_INTS || a->kind == ATTR_GROUPS || a->kind == ATTR_PAIRS) integers(t, a->ints, a->n);
}

static void take_node(Taker *t, const Node *n) {
  same(t, n->op);
  same(t, n->dtype);
  same(t, n->result);
  integers(t, n->dims, n->rank);
  same(t, n->n_args);
  for (uint32_t i = 0; i < n->n_args; i++) same(t, n->args[i]);
  same(t, n->n_attrs);
  for (uint32_t i = 0; i < n->n_attrs; i++) take_attr(t, &n->attrs[i]);
  if (n->op == sym("parameter")) same(t, (uint64_t)n->param);
  if (!n->literal) return;
  uint64_t values = n->literal->kind == LIT_VALUES ? n->literal->n : n->literal->kind == LIT_SPLAT;
  same(t, n->literal->kind);
  same(t, values);
  for (uint64_t i = 0; i < values; i++) put(t, as_read(t, n->literal->values[i]), dtype_is_int((DType)n->dtype));
}

static void take_related(Taker *t, const Related *r) {
  same(t, (uint64_t)r->seq);
  same(t, (uint64_t)r->dist);
  for (uint32_t d = 0; d < r->layout.rank; d++) {
    same(t, r->layout.dims[d].n);
    for (uint32_t k = 0; k < r->layout.dims[d].n; k++) same(t, r->layout.dims[d].axes[k]);
  }
  same(t, r->layout.n_partial);
  for (uint32_t k = 0; k < r->layout.n_partial; k++) same(t, r->layout.partial[k]);
  same(t, r->blocks.dim);
  integers(t, r->blocks.order, r->blocks.n);
  same(t, (uint64_t)r->has_lo | (uint64_t)r->has_hi << 1 | (uint64_t)r->only_also << 2);
  if (r->has_lo) number(t, r->lo);
  if (r->has_hi) number(t, r->hi);
  same(t, r->n_also);
  for (uint32_t k = 0; k < r->n_also; k++) number(t, r->also[k]);
  integer(t, r->divided);
}

/* What arithmetic on the numbers of a graph comes to, everywhere; RAT_NAN: that is not known. */
static Rat folded(const Taker *t, const Node *n, const Rat *of, const Bounds *b) {
  bool whole = dtype_is_int((DType)n->dtype);
  if (n->literal) return n->literal->kind == LIT_SPLAT ? as_read(t, n->literal->values[0]) : RAT_NAN;
  if (b->known) return b->lo == b->hi && bounds_fit(b, DT_S64) ? rat_int((int64_t)b->lo) : RAT_NAN;
  Rat x = n->n_args ? of[n->args[0]] : RAT_NAN, y = n->n_args == 2 ? of[n->args[1]] : RAT_0;
  if (whole || dtype_kind((DType)n->dtype) == DK_BOOL || n->n_args > 2 || !rat_is_finite(x) || !rat_is_finite(y))
    return RAT_NAN;
  static const char *const same[] = {"broadcast", "reshape", "transpose", "copy", "convert"};
  for (size_t k = 0; k < sizeof same / sizeof *same; k++)
    if (n->op == sym(same[k])) return x;
  if (n->op == sym("add")) return rat_add(x, y);
  if (n->op == sym("subtract")) return rat_sub(x, y);
  if (n->op == sym("multiply")) return rat_mul(x, y);
  if (n->op == sym("divide") && y != RAT_0) return rat_div(x, y);
  if (n->op == sym("negate")) return rat_neg(x);
  if (n->op == sym("sign")) return rat_int(rat_sign(x));
  if (n->op == sym("floor")) return rat_floor(x);
  if (n->op == sym("ceil")) return rat_ceil(x);
  if (n->op == sym("truncate")) return rat_sign(x) < 0 ? rat_ceil(x) : rat_floor(x);
  if (n->op == sym("round_nearest_even") || n->op == sym("round_nearest_afz"))
    return rat_floor(rat_add(x, rat_frac(1, 2)));
  if (n->op == sym("maximum")) return rat_cmp(x, y) < 0 ? y : x;
  if (n->op == sym("minimum")) return rat_cmp(x, y) < 0 ? x : y;
  return RAT_NAN;
}

/* It is a number of the proof alone; so is the first that its type does not hold. */
static void take_folded(Taker *t, const Node *n, Rat v) {
  DType type = (DType)n->dtype;
  bool known = rat_is_finite(v), whole = dtype_is_int(type);
  same(t, known);
  if (known && !n->literal) put(t, v, whole);
  if (whole && (known || dtype_bits(type) <= 16))
    number(t, rat_pow(RAT_INT(2), dtype_bits(type) - (dtype_kind(type) == DK_INT)));
}

/* Where what rounds a number takes a step: numbers of the proof alone, too. */
static void take_steps(Taker *t, const Node *n, const Rat *of) {
  static const char *const rounding[] = {"floor", "ceil", "truncate", "round_nearest_even", "round_nearest_afz", "sign"};
  Rat x = n->n_args ? of[n->args[0]] : RAT_NAN, by = n->n_args == 2 ? of[n->args[1]] : RAT_NAN;
  for (size_t k = 0; k < sizeof rounding / sizeof *rounding; k++)
    for (int64_t i = -2; n->op == sym(rounding[k]) && rat_is_finite(x) && i <= 2; i++)
      number(t, k == 5 ? RAT_0 : rat_add(rat_floor(x), rat_frac(i, 2)));
  bool shifts = n->op == sym("shift_right_logical") || n->op == sym("shift_right_arithmetic");
  if (shifts && rat_is_finite(by) && rat_sign(by) >= 0 && rat_cmp(by, RAT_INT(64)) < 0)
    number(t, rat_pow(RAT_INT(2), (int64_t)rat_to_double(by)));
}

static void take_graph(Taker *t, const Graph *g, const Relation *r, int side) {
  const Bounds *bounds = graph_bounds(g, r, side, &t->arena);
  Rat *of = ARENA_ARRAY(&t->arena, Rat, g->nodes.len + 1);
  same(t, g->nodes.len);
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    of[i] = folded(t, n, of, &bounds[i]);
    take_node(t, n);
    take_folded(t, n, of[i]);
    take_steps(t, n, of);
  }
  same(t, g->outputs.len);
  for (size_t i = 0; i < g->outputs.len; i++) same(t, g->outputs.at[i].node);
}

static void take_relation(Taker *t, const Relation *r) {
  for (uint32_t k = 0; k < r->mesh.n_axes; k++) integer(t, r->mesh.axes[k].size);
  same(t, r->n_inputs);
  for (uint32_t i = 0; i < r->n_inputs; i++) take_related(t, &r->inputs[i]);
  same(t, r->n_outputs);
  for (uint32_t i = 0; i < r->n_outputs; i++) take_related(t, &r->outputs[i]);
}

/* ---- the proof */

static void take_cuts(Taker *t, const Cuts *c, uint32_t n) {
  for (uint32_t d = 0; c && d < n; d++) integers(t, c[d].size, c[d].n);
}

/* Slots have no order of their own: they are numbered as they occur, args by what they are. */
static const uint32_t *order_of(const Taker *t, const Store *s, DefId d, uint32_t *own) {
  if (d < t->orders.len && t->orders.at[d]) return t->orders.at[d];
  for (uint32_t k = 0; k < s->defs.at[d].n_slots && k < MOST_SLOTS; k++) own[k] = k;
  return own;
}

typedef struct Slots {
  uint32_t n, number[MOST_SLOTS], at[MOST_SLOTS]; /* new number by slot, slot by new number */
} Slots;

static void meet(Slots *x, uint32_t slot) {
  for (uint32_t i = 0; i < x->n; i++)
    if (x->at[i] == slot) return;
  x->number[slot] = x->n;
  x->at[x->n++] = slot;
}

static void take_arg(Taker *t, const Store *s, const DefArg *x, Slots *slots) {
  uint32_t own[MOST_SLOTS];
  const uint32_t *order = order_of(t, s, x->def, own);
  number(t, x->tag);
  same(t, x->def);
  same(t, x->n);
  for (uint32_t k = 0; k < x->n && x->n <= MOST_SLOTS; k++) {
    int32_t at = x->at[order[k]];
    if (at >= 0) meet(slots, (uint32_t)at);
    same(t, at < 0 ? UINT64_MAX : slots->number[at]);
    if (at < 0) integer(t, -1 - (int64_t)at);
  }
}

/* Of two args of one definition, the one comes first whose labels were met before. */
static bool before(const Taker *t, const Store *s, const DefArg *x, const DefArg *y, const Slots *slots) {
  uint32_t own[MOST_SLOTS];
  const uint32_t *order = order_of(t, s, x->def, own);
  for (uint32_t k = 0; k < x->n && x->n <= MOST_SLOTS && x->n == y->n; k++) {
    uint32_t number[2];
    for (int i = 0; i < 2; i++) {
      int32_t at = (i ? y : x)->at[order[k]];
      bool met = at >= 0 && slots->n > slots->number[at] && slots->at[slots->number[at]] == (uint32_t)at;
      number[i] = at < 0 ? 0 : met ? 1 + slots->number[at] : UINT32_MAX;
    }
    if (number[0] != number[1]) return number[0] < number[1];
  }
  return false;
}

/* The args by definition; those of one, as they are met. */
static void take_args(Taker *t, const Store *s, const Def *d, uint32_t *args, Slots *slots) {
  bool commutes = d->kind == DEF_LIN || d->kind == DEF_MUL || d->kind == DEF_SUM || d->kind == DEF_MAX;
  for (uint32_t i = 0; i < d->n_args; i++) {
    uint32_t k = i;
    for (; k && commutes && d->args[args[k - 1]].def > d->args[i].def; k--) args[k] = args[k - 1];
    args[k] = i;
  }
  for (uint32_t i = 0; i < d->n_args; i++) {
    for (uint32_t k = i + 1; commutes && k < d->n_args && k < i + MOST_ALIKE; k++) {
      if (d->args[args[k]].def != d->args[args[i]].def) break;
      if (!before(t, s, &d->args[args[k]], &d->args[args[i]], slots)) continue;
      uint32_t first = args[k];
      args[k] = args[i];
      args[i] = first;
    }
    take_arg(t, s, &d->args[args[i]], slots);
  }
}

static void take_forms(Taker *t, const Def *d, uint32_t n, Slots *slots) {
  for (uint32_t k = 0; k < n; k++) {
    integer(t, d->forms[k].c);
    same(t, d->forms[k].n);
    for (uint32_t i = 0; i < d->forms[k].n; i++) {
      meet(slots, d->forms[k].t[i].l);
      integer(t, d->forms[k].t[i].k);
      same(t, slots->number[d->forms[k].t[i].l]);
    }
  }
}

static void take_def(Taker *t, const Store *s, DefId id) {
  const Def *d = &s->defs.at[id];
  uint32_t n = d->n_slots + d->n_bound, *args = ARENA_ARRAY(&t->arena, uint32_t, d->n_args + 1);
  Slots slots = {0};
  if (n > MOST_SLOTS) { /* its names are as they are */
    integers(t, d->sizes, n);
    for (uint32_t i = 0; i < d->n_args; i++) same(t, d->args[i].def);
    return;
  }
  same(t, d->kind);
  same(t, d->fn);
  same(t, (uint64_t)d->attr);
  same(t, d->n_slots);
  same(t, n);
  same(t, d->n_args);
  take_args(t, s, d, args, &slots);
  if (d->kind == DEF_AT) take_forms(t, d, s->defs.at[d->attr].n_slots, &slots);
  for (uint32_t k = 0; k < n; k++) meet(&slots, k);
  for (uint32_t k = 0; k < n; k++) integer(t, d->sizes[slots.at[k]]);
  uint32_t *order = ARENA_ARRAY(&t->arena, uint32_t, d->n_slots + 1), have = 0;
  for (uint32_t k = 0; k < n; k++) {
    if (slots.at[k] < d->n_slots) order[have++] = slots.at[k];
    same(t, slots.at[k] < d->n_slots);
  }
  while (t->orders.len <= id) vec_push(&t->orders, NULL);
  t->orders.at[id] = order;
  uint64_t values = d->kind == DEF_TABLE ? 1 : 0;
  for (uint32_t k = 0; k < d->n_slots; k++) values *= (uint64_t)d->sizes[k];
  same(t, values);
  for (uint64_t k = 0; k < values; k++) number(t, d->values[k]);
}

/* A step's labels are those of its question, which is not written down: what they are called is left out. */
static void take_step(Taker *t, const Store *s, const Step *x) {
  uint32_t own[MOST_SLOTS];
  const uint32_t *order = order_of(t, s, x->def, own);
  same(t, x->law);
  same(t, x->choice.n);
  number(t, x->k);
  same(t, x->def);
  same(t, x->n);
  for (uint32_t i = 0; i < x->n && x->n <= MOST_SLOTS; i++) {
    bool constant = label_is_const(x->at[order[i]]);
    same(t, constant);
    if (constant) integer(t, label_value(x->at[order[i]]));
  }
}

static void take_waypoints(Taker *t, const Waypoints *w) {
  same(t, w->n);
  for (uint32_t i = 0; i < w->n; i++) {
    const Layout *l = &w->at[i].layout;
    same(t, w->at[i].seq);
    same(t, w->at[i].dist);
    number(t, w->at[i].factor);
    for (uint32_t d = 0; d < l->rank; d++) {
      same(t, l->dims[d].n);
      for (uint32_t k = 0; k < l->dims[d].n; k++) same(t, l->dims[d].axes[k]);
    }
  }
}

static void take_part(Taker *t, const CertifyProblem *p, const Part *x) {
  uint32_t digits = 0, n_axes = p->relation->mesh.n_axes;
  same(t, x->n_outputs);
  for (uint32_t i = 0; i < x->n_outputs; i++) same(t, x->outputs[i]);
  take_waypoints(t, &x->cut.inputs);
  take_waypoints(t, &x->cut.ways);
  take_waypoints(t, &x->cut.claims);
  take_cuts(t, x->axes, n_axes);
  for (uint32_t k = 0; k < n_axes; k++) digits += x->axes[k].n;
  for (uint32_t k = 0; k < digits; k++) same(t, x->written && x->written[k]);
  for (int side = 0; side < 2; side++)
    for (size_t id = 0; id < p->graph[side]->nodes.len; id++) {
      take_cuts(t, x->dims[side][id], p->graph[side]->nodes.at[id].rank);
      same(t, x->restated[side][id]);
    }
  same(t, x->store->defs.len);
  vec_clear(&t->orders);
  for (size_t i = 2; i < x->store->defs.len; i++) take_def(t, x->store, (DefId)i);
  same(t, x->steps.len);
  for (size_t i = 0; i < x->steps.len; i++) take_step(t, x->store, &x->steps.at[i]);
}

Numbers numbers_of(const CertifyProblem *p, const Certificate *c, Arena *a) {
  Taker t = {.hash = XXH3_createState(), .proof = c};
  XXH3_128bits_reset(t.hash);
  for (int side = 0; side < 2; side++) take_graph(&t, p->graph[side], p->relation, side);
  take_relation(&t, p->relation);
  Numbers out = {.n_graphs = (uint32_t)t.numbers.len};
  same(&t, c ? c->n_parts : UINT64_MAX);
  for (uint32_t i = 0; c && i < c->n_parts; i++) take_part(&t, p, &c->parts[i]);
  XXH128_hash_t h = XXH3_128bits_digest(t.hash);
  out.shape[0] = h.low64;
  out.shape[1] = h.high64;
  out.n = (uint32_t)t.numbers.len;
  out.at = arena_copy(a, t.numbers.at, t.numbers.len * sizeof *t.numbers.at);
  out.counts = arena_copy(a, t.counts.at, t.counts.len * sizeof *t.counts.at);
  vec_free(&t.numbers);
  vec_free(&t.counts);
  vec_free(&t.orders);
  arena_free(&t.arena);
  XXH3_freeState(t.hash);
  return out;
}

bool numbers_alike(const Numbers *a, const Numbers *b) {
  return a->n == b->n && a->n_graphs == b->n_graphs && !memcmp(a->shape, b->shape, sizeof a->shape);
}
