#include "eval/prove/prove.h"

#include "eval/calculus/pieces.h"
#include "eval/exact/order.h"
#include "eval/prove/equation.h"
#include "eval/prove/seal.h"
#include "lang/base/clock.h"

#include <string.h>

enum {
  MAX_COORDINATES = 600, /* at which an output is compared */
  SMALL = 700,
  TACTIC_NODES = 1200, /* of both graphs */
  CASES_NODES = 4000,
  MAX_SPLIT = 8,
  MAX_SORTS = 32,
  MAX_DEVICES = 16, /* that cases are written out for */
  SENT_STEPS = 20, /* for every node and device: pipelines take five to ten */
  SINGLES = 6,
  PAIRED = 5,
  EXPAND = 32,
  PIECES = 20000 /* parts of terms looked at for cases of an argument */
};

/* What one attempt does beyond normal forms. */
typedef struct Tactic {
  uint32_t expand;
  const Sort *split;
  uint32_t n_split;
  bool cases; /* what runs over an index by which cases are told is written out, too */
  bool orders; /* what is put in order is by rank */
  bool outside; /* one-hot factors substitute what may leave the range */
  bool written; /* sums over few values are written out where values are compared; as with `expand` */
  bool fractions; /* values are compared as fractions of polynomials, too */
  bool rows;    /* functions of what is looked up are looked up */
  const Rewrite *const *rewrites; /* lemmas to read functions by */
  uint32_t n_rewrites;
  const bool *const *sealed; /* by side and node (seal.h), or NULL */
} Tactic;

/* Names among those of both values for which `keep` holds. */
typedef bool KeepName(const Proof *p, const Tactic *t, Value v, Name n);

static bool keep_mesh(const Proof *p, const Tactic *t, Value v, Name n) {
  (void)t, (void)v;
  return calculus_name_info(p->calc, n)->kind == NAME_MESH;
}

static bool keep_split(const Proof *p, const Tactic *t, Value v, Name n) {
  const NameInfo *i = calculus_name_info(p->calc, n);
  Sort s = value_sort_of(p->calc, v, n), m = i->kind == NAME_MESH ? digits_mesh_sort(p->digits, i->a) + 1 : 0;
  for (uint32_t k = 0; k < t->n_split; k++)
    if (t->split[k] == s || t->split[k] == m) return true;
  return t->cases && value_selects(p->calc, v, n);
}

static uint32_t names_kept(const Proof *p, const Tactic *t, KeepName *keep, Value a, Value b, Name *out, uint32_t cap) {
  uint32_t n = 0;
  Value both[2] = {a, b};
  for (int s = 0; s < 2; s++) {
    const Name *names;
    uint32_t m = value_names(p->calc, both[s], &names);
    for (uint32_t i = 0; i < m; i++) {
      if (name_is_const(names[i]) || !keep(p, t, both[s], names[i])) continue;
      bool seen = false;
      for (uint32_t j = 0; j < n; j++) seen |= out[j] == names[i];
      if (!seen && n < cap) out[n++] = names[i];
    }
  }
  return n;
}

/* Equal at every value of these names (by pieces, if splits is not 0). */
static bool equal_at(Proof *p, const Name *names, uint32_t n, Value a, Value b, uint32_t splits, uint32_t *left) {
  if (value_same(a, b)) return true;
  if (!*left || calculus_exhausted(p->calc)) return false;
  --*left;
  while (n && !value_has(p->calc, a, *names) && !value_has(p->calc, b, *names)) names++, n--;
  if (!n) return splits && calc_equal(p->calc, a, b, splits);
  int64_t size = calculus_name_info(p->calc, *names)->size;
  bool equal = size <= *left;
  for (int64_t k = 0; k < size && equal; k++) {
    Subst s = {1, {{*names, name_const(k)}}};
    Value at_a = calc_rename(p->calc, a, &s), at_b = calc_rename(p->calc, b, &s);
    equal = equal_at(p, names + 1, n - 1, at_a, at_b, splits, left);
  }
  return equal;
}

static bool outputs_equal(Proof *p, const Tactic *t, const ProveOptions *o, Value want, Value got) {
  if (value_same(want, got)) return true;
  Name names[64];
  uint32_t left = MAX_COORDINATES;
  bool flat = p->problem.n_flat > 0;
  if (flat || cut_nodes(p->problem.graph) < SMALL) {
    uint32_t n = flat ? names_kept(p, t, keep_mesh, want, got, names, 64) : 0;
    if (equal_at(p, names, n, want, got, o->splits, &left)) return true;
  }
  if (!t->n_split && !t->cases) return false;
  uint32_t n = names_kept(p, t, keep_split, want, got, names, 64);
  left = MAX_COORDINATES;
  return n && equal_at(p, names, n, want, got, 0, &left);
}

static Value rewrite(void *context, Calculus *c, const Value *args, uint32_t n) {
  const Rewrite *r = context;
  assert(n == r->n_params);
  (void)n;
  return lemma_apply(c, r, args);
}

/* Each once. */
static const char *both_lemmas(const char *x, const char *y, Arena *a) {
  if (!x || !y) return x ? x : y;
  for (const char *end; *y; y = *end ? end + 2 : end) {
    end = strstr(y, "; ");
    if (!end) end = y + strlen(y);
    const char *one = arena_printf(a, "%.*s", (int)(end - y), y);
    if (!strstr(x, one)) x = arena_printf(a, "%s; %s", x, one);
  }
  return x;
}

static void rest_on(Proof *p, const Ground *g) {
  calculus_assume(p->calc, g->assumed);
  for (uint32_t i = 0; i < g->n_readings; i++) build_note_reading(&p->build, g->readings[i]);
  p->lemmas = both_lemmas(p->lemmas, g->lemmas, &p->arena);
}

void ground_add(Ground *g, const Proof *p, Arena *a) {
  g->assumed |= calculus_assumptions(p->calc);
  Reading *all = ARENA_ARRAY(a, Reading, g->n_readings + p->build.readings.len + 1);
  if (g->n_readings) memcpy(all, g->readings, g->n_readings * sizeof *all);
  for (size_t i = 0; i < p->build.readings.len; i++) all[g->n_readings++] = p->build.readings.at[i];
  g->readings = all;
  if (p->lemmas) g->lemmas = both_lemmas(g->lemmas, arena_printf(a, "%s", p->lemmas), a);
}

/* An output that is, as the relation has it, a value on the way. */
static bool on_the_way(const Problem *p, const Related *o) {
  const Waypoints *w = p->waypoints;
  NodeId seq = p->graph[SIDE_SEQ]->outputs.at[o->seq].node, dist = p->graph[SIDE_DIST]->outputs.at[o->dist].node;
  bool is = false;
  for (uint32_t i = 0; w && i < w->n && !is; i++)
    is = w->at[i].seq == seq && w->at[i].dist == dist && w->at[i].factor == related_factor(o) &&
         layout_same(&w->at[i].layout, &o->layout);
  return is;
}

/* An output that has no elements, in which nothing can differ. */
static bool is_empty(const Problem *p, const Related *o) {
  const Graph *seq = p->graph[SIDE_SEQ], *dist = p->graph[SIDE_DIST];
  return !node_elements(&seq->nodes.at[seq->outputs.at[o->seq].node]) &&
         !node_elements(&dist->nodes.at[dist->outputs.at[o->dist].node]);
}

static Proof *attempt(const Problem *problem, const DimAt *flat, size_t n_flat, const Tactic *t, const ProveOptions *o,
                      double seconds) {
  Proof *p = xcalloc(1, sizeof *p);
  p->problem = *problem;
  p->problem.flat = arena_copy(&p->arena, flat, n_flat * sizeof *flat);
  p->problem.n_flat = n_flat;
  p->digits = digits_infer(&p->problem, t->cases ? DIGITS_APART : DIGITS_JOINED);
  p->calc = calculus_new();
  bool plain = !t->cases && !t->n_split && !t->n_rewrites && !t->sealed; /* others come with `expand`, too */
  calculus_set(p->calc, &(CalculusOptions){.expand = t->expand,
                                           .cases = t->cases,
                                           .orders = t->orders,
                                           .outside = t->outside,
                                           .rows = t->rows,
                                           .spread = plain || t->expand,
                                           .written = t->written || t->expand,
                                           .fractions = t->fractions,
                                           .flat = n_flat > 0 || digits_any_crossed(p->digits),
                                           .max_seconds = seconds,
                                           .max_steps = o->max_steps,
                                           .max_bytes = o->attempt_bytes});
  calculus_expect(p->calc, cut_nodes(problem->graph));
  if (t->n_split) calculus_split(p->calc, t->split, t->n_split);
  for (uint32_t i = 0; i < t->n_rewrites; i++)
    calculus_rewrite(p->calc, t->rewrites[i]->fn, rewrite, (void *)t->rewrites[i]);
  p->build = (Build){.problem = &p->problem,
                     .digits = p->digits,
                     .calc = p->calc,
                     .options = {.literals = o->literals, .forms = t->cases, .orders = t->orders, .hasty = o->hasty}};
  if (problem->ground) rest_on(p, problem->ground);
  for (int side = 0; side < SIDE_COUNT && t->sealed; side++)
    p->build.sealed[side] = arena_copy(&p->arena, t->sealed[side], problem->graph[side]->nodes.len * sizeof(bool));
  bool complete;
  bool *written = ARENA_ARRAY(&p->arena, bool, meshdigits_count(digits_mesh(p->digits)) + 1);
  for (uint32_t i = 0; i < meshdigits_count(digits_mesh(p->digits)); i++)
    for (uint32_t k = 0; k < t->n_split; k++)
      if (t->split[k] == digits_mesh_sort(p->digits, i) + 1) written[i] = true, p->build.written = written;
  build_run(&p->build, &complete);
  p->n_outputs = problem->relation->n_outputs;
  p->outputs = ARENA_ARRAY(&p->arena, ProofOutput, p->n_outputs);
  for (uint32_t k = 0; k < p->n_outputs && complete; k++) {
    ProofOutput *out = &p->outputs[k];
    const Related *relates = &problem->relation->outputs[k];
    if (on_the_way(problem, relates) || is_empty(problem, relates))
      *out = (ProofOutput){.comparable = true, .proved = true, .want = VALUE_ONE, .got = VALUE_ONE};
    else if ((out->comparable = build_output(&p->build, k, &out->want, &out->got)))
      out->proved = outputs_equal(p, t, o, out->want, out->got);
    p->n_proved += out->proved;
  }
  if (calculus_broken(p->calc)) { /* a term too deep for the stack: nothing of this attempt counts */
    for (uint32_t k = 0; k < p->n_outputs; k++) p->outputs[k] = (ProofOutput){0};
    p->n_proved = 0;
  }
  p->limited = !complete || calculus_exhausted(p->calc);
  p->full = calculus_full(p->calc);
  return p;
}

void proof_free(Proof *p) {
  if (!p) return;
  build_free(&p->build);
  calculus_free(p->calc);
  digits_free(p->digits);
  arena_free(&p->arena);
  free(p);
}

/* Dimensions asked for that were not flat yet; appended to `flat`. */
typedef Vec(DimAt) DimList;

static bool new_asks(const Proof *p, DimList *flat) {
  size_t had = flat->len;
  for (size_t i = 0; i < p->build.asks.len; i++) {
    DimAt a = p->build.asks.at[i];
    if (digits_dim(p->digits, a.side, a.node, a.dim).flat) continue;
    bool seen = false;
    for (size_t j = 0; j < flat->len && !seen; j++) seen = !memcmp(&flat->at[j], &a, sizeof a);
    if (!seen) vec_push(flat, a);
  }
  return flat->len > had;
}

bool prove_can_go_on(const Proof *p) {
  DimList asked = {0};
  bool more = new_asks(p, &asked) || cut_nodes(p->problem.graph) <= CASES_NODES;
  vec_free(&asked);
  return more;
}

Proof *prove_direct(const Problem *problem, const ProveOptions *o) {
  DimList flat = {0};
  Proof *p = attempt(problem, NULL, 0, &(Tactic){0}, o, o->attempt_seconds);
  uint32_t rounds = 1;
  while (!proof_complete(p) && rounds < o->rounds && !p->limited && new_asks(p, &flat)) {
    Proof *q = attempt(problem, flat.at, flat.len, &(Tactic){0}, o, o->attempt_seconds);
    rounds++;
    proof_free(p); /* flat rounds build on each other: the latest has what the operators need */
    p = q;
  }
  p->rounds = p->attempts = rounds;
  if (p->problem.n_flat) p->tactic = "flat dimensions";
  vec_free(&flat);
  return p;
}

/* ------------------------------------------------------------------ tactics */
typedef struct Candidate {
  Sort sorts[MAX_SORTS]; /* to write out */
  uint32_t n, count;
  bool cases; /* and whatever tells cases; then `more` says that an attempt found other sorts to write out */
  bool more;
  bool orders; /* or values by rank */
  bool outside; /* or one-hot factors that may leave the range of an index */
  bool written; /* or sums over few values where values are compared */
  bool fractions; /* or fractions of polynomials there */
  bool rows;    /* or functions of what is looked up */
  const Rewrite *const *rewrites; /* or lemmas to use */
  uint32_t n_rewrites;
  const char *text;
} Candidate;

static bool permutes(const Graph *g) {
  for (size_t i = 0; i < g->nodes.len; i++)
    for (uint32_t k = 0; k < g->nodes.at[i].n_attrs; k++)
      if (g->nodes.at[i].attrs[k].kind == ATTR_PAIRS) return true;
  return false;
}

static bool uses(const Problem *p, Sym fn) {
  for (int side = 0; side < SIDE_COUNT; side++)
    for (NodeId id = 0; id < p->graph[side]->nodes.len; id++) {
      const Instance *in = p->instance[side][id];
      for (uint32_t i = 0; in && i < in->n_x; i++)
        if (in->x[i].kind == X_FN && in->x[i].name == fn) return true;
    }
  return false;
}

/* Lemmas about functions that the programs have: all together, then each by itself. */
static uint32_t lemma_candidates(const Problem *p, Candidate *out, uint32_t cap, Arena *a) {
  uint32_t n = 0, m = 0;
  const Rewrite **all = ARENA_ARRAY(a, const Rewrite *, cap);
  for (uint32_t i = 0; p->rewrites && i < p->rewrites->n && n + 1 < cap; i++)
    if (uses(p, p->rewrites->at[i].fn)) all[n++] = &p->rewrites->at[i];
  if (n > 1) out[m++] = (Candidate){.rewrites = all, .n_rewrites = n, .text = "functions read as others"};
  for (uint32_t i = 0; i < n; i++) out[m++] = (Candidate){.rewrites = &all[i], .n_rewrites = 1, .text = all[i]->text};
  return m;
}

/* Mesh axes (if values are permuted along some), then sorts of literal constants below outputs that do not meet, most
 * frequent first. */
static uint32_t candidates(const Proof *p, Candidate *out, uint32_t cap, Arena *a) {
  uint32_t n = 0;
  const Mesh *mesh = &p->problem.relation->mesh;
  for (uint32_t x = 0; x < mesh->n_axes && permutes(p->problem.graph[SIDE_DIST]) && n < cap; x++) {
    uint32_t first, m = meshdigits_axis(digits_mesh(p->digits), x, &first);
    if (!m || m > 16) continue;
    out[n] = (Candidate){.n = m, .text = arena_printf(a, "axis %s written out", sym_text(mesh->axes[x].name))};
    for (uint32_t j = 0; j < m; j++) out[n].sorts[j] = digits_mesh_sort(p->digits, first + j) + 1;
    n++;
  }
  uint32_t from = n;
  for (uint32_t k = 0; k < p->n_outputs; k++) {
    if (p->outputs[k].proved || !p->outputs[k].comparable) continue;
    for (int side = 0; side < 2; side++) {
      LitSort lits[64];
      uint32_t m = value_literal_sorts(p->calc, side ? p->outputs[k].got : p->outputs[k].want, lits, 64);
      for (uint32_t i = 0; i < m; i++) {
        if (lits[i].size > MAX_SPLIT || lits[i].size < 2) continue;
        uint32_t j = 0;
        while (j < n && !(out[j].n && out[j].sorts[0] == lits[i].sort)) j++;
        if (j < n)
          out[j].count++;
        else if (n < cap)
          out[n++] = (Candidate){
              .sorts = {lits[i].sort},
              .n = 1,
              .count = 1,
              .text = arena_printf(a, "an index of size %lld written out", (long long)lits[i].size)};
      }
    }
  }
  for (uint32_t i = from + 1; i < n; i++)
    for (uint32_t j = i; j > from && out[j].count > out[j - 1].count; j--) {
      Candidate t = out[j];
      out[j] = out[j - 1];
      out[j - 1] = t;
    }
  return n;
}

typedef struct Search {
  Proof **best;
  const ProveOptions *options;
  DimList flat; /* of the proof that the search began with */
  const bool *const *sealed; /* in every attempt; NULL: nothing is */
  double until;
  uint32_t attempts;
  bool last; /* nothing follows */
  bool limited; /* an attempt that distributes products stopped early */
} Search;

static void add_sort(Candidate *c, Sort s) {
  bool known = c->n == MAX_SORTS;
  for (uint32_t j = 0; j < c->n && !known; j++) known = c->sorts[j] == s;
  if (!known) c->sorts[c->n++] = s;
}

static bool puts_in_order(const Graph *g) {
  uint32_t along;
  for (size_t i = 0; i < g->nodes.len; i++)
    if (order_along(g, &g->nodes.at[i], &along)) return true;
  return false;
}

/* The sorts of literals below outputs that are open, besides those there are.  false: none is new. */
static bool add_literals(const Proof *p, Candidate *c) {
  uint32_t had = c->n;
  for (uint32_t k = 0; k < 2 * p->n_outputs; k++) {
    const ProofOutput *out = &p->outputs[k / 2];
    if (out->proved || !out->comparable) continue;
    LitSort lits[64];
    uint32_t m = value_literal_sorts(p->calc, k % 2 ? out->got : out->want, lits, 64);
    for (uint32_t i = 0; i < m; i++)
      if (lits[i].sort && lits[i].size <= MAX_SPLIT) add_sort(c, lits[i].sort);
  }
  return c->n > had;
}

/* Some output that the other does not. */
static bool proves_more(const Proof *p, const Proof *other) {
  bool more = false;
  for (uint32_t k = 0; k < p->n_outputs; k++) more |= p->outputs[k].proved && !other->outputs[k].proved;
  return more;
}

Proof *proof_join(Proof *a, Proof *b) {
  Proof *keep = b->n_proved > a->n_proved ? b : a, *other = keep == a ? b : a;
  Arena scratch = {0};
  Ground g = {0};
  if (proves_more(other, keep)) {
    ground_add(&g, other, &scratch);
    rest_on(keep, &g);
    if (keep->lemmas) keep->lemmas = arena_printf(&keep->arena, "%s", keep->lemmas);
  }
  arena_free(&scratch);
  if (keep == a && proves_more(b, a)) keep->tactic = b->tactic ? arena_printf(&keep->arena, "%s", b->tactic) : NULL;
  for (uint32_t k = 0; k < keep->n_outputs; k++) {
    keep->n_proved += other->outputs[k].proved && !keep->outputs[k].proved;
    keep->outputs[k].proved |= other->outputs[k].proved;
  }
  proof_free(other);
  return keep;
}

static bool try(Search *s, Candidate *a, const Candidate *b, uint32_t expand, const char *text) {
  double left = s->until - clock_spent();
  if (a) a->more = false; /* or who goes on while there is more would go on for ever */
  if (left <= 0) return false;
  Sort sorts[2 * MAX_SORTS];
  uint32_t n = 0;
  for (uint32_t i = 0; a && i < a->n; i++) sorts[n++] = a->sorts[i];
  for (uint32_t i = 0; b && i < b->n; i++) sorts[n++] = b->sorts[i];
  const Candidate *lemmas = b && b->n_rewrites ? b : a;
  bool cases = a && a->cases; /* reads at any form what the digits do not give: nothing needs to be flat */
  double limit = expand && !s->last ? left / 4 : cases ? left : left / 3; /* or those that follow have no time */
  if (limit > s->options->attempt_seconds) limit = s->options->attempt_seconds;
  Proof *old = *s->best;
  Tactic t = {expand, sorts, n, cases, a && a->orders, a && a->outside, a && a->written,
              a && a->fractions, a && a->rows, NULL, 0, s->sealed};
  if (lemmas) t.rewrites = lemmas->rewrites, t.n_rewrites = lemmas->n_rewrites;
  Proof *p = attempt(&old->problem, s->flat.at, cases ? 0 : s->flat.len, &t, s->options, limit);
  s->attempts++;
  if (cases) a->more = add_literals(p, a);
  s->limited |= expand && p->limited;
  bool more = proves_more(p, old);
  if (more) p->tactic = arena_printf(&p->arena, "%s", text);
  for (uint32_t i = 0; more && i < t.n_rewrites; i++)
    p->lemmas = both_lemmas(p->lemmas, t.rewrites[i]->text, &p->arena);
  p->rounds = old->rounds;
  bool full = old->full || p->full;
  *s->best = proof_join(old, p);
  (*s->best)->full = full;
  return proof_complete(*s->best);
}

/* The blocks of a related tensor along dimensions that are cut over the axis: all digits but the last. */
static void add_blocks(const Digits *d, Side side, NodeId node, const Layout *l, uint32_t axis, Candidate *c) {
  for (uint32_t k = 0; k < l->rank; k++) {
    DigitList list = digits_dim(d, side, node, k);
    bool cut = false;
    for (uint32_t i = 0; i < l->dims[k].n; i++) cut |= l->dims[k].axes[i] == axis;
    for (uint32_t i = 0; cut && i + 1 < list.n; i++)
      if (list.size[i] <= MAX_SPLIT) add_sort(c, list.sort[i] + 1);
  }
}

/* An axis written out, and the blocks into which it cuts what is related. */
static void add_axis(const Problem *p, const Digits *d, uint32_t axis, Candidate *c) {
  uint32_t first, n = meshdigits_axis(digits_mesh(d), axis, &first);
  for (uint32_t i = 0; i < n; i++) add_sort(c, digits_mesh_sort(d, first + i) + 1);
  const Relation *r = p->relation;
  const Graph *g = p->graph[SIDE_SEQ];
  for (uint32_t i = 0; i < r->n_inputs; i++)
    if (r->inputs[i].seq >= 0 && (size_t)r->inputs[i].seq < g->params.len &&
        g->params.at[r->inputs[i].seq] != NO_NODE)
      add_blocks(d, SIDE_SEQ, g->params.at[r->inputs[i].seq], &r->inputs[i].layout, axis, c);
  for (uint32_t i = 0; i < r->n_outputs; i++)
    add_blocks(d, SIDE_SEQ, g->outputs.at[r->outputs[i].seq].node, &r->outputs[i].layout, axis, c);
}

/* Placements that are affine piece by piece only (zig-zag blocks, tables of blocks): mesh axes are written out, and with
 * them every index by which a case is told, whatever the operators; what is left are instances that meet as they
 * are. */
static bool try_cases(Search *s, uint32_t expand, bool fractions, const char *text) {
  Problem p = (*s->best)->problem;
  p.n_flat = 0;
  Digits *d = digits_infer(&p, DIGITS_APART);
  uint32_t n_axes = p.relation->mesh.n_axes;
  bool done = false;
  for (uint32_t x = 0; x <= (n_axes > 1 ? n_axes : 0) && !done; x++) { /* all axes, then one by one */
    Candidate c = {.cases = true, .fractions = fractions};
    int64_t devices = 1;
    for (uint32_t i = 0; i < n_axes; i++) {
      if (x && i != x - 1) continue;
      devices *= p.relation->mesh.axes[i].size;
      add_axis(&p, d, i, &c);
    }
    if (devices > MAX_DEVICES || (x && devices == 1)) continue;
    do {
      done = try(s, &c, NULL, expand, text);
    } while (!done && c.more);
  }
  digits_free(d);
  return done;
}

/* The axis of the mesh along which all these pairs send, each by the same distance, or n_axes.  What a partitioner sends
 * to lay out a value in another way is no such shift. */
static uint32_t shifted_along(const Mesh *m, const Attr *pairs, int64_t *from, int64_t *to) {
  uint32_t axis = m->n_axes;
  int64_t distance = 0;
  for (uint32_t j = 0; j + 1 < pairs->n; j += 2) {
    int64_t x = pairs->ints[j], y = pairs->ints[j + 1];
    if (x < 0 || x >= m->n_devices || y < 0 || y >= m->n_devices) return m->n_axes;
    mesh_coordinate(m, x, from);
    mesh_coordinate(m, y, to);
    for (uint32_t i = 0; i < m->n_axes; i++) {
      if (from[i] == to[i]) continue;
      int64_t size = m->axes[i].size, by = (to[i] - from[i] + size) % size;
      if (axis < m->n_axes && (i != axis || by != distance)) return m->n_axes;
      axis = i, distance = by;
    }
  }
  return axis;
}

/* By axis of the mesh: values are sent along it. */
static bool sent_along(const Problem *p, bool *axes, Arena *a) {
  const Graph *g = p->graph[SIDE_DIST];
  const Mesh *m = &p->relation->mesh;
  int64_t *from = ARENA_ARRAY(a, int64_t, m->n_axes + 1), *to = ARENA_ARRAY(a, int64_t, m->n_axes + 1);
  bool any = false;
  for (size_t d = 0; d < g->nodes.len; d++)
    for (uint32_t k = 0; k < g->nodes.at[d].n_attrs; k++) {
      const Attr *pairs = &g->nodes.at[d].attrs[k];
      uint32_t axis = pairs->kind == ATTR_PAIRS ? shifted_along(m, pairs, from, to) : m->n_axes;
      if (axis < m->n_axes) axes[axis] = any = true;
    }
  return any;
}

void prove_sent(Proof **proof, const Problem *problem, const ProveOptions *o) {
  const Mesh *m = &problem->relation->mesh;
  Arena a = {0};
  bool *axes = ARENA_ARRAY(&a, bool, m->n_axes + 1);
  int64_t devices = 1;
  if (!sent_along(problem, axes, &a)) return arena_free(&a);
  Candidate c = {.cases = true};
  Digits *d = digits_infer(problem, DIGITS_APART);
  for (uint32_t x = 0; x < m->n_axes; x++) {
    if (!axes[x]) continue;
    devices *= m->axes[x].size;
    add_axis(problem, d, x, &c);
  }
  digits_free(d);
  ProveOptions own = *o;
  own.max_steps = SENT_STEPS * (uint64_t)devices * cut_nodes(problem->graph);
  if (o->max_steps && o->max_steps < own.max_steps) own.max_steps = o->max_steps;
  own.hasty = false;
  Tactic t = {.split = c.sorts, .n_split = c.n, .cases = true};
  Proof *p = devices > 1 && devices <= MAX_DEVICES ? attempt(problem, NULL, 0, &t, &own, o->attempt_seconds) : NULL;
  if (p && p->n_proved) {
    p->rounds = p->attempts = 1;
    p->tactic = "axes along which values are sent written out";
    *proof = *proof ? proof_join(*proof, p) : p;
  } else {
    proof_free(p);
  }
  arena_free(&a);
}

/* ------------------------------------------------------------------ cases of an argument */
static void use_pieces(Proof *p) {
  for (uint32_t k = 0; k < p->n_outputs; k++) {
    ProofOutput *out = &p->outputs[k];
    uint32_t budget = PIECES;
    if (out->proved || !out->comparable || !calc_equal_on_pieces(p->calc, out->want, out->got, 3, &budget)) continue;
    out->proved = true;
    p->n_proved++;
    p->tactic = "cases of an argument";
  }
}

/* ------------------------------------------------------------------ lemmas as equations */
static void used(Proof *p, uint32_t output, const char *text) {
  p->outputs[output].proved = true;
  p->n_proved++;
  if (p->lemmas && strstr(p->lemmas, text)) return;
  p->lemmas = p->lemmas ? arena_printf(&p->arena, "%s; %s", p->lemmas, text) : text;
}

/* Both values with one lemma read from left to right, from right to left or in order, and with all of them one after the
 * other. */
static void use_equations(Proof *p, const ProveOptions *o) {
  const Equations *all = p->problem.equations;
  uint32_t n = all ? all->n : 0;
  bool *says = ARENA_ARRAY(&p->arena, bool, EQUATION_N_WAYS * n + 1);
  for (uint32_t i = 0; i < EQUATION_N_WAYS * n; i++)
    says[i] = equation_says_something(all, i % n, (EquationWay)(i / n), p->calc);
  for (uint32_t k = 0; n && k < p->n_outputs; k++) {
    ProofOutput *out = &p->outputs[k];
    for (EquationWay way = 0; way < EQUATION_N_WAYS && out->comparable; way++) {
      Value a = out->want, b = out->got;
      const char *text = NULL;
      for (uint32_t e = 0; e < n && !out->proved; e++) {
        if (!says[way * n + e]) continue;
        Value want = equation_use(all, e, way, p->calc, out->want), got = equation_use(all, e, way, p->calc, out->got);
        if (value_same(want, out->want) && value_same(got, out->got)) continue;
        if (calc_equal(p->calc, want, got, o->splits)) used(p, k, all->at[e].text);
        text = text ? arena_printf(&p->arena, "%s; %s", text, all->at[e].text) : all->at[e].text;
        a = equation_use(all, e, way, p->calc, a);
        b = equation_use(all, e, way, p->calc, b);
      }
      if (!out->proved && text && calc_equal(p->calc, a, b, o->splits)) used(p, k, text);
    }
  }
}

/* Values that both programs have are unknowns; `cases`: and cases are written out. */
static bool try_sealed(Search *s, bool cases) {
  Arena a = {0};
  const bool *sealed[SIDE_COUNT] = {0};
  if (!seal_choose(*s->best, &a, sealed)) return arena_free(&a), false;
  s->sealed = sealed;
  bool done = try(s, NULL, NULL, 0, "values of both programs as unknowns");
  if (cases && !done)
    done = try_cases(s, 0, false, "values of both programs as unknowns, cases written out") ||
           try_cases(s, EXPAND, false,
                     "values of both programs as unknowns, cases written out, products distributed over sums");
  s->sealed = NULL;
  arena_free(&a);
  return done;
}

static bool try_fractions(Search *s) {
  Candidate fractions = {.fractions = true};
  return try(s, &fractions, NULL, 0, "fractions of polynomials") ||
         try_cases(s, 0, true, "cases written out, fractions of polynomials");
}

void prove_tactics(Proof **proof, const ProveOptions *o) {
  if (!proof_complete(*proof)) use_pieces(*proof);
  if (!proof_complete(*proof)) use_equations(*proof, o);
  if (proof_complete(*proof) || cut_nodes((*proof)->problem.graph) > CASES_NODES) return;
  Arena a = {0};
  Candidate *c = ARENA_ARRAY(&a, Candidate, 80);
  uint32_t lemmas = lemma_candidates(&(*proof)->problem, c, 16, &a);
  uint32_t n = lemmas + (o->together ? 0 : candidates(*proof, c + lemmas, 64, &a));
  uint32_t singles = n < lemmas + SINGLES ? n : lemmas + SINGLES, paired = n < lemmas + PAIRED ? n : lemmas + PAIRED;
  Search s = {.best = proof, .options = o, .until = clock_spent() + o->seconds, .attempts = (*proof)->attempts};
  for (size_t i = 0; i < (*proof)->problem.n_flat; i++) vec_push(&s.flat, (*proof)->problem.flat[i]);
  bool large = cut_nodes((*proof)->problem.graph) > TACTIC_NODES; /* one attempt is cheap whatever the size */
  Candidate orders = {.orders = true}, outside = {.outside = true}, written = {.outside = true, .written = true};
  Candidate rows = {.rows = true};
  bool ordered = puts_in_order((*proof)->problem.graph[SIDE_SEQ]) || puts_in_order((*proof)->problem.graph[SIDE_DIST]);
  bool done = (ordered && try(&s, &orders, NULL, 0, "values by rank")) ||
              (s.flat.len && try(&s, &outside, NULL, 0, "flat dimensions, pieces of different sizes")) ||
              (large && try_sealed(&s, false)) || try_cases(&s, 0, false, "cases written out") || o->few;
  s.last = large;
  done = done || (large && try_cases(&s, EXPAND, false, "cases written out, products distributed over sums")) || large;
  for (uint32_t i = 0; i < singles && !done; i++) done = try(&s, &c[i], NULL, 0, c[i].text);
  bool early = (*proof)->problem.relation->mesh.n_devices > 1; /* else what a certificate can follow comes first */
  done = done || try(&s, &written, NULL, 0, "sums over few values written out");
  done = done || (early && try_sealed(&s, true)) || (s.limited && try_fractions(&s)) ||
         try(&s, NULL, NULL, EXPAND, "products distributed over sums") ||
         try(&s, &rows, NULL, EXPAND, "products distributed over sums, functions of what is looked up") ||
         (!early && try_sealed(&s, true)) ||
         try_cases(&s, EXPAND, false, "cases written out, products distributed over sums") ||
         try_fractions(&s);
  for (uint32_t e = 0; e < 2 && !done; e++) { /* pairs that distribute cost most */
    const char *also = e ? ", products distributed over sums" : "";
    for (uint32_t i = 0; i < singles && e && !done; i++)
      done = try(&s, &c[i], NULL, EXPAND, arena_printf(&a, "%s%s", c[i].text, also));
    for (uint32_t i = 0; i < paired && !done; i++)
      for (uint32_t j = i + 1 > lemmas ? i + 1 : lemmas; j < paired && !done; j++)
        done = try(&s, &c[i], &c[j], e ? EXPAND : 0, arena_printf(&a, "%s and %s%s", c[i].text, c[j].text, also));
  }
  (*proof)->attempts = s.attempts;
  vec_free(&s.flat);
  arena_free(&a);
}
