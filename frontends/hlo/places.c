/* Where an instruction comes from: the stack-frame tables and `metadata`.
 *
 * A frame of the tables is a location and a parent; it becomes a list of "file:line", innermost first, the first time
 * an instruction names it.  In the text a parent is one more than its number, so a frame without one names itself or 1.
 * Texts without tables have source_file and source_line in the metadata. */
#include <stdio.h>

#include "frontends/hlo/parser.h"

enum { MAX_FRAMES = 64 }; /* innermost frames kept of a stack */

typedef struct Pair {
  Text key, value;
} Pair;

/* Next `key=value` of a metadata-like list; false at its brace or after an error. */
static bool next_pair(Scan *s, Pair *out, bool *ok) {
  while (scan_try(s, ',')) {}
  if (*s->p == '}') {
    s->p++;
    return false;
  }
  *ok = scan_name(s, &out->key, "the name of a field") && scan_expect(s, '=', "behind the name of a field") &&
        scan_value(s, &out->value);
  return *ok;
}

static uint32_t number(Text t) {
  uint64_t n = 0;
  for (uint32_t i = 0; i < t.len && SCAN_IS(t.at[i], SCAN_DIGIT) && n < UINT32_MAX; i++)
    n = n * 10 + (uint64_t)(t.at[i] - '0');
  return n < UINT32_MAX ? (uint32_t)n : 0;
}

/* The symbol of a quoted text, its escapes resolved. */
static Sym unquoted(Parser *p, Text t) {
  if (t.len < 2 || *t.at != '"') return sym_n(t.at, t.len);
  t = (Text){t.at + 1, t.len - 2};
  if (!memchr(t.at, '\\', t.len)) return sym_n(t.at, t.len);
  ArenaMark mark = arena_mark(p->arena);
  char *buf = arena_alloc(p->arena, t.len + 1);
  size_t n = 0;
  for (uint32_t i = 0; i < t.len; i++) {
    if (t.at[i] == '\\' && i + 1 < t.len) i++;
    buf[n++] = t.at[i];
  }
  Sym out = sym_n(buf, n);
  arena_reset(p->arena, mark);
  return out;
}

bool places_parse(Parser *p, Text which) {
  Scan *s = &p->s;
  Places *pl = &p->places;
  for (;;) {
    scan_space(s);
    if (!SCAN_IS(*s->p, SCAN_DIGIT)) return true;
    const char *lo = s->p;
    int64_t index;
    if (!scan_int(s, &index)) return false;
    scan_space(s);
    Pair f;
    bool ok = true;
    size_t have;
    if (TEXT_IS(which, "FileNames") || TEXT_IS(which, "FunctionNames")) {
      if (!scan_value(s, &f.value)) return false;
      if (*which.at == 'F' && which.at[1] == 'u') continue;
      vec_push(&pl->files, f.value);
      have = pl->files.len;
    } else {
      if (!scan_expect(s, '{', "before the fields of an entry")) return false;
      uint32_t file = 0, line = 0, location = 0, parent = 0;
      while (next_pair(s, &f, &ok)) {
        if (TEXT_IS(f.key, "file_name_id")) file = number(f.value);
        if (TEXT_IS(f.key, "line")) line = number(f.value);
        if (TEXT_IS(f.key, "file_location_id")) location = number(f.value);
        if (TEXT_IS(f.key, "parent_frame_id")) parent = number(f.value);
      }
      if (!ok) return false;
      if (TEXT_IS(which, "FileLocations")) {
        vec_push(&pl->locations, (Location){file, line, 0});
        have = pl->locations.len;
      } else {
        vec_push(&pl->stack, (StackFrame){location, parent ? parent - 1 : 0, 0});
        have = pl->stack.len;
      }
    }
    if (index != (int64_t)have)
      return SCAN_ERROR(s, lo, s->p, E_GRAPH_SYNTAX, "entry %lld of the table %.*s stands in place %zu",
                        (long long)index,
                        (int)which.len, which.at, have);
  }
}

static Sym place(Parser *p, Text file, uint32_t line) {
  char buf[1024];
  const char *name = sym_text(unquoted(p, file));
  int n = line ? snprintf(buf, sizeof buf, "%s:%u", name, line) : snprintf(buf, sizeof buf, "%s", name);
  return sym_n(buf, (size_t)n < sizeof buf ? (size_t)n : sizeof buf - 1);
}

/* "file:line" of an entry of FileLocations, 1-based; 0 if there is none. */
static Sym location_text(Parser *p, uint32_t index) {
  Places *pl = &p->places;
  if (!index || index > pl->locations.len) return 0;
  Location *l = &pl->locations.at[index - 1];
  if (!l->at && l->file && l->file <= pl->files.len) l->at = place(p, pl->files.at[l->file - 1], l->line);
  return l->at;
}

static uint32_t add_frames(Parser *p, const Sym *at, uint32_t n) {
  Graph *g = p->m->graph;
  vec_push(&g->frames, (Frames){n, arena_copy(p->arena, at, n * sizeof *at)});
  return (uint32_t)g->frames.len - 1;
}

/* Index into Graph.frames of a stack frame's number. */
static uint32_t frames_of(Parser *p, uint32_t id) {
  Places *pl = &p->places;
  if (!id || id > pl->stack.len) return 0;
  StackFrame *f = &pl->stack.at[id - 1];
  if (f->frames) return f->frames;
  Sym at[MAX_FRAMES];
  uint32_t n = 0;
  for (uint32_t k = id; k && n < MAX_FRAMES;) {
    Sym text = location_text(p, pl->stack.at[k - 1].location);
    if (text) at[n++] = text;
    uint32_t parent = pl->stack.at[k - 1].parent;
    k = parent < k ? parent : 0; /* tables list parents first */
  }
  return f->frames = n ? add_frames(p, at, n) : 0;
}

/* Frames of a single place, kept once. */
static uint32_t single(Parser *p, Sym at) {
  Places *pl = &p->places;
  if ((pl->n_singles + 1) * 2 > pl->singles.cap) {
    Single *old = pl->singles.at;
    size_t cap = pl->singles.cap;
    pl->singles.cap = cap ? cap * 2 : 64;
    pl->singles.at = xcalloc(pl->singles.cap, sizeof *old);
    for (size_t i = 0; i < cap; i++) {
      size_t k = old[i].at * UINT64_C(0x9e3779b97f4a7c15) & (pl->singles.cap - 1);
      while (old[i].at && pl->singles.at[k].at) k = (k + 1) & (pl->singles.cap - 1);
      if (old[i].at) pl->singles.at[k] = old[i];
    }
    free(old);
  }
  size_t k = at * UINT64_C(0x9e3779b97f4a7c15) & (pl->singles.cap - 1);
  for (; pl->singles.at[k].at; k = (k + 1) & (pl->singles.cap - 1))
    if (pl->singles.at[k].at == at) return pl->singles.at[k].frames;
  pl->n_singles++;
  pl->singles.at[k] = (Single){at, add_frames(p, &at, 1)};
  return pl->singles.at[k].frames;
}

bool places_metadata(Parser *p, HloInstr *i) {
  Scan *s = &p->s;
  if (!scan_expect(s, '{', "before the metadata")) return false;
  Pair f;
  Text file = {0};
  uint32_t line = 0;
  bool ok = true;
  while (next_pair(s, &f, &ok)) {
    if (TEXT_IS(f.key, "op_name")) i->label = unquoted(p, f.value);
    else if (TEXT_IS(f.key, "stack_frame_id")) i->frames = frames_of(p, number(f.value));
    else if (TEXT_IS(f.key, "source_file")) file = f.value;
    else if (TEXT_IS(f.key, "source_line")) line = number(f.value);
  }
  if (ok && !i->frames && file.len > 2) i->frames = single(p, place(p, file, line));
  return ok;
}

void places_free(Places *pl) {
  vec_free(&pl->files);
  vec_free(&pl->locations);
  vec_free(&pl->stack);
  vec_free(&pl->singles);
}
