#include "eval/meaning/fit.h"

#include <string.h>

static bool misfit(Fit *f, DiagCode code, const char *why) {
  if (!f->misfit) f->code = code, f->misfit = why;
  return false;
}

uint32_t fit_param(const Fit *f, Sym name) {
  uint32_t p = 0;
  while (p < f->op->n_params && f->op->params[p].name != name) p++;
  return p;
}

FitName *fit_name(const Fit *f, Sym name) {
  for (uint32_t i = 0; i < f->n_names; i++)
    if (f->names[i].name == name) return &f->names[i];
  return NULL;
}

const Node *fit_arg(const Fit *f, uint32_t operand) { return &f->g->nodes.at[f->node->args[operand]]; }

bool fit_attr(const Fit *f, Sym name, Attr *out) {
  const Attr *a = node_attr(f->node, name);
  if (a) return *out = *a, true;
  for (uint32_t i = 0; i < f->op->n_attrs; i++) {
    const AstExpr *e = f->op->attrs[i].init;
    if (f->op->attrs[i].name != name || !e) continue;
    bool minus = e->kind == EX_NEG;
    if (minus) e = e->args[0];
    *out = (Attr){.name = name};
    if (e->kind == EX_RAT) {
      Rat r = minus ? rat_neg(e->value) : e->value;
      out->kind = rat_to_int(r, &out->i) ? ATTR_INT : ATTR_RAT;
      out->r = r;
      return true;
    }
    if (e->kind == EX_NAME || e->kind == EX_STRING) return out->kind = ATTR_SYM, out->s = e->name, true;
  }
  return false;
}

/* ---- Placing patterns ---- */

/* The integers an attribute lists; a missing list is empty. */
static void listed(const Fit *f, Sym at, Attr *a, const int64_t **ints, uint32_t *n) {
  *n = 0;
  *ints = NULL;
  if (!fit_attr(f, at, a)) return;
  if (a->kind == ATTR_INTS) *ints = a->ints, *n = a->n;
  if (a->kind == ATTR_INT) *ints = &a->i, *n = 1;
}

static bool is_group(const AstPattern *p) { return p->n == 1 && p->digit[0].form == FORM_GROUP; }

/* Lays a bracket over `rank` dimensions.  While two groups of it are of unknown length, *later is set and no misfit. */
static bool place(Fit *f, FitBracket *b, const AstPattern *patterns, uint32_t n, uint32_t rank, bool *later) {
  *b = (FitBracket){patterns, n, rank, NULL, NULL};
  b->start = ARENA_ARRAY(f->arena, uint32_t, n + 1);
  b->dim = ARENA_ARRAY(f->arena, uint32_t, rank + 1);
  bool *taken = ARENA_ARRAY(f->arena, bool, rank + 1);
  uint32_t *count = ARENA_ARRAY(f->arena, uint32_t, n + 1), used = 0, open = n;
  for (uint32_t p = 0; p < n; p++) {
    count[p] = 1;
    if (patterns[p].at) {
      Attr a;
      const int64_t *ints;
      listed(f, patterns[p].at, &a, &ints, &count[p]);
      if (!is_group(&patterns[p]) && count[p] != 1)
        return misfit(f, E_ATTRIBUTE, arena_printf(f->arena, "the attribute `%s` names %u dimensions, it must name one",
                                                   sym_text(patterns[p].at), count[p]));
    } else if (is_group(&patterns[p])) {
      const FitName *k = fit_name(f, patterns[p].digit[0].name);
      count[p] = k && k->group ? k->n : 0;
      if (!k && open < n) return *later = true, false;
      if (!k) open = p;
    }
    used += count[p];
  }
  if (used > rank || (used < rank && open == n))
    return misfit(f, E_SHAPE, arena_printf(f->arena, "%u dimensions where the definition has %u%s", rank, used,
                                           open < n ? " or more" : ""));
  if (open < n) count[open] = rank - used;
  for (uint32_t p = 0; p < n; p++) {
    b->start[p + 1] = b->start[p] + count[p];
    if (!patterns[p].at) continue;
    Attr a;
    const int64_t *ints;
    uint32_t m;
    listed(f, patterns[p].at, &a, &ints, &m);
    for (uint32_t k = 0; k < m; k++) {
      if (ints[k] < 0 || ints[k] >= rank || taken[ints[k]])
        return misfit(f, E_ATTRIBUTE, arena_printf(f->arena, "the attribute `%s` names dimension %lld %s",
                                                   sym_text(patterns[p].at), (long long)ints[k],
                                                   ints[k] < 0 || ints[k] >= rank ? "which is not there" : "twice"));
      taken[ints[k]] = true;
      b->dim[b->start[p] + k] = (uint32_t)ints[k];
    }
  }
  for (uint32_t p = 0, d = 0; p < n; p++)
    for (uint32_t k = 0; !patterns[p].at && k < count[p]; k++) {
      while (taken[d]) d++;
      taken[d] = true;
      b->dim[b->start[p] + k] = d;
    }
  return true;
}

/* ---- Names and sizes ---- */

static FitName *add_name(Fit *f, Sym name, bool group, bool each, uint32_t n) {
  FitName *k = fit_name(f, name);
  if (k) return k;
  k = &f->names[f->n_names++];
  *k = (FitName){name, group, each, n, ARENA_ARRAY(f->arena, int64_t, n + 1)};
  for (uint32_t i = 0; i < n; i++) k->size[i] = -1;
  return k;
}

static bool mentions(const AstPattern *patterns, uint32_t n, Sym name) {
  for (uint32_t p = 0; p < n; p++)
    for (uint32_t d = 0; d < patterns[p].n; d++)
      if (patterns[p].digit[d].name == name) return true;
  return false;
}

/* Only the variadic operand's bracket has it. */
static bool is_local(const Fit *f, Sym name) {
  for (uint32_t p = 0; p < f->op->n_params; p++)
    if (p != f->variadic && mentions(f->op->params[p].dims, f->op->params[p].n_dims, name)) return false;
  return !mentions(f->result->dims, f->result->n_dims, name);
}

static bool declare(Fit *f, const FitBracket *b, bool variadic) {
  for (uint32_t p = 0; p < b->n; p++)
    for (uint32_t d = 0; d < b->patterns[p].n; d++) {
      const AstIndex *i = &b->patterns[p].digit[d];
      bool group = i->form == FORM_GROUP, each = variadic && !group && is_local(f, i->name);
      uint32_t n = group ? b->start[p + 1] - b->start[p] : each ? f->n_each : 1;
      FitName *k = add_name(f, i->name, group, each, n);
      if (k->group != group || k->n != n)
        return misfit(f, E_SHAPE, arena_printf(f->arena, "the group `*%s` stands for %u dimensions here and %u there",
                                               sym_text(i->name), k->n, n));
    }
  return true;
}

/* Names that stand before the `;` of a read are positions of the replica group. */
static void declare_positions(Fit *f, const AstExpr *e) {
  if (!e || !f->members) return;
  for (uint32_t i = 0; i < e->n_devices; i++) {
    FitName *k = e->devices[i]->kind == EX_NAME ? fit_name(f, e->devices[i]->name) : NULL;
    if (k && !k->group) k->size[0] = f->members;
  }
  for (uint32_t i = 0; i < e->n_args; i++) declare_positions(f, e->args[i]);
}

/* The declared size `i: size` of a digit, when it is a number, the replica group or an integer attribute. */
static int64_t declared(const Fit *f, const AstIndex *i) {
  Attr a;
  int64_t v;
  if (!i->size) return -1;
  if (i->size->kind == EX_RAT && rat_to_int(i->size->value, &v) && v >= 0) return v;
  if (i->size->kind != EX_NAME) return -1;
  if (i->size->name == f->op->over) return f->members;
  return fit_attr(f, i->size->name, &a) && a.kind == ATTR_INT && a.i >= 0 ? a.i : -1;
}

typedef struct Place {
  const char *what; /* "operand" or "result" */
  uint32_t operand, each;
} Place;

/* `what`: how the size that was wanted is said, for example "but `k` is". */
static bool wrong(Fit *f, Place at, uint32_t dim, int64_t size, const char *what, int64_t want) {
  const char *of = at.operand ? arena_printf(f->arena, "%s %u", at.what, at.operand) : at.what;
  return misfit(f, E_SHAPE, arena_printf(f->arena, "dimension %u of %s has size %lld, %s %lld", dim, of, (long long)size,
                                         what, (long long)want));
}

static const char *but(Fit *f, Sym name) { return arena_printf(f->arena, "but `%s` is", sym_text(name)); }

/* One dimension against the digits of its pattern: finds one unknown size (and sets *again), or checks. */
static bool relate(Fit *f, const AstPattern *p, uint32_t position, uint32_t dim, int64_t size, Place at, bool *again) {
  int64_t known = 1, *unknown = NULL;
  Sym name = 0;
  for (uint32_t d = 0; d < p->n; d++) {
    FitName *k = fit_name(f, p->digit[d].name);
    int64_t *s = &k->size[k->group ? position : k->each ? at.each : 0];
    int64_t v = declared(f, &p->digit[d]);
    if (v >= 0 && *s < 0) *s = v, *again = true;
    if (v >= 0 && *s != v) return wrong(f, at, dim, *s, but(f, k->name), v);
    if (*s < 0 && unknown) return true;
    if (*s < 0) unknown = s;
    else if (__builtin_mul_overflow(known, *s, &known)) return misfit(f, E_SIZE, "a size is too large");
    name = k->name;
  }
  if (!unknown) return known == size || wrong(f, at, dim, size, p->n == 1 ? but(f, name) : "but it must be", known);
  if (known == 0 || size % known) return wrong(f, at, dim, size, "which is no multiple of", known);
  *unknown = size / known;
  *again = true;
  return true;
}

static bool relate_bracket(Fit *f, const FitBracket *b, const int64_t *dims, Place at, bool *again) {
  for (uint32_t p = 0; p < b->n; p++)
    for (uint32_t k = b->start[p]; k < b->start[p + 1]; k++)
      if (!relate(f, &b->patterns[p], k - b->start[p], b->dim[k], dims[b->dim[k]], at, again)) return false;
  return true;
}

/* The attribute that would say the size of a name, if a bracket has it so. */
static Sym size_attr(const AstPattern *p, uint32_t n, Sym name) {
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < p[i].n; j++) {
      const AstIndex *x = &p[i].digit[j];
      if (x->name == name && x->size && x->size->kind == EX_NAME) return x->size->name;
    }
  return 0;
}

static bool unknown_size(Fit *f, Sym name) {
  Sym attr = size_attr(f->result->dims, f->result->n_dims, name);
  Attr a;
  for (uint32_t p = 0; p < f->op->n_params && !attr; p++)
    attr = size_attr(f->op->params[p].dims, f->op->params[p].n_dims, name);
  if (attr && !fit_attr(f, attr, &a))
    return misfit(f, E_ATTRIBUTE, arena_printf(f->arena, "the attribute `%s` is missing", sym_text(attr)));
  return misfit(f, E_DEFINITION,
                arena_printf(f->arena, "the size of `%s` does not follow from the shapes", sym_text(name)));
}

static bool sizes(Fit *f) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t p = 0; p < f->op->n_params; p++)
      for (uint32_t k = 0; k < (p == f->variadic ? f->n_each : 1); k++) {
        uint32_t operand = fit_operand(f, p, k);
        if (!relate_bracket(f, &f->param[p], fit_arg(f, operand)->dims, (Place){"operand", operand + 1, k}, &again))
          return false;
      }
    if (!relate_bracket(f, &f->out, f->node->dims, (Place){"the result", 0, 0}, &again)) return false;
  }
  for (uint32_t i = 0; i < f->n_names; i++)
    for (uint32_t k = 0; k < f->names[i].n; k++)
      if (f->names[i].size[k] < 0) return unknown_size(f, f->names[i].name);
  return true;
}

/* ---- The whole ---- */

static bool members(Fit *f) {
  if (!f->op->over) return true;
  const Attr *a = node_attr(f->node, sym("replica_groups"));
  if (!a || a->kind != ATTR_GROUPS) return misfit(f, E_ATTRIBUTE, "the attribute `replica_groups` is missing");
  if (a->i <= 0 || !a->n || a->n % a->i) return misfit(f, E_ATTRIBUTE, "the replica groups are not of one size");
  f->members = a->i;
  return true;
}

static bool arity(Fit *f) {
  uint32_t n = f->op->n_params, have = f->node->n_args;
  f->variadic = n && f->op->params[n - 1].variadic ? n - 1 : n;
  if (f->variadic < n ? have < n - 1 : have != n)
    return misfit(f, E_ARITY, arena_printf(f->arena, "%u operands where the definition has %u", have, n));
  f->n_each = f->variadic < n ? have - (n - 1) : 0;
  return true;
}

static bool choose_result(Fit *f) {
  f->result = &f->op->results[0];
  if (f->op->n_results == 1) {
    if (f->node->result && !f->op->opaque) return misfit(f, E_SHAPE, "the definition has one result");
    return true;
  }
  if (f->node->result >= f->op->n_results) return misfit(f, E_SHAPE, "the definition has fewer results");
  f->result = &f->op->results[f->node->result];
  return true;
}

static uint32_t count_digits(const AstPattern *patterns, uint32_t n) {
  uint32_t k = 0;
  for (uint32_t p = 0; p < n; p++) k += patterns[p].n;
  return k;
}

/* Lays parameter p, or for p == n_params the result, over its shape and declares its names. */
static bool bracket(Fit *f, uint32_t p, bool *later) {
  const AstOp *op = f->op;
  if (p == op->n_params)
    return place(f, &f->out, f->result->dims, f->result->n_dims, f->node->rank, later) && declare(f, &f->out, false);
  const AstParam *q = &op->params[p];
  bool none = p == f->variadic && !f->n_each;
  uint32_t rank = none ? q->n_dims : fit_arg(f, p)->rank;
  for (uint32_t k = 1; p == f->variadic && k < f->n_each; k++)
    if (fit_arg(f, p + k)->rank != rank) return misfit(f, E_SHAPE, "operands of different ranks");
  if (!place(f, &f->param[p], q->dims, q->n_dims, rank, later)) return false;
  return none || declare(f, &f->param[p], p == f->variadic);
}

/* Brackets that wait for the length of a group are tried again as long as others make progress. */
static bool brackets(Fit *f) {
  uint32_t n = f->op->n_params + 1, left = n;
  bool *done = ARENA_ARRAY(f->arena, bool, n);
  for (bool progress = true; left && progress;) {
    progress = false;
    for (uint32_t p = 0; p < n; p++) {
      bool later = false;
      if (done[p]) continue;
      if (bracket(f, p, &later)) done[p] = progress = true, left--;
      else if (!later) return false;
    }
  }
  return !left || misfit(f, E_DEFINITION, "two groups of one bracket have an unknown number of dimensions");
}

bool fit(Fit *f, const AstItem *item, const Graph *g, const Node *node, Arena *a) {
  const AstOp *op = &item->op;
  *f = (Fit){.item = item, .op = op, .g = g, .node = node, .arena = a};
  f->param = ARENA_ARRAY(a, FitBracket, op->n_params + 1);
  if (!choose_result(f) || !arity(f) || !members(f)) return false;
  uint32_t n = count_digits(f->result->dims, f->result->n_dims);
  for (uint32_t p = 0; p < op->n_params; p++) n += count_digits(op->params[p].dims, op->params[p].n_dims);
  f->names = ARENA_ARRAY(a, FitName, n + 1);
  if (!brackets(f)) return false;
  declare_positions(f, f->result->body);
  return sizes(f);
}
