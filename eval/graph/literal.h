/* Literals: what a number stands for that was rounded when it was written, or that is written for another one. */
#ifndef TVR_LITERAL_H
#define TVR_LITERAL_H
#include "eval/graph/graph.h"

typedef enum Literals {
  LITERALS_EXACT,     /* as it stands */
  LITERALS_FRACTIONS, /* a rounded one is the simplest fraction that rounds to it, if that is simple enough to be meant */
  LITERALS_MASKS,     /* as fractions; a mask is minus infinity */
} Literals;

/* What is added to a score, or put in its place, so that its exponential is 0: -1e9, -1e30, the least number of a type. */
bool literal_is_mask(Rat value, DType type);
Rat literal_read(Rat value, DType type, Literals how);
/* How far a literal may be from the number it was computed for: some units in the last place, if it is read as no fraction;
 * 0: it stands for itself. */
double literal_slack(Rat value, DType type);
/* The literal is minus or plus this root (2, 4) of *of; 0: of no simple number. */
uint32_t literal_read_root(Rat value, DType type, Rat *of);
/* The literal is plus or minus *factor times the square root of 2 / pi. */
bool literal_is_root_of_2_over_pi(Rat value, DType type, Rat *factor);
/* The literal is minus or plus the square root of *of times the natural logarithm of 2 (1), or over it (-1); 0: of no simple
 * number. */
int literal_read_log_2(Rat value, DType type, Rat *of);
#endif
