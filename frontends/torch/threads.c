/* Sets of ranks with different programs, run side by side until they meet.
 *
 * Every operator is lowered for all devices; on ranks of other sets its value is nobody's business.  A collective waits
 * until every set with a rank in one of its groups has come to it; its operand is then, on each rank, that of the rank's own
 * set.  A receive waits for its sends, first in first out, and becomes a permutation of what was sent.  An operator that all
 * programs have in common (align.c) is run once for all as well, where nobody has to wait for that in vain.  When nothing
 * moves any more the programs do not fit together, or hang. */
#include <string.h>

#include "frontends/torch/lower.h"

enum { AWAITED = 8 /* ranks that are named */ };

static const TorchNode *current(const LowerThread *t) { return t->next < t->set->n_nodes ? &t->set->nodes[t->next]
                                                       : NULL; }
static uint32_t number(const LowerThread *t) { return t->set->n_inputs + t->set->n_constants + t->next; }

static bool is_op(const TorchNode *n, const char *name) {
  const char *text = sym_text(n->op);
  size_t len = strlen(name);
  return !strncmp(text, name, len) && (text[len] == '.' || !text[len]);
}

static const TorchArg *group_arg(const TorchNode *n) {
  for (uint32_t k = 0; k < n->n_args; k++)
    if (n->args[k].kind == TA_GROUP) return &n->args[k];
  for (uint32_t k = 0; k < n->n_kwargs; k++)
    if (n->kwargs[k].kind == TA_GROUP) return &n->kwargs[k];
  return NULL;
}

NodeId make_on(Lower *l, const TorchSet *set, NodeId y, NodeId x) {
  if (x == NO_NODE || y == NO_NODE) return NO_NODE;
  if (x == y) return x;
  Node n = *node_of(l, x), m = *node_of(l, y);
  if (n.rank != m.rank || n.dtype != m.dtype || (n.rank && memcmp(n.dims, m.dims, n.rank * sizeof *n.dims)))
    return NO_NODE;
  NodeId parts = packed_on(l, set, y, x);
  if (parts != NO_NODE) return parts;
  Rat *on = ARENA_ARRAY(&l->arena, Rat, l->p->n_ranks);
  for (int64_t r = 0; r < l->p->n_ranks; r++) on[r] = set->member[r] ? RAT_1 : RAT_0;
  NodeId args[] = {make_by_rank(l, DT_PRED, on), y, x};
  return make(l, "select", n.dtype, n.rank, n.dims, args, 3, NULL, 0);
}

/* ---- collectives */
/* Sets with a rank in a group of one of the sets in `in`; in[] grows. */
static void close_over(const Lower *l, const TorchGroup *g, bool *in) {
  const TorchProgram *p = l->p;
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < g->n; k++) {
      bool touched = false;
      for (uint32_t s = 0; s < p->n_sets; s++)
        for (uint32_t i = 0; in[s] && i < g->size; i++) touched |= p->sets[s].member[g->ranks[k * g->size + i]];
      for (uint32_t s = 0; touched && s < p->n_sets; s++)
        for (uint32_t i = 0; !in[s] && i < g->size; i++)
          if (p->sets[s].member[g->ranks[k * g->size + i]]) in[s] = more = true;
    }
  }
}

static bool same_meeting(const TorchNode *a, const TorchNode *b) {
  if (!b || a->op != b->op || a->n_args != b->n_args || a->n_kwargs || b->n_kwargs || a->n_outs != b->n_outs)
    return false;
  const TorchArg *g = group_arg(a), *h = group_arg(b);
  return g && h && g->i == h->i;
}

/* Sets that stand at one operator, which is run once for all: every operand is, per rank, that of its own set. */
typedef struct Meeting {
  Lower *l;
  const bool *in, *member; /* which sets; their ranks */
  uint32_t base;           /* the first of them, whose numbers are used */
  uint32_t operand;        /* number for the next operand that differs */
  NodeId first;            /* made for any of them */
} Meeting;

static Meeting meeting(Lower *l, const bool *in) {
  Meeting m = {.l = l, .in = in, .first = (NodeId)l->g->nodes.len};
  bool *member = ARENA_ARRAY(&l->arena, bool, l->p->n_ranks);
  while (!in[m.base]) m.base++;
  for (uint32_t s = 0; s < l->p->n_sets; s++)
    for (int64_t r = 0; in[s] && r < l->p->n_ranks; r++) member[r] |= l->p->sets[s].member[r];
  const TorchSet *set = l->threads[m.base].set;
  m.member = member;
  m.operand = set->n_inputs + set->n_constants + set->n_nodes;
  return m;
}

/* of[s]: the argument of set s. */
static TorchArg met_literal(const Meeting *m, const TorchArg *const *of) {
  Lower *l = m->l;
  TorchArg out = *of[m->base];
  bool same = true;
  TorchArg *ranks = ARENA_ARRAY(&l->arena, TorchArg, l->p->n_ranks);
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    if (!m->in[s]) continue;
    same &= arg_uniform(of[s]) && torch_same_literal(&out, of[s]);
    for (int64_t r = 0; r < l->p->n_ranks; r++)
      if (s == m->base || l->p->sets[s].member[r]) ranks[r] = of[s]->ranks ? of[s]->ranks[r] : *of[s];
  }
  if (same) return out;
  for (int64_t r = 0; r < l->p->n_ranks && out.kind == TA_LIST; r++) { /* lists whose elements vary, at one rank */
    TorchArg *list = arena_copy(&l->arena, ranks[r].list, ranks[r].n * sizeof *list);
    for (uint32_t i = 0; i < ranks[r].n; i++)
      if (list[i].ranks) list[i] = list[i].ranks[r];
    ranks[r].list = list;
  }
  out.ranks = ranks;
  return out;
}

/* false: they have different types. */
static bool met_operand(Meeting *m, const TorchArg *const *of, TorchArg *out) {
  Lower *l = m->l;
  const LowerThread *base = &l->threads[m->base];
  NodeId x = NO_NODE;
  bool complex = false, same = true;
  for (uint32_t s = 0; s < l->p->n_sets && same; s++)
    if (m->in[s])
      same = of[s]->kind == TA_TENSOR && !of[s]->ranks &&
             l->threads[s].first[of[s]->i] + of[s]->result == base->first[of[m->base]->i] + of[m->base]->result;
  *out = *of[m->base];
  if (same) return true;
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    if (!m->in[s]) continue;
    l->first = l->threads[s].first;
    NodeId y = arg_tensor(l, of[s]);
    bool other = arg_complex(l, of[s]);
    x = s == m->base ? y : other == complex ? make_on(l, &l->p->sets[s], y, x) : NO_NODE;
    complex = other;
    if (x == NO_NODE) return false;
  }
  l->first = base->first;
  l->first[m->operand] = (uint32_t)l->results.len;
  vec_push(&l->results, (LowerValue){.node = x, .complex = complex, .whole = NO_NODE});
  *out = (TorchArg){.kind = TA_TENSOR, .i = m->operand++};
  return true;
}

static bool met_arg(Meeting *m, const TorchArg *const *of, TorchArg *out) {
  Lower *l = m->l;
  const TorchArg *base = of[m->base];
  if (base->kind == TA_TENSOR) return met_operand(m, of, out);
  if (base->kind != TA_LIST || base->ranks || !torch_has_tensor(base)) return *out = met_literal(m, of), true;
  const TorchArg **part = ARENA_ARRAY(&l->arena, const TorchArg *, l->p->n_sets);
  *out = *base;
  out->list = ARENA_ARRAY(&l->arena, TorchArg, base->n);
  for (uint32_t k = 0; k < base->n; k++) {
    for (uint32_t s = 0; s < l->p->n_sets; s++) {
      if (!m->in[s]) continue;
      if (of[s]->kind != TA_LIST || of[s]->n != base->n || of[s]->ranks) return false;
      part[s] = &of[s]->list[k];
    }
    if (!met_arg(m, part, &out->list[k])) return false;
  }
  return true;
}

/* The operator with the operands of all; false: they do not fit. */
static bool met_node(Meeting *m, TorchNode *out) {
  Lower *l = m->l;
  const TorchNode *n = current(&l->threads[m->base]);
  const TorchArg **of = ARENA_ARRAY(&l->arena, const TorchArg *, l->p->n_sets);
  l->node = n;
  *out = *n;
  out->args = ARENA_ARRAY(&l->arena, TorchArg, n->n_args + 1);
  out->kwargs = ARENA_ARRAY(&l->arena, TorchArg, n->n_kwargs + 1);
  for (uint32_t k = 0; k < n->n_args + n->n_kwargs; k++) {
    bool word = k >= n->n_args;
    for (uint32_t s = 0; s < l->p->n_sets; s++)
      if (m->in[s])
        of[s] = word ? &current(&l->threads[s])->kwargs[k - n->n_args] : &current(&l->threads[s])->args[k];
    if (!met_arg(m, of, word ? &out->kwargs[k - n->n_args] : &out->args[k])) return false;
  }
  return true;
}

/* Runs it: its results are those of every set. */
static bool met_run(const Meeting *m, const TorchNode *met) {
  Lower *l = m->l;
  LowerThread *t = &l->threads[m->base];
  uint32_t value = number(t);
  l->first = t->first;
  l->member = m->member;
  if (!lower_node(l, arena_copy(&l->arena, met, sizeof *met), value, m->first)) return false;
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    LowerThread *u = &l->threads[s];
    if (!m->in[s]) continue;
    u->first[number(u)] = t->first[value];
    if (u != t) u->next++;
  }
  t->next++;
  return true;
}

/* The sets of `in` stand at one collective. */
static bool meet(Lower *l, const bool *in) {
  Meeting m = meeting(l, in);
  TorchNode met;
  if (!met_node(&m, &met))
    return lower_error(l, E_COLLECTIVE, "ranks come to this collective with tensors of different types");
  for (uint32_t s = 0; s < l->p->n_sets; s++)
    if (in[s] && !torch_same_results(&met, current(&l->threads[s])))
      return lower_error(l, E_COLLECTIVE, "ranks expect results of different types of this collective");
  return met_run(&m, &met);
}

typedef enum Step { STEP_MOVED, STEP_WAITS, STEP_FAILED } Step;

static Step run_alone(Lower *l, uint32_t s) {
  LowerThread *t = &l->threads[s];
  if (!lower_node(l, current(t), number(t), (NodeId)l->g->nodes.len)) return STEP_FAILED;
  t->next++;
  return STEP_MOVED;
}

static Step step_collective(Lower *l, uint32_t s, const TorchArg *group) {
  const TorchNode *n = current(&l->threads[s]);
  bool *in = ARENA_ARRAY(&l->arena, bool, l->p->n_sets), alone = true;
  in[s] = true;
  close_over(l, &l->p->groups[group->i], in);
  for (uint32_t k = 0; k < l->p->n_sets; k++) {
    if (k == s || !in[k]) continue;
    alone = false;
    if (!same_meeting(n, current(&l->threads[k]))) return STEP_WAITS;
  }
  if (!alone) return meet(l, in) ? STEP_MOVED : STEP_FAILED;
  return run_alone(l, s);
}

/* ---- sends and receives: (tensor, peer, tag, group) */
static bool peer_of(const Lower *l, const TorchNode *n, int64_t rank, int64_t *peer, int64_t *tag) {
  return n->n_args >= 3 && arg_int_at(&n->args[1], rank, -1, peer) && *peer >= 0 && *peer < l->p->n_ranks &&
         arg_int_at(&n->args[2], rank, 0, tag);
}

static Step step_send(Lower *l, uint32_t s) {
  LowerThread *t = &l->threads[s];
  const TorchNode *n = l->node = current(t);
  NodeId x = n->n_args ? arg_tensor(l, &n->args[0]) : NO_NODE;
  if (x == NO_NODE || n->n_outs != 1 || !n->outs[0].tensor)
    return lower_error(l, E_UNSUPPORTED, "a send that is not understood"), STEP_FAILED;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    LowerSend item = {.from = r, .value = x, .name = n->name, .line = n->line};
    if (!t->set->member[r]) continue;
    if (!peer_of(l, n, r, &item.to, &item.tag))
      return lower_error(l, E_COLLECTIVE, "rank %lld sends to no rank of the mesh", (long long)r), STEP_FAILED;
    vec_push(&l->sends, item);
    uint32_t *last = &l->sent_last[r];
    *(l->sent[r] ? &l->sends.at[*last - 1].next : &l->sent[r]) = (uint32_t)l->sends.len;
    *last = (uint32_t)l->sends.len;
  }
  l->value = number(t);
  l->first[l->value] = (uint32_t)l->results.len;
  vec_push(&l->results, (LowerValue){.node = make_splat(l, n->outs[0].dtype, n->outs[0].rank, n->outs[0].dims, RAT_0),
                                     .whole = NO_NODE});
  t->next++;
  return STEP_MOVED;
}

static LowerSend *find_send(Lower *l, int64_t from, int64_t to, int64_t tag) {
  uint32_t *first = &l->sent[from];
  while (*first && l->sends.at[*first - 1].received) *first = l->sends.at[*first - 1].next;
  for (uint32_t k = *first; k; k = l->sends.at[k - 1].next) {
    LowerSend *m = &l->sends.at[k - 1];
    if (!m->received && m->to == to && m->tag == tag) return m;
  }
  return NULL;
}

/* All receive what one place of some axes sent: then everyone may, for who does not receive may hold anything. */
static NodeId from_place(Lower *l, LowerSend **items, uint32_t n) {
  const Mesh *m = &l->p->mesh;
  int64_t *from = ARENA_ARRAY(&l->arena, int64_t, m->n_axes), *to = ARENA_ARRAY(&l->arena, int64_t, m->n_axes),
      source = 0;
  int64_t *place = ARENA_ARRAY(&l->arena, int64_t, m->n_axes);
  bool *differs = ARENA_ARRAY(&l->arena, bool, m->n_axes);
  uint32_t *axes = ARENA_ARRAY(&l->arena, uint32_t, m->n_axes), n_axes = 0, size;
  for (uint32_t k = 0; k < n; k++) {
    mesh_coordinate(m, items[k]->from, from);
    mesh_coordinate(m, items[k]->to, to);
    if (k == 0) memcpy(place, from, m->n_axes * sizeof *place);
    if (items[k]->value != items[0]->value) return NO_NODE;
    for (uint32_t a = 0; a < m->n_axes; a++) differs[a] |= from[a] != to[a];
  }
  for (uint32_t k = 0; k < n; k++) {
    mesh_coordinate(m, items[k]->from, from);
    for (uint32_t a = 0; a < m->n_axes; a++)
      if (differs[a] && from[a] != place[a]) return NO_NODE;
  }
  for (uint32_t a = 0; a < m->n_axes; a++) {
    if (!differs[a]) continue;
    axes[n_axes++] = a;
    source = source * m->axes[a].size + place[a];
  }
  const int64_t *groups = mesh_groups(m, axes, n_axes, &l->arena, &size);
  Attr at[] = {{.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = size, .ints = groups,
                .n = (uint32_t)m->n_devices},
               attr_int("source", source)};
  return make_out(l, 0, "broadcast_from", &items[0]->value, 1, at, 2);
}

static bool fits(const Lower *l, const LowerSend *m) {
  const TorchType *t = &l->node->outs[0];
  const Node *v = node_of(l, m->value);
  return v->rank == t->rank && v->dtype == t->dtype &&
      (!t->rank || !memcmp(v->dims, t->dims, t->rank * sizeof *t->dims));
}

/* What arrives: for every value that was sent, a permutation that is 0 elsewhere. */
static NodeId arrival(Lower *l, LowerSend **items, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (!fits(l, items[k]))
      return lower_error(l, E_COLLECTIVE, "what rank %lld sends has another type than the buffer of rank %lld",
                         (long long)items[k]->from, (long long)items[k]->to), NO_NODE;
  NodeId x = from_place(l, items, n);
  if (x != NO_NODE) return x;
  for (uint32_t k = 0; k < n; k++) {
    bool before = false;
    for (uint32_t i = 0; i < k; i++) before |= items[i]->value == items[k]->value;
    if (before) continue;
    Vec(int64_t) pairs = {0};
    for (uint32_t i = k; i < n; i++)
      if (items[i]->value == items[k]->value) {
        vec_push(&pairs, items[i]->from);
        vec_push(&pairs, items[i]->to);
      }
    Attr a = {.name = sym("source_target_pairs"), .kind = ATTR_PAIRS, .ints = pairs.at, .n = (uint32_t)pairs.len};
    NodeId y = make_out(l, 0, "collective_permute", &items[k]->value, 1, &a, 1);
    vec_free(&pairs);
    x = x == NO_NODE ? y : make_binary(l, "add", x, y);
  }
  return x;
}

static Step step_receive(Lower *l, uint32_t s) {
  LowerThread *t = &l->threads[s];
  const TorchNode *n = l->node = current(t);
  LowerSend **items = ARENA_ARRAY(&l->arena, LowerSend *, l->p->n_ranks);
  uint32_t n_items = 0;
  if (n->n_outs != 1 || !n->outs[0].tensor || n->outs[0].dtype == DT_C64 || n->outs[0].dtype == DT_PRED)
    return lower_error(l, E_UNSUPPORTED, "a receive that is not understood"), STEP_FAILED;
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t from, tag;
    if (!t->set->member[r]) continue;
    if (!peer_of(l, n, r, &from, &tag))
      return lower_error(l, E_COLLECTIVE, "rank %lld receives from no rank of the mesh", (long long)r), STEP_FAILED;
    if (!(items[n_items] = find_send(l, from, r, tag))) return STEP_WAITS;
    n_items++;
  }
  NodeId x = arrival(l, items, n_items);
  if (x == NO_NODE) return STEP_FAILED;
  for (uint32_t k = 0; k < n_items; k++) items[k]->received = true;
  l->value = number(t);
  l->first[l->value] = (uint32_t)l->results.len;
  vec_push(&l->results, (LowerValue){.node = x, .whole = NO_NODE});
  t->next++;
  return STEP_MOVED;
}

/* ---- operators that the programs of all sets have in common */
static uint32_t joint_of(const Lower *l, uint32_t s) {
  const LowerThread *t = &l->threads[s];
  uint32_t j = l->joints && t->next < t->set->n_nodes ? l->joints[s][t->next] : 0;
  return j && !l->apart[j] ? j : 0;
}

static Step step_joint(Lower *l, uint32_t joint) {
  bool *in = ARENA_ARRAY(&l->arena, bool, l->p->n_sets);
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    if (joint_of(l, s) != joint) return STEP_WAITS;
    in[s] = true;
  }
  Meeting m = meeting(l, in);
  TorchNode met;
  if (met_node(&m, &met)) return met_run(&m, &met) ? STEP_MOVED : STEP_FAILED;
  l->apart[joint] = true;
  return STEP_MOVED;
}

/* Nothing moves: who waits for others at an operator that they have in common does not any longer.  false: none does. */
static bool go_apart(Lower *l) {
  uint32_t first = 0;
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    uint32_t j = joint_of(l, s);
    if (j && (!first || j < first)) first = j;
  }
  if (first) l->apart[first] = true;
  return first;
}

/* ---- the schedule */
static Step step(Lower *l, uint32_t s) {
  LowerThread *t = &l->threads[s];
  const TorchNode *n = current(t);
  l->first = t->first;
  l->member = t->set->member;
  if (is_op(n, "_c10d_functional.isend")) return step_send(l, s);
  if (is_op(n, "_c10d_functional.irecv")) return step_receive(l, s);
  const TorchArg *group = group_arg(n);
  if (group && !group->ranks && l->p->n_sets > 1) return step_collective(l, s, group);
  uint32_t joint = joint_of(l, s);
  if (joint) return step_joint(l, joint);
  return run_alone(l, s);
}

/* Rank r stands in a group with one of the set. */
static bool shares_group(const TorchGroup *g, const TorchSet *set, int64_t r) {
  for (uint32_t k = 0; k < g->n; k++) {
    bool mine = false, its = false;
    for (uint32_t i = 0; i < g->size; i++) {
      mine |= set->member[g->ranks[k * g->size + i]];
      its |= g->ranks[k * g->size + i] == r;
    }
    if (mine && its) return true;
  }
  return false;
}

/* Ranks that have not come to the collective at which set s stands: of its own groups, or, where all of these have, of
 * the groups that these come with. */
static void not_there(Lower *l, uint32_t s, const TorchGroup *g, bool *on) {
  bool *in = ARENA_ARRAY(&l->arena, bool, l->p->n_sets), own = false;
  in[s] = true;
  close_over(l, g, in);
  for (int way = 0; way < 2 && !own; way++)
    for (uint32_t k = 0; k < l->p->n_sets; k++) {
      if (k == s || !in[k] || same_meeting(current(&l->threads[s]), current(&l->threads[k]))) continue;
      for (int64_t r = 0; r < l->p->n_ranks; r++)
        if (l->p->sets[k].member[r] && (way || shares_group(g, &l->p->sets[s], r))) on[r] = own = true;
    }
}

/* Ranks that set s is to receive from, and that have not sent. */
static void not_sent(Lower *l, uint32_t s, const TorchNode *n, bool *on) {
  for (int64_t r = 0; r < l->p->n_ranks; r++) {
    int64_t from, tag;
    if (l->p->sets[s].member[r] && peer_of(l, n, r, &from, &tag) && !find_send(l, from, r, tag)) on[from] = true;
  }
}

/* ", for rank 1 to send", ", for ranks 2, 3 to come there" */
static const char *awaited(Lower *l, uint32_t s, const TorchNode *n) {
  bool *on = ARENA_ARRAY(&l->arena, bool, l->p->n_ranks), receives = is_op(n, "_c10d_functional.irecv");
  const TorchArg *group = group_arg(n);
  if (receives) not_sent(l, s, n, on);
  else if (group) not_there(l, s, &l->p->groups[group->i], on);
  const char *list = "";
  int64_t count = 0;
  for (int64_t r = 0; r < l->p->n_ranks; r++)
    if (on[r] && count++ < AWAITED) list = arena_printf(&l->arena, "%s%s%lld", list, *list ? ", " : "", (long long)r);
  if (!count) return "";
  return arena_printf(&l->arena, ", for rank%s %s%s to %s", count == 1 ? "" : "s", list, count > AWAITED ? ", .." : "",
                      receives ? "send" : "come there");
}

/* Nothing moves: every set that is not done waits for something that never comes. */
static bool report_hang(Lower *l) {
  bool first = true;
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    const TorchNode *n = current(&l->threads[s]);
    const char *set = sym_text(l->p->sets[s].name);
    Span at = torch_program_span(l->p, n ? n->line : 0);
    if (!n && !first && !l->p->faults) diag_note(l->p->diags, at, "%s has finished", set);
    if (!n) continue;
    const char *whom = awaited(l, s, n);
    if (first)
      torch_fault(l->p, n, E_COLLECTIVE, "%s waits for ever at %s '%s'%s", set, sym_text(n->op), sym_text(n->name), whom);
    else if (!l->p->faults)
      diag_note(l->p->diags, at, "%s waits here, at %s '%s'%s", set, sym_text(n->op), sym_text(n->name), whom);
    first = false;
  }
  return false;
}

bool lower_threads(Lower *l) {
  l->sent = ARENA_ARRAY(&l->arena, uint32_t, l->p->n_ranks);
  l->sent_last = ARENA_ARRAY(&l->arena, uint32_t, l->p->n_ranks);
  l->joints = torch_align(l->p, &l->arena);
  l->apart = ARENA_ARRAY(&l->arena, bool, (size_t)l->p->sets[0].n_nodes + 1);
  for (bool moved = true, busy = true; busy;) {
    if (!moved && !go_apart(l)) return report_hang(l);
    moved = busy = false;
    for (uint32_t s = 0; s < l->p->n_sets; s++) {
      Step r = STEP_WAITS;
      while (current(&l->threads[s]) && (r = step(l, s)) == STEP_MOVED) moved = true;
      if (r == STEP_FAILED) return false;
      busy |= current(&l->threads[s]) != NULL;
    }
  }
  for (size_t k = 0; k < l->sends.len; k++) {
    const LowerSend *m = &l->sends.at[k];
    if (!m->received)
      return torch_fault(l->p, &(TorchNode){.name = m->name, .line = m->line}, E_COLLECTIVE,
                         "%s: what rank %lld sends, rank %lld never receives", sym_text(m->name), (long long)m->from,
                         (long long)m->to);
  }
  return true;
}
