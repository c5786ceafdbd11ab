/* tvr repl: a program typed in piece by piece. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "eval/rules/script.h"
#include "frontends/cli/program.h"
#include "frontends/egg/egg.h"
#include "frontends/repl/repl.h"

static const Syntax *syntax_of(Cli *cli) {
  const char *name = cli->options.syntax;
  if (!*name && cli->n_args) {
    const char *dot = strrchr(cli->args[0], '.');
    name = dot ? dot + 1 : "";
  }
  if (!strcmp(name, "egg")) return &egg_syntax;
  if (!*cli->options.syntax || !strcmp(name, "tvr")) return &rules_syntax;
  diag_error(cli->diags, (Span){0, 0, 0}, E_USAGE, "there is no syntax '%s'", name);
  diag_hint(cli->diags, "--syntax=tvr or --syntax=egg");
  return NULL;
}

/* TVR_HISTORY, else a file in the home folder; NULL if there is none. */
static const char *history_file(Cli *cli) {
  const char *file = getenv("TVR_HISTORY"), *home = getenv("HOME");
  if (file) return *file ? file : NULL;
  return home && *home ? arena_printf(&cli->arena, "%s/.tvr_history", home) : NULL;
}

Exit command_repl(Cli *cli) {
  ReplOptions repl = {.syntax = syntax_of(cli), .terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)};
  if (!repl.syntax) return EXIT_BAD;
  if (cli->n_args && !(repl.source = cli_load(cli, cli->args[0]))) return EXIT_BAD;
  if (repl.terminal) repl.history = history_file(cli);
  repl.colour = cli_colour(cli, STDERR_FILENO);
  ProgramOptions options = cli_program_options(cli);
  Diags *diags = diags_new(cli->sources);
  ProgramResult result = repl_run(diags, &options, &repl, stdout);
  cli->options.json = false; /* what was wrong was said piece by piece */
  return cli_program_end(cli, NULL, diags, result);
}
