/* Sizes that an archive leaves open (dynamic shapes): symbols such as s77, with ranges, and expressions of them.
 *
 * torch.export writes an expression as SymPy prints it with `srepr`: Mul(Integer(2), Symbol('s44', positive=True)).  It
 * is evaluated exactly, at numbers given for the symbols; what has no value then is no size. */
#ifndef TVR_FRONTENDS_TORCH_PT2_SIZES_H
#define TVR_FRONTENDS_TORCH_PT2_SIZES_H
#include <jansson.h>
#include <stdbool.h>

#include "frontends/base/opensizes.h"
#include "lang/base/arena.h"
#include "lang/base/rat.h"

/* The number at `given` (or NULL); false: it has none, and *missing is the symbol without a number, in `a`, or NULL (the
 * expression is not read). */
bool pt2_size_value(const char *expression, OpenSizes *given, Rat *out, const char **missing, Arena *a);
/* Conditions on the symbols in the shapes of the inputs, as `assume` has them: "s77 >= 1, s77 <= 64"; "" if there are
 * none. `model` is models/NAME.json. */
const char *pt2_size_conditions(const json_t *model, Arena *a);
/* What a number given for a symbol says against its range; NULL: all are within theirs. */
const char *pt2_size_beyond(const json_t *model, const OpenSizes *given, Arena *a);
#endif
