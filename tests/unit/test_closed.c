/* Values that depend on no input: which they are, what they are on every device, and what is not known. */
#include <math.h>

#include "tests/unit/handmade.h"

#include "eval/exact/closed.h"
#include "eval/quotient/closed_fact.h"

static bool is(Closed *c, NodeId id, int64_t device, int64_t n, const int64_t *want) {
  const int64_t *v = closed_values(c, id, device);
  for (int64_t i = 0; v && i < n; i++)
    if (v[i] != want[i]) return false;
  return v != NULL;
}
#define IS(c, id, device, ...) \
  is(c, id, device, sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})

static NodeId iota(Hand *h, int64_t n) {
  begin(h, DIMS(n));
  Ix ix = plain(h, 0);
  XId x = put(h, (X){.kind = X_INDEX, .n = 1, .group = NO_VAR, .ix = arena_copy(&h->arena, &ix, sizeof ix)});
  return end(h, "iota", DT_S32, DIMS(n), 0, NULL, NULL, x);
}

/* y[i] = sum(j) if j <= i then a[j] else 0 */
static NodeId running_sum(Hand *h, NodeId a) {
  Dims d = dims_of(h, a);
  begin(h, d);
  VarId j = new_var(h, VAR_BOUND, d.at[0], 0);
  Ix at[2] = {plain(h, j), plain(h, 0)};
  XId x[2];
  for (int k = 0; k < 2; k++)
    x[k] = put(h, (X){.kind = X_INDEX, .n = 1, .group = NO_VAR, .ix = arena_copy(&h->arena, &at[k], sizeof at[k])});
  XId term = NODE_X(h, X_MUL, NULL, NODE_X(h, X_CMP, "<=", x[0], x[1]), read_at(h, 0, 1, at));
  XId s = NODE_X(h, X_SUM, NULL, term);
  h->x[s].n_vars = 1;
  h->x[s].vars = arena_copy(&h->arena, &j, sizeof j);
  return end(h, "running_sum", DT_S32, d, 1, &a, NULL, s);
}

static Closed *closed_of(Hand *h, int64_t n) { return closed_new(h->g, h->in.at, n, 1); }

static void positions(void) {
  Hand *h = hand_new(1);
  NodeId i = iota(h, 4), twice = APPLY(h, X_ADD, NULL, DT_S32, i, i), sum = running_sum(h, twice);
  NodeId late = APPLY(h, X_CMP, "<", DT_PRED, i, constant(h, DT_S32, DIMS(4), (int64_t[]){1, 1, 3, 3}));
  NodeId input = parameter(h, DT_S32, DIMS(4)), mixed = APPLY(h, X_ADD, NULL, DT_S32, i, input);
  NodeId real = APPLY(h, X_ADD, NULL, DT_F32, i, i), after = APPLY(h, X_ADD, NULL, DT_S32, real, i);
  NodeId half = constant(h, DT_F32, DIMS(4), (int64_t[]){1, 2, 3, 4}), above = APPLY(h, X_CMP, "<", DT_PRED, half, i);
  ((Rat *)h->g->nodes.at[half].literal->values)[1] = rat_frac(1, 2);
  Closed *c = closed_of(h, 1);
  CHECK(IS(c, sum, 0, 0, 2, 6, 12) && IS(c, twice, 0, 0, 2, 4, 6) && IS(c, late, 0, 1, 0, 1, 0));
  CHECK(closed_is(c, sum) && closed_is(c, real) && !closed_is(c, input) && !closed_is(c, mixed));
  CHECK(!closed_values(c, mixed, 0) && !closed_values(c, input, 0));
  CHECK(!closed_values(c, real, 0) && IS(c, after, 0, 0, 3, 6, 9)); /* floats are on the way only */
  CHECK(closed_is(c, above) && !closed_values(c, above, 0));        /* of literals that are not whole */
  CHECK(closed_values(c, sum, 0) == closed_values(c, sum, 0));
  closed_free(c);
  hand_free(h);
}

static void unknown(void) {
  Hand *h = hand_new(1);
  NodeId i = iota(h, 3), zero = constant(h, DT_S32, DIMS(3), (int64_t[]){1, 0, 1});
  NodeId divided = APPLY(h, X_FN, "truncdiv", DT_S32, i, zero), byte = APPLY(h, X_MUL, NULL, DT_S8, i, i);
  NodeId large = constant(h, DT_S32, DIMS(3), (int64_t[]){1, 200, 3}), over = APPLY(h, X_ADD, NULL, DT_S8, i, large);
  begin(h, DIMS(3)); /* out of range at the last */
  Ix past = form(h, 1, 0, 1, NO_X);
  NodeId beyond = end(h, "beyond", DT_S32, DIMS(3), 1, &i, NULL, read_at(h, 0, 1, &past));
  NodeId huge = iota(h, 1 << 20);
  Closed *c = closed_of(h, 1);
  CHECK(!closed_values(c, divided, 0) && !closed_values(c, over, 0) && !closed_values(c, beyond, 0));
  CHECK(IS(c, byte, 0, 0, 1, 4) && closed_is(c, huge) && !closed_values(c, huge, 0));
  closed_free(c);
  hand_free(h);
}

static NodeId splat(Hand *h, Dims d, int64_t value) {
  NodeId id = constant(h, DT_S32, d, (int64_t[8]){value});
  Literal *l = (Literal *)h->g->nodes.at[id].literal;
  l->kind = LIT_SPLAT, l->n = 0;
  return id;
}

/* Copies are computed once, but ones of other shapes are no copies. */
static void copies(void) {
  Hand *h = hand_new(1);
  NodeId two = splat(h, DIMS(2), 1), six = splat(h, DIMS(6), 1), again = splat(h, DIMS(6), 1);
  h->in.at[six] = h->in.at[again] = h->in.at[two]; /* constants share theirs */
  NodeId of_two = running_sum(h, two), of_six = running_sum(h, six), copy = running_sum(h, again);
  h->in.at[copy] = h->in.at[of_six];
  Closed *c = closed_of(h, 1);
  CHECK(IS(c, of_two, 0, 1, 2) && IS(c, of_six, 0, 1, 2, 3, 4, 5, 6));
  CHECK(closed_values(c, copy, 0) == closed_values(c, of_six, 0));
  closed_free(c);
  hand_free(h);
}

static void devices(void) {
  Hand *h = hand_new(3);
  NodeId d = device_number(h), table = constant(h, DT_S32, DIMS(6), (int64_t[]){9, 8, 7, 6, 5, 4});
  NodeId i = APPLY(h, X_MUL, NULL, DT_S32, d, integer(h, 2));
  NodeId own = dynamic_slice(h, table, i, 0, 2), all = running_sum(h, table);
  Closed *c = closed_of(h, 3);
  CHECK(IS(c, own, 0, 9, 8) && IS(c, own, 1, 7, 6) && IS(c, own, 2, 5, 4));
  CHECK(IS(c, all, 2, 9, 17, 24, 30, 35, 39) && closed_values(c, all, 0) == closed_values(c, all, 2));
  closed_free(c);
  hand_free(h);
}

/* Devices that count alike share their values, though each has a number of its own. */
static void classes(void) {
  Hand *h = hand_new(4);
  NodeId d = device_number(h), place = APPLY(h, X_FN, "rem", DT_S32, d, integer(h, 2));
  NodeId table = constant(h, DT_S32, DIMS(2), (int64_t[]){9, 8}), own = dynamic_slice(h, table, place, 0, 1);
  Closed *c = closed_of(h, 4);
  CHECK(IS(c, own, 0, 9) && IS(c, own, 1, 8) && IS(c, own, 2, 9) && IS(c, own, 3, 8));
  CHECK(closed_values(c, place, 0) == closed_values(c, place, 2));
  CHECK(closed_values(c, place, 0) != closed_values(c, place, 1));
  CHECK(closed_values(c, own, 1) == closed_values(c, own, 3) && closed_values(c, own, 0) != closed_values(c, own, 1));
  CHECK(closed_values(c, d, 0) != closed_values(c, d, 2));
  closed_free(c);
  hand_free(h);
}

/* What a mask is made of is known: infinities too. */
static void masks(void) {
  Hand *h = hand_new(1);
  NodeId i = iota(h, 3), one = APPLY(h, X_CMP, "<", DT_PRED, i, constant(h, DT_S32, DIMS(3), (int64_t[]){1, 1, 1}));
  NodeId low = constant(h, DT_F32, DIMS(3), (int64_t[]){0, 0, 0});
  for (int k = 0; k < 3; k++) ((Rat *)h->g->nodes.at[low].literal->values)[k] = RAT_NEG_INF;
  NodeId sum = APPLY(h, X_ADD, NULL, DT_F32, one, low), input = parameter(h, DT_F32, DIMS(3));
  Closed *c = closed_of(h, 1);
  const double *at = closed_balls(c, sum, 0), *flag = closed_balls(c, one, 0);
  CHECK(at && at[0] == -INFINITY && at[3] == -INFINITY && flag && flag[0] == 1 && flag[3] == 0 && flag[6] == 0);
  CHECK(!closed_balls(c, input, 0));
  closed_free(c);
  hand_free(h);
}

/* A causal mask has a number in each row and column, its columns on a device have not: facts of all devices. */
static void facts(void) {
  Hand *h = hand_new(2);
  NodeId mask = constant(h, DT_F32, DIMS(2, 2), (int64_t[]){0, 0, 0, 0});
  ((Rat *)h->g->nodes.at[mask].literal->values)[1] = RAT_NEG_INF;
  NodeId own = dynamic_slice(h, mask, device_number(h), 1, 1), input = parameter(h, DT_F32, DIMS(2, 2));
  Closed *c = closed_of(h, 2);
  Fact whole = fact_of_closed(c, &h->g->nodes.at[mask], mask, 2), part = fact_of_closed(c, &h->g->nodes.at[own], own, 2);
  CHECK(whole.has && whole.down && !whole.up && whole.hi == 0 && whole.some == 3);
  CHECK(part.has && part.down && part.some == 1);
  CHECK(!fact_of_closed(c, &h->g->nodes.at[own], own, 1).down);
  CHECK(!fact_of_closed(c, &h->g->nodes.at[input], input, 2).has);
  closed_free(c);
  hand_free(h);
}

int main(void) {
  positions();
  unknown();
  copies();
  devices();
  classes();
  masks();
  facts();
  return failures > 0;
}
