/* A program of the Datalog layer from beginning to end: what the commands `tvr egg` and `tvr run` share. */
#ifndef TVR_PROGRAM_H
#define TVR_PROGRAM_H
#include <stdio.h>

#include "lang/base/diag.h"

typedef struct ProgramOptions {
  const char *fact_directory; /* for `input`; NULL: the working directory */
  bool naive, strict, quiet;
  bool no_reasons;     /* record none: to measure what they cost */
  bool prove;          /* every check says why it holds */
  bool progress;       /* show it on standard error, a terminal, while rules run for longer than two seconds */
  bool profile, json; /* print a table of rules to standard error at the end, as text or JSON */
  FILE *answers;       /* with `json`: proofs and answers, each on a line, instead of among the messages; or NULL */
  bool no_files;       /* neither read nor write any other file */
  uint64_t max_rows, max_matches, max_megabytes, max_seconds, max_iterations; /* 0: no limit */
  uint64_t max_dag;    /* classes in dags that are kept while the best are looked for; 0: 2^24 */
  uint64_t max_proof_steps, max_proof_lines; /* of one proof: looked for, printed; 0: PROOF_STEPS, PROOF_LINES */
  uint32_t n_questions; /* asked at the end */
  const struct WhyQuestion *questions;
} ProgramOptions;

enum { PROOF_STEPS = 200000, PROOF_LINES = 400 };

/* Why do these facts hold?  Why does this rule (a name, or a line) not match? */
typedef struct WhyQuestion {
  const char *text;
  bool why_not;
} WhyQuestion;

typedef enum ProgramResult {
  PROGRAM_OK,
  PROGRAM_BAD,    /* a command has no meaning, or a file cannot be read */
  PROGRAM_FAILED, /* a check failed, or something stopped while running */
  PROGRAM_LIMIT,
} ProgramResult;

typedef struct Program Program;

/* A syntax that programs are written in. */
typedef struct Syntax {
  const char *name;  /* as the command that runs such files */
  const char *check[2]; /* what stands before and behind the facts of a check */
  bool infix;        /* Program.infix */
  /* Runs a text; false if it or what it says failed. */
  bool (*run)(Program *e, uint32_t source, void *context);
  const char *const *words; /* that items begin with, NULL at the end: for completion */
  /* What `run` needs as its context, from the beginning of a program to its end; may be NULL. */
  void *(*open)(Program *e);
  void (*close)(void *context);
  /* Is a text whole, or does it stop inside brackets or a string? */
  bool (*is_whole)(const char *text, size_t n);
} Syntax;

/* Runs `body`, which reads commands of its front end and runs them; messages to `out`, errors to diags. */
ProgramResult program_run(Diags *diags, const ProgramOptions *options, FILE *out, bool (*body)(Program *e, void *context),
                      void *context);
struct DbProgress;
/* A line on the terminal, if it has been two seconds; true. */
bool program_show_progress(void *program, const struct DbProgress *p);
/* Sets the limits of the options, from now on. */
void program_limit(Program *e);
/* Answers the questions of the options in the state the program has come to, limits or not; call it last in a body.
 * False if one had no answer. */
bool program_ask(Program *e, const Syntax *syntax, void *context);
/* Are all strings and brackets (pairs of characters) of a text closed?  `comment` starts one to the end of the line. */
bool program_closed(const char *text, size_t n, const char *brackets, const char *comment);
#endif
