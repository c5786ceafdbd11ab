/* panel: see panel.h. */
#include "eval/exact/panel.h"

#define MOST_TERMS 16384

/* Axes of the result with what a step along them moves. */
typedef struct Axes {
  uint32_t n;
  int64_t size[VIEW_MAX_VARS], out[VIEW_MAX_VARS], row[VIEW_MAX_VARS], held[VIEW_MAX_VARS];
} Axes;

typedef struct Place {
  double *out;
  const double *row, *held;
} Place;

static bool advance(const Axes *x, int64_t *index, Place *p) {
  for (uint32_t k = x->n; k-- > 0;) {
    p->out += x->out[k], p->row += x->row[k], p->held += x->held[k];
    if (++index[k] < x->size[k]) return true;
    p->out -= x->out[k] * x->size[k], p->row -= x->row[k] * x->size[k], p->held -= x->held[k] * x->size[k];
    index[k] = 0;
  }
  return false;
}

static void add_axis(Axes *x, int64_t size, int64_t out, int64_t row, int64_t held) {
  uint32_t k = x->n++;
  x->size[k] = size, x->out[k] = out, x->row[k] = row, x->held[k] = held;
}

/* Where the terms are in view k, in their order. */
static int64_t *offsets(const Walk *under, uint32_t k, uint64_t n, Arena *scratch) {
  int64_t *to = arena_raw(scratch, n * sizeof *to), at = 0, index[VIEW_MAX_VARS] = {0};
  for (uint64_t i = 0; i < n; i++) {
    to[i] = at;
    for (uint32_t d = under->n_axes; d-- > 0;) {
      at += under->stride[k][d];
      if (++index[d] < under->size[d]) break;
      at -= under->stride[k][d] * under->size[d];
      index[d] = 0;
    }
  }
  return to;
}

static bool contract(const Arithmetic *a, const Axes *batch, const Axes *rows, const Axes *run, Place at, uint64_t n,
                     const int64_t *row_terms, const int64_t *held_terms, double *panel) {
  int64_t batches[VIEW_MAX_VARS] = {0};
  do {
    for (int64_t first = 0; first < run->size[0]; first += a->lanes) {
      int64_t left = run->size[0] - first, lanes = left < a->lanes ? left : a->lanes, index[VIEW_MAX_VARS] = {0};
      Place p = {at.out + first * run->out[0], at.row, at.held + first * run->held[0]};
      if (!a->pack(p.held, run->held[0], lanes, held_terms, n, panel)) return false;
      do a->row(p.row, row_terms, n, panel, lanes, p.out);
      while (advance(rows, index, &p));
    }
  } while (advance(batch, batches, &at));
  return true;
}

bool panel_contract(const Arithmetic *a, const Walk *over, const Walk *under, Arena *scratch, double *out) {
  uint32_t last = over->n_axes - 1, held = over->stride[0][last] == 0;
  uint64_t n = walk_points(under);
  if (over->n_views != 2 || over->stride[!held][last] != 0 || over->stride[held][last] == 0) return false;
  if (n < 2 || n > MOST_TERMS || over->size[last] < 3 || walk_points(over) == 0) return false;
  Axes batch = {0}, rows = {0}, run = {0};
  int64_t step = over->width * (int64_t)walk_points(over), n_rows = 1;
  for (uint32_t k = 0; k < last; k++)
    if (over->stride[held][k] == 0) n_rows *= over->size[k];
  if (n_rows < 2) return false;
  add_axis(&run, over->size[last], over->width, 0, over->stride[held][last]);
  for (uint32_t k = 0; k < last; k++) {
    step /= over->size[k];
    add_axis(over->stride[held][k] ? &batch : &rows, over->size[k], step, over->stride[!held][k], over->stride[held][k]);
  }
  ArenaMark mark = arena_mark(scratch);
  const int64_t *row_terms = offsets(under, !held, n, scratch), *held_terms = offsets(under, held, n, scratch);
  double *panel = arena_raw(scratch, n * a->panel * sizeof *panel);
  bool ok = contract(a, &batch, &rows, &run, (Place){out, over->at[!held], over->at[held]}, n, row_terms, held_terms, panel);
  arena_reset(scratch, mark);
  return ok;
}
