/* Instances: for each node the first definition of its operator that fits and whose `when` holds, expanded.  Nodes that
 * agree in everything a definition can see (operator, types, shapes, attributes) share one instance, so repeated layers
 * cost one look-up in a hash table. */
#include "eval/meaning/instance.h"

#include <string.h>
#include <xxhash.h>

#include "eval/meaning/expand.h"
#include "lang/library.h"

typedef struct Slot {
  uint64_t hash;
  const void *key;
  size_t len;
  const Instance *in;
} Slot;

struct Instances {
  const Library *lib;
  Arena arena;   /* of the instances and keys */
  Arena scratch; /* of one expansion */
  Slot *slots;   /* open addressing; a power of two */
  size_t n, cap;
  Vec(unsigned char) key;
  XBuild build;
  const Instance *valued; /* parameter, constant */
  Sym parameter, constant, groups, pairs;
  const int64_t *order; /* the device at each place of the mesh, or NULL: that number */
  int64_t n_devices;
  bool partial;
};

Instances *instances_new(const Library *lib) {
  Instances *s = xcalloc(1, sizeof *s);
  s->lib = lib;
  s->cap = 256;
  s->slots = xcalloc(s->cap, sizeof *s->slots);
  s->build.arena = &s->scratch;
  Instance *v = ARENA_NEW(&s->arena, Instance);
  v->body = NO_X;
  s->valued = v;
  s->parameter = sym("parameter");
  s->constant = sym("constant");
  s->groups = sym("replica_groups");
  s->pairs = sym("source_target_pairs");
  return s;
}

void instances_partial(Instances *s) { s->partial = true; }

void instances_mesh(Instances *s, const Mesh *m) {
  s->order = m->device_order;
  s->n_devices = m->n_devices;
}

void instances_free(Instances *s) {
  if (!s) return;
  free(s->slots);
  vec_free(&s->key);
  vec_free(&s->build.x);
  vec_free(&s->build.vars);
  arena_free(&s->scratch);
  arena_free(&s->arena);
  free(s);
}

/* ---- The cache ---- */

static void put(Instances *s, const void *p, size_t n) {
  vec_reserve(&s->key, s->key.len + n);
  if (n) memcpy(s->key.at + s->key.len, p, n);
  s->key.len += n;
}

static void put_shape(Instances *s, const Node *n) {
  uint8_t head[] = {n->dtype, n->rank};
  put(s, head, sizeof head);
  put(s, n->dims, n->rank * sizeof *n->dims);
}

/* Everything a definition can see of a node. */
static void make_key(Instances *s, const Graph *g, const Node *n) {
  uint32_t head[] = {n->op, n->result, n->n_args, n->n_attrs};
  vec_clear(&s->key);
  put(s, head, sizeof head);
  put_shape(s, n);
  for (uint32_t i = 0; i < n->n_args; i++) put_shape(s, &g->nodes.at[n->args[i]]);
  for (uint32_t i = 0; i < n->n_attrs; i++) {
    const Attr *a = &n->attrs[i];
    uint32_t names[] = {a->name, a->kind, a->kind == ATTR_SYM ? a->s : 0, a->n};
    uint64_t values[] = {(uint64_t)a->i, a->kind == ATTR_RAT ? a->r : 0};
    put(s, names, sizeof names);
    put(s, values, sizeof values);
    put(s, a->ints, a->n * sizeof *a->ints);
  }
}

static Slot *slot_of(Instances *s, uint64_t hash) {
  for (size_t i = hash & (s->cap - 1);; i = (i + 1) & (s->cap - 1)) {
    Slot *t = &s->slots[i];
    if (!t->in) return t;
    if (t->hash == hash && t->len == s->key.len && !memcmp(t->key, s->key.at, t->len)) return t;
  }
}

static void grow(Instances *s) {
  Slot *old = s->slots;
  size_t n = s->cap;
  s->cap *= 2;
  s->slots = xcalloc(s->cap, sizeof *s->slots);
  for (size_t i = 0; i < n; i++) {
    if (!old[i].in) continue;
    size_t k = old[i].hash & (s->cap - 1);
    while (s->slots[k].in) k = (k + 1) & (s->cap - 1);
    s->slots[k] = old[i];
  }
  free(old);
}

/* ---- Assembling an instance ---- */

static const Attr *copy_attr(Arena *a, const Attr *attr) {
  if (!attr) return NULL;
  Attr *c = arena_copy(a, attr, sizeof *attr);
  c->ints = arena_copy(a, attr->ints, attr->n * sizeof *attr->ints);
  return c;
}

static Instance *start(Instances *s, const Node *n) {
  Instance *in = ARENA_NEW(&s->arena, Instance);
  in->body = NO_X;
  in->n_out = n->rank;
  in->groups = copy_attr(&s->arena, node_attr(n, s->groups));
  in->pairs = copy_attr(&s->arena, node_attr(n, s->pairs));
  return in;
}

static const Instance *make_opaque(Instances *s, const Node *n, const char *why) {
  Instance *in = start(s, n);
  in->opaque = true;
  in->why_opaque = arena_strdup(&s->arena, why, strlen(why));
  in->out = ARENA_ARRAY(&s->arena, OutDim, n->rank);
  in->batch = ARENA_ARRAY(&s->arena, bool, n->rank);
  int32_t **arg = ARENA_ARRAY(&s->arena, int32_t *, n->n_args);
  for (uint32_t k = 0; k < n->n_args; k++) {
    arg[k] = ARENA_ARRAY(&s->arena, int32_t, n->rank);
    for (uint32_t d = 0; d < n->rank; d++) arg[k][d] = -1;
  }
  in->batch_arg = (const int32_t *const *)arg;
  return in;
}

/* Dimension at which position i of the index `name` stands alone in a bracket; -1: nowhere. */
static int32_t stands_at(const FitBracket *b, Sym name, uint32_t i) {
  for (uint32_t p = 0; p < b->n; p++)
    if (b->patterns[p].n == 1 && b->patterns[p].digit[0].name == name && i < b->start[p + 1] - b->start[p])
      return (int32_t)b->dim[b->start[p] + i];
  return -1;
}

static const Instance *declared_opaque(Instances *s, const Fit *f) {
  Instance *in = (Instance *)make_opaque(s, f->node, "its definition has no equation");
  for (uint32_t i = 0; i < f->op->n_batch; i++) {
    Sym name = f->op->batch[i].name;
    int32_t d;
    for (uint32_t k = 0; (d = stands_at(&f->out, name, k)) >= 0; k++) {
      ((bool *)in->batch)[d] = true;
      for (uint32_t j = 0; j < f->node->n_args; j++)
        ((int32_t *)in->batch_arg[j])[d] = stands_at(&f->param[j < f->variadic ? j : f->variadic], name, k);
    }
  }
  return in;
}

/* Marks the nodes the body needs; arguments come before their node. */
static bool *needed(Instances *s, XId body) {
  const XBuild *b = &s->build;
  bool *need = ARENA_ARRAY(&s->scratch, bool, b->x.len + 1);
  need[body] = true;
  for (size_t i = b->x.len; i-- > 0;) {
    const X *x = &b->x.at[i];
    bool indexed = x->kind == X_READ || x->kind == X_INDEX;
    for (uint32_t k = 0; need[i] && k < x->n; k++) {
      if (!indexed) need[x->args[k]] = true;
      else if (x->ix[k].dyn != NO_X) need[x->ix[k].dyn] = true;
    }
  }
  return need;
}

static void copy_node(Instances *s, X *to, const X *from, const XId *id) {
  Arena *a = &s->arena;
  *to = *from;
  if (from->kind == X_READ || from->kind == X_INDEX) {
    Ix *ix = arena_copy(a, from->ix, from->n * sizeof *ix);
    for (uint32_t k = 0; k < from->n; k++) {
      ix[k].terms = arena_copy(a, ix[k].terms, ix[k].n_terms * sizeof *ix[k].terms);
      if (ix[k].dyn != NO_X) ix[k].dyn = id[ix[k].dyn];
    }
    to->ix = ix;
  } else {
    XId *args = arena_copy(a, from->args, from->n * sizeof *args);
    for (uint32_t k = 0; k < from->n; k++) args[k] = id[args[k]];
    to->args = args;
  }
  to->vars = arena_copy(a, from->vars, from->n_vars * sizeof *from->vars);
}

/* Whether the equation sees which position a device has in its group: the own one, or that of a device it reads as more
 * than the device read. */
static bool sees_order(const Instance *in) {
  bool *position = xcalloc(in->n_vars + 1, 1), sees = false;
  for (uint32_t i = 0; i < in->n_vars; i++) sees |= in->vars[i].kind == VAR_GROUP;
  for (uint32_t i = 0; i < in->n_x; i++)
    if (in->x[i].kind == X_READ && in->x[i].group != NO_VAR) {
      position[in->x[i].group] = true;
      sees |= in->vars[in->x[i].group].kind != VAR_BOUND;
    }
  for (uint32_t i = 0; i < in->n_x && !sees; i++) {
    const X *x = &in->x[i];
    for (uint32_t k = 0; (x->kind == X_READ || x->kind == X_INDEX) && k < x->n; k++)
      for (uint32_t t = 0; t < x->ix[k].n_terms; t++) sees |= position[x->ix[k].terms[t].var];
  }
  free(position);
  return sees;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

/* The members of every group in the order of the mesh: one list for groups that differ in their order only. */
static void sort_groups(const Instances *s, int64_t *device, uint32_t n, uint32_t members) {
  if (!members || n % members) return;
  int64_t *place = xmalloc((s->n_devices + 1) * sizeof *place);
  for (int64_t k = 0; s->order && k < s->n_devices; k++) place[s->order[k]] = k;
  bool known = s->order != NULL;
  for (uint32_t k = 0; k < n; k++) known &= device[k] >= 0 && device[k] < s->n_devices;
  for (uint32_t k = 0; known && k < n; k++) device[k] = place[device[k]];
  for (uint32_t k = 0; k < n; k += members) qsort(device + k, members, sizeof *device, by_number);
  for (uint32_t k = 0; known && k < n; k++) device[k] = s->order[device[k]];
  free(place);
}

static const Instance *assemble(Instances *s, const Node *n, const OutDim *out, XId body) {
  const XBuild *b = &s->build;
  Instance *in = start(s, n);
  const bool *need = needed(s, body);
  XId *id = ARENA_ARRAY(&s->scratch, XId, b->x.len);
  for (size_t i = 0; i < b->x.len; i++) id[i] = need[i] ? in->n_x++ : NO_X;
  X *x = ARENA_ARRAY(&s->arena, X, in->n_x);
  for (size_t i = 0; i < b->x.len; i++)
    if (need[i]) copy_node(s, &x[id[i]], &b->x.at[i], id);
  in->x = x;
  in->body = id[body];
  in->n_vars = (uint32_t)b->vars.len;
  in->vars = arena_copy(&s->arena, b->vars.at, b->vars.len * sizeof *b->vars.at);
  OutDim *dims = arena_copy(&s->arena, out, n->rank * sizeof *out);
  for (uint32_t d = 0; d < n->rank; d++)
    dims[d].vars = arena_copy(&s->arena, out[d].vars, out[d].n * sizeof *out[d].vars);
  in->out = dims;
  if (in->groups && !sees_order(in)) /* a reduction: its members in any order */
    sort_groups(s, (int64_t *)in->groups->ints, in->groups->n, (uint32_t)in->groups->i);
  return in;
}

/* ---- From a node to its instance ---- */

static const char *outside_reals(const Graph *g, const Node *n) {
  bool complex = dtype_kind(n->dtype) == DK_COMPLEX, other = dtype_kind(n->dtype) == DK_OTHER;
  for (uint32_t i = 0; i < n->n_args; i++) {
    DKind k = dtype_kind(g->nodes.at[n->args[i]].dtype);
    complex = complex || k == DK_COMPLEX;
    other = other || k == DK_OTHER;
  }
  return other ? "a value that is no number" : complex ? "arithmetic of complex numbers" : NULL;
}

/* The body only moves values. */
static bool moves(const XBuild *b, XId body) {
  const X *x = &b->x.at[body];
  if (x->kind != X_READ) return false;
  for (uint32_t i = 0; i < x->n; i++)
    if (x->ix[i].dyn != NO_X) return false;
  return true;
}

static void misfit(const Node *n, const Fit *f, Span at, Diags *diags) {
  diag_error(diags, at, f->code, "%s: %s", sym_text(n->op), f->misfit);
  diag_note(diags, f->item->span, "by its definition");
}

static Expand expansion(Instances *s, const Fit *f, Diags *diags, NodeId id) {
  vec_clear(&s->build.x);
  vec_clear(&s->build.vars);
  s->build.overflow = false;
  return (Expand){.lib = s->lib, .f = f, .b = &s->build, .diags = diags, .graph = f->g, .node = id, .at = -1, .count = -1,
                  .each = -1, .own = NO_VAR, .partial = s->partial};
}

/* NULL: reported. */
static const Instance *expand(Instances *s, const Fit *f, Diags *diags, NodeId id) {
  if (f->op->opaque) return declared_opaque(s, f);
  Expand e = expansion(s, f, diags, id);
  OutDim *out = ARENA_ARRAY(&s->scratch, OutDim, f->node->rank + 1);
  XId body;
  const Instance *in = NULL;
  if (expand_result(&e, out) && expand_sizes(&e) && expand_body(&e, f->result->body, &body)) {
    const char *why = outside_reals(f->g, f->node);
    in = why && !moves(&s->build, body) ? make_opaque(s, f->node, why) : assemble(s, f->node, out, body);
  }
  expand_free(&e);
  return in;
}

/* Why no definition is that of the node: what its reader says (`why`), if it knows better. */
static const char *undefined(const Node *n, uint32_t n_ops) {
  const Attr *why = node_attr(n, sym("why"));
  if (why && why->kind == ATTR_SYM) return sym_text(why->s);
  return n_ops ? "no definition for these attributes" : "no definition";
}

/* An attribute that a definition takes no account of, so that it is another operator's; or NULL. */
static const Attr *unread(const Library *lib, const AstItem *op, const Node *n) {
  for (uint32_t i = 0; i < n->n_attrs; i++)
    if (!library_reads(lib, op, n->attrs[i].name)) return &n->attrs[i];
  return NULL;
}

static const Instance *make(Instances *s, const Graph *g, NodeId id, Diags *diags) {
  const Node *n = &g->nodes.at[id];
  uint32_t n_ops;
  const AstItem *const *ops = library_ops(s->lib, n->op, &n_ops);
  Fit wrong = {0}; /* one that would be meant, were the shapes right; rather one whose `when` is known to hold */
  int wrong_holds = 0;
  const Attr *ignored = NULL;
  for (uint32_t i = 0; i < n_ops; i++) {
    Fit f;
    bool fits = fit(&f, ops[i], g, n, &s->scratch);
    Expand e = expansion(s, &f, diags, id);
    int holds = expand_when(&e, f.op->when);
    expand_free(&e);
    const Attr *other = fits && holds == 1 ? unread(s->lib, ops[i], n) : NULL;
    if (fits && holds == 1 && !other) return expand(s, &f, diags, id);
    if (other) ignored = other;
    if (!fits && holds && (!wrong.misfit || (holds == 1 && wrong_holds != 1))) wrong = f, wrong_holds = holds;
  }
  if (ignored)
    return make_opaque(s, n, arena_printf(&s->scratch, "its definition does not read `%s`", sym_text(ignored->name)));
  if (!wrong.misfit) return make_opaque(s, n, undefined(n, n_ops));
  misfit(n, &wrong, node_span(g, diags_sources(diags), id), diags);
  return NULL;
}

const Instance *instance_of(Instances *s, const Graph *g, NodeId id, Diags *diags) {
  const Node *n = &g->nodes.at[id];
  if (n->op == s->parameter || n->op == s->constant) return s->valued;
  make_key(s, g, n);
  uint64_t hash = XXH3_64bits(s->key.at, s->key.len);
  Slot *slot = slot_of(s, hash);
  if (slot->in) return slot->in;
  ArenaMark m = arena_mark(&s->scratch);
  const Instance *in = make(s, g, id, diags);
  arena_reset(&s->scratch, m);
  if (!in) return NULL;
  *slot = (Slot){hash, arena_copy(&s->arena, s->key.at, s->key.len), s->key.len, in};
  if (++s->n * 2 > s->cap) grow(s);
  return in;
}
