/* The configuration of a custom call where it is a dictionary of MLIR, as typed calls (XLA FFI) have it:
 * {alpha = 1.5 : f32, kind = "max", taps = array<i64: 1, 2>}; each entry is an attribute. */
#ifndef TVR_FRONTENDS_CONFIG_H
#define TVR_FRONTENDS_CONFIG_H
#include "eval/graph/graph.h"
#include "frontends/base/scan.h"
#include "lang/base/vec.h"

typedef Vec(Attr) Attrs;

/* Appends an attribute for each entry: numbers with the value that they have in their type (booleans 0 or 1), lists of
 * integers, texts; other values by their text.  False, with nothing appended, if the text is no such dictionary, or an entry
 * has a name that attributes of nodes have for themselves. */
bool config_read(Text config, Arena *a, Attrs *out);
#endif
