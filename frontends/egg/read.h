/* The reader of .egg files.  Iterative, so nesting is bounded by a diagnostic and not by the stack. */
#ifndef TVR_EGG_READ_H
#define TVR_EGG_READ_H
#include "eval/program/sexp.h"

/* All forms of a source, as one list; NULL after errors. */
const Sexp *sexp_read(Arena *arena, Diags *diags, uint32_t source);
#endif
