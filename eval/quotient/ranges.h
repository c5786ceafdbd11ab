/* Ranges: which integers a quotient draws, where the relation says nothing about an input. */
#ifndef TVR_QUOTIENT_RANGES_H
#define TVR_QUOTIENT_RANGES_H
#include "eval/digits/digits.h"

/* The problem's relation, with a range for every such input: one that suits its use (range.h). */
const Relation *ranges_stated(const Problem *p, Arena *a);
#endif
