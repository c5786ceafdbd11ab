/* Derived rules: what the equations of a graph's operators say, as rules over its tables.
 *
 * Operators with one equation are of one *kind*, a row of the table `kind`.  For every kind that occurs, the text of
 * rules that say how the result is cut over an axis, or which addends it is, if the operands are, and which two ways of
 * computing it are the same.  Nothing is written by
 * hand for an operator: an index that stands for a whole dimension of the operands and of the result may be cut in all of
 * them at once; cut under the sum that is the equation, it leaves addends; an equation in which each addend has one
 * factor from some operands is linear in these; what is read by one equation and computed element by element by
 * another may be computed first.  Where an equation says something else, there is no rule. */
#ifndef TVR_DERIVED_H
#define TVR_DERIVED_H
#include "eval/rules/facts.h"

/* Adds the kinds of these graphs, whose other rows are there, and returns the rules as the text of a .tvr file, in the
 * arena; NULL after an operator that does not fit its definition, or a limit, which is reported. */
const char *derived_rules(Program *e, const FactGraph *graphs, uint32_t n, const Library *library, Arena *a);
#endif
