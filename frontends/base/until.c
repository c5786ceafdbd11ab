#include "frontends/base/until.h"

#include "frontends/base/agree.h"

enum { MAX_TURNS = 64, MAX_ADDED = 100000 };

bool until_turn(Until *u, Graph *g, NodeId flag, const NodeId *before, uint32_t n) {
  if (u->turns.len == MAX_TURNS || g->nodes.len - u->begin > MAX_ADDED) return false;
  vec_push(&u->turns, (Turn){flag, g->nodes.len, arena_copy(&g->arena, before, n * sizeof *before)});
  return true;
}

void until_choose(const Until *u, Composer *c, NodeId *values, uint32_t n) {
  size_t last = c->g->nodes.len;
  for (size_t t = u->turns.len; t-- > 0; last = u->turns.at[t].end) {
    const Turn *turn = &u->turns.at[t];
    for (uint32_t k = 0; k < n; k++) {
      NodeId x = turn->before[k], y = values[k];
      if (y == NO_NODE) continue;
      const Node like = *compose_node(c, y);
      if (x != y) y = compose(c, "select", like.dtype, like.rank, like.dims, (NodeId[]){turn->flag, y, x}, 3, NULL, 0);
      values[k] = agree_on(c, y, turn->flag, turn->end, last);
    }
  }
}

void until_free(Until *u) { vec_free(&u->turns); }
