/* Prove: the search for a proof that the outputs are related as declared.
 *
 * One attempt infers digits, builds both graphs and compares the outputs.  Where operators asked for flat dimensions the
 * next round has them; where outputs still do not meet, tactics are tried one after the other: an index sort written out
 * per value (split), products distributed over sums (expand), values of both programs as unknowns (seal.h), pairs of
 * these.  Every attempt is sound by itself; the best one is kept.  Before them, on the values as they are: cases of an
 * argument, and lemmas. */
#ifndef TVR_PROVE_H
#define TVR_PROVE_H
#include "eval/terms/build.h"

typedef struct ProveOptions {
  Literals literals;
  uint32_t rounds;      /* of flat dimensions */
  uint32_t splits;      /* pieces per output comparison */
  double seconds;       /* of the whole search for tactics */
  double attempt_seconds; /* of one attempt */
  uint64_t attempt_bytes; /* memory of one attempt */
  uint64_t max_steps;     /* of the calculus, in one attempt; 0: no limit */
  bool few;               /* tactics end after cases written out */
  bool together;          /* indices are written out together or not at all, none by itself: for parts of a program */
  bool hasty;             /* the first attempt gives up on parts of a graph that take far more steps than right ones do */
} ProveOptions;
#define PROVE_OPTIONS \
  ((ProveOptions){.literals = LITERALS_FRACTIONS, .rounds = 4, .splits = 200, .seconds = 10, .attempt_seconds = 30, \
                   .attempt_bytes = UINT64_C(2000) << 20})

typedef struct ProofOutput {
  bool proved;
  bool comparable; /* false: the layout could not be read, or the attempt ended early */
  Value want, got;
} ProofOutput;

typedef struct Proof {
  Arena arena;
  Problem problem; /* as given, with the flat dimensions of the attempt */
  Digits *digits;
  Calculus *calc;
  Build build;
  uint32_t n_outputs, n_proved;
  ProofOutput *outputs;
  uint32_t rounds, attempts; /* made */
  const char *tactic;        /* what closed it beyond normal forms, or NULL */
  const char *lemmas;        /* those the proof rests on, or NULL */
  bool limited;              /* a limit cut the attempt short */
  bool full;                 /* that of memory did so with this attempt, or one of those tried before */
  const char **class_name;   /* by class: a node of that value, once words are asked for (blame_words.h), or NULL */
  size_t n_named;
} Proof;

/* Normal forms and flat rounds.  `p` must outlive the proof. */
Proof *prove_direct(const Problem *p, const ProveOptions *o);
/* Axes along which values are sent from device to device, written out, if that takes few steps: in a pipeline every
 * device computes something else, but each by itself is soon proved.  Replaces *proof (NULL: there is none) where that
 * proves more. */
void prove_sent(Proof **proof, const Problem *p, const ProveOptions *o);
/* Tries tactics on what `*proof` leaves open; replaces it by a better one. */
void prove_tactics(Proof **proof, const ProveOptions *o);
/* Of two attempts at one problem the one that proves more: what either proved is proved.  Frees the other. */
Proof *proof_join(Proof *a, Proof *b);
/* Adds what a proof rests on; in `a`. */
void ground_add(Ground *g, const Proof *p, Arena *a);
/* Another round or tactics could prove more than `p` does. */
bool prove_can_go_on(const Proof *p);
void proof_free(Proof *p);
static inline bool proof_complete(const Proof *p) { return p->n_proved == p->n_outputs; }
#endif
