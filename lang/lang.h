/* The language layer's interface: text to tree, tree to canonical text, and the checks that need no graph. */
#ifndef TVR_LANG_H
#define TVR_LANG_H
#include "lang/ast.h"

/* The tree of a text; it and everything in it live in `arena`.  Never NULL: what could not be parsed is reported and
 * left out, so a tree is complete only if diag_errors did not grow. */
AstFile *lang_parse(Arena *arena, Diags *diags, uint32_t source);

/* The same of a part of a text that is known to be one: whole items, from part.lo to part.hi. */
AstFile *lang_parse_part(Arena *arena, Diags *diags, uint32_t source, Span part);

/* Is the source UTF-8 without NUL bytes?  Reports the first byte that is not. */
bool lang_is_text(Diags *d, uint32_t source);

/* Canonical text of a file that was parsed without errors, in `arena`.  Comments stay.  Parsing it gives an equal tree,
 * formatting it again the same text. */
char *lang_format(Arena *arena, const AstFile *file, const Sources *sources);

/* Checks names, kinds and definitions of a file by itself; reports errors and warnings.  `libraries` are files whose
 * operators and functions are known too (the standard library).  True if there was no error. */
bool lang_check(const AstFile *file, const AstFile *const *libraries, uint32_t n_libraries, Diags *diags);
#endif
