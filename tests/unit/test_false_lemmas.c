/* Negative controls: at the shape where a statement of tests/golden/prove/false.tvr is broken, neither the normal forms
 * with all tactics nor Z3 may prove it, nor Z3 for all sizes; and at the shapes where Z3 is asked about true ones, it
 * does. */
#include <stdio.h>
#include <string.h>

#include "eval/lemma/allsizes.h"
#include "eval/lemma/breaker.h"
#include "eval/lemma/smt.h"
#include "eval/lemma/solver.h"
#include "eval/prove/equation.h"
#include "eval/prove/pair.h"
#include "eval/verdict/check.h"
#include "lang/lang.h"

/* Seconds of Z3 for what it must not prove; it is the same library in the build that checks memory. */
#ifdef TVR_SANITIZED
static const double SECONDS = 0.3;
#else
static const double SECONDS = 1;
#endif

static int failures, asked, tried;

static void fail(const AstItem *item, const char *by) {
  printf("%s is false, and proved by %s\n", sym_text(item->name), by);
  failures++;
}

/* Z3 finds no values at which the sides differ. */
static bool proved_by_solver(const Graph *left, const Graph *right, const Problem *p, Arena *a) {
  Smt smt = smt_of(left, p->instance[SIDE_SEQ], right, p->instance[SIDE_DIST], a);
  if (!smt.text) return false;
  const char *why, *line = solver_ask(smt.text, (SolverLimits){SECONDS, 1000}, a, &why);
  asked++;
  bool proved = line != NULL;
  for (uint32_t k = 0; line && k < smt.n_questions; k++) {
    if (!smt.defined[k] && strncmp(line, "unsat", 5)) proved = false;
    const char *end = strchr(line, '\n');
    line = end ? end + 1 : NULL;
  }
  return proved;
}

static void control(const AstItem *item, Library *library, Arena *a, Diags *diags) {
  Shapes s;
  uint32_t number = 0;
  if (!shapes_of(&s, item, a)) return;
  Broken b = breaker_run(&s, library, &number, a, diags);
  if (!b.found) {
    printf("%s was not broken\n", sym_text(item->name));
    failures++;
    return;
  }
  bool values = strcmp(b.example.left, "without a value") && strcmp(b.example.right, "without a value");
  uint32_t assumptions = 0;
  const char *how = allsizes_prove(&s, library, (SolverLimits){SECONDS, 1000}, a, &assumptions);
  bool excluded = (assumptions & OPEN_NONEMPTY) && b.example.shape->empty;
  if (how && values && !excluded) fail(item, "Z3 for all sizes");
  if (!values || b.example.shape->empty) return;
  Lemma l = shape_lemma(&s, b.example.shape, number, a);
  library_add(library, l.sides);
  Graph *left = shape_graph(&s, b.example.shape, &l, &l.left, 1),
        *right = shape_graph(&s, b.example.shape, &l, &l.right, 1);
  Pair pair = {0};
  if (pair_make(&pair, library, left, right, breaker_identity(left, a), diags)) {
    Equations own = *pair.problem.equations;
    while (own.n && own.at[own.n - 1].lemma.item->span.source == item->span.source) own.n--;
    pair.problem.equations = &own; /* those of the library: a false lemma proves itself */
    CheckOptions o = check_defaults();
    o.evaluate = false;
    o.prove.seconds = 0.5;
    CheckReport *c = check_run(&pair.problem, &o);
    if (c->verdict == VERDICT_VERIFIED) fail(item, "the engine");
    if (proved_by_solver(left, right, &pair.problem, a)) fail(item, "Z3");
    check_report_free(c);
    tried++;
  }
  pair_free(&pair);
  graph_free(left);
  graph_free(right);
}

int main(void) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *library = library_load(NULL, diags);
  Arena a = {0};
  const char *why = NULL;
  uint32_t id = sources_load(sources, "tests/golden/prove/false.tvr", &why);
  AstFile *file = id ? lang_parse(&a, diags, id) : NULL;
  if (!file) {
    printf("%s\n", why);
    return 1;
  }
  library_add(library, file);
  for (uint32_t i = 0; i < file->n_items; i++) control(file->items[i], library, &a, diags);
  printf("%d tried, %d asked of Z3, %d failures\n", tried, asked, failures);
  library_free(library);
  diags_free(diags);
  sources_free(sources);
  arena_free(&a);
  return failures > 0 || tried < 30 || asked < 25;
}
