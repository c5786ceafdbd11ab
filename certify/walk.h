/* The checker's walk over the graphs (walk.c), and operators by their definitions (lay.c, meaning.c, unknown.c). */
#ifndef TVR_CERTIFY_WALK_H
#define TVR_CERTIFY_WALK_H
#include "certify/law.h"

typedef struct Walk Walk;
struct Walk {
  const CertifyProblem *problem;
  Part *part;
  Replay *p;
  Arena arena;
  Num *value[2];   /* by node */
  uint32_t n_mesh; /* digits of the mesh */
  Label *mesh;
  int64_t *digit;   /* [device][mesh digit] */
  uint32_t n_cases; /* of the mesh digits written out; 1: none is */
  Num **at;         /* [case][distributed node]; value[1] is over all devices, where joined */
  bool *joined;
  CertifyResult *out;
  Vec(Sym) unknown; /* functions without an equation, in the order met */
};

static inline const Node *walk_node(const Walk *w, uint32_t side, NodeId id) {
  return &w->problem->graph[side]->nodes.at[id];
}

/* A place holder p for the major part of an index: only where 0 <= minor < size does it stand for anything. */
typedef struct Major {
  Label p;
  Affine minor;
  int64_t size;
} Major;
typedef Vec(Major) Majors;

/* The labels or constants at which digits of these sizes are read when their position is `f`; false: not in digits.  A
 * digit may stand at a form, which beyond the range is any number; or an index read as a form over place holders, which
 * are added to *majors. */
typedef enum FormAt { FORM_NOWHERE, FORM_ALONE, FORM_FIRST } FormAt; /* at no digit, at one that is alone, at the first */
bool form_read(Store *s, Affine f, const Cuts *cuts, FormAt form, bool uneven, Label *out, Majors *majors);
/* v without the place holders from `first` on, which are dropped: it does not have them, or it is the sum over all
 * their values of what it is there. */
Num without_majors(Walk *w, Num v, Majors *majors, size_t first);
Label dim_label(Walk *w, uint32_t dim, uint32_t digit, int64_t size);
/* All digits of a node's dimensions, at most MOST_NODE_DIGITS. */
enum { MOST_NODE_DIGITS = 256 };
uint32_t node_digits(Walk *w, uint32_t side, NodeId id, Label *at, int64_t *size);
/* v on the devices that have these digits of the mesh, 0 on others. */
Num on_devices(Walk *w, const Subst *here, Num v);

/* ---- a definition laid against one node (lay.c) and evaluated (meaning.c) */
typedef struct Val {
  bool is_form;
  Affine f;
  Num v; /* if it is no form */
} Val;

typedef struct Bind {
  Sym name;
  bool group;
  uint32_t n;
  const Val *v;
  const int64_t *size; /* NULL: a value without a size */
} Bind;

/* Pattern k of a bracket stands at dim[start[k]] .. dim[start[k + 1] - 1]. */
typedef struct Bracket {
  const AstPattern *patterns;
  uint32_t n, *start, *dim;
} Bracket;

typedef struct Size { /* of a name: per position of a group, or per operand of the variadic parameter */
  Sym name;
  bool group, each;
  uint32_t n;
  int64_t *size; /* -1: not known */
} Size;

typedef struct Mean {
  Walk *w;
  uint32_t side;
  const Node *node;
  const AstOp *op;
  const AstResult *result;
  uint32_t variadic, n_each;
  Bracket *param, out;
  uint32_t n_sizes;
  Size *sizes;
  int64_t members; /* of a replica group */
  Cuts group;      /* digits of the position in it */
  Label *own;      /* one's own */
  Vec(Bind) env;
  Majors majors; /* of the result */
  Vec(Label) sought; /* indices of the result, which are where these hold: */
  Vec(Num) places;
  size_t scope;  /* bindings from here on are seen: inside of a function */
  int64_t at, count, each;
  uint32_t steps, guards; /* guards: conditions around, which may exclude what is out of range */
  bool failed, unreadable;
} Mean;

/* Lays the definition against the node: brackets, sizes, replica group. */
bool lay(Mean *m, const AstItem *item);
bool lay_in_any_order(const AstExpr *e, Sym over, Sym member);
const Size *lay_size(const Mean *m, Sym name);
bool lay_attr(const Mean *m, Sym name, Attr *out);
uint32_t lay_param(const Mean *m, Sym name); /* n_params: none */
/* Digits of position i of a name that stands in some bracket. */
bool lay_cuts(const Mean *m, Sym name, uint32_t i, Cuts *out);
/* Binds the indices of the result. */
bool lay_result(Mean *m);
void meaning_bind(Mean *m, Sym name, const Val *v, const int64_t *size, uint32_t n, bool group);
Val meaning_eval(Mean *m, const AstExpr *e);
/* From a number to a value (a form while it is one), and back. */
Val meaning_value(Mean *m, Num v);
Num meaning_num(Mean *m, Val v);
Num walk_device(Walk *w);
/* The place of a device over the digits of the mesh, row-major. */
int64_t walk_place(const Walk *w, int64_t device);
bool reading_rounds(const Rounding *r, Rat v, DType type);
/* What stands on the device that sends to one, 0 without one (device.c). */
Num value_of_source(Mean *m, Num v);
/* The node as an unknown function of its operands; m->op is its definition, or NULL. */
Num unknown_operator(Mean *m, const Node *node);
#endif
