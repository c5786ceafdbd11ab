/* Where an operator comes from: `loc(..)`, with aliases `#loc7 = loc(..)` that may stand anywhere in the file.
 *
 *     "file":10:8 to :54           a place
 *     "name"(LOC)                  a name for it: the operator's label if it is outermost, else a function's
 *     callsite(LOC at LOC)         a place and the places it was called from: frames, innermost first
 *     fused<..>[LOC, LOC]          the first that says something
 *     unknown, #loc7
 * An alias is resolved once; chains of aliases are followed to a bounded depth. */
#include <stdio.h>

#include "frontends/stablehlo/module.h"

enum { MAX_ALIASES = 400 };

typedef struct Place {
  Sym label;
  uint32_t n;
  Sym at[MAX_FRAMES];
} Place;

static void resolve(MlirModule *m, Scan *s, Place *out, unsigned depth);

static uint32_t keep(MlirModule *m, const Place *p) {
  Graph *g = m->graph;
  if (!p->n) return 0;
  vec_push(&g->frames, (Frames){p->n, arena_copy(&g->arena, p->at, p->n * sizeof *p->at)});
  return (uint32_t)g->frames.len - 1;
}

static void alias(MlirModule *m, Text name, Place *out, unsigned depth) {
  Sym key = sym_n(name.at, name.len);
  uint32_t k = key < m->alias_of.len ? m->alias_of.at[key] : 0;
  if (!k || depth > MAX_ALIASES) return;
  MlirAlias *a = &m->aliases.at[k - 1];
  if (a->state == 1) return; /* a cycle */
  if (a->state == 0) {
    a->state = 1;
    Scan s = m->scan;
    s.p = a->value.at;
    if (a->value.len > 4 && !strncmp(s.p, "loc(", 4)) {
      s.p += 4;
      resolve(m, &s, out, depth + 1);
    }
    a->label = out->label;
    a->frames = keep(m, out);
    a->state = 2;
    return;
  }
  const Frames *f = &m->graph->frames.at[a->frames];
  out->label = a->label;
  out->n = f->n;
  memcpy(out->at, f->at, f->n * sizeof *f->at);
}

/* "file":10:8 or "name" or "name"(LOC) */
static void named(MlirModule *m, Scan *s, Place *out, unsigned depth) {
  Text name;
  int64_t line;
  if (!scan_string(s, &name)) return;
  Sym text = text_unquote((Text){name.at - 1, name.len + 2});
  if (*s->p == ':' && SCAN_IS(s->p[1], SCAN_DIGIT)) {
    s->p++;
    line = 0;
    for (; SCAN_IS(*s->p, SCAN_DIGIT); s->p++)
      if (line < 100000000) line = line * 10 + (*s->p - '0');
    char buf[1024];
    int n = snprintf(buf, sizeof buf, "%s:%lld", sym_text(text), (long long)line);
    out->at[0] = sym_n(buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
    out->n = 1;
    while (*s->p == ':' || *s->p == ' ' || *s->p == 't' || *s->p == 'o' || SCAN_IS(*s->p, SCAN_DIGIT)) s->p++;
    return;
  }
  if (scan_try(s, '(')) {
    resolve(m, s, out, depth + 1);
    scan_try(s, ')');
  }
  out->label = text;
}

static void resolve(MlirModule *m, Scan *s, Place *out, unsigned depth) {
  *out = (Place){.n = 0};
  scan_space(s);
  Text word;
  if (depth > MAX_ALIASES + MAX_NESTING) return;
  if (*s->p == '#') {
    s->p++;
    if (SCAN_IS(*s->p, SCAN_NAME) && scan_name(s, &word, "an alias")) alias(m, word, out, depth);
    return;
  }
  if (*s->p == '"') {
    named(m, s, out, depth);
    return;
  }
  if (!SCAN_IS(*s->p, SCAN_NAME) || !scan_name(s, &word, "a location")) return;
  if (TEXT_IS(word, "callsite") && scan_try(s, '(')) {
    Place caller;
    resolve(m, s, out, depth + 1);
    out->label = 0;
    scan_space(s);
    if (s->p[0] != 'a' || s->p[1] != 't') return;
    s->p += 2;
    resolve(m, s, &caller, depth + 1);
    for (uint32_t k = 0; k < caller.n && out->n < MAX_FRAMES; k++) out->at[out->n++] = caller.at[k];
    scan_try(s, ')');
  } else if (TEXT_IS(word, "fused")) {
    if (*s->p == '<' && !text_skip(s)) return;
    if (!scan_try(s, '[')) return;
    Place next;
    do {
      resolve(m, s, &next, depth + 1);
      if (!out->n && next.n) *out = next;
      else if (!out->label) out->label = next.label;
    } while (scan_try(s, ','));
    scan_try(s, ']');
  }
}

void places_resolve(MlirModule *m, Text where, Sym *label, uint32_t *frames) {
  *label = 0;
  *frames = 0;
  if (!where.len) return;
  Scan s = m->scan;
  s.p = where.at;
  Place p;
  if (*s.p == '#') { /* kept with the alias */
    uint32_t n = 1;
    while (n < where.len && SCAN_IS(where.at[n], SCAN_NAME)) n++;
    Sym key = sym_n(where.at + 1, n - 1);
    uint32_t k = key < m->alias_of.len ? m->alias_of.at[key] : 0;
    if (!k) return;
    resolve(m, &s, &p, 0);
    *label = m->aliases.at[k - 1].label;
    *frames = m->aliases.at[k - 1].frames;
    return;
  }
  resolve(m, &s, &p, 0);
  *label = p.label;
  *frames = keep(m, &p);
}
