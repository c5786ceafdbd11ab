/* Random programs: the engine and the naive evaluator must agree on all sizes, and on the values of c, after every
 * iteration.  Every other program does something else between a push and a pop before each iteration, of which no
 * trace may remain.  A failing program is printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontends/egg/egg.h"
#include "tests/diff/naive.h"

static uint64_t seed;
static unsigned pick(unsigned n) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % n;
}

static const char *const table_name[] = {"N", "F", "G", "R", "E", "c"};
static const char *const var_name[] = {"v0", "v1", "v2", "v3", "i0", "i1"};

static int class_or_int(int table, int col, unsigned n_class) {
  bool integer = (table == N && col == 0) || (table == C && col == 1);
  return integer ? 4 + (int)pick(2) : (int)pick(n_class);
}

/* A variable the query has bound, of the sort wanted; -1 if there is none. */
static int bound_var(unsigned bound, bool integer) {
  int all[N_VARS], n = 0;
  for (int v = integer ? 4 : 0; v < (integer ? 6 : 4); v++)
    if (bound >> v & 1) all[n++] = v;
  return n ? all[pick((unsigned)n)] : -1;
}

static bool random_action(Action *a, unsigned bound, const Program *p) {
  static const struct { ActionKind kind; int table;
  } shapes[] = {{ACT_UNION, F},     {ACT_ROW, R},       {ACT_ROW, E},       {ACT_ROW, G},    {ACT_ROW, N},
                {ACT_UNION_ROW, F}, {ACT_UNION_ROW, G}, {ACT_UNION_ROW, N}, {ACT_SET, C},    {ACT_SET, C},
                {ACT_DELETE, E},    {ACT_DELETE, G},    {ACT_SUBSUME, F},   {ACT_SUBSUME, R}};
  unsigned k = pick(sizeof shapes / sizeof *shapes);
  *a = (Action){.kind = shapes[k].kind, .table = shapes[k].table, .plus = (int)pick(5)};
  for (int i = 0; i < 3; i++)
    if ((a->arg[i] = bound_var(bound, false)) < 0) return false;
  if (a->table == N) a->arg[0] = bound_var(bound, true);
  if (a->table == C) a->arg[1] = pick(2) ? -1 : bound_var(bound, true);
  /* A sum that feeds itself explodes; 1 at a time is enough to count matches. */
  if (a->table == C && p->merge == MERGE_SUM) a->arg[1] = -1, a->plus = 1;
  return true;
}

static void random_rule(Rule *r, const Program *p) {
  unsigned bound = 0, n_class = 2 + pick(3);
  *r = (Rule){.n_atoms = 1 + (int)pick(3), .differ = {-1, -1}};
  for (int i = 0; i < r->n_atoms; i++) {
    Atom *a = &r->atom[i];
    a->table = (int)pick(N_TABLES);
    for (int c = 0; c < n_inputs[a->table] + has_output[a->table]; c++)
      bound |= 1u << (a->arg[c] = class_or_int(a->table, c, n_class));
  }
  if (!pick(4)) r->differ[0] = bound_var(bound, false), r->differ[1] = bound_var(bound, false);
  if (r->differ[0] < 0) r->differ[1] = -1;
  for (int k = 1 + (int)pick(2); k; k--)
    if (random_action(&r->action[r->n_actions], bound, p)) r->n_actions++;
}

static void write_row(FILE *f, int table, const int *arg) {
  fprintf(f, "(%s", table_name[table]);
  for (int i = 0; i < n_inputs[table]; i++) fprintf(f, " %s", var_name[arg[i]]);
  fputc(')', f);
}

static void write_new_row(FILE *f, const Action *a) {
  if (a->table != N)
    write_row(f, a->table, a->arg);
  else if (a->arg[0] < 0)
    fprintf(f, "(N %d)", a->plus);
  else
    fprintf(f, "(N (%% (+ %s %d) 5))", var_name[a->arg[0]], a->plus);
}

static void write_action(FILE *f, const Action *a) {
  switch (a->kind) {
  case ACT_UNION: fprintf(f, " (union %s %s)", var_name[a->arg[0]], var_name[a->arg[1]]); return;
  case ACT_ROW: fputc(' ', f), write_new_row(f, a); return;
  case ACT_UNION_ROW:
    fputs(" (union ", f);
    write_new_row(f, a);
    fprintf(f, " %s)", var_name[a->arg[2]]);
    return;
  case ACT_SET:
    fprintf(f, " (set (c %s) ", var_name[a->arg[0]]);
    if (a->arg[1] < 0) fprintf(f, "%d)", a->plus);
    else fprintf(f, "%s)", var_name[a->arg[1]]);
    return;
  default:
    fprintf(f, " (%s ", a->kind == ACT_DELETE ? "delete" : "subsume");
    write_row(f, a->table, a->arg);
    fputc(')', f);
  }
}

static void write_rule(FILE *f, const Rule *r, int number) {
  fputs("(rule (", f);
  for (int i = 0; i < r->n_atoms; i++) {
    const Atom *a = &r->atom[i];
    if (has_output[a->table]) fprintf(f, "(= %s ", var_name[a->arg[n_inputs[a->table]]]);
    write_row(f, a->table, a->arg);
    fputs(has_output[a->table] ? ") " : " ", f);
  }
  if (r->differ[0] >= 0) fprintf(f, "(!= %s %s)", var_name[r->differ[0]], var_name[r->differ[1]]);
  fputs(") (", f);
  for (int i = 0; i < r->n_actions; i++) write_action(f, &r->action[i]);
  fprintf(f, ") :name \"%d\")\n", number);
}

static void write_program(FILE *f, Program *p) {
  static const char *const merges[] = {"(min old new)", "(max old new)", "(+ old new)"};
  fprintf(f, "(sort V) (constructor N (i64) V) (constructor F (V) V) (constructor G (V V) V)\n"
             "(relation R (V)) (relation E (V V)) (function c (V) i64 :merge %s)\n", merges[p->merge]);
  for (int i = 0; i < p->n_rules; i++) write_rule(f, &p->rule[i], i);
  for (int i = 0; i < 3; i++) {
    int id = naive_make(p, N, &i), pair[2] = {id, id};
    if (i < 2) naive_make(p, R, pair);
    fprintf(f, "(let $%d (N %d)) %s\n", i, i, i < 2 ? i ? "(R $1)" : "(R $0)" : "");
    if (!i) continue;
    pair[0] = id - 1;
    naive_make(p, E, pair);
    fprintf(f, "(E $%d $%d)\n", i - 1, i);
  }
}

/* The sizes and the sum of c that the engine printed for one iteration; moves past them. */
static bool agrees(const Program *p, char **text) {
  for (int t = 0; t < N_TABLES; t++)
    if (strtol(*text, text, 10) != naive_size(p, t)) return false;
  long sum = 0;
  char *end = strstr(*text, "\n)\n");
  for (char *arrow = *text; end && (arrow = strstr(arrow, "-> ")) && arrow < end; arrow += 3)
    sum += strtol(arrow + 3, NULL, 10);
  char *empty = strstr(*text, "(\n)\n");
  *text = empty && (!end || empty < end) ? empty + 4 : end ? end + 3 : *text;
  return sum == naive_sum(p);
}

static bool try_one(uint64_t n) {
  static Program p;
  enum { ROUNDS = 4 };
  seed = n * 7919 + 1;
  memset(&p, 0, sizeof p);
  p.merge = (Merge)pick(3);
  p.epoch = 1;
  p.n_rules = 1 + (int)pick(5);
  for (int i = 0; i < p.n_rules; i++) random_rule(&p.rule[i], &p);
  char *source = NULL, *out = NULL;
  size_t n_source, n_out;
  FILE *f = open_memstream(&source, &n_source);
  write_program(f, &p);
  Program start = p;
  int rounds = 0;
  for (; rounds < ROUNDS && !p.full; rounds++) naive_run(&p);
  if (p.full) rounds--;
  for (int k = 0; k < rounds; k++) {
    if (n % 2) fputs("(push) (run 2) (F $1) (union $0 $2) (push) (run 1) (pop) (run 1) (delete (R $0)) (pop)\n", f);
    fputs("(run 1)", f);
    for (int t = 0; t < N_TABLES; t++) fprintf(f, "(print-size %s)", table_name[t]);
    fputs("(print-function c)\n", f);
  }
  fclose(f);
  Sources *sources = sources_new();
  Diags *diags = diags_new(sources);
  f = open_memstream(&out, &n_out);
  bool ok = egg_run(diags, sources_add(sources, "random.egg", source, n_source), &(EggOptions){0}, f) == EGG_OK;
  fclose(f);
  char *at = out;
  p = start;
  for (int k = 0; ok && k < rounds; k++) {
    naive_run(&p);
    ok = agrees(&p, &at);
    if (!ok) fprintf(stderr, "program %llu differs after iteration %d\n", (unsigned long long)n, k + 1);
  }
  diags_print(diags, stderr, false);
  if (!ok) {
    fprintf(stderr, "%s\n%s\nexpected", source, out);
    for (int t = 0; t < N_TABLES; t++) fprintf(stderr, " %d", naive_size(&p, t));
    fprintf(stderr, " sum %ld\n", naive_sum(&p));
  }
  diags_free(diags);
  sources_free(sources);
  free(source);
  free(out);
  return ok;
}

int main(int argc, char **argv) {
  uint64_t from = 0, to = 1500;
  if (argc > 1) from = strtoull(argv[1], NULL, 10), to = from + 1;
  if (argc > 2) to = strtoull(argv[2], NULL, 10);
  for (uint64_t n = from; n < to; n++)
    if (!try_one(n)) return 1;
  return 0;
}
