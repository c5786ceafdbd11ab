/* libFuzzer target: any text that parses is a library; every operator it defines is met with nodes of several shapes
 * and attributes, some that fit and some that do not.  Each gives an instance or a diagnostic, in bounded time. */
#include <stdlib.h>

#include "eval/meaning/instance.h"
#include "eval/meaning/ops.h"
#include "lang/lang.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ITEMS = 8, VARIANTS = 6, MAX_RANK = 6, MAX_OPERANDS = 6, MAX_ATTRS = 24 };

typedef struct Shape {
  int64_t dims[MAX_RANK];
  uint32_t rank;
} Shape;

/* Sizes follow from names, so that many fit; a group has 0 to 2 dimensions. */
static int64_t size_of(Sym name, uint32_t variant) {
  static const int64_t sizes[] = {2, 3, 1, 4, 6, 0, 5};
  return sizes[(name * 7 + variant * 3) % (variant < 4 ? 5 : 7)];
}

static Shape shape_of(const AstPattern *p, uint32_t n, uint32_t variant) {
  Shape s = {.rank = 0};
  for (uint32_t i = 0; i < n; i++) {
    bool group = p[i].n == 1 && p[i].digit[0].form == FORM_GROUP;
    uint32_t many = group ? (variant + p[i].digit[0].name) % 3 : 1;
    for (uint32_t k = 0; k < many && s.rank < MAX_RANK; k++) {
      int64_t total = 1;
      for (uint32_t d = 0; d < p[i].n; d++) total *= size_of(p[i].digit[d].name + k, variant);
      s.dims[s.rank++] = total;
    }
  }
  return s;
}

static void add_attr(Node *n, Attr *attrs, Sym name, uint32_t kind, const int64_t *ints, uint32_t m) {
  for (uint32_t i = 0; i < n->n_attrs; i++)
    if (attrs[i].name == name) return;
  if (n->n_attrs == MAX_ATTRS) return;
  attrs[n->n_attrs++] =
      (Attr){.name = name, .kind = (uint8_t)kind, .s = sym("add"), .r = RAT_1, .i = m, .ints = ints, .n = m};
}

static void add_places(Node *n, Attr *attrs, const AstPattern *p, uint32_t m, uint32_t variant) {
  static const int64_t places[] = {0, 1, 2, 0, 3, -1};
  for (uint32_t i = 0; i < m; i++)
    if (p[i].at) add_attr(n, attrs, p[i].at, ATTR_INTS, places + (i + variant) % 4, 1 + (p[i].at + variant) % 2);
}

static void meet(Instances *s, Graph *g, const AstItem *item, uint32_t variant, Diags *diags, Arena *a) {
  static const int64_t devices[] = {0, 1, 2, 3, 4, 5, 6, 7};
  const AstOp *op = &item->op;
  Node n = {.op = item->name, .dtype = variant % 2 ? DT_F32 : variant % 3 ? DT_S32 : DT_PRED, .line = 1};
  NodeId args[MAX_OPERANDS];
  Attr attrs[MAX_ATTRS];
  for (uint32_t p = 0; p < op->n_params && n.n_args < MAX_OPERANDS; p++)
    for (uint32_t k = 0; k < (op->params[p].variadic ? 2 : 1) && n.n_args < MAX_OPERANDS; k++) {
      Shape t = shape_of(op->params[p].dims, op->params[p].n_dims, variant);
      Node arg = {.op = sym("parameter"), .dtype = n.dtype, .rank = (uint8_t)t.rank, .dims = t.dims};
      args[n.n_args++] = graph_add(g, &arg);
      add_places(&n, attrs, op->params[p].dims, op->params[p].n_dims, variant);
    }
  for (uint32_t r = 0; r < op->n_results; r++)
    add_places(&n, attrs, op->results[r].dims, op->results[r].n_dims, variant);
  for (uint32_t i = 0; i < op->n_attrs; i++)
    add_attr(&n, attrs, op->attrs[i].name, op->attrs[i].type == sym("ints") ? ATTR_INTS : i % 4, devices + variant % 3,
             variant % 3);
  if (variant != 3) add_attr(&n, attrs, sym("replica_groups"), ATTR_GROUPS, devices, 4);
  if (variant != 3) attrs[n.n_attrs - 1].i = variant % 2 ? 2 : 4;
  add_attr(&n, attrs, sym("source_target_pairs"), ATTR_PAIRS, devices, 4);
  Shape out = op->n_results ? shape_of(op->results[0].dims, op->results[0].n_dims, variant) : (Shape){.rank = 0};
  n.args = args;
  n.attrs = attrs;
  n.rank = (uint8_t)out.rank;
  n.dims = out.dims;
  n.result = variant == 5;
  size_t before = diag_errors(diags);
  const Instance *in = instance_of(s, g, graph_add(g, &n), diags);
  if (!in && diag_errors(diags) == before) abort();
  if (in) instance_print(in, a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  Arena arena = {0};
  AstFile *file = lang_parse(&arena, diags, sources_add(sources, "a.tvr", (const char *)data, size));
  if (!diag_errors(diags)) {
    Library *lib = library_load(NULL, diags);
    library_add(lib, file);
    Instances *s = instances_new(lib);
    for (uint32_t i = 0, n = 0; i < file->n_items && n < MAX_ITEMS; i++) {
      if (file->items[i]->kind != ITEM_OP) continue;
      n++;
      uint32_t rows;
      ops_table(lib, file->items[i]->name, &rows, &arena);
      for (uint32_t v = 0; v < VARIANTS; v++) {
        Graph *g = graph_new();
        meet(s, g, file->items[i], v, diags, &arena);
        graph_free(g);
      }
    }
    instances_free(s);
    library_free(lib);
  }
  diags_free(diags);
  sources_free(sources);
  arena_free(&arena);
  return 0;
}
