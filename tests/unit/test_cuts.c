/* Common refinement on random dims: digits are a factorisation, and if nothing was refused both sides of every equation
 * have the same digits, of the same sorts. */
#include "eval/digits/cuts.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;
#define CHECK(x) \
  do { \
    if (!(x)) printf("%s:%d: %s\n", __FILE__, __LINE__, #x), failures++; \
  } while (0)

static uint64_t state = 1;
static uint32_t draw(uint32_t n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(state >> 33) % n;
}

enum { MAX_EQUATIONS = 40 };

typedef struct Side {
  CutDim dim[16];
  uint32_t n;
} Side;

/* The primes, in order, grouped at random (now and then with a dim of size 1). */
static Side group(Cuts *c, const int64_t *prime, uint32_t n) {
  Side s = {{0}, 0};
  int64_t size = 1;
  for (uint32_t i = 0; i < n; i++) {
    size *= prime[i];
    if (i + 1 < n && draw(2)) continue;
    s.dim[s.n++] = cuts_dim(c, size);
    if (!draw(4)) s.dim[s.n++] = cuts_dim(c, 1);
    size = 1;
  }
  return s;
}

static uint32_t digits(const Cuts *c, const Side *s, int64_t *size, uint32_t *sort) {
  uint32_t k = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    uint32_t first, n = cuts_digits(c, s->dim[i], &first);
    int64_t product = 1;
    for (uint32_t j = 0; j < n; j++, k++) {
      size[k] = cuts_digit_sizes(c)[first + j];
      sort[k] = cuts_digit_sorts(c)[first + j];
      product *= size[k];
      CHECK(size[k] > 1);
    }
    CHECK(product == cuts_size(c, s->dim[i]));
  }
  return k;
}

/* Equations between groupings of one sequence of primes (or, with `shuffled`, of permutations of it). */
static void run(bool shuffled) {
  static const int64_t primes[] = {2, 3, 5, 2, 7};
  Cuts *c = cuts_new();
  Side side[MAX_EQUATIONS][2];
  Side pool[8];
  uint32_t n_pool = 0, n = 1 + draw(MAX_EQUATIONS);
  for (uint32_t k = 0; k < n; k++) {
    for (int e = 0; e < 2; e++) {
      int64_t p[5];
      for (int i = 0; i < 5; i++) p[i] = primes[i];
      for (int i = 4; shuffled && i > 0; i--) {
        int j = (int)draw((uint32_t)i + 1);
        int64_t swap = p[i];
        p[i] = p[j];
        p[j] = swap;
      }
      if (n_pool == 8 && draw(2)) side[k][e] = pool[draw(8)];
      else side[k][e] = group(c, p, 5);
      pool[n_pool < 8 ? n_pool++ : draw(8)] = side[k][e];
    }
    cuts_equate(c, side[k][0].dim, side[k][0].n, side[k][1].dim, side[k][1].n);
  }
  cuts_solve(c);
  CutStats st = cuts_stats(c);
  CHECK(shuffled || st.n_refused == 0);
  CHECK(st.n_steps <= 100 * (st.n_equations + 1));
  for (uint32_t k = 0; k < n; k++) {
    int64_t a[64], b[64];
    uint32_t sa[64], sb[64], n_a = digits(c, &side[k][0], a, sa), n_b = digits(c, &side[k][1], b, sb);
    if (st.n_refused) continue;
    CHECK(n_a == n_b);
    for (uint32_t i = 0; i < n_a && n_a == n_b; i++) CHECK(a[i] == b[i] && sa[i] == sb[i]);
  }
  cuts_free(c);
}

static void facts(void) {
  Cuts *c = cuts_new();
  CutDim a = cuts_dim(c, 12), b = cuts_dim(c, 12), p = cuts_dim(c, 12), q = cuts_dim(c, 5), z = cuts_dim(c, 0);
  CutDim u = cuts_dim(c, 18);
  cuts_keep_apart(c, p);
  cuts_equate(c, &a, 1, &b, 1);
  cuts_equate(c, &a, 1, &p, 1);
  cuts_equate(c, &a, 1, &q, 1); /* no effect: different products */
  cuts_equate(c, &z, 1, &z, 1);
  cuts_same(c, a, q);
  cuts_want(c, b, 3);
  cuts_want(c, b, 4); /* refused */
  cuts_want(c, b, 12);
  cuts_want(c, u, 2);
  cuts_link(c, u, q);
  cuts_flat(c, q);
  cuts_solve(c);
  uint32_t first_a, first_b, first_p, first;
  CHECK(cuts_digits(c, a, &first_a) == 2 && cuts_digits(c, b, &first_b) == 2 && first_a == first_b);
  CHECK(cuts_digits(c, p, &first_p) == 2 && first_p != first_a);
  CHECK(cuts_digit_sizes(c)[first_p] == 4 && cuts_digit_sizes(c)[first_p + 1] == 3);
  CHECK(cuts_digit_sorts(c)[first_p] == cuts_digit_sorts(c)[first_a]);
  CHECK(cuts_digits(c, z, &first) == 0);
  CHECK(cuts_digits(c, u, &first) == 1 && cuts_is_flat(c, u) && cuts_is_flat(c, q) && !cuts_is_flat(c, a));
  CHECK(cuts_stats(c).n_refused == 1);
  cuts_free(c);
}

static void huge(void) { /* products that overflow are no equations; 62 cuts are */
  Cuts *c = cuts_new();
  CutDim bit[62], all = cuts_dim(c, INT64_C(1) << 62), max = cuts_dim(c, INT64_MAX);
  for (int i = 0; i < 62; i++) bit[i] = cuts_dim(c, 2);
  cuts_equate(c, &all, 1, bit, 62);
  cuts_equate(c, (CutDim[]){max, all}, 2, (CutDim[]){all, max}, 2);
  cuts_solve(c);
  uint32_t first;
  CHECK(cuts_digits(c, all, &first) == 62);
  CHECK(cuts_digits(c, max, &first) == 1);
  cuts_free(c);
}

int main(void) {
  facts();
  huge();
  for (int i = 0; i < 400; i++) run(i % 2);
  return failures != 0;
}
