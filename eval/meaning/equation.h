/* Equation: questions about the shape of an operator's equation, answered from the equation alone.
 *
 * Each answer holds for the equation at any size of the indices it is about: an operand's dimension counts as an index
 * only if that runs over all of it, alone or as the major one of several digits, so that cutting the index cuts the
 * dimension into blocks.  What is not understood exactly is answered with no. */
#ifndef TVR_EQUATION_H
#define TVR_EQUATION_H
#include "eval/meaning/instance.h"

/* The equation of a node; it has one (instance.h). */
typedef struct Equation {
  const Graph *g;
  const Node *node;
  const Instance *in;
} Equation;

/* Where an index stands: dims[k] is the dimension of operand k, -1 if that does not have it.  False if it stands
 * elsewhere, or at two places of one operand, or nowhere. */
bool equation_places(const Equation *e, VarId v, int64_t *dims);
/* Does the value not depend on an index of the result? */
bool equation_ignores(const Equation *e, VarId v);
/* Is the value a sum of products with exactly one factor each from the operands of the mask (bits by number)? */
bool equation_is_linear(const Equation *e, uint64_t mask);
/* Is every element a function of that element of the only operand? */
bool equation_is_elementwise(const Equation *e);
/* Do two equations that work element by element have one function? */
bool equation_same_function(const Equation *a, const Equation *b);
/* Is every element one of the only operand's, here or on another device? */
bool equation_moves(const Equation *e);
/* Is every element the sum over the devices of a group of that element? */
bool equation_sums_devices(const Equation *e);
/* A collective after which every device holds the block at its own place in the group, along dimension *to: of the sum
 * over the group (*from is -1), or of what was cut along *from. */
bool equation_exchange(const Equation *e, int64_t *from, int64_t *to);
#endif
