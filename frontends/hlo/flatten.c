/* HloModule to Graph: the entry computation, with everything it calls inlined.
 *
 * Values of a computation being inlined are a range of leaves on a stack; tuples and their elements copy leaves, all
 * other instructions add nodes.  How deep calls nest is bounded by the parser; how much inlining and unrolling add, by
 * the options. */
#include "frontends/base/custom.h"
#include "frontends/base/fold.h"
#include "frontends/base/loop.h"
#include "frontends/base/products.h"
#include "frontends/base/sweep.h"
#include "frontends/hlo/flatten.h"

Span flat_span(const Flat *f, const HloInstr *i) {
  const char *lo = f->m->text + i->at, *hi = strchr(lo, '\n');
  return (Span){f->source, i->at, hi ? (uint32_t)(hi - f->m->text) : i->at + (uint32_t)strlen(lo)};
}

NodeId *flat_args(Flat *f, const HloInstr *i, size_t base, uint32_t *n) {
  const HloOperand *o = hlo_args(f->m, i);
  uint64_t most = 0;
  for (uint32_t k = 0; k < i->n_args; k++) most += o[k].shape->n_leaves;
  NodeId *args = ARENA_ARRAY(f->arena, NodeId, most + 1);
  *n = 0;
  for (uint32_t k = 0; k < i->n_args; k++)
    for (uint32_t j = 0; j < o[k].shape->n_leaves; j++) {
      NodeId v = f->values.at[base + o[k].leaf + j];
      if (v != NO_NODE) {
        args[(*n)++] = v;
      } else if (hlo_shape_leaf(o[k].shape, j)->dtype != DT_TOKEN) {
        diag_error(f->diags, flat_span(f, i), E_UNSUPPORTED, "operand %u has no value tvr knows", k);
        return NULL;
      }
    }
  return args;
}

NodeId flat_node(Flat *f, const HloInstr *i, Sym op, const HloShape *leaf, uint32_t result, const NodeId *args,
                 uint32_t n_args, const Attr *attrs, uint32_t n_attrs) {
  vec_push(&f->g->nodes, (Node){.op = op, .name = i->name, .label = i->label, .dtype = leaf->dtype, .rank = leaf->rank,
                                .result = (uint16_t)result, .n_args = n_args, .n_attrs = n_attrs, .dims = leaf->dims,
                                .args = args, .attrs = attrs, .frames = i->frames ? i->frames : f->frames,
                                .line = i->line});
  return (NodeId)f->g->nodes.len - 1;
}

NodeId flat_made(Flat *f, const HloInstr *i, const char *op, DType dtype, const int64_t *dims, size_t rank,
                 const NodeId *args, uint32_t n_args, const Attr *attrs, uint32_t n_attrs) {
  HloShape shape = {.dtype = (uint8_t)dtype, .rank = (uint8_t)rank};
  shape.dims = arena_copy(f->arena, dims, rank * sizeof *dims);
  return flat_node(f, i, sym(op), &shape, 0, arena_copy(f->arena, args, n_args * sizeof *args), n_args,
                   arena_copy(f->arena, attrs, n_attrs * sizeof *attrs), n_attrs);
}

NodeId flat_reshape(Flat *f, const HloInstr *i, NodeId x, const int64_t *dims, size_t rank) {
  return flat_made(f, i, "reshape", f->g->nodes.at[x].dtype, dims, rank, &x, 1, NULL, 0);
}

NodeId flat_constant(Flat *f, const HloInstr *i, const HloShape *leaf, int64_t value) {
  NodeId id = flat_node(f, i, f->m->constant, leaf, 0, NULL, 0, NULL, 0);
  Rat *v = ARENA_NEW(f->arena, Rat);
  Literal *l = ARENA_NEW(f->arena, Literal);
  *v = rat_int(value);
  *l = (Literal){LIT_SPLAT, (uint64_t)node_elements(&f->g->nodes.at[id]), v};
  f->g->nodes.at[id].literal = l;
  return id;
}

bool flat_known(const Flat *f, NodeId id, int64_t *out) { return fold_known(f->g, id, out); }

static bool is_scalar(const HloShape *s) {
  for (int d = 0; d < s->rank; d++)
    if (s->dims[d] != 1) return false;
  return !s->tuple && dtype_kind(s->dtype) <= DK_UINT;
}

/* The one entry of a constant table that a slice with known starts reads. */
static bool fold_slice(const Flat *f, const HloInstr *i, size_t base, int64_t *out) {
  NodeId table = f->values.at[flat_arg(f, i, 0, base)];
  if (table == NO_NODE) return false;
  const Node *x = &f->g->nodes.at[table];
  if (!x->literal || i->n_args != 1u + x->rank) return false;
  int64_t flat = 0, start;
  for (int d = 0; d < x->rank; d++) {
    if (!flat_known(f, f->values.at[flat_arg(f, i, (uint32_t)d + 1, base)], &start)) return false;
    if (start > x->dims[d] - 1) start = x->dims[d] - 1;
    flat = flat * x->dims[d] + (start < 0 ? 0 : start);
  }
  if (node_elements(x) == 0) return false;
  Rat r = x->literal->values[x->literal->kind == LIT_SPLAT ? 0 : flat];
  return rat_is_finite(r) && rat_to_int(r, out);
}

/* Within a loop: known integers, a choice between two values that is known, and truth values of which one decides.  *value:
 * what stands for the result. */
static bool fold(Flat *f, const HloInstr *i, size_t base, NodeId *value) {
  int64_t x[3], v;
  for (uint32_t k = 0; k < i->n_args; k++)
    if (hlo_args(f->m, i)[k].shape->tuple) return false;
  if (i->opcode == HLO_SELECT && flat_known(f, f->values.at[flat_arg(f, i, 0, base)], x)) {
    *value = f->values.at[flat_arg(f, i, x[0] ? 1 : 2, base)];
    return true;
  }
  if (!is_scalar(i->shape) || i->n_args == 0) return false;
  if (i->n_args == 2 && hlo_shape_equal(hlo_args(f->m, i)[0].shape, hlo_args(f->m, i)[1].shape)) {
    NodeId both[] = {f->values.at[flat_arg(f, i, 0, base)], f->values.at[flat_arg(f, i, 1, base)]};
    *value = fold_truth(f->g, i->op, i->shape->dtype, both);
    if (*value != NO_NODE) return true;
  }
  if (i->opcode == HLO_DYNAMIC_SLICE) {
    if (!fold_slice(f, i, base, &v)) return false;
  } else {
    if (i->n_args > 3) return false;
    for (uint32_t k = 0; k < i->n_args; k++)
      if (!is_scalar(hlo_args(f->m, i)[k].shape) || !flat_known(f, f->values.at[flat_arg(f, i, k, base)], &x[k]))
        return false;
    Sym direction = 0;
    for (uint32_t k = 0; k < i->n_attrs; k++)
      if (i->attrs[k].name == sym("direction")) direction = i->attrs[k].s;
    if (!fold_scalar(i->op, i->shape->dtype, direction, x, i->n_args, &v)) return false;
  }
  *value = flat_constant(f, i, i->shape, v);
  return true;
}

bool flat_results(Flat *f, const HloInstr *i, size_t base, const Attr *extra, uint32_t n_extra, bool with_device) {
  uint32_t n_args, n_attrs = i->n_attrs;
  const Attr *attrs = i->attrs;
  NodeId *args = flat_args(f, i, base, &n_args);
  if (!args) return false;
  if (with_device) args[n_args++] = f->device; /* flat_args leaves room for one */
  if (n_extra) {
    Attr *all = ARENA_ARRAY(f->arena, Attr, n_attrs + n_extra);
    if (n_attrs) memcpy(all, attrs, n_attrs * sizeof *all);
    memcpy(all + n_attrs, extra, n_extra * sizeof *all);
    n_attrs += n_extra;
    attrs = all;
  }
  if (i->reshape_indices && n_args == i->n_args) {
    uint32_t k = i->opcode == HLO_GATHER ? 1 : n_args / 2;
    const Node *ids = &f->g->nodes.at[args[k]];
    int64_t dims[256];
    memcpy(dims, ids->dims, ids->rank * sizeof *dims);
    dims[ids->rank] = 1;
    args[k] = flat_reshape(f, i, args[k], dims, ids->rank + 1u);
  }
  if (i->shape->n_leaves > UINT16_MAX)
    return diag_error(f->diags, flat_span(f, i), E_SIZE, "the operator has too many results");
  for (uint32_t k = 0; k < i->shape->n_leaves; k++) {
    const HloShape *leaf = hlo_shape_leaf(i->shape, k);
    if (leaf->dtype != DT_TOKEN)
      f->values.at[base + i->leaf + k] = flat_node(f, i, i->op, leaf, k, args, n_args, attrs, n_attrs);
  }
  return true;
}

bool flat_unique(Flat *f, const HloInstr *i, size_t base, const char *why) {
  char *text = arena_printf(f->arena, "%u:%s:%zu", f->source, sym_text(i->name), f->g->nodes.len);
  Attr a[] = {attr_sym("unique", text), attr_sym("why", why ? why : "")};
  bool many = f->g->n_devices != 1;
  if (many && f->device == NO_NODE) f->device = flat_made(f, i, "partition_id", DT_U32, NULL, 0, NULL, 0, NULL, 0);
  return flat_results(f, i, base, a, why ? 2 : 1, many);
}

static const Attr *find_attr(const HloInstr *i, const char *name) {
  for (uint32_t k = 0; k < i->n_attrs; k++)
    if (!strcmp(sym_text(i->attrs[k].name), name)) return &i->attrs[k];
  return NULL;
}

static bool custom_call(Flat *f, const HloInstr *i, size_t base) {
  const Attr *target = find_attr(i, "custom_call_target"), *effect = find_attr(i, "custom_call_has_side_effect");
  if (target && custom_annotates(sym_text(target->s)) && i->n_args == 1) {
    const HloOperand *x = hlo_args(f->m, i);
    if (!hlo_shape_equal(x->shape, i->shape)) {
      diag_error(f->diags, flat_span(f, i), E_UNSUPPORTED, "%s changes the shape: the program is not partitioned yet",
                 sym_text(target->s));
      diag_hint(f->diags, "dump the module after the pass spmd-partitioning");
      return false;
    }
    memcpy(&f->values.at[base + i->leaf], &f->values.at[base + x->leaf], x->shape->n_leaves * sizeof(NodeId));
    return true;
  }
  if (target && !strcmp(sym_text(target->s), "xla.sdy.ShardingGroup")) return true;
  if (target && custom_known(f, i, sym_text(target->s), base)) return true;
  return effect && effect->i ? flat_unique(f, i, base, NULL) : flat_results(f, i, base, NULL, 0, false);
}

/* The results within what a start gave: all of it, or the second part of (operands, results, ..). */
static const HloShape *results_of(const HloShape *s, const HloShape *want, uint32_t *leaf) {
  *leaf = 0;
  if (want ? hlo_shape_equal(s, want) : !s->tuple) return s;
  if (!s->tuple || s->n_parts < 2) return NULL;
  *leaf = s->parts[0]->n_leaves;
  return s->parts[1];
}

static bool start(Flat *f, const HloInstr *i, size_t base) {
  uint32_t leaf, at = 0;
  bool variadic = i->n_args > 1 && !(i->shape->tuple && i->shape->n_parts && i->shape->parts[0]->tuple);
  const HloShape *results = variadic ? i->shape : results_of(i->shape, NULL, &leaf);
  if (variadic) leaf = 0;
  if (!results) return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the shape is not (operands, results)");
  if (leaf)
    for (uint32_t k = 0; k < i->n_args; k++)
      for (uint32_t j = 0; j < hlo_args(f->m, i)[k].shape->n_leaves && at < leaf; j++)
        f->values.at[base + i->leaf + at++] = f->values.at[flat_arg(f, i, k, base) + j];
  if (hlo_opcode_class(i->opcode) == C_ASYNC_START) {
    const HloComp *c = &f->m->comps.at[i->called[0]];
    if (!hlo_shape_equal(results, hlo_instr(f->m, c, c->root)->shape))
      return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the shape is not (operands, results)");
    return control_call(f, i, base, base + i->leaf + leaf);
  }
  const char *name = sym_text(i->op);
  return collective_flatten(f, i, sym_n(name, strlen(name) - strlen("_start")), base, base + i->leaf + leaf, results);
}

static bool device(Flat *f, const HloInstr *i, size_t base) {
  bool own = (i->opcode == HLO_REPLICA_ID) == f->m->devices_are_replicas;
  f->values.at[base + i->leaf] = own ? flat_node(f, i, sym("partition_id"), i->shape, 0, NULL, 0, NULL, 0)
                                     : flat_constant(f, i, i->shape, 0);
  return true;
}

/* Copies `n` leaves of the operands, starting at a leaf of the first one. */
static void copy_leaves(Flat *f, const HloInstr *i, size_t base, uint32_t skip, uint32_t n) {
  uint32_t at = 0;
  for (uint32_t k = 0; k < i->n_args; k++)
    for (uint32_t j = 0; j < hlo_args(f->m, i)[k].shape->n_leaves; j++) {
      if (skip) skip--;
      else if (at < n) f->values.at[base + i->leaf + at++] = f->values.at[flat_arg(f, i, k, base) + j];
    }
}

/* Copies that must not change shape: the reader relies on it. */
static bool copy_checked(Flat *f, const HloInstr *i, size_t base, const HloShape *from, uint32_t leaf) {
  if (!from || !hlo_shape_equal(from, i->shape))
    return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the result has not the shape of the operand");
  copy_leaves(f, i, base, leaf, i->shape->n_leaves);
  return true;
}

static bool tuple(Flat *f, const HloInstr *i, size_t base) {
  const HloOperand *a = hlo_args(f->m, i);
  bool ok = i->shape->tuple && i->shape->n_parts == i->n_args;
  for (uint32_t k = 0; ok && k < i->n_args; k++) ok = hlo_shape_equal(i->shape->parts[k], a[k].shape);
  if (!ok && i->n_args == 1) return copy_checked(f, i, base, a->shape, 0); /* a barrier on one value */
  if (!ok) return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the result is not the tuple of the operands");
  copy_leaves(f, i, base, 0, i->shape->n_leaves);
  return true;
}

/* (destination, source, ..) */
static bool copy_start(Flat *f, const HloInstr *i, size_t base) {
  const HloShape *x = hlo_args(f->m, i)->shape, *s = i->shape;
  bool ok = s->tuple && s->n_parts >= 2 && hlo_shape_equal(s->parts[0], x) && hlo_shape_equal(s->parts[1], x);
  if (!ok) return diag_error(f->diags, flat_span(f, i), E_SHAPE, "the shape is not (destination, source, ..)");
  for (uint32_t k = 0; k < 2; k++)
    memcpy(&f->values.at[base + i->leaf + k * x->n_leaves], &f->values.at[flat_arg(f, i, 0, base)],
           x->n_leaves * sizeof(NodeId));
  return true;
}

static bool constant(Flat *f, const HloInstr *i, size_t base) {
  NodeId id = flat_node(f, i, i->op, i->shape, 0, NULL, 0, NULL, 0);
  f->g->nodes.at[id].literal = i->literal;
  f->values.at[base + i->leaf] = id;
  return true;
}

static bool instr(Flat *f, const HloInstr *i, size_t base) {
  const HloOperand *a = hlo_args(f->m, i);
  uint32_t leaf;
  const HloShape *part;
  NodeId value;
  switch (hlo_opcode_class(i->opcode)) {
    case C_PARAMETER: return true;
    case C_CONSTANT: return constant(f, i, base);
    case C_TUPLE:
    case C_IDENTITY: return tuple(f, i, base);
    case C_ELEMENT:
      memcpy(&f->values.at[base + i->leaf],
             &f->values.at[flat_arg(f, i, 0, base) + a->shape->offsets[i->number]],
             i->shape->n_leaves * sizeof(NodeId));
      return true;
    case C_FIRST: return copy_checked(f, i, base, a->shape, 0);
    case C_TOKEN: return true;
    case C_CALL: return control_call(f, i, base, base + i->leaf);
    case C_WHILE: return control_while(f, i, base);
    case C_CONDITIONAL: return control_conditional(f, i, base);
    case C_ASYNC_START:
    case C_START: return start(f, i, base);
    case C_DONE:
      part = results_of(a->shape, i->shape, &leaf);
      return copy_checked(f, i, base, part, leaf);
    case C_COPY_START:
      return copy_start(f, i, base);
    case C_COPY_DONE:
      part = a->shape->tuple && a->shape->n_parts ? a->shape->parts[0] : NULL;
      return copy_checked(f, i, base, part, 0);
    case C_BITCAST: return bitcast_flatten(f, i, base);
    case C_COLLECTIVE: return collective_flatten(f, i, i->op, base, base + i->leaf, i->shape);
    case C_DEVICE: return device(f, i, base);
    case C_UNIQUE: return flat_unique(f, i, base, NULL);
    case C_CUSTOM: return custom_call(f, i, base);
    case C_REFUSE:
      return diag_error(f->diags, flat_span(f, i), E_UNSUPPORTED, "%s is not read", hlo_opcode_text(i->opcode));
    case C_ELEMENTWISE:
    case C_RESULTS:
    case C_EXCHANGE:
      if (i->opcode == HLO_TOPK) return custom_topk(f, i, i->attrs, i->n_attrs, base);
      if (f->loops && fold(f, i, base, &value)) {
        f->values.at[base + i->leaf] = value;
        return true;
      }
      return flat_results(f, i, base, NULL, 0, false);
  }
  return false;
}

bool flat_run(Flat *f, uint32_t comp, size_t args, size_t out) {
  HloComp *c = &f->m->comps.at[comp];
  size_t base = f->values.len;
  vec_reserve(&f->values, base + c->n_leaves + 1);
  f->values.len += c->n_leaves;
  memset(&f->values.at[base], 0xff, c->n_leaves * sizeof(NodeId));
  for (uint32_t k = 0; k < c->n_params; k++) {
    const HloInstr *p = hlo_instr(f->m, c, c->params[k]);
    memcpy(&f->values.at[base + p->leaf], &f->values.at[args], p->shape->n_leaves * sizeof(NodeId));
    args += p->shape->n_leaves;
  }
  bool again = c->runs++ > 0, ok = true;
  for (uint32_t k = 0; ok && k < c->n; k++) {
    const HloInstr *i = hlo_instr(f->m, c, k);
    if (again) f->copied += 1 + (i->shape->n_leaves + i->n_args) / 64;
    if (f->copied > (uint64_t)f->options->max_nodes) {
      diag_error(f->diags, flat_span(f, i), E_LIMIT, "inlining and unrolling add more than %lld operators",
                 (long long)f->options->max_nodes);
      diag_hint(f->diags, "raise the limit with --max-nodes=N");
      return false;
    }
    ok = instr(f, i, base);
  }
  const HloInstr *root = hlo_instr(f->m, c, c->root);
  if (ok && root->shape->n_leaves)
    memmove(&f->values.at[out], &f->values.at[base + root->leaf], root->shape->n_leaves * sizeof(NodeId));
  f->values.len = base;
  return ok;
}

/* The parameters of the entry; those of tuple shape are numbered leaf by leaf. */
static void add_params(Flat *f, const HloComp *c) {
  for (uint32_t k = 0; k < c->n_params; k++) {
    const HloInstr *p = hlo_instr(f->m, c, c->params[k]);
    for (uint32_t j = 0; j < p->shape->n_leaves; j++) {
      NodeId id = flat_node(f, p, p->op, hlo_shape_leaf(p->shape, j), 0, NULL, 0, NULL, 0);
      f->g->nodes.at[id].param = (int64_t)f->g->params.len;
      vec_push(&f->g->params, id);
      vec_push(&f->values, id);
    }
  }
}

bool hlo_flatten(HloModule *m, Diags *diags, uint32_t source, const HloOptions *options) {
  Flat f = {.m = m,
            .g = m->graph,
            .arena = &m->graph->arena,
            .diags = diags,
            .source = source,
            .options = options,
            .device = NO_NODE,
            .within = NO_LOOP};
  const HloComp *c = &m->comps.at[m->entry];
  const HloInstr *root = hlo_instr(m, c, c->root);
  vec_reserve(&f.g->nodes, c->n + 64);
  vec_reserve(&f.values, c->n_leaves + 64);
  add_params(&f, c);
  size_t out = f.values.len;
  for (uint32_t k = 0; k < root->shape->n_leaves; k++) vec_push(&f.values, NO_NODE);
  bool ok = flat_run(&f, m->entry, 0, out);
  for (uint32_t k = 0; ok && k < root->shape->n_leaves; k++) {
    NodeId id = f.values.at[out + k];
    if (id != NO_NODE) vec_push(&f.g->outputs, (GraphOutput){id, 0});
    else if (hlo_shape_leaf(root->shape, k)->dtype != DT_TOKEN)
      ok = diag_error(diags, flat_span(&f, root), E_UNSUPPORTED, "result %u has no value tvr knows", k);
  }
  vec_free(&f.values);
  if (ok) loops_finish(m->graph);
  if (ok) products_unfold(m->graph), sweep_graph(m->graph);
  return ok;
}
