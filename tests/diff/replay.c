#include "tests/diff/replay.h"

#include <stdlib.h>
#include <string.h>

#include "tests/diff/random.h"

typedef struct {
  const RandomProgram *program;
  const json_t *terms, *steps;
} Replay;

/* What a step proves: a row (its term, and its value or -1), or an equation of two terms. */
typedef struct {
  bool row;
  int a, b;
} Claim;

static int number(const json_t *o, const char *key) {
  const json_t *v = json_object_get(o, key);
  return json_is_integer(v) ? (int)json_integer_value(v) : -1;
}

static const char *text(const json_t *o, const char *key) {
  const char *s = json_string_value(json_object_get(o, key));
  return s ? s : "";
}

static Claim claim_of(const json_t *step) {
  const json_t *o = json_object_get(step, "proves"), *equal = json_object_get(o, "equal");
  if (!equal) return (Claim){true, number(o, "row"), number(o, "value")};
  return (Claim){false, (int)json_integer_value(json_array_get(equal, 0)),
                 (int)json_integer_value(json_array_get(equal, 1))};
}

static const json_t *from(const json_t *step) { return json_object_get(step, "from"); }
static int n_from(const json_t *step) { return (int)json_array_size(from(step)); }
static Claim premise(const Replay *r, const json_t *step, int k) {
  return claim_of(json_array_get(r->steps, (size_t)json_integer_value(json_array_get(from(step), (size_t)k))));
}

/* ---- terms ---- */

static const json_t *term(const Replay *r, int t) { return json_array_get(r->terms, (size_t)t); }
static int n_args(const Replay *r, int t) { return (int)json_array_size(json_object_get(term(r, t), "args")); }
static int arg(const Replay *r, int t, int k) {
  const json_t *v = json_array_get(json_object_get(term(r, t), "args"), (size_t)k);
  return v ? (int)json_integer_value(v) : -1;
}
static bool is_integer(const Replay *r, int t, int value) {
  const char *s = text(term(r, t), "value");
  return *s && strtol(s, NULL, 10) == value;
}
static int integer(const Replay *r, int t) { return (int)strtol(text(term(r, t), "value"), NULL, 10); }
static bool is_row(const Replay *r, int t, int table) {
  return !strcmp(text(term(r, t), "head"), random_table[table]) && n_args(r, t) == n_inputs[table];
}

/* ---- rules ---- */

typedef struct {
  int var[N_VARS]; /* the terms of the variables */
} Binding;

static bool row_is(const Replay *r, int t, int table, const int *vars, const Binding *b) {
  bool ok = is_row(r, t, table);
  for (int i = 0; ok && i < n_inputs[table]; i++) ok = arg(r, t, i) == b->var[vars[i]];
  return ok;
}

static bool bind(Binding *b, int v, int t) {
  if (b->var[v] < 0) b->var[v] = t;
  return b->var[v] == t;
}

/* Does every premise not in `used` say what an inner (G a b) of the head stands for? */
static bool others_needed(const Replay *r, const json_t *step, unsigned used) {
  bool ok = true;
  for (int i = 0; i < n_from(step); i++) ok &= (used >> i & 1) || is_row(r, premise(r, step, i).a, G);
  return ok;
}

/* Is every atom from `k` on among the premises?  Variables that the query makes equal have one name in the proof: the
 * others are bound here. */
static bool query_holds(const Replay *r, const json_t *step, const Rule *rule, int k, Binding *b, unsigned used) {
  if (k == rule->n_atoms) return others_needed(r, step, used);
  const Atom *a = &rule->atom[k];
  for (int i = 0; i < n_from(step); i++) {
    Claim c = premise(r, step, i);
    Binding with = *b;
    bool ok = c.row && is_row(r, c.a, a->table) && (c.b >= 0) == has_output[a->table];
    for (int j = 0; ok && j < n_inputs[a->table]; j++) ok = bind(&with, a->arg[j], arg(r, c.a, j));
    if (ok && has_output[a->table]) ok = bind(&with, a->arg[n_inputs[a->table]], c.b);
    if (!ok || !query_holds(r, step, rule, k + 1, &with, used | 1u << i)) continue;
    *b = with;
    return true;
  }
  return false;
}

static int action_integer(const Replay *r, const Action *a, const Binding *b) {
  int values[N_VARS] = {0};
  for (int i = 4; i < N_VARS; i++) values[i] = b->var[i] < 0 ? 0 : integer(r, b->var[i]);
  if (a->kind != ACT_SET) return naive_integer(a, values);
  return a->arg[1] < 0 ? a->plus : values[a->arg[1]];
}

/* Is the term (G a b), or what a row found in its place stands for? */
static bool is_inner(const Replay *r, const json_t *step, int t, const Action *a, const Binding *b) {
  if (row_is(r, t, G, a->arg, b)) return true;
  for (int k = 0; k < n_from(step); k++) {
    Claim c = premise(r, step, k);
    if (c.row && c.b == t && row_is(r, c.a, G, a->arg, b)) return true;
  }
  return false;
}

static bool action_says(const Replay *r, const json_t *step, const Action *a, const Binding *b, Claim c) {
  bool as_new = c.a == c.b || (c.row && c.b < 0), row;
  switch (a->kind) {
    case ACT_UNION: {
      int x = b->var[a->arg[0]], y = b->var[a->arg[1]];
      return !c.row && ((c.a == x && c.b == y) || (c.a == y && c.b == x));
    }
    case ACT_ROW:
    case ACT_UNION_ROW:
      if (a->table == N)
        row = is_row(r, c.a, N) && is_integer(r, arg(r, c.a, 0), action_integer(r, a, b));
      else
        row = row_is(r, c.a, a->table, a->arg, b);
      return c.row && row && (a->kind == ACT_ROW ? as_new : c.b == b->var[a->arg[2]]);
    case ACT_NESTED_ROW:
    case ACT_NESTED_UNION:
      if (c.row && as_new && row_is(r, c.a, G, a->arg, b)) return true;
      if (!c.row || !is_row(r, c.a, a->table) || !is_inner(r, step, arg(r, c.a, 0), a, b)) return false;
      return a->kind == ACT_NESTED_ROW ? as_new : c.b == b->var[a->arg[2]];
    case ACT_SET: return c.row && row_is(r, c.a, C, a->arg, b) && is_integer(r, c.b, action_integer(r, a, b));
    case ACT_SUBSUME: return c.row && as_new && row_is(r, c.a, a->table, a->arg, b);
    case ACT_DELETE: return false;
  }
  return false;
}

static bool rule_says(const Replay *r, const json_t *step, Claim c) {
  const RandomProgram *p = r->program;
  int k = (int)strtol(text(step, "rule"), NULL, 10);
  if (k < 0 || k >= p->n_rules) return false;
  const Rule *rule = &p->rule[k];
  Binding b;
  for (int v = 0; v < N_VARS; v++) b.var[v] = number(json_object_get(step, "with"), random_var[v]);
  if (!query_holds(r, step, rule, 0, &b, 0)) return false;
  if (rule->differ[0] >= 0 && b.var[rule->differ[0]] == b.var[rule->differ[1]]) return false;
  for (int i = 0; i < rule->n_actions; i++)
    if (action_says(r, step, &rule->action[i], &b, c)) return true;
  return false;
}

/* ---- the other inferences ---- */

static bool given(const Replay *r, Claim c) {
  if (!c.row) return false;
  int x = arg(r, c.a, 0), y = arg(r, c.a, 1);
  if (is_row(r, c.a, N)) return c.b == c.a && integer(r, x) >= 0 && integer(r, x) < 3;
  if (c.b >= 0 || !is_row(r, x, N)) return false;
  int n = integer(r, arg(r, x, 0));
  if (is_row(r, c.a, R)) return n >= 0 && n < 2;
  return is_row(r, c.a, E) && is_row(r, y, N) && n >= 0 && n < 2 && is_integer(r, arg(r, y, 0), n + 1);
}

/* Are the terms one, or equal by a premise from `first` on? */
static bool equal_by(const Replay *r, const json_t *step, int first, int x, int y) {
  bool ok = x == y;
  for (int k = first; !ok && k < n_from(step); k++) {
    Claim c = premise(r, step, k);
    ok = !c.row && ((c.a == x && c.b == y) || (c.a == y && c.b == x));
  }
  return ok;
}

static bool moved(const Replay *r, const json_t *step, Claim c) {
  if (!c.row || !n_from(step)) return false;
  Claim was = premise(r, step, 0);
  bool ok = was.row && !strcmp(text(term(r, was.a), "head"), text(term(r, c.a), "head")) &&
            n_args(r, was.a) == n_args(r, c.a) && (was.b < 0) == (c.b < 0);
  int differ = ok && was.b != c.b;
  for (int i = 0; ok && i < n_args(r, c.a); i++) {
    ok = equal_by(r, step, 1, arg(r, was.a, i), arg(r, c.a, i));
    differ += arg(r, was.a, i) != arg(r, c.a, i);
  }
  return ok && differ == n_from(step) - 1 && (c.b < 0 || equal_by(r, step, 1, was.b, c.b));
}

static bool chain(const Replay *r, const json_t *step, Claim c) {
  int at = c.a;
  if (c.row || !n_from(step)) return false;
  for (int k = 0; k < n_from(step); k++) {
    Claim e = premise(r, step, k);
    if (e.row || (e.a != at && e.b != at)) return false;
    at = e.a == at ? e.b : e.a;
  }
  return at == c.b;
}

static bool congruent(const Replay *r, const json_t *step, Claim c) {
  if (c.row || n_from(step) != 2) return false;
  Claim x = premise(r, step, 0), y = premise(r, step, 1);
  return x.row && y.row && x.a == y.a && x.b >= 0 && y.b >= 0 &&
         ((x.b == c.a && y.b == c.b) || (x.b == c.b && y.b == c.a));
}

static bool merges(const Replay *r, const json_t *step, Claim c) {
  if (!c.row || n_from(step) != 2) return false;
  Claim x = premise(r, step, 0), y = premise(r, step, 1);
  return x.row && y.row && x.a == c.a && y.a == c.a && c.b >= 0 && is_row(r, c.a, C) &&
         is_integer(r, c.b, naive_merged(r->program, integer(r, x.b), integer(r, y.b)));
}

static bool holds(const Replay *r, const json_t *step) {
  Claim c = claim_of(step);
  const char *by = text(step, "by");
  if (!strcmp(by, "given")) return given(r, c);
  if (!strcmp(by, "rule") || !strcmp(by, "call")) return rule_says(r, step, c);
  if (!strcmp(by, "moved")) return moved(r, step, c);
  if (!strcmp(by, "chain")) return chain(r, step, c);
  if (!strcmp(by, "congruence")) return congruent(r, step, c);
  if (!strcmp(by, "merge")) return merges(r, step, c);
  return !strcmp(by, "same") && !c.row && c.a == c.b;
}

const char *replay(const json_t *proof, const RandomProgram *p, char *why) {
  Replay r = {p, json_object_get(proof, "terms"), json_object_get(proof, "steps")};
  size_t i;
  const json_t *o, *k;
  json_array_foreach(r.terms, i, o) {
    size_t n;
    json_array_foreach(
        json_object_get(o, "args"), n,
        k) if (json_integer_value(k) < 0 || (size_t)json_integer_value(k) >= i) return "a term holds itself";
  }
  if (!json_array_size(r.steps)) return "there are no steps";
  json_array_foreach(r.steps, i, o) {
    size_t n;
    json_array_foreach(from(o), n, k) if (json_integer_value(k) < 0 ||
                                          (size_t)json_integer_value(k) >= i) return "a premise does not come before";
    if (holds(&r, o)) continue;
    snprintf(why, 200, "step %zu, by %s, does not follow", i, text(o, "by"));
    return why;
  }
  return NULL;
}
