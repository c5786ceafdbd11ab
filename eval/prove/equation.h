/* Equation: a lemma used wherever a value has the form of one of its sides.
 *
 * Both sides are read as patterns (calculus/match.h): their parameters are leaves, their indices have sizes of their own.
 * Where a part of an output matches, the side is built again from what its parameters stand for, at the sizes they have;
 * only if that is the part, but for a factor, the other side takes its place.  So a match is a guess, and what is used
 * is the lemma at one instance: its condition was asked for these sizes, and for these values where it speaks of any.
 * Not used: lemmas with attributes, tuples, several operands under one name, or operands read at computed places. */
#ifndef TVR_EQUATION_H
#define TVR_EQUATION_H
#include "eval/prove/lemma.h"

typedef struct Equation {
  Lemma lemma; /* as operators: which sizes it speaks of is their condition */
  Sym side[3]; /* left, right, guard (0: none) as operators of any size */
  const char *text; /* "lemma softplus: log(1 + exp(x)) == .." */
} Equation;

/* The sizes that a use depends on: those of indices that are summed over, or at which an operand is read elsewhere. */
enum { EQUATION_LABELS = 12 };
typedef struct EquationUse {
  const AstItem *lemma;
  uint32_t n;
  Sym index[EQUATION_LABELS];
  int64_t size[EQUATION_LABELS];
} EquationUse;
typedef Vec(EquationUse) EquationUses;

typedef struct Equations {
  uint32_t n;
  const Equation *at;
  Instances *instances;
  EquationUses *uses; /* each is added here, once, whether a proof keeps it or not */
} Equations;

/* The lemmas of the library that can be used so and are neither rewrites nor axioms.  Adds their sides to the library.
 * `uses` is the caller's, and freed after the equations. */
Equations equations_of(Library *library, Instances *instances, EquationUses *uses, Arena *a, Diags *diags);
/* Which side is looked for.  EQUATION_ORDERED: the left one, where the other side is an older term, so that an equation
 * both of whose sides have one form, as in erf(-x) == -erf(x), leads both values to the same term. */
typedef enum EquationWay { EQUATION_LEFT, EQUATION_RIGHT, EQUATION_ORDERED, EQUATION_N_WAYS } EquationWay;

/* Not both sides are one value as it is: there is something to look for. */
bool equation_says_something(const Equations *all, uint32_t k, EquationWay way, Calculus *c);
/* Reads every part of `v` that has the form of the side looked for as the other side. */
Value equation_use(const Equations *all, uint32_t k, EquationWay way, Calculus *c, Value v);
#endif
