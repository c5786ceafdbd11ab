#include "frontends/egg/read.h"

#include <errno.h>
#include <math.h>

#include "lang/base/vec.h"
#include "lang/lang.h"

typedef struct {
  Arena *arena;
  Diags *diags;
  const char *text;
  uint32_t source, at, end;
  Vec(Sexp) items;    /* of all open lists, innermost last */
  Vec(uint32_t) open; /* where each open list starts: index into items, offset */
} Reader;

static Span span(const Reader *r, uint32_t lo, uint32_t hi) { return (Span){r->source, lo, hi}; }

static bool read_string(Reader *r, Sexp *out) {
  uint32_t lo = r->at++;
  Vec(char) buf = {0};
  while (r->at < r->end && r->text[r->at] != '"') {
    char c = r->text[r->at++];
    if (c == '\\' && r->at < r->end) {
      char e = r->text[r->at++];
      c = e == 'n' ? '\n' : e == 't' ? '\t' : e == '\\' || e == '"' ? e : 0;
      if (!c) {
        diag_error(r->diags, span(r, r->at - 2, r->at), E_SYNTAX, "unknown escape in a string");
        diag_hint(r->diags, "the escapes are \\n \\t \\\\ and \\\"");
        vec_free(&buf);
        return false;
      }
    }
    vec_push(&buf, c);
  }
  bool ok = r->at < r->end;
  if (ok) {
    r->at++;
    *out = (Sexp){.kind = SEXP_STRING, .at = span(r, lo, r->at), .sym = sym_n(buf.len ? buf.at : "", buf.len)};
  } else {
    diag_error(r->diags, span(r, lo, lo + 1), E_SYNTAX, "this string is not closed");
    diag_hint(r->diags, "a string ends at the next `\"` that has no `\\` before it");
  }
  vec_free(&buf);
  return ok;
}

/* [+-] digits; digits [. digits] or . digits; [e [+-] digits] */
static bool looks_decimal(const char *s, size_t n, bool *integer) {
  size_t i = n && (*s == '+' || *s == '-'), digits = 0;
  *integer = true;
  for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) digits++;
  if (i < n && s[i] == '.') {
    *integer = false;
    for (i++; i < n && s[i] >= '0' && s[i] <= '9'; i++) digits++;
  }
  if (!digits) return false;
  if (i < n && (s[i] == 'e' || s[i] == 'E')) {
    *integer = false;
    size_t exponent = 0;
    i++;
    if (i < n && (s[i] == '+' || s[i] == '-')) i++;
    for (; i < n && s[i] >= '0' && s[i] <= '9'; i++) exponent++;
    if (!exponent) return false;
  }
  return i == n;
}

static Sexp atom(Reader *r, uint32_t lo) {
  const char *s = r->text + lo;
  size_t n = r->at - lo;
  Sexp x = {.kind = SEXP_SYMBOL, .at = span(r, lo, r->at)};
#define IS(word) (n == sizeof word - 1 && !memcmp(s, word, n))
  bool integer;
  if (IS("true") || IS("false")) {
    x.kind = SEXP_BOOL;
    x.b = n == 4;
  } else if (IS("NaN") || IS("inf") || IS("-inf")) {
    x.kind = SEXP_FLOAT;
    x.f = *s == 'N' ? (double)NAN : *s == '-' ? -(double)INFINITY : (double)INFINITY;
  } else if (looks_decimal(s, n, &integer)) {
    char *copy = arena_strdup(r->arena, s, n);
    errno = 0;
    x.i = integer ? strtoll(copy, NULL, 10) : 0;
    x.kind = SEXP_INT;
    if (!integer || errno) {
      double f = strtod(copy, NULL);
      x.kind = isfinite(f) ? SEXP_FLOAT : SEXP_SYMBOL;
      x.f = f;
    }
  }
#undef IS
  if (x.kind == SEXP_SYMBOL) x.sym = sym_n(s, n);
  return x;
}

static void close_list(Reader *r) {
  uint32_t lo = vec_pop(&r->open), first = vec_pop(&r->open);
  uint32_t n = (uint32_t)r->items.len - first;
  Sexp list = {.kind = SEXP_LIST, .at = span(r, lo, r->at)};
  list.n = n;
  list.item = n ? arena_copy(r->arena, r->items.at + first, n * sizeof(Sexp)) : NULL;
  r->items.len = first;
  vec_push(&r->items, list);
}

static bool read_one(Reader *r) {
  char c = r->text[r->at];
  uint32_t lo = r->at, white = sexp_space(r->text + r->at);
  Sexp x;
  if (white) {
    r->at += white;
  } else if (c == ';') {
    while (r->at < r->end && r->text[r->at] != '\n') r->at++;
  } else if (c == '(') {
    if (r->open.len >= 2 * SEXP_MAX_DEPTH)
      return diag_error(r->diags, span(r, lo, lo + 1), E_NESTING, "lists are nested more than %d deep", SEXP_MAX_DEPTH);
    vec_push(&r->open, (uint32_t)r->items.len);
    vec_push(&r->open, lo);
    r->at++;
  } else if (c == ')') {
    r->at++;
    if (!r->open.len) {
      diag_error(r->diags, span(r, lo, lo + 1), E_SYNTAX, "there is no list to close here");
      diag_hint(r->diags, "remove the `)`, or open a list before");
      return false;
    }
    close_list(r);
  } else if (c == '"') {
    if (!read_string(r, &x)) return false;
    vec_push(&r->items, x);
  } else {
    while (r->at < r->end && r->text[r->at] != ';' && r->text[r->at] != '(' && r->text[r->at] != ')' &&
           !sexp_space(r->text + r->at))
      r->at++;
    vec_push(&r->items, atom(r, lo));
  }
  return true;
}

const Sexp *sexp_read(Arena *arena, Diags *diags, uint32_t source) {
  const Source *s = sources_get(diags_sources(diags), source);
  Reader r = {.arena = arena, .diags = diags, .text = s->text, .source = source, .end = (uint32_t)s->len};
  bool ok = lang_is_text(diags, source);
  while (ok && r.at < r.end) ok = read_one(&r);
  if (ok && r.open.len) {
    uint32_t lo = vec_last(&r.open);
    ok = diag_error(diags, span(&r, lo, lo + 1), E_SYNTAX, "this list is not closed");
    diag_hint(diags, "add `)`");
  }
  Sexp *all = NULL;
  if (ok) {
    all = ARENA_NEW(arena, Sexp);
    all->n = (uint32_t)r.items.len;
    all->item = r.items.len ? arena_copy(arena, r.items.at, r.items.len * sizeof(Sexp)) : NULL;
  }
  vec_free(&r.items);
  vec_free(&r.open);
  return all;
}
