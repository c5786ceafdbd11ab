#include "eval/verdict/define.h"

#include <string.h>

#include "eval/graph/narrowing.h"
#include "lang/reads.h"

enum { MOST_DEFINED = 8 };

/* The n-th of `letters`, then each again with a number behind it. */
static const char *letter(const char *letters, uint32_t n, Arena *a) {
  uint32_t k = (uint32_t)strlen(letters);
  return n < k ? arena_printf(a, "%c", letters[n]) : arena_printf(a, "%c%u", letters[n % k], n / k);
}

/* A dimension for each, from the *next-th index on; `*i` where all are alike. */
static const char *bracket(const Node *n, bool alike, uint32_t *next, Arena *a) {
  if (alike) return "*i";
  const char *out = "";
  for (uint32_t d = 0; d < n->rank; d++)
    out = arena_printf(a, "%s%s%s", out, d ? ", " : "", letter("ijklmnopqrstuvw", (*next)++, a));
  return out;
}

static bool is_word(const char *t) {
  return *t && !strchr("0123456789", *t) &&
         strspn(t, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(t);
}

static const char *word(Sym s, Arena *a) {
  return is_word(sym_text(s)) ? sym_text(s) : arena_printf(a, "\"%s\"", sym_text(s));
}

static const char *type_of(const Attr *x) {
  switch (x->kind) {
    case ATTR_INT: return "int";
    case ATTR_RAT: return "rat";
    case ATTR_INTS: return "ints";
    case ATTR_SYM: return "sym";
    default: return NULL;
  }
}

static bool same_attrs(const Node *x, const Node *y) {
  bool same = x->n_attrs == y->n_attrs;
  for (uint32_t i = 0; same && i < x->n_attrs; i++) same = x->attrs[i].name == y->attrs[i].name;
  return same;
}

static bool alike(const Graph *g, const Node *n) {
  bool all = n->n_args > 0;
  for (uint32_t i = 0; all && i < n->n_args; i++) {
    const Node *x = &g->nodes.at[n->args[i]];
    all = x->rank == n->rank && !memcmp(x->dims, n->dims, n->rank * sizeof *n->dims);
  }
  return all;
}

/* `[i] = ..`, or of several results, which are nodes of the same operands, { a[i] = ..; b[j] = .. }. */
static const char *results(const Graph *g, const Node *n, bool same, uint32_t next, Arena *a) {
  const Node *all[UINT8_MAX] = {0};
  uint32_t last = 0;
  for (size_t i = 0; i < g->nodes.len; i++) {
    const Node *x = &g->nodes.at[i];
    if (x->op != n->op || x->result >= UINT8_MAX || x->n_args != n->n_args || !same_attrs(x, n)) continue;
    if (memcmp(x->args, n->args, n->n_args * sizeof *n->args)) continue;
    all[x->result] = x;
    if (x->result > last) last = x->result;
  }
  if (!last) return arena_printf(a, "[%s] = ..", bracket(n, same, &next, a));
  const char *out = "{ ";
  for (uint32_t k = 0; k <= last; k++)
    out = arena_printf(a, "%s%s%s[%s] = ..", out, k ? "; " : "", letter("abcdefgh", k, a),
                       all[k] ? bracket(all[k], false, &next, a) : "..");
  return arena_printf(a, "%s }", out);
}

static const char *line_of(const Graph *g, const Node *n, Arena *a) {
  const char *out = arena_printf(a, "op %s(", word(n->op, a));
  const Attr *target = node_attr(n, sym("custom_call_target"));
  bool same = alike(g, n), some = false;
  uint32_t next = 0;
  for (uint32_t i = 0; i < n->n_args; i++)
    out = arena_printf(a, "%s%s%s[%s]", out, i ? ", " : "", letter("xyzuvw", i, a),
                       bracket(&g->nodes.at[n->args[i]], same, &next, a));
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const Attr *x = &n->attrs[i];
    if (attr_is_common(x->name) || x == target || !type_of(x) || !is_word(sym_text(x->name))) continue;
    out = arena_printf(a, "%s%s%s: %s", out, some ? ", " : "; ", sym_text(x->name), type_of(x));
    some = true;
  }
  const char *to = results(g, n, same, next, a);
  if (!target || target->kind != ATTR_SYM) return arena_printf(a, "%s) -> %s", out, to);
  const char *when = arena_printf(a, " when custom_call_target == %s", word(target->s, a));
  if (*to != '[') return arena_printf(a, "%s) -> %s%s", out, to, when);
  return arena_printf(a, "%s) -> %.*s%s = ..", out, (int)(strlen(to) - strlen(" = ..")), to, when);
}

const char **define_list(const Problem *p, const Proof *proof, Arena *a, uint32_t *n, const Sym **ops) {
  const char **out = ARENA_ARRAY(a, const char *, MOST_DEFINED);
  Sym *op = ARENA_ARRAY(a, Sym, MOST_DEFINED);
  *ops = op;
  *n = 0;
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->graph[side];
    const bool *on = graph_reached(g, p->relation, side, a);
    for (size_t i = 0; i < g->nodes.len && *n < MOST_DEFINED; i++) {
      const Node *x = &g->nodes.at[i];
      const char *why = on[i] ? proof->build.why_opaque[side][i] : NULL;
      bool unknown = why && !strcmp(why, "no definition") && !node_attr(x, sym("unique")); /* else no function of operands */
      if (!unknown || strchr(sym_text(x->op), ' ')) continue;
      const char *line = line_of(g, x, a);
      size_t name = strcspn(line, "(");
      bool known = false; /* an operator of other dimensions is begun once */
      for (uint32_t k = 0; k < *n && !known; k++) {
        const char *when = strstr(line, " when "), *other = strstr(out[k], " when ");
        known = !strncmp(line, out[k], name + 1) && (!when || (other && !strcmp(when, other)));
      }
      if (!known) op[*n] = x->op, out[(*n)++] = line;
    }
  }
  return out;
}
