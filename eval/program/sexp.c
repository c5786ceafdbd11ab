#include "eval/program/sexp.h"

#include "lang/base/vec.h"

uint32_t sexp_space(const char *text) {
  const unsigned char *s = (const unsigned char *)text;
  if (*s == ' ' || (*s >= 9 && *s <= 13)) return 1;
  if (s[0] == 0xc2 && (s[1] == 0x85 || s[1] == 0xa0)) return 2;
  if (s[0] == 0xe1 && s[1] == 0x9a && s[2] == 0x80) return 3;
  if (s[0] == 0xe2 && s[1] == 0x80 &&
      ((s[2] >= 0x80 && s[2] <= 0x8a) || s[2] == 0xa8 || s[2] == 0xa9 || s[2] == 0xaf))
    return 3;
  if (s[0] == 0xe2 && s[1] == 0x81 && s[2] == 0x9f) return 3;
  return s[0] == 0xe3 && s[1] == 0x80 && s[2] == 0x80 ? 3 : 0;
}

Sym sexp_text(const Sexp *s, const Sources *sources) {
  const Source *src = sources_get(sources, s->at.source);
  Vec(char) out = {0};
  bool gap = false;
  for (uint32_t p = s->at.lo; p < s->at.hi;) {
    uint32_t white = sexp_space(src->text + p);
    char c = src->text[p];
    if (white || c == ';') {
      gap = true;
      p += white;
      while (!white && p < s->at.hi && src->text[p] != '\n') p++;
      continue;
    }
    if (gap && out.len && c != ')' && out.at[out.len - 1] != '(') vec_push(&out, ' ');
    gap = false;
    if (c == '"') {
      do {
        vec_push(&out, src->text[p]);
        if (src->text[p] == '\\') vec_push(&out, src->text[++p]);
        p++;
      } while (p < s->at.hi && src->text[p] != '"');
    }
    vec_push(&out, src->text[p]);
    gap = c == ')' || c == '(' || c == '"';
    p++;
  }
  Sym text = sym_n(out.at, out.len);
  vec_free(&out);
  return text;
}
