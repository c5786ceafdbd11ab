/* MlirModule to Graph: main, with everything it calls inlined.
 *
 * The values of a function being inlined are a range on a stack; regions share those of their function.  What a region
 * returns goes to a second stack, from where the operator takes it.  How deep regions nest in calls is bounded, and how
 * much inlining and unrolling add. */
#include "frontends/fold.h"
#include "frontends/stablehlo/flow.h"

Bound *flow_args(Low *l) {
  Bound *out = ARENA_ARRAY(l->f->arena, Bound, l->op->n_args + 1);
  for (uint32_t k = 0; k < l->op->n_args; k++) out[k] = l->f->values.at[l->base + l->op->args[k]];
  return out;
}

bool flow_take(Low *l, uint32_t n) {
  Flow *f = l->f;
  size_t at = f->returned.len - n;
  for (uint32_t k = 0; k < n; k++) {
    Bound b = f->returned.at[at + k];
    const MlirType *t = l->op->types[k];
    const Node *x = b.node == NO_NODE ? NULL : &f->g->nodes.at[b.node];
    if (x && !f->outer && !mlir_type_equal(&(MlirType){x->dtype, x->rank, x->dims}, t))
      return LOW_ERROR(l, E_SHAPE, "what is returned as result %u has another type", k);
    f->values.at[l->base + l->op->result + k] = b;
  }
  f->returned.len = at;
  return true;
}

static bool is_scalar(const MlirType *t) {
  for (int d = 0; d < t->rank; d++)
    if (t->dims[d] != 1) return false;
  return dtype_kind(t->dtype) <= DK_UINT;
}

/* The entry of a constant table that a slice with known starts reads. */
static bool fold_slice(const Low *l, int64_t *out) {
  const Node *x = &l->f->g->nodes.at[l->args[0]];
  if (!x->literal || l->n_args != 1u + x->rank || !node_elements(x)) return false;
  int64_t flat = 0, start;
  for (int d = 0; d < x->rank; d++) {
    if (!low_known(l->f, l->args[d + 1], &start)) return false;
    if (start > x->dims[d] - 1) start = x->dims[d] - 1;
    flat = flat * x->dims[d] + (start < 0 ? 0 : start);
  }
  Rat r = x->literal->values[x->literal->kind == LIT_SPLAT ? 0 : flat];
  return rat_is_finite(r) && rat_to_int(r, out);
}

/* Within a loop: known integers, and a choice between two values that is known. */
static bool fold(Low *l) {
  const MlirOp *op = l->op;
  int64_t x[3], v;
  if (op->n_results != 1 || !l->n_args || l->n_args != op->n_args) return false;
  if (l->info->lower == become_elementwise && l->what == sym("select") && low_known(l->f, l->args[0], x)) {
    NodeId chosen = l->args[x[0] ? 1 : 2];
    const Node *n = &l->f->g->nodes.at[chosen];
    const MlirType *t = low_out(l);
    if (!mlir_type_equal(&(MlirType){n->dtype, n->rank, n->dims}, t)) return false;
    low_set(l, 0, chosen);
    return true;
  }
  if (!is_scalar(low_out(l))) return false;
  if (l->info->lower == become_dynamic_slice) {
    if (!fold_slice(l, &v)) return false;
  } else {
    Sym direction = 0;
    if (l->n_args > 3) return false;
    for (uint32_t k = 0; k < l->n_args; k++)
      if (!is_scalar(low_type(l, k)) || !low_known(l->f, l->args[k], &x[k])) return false;
    if (l->info->lower == become_compare) {
      const MlirAttr *a = low_attr(l, "comparison_direction", ATTR_WORD);
      if (!a) return false;
      Text word = low_enum(a->value);
      direction = sym_n(word.at, word.len);
    }
    if (!fold_scalar(l->what, low_out(l)->dtype, direction, x, l->n_args, &v)) return false;
  }
  low_set(l, 0, low_constant(l, low_out(l), rat_int(v)));
  return true;
}

/* Outside a manual computation values are whole tensors: nothing is computed there but constants. */
static bool may_be_outside(const OpInfo *info) {
  bool (*const how[])(Low *) = {become_identity, become_call, become_manual, become_constant, become_token};
  for (size_t k = 0; info && k < sizeof how / sizeof *how; k++)
    if (info->lower == how[k]) return true;
  return false;
}

static bool operator(Flow *f, const MlirFunc *fn, size_t base, const MlirOp *op) {
  Low l = {.f = f, .fn = fn, .base = base, .op = op, .info = op_info(op->op)};
  static const OpInfo unknown = {"", become_opaque, NULL, 0, -1};
  if (!l.info) {
    if (!strncmp(op->op.at, "sdy.", 4)) return become_refuse(&l);
    l.info = &unknown;
  }
  if ((int64_t)op->n_args < l.info->least || (l.info->most >= 0 && (int64_t)op->n_args > l.info->most))
    return MLIR_ERROR(f->m, op, E_SHAPE, "%.*s has %u operands", (int)op->op.len, op->op.at, op->n_args);
  if (l.info->lower != become_token && !op->n_results && l.info->least > 0)
    return MLIR_ERROR(f->m, op, E_SHAPE, "%.*s has no result", (int)op->op.len, op->op.at);
  if (f->outer && !may_be_outside(l.info)) {
    MLIR_ERROR(f->m, op, E_UNSUPPORTED, "%.*s stands outside the manual computation", (int)op->op.len, op->op.at);
    diag_hint(f->diags, "put the whole program under shard_map, or read the HLO after partitioning");
    return false;
  }
  l.what = l.info->what ? sym(l.info->what) : sym_n(op->op.at, op->op.len);
  NodeId *args = ARENA_ARRAY(f->arena, NodeId, op->n_args + 1);
  for (uint32_t k = 0; k < op->n_args; k++) {
    NodeId id = f->values.at[base + op->args[k]].node;
    if (id != NO_NODE) args[l.n_args++] = id;
    else if (low_type(&l, k)->dtype != DT_TOKEN)
      return MLIR_ERROR(f->m, op, E_UNSUPPORTED, "operand %u has no value tvr knows", k);
  }
  if (l.n_args != op->n_args && l.info->lower != become_opaque && l.info->lower != become_unique &&
      l.info->lower != become_token && l.info->lower != become_identity && l.info->lower != become_custom)
    return MLIR_ERROR(f->m, op, E_UNSUPPORTED, "%.*s of a token is not read", (int)op->op.len, op->op.at);
  l.args = args;
  places_resolve(f->m, op->where, &l.label, &l.frames);
  if (!l.frames) l.frames = f->frames;
  if (f->loops && fold(&l)) return true;
  return l.info->lower(&l);
}

static bool returns(Text op) {
  return text_equals(op, "stablehlo.return") || text_equals(op, "sdy.return") || text_equals(op, "func.return") ||
         text_equals(op, "return") || text_equals(op, "chlo.return");
}

bool flow_region(Flow *f, const MlirFunc *fn, const MlirRegion *r, size_t base, const Bound *args, uint32_t n) {
  bool ok = true;
  for (uint32_t k = 0; k < n && k < r->n_params; k++) f->values.at[base + r->param + k] = args[k];
  if (r->n_ops && ++f->depth > MAX_CALLS)
    return MLIR_ERROR(f->m, &r->ops[0], E_NESTING, "calls are nested more than %d deep", MAX_CALLS);
  for (uint32_t i = 0; ok && i < r->n_ops; i++) {
    const MlirOp *op = &r->ops[i];
    f->done += 1 + (op->n_args + op->n_results) / 64;
    if (f->done > f->m->n_ops * 2 + (uint64_t)f->options->max_nodes) {
      ok = MLIR_ERROR(f->m, op, E_LIMIT, "inlining and unrolling add more than %lld operators",
                      (long long)f->options->max_nodes);
      diag_hint(f->diags, "raise the limit with --max-nodes=N");
    } else if (returns(op->op)) {
      if (i + 1 < r->n_ops) return MLIR_ERROR(f->m, op, E_GRAPH_SYNTAX, "operators stand behind the end of the region");
      for (uint32_t k = 0; k < op->n_args; k++) vec_push(&f->returned, f->values.at[base + op->args[k]]);
    } else {
      ok = operator(f, fn, base, op);
    }
  }
  if (r->n_ops) f->depth--;
  return ok;
}

static const MlirFunc *entry(const MlirModule *m) {
  Sym name = sym("main");
  if (name < m->func_of.len && m->func_of.at[name]) return &m->funcs.at[m->func_of.at[name] - 1];
  return m->funcs.len == 1 ? &m->funcs.at[0] : NULL;
}

static bool add_params(Flow *f, const MlirFunc *fn) {
  for (uint32_t k = 0; k < fn->body.n_params; k++) {
    const MlirType *t = fn->types[fn->body.param + k];
    Node n = {.op = sym("parameter"), .name = fn->params[k].name, .dtype = t->dtype, .rank = t->rank, .dims = t->dims,
              .param = k};
    places_resolve(f->m, fn->params[k].where, &n.label, &n.frames);
    if (t->dtype == DT_TOKEN)
      return diag_error(f->diags, mlir_span(f->m, fn->params[k].where), E_UNSUPPORTED, "a parameter is a token");
    vec_push(&f->g->params, graph_add(f->g, &n));
    vec_push(&f->param_layout, 0);
  }
  return true;
}

static bool not_read(Flow *f, const char *what, size_t k, const char *why) {
  return diag_error(f->diags, (Span){f->m->scan.source, 0, 0}, E_UNSUPPORTED, "how %s %zu is cut %s", what, k, why);
}

/* Annotations of parameters must be what computations take; parameters that none took are the blocks they say. */
static bool settle_params(Flow *f, const MlirFunc *fn) {
  for (uint32_t k = 0; k < fn->body.n_params; k++) {
    const int64_t *dims = fn->types[fn->body.param + k]->dims;
    Sym layout, *known = &f->param_layout.at[k];
    if (!manual_block(f->m, fn->params[k].attrs, fn->types[fn->body.param + k], &dims, &layout, f->arena))
      return not_read(f, "parameter", k, "is not read");
    if (*known && layout && *known != layout)
      return not_read(f, "parameter", k, "is changed before the manual computation");
    if (!*known) f->g->nodes.at[f->g->params.at[k]].dims = dims;
    if (!*known) *known = layout;
  }
  return true;
}

/* The block of a constant that stands outside. */
static NodeId constant_block(Flow *f, NodeId id, const int64_t *dims) {
  Node copy = f->g->nodes.at[id];
  Literal *lit = arena_copy(f->arena, copy.literal, sizeof *lit);
  copy.dims = dims;
  lit->n = (uint64_t)node_elements(&copy);
  copy.literal = lit;
  return graph_add(f->g, &copy);
}

/* The output `b` as the block that the result's annotation says; they must be cut alike. */
static bool settle_output(Flow *f, const MlirFunc *fn, size_t k, Bound *b) {
  const Node *x = &f->g->nodes.at[b->node];
  Sym layout = 0, have = b->layout;
  if (k >= fn->n_results) return true;
  const int64_t *dims = NULL;
  if (!manual_block(f->m, fn->results[k], fn->result_types[k], &dims, &layout, f->arena))
    return not_read(f, "result", k, "is not read");
  if (!have && x->op == sym("parameter")) have = f->param_layout.at[x->param];
  if (!have && x->literal && dims) { /* outside: every block of it must be alike */
    if (x->literal->kind != LIT_SPLAT) return not_read(f, "constant result", k, "is not read");
    b->node = constant_block(f, b->node, dims);
  }
  return !layout || !have || layout == have || not_read(f, "result", k, "is changed behind the manual computation");
}

static bool add_outputs(Flow *f, const MlirFunc *fn) {
  for (size_t k = 0; k < f->returned.len; k++) {
    Bound b = f->returned.at[k];
    if (b.node == NO_NODE) continue;
    if (f->m->manual && !settle_output(f, fn, k, &b)) return false;
    vec_push(&f->g->outputs, (GraphOutput){b.node, 0});
  }
  return true;
}

bool mlir_flatten(MlirModule *m, const StablehloOptions *options) {
  Flow f = {.m = m, .g = m->graph, .arena = &m->graph->arena, .diags = m->scan.diags, .options = options,
            .device = NO_NODE, .most = -1, .outer = m->manual};
  const MlirFunc *fn = entry(m);
  if (!fn || fn->declared)
    return diag_error(f.diags, (Span){m->scan.source, 0, 0}, E_GRAPH_NAME, "the file has no function main");
  bool ok = add_params(&f, fn);
  Bound *args = ARENA_ARRAY(f.arena, Bound, fn->body.n_params + 1);
  for (uint32_t k = 0; ok && k < fn->body.n_params; k++) args[k] = (Bound){f.g->params.at[k], 0};
  for (uint32_t k = 0; k < fn->n_values; k++) vec_push(&f.values, (Bound){NO_NODE, 0});
  ok = ok && flow_region(&f, fn, &fn->body, 0, args, fn->body.n_params);
  ok = ok && (!m->manual || settle_params(&f, fn)) && add_outputs(&f, fn);
  if (f.kind != DEVICES_UNKNOWN) f.g->n_devices = f.n_devices ? f.n_devices : f.most + 1;
  else f.g->n_devices = m->n_partitions > 1 || m->n_replicas > 1 ? 0 : m->n_partitions;
  vec_free(&f.values);
  vec_free(&f.returned);
  vec_free(&f.param_layout);
  vec_free(&f.warned);
  return ok;
}
