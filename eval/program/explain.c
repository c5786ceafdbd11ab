#include "eval/program/explain.h"

#include "eval/program/print.h"

/* The global in a register, or NULL. */
static const Global *global_in(const Explained *x, Reg r) {
  const IrBlock *b = x->block;
  for (uint32_t i = 0; i < b->n_inits; i++)
    if (b->inits[i].reg == r && b->inits[i].global) return &x->program->db->globals.at[b->inits[i].value];
  return NULL;
}

/* A global as it was given: its term, not that of its class. */
static Val as_given(const Explained *x, Reg r) {
  const Global *g = global_in(x, r);
  return g ? g->value : x->regs[r];
}

static void row_goal(Explained *x, uint32_t atom) {
  const IrAtom *a = &x->block->atoms[atom];
  const Table *t = x->program->db->tables.at[a->op];
  Val *cols = xmalloc((a->n + 1) * sizeof *cols);
  for (uint32_t k = 0; k < a->n; k++) cols[k] = x->regs[a->arg[k]];
  Reg out = t->kind == TABLE_RELATION ? IR_NONE : a->arg[t->n_in];
  vec_push(&x->goals, (ExplainGoal){derive_row(x->proof, a->op, cols), atom, out});
  free(cols);
}

static void add_goals(Explained *x) {
  const IrBlock *b = x->block;
  const Db *db = x->program->db;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    const IrAtom *a = &b->atoms[i];
    if (a->kind == IR_ROW) row_goal(x, i);
    bool equation = a->kind == IR_PRIM && a->n == 3 && db->prims.at[a->op].name == sym("value-eq");
    if (!equation || !sort_of(db, b->sorts[a->arg[0]])->is_id) continue;
    uint32_t step = derive_equal(x->proof, b->sorts[a->arg[0]], as_given(x, a->arg[0]), as_given(x, a->arg[1]));
    vec_push(&x->goals, (ExplainGoal){step, i, IR_NONE});
  }
  for (uint32_t i = 0; i < b->n_inits; i++) {
    Reg r = b->inits[i].reg;
    if (!b->inits[i].global || !sort_of(db, b->sorts[r])->is_id || as_given(x, r) == x->regs[r]) continue;
    uint32_t step = derive_equal(x->proof, b->sorts[r], as_given(x, r), x->regs[r]);
    vec_push(&x->goals, (ExplainGoal){step, IR_NONE, r});
  }
}

void explain_query(Program *e, const IrBlock *query, const Val *regs, FILE *out) {
  Explained x = {.program = e, .block = query, .regs = regs};
  uint64_t most = e->options->max_proof_steps;
  x.proof = derive_new(e->db, most && most < UINT32_MAX ? (uint32_t)most : PROOF_STEPS);
  x.terms = derive_terms_new(x.proof);
  add_goals(&x);
  x.whole = derive_complete(x.proof);
  if (e->options->json) explain_json(&x, e->options->answers ? e->options->answers : out);
  else explain_text(&x, out);
  vec_free(&x.goals);
  derive_terms_free(x.terms);
  derive_free(x.proof);
}

void explain_place(Program *e, Span at, FILE *out) {
  const Sources *sources = diags_sources(e->diags);
  const Source *s = at.source ? sources_get(sources, at.source) : NULL;
  if (!s) {
    fputs("?", out);
    return;
  }
  uint32_t line, column;
  const char *text;
  size_t len;
  sources_locate(sources, at.source, at.lo, &line, &column, &text, &len);
  const char *slash = strrchr(s->path, '/');
  fprintf(out, "%s:%u", slash ? slash + 1 : s->path, line);
}

/* Length of the word a rule without a name begins with, whose name is its text; 0 if it has a name. */
static size_t first_word(const char *name) {
  if (*name == '(') return strcspn(name + 1, " ()") + 1;
  size_t n = strcspn(name, " ");
  return name[n] && (strchr(name, '{') || strstr(name, "=>")) ? n : 0;
}

void explain_rule_name(Program *e, const IrRule *rule, FILE *out) {
  const char *name = sym_text(rule->name);
  size_t n = first_word(name), len = strlen(name);
  if (n) {
    const char *way = len > 2 && !strcmp(name + len - 2, "=>")   ? " (forwards)"
                      : len > 2 && !strcmp(name + len - 2, "<=") ? " (backwards)"
                                                                 : "";
    bool bracket = *name == '(';
    fprintf(out, "the %.*s at ", (int)(n - bracket), name + bracket);
    explain_place(e, rule->at, out);
    fputs(way, out);
    return;
  }
  fprintf(out, "%s (", name);
  explain_place(e, rule->at, out);
  fputc(')', out);
}

/* Writes the head and, while the budget lasts, the arguments. */
static void write_part(Program *e, const DerivedTerm *t, uint32_t depth, FILE *out) {
  enum { SMALL = 24, DEEP = 5, WIDE = 8 };
  if (t->size <= SMALL) {
    print_term(e, (Term *)&t->term, out);
    return;
  }
  if (depth == DEEP) {
    fputs("...", out);
    return;
  }
  fprintf(out, e->infix ? "%s(" : "(%s",
          t->term.table != IR_NONE ? sym_text(db_table_spec(e->db, t->term.table)->name) : "container");
  for (uint32_t i = 0; i < t->term.n; i++) {
    fputs(!e->infix ? " " : i ? ", " : "", out);
    if (i == WIDE) {
      fputs("...", out);
      break;
    }
    write_part(e, (const DerivedTerm *)t->term.arg[i], depth + 1, out);
  }
  fputc(')', out);
}

void explain_term(Program *e, const DerivedTerm *t, FILE *out) {
  enum { WHOLE = 100 };
  if (t->size <= WHOLE) print_term(e, (Term *)&t->term, out);
  else write_part(e, t, 0, out);
}
