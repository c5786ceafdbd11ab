#include "eval/prove/waypoint.h"

#include <string.h>

#include "eval/exact/laid.h"
#include "lang/base/clock.h"

enum { MOST_WASTED = 8 }; /* so little of the time is for claims that are not proved */
enum { PART_NODES = 500 }; /* of claims that come first; where no more are found, twice as many */

typedef Vec(Waypoint) WaypointList;

typedef struct Finder {
  const Problem *whole;
  const ProveOptions *options;
  const ExactRun *run;
  const Graph *run_graph[SIDE_COUNT]; /* of `run`: those of the whole, or of a smaller pair */
  const double **block; /* by device: the distributed node of_block there */
  NodeId of_block;
  Arena *arena;
  Stages *kept; /* or NULL */
  double until;
  size_t most;              /* nodes of a part .. */
  bool larger;              /* .. which some claim exceeds */
  bool padded;              /* layouts whose last blocks are padded count, once others lead nowhere */
  bool shapes;              /* claims may begin at values that are known in other shapes, once others lead nowhere */
  bool further;             /* .. or before the nearest known values */
  WaypointList found;
  Ground ground; /* what their proofs rest on */
  const char *tactics; /* that they use, or NULL */
  bool *tried[SIDE_COUNT]; /* by node: a claim about it was not proved */
  bool *depends[SIDE_COUNT]; /* .. it is computed from numbers, and not a mask of what integers say alone */
  double wasted;           /* seconds on those */
  Waypoint **claim; /* .. the claim that is made about it, or NULL */
  /* The whole, read from what is found on, and what it shows: */
  Waypoints ways;
  Proof *proof;
  bool *open, *after;  /* by distributed node: it is no sequential value; a waypoint found since comes before it */
  NodeId *same;        /* .. else the first sequential node that is of its class .. */
  NodeId *next;        /* .. and by sequential node the next one, or NO_NODE */
  WaypointList shown;  /* values with a counterpart that claims begin at */
  Vec(Stage) stages;   /* proofs of those */
} Finder;

static const Node *node_at_side(const Finder *f, int side, NodeId id) { return &f->whole->graph[side]->nodes.at[id]; }

/* The layout in which the distributed value is the sequential one, by numbers. */
static bool find_layout(Finder *f, NodeId s, NodeId d, bool padded, Waypoint *out) {
  const Mesh *mesh = &f->whole->relation->mesh;
  Laid q = {&f->run_graph[SIDE_SEQ]->nodes.at[s], &f->run_graph[SIDE_DIST]->nodes.at[d], exact_value(f->run, false, s, 0),
            f->block, mesh};
  for (int64_t i = 0; i < mesh->n_devices && f->of_block != d; i++) f->block[i] = exact_value(f->run, true, d, i);
  f->of_block = d;
  return laid_find(&q, padded, &out->layout, &out->factor, f->arena);
}

/* Values of this side's nodes may be unknowns: numbers that are computed.  Of a costly one the sequential value that it is
 * claimed to be tells. */
static bool is_cuttable(Finder *f, int side, NodeId id) {
  const Node *n = &f->proof->problem.graph[side]->nodes.at[id];
  if (!dtype_is_float((DType)n->dtype) || !n->rank || node_elements(n) < 2 || n->literal) return false;
  if (!f->depends[side][id]) return false;
  if (side == SIDE_DIST && build_is_costly(&f->proof->build, id)) return true;
  Value v = build_value(&f->proof->build, (Side)side, id);
  if (value_is_num(v) || value_conditions(f->proof->calc, v) & ASSUME_FINITE) return false;
  return f->options->literals != LITERALS_MASKS || !value_is_partial(f->proof->calc, v);
}

/* Which distributed values are no sequential value, up to a factor and the names of indices. */
static void look(Finder *f) {
  Proof *p = f->proof;
  const Graph *seq = f->whole->graph[SIDE_SEQ], *dist = f->whole->graph[SIDE_DIST];
  for (NodeId d = 0; d < dist->nodes.len; d++) build_value(&p->build, SIDE_DIST, d);
  NodeId *first = ARENA_ARRAY(f->arena, NodeId, calculus_stats(p->calc).classes + 1);
  for (NodeId s = (NodeId)seq->nodes.len; s-- > 0;) {
    NodeId *list = &first[value_class(p->calc, p->build.value[SIDE_SEQ][s])];
    f->next[s] = *list - 1; /* NO_NODE: none */
    *list = s + 1;
  }
  for (NodeId d = 0; d < dist->nodes.len; d++) {
    Value v = p->build.value[SIDE_DIST][d];
    f->same[d] = first[value_class(p->calc, v)] - 1;
    f->open[d] = f->same[d] == NO_NODE;
    f->after[d] = false;
  }
}

/* A distributed value that is computed and is this sequential one, with the layout. */
static bool is_known(Finder *f, NodeId s, NodeId d, Waypoint *out) {
  const Graph *g = f->proof->problem.graph[SIDE_DIST];
  Value want, got;
  *out = (Waypoint){.seq = s, .dist = d};
  return g->nodes.at[d].op != sym("parameter") && !f->open[d] && is_cuttable(f, SIDE_DIST, d) &&
         is_cuttable(f, SIDE_SEQ, s) &&
         (find_layout(f, out->seq, d, false, out) || (f->padded && find_layout(f, out->seq, d, true, out))) &&
         build_related(&f->proof->build, out->seq, d, &out->layout, &want, &got) &&
         value_same(value_scale(out->factor, want), got);
}

/* By sequential node: this one is computed from it, where graphs begin at the known values. */
static bool *operands_of(const Finder *f, NodeId id, const WaypointList *known) {
  const Graph *g = f->whole->graph[SIDE_SEQ];
  bool *on = ARENA_ARRAY(f->arena, bool, g->nodes.len + 1), *begins = ARENA_ARRAY(f->arena, bool, g->nodes.len + 1);
  for (size_t i = 0; i < known->len; i++) begins[known->at[i].seq] = true;
  on[id] = true, begins[id] = false;
  for (NodeId i = id + 1; i-- > 0;)
    for (uint32_t k = 0; on[i] && !begins[i] && k < g->nodes.at[i].n_args; k++) on[g->nodes.at[i].args[k]] = true;
  on[id] = false;
  return on;
}

/* What was found is known.  Of the sequential nodes that anything else is, multiples and other nodes of the same (`shapes`:
 * in another shape as well): the first that the claim is computed from, as others may be computed from that one. */
static bool find_known(Finder *f, const bool *on, NodeId d, Waypoint *out) {
  for (uint32_t k = 0; k < f->ways.n; k++)
    if (f->ways.at[k].dist == d) return *out = f->ways.at[k], true;
  if (!f->shapes && (f->open[d] || !is_known(f, f->same[d], d, out))) return false;
  bool known = !f->shapes;
  Waypoint w;
  for (NodeId s = f->open[d] ? NO_NODE : f->same[d]; s != NO_NODE && !(known && on[out->seq]); s = f->next[s])
    if ((on[s] || !known) && is_known(f, s, d, &w)) *out = w, known = true;
  return known;
}

/* The known values that the distributed value is computed from, but for those that are passed. */
static void known_below(Finder *f, const bool *on, NodeId id, const bool *passed, bool *seen, WaypointList *out) {
  const Node *n = &f->proof->problem.graph[SIDE_DIST]->nodes.at[id];
  for (uint32_t k = 0; k < n->n_args; k++) {
    Waypoint w;
    if (seen[n->args[k]]) continue;
    seen[n->args[k]] = true;
    if (!passed[n->args[k]] && find_known(f, on, n->args[k], &w)) vec_push(out, w);
    else known_below(f, on, n->args[k], passed, seen, out);
  }
}

/* Whether a value is computed from another one of those known. */
static bool is_above(Finder *f, NodeId id, const WaypointList *known, bool *seen) {
  const Node *n = &f->proof->problem.graph[SIDE_DIST]->nodes.at[id];
  for (uint32_t k = 0; k < n->n_args; k++) {
    NodeId arg = n->args[k];
    if (seen[arg]) continue;
    seen[arg] = true;
    for (size_t i = 0; i < known->len; i++)
      if (known->at[i].dist == arg) return true;
    if (is_above(f, arg, known, seen)) return true;
  }
  return false;
}

/* Passes known values that are computed from others, if not all at once; false: none is. */
static bool pass(Finder *f, const WaypointList *known, bool *passed) {
  bool any = false, *seen = ARENA_ARRAY(f->arena, bool, f->whole->graph[SIDE_DIST]->nodes.len + 1);
  for (size_t i = 0; i < known->len; i++)
    if (is_above(f, known->at[i].dist, known, seen)) any = passed[known->at[i].dist] = true;
  return any;
}

/* Numbers have a value where this has one. */
static void may_be_unknown(Finder *f, NodeId seq) {
  f->ground.assumed |= value_conditions(f->proof->calc, build_value(&f->proof->build, SIDE_SEQ, seq));
}

static Problem *cut_problem(Finder *f, const Cut *cut) {
  Problem *q = arena_copy(f->arena, f->whole, sizeof *q);
  cut_pair(cut, q->graph, &q->relation, f->arena);
  for (int side = 0; side < SIDE_COUNT; side++) {
    const Graph *g = q->graph[side];
    const Instance **instance = arena_copy(f->arena, q->instance[side], g->nodes.len * sizeof(const Instance *));
    for (NodeId i = 0; i < g->nodes.len; i++)
      if (g->nodes.at[i].op == sym("parameter") || !g->nodes.at[i].n_args != !node_at_side(f, side, i)->n_args)
        instance[i] = NULL;
    q->instance[side] = instance;
  }
  q->waypoints = arena_copy(f->arena, &cut->ways, sizeof cut->ways);
  q->ground = arena_copy(f->arena, &f->ground, sizeof f->ground);
  return q;
}

static Waypoints listed(const WaypointList *l, Arena *a) {
  return (Waypoints){(uint32_t)l->len, arena_copy(a, l->at, l->len * sizeof *l->at)};
}

/* Gives the claim its number; true: it is new. */
static bool state(Finder *f, Waypoint *w) {
  const Waypoint *had = f->claim[w->dist];
  if (had && had->seq == w->seq && had->factor == w->factor && layout_same(&had->layout, &w->layout)) {
    w->number = had->number;
    return false;
  }
  w->number = f->kept->n_claims++;
  f->claim[w->dist] = arena_copy(f->arena, w, sizeof *w);
  return true;
}

/* The proof is kept for who wants to know how. */
static void keep(Finder *f, Proof *p, WaypointList *known, Waypoint *claim) {
  if (!f->kept) return proof_free(p);
  for (size_t i = 0; i < known->len; i++)
    if (state(f, &known->at[i])) vec_push(&f->shown, known->at[i]);
  state(f, claim);
  Cut cut = {listed(known, f->arena), f->ways, {1, arena_copy(f->arena, claim, sizeof *claim)}};
  vec_push(&f->stages, ((Stage){p, cut}));
}

static bool is_way(const Finder *f, NodeId dist) {
  for (uint32_t k = 0; k < f->ways.n; k++)
    if (f->ways.at[k].dist == dist) return true;
  return false;
}

/* Of a known value another node is taken where the claim is not computed from this one.  One that is the claimed value
 * itself says nothing, unless the claim is that it is laid out in another way: it is passed, or read if it was found; true:
 * some is passed. */
static bool pass_claimed(Finder *f, NodeId claim, WaypointList *known, bool *passed) {
  bool any = false, several = known->len > 1;
  size_t n = 0;
  const bool *needed = operands_of(f, claim, known);
  for (size_t i = 0; i < known->len; i++) {
    Waypoint w = known->at[i], other;
    bool way = is_way(f, w.dist), says = way || w.seq == claim || needed[w.seq];
    if (several && w.seq == claim) {
      if (!way) any = passed[w.dist] = true;
      continue;
    }
    for (NodeId s = says ? NO_NODE : f->same[w.dist]; s != NO_NODE && !says; s = f->next[s])
      if ((says = needed[s] && is_known(f, s, w.dist, &other))) w = other;
    known->at[n++] = w;
  }
  known->len = n;
  return any;
}

/* LOWEST passes values that are computed from other known ones.  Of the nearest ones it is lost what they are: FURTHER
 * passes them, too. */
typedef enum Beginning { LOWEST, NEAREST, FURTHER, BEGINNINGS } Beginning;

/* The known values that a claim begins at. */
static void begin(Finder *f, const Waypoint *claim, Beginning at, WaypointList *known) {
  size_t n = f->whole->graph[SIDE_DIST]->nodes.len + 1;
  bool *passed = ARENA_ARRAY(f->arena, bool, n);
  const bool *on = operands_of(f, claim->seq, &(WaypointList){0});
  if (at == FURTHER) begin(f, claim, NEAREST, known);
  for (size_t i = 0; i < known->len; i++) passed[known->at[i].dist] = true;
  do {
    vec_clear(known);
    known_below(f, on, claim->dist, passed, ARENA_ARRAY(f->arena, bool, n), known);
  } while ((f->shapes && pass_claimed(f, claim->seq, known, passed)) || (at != NEAREST && pass(f, known, passed)));
}

/* Of values found on the way it is known what they are: they are read, and no beginning. */
static void read_ways(const Finder *f, WaypointList *known) {
  size_t n = 0;
  for (size_t i = 0; i < known->len; i++)
    if (!is_way(f, known->at[i].dist)) known->at[n++] = known->at[i];
  known->len = n;
}

/* The claim, as one of graphs that begin at known values; NULL if the part is too large. */
static Proof *prove_from(Finder *f, Waypoint *w, const ProveOptions *o, const WaypointList *known) {
  Cut cut = {listed(known, f->arena), f->ways, {1, w}};
  Problem *part = cut_problem(f, &cut);
  if (cut_nodes(part->graph) > f->most) return NULL;
  Proof *p = prove_direct(part, o);
  prove_tactics(&p, o);
  return p;
}

/* Of two proofs of a claim, a complete one and then one that assumes less. */
static bool is_better(const Proof *p, const Proof *q) {
  if (proof_complete(p) != proof_complete(q)) return proof_complete(p);
  uint32_t a = calculus_assumptions(p->calc), b = calculus_assumptions(q->calc);
  return a != b && !(a & ~b);
}

/* Begins at other known values; of two proofs the better one is kept.  False: the part is too large. */
static bool prove_begun(Finder *f, Waypoint *w, Beginning at, const ProveOptions *o, Proof **p, WaypointList *known) {
  WaypointList from = {0};
  begin(f, w, at, &from);
  if (at != NEAREST) read_ways(f, &from);
  Proof *q = prove_from(f, w, o, &from);
  bool better = q && (!*p || is_better(q, *p)), fits = q || *p;
  Proof *left = better ? *p : q;
  vec_free(better ? known : &from);
  if (better) *p = q, *known = from;
  if (left) proof_free(left);
  return fits;
}

/* Marks what was tried: nothing, if the part is too large still. */
static bool prove_claim(Finder *f, Waypoint *w) {
  ProveOptions o = *f->options;
  o.together = true;
  double begun = clock_spent(), most = o.seconds / MOST_WASTED, until = begun + most < f->until ? begun + most : f->until;
  Proof *p = NULL;
  WaypointList known = {0};
  for (Beginning at = f->further ? LOWEST : NEAREST; at < BEGINNINGS; at++) {
    bool complete = p && proof_complete(p);
    /* That a denominator is not zero may be known of what the beginning is. */
    bool assumes = complete && (calculus_assumptions(p->calc) & ~f->ground.assumed);
    if (p && (complete ? !assumes : !f->further)) break;
    if ((complete && at < FURTHER) || (p && at == FURTHER && !known.len)) continue;
    o.seconds = (until - clock_spent()) / (BEGINNINGS - at);
    o.attempt_seconds = f->options->attempt_seconds < o.seconds ? f->options->attempt_seconds : o.seconds;
    if ((p && o.seconds <= 0) || !prove_begun(f, w, at, &o, &p, &known)) break;
  }
  f->tried[SIDE_DIST][w->dist] = p != NULL; /* other nodes of the same value would fare no better */
  if (!p) {
    f->larger = true;
    vec_free(&known);
    return false;
  }
  bool proved = proof_complete(p);
  if (proved) {
    ground_add(&f->ground, p, f->arena);
    if (p->tactic && !(f->tactics && strstr(f->tactics, p->tactic)))
      f->tactics = arena_printf(f->arena, f->tactics ? "%s; %s" : "%s%s", f->tactics ? f->tactics : "", p->tactic);
    may_be_unknown(f, w->seq);
    for (size_t i = 0; i < known.len; i++) may_be_unknown(f, known.at[i].seq);
    keep(f, p, &known, w);
  } else {
    proof_free(p);
    f->tried[SIDE_SEQ][w->seq] = true;
    f->wasted += clock_spent() - begun;
  }
  vec_free(&known);
  return proved;
}

/* Proves the first open values that agree with sequential ones; false: none. */
static bool next_waypoints(Finder *f) {
  const Graph *dist = f->proof->problem.graph[SIDE_DIST], *seq = f->whole->graph[SIDE_SEQ];
  size_t had = f->found.len;
  uint32_t assumed = calculus_assumptions(f->proof->calc);
  look(f);
  f->larger = false;
  double most = f->options->seconds / MOST_WASTED;
  for (NodeId d = 0; d < dist->nodes.len && clock_spent() < f->until && f->wasted < most; d++) {
    const Node *n = &dist->nodes.at[d];
    for (uint32_t k = 0; k < n->n_args; k++) f->after[d] |= f->after[n->args[k]];
    bool asks = f->open[d] && !f->after[d] && !f->tried[SIDE_DIST][d] && n->op != sym("parameter");
    if (!asks || !is_cuttable(f, SIDE_DIST, d)) continue;
    for (NodeId i = 0; i < (1 + f->padded) * seq->nodes.len && !f->tried[SIDE_DIST][d]; i++) {
      NodeId s = i % (NodeId)seq->nodes.len;
      Waypoint w = {.seq = s, .dist = d};
      if (!is_cuttable(f, SIDE_SEQ, s) || !find_layout(f, s, d, i != s, &w)) continue;
      if (f->tried[SIDE_SEQ][s]) f->tried[SIDE_DIST][d] = true;
      else if ((f->after[d] = prove_claim(f, &w))) vec_push(&f->found, w);
      break;
    }
  }
  calculus_assumed_only(f->proof->calc, assumed);
  return f->found.len > had;
}

/* What was found is read from now on; the proof that showed where to begin, and those that rest on it, are kept. */
static void go_on(Finder *f) {
  ProveOptions plain = *f->options;
  plain.rounds = 1; /* flat dimensions would make everything along them look different */
  plain.hasty = true; /* what comes behind a costly value is looked at once that one is found */
  Cut cut = {.ways = f->ways, .claims = listed(&f->shown, f->arena)};
  ground_add(&f->ground, f->proof, f->arena); /* what comes before a value that is read is not built again */
  if (f->kept && f->shown.len) vec_push(&f->kept->at, ((Stage){f->proof, cut}));
  else proof_free(f->proof);
  for (size_t i = 0; i < f->stages.len; i++) vec_push(&f->kept->at, f->stages.at[i]);
  vec_clear(&f->shown);
  vec_clear(&f->stages);
  f->ways = listed(&f->found, f->arena);
  f->proof = prove_direct(cut_problem(f, &(Cut){.ways = f->ways}), &plain);
  size_t n = f->found.len;
  f->proof->tactic = arena_printf(&f->proof->arena, "%zu value%s on the way proved first%s%s", n, n == 1 ? "" : "s",
                                  f->tactics ? ", by " : "", f->tactics ? f->tactics : "");
}

/* What is computed from numbers, by node. */
static bool *depends(const Graph *g, Arena *a) {
  bool *on = ARENA_ARRAY(a, bool, g->nodes.len + 1);
  for (NodeId i = 0; i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    on[i] = n->op == sym("parameter") && dtype_is_float((DType)n->dtype);
    for (uint32_t k = 0; k < n->n_args; k++) on[i] |= on[n->args[k]];
  }
  return on;
}

void waypoint_search(Proof **proof, const Problem *whole, const ProveOptions *o, const ExactProblem *e, Stages *kept,
                     Arena *a) {
  if (*proof && (proof_complete(*proof) || !prove_can_go_on(*proof))) return;
  if (whole->relation->mesh.n_axes > LAID_MAX_AXES) return;
  const char *why = NULL;
  ExactRun *run = exact_run(e, e->options.seed, &why);
  size_t n = whole->graph[SIDE_DIST]->nodes.len + 1;
  Finder f = {.whole = whole, .options = o, .run = run, .run_graph = {e->seq.graph, e->dist.graph}, .arena = a,
              .kept = kept, .until = clock_spent() + o->seconds};
  for (int side = 0; side < SIDE_COUNT; side++) {
    f.tried[side] = ARENA_ARRAY(a, bool, whole->graph[side]->nodes.len + 1);
    f.depends[side] = depends(whole->graph[side], a);
  }
  f.block = ARENA_ARRAY(a, const double *, whole->relation->mesh.n_devices + 1);
  f.of_block = NO_NODE;
  f.claim = ARENA_ARRAY(a, Waypoint *, n);
  f.open = ARENA_ARRAY(a, bool, n);
  f.after = ARENA_ARRAY(a, bool, n);
  f.same = ARENA_ARRAY(a, NodeId, n);
  f.next = ARENA_ARRAY(a, NodeId, whole->graph[SIDE_SEQ]->nodes.len + 1);
  ProveOptions plain = *o;
  plain.rounds = 1;
  plain.hasty = true;
  f.proof = prove_direct(whole, &plain);
  size_t n_whole = cut_nodes(whole->graph);
  enum { WAYS = 2, STARTS = 3 }; /* blocks that fill a tensor, padded ones, too; where claims begin */
  for (int i = 0; !why && i < STARTS * WAYS && !(i && proof_complete(f.proof)); i++) {
    f.padded = i % WAYS, f.shapes = i / WAYS >= 1, f.further = i / WAYS == 2;
    bool again = i && i % WAYS == 0;
    if (again) f.wasted = 0;
    for (int side = 0; side < SIDE_COUNT && again; side++)
      memset(f.tried[side], 0, (whole->graph[side]->nodes.len + 1) * sizeof(bool));
    f.most = n_whole / 4 > PART_NODES ? n_whole / 4 : PART_NODES;
    for (bool more = true; more && (kept || !proof_complete(f.proof));) {
      bool found = next_waypoints(&f);
      if (found) go_on(&f);
      else f.most *= 2;
      more = found || (f.larger && f.most <= n_whole);
    }
  }
  bool kept_as_is = *proof && (!f.found.len || f.proof->n_proved < (*proof)->n_proved);
  proof_free(kept_as_is ? f.proof : *proof);
  if (!kept_as_is) *proof = f.proof;
  vec_free(&f.found);
  vec_free(&f.shown);
  vec_free(&f.stages);
  exact_run_free(run);
}

void stages_free(Stages *s) {
  for (size_t i = 0; i < s->at.len; i++) proof_free(s->at.at[i].proof);
  vec_free(&s->at);
  s->n_claims = 0;
}
