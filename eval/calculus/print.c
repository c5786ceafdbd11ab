/* Terms over indices, for people: sum(b0) x[i, b0] * w[b0, j]. */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "eval/calculus/core.h"

typedef struct Printer {
  Calculus *c;
  Arena *a;
  NameText *name_text;
  void *ctx;
  char *text;
  size_t len, cap, longest;
  bool conditions; /* those of indices are shown at any depth */
} Printer;

static void put_text(Printer *p, const char *text) {
  size_t k = strlen(text);
  if (p->len > p->longest) return;
  if (p->len + k + 1 > p->cap) {
    p->cap = (p->len + k + 1) * 2;
    p->text = xrealloc(p->text, p->cap);
  }
  memcpy(p->text + p->len, text, k + 1);
  p->len += k;
}

static void put(Printer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Printer *p, const char *fmt, ...) {
  if (p->len > p->longest) return;
  va_list ap;
  va_start(ap, fmt);
  char buf[256];
  vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  put_text(p, buf);
}

static void put_rat(Printer *p, Rat r) {
  char buf[128];
  put_text(p, rat_print(r, buf, sizeof buf));
}

static void put_name(Printer *p, Name n) {
  char buf[64];
  if (name_is_const(n)) {
    put(p, "%u", name_value(n));
    return;
  }
  if (p->name_text) {
    const char *s = p->name_text(p->ctx, n, buf, sizeof buf);
    if (s) {
      put_text(p, s);
      return;
    }
  }
  const NameInfo *i = &p->c->names.at[n];
  switch ((NameKind)i->kind) {
    case NAME_DIM: put(p, i->b ? "i%u.%u" : "i%u", i->a, i->b); break;
    case NAME_MESH: put(p, "mesh%u", i->a); break;
    case NAME_BOUND: put(p, "k%u", i->a); break;
    case NAME_SLOT: put(p, "s%u", i->a); break;
    case NAME_TEMP: put(p, "t%u", i->a); break;
  }
}

static void put_names(Printer *p, const Name *names, uint32_t n) {
  put_text(p, "[");
  for (uint32_t i = 0; i < n; i++) {
    if (i) put_text(p, ", ");
    put_name(p, names[i]);
  }
  put_text(p, "]");
}

static void put_leaf(Printer *p, ClassId id) {
  uint32_t attr = cls(p->c, id)->attr;
  if (cls(p->c, id)->kind == K_OP)
    put(p, "%.*s#%u", (int)strcspn(sym_text(attr), "#"), sym_text(attr), id); /* the operator; the class tells which */
  else if (attr >> 31)
    put(p, "table%u", attr & 0x7fffffff);
  else
    put_text(p, sym_text(attr));
}

static void put_at(Printer *p, RefId r) {
  const Ref *f = ref(p->c, r);
  AtSpec s = p->c->ats.at[cls(p->c, f->cls)->attr];
  put_leaf(p, s.base);
  put_text(p, "[");
  for (uint32_t i = 0; i < s.n; i++) {
    if (i) put_text(p, ", ");
    if (s.slots[i].is_const) {
      put(p, "%u", s.slots[i].value);
      continue;
    }
    bool first = true;
    for (uint32_t j = 0; j < s.slots[i].n; j++) {
      int64_t w = s.slots[i].terms[j].coef;
      if (!first) put_text(p, " + ");
      if (w != 1) put(p, "%" PRId64 "*", w);
      put_name(p, f->names[s.slots[i].terms[j].slot]);
      first = false;
    }
    if (s.slots[i].offset || first) put(p, first ? "%" PRId64 : "%+" PRId64, s.slots[i].offset);
  }
  put_text(p, "]");
}

static void put_ref(Printer *p, RefId r, uint32_t depth, bool tight);

static void put_list(Printer *p, const Term *args, uint32_t n, const char *sep, bool powers, uint32_t depth) {
  for (uint32_t i = 0; i < n && p->len <= p->longest; i++) {
    if (i) put_text(p, sep);
    if (!powers && args[i].ref == p->c->one) {
      put_rat(p, args[i].k);
      continue;
    }
    if (!powers && args[i].k != RAT_1) {
      put_rat(p, args[i].k);
      put_text(p, "*");
    }
    put_ref(p, args[i].ref, depth, true);
    if (powers && args[i].k != RAT_1) {
      put_text(p, "^(");
      put_rat(p, args[i].k);
      put_text(p, ")");
    }
  }
}

static void put_ref(Printer *p, RefId r, uint32_t depth, bool tight) {
  if (p->len > p->longest) return;
  Calculus *c = p->c;
  Ref f = *ref(c, r);
  const Class *x = cls(c, f.cls);
  uint32_t attr = x->attr;
  switch ((Kind)x->kind) {
    case K_ONE: put_text(p, "1"); return;
    case K_NEGINF: put_text(p, "-inf"); return;
    case K_IDX: put_name(p, f.names[0]); return;
    case K_AT: put_at(p, r); return;
    case K_LEAF:
      put_leaf(p, f.cls);
      if (f.n) put_names(p, f.names, f.n);
      return;
    default: break;
  }
  if (!depth && p->conditions && index_predicate(c, r)) depth = 2;
  if (!depth) {
    put(p, "@%u", f.cls);
    put_names(p, f.names, f.n);
    return;
  }
  Kind kind = x->kind;
  Frame frame = frame_enter(c);
  Opened o = node_open(c, r);
  switch (kind) {
    case K_LIN:
      if (tight) put_text(p, "(");
      put_list(p, o.args, o.n, " + ", false, depth - 1);
      if (tight) put_text(p, ")");
      break;
    case K_MUL: put_list(p, o.args, o.n, " * ", true, depth - 1); break;
    case K_RED:
    case K_MAX:
      put_text(p, kind == K_RED ? "sum(" : "max(");
      for (uint32_t i = 0; i < o.n_bound; i++) {
        if (i) put_text(p, ", ");
        put_name(p, o.bound[i]);
        put(p, ":%" PRId64, name_size(c, o.bound[i]));
      }
      put_text(p, ")(");
      put_list(p, o.args, o.n, kind == K_RED ? " * " : ", ", kind == K_RED, depth - 1);
      put_text(p, ")");
      break;
    case K_CMP:
      put_text(p, "[");
      put_ref(p, o.args[0].ref, depth - 1, false);
      put_text(p, attr == CMP_LT ? " < 0]" : " == 0]");
      break;
    case K_OP:
      put_leaf(p, f.cls);
      put_names(p, f.names, f.n);
      /* fall through */
    default:
      put(p, "%s(", kind == K_SEL ? "select" : kind == K_FN ? sym_text(attr) : "");
      for (uint32_t i = 0; i < o.n; i++) {
        if (i) put_text(p, ", ");
        put_ref(p, o.args[i].ref, depth - 1, false);
      }
      put_text(p, ")");
  }
  frame_leave(c, frame);
}

char *value_print(Calculus *c, Value v, uint32_t depth, bool conditions, size_t longest, Arena *a, NameText *name_text,
                  void *ctx) {
  Frame m = frame_enter(c);
  Printer p = {c, a, name_text, ctx, NULL, 0, 0, longest, conditions};
  if (value_is_num(v))
    put_rat(&p, v.k);
  else {
    if (v.k != RAT_1) {
      put_rat(&p, v.k);
      put_text(&p, " * ");
    }
    put_ref(&p, v.ref, depth, v.k != RAT_1);
  }
  char *out = arena_strdup(a, p.text ? p.text : "", p.len);
  free(p.text);
  frame_leave(c, m);
  return out;
}
