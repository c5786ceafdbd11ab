/* Commands that run: actions, checks, schedules, printing, push and pop, files. */
#include "eval/program/command.h"

#include <errno.h>

#include "eval/program/explain.h"
#include "eval/program/print.h"
#include "lang/nearest.h"

#define ERROR(...) (diag_error(e->diags, __VA_ARGS__), RESULT_BAD)

Result command_failed(Program *e, const Sexp *x, const char *why, const char *hint) {
  db_fail(e->db, x->at, "%s", why);
  if (hint) db_advise(e->db, hint);
  return RESULT_FAILED;
}

static const char no_term[] = "a term is printed if one of its class's constructors is extractable, and so its arguments";
static const char writable[] = "the folder must exist, and the file be writable";

static Result done(bool ok) { return ok ? RESULT_OK : RESULT_FAILED; }

static FILE *messages(Program *e) { return e->options->quiet ? NULL : e->out; }

/* ---- actions ---- */

static Result run_action(Program *e, const Sexp *x) {
  Lower l;
  lower_init(&l, e);
  Result r = RESULT_BAD;
  if (lower_action(&l, x) && lower_actions(&l)) {
    IrBlock b = lower_block(&l, 0);
    b.sorts = NULL;
    r = done(db_act(e->db, &b, NULL));
  }
  lower_free(&l);
  return r;
}

static void warn_global(Program *e, const Sexp *x) {
  const char *text = sym_text(x->sym);
  if (*text == '$' || e->infix || (e->warned && !e->options->strict)) return;
  e->warned = true;
  if (e->options->strict) diag_error(e->diags, x->at, E_KIND, "the global `%s` does not start with `$`", text);
  else diag_warning(e->diags, x->at, E_KIND, "the global `%s` does not start with `$`", text);
  diag_hint(e->diags, "write `$%s`", text);
}

static Result run_let(Program *e, const Sexp *x) {
  if (x->n != 3) return ERROR(x->at, E_SYNTAX, "this should read `(let $name expression)`");
  if (!name_free(e, &x->item[1])) return RESULT_BAD;
  Lower l;
  lower_init(&l, e);
  Reg value;
  SortId sort;
  Result r = RESULT_BAD;
  if (lower_value(&l, &x->item[2], IR_NONE, &value, &sort)) {
    IrBlock b = lower_block(&l, value);
    Val v = 0;
    r = done(db_act(e->db, &b, &v));
    if (!r) {
      GlobalId g = db_global(e->db, sort, v);
      if (!name_declare(e, &x->item[1], NAME_GLOBAL, g)) r = RESULT_BAD;
      warn_global(e, &x->item[1]);
    }
  }
  lower_free(&l);
  return r;
}

/* ---- queries ---- */

bool command_facts(Lower *l, const Sexp *x, uint32_t from, uint32_t to, IrBlock *out) {
  for (uint32_t i = from; i < to; i++)
    if (!lower_fact(l, &x->item[i])) return false;
  if (!lower_query(l)) return false;
  *out = lower_block(l, 0);
  return true;
}

static Result check(Program *e, const Sexp *x, bool prove) {
  Lower l;
  lower_init(&l, e);
  IrBlock b;
  Result r = RESULT_BAD;
  if (command_facts(&l, x, 1, x->n, &b)) {
    bool holds;
    Val *regs = ARENA_ARRAY(&e->scratch, Val, b.n_regs + 1);
    r = done(db_check_match(e->db, &b, &holds, regs));
    FILE *out = !prove ? NULL : e->proving ? e->out : messages(e);
    if (!r && !holds && out) explain_no_match(e, &b, out);
    if (!r && !holds)
      r = command_failed(
          e, x, prove ? "this does not hold: the query has no match" : "the check failed: the query has no match",
          "`--why-not` says of a rule which of its facts has no match; `fail` expects that there is none");
    if (!r && out) explain_query(e, &b, regs, out);
  }
  lower_free(&l);
  return r;
}

static Result run_check(Program *e, const Sexp *x) { return check(e, x, e->proving); }
/* A check that says why it holds. */
static Result run_prove(Program *e, const Sexp *x) { return check(e, x, true); }

/* A term of the constructor exists: `(prove-exists C)`. */
static Result run_prove_exists(Program *e, const Sexp *x) {
  if (x->n != 2 || x->item[1].kind != SEXP_SYMBOL || name_of(e, x->item[1].sym)->kind != NAME_TABLE)
    return ERROR(x->at, E_SYNTAX, "this should read `(prove-exists constructor)`");
  if (db_size(e->db, name_of(e, x->item[1].sym)->id)) return RESULT_OK;
  return command_failed(e, x, "there is no such term", "terms are made by actions: build one, or run the rules that do");
}

/* ---- extraction and printing ---- */

typedef struct {
  SortId sort;
  Val value;
} Typed;

static Result evaluate(Program *e, const Sexp *x, SortId want, Typed *out) {
  Lower l;
  lower_init(&l, e);
  Reg reg;
  Result r = RESULT_BAD;
  if (lower_value(&l, x, want, &reg, &out->sort)) {
    IrBlock b = lower_block(&l, reg);
    r = done(db_act(e->db, &b, &out->value));
  }
  lower_free(&l);
  return r;
}

static Result too_large(Program *e, const Sexp *x) {
  return command_failed(e, x, "the term is too large to print: subterms occur more than 2^32 times",
                        e->infix ? "`by dag` prints what is shared once" : "`:by dag` prints what is shared once");
}

static Result print_variants(Program *e, const Sexp *x, Typed v, int64_t n, Extraction *best) {
  Term **terms = xmalloc(((size_t)n > 1u << 20 ? 1u << 20 : (size_t)n) * sizeof *terms);
  uint32_t k = extraction_variants(best, v.sort, v.value, (uint64_t)(n > 1 << 20 ? 1 << 20 : n), terms);
  FILE *out = messages(e);
  bool fits = true;
  for (uint32_t i = 0; i < k; i++) fits &= terms[i]->size <= PRINT_MOST;
  if (out && (k || !e->infix) && fits) {
    if (!e->infix) fputs("(\n", out);
    for (uint32_t i = 0; i < k; i++) {
      if (!e->infix) fputs("   ", out);
      print_term(e, terms[i], out);
      putc('\n', out);
    }
    if (!e->infix) fputs(")\n", out);
  }
  free(terms);
  if (!fits) return too_large(e, x);
  return k || !e->infix ? RESULT_OK : command_failed(e, x, "there is no term to extract", no_term);
}

typedef struct {
  Val term, leader;
} LeaderSearch;

static bool is_leader_row(void *ctx, const Val *cols) {
  LeaderSearch *s = ctx;
  if (cols[0] != s->term) return true;
  s->leader = cols[1];
  return false;
}

/* What the sort's own union-find table, if it has one, says stands for the value. */
static Val leader_of(Program *e, Typed v) {
  Sym name = v.sort < e->leaders.len ? e->leaders.at[v.sort] : 0;
  const Name *n = name ? name_of(e, name) : NULL;
  if (!n || n->kind != NAME_TABLE || db_table_spec(e->db, n->id)->n_in != 2) return v.value;
  LeaderSearch s = {v.value, v.value};
  db_rows(e->db, n->id, is_leader_row, &s);
  return s.leader;
}

/* `:by` and what follows: tree, dag or depth, the name of a cost model, or both. */
static bool read_model(Program *e, const Option *by, CostModel *out) {
  static const char *const kinds[] = {[COST_TREE] = "tree", [COST_DAG] = "dag", [COST_DEPTH] = "depth"};
  *out = (CostModel){.kind = COST_TREE};
  CostKind kind = COST_TREE;
  bool has_kind = false, has_model = false;
  for (uint32_t i = 0; by && i < by->n; i++) {
    const Sexp *w = &by->values[i];
    const Name *n = w->kind == SEXP_SYMBOL ? name_of(e, w->sym) : NULL;
    bool is_kind = false;
    for (uint32_t k = 0; n && !n->kind && k < 3; k++)
      if (!strcmp(sym_text(w->sym), kinds[k])) is_kind = true, kind = (CostKind)k;
    if (n && n->kind == NAME_COSTS && !has_model) *out = e->models.at[n->id], has_model = true;
    else if (is_kind && !has_kind) has_kind = true;
    else {
      diag_error(e->diags, w->at, E_UNBOUND, "this is no cost model");
      diag_hint(e->diags, "costs are summed up by tree, dag or depth; then the name of a cost model may follow");
      return false;
    }
  }
  if (by && !by->n) return diag_error(e->diags, by->at->at, E_SYNTAX, "a cost model is expected after this");
  out->kind = kind;
  return true;
}

static Result run_extract(Program *e, const Sexp *x) {
  static const char *const known[] = {":by*", NULL};
  Options o;
  CostModel model;
  uint32_t end = options_start(x, 1);
  if (end != 2 && end != 3)
    return ERROR(x->at, E_SYNTAX, "this should read `(extract expression)` or `(extract expression n)`");
  if (!options_read(e, x, end, known, &o) || !read_model(e, option_find(&o, ":by"), &model)) return RESULT_BAD;
  Typed v, n = {0};
  Result r = evaluate(e, &x->item[1], IR_NONE, &v);
  int64_t count = 0;
  if (!r && end == 3) {
    r = evaluate(e, &x->item[2], SORT_I64, &n);
    if (!r && (count = db_get_int(e->db, n.value)) < 0)
      return command_failed(e, x, "the number of variants is negative", "0 stands for the best term alone");
  }
  if (r) return r;
  v.value = db_canonical(e->db, v.sort, v.value);
  v.value = leader_of(e, v);
  Extraction *best = db_extract(e->db, &model);
  if (!best) return RESULT_FAILED;
  extraction_ask_for(best, &v.sort, 1);
  if (count) return print_variants(e, x, v, count, best);
  Term *t = extraction_term(best, v.sort, v.value);
  if (!t)
    return command_failed(e, x, "there is no term to extract: every one uses unextractable, subsumed or deleted rows",
                          no_term);
  bool dag = model.kind == COST_DAG;
  if (!dag && t->size > PRINT_MOST) return too_large(e, x);
  if (messages(e)) {
    dag ? print_dag(e, t, e->out) : print_term(e, t, e->out);
    putc('\n', e->out);
  }
  return RESULT_OK;
}

static Result table_named(Program *e, const Sexp *x, TableId *out) {
  if (x->kind == SEXP_SYMBOL && name_of(e, x->sym)->kind == NAME_TABLE) {
    *out = name_of(e, x->sym)->id;
    return RESULT_OK;
  }
  return ERROR(x->at, E_UNBOUND, "there is no table `%s`", x->kind == SEXP_SYMBOL ? sym_text(x->sym) : "");
}

static Result run_print_size(Program *e, const Sexp *x) {
  TableId t;
  if (x->n > 2) return ERROR(x->at, E_SYNTAX, "this should read `(print-size)` or `(print-size table)`");
  if (x->n == 1) {
    if (messages(e)) print_sizes(e, e->out);
    return RESULT_OK;
  }
  Result r = table_named(e, &x->item[1], &t);
  if (!r && messages(e)) fprintf(e->out, "%u\n", db_size(e->db, t));
  return r;
}

static Result print_global(Program *e, const Sexp *name) {
  GlobalId g = name_of(e, name->sym)->id;
  Term *t = extraction_term(db_extract(e->db, NULL), db_global_sort(e->db, g), db_global_value(e->db, g));
  if (t && t->size > PRINT_MOST) return too_large(e, name);
  if (!messages(e)) return RESULT_OK;
  fprintf(e->out, e->infix ? "%s = " : "(\n   (%s) -> ", sym_text(name->sym));
  if (t) print_term(e, t, e->out);
  else fputs("Unextractable", e->out);
  fputs(e->infix ? "\n" : "\n)\n", e->out);
  return RESULT_OK;
}

static Result run_print_function(Program *e, const Sexp *x) {
  static const char *const known[] = {":file1", ":mode1", NULL};
  Options o;
  TableId t;
  uint64_t most = UINT64_MAX;
  if (x->n < 2) return ERROR(x->at, E_SYNTAX, "this should read `(print-function table)`");
  uint32_t from = options_start(x, 2);
  if (from > 3 || !options_read(e, x, from, known, &o))
    return ERROR(x->at, E_SYNTAX, "this should read `(print-function table n)`");
  if (from == 3 && !option_uint(e, &x->item[2], &most)) return RESULT_BAD;
  if (x->item[1].kind == SEXP_SYMBOL && name_of(e, x->item[1].sym)->kind == NAME_GLOBAL)
    return print_global(e, &x->item[1]);
  Result r = table_named(e, &x->item[1], &t);
  if (r) return r;
  const Option *file = option_find(&o, ":file"), *mode = option_find(&o, ":mode");
  bool csv = mode && mode->values->kind == SEXP_SYMBOL && !strcmp(sym_text(mode->values->sym), "csv");
  if (mode && !csv && (mode->values->kind != SEXP_SYMBOL || strcmp(sym_text(mode->values->sym), "default")))
    return ERROR(mode->at->at, E_SYNTAX, "the modes are `default` and `csv`");
  if (!file) {
    return !messages(e) || print_table(e, t, most, csv, e->out) ? RESULT_OK : too_large(e, x);
  }
  if (file->values->kind != SEXP_STRING) return ERROR(file->at->at, E_SYNTAX, ":file needs a string");
  FILE *out = fopen(sym_text(file->values->sym), "w");
  if (!out) return command_failed(e, x, strerror(errno), writable);
  bool fits = print_table(e, t, most, csv, out);
  bool written = !fclose(out);
  if (!fits) return too_large(e, x);
  return written ? RESULT_OK : command_failed(e, x, "the file could not be written", writable);
}

static Result run_print_stats(Program *e, const Sexp *x) {
  static const char *const known[] = {":file1", NULL};
  Options o;
  if (!options_read(e, x, 1, known, &o)) return RESULT_BAD;
  const Option *file = option_find(&o, ":file");
  if (!file) {
    if (messages(e)) fputs("Overall statistics:\n", e->out), db_print_stats(e->db, e->out, false);
    return RESULT_OK;
  }
  if (file->values->kind != SEXP_STRING) return ERROR(file->at->at, E_SYNTAX, ":file needs a string");
  FILE *out = fopen(sym_text(file->values->sym), "w");
  if (!out) return command_failed(e, x, strerror(errno), writable);
  db_print_stats(e->db, out, true);
  return fclose(out) ? command_failed(e, x, "the file could not be written", writable) : RESULT_OK;
}

/* ---- the rest ---- */

static Result run_push(Program *e, const Sexp *x) {
  uint64_t n = 1;
  if (x->n > 2 || (x->n == 2 && !option_uint(e, &x->item[1], &n)))
    return ERROR(x->at, E_SYNTAX, "this should read `(push)` or `(push n)`");
  if (n > 100000) return command_failed(e, x, "too many pushes at once", "at most 100000");
  for (; n; n--) {
    db_push(e->db);
    names_push(e);
  }
  return RESULT_OK;
}

static Result run_pop(Program *e, const Sexp *x) {
  uint64_t n = 1;
  if (x->n > 2 || (x->n == 2 && !option_uint(e, &x->item[1], &n)))
    return ERROR(x->at, E_SYNTAX, "this should read `(pop)` or `(pop n)`");
  for (; n; n--) {
    if (!e->levels.len) return command_failed(e, x, "there is nothing to pop", "every pop needs a push before it");
    db_pop(e->db);
    names_pop(e);
  }
  return RESULT_OK;
}

static Result run_include(Program *e, const Sexp *x) {
  if (x->n != 2 || x->item[1].kind != SEXP_STRING)
    return ERROR(x->at, E_SYNTAX, "this should read `(include \"path\")`");
  const char *why = NULL;
  if (e->depth > 50) return ERROR(x->at, E_LIMIT, "includes are nested too deeply");
  uint32_t id = sources_load(diags_sources(e->diags), sym_text(x->item[1].sym), &why);
  if (!id) return ERROR(x->at, E_FILE, "cannot read '%s': %s", sym_text(x->item[1].sym), why);
  e->depth++;
  Result r = command_source(e, id);
  e->depth--;
  return r;
}

/* Commands of egglog whose names and sorts are looked up when they run: what is wrong with them can be expected. */
static bool is_looked_up_late(const Program *e, const Sexp *x) {
  static const char *const late[] = {"extract", "print-size", "print-function", "input"};
  for (size_t i = 0; i < sizeof late / sizeof *late; i++)
    if (!e->infix && !strcmp(sym_text(sexp_head(x)), late[i])) return true;
  return false;
}

static bool is_syntax_error(Diags *d, size_t from) {
  bool syntax = false;
  for (size_t i = from; i < diags_count(d); i++) syntax |= diags_code(d, i) == E_SYNTAX;
  return syntax;
}

static Result run_fail(Program *e, const Sexp *x) {
  if (x->n != 2) return ERROR(x->at, E_SYNTAX, "this should read `(fail command)`");
  if (!strcmp(sym_text(sexp_head(&x->item[1])), "include"))
    return ERROR(x->at, E_SYNTAX, "an include cannot be expected to fail");
  FILE *out = e->out;
  e->out = NULL;
  ProgramOptions quiet = *e->options;
  const ProgramOptions *before = e->options;
  quiet.quiet = true;
  e->options = &quiet;
  size_t said = diags_count(e->diags);
  Result r = command_execute(e, &x->item[1]);
  e->options = before;
  e->out = out;
  if (r == RESULT_BAD && is_looked_up_late(e, &x->item[1]) && !is_syntax_error(e->diags, said))
    return diags_forget(e->diags, said), RESULT_OK;
  if (r == RESULT_BAD) return r;
  if (r == RESULT_OK)
    return command_failed(e, x, "this was expected to fail, but it succeeded",
                          "without `fail` the command stands for itself");
  if (db_limit_reached(e->db)) return RESULT_FAILED;
  db_clear_error(e->db);
  return RESULT_OK;
}

static const struct {
  const char *name;
  CommandFn *run;
  const char *example; /* the hint where one of another form is met */
} commands[] = {
    {"sort", declare_sort,
     "(sort S)`, `(sort Terms (Vec Term))"},
    {"datatype", declare_datatype,
     "(datatype Term (Num i64) (Add Term Term :cost 2))"},
    {"datatype*", declare_datatypes,
     "(datatype* (Term (Num i64) (All Terms)) (sort Terms (Vec Term)))"},
    {"constructor", declare_constructor,
     "(constructor Add (Term Term) Term :cost 2)"},
    {"function", declare_function,
     "(function least (Term) i64 :merge (min old new))"},
    {"relation", declare_relation,
     "(relation edge (i64 i64))"},
    {"cost-model", declare_costs,
     "(cost-model flops :default 1)"},
    {"ruleset", declare_ruleset,
     "(ruleset simplify)"},
    {"unstable-combined-ruleset", declare_combined,
     "(unstable-combined-ruleset all simplify expand)"},
    {"rule", declare_rule,
     "(rule ((edge x y) (edge y z)) ((edge x z)) :ruleset paths)"},
    {"rewrite", declare_rewrite,
     "(rewrite (Add a b) (Add b a) :when ((!= a b)))"},
    {"birewrite", declare_birewrite,
     "(birewrite (Add a (Add b c)) (Add (Add a b) c))"},
    {"let", run_let,
     "(let $x (Num 1))"},
    {"check", run_check,
     "(check (edge 1 x) (> x 2))"},
    {"prove", run_prove,
     "(prove (edge 1 2))"},
    {"prove-exists", run_prove_exists,
     "(prove-exists Add)"},
    {"run", schedule_times,
     "(run 10)`, `(run simplify 10 :until (edge 1 5))"},
    {"run-schedule", schedule_whole,
     "(run-schedule (saturate simplify) (repeat 3 (run expand)))"},
    {"extract", run_extract,
     "(extract $x)`, `(extract $x 5)"},
    {"print-size", run_print_size,
     "(print-size)`, `(print-size edge)"},
    {"print-function", run_print_function,
     "(print-function edge 10)`, `(print-function edge :mode csv)"},
    {"print-stats", run_print_stats,
     "(print-stats)`, `(print-stats :file \"stats.json\")"},
    {"push", run_push,
     "(push)`, `(push 2)"},
    {"pop", run_pop,
     "(pop)`, `(pop 2)"},
    {"include", run_include,
     "(include \"library.egg\")"},
    {"fail", run_fail,
     "(fail (check (edge 1 2)))"},
    {"input", command_input,
     "(input edge \"edges.tsv\")"},
    {"output", command_output,
     "(output \"terms.txt\" $x)"},
};

/* Is the command one that touches files, where that is not allowed? */
static bool forbidden(Program *e, const Sexp *x) {
  if (!e->options->no_files || x->kind != SEXP_LIST) return false;
  const char *h = sym_text(sexp_head(x));
  bool files = !strcmp(h, "include") || !strcmp(h, "input") || !strcmp(h, "output");
  for (uint32_t i = 1; i < x->n; i++)
    files |= x->item[i].kind == SEXP_SYMBOL && !strcmp(sym_text(x->item[i].sym), ":file");
  return files;
}

/* Is the head nothing that is declared, and close to the name of a command? */
static bool is_misspelt(Program *e, const Sexp *x) {
  static const char *const actions[] = {"set", "set-cost", "union", "delete", "subsume", "panic"};
  const char *head = sym_text(sexp_head(x));
  Nearest nearest = {.word = head, .len = strlen(head)};
  if (name_of(e, sexp_head(x))->kind || db_prim_first(e->db, sexp_head(x)) != IR_NONE) return false;
  for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
    if (!strcmp(head, actions[i])) return false;
    nearest_try(&nearest, actions[i]);
  }
  if (name_similar(e, sexp_head(x), NAME_TABLE)) return false;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) nearest_try(&nearest, commands[i].name);
  if (!nearest.best) return false;
  diag_error(e->diags, x->item[0].at, E_UNBOUND, "there is no command or function `%s`", head);
  diag_hint(e->diags, "did you mean `%s`?", nearest.best);
  return true;
}

/* What is rejected without a word about what would be right gets an example of the command. */
static Result with_example(Program *e, Result r, const char *example) {
  if (r == RESULT_BAD && !e->infix && !diag_has_hint(e->diags)) diag_hint(e->diags, "for example: `%s`", example);
  return r;
}

Result command_execute(Program *e, const Sexp *x) {
  Sym head = sexp_head(x);
  if (forbidden(e, x)) {
    diag_error(e->diags, x->at, E_FILE, "files are not available here");
    return RESULT_BAD;
  }
  if (!head) {
    diag_error(e->diags, x->at, E_SYNTAX, "a command is a list that starts with a name");
    diag_hint(e->diags, "`(extract ..)` prints a value, `(check ..)` asks for a fact");
    return RESULT_BAD;
  }
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (!strcmp(commands[i].name, sym_text(head))) return with_example(e, commands[i].run(e, x), commands[i].example);
  if (is_misspelt(e, x)) return RESULT_BAD;
  return with_example(e, run_action(e, x), "(set (least $x) 5)`, `(union $x $y)`, `(delete (edge 1 2))");
}

/* The rules that made most, as notes. */
static void note_growers(Program *e) {
  enum { MOST = 3 };
  bool noted[MOST] = {false};
  RuleId said[MOST];
  for (uint32_t k = 0; k < MOST; k++) {
    DbRuleStats best = {0};
    for (RuleId i = 0; i < db_n_rules(e->db); i++) {
      DbRuleStats t = db_rule_stats(e->db, i);
      bool again = false;
      for (uint32_t j = 0; j < k; j++) again |= noted[j] && said[j] == i;
      if (again || t.matches + t.rows + t.unions <= best.matches + best.rows + best.unions) continue;
      best = t;
      noted[k] = true;
      said[k] = i;
    }
    if (noted[k])
      diag_note(e->diags, best.at, "this rule made %llu rows and %llu unions from %llu matches",
                (unsigned long long)best.rows, (unsigned long long)best.unions, (unsigned long long)best.matches);
  }
}

/* A limit ends the running; what can only be read is still read, and marked. */
static Result go_on_partially(Program *e) {
  note_growers(e);
  e->partial = db_error(e->db);
  e->partial = arena_strdup(&e->arena, e->partial, strlen(e->partial));
  db_clear_error(e->db);
  db_set_limits(e->db, &(DbLimits){.dag_entries = e->options->max_dag});
  return RESULT_OK;
}

/* Whether a command says nothing about a state that is partial, or would change it further. */
static bool left_out(const Sexp *x) {
  static const char *const names[] = {"run", "run-schedule", "check", "fail", "prove", "prove-exists", "output"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], sym_text(sexp_head(x)))) return true;
  return false;
}

static bool prints(const Sexp *x) {
  const char *h = sym_text(sexp_head(x));
  return !strcmp(h, "extract") || !strncmp(h, "print-", 6);
}

static Result report(Program *e, const Sexp *x, Result r) {
  if (r != RESULT_FAILED) return r;
  Span at = db_error_at(e->db);
  bool limit = db_limit_reached(e->db) && (!e->partial || e->resumes);
  diag_error(e->diags, at.source ? at : x->at, limit ? E_LIMIT : E_RUN, "%s", names_shown(e, db_error(e->db)));
  if (e->hint || db_hint(e->db)) diag_hint(e->diags, "%s", e->hint ? e->hint : db_hint(e->db));
  e->hint = NULL;
  if (limit) return go_on_partially(e);
  if (at.source && (at.lo < x->at.lo || at.hi > x->at.hi || at.source != x->at.source))
    diag_note(e->diags, x->at, "while running this");
  return r;
}

Result command_do(Program *e, const Sexp *x) {
  ArenaMark m = arena_mark(&e->scratch);
  if (e->partial && !e->resumes && left_out(x)) return RESULT_OK;
  if (e->partial && prints(x) && messages(e)) fprintf(e->out, "%s partial: %s\n", e->infix ? "//" : ";", e->partial);
  Result r = command_execute(e, x);
  if (e->showing) fputs("\r\033[K", stderr);
  e->showing = false;
  if (!r && e->resumes && !strncmp(sym_text(sexp_head(x)), "run", 3)) e->partial = NULL;
  r = report(e, x, r);
  if (e->depth == 0 || r) arena_reset(&e->scratch, m);
  return r;
}

Result command_source(Program *e, uint32_t source) {
  const Sexp *all = e->read(&e->arena, e->diags, source);
  Result r = all ? RESULT_OK : RESULT_BAD;
  for (uint32_t i = 0; !r && i < all->n; i++) r = command_do(e, &all->item[i]);
  return r;
}
