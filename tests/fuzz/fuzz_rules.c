/* libFuzzer target: any bytes are run as the rules of a .tvr file, within small limits, without a crash or a hang. */
#include "eval/rules/script.h"
#include "lang/lang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Arena arena = {0};
  ProgramOptions limits = {.max_rows = 2000, .max_matches = 20000, .max_megabytes = 64, .max_seconds = 2, .no_files = true};
  const AstFile *file = lang_parse(&arena, diags, sources_add(sources, "a.tvr", (const char *)data, size));
  FILE *out = fopen("/dev/null", "w");
  if (out && !diag_errors(diags) && lang_check(file, NULL, 0, diags))
    script_run(&(Script){.n_files = 1, .files = &file}, diags, &limits, out);
  if (out) fclose(out);
  diags_free(diags);
  sources_free(sources);
  arena_free(&arena);
  return 0;
}
