/* A .tvr file with rules, run from beginning to end: what `tvr run` is. */
#ifndef TVR_SCRIPT_H
#define TVR_SCRIPT_H
#include "eval/program/program.h"
#include "lang/ast.h"

typedef enum ScriptEnd {
  SCRIPT_OK,
  SCRIPT_BAD,    /* an item has no meaning */
  SCRIPT_FAILED, /* a check failed, or something stopped while running */
  SCRIPT_LIMIT,
} ScriptEnd;

typedef struct Script {
  const AstFile *file; /* parsed and checked */
} Script;

/* Messages to `out`, errors to diags. */
ScriptEnd script_run(const Script *s, Diags *diags, const EggOptions *options, FILE *out);
#endif
