/* State of flattening, shared by its files.  See flatten.c. */
#ifndef TVR_FRONTENDS_STABLEHLO_FLOW_H
#define TVR_FRONTENDS_STABLEHLO_FLOW_H
#include "frontends/base/custom.h"
#include "frontends/stablehlo/module.h"

/* How a tensor is cut into blocks, and which device has which; one of each in Flow.cuts.  See cut.c. */
typedef struct Cut {
  uint32_t rank;
  Sym addends;             /* values are addends over axes, as this text says, or 0 */
  int64_t n_devices, reps; /* how many have each block */
  const Mesh *mesh;        /* NULL: devices are only numbered */
  const int64_t *dims;     /* of a block */
  const int64_t *tiles;    /* blocks along each dimension */
  const int64_t *order;    /* n_devices numbers: block after block, row-major, for each the devices that have it */
} Cut;

/* Of a parameter that its annotation does not cut: as what first takes it asks for (Flow.param_cut). */
extern const Cut CUT_OPEN;

/* A value: its node, which is a block of what the type says under a cut, or all of it (NULL); and the cut that an
 * annotation asks for: what SPMDFullToShardShape takes. */
typedef struct Bound {
  NodeId node;
  const Cut *cut, *asked;
} Bound;

typedef struct ParamCut {
  const Cut *cut;
  bool settled;
} ParamCut;

/* What the blocks of a node were put together to. */
typedef struct Whole {
  NodeId block, node;
  const Cut *cut;
} Whole;

typedef enum DeviceKind { DEVICES_UNKNOWN, DEVICES_PARTITIONS, DEVICES_REPLICAS } DeviceKind;

typedef struct Flow {
  MlirModule *m;
  Graph *g;
  Arena *arena;
  Diags *diags;
  const StablehloOptions *options;
  Vec(Bound) values;      /* stack: the values of each function being inlined */
  Vec(Bound) returned;    /* stack: what regions returned and nobody took yet */
  Vec(ParamCut) param_cut; /* of main's parameters, if its tensors are cut */
  Vec(const Cut *) cuts;
  Vec(Whole) wholes;
  Vec(Sym) warned;
  uint64_t done;          /* operators read so far, copies counted */
  unsigned loops, depth;  /* loops being unrolled, regions being read around the current place */
  uint32_t within;        /* the innermost loop around the place that is read once, or NO_LOOP */
  uint32_t frames;        /* of the call being inlined: where operators come from that do not say so themselves */
  bool outer;             /* where values are whole tensors, cut over the devices: outside manual computations */
  NodeId device;          /* the node of the device's number, or NO_NODE */
  DeviceKind kind;
  int64_t n_devices;      /* 0: not known */
  int64_t most;           /* largest device number met */
  bool reads_devices;
} Flow;

typedef struct OpInfo OpInfo;

/* An operator becoming nodes. */
typedef struct Low {
  Flow *f;
  const MlirFunc *fn;
  size_t base;            /* its function's values in f->values */
  const MlirOp *op;
  const OpInfo *info;
  Sym what;               /* name of the definition */
  Sym label;
  uint32_t frames;
  const NodeId *args;
  uint32_t n_args;
  uint64_t used;          /* attributes already read */
  Attr attrs[MAX_ATTRS + 16];
  uint32_t n_attrs;
} Low;

struct OpInfo {
  const char *text;
  bool (*lower)(Low *l);
  const char *what;
  int least, most;        /* operands; -1: any number */
};

#define LOW_ERROR(l, code, ...) MLIR_ERROR((l)->f->m, (l)->op, code, __VA_ARGS__)

static inline const MlirType *low_type(const Low *l, uint32_t arg) { return l->fn->types[l->op->args[arg]]; }
static inline const MlirType *low_out(const Low *l) { return l->op->types[0]; }

/* low.c: attributes and nodes.  The first attribute of one of the names (the second may be NULL), or NULL. */
const MlirAttr *low_attr(Low *l, const char *name, const char *other);
/* The same as a list of integers; false after errors.  Absent: *out NULL, *n 0; an error if `must`. */
bool low_ints(Low *l, const char *name, const char *other, bool must, const int64_t **out, uint32_t *n);
bool low_int(Low *l, const char *name, const char *other, bool must, int64_t otherwise, int64_t *out);
/* Attributes of the nodes to come. */
void low_add(Low *l, Attr a);
void low_add_ints(Low *l, const char *name, const int64_t *ints, uint32_t n);
void low_add_int(Low *l, const char *name, int64_t value);
void low_add_sym(Low *l, const char *name, Sym s);
/* The word of `#stablehlo<comparison_direction EQ>`. */
Text low_enum(Text t);
/* A node of the operator's place. */
NodeId low_node(Low *l, Sym op, uint8_t dtype, const int64_t *dims, size_t rank, uint32_t result, const NodeId *args,
                uint32_t n_args, const Attr *attrs, uint32_t n_attrs);
NodeId low_reshape(Low *l, NodeId x, const int64_t *dims, size_t rank);
NodeId low_constant(Low *l, const MlirType *t, Rat value);
void low_set(Low *l, uint32_t result, NodeId node);
/* All results as nodes l->what of l->args with l->attrs; attributes nobody read are kept, or reported. */
bool low_results(Low *l);
/* Attributes nobody read go along as their text; a warning if the operator has a definition. */
Sym low_rest(Low *l, bool warn);
/* The integer a node is known to be. */
bool low_known(const Flow *f, NodeId id, int64_t *out);

/* region.c: regions `from` .. as `reducer` or `region`. */
bool region_add(Low *l);
/* region_order.c: its one region, if that only compares and chooses, as HLO writes it; or 0. */
Sym region_order(Low *l);
/* The regions of a select_and_scatter: how it compares (`keeps`) and its `reducer`, or the text of both. */
bool region_pair(Low *l);
/* region.c: the operator, if a region is one binary operator of its parameters. */
Sym region_reducer_of(const MlirFunc *fn, const MlirRegion *r);
/* All regions as the attribute `region`; values they capture become operands. */
bool region_opaque(Low *l);
/* Do its regions exchange values between devices, or ask which one this is? */
bool region_talks(Low *l);
/* The function an operator calls, or NULL after an error. */
const MlirFunc *region_callee(Low *l);

/* flatten.c: runs a region: parameters are `args`; what it returns, `n` values, lies on top of f->returned. */
bool flow_region(Flow *f, const MlirFunc *fn, const MlirRegion *r, size_t base, const Bound *args, uint32_t n);
/* The operator's operands as they are bound, in the arena. */
Bound *flow_args(Low *l);
/* Takes `n` values off f->returned as results of the operator. */
bool flow_take(Low *l, uint32_t n);

/* cut.c: how a sharding `<@mesh, [..]>` cuts a tensor, NULL if not at all; false if it is not read. */
bool cut_read(Flow *f, Text sharding, const MlirType *whole, const Cut **out, const Mesh **mesh);
/* The cut of `whole` into tiles, device d having tile[d], row-major; NULL if these do not fit, or not evenly.  `devices` is
 * all of them in the order of the mesh: the k-th devices that have each tile agree in the axes that do not cut. */
const Cut *cut_of_tiles(Flow *f, const MlirType *whole, const int64_t *tiles, const int64_t *tile, const int64_t *devices,
                        int64_t n_devices, const Mesh *mesh, Sym addends);
/* tiles.c: the same as cut_read of `"{devices=[2,1,4]<=[8] last_tile_dim_replicate}"`; *manual: that is what it says. */
bool tiles_read(Flow *f, Text sharding, const MlirType *whole, const Cut **out, bool *manual);
typedef enum TilesCall { TILES_NOTHING, TILES_ASK, TILES_ENTER, TILES_LEAVE } TilesCall;
/* What a custom call does for the partitioner; become_tiles does it. */
TilesCall tiles_call(const MlirOp *op);
bool become_tiles(Low *l);
/* There are n devices, those of the mesh unless it is NULL; reports at `op` that they are others. */
bool cut_devices(Flow *f, const MlirOp *op, const Mesh *mesh, int64_t n);
/* A value as all of the tensor, or as its block under a cut; false after errors. */
bool cut_whole(Low *l, Bound *b, const MlirType *whole);
bool cut_block(Low *l, Bound *b, const MlirType *whole, const Cut *c);

/* table.c */
const OpInfo *op_info(Text op);
bool op_reads_devices(const OpInfo *info);
/* A custom call without side effects, of nothing but its operands. */
bool custom_is_function(Low *l);
/* It exchanges values with other devices, or asks which one this is. */
bool op_talks(const OpInfo *info);

/* The ways operators become nodes, as op.def says: math.c, shape.c, index.c, reduce.c, comm.c, control.c, manual.c. */
#define LOWER(name) bool become_##name(Low *l);
LOWER(elementwise) LOWER(compare) LOWER(constant) LOWER(fourier) LOWER(square) LOWER(erfc) LOWER(dot) LOWER(dot_general)
LOWER(convolution) LOWER(batch_norm) LOWER(opaque) LOWER(unique) LOWER(refuse) LOWER(custom) LOWER(top_k)
LOWER(reshape) LOWER(broadcast) LOWER(transpose) LOWER(reverse) LOWER(iota) LOWER(slice) LOWER(pad) LOWER(concatenate)
LOWER(dynamic_slice) LOWER(plain) LOWER(gather) LOWER(scatter)
LOWER(reduce) LOWER(window) LOWER(select_and_scatter) LOWER(sort)
LOWER(collective) LOWER(gather_all) LOWER(scatter_all) LOWER(exchange) LOWER(permute) LOWER(device)
LOWER(identity) LOWER(call) LOWER(loop) LOWER(branch) LOWER(choose) LOWER(manual) LOWER(token)
#undef LOWER
#endif
