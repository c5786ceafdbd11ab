#include "eval/blame/blame_words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eval/calculus/write.h"

enum {
  SHOWN = 2,  /* parts that differ */
  PART = 60,  /* characters of such a part */
  NAMED = 8,  /* terms too deep to be shown that get a name */
  LONG = 160, /* characters of a term from which on less of it is shown */
};

/* Dimensions are i, j, k, ..; mesh digits their axis; bound indices a, b, .. */
static const char *name_text(void *context, Name n, char *buf, size_t size) {
  const Proof *p = context;
  const NameInfo *i = calculus_name_info(p->calc, n);
  if (i->kind == NAME_DIM) {
    static const char letters[] = "ijklmnopqrstuvwxyz";
    if (i->a >= sizeof letters - 1) snprintf(buf, size, "i%" PRIu32, i->a);
    else memcpy(buf, (char[]){letters[i->a], 0}, 2);
    size_t len = i->a >= sizeof letters - 1 ? 3 : 1;
    if (i->b && len < size) snprintf(buf + len, size - len, "%" PRIu32, i->b);
    return buf;
  }
  if (i->kind == NAME_MESH) {
    const MeshDigits *md = digits_mesh(p->digits);
    uint32_t axis = meshdigits_get(md, i->a)->axis, first, m = meshdigits_axis(md, axis, &first);
    const char *text = sym_text(p->problem.relation->mesh.axes[axis].name);
    if (m == 1) snprintf(buf, size, "%s", text);
    else snprintf(buf, size, "%s%" PRIu32, text, i->a - first);
    return buf;
  }
  if (i->kind == NAME_BOUND) {
    if (i->a < 8) memcpy(buf, (char[]){(char)('a' + i->a), 0}, 2);
    else snprintf(buf, size, "a%" PRIu32, i->a);
    return buf;
  }
  return NULL;
}

const char *blame_name(Proof *p, Name n, Arena *a) {
  char buf[64];
  if (name_is_const(n)) return arena_printf(a, "%" PRIu32, name_value(n));
  const char *s = name_text(p, n, buf, sizeof buf);
  return s ? arena_printf(a, "%s", s) : "?";
}

/* By class the name of a node whose value it is, sequential ones first; NULL: there is none. */
static void name_classes(Proof *p) {
  p->n_named = calculus_stats(p->calc).classes;
  p->class_name = ARENA_ARRAY(&p->arena, const char *, p->n_named + 1);
  for (Side s = 0; s < SIDE_COUNT; s++)
    for (NodeId i = 0; i < p->problem.graph[s]->nodes.len; i++) {
      Value v = p->build.value[s][i];
      const char **name = value_is_num(v) || v.k != RAT_1 ? NULL : &p->class_name[value_class(p->calc, v)];
      if (name && !*name) *name = sym_text(p->problem.graph[s]->nodes.at[i].name);
    }
}

/* Terms too deep to be shown stand there as "@12[i, j]": names of operators say more. */
static char *with_names(Proof *p, char *text, Arena *a) {
  char *out = text;
  uint32_t left = NAMED;
  if (!p->class_name && strchr(text, '@')) name_classes(p);
  for (char *at = text; left && (at = strchr(at, '@')); at++, left--) {
    char *end;
    unsigned long id = strtoul(at + 1, &end, 10);
    const char *name = end > at + 1 && id < p->n_named ? p->class_name[id] : NULL;
    if (!name || !*name) continue;
    *at = 0;
    const char *before = out;
    out = arena_printf(a, "%s%s%s", before, name, end);
    at = out + strlen(before) + strlen(name) - 1;
  }
  return out;
}

char *blame_term(Proof *proof, Value v, uint32_t depth, Arena *a) {
  char *text;
  do {
    text = value_print(proof->calc, v, depth, true, LONG, a, name_text, proof);
    size_t longest = depth > 1 ? LONG : 2 * LONG;
    if (strlen(text) > LONG) text = value_print(proof->calc, v, depth, false, longest, a, name_text, proof);
  } while (strlen(text) > LONG && --depth);
  if (strlen(text) > 2 * LONG) memcpy(text + 2 * LONG - 3, " ..", 4);
  return with_names(proof, text, a);
}

const char *blame_lemma(Proof *p, Value want, Value have, Arena *a) {
  return calc_write_lemma(p->calc, "missing", want, have, a, name_text, p);
}

const char *blame_axes(const Mesh *m, const uint32_t *axes, uint32_t n, Arena *a) {
  const char *out = "";
  for (uint32_t i = 0; i < n; i++)
    out = arena_printf(a, "%s%s%s", out, !i ? "" : i + 1 == n ? " and " : ", ", sym_text(m->axes[axes[i]].name));
  return out;
}

/* Mesh digits one value has and the other has not, as text; NULL for none. */
static const char *only_in(Proof *p, Value v, Value other, Arena *a) {
  const Name *names;
  uint32_t n = value_names(p->calc, v, &names);
  const char *out = NULL;
  for (uint32_t i = 0; i < n; i++) {
    char buf[64];
    if (name_is_const(names[i]) || calculus_name_info(p->calc, names[i])->kind != NAME_MESH ||
        value_has(p->calc, other, names[i]))
      continue;
    const char *text = name_text(p, names[i], buf, sizeof buf);
    out = out ? arena_printf(a, "%s and %s", out, text) : arena_printf(a, "%s", text);
  }
  return out;
}

static const char *number(Rat r, Arena *a) {
  char buf[128];
  return arena_printf(a, "%s", rat_print(r, buf, sizeof buf));
}

static const char *list(Proof *p, const Value *v, uint32_t n, Arena *a) {
  const char *out = NULL;
  for (uint32_t i = 0; i < n && i < SHOWN; i++) {
    char *t = blame_term(p, v[i], 3, a);
    if (strlen(t) > PART) t = blame_term(p, v[i], 2, a);
    if (strlen(t) > PART) memcpy(t + PART - 3, " ..", 4);
    out = out ? arena_printf(a, "%s; %s", out, t) : t;
  }
  return n > SHOWN ? arena_printf(a, "%s; and %" PRIu32 " more", out, n - SHOWN) : out;
}

static const char *parts(Proof *p, const Diff *d, Arena *a) {
  if (!d->n_extra) return arena_printf(a, "missing: %s", list(p, d->missing, d->n_missing, a));
  if (!d->n_missing) return arena_printf(a, "too much: %s", list(p, d->extra, d->n_extra, a));
  const char *extra = list(p, d->extra, d->n_extra, a);
  return arena_printf(a, "other parts: %s instead of %s", extra, list(p, d->missing, d->n_missing, a));
}

const char *blame_difference(Proof *p, const Diff *d, Arena *a) {
  const char *extra = only_in(p, d->have, d->want, a), *lost = only_in(p, d->want, d->have, a), *have;
  switch (d->kind) {
    case DIFF_NONE: return NULL;
    case DIFF_FACTOR: return arena_printf(a, "factor %s", number(d->a == RAT_0 ? RAT_0 : rat_div(d->b, d->a), a));
    case DIFF_CONSTANT:
      if (rat_is_int(d->a) && rat_is_int(d->b)) return arena_printf(a, "offset %s", number(rat_sub(d->b, d->a), a));
      return arena_printf(a, "the constant %.9g instead of %.9g", rat_to_double(d->b), rat_to_double(d->a));
    case DIFF_COEFFICIENT: return arena_printf(a, "coefficient %s instead of %s", number(d->b, a), number(d->a, a));
    case DIFF_EXPONENT: return arena_printf(a, "exponent %s instead of %s", number(d->b, a), number(d->a, a));
    case DIFF_SUM:
      if (extra) return arena_printf(a, "the sum over %s is missing", extra);
      if (lost) return arena_printf(a, "one sum over %s too many", lost);
      return "summed over other indices";
    case DIFF_INDICES: return "the same values at other indices";
    case DIFF_LEAF:
      have = blame_term(p, d->have, 1, a);
      return arena_printf(a, "%s instead of %s", have, blame_term(p, d->want, 1, a));
    case DIFF_PARTS:
      if (value_is_num(d->have) || value_is_num(d->want)) return "a term of another form"; /* which has no parts */
      return extra ? arena_printf(a, "depends on %s; %s", extra, parts(p, d, a)) : parts(p, d, a);
    case DIFF_FORM:
      if (extra) return arena_printf(a, "depends on %s and should not", extra);
      if (lost) return arena_printf(a, "does not depend on %s and should", lost);
      return "a term of another form";
  }
  return NULL;
}
