/* Library: the operator definitions and scalar functions in force.
 *
 * The standard library is built into the program (stdlib/ at build time); another folder may be read instead, and a
 * model's own definitions added, which are tried before those of the same name.  Of the built-in texts, definitions are
 * parsed when somebody asks for their name: a graph uses few of them. */
#ifndef TVR_LIBRARY_H
#define TVR_LIBRARY_H
#include "lang/ast.h"

typedef struct Library Library;

/* From the .tvr files of a folder, or the built-in ones if `dir` is NULL.  NULL after errors, which are reported.  `diags`
 * outlives the library. */
Library *library_load(const char *dir, Diags *diags);
/* Adds the built-in lemmas that proofs do not read (all but the axioms). */
void library_add_lemmas(Library *lib, Diags *diags);
void library_free(Library *lib);
/* Adds the operators and functions of a parsed file, which must live as long as the library. */
void library_add(Library *lib, const AstFile *file);
/* Memory that lives as long as the library, for what is added to it. */
Arena *library_arena(Library *lib);
/* The definitions of an operator in the order they are tried; none: *n is 0. */
const AstItem *const *library_ops(const Library *lib, Sym name, uint32_t *n);
/* The definition of an operator of the library itself that is tried after one that was added: that one; else NULL. */
const AstItem *library_replaced(const Library *lib, Sym name);
/* The definition takes account of an attribute of a node, as the library's own do of all; one that was added does of what it
 * reads (lang/reads.h). */
bool library_reads(const Library *lib, const AstItem *op, Sym attr);
/* NULL if there is none. */
const AstItem *library_fn(const Library *lib, Sym name);
/* The names of all operators, in the order they were defined. */
const Sym *library_names(const Library *lib, uint32_t *n);
/* The lemma stands in the library's axioms.tvr: it is taken as it is. */
bool library_is_axiom(const Library *lib, const AstItem *lemma);
/* The lemma stands in the library's normal.tvr: it is a law of the normal forms, which so prove nothing about it. */
bool library_is_law(const Library *lib, const AstItem *lemma);
/* All files, wholly parsed; valid until the next file is added. */
const AstFile *const *library_files(const Library *lib, uint32_t *n);
/* Those that were added, of files of one's own. */
const AstFile *const *library_added(const Library *lib, uint32_t *n);
/* The lemmas of all files that hold some, in order; valid until the next file is added. */
const AstItem *const *library_lemmas(const Library *lib, uint32_t *n);
#endif
