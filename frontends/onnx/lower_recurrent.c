/* RNN, GRU and LSTM, unrolled: one direction after the other, step by step.
 *
 *     gates = x[t] W' + h R' + biases     in parts of the hidden size, in the order that ONNX gives them
 *
 * Only the usual activations; no peepholes, clipping or sequences of different lengths. */
#include <string.h>

#include "frontends/onnx/lower.h"

/* Attributes by place: direction hidden_size activations layout, then linear_before_reset (GRU) or input_forget (LSTM).
 */
typedef struct Recurrent {
  char kind; /* 'r', 'g', 'l' */
  int64_t steps, batch, hidden, parts, directions;
  bool before_reset;
} Recurrent;

/* One direction. */
typedef struct Cell {
  NodeId x, r, bias_x, bias_r; /* x W' of all steps [t, b, p h]; R' [p h, h]; biases [p h] or NO_NODE */
  NodeId h, c;
} Cell;

/* Part `at` of a list of them along the last dimension. */
static NodeId part(OnnxLower *l, const Recurrent *r, NodeId x, int64_t at) {
  return x == NO_NODE ? NO_NODE : compose_slice(&l->c, x, onnx_node(l, x)->rank - 1u, at * r->hidden, r->hidden, 1);
}

static NodeId plus(OnnxLower *l, NodeId x, NodeId y) {
  return x == NO_NODE || y == NO_NODE ? NO_NODE : onnx_two(l, "add", x, y);
}
static NodeId plus_bias(OnnxLower *l, NodeId x, NodeId bias) { return bias == NO_NODE ? x : plus(l, x, bias); }
static NodeId times(OnnxLower *l, NodeId x, NodeId y) {
  return x == NO_NODE || y == NO_NODE ? NO_NODE : onnx_two(l, "multiply", x, y);
}
static NodeId unary(OnnxLower *l, const char *op, NodeId x) { return compose_unary(&l->c, op, x); }

static bool step_lstm(OnnxLower *l, const Recurrent *r, Cell *c, NodeId gates) {
  NodeId i = unary(l, "logistic", part(l, r, gates, 0)), o = unary(l, "logistic", part(l, r, gates, 1));
  NodeId f = unary(l, "logistic", part(l, r, gates, 2)), n = unary(l, "tanh", part(l, r, gates, 3));
  NodeId kept = times(l, f, c->c);
  c->c = plus(l, kept, times(l, i, n));
  c->h = times(l, o, unary(l, "tanh", c->c));
  return c->h != NO_NODE;
}

/* x and h are the products with biases, of which the new value takes them apart: z, r, then h. */
static bool step_gru(OnnxLower *l, const Recurrent *r, Cell *c, NodeId x, NodeId h) {
  NodeId both[2];
  for (uint32_t k = 0; k < 2; k++) {
    both[k] = part(l, r, x, k);
    both[k] = unary(l, "logistic", plus(l, both[k], part(l, r, h, k)));
  }
  NodeId z = both[0], reset = both[1];
  NodeId back = times(l, reset, part(l, r, h, 2));
  if (!r->before_reset) { /* h is reset before its product */
    const Node w = *onnx_node(l, c->r);
    NodeId last = compose_slice(&l->c, c->r, 0, 2 * r->hidden, r->hidden, 1), kept = times(l, reset, c->h);
    if (last == NO_NODE || kept == NO_NODE || w.rank != 2) return false;
    back = compose_dot(&l->c, kept, last, 0, 1, 1);
    if (c->bias_r != NO_NODE) back = plus_bias(l, back, part(l, r, c->bias_r, 2));
  }
  NodeId n = unary(l, "tanh", plus(l, part(l, r, x, 2), back));
  if (n == NO_NODE || z == NO_NODE) return false;
  NodeId rest = onnx_two(l, "subtract", compose_splat(&l->c, onnx_node(l, z)->dtype, 0, NULL, RAT_1), z);
  n = times(l, rest, n);
  c->h = plus(l, n, times(l, z, c->h));
  return c->h != NO_NODE;
}

static bool step(OnnxLower *l, const Recurrent *r, Cell *c, int64_t t) {
  int64_t flat[] = {r->batch, r->parts * r->hidden};
  NodeId x = compose_reshape(&l->c, compose_slice(&l->c, c->x, 0, t, 1, 1), 2, flat);
  NodeId h = compose_dot(&l->c, c->h, c->r, 0, 1, 1);
  if (x == NO_NODE || h == NO_NODE) return false;
  x = plus_bias(l, x, c->bias_x);
  h = plus_bias(l, h, c->bias_r);
  if (r->kind == 'g') return step_gru(l, r, c, x, h);
  if (r->kind == 'l') return step_lstm(l, r, c, plus(l, x, h));
  c->h = unary(l, "tanh", plus(l, x, h));
  return c->h != NO_NODE;
}

/* Entry d of the first dimension, which goes. */
static NodeId entry(OnnxLower *l, NodeId x, int64_t d) {
  if (x == NO_NODE || !onnx_node(l, x)->rank) return NO_NODE;
  x = compose_slice(&l->c, x, 0, d, 1, 1);
  return x == NO_NODE ? NO_NODE : compose_reshape(&l->c, x, onnx_node(l, x)->rank - 1u, onnx_node(l, x)->dims + 1);
}

static NodeId initial(OnnxLower *l, const Recurrent *r, uint32_t k, int64_t d) {
  if (onnx_in(l, k) != NO_NODE) return entry(l, l->in[k], d);
  return compose_splat(&l->c, onnx_node(l, l->in[0])->dtype, 2, (int64_t[]){r->batch, r->hidden}, RAT_0);
}

static bool cell(OnnxLower *l, const Recurrent *r, int64_t d, Cell *out) {
  NodeId w = entry(l, l->in[1], d), bias = onnx_in(l, 3) == NO_NODE ? NO_NODE : entry(l, l->in[3], d);
  *out = (Cell){.r = entry(l, l->in[2], d), .bias_x = NO_NODE, .bias_r = NO_NODE, .h = initial(l, r, 5, d)};
  if (r->kind == 'l') out->c = initial(l, r, 6, d);
  if (w == NO_NODE || out->r == NO_NODE || out->h == NO_NODE || out->c == NO_NODE) return false;
  if (onnx_node(l, w)->rank != 2 || onnx_node(l, out->r)->rank != 2) return false;
  int64_t all = r->parts * r->hidden;
  if (bias != NO_NODE) {
    out->bias_x = compose_slice(&l->c, bias, 0, 0, all, 1), out->bias_r = compose_slice(&l->c, bias, 0, all, all, 1);
    if (out->bias_x == NO_NODE || out->bias_r == NO_NODE) return false;
  }
  out->x = compose_dot(&l->c, l->in[0], w, 0, 2, 1);
  return out->x != NO_NODE && onnx_node(l, out->x)->dims[2] == all;
}

/* Tensors as entries of a new first dimension. */
static NodeId stacked(OnnxLower *l, NodeId *x, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    const Node m = *onnx_node(l, x[k]);
    int64_t dims[COMPOSE_MAX_RANK] = {1};
    memcpy(dims + 1, m.dims, m.rank * sizeof *dims);
    x[k] = compose_reshape(&l->c, x[k], m.rank + 1u, dims);
  }
  return compose_concatenate(&l->c, x, (uint32_t)n, 0);
}

static bool usual_activations(const OnnxLower *l, const Recurrent *r) {
  static const char *const names[] = {"Tanh", "Sigmoid,Tanh", "Sigmoid,Tanh,Tanh"};
  char text[64] = "";
  size_t n = 0;
  if (!onnx_has(l, 2)) return true;
  if (l->attr[2].kind != ONNX_STRINGS) return false;
  uint32_t each = l->attr[2].n / (uint32_t)r->directions;
  for (uint32_t k = 0; k < l->attr[2].n; k++) {
    Bytes b = l->attr[2].strings[k];
    if (k % each == 0) n = 0;
    if (b.len + 2 > sizeof text - n) return false;
    if (n) text[n++] = ',';
    memcpy(text + n, b.at, b.len);
    n += b.len;
    text[n] = 0;
    if (k % each == each - 1 && strcmp(text, names[r->kind == 'r' ? 0 : r->kind == 'g' ? 1 : 2])) return false;
  }
  return true;
}

static bool recurrent(const OnnxLower *l, Recurrent *r, const char **direction) {
  int64_t layout, reset;
  const Node *x = onnx_node(l, l->in[0]);
  *r = (Recurrent){.kind = *l->text, .parts = *l->text == 'r' ? 1 : *l->text == 'g' ? 3 : 4};
  if (!onnx_attr_word(l, 0, "forward", direction) || !onnx_attr_int(l, 1, 0, &r->hidden) || r->hidden < 1 ||
      !onnx_attr_int(l, 3, 0, &layout) || layout || !onnx_attr_int(l, 4, 0, &reset) || x->rank != 3 ||
      onnx_in(l, 4) != NO_NODE || r->hidden > INT32_MAX)
    return false;
  if (reset && r->kind != 'g') return false;
  r->before_reset = reset != 0;
  r->steps = x->dims[0], r->batch = x->dims[1];
  r->directions = !strcmp(*direction, "bidirectional") ? 2 : 1;
  if (r->directions == 1 && strcmp(*direction, "forward") && strcmp(*direction, "reverse")) return false;
  return usual_activations(l, r) && r->steps > 0 && r->steps <= l->m->options->max_trips;
}

OnnxResult onnx_recurrent(OnnxLower *l) {
  Recurrent r;
  const char *direction;
  if (!recurrent(l, &r, &direction)) return ONNX_OPAQUE;
  NodeId *y = ARENA_ARRAY(&l->arena, NodeId, r.steps * r.directions), h[2], c[2];
  for (int64_t d = 0; d < r.directions; d++) {
    Cell at;
    bool back = d == 1 || !strcmp(direction, "reverse");
    if (!cell(l, &r, d, &at)) return ONNX_OPAQUE;
    for (int64_t k = 0; k < r.steps; k++) {
      int64_t t = back ? r.steps - 1 - k : k;
      if (!step(l, &r, &at, t)) return ONNX_OPAQUE;
      y[t * r.directions + d] = at.h;
    }
    h[d] = at.h, c[d] = at.c;
  }
  NodeId all = stacked(l, y, r.steps * r.directions);
  int64_t dims[] = {r.steps, r.directions, r.batch, r.hidden};
  if (l->n_out > 1) l->out[1] = stacked(l, h, r.directions);
  if (l->n_out > 2 && r.kind == 'l') l->out[2] = stacked(l, c, r.directions);
  return onnx_done(l, compose_reshape(&l->c, all, 4, dims));
}
