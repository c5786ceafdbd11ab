/* Plans as graphs. */
#include <stdlib.h>
#include <string.h>

#include "frontends/plan/unfold.h"

bool plan_is(const Source *source) { return plan_is_pickle(source) || plan_is_json(source); }

/* An output that only one stage has is read there, by all stages. */
static NodeId from_stage(Graph *g, const PlanMesh *mesh, NodeId x, int64_t stage, Arena *a) {
  int64_t *ranks = ARENA_ARRAY(a, int64_t, g->n_devices), at = 0;
  for (int64_t d = 0; d < mesh->replicas; d++)
    for (int64_t t = 0; t < mesh->cut; t++)
      for (int64_t s = 0; s < mesh->stages; s++) ranks[at++] = (d * mesh->stages + s) * mesh->cut + t;
  Node v = g->nodes.at[x];
  Attr attrs[] = {{.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = mesh->stages, .ints = ranks,
                   .n = (uint32_t)g->n_devices},
                  {.name = sym("source"), .kind = ATTR_INT, .i = stage}};
  return graph_add(g, &(Node){.op = sym("broadcast_from"), .name = v.name, .dtype = v.dtype, .rank = v.rank,
                              .dims = v.dims, .args = &x, .n_args = 1, .attrs = attrs, .n_attrs = 2,
                              .frames = v.frames, .line = v.line});
}

static bool full_named(const Plan *plan, Sym name, uint32_t *out) {
  for (uint32_t k = 0; k < plan->fulls.len; k++) {
    const PlanFull *f = &plan->fulls.at[k];
    if (f->name == name && (f->kind == PLAN_PARAM || f->kind == PLAN_BUFFER)) return *out = k, true;
  }
  return false;
}

/* The batch is cut over replicas, the loss a sum over them. */
static Layout over_replicas(Unfold *u, uint32_t rank, bool loss, Arena *a) {
  Layout l = {.rank = (uint8_t)rank, .dims = ARENA_ARRAY(a, struct LayoutDim, rank + 1u)};
  uint32_t *axis = ARENA_NEW(a, uint32_t); /* dp is the first */
  if (u->mesh.replicas == 1) return l;
  if (loss) l.partial = axis, l.n_partial = 1;
  else l.dims[0] = (struct LayoutDim){1, axis};
  return l;
}

static const Layout *keep_layout(const Layout *l, Arena *a) {
  Layout *copy = ARENA_NEW(a, Layout);
  *copy = layout_copy(l, a);
  return copy;
}

/* "grad.w on stage 1": of the sequential "grad.w", on stage 1. */
static Sym without_stage(Sym name, int64_t *stage) {
  static const char key[] = " on stage ";
  const char *text = sym_text(name), *at = NULL;
  for (const char *c = text; (c = strstr(c, key)); c++) at = c;
  if (!at) return name;
  *stage = strtoll(at + sizeof key - 1, NULL, 10);
  return sym_n(text, (size_t)(at - text));
}

static bool lay_out(Unfold *u, Graph *g) {
  Arena *a = &g->arena;
  const Layout **params = ARENA_ARRAY(a, const Layout *, g->params.len);
  const Layout **outputs = ARENA_ARRAY(a, const Layout *, g->outputs.len);
  Sym *of = ARENA_ARRAY(a, Sym, g->outputs.len);
  uint32_t full;
  for (size_t k = 0; k < g->params.len; k++) {
    const Node *n = &g->nodes.at[g->params.at[k]];
    Layout l;
    if (full_named(u->plan, n->name, &full)) {
      if (!unfold_layout(u, full, &l)) return false;
      l.rank = n->rank; /* a complex one has a dimension more */
      struct LayoutDim *dims = ARENA_ARRAY(a, struct LayoutDim, n->rank + 1u);
      memcpy(dims, l.dims, u->plan->fulls.at[full].rank * sizeof *dims);
      l.dims = dims;
    } else {
      l = over_replicas(u, n->rank, false, a);
    }
    params[k] = keep_layout(&l, a);
  }
  for (size_t k = 0; k < g->outputs.len; k++) {
    int64_t stage = -1;
    GraphOutput *o = &g->outputs.at[k];
    of[k] = without_stage(o->name, &stage);
    const char *name = sym_text(of[k]);
    Layout l;
    if (!strncmp(name, "grad.", 5) && full_named(u->plan, sym(name + 5), &full)) {
      if (!unfold_layout(u, full, &l)) return false;
      for (int64_t s = 0; stage < 0 && s < u->mesh.stages; s++)
        if (unfold_on_stage(u, full, s)) stage = s;
    } else {
      l = over_replicas(u, g->nodes.at[o->node].rank, true, a);
    }
    outputs[k] = keep_layout(&l, a);
    if (u->mesh.stages > 1 && stage >= 0) o->node = from_stage(g, &u->mesh, o->node, stage, a);
  }
  if (g->n_devices > 1) g->param_layouts = params, g->output_layouts = outputs, g->output_of = of;
  g->output_on = NULL; /* every device has what its stage has */
  return true;
}

/* The ranks of a stage that hold an output must be all of them. */
static bool whole_stages(Unfold *u, const Graph *g) {
  for (size_t k = 0; g->output_on && k < g->outputs.len; k++) {
    int64_t cut = u->mesh.cut;
    for (int64_t r = 0; r < g->n_devices; r++)
      if (g->output_on[k] && g->output_on[k][r] != g->output_on[k][r / cut * cut])
        return unfold_error(u, NULL, E_UNSUPPORTED, "only some devices of a stage have output '%s'",
                            sym_text(g->outputs.at[k].name));
  }
  return true;
}

static Graph *faulty(const TorchProgram *p) {
  Graph *g = graph_new();
  Fault *f = ARENA_NEW(&g->arena, Fault);
  g->path = sym(sources_get(diags_sources(p->diags), p->source)->path);
  g->source = p->source;
  g->n_devices = p->n_ranks;
  *f = *p->fault;
  f->text = arena_strdup(&g->arena, f->text, strlen(f->text));
  g->fault = f;
  return g;
}

Graph *plan_read(Diags *diags, uint32_t source, const PlanOptions *options) {
  Plan plan = {0};
  Graph *g = NULL;
  const Source *text = sources_get(diags_sources(diags), source);
  if (plan_is_json(text) ? plan_read_json(&plan, diags, source) : plan_read_pickle(&plan, diags, source)) {
    TorchProgram p = {.diags = diags, .source = source, .faults = plan.n_runtime > 1};
    Unfold u = {.plan = &plan, .options = options, .p = &p};
    if (unfold_mesh(&u) && unfold_program(&u)) g = torch_lower(&p);
    if (g && !(whole_stages(&u, g) && lay_out(&u, g))) graph_free(g), g = NULL;
    for (size_t k = 0; g && k < u.notes.len; k++)
      vec_push(&g->readings, arena_strdup(&g->arena, u.notes.at[k], strlen(u.notes.at[k])));
    if (!g && p.fault) g = faulty(&p);
    vec_free(&u.notes);
    torch_program_free(&p);
  }
  plan_tables_free(&plan);
  return g;
}
