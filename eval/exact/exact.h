/* exact: do two graphs give the same numbers?
 *
 * Both graphs are evaluated through their instances on reproducible random inputs, the distributed one on every device
 * of the mesh, and outputs are compared as the relation declares them.  Doubles find where outputs differ; a difference
 * counts only when a few of those elements, evaluated again in exact rationals or in balls that are sure to contain
 * the real value, are provably unequal.  So EXACT_DIFFER is a refutation and EXACT_AGREE is evidence, never a proof.
 *
 * Semantics is over the reals.  Anything without a value (an opaque operator, an undecidable comparison, 0 * infinity,
 * a division by 0, an integer out of its type's range, a read out of bounds that no guard excludes) is *unknown*, and
 * what depends on it too.  Padding of uneven blocks holds arbitrary numbers. */
#ifndef TVR_EXACT_H
#define TVR_EXACT_H
#include "eval/meaning/instance.h"
#include "eval/graph/literal.h"
#include "eval/graph/relation.h"

/* Seeds with this bit give coarse points: whole numbers, three for a tensor, so many are equal.  What programs do with
 * equal values is seen there alone; an operator that leaves it open has no value then. */
#define EXACT_COARSE (UINT64_C(1) << 40)
/* Seeds with one of these give points at the edge of what is allowed: every number of an input whose least (greatest) value
 * is stated, by a range or a list, is that one.  Masks keep nothing or all. */
#define EXACT_LEAST (UINT64_C(1) << 41)
#define EXACT_MOST (UINT64_C(1) << 42)
/* And with this one small numbers and a few that are larger, the more so the greater the seed: thresholds are passed. */
#define EXACT_FAR (UINT64_C(1) << 43)

typedef struct ExactOptions {
  uint64_t seed;          /* of the first point; the next ones follow */
  uint32_t points;        /* random points to compare */
  uint32_t coarse_points; /* for whoever compares again, with a seed of such */
  uint32_t later_points;  /* and with those that follow */
  uint64_t max_work;      /* element operations in doubles, per point and both graphs */
  uint64_t max_elements;  /* numbers in memory at once */
  uint64_t max_exact;     /* element operations in rationals and balls, per point */
  double seconds;         /* limit for the whole comparison */
  uint32_t precision;     /* bits of a ball; doubled while inconclusive, up to max_precision */
  uint32_t max_precision;
  bool aside;             /* differences at large points are made certain by other processes: exact_settle */
  double agree;           /* largest difference / largest magnitude at which doubles count as equal .. */
  double differ;          /* .. and from which on they count as different; between the two: EXACT_NEAR */
} ExactOptions;
ExactOptions exact_defaults(void);

typedef struct ExactSide {
  const Graph *graph;
  const Instance *const *instances; /* by node; NULL for parameters, constants and nodes without a meaning (unknown) */
} ExactSide;

typedef struct ExactProblem {
  ExactSide seq, dist;
  const Relation *relation;
  ExactOptions options;
  /* Values of sequential parameters by number, row-major; NULL: drawn.  NULL instead of the list: all are. */
  const double *const *given;
  /* By sequential parameter: the text of its shape, where what is drawn stands for a larger tensor.  NULL, or NULL there:
   * what is drawn is the tensor. */
  const char *const *shapes;
  bool numbers_only;   /* a NaN is no difference */
  const bool *settled; /* by output: no more than one point is wanted for it, no coarse one; NULL: none */
  Literals literals;
} ExactProblem;

typedef enum ExactStatus {
  EXACT_AGREE,   /* at every point, every element, every device */
  EXACT_NEAR,    /* differs by less than options.differ: rounded literals do that */
  EXACT_DIFFER,  /* certified: `witness` */
  EXACT_UNKNOWN, /* `why` */
} ExactStatus;

typedef struct ExactWitness {
  uint64_t seed;          /* exact_run with this seed gives these inputs again */
  uint32_t rank;
  const int64_t *at;      /* index in the sequential output */
  const int64_t *at_dist; /* and in the block of `device` */
  int64_t device;         /* number; for a partial output any device of the sum */
  const int64_t *coordinate; /* of the device, per mesh axis */
  const char *seq, *dist; /* values: "7/3 = 2.333..", or a decimal with its error "[0.25 +/- 1e-30]" */
  uint32_t precision;     /* bits of the balls; 0: both values are exact rationals */
  /* The inputs the element depends on, a line each: "x: f32[2] = 1 -2", or by a formula of the row-major position p
   * "x: f32[4,8] = (2*((5*p^3 + 7) mod 71) - 71)/2^5". */
  const char *inputs;
} ExactWitness;

/* How an output that is not related as declared would be. */
typedef struct ExactHolds {
  bool found;
  uint32_t n_partial;      /* had it been declared a sum over these axes (all of them) .. */
  const uint32_t *partial;
  Rat factor;              /* .. it is this many times the sequential value (RAT_1: equal) */
  const char *text;        /* "a partial sum over tp, 4 times the sequential value"; or where the right values are */
} ExactHolds;

typedef struct ExactOutput {
  Sym name;
  uint8_t status;       /* ExactStatus */
  uint32_t points;      /* compared */
  double difference;    /* largest difference seen / largest magnitude of the sequential output */
  uint64_t n_unknown;   /* elements that could not be evaluated, over all points and devices */
  const char *why;      /* EXACT_UNKNOWN */
  ExactWitness witness; /* EXACT_DIFFER */
  ExactHolds holds;     /* EXACT_DIFFER, or differing in doubles */
} ExactOutput;

typedef struct ExactReport {
  Arena arena; /* owns everything here */
  uint32_t n_outputs;
  ExactOutput *outputs;      /* in the relation's order */
  const char *not_evaluated; /* "too large to evaluate: ..", or NULL */
  uint32_t n_notes;
  const char **notes; /* choices made: "ids: no range given, values 0 .. 31" */
  uint64_t work;      /* element operations in doubles */
  struct ExactRun *first; /* the first point, evaluated; NULL: not evaluated */
  Vec(struct Aside *) asides; /* what exact_settle waits for */
} ExactReport;

/* Compares; never NULL. */
ExactReport *exact_compare(const ExactProblem *p);
/* With options.aside outputs may be EXACT_DIFFER without a witness, while other processes look for them.  Waits for those;
 * false: some difference was none, or could not be made certain, and the report is void.  Compare without `aside` then. */
bool exact_settle(ExactReport *r);
void exact_report_free(ExactReport *r);

/* One point evaluated in doubles, every node of both graphs. */
typedef struct ExactRun ExactRun;
/* Never NULL.  *why is set (and nothing has a value) when it is too large to evaluate; it lives as long as the run. */
ExactRun *exact_run(const ExactProblem *p, uint64_t seed, const char **why);
/* Element operations it took. */
uint64_t exact_work(const ExactRun *r);
void exact_run_free(ExactRun *r);
/* A value that one program has at this point and the other lacks. */
typedef struct ExactLack {
  bool dist; /* it is the distributed one that has none .. */
  NodeId node; /* .. from this operator on, whose operands have values */
} ExactLack;
/* Of an output of the relation; false: none is found, or it depends on an unknown function, or was too large for doubles. */
bool exact_lacks(const ExactRun *r, const Related *o, ExactLack *out);
/* Value of a node on a device, row-major, node_elements of them; NAN where unknown.  NULL without a value. */
const double *exact_value(const ExactRun *r, bool dist, NodeId node, int64_t device);
/* Devices with the same number here provably hold the same value. */
uint32_t exact_value_class(const ExactRun *r, bool dist, NodeId node, int64_t device);
#endif
