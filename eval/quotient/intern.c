#include "eval/quotient/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lang/base/vec.h"

typedef Vec(uint64_t) Words;

typedef struct Entry {
  const uint64_t *words;
  size_t n;
  const Instance *in; /* NULL: free */
} Entry;

struct Intern {
  Arena arena;
  Entry *at;
  size_t n, mask;
};

/* ---- an equation as words */

static void put(Words *w, uint64_t x) { vec_push(w, x); }

static void put_ix(Words *w, const Ix *ix) {
  put(w, (uint64_t)ix->constant);
  put(w, ix->dyn);
  put(w, ix->n_terms);
  for (uint32_t t = 0; t < ix->n_terms; t++) put(w, ix->terms[t].var), put(w, (uint64_t)ix->terms[t].coef);
}

static void put_x(Words *w, const X *x) {
  put(w, (uint64_t)x->kind | (uint64_t)x->mode << 8 | (uint64_t)x->permuted << 16);
  put(w, x->r);
  put(w, (uint64_t)x->name);
  put(w, x->operand);
  put(w, x->group);
  put(w, x->n);
  bool index = x->kind == X_READ || x->kind == X_INDEX;
  for (uint32_t k = 0; k < x->n; k++)
    if (index) put_ix(w, &x->ix[k]);
    else put(w, x->args[k]);
  put(w, x->n_vars);
  for (uint32_t k = 0; k < x->n_vars; k++) put(w, x->vars[k]);
}

static void put_instance(Words *w, const Instance *in) {
  put(w, in->n_vars);
  for (VarId v = 0; v < in->n_vars; v++) {
    put(w, in->vars[v].kind | (uint64_t)in->vars[v].dim << 8);
    put(w, (uint64_t)in->vars[v].size);
  }
  put(w, in->n_x);
  for (XId i = 0; i < in->n_x; i++) put_x(w, &in->x[i]);
  put(w, in->body);
  put(w, in->n_out);
  for (uint32_t d = 0; d < in->n_out; d++) {
    put(w, in->out[d].n);
    for (uint32_t k = 0; k < in->out[d].n; k++) put(w, in->out[d].vars[k]);
  }
  put(w, (uint64_t)(uintptr_t)in->groups);
  put(w, (uint64_t)(uintptr_t)in->pairs);
}

/* ---- the table */

Intern *intern_new(void) {
  Intern *t = xcalloc(1, sizeof *t);
  t->mask = 255;
  t->at = xcalloc(t->mask + 1, sizeof *t->at);
  return t;
}

void intern_free(Intern *t) {
  if (!t) return;
  arena_free(&t->arena);
  free(t->at);
  free(t);
}

static Entry *find(const Intern *t, const uint64_t *words, size_t n) {
  size_t k = XXH3_64bits(words, n * sizeof *words) & t->mask;
  while (t->at[k].in && (t->at[k].n != n || memcmp(t->at[k].words, words, n * sizeof *words))) k = (k + 1) & t->mask;
  return &t->at[k];
}

static void grow(Intern *t) {
  Entry *old = t->at;
  size_t n = t->mask + 1;
  t->mask = 2 * n - 1;
  t->at = xcalloc(2 * n, sizeof *t->at);
  for (size_t k = 0; k < n; k++)
    if (old[k].in) *find(t, old[k].words, old[k].n) = old[k];
  free(old);
}

const Instance *intern(Intern *t, const Instance *in) {
  if (in->opaque || in->body == NO_X) return in;
  Words w = {0};
  put_instance(&w, in);
  Entry *e = find(t, w.at, w.len);
  const Instance *first = e->in;
  if (!first) {
    *e = (Entry){arena_copy(&t->arena, w.at, w.len * sizeof *w.at), w.len, in};
    first = in;
    if (2 * ++t->n > t->mask) grow(t);
  }
  vec_free(&w);
  return first;
}
