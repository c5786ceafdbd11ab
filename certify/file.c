/* The text of a certificate (SPEC.md, section 16): lines of a word and numbers.  How many numbers follow is known from
 * those before, so `:`, `.` and `*` between them are for the eye.  Every number is checked before it is used; after
 * the first mistake nothing more is read, and numbers asked for are the least that are allowed. */
#include "certify/proof.h"
#include "lang/base/source.h"

enum { MOST_PARTS = 1024, MOST_DIGITS = 64, MOST_SLOTS = 256, MOST_ARGS = 1024, MOST_LIST = 4096 };
#define MOST_SIZE (INT64_MAX / 16)

const DefShape def_shape[] = {
#define DEF(id, text, tags, indices, least, most) {text, tags, indices, least, most},
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

const Cuts *certificate_cuts(const Graph *g, const Cuts **dims, NodeId id, Arena *a) {
  const Node *n = &g->nodes.at[id];
  for (NodeId k = id; k-- > 0 && id - k < 64;)
    if (g->nodes.at[k].rank == n->rank && !memcmp(g->nodes.at[k].dims, n->dims, n->rank * sizeof *n->dims))
      return dims[k];
  Cuts *c = ARENA_ARRAY(a, Cuts, n->rank + 1);
  for (uint32_t d = 0; d < n->rank; d++) c[d] = (Cuts){n->dims[d] > 1, &n->dims[d]};
  return c;
}

/* ---- words and numbers */
typedef struct Reader {
  const CertifyProblem *p;
  Certificate *c;
  Diags *diags;
  uint32_t source;
  const char *start, *at, *end; /* the text, and what is not read of it */
  const char *word;
  size_t len;
  bool bad;
  Vec(Waypoint) claims; /* of the parts so far */
} Reader;

static void wrong(Reader *r, const char *what) {
  uint32_t lo = (uint32_t)(r->word - r->start);
  if (!r->bad) diag_error(r->diags, (Span){r->source, lo, lo + (uint32_t)r->len}, E_CERTIFICATE, "%s", what);
  r->bad = true;
}

static bool blank(char c) { return c == ' ' || c == ':' || c == '.' || c == '*'; }

static void skip(Reader *r) {
  while (r->at < r->end && blank(*r->at)) r->at++;
}

/* The next word of the line; empty at its end. */
static void next(Reader *r) {
  skip(r);
  for (r->word = r->at; r->at < r->end && !blank(*r->at) && *r->at != '\n';) r->at++;
  r->len = (size_t)(r->at - r->word);
}

static void line(Reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\n')) r->at++;
  next(r);
}

static bool is(const Reader *r, const char *text) { return r->len == strlen(text) && !memcmp(r->word, text, r->len); }

static bool more(Reader *r) {
  skip(r);
  return !r->bad && r->at < r->end && *r->at != '\n';
}

static Rat parsed(Reader *r) {
  Rat v = RAT_0;
  if (!r->len || r->len > 4000 || !rat_parse(r->word, r->len, &v)) wrong(r, "a number is expected here");
  return v;
}

static Rat rational(Reader *r) {
  next(r);
  return parsed(r);
}

/* A whole number from lo to hi. */
static int64_t whole(Reader *r, int64_t lo, int64_t hi) {
  int64_t n = 0;
  next(r);
  bool minus = r->len && *r->word == '-', digits = r->len > minus && r->len - minus <= 18;
  for (size_t i = minus; i < r->len && digits; i++) {
    digits = r->word[i] >= '0' && r->word[i] <= '9';
    n = n * 10 + (minus ? '0' - r->word[i] : r->word[i] - '0');
  }
  if (!digits || n < lo || n > hi) wrong(r, "this number is none that fits here");
  return r->bad ? lo : n;
}

/* A definition: by its number, or counted back from the one that is read. */
static DefId reference(Reader *r, const Store *s) {
  int64_t len = (int64_t)s->defs.len, n = whole(r, -len, len - 1);
  return (DefId)(n < 0 ? len + n : n);
}

/* A slot or bound slot below n, or `#c`, a constant in slot i of d: -1 - c.  An index that is constant is a number. */
static int32_t label(Reader *r, int64_t n, const Def *d, uint32_t i) {
  int64_t size = d->sizes[i];
  skip(r);
  bool constant = r->at < r->end && *r->at == '#';
  if (constant && d->kind == DEF_INDEX) wrong(r, "a number is expected here");
  if (constant) r->at++;
  int64_t l = whole(r, 0, (constant ? size < INT32_MAX ? size : INT32_MAX : n) - 1);
  return (int32_t)(constant ? -1 - l : l);
}

static Cuts cuts(Reader *r, int64_t size) {
  int64_t z[MOST_DIGITS], most = size > 0 ? size : 1, total = 1, last = 2;
  uint32_t n = 0;
  do {
    last = whole(r, 1, most / total);
    total *= last;
    if (last > 1) z[n++] = last;
  } while (total < most && last > 1 && n < MOST_DIGITS);
  if (total != most) wrong(r, "these digits do not make up the dimension");
  return (Cuts){n, arena_copy(&r->c->arena, z, n * sizeof *z)};
}

/* ---- definitions */
static void table(Reader *r, Store *s) {
  static const char *const names[] = {"inf", "-inf", "nan"};
  static const Rat beyond[] = {RAT_POS_INF, RAT_NEG_INF, RAT_NAN};
  int64_t n = whole(r, 0, MOST_DIGITS - 1), size[MOST_DIGITS], total = 1;
  for (int64_t i = 0; i < n; i++) total *= size[i] = whole(r, 1, (1 << 26) / total);
  Rat *v = ARENA_ARRAY(&s->arena, Rat, total);
  for (int64_t i = 0; i < total && !r->bad; i++) {
    int k = 0;
    next(r);
    while (k < 3 && !is(r, names[k])) k++;
    v[i] = k < 3 ? beyond[k] : parsed(r);
  }
  if (!r->bad) def_table(s, v, size, (uint32_t)n);
}

/* Leaf, slots, their sizes; then for every slot of the leaf a constant, how many terms, factor and slot of each. */
static void read_at(Reader *r, Store *s) {
  DefId leaf = reference(r, s);
  uint32_t n = (uint32_t)whole(r, 0, MOST_SLOTS - 1), m = s->defs.at[leaf].n_slots;
  Label own[MOST_SLOTS], at[MOST_SLOTS];
  DefKind kind = s->defs.at[leaf].kind;
  if ((kind != DEF_INPUT && kind != DEF_TABLE && kind != DEF_OPAQUE) || m > MOST_SLOTS)
    wrong(r, "this is not read at forms");
  for (uint32_t i = 0; i < n; i++) own[i] = label_make(s, LABEL_GOAL, i, 0, whole(r, 1, MOST_SIZE));
  for (uint32_t i = 0; i < m && !r->bad; i++) {
    Affine f = {.c = whole(r, -(INT64_MAX >> 16), INT64_MAX >> 16)};
    for (int64_t terms = whole(r, 0, n); terms > 0 && !r->bad; terms--) {
      int64_t k = whole(r, -(INT64_MAX >> 16), INT64_MAX >> 16), l = whole(r, 0, (int64_t)n - 1);
      if (!r->bad) f = form_add(s, f, (Affine){0, 1, &(struct AffineTerm){1, own[l]}}, k);
    }
    at[i] = label_of_form(s, f, s->defs.at[leaf].sizes[i]);
  }
  if (!r->bad) atom_read(s, leaf, at);
}

/* Slots, bound slots, terms: [tag] definition labels. */
static void definition(Reader *r, Store *s, DefKind kind) {
  DefArg args[MOST_ARGS];
  int64_t sizes[2 * MOST_SLOTS] = {0};
  Def d = {.kind = (uint8_t)kind, .args = args, .sizes = sizes};
  if (kind == DEF_FN) next(r), d.fn = sym_n(r->word, r->len);
  d.n_slots = (uint32_t)whole(r, 0, MOST_SLOTS);
  d.n_bound = (uint32_t)whole(r, kind == DEF_SUM, def_shape[kind].indices ? 64 : 0);
  uint32_t n = d.n_slots + d.n_bound;
  if (kind == DEF_OPAQUE) {
    d.fn = (Sym)whole(r, 0, 1 << 20);
    for (uint32_t i = 0; i < n; i++) sizes[i] = whole(r, 0, MOST_SIZE);
  }
  ArenaMark mark = arena_mark(&r->c->arena);
  while (more(r) && d.n_args < def_shape[kind].most) {
    DefArg *g = &args[d.n_args++];
    g->tag = def_shape[kind].tags ? rational(r) : RAT_1;
    g->def = reference(r, s);
    g->n = s->defs.at[g->def].n_slots;
    int32_t *at = ARENA_ARRAY(&r->c->arena, int32_t, g->n);
    for (uint32_t i = 0; i < g->n && !r->bad; i++) {
      int64_t size = s->defs.at[g->def].sizes[i];
      at[i] = label(r, n, &s->defs.at[g->def], i);
      if (at[i] < 0) continue;
      if (sizes[at[i]] && sizes[at[i]] != size) wrong(r, "a label of two sizes");
      sizes[at[i]] = size;
    }
    g->at = at;
    if (g->tag == RAT_0 && (g->def || (kind != DEF_MAX && kind != DEF_LIN))) wrong(r, "a power of 0, or 0 times a value");
  }
  for (uint32_t i = 0; i < n; i++)
    if (sizes[i] < 1) wrong(r, "a slot that nothing has");
  if (d.n_args < def_shape[kind].least) wrong(r, "a definition with too few terms");
  if (!r->bad) def_add(s, d); /* copies */
  arena_reset(&r->c->arena, mark);
  if (vec_last(&s->defs).chain > 200) wrong(r, "a definition that is nested too deep");
}

/* Of the definition before: each of its slots, read as which it is the same. */
static void symmetry(Reader *r, Part *part) {
  Store *s = part->store;
  uint32_t turn[2 * MOST_SLOTS], n = vec_last(&s->defs).n_slots;
  for (uint32_t i = 0; i < n && n <= MOST_SLOTS; i++) turn[i] = (uint32_t)whole(r, 0, (int64_t)n - 1);
  if (!r->bad && (part->steps.len || !def_symmetry(s, (DefId)s->defs.len - 1, turn))) wrong(r, "a symmetry that is none");
}

/* ---- steps: law, answer, choice */
static void step(Reader *r, Part *part) {
  Step t = {.k = RAT_1};
  while (t.law < law_count() && !is(r, law_name(t.law))) t.law++;
  if (t.law == law_count()) return wrong(r, "there is no such definition or law");
  t.k = rational(r);
  int64_t last = part->steps.len ? vec_last(&part->steps).def : 0; /* counted from that of the step before */
  t.def = (DefId)(last + whole(r, -last, (int64_t)part->store->defs.len - 1 - last));
  const Def *d = &part->store->defs.at[t.def];
  if (t.k == RAT_0 && t.def) wrong(r, "0 times a value");
  Label *at = ARENA_ARRAY(&r->c->arena, Label, t.n = d->n_slots), chosen[MOST_LIST];
  for (uint32_t i = 0; i < t.n && !r->bad; i++) {
    int32_t l = label(r, MOST_LABELS, d, i);
    at[i] = l < 0 ? LABEL_CONST | (uint32_t)(-1 - l) : (Label)l;
  }
  while (more(r) && t.choice.n < MOST_LIST) chosen[t.choice.n++] = (Label)whole(r, 0, INT32_MAX);
  t.at = at;
  t.choice.at = arena_copy(&r->c->arena, chosen, t.choice.n * sizeof *chosen);
  vec_push(&part->steps, t);
}

/* ---- parts */
/* Cuts of the nodes that no line mentioned, then the store with the inputs. */
static void settle_cuts(Reader *r, Part *part) {
  if (part->store) return;
  for (int side = 0; side < 2; side++) {
    const Graph *g = part->problem.graph[side];
    for (NodeId id = 0; id < g->nodes.len; id++)
      if (!part->dims[side][id]) part->dims[side][id] = certificate_cuts(g, part->dims[side], id, &r->c->arena);
  }
  part->store = xcalloc(1, sizeof *part->store);
  store_init(part->store);
  certify_inputs(part);
}

static NodeId node(Reader *r, int64_t side) {
  size_t n = r->p->graph[side]->nodes.len;
  if (!n) wrong(r, "a graph without nodes");
  return (NodeId)whole(r, 0, (int64_t)n - 1);
}

static Layout layout(Reader *r, uint8_t rank) {
  const Mesh *m = &r->p->relation->mesh;
  Layout l = {.rank = rank, .dims = ARENA_ARRAY(&r->c->arena, struct LayoutDim, rank + 1u)};
  for (uint32_t d = 0; d <= rank; d++) {
    uint8_t n = (uint8_t)whole(r, 0, MOST_DIGITS);
    uint32_t *axes = ARENA_ARRAY(&r->c->arena, uint32_t, n + 1u);
    for (uint32_t k = 0; k < n; k++) axes[k] = (uint32_t)whole(r, 0, (int64_t)m->n_axes - 1);
    if (d < rank) l.dims[d] = (struct LayoutDim){n, axes};
    else l.n_partial = n, l.partial = axes;
  }
  return l;
}

static Waypoint claim(Reader *r) {
  NodeId seq = node(r, 0), dist = node(r, 1);
  Waypoint w = {.seq = seq, .dist = dist, .factor = rational(r)};
  if (rat_sign(w.factor) == 0) wrong(r, "a factor of 0");
  if (!r->bad) w.layout = layout(r, r->p->graph[0]->nodes.at[seq].rank);
  if (w.layout.n_partial) wrong(r, "a value that is an addend");
  bool is_input = !r->bad && r->p->graph[1]->nodes.at[dist].op == sym("parameter");
  if (is_input) wrong(r, "of inputs the relation says what they are");
  if (!r->bad && !dtype_is_float((DType)r->p->graph[0]->nodes.at[seq].dtype)) wrong(r, "claims are about real numbers");
  return w;
}

/* Where the graphs of a part begin, and what it claims; then what its problem is. */
static void cut_part(Reader *r, Part *part) {
  Vec(Waypoint) list[3] = {{0}};
  static const char *const word[] = {"input", "way", "claim"};
  int64_t before = (int64_t)r->claims.len;
  for (int k = 0; k < 3 && !r->bad; k++)
    for (; !r->bad && is(r, word[k]); line(r)) {
      if (k == 2) vec_push(&r->claims, claim(r));
      else if (!before) wrong(r, "no part before claims anything");
      if (!r->bad) vec_push(&list[k], r->claims.at[k == 2 ? (int64_t)r->claims.len - 1 : whole(r, 0, before - 1)]);
      if (more(r)) next(r), wrong(r, "more on this line than belongs there");
    }
  Waypoints *to[] = {&part->cut.inputs, &part->cut.ways, &part->cut.claims};
  for (int k = 0; k < 3; k++) {
    *to[k] = (Waypoints){(uint32_t)list[k].len, arena_copy(&r->c->arena, list[k].at, list[k].len * sizeof(Waypoint))};
    vec_free(&list[k]);
  }
  if (part->n_outputs && part->cut.claims.n) wrong(r, "outputs and claims in one part");
  certify_cut(r->p, part, &r->c->arena);
  bool is_cut = part->cut.inputs.n || part->cut.claims.n;
  if (!r->bad && is_cut && !relation_check(part->problem.relation, part->problem.graph[0], part->problem.graph[1], r->diags))
    r->bad = true;
}

static void begin_part(Reader *r, Part *part) {
  const Mesh *m = &r->p->relation->mesh;
  uint32_t *outputs = ARENA_ARRAY(&r->c->arena, uint32_t, r->p->relation->n_outputs + 1), digits = 0;
  while (more(r) && part->n_outputs < r->p->relation->n_outputs)
    outputs[part->n_outputs++] = (uint32_t)whole(r, 0, (int64_t)r->p->relation->n_outputs - 1);
  if (more(r)) wrong(r, "too many outputs");
  part->outputs = outputs;
  line(r);
  cut_part(r, part);
  if (!is(r, "axes")) wrong(r, "`axes` is expected here");
  Cuts *axes = ARENA_ARRAY(&r->c->arena, Cuts, m->n_axes + 1);
  for (uint32_t a = 0; a < m->n_axes; a++) digits += (axes[a] = cuts(r, m->axes[a].size)).n;
  part->axes = axes;
  part->written = ARENA_ARRAY(&r->c->arena, bool, digits + 1);
  part->n_mesh = digits;
  for (int side = 0; side < 2; side++) {
    size_t n = r->p->graph[side]->nodes.len + 1;
    part->dims[side] = ARENA_ARRAY(&r->c->arena, const Cuts *, n);
    part->restated[side] = ARENA_ARRAY(&r->c->arena, bool, n);
    part->sealed[side] = ARENA_ARRAY(&r->c->arena, bool, n);
  }
  part->one = ARENA_ARRAY(&r->c->arena, bool *, part->problem.graph[0]->params.len + 1);
  part->readings = ARENA_ARRAY(&r->c->arena, Rounding, MOST_LIST);
}

static void cut(Reader *r, Part *part) {
  int64_t side = whole(r, 0, 1);
  NodeId id = node(r, side);
  if (r->bad) return;
  const Node *n = &r->p->graph[side]->nodes.at[id];
  Cuts *c = ARENA_ARRAY(&r->c->arena, Cuts, n->rank + 1);
  for (uint32_t d = 0; d < n->rank; d++) c[d] = cuts(r, n->dims[d]);
  part->dims[side][id] = c;
}

/* A sequential parameter, a dimension. */
static void one(Reader *r, Part *part) {
  const Graph *g = part->problem.graph[0];
  int64_t k = whole(r, 0, (int64_t)g->params.len - 1);
  if (r->bad || g->params.at[k] == NO_NODE) return wrong(r, "there is no such parameter");
  uint8_t rank = g->nodes.at[g->params.at[k]].rank;
  int64_t d = whole(r, 0, rank - 1);
  if (!part->one[k]) part->one[k] = ARENA_ARRAY(&r->c->arena, bool, rank + 1u);
  part->one[k][d] = true;
}

static void part_line(Reader *r, Part *part) {
  uint32_t k = DEF_TABLE;
  bool inputs = is(r, "cut") || is(r, "one"); /* they say what the definitions of inputs are */
  if (part->store && (inputs || (is(r, "whole") && part->store->defs.len > part->n_given)))
    return wrong(r, "this stands behind the definitions");
  if (inputs) return is(r, "cut") ? cut(r, part) : one(r, part);
  if (is(r, "as") || is(r, "seal")) {
    bool seal = is(r, "seal");
    int64_t side = whole(r, 0, 1);
    (seal ? part->sealed : part->restated)[side][node(r, side)] = true;
  } else if (is(r, "whole")) {
    settle_cuts(r, part);
    int64_t number = whole(r, 1, MOST_LIST), n = whole(r, 0, INT64_MAX);
    while ((int64_t)part->store->whole.len < number) vec_push(&part->store->whole, NOT_WHOLE);
    part->store->whole.at[number - 1] = n;
  } else if (is(r, "each")) {
    part->written[whole(r, 0, (int64_t)part->n_mesh - 1)] = true;
  } else if (is(r, "read") || is(r, "mask")) {
    if (part->n_readings == MOST_LIST) return wrong(r, "too many lines of this kind");
    bool mask = is(r, "mask");
    Rounding *x = &part->readings[part->n_readings++];
    *x = (Rounding){rational(r), RAT_NEG_INF, 1};
    if (!mask) x->read = rational(r);
    if (!mask && more(r)) x->root = (uint32_t)whole(r, 1, MOST_ROOT);
  } else {
    settle_cuts(r, part);
    while (k < DEF_COUNT && !is(r, def_shape[k].text)) k++;
    if (is(r, "symmetry")) symmetry(r, part);
    else if (k == DEF_COUNT || part->steps.len) step(r, part);
    else if (k == DEF_TABLE) table(r, part->store);
    else if (k == DEF_AT) read_at(r, part->store);
    else if (k > DEF_INDEX) definition(r, part->store, (DefKind)k);
    else def_add(part->store, (Def){.kind = DEF_INDEX, .n_slots = 1, .sizes = &(int64_t){whole(r, 2, MOST_SIZE)}});
  }
}

/* ---- loops */
static bool has_head(const Source *t, const char *rest) {
  const char *head = "tvr certificate 4\n";
  size_t n = strlen(head), m = strlen(rest);
  return t->len >= n + m && !memcmp(t->text, head, n) && !memcmp(t->text + n, rest, m);
}

bool certificate_opens_loops(const Source *t) { return has_head(t, "loops "); }

/* Loop; carried value of either graph; by what the distributed one is divided; for every dimension how many axes it is
 * cut over, and which; and those it is a sum over. */
static Invariant kept(Reader *r) {
  const Graph *s = r->p->graph[0], *d = r->p->graph[1];
  Invariant v = {.loop = (uint32_t)whole(r, 0, (int64_t)s->loops.len - 1)};
  if (r->bad) return v;
  v.seq = (uint32_t)whole(r, 0, (int64_t)s->loops.at[v.loop].n - 1);
  v.dist = (uint32_t)whole(r, 0, (int64_t)d->loops.at[v.loop].n - 1);
  v.divided = whole(r, 1, 1 << 20);
  if (r->bad) return v;
  v.layout = layout(r, s->nodes.at[s->params.at[s->loops.at[v.loop].carried[v.seq].before]].rank);
  if (!r->bad && !loops_fit(s, d, &r->p->relation->mesh, &v)) wrong(r, "no value of the loop is cut so");
  return v;
}

/* What loops carry; from then on the problem has base and step of it. */
static void read_loops(Reader *r) {
  CertifyProblem *q = &r->c->problem;
  const char *differ = loops_differ(q->graph[0], q->graph[1], &r->c->arena);
  Vec(Invariant) all = {0};
  if (differ) wrong(r, differ);
  whole(r, (int64_t)q->graph[1]->loops.len, (int64_t)q->graph[1]->loops.len);
  for (line(r); !r->bad && is(r, "kept"); line(r)) {
    vec_push(&all, kept(r));
    if (more(r)) next(r), wrong(r, "more on this line than belongs there");
  }
  if (!r->bad) {
    Relation *whole_relation = ARENA_NEW(&r->c->arena, Relation);
    *whole_relation = loops_relation(q->graph[0], q->graph[1], q->relation, all.at, (uint32_t)all.len, &r->c->arena);
    q->relation = whole_relation;
    q->graph[1] = loops_divided(q->graph[1], all.at, (uint32_t)all.len, &r->c->arena);
    if (!relation_check(q->relation, q->graph[0], q->graph[1], r->diags)) r->bad = true;
  }
  vec_free(&all);
}

Certificate *certificate_read(const CertifyProblem *p, uint32_t source, Diags *diags) {
  const Source *t = sources_get(diags_sources(diags), source);
  Certificate *c = xcalloc(1, sizeof *c);
  c->problem = *p;
  Reader r = {&c->problem, c, diags, source, t->text, t->text, t->text + t->len, t->text, 0, false, {0}};
  c->parts = ARENA_ARRAY(&c->arena, Part, MOST_PARTS);
  line(&r);
  if (!has_head(t, "")) wrong(&r, "`tvr certificate 4` is expected here");
  else r.at = t->text + 18;
  line(&r);
  if (!r.bad && is(&r, "loops")) read_loops(&r);
  else if (!r.bad && (p->graph[0]->loops.len || p->graph[1]->loops.len)) wrong(&r, "`loops` is expected here");
  for (; !r.bad && r.len && !is(&r, "end"); line(&r)) {
    if (is(&r, "part") && c->n_parts < MOST_PARTS) {
      begin_part(&r, &c->parts[c->n_parts++]);
    } else if (is(&r, "beyond") && !c->n_parts) {
      while (r.at < r.end && *r.at != '\n') r.at++;
      c->beyond = arena_strdup(&c->arena, r.word + 6, (size_t)(r.at - r.word) - 6);
    } else if (c->n_parts) {
      part_line(&r, &c->parts[c->n_parts - 1]);
    } else {
      wrong(&r, "`part` is expected here");
    }
    if (more(&r)) next(&r), wrong(&r, "more on this line than belongs there");
  }
  if (!r.bad && !is(&r, "end")) wrong(&r, "the certificate is cut off");
  line(&r);
  if (r.len) wrong(&r, "more behind the end");
  for (uint32_t i = 0; i < c->n_parts && !r.bad; i++) settle_cuts(&r, &c->parts[i]);
  vec_free(&r.claims);
  if (!r.bad) return c;
  certificate_free(c);
  return NULL;
}
