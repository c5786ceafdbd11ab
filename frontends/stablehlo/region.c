/* Regions applied to elements: one binary operator (`reducer`), or a text that is equal for equal regions (`region`).
 *
 * In the text values are numbered in order, called functions are written out, and a captured constant is its value.
 * Other captured values can be part of an operator only where they become operands of it. */
#include <stdarg.h>
#include <stdio.h>

#include "eval/exact/region.h"
#include "frontends/stablehlo/flow.h"

enum { MAX_TEXT = 1 << 22 };

static const MlirOp *definition(const MlirRegion *r, uint32_t value) {
  for (uint32_t k = 0; k < r->n_ops; k++)
    if (value >= r->ops[k].result && value - r->ops[k].result < r->ops[k].n_results) return &r->ops[k];
  return NULL;
}

/* Over conversions within floats, and copies; the value they start from. */
static uint32_t source(const MlirFunc *fn, const MlirRegion *r, uint32_t value) {
  for (const MlirOp *d; (d = definition(r, value)) && d->n_args == 1 && d->n_results == 1;) {
    const OpInfo *info = op_info(d->op);
    bool copies = tiles_call(d) == TILES_ASK || (info && info->lower == become_identity);
    if (!text_equals(d->op, "stablehlo.convert") && !copies) break;
    DType from = fn->types[d->args[0]]->dtype, to = fn->types[value]->dtype;
    if (from != to && !(dtype_is_float(from) && dtype_is_float(to))) break;
    value = d->args[0];
  }
  return value;
}

Sym region_reducer_of(const MlirFunc *fn, const MlirRegion *r) {
  static const char *const ops[] = {"add", "multiply", "maximum", "minimum", "and", "or", "xor"};
  if (r->n_params != 2 || !r->n_ops) return 0;
  if (fn->types[r->param]->rank || fn->types[r->param + 1]->rank) return 0;
  const MlirOp *last = &r->ops[r->n_ops - 1];
  if (!text_equals(last->op, "stablehlo.return") || last->n_args != 1) return 0;
  uint32_t value = source(fn, r, last->args[0]);
  if (value == r->param + 1) return sym("assign");
  const MlirOp *d = definition(r, value);
  if (!d || d->n_args != 2 || d->op.len < 10 || strncmp(d->op.at, "stablehlo.", 10)) return 0;
  uint32_t a = source(fn, r, d->args[0]), b = source(fn, r, d->args[1]), p = r->param;
  if (!((a == p && b == p + 1) || (a == p + 1 && b == p))) return 0;
  Text name = {d->op.at + 10, d->op.len - 10};
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (text_equals(name, ops[k])) return sym(ops[k]);
  return 0;
}

/* ------------------------------------------------------------------ text */

typedef struct Out {
  Low *l;
  char *at;
  size_t len, cap;
  Vec(NodeId) captured;
  bool ok;
} Out;

/* A function being written: its values' numbers. */
typedef struct Scope {
  const MlirFunc *fn;
  uint32_t *number; /* 1-based; 0: from outside */
  uint32_t n;
  bool own;         /* its values from outside are those of the operator's function */
} Scope;

__attribute__((format(printf, 2, 3))) static void put(Out *o, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  if (n < 0 || o->len + (size_t)n > MAX_TEXT) {
    if (o->ok) o->ok = MLIR_ERROR(o->l->f->m, o->l->op, E_LIMIT, "the region is too large to be compared");
    return;
  }
  vec_reserve(o, o->len + (size_t)n + 1);
  va_start(ap, fmt);
  vsnprintf(o->at + o->len, (size_t)n + 1, fmt, ap);
  va_end(ap);
  o->len += (size_t)n;
}

static void put_type(Out *o, const MlirType *t) {
  put(o, "%s[", dtype_text(t->dtype));
  for (int d = 0; d < t->rank; d++) put(o, "%lld,", (long long)t->dims[d]);
  put(o, "]");
}

static void put_region(Out *o, Scope *sc, const MlirRegion *r, unsigned depth);

/* A value from outside the regions: its constant, or an operand to come. */
static void put_outside(Out *o, const Scope *sc, uint32_t value) {
  Low *l = o->l;
  Bound b = sc->own ? l->f->values.at[l->base + value] : (Bound){.node = NO_NODE};
  if (!cut_whole(l, &b, l->fn->types[value])) o->ok = false;
  NodeId id = b.node;
  if (id == NO_NODE) {
    if (o->ok) o->ok = MLIR_ERROR(l->f->m, l->op, E_UNSUPPORTED, "the region reads a value tvr does not know");
    return;
  }
  const Node *x = &l->f->g->nodes.at[id];
  if (x->literal && x->literal->kind == LIT_SPLAT) {
    put(o, "=%llx:", (unsigned long long)*x->literal->values);
    put_type(o, &(MlirType){x->dtype, x->rank, x->dims});
    return;
  }
  size_t k = 0;
  while (k < o->captured.len && o->captured.at[k] != id) k++;
  if (k == o->captured.len) vec_push(&o->captured, id);
  put(o, "^%zu", k);
}

/* The function `@f` an operator names is written out. */
static void put_callee(Out *o, const MlirOp *op, unsigned depth) {
  Low at = *o->l;
  at.op = op;
  const MlirFunc *fn = region_callee(&at);
  if (!fn) {
    o->ok = false;
    return;
  }
  Scope sc = {fn, xcalloc(fn->n_values + 1, sizeof(uint32_t)), 0, false};
  put_region(o, &sc, &fn->body, depth + 1);
  free(sc.number);
}

static void put_op(Out *o, Scope *sc, const MlirOp *op, unsigned depth) {
  Low *l = o->l;
  const OpInfo *info = op_info(op->op);
  Low at = *l;
  at.op = op;
  bool function = info && info->lower == become_custom && custom_is_function(&at);
  if ((op_reads_devices(info) && !function) || (!info && !strncmp(op->op.at, "sdy.", 4))) {
    if (o->ok) o->ok = MLIR_ERROR(l->f->m, op, E_UNSUPPORTED, "a region may not read devices");
    return;
  }
  put(o, "%.*s(", (int)op->op.len, op->op.at);
  for (uint32_t k = 0; k < op->n_args; k++) {
    if (sc->number[op->args[k]]) put(o, "%u,", sc->number[op->args[k]]);
    else put_outside(o, sc, op->args[k]);
  }
  put(o, ")");
  for (uint32_t k = 0; k < op->n_results; k++) {
    put_type(o, op->types[k]);
    sc->number[op->result + k] = ++sc->n;
  }
  bool call = info && info->lower == become_call;
  for (uint32_t k = 0; k < op->n_attrs && !call; k++) {
    Sym v = text_squeeze(l->f->arena, op->attrs[k].value);
    put(o, " %.*s=%zu:%s", (int)op->attrs[k].name.len, op->attrs[k].name.at, sym_len(v), sym_text(v));
  }
  for (uint32_t k = 0; k < op->n_regions; k++) put_region(o, sc, &op->regions[k], depth + 1);
  if (call) put_callee(o, op, depth);
  put(o, "\n");
}

static void put_region(Out *o, Scope *sc, const MlirRegion *r, unsigned depth) {
  if (depth > MAX_NESTING) {
    if (o->ok)
      o->ok =
          MLIR_ERROR(o->l->f->m, o->l->op, E_NESTING, "regions and calls are nested more than %d deep", MAX_NESTING);
    return;
  }
  put(o, "{%u", r->n_params);
  for (uint32_t k = 0; k < r->n_params; k++) {
    put_type(o, sc->fn->types[r->param + k]);
    sc->number[r->param + k] = ++sc->n;
  }
  put(o, "\n");
  for (uint32_t k = 0; k < r->n_ops && o->ok; k++) put_op(o, sc, &r->ops[k], depth);
  put(o, "}");
}

/* Text of all regions; with captured values as operands if `open`. */
static bool add_text(Low *l, bool open) {
  Out o = {.l = l, .ok = true};
  Scope sc = {l->fn, xcalloc(l->fn->n_values + 1, sizeof(uint32_t)), 0, true};
  for (uint32_t k = 0; k < l->op->n_regions && o.ok; k++) put_region(&o, &sc, &l->op->regions[k], 0);
  if (o.ok && o.captured.len && !open)
    o.ok = LOW_ERROR(l, E_UNSUPPORTED, "the region reads values from outside that are no constants");
  if (o.ok) {
    low_add_sym(l, "region", sym_n(o.at ? o.at : "", o.len));
    NodeId *args = ARENA_ARRAY(l->f->arena, NodeId, l->n_args + o.captured.len + 1);
    if (l->n_args) memcpy(args, l->args, l->n_args * sizeof *args);
    for (size_t k = 0; k < o.captured.len; k++) args[l->n_args++] = o.captured.at[k];
    l->args = args;
  }
  free(sc.number);
  free(o.at);
  vec_free(&o.captured);
  return o.ok;
}

bool region_add(Low *l) {
  if (!l->op->n_regions) return LOW_ERROR(l, E_ATTRIBUTE, "%.*s has no region", (int)l->op->op.len, l->op->op.at);
  Sym name = l->op->n_regions == 1 ? region_reducer_of(l->fn, &l->op->regions[0]) : 0;
  Sym order = name ? 0 : region_order(l);
  if (order && l->what == sym("reduce")) name = region_reducer(order);
  if (order && l->what == sym("reduce_window")) name = region_sum(order);
  if (!name && !order) return add_text(l, false);
  low_add_sym(l, name ? "reducer" : "region", name ? name : order);
  return true;
}

static bool talks(Low *l, const MlirRegion *r, unsigned depth) {
  for (uint32_t k = 0; k < r->n_ops; k++) {
    Low at = *l;
    at.op = &r->ops[k];
    const OpInfo *info = op_info(at.op->op);
    if (op_reads_devices(info) && !(info->lower == become_custom && custom_is_function(&at))) return true;
    for (uint32_t j = 0; j < at.op->n_regions; j++)
      if (talks(l, &at.op->regions[j], depth + 1)) return true;
    const MlirFunc *fn = info && info->lower == become_call && depth <= MAX_NESTING ? region_callee(&at) : NULL;
    if (fn && talks(l, &fn->body, depth + 1)) return true;
  }
  return false;
}

bool region_talks(Low *l) {
  for (uint32_t k = 0; k < l->op->n_regions; k++)
    if (talks(l, &l->op->regions[k], 0)) return true;
  return false;
}

bool region_opaque(Low *l) { return !l->op->n_regions || add_text(l, true); }

const MlirFunc *region_callee(Low *l) {
  const MlirModule *m = l->f->m;
  const MlirAttr *a = low_attr(l, "decomposition", "callee");
  if (!a) a = low_attr(l, ATTR_SYMBOL, NULL);
  Text name = a ? a->value : (Text){0};
  if (name.len && *name.at == '@') name = (Text){name.at + 1, name.len - 1};
  Sym key = text_unquote(name);
  uint32_t k = key && key < m->func_of.len ? m->func_of.at[key] : 0;
  if (k && !m->funcs.at[k - 1].declared) return &m->funcs.at[k - 1];
  LOW_ERROR(l, E_GRAPH_NAME, "function '%s' is not defined", sym_text(key));
  return NULL;
}
