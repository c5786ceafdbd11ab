/* tvr reduce: a failing pair cut down to the smallest part that fails the same way, as one .tvr file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "eval/graph/written.h"
#include "eval/reduce/reduce.h"
#include "frontends/cli/ask.h"
#include "lang/lang.h"

static const Span nowhere = {0, 0, 0};

static void write(FILE *out, const Reduction *r) {
  bool same = r->was == r->verdict;
  fprintf(out, "// Cut down from %zu sequential and %zu distributed operators by `tvr reduce`; %s%s.\n",
          r->before[SIDE_SEQ], r->before[SIDE_DIST], same ? "still "
               : "unproved there, too large to evaluate; with inputs of its own ",
          verdict_text(r->verdict));
  written_mesh(out, &r->relation.mesh);
  fputc('\n', out);
  written_graph(out, "seq", r->seq, NULL);
  fputc('\n', out);
  written_graph(out, "dist", r->dist, &r->relation.mesh);
  fputc('\n', out);
  written_relation(out, &r->relation, r->seq, r->dist);
  fputs("check dist refines seq\n", out);
}

/* The file in its canonical form. */
static const char *text_of(Cli *cli, const Reduction *r) {
  char *text = NULL;
  size_t n = 0;
  FILE *out = open_memstream(&text, &n);
  if (!out) return NULL;
  write(out, r);
  fclose(out);
  AstFile *file = lang_parse(&cli->arena, cli->diags, sources_add(cli->sources, "reduced.tvr", text, n));
  const char *formatted = lang_format(&cli->arena, file, cli->sources);
  free(text);
  return formatted;
}

static Exit save(Cli *cli, const Reduction *r) {
  const char *path = cli->options.reduce_output, *text = text_of(cli, r);
  FILE *out = path ? fopen(path, "w") : stdout;
  bool ok = out && text && fputs(text, out) >= 0;
  if (out && out != stdout) ok = fclose(out) == 0 && ok;
  if (!ok) diag_error(cli->diags, nowhere, E_FILE, "cannot write '%s'", path ? path : "standard output");
  fprintf(stderr, "%s: %zu and %zu operators, from %zu and %zu; %" PRIu32 " parts tried%s\n", verdict_text(r->verdict),
          r->seq->nodes.len, r->dist->nodes.len, r->before[SIDE_SEQ], r->before[SIDE_DIST], r->n_tried,
          r->limited ? "; a limit was reached (--seconds)" : "");
  return ok ? EXIT_VERIFIED : EXIT_BAD;
}

/* A part would forget which devices hold an input or an output, and could fail for that alone. */
static bool same_on_all(Cli *cli, const Graph *g) {
  if (!g->param_on && !g->output_on) return true;
  diag_error(cli->diags, nowhere, E_UNSUPPORTED, "the devices of %s hold different inputs or outputs", sym_text(g->path));
  diag_hint(cli->diags, "tvr check names what to blame; tvr eval prints any value on every device");
  return false;
}

static Exit reduce(Cli *cli, const Asked *a, void *context) {
  bool *written = context;
  Pair pair = {0};
  Exit code = EXIT_BAD;
  CheckOptions o = check_defaults();
  o.tactics = false;
  if (same_on_all(cli, a->dist) && pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags)) {
    Reduction *r = reduce_run(a->library, &pair.problem, &o, (double)cli->options.seconds, cli->sources);
    if (!r) diag_error(cli->diags, nowhere, E_USAGE, "there is nothing to reduce: the pair is verified");
    else if (!*written) code = save(cli, r), *written = true; /* one file: of the first question */
    else code = EXIT_VERIFIED;
    reduce_free(r);
  }
  pair_free(&pair);
  return code;
}

Exit command_reduce(Cli *cli) {
  bool written = false;
  return ask_each(cli, cli->n_args, reduce, &written);
}
