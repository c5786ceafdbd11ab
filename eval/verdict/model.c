#include "eval/verdict/model.h"

#include "eval/graph/blocks.h"
#include "eval/graph/narrowing.h"

#include <string.h>

#include "eval/graph/written.h"
#include "lang/nearest.h"

typedef ModelGraph NamedGraph;

typedef struct Maker {
  Model *m;
  const AstFile *file;
  const ModelReaders *readers;
  Diags *diags;
  Arena *a;
  Mesh mesh;
  const Relation *from_file;
  /* of the check being made */
  const NamedGraph *seq, *dist;
  Vec(Related) inputs, outputs;
} Maker;

/* ------------------------------------------------------------------ mesh and graphs */
static void make_mesh(Maker *k, const AstMesh *m) {
  k->mesh = (Mesh){.axes = ARENA_ARRAY(k->a, Axis, m->n_axes), .n_devices = 1};
  for (uint32_t i = 0; i < m->n_axes; i++) {
    int64_t size = 1;
    rat_to_int(m->axes[i].size->value, &size);
    k->mesh.axes[k->mesh.n_axes++] = (Axis){m->axes[i].name, size};
    k->mesh.n_devices *= size;
  }
  k->mesh.device_order = ARENA_ARRAY(k->a, int64_t, k->mesh.n_devices);
  for (int64_t d = 0; d < k->mesh.n_devices; d++) {
    k->mesh.device_order[d] = d;
    if (m->n_devices) rat_to_int(m->devices[d]->value, &k->mesh.device_order[d]);
  }
}

static int find_axis(const Maker *k, Sym name) {
  for (uint32_t i = 0; i < k->mesh.n_axes; i++)
    if (k->mesh.axes[i].name == name) return (int)i;
  return -1;
}

static bool make_graph(Maker *k, const AstItem *it) {
  const AstGraph *g = &it->graph;
  if (g->reader && g->n_paths != 1) return diag_error(k->diags, it->span, E_UNSUPPORTED, "a graph is read from one file");
  for (uint32_t i = 0; i < g->n_axes; i++)
    if (find_axis(k, g->axes[i]->name) < 0)
      return diag_error(k->diags, g->axes[i]->span, E_AXIS, "`%s` is no axis of the mesh", sym_text(g->axes[i]->name));
  if (g->n_axes && g->n_axes != k->mesh.n_axes) {
    diag_error(k->diags, it->span, E_MESH, "the graph `%s` runs over %u of the %u axes of the mesh", sym_text(it->name),
               g->n_axes, k->mesh.n_axes);
    diag_hint(k->diags, "a distributed graph runs over all of them");
    return false;
  }
  int64_t n_devices = g->n_axes ? k->mesh.n_devices : 1;
  Graph *graph = g->reader ? k->readers->graph(k->readers->context, g->reader, g->paths[0]->name, n_devices, it->span)
                           : written_read(it, k->file->source, n_devices, diags_sources(k->diags), k->diags);
  if (!graph) return false;
  vec_push(&k->m->graphs, ((ModelGraph){it->name, graph, g->n_axes > 0}));
  return true;
}

static const NamedGraph *find_graph(const Maker *k, Sym name) {
  for (size_t i = 0; i < k->m->graphs.len; i++)
    if (k->m->graphs.at[i].name == name) return &k->m->graphs.at[i];
  return NULL;
}

/* ------------------------------------------------------------------ tensors by name */
/* The last word of a label: w1 of "p['w1']", of "model/w1", of "model.w1". */
static bool ends_with_word(const char *label, const char *word) {
  size_t n = strlen(label), m = strlen(word);
  while (n && strchr("']\")", label[n - 1])) n--;
  if (n < m || memcmp(label + n - m, word, m)) return false;
  return n == m || strchr("['\"/.(", label[n - m - 1]);
}

typedef enum Match { MATCH_NUMBER, MATCH_NAME, MATCH_WORD, MATCH_NONE } Match;

static bool is_number(const char *s, int64_t *out) {
  char *end;
  if (*s < '0' || *s > '9' || strlen(s) > 9) return false;
  *out = strtol(s, &end, 10);
  return !*end;
}

static Match match(const char *word, int64_t number, Sym name, Sym label) {
  int64_t n;
  if (is_number(word, &n)) return n == number ? MATCH_NUMBER : MATCH_NONE;
  if (name && !strcmp(sym_text(name), word)) return MATCH_NAME;
  if (!label) return MATCH_NONE;
  return !strcmp(sym_text(label), word) ? MATCH_NAME : ends_with_word(sym_text(label), word) ? MATCH_WORD : MATCH_NONE;
}

/* Number of the one parameter (or result) that is best described by the word; -1 after a report. */
static int64_t find_tensor(Maker *k, const Graph *g, bool input, Sym word, Span at) {
  size_t n = input ? g->params.len : g->outputs.len;
  Match best = MATCH_NONE;
  int64_t found = -1;
  uint32_t same = 0;
  for (size_t i = 0; i < n; i++) {
    NodeId id = input ? g->params.at[i] : g->outputs.at[i].node;
    if (id == NO_NODE) continue;
    const Node *node = &g->nodes.at[id];
    Sym name = input ? node->name : g->outputs.at[i].name ? g->outputs.at[i].name : node->name;
    Match x = match(sym_text(word), (int64_t)i, name, node->label);
    if (x == MATCH_NONE || x > best) continue;
    same = x < best ? 1 : same + 1;
    best = x;
    found = (int64_t)i;
  }
  if (same == 1) return found;
  const char *what = input ? "parameter" : "result";
  if (same > 1) {
    diag_error(k->diags, at, E_KIND, "`%s` could be any of %u %ss of %s", sym_text(word), same, what,
               sym_text(g->path));
    diag_hint(k->diags, "name it by its number, or by its whole label as a string");
    return -1;
  }
  diag_error(k->diags, at, E_UNBOUND, "%s has no %s `%s`", sym_text(g->path), what, sym_text(word));
  Nearest near = {.word = sym_text(word), .len = sym_len(word)};
  for (size_t i = 0; i < n && i < 1000; i++) {
    NodeId id = input ? g->params.at[i] : g->outputs.at[i].node;
    if (id == NO_NODE) continue;
    nearest_try(&near, sym_text(g->nodes.at[id].name));
    if (g->nodes.at[id].label) nearest_try(&near, sym_text(g->nodes.at[id].label));
  }
  if (near.best) diag_hint(k->diags, "did you mean \"%s\"?", near.best);
  else diag_hint(k->diags, "it has %zu, numbered from 0", n);
  return -1;
}

/* Intermediate values may be named where lineage is asked: they become results of their graph. */
static bool promote(const Graph *g, Sym word) {
  Graph *changed = (Graph *)g;
  for (size_t i = 0; i < g->outputs.len; i++) {
    const Node *n = &g->nodes.at[g->outputs.at[i].node];
    if (match(sym_text(word), (int64_t)i, g->outputs.at[i].name ? g->outputs.at[i].name : n->name, n->label) !=
        MATCH_NONE)
      return true;
  }
  NodeId found = NO_NODE;
  for (size_t i = 0; i < g->nodes.len; i++)
    if (match(sym_text(word), -1, g->nodes.at[i].name, g->nodes.at[i].label) == MATCH_NAME) {
      if (found != NO_NODE) return false;
      found = (NodeId)i;
    }
  if (found == NO_NODE) return false;
  vec_push(&changed->outputs, (GraphOutput){found, word});
  return true;
}

/* ------------------------------------------------------------------ layouts */
/* One side of an equation: a tensor, the axes it is summed over, its indices. */
typedef struct SideOf {
  const AstExpr *tensor; /* EX_NAME or EX_READ */
  uint32_t n_sum, sum[64];
} SideOf;

static bool no_layout(Maker *k, Span at, const char *why) {
  diag_error(k->diags, at, E_RELATION, "this is no layout: %s", why);
  diag_hint(k->diags, "write `dist.x[i, j] == seq.x[i, (axis, j)]`, or `sum(axis) dist.x[i] == seq.x[i]`");
  return false;
}

static bool read_side(Maker *k, const AstExpr *e, SideOf *out) {
  while (e->kind == EX_SUM) {
    for (uint32_t i = 0; i < e->n_binders; i++) {
      int axis = find_axis(k, e->binders[i].name);
      if (axis < 0 || out->n_sum == 64) return no_layout(k, e->span, "a sum runs over axes of the mesh");
      out->sum[out->n_sum++] = (uint32_t)axis;
    }
    e = e->args[0];
  }
  if (e->kind != EX_NAME && e->kind != EX_READ) return no_layout(k, e->span, "each side is one tensor");
  for (uint32_t i = 0; i < e->n_devices; i++)
    if (e->devices[i]->kind != EX_NAME)
      return no_layout(k, e->devices[i]->span, "the value of one device is not all of a tensor");
  out->tensor = e;
  return true;
}

/* Dimension d: `i` against `i`, or `i` against `(axis, .., i)`, or 0 against `axis`. */
static bool read_dim(Maker *k, const AstExpr *dist, const AstExpr *seq, struct LayoutDim *out) {
  const AstExpr *const *digit = (const AstExpr *const *)&seq;
  uint32_t n = 1;
  if (seq->kind == EX_TUPLE) digit = (const AstExpr *const *)seq->args, n = seq->n_args;
  out->axes = ARENA_ARRAY(k->a, uint32_t, n);
  bool has_index = dist->kind == EX_NAME;
  if (!has_index && !(dist->kind == EX_RAT && dist->value == RAT_0))
    return no_layout(k, dist->span, "a dimension of the distributed tensor is read at an index");
  if (has_index && find_axis(k, dist->name) >= 0)
    return no_layout(k, dist->span, "an axis of the mesh is no dimension of a block");
  uint32_t n_axes = has_index ? n - 1 : n;
  for (uint32_t i = 0; i < n; i++)
    if (digit[i]->kind != EX_NAME)
      return no_layout(k, digit[i]->span, "an index is a name, or axes and a name as digits");
  if (has_index && digit[n - 1]->name != dist->name)
    return no_layout(k, seq->span, "dimensions correspond in order, and the index of the block is the last digit");
  for (uint32_t i = 0; i < n_axes; i++) {
    int axis = find_axis(k, digit[i]->name);
    if (axis < 0) return no_layout(k, digit[i]->span, "the major digits of a dimension are axes of the mesh");
    out->axes[out->n++] = (uint32_t)axis;
  }
  return true;
}

static bool equation_layout(Maker *k, const SideOf *dist, const SideOf *seq, uint8_t rank, Layout *l) {
  *l = (Layout){.rank = rank, .dims = arena_alloc(k->a, rank * sizeof *l->dims)};
  if (seq->n_sum) return no_layout(k, seq->tensor->span, "the sequential tensor is not summed");
  l->partial = arena_copy(k->a, dist->sum, dist->n_sum * sizeof *l->partial);
  l->n_partial = (uint8_t)dist->n_sum;
  bool d = dist->tensor->kind == EX_READ, s = seq->tensor->kind == EX_READ;
  if (!d && !s) return true;
  if (d != s || dist->tensor->n_args != rank || seq->tensor->n_args != rank) {
    diag_error(k->diags, dist->tensor->span, E_ARITY, "both tensors have %u dimensions here", rank);
    return false;
  }
  for (uint32_t i = 0; i < rank; i++)
    if (!read_dim(k, dist->tensor->args[i], seq->tensor->args[i], &l->dims[i])) return false;
  return true;
}

/* `blocks(d, order..)`: checked to be an order. */
static Blocks read_blocks(Maker *k, const AstExpr *e) {
  int64_t dim = 0, *order = ARENA_ARRAY(k->a, int64_t, e->n_args);
  rat_to_int(e->args[0]->value, &dim);
  for (uint32_t i = 1; i < e->n_args; i++) rat_to_int(e->args[i]->value, &order[i - 1]);
  return (Blocks){dim < 64 ? (uint32_t)dim : 64, e->n_args - 1, order};
}

static bool call_layout(Maker *k, const AstGiven *g, uint8_t rank, Layout *l, Blocks *blocks) {
  *l = (Layout){.rank = rank,
                .dims = arena_alloc(k->a, rank * sizeof *l->dims),
                .partial = ARENA_ARRAY(k->a, uint32_t, k->mesh.n_axes)};
  for (uint32_t c = 0; c < g->n_layout; c++) {
    const AstExpr *e = g->layout[c];
    bool shard = e->name == sym("shard"), partial = e->name == sym("partial");
    int64_t dim = 0;
    if (e->name == sym("blocks")) {
      *blocks = read_blocks(k, e);
      continue;
    }
    if (shard && (!rat_to_int(e->args[0]->value, &dim) || dim >= rank))
      return diag_error(k->diags, e->args[0]->span, E_RELATION_FIT, "the tensor has %u dimensions", rank);
    struct LayoutDim *d = shard ? &l->dims[dim] : NULL;
    if (shard && !d->axes) d->axes = ARENA_ARRAY(k->a, uint32_t, k->mesh.n_axes);
    for (uint32_t i = shard; i < e->n_args; i++) {
      int axis = find_axis(k, e->args[i]->name);
      uint32_t used = partial ? l->n_partial : shard ? d->n : 0;
      if (axis < 0 || used >= k->mesh.n_axes)
        return diag_error(k->diags, e->args[i]->span, E_AXIS, "an axis is used once");
      if (partial) l->partial[l->n_partial++] = (uint32_t)axis;
      if (shard) d->axes[d->n++] = (uint32_t)axis;
    }
  }
  return true;
}

/* ------------------------------------------------------------------ givens, expectations, assumptions */
static Sym tensor_name(const Graph *g, bool input, int64_t number) {
  NodeId id = input ? g->params.at[number] : g->outputs.at[number].node;
  if (!input && g->outputs.at[number].name) return g->outputs.at[number].name;
  const Node *n = &g->nodes.at[id];
  return input && n->label ? n->label : n->name;
}

/* A given (or expectation) that speaks of both graphs of the check; others are left alone. */
static bool add_given(Maker *k, const AstItem *it, Question q) {
  const AstGiven *g = &it->given;
  bool input = it->kind == ITEM_GIVEN;
  SideOf sides[2] = {{0}};
  const AstExpr *both[2] = {g->equation ? g->equation->args[0] : g->left,
                            g->equation ? g->equation->args[1] : g->right};
  for (int i = 0; i < 2; i++)
    if (!read_side(k, both[i], &sides[i])) return false;
  Sym left = sides[0].tensor->graph, right = sides[1].tensor->graph;
  bool swapped = left == k->seq->name && right == k->dist->name;
  if (!swapped && !(left == k->dist->name && right == k->seq->name)) return true;
  const SideOf *d = &sides[swapped], *s = &sides[!swapped];
  if (!input && q == ASK_LINEAGE) {
    promote(k->dist->graph, d->tensor->name);
    promote(k->seq->graph, s->tensor->name);
  }
  int64_t dn = find_tensor(k, k->dist->graph, input, d->tensor->name, d->tensor->name_span);
  int64_t sn = find_tensor(k, k->seq->graph, input, s->tensor->name, s->tensor->name_span);
  if (dn < 0 || sn < 0) return false;
  const Graph *sg = k->seq->graph;
  uint8_t rank = sg->nodes.at[input ? sg->params.at[sn] : sg->outputs.at[sn].node].rank;
  Layout l;
  Blocks blocks = {0};
  if (!(g->equation ? equation_layout(k, d, s, rank, &l) : call_layout(k, g, rank, &l, &blocks))) return false;
  int64_t number;
  Sym name = is_number(sym_text(s->tensor->name), &number) ? tensor_name(sg, input, sn) : s->tensor->name;
  Related r = {.name = name, .seq = sn, .dist = dn, .layout = l, .blocks = blocks, .scale = 1, .span = it->span};
  if (d->tensor->name != name && !is_number(sym_text(d->tensor->name), &number)) r.dist_name = d->tensor->name;
  if (input) vec_push(&k->inputs, r);
  else vec_push(&k->outputs, r);
  return true;
}

static bool bound_of(const AstExpr *e, Rat *out) {
  bool negative = e->kind == EX_NEG;
  const AstExpr *x = negative ? e->args[0] : e;
  if (x->kind != EX_RAT) return false;
  *out = negative ? rat_neg(x->value) : x->value;
  return true;
}

static bool add_assume(Maker *k, const AstItem *it) {
  const AstAssume *s = &it->assume;
  bool seq = s->tensor->graph == k->seq->name;
  if (!seq && s->tensor->graph != k->dist->name) return true;
  int64_t n = find_tensor(k, seq ? k->seq->graph : k->dist->graph, true, s->tensor->name, s->tensor->name_span);
  bool found = false;
  for (size_t i = 0; n >= 0 && i < k->inputs.len; i++) {
    Related *r = &k->inputs.at[i];
    if ((seq ? r->seq : r->dist) != n) continue;
    found = true;
    if (!seq && r->layout.n_partial) {
      diag_error(k->diags, s->tensor->span, E_RELATION, "`%s` are addends: no range of them is one of their sum",
                 sym_text(s->tensor->name));
      diag_hint(k->diags, "state the range of the sequential tensor: `assume %s.%s in ..`", sym_text(k->seq->name),
                sym_text(r->name));
      return false;
    }
    Rat lo, hi;
    if (bound_of(s->lo, &lo) && (!r->has_lo || rat_cmp(lo, r->lo) > 0)) r->lo = lo, r->has_lo = true;
    if (bound_of(s->hi, &hi) && (!r->has_hi || rat_cmp(hi, r->hi) < 0)) r->hi = hi, r->has_hi = true;
    if (r->has_lo && r->has_hi && rat_cmp(r->lo, r->hi) > 0)
      return diag_error(k->diags, it->span, E_RELATION, "no value is in all ranges of `%s`",
                        sym_text(s->tensor->name));
  }
  if (n >= 0 && !found)
    return diag_error(k->diags, s->tensor->span, E_RELATION_FIT, "`%s` is related to nothing",
                      sym_text(s->tensor->name));
  return n >= 0;
}

static bool is_rebuilt(const Layout *l) {
  bool is = l->n_partial;
  for (uint32_t d = 0; d < l->rank; d++) is |= l->dims[d].n;
  return is;
}

/* Results one by one, the same on every device: those that are declared as they are, the others by their places. */
static bool equal_outputs(Maker *k, Span at) {
  const Graph *s = k->seq->graph, *d = k->dist->graph;
  bool *declared = ARENA_ARRAY(k->a, bool, s->outputs.len + 1);
  size_t n = 0;
  for (size_t i = 0; i < k->outputs.len; i++) {
    const Related *r = &k->outputs.at[i];
    if (is_rebuilt(&r->layout) || r->blocks.n) {
      diag_error(k->diags, r->span, E_RELATION, "`%s` is to be rebuilt: `equal` asks whether it is the same",
                 sym_text(r->name));
      diag_hint(k->diags, "`check .. expected ..` asks what is declared");
      return false;
    }
    if ((size_t)r->seq < s->outputs.len && !declared[r->seq]) declared[r->seq] = true, n++;
  }
  if (n < s->outputs.len && s->outputs.len != d->outputs.len)
    return diag_error(k->diags, at, E_RELATION_FIT, "%s has %zu results, %s has %zu", sym_text(s->path), s->outputs.len,
                      sym_text(d->path), d->outputs.len);
  for (size_t i = 0; i < s->outputs.len; i++) {
    if (declared[i]) continue;
    uint8_t rank = s->nodes.at[s->outputs.at[i].node].rank;
    Layout l = {.rank = rank, .dims = arena_alloc(k->a, rank * sizeof *l.dims)};
    vec_push(&k->outputs, (Related){.name = tensor_name(s, false, (int64_t)i),
                                    .seq = (int64_t)i,
                                    .dist = (int64_t)i,
                                    .layout = l,
                                    .scale = 1,
                                    .span = at});
  }
  return true;
}

/* Parameters that no one relates and that have one number in both graphs are the same tensor, if there is no mesh. */
static void equal_inputs(Maker *k) {
  const Graph *s = k->seq->graph, *d = k->dist->graph;
  for (size_t i = 0; i < s->params.len && i < d->params.len; i++) {
    if (s->params.at[i] == NO_NODE || d->params.at[i] == NO_NODE) continue;
    bool related = false;
    for (size_t j = 0; j < k->inputs.len; j++) related |= k->inputs.at[j].dist == (int64_t)i;
    if (related) continue;
    uint8_t rank = s->nodes.at[s->params.at[i]].rank;
    Layout l = {.rank = rank, .dims = arena_alloc(k->a, rank * sizeof *l.dims)};
    vec_push(
        &k->inputs,
        (Related){
            .name = tensor_name(s, true, (int64_t)i), .seq = (int64_t)i, .dist = (int64_t)i, .layout = l, .scale = 1});
  }
}

/* Blocks in another order: the check has a sequential graph of its own. */
static bool rearrange(Maker *k, ModelCheck *c) {
  Graph *g = blocks_apply(k->seq->graph, &c->relation, k->diags);
  if (g && g != k->seq->graph) vec_push(&k->m->graphs, ((ModelGraph){0, g, false}));
  c->seq = g;
  if (!g) return false;
  narrowing_mark(g, &c->relation, 0);
  narrowing_mark(k->dist->graph, &c->relation, 1);
  return true;
}

/* ------------------------------------------------------------------ checks */
static bool make_check(Maker *k, const AstItem *it, ModelCheck *out) {
  static const char *const verbs[] = {"refines", "equal", "expected", "lineage"};
  *out = (ModelCheck){.span = it->span};
  for (int q = 0; q < 4; q++)
    if (it->check.verb == sym(verbs[q])) out->question = (Question)q;
  k->dist = find_graph(k, it->check.left->name);
  k->seq = find_graph(k, it->check.right->name);
  if (!k->dist || !k->seq) return false; /* its reading was reported */
  if (k->seq->over) {
    diag_error(k->diags, it->check.right->span, E_MESH, "`%s` runs over the mesh: what it is compared with does not",
               sym_text(k->seq->name));
    return false;
  }
  vec_clear(&k->inputs);
  vec_clear(&k->outputs);
  for (uint32_t i = 0; k->from_file && i < k->from_file->n_inputs; i++) vec_push(&k->inputs, k->from_file->inputs[i]);
  for (uint32_t i = 0; k->from_file && i < k->from_file->n_outputs; i++)
    vec_push(&k->outputs, k->from_file->outputs[i]);
  bool ok = true;
  for (uint32_t i = 0; i < k->file->n_items; i++) {
    const AstItem *x = k->file->items[i];
    if (x->kind == ITEM_GIVEN || x->kind == ITEM_EXPECT) ok &= add_given(k, x, out->question);
  }
  if (!k->dist->over) equal_inputs(k);
  for (uint32_t i = 0; ok && i < k->file->n_items; i++)
    if (k->file->items[i]->kind == ITEM_ASSUME && k->file->items[i]->assume.tensor) ok &= add_assume(k, k->file->items[i]);
  if (ok && out->question == ASK_EQUAL) ok = equal_outputs(k, it->span);
  if (ok && out->question > ASK_EQUAL && !k->outputs.len) {
    ok = diag_error(k->diags, it->span, E_RELATION, "`%s` asks about what is declared, and nothing is",
                    sym_text(it->check.verb));
    diag_hint(k->diags, "add `expect dist.out[i] == seq.out[i]`");
  }
  out->infer = out->question == ASK_REFINES;
  out->seq = k->seq->graph;
  out->dist = k->dist->graph;
  Relation *r = &out->relation;
  r->mesh =
      k->dist->over || k->from_file ? k->mesh : (Mesh){.n_devices = 1, .device_order = ARENA_ARRAY(k->a, int64_t, 1)};
  r->n_inputs = (uint32_t)k->inputs.len;
  r->n_outputs = (uint32_t)k->outputs.len;
  r->inputs = arena_copy(k->a, k->inputs.at, k->inputs.len * sizeof *r->inputs);
  r->outputs = arena_copy(k->a, k->outputs.at, k->outputs.len * sizeof *r->outputs);
  return ok && rearrange(k, out);
}

static bool read_relations(Maker *k) {
  bool ok = true, has_mesh = false;
  for (uint32_t i = 0; i < k->file->n_items; i++) {
    const AstItem *it = k->file->items[i];
    if (it->kind == ITEM_MESH) make_mesh(k, &it->mesh), has_mesh = true;
    if (it->kind != ITEM_RELATION) continue;
    if (k->from_file) return diag_error(k->diags, it->span, E_DUPLICATE, "there is one relation file to a model");
    Relation *r = k->readers->relation(k->readers->context, it->name, it->span);
    if (!r) ok = false;
    else vec_push(&k->m->files, r);
    k->from_file = r;
  }
  if (!k->from_file) return ok;
  if (has_mesh) {
    const Mesh *a = &k->mesh, *b = &k->from_file->mesh;
    bool same = a->n_axes == b->n_axes;
    for (uint32_t i = 0; same && i < a->n_axes; i++)
      same = a->axes[i].name == b->axes[i].name && a->axes[i].size == b->axes[i].size;
    for (int64_t d = 0; same && d < a->n_devices; d++) same = a->device_order[d] == b->device_order[d];
    if (!same) return diag_error(k->diags, (Span){0}, E_MESH, "the mesh of the model is not that of the relation file");
  }
  k->mesh = k->from_file->mesh;
  return ok;
}

bool model_make(Model *m, const AstFile *file, const ModelReaders *readers, Diags *diags) {
  *m = (Model){0};
  Maker k = {.m = m, .file = file, .readers = readers, .diags = diags, .a = &m->arena};
  k.mesh = (Mesh){.n_devices = 1, .device_order = ARENA_ARRAY(k.a, int64_t, 1)};
  bool ok = read_relations(&k);
  uint32_t n = 0;
  for (uint32_t i = 0; i < file->n_items; i++) {
    if (file->items[i]->kind == ITEM_GRAPH) ok &= make_graph(&k, file->items[i]);
    n += file->items[i]->kind == ITEM_CHECK;
  }
  m->mesh = k.mesh;
  m->checks = ARENA_ARRAY(&m->arena, ModelCheck, n);
  for (uint32_t i = 0; ok && i < file->n_items; i++)
    if (file->items[i]->kind == ITEM_CHECK) ok &= make_check(&k, file->items[i], &m->checks[m->n_checks++]);
  vec_free(&k.inputs);
  vec_free(&k.outputs);
  return ok;
}

void model_free(Model *m) {
  for (size_t i = 0; i < m->graphs.len; i++) graph_free(m->graphs.at[i].graph);
  for (size_t i = 0; i < m->files.len; i++) relation_free(m->files.at[i]);
  vec_free(&m->graphs);
  vec_free(&m->files);
  arena_free(&m->arena);
}
