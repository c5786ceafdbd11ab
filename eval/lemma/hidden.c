/* hidden: see hidden.h.  Looked at is each part without data, as large as it can be: both sides of a comparison, a factor,
 * a branch, a position of a read. */
#include "eval/lemma/hidden.h"

#include <string.h>

#include "eval/meaning/fn.h"

enum { SMALL = 3, MOST_NAMES = 32 }; /* numbers that add up to no more show at the sizes that are always tried */

typedef struct Part { /* of a lemma, without data */
  uint32_t numbers, names; /* that are not 0; sizes and indices, each as often as it stands there */
  bool large, put_together; /* a number other than 1; an operation other than a sum */
  Rat sum;
} Part;

typedef struct Walk {
  const AstItem *lemma;
  uint32_t n;
  Sym data[MOST_NAMES]; /* names that a `let` gives to data */
  Sym beside;           /* a size or an index that stands beside a number */
  bool large, two;      /* one of these numbers is not tried with all sizes of others; there are others */
} Walk;

static bool has_data(const Walk *w, const AstExpr *e) {
  const AstLemma *l = &w->lemma->lemma;
  bool named = e->kind == EX_READ || e->kind == EX_NAME, is = false;
  for (uint32_t i = 0; i < l->n_params && named && !is; i++)
    is = l->params[i].name == e->name && (e->kind == EX_READ || !l->params[i].n_dims);
  for (uint32_t i = 0; i < w->n && named && !is; i++) is = w->data[i] == e->name;
  for (uint32_t i = 0; i < e->n_args && !is; i++) is = has_data(w, e->args[i]);
  return is;
}

static bool is_macro(const AstExpr *e) {
  const char *name = sym_text(e->name);
  return e->kind == EX_CALL && fn_find(e->name) == FN_COUNT && strcmp(name, "sqrt") && strcmp(name, "rsqrt");
}

static void look(const AstExpr *e, Part *p) {
  if (e->kind == EX_RAT && e->value != RAT_0) {
    Rat v = rat_abs(e->value), w = rat_is_finite(v) ? rat_inv(v) : RAT_1;
    p->numbers++;
    p->large |= v != RAT_1;
    p->sum = rat_add(p->sum, rat_cmp(v, w) < 0 ? w : v);
  }
  p->names += e->kind == EX_NAME || e->kind == EX_GROUP || (e->kind == EX_BUILTIN && !e->n_args);
  p->put_together |= e->kind == EX_MUL || e->kind == EX_DIV || e->kind == EX_POW || e->kind == EX_CALL;
  for (uint32_t i = 0; i < e->n_args; i++) look(e->args[i], p);
}

static Part part_of(const AstExpr *e) {
  Part p = {.sum = RAT_0};
  look(e, &p);
  return p;
}

static bool is_fixed(const AstIndex *i, Sym name) { return i->name == name && i->size && i->size->kind == EX_RAT; }

/* Of a size that is not written down. */
static bool is_open(const Walk *w, Sym name) {
  const AstLemma *l = &w->lemma->lemma;
  for (uint32_t i = 0; i < l->n_params; i++)
    for (uint32_t d = 0; d < l->params[i].n_dims; d++)
      for (uint32_t k = 0; k < l->params[i].dims[d].n; k++)
        if (is_fixed(&l->params[i].dims[d].digit[k], name)) return false;
  return true;
}

/* Names open sizes that stand beside a number. */
static void note_sizes(Walk *w, const AstExpr *e) {
  if ((e->kind == EX_NAME || e->kind == EX_GROUP) && is_open(w, e->name)) {
    w->two |= w->beside && w->beside != e->name;
    w->beside = e->name;
  }
  for (uint32_t i = 0; i < e->n_args; i++) note_sizes(w, e->args[i]);
}

static bool has_rank(const AstExpr *e) {
  if (e->kind == EX_BUILTIN && e->builtin == BUILTIN_RANK) return true;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (has_rank(e->args[i])) return true;
  return false;
}

/* A number by other means, such as 5 * 7, is as good as another where it is no position and no size.  Sizes about a number
 * are tried for one name at a time, and few ranks are. */
static bool part_hides(Walk *w, const AstExpr *e, bool position) {
  Part p = part_of(e);
  if (!p.names) return position && (p.put_together || p.numbers > 1);
  bool compares = e->kind >= EX_EQ && e->kind <= EX_GE;
  if (compares && p.put_together && p.names > SMALL) return true; /* as of one size and the cube of another */
  if (p.numbers) note_sizes(w, e);
  if (rat_cmp(p.sum, rat_int(has_rank(e) ? 0 : SMALL)) <= 0) return false;
  w->large = true;
  return (p.put_together ? p.large : p.numbers > 1) || has_rank(e);
}

static bool hides(Walk *w, const AstExpr *e, bool position);

/* A name for data is data; one for a number hides it. */
static bool let_hides(Walk *w, const AstExpr *e) {
  bool data = has_data(w, e->args[0]);
  uint32_t n = w->n;
  if (!data && (part_of(e->args[0]).large || part_hides(w, e->args[0], true))) return true;
  if (hides(w, e->args[0], false) || n == MOST_NAMES) return true;
  if (data) w->data[w->n++] = e->name;
  bool hidden = hides(w, e->args[1], false);
  w->n = n;
  return hidden;
}

static bool hides(Walk *w, const AstExpr *e, bool position) {
  bool choice = e->kind == EX_IF || e->kind == EX_AND || e->kind == EX_OR || e->kind == EX_NOT;
  bool reduction = e->kind == EX_SUM || e->kind == EX_MAX || e->kind == EX_MIN || e->kind == EX_ALL;
  for (uint32_t i = 0; i < e->n_binders; i++)
    if (e->binders[i].size && part_hides(w, e->binders[i].size, true)) return true;
  for (uint32_t i = 0; i < e->n_args && is_macro(e); i++) /* numbers of its body are not seen */
    if (!has_data(w, e->args[i]) && part_of(e->args[i]).names) return true;
  if (e->kind == EX_LET) return let_hides(w, e);
  if (!choice && !reduction && !has_data(w, e)) return part_hides(w, e, position);
  for (uint32_t i = 0; i < e->n_args; i++)
    if (hides(w, e->args[i], e->kind == EX_READ)) return true;
  return false;
}

bool hidden_numbers(const AstItem *l) {
  Walk w = {.lemma = l};
  return hides(&w, l->lemma.equation, false) || (l->lemma.when && hides(&w, l->lemma.when, false)) || (w.large && w.two);
}
