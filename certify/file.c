/* The text form of a certificate (SPEC.md, section 16): lines of words, read by hand, every number checked before it is
 * used. */

#include "certify/proof.h"
#include "lang/base/source.h"

enum { MOST_WAYS = 256, MOST_NUMBERS = 1024 };

const char *const certificate_def_text[] = {
#define DEF(id, text) text,
#include "certify/def.def"
#undef DEF
};

void certificate_free(Certificate *c) {
  if (!c) return;
  for (uint32_t i = 0; i < c->n_parts; i++) {
    if (c->parts[i].store) store_free(c->parts[i].store);
    free(c->parts[i].store);
    vec_free(&c->parts[i].steps);
  }
  arena_free(&c->arena);
  free(c);
}

const Cuts *certificate_cuts_before(const Graph *g, const Cuts **dims, NodeId id) {
  const Node *n = &g->nodes.at[id];
  for (NodeId k = id; k-- > 0 && id - k < 64;)
    if (g->nodes.at[k].rank == n->rank && !memcmp(g->nodes.at[k].dims, n->dims, n->rank * sizeof *n->dims))
      return dims[k];
  return NULL;
}

/* ---- reading */
typedef struct Reader {
  const CertifyProblem *p;
  Certificate *c;
  Diags *diags;
  uint32_t source;
  const char *start, *at, *end; /* end: of the text */
  const char *word;
  size_t len;
  bool bad;
} Reader;

static bool wrong(Reader *r, const char *what) {
  uint32_t lo = (uint32_t)(r->word - r->start);
  if (!r->bad) diag_error(r->diags, (Span){r->source, lo, lo + (uint32_t)r->len}, E_CERTIFICATE, "%s", what);
  r->bad = true;
  return false;
}

/* The next word of the line; false at its end. */
static bool next(Reader *r) {
  while (r->at < r->end && *r->at == ' ') r->at++;
  r->word = r->at;
  while (r->at < r->end && *r->at != ' ' && *r->at != '\n') r->at++;
  r->len = (size_t)(r->at - r->word);
  return r->len > 0;
}

static bool line(Reader *r) {
  while (r->at < r->end && (*r->at == '\n' || *r->at == ' ')) r->at++;
  return next(r);
}

static bool is(const Reader *r, const char *text) { return r->len == strlen(text) && !memcmp(r->word, text, r->len); }

/* Digits from *s on, before `end`. */
static bool digits(const char **s, const char *end, int64_t *out) {
  int64_t v = 0;
  const char *from = *s;
  for (; *s < end && **s >= '0' && **s <= '9' && v < INT64_MAX / 10 - 10; (*s)++) v = v * 10 + (**s - '0');
  return *out = v, *s > from;
}

static bool number(Reader *r, int64_t most, int64_t *out) {
  const char *s = r->word;
  if (digits(&s, r->word + r->len, out) && s == r->word + r->len && *out <= most) return true;
  return wrong(r, "a number is expected here");
}

static bool rational(Reader *r, Rat *out) {
  bool minus = r->len && *r->word == '-', fraction = memchr(r->word, '/', r->len) != NULL;
  (void)minus;
  if (r->len < 4000 && rat_parse(r->word, r->len, out)) return true;
  (void)fraction;
  return wrong(r, "a number is expected here");
}

static bool cuts(Reader *r, int64_t size, Cuts *out) {
  const char *s = r->word, *end = r->word + r->len;
  int64_t n = 0, total = 1, z[64];
  while (n < 64 && digits(&s, end, &z[n]) && z[n] > 0 && !__builtin_mul_overflow(total, z[n], &total)) {
    if (z[n] > 1) n++;
    if (s == end) {
      *out = (Cuts){(uint32_t)n, arena_copy(&r->c->arena, z, (size_t)n * sizeof *z)};
      return total == size || (!size && total == 1) || wrong(r, "these digits do not make up the dimension");
    }
    if (*s++ != 'x') break;
  }
  return wrong(r, "digits are expected here");
}

/* Labels between dots, up to the end of the word; "#c" is a constant. */
static bool labels(Reader *r, const char *s, char first, int32_t *at, uint32_t most, uint32_t *n) {
  const char *end = r->word + r->len;
  for (*n = 0; s < end;) {
    int64_t v;
    if (*s != (*n ? '.' : first) || ++s == end || *n == most) return wrong(r, "labels are expected here");
    bool constant = *s == '#';
    if (constant) s++;
    if (!digits(&s, end, &v) || v >= INT32_MAX) return wrong(r, "labels are expected here");
    at[(*n)++] = constant ? (int32_t)(-1 - v) : (int32_t)v;
  }
  return true;
}

/* [k*]def[:labels]; slots below n_slots are labels as they are. */
static bool term(Reader *r, Rat *k, int64_t *def, int32_t *at, uint32_t *n) {
  const char *star = memchr(r->word, '*', r->len), *s = r->word, *end = r->word + r->len;
  *k = RAT_1;
  if (star && (star - s > 4000 || !rat_parse(s, (size_t)(star - s), k) || !rat_is_finite(*k)))
    return wrong(r, "a factor is expected here");
  if (star) s = star + 1;
  if (!digits(&s, end, def) || *def > INT32_MAX) return wrong(r, "a definition is expected here");
  return labels(r, s, ':', at, 256, n);
}

static bool table(Reader *r, Part *part) {
  int64_t n, size[64], total = 1;
  if (!next(r) || !number(r, 63, &n)) return wrong(r, "a number is expected here");
  for (int64_t i = 0; i < n; i++)
    if (!next(r) || !number(r, INT32_MAX, &size[i]) || !size[i] || (total *= size[i]) > 1 << 26)
      return wrong(r, "a size is expected here");
  Rat *v = ARENA_ARRAY(&part->store->arena, Rat, total);
  for (int64_t i = 0; i < total; i++) {
    if (!next(r)) return wrong(r, "a value is missing");
    if (is(r, "inf")) v[i] = RAT_POS_INF;
    else if (is(r, "-inf")) v[i] = RAT_NEG_INF;
    else if (is(r, "nan")) v[i] = RAT_NAN;
    else if (!rational(r, &v[i])) return false;
  }
  size_t had = part->store->defs.len;
  return def_table(part->store, v, size, (uint32_t)n) == had || wrong(r, "a table that is there already");
}

/* A whole number with a sign, up to the end or a `*`. */
static bool whole(Reader *r, const char **s, int64_t *out) {
  bool minus = r->len && **s == '-';
  if (minus) ++*s;
  if (!digits(s, r->word + r->len, out) || *out > INT64_MAX >> 16) return wrong(r, "a whole number is expected here");
  if (minus) *out = -*out;
  return true;
}

/* LEAF SLOTS SIZES.., then for every slot of the leaf a constant and terms FACTOR*SLOT. */
static bool read_at(Reader *r, Part *part) {
  Store *s = part->store;
  int64_t leaf, n, size[256], k, l;
  Label own[256], at[256];
  if (!next(r) || !number(r, INT32_MAX, &leaf) || !next(r) || !number(r, 255, &n))
    return wrong(r, "a number is expected here");
  uint8_t kind = (size_t)leaf < s->defs.len ? s->defs.at[leaf].kind : DEF_LIN;
  if (kind != DEF_INPUT && kind != DEF_TABLE && kind != DEF_OPAQUE) return wrong(r, "this is not read at forms");
  for (int64_t i = 0; i < n; i++) {
    if (!next(r) || !number(r, INT64_MAX / 16, &size[i]) || size[i] < 1) return wrong(r, "a size is expected here");
    own[i] = label_make(s, LABEL_GOAL, (uint32_t)i, 0, size[i]);
  }
  bool more = next(r);
  for (uint32_t i = 0; i < s->defs.at[leaf].n_slots && i < 256; i++) {
    const char *c = r->word;
    Affine f = {0, 0, NULL};
    if (!more || !whole(r, &c, &f.c) || c != r->word + r->len) return wrong(r, "a constant is expected here");
    while ((more = next(r)) && memchr(r->word, '*', r->len)) {
      c = r->word;
      if (!whole(r, &c, &k) || *c++ != '*' || !digits(&c, r->word + r->len, &l) || l >= n || c != r->word + r->len)
        return wrong(r, "a term of a form is expected here");
      f = form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, own[l]}}, k);
    }
    at[i] = label_of_form(s, f, s->defs.at[leaf].sizes[i]);
  }
  size_t had = s->defs.len;
  if (s->defs.at[leaf].n_slots > 255) return wrong(r, "too many slots");
  atom_read(s, (DefId)leaf, at);
  return (!more && s->defs.len == had + 1 && s->defs.at[had].n_slots == n) ||
         wrong(r, "a read that is there already, or is none");
}

static bool arity(DefKind k, uint32_t n_args, uint32_t n_bound) {
  bool many = k == DEF_LIN || k == DEF_MUL || k == DEF_SUM || k == DEF_MAX;
  if (n_bound && k != DEF_SUM && k != DEF_MAX && k != DEF_OPAQUE) return false;
  if (k == DEF_SUM && !n_bound) return false;
  if (many) return n_args > 0;
  return k == DEF_SELECT ? n_args == 3 : k == DEF_FN ? n_args > 0 && n_args <= 3 : k == DEF_OPAQUE || n_args == 1;
}

static bool symmetries(Reader *r, Part *part, uint32_t n) {
  do {
    uint32_t perm[256];
    const char *s = r->word + 1, *end = r->word + r->len;
    int64_t v;
    for (uint32_t i = 0; i < n; i++) {
      if ((i && (s == end || *s++ != '.')) || !digits(&s, end, &v) || v >= n)
        return wrong(r, "a symmetry is expected here");
      perm[i] = (uint32_t)v;
    }
    if (s != end || !def_symmetric(part->store, (DefId)part->store->defs.len - 1, perm))
      return wrong(r, "this is no symmetry of the definition");
  } while (next(r));
  return true;
}

static bool definition(Reader *r, Part *part, DefKind kind) {
  Store *s = part->store;
  Def d = {.kind = (uint8_t)kind};
  DefArg args[1024];
  int64_t slots, bound, def, sizes[512] = {0};
  if (kind == DEF_TABLE) return table(r, part);
  if (kind == DEF_AT) return read_at(r, part);
  if (kind == DEF_FN && next(r)) d.fn = sym_n(r->word, r->len);
  if (kind == DEF_INDEX) {
    size_t had = s->defs.len;
    if (!next(r) || !number(r, INT64_MAX / 16, &slots) || slots < 2) return wrong(r, "a size is expected here");
    return def_index(s, slots) == had || wrong(r, "an index that is there already");
  }
  if (!next(r) || !number(r, 256, &slots) || !next(r) || !number(r, 64, &bound))
    return wrong(r, "a number is expected here");
  d.n_slots = (uint32_t)slots, d.n_bound = (uint32_t)bound, d.args = args, d.sizes = sizes;
  if (kind == DEF_OPAQUE) {
    int64_t fn;
    if (!next(r) || !number(r, 1 << 20, &fn)) return wrong(r, "a number is expected here");
    d.fn = (Sym)fn;
    for (int64_t i = 0; i < slots + bound; i++)
      if (!next(r) || !number(r, INT64_MAX / 16, &sizes[i])) return wrong(r, "a size is expected here");
  }
  bool more;
  ArenaMark mark = arena_mark(&r->c->arena);
  while ((more = next(r)) && *r->word != '/') {
    int32_t *at = ARENA_ARRAY(&r->c->arena, int32_t, 256);
    DefArg *g = &args[d.n_args++];
    if (d.n_args == 1024 || !term(r, &g->tag, &def, at, &g->n)) return wrong(r, "too many terms");
    if ((size_t)def >= s->defs.len || g->n != s->defs.at[def].n_slots ||
        (g->tag == RAT_0 && kind != DEF_MAX && kind != DEF_LIN))
      return wrong(r, "this does not fit its definition");
    g->def = (DefId)def, g->at = at;
    for (uint32_t i = 0; i < g->n; i++) {
      int64_t size = s->defs.at[def].sizes[i];
      if (at[i] < 0 ? -1 - at[i] >= size : at[i] >= slots + bound) return wrong(r, "a label out of range");
      if (at[i] < 0) continue;
      if (sizes[at[i]] && sizes[at[i]] != size) return wrong(r, "a label of two sizes");
      sizes[at[i]] = size;
    }
  }
  for (int64_t i = 0; i < slots + bound; i++)
    if (sizes[i] < 1) return wrong(r, "a slot that nothing has");
  if (!arity(kind, d.n_args, d.n_bound)) return wrong(r, "a definition with too many or too few parts");
  DefId id = def_add(s, d); /* copies */
  arena_reset(&r->c->arena, mark);
  if (s->defs.at[id].chain > 200) return wrong(r, "a definition that is nested too deep");
  return !more || symmetries(r, part, d.n_slots);
}

static const Label *labels_of(Reader *r, const int32_t *at, uint32_t n) {
  Label *l = ARENA_ARRAY(&r->c->arena, Label, n + 1);
  for (uint32_t i = 0; i < n; i++) l[i] = at[i] < 0 ? LABEL_CONST | (uint32_t)(-1 - at[i]) : (Label)at[i];
  return l;
}

static bool step(Reader *r, Part *part) {
  const char *equals = memchr(r->word, '=', r->len);
  size_t len = equals ? (size_t)(equals - r->word) : r->len;
  Step t = {0};
  int64_t def;
  int32_t at[MOST_NUMBERS];
  while (t.law < law_count() && (strlen(law_name(t.law)) != len || memcmp(law_name(t.law), r->word, len))) t.law++;
  if (t.law == law_count()) return wrong(r, "there is no such law");
  if (equals && !labels(r, equals, '=', at, MOST_NUMBERS, &t.choice.n)) return false;
  t.choice.at = labels_of(r, at, t.choice.n);
  if (!next(r)) return wrong(r, "an answer is missing");
  if (!term(r, &t.k, &def, at, &t.n)) return false;
  t.def = (DefId)def;
  t.at = labels_of(r, at, t.n);
  vec_push(&part->steps, t);
  return true;
}

/* Cuts of the nodes that no line mentioned, then the store with the inputs. */
static bool settle_cuts(Reader *r, Part *part) {
  if (part->store) return true;
  for (int side = 0; side < 2; side++) {
    const Graph *g = r->p->graph[side];
    for (NodeId id = 0; id < g->nodes.len; id++) {
      const Node *n = &g->nodes.at[id];
      if (part->dims[side][id]) continue;
      part->dims[side][id] = certificate_cuts_before(g, part->dims[side], id);
      if (part->dims[side][id]) continue;
      Cuts *c = ARENA_ARRAY(&r->c->arena, Cuts, n->rank + 1);
      for (uint32_t d = 0; d < n->rank; d++) c[d] = (Cuts){n->dims[d] > 1, &n->dims[d]};
      part->dims[side][id] = c;
    }
  }
  part->store = xcalloc(1, sizeof *part->store);
  store_init(part->store);
  certify_inputs(r->p, part);
  return true;
}

static bool begin_part(Reader *r, Part *part) {
  const Mesh *m = &r->p->relation->mesh;
  uint32_t *outputs = ARENA_ARRAY(&r->c->arena, uint32_t, r->p->relation->n_outputs + 1);
  int64_t k;
  part->outputs = outputs;
  while (next(r)) {
    if (!number(r, (int64_t)r->p->relation->n_outputs - 1, &k)) return false;
    if (part->n_outputs == r->p->relation->n_outputs) return wrong(r, "too many outputs");
    outputs[part->n_outputs++] = (uint32_t)k;
  }
  Cuts *axes = ARENA_ARRAY(&r->c->arena, Cuts, m->n_axes + 1);
  if (!line(r) || !is(r, "axes")) return wrong(r, "`axes` is expected here");
  for (uint32_t a = 0; a < m->n_axes; a++)
    if (!next(r) || !cuts(r, m->axes[a].size, &axes[a])) return wrong(r, "the digits of an axis are expected here");
  part->axes = axes;
  for (int side = 0; side < 2; side++) {
    part->dims[side] = ARENA_ARRAY(&r->c->arena, const Cuts *, r->p->graph[side]->nodes.len + 1);
    part->restated[side] = ARENA_ARRAY(&r->c->arena, bool, r->p->graph[side]->nodes.len + 1);
  }
  return true;
}

static bool cut(Reader *r, Part *part, bool restated) {
  int64_t side, id;
  if (part->store || !next(r) || !number(r, 1, &side) || !next(r) ||
      !number(r, (int64_t)r->p->graph[side]->nodes.len - 1, &id))
    return wrong(r, "a node is expected here");
  if (restated) return part->restated[side][id] = true;
  const Node *n = &r->p->graph[side]->nodes.at[id];
  Cuts *c = ARENA_ARRAY(&r->c->arena, Cuts, n->rank + 1);
  for (uint32_t d = 0; d < n->rank; d++)
    if (!next(r) || !cuts(r, n->dims[d], &c[d])) return wrong(r, "the digits of a dimension are expected here");
  part->dims[side][id] = c;
  return true;
}

static bool each(Reader *r, Part *part) {
  int64_t n = 0, i;
  for (uint32_t a = 0; a < r->p->relation->mesh.n_axes; a++) n += part->axes[a].n;
  if (!next(r) || !number(r, n - 1, &i)) return wrong(r, "a digit of the mesh is expected here");
  bool *written = ARENA_ARRAY(&r->c->arena, bool, n);
  if (part->written) memcpy(written, part->written, (size_t)n * sizeof *written);
  written[i] = true;
  part->written = written;
  return true;
}

static bool way(Reader *r, Part *part, Way *all) {
  Way *w = &all[part->n_ways];
  int64_t seq, dist, axis;
  const Graph *const *g = r->p->graph;
  if (part->n_ways == MOST_WAYS || !next(r) || !number(r, (int64_t)g[0]->nodes.len - 1, &seq) || !next(r) ||
      !number(r, (int64_t)g[1]->nodes.len - 1, &dist))
    return wrong(r, "a node is expected here");
  w->seq = (NodeId)seq, w->dist = (NodeId)dist;
  w->layout.rank = g[0]->nodes.at[seq].rank;
  w->layout.dims = ARENA_ARRAY(&r->c->arena, struct LayoutDim, w->layout.rank + 1);
  for (uint32_t d = 0; d < w->layout.rank; d++) {
    struct LayoutDim *x = &w->layout.dims[d];
    if (!next(r)) return wrong(r, "axes of a dimension are expected here");
    x->axes = ARENA_ARRAY(&r->c->arena, uint32_t, r->len + 1);
    for (const char *s = r->word, *end = s + r->len; !is(r, "-") && s <= end; s++) {
      if (!digits(&s, end, &axis) || axis >= r->p->relation->mesh.n_axes || (s < end && *s != '.') || x->n == 64)
        return wrong(r, "axes of a dimension are expected here");
      x->axes[x->n++] = (uint32_t)axis;
    }
  }
  part->n_ways++;
  return true;
}

static bool reading(Reader *r, Part *part, Rounding *all) {
  Rounding *x = &all[part->n_readings];
  if (part->n_readings == 4096 || !next(r) || !rational(r, &x->literal) || !next(r) || !rational(r, &x->read))
    return wrong(r, "a literal and its fraction are expected here");
  part->n_readings++;
  return true;
}

Certificate *certificate_read(const CertifyProblem *p, uint32_t source, Diags *diags) {
  const Source *text = sources_get(diags_sources(diags), source);
  Reader r = {.p = p,
              .c = xcalloc(1, sizeof *r.c),
              .diags = diags,
              .source = source,
              .start = text->text,
              .at = text->text,
              .end = text->text + text->len,
              .word = text->text};
  Certificate *c = r.c;
  c->parts = ARENA_ARRAY(&c->arena, Part, 8);
  Part *part = NULL;
  Rounding *readings = NULL;
  Way *ways = NULL;
  if (!line(&r) || !is(&r, "tvr") || !next(&r) || !is(&r, "certificate") || !next(&r) || !is(&r, "1"))
    wrong(&r, "`tvr certificate 1` is expected here");
  while (!r.bad && line(&r) && !is(&r, "end")) {
    if (is(&r, "part") && c->n_parts < 8) {
      part = &c->parts[c->n_parts++];
      readings = ARENA_ARRAY(&c->arena, Rounding, 4096);
      part->readings = readings;
      part->ways = ways = ARENA_ARRAY(&c->arena, Way, MOST_WAYS);
      begin_part(&r, part);
    } else if (is(&r, "beyond") && !part) {
      while (r.at < r.end && *r.at != '\n') r.at++;
      c->beyond = arena_strdup(&c->arena, r.word + 6, (size_t)(r.at - r.word) - 6);
    } else if (!part) {
      wrong(&r, "`part` is expected here");
    } else if (is(&r, "cut") || is(&r, "as")) {
      cut(&r, part, is(&r, "as"));
    } else if (is(&r, "each")) {
      each(&r, part);
    } else if (is(&r, "read")) {
      reading(&r, part, readings);
    } else if (is(&r, "way")) {
      way(&r, part, ways);
    } else {
      uint32_t k = DEF_TABLE;
      while (k < DEF_COUNT && !is(&r, certificate_def_text[k])) k++;
      settle_cuts(&r, part);
      if (k < DEF_COUNT && !part->steps.len) definition(&r, part, (DefKind)k);
      else step(&r, part);
    }
    if (!r.bad && next(&r)) wrong(&r, "more on this line than belongs there");
  }
  if (!r.bad && !is(&r, "end")) wrong(&r, "the certificate is cut off");
  if (!r.bad && line(&r)) wrong(&r, "more behind the end");
  for (uint32_t i = 0; i < c->n_parts && !r.bad; i++) settle_cuts(&r, &c->parts[i]);
  if (!r.bad) return c;
  certificate_free(c);
  return NULL;
}
