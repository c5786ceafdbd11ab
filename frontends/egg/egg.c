#include "frontends/egg/egg.h"

#include "eval/program/command.h"
#include "frontends/egg/read.h"

static bool run_source(Egg *e, void *context) {
  e->read = sexp_read;
  return command_source(e, *(uint32_t *)context) == RESULT_OK;
}

EggResult egg_run(Diags *diags, uint32_t source, const EggOptions *options, FILE *out) {
  return program_run(diags, options, out, run_source, &source);
}
