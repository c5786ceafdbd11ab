#include "eval/rules/tensors.h"

#include "eval/program/names.h"

typedef struct Reader {
  Db *db;
  SortId sort;
  Tensors *out;
  uint32_t n_graphs;
  const FactGraph *graphs;
} Reader;

static int in_order(const void *a, const void *b) {
  const TensorAt *x = a, *y = b;
  if (x->tensor != y->tensor) return x->tensor < y->tensor ? -1 : 1;
  if (x->graph != y->graph) return x->graph < y->graph ? -1 : 1;
  return x->node < y->node ? -1 : x->node > y->node;
}

static bool read_row(void *context, const Val *cols) {
  Reader *r = context;
  int64_t node = db_get_int(r->db, cols[1]);
  for (uint32_t g = 0; g < r->n_graphs; g++)
    if (r->graphs[g].name == cols[0] && node >= 0 && node < (int64_t)r->graphs[g].graph->nodes.len)
      vec_push(&r->out->all, ((TensorAt){db_canonical(r->db, r->sort, cols[2]), g, (NodeId)node}));
  return true;
}

void tensors_read(Tensors *t, Program *e, uint32_t n_graphs, const FactGraph *graphs) {
  Reader r = {e->db, name_of(e, sym("Tensor"))->id, t, n_graphs, graphs};
  db_rows(e->db, name_of(e, sym("tensor"))->id, read_row, &r);
  if (t->all.len) qsort(t->all.at, t->all.len, sizeof *t->all.at, in_order);
}

void tensors_free(Tensors *t) { vec_free(&t->all); }

const TensorAt *tensors_find(const Tensors *t, Val tensor) {
  size_t lo = 0, hi = t->all.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (t->all.at[mid].tensor < tensor) lo = mid + 1;
    else hi = mid;
  }
  return lo < t->all.len && t->all.at[lo].tensor == tensor ? &t->all.at[lo] : NULL;
}

void tensors_unions(void *context, Program *e) {
  TensorUnions *u = context;
  Tensors t = {0};
  tensors_read(&t, e, u->n_graphs, u->graphs);
  for (size_t i = 1, first = 0; i < t.all.len; i++) {
    const TensorAt *a = &t.all.at[first], *b = &t.all.at[i];
    if (a->tensor != b->tensor) first = i;
    else vec_push(&u->all, ((TensorUnion){{a->graph, b->graph}, {a->node, b->node}}));
  }
  tensors_free(&t);
}
