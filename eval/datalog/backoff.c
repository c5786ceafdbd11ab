#include "eval/datalog/backoff.h"

struct BackOff {
  Vec(Held) rules; /* by number */
};

void db_backoff_free(IrBackOff *b) {
  if (!b || !b->state) return;
  for (size_t i = 0; i < b->state->rules.len; i++) vec_free(&b->state->rules.at[i].matches);
  vec_free(&b->state->rules);
  free(b->state);
  b->state = NULL;
}

static uint64_t doubled(uint64_t n, uint32_t times) {
  return times < 64 && n <= UINT64_MAX >> times ? n << times : UINT64_MAX;
}

Held *backoff_rule(IrBackOff *b, RuleId rule) {
  if (!b->state) b->state = xcalloc(1, sizeof *b->state);
  while (b->state->rules.len <= rule) vec_push(&b->state->rules, (Held){0});
  return &b->state->rules.at[rule];
}

bool backoff_begin(Held *h) { return ++h->iteration >= h->until || !h->waits; }

/* ---- matches ---- */

typedef struct Numbered {
  const Val *key;
  size_t n, place;
} Numbered;

static int compare_numbered(const void *a, const void *b) {
  const Numbered *x = a, *y = b;
  int c = x->n ? memcmp(x->key, y->key, x->n * sizeof *x->key) : 0;
  return c ? c : x->place < y->place ? -1 : x->place > y->place;
}

/* Of the matches that agree in these registers, the first; the others are dropped. */
static void keep_first(Held *h, size_t width, const Reg *regs, size_t n_regs) {
  Val *keys = xmalloc((h->n * n_regs + 1) * sizeof *keys);
  Numbered *all = xmalloc((h->n + 1) * sizeof *all);
  bool *again = xcalloc(h->n + 1, sizeof *again);
  size_t kept = 0;
  for (size_t i = 0; i < h->n; i++) {
    for (size_t k = 0; k < n_regs; k++) keys[i * n_regs + k] = h->matches.at[i * width + regs[k]];
    all[i] = (Numbered){keys + i * n_regs, n_regs, i};
  }
  qsort(all, h->n, sizeof *all, compare_numbered);
  for (size_t i = 1; i < h->n; i++)
    again[all[i].place] = !n_regs || !memcmp(all[i - 1].key, all[i].key, n_regs * sizeof *keys);
  for (size_t i = 0; i < h->n; i++) {
    if (again[i]) continue;
    if (width && kept != i) memcpy(h->matches.at + kept * width, h->matches.at + i * width, width * sizeof(Val));
    kept++;
  }
  h->n = kept;
  h->matches.len = kept * width;
  free(keys);
  free(all);
  free(again);
}

/* Values as they are now, and of equal matches the first. */
static void settle(Db *db, Held *h, const IrBlock *block) {
  Vec(Reg) all = {0};
  for (Reg k = 0; k < block->n_body; k++) vec_push(&all, k);
  for (size_t i = 0; i < h->matches.len; i++)
    h->matches.at[i] = canon(db, block->sorts[i % block->n_body], h->matches.at[i]);
  keep_first(h, block->n_body, all.at, all.len);
  vec_free(&all);
}

/* Is the register one that an action reads? */
static bool is_used(const IrBlock *block, Reg reg) {
  for (uint32_t i = 0; i < block->n_ops; i++)
    for (uint32_t k = 0; k < block->ops[i].n; k++)
      if (block->ops[i].arg[k] == reg) return true;
  return false;
}

void backoff_distinct(Held *h, const IrBlock *block) {
  Vec(Reg) used = {0};
  for (Reg k = 0; k < block->n_body; k++)
    if (is_used(block, k)) vec_push(&used, k);
  keep_first(h, block->n_body, used.at, used.len);
  vec_free(&used);
}

bool backoff_lets_through(Db *db, const IrBackOff *b, Held *h, const IrBlock *block) {
  settle(db, h, block);
  h->waits = h->n > doubled(b->match_limit, h->times);
  if (!h->waits) return true;
  uint64_t length = doubled(b->ban_length, h->times++);
  h->until = length < UINT64_MAX - h->iteration ? h->iteration + length : UINT64_MAX;
  return false;
}

bool backoff_skip(IrBackOff *b, const RuleId *rules, size_t n) {
  uint64_t least = UINT64_MAX;
  bool any = false;
  for (size_t i = 0; i < n; i++) {
    const Held *h = backoff_rule(b, rules[i]);
    if (!h->waits) continue;
    any = true;
    uint64_t left = h->until > h->iteration ? h->until - h->iteration : 0;
    if (left < least) least = left;
  }
  for (size_t i = 0; any && least > 1 && i < n; i++) {
    Held *h = backoff_rule(b, rules[i]);
    if (h->waits) h->iteration += least - 1;
  }
  return any;
}
