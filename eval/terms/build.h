/* Build: from graphs to values of the calculus.
 *
 * Given the instances (what operators mean) and the digits (how dimensions are cut), every node of both graphs becomes
 * a value over names: digits of its dimensions and mesh digits.  The sequential parameters are leaves; a distributed
 * parameter is the same leaf read through its layout.  An operator that cannot be read in the digits there are is an
 * unknown function of its operands; the dimensions it would need flat are collected as asks, for another round. */
#ifndef TVR_BUILD_H
#define TVR_BUILD_H
#include "eval/calculus/calculus.h"
#include "eval/digits/digits.h"
#include "eval/graph/literal.h"

typedef struct Reading { /* a rounded literal read as the fraction it stands for, or as a root of it */
  Rat literal, read;
  uint32_t root; /* 1: the fraction itself; 2, 4: of this number the literal is such a root, with its sign */
} Reading;
#define BUILD_OVER_PI 5 /* instead of a root: the square root of this number over pi */
#define BUILD_TIMES_LOG_2 6 /* .. or the square root of it, times log(2), with the literal's sign */
#define BUILD_OVER_LOG_2 7  /* .. or over that */

typedef struct Ground { /* what a proof rests on */
  uint32_t assumed; /* ASSUME_* */
  uint32_t n_readings;
  const Reading *readings;
  const char *lemmas; /* or NULL */
} Ground;

typedef struct BuildOptions {
  Literals literals;
  bool forms;          /* the major digit of a dimension is read at any affine form, as if it were flat */
  bool orders;         /* sorted values are by rank */
  bool hasty;          /* past a budget, what is made from values that took many steps is an unknown function of them */
} BuildOptions;

typedef struct Build {
  const Problem *problem;
  const Digits *digits;
  Calculus *calc;
  BuildOptions options;
  Arena arena;
  Value *value[SIDE_COUNT];            /* by node */
  const char **why_opaque[SIDE_COUNT]; /* by node; NULL: not opaque */
  Value *leaf;  /* by sequential parameter: `value`, where dimensions that are `whole` have one name .. */
  bool **whole; /* .. because they are cut in two ways (digits_crossed); NULL: none */
  Value *padding; /* by input of the relation: what stands in its padding, or blocks, where that matters; else a number */
  Value *way_padding; /* .. by value on the way */
  Vec(DimAt) asks;
  Vec(Reading) readings;
  Name *mesh_names; /* by mesh digit */
  uint32_t n_mesh;
  const bool *sealed[SIDE_COUNT]; /* by node: an unknown function of its value instead (seal.h); NULL: none is */
  bool *written;       /* by mesh digit: written out, every device along it has values of its own; NULL: none */
  uint32_t n_cases;    /* positions along the digits written out */
  Value *at;           /* by case and distributed node */
  bool *apart;         /* by distributed node: `value` is not made of the cases yet: build_value */
  bool *costly;        /* by distributed node, where hasty: took many steps past the budget, or is made from such */
  uint32_t n_left;     /* nodes that were made unknown functions for it */
} Build;

/* Builds both graphs, the sequential one first.  Stops early when the calculus is exhausted (values are then missing:
 * *complete is false). */
void build_run(Build *b, bool *complete);
void build_free(Build *b);
/* Hasty: the value of a distributed node took too many steps for its terms to say much, or was left unknown. */
static inline bool build_is_costly(const Build *b, NodeId dist) { return b->costly && b->costly[dist]; }
/* Adds a reading, once. */
void build_note_reading(Build *b, Reading r);
/* Value of a node of a graph that was built; where digits are written out (and only there) not all are in `value`. */
Value build_value(Build *b, Side side, NodeId id);
/* Output k of the relation: what the distributed program should hold, and what it holds (declared partial sums summed).
 * false: the layout cannot be read in the digits there are (dimensions asked for). */
bool build_output(Build *b, uint32_t k, Value *want, Value *got);
/* The same of any two values under a layout. */
bool build_related(Build *b, NodeId seq, NodeId dist, const Layout *l, Value *want, Value *got);
/* Name of digit j of dimension d of a node. */
Name build_dim_name(Build *b, Side side, NodeId node, uint32_t dim, uint32_t digit);
/* A per-device vector as a value over mesh digits. */
Value build_by_device(Build *b, const int64_t *v, bool pred);
#endif
