/* Index variables of an equation as forms over the digits of its node.
 *
 * Those of an output dimension are its digits.  Where it is not cut as the operator needs, a flat dimension of two variables
 * has place holders for the major one, which vanish or are written out block by block; otherwise the variables are looked
 * up: the value is the sum over them wherever their position is the index. */
#include "eval/terms/build_access.h"

enum { MAX_BLOCKS_WRITTEN = 64 };

/* The variables of an output dimension, wherever their position is its index. */
static void look_up_output(Scope *s, const OutDim *o, Form whole) {
  Build *b = s->b;
  Form position = {0};
  int64_t stride = 1;
  for (uint32_t i = o->n; i-- > 0; stride *= s->in->vars[o->vars[i]].size) {
    DigitList l = s->digits[o->vars[i]];
    Name *names = ARENA_ARRAY(&b->arena, Name, l.n);
    if (!access_bind(b, &s->own, &l, names)) {
      s->failed = "too many digits in a look-up";
      return;
    }
    s->var[o->vars[i]] = access_digits(&b->arena, &l, names, 1);
    position = access_add(&b->arena, position, access_digits(&b->arena, &l, names, stride));
  }
  Value read = access_value(b, position);
  vec_push(&s->own.guards, calc_cmp(b->calc, CMP_EQ, read, access_value(b, whole)));
}

/* Index variables as forms over names.  An output dimension of several variables that is flat has no names for the major
 * ones: they get place holders, and the minor one is position - block * major. */
static void bind_output(Scope *s, uint32_t d) {
  Build *b = s->b;
  DigitList l = digits_dim(b->digits, s->side, s->id, d);
  const OutDim *o = &s->in->out[d];
  uint32_t total = 0;
  bool same = true;
  for (uint32_t i = 0; i < o->n; i++) {
    DigitList v = s->digits[o->vars[i]];
    for (uint32_t j = 0; j < v.n; j++, total++) same = same && total < l.n && v.size[j] == l.size[total];
  }
  if (same && total == l.n) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < o->n; i++) {
      DigitList v = s->digits[o->vars[i]];
      Name *names = ARENA_ARRAY(&b->arena, Name, v.n);
      for (uint32_t j = 0; j < v.n; j++, at++) names[j] = calculus_name(b->calc, NAME_DIM, d, at, l.size[at]);
      s->var[o->vars[i]] = access_digits(&b->arena, &v, names, 1);
    }
    return;
  }
  Name *names = ARENA_ARRAY(&b->arena, Name, l.n);
  for (uint32_t j = 0; j < l.n; j++) names[j] = calculus_name(b->calc, NAME_DIM, d, j, l.size[j]);
  Form whole = access_digits(&b->arena, &l, names, 1);
  if (o->n == 1) {
    s->var[o->vars[0]] = whole;
    return;
  }
  if ((o->n != 2 || l.n != 1) && s->looks_up) {
    look_up_output(s, o, whole);
    return;
  }
  if (o->n != 2 || l.n != 1) {
    access_ask(b, s->side, s->id, d);
    s->failed = "a dimension that is not cut as the operator needs";
    return;
  }
  DigitList q = s->digits[o->vars[0]];
  int64_t block = s->in->vars[o->vars[1]].size;
  Major m = {names[0], block, s->pending.n, q.n};
  Name *major = ARENA_ARRAY(&b->arena, Name, q.n);
  for (uint32_t j = 0; j < q.n; j++) {
    major[j] = calculus_name(b->calc, NAME_TEMP, 200 + d * 16 + j, 0, q.size[j]);
    subst_put(&s->pending, major[j], major[j]);
  }
  s->var[o->vars[0]] = access_digits(&b->arena, &q, major, 1);
  s->var[o->vars[1]] = access_add(&b->arena, whole, access_digits(&b->arena, &q, major, -block));
  vec_push(&s->majors, m);
}

void build_bind(Scope *s) {
  Build *b = s->b;
  const Instance *in = s->in;
  for (uint32_t v = 0; v < in->n_vars; v++) s->digits[v] = digits_var(b->digits, s->side, s->id, v);
  for (uint32_t d = 0; d < in->n_out && !s->failed; d++) bind_output(s, d);
  for (uint32_t v = 0; v < in->n_vars; v++) {
    DigitList l = s->digits[v];
    if (in->vars[v].kind == VAR_BOUND) {
      Name *names = ARENA_ARRAY(&b->arena, Name, l.n);
      for (uint32_t j = 0; j < l.n; j++) names[j] = calculus_fresh(b->calc, l.size[j]);
      s->var[v] = access_digits(&b->arena, &l, names, 1);
    } else if (in->vars[v].kind == VAR_GROUP) {
      int64_t stride = 1;
      for (uint32_t j = s->position.n; j-- > 0;) {
        uint32_t digit = s->position.digit[j];
        FormTerm t = {stride, b->mesh_names[digit]};
        s->var[v] = access_add(&b->arena, s->var[v], (Form){0, 1, &t});
        stride *= meshdigits_get(digits_mesh(b->digits), digit)->size;
      }
      if (!s->regular) s->failed = "irregular replica groups";
    }
  }
}

/* The place holders of major digits must vanish; where they do not, the value is written out per block. */
static Value eliminate_majors(Scope *s, Value v) {
  Calculus *c = s->b->calc;
  for (size_t i = 0; i < s->majors.len && !s->failed; i++) {
    Major m = s->majors.at[i];
    bool occurs = false;
    int64_t cases = 1;
    for (uint32_t j = 0; j < m.n; j++) {
      Name n = s->pending.at[m.first + j].from;
      occurs |= value_has(c, v, n);
      cases *= calculus_name_info(c, n)->size;
    }
    if (!occurs) continue;
    if (cases > MAX_BLOCKS_WRITTEN) {
      s->failed = "too many blocks in one dimension";
      break;
    }
    Value *all = ARENA_ARRAY(&s->b->arena, Value, cases);
    for (int64_t k = 0; k < cases; k++) {
      Subst t = {0};
      int64_t rest = k;
      for (uint32_t j = m.n; j-- > 0;) {
        int64_t size = calculus_name_info(c, s->pending.at[m.first + j].from)->size;
        subst_put(&t, s->pending.at[m.first + j].from, name_const(rest % size));
        rest /= size;
      }
      Value e = calc_idx(c, m.whole, calculus_name_info(c, m.whole)->size);
      Value within = calc_inside(c, e, k * m.block, (k + 1) * m.block);
      all[k] = calc_mul2(c, within, calc_rename(c, v, &t));
    }
    v = calc_add(c, all, (uint32_t)cases);
  }
  return v;
}

Value build_unbind(Scope *s, Value v) {
  if (!s->failed) v = eliminate_majors(s, v);
  if (!s->failed) return access_looked_up(s->b, &s->own, v);
  vec_free(&s->own.guards);
  return VALUE_ZERO;
}
