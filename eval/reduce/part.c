/* See part.h. */
#include "eval/reduce/part.h"

#include <inttypes.h>
#include <string.h>

/* Nodes that become parameters, by number in the slice; and parameters that stay. */
typedef struct Slice {
  const Graph *from;
  Graph *to;
  bool *needed;
  NodeId *moved;   /* by old node */
  int64_t *param;  /* by old node that is a parameter now: its number */
  Sym *name;       /* by old node: of the relation, or 0 */
  Rat *factor;     /* by old node: so many times the parameter that replaces it */
  Vec(bool) taken; /* by symbol: names of the new nodes */
} Slice;

static void need(Slice *s, NodeId root, const bool *cut) {
  s->needed[root] = true;
  for (NodeId i = root + 1; i-- > 0;)
    for (uint32_t k = 0; s->needed[i] && !(cut && cut[i]) && k < s->from->nodes.at[i].n_args; k++)
      s->needed[s->from->nodes.at[i].args[k]] = true;
}

/* The innermost place is enough to read. */
static uint32_t copy_frames(Slice *s, const Node *n) {
  const Frames *f = &s->from->frames.at[n->frames];
  if (!f->n) return 0;
  Sym *at = arena_copy(&s->to->arena, f->at, sizeof *at);
  vec_push(&s->to->frames, (Frames){1, at});
  return (uint32_t)s->to->frames.len - 1;
}

/* A name no node has yet, as a word of the language: "p['w1']" is p_w1. */
static Sym fresh_name(Slice *s, const char *name) {
  char text[256], numbered[280];
  size_t n = 0;
  for (; *name && n < sizeof text - 1; name++) {
    bool letter = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9');
    if (letter) text[n++] = *name;
    else if (n && text[n - 1] != '_') text[n++] = '_';
  }
  while (n && text[n - 1] == '_') n--;
  if (n == 0 || (text[0] >= '0' && text[0] <= '9')) text[n++] = 'v';
  text[n] = 0;
  snprintf(numbered, sizeof numbered, "%s", text);
  for (uint32_t k = 1;; k++) {
    Sym word = sym(numbered);
    while (s->taken.len <= word) vec_push(&s->taken, false);
    if (!s->taken.at[word]) {
      s->taken.at[word] = true;
      return word;
    }
    snprintf(numbered, sizeof numbered, "%s_%" PRIu32, text, k);
  }
}

static NodeId add_multiple(Slice *s, NodeId x, Rat factor) {
  Node n = s->to->nodes.at[x];
  Literal literal = {.kind = LIT_SPLAT, .n = 1, .values = &factor};
  Node constant = {.op = sym("constant"), .name = fresh_name(s, "factor"), .dtype = n.dtype, .rank = n.rank, .dims = n.dims};
  constant.literal = &literal;
  NodeId args[] = {x, graph_add(s->to, &constant)};
  Node product = {.op = sym("multiply"), .name = fresh_name(s, sym_text(n.name)), .dtype = n.dtype, .rank = n.rank};
  product.dims = n.dims;
  product.args = args;
  product.n_args = 2;
  product.frames = n.frames;
  return graph_add(s->to, &product);
}

static void add_node(Slice *s, NodeId i, bool as_parameter) {
  Node n = s->from->nodes.at[i];
  if (n.op == sym("copy") && n.n_args == 1 && !as_parameter) { /* HLO's copy is the identity */
    s->moved[i] = s->moved[n.args[0]];
    return;
  }
  bool is_parameter = as_parameter || n.op == sym("parameter");
  NodeId *args = arena_copy(&s->to->arena, n.args, n.n_args * sizeof *args);
  for (uint32_t k = 0; k < n.n_args && !is_parameter; k++) args[k] = s->moved[args[k]];
  n.args = args;
  n.frames = copy_frames(s, &n);
  n.name = fresh_name(s, sym_text(s->name[i] ? s->name[i] : n.name));
  n.line = 0;
  if (is_parameter) {
    n.op = sym("parameter");
    n.n_args = n.n_attrs = n.result = 0;
    n.param = s->param[i] = (int64_t)s->to->params.len;
    vec_push(&s->to->params, (NodeId)s->to->nodes.len);
  }
  s->moved[i] = graph_add(s->to, &n);
  if (as_parameter && s->factor[i] != RAT_1) s->moved[i] = add_multiple(s, s->moved[i], s->factor[i]);
}

static void slice_begin(Slice *s, const Graph *from, Arena *a) {
  *s = (Slice){.from = from, .to = graph_new()};
  s->needed = ARENA_ARRAY(a, bool, from->nodes.len);
  s->moved = ARENA_ARRAY(a, NodeId, from->nodes.len);
  s->param = ARENA_ARRAY(a, int64_t, from->nodes.len);
  s->name = ARENA_ARRAY(a, Sym, from->nodes.len);
  s->factor = ARENA_ARRAY(a, Rat, from->nodes.len);
  for (NodeId i = 0; i < from->nodes.len; i++) s->factor[i] = RAT_1;
  s->to->path = from->path;
  s->to->n_devices = from->n_devices;
}

static void slice_end(Slice *s, NodeId root, const bool *cut) {
  for (NodeId i = 0; i < s->from->nodes.len; i++)
    if (s->needed[i]) add_node(s, i, cut && cut[i]);
  vec_push(&s->to->outputs, (GraphOutput){s->moved[root], s->to->nodes.at[s->moved[root]].name});
  s->to->n_read = s->to->nodes.len;
  vec_free(&s->taken);
}

static Related copy_related(Arena *a, const Related *r) {
  Related c = *r;
  c.layout = layout_copy(&r->layout, a);
  c.seq_shape = c.dist_shape = NULL; /* sizes will be others */
  c.also = arena_copy(a, r->also, r->n_also * sizeof *r->also);
  return c;
}

Part part_slice(const Graph *const graph[SIDE_COUNT], const Relation *rel, uint32_t output, const Links *links) {
  Arena scratch = {0};
  Part p = {0};
  Slice s[SIDE_COUNT];
  bool *cut[SIDE_COUNT];
  const Related *o = &rel->outputs[output];
  NodeId root[SIDE_COUNT] = {graph[SIDE_SEQ]->outputs.at[o->seq].node, graph[SIDE_DIST]->outputs.at[o->dist].node};
  for (int side = 0; side < SIDE_COUNT; side++) {
    slice_begin(&s[side], graph[side], &scratch);
    cut[side] = ARENA_ARRAY(&scratch, bool, graph[side]->nodes.len);
    for (size_t k = 0; links && k < links->len; k++) cut[side][links->at[k].node[side]] = true;
    for (size_t k = 0; side == SIDE_DIST && links && k < links->len; k++)
      s[side].factor[links->at[k].node[side]] = links->at[k].factor;
    need(&s[side], root[side], cut[side]);
  }
  Arena *a = &p.relation.arena;
  Vec(Related) inputs = {0};
  Vec(NodeId) at[SIDE_COUNT] = {{0}};
  /* What one side needs the other side keeps, so that it stays related. */
  for (uint32_t k = 0; k < rel->n_inputs; k++) {
    NodeId q[SIDE_COUNT] = {graph[SIDE_SEQ]->params.at[rel->inputs[k].seq],
                            graph[SIDE_DIST]->params.at[rel->inputs[k].dist]};
    if (!s[SIDE_SEQ].needed[q[0]] && !s[SIDE_DIST].needed[q[1]]) continue;
    vec_push(&inputs, copy_related(a, &rel->inputs[k]));
    for (int side = 0; side < SIDE_COUNT; side++) {
      s[side].needed[q[side]] = true;
      s[side].name[q[side]] = rel->inputs[k].name;
      vec_push(&at[side], q[side]);
    }
  }
  for (size_t k = 0; links && k < links->len; k++) {
    const Link *l = &links->at[k];
    if (!s[SIDE_SEQ].needed[l->node[0]] && !s[SIDE_DIST].needed[l->node[1]]) continue;
    vec_push(&inputs, copy_related(a, &l->related));
    for (int side = 0; side < SIDE_COUNT; side++) {
      s[side].needed[l->node[side]] = true;
      s[side].name[l->node[side]] = l->related.name;
      vec_push(&at[side], l->node[side]);
    }
  }
  for (int side = 0; side < SIDE_COUNT; side++) slice_end(&s[side], root[side], cut[side]);
  for (size_t k = 0; k < inputs.len; k++) {
    inputs.at[k].seq = s[SIDE_SEQ].param[at[SIDE_SEQ].at[k]];
    inputs.at[k].dist = s[SIDE_DIST].param[at[SIDE_DIST].at[k]];
  }
  Mesh *mesh = mesh_copy(&rel->mesh, a);
  p.relation.mesh = *mesh;
  p.relation.n_inputs = (uint32_t)inputs.len;
  p.relation.inputs = arena_copy(a, inputs.at, inputs.len * sizeof *inputs.at);
  p.relation.n_outputs = 1;
  p.relation.outputs = ARENA_NEW(a, Related);
  *p.relation.outputs = copy_related(a, o);
  p.relation.outputs->seq = p.relation.outputs->dist = 0;
  for (int side = 0; side < SIDE_COUNT; side++) {
    p.graph[side] = s[side].to;
    vec_free(&at[side]);
  }
  vec_free(&inputs);
  arena_free(&scratch);
  return p;
}

Part part_copy(const Part *p) {
  return part_slice((const Graph *const[]){p->graph[0], p->graph[1]}, &p->relation, 0, NULL);
}

void part_free(Part *p) {
  for (int side = 0; side < SIDE_COUNT; side++) graph_free(p->graph[side]);
  arena_free(&p->relation.arena);
}

size_t part_size(const Part *p) { return p->graph[0]->nodes.len + p->graph[1]->nodes.len; }

size_t part_cone(const Graph *const graph[SIDE_COUNT], const Related *o) {
  Arena a = {0};
  size_t n = 0;
  for (int side = 0; side < SIDE_COUNT; side++) {
    Slice s = {.from = graph[side], .needed = ARENA_ARRAY(&a, bool, graph[side]->nodes.len)};
    need(&s, graph[side]->outputs.at[side == SIDE_SEQ ? o->seq : o->dist].node, NULL);
    for (size_t i = 0; i < graph[side]->nodes.len; i++) n += s.needed[i];
  }
  arena_free(&a);
  return n;
}
