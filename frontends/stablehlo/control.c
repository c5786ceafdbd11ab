/* Calls, loops and branches.
 *
 * A loop is unrolled up to where its condition folds to false; where it is not known whether an iteration runs, the results
 * are chosen from what is before and after.  A loop of unknown length is an opaque operator with the text of its regions;
 * one that reads devices is no function of its operands, and unlike all else.  Where it is not known which branch is taken,
 * all of them are computed, and each result is chosen from theirs. */
#include "frontends/base/agree.h"
#include "frontends/base/loop.h"
#include "frontends/base/until.h"
#include "frontends/stablehlo/flow.h"

bool become_call(Low *l) {
  Flow *f = l->f;
  const MlirFunc *fn = region_callee(l);
  if (!fn) return false;
  if (fn->body.n_params != l->op->n_args)
    return LOW_ERROR(l, E_SHAPE, "function '%s' has %u parameters, not %u", sym_text(fn->name), fn->body.n_params,
                     l->op->n_args);
  for (uint32_t k = 0; k < l->op->n_args; k++)
    if (!mlir_type_equal(low_type(l, k), fn->types[fn->body.param + k]))
      return LOW_ERROR(l, E_SHAPE, "operand %u has not the type of the parameter of '%s'", k, sym_text(fn->name));
  size_t base = f->values.len, returned = f->returned.len;
  const Bound *args = flow_args(l);
  for (uint32_t k = 0; k < fn->n_values; k++) vec_push(&f->values, (Bound){.node = NO_NODE});
  uint32_t frames = f->frames;
  f->frames = l->frames;
  bool ok = flow_region(f, fn, &fn->body, base, args, l->op->n_args);
  f->frames = frames;
  f->values.len = base;
  return ok && f->returned.len - returned == l->op->n_results
             ? flow_take(l, l->op->n_results)
             : ok && LOW_ERROR(l, E_SHAPE, "'%s' does not return %u values", sym_text(fn->name), l->op->n_results);
}

/* Runs a region of the operator; what it returns must be `n` values. */
static bool run(Low *l, uint32_t region, const Bound *args, uint32_t n_args, uint32_t n) {
  Flow *f = l->f;
  size_t returned = f->returned.len;
  if (!flow_region(f, l->fn, &l->op->regions[region], l->base, args, n_args)) return false;
  return f->returned.len - returned == n || LOW_ERROR(l, E_SHAPE, "a region returns %zu values, not %u",
                                                      f->returned.len - returned, n);
}

/* A region at o->value; the `n` nodes it returns, in the arena.  NULL after errors, or if one is a block (*blocks). */
static NodeId *run_open(Low *l, uint32_t region, const Opening *o, uint32_t n, bool *blocks) {
  Flow *f = l->f;
  Bound *args = ARENA_ARRAY(f->arena, Bound, o->n + 1);
  for (uint32_t k = 0; k < o->n; k++) args[k] = (Bound){.node = o->value[k]};
  if (!run(l, region, args, o->n, n)) return NULL;
  NodeId *out = ARENA_ARRAY(f->arena, NodeId, n + 1);
  f->returned.len -= n;
  for (uint32_t k = 0; k < n; k++) {
    Bound b = f->returned.at[f->returned.len + k];
    if (b.cut) *blocks = true;
    out[k] = b.node;
  }
  return *blocks ? NULL : out;
}

/* The loop read once; what it returns lies on top of f->returned.  *opened: false if it is not of that kind, and
 * nothing was added.  Values that are blocks of whole tensors are left to unrolling. */
static bool open_loop(Low *l, const Bound *carry, bool *opened) {
  Flow *f = l->f;
  Opening o;
  uint32_t n = l->op->n_args, within = f->within;
  size_t n_wholes = f->wholes.len, returned = f->returned.len;
  NodeId device = f->device, *init = ARENA_ARRAY(f->arena, NodeId, n + 1), *flag, *next;
  bool blocks = false;
  for (uint32_t k = 0; k < n; k++) {
    if (carry[k].cut) return true;
    init[k] = carry[k].node;
  }
  Node place = {
      .name = sym(arena_printf(f->arena, "while.%s", sym_text(l->op->name))), .frames = l->frames, .line = l->op->line};
  opening_begin(&o, f->g, init, n, &place, within);
  f->loops++;
  bool ok = (flag = run_open(l, 0, &o, 1, &blocks)) && (next = run_open(l, 1, &o, n, &blocks));
  f->device = device;
  f->wholes.len = n_wholes;
  if (ok) *opened = opening_again(&o, *flag, next);
  else opening_drop(&o);
  if (*opened) {
    f->within = o.index;
    ok = (next = run_open(l, 1, &o, n, &blocks)) != NULL;
    *opened = ok && opening_end(&o, next);
    if (!ok) opening_drop(&o);
  }
  f->within = within;
  f->loops--;
  f->returned.len = returned;
  if (!*opened) {
    f->device = device;
    f->wholes.len = n_wholes;
  }
  for (uint32_t k = 0; k < n && *opened; k++) vec_push(&f->returned, (Bound){.node = o.value[k]});
  return ok || blocks;
}

/* What a loop carries, as whole tensors. */
static bool wholes_of(Low *l, const Bound *carry, NodeId *out) {
  for (uint32_t k = 0; k < l->op->n_args; k++) {
    Bound b = carry[k];
    if (!cut_whole(l, &b, low_type(l, k))) return false;
    out[k] = b.node;
  }
  return true;
}

bool become_loop(Low *l) {
  Flow *f = l->f;
  uint32_t n = l->op->n_args;
  bool ok = l->op->n_regions == 2 && l->op->n_results == n;
  for (int r = 0; ok && r < 2; r++) {
    ok = l->op->regions[r].n_params == n;
    for (uint32_t k = 0; ok && k < n; k++)
      ok = mlir_type_equal(low_type(l, k), l->op->types[k]) &&
          mlir_type_equal(low_type(l, k), l->fn->types[l->op->regions[r].param + k]);
  }
  if (!ok) return LOW_ERROR(l, E_SHAPE, "the regions and results of the loop have not the types of its operands");
  GraphEnd end = graph_end(f->g);
  size_t n_wholes = f->wholes.len, returned = f->returned.len;
  Bound *carry = flow_args(l);
  int64_t on = 1;
  bool opened = false;
  Until u = {.begin = end.nodes};
  NodeId *values = ARENA_ARRAY(f->arena, NodeId, n + 1);
  if (f->options->open_loops && !f->outer && !open_loop(l, carry, &opened)) return false;
  if (opened) return flow_take(l, n);
  f->loops++;
  for (int64_t trip = 0; ok; trip++) {
    ok = run(l, 0, carry, n, 1);
    if (!ok) break;
    NodeId flag = vec_pop(&f->returned).node;
    bool known = low_known(f, flag, &on);
    if (!known) ok = wholes_of(l, carry, values);
    if (!ok || (known ? !on : !until_turn(&u, f->g, flag, values, n))) break;
    if (trip == f->options->max_trips) {
      ok = LOW_ERROR(l, E_LIMIT, "the loop runs more than %lld times", (long long)f->options->max_trips);
      diag_hint(f->diags, "raise the limit with --max-trips=N");
      break;
    }
    ok = run(l, 1, carry, n, n);
    if (!ok) break;
    f->returned.len = returned;
    if (n) memcpy(carry, f->returned.at + returned, n * sizeof *carry);
  }
  f->loops--;
  f->returned.len = returned;
  if (ok && !on && u.turns.len) {
    Node stamp = {.name = l->op->name, .label = l->label, .line = l->op->line, .frames = l->frames};
    if ((ok = wholes_of(l, carry, values))) until_choose(&u, &(Composer){f->g, stamp}, values, n);
    for (uint32_t k = 0; k < n; k++) carry[k] = (Bound){.node = values[k]};
  }
  until_free(&u);
  if (!ok) return false;
  if (on) { /* not known: what was unrolled goes */
    graph_cut(f->g, end);
    f->wholes.len = n_wholes;
    if (f->device != NO_NODE && f->device >= end.nodes) f->device = NO_NODE;
    low_add_sym(l, "why", sym(UNTIL_WHY));
    return region_talks(l) ? become_unique(l) : become_opaque(l);
  }
  for (uint32_t k = 0; k < n; k++) vec_push(&f->returned, carry[k]);
  return flow_take(l, n);
}

static bool choose(Low *l, uint32_t region) {
  return run(l, region, NULL, 0, l->op->n_results) && flow_take(l, l->op->n_results);
}

/* What the region returns, by number of result; NULL after errors. */
static NodeId *results_of(Low *l, uint32_t region) {
  Flow *f = l->f;
  uint32_t n = l->op->n_results;
  if (!run(l, region, NULL, 0, n)) return NULL;
  NodeId *out = ARENA_ARRAY(f->arena, NodeId, n + 1);
  f->returned.len -= n;
  for (uint32_t k = 0; k < n; k++) {
    Bound *b = &f->returned.at[f->returned.len + k];
    if (!cut_whole(l, b, l->op->types[k])) return NULL;
    out[k] = b->node;
  }
  return out;
}

/* Branch k where tests[k] holds, the last one otherwise. */
static bool choose_among(Low *l, const NodeId *tests) {
  Composer c = {l->f->g, {.name = l->op->name, .label = l->label, .line = l->op->line, .frames = l->frames}};
  size_t first = c.g->nodes.len;
  uint32_t n = l->op->n_results, last = l->op->n_regions - 1;
  NodeId **of = ARENA_ARRAY(l->f->arena, NodeId *, last + 1);
  for (uint32_t r = 0; r <= last; r++)
    if (!(of[r] = results_of(l, r))) return false;
  size_t end = c.g->nodes.len;
  for (uint32_t k = 0; k < n; k++) {
    NodeId x = of[last][k];
    for (uint32_t r = last; r-- > 0;) {
      if (of[r][k] == x || x == NO_NODE) continue;
      Node like = l->f->g->nodes.at[x];
      NodeId args[] = {tests[r], of[r][k], x};
      x = low_node(l, sym("select"), like.dtype, like.dims, like.rank, 0, args, 3, NULL, 0);
    }
    low_set(l, k, agree_on(&c, x, l->args[0], first, end));
  }
  return true;
}

bool become_branch(Low *l) {
  int64_t on;
  if (l->op->n_regions != 2 || low_type(l, 0)->rank)
    return LOW_ERROR(l, E_SHAPE, "a branch needs a scalar and two regions");
  return low_known(l->f, l->args[0], &on) ? choose(l, on ? 0 : 1) : choose_among(l, l->args);
}

bool become_choose(Low *l) {
  int64_t at, last = (int64_t)l->op->n_regions - 1;
  if (last < 0 || low_type(l, 0)->rank) return LOW_ERROR(l, E_SHAPE, "a choice needs a scalar and regions");
  if (low_known(l->f, l->args[0], &at)) return choose(l, (uint32_t)(at < 0 || at > last ? last : at));
  NodeId *tests = ARENA_ARRAY(l->f->arena, NodeId, last + 1);
  Attr equal = {.name = sym("direction"), .kind = ATTR_SYM, .s = sym("EQ")};
  for (int64_t r = 0; r < last; r++) {
    NodeId both[] = {l->args[0], low_constant(l, low_type(l, 0), rat_int(r))};
    tests[r] = low_node(l, sym("compare"), DT_PRED, NULL, 0, 0, both, 2, &equal, 1);
  }
  return choose_among(l, tests);
}
