/* OpenSizes: sizes that a file leaves open, as the command line chooses them: "batch=2,seq=8,x.0=4". */
#ifndef TVR_FRONTENDS_OPENSIZES_H
#define TVR_FRONTENDS_OPENSIZES_H
#include <stdint.h>

/* The number of a name; 0: it has none, or no positive one.  `list` may be NULL. */
int64_t opensizes_find(const char *list, const char *name);
#endif
