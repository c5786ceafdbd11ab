/* Schedules, and the commands that run rules. */
#include "eval/program/command.h"

typedef struct Scheduler {
  Sym name;
  IrBackOff *backoff;
} Scheduler;

/* A schedule being read. */
typedef struct Reading {
  Program *program;
  Vec(Lower *) owned; /* of the `until` queries, released after the run */
  Vec(Scheduler) schedulers;
  Vec(IrBackOff *) backoffs;
} Reading;

static bool is_name(const Sexp *x) { return x->kind == SEXP_SYMBOL && *sym_text(x->sym) != ':'; }

static IrSchedule *new_schedule(Reading *g, IrScheduleKind kind, const Sexp *x) {
  IrSchedule *s = ARENA_NEW(&g->program->scratch, IrSchedule);
  s->kind = kind;
  s->span = x->at;
  return s;
}

static bool read_until(Reading *g, const Sexp *x, uint32_t from, IrSchedule *s) {
  Program *e = g->program;
  static const char *const known[] = {":until*", NULL};
  Options o;
  if (!options_read(e, x, from, known, &o)) return false;
  const Option *until = option_find(&o, ":until");
  if (!until) return true;
  Lower *l = xmalloc(sizeof *l);
  lower_init(l, e);
  vec_push(&g->owned, l);
  uint32_t first = (uint32_t)(until->values - x->item);
  s->until = ARENA_NEW(&e->scratch, IrBlock);
  bool ok = command_facts(l, x, until->n ? first : 0, until->n ? first + until->n : 0, s->until);
  scope_leave(&l->scope);
  return ok;
}

static IrSchedule *read_schedule(Reading *g, const Sexp *x);

static IrBackOff *new_backoff(Reading *g, uint64_t match_limit, uint64_t ban_length) {
  IrBackOff *b = ARENA_NEW(&g->program->scratch, IrBackOff);
  *b = (IrBackOff){match_limit, ban_length, NULL};
  vec_push(&g->backoffs, b);
  return b;
}

/* (let-scheduler name (back-off [:match-limit n] [:ban-length n])) */
static bool read_scheduler(Reading *g, const Sexp *x) {
  static const char *const known[] = {":match-limit1", ":ban-length1", NULL};
  Diags *d = g->program->diags;
  uint64_t match_limit = 1000, ban_length = 5;
  Options o;
  if (x->n != 3 || !is_name(&x->item[1]) || strcmp(sym_text(sexp_head(&x->item[2])), "back-off") != 0) {
    diag_error(d, x->at, E_SYNTAX, "this should read `(let-scheduler name (back-off))`");
    diag_hint(d, "with :match-limit and :ban-length, each a number, if not 1000 and 5");
    return false;
  }
  if (!options_read(g->program, &x->item[2], 1, known, &o)) return false;
  const Option *limit = option_find(&o, ":match-limit"), *length = option_find(&o, ":ban-length");
  if (limit && !option_uint(g->program, limit->values, &match_limit)) return false;
  if (length && !option_uint(g->program, length->values, &ban_length)) return false;
  vec_push(&g->schedulers, (Scheduler){x->item[1].sym, new_backoff(g, match_limit, ban_length)});
  return true;
}

static IrBackOff *scheduler_named(Reading *g, const Sexp *x) {
  for (size_t i = g->schedulers.len; x->kind == SEXP_SYMBOL && i-- > 0;)
    if (g->schedulers.at[i].name == x->sym) return g->schedulers.at[i].backoff;
  diag_error(g->program->diags, x->at, E_UNBOUND, "there is no scheduler of this name");
  diag_hint(g->program->diags, "declare it before, in the same schedule: (let-scheduler name (back-off))");
  return NULL;
}

static bool read_members(Reading *g, const Sexp *x, uint32_t from, IrSchedule *s) {
  s->at = ARENA_ARRAY(&g->program->scratch, IrSchedule *, x->n + 1);
  for (uint32_t i = from; i < x->n; i++) {
    const Sexp *m = &x->item[i];
    if (!strcmp(sym_text(sexp_head(m)), "let-scheduler")) {
      if (!read_scheduler(g, m)) return false;
    } else if (!(s->at[s->n++] = read_schedule(g, m))) {
      return false;
    }
  }
  return true;
}

/* (run [ruleset] [:until ..]), (run-with scheduler [ruleset] [:until ..]) */
static IrSchedule *read_run(Reading *g, const Sexp *x, bool with) {
  IrSchedule *s = new_schedule(g, IR_RUN, x);
  uint32_t at = 1;
  if (with && x->n < 2) {
    diag_error(g->program->diags, x->at, E_SYNTAX, "this should read `(run-with scheduler ruleset)`");
    return NULL;
  }
  if (with && !(s->backoff = scheduler_named(g, &x->item[at++]))) return NULL;
  bool named = x->n > at && is_name(&x->item[at]);
  if (named) s->ruleset = x->item[at++].sym;
  return read_until(g, x, at, s) ? s : NULL;
}

/* (back-off match-limit s*): all that runs inside, with a scheduler of its own. */
static void set_backoff(IrSchedule *s, IrBackOff *b) {
  if (s->kind == IR_RUN && !s->backoff) s->backoff = b;
  for (uint32_t i = 0; i < s->n; i++) set_backoff(s->at[i], b);
}

static IrSchedule *read_schedule(Reading *g, const Sexp *x) {
  enum { BAN_LENGTH = 5 };
  Program *e = g->program;
  if (x->kind == SEXP_SYMBOL) {
    IrSchedule *s = new_schedule(g, IR_RUN, x);
    s->ruleset = x->sym;
    return s;
  }
  const char *h = sym_text(sexp_head(x));
  if (!strcmp(h, "run") || !strcmp(h, "run-with")) return read_run(g, x, h[3] == '-');
  if (!strcmp(h, "seq") || !strcmp(h, "saturate")) {
    IrSchedule *s = new_schedule(g, *h == 's' && h[1] == 'e' ? IR_SEQ : IR_SATURATE, x);
    return read_members(g, x, 1, s) ? s : NULL;
  }
  if (!strcmp(h, "repeat") && x->n > 1) {
    IrSchedule *s = new_schedule(g, IR_REPEAT, x);
    return option_uint(e, &x->item[1], &s->times) && read_members(g, x, 2, s) ? s : NULL;
  }
  if (!strcmp(h, "back-off") && x->n > 1) {
    IrSchedule *s = new_schedule(g, IR_SEQ, x);
    uint64_t limit;
    if (!option_uint(e, &x->item[1], &limit) || !read_members(g, x, 2, s)) return NULL;
    set_backoff(s, new_backoff(g, limit, BAN_LENGTH));
    return s;
  }
  diag_error(e->diags, x->at, E_SYNTAX, "this is no schedule");
  diag_hint(e->diags,
            "a schedule is a ruleset, (run ...), (run-with ...), (seq ...), (repeat n ...), (saturate ...) or "
            "(back-off n ...)");
  return NULL;
}

static Result finish(Reading *g, IrSchedule *s) {
  Result r = !s ? RESULT_BAD : db_run(g->program->db, s) ? RESULT_OK : RESULT_FAILED;
  for (size_t i = 0; i < g->backoffs.len; i++) db_backoff_free(g->backoffs.at[i]);
  for (size_t i = 0; i < g->owned.len; i++) {
    lower_free(g->owned.at[i]);
    free(g->owned.at[i]);
  }
  vec_free(&g->owned);
  vec_free(&g->schedulers);
  vec_free(&g->backoffs);
  return r;
}

Result schedule_whole(Program *e, const Sexp *x) {
  Reading g = {.program = e};
  IrSchedule *s = new_schedule(&g, IR_SEQ, x);
  return finish(&g, read_members(&g, x, 1, s) ? s : NULL);
}

/* (run n), (run ruleset n), each with :until */
Result schedule_times(Program *e, const Sexp *x) {
  Reading g = {.program = e};
  IrSchedule *s = new_schedule(&g, IR_REPEAT, x), *one = new_schedule(&g, IR_RUN, x);
  bool named = x->n > 1 && is_name(&x->item[1]);
  if (named) one->ruleset = x->item[1].sym;
  if (x->n < 2u + named) {
    diag_error(e->diags, x->at, E_SYNTAX, "this should read `(run %sn)`", named ? "ruleset " : "");
    return RESULT_BAD;
  }
  s->n = 1;
  s->at = ARENA_ARRAY(&e->scratch, IrSchedule *, 1);
  s->at[0] = one;
  bool ok = option_uint(e, &x->item[1 + named], &s->times) && read_until(&g, x, 2 + named, one);
  return finish(&g, ok ? s : NULL);
}
