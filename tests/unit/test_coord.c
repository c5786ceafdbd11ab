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
  Coord *c = coord_new_from(h->g, hand_source, h, 4);
  CHECK(IS(c, sum, 2, 4, 2, 4));
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
  tables();
  other_devices();
  deep();
  return failures != 0;
}
