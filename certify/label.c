/* Labels and affine forms over them.  A form is a label as well, where an index is replaced by one: a list of terms. */
#include "certify/term.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint32_t index_find(Index *x, uint64_t hash, bool (*is)(const void *, uint32_t, const void *), const void *all,
                    const void *key) {
  if ((x->hashes.len + 1) * 2 > x->n_slots) {
    free(x->slots);
    x->n_slots = x->n_slots ? x->n_slots * 2 : 1024;
    x->slots = xcalloc(x->n_slots, sizeof *x->slots);
    for (size_t i = 0; i < x->hashes.len; i++) {
      size_t k = x->hashes.at[i] & (x->n_slots - 1);
      while (x->slots[k].number) k = (k + 1) & (x->n_slots - 1);
      x->slots[k] = (struct IndexSlot){(uint32_t)i + 1, (uint32_t)(x->hashes.at[i] >> 32)};
    }
  }
  size_t k = hash & (x->n_slots - 1);
  for (; x->slots[k].number; k = (k + 1) & (x->n_slots - 1))
    if (x->slots[k].hash == (uint32_t)(hash >> 32) && is(all, x->slots[k].number - 1, key)) return x->slots[k].number - 1;
  vec_push(&x->hashes, hash);
  x->slots[k] = (struct IndexSlot){(uint32_t)x->hashes.len, (uint32_t)(hash >> 32)};
  return (uint32_t)x->hashes.len - 1;
}

void index_free(Index *x) {
  free(x->slots);
  vec_free(&x->hashes);
}

static bool is_label(const void *s, uint32_t l, const void *key) {
  return !memcmp(&((const Store *)s)->labels.at[l], key, sizeof(LabelInfo));
}

Label label_make(Store *s, LabelKind kind, uint32_t a, uint32_t b, int64_t size) {
  LabelInfo x = {kind, a, b, 0, size};
  Label l = index_find(&s->label_index, XXH3_64bits(&x, sizeof x), is_label, s, &x);
  if (l == s->labels.len) vec_push(&s->labels, x);
  return l;
}

Label label_fresh(Store *s, int64_t size) { return label_make(s, LABEL_BOUND, s->fresh++, 0, size); }

/* By what they are, not by when they were made. */
int label_compare(const Store *s, Label x, Label y) {
  if (x == y) return 0;
  if (label_is_const(x) || label_is_const(y)) return x < y ? -1 : 1;
  const LabelInfo *l = &s->labels.at[x], *m = &s->labels.at[y];
  if (l->kind != m->kind) return l->kind < m->kind ? -1 : 1;
  int parts = 0;
  if (l->kind == LABEL_FORM) parts = label_compare(s, l->a, m->a);
  if (l->kind == LABEL_FORM && !parts) parts = label_compare(s, l->b, m->b);
  if (parts) return parts;
  if (l->kind != LABEL_FORM && l->a != m->a) return l->a < m->a ? -1 : 1;
  if (l->kind != LABEL_FORM && l->b != m->b) return l->b < m->b ? -1 : 1;
  return l->size < m->size ? -1 : 1;
}

/* ---- forms */
/* x + k y; no number of a form is so large that this goes wrong unless a certificate means it to. */
static int64_t plus(Store *s, int64_t x, int64_t k, int64_t y) {
  int64_t z;
  s->overflow |= __builtin_mul_overflow(k, y, &z) || __builtin_add_overflow(x, z, &z);
  return z;
}

Affine form_add(Store *s, Affine f, Affine g, int64_t k) {
  Affine h = {plus(s, f.c, k, g.c), 0, SCRATCH(s, struct AffineTerm, f.n + g.n)};
  for (uint32_t i = 0; i < f.n; i++) h.t[h.n++] = f.t[i];
  for (uint32_t i = 0; i < g.n; i++) {
    uint32_t j = 0;
    while (j < h.n && h.t[j].l != g.t[i].l) j++;
    if (j == h.n) h.t[h.n++] = (struct AffineTerm){0, g.t[i].l};
    h.t[j].k = plus(s, h.t[j].k, k, g.t[i].k);
  }
  uint32_t n = 0;
  for (uint32_t i = 0; i < h.n; i++)
    if (h.t[i].k) h.t[n++] = h.t[i];
  h.n = n;
  return h;
}

Affine form_digits(Store *s, const Label *l, uint32_t n) {
  Affine f = {0, n, SCRATCH(s, struct AffineTerm, n)};
  int64_t stride = 1;
  for (uint32_t j = n; j-- > 0; stride *= label_size(s, l[j])) f.t[j] = (struct AffineTerm){stride, l[j]};
  return f;
}

int64_t form_end(const Store *s, Affine f) {
  __int128 lo = f.c, hi = f.c;
  for (uint32_t i = 0; i < f.n; i++) *(f.t[i].k < 0 ? &lo : &hi) += (__int128)f.t[i].k * (label_size(s, f.t[i].l) - 1);
  return lo >= 0 && hi < INT64_MAX ? (int64_t)hi + 1 : 0;
}

bool form_inside(const Store *s, Affine f, int64_t size) {
  int64_t end = form_end(s, f);
  return end && end <= size;
}

Label label_of_form(Store *s, Affine f, int64_t size) {
  f = form_add(s, (Affine){f.c, 0, NULL}, (Affine){0, f.n, f.t}, 1);
  if (!f.n && f.c >= 0 && f.c < size && f.c < INT32_MAX) return LABEL_CONST | (uint32_t)f.c;
  if (f.n == 1 && f.t[0].k == 1 && !f.c && label_size(s, f.t[0].l) == size) return f.t[0].l;
  for (uint32_t i = 1; i < f.n; i++)
    for (uint32_t j = i; j && label_compare(s, f.t[j - 1].l, f.t[j].l) < 0; j--) {
      struct AffineTerm x = f.t[j];
      f.t[j] = f.t[j - 1];
      f.t[j - 1] = x;
    }
  Label l = label_make(s, LABEL_INTEGER, 0, 0, f.c);
  for (uint32_t i = 0; i < f.n; i++) l = label_make(s, LABEL_FORM, f.t[i].l, l, f.t[i].k);
  return l;
}

Affine label_open(Store *s, Label l) {
  if (label_is_const(l)) return (Affine){label_value(l), 0, NULL};
  Affine f = {0, 0, NULL};
  for (; label_is_form(s, l); l = s->labels.at[l].b) {
    LabelInfo x = s->labels.at[l];
    if (x.kind == LABEL_INTEGER) return f.c = x.size, f;
    f = form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, x.a}}, x.size);
  }
  return form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, l}}, 1);
}
