/* tvr egg: runs an egglog program. */
#include "frontends/cli/program.h"
#include "frontends/egg/egg.h"

Exit command_egg(Cli *cli) {
  ProgramOptions options = cli_program_options(cli);
  uint32_t source = cli_load(cli, cli->args[0]);
  if (!source) return EXIT_BAD;
  Diags *diags = diags_new(cli->sources);
  Printed out;
  cli_program_begin(cli, &out, &options);
  return cli_program_end(cli, &out, diags, egg_run(diags, source, &options, out.to[PRINTED_MESSAGES]));
}
