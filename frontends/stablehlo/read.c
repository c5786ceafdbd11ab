/* The reader: checks the bytes, parses, flattens, sweeps. */
#include "frontends/base/pairs.h"
#include "frontends/base/products.h"
#include "frontends/base/sweep.h"
#include "frontends/stablehlo/module.h"

bool stablehlo_is(const Source *source) {
  static const char *const words[] = {"module", "func.func", "sdy.mesh", "builtin.module", "\"builtin.module\""};
  const char *p = source->text;
  for (;;) {
    while (SCAN_IS(*p, SCAN_SPACE)) p++;
    if (p[0] == '#' && SCAN_IS(p[1], SCAN_NAME)) return true; /* an alias */
    if (p[0] != '/' || p[1] != '/') break;
    while (*p && *p != '\n') p++;
  }
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    size_t n = strlen(words[k]);
    if (!strncmp(p, words[k], n) && !SCAN_IS(p[n], SCAN_NAME)) return true;
  }
  return false;
}

Graph *stablehlo_read(Diags *diags, uint32_t source, const StablehloOptions *options) {
  const Source *src = scan_source(diags, source);
  if (!src) return NULL;
  Graph *g = graph_new();
  g->numbered = true;
  size_t errors = diag_errors(diags);
  MlirModule m = {.graph = g, .text = src->text, .scan = {src->text, src->text, diags, source, 0}};
  g->path = sym(src->path);
  g->source = source;
  bool ok = mlir_parse(&m);
  g->n_read = m.n_ops;
  ok = ok && mlir_flatten(&m, options) && diag_errors(diags) == errors;
  if (ok) products_unfold(g), sweep_graph(g), pairs_apply(g);
  textmap_free(&m.types);
  vec_free(&m.funcs);
  vec_free(&m.meshes);
  vec_free(&m.aliases);
  vec_free(&m.alias_of);
  vec_free(&m.func_of);
  if (ok) return g;
  graph_free(g);
  return NULL;
}
