/* IntFn: the elementwise functions of definitions (fn.def) on 64-bit integers, where they are exact.
 *
 * An integer is INT_UNKNOWN when it is not known: out of range, undefined (division by 0), not an integer, or because
 * an argument is not known and matters. */
#ifndef TVR_INTFN_H
#define TVR_INTFN_H
#include <stdint.h>

#include "lang/base/intern.h"

#define INT_UNKNOWN INT64_MIN

typedef int64_t IntFn(const int64_t *args);

/* The function and its arity; NULL if it has no integer values, or the name is none of fn.def. */
IntFn *intfn_find(Sym name, uint32_t *arity);
/* "==", "<", ..: as a function of two arguments, or NULL. */
IntFn *intfn_compare(Sym name);

int64_t intfn_add(int64_t a, int64_t b);
int64_t intfn_mul(int64_t a, int64_t b);
int64_t intfn_power(int64_t a, int64_t exponent);
#endif
