/* Finds the steps of a certificate: the engine's answers, and the laws by which they hold.  A law is first tried with
 * the answers to smaller goals as they are, and then checked; what fails leaves no steps. */
#include "eval/witness/witness_search.h"

#include "certify/law.h"
#include "certify/walk.h"
#include "eval/witness/witness_choice.h"

enum { MOST_CLAIMS = 3, DEEP_CLAIMS = 4, MOST_ALIKE = 24, MOST_ATOMS = 1500, FEW_UNFOLDED = 32, ALL_WAYS = 6 };
enum { PATIENT_ROUND = 4, LONG_SUM = 9 };
/* Proofs are looked for in rounds: to a depth, and each way to prove a goal with so much work (atoms asked for, and what
 * the engine takes). */
static const struct {
  uint8_t depth;
  uint64_t work;
} rounds[] = {{12, 5000}, {4, 100000}, {8, 200000}, {12, 500000}, {16, 3000000}, {24, 30000000}};
enum { ROUNDS = sizeof rounds / sizeof *rounds };

typedef struct Tried { /* of a goal */
  uint32_t found; /* 1 + the law by which it was proved, and how */
  Choice choice;
  uint32_t round, left; /* the last one in which no proof was found, and how deep one was looked for */
} Tried;

typedef struct Search {
  const Engine *engine;
  uint32_t round, left; /* which one; how many goals deeper a law may be looked for */
  uint64_t most, each;  /* when work ends, and how much each way may take */
  uint32_t asked, claims; /* goals whose law is looked for; claims that two values are one */
  uint32_t alike;    /* .. that their parts are */
  size_t until;      /* .. and how many atoms there may be when such a claim is given up */
  const Num *wanted; /* the answer to the goal at hand, in labels of its own */
} Search;

static void take_back(Replay *p, size_t log, size_t steps) {
  while (p->log.len > log) vec_pop(&p->log)->known = false;
  p->steps->len = steps;
  p->failed = false;
}

static bool is_label_of(const Store *s, Label l, const Names *names) {
  return label_is_const(l) || (s->labels.at[l].kind == LABEL_GOAL && s->labels.at[l].a < names->n);
}

/* if q then x else 0 is q x, whatever form the engine gives that by itself. */
static void guess_product(Replay *p, Search *q, const Goal *g, Num answer) {
  const GoalItem *x = g->items;
  if (g->op != GOAL_SELECT || x[2].v.k != RAT_0 || !num_is_pred(p->s, x[0].v) || x[1].v.k == RAT_0) return;
  Num product = num_scale(rat_div(RAT_1, x[1].v.k), answer);
  bool was = p->trusting;
  p->trusting = true;
  q->wanted = &product;
  goal_mul2(p, x[0].v, num_of(x[1].v.a));
  q->wanted = NULL;
  p->trusting = was;
  p->failed = false;
}

/* That two values are one, if answers to other goals are taken as they are.  That is looked at to a small depth; what can
 * be written out is so at any. */
static bool agree(Replay *p, Search *q, const Goal *g, Num v) {
  static const uint8_t by[] = {LAW_arithmetic, LAW_maximum, LAW_alike, LAW_split, LAW_pieces, LAW_cases};
  Choice c;
  bool writes = choice_writes_out(p, g);
  if (!q->claims && !q->alike) q->until = p->s->atoms.len + ((size_t)MOST_ATOMS << q->round);
  if (++q->claims <= MOST_ALIKE && p->s->atoms.len < q->until)
    for (size_t k = 0; k < (q->claims <= MOST_CLAIMS ? sizeof by : (size_t)DEEP_CLAIMS + writes); k++)
      for (uint32_t i = 0; k < DEEP_CLAIMS || q->claims <= MOST_CLAIMS || !i; i++) {
        ArenaMark mark = arena_mark(&p->s->scratch);
        bool alike = by[k] == LAW_alike, any = choice_next(p, g, v, by[k], i, &c);
        any = any && (!alike || q->claims == 1);
        q->claims -= alike, q->alike += alike; /* what is within is smaller */
        bool holds = any && law_holds(p, g, v, by[k], &c) && !p->failed;
        q->claims += alike, q->alike -= alike;
        p->failed = false;
        arena_reset(&p->s->scratch, mark);
        if (!any) break;
        if (!holds) continue;
        q->claims--;
        return true;
      }
  q->claims--;
  return goal_fail(p, "two values have no common form");
}

static bool is_over(const Replay *p, const Search *q) {
  return p->s->work > q->most || q->engine->spent(q->engine->context);
}

/* The answer follows from smaller goals in the way that was found, which are proved now. */
static bool follows(Replay *p, Search *q, const Goal *g, Num answer, const Tried *way) {
  uint64_t most = q->most, own = p->s->work + q->each;
  if (own < most) q->most = own;
  bool holds = law_holds(p, g, answer, way->found - 1, &way->choice) && !p->failed;
  q->most = most;
  return holds;
}

/* What costs much and seldom leads anywhere is left to later rounds: an index in pieces; a long sum written out where
 * the answer has few terms.  What guards leave of an index comes first. */
static bool comes_later(Replay *p, const Search *q, const Goal *g, Num answer, uint32_t law, bool first,
                        const Choice *c) {
  if (law == LAW_pieces && first) return !choice_shortens(p, g, answer, c);
  if (!q->round || q->round >= PATIENT_ROUND || g->op != GOAL_SUM) return false;
  if (law != LAW_open) return law == LAW_pieces;
  Goal f = law_factors(p->s, g);
  uint32_t at = choice_at(c, 0), few = def_of(p->s, answer.a)->kind == DEF_LIN ? def_of(p->s, answer.a)->n_args : 1;
  const Def *d = at < f.n ? def_of(p->s, f.items[at].v.a) : NULL;
  return d && d->kind == DEF_LIN && d->n_args > LONG_SUM && d->n_args > 2 * few;
}

/* The laws in the order in which they are tried: what guards leave of the index of a sum, then all, of which arithmetic that
 * unfolds much comes late. */
static uint32_t law_in_turn(uint32_t n) {
  if (!n) return LAW_pieces;
  return n <= LAW_closed ? n - 1 : n == LAW_closed + 1 ? LAW_arithmetic : n - 2;
}

/* Asks the oracle and looks for the law by which its answer holds. */
static bool find(Replay *p, Search *q, const Goal *g, Settled *e, Names *names, Num *out) {
  Store *s = p->s;
  const Engine *engine = q->engine;
  Tried *tried = e->tried;
  if (is_over(p, q)) return goal_fail(p, "no proof was found in time");
  if (q->wanted) {
    AtomInfo x = s->atoms.at[q->wanted->a];
    Label *own = SCRATCH(s, Label, x.n);
    uint32_t n = names->n;
    Names all = *names;
    for (uint32_t i = 0; i < x.n; i++) own[i] = goal_own_label(s, &all, x.at[i]);
    if (all.n > n) return goal_fail(p, "an answer has a label of its own");
    e->answer = (Num){q->wanted->k, atom_make(s, x.def, own, x.n)};
    e->guessed = true;
    q->wanted = NULL;
  }
  bool claim = goal_claims(g);
  if (claim) e->answer = g->items[g->n - 1].v;
  else if (!e->guessed && !engine->answer(engine->context, s, g, &e->answer))
    return goal_fail(p, "the proof has no answer to a goal");
  *out = e->answer;
  if (claim && p->trusting) return agree(p, q, g, *out);
  e->guessed = true;
  if (p->trusting) return true;
  AtomInfo a = s->atoms.at[out->a];
  Label *at = ARENA_ARRAY(&s->arena, Label, a.n);
  for (uint32_t i = 0; i < a.n; i++) {
    if (!is_label_of(s, a.at[i], names)) return goal_fail(p, "an answer has a label of its own");
    at[i] = label_is_const(a.at[i]) ? a.at[i] : s->labels.at[a.at[i]].a;
  }
  size_t log = p->log.len, here = p->steps->len;
  uint32_t fresh = s->fresh, most = q->round && q->round < ROUNDS ? FEW_UNFOLDED : MOST_UNFOLDED;
  if (!q->left) return goal_fail(p, "no proof that is not too deep was found");
  guess_product(p, q, g, *out);
  if (tried->found) { /* proved before, for a law that failed by another question */
    s->patience = most;
    vec_push(p->steps, (Step){(uint8_t)(tried->found - 1), tried->choice, out->k, a.def, a.n, at});
    if (follows(p, q, g, *out, tried)) return true;
    take_back(p, log, here);
    s->fresh = fresh;
  }
  for (uint32_t n = 0; n <= law_count() + 1; n++) {
    uint32_t law = law_in_turn(n);
    if (!law_about(s, g, law) || (!n && g->op != GOAL_SUM)) continue;
    s->patience = n == LAW_arithmetic + 1 ? 3 : law == LAW_arithmetic || law == LAW_scaled ? most : 8;
    Choice c;
    p->trusting = true;
    for (uint32_t i = 0; !is_over(p, q); i++) {
      ArenaMark mark = arena_mark(&s->scratch);
      bool any = choice_next(p, g, *out, law, i, &c);
      s->fresh = fresh;
      bool promising = any && !comes_later(p, q, g, *out, law, !n, &c) && law_holds(p, g, *out, law, &c) && !p->failed;
      p->trusting = p->failed = false;
      s->fresh = fresh;
      if (promising) {
        c.at = arena_copy(&s->arena, c.at, c.n * sizeof *c.at);
        vec_push(p->steps, (Step){(uint8_t)law, c, out->k, a.def, a.n, at});
        s->patience = most;
        tried->found = law + 1, tried->choice = c;
        if (follows(p, q, g, *out, tried)) return true;
        tried->found = 0;
        take_back(p, log, here);
        s->fresh = fresh;
      }
      arena_reset(&s->scratch, mark);
      p->trusting = true;
      if (!any) break;
    }
    p->trusting = p->failed = false;
    s->fresh = fresh;
  }
  s->patience = most;
  return goal_fail(p, "no law gives this answer");
}

/* Where there is no more depth for it than there was. */
static bool gave_up(Replay *p, const Settled *e) {
  const Search *q = p->oracle->context;
  const Tried *t = e->tried;
  return t && (q->round ? t->round >= q->round && t->left >= q->left : t->round == UINT32_MAX);
}

static Tried *tried_of(Replay *p, Settled *e) {
  if (!e->tried) e->tried = ARENA_NEW(&p->arena, Tried);
  return e->tried;
}

/* Unless work ended. */
static void give_up(Replay *p, Settled *e) {
  const Search *q = p->oracle->context;
  Tried *t = tried_of(p, e);
  if (p->s->work <= q->most) t->round = q->round ? q->round : UINT32_MAX, t->left = q->left;
}

/* A goal that waits for none may be tried to small depths first. */
static bool ask(Replay *p, const Goal *g, Settled *e, Names *names, Num *out) {
  Search *q = p->oracle->context;
  uint32_t left = q->left;
  bool found = false;
  tried_of(p, e);
  q->left = left ? left - 1 : 0;
  if (q->asked++) found = find(p, q, g, e, names, out);
  else
    for (size_t i = q->engine->flat ? 0 : ROUNDS - 1; i < ROUNDS && !found; i++) {
      p->failed = false;
      q->left = rounds[i].depth, q->each = rounds[i].work;
      q->most = p->s->work + ALL_WAYS * q->each;
      q->round = i + 1;
      found = find(p, q, g, e, names, out);
      q->round = 0;
    }
  q->asked--;
  q->left = left;
  return found;
}

static void restate(Walk *w, uint32_t side, NodeId id) {
  Replay *p = w->p;
  Search *q = p->oracle->context;
  const Engine *engine = q->engine;
  Num *v = &w->value[side][id], want;
  if (p->failed || dtype_kind(w->problem->graph[side]->nodes.at[id].dtype) == DK_FLOAT || num_is(*v)) return;
  if (!engine->value(engine->context, p->s, side, id, &want) || num_same(*v, want)) return;
  q->wanted = &want;
  size_t log = p->log.len, steps = p->steps->len;
  Num is = goal_restate(p, *v);
  q->wanted = NULL;
  w->part->restated[side][id] = !p->failed;
  if (p->failed) take_back(p, log, steps);
  else *v = is;
}

bool witness_search(Part *part, const Engine *engine, CertifyResult *out) {
  return certify_part(part, &(Oracle){&(Search){.engine = engine}, ask, gave_up, give_up, restate, engine->plain}, out);
}
