/* closed: integers and truth values that depend on no input, computed once on every device.
 *
 * Programs build positions, masks and look-up tables from nothing but iotas and constants.  Such a value is *closed*: it
 * is the same whatever the inputs are.  Nodes are evaluated when they are asked for, through their equations (side.h), in
 * balls, over the reals: only numbers that are known without an error count.  Floats on the way must come from whole
 * numbers (a mask of ones, counted) or infinities: how a rounded literal is to be read is not decided here. */
#ifndef TVR_EXACT_CLOSED_H
#define TVR_EXACT_CLOSED_H
#include "eval/exact/exact.h"

typedef struct Closed Closed;

/* `g` and the instances (by node) must outlive it; n_devices >= 1.  `times` 16,384 numbers of a node are looked at. */
Closed *closed_new(const Graph *g, const Instance *const *instances, int64_t n_devices, uint64_t times);
void closed_free(Closed *c);
/* Gives up all values: who asks again has them computed again. */
void closed_forget(Closed *c);
/* The node depends on no input, whatever its type. */
bool closed_is(const Closed *c, NodeId id);
/* Values of a closed node of an integer type on a device, row-major, node_elements of them, until another node is asked
 * for; devices whose values are surely the same get the same pointer.  NULL: some value is not known, or too large. */
const int64_t *closed_values(Closed *c, NodeId id, int64_t device);
/* The same of any type, as balls (ball.h): infinities are values too. */
const double *closed_balls(Closed *c, NodeId id, int64_t device);
#endif
