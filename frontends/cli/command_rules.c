/* tvr rules: runs the rules of a .tvr file and says which there were and what they did. */
#include "frontends/cli/graphs.h"

Exit command_rules(Cli *cli) { return cli_run_rules(cli, true); }
