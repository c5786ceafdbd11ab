/* A map from pieces of the text to what they mean: shapes and replica groups repeat word for word, so each is read and
 * kept once.  Open addressing; the texts are not copied. */
#ifndef TVR_FRONTENDS_TEXTMAP_H
#define TVR_FRONTENDS_TEXTMAP_H
#include "frontends/base/scan.h"
#include "lang/base/vec.h"

typedef struct TextEntry {
  uint64_t hash;
  Text text;
  const void *value;
} TextEntry;

typedef struct TextMap {
  Vec(TextEntry) slots;
  size_t n;
} TextMap;

/* The value of a text, NULL at first; valid until the next call. */
const void **textmap_at(TextMap *m, Text t);
static inline void textmap_free(TextMap *m) { vec_free(&m->slots); }
#endif
