/* `tvr egg`: runs an egglog program. */
#ifndef TVR_EGG_H
#define TVR_EGG_H
#include <stdio.h>

#include "lang/base/diag.h"

typedef struct EggOptions {
  const char *fact_directory; /* for `input`; NULL: the working directory */
  bool naive, strict, quiet;
  bool profile, json; /* print a table of rules to standard error at the end, as text or JSON */
  bool no_files;       /* neither read nor write any other file */
  uint64_t max_rows, max_matches, max_megabytes, max_seconds; /* 0: no limit */
} EggOptions;

typedef enum EggResult { EGG_OK, EGG_FAILED, EGG_LIMIT } EggResult;

/* Runs a file already loaded; messages to `out`, errors to diags. */
EggResult egg_run(Diags *diags, uint32_t source, const EggOptions *options, FILE *out);
#endif
