#include "eval/datalog/value.h"

#include <math.h>

static void words_grow(Words *w) {
  size_t n = w->n_slots ? w->n_slots * 2 : 64;
  free(w->slots);
  w->slots = xcalloc(n, sizeof *w->slots);
  w->n_slots = n;
  for (size_t i = 0; i < w->at.len; i++) {
    size_t k = val_mix(w->at.at[i] >> 32, (uint32_t)w->at.at[i]) & (n - 1);
    while (w->slots[k]) k = (k + 1) & (n - 1);
    w->slots[k] = (uint32_t)i + 1;
  }
}

uint32_t words_intern(Words *w, uint64_t x) {
  if ((w->at.len + 1) * 2 > w->n_slots) words_grow(w);
  size_t k = val_mix(x >> 32, (uint32_t)x) & (w->n_slots - 1);
  for (; w->slots[k]; k = (k + 1) & (w->n_slots - 1))
    if (w->at.at[w->slots[k] - 1] == x) return w->slots[k] - 1;
  vec_push(&w->at, x);
  w->slots[k] = (uint32_t)w->at.len;
  return (uint32_t)w->at.len - 1;
}

static void words_free(Words *w) {
  vec_free(&w->at);
  free(w->slots);
}

void values_free(Values *v) {
  words_free(&v->ints);
  words_free(&v->floats);
  words_free(&v->rats);
}

Val val_float(Values *v, double x) {
  uint64_t bits;
  if (isnan(x)) x = (double)NAN;
  memcpy(&bits, &x, sizeof bits);
  if (x == 0) {
    if (!v->zero) v->zero = bits + 1;
    bits = v->zero - 1;
  }
  return words_intern(&v->floats, bits);
}

double val_get_float(const Values *v, Val x) {
  double d;
  memcpy(&d, &v->floats.at.at[x], sizeof d);
  return d;
}
