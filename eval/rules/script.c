#include "eval/rules/script.h"

#include "eval/rules/rules.h"

typedef struct Job {
  const Script *script;
  Result result;
} Job;

static bool run(Egg *e, void *context) {
  Job *job = context;
  Rules r = {.egg = e};
  e->infix = true;
  job->result = rules_file(&r, job->script->file);
  rules_free(&r);
  return job->result == RESULT_OK;
}

ScriptEnd script_run(const Script *s, Diags *diags, const EggOptions *options, FILE *out) {
  Job job = {s, RESULT_BAD};
  EggResult result = program_run(diags, options, out, run, &job);
  if (result == EGG_OK) return SCRIPT_OK;
  if (result == EGG_LIMIT) return SCRIPT_LIMIT;
  return job.result == RESULT_FAILED ? SCRIPT_FAILED : SCRIPT_BAD;
}
