/* What the commands that run programs share: their limits, and how they end. */
#ifndef TVR_CLI_PROGRAM_H
#define TVR_CLI_PROGRAM_H
#include "eval/program/program.h"
#include "frontends/cli/cli.h"

/* Where a program prints: with --json each kind is kept, to be a member of one object at the end; else all of it is
 * standard output. */
typedef enum PrintedKind { PRINTED_MESSAGES, PRINTED_ANSWERS, PRINTED_RULES, PRINTED_DERIVED, PRINTED_KINDS } PrintedKind;

typedef struct Printed {
  FILE *to[PRINTED_KINDS];
  char *text[PRINTED_KINDS];
  size_t len[PRINTED_KINDS];
} Printed;

/* With the questions --explain and --why-not, kept in the arena. */
ProgramOptions cli_program_options(Cli *cli);
void cli_program_begin(Cli *cli, Printed *out, ProgramOptions *options);
/* Prints what was reported while the program ran and frees it: a program that fails is an answer, not a mistake in
 * the command line.  `out`: with what it printed, or NULL.  The exit code for it. */
Exit cli_program_end(Cli *cli, Printed *out, Diags *diags, ProgramResult result);
#endif
