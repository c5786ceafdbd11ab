/* Programs of ranks laid over each other. */
#include <string.h>

#include "frontends/torch/program.h"

static bool same_type(const TorchType *a, const TorchType *b) {
  return a->tensor == b->tensor && a->rank == b->rank && a->dtype == b->dtype &&
         (!a->rank || !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims));
}

bool torch_same_literal(const TorchArg *a, const TorchArg *b) {
  if (a->kind != b->kind || a->n != b->n || a->result != b->result || a->i != b->i || a->r != b->r || a->s != b->s)
    return false;
  for (uint32_t k = 0; k < a->n; k++)
    if (!torch_same_literal(&a->list[k], &b->list[k])) return false;
  return true;
}

bool torch_has_tensor(const TorchArg *a) {
  bool found = a->kind == TA_TENSOR;
  for (uint32_t k = 0; k < a->n && !found; k++) found = torch_has_tensor(&a->list[k]);
  return found;
}

const TorchArg *torch_group(const TorchNode *n) {
  for (uint32_t k = 0; k < n->n_args; k++)
    if (n->args[k].kind == TA_GROUP) return &n->args[k];
  for (uint32_t k = 0; k < n->n_kwargs; k++)
    if (n->kwargs[k].kind == TA_GROUP) return &n->kwargs[k];
  return NULL;
}

static TorchArg copy_literal(TorchProgram *p, const TorchArg *a) {
  TorchArg c = *a;
  c.list = arena_copy(&p->arena, a->list, a->n * sizeof *a->list);
  for (uint32_t k = 0; k < a->n; k++) c.list[k] = copy_literal(p, &a->list[k]);
  return c;
}

static const TorchType *type_of(const TorchSet *g, const TorchArg *a) {
  uint64_t i = (uint64_t)a->i;
  if (i < g->n_inputs) return &g->inputs[i].type;
  i -= g->n_inputs;
  return i < g->n_constants ? &g->constants[i].type : &g->nodes[i - g->n_constants].outs[a->result];
}

/* Do they differ in literals only, or in which value of one type they are? */
static bool can_lay(const TorchSet *g, const TorchSet *h, const TorchArg *a, const TorchArg *b) {
  if (a->kind == TA_TENSOR || b->kind == TA_TENSOR)
    return a->kind == b->kind && same_type(type_of(g, a), type_of(h, b));
  if (a->kind != TA_LIST || b->kind != TA_LIST || a->n != b->n || a->ranks)
    return !torch_has_tensor(a) && !torch_has_tensor(b);
  for (uint32_t k = 0; k < a->n; k++)
    if (!can_lay(g, h, &a->list[k], &b->list[k])) return false;
  return true;
}

static void lay_arg(TorchProgram *p, TorchArg *a, const TorchArg *b, int64_t rank) {
  if (a->kind == TA_LIST && b->kind == TA_LIST && a->n == b->n && !a->ranks) {
    for (uint32_t k = 0; k < a->n; k++) lay_arg(p, &a->list[k], &b->list[k], rank);
    return;
  }
  if (!a->ranks && torch_same_literal(a, b)) return;
  if (!a->ranks) {
    TorchArg *ranks = ARENA_ARRAY(&p->arena, TorchArg, p->n_ranks);
    for (int64_t r = 0; r < p->n_ranks; r++) ranks[r] = *a;
    a->ranks = ranks;
  }
  a->ranks[rank] = copy_literal(p, b);
}

/* Backward operators are of one forward operator on all ranks, which their first argument is the number of. */
static bool same_forward(const TorchNode *a, const TorchNode *b) {
  return a->op != sym("plan.backward") || !a->n_args || torch_same_literal(&a->args[0], &b->args[0]);
}

bool torch_same_results(const TorchNode *a, const TorchNode *b) {
  bool same = a->n_outs == b->n_outs;
  for (uint32_t k = 0; same && k < a->n_outs; k++) same = same_type(&a->outs[k], &b->outs[k]);
  return same;
}

bool torch_same_node(const TorchSet *g, const TorchSet *h, const TorchNode *a, const TorchNode *b) {
  bool same = a->op == b->op && a->n_args == b->n_args && a->n_kwargs == b->n_kwargs && torch_same_results(a, b) &&
              same_forward(a, b);
  for (uint32_t k = 0; same && k < a->n_args; k++) same = can_lay(g, h, &a->args[k], &b->args[k]);
  for (uint32_t k = 0; same && k < a->n_kwargs; k++)
    same = a->keys[k] == b->keys[k] && can_lay(g, h, &a->kwargs[k], &b->kwargs[k]);
  return same;
}

bool torch_same_inputs(const TorchSet *g, const TorchSet *h) {
  bool same = g->n_inputs == h->n_inputs;
  for (uint32_t k = 0; same && k < g->n_inputs; k++)
    same = g->inputs[k].name == h->inputs[k].name && same_type(&g->inputs[k].type, &h->inputs[k].type);
  return same;
}

bool torch_lay_fits(const TorchSet *g, const TorchSet *h) {
  if (!torch_same_inputs(g, h) || g->n_constants != h->n_constants || g->n_nodes != h->n_nodes ||
      g->n_outputs != h->n_outputs)
    return false;
  for (uint32_t k = 0; k < g->n_constants; k++)
    if (!same_type(&g->constants[k].type, &h->constants[k].type)) return false;
  for (uint32_t k = 0; k < g->n_nodes; k++)
    if (!torch_same_node(g, h, &g->nodes[k], &h->nodes[k])) return false;
  for (uint32_t k = 0; k < g->n_outputs; k++)
    if (g->output_names[k] != h->output_names[k] || !can_lay(g, h, &g->outputs[k], &h->outputs[k])) return false;
  return true;
}

void torch_lay(TorchProgram *p, TorchSet *g, const TorchSet *h, int64_t rank) {
  for (uint32_t k = 0; k < g->n_constants; k++) {
    TorchConstant *c = &g->constants[k];
    bool same = !c->n || !memcmp(c->values[0], h->constants[k].values[0], c->n * sizeof(Rat));
    c->values[rank] = same ? c->values[0] : arena_copy(&p->arena, h->constants[k].values[0], c->n * sizeof(Rat));
  }
  for (uint32_t k = 0; k < g->n_nodes; k++) {
    for (uint32_t i = 0; i < g->nodes[k].n_args; i++) lay_arg(p, &g->nodes[k].args[i], &h->nodes[k].args[i], rank);
    for (uint32_t i = 0; i < g->nodes[k].n_kwargs; i++)
      lay_arg(p, &g->nodes[k].kwargs[i], &h->nodes[k].kwargs[i], rank);
    if (!g->nodes[k].odd) g->nodes[k].odd = h->nodes[k].odd;
  }
  for (uint32_t k = 0; k < g->n_outputs; k++) lay_arg(p, &g->outputs[k], &h->outputs[k], rank);
  g->member[rank] = true;
}

/* A set is run for ranks that are not in it, too, where nobody reads it.  A number that an element is compared with or added
 * to goes on there as over the members if it is affine in the coordinates; all else that varies is as for the member next
 * to them: so values that the sets have in common stay alike. */
static int64_t coordinate(const TorchProgram *p, int64_t rank, uint32_t axis) {
  for (uint32_t k = p->mesh.n_axes; --k > axis;) rank /= p->mesh.axes[k].size;
  return rank % p->mesh.axes[axis].size;
}

/* The member with the most coordinates of the rank, the first of several. */
static int64_t nearest_member(const TorchProgram *p, const TorchSet *g, const int64_t *at, int64_t rank) {
  uint32_t n = p->mesh.n_axes, most = 0;
  int64_t best = -1;
  for (int64_t r = 0; r < p->n_ranks && most < n; r++) {
    uint32_t alike = 1;
    for (uint32_t k = 0; k < n; k++) alike += at[r * n + k] == at[rank * n + k];
    if (g->member[r] && alike > most) most = alike, best = r;
  }
  return best;
}

/* By how much the values of members change per step along every axis; false: they are no affine function. */
static bool steps(const TorchProgram *p, const TorchSet *g, const TorchArg *ranks, int64_t *step) {
  int64_t first = -1;
  for (uint32_t k = 0; k < p->mesh.n_axes; k++) {
    int64_t stride = 1;
    for (uint32_t i = k + 1; i < p->mesh.n_axes; i++) stride *= p->mesh.axes[i].size;
    step[k] = 0;
    for (int64_t r = stride; r < p->n_ranks && !step[k]; r++)
      if (g->member[r] && coordinate(p, r, k) && g->member[r - stride] &&
          __builtin_sub_overflow(ranks[r].i, ranks[r - stride].i, &step[k]))
        return false;
  }
  for (int64_t r = 0; r < p->n_ranks; r++) {
    if (!g->member[r]) continue;
    if (ranks[r].kind != TA_INT) return false;
    __int128 want = first < 0 ? ranks[r].i : ranks[first].i;
    for (uint32_t k = 0; k < p->mesh.n_axes && first >= 0; k++)
      want += (__int128)step[k] * (coordinate(p, r, k) - coordinate(p, first, k));
    if (ranks[r].i != want) return false;
    if (first < 0) first = r;
  }
  return true;
}

/* Of one tensor another one of its shape: no number says where something is. */
static bool is_elementwise(const TorchSet *g, const TorchNode *n) {
  if (n->n_outs != 1 || !n->n_args || n->args[0].kind != TA_TENSOR || n->args[0].ranks) return false;
  for (uint32_t k = 1; k < n->n_args; k++)
    if (torch_has_tensor(&n->args[k])) return false;
  const TorchType *x = type_of(g, &n->args[0]), *y = &n->outs[0];
  return x->rank == y->rank && (!x->rank || !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims));
}

static void lend(TorchProgram *p, const TorchSet *g, const int64_t *nearest, TorchArg *a, bool elementwise) {
  for (uint32_t k = 0; !a->ranks && a->kind == TA_LIST && k < a->n; k++) lend(p, g, nearest, &a->list[k], false);
  int64_t *step = elementwise && a->ranks ? ARENA_ARRAY(&p->arena, int64_t, p->mesh.n_axes + 1) : NULL;
  bool affine = step && steps(p, g, a->ranks, step);
  for (int64_t r = 0; a->ranks && r < p->n_ranks; r++) {
    int64_t from = nearest[r];
    if (from == r) continue;
    a->ranks[r] = a->ranks[from];
    __int128 v = a->ranks[r].i;
    for (uint32_t k = 0; k < p->mesh.n_axes && affine; k++)
      v += (__int128)step[k] * (coordinate(p, r, k) - coordinate(p, from, k));
    if (affine && v == (int64_t)v) a->ranks[r].r = rat_int(a->ranks[r].i = (int64_t)v);
  }
}

void torch_lay_end(TorchProgram *p, TorchSet *g) {
  uint32_t n = p->mesh.n_axes;
  int64_t *nearest = ARENA_ARRAY(&p->arena, int64_t, p->n_ranks), *at = ARENA_ARRAY(&p->arena, int64_t, p->n_ranks * n + 1);
  for (int64_t r = 0; r < p->n_ranks; r++)
    for (uint32_t k = 0; k < n; k++) at[r * n + k] = coordinate(p, r, k);
  for (int64_t r = 0; r < p->n_ranks; r++) nearest[r] = g->member[r] ? r : nearest_member(p, g, at, r);
  for (uint32_t k = 0; k < g->n_constants; k++)
    for (int64_t r = 0; r < p->n_ranks; r++)
      g->constants[k].values[r] = g->constants[k].values[nearest[r]];
  for (uint32_t k = 0; k < g->n_nodes; k++) {
    bool elementwise = is_elementwise(g, &g->nodes[k]);
    for (uint32_t i = 0; i < g->nodes[k].n_args; i++) lend(p, g, nearest, &g->nodes[k].args[i], elementwise);
    for (uint32_t i = 0; i < g->nodes[k].n_kwargs; i++) lend(p, g, nearest, &g->nodes[k].kwargs[i], false);
  }
  for (uint32_t k = 0; k < g->n_outputs; k++) lend(p, g, nearest, &g->outputs[k], false);
}
