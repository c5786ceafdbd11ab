/* Proofs as text.
 *
 * An equation becomes a chain of terms.  A row f(in) = out of the proof leads from the term f(in) to that of out:
 * arguments change by congruence to what they were when the row was made, then the rule that made it applies, then its
 * output changes by the unions that came after.  Where a chain comes back to a term, what lies between is left out. */
#include "eval/program/explain.h"

enum { MOST_LINKS = 100000, MOST_DEPTH = 400 };

typedef struct {
  uint32_t step; /* what justifies it; a congruence: the MOVED row or BOX step whose premises do */
  bool congruence;
  bool forward;  /* of the premises of a congruence: from their first value to their second */
  uint32_t goal; /* a congruence between a row as asked for and as it is: its arguments are facts of the query */
  DerivedTerm *to;
} Link;

typedef Vec(Link) Links;

typedef struct {
  Explained *x;
  FILE *out;
  bool *shown; /* by step */
  uint64_t lines, most_lines;
} Writer;

/* ---- chains ---- */

static const DerivedStep *step_at(const Writer *w, uint32_t i) { return &w->x->proof->steps.at[i]; }

static DerivedTerm *value_term(const Writer *w, SortId s, Val v) { return derive_term(w->x->terms, s, v); }

static void add_link(Links *out, DerivedTerm *to, uint32_t step, bool congruence, bool forward) {
  if (out->len < MOST_LINKS) vec_push(out, (Link){step, congruence, forward, IR_NONE, to});
}

static void chain_equal(const Writer *w, uint32_t step, bool forward, Links *out, uint32_t depth);

static bool inputs_moved(const Writer *w, uint32_t step) {
  const Derivation *p = w->x->proof;
  const Table *t = p->db->tables.at[step_at(w, step)->of];
  return t->n_in && memcmp(derive_cols(p, step), derive_cols(p, derive_premises(p, step)[0]), t->n_in * sizeof(Val));
}

/* The premise that says what stood for the row that an operation of the rule gave to a register; IR_NONE if that was
 * made by the rule itself. */
static uint32_t found_for(const Writer *w, uint32_t step, Reg r) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = step_at(w, step);
  const IrRule *rule = s->kind == DERIVE_RULE ? derive_rule(p, step) : NULL;
  for (uint32_t j = 0; rule && j < s->op; j++) {
    const IrOp *op = &rule->block.ops[j];
    if (op->dst != r || (op->kind != IR_MAKE && op->kind != IR_MAKE_AS)) continue;
    uint32_t n_in = p->db->tables.at[op->op]->n_in;
    for (uint32_t i = 0; i < s->n; i++) {
      uint32_t k = derive_premises(p, step)[i];
      const DerivedStep *row = step_at(w, k);
      bool same =
          row->what == PROVES_ROW && row->of == op->op && derive_cols(p, k)[n_in] == derive_register(p, step, r);
      for (uint32_t c = 0; same && c < n_in; c++) same = derive_cols(p, k)[c] == derive_register(p, step, op->arg[c]);
      if (same) return k;
    }
  }
  return IR_NONE;
}

/* The registers that the rule's conclusion equates, or IR_NONE. */
static void equated(const Writer *w, uint32_t step, Reg *a, Reg *b) {
  *a = *b = IR_NONE;
  const DerivedStep *s = step_at(w, step);
  if (s->kind != DERIVE_RULE || s->op == IR_NONE) return;
  const IrOp *op = &derive_rule(w->x->proof, step)->block.ops[s->op];
  if (op->kind != IR_UNION && op->kind != IR_MAKE_AS) return;
  *b = op->arg[op->n - 1];
  if (op->kind == IR_UNION) *a = op->arg[0];
}

static DerivedTerm *row_term(const Writer *w, uint32_t step) {
  return derive_term_row(w->x->terms, step_at(w, step)->of, derive_cols(w->x->proof, step));
}

static void chain_row(const Writer *w, uint32_t step, bool forward, Links *out, uint32_t depth);

/* A step by a rule that leads from what `from` stands for to `to`, the term of what `r` stands for. */
static void chain_rule(const Writer *w, uint32_t step, Reg from, Reg r, DerivedTerm *to, Links *out, uint32_t depth) {
  uint32_t k = from == IR_NONE ? IR_NONE : found_for(w, step, from), m = r == IR_NONE ? IR_NONE : found_for(w, step, r);
  if (depth > MOST_DEPTH) k = m = IR_NONE;
  if (k != IR_NONE) chain_row(w, k, false, out, depth + 1);
  add_link(out, m == IR_NONE ? to : row_term(w, m), step, false, true);
  if (m != IR_NONE) chain_row(w, m, true, out, depth + 1);
}

/* From the row's term to its output's, or back. */
static void chain_row(const Writer *w, uint32_t step, bool forward, Links *out, uint32_t depth) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = step_at(w, step);
  const Table *t = p->db->tables.at[s->of];
  const Val *cols = derive_cols(p, step);
  DerivedTerm *row = derive_term_row(w->x->terms, s->of, cols),
              *value = value_term(w, t->sorts[t->n_in], cols[t->n_in]);
  if (s->kind != DERIVE_MOVED || depth > MOST_DEPTH) {
    Reg none, as;
    equated(w, step, &none, &as);
    if (row == value) return;
    if (forward) chain_rule(w, step, IR_NONE, as, value, out, depth);
    else chain_rule(w, step, as, IR_NONE, row, out, depth);
    return;
  }
  uint32_t made = derive_premises(p, step)[0], last = derive_premises(p, step)[s->n - 1];
  DerivedTerm *was = derive_term_row(w->x->terms, s->of, derive_cols(p, made));
  bool output_moved = derive_cols(p, made)[t->n_in] != cols[t->n_in];
  if (forward) {
    if (inputs_moved(w, step)) add_link(out, was, step, true, false);
    chain_row(w, made, true, out, depth + 1);
    if (output_moved) chain_equal(w, last, true, out, depth + 1);
  } else {
    if (output_moved) chain_equal(w, last, false, out, depth + 1);
    chain_row(w, made, false, out, depth + 1);
    if (inputs_moved(w, step)) add_link(out, row, step, true, true);
  }
}

static void chain_union(const Writer *w, uint32_t step, bool forward, Links *out, uint32_t depth) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = step_at(w, step);
  const Val *ends = derive_cols(p, step);
  DerivedTerm *to = value_term(w, s->of, ends[forward]);
  if (s->kind == DERIVE_CONGRUENT && depth <= MOST_DEPTH) {
    chain_row(w, derive_premises(p, step)[!forward], false, out, depth + 1);
    chain_row(w, derive_premises(p, step)[forward], true, out, depth + 1);
  } else if (s->kind == DERIVE_RULE) {
    Reg a, b;
    equated(w, step, &a, &b);
    bool along = a != IR_NONE && derive_register(p, step, a) == ends[!forward];
    chain_rule(w, step, along ? a : b, along ? b : a, to, out, depth);
  } else {
    add_link(out, to, step, s->kind == DERIVE_BOX, forward);
  }
}

/* From the first value to the second, or back. */
static void chain_equal(const Writer *w, uint32_t step, bool forward, Links *out, uint32_t depth) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = step_at(w, step);
  if (s->kind != DERIVE_CHAIN) {
    if (s->kind != DERIVE_SAME) add_link(out, value_term(w, s->of, derive_cols(p, step)[forward]), step, false, true);
    return;
  }
  Val at = derive_cols(p, step)[!forward];
  for (uint32_t k = 0; k < s->n; k++) {
    uint32_t u = derive_premises(p, step)[forward ? k : s->n - 1 - k];
    const Val *ends = derive_cols(p, u);
    bool along = ends[0] == at;
    chain_union(w, u, along, out, depth);
    at = ends[along];
  }
}

/* Leaves out what lies between two occurrences of a term. */
static void cut_loops(const Writer *w, const DerivedTerm *start, Links *links) {
  uint32_t *seen = xcalloc(w->x->terms->all.len + 1, sizeof *seen); /* by term: number of links that lead to it, + 1 */
  size_t n = 0;
  seen[start->number] = 1;
  for (size_t i = 0; i < links->len; i++) {
    Link l = links->at[i];
    uint32_t had = seen[l.to->number];
    if (had) {
      while (n > had - 1) seen[links->at[--n].to->number] = 0;
      seen[l.to->number] = had;
      continue;
    }
    links->at[n++] = l;
    seen[l.to->number] = (uint32_t)n + 1;
  }
  links->len = n;
  free(seen);
}

/* ---- writing ---- */

static bool line(Writer *w, uint32_t depth) {
  if (w->lines == w->most_lines) return false;
  w->lines++;
  fprintf(w->out, "%*s", depth < 40 ? (int)(2 * depth) : 80, "");
  return true;
}

static void term(Writer *w, const DerivedTerm *t) { explain_term(w->x->program, t, w->out); }

static void write_row(Writer *w, uint32_t step, uint32_t depth);
static void write_equation(Writer *w, uint32_t step, bool forward, uint32_t depth);
static void write_asked(Writer *w, uint32_t goal, uint32_t depth);

/* The values of the rule's variables. */
static void substitution(Writer *w, uint32_t step) {
  const IrBlock *b = &derive_rule(w->x->proof, step)->block;
  bool first = true;
  for (Reg r = 0; b->names && r < b->n_body; r++) {
    if (!b->names[r] || !strcmp(sym_text(b->names[r]), "_")) continue;
    fprintf(w->out, "%s%s = ", first ? " with " : ", ", sym_text(b->names[r]));
    term(w, value_term(w, b->sorts[r], derive_register(w->x->proof, step, r)));
    first = false;
  }
}

/* By what a step follows, in a few words. */
static void reason(Writer *w, uint32_t step) {
  Program *e = w->x->program;
  const DerivedStep *s = step_at(w, step);
  const IrRule *rule = derive_rule(w->x->proof, step);
  switch (s->kind) {
    case DERIVE_GIVEN:
      fputs("given at ", w->out);
      explain_place(e, derive_given_at(w->x->proof, step), w->out);
      break;
    case DERIVE_RULE:
    case DERIVE_CALL:
      if (!rule) {
        fputs("built by a merge", w->out);
        break;
      }
      fputs(s->kind == DERIVE_RULE ? "by " : "by a call in ", w->out);
      explain_rule_name(e, rule, w->out);
      substitution(w, step);
      break;
    case DERIVE_MERGED: fputs("merged", w->out); break;
    case DERIVE_MOVED: fputs("by congruence", w->out); break;
    case DERIVE_BOX: fputs("by equal elements", w->out); break;
    default: fputs(w->x->whole ? "(not recorded)" : "(not looked for: too many steps)", w->out);
  }
}

/* Is there something to say about the row beyond that its term exists? */
static bool worth_saying(const Writer *w, uint32_t step) {
  const DerivedStep *s = step_at(w, step);
  const Derivation *p = w->x->proof;
  if (s->what != PROVES_ROW || p->db->tables.at[s->of]->kind != TABLE_CONSTRUCTOR) return true;
  const Val *cols = derive_cols(p, step);
  const Table *t = p->db->tables.at[s->of];
  return derive_term_row(w->x->terms, s->of, cols) != value_term(w, t->out, cols[t->n_in]);
}

static void premises(Writer *w, uint32_t step, uint32_t from, uint32_t depth) {
  const DerivedStep *s = step_at(w, step);
  Reg a, b;
  equated(w, step, &a, &b);
  for (uint32_t i = from; i < s->n && depth < MOST_DEPTH; i++) {
    uint32_t k = derive_premises(w->x->proof, step)[i];
    if (!worth_saying(w, k) || (a != IR_NONE && k == found_for(w, step, a)) ||
        (b != IR_NONE && k == found_for(w, step, b)))
      continue; /* the latter are links of the chain */
    if (step_at(w, k)->what == PROVES_ROW) write_row(w, k, depth);
    else write_equation(w, k, true, depth);
  }
}

/* Below a congruence: why the arguments are equal. */
static void write_arguments(Writer *w, const Link *l, uint32_t depth) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = step_at(w, l->step);
  if (l->goal != IR_NONE) {
    write_asked(w, l->goal, depth);
    return;
  }
  uint32_t from = 0, n = s->n;
  if (s->kind == DERIVE_MOVED) {
    uint32_t made = derive_premises(p, l->step)[0], out = p->db->tables.at[s->of]->n_in;
    from = 1;
    if (derive_cols(p, made)[out] != derive_cols(p, l->step)[out]) n--; /* a link of its own */
  }
  for (uint32_t k = from; k < n && depth < MOST_DEPTH; k++)
    write_equation(w, derive_premises(p, l->step)[k], l->forward, depth);
}

static void write_links(Writer *w, DerivedTerm *start, Links *links, uint32_t depth) {
  cut_loops(w, start, links);
  if (!line(w, depth)) return;
  fputs("  ", w->out);
  term(w, start);
  fputc('\n', w->out);
  for (size_t i = 0; i < links->len; i++) {
    const Link *l = &links->at[i];
    if (!line(w, depth)) return;
    fputs("= ", w->out);
    term(w, l->to);
    fputs("  ", w->out);
    bool arguments = l->congruence && (l->goal != IR_NONE || step_at(w, l->step)->kind == DERIVE_MOVED);
    if (arguments) fputs("by congruence", w->out);
    else reason(w, l->step);
    bool again = w->shown[l->step] && l->goal == IR_NONE;
    fputs(again && step_at(w, l->step)->n ? " (as above)\n" : "\n", w->out);
    if (l->goal == IR_NONE) w->shown[l->step] = true;
    if (again) continue;
    if (l->congruence) write_arguments(w, l, depth + 2);
    else premises(w, l->step, 0, depth + 2);
  }
}

static void write_equation(Writer *w, uint32_t step, bool forward, uint32_t depth) {
  const DerivedStep *s = step_at(w, step);
  Links links = {0};
  DerivedTerm *start = value_term(w, s->of, derive_cols(w->x->proof, step)[!forward]);
  if (s->what == PROVES_EQUAL) chain_equal(w, step, forward, &links, 0);
  else chain_union(w, step, forward, &links, 0);
  if (links.len) write_links(w, start, &links, depth);
  vec_free(&links);
}

/* A row of a constructor as a chain, another one with what made it below. */
static void write_row(Writer *w, uint32_t step, uint32_t depth) {
  const Derivation *p = w->x->proof;
  const DerivedStep *s = step_at(w, step);
  const Table *t = p->db->tables.at[s->of];
  const Val *cols = derive_cols(p, step);
  DerivedTerm *row = derive_term_row(w->x->terms, s->of, cols);
  if (t->kind == TABLE_CONSTRUCTOR && worth_saying(w, step)) {
    Links links = {0};
    chain_row(w, step, true, &links, 0);
    write_links(w, row, &links, depth);
    vec_free(&links);
    return;
  }
  if (!line(w, depth)) return;
  term(w, row);
  if (t->kind == TABLE_FUNCTION) {
    fputs(" = ", w->out);
    term(w, value_term(w, t->out, cols[t->n_in]));
  }
  fputs("  ", w->out);
  reason(w, step);
  bool again = w->shown[step];
  fputs(again && s->n ? " (as above)\n" : "\n", w->out);
  w->shown[step] = true;
  if (!again && depth < MOST_DEPTH) premises(w, step, 0, depth + 1);
}

/* ---- goals ---- */

/* The first row of the query before goal `before` whose output is in the register; IR_NONE if there is none.  Rows of
 * arguments come first, so what is asked for is a term even where an equation makes it part of itself. */
static uint32_t goal_of(const Explained *x, Reg r, uint32_t before) {
  for (uint32_t i = 0; i < before; i++)
    if (x->goals.at[i].atom != IR_NONE && x->goals.at[i].out == r) return i;
  return IR_NONE;
}

/* The goal's row as it was asked for, not as it was when it was made. */
static DerivedTerm *asked(const Writer *w, uint32_t goal) {
  const Explained *x = w->x;
  const IrAtom *a = &x->block->atoms[x->goals.at[goal].atom];
  const Table *t = x->proof->db->tables.at[a->op];
  DerivedTerm **args = xmalloc((t->n_in + 1) * sizeof *args);
  for (uint32_t i = 0; i < t->n_in; i++) {
    uint32_t inner = goal_of(x, a->arg[i], goal);
    bool term = inner != IR_NONE &&
                x->proof->db->tables.at[x->block->atoms[x->goals.at[inner].atom].op]->kind != TABLE_FUNCTION;
    args[i] = term ? asked(w, inner) : value_term(w, t->sorts[i], x->regs[a->arg[i]]);
  }
  DerivedTerm *made = derive_term_apply(x->terms, a->op, args);
  free(args);
  return made;
}

static DerivedTerm *goal_row(const Writer *w, uint32_t goal) {
  uint32_t step = w->x->goals.at[goal].step;
  return derive_term_row(w->x->terms, step_at(w, step)->of, derive_cols(w->x->proof, step));
}

/* Is the row's output an argument of another fact of the query? */
static bool is_argument(const Writer *w, Reg out) {
  const IrBlock *b = w->x->block;
  for (uint32_t i = 0; i < b->n_atoms && out != IR_NONE; i++) {
    const IrAtom *a = &b->atoms[i];
    uint32_t n_in = a->kind == IR_ROW ? w->x->program->db->tables.at[a->op]->n_in : a->n - 1;
    for (uint32_t c = 0; c < n_in; c++)
      if (a->arg[c] == out) return true;
  }
  return false;
}

static bool is_constructor(const Writer *w, const ExplainGoal *g) {
  return g->atom != IR_NONE && step_at(w, g->step)->what == PROVES_ROW &&
         w->x->proof->db->tables.at[step_at(w, g->step)->of]->kind == TABLE_CONSTRUCTOR;
}

static void to_goal(const Writer *w, uint32_t goal, bool forward, Links *links) {
  const ExplainGoal *g = &w->x->goals.at[goal];
  if (g->atom == IR_NONE) {
    chain_equal(w, g->step, forward, links, 0);
    return;
  }
  DerivedTerm *said = asked(w, goal), *row = goal_row(w, goal);
  if (forward && said != row) vec_push(links, (Link){g->step, true, true, goal, row});
  chain_row(w, g->step, forward, links, 0);
  if (!forward && said != row) vec_push(links, (Link){g->step, true, true, goal, said});
}

/* The arguments of a goal as they were asked for, where they are not what they were. */
static void write_asked(Writer *w, uint32_t goal, uint32_t depth) {
  const Explained *x = w->x;
  const IrAtom *a = &x->block->atoms[x->goals.at[goal].atom];
  const Table *t = x->proof->db->tables.at[a->op];
  for (uint32_t i = 0; i < t->n_in && depth < MOST_DEPTH; i++) {
    uint32_t inner = goal_of(x, a->arg[i], goal);
    if (inner == IR_NONE || !is_constructor(w, &x->goals.at[inner])) continue;
    DerivedTerm *start = asked(w, inner);
    Links links = {0};
    if (start != value_term(w, t->sorts[i], x->regs[a->arg[i]])) {
      to_goal(w, inner, true, &links);
      write_links(w, start, &links, depth);
    }
    vec_free(&links);
  }
}

/* Two facts about one register: their terms are equal. */
static void write_pair(Writer *w, uint32_t a, uint32_t b) {
  const ExplainGoal *g = &w->x->goals.at[a];
  Links links = {0};
  DerivedTerm *start =
      g->atom == IR_NONE ? value_term(w, step_at(w, g->step)->of, derive_cols(w->x->proof, g->step)[0]) : asked(w, a);
  to_goal(w, a, true, &links);
  to_goal(w, b, false, &links);
  write_links(w, start, &links, 0);
  vec_free(&links);
}

/* Equations: the first fact of a register with each of the others. */
static bool write_pairs(Writer *w, bool *told) {
  const Explained *x = w->x;
  bool any = false;
  uint32_t n = (uint32_t)x->goals.len;
  for (uint32_t i = 0; i < 2 * n; i++) { /* globals first */
    uint32_t a = i % n;
    const ExplainGoal *g = &x->goals.at[a];
    if (told[a] || g->out == IR_NONE || (i < n ? g->atom != IR_NONE : !is_constructor(w, g))) continue;
    for (uint32_t b = 0; b < n; b++) {
      const ExplainGoal *h = &x->goals.at[b];
      if (b == a || told[b] || h->out != g->out || !is_constructor(w, h)) continue;
      write_pair(w, a, b);
      told[b] = told[a] = any = true;
    }
  }
  return any;
}

void explain_text(Explained *x, FILE *out) {
  uint64_t most = x->program->options->max_proof_lines;
  Writer w = {.x = x, .out = out, .most_lines = most ? most : PROOF_LINES};
  w.shown = xcalloc(x->proof->steps.len + 1, sizeof *w.shown);
  bool *told = xcalloc(x->goals.len + 1, sizeof *told), any = write_pairs(&w, told);
  for (size_t i = 0; i < x->goals.len; i++) {
    const ExplainGoal *g = &x->goals.at[i];
    bool row = step_at(&w, g->step)->what == PROVES_ROW;
    if (told[i] || g->atom == IR_NONE || (is_constructor(&w, g) && is_argument(&w, g->out))) continue;
    if (row) write_row(&w, g->step, 0);
    else write_equation(&w, g->step, true, 0);
    any = true;
  }
  if (!any) fputs("it holds by itself\n", out);
  if (w.lines == w.most_lines) fputs("... and more: --json prints all of it, --max-proof-lines=N more\n", out);
  free(told);
  free(w.shown);
}
