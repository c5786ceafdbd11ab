#include "eval/blame/repair.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "eval/blame/repair_values.h"
#include "eval/blame/scene.h"

enum {
  MAX_WORK = 30000000, /* element operations, all trials of a pair together .. */
  FEW_NODES = 333,     /* .. with so many nodes; with more, less: the rest takes long already */
  MAX_MORE = 4000000,  /* .. for other changes, once there is one that repairs everything */
  MAX_GROUP = 64,
  MAX_FOUND = 32,
  MAX_WHOLE = 8,
  LIKELY = 4, /* weight of an edit from which on what it repairs counts */
  MAX_STEPS = 10,
};

typedef struct Search {
  Sites sites;
  const Proof *proof;
  const ExactProblem *problem;
  Arena *a;
  Trial *trial, *second; /* at two points; the second is made when needed */
  uint32_t n_outputs, n_wrong, n_unknown;
  bool *region;         /* by node: a wrong output depends on it, and no right one */
  bool *outer, *inner;  /* parts of the region: inner nodes are used only to make what is a sequential value */
  const bool *where;    /* the part looked at */
  uint64_t *reaches;    /* by node: wrong outputs that depend on it, numbered modulo 64 */
  uint64_t all;         /* .. of all wrong outputs */
  NodeId *next, *first; /* nodes of the region with the same operator and source line, as lists: the next, the first */
  bool whole;           /* looking for what repairs everything .. */
  bool near;            /* .. among the nodes to try first, or among the others .. */
  bool late;            /* .. the latest first */
  const Edits **edits[STAGE_COUNT]; /* by node, as far as asked */
  uint64_t most;        /* work of all trials */
  uint64_t end;         /* .. after which to look for something else */
  uint32_t n_found;
  uint32_t n_whole; /* of them, likely ones that repair everything */
  Repair found[MAX_FOUND];
  int weight[MAX_FOUND];
  int64_t order[MAX_FOUND];
} Search;

static const Node *node(const Search *s, NodeId id) { return &s->sites.g->nodes.at[id]; }
static Sym place(const Search *s, NodeId id) {
  return s->sites.hints->place[id] == NO_NODE ? 0 : node_at(s->sites.g, s->sites.hints->place[id]);
}

/* ------------------------------------------------------------------ the region */
static void reach(const Search *s, bool *on) {
  for (size_t i = s->sites.g->nodes.len; i-- > 0;)
    for (uint32_t k = 0; on[i] && k < node(s, (NodeId)i)->n_args; k++) on[node(s, (NodeId)i)->args[k]] = true;
}

/* Lists the operators that one source line became. */
static void list_lines(Search *s) {
  size_t len = s->sites.g->nodes.len, cap = 16;
  while (cap < 2 * len) cap *= 2;
  NodeId *slot = ARENA_ARRAY(s->a, NodeId, cap); /* hash table of the last node of every list, + 1 */
  s->next = ARENA_ARRAY(s->a, NodeId, len + 1);
  s->first = ARENA_ARRAY(s->a, NodeId, len + 1);
  for (NodeId i = 0; i < len; i++) {
    Sym at = place(s, i), op = node(s, i)->op;
    s->next[i] = NO_NODE;
    s->first[i] = i;
    if (!s->region[i] || !at) continue;
    size_t k = (at * UINT64_C(0x9e3779b97f4a7c15) + op * UINT64_C(0xc2b2ae3d27d4eb4f)) >> 20 & (cap - 1);
    for (; slot[k]; k = (k + 1) & (cap - 1))
      if (node(s, slot[k] - 1)->op == op && place(s, slot[k] - 1) == at) break;
    if (slot[k]) s->next[slot[k] - 1] = i, s->first[i] = s->first[slot[k] - 1];
    slot[k] = i + 1;
  }
}

static void split_region(Search *s) {
  size_t len = s->sites.g->nodes.len;
  bool *needed = ARENA_ARRAY(s->a, bool, len + 1); /* for what is not a sequential value */
  s->outer = ARENA_ARRAY(s->a, bool, len + 1);
  s->inner = ARENA_ARRAY(s->a, bool, len + 1);
  for (size_t k = 0; k < s->sites.g->outputs.len; k++) needed[s->sites.g->outputs.at[k].node] = true;
  for (size_t i = len; i-- > 0;) {
    bool open = s->region[i] && needed[i] && !s->sites.hints->settled[i];
    for (uint32_t k = 0; k < node(s, (NodeId)i)->n_args && open; k++) needed[node(s, (NodeId)i)->args[k]] = true;
    s->outer[i] = s->region[i] && needed[i];
    s->inner[i] = s->region[i] && !needed[i];
  }
  s->where = s->outer;
}

static bool find_region(Search *s) {
  size_t len = s->sites.g->nodes.len;
  bool *wrong = ARENA_ARRAY(s->a, bool, len + 1), *right = ARENA_ARRAY(s->a, bool, len + 1);
  s->reaches = ARENA_ARRAY(s->a, uint64_t, len + 1);
  for (uint32_t k = 0; k < s->n_outputs; k++) {
    TrialOutput was = trial_before(s->trial, k);
    NodeId id = s->sites.g->outputs.at[s->problem->relation->outputs[k].dist].node;
    if (was == TRIAL_WRONG) {
      wrong[id] = true;
      s->reaches[id] |= UINT64_C(1) << s->n_wrong++ % 64;
      s->all |= s->reaches[id];
    }
    if (was == TRIAL_RIGHT) right[id] = true;
    s->n_unknown += was == TRIAL_UNKNOWN;
  }
  reach(s, wrong);
  reach(s, right);
  s->region = ARENA_ARRAY(s->a, bool, len + 1);
  for (size_t i = 0; i < len; i++) s->region[i] = wrong[i] && !right[i];
  for (size_t i = len; i-- > 0;)
    for (uint32_t k = 0; k < node(s, (NodeId)i)->n_args; k++) s->reaches[node(s, (NodeId)i)->args[k]] |= s->reaches[i];
  list_lines(s);
  split_region(s);
  return s->n_wrong > 0;
}

/* ------------------------------------------------------------------ trying */
/* Wrong outputs that are right after the trial; 0 if a right one no longer is. */
static uint32_t n_fixed(const Search *s, const Trial *t, bool *fixed) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->n_outputs; k++) {
    TrialOutput was = trial_before(t, k), now = trial_after(t, k);
    if (was == TRIAL_RIGHT && now != TRIAL_RIGHT) return 0;
    fixed[k] = was == TRIAL_WRONG && now == TRIAL_RIGHT;
    n += fixed[k];
  }
  return n;
}

/* A number that was solved for must do at another point, too. */
static bool confirmed(Search *s, const TrialEdit *e, const NodeId *nodes, uint32_t n, uint32_t hits) {
  if (e->kind != TRIAL_LITERAL && e->kind != TRIAL_SCALE) return true;
  if (!s->second) s->second = trial_new(s->problem, s->problem->options.seed + 1, NULL, s->most);
  bool *fixed = ARENA_ARRAY(s->a, bool, s->n_outputs + 1);
  return s->second && trial_run(s->second, e, nodes, n, false) && n_fixed(s, s->second, fixed) >= hits;
}

/* The sequential program has the same operator on the same source line, with the same literal. */
static bool shared(const Search *s, const TrialEdit *e, NodeId id) {
  const Graph *g = s->sites.seq;
  Sym at = place(s, id);
  for (NodeId i = 0; at && i < g->nodes.len; i++) {
    const Node *n = &g->nodes.at[i];
    if (n->op != node(s, id)->op || node_at(g, i) != at || e->operand >= (int32_t)n->n_args) continue;
    if (e->kind != TRIAL_LITERAL) return true;
    Value v = s->proof->build.value[SIDE_SEQ][e->operand < 0 ? i : n->args[e->operand]];
    double literal = edit_literal(&s->sites, e, id);
    if (value_is_num(v) && fabs(rat_to_double(v.k) - literal) <= 1e-6 * fabs(literal)) return true;
  }
  return false;
}

/* How well a change explains the mistake: hardly, if the sequential program does the very same there; less, if the line
 * is one of both programs. */
static int weight_of(const Search *s, const TrialEdit *e, NodeId id) {
  int weight = edit_weight(&s->sites, e, id);
  bool adds = e->kind == TRIAL_SUM || e->kind == TRIAL_SUMMED || e->kind == TRIAL_MAX || e->kind == TRIAL_LIKE ||
              e->kind == TRIAL_TIMES;
  if (adds) return weight;
  if (e->kind != TRIAL_SCALE && scene_alike(s->proof, SIDE_DIST, id) != NO_NODE) weight = 2;
  if (!shared(s, e, id)) return weight;
  return weight > 4 ? weight - 3 : weight > 0 ? weight - 1 : 0;
}

/* The one comparison of a group whose change does what that of all does: for the others < and <= may be the same. */
static void narrow(Search *s, const TrialEdit *e, const NodeId **nodes, uint32_t *n, uint32_t hits) {
  bool *fixed = ARENA_ARRAY(s->a, bool, s->n_outputs + 1);
  for (uint32_t k = 0; e->kind == TRIAL_COMPARE && *n > 1 && k < *n; k++)
    if (trial_run(s->trial, e, *nodes + k, 1, s->whole) && n_fixed(s, s->trial, fixed) >= hits) *nodes += k, *n = 1;
}

/* After a trial that went through: keeps it if it helps.  True if enough was found. */
static bool keep(Search *s, const TrialEdit *e, const NodeId *nodes, uint32_t n) {
  bool *fixed = ARENA_ARRAY(s->a, bool, s->n_outputs + 1);
  uint32_t hits = n_fixed(s, s->trial, fixed);
  if (!hits || s->n_found == MAX_FOUND) return false;
  int weight = weight_of(s, e, nodes[0]);
  for (uint32_t i = 0; i < s->n_found; i++)
    if (place(s, nodes[0]) && place(s, nodes[0]) == place(s, s->found[i].nodes[0]) && s->found[i].n_fixed >= hits &&
        s->weight[i] >= weight)
      return false; /* the line is named already */
  narrow(s, e, &nodes, &n, hits);
  if (!confirmed(s, e, nodes, n, hits)) return false;
  s->weight[s->n_found] = weight;
  bool last = s->late && (e->kind == TRIAL_SUM || s->weight[s->n_found] <= EDIT_PLAIN + 1);
  s->order[s->n_found] = last ? -(int64_t)nodes[0] : nodes[0];
  s->found[s->n_found++] = (Repair){.n = n,
                                    .nodes = arena_copy(s->a, nodes, n * sizeof *nodes),
                                    .fixed = fixed,
                                    .n_fixed = hits,
                                    .whole = hits == s->n_wrong,
                                    .every = hits == s->n_wrong && !s->n_unknown,
                                    .summed = e->kind == TRIAL_SUM && e->operand < 0 ? e->axes : 0,
                                    .text = edit_text(&s->sites, e, nodes[0], s->a)};
  if (hits == s->n_wrong && weight >= LIKELY && ++s->n_whole == 1) trial_limit(s->trial, MAX_MORE);
  return s->n_whole == MAX_WHOLE;
}

/* The literal that makes the first wrong output right, by secants (a divisor's inverse is what outputs depend on); most
 * have no such value and are given up early. */
static bool solve(Search *s, TrialEdit *e, const NodeId *nodes, uint32_t n) {
  bool divisor = e->operand == 1 && node(s, nodes[0])->op == sym("divide");
  double x0 = edit_literal(&s->sites, e, nodes[0]), e0 = NAN;
  if (divisor) x0 = 1 / x0;
  double x = x0 == 0 ? 0.5 : x0 * 2;
  uint32_t at = 0;
  bool *fixed = ARENA_ARRAY(s->a, bool, s->n_outputs + 1);
  for (int step = 0; step < MAX_STEPS; step++) {
    e->number = divisor ? 1 / x : x;
    if (!isfinite(e->number)) return false;
    bool through = trial_run(s->trial, e, nodes, n, s->whole);
    if (trial_exhausted(s->trial)) return false;
    if (through && n_fixed(s, s->trial, fixed)) return keep(s, e, nodes, n);
    for (uint32_t k = 0; k < s->n_outputs; k++)
      if (trial_before(s->trial, k) == TRIAL_RIGHT && trial_after(s->trial, k) != TRIAL_RIGHT) return false;
    double now = NAN;
    if (step == 0) {
      for (; at < s->n_outputs; at++) { /* an output that it changes */
        if (trial_before(s->trial, at) != TRIAL_WRONG) continue;
        now = trial_error(s->trial, at, true);
        e0 = trial_error(s->trial, at, false);
        if (fabs(now - e0) > 1e-9) break;
      }
      if (at == s->n_outputs) return false;
    } else {
      now = trial_error(s->trial, at, true);
      if (step > 2 && fabs(now) > 0.5 * fabs(e0)) return false;
    }
    if (!isfinite(now) || now == e0) return false;
    double next = x - now * (x - x0) / (now - e0);
    if (!isfinite(next) || fabs(next) > 1e12) return false;
    x0 = x, e0 = now, x = next;
  }
  return false;
}

static bool try(Search *s, TrialEdit *e, const NodeId *nodes, uint32_t n) {
  uint64_t reached = 0;
  for (uint32_t k = 0; k < n; k++) reached |= s->reaches[nodes[k]];
  if (s->whole && reached != s->all) return false;
  if (e->kind == TRIAL_LITERAL) return solve(s, e, nodes, n);
  return trial_run(s->trial, e, nodes, n, s->whole) && keep(s, e, nodes, n);
}

static bool same_edit(const TrialEdit *x, const TrialEdit *y) {
  return x->kind == y->kind && x->operand == y->operand && x->axes == y->axes && x->dim == y->dim &&
         x->number == y->number && x->direction == y->direction;
}

/* What is changed together: all that a source line became, what one expression in it became (where frames tell them
 * apart), a single operator. */
typedef enum Extent { EXTENT_LINE, EXTENT_CALL, EXTENT_ONE, EXTENT_COUNT } Extent;

static uint32_t frames_of(const Search *s, NodeId id) { return node(s, s->sites.hints->place[id])->frames; }

static const Edits *edits_at(Search *s, Stage stage, NodeId id) {
  if (!s->edits[stage]) s->edits[stage] = ARENA_ARRAY(s->a, const Edits *, s->sites.g->nodes.len + 1);
  const Edits **at = &s->edits[stage][id];
  if (*at) return *at;
  Edits x;
  edits_of(&s->sites, stage, id, &x);
  return *at = arena_copy(s->a, &x, offsetof(Edits, at) + x.n * sizeof *x.at);
}

/* What is sent between the same devices: keys and values go round together. */
static uint32_t same_pairs(const Search *s, NodeId id, NodeId *out) {
  const Attr *own = node_attr(node(s, id), sym("source_target_pairs"));
  uint32_t n = 0;
  for (NodeId i = 0; i < s->sites.g->nodes.len && n < MAX_GROUP; i++) {
    const Attr *a = s->region[i] ? node_attr(node(s, i), sym("source_target_pairs")) : NULL;
    if (a && a->n == own->n && !memcmp(a->ints, own->ints, a->n * sizeof *a->ints)) out[n++] = i;
  }
  return n;
}

/* The same operators as `id`, open to the same edit, within the extent. */
static uint32_t group_of(Search *s, Stage stage, NodeId id, const TrialEdit *e, Extent extent, NodeId *out) {
  uint32_t n = 0;
  if (e->kind == TRIAL_REVERSE && extent == EXTENT_LINE) return same_pairs(s, id, out);
  for (NodeId i = s->first[id]; i != NO_NODE && n < MAX_GROUP; i = s->next[i]) {
    if (i == id) {
      out[n++] = id;
      continue;
    }
    if (extent == EXTENT_ONE || (extent == EXTENT_CALL && frames_of(s, i) != frames_of(s, id))) continue;
    const Edits *x = edits_at(s, stage, i);
    bool same = false;
    for (uint32_t k = 0; k < x->n && !same; k++) same = same_edit(e, &x->at[k]);
    if (same && e->kind == TRIAL_LITERAL) same = edit_literal(&s->sites, e, i) == edit_literal(&s->sites, e, id);
    if (same) out[n++] = i;
  }
  return n;
}

/* Notes that an edit of the group's first node was tried for the others, too. */
static void mark(Search *s, Stage stage, const TrialEdit *e, const NodeId *group, uint32_t n, uint32_t *tried) {
  for (uint32_t m = 0; m < n; m++) {
    const Edits *y = edits_at(s, stage, group[m]);
    for (uint32_t q = 0; q < y->n; q++)
      if (same_edit(e, &y->at[q])) tried[group[m]] |= 1u << q;
  }
}

static bool try_value(void *search, TrialEdit *e, const NodeId *nodes, uint32_t n) { return try(search, e, nodes, n); }

/* No stage has more than its share; there are many other values. */
static uint64_t stage_end(const Search *s, bool values) {
  uint64_t end = trial_work(s->trial) + s->most / (values ? 4 : 6);
  return end < s->end ? end : s->end;
}

/* A stage at which other values are tried. */
static bool run_values(Search *s, Stage stage) {
  ValueSites v = {.sites = &s->sites, .proof = s->proof, .region = s->where, .next = s->next, .first = s->first,
                  .end = stage_end(s, true), .a = s->a};
  if (!s->near && stage != STAGE_OTHER) return false;
  switch (stage) {
    case STAGE_LIKE: return values_like(&v, try_value, s);
    case STAGE_TIMES: return values_times(&v, try_value, s);
    case STAGE_ROTATE: return values_rotated(&v, try_value, s);
    default: return values_other(&v, try_value, s);
  }
}

/* All places at one stage, the largest extent first; the earliest place first, unless a factor is all that is wrong:
 * that is often a last step. */
static bool run_stage(Search *s, Stage stage) {
  if (stage >= STAGE_LIKE && stage <= STAGE_OTHER) return run_values(s, stage);
  bool partial = s->sites.hints->partial;
  bool late = s->late = stage == STAGE_PARTIAL || (stage >= STAGE_LITERAL && s->sites.hints->factor != RAT_1 && !partial);
  size_t len = s->sites.g->nodes.len;
  uint64_t end = stage_end(s, false);
  for (Extent extent = 0; extent < EXTENT_COUNT; extent++) {
    uint32_t *tried = ARENA_ARRAY(s->a, uint32_t, len + 1); /* by node: edits tried with another node, by bit */
    for (size_t j = 0; j < len; j++) {
      NodeId i = (NodeId)(late ? len - 1 - j : j), group[MAX_GROUP];
      if (!s->where[i] || s->sites.hints->near[i] != s->near) continue;
      const Edits *x = edits_at(s, stage, i);
      for (uint32_t k = 0; k < x->n; k++) {
        TrialEdit e = x->at[k];
        if (trial_exhausted(s->trial) || trial_work(s->trial) > end) return false;
        if (tried[i] >> k & 1) continue;
        uint32_t n = group_of(s, stage, i, &e, extent, group);
        if (extent && n == group_of(s, stage, i, &e, extent - 1, (NodeId[MAX_GROUP]){0})) continue;
        mark(s, stage, &e, group, n, tried);
        if (try(s, &e, group, n)) return true;
      }
    }
  }
  return false;
}

/* Of two changes that repair as much: the better explanation, that of fewer operators, the one to be tried first. */
static bool better(const Search *s, uint32_t x, uint32_t y) {
  const Repair *p = &s->found[x], *q = &s->found[y];
  if (s->weight[x] != s->weight[y]) return s->weight[x] > s->weight[y];
  if ((p->n == 1) != (q->n == 1)) return p->n == 1;
  return s->order[x] < s->order[y];
}

/* Of what was found: those that help most, each with something of its own. */
static uint32_t choose(Search *s, Repair *out) {
  bool *done = ARENA_ARRAY(s->a, bool, s->n_outputs + 1);
  uint32_t n = 0;
  while (n < REPAIR_MOST) {
    uint32_t best = MAX_FOUND, most = 0;
    for (uint32_t i = 0; i < s->n_found; i++) {
      uint32_t fresh = 0;
      if (s->weight[i] < 0) continue; /* taken */
      for (uint32_t k = 0; k < s->n_outputs; k++) fresh += s->found[i].fixed[k] && (!done[k] || s->found[i].whole);
      if (fresh > most || (fresh && fresh == most && better(s, i, best))) most = fresh, best = i;
    }
    if (best == MAX_FOUND) break;
    out[n++] = s->found[best];
    s->weight[best] = -1;
    for (uint32_t k = 0; k < s->n_outputs; k++) done[k] |= s->found[best].fixed[k];
  }
  return n;
}

/* What is tried in which order: the surest everywhere before the others near the suspects. */
static const struct {
  Stage stage;
  bool near;
} plan[] = {
    {STAGE_SUM, true},     {STAGE_COLLECTIVE, true}, {STAGE_SUM, false},     {STAGE_COLLECTIVE, false},
    {STAGE_PARTIAL, true}, {STAGE_ROTATE, true},     {STAGE_LITERAL, true},  {STAGE_LITERAL, false},
    {STAGE_ORDER, true},   {STAGE_DROP, true},       {STAGE_ORDER, false},   {STAGE_TIMES, true},
    {STAGE_LIKE, true},    {STAGE_OFFSET, true},     {STAGE_DROP, false},    {STAGE_OTHER, false},
    {STAGE_OFFSET, false}, {STAGE_ANY, true},        {STAGE_ANY, false},
};

/* Whether a stage may still tell more when something was found. */
static bool plan_on(Stage stage) { return stage < STAGE_OFFSET || stage == STAGE_LIKE || stage == STAGE_TIMES; }

static bool run_plan(Search *s) {
  for (size_t k = 0; k < sizeof plan / sizeof *plan; k++) {
    s->near = plan[k].near;
    if ((!s->n_whole || plan_on(plan[k].stage)) && run_stage(s, plan[k].stage)) return true;
  }
  return false;
}

uint32_t repair_find(const Proof *proof, const ExactProblem *e, ExactRun *first, const RepairHints *hints, Arena *a,
                     Repair out[REPAIR_MOST]) {
  Search s = {.proof = proof, .problem = e, .a = a, .n_outputs = proof->n_outputs};
  size_t nodes = e->dist.graph->nodes.len;
  s.most = nodes > FEW_NODES ? (uint64_t)MAX_WORK * FEW_NODES / nodes : MAX_WORK;
  s.trial = trial_new(e, e->options.seed, first, s.most);
  uint32_t n = 0;
  if (s.trial) sites_make(&s.sites, proof, hints, s.trial, a);
  if (s.trial && find_region(&s)) {
    uint64_t begun = trial_work(s.trial);
    for (s.whole = true;; s.whole = false) {
      s.end = s.whole && s.n_wrong > 1 ? begun + s.most / 4 * 3 : UINT64_MAX;
      s.where = s.outer;
      if (run_plan(&s)) break;
      s.where = s.inner;
      if (run_plan(&s) || !s.whole || s.n_wrong == 1 || s.n_whole) break;
    }
    n = choose(&s, out);
  }
  trial_free(s.trial);
  trial_free(s.second);
  return n;
}
