#include "eval/datalog/sample.h"

#include "eval/datalog/table.h"

static int compare(const void *a, const void *b) {
  Val x = *(const Val *)a, y = *(const Val *)b;
  return x < y ? -1 : x > y;
}

static void take(Sample *s, const Table *t, uint32_t col) {
  Val v[SAMPLE_ROWS + 1];
  uint32_t step = t->n_rows / SAMPLE_ROWS + 1, n = 0;
  for (uint32_t r = step / 2; r < t->n_rows && n < SAMPLE_ROWS; r += step)
    if (!(*table_meta(t, r) & ROW_DEAD)) v[n++] = table_row(t, r)[col];
  qsort(v, n, sizeof *v, compare);
  s->n = n;
  s->k = 0;
  s->taken_at = t->n_rows;
  s->version++;
  s->at = xrealloc(s->at, (n + 1) * sizeof *s->at);
  for (uint32_t i = 0; i < n; i++) {
    if (s->k && s->at[s->k - 1].value == v[i])
      s->at[s->k - 1].count++;
    else
      s->at[s->k++] = (struct SampleEntry){v[i], 1};
  }
}

static Sample *sample_of(Table *t, uint32_t col) {
  if (!t->samples) t->samples = xcalloc(t->n_cols + 1, sizeof *t->samples);
  Sample *s = &t->samples[col];
  if (!s->at || t->n_rows > s->taken_at + s->taken_at / 2 || t->n_rows < s->taken_at / 2) take(s, t, col);
  return s;
}

double sample_crowd(Table *t, uint32_t col) {
  const Sample *s = sample_of(t, col);
  double pairs = 0;
  for (uint32_t i = 0; i < s->k; i++) pairs += (double)s->at[i].count * (s->at[i].count - 1);
  return s->n < 2 ? 1 : 1 + (t->n_live - 1.0) * (pairs / ((double)s->n * (s->n - 1)));
}

/* What one sighting stands for; and half of it for none, unless everything was seen. */
static double scaled(const Table *t, const Sample *s, double seen, double draws) {
  enum { RARE = 64 };
  double each = s->n ? (double)t->n_live / s->n : 1;
  if (seen) return seen * each / draws;
  double none = each > 1 ? each / (2 * draws) : 1.0 / RARE / draws;
  return none < 1 ? none : 1;
}

double sample_count(Table *t, uint32_t col, Val value) {
  const Sample *s = sample_of(t, col);
  uint32_t lo = 0, hi = s->k;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (s->at[mid].value < value)
      lo = mid + 1;
    else
      hi = mid;
  }
  return scaled(t, s, lo < s->k && s->at[lo].value == value ? s->at[lo].count : 0, 1);
}

static double pairs_of(const Sample *a, const Sample *b) {
  double pairs = 0;
  for (uint32_t i = 0, j = 0; i < a->k && j < b->k;) {
    if (a->at[i].value < b->at[j].value)
      i++;
    else if (a->at[i].value > b->at[j].value)
      j++;
    else
      pairs += (double)a->at[i++].count * b->at[j++].count;
  }
  return pairs;
}

double sample_meet(Table *t, uint32_t col, Table *from, uint32_t from_col) {
  if (t == from && col == from_col) return sample_crowd(t, col);
  Sample *a = sample_of(t, col);
  const Sample *b = sample_of(from, from_col);
  struct SampleMeet *m = &a->kept[(from->id * 3 + from_col) % SAMPLE_KEPT];
  if (m->table != from->id || m->col != from_col || m->version != a->version || m->with_version != b->version)
    *m = (struct SampleMeet){from->id, from_col, a->version, b->version, pairs_of(a, b)};
  return scaled(t, a, m->pairs, b->n ? b->n : 1);
}
