/* Lint: what the rules of stdlib/lint.tvr, and a model's own, found about graphs; gathered, ranked, printed.
 *
 * A finding is a row of `finding`; those of one lint at the same source lines are one, with their number and the sum of
 * their bytes: layers repeat what they do. */
#ifndef TVR_LINT_H
#define TVR_LINT_H
#include "eval/rules/facts.h"

typedef struct LintFinding {
  Sym lint, says;
  uint32_t graph;      /* in LintReport.graphs */
  NodeId at, with;     /* of the first; equal: there is no other */
  Sym place, other;    /* their source lines, or 0 */
  uint32_t count;
  int64_t bytes;
} LintFinding;

typedef struct LintReport {
  Arena arena;
  uint32_t n_graphs;
  const FactGraph *graphs;
  Vec(LintFinding) findings; /* most bytes first */
} LintReport;

/* Reads the tables at the end of a script; context is a LintReport whose graphs are set. */
void lint_collect(void *context, Program *e);
/* At most so many; 0: all. */
void lint_print(const LintReport *r, size_t most, FILE *out);
void lint_print_json(const LintReport *r, FILE *out);
void lint_free(LintReport *r);
#endif
