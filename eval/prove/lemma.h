/* Lemma: an equation of the language, read as two operators of the same operands, NAME.left and NAME.right.
 *
 * So a lemma needs no machinery of its own: it holds for some shapes if the two one-operator graphs are equal, which
 * `tvr check` can prove, refute or leave open.  Its condition is taken apart: what speaks of sizes, attributes and types
 * is the condition of the operators, what speaks of values a guard (`if guard then side else 0`): equal guarded sides
 * are equal sides wherever the guard holds.  A lemma f(x, ..) == e about an elementwise function of scalars is also a
 * rewrite: an attempt of the search may read every f as e.  Rewrites are tried only where outputs stay open, and a
 * verdict names the lemma it used. */
#ifndef TVR_LEMMA_H
#define TVR_LEMMA_H
#include "eval/calculus/calculus.h"
#include "eval/meaning/instance.h"
#include "lang/library.h"

typedef struct Lemma {
  Sym name;
  const AstItem *item;
  AstFile *sides; /* the operators: add it to a library to use them */
  Sym left, right;
  Sym guard;        /* the operator of the guard, or 0: the lemma has none */
  AstParam *params; /* of the operators: tuples have sizes */
  uint32_t n_dims;  /* of the result: the indices that are free */
  AstPattern *dims;
} Lemma;

/* Size of an index that stands in a tuple (no shape says how the dimension is split); negative: leave it
 * open. */
typedef int64_t LemmaSize(void *context, Sym index);

/* The lemma as operators, in `a`; `tag` makes their names differ from those of other sizes.  Indices of the result: the
 * free ones, in order of the parameters. */
Lemma lemma_of(const AstItem *item, const char *tag, LemmaSize *size, void *context, Arena *a);

/* Where to make it, of no sizes: the library's memory if its sides are to be added there, `a` if they are there. */
Arena *lemma_arena(Library *library, const AstItem *item, const char *tag, Arena *a);
/* `type(param) is t` in the condition: t, or 0. */
Sym lemma_type(const AstItem *item, Sym param);
/* Calls f for every conjunct of a condition (NULL: none). */
void lemma_conjuncts(const AstExpr *when, void (*f)(void *context, const AstExpr *e), void *context);

typedef struct Rewrite {
  Sym lemma, fn;
  uint32_t n_params;
  const Instance *right; /* reads parameter k as operand k */
  const char *text;      /* "lemma tanh_logistic: tanh(x) == .." */
} Rewrite;

typedef struct Rewrites {
  uint32_t n;
  const Rewrite *at;
} Rewrites;

bool lemma_is_rewrite(const Library *lib, const AstLemma *l);
/* "lemma NAME: left == right", in `a`. */
const char *lemma_text(const Sources *sources, const AstItem *item, Arena *a);
/* The lemmas of the library that are rewrites.  Adds their sides to the library. */
Rewrites lemma_rewrites(Library *library, Instances *instances, Arena *a, Diags *diags);
/* The right side at these values. */
Value lemma_apply(Calculus *c, const Rewrite *r, const Value *args);
#endif
