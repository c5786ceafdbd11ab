/* word: sums and products of doubles without error, and double-words: the unevaluated sum of two doubles, of about 106
 * bits.  Bounds: Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of double-word
 * arithmetic (TOMS 2017); UNIT is the relative error of one rounding of doubles. */
#ifndef TVR_EXACT_WORD_H
#define TVR_EXACT_WORD_H
#include <math.h>

#define UNIT 0x1p-53
#define UNIT2 0x1p-106

/* Loops over numbers come twice, chosen when the program starts: a product's error is one instruction where the
 * processor has it, else a call.  The numbers are the same. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__OPTIMIZE__) && !defined(TVR_SANITIZED)
#define LOOP __attribute__((target_clones("fma", "default")))
#else
#define LOOP
#endif

/* Four numbers in the lanes of a vector. */
typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct Word {
  double hi, lo; /* |lo| is at most half a unit in the last place of hi */
} Word;

/* a + b as it rounds; what is lost into *error (Knuth). */
static inline double two_sum(double a, double b, double *error) {
  double s = a + b, t = s - a;
  *error = (a - (s - t)) + (b - t);
  return s;
}

static inline double two_product(double a, double b, double *error) {
  double p = a * b;
  *error = fma(a, b, -p);
  return p;
}

static inline Word word_of(double a, double b) {
  Word w;
  w.hi = two_sum(a, b, &w.lo);
  return w;
}

/* Relative error at most 3 UNIT2, also where the words cancel. */
static inline Word word_add(Word a, Word b) {
  double e, f, s = two_sum(a.hi, b.hi, &e), t = two_sum(a.lo, b.lo, &f);
  Word v = word_of(s, e + t);
  return word_of(v.hi, f + v.lo);
}

/* Relative error at most 7 UNIT2. */
static inline Word word_mul(Word a, Word b) {
  double e, p = two_product(a.hi, b.hi, &e);
  return word_of(p, e + (a.hi * b.lo + a.lo * b.hi));
}
#endif
