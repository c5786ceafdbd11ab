#include "frontends/cli/ask.h"

#include <string.h>
#include <unistd.h>

#include "eval/graph/blocks.h"
#include "eval/graph/narrowing.h"
#include "eval/verdict/model.h"
#include "eval/verdict/report.h"
#include "frontends/base/relation.h"
#include "frontends/base/weights.h"
#include "lang/lang.h"

static const Span nowhere = {0, 0, 0};

const char *ask_folder(Arena *a, const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? arena_strdup(a, path, (size_t)(slash - path)) : ".";
}

/* ---- two graphs and a relation file */

/* A file's name at the sizes at hand. */
static const char *path_of(Cli *cli, const char *path) {
  return cli->sizes ? sizes_path(cli->sizes, cli->sizes_at, path, &cli->arena) : path;
}

static Relation *read_relation(Cli *cli, const char *path) {
  uint32_t id = cli_load(cli, path);
  return id ? relation_read(cli->diags, id) : NULL;
}

/* What relates two graphs without a relation file: names, if both are for one device or the distributed one says how they
 * lie over its mesh. */
static Relation *relation_without_file(Cli *cli, const Graph *seq, const Graph *dist) {
  if (!seq || !dist) return NULL;
  if (seq->n_devices <= 1 && (dist->n_devices <= 1 || dist->param_layouts)) return relation_of_names(cli->diags, seq, dist);
  diag_error(cli->diags, nowhere, E_USAGE, "how do the two graphs correspond?");
  diag_hint(cli->diags, "give --relation=relation.json");
  return NULL;
}

/* A program that does not run to its end needs no comparison. */
static Exit answer_fault(Cli *cli, const Graph *g, bool distributed) {
  if (!distributed || !cli->faults) return cli_fault(cli, g), EXIT_BAD;
  const char *sources = cli->options.sources ? cli->options.sources : ask_folder(&cli->arena, sym_text(g->path));
  report_fault(g, &(ReportStyle){.colour = cli_colour(cli, STDOUT_FILENO), .folder = sources}, cli->options.json, stdout);
  return EXIT_REFUTED;
}

/* Everything is read even after an error, so that one run shows several.  *unroll: ask again, with loops unrolled, of the
 * same library. */
static Exit ask_once(Cli *cli, AskAnswer *answer, void *context, Library **read, bool *unroll) {
  uint32_t id = cli->options.relation ? cli_load(cli, path_of(cli, cli->options.relation)) : 0;
  bool named = id && relation_is_named(cli->diags, id);
  Relation *relation = id && !named ? relation_read(cli->diags, id) : NULL;
  Graph *seq = cli_graph(cli, path_of(cli, cli->args[0]));
  Graph *dist = cli_graph_over(cli, path_of(cli, cli->args[1]), relation ? relation->mesh.n_devices : 0, seq);
  if (seq && dist && !dist->fault && !cli->options.relation) dist->fault = relation_missing(seq, dist, &dist->arena);
  if (seq && dist && (seq->fault || dist->fault)) {
    Exit code = diag_errors(cli->diags) ? EXIT_BAD : answer_fault(cli, seq->fault ? seq : dist, !seq->fault);
    relation_free(relation);
    graph_free(seq);
    graph_free(dist);
    return code;
  }
  size_t loops = seq ? seq->loops.len : 0;
  if (named && seq && dist) relation = relation_read_named(cli->diags, id, &seq, dist);
  if (relation && !named && seq) { /* blocks in another order */
    Graph *g = blocks_apply(seq, relation, cli->diags);
    if (g != seq) graph_free(seq);
    seq = g;
  }
  if (!cli->options.relation) relation = relation_without_file(cli, seq, dist);
  Library *library = *read ? *read : cli_library(cli);
  *read = library;
  Exit code = EXIT_BAD;
  *unroll = (seq && seq->loops.len) || (dist && dist->loops.len); /* unless they are answered about */
  bool ready = seq && dist && cli_sizes_known(cli) && relation && library;
  ready = ready && weights_relate(relation, seq, dist, cli->diags);
  if (ready) narrowing_mark(seq, relation, 0), narrowing_mark(dist, relation, 1);
  if (ready && seq->loops.len == loops) /* else blocks in another order made another graph of it */
    code = answer(cli, &(Asked){library, seq, dist, relation, false, nowhere, NULL, unroll}, context);
  relation_free(relation);
  graph_free(seq);
  graph_free(dist);
  return code;
}

static Exit ask_files(Cli *cli, AskAnswer *answer, void *context) {
  size_t said = diags_count(cli->diags);
  bool unroll = false, open = cli->open_loops;
  uint32_t first = sources_last(cli->sources) + 1;
  Library *library = NULL;
  Exit code = ask_once(cli, answer, context, &library, &unroll);
  if (unroll) {
    diags_forget(cli->diags, said);
    cli->open_loops = false;
    cli->loaded = first;
    if (cli->options.with) library_free(library), library = NULL; /* what it says is to be said again */
    code = ask_once(cli, answer, context, &library, &unroll);
    cli->open_loops = open;
    cli->loaded = 0;
  }
  library_free(library);
  return code;
}

/* ---- a model */

typedef struct ModelFiles {
  Cli *cli;
  const char *folder;
  const Graph *first; /* of the graphs read */
} ModelFiles;

/* Paths are relative to the model. */
static const char *beside(const ModelFiles *f, Sym path) {
  bool here = *sym_text(path) == '/' || !strcmp(f->folder, ".");
  return here ? sym_text(path) : arena_printf(&f->cli->arena, "%s/%s", f->folder, sym_text(path));
}

static Graph *model_graph(void *context, Sym reader, Sym path, int64_t n_devices, Span at) {
  ModelFiles *f = context;
  if (reader == sym("hlo") || reader == sym("stablehlo") || reader == sym("torch") || reader == sym("onnx") ||
      reader == sym("plan")) {
    Graph *g = cli_graph_over(f->cli, beside(f, path), n_devices, f->first);
    if (!f->first) f->first = g;
    return g;
  }
  diag_error(f->cli->diags, at, E_UNSUPPORTED, "there is no reader `%s`", sym_text(reader));
  diag_hint(f->cli->diags, "there are: hlo, stablehlo, torch, onnx, plan");
  return NULL;
}

static Relation *model_relation(void *context, Sym path, Span at) {
  (void)at;
  ModelFiles *f = context;
  return read_relation(f->cli, beside(f, path));
}

/* Of several answers the gravest is the exit code. */
static int gravity(Exit e) { return e == EXIT_UNPROVED ? 1 : e == EXIT_REFUTED ? 2 : e ? 3 + (int)e : 0; }

static Graph *graph_of(const Model *m, const Graph *g) {
  for (size_t k = 0; k < m->graphs.len; k++)
    if (m->graphs.at[k].graph == g) return m->graphs.at[k].graph;
  return NULL;
}

static bool relate_weights(Cli *cli, Model *m) {
  for (uint32_t i = 0; i < m->n_checks; i++) {
    ModelCheck *c = &m->checks[i];
    Graph *seq = graph_of(m, c->seq), *dist = graph_of(m, c->dist);
    if (seq && dist && !weights_relate(&c->relation, seq, dist, cli->diags)) return false;
  }
  return true;
}

/* A model with sizes is read at the numbers that the family or --sizes chooses. */
static const AstFile *at_sizes(Cli *cli, const AstFile *file) {
  Sizes own, *sizes = &own;
  int64_t chosen[SIZES_MAX];
  sizes_of(&own, file, &cli->arena);
  for (uint32_t i = 0; i < own.n; i++) opensizes_know(&cli->open, own.names[i]);
  if (cli->sizes || !own.n) return cli->sizes ? sizes_put(cli->sizes, cli->sizes_at, file, &cli->arena) : file;
  uint32_t missing = cli_sizes(cli, sizes, chosen);
  if (missing < sizes->n) {
    diag_error(cli->diags, nowhere, E_USAGE, "which number is the size `%s` of the model?", sym_text(sizes->names[missing]));
    diag_hint(cli->diags, "choose: --sizes=%s=8", sym_text(sizes->names[missing]));
    return NULL;
  }
  if (sizes_admit(sizes, chosen)) return sizes_put(sizes, chosen, file, &cli->arena);
  diag_error(cli->diags, nowhere, E_USAGE, "%s: the model assumes something else", sizes_print(sizes, chosen, &cli->arena));
  return NULL;
}

const AstFile *ask_parse(Cli *cli, const char *path) {
  static const char *const graphs[][2] = {
      {".hlo", "hlo"}, {".mlir", "stablehlo"}, {".json", "torch"}, {".onnx", "onnx"}, {".pt2", "torch"}};
  const char *dot = strrchr(path, '.');
  for (size_t k = 0; dot && k < sizeof graphs / sizeof *graphs; k++)
    if (!strcmp(dot, graphs[k][0])) {
      diag_error(cli->diags, nowhere, E_USAGE, "'%s' is one graph, which asks nothing", path);
      if (cli->command->max_args == 1)
        diag_hint(cli->diags, "give a .tvr file that reads it: graph g = %s(\"%s\")", graphs[k][1], path);
      else diag_hint(cli->diags, "tvr %s %s", cli->command->name, cli->command->usage);
      return NULL;
    }
  uint32_t id = cli_load(cli, path);
  const AstFile *file = id ? lang_parse(&cli->arena, cli->diags, id) : NULL;
  return file && !diag_errors(cli->diags) ? file : NULL;
}

bool ask_open(Cli *cli, const char *path, AskModel *m) {
  *m = (AskModel){0};
  uint32_t n;
  const AstFile *file = ask_parse(cli, path);
  m->library = file ? cli_library(cli) : NULL;
  if (!m->library) return false;
  const AstFile *const *files = library_files(m->library, &n);
  ModelFiles files_of = {cli, ask_folder(&cli->arena, path), NULL};
  ModelReaders readers = {&files_of, model_graph, model_relation};
  if (!lang_check(file, files, n, cli->diags)) return false;
  m->file = at_sizes(cli, file);
  if (!m->file || (m->file != file && !lang_check(m->file, files, n, cli->diags))) return false;
  if (!model_make(&m->model, m->file, &readers, cli->diags) || !cli_sizes_known(cli)) return false;
  library_add(m->library, m->file);
  return relate_weights(cli, &m->model);
}

void ask_close(AskModel *m) {
  model_free(&m->model);
  library_free(m->library);
}

static Exit ask_model(Cli *cli, AskAnswer *answer, void *context) {
  AskModel m;
  Exit code = EXIT_BAD;
  if (ask_open(cli, cli->args[0], &m)) {
    code = EXIT_VERIFIED;
    if (!m.model.n_checks) {
      diag_error(cli->diags, (Span){m.file->source, 0, 0}, E_RELATION, "the model asks nothing");
      diag_hint(cli->diags, "end it with `check dist refines seq`");
    }
    bool several = m.model.n_checks > 1, certified = cli->options.certificate != NULL;
    if (several && certified)
      diag_error(cli->diags, m.model.checks[1].span, E_USAGE, "a certificate is of one question: this is another one");
    cli->lists = several && !certified && cli->options.json && !cli->sizes && cli->command->run != command_reduce;
    for (uint32_t i = 0; i < m.model.n_checks && !(several && certified); i++) {
      if (cli->lists && i && diag_errors(cli->diags)) break; /* which are the last element of the list */
      if (cli->lists) fputs(i ? ",\n" : "[\n", stdout);
      ModelCheck *c = &m.model.checks[i];
      Asked asked = {m.library, c->seq, c->dist, &c->relation, c->infer, c->span, &m, NULL};
      Exit one = answer(cli, &asked, context);
      if (gravity(one) > gravity(code)) code = one;
    }
  }
  ask_close(&m);
  return code;
}

Exit ask_each(Cli *cli, uint32_t n_files, AskAnswer *answer, void *context) {
  if (n_files == 2) return ask_files(cli, answer, context);
  cli->open_loops = false;
  if (!cli->options.relation) return ask_model(cli, answer, context);
  diag_error(cli->diags, nowhere, E_USAGE, "a relation file goes with two graphs");
  diag_hint(cli->diags, "tvr %s %s", cli->command->name, cli->command->usage);
  return EXIT_BAD;
}
