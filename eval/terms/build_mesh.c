/* What depends on the device: vectors over devices, permutations, and operators without an equation. */
#include <string.h>

#include "eval/terms/build_access.h"

enum { MAX_DEVICES = 4096 };

static Value point(Build *b, uint32_t digit, int64_t at) {
  int64_t size = meshdigits_get(digits_mesh(b->digits), digit)->size;
  return calc_cmp(b->calc, CMP_EQ, calc_idx(b->calc, b->mesh_names[digit], size), value_num(rat_int(at)));
}

/* Digits on which the vector depends. */
static uint32_t dependent(Build *b, const int64_t *v, int64_t n, uint32_t *out) {
  const MeshDigits *md = digits_mesh(b->digits);
  uint32_t m = 0;
  for (uint32_t i = 0; i < b->n_mesh; i++) {
    bool depends = false;
    for (int64_t d = 0; d < n && !depends; d++)
      for (int64_t e = 0; e < d && !depends; e++) {
        bool only = v[d] != v[e];
        for (uint32_t j = 0; j < b->n_mesh && only; j++)
          only = (j == i) || meshdigits_value(md, j, d) == meshdigits_value(md, j, e);
        depends = only;
      }
    if (depends) out[m++] = i;
  }
  return m;
}

static Value points(Build *b, const int64_t *v, int64_t n, const uint32_t *digit, uint32_t m) {
  const MeshDigits *md = digits_mesh(b->digits);
  int64_t total = 1, ones = 0;
  for (uint32_t i = 0; i < m; i++) total *= meshdigits_get(md, digit[i])->size;
  bool *hit = ARENA_ARRAY(&b->arena, bool, total);
  for (int64_t d = 0; d < n; d++) {
    int64_t k = 0;
    for (uint32_t i = 0; i < m; i++) k = k * meshdigits_get(md, digit[i])->size + meshdigits_value(md, digit[i], d);
    hit[k] = v[d] != 0;
  }
  for (int64_t k = 0; k < total; k++) ones += hit[k];
  bool invert = ones * 2 > total;
  Value *all = ARENA_ARRAY(&b->arena, Value, total), *eq = ARENA_ARRAY(&b->arena, Value, m);
  uint32_t n_all = 0;
  for (int64_t k = 0; k < total; k++) {
    if (hit[k] == invert) continue;
    int64_t rest = k;
    for (uint32_t i = m; i-- > 0; rest /= meshdigits_get(md, digit[i])->size)
      eq[i] = point(b, digit[i], rest % meshdigits_get(md, digit[i])->size);
    all[n_all++] = calc_mul(b->calc, eq, m);
  }
  Value s = calc_add(b->calc, all, n_all);
  return invert ? calc_not(b->calc, s) : s;
}

Value build_by_device(Build *b, const int64_t *v, bool pred) {
  int64_t n = b->problem->relation->mesh.n_devices;
  bool uniform = true;
  for (int64_t d = 1; d < n; d++) uniform &= v[d] == v[0];
  if (uniform) return value_num(rat_int(v[0]));
  MeshForm f;
  const MeshDigits *md = digits_mesh(b->digits);
  if (!pred && meshdigits_refit(md, v, &b->arena, &f)) {
    Form g = {f.constant, 0, ARENA_ARRAY(&b->arena, FormTerm, b->n_mesh)};
    for (uint32_t i = 0; i < b->n_mesh; i++)
      if (f.weight[i]) g.terms[g.n++] = (FormTerm){f.weight[i], b->mesh_names[i]};
    return access_value(b, g);
  }
  uint32_t *digit = ARENA_ARRAY(&b->arena, uint32_t, b->n_mesh), m = b->n_mesh;
  for (uint32_t i = 0; i < m; i++) digit[i] = i;
  if (n <= 512) m = dependent(b, v, n, digit);
  if (pred) return points(b, v, n, digit, m);
  int64_t total = 1, *sizes = ARENA_ARRAY(&b->arena, int64_t, m);
  Name *names = ARENA_ARRAY(&b->arena, Name, m);
  for (uint32_t i = 0; i < m; i++) {
    sizes[i] = meshdigits_get(md, digit[i])->size;
    names[i] = b->mesh_names[digit[i]];
    total *= sizes[i];
  }
  Rat *values = ARENA_ARRAY(&b->arena, Rat, total);
  for (int64_t d = 0; d < n; d++) {
    int64_t k = 0;
    for (uint32_t i = 0; i < m; i++) k = k * sizes[i] + meshdigits_value(md, digit[i], d);
    values[k] = rat_int(v[d]);
  }
  return calc_table(b->calc, values, (uint64_t)total, names, sizes, m, true);
}

/* Every digit of the source is a digit of the target, or a constant (axes exchanged, one device's value spread): names
 * are exchanged, and the value is 0 where there is no source. */
static bool relabelled(Build *b, const int64_t *source, int64_t n, Value v, Value *out) {
  const MeshDigits *md = digits_mesh(b->digits);
  Subst s = {0};
  int64_t *has = ARENA_ARRAY(&b->arena, int64_t, n);
  for (int64_t d = 0; d < n; d++) has[d] = source[d] >= 0;
  for (uint32_t i = 0; i < b->n_mesh; i++) {
    int64_t size = meshdigits_get(md, i)->size, constant = -1;
    bool found = false;
    for (uint32_t k = 0; k <= b->n_mesh && !found; k++) { /* itself first, then the others, then a constant */
      uint32_t j = k == 0 ? i : k <= i ? k - 1 : k;
      bool fits = true;
      constant = -1;
      if (k < b->n_mesh) {
        fits = meshdigits_get(md, j)->size == size;
        for (int64_t d = 0; d < n && fits; d++)
          fits = !has[d] || meshdigits_value(md, i, source[d]) == meshdigits_value(md, j, d);
      } else {
        for (int64_t d = 0; d < n && fits; d++) {
          if (!has[d]) continue;
          if (constant < 0) constant = meshdigits_value(md, i, source[d]);
          fits = meshdigits_value(md, i, source[d]) == constant;
        }
      }
      if (!fits) continue;
      found = true;
      if (k < b->n_mesh && j != i) subst_put(&s, b->mesh_names[i], b->mesh_names[j]);
      if (k == b->n_mesh && constant >= 0) subst_put(&s, b->mesh_names[i], name_const(constant));
    }
    if (!found) return false;
  }
  *out = calc_mul2(b->calc, build_by_device(b, has, true), calc_rename(b->calc, v, &s));
  return true;
}

/* The value of one's source, 0 without one: cases over the mesh digits in which sources and targets differ. */
Value build_permuted(Scope *s, Value v) {
  Build *b = s->b;
  Calculus *c = b->calc;
  const MeshDigits *md = digits_mesh(b->digits);
  const Attr *pairs = s->in->pairs;
  int64_t n = b->problem->relation->mesh.n_devices;
  if (!pairs || n > MAX_DEVICES) {
    s->failed = "a permutation without pairs";
    return v;
  }
  int64_t *source = ARENA_ARRAY(&b->arena, int64_t, n);
  for (int64_t d = 0; d < n; d++) source[d] = -1;
  for (uint32_t i = 0; i + 1 < pairs->n; i += 2) {
    int64_t from = pairs->ints[i], to = pairs->ints[i + 1];
    if (from < 0 || to < 0 || from >= n || to >= n || source[to] >= 0) {
      s->failed = "pairs that do not fit the mesh";
      return v;
    }
    source[to] = from;
  }
  Value relabel;
  if (relabelled(b, source, n, v, &relabel)) return relabel;
  /* digits that some pair changes, or on which having a source depends */
  bool *varies = ARENA_ARRAY(&b->arena, bool, b->n_mesh);
  int64_t *has = ARENA_ARRAY(&b->arena, int64_t, n);
  for (int64_t d = 0; d < n; d++) {
    has[d] = source[d] >= 0;
    for (uint32_t i = 0; i < b->n_mesh && has[d]; i++)
      varies[i] |= meshdigits_value(md, i, d) != meshdigits_value(md, i, source[d]);
  }
  uint32_t *digit = ARENA_ARRAY(&b->arena, uint32_t, b->n_mesh + 1), m = n <= 512 ? dependent(b, has, n, digit) : 0;
  for (uint32_t i = 0; i < m; i++) varies[digit[i]] = true;
  for (int round = 0; round < 2; round++) {
    m = 0;
    int64_t total = 1;
    for (uint32_t i = 0; i < b->n_mesh; i++)
      if (varies[i]) digit[m++] = i, total *= meshdigits_get(md, i)->size;
    int64_t *from =
        ARENA_ARRAY(&b->arena, int64_t, total); /* per target: source's varying digits as a number; -1: none */
    for (int64_t k = 0; k < total; k++) from[k] = -2;
    bool fits = true;
    for (int64_t d = 0; d < n && fits; d++) {
      int64_t k = 0, f = source[d] < 0 ? -1 : 0;
      for (uint32_t i = 0; i < m; i++) {
        k = k * meshdigits_get(md, digit[i])->size + meshdigits_value(md, digit[i], d);
        if (f >= 0) f = f * meshdigits_get(md, digit[i])->size + meshdigits_value(md, digit[i], source[d]);
      }
      if (from[k] == -2) from[k] = f;
      fits = from[k] == f;
    }
    if (!fits) { /* the digits do not separate: all of them vary */
      memset(varies, 1, b->n_mesh);
      continue;
    }
    Value *all = ARENA_ARRAY(&b->arena, Value, total), *f = ARENA_ARRAY(&b->arena, Value, m + 1);
    uint32_t n_all = 0;
    for (int64_t k = 0; k < total; k++) {
      if (from[k] < 0) continue;
      Subst sub = {0};
      int64_t to = k, at = from[k];
      for (uint32_t i = m; i-- > 0;) {
        int64_t size = meshdigits_get(md, digit[i])->size;
        f[i] = point(b, digit[i], to % size);
        subst_put(&sub, b->mesh_names[digit[i]], name_const(at % size));
        to /= size;
        at /= size;
      }
      f[m] = calc_rename(c, v, &sub);
      all[n_all++] = calc_mul(c, f, m + 1);
    }
    return calc_add(c, all, n_all);
  }
  s->failed = "a permutation that does not fit the mesh";
  return v;
}

/* ------------------------------------------------------------------ operators without an equation */
static Sym identity(Build *b, Side side, NodeId id, const Instance *in, const bool *batch) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  Arena *a = &b->arena;
  const char *s = arena_printf(a, "%s#%u %s", sym_text(n->op), n->result, dtype_text(n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) s = arena_printf(a, batch[d] ? "%s,*" : "%s,%lld", s, (long long)n->dims[d]);
  for (uint32_t k = 0; k < n->n_args; k++) { /* the same numbers in another shape are another operand */
    const Node *arg = &b->problem->graph[side]->nodes.at[n->args[k]];
    s = arena_printf(a, "%s;%s", s, dtype_text(arg->dtype));
    for (uint32_t p = 0; p < arg->rank; p++) {
      bool pointwise = false;
      for (uint32_t d = 0; d < n->rank && in && in->batch; d++)
        pointwise |= batch[d] && in->batch_arg[k][d] == (int32_t)p;
      s = arena_printf(a, pointwise ? "%s,*" : "%s,%lld", s, (long long)arg->dims[p]);
    }
  }
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const Attr *t = &n->attrs[i];
    const char *text = t->kind == ATTR_SYM ? sym_text(t->s) : "";
    char buf[64];
    s = arena_printf(a, "%s %s=%u:%zu:%s%lld%s", s, sym_text(t->name), t->kind, strlen(text), text,
                     t->kind == ATTR_INT || t->kind == ATTR_GROUPS ? (long long)t->i : 0,
                     t->kind == ATTR_RAT ? rat_print(t->r, buf, sizeof buf) : "");
    for (uint32_t j = 0; j < t->n; j++) s = arena_printf(a, "%s,%lld", s, (long long)t->ints[j]);
  }
  return sym(s);
}

/* Names of an operand: pointwise dimensions keep the result's names, all others are consumed. */
static bool consume(Build *b, Side side, NodeId id, const Instance *in, uint32_t k, bool *batch, bool apply, Subst *s,
                    NameList *consumed) {
  const Node *n = &b->problem->graph[side]->nodes.at[id], *arg = &b->problem->graph[side]->nodes.at[n->args[k]];
  for (uint32_t p = 0; p < arg->rank; p++) {
    DigitList l = digits_dim(b->digits, side, n->args[k], p);
    uint32_t at = UINT32_MAX;
    for (uint32_t d = 0; d < n->rank && in && in->batch; d++)
      if (batch[d] && in->batch_arg[k][d] == (int32_t)p) at = d;
    if (at != UINT32_MAX) {
      DigitList o = digits_dim(b->digits, side, id, at);
      bool same = l.n == o.n;
      for (uint32_t j = 0; same && j < l.n; j++) same = l.size[j] == o.size[j];
      if (!same) return batch[at] = false;
    }
    for (uint32_t j = 0; apply && j < l.n; j++) {
      Name from = calculus_name(b->calc, NAME_DIM, p, j, l.size[j]);
      Name to =
          at != UINT32_MAX ? calculus_name(b->calc, NAME_DIM, at, j, l.size[j]) : calculus_fresh(b->calc, l.size[j]);
      subst_put(s, from, to);
      if (at == UINT32_MAX) vec_push(consumed, to);
    }
  }
  return true;
}

Value build_opaque(Build *b, Side side, NodeId id, const Instance *in) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  bool *batch = ARENA_ARRAY(&b->arena, bool, n->rank + 1);
  for (uint32_t d = 0; d < n->rank; d++) batch[d] = in && in->batch && in->batch[d];
  NameList consumed = {0}, out = {0};
  for (bool again = true; again;) {
    again = false;
    for (uint32_t k = 0; k < n->n_args && !again; k++) again = !consume(b, side, id, in, k, batch, false, NULL, NULL);
  }
  bool crosses = false; /* reads other devices */
  for (uint32_t i = 0; i < n->n_attrs; i++)
    crosses |= n->attrs[i].kind == ATTR_GROUPS || n->attrs[i].kind == ATTR_PAIRS;
  Value *args = ARENA_ARRAY(&b->arena, Value, n->n_args);
  for (uint32_t k = 0; k < n->n_args; k++) {
    Subst s = {0};
    consume(b, side, id, in, k, batch, true, &s, &consumed);
    for (uint32_t i = 0; i < b->n_mesh && crosses; i++) {
      Name f = calculus_fresh(b->calc, calculus_name_info(b->calc, b->mesh_names[i])->size);
      subst_put(&s, b->mesh_names[i], f);
      vec_push(&consumed, f);
    }
    args[k] = calc_rename(b->calc, b->value[side][n->args[k]], &s);
  }
  for (uint32_t d = 0; d < n->rank; d++) {
    DigitList l = digits_dim(b->digits, side, id, d);
    for (uint32_t j = 0; j < l.n && !batch[d]; j++) vec_push(&out, calculus_name(b->calc, NAME_DIM, d, j, l.size[j]));
  }
  for (uint32_t i = 0; i < b->n_mesh && crosses; i++) vec_push(&out, b->mesh_names[i]);
  Value v = calc_opaque(b->calc, identity(b, side, id, in, batch), args, n->n_args, consumed.at, (uint32_t)consumed.len,
                        out.at, (uint32_t)out.len);
  vec_free(&consumed);
  vec_free(&out);
  return v;
}
