/* The mesh of a plan: replicas, stages, and the devices of a stage; groups of devices; how parameters lie over it. */
#include <stdlib.h>
#include <string.h>

#include "frontends/plan/unfold.h"

/* ---- stages */
static uint32_t root(uint32_t *up, uint32_t k) {
  while (up[k] != k) k = up[k] = up[up[k]];
  return k;
}

static const PlanArg *kw(const PlanPrim *prim, const char *name) {
  Sym s = sym(name);
  for (uint32_t k = 0; k < prim->n_kws; k++)
    if (prim->kws[k].name == s) return &prim->kws[k].value;
  return NULL;
}

static void join(const Unfold *u, const PlanNode *n, uint32_t *up) {
  for (uint32_t k = 0; k < n->n_nodes; k++) join(u, &u->plan->nodes.at[n->nodes[k]], up);
  for (uint32_t k = 0; k < n->n_prims; k++) {
    const PlanPrim *prim = &n->prims[k];
    const PlanArg *ranks = kw(prim, "ranks");
    const char *op = sym_text(prim->op);
    if (!strcmp(op, "Move") || !strcmp(op, "Broadcast") || !ranks || ranks->kind != PA_LIST) continue;
    for (uint32_t i = 1; i < ranks->n; i++) {
      int64_t a = ranks->list[0].i, b = ranks->list[i].i;
      if (a >= 0 && b >= 0 && a < u->plan->n_devices && b < u->plan->n_devices)
        up[root(up, (uint32_t)b)] = root(up, (uint32_t)a);
    }
  }
}

static void add_axis(Mesh *m, const char *name, int64_t size) {
  if (size > 1) m->axes[m->n_axes++] = (Axis){sym(name), size};
}

/* Which parts of full tensors a device uses; it uses one of each. */
static bool learn_uses(Unfold *u, int64_t device, const PlanNode *n) {
  for (uint32_t k = 0; k < n->n_nodes; k++)
    if (!learn_uses(u, device, &u->plan->nodes.at[n->nodes[k]])) return false;
  for (uint32_t k = 0; n->kind == PLAN_FORWARD && k < n->n_in; k++) {
    if (n->in[k].kind != PA_TENSOR) continue;
    uint32_t full = u->plan->subs.at[n->in[k].sub].full;
    if (u->plan->fulls.at[full].kind != PLAN_PARAM && u->plan->fulls.at[full].kind != PLAN_BUFFER) continue;
    PlanUse *use = &u->uses[(size_t)device * u->plan->fulls.len + full];
    if (use->part && use->part != n->in[k].sub + 1)
      return unfold_error(u, n, E_UNSUPPORTED, "device %lld uses several parts of '%s'", (long long)device,
                          sym_text(u->plan->fulls.at[full].name));
    use->part = n->in[k].sub + 1;
    use->gradient |= n->in[k].grad != NO_PLAN;
  }
  return true;
}

/* How dimension d of the parts lies over the positions of a stage: whole, or cut in order. */
static bool dim_cut(const Unfold *u, uint32_t full, uint32_t d, bool *cut) {
  bool whole = true, pieces = true;
  int64_t size = u->plan->fulls.at[full].dims[d];
  for (int64_t k = 0; k < u->plan->n_devices; k++) {
    uint32_t part = unfold_use(u, k, full)->part;
    if (!part) continue;
    const PlanSub *s = &u->plan->subs.at[part - 1];
    int64_t n = s->end[d] - s->start[d];
    whole &= n == size;
    pieces &= size % u->mesh.cut == 0 && n == size / u->mesh.cut && s->start[d] == k % u->mesh.cut * n;
  }
  *cut = !whole;
  return whole || pieces;
}

/* Whether what talks together is in one of the blocks of u->mesh.cut devices. */
static bool holds_talk(const Unfold *u, uint32_t *up) {
  for (uint32_t k = 0; k < u->plan->n_devices; k++)
    if (root(up, k) / u->mesh.cut != k / u->mesh.cut) return false;
  return true;
}

/* Whether parameters lie in order over each of them. */
static bool holds_parts(const Unfold *u) {
  bool cut;
  for (uint32_t full = 0; full < u->plan->fulls.len; full++)
    for (uint32_t d = 0; d < u->plan->fulls.at[full].rank; d++)
      if (!dim_cut(u, full, d, &cut)) return false;
  return true;
}

/* Stages of as few devices as can be; those of parameters in no order are refused later. */
static void find_stages(Unfold *u, uint32_t *up) {
  int64_t n = u->plan->n_devices, smallest = 0;
  for (int64_t size = 1; size <= n; size++) {
    u->mesh = (PlanMesh){u->plan->n_runtime / n, n / size, size};
    if (n % size || !holds_talk(u, up)) continue;
    if (holds_parts(u)) return;
    if (!smallest) smallest = size;
  }
  u->mesh = (PlanMesh){u->plan->n_runtime / n, n / smallest, smallest};
}

bool unfold_mesh(Unfold *u) {
  uint32_t n = (uint32_t)u->plan->n_devices, *up = ARENA_ARRAY(&u->p->arena, uint32_t, n);
  for (uint32_t k = 0; k < n; k++) up[k] = k;
  for (uint32_t d = 0; d < n; d++)
    for (uint32_t k = 0; k < u->plan->programs[d].n; k++)
      join(u, &u->plan->nodes.at[u->plan->programs[d].steps[k].node], up);
  u->uses = ARENA_ARRAY(&u->p->arena, PlanUse, n * u->plan->fulls.len);
  for (uint32_t d = 0; d < n; d++)
    for (uint32_t k = 0; k < u->plan->programs[d].n; k++)
      if (!learn_uses(u, d, &u->plan->nodes.at[u->plan->programs[d].steps[k].node])) return false;
  find_stages(u, up);
  Mesh *m = &u->p->mesh;
  m->axes = ARENA_ARRAY(&u->p->arena, Axis, 3);
  add_axis(m, "dp", u->mesh.replicas);
  add_axis(m, "pp", u->mesh.stages);
  add_axis(m, "tp", u->mesh.cut);
  m->n_devices = u->plan->n_runtime;
  m->device_order = ARENA_ARRAY(&u->p->arena, int64_t, m->n_devices);
  for (int64_t k = 0; k < m->n_devices; k++) m->device_order[k] = k;
  u->p->n_ranks = m->n_devices;
  u->p->sequential = m->n_devices == 1;
  return true;
}

/* ---- groups */
static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* 0 .. size - 1 in blocks of n, one of which is `first` (increasing), the others shifted copies of it where there is room
 * (*alike: everywhere); out[size], block after block by their least member.  false: it does not divide. */
static bool blocks_like(const int64_t *first, uint32_t n, int64_t size, int64_t *out, bool *alike, Arena *a) {
  bool *used = ARENA_ARRAY(a, bool, size);
  int64_t **block = ARENA_ARRAY(a, int64_t *, size);
  if (size % n) return false;
  for (uint32_t k = 0; k < n; k++) used[first[k]] = true;
  block[first[0]] = arena_copy(a, first, n * sizeof *first);
  for (int64_t at = 0; at < size; at++) {
    if (used[at]) continue;
    int64_t *b = block[at] = ARENA_ARRAY(a, int64_t, n);
    bool room = true;
    for (uint32_t k = 0; k < n; k++) {
      b[k] = at + first[k] - first[0];
      room &= b[k] < size && !used[b[k]];
    }
    *alike &= room;
    for (int64_t k = 0, next = at; !room && k < n; next++)
      if (!used[next]) b[k++] = next;
    for (uint32_t k = 0; k < n; k++) used[b[k]] = true;
  }
  for (int64_t at = 0, k = 0; at < size; at++)
    if (block[at]) memcpy(out + k, block[at], n * sizeof *out), k += n;
  return true;
}

/* Blocks of a replica's devices, one of which is `list` (increasing): a product of stages and positions if it is one
 * (*alike: and the others are shifted copies of it). */
static bool device_blocks(const Unfold *u, const int64_t *list, uint32_t n, int64_t *out, bool *alike, Arena *a) {
  int64_t cut = u->mesh.cut, stages = u->mesh.stages, *place = ARENA_ARRAY(a, int64_t, n), n_places = 0;
  while (n_places < n && list[n_places] / cut == list[0] / cut) place[n_places] = list[n_places] % cut, n_places++;
  int64_t n_stages = n / n_places, *stage = ARENA_ARRAY(a, int64_t, n_stages + 1);
  bool product = n_stages * n_places == n;
  for (int64_t k = 0; product && k < n_stages; k++) stage[k] = list[k * n_places] / cut;
  for (uint32_t k = 0; product && k < n; k++)
    product = list[k] == stage[k / n_places] * cut + place[k % n_places];
  int64_t *places = ARENA_ARRAY(a, int64_t, cut), *groups = ARENA_ARRAY(a, int64_t, stages);
  *alike = product;
  if (!product || !blocks_like(place, (uint32_t)n_places, cut, places, alike, a) ||
      !blocks_like(stage, (uint32_t)n_stages, stages, groups, alike, a))
    return *alike = false, blocks_like(list, n, u->plan->n_devices, out, alike, a);
  int64_t k = 0;
  for (int64_t s = 0; s < stages; s += n_stages)
    for (int64_t t = 0; t < cut; t += n_places)
      for (int64_t i = 0; i < n; i++)
        out[k++] = groups[s + i / n_places] * cut + places[t + i % n_places];
  return true;
}

static TorchArg group_arg(Unfold *u, TorchGroup g) {
  uint32_t k = 0;
  TorchProgram *p = u->p;
  while (k < p->n_groups &&
         !(p->groups[k].size == g.size && !memcmp(p->groups[k].ranks, g.ranks, (size_t)p->n_ranks * sizeof *g.ranks)))
    k++;
  if (k == p->n_groups) {
    if ((k & (k - 1)) == 0) { /* room for twice as many */
      TorchGroup *more = ARENA_ARRAY(&p->arena, TorchGroup, 2 * k + 1);
      if (k) memcpy(more, p->groups, k * sizeof *more);
      p->groups = more;
    }
    g.name = sym(arena_printf(&p->arena, "group %u", k));
    p->groups[p->n_groups++] = g;
  }
  return (TorchArg){.kind = TA_GROUP, .i = k};
}

bool unfold_group(Unfold *u, const PlanNode *n, const int64_t *devices, uint32_t n_devices, bool replicas, TorchArg *out) {
  Arena scratch = {0};
  int64_t size = u->plan->n_devices, *sorted = arena_copy(&scratch, devices, n_devices * sizeof *sorted);
  qsort(sorted, n_devices, sizeof *sorted, by_number);
  bool ok = n_devices > 0, alike;
  for (uint32_t k = 0; ok && k < n_devices; k++)
    ok = sorted[k] >= 0 && sorted[k] < size && (!k || sorted[k] != sorted[k - 1]);
  if (!ok) unfold_error(u, n, E_COLLECTIVE, "a group must list devices of the plan, each once");
  int64_t *blocks = ARENA_ARRAY(&scratch, int64_t, size);
  if (ok && !device_blocks(u, sorted, n_devices, blocks, &alike, &scratch))
    ok = unfold_error(u, n, E_UNSUPPORTED, "a group of %u devices, of which the others make no whole number", n_devices);
  uint32_t *order = ARENA_ARRAY(&scratch, uint32_t, n_devices + 1u);
  for (uint32_t k = 0; ok && k < n_devices; k++)
    while (sorted[order[k]] != devices[k]) order[k]++;
  TorchGroup g = {.size = n_devices * (uint32_t)(replicas ? u->mesh.replicas : 1)};
  int64_t *ranks = ARENA_ARRAY(&u->p->arena, int64_t, u->p->n_ranks), at = 0;
  if (ok) g.n = (uint32_t)(u->p->n_ranks / g.size);
  for (int64_t b = 0; ok && replicas && b < size; b += n_devices)
    for (int64_t d = 0; d < u->mesh.replicas; d++)
      for (uint32_t k = 0; k < n_devices; k++) ranks[at++] = d * size + blocks[b + order[k]];
  for (int64_t d = 0; ok && !replicas && d < u->mesh.replicas; d++)
    for (int64_t b = 0; b < size; b += n_devices)
      for (uint32_t k = 0; k < n_devices; k++) ranks[at++] = d * size + blocks[b + order[k]];
  g.ranks = ranks;
  if (ok) *out = group_arg(u, g);
  arena_free(&scratch);
  return ok;
}

int64_t unfold_tag(const Unfold *u, const char *what, const int64_t *devices, uint32_t n_devices) {
  for (uint32_t k = 0; k < n_devices; k++) what = arena_printf(&u->p->arena, "%s %lld", what, (long long)devices[k]);
  return (int64_t)sym(what);
}

bool unfold_group_repeats(const Unfold *u, const int64_t *devices, uint32_t n_devices) {
  Arena scratch = {0};
  bool alike;
  int64_t *sorted = arena_copy(&scratch, devices, n_devices * sizeof *sorted);
  qsort(sorted, n_devices, sizeof *sorted, by_number);
  device_blocks(u, sorted, n_devices, ARENA_ARRAY(&scratch, int64_t, u->plan->n_devices), &alike, &scratch);
  arena_free(&scratch);
  return alike;
}

/* ---- layouts */
bool unfold_on_stage(const Unfold *u, uint32_t full, int64_t stage) {
  for (int64_t t = 0; t < u->mesh.cut; t++)
    if (unfold_use(u, stage * u->mesh.cut + t, full)->part) return true;
  return false;
}

bool unfold_layout(Unfold *u, uint32_t full, Layout *out) {
  const PlanFull *f = &u->plan->fulls.at[full];
  Arena *a = &u->p->arena;
  uint32_t *axis = ARENA_NEW(a, uint32_t);
  *axis = u->p->mesh.n_axes - 1; /* tp is the last */
  *out = (Layout){.rank = f->rank, .dims = ARENA_ARRAY(a, struct LayoutDim, f->rank + 1u)};
  uint32_t n_cut = 0;
  for (uint32_t d = 0; d < f->rank; d++) {
    bool cut;
    if (!dim_cut(u, full, d, &cut) || (n_cut += cut) > 1)
      return unfold_error(u, NULL, E_UNSUPPORTED, "the parts of '%s' lie over the devices of a stage in no order",
                          sym_text(f->name));
    if (cut) out->dims[d] = (struct LayoutDim){1, axis};
  }
  return true;
}
