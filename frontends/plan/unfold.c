#include "frontends/plan/make.h"
#include "frontends/plan/unfold.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool unfold_error(Unfold *u, const PlanNode *n, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  if (n) return plan_report(u->plan, (uint32_t)(n - u->plan->nodes.at), code, "%s", what);
  return diag_error(u->plan->diags, (Span){.source = u->plan->source}, code, "%s", what);
}

static const PlanNode *forward_of(const Unfold *u, const PlanNode *n) {
  return n->kind == PLAN_BACKWARD && n->mirror != NO_PLAN ? &u->plan->nodes.at[n->mirror] : n;
}

bool unfold_fault(Unfold *u, const PlanNode *n, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const PlanNode *f = forward_of(u, n);
  return torch_fault(u->p, &(TorchNode){.op = f->op, .name = f->op, .at = f->at, .line = n->line}, E_COLLECTIVE,
                     "%s, node %lld%s%s: %s", sym_text(u->name), (long long)n->id, f->op ? " " : "",
                     f->op ? sym_text(f->op) : "", what);
}

/* ---- values */
TorchType type_of_sub(Unfold *u, uint32_t sub) {
  const PlanSub *s = &u->plan->subs.at[sub];
  const PlanFull *f = full_of(u, sub);
  int64_t *dims = ARENA_ARRAY(&u->p->arena, int64_t, f->rank + 1u);
  for (uint32_t d = 0; d < f->rank; d++) dims[d] = s->end[d] - s->start[d];
  return (TorchType){.tensor = true, .rank = f->rank, .dtype = f->dtype, .dims = dims};
}

static bool unfold_has(const Unfold *u, uint32_t sub) { return u->value[sub] != 0; }

static TorchArg input_arg(uint32_t number) { return (TorchArg){.kind = TA_TENSOR, .i = number}; }

TorchArg unfold_emit(Unfold *u, const PlanNode *n, Sym op, const char *name, const TorchArg *args, uint32_t n_args,
                     const TorchType *outs, uint32_t n_outs) {
  Sym at = forward_of(u, n)->at;
  for (uint32_t k = 0; k < n_args && !at; k++) /* what moves a tensor stands where that is made */
    if (args[k].kind == TA_TENSOR && args[k].i >= (int64_t)u->inputs.len)
      at = u->nodes.at[args[k].i - (int64_t)u->inputs.len].at;
  Sym place = n->line ? 0 : sym(arena_printf(&u->p->arena, "node %lld", (long long)n->id));
  if (u->microbatch) name = arena_printf(&u->p->arena, "%s, microbatch %u", name, u->microbatch);
  TorchNode t = {.op = op, .name = sym(name), .module = place, .at = at, .line = n->line};
  t.n_args = n_args, t.n_outs = n_outs;
  t.args = arena_copy(&u->p->arena, args, n_args * sizeof *args);
  t.outs = arena_copy(&u->p->arena, outs, n_outs * sizeof *outs);
  vec_push(&u->nodes, t);
  return (TorchArg){.kind = TA_TENSOR, .i = (int64_t)(u->inputs.len + u->nodes.len - 1)};
}

bool unfold_read(Unfold *u, const PlanNode *n, uint32_t sub, TorchArg *out) {
  const PlanFull *f = full_of(u, sub);
  uint32_t at = u->value[sub];
  if (at) return *out = u->values.at[at - 1], true;
  if (f->kind == PLAN_PARAM || f->kind == PLAN_BUFFER) {
    uint32_t full = u->plan->subs.at[sub].full;
    if (unfold_use(u, u->device, full)->part == sub + 1) return *out = input_arg(u->input_of[full] - 1), true;
    return unfold_error(u, n, E_UNSUPPORTED, "it moves another part of '%s' than operators use", sym_text(f->name));
  }
  TorchType t = type_of_sub(u, sub);
  if (f->kind == PLAN_GRAD && f->loss)
    return *out = unfold_emit(u, n, sym("plan.ones"), "gradient of the loss", NULL, 0, &t, 1), true;
  return unfold_fault(u, n, "it reads %s, which nothing has made", sym_text(f->name));
}

static uint32_t keep(Unfold *u, TorchArg v) {
  vec_push(&u->values, v);
  return (uint32_t)u->values.len;
}

static TorchArg add(Unfold *u, const PlanNode *n, uint32_t sub, TorchArg a, TorchArg b) {
  TorchType t = type_of_sub(u, sub);
  return unfold_emit(u, n, sym("aten.add.Tensor"), arena_printf(&u->p->arena, "sum of %s", sym_text(full_of(u, sub)->name)),
                     (TorchArg[]){a, b}, 2, &t, 1);
}

void unfold_write(Unfold *u, const PlanNode *n, uint32_t sub, TorchArg v, bool replaces) {
  uint32_t *at = &u->value[sub];
  if (*at && !replaces && full_of(u, sub)->kind == PLAN_GRAD) v = add(u, n, sub, u->values.at[*at - 1], v);
  if (!*at) vec_push(&u->made, sub);
  *at = keep(u, v);
}

static void note(Unfold *u, const char *said) {
  for (size_t k = 0; k < u->notes.len; k++)
    if (!strcmp(u->notes.at[k], said)) return;
  vec_push(&u->notes, said);
}

/* Dropout draws at random; copies and pieces of one operator are taken to drop the same, and all is read as if none were
 * dropped. */
static void note_dropout(Unfold *u, const PlanKw *kw) {
  static const char *const names[] = {"p", "dropout", "dropout_p"};
  for (size_t i = 0; i < 3; i++)
    if (!strcmp(sym_text(kw->name), names[i]) && kw->value.kind != PA_NONE && kw->value.r != RAT_0)
      note(u, "dropout as the identity: what copies and pieces of one operator drop is taken to be the same");
}

/* ---- operators */
static TorchArg literal(Unfold *u, const PlanArg *a) {
  TorchArg out = {.i = a->i, .r = a->r, .s = a->s};
  switch ((PlanArgKind)a->kind) {
    case PA_NONE: case PA_TENSOR: case PA_OBJECT: return (TorchArg){.kind = TA_NONE};
    case PA_INT: out.kind = TA_INT; break;
    case PA_BOOL: out.kind = TA_BOOL; break;
    case PA_FLOAT: out.kind = TA_FLOAT; break;
    case PA_STRING: {
      uint8_t dtype;
      out.kind = TA_STRING;
      if (!strncmp(sym_text(a->s), "torch.", 6) && plan_dtype(sym_text(a->s), &dtype)) out.kind = TA_DTYPE, out.i = dtype;
      break;
    }
    case PA_LIST:
      out.kind = TA_LIST;
      out.n = a->n;
      out.list = ARENA_ARRAY(&u->p->arena, TorchArg, a->n);
      for (uint32_t k = 0; k < a->n; k++) out.list[k] = literal(u, &a->list[k]);
      break;
  }
  return out;
}

/* PyTorch's own by their signature, the others by its last part: models keep theirs in modules of many names. */
static Sym operator_name(Unfold *u, const PlanNode *n) {
  const char *text = sym_text(n->signature), *dot = strrchr(text, '.');
  return !strncmp(text, "torch.", 6) ? n->signature : sym(arena_printf(&u->p->arena, "plan.%s", dot ? dot + 1 : text));
}

static const char *first_name(const Unfold *u, const PlanNode *n) {
  for (uint32_t k = 0; k < n->n_out; k++)
    if (n->out[k].kind == PA_TENSOR) return sym_text(full_of(u, n->out[k].sub)->name);
  return sym_text(n->op);
}

/* A number, a text, or a list of them. */
static bool is_literal(const PlanArg *a) {
  for (uint32_t k = 0; a->kind == PA_LIST && k < a->n; k++)
    if (!is_literal(&a->list[k])) return false;
  return a->kind != PA_TENSOR && a->kind != PA_OBJECT;
}

/* Tensors are arguments by place, each by itself. */
static bool known_arguments(Unfold *u, const PlanNode *n) {
  const char *name = sym_text(n->signature);
  for (uint32_t k = 0; k < n->n_in; k++)
    if (n->in[k].kind != PA_TENSOR && !is_literal(&n->in[k]))
      return unfold_error(u, n, E_UNSUPPORTED, "'%s' takes %s", name,
                          n->in[k].kind == PA_LIST ? "a list of tensors" : "an object");
  for (uint32_t k = 0; k < n->n_kws; k++)
    if (!is_literal(&n->kws[k].value))
      return unfold_error(u, n, E_UNSUPPORTED, "'%s' takes a tensor or an object as '%s'", name, sym_text(n->kws[k].name));
  return true;
}

static bool forward(Unfold *u, const PlanNode *n) {
  Arena *a = &u->p->arena;
  if (!known_arguments(u, n)) return false;
  TorchArg *args = ARENA_ARRAY(a, TorchArg, n->n_in);
  for (uint32_t k = 0; k < n->n_in; k++) {
    const PlanArg *x = &n->in[k];
    if (x->kind != PA_TENSOR) {
      args[k] = literal(u, x);
      continue;
    }
    if (!unfold_read(u, n, x->sub, &args[k])) return false;
    for (uint32_t i = 0; i < k; i++) /* gradients are of uses */
      if (args[i].kind == TA_TENSOR && args[i].i == args[k].i && args[i].result == args[k].result) {
        TorchType t = type_of_sub(u, x->sub);
        args[k] = unfold_emit(u, n, sym("plan.alias"), sym_text(full_of(u, x->sub)->name), &args[k], 1, &t, 1);
        break;
      }
  }
  TorchType *outs = ARENA_ARRAY(a, TorchType, n->n_out);
  for (uint32_t k = 0; k < n->n_out; k++)
    if (n->out[k].kind == PA_TENSOR) outs[k] = type_of_sub(u, n->out[k].sub);
  TorchArg v = unfold_emit(u, n, operator_name(u, n), first_name(u, n), args, n->n_in, outs, n->n_out);
  TorchNode *t = &u->nodes.at[u->nodes.len - 1];
  t->n_kwargs = n->n_kws;
  t->keys = ARENA_ARRAY(a, Sym, n->n_kws);
  t->kwargs = ARENA_ARRAY(a, TorchArg, n->n_kws);
  for (uint32_t k = 0; k < n->n_kws; k++) {
    t->keys[k] = n->kws[k].name, t->kwargs[k] = literal(u, &n->kws[k].value);
    note_dropout(u, &n->kws[k]);
  }
  u->ran[u->microbatch * u->plan->nodes.len + (size_t)(n - u->plan->nodes.at)] = (uint32_t)u->nodes.len;
  for (uint32_t k = 0; k < n->n_out; k++) {
    v.result = k;
    if (n->out[k].kind == PA_TENSOR) unfold_write(u, n, n->out[k].sub, v, true);
  }
  return true;
}

/* The gradient of a use: those of a parameter are summed over uses and microbatches. */
static void write_gradient(Unfold *u, const PlanNode *n, const PlanArg *of, uint32_t sub, TorchArg v) {
  if (full_of(u, of->sub)->kind != PLAN_PARAM) {
    unfold_write(u, n, sub, v, false);
    return;
  }
  uint32_t *total = &u->total[of->sub];
  if (*total) v = add(u, n, sub, u->values.at[*total - 1], v);
  *total = keep(u, v);
}

/* What several uses of a tensor send back is added up, as it is listed.  What nothing makes counts as 0, and is said. */
static bool backward_multiref(Unfold *u, const PlanNode *n) {
  TorchArg sum = {.kind = TA_NONE};
  uint32_t to = n->n_out ? n->out[0].sub : NO_PLAN;
  const PlanNode *f = &u->plan->nodes.at[n->mirror];
  if (!n->n_out) return true; /* of a tensor that wants no gradient */
  if (n->n_out != 1 || n->out[0].kind != PA_TENSOR || !f->n_in || f->in[0].kind != PA_TENSOR)
    return unfold_error(u, n, E_GRAPH_SYNTAX, "the backward operator of a multiref must have one result");
  for (uint32_t k = 0; k < n->n_in; k++) {
    TorchArg v;
    uint32_t sub = n->in[k].sub;
    if (!unfold_has(u, sub) && !full_of(u, sub)->loss) {
      note(u, arena_printf(&u->p->arena, "the gradient '%s', which nothing makes and node %lld (multiref) adds up, as 0",
                           sym_text(full_of(u, sub)->name), (long long)n->id));
      continue;
    }
    if (!unfold_read(u, n, sub, &v)) return false;
    sum = sum.kind == TA_NONE ? v : add(u, n, to, sum, v);
  }
  TorchType t = type_of_sub(u, to);
  if (sum.kind == TA_NONE)
    sum = unfold_emit(u, n, sym("plan.zeros"), sym_text(full_of(u, to)->name), NULL, 0, &t, 1);
  return write_gradient(u, n, &f->in[0], to, sum), true;
}

/* The gradients of a forward operator's results that have one, in order. */
static bool gradients_in(Unfold *u, const PlanNode *n, const PlanNode *f, TorchArg *out) {
  uint32_t at = 0;
  for (uint32_t k = 0; k < f->n_out; k++) {
    out[k] = (TorchArg){.kind = TA_NONE};
    if (f->out[k].kind != PA_TENSOR || f->out[k].grad == NO_PLAN) continue;
    if (at == n->n_in) return unfold_fault(u, n, "it has %u gradients, and its forward operator more results", n->n_in);
    if (n->in[at].kind != PA_TENSOR) return unfold_error(u, n, E_GRAPH_SYNTAX, "an operand that is no tensor");
    if (!unfold_read(u, n, n->in[at++].sub, &out[k])) return false;
  }
  return at == n->n_in || unfold_fault(u, n, "it has %u gradients, and its forward operator %u results", n->n_in, at);
}

static bool backward(Unfold *u, const PlanNode *n) {
  const PlanNode *f = n->mirror == NO_PLAN ? NULL : &u->plan->nodes.at[n->mirror];
  if (!f || f->kind != PLAN_FORWARD) return unfold_error(u, n, E_GRAPH_SYNTAX, "a backward operator of no forward operator");
  if (!strcmp(sym_text(f->op), "multiref")) return backward_multiref(u, n);
  uint32_t ran = u->ran[u->microbatch * u->plan->nodes.len + n->mirror], n_wanted = 0;
  if (!ran) return unfold_fault(u, n, "it runs before its forward operator");
  Arena *a = &u->p->arena;
  TorchArg args[3] = {{.kind = TA_INT, .i = ran - 1, .r = rat_int(ran - 1)}, {.kind = TA_LIST}, {.kind = TA_LIST}};
  args[1].n = f->n_out;
  args[1].list = ARENA_ARRAY(a, TorchArg, f->n_out);
  if (!gradients_in(u, n, f, args[1].list)) return false;
  args[2].list = ARENA_ARRAY(a, TorchArg, f->n_in);
  TorchType *outs = ARENA_ARRAY(a, TorchType, f->n_in);
  const PlanArg **of = ARENA_ARRAY(a, const PlanArg *, f->n_in);
  for (uint32_t k = 0; k < f->n_in; k++) {
    if (f->in[k].kind != PA_TENSOR || f->in[k].grad == NO_PLAN) continue;
    if (n_wanted == n->n_out || n->out[n_wanted].kind != PA_TENSOR)
      return unfold_error(u, n, E_GRAPH_SYNTAX, "its results are not the gradients of the operands of node %lld",
                          (long long)f->id);
    outs[n_wanted] = type_of_sub(u, n->out[n_wanted].sub);
    of[n_wanted] = &f->in[k];
    args[2].list[n_wanted++] = (TorchArg){.kind = TA_INT, .i = k, .r = rat_int(k)};
  }
  if (n_wanted != n->n_out) return unfold_fault(u, n, "it makes %u gradients, and %u are wanted", n->n_out, n_wanted);
  args[2].n = n_wanted;
  TorchArg v = unfold_emit(u, n, sym("plan.backward"), arena_printf(a, "gradient of %s", first_name(u, f)), args, 3, outs,
                           n_wanted);
  for (uint32_t k = 0; k < n_wanted; k++) {
    v.result = k;
    write_gradient(u, n, of[k], n->out[k].sub, v);
  }
  return true;
}

/* ---- cells */
/* The batch: a part of the rows of the whole one, microbatch after microbatch. */
static bool load(Unfold *u, const PlanNode *n) {
  for (uint32_t k = 0; k < n->n_out; k++) {
    uint32_t sub = n->out[k].sub, input = u->input_of[u->plan->subs.at[sub].full];
    if (!input) continue;
    TorchArg v = input_arg(input - 1);
    TorchType t = type_of_sub(u, sub);
    if (u->plan->n_microbatches > 1) {
      int64_t at = u->microbatch * t.dims[0];
      TorchArg args[] = {v, {.kind = TA_INT}, {.kind = TA_INT, .i = at, .r = rat_int(at)},
                         {.kind = TA_INT, .i = t.dims[0], .r = rat_int(t.dims[0])}};
      v = unfold_emit(u, n, sym("aten.narrow.default"), sym_text(full_of(u, sub)->name), args, 4, &t, 1);
    }
    unfold_write(u, n, sub, v, true);
  }
  return true;
}

/* Each tells its own to all of the others: in groups that devices beside them have no like of. */
static TorchArg sum_of_messages(Unfold *u, const PlanNode *n, uint32_t sub, TorchArg own) {
  TorchType t = type_of_sub(u, sub);
  const char *name = arena_printf(&u->p->arena, "gradient of %s", sym_text(full_of(u, sub)->name));
  Sym ops[] = {sym("_c10d_functional.isend"), sym("_c10d_functional.irecv")};
  int64_t tag = unfold_tag(u, "reducer", n->devices, n->n_devices);
  TorchArg sum = {.kind = TA_NONE};
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = 0; k < n->n_devices; k++) {
      int64_t peer = n->devices[k];
      TorchArg args[] = {side ? (TorchArg){.kind = TA_NONE} : own, {.kind = TA_INT, .i = peer, .r = rat_int(peer)},
                         {.kind = TA_INT, .i = tag, .r = rat_int(tag)}};
      TorchArg v = peer == u->device ? own : unfold_emit(u, n, ops[side], name, args, 3, &t, 1);
      if (side) sum = sum.kind == TA_NONE ? v : add(u, n, sub, sum, v);
    }
  return sum;
}

static bool reduce(Unfold *u, const PlanNode *n) {
  TorchArg group = {0};
  bool collective = unfold_group_repeats(u, n->devices, n->n_devices), own = !collective && u->mesh.replicas > 1;
  int64_t device = u->device;
  if (collective && !unfold_group(u, n, n->devices, n->n_devices, true, &group)) return false;
  if (own && !unfold_group(u, n, &device, 1, true, &group)) return false;
  for (uint32_t k = 0; k < n->n_in; k++) {
    uint32_t sub = n->in[k].sub;
    TorchType t = type_of_sub(u, sub);
    const char *name = sym_text(full_of(u, sub)->name);
    TorchArg v = u->total[sub] ? u->values.at[u->total[sub] - 1]
                               : unfold_emit(u, n, sym("plan.zeros"), name, NULL, 0, &t, 1);
    if (!collective) v = sum_of_messages(u, n, sub, v);
    TorchArg args[] = {v, {.kind = TA_STRING, .s = sym("sum")}, group};
    if (collective || own)
      v = unfold_emit(u, n, sym("plan.all_reduce"),
                      arena_printf(&u->p->arena, "reduced gradient of %s", name), args, 3, &t, 1);
    u->total[sub] = keep(u, v);
  }
  return true;
}

static bool run(Unfold *u, const PlanNode *n) {
  switch ((PlanKind)n->kind) {
    case PLAN_FORWARD: return forward(u, n);
    case PLAN_BACKWARD: return backward(u, n);
    case PLAN_ADAPTER: return unfold_adapter(u, n);
    case PLAN_DATA: return load(u, n);
    case PLAN_REDUCER: return reduce(u, n);
    case PLAN_SEGMENT: break;
  }
  for (uint32_t k = 0; k < n->n_nodes; k++)
    if (!run(u, &u->plan->nodes.at[n->nodes[k]])) return false;
  return true;
}

/* ---- what a device's program begins and ends with */
static void add_input(Unfold *u, uint32_t sub, Sym name, TorchType t) {
  uint32_t full = u->plan->subs.at[sub].full;
  if (u->input_of[full]) return;
  vec_push(&u->inputs, (TorchInput){.name = name, .fqn = u->plan->fulls.at[full].name, .type = t});
  u->input_of[full] = (uint32_t)u->inputs.len;
}

/* Parameters and buffers, then the batch. */
static void add_parameters(Unfold *u) {
  for (uint32_t full = 0; full < u->plan->fulls.len; full++) {
    const PlanUse *use = unfold_use(u, u->device, full);
    if (use->part) add_input(u, use->part - 1, u->plan->fulls.at[full].name, type_of_sub(u, use->part - 1));
  }
}

/* What a loader gives has its place, whatever it is called. */
static Sym batch_name(Unfold *u, const PlanNode *n, uint32_t k) {
  return n->n_out > 1 ? sym(arena_printf(&u->p->arena, "batch %u", k)) : full_of(u, n->out[k].sub)->name;
}

static bool add_batch(Unfold *u, const PlanNode *n) {
  for (uint32_t k = 0; n->kind == PLAN_DATA && k < n->n_out; k++) {
    if (n->out[k].kind != PA_TENSOR) continue;
    TorchType t = type_of_sub(u, n->out[k].sub);
    Sym name = batch_name(u, n, k);
    for (size_t i = 0; i < u->inputs.len && !u->input_of[u->plan->subs.at[n->out[k].sub].full]; i++)
      if (u->inputs.at[i].name == name) return unfold_error(u, n, E_UNSUPPORTED, "a second '%s'", sym_text(name));
    if (u->plan->n_microbatches == 1) {
      add_input(u, n->out[k].sub, name, t);
      continue;
    }
    if (!t.rank) return unfold_error(u, n, E_UNSUPPORTED, "a batch without rows");
    int64_t *dims = arena_copy(&u->p->arena, t.dims, t.rank * sizeof *dims);
    if (__builtin_mul_overflow(dims[0], u->plan->n_microbatches, &dims[0]))
      return unfold_error(u, n, E_LIMIT, "too many rows");
    t.dims = dims;
    add_input(u, n->out[k].sub, name, t);
  }
  return true;
}

static bool among(const PlanArg *list, uint32_t n, uint32_t sub) {
  for (uint32_t k = 0; k < n; k++)
    if (list[k].kind == PA_TENSOR && list[k].sub == sub) return true;
  return false;
}

/* What the device holds under the names of the step is read under those of the node, and back.  A gradient that comes
 * again is added. */
static bool run_step(Unfold *u, const PlanStep *s) {
  const PlanNode *n = &u->plan->nodes.at[s->node];
  u->microbatch = s->microbatch;
  for (uint32_t k = 0; k < s->n_in; k++)
    if (n->in[k].kind == PA_TENSOR && u->held[s->in[k].sub])
      unfold_write(u, n, n->in[k].sub, u->values.at[u->held[s->in[k].sub] - 1], true);
  bool ok = run(u, n);
  for (uint32_t k = 0; ok && k < s->n_out; k++) {
    uint32_t sub = s->out[k].sub, at = u->value[n->out[k].sub];
    if (!at) continue;
    if (u->held[sub] && full_of(u, sub)->kind == PLAN_GRAD && !among(s->in, s->n_in, sub))
      at = keep(u, add(u, n, sub, u->values.at[u->held[sub] - 1], u->values.at[at - 1]));
    u->held[sub] = at;
  }
  for (size_t k = 0; k < u->made.len; k++) u->value[u->made.at[k]] = 0;
  u->made.len = 0;
  return ok;
}

static TorchArg loss_of(Unfold *u, const PlanNode *at, bool *has) {
  TorchArg sum = {0};
  *has = true;
  for (uint32_t m = 0; m < u->plan->n_microbatches && *has; m++) {
    uint32_t sub = u->plan->losses[m].sub, held = u->held[sub];
    *has = held != 0;
    if (held) sum = m ? add(u, at, sub, sum, u->values.at[held - 1]) : u->values.at[held - 1];
  }
  return sum;
}

/* Where several stages have one, each is told apart. */
static Sym stage_name(Unfold *u, const char *name, bool several) {
  int64_t stage = u->device / u->mesh.cut;
  return several ? sym(arena_printf(&u->p->arena, "%s on stage %lld", name, (long long)stage)) : sym(name);
}

static bool on_several(const Unfold *u, uint32_t full) {
  int64_t n = 0;
  for (int64_t s = 0; s < u->mesh.stages; s++) n += unfold_on_stage(u, full, s);
  return n > 1;
}

static void outputs_of(Unfold *u, const PlanProgram *program, TorchSet *g) {
  const PlanNode *last = &u->plan->nodes.at[program->steps[program->n - 1].node];
  g->outputs = ARENA_ARRAY(&u->p->arena, TorchArg, u->inputs.len + 1);
  g->output_names = ARENA_ARRAY(&u->p->arena, Sym, u->inputs.len + 1);
  bool loss;
  TorchArg v = loss_of(u, last, &loss);
  if (loss) {
    g->outputs[g->n_outputs] = v;
    g->output_names[g->n_outputs++] = stage_name(u, "loss", u->mesh.stages > 1);
  }
  for (uint32_t full = 0; full < u->plan->fulls.len; full++) {
    const PlanUse *use = unfold_use(u, u->device, full);
    if (u->plan->fulls.at[full].kind != PLAN_PARAM || !use->gradient) continue;
    uint32_t sub = use->part - 1;
    const char *name = arena_printf(&u->p->arena, "grad.%s", sym_text(u->plan->fulls.at[full].name));
    TorchType t = type_of_sub(u, sub);
    g->outputs[g->n_outputs] = u->total[sub] ? u->values.at[u->total[sub] - 1]
                                             : unfold_emit(u, last, sym("plan.zeros"), name, NULL, 0, &t, 1);
    g->output_names[g->n_outputs++] = stage_name(u, name, on_several(u, full));
  }
}

static bool unfold_device(Unfold *u, TorchSet *g) {
  const PlanProgram *program = &u->plan->programs[u->device];
  size_t n_subs = u->plan->subs.len, n_mb = u->plan->n_microbatches;
  u->inputs.len = u->nodes.len = u->values.len = 0;
  memset(u->held, 0, n_subs * sizeof *u->held);
  memset(u->total, 0, n_subs * sizeof *u->total);
  memset(u->ran, 0, n_mb * u->plan->nodes.len * sizeof *u->ran);
  memset(u->input_of, 0, u->plan->fulls.len * sizeof *u->input_of);
  u->name = sym(arena_printf(&u->p->arena, "rank %u", u->device));
  add_parameters(u);
  for (uint32_t k = 0; k < program->n; k++)
    if (!add_batch(u, &u->plan->nodes.at[program->steps[k].node])) return false;
  for (uint32_t k = 0; k < program->n; k++)
    if (!run_step(u, &program->steps[k])) return false;
  u->microbatch = 0;
  *g = (TorchSet){.name = u->name};
  outputs_of(u, program, g);
  g->n_inputs = (uint32_t)u->inputs.len;
  g->inputs = arena_copy(&u->p->arena, u->inputs.at, u->inputs.len * sizeof *g->inputs);
  g->n_nodes = (uint32_t)u->nodes.len;
  g->nodes = arena_copy(&u->p->arena, u->nodes.at, u->nodes.len * sizeof *g->nodes);
  return true;
}

/* ---- all devices, all replicas */
/* What differs from rank to rank is the same in every replica, but for the ranks themselves that are named. */
static void repeat_arg(const Unfold *u, TorchArg *a, bool rank) {
  int64_t n = u->plan->n_devices;
  for (uint32_t k = 0; a->kind == TA_LIST && k < a->n; k++) repeat_arg(u, &a->list[k], rank);
  if (rank && !a->ranks && u->mesh.replicas > 1) {
    TorchArg *ranks = ARENA_ARRAY(&u->p->arena, TorchArg, u->p->n_ranks);
    for (int64_t r = 0; r < n; r++) ranks[r] = *a;
    a->ranks = ranks;
  }
  for (int64_t r = n; a->ranks && r < u->p->n_ranks; r++) {
    a->ranks[r] = a->ranks[r % n];
    if (rank) a->ranks[r].r = rat_int(a->ranks[r].i += r - r % n);
  }
}

static void repeat_replicas(const Unfold *u, TorchSet *g) {
  Sym send = sym("_c10d_functional.isend"), receive = sym("_c10d_functional.irecv");
  for (int64_t r = u->plan->n_devices; r < u->p->n_ranks; r++) g->member[r] = g->member[r % u->plan->n_devices];
  for (uint32_t k = 0; k < g->n_nodes; k++) {
    TorchNode *n = &g->nodes[k];
    bool peer = n->op == send || n->op == receive;
    for (uint32_t i = 0; i < n->n_args; i++) repeat_arg(u, &n->args[i], peer && i == 1);
    for (uint32_t i = 0; i < n->n_kwargs; i++) repeat_arg(u, &n->kwargs[i], false);
  }
  for (uint32_t k = 0; k < g->n_outputs; k++) repeat_arg(u, &g->outputs[k], false);
}

bool unfold_program(Unfold *u) {
  TorchProgram *p = u->p;
  const Plan *plan = u->plan;
  size_t n_subs = plan->subs.len, n_mb = plan->n_microbatches;
  u->held = ARENA_ARRAY(&p->arena, uint32_t, n_subs);
  u->value = ARENA_ARRAY(&p->arena, uint32_t, n_subs);
  u->total = ARENA_ARRAY(&p->arena, uint32_t, n_subs);
  u->ran = ARENA_ARRAY(&p->arena, uint32_t, n_mb * plan->nodes.len);
  u->input_of = ARENA_ARRAY(&p->arena, uint32_t, plan->fulls.len);
  p->sets = ARENA_ARRAY(&p->arena, TorchSet, plan->n_devices);
  bool ok = true;
  for (u->device = 0; ok && u->device < plan->n_devices; u->device++) {
    TorchSet g;
    if (!(ok = unfold_device(u, &g))) break;
    uint32_t k = 0;
    while (k < p->n_sets && !torch_lay_fits(&p->sets[k], &g)) k++;
    p->n_read += g.n_nodes * (uint64_t)u->mesh.replicas;
    if (k < p->n_sets) {
      torch_lay(p, &p->sets[k], &g, u->device);
    } else {
      g.member = ARENA_ARRAY(&p->arena, bool, p->n_ranks);
      g.member[u->device] = true;
      p->sets[p->n_sets++] = g;
    }
  }
  for (uint32_t k = 0; ok && k < p->n_sets; k++) {
    repeat_replicas(u, &p->sets[k]);
    torch_lay_end(p, &p->sets[k]);
  }
  vec_free(&u->inputs);
  vec_free(&u->nodes);
  vec_free(&u->values);
  vec_free(&u->made);
  return ok;
}
