#include "eval/blame/repair_edits.h"

#include <math.h>
#include <string.h>

#include "eval/blame/blame_words.h"

enum { MAX_EXTENTS = 4, MAX_PAIRS = 8 };

static const Node *node(const Sites *s, NodeId id) { return &s->g->nodes.at[id]; }
static const Mesh *mesh(const Sites *s) { return &s->relation->mesh; }
static double number_of(const Sites *s, NodeId id) { return s->number[id]; }
static uint32_t varies(const Sites *s, NodeId id) {
  if (s->varies[id] == UINT32_MAX) s->varies[id] = trial_varies(s->trial, id);
  return s->varies[id];
}

static bool site_is_collective(const Node *n) {
  return node_attr(n, sym("replica_groups")) || node_attr(n, sym("source_target_pairs"));
}

/* A function of its first operand alone, the others being numbers. */
static bool moves_first(const Sites *s, const Node *n) {
  for (uint32_t k = 1; k < n->n_args; k++)
    if (isnan(number_of(s, n->args[k]))) return false;
  return n->n_args > 0;
}

/* A mean of sums needs no sum before it: which values are only used so. */
static void find_summing(Sites *s) {
  size_t len = s->g->nodes.len;
  bool *used = xcalloc(len + 1, 1);
  for (size_t i = 0; i < len; i++) s->summing[i] = true;
  for (size_t i = len; i-- > 0;) {
    const Node *n = node(s, (NodeId)i);
    bool sums = site_is_collective(n) || (used[i] && s->summing[i] && moves_first(s, n));
    s->summing[i] = s->summing[i] && used[i];
    for (uint32_t k = 0; k < n->n_args; k++) {
      used[n->args[k]] = true;
      if (!sums) s->summing[n->args[k]] = false;
    }
  }
  free(used);
}

void sites_make(Sites *s, const Proof *proof, const RepairHints *hints, Trial *trial, Arena *a) {
  *s = (Sites){
      .g = proof->problem.graph[SIDE_DIST], .seq = proof->problem.graph[SIDE_SEQ],
      .relation = proof->problem.relation, .hints = hints, .trial = trial};
  size_t len = s->g->nodes.len;
  s->number = ARENA_ARRAY(a, double, len + 1);
  s->varies = ARENA_ARRAY(a, uint32_t, len + 1);
  s->summing = ARENA_ARRAY(a, bool, len + 1);
  s->own = ARENA_ARRAY(a, bool, len + 1);
  for (size_t i = 0; i < len; i++) {
    const Node *n = node(s, (NodeId)i);
    bool literal = n->literal || n->n_args; /* not an input that happens to be one number */
    for (uint32_t k = 0; k < n->n_args && literal; k++) literal = !isnan(s->number[n->args[k]]);
    s->number[i] = literal ? trial_number(trial, (NodeId)i) : NAN;
    s->varies[i] = UINT32_MAX;
  }
  find_summing(s);
  for (size_t i = 0; i < len; i++)
    for (uint32_t k = 0; k < node(s, (NodeId)i)->n_args; k++)
      s->own[node(s, (NodeId)i)->args[k]] |= node_at(s->g, node(s, (NodeId)i)->args[k]) == node_at(s->g, (NodeId)i);
}

/* ------------------------------------------------------------------ in words */
/* Six digits, or a fraction 1/n. */
static const char *number(Arena *a, double x) {
  double n = round(1 / x);
  bool fraction = fabs(n) > 1 && fabs(n) <= 4096 && fabs(x * n - 1) < 1e-6;
  return fraction ? arena_printf(a, "%s1/%.0f", n < 0 ? "-" : "", fabs(n)) : arena_printf(a, "%.6g", x);
}

static const char *axes_text(const Sites *s, uint32_t set, Arena *a) {
  uint32_t axes[32], n = 0;
  for (uint32_t k = 0; k < mesh(s)->n_axes; k++)
    if (set >> k & 1) axes[n++] = k;
  return blame_axes(mesh(s), axes, n, a);
}

double edit_literal(const Sites *s, const TrialEdit *e, NodeId id) {
  return number_of(s, e->operand < 0 ? id : node(s, id)->args[e->operand]);
}

const char *edit_text(const Sites *s, const TrialEdit *e, NodeId id, Arena *a) {
  const Node *n = node(s, id);
  switch (e->kind) {
    case TRIAL_SUM:
      if (e->operand >= 0) return arena_printf(a, "as a sum over %s", axes_text(s, e->axes, a));
      return arena_printf(a, e->number == 1 ? "summed over %s" : "averaged over %s", axes_text(s, e->axes, a));
    case TRIAL_SUMMED:
      return arena_printf(a, "with operand %d %s over %s", e->operand, e->number == 1 ? "summed" : "averaged",
                          axes_text(s, e->axes, a));
    case TRIAL_MAX: return arena_printf(a, "as the maximum over %s", axes_text(s, e->axes, a));
    case TRIAL_SCALE: return arena_printf(a, "times %s", number(a, e->number));
    case TRIAL_SHIFT:
      if (!e->axes) return arena_printf(a, "%s %s", e->number < 0 ? "minus" : "plus", number(a, fabs(e->number)));
      return arena_printf(a, "%s %s times the coordinate along %s", e->number < 0 ? "minus" : "plus",
                          number(a, fabs(e->number)), axes_text(s, e->axes, a));
    case TRIAL_OPERAND: return n->n_args == 1 ? "without it" : arena_printf(a, "as operand %d alone", e->operand);
    case TRIAL_LITERAL:
      return arena_printf(a, "with %s in place of %s", number(a, e->number), number(a, edit_literal(s, e, id)));
    case TRIAL_SWAP: return n->n_args == 2 ? "with its operands exchanged" : "with its first and last operands exchanged";
    case TRIAL_FACTOR:
      if (e->number == -1) return arena_printf(a, "with operand %d negated", e->operand);
      return arena_printf(a, "with operand %d times %s", e->operand, number(a, e->number));
    case TRIAL_DIVIDE: return "as the quotient, not the remainder";
    case TRIAL_PERMUTE: return "with the dimensions in another order";
    case TRIAL_COMPARE: return arena_printf(a, "with %s in place of its comparison", sym_text(e->direction));
    case TRIAL_SLICE:
      if (e->axes)
        return arena_printf(a, "starting %s times the coordinate along %s further along dimension %u",
                            number(a, e->number), axes_text(s, e->axes, a), e->dim);
      return arena_printf(a, "starting %s %s along dimension %u", number(a, fabs(e->number)),
                          e->number < 0 ? "earlier" : "further", e->dim);
    case TRIAL_REVERSE: return "sent the other way round";
    case TRIAL_UNSENT: return arena_printf(a, "with nothing sent to device %u", e->dim);
    case TRIAL_ONLY:
      return arena_printf(a, "with operand %d of %s %.0f alone", e->operand, axes_text(s, e->axes, a), e->number);
    case TRIAL_OTHER: return arena_printf(a, "with %s as operand %d", sym_text(node(s, e->with[0])->name), e->operand);
    case TRIAL_TIMES:
      if (trial_clamped(s->g, e->with[0]) != NO_NODE)
        return arena_printf(a, "with 0 in operand %d where %s changes an index", e->operand,
                            sym_text(node(s, e->with[0])->name));
      if (e->operand < 0) return arena_printf(a, "times %s", sym_text(node(s, e->with[0])->name));
      return arena_printf(a, "with operand %d times %s", e->operand, sym_text(node(s, e->with[0])->name));
    case TRIAL_ROTATE: return arena_printf(a, "with operand %d sent on as in %s", e->operand,
                                           sym_text(node(s, e->with[0])->name));
    case TRIAL_LIKE: {
      const char *name = sym_text(s->seq->nodes.at[e->with[0]].name);
      if (e->operand < 0) return arena_printf(a, "with the value of seq %s", name);
      return arena_printf(a, "with the value of seq %s as operand %d", name, e->operand);
    }
  }
  return "";
}

/* Literals that people mistake for one another: whole numbers, fractions, one a simple multiple of the other. */
static bool likely(double was, double is) {
  double candidates[] = {is, is / was, was / is, is - was};
  for (int k = 0; k < 4; k++) {
    double x = fabs(candidates[k]);
    if (!isfinite(x) || x > 4096) continue;
    for (int d = 1; d <= 12; d++)
      if (fabs(x * d - round(x * d)) < 1e-5 * d && round(x * d) >= 1) return true;
  }
  return false;
}

int edit_weight(const Sites *s, const TrialEdit *e, NodeId id) {
  const Node *n = node(s, id);
  switch (e->kind) {
    case TRIAL_SUMMED: return 9;
    case TRIAL_OPERAND: return site_is_collective(n) ? 9 : 4;
    case TRIAL_LITERAL:
      if (fabs(e->number - 1) < 1e-6) return 8; /* it does nothing then */
      if (!likely(edit_literal(s, e, id), e->number)) return 2;
      return edit_literal(s, e, id) == 1 ? 6 : EDIT_PLAIN;
    case TRIAL_SUM: return e->number == 1 ? 8 : 7;
    case TRIAL_REVERSE: return 8;
    case TRIAL_ONLY: return 6;
    case TRIAL_SWAP: return n->op == sym("concatenate") ? 6 : 7;
    case TRIAL_SCALE: return site_is_collective(n) ? 7 : 1;
    case TRIAL_FACTOR: return 6;
    case TRIAL_SHIFT:
    case TRIAL_TIMES:
    case TRIAL_LIKE: return EDIT_PLAIN;
    case TRIAL_OTHER: return 4;
    default: return 7;
  }
}

/* ------------------------------------------------------------------ what to try */
static void add(Edits *x, TrialEdit e) {
  if (x->n < MAX_EDITS) x->at[x->n++] = e;
}

/* A permutation the other way round, or with one pair less. */
static void add_sent(const Node *n, Edits *x) {
  const Attr *pairs = node_attr(n, sym("source_target_pairs"));
  if (!pairs) return;
  add(x, (TrialEdit){.kind = TRIAL_REVERSE});
  for (uint32_t i = 1; i < pairs->n && i < 2 * MAX_PAIRS; i += 2)
    add(x, (TrialEdit){.kind = TRIAL_UNSENT, .dim = (uint32_t)pairs->ints[i]});
}

/* What only the first or the last device was to add, as a loss of the last stage. */
static void add_alone(const Sites *s, const Node *n, Edits *x) {
  if (n->op != sym("all_reduce") || n->n_args != 1) return;
  for (uint32_t k = 0; k < mesh(s)->n_axes && k < 4; k++) {
    double last = (double)mesh(s)->axes[k].size - 1;
    if (last < 1) continue;
    add(x, (TrialEdit){.kind = TRIAL_ONLY, .axes = 1u << k, .number = last});
    add(x, (TrialEdit){.kind = TRIAL_ONLY, .axes = 1u << k});
  }
}

/* A sum that is missing, or a mean. */
static void add_reduced(const Sites *s, TrialKind kind, int32_t operand, uint32_t axes, Edits *x) {
  double size = 1;
  for (uint32_t k = 0; k < mesh(s)->n_axes; k++)
    if (axes >> k & 1) size *= (double)mesh(s)->axes[k].size;
  if (!axes) return;
  add(x, (TrialEdit){.kind = kind, .operand = operand, .axes = axes, .number = 1});
  add(x, (TrialEdit){.kind = kind, .operand = operand, .axes = axes, .number = 1 / size});
}

static void add_collective(const Sites *s, const Node *n, Edits *x) {
  if (!site_is_collective(n)) return;
  add(x, (TrialEdit){.kind = TRIAL_OPERAND});
  add_sent(n, x);
  const Attr *groups = node_attr(n, sym("replica_groups"));
  int64_t size = groups && groups->i > 1 ? groups->i : mesh(s)->n_devices;
  if (n->op == sym("all_reduce") || n->op == sym("reduce_scatter"))
    add(x, (TrialEdit){.kind = TRIAL_SCALE, .operand = -1, .number = 1 / (double)size});
  if (n->op != sym("all_reduce")) return;
  for (uint32_t set = 1; set < 1u << mesh(s)->n_axes && set < 16; set++)
    add(x, (TrialEdit){.kind = TRIAL_SUM, .axes = set, .number = 1});
  add_alone(s, n, x);
}

static void add_drop(const Sites *s, const Node *n, Edits *x) {
  if (site_is_collective(n)) return;
  for (uint32_t k = 0; k < n->n_args && k < 3; k++)
    if (node_elements(node(s, n->args[k])) == node_elements(n) && isnan(number_of(s, n->args[k])))
      add(x, (TrialEdit){.kind = TRIAL_OPERAND, .operand = (int32_t)k});
}

/* An addend counted once per device, or once only. */
static void add_shares(const Sites *s, const Node *n, Edits *x) {
  if (n->op != sym("add") || n->n_args != 2 || !dtype_is_float((DType)n->dtype)) return;
  for (int32_t k = 0; k < 2; k++)
    for (uint32_t axis = 0; axis < mesh(s)->n_axes; axis++) {
      double size = (double)mesh(s)->axes[axis].size;
      if (size == 1) continue;
      add(x, (TrialEdit){.kind = TRIAL_FACTOR, .operand = k, .number = 1 / size});
      add(x, (TrialEdit){.kind = TRIAL_FACTOR, .operand = k, .number = size});
    }
}

static void add_literals(const Sites *s, NodeId id, Edits *x) {
  const Node *n = node(s, id);
  if (node_at(s->g, id) && !s->own[id] && dtype_is_float((DType)n->dtype) && isfinite(number_of(s, id)))
    add(x, (TrialEdit){.kind = TRIAL_LITERAL, .operand = -1});
  if (n->op == sym("compare") || !dtype_is_float((DType)n->dtype) || n->n_args > 3) return;
  bool moves = n->n_args == 1;
  for (uint32_t k = 0; k < n->n_args && !moves; k++)
    if (isfinite(number_of(s, n->args[k])) && dtype_is_float((DType)node(s, n->args[k])->dtype))
      add(x, (TrialEdit){.kind = TRIAL_LITERAL, .operand = (int32_t)k});
}

/* Sizes an offset may be made of: those of the node and of the parameters. */
static uint32_t extents(const Sites *s, const Node *n, int64_t out[MAX_EXTENTS]) {
  uint32_t m = 0;
  for (int pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < (pass ? s->g->params.len : 1); i++) {
      if (pass && s->g->params.at[i] == NO_NODE) continue;
      const Node *from = pass ? node(s, s->g->params.at[i]) : n;
      for (uint32_t d = 0; d < from->rank; d++) {
        bool seen = from->dims[d] < 2;
        for (uint32_t j = 0; j < m; j++) seen |= out[j] == from->dims[d];
        if (!seen && m < MAX_EXTENTS) out[m++] = from->dims[d];
      }
    }
  return m;
}

/* Comparisons, slices, signs, orders of operands and of dimensions. */
static void add_orders(const Sites *s, const Node *n, Edits *x) {
  static const char *const by[] = {"<", "<=", ">", ">=", "==", "!="}, *const named[] = {"LT", "LE", "GT", "GE", "EQ", "NE"};
  enum { ORDERS = 4, DIRECTIONS = 6 };
  if (n->op == sym("compare")) {
    Sym own = node_attr_sym(n, sym("direction"), 0);
    bool equal = own == sym("EQ") || own == sym("NE");
    for (int k = 0; k < (equal ? DIRECTIONS : ORDERS); k++)
      if (own != sym(named[k])) add(x, (TrialEdit){.kind = TRIAL_COMPARE, .direction = sym(by[k])});
  }
  if (n->op == sym("slice"))
    for (uint32_t d = 0; d < n->rank; d++)
      for (int k = -3; k <= 3; k++)
        if (k && n->dims[d] < node(s, n->args[0])->dims[d])
          add(x, (TrialEdit){.kind = TRIAL_SLICE, .dim = d, .number = (double)(k * n->dims[d])});
  for (uint32_t d = 0; d < n->rank && n->op == sym("slice"); d++)
    for (uint32_t k = 0; k < mesh(s)->n_axes; k++)
      if (n->dims[d] * mesh(s)->axes[k].size <= node(s, n->args[0])->dims[d])
        add(x, (TrialEdit){.kind = TRIAL_SLICE, .dim = d, .axes = 1u << k, .number = (double)n->dims[d]});
  if (n->op == sym("add") || n->op == sym("subtract"))
    for (int32_t k = 0; k < 2; k++) add(x, (TrialEdit){.kind = TRIAL_FACTOR, .operand = k, .number = -1});
  if (n->op == sym("remainder")) add(x, (TrialEdit){.kind = TRIAL_DIVIDE});
  uint32_t rank = n->n_args == 1 ? node(s, n->args[0])->rank : 5;
  if (rank <= 4 && (n->op == sym("transpose") || (n->op == sym("reshape") && site_is_collective(node(s, n->args[0])))))
    for (uint32_t k = 1; k < (rank == 4 ? 24 : rank == 3 ? 6 : rank); k++)
      add(x, (TrialEdit){.kind = TRIAL_PERMUTE, .dim = k});
  bool joins = n->op == sym("concatenate") && (n->n_args == 2 || n->n_args == 3);
  if (n->op == sym("divide") || n->op == sym("dot") || joins) add(x, (TrialEdit){.kind = TRIAL_SWAP});
}

/* Positions that should depend on the coordinate and do not, or are one off. */
static void add_offsets(const Sites *s, NodeId id, Edits *x) {
  const Node *n = node(s, id);
  bool counts = dtype_kind((DType)n->dtype) == DK_INT || dtype_kind((DType)n->dtype) == DK_UINT || n->op == sym("iota");
  if (!counts || n->op == sym("parameter")) return;
  int64_t sizes[MAX_EXTENTS];
  uint32_t m = extents(s, n, sizes), differs = s->hints->index[id] ? varies(s, id) : 0;
  for (uint32_t k = 0; k < mesh(s)->n_axes && k < 3; k++)
    for (uint32_t j = 0; j < m; j++) { /* what counts devices was to count what they hold */
      double step = (double)sizes[j] - (differs >> k & 1);
      add(x, (TrialEdit){.kind = TRIAL_SHIFT, .operand = -1, .axes = 1u << k, .number = step});
      if (!(differs >> k & 1)) add(x, (TrialEdit){.kind = TRIAL_SHIFT, .operand = -1, .axes = 1u << k, .number = -step});
    }
  add(x, (TrialEdit){.kind = TRIAL_SHIFT, .operand = -1, .number = 1});
  add(x, (TrialEdit){.kind = TRIAL_SHIFT, .operand = -1, .number = -1});
}

void edits_of(const Sites *s, Stage stage, NodeId id, Edits *x) {
  const Node *n = node(s, id);
  x->n = 0;
  if (s->hints->given[id]) return;
  if (s->hints->settled[id] && (stage == STAGE_LITERAL || stage == STAGE_ORDER || stage == STAGE_DROP)) return;
  switch (stage) {
    case STAGE_SUM:
      if (n->op == sym("dynamic_slice")) /* a reduction and scattering it was to be */
        add_reduced(s, TRIAL_SUMMED, 0, s->hints->summed[n->args[0]], x);
      if (s->summing[id] || (s->hints->moves[id] && n->n_args == 1)) break; /* rather before it moves */
      add_reduced(s, TRIAL_SUM, -1, s->hints->summed[id], x);
      if (s->hints->maxed[id]) add(x, (TrialEdit){.kind = TRIAL_MAX, .operand = -1, .axes = s->hints->maxed[id]});
      break;
    case STAGE_COLLECTIVE:
      add_collective(s, n, x);
      if (!s->hints->settled[id]) add_shares(s, n, x);
      break;
    case STAGE_DROP: add_drop(s, n, x); break;
    case STAGE_LITERAL: add_literals(s, id, x); break;
    case STAGE_ORDER: add_orders(s, n, x); break;
    case STAGE_OFFSET: add_offsets(s, id, x); break;
    case STAGE_PARTIAL:
    case STAGE_ANY:
      if (s->summing[id] || s->hints->moves[id] || !n->n_args || !dtype_is_float((DType)n->dtype)) break;
      if (s->hints->partial && (varies(s, id) & s->hints->partial) == s->hints->partial)
        add_reduced(s, TRIAL_SUM, -1, s->hints->partial, x);
      if (stage == STAGE_PARTIAL) break;
      for (uint32_t k = 0; k < mesh(s)->n_axes && !s->hints->partial; k++)
        if (varies(s, id) >> k & 1) add_reduced(s, TRIAL_SUM, -1, 1u << k, x);
      if (s->hints->factor != RAT_1)
        add(x, (TrialEdit){.kind = TRIAL_SCALE, .operand = -1, .number = 1 / rat_to_double(s->hints->factor)});
      break;
    case STAGE_LIKE:
    case STAGE_TIMES:
    case STAGE_ROTATE:
    case STAGE_OTHER:
    case STAGE_COUNT: break;
  }
}
