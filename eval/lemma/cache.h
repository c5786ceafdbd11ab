/* Cache: what is known of lemmas, a small JSON file for each in a folder.
 *
 * A file is named by a hash of everything the status rests on: the program itself (with the library built into it), the
 * text of the lemma, of the functions in force and of the lemmas before it that a proof may use.  A change of any of
 * these is another name, so nothing goes stale; what cannot be read is proved again. */
#ifndef TVR_LEMMA_CACHE_H
#define TVR_LEMMA_CACHE_H
#include "eval/lemma/lemma_check.h"

typedef struct Cache Cache;

/* NULL without a folder, or after an error, which is reported. */
Cache *cache_open(const char *folder, const Library *library, const Sources *sources, Diags *diags);
void cache_close(Cache *c);
/* Lemmas come from this library now. */
void cache_library(Cache *c, const Library *library);
/* c may be NULL: nothing is known or kept.  Texts in `a`. */
bool cache_find(Cache *c, const AstItem *lemma, Arena *a, LemmaReport *r);
void cache_keep(Cache *c, const AstItem *lemma, const LemmaReport *r);
#endif
