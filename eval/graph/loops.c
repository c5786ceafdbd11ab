/* See loops.h. */
#include "eval/graph/loops.h"

#include <inttypes.h>
#include <string.h>

const char *loops_differ(const Graph *seq, const Graph *dist, Arena *a) {
  if (seq->loops.len != dist->loops.len)
    return arena_printf(a, "one program has %zu loops, the other %zu", seq->loops.len, dist->loops.len);
  for (size_t i = 0; i < seq->loops.len; i++) {
    const Loop *s = &seq->loops.at[i], *d = &dist->loops.at[i];
    if (s->trips != d->trips)
      return arena_printf(a, "%s runs %" PRId64 " times, %s %" PRId64 " times", sym_text(s->name), s->trips,
                          sym_text(d->name), d->trips);
    if (s->within != d->within)
      return arena_printf(a, "%s and %s are not nested alike", sym_text(s->name), sym_text(d->name));
  }
  return NULL;
}

static Related row(const Invariant *v, Sym name, uint32_t seq, uint32_t dist, Arena *a) {
  return (Related){
      .name = name, .seq = seq, .dist = dist, .layout = layout_copy(&v->layout, a), .loop = v->loop + 1, .scale = 1};
}

static Related counter_row(const Graph *seq, const Graph *dist, uint32_t i) {
  const Loop *s = &seq->loops.at[i], *d = &dist->loops.at[i];
  Related r = {.seq = s->counter, .dist = d->counter, .loop = i + 1, .scale = 1, .has_lo = true, .has_hi = true};
  r.name = seq->nodes.at[seq->params.at[s->counter]].name;
  r.lo = RAT_0;
  r.hi = rat_int(s->trips - 1);
  return r;
}

Relation loops_relation(const Graph *seq, const Graph *dist, const Relation *own, const Invariant *at, uint32_t n,
                        Arena *a) {
  Relation out = *own;
  uint32_t loops = (uint32_t)seq->loops.len, n_in = own->n_inputs, n_out = own->n_outputs;
  Related *in = ARENA_ARRAY(a, Related, n_in + loops + 2 * (size_t)n + 1);
  Related *results = ARENA_ARRAY(a, Related, n_out + 2 * (size_t)n + 1);
  memset(&out.arena, 0, sizeof out.arena);
  if (n_in) memcpy(in, own->inputs, n_in * sizeof *in);
  if (n_out) memcpy(results, own->outputs, n_out * sizeof *results);
  for (uint32_t i = 0; i < loops; i++) in[n_in++] = counter_row(seq, dist, i);
  for (uint32_t i = 0; i < n; i++) {
    const Invariant *v = &at[i];
    const Carried *s = &seq->loops.at[v->loop].carried[v->seq], *d = &dist->loops.at[v->loop].carried[v->dist];
    in[n_in++] = row(v, d->name, s->before, d->before, a);
    in[n_in++] = row(v, dist->nodes.at[dist->params.at[d->after]].name, s->after, d->after, a);
    results[n_out++] = row(v, dist->outputs.at[d->first].name, s->first, d->first, a);
    results[n_out++] = row(v, dist->outputs.at[d->next].name, s->next, d->next, a);
  }
  out.inputs = in;
  out.outputs = results;
  out.n_inputs = n_in;
  out.n_outputs = n_out;
  return out;
}

static uint64_t times(uint64_t x, uint64_t y) {
  uint64_t z;
  return __builtin_mul_overflow(x, y, &z) || z > INT64_MAX ? INT64_MAX : z;
}

uint64_t loops_unrolled(const Graph *g) {
  uint64_t n = 0;
  for (size_t i = 0; i < g->loops.len; i++) {
    uint64_t here = times(g->loops.at[i].size, (uint64_t)g->loops.at[i].trips);
    for (uint32_t k = g->loops.at[i].within; k != NO_LOOP; k = g->loops.at[k].within)
      here = times(here, (uint64_t)g->loops.at[k].trips);
    n = n + here > INT64_MAX ? INT64_MAX : n + here;
  }
  return n;
}

int64_t loops_longest(const Graph *g) {
  int64_t most = 0;
  for (size_t i = 0; i < g->loops.len; i++)
    if (g->loops.at[i].trips > most) most = g->loops.at[i].trips;
  return most;
}
