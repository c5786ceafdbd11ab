/* Extraction: the cheapest term of every class, under a cost model.
 *
 * A term costs what its constructor does plus its arguments; a base value 1; a container the sum of its elements; sums
 * saturate.  A *tree* counts a subterm as often as it occurs, a *dag* once (dag.c), *depth* takes the most expensive
 * argument alone.  What a constructor costs is said with it, or row by row in a table of its costs (db_costs).
 *
 * Trees: costs of all classes are found at once, cheapest first (Knuth's generalisation of Dijkstra's algorithm to
 * grammars): a row is priced once all its arguments are, so every row is looked at once and the chosen rows never form
 * a cycle (price.c).  Afterwards they are maintained (reprice.c): rows that come and go are noted, and only what
 * depends on them is priced again.  Terms (terms.c) are built on demand and shared. */
#ifndef TVR_DATALOG_EXTRACT_H
#define TVR_DATALOG_EXTRACT_H
#include "eval/datalog/db.h"

typedef struct Best {
  uint32_t table, row; /* table IR_NONE: none */
} Best;

/* A row that came back or went away since rows were last looked at; new ones are at the end of their table. */
typedef struct RowNote {
  uint32_t table, row;
  Val class; /* that it belonged to */
} RowNote;

/* A node in a list: of those that mention a class, of those of a class. */
typedef struct Link {
  uint32_t node, next; /* index + 1; 0: none */
} Link;

typedef struct KeptTerm {
  Term *term;
  uint32_t stamp; /* valid if it is that of the extraction */
} KeptTerm;

typedef struct DagSet DagSet;

/* When a class got its cost (tie.c): the sweep, and the row that gave it. */
typedef struct TieTime {
  uint32_t sweep, stamp; /* valid if it is that of the extraction */
  Best row;
} TieTime;

struct Extraction {
  Db *db;
  CostModel model;
  uint64_t version;  /* of the data that costs are right for */
  uint64_t *cost;    /* by class */
  Best *best;        /* by class */
  size_t n_classes, cap;
  Vec(TableId) costs; /* by table: of its rows in this model; IR_NONE: none */

  /* Rows that may be used, as nodes, and where they stand. */
  Vec(Best) nodes;
  uint32_t *first, *mentions; /* by class below n_first: mentions[first[c] .. first[c + 1]), latest node first */
  size_t n_first;
  uint32_t *more;             /* by class: mentions found later, in links */
  uint32_t *members;          /* by class: its nodes, in links; NULL until costs are maintained */
  Vec(Link) links;
  Vec(uint32_t) seen;         /* by table: rows looked at */
  Vec(uint32_t) generation;   /* by table: how its rows are numbered */
  size_t seen_notes, seen_unions;

  TieTime *settled;  /* by class below n_settled */
  size_t n_settled;
  Vec(uint32_t) order; /* by table: in which ties look at tables */
  SortId asked;        /* that the order is for, if it is one */
  DagSet *sets;      /* dag: by class */
  Arena arena;       /* of terms */
  KeptTerm *class_term, *box_term;
  size_t n_class_terms, n_box_terms;
  uint32_t stamp;
};

/* ---- extract.c ---- */

/* Cost of a value, or of a row as a term; COST_NONE if it has no term. */
uint64_t extract_value_cost(Extraction *x, SortId s, Val v);
uint64_t extract_row_cost(Extraction *x, const Table *t, uint32_t row);
/* What a row costs by itself, without its arguments. */
uint64_t extract_own_cost(const Extraction *x, const Table *t, const Val *row);
/* The same with all arguments but terms of classes. */
uint64_t extract_local_cost(Extraction *x, const Table *t, const Val *row);
uint64_t extract_plus(uint64_t a, uint64_t b);
/* May the table's rows be used in terms? */
bool extract_usable(const Table *t);
static inline bool extract_live(const Table *t, uint32_t r) {
  return r < t->n_rows && !(t->rows[(size_t)r * t->stride + t->n_cols] & (ROW_DEAD | ROW_SUBSUMED));
}
/* Calls `each` for every mention of a class in a value, or in a row. */
void extract_value_mentions(Db *db, SortId s, Val v, void (*each)(void *ctx, Val class), void *ctx);
void extract_mentions(Extraction *x, Best row, void (*each)(void *ctx, Val class), void *ctx);
/* Does everything the row mentions cost less than `most`? */
bool extract_all_below(Extraction *x, Best row, uint64_t most);
/* Is the node still a row that may be used? */
bool extract_node_live(const Extraction *x, uint32_t node);
/* Calls `each` for every node that mentions the class, and maybe some that do not any more. */
void extract_each_user(const Extraction *x, Val class, void (*each)(void *ctx, uint32_t node), void *ctx);
/* Adds a node to a list that begins at *head. */
void extract_link(Extraction *x, uint32_t *head, uint32_t node);
/* From now on the nodes of every class are at hand. */
void extract_add_members(Extraction *x);
/* Room for all classes there are now. */
void extract_grow(Extraction *x);
/* Forgets all extractions, and with them what was noted. */
void extract_forget(Db *db);

/* ---- how costs are found ---- */

/* Nodes, cheapest first, then those offered earlier: a list for each small cost, a heap for the others. */
typedef struct Candidate {
  uint64_t cost;
  uint32_t offered, node;
} Candidate;
typedef struct CandidateList {
  uint32_t first, last; /* index in links + 1 */
} CandidateList;
typedef struct Candidates {
  Vec(CandidateList) near; /* by cost */
  Vec(Link) links;
  size_t at;               /* no list before it has any */
  Vec(Candidate) heap;
  uint32_t n_offered;
} Candidates;
void candidates_push(Candidates *q, uint64_t cost, uint32_t node);
/* False if there is none. */
bool candidates_pop(Candidates *q, uint64_t *cost, uint32_t *node);
void candidates_free(Candidates *q);

/* From nothing. */
void price_all(Extraction *x);
/* From what they were when rows were last looked at; false if they have to be found from nothing. */
bool reprice(Extraction *x);
/* Of dags, from those of trees.  False if more would have to be kept than the limit. */
bool dag_price(Extraction *x, Extraction *tree);
void dag_free(Extraction *x);
uint64_t dag_row_cost(Extraction *x, const Table *t, uint32_t row);
/* The rows of the best dag of a value, or of a row's arguments, become `best` of their classes: dags of several values
 * may choose several rows for one class. */
void dag_choose(Extraction *x, SortId s, Val v, const Best *row);

/* ---- tie.c ---- */

/* Chooses among equally cheap rows of the classes a term of the value may consist of. */
void tie_settle(Extraction *x, SortId s, Val v);

/* ---- what the tables report ---- */

/* A row died, was hidden, or came back. */
void extract_note(Db *db, const Table *t, uint32_t row);
/* Rows from here on are known to no extraction. */
uint32_t extract_seen(const Db *db, const Table *t);
/* Rows from n on are about to be forgotten. */
void extract_note_truncate(Db *db, const Table *t, uint32_t n);
/* A pop is over. */
void extract_note_pop(Db *db);
#endif
