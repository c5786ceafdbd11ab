/* A Datalog evaluator with congruence that is obviously right and hopelessly slow: rows in one array, matching by nested
 * loops over all of them, rebuilding by starting over.  What the engine computes must have the same sizes. */
#ifndef TVR_NAIVE_H
#define TVR_NAIVE_H
#include <stdbool.h>
#include <stdint.h>

/* Tables of every program: constructors N(i64), F(V), G(V, V), P(Vec of two V), S(Set of one or two V); relations R(V),
 * E(V, V); function c(V) -> i64.  Here a vec or set is its two elements, a set's in order; an atom over S has only the
 * output. */
enum { N, F, G, R, E, C, P, S, N_TABLES, N_PLAIN = P };
enum { N_VARS = 6, N_ROWS = 400 }; /* variables 0..3 are of sort V, 4 and 5 of sort i64 */
typedef enum { MERGE_MIN, MERGE_MAX, MERGE_SUM } Merge;
typedef enum {
  ACT_UNION, ACT_ROW, ACT_UNION_ROW, ACT_SET, ACT_DELETE, ACT_SUBSUME,
  ACT_NESTED_ROW,  /* (table (G arg[0] arg[1])): R or F */
  ACT_NESTED_UNION /* (union (F (G arg[0] arg[1])) arg[2]) */
} ActionKind;

/* Columns of a table, inputs then output; relations have no output. */
extern const int n_inputs[N_TABLES];
extern const bool has_output[N_TABLES];

typedef struct {
  int table, arg[3]; /* variables */
} Atom;
typedef struct {
  ActionKind kind;
  int table, arg[3]; /* variables; ACT_UNION: arg[0], arg[1]; ACT_UNION_ROW: row of arg[0..], united with arg[2] */
  int plus;          /* N and ACT_SET: the integer is variable + plus, or `plus` alone if the variable is -1 */
} Action;
typedef struct {
  Atom atom[4];
  int n_atoms;
  int differ[2]; /* two variables that must differ, or -1 */
  Action action[2];
  int n_actions, last;
} Rule;
typedef struct {
  int table, value[3], stamp;
  bool dead, subsumed;
} Row;
typedef struct {
  Rule rule[5];
  int n_rules;
  Merge merge;
  unsigned dense; /* not 0: begins with more rows of E, which depend on it */
  Row row[N_ROWS];
  int n_rows, parent[4 * N_ROWS], n_ids, epoch;
  bool full; /* too large: give up */
} RandomProgram;

/* One iteration of all rules. */
void naive_run(RandomProgram *p);
/* Adds a row as a top-level action would; returns its output. */
int naive_make(RandomProgram *p, int table, const int *in);
int naive_size(const RandomProgram *p, int table);
/* The representative of an id; the live row with these inputs, NULL if there is none; what the merge makes of two values. */
int naive_find(const RandomProgram *p, int id);
const Row *naive_row(const RandomProgram *p, int table, const int *in);
int naive_merged(const RandomProgram *p, int old, int new);
/* The integer of an action's N or SET, given the values of the variables. */
int naive_integer(const Action *a, const int *var);
/* Sum of the values of c. */
long naive_sum(const RandomProgram *p);
#endif
