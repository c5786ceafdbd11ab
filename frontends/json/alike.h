/* Texts that say one thing many times: a file of captured programs holds one graph for every rank, and the same line for
 * most of their nodes.
 *
 * An element of graphs[k].nodes, k > 0, that has the bytes of the one at its place in graphs[0].nodes is left out before
 * the text is parsed, and an integer stands for it: no element that is written may be one.  So reading takes what the
 * ranks differ in. */
#ifndef TVR_JSON_ALIKE_H
#define TVR_JSON_ALIKE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lang/base/vec.h"

typedef struct JsonGap {
  size_t at;      /* in the shorter text: behind what stands for the element */
  size_t skipped; /* bytes that it and all before it are longer in the whole text */
} JsonGap;
typedef Vec(JsonGap) JsonGaps;

/* The shorter text, malloc'd, of the elements of member `inner` of the elements of member `list` of an object.  NULL:
 * nothing is left out, or the text is not of that form, which is for its parser to say. */
char *json_leave_out_alike(const char *text, size_t len, const char *list, const char *inner, size_t *n, JsonGaps *gaps);
/* Where a place of the shorter text is in the whole one. */
size_t json_gaps_place(const JsonGaps *gaps, size_t at);
#endif
