/* tvr eval: runs graphs on given or random inputs and prints their results, or any other value, of every device. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "eval/exact/element.h"
#include "eval/terms/build.h"
#include "eval/verdict/explain.h"
#include "frontends/base/given.h"
#include "frontends/cli/ask.h"

static const Span nowhere = {0, 0, 0};

typedef struct Eval {
  Cli *cli;
  const Problem *problem;
  uint32_t n_wanted;
  const char *const *wanted;
  const ExactRun *run;
  ExactElements *exact; /* NULL: doubles */
  bool over;            /* the budget of exact evaluation is used up */
  bool first;           /* nothing has been printed yet (JSON) */
  Arena scratch;
} Eval;

static const char *const side_text[SIDE_COUNT] = {"seq", "dist"};

/* ---- numbers */

/* An element as text, or NULL without a value. */
static const char *element(Eval *e, ExplainAt x, int64_t device, uint64_t i) {
  if (e->exact) {
    const char *s = exact_element(e->exact, x.side == SIDE_DIST, x.node, device, i, &e->scratch);
    e->over = e->over || !s;
    return s && strcmp(s, "unknown") ? s : NULL;
  }
  const double *at = exact_value(e->run, x.side == SIDE_DIST, x.node, device);
  if (!at || isnan(at[i])) return NULL;
  return arena_printf(&e->scratch, e->cli->options.json ? "%.17g" : "%.10g", at[i]);
}

/* ---- text */

static void text_type(const Node *n) {
  printf("%s[", dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) printf("%s%" PRId64, d ? ", " : "", n->dims[d]);
  printf("]");
}

/* "[1, 2]": where the row of element i starts. */
static void text_row(const Node *n, uint64_t i) {
  uint64_t row = i / (uint64_t)n->dims[n->rank - 1], inside = 1;
  for (uint32_t d = 0; d + 1 < n->rank; d++) inside *= (uint64_t)n->dims[d];
  printf("    [");
  for (uint32_t d = 0; d + 1 < n->rank; d++) {
    inside /= (uint64_t)n->dims[d];
    printf("%s%" PRIu64, d ? ", " : "", row / inside % (uint64_t)n->dims[d]);
  }
  printf("]");
}

static void text_values(Eval *e, ExplainAt x, int64_t device) {
  const Node *n = &e->problem->graph[x.side]->nodes.at[x.node];
  uint64_t count = (uint64_t)node_elements(n), shown = (uint64_t)e->cli->options.eval_elements;
  if (shown > count) shown = count;
  for (uint64_t i = 0; i < shown && !e->over; i++) {
    bool starts = n->rank == 0 || i % (uint64_t)n->dims[n->rank - 1] == 0;
    if (starts && i) printf("\n");
    if (starts && n->rank > 1)
      text_row(n, i);
    else if (starts)
      printf("   ");
    const char *s = element(e, x, device, i);
    printf(" %s", s ? s : "unknown");
    if (e->exact && n->rank && i + 1 < shown && (i + 1) % (uint64_t)n->dims[n->rank - 1]) printf(",");
  }
  printf("\n");
  if (shown < count) printf("    and %" PRIu64 " more (--elements)\n", count - shown);
  arena_reset(&e->scratch, (ArenaMark){0});
}

/* "device 1 (dp 0, tp 1)" */
static void text_device(const Mesh *m, int64_t device) {
  int64_t at[64];
  printf("%" PRId64, device);
  if (m->n_axes > 64 || m->n_axes == 0) return;
  mesh_coordinate(m, device, at);
  for (uint32_t k = 0; k < m->n_axes; k++) printf("%s%s %" PRId64, k ? ", " : " (", sym_text(m->axes[k].name), at[k]);
  printf(")");
}

/* ---- JSON */

static void json_string(const char *s) {
  putchar('"');
  for (; *s; s++) {
    if (*s == '"' || *s == '\\')
      printf("\\%c", *s);
    else if ((unsigned char)*s < ' ')
      printf("\\u%04x", *s);
    else
      putchar(*s);
  }
  putchar('"');
}

static void json_values(Eval *e, ExplainAt x, int64_t device) {
  uint64_t count = (uint64_t)node_elements(&e->problem->graph[x.side]->nodes.at[x.node]);
  for (uint64_t i = 0; i < count && !e->over; i++) {
    const char *s = element(e, x, device, i);
    if (i) printf(", ");
    if (!s)
      printf("null");
    else if (e->exact || strstr(s, "inf"))
      json_string(s);
    else
      printf("%s", s);
  }
  arena_reset(&e->scratch, (ArenaMark){0});
}

/* ---- values */

/* The declared name of a result, or NULL. */
static const char *output_name(const Eval *e, ExplainAt x) {
  const Relation *r = e->problem->relation;
  const Graph *g = e->problem->graph[x.side];
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    int64_t at = x.side == SIDE_SEQ ? r->outputs[k].seq : r->outputs[k].dist;
    if (at >= 0 && (size_t)at < g->outputs.len && g->outputs.at[at].node == x.node && r->outputs[k].name)
      return sym_text(r->outputs[k].name);
  }
  for (size_t k = 0; !r->n_outputs && k < g->outputs.len; k++)
    if (g->outputs.at[k].node == x.node && g->outputs.at[k].name && g->outputs.at[k].name != g->nodes.at[x.node].name)
      return sym_text(g->outputs.at[k].name);
  return NULL;
}

/* One value: once for all devices that provably hold the same. */
static void print_value(Eval *e, ExplainAt x) {
  const Node *n = &e->problem->graph[x.side]->nodes.at[x.node];
  const Mesh *m = &e->problem->relation->mesh;
  int64_t n_devices = x.side == SIDE_DIST && m->n_devices ? m->n_devices : 1;
  bool json = e->cli->options.json;
  if (!json) {
    const char *name = output_name(e, x);
    printf("%s.%s: ", side_text[x.side], sym_text(n->name));
    text_type(n);
    printf("%s%s\n", name ? "  " : "", name ? name : "");
  }
  for (int64_t d = 0; d < n_devices && !e->over; d++) {
    uint32_t class = exact_value_class(e->run, x.side == SIDE_DIST, x.node, d);
    bool seen = false;
    for (int64_t k = 0; k < d && !seen; k++) seen = exact_value_class(e->run, x.side == SIDE_DIST, x.node, k) == class;
    if (seen) continue;
    if (json) {
      printf("%s\n  {\"name\": ", e->first ? "" : ",");
      json_string(arena_printf(&e->cli->arena, "%s.%s", side_text[x.side], sym_text(n->name)));
      if (output_name(e, x)) printf(", \"output\": "), json_string(output_name(e, x));
      printf(", \"dtype\": \"%s\", \"shape\": [", dtype_text((DType)n->dtype));
      for (uint32_t k = 0; k < n->rank; k++) printf("%s%" PRId64, k ? ", " : "", n->dims[k]);
      printf("], \"devices\": [");
    } else if (n_devices > 1) {
      printf("  device ");
    }
    e->first = false;
    for (int64_t k = d, some = 0; k < n_devices; k++) {
      if (exact_value_class(e->run, x.side == SIDE_DIST, x.node, k) != class) continue;
      if (some++) printf(", ");
      if (json)
        printf("%" PRId64, k);
      else if (n_devices > 1)
        text_device(m, k);
    }
    if (json)
      printf("], \"data\": [");
    else if (n_devices > 1)
      printf("\n");
    if (json)
      json_values(e, x, d), printf("]}");
    else
      text_values(e, x, d);
  }
}

static bool find_wanted(Eval *e, ExplainAt *at, uint32_t *n) {
  bool ok = true;
  *n = 0;
  for (uint32_t i = 0; i < e->n_wanted; i++) ok &= explain_find(e->problem, e->wanted[i], &at[(*n)++], e->cli->diags);
  for (int side = 0; e->n_wanted == 0 && side < SIDE_COUNT; side++) {
    const Graph *g = e->problem->graph[side];
    for (size_t k = 0; k < g->outputs.len; k++) at[(*n)++] = (ExplainAt){(Side)side, g->outputs.at[k].node};
  }
  return ok;
}

static Exit out_of_budget(Cli *cli, const char *why) {
  diag_error(cli->diags, nowhere, E_LIMIT, "%s", why);
  diag_hint(cli->diags, "--max-work=N or --max-numbers=N allows more");
  return EXIT_LIMIT;
}

/* Evaluates at one point and prints what is wanted. */
static Exit print_all(Cli *cli, const Problem *p, const double *const *given, const char *const *wanted,
                      uint32_t n_wanted) {
  const Options *o = &cli->options;
  ExactProblem problem = {.seq = {p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]},
                          .dist = {p->graph[SIDE_DIST], p->instance[SIDE_DIST]},
                          .relation = p->relation,
                          .options = exact_defaults(),
                          .given = given};
  if (!cli_literals(cli, &problem.literals)) return EXIT_BAD;
  problem.options.max_work = (uint64_t)o->max_work;
  problem.options.max_elements = (uint64_t)o->max_numbers;
  Eval e = {.cli = cli, .problem = p, .n_wanted = n_wanted, .wanted = wanted, .first = true};
  uint32_t n = n_wanted;
  for (int side = 0; side < SIDE_COUNT; side++) n += (uint32_t)p->graph[side]->outputs.len;
  ExplainAt *at = ARENA_ARRAY(&cli->arena, ExplainAt, n + 1);
  if (!find_wanted(&e, at, &n)) return EXIT_BAD;
  const char *why = NULL;
  ExactRun *run = exact_run(&problem, (uint64_t)o->seed, &why);
  e.run = run;
  Exit code = why ? out_of_budget(cli, why) : EXIT_VERIFIED;
  if (!why) {
    if (!strcmp(o->eval_numbers, "exact"))
      e.exact = exact_elements_new(run, (uint32_t)o->eval_precision, (uint64_t)o->max_work, 3600);
    if (o->json) printf("{\"seed\": %" PRId64 ", \"values\": [", o->seed);
    for (uint32_t i = 0; i < n && !e.over; i++) print_value(&e, at[i]);
    if (o->json) printf("\n]}\n");
    if (e.over) code = out_of_budget(cli, "too large to evaluate exactly");
    exact_elements_free(e.exact);
  }
  exact_run_free(run);
  arena_free(&e.scratch);
  return code;
}

static bool read_given(Cli *cli, const Graph *seq, const Relation *relation, const double *const **out) {
  *out = NULL;
  if (!cli->options.eval_inputs) return true;
  uint32_t id = cli_load(cli, cli->options.eval_inputs);
  return id && given_read(cli->diags, id, seq, relation, &cli->arena, out);
}

typedef struct Wanted {
  uint32_t n;
  const char *const *names;
} Wanted;

static Exit eval_pair(Cli *cli, const Asked *a, void *context) {
  const Wanted *w = context;
  Pair pair = {0};
  const double *const *given;
  Exit code = EXIT_BAD;
  if (pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags) &&
      read_given(cli, a->seq, a->relation, &given))
    code = print_all(cli, &pair.problem, given, w->names, w->n);
  pair_free(&pair);
  return code;
}

/* A graph alone: the other one is empty. */
static Exit eval_graph(Cli *cli, const Wanted *w) {
  Graph *g = cli_graph(cli, cli->args[0]), *none = graph_new();
  Library *library = g && cli_sizes_known(cli) ? cli_library(cli) : NULL;
  Exit code = EXIT_BAD;
  if (g && g->n_devices > 1) {
    diag_error(cli->diags, nowhere, E_USAGE, "%s runs on %" PRId64 " devices, which hold different inputs",
               cli->args[0], g->n_devices);
    diag_hint(cli->diags, "tvr eval SEQ %s --relation=FILE; a plan needs no relation", cli->args[0]);
  } else if (library) {
    Relation relation = {.mesh = {.n_devices = 1, .device_order = (int64_t[]){0}}};
    code = eval_pair(cli, &(Asked){library, g, none, &relation, false, nowhere}, (void *)w);
  }
  library_free(library);
  graph_free(none);
  graph_free(g);
  return code;
}

static bool is_model(const char *path) {
  size_t n = strlen(path);
  return n > 4 && !strcmp(path + n - 4, ".tvr");
}

Exit command_eval(Cli *cli) {
  if (strcmp(cli->options.eval_numbers, "exact") && strcmp(cli->options.eval_numbers, "doubles")) {
    diag_error(cli->diags, nowhere, E_USAGE, "--numbers is doubles or exact, not '%s'", cli->options.eval_numbers);
    return EXIT_BAD;
  }
  bool model = is_model(cli->args[0]);
  bool two = cli->n_args > 1 && (cli->options.relation || (!model && access(cli->args[1], R_OK) == 0));
  uint32_t n_files = two ? 2 : 1;
  Wanted w = {cli->n_args - n_files, cli->args + n_files};
  if (!cli->options.relation && !two && !model) return eval_graph(cli, &w);
  return ask_each(cli, n_files, eval_pair, &w);
}
