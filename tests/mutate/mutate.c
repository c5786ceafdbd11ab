/* The mutation campaign: what evaluates differently must never be verified, what agrees never refuted.
 *
 *     mutate [--sample=N] [--seed=N] [--jobs=N] [--verbose] FOLDER...
 *
 * For every case (a folder with seq.hlo and dist.hlo, or seq.json and dist.json, and relation.json, or with before.onnx
 * and after.onnx), every node of the
 * distributed graph and every mutation that applies there, the mutant is evaluated on random inputs and checked.
 * --sample takes about N mutants of each case, spread evenly.  Prints what became of them, and every wrong verdict;
 * exit 1 if there is one.  Of those refuted: of how many the report names the changed operator, one next to it or its
 * source line, first, and among all it names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "eval/verdict/check.h"
#include "frontends/base/relation.h"
#include "frontends/base/weights.h"
#include "frontends/hlo/hlo.h"
#include "frontends/onnx/onnx.h"
#include "frontends/torch/torch.h"
#include "tests/mutate/mutation.h"

enum { MOST_LARGE = 48, MOST_JOBS = 64 };
enum { DIFFERS, AGREES, UNKNOWN, N_EVALUATED };
static const char *const evaluated_name[] = {"differs", "agrees", "unknown"};

typedef struct Campaign {
  uint64_t sample, seed, jobs, job; /* of `jobs` processes this one, from 0 */
  bool verbose;
  uint64_t count[MUTATION_COUNT][N_EVALUATED][VERDICT_BROKEN + 1];
  uint64_t first[MUTATION_COUNT], named[MUTATION_COUNT]; /* refuted ones whose place is named first, at all */
  uint64_t wrong;
} Campaign;

typedef struct Case {
  const char *folder;
  Sources *sources;
  Diags *diags;
  Graph *seq, *dist;
  Relation *relation;
  bool *used; /* nodes of dist that an output depends on */
  bool large; /* too much to be evaluated as it is */
} Case;

static uint32_t load(Case *c, const char *name) {
  Arena scratch = {0};
  const char *why;
  uint32_t id = sources_load(c->sources, arena_printf(&scratch, "%s/%s", c->folder, name), &why);
  arena_free(&scratch);
  return id;
}

/* Two ONNX models: parameters of one name are the same. */
static bool open_onnx(Case *c, uint32_t before, uint32_t after) {
  OnnxOptions o = ONNX_OPTIONS;
  c->seq = onnx_read(c->diags, before, &o);
  o.before = c->seq;
  c->dist = c->seq ? onnx_read(c->diags, after, &o) : NULL;
  c->relation = c->dist ? relation_of_names(c->diags, c->seq, c->dist) : NULL;
  return c->relation && weights_relate(c->relation, c->seq, c->dist, c->diags);
}

static bool open_related(Case *c) {
  uint32_t seq = load(c, "seq.hlo"), dist = load(c, "dist.hlo"), relation = load(c, "relation.json");
  bool torch = !seq; /* seq.json and dist.json, a relation by name */
  if (torch) seq = load(c, "seq.json"), dist = load(c, "dist.json");
  if (!seq || !dist || !relation) return false;
  c->seq = torch ? torch_read(c->diags, seq) : hlo_read(c->diags, seq, &HLO_OPTIONS);
  c->dist = torch ? torch_read(c->diags, dist) : hlo_read(c->diags, dist, &HLO_OPTIONS);
  if (!c->seq || !c->dist) return false;
  c->relation = torch ? relation_read_named(c->diags, relation, &c->seq, c->dist) : relation_read(c->diags, relation);
  return c->relation;
}

static bool case_open(Case *c, const char *folder) {
  *c = (Case){.folder = folder, .sources = sources_new()};
  c->diags = diags_new(c->sources);
  uint32_t before = load(c, "before.onnx"), after = load(c, "after.onnx");
  if (!(before && after ? open_onnx(c, before, after) : open_related(c))) return false;
  c->used = xcalloc(c->dist->nodes.len + 1, 1);
  for (size_t i = 0; i < c->dist->outputs.len; i++) c->used[c->dist->outputs.at[i].node] = true;
  for (size_t i = c->dist->nodes.len; i-- > 0;)
    for (uint32_t k = 0; c->used[i] && k < c->dist->nodes.at[i].n_args; k++) c->used[c->dist->nodes.at[i].args[k]] = true;
  return true;
}

static void case_close(Case *c) {
  free(c->used);
  graph_free(c->seq);
  graph_free(c->dist);
  if (c->relation) relation_free(c->relation);
  diags_free(c->diags);
  sources_free(c->sources);
}

/* Do the two programs differ on random inputs?  *large: they do at smaller sizes, or nothing is known. */
static int evaluate(const Problem *problem, uint64_t seed, bool *large) {
  ExactProblem p = {.relation = problem->relation, .options = exact_defaults()};
  p.seq = (ExactSide){problem->graph[SIDE_SEQ], problem->instance[SIDE_SEQ]};
  p.dist = (ExactSide){problem->graph[SIDE_DIST], problem->instance[SIDE_DIST]};
  p.options.seed = seed;
  ExactReport *r = exact_compare(&p);
  int result = AGREES;
  for (uint32_t i = 0; i < r->n_outputs; i++) {
    if (r->outputs[i].status == EXACT_DIFFER) result = DIFFERS;
    else if (r->outputs[i].status != EXACT_AGREE && result == AGREES) result = UNKNOWN;
  }
  if ((*large = r->not_evaluated)) {
    Smaller *s = smaller_new(problem, &p.options);
    result = s && smaller_n_differ(s) ? DIFFERS : UNKNOWN;
    smaller_free(s);
  }
  exact_report_free(r);
  return result;
}

/* Only hands its operand on. */
static bool hands_on(const Node *n) {
  static const char *const ops[] = {"copy", "reshape", "broadcast", "transpose", "convert"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (n->n_args == 1 && n->op == sym(ops[i])) return true;
  return false;
}

/* `user` uses the node, or what hands it on. */
static bool uses_next(const Graph *g, NodeId user, NodeId id) {
  for (uint32_t k = 0; k < g->nodes.at[user].n_args; k++) {
    NodeId at = g->nodes.at[user].args[k];
    while (at != id && hands_on(&g->nodes.at[at])) at = g->nodes.at[at].args[0];
    if (at == id) return true;
  }
  return false;
}

/* Where the mistake is, as a reader would have it: the operator, one next to it, its line. */
static bool is_place(const Graph *g, NodeId changed, Mutation kind, const Blamed *b) {
  if (b->side != SIDE_DIST) return false;
  if (b->node == changed || uses_next(g, changed, b->node) || uses_next(g, b->node, changed)) return true;
  bool lost = kind == MUTATION_drop; /* what is left is an operand, of another line */
  return !lost && node_at(g, changed) && b->place != NO_NODE && node_at(g, b->place) == node_at(g, changed);
}

/* The verdict; of a refuted mutant, `rank` gets the position of its place among the suspects, from 1, or 0, and `seed`
 * the point that refutes it. */
static Verdict verdict(const Problem *problem, NodeId changed, Mutation kind, bool verbose, uint32_t *rank,
                       uint64_t *seed) {
  CheckOptions options = check_defaults();
  options.prove.seconds = 2;
  CheckReport *r = check_run(problem, &options);
  Verdict v = r->verdict;
  *rank = 0;
  for (uint32_t i = v == VERDICT_REFUTED && r->blame ? r->blame->n : 0; i-- > 0;)
    if (is_place(problem->graph[SIDE_DIST], changed, kind, &r->blame->at[i])) *rank = i + 1;
  for (uint32_t i = 0; verbose && v == VERDICT_REFUTED && r->blame && i < r->blame->n; i++) {
    const Blamed *b = &r->blame->at[i];
    const Node *n = &problem->graph[b->side]->nodes.at[b->node];
    printf("  %s%s %s: %s\n", b->side == SIDE_SEQ ? "seq " : "", sym_text(n->op), sym_text(n->name),
           b->fix ? b->fix : b->why ? b->why : "");
  }
  for (uint32_t i = 0; i < r->n_outputs; i++)
    if (r->outputs[i].exact && r->outputs[i].exact->status == EXACT_DIFFER) *seed = r->outputs[i].exact->witness.seed;
  check_report_free(r);
  return v;
}

/* One mutant; false if the mutation does not apply or its shapes do not fit. */
static bool try_mutant(Campaign *m, Case *c, NodeId id, Mutation kind) {
  NodeId changed;
  Graph *mutant = mutation_make(c->dist, id, kind, &changed);
  if (!mutant) return false;
  Diags *diags = diags_new(c->sources);
  Library *library = library_load(NULL, diags); /* lemmas leave traces in it */
  Pair pair;
  bool fits = pair_make(&pair, library, c->seq, mutant, c->relation, diags);
  if (fits) {
    bool large;
    int evaluated = evaluate(&pair.problem, m->seed, &large);
    uint32_t rank;
    uint64_t seed = m->seed;
    Verdict said = verdict(&pair.problem, changed, kind, m->verbose, &rank, &seed);
    if (said == VERDICT_REFUTED && evaluated == AGREES && seed != m->seed) /* seen at few points: a clip, a maximum */
      evaluated = evaluate(&pair.problem, seed, &large);
    bool wrong = said == VERDICT_BROKEN || (said == VERDICT_VERIFIED && evaluated == DIFFERS) ||
                 (said == VERDICT_REFUTED && evaluated == AGREES);
    m->count[kind][evaluated][said]++;
    c->large |= large;
    m->wrong += wrong;
    m->first[kind] += rank == 1;
    m->named[kind] += rank > 0;
    const Node *n = &c->dist->nodes.at[id];
    if (wrong || m->verbose)
      printf("%s%s: %s at %s %s (line %u): %s, %s, suspect %u\n", wrong ? "WRONG " : "", c->folder, mutation_name(kind),
             sym_text(n->op), sym_text(n->name), n->line, evaluated_name[evaluated], verdict_text(said), rank);
  }
  pair_free(&pair);
  library_free(library);
  diags_free(diags);
  graph_free(mutant);
  return fits;
}

static uint64_t gcd(uint64_t a, uint64_t b) { return b ? gcd(b, a % b) : a; }

/* All (node, mutation) pairs, or about `sample` of them: a step that meets every pair once spreads them evenly. */
static bool run_case(Campaign *m, const char *folder) {
  Case c;
  bool good = case_open(&c, folder);
  if (good) {
    uint64_t all = c.dist->nodes.len * MUTATION_COUNT, made = 0, step = all * 7 / 11 + 1, at = m->seed % all;
    while (gcd(step, all) != 1) step++;
    uint64_t most = m->sample ? (m->sample + m->jobs - 1) / m->jobs : UINT64_MAX, few = MOST_LARGE / m->jobs;
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%s\n", folder);
    for (uint64_t i = 0; i < all && made < (c.large && few < most ? few : most); i++, at = (at + step) % all) {
      NodeId id = (NodeId)(at / MUTATION_COUNT);
      if (c.used[id] && i % m->jobs == m->job) made += try_mutant(m, &c, id, (Mutation)(at % MUTATION_COUNT));
    }
  } else {
    fprintf(stderr, "%s: not a case\n", folder);
    diags_print(c.diags, stderr, false);
  }
  case_close(&c);
  return good;
}

static void print_table(const Campaign *m) {
  printf("%-16s %8s |%27s |%27s |%18s\n%-16s %8s |", "", "", "differs", "agrees or unknown", "refuted: named", "mutation",
         "mutants");
  for (int i = 0; i < 2; i++) printf("%9s%9s%9s |", "verified", "refuted", "unproved");
  printf("%9s%9s\n", "first", "at all");
  uint64_t total[2][3] = {{0}}, mutants = 0, first = 0, named = 0;
  for (int k = 0; k < MUTATION_COUNT; k++) {
    uint64_t sum[2][3] = {{0}}, all = 0;
    for (int e = 0; e < N_EVALUATED; e++)
      for (int v = 0; v < 3; v++) sum[e != DIFFERS][v] += m->count[k][e][v], all += m->count[k][e][v];
    printf("%-16s %8lu |", mutation_name((Mutation)k), (unsigned long)all);
    for (int e = 0; e < 2; e++) {
      for (int v = 0; v < 3; v++) printf("%9lu", (unsigned long)sum[e][v]), total[e][v] += sum[e][v];
      printf(" |");
    }
    mutants += all;
    first += m->first[k];
    named += m->named[k];
    printf("%9lu%9lu\n", (unsigned long)m->first[k], (unsigned long)m->named[k]);
  }
  printf("%-16s %8lu |", "all", (unsigned long)mutants);
  for (int e = 0; e < 2; e++)
    printf("%9lu%9lu%9lu |", (unsigned long)total[e][0], (unsigned long)total[e][1], (unsigned long)total[e][2]);
  printf("%9lu%9lu\n", (unsigned long)first, (unsigned long)named);
  printf("%lu mutants, %lu wrong verdicts\n", (unsigned long)mutants, (unsigned long)m->wrong);
}

static bool run_cases(Campaign *m, char **folders, int n) {
  bool good = true;
  for (int i = 0; good && i < n; i++) good = run_case(m, folders[i]);
  return good;
}

static void add(Campaign *all, const Campaign *m) {
  for (int k = 0; k < MUTATION_COUNT; k++) {
    for (int e = 0; e < N_EVALUATED; e++)
      for (int v = 0; v <= VERDICT_BROKEN; v++) all->count[k][e][v] += m->count[k][e][v];
    all->first[k] += m->first[k];
    all->named[k] += m->named[k];
  }
  all->wrong += m->wrong;
}

/* Every process takes its part of the mutants of each case. */
static bool run_jobs(Campaign *all, char **folders, int n) {
  int from[MOST_JOBS];
  bool good = true;
  for (uint64_t i = 0; i < all->jobs; i++) {
    int ends[2];
    if (pipe(ends)) return false;
    if (!fork()) {
      all->job = i;
      good = run_cases(all, folders, n) && write(ends[1], all, sizeof *all) == sizeof *all;
      fflush(stdout);
      _exit(!good);
    }
    close(ends[1]);
    from[i] = ends[0];
  }
  for (uint64_t i = 0; i < all->jobs; i++) {
    Campaign m;
    ssize_t got = read(from[i], &m, sizeof m);
    if (got == sizeof m) add(all, &m);
    good &= got == sizeof m;
    close(from[i]);
  }
  while (wait(NULL) > 0) continue;
  return good;
}

int main(int argc, char **argv) {
  Campaign m = {.seed = 1, .jobs = 1};
  bool good = true;
  int n = 0; /* folders, moved to the front */
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--sample=", 9)) m.sample = strtoull(argv[i] + 9, NULL, 10);
    else if (!strncmp(argv[i], "--seed=", 7)) m.seed = strtoull(argv[i] + 7, NULL, 10);
    else if (!strcmp(argv[i], "--verbose")) m.verbose = true;
    else if (!strncmp(argv[i], "--jobs=", 7)) m.jobs = strtoull(argv[i] + 7, NULL, 10);
    else argv[n++] = argv[i];
  }
  if (m.jobs < 1 || m.jobs > MOST_JOBS) m.jobs = 1;
  good = m.jobs > 1 ? run_jobs(&m, argv, n) : run_cases(&m, argv, n);
  if (good) print_table(&m);
  return good && !m.wrong ? 0 : 1;
}
