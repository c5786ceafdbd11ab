/* libFuzzer target: any bytes are parsed, formatted and checked without a crash; formatting keeps the tree and is
 * idempotent.  Build: clang -fsanitize=fuzzer,address,undefined with the objects of lang/. */
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "lang/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Arena arena = {0};
  AstFile *file = lang_parse(&arena, diags, sources_add(sources, "a.tvr", (const char *)data, size));
  if (!diag_errors(diags)) {
    char *text = lang_format(&arena, file, sources);
    AstFile *again = lang_parse(&arena, diags, sources_add(sources, "b.tvr", text, strlen(text)));
    if (diag_errors(diags) || !ast_equal(file, again)) abort();
    if (strcmp(text, lang_format(&arena, again, sources))) abort();
    if (lang_check(file, NULL, 0, diags)) model_of(&arena, file, diags);
  }
  diags_free(diags);
  sources_free(sources);
  arena_free(&arena);
  return 0;
}
