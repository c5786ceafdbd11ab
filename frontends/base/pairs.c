#include "frontends/base/pairs.h"

#include <ctype.h>
#include <string.h>

#include "frontends/base/decimal.h"

enum { MOST_DIMS = 64, MOST_VALUES = 1 << 24 };

static bool is_complex(const Node *n) { return dtype_kind((DType)n->dtype) == DK_COMPLEX; }

/* How an operator is one of pairs. */
typedef enum Way {
  WAY_SAME,     /* part by part, dimensions being counted from the first */
  WAY_ALONG,    /* its attribute says where each dimension goes: the last one stays the last */
  WAY_RANGES,   /* .. or a range of each dimension */
  WAY_PLACED,   /* operands say where each dimension starts */
  WAY_CHOSEN,   /* the first operand chooses for both parts */
  WAY_RENAMED,  /* another operator */
  WAY_PARTS,    /* the parts by themselves, sums being sums of parts */
  WAY_FIRST,    /* the real part */
  WAY_SECOND,   /* the imaginary part */
} Way;

static const struct {
  const char *op;
  Way way;
  const char *as;
} ways[] = {
    {"add", WAY_SAME, NULL},
    {"all_gather", WAY_SAME, NULL},
    {"collective_permute", WAY_SAME, NULL},
    {"concatenate", WAY_SAME, NULL},
    {"copy", WAY_SAME, NULL},
    {"negate", WAY_SAME, NULL},
    {"reshape", WAY_SAME, NULL},
    {"reverse", WAY_SAME, NULL},
    {"subtract", WAY_SAME, NULL},
    {"broadcast", WAY_ALONG, NULL},
    {"transpose", WAY_ALONG, NULL},
    {"slice", WAY_RANGES, NULL},
    {"dynamic_slice", WAY_PLACED, NULL},
    {"dynamic_update_slice", WAY_PLACED, NULL},
    {"select", WAY_CHOSEN, NULL},
    {"all_reduce", WAY_PARTS, NULL},
    {"all_to_all", WAY_PARTS, NULL},
    {"gather", WAY_PARTS, NULL},
    {"pad", WAY_PARTS, NULL},
    {"reduce", WAY_PARTS, NULL},
    {"reduce_scatter", WAY_PARTS, NULL},
    {"reduce_window", WAY_PARTS, NULL},
    {"scatter", WAY_PARTS, NULL},
    {"complex", WAY_RENAMED, "complex_of_parts"},
    {"multiply", WAY_RENAMED, "complex_multiply"},
    {"divide", WAY_RENAMED, "complex_divide"},
    {"exponential", WAY_RENAMED, "complex_exponential"},
    {"abs", WAY_RENAMED, "complex_abs"},
    {"convert", WAY_RENAMED, "complex_of_real"},
    {"real", WAY_FIRST, NULL},
    {"imag", WAY_SECOND, NULL},
};

typedef struct Pairs {
  Graph *g;
  const Node *old; /* the nodes as they were */
  NodeId *to;      /* by old id */
} Pairs;

/* A node of the line of `like`. */
static NodeId add(Pairs *p, const Node *like, const char *op, DType dtype, const int64_t *dims, uint32_t rank,
                  const NodeId *args, uint32_t n_args, const Attr *attrs, uint32_t n_attrs) {
  Node n = *like;
  n.op = sym(op);
  n.dtype = (uint8_t)dtype;
  n.dims = dims, n.rank = (uint8_t)rank;
  n.args = args, n.n_args = n_args;
  n.attrs = attrs, n.n_attrs = n_attrs;
  n.literal = NULL;
  return graph_add(p->g, &n);
}

static Attr ints(const char *name, const int64_t *v, uint32_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .ints = v, .n = n};
}

/* The attributes, lists of a number for each dimension being one number longer. */
static const Attr *longer(const Node *n, const char *const *names, const int64_t *last, Arena *a) {
  Attr *out = arena_copy(a, n->attrs, n->n_attrs * sizeof *out);
  for (uint32_t i = 0; i < n->n_attrs; i++)
    for (uint32_t k = 0; names[k]; k++) {
      if (out[i].name != sym(names[k]) || out[i].kind != ATTR_INTS) continue;
      int64_t *v = ARENA_ARRAY(a, int64_t, out[i].n + 1);
      if (out[i].n) memcpy(v, out[i].ints, out[i].n * sizeof *v);
      v[out[i].n++] = last[k];
      out[i].ints = v;
    }
  return out;
}

/* A part: what stands at one place of the last dimension. */
static NodeId part(Pairs *p, const Node *n, int64_t which, NodeId x) {
  int64_t dims[MOST_DIMS], starts[MOST_DIMS] = {0}, strides[MOST_DIMS];
  uint32_t rank = n->rank;
  for (uint32_t d = 0; d <= rank; d++) dims[d] = d < rank ? n->dims[d] : which + 1, strides[d] = 1;
  starts[rank] = which;
  Attr a[] = {ints("starts", starts, rank + 1), ints("limits", dims, rank + 1), ints("strides", strides, rank + 1)};
  int64_t one[MOST_DIMS];
  memcpy(one, dims, sizeof one);
  one[rank] = 1;
  NodeId s = add(p, n, "slice", (DType)n->dtype, one, rank + 1, &x, 1, a, 3);
  return add(p, n, "reshape", (DType)n->dtype, n->dims, rank, &s, 1, NULL, 0);
}

static NodeId zero(Pairs *p, const Node *like, DType dtype) {
  Rat v = RAT_0;
  Literal l = {LIT_SPLAT, 1, &v};
  Node n = *like;
  n.op = sym("constant"), n.dtype = (uint8_t)dtype, n.rank = 0, n.n_args = 0, n.n_attrs = 0, n.literal = &l;
  return graph_add(p->g, &n);
}

/* The numbers of a constant, whose text the reader kept: two for each element, or two for all.  NULL: in another form. */
static const Literal *values_of(const Node *n, DType real, Arena *a) {
  const char *s = sym_text(node_attr_sym(n, sym("value"), 0));
  int64_t count = node_elements(n);
  if (!*s || count > MOST_VALUES / 2) return NULL;
  if (!strncmp(s, "dense<", 6)) s += 6;
  Rat *v = ARENA_ARRAY(a, Rat, 2 * count + 2);
  int64_t k = 0, most = count ? 2 * count : 2;
  for (bool ok = true; *s; s += !isalnum((unsigned char)*s) && !strchr("+-.", *s)) {
    const char *lo = s;
    while (isalnum((unsigned char)*s) || (*s && strchr("+-.", *s))) s++;
    if (s == lo && !strchr("{}[](),<>", *s)) ok = false;
    if (s > lo) ok = k < most && decimal_read(lo, (size_t)(s - lo), real, &v[k++]) == DECIMAL_OK;
    if (!ok) return NULL;
  }
  if (k != 2 && k != 2 * count) return NULL;
  for (int64_t i = k; i < 2 * count; i++) v[i] = v[i % 2];
  Literal l = {LIT_VALUES, (uint64_t)(2 * count), v};
  return arena_copy(a, &l, sizeof l);
}

static NodeId operand_part(Pairs *p, const Node *n, uint32_t k, int64_t which, DType real) {
  const Node *x = &p->old[n->args[k]];
  Node like = *n;
  like.dims = x->dims, like.rank = x->rank, like.dtype = (uint8_t)real;
  return is_complex(x) ? part(p, &like, which, p->to[n->args[k]]) : p->to[n->args[k]];
}

static NodeId joined(Pairs *p, const Node *n, NodeId re, NodeId im, DType real, Arena *a) {
  int64_t *dims = ARENA_ARRAY(a, int64_t, n->rank + 1u);
  for (uint32_t d = 0; d < n->rank; d++) dims[d] = n->dims[d];
  dims[n->rank] = 2;
  return add(p, n, "complex_of_parts", real, dims, n->rank + 1u, (NodeId[]){re, im}, 2, NULL, 0);
}

static NodeId pairwise(Pairs *p, const Node *n, const char *op, NodeId x, NodeId y, DType real, const int64_t *dims,
                       uint32_t rank) {
  return add(p, n, op, real, dims, rank, (NodeId[]){x, y}, 2, NULL, 0);
}

static NodeId by_parts(Pairs *p, const Node *n, DType real, Arena *a) {
  NodeId at[2], *args = ARENA_ARRAY(a, NodeId, n->n_args + 1);
  for (int64_t which = 0; which < 2; which++) {
    for (uint32_t k = 0; k < n->n_args; k++) args[k] = operand_part(p, n, k, which, real);
    at[which] = add(p, n, sym_text(n->op), real, n->dims, n->rank, args, n->n_args, n->attrs, n->n_attrs);
  }
  return joined(p, n, at[0], at[1], real, a);
}

/* (a + i b) (c + i d) */
static NodeId dot_of(Pairs *p, const Node *n, DType real, Arena *a) {
  NodeId product[2][2];
  for (int64_t i = 0; i < 2; i++)
    for (int64_t j = 0; j < 2; j++) {
      NodeId xy[] = {operand_part(p, n, 0, i, real), operand_part(p, n, 1, j, real)};
      product[i][j] = add(p, n, "dot", real, n->dims, n->rank, xy, 2, n->attrs, n->n_attrs);
    }
  NodeId re = pairwise(p, n, "subtract", product[0][0], product[1][1], real, n->dims, n->rank);
  return joined(p, n, re, pairwise(p, n, "add", product[0][1], product[1][0], real, n->dims, n->rank), real, a);
}

/* A Fourier transform on its way. */
typedef struct Fourier {
  Pairs *p;
  const Node *n;
  DType real;
  NodeId at[2]; /* the parts */
  int64_t dims[MOST_DIMS];
  uint32_t rank;
} Fourier;

static NodeId number(const Fourier *f, uint32_t rank, Rat value) {
  Literal l = {LIT_SPLAT, 1, &value};
  Node n = *f->n;
  for (uint32_t d = 0; d < rank; d++) l.n *= (uint64_t)f->dims[d];
  n.op = sym("constant"), n.dtype = (uint8_t)f->real, n.n_args = 0, n.n_attrs = 0, n.literal = &l;
  n.rank = (uint8_t)rank, n.dims = f->dims;
  return graph_add(f->p->g, &n);
}

/* sum(t) x[t] cos(2 pi k t / n), or with sin, k < size; the angle is a literal of the type. */
static NodeId turned(const Fourier *f, const char *op, NodeId x, uint32_t d, int64_t size) {
  int64_t dims[MOST_DIMS], along = d, n = f->dims[d] > size ? f->dims[d] : size;
  double angle = 6.283185307179586 / (double)n;
  memcpy(dims, f->dims, sizeof dims);
  dims[d] = size;
  NodeId args[] = {x, number(f, 0, rat_from_double(f->real == DT_F32 ? (double)(float)angle : angle))};
  Attr a = ints("dimensions", &along, 1);
  return add(f->p, f->n, op, f->real, dims, f->rank, args, 2, &a, 1);
}

static NodeId with(const Fourier *f, const char *op, NodeId x, NodeId y) {
  return pairwise(f->p, f->n, op, x, y, f->real, f->dims, f->rank);
}

static void transform(Fourier *f, uint32_t d, bool forward) {
  NodeId c[2], s[2];
  for (int k = 0; k < 2; k++) {
    c[k] = turned(f, "fourier_cosine", f->at[k], d, f->dims[d]);
    s[k] = turned(f, "fourier_sine", f->at[k], d, f->dims[d]);
  }
  f->at[0] = with(f, forward ? "add" : "subtract", c[0], s[1]);
  f->at[1] = with(f, forward ? "subtract" : "add", c[1], s[0]);
}

/* Are the types and sizes those of such a transform?  StableHLO, fft: of a real one the last dimension is half of them. */
static bool is_transform(const Node *x, const Node *n, const Attr *lengths, bool forward, bool halved) {
  if (!lengths || lengths->kind != ATTR_INTS || !lengths->n || lengths->n > x->rank || n->rank != x->rank) return false;
  if (is_complex(x) != (!halved || !forward) || is_complex(n) != (!halved || forward)) return false;
  for (uint32_t d = 0; d < x->rank; d++) {
    uint32_t first = x->rank - lengths->n;
    int64_t length = d < first ? x->dims[d] : lengths->ints[d - first], half = length ? length / 2 + 1 : 0;
    bool last = halved && d + 1u == x->rank;
    if (x->dims[d] != (last && !forward ? half : length) || n->dims[d] != (last && forward ? half : length)) return false;
  }
  return true;
}

/* FFT, IFFT, RFFT and IRFFT along the last dimensions. */
static NodeId fourier_of(Pairs *p, const Node *n, DType real, Arena *a) {
  const Node *x = &p->old[n->args[0]];
  const char *type = sym_text(node_attr_sym(n, sym("fft_type"), 0));
  const Attr *lengths = node_attr(n, sym("fft_length"));
  bool forward = *type != 'I', halved = strstr(type, "RFFT") != NULL;
  if (!strstr(type, "FFT") || !is_transform(x, n, lengths, forward, halved)) return NO_NODE;
  Fourier f = {.p = p, .n = n, .real = real, .rank = x->rank};
  for (uint32_t d = 0; d < x->rank; d++) f.dims[d] = x->dims[d];
  for (int64_t k = 0; k < 2; k++) f.at[k] = operand_part(p, n, 0, k, real);
  uint32_t last = x->rank - 1u, first = x->rank - lengths->n;
  int64_t size = n->dims[last], count = 1;
  if (halved && forward) {
    NodeId im = turned(&f, "fourier_sine", f.at[0], last, size);
    f.at[0] = turned(&f, "fourier_cosine", f.at[0], last, size);
    f.dims[last] = size;
    f.at[1] = add(p, n, "negate", real, f.dims, f.rank, &im, 1, NULL, 0);
  }
  for (uint32_t d = first; d < x->rank - (uint32_t)halved; d++) transform(&f, d, forward);
  if (halved && !forward) {
    NodeId im = turned(&f, "fourier_sine_back", f.at[1], last, size);
    NodeId re = turned(&f, "fourier_cosine_back", f.at[0], last, size);
    f.dims[last] = size;
    f.at[0] = with(&f, "subtract", re, im);
  }
  for (uint32_t d = first; d < n->rank; d++) count *= n->dims[d];
  for (int k = 0; k < 2 && !forward && count > 0 && f.at[k] != NO_NODE; k++)
    f.at[k] = k && !is_complex(n) ? NO_NODE : with(&f, "multiply", f.at[k], number(&f, f.rank, rat_frac(1, count)));
  return is_complex(n) ? joined(p, n, f.at[0], f.at[1], real, a) : f.at[0];
}

static bool adds(const Node *n) {
  Sym reducer = node_attr_sym(n, sym("reducer"), 0);
  return reducer ? reducer == sym("add") : !node_attr(n, sym("region"));
}

/* An operator that takes or gives complex numbers. */
static NodeId of_pairs(Pairs *p, const Node *n, Arena *a) {
  static const char *const along[] = {"dimensions", NULL}, *const ranges[] = {"starts", "limits", "strides", NULL};
  bool out = is_complex(n);
  uint32_t rank = n->rank + (uint32_t)out;
  DType real = out ? n->dtype == DT_C64 ? DT_F32 : DT_F64 : (DType)n->dtype;
  int64_t *dims = ARENA_ARRAY(a, int64_t, rank + 1);
  NodeId *args = ARENA_ARRAY(a, NodeId, n->n_args + 1);
  for (uint32_t d = 0; d < n->rank; d++) dims[d] = n->dims[d];
  if (out) dims[n->rank] = 2;
  for (uint32_t k = 0; k < n->n_args; k++) args[k] = p->to[n->args[k]];
  const Node *first = n->n_args ? &p->old[n->args[0]] : n;
  const Attr *attrs = n->attrs;
  const char *op = arena_printf(a, "complex_%s", sym_text(n->op));
  uint32_t n_args = n->n_args;
  if (n->op == sym("dot") && out) return dot_of(p, n, real, a);
  NodeId turned_to = n->op == sym("fft") && n->n_args == 1 ? fourier_of(p, n, real, a) : NO_NODE;
  if (turned_to != NO_NODE) return turned_to;
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    if (sym(ways[k].op) != n->op) continue;
    bool both = out && is_complex(first);
    switch (ways[k].way) {
      case WAY_SAME:
        if (both) op = ways[k].op;
        break;
      case WAY_ALONG:
        if (!both) break;
        op = ways[k].op;
        attrs = longer(n, along, (int64_t[]){n->op == sym("broadcast") ? n->rank : first->rank}, a);
        break;
      case WAY_RANGES:
        if (both) op = ways[k].op, attrs = longer(n, ranges, (int64_t[]){0, 2, 1}, a);
        break;
      case WAY_PLACED:
        if (!both || n_args < 2) break;
        op = ways[k].op;
        args[n_args] = zero(p, n, n_args > 2 ? (DType)p->old[n->args[n_args - 1]].dtype : DT_S32);
        n_args++;
        break;
      case WAY_CHOSEN: {
        int64_t from[MOST_DIMS];
        for (uint32_t d = 0; d < first->rank; d++) from[d] = d;
        Attr at = ints("dimensions", from, first->rank);
        op = ways[k].op;
        args[0] = add(p, n, "broadcast", (DType)first->dtype, dims, rank, args, 1, &at, 1);
        break;
      }
      case WAY_RENAMED:
        if (n->op != sym("convert")) op = ways[k].as;
        else if (out) op = is_complex(first) ? "convert" : ways[k].as;
        break;
      case WAY_PARTS:
        if (both && adds(n) && n->n_args < 4) return by_parts(p, n, real, a);
        break;
      case WAY_FIRST:
      case WAY_SECOND:
        if (!out && is_complex(first)) return part(p, n, ways[k].way == WAY_SECOND, args[0]);
        break;
    }
  }
  const Literal *l = n->op == sym("complex_constant") ? values_of(n, real, &p->g->arena) : NULL;
  NodeId id = l ? add(p, n, "constant", real, dims, rank, NULL, 0, NULL, 0)
                : add(p, n, op, real, dims, rank, args, n_args, attrs, n->n_attrs);
  if (l) p->g->nodes.at[id].literal = arena_copy(&p->g->arena, l, sizeof *l);
  return id;
}

/* Complex numbers within, and neither taken nor returned. */
static bool applies(const Graph *g) {
  bool any = false;
  for (size_t i = 0; i < g->nodes.len; i++) any |= is_complex(&g->nodes.at[i]) && g->nodes.at[i].rank < MOST_DIMS - 1;
  for (size_t i = 0; i < g->nodes.len && any; i++)
    any = !is_complex(&g->nodes.at[i]) || (g->nodes.at[i].op != sym("parameter") && g->nodes.at[i].rank < MOST_DIMS - 1);
  for (size_t i = 0; i < g->outputs.len && any; i++) any = !is_complex(&g->nodes.at[g->outputs.at[i].node]);
  return any;
}

void pairs_apply(Graph *g) {
  if (!applies(g)) return;
  Arena a = {0};
  size_t n = g->nodes.len;
  Pairs p = {g, arena_copy(&a, g->nodes.at, n * sizeof *g->nodes.at), ARENA_ARRAY(&a, NodeId, n + 1)};
  g->nodes.len = 0;
  for (NodeId id = 0; id < n; id++) {
    Node x = p.old[id];
    bool complex = is_complex(&x);
    NodeId *args = ARENA_ARRAY(&a, NodeId, x.n_args + 1);
    for (uint32_t k = 0; k < x.n_args; k++) {
      args[k] = p.to[x.args[k]];
      complex |= is_complex(&p.old[x.args[k]]);
    }
    if (!complex) x.args = args;
    p.to[id] = complex ? of_pairs(&p, &x, &a) : graph_add(g, &x);
  }
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE) g->params.at[k] = p.to[g->params.at[k]];
  for (size_t k = 0; k < g->outputs.len; k++) g->outputs.at[k].node = p.to[g->outputs.at[k].node];
  for (size_t k = 0; k < g->passages.len; k++) g->passages.at[k].node = p.to[g->passages.at[k].node];
  for (size_t k = 0; k < g->oddities.len; k++) g->oddities.at[k].node = p.to[g->oddities.at[k].node];
  arena_free(&a);
}
