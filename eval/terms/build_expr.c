/* Expressions of an instance as values, and reads of operands. */
#include <string.h>

#include "eval/terms/build_access.h"

enum { SHORT_WINDOW = 8 };

static Value fail(Scope *s, const char *why) {
  if (!s->failed) s->failed = why;
  return VALUE_ZERO;
}

static Form form_of_ix(Scope *s, const Ix *ix, Value *dyn) {
  Build *b = s->b;
  Form f = {ix->constant, 0, NULL};
  for (uint32_t i = 0; i < ix->n_terms; i++)
    f = access_add(&b->arena, f, access_scale(&b->arena, s->var[ix->terms[i].var], ix->terms[i].coef));
  *dyn = VALUE_ZERO;
  if (ix->dyn == NO_X) return f;
  Value v = build_expression(s, ix->dyn);
  Form g;
  if (value_affine(b->calc, v, &b->arena, &g)) return access_add(&b->arena, f, g);
  *dyn = v;
  return f;
}

static Name *operand_names(Scope *s, NodeId arg, uint32_t dim, const DigitList *l) {
  Name *names = ARENA_ARRAY(&s->b->arena, Name, l->n);
  for (uint32_t j = 0; j < l->n; j++) names[j] = calculus_name(s->b->calc, NAME_DIM, dim, j, l->size[j]);
  (void)arg;
  return names;
}

/* An index that is data, or not in digits: sum over all positions v of [v == index] * operand(v). */
static void look_up(Scope *s, Lookup *k, const DigitList *l, const Name *names, Form f, Value dyn, Subst *sub) {
  Build *b = s->b;
  Name *fresh = ARENA_ARRAY(&b->arena, Name, l->n);
  if (!access_bind(b, k, l, fresh)) {
    fail(s, "too many digits in a look-up");
    return;
  }
  for (uint32_t j = 0; j < l->n; j++) subst_put(sub, names[j], fresh[j]);
  Value index = calc_add2(b->calc, access_value(b, f), dyn);
  vec_push(&k->guards, calc_cmp(b->calc, CMP_EQ, access_value(b, access_digits(&b->arena, l, fresh, 1)), index));
}

/* The same for a position in row-major order. */
static void look_up_flat(Scope *s, Lookup *k, NodeId arg, const Node *operand, Form f, Subst *sub) {
  Build *b = s->b;
  Form position = {0};
  int64_t stride = 1;
  for (uint32_t d = operand->rank; d-- > 0; stride *= operand->dims[d]) {
    DigitList l = digits_dim(b->digits, s->side, arg, d);
    Name *names = operand_names(s, arg, d, &l), *fresh = ARENA_ARRAY(&b->arena, Name, l.n);
    if (!access_bind(b, k, &l, fresh) || sub->n + l.n > sizeof sub->at / sizeof *sub->at) {
      fail(s, "too many digits in a look-up");
      return;
    }
    for (uint32_t j = 0; j < l.n; j++) subst_put(sub, names[j], fresh[j]);
    position = access_add(&b->arena, position, access_digits(&b->arena, &l, fresh, stride));
  }
  Value read = access_value(b, position);
  vec_push(&k->guards, calc_cmp(b->calc, CMP_EQ, read, access_value(b, f)));
}

typedef struct Digit { /* of a position in row-major order */
  Name name;
  int64_t size;
  bool flat;
  uint32_t dim;
} Digit;

static void ask_for_dims(Scope *s, NodeId arg, const Digit *l, uint32_t nl, const Digit *r, uint32_t nr) {
  for (uint32_t k = 0; !s->looks_up && k < nr; k++) access_ask(s->b, s->side, s->id, r[k].dim);
  for (uint32_t k = 0; !s->looks_up && k < nl; k++) access_ask(s->b, s->side, arg, l[k].dim);
}

/* v, whose last digit is read at whole - sum w n, as the sum over the n of what stands there: one n does. */
static bool sum_blocks(Build *b, const Digit *l, uint32_t n, Name whole, Value v, Value *out) {
  Calculus *c = b->calc;
  Name bound[64];
  Subst s = {0};
  int64_t block = l[n - 1].size, w = block, size = calculus_name_info(c, whole)->size;
  Value at = calc_idx(c, whole, size);
  if (n > 64) return false;
  for (uint32_t k = n - 1; k-- > 0; w *= l[k].size) {
    bound[k] = calculus_fresh(c, l[k].size);
    subst_put(&s, l[k].name, bound[k]);
    at = calc_sub(c, at, value_scale(rat_int(w), calc_idx(c, bound[k], l[k].size)));
  }
  Value within = calc_inside(c, at, 0, block);
  *out = calc_sum(c, bound, n - 1, calc_mul2(c, within, calc_rename(c, v, &s)));
  return true;
}

/* Row-major position: digits of the operand against digits of the form, block by block of equal size.  Where none are looked
 * up, the dimensions of the blocks that do not match are asked for. */
static bool match_blocks(Scope *s, NodeId arg, const Node *operand, Form f, Subst *sub, Value *v) {
  Build *b = s->b;
  Arena *a = &b->arena;
  Digit l[256], r[256];
  uint32_t nl = 0, nr = 0;
  for (uint32_t d = 0; d < operand->rank; d++) {
    DigitList q = digits_dim(b->digits, s->side, arg, d);
    Name *names = operand_names(s, arg, d, &q);
    for (uint32_t j = 0; j < q.n && nl < 256; j++) l[nl++] = (Digit){names[j], q.size[j], q.n == 1, d};
  }
  for (uint32_t d = 0; d < s->node->rank; d++) {
    DigitList q = digits_dim(b->digits, s->side, s->id, d);
    for (uint32_t j = 0; j < q.n && nr < 256; j++)
      r[nr++] = (Digit){calculus_name(b->calc, NAME_DIM, d, j, q.size[j]), q.size[j], q.n == 1, d};
  }
  int64_t stride = 1;
  bool ok = f.n == nr && !f.constant;
  for (uint32_t j = nr; ok && j-- > 0; stride *= r[j].size) { /* the form is the position in the result */
    ok = false;
    for (uint32_t k = 0; k < f.n && !ok; k++) ok = f.terms[k].name == r[j].name && f.terms[k].coef == stride;
  }
  if (!ok) return ask_for_dims(s, arg, l, nl, r, nr), false;
  uint32_t i = 0, j = 0;
  /* a place holder for the last digit of an operand block that becomes one flat dimension */
  while (i < nl || j < nr) {
    uint32_t i0 = i, j0 = j;
    int64_t pl = 1, pr = 1;
    do {
      if ((pl <= pr && i < nl) || j == nr) {
        if (i == nl) return false;
        pl *= l[i++].size;
      } else {
        pr *= r[j++].size;
      }
    } while (pl != pr || i == i0 || j == j0);
    bool same = i - i0 == j - j0;
    for (uint32_t k = 0; same && k < i - i0; k++) same = l[i0 + k].size == r[j0 + k].size;
    if (same) {
      for (uint32_t k = 0; k < i - i0; k++) subst_put(sub, l[i0 + k].name, r[j0 + k].name);
    } else if (i - i0 == 1 && l[i0].flat) {
      Form g = {0, j - j0, ARENA_ARRAY(a, FormTerm, j - j0)};
      int64_t w = 1;
      for (uint32_t k = j; k-- > j0; w *= r[k].size) g.terms[k - j0] = (FormTerm){w, r[k].name};
      subst_put(sub, l[i0].name, calculus_form(b->calc, g));
    } else if (j - j0 == 1 && r[j0].flat) {
      /* last digit := I - sum w n; or the sum over the digits */
      Name whole = calculus_name(b->calc, NAME_TEMP, 100 + j0, 0, r[j0].size);
      Form g = {0, i - i0, ARENA_ARRAY(a, FormTerm, i - i0)};
      int64_t w = l[i - 1].size;
      g.terms[0] = (FormTerm){1, whole};
      for (uint32_t k = i - 1; k-- > i0; w *= l[k].size) g.terms[k - i0 + 1] = (FormTerm){-w, l[k].name};
      Subst t = {1, {{l[i - 1].name, calculus_form(b->calc, g)}}};
      Value u = calc_rename(b->calc, *v, &t);
      bool vanish = true;
      for (uint32_t k = i0; k + 1 < i; k++) vanish &= !value_has(b->calc, u, l[k].name);
      if (vanish)
        *v = u;
      else if (!sum_blocks(b, l + i0, i - i0, whole, u, v))
        return false;
      subst_put(sub, whole, r[j0].name);
    } else {
      ask_for_dims(s, arg, l + i0, i - i0, r + j0, j - j0);
      ok = false;
    }
    if (sub->n > 128) return false;
  }
  return ok;
}

/* The device at another position of the group: its mesh digits are those of the variable. */
static bool match_group(Scope *s, VarId group, Subst *sub) {
  Build *b = s->b;
  if (!s->regular) return false;
  Form f = s->var[group];
  const DigitList *l = &s->digits[group];
  (void)l;
  uint32_t n = s->position.n;
  int64_t stride = 1;
  if (f.n != n || f.constant) return false;
  for (uint32_t j = n; j-- > 0;) {
    const MeshDigit *d = meshdigits_get(digits_mesh(b->digits), s->position.digit[j]);
    bool found = false;
    for (uint32_t i = 0; i < f.n && !found; i++)
      if (f.terms[i].coef == stride && calculus_name_info(b->calc, f.terms[i].name)->size == d->size) {
        subst_put(sub, b->mesh_names[s->position.digit[j]], f.terms[i].name);
        found = true;
      }
    if (!found) return false;
    stride *= d->size;
  }
  return true;
}

static void ask_for_read(Scope *s, NodeId arg, uint32_t dim) {
  access_ask(s->b, s->side, arg, dim);
  if (dim < s->node->rank) access_ask(s->b, s->side, s->id, dim);
}

static Value read_operand(Scope *s, const X *x) {
  Build *b = s->b;
  Calculus *c = b->calc;
  NodeId arg = s->node->args[x->operand];
  const Node *operand = &b->problem->graph[s->side]->nodes.at[arg];
  Value v = b->value[s->side][arg];
  ArenaMark mark = arena_mark(&b->arena);
  Subst sub = {0};
  Lookup look = {.n_bound = 0};
  if (x->group != NO_VAR && !match_group(s, x->group, &sub)) fail(s, "irregular replica groups");
  if (x->mode == READ_FLAT) {
    Value dyn;
    Form f = form_of_ix(s, &x->ix[0], &dyn);
    Subst blocks = sub;
    Value w = v;
    if (!s->failed && match_blocks(s, arg, operand, f, &blocks, &w)) {
      sub = blocks, v = w;
    } else if (!s->failed && s->looks_up) {
      look_up_flat(s, &look, arg, operand, f, &sub);
    } else if (!s->failed) {
      fail(s, "dimensions that cannot be read in digits");
    }
  } else {
    for (uint32_t d = 0; d < x->n && !s->failed; d++) {
      DigitList l = digits_dim(b->digits, s->side, arg, d);
      Name *names = operand_names(s, arg, d, &l);
      Value dyn;
      Form f = form_of_ix(s, &x->ix[d], &dyn);
      if (s->failed) break;
      if (dyn.k != RAT_0) {
        look_up(s, &look, &l, names, f, dyn, &sub);
      } else if (access_match(b, &l, names, f, l.flat || b->options.forms, &sub)) {
        continue;
      } else if (s->looks_up) {
        look_up(s, &look, &l, names, f, VALUE_ZERO, &sub);
      } else {
        ask_for_read(s, arg, d);
        fail(s, "an index that is not aligned with the digits of its dimension");
      }
    }
  }
  if (!s->failed) {
    v = calc_rename(c, v, &sub);
    if (x->permuted) v = build_permuted(s, v);
  }
  if (s->failed) vec_free(&look.guards);
  else v = access_looked_up(b, &look, v);
  arena_reset(&b->arena, mark);
  return s->failed ? VALUE_ZERO : v;
}

/* The variable is read together with others at one index: a position in a window. */
static bool is_window(const Scope *s, VarId v) {
  for (uint32_t i = 0; i < s->in->n_x; i++) {
    const X *x = &s->in->x[i];
    for (uint32_t d = 0; x->kind == X_READ && x->mode == READ_AT && d < x->n; d++)
      for (uint32_t t = 0; x->ix[d].n_terms > 1 && t < x->ix[d].n_terms; t++)
        if (x->ix[d].terms[t].var == v) return true;
  }
  return false;
}

/* Short windows over flat dimensions are written out: guards of single positions simplify, those of ranges do not. */
static bool write_out(Scope *s, const X *x, Value v, Name *bound, uint32_t *n, Value **out, uint32_t *n_out) {
  Build *b = s->b;
  if (!b->problem->n_flat) return false;
  Name window[64];
  uint32_t n_window = 0, n_rest = 0;
  int64_t total = 1;
  for (uint32_t i = 0; i < x->n_vars; i++) {
    const Form *f = &s->var[x->vars[i]];
    bool w = is_window(s, x->vars[i]);
    for (uint32_t j = 0; j < f->n; j++) {
      if (w)
        window[n_window++] = f->terms[j].name, total *= calculus_name_info(b->calc, f->terms[j].name)->size;
      else
        bound[n_rest++] = f->terms[j].name;
      if (total > SHORT_WINDOW) return false;
    }
  }
  if (!n_window) return false;
  *n = n_rest;
  *n_out = (uint32_t)total;
  *out = ARENA_ARRAY(&b->arena, Value, total);
  for (int64_t k = 0; k < total; k++) {
    Subst sub = {0};
    int64_t rest = k;
    for (uint32_t j = n_window; j-- > 0;) {
      int64_t size = calculus_name_info(b->calc, window[j])->size;
      subst_put(&sub, window[j], name_const(rest % size));
      rest /= size;
    }
    (*out)[k] = calc_rename(b->calc, v, &sub);
  }
  return true;
}

static Value reduce(Scope *s, const X *x) {
  Calculus *c = s->b->calc;
  Value v = build_expression(s, x->args[0]);
  if (s->failed) return VALUE_ZERO;
  Name bound[64];
  uint32_t n = 0;
  for (uint32_t i = 0; i < x->n_vars; i++) {
    const Form *f = &s->var[x->vars[i]];
    for (uint32_t j = 0; j < f->n; j++) {
      if (n == 64) return fail(s, "too many digits in a sum");
      bound[n++] = f->terms[j].name;
    }
  }
  if (x->kind == X_MIN) v = value_neg(v);
  Value *all = &v;
  uint32_t n_all = 1;
  Name rest[64];
  uint32_t n_rest;
  if (write_out(s, x, v, rest, &n_rest, &all, &n_all)) memcpy(bound, rest, (n = n_rest) * sizeof *rest);
  if (x->kind == X_SUM) {
    for (uint32_t i = 0; i < n_all; i++) all[i] = calc_sum(c, bound, n, all[i]);
    return calc_add(c, all, n_all);
  }
  Value most = calc_max(c, all, n_all, bound, n);
  return x->kind == X_MIN ? value_neg(most) : most;
}

static CmpOp cmp_of(Sym name) {
  static const struct {
    const char *text;
    CmpOp op;
  } table[] = {{"==", CMP_EQ}, {"!=", CMP_NE}, {"<", CMP_LT}, {"<=", CMP_LE}, {">", CMP_GT}, {">=", CMP_GE}};
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].text, sym_text(name))) return table[i].op;
  return CMP_EQ;
}

Value build_apply(Calculus *c, const X *x, const Value *v) {
  switch ((XKind)x->kind) {
    case X_ADD: return calc_add(c, v, x->n);
    case X_MUL: return calc_product(c, v, x->n);
    case X_POW: return calc_pow(c, v[0], x->r);
    case X_CMP: return calc_cmp(c, cmp_of(x->name), v[0], v[1]);
    case X_SELECT: return calc_select(c, v[0], v[1], v[2]);
    default: return calc_fn(c, x->name, v, x->n);
  }
}

static Value evaluate(Scope *s, const X *x) {
  Build *b = s->b;
  Calculus *c = b->calc;
  switch ((XKind)x->kind) {
    case X_RAT: return value_num(x->r);
    case X_INF: return value_scale(rat_neg(x->r), value_neginf(c));
    case X_INDEX: {
      Value dyn;
      Form f = form_of_ix(s, &x->ix[0], &dyn);
      return s->failed ? VALUE_ZERO : calc_add2(c, access_value(b, f), dyn);
    }
    case X_READ: return read_operand(s, x);
    case X_SUM:
    case X_MAX:
    case X_MIN: return reduce(s, x);
    case X_COORD: {
      int64_t n = b->problem->relation->mesh.n_devices, *v = ARENA_ARRAY(&b->arena, int64_t, n);
      for (int64_t d = 0; d < n; d++) v[d] = d;
      return s->side == SIDE_SEQ ? VALUE_ZERO : build_by_device(b, v, false);
    }
    default: break;
  }
  Value buf[8], *v = x->n <= 8 ? buf : ARENA_ARRAY(&b->arena, Value, x->n);
  bool provided = x->kind == X_FN && !strcmp(sym_text(x->name), "provided");
  for (uint32_t i = 0; i < x->n; i++) {
    v[i] = build_expression(s, x->args[i]);
    if (provided && !i && !s->failed && !value_same(v[i], VALUE_ONE)) fail(s, "not proved: what it is provided for");
    if (s->failed) return VALUE_ZERO;
  }
  if (provided) return v[1];
  return build_apply(c, x, v);
}

Value build_expression(Scope *s, XId id) {
  if (s->failed) return VALUE_ZERO;
  if (s->done[id]) return s->memo[id];
  Value v = evaluate(s, &s->in->x[id]);
  s->done[id] = true;
  s->memo[id] = v;
  return v;
}
