/* The verdict against evaluation: random small programs in index notation, cut over a mesh at random and rewritten,
 * most of them rightly.  A pair that the engine verifies and exact evaluation refutes is a failure of tvr; so is one it
 * calls refuted where the values agree.  Pairs that agree and stay unproved are counted.
 *
 * A sequential step is an operator of the table below; its distributed counterpart is the same operator on blocks,
 * after whatever exchange the layouts of its operands need.  One step in eight leaves the exchange out, makes the wrong
 * one, or claims a layout that does not hold.
 *
 *   test_campaign [SECONDS [SEED]]      default: 400 pairs, seed 1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "eval/prove/pair.h"
#include "eval/verdict/check.h"
#include "lang/lang.h"

static const char definitions[] =
    "op t_exp(x[i, j]) -> [i, j] = exp(x[i, j])\n"
    "op t_relu(x[i, j]) -> [i, j] = maximum(x[i, j], 0)\n"
    "op t_square(x[i, j]) -> [i, j] = x[i, j] ^ 2\n"
    "op t_double(x[i, j]) -> [i, j] = 2 * x[i, j]\n"
    "op t_flip(x[i, j]) -> [j, i] = x[i, j]\n"
    "op t_soft(x[i, j]) -> [i, j] = exp(x[i, j]) / sum(k) exp(x[i, k])\n"
    "op t_centre(x[i, j]) -> [i, j] = x[i, j] - (sum(k) x[i, k]) / size(j)\n"
    "op t_prefix(x[i, j]) -> [i, j] = sum(k) if k <= j then x[i, k] else 0\n"
    "op t_causal(x[i, j]) -> [i, j] = if j <= i then x[i, j] else 0\n"
    "op t_shift(x[i, j]) -> [i, j] = if inside(x[i - 1, j]) then x[i - 1, j] else 0\n"
    "op t_back(x[i, j]) -> [i, j] = x[size(i) - 1 - i, j]\n"
    "op t_place(x[i, j]) -> [i, j] = (i + 1) * x[i, j]\n"
    "op t_top(x[i, j]) -> [i, j] = x[i, j] - max(k) x[i, k]\n"
    "op t_add(x[i, j], y[i, j]) -> [i, j] = x[i, j] + y[i, j]\n"
    "op t_sub(x[i, j], y[i, j]) -> [i, j] = x[i, j] - y[i, j]\n"
    "op t_mul(x[i, j], y[i, j]) -> [i, j] = x[i, j] * y[i, j]\n"
    "op t_max(x[i, j], y[i, j]) -> [i, j] = maximum(x[i, j], y[i, j])\n"
    "op t_dot(x[i, k], y[k, j]) -> [i, j] = sum(k) x[i, k] * y[k, j]\n"
    "op t_double_r(x[i, j]) -> [i, j] = x[i, j] + x[i, j]\n"
    "op t_double_w(x[i, j]) -> [i, j] = x[i, j] + (if i == j then x[i, j] else x[i, j] * 3 / 2)\n"
    "op t_soft_r(x[i, j]) -> [i, j] = exp(x[i, j] - max(k) x[i, k]) / sum(k) exp(x[i, k] - max(m) x[i, m])\n"
    "op t_soft_w(x[i, j]) -> [i, j] = exp(x[i, j] - max(k) x[i, k]) / sum(k) exp(x[i, k])\n"
    "op t_centre_r(x[i, j]) -> [i, j] = sum(k) (x[i, j] - x[i, k]) / size(j)\n"
    "op t_centre_w(x[i, j]) -> [i, j] = sum(k) if k == j then 0 else (x[i, k] - x[i, j]) / size(j)\n"
    "op t_prefix_r(x[i, j]) -> [i, j] = sum(k) if k < j + 1 then x[i, k] else 0\n"
    "op t_prefix_w(x[i, j]) -> [i, j] = sum(k) if k < j then x[i, k] else 0\n"
    "op t_causal_r(x[i, j]) -> [i, j] = x[i, j] * (if i - j >= 0 then 1 else 0)\n"
    "op t_causal_w(x[i, j]) -> [i, j] = x[i, j] * (if i - j > 0 then 1 else 0)\n"
    "op t_back_r(x[i, j]) -> [i, j] = sum(k: size(i)) if k + i == size(i) - 1 then x[k, j] else 0\n"
    "op t_back_w(x[i, j]) -> [i, j] = sum(k: size(i)) if k + i == size(i) then x[k, j] else 0\n"
    "op t_shift_r(x[i, j]) -> [i, j] = sum(k: size(i)) if k == i - 1 then x[k, j] else 0\n"
    "op t_shift_w(x[i, j]) -> [i, j] = sum(k: size(i)) if k == i + 1 then x[k, j] else 0\n"
    "op t_relu_r(x[i, j]) -> [i, j] = if x[i, j] > 0 then x[i, j] else 0\n"
    "op t_relu_w(x[i, j]) -> [i, j] = if x[i, j] < 1 then x[i, j] else 1\n"
    "op t_max_r(x[i, j], y[i, j]) -> [i, j] = -minimum(-y[i, j], -x[i, j])\n"
    "op t_max_w(x[i, j], y[i, j]) -> [i, j] = -maximum(-y[i, j], -x[i, j])\n"
    "op t_sub_r(x[i, j], y[i, j]) -> [i, j] = -(y[i, j] - x[i, j])\n"
    "op t_sub_w(x[i, j], y[i, j]) -> [i, j] = y[i, j] - x[i, j]\n"
    "op t_dot_r(x[i, k], y[k, j]) -> [i, j] = sum(k) x[i, size(k) - 1 - k] * y[size(k) - 1 - k, j]\n"
    "op t_dot_w(x[i, k], y[k, j]) -> [i, j] = sum(k) x[i, size(k) - 1 - k] * y[k, j]\n"
    "op t_exp_r(x[i, j]) -> [i, j] = exp(x[i, j] / 2) * exp(x[i, j] / 2)\n"
    "op t_exp_w(x[i, j]) -> [i, j] = exp(x[i, j] / 2) + exp(x[i, j] / 2)\n"
    "op t_square_r(x[i, j]) -> [i, j] = abs(x[i, j]) * abs(x[i, j])\n"
    "op t_square_w(x[i, j]) -> [i, j] = x[i, j] * abs(x[i, j])\n"
    "op t_reduce(x[i, j]) over g -> [i, j] = sum(h: g) x[h; i, j]\n"
    "op t_share(x[i, j], _y[h]) -> [i, j] = x[i, j] / size(h)\n"
    "op t_gather_0(x[i, j]) over g -> [(h, i), j] = x[h; i, j]\n"
    "op t_gather_1(x[i, j]) over g -> [i, (h, j)] = x[h; i, j]\n"
    "op t_own_0(x[(q, i), j]) over g -> [i, j] = x[(g, i), j]\n"
    "op t_own_1(x[i, (q, j)]) over g -> [i, j] = x[i, (g, j)]\n"
    "op t_scatter_0(x[(q, i), j]) over g -> [i, j] = sum(h: g) x[h; (g, i), j]\n"
    "op t_scatter_1(x[i, (q, j)]) over g -> [i, j] = sum(h: g) x[h; i, (g, j)]\n"
    "op t_swap_0(x[i, (q, j)]) over g -> [(h, i), j] = x[h; i, (g, j)]\n"
    "op t_swap_1(x[(q, i), j]) over g -> [i, (h, j)] = x[h; (g, i), j]\n";

/* Where the numbers of a distributed value are. */
typedef enum Place { CUT_0, CUT_1, WHOLE, PARTIAL, N_PLACES } Place;

enum {
  KEEPS_PARTIAL = 1, /* linear: addends go in, addends come out */
  KEEPS_0 = 2,       /* rows are treated alike, by themselves */
  KEEPS_1 = 4,       /* columns are */
  FLIPS = 8,         /* dimensions change places */
};

typedef struct Step {
  const char *op;
  uint32_t n_args;
  int keeps;
} Step;

static const Step steps[] = {
    {"t_exp", 1, KEEPS_0 | KEEPS_1},
    {"t_relu", 1, KEEPS_0 | KEEPS_1},
    {"t_square", 1, KEEPS_0 | KEEPS_1},
    {"t_double", 1, KEEPS_0 | KEEPS_1 | KEEPS_PARTIAL},
    {"t_flip", 1, KEEPS_0 | KEEPS_1 | KEEPS_PARTIAL | FLIPS},
    {"t_soft", 1, KEEPS_0},
    {"t_centre", 1, KEEPS_0 | KEEPS_PARTIAL},
    {"t_prefix", 1, KEEPS_0 | KEEPS_PARTIAL},
    {"t_causal", 1, KEEPS_PARTIAL},
    {"t_shift", 1, KEEPS_1 | KEEPS_PARTIAL},
    {"t_back", 1, KEEPS_1 | KEEPS_PARTIAL},
    {"t_place", 1, KEEPS_1 | KEEPS_PARTIAL},
    {"t_top", 1, KEEPS_0},
    {"t_add", 2, KEEPS_0 | KEEPS_1 | KEEPS_PARTIAL},
    {"t_sub", 2, KEEPS_0 | KEEPS_1 | KEEPS_PARTIAL},
    {"t_mul", 2, KEEPS_0 | KEEPS_1},
    {"t_max", 2, KEEPS_0 | KEEPS_1},
};
enum { N_STEPS = sizeof steps / sizeof *steps, INPUTS = 3, MOST = 12, WRONG_PERCENT = 12, REWRITTEN_PERCENT = 33 };

/* A value of both graphs. */
typedef struct Both {
  NodeId seq, dist;
  Place place;
} Both;

typedef struct Maker {
  uint64_t random;
  Graph *seq, *dist;
  int64_t p; /* devices */
  int64_t *groups;
  Both at[MOST];
  uint32_t n;
  NodeId ranks; /* a parameter that lends the number of devices as a size */
} Maker;

static int64_t below(Maker *m, int64_t n) {
  m->random = m->random * 6364136223846793005u + 1442695040888963407u;
  return (int64_t)(m->random >> 33) % n;
}

static bool chance(Maker *m, int percent) { return below(m, 100) < percent; }

static NodeId add(Maker *m, Graph *g, const char *op, int64_t rows, int64_t columns, const NodeId *args, uint32_t n,
                  bool collective) {
  int64_t dims[2] = {rows, columns};
  Attr groups = {.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = m->p, .n = (uint32_t)m->p, .ints = m->groups};
  return graph_add(g, &(Node){.op = sym(op),
                              .name = sym(op),
                              .dtype = DT_F32,
                              .rank = 2,
                              .dims = dims,
                              .n_args = n,
                              .args = args,
                              .n_attrs = collective,
                              .attrs = &groups});
}

static const int64_t *dims_of(const Graph *g, NodeId id) { return g->nodes.at[id].dims; }

/* The distributed value x moved from one place to another, or wrongly so. */
static NodeId move(Maker *m, NodeId x, Place from, Place to) {
  static const char *const ops[N_PLACES][N_PLACES] = {
      [CUT_0] = {[CUT_1] = "t_swap_0", [WHOLE] = "t_gather_0", [PARTIAL] = "t_gather_0"},
      [CUT_1] = {[CUT_0] = "t_swap_1", [WHOLE] = "t_gather_1", [PARTIAL] = "t_gather_1"},
      [WHOLE] = {[CUT_0] = "t_own_0", [CUT_1] = "t_own_1", [PARTIAL] = "t_share"},
      [PARTIAL] = {[CUT_0] = "t_scatter_0", [CUT_1] = "t_scatter_1", [WHOLE] = "t_reduce"},
  };
  if (from == to) return x;
  const int64_t *d = dims_of(m->dist, x);
  int64_t rows = d[0], columns = d[1];
  if (from == CUT_0) rows *= m->p;
  if (from == CUT_1) columns *= m->p;
  if (to == CUT_0) rows /= m->p;
  if (to == CUT_1) columns /= m->p;
  bool share = from == WHOLE && to == PARTIAL;
  if (share && chance(m, WRONG_PERCENT)) return x; /* the addends sum to p times the value */
  NodeId args[2] = {x, m->ranks};
  NodeId y = add(m, m->dist, ops[from][to], rows, columns, args, share ? 2 : 1, !share);
  bool gathered = to == PARTIAL && from < WHOLE;
  return gathered ? move(m, y, WHOLE, PARTIAL) : y;
}

/* The operator, or another way to write it. */
static const char *rewritten(Maker *m, const char *op, char *buf, size_t size) {
  bool wrong = chance(m, 4), other = wrong || chance(m, REWRITTEN_PERCENT);
  snprintf(buf, size, "%s%s", op, wrong ? "_w" : "_r");
  return other && strstr(definitions, buf) ? buf : op;
}

static bool keeps(int what, Place p) {
  return p == WHOLE || (what & (p == CUT_0 ? KEEPS_0 : p == CUT_1 ? KEEPS_1 : KEEPS_PARTIAL));
}

static Place some_place(Maker *m) { return (Place)below(m, N_PLACES); }

/* A place that the step keeps; rarely any. */
static Place place_for(Maker *m, int what) {
  Place p = some_place(m);
  if (chance(m, WRONG_PERCENT)) return p;
  while (!keeps(what, p)) p = some_place(m);
  return p;
}

static void unary_or_binary(Maker *m, const Step *s) {
  Both a = m->at[below(m, m->n)], b = a;
  const int64_t *d = dims_of(m->seq, a.seq);
  for (int tries = 0; s->n_args == 2 && tries < 20; tries++) {
    Both c = m->at[below(m, m->n)];
    const int64_t *e = dims_of(m->seq, c.seq);
    if (d[0] == e[0] && d[1] == e[1]) b = c;
  }
  Place p = place_for(m, s->keeps);
  NodeId sa[2] = {a.seq, b.seq}, da[2] = {move(m, a.dist, a.place, p), 0};
  da[1] = s->n_args == 2 ? move(m, b.dist, b.place, p) : da[0];
  bool flips = s->keeps & FLIPS;
  d = dims_of(m->seq, a.seq);
  NodeId seq = add(m, m->seq, s->op, flips ? d[1] : d[0], flips ? d[0] : d[1], sa, s->n_args, false);
  d = dims_of(m->dist, da[0]);
  char buf[32];
  NodeId dist = add(m, m->dist, rewritten(m, s->op, buf, sizeof buf), flips ? d[1] : d[0], flips ? d[0] : d[1], da,
                    s->n_args, false);
  if (flips && p < WHOLE) p = p == CUT_0 ? CUT_1 : CUT_0;
  m->at[m->n++] = (Both){seq, dist, p};
}

/* x y: rows of x, columns of y, or both along the sum. */
static void product(Maker *m) {
  static const Place ways[][3] = {{WHOLE, WHOLE, WHOLE},   {CUT_0, WHOLE, CUT_0},     {WHOLE, CUT_1, CUT_1},
                                  {CUT_1, CUT_0, PARTIAL}, {PARTIAL, WHOLE, PARTIAL}, {WHOLE, PARTIAL, PARTIAL}};
  Both a = m->at[below(m, m->n)], b = {0};
  bool found = false;
  for (int tries = 0; !found && tries < 20; tries++) {
    b = m->at[below(m, m->n)];
    found = dims_of(m->seq, a.seq)[1] == dims_of(m->seq, b.seq)[0];
  }
  if (!found) return;
  const Place *w = ways[below(m, 6)];
  NodeId sa[2] = {a.seq, b.seq}, da[2] = {move(m, a.dist, a.place, w[0]), 0};
  da[1] = move(m, b.dist, b.place, w[1]);
  NodeId seq = add(m, m->seq, "t_dot", dims_of(m->seq, a.seq)[0], dims_of(m->seq, b.seq)[1], sa, 2, false);
  char buf[32];
  NodeId dist = add(m, m->dist, rewritten(m, "t_dot", buf, sizeof buf), dims_of(m->dist, da[0])[0],
                    dims_of(m->dist, da[1])[1], da, 2, false);
  Place p = w[2];
  if (p == PARTIAL && chance(m, WRONG_PERCENT)) p = WHOLE; /* the all-reduce forgotten */
  m->at[m->n++] = (Both){seq, dist, p};
}

static NodeId input(Maker *m, Graph *g, int64_t number, uint8_t rank, const int64_t *dims) {
  char name[16];
  snprintf(name, sizeof name, "x%lld", (long long)number);
  NodeId id = graph_add(
      g,
      &(Node){.op = sym("parameter"), .name = sym(name), .dtype = DT_F32, .rank = rank, .dims = dims, .param = number});
  vec_push(&g->params, id);
  (void)m;
  return id;
}

static Layout layout_of(Place p, uint8_t rank, Arena *a) {
  Layout l = {.rank = rank, .dims = arena_alloc(a, rank * sizeof(struct LayoutDim))};
  uint32_t *axis = ARENA_ARRAY(a, uint32_t, 1);
  if (p == PARTIAL) l.n_partial = 1, l.partial = axis;
  if (p < WHOLE) l.dims[p].n = 1, l.dims[p].axes = axis;
  return l;
}

static void relate(Related *r, const char *name, int64_t number, Layout l) {
  *r = (Related){.name = sym(name), .seq = number, .dist = number, .layout = l, .scale = 1};
}

static void make_inputs(Maker *m, Relation *r, Arena *a) {
  int64_t ranks[1] = {m->p}, sizes[] = {m->p, 2 * m->p, m->p, 6};
  r->n_inputs = INPUTS + 1;
  r->inputs = ARENA_ARRAY(a, Related, r->n_inputs);
  int64_t rows = sizes[below(m, 4)], columns = sizes[below(m, 4)];
  for (uint32_t k = 0; k < INPUTS; k++) {
    int64_t dims[2] = {rows, columns}, local[2] = {rows, columns};
    if (k == INPUTS - 1) dims[0] = local[0] = columns, dims[1] = local[1] = rows;
    Place p = some_place(m);
    if (p < WHOLE) local[p] /= m->p;
    m->at[m->n++] = (Both){input(m, m->seq, k, 2, dims), input(m, m->dist, k, 2, local), p};
    relate(&r->inputs[k], "x", k, layout_of(p, 2, a));
  }
  m->ranks = input(m, m->dist, INPUTS, 1, ranks);
  input(m, m->seq, INPUTS, 1, ranks);
  relate(&r->inputs[INPUTS], "ranks", INPUTS, layout_of(WHOLE, 1, a));
}

static void make(Maker *m, Relation *r, Arena *a) {
  m->p = 2 + below(m, 2);
  m->seq = graph_new();
  m->dist = graph_new();
  m->seq->path = m->dist->path = sym("campaign");
  m->seq->n_devices = 1;
  m->dist->n_devices = m->p;
  r->mesh = (Mesh){.n_axes = 1, .axes = ARENA_ARRAY(a, Axis, 1), .n_devices = m->p};
  r->mesh.axes[0] = (Axis){sym("p"), m->p};
  r->mesh.device_order = m->groups = ARENA_ARRAY(a, int64_t, m->p);
  for (int64_t i = 0; i < m->p; i++) m->groups[i] = i;
  make_inputs(m, r, a);
  for (int64_t k = 2 + below(m, 5); k > 0 && m->n < MOST; k--)
    if (chance(m, 25)) product(m);
    else unary_or_binary(m, &steps[below(m, N_STEPS)]);
  Both last = m->at[m->n - 1];
  vec_push(&m->seq->outputs, (GraphOutput){last.seq, sym("y")});
  vec_push(&m->dist->outputs, (GraphOutput){last.dist, sym("y")});
  r->n_outputs = 1;
  r->outputs = ARENA_ARRAY(a, Related, 1);
  relate(&r->outputs[0], "y", 0, layout_of(last.place, 2, a));
}

/* ---- verdicts ---- */

typedef struct Tally {
  long pairs, verified, refuted, unproved, agree, differ, unknown, wrong;
} Tally;

/* Values that lemmas break on, besides random ones: all alike, few and with ties. */
static double special(Maker *m, int way) {
  return way == 0 ? 0 : way == 1 ? 1 : way == 2 ? -1 : (double)(below(m, 5) - 2) / (way == 3 ? 1 : 2);
}

/* EXACT_DIFFER at any of a number of points, else the status at a random one. */
static ExactStatus truth(Maker *m, const Problem *p, Arena *a) {
  ExactProblem e = {.relation = p->relation, .options = exact_defaults()};
  e.seq = (ExactSide){p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]};
  e.dist = (ExactSide){p->graph[SIDE_DIST], p->instance[SIDE_DIST]};
  ExactStatus status = EXACT_AGREE;
  for (int way = -1; way < 8 && status != EXACT_DIFFER; way++) {
    const double **given = ARENA_ARRAY(a, const double *, INPUTS + 2);
    for (uint32_t k = 0; way >= 0 && k <= INPUTS; k++) {
      int64_t n = node_elements(&m->seq->nodes.at[m->seq->params.at[k]]);
      double *at = ARENA_ARRAY(a, double, n + 1);
      for (int64_t i = 0; i < n; i++) at[i] = special(m, way);
      given[k] = at;
    }
    e.given = way < 0 ? NULL : given;
    e.options.points = way < 0 ? 3 : 1;
    ExactReport *r = exact_compare(&e);
    if (way < 0 || r->outputs[0].status == EXACT_DIFFER) status = (ExactStatus)r->outputs[0].status;
    exact_report_free(r);
  }
  return status;
}

static void print_graph(const char *title, const Graph *g) {
  printf("  %s\n", title);
  for (NodeId i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    printf("    %u %s", i, sym_text(n->op));
    for (uint32_t k = 0; k < n->n_args; k++) printf(" %u", n->args[k]);
    printf(" [%lld, %lld]\n", (long long)n->dims[0], (long long)(n->rank > 1 ? n->dims[1] : 1));
  }
}

static void judge(Maker *m, const Relation *r, Library *library, Diags *diags, uint64_t seed, Arena *a, Tally *t) {
  Pair pair = {0};
  if (!pair_make(&pair, library, m->seq, m->dist, r, diags)) {
    diags_print(diags, stdout, false);
    t->wrong++;
    pair_free(&pair);
    return;
  }
  CheckOptions o = check_defaults();
  o.evaluate = false;
  o.prove.seconds = 0.2;
  o.prove.attempt_seconds = 2;
  CheckReport *c = check_run(&pair.problem, &o);
  ExactStatus s = truth(m, &pair.problem, a);
  t->pairs++;
  t->verified += c->verdict == VERDICT_VERIFIED;
  t->unproved += c->verdict == VERDICT_UNPROVED && s == EXACT_AGREE;
  t->agree += s == EXACT_AGREE;
  t->differ += s == EXACT_DIFFER;
  t->unknown += s == EXACT_UNKNOWN || s == EXACT_NEAR;
  if (c->verdict == VERDICT_VERIFIED && s == EXACT_DIFFER) {
    t->wrong++;
    printf("seed %llu: verified, and the values differ\n", (unsigned long long)seed);
    print_graph("sequential", m->seq);
    print_graph("distributed", m->dist);
    for (uint32_t k = 0; k < r->n_inputs; k++) printf("  x%u %s\n", k, layout_print(&r->inputs[k].layout, &r->mesh, a));
    printf("  y %s, %u partial\n", layout_print(&r->outputs[0].layout, &r->mesh, a), r->outputs[0].layout.n_partial);
    fflush(stdout);
  }
  check_report_free(c);
  pair_free(&pair);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  double limit = argc > 1 ? atof(argv[1]) : 1e9;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, most = argc > 1 ? UINT64_MAX : seed + 400;
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  Arena lasting = {0};
  uint32_t id = sources_add(sources, "campaign.tvr", definitions, strlen(definitions));
  library_add(library, lang_parse(&lasting, diags, id));
  Tally t = {0};
  for (; seed < most && seconds() < limit && t.wrong < 5; seed++) {
    Maker m = {.random = seed * 0x9e3779b97f4a7c15u + 77};
    Arena a = {0};
    Relation r = {0};
    make(&m, &r, &a);
    judge(&m, &r, library, diags, seed, &a, &t);
    graph_free(m.seq);
    graph_free(m.dist);
    arena_free(&a);
  }
  printf(
      "%ld pairs: %ld verified, %ld agree and stay open; by evaluation %ld agree, %ld differ, %ld undecided; %ld "
      "wrong\n",
      t.pairs, t.verified, t.unproved, t.agree, t.differ, t.unknown, t.wrong);
  library_free(library);
  diags_free(diags);
  sources_free(sources);
  arena_free(&lasting);
  return t.wrong > 0 || !t.verified || !t.differ;
}
