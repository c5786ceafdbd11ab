/* Library functions that XLA calls in place of operators it has recognised. */
#include <stdlib.h>
#include <string.h>

#include "frontends/hlo/flatten.h"

/* The largest values are the operand's at their places; one alone is a maximum. */
bool custom_topk(Flat *f, const HloInstr *i, const Attr *attrs, uint32_t n_attrs, size_t base) {
  const HloShape *values = i->shape->n_leaves == 2 ? hlo_shape_leaf(i->shape, 0) : NULL;
  uint32_t n_args;
  NodeId *args = flat_args(f, i, base, &n_args);
  if (!args) return false;
  if (!values || !values->rank || values->dims[values->rank - 1] <= 1) {
    for (uint32_t k = 0; k < i->shape->n_leaves; k++)
      f->values.at[base + i->leaf + k] =
          flat_node(f, i, sym("topk"), hlo_shape_leaf(i->shape, k), k, args, n_args, attrs, n_attrs);
    return true;
  }
  NodeId place = flat_node(f, i, sym("topk"), hlo_shape_leaf(i->shape, 1), 1, args, n_args, attrs, n_attrs);
  int64_t last = values->rank - 1;
  Attr a = {.name = sym("dimensions"), .kind = ATTR_INTS, .n = 1, .ints = arena_copy(f->arena, &last, sizeof last)};
  NodeId both[] = {args[0], place};
  f->values.at[base + i->leaf] =
      flat_made(f, i, "take_along", values->dtype, values->dims, values->rank, both, 2, &a, 1);
  f->values.at[base + i->leaf + 1] = place;
  return true;
}

/* TopK orders rows of the last dimension downwards, equal values by their places. */
static bool top_k(Flat *f, const HloInstr *i, size_t base) {
  const HloShape *x = hlo_args(f->m, i)->shape;
  if (!i->shape->tuple || i->shape->n_leaves != 2 || x->tuple || !x->rank) return false;
  const HloShape *values = hlo_shape_leaf(i->shape, 0), *places = hlo_shape_leaf(i->shape, 1);
  bool fits = values->dtype == x->dtype && dtype_is_int(places->dtype) && values->rank == x->rank && places->rank == x->rank;
  for (int d = 0; fits && d < x->rank; d++)
    fits = values->dims[d] == places->dims[d] &&
           (d + 1 < x->rank ? values->dims[d] == x->dims[d] : values->dims[d] <= x->dims[d]);
  if (!fits) return false;
  Attr *attrs = ARENA_ARRAY(f->arena, Attr, 2);
  attrs[0] = (Attr){.name = sym("k"), .kind = ATTR_INT, .i = values->dims[values->rank - 1]};
  attrs[1] = (Attr){.name = sym("largest"), .kind = ATTR_INT, .i = 1};
  return custom_topk(f, i, attrs, 2, base);
}

/* The dimension is a number of the configuration, which is JSON. */
static bool softmax(Flat *f, const HloInstr *i, size_t base) {
  static const char key[] = "softmax_axis";
  const HloShape *x = hlo_args(f->m, i)->shape;
  const char *at = NULL;
  for (uint32_t k = 0; k < i->n_attrs; k++)
    if (i->attrs[k].name == sym("backend_config")) at = strstr(sym_text(i->attrs[k].s), key);
  if (!at || x->tuple || i->shape->tuple || !hlo_shape_equal(x, i->shape)) return false;
  at += sizeof key - 1;
  at += strspn(at, "\\\": ");
  if (*at < '0' || *at > '9') return false;
  int64_t axis = strtol(at, NULL, 10);
  if (axis >= x->rank) return false;
  uint32_t n_args;
  NodeId *args = flat_args(f, i, base, &n_args);
  Attr *a = ARENA_NEW(f->arena, Attr);
  *a = (Attr){.name = sym("dimensions"), .kind = ATTR_INTS, .n = 1, .ints = arena_copy(f->arena, &axis, sizeof axis)};
  if (args) f->values.at[base + i->leaf] = flat_node(f, i, sym("softmax"), i->shape, 0, args, n_args, a, 1);
  return args != NULL;
}

bool custom_known(Flat *f, const HloInstr *i, const char *target, size_t base) {
  if (i->n_args != 1) return false;
  if (!strcmp(target, "TopK")) return top_k(f, i, base);
  return !strcmp(target, "__onednn$softmax") && softmax(f, i, base);
}
