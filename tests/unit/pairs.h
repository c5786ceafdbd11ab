/*
 * Graph pairs as folders: `base` has the sequential program and the relation, `folder` a distributed program; that of the
 * pair itself, or one of those in base/broken and base/same.  The test defines run_case.
 */
#ifndef TVR_TESTS_UNIT_PAIRS_H
#define TVR_TESTS_UNIT_PAIRS_H

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "frontends/base/relation.h"
#include "frontends/hlo/hlo.h"
#include "frontends/plan/plan.h"
#include "frontends/stablehlo/stablehlo.h"
#include "frontends/torch/torch.h"

static void run_case(const char *base, const char *folder);

static bool has_file(const char *folder, const char *file) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return access(path, R_OK) == 0;
}

static uint32_t text_of(Diags *diags, const char *folder, const char *file) {
  char path[1024];
  const char *why;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return has_file(folder, file) ? sources_load(diags_sources(diags), path, &why) : 0;
}

static Graph *read_xla(Diags *diags, uint32_t text, int64_t n_devices, bool mlir) {
  HloOptions hlo = HLO_OPTIONS;
  StablehloOptions stablehlo = STABLEHLO_OPTIONS;
  hlo.n_devices = stablehlo.n_devices = n_devices;
  return mlir ? stablehlo_read(diags, text, &stablehlo) : hlo_read(diags, text, &hlo);
}

/* Programs of XLA (as StableHLO: mlir) or PyTorch with a relation, or plans, which need none; NULL: files are missing, after
 * errors, or where g[1] does not run to its end.  The caller frees what there is of all three. */
static Relation *read_pair(Diags *diags, const char *base, const char *folder, bool mlir, Graph **g) {
  uint32_t related = text_of(diags, base, "relation.json"), text[2] = {text_of(diags, base, "seq.json"), 0};
  bool xla = !text[0];
  if (xla) text[0] = text_of(diags, base, mlir ? "seq.mlir" : "seq.hlo");
  text[1] = text_of(diags, folder, !xla ? "dist.json" : mlir ? "dist.mlir" : "dist.hlo");
  if (!text[0] || !text[1] || (xla && !related)) return NULL;
  if (xla) {
    Relation *relation = relation_read(diags, related);
    g[0] = read_xla(diags, text[0], 0, mlir);
    if (relation) g[1] = read_xla(diags, text[1], relation->mesh.n_devices, mlir);
    return relation;
  }
  for (int s = 0; s < 2; s++) g[s] = related ? torch_read(diags, text[s]) : plan_read(diags, text[s], &(PlanOptions){0});
  if (!g[0] || !g[1] || g[1]->fault) return NULL;
  return related ? relation_read_named(diags, related, &g[0], g[1]) : relation_of_names(diags, g[0], g[1]);
}

/* Runs `each` on the entries of a folder, in order. */
static void entries(const char *base, const char *folder, void (*each)(const char *base, const char *folder)) {
  struct dirent **list;
  int n = scandir(folder, &list, NULL, alphasort);
  for (int i = 0; i < n; i++) {
    char path[1024];
    if (list[i]->d_name[0] != '.' && (size_t)snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name) < sizeof path)
      each(base ? base : path, path);
    free(list[i]);
  }
  if (n >= 0) free(list);
}

static void run_family(const char *base, const char *folder) {
  char path[1024];
  run_case(base, folder);
  if ((size_t)snprintf(path, sizeof path, "%s/broken", folder) < sizeof path) entries(base, path, run_case);
  if ((size_t)snprintf(path, sizeof path, "%s/same", folder) < sizeof path) entries(base, path, run_case);
}
#endif
