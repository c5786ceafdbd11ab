/* tvr run: runs the rules of a .tvr file, over the graphs it names. */
#include "eval/rules/script.h"
#include "frontends/cli/ask.h"
#include "frontends/cli/graphs.h"
#include "frontends/cli/program.h"

Exit command_run(Cli *cli) {
  static const EggResult as_program[] = {EGG_OK, EGG_FAILED, EGG_FAILED, EGG_LIMIT};
  AskModel m;
  Exit code = EXIT_BAD;
  if (ask_open(cli, cli->args[0], &m)) {
    uint32_t n;
    const FactGraph *graphs = cli_model_graphs(cli, &m, &n);
    Script script = {1, &m.file, n, graphs, m.library, NULL, NULL};
    EggOptions options = cli_program_options(cli);
    Diags *diags = diags_new(cli->sources);
    ScriptEnd end = script_run(&script, diags, &options, stdout);
    code = cli_program_end(cli, diags, as_program[end]);
    if (end == SCRIPT_BAD) code = EXIT_BAD;
  }
  ask_close(&m);
  return code;
}
