/* Computations that operators apply to elements: one binary operator, or a text that is equal for equal ones. */
#include <stdarg.h>
#include <stdio.h>

#include "frontends/hlo/module.h"

/* The parameter an instruction passes on, perhaps converted within one kind of number, or -1. */
static int64_t passes_on(const HloModule *m, const HloComp *c, uint32_t i) {
  for (;;) {
    const HloInstr *x = hlo_instr(m, c, i);
    if (x->opcode == HLO_PARAMETER) return x->number;
    if (x->opcode != HLO_COPY && x->opcode != HLO_CONVERT) return -1;
    const HloOperand *a = hlo_args(m, x);
    if (x->shape->tuple || a->shape->tuple) return -1;
    if (x->shape->dtype != a->shape->dtype && !(dtype_is_float(x->shape->dtype) && dtype_is_float(a->shape->dtype)))
      return -1;
    i = a->instr;
  }
}

Sym hlo_comp_reducer(const HloModule *m, const HloComp *c) {
  if (c->n_params != 2) return 0;
  for (uint32_t k = 0; k < 2; k++) {
    const HloShape *s = hlo_instr(m, c, c->params[k])->shape;
    if (s->tuple || s->rank) return 0;
  }
  uint32_t i = c->root;
  const HloInstr *x = hlo_instr(m, c, i);
  if (passes_on(m, c, i) == 1) return sym("assign");
  while (x->opcode == HLO_COPY || (x->opcode == HLO_CONVERT && !x->shape->tuple && dtype_is_float(x->shape->dtype))) {
    const HloOperand *a = hlo_args(m, x);
    if (a->shape->tuple || (x->shape->dtype != a->shape->dtype && !dtype_is_float(a->shape->dtype))) return 0;
    x = hlo_instr(m, c, i = a->instr);
  }
  switch (x->opcode) {
    case HLO_ADD: case HLO_MULTIPLY: case HLO_MAXIMUM: case HLO_MINIMUM: case HLO_AND: case HLO_OR: case HLO_XOR: break;
    default: return 0;
  }
  const HloOperand *a = hlo_args(m, x);
  int64_t l = passes_on(m, c, a[0].instr), r = passes_on(m, c, a[1].instr);
  return (l == 0 && r == 1) || (l == 1 && r == 0) ? x->op : 0;
}

Sym hlo_comp_keeps(const HloModule *m, const HloComp *c) {
  const HloInstr *x = hlo_instr(m, c, c->root);
  if (c->n_params != 2 || x->opcode != HLO_COMPARE) return 0;
  const HloOperand *a = hlo_args(m, x);
  if (a[0].shape->tuple || a[0].shape->rank || passes_on(m, c, a[0].instr) != 0 || passes_on(m, c, a[1].instr) != 1)
    return 0;
  for (uint32_t k = 0; k < x->n_attrs; k++)
    if (x->attrs[k].name == sym("direction")) return x->attrs[k].s;
  return 0;
}

typedef struct Out {
  char *at;
  size_t len, cap;
} Out;

static void put(Out *o, const char *s, size_t n) {
  vec_reserve(o, o->len + n + 1);
  memcpy(o->at + o->len, s, n);
  o->at[o->len += n] = 0;
}

__attribute__((format(printf, 2, 3))) static void putf(Out *o, const char *fmt, ...) {
  char buf[128];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  put(o, buf, n < 0 ? 0 : (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

static void put_sym(Out *o, Sym s) { putf(o, "%zu:", sym_len(s)), put(o, sym_text(s), sym_len(s)); }

static void put_shape(Out *o, const HloShape *s) {
  for (uint32_t k = 0; k < s->n_leaves; k++) {
    const HloShape *leaf = hlo_shape_leaf(s, k);
    putf(o, "%s%s[", k ? ";" : "", dtype_text(leaf->dtype));
    for (int d = 0; d < leaf->rank; d++) putf(o, "%s%lld", d ? "," : "", (long long)leaf->dims[d]);
    put(o, "]", 1);
  }
}

static void put_attr(Out *o, const Attr *a) {
  put(o, " ", 1);
  put_sym(o, a->name);
  putf(o, "=%d.%lld", a->kind, (long long)a->i);
  if (a->kind == ATTR_SYM) put_sym(o, a->s);
  if (a->kind == ATTR_RAT) putf(o, " r%llx", (unsigned long long)a->r);
  for (uint32_t k = 0; k < a->n; k++) putf(o, ",%lld", (long long)a->ints[k]);
}

/* Which instructions the root needs. */
static bool *live(const HloModule *m, const HloComp *c) {
  bool *on = xcalloc(c->n, sizeof *on);
  on[c->root] = true;
  for (uint32_t i = c->root + 1; i-- > 0;) {
    const HloInstr *x = hlo_instr(m, c, i);
    for (uint32_t k = 0; on[i] && k < x->n_args; k++) on[hlo_args(m, x)[k].instr] = true;
  }
  return on;
}

Sym hlo_comps_text(HloModule *m, const uint32_t *comps, size_t n) {
  Out o = {0};
  if (n == 1) return hlo_comp_text(m, *comps);
  for (size_t k = 0; k < n; k++) put_sym(&o, hlo_comp_text(m, comps[k]));
  Sym text = sym_n(o.at ? o.at : "", o.len);
  free(o.at);
  return text;
}

Sym hlo_comp_text(HloModule *m, uint32_t comp) {
  HloComp *c = &m->comps.at[comp];
  if (c->text) return c->text;
  bool *on = live(m, c);
  for (uint32_t i = 0; i <= c->root; i++) /* callees first; the parser bounds how deep they nest */
    for (uint32_t k = 0; k < hlo_instr(m, c, i)->n_called; k++) hlo_comp_text(m, hlo_instr(m, c, i)->called[k]);
  uint32_t *number = xcalloc(c->n, sizeof *number), n = 0;
  Out o = {0};
  putf(&o, "%u{", c->n_params);
  for (uint32_t i = 0; i <= c->root; i++) {
    const HloInstr *x = hlo_instr(m, c, i);
    if (!on[i]) continue;
    number[i] = n++;
    put_sym(&o, x->op);
    if (x->opcode == HLO_PARAMETER || x->opcode == HLO_GET_TUPLE_ELEMENT) putf(&o, "%lld", (long long)x->number);
    put(&o, "(", 1);
    for (uint32_t k = 0; k < x->n_args; k++) {
      const HloOperand *a = &hlo_args(m, x)[k];
      putf(&o, "%s%u.%u", k ? "," : "", number[a->instr], a->leaf - hlo_instr(m, c, a->instr)->leaf);
    }
    put(&o, ")", 1);
    put_shape(&o, x->shape);
    for (uint32_t k = 0; k < x->n_attrs; k++) put_attr(&o, &x->attrs[k]);
    for (uint32_t k = 0; k < x->n_called; k++) putf(&o, " @%u", m->comps.at[x->called[k]].text);
    if (x->literal)
      for (uint64_t k = 0; k < (x->literal->kind == LIT_SPLAT ? 1 : x->literal->n); k++)
        putf(&o, " %llx", (unsigned long long)x->literal->values[k]);
    put(&o, "\n", 1);
  }
  put(&o, "}", 1);
  c->text = sym_n(o.at, o.len);
  free(o.at);
  free(number);
  free(on);
  return c->text;
}
