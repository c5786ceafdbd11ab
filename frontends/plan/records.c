/* Plans that nnScaler pickled: from records of its classes to the tables.  Nodes are numbered in the order in which the
 * programs of the devices come to them: a node, what it holds, its mirror. */
#include <stdio.h>
#include <string.h>

#include "frontends/plan/make.h"
#include "frontends/plan/pickle.h"

/* What a record was read as: its `own`, which is otherwise 1 + the device that it was read as a node for. */
enum { OWN_FULL = -1, OWN_SUB = -2, OWN_REDUCER = -3 };

typedef struct Records {
  PlanMaker m;
  int64_t device; /* whose program is being read */
} Records;

bool plan_is_pickle(const Source *s) {
  return s->len > 2 && (uint8_t)s->text[0] == 0x80 && s->text[1] >= 2 && s->text[1] <= 5;
}

/* ---- values */
static const char *class_name(const PickleRecord *r) {
  const char *s = sym_text(r->cls), *dot = strrchr(s, '.');
  return strncmp(s, "nnscaler.", 9) ? "" : dot + 1;
}

static bool is_a(const PickleValue *v, const char *name) {
  return v && v->kind == PV_RECORD && !strcmp(class_name(v->record), name);
}

static const PickleValue *attr(Records *q, const PickleRecord *r, const char *name) {
  const PickleValue *v = pickle_attr(r, sym_of(name));
  if (!v) plan_error(&q->m, E_ATTRIBUTE, "%s has no attribute '%s'", r->cls ? sym_text(r->cls) : "a value", name);
  return v;
}

static bool malformed(Records *q, const PickleRecord *r, const char *name) {
  return plan_error(&q->m, E_ATTRIBUTE, "attribute '%s' of %s is malformed", name, sym_text(r->cls));
}

static bool int_attr(Records *q, const PickleRecord *r, const char *name, int64_t *out) {
  const PickleValue *v = attr(q, r, name);
  *out = v && v->kind == PV_INT ? v->i : 0;
  return v && (v->kind == PV_INT || malformed(q, r, name));
}

static bool bool_attr(Records *q, const PickleRecord *r, const char *name, bool *out) {
  const PickleValue *v = attr(q, r, name);
  *out = v && v->i;
  return v && (v->kind == PV_BOOL || malformed(q, r, name));
}

/* A text, or 0 for None. */
static bool text_attr(Records *q, const PickleRecord *r, const char *name, Sym *out) {
  const PickleValue *v = attr(q, r, name);
  *out = v && v->kind == PV_STRING ? v->s : 0;
  return v && (v->kind == PV_STRING || v->kind == PV_NONE || malformed(q, r, name));
}

static const PickleList *list_attr(Records *q, const PickleRecord *r, const char *name) {
  const PickleValue *v = attr(q, r, name);
  if (!v) return NULL;
  if (v->kind == PV_TUPLE || v->kind == PV_LIST) return v->list;
  malformed(q, r, name);
  return NULL;
}

/* A record of a class of nnScaler. */
static PickleRecord *record_attr(Records *q, const PickleRecord *r, const char *name, const char *cls) {
  const PickleValue *v = attr(q, r, name);
  if (!v) return NULL;
  if (is_a(v, cls)) return v->record;
  malformed(q, r, name);
  return NULL;
}

/* ---- tensors */
static bool read_kind(Records *q, const PickleRecord *r, PlanFull *f) {
  bool is_attr, is_grad, trained;
  if (!bool_attr(q, r, "_is_attr", &is_attr) || !bool_attr(q, r, "_is_grad", &is_grad) ||
      !bool_attr(q, r, "_requires_grad", &trained) || !bool_attr(q, r, "_is_loss", &f->loss))
    return false;
  f->kind = is_grad ? PLAN_GRAD : !is_attr ? PLAN_ACTIVATION : trained ? PLAN_PARAM : PLAN_BUFFER;
  f->of_param = is_grad && is_attr;
  return true;
}

static bool read_full(Records *q, PickleRecord *r, bool is_gradient, uint32_t *out) {
  PlanMaker *m = &q->m;
  PlanFull f = {.grad = NO_PLAN};
  if (r->own == (uint32_t)OWN_FULL) return *out = r->mark, true;
  const PickleList *shape = list_attr(q, r, "_shape");
  const PickleValue *dtype = shape ? attr(q, r, "_dtype") : NULL, *grad = dtype ? attr(q, r, "_grad") : NULL;
  if (!grad || !int_attr(q, r, "_id", &f.id) || !text_attr(q, r, "name", &f.name) || !read_kind(q, r, &f)) return false;
  if (dtype->kind != PV_GLOBAL || !plan_dtype(sym_text(dtype->s), &f.dtype))
    return plan_error(m, E_UNSUPPORTED, "full tensor %lld has no element type that is read", (long long)f.id);
  if (shape->len > PLAN_MAX_RANK)
    return plan_error(m, E_SIZE, "a tensor has more than %d dimensions", PLAN_MAX_RANK);
  int64_t *dims = ARENA_ARRAY(&m->p->arena, int64_t, shape->len);
  for (uint32_t k = 0; k < shape->len; k++) {
    if (shape->at[k].kind != PV_INT) return malformed(q, r, "_shape");
    dims[k] = shape->at[k].i;
  }
  f.rank = (uint8_t)shape->len;
  f.dims = dims;
  if (grad->kind != PV_NONE && (!is_a(grad, "IRFullTensor") || is_gradient)) return malformed(q, r, "_grad");
  if (grad->kind != PV_NONE && !read_full(q, grad->record, true, &f.grad)) return false;
  if (!plan_add_full(m, f, out)) return false;
  r->own = (uint32_t)OWN_FULL;
  r->mark = *out;
  return true;
}

/* A pair of integers. */
static bool pair_of(const PickleValue *v, int64_t *a, int64_t *b) {
  if ((v->kind != PV_TUPLE && v->kind != PV_LIST) || v->list->len != 2) return false;
  if (v->list->at[0].kind != PV_INT || v->list->at[1].kind != PV_INT) return false;
  return *a = v->list->at[0].i, *b = v->list->at[1].i, true;
}

static bool read_sub(Records *q, PickleRecord *r, uint32_t *out) {
  PlanMaker *m = &q->m;
  PlanSub s = {0};
  if (r->own == (uint32_t)OWN_SUB) return *out = r->mark, true;
  PickleRecord *full = record_attr(q, r, "_full_tensor", "IRFullTensor");
  const PickleRecord *ind = full ? record_attr(q, r, "_indmap", "IndexMap") : NULL;
  const PickleRecord *val = ind ? record_attr(q, r, "_valmap", "ValueMap") : NULL;
  const PickleList *ranges = val ? list_attr(q, ind, "_indices") : NULL;
  const PickleValue *weight = ranges ? attr(q, val, "_weight") : NULL;
  if (!weight || !int_attr(q, r, "_id", &s.id) || !read_full(q, full, false, &s.full)) return false;
  if (ranges->len > PLAN_MAX_RANK) return malformed(q, ind, "_indices");
  int64_t *start = ARENA_ARRAY(&m->p->arena, int64_t, ranges->len), *end = ARENA_ARRAY(&m->p->arena, int64_t, ranges->len);
  for (uint32_t k = 0; k < ranges->len; k++)
    if (!pair_of(&ranges->at[k], &start[k], &end[k])) return malformed(q, ind, "_indices");
  s.start = start;
  s.end = end;
  if (!pair_of(weight, &s.addend, &s.n_addends)) return malformed(q, val, "_weight");
  if (!plan_add_sub(m, s, ranges->len, out)) return false;
  r->own = (uint32_t)OWN_SUB;
  r->mark = *out;
  return true;
}

/* ---- arguments */
/* What is said once may be mentioned often: that takes room, too. */
static bool take_room(Records *q, uint32_t n) {
  if (n > q->m.room) return plan_error(&q->m, E_LIMIT, "the lists of the plan are too long for its file");
  return q->m.room -= n, true;
}

static bool read_gradient(Records *q, const PickleRecord *r, uint32_t *out) {
  const PickleValue *v = attr(q, r, "_grad");
  *out = NO_PLAN;
  if (!v) return false;
  if (v->kind == PV_NONE) return true;
  return is_a(v, "IRSubTensor") ? read_sub(q, v->record, out) : malformed(q, r, "_grad");
}

static bool read_list(Records *q, const PickleList *list, bool grads, int depth, PlanArg **out);

static bool read_record(Records *q, PickleRecord *r, bool grads, PlanArg *out) {
  if (!strcmp(class_name(r), "IRSubTensor")) {
    *out = (PlanArg){.kind = PA_TENSOR, .grad = NO_PLAN};
    return read_sub(q, r, &out->sub) && (!grads || read_gradient(q, r, &out->grad));
  }
  if (!strcmp(class_name(r), "IRObject")) return out->kind = PA_OBJECT, int_attr(q, r, "_id", &out->i);
  return plan_error(&q->m, E_UNSUPPORTED, "an argument is of class '%.200s'", sym_text(r->cls));
}

static bool read_arg(Records *q, const PickleValue *v, bool grads, int depth, PlanArg *out) {
  switch (v->kind) {
    case PV_NONE: return true;
    case PV_BOOL:
    case PV_INT: return *out = plan_int(v->i, v->kind == PV_BOOL), true;
    case PV_FLOAT: return *out = plan_float(v->f), true;
    case PV_STRING:
    case PV_GLOBAL: out->kind = PA_STRING, out->s = v->s; return true;
    case PV_RECORD: return read_record(q, v->record, grads, out);
    case PV_TUPLE:
    case PV_LIST: break;
    default: return plan_error(&q->m, E_UNSUPPORTED, "an argument that is not understood");
  }
  if (depth == PLAN_MAX_DEPTH) return plan_error(&q->m, E_NESTING, "lists are nested more than %d deep", depth);
  out->kind = PA_LIST;
  out->n = v->list->len;
  return read_list(q, v->list, grads, depth + 1, &out->list);
}

static bool read_list(Records *q, const PickleList *list, bool grads, int depth, PlanArg **out) {
  if (!(*out = plan_new_args(&q->m, list->len))) return false;
  for (uint32_t k = 0; k < list->len; k++)
    if (!read_arg(q, &list->at[k], grads, depth, &(*out)[k])) return false;
  return true;
}

static bool read_args(Records *q, const PickleRecord *r, const char *name, bool grads, const PlanArg **out, uint32_t *n) {
  const PickleList *list = list_attr(q, r, name);
  PlanArg *args;
  if (!list || !read_list(q, list, grads, 0, &args)) return false;
  return *out = args, *n = list->len, true;
}

static bool read_kws(Records *q, const PickleRecord *r, const char *name, const PlanKw **out, uint32_t *n) {
  const PickleValue *v = attr(q, r, name);
  if (!v) return false;
  if (v->kind != PV_DICT) return malformed(q, r, name);
  uint32_t len = v->list->len / 2;
  if (!take_room(q, len)) return false;
  PlanKw *list = ARENA_ARRAY(&q->m.p->arena, PlanKw, len);
  for (uint32_t k = 0; k < len; k++) {
    const PickleValue *key = &v->list->at[2 * k];
    list[k] = (PlanKw){.value = {.kind = PA_NONE, .r = RAT_0}};
    if (key->kind != PV_STRING || pickle_get(v, key->s) != key + 1) return malformed(q, r, name);
    list[k].name = key->s;
    if (!read_arg(q, key + 1, true, 0, &list[k].value)) return false;
  }
  return *out = list, *n = len, true;
}

/* ---- nodes */
static bool read_node(Records *q, PickleRecord *r, uint32_t *out);

/* File "PATH", line N, in FUNCTION,  TEXT */
static void read_comment(Records *q, Sym comment, PlanNode *n) {
  static const char before[] = "File \"", line[] = "\", line ", in[] = ", in ", behind[] = ",  ";
  const char *path = sym_text(comment);
  if (strncmp(path, before, sizeof before - 1)) return;
  path += sizeof before - 1;
  const char *end = strstr(path, line), *number = end ? end + sizeof line - 1 : NULL;
  const char *function = number ? strstr(number, in) : NULL, *text = function ? strstr(function + 1, behind) : NULL;
  if (!text || strspn(number, "0123456789") != (size_t)(function - number)) return;
  const char *from = end;
  for (int slashes = 0; from > path && (slashes += from[-1] == '/') < 2;) from--;
  n->at = sym(arena_printf(&q->m.p->arena, "%.*s:%.*s", (int)(end - from), from, (int)(function - number), number));
  n->text = sym_of(text + sizeof behind - 1);
}

static bool read_prims(Records *q, const PickleRecord *r, PlanNode *n) {
  const PickleList *list = list_attr(q, r, "_prims");
  if (!list || !take_room(q, list->len)) return false;
  PlanPrim *prims = ARENA_ARRAY(&q->m.p->arena, PlanPrim, list->len);
  n->prims = prims;
  n->n_prims = list->len;
  for (uint32_t k = 0; k < list->len; k++) {
    const PickleValue *v = &list->at[k];
    const char *name = v->kind == PV_RECORD ? class_name(v->record) : "";
    size_t len = strlen(name);
    if (len < 5 || strcmp(name + len - 4, "Prim")) return malformed(q, r, "_prims");
    prims[k].op = sym_n(name, len - 4);
    if (!read_args(q, v->record, "_inputs", false, &prims[k].in, &prims[k].n_in) ||
        !read_args(q, v->record, "_outputs", false, &prims[k].out, &prims[k].n_out) ||
        !read_kws(q, v->record, "kwargs", &prims[k].kws, &prims[k].n_kws))
      return false;
  }
  return true;
}

static bool read_devices(Records *q, const PickleRecord *r, PlanNode *n) {
  const PickleList *list = list_attr(q, r, "_device");
  if (!list || !take_room(q, list->len)) return false;
  int64_t *devices = ARENA_ARRAY(&q->m.p->arena, int64_t, list->len);
  for (uint32_t k = 0; k < list->len; k++) {
    if (list->at[k].kind != PV_INT) return malformed(q, r, "_device");
    devices[k] = list->at[k].i;
  }
  n->devices = devices;
  n->n_devices = list->len;
  return true;
}

/* The mirror says the same of this one, so that reading mirrors comes to an end. */
static bool read_mirror(Records *q, const PickleRecord *r, PlanNode *n) {
  const PickleValue *v = attr(q, r, "_mirror");
  n->mirror = NO_PLAN;
  if (!v) return false;
  if (v->kind == PV_NONE) return true;
  const PickleValue *back = v->kind == PV_RECORD ? attr(q, v->record, "_mirror") : NULL;
  if (!back || back->kind != PV_RECORD || back->record != r) return malformed(q, r, "_mirror");
  return read_node(q, v->record, &n->mirror);
}

static bool read_inner(Records *q, const PickleRecord *r, PlanNode *n) {
  const PickleList *list = list_attr(q, r, "_nodes");
  if (!list || !take_room(q, list->len)) return false;
  uint32_t *nodes = ARENA_ARRAY(&q->m.p->arena, uint32_t, list->len);
  n->nodes = nodes;
  n->n_nodes = list->len;
  for (uint32_t k = 0; k < list->len; k++) {
    const PickleValue *v = &list->at[k];
    if (v->kind != PV_RECORD) return malformed(q, r, "_nodes");
    if (is_a(v, "IRSegment")) return plan_error(&q->m, E_UNSUPPORTED, "a segment inside a segment");
    if (!read_node(q, v->record, &nodes[k])) return false;
  }
  return true;
}

/* A segment does not say its direction: all that it holds is forward, or it is backward. */
static bool read_direction(Records *q, const PickleRecord *r, PlanNode *n) {
  const PickleList *list = list_attr(q, r, "_nodes");
  n->forward = true;
  for (uint32_t k = 0; list && k < list->len; k++) {
    const PickleValue *v = &list->at[k], *way = is_a(v, "IRAdapter") ? pickle_attr(v->record, sym("_forward")) : NULL;
    if (is_a(v, "IRBpOperation") || (way && way->kind == PV_BOOL && !way->i)) n->forward = false;
  }
  return list != NULL;
}

static PlanKind kind_of(const PickleRecord *r) {
  const char *name = class_name(r);
  return !strcmp(name, "IRAdapter")        ? PLAN_ADAPTER
         : !strcmp(name, "IRBpOperation")  ? PLAN_BACKWARD
         : !strcmp(name, "IRSegment")      ? PLAN_SEGMENT
         : !strcmp(name, "IRDataOperation") ? PLAN_DATA
         : !strcmp(name, "IRWeightReducer") ? PLAN_REDUCER
                                            : PLAN_FORWARD;
}

/* What a node says of itself. */
static bool read_own(Records *q, const PickleRecord *r, PlanNode *n) {
  Sym comment = 0;
  bool forward = n->kind == PLAN_FORWARD;
  if (!int_attr(q, r, "_id", &n->id)) return false;
  if (forward && !text_attr(q, r, "name", &n->op)) return false;
  plan_where(&q->m, n->id, n->op);
  if (forward && (!text_attr(q, r, "signature", &n->signature) || !text_attr(q, r, "_comment", &comment) ||
                  !read_kws(q, r, "_kwargs", &n->kws, &n->n_kws)))
    return false;
  if (forward && !n->signature) return malformed(q, r, "signature");
  read_comment(q, comment, n);
  if (n->kind == PLAN_ADAPTER && (!bool_attr(q, r, "_forward", &n->forward) || !read_prims(q, r, n))) return false;
  if (n->kind == PLAN_SEGMENT && !read_direction(q, r, n)) return false;
  return read_args(q, r, "_inputs", forward || n->kind == PLAN_REDUCER, &n->in, &n->n_in) &&
         read_args(q, r, "_outputs", forward, &n->out, &n->n_out) && read_devices(q, r, n);
}

static bool read_node(Records *q, PickleRecord *r, uint32_t *out) {
  Plan *p = q->m.p;
  PlanNode n = {.kind = (uint8_t)kind_of(r), .mirror = NO_PLAN};
  uint32_t own = n.kind == PLAN_REDUCER ? (uint32_t)OWN_REDUCER : (uint32_t)q->device + 1;
  if (r->own == own) return *out = r->mark, true;
  if (r->own == (uint32_t)OWN_FULL || r->own == (uint32_t)OWN_SUB)
    return plan_error(&q->m, E_KIND, "a tensor stands where a node should");
  char before[sizeof q->m.where];
  memcpy(before, q->m.where, sizeof before);
  r->own = own;
  r->mark = *out = (uint32_t)p->nodes.len;
  vec_push(&p->nodes, n);
  bool ok = read_own(q, r, &n) && (n.kind != PLAN_SEGMENT || read_inner(q, r, &n));
  if (ok && n.kind != PLAN_ADAPTER && n.kind != PLAN_DATA && n.kind != PLAN_REDUCER) ok = read_mirror(q, r, &n);
  p->nodes.at[*out] = n;
  memcpy(q->m.where, before, sizeof before);
  return ok;
}

/* ---- programs */
typedef struct Cell {
  int64_t id;
  PlanStep *step;
} Cell;

static int by_id(const void *a, const void *b) {
  const Cell *x = a, *y = b;
  return x->id != y->id ? (x->id > y->id) - (x->id < y->id) : (x->step > y->step) - (x->step < y->step);
}

/* The microbatch of a step is how often its cell was run before. */
static bool count_microbatches(Records *q, PlanStep *steps, uint32_t n) {
  const Plan *p = q->m.p;
  Cell *cells = xmalloc((n + 1) * sizeof *cells);
  for (uint32_t k = 0; k < n; k++) cells[k] = (Cell){p->nodes.at[steps[k].node].id, &steps[k]};
  qsort(cells, n, sizeof *cells, by_id);
  for (uint32_t k = 1; k < n; k++)
    if (cells[k].id == cells[k - 1].id) cells[k].step->microbatch = cells[k - 1].step->microbatch + 1;
  free(cells);
  return true;
}

static bool read_step(Records *q, const PickleValue *v, PlanStep *s) {
  if (v->kind != PV_RECORD) return plan_error(&q->m, E_KIND, "a step is no cell");
  bool reused = is_a(v, "ExeReuseCell");
  const PickleValue *cell = reused ? attr(q, v->record, "_cell") : v;
  if (!cell) return false;
  if (cell->kind != PV_RECORD) return malformed(q, v->record, "_cell");
  if (!read_node(q, cell->record, &s->node)) return false;
  const PlanNode *n = &q->m.p->nodes.at[s->node];
  *s = (PlanStep){s->node, 0, n->n_in, n->n_out, n->in, n->out};
  plan_where(&q->m, n->id, 0);
  bool ok = !reused || (read_args(q, v->record, "_inputs", false, &s->in, &s->n_in) &&
                        read_args(q, v->record, "_outputs", false, &s->out, &s->n_out));
  q->m.where[0] = 0;
  return ok;
}

static bool read_program(Records *q, const PickleList *list) {
  Plan *p = q->m.p;
  if (!take_room(q, list->len)) return false;
  PlanStep *steps = ARENA_ARRAY(&p->arena, PlanStep, list->len);
  p->programs[q->device] = (PlanProgram){list->len, steps};
  for (uint32_t k = 0; k < list->len && q->m.errors < PLAN_MAX_ERRORS; k++) read_step(q, &list->at[k], &steps[k]);
  return !q->m.errors && count_microbatches(q, steps, list->len);
}

static bool read_programs(Records *q, const PickleRecord *exec) {
  int64_t n = q->m.p->n_devices;
  const PickleValue *seq = attr(q, exec, "_seq");
  if (!seq) return false;
  if (seq->kind != PV_DICT) return malformed(q, exec, "_seq");
  const PickleList **list = ARENA_ARRAY(&q->m.p->arena, const PickleList *, n);
  for (uint32_t k = 0; k < seq->list->len; k += 2) {
    const PickleValue *key = &seq->list->at[k];
    if (key->kind != PV_INT || key->i < 0 || key->i >= n || list[key->i] || key[1].kind != PV_LIST)
      return malformed(q, exec, "_seq");
    list[key->i] = key[1].list;
  }
  for (q->device = 0; q->device < n; q->device++) {
    if (!list[q->device])
      return plan_error(&q->m, E_MESH, "the plan has no steps of device %lld", (long long)q->device);
    if (!read_program(q, list[q->device])) return false;
  }
  return true;
}

static bool read_losses(Records *q, const PickleRecord *exec) {
  Plan *p = q->m.p;
  const PickleList *list = list_attr(q, exec, "_outputs");
  if (!list || !read_list(q, list, false, 0, &p->losses)) return false;
  p->n_microbatches = list->len;
  for (uint32_t k = 0; k < list->len; k++)
    if (p->losses[k].kind != PA_TENSOR) return plan_error(&q->m, E_GRAPH_SYNTAX, "an output is not a tensor");
  return list->len > 0 || plan_error(&q->m, E_GRAPH_SYNTAX, "a plan has at least one output");
}

static bool read_root(Records *q, const PickleValue *root) {
  if (!is_a(root, "ModuleCodeGen"))
    return plan_error(&q->m, E_UNSUPPORTED, "the pickle is no plan: it holds %s, not a ModuleCodeGen of nnscaler",
                      root->kind == PV_RECORD ? sym_text(root->record->cls) : "a plain value");
  const PickleList *devices = list_attr(q, root->record, "devices");
  const PickleRecord *exec = devices ? record_attr(q, root->record, "execplan", "ExecutionPlan") : NULL;
  int64_t n_runtime;
  if (!exec || !int_attr(q, root->record, "runtime_ndevs", &n_runtime)) return false;
  for (uint32_t k = 0; k < devices->len; k++)
    if (devices->at[k].kind != PV_INT || devices->at[k].i != k)
      return plan_error(&q->m, E_MESH, "the devices of the plan are not 0, 1, ..");
  return plan_set_devices(&q->m, devices->len, n_runtime) && read_losses(q, exec) && read_programs(q, exec);
}

bool plan_read_pickle(Plan *p, Diags *diags, uint32_t source) {
  Records q = {0};
  Arena arena = {0};
  PickleValue root;
  PickleFault fault;
  const Source *s = sources_get(diags_sources(diags), source);
  plan_begin(&q.m, p, diags, source);
  if (pickle_read(&arena, (const uint8_t *)s->text, s->len, &PICKLE_LIMITS, &root, &fault)) {
    read_root(&q, &root);
  } else {
    snprintf(q.m.where, sizeof q.m.where, "byte %zu", fault.at);
    plan_error(&q.m, fault.code, "%s", fault.what);
  }
  arena_free(&arena);
  return plan_end(&q.m);
}
