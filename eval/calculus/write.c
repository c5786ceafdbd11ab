#include "eval/calculus/write.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "eval/calculus/core.h"

enum { LONGEST = 1200, DEPTH = 40, MAX_PARAMS = 26 };

typedef struct Param {
  ClassId cls;
  const char *dims; /* "[i, a]" as first read */
} Param;

typedef struct Writer {
  Calculus *c;
  Arena *a;
  NameText *name_text;
  void *context;
  uint8_t *seen; /* by class: bit 0 below the left side, bit 1 below the right */
  Vec(Param) params;
  Vec(Name) indices; /* in brackets of parameters, or bound */
  Vec(Name) bound;
  Vec(Name) active; /* bound around the place that is written */
  Vec(char) text;
  bool failed;
} Writer;

static void put(Writer *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Writer *w, const char *fmt, ...) {
  char buf[256];
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(buf, sizeof buf, fmt, ap);
  va_end(ap);
  if (n < 0 || (size_t)n >= sizeof buf || w->text.len > LONGEST) w->failed = true;
  for (int i = 0; i < n && !w->failed; i++) vec_push(&w->text, buf[i]);
}

static void put_rat(Writer *w, Rat r) {
  char buf[160];
  put(w, "%s", rat_print(r, buf, sizeof buf));
}

static const char *name_of(Writer *w, Name n) {
  char buf[64];
  if (name_is_const(n)) return arena_printf(w->a, "%" PRIu32, name_value(n));
  const char *s = w->name_text ? w->name_text(w->context, n, buf, sizeof buf) : NULL;
  if (!s) w->failed = true;
  return s ? arena_printf(w->a, "%s", s) : "";
}

static void mark(Writer *w, ClassId id, uint8_t side, uint32_t depth) {
  if (w->seen[id] & side || depth > DEPTH) return;
  w->seen[id] |= side;
  for (uint32_t i = 0; i < cls(w->c, id)->n_args; i++) mark(w, cls(w->c, id)->args[i].cls, side, depth + 1);
}

static bool is_param(const Writer *w, ClassId id) {
  const Class *x = cls(w->c, id);
  if (x->kind == K_LEAF || x->kind == K_OP || x->kind == K_AT) return true;
  return w->seen[id] == 3 && x->n_args && (x->kind == K_FN || x->kind == K_RED || x->kind == K_MAX || x->kind == K_LIN);
}

static void note_index(Writer *w, Name n) {
  if (name_is_const(n)) return;
  for (size_t i = 0; i < w->indices.len; i++)
    if (w->indices.at[i] == n) return;
  vec_push(&w->indices, n);
}

/* A term that is a parameter, read at its indices. */
static void put_param(Writer *w, RefId r) {
  Ref f = *ref(w->c, r);
  const char *dims = f.n ? "[" : "";
  bool plain = true;
  for (uint32_t i = 0; i < f.n; i++) {
    dims = arena_printf(w->a, "%s%s%s", dims, i ? ", " : "", name_of(w, f.names[i]));
    plain = plain && !name_is_const(f.names[i]);
    for (uint32_t j = 0; j < i; j++) plain = plain && f.names[i] != f.names[j];
    note_index(w, f.names[i]);
  }
  if (f.n) dims = arena_printf(w->a, "%s]", dims);
  size_t k = 0;
  while (k < w->params.len && w->params.at[k].cls != f.cls) k++;
  if (k == w->params.len) {
    if (k == MAX_PARAMS || !plain) w->failed = true;
    vec_push(&w->params, (Param){f.cls, dims});
  }
  put(w, "x%zu%s", k, dims);
}

static void put_ref(Writer *w, RefId r, uint32_t depth, bool tight);

static void put_terms(Writer *w, const Opened *o, uint32_t depth) {
  for (uint32_t i = 0; i < o->n; i++) {
    Rat k = o->args[i].k;
    if (i) put(w, rat_sign(k) < 0 ? " - " : " + ");
    else if (rat_sign(k) < 0) put(w, "-");
    k = rat_abs(k);
    bool one = o->args[i].ref == w->c->one;
    if (one || k != RAT_1) put_rat(w, k);
    if (one) continue;
    if (k != RAT_1) put(w, " * ");
    Kind kind = (Kind)cls_of(w->c, o->args[i].ref)->kind;
    put_ref(w, o->args[i].ref, depth, kind != K_MUL && (kind != K_RED || k != RAT_1));
  }
}

static void put_factors(Writer *w, const Opened *o, uint32_t depth) {
  for (uint32_t i = 0; i < o->n; i++) {
    if (i) put(w, " * ");
    put_ref(w, o->args[i].ref, depth, true);
    if (o->args[i].k == RAT_1) continue;
    bool whole = rat_is_int(o->args[i].k) && rat_sign(o->args[i].k) > 0;
    put(w, whole ? "^" : "^(");
    put_rat(w, o->args[i].k);
    if (!whole) put(w, ")");
  }
}

static bool is_active(const Writer *w, Name n) {
  for (size_t i = 0; i < w->active.len; i++)
    if (w->active.at[i] == n) return true;
  return false;
}

/* A name bound before, at another place, may be bound again: brackets have indices of their own only once. */
static void bind_again(Writer *w, Opened *o) {
  Calculus *c = w->c;
  Subst s = {0};
  for (uint32_t i = 0; i < o->n_bound; i++) {
    for (size_t j = 0; j < w->bound.len; j++) {
      Name n = w->bound.at[j];
      if (is_active(w, n) || name_size(c, n) != name_size(c, o->bound[i])) continue;
      subst_put(&s, o->bound[i], n);
      o->bound[i] = n;
      break;
    }
    vec_push(&w->active, o->bound[i]);
  }
  for (uint32_t i = 0; i < o->n && s.n; i++) {
    Value v = rename_ref(c, o->args[i].ref, &s);
    if (v.k == RAT_1) o->args[i].ref = v.ref;
    else w->failed = true;
  }
}

static void put_bound(Writer *w, const char *what, Opened *o) {
  bind_again(w, o);
  put(w, "%s(", what);
  for (uint32_t i = 0; i < o->n_bound; i++) {
    put(w, "%s%s", i ? ", " : "", name_of(w, o->bound[i]));
    note_index(w, o->bound[i]);
    bool known = false;
    for (size_t j = 0; j < w->bound.len; j++) known |= w->bound.at[j] == o->bound[i];
    if (!known) vec_push(&w->bound, o->bound[i]);
  }
  put(w, ") ");
}

static void put_max(Writer *w, Opened *o, uint32_t depth) {
  if (o->n_bound) put_bound(w, "max", o);
  for (uint32_t i = 0; i < o->n; i++) {
    if (i + 1 < o->n) put(w, "maximum(");
    bool one = o->args[i].ref == w->c->one;
    if (o->args[i].k != RAT_1 || one) put_rat(w, o->args[i].k);
    if (o->args[i].k != RAT_1 && !one) put(w, " * ");
    if (!one) put_ref(w, o->args[i].ref, depth, true);
    if (i + 1 < o->n) put(w, ", ");
  }
  for (uint32_t i = 0; i + 1 < o->n; i++) put(w, ")");
}

static void put_list(Writer *w, const Opened *o, uint32_t depth, const char *const *between) {
  for (uint32_t i = 0; i < o->n; i++) {
    put(w, "%s", between[i < 3 ? i : 2]);
    put_ref(w, o->args[i].ref, depth, false);
  }
}

static void put_node(Writer *w, RefId r, uint32_t depth) {
  static const char *const choice[] = {"if ", " then ", " else "}, *const args[] = {"", ", ", ", "},
                           *const only[] = {"", "", ""};
  Opened o = node_open(w->c, r);
  const Class *x = cls_of(w->c, r);
  switch ((Kind)x->kind) {
    case K_LIN: put_terms(w, &o, depth); return;
    case K_MUL: put_factors(w, &o, depth); return;
    case K_RED:
      put_bound(w, "sum", &o);
      put_factors(w, &o, depth);
      w->active.len -= o.n_bound;
      return;
    case K_MAX:
      put_max(w, &o, depth);
      w->active.len -= o.n_bound;
      return;
    case K_CMP:
      put_list(w, &o, depth, only);
      put(w, x->attr == CMP_LT ? " < 0" : " == 0");
      return;
    case K_SEL: put_list(w, &o, depth, choice); return;
    case K_FN:
      put(w, "%s(", sym_text(x->attr));
      put_list(w, &o, depth, args);
      put(w, ")");
      return;
    default: w->failed = true;
  }
}

static void put_ref(Writer *w, RefId r, uint32_t depth, bool tight) {
  Kind kind = (Kind)cls_of(w->c, r)->kind;
  if (w->failed || !depth) {
    w->failed = true;
  } else if (kind == K_ONE) {
    put(w, "1");
  } else if (kind == K_NEGINF) {
    put(w, tight ? "(-inf)" : "-inf");
  } else if (kind == K_IDX) {
    put(w, "%s", name_of(w, ref(w->c, r)->names[0]));
  } else if (is_param(w, ref(w->c, r)->cls)) {
    put_param(w, r);
  } else {
    tight = tight && kind != K_FN;
    if (tight) put(w, "(");
    put_node(w, r, depth - 1);
    if (tight) put(w, ")");
  }
}

static void put_value(Writer *w, Value v) {
  if (value_is_num(v)) {
    put_rat(w, v.k);
    return;
  }
  if (v.k != RAT_1) put_rat(w, v.k), put(w, " * ");
  put_ref(w, v.ref, DEPTH, v.k != RAT_1);
}

/* Every free index of a value is one that a parameter's bracket introduces. */
static bool introduced(const Writer *w, Value v) {
  const Name *names;
  uint32_t n = value_names(w->c, v, &names);
  for (uint32_t i = 0; i < n; i++) {
    bool found = name_is_const(names[i]);
    for (size_t j = 0; j < w->indices.len; j++) found |= w->indices.at[j] == names[i];
    if (!found) return false;
  }
  return true;
}

char *calc_write_lemma(Calculus *c, const char *name, Value left, Value right, Arena *a, NameText *name_text,
                       void *context) {
  if (value_is_num(left) && value_is_num(right)) return NULL;
  Writer w = {.c = c, .a = a, .name_text = name_text, .context = context, .seen = xcalloc(c->classes.len, 1)};
  Frame m = frame_enter(c);
  mark(&w, ref(c, left.ref)->cls, 1, 0);
  mark(&w, ref(c, right.ref)->cls, 2, 0);
  put_value(&w, left);
  put(&w, " == ");
  put_value(&w, right);
  char *out = NULL;
  if (!w.failed && w.params.len && introduced(&w, left) && introduced(&w, right)) {
    out = arena_printf(a, "lemma %s(", name);
    for (size_t i = 0; i < w.params.len; i++)
      out = arena_printf(a, "%s%sx%zu%s", out, i ? ", " : "", i, w.params.at[i].dims);
    out = arena_printf(a, "%s)", out);
    for (size_t i = 0; i < w.bound.len; i++)
      out = arena_printf(a, "%s %s size(%s) == %" PRId64, out, i ? "and" : "when", name_of(&w, w.bound.at[i]),
                         name_size(c, w.bound.at[i]));
    out = arena_printf(a, "%s: %.*s", out, (int)w.text.len, w.text.at);
  }
  frame_leave(c, m);
  free(w.seen);
  vec_free(&w.params);
  vec_free(&w.indices);
  vec_free(&w.bound);
  vec_free(&w.active);
  vec_free(&w.text);
  return out;
}
