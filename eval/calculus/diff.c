#include "eval/calculus/diff.h"

#include <string.h>

#include "eval/calculus/core.h"

/* A value as a list of tagged references: terms of a sum, factors of a product, or arguments in order. */
typedef struct Items {
  Kind kind;
  uint32_t attr;
  Term *at;
  uint32_t n;
  Name *bound;
  uint32_t n_bound;
} Items;

typedef struct Differ {
  Calculus *c;
  Arena *a;
  Diff *out;
} Differ;

static bool is_product(Kind k) { return k == K_MUL || k == K_RED; }

static Items items_of(Calculus *c, Value v) {
  const Class *x = cls_of(c, v.ref);
  Kind kind = (Kind)x->kind;
  Items s = {.kind = kind, .attr = x->attr};
  if (kind == K_ONE || kind == K_NEGINF || kind == K_LEAF || kind == K_IDX || kind == K_AT) return s;
  Opened o = node_open(c, v.ref);
  s.at = o.args;
  s.n = o.n;
  s.bound = o.bound;
  s.n_bound = o.n_bound;
  for (uint32_t i = 0; kind == K_LIN && i < s.n; i++) s.at[i].k = rat_mul(s.at[i].k, v.k);
  return s;
}

/* A lone reference as a product or a sum of one item. */
static Items lone(Calculus *c, Kind kind, Value v) {
  Items s = {.kind = kind, .at = SCRATCH(c, Term, 1), .n = 1};
  s.at[0] = (Term){v.ref, kind == K_LIN ? v.k : RAT_1};
  return s;
}

/* Gives the bound indices of `t` the names of those of `s`, in order, where sizes agree. */
static void align(Calculus *c, const Items *s, Items *t) {
  Subst sub = {0};
  for (uint32_t i = 0; i < s->n_bound && i < t->n_bound && i < 64; i++)
    if (name_size(c, s->bound[i]) == name_size(c, t->bound[i])) subst_put(&sub, t->bound[i], s->bound[i]);
  if (!sub.n) return;
  for (uint32_t i = 0; i < t->n; i++) {
    Value v = rename_ref(c, t->at[i].ref, &sub);
    if (v.k == RAT_1) t->at[i].ref = v.ref;
  }
}

static void drop(Items *s, uint32_t i) {
  memmove(s->at + i, s->at + i + 1, (s->n - i - 1) * sizeof *s->at);
  s->n--;
}

/* Removes pairs that agree; by reference, or by class only. */
static void cancel(Calculus *c, Items *s, Items *t, bool by_class, Term *pair) {
  for (uint32_t i = 0; i < s->n;) {
    uint32_t j = 0;
    for (; j < t->n; j++)
      if (s->at[i].k == t->at[j].k &&
          (by_class ? ref(c, s->at[i].ref)->cls == ref(c, t->at[j].ref)->cls : s->at[i].ref == t->at[j].ref))
        break;
    if (j == t->n) {
      i++;
      continue;
    }
    if (pair && pair[0].ref == NO_REF) pair[0] = s->at[i], pair[1] = t->at[j];
    drop(s, i);
    drop(t, j);
  }
}

static Value *values_of(Differ *d, const Items *s, uint32_t *n) {
  Value *v = ARENA_ARRAY(d->a, Value, s->n);
  for (uint32_t i = 0; i < s->n; i++) v[i] = s->kind == K_LIN ? val(s->at[i].k, s->at[i].ref) : one_of(s->at[i].ref);
  *n = s->n;
  return v;
}

static bool stop(Differ *d, DiffKind kind) {
  d->out->kind = kind;
  return false;
}

static bool stop_at(Differ *d, DiffKind kind, Rat a, Rat b) {
  d->out->a = a;
  d->out->b = b;
  return stop(d, kind);
}

static ClassId class_of(const Calculus *c, RefId r) { return ref(c, r)->cls; }

/* Arguments in order: of the pairs that differ the one whose term was made first, being nearest to the inputs. */
static bool ordered_pair(Differ *d, const Items *s, const Items *t, Value *want, Value *have) {
  if (s->n != t->n) return stop(d, DIFF_FORM);
  uint32_t best = s->n;
  for (uint32_t i = 0; i < s->n; i++) {
    if (s->at[i].ref == t->at[i].ref) continue;
    if (best == s->n || class_of(d->c, t->at[i].ref) < class_of(d->c, t->at[best].ref)) best = i;
  }
  if (best == s->n) return stop(d, DIFF_INDICES);
  *want = one_of(s->at[best].ref);
  *have = one_of(t->at[best].ref);
  return true;
}

/* The two parts look alike: the same operator with as many arguments. */
static bool alike(const Calculus *c, Term x, Term y) {
  const Class *a = cls_of(c, x.ref), *b = cls_of(c, y.ref);
  return a->kind == b->kind && (a->attr == b->attr || a->kind == K_MAX || a->kind == K_AT) && a->n_args == b->n_args &&
         a->n_bound == b->n_bound;
}

/* Several parts differ: of the pairs that look alike the one whose term was made first. */
static bool likely_pair(Differ *d, const Items *s, const Items *t, Value *want, Value *have) {
  const Term *x = NULL, *y = NULL;
  for (uint32_t i = 0; i < s->n && s->n == t->n; i++)
    for (uint32_t j = 0; j < t->n; j++)
      if (s->at[i].k == t->at[j].k && alike(d->c, s->at[i], t->at[j]) && cls_of(d->c, s->at[i].ref)->n_args &&
          (!y || class_of(d->c, t->at[j].ref) < class_of(d->c, y->ref)))
        x = &s->at[i], y = &t->at[j];
  if (!x) return false;
  *want = one_of(x->ref);
  *have = one_of(y->ref);
  return true;
}

/* Terms or factors: what is left when equal ones are gone. */
static bool unordered_pair(Differ *d, Items *s, Items *t, Value *want, Value *have) {
  Calculus *c = d->c;
  Term pair[2] = {{NO_REF, RAT_0}, {NO_REF, RAT_0}};
  uint32_t n_bound = s->n_bound, m_bound = t->n_bound;
  cancel(c, s, t, false, NULL);
  cancel(c, s, t, true, pair);
  if (!s->n && !t->n) {
    if (n_bound != m_bound) return stop(d, DIFF_SUM);
    if (pair[0].ref == NO_REF) return stop(d, n_bound ? DIFF_SUM : DIFF_INDICES);
    d->out->want = one_of(pair[0].ref);
    d->out->have = one_of(pair[1].ref);
    return stop(d, DIFF_INDICES);
  }
  if (s->n == 1 && t->n == 1) {
    Term x = s->at[0], y = t->at[0];
    bool sum = s->kind == K_LIN || s->kind == K_MAX; /* its numbers are factors, not powers */
    if (ref(c, x.ref)->cls == ref(c, y.ref)->cls)
      return stop_at(d, !sum ? DIFF_EXPONENT : x.ref == c->one ? DIFF_CONSTANT : DIFF_COEFFICIENT, x.k, y.k);
    if (!sum && x.k != y.k) return stop(d, DIFF_FORM);
    *want = sum ? val(x.k, x.ref) : one_of(x.ref);
    *have = sum ? val(y.k, y.ref) : one_of(y.ref);
    return true;
  }
  if (likely_pair(d, s, t, want, have)) return true;
  d->out->missing = values_of(d, s, &d->out->n_missing);
  d->out->extra = values_of(d, t, &d->out->n_extra);
  return stop(d, DIFF_PARTS);
}

/* One step: true with the single pair that differs, or false with the kind of the difference. */
static bool descend(Differ *d, Value *want, Value *have) {
  Calculus *c = d->c;
  if (value_same(*want, *have)) return stop(d, DIFF_NONE);
  if (value_is_num(*want) && value_is_num(*have)) return stop_at(d, DIFF_CONSTANT, want->k, have->k);
  if (want->ref == have->ref) return stop_at(d, DIFF_FACTOR, want->k, have->k);
  if (ref(c, want->ref)->cls == ref(c, have->ref)->cls) return stop(d, DIFF_INDICES);
  Items s = items_of(c, *want), t = items_of(c, *have);
  if (!s.n && !t.n)
    return stop(d, s.kind == K_LEAF && t.kind == K_LEAF ? DIFF_LEAF : s.kind == t.kind ? DIFF_INDICES : DIFF_FORM);
  bool products = is_product(s.kind) || is_product(t.kind), sums = s.kind == K_LIN || t.kind == K_LIN;
  if (products && sums) return stop(d, DIFF_FORM);
  if (products && !is_product(s.kind)) s = lone(c, K_MUL, *want);
  if (products && !is_product(t.kind)) t = lone(c, K_MUL, *have);
  if (sums && s.kind != K_LIN) s = lone(c, K_LIN, *want);
  if (sums && t.kind != K_LIN) t = lone(c, K_LIN, *have);
  if (!products && (s.kind != t.kind || (s.attr != t.attr && s.kind != K_MAX))) return stop(d, DIFF_FORM);
  align(c, &s, &t);
  if (products || sums || s.kind == K_MAX) return unordered_pair(d, &s, &t, want, have);
  return ordered_pair(d, &s, &t, want, have);
}

void calc_diff(Calculus *c, Value want, Value have, Arena *a, Diff *out) {
  Differ d = {c, a, out};
  Frame m = frame_enter(c);
  *out = (Diff){.kind = DIFF_FORM};
  bool more = true;
  while (more && out->n_path < DIFF_DEPTH) {
    out->want_path[out->n_path] = out->want = want;
    out->have_path[out->n_path++] = out->have = have;
    more = descend(&d, &want, &have);
  }
  uint32_t taken = c->fresh; /* the terms hold bound names */
  frame_leave(c, m);
  c->fresh = taken;
}
