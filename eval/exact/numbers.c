#include "eval/exact/numbers.h"

typedef struct NumbersArray {
  struct NumbersArray *next; /* of the spare ones */
  uint32_t holders, size;
  double at[];
} NumbersArray;

/* The first size that holds n: 4, 5, 6, 7, 8, 10, 12, 14, 16, .. */
static uint32_t size_of(size_t n, size_t *doubles) {
  uint32_t k = 0, i = 0;
  size_t step = 1, from = 4;
  for (; from + 3 * step < n; k++) step *= 2, from *= 2;
  while (from + i * step < n) i++;
  *doubles = from + i * step;
  return 4 * k + i;
}

static NumbersArray *array_of(const double *at) {
  return (NumbersArray *)((char *)(uintptr_t)at - offsetof(NumbersArray, at));
}

double *numbers_take(Numbers *m, size_t n) {
  size_t doubles;
  uint32_t size = size_of(n, &doubles);
  NumbersArray *x = m->spare[size];
  if (x) m->spare[size] = x->next;
  else x = arena_raw(&m->arena, sizeof *x + doubles * sizeof *x->at);
  *x = (NumbersArray){NULL, 1, size};
  return x->at;
}

void numbers_hold(const double *at) { array_of(at)->holders++; }

void numbers_drop(Numbers *m, const double *at) {
  NumbersArray *x = array_of(at);
  if (--x->holders) return;
  x->next = m->spare[x->size];
  m->spare[x->size] = x;
}

void numbers_free(Numbers *m) { arena_free(&m->arena); }
