/* Slices: a program that works on one microbatch after the other has sequential values at one place of an index each.
 *
 * Where distributed values are sequential ones at fixed digits, what is computed from them may be so as well: the class of
 * a sequential value at these digits is that of the same node.  A contraction over a dimension of which there is a slice is
 * a part of the sequential one, and so are sums of some of these. */
#ifndef TVR_BLAME_SLICES_H
#define TVR_BLAME_SLICES_H
#include "eval/blame/relatives.h"

/* Adds them to r->node_of[SIDE_SEQ], behind the classes of whole values, and fills r->part. */
void slices_relate(Relatives *r);
#endif
