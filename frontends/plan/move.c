/* Adapters: what moves tensors between devices, primitive by primitive. */
#include <string.h>

#include "frontends/plan/unfold.h"

static const PlanArg *kw(const PlanPrim *prim, const char *name, PlanArgKind kind) {
  Sym s = sym(name);
  for (uint32_t k = 0; k < prim->n_kws; k++)
    if (prim->kws[k].name == s && prim->kws[k].value.kind == kind) return &prim->kws[k].value;
  return NULL;
}

/* What a primitive makes for the next ones of its adapter alone. */
typedef struct Within {
  uint32_t n;
  struct WithinValue {
    uint32_t part;
    TorchArg value;
  } *at;
} Within;

typedef struct Move {
  Unfold *u;
  const PlanNode *n;
  Within *within;
  const PlanPrim *prim;
  bool fused;        /* its tensors are those of the adapter */
  uint32_t from, to; /* parts, or NO_PLAN */
} Move;

static uint32_t only(const PlanArg *list, uint32_t n) { return n && list[0].kind == PA_TENSOR ? list[0].sub : NO_PLAN; }

static bool lacks(const Move *m, const char *name) {
  return unfold_error(m->u, m->n, E_GRAPH_SYNTAX, "primitive '%s' has no \"%s\"", sym_text(m->prim->op), name);
}

static const char *name_of(const Move *m) {
  uint32_t sub = m->from != NO_PLAN ? m->from : m->to;
  return arena_printf(&m->u->p->arena, "%s of %s", sym_text(m->prim->op), sym_text(full_of(m->u, sub)->name));
}

static TorchArg number(int64_t i) { return (TorchArg){.kind = TA_INT, .i = i, .r = rat_int(i)}; }

/* The devices of a primitive as they stand in their group: by number, or by where their parts are. */
typedef struct Members {
  uint32_t n, own; /* own: position of the device */
  int64_t *device;
} Members;

static bool members(const Move *m, Members *out) {
  const PlanArg *ranks = kw(m->prim, "ranks", PA_LIST);
  if (!ranks) return lacks(m, "ranks");
  *out = (Members){.n = ranks->n, .own = UINT32_MAX, .device = ARENA_ARRAY(&m->u->p->arena, int64_t, ranks->n + 1)};
  for (uint32_t k = 0; k < ranks->n; k++) {
    uint32_t i = k;
    for (; i && out->device[i - 1] > ranks->list[k].i; i--) out->device[i] = out->device[i - 1];
    out->device[i] = ranks->list[k].i;
  }
  for (uint32_t k = 0; k < out->n; k++)
    if (out->device[k] == m->u->device) out->own = k;
  return out->own != UINT32_MAX ||
         unfold_error(m->u, m->n, E_COLLECTIVE, "primitive '%s' is run by device %u, which it does not name",
                      sym_text(m->prim->op), m->u->device);
}

static bool dimension(const Move *m, const char *name, int64_t *out) {
  const PlanArg *dim = kw(m->prim, name, PA_INT);
  if (!dim) return lacks(m, name);
  *out = dim->i;
  uint32_t rank = full_of(m->u, m->from)->rank;
  return (*out >= 0 && *out < rank) ||
         unfold_error(m->u, m->n, E_GRAPH_SYNTAX, "there is no dimension %lld", (long long)*out);
}

/* What the adapter does not hand on is nobody else's. */
static void write(const Move *m, TorchArg v, bool replaces) {
  bool out = false;
  for (uint32_t k = 0; k < m->n->n_out && !out; k++) out = m->n->out[k].kind == PA_TENSOR && m->n->out[k].sub == m->to;
  if (out) unfold_write(m->u, m->n, m->to, v, replaces);
  else m->within->at[m->within->n++] = (struct WithinValue){m->to, v};
}

static bool emit(const Move *m, const char *op, const TorchArg *args, uint32_t n_args, const char *odd) {
  TorchType t = type_of_sub(m->u, m->to);
  TorchArg v = unfold_emit(m->u, m->n, sym(op), name_of(m), args, n_args, &t, 1);
  vec_last(&m->u->nodes).odd = odd;
  write(m, v, m->from == m->to);
  return true;
}

static bool operand(const Move *m, TorchArg *out) {
  for (uint32_t k = m->within->n; k-- > 0;)
    if (m->within->at[k].part == m->from) return *out = m->within->at[k].value, true;
  if (m->from == NO_PLAN)
    return unfold_error(m->u, m->n, E_GRAPH_SYNTAX, "primitive '%s' has no operand", sym_text(m->prim->op));
  return unfold_read(m->u, m->n, m->from, out);
}

static bool identity(const Move *m) {
  TorchArg x;
  if (!operand(m, &x)) return false;
  write(m, x, m->from == m->to);
  return true;
}

static bool all_reduce(const Move *m) {
  TorchArg args[3] = {{0}, {.kind = TA_STRING, .s = sym("sum")}};
  Members g;
  return members(m, &g) && operand(m, &args[0]) && unfold_group(m->u, m->n, g.device, g.n, false, &args[2]) &&
         emit(m, "plan.all_reduce", args, 3, NULL);
}

/* Where the device stands in its group, and where its part is by index maps, if that is elsewhere: run time goes by the
 * first, who made the plan thought of the second. */
static const char *misplaced(const Move *m, uint32_t part, uint32_t whole, int64_t dim, const Members *g) {
  const PlanSub *x = &m->u->plan->subs.at[part], *all = &m->u->plan->subs.at[whole];
  int64_t size = x->end[dim] - x->start[dim], before = x->start[dim] - all->start[dim];
  bool is_piece = size > 0 && before >= 0 && before % size == 0 && size * g->n == all->end[dim] - all->start[dim];
  if (!is_piece || before / size == g->own) return NULL;
  return arena_printf(&m->u->p->arena,
                      "pieces go by rank: that of rank %u is number %u of %u, where its index map says %lld", m->u->device,
                      g->own + 1, g->n, (long long)(before / size + 1));
}

/* By index maps, where the members' parts are is known of one's own only: the number of parts before it. */
static bool own_place(const Move *m, const PlanSub *part, const PlanSub *whole, int64_t dim, const Members *g, int64_t *at) {
  int64_t size = part->end[dim] - part->start[dim], before = part->start[dim] - whole->start[dim];
  *at = size ? before / size : 0;
  return (size && before % size == 0 && *at >= 0 && *at < g->n) ||
         unfold_error(m->u, m->n, E_UNSUPPORTED, "part %lld is none of %u equal ones", (long long)part->id, g->n);
}

/* The place of every member in the order of the index maps: each device says its own in its own primitive. */
static bool indexed(const Move *m, const char *op, int64_t dim, bool gathers, Members *g) {
  const Plan *plan = m->u->plan;
  int64_t *device = ARENA_ARRAY(&m->u->p->arena, int64_t, g->n);
  for (uint32_t k = 0; k < g->n; k++) device[k] = -1;
  for (size_t i = 0; i < plan->nodes.len; i++) {
    const PlanNode *n = &plan->nodes.at[i];
    if (n->kind != PLAN_ADAPTER || n->id != m->n->id) continue; /* one adapter has one number on all devices */
    for (uint32_t j = 0; j < n->n_prims; j++) {
      const PlanPrim *prim = &n->prims[j];
      if (strcmp(sym_text(prim->op), op) || n->n_devices != 1) continue;
      uint32_t in = m->fused ? only(n->in, n->n_in) : only(prim->in, prim->n_in);
      uint32_t out = m->fused ? only(n->out, n->n_out) : only(prim->out, prim->n_out);
      if (in == NO_PLAN || out == NO_PLAN) continue;
      const PlanSub *part = &plan->subs.at[gathers ? in : out], *whole = &plan->subs.at[gathers ? out : in];
      int64_t at;
      for (uint32_t k = 0; k < g->n; k++)
        if (g->device[k] == n->devices[0] && own_place(m, part, whole, dim, g, &at)) device[at] = g->device[k];
    }
  }
  for (uint32_t k = 0; k < g->n; k++)
    if (device[k] < 0) return unfold_error(m->u, m->n, E_UNSUPPORTED, "its index maps do not say where each part goes");
  g->device = device;
  for (uint32_t k = 0; k < g->n; k++)
    if (device[k] == m->u->device) g->own = k;
  return true;
}

static bool gather_along(const Move *m, const char *key) {
  int64_t dim;
  TorchArg args[3];
  Members g;
  if (!members(m, &g) || !dimension(m, key, &dim) || !operand(m, &args[0])) return false;
  if (m->u->options->by_index && !indexed(m, sym_text(m->prim->op), dim, true, &g)) return false;
  args[1] = number(dim);
  return unfold_group(m->u, m->n, g.device, g.n, false, &args[2]) &&
         emit(m, "plan.all_gather", args, 3, misplaced(m, m->from, m->to, dim, &g));
}

/* Whether the piece has the shape that is said of it. */
static bool is_piece(const Move *m, int64_t dim, uint32_t n) {
  const TorchType whole = type_of_sub(m->u, m->from), piece = type_of_sub(m->u, m->to);
  bool is = whole.rank == piece.rank;
  for (uint32_t d = 0; is && d < whole.rank; d++) is = piece.dims[d] == (d == dim ? whole.dims[d] / n : whole.dims[d]);
  const char *name = sym_text(full_of(m->u, m->to)->name);
  return is || unfold_fault(m->u, m->n, "it cuts a piece of %s of another shape than is said", name);
}

static bool chunk_along(const Move *m, const char *key) {
  int64_t dim;
  TorchArg args[4];
  Members g;
  if (!members(m, &g) || !dimension(m, key, &dim) || !operand(m, &args[0])) return false;
  if (m->u->options->by_index && !indexed(m, sym_text(m->prim->op), dim, false, &g)) return false;
  const PlanSub *x = &m->u->plan->subs.at[m->from];
  int64_t size = x->end[dim] - x->start[dim];
  if (size % g.n) return unfold_error(m->u, m->n, E_UNSUPPORTED, "%lld rows are not cut into %u", (long long)size, g.n);
  if (!is_piece(m, dim, g.n)) return false;
  args[1] = number(dim), args[2] = number(g.own * (size / g.n)), args[3] = number(size / g.n);
  return emit(m, "plan.chunk", args, 4, misplaced(m, m->to, m->from, dim, &g));
}

static bool all_gather(const Move *m) { return gather_along(m, "dim"); }
static bool chunk(const Move *m) { return chunk_along(m, "dim"); }

/* Cut along one dimension, exchanged, put together along another one. */
static bool exchange(const Move *m, const char *cut, const char *join) {
  int64_t i, o;
  TorchArg args[4];
  Members g;
  if (!members(m, &g) || !dimension(m, cut, &o) || !dimension(m, join, &i) || !operand(m, &args[0])) return false;
  args[1] = number(o), args[2] = number(i);
  return unfold_group(m->u, m->n, g.device, g.n, false, &args[3]) &&
         emit(m, "plan.all_to_all", args, 4, misplaced(m, m->to, m->from, o, &g));
}
static bool all_to_all(const Move *m) { return exchange(m, "odim", "idim"); }
static bool all_to_all_back(const Move *m) { return exchange(m, "idim", "odim"); }

static bool reduce_scatter(const Move *m) {
  int64_t dim;
  TorchArg args[3];
  Members g;
  if (!members(m, &g) || !dimension(m, "dim", &dim) || !operand(m, &args[0])) return false;
  args[1] = number(dim);
  return unfold_group(m->u, m->n, g.device, g.n, false, &args[2]) &&
         emit(m, "plan.reduce_scatter", args, 3, misplaced(m, m->to, m->from, dim, &g));
}

static TorchArg message(const Move *m, const char *op, TorchArg x, int64_t peer, int64_t tag) {
  TorchArg args[] = {x, number(peer), number(tag)};
  TorchType t = type_of_sub(m->u, m->to == NO_PLAN ? m->from : m->to);
  return unfold_emit(m->u, m->n, sym(op), name_of(m), args, 3, &t, 1);
}

/* Whether what arrives has the shape that room was made for. */
static bool has_room(const Move *m) {
  const PlanArg *shape = kw(m->prim, "shape", PA_LIST);
  TorchType t = type_of_sub(m->u, m->to);
  bool same = !shape || shape->n == t.rank;
  for (uint32_t d = 0; same && shape && d < t.rank; d++)
    same = shape->list[d].kind == PA_INT && shape->list[d].i == t.dims[d];
  const char *name = sym_text(full_of(m->u, m->to)->name);
  return same || unfold_fault(m->u, m->n, "it makes room for another shape than %s has", name);
}

static bool receive(const Move *m, int64_t from, int64_t tag) {
  if (m->to == NO_PLAN) return unfold_error(m->u, m->n, E_GRAPH_SYNTAX, "nothing stands for what arrives");
  if (!has_room(m)) return false;
  TorchArg v = message(m, "_c10d_functional.irecv", (TorchArg){.kind = TA_NONE}, from, tag);
  return write(m, v, full_of(m->u, m->to)->kind != PLAN_GRAD), true;
}

/* From one to each of the others. */
static bool broadcast(const Move *m) {
  const PlanArg *src = kw(m->prim, "src", PA_INT);
  TorchArg x;
  Members g;
  if (!src) return lacks(m, "src");
  if (!members(m, &g)) return false;
  int64_t tag = unfold_tag(m->u, "broadcast", g.device, g.n);
  if (m->u->device != src->i) return receive(m, src->i, tag);
  if (!operand(m, &x)) return false;
  for (uint32_t k = 0; k < g.n; k++)
    if (k != g.own) message(m, "_c10d_functional.isend", x, g.device[k], tag);
  if (m->to != NO_PLAN) write(m, x, true);
  return true;
}

static bool move(const Move *m) {
  const PlanArg *src = kw(m->prim, "src", PA_INT), *dst = kw(m->prim, "dst", PA_INT);
  TorchArg x;
  if (!src || !dst) return lacks(m, src ? "dst" : "src");
  if (src->i == m->u->device) {
    if (!operand(m, &x)) return false;
    message(m, "_c10d_functional.isend", x, dst->i, 0);
  }
  return dst->i != m->u->device || receive(m, src->i, 0);
}

/* What a primitive does in the forward pass, and in the backward pass where it stands for both. */
static const struct {
  const char *op;
  bool fused;
  bool (*forward)(const Move *), (*backward)(const Move *);
} primitives[] = {
    {"AllReduce", false, all_reduce, all_reduce},
    {"AllGather", false, all_gather, all_gather},
    {"Chunk", false, chunk, chunk},
    {"ReduceScatter", false, reduce_scatter, reduce_scatter},
    {"AllToAll", false, all_to_all, all_to_all},
    {"Identity", false, identity, identity},
    {"Move", false, move, move},
    {"Broadcast", false, broadcast, broadcast},
    {"AllReduceIdentity", true, all_reduce, identity},
    {"IdentityAllreduce", true, identity, all_reduce},
    {"AllReduceAllReduce", true, all_reduce, all_reduce},
    {"AllGatherSplit", true, all_gather, chunk},
    {"SplitAllGather", true, chunk, all_gather},
    {"AllGatherReduceScatter", true, all_gather, reduce_scatter},
    {"ReduceScatterAllGather", true, reduce_scatter, all_gather},
    {"AllToAllAllToAll", true, all_to_all, all_to_all_back},
};

bool unfold_adapter(Unfold *u, const PlanNode *n) {
  Within within = {0, ARENA_ARRAY(&u->p->arena, struct WithinValue, n->n_prims)};
  for (uint32_t k = 0; k < n->n_prims; k++) {
    const PlanPrim *prim = &n->prims[k];
    size_t i = 0;
    while (i < sizeof primitives / sizeof *primitives && strcmp(primitives[i].op, sym_text(prim->op))) i++;
    if (i == sizeof primitives / sizeof *primitives)
      return unfold_error(u, n, E_UNSUPPORTED, "there is no meaning for primitive '%s'", sym_text(prim->op));
    bool fused = primitives[i].fused; /* the primitive names the tensors of the forward pass */
    if (fused && (n->n_prims != 1 || n->n_in != 1 || n->n_out != 1))
      return unfold_error(u, n, E_GRAPH_SYNTAX, "'%s' beside other primitives", sym_text(prim->op));
    Move m = {u, n, &within, prim, fused, fused ? only(n->in, n->n_in) : only(prim->in, prim->n_in),
              fused ? only(n->out, n->n_out) : only(prim->out, prim->n_out)};
    bool one_sided = primitives[i].forward == move || primitives[i].forward == broadcast;
    if ((m.from == NO_PLAN || m.to == NO_PLAN) && !one_sided)
      return unfold_error(u, n, E_GRAPH_SYNTAX, "primitive '%s' lacks a tensor", sym_text(prim->op));
    if (!(n->forward ? primitives[i].forward : primitives[i].backward)(&m)) return false;
  }
  return true;
}
