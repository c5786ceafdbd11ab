#include "eval/datalog/uf.h"

void uf_free(Uf *u) {
  vec_free(&u->parent);
  vec_free(&u->log);
  vec_free(&u->trail);
}

uint32_t uf_make(Uf *u) {
  uint32_t id = (uint32_t)u->parent.len;
  vec_push(&u->parent, id);
  return id;
}

static void set_parent(Uf *u, uint32_t id, uint32_t to) {
  if (u->marks) vec_push(&u->trail, (UfWrite){id, u->parent.at[id]});
  u->parent.at[id] = to;
}

uint32_t uf_link(Uf *u, uint32_t a, uint32_t b, uint32_t reason, uint32_t tag) {
  uint32_t loser = uf_find(u, a), winner = uf_find(u, b);
  if (loser == winner) return UF_NONE;
  set_parent(u, loser, winner);
  vec_push(&u->log, (UfUnion){loser, winner, a, b, reason, tag});
  return loser;
}

uint32_t uf_union(Uf *u, uint32_t a, uint32_t b, uint32_t reason, uint32_t tag) {
  return uf_find(u, a) < uf_find(u, b) ? uf_link(u, b, a, reason, tag) : uf_link(u, a, b, reason, tag);
}

UfMark uf_mark(Uf *u) {
  u->marks++;
  return (UfMark){u->parent.len, u->log.len, u->trail.len};
}

void uf_undo(Uf *u, UfMark m) {
  while (u->trail.len > m.writes) {
    UfWrite w = vec_pop(&u->trail);
    u->parent.at[w.id] = w.old;
  }
  u->parent.len = m.ids;
  u->log.len = m.unions;
  u->marks--;
}

uint32_t *uf_edges(const Uf *u) {
  uint32_t *up = xcalloc(u->parent.len ? u->parent.len : 1, sizeof *up);
  for (size_t i = 0; i < u->log.len; i++) up[u->log.at[i].loser] = (uint32_t)i + 1;
  return up;
}

static uint32_t depth_of(const Uf *u, const uint32_t *up, uint32_t x) {
  uint32_t d = 0;
  for (; up[x]; x = u->log.at[up[x] - 1].winner) d++;
  return d;
}

typedef struct {
  uint32_t from, to; /* equation to explain, or */
  uint32_t edge;     /* index + 1 of an edge to report */
  bool forward;
} Goal;

typedef Vec(Goal) Goals;

/* Pushes, last first, what leads from x to y.  The latest union on the path between them splits it into two earlier
 * ones. */
static bool split(const Uf *u, const uint32_t *up, Goals *goals, uint32_t x, uint32_t y) {
  uint32_t a = x, b = y, best = 0;
  bool left = false;
  uint32_t da = depth_of(u, up, a), db = depth_of(u, up, b);
  while (a != b) {
    bool climb_a = da >= db;
    uint32_t *at = climb_a ? &a : &b;
    if (!up[*at]) return false;
    if (up[*at] > best) best = up[*at], left = climb_a;
    *at = u->log.at[up[*at] - 1].winner;
    climb_a ? da-- : db--;
  }
  if (!best) return true;
  const UfUnion *e = &u->log.at[best - 1];
  vec_push(goals, (Goal){left ? e->b : e->a, y, 0, false});
  vec_push(goals, (Goal){0, 0, best, left});
  vec_push(goals, (Goal){x, left ? e->a : e->b, 0, false});
  return true;
}

bool uf_path(const Uf *u, const uint32_t *up, uint32_t a, uint32_t b, UfStep *step, void *ctx) {
  Goals goals = {0};
  vec_push(&goals, (Goal){a, b, 0, false});
  bool ok = true;
  while (ok && goals.len) {
    Goal g = vec_pop(&goals);
    if (g.edge)
      step(ctx, &u->log.at[g.edge - 1], g.forward);
    else
      ok = split(u, up, &goals, g.from, g.to);
  }
  vec_free(&goals);
  return ok;
}

bool uf_explain(const Uf *u, uint32_t a, uint32_t b, UfStep *step, void *ctx) {
  uint32_t *up = uf_edges(u);
  bool ok = uf_path(u, up, a, b, step, ctx);
  free(up);
  return ok;
}
