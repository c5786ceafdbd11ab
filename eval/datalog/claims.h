/* Claims: the records of reason.h read back as what was made: `this row, with these columns at that time, by that
 * operation`.  Made when something is to be explained.
 *
 * An id stands for the first term it was given, its *origin*: the constructor row that made it.  Every other row with
 * that id as output, and every union, is an equation.  Two ids were equal after the first k unions if the roots reached
 * through the first k entries of the log are one; the unions between them are then among these k.  So a claim that
 * fits a row at some time depends on nothing that came later, and explanations cannot be circular. */
#ifndef TVR_DATALOG_CLAIMS_H
#define TVR_DATALOG_CLAIMS_H
#include "eval/datalog/db.h"

typedef struct Claim {
  uint32_t table;
  uint32_t record; /* reason */
  uint32_t op;     /* of the match's block; IR_NONE: a record of its own */
  uint32_t cols;   /* in the pool */
  uint32_t next;   /* claim of the same row, as rows are now; + 1 */
  bool made;       /* the operation appended the row, and did not find it */
} Claim;

/* When something held: after so many unions of classes and of containers; rows of records below `records`, and those
 * made as they stand by records in [records, here). */
typedef struct ClaimTime {
  uint32_t unions, boxes, records, here;
} ClaimTime;

typedef struct Claims {
  Db *db;
  Vec(Claim) all;
  size_t n_read; /* the first so many in the order of their records */
  Vec(Val) pool;
  uint32_t *first, *last; /* by hash of a row's inputs as they are now: claim + 1, oldest first */
  uint32_t mask;
  uint32_t *origin;            /* by class: claim + 1 */
  uint32_t *up_class, *up_box; /* by id: uf_edges */
} Claims;

/* Those of the database as it stands; valid until it changes. */
Claims *claims_get(Db *db);
void claims_free(Claims *c);
static inline const Val *claim_cols(const Claims *c, uint32_t claim) { return c->pool.at + c->all.at[claim].cols; }
/* The claim that made the id; IR_NONE if it is not recorded. */
uint32_t claims_origin(const Claims *c, Val class_id);
/* A claim of the row that held at that time: as it stands if possible, else the oldest; IR_NONE if there is none. */
uint32_t claims_find(const Claims *c, uint32_t table, const Val *cols, ClaimTime t);
/* The claim of a record's operation; IR_NONE if it has none. */
uint32_t claims_of(const Claims *c, uint32_t record, uint32_t op);
/* Were two values of the sort equal then? */
bool claims_equal(const Claims *c, SortId s, Val a, Val b, ClaimTime t);
/* When the query of a match held; when its operations ran; now; after some unions, before a record. */
ClaimTime claims_query_time(const Claims *c, uint32_t record);
ClaimTime claims_match_time(const Claims *c, uint32_t record);
ClaimTime claims_now(const Claims *c);
ClaimTime claims_time(const Claims *c, uint32_t unions, uint32_t records);
#endif
