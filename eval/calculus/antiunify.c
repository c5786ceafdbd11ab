/* Anti-unification: a guess of G with G[name := 0] = a and G[name := 1] = b, walking both terms side by side.  Constants
 * 0 and 1 of the sort become the name, numbers k0 and k1 in integer forms become k0 + (k1 - k0) * name.  The caller
 * checks every instance, so a wrong guess costs time only. */
#include <string.h>

#include "eval/calculus/core.h"

enum {
  BUDGET = 2000, /* terms, to build G */
  LOOKED = 400,  /* before, to see whether there is one */
  MAX_BOUND = 64,
  WALKED = 7 /* tag of keys of the memo */
};

typedef struct Anti {
  Calculus *c;
  Lit key;
  Name name;
  bool dry; /* only whether there is one: most pairs part somewhere, and nothing is built in vain */
  uint32_t budget;
  uint32_t n_bound; /* bound indices of b that stand for those of a, in the order in which they are met; 0: none yet */
  struct {
    Name a, b;
  } bound[MAX_BOUND];
} Anti;

static bool walk(Anti *g, RefId a, RefId b, Value *out);

/* Index m of b as n of a: both bound, and neither stands for another. */
static bool bound_as(Anti *g, Name n, Name m) {
  uint32_t i = 0, free = MAX_BOUND;
  bool is = false;
  for (; i < g->n_bound; i++) {
    if (g->bound[i].a == n && g->bound[i].b) return g->bound[i].b == m;
    if (g->bound[i].b == m) return false;
    if (g->bound[i].a == n) is = true, free = i;
  }
  if (is && name_size(g->c, n) == name_size(g->c, m)) g->bound[free].b = m;
  return is && g->bound[free].b == m;
}

static bool name_of(Anti *g, Name n, Name m, int64_t size, Name *out) {
  if (n == m) return *out = n, true;
  if (!name_is_const(n) && !name_is_const(m)) return *out = n, bound_as(g, n, m);
  if (name_is_const(n) && name_is_const(m) && size == g->key.size && name_value(n) == 0 && name_value(m) == 1)
    return *out = g->name, true;
  return false;
}

static bool same_class_refs(Anti *g, RefId a, RefId b, Value *out) {
  Calculus *c = g->c;
  Ref f = *ref(c, a), h = *ref(c, b);
  Name *names = SCRATCH(c, Name, f.n);
  bool constant = false;
  for (uint32_t i = 0; i < f.n; i++) {
    if (!name_of(g, f.names[i], h.names[i], cls(c, f.cls)->sizes[i], &names[i])) return false;
    constant |= name_is_const(names[i]);
  }
  if (!g->dry) *out = constant ? push(c, f.cls, names, f.n) : one_of(sym_least(c, ref_make(c, f.cls, names, f.n)));
  return true;
}

/* The args of b with the names of b's slots and these for what it binds. */
static Term *args_with(Calculus *c, RefId b, const Name *bound, uint32_t n_bound) {
  Ref h = *ref(c, b);
  uint32_t n_slots = h.n, n_args = cls(c, h.cls)->n_args;
  Name *names = SCRATCH(c, Name, n_slots + n_bound);
  memcpy(names, h.names, n_slots * sizeof *names);
  if (n_bound) memcpy(names + n_slots, bound, n_bound * sizeof *names);
  Term *out = SCRATCH(c, Term, n_args);
  for (uint32_t i = 0; i < n_args; i++) {
    Arg x = cls(c, h.cls)->args[i];
    Name *ns = SCRATCH(c, Name, x.n);
    for (uint32_t p = 0; p < x.n; p++) ns[p] = arg_name(&x, p, names);
    out[i] = (Term){sym_least(c, ref_make(c, x.cls, ns, x.n)), x.tag};
  }
  return out;
}

static bool commutative(Kind k) { return k == K_LIN || k == K_MUL || k == K_RED || k == K_MAX; }

typedef struct Pairing {
  Value *vals;
  Rat *tags;
  uint32_t n;
} Pairing;

/* The constants of two integer forms become an affine function of the name. */
static bool constants(Anti *g, Term *x, uint32_t *n, Term *y, uint32_t *m, bool integer, Pairing *p) {
  Calculus *c = g->c;
  Rat k0 = RAT_0, k1 = RAT_0;
  uint32_t i = 0;
  for (uint32_t j = 0; j < *n; j++)
    if (x[j].ref == c->one)
      k0 = x[j].k;
    else
      x[i++] = x[j];
  *n = i;
  i = 0;
  for (uint32_t j = 0; j < *m; j++)
    if (y[j].ref == c->one)
      k1 = y[j].k;
    else
      y[i++] = y[j];
  *m = i;
  if (k0 != k1 && !integer) return false;
  if (g->dry) return true;
  p->vals[p->n] = value_num(k0);
  p->tags[p->n++] = RAT_1;
  p->vals[p->n] = value_scale(rat_sub(k1, k0), calc_idx(c, g->name, g->key.size));
  p->tags[p->n++] = RAT_1;
  return true;
}

static bool pair_args(Anti *g, Kind kind, Term *x, uint32_t n, Term *y, Pairing *p) {
  Calculus *c = g->c;
  bool *used = SCRATCH(c, bool, n), *done = SCRATCH(c, bool, n);
  for (uint32_t i = 0; i < n && commutative(kind); i++)
    for (uint32_t j = 0; j < n && !done[i]; j++)
      if (!used[j] && x[i].ref == y[j].ref && x[i].k == y[j].k) {
        used[j] = done[i] = true;
        p->vals[p->n] = one_of(x[i].ref);
        p->tags[p->n++] = x[i].k;
      }
  for (uint32_t i = 0; i < n; i++) {
    if (done[i]) continue;
    for (uint32_t j = 0; j < n && !done[i]; j++) {
      if (!commutative(kind) && j != i) continue;
      if (used[j] || x[i].k != y[j].k) continue;
      const Class *a = cls_of(c, x[i].ref), *b = cls_of(c, y[j].ref);
      if (a->skel != b->skel && !(a->kind == K_LIN && b->kind == K_LIN)) continue;
      if (!lits_alike(c, x[i].ref, y[j].ref, g->key.size)) continue;
      Value v;
      Anti before = *g;
      if (!walk(g, x[i].ref, y[j].ref, &v)) {
        memcpy(g->bound, before.bound, sizeof g->bound);
        g->n_bound = before.n_bound;
        continue;
      }
      used[j] = done[i] = true;
      p->vals[p->n] = v;
      p->tags[p->n++] = x[i].k;
    }
    if (!done[i]) return false;
  }
  return true;
}

/* A form with a constant and one without. */
static bool shifted(Anti *g, RefId a, RefId b, Value *out) {
  Calculus *c = g->c;
  Terms x = terms_of(c, one_of(a)), y = terms_of(c, one_of(b));
  uint32_t n = x.n, m = y.n;
  Pairing p = {SCRATCH(c, Value, n + m + 2), SCRATCH(c, Rat, n + m + 2), 0};
  bool integer = (flags_of(c, a) & flags_of(c, b) & F_INTEGER) != 0;
  if (!constants(g, x.at, &n, y.at, &m, integer, &p) || n != m || !pair_args(g, K_LIN, x.at, n, y.at, &p)) return false;
  if (g->dry) return true;
  for (uint32_t i = 0; i < p.n; i++) p.vals[i] = value_scale(p.tags[i], p.vals[i]);
  *out = calc_add(c, p.vals, p.n);
  return true;
}

static bool descend(Anti *g, RefId a, RefId b, Value *out) {
  Calculus *c = g->c;
  if (!g->budget) return false;
  g->budget--;
  c->stats.walked++;
  if (ref(c, a)->cls == ref(c, b)->cls) return same_class_refs(g, a, b, out);
  const Class *x = cls_of(c, a), *y = cls_of(c, b);
  if (x->kind != y->kind && (x->kind == K_LIN || y->kind == K_LIN) && x->skel == y->skel) return shifted(g, a, b, out);
  if (x->kind != y->kind || x->n_bound != y->n_bound || x->kind == K_LEAF || x->kind == K_IDX || x->kind == K_ONE ||
      x->kind == K_OP || x->kind == K_AT)
    return false;
  if (x->attr != y->attr) return false;
  Kind kind = x->kind;
  ClassId id = ref(c, a)->cls;
  uint32_t n = x->n_args, m = y->n_args;
  bool integer = (x->flags & y->flags & F_INTEGER) != 0;
  bool in_order = !memcmp(x->sizes + x->n_slots, y->sizes + y->n_slots, x->n_bound * sizeof *x->sizes);
  Opened o = node_open(c, a);
  if (n != m && kind != K_LIN) return false;
  for (int any = !in_order; any < 2; any++) { /* bound indices one by one; or in whatever order they are met */
    const Name *bound = o.bound;
    if (any && (!o.n_bound || g->n_bound + o.n_bound > MAX_BOUND)) return false;
    if (any) {
      bound = node_open(c, b).bound;
      for (uint32_t i = 0; i < o.n_bound; i++) g->bound[g->n_bound].a = o.bound[i], g->bound[g->n_bound++].b = 0;
    }
    Term *ys = args_with(c, b, bound, o.n_bound), *xs = SCRATCH(c, Term, n);
    memcpy(xs, o.args, n * sizeof *xs);
    Pairing p = {SCRATCH(c, Value, n + 2), SCRATCH(c, Rat, n + 2), 0};
    uint32_t k = n, l = m;
    if (kind == K_LIN && !constants(g, xs, &k, ys, &l, integer, &p)) return false;
    if (k != l || !pair_args(g, kind, xs, k, ys, &p)) continue;
    if (!g->dry) *out = node_make(c, id, p.vals, p.tags, p.n, o.bound, o.n_bound, ref(c, a)->names);
    return true;
  }
  return false;
}

/* No index of these is bound out of order. */
static bool apart(const Anti *g, RefId a, RefId b) {
  for (uint32_t i = 0; i < g->n_bound; i++)
    if (ref_has(g->c, a, g->bound[i].a) || (g->bound[i].b && ref_has(g->c, b, g->bound[i].b))) return false;
  return true;
}

/* Without building, indices are bound by the same names again, so that terms come again, and what does not depend on
 * others is remembered. */
static bool walk(Anti *g, RefId a, RefId b, Value *out) {
  Calculus *c = g->c;
  if (a == b) return *out = one_of(a), true;
  if (!g->dry) return descend(g, a, b, out);
  uint32_t fresh = c->fresh, n_bound = g->n_bound;
  uint64_t key[] = {(uint64_t)a << 8 | WALKED, b, (uint64_t)g->key.size}, h;
  bool alone = apart(g, a, b);
  const Value *known = memo_find(c, key, 3, &h);
  if (alone && known) return known->ref;
  bool is = descend(g, a, b, out);
  c->fresh = fresh;
  g->n_bound = n_bound;
  if (alone && (is || g->budget)) memo_put(c, key, 3, h, (Value){RAT_0, is});
  return is;
}

bool antiunify(Calculus *c, RefId a, RefId b, Lit key, Name name, Value *out) {
  Frame f = frame_enter(c);
  Anti dry = {.c = c, .key = key, .name = name, .dry = true, .budget = LOOKED};
  bool is = walk(&dry, a, b, out);
  frame_leave(c, f);
  Anti g = {.c = c, .key = key, .name = name, .budget = BUDGET};
  return is && walk(&g, a, b, out);
}
