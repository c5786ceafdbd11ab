/* Explain: what a value is: its term over indices, its place in the source, its counterpart in the other graph. */
#ifndef TVR_EXPLAIN_H
#define TVR_EXPLAIN_H
#include "eval/prove/prove.h"

typedef struct ExplainAt {
  Side side;
  NodeId node;
} ExplainAt;

/* A node by "dist.NAME", "seq.NAME", by NAME alone if only one graph has it, or by "dist.#12", its number.  Of several
 * nodes of one name (unrolled loops) the first.  An input or output may have its name in the relation.  false after a
 * report. */
bool explain_find(const Problem *p, const char *text, ExplainAt *out, Diags *diags);
/* Each value; of two also whether they are equal, and if not, where their terms differ. */
void explain_print(Proof *proof, const ExplainAt *at, uint32_t n, FILE *out);
void explain_values_json(Proof *proof, const ExplainAt *at, uint32_t n, FILE *out);
#endif
