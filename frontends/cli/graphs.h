/* The graphs of a model as what rules see of them. */
#ifndef TVR_CLI_GRAPHS_H
#define TVR_CLI_GRAPHS_H
#include "eval/rules/facts.h"
#include "frontends/cli/ask.h"

/* In the command line's arena; what they point to is the model's. */
FactGraph *cli_model_graphs(Cli *cli, const AskModel *m, uint32_t *n);
#endif
