/* range: see range.h.  The input is followed through integer operators to where it selects something. */
#include "eval/exact/range.h"

/* Whether expression x of an instance reads an operand that holds the input. */
static bool reads(const Instance *in, const Node *n, const bool *holds, XId id, uint32_t depth) {
  const X *x = &in->x[id];
  if (depth > 32) return false;
  if (x->kind == X_READ) return x->operand < n->n_args && holds[n->args[x->operand]];
  if (x->kind == X_INDEX) return x->ix[0].dyn != NO_X && reads(in, n, holds, x->ix[0].dyn, depth + 1);
  for (uint32_t k = 0; k < x->n; k++)
    if (reads(in, n, holds, x->args[k], depth + 1)) return true;
  return false;
}

/* Upper end of a clamp around the input in expression `id`, or -1. */
static int64_t clamp_end(const Instance *in, const Node *n, const bool *holds, XId id, uint32_t depth) {
  const X *x = &in->x[id];
  int64_t hi;
  if (depth > 32 || x->kind == X_READ || x->kind == X_INDEX) return -1;
  if (x->kind == X_FN && x->n == 3 && strcmp(sym_text(x->name), "clamp") == 0 && in->x[x->args[2]].kind == X_RAT &&
      reads(in, n, holds, x->args[1], 0) && rat_to_int(in->x[x->args[2]].r, &hi))
    return hi;
  for (uint32_t k = 0; k < x->n; k++)
    if ((hi = clamp_end(in, n, holds, x->args[k], depth + 1)) >= 0) return hi;
  return -1;
}

static int64_t index_end(const Instance *in, const Node *n, const bool *holds) {
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    if (x->kind != X_READ) continue;
    for (uint32_t k = 0; k < x->n; k++) {
      if (x->ix[k].dyn == NO_X) continue;
      int64_t hi = clamp_end(in, n, holds, x->ix[k].dyn, 0);
      if (hi >= 0) return hi;
    }
  }
  return -1;
}

/* Operators through which an integer tensor stays recognisable. */
static bool passes(const Node *n) {
  static const char *const ops[] = {"reshape", "broadcast", "transpose", "copy", "convert", "slice", "select",
                                    "add", "concatenate", "pad", "maximum", "minimum", "clamp"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (strcmp(sym_text(n->op), ops[i]) == 0) return true;
  return false;
}

void range_of_input(const ExactProblem *p, int64_t number, int64_t *lo, int64_t *hi, const char **why) {
  const Graph *g = p->seq.graph;
  *lo = 0;
  *hi = 7;
  *why = NULL;
  bool *holds = xcalloc(g->nodes.len, sizeof *holds);
  int64_t *positions = xcalloc(g->nodes.len, sizeof *positions), best = INT64_MAX;
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    const char *op = sym_text(n->op);
    const Instance *in = p->seq.instances[id];
    bool any = n->param == number && strcmp(op, "parameter") == 0;
    int64_t position = 0;
    for (uint32_t k = 0; k < n->n_args; k++) {
      any = any || holds[n->args[k]];
      if (positions[n->args[k]]) position = positions[n->args[k]];
    }
    if (!n->n_args && strcmp(op, "iota") == 0) {
      int64_t d = node_attr_int(n, sym("iota_dimension"), 0);
      if (d >= 0 && d < n->rank) positions[id] = n->dims[d];
    }
    bool on = (any || position) && passes(n);
    if (on && position) positions[id] = position;
    holds[id] = any && (n->n_args == 0 || (on && dtype_is_int((DType)n->dtype)));
    if (!any || !in || in->opaque || in->body == NO_X) continue;
    int64_t end = index_end(in, n, holds);
    if (end >= 0 && end < best) best = end, *why = "the positions it selects";
    if (strcmp(op, "compare") != 0) continue;
    for (uint32_t k = 0; k < n->n_args; k++) {
      int64_t size = positions[n->args[k]];
      if (size && size - 1 < best) best = size - 1, *why = "the positions it is compared with";
    }
  }
  if (best != INT64_MAX) *hi = best;
  free(holds);
  free(positions);
}
