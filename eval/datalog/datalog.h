/* The Datalog engine: equality saturation over tables.  Opaque state, no globals; front ends build blocks of ir.h.
 *
 * Declarations return ids, dense from 0 in order of declaration.  Anything that runs returns false after an error of
 * the program (a failed check, a panic, a primitive that failed in an action, a limit); db_error tells which,
 * db_error_at where.  The state stays usable after an error. */
#ifndef TVR_DATALOG_H
#define TVR_DATALOG_H
#include <stdio.h>

#include "eval/datalog/ir.h"

typedef struct Db Db;
typedef struct Prim Prim;

Db *db_new(void);
void db_free(Db *db);
const char *db_error(const Db *db);
/* What to do about the error, or NULL. */
const char *db_hint(const Db *db);
Span db_error_at(const Db *db);
/* Makes the state usable again after an error that was expected. */
void db_clear_error(Db *db);
bool db_fail(Db *db, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Goes with the error just reported; `hint` is kept as it is.  False. */
bool db_advise(Db *db, const char *hint);

/* ---- declarations; names are the front end's business ---- */
SortId db_sort_eq(Db *db, Sym name);
/* A container sort; its primitives exist from now on.  SORT_FN: inputs, then output. */
SortId db_sort_container(Db *db, Sym name, SortKind kind, const SortId *args, uint32_t n);
const Sort *db_sort(const Db *db, SortId s);
uint32_t db_n_sorts(const Db *db);
TableId db_table(Db *db, const TableSpec *spec);
/* What the table takes and gives, for type checking. */
const TableSpec *db_table_spec(const Db *db, TableId t);
uint32_t db_n_tables(const Db *db);
RulesetId db_ruleset(Db *db, Sym name);
/* A ruleset that stands for others; members are looked up by name when it runs. */
RulesetId db_ruleset_combined(Db *db, Sym name, const Sym *members, uint32_t n);
RulesetId db_find_ruleset(const Db *db, Sym name);
/* False if the ruleset is a combined one or has a rule of that name. */
bool db_rule(Db *db, const IrRule *rule);
GlobalId db_global(Db *db, SortId sort, Val value);
Val db_global_value(Db *db, GlobalId g);
SortId db_global_sort(const Db *db, GlobalId g);

/* ---- primitives ---- */
#define SORT_ANY (UINT32_MAX - 1) /* in a signature: any one sort, the same everywhere */
struct Prim {
  Sym name;
  uint32_t n_in, n_repeat; /* the last n_repeat of `in` may occur any number of times; 0: fixed */
  const SortId *in;
  SortId out;
  SortId self;   /* container sort it belongs to */
  uint32_t data;
  bool (*fn)(Db *db, const Prim *p, const Val *arg, uint32_t n, Val *out);
  PrimId next;   /* next overload of this name, IR_NONE: last */
};
/* First overload of a name, or IR_NONE. */
PrimId db_prim_first(const Db *db, Sym name);
const Prim *db_prim(const Db *db, PrimId p);
/* Is the name that of a primitive, or of one that some container sort would bring? */
bool db_prim_reserved(const Db *db, Sym name);
/* The primitive that builds a function value of sort `fn` from the first `n_bound` arguments of a table or primitive. */
PrimId db_prim_function(Db *db, SortId fn, bool table, uint32_t op, uint32_t n_bound);
/* The primitive from a relation's columns to its term. */
PrimId db_prim_row(Db *db, TableId relation);

/* ---- running ---- */
/* A top-level action.  `out`, if not NULL, gets the block's result. */
bool db_act(Db *db, const IrBlock *block, Val *out);
/* Does the query have a match?  (Also when an error stopped it: see db_failed.) */
bool db_check(Db *db, const IrBlock *block, bool *holds);
/* The same; a match goes to regs[n_regs]. */
bool db_check_match(Db *db, const IrBlock *block, bool *holds, Val *regs);
bool db_run(Db *db, const IrSchedule *s);
/* Frees what running kept with it. */
void db_backoff_free(IrBackOff *b);
bool db_push(Db *db);
bool db_pop(Db *db);
void db_set_naive(Db *db, bool naive);
/* Without reasons nothing can be explained: for measuring what they cost. */
void db_set_reasons(Db *db, bool kept);
/* 0: none.  Matches, iterations and seconds are counted from this call on. */
typedef struct DbLimits {
  uint64_t rows, matches, bytes, iterations;
  uint64_t dag_entries; /* classes in all dags that are kept to find the best ones; 0: 2^24 */
  double seconds;
} DbLimits;
void db_set_limits(Db *db, const DbLimits *limits);
/* Where running rules are, told a few times a second; `show` returns false to stop them. */
typedef struct DbProgress {
  double seconds;
  uint64_t iteration, rows, matches;
  Sym rule; /* being matched; 0: none */
} DbProgress;
void db_on_progress(Db *db, bool (*show)(void *ctx, const DbProgress *p), void *ctx);
/* Was the latest error a limit? */
bool db_limit_reached(const Db *db);

/* A table of rules: matches.  `json`: the same as JSON. */
void db_print_stats(const Db *db, FILE *out, bool json);

/* What a rule has done so far; rules are numbered in order of declaration. */
typedef struct DbRuleStats {
  Sym name;
  Span at;
  uint64_t matches, rows, unions;
} DbRuleStats;
uint32_t db_n_rules(const Db *db);
DbRuleStats db_rule_stats(const Db *db, RuleId rule);

/* ---- reading ---- */
uint32_t db_size(const Db *db, TableId t);
/* Calls `row` for every live row (inputs, output) in order of age until it returns false. */
void db_rows(Db *db, TableId t, bool (*row)(void *ctx, const Val *cols), void *ctx);
/* Is the live row with these inputs subsumed? */
bool db_is_subsumed(const Db *db, TableId t, const Val *in);
Val db_canonical(Db *db, SortId s, Val v);
Val db_int(Db *db, int64_t x);
int64_t db_get_int(const Db *db, Val v);
Val db_float(Db *db, double x);
double db_get_float(const Db *db, Val v);
Rat db_get_rat(const Db *db, Val v);
/* Contents of a container: elements; maps: key, value ...; multisets: element, count ...; function values: bound
 * arguments. */
const Val *db_elements(const Db *db, SortId s, Val v, uint32_t *n);
/* Of a function value. */
Sym db_function_name(const Db *db, Val v, const SortId **bound);
/* Inserts a row (inputs and, for functions, the value) as an action at `at` would; call db_settle after the last. */
bool db_insert(Db *db, TableId t, const Val *cols, Span at);
/* The same for a term: finds or makes it, and returns it. */
Val db_make(Db *db, TableId constructor, const Val *in, Span at);
/* A vec of these elements. */
Val db_vec(Db *db, SortId sort, const Val *elements, uint32_t n);
bool db_settle(Db *db);

/* ---- extraction (extract.h explains) ---- */
#define COST_NONE UINT64_MAX
typedef struct Term Term;
struct Term {
  SortId sort;
  TableId table;    /* IR_NONE: a base value or container, in `value` */
  Val value;
  uint32_t n;
  Term **arg;
  uint64_t size;    /* of the tree: terms, each as often as it occurs; saturates */
  /* For printers: the text of a shared term, valid while `stamp` is that of the printing under way; how often it is
   * an argument, valid while `counted` is. */
  const char *text;
  uint32_t len, stamp, counted, uses;
};
typedef struct Extraction Extraction;
/* What a term costs: its constructor's cost and those of its arguments, summed up as a tree or as a dag, or the most
 * expensive argument alone. */
typedef enum CostKind { COST_TREE, COST_DAG, COST_DEPTH } CostKind;
typedef struct CostModel {
  CostKind kind;
  Sym costs;      /* name of the model that costs of single terms are set in; 0: the default one */
  bool has_other; /* what all other terms cost by themselves: this, or what their constructors say */
  uint64_t other;
} CostModel;
/* The table of the costs of a constructor's terms in a model, a function to i64; made when first asked for. */
TableId db_costs(Db *db, TableId constructor, Sym model);
/* Best terms of the database as it stands; valid until it changes.  NULL for the plain model.  Dags: NULL after an
 * error, a limit. */
Extraction *db_extract(Db *db, const CostModel *model);
/* Terms of these sorts will be asked for: which of several cheapest ones are chosen depends on that (tie.c). */
void extraction_ask_for(Extraction *x, const SortId *roots, uint32_t n);
/* NULL if the value has no term. */
Term *extraction_term(Extraction *x, SortId s, Val v);
/* The n cheapest rows of v's class with best arguments. */
uint32_t extraction_variants(Extraction *x, SortId s, Val v, uint64_t n, Term **out);
#endif
