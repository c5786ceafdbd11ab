/* shape: see shape.h. */
#include "eval/lemma/shape.h"

#include <stdlib.h>
#include <string.h>

#include "eval/lemma/hidden.h"

enum { MAX_RANK = 12, MOST = 1000, MOST_ELEMENTS = 600, MAX_LITERALS = 4, LARGE_LITERAL = 3, MOST_LITERAL = 512 };

typedef Vec(Shape) ShapeList;

static int64_t literal(const AstExpr *e) {
  int64_t v;
  return e && e->kind == EX_RAT && rat_to_int(e->value, &v) && v >= 0 && v <= MOST_LITERAL ? v : -1;
}

static bool is_large(const AstExpr *e) {
  return e->kind == EX_RAT && rat_is_finite(e->value) && rat_cmp(rat_abs(e->value), rat_int(MOST_LITERAL)) > 0;
}

static bool add_name(Shapes *s, Sym name, const AstExpr *size) {
  for (uint32_t i = 0; i < s->n_names; i++) {
    if (s->names[i] != name) continue;
    if (size) s->fixed[i] = literal(size);
    return true;
  }
  if (s->n_names == SHAPE_NAMES) return false;
  s->fixed[s->n_names] = literal(size);
  s->names[s->n_names++] = name;
  return true;
}

static uint32_t number_of(const Shapes *s, Sym name) {
  uint32_t i = 0;
  while (i + 1 < s->n_names && s->names[i] != name) i++;
  return i;
}

/* Size of position r of a group: the second differs from the first. */
static int64_t group_size(int64_t first, uint32_t r) { return !r || !first ? first : first % 3 + 1; }

/* Dimensions of a bracket, or -1 if they are too many. */
static int dims_of(const Shapes *s, const Shape *at, const AstPattern *p, uint32_t n, int64_t *dims) {
  int rank = 0;
  for (uint32_t i = 0; i < n; i++) {
    if (p[i].n == 1 && p[i].digit->form == FORM_GROUP) {
      uint32_t name = number_of(s, p[i].digit->name);
      bool turned = at->turned && name == s->first_group;
      for (uint32_t r = 0; r < at->rank; r++) {
        if (rank == MAX_RANK) return -1;
        dims[rank++] = group_size(at->size[name], turned ? at->rank - 1 - r : r);
      }
      continue;
    }
    if (rank == MAX_RANK) return -1;
    dims[rank] = 1;
    for (uint32_t j = 0; j < p[i].n; j++) dims[rank] *= at->size[number_of(s, p[i].digit[j].name)];
    rank++;
  }
  return rank;
}

/* ---- sizes that follow ---- */

enum { NO_VALUE = INT16_MIN };

/* Value of an expression of sizes and attributes. */
static int64_t value_of(const Shapes *s, const Shape *at, const AstExpr *e) {
  int64_t x, y;
  if (e->kind == EX_RAT) return rat_to_int(e->value, &x) && x > NO_VALUE && x < -NO_VALUE ? x : NO_VALUE;
  bool size = e->kind == EX_BUILTIN && e->builtin == BUILTIN_SIZE && e->args[0]->kind == EX_NAME;
  if (size || e->kind == EX_NAME) {
    Sym name = size ? e->args[0]->name : e->name;
    uint32_t i = number_of(s, name);
    return s->names[i] == name ? at->size[i] : NO_VALUE;
  }
  if (e->n_args != 2) return NO_VALUE;
  x = value_of(s, at, e->args[0]);
  y = value_of(s, at, e->args[1]);
  if (x == NO_VALUE || y == NO_VALUE) return NO_VALUE;
  switch (e->kind) {
    case EX_ADD: return x + y;
    case EX_SUB: return x - y;
    case EX_MUL: return x * y;
    case EX_DIV: return y && x % y == 0 ? x / y : NO_VALUE;
    default: return NO_VALUE;
  }
}

/* The name whose size or value an expression is; s->n_names if it is more than a name. */
static uint32_t named(const Shapes *s, const AstExpr *e) {
  bool size = e->kind == EX_BUILTIN && e->builtin == BUILTIN_SIZE && e->args[0]->kind == EX_NAME;
  if (!size && e->kind != EX_NAME) return s->n_names;
  Sym name = size ? e->args[0]->name : e->name;
  uint32_t i = number_of(s, name);
  return s->names[i] == name ? i : s->n_names;
}

/* The value of e is found out from that of name i. */
static bool rests_on(const Shapes *s, const AstExpr *e, uint32_t i) {
  uint32_t k = named(s, e);
  if (k == i) return true;
  if (k < s->n_names) return s->follows[k] && rests_on(s, s->follows[k], i);
  bool found = false;
  for (uint32_t j = 0; j < e->n_args; j++) found |= rests_on(s, e->args[j], i);
  return found;
}

/* In `size(i) == e` the size of i follows from e, or from i what stands for e, in either order; each name once. */
static void find_following(void *context, const AstExpr *e) {
  Shapes *s = context;
  for (int side = 0; side < 2 && e->kind == EX_EQ; side++) {
    const AstExpr *x = e->args[side], *y = e->args[1 - side];
    uint32_t i = named(s, x);
    if (x->kind != EX_BUILTIN || i == s->n_names || s->follows[i] || rests_on(s, y, i)) continue;
    s->follows[i] = y;
    return;
  }
}

/* Sizes that follow from others, which may follow from others in turn. */
static bool settle(const Shapes *s, Shape *at) {
  for (uint32_t round = 0; round < s->n_names; round++)
    for (uint32_t i = 0; i < s->n_names; i++) {
      if (!s->follows[i]) continue;
      int64_t v = value_of(s, at, s->follows[i]);
      if (v >= 0 && v <= 2 * MOST_LITERAL) at->size[i] = v;
      else if (round + 1 == s->n_names) return false;
    }
  return true;
}

static bool measure(const Shapes *s, Shape *at) {
  const AstLemma *l = &s->item->lemma;
  int64_t dims[MAX_RANK];
  if (!settle(s, at)) return false;
  at->cost = at->sum = 0;
  at->empty = false;
  for (uint32_t i = 0; i < s->n_names; i++) at->sum += (uint32_t)llabs(at->size[i]);
  for (uint32_t i = 0; i < s->n_names - s->n_attrs; i++) at->empty |= at->size[i] == 0;
  for (uint32_t p = 0; p < l->n_params; p++) {
    int rank = dims_of(s, at, l->params[p].dims, l->params[p].n_dims, dims);
    int64_t n = 1;
    for (int d = 0; d < rank; d++) n *= dims[d];
    at->cost += (uint32_t)n;
  }
  return true;
}

static bool is_open(const Shapes *s, uint32_t name) { return s->fixed[name] < 0 && !s->follows[name]; }

static int by_cost(const void *x, const void *y) {
  const Shape *a = x, *b = y;
  if (a->cost != b->cost) return a->cost < b->cost ? -1 : 1;
  if (a->rank != b->rank) return a->rank < b->rank ? -1 : 1;
  if (a->sum != b->sum) return a->sum < b->sum ? -1 : 1;
  return memcmp(a->size, b->size, sizeof a->size);
}

typedef struct Choices {
  const int16_t *at;
  uint32_t n;
} Choices;

static Choices choices_of(const Shapes *s, uint32_t name, uint32_t widest) {
  static const int16_t sizes[] = {1, 2, 3}, attrs[] = {0, 1, 2, 3, -1};
  if (name < s->n_names - s->n_attrs) return (Choices){sizes, widest};
  return (Choices){attrs, widest == 3 ? 5 : widest + 1};
}

static double combinations(const Shapes *s, uint32_t widest) {
  double n = s->groups ? 2 : 1;
  for (uint32_t i = 0; i < s->n_names; i++)
    if (is_open(s, i)) n *= choices_of(s, i, widest).n;
  return n;
}

/* All combinations, the widest choice of sizes that stays below MOST. */
static void small(const Shapes *s, ShapeList *out) {
  uint32_t widest = 3;
  while (widest > 1 && combinations(s, widest) > MOST) widest--;
  uint32_t at[SHAPE_NAMES] = {0};
  for (uint8_t rank = 0; rank < (s->groups ? 2 : 1); rank++) {
    memset(at, 0, sizeof at);
    for (bool more = true; more;) {
      Shape x = {.rank = rank};
      for (uint32_t i = 0; i < s->n_names; i++)
        x.size[i] = is_open(s, i) ? choices_of(s, i, widest).at[at[i]] : s->fixed[i];
      if (measure(s, &x) && !x.empty) vec_push(out, x);
      more = false;
      for (uint32_t i = s->n_names; i-- > 0 && !more;) {
        if (!is_open(s, i)) continue;
        more = ++at[i] < choices_of(s, i, widest).n;
        if (!more) at[i] = 0;
      }
    }
  }
}

static void extra(const Shapes *s, ShapeList *out, uint8_t rank, bool turned, const int16_t *sizes, uint32_t n) {
  Shape x = {.rank = rank, .turned = turned};
  for (uint32_t i = 0; i < s->n_names; i++) x.size[i] = is_open(s, i) ? sizes[i % n] : s->fixed[i];
  if (measure(s, &x) && x.cost <= MOST_ELEMENTS) vec_push(out, x);
}

/* Attributes far from each other, in either order, each negative or not: what is said of one may hold at -1 alone, or of
 * two where they are neighbours. */
static void far_attributes(const Shapes *s, ShapeList *out) {
  enum { N = 3 };
  static const int16_t far[N] = {2, 5, 9}, sizes[N] = {3, 2, 5};
  uint32_t first = s->n_names - s->n_attrs, n = s->n_attrs < N ? s->n_attrs : N;
  for (uint32_t way = 0; n && way < 2u << n; way++) {
    int16_t all[SHAPE_NAMES];
    for (uint32_t i = 0; i < first; i++) all[i] = sizes[i % N];
    for (uint32_t i = 0; i < s->n_attrs; i++) {
      uint32_t k = i % N;
      int16_t value = far[way & 1 ? N - 1 - k : k];
      all[first + i] = way >> 1 >> k & 1 ? (int16_t)-value : value;
    }
    extra(s, out, s->groups, false, all, s->n_names);
  }
}

/* An empty dimension for each index in turn, and for all; other names as at `around`. */
static void emptied(const Shapes *s, ShapeList *out, const Shape *around) {
  Shape none = *around;
  for (uint32_t i = 0; i < s->n_names - s->n_attrs; i++) {
    Shape x = *around;
    if (!is_open(s, i)) continue;
    x.rank = s->groups;
    x.size[i] = 0;
    none.size[i] = 0;
    if (measure(s, &x)) vec_push(out, x);
  }
  none.rank = s->groups;
  if (measure(s, &none) && none.empty) vec_push(out, none);
}

typedef struct Literals {
  uint32_t n;
  int16_t at[MAX_LITERALS];
  bool more;
} Literals;

static void add_literal(int64_t v, Literals *l) {
  bool known = v <= LARGE_LITERAL;
  for (uint32_t i = 0; i < l->n && !known; i++) known = l->at[i] == v;
  if (!known && l->n < MAX_LITERALS) l->at[l->n++] = (int16_t)v;
  else if (!known) l->more = true;
}

static void find_literals(const AstExpr *e, Literals *l) {
  add_literal(literal(e), l);
  l->more |= is_large(e);
  for (uint32_t i = 0; i < e->n_args; i++) find_literals(e->args[i], l);
  for (uint32_t i = 0; i < e->n_binders; i++)
    if (e->binders[i].size) find_literals(e->binders[i].size, l);
}

/* What a number says of a size or an attribute shows only beyond it, or at it: each is that large, in turn (an attribute
 * also the negative); others are small, and where a condition relates them, as large or larger.  A number that no shape of
 * these meets may hide something. */
static void beyond_literals(Shapes *s, ShapeList *out) {
  Literals l = {.n = 0};
  const AstExpr *when = s->item->lemma.when;
  uint32_t n_sizes = s->n_names - s->n_attrs;
  for (uint32_t i = 0; i < n_sizes; i++) add_literal(s->fixed[i], &l);
  find_literals(s->item->lemma.equation, &l);
  if (when) find_literals(when, &l);
  s->more = l.more || hidden_numbers(s->item);
  for (uint32_t k = 0; k < l.n; k++)
    for (uint32_t i = 0; i < s->n_names; i++) {
      bool met = !is_open(s, i);
      for (int way = 0; way < (when ? 6 : 2) && is_open(s, i); way++) {
        Shape x = {.rank = s->groups};
        int16_t size = (int16_t)(i < n_sizes ? l.at[k] + way % 2 * 2 : way % 2 ? -l.at[k] : l.at[k]);
        for (uint32_t j = 0; j < s->n_names; j++)
          x.size[j] = !is_open(s, j) ? s->fixed[j] : way < 2 || j >= n_sizes ? 2 : size + way / 2 - 1;
        x.size[i] = size;
        bool fits = measure(s, &x);
        if (fits && x.cost <= MOST_ELEMENTS) vec_push(out, x);
        else s->more |= fits;
        met |= fits;
      }
      s->more |= !met;
    }
}

bool shapes_of(Shapes *s, const AstItem *item, Arena *a) {
  *s = (Shapes){.item = item, .a = a};
  const AstLemma *l = &item->lemma;
  bool ok = true;
  for (uint32_t p = 0; p < l->n_params; p++)
    for (uint32_t d = 0; d < l->params[p].n_dims; d++)
      for (uint32_t j = 0; j < l->params[p].dims[d].n; j++) {
        const AstIndex *x = &l->params[p].dims[d].digit[j];
        bool group = x->form == FORM_GROUP;
        ok &= add_name(s, x->name, x->size);
        if (group && !s->groups) s->first_group = number_of(s, x->name);
        s->groups |= group;
      }
  for (uint32_t k = 0; k < l->n_attrs; k++, s->n_attrs++) ok &= add_name(s, l->attrs[k].name, NULL);
  if (!ok) return false;
  if (s->n_names) lemma_conjuncts(l->when, find_following, s);
  ShapeList list = {0};
  small(s, &list);
  qsort(list.at, list.len, sizeof *list.at, by_cost);
  s->n_small = (uint32_t)list.len;
  /* primes; and squares, multiples and products of each other */
  static const int16_t sizes[][6] = {{2, 3, 2, 3, 2, 3}, {1, 2, 3, 1, 2, 3}, {3, 2, 5, 2, 3, 2}, {2, 3, 2, 3, 1, 2},
                                    {5, 3, 2, 7, 2, 3}, {4, 2, 8, 2, 4, 2}, {2, 4, 2, 8, 2, 3}};
  for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes && s->n_names; i++)
    extra(s, &list, s->groups ? (uint8_t)(i == 3 ? 2 : i > 0) : 0, false, sizes[i], 6);
  if (s->groups) extra(s, &list, 2, true, (const int16_t[]){2}, 1);
  far_attributes(s, &list);
  if (s->n_names) beyond_literals(s, &list);
  if (s->n_small) {
    Shape one = list.at[0], two = list.at[s->n_small - 1];
    emptied(s, &list, &one);
    emptied(s, &list, &two);
  }
  s->n = (uint32_t)list.len;
  s->at = arena_copy(a, list.at, list.len * sizeof *list.at);
  vec_free(&list);
  return true;
}

/* ---- at one shape ---- */

typedef struct Sizes {
  const Shapes *s;
  const Shape *at;
} Sizes;

static int64_t tuple_size(void *context, Sym index) {
  const Sizes *z = context;
  return z->at->size[number_of(z->s, index)];
}

Shape shape_of_use(const Shapes *s, const EquationUse *use) {
  Shape at = {0};
  for (uint32_t i = 0; i < s->n_names; i++) at.size[i] = 1;
  for (uint32_t i = 0; i < use->n; i++) at.size[number_of(s, use->index[i])] = use->size[i];
  double cost = 0;
  int64_t dims[MAX_RANK];
  for (uint32_t p = 0; p < s->item->lemma.n_params; p++) {
    double n = 1;
    int rank = dims_of(s, &at, s->item->lemma.params[p].dims, s->item->lemma.params[p].n_dims, dims);
    for (int d = 0; d < rank; d++) n *= (double)dims[d];
    cost += n;
  }
  at.cost = cost < UINT32_MAX ? (uint32_t)cost : UINT32_MAX;
  return at;
}

Lemma shape_lemma(const Shapes *s, const Shape *at, uint32_t number, Arena *a) {
  Sizes z = {s, at};
  return lemma_of(s->item, arena_printf(a, ".%u", number), tuple_size, &z, a);
}

static DType type_of(const Shapes *s, Sym param) {
  Sym t = lemma_type(s->item, param);
  DType type;
  if (!t) return DT_F32;
  if (!strcmp(sym_text(t), "bool")) return DT_PRED;
  if (!strcmp(sym_text(t), "int") || !strcmp(sym_text(t), "sint")) return DT_S32;
  if (!strcmp(sym_text(t), "uint")) return DT_U32;
  return dtype_parse(sym_text(t), strlen(sym_text(t)), &type) ? type : DT_F32;
}

static Attr *attrs_of(const Shapes *s, const Shape *at, Arena *a) {
  Attr *out = ARENA_ARRAY(a, Attr, s->n_attrs + 1);
  for (uint32_t k = 0; k < s->n_attrs; k++) {
    const AstAttr *attr = &s->item->lemma.attrs[k];
    int64_t v = at->size[number_of(s, attr->name)];
    bool rational = !strcmp(sym_text(attr->type), "rat");
    out[k] = (Attr){.name = attr->name, .kind = rational ? ATTR_RAT : ATTR_INT, .i = v, .r = rat_int(v)};
  }
  return out;
}

Graph *shape_graph(const Shapes *s, const Shape *at, const Lemma *l, const Sym *ops, uint32_t n_ops) {
  Graph *g = graph_new();
  g->path = l->name;
  g->n_devices = 1;
  int64_t dims[MAX_RANK];
  uint32_t n = s->item->lemma.n_params;
  NodeId *args = ARENA_ARRAY(&g->arena, NodeId, n + 1);
  bool ok = true;
  for (uint32_t i = 0; i < n; i++) {
    int rank = dims_of(s, at, l->params[i].dims, l->params[i].n_dims, dims);
    ok = ok && rank >= 0;
    args[i] = graph_add(g, &(Node){.op = sym("parameter"),
                                   .name = l->params[i].name,
                                   .dtype = type_of(s, l->params[i].name),
                                   .rank = (uint8_t)(rank < 0 ? 0 : rank),
                                   .dims = dims,
                                   .param = i});
    vec_push(&g->params, args[i]);
  }
  int rank = dims_of(s, at, l->dims, l->n_dims, dims);
  ok = ok && rank >= 0;
  for (uint32_t k = 0; k < n_ops; k++) {
    Sym side = ops[k] == l->left    ? sym("the left side")
               : ops[k] == l->right ? sym("the right side")
                                    : sym("the condition"); /* as messages call them */
    NodeId id = graph_add(g, &(Node){.op = ops[k],
                                     .name = side,
                                     .dtype = DT_F32,
                                     .rank = (uint8_t)(rank < 0 ? 0 : rank),
                                     .dims = dims,
                                     .n_args = n,
                                     .args = args,
                                     .n_attrs = s->n_attrs,
                                     .attrs = attrs_of(s, at, &g->arena)});
    vec_push(&g->outputs, (GraphOutput){id, sym("value")});
  }
  if (ok) return g;
  graph_free(g);
  return NULL;
}

const char *shape_text(const Shapes *s, const Shape *at, const Graph *g, Arena *a) {
  const char *out = "";
  for (size_t i = 0; i < g->params.len; i++) {
    const Node *n = &g->nodes.at[g->params.at[i]];
    out = arena_printf(a, "%s%s%s", out, i ? ", " : "", sym_text(n->name));
    if (!n->rank) continue;
    for (uint8_t d = 0; d < n->rank; d++) out = arena_printf(a, "%s%s%lld", out, d ? ", " : "[", (long long)n->dims[d]);
    out = arena_printf(a, "%s]", out);
  }
  for (uint32_t k = s->n_names - s->n_attrs; k < s->n_names; k++)
    out = arena_printf(a, "%s%s%s = %lld", out, *out ? ", " : "", sym_text(s->names[k]), (long long)at->size[k]);
  return out;
}
