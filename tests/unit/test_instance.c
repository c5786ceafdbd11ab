/* Instances of every operator of the standard library, against the expected equations in test_instance.txt.
 *
 * A case is a line `OP TYPE <- TYPE .. ; ATTR=VALUE ..` and the line it gives: `= equation`, or `! code: message`.  A
 * value is a number, a list [1,2], groups {0,1|2,3}, pairs (0,1|1,2), a rational 1/2, or a word; `#1` after the
 * operator is the number of the result.  Lines `op ..` and `fn ..` are definitions.  With an argument `bless` the
 * expected lines are rewritten. */
#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <time.h>

#include "eval/meaning/instance.h"
#include "lang/library.h"
#include "lang/lang.h"

static const char *const path = "tests/unit/test_instance.txt";

typedef struct Test {
  Sources *sources;
  Diags *diags;
  Library *lib;
  Instances *instances;
  Arena arena;
  const char *p;
} Test;

static void skip(Test *t) { while (*t->p == ' ') t->p++; }

static size_t word_len(const char *p) {
  size_t n = 0;
  while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
  return n;
}

static Sym read_word(Test *t) {
  skip(t);
  size_t n = word_len(t->p);
  assert(n);
  Sym s = sym_n(t->p, n);
  t->p += n;
  return s;
}

static const int64_t *read_ints(Test *t, char end, uint32_t *n, uint32_t *first) {
  Vec(int64_t) v = {0};
  *first = 0;
  t->p++;
  while (*t->p != end) {
    char *after;
    vec_push(&v, strtoll(t->p, &after, 10));
    assert(after != t->p);
    t->p = after;
    if (*t->p == '|' && !*first) *first = (uint32_t)v.len;
    if (*t->p == ',' || *t->p == '|') t->p++;
  }
  t->p++;
  *n = (uint32_t)v.len;
  if (!*first) *first = *n;
  int64_t *out = arena_copy(&t->arena, v.at, v.len * sizeof *v.at);
  vec_free(&v);
  return out;
}

static void read_type(Test *t, Node *n) {
  DType d;
  skip(t);
  size_t len = word_len(t->p);
  bool known = dtype_parse(t->p, len, &d);
  assert(known);
  t->p += len;
  uint32_t rank, first;
  n->dtype = (uint8_t)d;
  n->dims = read_ints(t, ']', &rank, &first);
  n->rank = (uint8_t)rank;
}

static Attr read_attr(Test *t) {
  Attr a = {.name = read_word(t)};
  uint32_t first;
  assert(*t->p == '=');
  t->p++;
  switch (*t->p) {
    case '[': a.kind = ATTR_INTS; a.ints = read_ints(t, ']', &a.n, &first); break;
    case '{': a.kind = ATTR_GROUPS; a.ints = read_ints(t, '}', &a.n, &first); a.i = first; break;
    case '(': a.kind = ATTR_PAIRS; a.ints = read_ints(t, ')', &a.n, &first); break;
    default:
      if (isalpha((unsigned char)*t->p)) {
        a.kind = ATTR_SYM;
        a.s = read_word(t);
        break;
      }
      size_t n = strcspn(t->p, " \n");
      a.kind = memchr(t->p, '/', n) || memchr(t->p, '.', n) ? ATTR_RAT : ATTR_INT;
      bool ok = rat_parse(t->p, n, &a.r) && (a.kind == ATTR_RAT || rat_to_int(a.r, &a.i));
      assert(ok);
      t->p += n;
  }
  return a;
}

static NodeId read_node(Test *t, Graph *g) {
  Vec(NodeId) args = {0};
  Vec(Attr) attrs = {0};
  Node n = {.op = read_word(t)};
  if (*t->p == '#') n.result = (uint16_t)(t->p[1] - '0'), t->p += 2;
  read_type(t, &n);
  skip(t);
  assert(t->p[0] == '<' && t->p[1] == '-');
  t->p += 2;
  for (skip(t); isalpha((unsigned char)*t->p); skip(t)) {
    Node arg = {.op = sym("parameter")};
    read_type(t, &arg);
    vec_push(&args, graph_add(g, &arg));
  }
  if (*t->p == ';') t->p++;
  for (skip(t); isalpha((unsigned char)*t->p); skip(t)) vec_push(&attrs, read_attr(t));
  assert(*t->p == '\n');
  n.args = args.at;
  n.n_args = (uint32_t)args.len;
  n.attrs = attrs.at;
  n.n_attrs = (uint32_t)attrs.len;
  NodeId id = graph_add(g, &n);
  vec_free(&args);
  vec_free(&attrs);
  return id;
}

/* Arguments of a node come before it. */
static void check_form(const Instance *in) {
  for (uint32_t i = 0; i < in->n_x; i++) {
    const X *x = &in->x[i];
    bool indexed = x->kind == X_READ || x->kind == X_INDEX;
    for (uint32_t k = 0; k < x->n; k++) {
      if (!indexed) assert(x->args[k] < i);
      else assert(x->ix[k].dyn == NO_X || x->ix[k].dyn < i);
      for (uint32_t j = 0; indexed && j < x->ix[k].n_terms; j++)
        assert(x->ix[k].terms[j].coef && x->ix[k].terms[j].var < in->n_vars);
    }
  }
}

/* The lines a case gives. */
static char *run_case(Test *t) {
  Graph *g = graph_new();
  NodeId id = read_node(t, g);
  size_t before = diag_errors(t->diags);
  const Instance *in = instance_of(t->instances, g, id, t->diags);
  char *text;
  if (in) {
    assert(diag_errors(t->diags) == before);
    assert(instance_of(t->instances, g, id, t->diags) == in);
    check_form(in);
    text = arena_printf(&t->arena, "= %s\n", instance_print(in, &t->arena));
  } else {
    assert(diag_errors(t->diags) == before + 1);
    char *out = NULL;
    size_t n;
    FILE *f = open_memstream(&out, &n);
    diags_print(t->diags, f, false);
    fclose(f);
    const char *line = strstr(out, "error");
    assert(line);
    text = arena_printf(&t->arena, "! %.*s\n", (int)strcspn(line, "\n"), line);
    free(out);
  }
  graph_free(g);
  return text;
}

static bool is_definition(const char *line) { return !strncmp(line, "op ", 3) || !strncmp(line, "fn ", 3); }

/* Adds the definitions among the lines to the library. */
static void add_definitions(Test *t, const char *text) {
  Vec(char) own = {0};
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n") + 1;
    for (size_t i = 0; i < n; i++) vec_push(&own, is_definition(p) ? p[i] : '\n');
    p += n;
  }
  library_add(t->lib, lang_parse(&t->arena, t->diags, sources_add(t->sources, path, own.at, own.len)));
  vec_free(&own);
  diags_print(t->diags, stderr, false);
  assert(diag_errors(t->diags) == 0);
}

static double seconds(void) {
  struct timespec ts;
  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Repeated layers: equal nodes share one instance, and finding it is quick. */
static void check_sharing(Test *t) {
  Graph *g = graph_new();
  static const char line[] =
      "dot f32[8,64,256] <- f32[8,64,128] f32[128,256] ; lhs_contracting_dims=[2] rhs_contracting_dims=[0]\n";
  t->p = line;
  NodeId first = read_node(t, g);
  Node n = g->nodes.at[first];
  for (int i = 0; i < 25000; i++) graph_add(g, &n);
  const Instance *in = instance_of(t->instances, g, first, t->diags);
  double start = seconds();
  for (NodeId id = first; id < g->nodes.len; id++) {
    bool same = instance_of(t->instances, g, id, t->diags) == in;
    assert(same);
  }
  assert(seconds() - start < 0.5);
  graph_free(g);
}

int main(int argc, char **argv) {
  bool bless = argc > 1 && !strcmp(argv[1], "bless");
  Test t = {.sources = sources_new()};
  t.diags = diags_new(t.sources);
  t.lib = library_load(NULL, t.diags);
  diags_print(t.diags, stderr, false);
  assert(t.lib);
  t.instances = instances_new(t.lib);
  const char *why;
  uint32_t id = sources_load(t.sources, path, &why);
  assert(id);
  const Source *src = sources_get(t.sources, id);
  add_definitions(&t, src->text);
  FILE *out = bless ? fopen(path, "w") : NULL;
  int passed = 0, failed = 0;
  for (t.p = src->text; *t.p;) {
    const char *line = t.p;
    size_t n = strcspn(line, "\n") + 1;
    if (isalpha((unsigned char)*line) && !is_definition(line)) {
      char *text = run_case(&t);
      const char *want = line + n;
      if (bless) fprintf(out, "%.*s%s", (int)n, line, text);
      bool same = !strncmp(want, text, strlen(text));
      if (!same && !bless) printf("%.*s  want %.*s\n  have %s", (int)n, line, (int)strcspn(want, "\n"), want, text);
      same ? passed++ : failed++;
    } else if (bless && *line != '=' && *line != '!') {
      fprintf(out, "%.*s", (int)n, line);
    }
    t.p = line + n;
  }
  if (out) fclose(out);
  if (!bless) check_sharing(&t);
  printf("%d passed, %d failed\n", passed, bless ? 0 : failed);
  instances_free(t.instances);
  library_free(t.lib);
  diags_free(t.diags);
  sources_free(t.sources);
  arena_free(&t.arena);
  return !bless && failed;
}
