/* Source line: the text of "models/tp.py:68", if that file lies beside a graph. */
#ifndef TVR_SOURCE_LINE_H
#define TVR_SOURCE_LINE_H
#include "lang/base/arena.h"

/* Looks in the folder and in those above it; only relative paths that do not leave it.  NULL if there is none. */
const char *source_line(const char *folder, const char *place, Arena *a);
#endif
