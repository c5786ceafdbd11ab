/* Extraction: the cheapest term of every class.
 *
 * Cost of a term: a constructor's own cost plus its arguments; a base value 1; a container the sum of its elements;
 * sums saturate.  Costs of all classes are found at once, cheapest first (Knuth's generalisation of Dijkstra's
 * algorithm to grammars): a row is priced once all its arguments are, so every row is looked at once and the chosen
 * rows never form a cycle.  They are kept until the data change.  Terms (terms.c) are built on demand and shared. */
#ifndef TVR_DATALOG_EXTRACT_H
#define TVR_DATALOG_EXTRACT_H
#include "eval/datalog/db.h"

typedef struct Best {
  uint32_t table, row;
} Best;

struct Extraction {
  Db *db;
  Arena arena;
  uint64_t *cost; /* by class */
  Best *best;     /* by class */
  Term **class_term, **box_term;
  size_t n_classes, n_boxes;
};

/* Cost of a value, or of a row as a term; COST_NONE if it has no term. */
uint64_t extract_value_cost(Extraction *x, SortId s, Val v);
uint64_t extract_row_cost(Extraction *x, const Table *t, const Val *row);
/* May the table's rows be used in terms? */
bool extract_usable(const Table *t);
void extraction_free(Extraction *x);
#endif
