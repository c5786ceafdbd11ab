/* The rules of a model, and its graphs as what rules see of them. */
#ifndef TVR_CLI_GRAPHS_H
#define TVR_CLI_GRAPHS_H
#include "eval/rules/facts.h"
#include "eval/verdict/equalities.h"
#include "frontends/cli/ask.h"

/* In the command line's arena; what they point to is the model's. */
FactGraph *cli_model_graphs(Cli *cli, const AskModel *m, uint32_t *n);
/* Those that a check compares. */
FactPair *cli_model_pairs(Cli *cli, const AskModel *m, uint32_t *n);
/* The equalities between tensors of two graphs that the file's rules make, if it has rules; they are run for it.  false
 * after errors, which are reported. */
bool cli_model_equalities(Cli *cli, const AskModel *m, const Graph *seq, const Graph *dist, Equalities *out);
/* Runs the file that is the command's argument; prints a table of its rules, or the derived ones, instead of messages. */
Exit cli_run_rules(Cli *cli, bool list);
#endif
