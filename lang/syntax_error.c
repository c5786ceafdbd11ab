/* Messages of the parser: "expected `)` or an operator, found `=`", and a hint for the usual mistakes.
 *
 * The grammar knows every token that could follow.  Sets of them that belong together are said in one word (an
 * expression, an operator, an item), else lists would be long. */
#include "lang/syntax_error.h"

#include <ctype.h>
#include <string.h>

#include "lang/nearest.h"

typedef struct Expected {
  const char *const *at;
  uint32_t n;
} Expected;

typedef const char *const *Words; /* ends with NULL */

static const char *const items[] = {
  "op",       "fn",      "lemma",  "mesh",  "graph",   "given",   "expect", "relation", "assume", "size",      "check",
  "sort",     "datatype", "constructor", "function", "ruleset", "rule",   "rewrite",  "do",          "let",
  "run",      "fail",    "prove",  "extract", "print", "input",   "output", "include",  "push",        "template",
  "private",  "costs",
  "the end of the file", NULL};
static const char *const comparisons[] = {"==", "!=", "'<'", "<=", "'>'", ">=", "is", NULL};
/* Also what may continue an operand: `x[`, `f(`, `g.x`, `*n @`. */
static const char *const operators[] = {"'+'", "'-'", "'*'", "'/'", "'%'", "'^'", "==",  "!=",  "'<'", "<=", "'>'",
                                        ">=",  "is",  "and", "or",  "'['", "'('", "'.'", "'@'", NULL};
static const char *const starts[] = {"a name", "a number", "a string", "'('", "'['", "'-'",    "'*'",   "if",      "let",
                                     "sum",    "max",      "min",      "all", "inf", "not", "opaque", "batch", "devices",
                                     "a name of a module", NULL};
static const char *const names[] = {"opaque", "batch", "devices", "a name of a module", NULL};
static const char *const closers[] = {"')'", "']'", "'}'", NULL};

static bool among(Words words, const char *word) {
  for (; *words; words++)
    if (!strcmp(*words, word)) return true;
  return false;
}

static bool expects(Expected e, const char *word) {
  for (uint32_t i = 0; i < e.n; i++)
    if (!strcmp(e.at[i], word)) return true;
  return false;
}

/* A token as shown: `word`, or a description as it is. */
static const char *shown(Syntax *s, const char *name) {
  if (strchr(name, ' ')) return name;
  size_t n = strlen(name);
  bool quoted = n == 3 && name[0] == '\'';
  return arena_printf(s->ast.arena, "`%.*s`", (int)(quoted ? 1 : n), quoted ? name + 1 : name);
}

/* "an expression, `)` or `,`"; empty when there would be too much to say. */
static const char *list(Syntax *s, Expected e) {
  bool expression = expects(e, "a number") && expects(e, "if"), operator = expects(e, "'+'") && !expression;
  bool item = expects(e, "lemma") && expects(e, "the end of the file"), name = expects(e, "a name");
  const char *said[8];
  uint32_t n = 0;
  if (expression) said[n++] = "an expression";
  if (operator) said[n++] = "an operator";
  for (uint32_t i = 0; i < e.n; i++) {
    const char *w = e.at[i];
    if ((expression && among(starts, w)) || (operator && among(operators, w)) || (item && among(items, w)) ||
        (name && among(names, w)))
      continue;
    if (n == 6) return "";
    said[n++] = shown(s, w);
  }
  if (item) said[n++] = "the next item";
  const char *text = n ? said[0] : "";
  for (uint32_t i = 1; i < n; i++)
    text = arena_printf(s->ast.arena, "%s%s%s", text, i + 1 < n ? ", " : " or ", said[i]);
  return text;
}

/* The last byte before `at` that is not white space, or 0. */
static char before(const Syntax *s, uint32_t at) {
  while (at > 0 && isspace((unsigned char)s->text[at - 1])) at--;
  return at > 0 ? s->text[at - 1] : 0;
}

/* The word before the `(` whose `)` ends at `end`, as in `mean(i) x[i]`; empty if there is none. */
static const char *called_before(Syntax *s, uint32_t end) {
  uint32_t depth = 0, at = end;
  while (at > 0 && isspace((unsigned char)s->text[at - 1])) at--;
  for (; at > 0; at--) {
    depth += s->text[at - 1] == ')';
    depth -= s->text[at - 1] == '(';
    if (!depth) break;
  }
  uint32_t hi = at ? at - 1 : 0, lo = hi;
  while (lo > 0 && (isalnum((unsigned char)s->text[lo - 1]) || s->text[lo - 1] == '_')) lo--;
  return arena_strdup(s->ast.arena, s->text + lo, hi - lo);
}

/* Words of other languages, and those of this one. */
static const char *translated(Syntax *s, Span at, Expected e) {
  static const char *const words[][2] = {{"where", "when"}, {"if", "when"}, {"elif", "else if"}};
  for (uint32_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strlen(words[i][0]) == at.hi - at.lo && !memcmp(words[i][0], s->text + at.lo, at.hi - at.lo) &&
        expects(e, words[i][1]))
      return words[i][1];
  return NULL;
}

static const char *close_word(const Syntax *s, Span at, Expected e) {
  Nearest near = {.word = s->text + at.lo, .len = at.hi - at.lo};
  for (uint32_t i = 0; i < e.n; i++)
    if (isalpha((unsigned char)e.at[i][0]) && !strchr(e.at[i], ' ')) nearest_try(&near, e.at[i]);
  return near.best;
}

static void hint_reduction(Diags *d, const char *name) {
  bool extremal = !strcmp(name, "max") || !strcmp(name, "min");
  diag_hint(d, extremal ? "`%s(i) x[i]` runs over an index; that of two values is `%simum(x, y)`"
                        : "`%s(i) x[i]` runs over an index",
            name, name);
}

/* The word before `at`, if it is compared: the value of an attribute that is a word of the language as well. */
static const char *compared_before(Syntax *s, uint32_t at) {
  uint32_t hi = at, lo;
  while (hi > 0 && isspace((unsigned char)s->text[hi - 1])) hi--;
  for (lo = hi; lo > 0 && isalpha((unsigned char)s->text[lo - 1]);) lo--;
  if (before(s, lo) != '=' || lo == hi) return NULL;
  return arena_strdup(s->ast.arena, s->text + lo, hi - lo);
}

static void hint(Syntax *s, Span at, const char *found, Expected e) {
  Diags *d = s->ast.diags;
  char last = before(s, at.lo);
  bool word = !strcmp(found, "a name"), operand = isalnum((unsigned char)last) || (last && strchr(")]_", last));
  bool reserved = isalpha((unsigned char)found[0]) && !strchr(found, ' ');
  const char *near = word ? close_word(s, at, e) : NULL, *other = translated(s, at, e);
  bool reduction = last == ')' && expects(e, "a number") && !expects(e, "'+'");
  bool itself = near && strlen(near) == at.hi - at.lo && !memcmp(near, s->text + at.lo, at.hi - at.lo);
  const char *compared = expects(e, "'('") && e.n == 1 ? compared_before(s, at.lo) : NULL;
  if (compared) diag_hint(d, "`%s` is a word of the language: an attribute is compared with \"%s\"", compared, compared);
  else if (itself) diag_hint(d, "`%s` begins an item only where what belongs to it follows", near);
  else if (near || other) diag_hint(d, "did you mean `%s`?", near ? near : other);
  else if (!strcmp(found, "=>") && expects(e, "->"))
    diag_hint(d, "the result of an operator follows `->`");
  else if (!strcmp(found, "'='") && expects(e, "->"))
    diag_hint(d, "the dimensions of the result come first: `-> [i, j] = ..`");
  else if (!strcmp(found, "'='") && expects(e, "=="))
    diag_hint(d, "`==` compares, `=` defines");
  else if (among(comparisons, found) && expects(e, "'+'"))
    diag_hint(d, "comparisons do not chain: write `a <= b and b <= c`");
  else if (among(items, found) && !expects(e, "lemma")) {
    for (Words c = closers; *c; c++)
      if (expects(e, *c)) return diag_hint(d, "the item before it is not finished: a %s is missing", shown(s, *c));
    diag_hint(d, "the item before it is not finished");
  } else if (reserved && expects(e, "a name"))
    diag_hint(d, "`%s` is a word of the language; choose another name", found);
  else if (reduction || (!expects(e, "'+'") && expects(e, "a name") && expects(e, "'*'") && !expects(e, "'('")))
    hint_reduction(d, reduction ? called_before(s, at.lo) : "max");
  else if (!strcmp(found, "';'") && expects(e, "the end of the file"))
    diag_hint(d, "nothing stands between items");
  else if (!strcmp(found, "':'") && expects(e, "';'") && expects(e, "'['"))
    diag_hint(d, "attributes stand behind `;`: `(x[i]; n: int)`");
  else if (expects(e, "':'") && e.n == 1)
    diag_hint(d, "an attribute has a type: `n: int`");
  else if (!strcmp(found, "'|'") && expects(e, "a number"))
    diag_hint(d, "an absolute value is `abs(x)`");
  else if (last == ')' && word && expects(e, "'+'") && *called_before(s, at.lo))
    diag_hint(d, "is an operator missing? `sum`, `max`, `min` and `all` run over an index; `%s` does not",
              called_before(s, at.lo));
  else if (operand && expects(e, "'+'") && (word || !strcmp(found, "a number") || !strcmp(found, "'('")))
    diag_hint(d, "is an operator%s missing?", expects(e, "','") ? " or a `,`" : ", such as `*`,");
  else if (!strcmp(found, "->") && expects(e, "')'"))
    diag_hint(d, "a `)` is missing before it");
}

void syntax_error_report(Syntax *s, Span at, const char *found, const char *const *expected, uint32_t n) {
  Expected e = {expected, n};
  const char *all = list(s, e);
  const char *text = arena_strdup(s->ast.arena, s->text + at.lo, at.hi - at.lo);
  const char *what = at.hi == at.lo ? found
                                    : arena_printf(s->ast.arena, "`%.40s%s`", text, at.hi - at.lo > 40 ? ".." : "");
  if (*all) diag_error(s->ast.diags, at, E_SYNTAX, "expected %s, found %s", all, what);
  else diag_error(s->ast.diags, at, E_SYNTAX, "%s does not fit here", what);
  hint(s, at, found, e);
}
