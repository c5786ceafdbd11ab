/* Nodes of both graphs, in order, as values. */
#include "eval/exact/closed.h"
#include "eval/graph/padding.h"
#include "eval/terms/build_access.h"

#include <string.h>

enum {
  MAX_CASES = 64,
  /* Where haste is asked for: steps of the distributed graph, per step of the sequential one and per node, but always
   * so many; and from how many on a value is costly.  Right graphs hardly ever take as many. */
  HASTE = 2,
  HASTE_NODE = 2,
  HASTE_LEAST = 9000,
  COSTLY = 64
};

Name build_dim_name(Build *b, Side side, NodeId node, uint32_t dim, uint32_t digit) {
  return calculus_name(b->calc, NAME_DIM, dim, digit, digits_dim(b->digits, side, node, dim).size[digit]);
}

/* ------------------------------------------------------------------ literals */
void build_note_reading(Build *b, Reading r) {
  for (size_t i = 0; i < b->readings.len; i++)
    if (b->readings.at[i].literal == r.literal && b->readings.at[i].root == r.root) return;
  vec_push(&b->readings, r);
}

static Rat read_literal(Build *b, Rat v, DType type) {
  Rat r = literal_read(v, type, b->options.literals);
  if (r != v) build_note_reading(b, (Reading){v, r, 1});
  return r;
}

static Value number(Build *b, Rat v) {
  if (v == RAT_NEG_INF) return value_neginf(b->calc);
  if (v == RAT_POS_INF) return value_neg(value_neginf(b->calc));
  if (v == RAT_NAN) return calc_leaf(b->calc, sym("not a number"), NULL, NULL, NULL, 0, (LeafInfo){.partial = true});
  return value_num(v);
}

static Value literal(Build *b, Rat v, DType type) {
  Rat of;
  bool known = b->options.literals == LITERALS_EXACT || !rat_is_finite(v) || literal_is_mask(v, type);
  if (known) return number(b, read_literal(b, v, type));
  Rat factor;
  if (literal_is_root_of_2_over_pi(v, type, &factor)) {
    Value pi = calc_fn(b->calc, sym("atan2"), (Value[]){value_num(RAT_0), value_num(RAT_INT(-1))}, 2);
    Value square = calc_mul2(b->calc, value_num(RAT_INT(2)), calc_pow(b->calc, pi, RAT_INT(-1)));
    Value r = calc_pow(b->calc, square, rat_frac(1, 2));
    build_note_reading(b, (Reading){v, rat_mul(RAT_INT(2), rat_mul(factor, factor)), BUILD_OVER_PI});
    return value_scale(rat_sign(v) < 0 ? rat_neg(factor) : factor, r);
  }
  uint32_t root = literal_read_root(v, type, &of);
  int log_2 = root ? 0 : literal_read_log_2(v, type, &of);
  if (!root && !log_2) return number(b, read_literal(b, v, type));
  build_note_reading(b, (Reading){v, of, root ? root : log_2 > 0 ? BUILD_TIMES_LOG_2 : BUILD_OVER_LOG_2});
  Value r = calc_pow(b->calc, value_num(of), rat_frac(1, root ? root : 2));
  if (log_2) {
    Value log = calc_fn(b->calc, sym("log"), (Value[]){value_num(RAT_INT(2))}, 1);
    r = calc_mul2(b->calc, r, calc_pow(b->calc, log, rat_int(log_2)));
  }
  return rat_sign(v) < 0 ? value_neg(r) : r;
}

Slots build_slots(Build *b, Side side, NodeId id) {
  const Node *node = &b->problem->graph[side]->nodes.at[id];
  Slots s = {0};
  for (uint32_t d = 0; d < node->rank; d++) s.n += digits_dim(b->digits, side, id, d).n;
  s.names = ARENA_ARRAY(&b->arena, Name, s.n);
  s.sizes = ARENA_ARRAY(&b->arena, int64_t, s.n);
  s.sorts = ARENA_ARRAY(&b->arena, Sort, s.n);
  uint32_t k = 0;
  for (uint32_t d = 0; d < node->rank; d++) {
    DigitList l = digits_dim(b->digits, side, id, d);
    for (uint32_t j = 0; j < l.n; j++, k++) {
      s.names[k] = calculus_name(b->calc, NAME_DIM, d, j, l.size[j]);
      s.sizes[k] = l.size[j];
      s.sorts[k] = l.sort[j] + 1;
    }
  }
  return s;
}

static Value build_constant(Build *b, Side side, NodeId id) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  const Literal *l = n->literal;
  if (!l)
    return calc_leaf(b->calc, sym(arena_printf(&b->arena, "constant %d %u", side, id)), NULL, NULL, NULL, 0,
                     (LeafInfo){0});
  if (!l->n) return VALUE_ZERO; /* of no element: any value is that of all */
  bool splat = l->kind == LIT_SPLAT;
  for (uint64_t i = 1; !splat && i < l->n && l->values[i] == l->values[0]; i++) splat = i + 1 == l->n;
  if (splat || l->n == 1) return literal(b, l->values[0], n->dtype);
  Rat *v = ARENA_ARRAY(&b->arena, Rat, l->n);
  for (uint64_t i = 0; i < l->n; i++) v[i] = read_literal(b, l->values[i], n->dtype);
  Slots s = build_slots(b, side, id);
  return calc_table(b->calc, v, l->n, s.names, s.sizes, s.n, !dtype_is_float(n->dtype));
}

/* ------------------------------------------------------------------ parameters */
/* Where dimension d of a block of the own device lies in the sequential tensor; *total: the size of all blocks. */
static Form block_position(Build *b, NodeId dist, const Layout *lay, uint32_t d, int64_t *total) {
  const MeshDigits *md = digits_mesh(b->digits);
  DigitList l = digits_dim(b->digits, SIDE_DIST, dist, d);
  Name *names = ARENA_ARRAY(&b->arena, Name, l.n + 1);
  for (uint32_t j = 0; j < l.n; j++) names[j] = calculus_name(b->calc, NAME_DIM, d, j, l.size[j]);
  Form f = access_digits(&b->arena, &l, names, 1);
  *total = b->problem->graph[SIDE_DIST]->nodes.at[dist].dims[d];
  for (uint32_t k = lay->dims[d].n; k-- > 0;) {
    uint32_t first, n = meshdigits_axis(md, lay->dims[d].axes[k], &first);
    for (uint32_t j = n; j-- > 0; *total *= meshdigits_get(md, first + j)->size) {
      FormTerm t = {*total, b->mesh_names[first + j]};
      f = access_add(&b->arena, f, (Form){0, 1, &t});
    }
  }
  return f;
}

enum { WHOLE = 1 << 16 }; /* the number of no digit */

/* Dimension d of a parameter as one index, whatever its digits. */
static Name whole_name(Build *b, uint32_t d, int64_t size) { return calculus_name(b->calc, NAME_DIM, d, WHOLE, size); }

/* The value of the sequential tensor at the block of the own device: what the layout says.  Dimensions that are `whole`
 * (NULL: none) have one name in `v`. */
static bool through_layout(Build *b, NodeId seq, NodeId dist, const Layout *lay, const bool *whole, Value v, Value *out) {
  const Node *sn = &b->problem->graph[SIDE_SEQ]->nodes.at[seq];
  Subst s = {0};
  Lookup across = {0};
  bool ok = true;
  for (uint32_t d = 0; d < sn->rank; d++) {
    DigitList ls = digits_dim(b->digits, SIDE_SEQ, seq, d);
    Name *ns = ARENA_ARRAY(&b->arena, Name, ls.n + 1), *to = ARENA_ARRAY(&b->arena, Name, ls.n + 1);
    for (uint32_t j = 0; j < ls.n; j++) ns[j] = calculus_name(b->calc, NAME_DIM, d, j, ls.size[j]);
    int64_t total;
    Form f = block_position(b, dist, lay, d, &total);
    if (whole && whole[d]) {
      Name from = whole_name(b, d, sn->dims[d]);
      subst_put(&s, from, calculus_form(b->calc, f));
    } else if (digits_any_crossed(b->digits) && digits_cross(b->digits, seq, dist, lay, d) &&
               access_bind(b, &across, &ls, to)) {
      for (uint32_t j = 0; j < ls.n; j++) subst_put(&s, ns[j], to[j]);
      Value at = access_value(b, access_digits(&b->arena, &ls, to, 1));
      vec_push(&across.guards, calc_cmp(b->calc, CMP_EQ, at, access_value(b, f)));
    } else if (!access_match(b, &ls, ns, f, ls.flat, &s)) {
      access_ask(b, SIDE_SEQ, seq, d);
      access_ask(b, SIDE_DIST, dist, d);
      ok = false;
    }
  }
  if (ok) *out = access_looked_up(b, &across, calc_rename(b->calc, v, &s));
  else vec_free(&across.guards);
  return ok;
}

/* 1 within the sequential tensor, 0 on the padding of its last blocks: what stands there is nobody's business. */
static Value within_layout(Build *b, NodeId seq, NodeId dist, const Layout *lay) {
  const Node *sn = &b->problem->graph[SIDE_SEQ]->nodes.at[seq];
  Value all = VALUE_ONE;
  for (uint32_t d = 0; d < sn->rank; d++) {
    int64_t total;
    Form f = block_position(b, dist, lay, d, &total);
    if (total > sn->dims[d])
      all = calc_mul2(b->calc, all, calc_cmp(b->calc, CMP_LT, access_value(b, f), value_num(rat_int(sn->dims[d]))));
  }
  return all;
}

static Value own_leaf(Build *b, Side side, NodeId id, const char *prefix) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  Slots s = build_slots(b, side, id);
  Name *names = ARENA_ARRAY(&b->arena, Name, s.n + b->n_mesh);
  int64_t *sizes = ARENA_ARRAY(&b->arena, int64_t, s.n + b->n_mesh);
  memcpy(names, s.names, s.n * sizeof *names);
  memcpy(sizes, s.sizes, s.n * sizeof *sizes);
  uint32_t k = s.n;
  if (side == SIDE_DIST)
    for (uint32_t i = 0; i < b->n_mesh; i++, k++) {
      names[k] = b->mesh_names[i];
      sizes[k] = meshdigits_get(digits_mesh(b->digits), i)->size;
    }
  long long number = n->op == sym("parameter") ? (long long)n->param : (long long)id;
  Sym name = sym(arena_printf(&b->arena, "%s%lld", prefix, number));
  bool integer = dtype_is_whole((DType)n->dtype);
  return calc_leaf(b->calc, name, names, sizes, NULL, k, (LeafInfo){.integer = integer});
}

/* A value within the sequential tensor, and whatever it is on the padding, which is *padding then. */
static Value with_padding(Build *b, NodeId seq, NodeId dist, const Layout *lay, Value v, const char *prefix,
                          Value *padding) {
  Value inside = within_layout(b, seq, dist, lay);
  if (value_same(inside, VALUE_ONE)) return v;
  *padding = own_leaf(b, SIDE_DIST, dist, prefix);
  return calc_select(b->calc, inside, v, *padding);
}

static LeafInfo info_of(const Related *r, const Node *n) {
  LeafInfo i = {.integer = dtype_kind(n->dtype) == DK_INT || dtype_kind(n->dtype) == DK_UINT ||
                           dtype_kind(n->dtype) == DK_BOOL || related_whole(r)};
  if (dtype_kind(n->dtype) == DK_BOOL) return (LeafInfo){.integer = true, .has_range = true, .lo = RAT_0, .hi = RAT_1};
  int bits = n->dtype == DT_U8 ? 8 : n->dtype == DT_U16 ? 16 : n->dtype == DT_U32 ? 32 : 0;
  Hull h = related_hull(r);
  i.has_lo = h.has_lo, i.has_range = h.has_lo && h.has_hi;
  i.lo = h.lo, i.hi = h.hi;
  if (!i.has_range && bits) /* as its type does */
    i.has_range = true, i.lo = RAT_0, i.hi = rat_int((INT64_C(1) << bits) - 1);
  i.has_gap = i.has_range && related_gap(r, &i.gap_lo, &i.gap_hi);
  if (!i.has_gap && i.integer && i.has_range && i.lo == RAT_NEG1) /* below zero there is one value: no label */
    i.has_gap = true, i.gap_lo = i.lo, i.gap_hi = RAT_0;
  return i;
}

enum { MAX_ADDEND_DIGITS = 64 }; /* a digit is 2 or more, devices are counted in 64 bits */

/* Fresh indices, bound in place of the mesh digits over which the devices hold addends; how many they are. */
static uint32_t addend_digits(Build *b, const Layout *l, Name *bound, Subst *s) {
  uint32_t n = 0;
  const MeshDigits *md = digits_mesh(b->digits);
  for (uint32_t i = 0; i < l->n_partial; i++) {
    uint32_t first, m = meshdigits_axis(md, l->partial[i], &first);
    for (uint32_t j = 0; j < m && n < MAX_ADDEND_DIGITS; j++) {
      bound[n] = calculus_fresh(b->calc, meshdigits_get(md, first + j)->size);
      subst_put(s, b->mesh_names[first + j], bound[n++]);
    }
  }
  return n;
}

/* A parameter whose distributed values are addends: the sequential one is their sum. */
static void partial_parameter(Build *b, const Related *r, NodeId seq, NodeId dist) {
  Value d = own_leaf(b, SIDE_DIST, dist, "partial input ");
  b->value[SIDE_DIST][dist] = d;
  Name bound[MAX_ADDEND_DIGITS];
  Subst s = {0};
  uint32_t n = addend_digits(b, &r->layout, bound, &s);
  const MeshDigits *md = digits_mesh(b->digits);
  /* blocks back to the whole: mesh digits that cut become major digits */
  const Node *sn = &b->problem->graph[SIDE_SEQ]->nodes.at[seq];
  bool ok = true;
  for (uint32_t k = 0; k < sn->rank && ok; k++) {
    DigitList ls = digits_dim(b->digits, SIDE_SEQ, seq, k), ld = digits_dim(b->digits, SIDE_DIST, dist, k);
    uint32_t j = 0;
    for (uint32_t a = 0; a < r->layout.dims[k].n; a++) {
      uint32_t first, m = meshdigits_axis(md, r->layout.dims[k].axes[a], &first);
      for (uint32_t i = 0; i < m && ok; i++, j++) {
        ok = j < ls.n && ls.size[j] == meshdigits_get(md, first + i)->size;
        if (ok) subst_put(&s, b->mesh_names[first + i], calculus_name(b->calc, NAME_DIM, k, j, ls.size[j]));
      }
    }
    for (uint32_t i = 0; i < ld.n && ok; i++, j++) {
      ok = j < ls.n && ls.size[j] == ld.size[i];
      if (!ok || i == j) continue;
      Name from = calculus_name(b->calc, NAME_DIM, k, i, ld.size[i]);
      subst_put(&s, from, calculus_name(b->calc, NAME_DIM, k, j, ls.size[j]));
    }
    ok = ok && j == ls.n;
  }
  b->value[SIDE_SEQ][seq] =
      ok ? calc_sum(b->calc, bound, n, calc_rename(b->calc, d, &s)) : own_leaf(b, SIDE_SEQ, seq, "seq parameter ");
}

/* Different parameters must be different leaves: a name that two of them have, or that looks like one made here (those
 * have spaces), is not used. */
static Sym leaf_name(Build *b, const Related *r) {
  const Relation *rel = b->problem->relation;
  bool own = r->name && !strchr(sym_text(r->name), ' ');
  for (uint32_t i = 0; i < rel->n_inputs && own; i++)
    own = rel->inputs[i].name != r->name || rel->inputs[i].seq == r->seq;
  return own ? r->name : sym(arena_printf(&b->arena, "parameter %lld", (long long)r->seq));
}

/* Dimensions of a sequential parameter that are cut in two ways; NULL: none. */
static bool *whole_dims(Build *b, NodeId seq) {
  uint32_t rank = b->problem->graph[SIDE_SEQ]->nodes.at[seq].rank;
  bool *whole = ARENA_ARRAY(&b->arena, bool, rank + 1u), any = false;
  for (uint32_t d = 0; d < rank; d++) any |= whole[d] = digits_crossed(b->digits, seq, d);
  return any ? whole : NULL;
}

/* The leaf of a parameter, whose dimensions that are `whole` have one name; *v: its value.  padded: some block of it is. */
static Value parameter_leaf(Build *b, const Related *r, NodeId seq, const bool *whole, bool padded, Value *v) {
  const Node *n = &b->problem->graph[SIDE_SEQ]->nodes.at[seq];
  Slots k = build_slots(b, SIDE_SEQ, seq);
  Subst s = {0};
  uint32_t m = 0, at = 0;
  for (uint32_t d = 0; d < n->rank; d++) {
    DigitList l = digits_dim(b->digits, SIDE_SEQ, seq, d);
    if (whole && whole[d]) {
      Name name = whole_name(b, d, n->dims[d]);
      subst_put(&s, name, calculus_form(b->calc, access_digits(&b->arena, &l, k.names + at, 1)));
      at += l.n;
      k.names[m] = name, k.sizes[m] = n->dims[d], k.sorts[m++] = 0;
    } else {
      for (uint32_t j = 0; j < l.n; j++, at++, m++)
        k.names[m] = k.names[at], k.sizes[m] = k.sizes[at], k.sorts[m] = k.sorts[at];
    }
  }
  LeafInfo info = info_of(r, n);
  info.unpadded = !padded;
  Value leaf = calc_leaf(b->calc, leaf_name(b, r), k.names, k.sizes, k.sorts, m, info);
  *v = calc_rename(b->calc, leaf, &s);
  return leaf;
}

static void build_parameters(Build *b) {
  const Graph *sg = b->problem->graph[SIDE_SEQ], *dg = b->problem->graph[SIDE_DIST];
  bool *have = ARENA_ARRAY(&b->arena, bool, sg->params.len), *had = ARENA_ARRAY(&b->arena, bool, dg->params.len);
  b->whole = ARENA_ARRAY(&b->arena, bool *, sg->params.len + 1);
  b->leaf = ARENA_ARRAY(&b->arena, Value, sg->params.len + 1);
  b->padding = ARENA_ARRAY(&b->arena, Value, b->problem->relation->n_inputs + 1);
  b->way_padding = ARENA_ARRAY(&b->arena, Value, b->problem->waypoints ? b->problem->waypoints->n + 1u : 1);
  const bool *padding = padding_differs(b->problem->relation, sg, dg, &b->arena);
  const bool *padded = padding_of(b->problem->relation, sg, dg, &b->arena);
  for (uint32_t i = 0; i < b->problem->relation->n_inputs; i++) {
    const Related *r = &b->problem->relation->inputs[i];
    if (r->seq < 0 || r->dist < 0 || (size_t)r->seq >= sg->params.len || (size_t)r->dist >= dg->params.len) continue;
    NodeId s = sg->params.at[r->seq], d = dg->params.at[r->dist];
    if (s == NO_NODE || d == NO_NODE) continue;
    had[r->dist] = true;
    if (r->layout.n_partial && !have[r->seq]) {
      have[r->seq] = true;
      partial_parameter(b, r, s, d);
      b->leaf[r->seq] = b->value[SIDE_SEQ][s];
      continue;
    }
    if (!have[r->seq]) {
      have[r->seq] = true;
      b->whole[r->seq] = whole_dims(b, s);
      b->leaf[r->seq] = parameter_leaf(b, r, s, b->whole[r->seq], padded[r->seq], &b->value[SIDE_SEQ][s]);
    }
    bool partial = r->layout.n_partial > 0; /* the parameter has its value from another input */
    if (partial || !through_layout(b, s, d, &r->layout, b->whole[r->seq], b->leaf[r->seq], &b->value[SIDE_DIST][d])) {
      b->why_opaque[SIDE_DIST][d] =
          partial ? "addends of a parameter that is related twice" : "a layout that cannot be read in digits";
      b->value[SIDE_DIST][d] = b->padding[i] = own_leaf(b, SIDE_DIST, d, "dist parameter ");
    } else if (padding[i]) {
      Value v = value_scale(related_factor(r), b->value[SIDE_DIST][d]);
      b->value[SIDE_DIST][d] = with_padding(b, s, d, &r->layout, v, "padding of input ", &b->padding[i]);
    } else {
      b->value[SIDE_DIST][d] = value_scale(related_factor(r), b->value[SIDE_DIST][d]);
    }
  }
  for (size_t i = 0; i < sg->params.len; i++)
    if (!have[i] && sg->params.at[i] != NO_NODE)
      b->value[SIDE_SEQ][sg->params.at[i]] = b->leaf[i] = own_leaf(b, SIDE_SEQ, sg->params.at[i], "seq parameter ");
  for (size_t i = 0; i < dg->params.len; i++)
    if (!had[i] && dg->params.at[i] != NO_NODE)
      b->value[SIDE_DIST][dg->params.at[i]] = own_leaf(b, SIDE_DIST, dg->params.at[i], "dist parameter ");
}

/* ------------------------------------------------------------------ operators */
static Value build_equation(Build *b, Side side, NodeId id, const Instance *in, bool looks_up, const char **failed) {
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  Scope s = {.b = b, .side = side, .id = id, .node = n, .in = in, .looks_up = looks_up};
  s.var = ARENA_ARRAY(&b->arena, Form, in->n_vars);
  s.digits = ARENA_ARRAY(&b->arena, DigitList, in->n_vars);
  s.memo = ARENA_ARRAY(&b->arena, Value, in->n_x);
  s.done = ARENA_ARRAY(&b->arena, bool, in->n_x);
  s.regular = side == SIDE_DIST && digits_position(b->digits, id, &s.position);
  build_bind(&s);
  Value v = s.failed ? VALUE_ZERO : build_expression(&s, in->body);
  v = build_unbind(&s, v);
  vec_free(&s.majors);
  *failed = s.failed;
  return v;
}

/* The number of the one that is this value; n: none. */
static uint32_t waypoint_at(const Waypoints *w, NodeId dist) {
  uint32_t i = 0;
  while (i < w->n && w->at[i].dist != dist) i++;
  return i;
}

static bool is_left(const Build *b, Side side, const Node *n) {
  bool left = false;
  for (uint32_t k = 0; k < n->n_args && side == SIDE_DIST; k++) left |= build_is_costly(b, n->args[k]);
  return left;
}

static Value open_node(Build *b, Side side, NodeId id) {
  const Waypoints *ways = side == SIDE_DIST ? b->problem->waypoints : NULL;
  uint32_t way = ways ? waypoint_at(ways, id) : 0;
  const Waypoint *w = ways && way < ways->n ? &ways->at[way] : NULL;
  Value known;
  if (w && through_layout(b, w->seq, id, &w->layout, NULL, b->value[SIDE_SEQ][w->seq], &known))
    return with_padding(b, w->seq, id, &w->layout, value_scale(w->factor, known), "padding of value ",
                        &b->way_padding[way]);
  const Node *n = &b->problem->graph[side]->nodes.at[id];
  const Instance *in = b->problem->instance[side][id];
  if (n->literal || (in && !in->opaque && in->body == NO_X)) return build_constant(b, side, id);
  if (node_elements(n) == 1 && dtype_kind(n->dtype) != DK_FLOAT && n->rank == 0) {
    const int64_t *v = coord_value(b->problem->coord[side], id);
    if (v && side == SIDE_SEQ) return value_num(rat_int(v[0]));
    if (v) return build_by_device(b, v, dtype_kind(n->dtype) == DK_BOOL);
  }
  const char *why = in ? in->why_opaque : "no meaning for these shapes";
  if (is_left(b, side, n)) {
    b->costly[id] = true;
    b->n_left++;
    why = "made from values that took too many steps";
  } else if (in && !in->opaque) {
    size_t asked = b->asks.len;
    Value v;
    if (build_closed(b, side, id, false, &v)) return v;
    v = build_equation(b, side, id, in, false, &why);
    if (!why) return v;
    if (build_closed(b, side, id, true, &v)) {
      b->asks.len = asked; /* what it asked for is not needed */
      return v;
    }
    v = build_equation(b, side, id, in, true, &why);
    if (!why) return v;
    const Attr *own = node_attr(n, sym("why"));
    if (own) why = sym_text(own->s);
  }
  b->why_opaque[side][id] = why ? why : "no definition";
  return build_opaque(b, side, id, in);
}

static Value build_node(Build *b, Side side, NodeId id) {
  Value v = open_node(b, side, id);
  if (!b->sealed[side] || !b->sealed[side][id]) return v;
  Value one = {RAT_1, v.ref};
  return value_scale(v.k, calc_seal(b->calc, one));
}

/* ------------------------------------------------------------------ digits written out */
static Value *case_at(Build *b, uint32_t k, NodeId id) {
  return &b->at[(size_t)k * b->problem->graph[SIDE_DIST]->nodes.len + id];
}

/* Mesh digits at case k; the product of their point predicates. */
static Value case_names(Build *b, uint32_t k, Subst *s) {
  Value p = VALUE_ONE;
  for (uint32_t i = b->n_mesh; i-- > 0;) {
    if (!b->written[i]) continue;
    int64_t size = meshdigits_get(digits_mesh(b->digits), i)->size, at = k % size;
    k /= (uint32_t)size;
    if (s) subst_put(s, b->mesh_names[i], name_const(at));
    Value index = calc_idx(b->calc, b->mesh_names[i], size);
    p = calc_mul2(b->calc, p, calc_cmp(b->calc, CMP_EQ, index, value_num(rat_int(at))));
  }
  return p;
}

static void spread_cases(Build *b, NodeId id) {
  for (uint32_t k = 0; k < b->n_cases; k++) {
    Subst s = {0};
    case_names(b, k, &s);
    *case_at(b, k, id) = calc_rename(b->calc, b->value[SIDE_DIST][id], &s);
  }
}

/* The value over the digits again: one's own case. */
static void join_cases(Build *b, NodeId id) {
  b->apart[id] = false;
  bool same = true;
  for (uint32_t k = 1; k < b->n_cases; k++) same &= value_same(*case_at(b, k, id), *case_at(b, 0, id));
  if (same) {
    b->value[SIDE_DIST][id] = *case_at(b, 0, id);
    return;
  }
  Value *all = ARENA_ARRAY(&b->arena, Value, b->n_cases);
  for (uint32_t k = 0; k < b->n_cases; k++) all[k] = calc_mul2(b->calc, case_names(b, k, NULL), *case_at(b, k, id));
  b->value[SIDE_DIST][id] = calc_add(b->calc, all, b->n_cases);
}

/* Most values are used case by case only: they are joined when someone asks. */
Value build_value(Build *b, Side side, NodeId id) {
  if (side == SIDE_DIST && b->n_cases && b->apart[id]) join_cases(b, id);
  return b->value[side][id];
}

/* A distributed node whose mesh digits are written out: what reads other devices, or depends on the device itself, is
 * built over the digits and taken at each case; everything else is built from each case of its operands. */
static void build_cases(Build *b, NodeId id) {
  const Node *n = &b->problem->graph[SIDE_DIST]->nodes.at[id];
  bool crosses = !n->n_args || coord_value(b->problem->coord[SIDE_DIST], id);
  for (uint32_t i = 0; i < n->n_attrs; i++)
    crosses |= n->attrs[i].kind == ATTR_GROUPS || n->attrs[i].kind == ATTR_PAIRS;
  if (crosses) {
    for (uint32_t j = 0; j < n->n_args; j++) build_value(b, SIDE_DIST, n->args[j]);
    b->value[SIDE_DIST][id] = build_node(b, SIDE_DIST, id);
    spread_cases(b, id);
    return;
  }
  Value *whole = ARENA_ARRAY(&b->arena, Value, n->n_args);
  for (uint32_t j = 0; j < n->n_args; j++) whole[j] = b->value[SIDE_DIST][n->args[j]];
  for (uint32_t k = 0; k < b->n_cases; k++) {
    bool as_before = k > 0;
    for (uint32_t j = 0; j < n->n_args; j++) {
      b->value[SIDE_DIST][n->args[j]] = *case_at(b, k, n->args[j]);
      as_before = as_before && value_same(*case_at(b, k, n->args[j]), *case_at(b, k - 1, n->args[j]));
    }
    *case_at(b, k, id) = as_before ? *case_at(b, k - 1, id) : build_node(b, SIDE_DIST, id);
    if (calculus_exhausted(b->calc)) break;
  }
  for (uint32_t j = 0; j < n->n_args; j++) b->value[SIDE_DIST][n->args[j]] = whole[j];
  b->apart[id] = !calculus_exhausted(b->calc); /* else cases are missing */
}

static bool build_side(Build *b, Side side) {
  const Graph *g = b->problem->graph[side];
  uint64_t begun = calculus_stats(b->calc).steps, most = HASTE * (begun + HASTE_NODE * (uint64_t)g->nodes.len);
  if (most < HASTE_LEAST) most = HASTE_LEAST;
  for (NodeId id = 0; id < g->nodes.len; id++) {
    if (g->nodes.at[id].op == sym("parameter")) continue;
    ArenaMark m = arena_mark(&b->arena);
    uint64_t before = calculus_stats(b->calc).steps;
    calculus_scope(b->calc);
    if (side == SIDE_DIST && b->n_cases)
      build_cases(b, id);
    else
      b->value[side][id] = build_node(b, side, id);
    arena_reset(&b->arena, m);
    if (calculus_exhausted(b->calc)) return false;
    uint64_t now = calculus_stats(b->calc).steps;
    if (b->costly && side == SIDE_DIST && now - begun > most && now - before > COSTLY) b->costly[id] = true;
  }
  closed_forget(b->problem->closed[side]);
  return true;
}

/* Nodes that no output depends on (cut.h) have some value. */
static void build_left_out(Build *b) {
  Value some = VALUE_ZERO;
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId i = 0; i < b->problem->graph[side]->nodes.len; i++) {
      const Node *n = &b->problem->graph[side]->nodes.at[i];
      if (!cut_left_out(n)) continue;
      if (value_is_num(some)) some = calc_leaf(b->calc, sym("left out"), NULL, NULL, NULL, 0, (LeafInfo){0});
      b->value[side][i] = some;
    }
}

void build_run(Build *b, bool *complete) {
  const MeshDigits *md = digits_mesh(b->digits);
  b->n_mesh = meshdigits_count(md);
  b->mesh_names = ARENA_ARRAY(&b->arena, Name, b->n_mesh);
  for (uint32_t i = 0; i < b->n_mesh; i++)
    b->mesh_names[i] = calculus_name(b->calc, NAME_MESH, i, 0, meshdigits_get(md, i)->size);
  for (int side = 0; side < SIDE_COUNT; side++) {
    b->value[side] = ARENA_ARRAY(&b->arena, Value, b->problem->graph[side]->nodes.len);
    b->why_opaque[side] = ARENA_ARRAY(&b->arena, const char *, b->problem->graph[side]->nodes.len);
  }
  calculus_scope(b->calc);
  build_left_out(b);
  build_parameters(b);
  const Graph *dg = b->problem->graph[SIDE_DIST];
  if (b->written) {
    b->n_cases = 1;
    for (uint32_t i = 0; i < b->n_mesh; i++)
      if (b->written[i]) b->n_cases *= (uint32_t)meshdigits_get(md, i)->size;
    if (b->n_cases > MAX_CASES) b->n_cases = 0;
    b->at = ARENA_ARRAY(&b->arena, Value, (size_t)b->n_cases * dg->nodes.len);
    b->apart = ARENA_ARRAY(&b->arena, bool, dg->nodes.len + 1);
    for (size_t i = 0; i < dg->params.len && b->n_cases; i++)
      if (dg->params.at[i] != NO_NODE) spread_cases(b, dg->params.at[i]);
  }
  if (b->options.hasty) b->costly = ARENA_ARRAY(&b->arena, bool, dg->nodes.len + 1);
  *complete = build_side(b, SIDE_SEQ) && build_side(b, SIDE_DIST);
}

void build_free(Build *b) {
  vec_free(&b->asks);
  vec_free(&b->readings);
  arena_free(&b->arena);
}

bool build_output(Build *b, uint32_t k, Value *want, Value *got) {
  const Related *r = &b->problem->relation->outputs[k];
  bool read = build_related(b, b->problem->graph[SIDE_SEQ]->outputs.at[r->seq].node,
                            b->problem->graph[SIDE_DIST]->outputs.at[r->dist].node, &r->layout, want, got);
  if (read) *want = value_scale(related_factor(r), *want);
  return read;
}

bool build_related(Build *b, NodeId s, NodeId d, const Layout *l, Value *want, Value *got) {
  calculus_scope(b->calc);
  *got = build_value(b, SIDE_DIST, d);
  if (!through_layout(b, s, d, l, NULL, b->value[SIDE_SEQ][s], want)) return false;
  Name bound[MAX_ADDEND_DIGITS];
  Subst sub = {0};
  uint32_t n = addend_digits(b, l, bound, &sub);
  if (n) *got = calc_sum(b->calc, bound, n, calc_rename(b->calc, *got, &sub));
  Value inside = within_layout(b, s, d, l);
  if (value_same(inside, VALUE_ONE)) return true;
  *want = calc_mul2(b->calc, inside, *want);
  *got = calc_mul2(b->calc, inside, *got);
  return true;
}
