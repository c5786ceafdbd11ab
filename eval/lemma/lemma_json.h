/* A report on a lemma as JSON: what `tvr prove --json` prints, the cache keeps and a crew sends. */
#ifndef TVR_LEMMA_JSON_H
#define TVR_LEMMA_JSON_H
#include <jansson.h>

#include "eval/lemma/lemma_check.h"

/* Owned by the caller. */
json_t *lemma_json(const LemmaReport *r);
/* The report on `lemma`, texts in `a`; false: there is none, or not a whole one.  A status that is not known is
 * LEMMA_WRONG. */
bool lemma_json_read(const json_t *o, const AstItem *lemma, Arena *a, LemmaReport *r);
#endif
