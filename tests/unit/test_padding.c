/* Dimensions that their blocks do not fill, with axes of all kinds against sizes of all kinds: the verdict against exact
 * evaluation, in which padding holds a number of its own on every device.  Sums over a dimension are taken rightly or not:
 * over some devices, with neighbours' blocks, of a whole that is put together, and divided by what would be right if padding
 * were more of the tensor.
 *
 *   test_padding [PAIRS [SEED]]      default: 400 pairs, seed 1 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eval/exact/exact.h"
#include "eval/prove/pair.h"
#include "eval/verdict/check.h"
#include "eval/verdict/model.h"
#include "lang/lang.h"

enum { MOST_DEVICES = 9 };

typedef struct Text {
  size_t n;
  char at[4000];
} Text;

#define PUT(t, ...) ((t)->n += (size_t)snprintf((t)->at + (t)->n, sizeof (t)->at - (t)->n, __VA_ARGS__))

static uint64_t state;

static int below(int n) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (uint64_t)n);
}

typedef struct Mesh2 {
  int n, size[2];     /* axes a and b */
  int n_cut, cut[2];  /* those that cut x, major first */
  int blocks, devices;
} Mesh2;

static int coordinate(const Mesh2 *m, int device, int axis) {
  return axis + 1 == m->n ? device % m->size[axis] : device / m->size[1];
}

static int place(const Mesh2 *m, int device) {
  int p = 0;
  for (int i = 0; i < m->n_cut; i++) p = p * m->size[m->cut[i]] + coordinate(m, device, m->cut[i]);
  return p;
}

/* Devices that differ along some axes (bits), each group in the order of blocks. */
static void put_groups(Text *t, const Mesh2 *m, int along) {
  bool done[MOST_DEVICES] = {0};
  PUT(t, "[");
  for (int d = 0, first = 1; d < m->devices; d++) {
    if (done[d]) continue;
    int group[MOST_DEVICES], n = 0;
    for (int e = 0; e < m->devices; e++) {
      bool same = true;
      for (int i = 0; i < m->n; i++) same &= along >> i & 1 || coordinate(m, d, i) == coordinate(m, e, i);
      if (!same) continue;
      int k = n++;
      for (; k && place(m, group[k - 1]) > place(m, e); k--) group[k] = group[k - 1];
      group[k] = e, done[e] = true;
    }
    PUT(t, "%s[", first ? "" : ", "), first = 0;
    for (int k = 0; k < n; k++) PUT(t, "%s%d", k ? ", " : "", group[k]);
    PUT(t, "]");
  }
  PUT(t, "]");
}

static Mesh2 some_mesh(void) {
  static const int alone[] = {2, 3, 4, 6};
  Mesh2 m = {.n = 1 + below(2)};
  for (int i = 0; i < m.n; i++) m.size[i] = m.n == 1 ? alone[below(4)] : 2 + below(2);
  m.devices = m.n == 1 ? m.size[0] : m.size[0] * m.size[1];
  bool turned = m.n == 2 && !below(4), both = m.n == 2 && below(5);
  m.n_cut = 1 + both;
  m.cut[0] = turned, m.cut[1] = !turned;
  m.blocks = m.size[m.cut[0]] * (both ? m.size[m.cut[1]] : 1);
  return m;
}

static void make(Text *t) {
  Mesh2 m = some_mesh();
  int size = 1 + below(7), block = (size + m.blocks - 1) / m.blocks, kind = below(4);
  int cut = 0, along = 1 + below(m.n == 2 ? 3 : 1), by[] = {1, 1, 2, 3, m.devices, m.devices / size};
  for (int i = 0; i < m.n_cut; i++) cut |= 1 << m.cut[i];
  PUT(t, "mesh { a = %d", m.size[0]);
  if (m.n == 2) PUT(t, ", b = %d", m.size[1]);
  PUT(t, " }\ngraph seq {\n  x: f32[%d] = parameter(0);\n  zero: f32[] = constant(0);\n", size);
  PUT(t, "  y: f32[] = reduce(x, zero, dimensions: [0], reducer: add);\n  return y\n}\n");
  PUT(t, "graph dist over (a%s) {\n  x: f32[%d] = parameter(0);\n", m.n == 2 ? ", b" : "", block);
  PUT(t, "  zero: f32[] = constant(0);\n");
  if (kind == 0) {
    int left = below(4) ? size : 1 + below(block * m.blocks);
    PUT(t, "  w: f32[%d] = all_gather(x, replica_groups: ", block * m.blocks);
    put_groups(t, &m, cut);
    PUT(t, ", dimensions: [0]);\n  p: f32[%d] = slice(w, starts: [0], limits: [%d], strides: [1]);\n", left, left);
    PUT(t, "  s: f32[] = reduce(p, zero, dimensions: [0], reducer: add);\n");
  } else {
    const char *own = "x";
    if (kind == 1) {
      own = "h";
      PUT(t, "  o: f32[%d] = collective_permute(x, source_target_pairs: [", block);
      for (int d = 0; d < m.devices; d++) PUT(t, "%s(%d, %d)", d ? ", " : "", d, (d + 1) % m.devices);
      PUT(t, "]);\n  e: f32[%d] = subtract(x, o);\n  h: f32[%d] = add(e, x);\n", block, block);
    }
    PUT(t, "  l: f32[] = reduce(%s, zero, dimensions: [0], reducer: add);\n", own);
    PUT(t, "  s: f32[] = all_reduce(l, replica_groups: ");
    put_groups(t, &m, along);
    PUT(t, ", reducer: add);\n");
  }
  int divisor = by[below(6)];
  PUT(t, "  c: f32[] = constant(%d);\n  y: f32[] = divide(s, c);\n  return y\n}\n", divisor ? divisor : 1);
  PUT(t, "given dist.x ~ seq.x shard(0");
  for (int i = 0; i < m.n_cut; i++) PUT(t, ", %c", "ab"[m.cut[i]]);
  PUT(t, ")\nexpect dist.y ~ seq.y\ncheck dist expected seq\n");
}

static ExactStatus truth(const Problem *p) {
  ExactProblem e = {.relation = p->relation, .options = exact_defaults()};
  e.seq = (ExactSide){p->graph[SIDE_SEQ], p->instance[SIDE_SEQ]};
  e.dist = (ExactSide){p->graph[SIDE_DIST], p->instance[SIDE_DIST]};
  ExactReport *r = exact_compare(&e);
  ExactStatus status = (ExactStatus)r->outputs[0].status;
  exact_report_free(r);
  return status;
}

int main(int argc, char **argv) {
  int most = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 400, verified = 0, differ = 0, wrong = 0;
  uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
  for (int k = 0; k < most && wrong < 5; k++) {
    state = (seed * 1000003u + (uint64_t)k) * 0x9e3779b97f4a7c15u;
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Library *library = library_load(NULL, diags);
    Text t = {0};
    make(&t);
    Arena arena = {0};
    AstFile *file = lang_parse(&arena, diags, sources_add(sources, "padding.tvr", t.at, t.n));
    Model model = {0};
    Pair pair = {0};
    uint32_t n;
    const AstFile *const *files = library_files(library, &n);
    bool ok = file && lang_check(file, files, n, diags) && model_make(&model, file, &(ModelReaders){0}, diags);
    ok = ok && pair_make(&pair, library, model.checks[0].seq, model.checks[0].dist, &model.checks[0].relation, diags);
    if (ok) {
      CheckOptions o = check_defaults();
      o.evaluate = false;
      CheckReport *c = check_run(&pair.problem, &o);
      bool differs = truth(&pair.problem) == EXACT_DIFFER, holds = c->verdict == VERDICT_VERIFIED;
      verified += holds, differ += differs;
      if (holds && differs) printf("pair %d: verified, and the values differ\n%s\n", k, t.at), wrong++;
      check_report_free(c);
    } else {
      diags_print(diags, stdout, false);
      printf("%s\n", t.at), wrong++;
    }
    pair_free(&pair);
    model_free(&model);
    arena_free(&arena);
    library_free(library);
    diags_free(diags);
    sources_free(sources);
  }
  printf("%d pairs: %d verified, %d differ; %d wrong\n", most, verified, differ, wrong);
  return wrong > 0 || !verified || !differ;
}
