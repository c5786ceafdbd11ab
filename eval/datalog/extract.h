/* Extraction: the cheapest term of every class.
 *
 * Cost of a term: a constructor's own cost plus its arguments; a base value 1; a container the sum of its elements;
 * sums saturate.  Computed for all classes at once by passes over the rows until nothing gets cheaper, and kept until
 * the data change.  A row replaces another only if strictly cheaper, so chosen rows never form a cycle. Terms are
 * built on demand and shared. */
#ifndef TVR_DATALOG_EXTRACT_H
#define TVR_DATALOG_EXTRACT_H
#include "eval/datalog/datalog.h"

void extraction_free(Extraction *x);
#endif
