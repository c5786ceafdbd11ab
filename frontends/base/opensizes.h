/* OpenSizes: sizes that a file leaves open, as the command line chooses them: "batch=2,seq=8,x.0=4"; and which ones the
 * files have, so that a name that none of them has is noticed. */
#ifndef TVR_FRONTENDS_OPENSIZES_H
#define TVR_FRONTENDS_OPENSIZES_H
#include <stdbool.h>
#include <stdint.h>

#include "lang/base/intern.h"
#include "lang/base/vec.h"

typedef struct OpenSizes {
  const char *list; /* or NULL */
  Vec(Sym) known;   /* those that a reader has asked for */
  bool missed;      /* one of them has no number */
} OpenSizes;

/* The number of a name in a list; 0: it has none, or no positive one.  `list` may be NULL. */
int64_t opensizes_number(const char *list, const char *name);
/* The same, for a reader: a size of this name is open.  `s` may be NULL. */
int64_t opensizes_find(OpenSizes *s, const char *name);
void opensizes_know(OpenSizes *s, Sym name);
bool opensizes_known(const OpenSizes *s, Sym name);
#endif
