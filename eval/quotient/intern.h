/* Intern: equations of equal content become one object, as those of equal nodes of a graph are. */
#ifndef TVR_QUOTIENT_INTERN_H
#define TVR_QUOTIENT_INTERN_H
#include "eval/meaning/instance.h"

typedef struct Intern Intern;
Intern *intern_new(void);
void intern_free(Intern *t);
/* The first equation with the content of this one, which lives as long as they do.  Names of indices do not count. */
const Instance *intern(Intern *t, const Instance *in);
#endif
