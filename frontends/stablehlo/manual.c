/* sdy.manual_computation: from whole tensors to the blocks of one device and back.
 *
 *     %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[..] manual_axes={"x"}
 *         (%b: ..) {..}
 * The region runs on every device, on the blocks that in_shardings says; what it returns are blocks of the results.
 * Along axes that are not manual, it runs as if each device did all of it: so does another one within. */
#include "frontends/stablehlo/flow.h"

static bool same_block(const MlirType *t, const int64_t *dims, const MlirType *whole) {
  return t->dtype == whole->dtype && t->rank == whole->rank && !memcmp(t->dims, dims, t->rank * sizeof *dims);
}

/* Entries of `[<..>, <..>]`. */
static bool shardings(Low *l, const char *name, uint32_t n, Text *out) {
  const MlirAttr *a = low_attr(l, name, NULL);
  if (!a) return LOW_ERROR(l, E_ATTRIBUTE, "a manual computation needs %s", name);
  Scan s = l->f->m->scan;
  const char *at = memchr(a->value.at, '[', a->value.len);
  uint32_t k = 0;
  s.p = at ? at + 1 : s.p;
  for (; at && k < n && !scan_try(&s, ']'); k++) {
    if (k) scan_try(&s, ',');
    if (!text_value(&s, &out[k])) return false;
    if (!out[k].len) break;
  }
  if (k == n && (n == 0 || scan_try(&s, ']'))) return true;
  return LOW_ERROR(l, E_ATTRIBUTE, "%s has not %u entries", name, n);
}

/* The block dimensions of a tensor under a cut that may be none. */
static const int64_t *block_dims(const Cut *c, const MlirType *whole) { return c ? c->dims : whole->dims; }

bool become_manual(Low *l) {
  Flow *f = l->f;
  const MlirOp *op = l->op;
  const MlirRegion *body = op->regions;
  const Mesh *mesh = NULL;
  Text *in = ARENA_ARRAY(f->arena, Text, op->n_args + 1), *out = ARENA_ARRAY(f->arena, Text, op->n_results + 1);
  const Cut **cuts = ARENA_ARRAY(f->arena, const Cut *, op->n_results + 1), *cut;
  Bound *args = flow_args(l);
  if (op->n_regions != 1 || body->n_params != op->n_args)
    return LOW_ERROR(l, E_SHAPE, "a manual computation needs a region with a parameter for each operand");
  if (!shardings(l, "in_shardings", op->n_args, in) || !shardings(l, "out_shardings", op->n_results, out)) return false;
  for (uint32_t k = 0; k < op->n_args; k++) {
    const MlirType *block = l->fn->types[body->param + k], *whole = low_type(l, k);
    if (!cut_read(f, in[k], whole, &cut, &mesh) || !same_block(block, block_dims(cut, whole), whole))
      return LOW_ERROR(l, E_SHAPE, "in_shardings: parameter %u is not the block of its operand", k);
    if (!cut_devices(f, op, mesh, mesh->n_devices) || !cut_block(l, &args[k], whole, cut)) return false;
  }
  for (uint32_t k = 0; k < op->n_results; k++) {
    if (!cut_read(f, out[k], op->types[k], &cuts[k], &mesh))
      return LOW_ERROR(l, E_SHAPE, "out_shardings: what cuts result %u is not read", k);
    if (!cut_devices(f, op, mesh, mesh->n_devices)) return false;
  }
  if (!mesh) return LOW_ERROR(l, E_MESH, "a manual computation of nothing");
  size_t returned = f->returned.len;
  bool outer = f->outer;
  f->outer = false;
  bool ok = flow_region(f, l->fn, body, l->base, args, op->n_args);
  f->outer = outer;
  if (!ok) return false;
  if (f->returned.len - returned != op->n_results)
    return LOW_ERROR(l, E_SHAPE, "the region does not return %u values", op->n_results);
  for (uint32_t k = 0; k < op->n_results; k++) {
    Bound *b = &f->returned.at[returned + k];
    const int64_t *dims = block_dims(cuts[k], op->types[k]);
    MlirType t = {op->types[k]->dtype, op->types[k]->rank, dims};
    if (!cut_whole(l, b, &t)) return false;
    const Node *x = &f->g->nodes.at[b->node];
    if (!same_block(&(MlirType){x->dtype, x->rank, x->dims}, dims, op->types[k]))
      return LOW_ERROR(l, E_SHAPE, "out_shardings: what is returned is not the block of result %u", k);
    b->cut = cuts[k];
  }
  return flow_take(l, op->n_results);
}
