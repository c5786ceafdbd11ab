/* Products of matrices and vectors, each a dot of the library. */
#include <string.h>

#include "frontends/base/einsum.h"
#include "frontends/torch/lower.h"

/* The leading dimensions of x, all but the last two, repeated to these. */
static NodeId with_batch(Lower *l, NodeId x, const int64_t *batch, uint32_t n) {
  int64_t dims[TORCH_MAX_RANK];
  const Node *m = node_of(l, x);
  memcpy(dims, batch, n * sizeof *dims);
  memcpy(dims + n, m->dims + m->rank - 2, 2 * sizeof *dims);
  return make_broadcast(l, x, n + 2, dims);
}

/* Sizes of the leading dimensions of both, broadcast; false: they do not fit. */
static bool batch_of(const Lower *l, NodeId x, NodeId y, int64_t *batch, uint32_t *n) {
  const Node *a = node_of(l, x), *b = node_of(l, y);
  uint32_t p = a->rank - 2u, q = b->rank - 2u;
  *n = p > q ? p : q;
  for (uint32_t d = 0; d < *n; d++) {
    int64_t s = d + p < *n ? 1 : a->dims[d + p - *n], t = d + q < *n ? 1 : b->dims[d + q - *n];
    if (s != t && s != 1 && t != 1) return false;
    batch[d] = s == 1 ? t : s;
  }
  return true;
}

/* x @ y with PyTorch's rules; NO_NODE: they do not fit. */
static NodeId make_matmul(Lower *l, NodeId x, NodeId y) {
  int64_t batch[TORCH_MAX_RANK];
  uint32_t k;
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  uint32_t n = node_of(l, x)->rank, m = node_of(l, y)->rank;
  if (!n || !m || n + m > TORCH_MAX_RANK) return NO_NODE;
  if (m == 1) return make_dot(l, x, y, 0, n - 1, 0);
  if (n == 1) return make_dot(l, y, x, 0, m - 2, 0);
  if (m == 2) return make_dot(l, x, y, 0, n - 1, 0);
  if (n == 2) return make_moved(l, make_dot(l, x, y, 0, 1, m - 2), 0, m - 2);
  if (!batch_of(l, x, y, batch, &k)) return NO_NODE;
  x = with_batch(l, x, batch, k);
  y = with_batch(l, y, batch, k);
  return x == NO_NODE || y == NO_NODE ? NO_NODE : make_dot(l, x, y, k, k + 1, k);
}

/* Real or imaginary part of a complex tensor; of a real one, itself. */
static NodeId part_of(Lower *l, const TorchArg *a, int64_t which) {
  NodeId x = arg_tensor(l, a);
  if (x == NO_NODE || !arg_complex(l, a)) return which ? NO_NODE : x;
  uint32_t rank = node_of(l, x)->rank - 1u;
  int64_t dims[TORCH_MAX_RANK];
  memcpy(dims, node_of(l, x)->dims, rank * sizeof *dims);
  return make_reshape(l, make_slice(l, x, rank, which, 1, 1), rank, dims);
}

/* (a + i b) (c + i d), where each part may be missing */
static LowerResult complex_matmul(Lower *l) {
  NodeId product[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) product[i][j] = make_matmul(l, part_of(l, l->arg[0], i), part_of(l, l->arg[1], j));
  bool both = arg_complex(l, l->arg[0]) && arg_complex(l, l->arg[1]), first = arg_complex(l, l->arg[0]);
  NodeId v[] = {product[0][0], product[first][!first]};
  if (both) {
    v[0] = make_binary(l, "subtract", product[0][0], product[1][1]);
    v[1] = make_binary(l, "add", product[0][1], product[1][0]);
  }
  return done(l, make_out(l, 0, "complex_of_parts", v, 2, NULL, 0));
}

LowerResult lower_matmul(Lower *l) {
  if (l->node->outs[0].dtype == DT_C64) return complex_matmul(l);
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  return done(l, make_matmul(l, x, y));
}

/* self mat2 offs bias out_dtype: of groups that offs ends. */
LowerResult lower_grouped(Lower *l) {
  NodeId v[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, l->arg[1]), arg_tensor(l, l->arg[2])};
  if (v[0] == NO_NODE || v[1] == NO_NODE || l->arg[3]) return LOWER_OPAQUE;
  uint32_t n = node_of(l, v[0])->rank, m = node_of(l, v[1])->rank;
  if (n == 3 && m == 3 && !l->arg[2]) return done(l, make_matmul(l, v[0], v[1]));
  if (v[2] == NO_NODE || n + m > 5) return LOWER_OPAQUE;
  return done(l, make_out(l, 0, n == 3 ? "grouped_columns" : m == 3 ? "grouped_rows" : "grouped_sums", v, 3, NULL, 0));
}

static NodeId scaled(Lower *l, NodeId x, const TorchArg *factor) {
  if (!factor || x == NO_NODE) return x;
  const Node *n = node_of(l, x);
  return make_binary(l, "multiply", x, arg_operand(l, factor, n->dtype, n->rank, n->dims));
}

static NodeId outer(Lower *l, NodeId x, NodeId y) {
  if (x == NO_NODE || y == NO_NODE || node_of(l, x)->rank != 1 || node_of(l, y)->rank != 1) return NO_NODE;
  int64_t dims[] = {node_of(l, x)->dims[0], node_of(l, y)->dims[0]}, column[] = {dims[0], 1};
  x = make_broadcast(l, make_reshape(l, x, 2, column), 2, dims);
  return make_binary(l, "multiply", x, make_broadcast(l, y, 2, dims));
}

/* beta * self + alpha * product; beta == 0 leaves self out, whatever it holds.  "outer": of vectors; "sum": over the
 * batch. */
LowerResult lower_addmm(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId x = arg_tensor(l, l->arg[1]), y = arg_tensor(l, l->arg[2]);
  NodeId p = *l->text == 'o' ? outer(l, x, y) : make_matmul(l, x, y);
  int64_t batch = 0;
  if (*l->text == 's' && p != NO_NODE) p = make_reduce(l, "reduce_sum", node_of(l, p)->dtype, p, &batch, 1, NULL, 0);
  p = scaled(l, make_convert(l, p, t->dtype), l->arg[4]);
  if (p == NO_NODE || node_of(l, p)->rank != t->rank) return LOWER_OPAQUE;
  if (l->arg[3] && !l->arg[3]->ranks && l->arg[3]->r == RAT_0) return done(l, p);
  NodeId c = scaled(l, arg_operand(l, l->arg[0], t->dtype, t->rank, t->dims), l->arg[3]);
  return done(l, make_binary(l, "add", p, c));
}

LowerResult lower_linear(Lower *l) {
  const TorchType *t = &l->node->outs[0];
  NodeId x = arg_tensor(l, l->arg[0]), w = arg_tensor(l, l->arg[1]);
  if (x == NO_NODE || w == NO_NODE || node_of(l, w)->rank != 2 || !node_of(l, x)->rank) return LOWER_OPAQUE;
  NodeId y = make_dot(l, x, w, 0, node_of(l, x)->rank - 1, 1);
  return done(l, l->arg[2] ? make_binary(l, "add", y, arg_operand(l, l->arg[2], t->dtype, t->rank, t->dims)) : y);
}

LowerResult lower_outer(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  return done(l, outer(l, x, y));
}

/* Sums over the last dimension of both. */
LowerResult lower_inner(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  if (x == NO_NODE || y == NO_NODE || !node_of(l, x)->rank || !node_of(l, y)->rank) return LOWER_OPAQUE;
  return done(l, make_dot(l, x, y, 0, node_of(l, x)->rank - 1, node_of(l, y)->rank - 1));
}

/* One after the other, from the left. */
LowerResult lower_chain(Lower *l) {
  const TorchArg *list = l->arg[0];
  if (!list || list->kind != TA_LIST || list->ranks || !list->n) return LOWER_OPAQUE;
  NodeId x = arg_tensor(l, &list->list[0]);
  for (uint32_t k = 1; k < list->n; k++) x = make_matmul(l, x, arg_tensor(l, &list->list[k]));
  return done(l, x);
}

LowerResult lower_matrix_power(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = x;
  int64_t n;
  if (!arg_int(l->arg[1], 0, &n) || n < 1 || n > 32) return LOWER_OPAQUE;
  for (int64_t k = 1; k < n; k++) y = make_matmul(l, y, x);
  return done(l, y);
}

LowerResult lower_einsum(Lower *l) {
  const TorchArg *text = l->arg[0], *list = l->arg[1];
  NodeId in[16];
  if (!text || text->kind != TA_STRING || text->ranks || !list || list->kind != TA_LIST || list->ranks || list->n > 16)
    return LOWER_OPAQUE;
  for (uint32_t k = 0; k < list->n; k++) in[k] = arg_tensor(l, &list->list[k]);
  return done(l, einsum_compose(make_composer(l), &l->arena, sym_text(text->s), in, list->n));
}

/* The contraction of dimensions of one with dimensions of the other, written with letters. */
LowerResult lower_tensordot(Lower *l) {
  NodeId in[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, l->arg[1])};
  int64_t over[2][TORCH_MAX_RANK];
  uint32_t n[2];
  char text[64], *at = text;
  if (in[0] == NO_NODE || in[1] == NO_NODE || !arg_ints(l->arg[2], over[0], 20, &n[0]) ||
      !arg_ints(l->arg[3], over[1], 20, &n[1]) || n[0] != n[1])
    return LOWER_OPAQUE;
  for (int side = 0; side < 2; side++) {
    int64_t rank = node_of(l, in[side])->rank;
    if (rank > 9) return LOWER_OPAQUE;
    if (side) *at++ = ',';
    for (int64_t d = 0; d < rank; d++) {
      *at = (char)((side ? 'A' : 'a') + d);
      for (uint32_t k = 0; k < n[side]; k++) {
        int64_t o = over[side][k] < 0 ? over[side][k] + rank : over[side][k];
        if (o == d) *at = (char)('m' + k); /* behind all letters of the first */
      }
      at++;
    }
  }
  char *end = at;
  *at++ = '-', *at++ = '>';
  for (char *c = text; c < end; c++)
    if (*c != ',' && (*c < 'm' || *c > 'z')) *at++ = *c;
  *at = 0;
  return done(l, einsum_compose(make_composer(l), &l->arena, text, in, 2));
}

/* y[.., f] = sum(i, j) x1[.., i] weight[f, i, j] x2[.., j] + bias[f] */
LowerResult lower_bilinear(Lower *l) {
  NodeId in[] = {arg_tensor(l, l->arg[0]), arg_tensor(l, l->arg[2]), arg_tensor(l, l->arg[1])};
  const TorchType *t = &l->node->outs[0];
  NodeId y = einsum_compose(make_composer(l), &l->arena, "...i,fij,...j->...f", in, 3);
  return done(l, l->arg[3] ? make_binary(l, "add", y, arg_operand(l, l->arg[3], t->dtype, t->rank, t->dims)) : y);
}

/* Every element of x with every element of y: dimensions multiply. */
LowerResult lower_kron(Lower *l) {
  NodeId x = arg_tensor(l, l->arg[0]), y = arg_tensor(l, l->arg[1]);
  const TorchType *t = &l->node->outs[0];
  int64_t a[TORCH_MAX_RANK], b[TORCH_MAX_RANK], both[TORCH_MAX_RANK];
  if (x == NO_NODE || y == NO_NODE || t->rank > TORCH_MAX_RANK / 2) return LOWER_OPAQUE;
  uint32_t n = node_of(l, x)->rank, m = node_of(l, y)->rank;
  for (uint32_t d = 0; d < t->rank; d++) {
    a[2 * d] = both[2 * d] = d + n < t->rank ? 1 : node_of(l, x)->dims[d + n - t->rank];
    b[2 * d + 1] = both[2 * d + 1] = d + m < t->rank ? 1 : node_of(l, y)->dims[d + m - t->rank];
    a[2 * d + 1] = b[2 * d] = 1;
  }
  uint32_t rank = 2u * t->rank;
  x = make_broadcast(l, make_convert(l, make_reshape(l, x, rank, a), t->dtype), rank, both);
  y = make_broadcast(l, make_convert(l, make_reshape(l, y, rank, b), t->dtype), rank, both);
  return done(l, make_reshape(l, make_binary(l, "multiply", x, y), t->rank, t->dims));
}
