/* libFuzzer target: any bytes are run as an egglog program, within small limits, without a crash or a hang.  Every check
 * is proved, as text or as JSON, and the rule on the first line says why it does not match. */
#include "frontends/egg/egg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  static const WhyQuestion first = {"1", true};
  ProgramOptions limits = {.max_rows = 2000, .max_matches = 20000, .max_megabytes = 64, .max_seconds = 2, .no_files = true};
  limits.prove = true;
  limits.json = size % 2;
  limits.n_questions = 1;
  limits.questions = &first;
  FILE *out = fopen("/dev/null", "w");
  if (out) egg_run(diags, sources_add(sources, "a.egg", (const char *)data, size), &limits, out);
  if (out) fclose(out);
  diags_free(diags);
  sources_free(sources);
  return 0;
}
