#include "certify/term.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define SCRATCH(s, T, n) ARENA_ARRAY(&(s)->scratch, T, n)

/* ---- atoms */
static bool is_atom(const void *s, uint32_t a, const void *key) {
  const AtomInfo *x = &((const Store *)s)->atoms.at[a], *y = key;
  return x->def == y->def && (!x->n || !memcmp(x->at, y->at, x->n * sizeof *x->at));
}

Atom atom_make(Store *s, DefId def, const Label *at, uint32_t n) {
  const Def *d = &s->defs.at[def];
  assert(n == d->n_slots);
  Label best[64], try[64];
  if (d->n_perms && n <= 64) { /* of the readings that a symmetry makes equal, the least */
    memcpy(best, at, n * sizeof *at);
    for (uint32_t p = 0; p < d->n_perms; p++) {
      int less = 0;
      for (uint32_t i = 0; i < n; i++) {
        try[i] = at[d->perms[p * n + i]];
        if (!less) less = label_compare(s, try[i], best[i]);
      }
      if (less < 0) memcpy(best, try, n * sizeof *at);
    }
    at = best;
  }
  AtomInfo x = {def, n, at};
  Atom a = index_find(&s->atom_index, XXH3_64bits_withSeed(at, n * sizeof *at, def), is_atom, s, &x);
  if (a < s->atoms.len) return a;
  if (n) x.at = arena_copy(&s->arena, at, n * sizeof *at);
  vec_push(&s->atoms, x);
  return a;
}

/* Order of the labels of a read by their weights in its forms. */
static int compare_columns(const Store *s, const Affine *f, uint32_t n, Label x, Label y) {
  for (uint32_t i = 0; i < n; i++) {
    int64_t k = 0, m = 0;
    for (uint32_t j = 0; j < f[i].n; j++) {
      if (f[i].t[j].l == x) k = f[i].t[j].k;
      if (f[i].t[j].l == y) m = f[i].t[j].k;
    }
    if (k != m) return k > m ? -1 : 1;
  }
  int64_t k = label_size(s, x), m = label_size(s, y);
  return k != m ? (k < m ? -1 : 1) : 0;
}

/* Slots of equal weights and sizes may be exchanged, some pairs at once. */
static void exchanges(Store *s, Def *d, uint32_t n) {
  enum { MOST = 64 };
  uint32_t m = d->n_slots, *perms = SCRATCH(s, uint32_t, (size_t)(MOST + 1) * m); /* the first changes nothing */
  for (uint32_t i = 0; i < m; i++) perms[i] = i;
  for (uint32_t q = 1; q < m * m; q++) {
    uint32_t x = q / m, y = q % m;
    bool same = x < y && d->sizes[x] == d->sizes[y];
    for (uint32_t i = 0; i < n && same; i++) {
      int64_t k[2] = {0, 0};
      for (struct AffineTerm *t = d->forms[i].t; t < d->forms[i].t + d->forms[i].n; t++)
        if (t->l == x || t->l == y) k[t->l == x] = t->k;
      same = k[0] == k[1];
    }
    for (uint32_t p = 0, had = d->n_perms; p <= had && same && d->n_perms < MOST; p++) {
      uint32_t *to = perms + ++d->n_perms * m;
      memcpy(to, perms + p * m, m * sizeof *to);
      to[x] = perms[p * m + y];
      to[y] = perms[p * m + x];
    }
  }
  d->perms = perms + m, d->n_derived = d->n_perms;
}

static bool same_forms(const Affine *f, const Affine *g, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    if (f[i].c != g[i].c || f[i].n != g[i].n) return false;
    for (uint32_t j = 0; j < f[i].n; j++)
      if (f[i].t[j].k != g[i].t[j].k || f[i].t[j].l != g[i].t[j].l) return false;
  }
  return true;
}

DefId def_at(Store *s, DefId leaf, const Affine *forms, const int64_t *sizes, uint32_t n_slots) {
  uint32_t n = s->defs.at[leaf].n_slots;
  for (DefId d = s->last_at; d; d = s->defs.at[d].before) {
    const Def *x = &s->defs.at[d];
    if ((DefId)x->attr == leaf && x->n_slots == n_slots && same_forms(x->forms, forms, n) &&
        !memcmp(x->sizes, sizes, n_slots * sizeof *sizes))
      return d;
  }
  Affine *copy = ARENA_ARRAY(&s->arena, Affine, n);
  for (uint32_t i = 0; i < n; i++)
    copy[i] = (Affine){forms[i].c, forms[i].n, arena_copy(&s->arena, forms[i].t, forms[i].n * sizeof *forms[i].t)};
  Def d = {.kind = DEF_AT, .attr = leaf, .forms = copy, .n_slots = n_slots, .sizes = sizes, .before = s->last_at};
  exchanges(s, &d, n);
  return s->last_at = def_add(s, d);
}

Atom atom_read(Store *s, DefId leaf, const Label *at) {
  uint32_t n = s->defs.at[leaf].n_slots, m = 0, cap = 0;
  Affine *f = SCRATCH(s, Affine, n);
  bool plain = true;
  for (uint32_t i = 0; i < n; i++)
    f[i] = label_open(s, at[i]), cap += f[i].n, plain = plain && !label_is_form(s, at[i]);
  if (plain) return atom_make(s, leaf, at, n);
  Label *order = SCRATCH(s, Label, cap);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < f[i].n; j++) {
      uint32_t k = 0;
      while (k < m && order[k] != f[i].t[j].l) k++;
      if (k < m) continue;
      for (m++; k; k--) {
        int c = compare_columns(s, f, n, order[k - 1], f[i].t[j].l);
        if (c < 0 || (!c && label_compare(s, order[k - 1], f[i].t[j].l) < 0)) break;
        order[k] = order[k - 1];
      }
      order[k] = f[i].t[j].l;
    }
  int64_t *sizes = SCRATCH(s, int64_t, m);
  for (uint32_t k = 0; k < m; k++) sizes[k] = label_size(s, order[k]);
  for (uint32_t i = 0; i < n; i++) { /* by slot, ascending */
    Affine g = {f[i].c, 0, SCRATCH(s, struct AffineTerm, f[i].n)};
    for (uint32_t k = 0; k < m; k++)
      for (uint32_t j = 0; j < f[i].n; j++)
        if (f[i].t[j].l == order[k]) g.t[g.n++] = (struct AffineTerm){f[i].t[j].k, k};
    f[i] = g;
  }
  return atom_make(s, def_at(s, leaf, f, sizes, m), order, m);
}

void at_labels(Store *s, const Def *d, const Label *at, Label *out) {
  for (uint32_t i = 0; i < s->defs.at[d->attr].n_slots; i++) {
    Affine f = {d->forms[i].c, 0, NULL};
    for (uint32_t j = 0; j < d->forms[i].n; j++)
      f = form_add(s, f, label_open(s, at[d->forms[i].t[j].l]), d->forms[i].t[j].k);
    out[i] = label_of_form(s, f, s->defs.at[d->attr].sizes[i]);
  }
}

Atom atom_index(Store *s, Label l) { return atom_make(s, def_index(s, label_size(s, l)), &l, 1); }

bool atom_has(const Store *s, Atom a, Label l) {
  const AtomInfo *x = &s->atoms.at[a];
  for (uint32_t i = 0; i < x->n; i++)
    if (x->at[i] == l) return true;
  return false;
}

Label *atom_bound(Store *s, Atom a) {
  const Def *d = def_of(s, a);
  Label *b = SCRATCH(s, Label, d->n_bound);
  for (uint32_t i = 0; i < d->n_bound; i++) b[i] = label_fresh(s, d->sizes[d->n_slots + i]);
  return b;
}

static Item *open_args(Store *s, Def d, const Label *slots, const Label *bound) {
  Item *out = SCRATCH(s, Item, d.n_args);
  for (uint32_t i = 0; i < d.n_args; i++) {
    const DefArg *g = &d.args[i];
    Label *at = SCRATCH(s, Label, g->n);
    for (uint32_t p = 0; p < g->n; p++) {
      int32_t q = g->at[p];
      at[p] = q < 0                     ? LABEL_CONST | (uint32_t)(-1 - q)
              : (uint32_t)q < d.n_slots ? slots[q]
                                        : bound[(uint32_t)q - d.n_slots];
    }
    out[i] = (Item){atom_make(s, g->def, at, g->n), g->tag};
  }
  return out;
}

Item *def_open(Store *s, DefId def, const Label *slots, const Label *bound) {
  return open_args(s, s->defs.at[def], slots, bound);
}

Item *atom_open(Store *s, Atom a, const Label *bound) {
  return def_open(s, s->atoms.at[a].def, s->atoms.at[a].at, bound);
}

/* ---- what follows for a definition */
static void bounds(Def *d, Rat lo, Rat hi) {
  d->flags |= IS_BOUNDED;
  d->lo = lo;
  d->hi = hi;
}

bool even_power(Rat p) {
  if (rat_is_int(p)) return rat_is_int(rat_div(p, RAT_INT(2)));
  mpq_t q;
  mpq_init(q);
  rat_get(p, q);
  bool even = mpz_even_p(mpq_denref(q));
  mpq_clear(q);
  return even;
}

static void scaled_range(const Def *x, Rat k, Rat *lo, Rat *hi) {
  Rat a = rat_mul(k, x->lo), b = rat_mul(k, x->hi);
  bool up = rat_sign(k) >= 0;
  *lo = up ? a : b;
  *hi = up ? b : a;
}

/* sign p + sign (1 - p) q */
static bool is_either(const Store *s, const DefArg *p, const DefArg *product, Rat sign) {
  const Def *m = &s->defs.at[product->def];
  bool found = false;
  for (uint32_t i = 0; i < m->n_args && m->kind == DEF_MUL && (m->flags & IS_PRED) && !found; i++) {
    const Def *not = &s->defs.at[m->args[i].def];
    const DefArg *inner = &not ->args[not ->n_args && !not ->args[0].def];
    found = not ->kind == DEF_LIN && (not ->flags & IS_PRED) && not ->n_args == 2 && inner->def == p->def;
    for (uint32_t k = 0; k < p->n && found; k++) {
      int32_t at = inner->at[k];
      at = at < 0 ? at : m->args[i].at[at];
      found = (at < 0 ? at : product->at[at]) == p->at[k];
    }
  }
  return found && (s->defs.at[p->def].flags & IS_PRED) && p->tag == sign && product->tag == sign;
}

static void know_linear(const Store *s, Def *d) {
  bool integer = true, bounded = true, nonneg = true, pos = false;
  Rat lo = RAT_0, hi = RAT_0, a, b;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    Rat k = d->args[i].tag;
    integer &= (x->flags & IS_INT) && rat_is_int(k);
    nonneg &= (x->flags & IS_NONNEG) && rat_sign(k) >= 0;
    pos |= (x->flags & IS_POS) && rat_sign(k) > 0;
    bounded &= (x->flags & IS_BOUNDED) != 0;
    if (!bounded) continue;
    scaled_range(x, k, &a, &b);
    lo = rat_add(lo, a);
    hi = rat_add(hi, b);
  }
  if (integer) d->flags |= IS_INT;
  if (nonneg) d->flags |= pos ? IS_NONNEG | IS_POS : IS_NONNEG;
  if (!bounded) return;
  const DefArg *x = d->args, *one = NULL, *other[2] = {NULL, NULL};
  for (uint32_t i = 0, n = 0; i < d->n_args && d->n_args < 4; i++) {
    if (!one && x[i].def == 0 && x[i].tag == RAT_1) one = &x[i];
    else if (n < 2) other[n++] = &x[i];
  }
  Rat sign = rat_int(one ? -1 : 1);
  bool is_not = one && d->n_args == 2 && (s->defs.at[other[0]->def].flags & IS_PRED) && other[0]->tag == sign;
  bool two = other[1] && d->n_args == 2u + (one != NULL);
  if (is_not || (two && (is_either(s, other[0], other[1], sign) || is_either(s, other[1], other[0], sign)))) {
    d->flags |= IS_PRED;
    lo = RAT_0, hi = RAT_1;
  }
  bounds(d, lo, hi);
}

/* The range of factor i where the predicates among the factors hold. */
static bool factor_range(Store *s, const Def *d, uint32_t i, Rat *lo, Rat *hi) {
  const Def *x = &s->defs.at[d->args[i].def];
  bool known = (x->flags & IS_BOUNDED) != 0, some = false;
  *lo = x->lo, *hi = x->hi;
  for (uint32_t k = 0; k < d->n_args; k++) some |= k != i && (s->defs.at[d->args[k].def].flags & IS_PRED);
  if (!some || !(x->flags & IS_INT) || (x->flags & IS_PRED)) return known;
  ArenaMark m = arena_mark(&s->scratch);
  Label *at = SCRATCH(s, Label, d->n_slots), *bound = SCRATCH(s, Label, d->n_bound);
  for (uint32_t k = 0; k < d->n_slots; k++) at[k] = label_make(s, LABEL_GOAL, k, 0, d->sizes[k]);
  for (uint32_t k = 0; k < d->n_bound; k++) bound[k] = label_make(s, LABEL_BOUND, k, 1, d->sizes[d->n_slots + k]);
  known = facts_range(s, open_args(s, *d, at, bound), d->n_args, i, lo, hi);
  arena_reset(&s->scratch, m);
  return known;
}

static void know_product(Store *s, Def *d) {
  uint8_t all = IS_POS | IS_NONNEG | IS_INT | IS_PRED;
  Rat lo = RAT_1, hi = RAT_1;
  bool bounded = true;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    Rat p = d->args[i].tag;
    bool pos = (x->flags & IS_POS) != 0;
    pos |= rat_sign(p) < 0 && ((x->flags & IS_NONNEG) || even_power(p)); /* where it has a value */
    if (x->flags & MAY_INF) pos = false;
    if (!pos) all &= (uint8_t)~IS_POS;
    if (!(x->flags & IS_NONNEG) && !even_power(p)) all &= (uint8_t)~IS_NONNEG;
    if (!(x->flags & IS_INT) || !rat_is_int(p) || rat_sign(p) < 0) all &= (uint8_t)~IS_INT;
    if (!(x->flags & IS_PRED) || p != RAT_1) all &= (uint8_t)~IS_PRED;
    Rat a, b;
    bounded = bounded && p == RAT_1 && factor_range(s, d, i, &a, &b);
    if (!bounded) continue;
    Rat q[4] = {rat_mul(lo, a), rat_mul(lo, b), rat_mul(hi, a), rat_mul(hi, b)};
    lo = hi = q[0];
    for (int j = 1; j < 4; j++) {
      if (rat_cmp(q[j], lo) < 0) lo = q[j];
      if (rat_cmp(q[j], hi) > 0) hi = q[j];
    }
  }
  if (d->kind == DEF_SUM && (all & IS_PRED)) { /* a count */
    bounded = true;
    lo = RAT_0, hi = RAT_1;
    for (uint32_t i = 0; i < d->n_bound; i++) hi = rat_mul(hi, rat_int(d->sizes[d->n_slots + i]));
    all &= (uint8_t)~IS_PRED;
  } else if (d->kind == DEF_SUM) {
    bounded = false;
    all &= (uint8_t)~IS_PRED;
  }
  if (!(all & IS_NONNEG)) all &= (uint8_t)~IS_POS;
  d->flags |= all;
  if (bounded) bounds(d, lo, hi);
}

static void know_max(const Store *s, Def *d) {
  bool integer = true, bounded = true, pred = true;
  Rat lo = RAT_0, hi = RAT_0, a, b;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    Rat k = d->args[i].tag;
    integer &= (x->flags & IS_INT) && rat_is_int(k);
    pred &= (x->flags & IS_PRED) && k == RAT_1;
    if (rat_sign(k) > 0) d->flags |= x->flags & (IS_POS | IS_NONNEG);
    bounded &= (x->flags & IS_BOUNDED) != 0;
    if (!bounded) continue;
    scaled_range(x, k, &a, &b);
    if (!i || rat_cmp(a, lo) > 0) lo = a;
    if (!i || rat_cmp(b, hi) > 0) hi = b;
  }
  if (integer) d->flags |= IS_INT;
  if (bounded) bounds(d, lo, hi);
  if (pred) d->flags |= IS_PRED;
}

static void know_choice(const Store *s, Def *d) {
  const Def *x = &s->defs.at[d->args[1].def], *y = &s->defs.at[d->args[2].def];
  d->flags |= x->flags & y->flags & (IS_POS | IS_NONNEG | IS_PRED | IS_INT);
  if (x->flags & y->flags & IS_BOUNDED)
    bounds(d, rat_cmp(x->lo, y->lo) < 0 ? x->lo : y->lo, rat_cmp(x->hi, y->hi) > 0 ? x->hi : y->hi);
}

static void know_function(const Store *s, Def *d) {
  const Def *x = d->n_args ? &s->defs.at[d->args[0].def] : NULL;
  bool whole = true;
  for (uint32_t i = 0; i < d->n_args; i++) whole &= (s->defs.at[d->args[i].def].flags & IS_INT) != 0;
  if (!x) return;
  if (d->fn == sym("exp")) d->flags |= x->flags & MAY_INF ? IS_NONNEG : IS_NONNEG | IS_POS;
  if (d->fn == sym("abs")) d->flags |= IS_NONNEG;
  static const char *const integers[] = {"sign",       "floor",     "ceil",     "trunc",
                                         "round_even", "round_afz", "truncdiv", "floordiv"};
  for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
    if (d->fn == sym(integers[i])) d->flags |= IS_INT;
  static const char *const keep[] = {"abs", "rem", "mod", "clamp"};
  for (size_t i = 0; i < sizeof keep / sizeof *keep; i++)
    if (whole && d->fn == sym(keep[i])) d->flags |= IS_INT;
  if (d->fn == sym("sign")) bounds(d, RAT_NEG1, RAT_1);
  if (d->fn == sym("clamp") && d->n_args == 3) {
    const Def *hi = &s->defs.at[d->args[2].def];
    if ((x->flags & IS_BOUNDED) && (hi->flags & IS_BOUNDED) && rat_cmp(x->hi, hi->lo) <= 0) bounds(d, x->lo, hi->hi);
  }
}

/* A leaf beyond its range is any number, a whole one if its values are. */
static void know_read(const Store *s, Def *d) {
  const Def *leaf = &s->defs.at[d->attr];
  bool inside = true;
  for (uint32_t i = 0; i < leaf->n_slots; i++) {
    Affine f = d->forms[i];
    __int128 lo = f.c, hi = f.c;
    for (uint32_t j = 0; j < f.n; j++) *(f.t[j].k < 0 ? &lo : &hi) += (__int128)f.t[j].k * (d->sizes[f.t[j].l] - 1);
    inside = inside && lo >= 0 && hi < leaf->sizes[i];
  }
  d->flags = inside ? leaf->flags : leaf->flags & (IS_INT | MAY_INF);
  d->lo = leaf->lo, d->hi = leaf->hi, d->gap_lo = leaf->gap_lo, d->gap_hi = leaf->gap_hi;
}

static void know(Store *s, Def *d) {
  switch (d->kind) {
    case DEF_AT: know_read(s, d); break;
    case DEF_ONE:
      d->flags = IS_POS | IS_PRED | IS_INT;
      bounds(d, RAT_1, RAT_1);
      break;
    case DEF_NEGINF: d->flags = MAY_INF; break;
    case DEF_INDEX:
      d->flags = IS_INT;
      bounds(d, RAT_0, rat_int(d->sizes[0] - 1));
      break;
    case DEF_LIN: know_linear(s, d); break;
    case DEF_MUL:
    case DEF_SUM: know_product(s, d); break;
    case DEF_MAX: know_max(s, d); break;
    case DEF_LT:
    case DEF_EQ: d->flags = IS_PRED; break;
    case DEF_SELECT: know_choice(s, d); break;
    case DEF_FN: know_function(s, d); break;
    default: break; /* INPUT, TABLE: given */
  }
  bool finite = d->kind == DEF_LT || d->kind == DEF_EQ || (d->kind == DEF_FN && d->fn == sym("exp"));
  for (uint32_t i = 0; i < d->n_args && !finite; i++) d->flags |= s->defs.at[d->args[i].def].flags & MAY_INF;
  if (d->flags & IS_PRED) {
    d->flags |= IS_INT;
    if (!(d->flags & IS_BOUNDED)) bounds(d, RAT_0, RAT_1);
  }
  if ((d->flags & IS_BOUNDED) && rat_sign(d->lo) > 0) d->flags |= IS_POS;
  if ((d->flags & IS_BOUNDED) && rat_sign(d->lo) >= 0) d->flags |= IS_NONNEG;
  if (d->flags & IS_POS) d->flags |= IS_NONNEG;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    bool chained =
        d->kind == DEF_MUL || (d->kind == DEF_LIN && d->n_args == 1) || (d->kind == DEF_MAX && x->kind == DEF_MAX);
    if (chained && x->chain >= d->chain) d->chain = x->chain + 1;
  }
  unsigned reach = 99;
  for (uint32_t i = 0; i < d->n_args; i++) {
    const Def *x = &s->defs.at[d->args[i].def];
    if (d->kind == DEF_SUM && x->kind == DEF_EQ) reach = 0; /* a look-up */
    if (d->kind != DEF_SUM && x->reach + 1u < reach) reach = x->reach + 1u;
  }
  bool clamps =
      (d->kind == DEF_FN && d->fn == sym("clamp")) || (d->kind == DEF_MAX && !d->n_bound && (d->flags & IS_INT));
  d->reach = d->kind == DEF_LT || d->kind == DEF_EQ || d->kind == DEF_SELECT || clamps ? 0 : (uint8_t)reach;
}

/* What has one arg alone, at other slots each, has its symmetries. */
static void inherit(Store *s, Def *d) {
  const DefArg *g = NULL;
  uint32_t n = d->n_slots;
  for (uint32_t i = 0; i < d->n_args; i++) {
    if (!d->args[i].n) continue;
    if (g || d->n_bound || d->args[i].n != n) return;
    g = &d->args[i];
  }
  if (!g || d->n_perms || d->kind == DEF_OPAQUE) return;
  const Def *x = &s->defs.at[g->def];
  uint32_t *perms = SCRATCH(s, uint32_t, (size_t)x->n_perms * n);
  bool *met = SCRATCH(s, bool, n);
  for (uint32_t p = 0; p < n; p++) {
    if (g->at[p] < 0 || met[g->at[p]]) return;
    met[g->at[p]] = true;
  }
  for (uint32_t k = 0; k < x->n_perms; k++)
    for (uint32_t p = 0; p < n; p++) perms[k * n + (uint32_t)g->at[p]] = (uint32_t)g->at[x->perms[k * n + p]];
  d->perms = perms;
  d->n_derived = d->n_perms = x->n_perms;
}

DefId def_add(Store *s, Def d) {
  Arena *a = &s->arena;
  inherit(s, &d);
  d.sizes = arena_copy(a, d.sizes, (d.n_slots + d.n_bound) * sizeof *d.sizes);
  d.perms = arena_copy(a, d.perms, d.n_perms * d.n_slots * sizeof *d.perms);
  DefArg *args = arena_copy(a, d.args, d.n_args * sizeof *args);
  for (uint32_t i = 0; i < d.n_args; i++) args[i].at = arena_copy(a, args[i].at, args[i].n * sizeof *args[i].at);
  d.args = args;
  know(s, &d);
  vec_push(&s->defs, d);
  return (DefId)s->defs.len - 1;
}

bool def_produces(const Def *d, uint32_t i) {
  for (uint32_t k = 0; k < d->n_args; k++)
    for (uint32_t p = 0; p < d->args[k].n; p++)
      if (d->args[k].at[p] == (int32_t)i) return false;
  return true;
}

DefId def_index(Store *s, int64_t size) {
  for (DefId i = 0; i < s->defs.len; i++)
    if (s->defs.at[i].kind == DEF_INDEX && s->defs.at[i].sizes[0] == size) return i;
  return def_add(s, (Def){.kind = DEF_INDEX, .n_slots = 1, .sizes = &size});
}

DefId def_table(Store *s, const Rat *values, const int64_t *sizes, uint32_t n_slots) {
  int64_t n = 1;
  for (uint32_t i = 0; i < n_slots; i++) n *= sizes[i];
  for (DefId i = 0; i < s->defs.len; i++) {
    const Def *d = &s->defs.at[i];
    if (d->kind == DEF_TABLE && d->n_slots == n_slots && !memcmp(d->sizes, sizes, n_slots * sizeof *sizes) &&
        !memcmp(d->values, values, (size_t)n * sizeof *values))
      return i;
  }
  Def d = {.kind = DEF_TABLE, .n_slots = n_slots, .sizes = sizes, .values = values, .flags = IS_INT | IS_BOUNDED};
  for (int64_t i = 0; i < n && d.flags; i++) {
    if (!rat_is_finite(values[i])) {
      d.flags = MAY_INF;
      break;
    }
    if (!rat_is_int(values[i])) d.flags &= (uint8_t)~IS_INT;
    if (!i || rat_cmp(values[i], d.lo) < 0) d.lo = values[i];
    if (!i || rat_cmp(values[i], d.hi) > 0) d.hi = values[i];
  }
  return def_add(s, d);
}

void store_init(Store *s) {
  *s = (Store){.patience = MOST_UNFOLDED};
  atom_make(s, def_add(s, (Def){.kind = DEF_ONE}), NULL, 0);
  atom_make(s, def_add(s, (Def){.kind = DEF_NEGINF}), NULL, 0);
}

void store_free(Store *s) {
  vec_free(&s->defs);
  vec_free(&s->atoms);
  vec_free(&s->labels);
  index_free(&s->atom_index);
  index_free(&s->label_index);
  arena_free(&s->arena);
  arena_free(&s->scratch);
}

/* ---- numbers */
bool num_range(const Store *s, Num v, Rat *lo, Rat *hi) {
  if (v.k == RAT_0) return *lo = *hi = RAT_0, true;
  const Def *d = def_of(s, v.a);
  if (!(d->flags & IS_BOUNDED)) return false;
  scaled_range(d, v.k, lo, hi);
  return true;
}

bool num_is_int(const Store *s, Num v) { return rat_is_int(v.k) && (num_is(v) || (flags_of(s, v.a) & IS_INT)); }
bool num_is_pred(const Store *s, Num v) { return v.k == RAT_0 || (v.k == RAT_1 && (flags_of(s, v.a) & IS_PRED)); }
