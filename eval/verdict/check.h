/* Check: the verdict on a pair of graphs.
 *
 * The direct proof comes first.  What it leaves open is evaluated: an output that certainly differs is refuted; the
 * others are tried again by themselves, with flat dimensions and tactics, within limits.  An output is verified only if
 * it was proved, and the pair only if every declared output was.  Proved and certainly different at once can only be a
 * mistake of tvr: such a report says VERDICT_BROKEN, which is no verdict at all. */
#ifndef TVR_CHECK_H
#define TVR_CHECK_H
#include "eval/blame/blame.h"
#include "eval/exact/exact.h"
#include "eval/prove/pair.h"
#include "eval/prove/prove.h"
#include "eval/prove/smaller.h"
#include "eval/prove/waypoint.h"
#include "eval/verdict/assume.h"
#include "eval/verdict/equalities.h"
#include "eval/verdict/infer.h"

typedef enum Verdict { VERDICT_VERIFIED, VERDICT_REFUTED, VERDICT_UNPROVED, VERDICT_BROKEN } Verdict;
const char *verdict_text(Verdict v);

typedef enum Phase { PHASE_PROVE, PHASE_EVALUATE, PHASE_TACTICS, PHASE_BLAME, PHASE_COUNT } Phase;
const char *phase_text(Phase p);

typedef struct CheckOptions {
  ProveOptions prove;
  ExactOptions exact;
  double refuted_seconds; /* of the search for the other outputs where one is refuted, if less than that of the proof */
  bool tactics;  /* try tactics on what neither is proved nor refuted */
  bool evaluate; /* look for counterexamples of what is not proved */
  bool strict;   /* a proof that rests on assumptions of other kinds than `stated` is none */
  uint32_t stated; /* flags 1 << Stated */
  bool blame;      /* say what is to be blamed for what is not verified */
  bool keeps;      /* the proofs of what is proved on the way, for a certificate */
  const Inference *inferred; /* by output, or NULL: all are declared */
  const Equalities *equalities; /* what rules assume, or NULL */
  /* Told of every phase as it begins; may be NULL. */
  void (*progress)(void *context, Phase phase);
  void *context;
} CheckOptions;
CheckOptions check_defaults(void);

typedef struct CheckOutput {
  Sym name;
  Verdict verdict;
  const Related *related;
  Inference inferred;
  const char *relation;      /* "dist.y[i, j] == seq.y[i, (tp, j)]" */
  const char *words;         /* "dimension 1 is cut over tp" */
  bool doubted;              /* proved under an assumption that does not hold (CheckReport.failing) */
  bool if_loops;             /* not verified, but proved if loops carry what they are said to */
  const char *tactic;        /* what proved it beyond normal forms, or NULL */
  const ExactOutput *exact;  /* NULL: not evaluated */
  const char *blocks;        /* .. at such inputs: "inputs are constant in blocks: .."; NULL: at any */
  const OutputBlame *blame;  /* NULL when verified */
  bool false_lemma;          /* the lemma there was broken */
} CheckOutput;

/* A node that has no value at inputs where the other program has one. */
typedef struct CheckLack {
  Side side;
  NodeId node;
  uint32_t output;
} CheckLack;

/* What a loop carries is related so before the first iteration, and after each if before it. */
typedef struct CheckInvariant {
  const char *relation, *words;
  const CheckOutput *base, *step;
} CheckInvariant;

typedef struct CheckLoop {
  Sym name, at; /* of the distributed program; the source line, or 0 */
  int64_t trips;
  uint32_t n;
  CheckInvariant *invariants;
} CheckLoop;

typedef struct CheckReport {
  Arena arena;
  const Problem *problem;
  Verdict verdict;
  uint32_t n_outputs;
  CheckOutput *outputs; /* in the relation's order: */
  uint32_t n_results;   /* those of the programs, then base and step of what their loops carry */
  uint32_t n_loops;     /* that were read once.  A pair with such loops is never refuted: inputs on which the programs
                         * themselves differ are not known */
  CheckLoop *loops;
  Proof *proof;         /* the direct one */
  Proof *searched;      /* tactics on what was left open, or NULL */
  Stages stages;        /* `searched` rests on them, if it reads waypoints */
  Proof *assuming;      /* that rests on what rules say, or NULL */
  ExactReport *exact;   /* or NULL */
  Vec(ExactReport *) blocks; /* what is too large to be evaluated, at inputs that are constant in blocks */
  Smaller *smaller;     /* what is too large to be evaluated, at smaller sizes; or NULL */
  struct CheckReport *at_smaller; /* of that, where it is refuted: what is to be blamed stands there; else NULL */
  Vec(ExactReport *) later; /* of coarse or later points that alone refute outputs */
  uint64_t later_seed;      /* of the first of them */
  bool again;           /* all such points were tried */
  Blame *blame;         /* NULL when verified */
  uint32_t n_unrelated; /* results of the sequential program that the relation says nothing of: they are not checked */
  const char **unrelated;
  uint32_t n_assumptions;
  const char **assumptions;
  uint32_t n_define;    /* how definitions begin of what nothing defines (define.h); none if all is verified */
  const char **define;
  const Sym *unknown;   /* of each: the operator */
  uint32_t n_refused;   /* assumptions that nobody stated, for which a proof was refused */
  const char **refused;
  uint32_t refused_kinds; /* flags 1 << Stated */
  uint32_t n_failing;   /* outputs whose proof assumes what does not hold at inputs within the ranges (doubt.h) */
  const char **failing;
  const CheckLack *lacks; /* of each: where its value is missing */
  uint32_t n_limits;
  const char **limits;  /* limits that were reached, each with the option that moves it */
  const char *hint;     /* what may be stated where something is open, or NULL */
  double seconds[PHASE_COUNT];
  double searching;     /* processor time of the search */
} CheckReport;

/* Never NULL; the pair's problem must outlive it. */
CheckReport *check_run(const Problem *problem, const CheckOptions *options);
/* What was proved rests on an assumption of this kind that nobody stated: it is unproved, and the text is listed. */
void check_refuse(CheckReport *r, Stated kind, const char *text);
void check_report_free(CheckReport *r);
/* The report with the likely causes: this one, or that of the smaller pair. */
const CheckReport *check_causes(const CheckReport *r);
#endif
