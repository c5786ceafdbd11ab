/* S-expressions: the tree of a program, whichever syntax it was written in.  Both front ends make it, with the spans of
 * their own text: frontends/egg reads it as it stands, eval/rules writes the items of a .tvr file this way. */
#ifndef TVR_PROGRAM_SEXP_H
#define TVR_PROGRAM_SEXP_H
#include "lang/base/arena.h"
#include "lang/base/diag.h"
#include "lang/base/intern.h"

typedef enum SexpKind { SEXP_LIST, SEXP_SYMBOL, SEXP_STRING, SEXP_INT, SEXP_FLOAT, SEXP_BOOL } SexpKind;

typedef struct Sexp Sexp;
struct Sexp {
  SexpKind kind;
  Span at;
  union {
    Sym sym; /* symbols; strings, unescaped */
    int64_t i;
    double f;
    bool b;
    struct {
      uint32_t n;
      Sexp *item;
    };
  };
};

/* What is nested deeper is refused: checking and lowering recurse over expressions, on a stack made for this depth. */
#define SEXP_MAX_DEPTH 50000

static inline bool sexp_is_list(const Sexp *s) { return s->kind == SEXP_LIST; }
/* The symbol a list starts with, or 0. */
static inline Sym sexp_head(const Sexp *s) {
  return s->kind == SEXP_LIST && s->n && s->item[0].kind == SEXP_SYMBOL ? s->item[0].sym : 0;
}
/* Length of the white space character at p, 0 if it is none: ASCII and the Unicode ones. */
uint32_t sexp_space(const char *p);
/* The form's text with white space and comments normalised, as a symbol. */
Sym sexp_text(const Sexp *s, const Sources *sources);
#endif
