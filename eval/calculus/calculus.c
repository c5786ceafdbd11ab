/* The calculus as others see it: making and freeing, options and budgets, leaves, and questions about values. */
#define _GNU_SOURCE
#include "eval/calculus/calculus.h"

#include <pthread.h>
#include <string.h>

#include "eval/calculus/core.h"
#include "lang/base/clock.h"

/* Leaves a megabyte for whoever is called below. */
static const char *stack_end(void) {
  pthread_attr_t attr;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attr)) return NULL;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_destroy(&attr);
  return (const char *)low + (size > 4 << 20 ? 1 << 20 : size / 4);
}

Calculus *calculus_new(void) {
  Calculus *c = xcalloc(1, sizeof *c);
  FnSyms *f = &c->fn;
  struct {
    Sym *at;
    const char *text;
  } names[] = {{&f->exp, "exp"},           {&f->log, "log"},
               {&f->abs, "abs"},           {&f->clamp, "clamp"},
               {&f->truncdiv, "truncdiv"}, {&f->rem, "rem"},
               {&f->floordiv, "floordiv"}, {&f->mod, "mod"},
               {&f->trunc, "trunc"},       {&f->pow, "pow"},
               {&f->ceil, "ceil"},         {&f->round_even, "round_even"},
               {&f->sign, "sign"},         {&f->round_afz, "round_afz"},
               {&f->floor, "floor"},       {&f->sin, "sin"},
               {&f->cos, "cos"},
               {&f->maximum, "maximum"},   {&f->minimum, "minimum"},
               {&f->band, "band"},         {&f->shl, "shl"},
               {&f->shr, "shr"},           {&f->largest, "largest"},
               {&f->tanh, "tanh"},         {&f->erf, "erf"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) *names[i].at = sym(names[i].text);
  bool made;
  ClassKey one = {.kind = K_ONE}, neginf = {.kind = K_NEGINF};
  ClassId a = class_make(c, &one, (Props){F_POS | F_NONNEG | F_INTEGER | F_RANGE, RAT_1, RAT_1}, &made);
  ClassId b = class_make(c, &neginf, (Props){F_INFINITE, RAT_0, RAT_0}, &made);
  c->one = ref_make(c, a, NULL, 0);
  c->neginf = ref_make(c, b, NULL, 0);
  assert(c->one == VALUE_ONE.ref);
  return c;
}

void calculus_free(Calculus *c) {
  if (!c) return;
  vec_free(&c->classes);
  vec_free(&c->refs);
  vec_free(&c->names);
  vec_free(&c->ats);
  vec_free(&c->forms);
  vec_free(&c->tables);
  vec_free(&c->marks);
  vec_free(&c->sorts);
  vec_free(&c->rewrites);
  vec_free(&c->lit_sets);
  free(c->lit_slots);
  free(c->class_slots);
  free(c->ref_slots);
  free(c->name_slots);
  free(c->at_slots);
  free(c->memo.at);
  free(c->split);
  arena_free(&c->arena);
  arena_free(&c->scratch);
  arena_free(&c->form_arena);
  free(c);
}

void calculus_set(Calculus *c, const CalculusOptions *o) {
  c->options = *o;
  c->exhausted = false;
  c->stats.steps = 0;
  c->broken = false;
  c->stack_end = stack_end();
  c->deadline = o->max_seconds > 0 ? clock_spent() + o->max_seconds : 0;
}

void calculus_rewrite(Calculus *c, Sym fn, CalculusRewrite *f, void *context) {
  for (size_t i = 0; i < c->rewrites.len; i++)
    if (c->rewrites.at[i].fn == fn) c->rewrites.at[i--] = vec_pop(&c->rewrites);
  if (f) vec_push(&c->rewrites, (FnRewrite){fn, f, context});
}

void calculus_split(Calculus *c, const Sort *sorts, uint32_t n) {
  c->split = xrealloc(c->split, n * sizeof *sorts);
  if (n) memcpy(c->split, sorts, n * sizeof *sorts);
  c->n_split = n;
}

bool step(Calculus *c) {
  c->stats.steps++;
  if ((const char *)__builtin_frame_address(0) < c->stack_end) c->broken = c->exhausted = true;
  if (c->exhausted) return false;
  if (c->options.max_steps && c->stats.steps > c->options.max_steps) c->exhausted = true;
  if (c->deadline > 0 && !(c->stats.steps & 31) && clock_spent() > c->deadline) c->exhausted = true;
  if (c->options.max_bytes && !(c->stats.steps & 1023) && calculus_full(c)) c->exhausted = true;
  return !c->exhausted;
}

bool is_late(Calculus *c) {
  if (c->deadline > 0 && !c->exhausted && !(++c->asked & 31)) c->exhausted = clock_spent() > c->deadline;
  return c->exhausted;
}

bool calculus_exhausted(const Calculus *c) { return c->exhausted; }
bool calculus_broken(const Calculus *c) { return c->broken; }
uint32_t calculus_assumptions(const Calculus *c) { return c->assumed; }
void calculus_assume(Calculus *c, uint32_t flags) { c->assumed |= flags; }
void calculus_assumed_only(Calculus *c, uint32_t flags) { c->assumed = flags; }

CalculusStats calculus_stats(const Calculus *c) {
  CalculusStats s = c->stats;
  s.classes = c->classes.len;
  s.refs = c->refs.len;
  s.memory = c->arena.used + c->refs.cap * sizeof(Ref) + c->classes.cap * sizeof(Class) +
             (c->n_ref_slots + c->n_class_slots) * sizeof(uint32_t) + c->memo.cap * sizeof *c->memo.at;
  return s;
}

bool calculus_full(const Calculus *c) {
  return c->options.max_bytes && calculus_stats(c).memory + c->scratch.used > c->options.max_bytes;
}

/* ------------------------------------------------------------------ leaves */
ClassId leaf_class(Calculus *c, uint32_t attr, const int64_t *sizes, uint32_t n, const Sort *sorts, Props p) {
  ClassKey key = {K_LEAF, attr, NULL, 0, sizes, n, 0};
  bool made;
  ClassId id = class_make(c, &key, p, &made);
  if (made && sorts) class_set_sorts(c, id, sorts);
  return id;
}

static Props props_of_info(LeafInfo info) {
  uint16_t flags = (info.integer ? F_INTEGER : 0) | (info.has_range ? F_RANGE : 0) | (info.partial ? F_INFINITE : 0);
  Props p = {flags, info.lo, info.hi, info.gap_lo, info.gap_hi};
  if (info.has_range && info.has_gap) p.flags |= F_GAP;
  bool has_lo = info.has_range || info.has_lo;
  if (has_lo && rat_sign(info.lo) >= 0) p.flags |= F_NONNEG;
  if (has_lo && rat_sign(info.lo) > 0) p.flags |= F_POS;
  if (info.integer && info.has_range && info.lo == RAT_0 && info.hi == RAT_1) p.flags |= F_PRED;
  if (info.unpadded) p.flags |= F_UNPADDED;
  if (info.distinct) p.flags |= F_DISTINCT;
  if (info.distinct && info.order) p.flags |= info.order > 0 ? F_ASCENDS : F_DESCENDS;
  return p;
}

Value calc_leaf(Calculus *c, Sym name, const Name *names, const int64_t *sizes, const Sort *sorts, uint32_t n,
                LeafInfo info) {
  Frame m = frame_enter(c);
  Props p = props_of_info(info);
  ClassId id = leaf_class(c, name, sizes, n, sorts, p);
  Value v = one_of(at_make(c, id, names, n));
  frame_leave(c, m);
  return v;
}

Value calc_idx(Calculus *c, Name n, int64_t size) {
  if (name_is_const(n)) return value_num(rat_int(name_value(n)));
  if (size == 1) return VALUE_ZERO;
  ClassKey key = {K_IDX, 0, NULL, 0, &size, 1, 0};
  bool made;
  ClassId id = class_make(c, &key, (Props){F_INTEGER | F_RANGE | F_NONNEG, RAT_0, rat_int(size - 1)}, &made);
  return one_of(ref_make(c, id, &n, 1));
}

Value calc_opaque(Calculus *c, Sym attrs, const Value *args, uint32_t n, const Name *consumed, uint32_t n_consumed,
                  const Name *out, uint32_t n_out, LeafInfo info) {
  Frame m = frame_enter(c);
  RefId *refs = SCRATCH(c, RefId, n);
  for (uint32_t i = 0; i < n; i++) refs[i] = ref_of(c, args[i]);
  Value v = one_of(ordered(c, K_OP, attrs, refs, n, consumed, n_consumed, out, n_out, props_of_info(info)));
  frame_leave(c, m);
  return v;
}

/* ------------------------------------------------------------------ questions */
uint32_t value_names(const Calculus *c, Value v, const Name **names) {
  const Ref *r = ref(c, v.ref);
  *names = r->names;
  return v.k == RAT_0 ? 0 : r->n;
}

bool value_has(const Calculus *c, Value v, Name n) { return v.k != RAT_0 && ref_has(c, v.ref, n); }
bool value_is_integer(const Calculus *c, Value v) { return integer_value(c, v); }
bool value_is_truth(const Calculus *c, Value v) {
  Rat lo, hi;
  return integer_value(c, v) && range_of(c, v, &lo, &hi) && rat_sign(lo) >= 0 && rat_cmp(hi, RAT_1) <= 0;
}
uint32_t value_conditions(const Calculus *c, Value v) {
  uint32_t f = flags_of(c, v.ref);
  return (f & (F_INFINITE | F_LOGS) ? ASSUME_FINITE : 0) | (f & F_DIVIDES ? ASSUME_NONZERO : 0);
}
bool value_is_partial(const Calculus *c, Value v) {
  ClassId top = value_class(c, v);
  bool partial = flags_of(c, v.ref) & F_PARTIAL, *below = xcalloc(top + 1, sizeof *below);
  below[top] = true;
  for (ClassId id = top + 1; id-- > 0 && !partial;) {
    const Class *x = cls(c, id);
    if (!below[id] || (x->kind == K_FN && x->attr == c->fn.exp)) continue;
    partial = !x->n_args && (x->flags & F_INFINITE);
    for (uint32_t i = 0; i < x->n_args; i++) below[x->args[i].cls] = true;
    if (x->kind == K_AT) below[c->ats.at[x->attr].base] = true;
  }
  free(below);
  return partial;
}
ClassId value_class(const Calculus *c, Value v) { return ref(c, v.ref)->cls; }
bool value_selects(const Calculus *c, Value v, Name n) {
  const Ref *f = ref(c, v.ref);
  const bool *selects = cls(c, f->cls)->selects;
  for (uint32_t i = 0; selects && i < f->n; i++)
    if (f->names[i] == n && selects[i]) return true;
  return false;
}

Sort value_sort_of(const Calculus *c, Value v, Name n) { return sort_of(c, v.ref, n); }

bool value_affine(const Calculus *cc, Value v, Arena *a, Form *out) {
  Calculus *c = (Calculus *)cc;
  Frame m = frame_enter(c);
  Terms t = terms_of(c, v);
  *out = (Form){0, 0, ARENA_ARRAY(a, FormTerm, t.n)};
  bool ok = true;
  for (uint32_t i = 0; i < t.n && ok; i++) {
    int64_t k;
    ok = rat_to_int(t.at[i].k, &k);
    if (!ok) break;
    if (t.at[i].ref == c->one)
      out->constant = k;
    else if (cls_of(c, t.at[i].ref)->kind == K_IDX)
      out->terms[out->n++] = (FormTerm){k, ref(c, t.at[i].ref)->names[0]};
    else
      ok = false;
  }
  frame_leave(c, m);
  return ok;
}

uint32_t value_literal_sorts(const Calculus *c, Value v, LitSort *out, uint32_t max) {
  const Class *x = cls_of(c, v.ref);
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n_lits && n < max; i++) {
    bool seen = !x->lits[i].sort;
    for (uint32_t j = 0; j < n; j++) seen |= out[j].sort == x->lits[i].sort && out[j].size == x->lits[i].size;
    if (!seen) out[n++] = (LitSort){x->lits[i].sort, x->lits[i].size};
  }
  return n;
}
