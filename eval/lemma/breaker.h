/* Breaker: tries to refute a lemma by evaluating both sides.
 *
 * Shapes are taken smallest first.  At each, inputs are drawn that lemmas break on: all 0, all 1, all -1, few and small
 * values with ties, random ones, and those that the lemma's numbers set apart (critical.h); every assignment where these
 * are few.  Sides are compared exactly or in balls: a counterexample is a shape and inputs inside the declared domain at
 * which they certainly differ, or at which one has a value and the other certainly none.  The one reported is at the
 * smallest shape where one is found, its values made as small as they can be, one after the other. */
#ifndef TVR_LEMMA_BREAKER_H
#define TVR_LEMMA_BREAKER_H
#include "eval/exact/exact.h"
#include "eval/lemma/shape.h"

typedef struct Counterexample {
  const Shape *shape;
  const char *shape_text, *at; /* "x[2], n = 1"; "[0, 1]" */
  const char *left, *right;    /* values of the sides; "no value" */
  const char *inputs;          /* a line for each parameter */
} Counterexample;

typedef struct Broken {
  bool found;
  Counterexample example;
  bool wrong;       /* the sides do not fit together (reported) */
  uint32_t shapes;  /* that the condition on sizes allows */
  uint32_t met;     /* inputs tried inside the domain */
  uint32_t unknown; /* .. of them with elements that could not be evaluated */
  bool *allowed;    /* by shape: tried, and its condition on sizes holds */
} Broken;

/* Adds the lemma's operators at every shape to the library, numbered from *number on. */
Broken breaker_run(const Shapes *s, Library *library, uint32_t *number, Arena *a, Diags *diags);
/* The same, where a side without a value says nothing: a condition may be all that the lemma lacks. */
Broken breaker_run_valued(const Shapes *s, Library *library, uint32_t *number, Arena *a, Diags *diags);
/* A relation that says: one device, inputs are the same. */
Relation *breaker_identity(const Graph *g, Arena *a);
#endif
