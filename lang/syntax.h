/* State shared by the scanner and the parser of one file. */
#ifndef TVR_SYNTAX_H
#define TVR_SYNTAX_H
#include "lang/ast.h"

typedef struct Syntax {
  Ast ast;
  uint32_t source, at; /* at: offset of the next byte to scan */
  const char *text;
  AstList *comments; /* of Span */
  AstFile *file;     /* the result */
} Syntax;

/* The text under a span as a symbol. */
Sym syntax_sym(const Syntax *s, Span at);
/* What the quotes of a string enclose; `\"` and `\\` are the escapes. */
Sym syntax_string(Syntax *s, Span at);
/* A decimal number; reports one that cannot be read and returns 0. */
Rat syntax_number(Syntax *s, Span at);
/* A word that begins an item of the Datalog layer, and is a name elsewhere: its token if what follows it can only
 * follow an item's first word, else 0. */
int syntax_soft(const Syntax *s, Span at);
/* A byte no token starts with, or a string without its end. */
void syntax_stray(Syntax *s, Span at);
void syntax_comment(Syntax *s, Span at);
/* The place right after the last thing that is no white space. */
void syntax_end(const Syntax *s, Span *at);
#endif
