#include "eval/lemma/missing.h"

#include <string.h>

#include "eval/lemma/breaker.h"
#include "eval/verdict/report.h"
#include "lang/lang.h"

enum { TRIED = 8, NUMBERS = 4096 /* names of shapes: more than a lemma has */ };

/* The lemma by a name that no file has; NULL: it cannot be read. */
static const AstItem *parsed(const char *lemma, Library *library, Arena *a, Diags *diags, uint32_t *source) {
  uint32_t n;
  const AstFile *const *files = library_files(library, &n);
  char *text = arena_printf(a, "%s\n", lemma);
  char *name = strstr(text, "missing");
  if (name) memcpy(name, "_tried_", strlen("missing"));
  *source = sources_add(diags_sources(diags), "", text, strlen(text));
  const AstFile *file = *source ? lang_parse(a, diags, *source) : NULL;
  bool ok = file && file->n_items == 1 && lang_check(file, files, n, diags);
  return ok && file->items[0]->kind == ITEM_LEMMA ? file->items[0] : NULL;
}

static bool breaks(const char *lemma, Library *library, Arena *a, Diags *diags) {
  size_t before = diags_count(diags);
  uint32_t source;
  Shapes shapes;
  bool found = false;
  const AstItem *item = parsed(lemma, library, a, diags, &source);
  if (item && shapes_of(&shapes, item, a)) {
    uint32_t number = source * NUMBERS;
    Broken b = breaker_run_valued(&shapes, library, &number, a, diags);
    found = b.found && !b.wrong;
  }
  diags_forget(diags, before);
  return found;
}

void missing_try(CheckReport *r, Library *library, Arena *a, Diags *diags) {
  const char *seen[TRIED];
  bool broken[TRIED];
  uint32_t n = 0;
  for (uint32_t k = 0; k < r->n_results; k++) {
    CheckOutput *o = &r->outputs[k];
    const char *lemma = report_lemma(r, o);
    uint32_t i = 0;
    while (lemma && i < n && strcmp(seen[i], lemma)) i++;
    if (!lemma || i == TRIED) continue;
    if (i == n) seen[n++] = lemma, broken[i] = breaks(lemma, library, a, diags);
    o->false_lemma = broken[i];
  }
}
