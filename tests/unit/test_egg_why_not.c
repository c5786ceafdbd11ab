/* Random programs: `--why-not` counts the matches of every rule as nested loops over the naive evaluator's rows do, and
 * names a fact that fails exactly where there are none. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/egg/egg.h"
#include "tests/diff/random.h"

/* Assignments of the rule's variables to rows that rules see. */
static long count(const RandomProgram *p, const Rule *r, int k, const int *var, unsigned bound) {
  if (k == r->n_atoms) return r->differ[0] < 0 || var[r->differ[0]] != var[r->differ[1]];
  const Atom *a = &r->atom[k];
  long n = 0;
  for (int i = 0; i < p->n_rows; i++) {
    const Row *row = &p->row[i];
    if (row->dead || row->subsumed || row->table != a->table) continue;
    int now[N_VARS];
    unsigned b = bound;
    bool ok = true;
    memcpy(now, var, sizeof now);
    for (int c = 0; ok && c < n_inputs[a->table] + has_output[a->table]; c++) {
      int v = a->arg[c];
      ok = !(b >> v & 1) || now[v] == row->value[c];
      now[v] = row->value[c];
      b |= 1u << v;
    }
    if (ok) n += count(p, r, k + 1, now, b);
  }
  return n;
}

static bool agrees(const char *line, long n) {
  json_t *o = json_loads(line, JSON_DISABLE_EOF_CHECK, NULL), *facts = json_object_get(o, "facts");
  size_t last = json_array_size(facts);
  json_t *step = last ? json_array_get(facts, last - 1) : NULL;
  bool ok = step && json_integer_value(json_object_get(step, "passed")) == n &&
            json_is_true(json_object_get(o, "matches")) == (n > 0) && !json_object_get(o, "failing") == (n > 0) &&
            json_is_true(json_object_get(o, "complete"));
  json_decref(o);
  return ok;
}

static bool try_one(uint64_t number) {
  static RandomProgram p;
  Random random = {number * 104729 + 3};
  random_program(&random, &p);
  char *source = NULL, *out = NULL;
  size_t n_source, n_out;
  FILE *f = open_memstream(&source, &n_source);
  random_write(f, &p);
  for (int k = 0; k < 3 && !p.full; k++) {
    RandomProgram before = p;
    naive_run(&p);
    if (p.full) {
      p = before;
      break;
    }
    fputs("(run 1)\n", f);
  }
  fclose(f);
  char names[5][8];
  WhyQuestion questions[5];
  for (int i = 0; i < p.n_rules; i++) {
    snprintf(names[i], sizeof names[i], "%d", i);
    questions[i] = (WhyQuestion){names[i], true};
  }
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  f = open_memstream(&out, &n_out);
  ProgramOptions options = {.json = true, .n_questions = (uint32_t)p.n_rules, .questions = questions};
  bool ok = egg_run(diags, sources_add(sources, "random.egg", source, n_source), &options, f) == PROGRAM_OK;
  fclose(f);
  diags_print(diags, stderr, false);
  const char *line = out;
  for (int i = 0; ok && i < p.n_rules; i++, line = strchr(line, '\n') + 1) {
    long n = count(&p, &p.rule[i], 0, (int[N_VARS]){0}, 0);
    ok = strchr(line, '\n') && agrees(line, n);
    if (!ok) fprintf(stderr, "rule %d of program %llu: %ld matches\n", i, (unsigned long long)number, n);
  }
  if (!ok) fprintf(stderr, "%s\n%s\n", source, out);
  diags_free(diags);
  sources_free(sources);
  free(source);
  free(out);
  return ok;
}

int main(void) {
  for (uint64_t n = 0; n < 400; n++)
    if (!try_one(n)) return 1;
  return 0;
}
