/* The walk: both graphs in order, every operator by its definition, and the outputs compared as the relation says. */
#include "certify/walk.h"

#include "eval/graph/padding.h"

/* ---- forms */
/* Splits off the last digit of a form that is not negative: f = size * returned label + *minor. */
static Label form_split(Store *s, Affine f, int64_t size, Affine *minor, Majors *majors) {
  Label p = label_fresh(s, (form_end(s, f) - 1) / size + 1);
  *minor = form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, p}}, -size);
  vec_push(majors, (Major){p, *minor, size});
  return p;
}

/* From the minor digit up: what is below the next stride, as a form within the digit; or what is longer, split: a whole
 * index into even parts, or anything.  What is left at the end is a multiple of the whole: nothing, wherever the index is
 * in range. */
bool form_read(Store *s, Affine f, const Cuts *c, FormAt form, bool uneven, Label *out, Majors *majors) {
  const Affine whole = f;
  int64_t stride = 1;
  bool single = c->n == 1 && form, read = true;
  for (uint32_t j = c->n; j-- > 0 && read;) {
    int64_t next = stride * c->size[j];
    Affine low = {(f.c % next + next) % next / stride, 0, SCRATCH(s, struct AffineTerm, f.n)};
    read = f.c % stride == 0;
    for (uint32_t i = 0; i < f.n && read; i++) {
      read = f.t[i].k % stride == 0;
      if (f.t[i].k % next) low.t[low.n++] = (struct AffineTerm){f.t[i].k / stride, f.t[i].l};
    }
    f = form_add(s, f, low, -stride);
    int64_t end = form_end(s, low);
    bool even = low.n == 1 && low.t[0].k == 1 && !low.c && end % c->size[j] == 0, splits = !single && form != FORM_FIRST;
    if (read && splits && end > c->size[j] && (even || (uneven && end < INT64_MAX >> 16))) {
      Label p = form_split(s, low, c->size[j], &low, majors);
      f = form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, p}}, next);
    } else {
      read = read && (form_inside(s, low, c->size[j]) || (form == FORM_FIRST && !single && !j));
    }
    out[j] = label_of_form(s, low, c->size[j]);
    stride = next;
  }
  if (!read && single) out[0] = label_of_form(s, whole, c->size[0]);
  return read || single;
}

Num without_majors(Walk *w, Num v, Majors *majors, size_t first) {
  Replay *p = w->p;
  while (majors->len > first && !p->failed) {
    Major m = vec_pop(majors);
    if (!atom_has(p->s, v.a, m.p)) continue;
    Num e = form_num(p, m.minor), all[3] = {goal_not(p, goal_less(p, e))};
    all[1] = goal_less(p, goal_subtract(p, e, num(rat_int(m.size))));
    all[2] = v;
    v = goal_sum(p, &m.p, 1, goal_mul_all(p, all, 3));
  }
  return v;
}

Label dim_label(Walk *w, uint32_t dim, uint32_t digit, int64_t size) {
  return label_make(w->p->s, LABEL_DIM, dim, digit, size);
}

uint32_t node_digits(Walk *w, uint32_t side, NodeId id, Label *at, int64_t *size) {
  uint32_t k = 0;
  for (uint32_t d = 0; d < walk_node(w, side, id)->rank; d++) {
    const Cuts *c = &w->part->dims[side][id][d];
    for (uint32_t j = 0; j < c->n && k < MOST_NODE_DIGITS; j++, k++) at[k] = dim_label(w, d, j, size[k] = c->size[j]);
  }
  return k;
}

/* ---- the mesh */
Num on_devices(Walk *w, const Subst *here, Num v) {
  Num *f = SCRATCH(w->p->s, Num, here->n + 1);
  for (uint32_t i = 0; i < here->n; i++)
    f[i] = goal_equal(w->p,
                      form_num(w->p, (Affine){-label_value(here->to[i]), 1, &(struct AffineTerm){1, here->from[i]}}));
  f[here->n] = v;
  return goal_mul_all(w->p, f, here->n + 1);
}

static bool read_mesh(Walk *w) {
  const Mesh *m = &w->problem->relation->mesh;
  for (uint32_t a = 0; a < m->n_axes; a++) w->n_mesh += w->part->axes[a].n;
  w->mesh = ARENA_ARRAY(&w->arena, Label, w->n_mesh + 1);
  w->digit = ARENA_ARRAY(&w->arena, int64_t, w->n_mesh * m->n_devices + 1);
  int64_t *at = ARENA_ARRAY(&w->arena, int64_t, m->n_axes + 1);
  uint32_t k = 0;
  for (uint32_t a = 0; a < m->n_axes; a++)
    for (uint32_t j = 0; j < w->part->axes[a].n; j++, k++)
      w->mesh[k] = label_make(w->p->s, LABEL_MESH, k, 0, w->part->axes[a].size[j]);
  for (int64_t d = 0; d < m->n_devices; d++) {
    mesh_coordinate(m, d, at);
    for (uint32_t a = m->n_axes, i = w->n_mesh; a-- > 0;)
      for (uint32_t j = w->part->axes[a].n; j-- > 0; at[a] /= w->part->axes[a].size[j])
        w->digit[d * w->n_mesh + --i] = at[a] % w->part->axes[a].size[j];
  }
  return true;
}

int64_t walk_place(const Walk *w, int64_t device) {
  int64_t at = 0;
  for (uint32_t i = 0; i < w->n_mesh; i++) at = at * label_size(w->p->s, w->mesh[i]) + w->digit[device * w->n_mesh + i];
  return at;
}

/* The number of one's own device: a table over the digits of the mesh. */
Num walk_device(Walk *w) {
  int64_t n = w->problem->relation->mesh.n_devices, *size = SCRATCH(w->p->s, int64_t, w->n_mesh + 1);
  Rat *number = ARENA_ARRAY(&w->p->s->arena, Rat, n);
  if (n == 1) return num(RAT_0);
  for (uint32_t i = 0; i < w->n_mesh; i++) size[i] = label_size(w->p->s, w->mesh[i]);
  for (int64_t d = 0; d < n; d++) number[walk_place(w, d)] = rat_int(d);
  DefId table = def_table(w->p->s, number, size, w->n_mesh);
  return goal_restate(w->p, num_of(atom_make(w->p->s, table, w->mesh, w->n_mesh)));
}

/* ---- the relation */
/* The mesh digits of an axis. */
static const Label *axis_digits(const Walk *w, uint32_t axis) {
  const Label *l = w->mesh;
  for (uint32_t a = 0; a < axis; a++) l += w->part->axes[a].n;
  return l;
}

/* A dimension of an input as one index. */
static Label one_label(Walk *w, uint32_t d, int64_t size) { return dim_label(w, d, 1 << 16, size); }

static const char not_in_digits[] = "a layout that is not read in digits";

/* The sequential value at the block of one's own device, where dimensions that are `one` (NULL: none) have one label;
 * *inside: 1 but in the padding of the last blocks.  Where the digits are none of the blocks, a place is looked up. */
static bool at_block(Walk *w, NodeId seq, NodeId dist, const Layout *lay, const bool *one, Num v, Num *out, Num *inside) {
  Store *s = w->p->s;
  Num *f_up = SCRATCH(s, Num, walk_node(w, 0, seq)->rank + 1u);
  Label up[64];
  uint32_t n_factors = 0, n_up = 0;
  const Node *sn = walk_node(w, 0, seq), *dn = walk_node(w, 1, dist);
  Subst t = {0};
  *inside = num(RAT_1);
  if (lay->rank != sn->rank || sn->rank != dn->rank) return goal_fail(w->p, "a layout of another rank");
  for (uint32_t d = 0; d < sn->rank; d++) {
    const Cuts *cs = &w->part->dims[0][seq][d], *cd = &w->part->dims[1][dist][d];
    Label l[64], to[64];
    int64_t stride = dn->dims[d];
    if (cs->n > 64 || cd->n > 64) return goal_fail(w->p, "too many digits");
    for (uint32_t j = 0; j < cd->n; j++) l[j] = dim_label(w, d, j, cd->size[j]);
    Affine f = form_digits(s, l, cd->n);
    for (uint32_t k = lay->dims[d].n; k-- > 0;) {
      uint32_t axis = lay->dims[d].axes[k];
      f = form_add(s, f, form_digits(s, axis_digits(w, axis), w->part->axes[axis].n), stride);
      stride *= w->problem->relation->mesh.axes[axis].size;
    }
    if (stride < sn->dims[d]) return goal_fail(w->p, "blocks that are too small");
    if (stride > sn->dims[d]) {
      Num e = goal_less(w->p, form_num(w->p, form_add(s, f, (Affine){-sn->dims[d], 0, NULL}, 1)));
      *inside = goal_mul2(w->p, *inside, e);
    }
    if (one && one[d]) {
      Label from = one_label(w, d, sn->dims[d]);
      goal_put(&t, from, label_of_form(s, f, sn->dims[d]));
      continue;
    }
    if (!form_read(s, f, cs, FORM_FIRST, false, to, NULL)) {
      if (stride > sn->dims[d] || n_up + cs->n > 64) return goal_fail(w->p, not_in_digits);
      for (uint32_t j = 0; j < cs->n; j++) up[n_up++] = to[j] = label_fresh(s, cs->size[j]);
      f_up[n_factors++] = goal_equal(w->p, form_num(w->p, form_add(s, form_digits(s, to, cs->n), f, -1)));
    }
    for (uint32_t j = 0; j < cs->n; j++)
      if (!goal_put(&t, dim_label(w, d, j, cs->size[j]), to[j])) return goal_fail(w->p, "too many digits");
  }
  f_up[n_factors++] = goal_substitute(w->p, v, &t);
  *out = n_up ? goal_sum(w->p, up, n_up, goal_mul_all(w->p, f_up, n_factors)) : *f_up;
  return !w->p->failed;
}

void certify_cut(const CertifyProblem *p, Part *part, Arena *a) {
  part->problem = *p;
  if (!part->cut.inputs.n && !part->cut.ways.n && !part->cut.claims.n) return;
  cut_pair(&part->cut, part->problem.graph, &part->problem.relation, a);
  if (!part->cut.claims.n) return;
  uint32_t *all = ARENA_ARRAY(a, uint32_t, part->n_outputs = part->cut.claims.n);
  for (uint32_t k = 0; k < part->n_outputs; k++) all[k] = k;
  part->outputs = all;
}

/* What stands in the padding of a value's blocks, where copies differ in it or it is computed: any number, at each position
 * of the block on each device. */
static DefId add_padding(Part *part, NodeId id) {
  const CertifyProblem *p = &part->problem;
  if (id >= p->graph[1]->nodes.len) return 0;
  const Node *n = &p->graph[1]->nodes.at[id];
  bool whole = dtype_is_int((DType)n->dtype) || dtype_kind(n->dtype) == DK_BOOL;
  int64_t size[MOST_NODE_DIGITS];
  Def d = {.kind = DEF_INPUT, .attr = -2 - (int64_t)id, .sizes = size, .flags = whole ? IS_INT : 0};
  for (uint32_t i = 0; i < n->rank + p->relation->mesh.n_axes; i++) {
    const Cuts *c = i < n->rank ? &part->dims[1][id][i] : &part->axes[i - n->rank];
    for (uint32_t j = 0; j < c->n && d.n_slots < MOST_NODE_DIGITS; j++) size[d.n_slots++] = c->size[j];
  }
  return def_add(part->store, d);
}

/* Definition 2 + k is sequential parameter k; behind them stand what is no number, and paddings. */
void certify_inputs(Part *part) {
  const CertifyProblem *p = &part->problem;
  const Graph *g = p->graph[0];
  const bool *padded = padding_of(p->relation, g, p->graph[1], &part->store->arena);
  for (size_t k = 0; k < g->params.len; k++) {
    NodeId id = g->params.at[k];
    int64_t size[256];
    Def d = {.kind = DEF_INPUT, .attr = (int64_t)k, .sizes = size};
    const Node *n = id == NO_NODE ? NULL : &g->nodes.at[id];
    for (uint32_t i = 0; n && i < n->rank; i++) {
      bool one = part->one[k] && part->one[k][i];
      const Cuts whole = {1, &n->dims[i]}, *c = one ? &whole : &part->dims[0][id][i];
      for (uint32_t j = 0; j < c->n && d.n_slots < 256; j++) size[d.n_slots++] = c->size[j];
    }
    DKind kind = n ? dtype_kind(n->dtype) : DK_OTHER;
    if (kind == DK_INT || kind == DK_UINT || kind == DK_BOOL) d.flags |= IS_INT;
    if (kind == DK_BOOL) d.range = range_from(RAT_0, RAT_1);
    if (!padded[k]) d.flags |= UNPADDED;
    if (kind == DK_UINT && dtype_bits(n->dtype) <= 32) /* as its type does */
      d.range = range_from(RAT_0, rat_int((INT64_C(1) << dtype_bits(n->dtype)) - 1));
    for (uint32_t i = 0; i < p->relation->n_inputs && kind != DK_BOOL; i++) {
      const Related *r = &p->relation->inputs[i];
      if (r->seq != (int64_t)k) continue;
      Hull h = related_hull(r);
      d.range = range_meet(d.range, (Range){h.has_lo, h.has_hi, h.lo, h.hi});
      if (related_whole(r)) d.flags |= IS_INT;
      if (related_gap(r, &d.gap_lo, &d.gap_hi)) d.flags |= HAS_GAP;
      break;
    }
    def_add(part->store, d);
  }
  def_add(part->store, (Def){.kind = DEF_INPUT, .attr = -1});
  part->differs = padding_differs(p->relation, g, p->graph[1], &part->store->arena);
  part->padding = ARENA_ARRAY(&part->store->arena, DefId, p->relation->n_inputs + 1);
  for (uint32_t i = 0; i < p->relation->n_inputs; i++)
    if (padding_in(p->relation, &p->relation->inputs[i], g, p->graph[1]))
      part->padding[i] = add_padding(part, p->graph[1]->params.at[p->relation->inputs[i].dist]);
  part->way_padding = ARENA_ARRAY(&part->store->arena, DefId, part->cut.ways.n + 1);
  for (uint32_t i = 0; i < part->cut.ways.n; i++)
    if (!waypoint_is_even(&part->cut.ways.at[i], p->graph, &p->relation->mesh))
      part->way_padding[i] = add_padding(part, part->cut.ways.at[i].dist);
  part->n_given = (DefId)part->store->defs.len;
}

/* The value of a sequential parameter, and at labels of whole dimensions where it is read so. */
static Num input(Walk *w, uint32_t k, NodeId id, Num *value) {
  Store *s = w->p->s;
  const bool *one = w->part->one[k];
  const Node *n = walk_node(w, 0, id);
  Label own[MOST_NODE_DIGITS], at[MOST_NODE_DIGITS];
  int64_t size[MOST_NODE_DIGITS];
  uint32_t n_own = node_digits(w, 0, id, own, size), m = 0, j = 0;
  Subst t = {0};
  for (uint32_t d = 0; d < n->rank; d++) {
    uint32_t first = j, cuts = w->part->dims[0][id][d].n;
    if (one && one[d]) at[m] = one_label(w, d, n->dims[d]);
    for (; j < n_own && j < first + cuts; j++)
      if (!(one && one[d])) at[m++] = own[j];
    if (one && one[d]) goal_put(&t, at[m++], label_of_form(s, form_digits(s, own + first, j - first), n->dims[d]));
  }
  Num v = num_of(atom_make(s, 2 + (DefId)k, at, m));
  *value = one ? goal_substitute(w->p, v, &t) : v;
  return v;
}

/* The padding of a distributed value, on one's own device. */
static Num padding(Walk *w, NodeId id, DefId def) {
  Label at[2 * MOST_NODE_DIGITS];
  int64_t size[MOST_NODE_DIGITS];
  uint32_t n = node_digits(w, 1, id, at, size);
  for (uint32_t i = 0; i < w->n_mesh && n < MOST_NODE_DIGITS; i++) at[n++] = w->mesh[i];
  return num_of(atom_make(w->p->s, def, at, n));
}

static bool inputs(Walk *w) {
  const CertifyProblem *q = w->problem;
  Num *leaf = ARENA_ARRAY(&w->arena, Num, q->graph[0]->params.len + 1);
  for (size_t k = 0; k < q->graph[0]->params.len; k++) {
    NodeId id = q->graph[0]->params.at[k];
    if (id == NO_NODE) continue;
    leaf[k] = input(w, (uint32_t)k, id, &w->value[0][id]);
  }
  bool *had = ARENA_ARRAY(&w->arena, bool, q->graph[1]->params.len + 1);
  for (uint32_t i = 0; i < q->relation->n_inputs; i++) {
    const Related *r = &q->relation->inputs[i];
    if (r->seq < 0 || r->dist < 0 || (size_t)r->seq >= q->graph[0]->params.len ||
        (size_t)r->dist >= q->graph[1]->params.len)
      continue;
    NodeId s = q->graph[0]->params.at[r->seq], d = q->graph[1]->params.at[r->dist];
    if (s == NO_NODE || d == NO_NODE) continue;
    if (r->layout.n_partial) return goal_fail(w->p, "inputs that are addends");
    had[r->dist] = true;
    Num inside, *value = &w->value[1][d];
    DefId own = w->part->padding[i];
    bool read = at_block(w, s, d, &r->layout, w->part->one[r->seq], leaf[r->seq], value, &inside);
    if (!read && (!own || w->p->why != not_in_digits)) return false;
    w->p->failed = false;
    *value = read ? num_scale(related_factor(r), *value) : padding(w, d, own);
    if (read && w->part->differs[i]) *value = goal_choose(w->p, inside, *value, padding(w, d, own));
  }
  for (size_t k = 0; k < q->graph[1]->params.len; k++)
    if (q->graph[1]->params.at[k] != NO_NODE && !had[k]) return goal_fail(w->p, "an input without a relation");
  return true;
}

static void join(Walk *w, NodeId id);

static bool output(Walk *w, uint32_t k) {
  const CertifyProblem *q = w->problem;
  const Related *r = &q->relation->outputs[k];
  if (r->seq < 0 || r->dist < 0 || (size_t)r->seq >= q->graph[0]->outputs.len ||
      (size_t)r->dist >= q->graph[1]->outputs.len)
    return goal_fail(w->p, "an output that is not there");
  NodeId s = q->graph[0]->outputs.at[r->seq].node, d = q->graph[1]->outputs.at[r->dist].node;
  if (!node_elements(&q->graph[0]->nodes.at[s]) && !node_elements(&q->graph[1]->nodes.at[d])) return true;
  join(w, d);
  Num want, inside, got = w->value[1][d];
  if (!at_block(w, s, d, &r->layout, NULL, w->value[0][s], &want, &inside)) return false;
  want = num_scale(related_factor(r), want);
  Label bound[64];
  uint32_t n = 0;
  Subst t = {0};
  for (uint32_t i = 0; i < r->layout.n_partial; i++) {
    const Label *l = axis_digits(w, r->layout.partial[i]);
    for (uint32_t j = 0; j < w->part->axes[r->layout.partial[i]].n; j++, n++) {
      if (n == 64) return goal_fail(w->p, "too many digits");
      goal_put(&t, l[j], bound[n] = label_fresh(w->p->s, label_size(w->p->s, l[j])));
    }
  }
  if (n) got = goal_sum(w->p, bound, n, goal_substitute(w->p, got, &t));
  if (!num_same(inside, num(RAT_1))) want = goal_mul2(w->p, inside, want), got = goal_mul2(w->p, inside, got);
  return !w->p->failed && (goal_same(w->p, want, got) || goal_fail(w->p, "the two values have no common form"));
}

/* ---- nodes */
/* By Rounding.root: which root it is, of what times these powers of pi and log(2). */
static const struct {
  int64_t degree, pi, log_2;
} roots[MOST_ROOT + 1] = {{0}, {1}, {2}, {3}, {4}, {2, -1, 0}, {2, 0, 2}, {2, 0, -2}};

/* What |read| is a power of rounds to the literal v; both have one sign. */
bool reading_rounds(const Rounding *r, Rat v, DType type) {
  int bits = type == DT_F64 ? 53 : type == DT_F32 ? 24 : type == DT_F16 ? 11 : 0;
  if (!bits || rat_sign(r->read) != rat_sign(v)) return false;
  int64_t degree = roots[r->root].degree;
  Rat off = rat_pow(RAT_INT(2), 2 - bits), lo = rat_mul(rat_abs(v), rat_sub(RAT_1, off)),
      hi = rat_mul(rat_abs(v), rat_add(RAT_1, off)), is = rat_abs(r->read);
  is = rat_mul(is, rat_pow(rat_frac(3141592653589793238, 1000000000000000000), roots[r->root].pi));
  is = rat_mul(is, rat_pow(rat_frac(693147180559945309, 1000000000000000000), roots[r->root].log_2));
  return rat_cmp(rat_pow(lo, degree), is) <= 0 && rat_cmp(is, rat_pow(hi, degree)) <= 0;
}

/* What the certificate reads a rounded literal as, if that rounds to it, or a mask; NULL: as it stands. */
static const Rounding *reading(const Walk *w, Rat v, DType type) {
  for (uint32_t i = 0; i < w->part->n_readings && dtype_is_float(type); i++) {
    const Rounding *r = &w->part->readings[i];
    if (r->literal != v) continue;
    return (r->read == RAT_NEG_INF ? rat_cmp(v, RAT_INT(-1000000000)) <= 0 : reading_rounds(r, v, type)) ? r : NULL;
  }
  return NULL;
}

/* The root that a literal is read as. */
static Num root_of(Walk *w, const Rounding *r) {
  int64_t degree = roots[r->root].degree, pi = roots[r->root].pi, log_2 = roots[r->root].log_2;
  GoalItem f[2] = {{num(rat_abs(r->read)), rat_frac(1, degree)}};
  GoalItem of[2] = {{f->v, RAT_1}};
  if (pi) of[1] = (GoalItem){goal_fn(w->p, sym("atan2"), (Num[]){num(RAT_0), num(RAT_NEG1)}, 2), rat_int(pi)};
  if (pi) f->v = goal_mul(w->p, of, 2);
  if (log_2) f[1] = (GoalItem){goal_fn(w->p, sym("log"), (Num[]){num(RAT_INT(2))}, 1), rat_frac(log_2, degree)};
  return num_scale(rat_int(rat_sign(r->read)), goal_mul(w->p, f, log_2 ? 2 : 1));
}

static Num constant(Walk *w, uint32_t side, NodeId id) {
  const Node *n = walk_node(w, side, id);
  const Literal *l = n->literal;
  if (!l || !l->n) return goal_fail(w->p, "a constant without a value"), num(RAT_0);
  bool same = l->kind == LIT_SPLAT;
  for (uint64_t i = 1; !same && i < l->n && l->values[i] == l->values[0]; i++) same = i + 1 == l->n;
  if (same || l->n == 1) {
    const Rounding *r = reading(w, l->values[0], n->dtype);
    if (r && r->root != 1) return root_of(w, r);
    Rat v = r ? r->read : l->values[0];
    if (v == RAT_NEG_INF) return num_of(ATOM_NEGINF);
    if (v == RAT_POS_INF) return (Num){RAT_NEG1, ATOM_NEGINF};
    if (v == RAT_NAN) return num_of(atom_make(w->p->s, 2 + (DefId)w->problem->graph[0]->params.len, NULL, 0));
    return num(v);
  }
  /* a table over its digits */
  Store *s = w->p->s;
  Label at[MOST_NODE_DIGITS];
  int64_t size[MOST_NODE_DIGITS];
  uint32_t k = node_digits(w, side, id, at, size);
  Rat *values = ARENA_ARRAY(&s->arena, Rat, l->n);
  for (uint64_t i = 0; i < l->n; i++) {
    const Rounding *r = reading(w, l->values[i], n->dtype);
    values[i] = r && r->root == 1 ? r->read : l->values[i];
  }
  return goal_restate(w->p, num_of(atom_make(s, def_table(s, values, size, k), at, k)));
}

/* Some value is no real number, and the definition does more than move it. */
static bool outside_reals(const Walk *w, uint32_t side, const Node *n, const AstExpr *body) {
  DKind k = dtype_kind(n->dtype);
  bool outside = k == DK_COMPLEX || k == DK_OTHER;
  for (uint32_t i = 0; i < n->n_args; i++) {
    k = dtype_kind(walk_node(w, side, n->args[i])->dtype);
    outside = outside || k == DK_COMPLEX || k == DK_OTHER;
  }
  return outside && body->kind != EX_READ;
}

/* A definition that takes no account of an attribute is that of another operator. */
static bool reads_all(const Library *library, const AstItem *op, const Node *n) {
  uint32_t i = 0;
  while (i < n->n_attrs && library_reads(library, op, n->attrs[i].name)) i++;
  return i == n->n_attrs;
}

/* The value of a node by its definition. */
static Num meaning_of(Walk *w, uint32_t side, NodeId id) {
  const CertifyProblem *q = w->problem;
  const Node *n = &q->graph[side]->nodes.at[id];
  uint32_t n_ops;
  const AstItem *const *ops = library_ops(q->library, n->op, &n_ops);
  for (uint32_t i = 0; i < n_ops; i++) {
    Mean m = {.w = w, .side = side, .node = n, .at = -1, .count = -1, .each = -1};
    bool fits = reads_all(q->library, ops[i], n) && lay(&m, ops[i]);
    Num out = num(RAT_0);
    if (fits && m.op->when) {
      Val v = meaning_eval(&m, m.op->when);
      fits = !m.failed && v.is_form && !v.f.n && v.f.c;
      w->p->failed = false;
    }
    bool opaque = fits && (m.op->opaque || outside_reals(w, side, n, m.result->body));
    if (opaque) {
      out = unknown_operator(&m, n);
    } else if (fits && lay_result(&m)) {
      Val v = meaning_eval(&m, m.result->body);
      out = without_majors(w, meaning_num(&m, v), &m.majors, 0);
      vec_push(&m.places, out);
      if (m.sought.len)
        out = goal_sum(w->p, m.sought.at, (uint32_t)m.sought.len, goal_mul_all(w->p, m.places.at, (uint32_t)m.places.len));
    }
    if (m.unreadable) {
      w->p->failed = false;
      out = unknown_operator(&m, n);
    }
    vec_free(&m.env);
    vec_free(&m.majors);
    vec_free(&m.sought);
    vec_free(&m.places);
    if (fits) return out;
  }
  Mean none = {.w = w, .side = side, .node = n};
  return unknown_operator(&none, n);
}

/* ---- mesh digits written out: every device along them has values of its own */
static void case_labels(const Walk *w, uint32_t k, Subst *t) {
  t->n = 0;
  for (uint32_t i = w->n_mesh; i-- > 0;) {
    if (!w->part->written[i]) continue;
    uint32_t size = (uint32_t)label_size(w->p->s, w->mesh[i]);
    goal_put(t, w->mesh[i], LABEL_CONST | k % size);
    k /= size;
  }
}

/* The value over all devices, at each of them. */
static void spread(Walk *w, NodeId id) {
  for (uint32_t k = 0; k < w->n_cases; k++) {
    Subst t;
    case_labels(w, k, &t);
    w->at[k][id] = goal_substitute(w->p, w->value[1][id], &t);
  }
  w->joined[id] = true;
}

/* And back. */
static void join(Walk *w, NodeId id) {
  if (w->joined[id]) return;
  Num *all = SCRATCH(w->p->s, Num, w->n_cases);
  bool same = true;
  for (uint32_t k = 1; k < w->n_cases; k++) same = same && num_same(w->at[k][id], w->at[0][id]);
  for (uint32_t k = 0; k < w->n_cases && !same; k++) {
    Subst t;
    case_labels(w, k, &t);
    all[k] = on_devices(w, &t, w->at[k][id]);
  }
  w->value[1][id] = same ? w->at[0][id] : goal_add(w->p, all, w->n_cases);
  w->joined[id] = true;
}

static Num node_value(Walk *w, uint32_t side, NodeId id) {
  bool is_constant = walk_node(w, side, id)->op == sym("constant");
  if (!node_elements(walk_node(w, side, id))) /* no value is ever read */
    return num_of(atom_make(w->p->s, 2 + (DefId)w->problem->graph[0]->params.len, NULL, 0));
  Num v = is_constant ? constant(w, side, id) : meaning_of(w, side, id);
  const Def *d = def_of(w->p->s, v.a);
  bool is_sealed = d->kind == DEF_FN && d->fn == sym(SEALED);
  if (!w->part->sealed[side][id] || num_is(v) || d->kind <= DEF_AT || is_sealed) return v;
  return num_scale(v.k, goal_fn(w->p, sym(SEALED), (Num[]){num_of(v.a)}, 1));
}

/* A distributed node by cases: what reads other devices is built over all of them and taken at each. */
static void by_cases(Walk *w, NodeId id) {
  const Node *n = walk_node(w, 1, id);
  Num *whole = w->value[1];
  bool crosses = !n->n_args;
  for (uint32_t i = 0; i < n->n_attrs; i++)
    crosses |= n->attrs[i].kind == ATTR_GROUPS || n->attrs[i].kind == ATTR_PAIRS;
  for (uint32_t j = 0; j < n->n_args && crosses; j++) join(w, n->args[j]);
  if (crosses) {
    whole[id] = node_value(w, 1, id);
    return spread(w, id);
  }
  for (uint32_t k = 0; k < w->n_cases && !w->p->failed; k++) {
    w->value[1] = w->at[k];
    w->at[k][id] = node_value(w, 1, id);
  }
  w->value[1] = whole;
}

static bool begin_cases(Walk *w) {
  const Graph *g = w->problem->graph[1];
  int64_t cases = 1;
  for (uint32_t i = 0; i < w->n_mesh; i++)
    if (w->part->written[i] && !law_times(&cases, label_size(w->p->s, w->mesh[i]), MOST_CASES))
      return goal_fail(w->p, "too many devices written out");
  w->n_cases = (uint32_t)cases;
  w->at = ARENA_ARRAY(&w->arena, Num *, cases);
  w->joined = ARENA_ARRAY(&w->arena, bool, g->nodes.len + 1);
  for (int64_t k = 0; k < cases; k++)
    w->at[k] = cases == 1 ? w->value[1] : ARENA_ARRAY(&w->arena, Num, g->nodes.len + 1);
  for (size_t i = 0; i < g->params.len; i++)
    if (g->params.at[i] != NO_NODE) spread(w, g->params.at[i]);
  return !w->p->failed;
}

/* A distributed node whose value earlier parts claim to be that of a sequential one. */
static bool on_the_way(Walk *w, NodeId id) {
  const Waypoints *ways = &w->part->cut.ways;
  uint32_t i = 0;
  while (i < ways->n && ways->at[i].dist != id) i++;
  if (i == ways->n) return false;
  Num inside;
  const Waypoint *x = &ways->at[i];
  at_block(w, x->seq, id, &x->layout, NULL, w->value[0][x->seq], &w->value[1][id], &inside);
  w->value[1][id] = num_scale(x->factor, w->value[1][id]);
  if (w->part->way_padding[i]) {
    w->value[1][id] = goal_choose(w->p, inside, w->value[1][id], padding(w, id, w->part->way_padding[i]));
    goal_needs(w->p, NEEDS_NONZERO | NEEDS_FINITE); /* what is computed there is a number */
  }
  spread(w, id);
  return true;
}

/* A value that depends on indices alone may be said to be another, which has the same numbers (law `closed`). */
static void restate(Walk *w, uint32_t side, NodeId id) {
  if (w->p->oracle) w->p->oracle->restate(w, side, id);
  else if (w->part->restated[side][id]) w->value[side][id] = goal_restate(w->p, w->value[side][id]);
}

static bool graph(Walk *w, uint32_t side, CertifyResult *out) {
  const Graph *g = w->problem->graph[side];
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Node *n = &g->nodes.at[id];
    if (n->op == sym("parameter")) continue;
    ArenaMark m = arena_mark(&w->p->s->scratch);
    w->p->s->fresh = 0;
    bool said = side && on_the_way(w, id);
    if (side && !said) by_cases(w, id);
    else if (!side) w->value[0][id] = node_value(w, 0, id);
    if (!said && (!side || w->n_cases == 1)) restate(w, side, id);
    arena_reset(&w->p->s->scratch, m);
    if (!w->p->failed) continue;
    out->why = arena_printf(&out->arena, "%s of the %s graph (%s): %s", sym_text(n->name),
                            side ? "distributed" : "sequential", sym_text(n->op), w->p->why);
    return false;
  }
  return true;
}

/* A claim is about numbers: what it is about may become an input, which is one. */
static bool is_number(Walk *w, Num v) {
  const Store *s = w->p->s;
  if (num_is(v)) return rat_is_finite(v.k);
  for (size_t d = 0; d < s->defs.len; d++) {
    const Def *x = &s->defs.at[d];
    if (x->kind == DEF_FN && x->fn == sym("log")) w->p->needs |= NEEDS_FINITE;
  }
  w->p->needs |= NEEDS_NONZERO;
  return !(flags_of(s, v.a) & MAY_INF);
}

bool certify_part(Part *part, const Oracle *oracle, CertifyResult *out) {
  const CertifyProblem *q = &part->problem;
  Replay p = {.s = part->store, .steps = &part->steps, .oracle = oracle};
  Walk w = {.problem = q, .part = part, .p = &p, .out = out};
  p.walk = &w;
  for (int side = 0; side < 2; side++) w.value[side] = ARENA_ARRAY(&w.arena, Num, q->graph[side]->nodes.len + 1);
  out->holds = read_mesh(&w) && inputs(&w) && begin_cases(&w) && graph(&w, 0, out) && graph(&w, 1, out);
  for (uint32_t k = 0; k < part->n_outputs && out->holds; k++) {
    out->holds = output(&w, part->outputs[k]);
    if (out->holds && part->cut.claims.n && !is_number(&w, w.value[0][part->cut.claims.at[k].seq]))
      out->holds = goal_fail(&p, "a claim about what may be infinite");
    if (!out->holds) out->why = arena_printf(&out->arena, "output %u: %s", part->outputs[k], p.why);
  }
  if (out->holds && part->store->overflow) out->holds = goal_fail(&p, "the position of an index is too large");
  if (out->holds && p.at != part->steps.len && !oracle) out->holds = goal_fail(&p, "steps are left over");
  if (!out->holds && !out->why) out->why = arena_printf(&out->arena, "%s", p.why);
  if (!out->holds) out->step = p.step;
  out->n_steps += part->steps.len;
  index_free(&p.index);
  vec_free(&p.settled);
  vec_free(&p.log);
  vec_free(&w.unknown);
  for (size_t d = 0; d < part->store->defs.len; d++)
    if (part->store->defs.at[d].kind == DEF_FN && part->store->defs.at[d].fn == sym("exp"))
      p.needs |= NEEDS_EXP_IS_POSITIVE;
  out->needs |= p.needs | part->store->needs;
  arena_free(&p.arena);
  arena_free(&w.arena);
  return out->holds;
}

void certify_result_free(CertifyResult *r) {
  vec_free(&r->lemmas);
  arena_free(&r->arena);
}

bool certify_all(Certificate *c, CertifyResult *out) {
  const CertifyProblem *q = &c->problem;
  bool *done = ARENA_ARRAY(&out->arena, bool, q->relation->n_outputs + 1);
  out->holds = true;
  for (uint32_t i = 0; i < c->n_parts && out->holds; i++) {
    certify_part(&c->parts[i], NULL, out);
    for (uint32_t k = 0; k < c->parts[i].n_outputs && !c->parts[i].cut.claims.n; k++) done[c->parts[i].outputs[k]] = true;
  }
  for (uint32_t k = 0; k < q->relation->n_outputs && out->holds; k++)
    if (!done[k]) {
      out->holds = false;
      out->why = arena_printf(&out->arena, "output %u: the certificate does not speak of it", k);
    }
  if (out->holds && !q->relation->n_outputs) out->holds = false, out->why = "the relation names no outputs";
  return out->holds;
}
