/* See place.h. */
#include "frontends/onnx/place.h"

const int64_t *place_list(const Node *n, const char *name) {
  const Attr *a = node_attr(n, sym(name));
  return a ? a->ints : NULL;
}

void place_split(const Node *n, int64_t k, int64_t *at) {
  for (int d = n->rank; d-- > 0; k /= n->dims[d]) at[d] = k % n->dims[d];
}

int64_t place_flat(const Node *n, const int64_t *at) {
  int64_t k = 0;
  for (int d = 0; d < n->rank; d++) k = k * n->dims[d] + at[d];
  return k;
}

bool place_moves(const Node *n) {
  return n->op == sym("reshape") || n->op == sym("transpose") || n->op == sym("broadcast") || n->op == sym("slice") ||
         n->op == sym("reverse");
}

static bool is_reversed(const Node *n, int d) {
  const Attr *a = node_attr(n, sym("dimensions"));
  for (uint32_t k = 0; a && k < a->n; k++)
    if (a->ints[k] == d) return true;
  return false;
}

int64_t place_source(const Node *n, const Node *x, int64_t k) {
  int64_t at[PLACE_MAX_RANK], to[PLACE_MAX_RANK];
  if (n->op == sym("reshape")) return k;
  place_split(n, k, at);
  const int64_t *list = place_list(n, "dimensions"), *start = place_list(n, "starts"), *step = place_list(n, "strides");
  for (int d = 0; d < x->rank; d++) {
    if (n->op == sym("transpose")) to[list[d]] = at[d];
    else if (n->op == sym("broadcast")) to[d] = at[list[d]];
    else if (n->op == sym("reverse")) to[d] = is_reversed(n, d) ? x->dims[d] - 1 - at[d] : at[d];
    else to[d] = start[d] + step[d] * at[d];
  }
  return place_flat(x, to);
}

int64_t place_joined(const Node *n, const Node *x, int64_t from, int64_t k) {
  int64_t at[PLACE_MAX_RANK];
  place_split(x, k, at);
  at[place_list(n, "dimensions")[0]] += from;
  return place_flat(n, at);
}
