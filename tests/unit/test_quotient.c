/* Quotients of the graph pairs of examples/ and tests/graphs (or of the folders that are named): with digits kept at random
 * every value of the small pair is that of the large one at the inputs it stands for, on every device. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

#include "frontends/base/relation.h"
#include "frontends/hlo/hlo.h"
#include "frontends/stablehlo/stablehlo.h"
#include "frontends/torch/torch.h"
#include "tests/unit/quotient_same.h"

enum { SEEDS = 4, MOST_NUMBERS = 40000000, FEW_NUMBERS = 2000, MOST_WORK = 400000000, MOST_SECONDS = 60 };
static uint64_t agree, differ, seeds = SEEDS;
static bool as_mlir; /* StableHLO, where there is HLO, too */

static void test_pattern(void) {
  Pattern p = {0}, minor;
  pattern_push(&p, 4, false);
  pattern_push(&p, 2, true);
  pattern_push(&p, 3, true);
  pattern_push(&p, 5, false);
  bool good = p.n == 3 && pattern_whole(&p) == 120 && pattern_small(&p) == 6;
  for (int64_t i = 0; i < 120; i++) good &= pattern_shrink(&p, i) == i / 4 % 6;
  for (int64_t i = 0; i < 6; i++) good &= pattern_shrink(&p, pattern_expand(&p, i)) == i;
  Arena a = {0};
  good &= !strcmp(pattern_text(&p, "i", &a), "i / 4 % 6");
  good &= pattern_take(&p, 8, &minor) && pattern_whole(&minor) == 8 && pattern_small(&minor) == 2 && pattern_small(&p) == 3;
  arena_free(&a);
  if (!good) printf("patterns do not read digits\n"), failures++;
}

/* ---- verdicts */

static bool names(const json_t *list, Sym name) {
  size_t i;
  const json_t *v;
  json_array_foreach(list, i, v) if (json_string_value(v) && !strcmp(json_string_value(v), sym_text(name))) return true;
  return false;
}

/* Outputs that differ at inputs that are constant in blocks are wrong ones. */
static void test_verdicts(const Problem *p, const json_t *wrong, const char *folder, bool zeros, uint64_t most,
                          uint64_t seed) {
  bool *open = xcalloc(p->relation->n_outputs + 1, sizeof *open);
  for (uint32_t k = 0; k < p->relation->n_outputs; k++) open[k] = true;
  Quotient *q = quotient_new(p, open, &(QuotientOptions){most, MOST_WORK, MOST_SECONDS, zeros, seed});
  free(open);
  if (!q) return;
  ExactProblem e = quotient_problem(q);
  e.options = exact_defaults();
  e.literals = LITERALS_FRACTIONS;
  e.numbers_only = true;
  ExactReport *r = exact_compare(&e);
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    if (r->outputs[k].status != EXACT_DIFFER) {
      agree += r->outputs[k].status == EXACT_AGREE;
      continue;
    }
    differ++;
    if (names(wrong, r->outputs[k].name)) continue;
    printf("%s: %s is right, and refuted (zeros %d, most %llu, seed %llu): %s, %s\n", folder,
           sym_text(r->outputs[k].name), zeros, (unsigned long long)most, (unsigned long long)seed,
           r->outputs[k].witness.seq, r->outputs[k].witness.dist);
    failures++;
  }
  exact_report_free(r);
  quotient_free(q);
}

/* Wrong outputs of a case; NULL: it is not said. */
static json_t *wrong_outputs(const char *folder) {
  char path[1024];
  snprintf(path, sizeof path, "%s/expect.json", folder);
  json_t *expect = json_load_file(path, 0, NULL), *wrong = json_object_get(expect, "wrong");
  snprintf(path, sizeof path, "%s/case.json", folder);
  if (!expect && !(expect = json_load_file(path, 0, NULL))) return NULL;
  const json_t *numeric = json_object_get(expect, "numeric");
  const char *verdict = json_string_value(json_object_get(expect, "expect"));
  if (!wrong) wrong = json_object_get(numeric, "outputs_wrong");
  if (!wrong) wrong = json_object_get(numeric, "differs");
  bool right = !wrong || (verdict && !strcmp(verdict, "refines"));
  json_t *list = right ? json_array() : json_incref(wrong);
  if (!wrong && verdict && strcmp(verdict, "refines")) json_decref(list), list = NULL;
  json_decref(expect);
  return list;
}

static bool has_file(const char *folder, const char *file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return access(path, R_OK) == 0;
}

static uint32_t text_of(Sources *s, const char *folder, const char *file) {
  char path[1024];
  const char *why;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return has_file(folder, file) ? sources_load(s, path, &why) : 0;
}

static Graph *read_hlo(Diags *diags, uint32_t text, int64_t n_devices, bool mlir) {
  HloOptions hlo = HLO_OPTIONS;
  StablehloOptions stablehlo = STABLEHLO_OPTIONS;
  hlo.n_devices = stablehlo.n_devices = n_devices;
  return mlir ? stablehlo_read(diags, text, &stablehlo) : hlo_read(diags, text, &hlo);
}

/* One case: dist.hlo, dist.mlir or dist.json in `folder`, the sequential program and the relation in `base`. */
static void run_case(const char *base, const char *folder) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  bool mlir = as_mlir || !has_file(base, "seq.hlo");
  uint32_t hlo = text_of(sources, base, mlir ? "seq.mlir" : "seq.hlo"), torch = text_of(sources, base, "seq.json");
  uint32_t related = text_of(sources, base, "relation.json");
  uint32_t text = text_of(sources, folder, torch ? "dist.json" : mlir ? "dist.mlir" : "dist.hlo");
  Graph *g[2] = {NULL, NULL};
  Relation *relation = NULL;
  if (hlo && text && related && (relation = relation_read(diags, related))) {
    g[0] = read_hlo(diags, hlo, 0, mlir);
    g[1] = read_hlo(diags, text, relation->mesh.n_devices, mlir);
  } else if (torch && text && related) {
    g[0] = torch_read(diags, torch);
    g[1] = torch_read(diags, text);
    if (g[0] && g[1]) relation = relation_read_named(diags, related, &g[0], g[1]);
  }
  bool addends = false; /* which are drawn by position */
  for (uint32_t k = 0; relation && k < relation->n_inputs; k++) addends |= relation->inputs[k].layout.n_partial > 0;
  Pair pair = {0};
  if (relation && g[0] && g[1] && !addends && pair_make(&pair, library, g[0], g[1], relation, diags)) {
    cases++;
    for (uint64_t seed = 1; seed <= seeds; seed++) test_quotient(&pair.problem, folder, seed);
    json_t *wrong = wrong_outputs(folder);
    for (int k = 0; k < 5 && wrong; k++)
      test_verdicts(&pair.problem, wrong, folder, k % 2, k / 2 == 1 ? FEW_NUMBERS : MOST_NUMBERS, (uint64_t)k / 4);
    json_decref(wrong);
  }
  pair_free(&pair);
  for (int s = 0; s < 2; s++) graph_free(g[s]);
  relation_free(relation);
  library_free(library);
  diags_free(diags);
  sources_free(sources);
}

/* Runs `each` on the entries of a folder, in order. */
static void entries(const char *base, const char *folder, void (*each)(const char *base, const char *folder)) {
  struct dirent **list;
  int n = scandir(folder, &list, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[1024];
    if (list[i]->d_name[0] != '.' && (size_t)snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name) < sizeof path)
      each(base ? base : path, path);
    free(list[i]);
  }
  if (n >= 0) free(list);
}

static void run_family(const char *base, const char *folder) {
  char path[1024];
  run_case(base, folder);
  if ((size_t)snprintf(path, sizeof path, "%s/broken", folder) < sizeof path) entries(base, path, run_case);
}

int main(int argc, char **argv) {
  test_pattern();
  if (argc > 2) seeds = strtoull(argv[2], NULL, 10);
  as_mlir = argc > 3;
  if (argc > 1) {
    entries(NULL, argv[1], run_family);
  } else {
    entries(NULL, "examples", run_family);
    entries(NULL, "tests/graphs", run_family);
  }
  printf("%d cases, %d quotients, %llu values shrunk, %llu zero, %llu means, %llu vague, %llu elements compared, "
         "%llu outputs agree, %llu differ, %d failures\n",
         cases, quotients, (unsigned long long)shrunk, (unsigned long long)n_zero, (unsigned long long)n_means,
         (unsigned long long)vague,
         (unsigned long long)compared, (unsigned long long)agree, (unsigned long long)differ, failures);
  return failures > 0 || shrunk == 0 || n_zero == 0 || n_means == 0 || vague == 0;
}
