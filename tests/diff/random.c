#include "tests/diff/random.h"

#include <string.h>

unsigned random_pick(Random *r, unsigned n) {
  r->seed = r->seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(r->seed >> 33) % n;
}

const char *const random_table[] = {"N", "F", "G", "R", "E", "c", "P", "S"};
const char *const random_var[] = {"v0", "v1", "v2", "v3", "i0", "i1"};

static int class_or_int(Random *g, int table, int col, unsigned n_class) {
  bool integer = (table == N && col == 0) || (table == C && col == 1);
  return integer ? 4 + (int)random_pick(g, 2) : (int)random_pick(g, n_class);
}

/* A variable the query has bound, of the sort wanted; -1 if there is none. */
static int bound_var(Random *g, unsigned bound, bool integer) {
  int all[N_VARS], n = 0;
  for (int v = integer ? 4 : 0; v < (integer ? 6 : 4); v++)
    if (bound >> v & 1) all[n++] = v;
  return n ? all[random_pick(g, (unsigned)n)] : -1;
}

static bool random_action(Random *g, Action *a, unsigned bound, const RandomProgram *p) {
  static const struct {
    ActionKind kind;
    int table;
  } shapes[] = {{ACT_UNION, F},      {ACT_ROW, R},         {ACT_ROW, E},       {ACT_ROW, G},     {ACT_ROW, N},
                {ACT_UNION_ROW, F},  {ACT_UNION_ROW, G},   {ACT_UNION_ROW, N}, {ACT_SET, C},     {ACT_SET, C},
                {ACT_DELETE, E},     {ACT_DELETE, G},      {ACT_SUBSUME, F},   {ACT_SUBSUME, R}, {ACT_NESTED_ROW, R},
                {ACT_NESTED_ROW, F}, {ACT_NESTED_UNION, F}, {ACT_ROW, P},      {ACT_UNION_ROW, P}, {ACT_DELETE, P},
                {ACT_SUBSUME, P},    {ACT_ROW, S},         {ACT_UNION_ROW, S}, {ACT_DELETE, S},  {ACT_DELETE, C}};
  enum { ALL = sizeof shapes / sizeof *shapes, LATER = 8 };
  unsigned k = random_pick(g, g->boxes ? ALL : ALL - LATER);
  *a = (Action){.kind = shapes[k].kind, .table = shapes[k].table, .plus = (int)random_pick(g, 5)};
  for (int i = 0; i < 3; i++)
    if ((a->arg[i] = bound_var(g, bound, false)) < 0) return false;
  if (a->table == N) a->arg[0] = bound_var(g, bound, true);
  if (a->table == C) a->arg[1] = random_pick(g, 2) ? -1 : bound_var(g, bound, true);
  /* A sum that feeds itself explodes; 1 at a time is enough to count matches. */
  if (a->table == C && p->merge == MERGE_SUM) a->arg[1] = -1, a->plus = 1;
  return true;
}

static void random_rule(Random *g, Rule *r, const RandomProgram *p) {
  unsigned bound = 0, n_class = 2 + random_pick(g, 3);
  *r = (Rule){.n_atoms = 1 + (int)random_pick(g, p->dense || random_pick(g, 3) ? 3 : 4), .differ = {-1, -1}};
  for (int i = 0; i < r->n_atoms; i++) {
    Atom *a = &r->atom[i];
    a->table = (int)random_pick(g, g->boxes ? N_TABLES : N_PLAIN);
    for (int c = a->table == S ? 2 : 0; c < n_inputs[a->table] + has_output[a->table]; c++)
      bound |= 1u << (a->arg[c] = class_or_int(g, a->table, c, n_class));
  }
  if (!random_pick(g, 4)) r->differ[0] = bound_var(g, bound, false), r->differ[1] = bound_var(g, bound, false);
  if (r->differ[0] < 0) r->differ[1] = -1;
  for (int k = 1 + (int)random_pick(g, 2); k; k--)
    if (random_action(g, &r->action[r->n_actions], bound, p)) r->n_actions++;
}

static void write_row(FILE *f, int table, const int *arg) {
  fprintf(f, "(%s%s", random_table[table], table == P ? " (vec-of" : table == S ? " (set-of" : "");
  for (int i = 0; i < n_inputs[table]; i++) fprintf(f, " %s", random_var[arg[i]]);
  fputs(table == P || table == S ? "))" : ")", f);
}

/* A vec is matched and taken apart, a set only matched. */
static void write_atom(FILE *f, const Atom *a, int number) {
  const char *out = has_output[a->table] ? random_var[a->arg[n_inputs[a->table]]] : NULL;
  if (a->table == S) {
    fprintf(f, "(= %s (S _)) ", out);
  } else if (a->table == P) {
    fprintf(f, "(= %s (P z%d)) (= %s (vec-get z%d 0)) (= %s (vec-get z%d 1)) ", out, number, random_var[a->arg[0]],
            number, random_var[a->arg[1]], number);
  } else {
    if (out) fprintf(f, "(= %s ", out);
    write_row(f, a->table, a->arg);
    fputs(out ? ") " : " ", f);
  }
}

static void write_new_row(FILE *f, const Action *a) {
  if (a->table != N)
    write_row(f, a->table, a->arg);
  else if (a->arg[0] < 0)
    fprintf(f, "(N %d)", a->plus);
  else
    fprintf(f, "(N (%% (+ %s %d) 5))", random_var[a->arg[0]], a->plus);
}

static void write_action(FILE *f, const Action *a) {
  switch (a->kind) {
    case ACT_UNION: fprintf(f, " (union %s %s)", random_var[a->arg[0]], random_var[a->arg[1]]); return;
    case ACT_ROW: fputc(' ', f), write_new_row(f, a); return;
    case ACT_UNION_ROW:
      fputs(" (union ", f);
      write_new_row(f, a);
      fprintf(f, " %s)", random_var[a->arg[2]]);
      return;
    case ACT_NESTED_ROW:
      fprintf(f, " (%s (G %s %s))", random_table[a->table], random_var[a->arg[0]], random_var[a->arg[1]]);
      return;
    case ACT_NESTED_UNION:
      fprintf(f, " (union (F (G %s %s)) %s)", random_var[a->arg[0]], random_var[a->arg[1]], random_var[a->arg[2]]);
      return;
    case ACT_SET:
      fprintf(f, " (set (c %s) ", random_var[a->arg[0]]);
      if (a->arg[1] < 0)
        fprintf(f, "%d)", a->plus);
      else
        fprintf(f, "%s)", random_var[a->arg[1]]);
      return;
    default:
      fprintf(f, " (%s ", a->kind == ACT_DELETE ? "delete" : "subsume");
      write_row(f, a->table, a->arg);
      fputc(')', f);
  }
}

static void write_rule(FILE *f, const Rule *r, int number) {
  fputs("(rule (", f);
  for (int i = 0; i < r->n_atoms; i++) write_atom(f, &r->atom[i], i);
  if (r->differ[0] >= 0) fprintf(f, "(!= %s %s)", random_var[r->differ[0]], random_var[r->differ[1]]);
  fputs(") (", f);
  for (int i = 0; i < r->n_actions; i++) write_action(f, &r->action[i]);
  fprintf(f, ") :name \"%d\")\n", number);
}

void random_write(FILE *f, RandomProgram *p) {
  static const char *const merges[] = {"(min old new)", "(max old new)", "(+ old new)"};
  fprintf(f,
          "(sort V) (constructor N (i64) V) (constructor F (V) V) (constructor G (V V) V)\n"
          "(sort VecV (Vec V)) (sort SetV (Set V)) (constructor P (VecV) V) (constructor S (SetV) V)\n"
          "(relation R (V)) (relation E (V V)) (function c (V) i64 :merge %s)\n",
          merges[p->merge]);
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
  enum { MANY = 24, NODES = 9 };
  for (unsigned i = 0; p->dense && i < MANY; i++) { /* most leave or reach few nodes */
    unsigned a = i * p->dense % NODES, b = i % 3;
    int end[2] = {(int)(i & 1 ? a : b), (int)(i & 1 ? b : a)};
    fprintf(f, "(E (N %d) (N %d))\n", end[0], end[1]);
    for (int k = 0; k < 2; k++) end[k] = naive_make(p, N, &end[k]);
    naive_make(p, E, end);
  }
}

void random_program(Random *g, RandomProgram *p) {
  memset(p, 0, sizeof *p);
  p->merge = (Merge)random_pick(g, 3);
  p->epoch = 1;
  p->dense = g->boxes && !random_pick(g, 3) ? 1 + random_pick(g, 50) : 0;
  p->n_rules = 1 + (int)random_pick(g, 5);
  for (int i = 0; i < p->n_rules; i++) random_rule(g, &p->rule[i], p);
}
