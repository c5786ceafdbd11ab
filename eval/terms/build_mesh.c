/* What depends on the device: vectors over devices, and permutations. */
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
  int64_t *at = ARENA_ARRAY(&b->arena, int64_t, n), stride = n; /* by the number that all digits make */
  for (int64_t d = 0; d < n; d++) {
    int64_t k = 0;
    for (uint32_t i = 0; i < b->n_mesh; i++) k = k * meshdigits_get(md, i)->size + meshdigits_value(md, i, d);
    at[k] = v[d];
  }
  uint32_t m = 0;
  for (uint32_t i = 0; i < b->n_mesh; i++) {
    int64_t size = meshdigits_get(md, i)->size;
    bool depends = false;
    stride /= size;
    for (int64_t k = 0; k < n && !depends; k++) depends = at[k] != at[k - k / stride % size * stride];
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
  m = dependent(b, v, n, digit);
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
  Value there = build_by_device(b, has, true);
  *out = calc_mul2(b->calc, there, calc_rename(b->calc, v, &s));
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
  uint32_t *digit = ARENA_ARRAY(&b->arena, uint32_t, b->n_mesh + 1), m = dependent(b, has, n, digit);
  int64_t *number = ARENA_ARRAY(&b->arena, int64_t, n); /* what the varying digits of the source make; -1: none */
  for (uint32_t i = 0; i < m; i++) varies[digit[i]] = true;
  for (uint32_t round = 0; round <= b->n_mesh; round++) {
    m = 0;
    int64_t total = 1;
    for (uint32_t i = 0; i < b->n_mesh; i++)
      if (varies[i]) digit[m++] = i, total *= meshdigits_get(md, i)->size;
    int64_t *from =
        ARENA_ARRAY(&b->arena, int64_t, total); /* per target: source's varying digits as a number; -1: none */
    for (int64_t k = 0; k < total; k++) from[k] = -2;
    bool fits = true;
    for (int64_t d = 0; d < n; d++) {
      int64_t k = 0, f = source[d] < 0 ? -1 : 0;
      for (uint32_t i = 0; i < m; i++) {
        k = k * meshdigits_get(md, digit[i])->size + meshdigits_value(md, digit[i], d);
        if (f >= 0) f = f * meshdigits_get(md, digit[i])->size + meshdigits_value(md, digit[i], source[d]);
      }
      if (from[k] == -2) from[k] = f;
      fits &= from[k] == f;
      number[d] = f;
    }
    if (!fits) { /* the digits do not separate: others of the target count, too */
      m = dependent(b, number, n, digit);
      for (uint32_t i = 0; i < m; i++) varies[digit[i]] = true;
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
