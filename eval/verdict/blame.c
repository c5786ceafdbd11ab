#include "eval/verdict/blame.h"

#include <string.h>

#include "eval/verdict/blame_words.h"
#include "eval/verdict/counterpart.h"
#include "eval/verdict/place.h"
#include "eval/verdict/relatives.h"
#include "eval/verdict/repair.h"

enum {
  MAX_SUBSETS = 64, /* of mesh digits an output is summed over */
  MAX_DIFFS = 24,   /* outputs whose normal forms are compared */
  MAX_FIRST = 6, MAX_CHAIN = 6, MAX_SIDE = 2, MAX_MOVES = 3, MAX_BLAMED = 5,
};

typedef struct Finder {
  Proof *p;
  Calculus *c;
  const bool *open;
  Blame *b;
  Relatives rel;
  NodeId *place[SIDE_COUNT]; /* by node: see place.h */
  bool *innocent;            /* distributed nodes that a proved output depends on */
  Vec(Blamed) found;
  Vec(uint32_t) score;
} Finder;

static const Graph *graph(const Finder *f, Side s) { return f->p->problem.graph[s]; }
static const Node *node(const Finder *f, Side s, NodeId id) { return &graph(f, s)->nodes.at[id]; }
static Value value(const Finder *f, Side s, NodeId id) { return f->p->build.value[s][id]; }

static NodeId output_node(const Finder *f, Side s, uint32_t k) {
  const Related *r = &f->p->problem.relation->outputs[k];
  return graph(f, s)->outputs.at[s == SIDE_SEQ ? r->seq : r->dist].node;
}

/* What proved outputs depend on, and the source lines of nodes. */
static void index_nodes(Finder *f) {
  size_t len = graph(f, SIDE_DIST)->nodes.len;
  f->innocent = ARENA_ARRAY(&f->b->arena, bool, len);
  for (uint32_t k = 0; k < f->b->n_outputs; k++)
    if (f->p->outputs[k].proved && !f->open[k]) f->innocent[output_node(f, SIDE_DIST, k)] = true;
  for (size_t i = len; i-- > 0;)
    for (uint32_t k = 0; f->innocent[i] && k < node(f, SIDE_DIST, (NodeId)i)->n_args; k++)
      f->innocent[node(f, SIDE_DIST, (NodeId)i)->args[k]] = true;
  for (Side s = 0; s < SIDE_COUNT; s++) f->place[s] = place_nodes(graph(f, s), &f->b->arena);
}

/* ------------------------------------------------------------------ candidates */
/* What is accused again (for another output) gains little: an early mistake is seen at many outputs.  What a proved
 * output depends on is hardly to blame. */
static void accuse(Finder *f, Side side, NodeId id, uint32_t output, uint32_t score, const char *why, const char *want,
                   const char *have) {
  if (side == SIDE_DIST && f->innocent[id]) score = 1;
  for (size_t i = 0; i < f->found.len; i++) {
    if (f->found.at[i].side != side || f->found.at[i].node != id) continue;
    f->score.at[i] = 1 + (f->score.at[i] > score ? f->score.at[i] : score);
    if (!f->found.at[i].want && want) f->found.at[i].want = want, f->found.at[i].have = have, f->found.at[i].why = why;
    return;
  }
  vec_push(&f->found, (Blamed){.side = side, .node = id, .place = f->place[side][id], .output = output, .why = why,
                               .want = want, .have = have});
  vec_push(&f->score, score);
}

/* Index arithmetic that feeds an operator and has no sequential counterpart, nearest first. */
static void accuse_indices(Finder *f, NodeId id, uint32_t output, uint32_t budget) {
  const Node *n = node(f, SIDE_DIST, id);
  for (uint32_t k = 0; k < n->n_args && budget; k++) {
    NodeId a = n->args[k];
    if (relatives_of(&f->rel, a) != REL_INDEX) continue;
    accuse(f, SIDE_DIST, a, output, 1, "an index that the sequential program does not compute", NULL, NULL);
    accuse_indices(f, a, output, budget - 1);
  }
}

/* Operators that only moved the elements of an operand: they may have moved them to the wrong place. */
static void accuse_movers(Finder *f, NodeId id, uint32_t output) {
  const Node *n = node(f, SIDE_DIST, id);
  for (uint32_t k = 0; k < n->n_args && k < 2; k++) {
    NodeId at = n->args[k];
    for (uint32_t step = 0, named = 0; step < 16 && named < MAX_MOVES; step++) {
      const Node *x = node(f, SIDE_DIST, at);
      Value v = value(f, SIDE_DIST, at), w = x->n_args ? value(f, SIDE_DIST, x->args[0]) : VALUE_ZERO;
      if (value_is_num(v) || value_is_num(w) || value_class(f->c, v) != value_class(f->c, w)) break;
      if (!value_same(v, w)) {
        accuse(f, SIDE_DIST, at, output, 4 - named, "moves the elements that are used at the wrong place", NULL, NULL);
        named++;
      }
      at = x->args[0];
    }
  }
}

static void accuse_first(Finder *f, NodeId id, uint32_t output) {
  const Node *n = node(f, SIDE_DIST, id);
  const char *why = "the first value without a sequential counterpart; its operands have one";
  for (uint32_t k = 0; k < n->n_args; k++) {
    if (relatives_of(&f->rel, n->args[k]) != REL_SUMMED) continue;
    Name names[16];
    const Mesh *mesh = &f->p->problem.relation->mesh;
    uint32_t m = counterpart_mesh_names(f->c, value(f, SIDE_DIST, n->args[k]), names, 16), axes[16];
    for (uint32_t i = 0; i < m; i++)
      axes[i] = meshdigits_get(digits_mesh(f->p->digits), calculus_name_info(f->c, names[i])->a)->axis;
    why = arena_printf(&f->b->arena, "uses operand %u, which is one part of a sum over %s", k,
                       blame_axes(mesh, axes, m, &f->b->arena));
    accuse(f, SIDE_DIST, n->args[k], output, 3, "makes one part of a sum that is used as if it were the whole", NULL,
           NULL);
  }
  /* what only moves elements is often undone later: padding, halos */
  bool fed = true; /* but for indices and masks */
  for (uint32_t k = 0; k < n->n_args; k++) fed &= relatives_of(&f->rel, n->args[k]) != REL_NO;
  if (!fed) why = "the first value without a sequential counterpart; its operands, but for indices, have one";
  uint32_t score = n->n_args == 1 || n->op == sym("pad") ? 5 : fed ? 8 : 7;
  accuse(f, SIDE_DIST, id, output, score, why, NULL, NULL);
  accuse_indices(f, id, output, 4);
  accuse_movers(f, id, output);
}

/* Back from an unrelated value through unrelated ones. */
static void walk(Finder *f, const uint32_t *outputs, uint32_t n) {
  size_t len = graph(f, SIDE_DIST)->nodes.len;
  uint32_t *from = ARENA_ARRAY(&f->b->arena, uint32_t, len);
  for (uint32_t i = n; i-- > 0;) from[output_node(f, SIDE_DIST, outputs[i])] = outputs[i] + 1;
  NodeId first[MAX_FIRST];
  uint32_t n_first = 0;
  for (size_t i = len; i-- > 0;) {
    if (!from[i] || relatives_of(&f->rel, (NodeId)i) != REL_NO) continue;
    const Node *x = node(f, SIDE_DIST, (NodeId)i);
    bool all = true;
    for (uint32_t k = 0; k < x->n_args; k++) {
      if (relatives_of(&f->rel, x->args[k]) != REL_NO) continue;
      all &= dtype_is_float((DType)x->dtype) && !dtype_is_float((DType)node(f, SIDE_DIST, x->args[k])->dtype);
      from[x->args[k]] = from[i];
    }
    if (!all) continue;
    /* the earliest are kept */
    if (n_first == MAX_FIRST) memmove(first, first + 1, (MAX_FIRST - 1) * sizeof *first), n_first--;
    first[n_first++] = (NodeId)i;
  }
  for (uint32_t i = n_first; i-- > 0;) accuse_first(f, first[i], from[first[i]] - 1);
}

/* Sequential values on the way to the open outputs that nothing distributed amounts to, though it has the operands. */
static void walk_sequential(Finder *f, const uint32_t *outputs, uint32_t n) {
  for (size_t i = 0; i < graph(f, SIDE_DIST)->nodes.len; i++) relatives_of(&f->rel, (NodeId)i);
  size_t len = graph(f, SIDE_SEQ)->nodes.len;
  uint32_t *from = ARENA_ARRAY(&f->b->arena, uint32_t, len), n_first = 0;
  bool *lost = ARENA_ARRAY(&f->b->arena, bool, len);
  for (size_t i = 0; i < len; i++) {
    Value v = value(f, SIDE_SEQ, (NodeId)i);
    ClassId id = value_class(f->c, v);
    bool found = relatives_known(&f->rel, SIDE_DIST, id) || f->rel.summed_from_dist[id];
    lost[i] = node(f, SIDE_SEQ, (NodeId)i)->op != sym("parameter") && !value_is_num(v) && !found &&
              !relatives_index_only(&f->rel, v);
  }
  for (uint32_t i = n; i-- > 0;) from[output_node(f, SIDE_SEQ, outputs[i])] = outputs[i] + 1;
  NodeId first[MAX_SIDE];
  for (size_t i = len; i-- > 0;) {
    if (!from[i] || !lost[i]) continue;
    const Node *x = node(f, SIDE_SEQ, (NodeId)i);
    bool all = true;
    for (uint32_t k = 0; k < x->n_args; k++)
      if (lost[x->args[k]]) all = false, from[x->args[k]] = from[i];
    if (!all) continue;
    if (n_first == MAX_SIDE) memmove(first, first + 1, (MAX_SIDE - 1) * sizeof *first), n_first--;
    first[n_first++] = (NodeId)i;
  }
  for (uint32_t i = n_first; i-- > 0;)
    accuse(f, SIDE_SEQ, first[i], from[first[i]] - 1, 2,
           "no distributed value amounts to it, though its operands have counterparts", NULL, NULL);
}

/* The operators that made a related output: back while the class stays, or only sums, factors or indices change. */
static void chain(Finder *f, uint32_t k, const char *why) {
  NodeId id = output_node(f, SIDE_DIST, k);
  for (uint32_t steps = 0, named = 0; named < MAX_CHAIN && steps < 64; steps++) {
    const Node *n = node(f, SIDE_DIST, id);
    Value v = value(f, SIDE_DIST, id);
    NodeId next = NO_NODE;
    for (uint32_t i = 0; i < n->n_args && next == NO_NODE; i++) {
      Value w = value(f, SIDE_DIST, n->args[i]);
      if (value_is_num(w)) continue;
      if (value_class(f->c, w) == value_class(f->c, v) || (n->n_attrs && node_attr(n, sym("replica_groups"))))
        next = n->args[i];
    }
    Value w = next != NO_NODE ? value(f, SIDE_DIST, next) : VALUE_ZERO;
    bool moves = next != NO_NODE && w.k == v.k && value_class(f->c, w) == value_class(f->c, v);
    if (!moves && n->op != sym("parameter")) {
      accuse(f, SIDE_DIST, id, k, MAX_CHAIN - named, why, NULL, NULL);
      named++;
    }
    if (next == NO_NODE) return;
    id = next;
  }
}

/* ------------------------------------------------------------------ outputs */
/* Summed over axes, `got` is `want` up to a factor. */
static void explain_holds(Finder *f, const ProofOutput *o, OutputBlame *out) {
  Name names[16];
  uint32_t n = counterpart_mesh_names(f->c, o->got, names, 16), best = UINT32_MAX;
  out->factor = RAT_1;
  for (uint32_t set = 0; set < 1u << n && set <= MAX_SUBSETS && best == UINT32_MAX; set++) {
    if (calculus_exhausted(f->c)) return;
    Value w = set ? counterpart_reduce(f->c, o->got, names, n, set, false) : o->got;
    if (w.ref != o->want.ref || w.k == RAT_0 || o->want.k == RAT_0) continue;
    best = set;
    out->factor = rat_div(w.k, o->want.k);
  }
  if (best == UINT32_MAX) return;
  out->holds = true;
  uint32_t *axes = ARENA_ARRAY(&f->b->arena, uint32_t, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t axis = meshdigits_get(digits_mesh(f->p->digits), calculus_name_info(f->c, names[i])->a)->axis;
    bool seen = false;
    for (uint32_t j = 0; j < out->n_partial; j++) seen |= axes[j] == axis;
    if (best >> i & 1 && !seen) axes[out->n_partial++] = axis;
  }
  out->partial = axes;
}

static const char *holds_text(Finder *f, const OutputBlame *o) {
  Arena *a = &f->b->arena;
  char buf[128];
  const char *axes = o->n_partial ? blame_axes(&f->p->problem.relation->mesh, o->partial, o->n_partial, a) : NULL;
  const char *factor = o->factor != RAT_1 ? rat_print(o->factor, buf, sizeof buf) : NULL;
  if (axes && factor) return arena_printf(a, "the sum over %s is missing, and there is a factor %s", axes, factor);
  if (axes) return arena_printf(a, "the sum over %s is missing", axes);
  return factor ? arena_printf(a, "factor %s", factor) : NULL;
}

/* A field read at other indices: the operators that last moved its elements, and what they were told. */
static void accuse_moves(Finder *f, uint32_t k, Value have, const OutputBlame *o) {
  size_t len = output_node(f, SIDE_DIST, k) + 1;
  bool *on = ARENA_ARRAY(&f->b->arena, bool, len);
  on[len - 1] = true;
  uint32_t found = 0;
  for (size_t i = len; i-- > 0 && found < MAX_MOVES;) {
    const Node *n = node(f, SIDE_DIST, (NodeId)i);
    for (uint32_t j = 0; on[i] && j < n->n_args; j++) on[n->args[j]] = true;
    Value v = value(f, SIDE_DIST, (NodeId)i);
    if (!on[i] || !n->n_args || value_is_num(v) || value_class(f->c, v) != value_class(f->c, have)) continue;
    Value w = value(f, SIDE_DIST, n->args[0]);
    if (value_is_num(w) || value_same(v, w)) continue;
    accuse(f, SIDE_DIST, (NodeId)i, k, 5, o->difference, o->want, o->have);
    accuse_indices(f, (NodeId)i, k, 4);
    found++;
  }
}

/* The innermost differing term that is a distributed value and no sequential one. */
static void accuse_difference(Finder *f, uint32_t k, const Diff *d, const OutputBlame *o) {
  for (uint32_t i = d->n_path; i-- > 0;) {
    if (value_is_num(d->have_path[i])) continue;
    ClassId id = value_class(f->c, d->have_path[i]);
    if (!relatives_known(&f->rel, SIDE_DIST, id) || relatives_known(&f->rel, SIDE_SEQ, id)) continue;
    accuse(f, SIDE_DIST, f->rel.node_of[SIDE_DIST][id], k, i + 3 > d->n_path ? 7 : 3,
           o->difference ? o->difference : "differs", o->want, o->have);
    return;
  }
}

static void explain(Finder *f, uint32_t k, bool compare) {
  const ProofOutput *p = &f->p->outputs[k];
  OutputBlame *o = &f->b->outputs[k];
  NodeId id = output_node(f, SIDE_DIST, k);
  if (!p->comparable) {
    o->difference = "the layout cannot be read in the digits there are";
    return;
  }
  calculus_scope(f->c);
  explain_holds(f, p, o);
  if (o->holds) o->difference = holds_text(f, o);
  if (compare && !o->holds) {
    Diff d;
    calculus_scope(f->c);
    calc_diff(f->c, p->want, p->got, &f->b->arena, &d);
    o->difference = blame_difference(f->p, &d, &f->b->arena);
    o->want = blame_term(f->p, d.want, 6, &f->b->arena);
    o->have = blame_term(f->p, d.have, 6, &f->b->arena);
    for (uint32_t i = d.n_path; i-- > 0 && !o->lemma;) /* the smallest pair that can be written */
      o->lemma = blame_lemma(f->p, d.want_path[i], d.have_path[i], &f->b->arena);
    accuse_difference(f, k, &d, o);
    if (d.kind == DIFF_INDICES && !value_is_num(d.have)) accuse_moves(f, k, d.have, o);
  }
  if (relatives_of(&f->rel, id) != REL_NO)
    chain(f, k, o->difference ? o->difference : "makes the output, out of values with sequential counterparts");
}

/* One line is named once, unless a change there helps when it is called from somewhere else. */
static bool named(const Finder *f, const Blamed *x) {
  const Graph *g = graph(f, x->side);
  for (uint32_t i = 0; i < f->b->n; i++) {
    const Blamed *y = &f->b->at[i];
    if (x->place == NO_NODE || y->place == NO_NODE || y->side != x->side) continue;
    const Frames *p = &g->frames.at[g->nodes.at[x->place].frames], *q = &g->frames.at[g->nodes.at[y->place].frames];
    bool same = p->n && q->n && p->at[0] == q->at[0];
    if (same && (!x->fix || (p->n == q->n && !memcmp(p->at, q->at, p->n * sizeof *p->at)))) return true;
  }
  return false;
}

static void rank(Finder *f) {
  Blame *b = f->b;
  b->at = ARENA_ARRAY(&b->arena, Blamed, f->found.len);
  while (b->n < f->found.len && b->n < MAX_BLAMED) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < f->found.len; i++) {
      if (!f->score.at[i]) continue;
      if (best == SIZE_MAX || f->score.at[i] > f->score.at[best] ||
          (f->score.at[i] == f->score.at[best] && f->found.at[i].node < f->found.at[best].node))
        best = i;
    }
    if (best == SIZE_MAX) break;
    if (!named(f, &f->found.at[best])) b->at[b->n++] = f->found.at[best];
    f->score.at[best] = 0;
  }
}

/* The suspects so far, what they are made from to a depth, and what uses them. */
static bool *near_suspects(Finder *f, const bool *moves) {
  enum { FAR = 3 };
  const Graph *g = graph(f, SIDE_DIST);
  size_t len = g->nodes.len;
  bool *near = ARENA_ARRAY(&f->b->arena, bool, len);
  uint8_t *depth = ARENA_ARRAY(&f->b->arena, uint8_t, len);
  memset(depth, FAR, len);
  for (size_t i = 0; i < f->found.len; i++)
    if (f->found.at[i].side == SIDE_DIST) near[f->found.at[i].node] = true;
  for (size_t i = 0; i < len; i++) depth[i] = near[i] ? 0 : FAR;
  for (size_t i = 0; i < len; i++)
    for (uint32_t k = 0; k < g->nodes.at[i].n_args && depth[i]; k++)
      if (near[g->nodes.at[i].args[k]]) depth[i] = 0;
  for (size_t i = len; i-- > 0;)
    for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++) {
      uint8_t *d = &depth[g->nodes.at[i].args[k]], next = (uint8_t)(depth[i] + !moves[i]);
      if (next < *d) *d = next;
    }
  for (size_t i = 0; i < len; i++) near[i] = depth[i] < FAR;
  return near;
}

/* Sequential nodes that an open output depends on. */
static bool *on_the_way(Finder *f) {
  size_t len = graph(f, SIDE_SEQ)->nodes.len;
  bool *on = ARENA_ARRAY(&f->b->arena, bool, len);
  for (uint32_t k = 0; k < f->b->n_outputs; k++) on[output_node(f, SIDE_SEQ, k)] |= f->open[k];
  for (size_t i = len; i-- > 0;)
    for (uint32_t k = 0; on[i] && k < node(f, SIDE_SEQ, (NodeId)i)->n_args; k++)
      on[node(f, SIDE_SEQ, (NodeId)i)->args[k]] = true;
  return on;
}

/* Changes that make outputs right point at the mistake better than anything else. */
static void repair(Finder *f, const ExactProblem *e, const ExactReport *report) {
  if (report->work > REPAIR_LARGEST) return;
  size_t len = graph(f, SIDE_DIST)->nodes.len;
  bool *settled = ARENA_ARRAY(&f->b->arena, bool, len), *index = ARENA_ARRAY(&f->b->arena, bool, len);
  bool *moves = ARENA_ARRAY(&f->b->arena, bool, len), *given = ARENA_ARRAY(&f->b->arena, bool, len);
  bool *related = ARENA_ARRAY(&f->b->arena, bool, len);
  for (size_t i = 0; i < len; i++) {
    const Node *n = node(f, SIDE_DIST, (NodeId)i);
    given[i] = n->op == sym("parameter") || (n->op == sym("copy") && given[n->args[0]]);
    moves[i] = relatives_moves(&f->rel, (NodeId)i);
    settled[i] = !moves[i] && relatives_equal(&f->rel, (NodeId)i);
    Relatedness is = relatives_of(&f->rel, (NodeId)i);
    index[i] = is == REL_INDEX;
    related[i] = is == REL_SAME || is == REL_SUMMED;
  }
  NodeId lost[REPAIR_LOST];
  uint32_t n_lost = relatives_lost(&f->rel, on_the_way(f), lost, REPAIR_LOST);
  RepairHints hints = {.near = near_suspects(f, moves), .place = f->place[SIDE_DIST], .summed = f->rel.summed,
                       .maxed = f->rel.maxed, .moves = moves, .settled = settled, .index = index,
                       .given = given, .related = related, .lost = lost, .n_lost = n_lost, .factor = RAT_1};
  for (uint32_t k = 0; k < report->n_outputs && k < f->b->n_outputs; k++) {
    const ExactHolds *h = &report->outputs[k].holds;
    if (!f->open[k] || !h->found) continue;
    uint32_t axes = 0;
    for (uint32_t i = 0; i < h->n_partial; i++) axes |= h->partial[i] < 32 ? 1u << h->partial[i] : 0;
    if (!hints.partial) hints.partial = axes;
    if (hints.factor == RAT_1) hints.factor = h->factor;
  }
  Repair found[REPAIR_MOST];
  Arena *a = &f->b->arena;
  uint32_t n = repair_find(f->p, e, report->first, &hints, a, found);
  for (uint32_t i = 0; i < n; i++) {
    const Repair *r = &found[i];
    NodeId id = r->nodes[0];
    uint32_t k = 0;
    while (!r->fixed[k]) k++;
    accuse(f, SIDE_DIST, id, k, 100 - i, NULL, NULL, NULL);
    const char *more = r->n > 1 ? arena_printf(a, " (and %u more of this line)", r->n - 1) : "";
    const char *name = sym_text(f->p->problem.relation->outputs[k].name);
    const char *what = r->every          ? "every output is right"
                       : r->n_fixed == 1 ? arena_printf(a, "%s is right", name)
                                         : arena_printf(a, "%u outputs are right", r->n_fixed);
    for (size_t j = 0; j < f->found.len; j++)
      if (f->found.at[j].side == SIDE_DIST && f->found.at[j].node == id)
        f->score.at[j] = 100 - i, f->found.at[j].fix = arena_printf(a, "%s%s, %s", r->text, more, what);
  }
}

Blame *blame_find(Proof *proof, const bool *open, const ExactProblem *problem, const ExactReport *evaluated) {
  Blame *b = xcalloc(1, sizeof *b);
  Finder f = {.p = proof, .c = proof->calc, .open = open, .b = b};
  b->n_outputs = proof->n_outputs;
  b->outputs = ARENA_ARRAY(&b->arena, OutputBlame, b->n_outputs);
  uint32_t *outputs = ARENA_ARRAY(&b->arena, uint32_t, b->n_outputs), n = 0;
  for (uint32_t k = 0; k < b->n_outputs; k++)
    if (open[k]) outputs[n++] = k;
  bool built = !proof->limited;
  if (n && built) {
    relatives_make(&f.rel, proof, evaluated && !evaluated->not_evaluated ? evaluated->first : NULL, &b->arena);
    index_nodes(&f);
    walk(&f, outputs, n);
    for (uint32_t i = 0; i < n; i++) explain(&f, outputs[i], i < MAX_DIFFS);
    walk_sequential(&f, outputs, n);
    if (problem && evaluated) repair(&f, problem, evaluated);
    rank(&f);
    for (uint32_t i = 0; i < b->n; i++)
      b->at[i].scene = scene_of(proof, b->at[i].side, b->at[i].node, &b->arena);
  }
  vec_free(&f.found);
  vec_free(&f.score);
  return b;
}

void blame_free(Blame *b) {
  if (!b) return;
  arena_free(&b->arena);
  free(b);
}
