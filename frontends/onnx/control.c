/* Branches and loops.
 *
 * A branch of a known condition is the branch; of another, both, and an element of one or the other (`select`).  A loop
 * is unrolled if its length is known: as many times as it says, until its condition folds to false, or along a
 * dimension. Other loops are unknown functions of what they are given and read from outside. */
#include <string.h>

#include "frontends/onnx/lower.h"

/* The results of a body, with its inputs. */
static bool run(OnnxLower *l, const OnnxBody *b, const NodeId *in, uint32_t n_in, NodeId *out) {
  const OnnxLower before = *l;
  OnnxScope s = *l->scope;
  s.body = b;
  s.depth++;
  if (s.depth > ONNX_MAX_CALLS) return onnx_lower_error(l, E_LIMIT, "bodies are nested deeper than %d", ONNX_MAX_CALLS);
  if (n_in != b->n_inputs)
    return onnx_lower_error(l, E_GRAPH_SYNTAX, "the body has %u inputs, not %u", b->n_inputs, n_in);
  s.node = ARENA_ARRAY(&l->arena, NodeId, b->n_values + 1);
  for (uint32_t v = 0; v < b->n_values; v++) s.node[v] = NO_NODE;
  for (uint32_t k = 0; k < n_in; k++) s.node[b->inputs[k]] = in[k];
  for (uint32_t k = 0; k < b->n_captures; k++) s.node[b->captures[k].inner] = l->scope->node[b->captures[k].outer];
  for (uint32_t v = 0; v < b->n_values; v++)
    if (b->initial[v] && s.node[v] == NO_NODE && (s.node[v] = onnx_constant(l, b->initial[v])) == NO_NODE) return false;
  bool ok = onnx_lower_body(l, &s);
  l->scope = before.scope, l->node = before.node, l->in = before.in, l->out = before.out, l->text = before.text;
  l->n_in = before.n_in, l->n_out = before.n_out, l->opset = before.opset, l->c.stamp = before.c.stamp;
  memcpy(l->attr, before.attr, sizeof l->attr);
  for (uint32_t k = 0; ok && k < b->n_outputs; k++) {
    out[k] = s.node[b->outputs[k]];
    if (out[k] == NO_NODE || onnx_is_list(out[k]))
      return onnx_lower_error(l, E_UNSUPPORTED, "result %u of its body is not one tensor", k);
  }
  return ok;
}

/* then_branch else_branch */
OnnxResult onnx_if(OnnxLower *l) {
  const OnnxBody *b[] = {l->attr[0].g, l->attr[1].g};
  NodeId *out[2];
  Rat on;
  if (!b[0] || !b[1] || b[0]->n_outputs != l->n_out || b[1]->n_outputs != l->n_out) return ONNX_OPAQUE;
  for (uint32_t k = 0; k < 2; k++) out[k] = ARENA_ARRAY(&l->arena, NodeId, l->n_out + 1);
  if (onnx_known(l, l->in[0], &on)) {
    uint32_t k = on == RAT_0;
    if (!run(l, b[k], NULL, 0, out[k])) return ONNX_FAILED;
    memcpy(l->out, out[k], l->n_out * sizeof *l->out);
    return ONNX_DONE;
  }
  for (uint32_t k = 0; k < 2; k++)
    if (!run(l, b[k], NULL, 0, out[k])) return ONNX_FAILED;
  for (uint32_t k = 0; k < l->n_out; k++) {
    const Node x = *onnx_node(l, out[0][k]), y = *onnx_node(l, out[1][k]);
    NodeId p = compose_reshape(&l->c, l->in[0], 0, NULL);
    if (x.dtype != y.dtype || x.rank != y.rank || (x.rank && memcmp(x.dims, y.dims, x.rank * sizeof *x.dims)) ||
        p == NO_NODE)
      return ONNX_OPAQUE;
    NodeId v[] = {compose_broadcast(&l->c, p, x.rank, x.dims), out[0][k], out[1][k]};
    l->out[k] = compose(&l->c, "select", x.dtype, x.rank, x.dims, v, 3, NULL, 0);
    if (l->out[k] == NO_NODE) return ONNX_OPAQUE;
  }
  return ONNX_DONE;
}

/* Results of all trips, along a new dimension. */
static NodeId stacked(OnnxLower *l, NodeId *x, int64_t n, int64_t axis) {
  uint32_t dim;
  if (!n || !onnx_dim(axis, onnx_node(l, x[0])->rank + 1u, &dim)) return NO_NODE;
  for (int64_t k = 0; k < n; k++) {
    const Node m = *onnx_node(l, x[k]);
    int64_t dims[COMPOSE_MAX_RANK];
    if (m.rank >= ONNX_MAX_RANK) return NO_NODE;
    for (uint32_t d = 0; d <= m.rank; d++) dims[d] = d < dim ? m.dims[d] : d == dim ? 1 : m.dims[d - 1];
    x[k] = compose_reshape(&l->c, x[k], m.rank + 1u, dims);
  }
  return compose_concatenate(&l->c, x, (uint32_t)n, dim);
}

static OnnxResult too_long(OnnxLower *l) {
  onnx_lower_error(l, E_LIMIT, "the loop runs more than %lld times", (long long)l->m->options->max_trips);
  diag_hint(l->m->diags, "raise the limit with --max-trips=N");
  return ONNX_FAILED;
}

/* body; how often, whether to begin, what is carried.  The body gets the number of the trip, the condition and what is
 * carried; it gives whether to go on, what is carried, and what is stacked. */
OnnxResult onnx_loop(OnnxLower *l) {
  const OnnxBody *b = l->attr[0].g;
  uint32_t n = l->n_in > 2 ? l->n_in - 2 : 0, n_stacked = l->n_out - n;
  bool counted = onnx_in(l, 0) != NO_NODE, asked = onnx_in(l, 1) != NO_NODE;
  int64_t most = INT64_MAX, trips = 0, max = l->m->options->max_trips;
  Rat v;
  if (!b || l->n_out < n || b->n_outputs != l->n_out + 1 || b->n_inputs != n + 2 || (!counted && !asked))
    return ONNX_OPAQUE;
  if (counted && (!onnx_known(l, l->in[0], &v) || !rat_to_int(v, &most))) return ONNX_OPAQUE;
  NodeId *in = ARENA_ARRAY(&l->arena, NodeId, n + 2), *out = ARENA_ARRAY(&l->arena, NodeId, b->n_outputs);
  NodeId *all = ARENA_ARRAY(&l->arena, NodeId, (max + 1) * n_stacked + 1);
  in[1] = asked ? l->in[1] : compose_splat(&l->c, DT_PRED, 0, NULL, RAT_1);
  for (uint32_t k = 0; k < n; k++) in[2 + k] = l->in[2 + k];
  for (; trips < most; trips++) {
    if (asked && !onnx_known(l, in[1], &v)) return ONNX_OPAQUE;
    if (asked && v == RAT_0) break;
    if (trips == max) return too_long(l);
    in[0] = compose_splat(&l->c, DT_S64, 0, NULL, rat_int(trips));
    if (!run(l, b, in, n + 2, out)) return ONNX_FAILED;
    if (asked) in[1] = out[0];
    memcpy(in + 2, out + 1, n * sizeof *in);
    for (uint32_t k = 0; k < n_stacked; k++) all[k * (max + 1) + trips] = out[1 + n + k];
  }
  memcpy(l->out, in + 2, n * sizeof *in);
  for (uint32_t k = 0; k < n_stacked; k++)
    if ((l->out[n + k] = stacked(l, all + k * (max + 1), trips, 0)) == NO_NODE) return ONNX_OPAQUE;
  return ONNX_DONE;
}

/* A list attribute with an entry for each, or zeros. */
static bool entries(OnnxLower *l, uint32_t k, uint32_t n, int64_t *out) {
  uint32_t m = n;
  memset(out, 0, n * sizeof *out);
  return !onnx_has(l, k) || (onnx_attr_ints(l, k, out, n, &m) && m == n);
}

/* Entry t of x along a dimension, which goes. */
static NodeId entry(OnnxLower *l, NodeId x, int64_t axis, int64_t t) {
  const Node n = *onnx_node(l, x);
  int64_t dims[COMPOSE_MAX_RANK];
  uint32_t dim, at = 0;
  if (!onnx_dim(axis, n.rank, &dim)) return NO_NODE;
  for (uint32_t d = 0; d < n.rank; d++)
    if (d != dim) dims[at++] = n.dims[d];
  return compose_reshape(&l->c, compose_slice(&l->c, x, dim, t, 1, 1), at, dims);
}

/* body num_scan_inputs scan_input_axes scan_input_directions scan_output_axes scan_output_directions */
OnnxResult onnx_scan(OnnxLower *l) {
  const OnnxBody *b = l->attr[0].g;
  int64_t m, trips, max = l->m->options->max_trips;
  if (!b || !onnx_attr_int(l, 1, 0, &m) || m < 1 || m > l->n_in) return ONNX_OPAQUE;
  uint32_t n = l->n_in - (uint32_t)m, n_stacked = l->n_out - n, dim;
  if (l->n_out < n || b->n_inputs != l->n_in || b->n_outputs != l->n_out) return ONNX_OPAQUE;
  int64_t *axes = ARENA_ARRAY(&l->arena, int64_t, m), *back = ARENA_ARRAY(&l->arena, int64_t, m);
  int64_t *to = ARENA_ARRAY(&l->arena, int64_t, n_stacked + 1),
          *turned = ARENA_ARRAY(&l->arena, int64_t, n_stacked + 1);
  if (!entries(l, 2, (uint32_t)m, axes) || !entries(l, 3, (uint32_t)m, back) || !entries(l, 4, n_stacked, to) ||
      !entries(l, 5, n_stacked, turned) || !onnx_dim(axes[0], onnx_node(l, l->in[n])->rank, &dim))
    return ONNX_OPAQUE;
  trips = onnx_node(l, l->in[n])->dims[dim];
  if (trips > max) return too_long(l);
  NodeId *in = ARENA_ARRAY(&l->arena, NodeId, l->n_in), *out = ARENA_ARRAY(&l->arena, NodeId, l->n_out + 1);
  NodeId *all = ARENA_ARRAY(&l->arena, NodeId, trips * n_stacked + 1);
  memcpy(in, l->in, l->n_in * sizeof *in);
  for (int64_t t = 0; t < trips; t++) {
    for (uint32_t k = 0; k < m; k++)
      if ((in[n + k] = entry(l, l->in[n + k], axes[k], back[k] ? trips - 1 - t : t)) == NO_NODE) return ONNX_OPAQUE;
    if (!run(l, b, in, l->n_in, out)) return ONNX_FAILED;
    memcpy(in, out, n * sizeof *in);
    for (uint32_t k = 0; k < n_stacked; k++) all[k * trips + (turned[k] ? trips - 1 - t : t)] = out[n + k];
  }
  memcpy(l->out, in, n * sizeof *in);
  for (uint32_t k = 0; k < n_stacked; k++)
    if ((l->out[n + k] = stacked(l, all + k * trips, trips, to[k])) == NO_NODE) return ONNX_OPAQUE;
  return ONNX_DONE;
}
