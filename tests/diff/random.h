/* Random programs over the tables of naive.h, and their text. */
#ifndef TVR_RANDOM_H
#define TVR_RANDOM_H
#include <stdio.h>

#include "tests/diff/naive.h"

typedef struct {
  uint64_t seed;
  bool boxes; /* programs use the tables over vecs and sets, delete from c, or begin with more rows */
} Random;

extern const char *const random_table[], *const random_var[];

unsigned random_pick(Random *r, unsigned n);
/* Rules only; no rows yet. */
void random_program(Random *g, RandomProgram *p);
/* Writes its text, and makes the rows it starts with: N of 0 to 2 (globals $0 to $2), R of the first two, E of
 * neighbours. */
void random_write(FILE *f, RandomProgram *p);
#endif
