/* Custom calls of XLA that mean nothing for values. */
#ifndef TVR_FRONTENDS_CUSTOM_H
#define TVR_FRONTENDS_CUSTOM_H
#include <stdbool.h>

/* Does a call of this target leave its operand as it is? */
bool custom_annotates(const char *target);
#endif
