/* Text of numbers as egglog writes them. */
#ifndef TVR_DATALOG_NUMBER_H
#define TVR_DATALOG_NUMBER_H
#include "lang/base/rat.h"

#define NUMBER_TEXT 400

/* Shortest digits that read back, never an exponent; ".0" appended if it would read as an integer of 64 bits. */
void number_float(double x, char buf[NUMBER_TEXT]);
/* Shortest digits that read back, an exponent below 1e-4 and from 1e16 on, always a point or an exponent. */
void number_float_debug(double x, char buf[NUMBER_TEXT]);
/* A decimal integer, or numerator/denominator.  Release with free. */
char *number_rat_text(Rat x);
#endif
