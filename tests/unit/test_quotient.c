/* Quotients of the graph pairs of examples/ and tests/graphs (or of the folders that are named): with digits kept at random
 * every value of the small pair is that of the large one at the inputs it stands for, on every device. */
#include <jansson.h>
#include <stdio.h>

#include "tests/unit/pairs.h"
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

static void run_case(const char *base, const char *folder) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  Graph *g[2] = {NULL, NULL};
  Relation *relation = read_pair(diags, base, folder, as_mlir || !has_file(base, "seq.hlo"), g);
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
