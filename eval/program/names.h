/* State of one program being run, and its names: one name space for sorts, tables, rulesets and globals. */
#ifndef TVR_PROGRAM_NAMES_H
#define TVR_PROGRAM_NAMES_H
#include "eval/datalog/datalog.h"
#include "eval/program/program.h"
#include "eval/program/sexp.h"

typedef enum NameKind { NAME_NONE, NAME_SORT, NAME_TABLE, NAME_RULESET, NAME_GLOBAL, NAME_COSTS } NameKind;

typedef struct Name {
  uint8_t kind;
  bool shadows;    /* a global `$x` exists: `x` cannot be a variable */
  uint32_t id;
  uint32_t var;    /* variable of the scope under way, + 1 */
  uint32_t only_in; /* the source that alone may use it; 0: any */
  Span at;         /* where it is declared; source 0: built in */
} Name;

struct Program {
  Db *db;
  Diags *diags;
  const ProgramOptions *options;
  FILE *out;
  Arena arena;       /* what lasts as long as the program: parsed files */
  Arena scratch;     /* reset after every command */
  Vec(Name) names;   /* by Sym */
  Vec(Sym) declared; /* in order, for pop */
  Vec(size_t) levels;
  Vec(CostModel) models; /* declared cost models, by id */
  Vec(Sym) leaders;  /* by sort: table from term to its representative (`:internal-uf`), 0: none */
  bool infix;        /* the program is written `f(x)`, not `(f x)`: for messages and printed terms */
  const char *partial; /* the limit that ended the running: what is printed after it is marked; NULL: none */
  bool resumes;      /* a limit ends a command, not the running: the next `run` goes on */
  const char *hint;  /* to go with the database's error; NULL: none */
  bool showing;      /* a line of progress stands on the terminal */
  bool proving;      /* checks say why they hold */
  bool warned;       /* about a global without `$` */
  const Sexp *(*read)(Arena *arena, Diags *diags, uint32_t source); /* the commands of a file, NULL after errors */
  uint32_t depth;    /* of includes */
  uint32_t printing; /* number of terms printed: their stamp */
};

Name *name_of(Program *e, Sym s);
/* Declares, or reports what is wrong with the name; `at` is the name's form. */
bool name_declare(Program *e, const Sexp *at, NameKind kind, uint32_t id);
/* Can the name be declared?  Reports if not. */
bool name_free(Program *e, const Sexp *at);
void names_push(Program *e);
void names_pop(Program *e);
/* A sort by name; IR_NONE after an error. */
SortId name_sort(Program *e, const Sexp *at);
/* A declared name close to this one, for a hint, or NULL. */
const char *name_similar(Program *e, Sym s, NameKind kind);
const char *name_of_sort(const Program *e, SortId s);
/* A message with names in backquotes as the program writes them: `vec_get` for `vec-get` in .tvr files. */
const char *names_shown(Program *e, const char *message);
#endif
