#include "eval/verdict/reduce.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "eval/verdict/submesh.h"

enum { MAX_SUSPECTS = 5, LEVELS = 4, MAX_PASSES = 8, SMALL_SIZE = 3 };

/* A pair of graphs of its own. */
typedef struct Part {
  Graph *graph[SIDE_COUNT];
  Relation relation;
} Part;

/* An operator to blame. */
typedef struct Suspect {
  Sym op, at;
} Suspect;

typedef struct Reducer {
  Library *library;
  CheckOptions options;
  Sources *sources;
  Part now;
  Verdict verdict;
  Vec(Suspect) suspects; /* of the output alone */
  double deadline;
  uint32_t n_tried;
  bool limited;
} Reducer;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void part_free(Part *p) {
  for (int side = 0; side < SIDE_COUNT; side++) graph_free(p->graph[side]);
  arena_free(&p->relation.arena);
}

/* ---- trying a part */

static Suspect suspect(const CheckReport *r, uint32_t k) {
  const Blamed *b = &r->blame->at[k];
  const Graph *g = r->problem->graph[b->side];
  return (Suspect){g->nodes.at[b->node].op, node_at(g, b->node)};
}

/* The likeliest cause is one of those there were. */
static bool fails_alike(const Reducer *r, const CheckReport *c) {
  if (c->verdict != r->verdict || !c->blame || !c->blame->n) return false;
  Suspect first = suspect(c, 0);
  for (size_t i = 0; i < r->suspects.len; i++)
    if (r->suspects.at[i].op == first.op && r->suspects.at[i].at == first.at) return true;
  return false;
}

static Part copy_of(const Part *p);

/* It becomes the part if it fails as before; else it is freed. */
static bool try(Reducer *r, Part *part) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  bool same = false;
  r->n_tried++;
  r->limited = r->limited || now() > r->deadline;
  if (!r->limited &&
      pair_make(&pair, r->library, part->graph[SIDE_SEQ], part->graph[SIDE_DIST], &part->relation, quiet)) {
    CheckReport *c = check_run(&pair.problem, &r->options);
    same = fails_alike(r, c);
    check_report_free(c);
  }
  pair_free(&pair);
  diags_free(quiet);
  Part *old = same ? &r->now : part, *kept = same ? part : NULL;
  part_free(old);
  if (kept) r->now = *kept;
  return same;
}

/* The first of them that fails as before becomes the part. */
static bool try_first(Reducer *r, Part *parts, size_t n) {
  bool done = false;
  for (size_t i = 0; i < n; i++) {
    if (done) part_free(&parts[i]);
    else done = try(r, &parts[i]);
  }
  return done;
}

/* ---- slices */

/* Nodes that become parameters, by number in the slice; and parameters that stay. */
typedef struct Slice {
  const Graph *from;
  Graph *to;
  bool *needed;
  NodeId *moved;   /* by old node */
  Sym *name;       /* by old node: of the relation, or 0 */
  Vec(bool) taken; /* by symbol: names of the new nodes */
} Slice;

static void need(Slice *s, NodeId root, const bool *cut) {
  s->needed[root] = true;
  for (NodeId i = root + 1; i-- > 0;)
    for (uint32_t k = 0; s->needed[i] && !(cut && cut[i]) && k < s->from->nodes.at[i].n_args; k++)
      s->needed[s->from->nodes.at[i].args[k]] = true;
}

/* The innermost place is enough to read. */
static uint32_t copy_frames(Slice *s, const Node *n) {
  const Frames *f = &s->from->frames.at[n->frames];
  if (!f->n) return 0;
  Sym *at = arena_copy(&s->to->arena, f->at, sizeof *at);
  vec_push(&s->to->frames, (Frames){1, at});
  return (uint32_t)s->to->frames.len - 1;
}

/* A name no node has yet, as a word of the language: "p['w1']" is p_w1. */
static Sym fresh_name(Slice *s, const char *name) {
  char text[256], numbered[280];
  size_t n = 0;
  for (; *name && n < sizeof text - 1; name++) {
    bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
    if (letter) text[n++] = *name;
    else if (n && text[n - 1] != '_') text[n++] = '_';
  }
  while (n && text[n - 1] == '_') n--;
  if (n == 0 || (text[0] >= '0' && text[0] <= '9')) text[n++] = 'v';
  text[n] = 0;
  snprintf(numbered, sizeof numbered, "%s", text);
  for (uint32_t k = 1;; k++) {
    Sym word = sym(numbered);
    while (s->taken.len <= word) vec_push(&s->taken, false);
    if (!s->taken.at[word]) {
      s->taken.at[word] = true;
      return word;
    }
    snprintf(numbered, sizeof numbered, "%s_%" PRIu32, text, k);
  }
}

static void add_node(Slice *s, NodeId i, bool as_parameter) {
  Node n = s->from->nodes.at[i];
  if (n.op == sym("copy") && n.n_args == 1 && !as_parameter) { /* HLO's copy is the identity */
    s->moved[i] = s->moved[n.args[0]];
    return;
  }
  bool is_parameter = as_parameter || n.op == sym("parameter");
  NodeId *args = arena_copy(&s->to->arena, n.args, n.n_args * sizeof *args);
  for (uint32_t k = 0; k < n.n_args && !is_parameter; k++) args[k] = s->moved[args[k]];
  n.args = args;
  n.frames = copy_frames(s, &n);
  n.name = fresh_name(s, sym_text(s->name[i] ? s->name[i] : n.name));
  n.line = 0;
  if (is_parameter) {
    n.op = sym("parameter");
    n.n_args = n.n_attrs = n.result = 0;
    n.param = (int64_t)s->to->params.len;
    vec_push(&s->to->params, (NodeId)s->to->nodes.len);
  }
  s->moved[i] = graph_add(s->to, &n);
}

static void slice_begin(Slice *s, const Graph *from, Arena *a) {
  *s = (Slice){.from = from, .to = graph_new()};
  s->needed = ARENA_ARRAY(a, bool, from->nodes.len);
  s->moved = ARENA_ARRAY(a, NodeId, from->nodes.len);
  s->name = ARENA_ARRAY(a, Sym, from->nodes.len);
  s->to->path = from->path;
  s->to->n_devices = from->n_devices;
}

static void slice_end(Slice *s, NodeId root, const bool *cut) {
  for (NodeId i = 0; i < s->from->nodes.len; i++)
    if (s->needed[i]) add_node(s, i, cut && cut[i]);
  vec_push(&s->to->outputs, (GraphOutput){s->moved[root], s->to->nodes.at[s->moved[root]].name});
  s->to->n_read = s->to->nodes.len;
  vec_free(&s->taken);
}

static Layout copy_layout(Arena *a, const Layout *l) {
  Layout c = *l;
  c.dims = arena_copy(a, l->dims, l->rank * sizeof *l->dims);
  for (uint32_t d = 0; d < l->rank; d++)
    c.dims[d].axes = arena_copy(a, l->dims[d].axes, l->dims[d].n * sizeof *l->dims[d].axes);
  c.partial = arena_copy(a, l->partial, l->n_partial * sizeof *l->partial);
  return c;
}

static Related copy_related(Arena *a, const Related *r) {
  Related c = *r;
  c.layout = copy_layout(a, &r->layout);
  c.also = arena_copy(a, r->also, r->n_also * sizeof *r->also);
  return c;
}

/* A value of either graph that is the other's under a layout. */
typedef struct Link {
  NodeId node[SIDE_COUNT];
  Related related;
} Link;
typedef Vec(Link) Links;

/* The pair that computes one output from its parameters and the values cut. */
static Part slice_pair(const Graph *const graph[SIDE_COUNT], const Relation *rel, uint32_t output, const Links *links) {
  Arena scratch = {0};
  Part p = {0};
  Slice s[SIDE_COUNT];
  bool *cut[SIDE_COUNT];
  const Related *o = &rel->outputs[output];
  NodeId root[SIDE_COUNT] = {graph[SIDE_SEQ]->outputs.at[o->seq].node, graph[SIDE_DIST]->outputs.at[o->dist].node};
  for (int side = 0; side < SIDE_COUNT; side++) {
    slice_begin(&s[side], graph[side], &scratch);
    cut[side] = ARENA_ARRAY(&scratch, bool, graph[side]->nodes.len);
    for (size_t k = 0; links && k < links->len; k++) cut[side][links->at[k].node[side]] = true;
    need(&s[side], root[side], cut[side]);
  }
  Arena *a = &p.relation.arena;
  Vec(Related) inputs = {0};
  Vec(NodeId) at[SIDE_COUNT] = {{0}};
  /* What one side needs the other side keeps, so that it stays related. */
  for (uint32_t k = 0; k < rel->n_inputs; k++) {
    NodeId q[SIDE_COUNT] = {graph[SIDE_SEQ]->params.at[rel->inputs[k].seq],
                            graph[SIDE_DIST]->params.at[rel->inputs[k].dist]};
    if (!s[SIDE_SEQ].needed[q[0]] && !s[SIDE_DIST].needed[q[1]]) continue;
    vec_push(&inputs, copy_related(a, &rel->inputs[k]));
    for (int side = 0; side < SIDE_COUNT; side++) {
      s[side].needed[q[side]] = true;
      s[side].name[q[side]] = rel->inputs[k].name;
      vec_push(&at[side], q[side]);
    }
  }
  for (size_t k = 0; links && k < links->len; k++) {
    const Link *l = &links->at[k];
    if (!s[SIDE_SEQ].needed[l->node[0]] && !s[SIDE_DIST].needed[l->node[1]]) continue;
    vec_push(&inputs, copy_related(a, &l->related));
    for (int side = 0; side < SIDE_COUNT; side++) {
      s[side].needed[l->node[side]] = true;
      s[side].name[l->node[side]] = l->related.name;
      vec_push(&at[side], l->node[side]);
    }
  }
  for (int side = 0; side < SIDE_COUNT; side++) slice_end(&s[side], root[side], cut[side]);
  for (size_t k = 0; k < inputs.len; k++) {
    inputs.at[k].seq = s[SIDE_SEQ].to->nodes.at[s[SIDE_SEQ].moved[at[0].at[k]]].param;
    inputs.at[k].dist = s[SIDE_DIST].to->nodes.at[s[SIDE_DIST].moved[at[1].at[k]]].param;
  }
  Mesh *mesh = mesh_copy(&rel->mesh, a);
  p.relation.mesh = *mesh;
  p.relation.n_inputs = (uint32_t)inputs.len;
  p.relation.inputs = arena_copy(a, inputs.at, inputs.len * sizeof *inputs.at);
  p.relation.n_outputs = 1;
  p.relation.outputs = ARENA_NEW(a, Related);
  *p.relation.outputs = copy_related(a, o);
  p.relation.outputs->seq = p.relation.outputs->dist = 0;
  for (int side = 0; side < SIDE_COUNT; side++) {
    p.graph[side] = s[side].to;
    vec_free(&at[side]);
  }
  vec_free(&inputs);
  arena_free(&scratch);
  return p;
}

static Part copy_of(const Part *p) {
  return slice_pair((const Graph *const[]){p->graph[0], p->graph[1]}, &p->relation, 0, NULL);
}

/* ---- cuts */

/* What is assumed of an input in place of a computed value: the sign it had, or the integers. */
static void assume(Related *r, const Node *n, const double *at) {
  if (!at) return;
  double lo = INFINITY, hi = -INFINITY;
  for (int64_t i = 0; i < node_elements(n); i++) {
    lo = fmin(lo, at[i]);
    hi = fmax(hi, at[i]);
  }
  if (!isfinite(lo) || !isfinite(hi)) return;
  bool whole = !dtype_is_float((DType)n->dtype);
  r->scale = fmax(fabs(lo), fabs(hi));
  if (!whole && lo <= 0) return;
  r->has_lo = r->has_hi = true;
  r->lo = whole ? rat_from_double(lo) : rat_pow(rat_int(10), (int64_t)floor(log10(lo)));
  r->hi = whole ? rat_from_double(hi) : rat_pow(rat_int(10), (int64_t)ceil(log10(hi)));
}

/* The sequential node of a distributed one's class, the last there is. */
static NodeId counterpart(const Proof *p, NodeId dist) {
  Value v = p->build.value[SIDE_DIST][dist];
  if (value_is_num(v)) return NO_NODE;
  for (size_t i = p->problem.graph[SIDE_SEQ]->nodes.len; i-- > 0;) {
    Value w = p->build.value[SIDE_SEQ][i];
    if (!value_is_num(w) && w.k == v.k && value_class(p->calc, w) == value_class(p->calc, v)) return (NodeId)i;
  }
  return NO_NODE;
}

static bool is_given(const Node *n) { return n->op == sym("parameter") || n->op == sym("constant"); }

/* Corresponding values among the first `limit` distributed nodes, results excepted. */
static void find_links(Reducer *r, Proof *p, const ExactRun *run, NodeId limit, Links *out, Arena *a) {
  const Graph *g = r->now.graph[SIDE_DIST], *h = r->now.graph[SIDE_SEQ];
  NodeId root = g->outputs.at[0].node, seq_root = h->outputs.at[0].node;
  for (NodeId d = 0; d < limit; d++) {
    Link l = {.node = {counterpart(p, d), d}};
    if (d == root || is_given(&g->nodes.at[d]) || l.node[0] == NO_NODE || l.node[0] == seq_root) continue;
    const Node *n = &h->nodes.at[l.node[0]];
    if (is_given(n) || !infer_layout(p, l.node[0], d, a, &l.related.layout)) continue;
    l.related.name = n->name;
    l.related.scale = 1;
    assume(&l.related, n, exact_value(run, false, l.node[0], 0));
    bool again = false; /* one sequential value for one distributed one */
    for (size_t k = 0; k < out->len && !again; k++) again = out->at[k].node[0] == l.node[0];
    if (!again) vec_push(out, l);
  }
}

static ExactProblem evaluation(const Problem *p, const CheckOptions *o) {
  return (ExactProblem){.seq = {p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]},
                        .dist = {p->graph[SIDE_DIST], p->instance[SIDE_DIST]},
                        .relation = p->relation,
                        .options = o->exact};
}

static size_t size_of(const Part *p) { return p->graph[0]->nodes.len + p->graph[1]->nodes.len; }

/* Cuts as near to the output as goes; false if nothing got smaller. */
static bool cut(Reducer *r) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  Links links = {0};
  Arena a = {0};
  Vec(Part) parts = {0};
  if (pair_make(&pair, r->library, r->now.graph[SIDE_SEQ], r->now.graph[SIDE_DIST], &r->now.relation, quiet)) {
    Proof *p = prove_direct(&pair.problem, &r->options.prove);
    ExactProblem e = evaluation(&pair.problem, &r->options);
    const char *why;
    ExactRun *run = exact_run(&e, r->options.exact.seed, &why);
    NodeId n = (NodeId)r->now.graph[SIDE_DIST]->nodes.len;
    for (NodeId level = LEVELS; level > 0; level--) {
      vec_clear(&links);
      find_links(r, p, run, n * level / LEVELS, &links, &a);
      if (!links.len) continue;
      Part part = slice_pair((const Graph *const[]){r->now.graph[0], r->now.graph[1]}, &r->now.relation, 0, &links);
      if (size_of(&part) < size_of(&r->now)) vec_push(&parts, part);
      else part_free(&part);
    }
    exact_run_free(run);
    proof_free(p);
  }
  pair_free(&pair);
  diags_free(quiet);
  vec_free(&links);
  arena_free(&a);
  bool done = try_first(r, parts.at, parts.len);
  vec_free(&parts);
  return done;
}

/* ---- sizes */

/* Which digits get another size: one by its number, or all of a sort. */
typedef struct Resizing {
  bool by_sort;
  uint32_t number;
  int64_t size;
} Resizing;

/* Values of a list along a digit alone: the first of them. */
static bool shorten(Graph *g, Node *n, const int64_t *dims) {
  if (n->rank != 1 || n->literal->n < (uint64_t)dims[0]) return false;
  Literal *l = ARENA_NEW(&g->arena, Literal);
  *l = *n->literal;
  l->n = (uint64_t)dims[0];
  n->literal = l;
  return true;
}

/* The same pair with digits of another size; false where a dimension does not follow. */
static bool resized(const Part *from, const Digits *d, const Resizing *to, Part *out) {
  *out = copy_of(from);
  bool changed = false;
  for (int side = 0; side < SIDE_COUNT; side++) {
    Graph *g = out->graph[side];
    for (NodeId i = 0; i < g->nodes.len; i++) {
      Node *n = &g->nodes.at[i];
      int64_t *dims = arena_copy(&g->arena, n->dims, n->rank * sizeof *dims);
      for (uint32_t k = 0; k < n->rank; k++) {
        DigitList l = digits_dim(d, (Side)side, i, k);
        if (l.n == 0) continue;
        dims[k] = 1;
        for (uint32_t j = 0; j < l.n; j++)
          dims[k] *= (to->by_sort ? l.sort[j] : l.first + j) == to->number ? to->size : l.size[j];
        changed = changed || dims[k] != n->dims[k];
      }
      bool listed = n->literal && n->literal->kind == LIT_VALUES;
      bool differs = memcmp(dims, n->dims, n->rank * sizeof *dims) != 0;
      if (listed && differs && to->by_sort && shorten(g, n, dims)) differs = false;
      n->dims = dims;
      if (listed && differs) changed = false, i = (NodeId)g->nodes.len - 1, side = SIDE_COUNT - 1;
    }
  }
  if (!changed) part_free(out);
  return changed;
}

/* Makes one digit smaller; false if none goes. */
static bool shrink(Reducer *r, uint32_t *next) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  Vec(Part) parts = {0};
  if (pair_make(&pair, r->library, r->now.graph[SIDE_SEQ], r->now.graph[SIDE_DIST], &r->now.relation, quiet)) {
    Digits *d = digits_infer(&pair.problem);
    uint32_t n = (uint32_t)digits_stats(d).n_digits;
    for (; *next < n && !parts.len; ++*next) {
      int64_t size = 0; /* of the digit, where some dimension has it */
      for (int side = 0; side < SIDE_COUNT; side++)
        for (NodeId i = 0; i < r->now.graph[side]->nodes.len; i++)
          for (uint32_t k = 0; k < r->now.graph[side]->nodes.at[i].rank; k++) {
            DigitList l = digits_dim(d, (Side)side, i, k);
            if (*next >= l.first && *next - l.first < l.n) size = l.size[*next - l.first];
          }
      Part part;
      for (int64_t s = 1; s <= SMALL_SIZE && s < size; s++)
        if (resized(&r->now, d, &(Resizing){false, *next, s}, &part)) vec_push(&parts, part);
    }
    digits_free(d);
  }
  pair_free(&pair);
  diags_free(quiet);
  bool any = parts.len > 0;
  if (try_first(r, parts.at, parts.len)) *next = 0;
  vec_free(&parts);
  return any;
}

/* ---- mesh */

/* The same pair on the part of the mesh; false where something does not follow. */
static bool on_submesh(const Part *from, const Digits *d, uint32_t axis, int64_t size, Part *out) {
  uint32_t first;
  if (meshdigits_axis(digits_mesh(d), axis, &first) != 1 || size >= from->relation.mesh.axes[axis].size) return false;
  Resizing to = {.by_sort = true, .number = digits_mesh_sort(d, first), .size = size};
  if (!resized(from, d, &to, out)) return false;
  if (submesh_take(out->graph[SIDE_DIST], &out->relation.mesh, axis, size)) return true;
  part_free(out);
  return false;
}

static void shrink_mesh(Reducer *r) {
  for (uint32_t axis = 0; axis < r->now.relation.mesh.n_axes; axis++) {
    Diags *quiet = diags_new(r->sources);
    Pair pair = {0};
    Vec(Part) parts = {0};
    if (pair_make(&pair, r->library, r->now.graph[SIDE_SEQ], r->now.graph[SIDE_DIST], &r->now.relation, quiet)) {
      Digits *d = digits_infer(&pair.problem);
      Part part;
      for (int64_t size = 2; size <= SMALL_SIZE; size++)
        if (on_submesh(&r->now, d, axis, size, &part)) vec_push(&parts, part);
      digits_free(d);
    }
    pair_free(&pair);
    diags_free(quiet);
    try_first(r, parts.at, parts.len);
    vec_free(&parts);
  }
}

/* ---- all */

/* Operators that an output depends on. */
static size_t cone(const Graph *const graph[SIDE_COUNT], const Related *o) {
  Arena a = {0};
  size_t n = 0;
  for (int side = 0; side < SIDE_COUNT; side++) {
    Slice s = {.from = graph[side], .needed = ARENA_ARRAY(&a, bool, graph[side]->nodes.len)};
    need(&s, graph[side]->outputs.at[side == SIDE_SEQ ? o->seq : o->dist].node, NULL);
    for (size_t i = 0; i < graph[side]->nodes.len; i++) n += s.needed[i];
  }
  arena_free(&a);
  return n;
}

/* The output with the verdict of the pair that depends on least; false if the pair is verified. */
static bool choose(Reducer *r, const Problem *p, uint32_t *output) {
  CheckReport *c = check_run(p, &r->options);
  size_t least = SIZE_MAX;
  r->verdict = c->verdict;
  for (uint32_t k = 0; k < c->n_outputs && c->verdict != VERDICT_VERIFIED; k++) {
    size_t n = c->outputs[k].verdict == c->verdict ? cone(p->graph, &p->relation->outputs[k]) : SIZE_MAX;
    if (n < least) *output = k, least = n;
  }
  check_report_free(c);
  return least < SIZE_MAX;
}

/* What is to be blamed once the output is alone; false if it does not fail alone. */
static bool sign(Reducer *r) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  bool fails = false;
  if (pair_make(&pair, r->library, r->now.graph[SIDE_SEQ], r->now.graph[SIDE_DIST], &r->now.relation, quiet)) {
    CheckReport *c = check_run(&pair.problem, &r->options);
    fails = c->verdict == r->verdict && c->blame && c->blame->n;
    for (uint32_t k = 0; fails && k < c->blame->n && k < MAX_SUSPECTS; k++) vec_push(&r->suspects, suspect(c, k));
    check_report_free(c);
  }
  pair_free(&pair);
  diags_free(quiet);
  return fails;
}

Reduction *reduce_run(Library *library, const Problem *p, const CheckOptions *o, double seconds, Sources *sources) {
  Reducer r = {.library = library, .options = *o, .sources = sources, .deadline = now() + seconds};
  uint32_t output = 0;
  r.options.inferred = NULL;
  r.options.progress = NULL;
  if (!choose(&r, p, &output)) return NULL;
  Reduction *out = xcalloc(1, sizeof *out);
  for (int side = 0; side < SIDE_COUNT; side++) out->before[side] = p->graph[side]->nodes.len;
  r.now = slice_pair(p->graph, p->relation, output, NULL);
  bool fails = sign(&r);
  for (int i = 0; i < MAX_PASSES && fails && !r.limited && cut(&r); i++) {
  }
  if (fails && !r.limited) shrink_mesh(&r);
  for (uint32_t next = 0; fails && !r.limited && shrink(&r, &next);) {
  }
  vec_free(&r.suspects);
  out->seq = r.now.graph[SIDE_SEQ];
  out->dist = r.now.graph[SIDE_DIST];
  out->relation = r.now.relation;
  out->verdict = r.verdict;
  out->n_tried = r.n_tried;
  out->limited = r.limited;
  return out;
}

void reduce_free(Reduction *r) {
  if (!r) return;
  graph_free(r->seq);
  graph_free(r->dist);
  arena_free(&r->relation.arena);
  free(r);
}
