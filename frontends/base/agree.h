/* Agree: what devices get from branches that have collectives.  Devices of a group wait for each other, so all must choose
 * alike; then each collective gives what it would give outside of the branch, and the branches that are not chosen may be
 * computed as well. */
#ifndef TVR_FRONTENDS_AGREE_H
#define TVR_FRONTENDS_AGREE_H
#include "frontends/base/compose.h"

/* The value, provided that all devices choose alike (by a scalar) within each group of the collectives among nodes first ..
 * last - 1. */
NodeId agree_on(Composer *c, NodeId value, NodeId chosen_by, size_t first, size_t last);
#endif
