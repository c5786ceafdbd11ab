/* Making a Plan: what the readers of both forms add to it and check.  Only they include this. */
#ifndef TVR_PLAN_MAKE_H
#define TVR_PLAN_MAKE_H
#include "frontends/json/json.h"
#include "frontends/plan/plan.h"

enum { PLAN_MAX_RANK = 60, PLAN_MAX_DEPTH = 8, PLAN_MAX_DEVICES = 1 << 16, PLAN_MAX_ERRORS = 20 };

/* Numbers of a file to places in a table. */
typedef struct PlanIds {
  uint32_t *at; /* 1 + index, 0: free; a power of two of them */
  size_t cap;
} PlanIds;

typedef struct PlanMaker {
  Plan *p;
  JsonDoc *doc;     /* of a text, or NULL */
  const json_t *at; /* the value being read */
  char where[160];  /* the node being read, or "" */
  PlanIds fulls, subs;
  uint64_t room;    /* arguments that may still be made: what a file says once can be mentioned often */
  unsigned errors;
} PlanMaker;

void plan_begin(PlanMaker *m, Plan *p, Diags *diags, uint32_t source);
/* Checks what was read, if that went well so far; false after errors. */
bool plan_end(PlanMaker *m);
/* Reports at what is being read; always false. */
bool plan_error(PlanMaker *m, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Says which node is being read, for messages. */
void plan_where(PlanMaker *m, int64_t id, Sym op);
/* How many devices there are. */
bool plan_set_devices(PlanMaker *m, int64_t n_devices, int64_t n_runtime);
/* Tensors by their id; NO_PLAN: there is none. */
uint32_t plan_find_full(const PlanMaker *m, int64_t id);
uint32_t plan_find_sub(const PlanMaker *m, int64_t id);
/* Adds a tensor.  One that was there already must be the same; in a text it must not be there. */
bool plan_add_full(PlanMaker *m, PlanFull full, uint32_t *out);
bool plan_add_sub(PlanMaker *m, PlanSub sub, uint32_t rank, uint32_t *out);
/* Room for arguments, all of them PA_NONE; NULL after a report. */
PlanArg *plan_new_args(PlanMaker *m, size_t n);
/* "float32", also behind "torch." */
bool plan_dtype(const char *text, uint8_t *out);
/* An argument that is a number. */
PlanArg plan_int(int64_t i, bool is_bool);
PlanArg plan_float(double x);
#endif
