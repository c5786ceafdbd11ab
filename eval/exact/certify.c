/* certify: see certify.h.  Three ways, the first that decides counts: the element alone, if it is rational or the graphs
 * are large, and little work does it; whole graphs in balls of doubles, which all elements share; the element alone in
 * balls of any precision, which is doubled while the balls of the two values overlap without being narrow. */
#include "eval/exact/certify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "eval/exact/ball.h"
#include "eval/exact/rigour.h"
#include "eval/meaning/fn.h"
#include "lang/base/clock.h"
#include "lang/base/heap.h"

#define LITTLE_WORK 30000   /* element operations, of all elements together */
#define LARGE_WORK 50000000 /* what whole graphs take from which on they come second */

#define REFUTED_SHARE 32    /* such a part of the work is for elements alone once some output is refuted */

#define LEVELS 8
#define PRINTED_INPUTS 16  /* inputs listed .. */
#define PRINTED_ELEMENTS 8 /* .. and how large one may be to be printed whole, not as a formula */

/* Both graphs evaluated on demand. */
typedef struct Elements {
  Rigour *seq, *dist;
} Elements;

/* Both graphs, in balls of doubles or in doubles. */
typedef struct Whole {
  bool filled, all; /* seq and dist hold what could be evaluated; they hold everything */
  GraphRun seq, dist;
} Whole;

enum { PATTERNS = 4, STEADY = 8 }; /* of literals that are moved; a difference that changes by less of it is steady */

struct Certifier {
  const ExactRun *run;
  const bool *wanted; /* by output, or NULL */
  double deadline;
  bool refuted;
  Elements little, level[LEVELS]; /* by doublings of the precision */
  Whole whole, slack;             /* in balls: as written; with literals that may be off .. */
  Rats off;                       /* .. those that one graph has alone */
  Whole moved[PATTERNS + 1];      /* in doubles: as written, and with these moved */
  Arena arena;
  Numbers numbers;
  Budget budget;
  const char **lines; /* by parameter of the sequential graph: its values, for witnesses */
  bool *shown;        /* by parameter: whose values .. */
  const char *texts;  /* .. are listed here; outputs that depend on the same ones share it.  NULL: none yet */
};

Certifier *certifier_new(const ExactRun *r, const bool *wanted, double deadline, bool refuted) {
  Certifier *c = xcalloc(1, sizeof *c);
  c->run = r;
  c->wanted = wanted;
  c->deadline = deadline;
  c->refuted = refuted;
  return c;
}

static void free_elements(Elements *e) {
  rigour_free(e->seq);
  rigour_free(e->dist);
}

void certifier_free(Certifier *c) {
  if (!c) return;
  for (int i = 0; i < LEVELS; i++) free_elements(&c->level[i]);
  free_elements(&c->little);
  vec_free(&c->off);
  numbers_free(&c->numbers);
  arena_free(&c->arena);
  free(c);
}

/* ---- the witness ---- */

/* Parameters that node `id` depends on, in order of their number. */
static bool *reached_parameters(const Graph *g, NodeId id, Arena *a) {
  bool *on = xcalloc(g->nodes.len, sizeof *on), *params = ARENA_ARRAY(a, bool, g->params.len + 1);
  on[id] = true;
  for (NodeId i = id + 1; i-- > 0;) {
    if (!on[i]) continue;
    const Node *n = &g->nodes.at[i];
    for (uint32_t k = 0; k < n->n_args; k++) on[n->args[k]] = true;
    if (n->param >= 0 && (size_t)n->param < g->params.len && strcmp(sym_text(n->op), "parameter") == 0)
      params[n->param] = true;
  }
  free(on);
  return params;
}

static const char *shape_text(const Node *n, Arena *a) {
  const char *s = arena_printf(a, "%s[", dtype_text((DType)n->dtype));
  for (uint32_t d = 0; d < n->rank; d++) s = arena_printf(a, "%s%s%lld", s, d ? "," : "", (long long)n->dims[d]);
  return arena_printf(a, "%s]", s);
}

/* "x: f32[2] = 1 -2" */
static const char *input_line(Certifier *c, size_t i) {
  const ExactRun *r = c->run;
  const Graph *g = r->problem.seq.graph;
  Arena *a = &c->arena;
  if (!c->lines) c->lines = ARENA_ARRAY(a, const char *, g->params.len + 1);
  if (c->lines[i]) return c->lines[i];
  const Node *n = &g->nodes.at[g->params.at[i]];
  Sym name = n->name;
  bool rearranged = false;
  for (uint32_t k = 0; k < r->problem.relation->n_inputs; k++) {
    const Related *x = &r->problem.relation->inputs[k];
    if (x->seq != (int64_t)i) continue;
    if (x->name) name = x->name;
    rearranged |= x->rearranged;
  }
  const char *order = rearranged ? ", its blocks in the order of the relation," : "";
  const char *shape = r->problem.shapes && r->problem.shapes[i] ? r->problem.shapes[i] : shape_text(n, a);
  const char *text = arena_printf(a, "%s: %s%s", sym_text(name), shape, order);
  int64_t count = node_elements(n);
  const double *at = exact_value(r, false, g->params.at[i], 0);
  if (r->problem.shapes && r->problem.given && r->problem.given[i]) text = arena_printf(a, "%s = 0", text);
  else if (at && count <= PRINTED_ELEMENTS)
    for (int64_t e = 0; e < count; e++) text = arena_printf(a, "%s%s%.17g", text, e ? " " : " = ", at[e]);
  else if (g->param_values && g->param_values[i]) text = arena_printf(a, "%s as the file has it", text);
  else text = arena_printf(a, "%s = %s", text, sample_formula(&r->problem, r->seed, n, a));
  return c->lines[i] = text;
}

static const char *inputs_text(Certifier *c, NodeId output, Arena *a) {
  const Graph *g = c->run->problem.seq.graph;
  bool *params = reached_parameters(g, output, &c->arena);
  if (c->texts && !memcmp(c->shown, params, g->params.len * sizeof *params)) return c->texts;
  c->shown = params;
  uint32_t n_listed = 0, n_more = 0, most = c->run->problem.shapes ? UINT32_MAX : PRINTED_INPUTS;
  const char **listed = ARENA_ARRAY(&c->arena, const char *, g->params.len + 1);
  size_t size = 32;
  for (size_t i = 0; i < g->params.len; i++) {
    if (!params[i] || g->params.at[i] == NO_NODE) continue;
    if (n_listed == most) {
      n_more++;
      continue;
    }
    listed[n_listed] = input_line(c, i);
    size += strlen(listed[n_listed++]) + 1;
  }
  char *text = arena_alloc(a, size), *to = text;
  for (uint32_t k = 0; k < n_listed; k++) to += snprintf(to, size - (size_t)(to - text), "%s%s", k ? "\n" : "", listed[k]);
  if (n_more) snprintf(to, size - (size_t)(to - text), "\nand %u more", n_more);
  return c->texts = text;
}

ExactWitness certify_witness(Certifier *c, const Related *o, const Comparison *in, const Difference *d, Arena *a) {
  const OutputElement *p = d->kept < in->n_kept ? &in->kept[d->kept] : &in->lacking;
  const ExactRun *r = c->run;
  NodeId seq, dist;
  if (!compare_nodes(r, o, &seq, &dist)) return (ExactWitness){0};
  const Node *whole = &r->problem.seq.graph->nodes.at[seq], *block = &r->problem.dist.graph->nodes.at[dist];
  int64_t *at = ARENA_ARRAY(a, int64_t, whole->rank + 1u), *at_dist = ARENA_ARRAY(a, int64_t, whole->rank + 1u);
  int64_t *coordinate = ARENA_ARRAY(a, int64_t, r->problem.relation->mesh.n_axes + 1);
  block_index(whole, p->in_whole, at);
  block_index(block, p->in_block, at_dist);
  block_coordinate(&r->problem.relation->mesh, p->device, coordinate);
  return (ExactWitness){.seed = r->seed,
                        .rank = whole->rank,
                        .at = at,
                        .at_dist = at_dist,
                        .device = p->device,
                        .coordinate = coordinate,
                        .seq = d->seq,
                        .dist = d->dist,
                        .precision = d->precision,
                        .inputs = inputs_text(c, seq, a)};
}

/* ---- the decision ---- */

/* Upper bound of |a - b|; infinite if there is none. */
static double distance(const Num *a, const Num *b, long precision) {
  Num d;
  num_init(&d);
  num_sub(&d, a, b, precision);
  double result = INFINITY;
  if (num_is_finite(&d)) {
    arb_t t;
    mag_t m;
    arb_init(t);
    mag_init(m);
    arb_get_mag(m, num_ball(&d, t, precision));
    result = mag_get_d(m);
    mag_clear(m);
    arb_clear(t);
  }
  num_clear(&d);
  return result;
}

/* What is to be decided. */
typedef struct Question {
  const Related *output;
  const OutputElement *at;
  NodeId seq, dist;
  const int64_t *devices; /* whose values add up */
  int64_t n_devices;
  double tolerance; /* up to which difference values count as equal: noise of doubles */
  bool nan;         /* is one of them a NaN? */
} Question;

static Certified decide(const Question *q, const Num *want, const Num *got, long precision) {
  if (q->nan) return num_is_finite(want) && num_is_nan(got) ? CERTIFIED_DIFFERENT : CERTIFIED_UNKNOWN;
  if (want->kind == NUM_UNKNOWN || got->kind == NUM_UNKNOWN) return CERTIFIED_UNKNOWN;
  if (num_differ(want, got, precision)) return CERTIFIED_DIFFERENT;
  bool equal = num_compare(want, got, precision) == 0 || distance(want, got, precision) <= q->tolerance;
  return equal ? CERTIFIED_EQUAL : CERTIFIED_UNKNOWN;
}

static Certified decide_balls(const Question *q, Ball want, Ball got) {
  int order = ball_compare(want, got);
  if (isnan(want.hi) || isnan(got.hi)) return CERTIFIED_UNKNOWN;
  if (order != 2) return order ? CERTIFIED_DIFFERENT : CERTIFIED_EQUAL;
  Ball d = ball_add(want, (Ball){-got.hi, -got.lo, got.rad});
  return (fabs(d.hi) + d.rad) * (1 + 0x1p-40) <= q->tolerance ? CERTIFIED_EQUAL : CERTIFIED_UNKNOWN;
}

static void print(const Num *want, const Num *got, uint32_t precision, Arena *a, Difference *out) {
  bool exact = want->kind != NUM_BALL && got->kind != NUM_BALL;
  out->precision = exact ? 0 : precision;
  out->seq = num_print(want, a);
  out->dist = num_print(got, a);
  out->literal = got->kind == NUM_UNKNOWN && got->lack == LACK_LITERAL;
}

static void print_balls(Ball want, Ball got, Arena *a, Difference *out) {
  const char *seq = ball_print(want, a), *dist = ball_print(got, a);
  if (seq && dist) {
    *out = (Difference){out->kept, want.rad != 0 || got.rad != 0 ? BALL_PRECISION : 0, seq, dist, false};
    return;
  }
  Num x, y;
  num_init(&x);
  num_init(&y);
  ball_to_num(want, &x);
  ball_to_num(got, &y);
  print(&x, &y, BALL_PRECISION, a, out);
  num_clear(&x);
  num_clear(&y);
}

/* The element alone: both values; false when the budget is used up. */
static bool alone(Certifier *c, Elements *e, const Question *q, uint64_t max_work, long precision, Num *want,
                  Num *got) {
  if (!e->seq) e->seq = rigour_new(&c->run->seq, precision, max_work, c->deadline);
  if (!e->dist) e->dist = rigour_new(&c->run->dist, precision, max_work, c->deadline);
  const Num *v = rigour_value(e->seq, q->seq, 0, q->at->in_whole);
  if (!v) return false;
  num_set(want, v);
  num_set_int(got, 0);
  for (int64_t k = 0; k < q->n_devices; k++) {
    if (!(v = rigour_value(e->dist, q->dist, q->devices[k], q->at->in_block))) return false;
    if (q->n_devices == 1) num_set(got, v);
    else num_add(got, got, v, precision);
  }
  return true;
}

static bool is_real(Sym function) {
  FnId fn = fn_find(function);
  return fn == FN_COUNT || fn_values(fn) == FN_REAL;
}

/* Whether a node depends on a function that leaves the rationals. */
static bool leaves_rationals(const GraphRun *run, NodeId id) {
  const Graph *g = run->source->graph;
  bool *on = xcalloc(id + 1, sizeof *on), found = false;
  on[id] = true;
  for (NodeId i = id + 1; i-- > 0 && !found;) {
    const Instance *in = run->source->instances[i];
    for (uint32_t k = 0; on[i] && k < g->nodes.at[i].n_args; k++) on[g->nodes.at[i].args[k]] = true;
    for (uint32_t k = 0; on[i] && in && k < in->n_x && !found; k++)
      found = in->x[k].kind == X_POW ? !rat_is_int(in->x[k].r)
                                     : in->x[k].kind == X_FN && is_real(in->x[k].name);
  }
  free(on);
  return found;
}

bool certify_one_by_one(const ExactRun *r, const Related *o) {
  NodeId seq, dist;
  if (r->budget.work > LARGE_WORK) return true;
  return compare_nodes(r, o, &seq, &dist) && !leaves_rationals(&r->seq, seq) && !leaves_rationals(&r->dist, dist);
}

/* Nodes of a side that are wanted outputs, and those they depend on. */
static const bool *reached(Certifier *c, bool dist, const bool **outputs) {
  const Graph *g = dist ? c->run->dist.source->graph : c->run->seq.source->graph;
  const Relation *r = c->run->problem.relation;
  bool *on = ARENA_ARRAY(&c->arena, bool, g->nodes.len + 1);
  for (uint32_t k = 0; k < r->n_outputs; k++) {
    NodeId nodes[2];
    if ((!c->wanted || c->wanted[k]) && compare_nodes(c->run, &r->outputs[k], &nodes[0], &nodes[1]))
      on[nodes[dist]] = true;
  }
  *outputs = arena_copy(&c->arena, on, g->nodes.len * sizeof *on);
  for (size_t i = g->nodes.len; i-- > 0;)
    for (uint32_t k = 0; on[i] && k < g->nodes.at[i].n_args; k++) on[g->nodes.at[i].args[k]] = true;
  return on;
}

/* With these literals off, if any. */
static bool fill(Certifier *c, GraphRun *to, const GraphRun *from, bool dist, const Arithmetic *how, const Rats *off,
                 uint32_t pattern) {
  *to = *from;
  to->off = off;
  to->pattern = pattern;
  to->how = how;
  to->arena = &c->arena;
  to->budget = &c->budget;
  to->numbers = &c->numbers;
  to->needed = reached(c, dist, &to->kept);
  const char *why;
  return side_evaluate(to, &why);
}

static Whole *filled(Certifier *c, Whole *w, const Arithmetic *how, const Rats *off, uint32_t pattern) {
  if (w->filled) return w;
  w->filled = true;
  heap_large_pages(1 << 24);
  c->budget = (Budget){.max_work = c->run->budget.max_work, .max_elements = c->run->budget.max_elements / BALL_WIDTH};
  w->all = fill(c, &w->seq, &c->run->seq, false, how, off, pattern);
  w->all = w->all && fill(c, &w->dist, &c->run->dist, true, how, off, pattern);
  return w;
}

void certifier_fill(Certifier *c) { filled(c, &c->whole, &arithmetic_ball, NULL, 0); }

/* The element of whole graphs in balls; false if they are too large. */
static bool together(Certifier *c, const Question *q, bool slack, Ball *want, Ball *got) {
  const Whole *w = filled(c, slack ? &c->slack : &c->whole, &arithmetic_ball, slack ? &c->off : NULL, 0);
  if (!w->all) return false;
  const double *at = field_at(&w->seq.fields[q->seq], 0);
  Ball sum = {0};
  if (!at) return false;
  *want = ball_at(at + BALL_WIDTH * q->at->in_whole);
  for (int64_t k = 0; k < q->n_devices; k++) {
    if (!(at = field_at(&w->dist.fields[q->dist], q->devices[k]))) return false;
    Ball v = ball_at(at + BALL_WIDTH * q->at->in_block);
    sum = q->n_devices == 1 ? v : ball_add(sum, v);
  }
  *got = sum;
  return true;
}

/* The element alone, with precision doubled as often as it takes. */
static Certified settle_alone(Certifier *c, const Question *q, uint32_t bits, Num *want, Num *got, Arena *a,
                              Difference *out, const char **why) {
  const ExactOptions *opt = &c->run->problem.options;
  *why = "undecided at the largest precision";
  for (int level = 0; level < LEVELS && (level == 0 || bits <= opt->max_precision); level++, bits *= 2) {
    if (clock_spent() > c->deadline) {
      *why = "out of time";
      break;
    }
    uint64_t most = c->refuted ? opt->max_exact / REFUTED_SHARE : opt->max_exact;
    if (!alone(c, &c->level[level], q, most, bits, want, got)) {
      *why = "too large to evaluate exactly";
      break;
    }
    Certified v = decide(q, want, got, bits);
    if (v == CERTIFIED_DIFFERENT) print(want, got, bits, a, out);
    if (v != CERTIFIED_UNKNOWN) return v;
    if (want->kind == NUM_UNKNOWN || got->kind == NUM_UNKNOWN)
      *why = "it depends on an undecidable comparison or an undefined value";
  }
  return CERTIFIED_UNKNOWN;
}

/* Literals of a graph in order, each once. */
static Rats literals_of(const Graph *g) {
  Rats out = {0};
  for (NodeId id = 0; id < g->nodes.len; id++) {
    const Literal *l = g->nodes.at[id].literal;
    uint64_t many = !l || l->kind == LIT_NONE ? 0 : l->kind == LIT_SPLAT ? 1 : l->n;
    for (uint64_t k = 0; k < many; k++) vec_push(&out, l->values[k]);
  }
  if (out.len) qsort(out.at, out.len, sizeof *out.at, rats_order);
  size_t n = 0;
  for (size_t i = 0; i < out.len; i++)
    if (!n || out.at[n - 1] != out.at[i]) out.at[n++] = out.at[i];
  out.len = n;
  return out;
}

/* What both graphs have is one number, whatever it was rounded from. */
static void find_off(Certifier *c) {
  if (c->off.at) return;
  Rats seq = literals_of(c->run->seq.source->graph), dist = literals_of(c->run->dist.source->graph);
  vec_push(&c->off, RAT_NAN);
  c->off.len = 0;
  for (size_t i = 0, k = 0; i < seq.len || k < dist.len;) {
    int order = i == seq.len ? 1 : k == dist.len ? -1 : rats_order(&seq.at[i], &dist.at[k]);
    Rat r = order <= 0 ? seq.at[i] : dist.at[k];
    if (order && (literal_slack(r, DT_F32) > 0 || literal_slack(r, DT_F64) > 0)) vec_push(&c->off, r);
    i += order <= 0;
    k += order >= 0;
  }
  vec_free(&seq);
  vec_free(&dist);
}

/* By how much the values differ in doubles, literals being moved by a pattern; NAN if they are not known. */
static double moved_apart(Certifier *c, const Question *q, uint32_t pattern) {
  const Whole *w = filled(c, &c->moved[pattern], c->run->seq.how, pattern ? &c->off : NULL, pattern);
  const double *want = w->all ? field_at(&w->seq.fields[q->seq], 0) : NULL;
  if (!want) return NAN;
  double sum = -want[q->at->in_whole];
  for (int64_t k = 0; k < q->n_devices; k++) {
    const double *got = field_at(&w->dist.fields[q->dist], q->devices[k]);
    sum += got ? got[q->at->in_block] : NAN;
  }
  return sum;
}

/* The values may be one if literals are not what is written but near it: as balls do not tell, and the difference changes by
 * a part of it as literals do. */
static bool is_rounding(Certifier *c, const Question *q) {
  Ball want, got;
  if (c->run->problem.literals != LITERALS_EXACT) find_off(c);
  if (!c->off.len) return false;
  if (together(c, q, true, &want, &got) && ball_compare(want, got) % 2 != 0) return false;
  double apart = moved_apart(c, q, 0);
  bool steady = true;
  for (uint32_t i = 1; i <= PATTERNS && steady; i++) steady = fabs(moved_apart(c, q, i) - apart) <= fabs(apart) / STEADY;
  return !steady;
}

static Certified settle(Certifier *c, const Question *q, Arena *a, Difference *out, const char **why) {
  const ExactOptions *opt = &c->run->problem.options;
  uint32_t bits = opt->precision < 64 ? 64 : opt->precision;
  Certified v = CERTIFIED_UNKNOWN;
  Num want, got;
  num_init(&want);
  num_init(&got);
  bool evaluated = c->run->seq.fields != NULL;
  if (evaluated && certify_one_by_one(c->run, q->output))
    if (alone(c, &c->little, q, LITTLE_WORK, bits, &want, &got)) v = decide(q, &want, &got, bits);
  if (v == CERTIFIED_DIFFERENT) print(&want, &got, bits, a, out);
  Ball x, y;
  if (v == CERTIFIED_UNKNOWN && !q->nan && together(c, q, false, &x, &y)) {
    v = decide_balls(q, x, y);
    if (v == CERTIFIED_DIFFERENT) print_balls(x, y, a, out);
  }
  if (v == CERTIFIED_UNKNOWN && evaluated) v = settle_alone(c, q, bits, &want, &got, a, out, why);
  if (v == CERTIFIED_DIFFERENT && !q->nan && is_rounding(c, q)) {
    *why = "literals that were rounded may be all of it";
    v = CERTIFIED_UNKNOWN;
  }
  num_clear(&want);
  num_clear(&got);
  return v;
}

static Certified certify_element(Certifier *c, const Related *o, const Comparison *in, const OutputElement *p, Arena *a,
                                 Difference *out, const char **why) {
  double part = in->top > COMPARE_SMALLEST ? c->run->problem.options.agree : COMPARE_NOISE;
  Question q = {.output = o, .at = p, .tolerance = part * in->top, .nan = p == &in->lacking};
  if (!compare_nodes(c->run, o, &q.seq, &q.dist)) return CERTIFIED_UNKNOWN;
  const Mesh *m = &c->run->problem.relation->mesh;
  int64_t *at = xcalloc(m->n_axes + 1, sizeof *at), *devices = xcalloc((size_t)c->run->dist.n_devices, sizeof *devices);
  bool *sums = xcalloc(m->n_axes + 1, sizeof *sums);
  for (uint32_t k = 0; k < o->layout.n_partial; k++) sums[o->layout.partial[k]] = true;
  block_coordinate(m, p->device, at);
  q.n_devices = block_addends(m, at, sums, devices);
  q.devices = devices;
  Certified result = settle(c, &q, a, out, why);
  free(at);
  free(devices);
  free(sums);
  return result;
}

bool certify_nan(Certifier *c, const Related *o, const Comparison *in, Arena *a, Difference *out) {
  const char *why;
  out->kept = in->n_kept;
  return certify_element(c, o, in, &in->lacking, a, out, &why) == CERTIFIED_DIFFERENT;
}

Certified certify(Certifier *c, const Related *o, const Comparison *in, Arena *a, Difference *out, const char **why) {
  Certified result = CERTIFIED_EQUAL;
  for (out->kept = 0; out->kept < in->n_kept; out->kept++) {
    const char *reason = NULL;
    Certified v = certify_element(c, o, in, &in->kept[out->kept], a, out, &reason);
    if (v == CERTIFIED_DIFFERENT) return c->refuted = true, v;
    if (v == CERTIFIED_UNKNOWN) result = v, *why = reason;
  }
  return result;
}
