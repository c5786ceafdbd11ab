/* Column samples: what the planner knows about the values of a column and how two columns meet.
 *
 * Up to SAMPLE_ROWS rows, evenly spread, as sorted (value, count) pairs; taken again when the table has grown or shrunk
 * by half.  Joining two samples estimates how many rows of one column a value drawn from the other meets, which a
 * number of distinct values cannot tell when a few values are crowded (Olken and Rotem's sampling of joins). */
#ifndef TVR_DATALOG_SAMPLE_H
#define TVR_DATALOG_SAMPLE_H
#include "eval/datalog/value.h"

enum { SAMPLE_ROWS = 512, SAMPLE_KEPT = 8 };

typedef struct Sample {
  uint32_t n, k;     /* rows, distinct values */
  uint32_t taken_at; /* rows the table had */
  uint32_t version;  /* how often it was taken */
  struct SampleMeet { /* latest results of joining it with columns of tables; version 0: none */
    uint32_t table, col, version, with_version;
    double pairs;
  } kept[SAMPLE_KEPT];
  struct SampleEntry {
    Val value;
    uint32_t count;
  } *at;
} Sample;

struct Table;

/* Expected rows of t with, in `col`, a value drawn from column `from_col` of `from`. */
double sample_meet(struct Table *t, uint32_t col, struct Table *from, uint32_t from_col);
/* Rows of t with this value. */
double sample_count(struct Table *t, uint32_t col, Val value);
/* Rows of t with a value drawn from its own rows. */
double sample_crowd(struct Table *t, uint32_t col);
#endif
