#include "eval/verdict/place.h"

NodeId *place_nodes(const Graph *g, Arena *a) {
  size_t len = g->nodes.len;
  NodeId *at = ARENA_ARRAY(a, NodeId, len + 1);
  memset(at, 0xff, (len + 1) * sizeof *at);
  for (size_t i = 0; i < len; i++) /* the first user */
    for (uint32_t k = 0; k < g->nodes.at[i].n_args; k++)
      if (at[g->nodes.at[i].args[k]] == NO_NODE) at[g->nodes.at[i].args[k]] = (NodeId)i;
  for (size_t i = len; i-- > 0;) {
    if (node_at(g, (NodeId)i)) at[i] = (NodeId)i;
    else if (at[i] != NO_NODE) at[i] = at[at[i]];
  }
  return at;
}
