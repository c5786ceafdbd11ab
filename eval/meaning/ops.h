/* Ops: what every definition says about sharding, derived from the definition alone (`tvr ops`).
 *
 * A fact is about an index or group of a definition: what happens when the dimensions it stands for are cut into
 * blocks, one per device, in every operand and in the result at once. */
#ifndef TVR_OPS_H
#define TVR_OPS_H
#include <stdio.h>

#include "lang/library.h"

typedef enum OpsFact {
#define OPS(id, text, meaning) OPS_##id,
#include "eval/meaning/ops.def"
#undef OPS
  OPS_N_FACTS
} OpsFact;

typedef struct OpsIndex {
  Sym name;
  bool group;
  uint8_t fact;  /* OpsFact */
  bool addends;  /* of a partial sum: there are addends beside it, which must count once */
} OpsIndex;

/* One definition. */
typedef struct OpsRow {
  const AstItem *item;
  uint32_t n_indices;
  const OpsIndex *indices; /* in the order of the text */
} OpsRow;

const char *ops_text(OpsFact f);
/* One row per definition: all of a library, or those of one operator (0: all). */
OpsRow *ops_table(const Library *lib, Sym op, uint32_t *n, Arena *a);
/* As text: the definitions as written, with their facts.  Returns the number of definitions. */
uint32_t ops_print(const Library *lib, Sym op, const Sources *sources, FILE *out);
/* The same as a JSON array. */
void ops_json(const Library *lib, Sym op, const Sources *sources, FILE *out);
#endif
