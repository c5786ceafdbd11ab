#include "eval/prove/smaller.h"

#include <math.h>

#include "eval/digits/resize.h"
#include "eval/prove/pair.h"

enum { LEAST_SIZE = 2, MOST_SIZE = 4, MOST_WORK = 40000000, MOST_NUMBERS = 4000000 };
#define SAME_NUMBER 1e-6

struct Smaller {
  Arena arena;
  Pair pair;
  Graph *graph[SIDE_COUNT];
  Relation relation;
  ExactProblem exact;
  uint32_t n_differ, n_unknown; /* outputs; in doubles */
};

static Graph *copy_graph(const Graph *from, Arena *a) {
  Graph *g = arena_copy(a, from, sizeof *g);
  g->nodes.at = arena_copy(a, from->nodes.at, from->nodes.len * sizeof *from->nodes.at);
  return g;
}

/* What the relation says of sizes would be wrong. */
static Related *copy_related(const Related *from, uint32_t n, Arena *a) {
  Related *to = arena_copy(a, from, n * sizeof *to);
  for (uint32_t i = 0; i < n; i++) to[i].seq_shape = to[i].dist_shape = NULL;
  return to;
}

/* ---- counts: the mean of 120 numbers in one program is their sum by 120, written out, in the other */
typedef struct Count {
  Rat from, to; /* to is 0 where it is not one number */
} Count;
typedef Vec(Count) Counts;

static void note_count(Counts *all, Rat from, Rat to) {
  for (size_t i = 0; i < all->len; i++) {
    if (all->at[i].from != from) continue;
    if (all->at[i].to != to) all->at[i].to = RAT_0;
    return;
  }
  vec_push(all, ((Count){from, to}));
}

static bool is_count(Rat r) { return rat_is_finite(r) && rat_sign(r) > 0; }

/* Numbers of definitions that are others at other sizes. */
static void find_counts(const Problem *p, const Problem *q, Counts *all) {
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId id = 0; id < p->graph[side]->nodes.len; id++) {
      const Instance *x = p->instance[side][id], *y = q->instance[side][id];
      bool same = x && y && x->n_x == y->n_x && dtype_is_float((DType)p->graph[side]->nodes.at[id].dtype);
      for (uint32_t i = 0; same && i < x->n_x; i++)
        if (x->x[i].kind == X_RAT && y->x[i].kind == X_RAT && x->x[i].r != y->x[i].r && is_count(x->x[i].r))
          note_count(all, x->x[i].r, y->x[i].r);
    }
}

static Rat new_count(const Counts *all, Rat r) {
  for (size_t i = 0; i < all->len && rat_is_finite(r); i++) {
    double from = rat_to_double(all->at[i].from), is = rat_to_double(r);
    if (all->at[i].to == RAT_0) continue;
    if (fabs(is / from - 1) < SAME_NUMBER) return all->at[i].to;
    if (fabs(is * from - 1) < SAME_NUMBER) return rat_div(RAT_1, all->at[i].to);
  }
  return r;
}

static bool follow_counts(Smaller *s, const Counts *all) {
  bool changed = false;
  for (int side = 0; side < SIDE_COUNT && all->len; side++)
    for (NodeId id = 0; id < s->graph[side]->nodes.len; id++) {
      Node *n = &s->graph[side]->nodes.at[id];
      if (!n->literal || n->literal->kind != LIT_SPLAT || !dtype_is_float((DType)n->dtype)) continue;
      Rat r = n->literal->values[0], to = new_count(all, r);
      if (to == r) continue;
      Literal *l = arena_copy(&s->arena, n->literal, sizeof *l);
      l->values = arena_copy(&s->arena, &to, sizeof to);
      n->literal = l;
      changed = true;
    }
  return changed;
}

static bool make_pair(Smaller *s, const Problem *p, Diags *quiet) {
  Graph **g = s->graph;
  if (!pair_make(&s->pair, p->library, g[SIDE_SEQ], g[SIDE_DIST], &s->relation, quiet)) return false;
  Counts counts = {0};
  find_counts(p, &s->pair.problem, &counts);
  bool again = follow_counts(s, &counts);
  vec_free(&counts);
  if (!again) return true;
  pair_free(&s->pair);
  s->pair = (Pair){0};
  return pair_make(&s->pair, p->library, g[SIDE_SEQ], g[SIDE_DIST], &s->relation, quiet);
}

static bool evaluate(Smaller *s) {
  ExactReport *r = exact_compare(&s->exact);
  bool any = !r->not_evaluated;
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    const ExactOutput *o = &r->outputs[k];
    bool unknown = o->status == EXACT_UNKNOWN, differs = unknown && o->difference >= s->exact.options.differ;
    s->n_differ += o->status == EXACT_DIFFER || differs;
    s->n_unknown += unknown && !differs;
  }
  exact_report_free(r);
  return any;
}

/* Every sort of digits gets this size, or keeps a smaller one; `alike`: dimensions of one size stay of one size, if some
 * digits are larger for that. */
static Smaller *smaller_of(const Problem *p, const Digits *d, int64_t size, bool alike, const ExactOptions *o) {
  Smaller *s = xcalloc(1, sizeof *s);
  const Relation *from = p->relation;
  s->relation = *from;
  s->relation.inputs = copy_related(from->inputs, from->n_inputs, &s->arena);
  s->relation.outputs = copy_related(from->outputs, from->n_outputs, &s->arena);
  for (int side = 0; side < SIDE_COUNT; side++) s->graph[side] = copy_graph(p->graph[side], &s->arena);
  uint32_t n;
  int64_t *sizes = resize_sizes(p->graph, d, &from->mesh, &n, &s->arena);
  for (uint32_t i = 0; i < n; i++) sizes[i] = sizes[i] > size ? size : 0;
  Resizing to = {d, sizes};
  if (alike) resize_alike(p->graph, &to, sizes);
  Diags *quiet = diags_new(p->sources);
  bool ok = resize(s->graph, &s->relation, &to, &s->arena) && make_pair(s, p, quiet);
  if (ok) {
    const Problem *q = &s->pair.problem;
    s->exact = (ExactProblem){.seq = {q->graph[SIDE_SEQ], q->instance[SIDE_SEQ]},
                              .dist = {q->graph[SIDE_DIST], q->instance[SIDE_DIST]},
                              .relation = q->relation,
                              .options = *o};
    s->exact.options.points = 1;
    s->exact.options.aside = false;
    s->exact.options.max_exact = 0;
    s->exact.options.max_work = MOST_WORK;
    s->exact.options.max_elements = MOST_NUMBERS;
    ok = evaluate(s);
  }
  diags_free(quiet);
  if (ok) return s;
  smaller_free(s);
  return NULL;
}

static bool is_known(const Smaller *s) { return s && !s->n_unknown; }

Smaller *smaller_new(const Problem *p, const ExactOptions *o) {
  Smaller *s = NULL;
  bool even = true; /* all devices have blocks of one size */
  for (int side = 0; side < SIDE_COUNT; side++) even &= !p->graph[side]->param_sizes && !p->graph[side]->output_sizes;
  if (!p->library || !even) return NULL;
  Digits *d = digits_infer(p, DIGITS_JOINED);
  for (int64_t size = LEAST_SIZE; size <= MOST_SIZE; size++)
    for (int alike = 1; alike >= 0 && !is_known(s); alike--) {
      smaller_free(s);
      s = smaller_of(p, d, size, alike, o);
    }
  digits_free(d);
  return s;
}

bool smaller_agrees(const Smaller *s) { return !s->n_differ && !s->n_unknown; }
uint32_t smaller_n_differ(const Smaller *s) { return s->n_differ; }
const ExactProblem *smaller_evaluated(const Smaller *s) { return &s->exact; }
const Problem *smaller_problem(const Smaller *s) { return &s->pair.problem; }

void smaller_free(Smaller *s) {
  if (!s) return;
  pair_free(&s->pair);
  arena_free(&s->arena);
  free(s);
}
