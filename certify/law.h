/* What the files of laws share. */
#ifndef TVR_CERTIFY_LAW_H
#define TVR_CERTIFY_LAW_H
#include "certify/proof.h"

enum { MOST_CASES = 64, MOST_POINTS = 1 << 16, MOST_RANGE = 1 << 12 };
#define SCRATCH(s, T, n) ARENA_ARRAY(&(s)->scratch, T, n)

bool law_same(Store *s, Num v, Num w);
bool law_same_linear(Store *s, Poly *p, Poly *q);
bool law_match(Store *s, const Item *x, const Item *y, uint32_t n, const Label *bx, const Label *by, uint32_t n_bound);
bool constant_function(const char *fn, const Rat *x, uint32_t n, Rat *out);
Poly law_linear_of(Store *s, Num v);
/* Products with a sum in them, distributed until none is left; false: they do not distribute. */
bool law_opened(Replay *p, Poly *x);
bool law_solve(Store *s, Poly form, const Label *bound, uint32_t n_bound, Subst *t, bool *never);
uint32_t law_n_factors(const Store *s, Atom a);
typedef struct Factors {
  uint32_t n;
  Num *v;
  Rat *power;
} Factors;
Factors law_factors(Store *s, Atom a);

typedef bool Law(Replay *p, const Goal *g, Num v, uint32_t choice);
enum { N_ONE, N_ITEMS, N_FACTORS, N_TERMS, N_LABELS, N_BOUND };
#define LAW(name, goals, choices, statements) Law law_##name;
#include "certify/law.def"
#undef LAW
#endif
