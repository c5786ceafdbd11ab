/* Coordinate integers: rank arithmetic, tables, ranges of types, unknown values, deep and growing graphs. */
#include "tests/unit/handmade.h"

static bool is(Coord *c, NodeId id, int64_t n, const int64_t *want) {
  const int64_t *v = coord_value(c, id);
  for (int64_t i = 0; v && i < n; i++)
    if (v[i] != want[i]) return false;
  return v != NULL;
}
#define IS(c, id, ...) is(c, id, sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})
#define S32(h, kind, name, ...) APPLY(h, kind, name, DT_S32, __VA_ARGS__)

static void arithmetic(void) {
  Hand *h = hand_new(4);
  NodeId d = device_number(h), two = integer(h, 2), m3 = integer(h, -3), zero = integer(h, 0);
  NodeId half = S32(h, X_FN, "truncdiv", d, two), odd = S32(h, X_FN, "rem", d, two);
  NodeId shifted = S32(h, X_ADD, NULL, d, m3), low = S32(h, X_FN, "truncdiv", shifted, two);
  NodeId mod = S32(h, X_FN, "mod", shifted, two), by_zero = S32(h, X_FN, "rem", d, zero);
  NodeId is_odd = APPLY(h, X_CMP, "==", DT_PRED, odd, integer(h, 1));
  NodeId negative = APPLY(h, X_ADD, NULL, DT_U32, d, m3);
  NodeId safe = S32(h, X_SELECT, NULL, is_odd, S32(h, X_FN, "truncdiv", two, odd), zero);
  NodeId big = integer(h, INT32_MAX), over = S32(h, X_ADD, NULL, big, big), is_f = parameter(h, DT_S32, SCALAR);
  NodeId same = S32(h, X_FN, "clamp", zero, is_f, zero);
  Coord *c = coord_new_from(h->g, hand_source, h, 4);
  CHECK(IS(c, d, 0, 1, 2, 3));
  CHECK(IS(c, half, 0, 0, 1, 1));
  CHECK(IS(c, odd, 0, 1, 0, 1));
  CHECK(IS(c, low, -1, -1, 0, 0));
  CHECK(IS(c, mod, 1, 0, 1, 0));
  CHECK(IS(c, safe, 0, 2, 0, 2));
  CHECK(IS(c, same, 0, 0, 0, 0));
  CHECK(!coord_value(c, by_zero) && !coord_value(c, negative) && !coord_value(c, over) && !coord_value(c, is_f));
  CHECK(coord_value(c, half) == coord_value(c, half));
  int64_t x;
  CHECK(coord_uniform(c, two, &x) && x == 2 && !coord_uniform(c, d, &x) && !coord_uniform(c, is_f, &x));
  coord_free(c);
  hand_free(h);
}

static NodeId folded(Hand *h, XKind kind, NodeId table) {
  begin(h, SCALAR);
  VarId k = new_var(h, VAR_BOUND, dims_of(h, table).at[0], 0);
  Ix at = plain(h, k);
  XId all = node_x(h, kind, NULL, 1, (XId[]){read_at(h, 0, 1, &at)});
  h->x[all].n_vars = 1;
  h->x[all].vars = arena_copy(&h->arena, &k, sizeof k);
  return end(h, "folded", DT_S32, SCALAR, 1, &table, NULL, all);
}

static NodeId raised(Hand *h, NodeId a, Rat exponent) {
  begin(h, SCALAR);
  XId power = NODE_X(h, X_POW, NULL, read_at(h, 0, 0, NULL));
  h->x[power].r = exponent;
  return end(h, "raised", DT_S32, SCALAR, 1, &a, NULL, power);
}

static void functions(void) {
  Hand *h = hand_new(4);
  NodeId d = device_number(h), two = integer(h, 2), m2 = integer(h, -2), m1 = integer(h, -1), three = integer(h, 3);
  NodeId x = S32(h, X_ADD, NULL, d, integer(h, -3)), far = integer(h, 63), s31 = integer(h, 31);
  const struct {
    NodeId of;
    int64_t want[4];
  } known[] = {
      {S32(h, X_FN, "abs", x), {3, 2, 1, 0}},
      {S32(h, X_FN, "sign", x), {-1, -1, -1, 0}},
      {S32(h, X_FN, "floor", x), {-3, -2, -1, 0}},
      {S32(h, X_FN, "floordiv", x, two), {-2, -1, -1, 0}},
      {S32(h, X_FN, "floordiv", x, m2), {1, 1, 0, 0}},
      {S32(h, X_FN, "truncdiv", x, m2), {1, 1, 0, 0}},
      {S32(h, X_FN, "mod", x, m2), {-1, 0, -1, 0}},
      {S32(h, X_FN, "rem", x, m1), {0, 0, 0, 0}},
      {S32(h, X_FN, "maximum", x, m2), {-2, -2, -1, 0}},
      {S32(h, X_FN, "minimum", x, m2), {-3, -2, -2, -2}},
      {S32(h, X_FN, "band", x, two), {0, 2, 2, 0}},
      {S32(h, X_FN, "bor", d, two), {2, 3, 2, 3}},
      {S32(h, X_FN, "bxor", x, two), {-1, -4, -3, 2}},
      {S32(h, X_FN, "bnot", d), {-1, -2, -3, -4}},
      {S32(h, X_FN, "shl", x, two), {-12, -8, -4, 0}},
      {S32(h, X_FN, "shr", x, far), {-1, -1, -1, 0}},
      {S32(h, X_FN, "pow", x, three), {-27, -8, -1, 0}},
      {S32(h, X_FN, "pow", three, d), {1, 3, 9, 27}},
      {S32(h, X_FN, "pow", m1, x), {-1, 1, -1, 1}},
      {S32(h, X_CMP, "<=", x, m2), {1, 1, 0, 0}},
      {raised(h, x, RAT_INT(2)), {9, 4, 1, 0}},
      {folded(h, X_MAX, constant(h, DT_S32, DIMS(3), (int64_t[]){-7, 9, 5})), {9, 9, 9, 9}},
      {folded(h, X_MIN, constant(h, DT_S32, DIMS(3), (int64_t[]){5, -7, 9})), {-7, -7, -7, -7}},
  };
  const NodeId unknown[] = {
      S32(h, X_FN, "shl", two, far), S32(h, X_FN, "shl", two, m1), S32(h, X_FN, "shr", two, m1), S32(h, X_FN, "pow", two, x),
      S32(h, X_FN, "pow", two, far), S32(h, X_FN, "floordiv", two, x), S32(h, X_FN, "shl", two, s31),
      raised(h, two, RAT_NEG1), raised(h, two, rat_frac(1, 2)), folded(h, X_MAX, parameter(h, DT_S32, DIMS(3))),
  };
  Coord *c = coord_new_from(h->g, hand_source, h, 4);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (!is(c, known[i].of, 4, known[i].want)) printf("function %zu has another value\n", i), failures++;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
    if (coord_value(c, unknown[i])) printf("function %zu has a value\n", i), failures++;
  coord_free(c);
  hand_free(h);
}

static void tables(void) {
  Hand *h = hand_new(4);
  NodeId d = device_number(h), t = constant(h, DT_S32, DIMS(4), (int64_t[]){0, 8, 4, 12});
  NodeId one = dynamic_slice(h, t, d, 0, 1), two = dynamic_slice(h, t, d, 0, 2);
  NodeId grid = constant(h, DT_S32, DIMS(2, 2), (int64_t[]){5, 6, 7, 8});
  begin(h, DIMS(4)); /* the grid, flattened and negated, then read at the device */
  Ix all = plain(h, 0);
  XId r = put(h, (X){.kind = X_READ, .mode = READ_FLAT, .n = 1, .group = NO_VAR,
                     .ix = arena_copy(&h->arena, &all, sizeof all)});
  NodeId flat = end(h, "negated", DT_S32, DIMS(4), 1, &grid, NULL, NODE_X(h, X_MUL, NULL, rat(h, -1), r));
  NodeId at = dynamic_slice(h, flat, d, 0, 1);
  begin(h, SCALAR); /* out of range */
  XId dev = read_at(h, 1, 0, NULL);
  Ix past = form(h, 1, NO_VAR, 0, dev);
  NodeId beyond = end(h, "beyond", DT_S32, SCALAR, 2, (NodeId[]){t, d}, NULL, read_at(h, 0, 1, &past));
  Coord *c = coord_new_from(h->g, hand_source, h, 4);
  CHECK(IS(c, one, 0, 8, 4, 12));
  CHECK(!coord_value(c, two));
  CHECK(IS(c, at, -5, -6, -7, -8));
  CHECK(!coord_value(c, beyond));
  coord_free(c);
  hand_free(h);
}

static void other_devices(void) {
  Hand *h = hand_new(4);
  NodeId d = device_number(h);
  NodeId sum = reduce_scatter(h, d, -1, grouping(h, 2, 4, (int64_t[]){0, 2, 3, 1}));
  h->g->nodes.at[sum].dtype = DT_S32;
  NodeId next = S32(h, X_ADD, NULL, d, integer(h, 5));
  Attr pairs = {.name = sym("source_target_pairs"), .kind = ATTR_PAIRS, .n = 6, .ints = (int64_t[]){0, 1, 1, 3, 3, 0}};
  begin(h, SCALAR);
  XId read = read_at(h, 0, 0, NULL);
  h->x[read].permuted = true;
  NodeId sent = end(h, "sent", DT_S32, SCALAR, 1, &next, NULL, read);
  Instance paired = *h->in.at[sent];
  paired.pairs = &pairs;
  h->in.at[sent] = &paired;
  Coord *c = coord_new_from(h->g, hand_source, h, 4);
  CHECK(IS(c, sum, 2, 4, 2, 4));
  CHECK(IS(c, sent, 8, 5, 0, 6));
  coord_free(c);
  hand_free(h);
}

static void deep(void) { /* a loop counter, asked for while the graph grows */
  Hand *h = hand_new(2);
  Coord *c = coord_new_from(h->g, hand_source, h, 2);
  NodeId i = integer(h, 0), one = integer(h, 1);
  int64_t x = -1;
  for (int k = 0; k < 100; k++) {
    i = S32(h, X_ADD, NULL, i, one);
    CHECK(coord_uniform(c, i, &x) && x == k + 1);
  }
  for (int k = 0; k < 200000; k++) i = S32(h, X_ADD, NULL, i, one);
  CHECK(coord_uniform(c, i, &x) && x == 200100);
  for (int k = 0; k < 70; k++) i = S32(h, X_ADD, NULL, i, i);
  CHECK(!coord_value(c, i) && !coord_value(c, i + 1));
  coord_free(c);
  hand_free(h);
}

int main(void) {
  arithmetic();
  functions();
  tables();
  other_devices();
  deep();
  return failures != 0;
}
