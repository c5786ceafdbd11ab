/* Relation: how the inputs and outputs of a distributed graph correspond to those of the sequential one.
 *
 * A mesh is a list of named axes; devices are numbered, and `device_order` gives the device at each coordinate
 * (row-major over the axes, last axis fastest).  A layout says per dimension which axes cut it, major to minor (equal
 * blocks, the last padded when the size does not divide), and over which axes the values are addends. */
#ifndef TVR_RELATION_H
#define TVR_RELATION_H
#include "eval/graph/graph.h"

typedef struct Axis {
  Sym name;
  int64_t size;
} Axis;

typedef struct Mesh {
  uint32_t n_axes;
  Axis *axes;
  int64_t n_devices;
  int64_t *device_order; /* n_devices entries: device number at each coordinate */
} Mesh;

/* A copy whose arrays live in `a`. */
Mesh *mesh_copy(const Mesh *m, Arena *a);
/* Coordinate of a device along every axis, into at[n_axes]. */
void mesh_coordinate(const Mesh *m, int64_t device, int64_t *at);
/* Groups of devices that differ along some axes only, each in row-major order of those axes as listed: n_devices numbers,
 * group after group; *size members each. */
int64_t *mesh_groups(const Mesh *m, const uint32_t *axes, uint32_t n, Arena *a, uint32_t *size);
/* Device at a coordinate. */
int64_t mesh_device(const Mesh *m, const int64_t *at);

typedef struct Layout {
  uint8_t rank;
  struct LayoutDim {
    uint8_t n;
    uint32_t *axes; /* indices into mesh.axes, major to minor */
  } *dims;
  uint8_t n_partial;
  uint32_t *partial; /* axes over which the values are addends */
} Layout;
/* A copy whose arrays live in `a`. */
Layout layout_copy(const Layout *l, Arena *a);
bool layout_same(const Layout *a, const Layout *b);

/* Equal blocks of a dimension of the sequential tensor in another order (zig-zag sequences, packed projections): block
 * k of what the layout cuts is block order[k].  Or (order is NULL) each with zeros up to `padded` rows: the pieces of
 * pieces, where only the last cut is uneven.  n == 0: as it is. */
typedef struct Blocks {
  uint32_t dim, n;
  const int64_t *order;
  int64_t padded;
} Blocks;

typedef struct Related {
  Sym name, dist_name; /* dist_name: of the distributed tensor, if it is another one; or 0 */
  int64_t seq, dist; /* parameter numbers, or positions among the outputs */
  Layout layout;
  Blocks blocks;
  bool rearranged;     /* the sequential tensor has its blocks in that order now (blocks_apply) */
  bool has_lo, has_hi; /* assumed range: lo <= value <= hi (integers: hi inclusive here) */
  Rat lo, hi;
  uint32_t n_also; /* values allowed besides lo .. hi; the only ones if only_also (there is no lo or hi then) */
  const Rat *also;
  bool only_also;
  int64_t divided; /* an output: the program's own values were divided by this to be addends; 0: they were not */
  Rat factor;      /* of values on the way (cut.h): so many times the sequential one; 0: once */
  uint32_t loop;   /* 1 + the loop (of both graphs) that carries it or counts with it; 0: of the program itself */
  double scale; /* size of random values; no meaning for the proof */
  const int64_t *seq_shape, *dist_shape; /* as the relation has them, of the layout's rank; NULL: it does not say */
  bool typed;                            /* it names the element type: that of either tensor */
  DType dtype;
  Span span;
} Related;

typedef struct Relation {
  Arena arena;
  Mesh mesh;
  uint32_t n_inputs, n_outputs;
  Related *inputs, *outputs;
  Span span;      /* of the list of inputs, if it is written in a file */
  bool by_number; /* parameters correspond by number, since they have other names */
} Relation;

static inline Rat related_factor(const Related *r) { return r->factor ? r->factor : RAT_1; }
/* The least range that has every allowed value; it may have one end only, or none. */
typedef struct Hull {
  bool has_lo, has_hi;
  Rat lo, hi;
} Hull;
Hull related_hull(const Related *r);
/* Only listed values are allowed, all of them integers: a mask need not have a type of integers. */
bool related_whole(const Related *r);
/* The widest interval between allowed values next to lo .. hi in which there is none; false: no such. */
bool related_gap(const Related *r, Rat *lo, Rat *hi);
/* What an input of the sequential program may be: what every entry about it allows, in the types of all their tensors; in
 * the arena.  Without a value (only_also, and none of them) there is none. */
Related relation_input(const Relation *r, const Graph *seq, const Graph *dist, int64_t number, Arena *a);
void relation_free(Relation *r);
/* Checks a relation against both graphs: every parameter of the distributed graph related once, shapes equal to the
 * sequential ones cut as the layout says (padded blocks allowed), known axes.  Reports what does not fit. */
bool relation_check(const Relation *r, const Graph *seq, const Graph *dist, Diags *diags);
/* "[i, (tp, j)]": a layout in index notation. */
char *layout_print(const Layout *l, const Mesh *m, Arena *a);
#endif
