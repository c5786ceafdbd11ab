/* Inside of the constructors of the tree: what ast.c and ast_rules.c share. */
#ifndef TVR_AST_MAKE_H
#define TVR_AST_MAKE_H
#include "lang/ast.h"

/* Pointers of the list in order; the array is the arena's. */
void *ast_pointers(Ast *a, AstList *l, uint32_t *n);
AstExpr *ast_leaf(Ast *a, Span at, AstKind kind);
/* The finished node, or an EX_ERROR where it would be too deep. */
AstExpr *ast_finish(Ast *a, AstExpr *e);
AstItem *ast_item(Ast *a, Span at, AstItemKind kind, const AstExpr *name);
#endif
