#include "frontends/json/json.h"

#include <stdio.h>
#include <string.h>

bool json_doc_read(JsonDoc *doc, Diags *diags, uint32_t source) {
  const Source *src = sources_get(diags_sources(diags), source);
  json_error_t e;
  *doc = (JsonDoc){json_loadb(src->text, src->len, JSON_REJECT_DUPLICATES, &e), diags, source};
  if (doc->root) return true;
  size_t at = e.position < 0 ? 0 : (size_t)e.position;
  if (at > src->len) at = src->len;
  size_t lo = at ? at - 1 : 0;
  DiagCode code = json_error_code(&e) == json_error_stack_overflow ? E_NESTING : E_JSON;
  if (code == E_NESTING || json_error_code(&e) == json_error_invalid_utf8) e.text[strcspn(e.text, "\n")] = 0;
  return diag_error(diags, (Span){source, (uint32_t)lo, (uint32_t)at}, code, "%s", e.text);
}

void json_doc_free(JsonDoc *doc) {
  json_decref(doc->root);
  doc->root = NULL;
}

/* Values of the tree before `value`, in the order of the text; *n counts on.  jansson bounds the depth. */
static bool position(const json_t *at, const json_t *value, size_t *n) {
  if (at == value) return true;
  ++*n;
  if (json_is_array(at)) {
    for (size_t k = 0; k < json_array_size(at); k++)
      if (position(json_array_get(at, k), value, n)) return true;
  } else if (json_is_object(at)) {
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)at, key, member) if (position(member, value, n)) return true;
  }
  return false;
}

/* Behind the string that starts at p. */
static const char *skip_string(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p + 1 : p;
}

bool json_has_key(const char *text, const char *key) {
  size_t len = strlen(key), depth = 0;
  for (const char *p = text; *p;) {
    if (*p != '"') {
      depth += (*p == '{' || *p == '[') - (size_t)(*p == '}' || *p == ']');
      p++;
      continue;
    }
    const char *end = skip_string(p);
    if (depth == 1 && (size_t)(end - p) == len + 2 && !memcmp(p + 1, key, len) && end[strspn(end, " \t\r\n")] == ':')
      return true;
    p = end;
  }
  return false;
}

/* Over the value that starts at or behind *p, or into it if it is a list or an object; its first byte, or NULL. */
static const char *next_value(const char **p) {
  for (;;) {
    *p += strspn(*p, " \t\r\n,:]}");
    const char *lo = *p;
    if (!*lo) return NULL;
    if (*lo == '"') {
      *p = skip_string(lo);
      if ((*p)[strspn(*p, " \t\r\n")] == ':') continue; /* a key */
    } else if (*lo == '[' || *lo == '{') {
      ++*p;
    } else {
      *p += strcspn(lo, " \t\r\n,:]}");
    }
    return lo;
  }
}

Span json_doc_span(const JsonDoc *doc, const json_t *value) {
  const Source *src = sources_get(diags_sources(doc->diags), doc->source);
  size_t n = 0;
  if (!src || !value || !position(doc->root, value, &n)) return (Span){doc->source, 0, 0};
  const char *p = src->text, *lo;
  while ((lo = next_value(&p)) && n) n--;
  return lo ? (Span){doc->source, (uint32_t)(lo - src->text), (uint32_t)(p - src->text)} : (Span){doc->source, 0, 0};
}

/* Values in a tree, itself included. */
static size_t count(const json_t *at) {
  size_t n = 0;
  position(at, NULL, &n);
  return n;
}

void json_doc_elements(const JsonDoc *doc, const json_t *array, Span *out) {
  const char *text = sources_get(diags_sources(doc->diags), doc->source)->text;
  const char *p = text + json_doc_span(doc, array).hi, *lo;
  for (size_t k = 0; k < json_array_size(array); k++) {
    lo = next_value(&p);
    out[k] = lo ? (Span){doc->source, (uint32_t)(lo - text), (uint32_t)(p - text)} : (Span){doc->source, 0, 0};
    for (size_t n = count(json_array_get(array, k)); n > 1; n--) next_value(&p);
  }
}

bool json_doc_rat(const json_t *value, Rat *out) {
  if (json_is_integer(value)) return *out = rat_int(json_integer_value(value)), true;
  if (!json_is_real(value)) return false;
  double x = json_real_value(value);
  char buf[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(buf, sizeof buf, "%.*g", digits, x);
    if (strtod(buf, NULL) == x) break;
  }
  return rat_parse(buf, strlen(buf), out);
}
