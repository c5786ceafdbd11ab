#include "eval/quotient/pattern.h"

void pattern_push(Pattern *p, int64_t size, bool kept) {
  if (size == 1) return;
  if (p->n && p->at[p->n - 1].kept == kept) {
    p->at[p->n - 1].size *= size;
    return;
  }
  p->at[p->n++] = (struct PatternDigit){size, kept};
}

void pattern_append(Pattern *p, const Pattern *major) {
  for (uint32_t i = 0; i < major->n; i++) pattern_push(p, major->at[i].size, major->at[i].kept);
}

bool pattern_same(const Pattern *a, const Pattern *b) {
  bool same = a->n == b->n;
  for (uint32_t i = 0; i < a->n && same; i++) same = a->at[i].size == b->at[i].size && a->at[i].kept == b->at[i].kept;
  return same;
}

int64_t pattern_whole(const Pattern *p) {
  int64_t n = 1;
  for (uint32_t i = 0; i < p->n; i++) n *= p->at[i].size;
  return n;
}

int64_t pattern_small(const Pattern *p) {
  int64_t n = 1;
  for (uint32_t i = 0; i < p->n; i++) n *= p->at[i].kept ? p->at[i].size : 1;
  return n;
}

bool pattern_is_whole(const Pattern *p) { return p->n == 0 || (p->n == 1 && p->at[0].kept); }

bool pattern_take(Pattern *p, int64_t size, Pattern *out) {
  uint32_t used = 0;
  *out = (Pattern){0};
  while (size > 1 && used < p->n) {
    struct PatternDigit *d = &p->at[used];
    if (d->size <= size) {
      if (size % d->size) return false;
      pattern_push(out, d->size, d->kept);
      size /= d->size;
      used++;
      continue;
    }
    if (d->size % size) return false;
    pattern_push(out, size, d->kept);
    d->size /= size;
    size = 1;
  }
  p->n -= used;
  for (uint32_t i = 0; i < p->n; i++) p->at[i] = p->at[i + used];
  return size == 1;
}

int64_t pattern_shrink(const Pattern *p, int64_t at) {
  int64_t small = 0, weight = 1;
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->at[i].kept) small += at % p->at[i].size * weight, weight *= p->at[i].size;
    at /= p->at[i].size;
  }
  return small;
}

int64_t pattern_expand(const Pattern *p, int64_t small) {
  int64_t at = 0, weight = 1;
  for (uint32_t i = 0; i < p->n; i++) {
    if (p->at[i].kept) at += small % p->at[i].size * weight, small /= p->at[i].size;
    weight *= p->at[i].size;
  }
  return at;
}

const char *pattern_text(const Pattern *p, const char *name, Arena *a) {
  const char *text = NULL;
  int64_t inner = pattern_whole(p), weight = pattern_small(p);
  for (uint32_t i = p->n; i-- > 0;) {
    int64_t size = p->at[i].size;
    inner /= size;
    if (!p->at[i].kept) continue;
    weight /= size;
    const char *digit = inner > 1 ? arena_printf(a, "%s / %lld", name, (long long)inner) : name;
    if (i + 1 < p->n) digit = arena_printf(a, "%s %% %lld", digit, (long long)size);
    if (weight > 1) digit = arena_printf(a, "%s * %lld", digit, (long long)weight);
    text = text ? arena_printf(a, "%s + %s", text, digit) : digit;
  }
  return text ? text : "0";
}
