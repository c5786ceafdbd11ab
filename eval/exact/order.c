/* order: see order.h. */
#include "eval/exact/order.h"

#include "eval/exact/region.h"

#define MAX_OPERANDS 4
#define MAX_CANDIDATES 1024 /* all pairs of them are looked at */

typedef enum OrderKind { ORDER_NONE, ORDER_TOPK, ORDER_SORT, ORDER_REDUCE } OrderKind;

static bool same_dims(const Node *a, const Node *b) {
  return a->rank == b->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0;
}

/* The one dimension an operator works along, or -1. */
static int64_t along(const Node *n, const Node *x) {
  const Attr *a = node_attr(n, sym("dimensions"));
  if (!a || a->kind != ATTR_INTS || a->n != 1 || a->ints[0] < 0 || a->ints[0] >= x->rank) return -1;
  return a->ints[0];
}

static OrderKind kind_of(const Graph *g, const Node *n) {
  const char *op = sym_text(n->op);
  if (n->n_args == 0) return ORDER_NONE;
  const Node *x = &g->nodes.at[n->args[0]];
  if (strcmp(op, "topk") == 0) {
    if (n->n_args != 1 || n->rank == 0 || x->rank != n->rank || n->result > 1) return ORDER_NONE;
    if (!node_attr(n, sym("largest"))) return ORDER_NONE;
    for (uint32_t d = 0; d + 1 < n->rank; d++)
      if (x->dims[d] != n->dims[d]) return ORDER_NONE;
    int64_t size = x->dims[n->rank - 1];
    return n->dims[n->rank - 1] <= size && size <= MAX_CANDIDATES ? ORDER_TOPK : ORDER_NONE;
  }
  bool reduces = strcmp(op, "reduce") == 0;
  int64_t d = along(n, x);
  if ((!reduces && strcmp(op, "sort") != 0) || !node_attr(n, sym("region")) || d < 0 || x->dims[d] > MAX_CANDIDATES)
    return ORDER_NONE;
  uint32_t m = reduces ? n->n_args / 2 : n->n_args;
  if (m == 0 || m > MAX_OPERANDS || n->result >= m || (reduces && n->n_args % 2)) return ORDER_NONE;
  for (uint32_t k = 0; k < m; k++)
    if (!same_dims(&g->nodes.at[n->args[k]], x)) return ORDER_NONE;
  for (uint32_t k = m; k < n->n_args; k++)
    if (g->nodes.at[n->args[k]].rank != 0) return ORDER_NONE;
  if (reduces ? n->rank + 1 != x->rank : !same_dims(n, x)) return ORDER_NONE;
  for (uint32_t i = 0; reduces && i < n->rank; i++)
    if (n->dims[i] != x->dims[i + (i >= (uint32_t)d)]) return ORDER_NONE;
  return reduces ? ORDER_REDUCE : ORDER_SORT;
}

bool order_known(const Graph *g, const Node *n) { return kind_of(g, n) != ORDER_NONE; }

bool order_along(const Graph *g, const Node *n, uint32_t *dim) {
  OrderKind kind = kind_of(g, n);
  if (kind != ORDER_TOPK && kind != ORDER_SORT) return false;
  *dim = kind == ORDER_TOPK ? n->rank - 1u : (uint32_t)along(n, &g->nodes.at[n->args[0]]);
  return true;
}

bool order_places(const Graph *g, const Node *n, int64_t *size) {
  uint32_t dim;
  if (!order_along(g, n, &dim)) return false;
  *size = g->nodes.at[n->args[0]].dims[dim];
  if (kind_of(g, n) == ORDER_TOPK) return n->result == 1;
  const Node *x = &g->nodes.at[n->args[n->result]]; /* what is sorted along with the keys: the places themselves */
  while (!strcmp(sym_text(x->op), "convert") && dtype_is_int((DType)x->dtype)) x = &g->nodes.at[x->args[0]];
  return !strcmp(sym_text(x->op), "iota") && node_attr_int(x, sym("iota_dimension"), -1) == (int64_t)dim;
}

/* A pair of the first operand, or of one of them and 0, at these values. */
static int compare_first(void *context, RegionValue a, RegionValue b) {
  const int *value = context;
  int x[2];
  RegionValue both[] = {a, b};
  for (int i = 0; i < 2; i++) {
    bool is = both[i].kind == REGION_PARAM && both[i].which < 2, zero = both[i].kind == REGION_CONSTANT;
    if (!is && !(zero && both[i].constant == RAT_0)) return 2;
    x[i] = is ? value[both[i].which] : 0;
  }
  return (x[0] > x[1]) - (x[0] < x[1]);
}

/* What the region of a sort says depends on how two values and 0 compare: all ways of that are tried. */
int order_direction(const Graph *g, const Node *n) {
  OrderKind kind = kind_of(g, n);
  if (kind == ORDER_TOPK && !node_attr_int(n, sym("any_order"), 0)) return node_attr_int(n, sym("largest"), 1) ? -1 : 1;
  if (kind != ORDER_SORT) return 0;
  Arena scratch = {0};
  const Region *region = region_parse(node_attr(n, sym("region"))->s, 2 * n->n_args, &scratch);
  bool is[2] = {region && region_results(region) == 1, region && region_results(region) == 1};
  for (int pair = 0; pair < 25 && (is[0] || is[1]); pair++) {
    int value[2] = {pair / 5 - 2, pair % 5 - 2};
    RegionValue v = region_apply(region, 0, compare_first, value);
    is[0] &= v.kind == REGION_TRUTH && v.which == (value[0] > value[1]);
    is[1] &= v.kind == REGION_TRUTH && v.which == (value[0] < value[1]);
  }
  arena_free(&scratch);
  return is[1] - is[0];
}

bool order_keeps(const Graph *g, const Node *n) {
  OrderKind kind = kind_of(g, n);
  if (!order_direction(g, n)) return false;
  if (kind != ORDER_TOPK) return node_attr_int(n, sym("is_stable"), 0) != 0;
  return !node_attr_int(n, sym("any_place"), 0) && !node_attr_int(n, sym("any_ties"), 0);
}

bool order_values(const Graph *g, const Node *n) {
  OrderKind kind = kind_of(g, n);
  return (kind == ORDER_TOPK || kind == ORDER_SORT) && n->result == 0 && order_direction(g, n);
}

OrderRow order_row(const Graph *g, const Node *n, uint64_t element) {
  const Node *x = &g->nodes.at[n->args[0]];
  OrderKind kind = kind_of(g, n);
  uint32_t d = kind == ORDER_TOPK ? x->rank - 1u : (uint32_t)along(n, x);
  OrderRow r = {.size = x->dims[d], .stride = 1, .n_operands = n->n_args};
  r.position = kind == ORDER_TOPK && n->result == 1;
  for (uint32_t i = d + 1; i < x->rank; i++) r.stride *= x->dims[i];
  r.places = kind == ORDER_REDUCE ? 1 : n->dims[d];
  uint64_t inner = (uint64_t)r.stride, places = (uint64_t)r.places;
  r.place = (int64_t)(element / inner % places);
  r.base = element / (inner * places) * (uint64_t)r.size * inner + element % inner;
  if (kind == ORDER_REDUCE) {
    r.has_init = true;
    r.n_operands = n->n_args / 2;
  }
  return r;
}

/* A pair of candidates under a region, whose parameters stand for the operands of one and the other. */
typedef struct Pairing {
  OrderKind kind;
  uint32_t n_operands;
  int64_t i, j;
  OrderCompare *compare;
  void *context;
} Pairing;

static OrderValue operand_of(const Pairing *p, RegionValue v) {
  if (v.kind == REGION_CONSTANT) return (OrderValue){.operand = -1, .constant = v.constant};
  bool second = p->kind == ORDER_SORT ? v.which % 2 : v.which >= p->n_operands;
  int64_t operand = p->kind == ORDER_SORT ? v.which / 2 : v.which % p->n_operands;
  return (OrderValue){.operand = operand, .candidate = second ? p->j : p->i};
}

static int compare_pair(void *context, RegionValue a, RegionValue b) {
  const Pairing *p = context;
  return p->compare(p->context, operand_of(p, a), operand_of(p, b));
}

static void pick_topk(const Node *n, const OrderRow *row, OrderCompare *compare, void *context, int64_t *picks) {
  int sign = node_attr_int(n, sym("largest"), 1) ? 1 : -1;
  bool any = node_attr_int(n, sym("any_place"), 0) != 0;
  for (int64_t i = 0; i < row->size; i++) {
    int64_t before = 0;
    bool tied = false, known = true;
    for (int64_t j = 0; j < row->size; j++) {
      if (j == i) continue;
      int c = compare(context, (OrderValue){.candidate = i}, (OrderValue){.candidate = j});
      known = known && c != 2;
      tied = tied || c == 0;
      before += c * sign < 0 || (c == 0 && j < i);
    }
    if (!known) { /* then no place is certain */
      for (int64_t q = 0; q < row->places; q++) picks[q] = -1;
      return;
    }
    if (before < row->places) picks[before] = tied && row->position && any ? -1 : i;
  }
}

/* Whether candidate i is less than j: 1, 0, or -1 if unknown. */
static int is_less(const Region *region, Pairing *p, int64_t i, int64_t j) {
  p->i = i;
  p->j = j;
  RegionValue v = region_apply(region, 0, compare_pair, p);
  return v.kind == REGION_TRUTH ? (int)v.which : -1;
}

/* below[i]: how many candidates are less than i.  The comparator orders them (ties allowed) exactly if i is less than j
 * whenever fewer are less than i. */
static bool count_below(const Region *region, const OrderRow *row, Pairing *p, int64_t *below) {
  for (int64_t i = 0; i < row->size; i++)
    for (int64_t j = 0; j < row->size; j++) below[j] += is_less(region, p, i, j) == 1;
  for (int64_t i = 0; i < row->size; i++)
    for (int64_t j = 0; j < row->size; j++)
      if (is_less(region, p, i, j) != (below[i] < below[j])) return false;
  return true;
}

static void pick_sort(const Node *n, const Region *region, const OrderRow *row, Pairing *p, int64_t *picks) {
  bool stable = node_attr_int(n, sym("is_stable"), 0) != 0;
  int64_t *below = xcalloc((size_t)row->size, sizeof *below);
  bool ordered = count_below(region, row, p, below);
  for (int64_t i = 0; i < row->size && ordered; i++) {
    int64_t rank = below[i];
    bool tied = false;
    for (int64_t j = 0; j < row->size; j++) {
      if (j == i || below[j] != below[i]) continue;
      tied = true;
      rank += j < i;
    }
    if (!tied || stable) picks[rank] = i;
  }
  free(below);
}

/* Which of a pair the region gives: 0 the first, 1 the second, 2 either (they are equal); -1 neither for certain. */
static int winner(const Region *region, Pairing *p) {
  int side = 2;
  for (uint32_t k = 0; k < p->n_operands; k++) {
    RegionValue v = region_apply(region, k, compare_pair, p);
    if (v.kind != REGION_PARAM || v.which % p->n_operands != k) return -1;
    OrderValue a = {.operand = k, .candidate = p->i}, b = {.operand = k, .candidate = p->j};
    int c = p->compare(p->context, a, b);
    if (c == 2) return -1;
    if (c == 0) continue;
    int mine = v.which >= p->n_operands;
    if (side != 2 && side != mine) return -1;
    side = mine;
  }
  return side;
}

static int64_t pick_reduce(const Region *region, const OrderRow *row, Pairing *p) {
  int64_t best = row->size;
  for (p->j = 0; p->j < row->size; p->j++) {
    p->i = best;
    int w = winner(region, p);
    if (w < 0) return -1;
    if (w == 1) best = p->j;
  }
  for (int64_t i = 0; i <= row->size; i++)
    for (int64_t j = 0; j <= row->size; j++) {
      p->i = i;
      p->j = j;
      int w = i == j ? 2 : winner(region, p);
      if (w < 0 || (i == best && w == 1) || (j == best && w == 0)) return -1;
    }
  return best;
}

void order_pick(const Graph *g, const Node *n, const OrderRow *row, OrderCompare *compare, void *context,
                int64_t *picks) {
  OrderKind kind = kind_of(g, n);
  for (int64_t q = 0; q < row->places; q++) picks[q] = -1;
  if (kind == ORDER_TOPK) {
    pick_topk(n, row, compare, context, picks);
    return;
  }
  Arena scratch = {0};
  const Region *region = region_parse(node_attr(n, sym("region"))->s, 2 * row->n_operands, &scratch);
  Pairing p = {.kind = kind, .n_operands = row->n_operands, .compare = compare, .context = context};
  if (region && region_results(region) == (kind == ORDER_SORT ? 1 : row->n_operands)) {
    if (kind == ORDER_SORT) pick_sort(n, region, row, &p, picks);
    else picks[0] = pick_reduce(region, row, &p);
  }
  arena_free(&scratch);
}
