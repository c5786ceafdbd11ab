/* Ranges of numbers, and what is known of a definition: its range, and whether it is positive, whole, 0 or 1, infinite.
 * All of it is derived here, from the parts of the definition; nothing of it stands in a certificate. */
#include "certify/law.h"

Range range_from(Rat lo, Rat hi) { return (Range){true, true, lo, hi}; }

/* A number that is too long is no bound: products of products soon would be. */
static bool bound(Rat *v, Rat k) { return rat_bits(*v = rat_mul(k, *v)) <= MOST_BITS; }

Range range_scale(Range r, Rat k) {
  if (k == RAT_0) return range_from(RAT_0, RAT_0);
  Range x = rat_sign(k) > 0 ? r : (Range){r.has_hi, r.has_lo, r.hi, r.lo};
  x.has_lo = x.has_lo && bound(&x.lo, k);
  x.has_hi = x.has_hi && bound(&x.hi, k);
  return x;
}

Range range_add(Range a, Range b) {
  Range r = {a.has_lo && b.has_lo, a.has_hi && b.has_hi, RAT_0, RAT_0};
  if (r.has_lo) r.lo = rat_add(a.lo, b.lo);
  if (r.has_hi) r.hi = rat_add(a.hi, b.hi);
  return r;
}

/* What is in both. */
Range range_meet(Range a, Range b) {
  if (b.has_lo && (!a.has_lo || rat_cmp(b.lo, a.lo) > 0)) a.has_lo = true, a.lo = b.lo;
  if (b.has_hi && (!a.has_hi || rat_cmp(b.hi, a.hi) < 0)) a.has_hi = true, a.hi = b.hi;
  return a;
}

/* What is in either. */
Range range_hull(Range a, Range b) {
  if (a.has_lo && b.has_lo && rat_cmp(b.lo, a.lo) < 0) a.lo = b.lo;
  if (a.has_hi && b.has_hi && rat_cmp(b.hi, a.hi) > 0) a.hi = b.hi;
  a.has_lo &= b.has_lo, a.has_hi &= b.has_hi;
  return a;
}

static Range largest(Range a, Range b) {
  Range r = range_hull(a, b);
  r.has_lo = a.has_lo || b.has_lo;
  r.lo = !a.has_lo || (b.has_lo && rat_cmp(b.lo, a.lo) > 0) ? b.lo : a.lo;
  return r;
}

static Range product(Range a, Range b) {
  if (a.has_lo && a.has_hi && b.has_lo && b.has_hi)
    return range_hull(range_hull(range_scale(a, b.lo), range_scale(a, b.hi)), range_scale(b, a.lo));
  bool positive = a.has_lo && b.has_lo && rat_sign(a.lo) >= 0 && rat_sign(b.lo) >= 0;
  return (Range){.has_lo = positive && bound(&a.lo, b.lo), .lo = a.lo};
}

int range_decides(Range r, bool less) {
  bool below = r.has_hi && rat_sign(r.hi) < 0, above = r.has_lo && rat_sign(r.lo) > 0;
  if (less) return below ? 1 : r.has_lo && rat_sign(r.lo) >= 0 ? 0 : -1;
  return below || above ? 0 : r.has_lo && r.has_hi && r.lo == r.hi ? 1 : -1;
}

Range num_bounds(const Store *s, Num v) { return range_scale(def_of(s, v.a)->range, v.k); }

bool num_range(const Store *s, Num v, Rat *lo, Rat *hi) {
  Range r = num_bounds(s, v);
  *lo = r.lo, *hi = r.hi;
  return r.has_lo && r.has_hi;
}

bool num_is_int(const Store *s, Num v) { return rat_is_int(v.k) && (num_is(v) || (flags_of(s, v.a) & IS_INT)); }
bool num_is_pred(const Store *s, Num v) { return v.k == RAT_0 || (v.k == RAT_1 && (flags_of(s, v.a) & IS_PRED)); }

bool even_power(Rat p) {
  if (rat_is_int(p)) return rat_is_int(rat_div(p, RAT_INT(2)));
  mpq_t q;
  mpq_init(q);
  rat_get(p, q);
  bool even = mpz_even_p(mpq_denref(q));
  mpq_clear(q);
  return even;
}

/* Each of its terms stands under a condition: it may be 0 wherever none of them holds. */
static bool masked(const Store *s, const Def *d) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    bool under = x->flags & IS_PRED;
    for (uint32_t j = 0; j < x->n_args && x->kind == DEF_MUL; j++) under |= s->defs.at[x->args[j].def].flags & IS_PRED;
    n += under && d->args[i].def;
  }
  return d->kind == DEF_LIN && n == d->n_args;
}

void atom_assume(Store *s, Atom a, uint8_t what) {
  AtomInfo x = s->atoms.at[a];
  Def *d = &s->defs.at[x.def];
  for (uint32_t i = 0; i < x.n; i++)
    if (label_is_const(x.at[i]) || label_among(x.at, i, x.at[i])) return;
  if ((d->assumed & what) == what || (what == NOT_ZERO && masked(s, d))) return;
  if (what == NOT_NEGATIVE && d->range.has_hi && rat_sign(d->range.hi) <= 0) return; /* it is hardly ever meant to be 0 */
  d->assumed |= what;
  uint32_t n = d->kind == DEF_MUL && what == NOT_ZERO ? d->n_args : 0;
  const Item *f = n ? atom_open(s, a, NULL) : NULL;
  for (uint32_t i = 0; i < n; i++) atom_assume(s, f[i].a, what);
}

static bool not_zero(const Store *s, const Def *d) {
  const Def *of = d->kind == DEF_FN ? &s->defs.at[d->args->def] : NULL;
  if (of && d->fn == sym("abs") && not_zero(s, of)) return true;
  bool exp = of && d->fn == sym("exp") && (of->assumed & FINITE);
  return exp || (d->flags & (IS_POS | MAY_INF)) == IS_POS || (d->assumed & NOT_ZERO);
}

bool atom_not_zero(const Store *s, Atom a) { return not_zero(s, def_of(s, a)); }

bool atom_not_negative(const Store *s, Atom a) {
  return (flags_of(s, a) & IS_NONNEG) || (def_of(s, a)->assumed & NOT_NEGATIVE);
}

/* ---- what follows for a definition */
/* Its args, at labels of no meaning. */
static Item *opened(Store *s, const Def *d) {
  Label *at = SCRATCH(s, Label, d->n_slots), *bound = SCRATCH(s, Label, d->n_bound);
  for (uint32_t k = 0; k < d->n_slots; k++) at[k] = label_make(s, LABEL_GOAL, k, 0, d->sizes[k]);
  for (uint32_t k = 0; k < d->n_bound; k++) bound[k] = label_make(s, LABEL_BOUND, k, 1, d->sizes[d->n_slots + k]);
  return args_open(s, *d, at, bound);
}

/* k sum x^2 + m (sum x)^2 is not negative if k + n m is not, n being how many values are summed: takes that from k. */
static bool makes_up(Store *s, Item *squares, Item square) {
  const Def *d = def_of(s, squares->a), *e = def_of(s, square.a);
  bool is = d->kind == DEF_SUM && e->kind == DEF_MUL && e->n_args == 1 && e->args->tag == RAT_INT(2);
  Rat left = square.k;
  for (uint32_t i = 0; i < d->n_bound; i++) left = rat_mul(left, rat_int(d->sizes[d->n_slots + i]));
  left = rat_add(left, squares->k);
  if (!is || (d->flags & MAY_INF) || rat_sign(left) < 0) return false;
  if (!law_sum_of_roots(s, squares->a, num_of(atom_open(s, square.a, NULL)->a))) return false;
  return squares->k = left, true;
}

static void know_linear(Store *s, Def *d) {
  bool integer = true, pos = false, nonneg = true;
  ArenaMark mark = arena_mark(&s->scratch);
  uint32_t fresh = s->fresh;
  Item *x = NULL;
  bool *paired = memset(SCRATCH(s, bool, d->n_args), 0, d->n_args * sizeof *paired);
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *y = &s->defs.at[d->args[i].def];
    if (y->kind != DEF_MUL || rat_sign(d->args[i].tag) >= 0 || y->range.has_hi) continue;
    if (!x) x = opened(s, d);
    for (uint32_t j = 0; j < d->n_args && !paired[i]; j++)
      if (makes_up(s, &x[j], x[i])) paired[i] = paired[j] = true;
  }
  d->range = range_from(RAT_0, RAT_0);
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *y = &s->defs.at[d->args[i].def];
    Rat k = d->args[i].tag;
    integer &= (y->flags & IS_INT) && rat_is_int(k);
    pos |= (y->flags & IS_POS) && rat_sign(k) > 0 && !paired[i];
    Range term = range_scale(y->range, k);
    if (paired[i]) term.has_lo = true, term.lo = RAT_0; /* together they are not below 0 */
    nonneg &= term.has_lo && rat_sign(term.lo) >= 0;
    d->range = range_add(d->range, term);
  }
  s->fresh = fresh;
  arena_reset(&s->scratch, mark);
  if (integer) d->flags |= IS_INT;
  if (pos && nonneg) d->flags |= IS_POS;
}

/* The range of factor i where the predicates among the factors hold. */
static Range factor_range(Store *s, const Def *d, uint32_t i) {
  const Def *x = &s->defs.at[d->args[i].def];
  bool some = false;
  for (uint32_t k = 0; k < d->n_args; k++) some |= k != i && (s->defs.at[d->args[k].def].flags & IS_PRED);
  if (!some || !(x->flags & IS_INT) || (x->flags & IS_PRED)) return x->range;
  ArenaMark m = arena_mark(&s->scratch);
  Range r = facts_range(s, opened(s, d), d->n_args, i);
  arena_reset(&s->scratch, m);
  return r;
}

uint32_t law_told_by(Store *s, Poly form, const Label *left, uint32_t n, Label *out) {
  uint32_t has = 0, at = 0, m = 0;
  Rat reach = RAT_0;
  for (uint32_t j = 0; j < form.n; j++) {
    bool some = false;
    for (uint32_t b = 0; b < n; b++) some |= atom_has(s, form.at[j].a, left[b]);
    if (some) has++, at = j;
  }
  for (bool more = true; more;) { /* each weighs more than all before can make up */
    uint32_t least = form.n;
    for (uint32_t j = 0; j < form.n; j++) {
      bool index = def_of(s, form.at[j].a)->kind == DEF_INDEX && label_among(left, n, s->atoms.at[form.at[j].a].at[0]);
      if (!index || label_among(out, m, s->atoms.at[form.at[j].a].at[0])) continue;
      if (least == form.n || rat_cmp(rat_abs(form.at[j].k), rat_abs(form.at[least].k)) < 0) least = j;
    }
    more = least < form.n && rat_cmp(rat_abs(form.at[least].k), reach) > 0;
    if (!more) continue;
    out[m] = s->atoms.at[form.at[least].a].at[0];
    reach = rat_add(reach, rat_mul(rat_abs(form.at[least].k), rat_int(label_size(s, out[m++]) - 1)));
  }
  if (m && m == has) return m;
  m = 0;
  const Def *e = has == 1 ? def_of(s, form.at[at].a) : NULL;
  if (!e || e->kind != DEF_OPAQUE || !e->fn || e->fn > s->whole.len) return 0;
  AtomInfo x = s->atoms.at[form.at[at].a];
  int64_t places = 1;
  for (uint32_t k = 0; k < x.n; k++) /* more than there are: it is no row of that function */
    if (def_produces(e, k) && !law_times(&places, e->sizes[k], s->whole.at[e->fn - 1])) return 0;
  for (uint32_t k = 0; k < x.n; k++) {
    bool twice = label_among(x.at, k, x.at[k]) || label_among(x.at + k + 1, x.n - k - 1, x.at[k]);
    if (label_among(left, n, x.at[k]) && def_produces(e, k) && !twice) out[m++] = x.at[k];
  }
  return m;
}

bool law_told_once(Store *s, Poly form, const Label *left, uint32_t n) {
  Label *told = SCRATCH(s, Label, form.n + n);
  int64_t places = 1;
  uint32_t at = 0;
  Range r = range_from(RAT_0, RAT_0);
  while (at < form.n && (def_of(s, form.at[at].a)->kind != DEF_OPAQUE || !atom_has(s, form.at[at].a, left[0]))) at++;
  if (at == form.n || law_told_by(s, form, left, n, told) != n) return false;
  for (uint32_t i = 0; i < n; i++)
    if (!law_times(&places, label_size(s, left[i]), INT32_MAX)) return false;
  for (uint32_t i = 0; i < form.n; i++) {
    Num rest = {rat_neg(rat_div(form.at[i].k, form.at[at].k)), form.at[i].a};
    if (i != at && !num_is_int(s, rest)) return false;
    if (i != at) r = range_add(r, num_bounds(s, rest));
  }
  Sym fn = def_of(s, form.at[at].a)->fn; /* places of a row are as many as its values, and no two have the same one */
  bool inside = r.has_lo && r.has_hi && rat_sign(r.lo) >= 0 && rat_cmp(r.hi, rat_int(places)) < 0;
  return inside && fn && fn <= s->whole.len && s->whole.at[fn - 1] == places;
}

/* At how many values of the bound slots a product of predicates may hold: those that no equation tells, in turn. */
static Rat most_values(Store *s, const Def *d) {
  ArenaMark mark = arena_mark(&s->scratch);
  Item *x = opened(s, d);
  Label *left = SCRATCH(s, Label, d->n_bound), *told = SCRATCH(s, Label, d->n_bound + 1);
  uint32_t n = d->n_bound;
  Rat most = RAT_1;
  for (uint32_t k = 0; k < n; k++) left[k] = label_make(s, LABEL_BOUND, k, 1, d->sizes[d->n_slots + k]);
  for (uint32_t i = 0; i < d->n_args && n; i++) {
    if (def_of(s, x[i].a)->kind != DEF_EQ || x[i].k != RAT_1) continue;
    uint32_t n_told = law_told_by(s, law_form(s, x[i].a), left, n, told), m = 0;
    for (uint32_t k = 0; k < n; k++) {
      bool is = label_among(told, n_told, left[k]), kept = !is && n_told && atom_has(s, x[i].a, left[k]);
      if (kept) most = rat_mul(most, rat_int(label_size(s, left[k])));
      if (!is && !kept) left[m++] = left[k];
    }
    n = m;
  }
  for (uint32_t k = 0; k < n; k++) most = rat_mul(most, rat_int(label_size(s, left[k])));
  arena_reset(&s->scratch, mark);
  return most;
}

static void know_product(Store *s, Def *d) {
  uint8_t all = IS_POS | IS_INT;
  Range r = range_from(RAT_1, RAT_1), above = {.has_lo = true, .lo = RAT_0};
  for (uint32_t i = 0; i < d->n_args; i++) {
    uint8_t has = s->defs.at[d->args[i].def].flags;
    Rat p = d->args[i].tag;
    bool never_below = (has & IS_NONNEG) || even_power(p);
    if ((has & (MAY_INF | IS_POS)) != IS_POS) all &= (uint8_t)~IS_POS;
    if (!(has & IS_INT) || !rat_is_int(p) || rat_sign(p) < 0) all &= (uint8_t)~IS_INT;
    r = product(r, p == RAT_1 ? factor_range(s, d, i) : never_below ? above : (Range){0});
  }
  bool tells = false;
  for (uint32_t i = 0; i < d->n_args && d->n_bound; i++) tells |= s->defs.at[d->args[i].def].kind == DEF_EQ;
  Rat values = RAT_1, most;
  for (uint32_t i = 0; i < d->n_bound; i++) values = rat_mul(values, rat_int(d->sizes[d->n_slots + i]));
  most = tells ? most_values(s, d) : values;
  r = range_scale(r, most);
  if (most != values) r = range_hull(r, range_from(RAT_0, RAT_0));
  d->flags |= all;
  d->range = r;
}

static void know_max(const Store *s, Def *d) {
  uint8_t all = IS_INT;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    Rat k = d->args[i].tag;
    all &= rat_is_int(k) ? x->flags : 0;
    if (rat_sign(k) > 0) d->flags |= x->flags & IS_POS;
    d->range = i ? largest(d->range, range_scale(x->range, k)) : range_scale(x->range, k);
  }
  d->flags |= all;
}

static void know_choice(const Store *s, Def *d) {
  const Def *x = &s->defs.at[d->args[1].def], *y = &s->defs.at[d->args[2].def];
  d->flags |= x->flags & y->flags & (IS_POS | IS_INT);
  d->range = range_hull(x->range, y->range);
}

bool function_among(Sym fn, const char *const *names) {
  while (*names && fn != sym(*names)) names++;
  return *names != NULL;
}

/* Whether it may be plus infinity, as far as choices, maxima and signs show: then its exponential is no number. */
static bool exceeds(const Store *s, DefId id, int *steps) {
  const Def *d = &s->defs.at[id];
  bool some = (d->flags & MAY_INF) && --*steps < 0;
  bool through = d->kind == DEF_SELECT || d->kind == DEF_LIN || d->kind == DEF_MAX;
  through = through || (d->kind == DEF_FN && d->fn == sym(SEALED));
  if (!(d->flags & MAY_INF) || !through) return some;
  for (uint32_t i = d->kind == DEF_SELECT; i < d->n_args && !some; i++) {
    bool below = d->kind != DEF_SELECT && rat_sign(d->args[i].tag) < 0 && (s->defs.at[d->args[i].def].flags & MAY_INF);
    some = below || exceeds(s, d->args[i].def, steps);
  }
  return some;
}

/* A quotient by a number grows with what is divided, a rest is smaller than the number. */
static void know_divided(const Store *s, Def *d) {
  static const char *const quotients[] = {"truncdiv", "floordiv", NULL}, *const rests[] = {"rem", "mod", NULL};
  if (d->n_args != 2) return;
  Range x = s->defs.at[d->args[0].def].range, by = s->defs.at[d->args[1].def].range;
  if (!by.has_lo || !by.has_hi || by.lo != by.hi || rat_sign(by.lo) <= 0) return;
  bool mod = d->fn == sym("mod"), positive = x.has_lo && rat_sign(x.lo) >= 0;
  if (function_among(d->fn, quotients)) {
    d->range = (Range){.has_lo = x.has_lo, .has_hi = x.has_hi};
    if (x.has_lo) constant_function(sym_text(d->fn), (Rat[]){x.lo, by.lo}, 2, &d->range.lo);
    if (x.has_hi) constant_function(sym_text(d->fn), (Rat[]){x.hi, by.lo}, 2, &d->range.hi);
  } else if (function_among(d->fn, rests)) {
    Rat most = d->flags & IS_INT ? rat_sub(by.lo, RAT_1) : by.lo;
    d->range = range_from(mod || positive ? RAT_0 : rat_neg(most), most);
  }
}

static void know_function(const Store *s, Def *d) {
  static const char *const integers[] = {"sign",      "floor",    "ceil",     "trunc", "round_even",
                                         "round_afz", "truncdiv", "floordiv", NULL},
                           *const keep[] = {"abs", "rem", "mod", "clamp", NULL};
  if (!d->n_args) return;
  const Def *x = &s->defs.at[d->args[0].def];
  bool whole = true, exp = d->fn == sym("exp");
  for (uint32_t i = 0; i < d->n_args; i++) whole &= (s->defs.at[d->args[i].def].flags & IS_INT) != 0;
  if (function_among(d->fn, integers) || (whole && function_among(d->fn, keep))) d->flags |= IS_INT;
  if (exp || d->fn == sym("abs")) d->range = (Range){.has_lo = true, .lo = RAT_0};
  if (exp && !(x->flags & MAY_INF)) d->flags |= IS_POS;
  if (d->fn == sym("log") && x->range.has_lo && rat_cmp(x->range.lo, RAT_1) > 0) d->flags |= IS_POS;
  know_divided(s, d);
  if (d->fn != sym("clamp") || d->n_args != 3) return;
  Range lo = x->range, hi = s->defs.at[d->args[2].def].range;
  if (lo.has_lo && lo.has_hi && hi.has_lo && hi.has_hi && rat_cmp(lo.hi, hi.lo) <= 0)
    d->range = range_from(lo.lo, hi.hi);
}

/* A leaf beyond its range is any number, a whole one if its values are. */
static void know_read(const Store *s, Def *d) {
  const Def *leaf = &s->defs.at[d->attr];
  bool inside = true;
  for (uint32_t i = 0; i < leaf->n_slots && !(leaf->flags & UNPADDED); i++) {
    Affine f = d->forms[i];
    __int128 lo = f.c, hi = f.c;
    for (uint32_t j = 0; j < f.n; j++) *(f.t[j].k < 0 ? &lo : &hi) += (__int128)f.t[j].k * (d->sizes[f.t[j].l] - 1);
    inside = inside && lo >= 0 && hi < leaf->sizes[i];
  }
  d->flags = inside ? leaf->flags : leaf->flags & (IS_INT | MAY_INF);
  d->gap_lo = leaf->gap_lo, d->gap_hi = leaf->gap_hi;
  if (inside) d->range = leaf->range;
}

void def_know(Store *s, Def *d) {
  bool opaque = d->kind == DEF_OPAQUE && d->fn && d->fn <= s->whole.len;
  int64_t whole = opaque ? s->whole.at[d->fn - 1] : NOT_WHOLE;
  switch (d->kind) {
    case DEF_AT: know_read(s, d); break;
    case DEF_ONE:
      d->flags = IS_INT;
      d->range = range_from(RAT_1, RAT_1);
      break;
    case DEF_NEGINF: d->flags = MAY_INF; break;
    case DEF_INDEX:
      d->flags = IS_INT;
      d->range = range_from(RAT_0, rat_int(d->sizes[0] - 1));
      break;
    case DEF_LIN: know_linear(s, d); break;
    case DEF_MUL:
    case DEF_SUM: know_product(s, d); break;
    case DEF_MAX: know_max(s, d); break;
    case DEF_LT:
    case DEF_EQ:
      d->flags = IS_INT;
      d->range = range_from(RAT_0, RAT_1);
      break;
    case DEF_SELECT: know_choice(s, d); break;
    case DEF_FN: know_function(s, d); break;
    case DEF_OPAQUE:
      if (whole == NOT_WHOLE) break;
      d->flags = IS_INT;
      if (whole) d->range = range_from(RAT_0, rat_int(whole - 1));
      break;
    default: break; /* INPUT, TABLE: given */
  }
  if (d->flags & IS_POS) d->range = range_meet(d->range, (Range){.has_lo = true, .lo = RAT_0});
  if (d->range.has_lo && rat_sign(d->range.lo) > 0) d->flags |= IS_POS;
  if (d->range.has_lo && rat_sign(d->range.lo) >= 0) d->flags |= IS_NONNEG;
  bool to_1 = d->range.has_hi && rat_cmp(d->range.hi, RAT_1) <= 0;
  if ((d->flags & (IS_INT | IS_NONNEG)) == (IS_INT | IS_NONNEG) && to_1) d->flags |= IS_PRED;
  int steps = 64;
  bool exp = d->kind == DEF_FN && d->n_args && d->fn == sym("exp") && !exceeds(s, d->args[0].def, &steps);
  bool finite = d->kind == DEF_LT || d->kind == DEF_EQ || exp || whole != NOT_WHOLE;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    bool chained =
        d->kind == DEF_MUL || (d->kind == DEF_LIN && d->n_args == 1) || (d->kind == DEF_MAX && x->kind == DEF_MAX);
    if (chained && x->chain >= d->chain) d->chain = x->chain + 1;
    if (!finite) d->flags |= x->flags & MAY_INF;
  }
}
