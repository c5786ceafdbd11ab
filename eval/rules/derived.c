#include "eval/rules/derived.h"

#include <stdarg.h>
#include <string.h>

#include "eval/meaning/equation.h"
#include "eval/program/names.h"

typedef Vec(char) Text;

/* Operators of one graph with one equation. */
typedef struct Kind {
  const Instance *in;
  NodeId first;    /* one of them */
  Sym name;        /* "dot.3" */
  const char *why; /* what its rules rest on */
  uint32_t n_rules;
} Kind;

/* Kinds of y, t, e in y = f(t), t = g(x), e = f(x). */
typedef struct Composed {
  uint32_t outer, g, inner;
} Composed;

typedef struct Derived {
  const Graph *g;
  Arena *arena;
  Vec(Kind) kinds;        /* of all graphs */
  size_t begin;           /* of this graph */
  uint32_t *kind_by_node; /* IR_NONE: none */
  uint32_t *slots;        /* kinds of this graph by equation, + 1 */
  size_t mask;
  Vec(Composed) composed; /* in order */
  size_t next;            /* of these */
  Text out;
} Derived;

/* ---- text ---- */

static void put(Text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(Text *t, const char *fmt, ...) {
  va_list args, copy;
  va_start(args, fmt);
  va_copy(copy, args);
  int n = vsnprintf(NULL, 0, fmt, copy);
  va_end(copy);
  vec_reserve(t, t->len + (size_t)n + 1);
  vsnprintf(t->at + t->len, (size_t)n + 1, fmt, args);
  t->len += (size_t)n;
  va_end(args);
}

/* What asks for operators of kind k, called y, of operands x0, x1, .. */
static void put_kind(Derived *d, Text *t, uint32_t k) {
  put(t, "kind(y, \"%s\")", sym_text(d->kinds.at[k].name));
  for (uint32_t i = 0; i < d->g->nodes.at[d->kinds.at[k].first].n_args; i++) put(t, "; operand(y, %u, x%u)", i, i);
}

/* Writes a rule for kind k. */
static void rule(Derived *d, uint32_t k, const char *ruleset, const Text *body) {
  Kind *kind = &d->kinds.at[k];
  if (!kind->n_rules) put(&d->out, "// %s: %s\n", sym_text(kind->name), kind->why);
  put(&d->out, "rule \"%s %u\" in %s { %.*s }\n", sym_text(kind->name), ++kind->n_rules, ruleset, (int)body->len,
      body->at);
}

/* ---- sharding ---- */

/* Operand k has an index as the major part of dimension dims[k]; -1: not at all. */
typedef struct Places {
  const int64_t *dims;
  uint32_t n;
} Places;

static void put_conclusion(Text *t, int64_t dim, bool collective) {
  if (collective) put(t, "; beside(y, m)");
  dim < 0 ? put(t, " => partial(y, m)") : put(t, " => split(y, %lld, m)", (long long)dim);
}

/* If one operand is cut there, and all others are or are the same on all devices, so is the result; dim -1: it is
 * addends.  One rule for each operand that may be the one. */
static void cut_rules(Derived *d, uint32_t k, Places p, int64_t dim, bool collective) {
  for (uint32_t one = 0; one < p.n; one++) {
    if (p.dims[one] < 0) continue;
    Text t = {0};
    put_kind(d, &t, k);
    for (uint32_t i = 0; i < p.n; i++)
      if (p.dims[i] < 0) put(&t, "; same(x%u, m)", i);
      else put(&t, "; %s(x%u, %lld, m)", i == one ? "split" : "blocks", i, (long long)p.dims[i]);
    put_conclusion(&t, dim, collective);
    rule(d, k, "sharding", &t);
    vec_free(&t);
  }
}

/* What does not depend on an index of its operands does not depend on that of the result. */
static void even_rule(Derived *d, uint32_t k, const Places *p, int64_t dim) {
  Text t = {0};
  put_kind(d, &t, k);
  for (uint32_t i = 0; p && i < p->n; i++)
    if (p->dims[i] >= 0) put(&t, "; even(x%u, %lld)", i, (long long)p->dims[i]);
  put(&t, " => even(y, %lld)", (long long)dim);
  rule(d, k, "sharding", &t);
  vec_free(&t);
}

/* Addends in the operands of the mask give addends of the result. */
static void linear_rule(Derived *d, uint32_t k, uint32_t n, uint64_t mask, bool collective) {
  Text t = {0};
  put_kind(d, &t, k);
  for (uint32_t i = 0; i < n; i++) put(&t, "; %s(x%u, m)", mask >> i & 1 ? "partial" : "same", i);
  put_conclusion(&t, -1, collective);
  rule(d, k, "sharding", &t);
  vec_free(&t);
}

static void derive_batch(Derived *d, uint32_t k, const Instance *in, const Node *n) {
  int64_t *dims = ARENA_ARRAY(d->arena, int64_t, n->n_args + 1);
  for (uint32_t b = 0; in->batch && b < n->rank && !in->groups && !in->pairs; b++) {
    bool some = false;
    for (uint32_t i = 0; i < n->n_args; i++) {
      dims[i] = in->batch_arg[i][b];
      some |= dims[i] >= 0;
    }
    if (in->batch[b] && some) cut_rules(d, k, (Places){dims, n->n_args}, b, false);
  }
}

static void derive_exchange(Derived *d, uint32_t k, const Equation *e) {
  int64_t from, to;
  if (!equation_exchange(e, &from, &to)) return;
  Text t = {0};
  put_kind(d, &t, k);
  from < 0 ? put(&t, "; axis(y, m); partial(x0, m)") : put(&t, "; axis(y, m); split(x0, %lld, m)", (long long)from);
  put(&t, "; mesh_axis(m, _) => split(y, %lld, m)", (long long)to);
  rule(d, k, "sharding", &t);
  vec_free(&t);
}

/* The major index of dimension `dim` of the result. */
static void derive_index(Derived *d, uint32_t k, const Equation *e, uint32_t dim) {
  int64_t *dims = ARENA_ARRAY(d->arena, int64_t, e->node->n_args + 1);
  VarId v = e->in->out[dim].vars[0];
  Places p = {dims, e->node->n_args};
  if (equation_ignores(e, v)) {
    if (e->in->out[dim].n == 1) even_rule(d, k, NULL, dim);
  } else if (equation_places(e, v, dims)) {
    cut_rules(d, k, p, dim, e->in->groups || e->in->pairs);
    if (e->in->out[dim].n == 1) even_rule(d, k, &p, dim);
  }
}

static void derive_sharding(Derived *d, uint32_t k, const Equation *e) {
  enum { MOST = 4 }; /* operands that may have addends together */
  const Node *n = e->node;
  const Instance *in = e->in;
  bool collective = in->groups || in->pairs;
  int64_t *dims = ARENA_ARRAY(d->arena, int64_t, n->n_args + 1);
  for (uint32_t o = 0; o < in->n_out; o++)
    if (in->out[o].n) derive_index(d, k, e, o);
  const X *body = &in->x[in->body];
  for (uint32_t i = 0; body->kind == X_SUM && i < body->n_vars; i++)
    if (equation_places(e, body->vars[i], dims)) cut_rules(d, k, (Places){dims, n->n_args}, -1, collective);
  uint64_t all = n->n_args <= MOST ? (1ull << n->n_args) - 1 : 0;
  for (uint64_t mask = 1; mask <= all; mask++)
    if (equation_is_linear(e, mask)) linear_rule(d, k, n->n_args, mask, collective);
  derive_exchange(d, k, e);
}

/* ---- rewriting ---- */

static Equation equation_of(const Derived *d, uint32_t k) {
  return (Equation){d->g, &d->g->nodes.at[d->kinds.at[k].first], d->kinds.at[k].in};
}

static bool has_equation(const Derived *d, uint32_t k) {
  const Instance *in = d->kinds.at[k].in;
  return !in->opaque && in->body != NO_X && d->g->nodes.at[d->kinds.at[k].first].n_args == 1;
}

/* y = f(g(x)) and z = g(f(x)) are one if f works element by element and g only moves elements, or if f is linear and
 * the same before and after g, a sum over devices.  The inner f may be of another kind, of the shape that x has. */
static void rewriting_rule(Derived *d, uint32_t outer, uint32_t g, uint32_t inner) {
  Text t = {0};
  const char *names[] = {sym_text(d->kinds.at[outer].name), sym_text(d->kinds.at[g].name),
                         sym_text(d->kinds.at[inner].name)};
  put(&t, "kind(y, \"%s\"); operand(y, 0, t); kind(t, \"%s\"); operand(t, 0, x); ", names[0], names[1]);
  put(&t, "kind(e, \"%s\"); operand(e, 0, x); kind(z, \"%s\"); operand(z, 0, e) => y = z", names[2], names[1]);
  rule(d, outer, "rewriting", &t);
  vec_free(&t);
}

static bool may_exchange(Derived *d, Composed c) {
  if (!has_equation(d, c.outer) || !has_equation(d, c.g) || !has_equation(d, c.inner)) return false;
  Equation f = equation_of(d, c.outer), e = equation_of(d, c.g), i = equation_of(d, c.inner);
  bool itself = c.inner == c.g && c.g == c.outer;
  if (equation_is_elementwise(&f) && equation_is_elementwise(&i) && !itself)
    if (equation_moves(&e) && equation_same_function(&f, &i)) return true;
  return c.outer == c.inner && !f.in->groups && !f.in->pairs && equation_is_linear(&f, 1) && equation_sums_devices(&e);
}

static int compare_composed(const void *a, const void *b) {
  const Composed *x = a, *y = b;
  if (x->outer != y->outer) return x->outer < y->outer ? -1 : 1;
  if (x->g != y->g) return x->g < y->g ? -1 : 1;
  return x->inner < y->inner ? -1 : x->inner > y->inner;
}

/* The only operand of a node of some kind; NO_NODE if there is not just one. */
static NodeId only_operand(const Derived *d, NodeId id) {
  const Node *n = &d->g->nodes.at[id];
  return n->n_args == 1 && d->kind_by_node[id] != IR_NONE ? n->args[0] : NO_NODE;
}

/* Where y = f(t) and t = g(x), and e = f'(x) stands there as well. */
static void find_composed(Derived *d) {
  size_t n = d->g->nodes.len;
  NodeId *latest = xmalloc((n + 1) * sizeof *latest), *before = xmalloc((n + 1) * sizeof *before); /* users, linked */
  for (NodeId id = 0; id < n; id++) latest[id] = before[id] = NO_NODE;
  for (NodeId id = 0; id < n; id++) {
    NodeId x = only_operand(d, id);
    if (x != NO_NODE) before[id] = latest[x], latest[x] = id;
  }
  for (NodeId y = 0; y < n; y++) {
    NodeId t = only_operand(d, y), x = t == NO_NODE ? t : only_operand(d, t);
    for (NodeId e = x == NO_NODE ? x : latest[x]; e != NO_NODE; e = before[e])
      if (d->g->nodes.at[e].op == d->g->nodes.at[y].op)
        vec_push(&d->composed, ((Composed){d->kind_by_node[y], d->kind_by_node[t], d->kind_by_node[e]}));
  }
  if (d->composed.len) qsort(d->composed.at, d->composed.len, sizeof *d->composed.at, compare_composed);
  free(latest);
  free(before);
}

static void derive_rewriting(Derived *d, uint32_t outer) {
  for (; d->next < d->composed.len && d->composed.at[d->next].outer == outer; d->next++) {
    Composed c = d->composed.at[d->next];
    bool again = d->next && !compare_composed(&c, &d->composed.at[d->next - 1]);
    if (!again && may_exchange(d, c)) rewriting_rule(d, c.outer, c.g, c.inner);
  }
}

/* ---- kinds ---- */

static uint32_t kind_of(Derived *d, NodeId id, const Instance *in) {
  const Node *n = &d->g->nodes.at[id];
  size_t at = ((uintptr_t)in / sizeof(void *)) & d->mask;
  for (; d->slots[at]; at = (at + 1) & d->mask)
    if (d->kinds.at[d->slots[at] - 1].in == in) return d->slots[at] - 1;
  const char *name = arena_printf(d->arena, "%s.%zu", sym_text(n->op), d->kinds.len);
  const char *why = in->opaque ? "declared to be independent along these dimensions"
                               : arena_printf(d->arena, "by definition, %s", instance_print(in, d->arena));
  vec_push(&d->kinds, ((Kind){in, id, sym(name), why, 0}));
  d->slots[at] = (uint32_t)d->kinds.len;
  return (uint32_t)d->kinds.len - 1;
}

static bool derive_graph(Derived *d, Program *p, const FactGraph *of, const Library *library) {
  TableId tensor = name_of(p, sym("tensor"))->id, kind = name_of(p, sym("kind"))->id;
  Instances *instances = instances_new(library);
  const Span at = {0, 0, 0};
  bool ok = true;
  d->g = of->graph;
  d->begin = d->kinds.len;
  d->composed.len = d->next = 0;
  size_t n = d->g->nodes.len;
  for (d->mask = 1; d->mask < 2 * n + 1; d->mask = 2 * d->mask + 1) continue;
  d->slots = xcalloc(d->mask + 1, sizeof *d->slots);
  d->kind_by_node = xmalloc((n + 1) * sizeof *d->kind_by_node);
  for (NodeId id = 0; id < n; id++) d->kind_by_node[id] = IR_NONE;
  for (NodeId id = 0; ok && id < d->g->nodes.len; id++) {
    const Instance *in = instance_of(instances, d->g, id, p->diags);
    if (!(ok = in != NULL)) break;
    if (in->body == NO_X && !in->batch) continue;
    uint32_t k = d->kind_by_node[id] = kind_of(d, id, in);
    Sym name = d->kinds.at[k].name;
    Val t = db_make(p->db, tensor, (Val[]){of->name, db_int(p->db, id)}, at);
    ok = db_insert(p->db, kind, (Val[]){t, name}, at);
  }
  if (ok) find_composed(d);
  for (uint32_t k = (uint32_t)d->begin; ok && k < d->kinds.len; k++) {
    Equation e = equation_of(d, k);
    if (e.in->opaque) derive_batch(d, k, e.in, e.node);
    else if (e.in->body != NO_X) derive_sharding(d, k, &e);
    derive_rewriting(d, k);
    if (d->kinds.at[k].n_rules) put(&d->out, "\n");
  }
  instances_free(instances);
  free(d->slots);
  free(d->kind_by_node);
  return ok;
}

const char *derived_rules(Program *p, const FactGraph *graphs, uint32_t n, const Library *library, Arena *a) {
  Derived d = {.arena = a};
  bool ok = true;
  put(&d.out, "// Rules that follow from the operators of these graphs.\n\n");
  for (uint32_t i = 0; ok && i < n; i++) ok = derive_graph(&d, p, &graphs[i], library);
  ok = db_settle(p->db) && ok;
  char *text = ok ? arena_strdup(a, d.out.at, d.out.len) : NULL;
  vec_free(&d.out);
  vec_free(&d.kinds);
  vec_free(&d.composed);
  return text;
}
