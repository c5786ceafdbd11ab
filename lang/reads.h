/* Reads: which attributes of a node a definition takes account of.  One that is neither read nor declared may mean
 * anything: the definition is not that of the node. */
#ifndef TVR_READS_H
#define TVR_READS_H
#include "lang/ast.h"

/* The definition declares the attribute (as `_name` where it makes no difference), or names it somewhere. */
bool op_reads(const AstOp *op, Sym name);
/* It is of the node rather than of its operator, or read by every collective. */
bool attr_is_common(Sym name);
#endif
