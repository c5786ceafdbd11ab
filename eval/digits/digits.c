/* Digit inference: facts about dims (cuts.h), read off equations, replica groups and the relation.
 *
 * Dims are numbered: the mesh's digits as groups and rank tables need them (the parts), then for every node of both
 * graphs its dimensions and its equation's variables, then gaps: what is left of a dimension beside a window.
 *
 * A read at index form F of a range of size n is a mixed radix if F's terms, with gaps between, multiply up to n and
 * its constant only reaches into gaps: n = [gap, term, gap, ..], major to minor by coefficient.  So a plain index, a
 * slice at an aligned offset, a stride, digits `(g, i)` and an offset that is affine in the device are one case.
 * A read of a smaller operand (`x[o - c]` under a guard: pad, concatenate, update) is the same with sides exchanged. */
#include "eval/digits/digits.h"

#include "eval/digits/cuts.h"
#include "eval/digits/places.h"
#include "eval/digits/tables.h"

enum {
  MAX_TERMS = 64, /* of size > 1, in a range below 2^63 */
  RECENT = 16,    /* groupings whose reading is at hand; equal nodes share theirs */
};

typedef struct Grouping {
  const Attr *groups;
  bool regular;
  MeshList list;
} Grouping;

typedef struct Groupings {
  Grouping at[RECENT];
  uint32_t next;
} Groupings;

struct Digits {
  const Problem *p;
  DigitsUse use;
  MeshDigits *mesh;
  Cuts *cuts;
  uint32_t n_parts;
  CutDim *base[SIDE_COUNT]; /* per node: its first dimension, then variables */
  size_t n_dims;
  Problem problem;
  Groupings *recent;
  bool *crossed; /* by first digit; NULL: none is */
};

/* Where facts are being read from. */
typedef struct Reader {
  Digits *d;
  Side side;
  NodeId id;
  const Node *node;
  const Instance *in;
  CutDim dims, vars;    /* of the node */
  Vec(uint8_t) on_mesh; /* per variable: it is a position in the replica group */
  Arena scratch;
} Reader;

typedef struct Term {
  CutDim dim;
  int64_t coef;
} Term;

/* An index form: constant + sum coef * dim + what `dyn` is on each device. */
typedef struct Form {
  int64_t constant;
  uint32_t n;
  Term term[MAX_TERMS];
  enum { DYN_NONE, DYN_KNOWN, DYN_UNKNOWN } dyn;
  const int64_t *by_device; /* DYN_KNOWN */
  int64_t n_devices;
  bool affine;              /* DYN_KNOWN: by_device == weights.constant + ..  */
  MeshForm weights;
  int sign;                 /* of by_device in the form */
} Form;

static CutDim dim_of(const Digits *d, Side side, NodeId node, uint32_t dim) { return d->base[side][node] + dim; }

/* ---- replica groups */

static const Grouping *recent_groups(const Digits *d, const Attr *groups) {
  for (uint32_t i = 0; i < RECENT; i++)
    if (d->recent->at[i].groups == groups) return &d->recent->at[i];
  return NULL;
}

static const Grouping *keep_groups(const Digits *d, Grouping g) {
  Grouping *at = &d->recent->at[d->recent->next++ % RECENT];
  *at = g;
  return at;
}

static bool position_of(const Digits *d, const Attr *groups, MeshList *out) {
  *out = (MeshList){0};
  if (!groups) return false;
  const Grouping *g = recent_groups(d, groups);
  if (!g) {
    Grouping new = {.groups = groups};
    new.regular = meshdigits_position(d->mesh, groups, &new.list);
    g = keep_groups(d, new);
  }
  if (g->regular) *out = g->list;
  return g->regular;
}

/* After the mesh was settled: what was read is of its old digits. */
static void forget_groups(Digits *d) { memset(d->recent, 0, sizeof *d->recent); }

/* ---- mixed radix */

/* `total` as the terms (ascending by coefficient) with gaps; major to minor into out[], or 0. */
static uint32_t radix_of(Cuts *c, const Term *t, uint32_t n, int64_t constant, int64_t total, CutDim *out) {
  struct {
    bool gap;
    CutDim dim;
    int64_t size;
  } digit[2 * MAX_TERMS + 1];
  uint32_t k = 0;
  int64_t at = 1;
  if (constant < 0 || constant >= total) return 0;
  for (uint32_t i = 0; i < n; i++) {
    int64_t size = cuts_size(c, t[i].dim);
    if (t[i].coef < at || t[i].coef % at || constant / t[i].coef % size) return 0;
    if (t[i].coef > at) digit[k].gap = true, digit[k++].size = t[i].coef / at;
    digit[k].gap = false, digit[k++].dim = t[i].dim;
    if (__builtin_mul_overflow(t[i].coef, size, &at) || at > total) return 0;
  }
  if (total % at) return 0;
  if (total > at) digit[k].gap = true, digit[k++].size = total / at;
  for (uint32_t i = 0; i < k; i++) out[k - 1 - i] = digit[i].gap ? cuts_dim(c, digit[i].size) : digit[i].dim;
  return k;
}

static void sort_terms(Term *t, uint32_t n) {
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t j = i; j > 0 && t[j - 1].coef > t[j].coef; j--) {
      Term swap = t[j];
      t[j] = t[j - 1];
      t[j - 1] = swap;
    }
}

/* Adds what the device contributes as terms; false: not as digits. */
static bool add_device_terms(const Digits *d, Form *f) {
  if (!f->affine) return false;
  if (f->sign < 0 || __builtin_add_overflow(f->constant, f->weights.constant, &f->constant)) return false;
  for (uint32_t i = 0; i < d->n_parts; i++) {
    if (!f->weights.weight[i]) continue;
    if (f->weights.weight[i] < 0 || f->n == MAX_TERMS) return false;
    f->term[f->n++] = (Term){i, f->weights.weight[i]};
  }
  sort_terms(f->term, f->n);
  return true;
}

/* Every device's offset is a multiple of `unit`. */
static bool is_aligned(const Form *f, int64_t unit) {
  if (f->constant % unit) return false;
  for (int64_t i = 0; i < f->n_devices; i++)
    if (f->by_device[i] % unit) return false;
  return true;
}

/* The dims l (row-major, `total` elements) are read at f. */
static void read_range(Reader *r, const CutDim *l, uint32_t n_l, int64_t total, const Form *f) {
  Cuts *c = r->d->cuts;
  CutDim digits[2 * MAX_TERMS + 1];
  uint32_t k = 0;
  if (f->dyn == DYN_UNKNOWN || (f->dyn == DYN_NONE && f->n == 0)) return;
  if (f->dyn == DYN_NONE) {
    k = radix_of(c, f->term, f->n, f->constant, total, digits);
  } else {
    Form whole = *f;
    if (add_device_terms(r->d, &whole)) k = radix_of(c, whole.term, whole.n, whole.constant, total, digits);
    if (!k && n_l == 1) { /* at least whole windows, and the units of the offsets */
      int64_t unit = f->n ? f->term[f->n - 1].coef * cuts_size(c, f->term[f->n - 1].dim) : 1;
      if (unit > 0 && is_aligned(f, unit)) k = radix_of(c, f->term, f->n, 0, total, digits);
      for (uint32_t i = 0; f->affine && i < r->d->n_parts; i++) {
        int64_t w = f->weights.weight[i] < 0 ? -f->weights.weight[i] : f->weights.weight[i], top;
        if (!w || total % w) continue;
        cuts_want(c, l[0], w);
        if (!__builtin_mul_overflow(w, cuts_size(c, i), &top) && total % top == 0) cuts_want(c, l[0], top);
      }
    }
  }
  if (k) cuts_equate(c, l, n_l, digits, k);
}

/* ---- reads */

static void read_dyn(Reader *r, const Ix *ix, Form *f) {
  Coord *coord = r->d->p->coord[r->side];
  f->dyn = ix->dyn == NO_X ? DYN_NONE : DYN_UNKNOWN;
  f->sign = 1;
  if (f->dyn == DYN_NONE || !coord) return;
  const int64_t *v = coord_expression(coord, r->id, r->in, ix->dyn);
  if (!v) return;
  f->by_device = v;
  f->n_devices = coord_n_devices(coord);
  bool uniform = true;
  for (int64_t i = 1; i < f->n_devices && uniform; i++) uniform = v[i] == v[0];
  if (uniform) {
    if (!__builtin_add_overflow(f->constant, v[0], &f->constant)) f->dyn = DYN_NONE;
    return;
  }
  f->dyn = DYN_KNOWN;
  if (r->side == SIDE_DIST && f->n_devices == r->d->p->relation->mesh.n_devices)
    f->affine = meshdigits_refit(r->d->mesh, v, &r->scratch, &f->weights);
}

/* Dimensions that are read at other than a plain index are flat together with the indices that walk along them. */
static void link_range(Reader *r, CutDim dim, const Ix *ix, bool is_radix) {
  uint32_t n_walking = 0;
  bool on_mesh = false;
  for (uint32_t i = 0; i < ix->n_terms; i++) {
    VarId v = ix->terms[i].var;
    if (r->on_mesh.at[v]) on_mesh = true;
    else n_walking++;
  }
  if (is_radix && n_walking > 1 && !on_mesh) return; /* digits of one index, as in a reshape */
  for (uint32_t i = 0; i < ix->n_terms; i++) {
    VarId v = ix->terms[i].var;
    if (r->on_mesh.at[v] || (n_walking > 1 && r->in->vars[v].kind != VAR_OUT)) continue;
    cuts_link(r->d->cuts, dim, r->vars + v);
  }
}

/* The product of the terms' ranges covers `total` exactly. */
static bool covers(const Cuts *c, const Form *f, int64_t total) {
  int64_t at = 1;
  for (uint32_t i = 0; i < f->n; i++) {
    if (f->term[i].coef != at) return false;
    at *= cuts_size(c, f->term[i].dim);
    if (at > total) return false;
  }
  return at == total && f->constant == 0 && f->dyn == DYN_NONE;
}

static void read_index(Reader *r, const CutDim *l, uint32_t n_l, int64_t total, const Ix *ix) {
  Cuts *c = r->d->cuts;
  if (n_l == 1 && ix->n_terms == 1 && ix->constant == 0 && ix->dyn == NO_X && ix->terms[0].coef == 1) {
    CutDim v = r->vars + ix->terms[0].var;
    if (cuts_size(c, v) == total) {
      cuts_same(c, l[0], v);
      return;
    }
  }
  Form f = {.constant = ix->constant};
  for (uint32_t i = 0; i < ix->n_terms; i++) {
    CutDim v = r->vars + ix->terms[i].var;
    if (cuts_size(c, v) <= 1) continue;
    if (f.n == MAX_TERMS) return;
    f.term[f.n++] = (Term){v, ix->terms[i].coef};
  }
  sort_terms(f.term, f.n);
  ArenaMark mark = arena_mark(&r->scratch);
  read_dyn(r, ix, &f);
  bool one = n_l == 1 && f.n == 1 && f.term[0].coef == 1;
  if (one && f.dyn == DYN_NONE && f.constant == 0 && cuts_size(c, f.term[0].dim) == total) {
    cuts_same(c, l[0], f.term[0].dim);
  } else if (one && cuts_size(c, f.term[0].dim) > total) { /* o - c over a smaller operand: o = operand + c */
    CutDim outer = f.term[0].dim;
    f.term[0].dim = l[0];
    if (total <= 1) f.n = 0;
    if (f.constant != INT64_MIN) f.constant = -f.constant;
    f.sign = -1;
    for (uint32_t i = 0; f.affine && i < r->d->n_parts; i++) ((int64_t *)f.weights.weight)[i] *= -1;
    if (f.affine) f.weights.constant = -f.weights.constant, f.sign = 1;
    read_range(r, &outer, 1, cuts_size(c, outer), &f);
    cuts_link(c, l[0], outer);
  } else {
    if (total > 1) read_range(r, l, n_l, total, &f);
    if (n_l == 1) link_range(r, l[0], ix, covers(c, &f, total));
  }
  arena_reset(&r->scratch, mark);
}

/* One number everywhere, however it is read. */
static bool is_one_number(const Graph *g, const Node *n) {
  bool repeats = n->op == sym("broadcast") && n->n_args == 1 && !g->nodes.at[n->args[0]].rank;
  return repeats || (n->literal && n->literal->kind == LIT_SPLAT);
}

static void read_operand(Reader *r, const X *x) {
  if (x->operand >= r->node->n_args) return;
  const Graph *g = r->d->p->graph[r->side];
  NodeId a = r->node->args[x->operand];
  const Node *arg = &g->nodes.at[a];
  if (r->d->use == DIGITS_APART && is_one_number(g, arg)) return;
  CutDim dims = r->d->base[r->side][a];
  if (x->mode == READ_AT) {
    for (uint32_t i = 0; i < x->n && i < arg->rank; i++) {
      CutDim l = dims + i;
      read_index(r, &l, 1, arg->dims[i], &x->ix[i]);
    }
  } else if (x->n == 1) {
    CutDim l[UINT8_MAX];
    for (uint32_t i = 0; i < arg->rank; i++) l[i] = dims + i;
    int64_t total = node_elements(arg);
    if (total > 1) read_index(r, l, arg->rank, total, &x->ix[0]);
  }
}

/* Indices compared for equality, where an equation says so itself (batches of a scatter, a unit matrix). */
static void read_comparison(Reader *r, const X *x) {
  if (x->n != 2 || strcmp(sym_text(x->name), "==")) return;
  CutDim var[2];
  for (int k = 0; k < 2; k++) {
    const X *a = &r->in->x[x->args[k]];
    if (a->kind != X_INDEX || a->ix->n_terms != 1 || a->ix->constant || a->ix->dyn != NO_X) return;
    if (a->ix->terms[0].coef != 1) return;
    var[k] = r->vars + a->ix->terms[0].var;
  }
  cuts_same(r->d->cuts, var[0], var[1]);
}

/* ---- nodes */

static void read_output_dims(Reader *r) {
  if (r->in->n_out != r->node->rank) return;
  CutDim list[MAX_TERMS];
  for (uint32_t i = 0; i < r->in->n_out; i++) {
    const OutDim *o = &r->in->out[i];
    CutDim dim = r->dims + i;
    bool on_mesh = false;
    if (o->n > MAX_TERMS) continue;
    for (uint32_t k = 0; k < o->n; k++) {
      list[k] = r->vars + o->vars[k];
      on_mesh = on_mesh || r->on_mesh.at[o->vars[k]];
    }
    if (o->n == 1 && !on_mesh) cuts_same(r->d->cuts, dim, list[0]);
    else cuts_equate(r->d->cuts, &dim, 1, list, o->n);
    for (uint32_t k = 0; k < o->n && on_mesh; k++)
      if (!r->on_mesh.at[o->vars[k]]) cuts_link(r->d->cuts, dim, list[k]);
  }
}

static void read_groups(Reader *r) {
  vec_clear(&r->on_mesh);
  vec_reserve(&r->on_mesh, r->in->n_vars + 1);
  for (uint32_t v = 0; v < r->in->n_vars; v++) vec_push(&r->on_mesh, r->in->vars[v].kind == VAR_GROUP);
  for (uint32_t k = 0; k < r->in->n_x; k++)
    if (r->in->x[k].kind == X_READ && r->in->x[k].group != NO_VAR) r->on_mesh.at[r->in->x[k].group] = true;
  for (uint32_t v = 0; v < r->in->n_vars; v++)
    if (r->on_mesh.at[v]) cuts_keep_apart(r->d->cuts, r->vars + v);
  MeshList parts;
  if (r->side != SIDE_DIST || !position_of(r->d, r->in->groups, &parts)) return;
  for (uint32_t v = 0; v < r->in->n_vars; v++) {
    CutDim var = r->vars + v;
    if (r->on_mesh.at[v]) cuts_equate(r->d->cuts, &var, 1, parts.digit, parts.n); /* part i is dim i */
  }
}

static void read_batch(Reader *r) {
  if (!r->in->batch || !r->in->batch_arg) return;
  for (uint32_t k = 0; k < r->node->n_args; k++) {
    NodeId a = r->node->args[k];
    const Node *arg = &r->d->p->graph[r->side]->nodes.at[a];
    for (uint32_t i = 0; i < r->node->rank && r->in->batch_arg[k]; i++) {
      int32_t at = r->in->batch_arg[k][i];
      if (r->in->batch[i] && at >= 0 && at < arg->rank)
        cuts_same(r->d->cuts, r->dims + i, dim_of(r->d, r->side, a, (uint32_t)at));
    }
  }
}

static void read_graph(Digits *d, Side side) {
  Reader r = {.d = d, .side = side};
  const Graph *g = d->p->graph[side];
  for (NodeId id = 0; id < g->nodes.len; id++) {
    r.id = id;
    r.node = &g->nodes.at[id];
    r.in = d->p->instance[side][id];
    if (!r.in) continue;
    r.dims = d->base[side][id];
    r.vars = r.dims + r.node->rank;
    read_groups(&r);
    read_output_dims(&r);
    for (uint32_t k = 0; k < r.in->n_x; k++) {
      if (r.in->x[k].kind == X_READ) read_operand(&r, &r.in->x[k]);
      if (r.in->x[k].kind == X_CMP) read_comparison(&r, &r.in->x[k]);
    }
    if (r.in->opaque) read_batch(&r);
  }
  vec_free(&r.on_mesh);
  arena_free(&r.scratch);
}

/* ---- relation */

static void read_layout(Digits *d, NodeId seq, NodeId dist, const Layout *layout) {
  const Node *s = &d->p->graph[SIDE_SEQ]->nodes.at[seq], *t = &d->p->graph[SIDE_DIST]->nodes.at[dist];
  for (uint32_t i = 0; i < s->rank && i < t->rank && i < layout->rank; i++) {
    CutDim whole = dim_of(d, SIDE_SEQ, seq, i), list[MAX_TERMS];
    uint32_t n = 0;
    bool fits = true;
    for (uint32_t k = 0; k < layout->dims[i].n; k++) {
      uint32_t first, count = meshdigits_axis(d->mesh, layout->dims[i].axes[k], &first);
      fits = fits && n + count < MAX_TERMS;
      for (uint32_t j = 0; j < count && fits; j++) list[n++] = first + j;
    }
    list[n++] = dim_of(d, SIDE_DIST, dist, i);
    if (fits) cuts_equate(d->cuts, &whole, 1, list, n);
    cuts_link(d->cuts, whole, list[n - 1]);
  }
}

static void read_relation(Digits *d) {
  const Relation *rel = d->p->relation;
  const Graph *s = d->p->graph[SIDE_SEQ], *t = d->p->graph[SIDE_DIST];
  for (uint32_t k = 0; k < rel->n_inputs; k++) {
    const Related *r = &rel->inputs[k];
    if (r->seq < 0 || r->seq >= (int64_t)s->params.len || r->dist < 0 || r->dist >= (int64_t)t->params.len) continue;
    NodeId a = s->params.at[r->seq], b = t->params.at[r->dist];
    if (a != NO_NODE && b != NO_NODE) read_layout(d, a, b, &r->layout);
  }
  for (uint32_t k = 0; k < rel->n_outputs; k++) {
    const Related *r = &rel->outputs[k];
    if (r->seq < 0 || r->seq >= (int64_t)s->outputs.len || r->dist < 0 || r->dist >= (int64_t)t->outputs.len) continue;
    read_layout(d, s->outputs.at[r->seq].node, t->outputs.at[r->dist].node, &r->layout);
  }
  const Waypoints *w = d->p->waypoints;
  for (uint32_t k = 0; w && k < w->n; k++) read_layout(d, w->at[k].seq, w->at[k].dist, &w->at[k].layout);
}

/* ---- mesh */

/* Cuts the axes as replica groups and rank tables of the distributed graph need them. */
static void find_parts(Digits *d) {
  const Graph *g = d->p->graph[SIDE_DIST];
  Coord *coord = d->p->coord[SIDE_DIST];
  bool tables = coord && coord_n_devices(coord) == d->p->relation->mesh.n_devices;
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    const Instance *in = d->p->instance[SIDE_DIST][id];
    if (in && in->groups && !recent_groups(d, in->groups)) {
      meshdigits_need_groups(d->mesh, in->groups);
      keep_groups(d, (Grouping){.groups = in->groups});
    }
    if (!tables) continue;
    const int64_t *v = dtype_is_int(n->dtype) ? coord_value(coord, id) : NULL;
    if (v) meshdigits_need_values(d->mesh, v);
    for (uint32_t k = 0; in && k < in->n_x; k++)
      for (uint32_t i = 0; in->x[k].kind == X_READ && i < in->x[k].n; i++)
        if (in->x[k].ix[i].dyn != NO_X && (v = coord_expression(coord, id, in, in->x[k].ix[i].dyn)))
          meshdigits_need_values(d->mesh, v);
  }
  meshdigits_settle(d->mesh);
  forget_groups(d);
  d->n_parts = meshdigits_count(d->mesh);
}

/* The parts take the cuts that dimensions gave them. */
static void refine_mesh(Digits *d) {
  Vec(MeshDigit) parts = {0};
  for (uint32_t i = 0; i < d->n_parts; i++) vec_push(&parts, *meshdigits_get(d->mesh, i));
  const int64_t *size = cuts_digit_sizes(d->cuts);
  for (uint32_t i = 0; i < d->n_parts; i++) {
    int64_t inner = 1, cut = 1;
    for (uint32_t k = i + 1; k < d->n_parts && parts.at[k].axis == parts.at[i].axis; k++) inner *= parts.at[k].size;
    uint32_t first, n = cuts_digits(d->cuts, i, &first);
    for (uint32_t j = n; j-- > 1;) {
      cut *= size[first + j];
      meshdigits_need_cut(d->mesh, parts.at[i].axis, inner * cut);
    }
  }
  vec_free(&parts);
  meshdigits_settle(d->mesh);
  forget_groups(d);
}

/* ---- all of it */

static size_t count_dims(const Digits *d) {
  size_t n = d->n_parts;
  for (Side side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = d->p->graph[side];
    for (NodeId id = 0; id < g->nodes.len; id++) {
      const Instance *in = d->p->instance[side][id];
      n += g->nodes.at[id].rank + (in ? in->n_vars : 0);
    }
  }
  return n;
}

static void number_dims(Digits *d) {
  size_t n_dims = count_dims(d);
  cuts_expect(d->cuts, n_dims + n_dims / 8); /* gaps are dims, too */
  for (uint32_t i = 0; i < d->n_parts; i++)
    cuts_keep_apart(d->cuts, cuts_dim(d->cuts, meshdigits_get(d->mesh, i)->size));
  for (Side side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = d->p->graph[side];
    d->base[side] = xmalloc((g->nodes.len + 1) * sizeof *d->base[side]);
    CutDim at = 0;
    for (NodeId id = 0; id < g->nodes.len; id++) {
      const Node *n = &g->nodes.at[id];
      const Instance *in = d->p->instance[side][id];
      d->base[side][id] = d->n_parts + (CutDim)d->n_dims + at;
      for (uint32_t i = 0; i < n->rank; i++, at++) cuts_dim(d->cuts, n->dims[i]);
      for (uint32_t v = 0; in && v < in->n_vars; v++, at++) cuts_dim(d->cuts, in->vars[v].size);
    }
    d->n_dims += at;
  }
}

static void find_crossed(Digits *d);

Digits *digits_infer(const Problem *p, DigitsUse use) {
  Digits *d = xcalloc(1, sizeof *d);
  d->use = use;
  d->problem = *p;
  d->p = &d->problem;
  d->mesh = meshdigits_new(&p->relation->mesh);
  d->recent = xcalloc(1, sizeof *d->recent);
  find_parts(d);
  d->cuts = cuts_new();
  number_dims(d);
  read_relation(d);
  read_graph(d, SIDE_SEQ);
  read_graph(d, SIDE_DIST);
  for (Side side = 0; side < SIDE_COUNT; side++)
    places_link(p->graph[side], p->instance[side], d->base[side], d->cuts);
  tables_link(p->graph, d->base, d->cuts);
  for (size_t k = 0; k < p->n_flat; k++)
    cuts_flat(d->cuts, dim_of(d, p->flat[k].side, p->flat[k].node, p->flat[k].dim));
  cuts_solve(d->cuts);
  refine_mesh(d);
  find_crossed(d);
  return d;
}

void digits_free(Digits *d) {
  if (!d) return;
  for (Side side = 0; side < SIDE_COUNT; side++) free(d->base[side]);
  meshdigits_free(d->mesh);
  free(d->recent);
  free(d->crossed);
  cuts_free(d->cuts);
  free(d);
}

/* ---- answers */

static DigitList list_of(const Digits *d, CutDim dim) {
  DigitList l = {.flat = cuts_is_flat(d->cuts, dim)};
  l.n = cuts_digits(d->cuts, dim, &l.first);
  l.size = cuts_digit_sizes(d->cuts) + (l.n ? l.first : 0);
  l.sort = cuts_digit_sorts(d->cuts) + (l.n ? l.first : 0);
  return l;
}

DigitList digits_dim(const Digits *d, Side side, NodeId node, uint32_t dim) {
  return list_of(d, dim_of(d, side, node, dim));
}

DigitList digits_var(const Digits *d, Side side, NodeId node, VarId var) {
  return list_of(d, dim_of(d, side, node, d->p->graph[side]->nodes.at[node].rank + var));
}

bool digits_cross(const Digits *d, NodeId seq, NodeId dist, const Layout *l, uint32_t dim) {
  DigitList whole = digits_dim(d, SIDE_SEQ, seq, dim), block = digits_dim(d, SIDE_DIST, dist, dim);
  int64_t total = d->p->graph[SIDE_DIST]->nodes.at[dist].dims[dim];
  uint32_t at = 0;
  bool same = true;
  for (uint32_t k = 0; k < l->dims[dim].n; k++) {
    uint32_t first, n = meshdigits_axis(d->mesh, l->dims[dim].axes[k], &first);
    for (uint32_t j = 0; j < n; j++, at++) {
      int64_t size = meshdigits_get(d->mesh, first + j)->size;
      same = same && at < whole.n && whole.size[at] == size;
      total *= size;
    }
  }
  for (uint32_t j = 0; j < block.n; j++, at++) same = same && at < whole.n && whole.size[at] == block.size[j];
  return !(same && at == whole.n) && !whole.flat && total == d->p->graph[SIDE_SEQ]->nodes.at[seq].dims[dim];
}

static void note_crossed(Digits *d, const Related *r, NodeId seq, NodeId dist) {
  for (uint32_t k = 0; k < r->layout.rank; k++) {
    if (!digits_cross(d, seq, dist, &r->layout, k)) continue;
    if (!d->crossed) d->crossed = xcalloc(cuts_stats(d->cuts).n_digits + 1, sizeof *d->crossed);
    d->crossed[digits_dim(d, SIDE_SEQ, seq, k).first] = true;
  }
}

static void find_crossed(Digits *d) {
  const Graph *g = d->p->graph[SIDE_SEQ], *h = d->p->graph[SIDE_DIST];
  const Relation *r = d->p->relation;
  for (uint32_t i = 0; i < r->n_inputs; i++) {
    int64_t seq = r->inputs[i].seq, dist = r->inputs[i].dist;
    if (seq < 0 || dist < 0 || (size_t)seq >= g->params.len || (size_t)dist >= h->params.len) continue;
    if (g->params.at[seq] != NO_NODE && h->params.at[dist] != NO_NODE)
      note_crossed(d, &r->inputs[i], g->params.at[seq], h->params.at[dist]);
  }
  for (uint32_t i = 0; i < r->n_outputs; i++)
    note_crossed(d, &r->outputs[i], g->outputs.at[r->outputs[i].seq].node, h->outputs.at[r->outputs[i].dist].node);
}

bool digits_any_crossed(const Digits *d) { return d->crossed; }

bool digits_crossed(const Digits *d, NodeId seq, uint32_t dim) {
  DigitList l = digits_dim(d, SIDE_SEQ, seq, dim);
  return d->crossed && l.n && d->crossed[l.first];
}

/* The parts are the first dims, so the digits of the mesh are the first digits, in the same order. */
uint32_t digits_mesh_sort(const Digits *d, uint32_t digit) { return cuts_digit_sorts(d->cuts)[digit]; }
const MeshDigits *digits_mesh(const Digits *d) { return d->mesh; }

bool digits_position(const Digits *d, NodeId node, MeshList *out) {
  const Instance *in = d->p->instance[SIDE_DIST][node];
  return position_of(d, in ? in->groups : NULL, out);
}

DigitStats digits_stats(const Digits *d) {
  CutStats s = cuts_stats(d->cuts);
  return (DigitStats){d->n_dims, s.n_distinct, s.n_equations, s.n_steps, s.n_refused, s.n_digits, s.n_sorts};
}
