/* Plan: an execution plan of nnScaler as tables, one replica of it.
 *
 * Every device of the plan runs a list of steps; a step runs one cell (a segment of operators, an adapter that moves
 * tensors, the loading of a batch, the reduction of gradients) for one microbatch.  A tensor is a part of a full tensor:
 * an index range of every dimension, and which addend of how many.  Read from the pickle that nnScaler dumps
 * (pickle.h, nothing of which is run) or from its neutral form in JSON, tvr-plan (SPEC.md). */
#ifndef TVR_PLAN_H
#define TVR_PLAN_H
#include "eval/graph/graph.h"

#define NO_PLAN UINT32_MAX

typedef enum PlanTensor { PLAN_PARAM, PLAN_BUFFER, PLAN_ACTIVATION, PLAN_GRAD } PlanTensor;

typedef struct PlanFull { /* a full tensor */
  int64_t id;
  Sym name;
  uint8_t kind, dtype, rank; /* PlanTensor, DType */
  const int64_t *dims;
  uint32_t grad; /* of its gradients, or NO_PLAN */
  bool loss, of_param;
} PlanFull;

typedef struct PlanSub { /* a part of one; equal parts are one entry */
  int64_t id;
  uint32_t full;
  const int64_t *start, *end; /* per dimension of the full tensor */
  int64_t addend, n_addends;
} PlanSub;

typedef enum PlanArgKind { PA_NONE, PA_TENSOR, PA_OBJECT, PA_INT, PA_BOOL, PA_FLOAT, PA_STRING, PA_LIST } PlanArgKind;

typedef struct PlanArg {
  uint8_t kind;
  uint32_t sub;  /* TENSOR */
  uint32_t grad; /* TENSOR: the part that is the gradient of this use, or NO_PLAN */
  uint32_t n;    /* LIST */
  int64_t i;     /* INT, BOOL; OBJECT: its id */
  Rat r;         /* INT, BOOL, FLOAT: the shortest decimal, or RAT_POS_INF .. */
  Sym s;         /* STRING, and names of types such as torch.float32 */
  struct PlanArg *list;
} PlanArg;

typedef struct PlanKw {
  Sym name;
  PlanArg value;
} PlanKw;

typedef struct PlanPrim { /* a primitive of an adapter, as one device runs it */
  Sym op;                 /* "Move", "AllReduce", .. */
  uint32_t n_in, n_out, n_kws;
  const PlanArg *in, *out;
  const PlanKw *kws;
} PlanPrim;

typedef enum PlanKind { PLAN_FORWARD, PLAN_BACKWARD, PLAN_ADAPTER, PLAN_SEGMENT, PLAN_DATA, PLAN_REDUCER } PlanKind;

typedef struct PlanNode {
  uint8_t kind;
  bool forward;           /* ADAPTER, SEGMENT */
  int64_t id;             /* that of the file, for messages */
  Sym op, signature;      /* FORWARD: its name, "torch.nn.functional.linear" */
  Sym at, text;           /* FORWARD: "llama3/model.py:63" and the line there; or 0 */
  uint32_t mirror;        /* the operator it is the backward of, or that is its backward; of segments too; or NO_PLAN */
  uint32_t n_in, n_out, n_kws, n_prims, n_nodes, n_devices;
  const PlanArg *in, *out; /* REDUCER: in are weights, with their gradients */
  const PlanKw *kws;
  const PlanPrim *prims;
  const uint32_t *nodes;   /* SEGMENT: its operators and adapters, in order */
  const int64_t *devices;  /* that run it, of the plan; REDUCER: those that share the sum; SEGMENT: none are said */
  uint32_t line;           /* of a file of text; 0: none */
} PlanNode;

typedef struct PlanStep {
  uint32_t node, microbatch;
  uint32_t n_in, n_out;    /* those of the node */
  const PlanArg *in, *out; /* what stands for its tensors in this microbatch */
} PlanStep;

typedef struct PlanProgram { /* of one device */
  uint32_t n;
  const PlanStep *steps;
} PlanProgram;

typedef struct Plan {
  Arena arena;
  Diags *diags;
  uint32_t source;
  int64_t n_devices, n_runtime; /* of the plan; of all replicas: a multiple of it */
  uint32_t n_microbatches;
  PlanArg *losses; /* one for each microbatch */
  Vec(PlanFull) fulls;
  Vec(PlanSub) subs;
  Vec(PlanNode) nodes; /* what several devices share stands here once for each of them */
  PlanProgram *programs; /* by device */
} Plan;

/* Is the file a plan, as a pickle, as JSON? */
bool plan_is_pickle(const Source *source);
bool plan_is_json(const Source *source);
/* false after errors, which are reported.  Free it either way. */
bool plan_read_pickle(Plan *p, Diags *diags, uint32_t source);
bool plan_read_json(Plan *p, Diags *diags, uint32_t source);
void plan_tables_free(Plan *p);
/* Reports at a node of the plan: at its line in a text, by its number otherwise; always false. */
bool plan_report(const Plan *p, uint32_t node, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* The graph of a plan of one device, or of all ranks of a distributed one.  NULL after errors, which are reported; the
 * caller frees it. */
typedef struct PlanOptions {
  bool by_index; /* pieces are where index maps say, not where ranks stand in their group */
} PlanOptions;
bool plan_is(const Source *source);
Graph *plan_read(Diags *diags, uint32_t source, const PlanOptions *options);
#endif
