/* Proofs for all sizes, on purpose of wrong statements: every lemma of the library with one thing changed in its right
 * side (a strict comparison, a sign, a number) or without one of its conditions.  What is proved for all sizes may not
 * be broken at some, where what it assumes is so.
 *
 * test_allsizes [EVERY]: one in so many changed lemmas (10; 1: all of them, some minutes). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/lemma/allsizes.h"
#include "eval/lemma/breaker.h"
#include "eval/lemma/open.h"
#include "lang/lang.h"

typedef struct Run {
  Library *library;
  Diags *diags;
  Arena arena;
  uint32_t number, changed, tried, proved, broken, failures, every;
} Run;

/* Is `item`, which is true or not, proved and broken? */
static void try_out(Run *r, const AstItem *item) {
  Shapes s;
  if (r->changed++ % r->every || !shapes_of(&s, item, &r->arena)) return;
  r->tried++;
  uint32_t assumptions = 0;
  const char *how = allsizes_prove(&s, r->library, (SolverLimits){1, 1000}, &r->arena, &assumptions);
  Broken b = breaker_run(&s, r->library, &r->number, &r->arena, r->diags);
  r->proved += how != NULL;
  r->broken += b.found;
  if (!how || !b.found) return;
  if (!strcmp(b.example.left, "without a value") || !strcmp(b.example.right, "without a value")) return;
  if (assumptions && b.example.shape->empty) return; /* a denominator inside of an empty sum counts, too */
  printf("%s, changed at number %u, is proved %s and false on %s\n", sym_text(item->name), r->changed - 1, how,
         b.example.shape_text);
  r->failures++;
}

/* The k-th change of an expression, in place; *undo is what it was.  False: there are not so many. */
static bool change(AstExpr *e, uint32_t *k, AstExpr **at, AstExpr *undo) {
  static const uint8_t other[EX_N_KINDS] = {
      [EX_LT] = EX_LE, [EX_LE] = EX_LT, [EX_GT] = EX_GE, [EX_GE] = EX_GT, [EX_ADD] = EX_SUB, [EX_SUB] = EX_ADD};
  bool here = other[e->kind] || e->kind == EX_RAT;
  if (here && !(*k)--) {
    *at = e;
    *undo = *e;
    if (e->kind == EX_RAT) e->value = rat_add(e->value, RAT_1);
    else e->kind = other[e->kind];
    return true;
  }
  for (uint32_t i = 0; i < e->n_args; i++)
    if (change(e->args[i], k, at, undo)) return true;
  return false;
}

/* Without its k-th condition, unless that is about a type. */
static bool drop(AstExpr *when, uint32_t *k, AstExpr **at, AstExpr *undo) {
  if (when->kind == EX_AND) return drop(when->args[0], k, at, undo) || drop(when->args[1], k, at, undo);
  if (when->kind == EX_IS || (*k)--) return false;
  *at = when;
  *undo = *when;
  *when = (AstExpr){.kind = EX_RAT, .value = RAT_1, .depth = 1, .span = undo->span};
  return true;
}

static void control(Run *r, AstItem *item) {
  AstExpr *at, undo, *right = item->lemma.equation->args[1];
  for (uint32_t i = 0;; i++) {
    uint32_t k = i;
    if (!change(right, &k, &at, &undo)) break;
    try_out(r, item);
    *at = undo;
  }
  for (uint32_t i = 0; item->lemma.when; i++) {
    uint32_t k = i;
    if (!drop(item->lemma.when, &k, &at, &undo)) break;
    try_out(r, item);
    *at = undo;
  }
}

/* Written out, a term in which each part stands twice in the next one is given up early. */
static bool too_large(void) {
  Arena a = {0};
  OpenTerms o = {.a = &a};
  const OpenTerm *t = open_var(&o, OPEN_INDEX);
  bool early = false;
  for (int i = 0; i < 26 && !early; i++) {
    t = open_add(&o, t, t);
    early = o.why != NULL;
  }
  arena_free(&a);
  return early;
}

int main(int argc, char **argv) {
#ifdef TVR_SANITIZED
  enum { EVERY = 30 };
#else
  enum { EVERY = 10 };
#endif
  Sources *sources = sources_new();
  Run r = {.diags = diags_new(sources), .every = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVERY};
  r.library = library_load(NULL, r.diags);
  library_add_lemmas(r.library, r.diags);
  uint32_t n;
  library_files(r.library, &n);
  for (uint32_t i = 0; i < n; i++) {
    const AstFile *file = library_files(r.library, &(uint32_t){0})[i]; /* it grows */
    for (uint32_t k = 0; k < file->n_items; k++)
      if (file->items[k]->kind == ITEM_LEMMA) control(&r, (AstItem *)file->items[k]);
  }
  bool some = r.tried > 20 && r.proved && r.broken; /* it can fail at all */
  library_free(r.library);
  diags_free(r.diags);
  sources_free(sources);
  arena_free(&r.arena);
  printf("all sizes: %u changed lemmas, %u tried: %u proved, %u broken, %u both\n", r.changed, r.tried, r.proved,
         r.broken, r.failures);
  if (!too_large()) puts("a term of 2^26 terms is taken");
  return r.failures || !r.every || !some || !too_large();
}
