/* fast_read: operands and indices.  A read that surely stays inside its operand is a view of it; others are copied, by
 * runs where that is possible. */
#include "eval/exact/fast_parts.h"

#include <math.h>
#include <string.h>

/* Fixed part of an index, and the variables it ranges over. */
static int64_t ix_constant(const Fast *f, const Ix *ix, uint64_t *vars) {
  int64_t c = ix->constant;
  for (uint32_t t = 0; t < ix->n_terms; t++) {
    VarId v = ix->terms[t].var;
    if (f->fixed[v] >= 0) c += ix->terms[t].coef * f->fixed[v];
    else *vars |= 1ull << v;
  }
  return c;
}

/* Whether the affine part of ix stays within 0 .. size-1. */
static bool ix_in_range(const Fast *f, const Ix *ix, int64_t size) {
  uint64_t vars = 0;
  __int128 lo = ix_constant(f, ix, &vars), hi = lo;
  for (uint32_t t = 0; t < ix->n_terms; t++) {
    VarId v = ix->terms[t].var;
    if (f->fixed[v] >= 0) continue;
    __int128 reach = (__int128)ix->terms[t].coef * (f->in->vars[v].size - 1);
    if (reach < 0) lo += reach;
    else hi += reach;
  }
  return lo >= 0 && hi < size;
}

typedef struct Reader {
  uint32_t n_ix;
  const Ix *ix[256];
  const View *dyn[256];
  int64_t constant[256], size[256], step[256]; /* per index: its fixed part, the dimension's size and stride */
} Reader;

/* A run of reads along a variable: those of lo .. hi-1 are of the operand, at `position` + `step` times their number. */
typedef struct Run {
  int64_t position, step, lo, hi;
} Run;

static int64_t quotient_up(int64_t a, int64_t b) { return a / b + (a % b > 0); } /* b > 0 */

/* From where the variables are `at`; `along` (NO_VAR: none, one read) is 0 there. */
static Run run_of(const Fast *f, const Reader *r, const VarId *order, uint32_t n_order, const int64_t *at, VarId along) {
  Run s = {0, 0, 0, along == NO_VAR ? 1 : f->in->vars[along].size};
  for (uint32_t k = 0; k < r->n_ix; k++) {
    int64_t index = r->constant[k], step = 0;
    for (uint32_t t = 0; t < r->ix[k]->n_terms; t++) {
      IxTerm x = r->ix[k]->terms[t];
      if (x.var == along) step = x.coef;
      else if (f->fixed[x.var] < 0) index += x.coef * at[x.var];
    }
    if (r->dyn[k]) {
      const double *d = r->dyn[k]->at;
      for (uint32_t j = 0; j < n_order; j++)
        if (r->dyn[k]->vars >> order[j] & 1) d += r->dyn[k]->stride[order[j]] * at[order[j]];
      if (!(fabs(*d) < 0x1p53) || *d != floor(*d) || (f->how->width > 1 && (d[1] != 0 || d[2] != 0))) return (Run){0};
      index += (int64_t)*d;
    }
    int64_t first = step < 0 ? r->size[k] - 1 - index : index, last = r->size[k] - 1 - first; /* to either side */
    int64_t by = step < 0 ? -step : step;
    if (!by && (index < 0 || index >= r->size[k])) return (Run){0};
    int64_t lo = by && first < 0 ? quotient_up(-first, by) : 0, hi = !by ? s.hi : last < 0 ? 0 : last / by + 1;
    if (lo > s.lo) s.lo = lo;
    if (hi < s.hi) s.hi = hi;
    s.position += index * r->step[k];
    s.step += step * r->step[k];
  }
  if (s.lo > s.hi) s.lo = s.hi;
  return s;
}

static double *unknowns(double *to, int64_t n, int64_t width) {
  for (int64_t i = 0; i < n; i++, to += width) memcpy(to, fast_no_value, width * sizeof *to);
  return to;
}

/* Reads that may leave the operand, whose indices are computed, or from other devices: by runs along the innermost
 * variable if no computed index depends on it, else one by one. */
static const View *read_checked(Fast *f, Reader *r, const double *const *bases, VarId group, uint64_t vars) {
  uint64_t computed = 0;
  for (uint32_t k = 0; k < r->n_ix; k++) computed |= r->dyn[k] ? r->dyn[k]->vars : 0;
  vars |= computed;
  VarId order[VIEW_MAX_VARS], along = NO_VAR;
  uint32_t n_order;
  double points = fast_points(f, vars);
  View *out = fast_table(f, vars, group, order, &n_order, points * (1 + r->n_ix));
  if (!out) return fast_unknown(f);
  if (n_order && order[n_order - 1] != group && !(computed >> order[n_order - 1] & 1)) along = order[--n_order];
  int64_t at[VIEW_MAX_VARS] = {0}, width = f->how->width, count = along == NO_VAR ? 1 : f->in->vars[along].size;
  double *to = (double *)out->at, *end = to + (int64_t)points * width;
  while (to < end) {
    const double *base = bases[group == NO_VAR ? 0 : at[group]];
    Run s = base ? run_of(f, r, order, n_order, at, along) : (Run){0};
    to = unknowns(to, s.lo, width);
    if (s.hi > s.lo) {
      const double *from = base + (s.position + s.lo * s.step) * width;
      f->how->copy(NULL, 1, &from, (int64_t[]){s.step * width}, s.hi - s.lo, to);
      to += (s.hi - s.lo) * width;
    }
    to = unknowns(to, count - s.hi, width);
    for (uint32_t j = n_order; j-- > 0;) {
      if (++at[order[j]] < f->in->vars[order[j]].size) break;
      at[order[j]] = 0;
    }
  }
  return out;
}

const double *fast_numbers(const Fast *f, uint32_t operand, int64_t device) {
  return device < 0 ? NULL : field_at(&f->side->fields[f->node->args[operand]], device);
}

static const View *read_plain(Fast *f, const Reader *r, const double *base, uint64_t vars) {
  View *v = fast_view(f, base, vars);
  for (uint32_t k = 0; k < r->n_ix; k++) {
    v->at += r->constant[k] * r->step[k] * f->how->width;
    for (uint32_t t = 0; t < r->ix[k]->n_terms; t++) {
      VarId var = r->ix[k]->terms[t].var;
      if (f->fixed[var] < 0) v->stride[var] += r->ix[k]->terms[t].coef * r->step[k] * f->how->width;
    }
  }
  return v;
}

/* The same place on every device of a group. */
static const View *read_group(Fast *f, const Reader *r, const double *const *bases, VarId group, uint64_t vars) {
  VarId order[VIEW_MAX_VARS];
  uint32_t n_order;
  uint64_t all = vars | 1ull << group;
  double points = fast_points(f, vars);
  View *out = fast_table(f, all, group, order, &n_order, fast_points(f, all) * (1 + r->n_ix));
  if (!out) return fast_unknown(f);
  double *to = (double *)out->at;
  for (int64_t h = 0; h < f->in->vars[group].size; h++, to += (int64_t)points * f->how->width) {
    const View *own = bases[h] ? read_plain(f, r, bases[h], vars) : NULL;
    Walk w;
    if (own) walk_start(&w, f->in, f->how->width, order + 1, n_order - 1, &own, 1);
    if (own) walk_runs(&w, f->how->copy, NULL, to);
    else unknowns(to, (int64_t)points, f->how->width);
  }
  return out;
}

const View *fast_read(Fast *f, const X *x) {
  if (x->operand >= f->node->n_args) return fast_unknown(f);
  const Node *arg = &f->side->source->graph->nodes.at[f->node->args[x->operand]];
  Reader r; /* large: what is used is filled in */
  r.n_ix = x->n;
  if (x->mode == READ_AT ? x->n != arg->rank : x->n != 1) return fast_unknown(f);
  uint64_t vars = 0;
  bool plain = true;
  int64_t step = 1;
  for (uint32_t k = x->n; k-- > 0;) {
    r.ix[k] = &x->ix[k];
    r.constant[k] = ix_constant(f, &x->ix[k], &vars);
    r.size[k] = x->mode == READ_AT ? arg->dims[k] : node_elements(arg);
    r.step[k] = step;
    step *= r.size[k];
    r.dyn[k] = x->ix[k].dyn == NO_X ? NULL : fast_eval(f, x->ix[k].dyn);
    plain = plain && !r.dyn[k] && ix_in_range(f, &x->ix[k], r.size[k]);
  }
  if (f->over) return fast_unknown(f);
  int64_t device = f->device;
  if (x->permuted) {
    device = f->peers.source;
    if (device < 0) return fast_scalar(f, (Ball){0, 0, 0});
  } else if (x->group != NO_VAR) {
    if (f->fixed[x->group] < 0) {
      int64_t n = f->in->vars[x->group].size;
      if (n > f->side->n_devices) return fast_unknown(f);
      const double **bases = arena_alloc(f->scratch, (size_t)n * sizeof *bases);
      for (int64_t h = 0; h < n; h++) bases[h] = fast_numbers(f, x->operand, peers_member(&f->peers, h));
      bool others = !(vars >> x->group & 1); /* no index depends on the device that is read */
      return plain && others ? read_group(f, &r, bases, x->group, vars)
                             : read_checked(f, &r, bases, x->group, vars | 1ull << x->group);
    }
    device = peers_member(&f->peers, f->fixed[x->group]);
  }
  const double *base = fast_numbers(f, x->operand, device);
  if (!base) return fast_unknown(f);
  return plain ? read_plain(f, &r, base, vars) : read_checked(f, &r, &base, NO_VAR, vars);
}

const View *fast_index(Fast *f, const Ix *ix) {
  uint64_t vars = 0;
  double c = (double)ix_constant(f, ix, &vars);
  const View *dyn = ix->dyn == NO_X ? NULL : fast_eval(f, ix->dyn);
  VarId order[VIEW_MAX_VARS];
  uint32_t n_order;
  View *out = fast_table(f, vars, NO_VAR, order, &n_order, 0);
  if (!out) return fast_unknown(f);
  double *to = (double *)out->at;
  int64_t at[VIEW_MAX_VARS] = {0};
  uint64_t points = (uint64_t)fast_points(f, vars);
  for (uint64_t i = 0; i < points; i++, to += f->how->width) {
    memcpy(to, (double[BALL_WIDTH]){c}, f->how->width * sizeof *to);
    for (uint32_t t = 0; t < ix->n_terms; t++)
      if (f->fixed[ix->terms[t].var] < 0) *to += (double)(ix->terms[t].coef * at[ix->terms[t].var]);
    for (uint32_t j = n_order; j-- > 0;) {
      if (++at[order[j]] < f->in->vars[order[j]].size) break;
      at[order[j]] = 0;
    }
  }
  if (!dyn) return out;
  const View *both[2] = {out, dyn};
  return fast_zip(f, both, 2, f->how->add, NULL);
}
