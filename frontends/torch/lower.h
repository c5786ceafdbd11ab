/* Lower: operators of ATen and of the functional collectives as operators of the library.
 *
 * aten.def is the table, with composite.def, and plan.def for execution plans: per operator the parameters of its schema,
 * a handler, and what the handler is to make.  A handler binds what it understands exactly; anything else (an unknown
 * operator, a parameter it does not know, a case it has no meaning for) becomes an unknown function of all operands.  A
 * literal that differs from rank to rank is a scalar read from a table at partition_id, and the operator takes its dynamic
 * form.  Complex tensors have one more dimension, of size 2, last. */
#ifndef TVR_TORCH_LOWER_H
#define TVR_TORCH_LOWER_H
#include "frontends/base/compose.h"
#include "frontends/torch/program.h"

enum { LOWER_MAX_PARAMS = 20 };

/* One result of a value: a node, or a piece of one that has not been cut yet. */
typedef struct LowerValue {
  NodeId node;  /* NO_NODE: not a tensor, or not cut yet */
  bool complex;
  NodeId whole; /* pieces of equal operator: cut from this .. */
  uint32_t dim;
  int64_t at, size;
  NodeId from, to; /* of a first result: nodes made for the operator */
} LowerValue;

/* A set of ranks on its way through its program. */
typedef struct LowerThread {
  const TorchSet *set;
  uint32_t *first; /* by value: its first result; more for operands of several sets */
  uint32_t next;   /* node to be run */
} LowerThread;

/* With whom a rank exchanges a message, and how. */
typedef struct LowerPeer {
  int64_t rank, tag, group; /* number of a group; -1: none */
} LowerPeer;

/* Something sent, until it is received. */
typedef struct LowerSend {
  int64_t from;
  LowerPeer to;
  NodeId value;
  Sym name;
  uint32_t line;
  bool received;
  uint32_t next; /* 1 + the one that its rank sent after it; 0: none */
} LowerSend;

/* What was received, by rank: what of which rank stands there; -1: 0; -2: nobody looks (messages.c). */
typedef struct Arrival {
  NodeId node;
  int64_t *from;
  NodeId *value;
} Arrival;

/* An exchange of rows, of which ranks have, or get, different numbers. */
typedef struct Uneven {
  TorchArg out, in;      /* sizes of pieces */
  const bool *member;    /* ranks that take part */
  const NodeId *operand; /* by rank */
  NodeId *all;           /* by member of a group: its rows, on all ranks; NO_NODE: not made yet */
} Uneven;

typedef struct Lower {
  TorchProgram *p;
  Graph *g;
  Composer composer;
  Arena arena;
  LowerThread *threads; /* by set */
  Vec(LowerSend) sends;
  uint32_t *sent, *sent_last; /* by rank: 1 + the first that is not received, 1 + the last; 0: none */
  Vec(Arrival) arrivals;
  uint32_t *const *joints; /* torch_align */
  bool *apart;             /* by joint: every set runs it by itself */
  uint32_t *first;      /* those of the set being run */
  const bool *member;   /* its ranks, or those of all sets that run the operator together */
  Uneven *uneven;       /* the exchange that sets run one after the other; NULL: none */
  Vec(LowerValue) results;
  Vec(uint32_t) rows; /* by symbol of an operator: row of aten.def + 1, UINT32_MAX: none, 0: not looked up yet */
  Vec(uint32_t) frame_of; /* by symbol of a source place: its frames */
  NodeId partition;   /* partition_id, or NO_NODE */
  /* the operator being lowered */
  const TorchNode *node;
  uint32_t value;     /* its number */
  const TorchArg *arg[LOWER_MAX_PARAMS]; /* by parameter; NULL: left out, or null */
  const char *text;   /* what the row says to make */
  const char *params; /* their names, as the row has them */
  const char *why;    /* what to say of it where it stays an unknown function; NULL: that there is no definition */
} Lower;

/* The node that a set comes to next, or NULL; the number of its value. */
static inline const TorchNode *thread_node(const LowerThread *t) {
  return t->next < t->set->n_nodes ? &t->set->nodes[t->next] : NULL;
}
static inline uint32_t thread_value(const LowerThread *t) { return t->set->n_inputs + t->set->n_constants + t->next; }

typedef enum Step { STEP_MOVED, STEP_WAITS, STEP_FAILED } Step;

/* How a handler ends. */
typedef enum LowerResult {
  LOWER_DONE,
  LOWER_OPAQUE, /* not understood: nothing was set */
  LOWER_FAILED, /* reported */
} LowerResult;
typedef LowerResult Handler(Lower *l);

/* What makes nodes, in the name of the operator being lowered: for what all readers share. */
Composer *make_composer(Lower *l);
/* ---- making nodes.  Results have the type and shape given; `args` and `attrs` are copied. */
/* Of the operator being lowered. */
uint32_t make_frames(Lower *l);
NodeId make(Lower *l, const char *op, uint8_t dtype, uint32_t rank, const int64_t *dims, const NodeId *args,
            uint32_t n_args,
            const Attr *attrs, uint32_t n_attrs);
/* Of the shape of result k of the node being lowered. */
NodeId make_out(Lower *l, uint32_t k, const char *op, const NodeId *args, uint32_t n_args, const Attr *attrs,
                uint32_t n_attrs);
Attr attr_ints(Lower *l, const char *name, const int64_t *v, uint32_t n);
Attr attr_dim(Lower *l, const char *name, int64_t d); /* a list of one */
NodeId make_splat(Lower *l, uint8_t dtype, uint32_t rank, const int64_t *dims, Rat value);
NodeId make_reshape(Lower *l, NodeId x, uint32_t rank, const int64_t *dims);
NodeId make_transpose(Lower *l, NodeId x, const int64_t *perm);
NodeId make_convert(Lower *l, NodeId x, uint8_t dtype);
/* x with dimension `from` in the place of `to`, the others in order. */
NodeId make_moved(Lower *l, NodeId x, uint32_t from, uint32_t to);
/* The shape that x and y are broadcast to; false: there is none. */
bool common_shape(const Lower *l, NodeId x, NodeId y, uint32_t *rank, int64_t *dims);
/* With PyTorch's rules: last dimensions against last, sizes of 1 are repeated; NO_NODE if it does not fit. */
NodeId make_broadcast(Lower *l, NodeId x, uint32_t rank, const int64_t *dims);
NodeId make_slice(Lower *l, NodeId x, uint32_t dim, int64_t start, int64_t size, int64_t step);
NodeId make_binary(Lower *l, const char *op, NodeId x, NodeId y); /* of equal shapes */
/* Contraction of one dimension of each; `batch` leading dimensions are shared. */
NodeId make_dot(Lower *l, NodeId x, NodeId y, uint32_t batch, int64_t dx, int64_t dy);
/* op over the dimensions `dims` of x, which go. */
NodeId make_reduce(Lower *l, const char *op, uint8_t dtype, NodeId x, const int64_t *dims, uint32_t n,
                   const NodeId *more, uint32_t n_more);
/* The part of `size` from `start` (a scalar node) on along a dimension. */
NodeId make_dynamic_slice(Lower *l, NodeId x, uint32_t dim, NodeId start, int64_t size);
/* x with u written at `start` along a dimension. */
NodeId make_update(Lower *l, NodeId x, NodeId u, uint32_t dim, NodeId start);
/* A scalar per rank. */
NodeId make_by_rank(Lower *l, uint8_t dtype, const Rat *values);
NodeId make_partition_id(Lower *l);
/* y on the ranks `on`, x on the others; NO_NODE: they have different types. */
NodeId make_on(Lower *l, const bool *on, NodeId y, NodeId x);
static inline const Node *node_of(const Lower *l, NodeId id) { return &l->g->nodes.at[id]; }

/* ---- buffers that hold several tensors (packed.c).  NO_NODE, 0: it is none of that kind */
/* Part of a concatenation, if it is one or several of those put together. */
NodeId packed_slice(Lower *l, NodeId x, uint32_t dim, int64_t start, int64_t size);
/* The all-gather of a concatenation along dimension 0, part by part. */
NodeId packed_gather(Lower *l, NodeId x, int64_t members, const Attr *a, uint32_t n_attrs);
/* What is put together along dimension 0. */
uint32_t packed_parts(Lower *l, NodeId x, NodeId *parts, uint32_t most);
/* Parts of a buffer with a row for each member, rows one after the other; and the parts put together again. */
uint32_t packed_rows(Lower *l, NodeId x, int64_t members, NodeId *parts, uint32_t most);
NodeId packed_whole(Lower *l, const NodeId *parts, uint32_t n);
/* y on the ranks `on`, x on the others, part by part: two buffers whose parts have the same sizes. */
NodeId packed_on(Lower *l, const bool *on, NodeId y, NodeId x);
/* Takes out nodes that no output needs, though outputs of the program need what they were made from. */
void packed_drop(Lower *l);

/* ---- arguments */
/* The argument of a parameter of this name; NULL: left out, null, or the row has none. */
const TorchArg *arg_named(const Lower *l, const char *name);
/* Node of a tensor argument; NO_NODE (nothing is reported) if it is none. */
NodeId arg_tensor(Lower *l, const TorchArg *a);
/* The same, by rank, where ranks have different ones of few: several nodes, else one. */
const NodeId *arg_by_rank(Lower *l, const TorchArg *a);
bool arg_complex(const Lower *l, const TorchArg *a);
/* Dimensions of a tensor argument, which has a node: without the hidden one of complex numbers. */
uint32_t arg_rank(Lower *l, const TorchArg *a);
/* An integer that is the same on every rank; a default for NULL.  false: no integer, or it varies. */
bool arg_int(const TorchArg *a, int64_t otherwise, int64_t *out);
bool arg_bool(const TorchArg *a, bool otherwise, bool *out);
/* Integer on rank r. */
bool arg_int_at(const TorchArg *a, int64_t r, int64_t otherwise, int64_t *out);
/* A dimension of a tensor of `rank` dimensions, counted from the end if negative. */
bool arg_dim(const TorchArg *a, int64_t otherwise, uint32_t rank, uint32_t *out);
/* A list of dimensions (or one); all of them for NULL or []; in increasing order. */
bool arg_dims(const TorchArg *a, uint32_t rank, int64_t *out, uint32_t *n);
/* A list of integers, the same on every rank. */
bool arg_ints(const TorchArg *a, int64_t *out, uint32_t max, uint32_t *n);
/* A number as a scalar node of an element type (rounded to it, from a table if it varies); NO_NODE if it is none. */
NodeId arg_scalar(Lower *l, const TorchArg *a, uint8_t dtype);
/* The same with a number for NULL. */
NodeId arg_scalar_or(Lower *l, const TorchArg *a, Rat otherwise, uint8_t dtype);
/* A tensor or a number, of this type and shape. */
NodeId arg_operand(Lower *l, const TorchArg *a, uint8_t dtype, uint32_t rank, const int64_t *dims);
/* The number, rounded to an element type. */
bool number_in(const TorchArg *a, uint8_t dtype, Rat *out);
/* The type two tensors or numbers are compared in. */
uint8_t common_type(Lower *l, const TorchArg *a, const TorchArg *b);
/* The group of an argument, as replica groups of all devices; NULL: it is none. */
const TorchGroup *lower_group(Lower *l, const TorchArg *a, Attr *out);
/* Every number in the argument, the same on all ranks? */
bool arg_uniform(const TorchArg *a);
/* A complex result has a hidden dimension. */
uint32_t out_dims(const Lower *l, uint32_t k, int64_t *dims);
uint8_t real_type(uint8_t dtype);

/* ---- results */
void set_result(Lower *l, uint32_t k, NodeId id);
static inline LowerResult done(Lower *l, NodeId id) {
  if (id == NO_NODE) return LOWER_OPAQUE;
  set_result(l, 0, id);
  return LOWER_DONE;
}
/* Pieces of x along a dimension: result k is `sizes[k]` long. */
LowerResult set_pieces(Lower *l, NodeId x, uint32_t dim, const int64_t *sizes, uint32_t n, bool complex);
/* All results that are tensors have a node? */
bool results_set(const Lower *l);
/* The operator as an unknown function of all it was given. */
Attr unique_attr(Lower *l); /* what no other operator has */
LowerResult lower_opaque(Lower *l, bool unique);
/* What handler h does with pairs of real numbers, done with complex ones; LOWER_OPAQUE: it is not known to be the same. */
LowerResult lower_pairs(Lower *l, Handler *h);
/* The set being run. */
const TorchSet *lower_set(const Lower *l);
/* What the table says of an operator, as that of number `value`; LOWER_OPAQUE: nothing. */
LowerResult lower_meaning(Lower *l, const TorchNode *n, uint32_t value);
/* One operator of the set being run; `value` is its number, `first` the first node made for it. */
bool lower_node(Lower *l, const TorchNode *n, uint32_t value, NodeId first);
/* Programs of all sets, meeting where they communicate. */
bool lower_threads(Lower *l);
/* ---- what ranks send each other (messages.c) */
void messages_begin(Lower *l);
/* The set comes to a send, or to a receive, whose sends may not be there yet.  false, STEP_FAILED: reported. */
bool lower_send(Lower *l, LowerThread *t);
Step lower_receive(Lower *l, LowerThread *t);
/* The set waits for ranks `on` to send. */
void messages_missing(Lower *l, const LowerThread *t, bool *on);
/* Was all received that was sent? */
bool messages_received(Lower *l);
/* of[r] on rank r, where each is something received, or 0; else NO_NODE. */
NodeId messages_by_rank(Lower *l, const NodeId *of);
bool lower_error(Lower *l, DiagCode code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#define ATEN(name, params, handler, text) LowerResult handler(Lower *l);
#include "frontends/torch/aten.def"
#include "frontends/torch/composite.def"
#include "frontends/plan/moves.def"
#include "frontends/plan/plan.def"
#undef ATEN
#endif
