#include "frontends/base/scan.h"

#include <string.h>

const uint8_t scan_class[256] = {
    [' '] = SCAN_SPACE,  ['\t'] = SCAN_SPACE, ['\n'] = SCAN_SPACE, ['\r'] = SCAN_SPACE,
    ['_'] = SCAN_NAME,   ['.'] = SCAN_NAME,   ['-'] = SCAN_NAME,   ['0' ... '9'] = SCAN_NAME | SCAN_DIGIT,
    ['a' ... 'z'] = SCAN_NAME, ['A' ... 'Z'] = SCAN_NAME,
};

void scan_comment(Scan *s) {
  for (;;) {
    if (s->p[0] == '/' && s->p[1] == '*') {
      const char *q = strstr(s->p + 2, "*/");
      s->p = q ? q + 2 : s->p + strlen(s->p);
    } else if (s->p[0] == '/' && s->p[1] == '/') {
      scan_line(s);
    } else {
      return;
    }
    while (SCAN_IS(*s->p, SCAN_SPACE)) s->p++;
  }
}

void scan_line(Scan *s) {
  while (*s->p && *s->p != '\n') s->p++;
  if (*s->p) s->p++;
}

bool scan_missing(Scan *s, char c, const char *where) {
  if (!*s->p) return SCAN_ERROR(s, s->p, s->p, E_GRAPH_SYNTAX, "the text ends where '%c' is expected %s", c, where);
  return SCAN_ERROR(s, s->p, s->p + 1, E_GRAPH_SYNTAX, "expected '%c' %s", c, where);
}

bool scan_name(Scan *s, Text *out, const char *what) {
  scan_space(s);
  const char *q = s->p;
  while (SCAN_IS(*q, SCAN_NAME)) q++;
  *out = (Text){s->p, (uint32_t)(q - s->p)};
  if (q == s->p) return SCAN_ERROR(s, q, *q ? q + 1 : q, E_GRAPH_SYNTAX, "expected %s", what);
  s->p = q;
  return true;
}

bool scan_int(Scan *s, int64_t *out) {
  scan_space(s);
  const char *lo = s->p;
  bool negative = *s->p == '-';
  if (negative) s->p++;
  if (!SCAN_IS(*s->p, SCAN_DIGIT))
    return SCAN_ERROR(s, lo, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected an integer");
  uint64_t n = 0;
  bool over = false;
  for (; SCAN_IS(*s->p, SCAN_DIGIT); s->p++) {
    over |= n > (UINT64_MAX - 9) / 10;
    n = n * 10 + (uint64_t)(*s->p - '0');
  }
  if (over || n > (uint64_t)INT64_MAX) return SCAN_ERROR(s, lo, s->p, E_NUMBER, "the number does not fit 64 bits");
  *out = negative ? -(int64_t)n : (int64_t)n;
  return true;
}

/* At a quote: to the one that closes it, or NULL. */
static const char *string_end(const char *p) {
  for (p++; *p && *p != '"'; p++)
    if (*p == '\\' && p[1]) p++;
  return *p ? p : NULL;
}

bool scan_string(Scan *s, Text *out) {
  scan_space(s);
  if (*s->p != '"') return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected a string");
  const char *q = string_end(s->p);
  if (!q) return SCAN_ERROR(s, s->p, s->p + 1, E_GRAPH_SYNTAX, "the string is never closed");
  *out = (Text){s->p + 1, (uint32_t)(q - s->p - 1)};
  s->p = q + 1;
  return true;
}

bool scan_balanced(Scan *s) {
  const char *lo = s->p, *p = lo;
  char open = *p, close = open == '{' ? '}' : open == '(' ? ')' : ']';
  size_t depth = 0;
  for (;; p++) {
    if (*p == open) {
      depth++;
    } else if (*p == close) {
      if (--depth == 0) break;
    } else if (*p == '"') {
      if (!(p = string_end(p))) break;
    } else if (!*p) {
      p = NULL;
      break;
    }
  }
  if (!p) return SCAN_ERROR(s, lo, lo + 1, E_GRAPH_SYNTAX, "this '%c' is never closed", open);
  s->p = p + 1;
  return true;
}

bool scan_value(Scan *s, Text *out) {
  scan_space(s);
  const char *lo = s->p;
  Text t;
  if (*lo == '"') {
    if (!scan_string(s, &t)) return false;
  } else if (*lo == '{' || *lo == '(' || *lo == '[') {
    if (!scan_balanced(s)) return false;
  } else {
    while (*s->p && !SCAN_IS(*s->p, SCAN_SPACE) && *s->p != ',' && *s->p != '}') {
      if (*s->p == '{' || *s->p == '(' || *s->p == '[') {
        if (!scan_balanced(s)) return false;
      } else {
        s->p++;
      }
    }
    if (s->p == lo) return SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "expected a value");
  }
  *out = (Text){lo, (uint32_t)(s->p - lo)};
  return true;
}

/* Length of the UTF-8 sequence at p, or 0. */
static size_t utf8_len(const unsigned char *p, size_t left) {
  size_t n = p[0] >= 0xc2 && p[0] < 0xe0 ? 2 : (p[0] & 0xf0) == 0xe0 ? 3 : p[0] >= 0xf0 && p[0] < 0xf5 ? 4 : 0;
  if (!n || n > left) return 0;
  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0)) return 0;
  if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90)) return 0;
  return n;
}

/* 32 bytes, none of them 0 or above 127: taking 1 off a 0 sets its high bit. */
static bool plain(const char *p) {
  uint64_t w[4], bits = 0;
  memcpy(w, p, sizeof w);
  for (int k = 0; k < 4; k++) bits |= (w[k] - 0x0101010101010101u) | w[k];
  return !(bits & 0x8080808080808080u);
}

bool scan_valid(const char *text, size_t len, size_t *at) {
  for (size_t i = 0; i < len;) {
    while (i + 32 <= len && plain(text + i)) i += 32;
    if (i == len) break;
    if ((signed char)text[i] > 0) {
      i++;
    } else {
      size_t n = utf8_len((const unsigned char *)text + i, len - i);
      if (!n) return *at = i, false;
      i += n;
    }
  }
  return true;
}

const Source *scan_source(Diags *diags, uint32_t source) {
  const Source *src = sources_get(diags_sources(diags), source);
  size_t bad;
  if (scan_valid(src->text, src->len, &bad)) return src;
  diag_error(diags, (Span){source, (uint32_t)bad, (uint32_t)bad + 1}, E_ENCODING, "the file is no text: byte 0x%02x",
             (unsigned char)src->text[bad]);
  return NULL;
}
