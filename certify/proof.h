/* Inside of the certificate checker: goals, the steps that settle them, and the laws they rest on.
 *
 * A *goal* is one operation on known values; its answer is a Num.  Answers come from outside (the steps of a file, or
 * an oracle while a certificate is made) and are believed only after the law of the step has been checked on them.
 * Goals are stated up to the names of labels and settled once.  A law may pose smaller goals; none may wait for itself.
 */
#ifndef TVR_CERTIFY_PROOF_H
#define TVR_CERTIFY_PROOF_H
#include "certify/certify.h"

typedef struct Replay Replay;

enum { MOST_LABELS = 512 };
typedef struct Names { /* the label of the caller for each of a goal's own */
  uint32_t n;
  Label at[MOST_LABELS];
} Names;

typedef struct Settled { /* a goal and its answer, in labels of the goal */
  uint32_t n;
  const uint64_t *key;
  Num answer;
  bool known, open;
  bool guessed; /* while making a certificate: the oracle's answer is there */
  void *tried;  /* .. what the oracle remembers */
} Settled;

struct Walk;
struct Oracle {
  void *context;
  bool (*ask)(Replay *p, const Goal *g, Settled *e, Names *names, Num *out);
  bool (*gave_up)(Replay *p, const Settled *e); /* it was not proved, and is not tried now */
  void (*give_up)(Replay *p, Settled *e);
  void (*restate)(struct Walk *w, uint32_t side, NodeId id);
  bool plain; /* nothing is said of the values of unknown functions */
};

struct Replay {
  Store *s;
  Steps *steps;
  size_t at;            /* the next step */
  const Oracle *oracle; /* NULL: the steps are given */
  Index index;
  Vec(Settled *) settled;
  Vec(Settled *) log; /* in the order settled, for taking back what a failed law settled */
  uint32_t depth;     /* goals that wait for smaller ones */
  bool trusting;      /* while making a certificate: the oracle's answers to smaller goals do, to try a law */
  Arena arena;
  bool failed;
  uint32_t needs;    /* CertifyNeeds */
  struct Walk *walk; /* whose definitions and lemmas hold */
  const char *why;
  size_t step; /* whose law failed, from 1; 0: none did */
};

/* Operations.  After a failure they return zero and p->failed stays set. */
Num goal_prove(Replay *p, const Goal *g);
/* What v is as well, as a step says; whether v is w, by itself or as steps say. */
Num goal_restate(Replay *p, Num v);
bool goal_same(Replay *p, Num v, Num w);
/* The same of the sum of v[i]. */
bool goal_adds_up(Replay *p, const Num *v, uint32_t n, Num w);
static inline bool goal_claims(const Goal *g) { return g->op == GOAL_SAME && g->n > 1; }
Num goal_add(Replay *p, const Num *v, uint32_t n);
Num goal_add2(Replay *p, Num v, Num w);
Num goal_subtract(Replay *p, Num v, Num w);
Num goal_mul(Replay *p, const GoalItem *f, uint32_t n); /* the product of f.v ^ f.tag */
Num goal_mul_all(Replay *p, const Num *v, uint32_t n);
Num goal_mul2(Replay *p, Num v, Num w);
Num goal_sum(Replay *p, const Label *bound, uint32_t n, Num v);
Num goal_max(Replay *p, const Num *v, uint32_t n, const Label *bound, uint32_t n_bound);
Num goal_less(Replay *p, Num v);  /* v < 0 */
Num goal_equal(Replay *p, Num v); /* v == 0 */
Num goal_choose(Replay *p, Num q, Num v, Num w);
Num goal_fn(Replay *p, Sym fn, const Num *v, uint32_t n);
Num goal_not(Replay *p, Num q); /* 1 - q */
/* v with label from[i] replaced by to[i] (labels or constants), all at once. */
typedef struct Subst {
  uint32_t n;
  Label from[128], to[128];
} Subst;
bool goal_put(Subst *s, Label from, Label to);
Num form_num(Replay *p, Affine f);
Num goal_substitute(Replay *p, Num v, const Subst *s);
/* An atom as the operation it is defined by, with new bound labels. */
Goal goal_of(Store *s, Atom a);
/* What an operation comes to; a sum is that of the product of its items. */
Num goal_do(Replay *p, const Goal *g);
/* The answer of a goal by law number `law`. */
bool law_holds(Replay *p, const Goal *g, Num answer, uint32_t law, const Choice *choice);
bool law_about(Store *s, const Goal *g, uint32_t law);
uint32_t law_count(void);
const char *law_name(uint32_t law);
/* The proof rests on this as well, unless a law is only tried. */
static inline void goal_needs(Replay *p, uint32_t needs) {
  if (!p->trusting) p->needs |= needs;
}
bool goal_fail(Replay *p, const char *why);
Label goal_own_label(Store *s, Names *names, Label l);
#endif
