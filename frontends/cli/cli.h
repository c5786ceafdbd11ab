/* The command line: what every command is given, and what it returns.
 *
 * `tvr COMMAND FILE... --option=value`.  Commands are rows of commands.def, options rows of options.def; a command is
 * one function in a file command_NAME.c.  It reads its files through cli->sources, reports through cli->diags and
 * prints its result on standard output; main prints the diagnostics and turns any error among them into exit 3. */
#ifndef TVR_CLI_H
#define TVR_CLI_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "eval/graph/graph.h"
#include "eval/graph/literal.h"
#include "eval/lemma/solver.h"
#include "frontends/base/opensizes.h"
#include "lang/library.h"
#include "lang/sizes.h"

#define TVR_VERSION "0.1.0"

typedef enum Exit {
  EXIT_VERIFIED = 0, /* proved, or the command did what it was asked */
  EXIT_REFUTED = 1,  /* a counterexample exists; `fmt --check`: a file is not formatted */
  EXIT_UNPROVED = 2,
  EXIT_BAD = 3,      /* wrong usage, or a file that cannot be read or understood */
  EXIT_LIMIT = 4,    /* time, memory or a budget ran out, and there is no answer */
  EXIT_BROKEN = 70,  /* tvr contradicts itself */
} Exit;

/* Values of all options, given or default. */
typedef struct Options {
#define FLAG(id, name, commands, help) bool id;
#define NUMBER(id, name, arg, lo, hi, otherwise, commands, help) int64_t id;
#define TEXT(id, name, arg, otherwise, commands, help) const char *id;
#include "frontends/cli/options.def"
#undef FLAG
#undef NUMBER
#undef TEXT
} Options;

typedef struct Command Command;

typedef struct Cli {
  const Command *command;
  Options options;
  uint32_t n_args;
  const char **args; /* what is no option, after the command's name */
  Arena arena;
  Sources *sources;
  Diags *diags;
  bool lists;              /* --json: answers to several questions are the elements of a list, which is open */
  bool open_loops;         /* loops are read once (Graph.loops) */
  bool faults;             /* a distributed program that does not run to its end is an answer, not an error */
  uint32_t loaded;         /* files that are asked for again were read as the sources from this one on; 0: none was */
  const Sizes *sizes;      /* of the family at hand, or NULL: */
  const int64_t *sizes_at; /* and what they are now */
  OpenSizes open;          /* sizes of the files read */
} Cli;

struct Command {
  const char *name, *usage;
  uint32_t min_args, max_args;
  const char *example, *help;
  Exit (*run)(Cli *cli);
};

/* Numbers that --sizes=NAME=N,.. gives the sizes; returns the first one it does not name, sizes->n if there is none. */
uint32_t cli_sizes(Cli *cli, const Sizes *sizes, int64_t *at);
/* Whether there is a size of every name in --sizes and --family; call it when all files are read.  Else an error. */
bool cli_sizes_known(Cli *cli);
/* Loads a file; 0 and an error with the reason if it cannot be read. */
uint32_t cli_load(Cli *cli, const char *path);
/* Reports that a program does not run to its end; always false. */
bool cli_fault(Cli *cli, const Graph *g);
/* Whether --colour wants what goes to that file descriptor coloured. */
bool cli_colour(const Cli *cli, int out);
/* Reads a graph in whatever format the file is; NULL after errors. */
Graph *cli_graph(Cli *cli, const char *path);
/* The same for so many devices, where the file does not say; `before`: the other graph of the question, or NULL. */
Graph *cli_graph_over(Cli *cli, const char *path, int64_t n_devices, const Graph *before);
/* How --literals reads numbers; false after an error. */
bool cli_literals(Cli *cli, Literals *out);
/* --z3-seconds and --z3-megabytes. */
SolverLimits cli_solver(const Cli *cli);
/* The operator definitions: built in, or those of --stdlib.  NULL after errors. */
Library *cli_library(Cli *cli);

/* Fills cli from the command line; false after a wrong usage has been reported.  Asked for help or the version, prints
 * it and sets *done. */
bool options_parse(Cli *cli, int argc, char **argv, bool *done);
/* Prints a text in words from column `indent` on, where the line has `column` columns already; then a newline. */
void print_words(const char *text, int column, int indent);
/* The name closest to `word` among names[n], or NULL if none is close. */
const char *suggest_name(const char *word, const char *const *names, uint32_t n);

#define COMMAND(name, usage, min, max, example, help) Exit command_##name(Cli *cli);
#include "frontends/cli/commands.def"
#undef COMMAND
#endif
