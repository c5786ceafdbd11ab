#include "eval/verdict/invariant.h"

#include <string.h>

#include "eval/verdict/infer.h"

enum { MAX_ROUNDS = 24 };

typedef struct Guess {
  uint32_t seq; /* among those that the sequential loop carries */
  Layout layout;
} Guess;

/* A value that a distributed loop carries. */
typedef struct Carrier {
  uint32_t loop, dist;
  uint32_t n, at; /* guesses, and the one that is tried; n: none was right */
  Guess *guess;
  bool fails, based, reads_failing;
} Carrier;

typedef struct Finder {
  const Problem *p;
  const Graph *seq, *dist;
  Arena *a;
  Vec(Carrier) all;
} Finder;

static const Carried *dist_of(const Finder *f, const Carrier *c) {
  return &f->dist->loops.at[c->loop].carried[c->dist];
}
static const Carried *seq_of(const Finder *f, const Carrier *c, uint32_t guess) {
  return &f->seq->loops.at[c->loop].carried[c->guess[guess].seq];
}

static void add_guesses(Finder *f, Carrier *c, Guess **out, uint32_t s) {
  uint32_t n;
  NodeId q = f->seq->params.at[f->seq->loops.at[c->loop].carried[s].before];
  Layout *l = infer_fitting(f->p, q, f->dist->params.at[dist_of(f, c)->before], f->a, &n);
  Guess *more = ARENA_ARRAY(f->a, Guess, c->n + n + 1);
  if (c->n) memcpy(more, *out, c->n * sizeof *more);
  for (uint32_t i = 0; i < n; i++) more[c->n++] = (Guess){s, l[i]};
  *out = more;
}

/* Values of the same place in the loop first. */
static void add_carrier(Finder *f, uint32_t loop, uint32_t dist) {
  Carrier c = {.loop = loop, .dist = dist};
  const Loop *s = &f->seq->loops.at[loop];
  for (uint32_t i = 0; i < s->n; i++)
    if (s->carried[i].number == dist_of(f, &c)->number) add_guesses(f, &c, &c.guess, i);
  for (uint32_t i = 0; i < s->n; i++)
    if (s->carried[i].number != dist_of(f, &c)->number) add_guesses(f, &c, &c.guess, i);
  vec_push(&f->all, c);
}

static Invariant *chosen(const Finder *f, uint32_t *n) {
  Invariant *out = ARENA_ARRAY(f->a, Invariant, f->all.len + 1);
  *n = 0;
  for (size_t i = 0; i < f->all.len; i++) {
    const Carrier *c = &f->all.at[i];
    if (!c->n) continue;
    const Guess *g = &c->guess[c->at < c->n ? c->at : 0];
    out[(*n)++] = (Invariant){c->loop, g->seq, c->dist, g->layout};
  }
  return out;
}

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

/* The next guess whose base closes, or cannot be read in the digits of this proof. */
static void advance(const Finder *f, Proof *proof, Carrier *c) {
  for (c->at++; c->at < c->n; c->at++) {
    Value want, got;
    NodeId s = f->seq->outputs.at[seq_of(f, c, c->at)->first].node, d = f->dist->outputs.at[dist_of(f, c)->first].node;
    if (!build_related(&proof->build, s, d, &c->guess[c->at].layout, &want, &got) || value_same(want, got)) return;
  }
}

/* One attempt with the guesses as they are; true if all hold. */
static bool attempt(Finder *f, const ProveOptions *o, bool *moved) {
  uint32_t n, own = f->p->relation->n_outputs;
  Invariant *at = chosen(f, &n);
  Relation whole = loops_relation(f->seq, f->dist, f->p->relation, at, n, f->a);
  Problem p = *f->p;
  p.relation = &whole;
  Proof *proof = prove_direct(&p, o);
  bool all = true, some = false;
  for (size_t i = 0, k = own; i < f->all.len; i++) {
    Carrier *c = &f->all.at[i];
    if (!c->n) continue;
    c->based = proof->outputs[k].proved;
    c->fails = !c->based || !proof->outputs[k + 1].proved;
    all &= !c->fails;
    k += 2;
  }
  *moved = false;
  if (!all) find_reasons(f);
  for (size_t i = 0; i < f->all.len; i++) some |= f->all.at[i].fails && !f->all.at[i].reads_failing;
  for (size_t i = 0; i < f->all.len && !all && !proof->limited; i++) {
    Carrier *c = &f->all.at[i];
    if (!c->fails || (some && c->reads_failing) || c->at >= c->n) continue;
    advance(f, proof, c);
    *moved = true;
  }
  proof_free(proof);
  return all;
}

Invariants invariant_find(const Problem *p, const ProveOptions *o, Arena *a) {
  Finder f = {.p = p, .seq = p->graph[SIDE_SEQ], .dist = p->graph[SIDE_DIST], .a = a};
  for (uint32_t i = 0; i < f.dist->loops.len; i++)
    for (uint32_t k = 0; k < f.dist->loops.at[i].n; k++) add_carrier(&f, i, k);
  Invariants out = {0};
  for (bool moved = true; out.rounds < MAX_ROUNDS && !out.hold && moved; out.rounds++)
    out.hold = attempt(&f, o, &moved);
  out.at = chosen(&f, &out.n);
  vec_free(&f.all);
  return out;
}
