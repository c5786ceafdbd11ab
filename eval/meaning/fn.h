/* Elementwise functions by number: the table fn.def. */
#ifndef TVR_FN_H
#define TVR_FN_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/intern.h"
#include "lang/base/rat.h"

typedef enum FnValues { FN_REAL, FN_WHOLE, FN_KEEP } FnValues;

typedef enum FnId {
#define FN(id, text, arity, values) FN_##id,
#include "eval/meaning/fn.def"
#undef FN
  FN_COUNT
} FnId;

/* FN_COUNT if there is none of that name. */
FnId fn_find(Sym name);
const char *fn_text(FnId f);
uint32_t fn_arity(FnId f);
FnValues fn_values(FnId f);
/* f of rationals when that is rational and cheap (everything but transcendental functions, `pow` and bits); false
 * otherwise, and for a division by 0. */
bool fn_fold(FnId f, const Rat *args, Rat *out);
#endif
