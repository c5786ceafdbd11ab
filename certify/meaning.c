/* What an operator means: its definition read for the shapes, attributes and operands of one node.
 *
 * An index is a form over labels; the dimensions of the result are read at their own digits, an operand at the labels
 * its index forms come to.  Brackets, groups, conditions: SPEC.md, sections 1 to 8. */
#include "certify/law.h"
#include "certify/walk.h"

/* ---- values: a form while it is one */
static Val val_int(int64_t c) { return (Val){.is_form = true, .f = {.c = c}}; }

Val meaning_value(Mean *m, Num v) {
  Store *s = m->w->p->s;
  Poly t = {0};
  poly_linear(s, &t, RAT_1, v);
  Val out = {.is_form = true, .f = {0, 0, SCRATCH(s, struct AffineTerm, t.n + 1)}};
  for (uint32_t i = 0; i < t.n && out.is_form; i++) {
    int64_t k;
    bool one = t.at[i].a == ATOM_ONE;
    out.is_form = rat_to_int(t.at[i].k, &k) && (one || def_of(s, t.at[i].a)->kind == DEF_INDEX);
    if (one) out.f.c = k;
    else if (out.is_form) out.f.t[out.f.n++] = (struct AffineTerm){k, s->atoms.at[t.at[i].a].at[0]};
  }
  if (!out.is_form) out.v = v;
  return out;
}

Num meaning_num(Mean *m, Val v) { return v.is_form ? form_num(m->w->p, v.f) : v.v; }

static Val bad(Mean *m, const char *why) {
  goal_fail(m->w->p, why);
  m->failed = true;
  return val_int(0);
}

/* The dimensions are not cut as this operator needs: it will be an unknown function. */
static Val unreadable(Mean *m, const char *why) {
  m->unreadable = !m->w->p->failed;
  return bad(m, why);
}

static bool val_const(Val v, Rat *r) {
  if (v.is_form) return *r = rat_int(v.f.c), v.f.n == 0;
  return *r = v.v.k, num_is(v.v);
}

static bool val_size(Val v, int64_t *out) {
  Rat r;
  return val_const(v, &r) && rat_to_int(r, out);
}

static Val val_add(Mean *m, Val v, Val w, int64_t k) {
  if (v.is_form && w.is_form) return (Val){.is_form = true, .f = form_add(m->w->p->s, v.f, w.f, k)};
  Num x = meaning_num(m, v), y = meaning_num(m, w);
  return meaning_value(m, goal_add2(m->w->p, x, num_scale(rat_int(k), y)));
}

static Val val_mul(Mean *m, Val v, Val w) {
  if (v.is_form && w.is_form && (!v.f.n || !w.f.n)) {
    Affine f = v.f.n ? v.f : w.f;
    return (Val){.is_form = true, .f = form_add(m->w->p->s, (Affine){0}, f, v.f.n ? w.f.c : v.f.c)};
  }
  Num x = meaning_num(m, v), y = meaning_num(m, w);
  return meaning_value(m, goal_mul2(m->w->p, x, y));
}

static Val val_less(Mean *m, Val v, Val w) {
  return meaning_value(m, goal_less(m->w->p, meaning_num(m, val_add(m, v, w, -1))));
}
static Val val_not(Mean *m, Val v) { return val_add(m, val_int(1), v, -1); }

static Val val_compare(Mean *m, AstKind k, Val v, Val w) {
  switch (k) {
    case EX_LT: return val_less(m, v, w);
    case EX_GT: return val_less(m, w, v);
    case EX_GE: return val_not(m, val_less(m, v, w));
    case EX_LE: return val_not(m, val_less(m, w, v));
    default: {
      Val e = meaning_value(m, goal_equal(m->w->p, meaning_num(m, val_add(m, v, w, -1))));
      return k == EX_EQ ? e : val_not(m, e);
    }
  }
}

/* The root of x has a value, and may be given as that of a multiple of x. */
static void assume_base(Store *s, Num x, Num root) {
  uint32_t n = def_of(s, root.a)->kind == DEF_MUL ? def_of(s, root.a)->n_args : 0;
  const Item *f = n ? atom_open(s, root.a, NULL) : NULL;
  Rat c;
  for (uint32_t i = 0; i < n; i++)
    if (!rat_is_int(f[i].k) && law_multiple(s, x.a, f[i].a, &c) && rat_sign(c) == rat_sign(x.k))
      atom_assume(s, f[i].a, NOT_NEGATIVE);
}

static Val val_power(Mean *m, Val v, Rat p) {
  Num x = meaning_num(m, v);
  if (x.k == RAT_0 && rat_sign(p) <= 0) return bad(m, "a power of zero");
  if (rat_sign(p) < 0 && !m->guards) atom_assume(m->w->p->s, x.a, NOT_ZERO);
  if (!rat_is_int(p) && !m->guards && rat_sign(x.k) > 0) atom_assume(m->w->p->s, x.a, NOT_NEGATIVE);
  Num y = goal_mul(m->w->p, &(GoalItem){x, p}, 1);
  if (!rat_is_int(p) && !m->guards) assume_base(m->w->p->s, x, y);
  return meaning_value(m, y);
}

/* ---- names */
static const Bind *bound_to(const Mean *m, Sym name) {
  for (size_t i = m->env.len; i-- > m->scope;)
    if (m->env.at[i].name == name) return &m->env.at[i];
  return NULL;
}

void meaning_bind(Mean *m, Sym name, const Val *v, const int64_t *size, uint32_t n, bool group) {
  vec_push(&m->env, (Bind){name, group, n, v, size});
}

static Val at_position(Mean *m, const AstExpr *e, int64_t at, int64_t count) {
  int64_t at0 = m->at, count0 = m->count;
  m->at = at, m->count = count;
  Val v = meaning_eval(m, e);
  m->at = at0, m->count = count0;
  return v;
}

/* How many positions an expression of groups and lists has; -1: it is one. */
static int64_t positions(Mean *m, const AstExpr *e) {
  Attr a;
  if (e->kind == EX_GROUP || e->kind == EX_NAME) {
    Sym name = e->kind == EX_GROUP && e->at ? e->at : e->name;
    const Bind *b = bound_to(m, name);
    if (b) return b->group ? (int64_t)b->n : -1;
    const Size *k = m->scope ? NULL : lay_size(m, name);
    if (k && k->group) return k->n;
    if (!m->scope && lay_attr(m, name, &a) && a.kind == ATTR_INTS) return a.n;
  }
  for (uint32_t i = 0; i < e->n_args; i++) {
    int64_t n = positions(m, e->args[i]);
    if (n >= 0) return n;
  }
  return -1;
}

static Val attribute(Mean *m, Attr a) {
  if (a.kind == ATTR_INT) return val_int(a.i);
  if (a.kind == ATTR_RAT && rat_is_finite(a.r)) return meaning_value(m, num(a.r));
  if (a.kind == ATTR_INTS && m->at >= 0 && a.n == m->count) return val_int(a.ints[m->at]);
  if (a.kind == ATTR_INTS && m->at < 0 && a.n == 1) return val_int(a.ints[0]);
  return bad(m, "an attribute does not fit its definition");
}

/* Which operand parameter p means here; -1: none. */
static int64_t operand_of(const Mean *m, uint32_t p) {
  int64_t k = m->each >= 0 ? m->each : m->at;
  if (p != m->variadic) return p < m->node->n_args ? (int64_t)p : -1;
  return k >= 0 && k < m->n_each ? (int64_t)p + k : -1;
}

static Val named(Mean *m, const AstExpr *e) {
  Attr a;
  const Bind *b = bound_to(m, e->name);
  if (b && !b->group) return b->v[0];
  if (b || m->scope) return bad(m, "a name stands for nothing");
  if (e->name == m->op->over) return (Val){.is_form = true, .f = form_digits(m->w->p->s, m->own, m->group.n)};
  if (lay_attr(m, e->name, &a)) return attribute(m, a);
  int64_t operand = operand_of(m, lay_param(m, e->name));
  if (lay_param(m, e->name) == m->op->n_params || operand < 0) return bad(m, "a name stands for nothing");
  return meaning_value(m, m->w->value[m->side][m->node->args[operand]]);
}

static Val group(Mean *m, const AstExpr *e) {
  Attr a;
  const Bind *b = bound_to(m, e->name);
  int64_t at = m->at;
  if (!b || !b->group || at < 0) return bad(m, "a group stands for nothing");
  if (e->at) {
    if (!lay_attr(m, e->at, &a) || a.kind != ATTR_INTS || at >= a.n)
      return bad(m, "a list does not fit its definition");
    at = a.ints[at];
  } else if (b->n != m->count) {
    return bad(m, "groups of different lengths");
  }
  return at >= 0 && at < b->n ? b->v[at] : bad(m, "a list does not fit its definition");
}

static bool sizes_of(Mean *m, Sym name, const int64_t **size, uint32_t *n) {
  const Bind *b = bound_to(m, name);
  const Size *k = b || m->scope ? NULL : lay_size(m, name);
  if (b && b->size) return *size = b->size, *n = b->n, true;
  if (!k && !m->scope && name == m->op->over) return *size = &m->members, *n = 1, true;
  return k && (*size = k->size + (k->each && m->each >= 0 ? m->each : 0), *n = k->each ? 1 : k->n, true);
}

/* ---- reads */
/* Index of every dimension of the operand. */
static bool indices(Mean *m, const AstExpr *e, uint32_t p, Val *out) {
  const Bracket *b = &m->param[p];
  if (e->n_args != b->n) return false;
  for (uint32_t k = 0; k < b->n; k++) {
    uint32_t lo = b->start[k], n = b->start[k + 1] - lo;
    for (uint32_t i = 0; i < n; i++) {
      const AstExpr *x = e->args[k];
      Val v = val_int(0);
      if (b->patterns[k].n == 1 && b->patterns[k].digit[0].form == FORM_GROUP) {
        v = at_position(m, x, i, n);
      } else if (x->kind == EX_TUPLE) {
        for (uint32_t d = 0; d < x->n_args; d++) {
          const int64_t *size;
          uint32_t count;
          if (x->args[d]->kind != EX_NAME || !sizes_of(m, x->args[d]->name, &size, &count)) return false;
          Val major = val_mul(m, v, val_int(*size)), minor = meaning_eval(m, x->args[d]);
          v = val_add(m, major, minor, 1);
        }
      } else {
        v = meaning_eval(m, x);
      }
      out[b->dim[lo + i]] = v;
    }
  }
  return !m->failed;
}

/* v on the device at another position of the group. */
static bool other_device(Mean *m, const AstExpr *d, Subst *t) {
  Label to[64];
  const Bind *b = d->kind == EX_NAME ? bound_to(m, d->name) : NULL;
  if (!b && d->kind == EX_NAME && d->name == m->op->over) return true;
  if (!b || b->group || !b->v[0].is_form || m->group.n > 64) return false;
  if (!form_read(m->w->p->s, b->v[0].f, &m->group, FORM_NOWHERE, false, to, &m->majors)) return false;
  for (uint32_t i = 0; i < m->group.n; i++)
    if (!goal_put(t, m->own[i], to[i])) return false;
  return true;
}

/* The operand at these indices.  One that is data, or not in digits, is looked up: sum over all positions of
 * [position == index] * operand. */
static Val read_at(Mean *m, const AstExpr *e, NodeId arg, const Val *v, size_t n_majors) {
  Walk *w = m->w;
  Store *s = w->p->s;
  const Node *n = walk_node(w, m->side, arg);
  Subst t = {0};
  Label bound[64], to[64];
  Num guard[64];
  uint32_t n_bound = 0, n_guard = 0;
  bool permuted = e->n_devices == 1 && e->devices[0]->kind == EX_NAME && e->devices[0]->name == sym("source") &&
                  !bound_to(m, sym("source"));
  if (e->n_devices && !permuted && (e->n_devices > 1 || !other_device(m, e->devices[0], &t)))
    return unreadable(m, "a position in a replica group that is not read in digits");
  for (uint32_t d = 0; d < n->rank && !m->failed; d++) {
    const Cuts *c = &w->part->dims[m->side][arg][d];
    if (v[d].is_form && !m->guards && !m->majors.len && !form_inside(s, v[d].f, n->dims[d]))
      return bad(m, "an index that may leave its range");
    size_t majors = m->majors.len;
    FormAt form = m->guards || m->majors.len ? FORM_ALONE : FORM_NOWHERE;
    if (!v[d].is_form || !form_read(s, v[d].f, c, form, false, to, &m->majors)) {
      m->majors.len = majors;
      if (n_bound + c->n > 60 || n_guard > 60) return bad(m, "too many indices that are looked up");
      for (uint32_t j = 0; j < c->n; j++) bound[n_bound + j] = to[j] = label_fresh(s, c->size[j]);
      n_bound += c->n;
      Affine here = form_digits(s, to, c->n);
      Num read = form_num(w->p, here);
      guard[n_guard++] = goal_equal(w->p, goal_subtract(w->p, read, meaning_num(m, v[d])));
    }
    for (uint32_t j = 0; j < c->n; j++)
      if (!goal_put(&t, dim_label(w, d, j, c->size[j]), to[j])) return bad(m, "too many digits");
  }
  Num x = goal_substitute(w->p, w->value[m->side][arg], &t);
  if (permuted) x = value_of_source(m, x);
  guard[n_guard++] = x;
  if (n_guard > 1) x = goal_sum(w->p, bound, n_bound, goal_mul_all(w->p, guard, n_guard));
  return meaning_value(m, without_majors(w, x, &m->majors, n_majors));
}

/* The position of indices in row-major order, and the number of positions. */
static Val flat_position(Mean *m, const AstExpr *e, int64_t *total) {
  Val v = val_int(0);
  *total = 1;
  for (uint32_t i = 0; i < e->n_args; i++) {
    const int64_t *size;
    uint32_t n;
    const Bind *b = bound_to(m, e->args[i]->name);
    if (!b || !sizes_of(m, e->args[i]->name, &size, &n)) return bad(m, "`flat` of something else");
    for (uint32_t k = 0; k < n; k++) {
      v = val_add(m, val_mul(m, v, val_int(size[k])), b->v[k], 1);
      if (__builtin_mul_overflow(*total, size[k], total)) return bad(m, "a size is too large");
    }
  }
  return v;
}

/* The index of every dimension at a position, read in these digits. */
static bool dims_of_position(Mean *m, NodeId arg, Affine at, bool uneven, Val *v) {
  Store *s = m->w->p->s;
  const Node *n = walk_node(m->w, m->side, arg);
  const Cuts *cuts = m->w->part->dims[m->side][arg];
  int64_t size[MOST_NODE_DIGITS];
  Label to[MOST_NODE_DIGITS];
  Cuts all = {node_digits(m->w, m->side, arg, to, size), size};
  size_t n_majors = m->majors.len;
  if (all.n > MOST_NODE_DIGITS || !form_read(s, at, &all, FORM_ALONE, uneven, to, &m->majors))
    return m->majors.len = n_majors, false;
  for (uint32_t d = 0, k = 0; d < n->rank; d++) {
    int64_t stride = n->dims[d];
    v[d] = val_int(0);
    for (uint32_t j = 0; j < cuts[d].n; j++, k++)
      v[d].f = form_add(s, v[d].f, label_open(s, to[k]), stride /= cuts[d].size[j]);
  }
  return true;
}

static Val read_operand(Mean *m, const AstExpr *e) {
  uint32_t p = lay_param(m, e->name);
  int64_t operand = p < m->op->n_params && !m->scope ? operand_of(m, p) : -1;
  if (operand < 0) return bad(m, "a read of no operand");
  NodeId arg = m->node->args[operand];
  const Node *n = walk_node(m->w, m->side, arg);
  Val *v = SCRATCH(m->w->p->s, Val, n->rank + 1);
  size_t n_majors = m->majors.len;
  if (e->n_args == 1 && e->args[0]->kind == EX_BUILTIN && e->args[0]->builtin == BUILTIN_FLAT) {
    int64_t total;
    Val at = flat_position(m, e->args[0], &total);
    if (m->failed) return at;
    if (total != node_elements(n) || !at.is_form) return bad(m, "a reshape that does not fit");
    if (!dims_of_position(m, arg, at.f, false, v) && !dims_of_position(m, arg, at.f, true, v))
      return unreadable(m, "a reshape that is not read in digits");
  } else if (!indices(m, e, p, v)) {
    return m->failed ? val_int(0) : bad(m, "a read that does not fit its bracket");
  }
  return read_at(m, e, arg, v, n_majors);
}

static Val inside(Mean *m, const AstExpr *e) {
  uint32_t p = lay_param(m, e->name);
  int64_t operand = p < m->op->n_params ? operand_of(m, p) : -1;
  if (operand < 0) return bad(m, "`inside` of no operand");
  const Node *n = walk_node(m->w, m->side, m->node->args[operand]);
  Val *v = SCRATCH(m->w->p->s, Val, n->rank + 1), all = val_int(1);
  if (!indices(m, e, p, v)) return bad(m, "a read that does not fit its bracket");
  for (uint32_t d = 0; d < n->rank; d++) {
    if (n->dims[d] == 1) {
      all = val_mul(m, all, val_compare(m, EX_EQ, v[d], val_int(0)));
      continue;
    }
    all = val_mul(m, all, val_compare(m, EX_GE, v[d], val_int(0)));
    all = val_mul(m, all, val_compare(m, EX_LT, v[d], val_int(n->dims[d])));
  }
  return all;
}

/* ---- reductions */
/* Digits of a bound index: those of the dimension it is used for. */
static bool cuts_of_use(Mean *m, const AstExpr *e, Sym name, Cuts *out) {
  uint32_t p = e->kind == EX_READ ? lay_param(m, e->name) : m->op->n_params;
  int64_t operand = p < m->op->n_params ? operand_of(m, p) : -1;
  const Bracket *b = operand >= 0 && e->n_args == m->param[p].n ? &m->param[p] : NULL;
  for (uint32_t i = 0; b && i < e->n_args; i++)
    if (e->args[i]->kind == EX_NAME && e->args[i]->name == name && b->start[i + 1] == b->start[i] + 1) {
      NodeId arg = m->node->args[operand];
      *out = m->w->part->dims[m->side][arg][b->dim[b->start[i]]];
      return walk_node(m->w, m->side, arg)->dims[b->dim[b->start[i]]] > 0;
    }
  for (uint32_t i = 0; i < e->n_args; i++)
    if (cuts_of_use(m, e->args[i], name, out)) return true;
  return false;
}

static bool binder(Mean *m, const AstExpr *e, const AstIndex *x, Label *bound, uint32_t *n_bound) {
  Store *s = m->w->p->s;
  bool is_group = x->form == FORM_GROUP, device = x->size && x->size->kind == EX_NAME && x->size->name == m->op->over;
  const Size *k = x->size || m->scope ? NULL : lay_size(m, x->name);
  int64_t n = !is_group ? 1 : x->size ? positions(m, x->size) : k && k->group ? (int64_t)k->n : -1;
  if (n < 0) return false;
  Val *v = SCRATCH(s, Val, n + 1);
  int64_t *size = SCRATCH(s, int64_t, n + 1);
  for (int64_t i = 0; i < n; i++) {
    Cuts c = {0};
    if (device) {
      c = m->group;
    } else if (x->size) {
      int64_t z;
      if (!val_size(is_group ? at_position(m, x->size, i, n) : meaning_eval(m, x->size), &z) || z < 1) return false;
      c = (Cuts){z > 1, arena_copy(&s->scratch, &z, sizeof z)};
    } else if (!(k && lay_cuts(m, x->name, (uint32_t)i, &c)) &&
               (is_group || !cuts_of_use(m, e->args[0], x->name, &c))) {
      return false;
    }
    size[i] = 1;
    if (*n_bound + c.n > 60) return false;
    for (uint32_t j = 0; j < c.n; j++) {
      bound[*n_bound + j] = label_fresh(s, c.size[j]);
      size[i] *= c.size[j];
    }
    v[i] = (Val){.is_form = true, .f = form_digits(s, bound + *n_bound, c.n)};
    *n_bound += c.n;
  }
  meaning_bind(m, x->name, v, size, (uint32_t)n, is_group);
  return true;
}

/* An index of the reduction has no values. */
static bool over_nothing(const Mean *m, const AstExpr *e) {
  bool nothing = false;
  for (uint32_t b = 0; b < e->n_binders; b++) {
    const Size *k = e->binders[b].size || m->scope ? NULL : lay_size(m, e->binders[b].name);
    for (uint32_t i = 0; k && i < k->n; i++) nothing |= !k->size[i] && (!k->each || m->each < 0 || m->each == i);
  }
  return nothing;
}

static Val reduction(Mean *m, const AstExpr *e) {
  Replay *p = m->w->p;
  size_t env = m->env.len;
  Num sign = num(e->kind == EX_MIN ? RAT_NEG1 : RAT_1), out;
  Label bound[64];
  uint32_t n_bound = 0;
  if (e->binders[0].form == FORM_OPERANDS) {
    Val *v = SCRATCH(p->s, Val, m->n_each + 1), total = val_int(0);
    Num *x = SCRATCH(p->s, Num, m->n_each + 1);
    int64_t each = m->each;
    for (uint32_t k = 0; k < m->n_each && !m->failed; k++) {
      m->each = k;
      v[k] = meaning_eval(m, e->args[0]);
      if (v[k].is_form && e->kind == EX_SUM) total = val_add(m, total, v[k], 1), x[k] = num(RAT_0);
      else x[k] = num_scale(sign.k, meaning_num(m, v[k]));
    }
    m->each = each;
    if (m->failed || !m->n_each) return bad(m, "a reduction over no operands");
    if (e->kind != EX_SUM) return meaning_value(m, num_scale(sign.k, goal_max(p, x, m->n_each, NULL, 0)));
    return val_add(m, total, meaning_value(m, goal_add(p, x, m->n_each)), 1);
  }
  if (over_nothing(m, e)) return e->kind == EX_SUM ? val_int(0) : bad(m, "a maximum over nothing");
  for (uint32_t i = 0; i < e->n_binders; i++)
    if (!binder(m, e, &e->binders[i], bound, &n_bound)) return bad(m, "an index of unknown size");
  Num v = num_scale(sign.k, meaning_num(m, meaning_eval(m, e->args[0])));
  m->env.len = env;
  if (m->failed || p->failed) return bad(m, "a reduction");
  if (e->kind == EX_SUM) out = goal_sum(p, bound, n_bound, v);
  else out = num_scale(sign.k, goal_max(p, &v, 1, bound, n_bound));
  return meaning_value(m, out);
}

static Val all(Mean *m, const AstExpr *e) {
  Val v = val_int(1);
  const int64_t *size;
  uint32_t n;
  if (!sizes_of(m, e->binders[0].name, &size, &n)) return bad(m, "`all` of no group");
  for (uint32_t i = 0; i < n && !m->failed; i++) v = val_mul(m, v, at_position(m, e->args[0], i, n));
  return v;
}

/* ---- functions */
static Val call(Mean *m, const AstExpr *e) {
  Replay *p = m->w->p;
  const AstItem *fn = library_fn(m->w->problem->library, e->name);
  const char *name = sym_text(e->name);
  Val v[16];
  Num x[16];
  Rat c[16];
  bool constant = true;
  if (e->n_args > 16 || (fn && fn->fn.n_params != e->n_args)) return bad(m, "a function with too many arguments");
  for (uint32_t i = 0; i < e->n_args; i++) {
    v[i] = meaning_eval(m, e->args[i]);
    constant = val_const(v[i], &c[i]) && constant;
  }
  if (m->failed) return val_int(0);
  if (fn) {
    size_t env = m->env.len, scope = m->scope;
    Val *copy = arena_copy(&p->s->scratch, v, e->n_args * sizeof *v);
    for (uint32_t i = 0; i < e->n_args; i++) meaning_bind(m, fn->fn.params[i].name, &copy[i], NULL, 1, false);
    m->scope = env;
    Val r = meaning_eval(m, fn->fn.body);
    m->scope = scope;
    m->env.len = env;
    return r;
  }
  if (!strcmp(name, "provided"))
    return val_const(v[0], &c[0]) && c[0] == RAT_1 ? v[1] : unreadable(m, "not proved: what it is provided for");
  if (!strcmp(name, "sqrt") || !strcmp(name, "rsqrt")) return val_power(m, v[0], rat_frac(name[0] == 's' ? 1 : -1, 2));
  if (!strcmp(name, "pow") && val_const(v[1], &c[1])) return val_power(m, v[0], c[1]);
  if (constant && e->n_args && constant_function(name, c, e->n_args, &c[0])) return meaning_value(m, num(c[0]));
  for (uint32_t i = 0; i < e->n_args; i++) x[i] = meaning_num(m, v[i]);
  if (!strcmp(name, "log") && !m->guards) atom_assume(p->s, x[0].a, NOT_ZERO);
  if (!strcmp(name, "maximum")) return meaning_value(m, goal_max(p, x, 2, NULL, 0));
  if (!strcmp(name, "minimum")) {
    Num y[2] = {num_scale(RAT_NEG1, x[0]), num_scale(RAT_NEG1, x[1])};
    return meaning_value(m, num_scale(RAT_NEG1, goal_max(p, y, 2, NULL, 0)));
  }
  return meaning_value(m, goal_fn(p, e->name, x, e->n_args));
}

/* An operand, or `result`; else NULL. */
static const Node *tensor_of(Mean *m, const AstExpr *name) {
  if (name->name == sym("result")) return m->node;
  uint32_t p = lay_param(m, name->name);
  int64_t operand = p < m->op->n_params ? operand_of(m, p) : -1;
  return operand < 0 ? NULL : walk_node(m->w, m->side, m->node->args[operand]);
}

static Val builtin(Mean *m, const AstExpr *e) {
  const AstExpr *x = e->n_args ? e->args[0] : NULL;
  const int64_t *size;
  uint32_t n;
  int64_t total = 1;
  Attr a;
  Rat r;
  const Node *of;
  switch (e->builtin) {
    case BUILTIN_FLAT: return flat_position(m, e, &total);
    case BUILTIN_INSIDE: return inside(m, x);
    case BUILTIN_SIZE:
      if (!sizes_of(m, x->name, &size, &n)) return bad(m, "the size of nothing");
      if (x->kind == EX_GROUP && (m->at < 0 || m->at >= n)) return bad(m, "the size of a group");
      return val_int(size[x->kind == EX_GROUP ? m->at : 0]);
    case BUILTIN_COUNT:
      for (uint32_t i = 0; i < e->n_args; i++) {
        if (!sizes_of(m, e->args[i]->name, &size, &n)) return bad(m, "the count of nothing");
        for (uint32_t k = 0; k < n; k++)
          if (__builtin_mul_overflow(total, size[k], &total)) return bad(m, "a size is too large");
      }
      return val_int(total);
    case BUILTIN_OFFSET: {
      const Size *k = lay_size(m, x->name);
      if (!k || !k->each || m->each < 0) return bad(m, "`offset` of no variadic operand");
      total = 0;
      for (int64_t i = 0; i < m->each; i++) total += k->size[i];
      return val_int(total);
    }
    case BUILTIN_HAS: return val_int(lay_attr(m, x->name, &a));
    case BUILTIN_RANK: return (of = tensor_of(m, x)) ? val_int(of->rank) : bad(m, "the rank of no operand");
    case BUILTIN_ANY: {
      int64_t k = positions(m, x);
      bool any = false;
      for (int64_t i = 0; i < k; i++) any |= val_const(at_position(m, x, i, k), &r) && r != RAT_0;
      return k < 0 ? bad(m, "`any` of no list") : val_int(any);
    }
    case BUILTIN_MODULUS:
      if (!(of = tensor_of(m, x)) || !dtype_is_int((DType)of->dtype)) return bad(m, "the modulus of no integers");
      return meaning_value(m, num(rat_pow(RAT_INT(2), dtype_bits((DType)of->dtype))));
    case BUILTIN_DEVICE: return meaning_value(m, walk_device(m->w));
    default: return bad(m, "a function that is not known here");
  }
}

static Val is_type(Mean *m, const AstExpr *e) {
  const AstExpr *t = e->args[0];
  const char *text = sym_text(e->args[1]->name);
  const Node *of = tensor_of(m, t->args[0]);
  if (!of) return bad(m, "the type of no operand");
  DType type = (DType)of->dtype, want;
  DKind k = dtype_kind(type);
  if (!strcmp(text, "bool")) return val_int(k == DK_BOOL);
  if (!strcmp(text, "int")) return val_int(k == DK_INT || k == DK_UINT);
  if (!strcmp(text, "sint")) return val_int(k == DK_INT);
  if (!strcmp(text, "uint")) return val_int(k == DK_UINT);
  if (!strcmp(text, "float")) return val_int(k == DK_FLOAT);
  if (!strcmp(text, "complex")) return val_int(k == DK_COMPLEX);
  return dtype_parse(text, strlen(text), &want) ? val_int(type == want) : bad(m, "a type that is not known");
}

/* A word: a string, the value of a symbol attribute, or a name that stands for nothing else. */
static bool word(Mean *m, const AstExpr *e, Sym *out, bool *from_node) {
  Attr a;
  *from_node = false;
  *out = e->name;
  if (e->kind == EX_STRING) return true;
  if (e->kind != EX_NAME || bound_to(m, e->name) || m->scope || e->name == m->op->over) return false;
  if (lay_param(m, e->name) < m->op->n_params) return false;
  if (!lay_attr(m, e->name, &a)) return true;
  *from_node = true;
  *out = a.s;
  return a.kind == ATTR_SYM;
}

static Val comparison(Mean *m, const AstExpr *e) {
  Sym s, t;
  bool ns, nt;
  if (e->kind == EX_EQ || e->kind == EX_NE) {
    bool ws = word(m, e->args[0], &s, &ns), wt = word(m, e->args[1], &t, &nt);
    if (ws || wt) return val_int((ws && wt && s == t && (ns || nt)) == (e->kind == EX_EQ));
  }
  Val v = meaning_eval(m, e->args[0]), w = meaning_eval(m, e->args[1]);
  return m->failed ? v : val_compare(m, e->kind, v, w);
}

static Val arithmetic(Mean *m, const AstExpr *e) {
  Val v = meaning_eval(m, e->args[0]), w = meaning_eval(m, e->args[1]);
  Rat k;
  if (m->failed) return v;
  switch (e->kind) {
    case EX_ADD: return val_add(m, v, w, 1);
    case EX_SUB: /* a maximum that is taken away; what is compared may be minus infinity */
      if (!w.is_form && !m->guards && rat_sign(w.v.k) > 0 && def_of(m->w->p->s, w.v.a)->kind == DEF_MAX)
        atom_assume(m->w->p->s, w.v.a, FINITE);
      return val_add(m, v, w, -1);
    case EX_MUL: return val_mul(m, v, w);
    case EX_DIV:
      if (!val_const(w, &k)) return val_mul(m, v, val_power(m, w, RAT_NEG1));
      return k == RAT_0 ? bad(m, "a division by zero") : meaning_value(m, num_scale(rat_inv(k), meaning_num(m, v)));
    default:
      if (val_const(w, &k)) return val_power(m, v, k);
      Num both[2] = {meaning_num(m, v)};
      both[1] = meaning_num(m, w);
      return meaning_value(m, goal_fn(m->w->p, sym("pow"), both, 2));
  }
}

static Val choice(Mean *m, const AstExpr *e) {
  Val q = meaning_eval(m, e->args[0]);
  Rat k;
  if (m->failed) return q;
  if (val_const(q, &k)) return meaning_eval(m, e->args[k != RAT_0 ? 1 : 2]);
  m->guards++;
  Val v = meaning_eval(m, e->args[1]), w = meaning_eval(m, e->args[2]);
  m->guards--;
  if (m->failed) return q;
  Num p = meaning_num(m, q), x = meaning_num(m, v), y = meaning_num(m, w);
  return meaning_value(m, goal_choose(m->w->p, p, x, y));
}

Val meaning_eval(Mean *m, const AstExpr *e) {
  Val v, w;
  Rat k;
  if (m->failed || m->w->p->failed) return m->failed = true, val_int(0);
  if (++m->steps > 1 << 20) return bad(m, "a definition is too large");
  switch (e->kind) {
    case EX_RAT: return meaning_value(m, num(e->value));
    case EX_INF: return (Val){.v = {RAT_NEG1, ATOM_NEGINF}};
    case EX_NAME: return named(m, e);
    case EX_GROUP: return group(m, e);
    case EX_READ: return read_operand(m, e);
    case EX_CALL: return call(m, e);
    case EX_BUILTIN: return builtin(m, e);
    case EX_SUM:
    case EX_MAX:
    case EX_MIN: return reduction(m, e);
    case EX_ALL: return all(m, e);
    case EX_NEG: return val_mul(m, val_int(-1), meaning_eval(m, e->args[0]));
    case EX_NOT: return val_not(m, meaning_eval(m, e->args[0]));
    case EX_IS: return is_type(m, e);
    case EX_EQ:
    case EX_NE:
    case EX_LT:
    case EX_LE:
    case EX_GT:
    case EX_GE: return comparison(m, e);
    case EX_AND:
    case EX_OR:
      v = meaning_eval(m, e->args[0]);
      if (m->failed || (val_const(v, &k) && (k == RAT_0) == (e->kind == EX_AND))) return v;
      w = meaning_eval(m, e->args[1]);
      if (e->kind == EX_AND) return val_mul(m, v, w);
      v = val_not(m, v), w = val_not(m, w);
      return val_not(m, val_mul(m, v, w));
    case EX_IF: return choice(m, e);
    case EX_LET: {
      Val *x = SCRATCH(m->w->p->s, Val, 1);
      *x = meaning_eval(m, e->args[0]);
      meaning_bind(m, e->name, x, NULL, 1, false);
      v = meaning_eval(m, e->args[1]);
      vec_pop(&m->env);
      return v;
    }
    case EX_ADD:
    case EX_SUB:
    case EX_MUL:
    case EX_DIV:
    case EX_POW: return arithmetic(m, e);
    default: return bad(m, "an expression that is not known here");
  }
}
