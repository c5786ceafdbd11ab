/* lang_parse: checks that the bytes are text, then runs the scanner and the parser over them. */
#include "lang/syntax.h"

#include <string.h>

#include "lang/lang.h"

#define YYSTYPE LANG_YYSTYPE
#define YYLTYPE Span
#include "lang/parse.h"
#include "lang/lex.h"

enum { LONGEST_FILE = 1 << 28, LONGEST_NUMBER = 10000 };

Sym syntax_sym(const Syntax *s, Span at) { return sym_n(s->text + at.lo, at.hi - at.lo); }

Sym syntax_string(Syntax *s, Span at) {
  const char *p = s->text + at.lo + 1, *end = s->text + at.hi - 1;
  char *out = arena_alloc(s->ast.arena, (size_t)(end - p) + 1);
  size_t n = 0;
  while (p < end) {
    const char *escaped = *p == '\\' ? strchr("\"\\nt", p[1]) : NULL;
    if (*p == '\\' && !escaped)
      diag_error(s->ast.diags, at, E_SYNTAX, "`\\%c` is no escape: `\\\"`, `\\\\`, `\\n` and `\\t` are", p[1]);
    if (*p == '\\') p++;
    out[n++] = !escaped || *p == '"' || *p == '\\' ? *p : *p == 'n' ? '\n' : '\t';
    p++;
  }
  return sym_n(out, n);
}

Rat syntax_number(Syntax *s, Span at) {
  Rat r;
  if (at.hi - at.lo <= LONGEST_NUMBER && rat_parse(s->text + at.lo, at.hi - at.lo, &r)) return r;
  diag_error(s->ast.diags, at, E_NUMBER, "a number has more than %d digits or its exponent exceeds 10000",
             LONGEST_NUMBER);
  return RAT_0;
}

void syntax_comment(Syntax *s, Span at) {
  while (at.hi > at.lo && s->text[at.hi - 1] == '\r') at.hi--;
  s->comments = ast_append(&s->ast, s->comments, arena_copy(s->ast.lists, &at, sizeof at));
}

void syntax_end(const Syntax *s, Span *at) {
  uint32_t end = s->at;
  while (end > 0 && strchr(" \t\r\n", s->text[end - 1])) end--;
  *at = (Span){s->source, end, end};
}

/* What may follow the first word of an item, so that nothing else can be meant. */
enum { THEN_WORD = 1, THEN_BRACE = 2, THEN_STRING = 4, THEN_NUMBER = 8, THEN_IN = 16, THEN_PAREN = 32 };

static const struct {
  const char *text;
  int token;
  unsigned then;
} soft[] = {
  {"sort", TOK_SORT, THEN_WORD},         {"datatype", TOK_DATATYPE, THEN_WORD},
  {"constructor", TOK_CONSTRUCTOR, THEN_WORD}, {"function", TOK_FUNCTION, THEN_WORD},
  {"ruleset", TOK_RULESET, THEN_WORD},   {"rule", TOK_RULE, THEN_IN | THEN_WORD | THEN_BRACE | THEN_STRING},
  {"rewrite", TOK_REWRITE, THEN_IN | THEN_WORD | THEN_STRING},
  {"do", TOK_DO, THEN_WORD | THEN_BRACE}, {"run", TOK_RUN, THEN_WORD | THEN_BRACE | THEN_NUMBER},
  {"fail", TOK_FAIL, THEN_WORD}, {"prove", TOK_PROVE, THEN_WORD | THEN_BRACE},
  {"extract", TOK_EXTRACT, THEN_WORD | THEN_NUMBER | THEN_STRING | THEN_PAREN},
  {"print", TOK_PRINT, THEN_WORD},       {"input", TOK_INPUT, THEN_WORD},
  {"output", TOK_OUTPUT, THEN_STRING},   {"include", TOK_INCLUDE, THEN_STRING},
  {"push", TOK_PUSH, THEN_BRACE},        {"template", TOK_TEMPLATE, THEN_WORD},
  {"size", TOK_SIZE, THEN_WORD},
  {"private", TOK_PRIVATE, THEN_WORD}, {"costs", TOK_COSTS, THEN_WORD},
  {"merge", TOK_MERGE, THEN_WORD | THEN_NUMBER | THEN_STRING | THEN_PAREN},
};

/* What the word at p is: one that may follow a name inside an expression or a definition is none that follows an
 * item's first word. */
static unsigned word_kind(const char *p) {
  static const char *const joins[] = {"then", "else", "and", "or", "when", "is", "over", "opaque", "batch"};
  size_t n = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  for (size_t i = 0; i < sizeof joins / sizeof *joins; i++)
    if (strlen(joins[i]) == n && !memcmp(joins[i], p, n)) return 0;
  return n == 2 && !memcmp(p, "in", 2) ? THEN_IN : THEN_WORD;
}

/* A tensor of a graph, which stands before it. */
static bool is_tensor(const Syntax *s, Span at) { return at.lo > 0 && s->text[at.lo - 1] == '.'; }

/* `size` is a name wherever an item follows it. */
static bool is_before_item(const char *next) {
  static const char *const items[] = {"op",    "fn",     "lemma",    "mesh",   "graph",
                                      "given", "expect", "relation", "assume", "check"};
  size_t n = strspn(next, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  for (size_t i = 0; i < sizeof items / sizeof *items; i++)
    if (strlen(items[i]) == n && !memcmp(items[i], next, n)) return true;
  return false;
}

int syntax_soft(const Syntax *s, Span at) {
  const char *p = s->text + at.hi, *word = s->text + at.lo;
  for (size_t gap = 1; gap;) {
    gap = strspn(p, " \t\r\n");
    p += gap;
    if (p[0] == '/' && p[1] == '/') p += gap = strcspn(p, "\n");
  }
  bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
  bool digit = *p >= '0' && *p <= '9';
  unsigned next = letter ? word_kind(p) : *p == '{' ? THEN_BRACE : *p == '"' ? THEN_STRING : digit ? THEN_NUMBER : 0;
  if (*p == '(' && p > s->text + at.hi) next = THEN_PAREN; /* a call has no space there, */
  if (*p == '-' && p > s->text + at.hi && !strchr(" \t\r\n", p[1])) next = THEN_NUMBER; /* and a difference another */
  for (size_t i = 0; i < sizeof soft / sizeof *soft && !is_tensor(s, at); i++)
    if (strlen(soft[i].text) == at.hi - at.lo && !memcmp(soft[i].text, word, at.hi - at.lo))
      return soft[i].then & next && !(soft[i].token == TOK_SIZE && is_before_item(p)) ? soft[i].token : 0;
  return 0;
}

void syntax_stray(Syntax *s, Span at) {
  static const struct {
    const char *text, *hint;
  } strays[] = {
    {"&&", "write `and`"},
    {"||", "write `or`"},
    {"!", "write `not`"},
    {"**", "a power is written `^`; a product with a group needs a space: `a * *b`"},
    {"#", "a comment begins with `//`"},
    {"?", "write `if p then a else b`"},
  };
  const char *p = s->text + at.lo;
  size_t n = at.hi - at.lo;
  if (*p == '"') diag_error(s->ast.diags, at, E_SYNTAX, "a string is not closed on its line");
  else if ((unsigned char)*p < 32 || (unsigned char)*p == 127)
    diag_error(s->ast.diags, at, E_SYNTAX, "a control character stands outside comments and strings");
  else diag_error(s->ast.diags, at, E_SYNTAX, "`%.*s` is not part of the language", (int)(n > 40 ? 40 : n), p);
  if (*p == '\'') diag_hint(s->ast.diags, "a string stands between double quotes");
  for (size_t i = 0; i < sizeof strays / sizeof *strays; i++)
    if (strlen(strays[i].text) == n && !memcmp(strays[i].text, p, n)) diag_hint(s->ast.diags, "%s", strays[i].hint);
}

/* Length of the UTF-8 sequence at p, at most n bytes; 0 if it is malformed (RFC 3629). */
static size_t sequence(const unsigned char *p, size_t n) {
  if (*p < 0x80) return *p ? 1 : 0;
  size_t len = *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : 2;
  if (*p < 0xc2 || *p > 0xf4 || len > n) return 0;
  for (size_t i = 1; i < len; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f)) return 0;
  if ((*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f)) return 0;
  return len;
}

bool lang_is_text(Diags *d, uint32_t source) {
  const Source *src = sources_get(diags_sources(d), source);
  const unsigned char *p = (const unsigned char *)src->text;
  for (size_t i = 0, n; i < src->len; i += n)
    if (*(p + i) - 1u < 0x7f) n = 1;
    else if (!(n = sequence(p + i, src->len - i)))
      return diag_error(d, (Span){source, (uint32_t)i, (uint32_t)i + 1}, E_ENCODING,
                        p[i] ? "a byte that is not UTF-8 (0x%02x)" : "a NUL byte (0x%02x)", p[i]);
  return true;
}

/* The bytes from lo to hi, which are text. */
static AstFile *parse(Arena *arena, Diags *diags, uint32_t source, size_t lo, size_t hi) {
  Arena lists = {0};
  Syntax s = {.ast = {arena, &lists, diags, false}, .source = source};
  s.file = ast_file(&s.ast, source, NULL);
  s.text = sources_get(diags_sources(diags), source)->text;
  s.at = (uint32_t)lo;
  yyscan_t scanner;
  lang_yylex_init_extra(&s, &scanner);
  lang_yy_scan_bytes(s.text + lo, (int)(hi - lo), scanner);
  lang_yyparse(&s, scanner);
  lang_yylex_destroy(scanner);
  ast_comments(&s.ast, s.file, s.comments);
  arena_free(&lists);
  return s.file;
}

AstFile *lang_parse(Arena *arena, Diags *diags, uint32_t source) {
  const Source *src = sources_get(diags_sources(diags), source);
  size_t skip = src->len >= 3 && !memcmp(src->text, "\xef\xbb\xbf", 3) ? 3 : 0; /* a byte order mark */
  if (src->len > LONGEST_FILE)
    diag_error(diags, (Span){source, 0, 0}, E_LIMIT, "a file of more than %d MiB", LONGEST_FILE >> 20);
  else if (lang_is_text(diags, source)) return parse(arena, diags, source, skip, src->len);
  Arena lists = {0};
  return ast_file(&(Ast){arena, &lists, diags, false}, source, NULL);
}

AstFile *lang_parse_part(Arena *arena, Diags *diags, uint32_t source, Span part) {
  return parse(arena, diags, source, part.lo, part.hi);
}
