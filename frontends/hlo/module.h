/* What an HLO text holds, before it is flattened: computations of instructions, names resolved, attributes read.
 *
 * A value of tuple shape is the list of its leaves, the arrays in it from left to right.  Every instruction of a
 * computation owns the leaves [leaf, leaf + n_leaves) of that computation, an operand is a range of leaves, and so
 * tuples, their elements and the compact `%x#1#2` are nothing but copies of ranges.
 *
 * Instructions are templates of nodes: arrays live in the graph's arena and are shared by all copies that inlining and
 * unrolling make. */
#ifndef TVR_FRONTENDS_HLO_MODULE_H
#define TVR_FRONTENDS_HLO_MODULE_H
#include "eval/graph/graph.h"
#include "frontends/base/scan.h"
#include "frontends/hlo/hlo.h"

typedef enum HloClass {
  C_PARAMETER, C_CONSTANT,
  C_TUPLE,        /* result: the leaves of all operands */
  C_ELEMENT,      /* the leaves `index` of the operand */
  C_IDENTITY,     /* the leaves of all operands, unchanged */
  C_FIRST,        /* the leaves of the first operand */
  C_TOKEN,        /* no value */
  C_CALL,         /* the called computation, inlined */
  C_WHILE, C_CONDITIONAL,
  C_ASYNC_START,  /* (operands, results, ..) of the called computation */
  C_START,        /* (operands, results, ..) of the collective it is named after, or the results alone */
  C_DONE,         /* the results in what a start gave */
  C_COPY_START, C_COPY_DONE,
  C_BITCAST,      /* the same bytes: a reshape between physical layouts */
  C_ELEMENTWISE,  /* one result of the operands' dimensions */
  C_RESULTS,      /* one node per result, with the same operands */
  C_COLLECTIVE,   /* one node per operand */
  C_EXCHANGE,     /* one node; reads other devices */
  C_DEVICE,       /* the number of the device */
  C_UNIQUE,       /* no function of its operands */
  C_CUSTOM, C_REFUSE
} HloClass;

typedef enum HloOpcode {
#define OPCODE(id, text, class, least, most) HLO_##id,
#include "frontends/hlo/opcode.def"
#undef OPCODE
  HLO_UNKNOWN,
  HLO_N_OPCODES
} HloOpcode;

typedef enum HloAttr {
#define ATTRIBUTE(id, text, form) HA_##id,
#include "frontends/hlo/attr.def"
#undef ATTRIBUTE
  HLO_N_ATTRS
} HloAttr;

typedef enum HloAttrForm {
  A_SKIP, A_METADATA, A_FRONTEND, A_TEXT, A_STRING, A_WORD, A_INT, A_BOOL, A_REAL, A_INTS, A_SLICE, A_PADDING,
  A_WINDOW, A_LABELS, A_GROUPS, A_PAIRS, A_COMPUTATION, A_COMPUTATIONS
} HloAttrForm;

typedef struct HloShape HloShape;
struct HloShape {
  bool tuple;
  uint8_t dtype, rank;
  uint32_t n_leaves, n_parts;
  const int64_t *dims;
  const HloShape *const *parts;
  const HloShape *const *leaves; /* of a tuple: the arrays in it */
  const uint32_t *offsets;       /* of a tuple: leaves before each part */
};

typedef struct HloOperand {
  uint32_t instr; /* within the computation */
  uint32_t leaf;  /* first leaf, within the computation */
  const HloShape *shape;
} HloOperand;

/* How a collective names devices: see groups.c. */
typedef enum HloIds { IDS_NONE, IDS_REPLICAS, IDS_PARTITIONS, IDS_REPLICAS_OF_ALL, IDS_GLOBAL } HloIds;

/* Replica groups as written, or source-target pairs: every device at most once (as source, as target). */
typedef struct DeviceList {
  const int64_t *ints;
  uint32_t n;
  int64_t size; /* of a group; 0: pairs */
  int64_t most; /* largest device number; -1: none */
} DeviceList;

typedef struct HloInstr {
  const HloShape *shape;
  const Attr *attrs;
  const Literal *literal;
  const uint32_t *called;  /* computations it names */
  const DeviceList *devices; /* of a collective, or NULL */
  int64_t number;          /* parameter number, or tuple index */
  uint32_t first_arg, n_args; /* in HloModule.operands */
  uint32_t leaf;
  uint32_t at;             /* byte offset of the instruction */
  uint32_t layout;         /* byte offset of the result's layout; 0: none */
  uint32_t line, frames;
  Sym op, name, label;
  uint16_t opcode;
  uint16_t n_attrs;
  uint32_t n_called;
  uint8_t ids;             /* HloIds of replica_groups or source_target_pairs */
  bool reshape_indices;    /* gather, scatter: the index operand needs a last dimension of size 1 */
} HloInstr;

typedef struct HloComp {
  Sym name;
  uint32_t first, n;   /* in HloModule.instrs */
  uint32_t root;       /* within the computation */
  uint32_t n_leaves;
  uint32_t n_params;
  const uint32_t *params; /* instruction of each parameter, by number */
  uint32_t height;     /* levels of calls below it */
  uint32_t runs;       /* times it has been inlined */
  bool devices;        /* reads the device's number or other devices, or is no function of its parameters */
  Sym reducer;         /* set if it is one binary operator of its two parameters */
  Sym text;            /* canonical text, once asked for */
} HloComp;

typedef struct HloModule {
  Graph *graph; /* its arena holds all arrays */
  Sym constant;
  const char *text;
  Vec(HloInstr) instrs;
  Vec(HloOperand) operands;
  Vec(HloComp) comps;
  Vec(uint32_t) reads_devices; /* instructions that name devices, or read their number */
  uint32_t entry;
  int64_t n_replicas, n_partitions; /* as the header says; 0: not said */
  bool devices_are_replicas;
} HloModule;

#define NO_COMP UINT32_MAX

static inline HloInstr *hlo_instr(const HloModule *m, const HloComp *c, uint32_t i) {
  return &m->instrs.at[c->first + i];
}
static inline const HloOperand *hlo_args(const HloModule *m, const HloInstr *i) {
  return &m->operands.at[i->first_arg];
}
bool hlo_shape_equal(const HloShape *a, const HloShape *b);
static inline const HloShape *hlo_shape_leaf(const HloShape *s, uint32_t leaf) {
  return s->tuple ? s->leaves[leaf] : s;
}
const char *hlo_opcode_text(HloOpcode o);
extern const uint8_t hlo_classes[];
static inline HloClass hlo_opcode_class(HloOpcode o) { return hlo_classes[o]; }

/* canonical.c: text of a computation, equal exactly for equal computations (up to names and unused instructions). */
Sym hlo_comp_text(HloModule *m, uint32_t comp);
/* The same of several. */
Sym hlo_comps_text(HloModule *m, const uint32_t *comps, size_t n);
/* The operator, if the computation is one binary operator of its parameters ("assign": its second parameter). */
Sym hlo_comp_reducer(const HloModule *m, const HloComp *c);
/* GE, LT .., if it is that comparison of its first parameter with its second. */
Sym hlo_comp_keeps(const HloModule *m, const HloComp *c);

/* flatten.c: the entry computation as nodes of module->graph; false after errors. */
bool hlo_flatten(HloModule *m, Diags *diags, uint32_t source, const HloOptions *options);
#endif
