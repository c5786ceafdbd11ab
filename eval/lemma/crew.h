/* Crew: lemmas checked side by side, by a process for each processor.  A process takes the next lemma nobody has taken;
 * all start from the library as it is, so a report does not depend on who makes it. */
#ifndef TVR_LEMMA_CREW_H
#define TVR_LEMMA_CREW_H
#include "eval/lemma/lemma_check.h"

typedef struct Crew Crew;

/* Starts on the lemmas.  Neither they nor the library may change before crew_end.  Where one process is as good (one
 * lemma, one processor), there is none, and reports are made as they are asked for. */
Crew *crew_start(const AstItem *const *lemmas, uint32_t n, Library *library, const LemmaOptions *options,
                 Diags *diags);
/* On lemma i, when it is there; texts in `a`.  A lemma that is wrong, or whose process ended, is checked here, so that
 * it is reported. */
LemmaReport crew_report(Crew *c, uint32_t i, Arena *a);
/* Ends whoever is still at work. */
void crew_end(Crew *c);
#endif
