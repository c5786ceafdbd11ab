/* order: see order.h. */
#include "eval/exact/order.h"

bool order_known(const Graph *g, const Node *n) {
  if (strcmp(sym_text(n->op), "topk") != 0 || n->n_args != 1 || n->rank == 0 || n->result > 1) return false;
  const Node *x = &g->nodes.at[n->args[0]];
  if (x->rank != n->rank || n->dims[n->rank - 1] > x->dims[n->rank - 1] || !node_attr(n, sym("largest"))) return false;
  for (uint32_t d = 0; d + 1 < n->rank; d++)
    if (x->dims[d] != n->dims[d]) return false;
  return true;
}

int64_t order_pick(const Node *n, int64_t size, int64_t place, OrderCompare *compare, void *context, bool *tied) {
  int sign = node_attr_int(n, sym("largest"), 1) ? 1 : -1;
  for (int64_t i = 0; i < size; i++) {
    int64_t before = 0;
    *tied = false;
    for (int64_t j = 0; j < size; j++) {
      int c = j == i ? 1 : compare(context, i, j);
      if (c == 2) return -1;
      if (j == i) continue;
      *tied = *tied || c == 0;
      before += c * sign < 0 || (c == 0 && j < i);
    }
    if (before == place) return i;
  }
  return -1;
}
