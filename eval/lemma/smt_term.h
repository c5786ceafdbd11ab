/* Smt terms: the parts of a question to Z3.  See smt.h for what stands for what. */
#ifndef TVR_LEMMA_SMT_TERM_H
#define TVR_LEMMA_SMT_TERM_H
#include "eval/meaning/fn.h"
#include "eval/meaning/instance.h"

enum { SMT_VARS = 64, SMT_ARGS = 8, SMT_POWER = 8 };

/* A term: a number, a real, an integer (kept apart: Z3 does badly where both mix), or a truth value; `defined` is a
 * condition, NULL: always. */
typedef struct SmtTerm {
  bool is_const, is_bool, is_int;
  Rat k;
  const char *text;
  const char *defined;
} SmtTerm;

/* An unknown that stands for a function of arguments; equal arguments, equal unknowns. */
typedef struct SmtUnknown {
  const char *fn, *name;
  uint32_t n;
  const char *args[SMT_ARGS];
} SmtUnknown;

typedef struct SmtText {
  Arena *a;
  const Graph *g;
  const Node *node;
  const Instance *in;
  int64_t at[SMT_VARS];
  Vec(SmtUnknown) unknowns;
  Vec(const char *) facts, declared;
  size_t length;
  const char *axioms, *why;
  bool integers, nonlinear;
} SmtText;

/* Counts the text; beyond the limit nothing can be asked. */
const char *smt_keep(SmtText *c, const char *s);
#define SMT_SAY(c, ...) smt_keep((c), arena_printf((c)->a, __VA_ARGS__))
SmtTerm smt_number(Rat k);
/* Nothing can be asked, since. */
SmtTerm smt_give_up(SmtText *c, const char *why);
/* As a real. */
const char *smt_real(SmtText *c, SmtTerm t);
/* As a truth value. */
const char *smt_truth(SmtText *c, SmtTerm t);
/* Conjunction; NULL is true. */
const char *smt_both(SmtText *c, const char *x, const char *y);
/* x where p, else y; NULL is true. */
const char *smt_where(SmtText *c, const char *p, const char *x, const char *y);
SmtTerm smt_term(const char *text, const char *defined);
SmtTerm smt_add(SmtText *c, SmtTerm x, SmtTerm y);
SmtTerm smt_mul(SmtText *c, SmtTerm x, SmtTerm y);
/* The unknown for fn(args); *made says whether it is new. */
const char *smt_unknown(SmtText *c, const char *fn, const char *const *args, uint32_t n, bool *made);
SmtTerm smt_inverse(SmtText *c, SmtTerm x);
SmtTerm smt_power(SmtText *c, SmtTerm x, int64_t n);
/* x ^ r, by a root of the denominator. */
SmtTerm smt_rational_power(SmtText *c, SmtTerm x, Rat r);
/* An unknown function: equal arguments, equal values. */
SmtTerm smt_function(SmtText *c, const char *fn, const SmtTerm *args, uint32_t n);
/* a where p, else b. */
SmtTerm smt_choice(SmtText *c, const char *p, SmtTerm a, SmtTerm b);
/* "(< x y)", over the integers if both are. */
const char *smt_compared(SmtText *c, const char *op, SmtTerm x, SmtTerm y);
/* x / d rounded down. */
SmtTerm smt_floor(SmtText *c, SmtTerm x, SmtTerm d);
/* exp of a term that is no sum. */
SmtTerm smt_exp(SmtText *c, SmtTerm x);
/* log of a term; defined where it is positive. */
SmtTerm smt_log(SmtText *c, SmtTerm x);
/* The larger (max) or the smaller of two. */
SmtTerm smt_larger(SmtText *c, SmtTerm a, SmtTerm b, bool max);
/* An elementwise function, but for exp, log and tanh. */
SmtTerm smt_apply(SmtText *c, FnId fn, const SmtTerm *a, uint32_t n);
/* Facts on what stands for functions: equal arguments give equal values; the logarithm undoes exp. */
void smt_relate(SmtText *c);
/* As an integer, which it must be. */
const char *smt_integer(SmtText *c, SmtTerm t);
#endif
