/* Text of terms and tables as egglog writes them. */
#ifndef TVR_PROGRAM_PRINT_H
#define TVR_PROGRAM_PRINT_H
#include "eval/program/names.h"

/* Writes a term, however deep; what is larger than PRINT_MOST terms does not end in reasonable time. */
#define PRINT_MOST (1ull << 32)
void print_term(Program *e, Term *t, FILE *out);
/* The same as a dag: calls of calls that occur several times are named once, by a line `let` each before the term. */
void print_dag(Program *e, Term *t, FILE *out);
/* The same into memory; release with free. */
char *print_term_text(Program *e, Term *t);
/* False if a term was too large: what has been written stops before its row's end. */
bool print_table(Program *e, TableId t, uint64_t most, bool csv, FILE *out);
/* The rows as lines of fields, strings as they are; NULL if a field would need quotes, and the separator is a tab.
 * Release with free. */
char *print_rows_text(Program *e, TableId t, char separator);
void print_sizes(Program *e, FILE *out);
#endif
