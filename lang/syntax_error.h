/* What to tell the user where the parser is stuck. */
#ifndef TVR_SYNTAX_ERROR_H
#define TVR_SYNTAX_ERROR_H
#include "lang/syntax.h"

/* Reports the token `found` at a place where only `expected` can follow (names of tokens as in the grammar). */
void syntax_error_report(Syntax *s, Span at, const char *found, const char *const *expected, uint32_t n);
#endif
