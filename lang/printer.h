/* Inside of lang_format: a line being written, and the places where it may be broken.  print.c and print_rules.c. */
#ifndef TVR_PRINTER_H
#define TVR_PRINTER_H
#include "lang/ast.h"
#include "lang/base/vec.h"

typedef struct Break {
  size_t at; /* offset of a space in the line */
  uint32_t level;
  bool outdent; /* what follows closes what the line opened */
  bool fill;    /* taken only if what follows does not fit on the line */
  bool always;  /* taken even if the line is short */
} Break;

typedef struct Printer {
  const char *source;
  uint32_t base;  /* added to every level: items inside an item */
  Vec(char) line; /* the item, on one line */
  Vec(Break) breaks;
  Vec(char) out;
} Printer;

/* Levels of breaks outside expressions; inside they begin at IN_BODY. */
enum { AT_BODY, AT_RESULT, AT_PARAM, IN_BODY };

void print_text(Printer *p, const char *s);
void print_sym(Printer *p, Sym s);
void print_string(Printer *p, Sym s);
/* A space where the line may be broken; where it may be broken if what follows does not fit. */
void print_break(Printer *p, uint32_t level);
void print_fill(Printer *p, uint32_t level);
/* An expression that stands by itself. */
void print_whole(Printer *p, const AstExpr *e);
/* An item on the line. */
void print_one(Printer *p, const AstItem *it);
/* print_rules.c: what follows the first word of an item of the Datalog layer. */
void print_clause(Printer *p, const AstItem *it);
#endif
