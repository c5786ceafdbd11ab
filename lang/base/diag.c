#include "lang/base/diag.h"

#include <stdarg.h>
#include <string.h>

#include "lang/base/vec.h"

enum { SHOWN_AT_MOST = 20, LINE_WIDTH = 160 };

typedef struct Note {
  struct Note *next;
  Span at;
  const char *text;
} Note;

typedef struct {
  Severity severity;
  DiagCode code;
  Span at;
  const char *text, *hint;
  Note *notes;
  size_t order;
  bool printed;
} Diag;

struct Diags {
  Arena arena;
  Sources *sources;
  Vec(Diag) all;
  size_t n_errors;
};

static const struct {
  const char *code, *title;
} table[] = {
#define DIAG(name, code, title) {code, title},
#include "lang/base/diag.def"
#undef DIAG
};

const char *diag_code_text(DiagCode code) { return table[code].code; }
const char *diag_title(DiagCode code) { return table[code].title; }

Diags *diags_new(Sources *sources) {
  Diags *d = xcalloc(1, sizeof *d);
  d->sources = sources;
  return d;
}

void diags_free(Diags *d) {
  if (!d) return;
  vec_free(&d->all);
  arena_free(&d->arena);
  free(d);
}

Sources *diags_sources(Diags *d) { return d->sources; }
bool diag_has_hint(const Diags *d) { return d->all.len && vec_last(&d->all).hint; }
size_t diag_errors(const Diags *d) { return d->n_errors; }
size_t diags_count(const Diags *d) { return d->all.len; }
DiagCode diags_code(const Diags *d, size_t i) { return d->all.at[i].code; }

bool diags_only(const Diags *d, DiagCode a, DiagCode b) {
  bool only = true;
  for (size_t i = 0; i < d->all.len; i++) {
    const Diag *g = &d->all.at[i];
    only &= g->severity != DIAG_ERROR || g->code == a || g->code == b;
  }
  return only;
}

void diags_forget(Diags *d, size_t count) {
  for (; d->all.len > count; d->all.len--) d->n_errors -= vec_last(&d->all).severity == DIAG_ERROR;
}

static const char *vtext(Diags *d, const char *fmt, va_list ap) {
  va_list aq;
  va_copy(aq, ap);
  int n = vsnprintf(NULL, 0, fmt, aq);
  va_end(aq);
  char *s = arena_alloc(&d->arena, (size_t)(n < 0 ? 0 : n) + 1);
  if (n > 0) vsnprintf(s, (size_t)n + 1, fmt, ap);
  return s;
}

static void report(Diags *d, Severity sev, Span at, DiagCode code, const char *fmt, va_list ap) {
  vec_push(&d->all, (Diag){sev, code, at, vtext(d, fmt, ap), NULL, NULL, d->all.len, false});
  d->n_errors += sev == DIAG_ERROR;
}

bool diag_error(Diags *d, Span at, DiagCode code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  report(d, DIAG_ERROR, at, code, fmt, ap);
  va_end(ap);
  return false;
}

bool diag_warning(Diags *d, Span at, DiagCode code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  report(d, DIAG_WARNING, at, code, fmt, ap);
  va_end(ap);
  return false;
}

void diag_note(Diags *d, Span at, const char *fmt, ...) {
  if (!d->all.len) return;
  va_list ap;
  va_start(ap, fmt);
  Note *n = ARENA_NEW(&d->arena, Note);
  n->at = at;
  n->text = vtext(d, fmt, ap);
  va_end(ap);
  Note **p = &vec_last(&d->all).notes;
  while (*p) p = &(*p)->next;
  *p = n;
}

void diag_hint(Diags *d, const char *fmt, ...) {
  if (!d->all.len) return;
  va_list ap;
  va_start(ap, fmt);
  vec_last(&d->all).hint = vtext(d, fmt, ap);
  va_end(ap);
}

static int by_place(const void *a, const void *b) {
  const Diag *x = a, *y = b;
  if (x->at.source != y->at.source) return x->at.source < y->at.source ? -1 : 1;
  if (x->at.lo != y->at.lo) return x->at.lo < y->at.lo ? -1 : 1;
  return x->order < y->order ? -1 : x->order > y->order;
}

/* The source line with a caret under the span; a long line is shown around the span only. */
static void show_place(const Diags *d, FILE *out, Span at, const char *colour, const char *off) {
  uint32_t line, column;
  const char *text;
  size_t len;
  sources_locate(d->sources, at.source, at.lo, &line, &column, &text, &len);
  size_t from = column - 1 > LINE_WIDTH / 2 ? column - 1 - LINE_WIDTH / 2 : 0;
  size_t to = len - from > LINE_WIDTH ? from + LINE_WIDTH : len;
  fprintf(out, "%6u | %s", line, from ? "..." : "");
  for (size_t i = from; i < to; i++) fputc((unsigned char)text[i] < 32 ? ' ' : text[i], out);
  fprintf(out, "%s\n       | %s", to < len ? "..." : "", from ? "   " : "");
  for (size_t i = from; i < column - 1 && i < to; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80) fputc(' ', out);
  size_t end = column - 1 + (at.hi > at.lo ? at.hi - at.lo : 1);
  if (end > to) end = to;
  fputs(colour, out);
  fputc('^', out);
  for (size_t i = column; i < end; i++)
    if (((unsigned char)text[i] & 0xc0) != 0x80) fputc('~', out);
  fprintf(out, "%s\n", off);
}

static void show_head(const Diags *d, FILE *out, Span at) {
  const Source *s = sources_get(d->sources, at.source);
  if (!s) return;
  uint32_t line, column;
  const char *text;
  size_t len;
  sources_locate(d->sources, at.source, at.lo, &line, &column, &text, &len);
  fprintf(out, "%s:%u:%u: ", s->path, line, column);
}

static void show(const Diags *d, FILE *out, const Diag *g, bool colour) {
  const char *red = colour ? g->severity == DIAG_ERROR ? "\033[1;31m" : "\033[1;33m" : "";
  const char *off = colour ? "\033[0m" : "";
  show_head(d, out, g->at);
  const char *severity = g->severity == DIAG_ERROR ? "error" : "warning";
  fprintf(out, "%s%s[%s]%s: %s\n", red, severity, table[g->code].code, off, g->text);
  if (g->at.source) show_place(d, out, g->at, red, off);
  for (const Note *n = g->notes; n; n = n->next) {
    fputs("  ", out);
    show_head(d, out, n->at);
    fprintf(out, "note: %s\n", n->text);
    if (n->at.source) show_place(d, out, n->at, "", "");
  }
  if (g->hint) fprintf(out, "  hint: %s\n", g->hint);
}

void diags_print(Diags *d, FILE *out, bool colour) {
  if (d->all.len) qsort(d->all.at, d->all.len, sizeof *d->all.at, by_place);
  size_t room[] = {[DIAG_ERROR] = SHOWN_AT_MOST, [DIAG_WARNING] = SHOWN_AT_MOST}, hidden = 0;
  for (size_t i = 0; i < d->all.len; i++) { /* warnings have the room that errors leave */
    const Diag *g = &d->all.at[i];
    if (!g->printed && g->severity == DIAG_ERROR && room[DIAG_WARNING]) room[DIAG_WARNING]--;
  }
  for (size_t i = 0; i < d->all.len; i++) {
    Diag *g = &d->all.at[i];
    if (g->printed) continue;
    g->printed = true;
    if (room[g->severity]) show(d, out, g, colour), room[g->severity]--;
    else hidden++;
  }
  if (hidden) fprintf(out, "and %zu more\n", hidden);
}

static void json_string(FILE *out, const char *s) {
  fputc('"', out);
  for (; *s; s++) {
    if (*s == '"' || *s == '\\') fprintf(out, "\\%c", *s);
    else if ((unsigned char)*s < 32) fprintf(out, "\\u%04x", *s);
    else fputc(*s, out);
  }
  fputc('"', out);
}

static void json_place(const Diags *d, FILE *out, Span at) {
  const Source *s = sources_get(d->sources, at.source);
  if (!s) return;
  uint32_t line, column;
  const char *text;
  size_t len;
  sources_locate(d->sources, at.source, at.lo, &line, &column, &text, &len);
  fputs(", \"file\": ", out);
  json_string(out, s->path);
  fprintf(out, ", \"line\": %u, \"column\": %u", line, column);
}

void diags_json(const Diags *d, FILE *out) {
  fputc('[', out);
  for (size_t i = 0; i < d->all.len; i++) {
    const Diag *g = &d->all.at[i];
    fprintf(out, "%s{\"severity\": \"%s\", \"code\": \"%s\", \"message\": ", i ? ", " : "",
            g->severity == DIAG_ERROR ? "error" : "warning", table[g->code].code);
    json_string(out, g->text);
    json_place(d, out, g->at);
    if (g->hint) {
      fputs(", \"hint\": ", out);
      json_string(out, g->hint);
    }
    fputc('}', out);
  }
  fputc(']', out);
}
