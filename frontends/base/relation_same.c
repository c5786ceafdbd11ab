/* The relation of two programs that need no file for it: inputs of one name are the same, or of one
 * number where programs know them by that and have no name in common; results correspond by name if both have the same
 * names, else in order.  A distributed program says itself how they lie over its mesh. */
#include <inttypes.h>
#include <string.h>

#include "frontends/base/relation.h"

static const Node *param(const Graph *g, size_t k) {
  return g->params.at[k] == NO_NODE ? NULL : &g->nodes.at[g->params.at[k]];
}

static int64_t find(const Graph *g, Sym name) {
  for (size_t k = 0; k < g->params.len; k++)
    if (param(g, k) && param(g, k)->name == name) return (int64_t)k;
  return -1;
}

static Related same(Arena *a, Sym name, int64_t seq, int64_t dist, uint8_t rank) {
  Layout l = {.rank = rank, .dims = arena_alloc(a, rank * sizeof *l.dims)};
  return (Related){.name = name, .seq = seq, .dist = dist, .layout = l, .scale = 1};
}

/* Its values are in the file: see weights.h. */
static bool given(const Graph *g, size_t k) { return g->param_values && g->param_values[k]; }

static bool lacks(const Graph *g, const Graph *other, Diags *diags) {
  for (size_t k = 0; k < g->params.len; k++) {
    if (!param(g, k) || given(g, k) || find(other, param(g, k)->name) >= 0) continue;
    diag_error(diags, (Span){0, 0, 0}, E_RELATION_FIT, "%s has no parameter '%s' as %s has", sym_text(other->path),
               sym_text(param(g, k)->name), sym_text(g->path));
    diag_hint(diags, "say how they correspond with --relation=relation.json");
    return true;
  }
  return false;
}

/* The only output of that name; the number of outputs if there is none, or another. */
static size_t output(const Graph *g, Sym name) {
  size_t at = g->outputs.len;
  for (size_t k = 0; name && k < g->outputs.len; k++)
    if (g->outputs.at[k].name == name) {
      if (at < g->outputs.len) return g->outputs.len;
      at = k;
    }
  return at;
}

static Sym output_of(const Graph *dist, size_t k) { return dist->output_of ? dist->output_of[k] : dist->outputs.at[k].name; }

/* Have both the same outputs by name, each once? */
static bool same_names(const Graph *seq, const Graph *dist) {
  for (size_t k = 0; k < dist->outputs.len && !dist->output_of; k++) {
    Sym name = dist->outputs.at[k].name;
    if (output(seq, name) == seq->outputs.len || output(dist, name) == dist->outputs.len) return false;
  }
  return true;
}

/* Both tell parameters apart by number, no name of one is known to the other, and types agree. */
static bool by_number(const Graph *seq, const Graph *dist) {
  if (!seq->numbered || !dist->numbered || seq->params.len != dist->params.len) return false;
  for (size_t k = 0; k < seq->params.len; k++) {
    const Node *a = param(seq, k), *b = param(dist, k);
    if (!a || !b || find(dist, a->name) >= 0 || a->dtype != b->dtype || a->rank != b->rank) return false;
    if (a->rank && memcmp(a->dims, b->dims, a->rank * sizeof *a->dims)) return false;
  }
  return true;
}

/* A distributed output that is none of the sequential ones. */
static bool output_lacks(const Graph *seq, const Graph *dist, Diags *diags) {
  for (size_t k = 0; k < dist->outputs.len; k++)
    if (output(seq, output_of(dist, k)) == seq->outputs.len)
      return diag_error(diags, (Span){0, 0, 0}, E_RELATION_FIT, "%s has no output '%s' as %s has", sym_text(seq->path),
                        sym_text(output_of(dist, k)), sym_text(dist->path)), true;
  return false;
}

const Fault *relation_missing(const Graph *seq, const Graph *dist, Arena *a) {
  for (size_t i = 0; dist->output_of && i < seq->outputs.len; i++) {
    Sym name = seq->outputs.at[i].name;
    size_t k = 0;
    while (k < dist->outputs.len && dist->output_of[k] != name) k++;
    if (k < dist->outputs.len) continue;
    const Frames *f = &seq->frames.at[seq->nodes.at[seq->outputs.at[i].node].frames];
    Fault *out = ARENA_NEW(a, Fault);
    *out = (Fault){.text = arena_printf(a, "no device makes '%s'", sym_text(name)), .name = name, .at = f->n ? f->at[0] : 0};
    out->op = seq->nodes.at[seq->outputs.at[i].node].op;
    return out;
  }
  return NULL;
}

Relation *relation_of_names(Diags *diags, const Graph *seq, const Graph *dist) {
  bool numbered = by_number(seq, dist);
  if (!numbered && (lacks(dist, seq, diags) || lacks(seq, dist, diags))) return NULL;
  if (dist->output_of && output_lacks(seq, dist, diags)) return NULL;
  if (!dist->output_of && seq->outputs.len != dist->outputs.len) {
    diag_error(diags, (Span){0, 0, 0}, E_RELATION_FIT, "%s has %zu results, %s has %zu", sym_text(seq->path),
               seq->outputs.len, sym_text(dist->path), dist->outputs.len);
    return NULL;
  }
  Relation *r = xcalloc(1, sizeof *r);
  Arena *a = &r->arena;
  if (dist->mesh) r->mesh = *mesh_copy(dist->mesh, a);
  else r->mesh = (Mesh){.n_devices = 1, .device_order = ARENA_ARRAY(a, int64_t, 1)};
  r->inputs = ARENA_ARRAY(a, Related, dist->params.len);
  r->outputs = ARENA_ARRAY(a, Related, dist->outputs.len);
  for (size_t k = 0; k < dist->params.len; k++) {
    const Node *n = param(dist, k);
    if (!n || given(dist, k)) continue;
    int64_t i = numbered ? (int64_t)k : find(seq, n->name);
    Related *x = &r->inputs[r->n_inputs++];
    *x = same(a, param(seq, (size_t)i)->name, i, (int64_t)k, n->rank);
    if (dist->param_layouts) x->layout = layout_copy(dist->param_layouts[k], a);
  }
  r->by_number = numbered && dist->params.len;
  bool by_name = same_names(seq, dist);
  for (size_t k = 0; k < dist->outputs.len; k++) {
    size_t i = by_name ? output(seq, output_of(dist, k)) : k;
    GraphOutput o = seq->outputs.at[i];
    const Node *n = &seq->nodes.at[o.node];
    Related *y = &r->outputs[r->n_outputs++];
    *y = same(a, o.name ? o.name : n->name, (int64_t)i, (int64_t)k, n->rank);
    if (dist->output_layouts) y->layout = layout_copy(dist->output_layouts[k], a);
    if (dist->output_of && dist->outputs.at[k].name != o.name) y->dist_name = dist->outputs.at[k].name;
  }
  return r;
}
