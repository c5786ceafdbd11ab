/* Canonical naming: terms that differ only in the names of their indices, or in the order of their arguments, are one
 * class.  Names are coloured by how they are used until nothing changes (colour refinement); a tie that remains is
 * broken in every way and the least key taken.  Equal leaves of that search are symmetries of the class.
 * The budget of leaves makes this incomplete in theory (two equal terms may be two classes), never unsound. */
#include <string.h>

#include "eval/calculus/core.h"

enum { LEAVES = 200 };

typedef struct Canon {
  Calculus *c;
  const Term *items;
  uint32_t n_items;
  uint32_t n; /* names */
  Name *names;
  bool *bound;
  const uint16_t **use; /* per item and form: local index of each name, or CONST */
  uint32_t *n_forms, *width;
  const int64_t **consts; /* per item: constant values where use is CONST */
  /* the search */
  uint32_t budget;
  Arg *best;
  uint16_t *best_order; /* names in canonical order: free, then bound */
  uint32_t n_free;
  uint16_t *perms;
  uint32_t n_perms, cap_perms;
} Canon;

enum { CONST = 0xffff };

static uint64_t tuple_hash(const Canon *k, const uint64_t *col, uint32_t i, uint32_t f) {
  const uint16_t *u = k->use[i] + f * k->width[i];
  uint64_t h = 1;
  for (uint32_t p = 0; p < k->width[i]; p++)
    h = mix(h, u[p] == CONST ? mix(3, (uint64_t)k->consts[i][f * k->width[i] + p]) : col[u[p]]);
  return h;
}

static uint32_t distinct(const uint64_t *col, uint32_t n) {
  uint32_t d = 0;
  for (uint32_t i = 0; i < n; i++) {
    bool seen = false;
    for (uint32_t j = 0; j < i && !seen; j++) seen = col[j] == col[i];
    d += !seen;
  }
  return d;
}

static void refine(const Canon *k, uint64_t *col) {
  uint64_t *next = SCRATCH(k->c, uint64_t, k->n), *h = SCRATCH(k->c, uint64_t, 1);
  for (uint32_t had = distinct(col, k->n); had < k->n;) {
    memset(next, 0, k->n * sizeof *next);
    for (uint32_t i = 0; i < k->n_items; i++) {
      uint32_t nf = k->n_forms[i];
      if (nf > 1) h = SCRATCH(k->c, uint64_t, nf);
      uint64_t least = UINT64_MAX;
      for (uint32_t f = 0; f < nf; f++) {
        h[f] = tuple_hash(k, col, i, f);
        if (h[f] < least) least = h[f];
      }
      uint64_t item = mix(mix(ref(k->c, k->items[i].ref)->cls, k->items[i].k), least);
      for (uint32_t f = 0; f < nf; f++) {
        if (h[f] != least) continue;
        const uint16_t *u = k->use[i] + f * k->width[i];
        for (uint32_t p = 0; p < k->width[i]; p++)
          if (u[p] != CONST) next[u[p]] += mix(item, p + 1);
      }
    }
    for (uint32_t i = 0; i < k->n; i++) next[i] = mix(col[i], next[i]);
    uint32_t now = distinct(next, k->n);
    memcpy(col, next, k->n * sizeof *col);
    if (now <= had) break;
    had = now;
  }
}

static int compare_arg(const Arg *a, const Arg *b) {
  if (a->cls != b->cls) return a->cls < b->cls ? -1 : 1;
  if (a->tag != b->tag) return a->tag < b->tag ? -1 : 1;
  for (uint32_t i = 0; i < a->n; i++)
    if (a->ix[i] != b->ix[i]) return a->ix[i] < b->ix[i] ? -1 : 1;
  return 0;
}

/* Terms come almost sorted (those of a sum with one added), so insertion is linear mostly. */
static void sort_args(Arg *args, uint32_t n) {
  for (uint32_t i = 1; i < n; i++) {
    Arg x = args[i];
    uint32_t j = i;
    for (; j && compare_arg(&args[j - 1], &x) > 0; j--) args[j] = args[j - 1];
    args[j] = x;
  }
}

/* The arguments under a numbering of the names. */
static Arg *arguments(const Canon *k, const uint16_t *order) {
  int32_t *number = SCRATCH(k->c, int32_t, k->n);
  for (uint32_t i = 0; i < k->n; i++) number[order[i]] = (int32_t)i;
  Arg *args = SCRATCH(k->c, Arg, k->n_items);
  for (uint32_t i = 0; i < k->n_items; i++) {
    uint32_t w = k->width[i];
    int32_t *ix = SCRATCH(k->c, int32_t, w), *try = SCRATCH(k->c, int32_t, w);
    for (uint32_t f = 0; f < k->n_forms[i]; f++) {
      int less = f == 0 ? -1 : 0;
      for (uint32_t p = 0; p < w; p++) {
        uint16_t u = k->use[i][f * w + p];
        try[p] = u == CONST ? -1 - (int32_t)k->consts[i][f * w + p] : number[u];
        if (!less && try[p] != ix[p]) less = try[p] < ix[p] ? -1 : 1;
      }
      if (less < 0) memcpy(ix, try, w * sizeof *ix);
    }
    args[i] = (Arg){k->items[i].k, ref(k->c, k->items[i].ref)->cls, w, ix};
  }
  sort_args(args, k->n_items);
  return args;
}

static int compare_args(const Arg *a, const Arg *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    int d = compare_arg(&a[i], &b[i]);
    if (d) return d;
  }
  return 0;
}

static void leaf(Canon *k, const uint64_t *col) {
  uint16_t *order = SCRATCH(k->c, uint16_t, k->n);
  uint32_t n = 0;
  for (int bound = 0; bound < 2; bound++) {
    uint32_t from = n;
    for (uint32_t i = 0; i < k->n; i++) {
      if (k->bound[i] != bound) continue;
      uint32_t j = n++;
      for (; j > from && col[order[j - 1]] > col[i]; j--) order[j] = order[j - 1];
      order[j] = (uint16_t)i;
    }
  }
  if (k->budget) k->budget--;
  Arg *args = arguments(k, order);
  int d = k->best ? compare_args(args, k->best, k->n_items) : -1;
  if (d > 0) return;
  if (d < 0) {
    k->best = args;
    k->best_order = order;
    k->n_perms = 0;
    return;
  }
  /* an automorphism: slot p (order of the best leaf) is also read as slot q of this one */
  uint16_t *perm = SCRATCH(k->c, uint16_t, k->n_free);
  bool identity = true, seen = false;
  for (uint32_t p = 0; p < k->n_free; p++) {
    for (uint32_t q = 0; q < k->n_free; q++)
      if (k->best_order[q] == order[p]) perm[p] = (uint16_t)q;
    identity &= perm[p] == p;
  }
  for (uint32_t i = 0; i < k->n_perms && !seen; i++)
    seen = !memcmp(k->perms + i * k->n_free, perm, k->n_free * sizeof *perm);
  if (identity || seen) return;
  if (k->n_perms == k->cap_perms) {
    uint32_t cap = k->cap_perms ? k->cap_perms * 2 : 8;
    uint16_t *more = SCRATCH(k->c, uint16_t, cap * k->n_free);
    if (k->n_perms) memcpy(more, k->perms, k->n_perms * k->n_free * sizeof *more);
    k->perms = more;
    k->cap_perms = cap;
  }
  memcpy(k->perms + k->n_perms++ * k->n_free, perm, k->n_free * sizeof *perm);
}

static void search(Canon *k, uint64_t *col) {
  refine(k, col);
  /* the tied cell of least colour */
  uint64_t cell = 0;
  bool tied = false;
  for (uint32_t i = 0; i < k->n; i++)
    for (uint32_t j = 0; j < i; j++)
      if (col[i] == col[j] && (!tied || col[i] < cell)) cell = col[i], tied = true;
  if (!tied) {
    leaf(k, col);
    return;
  }
  for (uint32_t i = 0; i < k->n; i++) {
    if (col[i] != cell) continue;
    if (!k->budget) {
      if (k->best) return;
      /* out of budget without a leaf: finish this branch greedily */
      k->budget = 1;
    }
    uint64_t *next = SCRATCH(k->c, uint64_t, k->n);
    memcpy(next, col, k->n * sizeof *next);
    next[i] = mix(cell, 0x1d);
    search(k, next);
  }
}

static void collect(Canon *k, const Name *bound, uint32_t n_bound) {
  Calculus *c = k->c;
  uint32_t cap = 0;
  for (uint32_t i = 0; i < k->n_items; i++) cap += ref(c, k->items[i].ref)->n;
  k->names = SCRATCH(c, Name, cap);
  k->bound = SCRATCH(c, bool, cap);
  k->use = SCRATCH(c, const uint16_t *, k->n_items);
  k->consts = SCRATCH(c, const int64_t *, k->n_items);
  k->n_forms = SCRATCH(c, uint32_t, k->n_items);
  k->width = SCRATCH(c, uint32_t, k->n_items);
  for (uint32_t i = 0; i < k->n_items; i++) {
    const Ref *r = ref(c, k->items[i].ref);
    const Class *x = cls(c, r->cls);
    uint32_t w = r->n, nf = x->n_sym + 1u;
    uint16_t *use = SCRATCH(c, uint16_t, w * nf);
    int64_t *cv = SCRATCH(c, int64_t, w * nf);
    for (uint32_t f = 0; f < nf; f++)
      for (uint32_t p = 0; p < w; p++) {
        Name n = r->names[f ? x->sym[f - 1].at[p] : p];
        if (name_is_const(n)) {
          use[f * w + p] = CONST;
          cv[f * w + p] = name_value(n);
          continue;
        }
        uint32_t j = 0;
        while (j < k->n && k->names[j] != n) j++;
        if (j == k->n) {
          k->names[k->n++] = n;
          for (uint32_t b = 0; b < n_bound; b++) k->bound[j] |= bound[b] == n;
          k->n_free += !k->bound[j];
        }
        use[f * w + p] = (uint16_t)j;
      }
    k->use[i] = use;
    k->consts[i] = cv;
    k->n_forms[i] = nf;
    k->width[i] = w;
  }
}

/* All (class, tag) distinct and no symmetric class: order by them, number names by first occurrence. */
static bool simple(Canon *k) {
  uint64_t(*key)[3] = arena_alloc(&k->c->scratch, k->n_items * sizeof *key);
  for (uint32_t i = 0; i < k->n_items; i++) {
    if (k->n_forms[i] > 1) return false;
    key[i][0] = ref(k->c, k->items[i].ref)->cls;
    key[i][1] = k->items[i].k;
    key[i][2] = i;
  }
  for (uint32_t i = 1; i < k->n_items; i++) {
    uint64_t x[3] = {key[i][0], key[i][1], key[i][2]};
    uint32_t j = i;
    for (; j && (key[j - 1][0] > x[0] || (key[j - 1][0] == x[0] && key[j - 1][1] > x[1])); j--)
      memcpy(key[j], key[j - 1], sizeof x);
    memcpy(key[j], x, sizeof x);
  }
  for (uint32_t i = 1; i < k->n_items; i++)
    if (key[i][0] == key[i - 1][0] && key[i][1] == key[i - 1][1]) return false;
  bool *seen = SCRATCH(k->c, bool, k->n);
  uint16_t *order = SCRATCH(k->c, uint16_t, k->n);
  uint32_t nf = 0, nb = k->n_free;
  for (uint32_t i = 0; i < k->n_items; i++) {
    uint32_t j = (uint32_t)key[i][2];
    for (uint32_t p = 0; p < k->width[j]; p++) {
      uint16_t u = k->use[j][p];
      if (u == CONST || seen[u]) continue;
      seen[u] = true;
      order[k->bound[u] ? nb++ : nf++] = u;
    }
  }
  k->best = arguments(k, order);
  k->best_order = order;
  return true;
}

RefId canon(Calculus *c, Kind kind, uint32_t attr, const Term *items, uint32_t n, const Name *bound, uint32_t n_bound,
            Props p) {
  Frame m = frame_enter(c);
  Canon k = {.c = c, .items = items, .n_items = n, .budget = LEAVES};
  collect(&k, bound, n_bound);
  if (!simple(&k)) {
    uint64_t *col = SCRATCH(c, uint64_t, k.n);
    for (uint32_t i = 0; i < k.n; i++) col[i] = mix(k.bound[i], (uint64_t)name_size(c, k.names[i]));
    search(&k, col);
  }
  int64_t *sizes = SCRATCH(c, int64_t, k.n);
  Name *free_names = SCRATCH(c, Name, k.n_free);
  for (uint32_t i = 0; i < k.n; i++) {
    sizes[i] = name_size(c, k.names[k.best_order[i]]);
    if (i < k.n_free) free_names[i] = k.names[k.best_order[i]];
  }
  ClassKey key = {kind, attr, k.best, n, sizes, k.n_free, k.n - k.n_free};
  bool made;
  ClassId id = class_make(c, &key, p, &made);
  if (made && k.n_perms) class_set_sym(c, id, k.perms, k.n_perms);
  RefId r = sym_least(c, ref_make(c, id, free_names, k.n_free));
  frame_leave(c, m);
  return r;
}

/* Whether argument a reads the same where every slot k of the node is slot to[k]. */
static bool reads_alike(const Calculus *c, const Arg *a, const uint16_t *to) {
  const Class *x = cls(c, a->cls);
  for (uint32_t s = 0; s <= x->n_sym; s++) {
    bool same = true;
    for (uint32_t p = 0; p < a->n && same; p++) {
      int32_t own = a->ix[p], other = a->ix[s ? x->sym[s - 1].at[p] : p];
      same = (own < 0 ? own : to[own]) == other;
    }
    if (same) return true;
  }
  return false;
}

/* What exchanges slots of an argument and leaves it as it is leaves the node as it is, if no other argument changes. */
static void inherit_symmetries(Calculus *c, ClassId id) {
  uint32_t n = cls(c, id)->n_slots, n_args = cls(c, id)->n_args, n_perms = 0, most = 0;
  for (uint32_t i = 0; i < n_args; i++) most += cls(c, cls(c, id)->args[i].cls)->n_sym;
  if (!most) return;
  uint16_t *perms = SCRATCH(c, uint16_t, most * n + 1);
  for (uint32_t i = 0; i < n_args; i++) {
    Arg a = cls(c, id)->args[i];
    for (uint32_t s = 0; s < cls(c, a.cls)->n_sym; s++) {
      uint16_t *to = perms + n_perms * n;
      bool fits = true, moves = false;
      for (uint32_t k = 0; k < n; k++) to[k] = (uint16_t)k;
      for (uint32_t p = 0; p < a.n && fits; p++) {
        int32_t own = a.ix[p], other = a.ix[cls(c, a.cls)->sym[s].at[p]];
        fits = own < 0 ? other == own : other >= 0;
        if (fits && own >= 0) to[own] = (uint16_t)other, moves |= other != own;
      }
      for (uint32_t j = 0; j < n_args && fits; j++) fits = reads_alike(c, &cls(c, id)->args[j], to);
      for (uint32_t k = 0; k < n_perms && fits; k++) fits = memcmp(perms + k * n, to, n * sizeof *to) != 0;
      n_perms += fits && moves;
    }
  }
  if (n_perms) class_set_sym(c, id, perms, n_perms);
}

/* Arguments in their order, whose names are numbered as they occur. */
typedef struct Numbered {
  Name *order; /* free names, then bound ones */
  uint32_t n_free;
  Arg *args;
} Numbered;

static Numbered number_names(Calculus *c, const RefId *refs, const Name *const *names, uint32_t n, const Name *bound,
                             uint32_t n_bound, const Name *out, uint32_t n_out) {
  uint32_t cap = n_out + n_bound;
  for (uint32_t i = 0; i < n; i++) cap += ref(c, refs[i])->n;
  Numbered x = {SCRATCH(c, Name, cap), 0, SCRATCH(c, Arg, n)};
  for (uint32_t i = 0; i < n_out; i++) x.order[x.n_free++] = out[i];
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t q = 0; q < ref(c, refs[i])->n; q++) {
      Name name = names[i][q];
      bool skip = name_is_const(name);
      for (uint32_t j = 0; j < x.n_free && !skip; j++) skip = x.order[j] == name;
      for (uint32_t j = 0; j < n_bound && !skip; j++) skip = bound[j] == name;
      if (!skip) x.order[x.n_free++] = name;
    }
  for (uint32_t i = 0; i < n_bound; i++) x.order[x.n_free + i] = bound[i];
  for (uint32_t i = 0; i < n; i++) {
    const Ref *r = ref(c, refs[i]);
    int32_t *ix = SCRATCH(c, int32_t, r->n);
    for (uint32_t q = 0; q < r->n; q++) {
      uint32_t j = 0;
      if (name_is_const(names[i][q])) {
        ix[q] = -1 - (int32_t)name_value(names[i][q]);
        continue;
      }
      while (x.order[j] != names[i][q]) j++;
      ix[q] = (int32_t)j;
    }
    x.args[i] = (Arg){rat_int(i), r->cls, r->n, ix};
  }
  return x;
}

static bool numbered_less(const Numbered *x, const Numbered *y, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t p = 0; p < x->args[i].n; p++)
      if (x->args[i].ix[p] != y->args[i].ix[p]) return x->args[i].ix[p] < y->args[i].ix[p];
  return false;
}

/* Of all ways to read arguments that are the same with slots exchanged, the one that is least, whatever the names. */
static Numbered least_numbered(Calculus *c, const RefId *refs, uint32_t n, const Name *bound, uint32_t n_bound,
                               const Name *out, uint32_t n_out) {
  const Name **names = SCRATCH(c, const Name *, n);
  uint32_t ways = 1;
  for (uint32_t i = 0; i < n; i++) {
    names[i] = ref(c, refs[i])->names;
    ways = ways > LEAVES ? ways : ways * (cls_of(c, refs[i])->n_sym + 1);
  }
  Numbered best = number_names(c, refs, names, n, bound, n_bound, out, n_out);
  for (uint32_t w = 1; ways <= LEAVES && w < ways; w++) {
    for (uint32_t i = 0, rest = w; i < n; i++) {
      const Class *x = cls_of(c, refs[i]);
      const Ref *r = ref(c, refs[i]);
      uint32_t way = rest % (x->n_sym + 1);
      rest /= x->n_sym + 1;
      Name *turned = SCRATCH(c, Name, r->n);
      for (uint32_t p = 0; p < r->n; p++) turned[p] = r->names[way ? x->sym[way - 1].at[p] : p];
      names[i] = turned;
    }
    Numbered other = number_names(c, refs, names, n, bound, n_bound, out, n_out);
    if (numbered_less(&other, &best, n)) best = other;
  }
  return best;
}

RefId ordered(Calculus *c, Kind kind, uint32_t attr, const RefId *refs, uint32_t n, const Name *bound, uint32_t n_bound,
              const Name *out, uint32_t n_out, Props p) {
  Frame m = frame_enter(c);
  Numbered x = least_numbered(c, refs, n, bound, n_bound, out, n_out);
  int64_t *sizes = SCRATCH(c, int64_t, x.n_free + n_bound);
  for (uint32_t i = 0; i < x.n_free + n_bound; i++) sizes[i] = name_size(c, x.order[i]);
  ClassKey key = {kind, attr, x.args, n, sizes, x.n_free, n_bound};
  bool made;
  ClassId id = class_make(c, &key, p, &made);
  if (made && !n_bound && !n_out) inherit_symmetries(c, id);
  RefId r = sym_least(c, ref_make(c, id, x.order, x.n_free));
  frame_leave(c, m);
  return r;
}

RefId sym_least(Calculus *c, RefId r) {
  const Ref *f = ref(c, r);
  const Class *x = cls(c, f->cls);
  if (!x->n_sym) return r;
  Frame m = frame_enter(c);
  Name *best = SCRATCH(c, Name, f->n), *try = SCRATCH(c, Name, f->n);
  memcpy(best, f->names, f->n * sizeof *best);
  for (uint32_t s = 0; s < x->n_sym; s++) {
    int less = 0;
    for (uint32_t p = 0; p < f->n; p++) {
      try[p] = f->names[x->sym[s].at[p]];
      if (!less && try[p] != best[p]) less = try[p] < best[p] ? -1 : 1;
    }
    if (less < 0) memcpy(best, try, f->n * sizeof *best);
  }
  RefId out = ref_make(c, f->cls, best, f->n);
  frame_leave(c, m);
  return out;
}
