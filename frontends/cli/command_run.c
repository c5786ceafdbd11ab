/* tvr run: runs the rules of a .tvr file. */
#include "eval/rules/script.h"
#include "frontends/cli/program.h"
#include "lang/lang.h"

Exit command_run(Cli *cli) {
  static const EggResult as_program[] = {EGG_OK, EGG_FAILED, EGG_FAILED, EGG_LIMIT};
  uint32_t source = cli_load(cli, cli->args[0]);
  Script script = {.file = source ? lang_parse(&cli->arena, cli->diags, source) : NULL};
  if (!source || diag_errors(cli->diags) || !lang_check(script.file, NULL, 0, cli->diags)) return EXIT_BAD;
  EggOptions options = cli_program_options(cli);
  Diags *diags = diags_new(cli->sources);
  ScriptEnd end = script_run(&script, diags, &options, stdout);
  Exit code = cli_program_end(cli, diags, as_program[end]);
  return end == SCRIPT_BAD ? EXIT_BAD : code;
}
