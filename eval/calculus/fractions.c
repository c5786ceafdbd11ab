/* Values as fractions of polynomials: sums over few values are written out, what is no sum, product or rational power is an
 * unknown, and so is the root of every sum that has a fractional or a negative power: u^q = S.  Two fractions are equal if
 * their difference over one denominator is 0: as it is, where unknowns of S are written with u, or where every u^q is
 * replaced by S, outer roots first.
 *
 * That is worth its cost only where they are equal, which is seen before in numbers modulo a prime, unknowns being any
 * (Schwartz, Zippel); bases of one number are one, if polynomials say so later.
 *
 * Polynomials are FLINT's (fmpq_mpoly).  Products and sums have limits, past which the values are not compared. */
#include <flint/fmpq_mpoly.h>
#include <stdlib.h>
#include <string.h>

#include "eval/calculus/core.h"

enum {
  MOST_UNKNOWNS = 600,
  MOST_BASES = 256,
  TRIES = 64, ROUNDS = 12, /* of unknowns modulo the prime, until all roots are there; how many are taken */
  MOST_WRITTEN = 64,      /* values of the indices of a sum */
  MOST_WORDS = 20000000,  /* of the exponents of a polynomial, which all terms have of all unknowns */
  MOST_PRODUCTS = 500000000 /* and of all products of terms of two */
};

/* n over the product of the roots of bases to these powers. */
typedef struct Fraction {
  fmpq_mpoly_t n;
  uint16_t below[MOST_BASES];
} Fraction;

typedef struct Base {
  RefId r;
  int64_t q;      /* the root of it that is an unknown; 0: a truth value p, p p = p */
  bool free;      /* of an unknown: nothing is known of the root either */
  bool counts;    /* truth values are in it, as in what equal values are counted by: its inverse is an unknown */
  uint32_t as;    /* the base that it is one with: itself, or one before .. */
  uint64_t numbers; /* .. with the same ones modulo the prime */
} Base;

/* What is known of a reference. */
typedef struct Known {
  RefId r;
  uint32_t unknown;    /* 1 + its number among unknowns; 0: it is made of others */
  uint32_t base;       /* 1 + its number among bases; 0: it is none */
  bool truths;         /* truth values are in it */
  bool divides;        /* by what may be 0 and is no count */
  int64_t stride;      /* of an unknown: all its powers are multiples of this, which is what the variable stands for */
  const Value *parts;  /* of a sum that is written out */
  uint32_t n_parts;
  uint64_t number;     /* modulo the prime */
  uint32_t tried;      /* in which try */
  bool made;
  Fraction f;
} Known;

typedef struct Fractions {
  Calculus *c;
  Arena arena;
  Vec(Known *) all;
  uint32_t *of; /* 1 + number in `all`, by reference */
  size_t n_of;
  uint32_t n_unknowns, n_bases;
  Base bases[MOST_BASES];
  bool failed;
  bool counts; /* inverses of what counts are unknowns */
  uint32_t tries;
  bool no_root;         /* some root is not there in this try */
  struct Solved {       /* unknowns as what bases make them */
    slong var;
    fmpq_mpoly_t is;
  } solved[MOST_BASES];
  uint32_t n_solved;
  fmpq_mpoly_ctx_t ctx; /* bases first, the outer ones before those within */
} Fractions;

static bool is_failed(Fractions *f) {
  bool deep = (const char *)__builtin_frame_address(0) < f->c->stack_end;
  f->failed |= deep || is_late(f->c) || f->c->exhausted || f->n_unknowns > MOST_UNKNOWNS;
  return f->failed;
}

static Known *known_of(Fractions *f, RefId r, bool *made) {
  if (r >= f->n_of) {
    size_t n = (size_t)r * 2 + 64;
    f->of = xrealloc(f->of, n * sizeof *f->of);
    memset(f->of + f->n_of, 0, (n - f->n_of) * sizeof *f->of);
    f->n_of = n;
  }
  *made = !f->of[r];
  if (!*made) return f->all.at[f->of[r] - 1];
  Known *k = ARENA_ARRAY(&f->arena, Known, 1);
  k->r = r;
  vec_push(&f->all, k);
  f->of[r] = (uint32_t)f->all.len;
  return k;
}

/* ---- what there is: unknowns, bases, sums that are written out */
static Known *look(Fractions *f, RefId r);

static int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }

/* As a part of `of`. */
static void look_at(Fractions *f, Known *of, Value v) {
  if (value_is_num(v)) return;
  Known *k = look(f, v.ref);
  of->truths |= k->truths;
  of->divides |= k->divides;
  k->stride = 1;
}

/* A sum that is written out. */
static bool write_sum(Fractions *f, Known *k) {
  Calculus *c = f->c;
  Opened o = node_open(c, k->r);
  int64_t n = 1;
  for (uint32_t i = 0; i < o.n_bound; i++)
    if (__builtin_mul_overflow(n, name_size(c, o.bound[i]), &n) || n > MOST_WRITTEN) return false;
  Factor *in = SCRATCH(c, Factor, o.n);
  for (uint32_t i = 0; i < o.n; i++) in[i] = (Factor){one_of(o.args[i].ref), o.args[i].k};
  Value body = mul(c, in, o.n), *parts = ARENA_ARRAY(&f->arena, Value, (size_t)n + 1);
  for (int64_t i = 0; i < n && !is_failed(f); i++) {
    Subst s = {0};
    int64_t rest = i;
    for (uint32_t b = 0; b < o.n_bound; b++) {
      subst_put(&s, o.bound[b], name_const((uint32_t)(rest % name_size(c, o.bound[b]))));
      rest /= name_size(c, o.bound[b]);
    }
    parts[i] = calc_rename(c, body, &s);
  }
  k->parts = parts;
  k->n_parts = (uint32_t)n;
  return true;
}

static Base *base_of(Fractions *f, Known *k) {
  if (k->base) return &f->bases[k->base - 1];
  if (f->n_bases == MOST_BASES) return f->failed = true, &f->bases[0];
  f->bases[f->n_bases] = (Base){.r = k->r, .q = 1, .free = k->unknown, .as = f->n_bases};
  k->base = ++f->n_bases;
  return &f->bases[k->base - 1];
}

/* The denominator of a power, a few at most. */
static int64_t denominator_of(Rat p) {
  for (int64_t q = 1; q <= 12; q++)
    if (rat_is_int(rat_mul(p, rat_int(q)))) return q;
  return 0;
}

static int64_t common_multiple(int64_t a, int64_t b) { return a / common_divisor(a, b) * b; }

static void look_at_factors(Fractions *f, Known *of) {
  Terms fs = factors_of(f->c, of->r);
  bool guard = false;
  for (uint32_t i = 0; i < fs.n && !f->failed; i++) {
    Known *k = look(f, fs.at[i].ref);
    int64_t n = 1;
    rat_to_int(fs.at[i].k, &n);
    k->stride = common_divisor(k->stride, llabs(n));
    of->truths |= k->truths;
    of->divides |= k->divides;
    guard |= (flags_of(f->c, k->r) & F_PRED) != 0;
    if (rat_is_int(fs.at[i].k) && rat_sign(fs.at[i].k) > 0) continue;
    int64_t q = denominator_of(fs.at[i].k);
    bool first = !k->base;
    Base *b = base_of(f, k);
    f->failed |= b->counts && q != 1; /* a guard may have relied on that */
    b->counts = f->counts && q == 1 && !b->free && (first ? k->truths : b->counts);
    if (!q || !b->q) f->failed = true;
    else b->q = common_multiple(b->q, q);
    if (flags_of(f->c, k->r) & F_INFINITE) f->failed = true;
    of->divides |= rat_sign(fs.at[i].k) < 0 && !b->counts && !(flags_of(f->c, k->r) & F_POS);
  }
  f->failed |= guard && of->divides; /* under a condition: where that does not hold, what is below may be 0 */
}

static Known *look(Fractions *f, RefId r) {
  bool made;
  Known *k = known_of(f, r, &made);
  if (!made || is_failed(f)) return k;
  Calculus *c = f->c;
  uint16_t flags = flags_of(c, r);
  Frame m = frame_enter(c);
  Kind kind = (Kind)cls_of(c, r)->kind;
  const Class *x = cls_of(c, r);
  bool exponential = kind == K_FN && x->attr == c->fn.exp && !class_exceeds(c, x->args[0].cls); /* 0 at minus infinity */
  if (kind == K_LIN) {
    Terms t = terms_of(c, one_of(r));
    for (uint32_t i = 0; i < t.n && !f->failed; i++) look_at(f, k, val(t.at[i].k, t.at[i].ref));
  } else if (kind == K_MUL) {
    look_at_factors(f, k);
  } else if (kind == K_RED && write_sum(f, k)) {
    for (uint32_t i = 0; i < k->n_parts && !f->failed; i++) look_at(f, k, k->parts[i]);
  } else if (kind != K_ONE) {
    if ((flags & F_INFINITE) && !exponential) f->failed = true;
    if (flags & F_PRED) base_of(f, k)->q = 0;
    else k->unknown = ++f->n_unknowns;
    k->truths = (flags & F_PRED) != 0;
    k->divides = (flags & F_DIVIDES) != 0;
    if (k->base) f->bases[k->base - 1].free = true;
  }
  frame_leave(c, m);
  return k;
}

/* ---- as numbers modulo a prime */
#define PRIME ((UINT64_C(1) << 61) - 1)

static uint64_t times_mod(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b % PRIME); }
static uint64_t power_mod(uint64_t a, uint64_t n) {
  uint64_t x = 1;
  for (; n; n >>= 1, a = times_mod(a, a))
    if (n & 1) x = times_mod(x, a);
  return x;
}

static uint64_t rat_mod(Rat r) {
  mpq_t q;
  mpq_init(q);
  rat_get(r, q);
  uint64_t n = mpz_fdiv_ui(mpq_numref(q), PRIME), d = mpz_fdiv_ui(mpq_denref(q), PRIME);
  mpq_clear(q);
  return times_mod(n, power_mod(d, PRIME - 2));
}

static uint64_t number_of(Fractions *f, RefId r);

/* Of the two square roots one, whichever has a root if more are taken; the prime is 3 modulo 4. */
static uint64_t root_mod(Fractions *f, uint64_t x, int64_t q) {
  for (; q % 2 == 0 && !f->no_root; q /= 2) {
    uint64_t y = power_mod(x, (PRIME + 1) / 4);
    f->no_root |= times_mod(y, y) != x;
    bool square = power_mod(y, (PRIME - 1) / 2) == 1;
    x = square ? y : PRIME - y;
  }
  f->no_root |= q != 1;
  return x;
}

/* An unknown that has a root is a power of that. */
static uint64_t unknown_mod(const Fractions *f, RefId r) { return mix(mix(r, f->tries), 17) % PRIME; }

static uint64_t factor_mod(Fractions *f, RefId r, Rat p) {
  bool made;
  const Known *k = known_of(f, r, &made);
  const Base *b = k->base ? &f->bases[k->base - 1] : NULL;
  bool free = b && b->q && b->free;
  int64_t q = free ? b->q : denominator_of(p), n = 0;
  uint64_t x = free ? unknown_mod(f, r) : root_mod(f, number_of(f, r), q);
  rat_to_int(rat_mul(p, rat_int(q)), &n);
  if (n < 0) x = power_mod(x, PRIME - 2), n = -n;
  return power_mod(x, (uint64_t)n);
}

static uint64_t number_of(Fractions *f, RefId r) {
  bool made;
  Known *k = known_of(f, r, &made);
  if (made || is_failed(f) || f->no_root || k->tried == f->tries) return k->number;
  k->tried = f->tries;
  Frame m = frame_enter(f->c);
  Kind kind = (Kind)cls_of(f->c, r)->kind;
  bool truth = k->base && !f->bases[k->base - 1].q;
  uint64_t x = kind == K_ONE || kind == K_MUL;
  if (k->unknown || truth) {
    x = truth ? mix(r, f->tries) & 1 : unknown_mod(f, r);
    if (k->base && !truth) x = power_mod(x, (uint64_t)f->bases[k->base - 1].q);
  } else if (kind == K_LIN) {
    Terms t = terms_of(f->c, one_of(r));
    for (uint32_t i = 0; i < t.n; i++)
      x = (x + times_mod(rat_mod(t.at[i].k), t.at[i].ref == f->c->one ? 1 : number_of(f, t.at[i].ref))) % PRIME;
  } else if (kind == K_RED) {
    for (uint32_t i = 0; i < k->n_parts; i++)
      x = (x + times_mod(rat_mod(k->parts[i].k), value_is_num(k->parts[i]) ? 1 : number_of(f, k->parts[i].ref))) % PRIME;
  } else if (kind == K_MUL) {
    Terms fs = factors_of(f->c, r);
    for (uint32_t i = 0; i < fs.n; i++) x = times_mod(x, factor_mod(f, fs.at[i].ref, fs.at[i].k));
  }
  frame_leave(f->c, m);
  return k->number = x;
}

static uint64_t value_mod(Fractions *f, Value v) {
  return times_mod(rat_mod(v.k), value_is_num(v) ? 1 : number_of(f, v.ref));
}

/* Both are one number for some unknowns, or for several where truth values are unknown, which are two alone; bases that are
 * one number each time are taken to be one. */
static bool likely(Fractions *f, Value a, Value b) {
  uint32_t wanted = 1;
  for (uint32_t i = 0; i < f->n_bases; i++)
    if (!f->bases[i].q) wanted = ROUNDS;
  for (f->tries = 1; f->tries <= TRIES && wanted && !is_failed(f); f->tries++) {
    f->no_root = false;
    bool same = value_mod(f, a) == value_mod(f, b);
    if (f->no_root) continue;
    if (!same) return false;
    for (uint32_t i = 0; i < f->n_bases; i++) f->bases[i].numbers = mix(f->bases[i].numbers, number_of(f, f->bases[i].r));
    wanted--;
  }
  for (uint32_t i = 0; i < f->n_bases; i++) {
    Base *x = &f->bases[i];
    for (uint32_t j = 0; j < i && x->q && !x->free && x->as == i; j++)
      if (f->bases[j].q && !f->bases[j].free && f->bases[j].counts == x->counts && f->bases[j].numbers == x->numbers)
        x->as = f->bases[j].as;
    if (x->q) f->bases[x->as].q = common_multiple(f->bases[x->as].q, x->q);
  }
  return !wanted && !f->failed;
}

/* ---- as fractions */
static void fraction_init(Fractions *f, Fraction *x) {
  fmpq_mpoly_init(x->n, f->ctx);
  memset(x->below, 0, sizeof x->below);
}

static slong variable_of(const Fractions *f, const Known *k) {
  return k->base ? (slong)(f->n_bases - k->base) : (slong)(f->n_bases + k->unknown - 1);
}

/* Words of the exponents of a term. */
static slong words_of(const Fractions *f) { return 1 + (f->n_bases + f->n_unknowns) / 8; }

/* Two polynomials, to be multiplied. */
static bool is_long(Fractions *f, const fmpq_mpoly_t a, const fmpq_mpoly_t b) {
  slong n = fmpq_mpoly_length(a, f->ctx), m = fmpq_mpoly_length(b, f->ctx), words = words_of(f);
  f->failed |= (n + m) * words > MOST_WORDS || n * m > MOST_PRODUCTS / words;
  return is_failed(f);
}

static void multiply(Fractions *f, fmpq_mpoly_t a, const fmpq_mpoly_t b) {
  if (!is_long(f, a, b)) fmpq_mpoly_mul(a, a, b, f->ctx);
}

/* Times a variable to a power. */
static void times_variable(Fractions *f, fmpq_mpoly_t a, slong variable, uint64_t power) {
  if (!power) return;
  fmpq_mpoly_t u;
  fmpq_mpoly_init(u, f->ctx);
  fmpq_mpoly_gen(u, variable, f->ctx);
  if (!fmpq_mpoly_pow_ui(u, u, power, f->ctx)) f->failed = true;
  multiply(f, a, u);
  fmpq_mpoly_clear(u, f->ctx);
}

static void times_root(Fractions *f, fmpq_mpoly_t a, uint32_t base, uint64_t power) {
  times_variable(f, a, (slong)(f->n_bases - 1 - base), power);
}

/* a += k b */
static void add(Fractions *f, Fraction *a, const Fraction *b, Rat k) {
  fmpq_mpoly_t n;
  fmpq_t q;
  mpq_t r;
  fmpq_init(q);
  mpq_init(r);
  rat_get(k, r);
  fmpq_set_mpq(q, r);
  fmpq_mpoly_init(n, f->ctx);
  fmpq_mpoly_scalar_mul_fmpq(n, b->n, q, f->ctx);
  for (uint32_t i = 0; i < f->n_bases; i++) {
    uint16_t most = a->below[i] > b->below[i] ? a->below[i] : b->below[i];
    times_root(f, a->n, i, (uint64_t)(most - a->below[i]));
    times_root(f, n, i, (uint64_t)(most - b->below[i]));
    a->below[i] = most;
  }
  if (!is_failed(f)) fmpq_mpoly_add(a->n, a->n, n, f->ctx);
  f->failed |= fmpq_mpoly_length(a->n, f->ctx) * words_of(f) > MOST_WORDS;
  fmpq_mpoly_clear(n, f->ctx);
  fmpq_clear(q);
  mpq_clear(r);
}

static const Fraction *fraction_of(Fractions *f, RefId r);

/* a += v */
static void add_value(Fractions *f, Fraction *a, Value v) {
  if (value_is_num(v)) {
    Fraction one;
    fraction_init(f, &one);
    fmpq_mpoly_one(one.n, f->ctx);
    add(f, a, &one, v.k);
    fmpq_mpoly_clear(one.n, f->ctx);
  } else {
    const Fraction *x = fraction_of(f, v.ref);
    if (!f->failed) add(f, a, x, v.k);
  }
}

static void times(Fractions *f, Fraction *a, const Fraction *b) {
  multiply(f, a->n, b->n);
  for (uint32_t i = 0; i < f->n_bases; i++) a->below[i] = (uint16_t)(a->below[i] + b->below[i]);
}

/* a *= r^p; what is a base stays the power of its root. */
static void times_power(Fractions *f, Fraction *a, RefId r, Rat p) {
  bool made;
  Known *k = known_of(f, r, &made);
  int64_t n;
  if (made) { /* it was not looked at */
    f->failed = true;
  } else if (k->base && f->bases[k->base - 1].q && !(f->bases[k->base - 1].counts && rat_sign(p) > 0)) {
    uint32_t base = f->bases[k->base - 1].as;
    if (!rat_to_int(rat_mul(p, rat_int(f->bases[base].q)), &n) || llabs(n) > 1000) f->failed = true;
    else if (n > 0 || f->bases[base].counts) times_root(f, a->n, base, (uint64_t)llabs(n));
    else a->below[base] = (uint16_t)(a->below[base] - n);
  } else if (!rat_to_int(p, &n) || n > 1000 || (!k->unknown && n > 16)) {
    f->failed = true;
  } else if (k->unknown && !k->base) {
    times_variable(f, a->n, variable_of(f, k), (uint64_t)(n / k->stride));
  } else {
    const Fraction *x = fraction_of(f, r);
    while (n-- > 0 && !f->failed) times(f, a, x);
  }
}

static const Fraction *fraction_of(Fractions *f, RefId r) {
  bool made;
  Known *k = known_of(f, r, &made);
  if (made || is_failed(f)) return f->failed = true, NULL;
  if (k->made) return &k->f;
  k->made = true;
  fraction_init(f, &k->f);
  Frame m = frame_enter(f->c);
  Kind kind = (Kind)cls_of(f->c, r)->kind;
  if (k->unknown || (k->base && !f->bases[k->base - 1].q)) {
    f->failed |= !k->base && k->stride != 1;
    fmpq_mpoly_gen(k->f.n, variable_of(f, k), f->ctx);
    if (k->base && f->bases[k->base - 1].q > 1) times_root(f, k->f.n, k->base - 1, (uint64_t)f->bases[k->base - 1].q - 1);
  } else if (kind == K_ONE) {
    fmpq_mpoly_one(k->f.n, f->ctx);
  } else if (kind == K_LIN) {
    Terms t = terms_of(f->c, one_of(r));
    for (uint32_t i = 0; i < t.n && !f->failed; i++) add_value(f, &k->f, val(t.at[i].k, t.at[i].ref));
  } else if (kind == K_RED) {
    for (uint32_t i = 0; i < k->n_parts && !f->failed; i++) add_value(f, &k->f, k->parts[i]);
  } else {
    Terms fs = factors_of(f->c, r);
    fmpq_mpoly_one(k->f.n, f->ctx);
    for (uint32_t i = 0; i < fs.n && !f->failed; i++) times_power(f, &k->f, fs.at[i].ref, fs.at[i].k);
  }
  frame_leave(f->c, m);
  return &k->f;
}

/* ---- the comparison */
/* x with this for a variable. */
static void substitute(Fractions *f, fmpq_mpoly_t x, slong var, const fmpq_mpoly_t is) {
  if (fmpq_mpoly_degree_si(x, var, f->ctx) < 1) return;
  fmpq_mpoly_univar_t parts;
  fmpq_mpoly_t c;
  fmpq_mpoly_univar_init(parts, f->ctx);
  fmpq_mpoly_init(c, f->ctx);
  fmpq_mpoly_to_univar(parts, x, var, f->ctx);
  slong n = fmpq_mpoly_univar_length(parts, f->ctx), at = fmpq_mpoly_univar_get_term_exp_si(parts, 0, f->ctx);
  fmpq_mpoly_zero(x, f->ctx);
  for (slong i = 0; i < n && !is_failed(f); i++) {
    slong power = fmpq_mpoly_univar_get_term_exp_si(parts, i, f->ctx);
    for (; at > power && !f->failed; at--) multiply(f, x, is);
    fmpq_mpoly_univar_get_term_coeff(c, parts, i, f->ctx);
    fmpq_mpoly_add(x, x, c, f->ctx);
  }
  for (; at > 0 && !f->failed; at--) multiply(f, x, is);
  fmpq_mpoly_clear(c, f->ctx);
  fmpq_mpoly_univar_clear(parts, f->ctx);
}

static void substitute_solved(Fractions *f, fmpq_mpoly_t x) {
  for (uint32_t i = 0; i < f->n_solved && !f->failed; i++) substitute(f, x, f->solved[i].var, f->solved[i].is);
}

/* x = k e + rest, e an unknown that is nowhere in the rest: e = (u - rest) / k, where u is x. */
static bool solve(Fractions *f, const fmpq_mpoly_t x, slong u, slong var, struct Solved *out) {
  if (fmpq_mpoly_degree_si(x, var, f->ctx) != 1) return false;
  fmpq_mpoly_univar_t parts;
  fmpq_mpoly_t c;
  fmpq_t k;
  fmpq_init(k);
  fmpq_mpoly_univar_init(parts, f->ctx);
  fmpq_mpoly_init(c, f->ctx);
  fmpq_mpoly_to_univar(parts, x, var, f->ctx);
  fmpq_mpoly_univar_get_term_coeff(c, parts, 0, f->ctx);
  bool found = fmpq_mpoly_is_fmpq(c, f->ctx);
  if (found) {
    fmpq_mpoly_get_fmpq(k, c, f->ctx);
    fmpq_mpoly_gen(out->is, u, f->ctx);
    if (fmpq_mpoly_univar_length(parts, f->ctx) > 1) {
      fmpq_mpoly_univar_get_term_coeff(c, parts, 1, f->ctx);
      fmpq_mpoly_sub(out->is, out->is, c, f->ctx);
    }
    fmpq_inv(k, k);
    fmpq_mpoly_scalar_mul_fmpq(out->is, out->is, k, f->ctx);
    out->var = var;
  }
  fmpq_clear(k);
  fmpq_mpoly_clear(c, f->ctx);
  fmpq_mpoly_univar_clear(parts, f->ctx);
  return found;
}

/* Unknowns in terms of the sums that they are in, which have powers: a sum to a high power is not written out so. */
static void solve_bases(Fractions *f) {
  for (uint32_t i = 0; i < f->n_bases && !is_failed(f); i++) {
    const Base *b = &f->bases[i];
    if (b->q != 1 || b->free || b->counts || b->as != i) continue;
    const Fraction *s = fraction_of(f, b->r);
    bool whole = !f->failed;
    for (uint32_t k = 0; k < f->n_bases && whole; k++) whole = !s->below[k];
    if (!whole) continue;
    fmpq_mpoly_t x;
    fmpq_mpoly_init(x, f->ctx);
    fmpq_mpoly_set(x, s->n, f->ctx);
    substitute_solved(f, x);
    struct Solved *to = &f->solved[f->n_solved];
    fmpq_mpoly_init(to->is, f->ctx);
    bool found = false;
    for (uint32_t k = 0; k < f->n_bases + f->n_unknowns && !found && !f->failed; k++) {
      bool free = k < f->n_unknowns || f->bases[k - f->n_unknowns].free;
      slong var = k < f->n_unknowns ? f->n_bases + k : f->n_bases - 1 - (k - f->n_unknowns);
      found = free && solve(f, x, (slong)(f->n_bases - 1 - i), var, to);
    }
    if (found) f->n_solved++;
    else fmpq_mpoly_clear(to->is, f->ctx);
    fmpq_mpoly_clear(x, f->ctx);
  }
}

/* x = sum of c[j] u^j, u being the root of a base: u^q is n / (roots below), and x is multiplied by these. */
static void reduce(Fractions *f, fmpq_mpoly_t x, uint32_t base) {
  slong var = (slong)(f->n_bases - 1 - base);
  const Base *b = &f->bases[base];
  if (b->q && (b->free || b->counts)) return;
  if (fmpq_mpoly_degree_si(x, var, f->ctx) < (b->q ? b->q : 2)) return;
  fmpq_mpoly_univar_t parts;
  fmpq_mpoly_t sum, c;
  fmpq_mpoly_univar_init(parts, f->ctx);
  fmpq_mpoly_init(sum, f->ctx);
  fmpq_mpoly_init(c, f->ctx);
  fmpq_mpoly_to_univar(parts, x, var, f->ctx);
  const Fraction *s = b->q ? fraction_of(f, b->r) : NULL;
  if (f->failed) return;
  slong most = b->q ? fmpq_mpoly_univar_get_term_exp_si(parts, 0, f->ctx) / b->q : 0;
  for (slong i = 0; i < fmpq_mpoly_univar_length(parts, f->ctx) && !is_failed(f); i++) {
    slong j = fmpq_mpoly_univar_get_term_exp_si(parts, i, f->ctx), times = b->q ? j / b->q : 0;
    fmpq_mpoly_univar_get_term_coeff(c, parts, i, f->ctx);
    for (slong k = 0; k < times && !f->failed; k++) multiply(f, c, s->n);
    for (uint32_t k = 0; s && k < f->n_bases && !f->failed; k++)
      times_root(f, c, k, (uint64_t)(most - times) * s->below[k]);
    times_root(f, c, base, b->q ? (uint64_t)(j % b->q) : j > 0);
    if (!is_failed(f)) fmpq_mpoly_add(sum, sum, c, f->ctx);
  }
  fmpq_mpoly_set(x, sum, f->ctx);
  fmpq_mpoly_clear(sum, f->ctx);
  fmpq_mpoly_clear(c, f->ctx);
  fmpq_mpoly_univar_clear(parts, f->ctx);
}

static bool vanishes(Fractions *f, fmpq_mpoly_t x) {
  for (int all = 0; all < 2 && !is_failed(f); all++) { /* truth values first, then what roots are of */
    if (fmpq_mpoly_is_zero(x, f->ctx)) return true;
    for (uint32_t i = f->n_bases; i-- > 0 && !f->failed;)
      if (all || !f->bases[i].q) reduce(f, x, i);
    if (all) continue;
    if (fmpq_mpoly_is_zero(x, f->ctx)) return true;
    if (!f->n_solved) solve_bases(f);
    substitute_solved(f, x);
  }
  return !f->failed && fmpq_mpoly_is_zero(x, f->ctx);
}

/* The bases that were taken to be one are. */
static bool are_one(Fractions *f) {
  bool one = true;
  for (uint32_t i = 0; i < f->n_bases && one; i++) {
    if (f->bases[i].as == i) continue;
    Fraction x;
    fraction_init(f, &x);
    add_value(f, &x, one_of(f->bases[i].r));
    if (!f->failed) add_value(f, &x, value_neg(one_of(f->bases[f->bases[i].as].r)));
    one = vanishes(f, x.n);
    fmpq_mpoly_clear(x.n, f->ctx);
  }
  return one;
}

/* What the comparison rests on: bases are not negative below an even root, and all is a number. */
static void assume_bases(Fractions *f, uint16_t flags) {
  for (uint32_t i = 0; i < f->n_bases; i++) {
    uint16_t has = flags_of(f->c, f->bases[i].r);
    if (f->bases[i].q % 2 == 0 && f->bases[i].q && !(has & F_NONNEG)) calculus_assume(f->c, ASSUME_NONNEG_ROOT);
  }
  assume_number(f->c, flags);
}

static void free_all(Fractions *f, bool polynomials) {
  for (size_t i = 0; i < f->all.len && polynomials; i++)
    if (f->all.at[i]->made) fmpq_mpoly_clear(f->all.at[i]->f.n, f->ctx);
  for (uint32_t i = 0; i < f->n_solved; i++) fmpq_mpoly_clear(f->solved[i].is, f->ctx);
  if (polynomials) fmpq_mpoly_ctx_clear(f->ctx);
  vec_free(&f->all);
  arena_free(&f->arena);
  free(f->of);
}

/* `*counts`: with inverses of counts as unknowns; whether there are some. */
static bool are_equal(Calculus *c, Value a, Value b, bool *counts) {
  Fractions f = {.c = c, .counts = *counts};
  Known whole = {0};
  look_at(&f, &whole, a);
  look_at(&f, &whole, b);
  *counts = false;
  for (uint32_t i = 0; i < f.n_bases; i++) *counts |= f.bases[i].counts;
  if (is_failed(&f) || !likely(&f, a, b)) {
    *counts = false;
    return free_all(&f, false), false;
  }
  fmpq_mpoly_ctx_init(f.ctx, (slong)(f.n_bases + f.n_unknowns + 1), ORD_LEX);
  Fraction x;
  fraction_init(&f, &x);
  add_value(&f, &x, a);
  if (!f.failed) add_value(&f, &x, value_neg(b));
  bool equal = !f.failed && vanishes(&f, x.n) && are_one(&f);
  if (equal) assume_bases(&f, flags_of(c, a.ref) | flags_of(c, b.ref));
  fmpq_mpoly_clear(x.n, f.ctx);
  free_all(&f, true);
  return equal;
}

bool fractions_equal(Calculus *c, Value a, Value b) {
  bool counts = true;
  return are_equal(c, a, b, &counts) || (counts && are_equal(c, a, b, &(bool){false}));
}
