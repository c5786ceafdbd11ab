/* `tvr egg`: runs an egglog program. */
#ifndef TVR_EGG_H
#define TVR_EGG_H
#include "eval/program/program.h"

extern const Syntax egg_syntax;
/* Runs a file already loaded; messages to `out`, errors to diags. */
ProgramResult egg_run(Diags *diags, uint32_t source, const ProgramOptions *options, FILE *out);
#endif
