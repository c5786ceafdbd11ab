/* What the commands that run programs share: their limits, and how they end. */
#ifndef TVR_CLI_PROGRAM_H
#define TVR_CLI_PROGRAM_H
#include "eval/program/program.h"
#include "frontends/cli/cli.h"

/* With the questions --explain and --why-not, kept in the arena. */
ProgramOptions cli_program_options(Cli *cli);
/* Prints what was reported while the program ran and frees it: a program that fails is an answer, not a mistake in
 * the command line.  The exit code for it. */
Exit cli_program_end(Cli *cli, Diags *diags, ProgramResult result);
#endif
