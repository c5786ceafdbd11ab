/* The builder against evaluation: every node of the graph pairs of examples/ and tests/graphs, as a value of the
 * calculus and as exact_run computes it, at random devices and elements; with flat dimensions too, and with
 * cases and devices written out.
 *
 * What lies outside a leaf is the filler: an element whose value changes with it says nothing and is passed over, and so
 * is every node below an operator that was built as an unknown function.
 *
 *   test_build_diff [SECONDS [SEED [quick | FOLDER]]]      quick: as without arguments, but ends at the first fault */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "eval/calculus/evaluate.h"
#include "eval/exact/block.h"
#include "eval/exact/exact.h"
#include "lang/library.h"
#include "eval/prove/pair.h"
#include "eval/terms/build.h"
#include "frontends/base/relation.h"
#include "frontends/hlo/hlo.h"

enum { ELEMENTS = 4, ROUNDS = 3 };

static int failures, pairs;
static long compared, nodes_seen, skipped, unknown;
static uint64_t random_state;
static double give_up;
static bool quick;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t next_random(void) {
  random_state += 0x9e3779b97f4a7c15u;
  uint64_t z = random_state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* ------------------------------------------------------------------ leaves */
typedef struct Leaf { /* what a leaf of the calculus is in the graphs */
  Sym name;
  Side side;
  NodeId id;
  bool mesh;              /* its last indices are the mesh digits */
  uint32_t n;             /* digits of its dimensions */
  int64_t size[64];
} Leaf;

typedef struct World {
  const Problem *problem;
  const Digits *digits;
  const ExactRun *run;
  uint64_t filler;
  Vec(Leaf) leaves;
} World;

static const Node *node_of(const World *w, Side side, NodeId id) { return &w->problem->graph[side]->nodes.at[id]; }

static int64_t device_at(const World *w, const int64_t *digit) {
  const MeshDigits *md = digits_mesh(w->digits);
  for (int64_t d = 0; d < w->problem->relation->mesh.n_devices; d++) {
    bool same = true;
    for (uint32_t i = 0; i < meshdigits_count(md) && same; i++) same = meshdigits_value(md, i, d) == digit[i];
    if (same) return d;
  }
  return -1;
}

static const Leaf *leaf_of(World *w, Sym name) {
  for (size_t i = 0; i < w->leaves.len; i++)
    if (w->leaves.at[i].name == name) return &w->leaves.at[i];
  const Relation *r = w->problem->relation;
  long long k = -1;
  Leaf l = {.name = name, .side = SIDE_SEQ, .id = NO_NODE};
  if (sscanf(sym_text(name), "partial input %lld", &k) == 1 || sscanf(sym_text(name), "dist parameter %lld", &k) == 1) {
    l.side = SIDE_DIST;
    l.mesh = true;
  } else if (sscanf(sym_text(name), "seq parameter %lld", &k) != 1 && sscanf(sym_text(name), "parameter %lld", &k) != 1) {
    for (uint32_t i = 0; i < r->n_inputs && k < 0; i++)
      if (r->inputs[i].name == name) k = r->inputs[i].seq;
  }
  const Graph *g = w->problem->graph[l.side];
  if (k >= 0 && (size_t)k < g->params.len) l.id = g->params.at[k];
  for (uint32_t d = 0; l.id != NO_NODE && d < node_of(w, l.side, l.id)->rank; d++) {
    DigitList digits = digits_dim(w->digits, l.side, l.id, d);
    bool whole = l.side == SIDE_SEQ && digits_crossed(w->digits, l.id, d);
    if (whole) l.size[l.n++] = node_of(w, l.side, l.id)->dims[d];
    for (uint32_t j = 0; j < digits.n && l.n < 64 && !whole; j++) l.size[l.n++] = digits.size[j];
  }
  vec_push(&w->leaves, l);
  return &vec_last(&w->leaves);
}

static double leaf_at(void *context, Sym name, const int64_t *at, uint32_t n) {
  World *w = context;
  const Leaf *l = leaf_of(w, name);
  if (l->id == NO_NODE) return NAN;
  uint64_t element = 0, h = w->filler;
  bool inside = true;
  for (uint32_t i = 0; i < l->n; i++) {
    inside = inside && at[i] >= 0 && at[i] < l->size[i];
    element = element * (uint64_t)l->size[i] + (uint64_t)at[i];
  }
  int64_t device = l->mesh ? device_at(w, at + l->n) : 0;
  if (inside && device >= 0) {
    const double *v = exact_value(w->run, l->side == SIDE_DIST, l->id, device);
    return v ? v[element] : NAN;
  }
  for (uint32_t i = 0; i < n; i++) h = (h ^ (uint64_t)at[i]) * 0x9e3779b97f4a7c15u + 77;
  return dtype_is_float(node_of(w, l->side, l->id)->dtype) ? 3 * evaluate_weight(h) : floor(30 * evaluate_weight(h));
}

/* ------------------------------------------------------------------ comparing */
typedef struct Case {
  World *world;
  Build *build;
  Evaluation *e[2]; /* with two fillers */
  const char *folder;
  const char *how;
} Case;

/* Names of an element on a device. */
static uint32_t indices(Case *c, Side side, NodeId id, int64_t device, uint64_t element, NamedIndex *out) {
  uint32_t n = 0;
  const Node *node = node_of(c->world, side, id);
  int64_t index[64];
  block_index(node, element, index);
  for (uint32_t d = 0; d < node->rank; d++) {
    DigitList l = digits_dim(c->world->digits, side, id, d);
    int64_t rest = index[d];
    for (uint32_t j = l.n; j-- > 0; rest /= l.size[j])
      out[n++] = (NamedIndex){build_dim_name(c->build, side, id, d, j), rest % l.size[j]};
  }
  const MeshDigits *md = digits_mesh(c->world->digits);
  for (uint32_t i = 0; i < c->build->n_mesh && side == SIDE_DIST; i++)
    out[n++] = (NamedIndex){c->build->mesh_names[i], meshdigits_value(md, i, device)};
  return n;
}

#define NOISE 1e-15 /* gradients that are zero are rounding errors, all of them */

/* false: not the same number. */
static bool compare_at(Case *c, Value v, const NamedIndex *at, uint32_t n, double should, double size, double *is) {
  *is = evaluate_value(c->e[0], v, at, n);
  double other = evaluate_value(c->e[1], v, at, n);
  if (isnan(*is) || isnan(other) || *is != other) return unknown++, true;
  compared++;
  return *is == should || fabs(*is - should) <= 1e-7 * (fabs(should) + size) + NOISE;
}

static double largest(const double *v, uint64_t n) {
  double most = 0;
  for (uint64_t i = 0; i < n; i++)
    if (fabs(v[i]) > most && !isinf(v[i])) most = fabs(v[i]);
  return most;
}

static void compare_node(Case *c, Side side, NodeId id) {
  const Node *node = node_of(c->world, side, id);
  int64_t n_devices = side == SIDE_DIST ? c->world->problem->relation->mesh.n_devices : 1;
  uint64_t n = (uint64_t)node_elements(node);
  if (!n || node->rank > 60) return;
  nodes_seen++;
  for (int k = 0; k < ELEMENTS; k++) {
    int64_t device = (int64_t)(next_random() % (uint64_t)n_devices);
    uint64_t element = next_random() % n;
    const double *all = exact_value(c->world->run, side == SIDE_DIST, id, device);
    if (!all || isnan(all[element])) {
      unknown++;
      continue;
    }
    NamedIndex at[256];
    double is;
    uint32_t m = indices(c, side, id, device, element, at);
    if (compare_at(c, c->build->value[side][id], at, m, all[element], largest(all, n), &is)) continue;
    if (failures++ > 20) return;
    if (quick) give_up = 0;
    Arena a = {0};
    printf("%s%s: %s node %u (%s), device %lld, element %llu: is %.9g, should be %.9g\n  %.600s\n", c->folder,
           c->how, side == SIDE_DIST ? "dist" : "seq", id, sym_text(node->op), (long long)device,
           (unsigned long long)element, is, all[element],
           value_print(c->build->calc, c->build->value[side][id], 6, false, 20000, &a, NULL, NULL));
    arena_free(&a);
    return;
  }
}

/* Nodes whose value rests on an unknown function. */
static bool *opaque_below(const Build *b, Side side) {
  const Graph *g = b->problem->graph[side];
  bool *is = xcalloc(g->nodes.len + 1, sizeof *is);
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    is[id] = b->why_opaque[side][id] != NULL;
    for (uint32_t k = 0; k < n->n_args && !is[id]; k++) is[id] = is[n->args[k]];
  }
  return is;
}

/* What the relation asks of an output, against the sequential values. */
static void compare_output(Case *c, uint32_t k, const bool *is_opaque) {
  const Related *r = &c->world->problem->relation->outputs[k];
  NodeId s = c->world->problem->graph[SIDE_SEQ]->outputs.at[r->seq].node,
         d = c->world->problem->graph[SIDE_DIST]->outputs.at[r->dist].node;
  Value want, got;
  if (is_opaque[s] || !build_output(c->build, k, &want, &got)) return;
  const Mesh *m = &c->world->problem->relation->mesh;
  const Node *whole = node_of(c->world, SIDE_SEQ, s), *block = node_of(c->world, SIDE_DIST, d);
  const double *all = exact_value(c->world->run, false, s, 0);
  uint64_t n = (uint64_t)node_elements(block), *positions = xcalloc(n + 1, sizeof *positions);
  for (int i = 0; i < ELEMENTS && all && n; i++) {
    int64_t device = (int64_t)(next_random() % (uint64_t)m->n_devices), at[64];
    uint64_t element = next_random() % n;
    block_coordinate(m, device, at);
    block_positions(&r->layout, m, at, whole, block, positions);
    if (positions[element] == BLOCK_PADDING || isnan(all[positions[element]])) continue;
    NamedIndex names[256];
    double is, should = all[positions[element]];
    uint32_t q = indices(c, SIDE_DIST, d, device, element, names);
    if (compare_at(c, want, names, q, should, largest(all, (uint64_t)node_elements(whole)), &is)) continue;
    failures++;
    printf("%s: output %s on device %lld: wanted %.9g, should be %.9g\n", c->folder, sym_text(r->name), (long long)device,
           is, should);
  }
  free(positions);
}

static void compare_all(Case *c) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    bool *is_opaque = opaque_below(c->build, (Side)side);
    size_t n = c->world->problem->graph[side]->nodes.len;
    for (NodeId id = 0; id < n && seconds() < give_up; id++) {
      if (is_opaque[id])
        skipped++;
      else
        compare_node(c, (Side)side, id);
    }
    for (uint32_t k = 0; k < c->world->problem->relation->n_outputs && side == SIDE_SEQ; k++)
      compare_output(c, k, is_opaque);
    free(is_opaque);
  }
}

/* Both graphs built with these dimensions flat; asks for more are appended.  False: none, or built only in part. */
typedef Vec(DimAt) DimList;

static bool round_of(const Problem *problem, const ExactRun *run, const char *folder, DimList *flat, bool cases) {
  Problem p = *problem;
  p.flat = flat->at;
  p.n_flat = flat->len;
  Digits *digits = digits_infer(&p, DIGITS_JOINED);
  Calculus *calc = calculus_new();
  bool reads_forms = flat->len > 0 || digits_any_crossed(digits);
  calculus_set(calc, &(CalculusOptions){.flat = reads_forms, .cases = cases, .max_seconds = 5});
  Build b = {.problem = &p, .digits = digits, .calc = calc, .options = {.literals = LITERALS_EXACT, .forms = cases}};
  bool written[64], complete;
  Sort sorts[64];
  uint32_t n_mesh = meshdigits_count(digits_mesh(digits));
  for (uint32_t i = 0; i < n_mesh && cases; i++) written[i] = true, sorts[i] = digits_mesh_sort(digits, i) + 1;
  if (cases) calculus_split(calc, sorts, n_mesh), b.written = written;
  build_run(&b, &complete);
  World w[2] = {{.problem = &p, .digits = digits, .run = run, .filler = 1},
                {.problem = &p, .digits = digits, .run = run, .filler = 2}};
  Case c = {w, &b, {evaluate_new(calc, leaf_at, &w[0], 200000000), evaluate_new(calc, leaf_at, &w[1], 200000000)}, folder,
            cases ? ", cases" : flat->len ? ", flat" : ""};
  for (int i = 0; i < 2; i++) evaluate_underflow(c.e[i]);
  if (complete && !calculus_broken(calc)) compare_all(&c);
  size_t had = flat->len;
  for (size_t i = 0; i < b.asks.len && complete; i++) {
    DimAt a = b.asks.at[i];
    bool seen = digits_dim(digits, (Side)a.side, a.node, a.dim).flat;
    for (size_t j = 0; j < flat->len && !seen; j++) seen = !memcmp(&flat->at[j], &a, sizeof a);
    if (!seen) vec_push(flat, a);
  }
  for (int i = 0; i < 2; i++) {
    evaluate_free(c.e[i]);
    vec_free(&w[i].leaves);
  }
  build_free(&b);
  calculus_free(calc);
  digits_free(digits);
  return flat->len > had;
}

/* ------------------------------------------------------------------ graph pairs */
static uint32_t text_of(Sources *s, const char *folder, const char *file) {
  char path[1024];
  const char *why;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return sources_load(s, path, &why);
}

static bool exists(const char *folder, const char *file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *f = fopen(path, "r");
  if (f) fclose(f);
  return f != NULL;
}

static void compare_pair(const Problem *p, uint64_t seed, const char *folder) {
  ExactProblem e = {.seq = {p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]},
                    .dist = {p->graph[SIDE_DIST], p->instance[SIDE_DIST]},
                    .relation = p->relation,
                    .options = exact_defaults()};
  const char *why;
  ExactRun *run = exact_run(&e, seed, &why);
  DimList flat = {0};
  for (int i = 0; i < ROUNDS && !why && round_of(p, run, folder, &flat, false); i++) {
  }
  flat.len = 0;
  if (!why) round_of(p, run, folder, &flat, true);
  vec_free(&flat);
  exact_run_free(run);
}

static void run_case(const char *base, const char *folder, uint64_t seed) {
  if (seconds() > give_up || !exists(base, "seq.hlo") || !exists(folder, "dist.hlo")) return;
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  HloOptions options = HLO_OPTIONS;
  Relation *relation = relation_read(diags, text_of(sources, base, "relation.json"));
  Graph *seq = hlo_read(diags, text_of(sources, base, "seq.hlo"), &options);
  options.n_devices = relation ? relation->mesh.n_devices : 0;
  Graph *dist = hlo_read(diags, text_of(sources, folder, "dist.hlo"), &options);
  Pair pair = {0};
  if (relation && seq && dist && pair_make(&pair, library, seq, dist, relation, diags)) {
    pairs++;
    compare_pair(&pair.problem, seed, folder);
  }
  pair_free(&pair);
  if (dist) graph_free(dist);
  if (seq) graph_free(seq);
  if (relation) relation_free(relation);
  library_free(library);
  diags_free(diags);
  sources_free(sources);
}

/* The pair in `folder`, and the wrong ones in broken/, of which CI takes one. */
static void run_family(const char *folder, uint64_t seed, bool all) {
  char path[1024];
  run_case(folder, folder, seed);
  if ((size_t)snprintf(path, sizeof path, "%s/broken", folder) >= sizeof path) return;
  struct dirent **list;
  int n = scandir(path, &list, NULL, alphasort), pick = n > 2 ? 2 + (int)(next_random() % (uint64_t)(n - 2)) : 0;
  for (int i = 0; i < n; i++) {
    char inner[2048];
    snprintf(inner, sizeof inner, "%s/%s", path, list[i]->d_name);
    if (list[i]->d_name[0] != '.' && (all || i == pick)) run_case(folder, inner, seed);
    free(list[i]);
  }
  if (n >= 0) free(list);
}

int main(int argc, char **argv) {
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  give_up = argc > 1 ? atof(argv[1]) : 8;
  random_state = seed;
  const char *const roots[] = {"tests/graphs", "examples"};
  quick = argc > 3 && !strcmp(argv[3], "quick");
  if (argc > 3 && !quick) run_family(argv[3], seed, true);
  for (size_t k = 0; k < 2 && (argc <= 3 || quick); k++) {
    struct dirent **list;
    int n = scandir(roots[k], &list, NULL, alphasort);
    for (int i = 0; i < n; i++) {
      char path[1024];
      snprintf(path, sizeof path, "%s/%s", roots[k], list[i]->d_name);
      if (list[i]->d_name[0] != '.') run_family(path, seed, argc > 1 && !quick);
      free(list[i]);
    }
    if (n >= 0) free(list);
  }
  printf("%d pairs, %ld nodes, %ld below unknown functions, %ld elements compared, %ld undecided, %d failures\n", pairs,
         nodes_seen, skipped, compared, unknown, failures);
  return failures > 0 || !compared;
}
