/* Calls, loops and conditionals.
 *
 * A loop is unrolled up to where its condition folds to false; where it is not known whether an iteration runs, the results
 * are chosen from what is before and after.  A loop of unknown length is an opaque operator of its operands that carries the
 * text of its computations; one that reads devices is no function of them, and unlike all else.  Where it is not known
 * which branch of a conditional is taken, all of them are computed, and each result is chosen from theirs. */
#include "frontends/base/agree.h"
#include "frontends/base/loop.h"
#include "frontends/base/until.h"
#include "frontends/hlo/flatten.h"

/* Copies all leaves of the operands from `first` on to the top of the stack; their place. */
static size_t push_args(Flat *f, const HloInstr *i, uint32_t first, uint32_t n, size_t base) {
  size_t at = f->values.len;
  for (uint32_t k = first; k < first + n; k++)
    for (uint32_t j = 0; j < hlo_args(f->m, i)[k].shape->n_leaves; j++) {
      NodeId v = f->values.at[flat_arg(f, i, k, base) + j];
      vec_push(&f->values, v);
    }
  return at;
}

/* The body of a manual computation: the line that calls it says nothing about any instruction of it. */
static bool is_whole_program(const Flat *f, uint32_t comp) {
  return strstr(sym_text(f->m->comps.at[comp].name), "manual_computation_body");
}

bool control_call(Flat *f, const HloInstr *i, size_t base, size_t out) {
  size_t args = push_args(f, i, 0, i->n_args, base);
  uint32_t frames = f->frames;
  if (!is_whole_program(f, i->called[0]) && i->frames) f->frames = i->frames;
  bool ok = flat_run(f, i->called[0], args, out);
  f->frames = frames;
  f->values.len = args;
  return ok;
}

static bool reads_devices(const Flat *f, const HloInstr *i) {
  for (uint32_t k = 0; k < i->n_called; k++)
    if (f->m->comps.at[i->called[k]].devices) return true;
  return false;
}

/* The instruction as an opaque operator with the text of what it calls. */
static bool opaque(Flat *f, const HloInstr *i, size_t base) {
  if (reads_devices(f, i)) return flat_unique(f, i, base, UNTIL_WHY);
  Attr a[] = {attr_sym("region", sym_text(hlo_comps_text(f->m, i->called, i->n_called))), attr_sym("why", UNTIL_WHY)};
  return flat_results(f, i, base, a, 2, false);
}

/* The body at o->value; what it returns, in the arena.  NULL after errors. */
static NodeId *run_body(Flat *f, const HloInstr *i, Opening *o) {
  uint32_t n = i->shape->n_leaves;
  size_t at = f->values.len;
  for (uint32_t k = 0; k < n; k++) vec_push(&f->values, o->value[k]);
  bool ok = flat_run(f, i->called[1], at, at);
  NodeId *out = ok ? arena_copy(f->arena, &f->values.at[at], n * sizeof *out) : NULL;
  f->values.len = at;
  return out;
}

/* The loop read once, its results to `out`.  *opened: false if it is not of that kind, and nothing was added. */
static bool open_while(Flat *f, const HloInstr *i, size_t carry, size_t out, bool *opened) {
  Opening o;
  NodeId device = f->device, *next;
  uint32_t n = i->shape->n_leaves, frames = i->frames ? i->frames : f->frames;
  size_t at = f->values.len;
  Node place = {.name = i->name, .frames = frames, .line = i->line};
  opening_begin(&o, f->g, &f->values.at[carry], n, &place, f->within);
  for (uint32_t k = 0; k < n; k++) vec_push(&f->values, o.value[k]);
  vec_push(&f->values, NO_NODE);
  f->loops++;
  bool ok = flat_run(f, i->called[0], at, at + n);
  NodeId flag = f->values.at[at + n];
  f->values.len = at;
  ok = ok && (next = run_body(f, i, &o));
  f->device = device;
  *opened = ok && opening_again(&o, flag, next);
  if (*opened) {
    uint32_t within = f->within;
    f->within = o.index;
    ok = (next = run_body(f, i, &o)) != NULL;
    f->within = within;
    *opened = ok && opening_end(&o, next);
  }
  f->loops--;
  if (!*opened) f->device = device;
  if (*opened && n) memcpy(&f->values.at[out], o.value, n * sizeof *o.value);
  return ok;
}

bool control_while(Flat *f, const HloInstr *i, size_t base) {
  uint32_t n = i->shape->n_leaves;
  size_t carry = push_args(f, i, 0, 1, base), flag = f->values.len;
  GraphEnd end = graph_end(f->g);
  NodeId device = f->device;
  bool ok = true, opened = false;
  if (f->options->open_loops) ok = open_while(f, i, carry, base + i->leaf, &opened);
  if (!ok || opened) {
    f->values.len = carry;
    return ok;
  }
  vec_push(&f->values, NO_NODE);
  int64_t on = 1;
  Until u = {.begin = end.nodes};
  f->loops++;
  for (int64_t trip = 0; ok; trip++) {
    ok = flat_run(f, i->called[0], carry, flag);
    if (!ok) break;
    bool known = flat_known(f, f->values.at[flag], &on);
    if (known ? !on : !until_turn(&u, f->g, f->values.at[flag], &f->values.at[carry], n)) break;
    if (trip == f->options->max_trips) {
      ok = diag_error(f->diags, flat_span(f, i), E_LIMIT, "the loop runs more than %lld times",
                      (long long)f->options->max_trips);
      diag_hint(f->diags, "raise the limit with --max-trips=N");
      break;
    }
    ok = flat_run(f, i->called[1], carry, carry);
  }
  f->loops--;
  if (ok && !on) {
    Node stamp = {.name = i->name, .label = i->label, .line = i->line, .frames = i->frames ? i->frames : f->frames};
    NodeId *out = &f->values.at[base + i->leaf];
    memcpy(out, &f->values.at[carry], n * sizeof *out);
    until_choose(&u, &(Composer){f->g, stamp}, out, n);
  } else if (ok) {
    graph_cut(f->g, end); /* what was unrolled so far, and loops in it that were read once */
    f->device = device;
    ok = opaque(f, i, base);
  }
  until_free(&u);
  f->values.len = carry;
  return ok;
}

/* Branch k where the index is k, the last one otherwise; a truth value chooses the first where it holds. */
static bool choose_among(Flat *f, const HloInstr *i, size_t base) {
  uint32_t n = i->shape->n_leaves, last = i->n_called - 1;
  size_t out = f->values.len;
  NodeId index = f->values.at[flat_arg(f, i, 0, base)];
  const HloShape *type = hlo_args(f->m, i)->shape;
  Attr equal = {.name = sym("direction"), .kind = ATTR_SYM, .s = sym("EQ")};
  if (!i->n_called || (type->dtype == DT_PRED && last != 1))
    return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the conditional has no branch");
  size_t first = f->g->nodes.len;
  for (size_t k = 0; k < (size_t)n * i->n_called; k++) vec_push(&f->values, NO_NODE);
  bool ok = true;
  for (uint32_t r = 0; ok && r <= last; r++) {
    size_t args = push_args(f, i, r + 1, 1, base);
    ok = flat_run(f, i->called[r], args, out + (size_t)r * n);
    f->values.len = args;
  }
  Node stamp = {.name = i->name, .label = i->label, .line = i->line, .frames = i->frames ? i->frames : f->frames};
  Composer c = {f->g, stamp};
  size_t end = f->g->nodes.len;
  NodeId *test = ARENA_ARRAY(f->arena, NodeId, last + 1);
  for (uint32_t r = 0; ok && r < last; r++) {
    NodeId both[] = {index, type->dtype == DT_PRED ? index : flat_constant(f, i, type, r)};
    test[r] = both[0] == both[1] ? index : flat_made(f, i, "compare", DT_PRED, NULL, 0, both, 2, &equal, 1);
  }
  for (uint32_t k = 0; ok && k < n; k++) {
    NodeId x = f->values.at[out + (size_t)last * n + k];
    for (uint32_t r = last; r-- > 0;) {
      NodeId y = f->values.at[out + (size_t)r * n + k];
      if (y == x || x == NO_NODE) continue;
      Node like = f->g->nodes.at[x];
      NodeId args[] = {test[r], y, x};
      x = flat_made(f, i, "select", like.dtype, like.dims, like.rank, args, 3, NULL, 0);
    }
    f->values.at[base + i->leaf + k] = agree_on(&c, x, index, first, end);
  }
  f->values.len = out;
  return ok;
}

bool control_conditional(Flat *f, const HloInstr *i, size_t base) {
  int64_t at;
  if (!flat_known(f, f->values.at[flat_arg(f, i, 0, base)], &at)) return choose_among(f, i, base);
  bool pred = hlo_args(f->m, i)->shape->dtype == DT_PRED;
  int64_t last = (int64_t)i->n_called - 1;
  uint32_t branch = (uint32_t)(pred ? !at : at < 0 || at > last ? last : at);
  if (branch >= i->n_called) return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the conditional has no branch");
  size_t args = push_args(f, i, branch + 1, 1, base);
  bool ok = flat_run(f, i->called[branch], args, base + i->leaf);
  f->values.len = args;
  return ok;
}
