/* `tvr egg`: runs an egglog program. */
#ifndef TVR_EGG_H
#define TVR_EGG_H
#include <stdio.h>

#include "lang/base/diag.h"

typedef struct EggOptions {
  const char *fact_directory; /* for `input`; NULL: the working directory */
  bool naive, strict, quiet;
  bool profile, json; /* print a table of rules to standard error at the end, as text or JSON */
} EggOptions;

/* Runs a file already loaded; messages to `out`, errors to diags.  True if the whole program succeeded. */
bool egg_run(Diags *diags, uint32_t source, const EggOptions *options, FILE *out);
#endif
