/* Attributes of an instruction into those the library expects (stdlib/README.md), and the checks this relies on.
 *
 * Called computations become numbers on the instruction, or `reducer` or `region` where the operator applies them to
 * elements; gather and scatter get `component`, `batch` and `window_component`; defaults are written out. */
#include "eval/exact/region.h"
#include "frontends/hlo/parser.h"

static void remove_attr(Parser *p, HloAttr a) {
  Attr *x = attrs_find(p, a);
  if (!x) return;
  size_t k = (size_t)(x - p->attr_list.at);
  memmove(x, x + 1, (p->attr_list.len - k - 1) * sizeof *x);
  p->attr_list.len--;
}

/* Takes a list of computations out of the attributes into the instruction's. */
static void take_called(Parser *p, HloAttr a) {
  const Attr *x = attrs_find(p, a);
  if (!x) return;
  for (uint32_t k = 0; k < x->n; k++) vec_push(&p->called, (uint32_t)x->ints[k]);
  remove_attr(p, a);
}

static const char *const attr_texts[] = {
#define ATTRIBUTE(id, text, form) text,
#include "frontends/hlo/attr.def"
#undef ATTRIBUTE
};

static bool given(const Parser *p, HloAttr a) { return p->seen[a / 64] >> a % 64 & 1; }

static bool require(Parser *p, const HloInstr *i, HloAttr a, const char *text) {
  if (given(p, a)) return true;
  return INSTR_ERROR(p, i, E_ATTRIBUTE, "%s needs the attribute '%s'", hlo_opcode_text(i->opcode), text);
}
#define REQUIRE(a) require(p, i, HA_##a, attr_texts[HA_##a])


static const HloShape *arg_shape(const Parser *p, const HloInstr *i, uint32_t k) {
  return p->m->operands.at[i->first_arg + k].shape;
}

static void default_int(Parser *p, HloAttr a, int64_t value) {
  if (!given(p, a)) attrs_add(p, (Attr){.name = p->attr_name[a], .kind = ATTR_INT, .i = value});
}

/* The called computations as `reducer` or `region`. */
static bool add_region(Parser *p, HloInstr *i) {
  size_t n = p->called.len;
  if (!n || p->s.errors) return true; /* a computation may be incomplete */
  for (size_t k = 0; k < n; k++)
    if (p->m->comps.at[p->called.at[k]].devices)
      return INSTR_ERROR(p, i, E_UNSUPPORTED, "the computation applied by %s reads devices",
                         hlo_opcode_text(i->opcode));
  const HloComp *c = &p->m->comps.at[p->called.at[0]];
  if (n == 1 && c->reducer) {
    attrs_add(p, (Attr){.name = sym("reducer"), .kind = ATTR_SYM, .s = c->reducer});
    return true;
  }
  Sym keeps = n == 2 && i->opcode == HLO_SELECT_AND_SCATTER ? hlo_comp_keeps(p->m, c) : 0;
  Sym adds = keeps ? p->m->comps.at[p->called.at[1]].reducer : 0;
  if (adds) {
    attrs_add(p, (Attr){.name = sym("keeps"), .kind = ATTR_SYM, .s = keeps});
    attrs_add(p, (Attr){.name = sym("reducer"), .kind = ATTR_SYM, .s = adds});
    return true;
  }
  Sym text = hlo_comps_text(p->m, p->called.at, n), name = i->opcode == HLO_REDUCE ? region_reducer(text) : 0;
  if (i->opcode == HLO_REDUCE_WINDOW && i->n_args == 2) name = region_sum(text);
  if (name) attrs_add(p, (Attr){.name = sym("reducer"), .kind = ATTR_SYM, .s = name});
  else attrs_add(p, (Attr){.name = sym("region"), .kind = ATTR_SYM, .s = text});
  return true;
}

static bool has_region(HloOpcode o) {
  switch (o) {
    case HLO_REDUCE: case HLO_REDUCE_WINDOW: case HLO_SORT: case HLO_SCATTER: case HLO_MAP: case HLO_ALL_REDUCE:
    case HLO_REDUCE_SCATTER: case HLO_ALL_REDUCE_START: case HLO_REDUCE_SCATTER_START: case HLO_COLLECTIVE_REDUCE:
      return true;
    default: return false;
  }
}

/* Called computations: kept to be inlined, or turned into a region. */
static bool lower_called(Parser *p, HloInstr *i) {
  static const HloAttr roles[] = {HA_TO_APPLY, HA_CALLS, HA_CONDITION, HA_BODY, HA_SELECT_REGION, HA_SCATTER_REGION,
                                  HA_TRUE_COMPUTATION, HA_FALSE_COMPUTATION, HA_BRANCH_COMPUTATIONS,
                                  HA_CALLED_COMPUTATIONS};
  HloClass c = hlo_opcode_class(i->opcode);
  vec_clear(&p->called);
  if (has_region(i->opcode) && !REQUIRE(TO_APPLY)) return false;
  if (c == C_WHILE && !(REQUIRE(CONDITION) && REQUIRE(BODY))) return false;
  if (i->opcode == HLO_SELECT_AND_SCATTER && !(REQUIRE(SELECT_REGION) && REQUIRE(SCATTER_REGION))) return false;
  for (size_t k = 0; k < sizeof roles / sizeof *roles; k++) take_called(p, roles[k]);
  bool inlined = c == C_CALL || c == C_WHILE || c == C_CONDITIONAL || c == C_ASYNC_START;
  if (!inlined) return add_region(p, i);
  size_t want = c == C_WHILE ? 2 : 1;
  if (c != C_CONDITIONAL && p->called.len != want)
    return INSTR_ERROR(p, i, E_ATTRIBUTE, "%s must name %zu computation%s", hlo_opcode_text(i->opcode), want,
                       want > 1 ? "s" : "");
  if (c == C_CONDITIONAL && p->called.len + 1 != i->n_args)
    return INSTR_ERROR(p, i, E_ATTRIBUTE, "conditional has %zu branches and %u operands", p->called.len, i->n_args);
  i->n_called = (uint32_t)p->called.len;
  i->called = arena_copy(p->arena, p->called.at, p->called.len * sizeof *p->called.at);
  return true;
}

/* How device numbers of this collective are to be read.  A mode that says something else is not read: so far XLA takes it in
 * and goes by the other two attributes. */
static bool lower_ids(Parser *p, HloInstr *i) {
  static const char *const modes[] = {[IDS_REPLICAS] = "cross_replica", [IDS_PARTITIONS] = "cross_partition",
                                      [IDS_REPLICAS_OF_ALL] = "cross_replica_and_partition", [IDS_GLOBAL] = "flattened_id"};
  HloClass c = hlo_opcode_class(i->opcode);
  if (c != C_COLLECTIVE && c != C_START && c != C_EXCHANGE) return true;
  bool channel = attrs_find(p, HA_CHANNEL_ID) && attrs_find(p, HA_CHANNEL_ID)->i > 0;
  const Attr *global = attrs_find(p, HA_USE_GLOBAL_DEVICE_IDS);
  bool flagged = has_region(i->opcode) || i->opcode == HLO_ALL_GATHER || i->opcode == HLO_ALL_GATHER_START;
  i->ids = !channel ? IDS_REPLICAS : !flagged ? IDS_PARTITIONS : global && global->i ? IDS_GLOBAL : IDS_REPLICAS_OF_ALL;
  const Attr *mode = attrs_find(p, HA_MODE);
  if (mode && strcmp(sym_text(mode->s), modes[i->ids]))
    return INSTR_ERROR(p, i, E_UNSUPPORTED, "mode=%s, but channel_id and use_global_device_ids say %s", sym_text(mode->s),
                       modes[i->ids]);
  remove_attr(p, HA_MODE);
  remove_attr(p, HA_CHANNEL_ID);
  remove_attr(p, HA_USE_GLOBAL_DEVICE_IDS);
  bool permute = i->opcode == HLO_COLLECTIVE_PERMUTE || i->opcode == HLO_COLLECTIVE_PERMUTE_START;
  if (permute && (attrs_find(p, HA_SLICE_SIZES) || i->n_args > 1))
    return INSTR_ERROR(p, i, E_UNSUPPORTED, "collective-permute within a buffer");
  if (permute) return REQUIRE(SOURCE_TARGET_PAIRS);
  if (!attrs_find(p, HA_REPLICA_GROUPS))
    attrs_add(p, (Attr){.name = p->attr_name[HA_REPLICA_GROUPS], .kind = ATTR_GROUPS});
  return true;
}

static bool in_list(const Attr *a, int64_t v, uint32_t *at) {
  for (uint32_t k = 0; a && k < a->n; k++)
    if (a->ints[k] == v) return *at = k, true;
  return false;
}

/* A list of distinct dimensions below `rank`. */
static bool check_dims(Parser *p, const HloInstr *i, const Attr *a, int64_t rank) {
  uint64_t seen = 0;
  for (uint32_t k = 0; a && k < a->n; k++) {
    if (a->ints[k] < 0 || a->ints[k] >= rank || (seen >> a->ints[k] & 1))
      return INSTR_ERROR(p, i, E_ATTRIBUTE, "%s: %lld is no dimension, or stands twice", sym_text(a->name),
                         (long long)a->ints[k]);
    seen |= UINT64_C(1) << a->ints[k];
  }
  return true;
}

/* The names gather and scatter have for the same things. */
typedef struct IndexNames {
  HloAttr window, dropped, map, batch, index_batch;
} IndexNames;

/* component, batch and window_component; `window[d]` is the extent taken of operand dimension d. */
static bool lower_indices(Parser *p, HloInstr *i, const HloShape *x, const HloShape *ids, const IndexNames *n,
                          const int64_t *window) {
  const Attr *dropped = attrs_find(p, n->dropped), *map = attrs_find(p, n->map), *batch = attrs_find(p, n->batch);
  const Attr *index_batch = attrs_find(p, n->index_batch);
  int64_t at = attrs_find(p, HA_INDEX_VECTOR_DIM)->i, out[MAX_RANK];
  uint32_t k, n_out = 0;
  bool whole = true;
  if ((batch ? batch->n : 0) != (index_batch ? index_batch->n : 0) || !check_dims(p, i, index_batch, ids->rank))
    return INSTR_ERROR(p, i, E_ATTRIBUTE, "the batching dimensions of operand and indices differ in number");
  if (map->n != (at == ids->rank ? 1 : (uint64_t)ids->dims[at]))
    return INSTR_ERROR(p, i, E_SHAPE, "the index vector has not as many components as %s", sym_text(map->name));
  for (uint32_t d = 0; dropped && d < dropped->n; d++) out[d] = in_list(map, dropped->ints[d], &k) ? (int64_t)k : -1;
  attrs_add(p, attrs_ints(p, "component", out, dropped ? dropped->n : 0));
  index_batch = attrs_find(p, n->index_batch);
  for (uint32_t d = 0; index_batch && d < index_batch->n; d++) {
    if (index_batch->ints[d] == at) return INSTR_ERROR(p, i, E_ATTRIBUTE, "a batching dimension is the index vector's");
    out[d] = index_batch->ints[d] - (index_batch->ints[d] > at);
  }
  attrs_add(p, attrs_ints(p, "batch", out, index_batch ? index_batch->n : 0));
  dropped = attrs_find(p, n->dropped), map = attrs_find(p, n->map), batch = attrs_find(p, n->batch);
  for (int64_t d = 0; d < x->rank; d++) {
    if (in_list(dropped, d, &k) || in_list(batch, d, &k)) continue;
    out[n_out] = in_list(map, d, &k) ? (int64_t)k : -1;
    whole &= out[n_out] < 0 && window[d] == x->dims[d];
    n_out++;
  }
  if (!whole) attrs_add(p, attrs_ints(p, "window_component", out, n_out));
  remove_attr(p, n->map);
  remove_attr(p, n->index_batch);
  remove_attr(p, HA_SLICE_SIZES);
  i->reshape_indices = at == ids->rank;
  return true;
}

/* Ranks: the operand's dimensions are window, dropped or batching ones; the outer tensor's are window or index ones. */
static bool check_ranks(Parser *p, HloInstr *i, const HloShape *x, const HloShape *ids, const HloShape *outer,
                        const IndexNames *n) {
  const Attr *window = attrs_find(p, n->window), *dropped = attrs_find(p, n->dropped), *batch = attrs_find(p, n->batch);
  int64_t at = attrs_find(p, HA_INDEX_VECTOR_DIM)->i;
  bool token = x->dtype == DT_TOKEN || ids->dtype == DT_TOKEN || outer->dtype == DT_TOKEN;
  if (x->tuple || ids->tuple || outer->tuple || token) return INSTR_ERROR(p, i, E_SHAPE, "an operand is no array");
  if (at < 0 || at > ids->rank)
    return INSTR_ERROR(p, i, E_ATTRIBUTE, "index_vector_dim is no dimension of the indices");
  if (!check_dims(p, i, attrs_find(p, n->map), x->rank) || !check_dims(p, i, dropped, x->rank) ||
      !check_dims(p, i, batch, x->rank) || !check_dims(p, i, window, outer->rank))
    return false;
  uint32_t k, n_window = window ? window->n : 0, n_dropped = dropped ? dropped->n : 0, n_batch = batch ? batch->n : 0;
  for (uint32_t d = 0; d < n_batch; d++)
    if (in_list(dropped, batch->ints[d], &k))
      return INSTR_ERROR(p, i, E_ATTRIBUTE, "a dimension is dropped and batching");
  if (n_window + n_dropped + n_batch != x->rank || n_window + (ids->rank - (at < ids->rank)) != outer->rank)
    return INSTR_ERROR(p, i, E_SHAPE, "the dimensions of %s do not add up", hlo_opcode_text(i->opcode));
  return true;
}

static bool lower_gather(Parser *p, HloInstr *i) {
  static const IndexNames names = {HA_OFFSET_DIMS, HA_COLLAPSED_SLICE_DIMS, HA_START_INDEX_MAP,
                                   HA_OPERAND_BATCHING_DIMS,
                                   HA_START_INDICES_BATCHING_DIMS};
  if (!(REQUIRE(INDEX_VECTOR_DIM) && REQUIRE(START_INDEX_MAP) && REQUIRE(SLICE_SIZES))) return false;
  const HloShape *x = arg_shape(p, i, 0), *ids = arg_shape(p, i, 1);
  if (!check_ranks(p, i, x, ids, i->shape, &names)) return false;
  const Attr *sizes = attrs_find(p, HA_SLICE_SIZES), *window = attrs_find(p, HA_OFFSET_DIMS);
  const Attr *dropped = attrs_find(p, HA_COLLAPSED_SLICE_DIMS), *batch = attrs_find(p, HA_OPERAND_BATCHING_DIMS);
  if (sizes->n != x->rank) return INSTR_ERROR(p, i, E_ATTRIBUTE, "slice_sizes has not one entry per dimension");
  for (uint32_t d = 0, w = 0, k; d < x->rank; d++) {
    int64_t size = sizes->ints[d];
    bool inner = in_list(dropped, d, &k) || in_list(batch, d, &k);
    int64_t want = inner ? 1 : i->shape->dims[window->ints[w++]];
    if (size != want || size > x->dims[d])
      return INSTR_ERROR(p, i, E_SHAPE, "slice_sizes: %lld does not fit dimension %u", (long long)size, d);
  }
  return lower_indices(p, i, x, ids, &names, sizes->ints);
}

static bool lower_scatter(Parser *p, HloInstr *i) {
  static const IndexNames names = {HA_UPDATE_WINDOW_DIMS, HA_INSERTED_WINDOW_DIMS, HA_SCATTER_DIMS_TO_OPERAND_DIMS,
                                   HA_INPUT_BATCHING_DIMS, HA_SCATTER_INDICES_BATCHING_DIMS};
  if (!(REQUIRE(INDEX_VECTOR_DIM) && REQUIRE(SCATTER_DIMS_TO_OPERAND_DIMS))) return false;
  if (i->n_args % 2 == 0) return INSTR_ERROR(p, i, E_SHAPE, "scatter has %u operands", i->n_args);
  uint32_t n = i->n_args / 2;
  const HloShape *x = arg_shape(p, i, 0), *ids = arg_shape(p, i, n), *updates = arg_shape(p, i, n + 1);
  if (!check_ranks(p, i, x, ids, updates, &names)) return false;
  const Attr *window = attrs_find(p, HA_UPDATE_WINDOW_DIMS), *dropped = attrs_find(p, HA_INSERTED_WINDOW_DIMS);
  const Attr *batch = attrs_find(p, HA_INPUT_BATCHING_DIMS);
  int64_t sizes[MAX_RANK];
  for (uint32_t d = 0, w = 0, k; d < x->rank; d++) {
    bool inner = in_list(dropped, d, &k) || in_list(batch, d, &k);
    sizes[d] = inner ? 1 : updates->dims[window->ints[w++]];
    if (sizes[d] > x->dims[d] && !inner) return INSTR_ERROR(p, i, E_SHAPE, "an update is larger than dimension %u", d);
  }
  const Attr *unique = attrs_find(p, HA_UNIQUE_INDICES);
  if (unique && !unique->i) remove_attr(p, HA_UNIQUE_INDICES);
  return lower_indices(p, i, x, ids, &names, sizes);
}

static int64_t elements(const HloShape *s) {
  int64_t n = 1;
  for (int d = 0; d < s->rank; d++) n *= s->dims[d];
  return n;
}

static bool same_dims(const HloShape *x, const HloShape *y) {
  return !x->tuple && !y->tuple && x->rank == y->rank && !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims);
}

/* Dimensions of operands and result where nothing behind the reader checks them. */
static bool check_shapes(Parser *p, HloInstr *i) {
  const HloShape *out = i->shape;
  if (i->opcode == HLO_COPY && out->tuple) i->opcode = HLO_OPT_BARRIER; /* all leaves as they are */
  HloClass c = hlo_opcode_class(i->opcode);
  if (c == C_ELEMENTWISE) {
    for (uint32_t k = 0; k < i->n_args; k++) {
      const HloShape *x = arg_shape(p, i, k);
      if (x == out || same_dims(x, out)) continue;
      bool may_be = i->opcode == HLO_SELECT ? k == 0 : i->opcode == HLO_CLAMP && k != 1;
      if (!may_be || x->tuple || x->rank)
        return INSTR_ERROR(p, i, E_SHAPE, "operand %u of %s has not the dimensions of the result", k,
                           hlo_opcode_text(i->opcode));
    }
  } else if (i->opcode == HLO_RESHAPE) {
    const HloShape *x = arg_shape(p, i, 0);
    if (x->tuple || out->tuple || elements(x) != elements(out))
      return INSTR_ERROR(p, i, E_SHAPE, "reshape changes the number of elements");
  } else if (i->opcode == HLO_DYNAMIC_SLICE) {
    const Attr *a = attrs_find(p, HA_DYNAMIC_SLICE_SIZES);
    if (out->tuple || (a && (a->n != out->rank || memcmp(a->ints, out->dims, a->n * sizeof *a->ints))))
      return INSTR_ERROR(p, i, E_SHAPE, "dynamic_slice_sizes are not the dimensions of the result");
    remove_attr(p, HA_DYNAMIC_SLICE_SIZES);
  } else if (c == C_CONDITIONAL && (arg_shape(p, i, 0)->tuple || arg_shape(p, i, 0)->rank)) {
    return INSTR_ERROR(p, i, E_SHAPE, "the branch of a conditional is chosen by no scalar");
  } else if (c == C_DEVICE && (out->tuple || out->rank)) {
    return INSTR_ERROR(p, i, E_SHAPE, "the number of a device is a scalar");
  } else if (c == C_WHILE && !hlo_shape_equal(out, arg_shape(p, i, 0))) {
    return INSTR_ERROR(p, i, E_SHAPE, "a loop's result has not the shape of its operand");
  }
  return true;
}

/* Calls: as many operands as parameters, of their shapes; the result of the root's. */
static bool check_call(Parser *p, HloInstr *i, const HloComp *c, uint32_t first, uint32_t n) {
  const HloModule *m = p->m;
  if (n != c->n_params)
    return INSTR_ERROR(p, i, E_SHAPE, "computation '%s' has %u parameters, not %u", sym_text(c->name), c->n_params, n);
  for (uint32_t k = 0; k < n; k++)
    if (!hlo_shape_equal(hlo_instr(m, c, c->params[k])->shape, arg_shape(p, i, first + k)))
      return INSTR_ERROR(p, i, E_SHAPE, "operand %u has not the shape of the parameter of '%s'", first + k,
                         sym_text(c->name));
  return true;
}

static bool check_calls(Parser *p, HloInstr *i) {
  HloModule *m = p->m;
  HloClass c = hlo_opcode_class(i->opcode);
  for (uint32_t k = 0; k < i->n_called && !p->s.errors; k++) {
    const HloComp *callee = &m->comps.at[i->called[k]];
    bool branch = c == C_CONDITIONAL;
    if (!check_call(p, i, callee, branch ? k + 1 : 0, branch ? 1 : i->n_args)) return false;
    const HloShape *root = hlo_instr(m, callee, callee->root)->shape;
    if (c == C_WHILE && k == 0) {
      if (root->tuple || root->dtype != DT_PRED || root->rank)
        return INSTR_ERROR(p, i, E_SHAPE, "a loop's condition is no truth value");
    } else if (c != C_ASYNC_START && !hlo_shape_equal(root, i->shape)) {
      return INSTR_ERROR(p, i, E_SHAPE, "the result has not the shape of what '%s' returns", sym_text(callee->name));
    }
    p->comp->devices |= callee->devices;
    if (p->comp->height <= callee->height) p->comp->height = callee->height + 1;
    if (p->comp->height > MAX_CALLS)
      return INSTR_ERROR(p, i, E_NESTING, "calls are nested more than %d deep", MAX_CALLS);
  }
  return true;
}

static bool lower_opcode(Parser *p, HloInstr *i) {
  switch ((HloOpcode)i->opcode) {
    case HLO_GATHER: return lower_gather(p, i);
    case HLO_SCATTER: return lower_scatter(p, i);
    case HLO_BITCAST: return bitcast_lower(p, i);
    case HLO_CONVOLUTION:
      if (!REQUIRE(DIM_LABELS) || !(i->shape->rank <= 2 || REQUIRE(WINDOW))) return false;
      if (i->shape->rank <= 2) attrs_empty_window(p);
      default_int(p, HA_FEATURE_GROUP_COUNT, 1);
      default_int(p, HA_BATCH_GROUP_COUNT, 1);
      return true;
    case HLO_SORT: default_int(p, HA_IS_STABLE, 0); return true;
    case HLO_TOPK:
      default_int(p, HA_LARGEST, 1);
      remove_attr(p, HA_IS_STABLE);
      return REQUIRE(K);
    case HLO_DOT: remove_attr(p, HA_ALGORITHM); return true;
    case HLO_IOTA: return REQUIRE(IOTA_DIMENSION);
    case HLO_COMPARE: return REQUIRE(DIRECTION);
    case HLO_SLICE: return REQUIRE(SLICE_RANGES);
    case HLO_PAD: return REQUIRE(PADDING);
    case HLO_REDUCE_WINDOW:
      if (i->n_args > 2) i->op = sym("reduce_window_tuple");
      return REQUIRE(WINDOW);
    case HLO_SELECT_AND_SCATTER: return REQUIRE(WINDOW);
    case HLO_GET_TUPLE_ELEMENT: {
      if (!REQUIRE(INDEX)) return false;
      const HloShape *x = arg_shape(p, i, 0);
      i->number = attrs_find(p, HA_INDEX)->i;
      if (!x->tuple || i->number < 0 || i->number >= x->n_parts || !hlo_shape_equal(x->parts[i->number], i->shape))
        return INSTR_ERROR(p, i, E_SHAPE, "the operand has no element %lld of this shape", (long long)i->number);
      remove_attr(p, HA_INDEX);
      return true;
    }
    default: return true;
  }
}

bool lower_instr(Parser *p, HloInstr *i) {
  if (i->opcode != HLO_CUSTOM_CALL && i->opcode != HLO_UNKNOWN) {
    remove_attr(p, HA_BACKEND_CONFIG);
    remove_attr(p, HA_FRONTEND_ATTRIBUTES);
  }
  return lower_called(p, i) && lower_ids(p, i) && lower_opcode(p, i) && check_shapes(p, i) && check_calls(p, i);
}
