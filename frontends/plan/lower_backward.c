/* Backward operators of plans: the vector-Jacobian product of the nodes that their forward operator was lowered to. */
#include <string.h>

#include "frontends/plan/vjp.h"
#include "frontends/torch/lower.h"

typedef struct Backward {
  const TorchSet *set;
  const TorchNode *forward;
  uint32_t value;          /* its number */
  const TorchArg *gradients, *positions;
  uint32_t n_operands;
  uint32_t at[LOWER_MAX_PARAMS];    /* position of the argument */
  NodeId operand[LOWER_MAX_PARAMS];
  bool wanted[LOWER_MAX_PARAMS];
  NodeId result[LOWER_MAX_PARAMS], gradient[LOWER_MAX_PARAMS], out[LOWER_MAX_PARAMS];
} Backward;

/* The forward operator, with what was computed before. */
static bool find_forward(Lower *l, Backward *b) {
  const TorchNode *n = l->node;
  int64_t number, at[LOWER_MAX_PARAMS];
  uint32_t n_at;
  b->set = lower_set(l);
  if (n->n_args != 3 || n->n_kwargs || n->args[0].kind != TA_INT || !arg_int(&n->args[0], 0, &number))
    return false;
  uint32_t before = b->set->n_inputs + b->set->n_constants;
  if (number < 0 || number >= (int64_t)l->value - before) return false;
  b->forward = &b->set->nodes[number];
  b->value = before + (uint32_t)number;
  b->gradients = &n->args[1];
  b->positions = &n->args[2];
  return b->gradients->kind == TA_LIST && !b->gradients->ranks && b->gradients->n == b->forward->n_outs &&
         arg_ints(b->positions, at, LOWER_MAX_PARAMS, &n_at) && n_at == n->n_outs;
}

/* A tensor, or a list with one. */
static bool holds_tensor(const TorchArg *a) {
  bool any = a->kind == TA_TENSOR;
  for (uint32_t k = 0; k < a->n; k++) any |= holds_tensor(&a->list[k]);
  return any;
}

/* Nodes of operands; false: one is not an argument by itself, or a gradient is wanted of a complex one or of none. */
static bool find_operands(Lower *l, Backward *b) {
  const TorchNode *f = b->forward;
  uint32_t n_wanted = 0;
  if (f->n_args > LOWER_MAX_PARAMS || f->n_outs > LOWER_MAX_PARAMS) return false;
  for (uint32_t k = 0; k < f->n_kwargs; k++)
    if (holds_tensor(&f->kwargs[k])) return false;
  for (uint32_t k = 0; k < f->n_args; k++) {
    const TorchArg *a = &f->args[k];
    if (!holds_tensor(a)) continue;
    uint32_t i = b->n_operands++;
    b->at[i] = k;
    b->operand[i] = arg_tensor(l, a);
    for (uint32_t w = 0; w < b->positions->n; w++) b->wanted[i] |= b->positions->list[w].i == k;
    if (b->operand[i] == NO_NODE || (b->wanted[i] && arg_complex(l, a))) return false;
    n_wanted += b->wanted[i];
  }
  return n_wanted == b->positions->n;
}

/* Nodes of results and their gradients; false: one is none, or a complex number, or they have different types.  What is
 * said to be the gradient of integers counts for nothing. */
static bool find_results(Lower *l, Backward *b) {
  for (uint32_t k = 0; k < b->forward->n_outs; k++) {
    const LowerValue *v = &l->results.at[l->first[b->value] + k];
    const TorchArg *g = &b->gradients->list[k];
    b->result[k] = v->node;
    b->gradient[k] = NO_NODE;
    if (v->node == NO_NODE || v->complex) return false;
    if ((g->kind == TA_NONE && !g->ranks) || !dtype_is_float((DType)node_of(l, v->node)->dtype)) continue;
    b->gradient[k] = arg_tensor(l, g);
    if (b->gradient[k] == NO_NODE) return false;
    const Node *x = node_of(l, b->result[k]), *y = node_of(l, b->gradient[k]);
    if (x->rank != y->rank || x->dtype != y->dtype || (x->rank && memcmp(x->dims, y->dims, x->rank * sizeof *x->dims)))
      return false;
  }
  return true;
}

/* The forward operator once more, of copies of its operands, which nothing else is made from. */
static bool lower_again(Lower *l, Backward *b, VjpRange *r) {
  const TorchNode *n = l->node;
  TorchNode again = *b->forward;
  uint32_t value = l->value, spare = b->set->n_inputs + b->set->n_constants + b->set->n_nodes;
  uint32_t first = l->first[b->value];
  again.args = arena_copy(&l->arena, again.args, again.n_args * sizeof *again.args);
  l->first[spare] = (uint32_t)l->results.len;
  for (uint32_t i = 0; i < b->n_operands; i++) {
    bool complex = arg_complex(l, &again.args[b->at[i]]);
    b->operand[i] = compose_unary(make_composer(l), "copy", b->operand[i]);
    again.args[b->at[i]] = (TorchArg){.kind = TA_TENSOR, .i = spare, .result = i};
    vec_push(&l->results, (LowerValue){.node = b->operand[i], .complex = complex, .whole = NO_NODE});
  }
  r->from = (NodeId)l->g->nodes.len;
  bool ok = lower_meaning(l, &again, b->value) == LOWER_DONE;
  r->to = (NodeId)l->g->nodes.len;
  for (uint32_t k = 0; k < again.n_outs; k++) b->result[k] = l->results.at[l->first[b->value] + k].node;
  l->first[b->value] = first;
  l->node = n, l->value = value;
  return ok && vjp_separate(make_composer(l), r);
}

/* An unknown function of all that the forward operator was given, and of the gradients. */
static LowerResult unknown_backward(Lower *l, const Backward *b) {
  const TorchNode *n = l->node, *f = b->forward;
  TorchNode whole = *n;
  whole.op = sym(arena_printf(&l->arena, "backward of %s", sym_text(f->op)));
  whole.n_args = f->n_args + 2;
  whole.args = ARENA_ARRAY(&l->arena, TorchArg, whole.n_args);
  memcpy(whole.args, f->args, f->n_args * sizeof *f->args);
  whole.args[f->n_args] = *b->gradients;
  whole.args[f->n_args + 1] = *b->positions;
  whole.n_kwargs = f->n_kwargs, whole.keys = f->keys, whole.kwargs = f->kwargs;
  l->node = &whole;
  LowerResult r = lower_opaque(l, false);
  l->node = n;
  return r;
}

/* operator gradients wanted: the number of the forward operator among those of its program, a gradient for each of its
 * results (or null), and the positions of the arguments whose gradients are the results. */
LowerResult lower_backward(Lower *l) {
  Backward b = {0};
  if (!find_forward(l, &b)) return lower_error(l, E_UNSUPPORTED, "a backward operator that is not understood"), LOWER_FAILED;
  if (!find_operands(l, &b) || !find_results(l, &b)) return unknown_backward(l, &b);
  const LowerValue *v = &l->results.at[l->first[b.value]];
  VjpRange r = {v->from, v->to, b.result, b.operand, b.forward->n_outs, b.n_operands};
  if (!vjp_separate(make_composer(l), &r) && !lower_again(l, &b, &r)) return unknown_backward(l, &b);
  if (vjp(make_composer(l), &r, b.gradient, b.wanted, b.out)) return unknown_backward(l, &b);
  for (uint32_t k = 0; k < b.positions->n; k++) {
    const TorchType *t = &l->node->outs[k];
    uint32_t i = 0;
    while (b.at[i] != b.positions->list[k].i) i++;
    bool number = dtype_is_float((DType)node_of(l, b.operand[i])->dtype);
    set_result(l, k, number ? b.out[i] : make_splat(l, t->dtype, t->rank, t->dims, RAT_0));
  }
  return LOWER_DONE;
}
