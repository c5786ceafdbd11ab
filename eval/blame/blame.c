#include "eval/blame/blame.h"

#include <string.h>

#include "eval/blame/blame_parts.h"
#include "eval/blame/blame_words.h"
#include "eval/blame/counterpart.h"
#include "eval/blame/counterpart.h"
#include "eval/blame/place.h"
#include "eval/blame/plausible.h"

enum {
  MAX_SUBSETS = 64, /* of mesh digits an output is summed over */
  MAX_DIFFS = 24,   /* outputs whose normal forms are compared */
  MAX_FIRST = 6,
  MAX_CHAIN = 6,
  MAX_SIDE = 2,
  MAX_MOVES = 3,
  MAX_BLAMED = 5,
  MAX_NAMES = 64,
};

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

static bool only_moves(const Node *n) {
  static const char *const ops[] = {"slice",     "dynamic_slice", "pad",     "reshape",
                                    "transpose", "broadcast",     "convert", "copy"};
  for (size_t k = 0; k < sizeof ops / sizeof *ops; k++)
    if (n->op == sym(ops[k])) return true;
  return false;
}

/* What unrelated values are used for tells whether they are right. */
static void index_uses(Finder *f) {
  size_t len = graph(f, SIDE_DIST)->nodes.len;
  for (NodeId i = 0; i < len; i++) relatives_of(&f->rel, i); /* the first ones most of all, as sums are limited */
  f->cleared = ARENA_ARRAY(&f->b->arena, bool, len);
  f->fed = ARENA_ARRAY(&f->b->arena, bool, len);
  for (size_t i = len; i-- > 0;) {
    const Node *n = node(f, SIDE_DIST, (NodeId)i);
    Relatedness is = relatives_of(&f->rel, (NodeId)i);
    bool related = is == REL_SUMMED || is == REL_ALIKE || (is == REL_SAME && !value_is_num(value(f, SIDE_DIST, (NodeId)i)));
    bool floats = dtype_is_float((DType)n->dtype), fed = floats && is == REL_NO;
    bool moves = only_moves(n) || n->op == sym("concatenate") || n->op == sym("collective_permute");
    for (uint32_t k = 0; k < n->n_args; k++)
      fed &=
          !dtype_is_float((DType)node(f, SIDE_DIST, n->args[k])->dtype) || relatives_of(&f->rel, n->args[k]) != REL_NO;
    for (uint32_t k = 0; k < n->n_args; k++) {
      bool counts = !dtype_is_float((DType)node(f, SIDE_DIST, n->args[k])->dtype);
      f->cleared[n->args[k]] |= related || (f->cleared[i] && (!floats || counts || moves));
      f->fed[n->args[k]] |= fed || (!floats && f->fed[i]);
    }
  }
}

/* ------------------------------------------------------------------ candidates */
/* What is accused again (for another output) gains a little: an early mistake is seen at many outputs.  What a proved
 * output depends on is hardly to blame. */
void blame_accuse(Finder *f, Side side, NodeId id, uint32_t output, uint32_t score, const char *why, const char *want,
                  const char *have) {
  if (side == SIDE_DIST && f->innocent[id]) score = 1;
  for (size_t i = 0; i < f->found.len; i++) {
    if (f->found.at[i].side != side || f->found.at[i].node != id) continue;
    f->score.at[i] = f->score.at[i] > score ? f->score.at[i] : score;
    f->times.at[i]++;
    if (!f->found.at[i].want && want) f->found.at[i].want = want, f->found.at[i].have = have, f->found.at[i].why = why;
    return;
  }
  vec_push(&f->found, (Blamed){.side = side,
                               .node = id,
                               .place = f->place[side][id],
                               .output = output,
                               .why = why,
                               .want = want,
                               .have = have});
  vec_push(&f->score, score);
  vec_push(&f->times, 0);
}

void blame_misses_sum(Finder *f, NodeId id, uint32_t axes) {
  for (size_t i = 0; i < f->found.len; i++)
    if (f->found.at[i].side == SIDE_DIST && f->found.at[i].node == id && !f->found.at[i].gap.axes)
      f->found.at[i].gap.axes = axes;
}

uint32_t blame_axis_set(const uint32_t *axes, uint32_t n) {
  uint32_t set = 0;
  for (uint32_t i = 0; i < n; i++) set |= axes[i] < 32 ? 1u << axes[i] : 0;
  return set;
}

/* Index arithmetic that feeds an operator and has no sequential counterpart, nearest first. */
static void accuse_indices(Finder *f, NodeId id, uint32_t output, uint32_t budget) {
  const Node *n = node(f, SIDE_DIST, id);
  for (uint32_t k = 0; k < n->n_args && budget; k++) {
    NodeId a = n->args[k];
    if (relatives_of(&f->rel, a) != REL_INDEX) continue;
    blame_accuse(f, SIDE_DIST, a, output, 1, "an index that the sequential program does not compute", NULL, NULL);
    accuse_indices(f, a, output, budget - 1);
  }
}

static bool blocks_of(const Node *x, const Node *y) {
  bool same = x->rank == y->rank;
  for (int d = 0; d < x->rank && same; d++) same = x->dims[d] > 0 && y->dims[d] % x->dims[d] == 0;
  return same;
}

/* The sequential program moves the same value in the same way, if of more rows. */
static bool moves_alike(Finder *f, NodeId id) {
  NodeId like = scene_alike(f->p, SIDE_DIST, id);
  if (like == NO_NODE) return false;
  const Node *n = node(f, SIDE_DIST, id), *m = node(f, SIDE_SEQ, like);
  bool cuts = n->op == sym("slice") || n->op == sym("dynamic_slice") || n->op == sym("pad");
  bool same = !cuts && n->n_attrs == m->n_attrs && blocks_of(n, m) &&
              blocks_of(node(f, SIDE_DIST, n->args[0]), node(f, SIDE_SEQ, m->args[0]));
  for (uint32_t k = 0; k < n->n_attrs && same; k++) {
    const Attr *p = &n->attrs[k], *q = node_attr(m, p->name);
    same = q && p->kind == ATTR_INTS && q->kind == ATTR_INTS && p->n == q->n;
    same = same && !memcmp(p->ints, q->ints, p->n * sizeof *p->ints);
  }
  return same;
}

/* Its operands are indices, which are all alike. */
static bool counts_only(Finder *f, NodeId id) {
  const Node *n = node(f, SIDE_DIST, id);
  bool all = true;
  for (uint32_t k = 0; k < n->n_args && all; k++) all = relatives_index_only(&f->rel, value(f, SIDE_DIST, n->args[k]));
  return all;
}

static bool elementwise(Finder *f, Side side, NodeId id) {
  const Node *n = node(f, side, id);
  bool each = n->n_args > 1 && (!n->n_attrs || n->op == sym("compare"));
  for (uint32_t k = 0; k < n->n_args && each; k++) {
    const Node *x = node(f, side, n->args[k]);
    each = x->rank == n->rank && (!n->rank || !memcmp(x->dims, n->dims, n->rank * sizeof *n->dims));
  }
  return each;
}

/* The operands of `id` meet as those of `like` do, index by index (a coordinate may stand for a number there): what is
 * wrong, if anything, are not their places. */
static bool meets_alike(Finder *f, NodeId id, NodeId like) {
  Name from[MAX_NAMES], to[MAX_NAMES];
  uint32_t n = 0;
  if (!elementwise(f, SIDE_DIST, id) || !elementwise(f, SIDE_SEQ, like)) return false;
  for (uint32_t k = 0; k < node(f, SIDE_DIST, id)->n_args; k++) {
    Value v = value(f, SIDE_DIST, node(f, SIDE_DIST, id)->args[k]), w = value(f, SIDE_SEQ, node(f, SIDE_SEQ, like)->args[k]);
    const Name *here, *there;
    if (value_is_num(v) || value_is_num(w)) continue;
    uint32_t m = value_names(f->c, v, &here);
    if (value_names(f->c, w, &there) != m) return false;
    for (uint32_t i = 0; i < m; i++) {
      uint32_t j = 0;
      while (j < n && from[j] != here[i]) j++;
      if (j < n ? to[j] != there[i] : n == MAX_NAMES || (name_is_const(here[i]) && here[i] != there[i])) return false;
      if (j == n) from[n] = here[i], to[n++] = there[i];
    }
  }
  return true;
}

/* It makes the transpose of what the same operator makes in the sequential program. */
static void accuse_transposed(Finder *f, NodeId id, uint32_t output, uint32_t score) {
  Counterpart c = counterpart_find(f->p, SIDE_DIST, id, &f->b->arena);
  bool turned = c.node != NO_NODE && c.turned && !c.n_axes;
  if (!turned || node(f, SIDE_SEQ, c.node)->op != node(f, SIDE_DIST, id)->op) return;
  if (f->n_turned < MAX_TURNED) f->turned[f->n_turned++] = c.node;
  blame_accuse(f, SIDE_DIST, id, output, score, "makes the transpose of what is made in the sequential program", NULL,
               NULL);
}

/* Operators that only moved the elements of an operand: they may have moved them to the wrong place. */
static void accuse_movers(Finder *f, NodeId id, uint32_t output, uint32_t score) {
  const Node *n = node(f, SIDE_DIST, id);
  for (uint32_t k = 0; k < n->n_args && k < 2; k++) {
    NodeId at = n->args[k];
    for (uint32_t step = 0, named = 0; step < 16 && named < MAX_MOVES; step++) {
      const Node *x = node(f, SIDE_DIST, at);
      Value v = value(f, SIDE_DIST, at), w = x->n_args ? value(f, SIDE_DIST, x->args[0]) : VALUE_ZERO;
      if (value_is_num(v) || value_is_num(w)) break;
      bool other = value_class(f->c, v) != value_class(f->c, w); /* a part of what is no value by itself */
      if (other && x->op != sym("slice") && x->op != sym("dynamic_slice")) {
        accuse_transposed(f, at, output, score);
        break;
      }
      if (!value_same(v, w) && !moves_alike(f, at)) {
        bool moves = v.k == w.k;
        blame_accuse(f, SIDE_DIST, at, output, score - named,
                     moves ? "moves the elements that are used at the wrong place" : "scales the elements that are used",
                     NULL, NULL);
        named++;
      }
      if (other) break;
      at = x->args[0];
    }
  }
}

/* What made parts of a sum that were only moved or scaled since. */
static NodeId maker_of(Finder *f, NodeId id, uint32_t set) {
  for (;;) {
    const Node *n = node(f, SIDE_DIST, id);
    NodeId from = NO_NODE;
    bool scales = only_moves(n) || n->op == sym("multiply") || n->op == sym("divide");
    for (uint32_t k = 0; k < n->n_args && scales; k++) {
      if (value_is_num(value(f, SIDE_DIST, n->args[k]))) continue;
      scales = from == NO_NODE && relatives_of(&f->rel, n->args[k]) == REL_SUMMED && f->rel.summed[n->args[k]] == set;
      from = n->args[k];
    }
    if (!scales || from == NO_NODE) return id;
    id = from;
  }
}

/* An enumeration or a number is another: a direction, a step. */
static bool other_attributes(const Node *x, const Node *y) {
  for (uint32_t k = 0; k < x->n_attrs; k++) {
    const Attr *p = &x->attrs[k], *q = node_attr(y, p->name);
    if (!q || q->kind != p->kind) continue;
    if (p->kind == ATTR_SYM ? p->s != q->s : p->kind == ATTR_RAT && p->r != q->r) return true;
  }
  return false;
}

/* What makes a part of a sum, behind other parts that are added to it. */
static NodeId part_maker(Finder *f, NodeId id) {
  const Node *n = node(f, SIDE_DIST, id);
  while (n->n_args && relatives_of(&f->rel, n->args[n->n_args - 1]) == REL_PART)
    id = n->args[n->n_args - 1], n = node(f, SIDE_DIST, id);
  return id;
}

static void accuse_first(Finder *f, NodeId id, uint32_t output) {
  const Node *n = node(f, SIDE_DIST, id);
  for (uint32_t k = 0; k < n->n_args; k++)
    if (relatives_of(&f->rel, n->args[k]) == REL_PART)
      blame_accuse(f, SIDE_DIST, part_maker(f, n->args[k]), output, 3,
                   "makes a part of a sum that is not the sequential one", NULL, NULL);
  const char *why = "the first value without a sequential counterpart; its operands have one";
  for (uint32_t k = 0; k < n->n_args; k++) {
    if (relatives_of(&f->rel, n->args[k]) != REL_SUMMED) continue;
    uint32_t set = f->rel.summed[n->args[k]], axes[32], m = 0;
    for (uint32_t i = 0; i < 32; i++)
      if ((set ? set : f->rel.maxed[n->args[k]]) >> i & 1) axes[m++] = i;
    why = arena_printf(&f->b->arena, "uses operand %u, which is one part of a %s over %s", k, set ? "sum" : "maximum",
                       blame_axes(&f->p->problem.relation->mesh, axes, m, &f->b->arena));
    /* or summed over the wrong devices, or later */
    bool whole = set && !node_attr(n, sym("replica_groups")) && n->op != sym("concatenate") && !only_moves(n);
    NodeId maker = maker_of(f, n->args[k], set);
    blame_accuse(f, SIDE_DIST, maker, output, whole ? 9 : 3,
                 set ? "makes one part of a sum that is used as if it were the whole"
                     : "makes one part of a maximum that is used as if it were the whole",
                 NULL, NULL);
    blame_misses_sum(f, maker, set);
  }
  /* what only moves elements is often undone later: padding, halos */
  bool fed = true; /* but for indices and masks */
  for (uint32_t k = 0; k < n->n_args; k++) fed &= relatives_of(&f->rel, n->args[k]) != REL_NO;
  if (!fed) why = "the first value without a sequential counterpart; its operands, but for indices, have one";
  uint32_t score = only_moves(n) ? 5 : fed ? 8 : 7;
  if (!dtype_is_float((DType)n->dtype)) score = f->fed[id] ? 9 : 6;
  NodeId like = scene_alike(f->p, SIDE_DIST, id);
  if (like != NO_NODE && other_attributes(n, node(f, SIDE_SEQ, like))) score = 11;
  if (f->cleared[id]) score = 2;
  blame_accuse(f, SIDE_DIST, id, output, score, why, NULL, NULL);
  accuse_indices(f, id, output, 4);
  /* the same operator with the same operands is there: they do not meet at the right places */
  if (like != NO_NODE && meets_alike(f, id, like)) return;
  bool tells = n->n_args > 1 && like != NO_NODE && !counts_only(f, id);
  accuse_movers(f, id, output, tells ? 12 : 4);
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
    blame_accuse(f, SIDE_SEQ, first[i], from[first[i]] - 1, 2,
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
      blame_accuse(f, SIDE_DIST, id, k, MAX_CHAIN - named, why, NULL, NULL);
      if (f->b->outputs[k].holds)
        blame_misses_sum(f, id, blame_axis_set(f->b->outputs[k].partial, f->b->outputs[k].n_partial));
      named++;
    }
    if (next == NO_NODE) return;
    id = next;
  }
}

/* ------------------------------------------------------------------ outputs */
/* `got` is the value of the output's node itself, by the names of the mesh that this has. */
static bool stands_as_it_is(const Finder *f, uint32_t k, const Name *names, uint32_t n) {
  Name own[16];
  Value got = f->p->outputs[k].got, v = value(f, SIDE_DIST, output_node(f, SIDE_DIST, k));
  return !value_is_num(got) && !value_is_num(v) && value_class(f->c, got) == value_class(f->c, v) &&
         counterpart_mesh_names(f->c, v, own, 16) == n && !memcmp(own, names, n * sizeof *names);
}

/* Summed over axes, `got` is `want` up to a factor. */
static void explain_holds(Finder *f, uint32_t k, OutputBlame *out) {
  Name names[16];
  const ProofOutput *o = &f->p->outputs[k];
  uint32_t n = counterpart_mesh_names(f->c, o->got, names, 16), best = UINT32_MAX;
  bool plain = stands_as_it_is(f, k, names, n);
  NodeId id = output_node(f, SIDE_DIST, k);
  out->factor = RAT_1;
  for (uint32_t set = 0; set < 1u << n && set <= MAX_SUBSETS && best == UINT32_MAX; set++) {
    if (calculus_exhausted(f->c)) return;
    if (set && plain && !likeness_of_sum(&f->rel.likeness, id, names, n, set, &f->b->arena)) continue;
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
    bool mask = f->refuted && !dtype_is_float((DType)n->dtype); /* reads by other names look so, too */
    blame_accuse(f, SIDE_DIST, (NodeId)i, k, (mask ? 7 : 10) - found, o->difference, o->want, o->have);
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
    blame_accuse(f, SIDE_DIST, f->rel.node_of[SIDE_DIST][id], k,
                 i + 3 <= d->n_path ? 3
                 : f->refuted       ? 7
                                    : 10,
                 o->difference ? o->difference : "differs", o->want, o->have);
    return;
  }
}

/* How many of the pairs that differ, from the outermost to the smallest one that may be equal after all; all, if none. */
static uint32_t may_be_equal(const Finder *f, const Diff *d) {
  if (!d->n_path || !plausible_equal(f->c, d->want_path[0], d->have_path[0])) return d->n_path;
  uint32_t n = d->n_path;
  while (n > 1 && !plausible_equal(f->c, d->want_path[n - 1], d->have_path[n - 1])) n--;
  return n;
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
  explain_holds(f, k, o);
  if (o->holds) o->difference = holds_text(f, o);
  if (compare && !o->holds && !build_is_costly(&f->p->build, id)) {
    Diff d;
    calculus_scope(f->c);
    calc_diff(f->c, p->want, p->got, &f->b->arena, &d);
    uint32_t at = f->refuted ? d.n_path : may_be_equal(f, &d);
    bool inside = at < d.n_path; /* what differs further inside surely does */
    o->difference = inside ? "a term of another form" : blame_difference(f->p, &d, &f->b->arena);
    o->want = blame_term(f->p, inside ? d.want_path[at - 1] : d.want, 6, &f->b->arena);
    o->have = blame_term(f->p, inside ? d.have_path[at - 1] : d.have, 6, &f->b->arena);
    for (uint32_t i = at; i-- > 0 && !o->lemma;) /* the smallest pair that can be written */
      o->lemma = blame_lemma(f->p, d.want_path[i], d.have_path[i], &f->b->arena);
    accuse_difference(f, k, &d, o);
    if (d.kind == DIFF_INDICES && !value_is_num(d.have)) accuse_moves(f, k, d.have, o);
  }
  if (relatives_of(&f->rel, id) != REL_NO)
    chain(f, k, o->difference ? o->difference : "makes the output, out of values with sequential counterparts");
}

static const Frames *frames_of(const Finder *f, const Blamed *x) {
  const Graph *g = graph(f, x->side);
  return &g->frames.at[g->nodes.at[x->place].frames];
}

/* One line is named once, unless a change there helps when it is called from somewhere else. */
static bool named(const Finder *f, const Blamed *x) {
  for (uint32_t i = 0; i < f->b->n; i++) {
    const Blamed *y = &f->b->at[i];
    if (x->place == NO_NODE || y->place == NO_NODE || y->side != x->side) continue;
    const Frames *p = frames_of(f, x), *q = frames_of(f, y);
    bool same = p->n && q->n && p->at[x->shown] == q->at[y->shown];
    if (same && (!x->fix || (p->n == q->n && !memcmp(p->at, q->at, p->n * sizeof *p->at)))) return true;
  }
  return false;
}

static uint32_t score_of(const Finder *f, size_t i) { return f->score.at[i] + (f->times.at[i] > 0); }

/* The more surely to blame, then the earlier one. */
static bool worse(const Finder *f, size_t x, size_t y) {
  uint32_t p = score_of(f, x), q = score_of(f, y);
  return p != q ? p > q : f->found.at[x].node < f->found.at[y].node;
}

static void rank(Finder *f) {
  Blame *b = f->b;
  b->at = ARENA_ARRAY(&b->arena, Blamed, f->found.len);
  while (b->n < f->found.len && b->n < MAX_BLAMED) {
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < f->found.len; i++) {
      if (!f->score.at[i]) continue;
      if (best == SIZE_MAX || worse(f, i, best)) best = i;
    }
    if (best == SIZE_MAX) break;
    Blamed *x = &f->found.at[best];
    Side other = x->side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ;
    if (x->place != NO_NODE) x->shown = place_shown(graph(f, x->side), graph(f, other), frames_of(f, x));
    if (!named(f, x)) b->at[b->n++] = *x;
    f->score.at[best] = 0;
  }
}

/* Where devices run programs that part, on the way to an output that is open; or NO_NODE. */
static NodeId parting(Finder *f, uint32_t output) {
  const Graph *g = graph(f, SIDE_DIST);
  NodeId found = NO_NODE, at = output_node(f, SIDE_DIST, output);
  bool *on = ARENA_ARRAY(&f->b->arena, bool, g->nodes.len);
  on[at] = true;
  for (NodeId i = at + 1; g->parts && i-- > 0;) {
    const Node *n = &g->nodes.at[i];
    for (uint32_t k = 0; on[i] && k < n->n_args; k++) on[n->args[k]] = true;
    if (found == NO_NODE && on[i] && n->line == g->parts && n->op != sym("constant")) found = i;
  }
  return found;
}

/* Nothing is known to differ: it may be that what some devices alone do is not understood. */
static void blame_parting(Finder *f, const uint32_t *outputs, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    NodeId id = parting(f, outputs[i]);
    if (id == NO_NODE) continue;
    blame_add(f->b, f->p, true, SIDE_DIST, id, outputs[i], "here the programs of the devices part: not all of them do this");
    return;
  }
}

/* No operator is suspect: an output is an input as it stands, say.  What should stand there is made here. */
static void blame_missed(Finder *f, const uint32_t *outputs, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    NodeId want = output_node(f, SIDE_SEQ, outputs[i]);
    ClassId class = value_class(f->c, value(f, SIDE_SEQ, want));
    NodeId made = relatives_known(&f->rel, SIDE_DIST, class) ? f->rel.node_of[SIDE_DIST][class] : NO_NODE;
    Side side = made == NO_NODE ? SIDE_SEQ : SIDE_DIST;
    NodeId id = made == NO_NODE ? want : made;
    if (node(f, side, id)->op == sym("parameter")) continue;
    blame_add(f->b, f->p, false, side, id, outputs[i], "the output should be this value, and is another one");
  }
}

static const char *times(Finder *f, Rat k) {
  char buf[128];
  return k == RAT_1 ? "" : arena_printf(&f->b->arena, "%s * ", rat_print(k, buf, sizeof buf));
}

static const char *sum_over(Finder *f, uint32_t set) {
  uint32_t axes[32], n = 0;
  for (uint32_t i = 0; i < 32; i++)
    if (set >> i & 1) axes[n++] = i;
  return arena_printf(&f->b->arena, "sum(%s) ", blame_axes(&f->p->problem.relation->mesh, axes, n, &f->b->arena));
}

static const char *seq_name(const Finder *f, NodeId id) { return sym_text(node(f, SIDE_SEQ, id)->name); }

/* What is a sequential value at one place of an index, or by numbers, has a counterpart that a proof does not know of. */
static void name_others(Finder *f, Scene *s) {
  Arena *a = &f->b->arena;
  SceneRow *rows = arena_copy(a, s->rows, s->n * sizeof *rows);
  for (uint32_t i = 0; i < s->n; i++) {
    Value v = value(f, SIDE_DIST, rows[i].node);
    ClassId class = value_is_num(v) ? f->rel.n_classes : value_class(f->c, v);
    const Alike *x = &f->rel.alike[rows[i].node];
    relatives_of(&f->rel, rows[i].node);
    if (class < f->rel.n_classes && f->rel.slice[class] != RAT_0)
      rows[i].is = arena_printf(a, "%sa slice of %s", times(f, rat_div(v.k, f->rel.slice[class])),
                                seq_name(f, f->rel.node_of[SIDE_SEQ][class]));
    else if (rows[i].twin == NO_NODE && x->factor != RAT_0)
      rows[i].is = arena_printf(a, "%s== %s%s, by numbers", x->axes ? sum_over(f, x->axes) : "", times(f, x->factor),
                                seq_name(f, x->seq));
  }
  s->rows = rows;
}

Blame *blame_find(Proof *proof, const bool *open, const ExactProblem *problem, const ExactReport *evaluated) {
  Blame *b = xcalloc(1, sizeof *b);
  Finder f = {.p = proof, .c = proof->calc, .open = open, .refuted = problem && evaluated, .b = b};
  b->n_outputs = proof->n_outputs;
  b->outputs = ARENA_ARRAY(&b->arena, OutputBlame, b->n_outputs);
  uint32_t *outputs = ARENA_ARRAY(&b->arena, uint32_t, b->n_outputs), n = 0;
  for (uint32_t k = 0; k < b->n_outputs; k++)
    if (open[k]) outputs[n++] = k;
  bool built = !proof->limited;
  if (n && built) {
    relatives_make(&f.rel, proof, evaluated && !evaluated->not_evaluated ? evaluated->first : NULL, f.refuted,
                   &b->arena);
    index_nodes(&f);
    index_uses(&f);
    walk(&f, outputs, n);
    for (uint32_t i = 0; i < n; i++) explain(&f, outputs[i], i < MAX_DIFFS);
    walk_sequential(&f, outputs, n);
    if (f.refuted) blame_repairs(&f, problem, evaluated);
    rank(&f);
    for (uint32_t i = 0; i < b->n; i++) {
      Blamed *x = &b->at[i];
      x->scene = scene_of(proof, x->side, x->node, &b->arena);
      if (x->side == SIDE_DIST) name_others(&f, &x->scene);
      const NodeId *group = x->n_group ? x->group : &x->node;
      if (x->gap.axes)
        x->gap = gap_behind(&f.rel, group, x->n_group ? x->n_group : 1, x->gap.axes, x->output, f.place[SIDE_DIST]);
    }
  }
  if (n && built && !b->n) blame_missed(&f, outputs, n);
  if (built && !f.refuted) blame_parting(&f, outputs, n);
  vec_free(&f.found);
  vec_free(&f.score);
  vec_free(&f.times);
  return b;
}

void blame_add(Blame *b, Proof *proof, bool first, Side side, NodeId id, uint32_t output, const char *why) {
  for (uint32_t i = 0; i < b->n; i++) {
    if (b->at[i].side != side || b->at[i].node != id) continue;
    Blamed x = b->at[i];
    x.why = why;
    if (first) memmove(b->at + 1, b->at, i * sizeof *b->at), b->at[0] = x;
    return;
  }
  if (b->n == MAX_BLAMED && !first) return;
  const Graph *g = proof->problem.graph[side], *other = proof->problem.graph[side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ];
  Blamed x = {.side = side, .node = id, .place = place_nodes(g, &b->arena)[id], .output = output, .why = why};
  if (x.place != NO_NODE) x.shown = place_shown(g, other, &g->frames.at[g->nodes.at[x.place].frames]);
  if (!proof->limited) x.scene = scene_of(proof, side, id, &b->arena);
  Blamed *at = ARENA_ARRAY(&b->arena, Blamed, MAX_BLAMED + 1);
  uint32_t kept = b->n < MAX_BLAMED ? b->n : MAX_BLAMED - 1;
  if (kept) memcpy(at + first, b->at, kept * sizeof *at);
  at[first ? 0 : kept] = x;
  b->at = at;
  b->n = kept + 1;
}

void blame_free(Blame *b) {
  if (!b) return;
  arena_free(&b->arena);
  free(b);
}
