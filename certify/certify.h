/* Certify: a small program by itself that checks a proof of tvr.
 *
 * It shares nothing with the engine but the readers: graphs, relation, and the parsed definitions of operators.  It
 * reads every operator of both graphs by its definition, as a value over labelled indices, and compares the outputs as
 * the relation says.  What it needs to know on the way (that a sum has such a normal form) is a *goal*; the certificate
 * lists, in the order of asking, the answer to each goal and the law it follows from.  No answer is believed: each is
 * checked against its law on the spot (law.c).  So a wrong certificate can only fail.
 *
 * To make a certificate, the same walk asks an oracle instead of a file; what it finds is checked in the same way.
 *
 * To read it: values (term.h, term.c, label.c), what is known of them (range.c) and their arithmetic (arith.c); goals
 * (proof.h, goal.c) and the laws that settle them (law.def, law.c, law_case.c, law_fn.c, law_point.c, law_pick.c,
 * law_place.c, lemma.c); operators by their definitions (lay.c, meaning.c, device.c, unknown.c), both graphs and their
 * outputs (walk.c); the file (file.c). */
#ifndef TVR_CERTIFY_H
#define TVR_CERTIFY_H
#include "certify/term.h"
#include "eval/graph/cut.h"
#include "eval/graph/loops.h"
#include "lang/library.h"

typedef enum GoalOp {
#define GOAL(id, text) GOAL_##id,
#include "certify/goal.def"
#undef GOAL
  GOAL_COUNT
} GoalOp;

typedef struct GoalItem {
  Num v;
  Rat tag; /* power (MUL); 0 for what an unknown operator produces (OPAQUE); 1 otherwise */
} GoalItem;

typedef struct Goal {
  GoalOp op;
  Sym fn;
  uint32_t n, n_bound;
  GoalItem *items;
  Label *bound;
} Goal;

typedef struct Choice { /* numbers that say which part of a goal a law is about */
  uint32_t n;
  const Label *at;
} Choice;

typedef struct Step {
  uint8_t law;
  Choice choice;
  Rat k;
  DefId def;
  uint32_t n;
  const Label *at; /* labels of the goal by number, or constants */
} Step;
typedef Vec(Step) Steps;

/* While a certificate is made: who finds the steps (eval/witness/witness_search.c). */
typedef struct Oracle Oracle;

typedef struct Cuts { /* into which digits dimensions and mesh axes are cut, major to minor; product is the size */
  uint32_t n;
  const int64_t *size;
} Cuts;

#define SEALED "(sealed)" /* the function, which nothing else can have the name of */

typedef struct Rounding {
  Rat literal, read;
  uint32_t root; /* the literal is this root of `read`, with its sign; 5: of read / pi; 6, 7: times or over log(2) */
} Rounding;
enum { MOST_ROOT = 7 };

typedef struct CertifyProblem {
  const Graph *graph[2]; /* sequential, distributed */
  const Relation *relation;
  const Library *library; /* definitions */
  uint32_t n_kept;
  const Invariant *kept; /* what loops carry: graph and relation are as eval/graph/loops.h makes them of these */
} CertifyProblem;

/* One proof, in digits of its own: of some outputs of the pair, or of claims about values on the way, of graphs that are
 * cut at values which earlier parts claim (eval/graph/cut.h). */
typedef struct Part {
  Cut cut;
  CertifyProblem problem; /* cut so */
  uint32_t n_outputs;
  const uint32_t *outputs; /* positions in the relation of its problem: all, if there are claims */
  const Cuts **dims[2];    /* [side][node][dim] */
  const Cuts *axes;        /* [mesh axis] */
  bool *written;           /* [mesh digit] devices along it are taken one by one */
  uint32_t n_mesh;         /* digits of all axes */
  uint32_t n_readings;
  Rounding *readings;
  bool **one;        /* [sequential parameter][dim] it is read as one index there, whatever its digits */
  DefId n_given;     /* definitions that are there before those of the file */
  DefId *padding;    /* [input of the relation] what stands in its blocks, if these are padded; else 0 */
  bool *differs;     /* .. whether that differs from the tensor in the padding */
  DefId *way_padding; /* .. [value on the way] */
  bool *restated[2]; /* [side][node] a step says what its value comes to, computed at every index */
  bool *sealed[2];   /* [side][node] it is read as an unknown function of its value: what holds for all holds for it */
  Store *store;
  Steps steps;
} Part;

typedef struct Certificate {
  Arena arena;
  CertifyProblem problem; /* what it is about: that given, or where loops are read once, base and step as well */
  uint32_t n_parts;
  Part *parts;
  const char *beyond; /* no proof: what the proof rests on that is not known here; NULL: a proof */
} Certificate;

/* What a proof rests on besides the laws. */
enum CertifyNeeds {
  NEEDS_NONZERO = 1,     /* denominators are not zero */
  NEEDS_NONNEGATIVE = 2, /* what is under an even root is not negative */
  NEEDS_FINITE = 4,      /* what is taken away from minus infinity is finite, or times 0 */
  NEEDS_EXP_OF_SUM = 8,  /* and axioms (stdlib/axioms.tvr) */
  NEEDS_EXP_IS_POSITIVE = 16,
  NEEDS_LOG_OF_EXP = 32,
  NEEDS_EXP_OF_LOG = 64,
  NEEDS_SINE_IS_ODD = 128,
  NEEDS_COSINE_IS_EVEN = 256,
  NEEDS_COSINE_OF_ZERO = 512,
  NEEDS_POWER_IS_EXPONENTIAL = 1024,
  NEEDS_SINE_OF_SUM = 2048,
  NEEDS_COSINE_OF_SUM = 4096,
  NEEDS_SINE_SQUARED = 8192,
  NEEDS_EXP_INCREASES = 16384,
};

typedef struct CertifyResult {
  bool holds;
  uint64_t n_steps;
  uint64_t step;               /* it does not hold: the step whose law failed, from 1 in its part; 0: none did */
  const char *why;             /* it does not hold: where, and what went wrong */
  Vec(const AstItem *) lemmas; /* those used, each once */
  uint32_t needs;
  Arena arena; /* of `why` */
} CertifyResult;

/* Checks a certificate: each of its parts, in order, and that they speak of every output of the relation of its problem. */
bool certify_all(Certificate *c, CertifyResult *out);
/* The part's problem: `p`, cut; its claims are the outputs. */
void certify_cut(const CertifyProblem *p, Part *part, Arena *a);
/* Adds the definitions of the sequential parameters, 2 + k for parameter k, to the part's new store. */
void certify_inputs(Part *part);
/* Checks one part.  With an oracle, the part's store and steps are filled instead of read. */
bool certify_part(Part *part, const Oracle *oracle, CertifyResult *out);
void certify_result_free(CertifyResult *r);
/* The cuts of a node unless the file says otherwise: those of the one before it of the same shape, or none. */
const Cuts *certificate_cuts(const Graph *g, const Cuts **dims, NodeId id, Arena *a);
/* Does the text say that loops are read once? */
bool certificate_opens_loops(const Source *source);
/* The certificate of a problem without what loops carry, in whose graphs loops are read once if it says so.  NULL after an
 * error, which is reported. */
Certificate *certificate_read(const CertifyProblem *p, uint32_t source, Diags *diags);
void certificate_free(Certificate *c);
#endif
