#include "eval/calculus/match.h"

#include <string.h>

#include "eval/calculus/core.h"

enum { MAX_ITEMS = 32, MAX_MAPPED = 16, MAX_ASSIGNMENTS = 256, FORMAL = 4096 };

/* What is still to be matched: a pair of references, or parts of a sum or product in any order. */
typedef struct Goal {
  const struct Goal *next;
  bool parts, root;
  RefId p, s;
  Kind kind;
  const Term *ps, *ss;
  uint32_t np, ns;
  uint32_t used_p, used_s; /* bit sets */
} Goal;

typedef struct Mapped { /* an index of the pattern */
  Name from;
  uint32_t index, n;
  Name to[MATCH_DIGITS];
} Mapped;

typedef struct Matcher {
  Calculus *c;
  Match *m;
  uint32_t budget, n_mapped, n_bound;
  Mapped mapped[MAX_MAPPED];
  Name bound[64]; /* opened in the subject so far */
  MatchAccept *accept;
  void *context;
} Matcher;

static bool solve(Matcher *m, const Goal *g);

Name match_formal(Calculus *c, uint32_t dim, uint32_t digit, int64_t size) {
  return calculus_name(c, NAME_TEMP, FORMAL + dim, digit, size);
}

static int param_of(const Matcher *m, RefId r) {
  const Class *x = cls_of(m->c, r);
  for (uint32_t i = 0; x->kind == K_LEAF && i < m->m->n_params; i++)
    if (m->m->params[i].leaf == x->attr) return (int)i;
  return -1;
}

static Mapped *mapped(Matcher *m, Name n) {
  for (uint32_t i = m->n_mapped; i-- > 0;)
    if (m->mapped[i].from == n) return &m->mapped[i];
  return NULL;
}

/* ---- parameters */

/* Where a reference is asked for, a scaled value is a sum with its factor inside. */
static Value argument(Calculus *c, RefId r) {
  if (cls_of(c, r)->kind != K_LIN) return one_of(r);
  Terms t = terms_of(c, one_of(r));
  return lin(c, &t);
}

/* The parameter stands for v, and the goals that follow hold. */
static bool bind(Matcher *m, uint32_t k, RefId p, Value v, const Goal *next) {
  Calculus *c = m->c;
  MatchParam *x = &m->m->params[k];
  Ref r = *ref(c, p);
  Subst s = {0};
  for (uint32_t d = 0; d < r.n; d++) {
    const Mapped *at = mapped(m, r.names[d]);
    if (!at) return false;
    for (uint32_t j = 0; j < at->n; j++) subst_put(&s, at->to[j], match_formal(c, d, j, name_size(c, at->to[j])));
  }
  v = calc_rename(c, v, &s);
  if (flags_of(c, v.ref) & F_INFINITE || (x->integer && !integer_value(c, v))) return false;
  for (uint32_t i = 0; i < m->n_bound; i++)
    if (value_has(c, v, m->bound[i])) return false;
  if (x->found) return value_same(x->value, v) && solve(m, next);
  x->found = true;
  x->value = v;
  bool ok = solve(m, next);
  x->found = ok;
  return ok;
}

/* ---- sums and products */

/* The parts that are not used, as one value; `tag` is the parameter's. */
static bool left_over(Matcher *m, const Goal *g, uint32_t take, Rat tag, Value *out) {
  Calculus *c = m->c;
  Value v[MAX_ITEMS];
  uint32_t n = 0;
  bool product = g->kind == K_MUL || g->kind == K_RED;
  if (tag == RAT_0 || (g->kind == K_MAX && tag != RAT_1)) return false;
  for (uint32_t i = 0; i < g->ns; i++) {
    if (!(take >> i & 1)) continue;
    Rat k = rat_div(g->ss[i].k, tag);
    v[n++] = product ? calc_pow(c, one_of(g->ss[i].ref), k) : val(k, g->ss[i].ref);
  }
  *out = product ? calc_mul(c, v, n) : g->kind == K_MAX ? calc_max(c, v, n, NULL, 0) : calc_add(c, v, n);
  return n > 0;
}

static uint32_t all(uint32_t n) { return n >= 32 ? UINT32_MAX : (1u << n) - 1; }

/* Parameters among the parts take what no other part of the pattern needs. */
static bool solve_rest(Matcher *m, const Goal *g, uint32_t lone, uint32_t n_lone) {
  uint32_t free = all(g->ns) & ~g->used_s;
  if (!n_lone) {
    if (!free) return solve(m, g->next);
    if (!g->root || !left_over(m, g, free, RAT_1, &m->m->rest) || !left_over(m, g, g->used_s, RAT_1, &m->m->part))
      return false;
    m->m->product = g->kind == K_MUL;
    return solve(m, g->next);
  }
  Goal after = *g;
  after.used_p |= 1u << lone;
  int k = param_of(m, g->ps[lone].ref);
  Value v;
  for (uint32_t i = 0; i < g->ns && n_lone > 1; i++) {
    if (!(free >> i & 1) || !left_over(m, g, 1u << i, g->ps[lone].k, &v)) continue;
    after.used_s = g->used_s | 1u << i;
    if (bind(m, (uint32_t)k, g->ps[lone].ref, v, &after)) return true;
  }
  if (n_lone > 1 || !left_over(m, g, free, g->ps[lone].k, &v)) return false;
  after.used_s |= free;
  return bind(m, (uint32_t)k, g->ps[lone].ref, v, &after);
}

/* Digits of one index in the subject's integer form, most significant first. */
static bool take_index(Matcher *m, const Goal *g, uint32_t i) {
  Calculus *c = m->c;
  Mapped *at = mapped(m, ref(c, g->ps[i].ref)->names[0]);
  Goal after = *g;
  after.used_p |= 1u << i;
  Rat coef[MATCH_DIGITS];
  uint32_t n = 0;
  for (uint32_t j = 0; at && j < g->ns; j++) {
    if (g->used_s >> j & 1 || cls_of(c, g->ss[j].ref)->kind != K_IDX) continue;
    Name name = ref(c, g->ss[j].ref)->names[0];
    for (uint32_t d = n; d < at->n; d++) {
      if (at->to[d] != name) continue;
      at->to[d] = at->to[n];
      at->to[n] = name;
      coef[n++] = rat_abs(g->ss[j].k);
      after.used_s |= 1u << j;
      for (uint32_t e = n - 1; e > 0 && rat_cmp(coef[e - 1], coef[e]) < 0; e--) {
        Rat k = coef[e];
        coef[e] = coef[e - 1], coef[e - 1] = k;
        Name x = at->to[e];
        at->to[e] = at->to[e - 1], at->to[e - 1] = x;
      }
      break;
    }
  }
  if (!at || n != at->n) return false;
  MatchIndex *x = &m->m->indices[at->index];
  for (uint32_t d = 0; d < n; d++) x->size[d] = name_size(c, at->to[d]);
  return solve(m, &after);
}

static bool solve_parts(Matcher *m, const Goal *g) {
  Calculus *c = m->c;
  uint32_t lone = 0, n_lone = 0;
  for (uint32_t i = 0; i < g->np; i++) {
    if (g->used_p >> i & 1) continue;
    int k = param_of(m, g->ps[i].ref);
    if (k >= 0) {
      if (!n_lone || m->m->params[k].found) lone = i; /* one that is known already comes first */
      n_lone++;
      continue;
    }
    if (g->kind == K_LIN && cls_of(c, g->ps[i].ref)->kind == K_IDX) return take_index(m, g, i);
    for (uint32_t j = 0; j < g->ns; j++) {
      bool exponents = g->kind == K_MUL || g->kind == K_RED;
      if (g->used_s >> j & 1 || (exponents && g->ps[i].k != g->ss[j].k)) continue;
      Goal after = *g, pair = {.next = &after, .p = g->ps[i].ref, .s = g->ss[j].ref};
      after.used_p |= 1u << i;
      after.used_s |= 1u << j;
      if (solve(m, &pair)) return true;
    }
    return false;
  }
  int k = n_lone ? param_of(m, g->ps[lone].ref) : -1;
  if (k < 0 || !m->m->params[k].found || g->kind != K_LIN) return solve_rest(m, g, lone, n_lone);
  /* a summand that is known: its own terms go */
  Goal after = *g;
  after.used_p |= 1u << lone;
  Terms t = terms_of(c, value_scale(g->ps[lone].k, m->m->params[k].value));
  for (uint32_t i = 0; i < t.n; i++) {
    uint32_t j = 0;
    while (j < g->ns && (after.used_s >> j & 1 || g->ss[j].ref != t.at[i].ref || g->ss[j].k != t.at[i].k)) j++;
    if (j == g->ns) return solve_rest(m, g, lone, n_lone);
    after.used_s |= 1u << j;
  }
  return solve(m, &after);
}

/* ---- indices */

/* Digits `assigned` to the pattern's bound indices; then the parts. */
static bool solve_bound(Matcher *m, const Opened *p, const Opened *s, const uint32_t *assigned, const Goal *parts) {
  Calculus *c = m->c;
  uint32_t had = m->n_mapped, had_bound = m->n_bound;
  MatchIndex old[MAX_MAPPED];
  if (had + p->n_bound > MAX_MAPPED || had_bound + s->n_bound > 64 || m->m->n_indices > MAX_MAPPED) return false;
  memcpy(old, m->m->indices, m->m->n_indices * sizeof *old);
  bool ok = true;
  for (uint32_t i = 0; i < p->n_bound && ok; i++) {
    Mapped *at = &m->mapped[m->n_mapped++];
    *at = (Mapped){.from = p->bound[i], .index = m->m->n_indices};
    for (uint32_t k = 0; k < m->m->n_indices; k++)
      if (m->m->indices[k].pattern_size == name_size(c, p->bound[i])) at->index = k;
    for (uint32_t j = 0; j < s->n_bound; j++)
      if (assigned[j] == i && at->n < MATCH_DIGITS) at->to[at->n++] = s->bound[j];
    ok = at->index < m->m->n_indices && at->n > 0;
    if (!ok) break;
    MatchIndex *x = &m->m->indices[at->index];
    if (x->n) ok = x->n == at->n;
    for (uint32_t d = 0; d < at->n && ok; d++) {
      if (x->n && x->size[d] != name_size(c, at->to[d])) ok = false;
      x->size[d] = name_size(c, at->to[d]);
    }
    if (ok) x->n = at->n;
  }
  for (uint32_t j = 0; j < s->n_bound; j++) m->bound[m->n_bound++] = s->bound[j];
  ok = ok && solve(m, parts);
  m->n_mapped = had;
  m->n_bound = had_bound;
  if (!ok) memcpy(m->m->indices, old, m->m->n_indices * sizeof *old);
  return ok;
}

/* Every way to give the subject's bound indices to the pattern's. */
static bool solve_reduction(Matcher *m, const Opened *p, const Opened *s, const Goal *parts) {
  uint32_t total = 1, assigned[64];
  if (s->n_bound > 64 || p->n_bound > s->n_bound || (!p->n_bound && s->n_bound)) return false;
  for (uint32_t j = 0; j < s->n_bound; j++)
    if ((total *= p->n_bound) > MAX_ASSIGNMENTS) return false;
  for (uint32_t k = 0; k < total; k++) {
    uint32_t rest = k;
    for (uint32_t j = 0; j < s->n_bound; j++, rest /= p->n_bound) assigned[j] = rest % p->n_bound;
    if (solve_bound(m, p, s, assigned, parts)) return true;
  }
  return false;
}

/* ---- terms */

static Opened parts_of(Calculus *c, RefId r, Kind kind) {
  if (cls_of(c, r)->kind == kind) return node_open(c, r);
  Opened o = {1, SCRATCH(c, Term, 1), 0, NULL};
  o.args[0] = (Term){r, RAT_1};
  return o;
}

static bool solve_pair(Matcher *m, const Goal *g) {
  Calculus *c = m->c;
  int k = param_of(m, g->p);
  if (k >= 0) return bind(m, (uint32_t)k, g->p, add_terms(c, &(Terms[1]){terms_of(c, one_of(g->s))}[0]), g->next);
  const Class *p = cls_of(c, g->p), *s = cls_of(c, g->s);
  Kind kind = (Kind)p->kind;
  if (g->p == g->s && kind <= K_NEGINF) return solve(m, g->next);
  if (kind == K_LIN || kind == K_MUL || kind == K_RED || kind == K_MAX) {
    if (s->kind != kind && kind != K_LIN && kind != K_MUL) return false;
    Opened a = node_open(c, g->p), b = parts_of(c, g->s, kind);
    if (a.n > MAX_ITEMS || b.n > MAX_ITEMS) return false;
    Goal parts = {.next = g->next, .parts = true, .root = g->root, .kind = kind};
    parts.ps = a.args, parts.np = a.n, parts.ss = b.args, parts.ns = b.n;
    parts.root &= kind == K_LIN || kind == K_MUL;
    return solve_reduction(m, &a, &b, &parts);
  }
  if (kind != (Kind)s->kind || p->attr != s->attr || p->n_args != s->n_args || p->n_bound || s->n_bound) return false;
  if (kind != K_FN && kind != K_CMP && kind != K_SEL) return false;
  Opened a = node_open(c, g->p), b = node_open(c, g->s);
  Goal *args = SCRATCH(c, Goal, a.n);
  const Goal *next = g->next;
  for (uint32_t i = a.n; i-- > 0; next = &args[i])
    args[i] = (Goal){.next = next, .p = a.args[i].ref, .s = b.args[i].ref};
  return solve(m, next);
}

static bool solve(Matcher *m, const Goal *g) {
  if (!m->budget || calculus_exhausted(m->c)) return false;
  m->budget--;
  if (!g) return m->accept(m->context, m->m);
  return g->parts ? solve_parts(m, g) : solve_pair(m, g);
}

bool calc_match(Calculus *c, Value pattern, Value subject, Match *m, uint32_t budget, MatchAccept *accept,
                void *context) {
  if (value_is_num(pattern) || value_is_num(subject) || param_of(&(Matcher){.c = c, .m = m}, pattern.ref) >= 0)
    return false;
  for (uint32_t i = 0; i < m->n_params; i++) m->params[i].found = false;
  for (uint32_t i = 0; i < m->n_indices; i++) m->indices[i].n = 0;
  Matcher t = {.c = c, .m = m, .budget = budget, .accept = accept, .context = context};
  Goal root = {.root = true, .p = pattern.ref, .s = subject.ref};
  m->part = subject;
  m->rest = VALUE_ZERO;
  m->product = false;
  return solve(&t, &root);
}

/* By kinds and functions alone: sums and products, and what parameters stand for, are as they may be. */
static bool alike(const Calculus *c, ClassId p, ClassId s) {
  const Class *x = cls(c, p), *y = cls(c, s);
  if (x->kind != K_FN && x->kind != K_CMP && x->kind != K_SEL) return true;
  bool is = x->kind == y->kind && x->attr == y->attr && x->n_args == y->n_args;
  for (uint32_t i = 0; i < x->n_args && is; i++) is = alike(c, x->args[i].cls, y->args[i].cls);
  return is;
}

bool calc_matches_nowhere(const Calculus *c, Value pattern, Value v) {
  if (value_is_num(pattern) || value_is_num(v)) return true;
  ClassId top = value_class(c, v), p = value_class(c, pattern);
  bool *below = xcalloc(top + 1, sizeof *below), some = false;
  below[top] = true;
  for (ClassId id = top + 1; id-- > 0 && !some;) { /* what a class is made of is older than it */
    if (!below[id]) continue;
    const Class *x = cls(c, id);
    some = alike(c, p, id);
    for (uint32_t i = 0; i < x->n_args; i++) below[x->args[i].cls] = true;
    if (x->kind == K_AT) below[c->ats.at[x->attr].base] = true;
  }
  free(below);
  return !some;
}

/* ---- replacing */

typedef struct Replacing {
  Calculus *c;
  ReplacePart *f;
  void *context;
  uint32_t *budget;
  Vec(uint32_t) at; /* by reference: 1 + where its value stands, or 0 */
  Vec(Value) to;
} Replacing;

static Value replaced(Replacing *s, RefId r);

static Value replaced_argument(Replacing *s, RefId r) {
  Value v = replaced(s, r);
  return v.ref == r && v.k == RAT_1 ? argument(s->c, r) : v;
}

static Value replaced(Replacing *s, RefId r) {
  Calculus *c = s->c;
  if (r < s->at.len && s->at.at[r]) return s->to.at[s->at.at[r] - 1];
  Value v = one_of(r), by;
  if (!*s->budget) return v;
  --*s->budget;
  if (cls_of(c, r)->n_args && step(c)) {
    ClassId id = ref(c, r)->cls;
    Opened o = node_open(c, r);
    Value *args = SCRATCH(c, Value, o.n);
    Rat *tags = SCRATCH(c, Rat, o.n);
    bool changed = false;
    for (uint32_t i = 0; i < o.n; i++) {
      args[i] = replaced_argument(s, o.args[i].ref);
      tags[i] = o.args[i].k;
      changed |= ref_of(c, args[i]) != o.args[i].ref;
    }
    if (changed) v = node_make(c, id, args, tags, o.n, o.bound, o.n_bound, ref(c, r)->names);
  }
  if (!value_is_num(v) && s->f(s->context, one_of(v.ref), &by)) v = value_scale(v.k, by);
  while (s->at.len <= r) vec_push(&s->at, 0);
  vec_push(&s->to, v);
  s->at.at[r] = (uint32_t)s->to.len;
  return v;
}

Value calc_replace(Calculus *c, Value v, uint32_t *budget, ReplacePart *f, void *context) {
  if (value_is_num(v)) return v;
  Replacing s = {.c = c, .f = f, .context = context, .budget = budget};
  Frame frame = frame_enter(c);
  Value out = value_scale(v.k, replaced(&s, v.ref));
  frame_leave(c, frame);
  vec_free(&s.at);
  vec_free(&s.to);
  return out;
}
