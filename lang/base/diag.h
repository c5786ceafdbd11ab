/* Diagnostics: one sink for everything a user did wrong or should know.
 *
 * A diagnostic has a code (diag.def), a message (short, factual), a span with a caret, notes with spans of their own
 * and a hint (what to do).  They are collected, sorted by place, printed at most `limit` at a time, and never lost:
 * a count of the rest is printed.  Errors are collected so that one run shows several. */
#ifndef TVR_BASE_DIAG_H
#define TVR_BASE_DIAG_H
#include <stdbool.h>
#include <stdio.h>

#include "lang/base/source.h"

typedef enum DiagCode {
#define DIAG(name, code, title) name,
#include "lang/base/diag.def"
#undef DIAG
  DIAG_N_CODES
} DiagCode;

typedef enum Severity { DIAG_ERROR, DIAG_WARNING } Severity;

typedef struct Diags Diags;

Diags *diags_new(Sources *sources);
void diags_free(Diags *d);
Sources *diags_sources(Diags *d);
/* Reports; span.source == 0 means no place.  Always returns false, so `return diag_error(...)` reads well. */
bool diag_error(Diags *d, Span at, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool diag_warning(Diags *d, Span at, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Attach to the latest diagnostic. */
void diag_note(Diags *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_hint(Diags *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool diag_has_hint(const Diags *d);
size_t diag_errors(const Diags *d);
/* How many diagnostics there are, and the code of one; drops those after that many, which have not been printed. */
size_t diags_count(const Diags *d);
DiagCode diags_code(const Diags *d, size_t i);
void diags_forget(Diags *d, size_t count);
/* Whether all errors have one of two codes. */
bool diags_only(const Diags *d, DiagCode a, DiagCode b);
/* Prints what has not been printed, with source lines and carets; colour if asked. */
void diags_print(Diags *d, FILE *out, bool colour);
/* The same as a JSON array. */
void diags_json(const Diags *d, FILE *out);
/* "E0101" */
const char *diag_code_text(DiagCode code);
const char *diag_title(DiagCode code);
#endif
