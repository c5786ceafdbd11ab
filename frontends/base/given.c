#include "frontends/base/given.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "frontends/json/json.h"
#include "lang/nearest.h"

typedef struct Reader {
  JsonDoc doc;
  const char *name;
  const Node *node;
  double *to;
  uint64_t n;
} Reader;

static const char *related_name(const Relation *relation, size_t parameter) {
  for (uint32_t k = 0; relation && k < relation->n_inputs; k++)
    if (relation->inputs[k].seq == (int64_t)parameter && relation->inputs[k].name)
      return sym_text(relation->inputs[k].name);
  return "";
}

/* The parameter of a name; the number of parameters if there is none. */
static size_t find(const Graph *g, const Relation *relation, const char *name) {
  for (size_t i = 0; i < g->params.len; i++) {
    if (g->params.at[i] == NO_NODE) continue;
    const Node *n = &g->nodes.at[g->params.at[i]];
    if (!strcmp(related_name(relation, i), name) || !strcmp(sym_text(n->name), name) ||
        (n->label && !strcmp(sym_text(n->label), name)))
      return i;
  }
  return g->params.len;
}

/* Values are given as doubles, which hold whole numbers exactly up to here. */
static bool too_large(const json_t *v) {
  const json_int_t most = (json_int_t)1 << 53;
  return json_is_integer(v) && (json_integer_value(v) > most || json_integer_value(v) < -most);
}

static bool number(const json_t *v, double *out) {
  if (json_is_boolean(v))
    *out = json_is_true(v);
  else if (json_is_null(v))
    *out = NAN;
  else if (json_is_number(v))
    *out = json_number_value(v);
  else
    return false;
  return true;
}

/* Dimension d and all inside it. */
static bool read_dimension(Reader *r, const json_t *v, uint32_t d) {
  if (d == r->node->rank) {
    if (too_large(v))
      return diag_error(r->doc.diags, json_doc_span(&r->doc, v), E_JSON, "\"%s\": %lld is beyond 2^53", r->name,
                        (long long)json_integer_value(v));
    if (number(v, &r->to[r->n++])) return true;
    return diag_error(r->doc.diags, json_doc_span(&r->doc, v), E_JSON, "\"%s\": expected a number", r->name);
  }
  if (!json_is_array(v))
    return diag_error(r->doc.diags, json_doc_span(&r->doc, json_is_null(v) || json_is_boolean(v) ? r->doc.root : v),
                      E_JSON, "\"%s\": expected a list, dimension %" PRIu32, r->name, d);
  if (json_array_size(v) != (size_t)r->node->dims[d])
    return diag_error(r->doc.diags, json_doc_span(&r->doc, v), E_JSON,
                      "\"%s\": dimension %" PRIu32 " has size %" PRId64 ", this list %zu", r->name, d, r->node->dims[d],
                      json_array_size(v));
  for (size_t k = 0; k < json_array_size(v); k++)
    if (!read_dimension(r, json_array_get(v, k), d + 1)) return false;
  return true;
}

static bool unknown_name(Reader *r, const Graph *g, const Relation *relation) {
  Nearest near = {.word = r->name, .len = strlen(r->name)};
  const char *some = NULL;
  for (size_t i = 0; i < g->params.len; i++) {
    if (g->params.at[i] == NO_NODE) continue;
    nearest_try(&near, related_name(relation, i));
    nearest_try(&near, sym_text(g->nodes.at[g->params.at[i]].name));
    if (!some) some = sym_text(g->nodes.at[g->params.at[i]].name);
  }
  diag_error(r->doc.diags, json_doc_span(&r->doc, r->doc.root), E_UNBOUND, "no input is named \"%s\"", r->name);
  if (near.best) diag_hint(r->doc.diags, "did you mean \"%s\"?", near.best);
  else if (some) diag_hint(r->doc.diags, "one of them is \"%s\"; tvr show prints all", some);
  return false;
}

bool given_read(Diags *diags, uint32_t source, const Graph *g, const Relation *relation, Arena *a,
                const double *const **out) {
  Reader r = {{0}};
  if (!json_doc_read(&r.doc, diags, source)) return false;
  const double **values = ARENA_ARRAY(a, const double *, g->params.len + 1);
  bool ok = json_is_object(r.doc.root);
  if (!ok) diag_error(diags, json_doc_span(&r.doc, r.doc.root), E_JSON, "expected an object: {\"input\": values, ..}");
  json_t *value;
  json_object_foreach(r.doc.root, r.name, value) {
    size_t i = find(g, relation, r.name);
    if (i == g->params.len) {
      ok = unknown_name(&r, g, relation);
      continue;
    }
    r.node = &g->nodes.at[g->params.at[i]];
    r.n = 0;
    r.to = ARENA_ARRAY(a, double, node_elements(r.node) + 1);
    ok = read_dimension(&r, value, 0) && ok;
    values[i] = r.to;
  }
  json_doc_free(&r.doc);
  *out = values;
  return ok;
}
