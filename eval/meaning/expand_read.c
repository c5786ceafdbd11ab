/* Reads: which operand, which device, which index of every dimension. */
#include "eval/meaning/expand_parts.h"

/* Which operand a read of parameter p means: of a variadic, the one a reduction, or the position in a group, is at. */
static bool operand_of(Expand *e, const AstExpr *x, uint32_t p, uint32_t *operand) {
  const Fit *f = e->f;
  *operand = p;
  if (p != f->variadic && p < f->node->n_args) return true;
  int64_t k = e->each >= 0 ? e->each : e->at;
  if (p != f->variadic || k < 0 || k >= f->n_each) {
    expand_misfit(e, x->span, E_ARITY, "%u operands `%s` where there must be %lld", f->n_each, sym_text(x->name),
                  (long long)(e->count < 0 ? 1 : e->count));
    return false;
  }
  *operand = p + (uint32_t)k;
  return true;
}

/* Which device the read is of. */
static bool device_of(Expand *e, const AstExpr *x, X *read) {
  if (!x->n_devices) return true;
  const AstExpr *d = x->devices[0];
  if (x->n_devices > 1 || d->kind != EX_NAME) {
    expand_fail(e, x->span, E_INDEX, "before the `;` stands one position of the replica group");
    return false;
  }
  const Bind *b = expand_find(e, d->name);
  if (!b && d->name == e->f->op->over) return true;
  if (!b && d->name == sym("source")) {
    if (!node_attr(e->f->node, sym("source_target_pairs"))) {
      expand_misfit(e, x->span, E_ATTRIBUTE, "the attribute `source_target_pairs` is missing");
      return false;
    }
    return read->permuted = true;
  }
  if (!b || b->kind != BIND_INDEX || b->at->x != NO_X || b->at->c || b->at->n > 1) {
    expand_fail(e, d->span, E_INDEX, "`%s` is no position of the replica group", sym_text(d->name));
    return false;
  }
  if (b->size[0] != e->f->members) {
    expand_misfit(e, d->span, E_SHAPE, "`%s` has size %lld, but a replica group has %lld devices", sym_text(d->name),
                  (long long)b->size[0], (long long)e->f->members);
    return false;
  }
  if (b->at->n) read->group = b->at->t[0].var;
  return true;
}

/* Digits of one dimension, major to minor. */
static Val tuple(Expand *e, const AstExpr *x, const AstPattern *p, int64_t dim) {
  Val v = val_int(0);
  int64_t total = 1;
  for (uint32_t i = 0; i < x->n_args; i++) {
    int64_t size = x->args[i]->kind == EX_NAME ? expand_size(e, x->args[i]->name) : -1;
    if (size < 0 && p && p->n == x->n_args) size = expand_size(e, p->digit[i].name);
    if (size < 0)
      return expand_fail(e, x->args[i]->span, E_INDEX, "the size of a digit does not follow from the shapes");
    if (__builtin_mul_overflow(total, size, &total)) return expand_misfit(e, x->span, E_SIZE, "a size is too large");
    v = val_mul(e->b, v, val_int(size));
    v = val_add(e->b, v, expand_eval(e, x->args[i]));
  }
  if (dim >= 0 && total != dim && !e->failed)
    return expand_misfit(e, x->span, E_SHAPE, "digits of %lld values in all read a dimension of size %lld",
                         (long long)total, (long long)dim);
  return v;
}

/* One index per dimension of the operand, by the bracket of its parameter. */
static bool indices(Expand *e, const AstExpr *x, uint32_t p, const Node *arg, Val *out) {
  const FitBracket *b = &e->f->param[p];
  if (x->n_args != b->n) {
    expand_fail(e, x->span, E_ARITY, "`%s` has %u entries in its bracket, %u are given", sym_text(x->name), b->n,
                x->n_args);
    return false;
  }
  for (uint32_t k = 0; k < b->n; k++) {
    const AstPattern *q = &b->patterns[k];
    uint32_t lo = b->start[k], n = b->start[k + 1] - lo;
    bool group = q->n == 1 && q->digit[0].form == FORM_GROUP;
    for (uint32_t i = 0; i < n; i++) {
      uint32_t d = b->dim[lo + i];
      if (group) out[d] = expand_at(e, x->args[k], i, n);
      else if (x->args[k]->kind == EX_TUPLE) out[d] = tuple(e, x->args[k], q, arg->dims[d]);
      else out[d] = expand_eval(e, x->args[k]);
    }
  }
  return !e->failed;
}

static bool in_range(Expand *e, const AstExpr *x, Val v, int64_t size, uint32_t dim) {
  int64_t lo, hi;
  if (e->guard || v.x != NO_X) return true;
  for (uint32_t i = 0; i < v.n; i++)
    if (e->b->vars.at[v.t[i].var].size == 0) return true;
  if (!val_range(e->b, v, &lo, &hi)) lo = hi = INT64_MAX;
  if (lo >= 0 && hi < size) return true;
  expand_misfit(e, x->span, E_SHAPE, "dimension %u of `%s` has size %lld and is read at %lld .. %lld", dim,
                sym_text(x->name), (long long)size, (long long)lo, (long long)hi);
  return false;
}

/* The same text. */
static bool same(const AstExpr *x, const AstExpr *y) {
  if (x->kind != y->kind || x->name != y->name || x->at != y->at || x->value != y->value || x->builtin != y->builtin ||
      x->n_args != y->n_args || x->n_devices || y->n_devices || x->n_binders || y->n_binders)
    return false;
  for (uint32_t i = 0; i < x->n_args; i++)
    if (!same(x->args[i], y->args[i])) return false;
  return true;
}

static bool is_known(const Expand *e, const AstExpr *x) {
  for (size_t i = e->known.len; i-- > 0;) {
    const Known *k = &e->known.at[i];
    bool here = k->env == e->env.len && k->at == e->at && k->each == e->each; /* names mean the same */
    if (here && same(k->read, x)) return true;
  }
  return false;
}

static Val push_read(Expand *e, X read, const Val *v, uint32_t n) {
  Ix *ix = ARENA_ARRAY(e->b->arena, Ix, n);
  for (uint32_t i = 0; i < n; i++) ix[i] = val_ix(e->b, v[i]);
  read.ix = ix;
  read.n = n;
  return val_push(e->b, read);
}

/* ---- flat ---- */

typedef struct Flat {
  Vec(Val) v;
  Vec(int64_t) size;
} Flat;

static bool flat_index(Expand *e, const AstExpr *x, Flat *f) {
  const Bind *b = x->kind == EX_NAME || (x->kind == EX_GROUP && !x->at) ? expand_find(e, x->name) : NULL;
  if (x->kind == EX_TUPLE) {
    for (uint32_t i = 0; i < x->n_args; i++)
      if (!flat_index(e, x->args[i], f)) return false;
    return true;
  }
  if (!b || b->kind != (x->kind == EX_GROUP ? BIND_GROUP : BIND_INDEX)) {
    expand_fail(e, x->span, E_INDEX, "`flat` takes indices");
    return false;
  }
  for (uint32_t i = 0; i < b->n; i++) {
    vec_push(&f->v, b->at[i]);
    vec_push(&f->size, b->size[i]);
  }
  return true;
}

/* The dimensions are the same but for those of size 1: one index each. */
static bool matches(const Flat *f, const Node *arg, Val *out) {
  uint32_t d = 0;
  for (uint32_t i = 0; i < f->v.len; i++) {
    if (f->size.at[i] == 1) continue;
    while (d < arg->rank && arg->dims[d] == 1) out[d++] = val_int(0);
    if (d == arg->rank || arg->dims[d] != f->size.at[i]) return false;
    out[d++] = f->v.at[i];
  }
  while (d < arg->rank && arg->dims[d] == 1) out[d++] = val_int(0);
  return d == arg->rank;
}

/* The indices of `flat`, their position in row-major order, and how many positions there are. */
static bool position_of(Expand *e, const AstExpr *x, Flat *f, Val *v, int64_t *total) {
  for (uint32_t i = 0; i < x->n_args; i++)
    if (!flat_index(e, x->args[i], f)) return false;
  *v = val_int(0);
  *total = 1;
  for (uint32_t i = 0; i < f->v.len; i++) {
    if (__builtin_mul_overflow(*total, f->size.at[i], total)) e->b->overflow = true;
    *v = val_add(e->b, val_mul(e->b, *v, val_int(f->size.at[i])), f->v.at[i]);
  }
  return true;
}

Val expand_flat(Expand *e, const AstExpr *x) {
  Flat f = {0};
  int64_t total;
  Val v = val_int(0);
  position_of(e, x, &f, &v, &total);
  vec_free(&f.v);
  vec_free(&f.size);
  return v;
}

static Val read_flat(Expand *e, const AstExpr *x, const Node *arg, X read) {
  Flat f = {0};
  Val r = val_int(0), v, *out = ARENA_ARRAY(e->b->arena, Val, arg->rank + 1);
  int64_t total;
  if (!position_of(e, x->args[0], &f, &v, &total)) goto done;
  if (total != node_elements(arg))
    expand_misfit(e, x->span, E_SHAPE, "%lld values are read from an operand of %lld", (long long)total,
                  (long long)node_elements(arg));
  else if (matches(&f, arg, out)) r = push_read(e, read, out, arg->rank);
  else read.mode = READ_FLAT, r = push_read(e, read, &v, 1);
done:
  vec_free(&f.v);
  vec_free(&f.size);
  return r;
}

/* ---- The reads ---- */

Val expand_read(Expand *e, const AstExpr *x) {
  uint32_t p = fit_param(e->f, x->name);
  if (p == e->f->op->n_params || x->graph || e->scope)
    return expand_fail(e, x->name_span, E_UNBOUND, "`%s` is no operand", sym_text(x->name));
  X read = {.kind = X_READ, .mode = READ_AT, .group = NO_VAR};
  if (!operand_of(e, x, p, &read.operand) || !device_of(e, x, &read)) return val_int(0);
  const Node *arg = fit_arg(e->f, read.operand);
  if (x->n_args == 1 && x->args[0]->kind == EX_BUILTIN && x->args[0]->builtin == BUILTIN_FLAT)
    return read_flat(e, x, arg, read);
  Val *v = ARENA_ARRAY(e->b->arena, Val, arg->rank + 1);
  if (!indices(e, x, p, arg, v)) return val_int(0);
  bool known = is_known(e, x);
  for (uint32_t d = 0; d < arg->rank; d++) {
    if (!in_range(e, x, v[d], arg->dims[d], d)) return val_int(0);
    if (known && arg->dims[d] == 1) v[d] = val_int(0);
  }
  return push_read(e, read, v, arg->rank);
}

Val expand_scalar(Expand *e, const AstExpr *x, uint32_t param) {
  X read = {.kind = X_READ, .mode = READ_AT, .group = NO_VAR};
  if (!operand_of(e, x, param, &read.operand)) return val_int(0);
  if (fit_arg(e->f, read.operand)->rank)
    return expand_fail(e, x->span, E_INDEX, "`%s` is read without its indices", sym_text(x->name));
  return push_read(e, read, NULL, 0);
}

Val expand_inside(Expand *e, const AstExpr *x) {
  uint32_t p = x->kind == EX_READ ? fit_param(e->f, x->name) : e->f->op->n_params, operand;
  if (p == e->f->op->n_params || e->scope)
    return expand_fail(e, x->span, E_INDEX, "`inside` takes a read of an operand");
  if (!operand_of(e, x, p, &operand)) return val_int(0);
  const Node *arg = fit_arg(e->f, operand);
  Val *v = ARENA_ARRAY(e->b->arena, Val, arg->rank + 1), all = val_int(1);
  if (!indices(e, x, p, arg, v)) return val_int(0);
  for (uint32_t d = 0; d < arg->rank; d++) {
    if (arg->dims[d] == 1) {
      all = val_and(e->b, all, val_cmp(e->b, CMP_EQ, v[d], val_int(0)));
      continue;
    }
    all = val_and(e->b, all, val_cmp(e->b, CMP_GE, v[d], val_int(0)));
    all = val_and(e->b, all, val_cmp(e->b, CMP_LT, v[d], val_int(arg->dims[d])));
  }
  return all;
}
