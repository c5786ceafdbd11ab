/* Counts, and places that differ.  A dispatch gives every token a place of its own: how many before it go to the same
 * expert.  What makes that a place is stated here once:
 *
 * - a running count C(b) = sum(u) g(u) [u <= b], or [u < b], takes different values at different b where g holds at
 * both;
 * - the values of an unknown function that orders a row (topk, sort) differ along what it produces;
 * - so [C(a) == c] [C(b) == c] g(a) g(b) has [a == b], and a sum over b of such a product is what stands at a;
 * - at most one of those values is a given one, which bounds a count; a running count is at least 1 where g holds at b,
 *   and one that leaves b out is less than all there are.
 *
 * lemmas_reduce.tvr (running_count_..) states the same as lemmas. */
#include <string.h>

#include "eval/calculus/core.h"

enum { MAX_PLACES = 8 };

bool produced(Calculus *c, RefId r, Name n) {
  const Ref *f = ref(c, r);
  const Class *x = cls(c, f->cls);
  for (uint32_t p = 0; p < x->n_slots; p++) {
    if (f->names[p] != n) continue;
    for (uint32_t i = 0; i < x->n_args; i++)
      for (uint32_t q = 0; q < x->args[i].n; q++)
        if (x->args[i].ix[q] == (int32_t)p) return false;
  }
  return true;
}

static bool holds(Calculus *c, Given *given, Value v) {
  if (v.k != RAT_1) return false;
  if (v.ref == c->one || terms_find(&given->all, v.ref)) return true;
  if (c->counting || !(flags_of(c, v.ref) & F_PRED)) return false;
  c->counting = true;
  if (!given->facts) given->facts = facts_of(c, &given->all);
  bool implied = facts_imply(given->facts, v.ref);
  c->counting = false;
  return implied;
}

/* One running count, at b: bound indices u go with b one by one. */
typedef struct Running {
  Opened o;
  uint32_t order, n; /* the factor that compares u with b; how many indices */
  Name b[MAX_PLACES], u[MAX_PLACES];
  bool includes; /* b itself counts */
  RefId pick;    /* of the digits of a number one choice counts, where this is 1; NO_REF: there are none */
} Running;

static uint32_t index_of(const Name *names, uint32_t n, Name x) {
  uint32_t i = 0;
  while (i < n && names[i] != x) i++;
  return i;
}

/* Factor `order` is L(u) <= L(b) or the like, with L a number in mixed radix. */
static bool read_order(Calculus *c, Running *r) {
  Terms t;
  Rel rel = atom_of(c, r->o.args[r->order].ref, &t);
  if ((rel != REL_LT && rel != REL_GE) || r->o.n_bound > MAX_PLACES) return false;
  int64_t w[2][MAX_PLACES] = {{0}}, k = 0, v;
  Name at[2][MAX_PLACES];
  uint32_t n[2] = {0, 0};
  for (uint32_t i = 0; i < t.n; i++) {
    if (!small_int(t.at[i].k, &v)) return false;
    if (t.at[i].ref == c->one) {
      k = v;
      continue;
    }
    if (cls_of(c, t.at[i].ref)->kind != K_IDX) return false;
    Name name = ref(c, t.at[i].ref)->names[0];
    int s = index_of(r->o.bound, r->o.n_bound, name) < r->o.n_bound;
    if (n[s] == MAX_PLACES || name_is_const(name)) return false;
    uint32_t j = n[s]++;
    for (; j && (w[s][j - 1] < 0 ? -w[s][j - 1] : w[s][j - 1]) > (v < 0 ? -v : v); j--)
      w[s][j] = w[s][j - 1], at[s][j] = at[s][j - 1];
    w[s][j] = v, at[s][j] = name;
  }
  if (k != 0 && k != -1) return false; /* neither from b on, nor from the next */
  if (n[0] != n[1] || n[1] != r->o.n_bound || !n[0]) return false;
  int64_t reach = 1;
  for (uint32_t j = 0; j < n[0]; j++) {
    int64_t a = w[0][j] < 0 ? -w[0][j] : w[0][j];
    if (w[0][j] != -w[1][j] || (w[0][j] > 0) != (w[0][0] > 0) || a < reach) return false;
    if (name_size(c, at[0][j]) != name_size(c, at[1][j])) return false;
    if (__builtin_mul_overflow(a, name_size(c, at[0][j]), &reach)) return false;
    r->b[j] = at[0][j], r->u[j] = at[1][j];
  }
  r->n = n[0];
  r->includes = rel == REL_LT ? k < 0 : k == 0;
  return true;
}

/* No two values of these indices give the form one value; exactly: they are the digits of a number. */
static bool digits_apart(Calculus *c, const Terms *t, const Name *names, uint32_t n, bool exactly, int64_t *total) {
  *total = 1;
  for (uint32_t done = 0; done < n; done++) {
    int64_t least = 0, w, size = 0;
    for (uint32_t k = 0; k < t->n; k++) {
      if (cls_of(c, t->at[k].ref)->kind != K_IDX || !small_int(t->at[k].k, &w)) continue;
      Name name = ref(c, t->at[k].ref)->names[0];
      if (index_of(names, n, name) == n) continue;
      w = w < 0 ? -w : w;
      if (w >= *total && (!least || w < least)) least = w, size = name_size(c, name);
    }
    if (!least || (exactly && least != *total) || __builtin_mul_overflow(least, size, total)) return false;
  }
  return true;
}

/* A factor [f == e], with f one of the values of bound digits e, makes one choice of them: they are as good as free. */
static void take_pick(Calculus *c, Running *r) {
  Opened *o = &r->o;
  for (uint32_t i = 0; i < o->n; i++) {
    Terms t;
    if (cls_of(c, o->args[i].ref)->kind != K_CMP || atom_of(c, o->args[i].ref, &t) != REL_EQ) continue;
    Name *digits = SCRATCH(c, Name, t.n + 1);
    uint32_t n = 0;
    int64_t total;
    int sign = 0;
    Terms f = {0};
    bool apart = integer_terms(c, &t);
    for (uint32_t k = 0; k < t.n && apart; k++) {
      Name name = cls_of(c, t.at[k].ref)->kind == K_IDX ? ref(c, t.at[k].ref)->names[0] : name_const(0);
      if (index_of(o->bound, o->n_bound, name) < o->n_bound) {
        apart = !n || sign == rat_sign(t.at[k].k);
        sign = rat_sign(t.at[k].k);
        digits[n++] = name;
        continue;
      }
      terms_add(c, &f, t.at[k].ref, t.at[k].k);
      for (uint32_t j = 0; j < o->n_bound; j++) apart &= !ref_has(c, t.at[k].ref, o->bound[j]);
    }
    if (!apart || !n || !digits_apart(c, &t, digits, n, true, &total)) continue;
    Rat lo, hi;
    if (!range_of(c, value_scale(rat_int(-sign), lin(c, &f)), &lo, &hi) || rat_sign(lo) < 0 ||
        rat_cmp(hi, rat_int(total)) >= 0)
      continue;
    r->pick = o->args[i].ref;
    for (uint32_t k = i; k + 1 < o->n; k++) o->args[k] = o->args[k + 1];
    o->n--;
    uint32_t m = 0;
    for (uint32_t j = 0; j < o->n_bound; j++)
      if (index_of(digits, n, o->bound[j]) == n) o->bound[m++] = o->bound[j];
    o->n_bound = m;
    return;
  }
}

static bool read_running(Calculus *c, Opened o, Running *out) {
  *out = (Running){.o = o, .pick = NO_REF};
  take_pick(c, out);
  out->order = out->o.n;
  for (uint32_t i = 0; i < out->o.n; i++) {
    const Term *t = &out->o.args[i];
    if (!(flags_of(c, t->ref) & F_PRED) || t->k != RAT_1) return false;
    if (out->order == out->o.n && index_predicate(c, t->ref)) out->order = i;
  }
  if (out->order == out->o.n || !read_order(c, out)) return false;
  for (uint32_t i = 0; i < out->o.n; i++)
    for (uint32_t j = 0; j < out->n; j++)
      if (i != out->order && ref_has(c, out->o.args[i].ref, out->b[j])) return false;
  return true;
}

static bool running_of(Calculus *c, RefId r, Running *out) {
  const Class *x = cls_of(c, r);
  return x->kind == K_RED && (x->flags & F_INTEGER) && read_running(c, node_open(c, r), out);
}

/* What is counted is there at u = `at`. */
static bool counts_at(Calculus *c, const Running *r, const Name *at, Given *given) {
  Subst s = {0};
  for (uint32_t j = 0; j < r->n; j++) subst_put(&s, r->u[j], at[j]);
  for (uint32_t i = 0; i < r->o.n; i++)
    if (i != r->order && !holds(c, given, rename_ref(c, r->o.args[i].ref, &s))) return false;
  return true;
}

static bool running_apart(Calculus *c, RefId q, const Subst *to, Given *given) {
  Running r;
  Name a[MAX_PLACES];
  if (!running_of(c, q, &r) || r.n != to->n || r.pick != NO_REF) return false;
  for (uint32_t j = 0; j < r.n; j++)
    if ((a[j] = target(to, r.b[j])) == r.b[j]) return false;
  return counts_at(c, &r, r.b, given) && counts_at(c, &r, a, given);
}

bool count_apart(Calculus *c, RefId p, RefId q, Given *given, Subst *to) {
  *to = (Subst){0};
  if (p == q || ref(c, p)->cls != ref(c, q)->cls) return false;
  const Class *x = cls_of(c, q);
  if (x->kind != K_CMP || x->attr != CMP_EQ) return false;
  Terms t, u;
  atom_of(c, p, &t);
  atom_of(c, q, &u);
  uint32_t at = t.n;
  for (uint32_t i = 0; i < t.n; i++) {
    if (t.n != u.n || t.at[i].k != u.at[i].k) return false;
    if (t.at[i].ref == u.at[i].ref) continue;
    if (at < t.n || ref(c, t.at[i].ref)->cls != ref(c, u.at[i].ref)->cls) return false;
    at = i;
  }
  if (at == t.n) return false;
  const Ref *a = ref(c, t.at[at].ref), *b = ref(c, u.at[at].ref);
  for (uint32_t i = 0; i < a->n; i++) {
    Name had = target(to, b->names[i]);
    if (had != b->names[i] ? had != a->names[i] : a->names[i] != b->names[i] && name_is_const(b->names[i]))
      return false;
    if (had == b->names[i] && a->names[i] != b->names[i]) subst_put(to, b->names[i], a->names[i]);
  }
  for (uint32_t i = 0; i < a->n; i++) /* the same index elsewhere, or one for another: not by places */
    if (target(to, a->names[i]) != a->names[i] || target(to, b->names[i]) != a->names[i]) return false;
  RefId r = u.at[at].ref;
  if (!(flags_of(c, r) & F_DISTINCT)) return running_apart(c, r, to, given);
  bool apart = to->n > 0;
  for (uint32_t i = 0; i < to->n; i++) apart = apart && produced(c, r, to->at[i].from);
  return apart;
}

/* [f == a] [f == b] = [f == a] [a == b] where a, b are forms of indices and f has none outside. */
static bool join_forms(Calculus *c, RefId p, RefId q, Value *equal) {
  Terms t, u, diff = {0};
  atom_of(c, p, &t);
  atom_of(c, q, &u);
  bool other = false;
  for (uint32_t i = 0; i < t.n; i++) {
    other |= t.at[i].ref != c->one && cls_of(c, t.at[i].ref)->kind != K_IDX;
    terms_add(c, &diff, t.at[i].ref, t.at[i].k);
  }
  for (uint32_t i = 0; i < u.n && other; i++) terms_add(c, &diff, u.at[i].ref, rat_neg(u.at[i].k));
  terms_pack(&diff);
  for (uint32_t i = 0; i < diff.n && other; i++)
    other = diff.at[i].ref == c->one || cls_of(c, diff.at[i].ref)->kind == K_IDX;
  if (other) *equal = calc_cmp(c, CMP_EQ, lin(c, &diff), VALUE_ZERO);
  return other;
}

/* What [b == a] says, if p and q hold only where a and b are the same. */
static bool join(Calculus *c, RefId p, RefId q, Given *given, const Terms *fs, Value *equal) {
  Subst s;
  if (join_forms(c, p, q, equal)) return true;
  if (ref(c, p)->cls != ref(c, q)->cls) return false;
  if (!given->all.n) given->all = *fs;
  if (!count_apart(c, p, q, given, &s)) return false;
  *equal = VALUE_ONE;
  for (uint32_t k = 0; k < s.n; k++) {
    int64_t size = name_size(c, s.at[k].from);
    Value a = calc_idx(c, s.at[k].from, size), b = calc_idx(c, s.at[k].to, size);
    *equal = calc_mul2(c, *equal, calc_cmp(c, CMP_EQ, a, b));
  }
  return true;
}

static bool equation(const Calculus *c, const Term *t) {
  return cls_of(c, t->ref)->kind == K_CMP && cls_of(c, t->ref)->attr == CMP_EQ;
}

bool count_join(Calculus *c, const Terms *fs, Value *rest, bool *zero) {
  Given given = {0};
  for (uint32_t i = 0; i < fs->n; i++) {
    for (uint32_t j = i + 1; j < fs->n && equation(c, &fs->at[i]); j++) {
      Value equal;
      if (!equation(c, &fs->at[j]) || !join(c, fs->at[i].ref, fs->at[j].ref, &given, fs, &equal)) continue;
      Factor *f = SCRATCH(c, Factor, fs->n);
      for (uint32_t k = 0; k < fs->n; k++)
        f[k] = (Factor){k == j ? equal : one_of(fs->at[k].ref), k == j ? RAT_1 : fs->at[k].k};
      *rest = mul(c, f, fs->n);
      *zero = rest->k == RAT_0;
      return true;
    }
  }
  return false;
}

/* Bound indices that an equation tells, where all its others are known: digits of a number, or one along which an
 * unknown function has no value twice. */
static uint32_t told_by(Calculus *c, RefId p, const Name *bound, uint32_t n, bool digits, Name *out) {
  Terms t;
  uint32_t n_digits = 0, m = 0;
  if (cls_of(c, p)->kind != K_CMP || atom_of(c, p, &t) != REL_EQ) return 0;
  for (uint32_t k = 0; k < t.n; k++) {
    Name name = cls_of(c, t.at[k].ref)->kind == K_IDX ? ref(c, t.at[k].ref)->names[0] : name_const(0);
    if (index_of(bound, n, name) == n) continue;
    bool alone = true;
    for (uint32_t j = 0; j < t.n && alone; j++) alone = j == k || !ref_has(c, t.at[j].ref, name);
    if (alone) out[n_digits++] = name;
  }
  int64_t total;
  if (digits && n_digits && digits_apart(c, &t, out, n_digits, false, &total)) return n_digits;
  for (uint32_t k = 0; k < t.n && !m; k++)
    for (uint32_t i = 0; i < n && (flags_of(c, t.at[k].ref) & F_DISTINCT); i++) {
      bool alone = ref_has(c, t.at[k].ref, bound[i]) && produced(c, t.at[k].ref, bound[i]);
      for (uint32_t j = 0; j < t.n && alone; j++) alone = j == k || !ref_has(c, t.at[j].ref, bound[i]);
      if (alone) out[m++] = bound[i];
    }
  return m || digits ? m : told_by(c, p, bound, n, true, out);
}

/* digits: which of both is looked for first. */
static Rat most_by(Calculus *c, const Terms *fs, const Name *bound, uint32_t n, bool digits) {
  Rat most = RAT_1;
  bool *told = SCRATCH(c, bool, n);
  Name *by = SCRATCH(c, Name, n + 1);
  for (uint32_t at = 0; at < fs->n;) {
    uint32_t best = 0;
    at = fs->n;
    for (uint32_t j = 0; j < fs->n; j++) { /* one that has none of those told already: these may differ with them */
      uint32_t has = 0;
      bool open = true;
      for (uint32_t i = 0; i < n && open; i++)
        if (ref_has(c, fs->at[j].ref, bound[i])) has++, open = !told[i];
      if (open && has > best && told_by(c, fs->at[j].ref, bound, n, digits, by)) best = has, at = j;
    }
    uint32_t m = at < fs->n ? told_by(c, fs->at[at].ref, bound, n, digits, by) : 0;
    for (uint32_t i = 0; i < m; i++) told[index_of(bound, n, by[i])] = true;
  }
  for (uint32_t i = 0; i < n; i++)
    if (!told[i]) most = rat_mul(most, rat_int(name_size(c, bound[i])));
  return most;
}

Rat count_most(Calculus *c, const Terms *fs, const Name *bound, uint32_t n) {
  Rat a = most_by(c, fs, bound, n, true), b = most_by(c, fs, bound, n, false);
  return rat_cmp(a, b) < 0 ? a : b;
}

bool count_itself(Calculus *c, const Terms *fs, const Name *bound, uint32_t n) {
  Opened o = {fs->n, SCRATCH(c, Term, fs->n), n, SCRATCH(c, Name, n + 1)};
  memcpy(o.args, fs->at, fs->n * sizeof *o.args);
  memcpy(o.bound, bound, n * sizeof *bound);
  Running x;
  if (!read_running(c, o, &x) || !x.includes || x.pick == NO_REF) return false;
  Given given = {0};
  terms_add(c, &given.all, x.pick, RAT_1);
  return counts_at(c, &x, x.b, &given);
}

void count_range(Calculus *c, RefId r, Given *given, Rat *lo, Rat *hi) {
  Running x;
  if (*lo != RAT_0 || !running_of(c, r, &x)) return;
  Given picked = {0}; /* the one choice that counts, whichever it is */
  for (uint32_t i = 0; i < given->all.n && x.pick != NO_REF; i++) terms_add(c, &picked.all, given->all.at[i].ref, RAT_1);
  if (x.pick != NO_REF) terms_add(c, &picked.all, x.pick, RAT_1);
  if (!counts_at(c, &x, x.b, x.pick == NO_REF ? given : &picked)) return;
  if (x.includes) {
    *lo = RAT_1;
    return;
  }
  Rat most = rat_sub(cls_of(c, r)->hi, RAT_1); /* of all there are, b is not among these */
  if (rat_cmp(most, *hi) < 0) *hi = most;
}
