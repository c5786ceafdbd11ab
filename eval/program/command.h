/* Commands of an .egg file, checked and run one at a time.  Declarations in declare.c, the rest in command.c. */
#ifndef TVR_PROGRAM_COMMAND_H
#define TVR_PROGRAM_COMMAND_H
#include "eval/program/lower.h"

/* RESULT_BAD: rejected before it ran; RESULT_FAILED: it ran and failed.  Both have been reported, the second through
 * the database's error, which the caller turns into a diagnostic or swallows. */
typedef enum Result { RESULT_OK, RESULT_BAD, RESULT_FAILED } Result;

typedef Result CommandFn(Program *e, const Sexp *x);
CommandFn declare_sort, declare_datatype, declare_datatypes, declare_constructor, declare_function, declare_relation;
CommandFn declare_costs, declare_ruleset, declare_combined, declare_rule, declare_rewrite, declare_birewrite;

CommandFn command_input, command_output, schedule_times, schedule_whole;

/* Lowers the facts items[from..to) of x; the block lives until lower_free. */
bool command_facts(Lower *l, const Sexp *x, uint32_t from, uint32_t to, IrBlock *out);

Result command_execute(Program *e, const Sexp *x);
/* The same, and reports what failed. */
Result command_do(Program *e, const Sexp *x);
/* Runs the commands of a source in order. */
Result command_source(Program *e, uint32_t source);
/* A run-time failure with the command's place, and what to do about it; NULL: nothing is known. */
Result command_failed(Program *e, const Sexp *x, const char *why, const char *hint);

/* Options after the fixed part of a command: `:name value*`.  The values of one, NULL if absent. */
typedef struct Option {
  Sym name;
  const Sexp *at, *values;
  uint32_t n;
} Option;
typedef struct Options {
  Option at[12];
  uint32_t n;
} Options;
/* Reads options from item `from` on; each must be in the NULL-terminated list `known`, "name/least number of values". */
bool options_read(Program *e, const Sexp *x, uint32_t from, const char *const *known, Options *out);
const Option *option_find(const Options *o, const char *name);
bool option_uint(Program *e, const Sexp *x, uint64_t *out);
/* First item of x at or after `from` that is an option, or x->n. */
uint32_t options_start(const Sexp *x, uint32_t from);
#endif
