/* lemma_check: see lemma_check.h. */
#include "eval/lemma/lemma_check.h"

#include <string.h>

#include "eval/lemma/allsizes.h"
#include "eval/lemma/breaker.h"
#include "eval/lemma/condition.h"
#include "eval/lemma/smt.h"
#include "lang/base/clock.h"

enum { SMALL_PROOFS = 4, SMT_SHAPES = 16, SMT_COST = 24, USES = 1 << 24 /* names of shapes of uses begin here */ };

const char *lemma_status_text(LemmaStatus s) {
  static const char *const text[] = {"normal", "derived", "proved", "axiom", "tested", "false", "wrong"};
  return text[s];
}

const char *lemma_standing(const LemmaReport *r, Arena *a) {
  if (r->status == LEMMA_AXIOM) return "an axiom";
  const char *text = lemma_status_text(r->status);
  bool some = r->status <= LEMMA_PROVED && !r->all_sizes;
  if (some) text = arena_printf(a, "%s at the sizes that were tried, not for all", text);
  return r->conditions ? arena_printf(a, "%s, where %s", text, r->conditions) : text;
}

LemmaOptions lemma_defaults(void) {
  LemmaOptions o = {.check = check_defaults(), .solver = {5, 1000}};
  o.check.evaluate = false;
  o.check.prove.seconds = 1;
  o.check.prove.attempt_seconds = 5;
  return o;
}

/* One lemma on its way. */
typedef struct Proving {
  const AstItem *item;
  Library *library;
  const LemmaOptions *o;
  Arena *a;
  Diags *diags;
  Shapes shapes;
  uint32_t number;
  LemmaKnown *known;
  bool some_sizes; /* it rests on a lemma that is proved at some sizes */
  bool one_use;    /* only the sizes of one use are asked for */
  Vec(const AstItem *) untrue; /* lemmas before it that cannot be used */
  LemmaReport r;
} Proving;

static const char *copy(Arena *a, const char *s) { return s ? arena_printf(a, "%s", s) : NULL; }

static bool is_untrue(const Proving *p, const AstItem *item, Sym name) {
  for (size_t i = 0; i < p->untrue.len; i++)
    if (item ? p->untrue.at[i] == item : p->untrue.at[i]->name == name) return true;
  return false;
}

/* The lemmas that come before this one: a lemma is never its own reason, nor is what is not true. */
static Rewrites before(const Proving *p, const Rewrites *all) {
  Rewrite *at = ARENA_ARRAY(p->a, Rewrite, all->n + 1);
  Rewrites r = {0, at};
  for (uint32_t i = 0; i < all->n && all->at[i].lemma != p->item->name; i++)
    if (!is_untrue(p, NULL, all->at[i].lemma)) at[r.n++] = all->at[i];
  return r;
}

static Equations equations_before(const Proving *p, const Equations *all) {
  const AstItem *item = p->item;
  Equations r = *all;
  r.n = 0;
  while (r.n < all->n && all->at[r.n].lemma.item != item) r.n++;
  uint32_t from = r.n; /* of the same file: each costs a search at every part of a value */
  while (from && all->at[from - 1].lemma.item->span.source == item->span.source) from--;
  Equation *at = ARENA_ARRAY(p->a, Equation, r.n - from + 1);
  uint32_t n = 0;
  for (uint32_t i = from; i < r.n; i++)
    if (!is_untrue(p, r.at[i].lemma.item, 0)) at[n++] = r.at[i];
  r.at = at;
  r.n = n;
  return r;
}

static void add_condition(Proving *p, const char *text) {
  LemmaReport *r = &p->r;
  if (r->conditions && strstr(r->conditions, text)) return;
  r->conditions = r->conditions ? arena_printf(p->a, "%s, %s", r->conditions, text) : copy(p->a, text);
}

/* What a proof by the engine says. */
static LemmaStatus take_proof(Proving *p, const CheckReport *c) {
  const Proof *proof = c->searched ? c->searched : c->proof;
  for (uint32_t i = 0; i < c->n_assumptions; i++) {
    if (strstr(c->assumptions[i], "tactic")) continue; /* `how` says it */
    if (!proof->lemmas || !strstr(proof->lemmas, c->assumptions[i])) add_condition(p, c->assumptions[i]);
  }
  if (!p->r.how) p->r.how = copy(p->a, proof->lemmas ? proof->lemmas : proof->tactic);
  return proof->tactic || proof->lemmas ? LEMMA_DERIVED : LEMMA_NORMAL;
}

static void take_open(Proving *p, const CheckReport *c, const Shape *at, const Graph *g) {
  if (p->r.shape) return;
  p->r.shape = shape_text(&p->shapes, at, g, p->a);
  const ProofOutput *o = &c->proof->outputs[0];
  if (!o->comparable) return;
  p->r.want = value_print(c->proof->calc, o->want, 6, false, 20000, p->a, NULL, NULL);
  p->r.have = value_print(c->proof->calc, o->got, 6, false, 20000, p->a, NULL, NULL);
}

/* A lemma that is not proved for all sizes, at those at which the proof uses it. */
static bool holds_at_uses(Proving *p, const AstItem *lemma, const EquationUses *uses) {
  const char *where = NULL;
  bool used = false;
  for (size_t i = 0; i < uses->len; i++) {
    if (uses->at[i].lemma != lemma) continue;
    used = true;
    if (!lemma_holds_at(&uses->at[i], p->library, p->o, p->a, p->diags, &where)) return false;
  }
  if (where) add_condition(p, where);
  return used;
}

/* false: a lemma that the proof names is not proved itself; one that is not true is not used again. */
static bool lemmas_hold(Proving *p, const char *named, const EquationUses *uses) {
  LemmaOptions o = *p->o;
  o.known = p->known;
  uint32_t n;
  const AstItem *const *lemmas = library_lemmas(p->library, &n);
  for (uint32_t i = 0; i < n; i++) {
    const AstItem *item = lemmas[i];
    if (item == p->item || library_is_axiom(p->library, item)) continue;
    if (!strstr(named, arena_printf(p->a, "lemma %s:", sym_text(item->name)))) continue;
    LemmaReport l = lemma_check(item, p->library, &o, p->a, p->diags);
    if (l.conditions) add_condition(p, l.conditions);
    p->some_sizes |= !l.all_sizes;
    if (l.status <= LEMMA_AXIOM && (l.all_sizes || !p->one_use || holds_at_uses(p, item, uses))) continue;
    if (l.status >= LEMMA_FALSE) vec_push(&p->untrue, item);
    else p->r.why = arena_printf(p->a, "it rests on lemma %s, which is %s", sym_text(l.name), lemma_status_text(l.status));
    return false;
  }
  return true;
}

/* Both sides at a shape, made ready. */
typedef struct Sides {
  Graph *left, *right;
  Pair pair;
  bool ok;
} Sides;

static void sides_make(Proving *p, const Shape *at, Sides *s) {
  Lemma l = shape_lemma(&p->shapes, at, p->number++, p->a);
  library_add(p->library, l.sides);
  *s = (Sides){.left = shape_graph(&p->shapes, at, &l, &l.left, 1),
               .right = shape_graph(&p->shapes, at, &l, &l.right, 1)};
  if (s->left && s->right)
    s->ok = pair_make(&s->pair, p->library, s->left, s->right, breaker_identity(s->left, p->a), p->diags);
}

static void sides_free(Sides *s) {
  pair_free(&s->pair);
  graph_free(s->left);
  graph_free(s->right);
}

/* LEMMA_NORMAL, LEMMA_DERIVED, or LEMMA_TESTED. */
static LemmaStatus by_engine(Proving *p, const Shape *at, bool tactics) {
  Sides s;
  LemmaStatus status = LEMMA_WRONG;
  LemmaReport known = p->r;
  bool again = false;
  sides_make(p, at, &s);
  if (s.ok) {
    Rewrites earlier = before(p, s.pair.problem.rewrites);
    s.pair.problem.rewrites = &earlier;
    Equations same_file = equations_before(p, s.pair.problem.equations);
    s.pair.problem.equations = &same_file;
    CheckOptions o = p->o->check;
    o.tactics = tactics;
    CheckReport *c = check_run(&s.pair.problem, &o);
    status = c->verdict == VERDICT_VERIFIED ? take_proof(p, c) : LEMMA_TESTED;
    if (status == LEMMA_TESTED) take_open(p, c, at, s.left);
    const char *named = status == LEMMA_DERIVED ? (c->searched ? c->searched : c->proof)->lemmas : NULL;
    size_t untrue = p->untrue.len;
    if (named && !lemmas_hold(p, named, &s.pair.uses)) status = LEMMA_TESTED;
    again = p->untrue.len > untrue;
    check_report_free(c);
  }
  sides_free(&s);
  if (!again) return status;
  p->r = known;
  return by_engine(p, at, tactics);
}

/* LEMMA_PROVED or LEMMA_TESTED. */
static LemmaStatus by_solver(Proving *p, const Shape *at) {
  Sides s;
  sides_make(p, at, &s);
  LemmaStatus status = s.ok ? LEMMA_TESTED : LEMMA_WRONG;
  Arena scratch = {0};
  Smt smt = {.why = "it does not fit together"};
  if (s.ok)
    smt = smt_of(s.left, s.pair.problem.instance[SIDE_SEQ], s.right, s.pair.problem.instance[SIDE_DIST], &scratch);
  const char *why = smt.why, *answer = "";
  if (!smt.text || smt.n_questions) answer = smt.text ? solver_ask(smt.text, p->o->solver, &scratch, &why) : NULL;
  bool differ = false, undefined = false;
  uint32_t n = 0;
  for (const char *line = answer; line && *line && n < smt.n_questions; n++) {
    bool proved = !strncmp(line, "unsat", 5);
    if (!proved && !smt.defined[n]) differ = true;
    if (!proved && smt.defined[n]) undefined = true;
    if (!proved) why = !strncmp(line, "sat", 3) ? "Z3 finds values of what it takes for unknown" : "Z3 does not know";
    const char *end = strchr(line, '\n');
    line = end ? end + 1 : NULL;
  }
  if (answer && n == smt.n_questions && !differ) {
    status = LEMMA_PROVED;
    if (undefined) add_condition(p, "both sides have a value");
    if (smt.axioms) p->r.how = copy(p->a, smt.axioms);
  }
  if (status == LEMMA_TESTED && !p->r.why) p->r.why = copy(p->a, why ? why : "no answer");
  arena_free(&scratch);
  sides_free(&s);
  return status;
}

static uint32_t add_shape(const Shape *at, const Shape **out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    if (out[i] == at) return n;
  out[n] = at;
  return n + 1;
}

/* The shapes of proofs by the engine: those beyond the small ones that are not empty, the largest small ones, the
 * smallest; only where there are none, empty ones. */
static uint32_t engine_shapes(const Proving *p, const Broken *b, const Shape **out) {
  const Shapes *s = &p->shapes;
  uint32_t n = 0;
  for (uint32_t i = s->n_small; i < s->n; i++)
    if (b->allowed[i] && !s->at[i].empty) n = add_shape(&s->at[i], out, n);
  uint32_t enough = n < 3 ? n + 2 * SMALL_PROOFS : n + 2;
  for (uint32_t i = s->n_small; i-- > 0 && n < enough;)
    if (b->allowed[i]) n = add_shape(&s->at[i], out, n);
  for (uint32_t i = 0; i < s->n_small; i++)
    if (b->allowed[i]) return add_shape(&s->at[i], out, n);
  for (uint32_t i = s->n_small; i < s->n && n < SMALL_PROOFS; i++)
    if (b->allowed[i]) n = add_shape(&s->at[i], out, n);
  return n;
}

/* Some size or attribute is one that it has at no shape before. */
static bool is_other(const Shapes *s, const Shape *at, const Shape *const *out, uint32_t n) {
  bool other = false;
  for (uint32_t k = 0; k < s->n_names && !other; k++) {
    other = true;
    for (uint32_t i = 0; i < n && other; i++) other = out[i]->size[k] != at->size[k];
  }
  return other;
}

/* Small ones that Z3 can be expected to answer, of different cost, the largest first, and those at which some name has
 * another size. */
static uint32_t solver_shapes(Proving *p, const Broken *b, const Shape **out) {
  const Shapes *s = &p->shapes;
  uint32_t n = 0, last = SMT_COST + 1;
  for (uint32_t i = s->n_small; i-- > 0 && n < SMT_SHAPES;) {
    if (!b->allowed[i] || s->at[i].cost > SMT_COST || (s->at[i].cost >= last && !is_other(s, &s->at[i], out, n))) continue;
    n = add_shape(&s->at[i], out, n);
    if (s->at[i].cost < last) last = s->at[i].cost * 2 / 3 + 1;
  }
  return n;
}

static void prove_by_engine(Proving *p, const Broken *b) {
  const Shape **at = ARENA_ARRAY(p->a, const Shape *, p->shapes.n + 1);
  LemmaReport *r = &p->r;
  uint32_t n = engine_shapes(p, b, at);
  r->proved = 0;
  r->status = n ? LEMMA_NORMAL : LEMMA_TESTED;
  for (uint32_t i = 0; i < n && r->status <= LEMMA_DERIVED; i++) {
    LemmaStatus s = by_engine(p, at[i], false);
    if (s == LEMMA_TESTED) s = by_engine(p, at[i], true);
    if (s > r->status) r->status = s;
    r->proved += s <= LEMMA_DERIVED;
  }
}

static void prove_by_solver(Proving *p, const Broken *b) {
  const Shape **at = ARENA_ARRAY(p->a, const Shape *, p->shapes.n + 1);
  LemmaReport *r = &p->r;
  uint32_t n = solver_shapes(p, b, at);
  r->proved = 0;
  r->how = r->conditions = NULL;
  r->status = n ? LEMMA_PROVED : LEMMA_TESTED;
  for (uint32_t i = n; i-- > 0 && r->status == LEMMA_PROVED;) {
    LemmaStatus s = by_solver(p, at[i]);
    if (s > r->status) r->status = s;
    r->proved += s == LEMMA_PROVED;
  }
}

static void prove_at_all_sizes(Proving *p) {
  uint32_t assumptions = 0;
  p->r.all_sizes = allsizes_prove(&p->shapes, p->library, p->o->solver, p->a, &assumptions);
  if (assumptions & OPEN_NONZERO) add_condition(p, "denominators are not zero");
  if (assumptions & OPEN_ROOTS) add_condition(p, "what is under an even root is not negative");
  if (assumptions & OPEN_NONEMPTY) add_condition(p, "no maximum is over nothing");
}

/* What is proved is proved by the normal forms first; their own laws are proved by Z3 alone, which knows none of them.
 */
static void prove(Proving *p, const Broken *b) {
  LemmaReport *r = &p->r;
  r->status = LEMMA_TESTED;
  if (library_is_axiom(p->library, p->item)) {
    r->status = LEMMA_AXIOM;
    return;
  }
  if (!library_is_law(p->library, p->item)) prove_by_engine(p, b);
  if (r->status == LEMMA_TESTED && p->o->solver.seconds > 0) prove_by_solver(p, b);
  bool some = r->status == LEMMA_TESTED || (r->status == LEMMA_DERIVED && p->some_sizes);
  if (!p->shapes.n_names) r->all_sizes = some ? NULL : "";
  else if (p->o->solver.seconds > 0) prove_at_all_sizes(p);
  if (r->status == LEMMA_TESTED && r->all_sizes) { /* of sides without a value it says nothing */
    r->status = LEMMA_PROVED;
    r->why = NULL;
    add_condition(p, "both sides have a value");
  }
  if (!p->shapes.n_names || !p->shapes.more || r->all_sizes || r->status == LEMMA_TESTED) return;
  r->status = LEMMA_TESTED;
  r->why = "by its numbers it may change at sizes that were not tried";
}

static void take_counterexample(Proving *p, const Broken *b) {
  LemmaReport *r = &p->r;
  r->status = LEMMA_FALSE;
  r->shape = b->example.shape_text;
  r->left = b->example.left;
  r->right = b->example.right;
  r->at = b->example.at;
  r->inputs_text = b->example.inputs;
  r->missing = condition_missing(p->item, p->library, &p->number, p->a, p->diags);
}

static void check(Proving *p) {
  LemmaReport *r = &p->r;
  if (!shapes_of(&p->shapes, p->item, p->a)) {
    diag_error(p->diags, p->item->name_span, E_LIMIT, "a lemma has at most %d indices and attributes", SHAPE_NAMES);
    return;
  }
  Broken b = breaker_run(&p->shapes, p->library, &p->number, p->a, p->diags);
  r->shapes = b.shapes;
  r->inputs = b.met;
  if (b.wrong) return;
  if (b.found) {
    take_counterexample(p, &b);
  } else if (!b.met) {
    diag_error(p->diags, p->item->lemma.when ? p->item->lemma.when->span : p->item->name_span, E_LEMMA,
               "no shape and no input that was tried meets the condition");
  } else {
    prove(p, &b);
  }
}

LemmaReport lemma_check(const AstItem *item, Library *library, const LemmaOptions *o, Arena *a, Diags *diags) {
  double start = clock_passed();
  LemmaKnown own = {0}, *known = o->known ? o->known : &own;
  for (size_t i = 0; i < known->len; i++)
    if (known->at[i].item == item) return known->at[i];
  size_t at = known->len;
  vec_push(known, ((LemmaReport){.item = item, .name = item->name, .status = LEMMA_TESTED})); /* not its own reason */
  Proving p = {.item = item, .library = library, .o = o, .a = a, .diags = diags, .known = known};
  p.r = (LemmaReport){.item = item, .name = item->name, .status = LEMMA_WRONG};
  check(&p);
  p.r.seconds = clock_passed() - start;
  known->at[at] = p.r;
  vec_free(&own);
  vec_free(&p.untrue);
  return p.r;
}

bool lemma_holds_at(const EquationUse *use, Library *library, const LemmaOptions *o, Arena *a, Diags *diags,
                    const char **where) {
  Proving p = {.item = use->lemma, .library = library, .o = o, .a = a, .diags = diags, .one_use = true};
  LemmaKnown own = {0};
  size_t before = diags_count(diags);
  p.known = o->known ? o->known : &own;
  p.number = USES;
  LemmaStatus s = LEMMA_TESTED;
  if (shapes_of(&p.shapes, use->lemma, a)) {
    Shape at = shape_of_use(&p.shapes, use);
    s = by_engine(&p, &at, false);
    if (s == LEMMA_TESTED) s = by_engine(&p, &at, true);
    if (s == LEMMA_TESTED && o->solver.seconds > 0 && at.cost <= SMT_COST) s = by_solver(&p, &at);
  }
  if (p.r.conditions) *where = *where ? arena_printf(a, "%s, %s", *where, p.r.conditions) : p.r.conditions;
  vec_free(&own);
  vec_free(&p.untrue);
  diags_forget(diags, before);
  return s <= LEMMA_PROVED;
}
