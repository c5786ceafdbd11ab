/* Weights found again: initialisers of the model before, transposed, put together or taken apart.
 *
 * A graph pass that folds a Transpose of a weight, or packs three weights into one, writes a new initialiser.  Its values
 * say which: an initialiser that is equal, element by element, to a rearrangement of those before becomes that
 * rearrangement as operators, so what is proved still holds for all weights.  Anything else is a parameter of its own. */
#include <string.h>

#include "frontends/onnx/lower.h"

enum { MAX_PERMUTED = 4 };
#define MAX_COMPARED (INT64_C(1) << 28) /* elements, for one initialiser */

typedef struct Search {
  OnnxLower *l;
  const OnnxTensor *t;
  const double *values;
  int64_t left; /* comparisons */
} Search;

/* Part of a weight before, its dimensions in another order. */
typedef struct Piece {
  size_t param;
  int64_t perm[MAX_PERMUTED + ONNX_MAX_RANK];
  uint32_t dim;        /* of t: where it is cut */
  int64_t start, size; /* of the permuted weight */
} Piece;

static const Node *weight(const Search *s, size_t k) {
  const Graph *g = s->l->m->options->before;
  return &g->nodes.at[g->params.at[k]];
}

/* Elements at .. at + p->size of t along p->dim are those of the piece? */
static bool equal(Search *s, const Piece *p, int64_t at) {
  const Node *w = weight(s, p->param);
  const double *from = s->l->m->options->before->param_values[p->param];
  int64_t stride[ONNX_MAX_RANK], own[ONNX_MAX_RANK], mine[ONNX_MAX_RANK], i[ONNX_MAX_RANK] = {0}, n = 1, m = 1;
  uint32_t rank = s->t->rank;
  for (uint32_t d = rank; d-- > 0;) {
    own[d] = n;
    stride[d] = m;
    n *= w->dims[d];
    m *= s->t->dims[d];
  }
  for (uint32_t d = 0; d < rank; d++) mine[d] = own[p->perm[d]];
  int64_t x = at * stride[p->dim], y = p->start * mine[p->dim];
  for (;;) {
    if (s->values[x] != from[y] || s->left-- <= 0) return false;
    uint32_t d = rank;
    while (d-- > 0) { /* the next element of the piece */
      int64_t size = d == p->dim ? p->size : s->t->dims[d];
      x += stride[d];
      y += mine[d];
      if (++i[d] < size) break;
      x -= size * stride[d];
      y -= size * mine[d];
      i[d] = 0;
      if (d == 0) return true;
    }
  }
}

/* The next order of perm[n]; false after the last. */
static bool next_order(int64_t *perm, uint32_t n) {
  uint32_t i = n - 1, j = n - 1;
  if (n < 2) return false;
  while (i > 0 && perm[i - 1] >= perm[i]) i--;
  if (!i) return false;
  while (perm[j] <= perm[i - 1]) j--;
  int64_t t = perm[i - 1];
  perm[i - 1] = perm[j];
  perm[j] = t;
  for (j = n - 1; i < j; i++, j--) t = perm[i], perm[i] = perm[j], perm[j] = t;
  return true;
}

/* A weight whose sizes, but for `dim`, are those of t, and which stands at `at` along it: whole, or (at == 0) a part of it
 * that is all of t. */
static bool find_piece(Search *s, uint32_t dim, int64_t at, Piece *p) {
  const Graph *g = s->l->m->options->before;
  const OnnxTensor *t = s->t;
  for (p->param = 0; p->param < g->params.len; p->param++) {
    const Node *w = weight(s, p->param);
    if (!g->param_values[p->param] || w->rank != t->rank || w->dtype != t->dtype) continue;
    for (uint32_t d = 0; d < t->rank; d++) p->perm[d] = d;
    p->dim = dim;
    do {
      bool fits = true;
      for (uint32_t d = 0; d < t->rank; d++) fits &= d == dim || w->dims[p->perm[d]] == t->dims[d];
      int64_t has = w->dims[p->perm[dim]], last = has > t->dims[dim] && !at ? has - t->dims[dim] : 0;
      if (!fits || (!last && has > t->dims[dim] - at)) continue;
      p->size = last ? t->dims[dim] : has;
      for (p->start = 0; p->start <= last; p->start++)
        if (equal(s, p, at)) return true;
    } while (t->rank <= MAX_PERMUTED && next_order(p->perm, t->rank));
  }
  return false;
}

/* The parameter here for one of the model before. */
static NodeId parameter(OnnxLower *l, size_t k) {
  const Graph *g = l->m->options->before;
  const Node *w = &g->nodes.at[g->params.at[k]];
  for (size_t i = 0; i < l->g->params.len; i++) {
    const Node *n = onnx_node(l, l->g->params.at[i]);
    if (n->name != w->name) continue;
    bool same = n->dtype == w->dtype && n->rank == w->rank && !memcmp(n->dims, w->dims, w->rank * sizeof *w->dims);
    return same ? l->g->params.at[i] : NO_NODE; /* an input of that name */
  }
  return onnx_parameter(l, w->name, w->dtype, w->rank, w->dims, g->param_values[k]);
}

static NodeId piece_node(OnnxLower *l, const Piece *p) {
  return compose_slice(&l->c, compose_transpose(&l->c, parameter(l, p->param), p->perm), p->dim, p->start, p->size, 1);
}

/* One after the other along a dimension, until they are t. */
static NodeId find_pieces(Search *s, uint32_t dim) {
  Vec(NodeId) parts = {0};
  Vec(Piece) pieces = {0};
  int64_t at = 0, size = s->t->dims[dim];
  Piece p;
  while (at < size && s->left > 0 && find_piece(s, dim, at, &p)) {
    vec_push(&pieces, p);
    at += p.size;
  }
  for (size_t k = 0; at == size && k < pieces.len; k++) vec_push(&parts, piece_node(s->l, &pieces.at[k]));
  NodeId x = parts.len ? compose_concatenate(&s->l->c, parts.at, (uint32_t)parts.len, dim) : NO_NODE;
  vec_free(&parts);
  vec_free(&pieces);
  return x;
}

/* Equal values in the same order, in another shape. */
static NodeId find_reshaped(Search *s) {
  const Graph *g = s->l->m->options->before;
  for (size_t k = 0; k < g->params.len; k++) {
    const Node *w = weight(s, k);
    if (!g->param_values[k] || w->dtype != s->t->dtype || node_elements(w) != s->t->n) continue;
    if (!memcmp(g->param_values[k], s->values, (size_t)s->t->n * sizeof *s->values))
      return compose_reshape(&s->l->c, parameter(s->l, k), s->t->rank, s->t->dims);
  }
  return NO_NODE;
}

NodeId onnx_weight_before(OnnxLower *l, const OnnxTensor *t, Sym name, const double *values) {
  const Graph *g = l->m->options->before;
  Search s = {l, t, values, MAX_COMPARED};
  if (!g || !g->param_values || !t->rank) return NO_NODE;
  for (size_t k = 0; k < g->params.len; k++) { /* the same one, first */
    const Node *w = weight(&s, k);
    if (w->name != name || !g->param_values[k] || w->dtype != t->dtype || w->rank != t->rank) continue;
    if (!memcmp(w->dims, t->dims, t->rank * sizeof *t->dims) &&
        !memcmp(g->param_values[k], values, (size_t)t->n * sizeof *values))
      return parameter(l, k);
  }
  NodeId x = find_reshaped(&s);
  for (uint32_t d = 0; d < t->rank && x == NO_NODE; d++) x = find_pieces(&s, d);
  return x;
}
