#include "eval/verdict/assume.h"

#include <inttypes.h>
#include <string.h>

#include "eval/graph/narrowing.h"
#include "lang/reads.h"

enum { MAX_READINGS = 8 };

typedef struct List {
  Arena *a;
  Vec(const char *) at;
} List;

static void add(List *l, const char *text) {
  for (size_t i = 0; i < l->at.len; i++)
    if (!strcmp(l->at.at[i], text)) return;
  vec_push(&l->at, text);
}

static const char *bound(Arena *a, bool has, Rat v, const char *otherwise) {
  char buf[128];
  return has ? arena_printf(a, "%s", rat_print(v, buf, sizeof buf)) : otherwise;
}

/* " or -100", " or one of 0, 1" */
static const char *others(Arena *a, const Related *r) {
  const char *out = "";
  char buf[128];
  for (uint32_t k = 0; k < r->n_also; k++)
    out = arena_printf(a, "%s%s%s", out, k ? ", " : "", rat_print(r->also[k], buf, sizeof buf));
  return out;
}

static void add_ranges(List *l, const Relation *r) {
  for (uint32_t i = 0; i < r->n_inputs; i++) {
    const Related *x = &r->inputs[i];
    if (x->loop) continue; /* counters: it is so */
    if (x->only_also) add(l, arena_printf(l->a, "%s is one of %s", sym_text(x->name), others(l->a, x)));
    else if (x->has_lo || x->has_hi)
      add(l, arena_printf(l->a, "%s is in %s .. %s%s%s", sym_text(x->name), bound(l->a, x->has_lo, x->lo, "-inf"),
                          bound(l->a, x->has_hi, x->hi, "inf"), x->n_also ? ", or " : "", others(l->a, x)));
  }
}

static void add_readings(List *l, const Build *b) {
  for (size_t i = 0; i < b->readings.len && i < MAX_READINGS; i++) {
    static const char *const before[] = {"", "", "the square root of ", "", "the fourth root of ", "the square root of "};
    const Reading *r = &b->readings.at[i];
    char read[128];
    if (!rat_is_finite(r->read)) {
      add(l, arena_printf(l->a, "the mask %.9g is read as minus infinity, far below other values "
                              "(--literals=exact forbids it)",
                          rat_to_double(r->literal)));
      continue;
    }
    if (r->root == BUILD_TIMES_LOG_2 || r->root == BUILD_OVER_LOG_2) {
      Rat factor;
      bool whole = rat_root(r->read, 2, &factor);
      const char *k = rat_print(whole ? factor : r->read, read, sizeof read), *of = whole ? "" : before[2];
      if (rat_sign(r->literal) < 0) of = whole ? "minus " : "minus the square root of ";
      add(l, arena_printf(l->a, "the literal %.9g is read as %s%s %s log(2) (--literals=exact forbids it)",
                          rat_to_double(r->literal), of, k, r->root == BUILD_OVER_LOG_2 ? "/" : "*"));
      continue;
    }
    add(l, arena_printf(l->a, "the literal %.9g is read as %s%s%s%s (--literals=exact forbids it)",
                        rat_to_double(r->literal), r->root > 1 && rat_sign(r->literal) < 0 ? "minus " : "",
                        before[r->root], rat_print(r->read, read, sizeof read), r->root == BUILD_OVER_PI ? " / pi" : ""));
  }
  if (b->readings.len > MAX_READINGS)
    add(l, arena_printf(l->a, "%zu more literals are read as fractions", b->readings.len - MAX_READINGS));
}

/* Of the numbers of a file, by its reader. */
static void add_file_readings(List *l, const Problem *p) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    size_t n = p->graph[side]->readings.len;
    for (size_t i = 0; i < n && i < MAX_READINGS; i++) add(l, p->graph[side]->readings.at[i]);
    if (n > MAX_READINGS) add(l, arena_printf(l->a, "so are %zu more", n - MAX_READINGS));
  }
}

static void add_conditions(List *l, uint32_t flags) {
  if (flags & ASSUME_NONZERO) add(l, "denominators are not zero");
  if (flags & ASSUME_FINITE) add(l, "values are finite");
  if (flags & ASSUME_NONNEG_ROOT) add(l, "what is under an even root is not negative");
}

static void add_proof(List *l, const Proof *p) {
  if (p->lemmas && p->n_proved) add(l, p->lemmas);
  if (p->tactic && p->n_proved) add(l, arena_printf(l->a, "the proof uses a tactic: %s", p->tactic));
  add_readings(l, &p->build);
  add_conditions(l, calculus_assumptions(p->calc));
}

/* The operator; of a custom call which one, as a definition would ask for it. */
static const char *operator_text(const Node *n, Arena *a) {
  const Attr *target = node_attr(n, sym("custom_call_target"));
  if (!target || target->kind != ATTR_SYM) return sym_text(n->op);
  return arena_printf(a, "%s when custom_call_target == %s", sym_text(n->op), sym_text(target->s));
}

/* The attributes that definitions could ask for. */
static const char *attributes(const Node *n, Arena *a) {
  const char *out = "";
  char buf[64];
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const Attr *x = &n->attrs[i];
    if (attr_is_common(x->name) || x->name == sym("custom_call_target")) continue;
    out = arena_printf(a, "%s%s%s: ", out, *out ? ", " : "", sym_text(x->name));
    if (x->kind == ATTR_SYM) out = arena_printf(a, "%s%.40s", out, sym_text(x->s));
    else if (x->kind == ATTR_RAT) out = arena_printf(a, "%s%s", out, rat_print(x->r, buf, sizeof buf));
    else if (x->kind == ATTR_INT) out = arena_printf(a, "%s%" PRId64, out, x->i);
    else out = arena_printf(a, "%s%u numbers", out, x->n);
  }
  return out;
}

static void add_opaque(List *l, const Problem *p, const Proof *proof) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = p->graph[side];
    bool *on = graph_reached(p->graph[side], p->relation, side, l->a);
    for (size_t i = 0; i < g->nodes.len; i++)
      if (on[i] && proof->build.why_opaque[side][i]) {
        const char *why = proof->build.why_opaque[side][i];
        bool missing = !strcmp(why, "no definition");
        bool other = !strcmp(why, "no definition for these attributes");
        add(l, arena_printf(l->a, "%s is an unknown function of its operands: %s%s%s",
                            operator_text(&g->nodes.at[i], l->a), why,
                            missing ? " (--with=FILE.tvr adds one)" : other ? ", " : "",
                            other ? attributes(&g->nodes.at[i], l->a) : ""));
      }
  }
}

static bool gives_truth(const Graph *g, const Node *n, const Instance *in, XId id) {
  const X *x = &in->x[id];
  if (x->kind == X_READ) return dtype_kind((DType)g->nodes.at[n->args[x->operand]].dtype) == DK_BOOL;
  bool all = x->kind == X_SELECT || x->kind == X_MUL || x->kind == X_MAX || x->kind == X_MIN;
  for (uint32_t i = x->kind == X_SELECT; all && i < x->n; i++) all = gives_truth(g, n, in, x->args[i]);
  return all || x->kind == X_CMP || (x->kind == X_RAT && (x->r == RAT_0 || x->r == RAT_1));
}

/* A definition whose result is a truth value, as x + y of two, gives none where it gives 2. */
static void add_truth(List *l, const Build *b, Side side, NodeId id) {
  const Graph *g = b->problem->graph[side];
  const Node *x = &g->nodes.at[id];
  const Instance *in = b->problem->instance[side][id];
  if (dtype_kind((DType)x->dtype) != DK_BOOL || !in || in->opaque || in->body == NO_X) return;
  if (gives_truth(g, x, in, in->body) || value_is_truth(b->calc, b->value[side][id])) return;
  add(l, arena_printf(l->a, "the values of %s are 0 or 1, as its type says", operator_text(x, l->a)));
}

static void add_narrowing(List *l, const Problem *p, const Proof *proof) {
  Narrowing c;
  narrowing_begin(&c, p->graph, p->relation, l->a);
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId i = 0; i < p->graph[side]->nodes.len; i++) {
      if (!c.reached[side][i]) continue;
      const char *text = narrowing_text(&c, side, i, l->a);
      add_truth(l, &proof->build, (Side)side, i);
      if (text) add(l, text);
    }
}

const char **assume_list(const Problem *p, const Proof *proof, const Proof *more, Arena *a, uint32_t *n) {
  List l = {.a = a};
  if (p->relation->by_number) add(&l, "parameters correspond by number: the programs have no name of theirs in common");
  add_ranges(&l, p->relation);
  add_proof(&l, proof);
  if (more) add_proof(&l, more);
  add_file_readings(&l, p);
  add_opaque(&l, p, more ? more : proof);
  add_narrowing(&l, p, more ? more : proof);
  const char **out = arena_copy(a, l.at.at, l.at.len * sizeof *out);
  *n = (uint32_t)l.at.len;
  vec_free(&l.at);
  return out;
}

/* ---- what nobody stated */

const char *stated_text(Stated s) {
  static const char *const text[] = {
#define STATED(id, name) name,
#include "eval/verdict/stated.def"
#undef STATED
  };
  return text[s];
}

/* Conditions, readings and lemmas of one proof, each if its kind is asked for. */
static void add_kind(List *l, const Proof *p, Stated kind) {
  uint32_t flags = calculus_assumptions(p->calc);
  if (kind == STATED_NONZERO) add_conditions(l, flags & ASSUME_NONZERO);
  if (kind == STATED_FINITE) add_conditions(l, flags & ASSUME_FINITE);
  if (kind == STATED_ROOTS) add_conditions(l, flags & ASSUME_NONNEG_ROOT);
  if (kind == STATED_LITERALS) add_readings(l, &p->build);
  if (kind == STATED_LEMMAS && p->lemmas && p->n_proved) add(l, p->lemmas);
}

const char **assume_kind(const Problem *p, const Proof *const *proofs, uint32_t n_proofs, Stated kind, Arena *a,
                         uint32_t *n) {
  List l = {.a = a};
  for (uint32_t i = 0; i < n_proofs; i++)
    if (proofs[i]) add_kind(&l, proofs[i], kind);
  if (kind == STATED_NARROWING) add_narrowing(&l, p, proofs[1] ? proofs[1] : proofs[0]);
  if (kind == STATED_LITERALS) add_file_readings(&l, p);
  const char **out = arena_copy(a, l.at.at, l.at.len * sizeof *out);
  *n = (uint32_t)l.at.len;
  vec_free(&l.at);
  return out;
}
