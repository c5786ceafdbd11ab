/* Digit inference through the standard library: per operator, what a cut of one operand does to the others.
 *
 * A cut is given by reshaping a parameter; expectations are the digits of every dimension, of the result and then of
 * the
 * operands: "4 2|3" is a dimension of two digits and one of one. */
#include "eval/digits/digits.h"

#include <stdio.h>

#include "lang/library.h"

static int failures;

enum { DEVICES = 4 };

typedef struct Test {
  Graph *g, *other;
  Sources *sources;
  Diags *diags;
  Library *lib;
  Instances *instances;
  Relation rel;
  Axis axes[2];
  int64_t order[DEVICES];
  DimAt flat;
  bool has_flat;
} Test;

typedef struct Dims {
  uint8_t rank;
  int64_t at[6];
} Dims;
#define DIMS(...) ((Dims){sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), {__VA_ARGS__}})
#define SCALAR ((Dims){0})

static Attr ints(const char *name, uint32_t n, const int64_t *v) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .n = n, .ints = v};
}
static Attr integer(const char *name, int64_t v) { return (Attr){.name = sym(name), .kind = ATTR_INT, .i = v}; }
static Attr word(const char *name, const char *v) { return (Attr){.name = sym(name), .kind = ATTR_SYM, .s = sym(v)}; }
#define INTS(name, ...) ints(name, sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})
#define GROUPS(size, ...) ((Attr){.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = size, \
  .n = sizeof((int64_t[]){__VA_ARGS__}) / 8, .ints = (int64_t[]){__VA_ARGS__}})
#define ATTRS(...) sizeof((Attr[]){__VA_ARGS__}) / sizeof(Attr), (Attr[]){__VA_ARGS__}
#define ARGS(...) sizeof((NodeId[]){__VA_ARGS__}) / sizeof(NodeId), (NodeId[]){__VA_ARGS__}

static NodeId op_of(Test *t, const char *name, DType type, Dims d, uint32_t n_args, const NodeId *args,
                    uint32_t n_attrs, const Attr *attrs) {
  Node n = {.op = sym(name), .dtype = type, .rank = d.rank, .dims = d.at, .n_args = n_args, .args = args,
            .n_attrs = n_attrs, .attrs = attrs};
  return graph_add(t->g, &n);
}
static NodeId op(Test *t, const char *name, Dims d, uint32_t n_args, const NodeId *args, uint32_t n_attrs,
                 const Attr *attrs) {
  return op_of(t, name, DT_F32, d, n_args, args, n_attrs, attrs);
}

static NodeId number(Test *t, int64_t v) {
  Rat r = rat_int(v);
  Literal l = {LIT_VALUES, 1, &r};
  return graph_add(t->g, &(Node){.op = sym("constant"), .dtype = DT_S32, .literal = &l});
}

static NodeId parameter(Test *t, Dims d) { return op(t, "parameter", d, 0, NULL, 0, NULL); }
static NodeId ids(Test *t, Dims d) { return op_of(t, "parameter", DT_S32, d, 0, NULL, 0, NULL); }

/* A parameter with a cut in one dimension. */
static NodeId cut(Test *t, Dims d, uint32_t dim, int64_t at) {
  NodeId p = parameter(t, d);
  Dims s = {.rank = (uint8_t)(d.rank + 1)};
  for (uint32_t i = 0, k = 0; i < d.rank; i++)
    if (i == dim) s.at[k++] = d.at[i] / at, s.at[k++] = at;
    else s.at[k++] = d.at[i];
  op(t, "reshape", s, ARGS(p), 0, NULL);
  return p;
}

static size_t show(char *b, size_t at, const Digits *d, const Graph *g, NodeId id) {
  for (uint32_t i = 0; i < g->nodes.at[id].rank; i++) {
    DigitList l = digits_dim(d, SIDE_DIST, id, i);
    if (i) b[at++] = '|';
    for (uint32_t j = 0; j < l.n; j++)
      at += (size_t)snprintf(b + at, 300 - at, "%s%lld", j ? " " : "", (long long)l.size[j]);
    if (l.flat) b[at++] = '!';
  }
  b[at] = 0;
  return at;
}

/* Infers, compares the digits of a node and its operands, and starts the next graph. */
static void expect(Test *t, int line, NodeId id, const char *want) {
  Vec(const Instance *) in = {0};
  for (NodeId k = 0; k < t->g->nodes.len; k++) {
    vec_push(&in, instance_of(t->instances, t->g, k, t->diags));
    if (!vec_last(&in)) printf("%d: node %u has no equation\n", line, k);
  }
  Coord *coord = coord_new(t->g, t->instances, DEVICES);
  const Instance *none = NULL;
  Problem p = {.graph = {t->other, t->g},
               .instance = {&none, in.at},
               .relation = &t->rel,
               .coord = {NULL, coord},
               .flat = &t->flat,
               .n_flat = t->has_flat};
  Digits *d = digits_infer(&p, DIGITS_JOINED);
  char have[400];
  size_t at = show(have, 0, d, t->g, id);
  const Node *n = &t->g->nodes.at[id];
  for (uint32_t k = 0; k < n->n_args; k++) {
    if (t->g->nodes.at[n->args[k]].rank == 0) continue;
    at += (size_t)snprintf(have + at, sizeof have - at, "; ");
    at = show(have, at, d, t->g, n->args[k]);
  }
  if (strcmp(have, want)) {
    printf("%s:%d: %s\n  have %s\n  want %s\n", __FILE__, line, sym_text(n->op), have, want);
    failures++;
  }
  digits_free(d);
  coord_free(coord);
  vec_free(&in);
  graph_free(t->g);
  t->g = graph_new();
  t->has_flat = false;
}
#define EXPECT(id, want) expect(t, __LINE__, id, want)

static void views(Test *t) {
  NodeId x = cut(t, DIMS(4, 6), 1, 3);
  EXPECT(op(t, "transpose", DIMS(6, 4), ARGS(x), ATTRS(INTS("dimensions", 1, 0))), "2 3|4; 4|2 3");
  x = cut(t, DIMS(6), 0, 3);
  EXPECT(op(t, "broadcast", DIMS(4, 6, 5), ARGS(x), ATTRS(INTS("dimensions", 1))), "4|2 3|5; 2 3");
  x = cut(t, DIMS(24), 0, 2);
  EXPECT(op(t, "reshape", DIMS(4, 1, 6), ARGS(x), 0, NULL), "4||3 2; 4 3 2");
  x = cut(t, DIMS(6, 4), 0, 2);
  EXPECT(op(t, "slice", DIMS(3, 2), ARGS(x), ATTRS(INTS("starts", 1, 2), INTS("limits", 6, 4), INTS("strides", 2, 1))),
         "3|2; 3 2|2 2");
  x = cut(t, DIMS(6, 4), 0, 2);
  EXPECT(op(t, "pad", DIMS(12, 4), ARGS(x, number(t, 0)), ATTRS(INTS("low", 6, 0), INTS("high", 0, 0),
         INTS("interior", 0, 0))),
         "2 3 2|4; 3 2|4");
  x = cut(t, DIMS(6), 0, 2);
  EXPECT(op(t, "pad", DIMS(12), ARGS(x, number(t, 0)), ATTRS(INTS("low", 1), INTS("high", 5), INTS("interior", 0))),
         "12; 3 2");
  x = cut(t, DIMS(6), 0, 2);
  EXPECT(op(t, "concatenate", DIMS(18), ARGS(x, x, x), ATTRS(INTS("dimensions", 0))), "3 3 2; 3 2; 3 2; 3 2");
  x = parameter(t, DIMS(6));
  EXPECT(op(t, "concatenate", DIMS(12), ARGS(x, parameter(t, DIMS(2)), parameter(t, DIMS(4))),
         ATTRS(INTS("dimensions", 0))),
         "2 3 2; 3 2; 2; 2 2");
  x = cut(t, DIMS(6), 0, 2);
  EXPECT(op(t, "reverse", DIMS(6), ARGS(x), ATTRS(INTS("dimensions", 0))), "6; 3 2");
}

static void sums(Test *t) {
  NodeId x = cut(t, DIMS(3, 8, 5), 1, 4), y = parameter(t, DIMS(3, 8, 7));
  EXPECT(op(t, "dot", DIMS(3, 5, 7), ARGS(x, y), ATTRS(INTS("lhs_batch_dims", 0), INTS("rhs_batch_dims", 0),
            INTS("lhs_contracting_dims", 1), INTS("rhs_contracting_dims", 1))), "3|5|7; 3|2 4|5; 3|2 4|7");
  x = cut(t, DIMS(8, 6), 1, 2);
  EXPECT(op(t, "reduce", DIMS(6), ARGS(x, number(t, 0)), ATTRS(INTS("dimensions", 0), word("reducer", "add"))),
         "3 2; 8|3 2");
  x = cut(t, DIMS(1, 8), 1, 4);
  EXPECT(op(t, "reduce_window", DIMS(1, 4), ARGS(x, number(t, 0)), ATTRS(word("reducer", "maximum"),
            INTS("window_size", 1, 2), INTS("window_strides", 1, 2), INTS("window_low", 0, 0),
                INTS("window_high", 0, 0),
            INTS("lhs_dilation", 1, 1), INTS("rhs_dilation", 1, 1))), "|2 2; |2 2 2");
}

static void indexed(Test *t) {
  NodeId x = cut(t, DIMS(16, 6), 1, 2);
  EXPECT(op(t, "gather", DIMS(5, 6), ARGS(x, ids(t, DIMS(5, 1))), ATTRS(INTS("offset_dims", 1),
         INTS("collapsed_slice_dims", 0),
            integer("index_vector_dim", 1), INTS("component", 0))), "5|3 2; 16|3 2; 5|");
  x = parameter(t, DIMS(4, 10));
  EXPECT(op(t, "gather", DIMS(4), ARGS(x, cut(t, DIMS(4, 1), 0, 2)), ATTRS(INTS("collapsed_slice_dims", 1),
            INTS("operand_batching_dims", 0), integer("index_vector_dim", 1), INTS("component", 0), INTS("batch", 0))),
         "2 2; 2 2|10; 2 2|");
  x = parameter(t, DIMS(4, 10));
  EXPECT(op(t, "scatter", DIMS(4, 10), ARGS(x, ids(t, DIMS(4, 1)), cut(t, DIMS(4), 0, 2)), ATTRS(word("reducer", "add"),
            INTS("inserted_window_dims", 1), INTS("input_batching_dims", 0), integer("index_vector_dim", 1),
            INTS("component", 0), INTS("batch", 0))), "2 2|10; 2 2|10; 2 2|; 2 2");
}

static void offsets(Test *t) { /* tp 4: offsets of the device */
  NodeId x = parameter(t, DIMS(32)), d = op_of(t, "partition_id", DT_U32, SCALAR, 0, NULL, 0, NULL);
  NodeId s = op_of(t, "multiply", DT_S32, SCALAR, ARGS(op_of(t, "convert", DT_S32, SCALAR, ARGS(d),
      0, NULL), number(t, 4)), 0, NULL);
  EXPECT(op(t, "dynamic_slice", DIMS(4), ARGS(x, s), 0, NULL), "4; 2 4 4");
  x = parameter(t, DIMS(32)), d = op_of(t, "partition_id", DT_U32, SCALAR, 0, NULL, 0, NULL);
  s = op_of(t, "multiply", DT_U32, SCALAR, ARGS(d, number(t, 8)), 0, NULL);
  EXPECT(op(t, "dynamic_update_slice", DIMS(32), ARGS(x, cut(t, DIMS(8), 0, 2), s), 0, NULL), "4 4 2; 4 4 2; 4 2");
  x = parameter(t, DIMS(32));
  EXPECT(op(t, "dynamic_update_slice", DIMS(32), ARGS(x, parameter(t, DIMS(8)), number(t, 16)), 0, NULL),
         "4 8; 4 8; 8");
  x = parameter(t, DIMS(32));
  EXPECT(op(t, "dynamic_slice", DIMS(8), ARGS(x, ids(t, SCALAR)), 0, NULL), "8; 32");
  x = cut(t, DIMS(8), 0, 2); /* the whole, whatever the offset says */
  EXPECT(op(t, "dynamic_slice", DIMS(8), ARGS(x, ids(t, SCALAR)), 0, NULL), "4 2; 4 2");
}

static void collectives(Test *t) {
  NodeId x = cut(t, DIMS(8, 6), 0, 2);
  EXPECT(op(t, "all_reduce", DIMS(8, 6), ARGS(x), ATTRS(GROUPS(4, 0, 1, 2, 3), word("reducer", "add"))),
         "4 2|6; 4 2|6");
  x = cut(t, DIMS(8), 0, 2);
  EXPECT(op(t, "all_gather", DIMS(32), ARGS(x), ATTRS(GROUPS(4, 0, 1, 2, 3), INTS("dimensions", 0))), "4 4 2; 4 2");
  x = cut(t, DIMS(8), 0, 2);
  EXPECT(op(t, "all_gather", DIMS(16), ARGS(x), ATTRS(GROUPS(2, 0, 2, 1, 3), INTS("dimensions", 0))), "2 4 2; 4 2");
  x = parameter(t, DIMS(32));
  EXPECT(op(t, "reduce_scatter", DIMS(8), ARGS(x), ATTRS(GROUPS(4, 0, 1, 2, 3), INTS("dimensions", 0),
         word("reducer", "add"))),
         "8; 4 8");
  x = cut(t, DIMS(8, 6), 1, 2);
  EXPECT(op(t, "all_to_all", DIMS(8, 6), ARGS(x), ATTRS(GROUPS(4, 0, 1, 2, 3), INTS("dimensions", 0))),
         "4 2|3 2; 4 2|3 2");
}

static void flat(Test *t) { /* neighbours at any offset are flat with a flat dimension, reshapes are not */
  NodeId x = cut(t, DIMS(12), 0, 3), y;
  t->flat = (DimAt){SIDE_DIST, 0, y = op(t, "pad", DIMS(14), ARGS(x, number(t, 0)), ATTRS(INTS("low", 1),
      INTS("high", 1), INTS("interior", 0)))};
  t->has_flat = true;
  EXPECT(y, "14!; 12!");
  x = cut(t, DIMS(12), 0, 3);
  y = op(t, "all_gather", DIMS(48), ARGS(x), ATTRS(GROUPS(4, 0, 1, 2, 3), INTS("dimensions", 0)));
  t->flat = (DimAt){SIDE_DIST, 0, y};
  t->has_flat = true;
  EXPECT(y, "48!; 12!");
  x = parameter(t, DIMS(12));
  y = op(t, "reverse", DIMS(12), ARGS(op(t, "reshape", DIMS(12), ARGS(cut(t, DIMS(3, 4), 0, 1)), 0, NULL)),
      ATTRS(INTS("dimensions", 0)));
  t->flat = (DimAt){SIDE_DIST, 0, y};
  t->has_flat = true;
  EXPECT(y, "12!; 12!");
}

int main(void) {
  Test *t = &(Test){.sources = sources_new(), .g = graph_new(), .other = graph_new()};
  t->diags = diags_new(t->sources);
  t->lib = library_load(NULL, t->diags);
  t->instances = instances_new(t->lib);
  t->axes[0] = (Axis){sym("tp"), DEVICES};
  for (int i = 0; i < DEVICES; i++) t->order[i] = i;
  t->rel.mesh = (Mesh){1, t->axes, DEVICES, t->order};
  views(t);
  sums(t);
  indexed(t);
  offsets(t);
  collectives(t);
  flat(t);
  diags_print(t->diags, stdout, false);
  instances_free(t->instances);
  library_free(t->lib);
  diags_free(t->diags);
  sources_free(t->sources);
  graph_free(t->g);
  graph_free(t->other);
  return failures != 0;
}
