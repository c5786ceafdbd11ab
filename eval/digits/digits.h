/* Digits: into which index digits every dimension of both graphs is cut, before any class exists.
 *
 * A dimension of size n read as digits s1 x .. x sk (major to minor) has the cuts s2*..*sk, .., sk: a divisor chain.
 * The equations of all operators (instance.h) and the relation say which lists of dimensions, index variables and mesh
 * axes are one index read twice; a cut of one side is then a cut of the other.  The fixpoint over both graphs is the
 * common refinement: afterwards an operator whose index forms match its digits only renames them, and digits are final.
 * Nothing here depends on what an operator is called.  Nothing here can make a proof wrong: whoever uses the digits
 * checks that they match, and treats an operator as opaque (or asks for flat dimensions) where they do not.
 *
 * A *flat* dimension is one digit whatever others ask: its users read it at affine forms (windows, uneven blocks).
 * A *sort* is a class of digits that index the same thing: constants of different sorts never fold together. */
#ifndef TVR_DIGITS_H
#define TVR_DIGITS_H
#include "eval/digits/coord.h"
#include "eval/digits/meshdigits.h"
#include "eval/graph/cut.h"

typedef enum Side { SIDE_SEQ, SIDE_DIST, SIDE_COUNT } Side;

/* Dimension `dim` of a node. */
typedef struct DimAt {
  uint8_t side;
  uint8_t dim;
  NodeId node;
} DimAt;

typedef struct Problem {
  const Graph *graph[SIDE_COUNT];
  const Instance *const *instance[SIDE_COUNT]; /* by node; a NULL entry constrains nothing */
  const Relation *relation;
  struct Library *library; /* instances are made from it; NULL: there are no others than these .. */
  Sources *sources;        /* .. and its texts are those */
  Coord *coord[SIDE_COUNT]; /* coord[SIDE_DIST] over mesh.n_devices devices */
  const DimAt *flat;        /* these dimensions, and all that are linked to them, are flat */
  size_t n_flat;
  const Waypoints *waypoints; /* distributed values that are read as sequential ones (cut.h); NULL: none */
  const struct Ground *ground; /* what every proof of this rests on, as something was proved before; NULL: nothing */
  const struct Rewrites *rewrites;   /* lemmas the search may use (lemma.h); NULL: none */
  const struct Equations *equations; /* the same (equation.h) */
  struct Closed *closed[SIDE_COUNT]; /* values that depend on no input (closed.h); NULL: none is looked at */
} Problem;

/* Digits of a dimension or variable, major to minor, all > 1; none for size 1.  Digits are numbered over the whole
 * problem: two dimensions known to be the same index have the same `first`, so equal `first` and n means equal digits
 * (the converse does not hold: compare the sizes). */
typedef struct DigitList {
  uint32_t n;
  uint32_t first;       /* number of the first digit; digit j is number first + j */
  const int64_t *size;  /* n */
  const uint32_t *sort; /* n */
  bool flat;
} DigitList;

typedef struct DigitStats {
  size_t n_dims;      /* dimensions and variables of both graphs */
  size_t n_distinct;  /* of them known to be different */
  size_t n_equations; /* between lists of several */
  size_t n_steps;     /* equations looked at until nothing changed */
  size_t n_refused;   /* cuts that did not fit (conflicts) */
  size_t n_digits, n_sorts;
} DigitStats;

typedef struct Digits Digits;

/* Does a number that is repeated join the dimensions of all that use it?  It must where sizes change. */
typedef enum DigitsUse { DIGITS_JOINED, DIGITS_APART } DigitsUse;
/* Never fails.  What the problem points to must outlive the result. */
Digits *digits_infer(const Problem *p, DigitsUse use);
void digits_free(Digits *d);

DigitList digits_dim(const Digits *d, Side side, NodeId node, uint32_t dim);
/* Digits of variable `var` of the node's instance.  A variable that stands for a position in the replica group has the
 * sizes of digits_position, if that is regular and no cut was refused: compare. */
DigitList digits_var(const Digits *d, Side side, NodeId node, VarId var);
/* Dimension `dim` of a sequential tensor is cut into equal blocks by the axes of the layout, but has other digits than
 * those of these axes and of a block: it is cut in two ways of which neither refines the other. */
bool digits_cross(const Digits *d, NodeId seq, NodeId dist, const Layout *l, uint32_t dim);
/* So is a related dimension that is this very index. */
bool digits_crossed(const Digits *d, NodeId seq, uint32_t dim);
bool digits_any_crossed(const Digits *d);
/* Sort of a mesh digit (numbered as in digits_mesh). */
uint32_t digits_mesh_sort(const Digits *d, uint32_t digit);
/* The mesh in its final digits: axes (meshdigits_axis), coordinates, refit of per-device vectors. */
const MeshDigits *digits_mesh(const Digits *d);
/* Mesh digits that make up the position in the replica group of a node of the distributed graph, major to minor;
 * false: the node has no groups, or irregular ones. */
bool digits_position(const Digits *d, NodeId node, MeshList *out);
DigitStats digits_stats(const Digits *d);
#endif
