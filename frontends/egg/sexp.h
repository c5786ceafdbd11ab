/* S-expressions of an .egg file: the reader.  Iterative, so nesting is bounded by a diagnostic and not by the stack. */
#ifndef TVR_EGG_SEXP_H
#define TVR_EGG_SEXP_H
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

/* All forms of a source, as one list; NULL after errors. */
const Sexp *sexp_read(Arena *arena, Diags *diags, uint32_t source);
static inline bool sexp_is_list(const Sexp *s) { return s->kind == SEXP_LIST; }
/* The symbol a list starts with, or 0. */
static inline Sym sexp_head(const Sexp *s) {
  return s->kind == SEXP_LIST && s->n && s->item[0].kind == SEXP_SYMBOL ? s->item[0].sym : 0;
}
/* The form's text with white space and comments normalised, as a symbol. */
Sym sexp_text(const Sexp *s, const Sources *sources);
#endif
