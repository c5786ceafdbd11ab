/* tvr run: runs the rules of a .tvr file, over the graphs it names. */
#include "frontends/cli/graphs.h"

Exit command_run(Cli *cli) { return cli_run_rules(cli, false); }
