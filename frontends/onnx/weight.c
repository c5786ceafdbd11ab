/* Weights found again: initialisers of the model before, transposed, put together or taken apart; and folded ones.
 *
 * A graph pass that folds a Transpose of a weight, or packs three weights into one, writes a new initialiser.  Its
 * values say which: an initialiser that is equal, element by element, to a rearrangement of those before becomes that
 * rearrangement as operators, so what is proved still holds for all weights.  So does one that is what the model before
 * computes from weights, or a pass that moves factors and addends into them (folded.h), but for the rounding on the way
 * there: the verdict says so.  Anything else is a parameter of its own. */
#include <math.h>
#include <string.h>

#include "frontends/onnx/folded.h"
#include "frontends/onnx/lower.h"

enum { MAX_PERMUTED = 4, MOST_UNITS = 4096 };
#define MAX_COMPARED (INT64_C(1) << 28) /* elements, for one initialiser */

typedef struct Search {
  OnnxLower *l;
  const OnnxTensor *t;
  const double *values;
  bool folded;  /* among folded values, else among the parameters before */
  int64_t left; /* comparisons */
  double off;   /* the largest difference so far */
  double most;  /* the largest finite value of t */
} Search;

/* Part of a tensor before, its dimensions in another order. */
typedef struct Piece {
  size_t from; /* a parameter, or a folded value */
  int64_t perm[MAX_PERMUTED + ONNX_MAX_RANK];
  uint32_t dim;        /* of t: where it is cut */
  int64_t start, size; /* of the permuted tensor */
} Piece;

static const Graph *graph_of(const Search *s) { return s->folded ? s->l->folded->g : s->l->m->options->before; }
static size_t count(const Search *s) { return s->folded ? s->l->folded->g->nodes.len : graph_of(s)->params.len; }
static const Node *source(const Search *s, size_t k) {
  return &graph_of(s)->nodes.at[s->folded ? (NodeId)k : graph_of(s)->params.at[k]];
}
static Worth worth_of(const Search *s, size_t k) {
  if (!s->folded) return (Worth){graph_of(s)->param_values[k], NULL};
  return source(s, k)->op == sym("parameter") ? (Worth){0} : s->l->folded->worth.at[k];
}

/* Is element x of t element y of these values, as far as its type and they tell? */
static bool close_to(Search *s, Worth w, int64_t x, int64_t y) {
  double is = s->values[x], was = w.value[y];
  if (!w.error) return is == was;
  if (isinf(is) || isinf(was)) return is == was;
  double off = fabs(is - was), unit = worth_unit((DType)s->t->dtype);
  if (w.error[y] > MOST_UNITS * unit * s->most) return false; /* rounding may have made anything of it */
  if (!(off <= w.error[y] + 2 * unit * fabs(was))) return false;
  if (off > s->off) s->off = off;
  return true;
}

/* Elements at .. at + p->size of t along p->dim are those of the piece? */
static bool equal(Search *s, const Piece *p, int64_t at) {
  const Node *w = source(s, p->from);
  Worth from = worth_of(s, p->from);
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
    if (!close_to(s, from, x, y) || s->left-- <= 0) return false;
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
  const OnnxTensor *t = s->t;
  for (p->from = 0; p->from < count(s); p->from++) {
    const Node *w = source(s, p->from);
    if (!worth_of(s, p->from).value || w->rank != t->rank || w->dtype != t->dtype) continue;
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

/* A folded value with all it is computed from, in this graph. */
static NodeId copy_folded(OnnxLower *l, NodeId id) {
  const Folded *f = l->folded;
  NodeId *to = l->folded_at;
  bool *need = xcalloc(id + 1, sizeof *need);
  need[id] = true;
  for (NodeId k = id + 1; k-- > 0;)
    for (uint32_t i = 0; need[k] && i < f->g->nodes.at[k].n_args; i++) need[f->g->nodes.at[k].args[i]] = true;
  for (NodeId k = 0; k <= id; k++) {
    if (!need[k] || to[k] != NO_NODE) continue;
    Node n = f->g->nodes.at[k];
    NodeId *args = ARENA_ARRAY(&l->arena, NodeId, n.n_args + 1);
    for (uint32_t i = 0; i < n.n_args; i++) args[i] = to[n.args[i]];
    n.args = args;
    n.line = l->c.stamp.line;
    to[k] = n.op == sym("parameter") ? parameter(l, (size_t)n.param) : compose_add(&l->c, &n);
  }
  free(need);
  return to[id];
}

static NodeId source_node(const Search *s, size_t k) {
  return s->folded ? copy_folded(s->l, (NodeId)k) : parameter(s->l, k);
}

static NodeId piece_node(const Search *s, const Piece *p) {
  Composer *c = &s->l->c;
  return compose_slice(c, compose_transpose(c, source_node(s, p->from), p->perm), p->dim, p->start, p->size, 1);
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
  for (size_t k = 0; at == size && k < pieces.len; k++) vec_push(&parts, piece_node(s, &pieces.at[k]));
  NodeId x = parts.len ? compose_concatenate(&s->l->c, parts.at, (uint32_t)parts.len, dim) : NO_NODE;
  vec_free(&parts);
  vec_free(&pieces);
  return x;
}

/* Equal values in the same order, in another shape. */
static NodeId find_reshaped(Search *s) {
  for (size_t k = 0; k < count(s); k++) {
    Worth w = worth_of(s, k);
    if (!w.value || source(s, k)->dtype != s->t->dtype || node_elements(source(s, k)) != s->t->n) continue;
    int64_t same = 0;
    while (same < s->t->n && close_to(s, w, same, same)) same++;
    if (same == s->t->n) return compose_reshape(&s->l->c, source_node(s, k), s->t->rank, s->t->dims);
  }
  return NO_NODE;
}

static NodeId find(Search *s) {
  NodeId x = find_reshaped(s);
  for (uint32_t d = 0; d < s->t->rank && x == NO_NODE; d++) x = find_pieces(s, d);
  return x;
}

/* The verdict says what it is read as. */
static void note(const Search *s, Sym name) {
  Graph *g = s->l->g;
  vec_push(&g->readings, arena_printf(&g->arena, "%s is read as what it is computed from, before rounding: up to %.1e of "
                                      "its largest value (--literals=exact forbids it)", sym_text(name), s->off / s->most));
}

NodeId onnx_weight_folded(OnnxLower *l, const OnnxTensor *t, Sym name, const double *values) {
  if (l->m->options->exact_literals || !l->m->options->before || !l->m->options->before->param_values) return NO_NODE;
  if (!l->folded) {
    l->folded = folded_new(l->m->options->before);
    l->folded_at = ARENA_ARRAY(&l->arena, NodeId, l->folded->g->nodes.len + 1);
    for (size_t k = 0; k < l->folded->g->nodes.len; k++) l->folded_at[k] = NO_NODE;
  }
  Search s = {l, t, values, true, MAX_COMPARED, 0, 0};
  for (int64_t k = 0; k < t->n; k++)
    if (isfinite(values[k])) s.most = fmax(s.most, fabs(values[k]));
  NodeId x = find(&s);
  if (x != NO_NODE && s.off > 0) note(&s, name);
  return x;
}

NodeId onnx_weight_before(OnnxLower *l, const OnnxTensor *t, Sym name, const double *values) {
  const Graph *g = l->m->options->before;
  Search s = {l, t, values, false, MAX_COMPARED, 0, 0};
  if (!g || !g->param_values || !t->rank) return NO_NODE;
  for (size_t k = 0; k < g->params.len; k++) { /* the same one, first */
    const Node *w = source(&s, k);
    if (w->name != name || !g->param_values[k] || w->dtype != t->dtype || w->rank != t->rank) continue;
    if (!memcmp(w->dims, t->dims, t->rank * sizeof *t->dims) &&
        !memcmp(g->param_values[k], values, (size_t)t->n * sizeof *values))
      return parameter(l, k);
  }
  NodeId x = find(&s);
  return x != NO_NODE ? x : onnx_weight_folded(l, t, name, values);
}
