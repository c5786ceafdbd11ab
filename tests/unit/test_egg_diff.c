/* Random programs: the engine and the naive evaluator must agree on all sizes, and on the values of c, after every
 * iteration.  Every other program does something else between a push and a pop before each iteration, of which no
 * trace may remain.  A failing program is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/egg/egg.h"
#include "tests/diff/random.h"

/* The sizes and the sum of c that the engine printed for one iteration; moves past them. */
static bool agrees(const RandomProgram *p, char **text) {
  for (int t = 0; t < N_TABLES; t++)
    if (strtol(*text, text, 10) != naive_size(p, t)) return false;
  long sum = 0;
  char *end = strstr(*text, "\n)\n");
  for (char *arrow = *text; end && (arrow = strstr(arrow, "-> ")) && arrow < end; arrow += 3)
    sum += strtol(arrow + 3, NULL, 10);
  char *empty = strstr(*text, "(\n)\n");
  *text = empty && (!end || empty < end) ? empty + 4 : end ? end + 3 : *text;
  return sum == naive_sum(p);
}

static bool try_one(uint64_t n) {
  static RandomProgram p;
  enum { ROUNDS = 4 };
  Random random = {n * 7919 + 1, n % 3 != 0};
  random_program(&random, &p);
  char *source = NULL, *out = NULL;
  size_t n_source, n_out;
  FILE *f = open_memstream(&source, &n_source);
  random_write(f, &p);
  RandomProgram start = p;
  int rounds = 0;
  for (; rounds < ROUNDS && !p.full; rounds++) naive_run(&p);
  if (p.full) rounds--;
  for (int k = 0; k < rounds; k++) {
    if (n % 2 && k + 1 < rounds) /* no further than the evaluator got */
      fputs("(push) (run 1) (F $1) (P (vec-of $0 $1)) (S (set-of $1 $2)) (union $0 $2) (push) (run 1) (pop)\n"
            "(delete (R $0)) (pop)\n", f);
    fputs("(run 1)", f);
    for (int t = 0; t < N_TABLES; t++) fprintf(f, "(print-size %s)", random_table[t]);
    fputs("(print-function c)\n", f);
  }
  fclose(f);
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  f = open_memstream(&out, &n_out);
  bool ok = egg_run(diags, sources_add(sources, "random.egg", source, n_source), &(ProgramOptions){0}, f) == PROGRAM_OK;
  fclose(f);
  char *at = out;
  p = start;
  for (int k = 0; ok && k < rounds; k++) {
    naive_run(&p);
    ok = agrees(&p, &at);
    if (!ok) fprintf(stderr, "program %llu differs after iteration %d\n", (unsigned long long)n, k + 1);
  }
  diags_print(diags, stderr, false);
  if (!ok) {
    fprintf(stderr, "%s\n%s\nexpected", source, out);
    for (int t = 0; t < N_TABLES; t++) fprintf(stderr, " %d", naive_size(&p, t));
    fprintf(stderr, " sum %ld\n", naive_sum(&p));
  }
  diags_free(diags);
  sources_free(sources);
  free(source);
  free(out);
  return ok;
}

int main(int argc, char **argv) {
  uint64_t from = 0, to = 1500;
  if (argc > 1) from = strtoull(argv[1], NULL, 10), to = from + 1;
  if (argc > 2) to = strtoull(argv[2], NULL, 10);
  for (uint64_t n = from; n < to; n++)
    if (!try_one(n)) return 1;
  return 0;
}
