#include "eval/verdict/report.h"

#include <inttypes.h>
#include <string.h>

#include "eval/blame/blame_words.h"
#include "eval/verdict/assume.h"
#include "eval/verdict/source_line.h"

enum {
  LINE = 100,  /* characters of an input shown */
  INPUTS = 4,  /* inputs shown of many */
  COLUMN = 40, /* of a column */
  LISTED = 12, /* outputs named, besides those shown in full */
};

typedef struct Writer {
  const CheckReport *r;
  const ReportStyle *style;
  FILE *out;
  Arena arena;
} Writer;

static const char *paint(const Writer *w, Verdict v) {
  static const char *const colour[] = {"\033[1;32m", "\033[1;31m", "\033[1;33m", "\033[1;31m"};
  return w->style->colour ? colour[v] : "";
}
static const char *plain(const Writer *w) { return w->style->colour ? "\033[0m" : ""; }

static void put_head(const Writer *w) {
  const CheckReport *r = w->r;
  uint32_t n[VERDICT_BROKEN + 1] = {0};
  for (uint32_t k = 0; k < r->n_results; k++) n[r->outputs[k].verdict]++;
  fprintf(w->out, "%s%s%s: ", paint(w, r->verdict), verdict_text(r->verdict), plain(w));
  const char *sep = "";
  for (int v = 0; v <= VERDICT_BROKEN; v++) {
    if (n[v])
      fprintf(w->out, "%s%" PRIu32 " of %" PRIu32 " outputs %s", sep, n[v], r->n_results, verdict_text((Verdict)v)),
          sep = ", ";
  }
  fprintf(w->out, r->n_refused ? "; assumptions are refused, as listed last\n" : "\n");
}

static void put_index(const Writer *w, const int64_t *at, uint32_t n) {
  for (uint32_t d = 0; d < n; d++) fprintf(w->out, "%s%" PRId64, d ? ", " : " at [", at[d]);
  if (n) fprintf(w->out, "]");
}

static void put_place(const Writer *w, const ExactWitness *x) {
  const Mesh *m = &w->r->problem->relation->mesh;
  put_index(w, x->at, x->rank);
  if (m->n_devices <= 1) return;
  fprintf(w->out, "%son device %" PRId64 " (", x->rank ? ", " : " ", x->device);
  for (uint32_t a = 0; a < m->n_axes; a++)
    fprintf(w->out, "%s%s %" PRId64, a ? ", " : "", sym_text(m->axes[a].name), x->coordinate[a]);
  fprintf(w->out, ")");
  put_index(w, x->at_dist, x->rank);
}

/* The first inputs, if there are many. */
static void put_inputs(const Writer *w, const ExactWitness *x, bool blocks) {
  uint32_t lines = 0, shown = 0;
  for (const char *c = x->inputs; c && *c; c++) lines += *c == '\n';
  bool all = !w->style->details || lines <= 2 * INPUTS;
  for (const char *line = x->inputs; line && *line && (all || shown < INPUTS); shown++) {
    size_t n = strcspn(line, "\n"), most = all && blocks ? SIZE_MAX : LINE;
    const char *word = strncmp(line, "and ", 4) ? "with " : "";
    fprintf(w->out, "      %s%.*s%s\n", word, (int)(n < most ? n : most), line, n < most ? "" : " ..");
    line += n + (line[n] == '\n');
  }
  if (all) return;
  if (blocks) fprintf(w->out, "      and more: --details=0 lists all\n");
  else fprintf(w->out, "      and more: `tvr eval .. --seed=%" PRIu64 " seq.NAME` prints each\n", x->seed);
}

static void put_witness(const Writer *w, const CheckOutput *o, bool inputs) {
  const ExactWitness *x = &o->exact->witness;
  bool agree = w->r->exact->outputs[o - w->r->outputs].status == EXACT_AGREE; /* at the first points, which are random */
  fprintf(w->out, "    differs");
  put_place(w, x);
  const char *kind = x->seed & EXACT_COARSE  ? ", of few whole numbers"
                     : x->seed & EXACT_LEAST ? ", all at the least that is stated"
                     : x->seed & EXACT_MOST  ? ", all at the most that is stated"
                     : x->seed & EXACT_FAR   ? ", a few large among small ones"
                                             : "";
  fprintf(w->out, " (seed %" PRIu64 "%s%s)\n      seq  %s\n      dist %s\n", x->seed, kind,
          *kind && agree ? ": at random ones both agree" : "", x->seq, x->dist);
  if (inputs && o->blocks) fprintf(w->out, "      %s\n", o->blocks);
  if (inputs) put_inputs(w, x, o->blocks);
}

static void put_evaluation(const Writer *w, const ExactOutput *e) {
  const char *loops = w->r->n_loops ? ", where loops carry random values" : "";
  if (e->status == EXACT_AGREE) fprintf(w->out, "    evaluation agrees at %" PRIu32 " random points%s\n", e->points, loops);
  else if (e->status == EXACT_NEAR)
    fprintf(w->out, "    evaluation differs by %.2g relatively, too little to refute: rounded literals alone may do that\n",
            e->difference);
  else if (e->status == EXACT_UNKNOWN) fprintf(w->out, "    evaluation cannot tell: %s\n", e->why ? e->why : "");
}

const char *report_lemma(const CheckReport *r, const CheckOutput *o) {
  bool agrees = o->exact && (o->exact->status == EXACT_AGREE || o->exact->status == EXACT_NEAR);
  agrees |= r->exact && r->exact->not_evaluated && r->smaller && smaller_agrees(r->smaller);
  return o->verdict == VERDICT_UNPROVED && agrees && o->blame ? o->blame->lemma : NULL;
}

static void put_evidence(const Writer *w, const CheckOutput *o, bool inputs) {
  bool made_up = w->r->n_loops; /* what loops carry was */
  if (o->if_loops) fprintf(w->out, "    it follows if the loops carry what is said below\n");
  if (o->exact && o->exact->status == EXACT_DIFFER && !made_up) put_witness(w, o, inputs);
  else if (o->exact && o->exact->status == EXACT_DIFFER)
    fprintf(w->out, "    evaluation differs, if what loops carry is any values related so\n");
  else if (o->exact) put_evaluation(w, o->exact);
  if (o->blame && o->blame->difference) fprintf(w->out, "    %s\n", o->blame->difference);
  if (o->blame && o->blame->want) fprintf(w->out, "      want %s\n      have %s\n", o->blame->want, o->blame->have);
  if (report_lemma(w->r, o))
    fprintf(w->out, "    %s:\n      %s\n",
            o->false_lemma ? "no lemma, unless more is known of its operands: it is false, as `tvr prove` shows"
                           : "the missing lemma, if it is true",
            o->blame->lemma);
  if (o->exact && o->exact->holds.found) fprintf(w->out, "    it would hold as %s\n", o->exact->holds.text);
}

static void put_relation(const Writer *w, const CheckOutput *o) {
  fprintf(w->out, "  %s%s%s %s\n", paint(w, o->verdict), verdict_text(o->verdict), plain(w), o->relation);
}

static void put_output(const Writer *w, const CheckOutput *o, bool inputs) {
  put_relation(w, o);
  static const char *const how[] = {"", " (inferred)", " (guessed: nothing else fits the shapes)",
                                    " (guessed: one of several that fit the shapes)"};
  fprintf(w->out, "    %s%s\n", o->words, how[o->inferred]);
  if (o->verdict != VERDICT_VERIFIED) put_evidence(w, o, inputs);
}

/* One line each of the outputs with this verdict, `after` so many of them. */
static void put_others(const Writer *w, Verdict v, uint32_t after) {
  uint32_t n = 0, most = w->style->details ? after + LISTED : UINT32_MAX;
  for (uint32_t k = 0; k < w->r->n_results; k++)
    if (w->r->outputs[k].verdict == v && n++ >= after && n <= most) put_relation(w, &w->r->outputs[k]);
  if (n > most) fprintf(w->out, "  .. and %" PRIu32 " more %s (--details=0 lists all)\n", n - most, verdict_text(v));
}

/* What fails comes first; with many outputs the first of each kind is shown in full, and the others are named. */
static void put_outputs(const Writer *w) {
  const CheckReport *r = w->r;
  bool inputs = true; /* they are much the same for all */
  static const Verdict order[] = {VERDICT_BROKEN, VERDICT_REFUTED, VERDICT_UNPROVED, VERDICT_VERIFIED};
  for (uint32_t i = 0; i < 4; i++) {
    Verdict v = order[i];
    bool brief = v == VERDICT_VERIFIED && r->verdict != VERDICT_VERIFIED;
    uint32_t n = 0, most = brief ? 0 : v == VERDICT_VERIFIED || !w->style->details ? UINT32_MAX : w->style->details;
    for (uint32_t k = 0; k < r->n_results && n < most; k++) {
      if (r->outputs[k].verdict != v) continue;
      put_output(w, &r->outputs[k], inputs);
      inputs = inputs && v != VERDICT_REFUTED;
      n++;
    }
    put_others(w, v, n);
  }
}

const char *report_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void report_place(const Graph *g, const Node *n, char *out, size_t size) {
  const char *file = report_base(sym_text(g->path));
  if (n->line) snprintf(out, size, "%s:%" PRIu32, file, n->line);
  else snprintf(out, size, "%s%s%s", file, n->label ? ", " : "", n->label ? sym_text(n->label) : "");
}

static int width(int most, const char *text) {
  int n = (int)strlen(text);
  return n > most && n <= COLUMN ? n : most;
}

static void put_line(Writer *w, const char *place, const char *indent) {
  const char *line = source_line(w->style->folder, place, &w->arena);
  if (line) fprintf(w->out, "%s| %s\n", indent, line);
}

static Sym place_of(const Graph *g, NodeId id) {
  const Frames *f = &g->frames.at[g->nodes.at[id].frames];
  return f->n ? f->at[0] : 0;
}

/* The operators around it, in columns. */
static void put_scene(const Writer *w, const Graph *g, const Scene *s) {
  static const char *const roles[] = {"from", "here", "used by"};
  int name = 0, op = 0, at = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    const Node *n = &g->nodes.at[s->rows[i].node];
    name = width(name, sym_text(n->name));
    op = width(op, sym_text(n->op));
    at = width(at, sym_text(place_of(g, s->rows[i].node)));
  }
  for (uint32_t i = 0; i < s->n; i++) {
    const SceneRow *r = &s->rows[i];
    const Node *n = &g->nodes.at[r->node];
    fprintf(w->out, "      %-7s  %-*s  %-*s  %-*s  %s\n", roles[r->role], name, sym_text(n->name), op, sym_text(n->op),
            at, sym_text(place_of(g, r->node)), r->is);
  }
}

/* "in a, b" and the line of b, "called from c, d" */
static void put_callers(Writer *w, const Frames *f, uint32_t shown) {
  bool begun = false;
  for (uint32_t i = shown; i-- > 0;) {
    if (f->at[i] != f->at[i + 1]) fprintf(w->out, "%s%s", begun ? ", " : "    in ", sym_text(f->at[i])), begun = true;
    if (!i && begun) fprintf(w->out, "\n"), put_line(w, sym_text(f->at[0]), "    ");
  }
  for (uint32_t i = shown + 1; i < f->n && i < REPORT_FRAMES; i++)
    fprintf(w->out, "%s%s%s", i == shown + 1 ? "    called from " : ", ", sym_text(f->at[i]),
            i + 1 == f->n || i + 1 == REPORT_FRAMES ? "\n" : "");
}

static const char *line_of(Writer *w, const Graph *g, NodeId id) {
  Sym at = place_of(g, id);
  char place[512];
  report_place(g, &g->nodes.at[id], place, sizeof place);
  return at ? sym_text(at) : arena_strdup(&w->arena, place, strlen(place));
}

static void put_like(Writer *w, const Blamed *b) {
  const Graph *g = w->r->problem->graph[b->side == SIDE_SEQ ? SIDE_DIST : SIDE_SEQ];
  NodeId id = b->scene.like;
  if (id == NO_NODE) return;
  fprintf(w->out, "    in the %s program: %s %s (%s)\n", b->side == SIDE_SEQ ? "distributed" : "sequential",
          sym_text(g->nodes.at[id].op), sym_text(g->nodes.at[id].name), line_of(w, g, id));
}

/* Where a sum is missing, and where the program has it. */
static void put_gap(Writer *w, const Graph *g, const Blamed *b) {
  const Gap *gap = &b->gap;
  if (!gap->axes) return;
  const Relation *relation = w->r->problem->relation;
  uint32_t axes[32], n = 0;
  for (uint32_t k = 0; k < 32; k++)
    if (gap->axes >> k & 1) axes[n++] = k;
  fprintf(w->out, "    the sum over %s is missing between this", blame_axes(&relation->mesh, axes, n, &w->arena));
  if (gap->via) fprintf(w->out, ", by way of %s,", sym_text(gap->via));
  if (gap->user == NO_NODE) fprintf(w->out, " and the output %s\n", sym_text(relation->outputs[gap->output].name));
  else
    fprintf(w->out, " and %s %s (%s)\n", sym_text(g->nodes.at[gap->user].op), sym_text(g->nodes.at[gap->user].name),
            line_of(w, g, gap->user));
  if (gap->alike == NO_NODE) return;
  fprintf(w->out, "    %s is summed so by %s %s (%s)\n", sym_text(g->nodes.at[gap->alike_of].name),
          sym_text(g->nodes.at[gap->alike].op), sym_text(g->nodes.at[gap->alike].name), line_of(w, g, gap->alike));
}

/* Why, unless what follows says it better. */
static void put_why(const Writer *w, const Blamed *b) {
  bool sum = b->gap.axes && b->why == w->r->blame->outputs[b->output].difference;
  if (b->why && !sum && !(b->fix && b->want)) fprintf(w->out, "    %s\n", b->why);
}

static void put_blamed(Writer *w, const Blamed *b, uint32_t number) {
  const Graph *g = w->r->problem->graph[b->side];
  const Node *n = &g->nodes.at[b->node];
  const Frames *f = &g->frames.at[b->place == NO_NODE ? n->frames : g->nodes.at[b->place].frames];
  char place[512];
  report_place(g, n, place, sizeof place);
  fprintf(w->out, "  %" PRIu32 ". %s: %s %s (%s)\n", number, f->n ? sym_text(f->at[b->shown]) : "no source line",
          sym_text(n->op), sym_text(n->name), place);
  if (f->n) put_line(w, sym_text(f->at[b->shown]), "    ");
  put_callers(w, f, b->shown);
  put_why(w, b);
  put_gap(w, g, b);
  if (b->fix) fprintf(w->out, "    %s\n", b->fix);
  if (b->want && !b->fix) fprintf(w->out, "    want %s\n    have %s\n", b->want, b->have);
  put_scene(w, g, &b->scene);
  put_like(w, b);
}

static void put_causes(Writer *w) {
  const CheckReport *r = w->r, *c = check_causes(r);
  if (!c->blame || !c->blame->n) return;
  fprintf(w->out, "likely causes%s, the likeliest first\n", c == r ? "" : " at smaller sizes");
  w->r = c;
  for (uint32_t i = 0; i < c->blame->n; i++) put_blamed(w, &c->blame->at[i], i + 1);
  w->r = r;
}

static void put_list(const Writer *w, const char *title, const char *const *at, uint32_t n) {
  if (n) fprintf(w->out, "%s\n", title);
  for (uint32_t i = 0; i < n; i++) fprintf(w->out, "  %s\n", at[i]);
}

static void put_unrelated(const Writer *w, const CheckReport *r) {
  enum { SHOWN = 8 };
  uint32_t n = r->n_unrelated < SHOWN + 2 ? r->n_unrelated : SHOWN;
  put_list(w, "not checked, since nothing is related to it", r->unrelated, n);
  if (n < r->n_unrelated) fprintf(w->out, "  and %u more\n", r->n_unrelated - n);
}

/* Assumptions that nobody stated, and how they are stated. */
static void put_refused(Writer *w, const CheckReport *r) {
  if (!r->n_refused) return;
  const char *kinds = "";
  for (uint32_t k = 0; k < STATED_COUNT; k++)
    if (r->refused_kinds & 1u << k)
      kinds = arena_printf(&w->arena, "%s%s%s", kinds, *kinds ? "," : "", stated_text((Stated)k));
  put_list(w, arena_printf(&w->arena, "refused, since nobody stated (--assume=%s)", kinds), r->refused, r->n_refused);
}

/* Loops that were read once: what holds before every iteration, or which iteration or first value lacks it. */
static void put_loops(const Writer *w) {
  const CheckReport *r = w->r;
  if (r->n_loops) fprintf(w->out, "loops, by what holds as every iteration begins\n");
  for (uint32_t i = 0; i < r->n_loops; i++) {
    const CheckLoop *l = &r->loops[i];
    fprintf(w->out, "  %s, %" PRId64 " times", sym_text(l->name), l->trips);
    fprintf(w->out, l->at ? " (%s)\n" : "%s\n", l->at ? sym_text(l->at) : "");
    for (uint32_t k = 0; k < l->n; k++) {
      const CheckInvariant *v = &l->invariants[k];
      bool base = v->base->verdict == VERDICT_VERIFIED, step = v->step->verdict == VERDICT_VERIFIED;
      fprintf(w->out, "    %s: %s%s\n", v->relation, v->words,
              base && step ? ""
              : base       ? "; an iteration is not proved to keep it"
                           : "; not proved of the first value");
      if (!base) put_evidence(w, v->base, false);
      if (!step) put_evidence(w, v->step, false);
    }
  }
}

void report_text(const CheckReport *r, const ReportStyle *style, FILE *out) {
  Writer w = {.r = r, .style = style, .out = out};
  put_head(&w);
  put_outputs(&w);
  put_loops(&w);
  put_causes(&w);
  put_unrelated(&w, r);
  put_list(&w, "assuming", r->assumptions, r->n_assumptions);
  put_list(&w, "not assumed, since it does not hold where all inputs are in their ranges", r->failing, r->n_failing);
  put_refused(&w, r);
  if (r->exact) put_list(&w, "evaluated with", r->exact->notes, r->exact->n_notes);
  put_list(&w, "limits reached", r->limits, r->n_limits);
  put_list(&w, "what tvr does not know: say it in a file of your own, own.tvr, and give --with=own.tvr", r->define,
           r->n_define);
  if (r->n_define)
    fprintf(out, "  where .. is the value at one index (SPEC.md, section 2); `opaque batch *i` in the place of `= ..`\n"
                 "  says only that an element of the result depends on the same element of the operands\n");
  if (r->hint) fprintf(out, "hint\n  %s\n", r->hint);
  if (r->verdict == VERDICT_BROKEN)
    fprintf(out,
            "tvr proved what evaluation certainly refutes: one of them is wrong, and this is no verdict. Please report "
            "it.\n");
  arena_free(&w.arena);
}
