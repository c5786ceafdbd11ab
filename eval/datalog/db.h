/* State of the engine, shared by its files and nobody else.
 *
 * An *epoch* is one iteration or one top-level action; rows carry the epoch they were appended in by position
 * (table.h). During an epoch new rows of constructors and relations are appended at once (nobody matches them before
 * the next), while sets, deletions and subsumptions are gathered in their tables and merged at its end (action.h). */
#ifndef TVR_DATALOG_DB_H
#define TVR_DATALOG_DB_H
#include "eval/datalog/container.h"
#include "eval/datalog/datalog.h"
#include "eval/datalog/table.h"
#include "eval/datalog/undo.h"
#include "eval/datalog/uf.h"

/* What primitives may do with tables where they are called. */
typedef enum Context { CONTEXT_PURE, CONTEXT_READ, CONTEXT_WRITE, CONTEXT_FULL } Context;

typedef struct Rule {
  IrRule ir;
  uint32_t last;         /* epoch in which it last ran; 0: never */
  struct Plan **plans;   /* per focus atom, and one without focus; made when first needed */
  uint64_t whole;        /* rows looked at when all matches, and not only new ones, were last looked for */
  uint64_t matches, visited; /* matches found, rows looked at for them */
  uint64_t made, merged;     /* rows added and unions made by its actions */
  double seconds;
} Rule;

typedef struct Ruleset {
  Sym name;
  bool combined;
  Vec(RuleId) rules;
  Vec(Sym) members;
} Ruleset;

typedef struct Global {
  SortId sort;
  Val value;
  Val seen;          /* its representative when a rule last looked, and */
  uint32_t moved_at; /* the epoch in which that was found to be another than before */
} Global;

/* Who is acting: a match, a primitive called by one, a merge, a top-level action. */
typedef enum ActingBy { BY_MATCH, BY_CALL, BY_MERGE, BY_ACTION } ActingBy;

/* Records [first, end) are of the matches of one iteration, which began after so many unions of classes. */
typedef struct ReasonTime {
  uint32_t first, end, unions;
} ReasonTime;

struct Db {
  Arena arena; /* declarations */
  Values values;
  Uf classes;
  Boxes boxes;
  Vec(Sort) sorts;
  Vec(Table *) tables;
  Vec(TableSpec) specs;
  Vec(Prim) prims;
  Vec(uint32_t) prim_of_sym; /* by Sym: first overload + 1 */
  Vec(FnTarget) targets;
  Vec(Rule *) rules;
  Vec(Ruleset *) rulesets;
  Vec(Global) globals;
  Vec(Table *) touched;      /* tables with something gathered */
  Vec(uint32_t) reasons;     /* reason.h */
  Vec(ReasonTime) times;
  bool no_reasons;           /* none are recorded: to measure what they cost */
  Undo undo;
  uint32_t epoch;
  size_t rebuilt_classes, rebuilt_boxes; /* unions up to here have been propagated */
  bool changed;              /* a row was added or changed, or a union made, in this epoch */
  bool naive;
  Context context;
  bool searched;             /* a rule has been matched in this epoch: the next action needs a new one */
  bool acting;               /* a top-level action: deletions see its own rows */
  struct {
    uint32_t reason;         /* of what is being done; 0: not recorded yet */
    RuleId rule;             /* or IR_NONE: a top-level action */
    ActingBy by;
    uint32_t op;             /* BY_CALL: of the block */
    const Val *regs;
    uint32_t n_regs;
    Span at;
  } now;
  uint64_t version;          /* grows with every change of data */
  Vec(Extraction *) extractions; /* one for each cost model asked for */
  Vec(struct RowNote) row_notes; /* rows that came and went since there are any */
  struct Claims *claims;     /* kept while these stay: version, numbers of reasons, classes, containers */
  uint64_t claimed[4];
  DbLimits limits;
  double started;
  uint64_t checked_at;       /* version + 1 at the latest full look at the limits */
  uint32_t unchecked;        /* glances since then */
  uint64_t n_matches, n_iterations;
  struct {
    bool (*show)(void *ctx, const DbProgress *p); /* NULL: nobody watches */
    void *ctx;
    double shown_at;
  } progress;
  bool limit_reached;
  bool failed;
  Span failed_at;
  char *error;
  const char *hint;
};

static inline const Sort *sort_of(const Db *db, SortId s) { return &db->sorts.at[s]; }

/* Representative of a value of sort s. */
static inline Val canon(Db *db, SortId s, Val v) {
  const Sort *so = &db->sorts.at[s];
  if (!so->is_id) return v;
  return uf_find(so->kind == SORT_EQ ? &db->classes : &db->boxes.uf, v);
}
#endif
