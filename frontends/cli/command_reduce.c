/* tvr reduce: a failing pair cut down to the smallest part that fails the same way, as one .tvr file. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "eval/graph/written.h"
#include "eval/reduce/reduce.h"
#include "eval/verdict/infer.h"
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

/* {"verdict": .., "was": .., "operators": [seq, dist], "from": [seq, dist], "tried": n, "limited": .., "text": .. or
 * "file": ..} */
static void tell_json(const Reduction *r, const char *path, const char *text) {
  json_t *o = json_pack("{s:s, s:s, s:[I, I], s:[I, I], s:I, s:b, s:s}", "verdict", verdict_text(r->verdict), "was",
                        verdict_text(r->was), "operators", (json_int_t)r->seq->nodes.len, (json_int_t)r->dist->nodes.len,
                        "from", (json_int_t)r->before[SIDE_SEQ], (json_int_t)r->before[SIDE_DIST], "tried",
                        (json_int_t)r->n_tried, "limited", r->limited, path ? "file" : "text", path ? path : text);
  json_dumpf(o, stdout, JSON_INDENT(1));
  printf("\n");
  json_decref(o);
}

static Exit save(Cli *cli, const Reduction *r) {
  const char *path = cli->options.reduce_output, *text = text_of(cli, r);
  bool json = cli->options.json;
  FILE *out = path ? fopen(path, "w") : json ? NULL : stdout;
  bool ok = text && (out ? fputs(text, out) >= 0 : !path);
  if (out && out != stdout) ok = fclose(out) == 0 && ok;
  if (!ok) {
    diag_error(cli->diags, nowhere, E_FILE, "cannot write '%s'", path ? path : "standard output");
    return EXIT_BAD;
  }
  if (json) tell_json(r, path, text);
  else
    fprintf(stderr, "%s: %zu and %zu operators, from %zu and %zu; %" PRIu32 " parts tried%s\n", verdict_text(r->verdict),
            r->seq->nodes.len, r->dist->nodes.len, r->before[SIDE_SEQ], r->before[SIDE_DIST], r->n_tried,
            r->limited ? "; a limit was reached (--seconds)" : "");
  return EXIT_VERIFIED;
}

/* A part would forget which devices hold an input or an output, and could fail for that alone. */
static bool same_on_all(Cli *cli, const Graph *g) {
  if (!g->param_on && !g->output_on) return true;
  diag_error(cli->diags, nowhere, E_UNSUPPORTED, "the devices of %s hold different inputs or outputs", sym_text(g->path));
  diag_hint(cli->diags, "tvr check names what to blame; tvr eval prints any value on every device");
  return false;
}

/* One file: of the first question that fails. */
static Exit reduce(Cli *cli, const Asked *a, void *context) {
  bool *written = context;
  Pair pair = {0};
  Exit code = EXIT_BAD;
  CheckOptions o = check_defaults();
  Inference *how = NULL;
  if (*written) return EXIT_VERIFIED;
  bool ok = same_on_all(cli, a->dist) && pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags);
  if (ok && a->infer)
    ok = infer_outputs(&pair.problem, a->relation, &o.prove, &pair.arena, &how, a->at, cli->diags);
  o.inferred = how;
  if (ok && pair_check_outputs(a->relation, cli->diags)) {
    Reduction *r = reduce_run(a->library, &pair.problem, &o, (double)cli->options.seconds, cli->sources);
    code = r ? save(cli, r) : EXIT_VERIFIED;
    *written = r != NULL;
    reduce_free(r);
  }
  pair_free(&pair);
  return code;
}

Exit command_reduce(Cli *cli) {
  bool written = false;
  Exit code = ask_each(cli, cli->n_args, reduce, &written);
  if (code == EXIT_VERIFIED && !written && !diag_errors(cli->diags))
    diag_error(cli->diags, nowhere, E_USAGE, "there is nothing to reduce: what is asked is verified");
  return code;
}
