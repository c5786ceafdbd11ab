/* The calculus against plain arithmetic: random terms are made through its constructors and evaluated as they are
 * written; the two must agree at every point, and so must everything the classes on the way claim of their values
 * (sign, interval, integer, 0 or 1).  A term that disagrees is shrunk and printed.
 *
 *   test_calculus [SECONDS [SEED [quick]]]      default: a few seconds, seed 1; quick: ends at the first fault */
#include <stdlib.h>
#include <time.h>

#include "tests/unit/term_make.h"

enum { POINTS = 30 };

static int failures;

/* ------------------------------------------------------------------ comparing */
typedef struct Fault {
  bool found;
  int64_t at[FREE];
  double is, should;
  const char *claim; /* NULL: a wrong value */
  ClassId cls;
  Value value;
} Fault;

static const char *false_claim(const Class *x, double v) {
  double eps = 1e-7 * (1 + fabs(v));
  if (isnan(v) || isinf(v)) return NULL;
  if ((x->flags & F_POS) && v <= 0) return "positive";
  if ((x->flags & F_NONNEG) && v < -eps) return "not negative";
  if ((x->flags & F_PRED) && v != 0 && v != 1) return "0 or 1";
  if ((x->flags & F_INTEGER) && fabs(v - rint(v)) > eps) return "an integer";
  if ((x->flags & F_RANGE) && (v < rat_to_double(x->lo) - eps || v > rat_to_double(x->hi) + eps)) return "in range";
  return NULL;
}

/* Slots that a class says may change places: its value there must be the same. */
static bool symmetric(World *w, const Calculus *c, Evaluation *e, ClassId id, const int64_t *at, double v) {
  const Class *x = cls(c, id);
  if (!x->n_sym) return true;
  const uint16_t *perm = x->sym[below(w, x->n_sym)].at;
  int64_t other[64];
  for (uint32_t i = 0; i < x->n_slots; i++) other[i] = at[perm[i]];
  double u = evaluate_class(e, id, other);
  return !isfinite(u) || !isfinite(v) || fabs(u - v) <= 1e-7 * (1 + fabs(v));
}

/* What every class claims, at a few points of each. */
static void check_claims(World *w, const Calculus *c, Evaluation *e, Fault *f) {
  for (ClassId id = 0; id < c->classes.len && !f->found; id++)
    for (int k = 0; k < 6 && !f->found; k++) {
      int64_t at[64] = {0};
      if (cls(c, id)->n_slots > 64) break;
      for (uint32_t i = 0; i < cls(c, id)->n_slots; i++) at[i] = below(w, cls(c, id)->sizes[i]);
      double v = evaluate_class(e, id, at);
      const char *claim = false_claim(cls(c, id), v);
      if (!claim && !symmetric(w, c, e, id, at, v)) claim = "symmetric";
      if (claim) *f = (Fault){.found = true, .is = v, .claim = claim, .cls = id};
    }
}

/* How large the numbers written in a term can make coefficients of the normal form: their product. */
static double numbers(const T *t) {
  double most = t->kind == T_NUM ? fmax(1, fabs(rat_to_double(t->num))) : 1;
  for (uint32_t i = 0; i < t->n && t->kind != T_LEAF; i++) most *= numbers(t->arg[i]);
  return t->kind == T_POW ? pow(most, fmax(1, fabs(rat_to_double(t->num)))) : most;
}

static void check_points(World *w, const T *t, Calculus *c, Evaluation *e, Value v, Fault *f) {
  NamedIndex names[FREE];
  int64_t env[VARS] = {0};
  double coarse = 1e-15 * numbers(t);
  for (uint32_t i = 0; i < FREE; i++) names[i].name = calculus_name(c, NAME_DIM, i, 0, w->size[i]);
  int64_t total = 1;
  for (uint32_t i = 0; i < FREE; i++) total *= w->size[i];
  for (int64_t k = 0; k < (total < POINTS ? total : POINTS) && !f->found; k++) {
    int64_t rest = total <= POINTS ? k : k == 0 ? 0 : below(w, total); /* all of them, or some */
    for (uint32_t i = FREE; i-- > 0; rest /= w->size[i]) names[i].at = env[i] = rest % w->size[i];
    w->largest = 1;
    double should = naive(w, t, env), is = evaluate_value(e, v, names, FREE);
    if (!isnan(should) && !isnan(is) && is != should && !(fabs(is - should) <= 1e-8 * w->largest + coarse)) {
      *f = (Fault){.found = true, .is = is, .should = should, .value = v};
      memcpy(f->at, env, sizeof f->at);
    }
  }
}

static Fault check(World *w, const T *t, bool print) {
  Fault f = {0};
  w->random = w->salt; /* the same points whenever it is checked */
  Calculus *c = calculus_new();
  calculus_set(c, &w->options);
  if (w->n_split) calculus_split(c, w->split, w->n_split);
  Names names;
  for (uint32_t i = 0; i < VARS; i++)
    names.at[i] = i < FREE ? calculus_name(c, NAME_DIM, i, 0, w->size[i]) : name_const(0);
  Value v = build(w, c, t, &names);
  Evaluation *e = evaluate_new(c, leaf_at, w, 4000000);
  if (!calculus_broken(c)) check_points(w, t, c, e, v, &f);
  if (!calculus_broken(c) && !f.found && numbers(t) < 1e15) check_claims(w, c, e, &f);
  if (print && f.found) {
    Arena a = {0};
    Name slots[64];
    if (f.claim) {
      const Class *x = cls(c, f.cls);
      for (uint32_t i = 0; i < x->n_slots; i++) slots[i] = calculus_name(c, NAME_SLOT, i, 0, x->sizes[i]);
      v = one_of(ref_make(c, f.cls, slots, cls(c, f.cls)->n_slots));
      printf("  claimed to be %s, is %g: ", f.claim, f.is);
    } else {
      printf("  is %.12g, should be %.12g at", f.is, f.should);
      for (uint32_t i = 0; i < FREE; i++) printf(" v%u=%lld", i, (long long)f.at[i]);
      printf("\n  value: ");
    }
    printf("%s\n", value_print(c, v, 20, false, 20000, &a, NULL, NULL));
    arena_free(&a);
  }
  evaluate_free(e);
  calculus_free(c);
  return f;
}

/* ------------------------------------------------------------------ shrinking and printing */
static uint32_t count(const T *t) {
  uint32_t n = 1;
  for (uint32_t i = 0; i < t->n && t->kind != T_LEAF; i++) n += count(t->arg[i]);
  return n;
}

/* Replaces pieces by smaller ones as long as the fault stays. */
static bool shrink_at(World *w, T *root, T *t) {
  T old = *t, tries[ARGS * 2 + 8];
  uint32_t n = 0;
  if (t->kind != T_NUM) {
    tries[n++] = (T){.kind = T_NUM, .num = RAT_0};
    tries[n++] = (T){.kind = T_NUM, .num = RAT_1};
  }
  if (t->kind != T_LEAF)
    for (uint32_t i = 0; i < t->n; i++) tries[n++] = *t->arg[i];
  if ((t->kind == T_ADD || t->kind == T_MUL || t->kind == T_MAX || t->kind == T_OPAQUE) && t->n > 1)
    for (uint32_t i = 0; i < t->n; i++) {
      T u = *t;
      u.arg[i] = u.arg[--u.n];
      tries[n++] = u;
    }
  if (t->n_forms && t->kind == T_OPAQUE) tries[n] = *t, tries[n++].n_forms--;
  for (uint32_t i = 0; i < n; i++) {
    *t = tries[i];
    if (count(t) <= count(&old) && check(w, root, false).found) return true;
  }
  *t = old;
  for (uint32_t i = 0; i < t->n_forms || ((t->kind == T_RENAME) && i < t->n_vars); i++)
    for (uint32_t j = 0; j <= t->form[i].n; j++) {
      if (j < t->form[i].n)
        t->form[i].at[j] = t->form[i].at[t->form[i].n - 1], t->form[i].n--;
      else if (t->form[i].constant)
        t->form[i].constant = 0;
      else
        continue;
      if ((t->kind != T_RENAME || inside(w, &t->form[i], w->size[t->var[i]])) && check(w, root, false).found) return true;
      *t = old;
    }
  for (uint32_t i = 0; i < old.n && old.kind != T_LEAF; i++)
    if (shrink_at(w, root, t->arg[i])) return true;
  return false;
}

static void shrink(World *w, T *t) {
  World saved = *w;
  if (w->n_split) {
    w->n_split = 0;
    if (!check(w, t, false).found) w->n_split = saved.n_split;
  }
  if (w->options.expand) {
    w->options.expand = 0;
    if (!check(w, t, false).found) w->options.expand = saved.options.expand;
  }
  if (w->options.cases) {
    w->options.cases = false;
    if (!check(w, t, false).found) w->options.cases = true;
  }
  if (w->options.flat) {
    w->options.flat = false;
    if (!check(w, t, false).found) w->options.flat = true;
  }
  for (int i = 0; i < 400 && shrink_at(w, t, t); i++) {
  }
}

static void print_form(const IxForm *f) {
  for (uint32_t i = 0; i < f->n; i++) printf("%+lld*v%u", (long long)f->at[i].coef, f->at[i].var);
  if (f->constant || !f->n) printf("%+lld", (long long)f->constant);
}

static void print_term(const World *w, const T *t) {
  static const char *const kinds[] = {"num",    "-inf", "x",  "table", "idx",    "add",    "mul",    "pow",  "sum",  "max",
                                      "cmp",    "not",  "select", "fn", "inside", "opaque", "rename", "copies", "cases"};
  char buf[64];
  if (t->kind == T_NUM) {
    printf("%s", rat_print(t->num, buf, sizeof buf));
    return;
  }
  printf("%s", t->kind == T_FN ? term_fns[t->which] : kinds[t->kind]);
  if (t->kind == T_LEAF || t->kind == T_CMP || t->kind == T_COPIES) printf("%u", t->which);
  if (t->kind == T_POW) printf(" %s", rat_print(t->num, buf, sizeof buf));
  if (t->kind == T_IDX) printf(" v%u", t->var[0]);
  if (t->kind == T_CASES) printf(" v%u = v%u", t->var[0], t->var[1]);
  if (t->kind == T_COPIES)
    for (int i = 0; i < w->size[t->var[0]]; i++) printf(" v%u:=%lld", t->var[0], (long long)t->at[i]);
  if (t->kind == T_INSIDE) printf(" %lld..%lld", (long long)t->at[0], (long long)t->at[1]);
  if (t->kind == T_TABLE)
    for (int i = 0; i < MOST; i++) printf(" %lld/4", (long long)t->at[i]);
  for (uint32_t i = 0; i < t->n_vars; i++) {
    printf(" v%u:%lld", t->var[i], (long long)w->size[t->var[i]]);
    if (t->kind == T_RENAME) printf(":="), print_form(&t->form[i]);
  }
  if (t->kind == T_LEAF || t->kind == T_OPAQUE) {
    printf("[");
    for (uint32_t i = 0; i < t->n_forms; i++) {
      printf(i ? ", " : "");
      print_form(&t->form[i]);
      if (t->kind == T_LEAF) printf(":%lld", (long long)w->leaf[t->which].sizes[i]);
    }
    printf("]");
  }
  if (!t->n || t->kind == T_LEAF) return;
  printf("(");
  for (uint32_t i = 0; i < t->n; i++) {
    printf(i ? ", " : "");
    print_term(w, t->arg[i]);
  }
  printf(")");
}

/* ------------------------------------------------------------------ once wrong */
static void check_that(bool holds, const char *what) {
  if (holds) return;
  printf("wrong: %s\n", what);
  failures++;
}

/* What random terms do not reach: where a term has no value there is nothing to compare it with. */
static void once_wrong(void) {
  Calculus *c = calculus_new();
  calculus_set(c, &(CalculusOptions){0});
  Name n = calculus_name(c, NAME_DIM, 0, 0, 4), far = calculus_name(c, NAME_DIM, 1, 0, INT64_C(1) << 33);
  Subst zero = {1, {{n, name_const(0)}}}, first = {1, {{far, name_const(0)}}}, later = {0};
  Value inverse = calc_pow(c, calc_idx(c, n, 4), RAT_NEG1), infinity = value_neg(value_neginf(c));
  check_that(!value_is_num(calc_rename(c, inverse, &zero)), "1 / 0 is a number");
  check_that(!value_is_num(calc_fn(c, sym("exp"), &infinity, 1)), "exp(infinity) is a number");
  Value ratio[] = {infinity, calc_pow(c, infinity, RAT_NEG1)};
  check_that(!value_is_num(calc_mul(c, ratio, 2)), "infinity / infinity is a number");
  int64_t size = INT64_C(1) << 33;
  Value x = calc_leaf(c, sym("x"), &far, &size, NULL, 1, (LeafInfo){0});
  subst_put(&later, far, calculus_form(c, (Form){INT64_C(1) << 31, 0, NULL}));
  check_that(!value_same(calc_rename(c, x, &first), calc_rename(c, x, &later)), "x[0] is x[2^31]");
  Value crossed[] = {value_num(rat_int(5)), VALUE_ONE, value_num(rat_int(3))};
  check_that(value_same(calc_fn(c, sym("clamp"), crossed, 3), crossed[2]), "clamp(5, 1, 3) is not 3");
  calculus_free(c);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  double limit = argc > 1 ? atof(argv[1]) : 3;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1, n = 0, most = argc > 1 ? UINT64_MAX : 20000;
  World *w = xcalloc(1, sizeof *w);
  once_wrong();
  for (; n < most && seconds() < limit && failures < 12; n++, seed++) {
    T *t = make_world(w, seed);
    if (w->n_nodes >= NODES - 1 || !check(w, t, false).found) continue;
    failures++;
    if (argc > 3) break;
    shrink(w, t);
    printf("seed %llu%s%s%s%s, sizes %lld %lld %lld %lld\n  ", (unsigned long long)seed, w->options.flat ? ", flat" : "",
           w->options.expand ? ", expand" : "", w->options.cases ? ", cases" : "", w->n_split ? ", split" : "",
           (long long)w->size[0], (long long)w->size[1], (long long)w->size[2], (long long)w->size[3]);
    print_term(w, t);
    printf("\n");
    check(w, t, true);
    fflush(stdout);
  }
  free(w);
  printf("%llu terms, %d failures\n", (unsigned long long)n, failures);
  return failures > 0;
}
