/* MlirModule to Graph: main, with everything it calls inlined.
 *
 * The values of a function being inlined are a range on a stack; regions share those of their function.  What a region
 * returns goes to a second stack, from where the operator takes it.  How deep regions nest in calls is bounded, and how
 * much inlining and unrolling add. */
#include "frontends/base/fold.h"
#include "frontends/base/loop.h"
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
    if (x && !b.cut && !mlir_type_equal(&(MlirType){x->dtype, x->rank, x->dims}, t))
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

/* Within a loop: known integers, a choice between two values that is known, and truth values of which one decides. */
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
  bool alike = l->n_args == 2 && mlir_type_equal(low_type(l, 0), low_type(l, 1));
  NodeId truth = alike ? fold_truth(l->f->g, l->what, low_out(l)->dtype, l->args) : NO_NODE;
  if (truth != NO_NODE) {
    low_set(l, 0, truth);
    return true;
  }
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

/* These hand values on, and need not know all of them. */
static bool hands_on(const OpInfo *info, const MlirOp *op) {
  bool (*const how[])(Low *) = {become_identity, become_call, become_manual, become_token};
  if (tiles_call(op)) return true;
  for (size_t k = 0; k < sizeof how / sizeof *how; k++)
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
  l.what = l.info->what ? sym(l.info->what) : sym_n(op->op.at, op->op.len);
  places_resolve(f->m, op->where, &l.label, &l.frames);
  if (!l.frames) l.frames = f->frames;
  NodeId *args = ARENA_ARRAY(f->arena, NodeId, op->n_args + 1);
  for (uint32_t k = 0; k < op->n_args; k++) {
    Bound b = f->values.at[base + op->args[k]];
    if (!hands_on(l.info, op) && !cut_whole(&l, &b, low_type(&l, k))) return false;
    if (b.node != NO_NODE) args[l.n_args++] = b.node;
    else if (low_type(&l, k)->dtype != DT_TOKEN)
      return MLIR_ERROR(f->m, op, E_UNSUPPORTED, "operand %u has no value tvr knows", k);
  }
  if (l.n_args != op->n_args && l.info->lower != become_opaque && l.info->lower != become_unique &&
      l.info->lower != become_token && l.info->lower != become_identity && l.info->lower != become_custom)
    return MLIR_ERROR(f->m, op, E_UNSUPPORTED, "%.*s of a token is not read", (int)op->op.len, op->op.at);
  l.args = args;
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
  }
  return true;
}

/* How the annotation of a parameter or result of main cuts it; CUT_OPEN: it does not say. */
static bool annotation(Flow *f, Text attrs, const MlirType *t, const char *what, size_t k, const Cut **out) {
  Text sharding;
  const Mesh *mesh;
  *out = &CUT_OPEN;
  bool manual, shardy = attrs.len && text_field(&f->m->scan, attrs, "sdy.sharding", &sharding);
  if (!shardy && !(f->m->tiled && attrs.len && text_field(&f->m->scan, attrs, "mhlo.sharding", &sharding))) return true;
  return (shardy ? cut_read(f, sharding, t, out, &mesh) : tiles_read(f, sharding, t, out, &manual)) ||
         diag_error(f->diags, (Span){f->m->scan.source, 0, 0}, E_UNSUPPORTED, "how %s %zu is cut is not read", what, k);
}

/* Parameters as blocks, where the program is one on whole tensors that are cut; args: as they are bound. */
static bool cut_params(Flow *f, const MlirFunc *fn, Bound *args) {
  /* A program that a partitioner went through keeps the annotations: its tensors are blocks, it talks. */
  f->m->tiled |= f->m->n_partitions > 1 && !f->m->talks && !f->m->manual;
  bool cut = f->m->manual || f->m->tiled;
  for (uint32_t k = 0; k < fn->body.n_params; k++) {
    const Cut *c;
    if (!annotation(f, fn->params[k].attrs, fn->types[fn->body.param + k], "parameter", k, &c)) return false;
    cut |= c && c != &CUT_OPEN;
    args[k].cut = c;
    vec_push(&f->param_cut, ((ParamCut){c == &CUT_OPEN ? NULL : c, c != &CUT_OPEN}));
  }
  for (uint32_t k = 0; k < fn->n_results; k++) {
    const Cut *c;
    if (!annotation(f, fn->results[k], fn->result_types[k], "result", k, &c)) return false;
    cut |= c && c != &CUT_OPEN;
  }
  f->outer = cut && !f->m->tiled;
  for (uint32_t k = 0; k < fn->body.n_params; k++) {
    const Cut *c = args[k].cut;
    if (!cut) args[k].cut = NULL;
    else if (c && c != &CUT_OPEN) f->g->nodes.at[args[k].node].dims = c->dims;
    bool blocks = args[k].cut && c != &CUT_OPEN && fn->body.n_ops;
    if (blocks && !cut_devices(f, fn->body.ops, c->mesh, c->n_devices)) return false;
  }
  return true;
}

/* Results are blocks as their annotations say. */
static bool add_outputs(Flow *f, const MlirFunc *fn) {
  Low l = {.f = f, .fn = fn, .op = fn->body.n_ops ? &fn->body.ops[fn->body.n_ops - 1] : NULL, .frames = f->frames};
  for (size_t k = 0; k < f->returned.len; k++) {
    Bound b = f->returned.at[k];
    const Cut *c = &CUT_OPEN;
    if (b.node == NO_NODE) continue;
    if (k < fn->n_results && !annotation(f, fn->results[k], fn->result_types[k], "result", k, &c)) return false;
    if (c && c != &CUT_OPEN && !cut_devices(f, l.op, c->mesh, c->n_devices)) return false;
    if (c != &CUT_OPEN && !cut_block(&l, &b, fn->result_types[k], c)) return false;
    vec_push(&f->g->outputs, (GraphOutput){b.node, 0});
  }
  return true;
}

bool mlir_flatten(MlirModule *m, const StablehloOptions *options) {
  Flow f = {.m = m,
            .g = m->graph,
            .arena = &m->graph->arena,
            .diags = m->scan.diags,
            .options = options,
            .device = NO_NODE,
            .most = -1,
            .within = NO_LOOP};
  const MlirFunc *fn = entry(m);
  if (!fn || fn->declared)
    return diag_error(f.diags, (Span){m->scan.source, 0, 0}, E_GRAPH_NAME, "the file has no function main");
  bool ok = add_params(&f, fn);
  Bound *args = ARENA_ARRAY(f.arena, Bound, fn->body.n_params + 1);
  for (uint32_t k = 0; ok && k < fn->body.n_params; k++) args[k] = (Bound){.node = f.g->params.at[k]};
  ok = ok && cut_params(&f, fn, args);
  for (uint32_t k = 0; k < fn->n_values; k++) vec_push(&f.values, (Bound){.node = NO_NODE});
  ok = ok && flow_region(&f, fn, &fn->body, 0, args, fn->body.n_params);
  ok = ok && add_outputs(&f, fn);
  if (ok) loops_finish(f.g);
  if (f.kind != DEVICES_UNKNOWN) f.g->n_devices = f.n_devices ? f.n_devices : f.most + 1;
  else f.g->n_devices = m->n_partitions > 1 || m->n_replicas > 1 ? 0 : m->n_partitions;
  vec_free(&f.values);
  vec_free(&f.returned);
  vec_free(&f.param_cut);
  vec_free(&f.cuts);
  vec_free(&f.wholes);
  vec_free(&f.warned);
  return ok;
}
