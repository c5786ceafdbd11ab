/* breaker: see breaker.h. */
#include "eval/lemma/breaker.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "eval/exact/draw.h"
#include "eval/exact/num.h"
#include "eval/exact/rigour.h"
#include "eval/exact/run.h"
#include "eval/lemma/critical.h"
#include "lang/base/clock.h"

enum {
  FIRST = 40,
  DRAWS = 24,
  DRAWS_ALONE = 240, /* where there is one shape only */
  FEW = 100,
  MANY = 16, /* elements of a counterexample */
  FEW_OTHERS = 4,
  FEW_CRITICAL = 2000,
  SIMPLE = 10,
  MAX_INPUTS = 4096,
  PRECISION = 128,
  WORK = 1000000,
  FINE_PRECISION = 512,
  CLOSE_SHAPES = 6,
  CLOSE_DRAWS = 8,
  LARGEST = 1000000,
  TRIES = 20,
};

typedef struct Breaker {
  const Shapes *s;
  Library *library;
  Arena *a;
  Diags *diags;
  Instances *instances;
  uint32_t *number;
  bool valued; /* only values count */
  Critical critical;
  Broken r;
} Breaker;

/* A lemma at one shape, ready to evaluate. */
typedef struct Site {
  const Shape *shape;
  Lemma lemma;
  Graph *left, *right;
  const Instance **in[2];
  Relation *relation;
  uint32_t n_params, n_elements;
  bool guarded, closely;
  double beyond; /* the largest number that the lemma names, and 1 */
  double values[MAX_INPUTS];
  const double **inputs; /* per parameter, into values */
  /* the element and values of the last difference */
  uint64_t element;
  Num want, got;
} Site;

Relation *breaker_identity(const Graph *g, Arena *a) {
  Relation *r = ARENA_NEW(a, Relation);
  r->mesh.n_devices = 1;
  r->mesh.device_order = ARENA_ARRAY(a, int64_t, 1);
  r->n_inputs = (uint32_t)g->params.len;
  r->inputs = ARENA_ARRAY(a, Related, r->n_inputs + 1);
  for (uint32_t i = 0; i < r->n_inputs; i++) {
    const Node *n = &g->nodes.at[g->params.at[i]];
    Layout whole = {.rank = n->rank, .dims = arena_alloc(a, n->rank * sizeof(struct LayoutDim))};
    r->inputs[i] = (Related){.name = n->name, .seq = i, .dist = i, .layout = whole, .scale = 1};
  }
  const Node *out = &g->nodes.at[g->outputs.at[0].node];
  r->n_outputs = 1;
  r->outputs = ARENA_ARRAY(a, Related, 1);
  Layout whole = {.rank = out->rank, .dims = arena_alloc(a, out->rank * sizeof(struct LayoutDim))};
  r->outputs[0] = (Related){.name = sym("value"), .layout = whole};
  return r;
}

/* ---- sites ---- */

static void site_free(Site *t) {
  graph_free(t->left);
  graph_free(t->right);
  num_clear(&t->want);
  num_clear(&t->got);
  free(t);
}

static const Instance **instances(Breaker *b, const Graph *g, bool *fits, bool *holds) {
  const Instance **in = ARENA_ARRAY(b->a, const Instance *, g->nodes.len);
  for (NodeId id = 0; id < g->nodes.len; id++) {
    in[id] = instance_of(b->instances, g, id, b->diags);
    *fits &= in[id] != NULL;
    *holds &= in[id] && !in[id]->opaque;
  }
  return in;
}

static double largest_number(const AstExpr *e) {
  double most = e->kind == EX_RAT ? fabs(rat_to_double(e->value)) : 0;
  for (uint32_t i = 0; i < e->n_args; i++) most = fmax(most, largest_number(e->args[i]));
  return most < LARGEST ? most : 0;
}

/* NULL where the condition on sizes does not hold, or the sides do not fit (then b->r.wrong). */
static Site *site_at(Breaker *b, const Shape *shape) {
  Lemma l = shape_lemma(b->s, shape, (*b->number)++, b->a);
  library_add(b->library, l.sides);
  Site *t = xcalloc(1, sizeof *t);
  num_init(&t->want);
  num_init(&t->got);
  t->shape = shape;
  t->lemma = l;
  t->guarded = l.guard != 0;
  t->beyond = 1 + largest_number(b->s->item->lemma.equation);
  t->left = shape_graph(b->s, shape, &l, (Sym[]){l.left, l.guard}, t->guarded ? 2 : 1);
  t->right = shape_graph(b->s, shape, &l, &l.right, 1);
  bool fits = t->left && t->right, holds = fits;
  for (int side = 0; fits && side < 2; side++) t->in[side] = instances(b, side ? t->right : t->left, &fits, &holds);
  if (fits && holds) {
    t->n_params = (uint32_t)t->left->params.len;
    t->relation = breaker_identity(t->left, b->a);
    t->inputs = ARENA_ARRAY(b->a, const double *, t->n_params + 1);
    uint64_t n = 0;
    for (uint32_t i = 0; i < t->n_params; i++) {
      t->inputs[i] = t->values + (n < MAX_INPUTS ? n : 0);
      n += (uint64_t)node_elements(&t->left->nodes.at[t->left->params.at[i]]);
    }
    holds = n <= MAX_INPUTS;
    t->n_elements = (uint32_t)n;
  }
  b->r.wrong |= !fits;
  if (fits && holds) return t;
  site_free(t);
  return NULL;
}

/* ---- one point ---- */

/* A value that is certainly none counts as different from any value, unless only values count. */
static bool certainly_differ(const Breaker *b, const Num *x, const Num *y, long precision) {
  bool none[2] = {num_is_undefined(x), num_is_undefined(y)};
  bool some[2] = {x->kind != NUM_UNKNOWN, y->kind != NUM_UNKNOWN};
  if (b->valued && (none[0] || none[1])) return false;
  if ((none[0] && some[1]) || (none[1] && some[0])) return true;
  return some[0] && some[1] && num_differ(x, y, precision);
}

static bool differ_at(const Breaker *b, Site *t, const ExactRun *run, uint64_t element, long precision) {
  double deadline = clock_spent() + 5;
  Rigour *r[2] = {rigour_new(&run->seq, precision, WORK, deadline), rigour_new(&run->dist, precision, WORK, deadline)};
  const Num *x = rigour_value(r[0], t->left->outputs.at[0].node, 0, element);
  const Num *y = rigour_value(r[1], t->right->outputs.at[0].node, 0, element);
  bool different = x && y && certainly_differ(b, x, y, precision);
  if (different) {
    t->element = element;
    num_set(&t->want, x);
    num_set(&t->got, y);
  }
  rigour_free(r[0]);
  rigour_free(r[1]);
  return different;
}

static ExactProblem problem_of(const Site *t, bool drawn) {
  ExactProblem p = {.relation = t->relation, .options = exact_defaults()};
  p.seq = (ExactSide){t->left, t->in[0]};
  p.dist = (ExactSide){t->right, t->in[1]};
  if (!drawn) p.given = t->inputs;
  return p;
}

/* The values at hand (or, `drawn`, those of a seed) break the lemma.  Doubles that agree are believed, unless it is the
 * turn of `closely`: then balls are so narrow that a term of e^-100 next to 1 is seen. */
static bool breaks(Breaker *b, Site *t, bool drawn, uint64_t seed) {
  ExactProblem p = problem_of(t, drawn);
  const char *why;
  ExactRun *run = exact_run(&p, seed, &why);
  const double *x = exact_value(run, false, t->left->outputs.at[0].node, 0);
  const double *y = exact_value(run, true, t->right->outputs.at[0].node, 0);
  const double *inside = t->guarded ? exact_value(run, false, t->left->outputs.at[1].node, 0) : NULL;
  uint64_t n = (uint64_t)node_elements(&t->left->nodes.at[t->left->outputs.at[0].node]);
  bool found = false, met = false, unknown = false;
  for (uint64_t i = 0; x && y && i < n && !found; i++) {
    met |= !inside || inside[i] == 1;
    if (inside && inside[i] == 0) continue;
    bool same = x[i] == y[i] || fabs(x[i] - y[i]) <= 1e-9 * (1 + fabs(x[i]) + fabs(y[i]));
    unknown |= isnan(x[i]) && isnan(y[i]);
    if (isnan(x[i]) && isnan(y[i])) continue;
    if (!same) found = differ_at(b, t, run, i, PRECISION);
    if (!found && t->closely) found = differ_at(b, t, run, i, FINE_PRECISION);
  }
  b->r.met += met;
  b->r.unknown += unknown;
  for (uint32_t k = 0; found && drawn && k < t->n_params; k++) {
    const double *at = exact_value(run, false, t->left->params.at[k], 0);
    uint64_t m = (uint64_t)node_elements(&t->left->nodes.at[t->left->params.at[k]]);
    if (at && m) memcpy((double *)t->inputs[k], at, m * sizeof *at);
  }
  exact_run_free(run);
  return found;
}

/* ---- inputs ---- */

static DKind kind_of(const Site *t, uint32_t param) {
  return dtype_kind((DType)t->left->nodes.at[t->left->params.at[param]].dtype);
}

static Sym name_of(const Site *t, uint32_t param) { return t->left->nodes.at[t->left->params.at[param]].name; }

static uint32_t param_of(const Site *t, uint32_t element) {
  uint32_t k = t->n_params - 1;
  while (k > 0 && t->inputs[k] > t->values + element) k--;
  while (k + 1 < t->n_params && t->inputs[k + 1] == t->inputs[k]) k++;
  return k;
}

/* Value i of those to draw from, by kind of parameter. */
typedef double (*Pool)(const Breaker *b, DKind kind, uint32_t i);

/* From simplest on. */
static double simple(const Breaker *b, DKind kind, uint32_t i) {
  static const double reals[SIMPLE] = {0, 1, -1, 2, 0.5, -2, 3, -0.5, 1.5, 5};
  static const double ints[SIMPLE] = {0, 1, 2, 3, 4, 5, -1, 6, 7, -2};
  (void)b;
  if (kind == DK_BOOL) return i % 2;
  return kind == DK_FLOAT ? reals[i % SIMPLE] : kind == DK_UINT ? i % SIMPLE : ints[i % SIMPLE];
}

/* Where the lemma's numbers make a difference; whole for whole parameters, of 64 bits. */
static double critical(const Breaker *b, DKind kind, uint32_t i) {
  double x = b->critical.at[i % b->critical.n];
  if (kind == DK_BOOL) return x > 0;
  return kind == DK_FLOAT ? x : fmax(fmin(floor(kind == DK_UINT ? fabs(x) : x), 9e18), -9e18);
}

/* Every other draw of simple values, and each of critical ones, is of those that the condition allows each element by
 * itself, if some are met. */
static void fill(const Breaker *b, Site *t, Pool pool, uint64_t seed, uint32_t choices) {
  Random r = random_stream(seed, 0x1e44a);
  for (uint32_t e = 0; e < t->n_elements; e++) {
    uint32_t param = param_of(t, e);
    bool allowed = choices == 1 || (pool == simple && seed % 2);
    for (uint32_t k = 0; !k || (!allowed && k < TRIES); k++) {
      uint32_t i = choices == 1 ? (uint32_t)seed : (uint32_t)random_below(&r, choices);
      t->values[e] = pool(b, kind_of(t, param), i);
      allowed = allowed || critical_allows(&b->s->item->lemma, name_of(t, param), t->values[e]);
    }
  }
}

/* How many of the simplest values are few enough to try all assignments; 0: none are. */
static uint32_t all_of(const Site *t) {
  uint32_t n = SIMPLE;
  while (n > 2 && pow(n, t->n_elements) > FEW) n--;
  return n > 2 ? n : 0;
}

/* Real values larger than any number of the lemma, where what it says up to there ends. */
static void go_beyond(Site *t) {
  for (uint32_t e = 0; e < t->n_elements; e++)
    if (kind_of(t, param_of(t, e)) == DK_FLOAT) t->values[e] *= t->beyond;
}

/* Every assignment of the first n values; those with the fewest steps first would be nicer than counting up; the values
 * are made small afterwards. */
static bool enumerate(Breaker *b, Site *t, Pool pool, uint32_t n) {
  uint32_t all = n ? 1 : 0;
  for (uint32_t e = 0; all && e < t->n_elements; e++) all *= n;
  for (uint32_t k = 0; k < all; k++) {
    uint32_t rest = k;
    for (uint32_t e = t->n_elements; e-- > 0; rest /= n)
      t->values[e] = pool(b, kind_of(t, param_of(t, e)), rest % n);
    if (breaks(b, t, false, 0)) return true;
  }
  return false;
}

static bool search(Breaker *b, Site *t, uint32_t draws) {
  if (enumerate(b, t, simple, all_of(t))) return true;
  bool few = b->r.shapes <= CLOSE_SHAPES && t->n_elements && pow(b->critical.n, t->n_elements) <= FEW_CRITICAL;
  if (few && enumerate(b, t, critical, b->critical.n)) return true;
  static const uint32_t choices[] = {3, 3, 10, 7, 4};
  for (uint32_t k = 0; k < draws; k++) {
    t->closely = b->r.shapes <= CLOSE_SHAPES && k < CLOSE_DRAWS;
    if (k % 6 == 5) {
      if (breaks(b, t, true, k)) return true;
      continue;
    }
    if (k % 6 == 3) fill(b, t, critical, k, b->critical.n);
    else fill(b, t, simple, k, k < 3 ? 1 : choices[k % 5]);
    if (k % 6 == 4) go_beyond(t);
    if (breaks(b, t, false, 0)) return true;
  }
  return false;
}

/* Each value becomes the simplest at which the lemma stays broken, until none changes. */
static void minimise(Breaker *b, Site *t) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t e = 0; e < t->n_elements; e++) {
      double old = t->values[e];
      DKind kind = kind_of(t, param_of(t, e));
      for (uint32_t i = 0; i < 7; i++) {
        t->values[e] = simple(b, kind, i);
        if (t->values[e] == old) break;
        if (breaks(b, t, false, 0)) {
          again = true;
          break;
        }
        t->values[e] = old;
      }
    }
  }
  breaks(b, t, false, 0); /* the values of the sides */
}

/* ---- the report ---- */

static const char *place_text(const Site *t, Arena *a) {
  const Node *n = &t->left->nodes.at[t->left->outputs.at[0].node];
  const char *out = "]";
  uint64_t rest = t->element;
  for (uint32_t d = n->rank; d-- > 0; rest /= (uint64_t)n->dims[d])
    out = arena_printf(a, "%s%llu%s", d ? ", " : "", (unsigned long long)(rest % (uint64_t)n->dims[d]), out);
  return arena_printf(a, "[%s", out);
}

/* All elements in order; of many that are 0 but for a few, these, by their position. */
static const char *elements_text(const double *x, int64_t n, Arena *a) {
  int64_t others = 0;
  for (int64_t e = 0; e < n; e++) others += x[e] != 0;
  bool few = n > MANY && others <= FEW_OTHERS;
  const char *out = few ? " 0 everywhere" : n ? "" : " (empty)";
  const char *before = " but ";
  for (int64_t e = 0; e < n; e++) {
    if (!few) out = arena_printf(a, "%s %.17g", out, x[e]);
    if (!few || x[e] == 0) continue;
    out = arena_printf(a, "%s%s%.17g at position %" PRId64, out, before, x[e], e);
    before = ", ";
  }
  return out;
}

static const char *inputs_text(const Site *t, Arena *a) {
  const char *out = "";
  for (uint32_t k = 0; k < t->n_params; k++) {
    const Node *n = &t->left->nodes.at[t->left->params.at[k]];
    if (*sym_text(n->name) == '_') continue; /* lends its sizes only */
    out = arena_printf(a, "%s%s%s =%s", out, *out ? "\n" : "", sym_text(n->name),
                       elements_text(t->inputs[k], node_elements(n), a));
  }
  return out;
}

static const char *value_text(const Num *x, Arena *a) {
  return num_is_undefined(x) ? "without a value" : num_print(x, a);
}

static void report(Breaker *b, Site *t) {
  b->r.found = true;
  b->r.example = (Counterexample){.shape = t->shape,
                                  .shape_text = shape_text(b->s, t->shape, t->left, b->a),
                                  .at = place_text(t, b->a),
                                  .left = value_text(&t->want, b->a),
                                  .right = value_text(&t->got, b->a),
                                  .inputs = inputs_text(t, b->a)};
}

static bool try_shape(Breaker *b, uint32_t i, uint32_t draws) {
  Site *t = site_at(b, &b->s->at[i]);
  if (!t) return false;
  b->r.shapes++;
  b->r.allowed[i] = true;
  bool found = search(b, t, draws);
  if (found) {
    t->closely = true;
    minimise(b, t);
    report(b, t);
  }
  site_free(t);
  return found;
}

static Broken run(Breaker b) {
  const Shapes *s = b.s;
  b.critical = critical_values(&s->item->lemma);
  b.instances = instances_new(b.library);
  instances_partial(b.instances);
  b.r.allowed = ARENA_ARRAY(b.a, bool, s->n + 1);
  uint32_t i = 0, draws = s->n == 1 ? DRAWS_ALONE : DRAWS;
  while (i < s->n_small && b.r.shapes < FIRST && !b.r.found && !b.r.wrong) try_shape(&b, i++, draws);
  for (uint32_t k = s->n_small; k < s->n && !b.r.found && !b.r.wrong; k++)
    if (try_shape(&b, k, DRAWS) && !b.r.example.shape->empty) { /* is there a smaller one after all? */
      Broken large = b.r;
      b.r.found = false;
      while (i < s->n_small && s->at[i].cost < large.example.shape->cost && !b.r.found) try_shape(&b, i++, DRAWS);
      if (!b.r.found) b.r = large;
    }
  instances_free(b.instances);
  return b.r;
}

Broken breaker_run(const Shapes *s, Library *library, uint32_t *number, Arena *a, Diags *diags) {
  return run((Breaker){.s = s, .library = library, .a = a, .diags = diags, .number = number});
}

Broken breaker_run_valued(const Shapes *s, Library *library, uint32_t *number, Arena *a, Diags *diags) {
  return run((Breaker){.s = s, .library = library, .a = a, .diags = diags, .number = number, .valued = true});
}
