#include "frontends/base/config.h"

#include <stdlib.h>

#include "frontends/base/decimal.h"

enum { MOST_DIGITS = 63 };

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static Text trimmed(Text t) {
  while (t.len && is_space(*t.at)) t.at++, t.len--;
  while (t.len && is_space(t.at[t.len - 1])) t.len--;
  return t;
}

/* Takes the text up to `end` that stands outside strings and brackets; false: there is none. */
static bool take_up_to(Text *from, char end, Text *out) {
  int depth = 0;
  bool quoted = false;
  for (uint32_t i = 0; i < from->len; i++) {
    char c = from->at[i];
    if (quoted) {
      if (c == '\\') i++;
      else quoted = c != '"';
      continue;
    }
    if (c == end && !depth) {
      *out = trimmed((Text){from->at, i});
      *from = (Text){from->at + i + 1, from->len - i - 1};
      return true;
    }
    quoted = c == '"';
    depth += c == '{' || c == '[' || c == '(' || c == '<';
    depth -= c == '}' || c == ']' || c == ')' || c == '>';
    if (depth < 0) return false;
  }
  return false;
}

static bool begins(Text t, const char *word) { return t.len >= strlen(word) && !memcmp(t.at, word, strlen(word)); }

static Text inside(Text t, uint32_t before, uint32_t after) {
  return trimmed((Text){t.at + before, t.len - before - after});
}

/* A number and its type, `7 : i64`; whole numbers and reals have types of their own where none is stated. */
static bool number(Text t, Attr *out) {
  Text digits = t, type = {"", 0};
  if (take_up_to(&t, ':', &digits)) type = trimmed(t);
  char text[MOST_DIGITS + 1];
  if (!digits.len || digits.len > MOST_DIGITS) return false;
  memcpy(text, digits.at, digits.len);
  text[digits.len] = '\0';
  bool whole = strspn(text, "-0123456789") == digits.len;
  DType d = whole ? DT_S64 : DT_F64;
  if (TEXT_IS(type, "index")) d = DT_S64;
  else if (type.len > 1 && *type.at == 'i') d = DT_S64;
  else if (type.len && !dtype_parse(type.at, type.len, &d)) return false;
  Rat r;
  if (decimal_read(text, digits.len, d, &r) != DECIMAL_OK || !rat_is_finite(r)) return false;
  if (dtype_kind(d) == DK_FLOAT) out->kind = ATTR_RAT, out->r = r;
  else out->kind = ATTR_INT;
  return out->kind == ATTR_RAT || rat_to_int(r, &out->i);
}

/* [1, 2] and array<i64: 1, 2>, of whole numbers. */
static bool list(Text t, Arena *a, Attr *out) {
  if (t.len < 2 || (*t.at != '[' && !begins(t, "array<"))) return false;
  Text in = *t.at == '[' ? inside(t, 1, 1) : inside(t, strlen("array<"), 1), type, one;
  if (*t.at != '[' && !take_up_to(&in, ':', &type)) in.len = 0; /* array<i64>: none */
  Vec(int64_t) all = {0};
  bool fits = t.at[t.len - 1] == (*t.at == '[' ? ']' : '>');
  for (bool last = !trimmed(in).len; !last && fits;) {
    last = !take_up_to(&in, ',', &one);
    Attr x = {0};
    fits = number(last ? trimmed(in) : one, &x) && x.kind == ATTR_INT;
    vec_push(&all, x.i);
  }
  if (fits) {
    out->kind = ATTR_INTS;
    out->n = (uint32_t)all.len;
    out->ints = arena_copy(a, all.at, all.len * sizeof *all.at);
  }
  vec_free(&all);
  return fits;
}

static Attr entry(Text name, Text value, Arena *a) {
  Attr out = {.name = sym_n(name.at, name.len)};
  if (!value.len || TEXT_IS(value, "true") || TEXT_IS(value, "false"))
    out.kind = ATTR_INT, out.i = !TEXT_IS(value, "false");
  else if (value.len > 1 && *value.at == '"' && value.at[value.len - 1] == '"')
    out.kind = ATTR_SYM, out.s = sym_n(value.at + 1, value.len - 2);
  else if (!number(value, &out) && !list(value, a, &out))
    out.kind = ATTR_SYM, out.s = sym_n(value.at, value.len);
  return out;
}

static bool is_taken(Text name) {
  static const char *const words[] = {"at", "label", "result", "region", "replica_groups", "source_target_pairs", "unique",
                                      "why", "custom_call_target", "custom_call_has_side_effect", "api_version"};
  bool taken = !name.len || strspn(name.at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.") < name.len;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) taken |= scan_is(name, words[k], strlen(words[k]));
  return taken;
}

bool config_read(Text config, Arena *a, Attrs *out) {
  Text left = trimmed(config), one, name;
  if (left.len < 2 || *left.at != '{' || left.at[left.len - 1] != '}') return false;
  left = inside(left, 1, 1);
  size_t had = out->len;
  for (bool last = !left.len; !last;) {
    last = !take_up_to(&left, ',', &one);
    if (last) one = trimmed(left);
    Text value = one;
    bool valued = take_up_to(&value, '=', &name);
    if (!valued) name = one, value.len = 0;
    if (name.len > 1 && *name.at == '"' && name.at[name.len - 1] == '"') name = inside(name, 1, 1);
    if (is_taken(name) || (valued && !trimmed(value).len)) return out->len = had, false;
    Attr x = entry(name, trimmed(value), a);
    for (size_t k = had; k < out->len; k++)
      if (out->at[k].name == x.name) return out->len = had, false;
    vec_push(out, x);
  }
  return true;
}
