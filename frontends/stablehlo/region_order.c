/* A region that only compares and chooses (the comparator of a sort, the pairs of an argmax), or adds exponentials, as the
 * text HLO's regions have (frontends/hlo/canonical.c), which eval/exact/region.h reads.  Any other region has none. */
#include <stdarg.h>
#include <stdio.h>

#include "frontends/stablehlo/flow.h"

enum { LONGEST = 8192 };

typedef struct Out {
  char at[LONGEST];
  size_t len;
  bool ok;
} Out;

__attribute__((format(printf, 2, 3))) static void put(Out *o, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(o->at + o->len, LONGEST - o->len, fmt, ap);
  va_end(ap);
  o->ok = o->ok && n >= 0 && o->len + (size_t)n < LONGEST;
  if (o->ok) o->len += (size_t)n;
}

/* "GT" of a comparison, however it is written; NULL if it has no such word. */
static const char *direction(const MlirOp *op) {
  static const char *const words[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  const char *found = NULL;
  for (uint32_t k = 0; k < op->n_attrs; k++) {
    Text t = low_enum(op->attrs[k].value);
    for (size_t w = 0; w < sizeof words / sizeof *words; w++)
      if (text_equals(t, words[w])) found = words[w];
  }
  return found;
}

/* The direction of a region that only compares its first parameter with its second; or 0. */
static Sym keeps(const MlirFunc *fn, const MlirRegion *r) {
  const MlirOp *op = r->ops;
  bool compares = r->n_params == 2 && r->n_ops == 2 && text_equals(op->op, "stablehlo.compare") && op->n_args == 2 &&
                  op->args[0] == r->param && op->args[1] == r->param + 1 && !fn->types[r->param]->rank &&
                  text_equals(op[1].op, "stablehlo.return") && op[1].n_args == 1 && op[1].args[0] == op->result;
  const char *d = compares ? direction(op) : NULL;
  return d ? sym(d) : 0;
}

bool region_pair(Low *l) {
  Sym adds = l->op->n_regions == 2 ? region_reducer_of(l->fn, &l->op->regions[1]) : 0;
  Sym kept = adds ? keeps(l->fn, &l->op->regions[0]) : 0;
  if (!kept) return region_add(l);
  low_add_sym(l, "keeps", kept);
  low_add_sym(l, "reducer", adds);
  return true;
}

/* A constant, if it is a number. */
static void put_constant(Out *o, const Low *l, const MlirOp *op) {
  const MlirType *t = l->fn->types[op->result];
  Literal value = {0};
  Sym complex = 0;
  for (uint32_t k = 0; k < op->n_attrs && o->ok; k++)
    if (text_equals(op->attrs[k].name, ATTR_VALUE) || text_equals(op->attrs[k].name, "value"))
      o->ok = dense_literal(l->f->m, op->attrs[k].value, t, &value, &complex);
  o->ok = o->ok && !t->rank && !complex && value.values;
  if (o->ok) put(o, "8:constant()%s[] %llx\n", dtype_text(t->dtype), (unsigned long long)*value.values);
}

static void put_op(Out *o, const Low *l, const MlirRegion *r, const MlirOp *op) {
  const MlirFunc *fn = l->fn;
  if (text_equals(op->op, "stablehlo.constant") && op != &r->ops[r->n_ops - 1]) return put_constant(o, l, op);
  static const struct { const char *from, *to; } ops[] = {
      {"stablehlo.compare", "7:compare"}, {"stablehlo.select", "6:select"}, {"stablehlo.and", "3:and"},
      {"stablehlo.or", "2:or"},           {"stablehlo.not", "3:not"},       {"stablehlo.return", "5:tuple"},
      {"stablehlo.add", "3:add"},         {"stablehlo.abs", "3:abs"},       {"stablehlo.subtract", "8:subtract"},
      {"stablehlo.negate", "6:negate"},   {"stablehlo.maximum", "7:maximum"}, {"stablehlo.exponential", "11:exponential"},
      {"stablehlo.log_plus_one", "12:log_plus_one"}};
  const char *name = NULL;
  for (size_t k = 0; k < sizeof ops / sizeof *ops && !name; k++)
    if (text_equals(op->op, ops[k].from)) name = ops[k].to;
  bool last = op == &r->ops[r->n_ops - 1];
  if (!name || op->n_regions || op->n_results != !last || (last && op->n_args == 1)) {
    o->ok = last && name && op->n_args == 1 && op[-1].n_results == 1 && op->args[0] == op[-1].result;
    return; /* one result is the last line */
  }
  put(o, "%s(", name);
  for (uint32_t k = 0; k < op->n_args; k++) {
    if (op->args[k] < r->param || op->args[k] >= r->param + r->n_params + r->n_ops - 1) o->ok = false;
    else put(o, "%s%u.0", k ? "," : "", op->args[k] - r->param);
  }
  put(o, ")");
  for (uint32_t k = 0; k < (last ? op->n_args : 1); k++) {
    const MlirType *t = fn->types[last ? op->args[k] : op->result];
    if (t->rank) o->ok = false;
    put(o, "%s%s[]", k ? ";" : "", dtype_text(t->dtype));
  }
  if (text_equals(op->op, "stablehlo.compare")) {
    const char *d = direction(op);
    if (d) put(o, " 9:direction=%d.02:%s", ATTR_SYM, d);
    else o->ok = false;
  }
  put(o, "\n");
}

Sym region_order(Low *l) {
  const MlirRegion *r = l->op->regions;
  if (l->op->n_regions != 1 || r->n_ops < 2) return 0;
  Out o = {.ok = true};
  put(&o, "%u{", r->n_params);
  for (uint32_t k = 0; k < r->n_params; k++) {
    const MlirType *t = l->fn->types[r->param + k];
    if (t->rank) o.ok = false;
    put(&o, "9:parameter%u()%s[]\n", k, dtype_text(t->dtype));
  }
  for (uint32_t k = 0; k < r->n_ops && o.ok; k++) {
    if (k + 1 < r->n_ops && r->ops[k].result != r->param + r->n_params + k) return 0;
    put_op(&o, l, r, &r->ops[k]);
  }
  put(&o, "}");
  return o.ok ? sym_n(o.at, o.len) : 0;
}
