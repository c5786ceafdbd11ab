/* Messages: what ranks send each other, (tensor, peer, tag, group).
 *
 * What a rank receives is what was sent to it, first in first out; over all ranks that is a permutation, of every value that
 * was sent, which is 0 elsewhere.  What arrives is remembered, rank by rank: where ranks with different programs take
 * different ones of such values, or zeros, as those do that have no neighbour on one side, it is one permutation again. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { MOST_REMEMBERED = 1 << 22 /* ranks, over all that arrives */ };
enum { NOTHING = -1 /* a zero stands there */, ANYTHING = -2 /* nobody looks */ };

void messages_begin(Lower *l) {
  l->sent = ARENA_ARRAY(&l->arena, uint32_t, l->p->n_ranks);
  l->sent_last = ARENA_ARRAY(&l->arena, uint32_t, l->p->n_ranks);
}

/* Other groups of the same ranks have messages of their own. */
static bool peer_of(const Lower *l, const TorchNode *n, int64_t rank, LowerPeer *out) {
  const TorchArg *group = n->n_args > 3 ? &n->args[3] : NULL;
  if (group && group->ranks) group = &group->ranks[rank];
  out->group = group && group->kind == TA_GROUP ? group->i : -1;
  return n->n_args >= 3 && arg_int_at(&n->args[1], rank, -1, &out->rank) && out->rank >= 0 &&
         out->rank < l->p->n_ranks && arg_int_at(&n->args[2], rank, 0, &out->tag);
}

static void result(Lower *l, LowerThread *t, NodeId x) {
  l->value = thread_value(t);
  l->first[l->value] = (uint32_t)l->results.len;
  vec_push(&l->results, (LowerValue){.node = x, .whole = NO_NODE});
  t->next++;
}

/* ---- what arrives, as a node */
/* All of it comes from one place of some axes: then everyone may have it, for who does not receive may hold anything. */
static NodeId from_place(Lower *l, const Arrival *t) {
  const Mesh *m = &l->p->mesh;
  int64_t *from = ARENA_ARRAY(&l->arena, int64_t, m->n_axes), *to = ARENA_ARRAY(&l->arena, int64_t, m->n_axes),
      *place = ARENA_ARRAY(&l->arena, int64_t, m->n_axes), first = -1, source = 0;
  bool *differs = ARENA_ARRAY(&l->arena, bool, m->n_axes);
  uint32_t *axes = ARENA_ARRAY(&l->arena, uint32_t, m->n_axes), n_axes = 0, size;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    if (t->from[r] == ANYTHING) continue;
    if (t->from[r] == NOTHING) return NO_NODE;
    if (first < 0) mesh_coordinate(m, t->from[first = r], place);
    if (t->value[r] != t->value[first]) return NO_NODE;
    mesh_coordinate(m, t->from[r], from);
    mesh_coordinate(m, r, to);
    for (uint32_t a = 0; a < m->n_axes; a++) differs[a] |= from[a] != to[a];
  }
  for (int64_t r = 0; r < l->p->n_ranks && first >= 0; r++) {
    if (t->from[r] == ANYTHING) continue;
    mesh_coordinate(m, t->from[r], from);
    for (uint32_t a = 0; a < m->n_axes; a++)
      if (differs[a] && from[a] != place[a]) return NO_NODE;
  }
  if (first < 0) return NO_NODE;
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (!differs[a]) continue;
    axes[n_axes++] = a;
    source = source * m->axes[a].size + place[a];
  }
  const int64_t *groups = mesh_groups(m, axes, n_axes, &l->arena, &size);
  Attr at[] = {{.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = size, .ints = groups,
                .n = (uint32_t)m->n_devices},
               attr_int("source", source)};
  Node n = *node_of(l, t->value[first]);
  return make(l, "broadcast_from", n.dtype, n.rank, n.dims, &t->value[first], 1, at, 2);
}

/* For every value that was sent, a permutation that is 0 elsewhere. */
static NodeId permutations(Lower *l, const Arrival *t) {
  NodeId x = NO_NODE;
  for (int64_t k = 0; k < l->p->n_ranks; k++) {
    bool before = t->from[k] < 0;
    for (int64_t r = 0; r < k && !before; r++) before = t->from[r] >= 0 && t->value[r] == t->value[k];
    if (before) continue;
    Vec(int64_t) pairs = {0};
    for (int64_t r = k; r < l->p->n_ranks; r++)
      if (t->from[r] >= 0 && t->value[r] == t->value[k]) {
        vec_push(&pairs, t->from[r]);
        vec_push(&pairs, r);
      }
    Attr a = {.name = sym("source_target_pairs"), .kind = ATTR_PAIRS, .ints = pairs.at, .n = (uint32_t)pairs.len};
    Node n = *node_of(l, t->value[k]);
    NodeId y = make(l, "collective_permute", n.dtype, n.rank, n.dims, &t->value[k], 1, &a, 1);
    vec_free(&pairs);
    x = x == NO_NODE ? y : make_binary(l, "add", x, y);
  }
  return x;
}

static NodeId arrive(Lower *l, Arrival *t) {
  t->node = from_place(l, t);
  if (t->node == NO_NODE) t->node = permutations(l, t);
  if (t->node != NO_NODE && l->arrivals.len < (size_t)(MOST_REMEMBERED / l->p->n_ranks)) vec_push(&l->arrivals, *t);
  return t->node;
}

static Arrival arrival(Lower *l) {
  Arrival t = {.node = NO_NODE,
               .from = ARENA_ARRAY(&l->arena, int64_t, l->p->n_ranks),
               .value = ARENA_ARRAY(&l->arena, NodeId, l->p->n_ranks)};
  for (int64_t r = 0; r < l->p->n_ranks; r++) t.from[r] = ANYTHING;
  return t;
}

static const Arrival *find_arrival(const Lower *l, NodeId x) {
  size_t lo = 0, hi = l->arrivals.len; /* in the order of their nodes */
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (l->arrivals.at[mid].node < x) lo = mid + 1;
    else hi = mid;
  }
  return lo < l->arrivals.len && l->arrivals.at[lo].node == x ? &l->arrivals.at[lo] : NULL;
}

NodeId messages_by_rank(Lower *l, const NodeId *of) {
  bool any = false;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    const Literal *lit = of[r] == NO_NODE ? NULL : node_of(l, of[r])->literal;
    bool arrives = of[r] != NO_NODE && find_arrival(l, of[r]);
    any |= arrives;
    if (!arrives && !(lit && lit->kind == LIT_SPLAT && lit->values[0] == RAT_0)) return NO_NODE;
  }
  if (!any) return NO_NODE;
  Arrival t = arrival(l);
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    const Arrival *x = find_arrival(l, of[r]);
    t.from[r] = x ? x->from[r] : NOTHING;
    if (x) t.value[r] = x->value[r];
  }
  return arrive(l, &t);
}

/* ---- sends and receives */
bool lower_send(Lower *l, LowerThread *t) {
  const TorchNode *n = l->node = thread_node(t);
  const TorchType *sent = n->outs;
  if (!n->n_args || n->args[0].kind != TA_TENSOR || n->n_outs != 1 || !sent->tensor)
    return lower_error(l, E_UNSUPPORTED, "a send that is not understood");
  const NodeId *value = arg_by_rank(l, &n->args[0]);
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    LowerSend item = {.from = r, .value = value[r], .name = n->name, .line = n->line};
    if (!t->set->member[r]) continue;
    if (item.value == NO_NODE) return lower_error(l, E_UNSUPPORTED, "a send that is not understood");
    if (!peer_of(l, n, r, &item.to))
      return lower_error(l, E_COLLECTIVE, "rank %lld sends to no rank of the mesh", (long long)r);
    vec_push(&l->sends, item);
    uint32_t *last = &l->sent_last[r];
    *(l->sent[r] ? &l->sends.at[*last - 1].next : &l->sent[r]) = (uint32_t)l->sends.len;
    *last = (uint32_t)l->sends.len;
  }
  result(l, t, make_splat(l, sent->dtype, sent->rank, sent->dims, RAT_0));
  return true;
}

static LowerSend *find_send(Lower *l, const LowerPeer *from, int64_t to) {
  uint32_t *first = &l->sent[from->rank];
  while (*first && l->sends.at[*first - 1].received) *first = l->sends.at[*first - 1].next;
  for (uint32_t k = *first; k; k = l->sends.at[k - 1].next) {
    LowerSend *m = &l->sends.at[k - 1];
    if (!m->received && m->to.rank == to && m->to.tag == from->tag && m->to.group == from->group) return m;
  }
  return NULL;
}

static bool fits(const Lower *l, const LowerSend *m) {
  const TorchType *t = &l->node->outs[0];
  const Node *v = node_of(l, m->value);
  return v->rank == t->rank && v->dtype == t->dtype &&
      (!t->rank || !memcmp(v->dims, t->dims, t->rank * sizeof *t->dims));
}

Step lower_receive(Lower *l, LowerThread *t) {
  const TorchNode *n = l->node = thread_node(t);
  LowerSend **items = ARENA_ARRAY(&l->arena, LowerSend *, l->p->n_ranks);
  uint32_t n_items = 0;
  if (n->n_outs != 1 || !n->outs[0].tensor || n->outs[0].dtype == DT_C64 || n->outs[0].dtype == DT_PRED)
    return lower_error(l, E_UNSUPPORTED, "a receive that is not understood"), STEP_FAILED;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    LowerPeer from;
    if (!t->set->member[r]) continue;
    if (!peer_of(l, n, r, &from))
      return lower_error(l, E_COLLECTIVE, "rank %lld receives from no rank of the mesh", (long long)r), STEP_FAILED;
    if (!(items[n_items] = find_send(l, &from, r))) return STEP_WAITS;
    n_items++;
  }
  Arrival all = arrival(l);
  for (uint32_t k = 0; k < n_items; k++) {
    const LowerSend *m = items[k];
    if (!fits(l, m))
      return lower_error(l, E_COLLECTIVE, "what rank %lld sends has another type than the buffer of rank %lld",
                         (long long)m->from, (long long)m->to.rank), STEP_FAILED;
    items[k]->received = true;
    all.from[m->to.rank] = m->from;
    all.value[m->to.rank] = m->value;
  }
  NodeId x = arrive(l, &all);
  if (x == NO_NODE) return STEP_FAILED;
  result(l, t, x);
  return STEP_MOVED;
}

void messages_missing(Lower *l, const LowerThread *t, bool *on) {
  const TorchNode *n = thread_node(t);
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    LowerPeer from;
    if (t->set->member[r] && peer_of(l, n, r, &from) && !find_send(l, &from, r)) on[from.rank] = true;
  }
}

bool messages_received(Lower *l) {
  for (size_t k = 0; k < l->sends.len; k++) {
    const LowerSend *m = &l->sends.at[k];
    if (!m->received)
      return torch_fault(l->p, &(TorchNode){.name = m->name, .line = m->line}, E_COLLECTIVE,
                         "%s: what rank %lld sends, rank %lld never receives", sym_text(m->name), (long long)m->from,
                         (long long)m->to.rank);
  }
  return true;
}
