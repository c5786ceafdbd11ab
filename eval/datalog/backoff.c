#include "eval/datalog/backoff.h"

typedef struct Ban {
  uint64_t until; /* first iteration in which the rule runs again */
  uint32_t times;
} Ban;

struct BackOff {
  uint64_t iteration;
  Vec(Ban) bans; /* by rule */
};

void db_backoff_free(IrBackOff *b) {
  if (!b || !b->state) return;
  vec_free(&b->state->bans);
  free(b->state);
  b->state = NULL;
}

static uint64_t doubled(uint64_t n, uint32_t times) {
  return times < 64 && n <= UINT64_MAX >> times ? n << times : UINT64_MAX;
}

void backoff_begin(IrBackOff *b) {
  if (!b->state) b->state = xcalloc(1, sizeof *b->state);
  b->state->iteration++;
}

static const Ban *ban_of(const IrBackOff *b, RuleId rule) {
  static const Ban none = {0};
  return rule < b->state->bans.len ? &b->state->bans.at[rule] : &none;
}

bool backoff_holds(const IrBackOff *b, RuleId rule) { return ban_of(b, rule)->until > b->state->iteration; }

uint64_t backoff_limit(const IrBackOff *b, RuleId rule) { return doubled(b->match_limit, ban_of(b, rule)->times); }

void backoff_ban(IrBackOff *b, RuleId rule) {
  while (b->state->bans.len <= rule) vec_push(&b->state->bans, (Ban){0, 0});
  Ban *ban = &b->state->bans.at[rule];
  uint64_t length = doubled(b->ban_length, ban->times++);
  ban->until = length < UINT64_MAX - b->state->iteration ? b->state->iteration + 1 + length : UINT64_MAX;
}

bool backoff_skip(IrBackOff *b) {
  uint64_t next = UINT64_MAX;
  bool any = false;
  for (size_t i = 0; i < b->state->bans.len; i++) {
    uint64_t until = b->state->bans.at[i].until;
    if (until <= b->state->iteration) continue;
    any = true;
    if (until < next) next = until;
  }
  if (any) b->state->iteration = next - 1;
  return any;
}
