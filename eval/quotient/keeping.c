#include "eval/quotient/keeping.h"

#include <math.h>

#include "eval/quotient/closed_fact.h"
#include "eval/quotient/ranges.h"
#include "lang/base/clock.h"

enum { MAX_ROUNDS = 24, MAX_PRIME = 7, MAX_EXPRESSIONS = 256 };
enum { LEAST_BLURRED = 8, DEAR = 10 };   /* size of a digit; a part of what may be spent, of one node */
enum { CLOSED_TIMES = 64 }; /* more room for values that depend on no input than a proof has */

/* ---- digits */

/* How much of a digit is kept: its major part. */
static int64_t kept_of(const Keeping *p, uint32_t sort, int64_t size) {
  static const int64_t primes[] = {2, 3, 5, 7};
  if (p->mesh[sort] || p->whole[sort]) return size;
  if (p->axis[sort]) return 1;
  if (p->options.scramble && !p->blurred[sort]) {
    uint64_t h = (p->options.scramble * 0x9e3779b97f4a7c15u) ^ (sort * 0xbf58476d1ce4e5b9u) ^ ((uint64_t)size << 20);
    h = (h ^ h >> 31) * 0x94d049bb133111ebu;
    int64_t want = (int64_t)((h ^ h >> 29) % (uint64_t)size) + 1;
    while (size % want) want--;
    return want;
  }
  if (p->lean[sort] || p->blurred[sort]) return 1;
  for (int i = 0; i < 4; i++)
    if (size % primes[i] == 0) return primes[i];
  return size <= MAX_PRIME ? size : 1;
}

static void pattern_of(const Keeping *p, const DigitList *l, Pattern *out) {
  *out = (Pattern){0};
  for (uint32_t j = l->n; j-- > 0;) {
    int64_t kept = kept_of(p, l->sort[j], l->size[j]);
    pattern_push(out, l->size[j] / kept, false);
    pattern_push(out, kept, true);
  }
}

void keeping_dim(const Keeping *p, Side side, NodeId node, uint32_t dim, Pattern *out) {
  DigitList l = digits_dim(p->digits, side, node, dim);
  pattern_of(p, &l, out);
}

static void ask_dim(void *context, Side side, NodeId node, uint32_t dim, Pattern *out) {
  keeping_dim(context, side, node, dim, out);
}

/* Members of a replica group: all are there, whatever blocks are told apart. */
static bool is_member(const Instance *in, VarId var) {
  bool member = in->vars[var].kind == VAR_GROUP;
  for (XId i = 0; i < in->n_x && !member; i++) member = in->x[i].kind == X_READ && in->x[i].group == var;
  return member;
}

static void ask_var(void *context, Side side, NodeId node, VarId var, Pattern *out) {
  const Keeping *p = context;
  const Instance *in = p->problem->instance[side][node];
  if (is_member(in, var)) {
    *out = (Pattern){0};
    pattern_push(out, in->vars[var].size, true);
    return;
  }
  DigitList l = digits_var(p->digits, side, node, var);
  pattern_of(p, &l, out);
}

static void need(Keeping *p, const DigitList *l) {
  for (uint32_t j = 0; j < l->n; j++)
    if (!p->mesh[l->sort[j]] && !p->whole[l->sort[j]]) vec_push(&p->needs, l->sort[j]);
}

static void need_dim(void *context, Side side, NodeId node, uint32_t dim) {
  DigitList l = digits_dim(((Keeping *)context)->digits, side, node, dim);
  need(context, &l);
}

static void need_var(void *context, Side side, NodeId node, VarId var) {
  DigitList l = digits_var(((Keeping *)context)->digits, side, node, var);
  need(context, &l);
}

/* Keeps whole what is needed; false: it cannot be. */
static bool grant(Keeping *p) {
  bool can = p->needs.len > 0;
  for (size_t i = 0; i < p->needs.len; i++) can &= !p->blurred[p->needs.at[i]];
  for (size_t i = 0; i < p->needs.len && can; i++) p->whole[p->needs.at[i]] = true;
  p->changed |= can;
  vec_clear(&p->needs);
  return can;
}

/* ---- nodes */

static bool is_kind(const Node *n, const char *op) { return n->op == sym(op); }

static Fact parameter_fact(const Keeping *p, Side side, const Node *n) {
  const Related *r = n->param >= 0 ? p->input[side][n->param] : NULL;
  int64_t seq = side == SIDE_SEQ ? n->param : r ? r->seq : -1;
  return seq >= 0 && p->zeroed[seq] ? FACT_ZERO : fact_of_parameter(r, n);
}

static const Instance *equation_of(const Keeping *p, Side side, NodeId id) {
  const Instance *in = p->problem->instance[side][id];
  return in && (in->opaque || in->body != NO_X) ? in : NULL;
}

static int64_t n_devices(const Keeping *p, Side side) {
  return side == SIDE_DIST ? p->problem->relation->mesh.n_devices : 1;
}

/* What its numbers say, if it has the same on any inputs; else `f`. */
static Fact closed_fact(const Keeping *p, Side side, NodeId id, Fact f) {
  if (fact_is_number(&f) || f.some || !closed_is(p->closed[side], id)) return f;
  Fact *is = &p->closed_fact[side][id];
  if (!p->closed_known[side][id]) {
    *is = fact_of_closed(p->closed[side], &p->problem->graph[side]->nodes.at[id], id, n_devices(p, side));
    p->closed_known[side][id] = true;
  }
  return is->has ? *is : f;
}

/* The facts of a node's expressions, and its own. */
static Fact find_facts(const Keeping *p, Side side, NodeId id, Fact *all) {
  const Graph *g = p->problem->graph[side];
  const Node *n = &g->nodes.at[id];
  const Instance *in = equation_of(p, side, id);
  if (is_kind(n, "parameter")) return parameter_fact(p, side, n);
  if (n->literal) return fact_of_literal(n->literal);
  if (!in || in->opaque) return FACT_NONE;
  FactContext c = {g, n, in, p->fact[side], n_devices(p, side)};
  fact_expressions(&c, all);
  Fact f = fact_of_node(n, in, all[in->body], &p->bounds[side][id]);
  return dtype_is_float((DType)n->dtype) ? closed_fact(p, side, id, f) : f;
}

static Shrinking shrinking(Keeping *p, Side side, NodeId id, const Fact *facts) {
  return (Shrinking){p->problem, side,     id, ask_dim,       ask_var,        need_dim,
                     need_var,   p,        facts, p->fact[side], p->vague[side], p->mean[side]};
}

static Shrunk try_shrink(Keeping *p, Side side, NodeId id, const Fact *facts, Arena *a, Instance *out) {
  Shrinking s = shrinking(p, side, id, facts);
  return shrink(&s, a, out);
}

static bool is_large(const Instance *in) { return in && in->n_x > MAX_EXPRESSIONS; }

/* Rows that add up to 1 have a known mean, whatever they are. */
static NodeState rows_state(Keeping *p, const Shrinking *s) {
  const Node *n = &p->problem->graph[s->side]->nodes.at[s->node];
  const Fact *f = &p->fact[s->side][s->node];
  uint32_t d = fact_is_number(f) && !p->stuck[s->side][s->node] ? mean_of_softmax(s) : n->rank;
  Pattern row;
  if (d == n->rank || d >= 64) return NODE_VAGUE;
  keeping_dim(p, s->side, s->node, d, &row);
  if (pattern_small(&row) > 1) return NODE_VAGUE;
  p->mean[s->side][s->node] = UINT64_C(1) << d;
  return NODE_ROWS;
}

static NodeState shrink_state(Keeping *p, Side side, NodeId id, const Fact *facts) {
  Arena scratch = {0};
  Instance out;
  Shrunk is;
  p->stuck[side][id] = false;
  do {
    is = try_shrink(p, side, id, facts, &scratch, &out);
    if (is == SHRINK_VAGUE) vec_clear(&p->needs);
  } while (is == SHRINK_NEEDS && grant(p));
  p->stuck[side][id] = is == SHRINK_NEEDS;
  arena_free(&scratch);
  Shrinking s = shrinking(p, side, id, facts);
  if (is == SHRUNK && mean_of_node(&s, &p->mean[side][id])) return NODE_SMALL;
  p->mean[side][id] = 0;
  return rows_state(p, &s);
}

/* A table of numbers has them all. */
static NodeState literal_state(Keeping *p, Side side, NodeId id) {
  const Node *n = &p->problem->graph[side]->nodes.at[id];
  for (uint32_t d = 0; d < n->rank && n->literal->kind == LIT_VALUES; d++) need_dim(p, side, id, d);
  return !p->needs.len || grant(p) ? NODE_SMALL : NODE_VAGUE;
}

static void set_state(Keeping *p, Side side, NodeId id, NodeState s) {
  p->state[side][id] = (uint8_t)s;
  p->vague[side][id] = s == NODE_VAGUE;
}

void keeping_visit(Keeping *p, Side side, NodeId id) {
  const Node *n = &p->problem->graph[side]->nodes.at[id];
  const Instance *in = equation_of(p, side, id);
  Fact facts[MAX_EXPRESSIONS];
  if (is_large(in) || p->idle[side][id] || p->dear[side][id]) {
    p->mean[side][id] = 0;
    p->fact[side][id] = FACT_NONE;
    p->stuck[side][id] = true;
    return set_state(p, side, id, NODE_VAGUE);
  }
  p->fact[side][id] = find_facts(p, side, id, facts);
  p->mean[side][id] = 0;
  if (is_kind(n, "parameter")) return set_state(p, side, id, NODE_SMALL);
  if (n->literal) return set_state(p, side, id, literal_state(p, side, id));
  p->stuck[side][id] = !in;
  if (!in) return set_state(p, side, id, NODE_VAGUE);
  if (fact_is_zero(&p->fact[side][id])) return set_state(p, side, id, NODE_ZERO);
  set_state(p, side, id, shrink_state(p, side, id, facts));
}

Fact keeping_fact(const Keeping *p, Side side, NodeId id) {
  Fact facts[MAX_EXPRESSIONS];
  return is_large(equation_of(p, side, id)) ? FACT_NONE : find_facts(p, side, id, facts);
}

bool keeping_shrink(Keeping *p, Side side, NodeId node, Arena *a, Instance *out) {
  Fact facts[MAX_EXPRESSIONS];
  if (!equation_of(p, side, node) || is_large(equation_of(p, side, node))) return false;
  find_facts(p, side, node, facts);
  return try_shrink(p, side, node, facts, a, out) == SHRUNK;
}

/* ---- the relation */

bool keeping_axis(const Keeping *p, uint32_t axis) {
  uint32_t first, n = meshdigits_axis(digits_mesh(p->digits), axis, &first);
  for (uint32_t i = first; i < first + n; i++) {
    uint32_t sort = digits_mesh_sort(p->digits, i);
    if (!p->mesh[sort] && !p->whole[sort]) return false;
  }
  return true;
}

/* An axis is dropped with all its digits, or with none. */
static void level_axes(Keeping *p) {
  const MeshDigits *md = digits_mesh(p->digits);
  for (uint32_t a = 0; a < p->problem->relation->mesh.n_axes; a++) {
    uint32_t first, n = meshdigits_axis(md, a, &first);
    bool any = false;
    for (uint32_t i = first; i < first + n; i++) any |= p->whole[digits_mesh_sort(p->digits, i)];
    for (uint32_t i = first; i < first + n && any; i++) {
      bool *whole = &p->whole[digits_mesh_sort(p->digits, i)];
      p->changed |= !*whole;
      *whole = true;
    }
  }
}

static void push_blocks(const Keeping *p, const Layout *l, uint32_t dim, Pattern *block) {
  for (uint32_t k = l->dims[dim].n; k-- > 0;) {
    uint32_t axis = l->dims[dim].axes[k];
    pattern_push(block, p->problem->relation->mesh.axes[axis].size, keeping_axis(p, axis));
  }
}

static bool related_nodes(const Keeping *p, const Related *r, bool inputs, NodeId *seq, NodeId *dist) {
  const Graph *s = p->problem->graph[SIDE_SEQ], *t = p->problem->graph[SIDE_DIST];
  *seq = inputs ? s->params.at[r->seq] : s->outputs.at[r->seq].node;
  *dist = inputs ? t->params.at[r->dist] : t->outputs.at[r->dist].node;
  return *seq != NO_NODE && *dist != NO_NODE;
}

/* The sequential dimension has the digits of the axes that cut it, and those of a block. */
static bool relate(Keeping *p, const Related *r, NodeId seq, NodeId dist) {
  for (uint32_t d = 0; d < r->layout.rank; d++) {
    Pattern whole, block;
    keeping_dim(p, SIDE_SEQ, seq, d, &whole);
    keeping_dim(p, SIDE_DIST, dist, d, &block);
    push_blocks(p, &r->layout, d, &block);
    if (pattern_same(&whole, &block)) continue;
    need_dim(p, SIDE_SEQ, seq, d);
    need_dim(p, SIDE_DIST, dist, d);
    if (!grant(p)) return false;
  }
  return true;
}

static bool is_vague(const Keeping *p, const Related *r) {
  NodeId seq, dist;
  if (!related_nodes(p, r, false, &seq, &dist)) return true;
  return p->vague[SIDE_SEQ][seq] || p->vague[SIDE_DIST][dist] || p->mean[SIDE_SEQ][seq] || p->mean[SIDE_DIST][dist];
}

bool keeping_output(const Keeping *p, uint32_t k) {
  NodeId seq, dist;
  const Related *r = &p->problem->relation->outputs[k];
  if (!p->open[k] || is_vague(p, r) || !related_nodes(p, r, false, &seq, &dist)) return false;
  for (uint32_t d = 0; d < r->layout.rank; d++) {
    Pattern whole, block;
    keeping_dim(p, SIDE_SEQ, seq, d, &whole);
    keeping_dim(p, SIDE_DIST, dist, d, &block);
    push_blocks(p, &r->layout, d, &block);
    if (!pattern_same(&whole, &block)) return false;
  }
  return true;
}

static bool relate_all(Keeping *p) {
  const Relation *rel = p->problem->relation;
  NodeId seq, dist;
  bool fits = true;
  for (uint32_t k = 0; k < rel->n_inputs && fits; k++)
    fits = related_nodes(p, &rel->inputs[k], true, &seq, &dist) && relate(p, &rel->inputs[k], seq, dist);
  for (uint32_t k = 0; k < rel->n_outputs && fits; k++)
    if (p->open[k] && !is_vague(p, &rel->outputs[k]) && related_nodes(p, &rel->outputs[k], false, &seq, &dist))
      relate(p, &rel->outputs[k], seq, dist);
  return fits;
}

/* ---- the fixpoint */

bool keeping_is_late(const Keeping *p) { return clock_spent() > p->deadline; }

static bool settle_once(Keeping *p) {
  bool fits;
  do {
    p->changed = false;
    for (int side = 0; side < SIDE_COUNT; side++)
      for (NodeId id = 0; id < p->problem->graph[side]->nodes.len; id++) keeping_visit(p, (Side)side, id);
    fits = relate_all(p) && !keeping_is_late(p);
    level_axes(p);
  } while (p->changed && fits);
  return fits;
}

static double small_of(const Keeping *p, const DigitList *l) {
  Pattern x;
  pattern_of(p, l, &x);
  return (double)pattern_small(&x);
}

static double numbers_of(const Keeping *p, Side side, NodeId id) {
  double n = 1;
  for (uint32_t d = 0; d < p->problem->graph[side]->nodes.at[id].rank; d++) {
    DigitList l = digits_dim(p->digits, side, id, d);
    n *= small_of(p, &l);
  }
  return n;
}

static uint64_t bit(VarId v) { return v < 64 ? UINT64_C(1) << v : 0; }

/* Variables that an expression depends on; for a reduction also those it is over, into *points. */
static uint64_t vars_of(const Instance *in, XId id, const uint64_t *of, uint64_t *points) {
  const X *x = &in->x[id];
  uint64_t vars = 0, over = 0;
  for (uint32_t k = 0; k < x->n; k++) {
    if (x->kind != X_READ && x->kind != X_INDEX) vars |= of[x->args[k]];
    const Ix *ix = x->kind == X_READ ? &x->ix[k] : NULL;
    for (uint32_t t = 0; ix && t < ix->n_terms; t++) vars |= bit(ix->terms[t].var);
    if (ix && ix->dyn != NO_X) vars |= of[ix->dyn];
  }
  for (uint32_t t = 0; x->kind == X_INDEX && t < x->ix->n_terms; t++) vars |= bit(x->ix->terms[t].var);
  if (x->kind == X_INDEX && x->ix->dyn != NO_X) vars |= of[x->ix->dyn];
  for (uint32_t k = 0; k < x->n_vars; k++) over |= bit(x->vars[k]);
  *points = vars | over;
  return vars & ~over;
}

/* Element operations. */
static double work_of(const Keeping *p, Side side, NodeId id) {
  const Instance *in = equation_of(p, side, id);
  uint64_t of[MAX_EXPRESSIONS];
  double size[64] = {0}, most = 0;
  if (!in || in->opaque) return 0;
  for (VarId v = 0; v < in->n_vars && v < 64; v++) {
    DigitList l = digits_var(p->digits, side, id, v);
    size[v] = in->vars[v].kind == VAR_GROUP ? 1 : small_of(p, &l);
  }
  for (XId i = 0; i < in->n_x; i++) {
    uint64_t points;
    double n = 1;
    of[i] = vars_of(in, i, of, &points);
    for (VarId v = 0; v < 64; v++) n *= points >> v & 1 ? size[v] : 1;
    most = fmax(most, n);
  }
  return most;
}

static double devices_of(const Keeping *p, int side) {
  const Mesh *m = &p->problem->relation->mesh;
  double n = 1;
  for (uint32_t a = 0; a < m->n_axes && side == SIDE_DIST; a++) n *= keeping_axis(p, a) ? (double)m->axes[a].size : 1;
  return n;
}

static void blame_list(const Keeping *p, const DigitList *l, double cost, double *of) {
  for (uint32_t j = 0; j < l->n; j++)
    if (!p->mesh[l->sort[j]] && !p->axis[l->sort[j]] && kept_of(p, l->sort[j], l->size[j]) > 1) of[l->sort[j]] += cost;
}

/* How much of a dimension is kept in part. */
static double part_of(const Keeping *p, const DigitList *l) {
  double n = 1;
  for (uint32_t j = 0; j < l->n; j++)
    if (!p->mesh[l->sort[j]] && !p->whole[l->sort[j]]) n *= (double)kept_of(p, l->sort[j], l->size[j]);
  return n;
}

static double excess(const Keeping *p, double numbers, double work) {
  return fmax(numbers / (double)p->options.max_numbers, work / (double)p->options.max_work);
}

/* How many times too much all cost, and would cost (*lean) were nothing kept in part; of[s]: what has digits of the sort. */
static double find_costs(const Keeping *p, double *of, double *lean) {
  double numbers = 0, work = 0, lean_numbers = 0, lean_work = 0;
  memset(of, 0, p->n_sorts * sizeof *of);
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId id = 0; id < p->problem->graph[side]->nodes.len; id++) {
      if (p->state[side][id] != NODE_SMALL) continue;
      double n = numbers_of(p, (Side)side, id) * devices_of(p, side), w = work_of(p, (Side)side, id) * devices_of(p, side);
      double part = 1;
      for (uint32_t d = 0; d < p->problem->graph[side]->nodes.at[id].rank; d++) {
        DigitList l = digits_dim(p->digits, (Side)side, id, d);
        blame_list(p, &l, n + w, of);
        part *= part_of(p, &l);
      }
      numbers += n, work += w;
      lean_numbers += n / part, lean_work += w / part;
    }
  *lean = excess(p, lean_numbers, lean_work);
  return excess(p, numbers, work);
}

/* The sort that costs most among those kept whole that may be blurred; false: there is none. */
static bool blur(Keeping *p, const double *of) {
  double least = p->options.scramble ? 2 : LEAST_BLURRED;
  uint32_t best = p->n_sorts;
  for (uint32_t s = 0; s < p->n_sorts; s++)
    if (p->whole[s] && !p->axis[s] && p->size[s] >= least && of[s] > 0 && (best == p->n_sorts || of[s] > of[best])) best = s;
  if (best < p->n_sorts) p->blurred[best] = true;
  return best < p->n_sorts;
}

/* Nodes that alone cost a good part of what may be spent are left out, once; what needs them is unknown then. */
static bool give_up(Keeping *p) {
  bool any = false;
  if (p->gave_up || p->options.scramble) return false;
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId id = 0; id < p->problem->graph[side]->nodes.len; id++) {
      if (p->state[side][id] != NODE_SMALL) continue;
      double n = numbers_of(p, (Side)side, id) * devices_of(p, side), w = work_of(p, (Side)side, id) * devices_of(p, side);
      p->dear[side][id] = DEAR * excess(p, n, w) > 1;
      any |= p->dear[side][id];
    }
  return p->gave_up = any;
}

static void forget_dear(Keeping *p) {
  for (int side = 0; side < SIDE_COUNT; side++)
    memset(p->dear[side], 0, p->problem->graph[side]->nodes.len * sizeof *p->dear[side]);
}

static void forget_whole(Keeping *p) { memset(p->whole, 0, p->n_sorts * sizeof *p->whole); }

/* Digits kept in part that cost most are dropped; false: there are none. */
static bool be_lean(Keeping *p, const double *of) {
  double most = 0;
  for (uint32_t s = 0; s < p->n_sorts; s++)
    if (!p->whole[s]) most = fmax(most, of[s]);
  for (uint32_t s = 0; s < p->n_sorts; s++) p->lean[s] |= most > 0 && !p->whole[s] && of[s] >= most / 2;
  return most > 0;
}

bool keeping_any_output(const Keeping *p) {
  bool any = false;
  for (uint32_t k = 0; k < p->problem->relation->n_outputs; k++) any |= keeping_output(p, k);
  return any;
}

bool keeping_settle(Keeping *p) {
  double *of = xcalloc(p->n_sorts + 1, sizeof *of);
  bool fits = false, goes_on = true;
  for (int i = 0; i < MAX_ROUNDS && !fits && goes_on; i++) {
    goes_on = settle_once(p);
    double least, over = goes_on ? find_costs(p, of, &least) : 0;
    fits = goes_on && over <= 1;
    if (fits || !goes_on) break;
    bool lean = least <= 1 && !p->options.scramble && be_lean(p, of);
    if (!lean && give_up(p)) {
      forget_whole(p);
      goes_on = settle_once(p);
      if (goes_on && keeping_any_output(p)) continue;
      forget_dear(p); /* nothing is left */
      goes_on = goes_on && settle_once(p);
      if (!goes_on) break;
      find_costs(p, of, &least);
    }
    goes_on = lean || blur(p, of) || (!p->options.scramble && be_lean(p, of));
    forget_whole(p);
  }
  free(of);
  return fits;
}

/* ---- all of it */

static bool can_read(const Problem *p) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->graph[side];
    if (g->param_sizes || g->output_sizes || g->param_values || g->loops.len) return false;
    for (NodeId id = 0; id < g->nodes.len; id++)
      for (uint32_t d = 0; d < g->nodes.at[id].rank; d++)
        if (g->nodes.at[id].dims[d] < 1) return false;
  }
  const Relation *rel = p->relation;
  const Graph *s = p->graph[SIDE_SEQ], *t = p->graph[SIDE_DIST];
  for (uint32_t k = 0; k < rel->n_inputs + rel->n_outputs; k++) {
    bool in = k < rel->n_inputs;
    const Related *r = in ? &rel->inputs[k] : &rel->outputs[k - rel->n_inputs];
    size_t n_seq = in ? s->params.len : s->outputs.len, n_dist = in ? t->params.len : t->outputs.len;
    if (r->seq < 0 || r->dist < 0 || (size_t)r->seq >= n_seq || (size_t)r->dist >= n_dist) return false;
    if (r->blocks.n && !r->rearranged) return false;
  }
  return true;
}

/* Digits make up their dimension. */
static bool digits_fit(const Keeping *p) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->problem->graph[side];
    for (NodeId id = 0; id < g->nodes.len; id++)
      for (uint32_t d = 0; d < g->nodes.at[id].rank; d++) {
        DigitList l = digits_dim(p->digits, (Side)side, id, d);
        int64_t n = 1;
        for (uint32_t j = 0; j < l.n; j++) n *= l.size[j], p->size[l.sort[j]] = l.size[j];
        if (n != g->nodes.at[id].dims[d]) return false;
      }
  }
  return true;
}

/* What no open output depends on. */
static void find_idle(Keeping *p) {
  NodeId at[SIDE_COUNT];
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->problem->graph[side];
    bool *idle = p->idle[side] = ARENA_ARRAY(&p->arena, bool, g->nodes.len + 1);
    memset(idle, 1, g->nodes.len);
    for (uint32_t k = 0; k < p->problem->relation->n_outputs; k++)
      if (p->open[k] && related_nodes(p, &p->problem->relation->outputs[k], false, &at[SIDE_SEQ], &at[SIDE_DIST]))
        idle[at[side]] = false;
    for (NodeId id = (NodeId)g->nodes.len; id-- > 0;)
      for (uint32_t k = 0; !idle[id] && k < g->nodes.at[id].n_args; k++) idle[g->nodes.at[id].args[k]] = false;
    for (size_t k = 0; k < g->params.len; k++)
      if (g->params.at[k] != NO_NODE) idle[g->params.at[k]] = false;
  }
}

Keeping *keeping_new(const Problem *problem, const bool *open, const QuotientOptions *o) {
  if (!can_read(problem)) return NULL;
  Keeping *p = xcalloc(1, sizeof *p);
  Problem *narrow = arena_copy(&p->arena, problem, sizeof *problem), plain;
  narrow->relation = ranges_stated(problem, &p->arena);
  p->problem = problem = narrow;
  plain = *problem;
  plain.waypoints = NULL;
  plain.n_flat = 0;
  p->open = open;
  p->options = *o;
  p->deadline = clock_spent() + o->seconds;
  p->digits = digits_infer(arena_copy(&p->arena, &plain, sizeof plain), DIGITS_JOINED);
  p->n_sorts = (uint32_t)digits_stats(p->digits).n_sorts;
  p->size = ARENA_ARRAY(&p->arena, int64_t, p->n_sorts + 1);
  bool **flags[] = {&p->mesh, &p->whole, &p->blurred, &p->lean, &p->axis};
  for (int i = 0; i < 5; i++) *flags[i] = ARENA_ARRAY(&p->arena, bool, p->n_sorts + 1);
  for (uint32_t i = 0; i < meshdigits_count(digits_mesh(p->digits)); i++)
    (o->axes ? p->axis : p->mesh)[digits_mesh_sort(p->digits, i)] = true;
  p->zeroed = ARENA_ARRAY(&p->arena, bool, problem->graph[SIDE_SEQ]->params.len + 1);
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = problem->graph[side];
    p->fact[side] = ARENA_ARRAY(&p->arena, Fact, g->nodes.len + 1);
    p->state[side] = ARENA_ARRAY(&p->arena, uint8_t, g->nodes.len + 1);
    p->vague[side] = ARENA_ARRAY(&p->arena, bool, g->nodes.len + 1);
    p->stuck[side] = ARENA_ARRAY(&p->arena, bool, g->nodes.len + 1);
    p->dear[side] = ARENA_ARRAY(&p->arena, bool, g->nodes.len + 1);
    p->mean[side] = ARENA_ARRAY(&p->arena, uint64_t, g->nodes.len + 1);
    p->closed[side] = closed_new(g, problem->instance[side], n_devices(p, (Side)side), CLOSED_TIMES);
    p->closed_fact[side] = ARENA_ARRAY(&p->arena, Fact, g->nodes.len + 1);
    p->closed_known[side] = ARENA_ARRAY(&p->arena, bool, g->nodes.len + 1);
    p->bounds[side] = graph_bounds(g, problem->relation, side, &p->arena);
    p->input[side] = ARENA_ARRAY(&p->arena, const Related *, g->params.len + 1);
    for (uint32_t k = 0; k < problem->relation->n_inputs; k++) {
      const Related *r = &problem->relation->inputs[k];
      p->input[side][side == SIDE_SEQ ? r->seq : r->dist] = r;
    }
  }
  find_idle(p);
  if (digits_fit(p)) return p;
  keeping_free(p);
  return NULL;
}

void keeping_free(Keeping *p) {
  if (!p) return;
  digits_free(p->digits);
  for (int side = 0; side < SIDE_COUNT; side++) closed_free(p->closed[side]);
  vec_free(&p->needs);
  arena_free(&p->arena);
  free(p);
}
