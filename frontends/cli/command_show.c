/* tvr show: every operator of a graph in the order it is computed, its type, operands and equation. */
#include <inttypes.h>
#include <jansson.h>

#include "eval/meaning/instance.h"
#include "frontends/cli/cli.h"

static const char *type_of(Cli *cli, const Node *n) {
  const char *text = arena_printf(&cli->arena, "%s[", dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) text = arena_printf(&cli->arena, "%s%s%" PRId64, text, d ? "," : "", n->dims[d]);
  return arena_printf(&cli->arena, "%s]", text);
}

/* The value of a literal that has one only, else NULL. */
static const char *only_value(Cli *cli, const Literal *l) {
  char text[64];
  if (l->kind == LIT_VALUES && l->n != 1) return NULL;
  if (l->values[0] == RAT_NAN) return "nan";
  if (!rat_is_finite(l->values[0])) return l->values[0] == RAT_NEG_INF ? "-inf" : "inf";
  return arena_printf(&cli->arena, "%s", rat_print(l->values[0], text, sizeof text));
}

static void show_node(Cli *cli, const Graph *g, NodeId id, const Instance *in) {
  const Node *n = &g->nodes.at[id];
  printf("%" PRIu32 "  %s %s", id, sym_text(n->op), type_of(cli, n));
  for (uint32_t k = 0; k < n->n_args; k++) printf("%s%" PRIu32, k ? ", " : " <- ", n->args[k]);
  if (n->op == sym("parameter")) printf(" %" PRId64, n->param);
  const char *value = n->literal ? only_value(cli, n->literal) : NULL;
  if (value) printf(" = %s", value);
  else if (n->literal) printf(" of %" PRIu64 " values", n->literal->n);
  if (n->name) printf("  %s", sym_text(n->name));
  if (node_at(g, id)) printf("  %s", sym_text(node_at(g, id)));
  printf("\n");
  if (in && in->opaque) printf("   opaque: %s\n", in->why_opaque);
  else if (in && in->body != NO_X) printf("   %s\n", instance_print(in, &cli->arena));
}

static void put_text(json_t *to, const char *key, const char *text) {
  if (text) json_object_set_new(to, key, json_string(text));
}

static json_t *node_json(Cli *cli, const Graph *g, NodeId id, const Instance *in) {
  const Node *n = &g->nodes.at[id];
  json_t *args = json_array();
  for (uint32_t k = 0; k < n->n_args; k++) json_array_append_new(args, json_integer(n->args[k]));
  json_t *out = json_pack("{s:i, s:s, s:o}", "number", (int)id, "type", type_of(cli, n), "operands", args);
  put_text(out, "operator", sym_text(n->op));
  if (n->op == sym("parameter")) json_object_set_new(out, "parameter", json_integer(n->param));
  put_text(out, "value", n->literal ? only_value(cli, n->literal) : NULL);
  put_text(out, "name", n->name ? sym_text(n->name) : NULL);
  put_text(out, "source", node_at(g, id) ? sym_text(node_at(g, id)) : NULL);
  if (in && in->opaque) put_text(out, "opaque", in->why_opaque);
  else if (in && in->body != NO_X) put_text(out, "equation", instance_print(in, &cli->arena));
  return out;
}

static void show(Cli *cli, const Graph *g, Instances *instances) {
  json_t *nodes = json_array(), *outputs = json_array();
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Instance *in = instance_of(instances, g, id, cli->diags);
    if (cli->options.json) json_array_append_new(nodes, node_json(cli, g, id, in));
    else show_node(cli, g, id, in);
  }
  for (size_t i = 0; i < g->outputs.len; i++) {
    json_array_append_new(outputs, json_integer(g->outputs.at[i].node));
    if (!cli->options.json) printf("output %zu: %" PRIu32 "\n", i, g->outputs.at[i].node);
  }
  json_t *all = json_pack("{s:o, s:o}", "operators", nodes, "outputs", outputs);
  if (cli->options.json) json_dumpf(all, stdout, JSON_INDENT(1)), printf("\n");
  json_decref(all);
}

Exit command_show(Cli *cli) {
  Graph *g = cli_graph(cli, cli->args[0]);
  Library *library = g && cli_sizes_known(cli) ? cli_library(cli) : NULL;
  if (library) {
    Instances *instances = instances_new(library);
    show(cli, g, instances);
    instances_free(instances);
  }
  library_free(library);
  graph_free(g);
  return library ? EXIT_VERIFIED : EXIT_BAD;
}
