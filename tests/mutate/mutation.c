/* Each mutation gets the node, its operands already those of the copy, and appends what takes its place. */
#include "tests/mutate/mutation.h"

#include <string.h>

typedef struct Draft {
  const Graph *from;
  Graph *to;
  NodeId *map; /* node of `from` -> node of `to` */
  NodeId at;   /* the node to change */
} Draft;

static bool is_op(const Node *n, const char *op) { return n->op == sym(op); }

static bool is_group_op(const Node *n) {
  const Attr *a = node_attr(n, sym("replica_groups"));
  return a && a->kind == ATTR_GROUPS;
}

static bool same_type(const Node *a, const Node *b) {
  return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

static const Node *node_in(const Graph *g, NodeId id) { return &g->nodes.at[id]; }

static NodeId add_constant(Draft *d, const Node *like, Rat value) {
  Literal literal = {.kind = LIT_SPLAT, .n = 1, .values = &value};
  Node c = {.op = sym("constant"), .dtype = like->dtype, .rank = like->rank, .dims = like->dims, .literal = &literal,
            .frames = like->frames};
  return graph_add(d->to, &c);
}

/* The node with one attribute's list replaced; `list` has the attribute's length. */
static NodeId with_list(Draft *d, Node n, Sym name, const int64_t *list, uint32_t length) {
  Attr attrs[32];
  if (n.n_attrs > 32) return NO_NODE;
  memcpy(attrs, n.attrs, n.n_attrs * sizeof *attrs);
  for (uint32_t i = 0; i < n.n_attrs; i++)
    if (attrs[i].name == name) attrs[i].ints = list, attrs[i].n = length;
  n.attrs = attrs;
  return graph_add(d->to, &n);
}

static NodeId with_symbol(Draft *d, Node n, Sym name, const char *value) {
  Attr attrs[32];
  if (n.n_attrs > 32) return NO_NODE;
  memcpy(attrs, n.attrs, n.n_attrs * sizeof *attrs);
  for (uint32_t i = 0; i < n.n_attrs; i++)
    if (attrs[i].name == name) attrs[i].s = sym(value);
  n.attrs = attrs;
  return graph_add(d->to, &n);
}

static NodeId mutate_drop(Draft *d, Node n) {
  return n.n_args && same_type(node_in(d->to, n.args[0]), &n) ? n.args[0] : NO_NODE;
}

static NodeId mutate_other_operand(Draft *d, Node n) {
  NodeId args[16];
  if (!n.n_args || n.n_args > 16) return NO_NODE;
  memcpy(args, n.args, n.n_args * sizeof *args);
  for (uint32_t k = n.n_args; k-- > 0;)
    for (NodeId other = (NodeId)d->to->nodes.len; other-- > 0;) {
      if (other == args[k] || !same_type(node_in(d->to, other), node_in(d->to, args[k]))) continue;
      args[k] = other;
      n.args = args;
      return graph_add(d->to, &n);
    }
  return NO_NODE;
}

static NodeId mutate_swap_operands(Draft *d, Node n) {
  NodeId args[16];
  if (n.n_args < 2 || n.n_args > 16 || is_op(&n, "add") || is_op(&n, "multiply")) return NO_NODE;
  memcpy(args, n.args, n.n_args * sizeof *args);
  uint32_t last = n.n_args - 1;
  if (args[last] == args[last - 1]) return NO_NODE;
  if (!same_type(node_in(d->to, args[last]), node_in(d->to, args[last - 1]))) return NO_NODE;
  args[last] = n.args[last - 1];
  args[last - 1] = n.args[last];
  n.args = args;
  return graph_add(d->to, &n);
}

static NodeId with_arithmetic(Draft *d, Node n, const char *op, int64_t value) {
  if (dtype_kind((DType)n.dtype) == DK_BOOL || is_op(&n, "parameter")) return NO_NODE;
  NodeId args[2] = {graph_add(d->to, &n), add_constant(d, &n, rat_int(value))};
  Node m = {.op = sym(op), .dtype = n.dtype, .rank = n.rank, .dims = n.dims, .frames = n.frames};
  m.n_args = 2;
  m.args = args;
  return graph_add(d->to, &m);
}

static NodeId mutate_scale(Draft *d, Node n) {
  return dtype_is_float((DType)n.dtype) ? with_arithmetic(d, n, "multiply", 2) : NO_NODE;
}

static NodeId mutate_shift(Draft *d, Node n) { return with_arithmetic(d, n, "add", 1); }

static NodeId mutate_constant(Draft *d, Node n) {
  if (!n.literal || dtype_kind((DType)n.dtype) == DK_BOOL) return NO_NODE;
  Literal literal = *n.literal;
  n.literal = &literal;
  uint64_t count = literal.kind == LIT_SPLAT ? 1 : literal.n;
  if (!count || !rat_is_finite(literal.values[0])) return NO_NODE;
  Rat *values = arena_copy(&d->to->arena, literal.values, count * sizeof *values);
  if (count == 1) values[0] = rat_add(values[0], RAT_1);
  for (uint64_t i = 0; count > 1 && i < count; i++) values[i] = literal.values[(i + 1) % count];
  literal.values = values;
  return graph_add(d->to, &n);
}

static NodeId mutate_again(Draft *d, Node n) {
  if (!is_group_op(&n) || n.n_args != 1 || !same_type(node_in(d->to, n.args[0]), &n)) return NO_NODE;
  NodeId once = graph_add(d->to, &n);
  n.args = &once;
  return graph_add(d->to, &n);
}

/* Groups in which members i and i + 1 of neighbouring groups have changed places: the same sizes, other partners. */
static NodeId mutate_regroup(Draft *d, Node n) {
  const Attr *a = node_attr(&n, sym("replica_groups"));
  if (!is_group_op(&n) || a->i < 2 || a->n < 2 * (uint64_t)a->i) return NO_NODE;
  int64_t *list = arena_copy(&d->to->arena, a->ints, a->n * sizeof *list);
  for (uint32_t g = 0; g + 2 * (uint32_t)a->i <= a->n; g += 2 * (uint32_t)a->i) {
    int64_t keep = list[g + 1];
    list[g + 1] = list[g + a->i];
    list[g + a->i] = keep;
  }
  return with_list(d, n, a->name, list, a->n);
}

static NodeId mutate_reorder(Draft *d, Node n) {
  const Attr *a = node_attr(&n, sym("replica_groups"));
  if (!is_group_op(&n) || a->i < 2) return NO_NODE;
  int64_t *list = arena_copy(&d->to->arena, a->ints, a->n * sizeof *list);
  for (uint32_t i = 0; i < a->n; i++) list[i] = a->ints[i - i % a->i + (i % a->i + 1) % a->i];
  return with_list(d, n, a->name, list, a->n);
}

static NodeId mutate_reverse_pairs(Draft *d, Node n) {
  const Attr *a = node_attr(&n, sym("source_target_pairs"));
  if (!a || a->kind != ATTR_PAIRS) return NO_NODE;
  int64_t *list = arena_copy(&d->to->arena, a->ints, a->n * sizeof *list);
  for (uint32_t i = 0; i < a->n; i++) list[i] = a->ints[i ^ 1];
  return with_list(d, n, a->name, list, a->n);
}

static NodeId mutate_lose_pair(Draft *d, Node n) {
  const Attr *a = node_attr(&n, sym("source_target_pairs"));
  return a && a->kind == ATTR_PAIRS && a->n >= 4 ? with_list(d, n, a->name, a->ints, a->n - 2) : NO_NODE;
}

static NodeId mutate_reducer(Draft *d, Node n) {
  const Attr *a = node_attr(&n, sym("reducer"));
  if (!a || dtype_kind((DType)n.dtype) == DK_BOOL) return NO_NODE;
  if (a->s == sym("add")) return with_symbol(d, n, a->name, "maximum");
  return a->s == sym("maximum") ? with_symbol(d, n, a->name, "add") : NO_NODE;
}

static NodeId mutate_direction(Draft *d, Node n) {
  static const char *const next[][2] = {
    {"LT", "LE"}, {"LE", "LT"}, {"GT", "GE"}, {"GE", "GT"}, {"EQ", "NE"}, {"NE", "EQ"}};
  const Attr *a = node_attr(&n, sym("direction"));
  for (size_t i = 0; a && i < sizeof next / sizeof *next; i++)
    if (a->s == sym(next[i][0])) return with_symbol(d, n, a->name, next[i][1]);
  return NO_NODE;
}

static NodeId mutate_dimensions(Draft *d, Node n) {
  for (uint32_t k = 0; k < n.n_attrs; k++) {
    const Attr *a = &n.attrs[k];
    if (a->kind != ATTR_INTS || a->n < 2 || a->ints[0] == a->ints[a->n - 1]) continue;
    if (!strstr(sym_text(a->name), "dim")) continue;
    int64_t *list = arena_copy(&d->to->arena, a->ints, a->n * sizeof *list);
    list[0] = a->ints[a->n - 1];
    list[a->n - 1] = a->ints[0];
    return with_list(d, n, a->name, list, a->n);
  }
  return NO_NODE;
}

/* A slice one further to the left or right, where there is room; one element of padding moved to the other end. */
static NodeId mutate_offset(Draft *d, Node n) {
  const Attr *lo = node_attr(&n, sym(is_op(&n, "pad") ? "low" : "starts"));
  const Attr *hi = node_attr(&n, sym(is_op(&n, "pad") ? "high" : "limits"));
  if (!lo || !hi || lo->n != n.rank || hi->n != n.rank || (!is_op(&n, "pad") && !is_op(&n, "slice"))) return NO_NODE;
  int64_t *los = arena_copy(&d->to->arena, lo->ints, lo->n * sizeof *los);
  int64_t *his = arena_copy(&d->to->arena, hi->ints, hi->n * sizeof *his);
  const Node *x = node_in(d->to, n.args[0]);
  for (uint32_t i = 0; i < n.rank; i++) {
    bool pad = is_op(&n, "pad");
    int64_t step = pad ? (his[i] > 0 ? 1 : los[i] > 0 ? -1 : 0) : his[i] < x->dims[i] ? 1 : los[i] > 0 ? -1 : 0;
    if (!step) continue;
    los[i] += step;
    his[i] += pad ? -step : step;
    Attr attrs[32];
    if (n.n_attrs > 32) return NO_NODE;
    memcpy(attrs, n.attrs, n.n_attrs * sizeof *attrs);
    for (uint32_t k = 0; k < n.n_attrs; k++)
      attrs[k].ints = attrs[k].name == lo->name ? los : attrs[k].name == hi->name ? his : attrs[k].ints;
    n.attrs = attrs;
    return graph_add(d->to, &n);
  }
  return NO_NODE;
}

static const struct {
  const char *name;
  NodeId (*make)(Draft *d, Node n);
} table[] = {
#define MUTATION(id, what) {#id, mutate_##id},
#include "tests/mutate/mutation.def"
#undef MUTATION
};

const char *mutation_name(Mutation m) { return table[m].name; }

static NodeId copy_node(Draft *d, NodeId id, Mutation m) {
  Node n = d->from->nodes.at[id];
  NodeId *args = arena_alloc(&d->to->arena, (n.n_args + 1) * sizeof *args);
  for (uint32_t k = 0; k < n.n_args; k++) args[k] = d->map[n.args[k]];
  n.args = args;
  return id == d->at ? table[m].make(d, n) : graph_add(d->to, &n);
}

Graph *mutation_make(const Graph *g, NodeId id, Mutation m, NodeId *changed) {
  Graph *to = graph_new();
  Draft d = {.from = g, .to = to, .map = xcalloc(g->nodes.len, sizeof *d.map), .at = id};
  to->path = g->path;
  to->source = g->source;
  to->n_devices = g->n_devices;
  to->n_read = g->n_read;
  to->param_values = g->param_values; /* parameters keep their numbers */
  for (size_t i = 1; i < g->frames.len; i++) {
    Frames f = g->frames.at[i];
    f.at = arena_copy(&to->arena, f.at, f.n * sizeof *f.at);
    vec_push(&to->frames, f);
  }
  bool made = true;
  for (NodeId i = 0; made && i < g->nodes.len; i++) made = (d.map[i] = copy_node(&d, i, m)) != NO_NODE;
  for (size_t i = 0; made && i < g->params.len; i++)
    vec_push(&to->params, g->params.at[i] == NO_NODE ? NO_NODE : d.map[g->params.at[i]]);
  for (size_t i = 0; made && i < g->outputs.len; i++)
    vec_push(&to->outputs, ((GraphOutput){d.map[g->outputs.at[i].node], g->outputs.at[i].name}));
  *changed = d.map[id];
  free(d.map);
  if (made) return to;
  graph_free(to);
  return NULL;
}
