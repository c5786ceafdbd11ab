/* A .tvr file with rules, run from beginning to end: what `tvr run` and `tvr lint` are. */
#ifndef TVR_SCRIPT_H
#define TVR_SCRIPT_H
#include "eval/rules/facts.h"

typedef struct Script {
  uint32_t n_files;
  const AstFile *const *files; /* parsed and checked, run one after another */
  uint32_t n_library;          /* so many of them are of the standard library: modules see their names */
  uint32_t n_graphs;
  const FactGraph *graphs;     /* with any, stdlib/graph.tvr is run first and filled with them */
  uint32_t n_pairs;
  const FactPair *pairs;       /* graphs that correspond: made rows only if a file asks for layouts */
  Library *library;
  /* Called at the end, when all went well; may be NULL. */
  void (*finish)(void *context, Program *e);
  FILE *rules; /* a table of all rules is printed here at the end; NULL: none */
  bool json;   /* .. as a list, in JSON */
  FILE *derived; /* the rules that follow from the operators are printed here, and nothing is run; NULL: not */
  void *context;
} Script;

/* The syntax of .tvr files; its context is a Rules. */
extern const Syntax rules_syntax;
/* Messages to `out`, errors to diags. */
ProgramResult script_run(const Script *s, Diags *diags, const ProgramOptions *options, FILE *out);
/* A file of the standard library by its name ("lint.tvr"), or NULL. */
const AstFile *script_library_file(const Library *library, const char *name, Diags *diags);
#endif
