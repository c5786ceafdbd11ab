/* Suspects by trial: changes of the distributed graph that make outputs right (repair.h). */
#include <string.h>

#include "eval/blame/blame_parts.h"
#include "eval/blame/repair.h"

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

static Sym at_line(const Finder *f, NodeId id) {
  NodeId at = f->place[SIDE_DIST][id];
  return at == NO_NODE ? 0 : node_at(graph(f, SIDE_DIST), at);
}

void blame_repairs(Finder *f, const ExactProblem *e, const ExactReport *report) {
  if (report->work > REPAIR_LARGEST) return;
  size_t len = graph(f, SIDE_DIST)->nodes.len;
  bool *settled = ARENA_ARRAY(&f->b->arena, bool, len), *index = ARENA_ARRAY(&f->b->arena, bool, len);
  bool *moves = ARENA_ARRAY(&f->b->arena, bool, len), *given = ARENA_ARRAY(&f->b->arena, bool, len);
  bool *related = ARENA_ARRAY(&f->b->arena, bool, len);
  for (size_t i = 0; i < len; i++) {
    const Node *n = node(f, SIDE_DIST, (NodeId)i);
    given[i] = n->op == sym("parameter") || (n->op == sym("copy") && given[n->args[0]]);
    moves[i] = relatives_moved(&f->rel, (NodeId)i) != NO_NODE;
    settled[i] = !moves[i] && relatives_equal(&f->rel, (NodeId)i);
    Relatedness is = relatives_of(&f->rel, (NodeId)i);
    index[i] = is == REL_INDEX;
    related[i] = is == REL_SAME || is == REL_SUMMED;
  }
  NodeId lost[REPAIR_LOST];
  uint32_t n_lost = f->n_turned;
  memcpy(lost, f->turned, n_lost * sizeof *lost);
  n_lost += relatives_lost(&f->rel, on_the_way(f), lost + n_lost, REPAIR_LOST - n_lost);
  RepairHints hints = {.near = near_suspects(f, moves),
                       .place = f->place[SIDE_DIST],
                       .summed = f->rel.summed,
                       .maxed = f->rel.maxed,
                       .moves = moves,
                       .settled = settled,
                       .index = index,
                       .given = given,
                       .related = related,
                       .lost = lost,
                       .n_lost = n_lost,
                       .factor = RAT_1};
  for (uint32_t k = 0; k < report->n_outputs && k < f->b->n_outputs; k++) {
    const ExactHolds *h = &report->outputs[k].holds;
    if (!f->open[k] || !h->found) continue;
    if (!hints.partial) hints.partial = blame_axis_set(h->partial, h->n_partial);
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
    blame_accuse(f, SIDE_DIST, id, k, SURE - 2 * i, NULL, NULL, NULL);
    if (r->summed) blame_misses_sum(f, id, r->summed);
    bool one_line = true;
    for (uint32_t j = 1; j < r->n; j++) one_line &= at_line(f, r->nodes[j]) == at_line(f, id);
    const char *more =
        r->n > 1 ? arena_printf(a, " (and %u more %s)", r->n - 1, one_line ? "of this line" : "like it") : "";
    const char *name = sym_text(f->p->problem.relation->outputs[k].name);
    const char *what = r->every          ? "every output is right"
                       : r->n_fixed == 1 ? arena_printf(a, "%s is right", name)
                                         : arena_printf(a, "%u outputs are right", r->n_fixed);
    for (size_t j = 0; j < f->found.len; j++)
      if (f->found.at[j].side == SIDE_DIST && f->found.at[j].node == id)
        f->score.at[j] = SURE - 2 * i, f->found.at[j].group = r->nodes, f->found.at[j].n_group = r->n,
        f->found.at[j].fix = arena_printf(a, "%s%s, %s", r->text, more, what);
  }
}
