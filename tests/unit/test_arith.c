/* The arithmetic of the certificate checker by itself: equations that it must see, and those that its side conditions
 * must keep it from seeing.  tests/laws breaks each condition in turn. */
#include <stdio.h>

#include "certify/walk.h"

static int failures, equations;

static void expect(bool want, bool is, const char *what) {
  equations++;
  if (want == is) return;
  printf("wrong: %s%s\n", want ? "" : "not ", what);
  failures++;
}

static bool same_def(const Def *d, const Def *e) {
  bool same = d->kind == e->kind && d->n_slots == e->n_slots && d->n_bound == e->n_bound && d->n_args == e->n_args;
  for (uint32_t i = 0; same && i < d->n_slots + d->n_bound; i++) same = d->sizes[i] == e->sizes[i];
  for (uint32_t i = 0; same && i < d->n_args; i++)
    same = d->args[i].tag == e->args[i].tag && d->args[i].def == e->args[i].def &&
           (!d->args[i].n || !memcmp(d->args[i].at, e->args[i].at, d->args[i].n * sizeof *d->args[i].at));
  return same;
}

/* An operation on items, over bound labels, as a definition, found or made. */
static Num make(Store *s, DefKind kind, const Item *x, uint32_t n, const Label *bound, uint32_t n_bound) {
  Label slot[32];
  int64_t sizes[64];
  int32_t at[8][32];
  DefArg args[8];
  Def d = {.kind = (uint8_t)kind, .n_args = n, .n_bound = n_bound, .args = args, .sizes = sizes};
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < n; i++) {
      AtomInfo a = s->atoms.at[x[i].a];
      args[i] = (DefArg){x[i].k, a.def, a.n, at[i]};
      for (uint32_t k = 0; k < a.n; k++) {
        uint32_t q = 0, b = 0;
        while (b < n_bound && bound[b] != a.at[k]) b++;
        while (q < d.n_slots && slot[q] != a.at[k]) q++;
        bool constant = label_is_const(a.at[k]);
        if (!constant && b == n_bound && q == d.n_slots) slot[d.n_slots++] = a.at[k];
        at[i][k] = constant ? -1 - (int32_t)label_value(a.at[k]) : (int32_t)(b < n_bound ? d.n_slots + b : q);
      }
    }
  for (uint32_t i = 0; i < d.n_slots + n_bound; i++)
    sizes[i] = label_size(s, i < d.n_slots ? slot[i] : bound[i - d.n_slots]);
  DefId id = 2;
  while (id < s->defs.len && (s->defs.at[id].kind == DEF_INPUT || !same_def(&s->defs.at[id], &d))) id++;
  if (id == s->defs.len) id = def_add(s, d);
  else return num_of(atom_make(s, id, slot, d.n_slots));
  for (uint32_t i = 0; i < d.n_slots * d.n_slots; i++) { /* any two slots may change places, if that is so */
    uint32_t turn[64], a = i / d.n_slots, b = i % d.n_slots;
    for (uint32_t k = 0; k < d.n_slots; k++) turn[k] = k == a ? b : k == b ? a : k;
    if (a < b) def_symmetry(s, id, turn);
  }
  return num_of(atom_make(s, id, slot, d.n_slots));
}

static Num form_of(Store *s, const Item *x, uint32_t n) { return make(s, DEF_LIN, x, n, NULL, 0); }
static Num two(Store *s, DefKind kind, Num v, Num w) {
  return make(s, kind, (Item[]){{v.a, v.k}, {w.a, w.k}}, 2, NULL, 0);
}
static Num plus(Store *s, Num v, Num w) { return two(s, DEF_LIN, v, w); }
static Num times(Store *s, Num v, Num w) { return two(s, DEF_MUL, v, w); }
static Num all_of(Store *s, const Num *v, uint32_t n) {
  Item x[8];
  for (uint32_t i = 0; i < n; i++) x[i] = (Item){v[i].a, RAT_1};
  return make(s, DEF_MUL, x, n, NULL, 0);
}
static Num over(Store *s, Num v, Num w) {
  return make(s, DEF_MUL, (Item[]){{v.a, RAT_1}, {w.a, RAT_NEG1}}, 2, NULL, 0);
}
static Num sum(Store *s, Num v, Label i) { return make(s, DEF_SUM, &(Item){v.a, RAT_1}, 1, &i, 1); }

static Num input(Store *s, const Label *at, uint32_t n, uint8_t flags) {
  int64_t sizes[8];
  for (uint32_t i = 0; i < n; i++) sizes[i] = label_size(s, at[i]);
  Def d = {.kind = DEF_INPUT, .n_slots = n, .sizes = sizes, .flags = flags};
  if (flags & IS_PRED) d.flags |= IS_INT, d.range = range_from(RAT_0, RAT_1);
  return num_of(atom_make(s, def_add(s, d), at, n));
}

static Num function_of(Store *s, const char *fn, Num x) {
  DefArg of = {RAT_1, s->atoms.at[x.a].def, 0, NULL};
  Def d = {.kind = DEF_FN, .fn = sym(fn), .n_args = 1, .args = &of};
  DefId id = 0;
  while (id < s->defs.len && !(s->defs.at[id].fn == d.fn && same_def(&s->defs.at[id], &d))) id++;
  return num_of(atom_make(s, id < s->defs.len ? id : def_add(s, d), NULL, 0));
}

/* What the graphs divide by, take away or a root of has a value; what only a certificate does need not. */
static void assumptions(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), j = label_make(s, LABEL_DIM, 1, 0, 3);
  Rat half = rat_frac(1, 2);
  for (int assumed = 0; assumed < 2; assumed++) {
    Num x = input(s, (Label[]){i, j}, 2, 0), y = input(s, NULL, 0, 0), xy = times(s, x, y), one = num(RAT_1);
    Num z = input(s, NULL, 0, 0), once = input(s, &i, 1, 0), inf = input(s, &i, 1, MAY_INF);
    Num m = make(s, DEF_MAX, &(Item){inf.a, RAT_1}, 1, &i, 1);
    Num root = make(s, DEF_MUL, &(Item){z.a, half}, 1, NULL, 0), all[3] = {m, num_scale(RAT_NEG1, m), one};
    if (assumed) atom_assume(s, xy.a, NOT_ZERO), atom_assume(s, z.a, NOT_NEGATIVE), atom_assume(s, m.a, FINITE);
    atom_assume(s, atom_make(s, s->atoms.at[once.a].def, (Label[]){LABEL_CONST | 1}, 1), NOT_ZERO);
    Num p = input(s, &i, 1, IS_PRED | IS_INT | IS_NONNEG), q = input(s, &j, 1, IS_PRED | IS_INT | IS_NONNEG);
    Num masked = make(s, DEF_LIN, (Item[]){{times(s, p, y).a, RAT_1}, {times(s, q, z).a, RAT_1}}, 2, NULL, 0);
    atom_assume(s, masked.a, NOT_ZERO);
    expect(false, law_same(s, times(s, masked, over(s, one, masked)), one),
           "(p y + q z) / (p y + q z) == 1 where neither holds");
    Num t = input(s, NULL, 0, IS_PRED | IS_INT | IS_NONNEG), ty = times(s, t, y), size = function_of(s, "abs", y);
    if (assumed) atom_assume(s, ty.a, NOT_ZERO);
    expect(assumed, law_same(s, over(s, z, ty), over(s, z, y)), "z / (t y) == z / y of a truth value t");
    expect(false, law_same(s, times(s, ty, z), times(s, y, z)), "t y z == y z");
    expect(assumed, law_same(s, times(s, size, over(s, one, size)), one), "|y| / |y| == 1");
    expect(assumed, law_same(s, times(s, xy, over(s, one, xy)), one), "x y / (x y) == 1");
    expect(assumed, law_same(s, times(s, y, over(s, one, y)), one), "y / y == 1");
    expect(false, law_same(s, times(s, once, over(s, one, once)), one), "x[i] / x[i] == 1 where x[1] != 0");
    expect(false, law_same(s, times(s, z, over(s, one, z)), one), "z / z == 1");
    expect(assumed, law_same(s, times(s, root, root), z), "sqrt(z) sqrt(z) == z");
    expect(assumed, law_same(s, make(s, DEF_MUL, &(Item){root.a, RAT_INT(2)}, 1, NULL, 0), z), "sqrt(z)^2 == z");
    expect(assumed, same_sums(s, all, 3, &one, 1), "m - m + 1 == 1 where m may be minus infinity");
    Num both = plus(s, y, z), of_both = times(s, both, over(s, one, z)), parts[2] = {times(s, y, over(s, one, z)), one};
    expect(false, same_sums(s, &of_both, 1, parts, 2), "(y + z) / z == y / z + 1");
    Num c = input(s, NULL, 0, 0), d = input(s, NULL, 0, 0), below = plus(s, c, d), minus = num_scale(RAT_NEG1, c);
    Num shares[] = {over(s, c, below), over(s, d, below)}, vast = plus(s, c, input(s, NULL, 0, MAY_INF));
    Num of_vast[] = {over(s, plus(s, vast, c), vast), over(s, minus, vast)};
    if (assumed) atom_assume(s, below.a, NOT_ZERO), atom_assume(s, vast.a, NOT_ZERO);
    expect(assumed, same_sums(s, shares, 2, &one, 1), "c / (c + d) + d / (c + d) == 1");
    expect(false, same_sums(s, of_vast, 2, &one, 1), "(x + c) / x - c / x == 1 where x may be infinite");
    Num power = make(s, DEF_MUL, &(Item){z.a, RAT_INT(-2)}, 1, NULL, 0);
    expect(false, flags_of(s, power.a) & IS_POS, "1 / z^2 > 0");
  }
}

static void sums(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), j = label_make(s, LABEL_DIM, 1, 0, 3),
        k = label_make(s, LABEL_DIM, 2, 0, 4);
  Num a = input(s, NULL, 0, 0), b = input(s, NULL, 0, 0), c = input(s, NULL, 0, 0), inf = input(s, NULL, 0, MAY_INF);
  Num x = input(s, &i, 1, 0), y = input(s, &j, 1, 0), z = input(s, &k, 1, 0);
  Num xi = num_of(atom_make(s, s->atoms.at[y.a].def, &i, 1)); /* y[i] */
  Num both[2] = {times(s, a, b), times(s, a, c)}, mixed[2] = {times(s, a, b), c};
  Num product = times(s, a, plus(s, b, c));
  expect(true, same_sums(s, &product, 1, both, 2), "a (b + c) == a b + a c");
  expect(false, same_sums(s, &product, 1, mixed, 2), "a (b + c) == a b + c");
  expect(false, same_sums(s, &product, 1, both, 1), "a (b + c) == a b");
  Num far = times(s, a, plus(s, b, inf)), parts[2] = {times(s, a, b), times(s, a, inf)};
  expect(false, same_sums(s, &far, 1, parts, 2), "a (b + x) == a b + a x where x may be infinite");
  Num ab = plus(s, a, b);
  Num beyond = plus(s, a, inf), p = input(s, NULL, 0, IS_PRED), q = input(s, NULL, 0, IS_PRED), one = num(RAT_1);
  Num pa = times(s, p, a), qb = times(s, q, b), masked = plus(s, pa, qb);
  Num other[2] = {over(s, a, ab), over(s, c, ab)};
  Num infinite[2] = {over(s, a, beyond), over(s, inf, beyond)}, hidden[2] = {over(s, pa, masked), over(s, qb, masked)};
  assumptions(s);
  Num unknown[2] = {over(s, a, ab), over(s, b, ab)}, u = input(s, NULL, 0, IS_POS), v = input(s, NULL, 0, IS_POS);
  Num w = input(s, NULL, 0, IS_POS | MAY_INF), uv = plus(s, u, v), uw = plus(s, u, w);
  Num shares[2] = {over(s, u, uv), over(s, v, uv)}, large[2] = {over(s, u, uw), over(s, w, uw)};
  Num by_row = over(s, sum(s, over(s, x, u), i), v), of_rows = over(s, sum(s, x, i), times(s, u, v));
  expect(true, same_sums(s, shares, 2, &one, 1), "u / (u + v) + v / (u + v) == 1 where u > 0, v > 0");
  expect(false, same_sums(s, unknown, 2, &one, 1), "a / (a + b) + b / (a + b) == 1, which may be 0 / 0");
  expect(false, same_sums(s, large, 2, &one, 1), "u / (u + w) + w / (u + w) == 1 where w may be infinite");
  expect(true, law_same(s, by_row, of_rows), "(sum(i) x[i] / u) / v == (sum(i) x[i]) / (u v)");
  Num nested = plus(s, one, over(s, u, v));
  expect(true, law_same(s, over(s, one, nested), over(s, v, uv)), "1 / (1 + u / v) == v / (u + v)");
  expect(false, law_same(s, over(s, one, nested), over(s, u, uv)), "1 / (1 + u / v) == u / (u + v)");
  Rat half = rat_div(RAT_1, RAT_INT(2));
  Num double_uv = make(s, DEF_LIN, (Item[]){{u.a, RAT_INT(2)}, {v.a, RAT_INT(2)}}, 2, NULL, 0), u_v = plus(s, u, v);
  Num joined = make(s, DEF_MUL, (Item[]){{double_uv.a, RAT_1}, {u_v.a, rat_neg(half)}}, 2, NULL, 0);
  Num turned = make(s, DEF_MUL, (Item[]){{u_v.a, rat_neg(half)}, {double_uv.a, RAT_1}}, 2, NULL, 0);
  Num root = make(s, DEF_MUL, &(Item){u_v.a, half}, 1, NULL, 0);
  expect(true, law_same(s, joined, (Num){RAT_INT(2), root.a}), "(2 u + 2 v) (u + v)^(-1/2) == 2 (u + v)^(1/2)");
  expect(true, law_same(s, turned, (Num){RAT_INT(2), root.a}), "(u + v)^(-1/2) (2 u + 2 v) == 2 (u + v)^(1/2)");
  expect(false, law_same(s, joined, root), "(2 u + 2 v) (u + v)^(-1/2) == (u + v)^(1/2)");
  Rat three_halves = rat_div(RAT_INT(-3), RAT_INT(2));
  Num under = make(s, DEF_MUL, (Item[]){{a.a, RAT_1}, {ab.a, rat_neg(half)}}, 2, NULL, 0), split[2];
  Num vast = make(s, DEF_MUL, (Item[]){{a.a, RAT_1}, {beyond.a, rat_neg(half)}}, 2, NULL, 0), vast_split[2];
  Num positive = make(s, DEF_MUL, (Item[]){{a.a, RAT_1}, {uv.a, rat_neg(half)}}, 2, NULL, 0), positive_split[2];
  for (int n = 0; n < 2; n++) {
    Item of[3] = {{a.a, RAT_1}, {n ? b.a : a.a, RAT_1}, {ab.a, three_halves}};
    split[n] = make(s, DEF_MUL, of, 3, NULL, 0);
    of[1].a = n ? inf.a : a.a, of[2].a = beyond.a;
    vast_split[n] = make(s, DEF_MUL, of, 3, NULL, 0);
    positive_split[n] = make(s, DEF_MUL, (Item[]){{a.a, RAT_1}, {n ? v.a : u.a, RAT_1}, {uv.a, three_halves}}, 3, NULL, 0);
  }
  expect(true, same_sums(s, &positive, 1, positive_split, 2), "a (u + v)^(-1/2) == (a u + a v) (u + v)^(-3/2)");
  expect(false, same_sums(s, &positive, 1, positive_split, 1), "a (u + v)^(-1/2) == a u (u + v)^(-3/2)");
  expect(false, same_sums(s, &under, 1, split, 2), "a (a + b)^(-1/2) == (a a + a b) (a + b)^(-3/2), a + b being anything");
  expect(false, same_sums(s, &vast, 1, vast_split, 2),
         "a (a + x)^(-1/2) == (a a + a x) (a + x)^(-3/2) where x may be infinite");
  expect(false, same_sums(s, other, 2, &one, 1), "a / (a + b) + c / (a + b) == 1");
  expect(false, same_sums(s, infinite, 2, &one, 1), "a / (a + x) + x / (a + x) == 1 where x may be infinite");
  expect(false, same_sums(s, hidden, 2, &one, 1), "p a / (p a + q b) + q b / (p a + q b) == 1, which may be 0 / 0");
  Num nothing[2] = {inf, num_scale(RAT_NEG1, inf)}, finite[2] = {a, num_scale(RAT_NEG1, a)};
  expect(true, same_sums(s, finite, 2, NULL, 0), "a - a == 0");
  expect(false, same_sums(s, nothing, 2, NULL, 0), "x - x == 0 where x may be infinite");
  Num twice[2] = {inf, inf};
  expect(false, same_sums(s, twice, 2, &inf, 1), "x + x == x");
  Num grid = sum(s, sum(s, times(s, x, y), j), i), line = sum(s, times(s, x, xi), i);
  expect(true, law_same(s, grid, times(s, sum(s, x, i), sum(s, y, j))),
         "sum(i, j) x[i] y[j] == sum(i) x[i] * sum(j) y[j]");
  expect(false, law_same(s, grid, line), "sum(i, j) x[i] y[j] == sum(i) x[i] y[i]");
  expect(false, law_same(s, sum(s, x, i), sum(s, y, j)), "sum(i) x[i] == sum(j) y[j]");
  expect(true, law_same(s, sum(s, xi, i), sum(s, y, j)), "sum(i) y[i] == sum(j) y[j]");
  expect(true, law_same(s, sum(s, times(s, a, z), k), times(s, a, sum(s, z, k))), "sum(k) a z[k] == a sum(k) z[k]");
  expect(true, same_sum_over(s, (Label[]){i, k}, 2, x, num_scale(RAT_INT(4), sum(s, x, i))),
         "sum(i, k) x[i] == 4 sum(i) x[i]");
  expect(false, same_sum_over(s, (Label[]){i, k}, 2, x, sum(s, x, i)), "sum(i, k) x[i] == sum(i) x[i]");
  expect(false, law_same(s, times(s, x, sum(s, xi, i)), times(s, x, num_scale(RAT_INT(3), xi))),
         "x[i] sum(i) y[i] == 3 x[i] y[i]");
}

static int64_t at_point(Affine f, const Label *l, const int64_t *v, uint32_t n) {
  int64_t all = f.c;
  for (uint32_t i = 0; i < f.n; i++)
    for (uint32_t k = 0; k < n; k++) all += f.t[i].l == l[k] ? f.t[i].k * v[k] : 0;
  return all;
}

/* form == 0 wherever the indices that t puts something in for have that value, which is one of theirs. */
static bool solved(Store *s, const Poly *form, const Label *l, uint32_t n, const Subst *t) {
  int64_t v[4], total = 1;
  for (uint32_t k = 0; k < n; k++) total *= label_size(s, l[k]);
  for (int64_t c = 0; c < total; c++) {
    int64_t rest = c, sum = 0;
    for (uint32_t k = 0; k < n; rest /= label_size(s, l[k++])) v[k] = rest % label_size(s, l[k]);
    for (uint32_t i = 0; i < t->n; i++)
      for (uint32_t k = 0; k < n; k++) {
        if (l[k] == t->from[i]) v[k] = at_point(label_open(s, t->to[i]), l, v, n);
        if (v[k] < 0 || v[k] >= label_size(s, l[k])) return false;
      }
    for (uint32_t i = 0; i < form->n; i++) {
      Affine of = {form->at[i].a == ATOM_ONE, form->at[i].a != ATOM_ONE, &(struct AffineTerm){1, 0}};
      int64_t k;
      if (of.n) of.t->l = s->atoms.at[form->at[i].a].at[0];
      sum += rat_to_int(form->at[i].k, &k) ? k * at_point(of, l, v, n) : 0;
    }
    if (sum) return false;
  }
  return true;
}

static void equations_of_indices(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 4), j = label_make(s, LABEL_DIM, 1, 0, 4),
        l = label_make(s, LABEL_DIM, 2, 0, 8), m = label_make(s, LABEL_DIM, 3, 0, 2),
        n = label_make(s, LABEL_DIM, 4, 0, 2);
  struct {
    Label at[4];
    int64_t k[4], c;
    Label bound[2];
    bool want;
    const char *what;
  } cases[] = {
      {{i, j}, {1, -1}, 0, {i, i}, true, "i == j for i"},
      {{i, l}, {1, -1}, 0, {i, i}, false, "i == l for i, l going further"},
      {{i, l}, {1, -1}, 0, {l, l}, true, "i == l for l, which goes further"},
      {{i, l}, {2, -1}, 0, {l, l}, true, "2 i == l for l"},
      {{i, l}, {2, -1}, 0, {i, i}, false, "2 i == l for i"},
      {{i, l}, {1, -1}, 5, {l, l}, false, "i + 5 == l for l, which goes to 7"},
      {{l}, {1}, -5, {l, l}, true, "l == 5"},
      {{i}, {1}, -5, {i, i}, false, "i == 5, i going to 3"},
      {{l}, {2}, -5, {l, l}, false, "2 l == 5"},
      {{i, m, j, n}, {2, 1, -2, -1}, 0, {i, m}, true, "(i, m) == (j, n) in digits"},
      {{i, m, j, n}, {1, 1, -1, -1}, 0, {i, m}, false, "i + m == j + n"},
      {{i, m, j}, {2, 1, -2}, 0, {i, i}, false, "2 i + m == 2 j for i"},
      {{i, m, l}, {2, 1, -1}, 0, {i, m}, false, "2 i + m == l for digits that l is not read in"},
      {{i, m}, {2, 1}, -5, {i, m}, true, "2 i + m == 5 for both"},
      {{i, m}, {2, 1}, -8, {i, m}, false, "2 i + m == 8, which is beyond both"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    Poly form = {0};
    Subst t = {0};
    for (int k = 0; k < 4 && cases[c].k[k]; k++)
      poly_put(s, &form, atom_index(s, cases[c].at[k]), rat_int(cases[c].k[k]));
    if (cases[c].c) poly_put(s, &form, ATOM_ONE, rat_int(cases[c].c));
    bool is = law_solve(s, form, cases[c].bound, 2, &t, NULL);
    uint32_t n_at = 0;
    while (n_at < 4 && cases[c].k[n_at]) n_at++;
    expect(cases[c].want, is && solved(s, &form, cases[c].at, n_at, &t), cases[c].what);
  }
}

static Num divided_by(Store *s, const char *fn, Num x, int64_t w) {
  DefArg of[2] = {{RAT_1, s->atoms.at[x.a].def, s->atoms.at[x.a].n, (int32_t[]){0}},
                  {RAT_1, def_number(s, rat_int(w)), 0, NULL}};
  Def d = {.kind = DEF_FN, .fn = sym(fn), .n_slots = of[0].n, .n_args = 2, .args = of};
  d.sizes = s->defs.at[of[0].def].sizes;
  DefId id = 0;
  for (DefId k = 0; k < s->defs.len && !id; k++) { /* made before */
    const Def *had = &s->defs.at[k];
    bool same = had->kind == DEF_FN && had->fn == d.fn && had->n_args == 2;
    if (same && had->args[0].def == of[0].def && had->args[1].def == of[1].def) id = k;
  }
  return num_of(atom_make(s, id ? id : def_add(s, d), s->atoms.at[x.a].at, s->atoms.at[x.a].n));
}

/* Answers goals by definitions as they stand: what is derived from a goal under a law can be written down. */
static bool plainly(Replay *p, const Goal *g, Settled *e, Names *names, Num *out) {
  static const DefKind kinds[] = {[GOAL_ADD] = DEF_LIN, [GOAL_MUL] = DEF_MUL, [GOAL_SUM] = DEF_SUM,
                                  [GOAL_MAX] = DEF_MAX, [GOAL_LT] = DEF_LT,   [GOAL_EQ] = DEF_EQ,
                                  [GOAL_SELECT] = DEF_SELECT, [GOAL_FN] = DEF_FN};
  bool weights = g->op == GOAL_ADD || g->op == GOAL_MAX;
  Item x[8];
  (void)e, (void)names;
  if (g->n > 8 || g->op > GOAL_FN || (g->op != GOAL_ADD && !kinds[g->op])) return false;
  for (uint32_t i = 0; i < g->n; i++)
    x[i] = (Item){g->items[i].v.a, weights ? g->items[i].v.k : g->items[i].tag};
  Num v = g->items[0].v;
  Poly rest = {0};
  for (uint32_t i = 0; i < g->n && g->op == GOAL_ADD; i++) poly_put(p->s, &rest, x[i].a, x[i].k);
  poly_pack(&rest);
  if (g->op == GOAL_ADD && !rest.n) return *out = num(RAT_0), true;
  for (uint32_t i = 0; i < g->n && g->op == GOAL_MUL; i++) poly_put(p->s, &rest, x[i].a, x[i].k);
  poly_pack(&rest);
  bool cancels = g->op == GOAL_MUL && !rest.n;
  for (uint32_t i = 0; i < g->n && g->op == GOAL_MUL; i++) cancels |= poly_weight(&rest, x[i].a) == RAT_0;
  if (cancels) return *out = rest.n ? make(p->s, DEF_MUL, rest.at, rest.n, NULL, 0) : num(RAT_1), true;
  if (g->op == GOAL_LT || g->op == GOAL_EQ || (g->op == GOAL_FN && g->n == 1))
    if (v.k != RAT_1) x[0].a = make(p->s, DEF_LIN, &(Item){v.a, v.k}, 1, NULL, 0).a;
  bool function = g->op == GOAL_FN && g->n == 1 && !p->s->atoms.at[v.a].n;
  int64_t n;
  bool by_number = g->op == GOAL_FN && g->n == 2 && v.k == RAT_1 && num_is(g->items[1].v);
  if (by_number && rat_to_int(g->items[1].v.k, &n)) *out = divided_by(p->s, sym_text(g->fn), v, n);
  else
    *out = function ? function_of(p->s, sym_text(g->fn), num_of(x[0].a))
                  : make(p->s, kinds[g->op], x, g->n, g->bound, g->n_bound);
  return true;
}

static bool never(Replay *p, const Settled *e) { return (void)p, (void)e, false; }
static void not_noted(Replay *p, Settled *e) { (void)p, (void)e; }
static const Oracle plain = {.ask = plainly, .gave_up = never, .give_up = not_noted};

static Num less(Store *s, Num v) { return make(s, DEF_LT, &(Item){v.a, RAT_1}, 1, NULL, 0); }
static Num equals(Store *s, Num v, Num w) {
  Num form = plus(s, v, num_scale(RAT_NEG1, w));
  return make(s, DEF_EQ, &(Item){form.a, RAT_1}, 1, NULL, 0);
}

static Num zero(Store *s, Num v) { return make(s, DEF_EQ, &(Item){v.a, RAT_1}, 1, NULL, 0); }

static bool holds_for(Store *s, Law *law, Goal g, const Num *x, Num v, Choice c) {
  Steps steps = {0};
  Replay p = {.s = s, .steps = &steps, .oracle = &plain, .trusting = true};
  GoalItem items[8];
  for (uint32_t i = 0; i < g.n; i++) items[i] = (GoalItem){x[i], RAT_1};
  g.items = items;
  bool is = law(&p, &g, v, &c) && !p.failed;
  index_free(&p.index);
  vec_free(&p.settled);
  vec_free(&p.log);
  arena_free(&p.arena);
  return is;
}

static bool holds_of(Store *s, Law *law, GoalOp op, Sym fn, const Num *x, uint32_t n, Num v, Choice c) {
  return holds_for(s, law, (Goal){.op = op, .fn = fn, .n = n}, x, v, c);
}

static bool holds(Store *s, Law *law, GoalOp op, const Num *x, uint32_t n, Num v, Choice c) {
  return holds_of(s, law, op, 0, x, n, v, c);
}

static bool clamps(Store *s, const Num *x, Num v) {
  return holds_of(s, law_decided, GOAL_FN, sym("clamp"), x, 3, v, (Choice){0});
}

/* (c u + c v)^p == k (u + v)^p? */
static bool scales_root(Store *s, Rat c, Rat p, Rat k) {
  Num u = input(s, NULL, 0, 0), v = input(s, NULL, 0, 0), one = plus(s, u, v);
  Num all = make(s, DEF_LIN, (Item[]){{u.a, c}, {v.a, c}}, 2, NULL, 0);
  Num of_all = make(s, DEF_MUL, &(Item){all.a, p}, 1, NULL, 0), of_one = make(s, DEF_MUL, &(Item){one.a, p}, 1, NULL, 0);
  return holds(s, law_arithmetic, GOAL_MUL, &of_all, 1, num_scale(k, of_one), (Choice){0});
}

/* [f y < 0] == [y < 0]? */
static bool drops(Store *s, uint8_t flags, Rat power, uint8_t assumed) {
  Num f = input(s, NULL, 0, flags), y = input(s, NULL, 0, 0);
  atom_assume(s, f.a, assumed);
  Num product = make(s, DEF_MUL, (Item[]){{f.a, power}, {y.a, RAT_1}}, 2, NULL, 0);
  return holds(s, law_scaled, GOAL_LT, &product, 1, less(s, y), (Choice){1, (Label[]){0}});
}

/* With its labels the other way round it is the same atom. */
static bool turned_round(Store *s, Num v) {
  AtomInfo x = s->atoms.at[v.a];
  Label at[2] = {x.at[1], x.at[0]};
  return x.n == 2 && label_size(s, at[0]) == label_size(s, at[1]) && atom_make(s, x.def, at, 2) == v.a;
}

static void roots_of_multiples(Store *s) {
  Rat half = rat_frac(1, 2), minus_half = rat_frac(-1, 2);
  expect(true, scales_root(s, RAT_INT(4), minus_half, half), "(4 u + 4 v)^(-1/2) == (u + v)^(-1/2) / 2");
  expect(true, scales_root(s, RAT_INT(4), half, RAT_INT(2)), "(4 u + 4 v)^(1/2) == 2 (u + v)^(1/2)");
  expect(true, scales_root(s, RAT_INT(-2), RAT_INT(3), RAT_INT(-8)), "(-2 u - 2 v)^3 == -8 (u + v)^3");
  expect(false, scales_root(s, RAT_INT(4), minus_half, RAT_INT(2)), "(4 u + 4 v)^(-1/2) == 2 (u + v)^(-1/2)");
  expect(false, scales_root(s, RAT_INT(4), minus_half, RAT_1), "(4 u + 4 v)^(-1/2) == (u + v)^(-1/2)");
  expect(false, scales_root(s, RAT_INT(2), half, RAT_1), "(2 u + 2 v)^(1/2) == (u + v)^(1/2)");
  expect(false, scales_root(s, RAT_NEG1, half, RAT_1), "(-u - v)^(1/2) == (u + v)^(1/2)");
  expect(false, scales_root(s, RAT_NEG1, half, RAT_NEG1), "(-u - v)^(1/2) == -(u + v)^(1/2)");
}

static void positive_factors(Store *s) {
  expect(true, drops(s, IS_POS | IS_NONNEG, RAT_1, 0), "[f y < 0] == [y < 0] where f > 0");
  expect(false, drops(s, IS_NONNEG, RAT_1, 0), "[f y < 0] == [y < 0] where f >= 0");
  expect(false, drops(s, 0, RAT_1, NOT_ZERO), "[f y < 0] == [y < 0] where f != 0");
  expect(true, drops(s, IS_NONNEG, RAT_NEG1, NOT_ZERO), "[y / f < 0] == [y < 0] where f >= 0");
  expect(false, drops(s, IS_NONNEG, RAT_NEG1, 0), "[y / f < 0] == [y < 0] where f >= 0, and nothing else divides by f");
  expect(false, drops(s, 0, RAT_NEG1, NOT_ZERO), "[y / f < 0] == [y < 0]");
  expect(true, drops(s, 0, rat_int(-2), NOT_ZERO), "[y / f^2 < 0] == [y < 0]");
  expect(false, drops(s, 0, rat_int(-2), 0), "[y / f^2 < 0] == [y < 0], and nothing else divides by f");
  for (int assumed = 0; assumed < 2; assumed++) {
    Num f = input(s, NULL, 0, 0), y = input(s, NULL, 0, 0), product = times(s, function_of(s, "abs", f), y);
    if (assumed) atom_assume(s, f.a, NOT_ZERO);
    expect(assumed, holds(s, law_scaled, GOAL_LT, &product, 1, less(s, y), (Choice){1, (Label[]){0}}),
           "[|f| y < 0] == [y < 0]");
  }
  expect(false, drops(s, IS_POS | IS_NONNEG | MAY_INF, RAT_NEG1, 0), "[y / f < 0] == [y < 0] where f may be infinite");
}

static void comparisons(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 4), j = label_make(s, LABEL_DIM, 1, 0, 4),
        l = label_make(s, LABEL_DIM, 2, 0, 8);
  Num I = num_of(atom_index(s, i)), J = num_of(atom_index(s, j)), L = num_of(atom_index(s, l));
  Num t = input(s, NULL, 0, 0), u = input(s, NULL, 0, 0), inf = input(s, NULL, 0, MAY_INF);
  Num pair[2] = {equals(s, t, I), equals(s, t, J)}, other[2] = {equals(s, t, I), equals(s, u, J)};
  Num both = equals(s, num_scale(RAT_NEG1, J), num_scale(RAT_NEG1, I));
  Num joined = times(s, pair[0], both), apart = times(s, other[0], both);
  Choice second = {1, (Label[]){1}};
  expect(true, holds(s, law_under, GOAL_MUL, pair, 2, joined, second), "[t == i] [t == j] == [t == i] [i == j]");
  expect(false, holds(s, law_under, GOAL_MUL, other, 2, apart, second), "[t == i] [u == j] == [t == i] [i == j]");
  Num far[2] = {equals(s, inf, I), equals(s, inf, J)};
  expect(false, holds(s, law_under, GOAL_MUL, far, 2, times(s, far[0], both), second),
         "[t == i] [t == j] == [t == i] [i == j] where t may be infinite");
  Num at_i = input(s, &i, 1, 0), at_j = num_of(atom_make(s, s->atoms.at[at_i.a].def, &j, 1));
  Num three[3] = {pair[0], pair[1], at_i}, moved = all_of(s, (Num[]){pair[0], both, at_j}, 3);
  Num without = times(s, pair[0], at_j), k_j = all_of(s, (Num[]){pair[0], both, at_j, J}, 4),
      k_i = all_of(s, (Num[]){pair[0], both, at_j, I}, 4);
  Choice i_for_j = {2, (Label[]){1, 0}};
  expect(false, holds(s, law_under, GOAL_MUL, three, 3, moved, second), "x[i] == x[j]");
  expect(true, holds(s, law_under, GOAL_MUL, three, 3, moved, i_for_j),
         "[t == i] [t == j] x[i] == [t == i] [i == j] x[j]");
  expect(false, holds(s, law_under, GOAL_MUL, three, 3, without, i_for_j), "[t == i] [t == j] x[i] == [t == i] x[j]");
  expect(false, holds(s, law_under, GOAL_MUL, three, 3, k_j, i_for_j),
         "[t == i] [t == j] x[i] == [t == i] [i == j] x[j] j");
  Num difference = plus(s, I, num_scale(RAT_NEG1, J)), nothing[3] = {pair[0], pair[1], difference};
  expect(false, holds(s, law_under, GOAL_MUL, nothing, 3, difference, i_for_j), "[t == i] [t == j] (i - j) == i - j");
  Num four[4] = {pair[0], pair[1], at_i, I};
  expect(true,
         holds(s, law_under, GOAL_MUL, four, 4, k_j, i_for_j) && holds(s, law_under, GOAL_MUL, four, 4, k_i, i_for_j),
         "[t == i] [t == j] x[i] i == [t == i] [i == j] x[j] j");
  Num x = input(s, NULL, 0, IS_NONNEG), y = input(s, NULL, 0, 0), z = input(s, NULL, 0, IS_NONNEG);
  Num truth = less(s, make(s, DEF_LIN, &(Item){x.a, RAT_NEG1}, 1, NULL, 0)),
      of_y = less(s, make(s, DEF_LIN, &(Item){y.a, RAT_NEG1}, 1, NULL, 0)), below = less(s, x);
  Choice first = {1, (Label[]){0}};
  expect(true, holds(s, law_under, GOAL_MUL, (Num[]){truth, x}, 2, x, first), "[0 < x] x == x where x >= 0");
  expect(false, holds(s, law_under, GOAL_MUL, (Num[]){truth, z}, 2, z, first), "[0 < x] z == z");
  expect(false, holds(s, law_under, GOAL_MUL, (Num[]){of_y, y}, 2, y, first), "[0 < y] y == y");
  expect(false, holds(s, law_under, GOAL_MUL, (Num[]){below, x}, 2, x, first), "[x < 0] x == x");
  Num most = two(s, DEF_MAX, x, y), smaller = less(s, plus(s, x, num_scale(RAT_NEG1, y)));
  expect(true, holds(s, law_under, GOAL_MUL, (Num[]){smaller, most}, 2, times(s, smaller, y), second),
         "[x < y] max(x, y) == [x < y] y");
  expect(false, holds(s, law_under, GOAL_MUL, (Num[]){smaller, most}, 2, times(s, smaller, x), second),
         "[x < y] max(x, y) == [x < y] x");
  expect(false, holds(s, law_under, GOAL_MUL, (Num[]){below, most}, 2, times(s, below, y), second),
         "[x < 0] max(x, y) == [x < 0] y, of any y");
  Num p = input(s, NULL, 0, IS_PRED), not_p = plus(s, num(RAT_1), num_scale(RAT_NEG1, p));
  Choice of_p = {1, (Label[]){0}};
  Num twice = plus(s, num(RAT_INT(2)), num_scale(rat_int(-2), p)),
      of_x = plus(s, num(RAT_INT(2)), num_scale(rat_int(-2), x));
  expect(true, holds(s, law_split, GOAL_EQ, &twice, 1, p, of_p), "[2 - 2 p == 0] == p");
  expect(false, holds(s, law_split, GOAL_EQ, &twice, 1, not_p, of_p), "[2 - 2 p == 0] == 1 - p");
  expect(false, holds(s, law_split, GOAL_EQ, &twice, 1, num(RAT_1), of_p), "[2 - 2 p == 0] == 1");
  Def size = {.kind = DEF_FN, .fn = sym("abs"), .n_args = 1, .args = &(DefArg){RAT_1, s->atoms.at[x.a].def, 0, NULL}};
  Num length = num_of(atom_make(s, def_add(s, size), NULL, 0)), square = times(s, x, x);
  Num lengths[2] = {length, length}, mixed[2] = {length, x};
  Choice sign = {1, (Label[]){0}};
  expect(true, holds(s, law_split, GOAL_MUL, lengths, 2, square, sign), "|x| |x| == x x");
  expect(false, holds(s, law_split, GOAL_MUL, mixed, 2, square, sign), "|x| x == x x");
  expect(false, holds(s, law_split, GOAL_MUL, mixed, 2, num_scale(RAT_NEG1, square), sign), "|x| x == - x x");
  Num chosen[3] = {p, inf, num(RAT_0)}, other_way[3] = {not_p, y, x};
  expect(false, holds(s, law_split, GOAL_SELECT, chosen, 3, times(s, p, inf), first),
         "if p then x else 0 == p x where x may be infinite");
  Num choice = make(s, DEF_SELECT, (Item[]){{p.a, RAT_1}, {x.a, RAT_1}, {y.a, RAT_1}}, 3, NULL, 0);
  expect(true, holds(s, law_split, GOAL_SELECT, other_way, 3, choice, of_p),
         "if 1 - p then y else x == if p then x else y");
  expect(false, holds(s, law_split, GOAL_EQ, &of_x, 1, x, of_p), "[2 - 2 x == 0] == x");
  expect(true, holds(s, law_decided, GOAL_LT, &twice, 1, num(RAT_0), first), "[2 - 2 p < 0] == 0");
  Num beside = times(s, twice, y);
  expect(false, holds(s, law_scaled, GOAL_LT, &beside, 1, less(s, y), first), "[(2 - 2 p) y < 0] == [y < 0]");
  int64_t top = label_size(s, l) - 1;
  Num in[3] = {num(RAT_0), L, num(rat_int(top))}, out[3] = {num(RAT_0), L, num(rat_int(top - 1))};
  expect(true, clamps(s, in, L), "clamp(0, l, size(l) - 1) == l");
  expect(false, clamps(s, out, L), "clamp(0, l, size(l) - 2) == l");
  Num minus = num_scale(RAT_NEG1, p);
  expect(true, holds(s, law_split, GOAL_LT, &minus, 1, p, first), "[-p < 0] == p");
  expect(false, holds(s, law_split, GOAL_LT, &minus, 1, not_p, first), "[-p < 0] == 1 - p");
  Num forms[3] = {equals(s, I, J), equals(s, I, num_scale(RAT_INT(2), J)), equals(s, I, plus(s, L, J))};
  expect(true, turned_round(s, forms[0]), "[i == j] == [j == i]");
  expect(false, turned_round(s, forms[1]), "[i == 2 j] == [j == 2 i]");
  Num order = less(s, plus(s, I, num_scale(RAT_NEG1, J)));
  expect(false, turned_round(s, order), "[i < j] == [j < i]");
}

/* What is known of a value, and sums among factors. */
/* Is something assumed to be not negative, where the root of k times a value with these flags is taken? */
static bool root_assumes(Store *s, Rat k, uint8_t flags) {
  Steps steps = {0};
  Replay p = {.s = s, .steps = &steps, .oracle = &plain};
  Num x = num_scale(k, input(s, NULL, 0, flags));
  goal_mul(&p, &(GoalItem){x, rat_frac(1, 2)}, 1);
  index_free(&p.index);
  vec_free(&p.settled);
  vec_free(&p.log);
  arena_free(&p.arena);
  return p.needs & NEEDS_NONNEGATIVE;
}

static void factors(Store *s) {
  expect(false, root_assumes(s, RAT_INT(2), IS_NONNEG), "the root of 2 x assumes something, where x >= 0");
  expect(true, root_assumes(s, RAT_INT(2), 0), "the root of 2 x assumes something");
  expect(true, root_assumes(s, RAT_INT(-2), IS_NONNEG), "the root of -2 x assumes something, where x >= 0");
  Num y = input(s, NULL, 0, 0);
  Choice second = {1, (Label[]){1}};
  Def size = {.kind = DEF_FN, .fn = sym("abs"), .n_args = 1, .args = &(DefArg){RAT_1, s->atoms.at[y.a].def, 0, NULL}};
  Num of_any = num_of(atom_make(s, def_add(s, size), NULL, 0)), powers[4];
  for (int n = 0; n < 4; n++)
    powers[n] = make(s, DEF_MUL, &(Item){n % 2 ? of_any.a : y.a, n < 2 ? RAT_INT(2) : RAT_INT(3)}, 1, NULL, 0);
  expect(true, law_same(s, powers[0], powers[1]), "|y|^2 == y^2");
  expect(false, law_same(s, powers[2], powers[3]), "|y|^3 == y^3");
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), j = label_make(s, LABEL_DIM, 1, 0, 3);
  Num r = input(s, &i, 1, 0), t = input(s, &i, 1, 0), t_j = num_of(atom_make(s, s->atoms.at[t.a].def, &j, 1));
  Num around[2] = {r, sum(s, t, i)};
  expect(true, holds(s, law_open, GOAL_MUL, around, 2, sum(s, times(s, r, t_j), j), second),
         "r[i] sum(j) t[j] == sum(j) r[i] t[j]");
  expect(false, holds(s, law_open, GOAL_MUL, around, 2, sum(s, times(s, r, t), i), second),
         "r[i] sum(j) t[j] == sum(i) r[i] t[i]");
}

/* An unknown function, number fn, of x and y, that produces the index at: is it v? */
static bool produces(Store *s, Sym fn, Num x, Num y, Label at, Num v) {
  Replay p = {.s = s};
  GoalItem items[3] = {{x, RAT_1}, {y, RAT_1}, {num_of(atom_index(s, at)), RAT_0}};
  return law_argument(&p, &(Goal){.op = GOAL_OPAQUE, .fn = fn, .n = 3, .items = items}, v, &(Choice){0});
}

static void functions(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 4), j = label_make(s, LABEL_DIM, 1, 0, 4);
  Num x = input(s, NULL, 0, 0), y = input(s, NULL, 0, 0), minus = num_scale(rat_int(-2), x);
  DefArg args[2] = {{RAT_1, s->atoms.at[x.a].def, 0, NULL}, {RAT_1, s->atoms.at[y.a].def, 0, NULL}};
  Def f = {.kind = DEF_OPAQUE, .fn = 7, .n_slots = 1, .sizes = (int64_t[]){4}, .n_args = 2, .args = args};
  Num v = num_of(atom_make(s, def_add(s, f), &i, 1));
  expect(true, produces(s, 7, x, y, i, v), "f(x, y)[i] == f(x, y)[i]");
  expect(false, produces(s, 7, x, y, j, v), "f(x, y)[j] == f(x, y)[i]");
  expect(false, produces(s, 8, x, y, i, v), "g(x, y)[i] == f(x, y)[i]");
  expect(false, produces(s, 7, y, x, i, v), "f(y, x)[i] == f(x, y)[i]");
  expect(false, produces(s, 7, x, y, i, num_scale(RAT_NEG1, v)), "f(x, y)[i] == - f(x, y)[i]");
  Def abs = {.kind = DEF_FN, .fn = sym("abs"), .n_args = 1, .args = args};
  Num length = num_of(atom_make(s, def_add(s, abs), NULL, 0)), twice = num_scale(RAT_INT(2), length);
  Choice none = {0};
  expect(true, holds_of(s, law_argument, GOAL_FN, sym("abs"), &minus, 1, twice, none), "|-2 x| == 2 |x|");
  expect(false, holds_of(s, law_argument, GOAL_FN, sym("abs"), &minus, 1, length, none), "|-2 x| == |x|");
  expect(false, holds_of(s, law_argument, GOAL_FN, sym("sign"), &minus, 1, twice, none), "sign(-2 x) == 2 |x|");
}

static Num choose(Store *s, Num q, Num v, Num w) {
  return make(s, DEF_SELECT, (Item[]){{q.a, RAT_1}, {v.a, RAT_1}, {w.a, RAT_1}}, 3, NULL, 0);
}

/* Equal as the largest, as the same operation. */
static void structures(Store *s) {
  Num x = input(s, NULL, 0, 0), y = input(s, NULL, 0, 0), z = input(s, NULL, 0, 0), xy = two(s, DEF_MAX, x, y);
  Num xyz = two(s, DEF_MAX, xy, z), sum_of = plus(s, x, y), other = plus(s, x, num_scale(RAT_INT(2), y));
  Choice none = {0};
  expect(true, holds(s, law_maximum, GOAL_MAX, (Num[]){x, y, x}, 3, xy, none), "max(x, y, x) == max(x, y)");
  expect(false, holds(s, law_maximum, GOAL_MAX, (Num[]){x, y}, 2, xyz, none), "max(x, y) == max(x, y, z)");
  expect(false, holds(s, law_maximum, GOAL_MAX, (Num[]){x, y, z}, 3, xy, none), "max(x, y, z) == max(x, y)");
  expect(true, holds(s, law_alike, GOAL_SAME, (Num[]){sum_of, plus(s, y, x)}, 2, plus(s, y, x), none), "x + y == y + x");
  expect(false, holds(s, law_alike, GOAL_SAME, (Num[]){sum_of, other}, 2, other, none), "x + y == x + 2 y");
  expect(false, holds(s, law_alike, GOAL_SAME, (Num[]){xy, sum_of}, 2, sum_of, none), "max(x, y) == x + y");
  expect(false, holds(s, law_alike, GOAL_SAME, (Num[]){over(s, x, y), over(s, y, x)}, 2, over(s, y, x), none),
           "x / y == y / x");
  Num p = input(s, NULL, 0, IS_PRED), of_xy = choose(s, p, xy, z), of_x = choose(s, p, x, z), of_y = choose(s, p, y, z);
  Num chosen = two(s, DEF_MAX, of_x, of_y), without = two(s, DEF_MAX, of_x, choose(s, p, z, y));
  expect(true, holds(s, law_maximum, GOAL_MAX, (Num[]){of_xy, of_x}, 2, chosen, none),
         "if p then max(x, y) else z == max(if p then x else z, if p then y else z)");
  expect(false, holds(s, law_maximum, GOAL_MAX, (Num[]){of_xy, of_x}, 2, of_x, none),
           "if p then max(x, y) else z == if p then x else z");
  expect(false, holds(s, law_maximum, GOAL_MAX, (Num[]){of_xy, of_x}, 2, without, none),
         "if p then max(x, y) else z == max(if p then x else z, if p then z else y)");
  expect(false, holds(s, law_maximum, GOAL_MAX, (Num[]){num_scale(RAT_NEG1, of_xy), x}, 2,
                      two(s, DEF_MAX, num_scale(RAT_NEG1, chosen), x), none),
                               "max(- if p then max(x, y) else z, x), turned");
  Num minus_x = plus(s, num_scale(RAT_NEG1, x), z), minus_y = plus(s, num_scale(RAT_NEG1, y), z);
  Num up = plus(s, z, xy), down = plus(s, z, num_scale(RAT_NEG1, xy)), sums = two(s, DEF_MAX, plus(s, x, z), plus(s, y, z));
  expect(true, holds(s, law_maximum, GOAL_MAX, (Num[]){plus(s, x, z), plus(s, y, z)}, 2, up, none),
         "max(z + x, z + y) == z + max(x, y)");
  expect(true, holds(s, law_maximum, GOAL_MAX, (Num[]){up, up}, 2, sums, none), "z + max(x, y) == max(z + x, z + y)");
  expect(false, holds(s, law_maximum, GOAL_MAX, (Num[]){minus_x, minus_y}, 2, down, none),
         "max(z - x, z - y) == z - max(x, y)");
  for (int positive = 0; positive < 2; positive++) {
    Num a = input(s, NULL, 0, IS_POS), b = input(s, NULL, 0, positive ? IS_POS : 0);
    Num all = two(s, DEF_MAX, a, b), *each[] = {&a, &b, &all}, least[3];
    for (int i = 0; i < 3; i++) least[i] = num_scale(RAT_NEG1, make(s, DEF_MUL, &(Item){each[i]->a, RAT_NEG1}, 1, NULL, 0));
    expect(positive, holds(s, law_maximum, GOAL_MAX, least, 2, least[2], none), "min(1 / a, 1 / b) == 1 / max(a, b)");
  }
  static const uint8_t factor[] = {IS_POS, 0, IS_NONNEG, IS_POS | MAY_INF};
  for (int i = 0; i < 4; i++) {
    Num a = input(s, NULL, 0, factor[i]), each[] = {times(s, x, a), times(s, y, a)}, scaled = times(s, a, xy);
    Num least[] = {num_scale(RAT_NEG1, each[0]), num_scale(RAT_NEG1, each[1])};
    expect(!i, holds(s, law_maximum, GOAL_MAX, each, 2, scaled, none), "max(a x, a y) == a max(x, y)");
    expect(false, holds(s, law_maximum, GOAL_MAX, least, 2, num_scale(RAT_NEG1, scaled), none),
           "max(-a x, -a y) == -a max(x, y)");
  }
  DefArg of = {RAT_1, s->atoms.at[x.a].def, 0, NULL};
  Num row[3];
  for (int64_t i = 0; i < 3; i++) {
    int64_t size[2] = {i ? 2 : 4, i ? 4 : 2};
    DefId f = def_add(s, (Def){.kind = DEF_OPAQUE, .fn = 7, .n_slots = 2, .sizes = size, .n_args = 1, .args = &of});
    row[i] = num_of(atom_make(s, f, (Label[]){LABEL_CONST | 1, LABEL_CONST | 1}, 2));
  }
  expect(false, holds(s, law_alike, GOAL_SAME, row, 2, row[1], none), "f(x)[1, 1] of 4 x 2 == f(x)[1, 1] of 2 x 4");
  expect(true, holds(s, law_alike, GOAL_SAME, row + 1, 2, row[2], none), "f(x)[1, 1] of 2 x 4 == f(x)[1, 1] of 2 x 4");
  Label of_6 = label_make(s, LABEL_DIM, 6, 0, 6), of_2 = label_make(s, LABEL_DIM, 7, 0, 2),
        of_3 = label_make(s, LABEL_DIM, 8, 0, 3);
  Item digits[] = {{atom_index(s, of_2), RAT_INT(3)}, {atom_index(s, of_3), RAT_1}},
       turned[] = {{atom_index(s, of_2), RAT_1}, {atom_index(s, of_3), RAT_INT(2)}};
  Item rows[] = {{atom_index(s, of_6), RAT_1}, {form_of(s, digits, 2).a, RAT_1}, {form_of(s, turned, 2).a, RAT_1}};
  Num cut[] = {make(s, DEF_OPAQUE, &rows[0], 1, &of_6, 1), make(s, DEF_OPAQUE, &rows[1], 1, (Label[]){of_2, of_3}, 2)};
  Num by_columns[] = {cut[0], make(s, DEF_OPAQUE, &rows[2], 1, (Label[]){of_3, of_2}, 2)};
  Num other_digits[] = {cut[0], make(s, DEF_OPAQUE, &rows[2], 1, (Label[]){of_2, of_3}, 2)};
  Num short_row[] = {cut[0], make(s, DEF_OPAQUE, &rows[1], 1, (Label[]){of_2, of_2}, 2)};
  expect(true, holds(s, law_alike, GOAL_SAME, cut, 2, cut[1], none), "f(p of 6) == f(3 i + j of 2 x 3)");
  expect(true, holds(s, law_alike, GOAL_SAME, by_columns, 2, by_columns[1], none), "f(p of 6) == f(i + 2 j of j, i)");
  expect(false, holds(s, law_alike, GOAL_SAME, other_digits, 2, other_digits[1], none), "f(p of 6) == f(i + 2 j of i, j)");
  expect(false, holds(s, law_alike, GOAL_SAME, short_row, 2, short_row[1], none), "f(p of 6) == f(3 i + j of 2 x 2)");
  Num z_squared = times(s, z, z), zx = times(s, z, x);
  expect(false, holds(s, law_alike, GOAL_SAME, (Num[]){zx, z_squared}, 2, z_squared, none), "z x == z z");
}

/* What stands at a place in digits. */
static void digits(Store *s) {
  Label a = label_make(s, LABEL_DIM, 3, 0, 2), b = label_make(s, LABEL_DIM, 4, 0, 4), p = label_make(s, LABEL_DIM, 2, 0, 8);
  Num P = num_of(atom_index(s, p)), Q = num_of(atom_index(s, label_make(s, LABEL_DIM, 5, 0, 9)));
  Goal both = {.op = GOAL_SUM, .n = 1, .n_bound = 2, .bound = (Label[]){a, b}};
  for (int64_t weight = 2; weight <= 5; weight++) {
    Item x[3] = {{atom_index(s, a), rat_int(weight)}, {atom_index(s, b), RAT_1}, {P.a, RAT_NEG1}};
    Num in = form_of(s, x, 2), at_p = times(s, zero(s, form_of(s, x, 3)), in);
    x[2].a = Q.a;
    Num at_q = times(s, zero(s, form_of(s, x, 3)), in);
    expect(weight == 4, holds_for(s, law_read_at, both, &at_p, P, (Choice){0}),
           "sum(a: 2, b: 4) [4 a + b == p] (4 a + b) == p");
    expect(false, holds_for(s, law_read_at, both, &at_q, Q, (Choice){0}), ".. of p that may be 8");
  }
}

static Num at_value(Store *s, Num v, uint32_t k) {
  return num_of(atom_make(s, s->atoms.at[v.a].def, &(Label){LABEL_CONST | k}, 1));
}

/* Both sides of a claim with all sums at all values; value by value. */
static void values(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3);
  Num x = input(s, &i, 1, 0), a = input(s, NULL, 0, 0), b = input(s, NULL, 0, 0), inf = input(s, NULL, 0, MAY_INF);
  Num at[3], by_a[3], by_b[3], by_inf[3];
  for (uint32_t k = 0; k < 3; k++) {
    at[k] = at_value(s, x, k);
    by_a[k] = times(s, a, at[k]), by_b[k] = times(s, b, at[k]), by_inf[k] = times(s, inf, at[k]);
  }
  Item of[3] = {{at[0].a, RAT_1}, {at[1].a, RAT_1}, {at[2].a, RAT_1}};
  Num all = sum(s, x, i), two_of = plus(s, at[0], at[1]), three_of = form_of(s, of, 3), ab = plus(s, a, b);
  Num both = times(s, ab, all), with_a = plus(s, by_a[0], plus(s, by_a[1], by_a[2]));
  Num with_b = plus(s, by_b[0], plus(s, by_b[1], by_b[2])), f_all = function_of(s, "abs", all);
  Num most = make(s, DEF_MAX, &(Item){x.a, RAT_1}, 1, &i, 1), most_of = make(s, DEF_MAX, of, 3, NULL, 0);
  Num with_inf = plus(s, by_inf[0], plus(s, by_inf[1], by_inf[2]));
  Num lost[2], u = input(s, &i, 1, IS_POS), shares[2], two_shares = num(RAT_0);
  for (int n = 0; n < 2; n++) {
    Item share[3];
    Num whole = sum(s, n ? x : u, i);
    for (uint32_t k = 0; k < 3; k++) share[k] = (Item){over(s, at_value(s, n ? x : u, k), whole).a, RAT_1};
    shares[n] = form_of(s, share, 3);
    if (!n) two_shares = form_of(s, share, 2);
  }
  for (int n = 0; n < 2; n++) { /* y - max(y) is nothing, or no number */
    Num y = n ? inf : a;
    lost[n] = function_of(s, "abs", plus(s, y, num_scale(RAT_NEG1, make(s, DEF_MAX, &(Item){y.a, RAT_1}, 1, NULL, 0))));
  }
  Num of_0 = function_of(s, "abs", make(s, DEF_LIN, &(Item){ATOM_ONE, RAT_0}, 1, NULL, 0));
  struct {
    bool want;
    Num v, w;
    const char *what;
  } cases[] = {
      {true, all, three_of, "sum(i) x[i] == x[0] + x[1] + x[2]"},
      {false, all, two_of, "sum(i) x[i] == x[0] + x[1]"},
      {true, both, plus(s, with_a, with_b), "(a + b) sum(i) x[i] == a x[0] + a x[1] + .."},
      {false, both, plus(s, with_a, by_b[0]), "(a + b) sum(i) x[i] == a x[0] + a x[1] + a x[2] + b x[0]"},
      {true, f_all, function_of(s, "abs", three_of), "|sum(i) x[i]| == |x[0] + x[1] + x[2]|"},
      {false, f_all, function_of(s, "abs", two_of), "|sum(i) x[i]| == |x[0] + x[1]|"},
      {true, times(s, a, f_all), times(s, a, function_of(s, "abs", three_of)), "a |sum(i) x[i]| == a |x[0] + x[1] + x[2]|"},
      {true, most, most_of, "max(i) x[i] == max(x[0], x[1], x[2])"},
      {false, most, two(s, DEF_MAX, at[0], at[1]), "max(i) x[i] == max(x[0], x[1])"},
      {true, lost[0], of_0, "|a - max(a)| == |0|"},
      {false, lost[1], of_0, "|y - max(y)| == |0| where y may be infinite"},
      {true, shares[0], num(RAT_1), "u[0] / sum(i) u[i] + u[1] / sum(i) u[i] + u[2] / sum(i) u[i] == 1 where u > 0"},
      {false, shares[1], num(RAT_1), "x[0] / sum(i) x[i] + x[1] / sum(i) x[i] + x[2] / sum(i) x[i] == 1"},
      {false, two_shares, num(RAT_1), "u[0] / sum(i) u[i] + u[1] / sum(i) u[i] == 1 where u > 0"},
      {false, plus(s, inf, num_scale(RAT_NEG1, inf)), num(RAT_0), "y - y == 0 where y may be infinite"},
      {false, times(s, inf, all), with_inf, "y sum(i) x[i] == y x[0] + y x[1] + y x[2] where y may be infinite"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    expect(cases[k].want, holds(s, law_pieces, GOAL_ADD, &cases[k].v, 1, cases[k].w, (Choice){0}), cases[k].what);
  Num product[2] = {a, plus(s, b, x)};
  Num right = plus(s, times(s, a, b), times(s, a, x)), wrong = plus(s, times(s, a, b), times(s, b, x));
  expect(true, holds(s, law_cases, GOAL_MUL, product, 2, right, (Choice){0}), "a (b + x[i]) == a b + a x[i] at every i");
  expect(false, holds(s, law_cases, GOAL_MUL, product, 2, wrong, (Choice){0}), "a (b + x[i]) == a b + b x[i] at every i");
}

/* k v + w + c */
static Num form(Store *s, int64_t k, Num v, Num w, int64_t c) {
  Item x[3] = {{v.a, rat_int(k)}, {w.a, RAT_1}, {ATOM_ONE, rat_int(c)}};
  return make(s, DEF_LIN, x, c ? 3 : 2, NULL, 0);
}
static Num offset(Store *s, Num v, int64_t c) {
  return make(s, DEF_LIN, (Item[]){{v.a, v.k}, {ATOM_ONE, rat_int(c)}}, 2, NULL, 0);
}
static Num not(Store * s, Num q) { return make(s, DEF_LIN, (Item[]){{ATOM_ONE, RAT_1}, {q.a, RAT_NEG1}}, 2, NULL, 0); }

static void decisions(Store *s) {
  Label li = label_make(s, LABEL_DIM, 0, 0, 4), ll = label_make(s, LABEL_DIM, 2, 0, 8);
  Num i = num_of(atom_index(s, li)), l = num_of(atom_index(s, ll));
  Num t = input(s, NULL, 0, IS_INT), u = input(s, NULL, 0, 0), far = input(s, NULL, 0, IS_INT | MAY_INF);
  Choice none = {0};
  struct {
    bool want;
    GoalOp op;
    Num x, v;
    const char *what;
  } cases[] = {
      {true, GOAL_LT, form(s, 4, l, i, -8), less(s, offset(s, l, -2)), "[4 l + i < 8] == [l < 2]"},
      {false, GOAL_LT, form(s, 3, l, i, -6), less(s, offset(s, l, -2)), "[3 l + i < 6] == [l < 2]"},
      {false, GOAL_LT, form(s, 4, l, i, -9), less(s, offset(s, l, -2)), "[4 l + i < 9] == [l < 2]"},
      {true, GOAL_EQ, form(s, 4, l, i, -9), times(s, zero(s, offset(s, l, -2)), zero(s, offset(s, i, -1))),
       "[4 l + i == 9] == [l == 2] [i == 1]"},
      {false, GOAL_EQ, form(s, 3, l, i, -9), times(s, zero(s, offset(s, l, -3)), zero(s, i)),
       "[3 l + i == 9] == [l == 3] [i == 0]"},
      {true, GOAL_LT, offset(s, i, -1), zero(s, i), "[i < 1] == [i == 0]"},
      {false, GOAL_LT, offset(s, i, -2), zero(s, i), "[i < 2] == [i == 0]"},
      {false, GOAL_LT, offset(s, i, -1), less(s, offset(s, i, -2)), "[i < 1] == [i < 2]"},
      {true, GOAL_LT, offset(s, i, -3), not(s, zero(s, offset(s, i, -3))), "[i < 3] == 1 - [i == 3]"},
      {false, GOAL_LT, offset(s, i, -2), not(s, zero(s, offset(s, i, -3))), "[i < 2] == 1 - [i == 3]"},
      {true, GOAL_LT, t, not(s, less(s, offset(s, num_scale(RAT_NEG1, t), -1))), "[t < 0] == 1 - [-1 - t < 0]"},
      {false, GOAL_LT, u, not(s, less(s, offset(s, num_scale(RAT_NEG1, u), -1))), "[u < 0] == 1 - [-1 - u < 0]"},
      {false, GOAL_LT, far, not(s, less(s, offset(s, num_scale(RAT_NEG1, far), -1))),
       "[t < 0] == 1 - [-1 - t < 0] where t may be infinite"},
      {true, GOAL_LT, i, num(RAT_0), "[i < 0] == 0"},
      {true, GOAL_LT, offset(s, i, -4), num(RAT_1), "[i < 4] == 1"},
      {false, GOAL_LT, offset(s, i, -3), num(RAT_1), "[i < 3] == 1"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    expect(cases[k].want, holds(s, law_decided, cases[k].op, &cases[k].x, 1, cases[k].v, none), cases[k].what);
  struct {
    bool want;
    const char *fn;
    Num x;
    int64_t w;
    Num v;
    const char *what;
  } quotients[] = {
      {true, "floordiv", form(s, 4, l, i, 0), 4, l, "floordiv(4 l + i, 4) == l"},
      {false, "floordiv", form(s, 3, l, i, 0), 3, l, "floordiv(3 l + i, 3) == l"},
      {false, "floordiv", form(s, 4, u, i, 0), 4, u, "floordiv(4 u + i, 4) == u"},
      {true, "mod", form(s, 4, t, i, 0), 4, i, "mod(4 t + i, 4) == i"},
      {true, "floordiv", form(s, 4, t, i, 0), 4, t, "floordiv(4 t + i, 4) == t"},
      {true, "truncdiv", form(s, 4, l, i, 0), 4, l, "truncdiv(4 l + i, 4) == l"},
      {false, "truncdiv", form(s, 4, t, i, 0), 4, t, "truncdiv(4 t + i, 4) == t"},
      {false, "rem", form(s, 4, t, i, 0), 4, i, "rem(4 t + i, 4) == i"},
  };
  for (size_t k = 0; k < sizeof quotients / sizeof *quotients; k++) {
    Num x[2] = {quotients[k].x, num(rat_int(quotients[k].w))};
    expect(quotients[k].want, holds_of(s, law_decided, GOAL_FN, sym(quotients[k].fn), x, 2, quotients[k].v, none),
           quotients[k].what);
  }
  Num n = input(s, NULL, 0, IS_INT), m = input(s, NULL, 0, IS_INT), real = input(s, NULL, 0, 0);
  Num wrapped = divided_by(s, "mod", m, 4), all = divided_by(s, "mod", plus(s, n, m), 4);
  Num half = num_scale(rat_frac(1, 2), wrapped), other = divided_by(s, "mod", plus(s, n, real), 4);
  struct {
    bool want;
    const char *fn;
    Num x, v;
    const char *what;
  } remainders[] = {
      {true, "mod", plus(s, n, wrapped), all, "mod(n + mod(m, 4), 4) == mod(n + m, 4)"},
      {true, "mod", plus(s, n, divided_by(s, "mod", m, 8)), all, "mod(n + mod(m, 8), 4) == mod(n + m, 4)"},
      {false, "mod", plus(s, n, divided_by(s, "mod", m, 6)), all, "mod(n + mod(m, 6), 4) == mod(n + m, 4)"},
      {false, "mod", plus(s, n, divided_by(s, "rem", m, 4)), all, "mod(n + rem(m, 4), 4) == mod(n + m, 4)"},
      {false, "mod", plus(s, n, half), divided_by(s, "mod", plus(s, n, num_scale(rat_frac(1, 2), m)), 4),
       "mod(n + mod(m, 4) / 2, 4) == mod(n + m / 2, 4)"},
      {false, "mod", plus(s, n, wrapped), plus(s, n, m), "mod(n + mod(m, 4), 4) == n + m"},
      {false, "mod", plus(s, n, wrapped), other, "mod(n + mod(m, 4), 4) == mod(n + x, 4)"},
  };
  for (size_t k = 0; k < sizeof remainders / sizeof *remainders; k++) {
    Num x[2] = {remainders[k].x, num(RAT_INT(4))};
    expect(remainders[k].want, holds_of(s, law_decided, GOAL_FN, sym(remainders[k].fn), x, 2, remainders[k].v, none),
           remainders[k].what);
  }
  struct {
    bool want;
    const char *fn;
    Num x, v;
    const char *what;
  } parts[] = {
      {true, "floor", num_scale(rat_inv(rat_int(4)), form(s, 4, t, i, 0)), t, "floor(t + i / 4) == t"},
      {false, "floor", num_scale(rat_inv(rat_int(3)), form(s, 3, t, i, 0)), t, "floor(t + i / 3) == t"},
      {false, "floor", num_scale(rat_inv(rat_int(4)), form(s, 4, u, i, 0)), u, "floor(u + i / 4) == u"},
      {true, "trunc", num_scale(rat_inv(rat_int(4)), form(s, 4, l, i, 0)), l, "trunc(l + i / 4) == l"},
      {false, "trunc", num_scale(rat_inv(rat_int(4)), form(s, 4, t, i, 0)), t, "trunc(t + i / 4) == t"},
      {false, "ceil", num_scale(rat_inv(rat_int(4)), form(s, 4, l, i, 0)), l, "ceil(l + i / 4) == l"},
  };
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    expect(parts[k].want, holds_of(s, law_decided, GOAL_FN, sym(parts[k].fn), &parts[k].x, 1, parts[k].v, none),
           parts[k].what);
}

/* A whole number that is not the least it may be is one more, if that is a whole number: of what is at least 1/2 and not
 * 1/2 nothing follows. */
static void beside_what_is_excluded(Store *s) {
  Num t = input(s, NULL, 0, IS_INT);
  Choice third = {1, (Label[]){2}};
  for (int64_t c = 1; c < 3; c++) { /* 2 t - c */
    Num x = make(s, DEF_LIN, (Item[]){{t.a, RAT_INT(2)}, {ATOM_ONE, rat_int(-c)}}, 2, NULL, 0);
    Num all[3] = {not(s, zero(s, x)), not(s, less(s, x)), less(s, offset(s, t, -2))};
    expect(c == 2, holds(s, law_under, GOAL_MUL, all, 3, num(RAT_0), third),
           c == 2 ? "[2 t != 2] [2 t >= 2] [t < 2] == 0" : "[2 t != 1] [2 t >= 1] [t < 2] == 0");
  }
}

/* What is known of an input's values is known of what is read out of its range only if no block of it is padded. */
static void out_of_range(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3);
  for (int unpadded = 0; unpadded < 2; unpadded++) {
    Num x = input(s, &i, 1, IS_PRED | (unpadded ? UNPADDED : 0));
    for (int from = 0; from < 3; from += 2) {
      Label at = label_of_form(s, (Affine){from, 1, &(struct AffineTerm){1, i}}, 3);
      Range r = num_bounds(s, num_of(atom_read(s, s->atoms.at[x.a].def, &at)));
      expect(unpadded || !from, r.has_lo && r.has_hi, "x[i + 2] is within the range of x[i]");
    }
  }
}

/* Literals read as roots; and what stands for a value may be infinite where that is. */
static void readings(Store *s) {
  static const struct {
    bool want;
    int64_t literal, times; /* in 10^9 */
    int64_t n, d;
    uint32_t root;
    DType type;
  } cases[] = {
      {true, 408248305, 1, 1, 6, 2, DT_F32},      {true, -408248305, 1, -1, 6, 2, DT_F32},
      {false, -408248305, 1, 1, 6, 2, DT_F32},    {false, 408248305, 1, 1, 6, 4, DT_F32},
      {false, 408248305, 1, 1, 6, 2, DT_F64},     {false, 408248305, 1, 10001, 60000, 2, DT_F32},
      {false, 408248305, 1, 9999, 60000, 2, DT_F32}, {true, 333333343, 1, 1, 3, 1, DT_F32},
      {false, 333333343, 1, 1, 3, 2, DT_F32},     {true, 797884583, 1, 2, 1, 5, DT_F32},
      {true, -797884583, 1, -2, 1, 5, DT_F32},    {false, 797884583, 1, 2, 1, 1, DT_F32},
      {false, 797884583, 1, 2, 1, 2, DT_F32},     {false, 797884583, 1, 20001, 10000, 5, DT_F32},
      {true, 980258143, 1, 2, 1, 6, DT_F32},      {true, 2040278893, 1, 2, 1, 7, DT_F32},
      {false, 980258143, 1, 2, 1, 7, DT_F32},     {false, 1, 3, 1, 3, 1, DT_S32},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    Rat v = rat_frac(cases[k].literal, 1000000000 * cases[k].times);
    Rounding r = {v, rat_frac(cases[k].n, cases[k].d), cases[k].root};
    expect(cases[k].want, reading_rounds(&r, v, cases[k].type), rat_print(r.read, (char[64]){0}, 64));
  }
  Num inf = input(s, NULL, 0, MAY_INF), below = make(s, DEF_LIN, &(Item){inf.a, RAT_NEG1}, 1, NULL, 0);
  for (int i = 0; i < 2; i++) { /* -inf, and what is taken away from nothing */
    DefArg of = {RAT_1, s->atoms.at[(i ? below : inf).a].def, 0, NULL};
    DefArg is = {RAT_1, def_add(s, (Def){.kind = DEF_FN, .fn = sym(SEALED), .n_args = 1, .args = &of}), 0, NULL};
    DefId exp = def_add(s, (Def){.kind = DEF_FN, .fn = sym("exp"), .n_args = 1, .args = &is});
    expect(i, s->defs.at[exp].flags & MAY_INF, i ? "exp of what stands for inf may be" : "exp of what stands for -inf");
  }
}

/* Whether the order of a replica group g matters to e; h: g in a sum. */
static void orders(void) {
  AstExpr g = {.kind = EX_NAME, .name = sym("g")}, h = {.kind = EX_NAME, .name = sym("h")},
          i = {.kind = EX_NAME, .name = sym("i")};
  AstIndex of_group = {.name = h.name, .size = &g};
  AstExpr read = {.kind = EX_READ, .name = sym("x"), .n_args = 1, .n_devices = 1};
  read.args = (AstExpr *[]){&i}, read.devices = (AstExpr *[]){&h};
  AstExpr sum = {.kind = EX_SUM, .n_args = 1, .args = (AstExpr *[]){&read}, .n_binders = 1, .binders = &of_group};
  expect(true, lay_in_any_order(&sum, g.name, 0), "sum(h: g) x[h; i] in any order");
  expect(false, lay_in_any_order(&read, g.name, 0), "x[h; i] in any order");
  read.args[0] = &g;
  expect(false, lay_in_any_order(&sum, g.name, 0), "sum(h: g) x[h; g] in any order");
  read.args[0] = &h;
  expect(false, lay_in_any_order(&sum, g.name, 0), "sum(h: g) x[h; h] in any order");
  read.args[0] = &i, read.devices[0] = &g;
  expect(false, lay_in_any_order(&sum, g.name, 0), "sum(h: g) x[g; i] in any order");
}

/* The bits below a power of 2 are a remainder, those above a quotient. */
static void bits_of_integers(Store *s) {
  Num x = input(s, NULL, 0, IS_INT), real = input(s, NULL, 0, 0);
  const struct {
    bool is;
    const char *fn, *divides;
    int64_t n, by;
  } rows[] = {{true, "band", "mod", 7, 8}, {false, "band", "mod", 5, 6}, {false, "band", "mod", 7, 7},
              {false, "band", "rem", 7, 8}, {true, "shr", "floordiv", 3, 8}, {false, "shr", "truncdiv", 3, 8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int whole = 0; whole < 2; whole++) {
      Num of[2] = {whole ? x : real, num(rat_int(rows[i].n))};
      expect(rows[i].is && whole, holds_of(s, law_decided, GOAL_FN, sym(rows[i].fn), of, 2,
                                           divided_by(s, rows[i].divides, of[0], rows[i].by), (Choice){0}), rows[i].fn);
    }
}

/* Quotient and remainder by 3 of x where w j <= x + c < w j + width, j: 2, is known. */
static void divisions_known(Store *s) {
  const struct {
    bool is;
    const char *fn;
    int64_t w, width, c;
    uint8_t flags;
  } rows[] = {{true, "mod", 3, 3, 0, IS_INT},       {true, "floordiv", 3, 3, 0, IS_INT}, {true, "rem", 3, 3, 0, IS_INT},
              {true, "mod", 6, 3, 0, IS_INT},       {false, "mod", 3, 4, 0, IS_INT},     {false, "mod", 2, 3, 0, IS_INT},
              {false, "floordiv", 3, 3, 0, 0},      {false, "mod", 3, 3, 1, IS_INT},     {true, "truncdiv", 3, 3, 0, IS_INT},
              {false, "truncdiv", 3, 3, 3, IS_INT}, {true, "mod", 3, 3, 3, IS_INT}};
  Choice third = {1, (Label[]){2}};
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    Label j = label_make(s, LABEL_DIM, 1, 0, 2);
    Num x = input(s, NULL, 0, rows[r].flags), J = num_of(atom_index(s, j));
    Item form[3] = {{x.a, RAT_1}, {J.a, rat_int(-rows[r].w)}, {ATOM_ONE, rat_int(rows[r].c)}}, below[3];
    memcpy(below, form, sizeof form);
    below[2].k = rat_int(rows[r].c - rows[r].width);
    Num from = not(s, less(s, form_of(s, form, rows[r].c ? 3 : 2))), to = less(s, form_of(s, below, 3));
    Item q[2] = {{J.a, rat_frac(rows[r].w, 3)}, {ATOM_ONE, rat_int(-rows[r].c / 3)}};
    Item rest[3] = {{x.a, RAT_1}, {J.a, rat_int(-rows[r].w)}, {ATOM_ONE, rat_int(rows[r].c)}};
    bool quotient = *rows[r].fn == 'f' || *rows[r].fn == 't';
    Num value = quotient ? form_of(s, q, rows[r].c ? 2 : 1) : form_of(s, rest, rows[r].c ? 3 : 2);
    Num known[3] = {from, to, divided_by(s, rows[r].fn, x, 3)}, answer = all_of(s, (Num[]){from, to, value}, 3);
    char text[100];
    snprintf(text, sizeof text, "%s(x, 3) where %lld j <= x + %lld < %lld j + %lld", rows[r].fn, (long long)rows[r].w,
             (long long)rows[r].c, (long long)rows[r].w, (long long)rows[r].width);
    expect(rows[r].is, holds(s, law_under, GOAL_MUL, known, 3, answer, third), text);
  }
}

/* Quotients compared with numbers; how often an equation may hold; a count of places in digits. */
static void quotients_and_counts(Store *s) {
  for (int whole = 0; whole < 2; whole++) {
    Num of = divided_by(s, "rem", input(s, (Label[]){label_make(s, LABEL_DIM, 0, 0, 3)}, 1, whole ? IS_INT : 0), 6);
    expect(whole, def_of(s, of.a)->range.hi == RAT_INT(5), "a remainder of 6 is at most 5");
  }
  Label i = label_make(s, LABEL_DIM, 0, 0, 4), j = label_make(s, LABEL_DIM, 1, 0, 4), l = label_make(s, LABEL_DIM, 2, 0, 8);
  Num I = num_of(atom_index(s, i)), J = num_of(atom_index(s, j)), L = num_of(atom_index(s, l));
  Num any = input(s, NULL, 0, IS_INT);
  Num minus_3 = num_of(atom_make(s, def_number(s, rat_int(-3)), NULL, 0)), u = input(s, NULL, 0, 0);
  Choice none = {0};
  Num half = offset(s, divided_by(s,
           "floordiv", L, 2), -1), from = plus(s, num(rat_int(-2)), L), to = plus(s, num(rat_int(-2)), from);
  expect(true, holds(s, law_scaled, GOAL_EQ, &half, 1, times(s, not(s, less(s, from)), less(s, to)), none),
         "[floordiv(l, 2) == 1] == [2 <= l < 4]");
  expect(false, holds(s, law_scaled, GOAL_EQ, &half, 1, less(s, to), none), "[floordiv(l, 2) == 1] == [l < 4]");
  expect(true, holds(s, law_scaled, GOAL_LT, &half, 1, less(s, from), none), "[floordiv(l, 2) < 1] == [l < 2]");
  expect(false, holds(s, law_scaled, GOAL_LT, &half, 1, less(s, to), none), "[floordiv(l, 2) < 1] == [l < 4]");
  Num beside = plus(s, divided_by(s, "floordiv", any, 2), num_scale(RAT_NEG1, u)), real = divided_by(s, "floordiv", u, 2);
  expect(false, holds(s, law_scaled, GOAL_LT, &beside, 1,
                      less(s, plus(s, any, num_scale(rat_int(-2), u))), none), "[floordiv(t, 2) < u] == [t < 2 u] of any u");
  expect(false, holds(s, law_scaled, GOAL_LT, &real, 1, less(s, u), none), "[floordiv(u, 2) < 0] == [u < 0]");
  Num down = offset(s, divided_by(s, "truncdiv", any, 2), 2), low = offset(s, divided_by(s, "truncdiv", minus_3, 2), 2);
  expect(false, holds(s, law_scaled, GOAL_LT, &down, 1, less(s, plus(s, num(RAT_INT(4)), any)), none),
           "[truncdiv(t, 2) < -2] == [t < -4]");
  expect(false, holds(s, law_scaled, GOAL_EQ, &low, 1, num(RAT_1), none), "truncdiv(-3, 2) == -2");
  for (int64_t w = 3; w <= 4; w++) {
    Num eq = zero(s, form_of(s, (Item[]){{I.a, rat_int(w)}, {J.a, RAT_1}, {any.a, RAT_NEG1}}, 3));
    Range r = def_of(s, make(s, DEF_SUM, &(Item){eq.a, RAT_1}, 1, (Label[]){i, j}, 2).a)->range;
    expect(w == 4, r.has_hi && r.hi == RAT_1, "sum(i: 4, j: 4) [4 i + j == t] <= 1");
  }
  Label k = label_make(s, LABEL_DIM, 5, 0, 4), m = label_make(s, LABEL_DIM, 6, 0, 4);
  Num K = num_of(atom_index(s, k)), M = num_of(atom_index(s, m)), q = input(s, (Label[]){i, j}, 2, IS_PRED);
  Num there = num_of(atom_make(s, s->atoms.at[q.a].def, (Label[]){k, m}, 2));
  for (int64_t w = 1; w <= 4; w += 3)
    for (int64_t c = -1; c <= 0; c++) {
      Item t[] = {{I.a, rat_int(w)}, {J.a, RAT_1}, {K.a, rat_int(-w)}, {M.a, RAT_NEG1}, {ATOM_ONE, rat_int(c)}};
      Num order = less(s, form_of(s, t, c ? 5 : 4));
      Num C = make(s, DEF_SUM, (Item[]){{q.a, RAT_1}, {order.a, RAT_1}}, 2, (Label[]){i, j}, 2);
      Steps steps = {0};
      Replay p = {.s = s, .steps = &steps, .oracle = &plain, .trusting = true};
      expect(w == 4 && c, law_counts_itself(&p, &(Item){there.a, RAT_1}, 1, C.a),
               "sum(i, j) q[i, j] [4 i + j <= 4 k + m] >= 1");
      expect(false, law_counts_itself(&p, &(Item){q.a, RAT_1}, 1, C.a),
               "sum(i, j) q[i, j] [4 i + j <= 4 k + m] >= 1 anywhere");
    }
}

/* What stays as it is where two indices change places is one atom at both readings, and nothing else is. */
static void indices_exchanged(Store *s) {
  Label i = label_make(s, LABEL_DIM, 8, 0, 3), j = label_make(s, LABEL_DIM, 9, 0, 3), k = label_make(s, LABEL_DIM, 10, 0, 3);
  Label l = label_make(s, LABEL_DIM, 11, 0, 3);
  Num q = input(s, &i, 1, IS_PRED), r = input(s, &i, 1, 0), x = input(s, (Label[]){i, j}, 2, 0), y = input(s, NULL, 0, 0);
  DefId Q = s->atoms.at[q.a].def, X = s->atoms.at[x.a].def;
  Num r_at_j = num_of(atom_make(s, s->atoms.at[r.a].def, &j, 1)), at_j = num_of(atom_make(s, Q, &j, 1));
  Num turned = num_of(atom_make(s, X, (Label[]){j, i}, 2));
  Num ik = num_of(atom_make(s, X, (Label[]){i, k}, 2)), jk = num_of(atom_make(s, X, (Label[]){j, k}, 2));
  Num kj = num_of(atom_make(s, X, (Label[]){k, j}, 2)), both = times(s, q, at_j);
  const struct {
    Num v;
    bool alike;
    const char *what;
  } cases[] = {
      {both, true, "q[i] q[j]"},
      {plus(s, q, at_j), true, "q[i] + q[j]"},
      {plus(s, q, num_scale(RAT_NEG1, at_j)), false, "q[i] - q[j]"},
      {times(s, r, at_j), false, "r[i] q[j]"},
      {make(s, DEF_MUL, (Item[]){{q.a, RAT_1}, {at_j.a, RAT_1}, {r.a, RAT_1}}, 3, NULL, 0), false, "q[i] q[j] r[i]"},
      {make(s, DEF_MUL, (Item[]){{q.a, RAT_1}, {at_j.a, RAT_1}, {r.a, RAT_1}, {r_at_j.a, RAT_INT(2)}}, 4, NULL, 0), false,
       "q[i] q[j] r[i] r[j]^2"},
      {times(s, x, turned), true, "x[i, j] x[j, i]"},
      {make(s, DEF_MUL, (Item[]){{x.a, RAT_1}, {turned.a, RAT_INT(2)}}, 2, NULL, 0), false, "x[i, j] x[j, i]^2"},
      {choose(s, both, y, num_of(ATOM_NEGINF)), true, "if q[i] q[j] then y else -inf"},
      {choose(s, both, r, num_of(ATOM_NEGINF)), false, "if q[i] q[j] then r[i] else -inf"},
      {choose(s, q, at_j, y), false, "if q[i] then q[j] else y"},
      {less(s, plus(s, num(RAT_1), both)), true, "1 + q[i] q[j] < 0"},
      {make(s, DEF_SUM, (Item[]){{ik.a, RAT_1}, {jk.a, RAT_1}}, 2, &k, 1), true, "sum(k) x[i, k] x[j, k]"},
      {make(s, DEF_SUM, (Item[]){{ik.a, RAT_1}, {kj.a, RAT_1}}, 2, &k, 1), false, "sum(k) x[i, k] x[k, j]"},
      {make(s, DEF_MAX, (Item[]){{q.a, RAT_1}, {at_j.a, RAT_INT(2)}}, 2, NULL, 0), false, "max(q[i], 2 q[j])"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    AtomInfo a = s->atoms.at[cases[c].v.a];
    expect(true, a.n == 2, "two slots");
    bool alike = atom_make(s, a.def, (Label[]){k, l}, 2) == atom_make(s, a.def, (Label[]){l, k}, 2);
    expect(cases[c].alike, alike, cases[c].what);
  }
  Num at_k = num_of(atom_make(s, Q, &k, 1)), r_at_k = num_of(atom_make(s, s->atoms.at[r.a].def, &k, 1));
  Label row = label_make(s, LABEL_DIM, 12, 0, 12);
  Affine three = {0, 3, (struct AffineTerm[]){{1, i}, {1, j}, {1, k}}};
  Affine one_of_them = {0, 3, (struct AffineTerm[]){{1, i}, {1, j}, {2, k}}};
  DefId of_row = s->atoms.at[input(s, &row, 1, 0).a].def;
  const struct {
    Num v;
    bool alike;
    const char *what;
  } triples[] = {
      {all_of(s, (Num[]){q, at_j, at_k}, 3), true, "q[i] q[j] q[k]"},
      {all_of(s, (Num[]){q, at_j, r_at_k}, 3), false, "q[i] q[j] r[k]"},
      {less(s, plus(s, plus(s, q, at_j), at_k)), false, "(q[i] + q[j]) + q[k] < 0"},
      {num_of(atom_read(s, of_row, &(Label){label_of_form(s, three, 12)})), true, "w[i + j + k]"},
      {num_of(atom_read(s, of_row, &(Label){label_of_form(s, one_of_them, 12)})), false, "w[i + j + 2 k]"},
  };
  for (size_t c = 0; c < sizeof triples / sizeof *triples; c++) {
    DefId d = s->atoms.at[triples[c].v.a].def;
    bool alike = atom_make(s, d, (Label[]){j, k, l}, 3) == atom_make(s, d, (Label[]){l, j, k}, 3);
    alike = alike && atom_make(s, d, (Label[]){j, k, l}, 3) == atom_make(s, d, (Label[]){l, k, j}, 3);
    expect(triples[c].alike, alike, triples[c].what);
  }
  Num l4 = num_of(atom_make(s, Q, &l, 1)), *terms4 = (Num[]){q, at_j, at_k, l4};
  DefId four = s->atoms.at[all_of(s, terms4, 4).a].def;
  Atom in_order = atom_make(s, four, (Label[]){i, j, k, l}, 4);
  expect(true, in_order == atom_make(s, four, (Label[]){l, k, j, i}, 4), "q[i] q[j] q[k] q[l], from the last");
  expect(true, in_order == atom_make(s, four, (Label[]){i, l, j, k}, 4), "q[i] q[j] q[k] q[l], the last as the second");
  for (int64_t w = 1; w <= 2; w++) { /* [i + 3 j == k + 3 w l] */
    Item t[] = {{atom_index(s, i), RAT_1}, {atom_index(s, j), RAT_INT(3)},
                {atom_index(s, k), RAT_NEG1}, {atom_index(s, l), rat_int(-3 * w)}};
    AtomInfo a = s->atoms.at[make(s, DEF_EQ, &(Item){form_of(s, t, 4).a, RAT_1}, 1, NULL, 0).a];
    const struct {
      uint32_t turn[4];
      bool is;
    } turns[] = {
        {{2, 3, 0, 1}, w == 1}, {{2, 1, 0, 3}, false}, {{1, 0, 3, 2}, false}, {{2, 2, 0, 1}, false}, {{2, 4, 0, 1}, false}};
    for (size_t c = 0; c < sizeof turns / sizeof *turns; c++)
      expect(turns[c].is, def_symmetry(s, a.def, turns[c].turn), "both sides of [i + 3 j == k + 3 w l] change places");
  }
  DefId z = s->atoms.at[input(s, &row, 1, 0).a].def;
  expect(false, def_symmetry(s, X, (uint32_t[]){1, 0}), "x[i, j]");
  Num sums[2], terms[2];
  for (int64_t w = 1; w <= 2; w++) { /* z[i + w j] */
    Affine f = {0, 2, (struct AffineTerm[]){{1, i}, {w, j}}};
    AtomInfo a = s->atoms.at[atom_read(s, z, &(Label){label_of_form(s, f, 12)})];
    bool alike = atom_make(s, a.def, (Label[]){k, l}, 2) == atom_make(s, a.def, (Label[]){l, k}, 2);
    expect(w == 1, alike, w == 1 ? "z[i + j]" : "z[i + 2 j]");
    bool i_first = a.at[0] == i;
    terms[w - 1] = times(s, r, num_of(atom_make(s, a.def, a.at, 2)));
    Atom at_l = atom_make(s, a.def, (Label[]){i_first ? l : j, i_first ? j : l}, 2);
    sums[w - 1] = sum(s, times(s, num_of(atom_make(s, s->atoms.at[r.a].def, &l, 1)), num_of(at_l)), l);
  }
  for (int n = 0; n < 4; n++)
    expect(n % 3 == 0, same_sum_over(s, &i, 1, terms[n / 2], sums[n % 2]),
           "sum(i) r[i] z[i + w j] == sum(l) r[l] z[l + v j]");
}

/* k + w S compared with 0, S how many of three truth values (or of their negatives) are 1, against every S. */
static void counts_compared(Store *s) {
  Label i = label_make(s, LABEL_DIM, 7, 0, 3);
  Num q = input(s, &i, 1, IS_PRED), minus = make(s, DEF_MAX, &(Item){q.a, RAT_NEG1}, 1, NULL, 0);
  Num of[] = {q, minus, input(s, &i, 1, IS_INT)};
  int found = 0;
  for (int c = 0; c < 3; c++) {
    Rat sign = c == 1 ? RAT_NEG1 : RAT_1;
    Num any = make(s, DEF_MAX, &(Item){of[c].a, sign}, 1, &i, 1), S = sum(s, of[c], i);
    Num less_all = make(s, DEF_MAX, &(Item){of[c].a, rat_neg(sign)}, 1, &i, 1);
    Num answers[] = {any, not(s, any), num_scale(RAT_NEG1, less_all), plus(s, num(RAT_1), less_all)};
    for (int k = -4; k <= 4; k++)
      for (int w = -2; w <= 2; w++)
        for (int v = 0; w && v < 8; v++) {
          bool less = v >= 4, want = c < 2;
          for (int n = 0; n <= 3; n++) {
            int x = k + (c == 1 ? -w : w) * n, is[] = {n > 0, n == 0, n == 3, n < 3};
            want &= (less ? x < 0 : x == 0) == is[v % 4];
          }
          Item t[] = {{ATOM_ONE, RAT_INT(k)}, {S.a, RAT_INT(w)}};
          Num x = k ? form_of(s, t, 2) : num_scale(RAT_INT(w), S);
          found += want;
          expect(want, holds(s, law_decided, less ? GOAL_LT : GOAL_EQ, &x, 1, answers[v % 4], (Choice){0}),
                 "a count of truth values compared");
        }
  }
  expect(true, found == 30, "counts that are compared");
}

/* How many rows have an e, up to one that has: a row has one where it does in some place. */
static void rows_that_have(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 4), k = label_make(s, LABEL_DIM, 1, 0, 4), j = label_make(s, LABEL_DIM, 2, 0, 3),
        there = label_make(s, LABEL_DIM, 3, 0, 3);
  for (int pred = 0; pred < 2; pred++) {
    Num e = input(s, (Label[]){i, j}, 2, pred ? IS_PRED : IS_NONNEG);
    Num known[3] = {num_of(atom_make(s, s->atoms.at[e.a].def, (Label[]){k, there}, 2)),
                    num_of(atom_make(s, s->atoms.at[e.a].def, (Label[]){i, there}, 2)), num(RAT_1)};
    Item of = {sum(s, e, j).a, RAT_NEG1}, above = {of.a, RAT_1};
    Item t[] = {{atom_index(s, i), RAT_1}, {atom_index(s, k), RAT_NEG1}, {ATOM_ONE, RAT_NEG1}};
    Num order = less(s, form_of(s, t, 3));
    for (int below = 0; below < 2; below++) {
      Num has = less(s, form_of(s, below ? &above : &of, 1));
      Num C = make(s, DEF_SUM, (Item[]){{has.a, RAT_1}, {order.a, RAT_1}}, 2, &i, 1);
      for (int n = 0; n < 3; n++) {
        Steps steps = {0};
        Replay p = {.s = s, .steps = &steps, .oracle = &plain, .trusting = true};
        expect(pred && !below && !n, law_counts_itself(&p, &(Item){known[n].a, RAT_1}, 1, C.a),
               "sum(i) [0 < sum(j) e[i, j]] [i <= k] >= 1 where e[k, j] holds");
      }
    }
  }
}

/* A factor below a sum, written out. */
static void opened_below(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 4);
  Num x = input(s, &i, 1, 0), y = input(s, &i, 1, 0), z = input(s, &i, 1, 0), far = input(s, &i, 1, MAY_INF);
  Num both = plus(s, sum(s, times(s, x, y), i), sum(s, times(s, x, z), i));
  Num p = input(s, NULL, 0, IS_PRED), outside = times(s, p, sum(s, x, i)), inside = sum(s, times(s, p, x), i);
  expect(true, holds(s, law_pieces, GOAL_ADD, &outside, 1, inside, (Choice){4, (Label[]){1, 1, 3, 0}}),
         "p sum(i) x == sum(i) p x");
  expect(false, holds(s, law_pieces, GOAL_ADD, &outside, 1, sum(s, x, i), (Choice){4, (Label[]){1, 1, 3, 0}}),
         "p sum(i) x == sum(i) x");
  Num once = plus(s, sum(s, times(s, x, y), i), sum(s, z, i)), yz = plus(s, y, z);
  Num factors = make(s, DEF_SUM, (Item[]){{x.a, RAT_1}, {yz.a, RAT_1}}, 2, &i, 1);
  Num infinite = make(s, DEF_SUM, (Item[]){{far.a, RAT_1}, {yz.a, RAT_1}}, 2, &i, 1);
  Num apart = plus(s, sum(s, times(s, far, y), i), sum(s, times(s, far, z), i));
  for (Label k = 0; k < 4; k++) {
    Choice c = {4, (Label[]){2, 0, 2 + k, 0}};
    expect(k == 1 || k == 2, holds(s, law_pieces, GOAL_ADD, &factors, 1, both, c),
           "sum(i) x (y + z) == sum(i) x y + sum(i) x z");
    expect(false, holds(s, law_pieces, GOAL_ADD, &factors, 1, once, c), "sum(i) x (y + z) == sum(i) x y + sum(i) z");
    expect(false, holds(s, law_pieces, GOAL_ADD, &infinite, 1, apart, c),
           "sum(i) x (y + z) == sum(i) x y + sum(i) x z where x may be infinite");
  }
}

/* Values of unknown functions: places of a row of 5, whole numbers, any. */
static void places(Store *s) {
  int64_t is[] = {5, 0, NOT_WHOLE};
  Num inf = input(s, NULL, 0, MAY_INF);
  for (int i = 0; i < 3; i++) vec_push(&s->whole, is[i]);
  for (Sym f = 1; f <= 4; f++) {
    DefArg of = {RAT_1, s->atoms.at[inf.a].def, 0, NULL};
    DefId id = def_add(s, (Def){.kind = DEF_OPAQUE, .fn = f, .n_args = 1, .args = &of});
    const Def *d = &s->defs.at[id];
    expect(f < 3, d->flags & IS_INT, "an unknown function has whole numbers");
    expect(f > 2, d->flags & MAY_INF, "an unknown function of what may be infinite may be so");
    bool in = d->range.has_lo && d->range.lo == RAT_0 && d->range.has_hi && d->range.hi == RAT_INT(4);
    expect(f == 1, in, "its values are in 0 .. 4");
    expect(f == 1, d->range.has_lo || d->range.has_hi, "its values are bounded");
    for (int64_t size = 4; size <= 6; size += 2) {
      DefId row = def_add(s, (Def){.kind = DEF_OPAQUE, .fn = f, .n_slots = 1, .sizes = &size, .n_args = 1, .args = &of});
      Label j = label_make(s, LABEL_DIM, 3, 0, size);
      const Def *count = def_of(s, sum(s, equals(s, num_of(atom_make(s, row, &j, 1)), num(RAT_1)), j).a);
      expect(f == 1 && size == 4, count->range.hi == RAT_1, "its values are places that differ");
    }
  }
}

/* sin and cos of -x, of 0 and of x + y. */
static void angles(Store *s) {
  Num x = input(s, NULL, 0, 0), y = input(s, NULL, 0, 0), zero = num(RAT_0), minus = num_scale(RAT_NEG1, x);
  Num sine = function_of(s, "sin", x), cosine = function_of(s, "cos", x);
  const struct {
    const char *fn;
    Num at, is;
    bool want;
  } cases[] = {
      {"sin", minus, num_scale(RAT_NEG1, sine), true}, {"sin", minus, sine, false}, {"sin", minus, cosine, false},
      {"cos", minus, cosine, true}, {"cos", minus, num_scale(RAT_NEG1, cosine), false}, {"cos", minus, sine, false},
      {"sin", num_scale(RAT_NEG1, y), num_scale(RAT_NEG1, sine), false}, {"exp", minus, function_of(s, "exp", x), false},
      {"sin", zero, zero, true}, {"sin", zero, num(RAT_1), false}, {"cos", zero, num(RAT_1), true},
      {"cos", zero, zero, false}, {"erf", zero, zero, false},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    expect(cases[k].want, holds_of(s, law_circular, GOAL_FN, sym(cases[k].fn), &cases[k].at, 1, cases[k].is, (Choice){0}),
           "sin or cos of -x or 0");
  Num all = plus(s, x, y), rest = plus(s, minus, all);
  Num sine_y = function_of(s, "sin", rest), cosine_y = function_of(s, "cos", rest);
  for (int sign = -1; sign <= 1; sign += 2)
    for (int is_sine = 0; is_sine < 2; is_sine++) {
      Num first = times(s, is_sine ? sine : cosine, cosine_y), other = times(s, is_sine ? cosine : sine, sine_y);
      Num is = plus(s, first, num_scale(rat_int(sign), other));
      expect(is_sine == (sign > 0),
             holds_of(s, law_circular, GOAL_FN, sym(is_sine ? "sin" : "cos"), &all, 1, is, (Choice){0}),
             "sin(x + y) == sin x cos y + cos x sin y, cos(x + y) == cos x cos y - sin x sin y");
    }
}

/* x^(2 y) as exp(2 y log x), if x is positive. */
static void powers(Store *s) {
  Num y = input(s, NULL, 0, 0), twice = num_scale(RAT_INT(2), y);
  const struct {
    uint8_t flags;
    Rat k;
    bool want;
  } cases[] = {
      {IS_POS, RAT_1, true}, {IS_POS, RAT_NEG1, false}, {IS_NONNEG, RAT_1, false}, {IS_POS | MAY_INF, RAT_1, false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    Num x = num_scale(cases[i].k, input(s, NULL, 0, cases[i].flags)), log = function_of(s, "log", x);
    Num product = make(s, DEF_MUL, (Item[]){{y.a, RAT_1}, {log.a, RAT_1}}, 2, NULL, 0);
    Num whole = make(s, DEF_LIN, &(Item){product.a, RAT_INT(2)}, 1, NULL, 0), of[] = {x, twice};
    Num is = function_of(s, "exp", whole), other = function_of(s, "exp", product);
    expect(cases[i].want, holds_of(s, law_exponential, GOAL_FN, sym("pow"), of, 2, is, (Choice){0}), "x^(2 y)");
    expect(false, holds_of(s, law_exponential, GOAL_FN, sym("pow"), of, 2, other, (Choice){0}), "x^y == x^(2 y)");
  }
  for (int finite = 0; finite < 2; finite++) {
    Num x = input(s, NULL, 0, finite ? 0 : MAY_INF), p = input(s, NULL, 0, IS_POS), one = num(RAT_1);
    Num e = function_of(s, "exp", x), both = plus(s, e, p), ratio = plus(s, one, over(s, p, e));
    Num is = plus(s, x, function_of(s, "log", ratio)), other = plus(s, x, function_of(s, "log", plus(s, one, p)));
    expect(finite, holds_of(s, law_exponential, GOAL_FN, sym("log"), &both, 1, is, (Choice){0}),
           "log(e^x + p) == x + log(1 + p / e^x)");
    expect(false, holds_of(s, law_exponential, GOAL_FN, sym("log"), &both, 1, other, (Choice){0}),
           "log(e^x + p) == x + log(1 + p)");
  }
}

/* Roots, absolute values and sums, each with itself. */
static void with_themselves(Store *s) {
  Num y = input(s, NULL, 0, 0), p = input(s, NULL, 0, IS_PRED), a = input(s, NULL, 0, 0), size = function_of(s, "abs", y);
  Num of = make(s, DEF_LIN, &(Item){y.a, RAT_INT(-4)}, 1, NULL, 0), masked = plus(s, times(s, p, y), times(s, p, a));
  Num root = make(s, DEF_MUL, &(Item){of.a, rat_frac(-1, 2)}, 1, NULL, 0), one = num(RAT_1);
  Num third = make(s, DEF_MUL, &(Item){of.a, rat_frac(-1, 3)}, 1, NULL, 0), turned = over(s, one, y);
  Num up = make(s, DEF_MUL, &(Item){masked.a, rat_frac(3, 2)}, 1, NULL, 0), rooted[2];
  atom_assume(s, of.a, NOT_NEGATIVE);
  for (int k = 0; k < 2; k++) { /* (y^2)^(1/2) and (y^3)^(1/2) */
    Num power = make(s, DEF_MUL, &(Item){y.a, rat_int(2 + k)}, 1, NULL, 0);
    rooted[k] = make(s, DEF_MUL, &(Item){power.a, rat_frac(1, 2)}, 1, NULL, 0);
  }
  Num of_size = make(s, DEF_MUL, &(Item){size.a, rat_frac(3, 2)}, 1, NULL, 0);
  Num down = make(s, DEF_MUL, &(Item){masked.a, rat_frac(-1, 2)}, 1, NULL, 0);
  const struct {
    bool want;
    Num x, y, is;
    const char *what;
  } cases[] = {
      {true, root, root, num_scale(rat_frac(-1, 4), turned), "(-4 y)^(-1/2) (-4 y)^(-1/2) == -1/4 / y"},
      {false, root, root, turned, "(-4 y)^(-1/2) (-4 y)^(-1/2) == 1 / y"},
      {false, third, third, num_scale(rat_frac(-1, 4), turned), "(-4 y)^(-1/3) (-4 y)^(-1/3) == -1/4 / y"},
      {true, size, size, times(s, y, y), "|y| |y| == y^2"},
      {false, size, times(s, size, size), times(s, y, times(s, y, y)), "|y| |y|^2 == y^3"},
      {true, rooted[0], a, times(s, size, a), "(y^2)^(1/2) a == |y| a"},
      {true, rooted[0], size, times(s, y, y), "(y^2)^(1/2) |y| == y^2"},
      {false, rooted[0], a, times(s, y, a), "(y^2)^(1/2) a == y a"},
      {false, rooted[1], a, times(s, of_size, a), "(y^3)^(1/2) a == |y|^(3/2) a"},
      {false, up, down, masked, "(p y + p a)^(3/2) (p y + p a)^(-1/2) == p y + p a, which may be 0 / 0"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    expect(cases[k].want, holds(s, law_arithmetic, GOAL_MUL, &cases[k].x, 2, cases[k].is, (Choice){0}), cases[k].what);
  Label i = label_make(s, LABEL_DIM, 0, 0, 3);
  Num t = input(s, &i, 1, 0), all = sum(s, t, i), squares = sum(s, times(s, t, t), i);
  Num square = make(s, DEF_MUL, &(Item){all.a, RAT_INT(2)}, 1, NULL, 0), by_row = sum(s, times(s, t, all), i);
  Goal alone = {.op = GOAL_SUM, .n = 1};
  expect(true, holds_for(s, law_open, alone, &square, by_row, (Choice){0}), "(sum(i) t)^2 == sum(i) t sum(j) t");
  expect(false, holds_for(s, law_open, alone, &square, squares, (Choice){0}), "(sum(i) t)^2 == sum(i) t^2");
}

/* No item of a maximum is above it. */
static void below_the_largest(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), j = label_make(s, LABEL_DIM, 1, 0, 3);
  uint8_t flags[] = {0, MAY_INF};
  for (int k = 0; k < 2; k++) {
    Num x = input(s, &i, 1, flags[k]), y = input(s, &j, 1, flags[k]), xj = num_of(atom_make(s, s->atoms.at[x.a].def, &j, 1));
    Num top = make(s, DEF_MAX, &(Item){x.a, RAT_1}, 1, &i, 1), minus = num_scale(RAT_NEG1, top);
    Num lower = make(s, DEF_MAX, &(Item){x.a, RAT_NEG1}, 1, &i, 1);
    const struct {
      bool want;
      Num x;
      const char *what;
    } cases[] = {
        {true, plus(s, xj, minus), "[x[j] < max(i) x[i]] == 1 - [x[j] == max(i) x[i]]"},
        {false, plus(s, num_scale(RAT_NEG1, xj), top), "[max(i) x[i] < x[j]] == 1 - [x[j] == max(i) x[i]]"},
        {false, plus(s, y, minus), "[y[j] < max(i) x[i]] == 1 - [y[j] == max(i) x[i]]"},
        {false, plus(s, xj, lower), "[x[j] < min(i) x[i]] == 1 - [x[j] == min(i) x[i]]"},
        {false, plus(s, xj, num_scale(RAT_NEG1, lower)), "[x[j] < max(i) -x[i]] == 1 - [x[j] == max(i) -x[i]]"},
        {false, plus(s, num_scale(RAT_INT(2), xj), minus), "[2 x[j] < max(i) x[i]] == 1 - [2 x[j] == max(i) x[i]]"},
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
      expect(cases[n].want && !k,
             holds(s, law_decided, GOAL_LT, &cases[n].x, 1, not(s, zero(s, cases[n].x)), (Choice){0}), cases[n].what);
  }
}

/* What stands where the largest is first. */
static void read_at_the_largest(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), k = label_make(s, LABEL_DIM, 1, 0, 3);
  Num x = input(s, &i, 1, 0), y = input(s, &i, 1, 0), top = make(s, DEF_MAX, &(Item){x.a, RAT_1}, 1, &i, 1);
  Num back = form_of(s, &(Item){atom_index(s, i), RAT_NEG1}, 1), end = form_of(s, &(Item){ATOM_ONE, RAT_INT(-2)}, 1);
  Num place = choose(s, zero(s, plus(s, x, num_scale(RAT_NEG1, top))), back, end);
  Num last = make(s, DEF_MAX, &(Item){place.a, RAT_1}, 1, &i, 1), there = zero(s, plus(s, num_of(atom_index(s, k)), last));
  Num xk = num_of(atom_make(s, s->atoms.at[x.a].def, &k, 1)), yk = num_of(atom_make(s, s->atoms.at[y.a].def, &k, 1));
  Num of_x = times(s, there, xk), of_y = times(s, there, yk);
  Goal over_k = {.op = GOAL_SUM, .n = 1, .n_bound = 1, .bound = &k};
  expect(true, holds_for(s, law_read_at, over_k, &of_x, top, (Choice){0}), "sum(k) [k == first] x[k] == max(i) x[i]");
  expect(false, holds_for(s, law_read_at, over_k, &of_y, top, (Choice){0}), "sum(k) [k == first] y[k] == max(i) x[i]");
  expect(false, holds_for(s, law_read_at, over_k, &of_x, num_scale(RAT_NEG1, last), (Choice){0}),
         "sum(k) [k == first] x[k] == first");
}

/* A sum over one of fewer places than there are: where it is one of those. */
static void one_of_fewer(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 5), k = label_make(s, LABEL_DIM, 1, 0, 3);
  Label there = label_of_form(s, (Affine){-1, 1, &(struct AffineTerm){1, i}}, 3);
  Num I = num_of(atom_index(s, i)), K = num_of(atom_index(s, k)), x = input(s, &k, 1, 0), far = input(s, &k, 1, MAY_INF);
  Num at = plus(s, num(RAT_NEG1), I);
  Num is = zero(s, form_of(s, (Item[]){{I.a, RAT_1}, {ATOM_ONE, RAT_NEG1}, {K.a, RAT_NEG1}}, 3));
  Num from = plus(s, num(RAT_1), num_scale(RAT_NEG1, less(s, at))), to = less(s, plus(s, num(RAT_INT(-3)), at));
  Num read = num_of(atom_read(s, s->atoms.at[x.a].def, &there));
  Num beyond = num_of(atom_read(s, s->atoms.at[far.a].def, &there));
  Num within = all_of(s, (Num[]){from, to, read}, 3), far_within = all_of(s, (Num[]){from, to, beyond}, 3);
  Goal over_k = {.op = GOAL_SUM, .n = 2, .n_bound = 1, .bound = &k};
  Choice first = {0};
  expect(true, holds_for(s, law_one_hot, over_k, (Num[]){is, x}, within, first),
         "sum(k: 3) [k == i - 1] x[k] == [0 <= i - 1 < 3] x[i - 1]");
  expect(false, holds_for(s, law_one_hot, over_k, (Num[]){is, x}, times(s, from, read), first),
         "sum(k: 3) [k == i - 1] x[k] == [0 <= i - 1] x[i - 1]");
  expect(false, holds_for(s, law_one_hot, over_k, (Num[]){is, x}, times(s, to, read), first),
         "sum(k: 3) [k == i - 1] x[k] == [i - 1 < 3] x[i - 1]");
  expect(false, holds_for(s, law_one_hot, over_k, (Num[]){is, far}, far_within, first),
         "sum(k: 3) [k == i - 1] x[k] == [0 <= i - 1 < 3] x[i - 1] where x may be infinite");
}

/* How often an integer is the place that indices make up. */
static void counted_places(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), j = label_make(s, LABEL_DIM, 1, 0, 4), ij[] = {i, j};
  Num I = num_of(atom_index(s, i)), J = num_of(atom_index(s, j)), t = input(s, NULL, 0, IS_INT), u = input(s, NULL, 0, 0);
  Num minus = num_scale(RAT_NEG1, t);
  Num of_i = zero(s, plus(s, I, minus)), twice = zero(s, plus(s, num_scale(RAT_INT(2), I), minus));
  Num of_u = zero(s, plus(s, I, num_scale(RAT_NEG1, u)));
  Num both = zero(s, form_of(s, (Item[]){{I.a, RAT_INT(4)}, {J.a, RAT_1}, {t.a, RAT_NEG1}}, 3));
  Num back = zero(s, form_of(s, (Item[]){{I.a, RAT_INT(-4)}, {J.a, RAT_NEG1}, {t.a, RAT_1}}, 3));
  Num over = zero(s, form_of(s, (Item[]){{I.a, RAT_INT(3)}, {J.a, RAT_1}, {t.a, RAT_NEG1}}, 3));
  const struct {
    bool want;
    Num v;
    uint32_t n;
    Num of;
    int64_t below;
    const char *what;
  } cases[] = {
      {true, of_i, 1, t, 3, "sum(i) [i == t] == [0 <= t < 3]"},
      {false, of_i, 1, t, 4, "sum(i) [i == t] == [0 <= t < 4]"},
      {false, twice, 1, t, 3, "sum(i) [2 i == t] == [0 <= t < 3]"},
      {false, of_u, 1, u, 3, "sum(i) [i == u] == [0 <= u < 3] of any u"},
      {false, twice, 1, num_scale(RAT_INT(2), t), 3, "sum(i) [2 i == t] == [0 <= 2 t < 3]"},
      {false, times(s, of_i, u), 1, t, 3, "sum(i) [i == t] u == [0 <= t < 3]"},
      {true, both, 2, t, 12, "sum(i, j) [4 i + j == t] == [0 <= t < 12]"},
      {true, back, 2, t, 12, "sum(i, j) [t == 4 i + j] == [0 <= t < 12]"},
      {false, over, 2, t, 12, "sum(i, j) [3 i + j == t] == [0 <= t < 12]"},
      {false, of_i, 2, t, 3, "sum(i, j) [i == t] == [0 <= t < 3]"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    Item below[] = {{ATOM_ONE, rat_int(-cases[c].below)}, {cases[c].of.a, cases[c].of.k}};
    Num from = not(s, less(s, num_of(cases[c].of.a))), to = less(s, form_of(s, below, 2));
    Goal g = {.op = GOAL_SUM, .n = 1, .n_bound = cases[c].n, .bound = ij};
    expect(cases[c].want, holds_for(s, law_one_of_all, g, &cases[c].v, times(s, from, to), (Choice){0}), cases[c].what);
  }
}

/* The squares of a sum that a sum of squares makes up for. */
static void variances(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3);
  Rat two = RAT_INT(2), four = RAT_INT(4);
  Num x = input(s, &i, 1, 0), y = input(s, &i, 1, 0), u = input(s, &i, 1, IS_POS), m = input(s, &i, 1, IS_PRED);
  Num inf = input(s, &i, 1, MAY_INF), of[] = {x, y, u, times(s, m, x), inf}, squares[5], all[5], square[5];
  for (int k = 0; k < 5; k++) {
    Item twice[2] = {{x.a, two}, {m.a, RAT_1}};
    squares[k] = make(s, DEF_SUM, k == 3 ? twice : &(Item){of[k].a, two}, 1 + (k == 3), &i, 1);
    all[k] = k == 3 ? make(s, DEF_SUM, (Item[]){{x.a, RAT_1}, {m.a, RAT_1}}, 2, &i, 1) : sum(s, of[k], i);
    square[k] = make(s, DEF_MUL, &(Item){all[k].a, two}, 1, NULL, 0);
  }
  Num fourth = make(s, DEF_MUL, &(Item){all[0].a, four}, 1, NULL, 0), both = plus(s, x, y);
  Num of_both = make(s, DEF_SUM, &(Item){both.a, two}, 1, &i, 1), apart = plus(s, all[0], all[1]);
  Num of_apart = make(s, DEF_MUL, &(Item){apart.a, two}, 1, NULL, 0);
  Num roots = make(s, DEF_SUM, &(Item){x.a, rat_frac(1, 2)}, 1, &i, 1), added = sum(s, x, i);
  Num of_roots = make(s, DEF_MUL, &(Item){roots.a, two}, 1, NULL, 0);
  Rat third = rat_frac(-1, 3), half = rat_frac(-1, 2), sixth = rat_frac(-1, 6), quarter = rat_frac(-1, 4);
  const struct {
    bool want;
    Num squares, square;
    Rat k, more;
    const char *what;
  } cases[] = {
      {true, squares[0], square[0], third, RAT_0, "sum(i) x^2 - (sum(i) x)^2 / 3 >= 0"},
      {true, squares[0], square[0], sixth, sixth, "sum(i) x^2 - (sum(i) x)^2 / 6 - (sum(i) x)^2 / 6 >= 0"},
      {true, squares[3], square[3], third, RAT_0, "sum(i) m x^2 - (sum(i) m x)^2 / 3 >= 0 of a truth value m"},
      {false, squares[0], square[0], half, RAT_0, "sum(i) x^2 - (sum(i) x)^2 / 2 >= 0"},
      {false, squares[0], square[0], quarter, quarter, "sum(i) x^2 - (sum(i) x)^2 / 4 - (sum(i) x)^2 / 4 >= 0"},
      {false, squares[0], square[1], third, RAT_0, "sum(i) x^2 - (sum(i) y)^2 / 3 >= 0"},
      {false, squares[0], square[3], third, RAT_0, "sum(i) x^2 - (sum(i) m x)^2 / 3 >= 0"},
      {false, squares[0], fourth, third, RAT_0, "sum(i) x^2 - (sum(i) x)^4 / 3 >= 0"},
      {true, of_both, of_apart, third, RAT_0, "sum(i) (x + y)^2 - (sum(i) x + sum(i) y)^2 / 3 >= 0"},
      {false, of_both, square[0], third, RAT_0, "sum(i) (x + y)^2 - (sum(i) x)^2 / 3 >= 0"},
      {false, added, of_roots, third, RAT_0, "sum(i) x - (sum(i) x^(1/2))^2 / 3 >= 0 of any x"},
      {false, squares[4], square[4], third, RAT_0, "sum(i) x^2 - (sum(i) x)^2 / 3 >= 0 where x may be infinite"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
    Item terms[3] = {{cases[n].squares.a, RAT_1}, {cases[n].square.a, cases[n].k}, {cases[n].square.a, cases[n].more}};
    Num v = make(s, DEF_LIN, terms, 2 + (cases[n].more != RAT_0), NULL, 0);
    expect(cases[n].want, flags_of(s, v.a) & IS_NONNEG, cases[n].what);
  }
  Num same = make(s, DEF_LIN, (Item[]){{squares[2].a, RAT_1}, {square[2].a, third}}, 2, NULL, 0);
  expect(false, flags_of(s, same.a) & IS_POS, "sum(i) u^2 - (sum(i) u)^2 / 3 > 0 of a positive u");
}

static Num largest_of(Store *s, Rat k, Num v) { return make(s, DEF_MAX, (Item[]){{ATOM_ONE, k}, {v.a, v.k}}, 2, NULL, 0); }

/* Values that are cut off on both sides, by two predicates. */
static void clips(Store *s) {
  Num x = input(s, NULL, 0, 0), minus = num_scale(RAT_NEG1, x), third = num_scale(rat_frac(1, 3), x);
  Num low = largest_of(s, RAT_INT(-3), x), high = largest_of(s, RAT_INT(-3), minus);
  Num low_third = largest_of(s, RAT_NEG1, third);
  Num clip = num_scale(RAT_NEG1, largest_of(s, RAT_INT(-3), num_scale(RAT_NEG1, low)));
  Num other = largest_of(s, RAT_INT(-3), num_scale(RAT_NEG1, high));
  Num wider = largest_of(s, RAT_INT(-4), num_scale(RAT_NEG1, high));
  Num thirds = num_scale(RAT_INT(-3), largest_of(s, RAT_NEG1, num_scale(RAT_NEG1, low_third)));
  const struct {
    bool want;
    Num is;
    Choice by;
    const char *what;
  } cases[] = {
      {true, other, {2, (Label[]){2, 3}}, "min(max(x, -3), 3) == max(min(x, 3), -3)"},
      {true, thirds, {2, (Label[]){2, 0}}, "min(max(x, -3), 3) == 3 min(max(x / 3, -1), 1)"},
      {false, other, {1, (Label[]){2}}, "min(max(x, -3), 3) == max(min(x, 3), -3), in two cases"},
      {false, wider, {2, (Label[]){2, 3}}, "min(max(x, -3), 3) == max(min(x, 3), -4)"},
      {false, low, {2, (Label[]){2, 0}}, "min(max(x, -3), 3) == max(x, -3)"},
      {false, num_scale(RAT_NEG1, high), {2, (Label[]){2, 0}}, "min(max(x, -3), 3) == min(x, 3)"},
      {false, x, {2, (Label[]){2, 0}}, "min(max(x, -3), 3) == x"},
  };
  Goal claim = {.op = GOAL_SAME, .n = 2};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
    expect(cases[n].want, holds_for(s, law_split, claim, (Num[]){clip, cases[n].is}, cases[n].is, cases[n].by),
           cases[n].what);
}

/* Every value of a row that takes them all is at one place: row is unknown function number 1, of places of a row of 5. */
static void every_place_once(Store *s) {
  Label k = label_make(s, LABEL_DIM, 0, 0, 5), i = label_make(s, LABEL_DIM, 1, 0, 5);
  Label four = label_make(s, LABEL_DIM, 2, 0, 4), m = label_make(s, LABEL_DIM, 3, 0, 6),
        fewer = label_make(s, LABEL_DIM, 4, 0, 4);
  Num x = input(s, NULL, 0, 0), y = input(s, &k, 1, 0), inf = input(s, NULL, 0, MAY_INF), q = input(s, NULL, 0, 0);
  Num row[3], at[3];
  for (Sym fn = 1; fn <= 3; fn++) { /* places of a row of 5, whole numbers, places of a row that is longer */
    Label l = fn == 3 ? four : k;
    Def d = {.kind = DEF_OPAQUE, .fn = fn == 3 ? 1 : fn, .n_slots = 1, .sizes = (int64_t[]){label_size(s, l)}};
    row[fn - 1] = num_of(atom_make(s, def_add(s, d), &l, 1));
    at[fn - 1] = equals(s, row[fn - 1], num_of(atom_index(s, fn == 3 ? fewer : i)));
  }
  Num beyond = equals(s, row[0], num_of(atom_index(s, m))), any = equals(s, row[0], q);
  Num itself = equals(s, row[0], num_of(atom_index(s, k)));
  Num halves = equals(s, row[0], num_scale(rat_frac(1, 2), num_of(atom_index(s, i))));
  Num least = equals(s, row[0], form_of(s, (Item[]){{atom_index(s, i), RAT_1}, {ATOM_ONE, RAT_NEG1}}, 2));
  const struct {
    bool want;
    Label over;
    Num v, is;
    const char *what;
  } cases[] = {
      {true, k, at[0], num(RAT_1), "sum(k) [row[k] == i] == 1"},
      {true, k, times(s, x, at[0]), x, "sum(k) x [row[k] == i] == x"},
      {false, k, at[1], num(RAT_1), "sum(k) [f[k] == i] == 1, f being whole numbers"},
      {false, four, at[2], num(RAT_1), "sum(k) [row[k] == i] == 1, k being some places of row"},
      {false, k, beyond, num(RAT_1), "sum(k) [row[k] == m] == 1, m being larger than all places"},
      {false, k, least, num(RAT_1), "sum(k) [row[k] == i - 1] == 1"},
      {false, k, halves, num(RAT_1), "sum(k) [row[k] == i / 2] == 1"},
      {false, k, any, num(RAT_1), "sum(k) [row[k] == q] == 1"},
      {false, k, itself, num(RAT_1), "sum(k) [row[k] == k] == 1"},
      {false, k, times(s, y, at[0]), y, "sum(k) y[k] [row[k] == i] == y[k]"},
      {false, k, times(s, inf, at[0]), inf, "sum(k) x [row[k] == i] == x where x may be infinite"},
      {false, k, less(s, plus(s, row[0], num_scale(RAT_NEG1, num_of(atom_index(s, i))))), num(RAT_1),
       "sum(k) [row[k] < i] == 1"},
  };
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
    expect(cases[n].want, same_sum_over(s, &cases[n].over, 1, cases[n].v, cases[n].is), cases[n].what);
}

/* Sums over some of the same indices, by what is below these. */
static void sums_below(Store *s) {
  Label i = label_make(s, LABEL_DIM, 0, 0, 3), j = label_make(s, LABEL_DIM, 1, 0, 5), k = label_make(s, LABEL_DIM, 2, 0, 4);
  Num p = input(s, &j, 1, 0), q = input(s, &j, 1, 0), of = sum(s, times(s, p, q), j), other = sum(s, times(s, p, p), j);
  Num both = make(s, DEF_SUM, (Item[]){{p.a, RAT_1}, {q.a, RAT_1}}, 2, (Label[]){i, j}, 2);
  const struct {
    bool want;
    Num v, w;
    const char *what;
  } cases[] = {
      {true, both, sum(s, of, i), "sum(i, j) p[j] q[j] == sum(i) sum(j) p[j] q[j]"},
      {true, sum(s, of, i), both, "sum(i) sum(j) p[j] q[j] == sum(i, j) p[j] q[j]"},
      {false, both, sum(s, of, k), "sum(i, j) p[j] q[j] == sum(k) sum(j) p[j] q[j]"},
      {false, both, sum(s, other, i), "sum(i, j) p[j] q[j] == sum(i) sum(j) p[j] p[j]"},
      {false, both, num_scale(RAT_INT(2), sum(s, of, i)), "sum(i, j) p[j] q[j] == 2 sum(i) sum(j) p[j] q[j]"},
  };
  Goal claim = {.op = GOAL_SAME, .n = 2};
  for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
    expect(cases[n].want, holds_for(s, law_alike, claim, (Num[]){cases[n].v, cases[n].w}, cases[n].w, (Choice){0}),
           cases[n].what);
}

int main(void) {
  orders();
  Store s;
  store_init(&s);
  beside_what_is_excluded(&s);
  out_of_range(&s);
  sums(&s);
  equations_of_indices(&s);
  roots_of_multiples(&s);
  positive_factors(&s);
  comparisons(&s);
  factors(&s);
  decisions(&s);
  functions(&s);
  structures(&s);
  digits(&s);
  values(&s);
  bits_of_integers(&s);
  divisions_known(&s);
  quotients_and_counts(&s);
  opened_below(&s);
  one_of_fewer(&s);
  rows_that_have(&s);
  counts_compared(&s);
  indices_exchanged(&s);
  readings(&s);
  places(&s);
  angles(&s);
  powers(&s);
  with_themselves(&s);
  below_the_largest(&s);
  read_at_the_largest(&s);
  counted_places(&s);
  variances(&s);
  clips(&s);
  every_place_once(&s);
  sums_below(&s);
  store_free(&s);
  printf("%d equations\n", equations);
  return failures != 0;
}
