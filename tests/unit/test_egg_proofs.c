/* Random programs: what the naive evaluator derives can be proved, every proof holds step by step (tests/diff/replay.h),
 * and proofs broken in one place do not. */
#include <stdlib.h>
#include <string.h>

#include "frontends/egg/egg.h"
#include "tests/diff/random.h"
#include "tests/diff/replay.h"

enum { MOST_FACTS = 60 };

/* ---- what to ask ---- */

/* The rows that can be named with the constants N of 0 to 4. */
static int write_facts(FILE *f, const RandomProgram *p) {
  int id[5], n = 0;
  for (int i = 0; i < 5; i++) {
    const Row *row = naive_row(p, N, &i);
    id[i] = row ? naive_find(p, row->value[1]) : -1;
  }
  for (int i = 0; i < 5; i++) {
    if (id[i] < 0) continue;
    const Row *c = naive_row(p, C, &id[i]), *g = naive_row(p, G, (int[]){id[i], id[i]});
    if (naive_row(p, R, &id[i])) fprintf(f, "(prove (R (N %d)))\n", i), n++;
    if (c) fprintf(f, "(prove (= %d (c (N %d))))\n", c->value[1], i), n++;
    if (naive_row(p, F, &id[i])) fprintf(f, "(prove (= x (F (N %d))))\n", i), n++;
    if (g) fprintf(f, "(prove (= x (G (N %d) (N %d))))\n", i, i), n++;
    for (int j = 0; j < 5 && n < MOST_FACTS; j++) {
      if (id[j] < 0) continue;
      if (naive_row(p, E, (int[]){id[i], id[j]})) fprintf(f, "(prove (E (N %d) (N %d)))\n", i, j), n++;
      if (i < j && id[i] == id[j]) fprintf(f, "(prove (= (N %d) (N %d)))\n", i, j), n++;
      const Row *fi = naive_row(p, F, &id[i]);
      if (fi && naive_find(p, fi->value[1]) == id[j]) fprintf(f, "(prove (= (F (N %d)) (N %d)))\n", i, j), n++;
    }
  }
  return n;
}

/* ---- breaking proofs ---- */

static json_t *at(const json_t *array, unsigned i) { return json_array_get(array, i); }

/* Could the step do without one of its premises, or with another order? */
static bool repeats(const json_t *from) {
  for (size_t i = 0; i < json_array_size(from); i++)
    for (size_t k = 0; k < i; k++)
      if (json_equal(json_array_get(from, i), json_array_get(from, k))) return true;
  return false;
}

/* Another term for a variable. */
static bool break_binding(Random *g, json_t *step, unsigned n_terms) {
  json_t *with = json_object_get(step, "with");
  unsigned skip = with ? random_pick(g, (unsigned)json_object_size(with)) : 0;
  const char *name;
  json_t *value;
  json_object_foreach(with, name, value) {
    if (skip--) continue;
    json_int_t other = random_pick(g, n_terms);
    if (other == json_integer_value(value)) return false;
    json_integer_set(value, other);
    return true;
  }
  return false;
}

static bool is_by_rule(const json_t *step) {
  const char *by = json_string_value(json_object_get(step, "by"));
  return !strcmp(by, "rule") || !strcmp(by, "call");
}

/* A premise less, or one that proves something else. */
static bool break_premise(Random *g, const json_t *steps, json_t *step, unsigned number) {
  json_t *from = json_object_get(step, "from");
  unsigned n = (unsigned)json_array_size(from);
  const char *by = json_string_value(json_object_get(step, "by"));
  if (!n || repeats(from) || !strcmp(by, "merge")) return false;
  unsigned k = random_pick(g, n);
  if (is_by_rule(step)) k = 0; /* the others may be of operations that this conclusion does not need */
  if (random_pick(g, 2)) return json_array_remove(from, k) == 0;
  unsigned other = random_pick(g, number);
  const json_t *had = at(steps, (unsigned)json_integer_value(at(from, k)));
  if (json_equal(json_object_get(had, "proves"), json_object_get(at(steps, other), "proves"))) return false;
  json_array_set_new(from, k, json_integer(other));
  return true;
}

/* Another term at the end of a chain, or as the value of a row.  (What another action of a rule says may be true.) */
static bool break_conclusion(Random *g, json_t *step, unsigned n_terms) {
  if (is_by_rule(step)) return false;
  json_t *proves = json_object_get(step, "proves"), *equal = json_object_get(proves, "equal");
  json_t *value = equal ? at(equal, 1) : json_object_get(proves, "value");
  json_int_t other = random_pick(g, n_terms);
  if (!value || other == json_integer_value(value)) return false;
  json_integer_set(value, other);
  return true;
}

static int n_broken;

/* Is every change noticed? */
static bool breaks(Random *g, const json_t *proof, const RandomProgram *p) {
  for (int k = 0; k < 6; k++) {
    json_t *copy = json_deep_copy(proof), *steps = json_object_get(copy, "steps");
    unsigned n = (unsigned)json_array_size(steps), number = random_pick(g, n), way = random_pick(g, 3);
    unsigned n_terms = (unsigned)json_array_size(json_object_get(copy, "terms"));
    json_t *step = at(steps, number);
    bool broken = way == 0   ? break_binding(g, step, n_terms)
                  : way == 1 ? break_premise(g, steps, step, number)
                             : break_conclusion(g, step, n_terms);
    char why[200];
    bool noticed = !broken || replay(copy, p, why);
    n_broken += broken;
    if (!noticed) {
      fprintf(stderr, "a broken proof passes (way %u, step %u):\n", way, number);
      json_dumpf(proof, stderr, JSON_INDENT(1));
      fputc('\n', stderr);
      json_dumpf(copy, stderr, JSON_INDENT(1));
    }
    json_decref(copy);
    if (!noticed) return false;
  }
  return true;
}

/* ---- one program ---- */

static bool check_proofs(Random *g, const char *out, int n, const RandomProgram *p) {
  const char *line = out;
  char why[200];
  for (int i = 0; i < n; i++, line = strchr(line, '\n') + 1) {
    json_t *proof = strchr(line, '\n') ? json_loads(line, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const char *wrong = proof ? replay(proof, p, why) : "there is no proof";
    if (wrong) fprintf(stderr, "proof %d: %s\n%.*s\n", i + 1, wrong, (int)strcspn(line, "\n"), line);
    bool ok = !wrong && breaks(g, proof, p);
    json_decref(proof);
    if (!ok) return false;
  }
  return true;
}

static bool try_one(uint64_t number) {
  static RandomProgram p;
  Random random = {number * 7919 + 5, false};
  random_program(&random, &p);
  char *source = NULL, *out = NULL;
  size_t n_source, n_out;
  FILE *f = open_memstream(&source, &n_source);
  random_write(f, &p);
  for (int k = 0; k < 4 && !p.full; k++) {
    RandomProgram before = p;
    naive_run(&p);
    if (p.full) {
      p = before;
      break;
    }
    if (number % 2)
      fputs("(push) (run 2) (F $1) (union $0 $2) (push) (run 1) (pop) (run 1) (delete (R $0)) (pop)\n", f);
    fputs("(run 1)\n", f);
  }
  int n = write_facts(f, &p);
  fclose(f);
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  f = open_memstream(&out, &n_out);
  ProgramOptions options = {.json = true, .max_rows = 100000};
  ProgramResult result = egg_run(diags, sources_add(sources, "random.egg", source, n_source), &options, f);
  fclose(f);
  if (result != PROGRAM_LIMIT) diags_print(diags, stderr, false);
  bool ok = result == PROGRAM_LIMIT || (result == PROGRAM_OK && check_proofs(&random, out, n, &p));
  if (!ok) fprintf(stderr, "program %llu\n%s\n", (unsigned long long)number, source);
  diags_free(diags);
  sources_free(sources);
  free(source);
  free(out);
  return ok;
}

int main(int argc, char **argv) {
  uint64_t from = 0, to = 600;
  if (argc > 1) from = strtoull(argv[1], NULL, 10), to = from + 1;
  if (argc > 2) to = strtoull(argv[2], NULL, 10);
  for (uint64_t n = from; n < to; n++)
    if (!try_one(n)) return 1;
  if (argc == 1 && n_broken < 1000) return fprintf(stderr, "only %d proofs were broken\n", n_broken), 1;
  return 0;
}
