/* Inside of the unfolding of plans: from one replica's cells and microbatches to programs of ranks.
 *
 * A device's steps become one list of operators.  A step has its own values by part: those that cross its border come
 * from and go to what the device holds between steps, where later microbatches have other names for them. */
#ifndef TVR_PLAN_UNFOLD_H
#define TVR_PLAN_UNFOLD_H
#include "frontends/plan/plan.h"
#include "frontends/torch/program.h"

/* Devices of a replica that work on one part of the model; every stage has as many. */
typedef struct PlanMesh {
  int64_t replicas, stages, cut; /* product: all ranks; number (replica * stages + stage) * cut + position */
} PlanMesh;

typedef struct PlanUse { /* of a parameter or buffer by a device */
  uint32_t part; /* 1 + part; 0: none */
  bool gradient;
} PlanUse;

typedef struct Unfold {
  const Plan *plan;
  const PlanOptions *options;
  TorchProgram *p;
  PlanMesh mesh;
  PlanUse *uses; /* [device][full tensor] */
  /* the device whose program is being written */
  uint32_t device;
  Sym name; /* "rank 3" */
  Vec(TorchInput) inputs;
  Vec(TorchNode) nodes;
  uint32_t *held;     /* [part], between steps: 1 + index in `values`; 0: nothing yet */
  uint32_t *value;    /* the same inside of a step */
  Vec(uint32_t) made; /* parts with a value in it */
  Vec(TorchArg) values;
  uint32_t *ran;      /* [microbatch][node of the plan]: 1 + number of the forward operator */
  uint32_t *total;    /* [part of a parameter]: 1 + index in `values` of its gradient */
  uint32_t *input_of; /* [full tensor]: 1 + number of the input */
  uint32_t microbatch;
  Vec(const char *) notes; /* what was read in one of several ways */
} Unfold;

/* What goes wrong when the plan is run; always false. */
bool unfold_fault(Unfold *u, const PlanNode *n, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What cannot be read; always false. */
bool unfold_error(Unfold *u, const PlanNode *n, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static inline const PlanFull *full_of(const Unfold *u, uint32_t sub) {
  return &u->plan->fulls.at[u->plan->subs.at[sub].full];
}
static inline const PlanUse *unfold_use(const Unfold *u, int64_t device, uint32_t full) {
  return &u->uses[(size_t)device * u->plan->fulls.len + full];
}
TorchType type_of_sub(Unfold *u, uint32_t sub);
/* Appends an operator of `n`; its first result. */
TorchArg unfold_emit(Unfold *u, const PlanNode *n, Sym op, const char *name, const TorchArg *args, uint32_t n_args,
                     const TorchType *outs, uint32_t n_outs);
/* The value of a part in this microbatch; false after a fault: nothing has made it. */
bool unfold_read(Unfold *u, const PlanNode *n, uint32_t sub, TorchArg *out);
/* A part is made; a gradient that is made again is added to. */
void unfold_write(Unfold *u, const PlanNode *n, uint32_t sub, TorchArg v, bool replaces);

/* Programs of all ranks, laid over each other. */
bool unfold_program(Unfold *u);

/* ---- mesh.c */
/* Stages are what collectives hold together and parameters are cut over. */
bool unfold_mesh(Unfold *u);
/* Number of the group in which these devices of a replica talk to each other, in this order; of all replicas together. */
bool unfold_group(Unfold *u, const PlanNode *n, const int64_t *devices, uint32_t n_devices, bool replicas, TorchArg *out);
/* Whether the groups of all devices are shifted copies of this one. */
bool unfold_group_repeats(const Unfold *u, const int64_t *devices, uint32_t n_devices);
/* Of messages among these devices: who takes the group for another one waits. */
int64_t unfold_tag(const Unfold *u, const char *what, const int64_t *devices, uint32_t n_devices);
/* How the parts of a parameter lie over the mesh, wherever it is used. */
bool unfold_layout(Unfold *u, uint32_t full, Layout *out);
/* Which stages use a parameter. */
bool unfold_on_stage(const Unfold *u, uint32_t full, int64_t stage);

/* ---- move.c */
bool unfold_adapter(Unfold *u, const PlanNode *n);
#endif
