/* condition: see condition.h. */
#include "eval/lemma/condition.h"

#include <string.h>

#include "eval/prove/lemma.h"
#include "lang/lang.h"

enum { MAX_CANDIDATES = 48, ENOUGH_SHAPES = 3 };

typedef struct Candidate {
  AstExpr *e;
  const char *text;
} Candidate;

typedef struct Search {
  const AstItem *item;
  Arena *a;
  const Sources *sources;
  Vec(Candidate) list;
} Search;

static AstExpr *expr(Search *s, AstKind kind, AstExpr *x, AstExpr *y) {
  AstExpr *e = ARENA_NEW(s->a, AstExpr);
  uint16_t dx = x ? x->depth : 0, dy = y ? y->depth : 0;
  *e = (AstExpr){.kind = (uint8_t)kind, .span = s->item->span, .depth = (uint16_t)(1 + (dx > dy ? dx : dy))};
  e->args = ARENA_ARRAY(s->a, AstExpr *, 2);
  if (x) e->args[e->n_args++] = x;
  if (y) e->args[e->n_args++] = y;
  return e;
}

static AstExpr *name(Search *s, Sym text) {
  AstExpr *e = expr(s, EX_NAME, NULL, NULL);
  e->name = text;
  return e;
}

static AstExpr *zero(Search *s) {
  AstExpr *e = expr(s, EX_RAT, NULL, NULL);
  e->value = RAT_0;
  return e;
}

static void offer(Search *s, AstKind kind, AstExpr *x, const char *text, AstExpr *y, const char *bound) {
  static const char *const texts[EX_N_KINDS] = {
      [EX_EQ] = "==", [EX_NE] = "!=", [EX_GT] = ">", [EX_GE] = ">=", [EX_LE] = "<="};
  if (s->list.len == MAX_CANDIDATES) return;
  const char *words = arena_printf(s->a, "%s %s %s", text, texts[kind], bound);
  for (size_t i = 0; i < s->list.len; i++)
    if (!strcmp(s->list.at[i].text, words)) return;
  vec_push(&s->list, (Candidate){expr(s, kind, x, y), words});
}

static const char *written(const Search *s, const AstExpr *e) {
  const Source *source = sources_get(s->sources, e->span.source);
  return source ? arena_printf(s->a, "%.*s", (int)(e->span.hi - e->span.lo), source->text + e->span.lo) : "?";
}

static const char *text_of(const Search *s, const AstExpr *e) {
  const char *text = written(s, e);
  return e->kind >= EX_SUM && *text != '(' ? arena_printf(s->a, "(%s)", text) : text;
}

/* The indices of all brackets, groups left out. */
static uint32_t indices(const Search *s, Sym *out, uint32_t max) {
  const AstLemma *l = &s->item->lemma;
  uint32_t n = 0;
  for (uint32_t p = 0; p < l->n_params; p++)
    for (uint32_t d = 0; d < l->params[p].n_dims; d++)
      for (uint32_t j = 0; j < l->params[p].dims[d].n; j++) {
        const AstIndex *x = &l->params[p].dims[d].digit[j];
        bool seen = x->form == FORM_GROUP || n == max;
        for (uint32_t k = 0; k < n; k++) seen |= out[k] == x->name;
        if (!seen) out[n++] = x->name;
      }
  return n;
}

static AstExpr *size_of(Search *s, Sym index) {
  AstExpr *size = expr(s, EX_BUILTIN, name(s, index), NULL);
  size->builtin = BUILTIN_SIZE;
  return size;
}

static const char *size_text(Search *s, Sym index) { return arena_printf(s->a, "size(%s)", sym_text(index)); }

static void equal_sizes(Search *s) {
  Sym at[8];
  uint32_t n = indices(s, at, 8);
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = i + 1; j < n; j++)
      offer(s, EX_EQ, size_of(s, at[i]), size_text(s, at[i]), size_of(s, at[j]), size_text(s, at[j]));
}

static void sizes(Search *s) {
  const AstLemma *l = &s->item->lemma;
  Sym at[16];
  uint32_t n = indices(s, at, 16);
  AstExpr *all = NULL;
  const char *words = NULL;
  for (uint32_t i = 0; i < n; i++) {
    AstExpr *one = expr(s, EX_GT, size_of(s, at[i]), zero(s));
    const char *text = arena_printf(s->a, "%s > 0", size_text(s, at[i]));
    all = all ? expr(s, EX_AND, all, one) : one;
    words = words ? arena_printf(s->a, "%s and %s", words, text) : text;
    offer(s, EX_GT, one->args[0], size_text(s, at[i]), one->args[1], "0");
  }
  if (n > 1) vec_push(&s->list, (Candidate){all, words});
  for (uint32_t k = 0; k < l->n_attrs; k++) {
    const char *text = sym_text(l->attrs[k].name);
    offer(s, EX_NE, name(s, l->attrs[k].name), text, zero(s), "0");
    offer(s, EX_GT, name(s, l->attrs[k].name), text, zero(s), "0");
    offer(s, EX_GE, name(s, l->attrs[k].name), text, zero(s), "0");
  }
}

/* Mentions a parameter. */
static bool of_data(const Search *s, const AstExpr *e) {
  for (uint32_t p = 0; p < s->item->lemma.n_params; p++)
    if ((e->kind == EX_READ || e->kind == EX_NAME) && e->name == s->item->lemma.params[p].name) return true;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (of_data(s, e->args[i])) return true;
  return false;
}

static void offer_data(Search *s, AstKind kind, AstExpr *x) {
  if (of_data(s, x)) offer(s, kind, x, text_of(s, x), zero(s), "0");
}

/* Quotients, roots and logarithms of either side. */
static void partial_operations(Search *s, AstExpr *e) {
  if (e->kind == EX_DIV) offer_data(s, EX_NE, e->args[1]);
  const char *fn = e->kind == EX_CALL ? sym_text(e->name) : "";
  if (!strcmp(fn, "log") || !strcmp(fn, "rsqrt")) offer_data(s, EX_GT, e->args[0]);
  if (!strcmp(fn, "sqrt")) offer_data(s, EX_GE, e->args[0]);
  if (e->kind == EX_POW) offer_data(s, EX_NE, e->args[0]);
  for (uint32_t i = 0; i < e->n_args; i++) partial_operations(s, e->args[i]);
}

static void scalars(Search *s) {
  const AstLemma *l = &s->item->lemma;
  for (uint32_t p = 0; p < l->n_params; p++) {
    if (l->params[p].n_dims) continue;
    Sym x = l->params[p].name;
    offer(s, EX_NE, name(s, x), sym_text(x), zero(s), "0");
    offer(s, EX_GE, name(s, x), sym_text(x), zero(s), "0");
    offer(s, EX_GT, name(s, x), sym_text(x), zero(s), "0");
    for (uint32_t q = 0; q < l->n_params; q++)
      if (q != p && !l->params[q].n_dims)
        offer(s, EX_LE, name(s, x), sym_text(x), name(s, l->params[q].name), sym_text(l->params[q].name));
  }
}

static bool mentions(const AstExpr *e, Sym index) {
  bool is = e->kind == EX_NAME && e->name == index;
  for (uint32_t i = 0; i < e->n_args && !is; i++) is = mentions(e->args[i], index);
  return is;
}

static bool binds(const AstExpr *e, Sym index) {
  bool is = false;
  for (uint32_t i = 0; i < e->n_binders && !is; i++) is = e->binders[i].name == index;
  for (uint32_t i = 0; i < e->n_args && !is; i++) is = binds(e->args[i], index);
  return is;
}

/* A condition on elements of which the sides reduce all, asked of all: by itself it is asked of one alone. */
static void of_all(void *context, const AstExpr *e) {
  Search *s = context;
  Sym all[8];
  uint32_t n = 0, n_all = indices(s, all, 8);
  AstExpr *least = expr(s, EX_MIN, NULL, NULL), *holds = expr(s, EX_IF, (AstExpr *)e, NULL), *one = zero(s);
  AstIndex *bound = ARENA_ARRAY(s->a, AstIndex, 8);
  const char *names = "";
  for (uint32_t i = 0; i < n_all; i++) {
    if (!mentions(e, all[i]) || binds(e, all[i]) || !binds(s->item->lemma.equation, all[i])) continue;
    names = arena_printf(s->a, "%s%s%s", names, n ? ", " : "", sym_text(all[i]));
    bound[n++] = (AstIndex){.name = all[i], .span = e->span};
  }
  if (!n || !of_data(s, e)) return;
  one->value = RAT_1;
  holds->args = ARENA_ARRAY(s->a, AstExpr *, 3);
  holds->args[0] = (AstExpr *)e, holds->args[1] = one, holds->args[2] = zero(s), holds->n_args = 3;
  least->args[least->n_args++] = holds;
  least->depth = (uint16_t)(holds->depth + 1);
  least->binders = bound, least->n_binders = n;
  offer(s, EX_EQ, least, arena_printf(s->a, "min(%s) (if %s then 1 else 0)", names, written(s, e)), one, "1");
}

/* The shapes that meet the condition are no few exceptions. */
static bool enough(const Shapes *s, const Broken *b) {
  uint32_t n = 0, of = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    of += !s->at[i].empty;
    n += !s->at[i].empty && b->allowed[i];
  }
  return n >= ENOUGH_SHAPES || 2 * n >= of;
}

const char *condition_missing(const AstItem *lemma, Library *library, uint32_t *number, Arena *a, Diags *diags) {
  Search s = {.item = lemma, .a = a, .sources = diags_sources(diags)};
  lemma_conjuncts(lemma->lemma.when, of_all, &s);
  sizes(&s);
  partial_operations(&s, lemma->lemma.equation);
  scalars(&s);
  equal_sizes(&s);
  const char *found = NULL;
  uint32_t n_files;
  library_files(library, &n_files); /* the breaker adds more */
  for (size_t i = 0; i < s.list.len && !found; i++) {
    AstItem *with = arena_copy(a, lemma, sizeof *lemma);
    AstExpr *e = s.list.at[i].e;
    with->name = sym(arena_printf(a, "%s.with%zu", sym_text(lemma->name), i));
    with->lemma.when = lemma->lemma.when ? expr(&s, EX_AND, lemma->lemma.when, e) : e;
    AstFile one = {.source = lemma->span.source, .n_items = 1, .items = &with};
    Diags *quiet = diags_new(diags_sources(diags));
    Shapes shapes;
    if (lang_check(&one, library_files(library, &(uint32_t){0}), n_files, quiet) && shapes_of(&shapes, with, a)) {
      Broken b = breaker_run(&shapes, library, number, a, quiet);
      if (!b.found && !b.wrong && b.met && enough(&shapes, &b)) found = s.list.at[i].text;
    }
    diags_free(quiet);
  }
  vec_free(&s.list);
  return found;
}
