/* The language: every tests/golden/lang/NAME.tvr is parsed, checked and formatted; what comes out is NAME.expected.
 * The ```tvr blocks of SPEC.md have no errors, every code has its paragraph there, and the standard library has
 * neither errors nor warnings.  With BLESS set, the expected files are written instead. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/base/vec.h"
#include "lang/lang.h"
#include "tests/unit/ast_equal.h"

static const char folder[] = "tests/golden/lang";
static int failures;

static void fail(const char *what, const char *name) {
  printf("FAIL %s: %s\n", name, what);
  failures++;
}

/* Diagnostics of a text, and if it has no errors its canonical form.  A malloc'ed string. */
static char *outcome(const char *name, const char *text, size_t len, size_t *errors) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Arena arena = {0};
  char *out;
  size_t size;
  FILE *f = open_memstream(&out, &size);
  AstFile *file = lang_parse(&arena, diags, sources_add(sources, name, text, len));
  if (!diag_errors(diags)) {
    const char *canonical = lang_format(&arena, file, sources);
    AstFile *again = lang_parse(&arena, diags, sources_add(sources, "again", canonical, strlen(canonical)));
    if (!ast_equal(file, again)) fail("formatting changes the tree", name);
    if (strcmp(canonical, lang_format(&arena, again, sources))) fail("formatting twice differs", name);
    lang_check(file, NULL, 0, diags);
    if (!diag_errors(diags)) fputs(canonical, f);
  }
  diags_print(diags, f, false);
  *errors = diag_errors(diags);
  fprintf(f, "%zu errors\n", *errors);
  fclose(f);
  diags_free(diags);
  sources_free(sources);
  arena_free(&arena);
  return out;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void golden(Arena *arena, Sources *sources, const char *name) {
  const char *why, *path = arena_printf(arena, "%s/%s", folder, name);
  char *expected = arena_printf(arena, "%.*s.expected", (int)strlen(path) - 4, path);
  const Source *src = sources_get(sources, sources_load(sources, path, &why));
  size_t errors;
  char *out = outcome(name, src->text, src->len, &errors);
  if (getenv("BLESS")) {
    FILE *f = fopen(expected, "w");
    if (!f || fputs(out, f) < 0 || fclose(f)) fail("cannot be written", expected);
  } else {
    const Source *want = sources_get(sources, sources_load(sources, expected, &why));
    if (!want || strcmp(want->text, out)) fail("differs from what is expected; it gives", name), fputs(out, stdout);
  }
  free(out);
}

typedef Vec(char *) Names;

/* The .tvr files of a folder, sorted. */
static Names list(Arena *arena, const char *path) {
  Names names = {0};
  DIR *d = opendir(path);
  for (struct dirent *e; d && (e = readdir(d));) {
    size_t n = strlen(e->d_name);
    if (n > 4 && !strcmp(e->d_name + n - 4, ".tvr")) vec_push(&names, arena_strdup(arena, e->d_name, n));
  }
  if (d) closedir(d);
  if (!names.len) fail("no .tvr files; run from the root of the tree", path);
  else qsort(names.at, names.len, sizeof *names.at, by_text);
  return names;
}

static void goldens(void) {
  Arena arena = {0};
  Sources *sources = sources_new();
  Names names = list(&arena, folder);
  for (size_t i = 0; i < names.len; i++) golden(&arena, sources, names.at[i]);
  vec_free(&names);
  sources_free(sources);
  arena_free(&arena);
}

static void specification(void) {
  Sources *sources = sources_new();
  const char *why;
  const Source *spec = sources_get(sources, sources_load(sources, "SPEC.md", &why));
  size_t blocks = 0;
  for (const char *p = spec ? strstr(spec->text, "\n```tvr\n") : NULL; p; p = strstr(p, "\n```tvr\n")) {
    p += strlen("\n```tvr\n");
    const char *end = strstr(p, "\n```");
    if (!end) break;
    size_t errors;
    char *out = outcome("SPEC.md", p, (size_t)(end - p) + 1, &errors);
    if (errors) fail("a block has errors", "SPEC.md"), fputs(out, stdout);
    free(out);
    p = end;
    blocks++;
  }
  if (!blocks) fail("no blocks", "SPEC.md");
  for (int i = 0; i < DIAG_N_CODES && spec; i++) {
    char heading[200];
    snprintf(heading, sizeof heading, "\n### %s: %s\n", diag_code_text((DiagCode)i), diag_title((DiagCode)i));
    if (!strstr(spec->text, heading)) fail("has no paragraph in SPEC.md", diag_code_text((DiagCode)i));
  }
  sources_free(sources);
}

static void standard_library(void) {
  Arena arena = {0};
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Names names = list(&arena, "stdlib");
  Vec(const AstFile *) files = {0};
  const char *why;
  for (size_t i = 0; i < names.len; i++) {
    const char *path = arena_printf(&arena, "stdlib/%s", names.at[i]);
    vec_push(&files, lang_parse(&arena, diags, sources_load(sources, path, &why)));
  }
  for (size_t i = 0; i < files.len; i++) {
    const AstFile *self = files.at[i];
    files.at[i] = vec_last(&files);
    lang_check(self, files.at, (uint32_t)files.len - 1, diags);
    files.at[i] = self;
  }
  char *out;
  size_t size;
  FILE *f = open_memstream(&out, &size);
  diags_print(diags, f, false);
  fclose(f);
  if (diag_errors(diags)) fail("has errors", "stdlib"), fputs(out, stdout);
  free(out);
  vec_free(&files);
  vec_free(&names);
  diags_free(diags);
  sources_free(sources);
  arena_free(&arena);
}

int main(void) {
  goldens();
  standard_library();
  specification();
  if (!failures) printf("ok\n");
  return failures != 0;
}
