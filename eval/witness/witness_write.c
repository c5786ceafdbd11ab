/* Writes a certificate as text (SPEC.md, section 16).  Definitions that no step needs are left out; those that are
 * written keep their order, which the checker's goals rest on. */
#include <inttypes.h>
#include <stdio.h>

#include "certify/proof.h"
#include "eval/witness/witness_search.h"

static void put_rat(Rat r, FILE *out) {
  mpq_t q;
  mpq_init(q);
  rat_get(r, q);
  mpq_out_str(out, 10, q);
  mpq_clear(q);
}

static void put_cuts(const Cuts *c, FILE *out) {
  if (!c->n) fputc('1', out);
  for (uint32_t i = 0; i < c->n; i++) fprintf(out, "%s%" PRId64, i ? "." : "", c->size[i]);
}

static bool same_cuts(const Cuts *x, const Cuts *y, uint32_t rank) {
  for (uint32_t d = 0; d < rank; d++)
    if (x[d].n != y[d].n || (x[d].n && memcmp(x[d].size, y[d].size, x[d].n * sizeof *x[d].size))) return false;
  return true;
}

static void write_cuts(const CertifyProblem *p, const Part *part, int side, FILE *out) {
  const Graph *g = p->graph[side];
  Arena a = {0};
  for (NodeId id = 0; id < g->nodes.len; id++) {
    uint32_t rank = g->nodes.at[id].rank;
    const Cuts *was = certificate_cuts(g, part->dims[side], id, &a), *c = part->dims[side][id];
    if (part->restated[side][id]) fprintf(out, "as %d %u\n", side, id);
    if (part->sealed[side][id]) fprintf(out, "seal %d %u\n", side, id);
    if (same_cuts(was, c, rank)) continue;
    fprintf(out, "cut %d %u", side, id);
    for (uint32_t d = 0; d < rank; d++) fputc(' ', out), put_cuts(&c[d], out);
    fputc('\n', out);
  }
  arena_free(&a);
}

static void write_label(bool constant, int64_t label, char before, FILE *out) {
  fprintf(out, constant ? "%c#%" PRId64 : "%c%" PRId64, before, label);
}

/* Counted back from the definition that is written: layers that repeat look alike, and are packed.  Inputs by number.
 */
static void write_reference(const Store *s, DefId d, const DefId *number, DefId own, FILE *out) {
  bool leaf = s->defs.at[d].kind < DEF_AT || s->defs.at[d].kind == DEF_INDEX;
  fprintf(out, "%" PRId64, (int64_t)number[d] - (leaf ? 0 : (int64_t)own));
}

static void write_at(const Store *s, const Def *d, const DefId *number, DefId own, FILE *out) {
  uint32_t n = s->defs.at[d->attr].n_slots;
  fputc(' ', out);
  write_reference(s, (DefId)d->attr, number, own, out);
  fprintf(out, " %u", d->n_slots);
  for (uint32_t i = 0; i < d->n_slots; i++) fprintf(out, " %" PRId64, d->sizes[i]);
  for (uint32_t i = 0; i < n; i++) {
    fprintf(out, " %" PRId64 " %u", d->forms[i].c, d->forms[i].n);
    for (uint32_t j = 0; j < d->forms[i].n; j++)
      fprintf(out, " %" PRId64 "*%u", d->forms[i].t[j].k, d->forms[i].t[j].l);
  }
}

static void write_def(const Store *s, DefId id, const DefId *number, FILE *out) {
  const Def *d = &s->defs.at[id];
  fprintf(out, "%s", def_shape[d->kind].text);
  if (d->kind == DEF_AT) write_at(s, d, number, number[id], out);
  if (d->kind == DEF_FN) fprintf(out, " %s", sym_text(d->fn));
  if (d->kind == DEF_INDEX) fprintf(out, " %" PRId64, d->sizes[0]);
  if (d->kind == DEF_TABLE) {
    uint64_t n = 1;
    fprintf(out, " %u", d->n_slots);
    for (uint32_t i = 0; i < d->n_slots; i++) n *= (uint64_t)d->sizes[i], fprintf(out, " %" PRId64, d->sizes[i]);
    for (uint64_t i = 0; i < n; i++) {
      fputc(' ', out);
      if (rat_is_finite(d->values[i])) put_rat(d->values[i], out);
      else fputs(d->values[i] == RAT_POS_INF ? "inf" : d->values[i] == RAT_NEG_INF ? "-inf" : "nan", out);
    }
  }
  if (d->n_args || d->kind == DEF_OPAQUE) fprintf(out, " %u %u", d->n_slots, d->n_bound);
  if (d->kind == DEF_OPAQUE) {
    fprintf(out, " %u", d->fn);
    for (uint32_t i = 0; i < d->n_slots; i++) fprintf(out, " %" PRId64, def_produces(d, i) ? d->sizes[i] : 0);
    for (uint32_t i = 0; i < d->n_bound; i++) fprintf(out, " %" PRId64, d->sizes[d->n_slots + i]);
  }
  for (uint32_t i = 0; i < d->n_args; i++) {
    const DefArg *g = &d->args[i];
    fputc(' ', out);
    if (def_shape[d->kind].tags) put_rat(g->tag, out), fputc('*', out);
    write_reference(s, g->def, number, number[id], out);
    for (uint32_t k = 0; k < g->n; k++)
      write_label(g->at[k] < 0, g->at[k] < 0 ? -1 - g->at[k] : g->at[k], k ? '.' : ':', out);
  }
  for (uint32_t i = 0; i < d->n_mirrors * d->n_slots && d->kind != DEF_AT; i++)
    fprintf(out, i % d->n_slots ? ".%u" : "\nsymmetry %u", d->mirror[i]);
  fputc('\n', out);
}

static void put_axes(uint32_t n, const uint32_t *axes, FILE *out) {
  fprintf(out, " %u", n);
  for (uint32_t k = 0; k < n; k++) fprintf(out, ".%u", axes[k]);
}

static void put_layout(const Layout *l, FILE *out) {
  for (uint32_t d = 0; d < l->rank; d++) put_axes(l->dims[d].n, l->dims[d].axes, out);
  put_axes(l->n_partial, l->partial, out);
  fputc('\n', out);
}

static void write_claims(const Part *part, FILE *out) {
  const Cut *c = &part->cut;
  for (uint32_t i = 0; i < c->inputs.n; i++) fprintf(out, "input %u\n", c->inputs.at[i].number);
  for (uint32_t i = 0; i < c->ways.n; i++) fprintf(out, "way %u\n", c->ways.at[i].number);
  for (uint32_t i = 0; i < c->claims.n; i++) {
    fprintf(out, "claim %u %u ", c->claims.at[i].seq, c->claims.at[i].dist);
    put_rat(c->claims.at[i].factor, out);
    put_layout(&c->claims.at[i].layout, out);
  }
}

/* By definition: whether a step needs it. */
static bool *needed(const Part *part) {
  const Store *s = part->store;
  bool *used = xcalloc(s->defs.len, sizeof *used);
  for (size_t i = 0; i < part->steps.len; i++) used[part->steps.at[i].def] = true;
  for (size_t d = s->defs.len; d-- > 0;) {
    used[d] |= s->defs.at[d].kind == DEF_INDEX || s->defs.at[d].kind == DEF_TABLE || s->defs.at[d].kind == DEF_AT;
    if (s->defs.at[d].kind == DEF_AT) used[s->defs.at[d].attr] = true;
    for (uint32_t i = 0; used[d] && i < s->defs.at[d].n_args; i++) used[s->defs.at[d].args[i].def] = true;
  }
  return used;
}

uint32_t witness_too_long(const Part *part) {
  bool *used = needed(part);
  uint32_t most = 0;
  for (DefId d = part->n_given; d < part->store->defs.len && !most; d++) {
    const Def *x = &part->store->defs.at[d];
    if (used[d] && x->n_args > def_shape[x->kind].most) most = def_shape[x->kind].most;
  }
  free(used);
  return most;
}

static void write_part(const Part *part, FILE *out) {
  const CertifyProblem *p = &part->problem;
  const Store *s = part->store;
  uint32_t n_given = part->n_given, n = n_given;
  fputs("part", out);
  for (uint32_t i = 0; i < part->n_outputs && !part->cut.claims.n; i++) fprintf(out, " %u", part->outputs[i]);
  fputc('\n', out);
  write_claims(part, out);
  fputs("axes", out);
  for (uint32_t a = 0; a < p->relation->mesh.n_axes; a++) fputc(' ', out), put_cuts(&part->axes[a], out);
  fputc('\n', out);
  uint32_t n_mesh = 0;
  for (uint32_t a = 0; a < p->relation->mesh.n_axes; a++) n_mesh += part->axes[a].n;
  for (uint32_t i = 0; i < n_mesh && part->written; i++)
    if (part->written[i]) fprintf(out, "each %u\n", i);
  for (uint32_t i = 0; i < part->n_readings; i++) {
    bool mask = part->readings[i].read == RAT_NEG_INF;
    fputs(mask ? "mask " : "read ", out);
    put_rat(part->readings[i].literal, out);
    if (!mask) fputc(' ', out), put_rat(part->readings[i].read, out);
    if (part->readings[i].root != 1) fprintf(out, " %u", part->readings[i].root);
    fputc('\n', out);
  }
  for (int side = 0; side < 2; side++) write_cuts(p, part, side, out);
  for (size_t k = 0; k < p->graph[0]->params.len; k++)
    for (uint32_t d = 0; part->one[k] && d < p->graph[0]->nodes.at[p->graph[0]->params.at[k]].rank; d++)
      if (part->one[k][d]) fprintf(out, "one %zu %u\n", k, d);
  for (size_t i = 0; i < s->whole.len; i++)
    if (s->whole.at[i] != NOT_WHOLE) fprintf(out, "whole %zu %" PRId64 "\n", i + 1, s->whole.at[i]);
  bool *used = needed(part);
  DefId *number = xcalloc(s->defs.len, sizeof *number);
  for (DefId d = 0; d < s->defs.len; d++) {
    if (d >= n_given && !used[d]) continue;
    number[d] = d < n_given ? d : n++;
    if (d >= n_given) write_def(s, d, number, out);
  }
  DefId last = 0;
  for (size_t i = 0; i < part->steps.len; i++) {
    const Step *t = &part->steps.at[i];
    fputs(law_name(t->law), out);
    fputc(' ', out);
    put_rat(t->k, out);
    fprintf(out, "*%" PRId64, (int64_t)number[t->def] - (int64_t)last);
    last = number[t->def];
    for (uint32_t k = 0; k < t->n; k++)
      write_label(label_is_const(t->at[k]), label_value(t->at[k]), k ? '.' : ':', out);
    for (uint32_t k = 0; k < t->choice.n; k++) fprintf(out, " %u", t->choice.at[k]);
    fputc('\n', out);
  }
  free(used);
  free(number);
}

static void write_loops(const CertifyProblem *p, FILE *out) {
  if (p->graph[1]->loops.len) fprintf(out, "loops %zu\n", p->graph[1]->loops.len);
  for (uint32_t i = 0; i < p->n_kept; i++) {
    const Invariant *v = &p->kept[i];
    fprintf(out, "kept %u %u %u %" PRId64, v->loop, v->seq, v->dist, v->divided);
    put_layout(&v->layout, out);
  }
}

void certificate_write(const Certificate *c, const CertifyProblem *p, FILE *out) {
  fputs("tvr certificate 4\n", out);
  write_loops(p, out);
  if (c->beyond) fprintf(out, "beyond %s\n", c->beyond);
  for (uint32_t i = 0; i < c->n_parts && !c->beyond; i++) write_part(&c->parts[i], out);
  fputs("end\n", out);
}
