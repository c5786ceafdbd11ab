#include "eval/verdict/lemma_check.h"

#include <string.h>
#include <time.h>

enum { MAX_RANK = 12, N_SIZES = 6 };

const char *lemma_status_text(LemmaStatus s) {
  static const char *const text[] = {"normal", "derived", "axiom", "tested", "open", "false", "wrong"};
  return text[s];
}

/* Sizes by number of the index, and the rank of groups. */
typedef struct Trial {
  uint8_t rank;
  int64_t sizes[N_SIZES];
} Trial;

static const Trial trials[] = {
    {1, {1, 1, 1, 1, 1, 1}}, {1, {2, 2, 2, 2, 2, 2}}, {0, {2, 3, 2, 3, 2, 3}}, {1, {1, 2, 3, 1, 2, 3}},
    {1, {3, 2, 5, 2, 3, 2}}, {2, {2, 3, 2, 3, 1, 2}}, {1, {5, 3, 2, 7, 2, 3}},
};

typedef struct Shapes {
  const AstLemma *lemma;
  const Trial *trial;
  Sym names[32];
  uint32_t n;
} Shapes;

static uint32_t number_of(Shapes *s, Sym name) {
  for (uint32_t i = 0; i < s->n; i++)
    if (s->names[i] == name) return i;
  if (s->n == 32) return 0;
  s->names[s->n] = name;
  return s->n++;
}

static int64_t tuple_size(void *context, Sym index) {
  Shapes *s = context;
  return s->trial->sizes[number_of(s, index) % N_SIZES];
}

/* Dimensions of a bracket, or -1 if they are too many. */
static int dims_of(Shapes *s, const AstPattern *p, uint32_t n, int64_t *dims) {
  int rank = 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t size = 1;
    for (uint32_t j = 0; j < p[i].n; j++) {
      uint32_t k = number_of(s, p[i].digit[j].name);
      if (p[i].digit[j].form == FORM_GROUP) {
        for (int r = 0; r < s->trial->rank; r++) {
          if (rank == MAX_RANK) return -1;
          dims[rank++] = s->trial->sizes[(k + (uint32_t)r) % N_SIZES];
        }
        size = 0;
      } else {
        size *= s->trial->sizes[k % N_SIZES];
      }
    }
    if (!size) continue;
    if (rank == MAX_RANK) return -1;
    dims[rank++] = size;
  }
  return rank;
}

static Graph *graph_of(Shapes *s, const Lemma *l, bool right) {
  const AstItem *op = l->sides->items[right];
  Graph *g = graph_new();
  g->path = l->name;
  g->n_devices = 1;
  int64_t dims[MAX_RANK];
  uint32_t n = op->op.n_params;
  NodeId *args = ARENA_ARRAY(&g->arena, NodeId, n + 1);
  bool ok = true;
  for (uint32_t i = 0; i < n; i++) {
    int rank = dims_of(s, op->op.params[i].dims, op->op.params[i].n_dims, dims);
    ok = ok && rank >= 0;
    args[i] = graph_add(g, &(Node){.op = sym("parameter"),
                                   .name = op->op.params[i].name,
                                   .dtype = DT_F32,
                                   .rank = (uint8_t)(rank < 0 ? 0 : rank),
                                   .dims = dims,
                                   .param = i});
    vec_push(&g->params, args[i]);
  }
  int rank = dims_of(s, op->op.results[0].dims, op->op.results[0].n_dims, dims);
  ok = ok && rank >= 0;
  NodeId id = graph_add(g, &(Node){.op = right ? l->right : l->left,
                                   .name = sym(right ? "right" : "left"),
                                   .dtype = DT_F32,
                                   .rank = (uint8_t)(rank < 0 ? 0 : rank),
                                   .dims = dims,
                                   .n_args = n,
                                   .args = args});
  vec_push(&g->outputs, (GraphOutput){id, sym("value")});
  if (ok) return g;
  graph_free(g);
  return NULL;
}

static Layout whole(uint8_t rank, Arena *a) {
  return (Layout){.rank = rank, .dims = arena_alloc(a, rank * sizeof(struct LayoutDim))};
}

static Relation *identity(const Graph *g, Arena *a) {
  Relation *r = ARENA_NEW(a, Relation);
  r->mesh.n_devices = 1;
  r->mesh.device_order = ARENA_ARRAY(a, int64_t, 1);
  r->n_inputs = (uint32_t)g->params.len;
  r->inputs = ARENA_ARRAY(a, Related, r->n_inputs);
  for (uint32_t i = 0; i < r->n_inputs; i++) {
    const Node *n = &g->nodes.at[g->params.at[i]];
    r->inputs[i] = (Related){.name = n->name, .seq = i, .dist = i, .layout = whole(n->rank, a), .scale = 1};
  }
  r->n_outputs = 1;
  r->outputs = ARENA_ARRAY(a, Related, 1);
  r->outputs[0] = (Related){.name = sym("value"), .layout = whole(g->nodes.at[g->outputs.at[0].node].rank, a)};
  return r;
}

static const char *shape_text(const Graph *g, Arena *a) {
  const char *out = "";
  for (size_t i = 0; i < g->params.len; i++) {
    const Node *n = &g->nodes.at[g->params.at[i]];
    out = arena_printf(a, "%s%s%s[", out, i ? ", " : "", sym_text(n->name));
    for (uint8_t d = 0; d < n->rank; d++) out = arena_printf(a, d ? "%s, %lld" : "%s%lld", out, (long long)n->dims[d]);
    out = arena_printf(a, "%s]", out);
  }
  return out;
}

static const char *place_text(const ExactWitness *w, Arena *a) {
  const char *out = "[";
  for (uint32_t d = 0; d < w->rank; d++) out = arena_printf(a, d ? "%s, %lld" : "%s%lld", out, (long long)w->at[d]);
  return arena_printf(a, "%s]", out);
}

static const char *copy(Arena *a, const char *s) { return s ? arena_printf(a, "%s", s) : NULL; }

/* The lemmas that come before this one: a lemma is never its own reason. */
static Rewrites before(const Rewrites *all, Sym name) {
  Rewrites r = {0, all->at};
  while (r.n < all->n && all->at[r.n].lemma != name) r.n++;
  return r;
}

/* Takes over what one shape says; false: no more shapes are needed. */
static bool take(LemmaReport *r, const CheckReport *c, const Graph *g, Arena *a) {
  const CheckOutput *out = &c->outputs[0];
  LemmaStatus s = LEMMA_NORMAL;
  if (c->verdict == VERDICT_VERIFIED) {
    const Proof *p = c->searched ? c->searched : c->proof;
    if (p->tactic || p->lemmas) s = LEMMA_DERIVED;
    for (uint32_t i = 0; i < c->n_assumptions; i++) {
      if (strstr(c->assumptions[i], "tactic")) continue; /* `how` says it */
      bool said = (p->lemmas && strstr(p->lemmas, c->assumptions[i])) ||
                  (r->conditions && strstr(r->conditions, c->assumptions[i]));
      if (!said)
        r->conditions =
            r->conditions ? arena_printf(a, "%s, %s", r->conditions, c->assumptions[i]) : copy(a, c->assumptions[i]);
    }
    if (!r->how) r->how = copy(a, p->lemmas ? p->lemmas : p->tactic);
  } else if (c->verdict == VERDICT_REFUTED) {
    s = LEMMA_FALSE;
    r->shape = shape_text(g, a);
    const ExactWitness *w = &out->exact->witness;
    r->left = copy(a, w->seq);
    r->right = copy(a, w->dist);
    r->at = place_text(w, a);
    r->inputs = copy(a, w->inputs);
  } else {
    s = out->exact && (out->exact->status == EXACT_AGREE || out->exact->status == EXACT_NEAR) ? LEMMA_TESTED
                                                                                              : LEMMA_OPEN;
    if (!r->shape) {
      r->shape = shape_text(g, a);
      const ProofOutput *o = &c->proof->outputs[0];
      if (o->comparable) {
        r->want = value_print(c->proof->calc, o->want, 6, 20000, a, NULL, NULL);
        r->have = value_print(c->proof->calc, o->got, 6, 20000, a, NULL, NULL);
      }
    }
  }
  if (s > r->status) r->status = s;
  return s != LEMMA_FALSE;
}

LemmaReport lemma_check(const AstItem *item, Library *library, const CheckOptions *options, Arena *a, Diags *diags) {
  struct timespec t0, t1;
  clock_gettime(CLOCK_MONOTONIC, &t0);
  LemmaReport r = {.name = item->name, .status = LEMMA_NORMAL};
  bool more = true;
  for (size_t i = 0; i < sizeof trials / sizeof *trials && more; i++) {
    Shapes s = {.lemma = &item->lemma, .trial = &trials[i]};
    Lemma l = lemma_of(item, arena_printf(a, ".%zu", i), tuple_size, &s, library_arena(library));
    library_add(library, l.sides);
    Graph *left = graph_of(&s, &l, false), *right = graph_of(&s, &l, true);
    Pair pair = {0};
    Relation *rel = left && right ? identity(left, a) : NULL;
    if (rel && pair_make(&pair, library, left, right, rel, diags)) {
      Rewrites earlier = before(pair.problem.rewrites, item->name);
      pair.problem.rewrites = &earlier;
      CheckReport *c = check_run(&pair.problem, options);
      r.shapes++;
      more = take(&r, c, left, a);
      check_report_free(c);
    } else {
      r.status = LEMMA_WRONG;
      more = false;
    }
    pair_free(&pair);
    graph_free(left);
    graph_free(right);
  }
  if (r.status == LEMMA_TESTED && library_is_axiom(library, item)) r.status = LEMMA_AXIOM;
  clock_gettime(CLOCK_MONOTONIC, &t1);
  r.seconds = (double)(t1.tv_sec - t0.tv_sec) + 1e-9 * (double)(t1.tv_nsec - t0.tv_nsec);
  return r;
}
