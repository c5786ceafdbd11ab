/* fast: see fast.h. */
#include "eval/exact/fast.h"

#include <math.h>
#include <string.h>

#include "eval/exact/fast_parts.h"
#include "eval/exact/fn_eval.h"

#define MAX_DEPTH 500               /* of an expression */
#define MAX_TEMPORARY (1u << 22)    /* numbers in one temporary before leading output variables are taken one by one */

const double fast_no_value[BALL_WIDTH] = {NAN};

View *fast_view(Fast *f, const double *at, uint64_t vars) {
  View *v = arena_alloc(f->scratch, sizeof(View) + f->in->n_vars * sizeof(int64_t));
  v->at = at;
  v->vars = vars;
  return v;
}

View *fast_scalar(Fast *f, Ball x) { return fast_view(f, arena_copy(f->scratch, &x, sizeof x), 0); }
static View *number(Fast *f, double x) { return fast_scalar(f, (Ball){x, 0, 0}); }
const View *fast_unknown(Fast *f) { return fast_view(f, fast_no_value, 0); }

static bool charge(Fast *f, double points) {
  Budget *b = f->side->budget;
  if (points > 1e18 || b->work + (uint64_t)points > b->max_work) f->over = true;
  else b->work += (uint64_t)points;
  return !f->over;
}

double fast_points(const Fast *f, uint64_t vars) {
  double n = 1;
  for (uint32_t v = 0; v < f->in->n_vars; v++)
    if (vars >> v & 1) n *= (double)f->in->vars[v].size;
  return n;
}

View *fast_table(Fast *f, uint64_t vars, VarId first, VarId *order, uint32_t *n_order, double work) {
  double points = fast_points(f, vars);
  if (points > 64.0 * MAX_TEMPORARY || !charge(f, work > points ? work : points)) {
    f->over = true;
    return NULL;
  }
  *n_order = 0;
  if (first != NO_VAR) order[(*n_order)++] = first;
  for (uint32_t i = 0; i < f->in->n_vars; i++)
    if (vars >> i & 1 && i != first) order[(*n_order)++] = i;
  double *to = f->depth == 1 && *n_order == f->n_into && !memcmp(order, f->order, *n_order * sizeof *order) ? f->into : NULL;
  if (to) f->into = NULL;
  else to = arena_raw(f->scratch, ((size_t)points + 1) * f->how->width * sizeof(double));
  View *v = fast_view(f, to, vars);
  int64_t stride = f->how->width;
  for (uint32_t i = *n_order; i-- > 0;) {
    v->stride[order[i]] = stride;
    stride *= f->in->vars[order[i]].size;
  }
  return v;
}

const View *fast_zip(Fast *f, const View *const *views, uint32_t n, WalkRun *run, void *context) {
  uint64_t vars = 0;
  for (uint32_t k = 0; k < n; k++) vars |= views[k]->vars;
  VarId order[VIEW_MAX_VARS];
  uint32_t n_order;
  View *out = fast_table(f, vars, NO_VAR, order, &n_order, fast_points(f, vars) * n);
  if (!out) return fast_unknown(f);
  Walk w;
  walk_start(&w, f->in, f->how->width, order, n_order, views, n);
  walk_runs(&w, run, run == f->how->mul ? &w : context, (double *)out->at);
  return out;
}

/* ---- functions ---- */

/* Operands in batches, for the n-ary ones. */
static const View *eval_args(Fast *f, const X *x, WalkRun *run, void *context) {
  const View *views[VIEW_MAX_ARGS];
  uint32_t n = 0;
  for (uint32_t k = 0; k < x->n; k++) {
    if (n == VIEW_MAX_ARGS) {
      if (run == f->how->mul) return fast_unknown(f);
      views[0] = fast_zip(f, views, n, run, context);
      n = 1;
    }
    views[n++] = fast_eval(f, x->args[k]);
    if (f->over) return fast_unknown(f);
  }
  if (n == 0) return number(f, x->kind == X_MUL);
  return n == 1 && (x->kind == X_ADD || x->kind == X_MUL) ? views[0] : fast_zip(f, views, n, run, context);
}

static const View *eval_fn(Fast *f, const X *x) {
  const FnImpl *fn = fn_impl(fn_find(x->name));
  if (!fn || fn->arity != x->n) return fast_unknown(f);
  return eval_args(f, x, f->how->fn, (void *)fn);
}

static const View *eval_compare(Fast *f, const X *x) {
  FnCompare c = fn_compare(x->name);
  if (c == FN_NO_COMPARE || x->n != 2) return fast_unknown(f);
  View *v = (View *)eval_args(f, x, f->how->compare, &c);
  v->guard = true;
  return v;
}

/* ---- reductions ---- */

/* Comparisons, and products of them: each annihilates by itself. */
static bool is_mask(const Fast *f, XId id) {
  const X *x = &f->in->x[id];
  bool mask = x->kind == X_CMP || x->kind == X_MUL;
  for (uint32_t k = 0; x->kind == X_MUL && k < x->n && mask; k++) mask = is_mask(f, x->args[k]);
  return mask;
}

/* Factors of a product, `if p then x else 0` being p * x; false when there are too many. */
static bool factors(Fast *f, XId id, const View **views, uint32_t *n, uint32_t depth) {
  const X *x = &f->in->x[id];
  if (depth < 16 && x->kind == X_MUL) {
    for (uint32_t k = 0; k < x->n; k++)
      if (!factors(f, x->args[k], views, n, depth + 1)) return false;
    return true;
  }
  const X *otherwise = x->kind == X_SELECT ? &f->in->x[x->args[2]] : NULL;
  if (depth < 16 && otherwise && otherwise->kind == X_RAT && otherwise->r == RAT_0) {
    uint32_t at = *n;
    if (is_mask(f, x->args[0]))
      return factors(f, x->args[0], views, n, depth + 1) && factors(f, x->args[1], views, n, depth + 1);
    if (!factors(f, x->args[0], views, n, 16)) return false;
    View *guard = arena_copy(f->scratch, views[at], sizeof(View) + f->in->n_vars * sizeof(int64_t));
    guard->guard = true;
    views[at] = guard;
    return factors(f, x->args[1], views, n, depth + 1);
  }
  if (*n == VIEW_MAX_ARGS) return false;
  views[(*n)++] = fast_eval(f, id);
  return true;
}

static const View *eval_reduction(Fast *f, const X *x) {
  const View *views[VIEW_MAX_ARGS];
  uint32_t n = 0;
  if (x->kind == X_SUM ? !factors(f, x->args[0], views, &n, 0) : true) {
    views[0] = fast_eval(f, x->args[0]);
    n = 1;
  }
  if (f->over) return fast_unknown(f);
  uint64_t vars = 0, bound = 0;
  for (uint32_t k = 0; k < n; k++) vars |= views[k]->vars;
  VarId inner[VIEW_MAX_VARS];
  uint32_t n_inner = 0;
  double repeats = 1;
  for (uint32_t k = 0; k < x->n_vars; k++) {
    VarId v = x->vars[k];
    int64_t size = f->in->vars[v].size;
    bound |= 1ull << v;
    if (vars >> v & 1 || size == 0) inner[n_inner++] = v;
    else if (x->kind == X_SUM) repeats *= (double)size; /* does not occur in the body */
  }
  VarId outer[VIEW_MAX_VARS];
  uint32_t n_outer;
  View *out = fast_table(f, vars & ~bound, NO_VAR, outer, &n_outer, fast_points(f, vars | bound));
  if (!out) return fast_unknown(f);
  view_contract(f->how, f->in, x->kind, outer, n_outer, inner, n_inner, views, n, f->scratch,
                (double *)out->at);
  if (repeats == 1) return out;
  const View *both[2] = {out, number(f, repeats)};
  return fast_zip(f, both, 2, f->how->mul, NULL);
}

static const View *eval_kind(Fast *f, const X *x) {
  switch (x->kind) {
    case X_RAT: return f->how->width > 1 ? fast_scalar(f, ball_from_rat(x->r)) : number(f, rat_to_double(x->r));
    case X_INF: return number(f, rat_sign(x->r) * INFINITY);
    case X_INDEX: return fast_index(f, &x->ix[0]);
    case X_READ: return fast_read(f, x);
    case X_ADD: return eval_args(f, x, f->how->add, NULL);
    case X_MUL: return eval_args(f, x, f->how->mul, NULL);
    case X_POW: return eval_args(f, x, f->how->power, (void *)&x->r);
    case X_FN: return eval_fn(f, x);
    case X_CMP: return eval_compare(f, x);
    case X_SELECT: return eval_args(f, x, f->how->select, NULL);
    case X_SUM:
    case X_MAX:
    case X_MIN: return eval_reduction(f, x);
    case X_COORD: return number(f, (double)f->device);
    default: return fast_unknown(f);
  }
}

const View *fast_eval(Fast *f, XId x) {
  if (f->memo[x]) return f->memo[x];
  if (f->depth >= MAX_DEPTH || f->over) return fast_unknown(f);
  f->depth++;
  const View *v = eval_kind(f, &f->in->x[x]);
  f->depth--;
  return f->memo[x] = v;
}

/* ---- the node ---- */

/* The operand's own numbers if the node is a copy, a reshape, a conversion between floats; else NULL. */
static const double *operand_itself(Fast *f, const VarId *order, uint32_t n_order, uint64_t n) {
  const X *x = &f->in->x[f->in->body];
  if (x->kind != X_READ || x->permuted || x->group != NO_VAR || x->operand >= f->node->n_args) return NULL;
  NodeId arg = f->node->args[x->operand];
  if (f->side->fields[arg].n != n || f->side->source->graph->nodes.at[arg].dtype != f->node->dtype) {
    if (!dtype_is_float((DType)f->node->dtype)) return NULL; /* its range is checked */
    if (f->side->fields[arg].n != n) return NULL;
  }
  for (uint32_t k = 0; k < x->n; k++)
    if (x->ix[k].dyn != NO_X) return NULL;
  f->memo = ARENA_ARRAY(f->scratch, const View *, f->in->n_x);
  const View *v = fast_read(f, x);
  if (v->at != fast_numbers(f, x->operand, f->device)) return NULL;
  int64_t stride = f->how->width;
  for (uint32_t i = n_order; i-- > 0;) {
    if (!(v->vars >> order[i] & 1) || v->stride[order[i]] != stride) return NULL;
    stride *= f->in->vars[order[i]].size;
  }
  return v->at;
}

/* An integer outside its type has no value here. */
static void check_range(DType t, uint32_t width, double *at, uint64_t n) {
  DKind kind = dtype_kind(t);
  int bits = dtype_bits(t);
  if (kind != DK_INT && kind != DK_UINT && kind != DK_BOOL) return;
  double hi = kind == DK_INT ? ldexp(1, bits - 1) : kind == DK_UINT ? ldexp(1, bits) : 2, lo = kind == DK_INT ? -hi : 0;
  if (hi > 0x1p53) hi = 0x1p53; /* beyond, doubles are not exact */
  if (lo < -0x1p53) lo = -0x1p53;
  for (uint64_t i = 0; i < n; i++, at += width) {
    if (width > 1) memcpy(at, (Ball[1]){ball_integer(ball_at(at))}, sizeof(Ball));
    if (!(*at >= lo && *at < hi)) *at = NAN;
  }
}

static uint64_t vars_of_index(const Ix *ix, const uint64_t *of) {
  uint64_t vars = ix->dyn == NO_X ? 0 : of[ix->dyn];
  for (uint32_t t = 0; t < ix->n_terms; t++) vars |= 1ull << ix->terms[t].var;
  return vars;
}

/* The largest product of ranges of variables that one expression has together, of a range. */
static double largest(const Fast *f, uint64_t range) {
  uint64_t *of = ARENA_ARRAY(f->scratch, uint64_t, f->in->n_x);
  double most = 0;
  for (XId i = 0; i < f->in->n_x; i++) {
    const X *x = &f->in->x[i];
    bool index = x->kind == X_READ || x->kind == X_INDEX;
    for (uint32_t k = 0; k < x->n; k++) of[i] |= index ? vars_of_index(&x->ix[k], of) : of[x->args[k]];
    for (uint32_t k = 0; k < x->n_vars; k++) of[i] &= ~(1ull << x->vars[k]);
    most = fmax(most, fast_points(f, of[i] & range));
  }
  return most;
}

/* Output variables with fixed leading ones; evaluates into to[0..points). */
static bool eval_slice(Fast *f, const VarId *order, uint32_t n_order, uint32_t first, double *to) {
  uint64_t range = 0;
  for (uint32_t v = 0; v < f->in->n_vars; v++)
    if (f->fixed[v] < 0) range |= 1ull << v;
  if (first < n_order && fast_points(f, range) > MAX_TEMPORARY && largest(f, range) > MAX_TEMPORARY) {
    VarId v = order[first];
    uint64_t inside = 1;
    for (uint32_t i = first + 1; i < n_order; i++) inside *= (uint64_t)f->in->vars[order[i]].size;
    bool ok = true;
    for (int64_t i = 0; i < f->in->vars[v].size && ok; i++) {
      ArenaMark mark = arena_mark(f->scratch);
      f->fixed[v] = i;
      ok = eval_slice(f, order, n_order, first + 1, to + (uint64_t)i * inside * f->how->width);
      arena_reset(f->scratch, mark);
    }
    f->fixed[v] = -1;
    return ok;
  }
  f->memo = ARENA_ARRAY(f->scratch, const View *, f->in->n_x);
  f->into = to;
  f->order = order + first;
  f->n_into = n_order - first;
  const View *v = fast_eval(f, f->in->body);
  if (f->over) return false;
  if (v->at == to) return charge(f, fast_points(f, v->vars)); /* dense, and in place */
  Walk w;
  walk_start(&w, f->in, f->how->width, order + first, n_order - first, &v, 1);
  if (!charge(f, (double)walk_points(&w))) return false;
  walk_runs(&w, f->how->copy, NULL, to);
  return true;
}

/* No index of the instance can overflow. */
static bool is_tame(const Instance *in) {
  const double limit = 0x1p52;
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    uint32_t n = x->kind == X_READ ? x->n : x->kind == X_INDEX;
    for (uint32_t k = 0; k < n; k++) {
      double reach = fabs((double)x->ix[k].constant);
      for (uint32_t t = 0; t < x->ix[k].n_terms; t++)
        reach += fabs((double)x->ix[k].terms[t].coef) * (double)in->vars[x->ix[k].terms[t].var].size;
      if (reach > limit) return false;
    }
  }
  return true;
}

bool fast_node(GraphRun *side, NodeId id, int64_t device, Arena *scratch, const double **out) {
  const Node *node = &side->source->graph->nodes.at[id];
  const Instance *in = side->source->instances[id];
  uint64_t n = (uint64_t)node_elements(node);
  *out = NULL;
  if (!in || in->opaque || in->n_vars > VIEW_MAX_VARS || !is_tame(in)) return true;
  Fast f = {.side = side, .how = side->how, .node = node, .in = in, .device = device, .scratch = scratch};
  f.peers = peers_of(in, side->n_devices, device);
  VarId order[VIEW_MAX_VARS];
  uint32_t n_order = 0;
  for (uint32_t v = 0; v < in->n_vars; v++) {
    f.fixed[v] = in->vars[v].kind == VAR_GROUP ? f.peers.position : in->vars[v].size == 1 ? 0 : -1;
    if (in->vars[v].kind == VAR_GROUP && f.peers.position < 0) return true;
  }
  for (uint32_t d = 0; d < in->n_out; d++)
    for (uint32_t k = 0; k < in->out[d].n; k++)
      if (n_order < VIEW_MAX_VARS && f.fixed[in->out[d].vars[k]] < 0) order[n_order++] = in->out[d].vars[k];
  uint64_t points = 1;
  for (uint32_t i = 0; i < n_order; i++) points *= (uint64_t)in->vars[order[i]].size;
  if (points != n) return true; /* a group variable cannot be an output dimension's only digit */
  if ((*out = operand_itself(&f, order, n_order, n))) {
    if (side->numbers) numbers_hold(*out);
    return true;
  }
  double *to = field_numbers(side, n);
  if (!eval_slice(&f, order, n_order, 0, to)) return false;
  check_range((DType)node->dtype, f.how->width, to, n);
  *out = to;
  return true;
}
