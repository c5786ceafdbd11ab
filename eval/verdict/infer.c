#include "eval/verdict/infer.h"

#include <string.h>

enum { MAX_LAYOUTS = 2048, MAX_PAIRED = 64 };

typedef struct Candidate {
  int64_t dist;
  Layout layout;
} Candidate;

typedef struct Inferrer {
  const Problem *p;
  Proof *proof;
  Arena *a;
  Vec(Candidate) all;
} Inferrer;

/* Layout under construction: the axes of every dimension, and what is left for sums. */
typedef struct Draft {
  const Node *seq, *dist;
  int64_t number;
  Layout l;
  uint64_t used;
} Draft;

static const Mesh *mesh(const Inferrer *k) { return &k->p->relation->mesh; }

/* With every set of the axes that are left as addends; few first. */
static void with_sums(Inferrer *k, Draft *d) {
  uint32_t left[16], n = 0, axes[16];
  for (uint32_t x = 0; x < mesh(k)->n_axes && n < 8; x++)
    if (!(d->used >> x & 1) && mesh(k)->axes[x].size > 1) left[n++] = x;
  for (uint32_t set = 0; set < 1u << n && k->all.len < MAX_LAYOUTS; set++) {
    d->l.n_partial = 0;
    d->l.partial = axes;
    for (uint32_t i = 0; i < n; i++)
      if (set >> i & 1) axes[d->l.n_partial++] = left[i];
    vec_push(&k->all, (Candidate){d->number, layout_copy(&d->l, k->a)});
  }
}

/* Adds axes to dimension `dim` until its blocks have the size of the distributed one. */
static void cut(Inferrer *k, Draft *d, uint32_t dim, int64_t blocks) {
  if (dim == d->l.rank) {
    with_sums(k, d);
    return;
  }
  int64_t size = d->seq->dims[dim], block = size / blocks + (size % blocks != 0);
  if (block == d->dist->dims[dim]) cut(k, d, dim + 1, 1);
  if (block <= d->dist->dims[dim] || k->all.len >= MAX_LAYOUTS) return;
  struct LayoutDim *l = &d->l.dims[dim];
  for (uint32_t x = 0; x < mesh(k)->n_axes && l->n < 16; x++) {
    if (d->used >> x & 1 || mesh(k)->axes[x].size < 2) continue;
    l->axes[l->n++] = x;
    d->used |= UINT64_C(1) << x;
    cut(k, d, dim, blocks * mesh(k)->axes[x].size);
    d->used &= ~(UINT64_C(1) << x);
    l->n--;
  }
}

/* Of the distributed node that is result `number`. */
static void add_layouts(Inferrer *k, NodeId seq, NodeId dist, int64_t number) {
  Draft d = {
      .seq = &k->p->graph[SIDE_SEQ]->nodes.at[seq], .dist = &k->p->graph[SIDE_DIST]->nodes.at[dist], .number = number};
  if (d.seq->rank != d.dist->rank || dtype_is_float(d.seq->dtype) != dtype_is_float(d.dist->dtype)) return;
  d.l = (Layout){.rank = d.seq->rank, .dims = arena_alloc(k->a, d.seq->rank * sizeof *d.l.dims)};
  for (uint32_t i = 0; i < d.l.rank; i++) d.l.dims[i].axes = ARENA_ARRAY(k->a, uint32_t, 16);
  cut(k, &d, 0, 1);
}

/* The two values are one normal form under this layout, but for a factor. */
static bool is_multiple(Proof *p, NodeId seq, NodeId dist, const Layout *l, Rat *factor) {
  Value want, got;
  if (!build_related(&p->build, seq, dist, l, &want, &got)) return false;
  *factor = RAT_1;
  if (value_same(want, got)) return true;
  if (want.ref != got.ref || want.k == RAT_0 || got.k == RAT_0) return false;
  *factor = rat_div(got.k, want.k);
  return rat_is_finite(*factor);
}

static bool closes(Proof *p, NodeId seq, NodeId dist, const Layout *l) {
  Rat factor;
  return is_multiple(p, seq, dist, l, &factor) && factor == RAT_1;
}

bool infer_layout(Proof *p, NodeId seq, NodeId dist, Arena *a, Layout *out, Rat *factor) {
  Inferrer k = {.p = &p->problem, .proof = p, .a = a};
  add_layouts(&k, seq, dist, 0);
  bool found = false;
  for (size_t i = 0; i < k.all.len && !found && !p->limited; i++)
    if ((found = is_multiple(p, seq, dist, &k.all.at[i].layout, factor))) *out = k.all.at[i].layout;
  vec_free(&k.all);
  return found;
}

Layout *infer_fitting(const Problem *p, NodeId seq, NodeId dist, Arena *a, uint32_t *n) {
  Inferrer k = {.p = p, .a = a};
  add_layouts(&k, seq, dist, 0);
  Layout *out = ARENA_ARRAY(a, Layout, k.all.len + 1);
  for (size_t i = 0; i < k.all.len; i++) out[i] = k.all.at[i].layout;
  *n = (uint32_t)k.all.len;
  vec_free(&k.all);
  return out;
}

static Inference infer_one(Inferrer *k, int64_t number, Related *out) {
  const Graph *s = k->p->graph[SIDE_SEQ], *d = k->p->graph[SIDE_DIST];
  NodeId node = s->outputs.at[number].node;
  vec_clear(&k->all);
  if (number < (int64_t)graph_n_results(d)) add_layouts(k, node, d->outputs.at[number].node, number);
  for (size_t i = 0; i < graph_n_results(d) && i < MAX_PAIRED; i++)
    if ((int64_t)i != number) add_layouts(k, node, d->outputs.at[i].node, (int64_t)i);
  *out = (Related){.name = s->outputs.at[number].name ? s->outputs.at[number].name : s->nodes.at[node].name,
                   .seq = number,
                   .scale = 1};
  if (!k->all.len) return INFER_DECLARED;
  uint32_t whole = 0;
  for (size_t i = 0; i < k->all.len; i++)
    whole += !k->all.at[i].layout.n_partial && k->all.at[i].dist == k->all.at[0].dist;
  Inference how = whole == 1 ? INFER_ONLY : INFER_GUESS;
  size_t best = 0;
  for (size_t i = 0; i < k->all.len && !k->proof->limited; i++)
    if (closes(k->proof, node, d->outputs.at[k->all.at[i].dist].node, &k->all.at[i].layout)) {
      best = i;
      how = INFER_FOUND;
      break;
    }
  out->dist = k->all.at[best].dist;
  out->layout = k->all.at[best].layout;
  return how;
}

bool infer_outputs(const Problem *p, Relation *relation, const ProveOptions *o, Arena *a, Inference **how, Span at,
                   Diags *diags) {
  const Graph *s = p->graph[SIDE_SEQ];
  Inferrer k = {.p = p, .a = a};
  uint32_t n = relation->n_outputs;
  size_t n_results = graph_n_results(s);
  Related *outputs = ARENA_ARRAY(a, Related, n + s->outputs.len);
  *how = ARENA_ARRAY(a, Inference, n + s->outputs.len);
  if (n) memcpy(outputs, relation->outputs, n * sizeof *outputs);
  bool ok = true;
  for (size_t i = 0; i < n_results; i++) {
    bool declared = false;
    for (uint32_t j = 0; j < relation->n_outputs; j++) declared |= relation->outputs[j].seq == (int64_t)i;
    if (declared) continue;
    if (!k.proof) k.proof = prove_direct(p, o);
    (*how)[n] = infer_one(&k, (int64_t)i, &outputs[n]);
    if ((*how)[n++] != INFER_DECLARED) continue;
    ok = diag_error(diags, at, E_RELATION_FIT, "no result of %s has a shape that fits result %zu of %s",
                    sym_text(p->graph[SIDE_DIST]->path), i, sym_text(s->path));
  }
  vec_free(&k.all);
  proof_free(k.proof);
  relation->outputs = outputs;
  relation->n_outputs = n;
  return ok;
}
