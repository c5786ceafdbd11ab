/* The report as one JSON object: the verdict, outputs, blame, assumptions, limits. */
#include "eval/verdict/report.h"

#include <jansson.h>

static json_t *text(const char *s) { return s ? json_string_nocheck(s) : json_null(); }

static json_t *integers(const int64_t *at, uint32_t n) {
  json_t *a = json_array();
  for (uint32_t i = 0; i < n; i++) json_array_append_new(a, json_integer(at[i]));
  return a;
}

static json_t *strings(const char *const *at, uint32_t n) {
  json_t *a = json_array();
  for (uint32_t i = 0; i < n; i++) json_array_append_new(a, text(at[i]));
  return a;
}

static json_t *witness(const CheckReport *r, const ExactWitness *x) {
  json_t *o = json_object();
  json_object_set_new(o, "seed", json_integer((json_int_t)x->seed));
  json_object_set_new(o, "at", integers(x->at, x->rank));
  json_object_set_new(o, "device", json_integer(x->device));
  json_object_set_new(o, "coordinate", integers(x->coordinate, r->problem->relation->mesh.n_axes));
  json_object_set_new(o, "dist_at", integers(x->at_dist, x->rank));
  json_object_set_new(o, "seq", text(x->seq));
  json_object_set_new(o, "dist", text(x->dist));
  json_object_set_new(o, "inputs", text(x->inputs));
  return o;
}

static json_t *evaluation(const CheckReport *r, const ExactOutput *e) {
  static const char *const status[] = {"agrees", "near", "differs", "unknown"};
  json_t *o = json_object();
  json_object_set_new(o, "status", text(status[e->status]));
  json_object_set_new(o, "points", json_integer(e->points));
  json_object_set_new(o, "difference", json_real(e->difference));
  if (e->why) json_object_set_new(o, "why", text(e->why));
  if (e->status == EXACT_DIFFER) json_object_set_new(o, "witness", witness(r, &e->witness));
  if (e->holds.found) json_object_set_new(o, "holds", text(e->holds.text));
  return o;
}

static json_t *output(const CheckReport *r, const CheckOutput *c) {
  json_t *o = json_object();
  json_object_set_new(o, "name", text(sym_text(c->name)));
  json_object_set_new(o, "verdict", text(verdict_text(c->verdict)));
  json_object_set_new(o, "relation", text(c->relation));
  json_object_set_new(o, "words", text(c->words));
  static const char *const how[] = {"declared", "inferred", "guessed", "guessed"};
  json_object_set_new(o, "declared", text(how[c->inferred]));
  if (c->if_loops) json_object_set_new(o, "if_loops", json_true());
  if (c->tactic) json_object_set_new(o, "tactic", text(c->tactic));
  if (c->blame && c->blame->difference) json_object_set_new(o, "difference", text(c->blame->difference));
  if (c->blame && c->blame->want) json_object_set_new(o, "want", text(c->blame->want));
  if (c->blame && c->blame->have) json_object_set_new(o, "have", text(c->blame->have));
  if (report_lemma(r, c)) json_object_set_new(o, "lemma", text(report_lemma(r, c)));
  if (c->false_lemma) json_object_set_new(o, "lemma_is_false", json_true());
  if (c->exact) json_object_set_new(o, "evaluation", evaluation(r, c->exact));
  if (c->blocks) json_object_set_new(o, "blocks", text(c->blocks));
  return o;
}

/* Where an operator is, what it does, and what it is on the other side. */
static json_t *operator(const Graph *g, NodeId id, const char *is) {
  json_t *o = json_object();
  const Node *n = &g->nodes.at[id];
  char line[512];
  report_place(g, n, line, sizeof line);
  json_object_set_new(o, "at", text(node_at(g, id) ? sym_text(node_at(g, id)) : line));
  json_object_set_new(o, "op", text(sym_text(n->op)));
  json_object_set_new(o, "name", text(sym_text(n->name)));
  json_object_set_new(o, "line", text(line));
  if (is) json_object_set_new(o, "is", text(is));
  return o;
}

/* Between which two operators one is missing, and where the program does what is missing. */
static void put_gap(json_t *o, const CheckReport *r, const Graph *g, const Blamed *b) {
  if (!b->gap.axes) return;
  json_t *between = json_array(), *end = json_object();
  json_array_append_new(between, operator(g, b->node, NULL));
  json_object_set_new(end, "output", text(sym_text(r->problem->relation->outputs[b->gap.output].name)));
  bool output = b->gap.user == NO_NODE;
  json_array_append_new(between, output ? json_incref(end) : operator(g, b->gap.user, NULL));
  json_decref(end);
  json_object_set_new(o, "between", between);
  if (b->gap.via) json_object_set_new(o, "via", text(sym_text(b->gap.via)));
  if (b->gap.alike != NO_NODE) json_object_set_new(o, "elsewhere", operator(g, b->gap.alike, NULL));
}

static json_t *operators(const Graph *g, const Scene *s, SceneRole role) {
  json_t *a = json_array();
  for (uint32_t i = 0; i < s->n; i++)
    if (s->rows[i].role == role) json_array_append_new(a, operator(g, s->rows[i].node, s->rows[i].is));
  return a;
}

/* "models/tp.py:68", or the line of the graph's file where it says nothing else. */
static json_t *blamed(const CheckReport *r, const Blamed *b) {
  const Graph *g = r->problem->graph[b->side];
  const Node *n = &g->nodes.at[b->node];
  const Frames *f = &g->frames.at[b->place == NO_NODE ? n->frames : g->nodes.at[b->place].frames];
  char line[512];
  report_place(g, n, line, sizeof line);
  json_t *o = json_object(), *frames = json_array();
  for (uint32_t i = 0; i < f->n && i < REPORT_FRAMES; i++) json_array_append_new(frames, text(sym_text(f->at[i])));
  json_object_set_new(o, "at", text(f->n ? sym_text(f->at[b->shown]) : line));
  json_object_set_new(o, "graph", text(b->side == SIDE_SEQ ? "seq" : "dist"));
  json_object_set_new(o, "op", text(sym_text(n->op)));
  json_object_set_new(o, "name", text(sym_text(n->name)));
  json_object_set_new(o, "line", text(line));
  json_object_set_new(o, "frames", frames);
  json_object_set_new(o, "why", text(b->why ? b->why : b->fix));
  if (b->fix) json_object_set_new(o, "fix", text(b->fix));
  put_gap(o, r, g, b);
  json_object_set_new(o, "operands", operators(g, &b->scene, SCENE_OPERAND));
  json_object_set_new(o, "users", operators(g, &b->scene, SCENE_USER));
  const Graph *other = r->problem->graph[b->side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ];
  if (b->scene.like != NO_NODE) json_object_set_new(o, "like", operator(other, b->scene.like, NULL));
  if (b->want) json_object_set_new(o, "want", text(b->want));
  if (b->have) json_object_set_new(o, "have", text(b->have));
  return o;
}

static json_t *blame(const CheckReport *r) {
  json_t *a = json_array();
  const CheckReport *c = check_causes(r);
  for (uint32_t i = 0; c->blame && i < c->blame->n; i++) json_array_append_new(a, blamed(c, &c->blame->at[i]));
  return a;
}

static json_t *stats(const CheckReport *r, const ReportStyle *style) {
  json_t *o = json_object(), *ms = json_object();
  json_object_set_new(ms, "reading", json_real(style->read_seconds * 1e3));
  for (int p = 0; p < PHASE_COUNT; p++) json_object_set_new(ms, phase_text((Phase)p), json_real(r->seconds[p] * 1e3));
  json_object_set_new(o, "ms", ms);
  CalculusStats s = calculus_stats(r->proof->calc);
  json_object_set_new(o, "seq_nodes", json_integer((json_int_t)r->problem->graph[SIDE_SEQ]->nodes.len));
  json_object_set_new(o, "dist_nodes", json_integer((json_int_t)r->problem->graph[SIDE_DIST]->nodes.len));
  json_object_set_new(o, "classes", json_integer((json_int_t)s.classes));
  json_object_set_new(o, "references", json_integer((json_int_t)s.refs));
  json_object_set_new(o, "steps", json_integer((json_int_t)s.steps));
  json_object_set_new(o, "memory", json_integer((json_int_t)s.memory));
  json_object_set_new(o, "rounds", json_integer(r->proof->rounds));
  json_object_set_new(o, "attempts", json_integer(r->proof->attempts + (r->searched ? r->searched->attempts : 0)));
  return o;
}

static json_t *loops(const CheckReport *r) {
  json_t *a = json_array();
  for (uint32_t i = 0; i < r->n_loops; i++) {
    const CheckLoop *l = &r->loops[i];
    json_t *o = json_object(), *carried = json_array();
    json_object_set_new(o, "name", text(sym_text(l->name)));
    if (l->at) json_object_set_new(o, "at", text(sym_text(l->at)));
    json_object_set_new(o, "trips", json_integer(l->trips));
    for (uint32_t k = 0; k < l->n; k++) {
      const CheckInvariant *v = &l->invariants[k];
      json_t *c = json_object();
      json_object_set_new(c, "relation", text(v->relation));
      json_object_set_new(c, "words", text(v->words));
      json_object_set_new(c, "base", output(r, v->base));
      json_object_set_new(c, "step", output(r, v->step));
      json_array_append_new(carried, c);
    }
    json_object_set_new(o, "invariant", carried);
    json_array_append_new(a, o);
  }
  return a;
}

void report_json(const CheckReport *r, const ReportStyle *style, FILE *out) {
  json_t *o = json_object(), *outputs = json_array();
  json_object_set_new(o, "format", json_integer(REPORT_FORMAT));
  json_object_set_new(o, "verdict", text(verdict_text(r->verdict)));
  for (uint32_t k = 0; k < r->n_results; k++) json_array_append_new(outputs, output(r, &r->outputs[k]));
  json_object_set_new(o, "outputs", outputs);
  if (r->n_loops) json_object_set_new(o, "loops", loops(r));
  json_object_set_new(o, "blame", blame(r));
  if (check_causes(r) != r) json_object_set_new(o, "blame_sizes", text("smaller"));
  json_object_set_new(o, "unrelated", strings(r->unrelated, r->n_unrelated));
  json_object_set_new(o, "assumptions", strings(r->assumptions, r->n_assumptions));
  if (r->n_define) json_object_set_new(o, "define", strings(r->define, r->n_define));
  json_object_set_new(o, "refused", strings(r->refused, r->n_refused));
  json_object_set_new(o, "failing", strings(r->failing, r->n_failing));
  json_object_set_new(o, "notes", r->exact ? strings(r->exact->notes, r->exact->n_notes) : json_array());
  json_object_set_new(o, "limits", strings(r->limits, r->n_limits));
  if (r->hint) json_object_set_new(o, "hint", json_string(r->hint));
  json_object_set_new(o, "stats", stats(r, style));
  json_dumpf(o, out, JSON_INDENT(1) | JSON_ENSURE_ASCII);
  fputc('\n', out);
  json_decref(o);
}
