/* Modules: files whose names do not mix with those of others.
 *
 * `include "lib.tvr" as lib` runs a file once; what it declares is then called `lib::name`.  A file that is included
 * so again, wherever, is the same module under one more name.  Inside a module a name is one of its own, or one of the
 * standard library: nothing that other files declare can be meant or hit by chance.  What is `private` can be used
 * in the file that declares it and nowhere else. */
#ifndef TVR_RULES_MODULE_H
#define TVR_RULES_MODULE_H
#include "lang/ast.h"
#include "lang/base/vec.h"

typedef struct Rules Rules;

typedef struct Module {
  const char *path;
  Sym name;     /* `lib`, `lib::inner`: what its own names begin with */
  bool running;
} Module;

/* What a scope calls a module. */
typedef struct ModuleName {
  Sym scope, name; /* scope 0: not in a module */
  uint32_t module; /* index */
  Span at;         /* where it is given; source 0 if it may be used anywhere */
} ModuleName;

typedef struct Modules {
  Vec(Module) all;
  Vec(ModuleName) names;
  Sym scope;       /* the module under way */
  Vec(Sym) coming; /* what the item under way declares, in full */
  Vec(uint32_t) everywhere; /* sources whose names modules see: files of the standard library */
  bool asking;     /* a question about the program, or one typed in: private names may be used */
} Modules;

/* What a name that is declared here is called in full. */
Sym module_declared(const Rules *r, Sym name);
/* What a name that is used stands for: a table, or anything else, then also a variable.  Reports what is private, and
 * a module, or a name with one, that does not exist. */
Sym module_resolve(Rules *r, Span at, Sym name, bool table);
/* If a name is called that nothing stands for, since only another file has it: reports that. */
bool module_hides(Rules *r, Span at, Sym written, Sym resolved);
/* Gives a file a name in the scope under way: its module's index in `*out`, a new one with `running` set if it has to
 * be run.  False after an error. */
bool module_open(Rules *r, const AstItem *include, const char *path, uint32_t *out);
#endif
