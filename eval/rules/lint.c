#include "eval/rules/lint.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#include "eval/program/names.h"
#include "eval/rules/tensors.h"

/* ---- reading ---- */

typedef struct Reader {
  Db *db;
  LintReport *report;
  Tensors tensors;
  SortId tensor;
} Reader;

static Sym place_of(LintReport *r, uint32_t graph, NodeId id) {
  const Graph *g = r->graphs[graph].graph;
  Sym at = node_at(g, id);
  if (at || !g->nodes.at[id].line) return at;
  return sym(arena_printf(&r->arena, "%s:%u", sym_text(g->path), g->nodes.at[id].line));
}

static bool read_finding(void *context, const Val *cols) {
  Reader *r = context;
  const TensorAt *at = tensors_find(&r->tensors, db_canonical(r->db, r->tensor, cols[1]));
  const TensorAt *with = tensors_find(&r->tensors, db_canonical(r->db, r->tensor, cols[2]));
  if (!at || !with) return true;
  vec_push(&r->report->findings,
           ((LintFinding){.lint = cols[0], .graph = at->graph, .at = at->node, .with = with->node,
                          .place = place_of(r->report, at->graph, at->node),
                          .other = place_of(r->report, with->graph, with->node), .count = 1,
                          .bytes = db_get_int(r->db, cols[3])}));
  return true;
}

static bool read_lint(void *context, const Val *cols) {
  LintReport *r = context;
  for (size_t i = 0; i < r->findings.len; i++)
    if (r->findings.at[i].lint == cols[0]) r->findings.at[i].says = cols[1];
  return true;
}

/* ---- ranking ---- */

static Sym operator_of(const LintReport *r, const LintFinding *f, NodeId id) {
  return r->graphs[f->graph].graph->nodes.at[id].op;
}

static int compare_kind(const LintFinding *x, const LintFinding *y) {
  if (x->graph != y->graph) return x->graph < y->graph ? -1 : 1;
  int c = strcmp(sym_text(x->lint), sym_text(y->lint));
  if (!c) c = strcmp(sym_text(x->place), sym_text(y->place));
  return c ? c : strcmp(sym_text(x->other), sym_text(y->other));
}

static int by_kind(const void *a, const void *b) {
  const LintFinding *x = a, *y = b;
  int c = compare_kind(x, y);
  if (c) return c;
  return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->with < y->with ? -1 : x->with > y->with;
}

static int by_bytes(const void *a, const void *b) {
  const LintFinding *x = a, *y = b;
  if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
  return by_kind(a, b);
}

static void gather(LintReport *r) {
  if (!r->findings.len) return;
  qsort(r->findings.at, r->findings.len, sizeof *r->findings.at, by_kind);
  size_t n = 0;
  for (size_t i = 0; i < r->findings.len; i++) {
    LintFinding *f = &r->findings.at[i], *last = n ? &r->findings.at[n - 1] : NULL;
    if (last && f->place && !compare_kind(last, f) && operator_of(r, last, last->at) == operator_of(r, f, f->at)) {
      last->count++;
      last->bytes += f->bytes;
    } else {
      r->findings.at[n++] = *f;
    }
  }
  r->findings.len = n;
  qsort(r->findings.at, n, sizeof *r->findings.at, by_bytes);
}

void lint_collect(void *context, Program *e) {
  LintReport *report = context;
  Reader r = {.db = e->db, .report = report};
  const Name *tensor = name_of(e, sym("Tensor"));
  if (tensor->kind != NAME_SORT || name_of(e, sym("finding"))->kind != NAME_TABLE) return;
  r.tensor = tensor->id;
  tensors_read(&r.tensors, e, report->n_graphs, report->graphs);
  db_rows(e->db, name_of(e, sym("finding"))->id, read_finding, &r);
  gather(report);
  if (name_of(e, sym("lint"))->kind == NAME_TABLE) db_rows(e->db, name_of(e, sym("lint"))->id, read_lint, report);
  tensors_free(&r.tensors);
}

void lint_free(LintReport *r) {
  vec_free(&r->findings);
  arena_free(&r->arena);
}

/* ---- printing ---- */

static const char *size_text(int64_t bytes, char *buf, size_t size) {
  static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double x = (double)bytes;
  int u = 0;
  for (; x >= 1024 && u < 4; u++) x /= 1024;
  snprintf(buf, size, u ? "%.1f %s" : "%.0f %s", x, unit[u]);
  return buf;
}

static const Node *node(const LintReport *r, const LintFinding *f, NodeId id) {
  return &r->graphs[f->graph].graph->nodes.at[id];
}

static void print_node(const LintReport *r, const LintFinding *f, NodeId id, Sym place, FILE *out) {
  const Node *n = node(r, f, id);
  fprintf(out, "%s %s %s[", place ? sym_text(place) : "", sym_text(n->name ? n->name : n->op), dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) fprintf(out, "%s%" PRId64, d ? "," : "", n->dims[d]);
  fputs("]", out);
}

void lint_print(const LintReport *r, size_t most, FILE *out) {
  char buf[40];
  size_t shown = most && most < r->findings.len ? most : r->findings.len;
  for (size_t i = 0; i < shown; i++) {
    const LintFinding *f = &r->findings.at[i];
    fprintf(out, "%s: %s in %s", sym_text(f->lint), size_text(f->bytes, buf, sizeof buf),
            sym_text(r->graphs[f->graph].name));
    if (f->count > 1) fprintf(out, ", %u times", f->count);
    fputs("\n  at   ", out), print_node(r, f, f->at, f->place, out);
    if (f->with != f->at) fputs("\n  with ", out), print_node(r, f, f->with, f->other, out);
    fprintf(out, "\n  %s\n", f->says ? sym_text(f->says) : "");
  }
  fprintf(out, "%zu finding%s", r->findings.len, r->findings.len == 1 ? "" : "s");
  if (shown < r->findings.len) fprintf(out, ", %zu of them shown: --most=0 shows all", shown);
  fputs("\n", out);
}

static json_t *json_node(const LintReport *r, const LintFinding *f, NodeId id, Sym place) {
  const Node *n = node(r, f, id);
  json_t *dims = json_array();
  for (uint32_t d = 0; d < n->rank; d++) json_array_append_new(dims, json_integer(n->dims[d]));
  return json_pack("{s:s, s:s, s:s, s:o, s:s*}", "name", sym_text(n->name), "operator", sym_text(n->op), "dtype",
                   dtype_text((DType)n->dtype), "dims", dims, "source", place ? sym_text(place) : NULL);
}

void lint_print_json(const LintReport *r, FILE *out) {
  json_t *all = json_array();
  for (size_t i = 0; i < r->findings.len; i++) {
    const LintFinding *f = &r->findings.at[i];
    json_t *x = json_pack("{s:s, s:s, s:I, s:i, s:s, s:o}", "lint", sym_text(f->lint), "graph",
                          sym_text(r->graphs[f->graph].name), "bytes", (json_int_t)f->bytes, "times", (int)f->count,
                          "says", f->says ? sym_text(f->says) : "", "at", json_node(r, f, f->at, f->place));
    if (f->with != f->at) json_object_set_new(x, "with", json_node(r, f, f->with, f->other));
    json_array_append_new(all, x);
  }
  json_t *root = json_pack("{s:o}", "findings", all);
  json_dumpf(root, out, JSON_INDENT(1));
  fputs("\n", out);
  json_decref(root);
}
