#include "eval/reduce/reduce.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/digits/resize.h"
#include "eval/prove/smaller.h"
#include "eval/reduce/part.h"
#include "eval/reduce/submesh.h"
#include "eval/verdict/infer.h"
#include "lang/base/clock.h"

enum { MAX_SUSPECTS = 5, MAX_CUTS = 64, MAX_PASSES = 8, SMALL_SIZE = 3, LITTLE_WORK = 10000000, PART_SECONDS = 1 };

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
  bool too_large; /* nothing was evaluated, and nothing is cut any more: smaller sizes may tell what is unproved */
} Reducer;

/* ---- trying a part */

static Suspect suspect(const CheckReport *r, uint32_t k) {
  const Blamed *b = &r->blame->at[k];
  const Graph *g = r->problem->graph[b->side];
  return (Suspect){g->nodes.at[b->node].op, node_at(g, b->node)};
}

static bool is_same(Suspect a, Suspect b) { return a.op == b.op && a.at == b.at; }

static void remember(Reducer *r, const CheckReport *c) {
  vec_clear(&r->suspects);
  r->verdict = c->verdict;
  for (uint32_t k = 0; k < c->blame->n && k < MAX_SUSPECTS; k++) vec_push(&r->suspects, suspect(c, k));
}

/* The likeliest cause is one of those there were, or what was likeliest is one of the causes.  What was too large to be
 * refuted may be refuted now: then evaluation says better where. */
static bool fails_alike(Reducer *r, const CheckReport *c) {
  if (!c->blame || !c->blame->n) return false;
  if (r->too_large && c->verdict == VERDICT_REFUTED && r->verdict == VERDICT_UNPROVED) return remember(r, c), true;
  if (c->verdict != r->verdict) return false;
  for (size_t i = 0; i < r->suspects.len; i++)
    if (is_same(r->suspects.at[i], suspect(c, 0))) return true;
  for (uint32_t k = 0; k < c->blame->n && k < MAX_SUSPECTS; k++)
    if (is_same(r->suspects.at[0], suspect(c, k))) return true;
  return false;
}

/* It fails as before. */
static bool is_alike(Reducer *r, const Part *part) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  bool same = false;
  r->n_tried++;
  r->limited = r->limited || clock_spent() > r->deadline;
  if (!r->limited &&
      pair_make(&pair, r->library, part->graph[SIDE_SEQ], part->graph[SIDE_DIST], &part->relation, quiet)) {
    CheckReport *c = check_run(&pair.problem, &r->options);
    same = fails_alike(r, c);
    check_report_free(c);
  }
  pair_free(&pair);
  diags_free(quiet);
  return same;
}

static void become(Reducer *r, Part part) {
  part_free(&r->now);
  r->now = part;
}

/* It becomes the part if it fails as before; else it is freed. */
static bool try(Reducer *r, Part *part) {
  bool same = is_alike(r, part);
  if (same) become(r, *part);
  else part_free(part);
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

/* The sequential node of a distributed one's class: the first, which others of the class are computed from, or the last,
 * which leaves least. */
static NodeId counterpart(const Proof *p, NodeId dist, bool last) {
  Value v = p->build.value[SIDE_DIST][dist];
  if (value_is_num(v)) return NO_NODE;
  NodeId n = (NodeId)p->problem.graph[SIDE_SEQ]->nodes.len;
  for (NodeId k = 0; k < n; k++) {
    NodeId i = last ? n - 1 - k : k;
    Value w = p->build.value[SIDE_SEQ][i];
    if (!value_is_num(w) && value_class(p->calc, w) == value_class(p->calc, v)) return i;
  }
  return NO_NODE;
}

static bool is_given(const Node *n) { return n->op == sym("parameter") || n->op == sym("constant"); }

/* Corresponding values, results excepted. */
static void find_links(Reducer *r, Proof *p, const ExactRun *run, bool last, Links *out, Arena *a) {
  const Graph *g = r->now.graph[SIDE_DIST], *h = r->now.graph[SIDE_SEQ];
  NodeId root = g->outputs.at[0].node, seq_root = h->outputs.at[0].node;
  bool *linked = ARENA_ARRAY(a, bool, h->nodes.len + 1); /* one sequential value for one distributed one */
  for (NodeId d = 0; d < g->nodes.len; d++) {
    Link l = {.node = {counterpart(p, d, last), d}};
    if (d == root || is_given(&g->nodes.at[d]) || l.node[0] == NO_NODE || l.node[0] == seq_root) continue;
    const Node *n = &h->nodes.at[l.node[0]];
    if (linked[l.node[0]] || is_given(n) || !infer_layout(p, l.node[0], d, a, &l.related.layout, &l.factor)) continue;
    if (l.factor != RAT_1 && !dtype_is_float((DType)g->nodes.at[d].dtype)) continue;
    l.related.name = n->name;
    l.related.scale = 1;
    assume(&l.related, n, exact_value(run, false, l.node[0], 0));
    linked[l.node[0]] = true;
    vec_push(out, l);
  }
}

static ExactProblem evaluation(const Problem *p, const CheckOptions *o) {
  return (ExactProblem){.seq = {p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]},
                        .dist = {p->graph[SIDE_DIST], p->instance[SIDE_DIST]},
                        .relation = p->relation,
                        .options = o->exact};
}

/* The search for what must not be cut, among links 0 .. n - 1. */
typedef struct Cutting {
  Reducer *r;
  const Links *links;
  Part best; /* graph NULL: none yet */
  uint32_t left; /* parts that may be tried */
} Cutting;

/* Cuts at all links but kept[0 .. n - 1]; true if that fails as before: it is the best part then. */
static bool cut_but(Cutting *c, const uint32_t *kept, uint32_t n) {
  const Part *now = &c->r->now;
  Links cuts = {0};
  for (uint32_t k = 0, i = 0; k < c->links->len; k++) {
    bool keep = i < n && kept[i] == k;
    if (keep) i++;
    else vec_push(&cuts, c->links->at[k]);
  }
  Part part = part_slice((const Graph *const[]){now->graph[0], now->graph[1]}, &now->relation, 0, &cuts);
  vec_free(&cuts);
  c->left--;
  bool good = part_size(&part) < part_size(now) && is_alike(c->r, &part);
  if (good && c->best.graph[0]) part_free(&c->best);
  if (good) c->best = part;
  else part_free(&part);
  return good;
}

/* Part k of n of the list, or all but that; returns its length. */
static uint32_t chunk(const uint32_t *list, uint32_t len, uint32_t k, uint32_t n, bool others, uint32_t *out) {
  uint32_t m = 0, lo = (uint32_t)((uint64_t)len * k / n), hi = (uint32_t)((uint64_t)len * (k + 1) / n);
  for (uint32_t i = 0; i < len; i++)
    if ((i >= lo && i < hi) != others) out[m++] = list[i];
  return m;
}

/* Few links that must be kept: delta debugging (ddmin of the paper). */
static void minimise(Cutting *c, Arena *a) {
  uint32_t len = (uint32_t)c->links->len, *kept = ARENA_ARRAY(a, uint32_t, len), *scratch = ARENA_ARRAY(a, uint32_t, len);
  for (uint32_t k = 0; k < len; k++) kept[k] = k;
  if (cut_but(c, kept, 0)) return;
  for (uint32_t n = 2; len > 1 && n <= len && c->left > 0 && !c->r->limited;) {
    uint32_t m = 0;
    bool less = false;
    for (uint32_t k = 0; k < 2 * n && !less && c->left > 0; k++) {
      if (n == 2 && k >= n) break; /* the other half was tried */
      m = chunk(kept, len, k % n, n, k >= n, scratch);
      less = m && cut_but(c, scratch, m);
      if (less) n = k < n ? 2 : n > 2 ? n - 1 : 2;
    }
    if (less) memcpy(kept, scratch, m * sizeof *kept), len = m;
    else if (n == len) break;
    else n = 2 * n < len ? 2 * n : len;
  }
}

/* Cuts as near to the output as goes; false if nothing got smaller. */
static bool cut(Reducer *r) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  Arena a = {0};
  Part best = {0};
  if (pair_make(&pair, r->library, r->now.graph[SIDE_SEQ], r->now.graph[SIDE_DIST], &r->now.relation, quiet)) {
    Proof *p = prove_direct(&pair.problem, &r->options.prove);
    ExactProblem e = evaluation(&pair.problem, &r->options);
    const char *why;
    ExactRun *run = exact_run(&e, r->options.exact.seed, &why);
    for (int last = 1; last >= 0 && !best.graph[0]; last--) {
      Links links = {0};
      find_links(r, p, run, last, &links, &a);
      Cutting c = {.r = r, .links = &links, .left = last ? 1 : MAX_CUTS};
      if (links.len) minimise(&c, &a);
      best = c.best;
      vec_free(&links);
    }
    exact_run_free(run);
    proof_free(p);
  }
  pair_free(&pair);
  diags_free(quiet);
  arena_free(&a);
  if (best.graph[0]) become(r, best);
  return best.graph[0] != NULL;
}

/* ---- sizes */

/* The same pair with other sizes; false, and no part: nothing changes, or something does not follow. */
static bool resized(const Part *from, const Resizing *to, Part *out) {
  *out = part_copy(from);
  if (resize(out->graph, &out->relation, to, &out->relation.arena)) return true;
  part_free(out);
  return false;
}

/* Digits of some size that was not tried become smaller: all at once if `sort` is 0, then those of a sort.  false if
 * there is nothing more to try. */
static bool shrink(Reducer *r, uint32_t *sort) {
  Diags *quiet = diags_new(r->sources);
  Pair pair = {0};
  Arena a = {0};
  Vec(Part) parts = {0};
  bool any = false, all = *sort == 0;
  if (pair_make(&pair, r->library, r->now.graph[SIDE_SEQ], r->now.graph[SIDE_DIST], &r->now.relation, quiet)) {
    Digits *d = digits_infer(&pair.problem, DIGITS_JOINED);
    uint32_t n;
    int64_t *had = resize_sizes(pair.problem.graph, d, &r->now.relation.mesh, &n, &a);
    int64_t *size = ARENA_ARRAY(&a, int64_t, n + 1);
    while (!all && *sort <= n && had[*sort - 1] < 2) ++*sort;
    any = *sort <= n;
    for (int64_t s = all ? 2 : 1; any && s <= SMALL_SIZE; s++) {
      Part part;
      for (uint32_t k = 0; k < n; k++) size[k] = (all || k + 1 == *sort) && s < had[k] ? s : 0;
      if (resized(&r->now, &(Resizing){d, size}, &part)) vec_push(&parts, part);
    }
    digits_free(d);
  }
  ++*sort;
  pair_free(&pair);
  diags_free(quiet);
  arena_free(&a);
  if (try_first(r, parts.at, parts.len)) *sort = 1;
  vec_free(&parts);
  return any;
}

/* ---- mesh */

/* The same pair on the devices of an axis's first `size` coordinates; false, and no part, where something does not
 * follow. */
static bool resized_mesh(const Part *from, const Digits *d, uint32_t axis, int64_t size, Part *out) {
  uint32_t first;
  if (meshdigits_axis(digits_mesh(d), axis, &first) != 1 || size >= from->relation.mesh.axes[axis].size) return false;
  Arena a = {0};
  int64_t *sizes = ARENA_ARRAY(&a, int64_t, digits_stats(d).n_sorts + 1);
  sizes[digits_mesh_sort(d, first)] = size;
  bool follows = resized(from, &(Resizing){d, sizes}, out);
  arena_free(&a);
  if (!follows) return false;
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
      Digits *d = digits_infer(&pair.problem, DIGITS_JOINED);
      Part part;
      for (int64_t size = 2; size <= SMALL_SIZE; size++)
        if (resized_mesh(&r->now, d, axis, size, &part)) vec_push(&parts, part);
      digits_free(d);
    }
    pair_free(&pair);
    diags_free(quiet);
    try_first(r, parts.at, parts.len);
    vec_free(&parts);
  }
}

/* ---- all */

/* Evaluation sees no difference: tactics may prove it. */
static bool may_hold(const CheckReport *c, const Problem *p, const CheckOptions *o) {
  if (c->verdict != VERDICT_UNPROVED) return false;
  if (!c->exact || !c->exact->not_evaluated) return true;
  Smaller *s = smaller_new(p, &o->exact);
  bool agrees = s && smaller_agrees(s);
  smaller_free(s);
  return agrees;
}

/* The output with the verdict of the pair that depends on least; false if the pair is verified.  *evaluated: it was small
 * enough. */
static bool choose(Reducer *r, const Problem *p, uint32_t *output, bool *evaluated) {
  CheckReport *c = check_run(p, &r->options);
  *evaluated = !c->exact || !c->exact->not_evaluated;
  if (may_hold(c, p, &r->options)) {
    r->options.tactics = true; /* in parts as well: what they prove does not fail */
    check_report_free(c);
    c = check_run(p, &r->options);
    r->options.prove.seconds = r->options.prove.attempt_seconds = PART_SECONDS;
  }
  size_t least = SIZE_MAX;
  r->verdict = c->verdict;
  for (uint32_t k = 0; k < c->n_outputs && c->verdict != VERDICT_VERIFIED; k++) {
    size_t n = c->outputs[k].verdict == c->verdict ? part_cone(p->graph, &p->relation->outputs[k]) : SIZE_MAX;
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
    if (fails) remember(r, c);
    check_report_free(c);
  }
  pair_free(&pair);
  diags_free(quiet);
  return fails;
}

Reduction *reduce_run(Library *library, const Problem *p, const CheckOptions *o, double seconds, Sources *sources) {
  Reducer r = {.library = library, .options = *o, .sources = sources, .deadline = clock_spent() + seconds};
  uint32_t output = 0;
  bool evaluated;
  r.options.tactics = false;
  r.options.progress = NULL;
  if (!choose(&r, p, &output, &evaluated)) return NULL;
  Verdict was = r.verdict;
  if (o->inferred) r.options.inferred = &o->inferred[output];
  if (r.verdict == VERDICT_UNPROVED && r.options.exact.max_work > LITTLE_WORK) r.options.exact.max_work = LITTLE_WORK;
  Reduction *out = xcalloc(1, sizeof *out);
  for (int side = 0; side < SIDE_COUNT; side++) out->before[side] = p->graph[side]->nodes.len;
  r.now = part_slice(p->graph, p->relation, output, NULL);
  bool fails = sign(&r);
  for (int i = 0; i < MAX_PASSES && fails && !r.limited && cut(&r); i++) {
  }
  uint32_t sort = 0;
  r.too_large = !evaluated;
  if (r.too_large && fails) shrink(&r, &sort); /* a program that is unrolled for its mesh may be wrong on another one */
  r.too_large = false;
  if (fails && !r.limited) shrink_mesh(&r);
  for (sort = 0; fails && !r.limited && shrink(&r, &sort);) {
  }
  vec_free(&r.suspects);
  out->seq = r.now.graph[SIDE_SEQ];
  out->dist = r.now.graph[SIDE_DIST];
  out->relation = r.now.relation;
  out->verdict = r.verdict;
  out->was = was;
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
