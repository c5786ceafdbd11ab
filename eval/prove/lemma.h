/* Lemma: an equation of the language, read as two operators of the same operands, NAME.left and NAME.right.
 *
 * So a lemma needs no machinery of its own: it holds for some shapes if the two one-operator graphs are equal, which
 * `tvr check` can prove, refute or leave open.  A lemma f(x, ..) == e about an elementwise function of scalars is also a
 * rewrite: an attempt of the search may read every f as e.  Rewrites are tried only where outputs stay open, and a
 * verdict names the lemma it used. */
#ifndef TVR_LEMMA_H
#define TVR_LEMMA_H
#include "eval/calculus/calculus.h"
#include "eval/meaning/instance.h"
#include "eval/meaning/library.h"

typedef struct Lemma {
  Sym name;
  const AstItem *item;
  AstFile *sides; /* the two operators: add it to a library to use them */
  Sym left, right;
} Lemma;

/* Size of an index that stands in a tuple (no shape says how the dimension is split); 0: leave it open. */
typedef int64_t LemmaSize(void *context, Sym index);

/* The lemma as operators, in `a`; `tag` makes their names differ from those of other sizes.  Indices of the result: the
 * free ones, in order of the parameters. */
Lemma lemma_of(const AstItem *item, const char *tag, LemmaSize *size, void *context, Arena *a);

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

/* The lemmas of the library that are rewrites.  Adds their sides to the library. */
Rewrites lemma_rewrites(Library *library, Instances *instances, Arena *a, Diags *diags);
/* The right side at these values. */
Value lemma_apply(Calculus *c, const Rewrite *r, const Value *args);
#endif
