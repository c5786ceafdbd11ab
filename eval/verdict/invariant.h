/* Invariant: through which layouts loops carry their values.
 *
 * What a loop run once leaves is compared with normal forms first: a layout through which it is that of the sequential
 * program, or so many times it, is the first guess for what the loop carries.  Then come all layouts that fit the
 * shapes. Base and step of all guesses are tried at once (eval/graph/loops.h).  Where they do not close, the next guess
 * whose base closes takes its place: of values that only depend on others that hold, if there are such, since one wrong
 * invariant breaks many steps (Flanagan and Leino, Houdini, FME 2001).  A guess that does not hold proves nothing: the
 * verdict is about base and step of all. */
#ifndef TVR_INVARIANT_H
#define TVR_INVARIANT_H
#include "eval/graph/loops.h"
#include "eval/prove/pair.h"
#include "eval/prove/prove.h"

typedef struct Invariants {
  uint32_t n;
  Invariant *at;
  bool hold;       /* base and step of all were proved */
  uint32_t rounds; /* attempts */
} Invariants;

/* The loops of the graphs must correspond (loops_differ), and fit the relation of the programs themselves (no errors of
 * pair_make).  Everything is in `a`. */
Invariants invariant_find(Library *library, const Graph *seq, const Graph *dist, const Relation *own,
                          const ProveOptions *o, Sources *sources, Arena *a);
#endif
