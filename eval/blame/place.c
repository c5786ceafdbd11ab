#include "eval/blame/place.h"

#include <stdlib.h>

/* A literal or a copy that has no line but that of a call in which it is used. */
static bool called_from(const Graph *g, NodeId user, NodeId id) {
  const Node *n = &g->nodes.at[id];
  if (n->op != sym("constant") && n->op != sym("copy") && n->op != sym("parameter")) return false;
  const Frames *f = &g->frames.at[g->nodes.at[user].frames];
  for (uint32_t k = 1; k < f->n; k++)
    if (f->at[k] == node_at(g, id)) return true;
  return false;
}

NodeId *place_nodes(const Graph *g, Arena *a) {
  size_t len = g->nodes.len;
  NodeId *at = ARENA_ARRAY(a, NodeId, len + 1);
  memset(at, 0xff, (len + 1) * sizeof *at);
  for (size_t i = 0; i < len; i++) /* the first user */
    for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++)
      if (at[g->nodes.at[i].args[k]] == NO_NODE) at[g->nodes.at[i].args[k]] = (NodeId)i;
  for (size_t i = len; i-- > 0;) {
    NodeId user = at[i] == NO_NODE ? NO_NODE : at[at[i]];
    if (!node_at(g, (NodeId)i) || (user != NO_NODE && called_from(g, user, (NodeId)i)))
      at[i] = user;
    else
      at[i] = (NodeId)i;
  }
  for (size_t i = 0; i < len; i++) /* that of the last operand, for what makes an output */
    for (uint32_t k = g->nodes.at[i].n_args; k-- > 0 && at[i] == NO_NODE;) at[i] = at[g->nodes.at[i].args[k]];
  return at;
}

static bool among(const Frames *f, Sym at) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->at[k] == at) return true;
  return false;
}

static bool runs(const Graph *g, Sym at) {
  for (size_t i = 0; i < g->frames.len; i++)
    if (among(&g->frames.at[i], at)) return true;
  return false;
}

/* More than a quarter of the operators that say where they come from. */
static bool calls_much(const Graph *g, Sym at) {
  bool *from = xcalloc(g->frames.len + 1, 1);
  size_t n = 0, of = 0;
  for (size_t i = 0; i < g->frames.len; i++) from[i] = among(&g->frames.at[i], at);
  for (size_t i = 0; i < g->nodes.len; i++) {
    n += from[g->nodes.at[i].frames];
    of += g->frames.at[g->nodes.at[i].frames].n > 0;
  }
  free(from);
  return 4 * n > of;
}

uint32_t place_shown(const Graph *g, const Graph *other, const Frames *f) {
  for (uint32_t k = 0; k < f->n; k++)
    if (!runs(other, f->at[k])) return k && calls_much(g, f->at[k]) ? 0 : k;
  return 0;
}
