/* The cursor of readers of text: bytes, spaces, names, numbers, balanced text.
 *
 * The text ends in a NUL byte and holds no other, so every loop stops there without comparing with the end.  Nothing
 * here allocates. */
#ifndef TVR_FRONTENDS_SCAN_H
#define TVR_FRONTENDS_SCAN_H
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lang/base/diag.h"

typedef struct Scan {
  const char *p, *text;
  Diags *diags;
  uint32_t source;
  uint32_t errors;
} Scan;

typedef struct Text {
  const char *at;
  uint32_t len;
} Text;

enum { SCAN_NAME = 1, SCAN_SPACE = 2, SCAN_DIGIT = 4 };
extern const uint8_t scan_class[256];
#define SCAN_IS(c, what) (scan_class[(unsigned char)(c)] & (what))

static inline Span scan_span(const Scan *s, const char *lo, const char *hi) {
  return (Span){s->source, (uint32_t)(lo - s->text), (uint32_t)(hi - s->text)};
}
/* Reports an error over [lo, hi); false. */
#define SCAN_ERROR(s, lo, hi, code, ...) \
  ((s)->errors++, diag_error((s)->diags, scan_span((s), (lo), (hi)), (code), __VA_ARGS__))

/* At "/": over a comment and the spaces and comments behind it. */
void scan_comment(Scan *s);
static inline void scan_space(Scan *s) {
  while (SCAN_IS(*s->p, SCAN_SPACE)) s->p++;
  if (*s->p == '/') scan_comment(s);
}
/* Spaces, then `c`, if it stands there. */
static inline bool scan_try(Scan *s, char c) {
  scan_space(s);
  if (*s->p != c) return false;
  s->p++;
  return true;
}
/* Reports that `c` does not stand here; false. */
bool scan_missing(Scan *s, char c, const char *where);
/* scan_try, or a report. */
static inline bool scan_expect(Scan *s, char c, const char *where) {
  return scan_try(s, c) || scan_missing(s, c, where);
}
/* A name: letters, digits, `_`, `.`, `-`; reports if there is none. */
bool scan_name(Scan *s, Text *out, const char *what);
static inline bool scan_is(Text t, const char *word, size_t n) { return t.len == n && !memcmp(t.at, word, n); }
#define TEXT_IS(t, word) scan_is((t), (word), sizeof(word) - 1)
/* A decimal integer, perhaps negative. */
bool scan_int(Scan *s, int64_t *out);
/* "..." with escapes; `out` is the inside, raw. */
bool scan_string(Scan *s, Text *out);
/* At an opening bracket: over the text to the matching one; strings inside may hold anything. */
bool scan_balanced(Scan *s);
/* An attribute's value of any form, raw: a string, balanced text, or a word up to a comma or a space. */
bool scan_value(Scan *s, Text *out);
/* Over the line's rest. */
void scan_line(Scan *s);
/* Is the text valid UTF-8 without NUL bytes?  *at: the first byte that is not. */
bool scan_valid(const char *text, size_t len, size_t *at);
/* The text of a source, or NULL after a report: it is no text. */
const Source *scan_source(Diags *diags, uint32_t source);
#endif
