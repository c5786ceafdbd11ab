/* Witness choice: which part of a goal a law may be about. */
#ifndef TVR_WITNESS_CHOICE_H
#define TVR_WITNESS_CHOICE_H
#include "certify/proof.h"

/* Choice number i by which `law` may give this answer, in scratch; false: there are no more. */
bool choice_next(Replay *p, const Goal *g, Num answer, uint32_t law, uint32_t i, Choice *out);
/* It cuts an index where the guards below a sum leave only a range of it, which the answer is over. */
bool choice_shortens(Replay *p, const Goal *g, Num answer, const Choice *c);
/* A claim is about few enough values to write them all out, and no comparison depends on its indices: that is the first
 * choice for pieces. */
bool choice_writes_out(Replay *p, const Goal *g);
#endif
