#include "frontends/json/alike.h"

#include <string.h>

#include "frontends/json/json.h"

typedef struct Scan { /* texts end with a byte 0 */
  const char *p, *end;
} Scan;

static void space(Scan *s) { s->p += strspn(s->p, " \t\r\n"); }

static bool take(Scan *s, char c) {
  space(s);
  return *s->p == c ? s->p++, true : false;
}

static bool skip_string(Scan *s) {
  bool is = *s->p == '"';
  if (is) s->p = json_skip_string(s->p);
  return is;
}

/* Over a value, as far as strings and brackets tell. */
static bool skip_value(Scan *s) {
  size_t depth = 0;
  space(s);
  do {
    char c = *s->p;
    if (!c) return false;
    if (c == '"') {
      if (!skip_string(s)) return false;
      continue;
    }
    if (c == '}' || c == ']') {
      if (!depth--) return false;
    } else if (c == '{' || c == '[') {
      depth++;
    } else if (!depth) {
      size_t n = strcspn(s->p, " \t\r\n,]}");
      s->p += n;
      return n > 0;
    }
    s->p++;
    if (depth) s->p += strcspn(s->p, "\"[]{}");
  } while (depth);
  return true;
}

/* To the value of a member of an object, from behind its `{` or another value; NULL: to the end of the object. */
static bool to_member(Scan *s, const char *key) {
  size_t n = key ? strlen(key) : 0;
  do {
    space(s);
    const char *name = s->p + 1;
    if (!skip_string(s) || !take(s, ':')) return false;
    bool is = key && !strncmp(name, key, n) && name[n] == '"';
    if (is || !skip_value(s)) return is;
  } while (take(s, ','));
  return !key && take(s, '}');
}

typedef struct Element {
  const char *at;
  size_t len;
} Element;

typedef struct Short {
  Vec(Element) first;
  char *out;
  size_t n;
  const char *from; /* what is not copied yet */
  JsonGaps *gaps;
} Short;

static void leave_out(Short *x, const char *lo, const char *hi) {
  memcpy(x->out + x->n, x->from, (size_t)(lo - x->from));
  x->n += (size_t)(lo - x->from);
  x->out[x->n++] = '0';
  x->from = hi;
  size_t before = x->gaps->len ? vec_last(x->gaps).skipped : 0;
  vec_push(x->gaps, (JsonGap){x->n, before + (size_t)(hi - lo) - 1});
}

/* One element of the outer list: the first, or one that is compared with it. */
static bool shorten(Short *x, Scan *s, const char *inner, bool first) {
  if (!take(s, '{') || !to_member(s, inner) || !take(s, '[')) return false;
  for (size_t k = 0; !take(s, ']'); k++) {
    if (k && !take(s, ',')) return false;
    space(s);
    const char *lo = s->p;
    Element e = k < x->first.len ? x->first.at[k] : (Element){0};
    bool alike = !first && *lo == '{' && e.len && e.len <= (size_t)(s->end - lo) && !memcmp(lo, e.at, e.len);
    if (alike) s->p += e.len, leave_out(x, lo, s->p);
    else if ((*lo >= '0' && *lo <= '9') || *lo == '-' || !skip_value(s)) return false;
    if (first) vec_push(&x->first, (Element){lo, (size_t)(s->p - lo)});
  }
  return take(s, '}') || (take(s, ',') && to_member(s, NULL));
}

char *json_leave_out_alike(const char *text, size_t len, const char *list, const char *inner, size_t *n, JsonGaps *gaps) {
  Scan s = {text, text + len};
  if (!take(&s, '{') || !to_member(&s, list) || !take(&s, '[')) return NULL;
  Short x = {.out = xmalloc(len + 1), .from = text, .gaps = gaps};
  bool ok = true;
  for (size_t k = 0; ok && (!k || take(&s, ',')); k++) ok = shorten(&x, &s, inner, !k);
  ok = ok && take(&s, ']') && gaps->len;
  vec_free(&x.first);
  if (!ok) {
    free(x.out);
    vec_free(gaps);
    return NULL;
  }
  memcpy(x.out + x.n, x.from, (size_t)(s.end - x.from) + 1);
  *n = x.n + (size_t)(s.end - x.from);
  return x.out;
}

size_t json_gaps_place(const JsonGaps *gaps, size_t at) {
  size_t lo = 0, hi = gaps->len;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (gaps->at[mid].at <= at) lo = mid + 1;
    else hi = mid;
  }
  return at + (lo ? gaps->at[lo - 1].skipped : 0);
}
