/* field: what a graph's evaluation holds: the value of every node on every device, in doubles.
 *
 * Devices whose operands are the same objects compute the same value, which is kept once: a field has classes of
 * devices.  Classes are found from operand classes alone, never by comparing numbers but those that are exact (positions
 * that are counted from the number of a device), so the devices of one class provably agree and the exact evaluator may use
 * them too. */
#ifndef TVR_EXACT_FIELD_H
#define TVR_EXACT_FIELD_H
#include <math.h>

#include "eval/exact/exact.h"
#include "eval/exact/numbers.h"
#include "eval/exact/view.h"

typedef struct Field {
  uint64_t n;               /* elements on one device */
  uint32_t n_classes;
  const uint32_t *class_of; /* by device; NULL: all devices are class 0 */
  const double **at;        /* by class, `how->width` doubles for an element; NULL: unknown everywhere */
  bool counted;             /* integers, not large ones, made from such alone and from no input: they are exact */
} Field;

static inline uint32_t field_class(const Field *f, int64_t device) { return f->class_of ? f->class_of[device] : 0; }
static inline const double *field_at(const Field *f, int64_t device) { return f->at[field_class(f, device)]; }
/* Of doubles: the first element of a class without a value; f->n: all have one. */
static inline uint64_t field_first_nan(const Field *f, uint32_t class) {
  uint64_t i = 0;
  while (f->at[class] && i < f->n && !isnan(f->at[class][i])) i++;
  return i;
}
/* Of doubles: some element on some device has no value. */
static inline bool field_lacks(const Field *f) {
  bool lacks = false;
  for (uint32_t c = 0; c < f->n_classes && !lacks; c++) lacks = field_first_nan(f, c) < f->n;
  return lacks;
}

/* What one point's evaluation may still use up. */
typedef struct Budget {
  uint64_t work, max_work;
  uint64_t elements, max_elements;
} Budget;

typedef Vec(Rat) Rats; /* in the order of rats_order */
int rats_order(const void *a, const void *b);

/* One graph at one point. */
typedef struct GraphRun {
  const Arithmetic *how;
  const ExactProblem *problem;
  const ExactSide *source;
  int64_t n_devices;
  Arena *arena;        /* owns the fields */
  const Field *inputs; /* by parameter number; in doubles */
  const bool *needed;  /* by node: which to evaluate, in topological order closed under operands; NULL: all */
  Field *fields;       /* by node */
  Budget *budget;
  Numbers *numbers;    /* where a field's are given back after the last use; NULL: all are kept, in `arena` */
  const bool *kept;    /* with `numbers`, by node: whose are not */
  const Rats *off;     /* literals that are anything near what is written (literal_slack), as balls; NULL: none .. */
  uint32_t pattern;    /* .. or, in doubles, at one or the other end, by this pattern */
} GraphRun;

/* Room for `count` numbers of a field. */
double *field_numbers(GraphRun *s, uint64_t count);

/* Fills side->fields.  False with *why (in side->arena) when a budget is used up. */
bool side_evaluate(GraphRun *side, const char **why);
/* One node, whose operands have values; its field must be zero.  `first` has room for all devices.  False when a budget
 * is used up. */
bool side_node(GraphRun *s, NodeId id, Arena *scratch, int64_t *first);

/* The devices a collective of `in` reads, seen from `device`. */
typedef struct Peers {
  const int64_t *members; /* of the own group; NULL: none, or all devices 0 .. n-1 */
  int64_t n;              /* 0: the device is in no group */
  int64_t position;       /* own position, -1 if in no group */
  int64_t source;         /* of the own pair, -1 without one */
} Peers;
Peers peers_of(const Instance *in, int64_t n_devices, int64_t device);
/* Device at a position of the group; -1 if there is none. */
int64_t peers_member(const Peers *p, int64_t position);

/* A literal's value as this problem reads it. */
Rat literal_value(const ExactProblem *p, const Node *n, uint64_t element);
#endif
