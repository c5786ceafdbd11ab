/* Coord: integers that a program computes from its device number alone.
 *
 * Rank arithmetic (`partition_id / 2 % 4 * 8`), offset tables read at it, loop counters: any integer or predicate of
 * one element whose value follows from the device number is evaluated on every device, through the node's equation
 * (instance.h), never by the name of its operator.  Arithmetic is exact: a value that leaves 64 bits, or the range of
 * the node's dtype, or that depends on anything else, is unknown.  Results are kept, so asking again is free, and the
 * graph may grow between questions (a reader asks for the counter of a loop it is unrolling). */
#ifndef TVR_COORD_H
#define TVR_COORD_H
#include "eval/meaning/instance.h"

typedef struct Coord Coord;

/* Where equations come from: that of node `id`, living at least as long as the Coord; NULL: none. */
typedef const Instance *CoordSource(void *context, NodeId id);

/* Values on devices 0 .. n_devices-1 (1 for a sequential program).  `g` and `s` must outlive the Coord. */
Coord *coord_new(const Graph *g, Instances *s, int64_t n_devices);
/* The same with equations from elsewhere (`source(context, ..)`). */
Coord *coord_new_from(const Graph *g, CoordSource *source, void *context, int64_t n_devices);
void coord_free(Coord *c);
int64_t coord_n_devices(const Coord *c);
/* Value of a one-element integer or predicate node on every device (n_devices entries, valid as long as the Coord;
 * equal values are the same pointer), or NULL: unknown on some device, or no such node. */
const int64_t *coord_value(Coord *c, NodeId id);
/* The same for expression `x` of `in`, the equation of node `id`: the offset of a window (`Ix.dyn`), for example.
 * NULL too if it depends on an index variable. */
const int64_t *coord_expression(Coord *c, NodeId id, const Instance *in, XId x);
/* The value when it is one number on all devices. */
bool coord_uniform(Coord *c, NodeId id, int64_t *out);
#endif
