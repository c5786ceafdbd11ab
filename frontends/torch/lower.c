/* Binding parameters, and the order of lowering. */
#include "frontends/torch/lower.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontends/base/products.h"
#include "frontends/torch/torch.h"

#define MAX_ELEMENTS (INT64_C(1) << 56)

typedef struct Row {
  const char *name, *params;
  Handler *handler;
  const char *text;
} Row;
static const Row rows[] = {
#define ATEN(name, params, handler, text) {name, params, handler, text},
#include "frontends/torch/aten.def"
#include "frontends/torch/composite.def"
#include "frontends/plan/moves.def"
#include "frontends/plan/plan.def"
#undef ATEN
};
enum { N_ROWS = sizeof rows / sizeof *rows, MAX_KINDS = 8 /* of ranks, by the literals of an operator */ };

bool lower_error(Lower *l, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const TorchNode *n = l->node;
  bool runs = code != E_COLLECTIVE && code != E_SHAPE;
  if (!runs) return torch_fault(l->p, n, code, "%s%s%s", n ? sym_text(n->name) : "", n ? ": " : "", what);
  return diag_error(l->p->diags, torch_program_span(l->p, n ? n->line : 0), code, "%s%s%s", n ? sym_text(n->name) : "",
                    n ? ": " : "", what);
}

/* ---- rows */
static const Row *find_row(Lower *l, Sym op) {
  while (l->rows.len <= op) vec_push(&l->rows, 0);
  uint32_t *at = &l->rows.at[op];
  if (!*at) {
    const char *text = sym_text(op), *dot = strrchr(text, '.');
    size_t len = dot && strchr(text, '.') != dot ? (size_t)(dot - text) : strlen(text);
    *at = UINT32_MAX;
    for (uint32_t k = 0; k < N_ROWS; k++) {
      if (strlen(rows[k].name) == len && !memcmp(rows[k].name, text, len) && *at == UINT32_MAX) *at = k + 1;
      if (!strcmp(rows[k].name, text)) return *at = k + 1, &rows[k]; /* one of this overload alone */
    }
  }
  return *at == UINT32_MAX ? NULL : &rows[*at - 1];
}

/* Positional arguments first, then keywords by name; false: more than the row knows. */
static bool bind(Lower *l, const Row *row) {
  const TorchNode *n = l->node;
  memset(l->arg, 0, sizeof l->arg);
  const char *p = row->params;
  uint32_t used = 0, k = 0;
  for (; *p; k++) {
    size_t len = strcspn(p, " ");
    Sym name = sym_n(p, len);
    const TorchArg *a = k < n->n_args ? &n->args[k] : NULL;
    for (uint32_t i = 0; i < n->n_kwargs; i++)
      if (n->keys[i] == name) a = a ? NULL : &n->kwargs[i], used++;
    if (a && (a->kind != TA_NONE || a->ranks)) l->arg[k] = a;
    p += len + (p[len] == ' ');
  }
  l->text = row->text;
  l->params = row->params;
  return n->n_args <= k && used == n->n_kwargs;
}

/* ---- results */
void set_result(Lower *l, uint32_t k, NodeId id) {
  const TorchType *t = &l->node->outs[k];
  l->results.at[l->first[l->value] + k] = (LowerValue){.node = id, .complex = t->dtype == DT_C64, .whole = NO_NODE};
}

LowerResult set_pieces(Lower *l, NodeId x, uint32_t dim, const int64_t *sizes, uint32_t n, bool complex) {
  int64_t at = 0;
  if (x == NO_NODE || n != l->node->n_outs || dim >= node_of(l, x)->rank) return LOWER_OPAQUE;
  for (uint32_t k = 0; k < n; k++) {
    if (sizes[k] < 0 || sizes[k] > node_of(l, x)->dims[dim] - at) return LOWER_OPAQUE;
    l->results.at[l->first[l->value] + k] = (LowerValue){NO_NODE, complex, x, dim, at, sizes[k]};
    at += sizes[k];
  }
  return LOWER_DONE;
}

bool results_set(const Lower *l) {
  for (uint32_t k = 0; k < l->node->n_outs; k++)
    if (l->node->outs[k].tensor && l->results.at[l->first[l->value] + k].node == NO_NODE) return false;
  return true;
}

uint8_t real_type(uint8_t dtype) { return dtype == DT_C64 ? DT_F32 : dtype; }

uint32_t out_dims(const Lower *l, uint32_t k, int64_t *dims) {
  const TorchType *t = &l->node->outs[k];
  memcpy(dims, t->dims, t->rank * sizeof *dims);
  if (t->dtype == DT_C64) dims[t->rank] = 2;
  return t->rank + (t->dtype == DT_C64);
}

/* The file says which shapes results have; what was made must agree. */
static bool check_results(Lower *l) {
  for (uint32_t k = 0; k < l->node->n_outs; k++) {
    const LowerValue *v = &l->results.at[l->first[l->value] + k];
    const TorchType *t = &l->node->outs[k];
    if (!t->tensor) continue;
    NodeId id = v->node == NO_NODE ? v->whole : v->node;
    if (id == NO_NODE) return lower_error(l, E_SHAPE, "there is no result %u", k);
    const Node *n = node_of(l, id);
    int64_t want[TORCH_MAX_RANK + 1];
    uint32_t rank = out_dims(l, k, want);
    bool same = n->rank == rank && n->dtype == real_type(t->dtype);
    for (uint32_t d = 0; same && d < rank; d++)
      same = (v->node == NO_NODE && d == v->dim ? v->size : n->dims[d]) == want[d];
    if (!same)
      return lower_error(l, E_SHAPE, "result %u has not the shape or type that the operands of %s give it", k,
                         sym_text(l->node->op));
  }
  return true;
}

/* ---- operators in order */
static bool any_complex(const Lower *l) {
  for (uint32_t k = 0; k < l->node->n_outs; k++)
    if (l->node->outs[k].tensor && l->node->outs[k].dtype == DT_C64) return true;
  for (uint32_t k = 0; k < LOWER_MAX_PARAMS; k++)
    if (l->arg[k] && arg_complex(l, l->arg[k])) return true;
  return false;
}

static bool knows_complex(Handler *h) {
  static Handler *const list[] = {lower_same, lower_complex, lower_complex_pair, lower_reshape, lower_binary, lower_add,
                                  lower_div, lower_slice, lower_transpose, lower_expand, lower_select, lower_cat,
                                  lower_stack, lower_gather, lower_index, lower_index_select, lower_embedding,
                                  lower_multiref, lower_alias, lower_rotary, lower_to, lower_matmul, lower_fill,
                                  lower_unary};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k] == h) return true;
  return false;
}

/* Nodes made from `first` on: results have the operator's name, what they are made of has it as a prefix. */
static void name_nodes(Lower *l, NodeId first) {
  const TorchNode *n = l->node;
  for (NodeId id = first; id < l->g->nodes.len; id++) {
    bool result = false;
    for (uint32_t k = 0; k < n->n_outs; k++) {
      const LowerValue *v = &l->results.at[l->first[l->value] + k];
      if (v->node != id) continue;
      result = true;
      if (k) l->g->nodes.at[id].name = sym(arena_printf(&l->arena, "%s.%u", sym_text(n->name), k));
    }
    if (!result)
      l->g->nodes.at[id].name = sym(arena_printf(&l->arena, "%s/%s", sym_text(n->name),
                                                 sym_text(l->g->nodes.at[id].op)));
  }
}

/* An operator that may read other ranks without saying of which group: no function of its operands. */
static bool communicates(const TorchNode *n) {
  static const char *const spaces[] = {"c10d.", "_c10d_functional", "c10d_functional", "_dtensor.", "symm_mem.", "vllm."};
  for (uint32_t k = 0; k < n->n_args; k++)
    if (n->args[k].kind == TA_GROUP) return false;
  for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++)
    if (!strncmp(sym_text(n->op), spaces[k], strlen(spaces[k]))) return true;
  return false;
}

/* aten.add_.Tensor, aten.__ior__.Scalar and aten.add.out write into an argument: what reads it later would not see it.  So
 * do these operators, and overloads that are called as what they write. */
static bool writes(const char *op) {
  static const char *const operators[] = {"_batch_norm_with_update", "_fused_moving_avg_obs_fq_helper", "cudnn_batch_norm",
                                          "fused_moving_avg_obs_fake_quant", "miopen_batch_norm"};
  static const char *const overloads[] = {
      "grad_input", "values", "values_stable", "dim_values", "dim_max", "dim_min", "output", "result", "inverse",
      "eigenvalues", "sign", "L", "U", "X", "OutTensor", "OutScalar_Self", "OutScalar_Other"};
  const char *overload = strrchr(op, '.'), *name = op;
  if (!overload) return false;
  for (const char *c = op; c < overload; c++)
    if (*c == '.') name = c + 1;
  if (!strncmp(name, "detach_.", 8)) return false; /* the values stay */
  if (overload > name && overload[-1] == '_' && (strncmp(name, "__", 2) || name[2] == 'i')) return true;
  for (const char *c = overload; (c = strstr(c, "out")); c++)
    if (c[-1] == '.' || c[-1] == '_') return true; /* .out, .Tensor_out; not .dtype_layout */
  bool aten = !strncmp(op, "aten.", 5);
  for (size_t k = 0; aten && k < sizeof overloads / sizeof *overloads; k++)
    if (!strcmp(overload + 1, overloads[k])) return true;
  for (size_t k = 0, n = (size_t)(overload - name); aten && k < sizeof operators / sizeof *operators; k++)
    if (strlen(operators[k]) == n && !memcmp(name, operators[k], n)) return true;
  return false;
}

static bool makes_tensor(const TorchNode *n) {
  for (uint32_t k = 0; k < n->n_outs; k++)
    if (n->outs[k].tensor) return true;
  return false;
}

/* The operator became no node: its line may still be where something is missing. */
static void note_passage(Lower *l, NodeId first) {
  NodeId id = l->results.at[l->first[l->value]].node;
  if (l->node->n_outs != 1 || id == NO_NODE || id >= first) return;
  Passage x = {.node = id, .frames = make_frames(l), .line = l->node->line, .name = l->node->name};
  if (x.frames && x.frames != node_of(l, id)->frames) vec_push(&l->g->passages, x);
}

const TorchSet *lower_set(const Lower *l) {
  const LowerThread *t = l->threads;
  while (t->first != l->first) t++;
  return t->set;
}

/* The results of a number that is lowered (again). */
static void new_results(Lower *l, const TorchNode *n, uint32_t value) {
  l->first[value] = (uint32_t)l->results.len;
  for (uint32_t k = 0; k < n->n_outs || k == 0; k++)
    vec_push(&l->results, (LowerValue){.node = NO_NODE, .whole = NO_NODE});
}

/* With the results there are. */
static LowerResult lower_by_row(Lower *l, const TorchNode *n) {
  l->node = n;
  const Row *row = find_row(l, n->op);
  if (row && (row->handler == lower_unknown || row->handler == lower_backward)) /* whatever its arguments are */
    return row->handler(l);
  if (!row || !makes_tensor(n) || !bind(l, row)) return LOWER_OPAQUE;
  if (!any_complex(l) || knows_complex(row->handler)) return row->handler(l);
  return lower_pairs(l, row->handler);
}

/* aten._foreach_X, which does for every element of its lists what aten.X does; 0: it is another operator. */
static Sym each_of(Sym op) {
  static const char *const other[][2] = {{"norm", "linalg_vector_norm"}, {"zero", "zeros_like"}};
  const char *text = sym_text(op), *prefix = "aten._foreach_", *name = text + strlen(prefix);
  char of[128];
  if (strncmp(text, prefix, strlen(prefix)) != 0) return 0;
  size_t len = strcspn(name, ".");
  for (size_t k = 0; k < sizeof other / sizeof *other; k++)
    if (strlen(other[k][0]) == len && !strncmp(name, other[k][0], len)) name = other[k][1], len = strlen(name);
  snprintf(of, sizeof of, "aten.%.*s", (int)len, name);
  return sym(of);
}

static LowerResult lower_each(Lower *l, const TorchNode *n, uint32_t value) {
  uint32_t first = l->first[value];
  for (uint32_t k = n->n_outs; k-- > 0;) { /* the first is where the others come from */
    TorchNode one = *n;
    one.op = each_of(n->op), one.n_outs = 1, one.outs = &n->outs[k];
    one.args = ARENA_ARRAY(&l->arena, TorchArg, n->n_args + 1);
    for (uint32_t i = 0; i < n->n_args; i++) {
      const TorchArg *a = &n->args[i];
      if (a->kind == TA_LIST && (a->ranks || a->n != n->n_outs)) return LOWER_OPAQUE;
      one.args[i] = a->kind == TA_LIST ? a->list[k] : *a;
    }
    LowerResult r = lower_by_row(l, arena_copy(&l->arena, &one, sizeof one));
    if (r != LOWER_DONE) return r;
    l->results.at[first + k] = l->results.at[first];
  }
  return LOWER_DONE;
}

static LowerResult lower_as_written(Lower *l, const TorchNode *n, uint32_t value) {
  l->value = value;
  l->why = NULL;
  new_results(l, n, value);
  if (!each_of(n->op)) return lower_by_row(l, n);
  LowerResult r = lower_each(l, n, value);
  l->node = n;
  if (r == LOWER_OPAQUE) new_results(l, n, value);
  return r;
}

/* ---- literals that differ from rank to rank in a way that the operator has no dynamic form for */
static bool literal_varies(const TorchArg *a) {
  if (a->kind == TA_TENSOR) return false;
  bool vary = a->ranks != NULL;
  for (uint32_t k = 0; k < a->n && !vary; k++) vary = literal_varies(&a->list[k]);
  return vary;
}

/* Of an operator that each rank runs by itself. */
static bool literals_vary(const TorchNode *n) {
  bool vary = false, alone = true;
  for (uint32_t k = 0; k < n->n_args; k++) vary |= literal_varies(&n->args[k]), alone &= n->args[k].kind != TA_GROUP;
  for (uint32_t k = 0; k < n->n_kwargs; k++) vary |= literal_varies(&n->kwargs[k]), alone &= n->kwargs[k].kind != TA_GROUP;
  return vary && alone && !communicates(n);
}

/* The argument with literals as rank r has them. */
static TorchArg on_rank(Lower *l, const TorchArg *a, int64_t r) {
  TorchArg out = a->ranks && a->kind != TA_TENSOR ? a->ranks[r] : *a;
  out.list = arena_copy(&l->arena, out.list, out.n * sizeof *out.list);
  for (uint32_t k = 0; k < out.n; k++) out.list[k] = on_rank(l, &out.list[k], r);
  return out;
}

static TorchNode node_on_rank(Lower *l, const TorchNode *n, int64_t r) {
  TorchNode out = *n;
  out.args = ARENA_ARRAY(&l->arena, TorchArg, n->n_args + 1);
  out.kwargs = ARENA_ARRAY(&l->arena, TorchArg, n->n_kwargs + 1);
  for (uint32_t k = 0; k < n->n_args; k++) out.args[k] = on_rank(l, &n->args[k], r);
  for (uint32_t k = 0; k < n->n_kwargs; k++) out.kwargs[k] = on_rank(l, &n->kwargs[k], r);
  return out;
}

static bool same_literals(const TorchNode *a, const TorchNode *b) {
  bool same = true;
  for (uint32_t k = 0; k < a->n_args; k++) same &= torch_same_literal(&a->args[k], &b->args[k]);
  for (uint32_t k = 0; k < a->n_kwargs; k++) same &= torch_same_literal(&a->kwargs[k], &b->kwargs[k]);
  return same;
}

/* The operator as the ranks of one kind have it, on these. */
static LowerResult lower_variant(Lower *l, const TorchNode *n, uint32_t value, const bool *on, bool first) {
  uint32_t before = l->first[value];
  LowerResult r = lower_as_written(l, n, value);
  for (uint32_t k = 0; r == LOWER_DONE && !first && k < n->n_outs; k++) {
    LowerValue *v = &l->results.at[l->first[value] + k];
    NodeId old = l->results.at[before + k].node, both = make_on(l, on, v->node, old);
    if (n->outs[k].tensor && both == NO_NODE) r = LOWER_OPAQUE;
    l->results.at[l->first[value] + k].node = both;
  }
  return r;
}

/* Every kind of ranks by itself; each takes the result of its own. */
static LowerResult lower_variants(Lower *l, const TorchNode *n, uint32_t value, const bool *member) {
  int64_t n_ranks = l->p->n_ranks;
  bool *done = ARENA_ARRAY(&l->arena, bool, n_ranks), first = true;
  for (int64_t r = 0, kinds = 0; r < n_ranks; r++) {
    if (done[r] || !member[r]) continue;
    if (++kinds > MAX_KINDS) return LOWER_OPAQUE;
    TorchNode own = node_on_rank(l, n, r);
    bool *on = ARENA_ARRAY(&l->arena, bool, n_ranks);
    for (int64_t q = r; q < n_ranks; q++) {
      TorchNode other = member[q] && !done[q] ? node_on_rank(l, n, q) : own;
      on[q] = member[q] && !done[q] && same_literals(&own, &other);
      done[q] |= on[q];
    }
    LowerResult one = lower_variant(l, arena_copy(&l->arena, &own, sizeof own), value, on, first);
    if (one != LOWER_DONE) return one;
    first = false;
  }
  return first ? LOWER_OPAQUE : LOWER_DONE;
}

LowerResult lower_meaning(Lower *l, const TorchNode *n, uint32_t value) {
  LowerResult r = lower_as_written(l, n, value);
  const char *why = l->why;
  if (r != LOWER_OPAQUE || !find_row(l, each_of(n->op) ? each_of(n->op) : n->op) || !literals_vary(n)) return r;
  r = lower_variants(l, n, value, l->member);
  l->node = n, l->why = why;
  if (r == LOWER_OPAQUE) new_results(l, n, value);
  return r;
}

bool lower_node(Lower *l, const TorchNode *n, uint32_t value, NodeId first) {
  NodeId from = (NodeId)l->g->nodes.len;
  l->node = n;
  if (!find_row(l, n->op) && communicates(n)) return lower_error(l, E_UNSUPPORTED, "%s is not read", sym_text(n->op));
  if (writes(sym_text(n->op))) {
    lower_error(l, E_UNSUPPORTED, "%s writes into an argument", sym_text(n->op));
    diag_hint(l->p->diags, "capture with tvr_torch, or save program.run_decompositions(): both have no such operators");
    return false;
  }
  LowerResult r = lower_meaning(l, n, value);
  if (r == LOWER_OPAQUE) r = lower_opaque(l, false);
  if (r == LOWER_DONE) note_passage(l, first);
  name_nodes(l, first);
  LowerValue *made = &l->results.at[l->first[value]];
  made->from = from, made->to = (NodeId)l->g->nodes.len;
  if (n->odd && made->node != NO_NODE)
    vec_push(&l->g->oddities, ((Oddity){made->node, arena_printf(&l->g->arena, "%s", n->odd)}));
  return r == LOWER_DONE && check_results(l);
}

static NodeId add_constant(Lower *l, const TorchConstant *c) {
  const TorchType *t = &c->type;
  int64_t dims[TORCH_MAX_RANK + 2] = {l->p->n_ranks};
  memcpy(dims + 1, t->dims, t->rank * sizeof *dims);
  uint32_t rank = t->rank;
  if (t->dtype == DT_C64) dims[1 + rank++] = 2;
  uint8_t dtype = real_type(t->dtype);
  bool varies = false;
  for (int64_t r = 1; r < l->p->n_ranks; r++) varies |= c->values[r] != c->values[0];
  Literal lit = {.kind = LIT_VALUES, .n = c->n, .values = c->values[0]};
  Node n = {.op = sym("constant"), .name = c->name, .dtype = dtype, .rank = (uint8_t)rank, .dims = dims + 1,
            .literal = &lit, .line = c->line};
  if (!varies) return graph_add(l->g, &n);
  if (c->n > (uint64_t)(MAX_ELEMENTS / l->p->n_ranks)) return NO_NODE;
  Rat *all = ARENA_ARRAY(&l->arena, Rat, c->n * (uint64_t)l->p->n_ranks);
  for (int64_t r = 0; r < l->p->n_ranks; r++) memcpy(all + (uint64_t)r * c->n, c->values[r], c->n * sizeof *all);
  lit = (Literal){.kind = LIT_VALUES, .n = c->n * (uint64_t)l->p->n_ranks, .values = all};
  n.rank++, n.dims = dims;
  NodeId table = graph_add(l->g, &n);
  return make_reshape(l, make_dynamic_slice(l, table, 0, make_partition_id(l), 1), rank, dims + 1);
}

static void add_value(Lower *l, uint32_t value, NodeId id, bool complex) {
  l->first[value] = (uint32_t)l->results.len;
  vec_push(&l->results, (LowerValue){.node = id, .complex = complex, .whole = NO_NODE});
}

/* ---- inputs and outputs: sets share those of one name */
typedef struct Presence {
  Vec(const bool *) params, outputs; /* by number: which ranks have it */
  Vec(const int64_t *) param_sizes, output_sizes; /* by number: sizes on every rank; NULL: all are equal */
} Presence;

static const bool *both(Lower *l, const bool *a, const bool *b) {
  bool *c = ARENA_ARRAY(&l->g->arena, bool, l->p->n_ranks);
  for (int64_t r = 0; r < l->p->n_ranks; r++) c[r] = (a && a[r]) || b[r];
  return c;
}

/* Sizes by rank, those of the ranks of `set` as given; made when the first differ from `all`. */
static const int64_t *own_sizes(Lower *l, const int64_t *before, const TorchSet *set, uint32_t rank,
                                const int64_t *all, const int64_t *own) {
  if (!before && (!rank || !memcmp(all, own, rank * sizeof *all))) return NULL;
  int64_t *sizes = ARENA_ARRAY(&l->g->arena, int64_t, (uint64_t)l->p->n_ranks * rank);
  for (int64_t r = 0; r < l->p->n_ranks; r++)
    memcpy(sizes + r * rank, set->member[r] ? own : before ? before + r * rank : all, rank * sizeof *sizes);
  return sizes;
}

/* The largest sizes that any set's input of this name and rank has. */
static void largest_input(const Lower *l, Sym name, uint32_t rank, int64_t *dims) {
  for (uint32_t s = 0; s < l->p->n_sets; s++)
    for (uint32_t k = 0; k < l->p->sets[s].n_inputs; k++) {
      const TorchInput *i = &l->p->sets[s].inputs[k];
      for (uint32_t d = 0; i->name == name && i->type.rank == rank && d < rank; d++)
        if (i->type.dims[d] > dims[d]) dims[d] = i->type.dims[d];
    }
}

/* What a set has of a tensor that is larger elsewhere. */
static NodeId own_part(Lower *l, NodeId x, uint32_t rank, const int64_t *dims) {
  for (uint32_t d = 0; d < rank && x != NO_NODE; d++) x = make_slice(l, x, d, 0, dims[d], 1);
  return x;
}

static bool add_input(Lower *l, const LowerThread *t, uint32_t k, Presence *on) {
  const TorchType *type = &t->set->inputs[k].type;
  Sym name = t->set->inputs[k].name;
  int64_t dims[TORCH_MAX_RANK + 1], own[TORCH_MAX_RANK + 1];
  memcpy(dims, type->dims, type->rank * sizeof *dims);
  largest_input(l, name, type->rank, dims);
  memcpy(own, type->dims, type->rank * sizeof *own);
  dims[type->rank] = own[type->rank] = 2;
  bool complex = type->dtype == DT_C64;
  Node n = {.op = sym("parameter"), .name = name, .label = t->set->inputs[k].fqn, .dtype = real_type(type->dtype),
            .rank = (uint8_t)(type->rank + complex), .dims = dims, .param = (int64_t)l->g->params.len};
  for (size_t i = 0; i < l->g->params.len; i++) {
    const Node *m = node_of(l, l->g->params.at[i]);
    if (m->name != name) continue;
    if (m->rank != n.rank || m->dtype != n.dtype || (n.rank && memcmp(m->dims, dims, n.rank * sizeof *dims)))
      return lower_error(l, E_UNSUPPORTED, "input '%s' has another type in %s than on ranks before", sym_text(name),
                         sym_text(t->set->name));
    on->params.at[i] = both(l, on->params.at[i], t->set->member);
    on->param_sizes.at[i] = own_sizes(l, on->param_sizes.at[i], t->set, n.rank, dims, own);
    add_value(l, k, own_part(l, l->g->params.at[i], n.rank, own), complex);
    return true;
  }
  NodeId id = graph_add(l->g, &n);
  vec_push(&l->g->params, id);
  vec_push(&on->params, both(l, NULL, t->set->member));
  vec_push(&on->param_sizes, own_sizes(l, NULL, t->set, n.rank, dims, own));
  add_value(l, k, own_part(l, id, n.rank, own), complex);
  return true;
}

/* Both with zeros up to the larger of their sizes; false: they differ in more. */
static bool pad_to_larger(Lower *l, NodeId *x, NodeId *y) {
  Node a = *node_of(l, *x), b = *node_of(l, *y);
  if (a.rank != b.rank || a.dtype != b.dtype) return false;
  int64_t most[TORCH_MAX_RANK + 2], zero[TORCH_MAX_RANK + 2] = {0}, high[TORCH_MAX_RANK + 2];
  for (int d = 0; d < a.rank; d++) most[d] = a.dims[d] > b.dims[d] ? a.dims[d] : b.dims[d];
  for (int k = 0; k < 2; k++) {
    NodeId *at = k ? y : x;
    const Node *n = k ? &b : &a;
    bool same = true;
    for (int d = 0; d < n->rank; d++) high[d] = most[d] - n->dims[d], same &= !high[d];
    if (same) continue;
    NodeId args[] = {*at, make_splat(l, n->dtype, 0, NULL, RAT_0)};
    Attr attrs[] = {attr_ints(l, "low", zero, n->rank), attr_ints(l, "high", high, n->rank),
                    attr_ints(l, "interior", zero, n->rank)};
    *at = make(l, "pad", n->dtype, n->rank, most, args, 2, attrs, 3);
  }
  return *x != NO_NODE && *y != NO_NODE;
}

static bool add_output(Lower *l, const LowerThread *t, uint32_t k, Presence *on) {
  Sym name = t->set->output_names[k];
  NodeId id = arg_tensor(l, &t->set->outputs[k]);
  if (id == NO_NODE) return lower_error(l, E_UNSUPPORTED, "output '%s' is not one tensor", sym_text(name));
  for (size_t i = 0; i < l->g->outputs.len; i++) {
    if (l->g->outputs.at[i].name != name || on->outputs.at[i] == NULL) continue;
    bool again = false; /* a name that one program gives twice */
    for (int64_t r = 0; r < l->p->n_ranks; r++) again |= on->outputs.at[i][r] && t->set->member[r];
    if (again) continue;
    NodeId old = l->g->outputs.at[i].node;
    Node before = *node_of(l, old), mine = *node_of(l, id);
    bool fits = pad_to_larger(l, &id, &old);
    NodeId merged = fits ? make_on(l, t->set->member, id, old) : NO_NODE;
    if (merged == NO_NODE)
      return lower_error(l, E_UNSUPPORTED, "output '%s' has another type in %s than on ranks before", sym_text(name),
                         sym_text(t->set->name));
    l->g->outputs.at[i].node = merged;
    on->outputs.at[i] = both(l, on->outputs.at[i], t->set->member);
    const int64_t *all = node_of(l, merged)->dims, *sizes = on->output_sizes.at[i];
    if (memcmp(before.dims, mine.dims, mine.rank * sizeof *all))
      sizes = own_sizes(l, sizes, t->set, mine.rank, before.dims, mine.dims);
    else if (sizes)
      sizes = own_sizes(l, sizes, t->set, mine.rank, all, mine.dims);
    on->output_sizes.at[i] = sizes;
    return true;
  }
  vec_push(&l->g->outputs, (GraphOutput){id, name});
  vec_push(&on->outputs, both(l, NULL, t->set->member));
  vec_push(&on->output_sizes, NULL);
  return true;
}

/* The first operator of `more` that `less` has not, where that has all others, in order; n_nodes: there is none. */
static uint32_t first_besides(const TorchSet *more, const TorchSet *less) {
  uint32_t found = more->n_nodes, at = 0;
  for (uint32_t i = 0; i < more->n_nodes; i++) {
    if (at < less->n_nodes && more->nodes[i].op == less->nodes[at].op) at++;
    else if (found == more->n_nodes) found = i;
  }
  return at == less->n_nodes ? found : more->n_nodes;
}

/* Where the programs of two sets part, if one does what the other does and more; its line. */
static uint32_t parting(const TorchProgram *p) {
  for (uint32_t k = 1; k < p->n_sets; k++) {
    const TorchSet *more = &p->sets[0], *less = &p->sets[k];
    if (more->n_nodes < less->n_nodes) more = &p->sets[k], less = &p->sets[0];
    uint32_t at = first_besides(more, less);
    if (at < more->n_nodes) return more->nodes[at].line;
  }
  return 0;
}

static const int64_t *const *sizes_if_any(Lower *l, const int64_t **at, size_t n) {
  bool any = false;
  for (size_t k = 0; k < n; k++) any |= at[k] != NULL;
  return any ? arena_copy(&l->g->arena, at, n * sizeof *at) : NULL;
}

static uint32_t operands(const TorchArg *a) {
  uint32_t n = a->kind == TA_TENSOR;
  for (uint32_t k = 0; k < a->n; k++) n += operands(&a->list[k]);
  return n;
}

/* Of one operator. */
static uint32_t most_operands(const TorchSet *set) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < set->n_nodes; i++) {
    const TorchNode *n = &set->nodes[i];
    uint32_t all = 0;
    for (uint32_t k = 0; k < n->n_args; k++) all += operands(&n->args[k]);
    for (uint32_t k = 0; k < n->n_kwargs; k++) all += operands(&n->kwargs[k]);
    if (all > most) most = all;
  }
  return most;
}

static bool lower_program(Lower *l) {
  TorchProgram *p = l->p;
  Presence on = {0};
  bool ok = true;
  l->threads = ARENA_ARRAY(&l->arena, LowerThread, p->n_sets);
  for (uint32_t i = 0; i < p->n_sets && ok; i++) {
    LowerThread *t = &l->threads[i];
    t->set = &p->sets[i];
    uint32_t n = t->set->n_inputs, m = t->set->n_constants;
    t->first = l->first = ARENA_ARRAY(&l->arena, uint32_t, n + m + t->set->n_nodes + most_operands(t->set));
    for (uint32_t k = 0; k < n && ok; k++) ok = add_input(l, t, k, &on);
    for (uint32_t k = 0; k < m; k++)
      add_value(l, n + k, add_constant(l, &t->set->constants[k]), t->set->constants[k].type.dtype == DT_C64);
  }
  ok = ok && lower_threads(l);
  l->node = NULL;
  for (uint32_t i = 0; i < p->n_sets && ok; i++) {
    l->first = l->threads[i].first;
    for (uint32_t k = 0; k < p->sets[i].n_outputs && ok; k++) ok = add_output(l, &l->threads[i], k, &on);
  }
  l->g->parts = parting(p);
  if (p->n_sets > 1) {
    l->g->param_on = arena_copy(&l->g->arena, on.params.at, on.params.len * sizeof *on.params.at);
    l->g->output_on = arena_copy(&l->g->arena, on.outputs.at, on.outputs.len * sizeof *on.outputs.at);
    l->g->param_sizes = sizes_if_any(l, on.param_sizes.at, on.param_sizes.len);
    l->g->n_output_sizes = (uint32_t)on.output_sizes.len;
    l->g->output_sizes = sizes_if_any(l, on.output_sizes.at, on.output_sizes.len);
  }
  vec_free(&on.params);
  vec_free(&on.outputs);
  vec_free(&on.param_sizes);
  vec_free(&on.output_sizes);
  if (ok) packed_drop(l);
  return ok;
}

bool torch_is(const Source *source) { return torch_program_is(source); }

Graph *torch_lower(TorchProgram *p) {
  Lower l = {.p = p, .g = graph_new(), .partition = NO_NODE};
  Graph *g = l.g;
  g->path = sym(sources_get(diags_sources(p->diags), p->source)->path);
  g->source = p->source;
  g->n_devices = p->n_ranks;
  g->n_read = p->n_read;
  g->mesh = p->sequential ? NULL : mesh_copy(&p->mesh, &g->arena);
  if (lower_program(&l)) {
    products_unfold(g);
  } else {
    graph_free(g);
    g = NULL;
  }
  vec_free(&l.sends);
  vec_free(&l.arrivals);
  vec_free(&l.results);
  vec_free(&l.rows);
  vec_free(&l.frame_of);
  arena_free(&l.arena);
  return g;
}

Graph *torch_read(Diags *diags, uint32_t source) {
  TorchProgram p;
  Graph *g = torch_program_read(&p, diags, source) ? torch_lower(&p) : NULL;
  torch_program_free(&p);
  return g;
}
