/* tvr explain: what an error code means, or what a value of a graph is: its term over indices, where it comes from, and
 * which value of the other graph it equals; or what a fact of an egglog program rests on, and why a rule does not match. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "eval/verdict/explain.h"
#include "frontends/cli/ask.h"
#include "frontends/cli/program.h"
#include "frontends/egg/egg.h"
#include "lang/error_text.h"

static const Span nowhere = {0, 0, 0};

static bool looks_like_code(const char *s) {
  return strchr("EWew", *s) && strlen(s) > 1 && strspn(s + 1, "0123456789") == strlen(s) - 1;
}

static void tell_code(Cli *cli, const char *code, const char *title) {
  const struct ErrorText *t = error_text;
  while (t->code && strcmp(t->code, code) != 0) t++;
  const char *text = t->code ? t->text : "";
  if (cli->options.json) {
    json_t *answer = json_pack("{s:s, s:s, s:s}", "code", code, "title", title, "text", text);
    json_dumpf(answer, stdout, 0);
    json_decref(answer);
    printf("\n");
    return;
  }
  printf("%s: %s\n", code, title);
  char *rest = arena_strdup(&cli->arena, text, strlen(text));
  for (char *paragraph; (paragraph = strsep(&rest, "\n")) && *paragraph;) print_words(paragraph, 0, 2);
}

static Exit explain_code(Cli *cli) {
  const char *codes[DIAG_N_CODES];
  for (int i = 0; i < DIAG_N_CODES; i++) {
    codes[i] = diag_code_text((DiagCode)i);
    if (strcasecmp(cli->args[0], codes[i]) != 0) continue;
    tell_code(cli, codes[i], diag_title((DiagCode)i));
    return EXIT_VERIFIED;
  }
  const char *near = suggest_name(cli->args[0], codes, DIAG_N_CODES);
  diag_error(cli->diags, nowhere, E_USAGE, "there is no error code '%s'", cli->args[0]);
  if (near) diag_hint(cli->diags, "did you mean %s?", near);
  return EXIT_BAD;
}

typedef struct Wanted {
  uint32_t n;
  const char **names;
} Wanted;

static Exit explain_values(Cli *cli, const Asked *a, void *context) {
  const Wanted *w = context;
  Pair pair = {0};
  Exit code = EXIT_BAD;
  ProveOptions o = PROVE_OPTIONS;
  if (cli_literals(cli, &o.literals) && pair_make(&pair, a->library, a->seq, a->dist, a->relation, cli->diags)) {
    Proof *proof = prove_direct(&pair.problem, &o);
    ExplainAt *at = ARENA_ARRAY(&cli->arena, ExplainAt, w->n);
    bool ok = true;
    for (uint32_t i = 0; i < w->n; i++) ok &= explain_find(&pair.problem, w->names[i], &at[i], cli->diags);
    if (ok) (cli->options.json ? explain_values_json : explain_print)(proof, at, w->n, stdout);
    if (ok) code = EXIT_VERIFIED;
    proof_free(proof);
  }
  pair_free(&pair);
  return code;
}

static bool ends_in(const char *path, const char *end) {
  size_t n = strlen(path);
  return n > strlen(end) && !strcmp(path + n - strlen(end), end);
}

/* Runs an egglog program and asks it: facts start with a bracket, anything else is a rule. */
static Exit explain_program(Cli *cli) {
  ProgramOptions options = cli_program_options(cli);
  WhyQuestion *questions = ARENA_ARRAY(&cli->arena, WhyQuestion, cli->n_args);
  for (uint32_t i = 1; i < cli->n_args; i++) questions[i - 1] = (WhyQuestion){cli->args[i], *cli->args[i] != '('};
  options.n_questions = cli->n_args - 1;
  options.questions = questions;
  options.quiet = true;
  uint32_t source = cli_load(cli, cli->args[0]);
  if (!source) return EXIT_BAD;
  Diags *diags = diags_new(cli->sources);
  return cli_program_end(cli, NULL, diags, egg_run(diags, source, &options, stdout));
}

Exit command_explain(Cli *cli) {
  if (cli->n_args == 1) {
    if (looks_like_code(cli->args[0])) return explain_code(cli);
    diag_error(cli->diags, nowhere, E_USAGE, "which value is to be explained?");
    diag_hint(cli->diags, "tvr explain %s", cli->command->usage);
    return EXIT_BAD;
  }
  if (ends_in(cli->args[0], ".egg")) return explain_program(cli);
  uint32_t n_files = cli->options.relation || !ends_in(cli->args[0], ".tvr") ? 2 : 1;
  if (cli->n_args <= n_files) {
    diag_error(cli->diags, nowhere, E_USAGE, "which value is to be explained?");
    diag_hint(cli->diags, "name it behind the files: dist.dot.5");
    return EXIT_BAD;
  }
  Wanted w = {cli->n_args - n_files, cli->args + n_files};
  return ask_each(cli, n_files, explain_values, &w);
}
