/* Proofs as JSON: one object.
 *   terms  every term once, arguments before what holds them: {"head": name, "args": [numbers]} or {"value": text}
 *   steps  premises before what follows from them: {"proves": ..., "by": ..., "from": [numbers of steps]}
 *          proves: {"row": term} a row of a relation; {"row": term, "value": term} of another table; {"equal": [a, b]}
 *          by: given | rule | call | merge | moved | chain | congruence | elements | same | unknown
 *          with "file" and "line", for rules "rule" and "with": its variables
 *   goals  the steps that prove what was asked, in the order of its facts */
#include <jansson.h>

#include "eval/program/explain.h"
#include "eval/program/print.h"

typedef Vec(uint32_t) Numbers;

typedef struct {
  Explained *x;
  uint32_t *number; /* of each step, + 1: in order of output */
  Numbers order;
} Writer;

/* Premises first, without recursion. */
static void order_from(Writer *w, uint32_t root) {
  typedef struct {
    uint32_t step, next;
  } Frame;
  const Derivation *p = w->x->proof;
  Vec(Frame) stack = {0};
  if (!w->number[root]) vec_push(&stack, (Frame){root, 0});
  while (stack.len) {
    Frame *f = &vec_last(&stack);
    if (f->next < p->steps.at[f->step].n) {
      uint32_t k = derive_premises(p, f->step)[f->next++];
      if (!w->number[k]) vec_push(&stack, (Frame){k, 0});
      continue;
    }
    if (!w->number[f->step]) {
      vec_push(&w->order, f->step);
      w->number[f->step] = (uint32_t)w->order.len;
    }
    stack.len--;
  }
  vec_free(&stack);
}

static json_t *number_of(const DerivedTerm *t) { return json_integer(t->number); }

static json_t *value_json(Writer *w, SortId s, Val v) { return number_of(derive_term(w->x->terms, s, v)); }

static json_t *proves(Writer *w, uint32_t step) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = &p->steps.at[step];
  const Val *cols = derive_cols(p, step);
  json_t *o = json_object();
  if (s->what != PROVES_ROW) {
    json_object_set_new(o, "equal", json_pack("[o, o]", value_json(w, s->of, cols[0]), value_json(w, s->of, cols[1])));
    return o;
  }
  const Table *t = p->db->tables.at[s->of];
  json_object_set_new(o, "row", number_of(derive_term_row(w->x->terms, s->of, cols)));
  if (t->kind != TABLE_RELATION) json_object_set_new(o, "value", value_json(w, t->sorts[t->n_in], cols[t->n_in]));
  return o;
}

static void place(Writer *w, json_t *o, Span at) {
  if (!at.source) return;
  const Sources *sources = diags_sources(w->x->program->diags);
  uint32_t line, column;
  const char *text;
  size_t len;
  sources_locate(sources, at.source, at.lo, &line, &column, &text, &len);
  json_object_set_new(o, "file", json_string_nocheck(sources_get(sources, at.source)->path));
  json_object_set_new(o, "line", json_integer(line));
}

static void rule(Writer *w, json_t *o, uint32_t step) {
  const IrRule *r = derive_rule(w->x->proof, step);
  if (!r) return;
  json_object_set_new(o, "rule", json_string_nocheck(sym_text(r->name)));
  place(w, o, r->at);
  json_t *with = json_object();
  for (Reg i = 0; r->block.names && i < r->block.n_body; i++) {
    if (!r->block.names[i]) continue;
    json_t *v = value_json(w, r->block.sorts[i], derive_register(w->x->proof, step, i));
    json_object_set_new_nocheck(with, sym_text(r->block.names[i]), v);
  }
  json_object_set_new(o, "with", with);
}

static json_t *step_json(Writer *w, uint32_t step) {
  static const char *const by[] = {"unknown", "given",      "rule",     "call", "merge",  "moved",
                                   "chain",   "congruence", "elements", "same", "unknown"};
  const Derivation *p = w->x->proof;
  const DerivedStep *s = &p->steps.at[step];
  json_t *o = json_object(), *from = json_array();
  json_object_set_new(o, "proves", proves(w, step));
  json_object_set_new(o, "by", json_string(by[s->kind]));
  if (s->kind == DERIVE_GIVEN) place(w, o, derive_given_at(p, step));
  rule(w, o, step);
  for (uint32_t i = 0; i < s->n; i++)
    json_array_append_new(from, json_integer(w->number[derive_premises(p, step)[i]] - 1));
  json_object_set_new(o, "from", from);
  return o;
}

static json_t *term_json(Writer *w, const DerivedTerm *t) {
  Db *db = w->x->program->db;
  Term alone = t->term;
  alone.n = 0;
  char *text = print_term_text(w->x->program, &alone);
  json_t *o = json_object();
  if (t->term.table == IR_NONE && !sort_of(db, t->term.sort)->is_id) {
    json_object_set_new(o, "value", json_string_nocheck(text));
  } else {
    json_t *args = json_array();
    for (uint32_t i = 0; i < t->term.n; i++)
      json_array_append_new(args, json_integer(((DerivedTerm *)t->term.arg[i])->number));
    size_t n = strlen(text);
    json_object_set_new(o, "head", json_stringn_nocheck(text + 1, n > 2 ? n - 2 : 0));
    json_object_set_new(o, "args", args);
  }
  free(text);
  return o;
}

void explain_json(Explained *x, FILE *out) {
  Writer w = {.x = x};
  bool infix = x->program->infix;
  x->program->infix = false; /* heads are taken from the text of terms */
  w.number = xcalloc(x->proof->steps.len + 1, sizeof *w.number);
  json_t *goals = json_array(), *steps = json_array(), *terms = json_array();
  for (size_t i = 0; i < x->goals.len; i++) {
    order_from(&w, x->goals.at[i].step);
    json_array_append_new(goals, json_integer(w.number[x->goals.at[i].step] - 1));
  }
  for (size_t i = 0; i < w.order.len; i++) json_array_append_new(steps, step_json(&w, w.order.at[i]));
  for (size_t i = 0; i < x->terms->all.len; i++) json_array_append_new(terms, term_json(&w, x->terms->all.at[i]));
  json_t *all = json_pack("{s:o, s:o, s:o, s:b}", "terms", terms, "steps", steps, "goals", goals, "complete", x->whole);
  json_dumpf(all, out, JSON_COMPACT);
  fputc('\n', out);
  json_decref(all);
  x->program->infix = infix;
  vec_free(&w.order);
  free(w.number);
}
