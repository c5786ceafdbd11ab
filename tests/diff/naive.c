#include "tests/diff/naive.h"

#include <string.h>

const int n_inputs[N_TABLES] = {1, 1, 2, 1, 2, 1, 2, 2};
const bool has_output[N_TABLES] = {true, true, true, false, false, true, true, true};

int naive_find(const RandomProgram *p, int id) {
  while (p->parent[id] != id) id = p->parent[id];
  return id;
}

static bool is_class(int table, int col) { return table == N || table == C ? col == (table == N) : true; }

static void sort_elements(int table, int *value) {
  if (table != S || value[0] <= value[1]) return;
  int first = value[0];
  value[0] = value[1];
  value[1] = first;
}

static int n_cols(int table) { return n_inputs[table] + has_output[table]; }

static Row *lookup(RandomProgram *p, int table, const int *in, int n_rows) {
  for (int r = 0; r < n_rows; r++)
    if (!p->row[r].dead && p->row[r].table == table && !memcmp(p->row[r].value, in, sizeof(int) * (size_t)n_inputs[table]))
      return &p->row[r];
  return NULL;
}

const Row *naive_row(const RandomProgram *p, int table, const int *in) {
  return lookup((RandomProgram *)p, table, in, p->n_rows);
}

static Row *append(RandomProgram *p, int table, const int *value, int n) {
  if (p->n_rows == N_ROWS) {
    p->full = true;
    return &p->row[0];
  }
  Row *row = &p->row[p->n_rows++];
  *row = (Row){.table = table, .stamp = p->epoch};
  memcpy(row->value, value, sizeof(int) * (size_t)n);
  return row;
}

int naive_make(RandomProgram *p, int table, const int *in) {
  Row *row = lookup(p, table, in, p->n_rows);
  if (!row) {
    row = append(p, table, in, n_inputs[table]);
    if (has_output[table]) {
      row->value[n_inputs[table]] = p->n_ids;
      p->parent[p->n_ids] = p->n_ids;
      p->n_ids++;
    }
  }
  return row->value[n_inputs[table]];
}

int naive_merged(const RandomProgram *p, int old, int new) {
  if (p->merge == MERGE_SUM) return old + new;
  return (p->merge == MERGE_MIN) == (old < new) ? old : new;
}

static void unite(RandomProgram *p, int a, int b) {
  a = naive_find(p, a);
  b = naive_find(p, b);
  if (a != b) p->parent[a > b ? a : b] = a > b ? b : a;
}

/* Combines row b into row a, which has the same inputs.  The result is new unless it is what the older one was. */
static void combine(RandomProgram *p, Row *a, Row *b) {
  int out = n_inputs[a->table];
  Row older = a->stamp <= b->stamp ? *a : *b;
  if (a->table == C) {
    a->value[out] = naive_merged(p, a->value[out], b->value[out]);
  } else if (has_output[a->table]) {
    unite(p, a->value[out], b->value[out]);
    a->value[out] = naive_find(p, a->value[out]);
  }
  a->stamp = a->value[out] == older.value[out] ? older.stamp : p->epoch;
  a->subsumed |= b->subsumed;
  b->dead = true;
}

static bool canonicalise(RandomProgram *p, Row *row) {
  bool changed = false;
  for (int c = 0; c < n_cols(row->table); c++) {
    if (!is_class(row->table, c) || naive_find(p, row->value[c]) == row->value[c]) continue;
    row->value[c] = naive_find(p, row->value[c]);
    row->stamp = p->epoch;
    changed = true;
  }
  sort_elements(row->table, row->value);
  return changed;
}

static void rebuild(RandomProgram *p) {
  for (bool again = true; again;) {
    again = false;
    for (int r = 0; r < p->n_rows; r++)
      if (!p->row[r].dead) again |= canonicalise(p, &p->row[r]);
    for (int r = 0; r < p->n_rows; r++)
      for (int s = r + 1; s < p->n_rows; s++) {
        Row *a = &p->row[r], *b = &p->row[s];
        if (a->dead || b->dead || a->table != b->table) continue;
        if (memcmp(a->value, b->value, sizeof(int) * (size_t)n_inputs[a->table])) continue;
        combine(p, a, b);
        again = true;
      }
  }
}

/* Effects gathered while the rules run on the rows [0, n_old). */
typedef struct {
  int n_old;
  Row set[N_ROWS], gone[N_ROWS], subsumed[N_ROWS];
  int n_set, n_gone, n_subsumed;
  int pair[N_ROWS][2], n_pairs;
} Effects;

int naive_integer(const Action *a, const int *var) {
  return a->arg[0] < 0 ? a->plus : (var[a->arg[0]] + a->plus) % 5;
}

/* The row with its output made equal to a variable.  One that was there is set, and so stays if it is deleted as well. */
static void make_as(RandomProgram *p, Effects *e, Row *row, int as) {
  if (lookup(p, row->table, row->value, e->n_old)) {
    row->value[n_inputs[row->table]] = as;
    e->set[e->n_set++] = *row;
  } else {
    e->pair[e->n_pairs][0] = naive_make(p, row->table, row->value);
    e->pair[e->n_pairs++][1] = as;
  }
}

static void act(RandomProgram *p, Effects *e, const Action *a, const int *var) {
  Row row = {.table = a->table, .stamp = p->epoch};
  for (int i = 0; i < n_inputs[a->table] && a->table != N; i++) row.value[i] = var[a->arg[i]];
  if (a->table == N) row.value[0] = naive_integer(a, var);
  if (e->n_set == N_ROWS || e->n_gone == N_ROWS || e->n_subsumed == N_ROWS || e->n_pairs == N_ROWS) {
    p->full = true;
    return;
  }
  switch (a->kind) {
  case ACT_UNION:
    e->pair[e->n_pairs][0] = var[a->arg[0]];
    e->pair[e->n_pairs++][1] = var[a->arg[1]];
    break;
  case ACT_ROW: naive_make(p, a->table, row.value); break;
  case ACT_UNION_ROW: make_as(p, e, &row, var[a->arg[2]]); break;
  case ACT_NESTED_ROW:
  case ACT_NESTED_UNION:
    row.value[0] = naive_make(p, G, (int[]){var[a->arg[0]], var[a->arg[1]]});
    if (a->kind == ACT_NESTED_ROW)
      naive_make(p, a->table, row.value);
    else
      make_as(p, e, &row, var[a->arg[2]]);
    break;
  case ACT_SET:
    row.value[1] = a->arg[1] < 0 ? a->plus : var[a->arg[1]];
    e->set[e->n_set++] = row;
    break;
  case ACT_DELETE:
    if (lookup(p, a->table, row.value, e->n_old)) e->gone[e->n_gone++] = row;
    break;
  case ACT_SUBSUME:
    row.value[n_inputs[a->table]] = naive_make(p, a->table, row.value);
    e->subsumed[e->n_subsumed++] = row;
    break;
  }
}

static void match(RandomProgram *p, Effects *e, const Rule *rule, int k, int *var, unsigned bound, bool fresh) {
  if (p->full) return;
  if (k == rule->n_atoms) {
    bool ok = fresh && (rule->differ[0] < 0 || var[rule->differ[0]] != var[rule->differ[1]]);
    for (int i = 0; ok && i < rule->n_actions; i++) act(p, e, &rule->action[i], var);
    return;
  }
  const Atom *a = &rule->atom[k];
  for (int r = 0; r < e->n_old; r++) {
    const Row *row = &p->row[r];
    if (row->dead || row->subsumed || row->table != a->table) continue;
    int now[N_VARS];
    unsigned b = bound;
    bool ok = true;
    memcpy(now, var, sizeof now);
    for (int c = a->table == S ? 2 : 0; ok && c < n_cols(a->table); c++) {
      int v = a->arg[c];
      ok = !(b >> v & 1) || now[v] == row->value[c];
      now[v] = row->value[c];
      b |= 1u << v;
    }
    if (ok) match(p, e, rule, k + 1, now, b, fresh || row->stamp >= rule->last);
  }
}

void naive_run(RandomProgram *p) {
  static Effects effects;
  Effects *e = &effects;
  memset(e, 0, sizeof *e);
  e->n_old = p->n_rows;
  p->epoch++;
  for (int i = 0; i < p->n_rules; i++) {
    int var[N_VARS] = {0};
    match(p, e, &p->rule[i], 0, var, 0, false);
    p->rule[i].last = p->epoch;
  }
  if (p->full) return;
  for (int i = 0; i < e->n_gone; i++) {
    Row *row = lookup(p, e->gone[i].table, e->gone[i].value, e->n_old);
    if (row) row->dead = true;
  }
  for (int i = 0; i < e->n_set; i++) {
    Row *set = &e->set[i], *row = lookup(p, set->table, set->value, p->n_rows);
    if (row)
      combine(p, row, set);
    else
      append(p, set->table, set->value, n_cols(set->table));
  }
  for (int i = 0; i < e->n_subsumed; i++) {
    const Row *s = &e->subsumed[i];
    Row *row = lookup(p, s->table, s->value, p->n_rows);
    if (!row) row = append(p, s->table, s->value, n_inputs[s->table] + has_output[s->table]);
    row->subsumed = true;
  }
  for (int i = 0; i < e->n_pairs; i++) unite(p, e->pair[i][0], e->pair[i][1]);
  rebuild(p);
}

int naive_size(const RandomProgram *p, int table) {
  int n = 0;
  for (int r = 0; r < p->n_rows; r++) n += !p->row[r].dead && p->row[r].table == table;
  return n;
}

long naive_sum(const RandomProgram *p) {
  long sum = 0;
  for (int r = 0; r < p->n_rows; r++)
    if (!p->row[r].dead && p->row[r].table == C) sum += p->row[r].value[1];
  return sum;
}
