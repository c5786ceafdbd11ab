/* Why a rule does not match, as text: each fact of its query with the partial matches that got past it. */
#include <jansson.h>

#include "eval/datalog/why_not.h"
#include "eval/program/explain.h"
#include "eval/program/print.h"
#include "lang/nearest.h"

enum { BUDGET = 20000000 }; /* rows looked at */

static uint32_t line_of(const Program *e, Span at) {
  uint32_t line, column;
  const char *text;
  size_t len;
  if (!at.source) return 0;
  sources_locate(diags_sources(e->diags), at.source, at.lo, &line, &column, &text, &len);
  return line;
}

/* The rule of that name, or the first that stands at or before that line of the program and ends behind it. */
static const Rule *find_rule(Program *e, const char *name) {
  const Db *db = e->db;
  for (size_t i = 0; i < db->rules.len; i++)
    if (!strcmp(sym_text(db->rules.at[i]->ir.name), name)) return db->rules.at[i];
  char *end;
  unsigned long line = strtoul(name, &end, 10);
  for (size_t i = 0; *name && !*end && i < db->rules.len; i++) {
    Span at = db->rules.at[i]->ir.at;
    if (line_of(e, at) <= line && line <= line_of(e, (Span){at.source, at.hi, at.hi})) return db->rules.at[i];
  }
  return NULL;
}

static bool no_rule(Program *e, const char *name) {
  const Db *db = e->db;
  Nearest nearest = {.word = name, .len = strlen(name)};
  for (size_t i = 0; i < db->rules.len; i++) nearest_try(&nearest, sym_text(db->rules.at[i]->ir.name));
  diag_error(e->diags, (Span){0, 0, 0}, E_UNBOUND, "there is no rule `%s`", name);
  if (!db->rules.len) diag_hint(e->diags, "the program has no rules");
  else if (nearest.best) diag_hint(e->diags, "did you mean `%s`?", nearest.best);
  else diag_hint(e->diags, "give the name of a rule, or the line it stands on");
  return false;
}

/* The fact's text on one line, at most `most` bytes of it; returns its length. */
static int write_fact(Program *e, Span at, int most, FILE *out) {
  const Source *s = at.source ? sources_get(diags_sources(e->diags), at.source) : NULL;
  int n = 0;
  bool blank = false;
  for (uint32_t i = at.lo; s && i < at.hi && i < s->len && n < most; i++) {
    char c = s->text[i];
    bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (space && blank) continue;
    fputc(space ? ' ' : c, out);
    blank = space;
    n++;
  }
  return n;
}

static void write_value(Program *e, SortId s, Val v, FILE *out) {
  Term *t = extraction_term(db_extract(e->db, NULL), s, v);
  if (t) print_term(e, t, out);
  else fputs("a class without a term", out);
}

/* What was looked for, with the values known. */
static void write_wanted(Program *e, const WhyNot *w, FILE *out) {
  const IrBlock *b = w->block;
  const IrAtom *a = &b->atoms[w->steps[w->failing].atom];
  bool row = a->kind == IR_ROW;
  uint32_t n_in = row ? e->db->tables.at[a->op]->n_in : a->n - 1;
  fprintf(out, e->infix ? "%s(" : "(%s", sym_text(row ? e->db->tables.at[a->op]->name : e->db->prims.at[a->op].name));
  for (uint32_t i = 0; i < a->n; i++) {
    Reg r = a->arg[i];
    bool last = i == n_in, known = w->bound[r];
    if (last && !known) break;
    fputs(last ? ") = " : !e->infix ? " " : i ? ", " : "", out);
    if (known) write_value(e, b->sorts[r], w->regs[r], out);
    else fputs(b->names && b->names[r] ? sym_text(b->names[r]) : "_", out);
    if (last) return;
  }
  fputc(')', out);
}

static void write_failing(Program *e, const WhyNot *w, FILE *out) {
  const IrBlock *b = w->block;
  const WhyNotStep *step = &w->steps[w->failing];
  bool any = false;
  for (Reg r = 0; w->failing && b->names && r < b->n_body; r++) {
    if (!w->bound[r] || !b->names[r] || !strcmp(sym_text(b->names[r]), "_")) continue;
    fprintf(out, "%s%s = ", any ? ", " : "closest: ", sym_text(b->names[r]));
    write_value(e, b->sorts[r], w->regs[r], out);
    any = true;
  }
  fputs(any ? "; " : "", out);
  bool row = b->atoms[step->atom].kind == IR_ROW;
  fputs(step->subsumed ? "only subsumed rows fit " : row ? "there is no row " : "this fails: ", out);
  write_wanted(e, w, out);
  fputc('\n', out);
}

static void write_table(Program *e, const WhyNot *w, FILE *out) {
  enum { WIDTH = 48 };
  fprintf(out, "%-*s %10s %10s\n", WIDTH, "fact", "rows", "got past");
  for (uint32_t k = 0; k < w->n; k++) {
    const IrAtom *a = &w->block->atoms[w->steps[k].atom];
    int n = write_fact(e, a->at, WIDTH - 1, out);
    fprintf(out, "%*s ", WIDTH - n, "");
    if (a->kind == IR_ROW) fprintf(out, "%10u", e->db->tables.at[a->op]->n_live);
    else fprintf(out, "%10s", "");
    fprintf(out, " %10llu%s\n", (unsigned long long)w->steps[k].passed, k == w->failing ? "  <- fails" : "");
  }
}

static void write_history(const Rule *r, FILE *out) {
  if (!r->last) fputs("it has never run: no schedule names its ruleset\n", out);
  else
    fprintf(out, "it has run, and found %llu match%s\n", (unsigned long long)r->matches, r->matches == 1 ? "" : "es");
}

static void write_text(Program *e, const Rule *r, const WhyNot *w, FILE *out) {
  uint64_t n = w->n ? w->steps[w->n - 1].passed : 1;
  explain_rule_name(e, &r->ir, out);
  if (w->block->never) fputs(" can never match: its facts ask for two constants to be equal\n", out);
  else if (w->failing < w->n) fprintf(out, " has no match%s\n", w->cut ? " among the rows looked at" : "");
  else fprintf(out, " matches %s%llu time%s\n", w->cut ? "at least " : "", (unsigned long long)n, n == 1 ? "" : "s");
  write_history(r, out);
  if (w->block->never) return;
  write_table(e, w, out);
  if (w->failing < w->n) write_failing(e, w, out);
}

static void write_json(Program *e, const Rule *r, const WhyNot *w, FILE *out) {
  json_t *facts = json_array();
  for (uint32_t k = 0; k < w->n; k++) {
    const IrAtom *a = &w->block->atoms[w->steps[k].atom];
    char *text = NULL;
    size_t len;
    FILE *f = open_memstream(&text, &len);
    write_fact(e, a->at, 1 << 20, f);
    fclose(f);
    json_t *o = json_pack("{s:o, s:I, s:I}", "fact", json_string_nocheck(text), "passed",
                          (json_int_t)w->steps[k].passed, "subsumed", (json_int_t)w->steps[k].subsumed);
    if (a->kind == IR_ROW) json_object_set_new(o, "rows", json_integer(e->db->tables.at[a->op]->n_live));
    json_array_append_new(facts, o);
    free(text);
  }
  json_t *all =
      json_pack("{s:o, s:I, s:b, s:I, s:b, s:b, s:o}", "rule", json_string_nocheck(sym_text(r->ir.name)), "line",
                (json_int_t)line_of(e, r->ir.at), "ran", r->last != 0, "found", (json_int_t)r->matches, "matches",
                !w->block->never && w->failing == w->n, "complete", !w->cut, "facts", facts);
  if (w->failing < w->n) json_object_set_new(all, "failing", json_integer(w->failing));
  json_dumpf(all, out, JSON_COMPACT);
  fputc('\n', out);
  json_decref(all);
}

void explain_no_match(Program *e, const IrBlock *query, FILE *out) {
  if (query->never || !query->n_atoms || e->options->json) return;
  WhyNot *w = why_not(e->db, query, BUDGET);
  db_clear_error(e->db);
  write_table(e, w, out);
  if (w->failing < w->n) write_failing(e, w, out);
  why_not_free(w);
}

bool explain_why_not(Program *e, const char *name, FILE *out) {
  const Rule *r = find_rule(e, name);
  if (!r) return no_rule(e, name);
  WhyNot *w = why_not(e->db, &r->ir.block, BUDGET);
  db_clear_error(e->db);
  if (e->options->json) write_json(e, r, w, e->options->answers ? e->options->answers : out);
  else write_text(e, r, w, out);
  why_not_free(w);
  return true;
}
