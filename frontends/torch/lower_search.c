/* Places that are found: in a sorted list, in a set of values, one-hot rows, bags of rows of a table. */
#include <string.h>

#include "frontends/torch/lower.h"

/* How many boundaries are below each value; with `right` or side "right" those that are equal count, too.  The text
 * says which of the first two parameters is the sorted list. */
LowerResult lower_bucketize(Lower *l) {
  bool values_last = *l->text == 's', right;
  const TorchArg *side = arg_named(l, "side");
  NodeId list = arg_tensor(l, l->arg[values_last ? 0 : 1]);
  const TorchType *t = &l->node->outs[0];
  if (list == NO_NODE || !arg_bool(arg_named(l, "right"), false, &right) || arg_named(l, "sorter")) return LOWER_OPAQUE;
  if (side && (side->kind != TA_STRING || side->ranks)) return LOWER_OPAQUE;
  right |= side && !strcmp(sym_text(side->s), "right");
  const Node b = *node_of(l, list);
  const TorchArg *given = l->arg[values_last ? 1 : 0];
  NodeId x = given && given->kind == TA_TENSOR ? arg_tensor(l, given) : arg_scalar(l, given, b.dtype);
  if (x == NO_NODE || !b.rank) return LOWER_OPAQUE;
  uint8_t kind = dtype_is_float((DType)node_of(l, x)->dtype) ? node_of(l, x)->dtype : b.dtype;
  NodeId v[] = {make_convert(l, x, kind), make_convert(l, list, kind)};
  bool rows = b.rank > 1; /* a list for each row of values */
  if (rows && (node_of(l, x)->rank != b.rank || t->rank != b.rank ||
               memcmp(node_of(l, x)->dims, b.dims, (b.rank - 1u) * sizeof *b.dims)))
    return LOWER_OPAQUE;
  Attr a = attr_int("right", right);
  return done(l, make_out(l, 0, rows ? "places_in_rows" : "places_in", v, 2, &a, 1));
}

/* elements test_elements assume_unique invert */
LowerResult lower_isin(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  bool invert;
  if (x == NO_NODE || y == NO_NODE || !arg_bool(l->arg[3], false, &invert)) return LOWER_OPAQUE;
  int64_t all = node_elements(node_of(l, y));
  if (all < 1) return LOWER_OPAQUE;
  uint8_t kind = common_type(l, l->arg[0], l->arg[1]);
  NodeId v[] = {make_convert(l, x, kind), make_convert(l, make_reshape(l, y, 1, &all), kind)};
  NodeId in = make_out(l, 0, "is_in", v, 2, NULL, 0);
  return done(l, invert && in != NO_NODE ? compose_unary(make_composer(l), "not", in) : in);
}

/* What x is converted from where that are whole numbers, as a histogram wants it. */
static NodeId whole_below(Lower *l, NodeId x) {
  bool whole;
  while (!(whole = dtype_is_int((DType)node_of(l, x)->dtype)) && node_of(l, x)->op == sym("convert"))
    x = node_of(l, x)->args[0];
  return whole ? x : NO_NODE;
}

/* self bins min max; of whole numbers, where each from min to max has a bin of its own, those that are equal to it */
LowerResult lower_histogram(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  Rat end[2];
  for (int k = 0; k < 2; k++)
    if (!l->arg[k + 2] || l->arg[k + 2]->ranks || !number_in(l->arg[k + 2], DT_F64, &end[k])) return LOWER_OPAQUE;
  if (x == NO_NODE || !rat_is_finite(end[0]) || !rat_is_finite(end[1]) || rat_cmp(end[0], end[1]) >= 0) return LOWER_OPAQUE;
  int64_t all = node_elements(node_of(l, x));
  Attr a[] = {attr_rat("low", end[0]), attr_rat("high", end[1])};
  NodeId whole = whole_below(l, x);
  bool each = rat_is_int(end[0]) && rat_sub(end[1], end[0]) == rat_int(l->node->outs[0].dims[0] - 1);
  NodeId flat = make_reshape(l, whole != NO_NODE && each ? whole : x, 1, &all);
  if (whole != NO_NODE && each) return done(l, make_out(l, 0, "histogram_of_whole", &flat, 1, a, 1));
  return done(l, make_out(l, 0, "histogram", &flat, 1, a, 2));
}

LowerResult lower_one_hot(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]);
  return done(l, make_out(l, 0, "one_hot_of", &x, 1, NULL, 0));
}

/* row col offset: the places below (or above, by the text) a diagonal, row by row. */
LowerResult lower_triangle_places(Lower *l) {
  int64_t rows, columns, offset;
  const TorchType *t = &l->node->outs[0];
  if (!arg_int(l->arg[0], 0, &rows) || !arg_int(l->arg[1], 0, &columns) || !arg_int(l->arg[2], 0, &offset) ||
      t->rank != 2 || t->dims[0] != 2 || rows < 0 || columns < 0 || rows > 4096 || columns > 4096 ||
      rows * columns > 65536)
    return LOWER_OPAQUE;
  Rat *v = ARENA_ARRAY(&l->arena, Rat, 2 * rows * columns + 1);
  int64_t n = 0;
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < columns; j++)
      if (*l->text == 'l' ? j - i <= offset : j - i >= offset) {
        if (n == t->dims[1]) return LOWER_OPAQUE;
        v[n] = rat_int(i);
        v[t->dims[1] + n++] = rat_int(j);
      }
  return n == t->dims[1] ? done(l, compose_table(make_composer(l), t->dtype, 2, t->dims, v)) : LOWER_OPAQUE;
}

/* ---- bags: sums, means or maxima of rows of a table.  A bag is what stands from its offset to the next one's */
/* The size of every bag, if all are as long: 0 otherwise. */
static int64_t even(Lower *l, NodeId offsets, int64_t n) {
  const Node *o = node_of(l, offsets);
  if (o->op != sym("arange") || o->rank != 1 || !o->dims[0] || n % o->dims[0]) return 0;
  int64_t size = n / o->dims[0];
  Rat want[] = {RAT_0, rat_int(size)};
  for (int k = 0; k < 2; k++) { /* start, step */
    const Node *s = node_of(l, o->args[k]);
    while (s->op == sym("convert") || s->op == sym("broadcast")) s = node_of(l, s->args[0]);
    if (s->op != sym("constant") || !s->literal || s->literal->kind == LIT_NONE) return 0;
    if (s->literal->values[0] != want[k]) return 0;
  }
  return size;
}

/* weight indices offsets scale_grad_by_freq mode sparse per_sample_weights include_last_offset padding_idx; what is
 * kept for the backward pass stays unknown.  A padding_idx of -1 is the last row where the text says so, else none. */
LowerResult lower_embedding_bag(Lower *l) {
  static const char *const reductions[] = {"reduce_sum", "reduce_mean", "reduce_max"}, *const bags[] = {"sum_bags",
                                                                                                        "mean_bags"};
  NodeId w = arg_tensor(l, l->arg[0]), i = arg_tensor(l, l->arg[1]), o = arg_tensor(l, l->arg[2]);
  const TorchType *t = &l->node->outs[0];
  int64_t mode, padding;
  bool last;
  if (w == NO_NODE || i == NO_NODE || o == NO_NODE || !arg_int(l->arg[4], 0, &mode) || mode < 0 || mode > 2 ||
      !arg_bool(l->arg[7], false, &last) || last || !arg_int(l->arg[8], -1, &padding) || padding >= 0 ||
      (*l->text && l->arg[8]) || t->rank != 2)
    return LOWER_OPAQUE;
  if (l->node->n_outs > 1 && lower_opaque(l, false) == LOWER_FAILED) return LOWER_FAILED;
  const Node table = *node_of(l, w), places = *node_of(l, i);
  if (places.rank != 1 || table.rank != 2 || (l->arg[6] && mode)) return LOWER_OPAQUE;
  int64_t size = even(l, o, places.dims[0]), rows[] = {places.dims[0], table.dims[1]}, over = 1;
  NodeId x = make(l, "embedding", table.dtype, 2, rows, (NodeId[]){w, i}, 2, NULL, 0);
  if (l->arg[6]) {
    NodeId each = arg_tensor(l, l->arg[6]);
    if (each == NO_NODE || node_of(l, each)->rank != 1) return LOWER_OPAQUE;
    int64_t column[] = {places.dims[0], 1};
    x = make_binary(l, "multiply", x,
                    make_broadcast(l, make_reshape(l, make_convert(l, each, table.dtype), 2, column), 2, rows));
  }
  if (size) {
    int64_t apart[] = {t->dims[0], size, t->dims[1]};
    return done(l, make_reduce(l, reductions[mode], t->dtype, make_reshape(l, x, 3, apart), &over, 1, NULL, 0));
  }
  if (mode == 2) return LOWER_OPAQUE;
  return done(l, make_out(l, 0, bags[mode], (NodeId[]){x, o}, 2, NULL, 0));
}
