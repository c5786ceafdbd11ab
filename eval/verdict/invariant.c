#include "eval/verdict/invariant.h"

#include <string.h>

#include "eval/verdict/infer.h"

enum { MAX_ROUNDS = 24, MAX_TIMES = 1 << 20 };

typedef struct Guess {
  uint32_t seq; /* among those that the sequential loop carries */
  Layout layout;
  int64_t divided;
} Guess;

/* A value that a distributed loop carries. */
typedef struct Carrier {
  uint32_t loop, dist;
  uint32_t at; /* the guess that is tried; guesses.len: none was right */
  Vec(Guess) guesses;
  bool fails, reads_failing;
} Carrier;

typedef struct Finder {
  Library *library;
  const Graph *seq, *dist;
  const Relation *own;
  const ProveOptions *options;
  Arena *a;
  Diags *quiet;
  Vec(Carrier) all;
} Finder;

static const Carried *dist_of(const Finder *f, const Carrier *c) {
  return &f->dist->loops.at[c->loop].carried[c->dist];
}

static const Carried *seq_of(const Finder *f, const Carrier *c, uint32_t seq) {
  return &f->seq->loops.at[c->loop].carried[seq];
}

/* Values the sequential loop carries, those of the same place first. */
static uint32_t *seq_in_order(const Finder *f, const Carrier *c, uint32_t *n) {
  const Loop *s = &f->seq->loops.at[c->loop];
  uint32_t *out = ARENA_ARRAY(f->a, uint32_t, s->n + 1);
  *n = 0;
  for (int alike = 1; alike >= 0; alike--)
    for (uint32_t i = 0; i < s->n; i++)
      if ((s->carried[i].number == dist_of(f, c)->number) == alike) out[(*n)++] = i;
  return out;
}

/* ---- guesses */

static void add_guess(const Finder *f, Carrier *c, Guess g) {
  Invariant v = {c->loop, g.seq, c->dist, g.layout, g.divided};
  if (loops_fit(f->seq, f->dist, &f->own->mesh, &v)) vec_push(&c->guesses, g);
}

/* What one iteration leaves; where that is the same under several layouts, as zeros are, it says nothing. */
static void guess_from_values(Finder *f, Proof *once, Carrier *c) {
  const Problem *p = &once->problem;
  uint32_t n, *seq = seq_in_order(f, c, &n);
  NodeId d = p->graph[SIDE_DIST]->outputs.at[dist_of(f, c)->next].node;
  for (uint32_t i = 0; i < n; i++) {
    Guess g = {.seq = seq[i], .divided = 1};
    Rat factor;
    NodeId s = p->graph[SIDE_SEQ]->outputs.at[seq_of(f, c, seq[i])->next].node;
    if (once->build.value[SIDE_SEQ][s].k == RAT_0 || !infer_layout(once, s, d, f->a, &g.layout, &factor)) continue;
    if (rat_to_int(factor, &g.divided) && g.divided <= MAX_TIMES) add_guess(f, c, g);
  }
}

static void guess_from_shapes(Finder *f, const Problem *p, Carrier *c) {
  uint32_t n, *seq = seq_in_order(f, c, &n);
  NodeId d = f->dist->params.at[dist_of(f, c)->before];
  for (uint32_t i = 0; i < n; i++) {
    uint32_t many;
    Layout *l = infer_fitting(p, f->seq->params.at[seq_of(f, c, seq[i])->before], d, f->a, &many);
    for (uint32_t k = 0; k < many; k++) add_guess(f, c, (Guess){seq[i], l[k], 1});
  }
}

static void add_guesses(Finder *f) {
  Pair pair = {0}, once = {0};
  if (pair_make(&once, f->library, loops_once(f->seq, f->a), loops_once(f->dist, f->a), f->own, f->quiet)) {
    Proof *proof = prove_direct(&once.problem, f->options);
    for (size_t i = 0; i < f->all.len && !proof->limited; i++) guess_from_values(f, proof, &f->all.at[i]);
    proof_free(proof);
  }
  if (pair_make(&pair, f->library, f->seq, f->dist, f->own, f->quiet))
    for (size_t i = 0; i < f->all.len; i++) guess_from_shapes(f, &pair.problem, &f->all.at[i]);
  pair_free(&once);
  pair_free(&pair);
}

static Invariant *chosen(const Finder *f, uint32_t *n) {
  Invariant *out = ARENA_ARRAY(f->a, Invariant, f->all.len + 1);
  *n = 0;
  for (size_t i = 0; i < f->all.len; i++) {
    const Carrier *c = &f->all.at[i];
    if (!c->guesses.len) continue;
    const Guess *g = &c->guesses.at[c->at < c->guesses.len ? c->at : 0];
    out[(*n)++] = (Invariant){c->loop, g->seq, c->dist, g->layout, g->divided};
  }
  return out;
}

/* ---- attempts */

/* What the step of a failing value reads of others that fail as well. */
static void find_reasons(const Finder *f) {
  size_t n = f->dist->nodes.len;
  bool *on = xcalloc(n + 1, sizeof *on);
  for (size_t i = 0; i < f->all.len; i++) {
    Carrier *c = &f->all.at[i];
    c->reads_failing = false;
    if (!c->fails) continue;
    memset(on, 0, n * sizeof *on);
    const Carried *own = dist_of(f, c);
    on[f->dist->outputs.at[own->first].node] = on[f->dist->outputs.at[own->next].node] = true;
    for (NodeId k = (NodeId)n; k-- > 0;)
      for (uint32_t j = 0; on[k] && j < f->dist->nodes.at[k].n_args; j++) on[f->dist->nodes.at[k].args[j]] = true;
    for (size_t j = 0; j < f->all.len && !c->reads_failing; j++) {
      const Carried *other = dist_of(f, &f->all.at[j]);
      c->reads_failing = j != i && f->all.at[j].fails &&
                         (on[f->dist->params.at[other->before]] || on[f->dist->params.at[other->after]]);
    }
  }
  free(on);
}

/* The next guess whose base closes, or cannot be read in the digits of this proof.  (A multiple of a base that closes
 * may close as well: bases of sums are zero.) */
static void advance(const Finder *f, Proof *proof, Carrier *c) {
  const Graph *seq = proof->problem.graph[SIDE_SEQ], *dist = proof->problem.graph[SIDE_DIST];
  for (c->at++; c->at < c->guesses.len; c->at++) {
    const Guess *g = &c->guesses.at[c->at];
    Value want, got;
    NodeId s = seq->outputs.at[seq_of(f, c, g->seq)->first].node, d = dist->outputs.at[dist_of(f, c)->first].node;
    if (!build_related(&proof->build, s, d, &g->layout, &want, &got) || want.ref == got.ref) return;
  }
}

/* One attempt with the guesses as they are; true if all hold. */
static bool attempt(Finder *f, bool *moved) {
  uint32_t n;
  Invariant *at = chosen(f, &n);
  Relation whole = loops_relation(f->seq, f->dist, f->own, at, n, f->a);
  Pair pair = {0};
  bool all = false, some = false;
  *moved = false;
  if (pair_make(&pair, f->library, f->seq, loops_divided(f->dist, at, n, f->a), &whole, f->quiet)) {
    Proof *proof = prove_direct(&pair.problem, f->options);
    all = true;
    for (size_t i = 0, k = f->own->n_outputs; i < f->all.len; i++) {
      Carrier *c = &f->all.at[i];
      if (!c->guesses.len) continue;
      c->fails = !proof->outputs[k].proved || !proof->outputs[k + 1].proved;
      all &= !c->fails;
      k += 2;
    }
    if (!all) find_reasons(f);
    for (size_t i = 0; i < f->all.len; i++) some |= f->all.at[i].fails && !f->all.at[i].reads_failing;
    for (size_t i = 0; i < f->all.len && !all && !proof->limited; i++) {
      Carrier *c = &f->all.at[i];
      if (!c->fails || (some && c->reads_failing) || c->at >= c->guesses.len) continue;
      advance(f, proof, c);
      *moved = true;
    }
    proof_free(proof);
  }
  pair_free(&pair);
  return all;
}

Invariants invariant_find(Library *library, const Graph *seq, const Graph *dist, const Relation *own,
                          const ProveOptions *o, Sources *sources, Arena *a) {
  Finder f = {
      .library = library, .seq = seq, .dist = dist, .own = own, .options = o, .a = a, .quiet = diags_new(sources)};
  for (uint32_t i = 0; i < dist->loops.len; i++)
    for (uint32_t k = 0; k < dist->loops.at[i].n; k++) vec_push(&f.all, ((Carrier){.loop = i, .dist = k}));
  add_guesses(&f);
  Invariants out = {0};
  for (bool moved = true; out.rounds < MAX_ROUNDS && !out.hold && moved; out.rounds++) out.hold = attempt(&f, &moved);
  out.at = chosen(&f, &out.n);
  for (size_t i = 0; i < f.all.len; i++) vec_free(&f.all.at[i].guesses);
  vec_free(&f.all);
  diags_free(f.quiet);
  return out;
}
