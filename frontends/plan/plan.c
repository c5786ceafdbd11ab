/* Tables of a plan: tensors by number, arguments, reports. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "frontends/plan/check.h"

#define MAX_ELEMENTS (INT64_C(1) << 48)

/* ---- reports */
static bool report(const Plan *p, Span at, DiagCode code, const char *where, const char *what) {
  const char *colon = *where ? ": " : "";
  if (at.source) return diag_error(p->diags, at, code, "%s%s%s", where, colon, what);
  const Source *s = sources_get(diags_sources(p->diags), p->source);
  return diag_error(p->diags, at, code, "%s: %s%s%s", s->path, where, colon, what);
}

static void node_words(char *buf, size_t size, int64_t id, Sym op) {
  if (op) snprintf(buf, size, "node %lld, '%.100s'", (long long)id, sym_text(op));
  else snprintf(buf, size, "node %lld", (long long)id);
}

bool plan_report(const Plan *p, uint32_t node, DiagCode code, const char *fmt, ...) {
  char what[256], where[160];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  const PlanNode *n = &p->nodes.at[node];
  Graph g = {.source = p->source}; /* what node_span asks of a graph */
  Node place = {.line = n->line};
  g.nodes.at = &place;
  node_words(where, sizeof where, n->id, n->op);
  return report(p, node_span(&g, diags_sources(p->diags), 0), code, where, what);
}

bool plan_error(PlanMaker *m, DiagCode code, const char *fmt, ...) {
  char what[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  Span at = m->doc ? (Span){m->doc->source, 0, 0} : (Span){0};
  m->errors++;
  return report(m->p, m->doc && m->at ? json_doc_span(m->doc, m->at) : at, code, m->where, what);
}

void plan_where(PlanMaker *m, int64_t id, Sym op) { node_words(m->where, sizeof m->where, id, op); }

/* ---- tensors */
static size_t id_slot(const PlanIds *ids, const char *table, size_t stride, int64_t id) {
  size_t at = (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (ids->cap - 1);
  for (; ids->at[at]; at = (at + 1) & (ids->cap - 1))
    if (*(const int64_t *)(table + (ids->at[at] - 1) * stride) == id) break;
  return at;
}

static uint32_t id_find(const PlanIds *ids, const void *table, size_t stride, int64_t id) {
  uint32_t k = ids->cap ? ids->at[id_slot(ids, table, stride, id)] : 0;
  return k ? k - 1 : NO_PLAN;
}

/* The last of n rows, whose first member is its id. */
static void id_add(PlanIds *ids, const void *table, size_t stride, size_t n) {
  size_t from = n - 1;
  if (n * 2 > ids->cap) {
    ids->cap = ids->cap ? ids->cap * 2 : 64;
    free(ids->at);
    ids->at = xcalloc(ids->cap, sizeof *ids->at);
    from = 0;
  }
  for (; from < n; from++) {
    int64_t id = *(const int64_t *)((const char *)table + from * stride);
    ids->at[id_slot(ids, table, stride, id)] = (uint32_t)from + 1;
  }
}

uint32_t plan_find_full(const PlanMaker *m, int64_t id) {
  return id_find(&m->fulls, m->p->fulls.at, sizeof(PlanFull), id);
}

uint32_t plan_find_sub(const PlanMaker *m, int64_t id) {
  return id_find(&m->subs, m->p->subs.at, sizeof(PlanSub), id);
}

static bool same_numbers(const int64_t *a, const int64_t *b, uint32_t n) { return !n || !memcmp(a, b, n * sizeof *a); }

static bool same_full(const PlanFull *a, const PlanFull *b) {
  return a->name == b->name && a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank &&
         same_numbers(a->dims, b->dims, a->rank) && a->loss == b->loss && a->of_param == b->of_param;
}

bool plan_add_full(PlanMaker *m, PlanFull full, uint32_t *out) {
  Plan *p = m->p;
  long long id = (long long)full.id;
  int64_t n = 1;
  for (uint32_t k = 0; k < full.rank; k++) {
    if (full.dims[k] < 0) return plan_error(m, E_GRAPH_SYNTAX, "a size of tensor %lld is negative", id);
    if (full.dims[k] && n > MAX_ELEMENTS / full.dims[k]) return plan_error(m, E_SIZE, "tensor %lld is too large", id);
    n *= full.dims[k];
  }
  *out = plan_find_full(m, full.id);
  if (*out != NO_PLAN) {
    if (!m->doc && same_full(&full, &p->fulls.at[*out])) return true;
    return plan_error(m, E_GRAPH_NAME, "full tensor %lld is declared twice", id);
  }
  *out = (uint32_t)p->fulls.len;
  vec_push(&p->fulls, full);
  id_add(&m->fulls, p->fulls.at, sizeof full, p->fulls.len);
  return true;
}

static bool same_sub(const PlanSub *a, const PlanSub *b, uint32_t rank) {
  return a->full == b->full && same_numbers(a->start, b->start, rank) && same_numbers(a->end, b->end, rank) &&
         a->addend == b->addend && a->n_addends == b->n_addends;
}

bool plan_add_sub(PlanMaker *m, PlanSub sub, uint32_t rank, uint32_t *out) {
  Plan *p = m->p;
  const PlanFull *full = &p->fulls.at[sub.full];
  long long id = (long long)sub.id;
  if (rank != full->rank)
    return plan_error(m, E_SHAPE, "tensor %lld is cut in %u dimensions, full tensor %lld has %u", id, rank,
                      (long long)full->id, full->rank);
  for (uint32_t k = 0; k < rank; k++)
    if (sub.start[k] < 0 || sub.start[k] > sub.end[k] || sub.end[k] > full->dims[k])
      return plan_error(m, E_SHAPE, "tensor %lld is [%lld, %lld) of dimension %u, which has size %lld", id,
                        (long long)sub.start[k], (long long)sub.end[k], k, (long long)full->dims[k]);
  if (sub.addend < 0 || sub.addend >= sub.n_addends)
    return plan_error(m, E_GRAPH_SYNTAX, "tensor %lld is addend %lld of %lld", id, (long long)sub.addend,
                      (long long)sub.n_addends);
  *out = plan_find_sub(m, sub.id);
  if (*out != NO_PLAN) {
    if (!m->doc && same_sub(&sub, &p->subs.at[*out], rank)) return true;
    return plan_error(m, E_GRAPH_NAME, "tensor %lld is declared twice", id);
  }
  *out = (uint32_t)p->subs.len;
  vec_push(&p->subs, sub);
  id_add(&m->subs, p->subs.at, sizeof sub, p->subs.len);
  return true;
}

bool plan_dtype(const char *s, uint8_t *out) {
  static const struct {
    const char *text;
    DType type;
  } table[] = {{"float32", DT_F32}, {"float64", DT_F64}, {"float16", DT_F16}, {"bfloat16", DT_BF16}, {"int64", DT_S64},
               {"int32", DT_S32}, {"int16", DT_S16}, {"int8", DT_S8}, {"uint64", DT_U64}, {"uint8", DT_U8},
               {"bool", DT_PRED}, {"complex64", DT_C64}};
  if (!strncmp(s, "torch.", 6)) s += 6;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (!strcmp(table[i].text, s)) return *out = (uint8_t)table[i].type, true;
  return false;
}

/* ---- arguments */
PlanArg *plan_new_args(PlanMaker *m, size_t n) {
  if (n > m->room) {
    plan_error(m, E_LIMIT, "the lists of the plan are too long for its file");
    return NULL;
  }
  m->room -= n;
  PlanArg *out = ARENA_ARRAY(&m->p->arena, PlanArg, n);
  for (size_t k = 0; k < n; k++) out[k] = (PlanArg){.kind = PA_NONE, .r = RAT_0};
  return out;
}

PlanArg plan_int(int64_t i, bool is_bool) {
  return (PlanArg){.kind = is_bool ? PA_BOOL : PA_INT, .i = i, .r = rat_int(i)};
}

PlanArg plan_float(double x) {
  PlanArg a = {.kind = PA_FLOAT};
  if (!isfinite(x)) a.r = isnan(x) ? RAT_NAN : x > 0 ? RAT_POS_INF : RAT_NEG_INF;
  else rat_shortest(x, &a.r);
  return a;
}

/* ---- the whole */
void plan_begin(PlanMaker *m, Plan *p, Diags *diags, uint32_t source) {
  *p = (Plan){.diags = diags, .source = source};
  *m = (PlanMaker){.p = p, .room = (1 << 16) + 4 * (uint64_t)sources_get(diags_sources(diags), source)->len};
}

bool plan_set_devices(PlanMaker *m, int64_t n_devices, int64_t n_runtime) {
  Plan *p = m->p;
  if (n_devices < 1 || n_runtime < n_devices || n_runtime % n_devices || n_runtime > PLAN_MAX_DEVICES)
    return plan_error(m, E_MESH, "a plan for %lld devices run on %lld: must be a multiple of it and at most %d",
                      (long long)n_devices, (long long)n_runtime, PLAN_MAX_DEVICES);
  p->n_devices = n_devices;
  p->n_runtime = n_runtime;
  p->programs = ARENA_ARRAY(&p->arena, PlanProgram, n_devices);
  return true;
}

bool plan_end(PlanMaker *m) {
  bool ok = !m->errors && plan_check(m->p);
  free(m->fulls.at);
  free(m->subs.at);
  return ok;
}

void plan_tables_free(Plan *p) {
  vec_free(&p->fulls);
  vec_free(&p->subs);
  vec_free(&p->nodes);
  arena_free(&p->arena);
}
