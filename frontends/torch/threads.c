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

static bool is_op(const TorchNode *n, const char *name) {
  const char *text = sym_text(n->op);
  size_t len = strlen(name);
  return !strncmp(text, name, len) && (text[len] == '.' || !text[len]);
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
  const TorchArg *g = torch_group(a), *h = torch_group(b);
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
    x = s == m->base ? y : other == complex ? make_on(l, l->p->sets[s].member, y, x) : NO_NODE;
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
  const TorchNode *n = thread_node(&l->threads[m->base]);
  const TorchArg **of = ARENA_ARRAY(&l->arena, const TorchArg *, l->p->n_sets);
  l->node = n;
  *out = *n;
  out->args = ARENA_ARRAY(&l->arena, TorchArg, n->n_args + 1);
  out->kwargs = ARENA_ARRAY(&l->arena, TorchArg, n->n_kwargs + 1);
  for (uint32_t k = 0; k < n->n_args + n->n_kwargs; k++) {
    bool word = k >= n->n_args;
    for (uint32_t s = 0; s < l->p->n_sets; s++)
      if (m->in[s])
        of[s] = word ? &thread_node(&l->threads[s])->kwargs[k - n->n_args] : &thread_node(&l->threads[s])->args[k];
    if (!met_arg(m, of, word ? &out->kwargs[k - n->n_args] : &out->args[k])) return false;
  }
  return true;
}

/* Runs it: its results are those of every set. */
static bool met_run(const Meeting *m, const TorchNode *met) {
  Lower *l = m->l;
  LowerThread *t = &l->threads[m->base];
  uint32_t value = thread_value(t);
  l->first = t->first;
  l->member = m->member;
  if (!lower_node(l, arena_copy(&l->arena, met, sizeof *met), value, m->first)) return false;
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    LowerThread *u = &l->threads[s];
    if (!m->in[s]) continue;
    u->first[thread_value(u)] = t->first[value];
    if (u != t) u->next++;
  }
  t->next++;
  return true;
}

static Step run_alone(Lower *l, uint32_t s) {
  LowerThread *t = &l->threads[s];
  if (!lower_node(l, thread_node(t), thread_value(t), (NodeId)l->g->nodes.len)) return STEP_FAILED;
  t->next++;
  return STEP_MOVED;
}

/* ---- exchanges of rows, of which ranks have, or get, different numbers: each set has a result of its own */
static NodeId sent_rows(Lower *l, uint32_t s) {
  l->first = l->threads[s].first;
  return arg_tensor(l, &thread_node(&l->threads[s])->args[0]);
}

static bool is_uneven(const Meeting *m) {
  Lower *l = m->l;
  const TorchNode *n = thread_node(&l->threads[m->base]);
  bool uneven = false;
  if (n->n_args != 4 || (!is_op(n, "_c10d_functional.all_to_all_single") &&
                         !is_op(n, "_c10d_functional_autograd.all_to_all_single")))
    return false;
  NodeId first = sent_rows(l, m->base);
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    NodeId x = m->in[s] ? sent_rows(l, s) : first;
    if (x == NO_NODE || !node_of(l, x)->rank) return false;
    uneven |= node_of(l, x)->dims[0] != node_of(l, first)->dims[0];
    uneven |= m->in[s] && !torch_same_results(n, thread_node(&l->threads[s]));
  }
  return uneven;
}

static bool exchange_unevenly(const Meeting *m) {
  Lower *l = m->l;
  const TorchArg **of = ARENA_ARRAY(&l->arena, const TorchArg *, l->p->n_sets);
  NodeId *operand = ARENA_ARRAY(&l->arena, NodeId, l->p->n_ranks);
  Uneven u = {.member = m->member, .operand = operand};
  for (int k = 1; k < 3; k++) {
    for (uint32_t s = 0; s < l->p->n_sets; s++)
      if (m->in[s]) of[s] = &thread_node(&l->threads[s])->args[k];
    *(k == 1 ? &u.out : &u.in) = met_literal(m, of);
  }
  for (uint32_t s = 0; s < l->p->n_sets; s++)
    for (int64_t r = 0; m->in[s] && r < l->p->n_ranks; r++)
      if (l->p->sets[s].member[r]) operand[r] = sent_rows(l, s);
  bool ok = true;
  l->uneven = &u;
  for (uint32_t s = 0; s < l->p->n_sets && ok; s++) {
    if (!m->in[s]) continue;
    l->first = l->threads[s].first;
    l->member = l->p->sets[s].member;
    ok = run_alone(l, s) == STEP_MOVED;
  }
  l->uneven = NULL;
  return ok;
}

/* The sets of `in` stand at one collective. */
static bool meet(Lower *l, const bool *in) {
  Meeting m = meeting(l, in);
  TorchNode met;
  if (is_uneven(&m)) return exchange_unevenly(&m);
  if (!met_node(&m, &met))
    return lower_error(l, E_COLLECTIVE, "ranks come to this collective with tensors of different types");
  for (uint32_t s = 0; s < l->p->n_sets; s++)
    if (in[s] && !torch_same_results(&met, thread_node(&l->threads[s])))
      return lower_error(l, E_COLLECTIVE, "ranks expect results of different types of this collective");
  return met_run(&m, &met);
}

static Step step_collective(Lower *l, uint32_t s, const TorchArg *group) {
  const TorchNode *n = thread_node(&l->threads[s]);
  bool *in = ARENA_ARRAY(&l->arena, bool, l->p->n_sets), alone = true;
  in[s] = true;
  close_over(l, &l->p->groups[group->i], in);
  for (uint32_t k = 0; k < l->p->n_sets; k++) {
    if (k == s || !in[k]) continue;
    alone = false;
    if (!same_meeting(n, thread_node(&l->threads[k]))) return STEP_WAITS;
  }
  if (!alone) return meet(l, in) ? STEP_MOVED : STEP_FAILED;
  return run_alone(l, s);
}

/* ---- operators that the programs of all sets have in common */
static uint32_t joint_of(const Lower *l, uint32_t s) {
  const LowerThread *t = &l->threads[s];
  uint32_t j = l->joints && t->next < t->set->n_nodes ? l->joints[s][t->next] : 0;
  return j && !l->apart[j] ? j : 0;
}

/* A maximum of one value here and another there is known by neither: it is taken of each. */
static bool takes_maximum(const TorchNode *n) {
  static const char *const words[] = {"max", "min", "logsumexp", "sort", "topk"};
  bool is = false;
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) is |= strstr(sym_text(n->op), words[k]) != NULL;
  return is;
}

/* Operands of sets are no one value. */
static bool selects(const Meeting *m) {
  bool is = false;
  for (NodeId id = m->first; id < m->l->g->nodes.len; id++) is |= node_of(m->l, id)->op == sym("select");
  return is;
}

static Step step_joint(Lower *l, uint32_t joint) {
  bool *in = ARENA_ARRAY(&l->arena, bool, l->p->n_sets);
  for (uint32_t s = 0; s < l->p->n_sets; s++) {
    if (joint_of(l, s) != joint) return STEP_WAITS;
    in[s] = true;
  }
  Meeting m = meeting(l, in);
  TorchNode met;
  if (met_node(&m, &met) && !(takes_maximum(&met) && selects(&m)))
    return met_run(&m, &met) ? STEP_MOVED : STEP_FAILED;
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
  const TorchNode *n = thread_node(t);
  l->first = t->first;
  l->member = t->set->member;
  if (is_op(n, "_c10d_functional.isend")) return lower_send(l, t) ? STEP_MOVED : STEP_FAILED;
  if (is_op(n, "_c10d_functional.irecv")) return lower_receive(l, t);
  const TorchArg *group = torch_group(n);
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
      if (k == s || !in[k] || same_meeting(thread_node(&l->threads[s]), thread_node(&l->threads[k]))) continue;
      for (int64_t r = 0; r < l->p->n_ranks; r++)
        if (l->p->sets[k].member[r] && (way || shares_group(g, &l->p->sets[s], r))) on[r] = own = true;
    }
}

/* ", for rank 1 to send", ", for ranks 2, 3 to come there" */
static const char *awaited(Lower *l, uint32_t s, const TorchNode *n) {
  bool *on = ARENA_ARRAY(&l->arena, bool, l->p->n_ranks), receives = is_op(n, "_c10d_functional.irecv");
  const TorchArg *group = torch_group(n);
  if (receives) messages_missing(l, &l->threads[s], on);
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
    const TorchNode *n = thread_node(&l->threads[s]);
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
  messages_begin(l);
  l->joints = torch_align(l->p, &l->arena);
  l->apart = ARENA_ARRAY(&l->arena, bool, (size_t)l->p->sets[0].n_nodes + 1);
  for (bool moved = true, busy = true; busy;) {
    if (!moved && !go_apart(l)) return report_hang(l);
    moved = busy = false;
    for (uint32_t s = 0; s < l->p->n_sets; s++) {
      Step r = STEP_WAITS;
      while (thread_node(&l->threads[s]) && (r = step(l, s)) == STEP_MOVED) moved = true;
      if (r == STEP_FAILED) return false;
      busy |= thread_node(&l->threads[s]) != NULL;
    }
  }
  return messages_received(l);
}
