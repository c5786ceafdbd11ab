/* libFuzzer target: any bytes are parsed, formatted and checked without a crash, at some sizes too; formatting keeps the
 * tree and is idempotent.  Build: clang -fsanitize=fuzzer,address,undefined with the objects of lang/. */
#include <stdlib.h>
#include <string.h>

#include "lang/lang.h"
#include "lang/sizes.h"
#include "tests/unit/ast_equal.h"

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
    lang_check(file, NULL, 0, diags);
    Sizes sizes;
    sizes_of(&sizes, file, &arena);
    int64_t at[SIZES_MAX] = {8, 1, 3, 1000003, 2, 7, 64, 5};
    if (!diag_errors(diags) && sizes.n && sizes_admit(&sizes, at))
      lang_check(sizes_put(&sizes, at, file, &arena), NULL, 0, diags);
  }
  diags_free(diags);
  sources_free(sources);
  arena_free(&arena);
  return 0;
}
