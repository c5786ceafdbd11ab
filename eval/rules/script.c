#include "eval/rules/script.h"

#include <jansson.h>
#include <string.h>

#include "eval/rules/derived.h"
#include "eval/rules/rules.h"
#include "lang/lang.h"

typedef struct Job {
  const Script *script;
  Result result;
} Job;

const AstFile *script_library_file(const Library *library, const char *name, Diags *diags) {
  uint32_t n;
  const AstFile *const *files = library_files(library, &n);
  for (uint32_t i = 0; i < n; i++) {
    const char *path = sources_get(diags_sources(diags), files[i]->source)->path, *slash = strrchr(path, '/');
    if (!strcmp(slash ? slash + 1 : path, name)) return files[i];
  }
  diag_error(diags, (Span){0, 0, 0}, E_FILE, "the standard library has no %s", name);
  return NULL;
}

/* ---- what is made only for a file that asks ---- */

static bool mentions(const AstExpr *e, const char *const *words) {
  bool called = e->kind == EX_CALL || e->kind == EX_NAME || e->kind == EX_NAMED || e->kind == EX_RUN;
  for (const char *const *w = words; called && *w; w++)
    if (e->name == sym(*w)) return true;
  for (uint32_t i = 0; i < e->n_args; i++)
    if (mentions(e->args[i], words)) return true;
  return false;
}

static bool item_mentions(const AstItem *it, const char *const *words) {
  if (!ast_is_clause(it)) return false;
  const AstClause *c = &it->clause;
  for (uint32_t i = 0; i < c->head.n; i++)
    if (mentions(c->head.at[i], words)) return true;
  for (uint32_t i = 0; i < c->body.n; i++)
    if (mentions(c->body.at[i], words)) return true;
  for (uint32_t i = 0; i < c->n_items; i++)
    if (item_mentions(c->items[i], words)) return true;
  return it->kind == ITEM_INCLUDE;
}

/* Does a file ask for one of these tables or rulesets, a list that ends with NULL?  (An included one might.) */
static bool asks(const Script *s, const char *const *words) {
  for (uint32_t i = s->n_library; i < s->n_files; i++)
    for (uint32_t k = 0; k < s->files[i]->n_items; k++)
      if (item_mentions(s->files[i]->items[k], words)) return true;
  return false;
}

static const char *const layout_tables[] = {"lay", "cut", "addends", NULL};
static const char *const derived_tables[] = {"split", "partial", "sharding", "rewriting", NULL};

/* Runs the rules that follow from the operators of the graphs. */
static bool add_derived(Rules *r, const Script *s) {
  Program *e = r->program;
  const char *text = derived_rules(e, s->graphs, s->n_graphs, s->library, &r->arena);
  if (!text) return false;
  if (s->derived) return fputs(text, s->derived), true;
  uint32_t source = sources_add(diags_sources(e->diags), "derived rules", text, strlen(text));
  size_t errors = diag_errors(e->diags);
  AstFile *file = lang_parse(&r->arena, e->diags, source);
  if (diag_errors(e->diags) > errors || !lang_check(file, NULL, 0, e->diags)) return false;
  vec_push(&r->modules.everywhere, source);
  return rules_file(r, file) == RESULT_OK;
}

static void note_operators(Rules *r, const Graph *g) {
  for (size_t i = 0; i < g->nodes.len; i++) {
    while (r->occurs.len <= g->nodes.at[i].op) vec_push(&r->occurs, false);
    r->occurs.at[g->nodes.at[i].op] = true;
  }
}

static bool add_graphs(Rules *r, const Script *s) {
  Program *e = r->program;
  const AstFile *tables = script_library_file(s->library, "graph.tvr", e->diags);
  if (tables) vec_push(&r->modules.everywhere, tables->source);
  if (!tables || rules_file(r, tables) != RESULT_OK) return false;
  for (uint32_t i = 0; i < s->n_graphs; i++) {
    note_operators(r, s->graphs[i].graph);
    if (facts_add(e, &s->graphs[i], s->library)) continue;
    if (db_limit_reached(e->db)) diag_error(e->diags, (Span){0, 0, 0}, E_LIMIT, "%s", db_error(e->db));
    return false;
  }
  bool layouts = s->n_pairs && asks(s, layout_tables);
  for (uint32_t i = 0; layouts && i < s->n_pairs; i++)
    if (!facts_add_layouts(e, &s->pairs[i], s->library)) return false;
  r->graphs = true;
  return !(s->derived || asks(s, derived_tables)) || add_derived(r, s);
}

/* ---- the rules, what they ask for, how often they fired ---- */

static bool occurs(const Rules *r, Sym op) { return op < r->occurs.len && r->occurs.at[op]; }

static json_t *rule_json(const Rules *r, RuleId k, const DbRuleStats *t, const char *path, uint32_t line) {
  json_t *asks = json_array();
  for (size_t i = 0; i < r->asks.len; i++)
    if (r->asks.at[i].rule == k)
      json_array_append_new(asks, json_pack("{s:s, s:b}", "operator", sym_text(r->asks.at[i].op), "occurs",
                                            occurs(r, r->asks.at[i].op)));
  return json_pack("{s:s, s:s, s:i, s:o, s:I, s:I, s:I}", "rule", sym_text(t->name), "file", path, "line", (int)line,
                   "asks", asks, "matches", (json_int_t)t->matches, "rows", (json_int_t)t->rows, "unions",
                   (json_int_t)t->unions);
}

static void rule_text(const Rules *r, const Script *s, RuleId k, const DbRuleStats *t, const char *path, uint32_t line) {
  fprintf(s->rules, "%10llu %10llu %10llu  %.60s  %s:%u", (unsigned long long)t->matches, (unsigned long long)t->rows,
          (unsigned long long)t->unions, sym_text(t->name), path, line);
  const char *separator = "  ";
  for (size_t i = 0; i < r->asks.len; i++) {
    if (r->asks.at[i].rule != k) continue;
    fprintf(s->rules, "%s%s%s", separator, sym_text(r->asks.at[i].op), occurs(r, r->asks.at[i].op) ? "" : " (none)");
    separator = ", ";
  }
  fputs("\n", s->rules);
}

static void rule_table(const Rules *r, const Script *s) {
  const Sources *sources = diags_sources(r->program->diags);
  json_t *all = json_array();
  if (!s->json) fprintf(s->rules, "%10s %10s %10s  rule  where  operators it asks for\n", "matches", "rows", "unions");
  for (RuleId k = 0; k < db_n_rules(r->program->db); k++) {
    DbRuleStats t = db_rule_stats(r->program->db, k);
    uint32_t line = 0, column;
    const char *text, *path = t.at.source ? sources_get(sources, t.at.source)->path : "";
    size_t len;
    if (t.at.source) sources_locate(sources, t.at.source, t.at.lo, &line, &column, &text, &len);
    if (s->json) json_array_append_new(all, rule_json(r, k, &t, path, line));
    else rule_text(r, s, k, &t, path, line);
  }
  if (s->json) json_dumpf(all, s->rules, JSON_INDENT(1));
  json_decref(all);
}

static bool run_text(Program *e, uint32_t source, void *context) {
  Rules *r = context;
  size_t errors = diag_errors(e->diags);
  r->modules.asking = true;
  AstFile *file = lang_parse(&r->arena, e->diags, source);
  if (diag_errors(e->diags) > errors || !lang_check(file, NULL, 0, e->diags)) return false;
  for (uint32_t i = 0; i < file->n_items; i++) {
    if (file->items[i]->kind != ITEM_GRAPH) continue;
    diag_error(e->diags, file->items[i]->span, E_RULE, "graphs are not read here");
    diag_hint(e->diags, "`tvr run FILE` runs rules over the graphs that a file names");
    return false;
  }
  return rules_file(r, file) == RESULT_OK;
}

static bool ends_with(const char *text, size_t n, const char *end) {
  size_t k = strlen(end);
  return n >= k && !memcmp(text + n - k, end, k);
}

/* An item goes on after an operator. */
static bool is_whole(const char *text, size_t n) {
  while (n && strchr(" \t\r\n", text[n - 1])) n--;
  bool more = ends_with(text, n, "=>") || ends_with(text, n, "=") || ends_with(text, n, "|") || ends_with(text, n, ",");
  return !more && program_closed(text, n, "()[]{}", "//");
}

static void *open_rules(Program *e) {
  Rules *r = xcalloc(1, sizeof *r);
  r->program = e;
  return r;
}

static void close_rules(void *context) {
  rules_free(context);
  free(context);
}

static const char *const words[] = {"check", "constructor", "costs", "datatype", "delete",   "do",   "extract", "fail",
                                    "function", "include",  "input",    "let",      "output", "panic", "print",
                                    "private", "push", "relation",    "rewrite",  "rule",     "ruleset", "run",  "sort",
                                    "subsume", "template",  NULL};

const Syntax rules_syntax = {.name = "tvr",
                             .check = {"check { ", " }"},
                             .infix = true,
                             .run = run_text,
                             .is_whole = is_whole,
                             .words = words,
                             .open = open_rules,
                             .close = close_rules};

static bool run(Program *e, void *context) {
  Job *job = context;
  const Script *s = job->script;
  Rules r = {.program = e, .library = s->library};
  e->infix = true;
  for (uint32_t i = 0; i < s->n_library; i++) vec_push(&r.modules.everywhere, s->files[i]->source);
  job->result = s->n_graphs && !add_graphs(&r, s) ? RESULT_BAD : RESULT_OK;
  uint32_t n_files = s->derived ? 0 : s->n_files;
  for (uint32_t i = 0; job->result == RESULT_OK && i < n_files; i++) job->result = rules_file(&r, s->files[i]);
  if (job->result == RESULT_OK && s->rules) rule_table(&r, s);
  if (job->result == RESULT_OK && s->finish) s->finish(s->context, e);
  bool answered = program_ask(e, &rules_syntax, &r);
  rules_free(&r);
  return answered && job->result == RESULT_OK;
}

ProgramResult script_run(const Script *s, Diags *diags, const ProgramOptions *options, FILE *out) {
  Job job = {s, RESULT_BAD};
  return program_run(diags, options, out, run, &job);
}
