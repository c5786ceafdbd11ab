/* A program of the Datalog layer from beginning to end: what the commands `tvr egg` and `tvr run` share. */
#ifndef TVR_PROGRAM_H
#define TVR_PROGRAM_H
#include <stdio.h>

#include "lang/base/diag.h"

typedef struct EggOptions {
  const char *fact_directory; /* for `input`; NULL: the working directory */
  bool naive, strict, quiet;
  bool no_reasons;     /* record none: to measure what they cost */
  bool profile, json; /* print a table of rules to standard error at the end, as text or JSON */
  bool no_files;       /* neither read nor write any other file */
  uint64_t max_rows, max_matches, max_megabytes, max_seconds; /* 0: no limit */
} EggOptions;

typedef enum EggResult { EGG_OK, EGG_FAILED, EGG_LIMIT } EggResult;

typedef struct Egg Egg;

/* Runs `body`, which reads commands of its front end and runs them; messages to `out`, errors to diags. */
EggResult program_run(Diags *diags, const EggOptions *options, FILE *out, bool (*body)(Egg *e, void *context),
                      void *context);
#endif
