/* See resize.h. */
#include "eval/reduce/resize.h"

#include <string.h>

#include "eval/reduce/submesh.h"

static int64_t new_size(const Resizing *to, const DigitList *l, uint32_t j) {
  int64_t size = to->size[l->sort[j]];
  return size && size < l->size[j] ? size : l->size[j];
}

/* A position along a dimension of these digits, or its end, digit by digit; false where a digit is beyond its new size. */
static bool new_position(const Resizing *to, const DigitList *l, int64_t at, int64_t *out) {
  int64_t weight = 1, position = 0;
  for (uint32_t j = l->n; j-- > 0; at /= l->size[j]) {
    int64_t digit = at % l->size[j], size = new_size(to, l, j);
    if (digit >= size) return false;
    position += digit * weight;
    weight *= size;
  }
  *out = at ? weight : position;
  return true;
}

/* Values of a list along a digit alone: the first of them. */
static bool shorten(Graph *g, Node *n, const int64_t *dims) {
  if (n->rank != 1 || n->literal->n < (uint64_t)dims[0]) return false;
  Literal *l = ARENA_NEW(&g->arena, Literal);
  *l = *n->literal;
  l->n = (uint64_t)dims[0];
  n->literal = l;
  return true;
}

/* Where a slice begins and ends follows the digits of what it is taken from. */
static bool follow_slice(const Resizing *to, Side side, Graph *g, Node *n) {
  Attr *attrs = arena_copy(&g->arena, n->attrs, n->n_attrs * sizeof *attrs);
  for (uint32_t k = 0; k < n->n_attrs; k++) {
    bool place = attrs[k].name == sym("starts") || attrs[k].name == sym("limits");
    if (!place || attrs[k].kind != ATTR_INTS) continue;
    int64_t *at = arena_copy(&g->arena, attrs[k].ints, attrs[k].n * sizeof *at);
    for (uint32_t d = 0; d < attrs[k].n; d++) {
      DigitList l = digits_dim(to->digits, side, n->args[0], d);
      if (!new_position(to, &l, at[d], &at[d])) return false;
    }
    attrs[k].ints = at;
  }
  n->attrs = attrs;
  return true;
}

static bool resize_node(const Resizing *to, Side side, Graph *g, NodeId i, bool *changed) {
  Node *n = &g->nodes.at[i];
  int64_t *dims = arena_copy(&g->arena, n->dims, n->rank * sizeof *dims);
  for (uint32_t k = 0; k < n->rank; k++) {
    DigitList l = digits_dim(to->digits, side, i, k);
    if (l.n == 0) continue;
    dims[k] = 1;
    for (uint32_t j = 0; j < l.n; j++) dims[k] *= new_size(to, &l, j);
  }
  bool differs = memcmp(dims, n->dims, n->rank * sizeof *dims) != 0;
  if (differs && n->literal && n->literal->kind == LIT_VALUES && !shorten(g, n, dims)) return false;
  *changed |= differs;
  n->dims = dims;
  return n->op != sym("slice") || follow_slice(to, side, g, n);
}

bool resize(const Part *from, const Resizing *to, Part *out) {
  *out = part_copy(from);
  bool changed = false, follows = true;
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId i = 0; i < out->graph[side]->nodes.len && follows; i++)
      follows = resize_node(to, (Side)side, out->graph[side], i, &changed);
  if (!changed || !follows) part_free(out);
  return changed && follows;
}

int64_t *resize_sizes(const Part *p, const Digits *d, uint32_t *n, Arena *a) {
  *n = (uint32_t)digits_stats(d).n_sorts;
  int64_t *size = ARENA_ARRAY(a, int64_t, *n + 1);
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId i = 0; i < p->graph[side]->nodes.len; i++)
      for (uint32_t k = 0; k < p->graph[side]->nodes.at[i].rank; k++) {
        DigitList l = digits_dim(d, (Side)side, i, k);
        for (uint32_t j = 0; j < l.n; j++)
          if (l.size[j] > size[l.sort[j]]) size[l.sort[j]] = l.size[j];
      }
  for (uint32_t axis = 0, first; axis < p->relation.mesh.n_axes; axis++)
    for (uint32_t k = meshdigits_axis(digits_mesh(d), axis, &first); k-- > 0;)
      size[digits_mesh_sort(d, first + k)] = 0;
  return size;
}

bool resize_mesh(const Part *from, const Digits *d, uint32_t axis, int64_t size, Part *out) {
  uint32_t first;
  if (meshdigits_axis(digits_mesh(d), axis, &first) != 1 || size >= from->relation.mesh.axes[axis].size) return false;
  Arena a = {0};
  int64_t *sizes = ARENA_ARRAY(&a, int64_t, digits_stats(d).n_sorts + 1);
  sizes[digits_mesh_sort(d, first)] = size;
  bool follows = resize(from, &(Resizing){d, sizes}, out);
  arena_free(&a);
  if (!follows) return false;
  if (submesh_take(out->graph[SIDE_DIST], &out->relation.mesh, axis, size)) return true;
  part_free(out);
  return false;
}
