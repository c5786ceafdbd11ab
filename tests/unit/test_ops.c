/* What definitions say about sharding: the standard library's, and definitions made to mislead. */
#include <assert.h>
#include <string.h>

#include "eval/meaning/ops.h"
#include "lang/lang.h"

static const char own[] =
    "op softmax(x[*b, j]) -> [*b, j] = exp(x[*b, j]) / sum(k) exp(x[*b, k])\n"
    "op square_of_sum(x[i], y[i]) -> [] = (sum(i) x[i]) * (sum(i) y[i])\n"
    "op sum_of_square(x[i]) -> [] = sum(i) x[i] ^ 2\n"
    "op exp_of_sum(x[i]) -> [] = exp(sum(i) x[i])\n"
    "op max_plus(x[i], y[]) -> [] = (max(i) x[i]) + y\n"
    "op max_of_sum(x[i, j]) -> [] = max(i) sum(j) x[i, j]\n"
    "op scaled(x[i, j], y[j]) -> [j] = 2 * (sum(i) x[i, j]) * y[j]\n"
    "op shift(x[i]) -> [i] = x[i - 1]\n"
    "op gate(x[i], p[]) -> [] = if p then sum(i) x[i] else 0\n"
    "op chosen(x[i]) -> [] = if (sum(i) x[i]) > 0 then 1 else 0\n";

static const struct {
  const char *op;
  uint32_t definition;
  const char *expected;
} cases[] = {
    {"add", 1, "free *i"},
    {"iota", 0, "free *a, position i"},
    {"reshape", 0, "digits *i, digits *o"},
    {"slice", 0, "whole *i, position *o"},
    {"dot", 0, "free *b, max *k, free *m, free *n"},
    {"dot", 2, "free *b, sum *k, free *m, free *n"},
    {"reduce", 1, "sum+ *k, free *o"},
    {"reduce", 2, "max *k, free *o"},
    {"reduce", 4, "whole *k, batch *o"},
    {"all_gather", 0, "free *a, free i, device h"},
    {"all_to_all", 0, "free *a, device q, free i, device h"},
    {"sort", 0, "batch *b, whole i"},
    {"gather", 0, "free *p, whole *c, free *w, free *n, whole v"},
    {"softmax", 0, "free *b, whole j"},
    {"square_of_sum", 0, "whole i"},
    {"sum_of_square", 0, "sum i"},
    {"exp_of_sum", 0, "whole i"},
    {"max_plus", 0, "whole i"},
    {"max_of_sum", 0, "max i, whole j"},
    {"scaled", 0, "sum i, free j"},
    {"shift", 0, "whole i"},
    {"gate", 0, "sum i"},
    {"chosen", 0, "whole i"},
};

int main(void) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Library *lib = library_load(NULL, diags);
  Arena a = {0};
  assert(lib);
  library_add(lib, lang_parse(&a, diags, sources_add(sources, "own.tvr", own, sizeof own - 1)));
  assert(diag_errors(diags) == 0);
  int failed = 0;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    uint32_t n;
    const OpsRow *rows = ops_table(lib, sym(cases[i].op), &n, &a);
    assert(cases[i].definition < n);
    const OpsRow *r = &rows[cases[i].definition];
    const char *text = "";
    for (uint32_t k = 0; k < r->n_indices; k++)
      text = arena_printf(&a, "%s%s%s%s %s%s", text, k ? ", " : "", ops_text(r->indices[k].fact),
                          r->indices[k].addends ? "+" : "", r->indices[k].group ? "*" : "",
                          sym_text(r->indices[k].name));
    if (!strcmp(text, cases[i].expected)) continue;
    printf("%s: want %s\n  have %s\n", cases[i].op, cases[i].expected, text);
    failed++;
  }
  printf("%zu definitions, %d failed\n", sizeof cases / sizeof *cases, failed);
  library_free(lib);
  diags_free(diags);
  sources_free(sources);
  arena_free(&a);
  return failed != 0;
}
