#include "eval/witness/witness.h"

#include <inttypes.h>

#include "eval/calculus/view.h"
#include "eval/witness/witness_search.h"
#include "lang/base/clock.h"

enum { TEMP = 5000, TEMP_SCOPE = 9, DEPTH = 4000, STEP_WORK = 10 };

typedef struct Witness {
  Proof *proof;
  Calculus *c;
  Vec(ClassId) class_of;       /* by definition; NO_CLASS: not known yet */
  Vec(Sym) operators;          /* of the engine, by the checker's number - 1; 0: not met */
  Vec(DefId) def_of;           /* by class; 0: not known yet (class 0 is one, as is definition 0) */
  Vec(const uint32_t *) order; /* by class: the definition's slots as slots of the class; NULL: the same */
  Arena arena;
  uint32_t depth;
  double until; /* processor time of this thread */
  bool late;
  size_t most; /* bytes */
  bool large;
  uint8_t said; /* of the values of unknown functions */
} Witness;

enum { NOTHING, RANGES, DISTINCT };

#define NO_CLASS UINT32_MAX

static void link(Witness *w, DefId d, ClassId c) {
  while (w->class_of.len <= d) vec_push(&w->class_of, NO_CLASS);
  while (w->def_of.len <= c) {
    vec_push(&w->def_of, 0);
    vec_push(&w->order, NULL);
  }
  w->class_of.at[d] = c;
  if (!w->def_of.at[c]) w->def_of.at[c] = d;
}

/* ---- from definitions to classes */
static Name temp(Witness *w, uint32_t i, int64_t size) {
  return calculus_name(w->c, NAME_TEMP, TEMP + i, TEMP_SCOPE, size);
}

static Name name_of(Witness *w, Store *s, Label l) {
  if (label_is_const(l)) return name_const(label_value(l));
  if (label_is_form(s, l)) {
    Affine f = label_open(s, l);
    FormTerm t[256];
    for (uint32_t i = 0; i < f.n && i < 256; i++) t[i] = (FormTerm){f.t[i].k, name_of(w, s, f.t[i].l)};
    return calculus_form(w->c, (Form){f.c, f.n < 256 ? f.n : 256, t});
  }
  return temp(w, s->labels.at[l].a, s->labels.at[l].size);
}

/* A table at these names; constants are put in afterwards. */
static Value table_at(Witness *w, const Def *d, const Name *names) {
  Arena a = {0};
  Name *own = ARENA_ARRAY(&a, Name, d->n_slots + 1);
  Subst s = {0};
  uint64_t n = 1;
  bool integer = true;
  for (uint32_t i = 0; i < d->n_slots; i++) {
    own[i] = calculus_name(w->c, NAME_TEMP, TEMP + i, TEMP_SCOPE + 1, d->sizes[i]);
    subst_put(&s, own[i], names[i]);
    n *= (uint64_t)d->sizes[i];
  }
  for (uint64_t i = 0; i < n && integer; i++) integer = rat_is_finite(d->values[i]) && rat_is_int(d->values[i]);
  Value v = calc_rename(w->c, calc_table(w->c, d->values, n, own, d->sizes, d->n_slots, integer), &s);
  arena_free(&a);
  return v;
}

static bool value_of(Witness *w, Store *s, Num v, Value *out) {
  AtomInfo x = s->atoms.at[v.a];
  const Def *d = &s->defs.at[x.def];
  Name names[256];
  if (x.n > 256) return false;
  if (d->kind == DEF_AT) { /* what it reads, at forms */
    Label at[256];
    x.def = (DefId)d->attr, x.n = s->defs.at[x.def].n_slots;
    if (x.n > 256) return false;
    at_labels(s, d, x.at, at);
    for (uint32_t i = 0; i < x.n; i++) names[i] = name_of(w, s, at[i]);
    d = &s->defs.at[x.def];
  } else {
    for (uint32_t i = 0; i < x.n; i++) names[i] = name_of(w, s, x.at[i]);
  }
  if (d->kind == DEF_NEGINF) *out = value_neginf(w->c);
  else if (d->kind == DEF_ONE) *out = VALUE_ONE;
  else if (d->kind == DEF_INDEX) *out = calc_idx(w->c, names[0], d->sizes[0]);
  else if (d->kind == DEF_TABLE) *out = table_at(w, d, names);
  else if (x.def < w->class_of.len && w->class_of.at[x.def] != NO_CLASS)
    *out = view_value(w->c, w->class_of.at[x.def], names, x.n);
  else return false;
  *out = value_scale(v.k, *out);
  return true;
}

/* ---- from classes to definitions */
static Sym operator_number(const Witness *w, Sym attr) {
  for (size_t i = 0; i < w->operators.len; i++)
    if (w->operators.at[i] == attr) return (Sym)i + 1;
  return 0;
}

static bool import(Witness *w, Store *s, ClassId id, DefId *out);

static bool import_args(Witness *w, Store *s, const ClassView *v, DefArg *args) {
  for (uint32_t i = 0; i < v->n_args; i++) {
    args[i] = (DefArg){.tag = v->args[i].tag, .n = v->args[i].n, .at = v->args[i].ix};
    if (!import(w, s, v->args[i].cls, &args[i].def)) return false;
    const uint32_t *order = w->order.at[v->args[i].cls];
    int32_t *at = order ? ARENA_ARRAY(&w->arena, int32_t, v->args[i].n) : NULL;
    for (uint32_t k = 0; order && k < v->args[i].n; k++) at[k] = v->args[i].ix[order[k]];
    if (order) args[i].at = at;
  }
  return true;
}

/* A class that is read at forms; the checker puts its slots in an order of its own. */
static bool import_read(Witness *w, Store *s, ClassId id, const ClassView *v, DefId *out) {
  uint32_t n;
  ViewForm *forms;
  DefId leaf;
  ClassId base = view_at(w->c, id, &w->arena, &n, &forms);
  Label own[256], at[256];
  if (n > 256 || v->n_slots > 256 || !import(w, s, base, &leaf)) return false;
  for (uint32_t i = 0; i < v->n_slots; i++) own[i] = label_make(s, LABEL_GOAL, i, 0, v->sizes[i]);
  const uint32_t *base_order = w->order.at[base];
  for (uint32_t i = 0; i < n; i++) {
    const ViewForm *x = &forms[base_order ? base_order[i] : i];
    Affine f = {x->constant, 0, NULL};
    for (uint32_t j = 0; j < x->n; j++)
      f = form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, own[x->terms[j].slot]}}, x->terms[j].coef);
    at[i] = label_of_form(s, f, s->defs.at[leaf].sizes[i]);
  }
  Atom atom = atom_read(s, leaf, at);
  AtomInfo a = s->atoms.at[atom];
  if (a.n != v->n_slots) return false;
  uint32_t *order = ARENA_ARRAY(&w->arena, uint32_t, a.n);
  for (uint32_t i = 0; i < a.n; i++) order[i] = s->labels.at[a.at[i]].a;
  link(w, *out = a.def, id);
  w->order.at[id] = order;
  return true;
}

static bool import(Witness *w, Store *s, ClassId id, DefId *out) {
  static const uint8_t kinds[] = {
      [K_ONE] = DEF_ONE, [K_NEGINF] = DEF_NEGINF, [K_LEAF] = DEF_TABLE, [K_IDX] = DEF_INDEX,
      [K_LIN] = DEF_LIN, [K_MUL] = DEF_MUL,       [K_RED] = DEF_SUM,    [K_MAX] = DEF_MAX,
      [K_CMP] = DEF_LT,  [K_SEL] = DEF_SELECT,    [K_FN] = DEF_FN,      [K_OP] = DEF_OPAQUE};
  if (id < w->def_of.len && (w->def_of.at[id] || id == 0)) return *out = w->def_of.at[id], true;
  ClassView v = view_class(w->c, id);
  if (v.kind == K_AT) return import_read(w, s, id, &v, out);
  if ((v.kind == K_LEAF && !v.values) || w->depth > DEPTH) return false;
  Arena a = {0};
  Def d = {.kind = kinds[v.kind], .n_slots = v.n_slots, .n_bound = v.n_bound, .n_args = v.n_args, .sizes = v.sizes};
  if (v.kind == K_CMP && v.attr == CMP_EQ) d.kind = DEF_EQ;
  if (v.kind == K_FN) d.fn = v.attr;
  if (v.kind == K_OP) d.fn = operator_number(w, v.attr);
  DefArg *args = ARENA_ARRAY(&a, DefArg, v.n_args + 1);
  d.args = args;
  w->depth++;
  bool ok = import_args(w, s, &v, args);
  w->depth--;
  if (ok) {
    if (v.kind == K_IDX) *out = def_index(s, v.sizes[0]);
    else if (v.kind == K_LEAF) *out = def_table(s, v.values, v.sizes, v.n_slots);
    else *out = v.kind == K_NEGINF ? 1 : def_add(s, d);
    uint32_t *turn = ARENA_ARRAY(&a, uint32_t, v.n_slots + 1);
    for (uint32_t i = 0; i < v.n_sym; i++) {
      for (uint32_t k = 0; k < v.n_slots; k++) turn[k] = v.sym[i].at[k];
      def_symmetry(s, *out, turn);
    }
    link(w, *out, id);
  }
  arena_free(&a);
  return ok;
}

static bool num_of_value(Witness *w, Store *s, Value v, Num *out) {
  DefId d;
  const Name *names;
  uint32_t n = value_names(w->c, v, &names);
  Label at[256];
  if (v.k == RAT_0) return *out = num(RAT_0), true;
  if (n > 256 || !import(w, s, value_class(w->c, v), &d)) return false;
  n = value_names(w->c, v, &names);
  const uint32_t *order = w->order.at[value_class(w->c, v)];
  for (uint32_t i = 0; i < n; i++) {
    Name own = names[order ? order[i] : i];
    if (name_is_const(own)) {
      at[i] = LABEL_CONST | name_value(own);
      continue;
    }
    const NameInfo *info = calculus_name_info(w->c, own);
    if (info->kind == NAME_DIM) at[i] = label_make(s, LABEL_DIM, info->a, info->b, info->size);
    else if (info->kind == NAME_MESH) at[i] = label_make(s, LABEL_MESH, info->a, 0, info->size);
    else if (info->kind == NAME_TEMP && info->b == TEMP_SCOPE)
      at[i] = label_make(s, LABEL_GOAL, info->a - TEMP, 0, info->size);
    else return false;
  }
  *out = (Num){v.k, atom_make(s, d, at, n)};
  return true;
}

/* ---- answers */
/* A table of whole numbers over the digits of the mesh is what the engine makes of a vector by device. */
static bool by_device(Witness *w, Store *s, Num table, Value *out) {
  const Build *b = &w->proof->build;
  const MeshDigits *md = digits_mesh(b->digits);
  AtomInfo x = s->atoms.at[table.a];
  const Def *d = &s->defs.at[x.def];
  int64_t n = b->problem->relation->mesh.n_devices, total = 1, *v = ARENA_ARRAY(&w->arena, int64_t, n);
  bool truth = true;
  if (d->kind != DEF_TABLE || d->n_slots != b->n_mesh || d->n_slots > 64) return false;
  Subst t = {0};
  for (uint32_t i = 0; i < d->n_slots; i++) {
    if (label_is_const(x.at[i]) || calculus_name_info(w->c, b->mesh_names[i])->size != d->sizes[i]) return false;
    subst_put(&t, b->mesh_names[i], name_of(w, s, x.at[i]));
    total *= d->sizes[i];
  }
  if (total != n) return false;
  for (int64_t k = 0; k < n; k++) {
    int64_t at = 0;
    for (uint32_t i = 0; i < d->n_slots; i++) at = at * d->sizes[i] + meshdigits_value(md, i, k);
    if (!rat_to_int(d->values[at], &v[k])) return false;
    truth &= v[k] == 0 || v[k] == 1;
  }
  *out = calc_rename(w->c, build_by_device((Build *)b, v, truth), &t);
  return true;
}

/* The engine names an unknown operator by a text of its own; the checker by a number: whoever is met first has it. */
static bool unknown(Witness *w, Store *s, const Goal *g, const Value *v, const Name *bound, Value *out) {
  uint32_t n_out = 0;
  Name produced[192];
  for (uint32_t i = 0; i < g->n; i++) n_out += g->items[i].tag == RAT_0;
  if (n_out > 192 || !g->fn) return false;
  for (uint32_t i = 0; i < n_out; i++) produced[i] = name_of(w, s, s->atoms.at[g->items[g->n - n_out + i].v.a].at[0]);
  while (w->operators.len < g->fn) vec_push(&w->operators, 0);
  if (!w->operators.at[g->fn - 1]) {
    char text[64];
    static const char *const said[] = {"plain ", "", "distinct "};
    snprintf(text, sizeof text, "%soperator %u", said[w->said], g->fn);
    w->operators.at[g->fn - 1] = sym(text);
  }
  int64_t whole = s->whole.at[g->fn - 1];
  LeafInfo info = {.integer = whole != NOT_WHOLE, .lo = RAT_0, .hi = rat_int(whole - 1)};
  info.has_range = whole > 0;
  info.distinct = whole > 0 && w->said == DISTINCT;
  *out = calc_opaque(w->c, w->operators.at[g->fn - 1], v, g->n - n_out, bound, g->n_bound, produced, n_out, info);
  return true;
}

static bool answer(void *context, Store *s, const Goal *g, Num *out) {
  Witness *w = context;
  Calculus *c = w->c;
  Arena a = {0};
  Value *v = ARENA_ARRAY(&a, Value, g->n + 1), r = VALUE_ZERO;
  Name *bound = ARENA_ARRAY(&a, Name, g->n_bound + 1);
  w->late |= (w->until > 0 && clock_spent() > w->until) || calculus_exhausted(c);
  w->large |= w->most && s->arena.used + s->scratch.used + calculus_stats(c).memory > w->most;
  bool ok = !w->late && !w->large;
  CalculusStats was = calculus_stats(c);
  calculus_scope(c);
  for (uint32_t i = 0; i < g->n && ok; i++) ok = value_of(w, s, g->items[i].v, &v[i]);
  for (uint32_t i = 0; i < g->n_bound; i++) bound[i] = name_of(w, s, g->bound[i]);
  for (uint32_t i = 0; i < g->n && ok && g->op == GOAL_MUL; i++) v[i] = calc_pow(c, v[i], g->items[i].tag);
  if (ok && g->op == GOAL_OPAQUE) {
    ok = unknown(w, s, g, v, bound, &r) && num_of_value(w, s, r, out);
  } else if (ok) {
    switch (g->op) {
      case GOAL_ADD: r = calc_add(c, v, g->n); break;
      case GOAL_MUL: r = calc_mul(c, v, g->n); break;
      case GOAL_SUM: r = calc_sum(c, bound, g->n_bound, v[0]); break;
      case GOAL_MAX: r = calc_max(c, v, g->n, bound, g->n_bound); break;
      case GOAL_LT: r = calc_cmp(c, CMP_LT, v[0], VALUE_ZERO); break;
      case GOAL_EQ: r = calc_cmp(c, CMP_EQ, v[0], VALUE_ZERO); break;
      case GOAL_SELECT: r = calc_select(c, v[0], v[1], v[2]); break;
      case GOAL_FN: r = calc_fn(c, g->fn, v, g->n); break;
      default:
        if (g->op != GOAL_SAME || !by_device(w, s, g->items[0].v, &r)) r = v[0];
    }
    ok = !calculus_exhausted(c) && num_of_value(w, s, r, out);
  }
  s->work += STEP_WORK * (calculus_stats(c).steps - was.steps + calculus_stats(c).walked - was.walked);
  arena_free(&a);
  return ok;
}

static bool value(void *context, Store *s, uint32_t side, NodeId node, Num *out) {
  Witness *w = context;
  return num_of_value(w, s, build_value(&w->proof->build, (Side)side, node), out);
}

static bool spent(void *context) {
  const Witness *w = context;
  return w->late || w->large;
}

/* ---- a part of a certificate for each proof */
static void cuts_of(const Proof *proof, Arena *a, Part *part) {
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = part->problem.graph[side];
    part->dims[side] = ARENA_ARRAY(a, const Cuts *, g->nodes.len + 1);
    part->restated[side] = ARENA_ARRAY(a, bool, g->nodes.len + 1);
    part->sealed[side] = ARENA_ARRAY(a, bool, g->nodes.len + 1);
    if (proof->build.sealed[side]) memcpy(part->sealed[side], proof->build.sealed[side], g->nodes.len * sizeof(bool));
    for (NodeId id = 0; id < g->nodes.len; id++) {
      if (cut_left_out(&g->nodes.at[id])) {
        part->dims[side][id] = certificate_cuts(g, part->dims[side], id, a);
        continue;
      }
      Cuts *c = ARENA_ARRAY(a, Cuts, g->nodes.at[id].rank + 1);
      for (uint32_t d = 0; d < g->nodes.at[id].rank; d++) {
        DigitList l = digits_dim(proof->digits, (Side)side, id, d);
        c[d] = (Cuts){l.n, arena_copy(a, l.size, l.n * sizeof *l.size)};
      }
      part->dims[side][id] = c;
    }
  }
  part->one = proof->build.whole;
  const MeshDigits *md = digits_mesh(proof->digits);
  const Mesh *mesh = &proof->problem.relation->mesh;
  Cuts *axes = ARENA_ARRAY(a, Cuts, mesh->n_axes + 1);
  for (uint32_t x = 0; x < mesh->n_axes; x++) {
    uint32_t first, n = meshdigits_axis(md, x, &first);
    int64_t *size = ARENA_ARRAY(a, int64_t, n + 1);
    for (uint32_t j = 0; j < n; j++) size[j] = meshdigits_get(md, first + j)->size;
    axes[x] = (Cuts){n, size};
  }
  part->axes = axes;
  part->written = ARENA_ARRAY(a, bool, meshdigits_count(md) + 1);
  for (uint32_t i = 0; i < meshdigits_count(md) && proof->build.written; i++) part->written[i] = proof->build.written[i];
  Rounding *readings = ARENA_ARRAY(a, Rounding, proof->build.readings.len + 1);
  part->readings = readings;
  for (size_t k = 0; k < 2 * proof->build.readings.len; k++) { /* roots are last */
    const Reading *r = &proof->build.readings.at[k % proof->build.readings.len];
    if ((r->root != 1) != (k >= proof->build.readings.len)) continue;
    Rounding *x = &readings[part->n_readings++];
    *x = (Rounding){r->literal, r->read, r->root};
    if (x->root != 1 && rat_sign(r->literal) < 0) x->read = rat_neg(x->read);
  }
}

/* What stands in the padding of a value on the way that the engine did not read. */
static Value padding_of(Witness *w, const Part *part, uint32_t way) {
  const Def *d = &part->store->defs.at[part->way_padding[way]];
  Name *own = ARENA_ARRAY(&w->arena, Name, d->n_slots + 1);
  for (uint32_t i = 0; i < d->n_slots; i++) own[i] = temp(w, i, d->sizes[i]);
  Sym name = sym(arena_printf(&w->arena, "padding on the way %u", part->cut.ways.at[way].dist));
  return calc_leaf(w->c, name, own, d->sizes, NULL, d->n_slots, (LeafInfo){0});
}

/* Looks for the steps. */
static bool fill(Witness *w, Part *part, bool flat, CertifyResult *result) {
  part->store = xcalloc(1, sizeof *part->store);
  store_init(part->store);
  certify_inputs(part);
  link(w, ATOM_ONE, value_class(w->c, VALUE_ONE));
  link(w, ATOM_NEGINF, value_class(w->c, value_neginf(w->c)));
  const Graph *g = part->problem.graph[SIDE_SEQ];
  for (size_t k = 0; k < g->params.len; k++)
    if (g->params.at[k] != NO_NODE)
      link(w, 2 + (DefId)k, value_class(w->c, w->proof->build.leaf[k]));
  link(w, 2 + (DefId)g->params.len,
       value_class(w->c, calc_leaf(w->c, sym("not a number"), NULL, NULL, NULL, 0, (LeafInfo){0})));
  for (uint32_t i = 0; i < part->problem.relation->n_inputs; i++) {
    Value padding = w->proof->build.padding[i];
    if (part->padding[i] && !value_is_num(padding)) link(w, part->padding[i], value_class(w->c, padding));
  }
  for (uint32_t i = 0; i < part->cut.ways.n; i++) {
    Value padding = w->proof->build.way_padding[i];
    if (part->way_padding[i])
      link(w, part->way_padding[i], value_class(w->c, value_is_num(padding) ? padding_of(w, part, i) : padding));
  }
  witness_search(part, &(Engine){w, flat, answer, value, spent, w->said == NOTHING}, result);
  vec_free(&w->class_of);
  vec_free(&w->def_of);
  vec_free(&w->order);
  vec_free(&w->operators);
  return result->holds;
}

static void forget(Part *part) {
  store_free(part->store);
  free(part->store);
  part->steps.len = 0;
  for (int side = 0; side < SIDE_COUNT; side++)
    memset(part->restated[side], 0, (part->problem.graph[side]->nodes.len + 1) * sizeof(bool));
}

/* Of outputs, or of what the cut claims. */
static void make_part(Proof *proof, const CertifyProblem *p, Certificate *cert, const Cut *cut, const uint32_t *outputs,
                      uint32_t n, WitnessLimits limits) {
  Part *part = &cert->parts[cert->n_parts++];
  Witness w = {.proof = proof, .c = proof->calc};
  double seconds = limits.seconds;
  part->outputs = arena_copy(&cert->arena, outputs, n * sizeof *outputs);
  part->n_outputs = n;
  part->cut = *cut;
  certify_cut(p, part, &cert->arena);
  cuts_of(proof, &cert->arena, part);
  /* Most proofs are flat, and a few are found sooner where depth does not matter; most need no roots of literals. */
  static const struct {
    bool flat, roots;
    uint8_t said;
  } ways[] = {{true, false, RANGES}, {true, false, DISTINCT}, {true, false, NOTHING}, {false, false, RANGES},
              {false, true, RANGES}};
  enum { WAYS = sizeof ways / sizeof *ways };
  double end = clock_spent() + seconds;
  CertifyResult result = {0};
  uint32_t all = part->n_readings, plain = 0;
  while (plain < all && part->readings[plain].root == 1) plain++;
  bool roots = plain < all, wholes = false, places = false; /* there are some to leave out */
  for (int i = 0; i < WAYS && !result.holds; i++) {
    for (size_t k = 0; i == 1 && k < part->store->whole.len; k++)
      wholes |= part->store->whole.at[k] != NOT_WHOLE, places |= part->store->whole.at[k] > 0;
    if ((ways[i].said == DISTINCT && !places) || (ways[i].said == NOTHING && !wholes)) continue;
    if (i == WAYS - 1 && !wholes && !roots) continue;
    if (i) forget(part);
    certify_result_free(&result);
    result = (CertifyResult){0};
    bool last = i == WAYS - 1 || (i == WAYS - 2 && !wholes && !roots);
    double now = clock_spent();
    w.until = seconds <= 0 ? 0 : !i ? now + seconds / 2 : last ? end : now + (end - now) * 3 / 4;
    w.late = w.large = false;
    w.most = limits.megabytes ? calculus_stats(w.c).memory + (limits.megabytes << 20) : 0;
    view_renew(w.c, 6 * seconds); /* by the clock */
    part->n_readings = ways[i].roots ? all : plain;
    w.said = ways[i].said;
    fill(&w, part, ways[i].flat, &result);
  }
  if (!result.holds && w.late)
    cert->beyond = arena_printf(&cert->arena, "%s, within %g s (--certificate-seconds)", result.why, seconds);
  else if (!result.holds && w.large)
    cert->beyond = arena_printf(&cert->arena, "%s, within %" PRIu64 " megabytes (--certificate-megabytes)", result.why,
                                limits.megabytes);
  else if (!result.holds) cert->beyond = arena_printf(&cert->arena, "%s", result.why ? result.why : "");
  else if (witness_too_long(part))
    cert->beyond = arena_printf(&cert->arena, "a sum of more than %u terms", witness_too_long(part));
  certify_result_free(&result);
  arena_free(&w.arena);
}

/* The outputs of `proof`, which may be about some only, as positions in the relation. */
static uint32_t proved_by(const CheckReport *r, const Proof *proof, bool *done, uint32_t *out) {
  const Relation *all = r->problem->relation, *own = proof->problem.relation;
  uint32_t n = 0;
  for (uint32_t i = 0; i < own->n_outputs; i++) {
    if (!proof->outputs[i].proved) continue;
    for (uint32_t k = 0; k < all->n_outputs; k++)
      if (!done[k] && all->outputs[k].seq == own->outputs[i].seq && all->outputs[k].dist == own->outputs[i].dist) {
        done[k] = true;
        out[n++] = k;
        break;
      }
  }
  return n;
}

static Waypoints renumbered(const Waypoints *w, const uint32_t *number, Arena *a) {
  if (!w || !w->n) return (Waypoints){0};
  Waypoint *at = arena_copy(a, w->at, w->n * sizeof *at);
  for (uint32_t i = 0; i < w->n; i++) at[i].number = number[at[i].number];
  return (Waypoints){w->n, at};
}

Certificate *witness_make(const CheckReport *r, const CertifyProblem *p, WitnessLimits limits) {
  Certificate *cert = xcalloc(1, sizeof *cert);
  Arena *a = &cert->arena;
  bool *done = ARENA_ARRAY(a, bool, r->n_outputs + 1);
  uint32_t *outputs = ARENA_ARRAY(a, uint32_t, r->n_outputs + 1);
  Proof *proofs[2] = {r->proof, r->searched};
  const Waypoints *ways = r->searched ? r->searched->problem.waypoints : NULL;
  size_t n_stages = ways && ways->n ? r->stages.at.len : 0;
  cert->parts = ARENA_ARRAY(a, Part, 2 + n_stages);
  if (r->assuming && r->assuming->n_proved) cert->beyond = "the verdict rests on equalities that rules assume";
  uint32_t *number = ARENA_ARRAY(a, uint32_t, r->stages.n_claims + 1), n_claims = 0; /* claims as they are read */
  for (size_t i = 0; i < n_stages && !cert->beyond; i++) {
    const Stage *s = &r->stages.at.at[i];
    Cut cut = {renumbered(&s->cut.inputs, number, a), renumbered(&s->cut.ways, number, a), s->cut.claims};
    for (uint32_t k = 0; k < s->cut.claims.n; k++) number[s->cut.claims.at[k].number] = n_claims++;
    make_part(s->proof, p, cert, &cut, NULL, 0, limits);
  }
  for (int i = 0; i < 2 && !cert->beyond; i++) {
    uint32_t n = proofs[i] ? proved_by(r, proofs[i], done, outputs) : 0;
    if (n) make_part(proofs[i], p, cert, &(Cut){.ways = renumbered(i ? ways : NULL, number, a)}, outputs, n, limits);
  }
  return cert;
}
