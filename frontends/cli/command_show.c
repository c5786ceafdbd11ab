/* tvr show: every operator of a graph in the order it is computed, its type, operands and equation. */
#include <inttypes.h>

#include "eval/meaning/instance.h"
#include "frontends/cli/cli.h"

static void show_type(const Node *n) {
  printf("%s[", dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) printf("%s%" PRId64, d ? "," : "", n->dims[d]);
  printf("]");
}

/* A literal: its value if it has one only, else how many. */
static void show_literal(const Literal *l) {
  char text[64];
  if (l->kind == LIT_VALUES && l->n != 1) printf(" of %" PRIu64 " values", l->n);
  else if (l->values[0] == RAT_NAN) printf(" = nan");
  else if (!rat_is_finite(l->values[0])) printf(" = %sinf", l->values[0] == RAT_NEG_INF ? "-" : "");
  else printf(" = %s", rat_print(l->values[0], text, sizeof text));
}

static void show_node(Cli *cli, Instances *instances, const Graph *g, NodeId id) {
  const Node *n = &g->nodes.at[id];
  printf("%" PRIu32 "  %s ", id, sym_text(n->op));
  show_type(n);
  for (uint32_t k = 0; k < n->n_args; k++) printf("%s%" PRIu32, k ? ", " : " <- ", n->args[k]);
  if (n->op == sym("parameter")) printf(" %" PRId64, n->param);
  if (n->literal) show_literal(n->literal);
  if (n->name) printf("  %s", sym_text(n->name));
  if (node_at(g, id)) printf("  %s", sym_text(node_at(g, id)));
  printf("\n");
  const Instance *in = instance_of(instances, g, id, cli->diags);
  if (in && in->opaque) printf("   opaque: %s\n", in->why_opaque);
  else if (in && in->body != NO_X) printf("   %s\n", instance_print(in, &cli->arena));
}

Exit command_show(Cli *cli) {
  Graph *g = cli_graph(cli, cli->args[0]);
  Library *library = g ? cli_library(cli) : NULL;
  if (library) {
    Instances *instances = instances_new(library);
    for (NodeId id = 0; id < g->nodes.len; id++) show_node(cli, instances, g, id);
    for (size_t i = 0; i < g->outputs.len; i++) printf("output %zu: %" PRIu32 "\n", i, g->outputs.at[i].node);
    instances_free(instances);
  }
  library_free(library);
  graph_free(g);
  return library ? EXIT_VERIFIED : EXIT_BAD;
}
