/* `tvr repl`: a program typed in piece by piece, in either syntax.
 *
 * A piece is a line, or several until all brackets are closed; it runs at once, and what is wrong with it is said and
 * forgotten.  Words that start with a colon are for the REPL itself (`:help`).  On a terminal lines are edited by
 * libedit, with history and completion; from a pipe they are read as they are, and only results are printed. */
#ifndef TVR_REPL_H
#define TVR_REPL_H
#include "eval/program/program.h"

typedef struct ReplOptions {
  const Syntax *syntax;
  uint32_t source; /* a text run at the beginning; 0: none */
  bool terminal;   /* standard input and output are one */
  bool colour;     /* in diagnostics */
  const char *history; /* file that keeps what was typed; NULL: none */
} ReplOptions;

/* Runs until the end of the input.  PROGRAM_FAILED if a piece failed. */
ProgramResult repl_run(Diags *diags, const ProgramOptions *options, const ReplOptions *repl, FILE *out);
#endif
