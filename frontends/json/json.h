/* JSON files: jansson, with tvr's diagnostics and places.
 *
 * jansson bounds how deep a text nests and knows the place of a syntax error.  The place of a value is found again when
 * an error asks for it: values of a text and of its tree have the same order. */
#ifndef TVR_FRONTENDS_JSON_H
#define TVR_FRONTENDS_JSON_H
#include <jansson.h>

#include "frontends/json/alike.h"
#include "lang/base/diag.h"
#include "lang/base/rat.h"

typedef struct JsonDoc {
  json_t *root;
  Diags *diags;
  uint32_t source;
  char *shorter; /* what was parsed, if that is not the text itself */
  JsonGaps gaps;
} JsonDoc;

/* Parses text `source`; false after a report.  Release with json_doc_free. */
bool json_doc_read(JsonDoc *doc, Diags *diags, uint32_t source);
/* The same, without what says the same as the first (frontends/json/alike.h): an integer stands for it. */
bool json_doc_read_alike(JsonDoc *doc, Diags *diags, uint32_t source, const char *list, const char *inner);
void json_doc_free(JsonDoc *doc);
/* Behind the string that starts at p, or at the end of the text. */
const char *json_skip_string(const char *p);
/* Whether the outermost value of a text is an object with this key; the text may be malformed. */
bool json_has_key(const char *text, const char *key);
/* Where a value of the document starts.  true, false and null have no place of their own: ask for what holds them. */
Span json_doc_span(const JsonDoc *doc, const json_t *value);
/* Where the elements of an array start, at once: out[json_array_size(array)]. */
void json_doc_elements(const JsonDoc *doc, const json_t *array, Span *out);
/* A number: integers are exact, others are the shortest decimal that reads back as the same double. */
bool json_doc_rat(const json_t *value, Rat *out);
/* Member of an object, or NULL. */
static inline json_t *json_doc_get(const json_t *object, const char *key) { return json_object_get(object, key); }
#endif
