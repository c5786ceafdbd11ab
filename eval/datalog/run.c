#include "eval/datalog/run.h"

#include "eval/datalog/action.h"
#include "eval/datalog/backoff.h"
#include "eval/datalog/join.h"
#include "eval/datalog/lattice.h"
#include "eval/datalog/limit.h"
#include "eval/datalog/reason.h"
#include "eval/datalog/rebuild.h"
#include "lang/base/clock.h"

static uint32_t n_plans(const Rule *r) { return r->ir.block.n_atoms + 1; }

void rule_free(Rule *r) {
  for (uint32_t i = 0; i < n_plans(r); i++) plan_free(r->plans[i]);
  free(r->plans);
  free(r);
}

/* ---- one rule ---- */

typedef struct {
  Rule *rule;
  ActionBatch batch;
} Firing;

static bool flush(Join *j) {
  Firing *f = j->ctx;
  Db *db = j->db;
  Rule *r = f->rule;
  Context before = db->context;
  uint64_t rows = db->version;
  size_t unions = db->classes.log.len;
  db->context = r->ir.flags & (IR_NAIVE | IR_UNSAFE) || db->naive ? CONTEXT_FULL : CONTEXT_WRITE;
  bool ok = action_run_batch(db, j->block, &f->batch);
  db->context = before;
  r->matches += f->batch.n;
  db->n_matches += f->batch.n;
  r->made += db->version - rows;
  r->merged += db->classes.log.len - unions;
  f->batch.n = 0;
  return ok;
}

static bool fire(Join *j) {
  ActionBatch *b = &((Firing *)j->ctx)->batch;
  Val *to = b->regs + (size_t)b->n * b->stride;
  for (uint32_t i = 0, n = j->block->n_body; i < n; i++) to[i] = j->regs[i];
  return ++b->n < ACTION_BATCH || flush(j);
}

/* Has a global of the rule become another class since that epoch?  Then all its matches are new. */
static bool globals_moved(Db *db, const Rule *r, uint32_t since) {
  bool moved = false;
  for (uint32_t i = 0; i < r->ir.block.n_inits; i++) {
    if (!r->ir.block.inits[i].global) continue;
    GlobalId id = r->ir.block.inits[i].value;
    Global *g = &db->globals.at[id];
    Val v = canon(db, g->sort, g->value);
    if (v != g->seen) {
      if (undo_active(&db->undo)) undo_note(&db->undo, UNDO_GLOBAL, id, g->seen, g->moved_at);
      g->seen = v;
      g->moved_at = db->epoch;
    }
    moved |= g->moved_at > since;
  }
  return moved;
}

static bool has_new_rows(const Db *db, const Table *t, uint32_t since) {
  return table_since(t, since) < table_since(t, db->epoch);
}

/* May the rule match at all?  Every table it reads must have rows. */
static bool may_match(const Db *db, const IrBlock *b) {
  if (b->never) return false;
  for (uint32_t i = 0; i < b->n_atoms; i++)
    if (b->atoms[i].kind == IR_ROW && !db->tables.at[b->atoms[i].op]->n_live) return false;
  return true;
}

/* Do the rows exist that the query names by constants alone? */
static bool ground_rows_exist(const Db *db, const IrBlock *b, Val *regs) {
  Val *key = regs + b->n_regs;
  for (uint32_t i = 0; i < b->n_atoms; i++) {
    const IrAtom *a = &b->atoms[i];
    if (a->kind != IR_ROW) continue;
    const Table *t = db->tables.at[a->op];
    uint32_t k = 0;
    for (; k < t->n_in; k++) {
      uint32_t j = 0;
      while (j < b->n_inits && b->inits[j].reg != a->arg[k]) j++;
      if (j == b->n_inits) break;
      key[k] = regs[a->arg[k]];
    }
    if (k == t->n_in && table_find(t, key) == ROW_NONE) return false;
  }
  return true;
}

static bool run_variant(Db *db, Rule *r, Join *j, uint32_t focus, uint32_t slot) {
  if (!plan_fits(db, &r->ir.block, focus, j->since, r->plans[slot]))
    r->plans[slot] = plan_make(db, &r->ir.block, focus, j->since, r->plans[slot]);
  j->plan = r->plans[slot];
  if (j->every) j->plan->n_needed = j->plan->n_steps;
  return join_run(j);
}

/* All new matches: all there are, or those with a new row for one atom after the other. */
static bool run_variants(Db *db, Rule *r, Join *j, bool fresh) {
  const IrBlock *b = &r->ir.block;
  if (fresh) return run_variant(db, r, j, PLAN_NO_FOCUS, b->n_atoms);
  for (uint32_t i = 0; i < b->n_atoms; i++)
    if (b->atoms[i].kind == IR_ROW && has_new_rows(db, db->tables.at[b->atoms[i].op], j->since) &&
        !run_variant(db, r, j, i, i))
      return false;
  return true;
}

static bool fire_all(Db *db, Rule *r, Join *j, bool fresh) {
  Firing firing = {.rule = r, .batch = action_batch(j->block, j->regs)};
  j->match = fire;
  j->ctx = &firing;
  bool ok = run_variants(db, r, j, fresh) && flush(j);
  free(firing.batch.regs);
  return ok && !db->failed;
}

/* Ways in which a match can be new: atoms whose tables have new rows. */
static uint32_t count_variants(const Db *db, const IrBlock *b, uint32_t since) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n_atoms; i++)
    n += b->atoms[i].kind == IR_ROW && has_new_rows(db, db->tables.at[b->atoms[i].op], since);
  return n;
}

/* A rule that never had a match has only new ones.  Looking for all of them at once, with one plan instead of one for
 * each variant, is worth some rows; where it takes more, the variants are run after all. */
static bool fire_first(Db *db, Rule *r, Join *j, uint32_t n_variants) {
  enum { PLAN_WORTH = 256 };
  uint64_t worth = (uint64_t)PLAN_WORTH * n_variants;
  if (r->matches || (r->ir.flags & IR_UNSAFE) || r->whole > worth) return fire_all(db, r, j, false);
  uint32_t since = j->since;
  j->since = 0;
  j->most = 2 * worth;
  bool ok = fire_all(db, r, j, true);
  r->whole = j->visited;
  if (!j->gave_up) return ok;
  j->since = since;
  j->most = 0;
  j->gave_up = false;
  return fire_all(db, r, j, false);
}

/* A join for the matches of a rule that are new since an epoch, 0 for all. */
static Join join_of(Db *db, RuleId id, uint32_t since) {
  Rule *r = db->rules.at[id];
  Join j = {.db = db, .block = &r->ir.block, .since = since, .until = db->epoch};
  j.regs = action_registers(db, j.block);
  db->context = r->ir.flags & (IR_NAIVE | IR_UNSAFE) || db->naive ? CONTEXT_READ : CONTEXT_PURE;
  db->now.rule = id;
  db->now.n_regs = j.block->n_regs;
  db->now.by = BY_MATCH;
  db->now.at = r->ir.at;
  return j;
}

static bool run_rule(Db *db, RuleId id) {
  Rule *r = db->rules.at[id];
  const IrBlock *b = &r->ir.block;
  bool fresh = r->last == 0;
  if (b->n_inits && globals_moved(db, r, r->last)) fresh = true;
  if ((r->ir.flags & IR_NAIVE) || db->naive) fresh = true;
  uint32_t since = fresh ? 0 : r->last;
  if (undo_active(&db->undo)) undo_note(&db->undo, UNDO_RULE_LAST, id, r->last, 0);
  r->last = db->epoch;
  if (!may_match(db, b)) return true;
  uint32_t n_variants = fresh ? 1 : count_variants(db, b, since);
  if (!n_variants) return true;
  double start = clock_passed();
  Join j = join_of(db, id, since);
  bool ok = true;
  if (!b->n_inits || ground_rows_exist(db, b, j.regs)) {
    ok = fresh ? fire_all(db, r, &j, true) : fire_first(db, r, &j, n_variants);
    r->visited += j.visited;
    r->seconds += clock_passed() - start;
  }
  free(j.regs);
  return ok && !db->failed;
}

/* ---- one rule under a scheduler ---- */

static bool keep_match(Join *j) {
  enum { MOST = 1 << 28 }; /* words */
  Held *h = j->ctx;
  if (h->matches.len > MOST) {
    j->db->limit_reached = true;
    return db_fail(j->db, (Span){0, 0, 0}, "stopped at the limit of %zu matches of one rule that wait", h->n);
  }
  for (uint32_t i = 0; i < j->block->n_body; i++) vec_push(&h->matches, j->regs[i]);
  h->n++;
  return true;
}

/* All new matches, with none left out. */
static bool find_matches(Db *db, RuleId id, Held *h, Join *j) {
  Rule *r = db->rules.at[id];
  bool fresh = !h->last || (r->ir.flags & IR_NAIVE) || db->naive || globals_moved(db, r, h->last);
  j->since = fresh ? 0 : h->last;
  j->every = true;
  j->match = keep_match;
  j->ctx = h;
  vec_clear(&h->matches);
  h->n = 0;
  h->last = db->epoch;
  bool ok = true;
  if (may_match(db, j->block) && ground_rows_exist(db, j->block, j->regs)) ok = run_variants(db, r, j, fresh);
  r->visited += j->visited;
  return ok;
}

static bool fire_matches(Rule *r, const Held *h, Join *j) {
  Firing firing = {.rule = r, .batch = action_batch(j->block, j->regs)};
  bool ok = true;
  j->ctx = &firing;
  for (size_t i = 0; ok && i < h->n; i++) {
    if (j->block->n_body) memcpy(j->regs, h->matches.at + i * j->block->n_body, j->block->n_body * sizeof *j->regs);
    ok = fire(j);
  }
  ok = ok && flush(j);
  free(firing.batch.regs);
  return ok;
}

static bool run_held(Db *db, RuleId id, IrBackOff *backoff) {
  Held *h = backoff_rule(backoff, id);
  if (!backoff_begin(h)) return true;
  double start = clock_passed();
  Rule *r = db->rules.at[id];
  Join j = join_of(db, id, 0);
  bool ok = h->waits || find_matches(db, id, h, &j);
  if (ok && backoff_lets_through(db, backoff, h, j.block)) {
    backoff_distinct(h, j.block);
    ok = fire_matches(r, h, &j);
  }
  r->seconds += clock_passed() - start;
  free(j.regs);
  return ok && !db->failed;
}

/* ---- one iteration ---- */

typedef Vec(RuleId) RuleIds;

typedef enum Gathering { NOT_YET, ON_THE_WAY, GATHERED } Gathering;

/* Rules of a ruleset and its members, each ruleset once; `state` by ruleset. */
static bool gather_from(Db *db, Sym name, RuleIds *out, uint8_t *state, uint32_t depth, Span at) {
  RulesetId id = db_find_ruleset(db, name);
  if (id == IR_NONE)
    return db_fail(db, at, "there is no ruleset `%s`", sym_text(name)), db_advise(db, "declare it before it is run");
  if (state[id] == GATHERED) return true;
  if (depth > 10000)
    return db_fail(db, at, "rulesets are combined more than 10000 deep"), db_advise(db, "name the members directly");
  if (state[id] == ON_THE_WAY)
    return db_fail(db, at, "the combined ruleset `%s` contains itself", sym_text(name)),
           db_advise(db, "a ruleset is a member of others only");
  state[id] = ON_THE_WAY;
  const Ruleset *rs = db->rulesets.at[id];
  for (size_t i = 0; i < rs->rules.len; i++) vec_push(out, rs->rules.at[i]);
  for (size_t i = 0; i < rs->members.len; i++)
    if (!gather_from(db, rs->members.at[i], out, state, depth + 1, at)) return false;
  state[id] = GATHERED;
  return true;
}

static bool gather_rules(Db *db, Sym name, RuleIds *out, Span at) {
  uint8_t *state = xcalloc(db->rulesets.len + 1, 1);
  bool ok = gather_from(db, name, out, state, 0, at);
  free(state);
  return ok;
}

static bool finish_epoch(Db *db, bool ok) {
  reason_end_search(db);
  db->now.reason = 0;
  db->now.by = BY_MATCH;
  db->now.rule = IR_NONE;
  ok = ok && !db->failed && action_merge(db);
  if (!ok) action_drop(db);
  return rebuild(db) && ok && !db->failed;
}

/* `changed`: something was, or will be once a rule is not held back any more. */
static bool iterate(Db *db, Sym ruleset, IrBackOff *backoff, Span at, bool *changed) {
  RuleIds rules = {0};
  bool ok = gather_rules(db, ruleset, &rules, at);
  if (!limit_iteration(db)) ok = false;
  db->epoch++;
  db->searched = true;
  db->changed = false;
  db->acting = false;
  reason_begin_epoch(db);
  for (size_t i = 0; ok && i < rules.len; i++)
    ok = backoff ? run_held(db, rules.at[i], backoff) : run_rule(db, rules.at[i]);
  ok = finish_epoch(db, ok);
  *changed |= db->changed || (backoff && ok && backoff_skip(backoff, rules.at, rules.len));
  vec_free(&rules);
  rebuild_compact(db);
  return ok;
}

/* ---- schedules ---- */

static bool run_schedule(Db *db, const IrSchedule *s, bool *changed) {
  bool ok = true;
  switch (s->kind) {
  case IR_RUN:
    if (s->until) {
      bool holds;
      if (!db_check(db, s->until, &holds)) return false;
      if (holds) return true;
    }
    ok = iterate(db, s->ruleset, s->backoff, s->span, changed);
    break;
  case IR_SEQ:
    for (uint32_t i = 0; ok && i < s->n; i++) ok = run_schedule(db, s->at[i], changed);
    break;
  case IR_REPEAT:
  case IR_SATURATE:
    for (uint64_t k = 0; ok && (s->kind == IR_SATURATE || k < s->times); k++) {
      bool mine = false;
      for (uint32_t i = 0; ok && i < s->n; i++) ok = run_schedule(db, s->at[i], &mine);
      *changed |= mine;
      if (!mine) break;
    }
    break;
  }
  return ok;
}

bool db_run(Db *db, const IrSchedule *s) {
  bool changed = false;
  return run_schedule(db, s, &changed) && limit_look(db);
}

/* ---- checks and actions ---- */

static bool stop_at_match(Join *j) {
  *(bool *)j->ctx = true;
  return false;
}

bool db_check_match(Db *db, const IrBlock *b, bool *holds, Val *regs) {
  *holds = false;
  if (!may_match(db, b)) return true;
  Join j = {.db = db, .block = b, .until = UINT32_MAX, .see_subsumed = true, .match = stop_at_match, .ctx = holds};
  j.regs = action_registers(db, b);
  db->context = CONTEXT_READ;
  j.plan = plan_make(db, b, PLAN_NO_FOCUS, 0, NULL);
  if (regs) j.plan->by_age = true; /* what came first tends to have the shortest history */
  join_run(&j);
  plan_free(j.plan);
  if (*holds && regs) memcpy(regs, j.regs, b->n_regs * sizeof *regs);
  free(j.regs);
  return !db->failed;
}

bool db_check(Db *db, const IrBlock *b, bool *holds) { return db_check_match(db, b, holds, NULL); }

static void begin_action(Db *db, Span at) {
  if (db->searched) db->epoch++;
  db->searched = false;
  db->acting = true;
  db->now.reason = 0;
  db->now.rule = IR_NONE;
  db->now.by = BY_ACTION;
  db->now.at = at;
  db->context = CONTEXT_FULL;
}

bool db_act(Db *db, const IrBlock *b, Val *out) {
  lattice_note_deletions(db, b);
  begin_action(db, b->n_ops ? b->ops[0].at : (Span){0, 0, 0});
  Val *regs = action_registers(db, b);
  bool ok = finish_epoch(db, action_run(db, b, regs));
  if (ok && out) *out = b->sorts ? canon(db, b->sorts[b->result], regs[b->result]) : regs[b->result];
  free(regs);
  return ok;
}

/* Rows that come one after another are one action. */
static Table *insertion(Db *db, TableId id, Span at) {
  if (!db->acting || db->searched || db->now.by != BY_ACTION) begin_action(db, at);
  return db->tables.at[id];
}

Val db_make(Db *db, TableId id, const Val *in, Span at) {
  return action_make(db, insertion(db, id, at), in, VAL_NONE);
}

Val db_vec(Db *db, SortId sort, const Val *elements, uint32_t n) { return box_make(db, sort, elements, n); }

bool db_insert(Db *db, TableId id, const Val *cols, Span at) {
  Table *t = insertion(db, id, at);
  if (t->kind == TABLE_FUNCTION)
    action_set(db, t, cols);
  else
    action_make(db, t, cols, VAL_NONE);
  return !db->failed;
}

bool db_settle(Db *db) { return finish_epoch(db, !db->failed); }
