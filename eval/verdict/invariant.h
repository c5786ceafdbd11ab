/* Invariant: through which layouts loops carry their values.
 *
 * Every carried value of the distributed program starts with the first sequential one, and the first layout, that fits
 * its shape; base and step of all are tried at once (eval/graph/loops.h).  Where they do not close, the next candidate
 * whose base closes takes its place: of values that only depend on others that hold, if there are such, since one wrong
 * invariant breaks many steps (Flanagan and Leino, Houdini, FME 2001).  A guess that does not hold proves nothing: the
 * verdict is about base and step of all. */
#ifndef TVR_INVARIANT_H
#define TVR_INVARIANT_H
#include "eval/graph/loops.h"
#include "eval/prove/prove.h"

typedef struct Invariants {
  uint32_t n;
  Invariant *at;
  bool hold;       /* base and step of all were proved */
  uint32_t rounds; /* attempts */
} Invariants;

/* The loops of the problem's graphs must correspond (loops_differ).  `p` has the relation of the programs themselves;
 * everything is in `a`. */
Invariants invariant_find(const Problem *p, const ProveOptions *o, Arena *a);
#endif
