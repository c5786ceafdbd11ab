/* Values: 32 bits, meaning given by the sort of the column they stand in.
 *
 *   Unit        0
 *   bool        0 or 1
 *   i64         30 bits and a sign inline; larger ones are interned: bit 31 set, index in the rest
 *   f64         interned bits (one NaN, one zero: whichever came first)
 *   String      Sym
 *   BigInt/Rat  interned Rat
 *   eq sorts and containers: id of the union-find
 * Equal values of one sort are equal bits (ids: once canonical), so tables compare and hash words. */
#ifndef TVR_DATALOG_VALUE_H
#define TVR_DATALOG_VALUE_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/intern.h"
#include "lang/base/rat.h"
#include "lang/base/vec.h"

typedef uint32_t Val;
#define VAL_NONE UINT32_MAX

/* 64-bit words with an index each. */
typedef struct Words {
  Vec(uint64_t) at;
  uint32_t *slots;
  size_t n_slots;
} Words;

typedef struct Values {
  Words ints, floats, rats;
  uint64_t zero; /* bits of the first zero seen, plus one */
} Values;

uint32_t words_intern(Words *w, uint64_t x);
void values_free(Values *v);

static inline Val val_int(Values *v, int64_t x) {
  if (x >= -(1 << 30) && x < (1 << 30)) return (uint32_t)x & 0x7fffffffu;
  return 0x80000000u | words_intern(&v->ints, (uint64_t)x);
}
static inline int64_t val_get_int(const Values *v, Val x) {
  if (!(x >> 31)) return (int32_t)(x << 1) >> 1;
  return (int64_t)v->ints.at.at[x & 0x7fffffffu];
}
Val val_float(Values *v, double x);
double val_get_float(const Values *v, Val x);
static inline Val val_rat(Values *v, Rat x) { return words_intern(&v->rats, x); }
static inline Rat val_get_rat(const Values *v, Val x) { return v->rats.at.at[x]; }

static inline uint64_t val_mix(uint64_t h, uint32_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}
static inline uint32_t val_hash(const Val *a, uint32_t n) {
  uint64_t h = n;
  for (uint32_t i = 0; i < n; i++) h = val_mix(h, a[i]);
  return (uint32_t)h;
}
#endif
