/* Execution plans: the pickle and the JSON of one plan read as the same tables, and what is malformed is refused.  With
 * two files: whether these are the same plan. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "frontends/plan/pickle.h"
#include "frontends/plan/plan.h"

static int failures;

typedef struct File {
  Sources *sources;
  Diags *diags;
  Plan plan;
  bool ok;
} File;

static File read_file(uint32_t id, Sources *sources) {
  File f = {.sources = sources, .diags = diags_new(sources)};
  const Source *s = sources_get(sources, id);
  if (plan_is_pickle(s)) f.ok = plan_read_pickle(&f.plan, f.diags, id);
  else if (plan_is_json(s)) f.ok = plan_read_json(&f.plan, f.diags, id);
  return f;
}

static File read_path(const char *path) {
  Sources *sources = sources_new();
  const char *why;
  uint32_t id = sources_load(sources, path, &why);
  if (!id) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
  }
  File f = read_file(id, sources);
  diags_print(f.diags, stderr, false);
  return f;
}

static void close_file(File *f) {
  plan_tables_free(&f->plan);
  diags_free(f->diags);
  sources_free(f->sources);
}

/* ---- the same plan */
static const char *differs; /* what, of the place below */
#define SAME(x, y, what) \
  if (!differs && (x) != (y)) differs = what

static void same_full(const PlanFull *a, const PlanFull *b) {
  SAME(a->id, b->id, "id of a full tensor");
  SAME(a->name, b->name, "name of a full tensor");
  SAME(a->kind, b->kind, "kind of a full tensor");
  SAME(a->dtype, b->dtype, "dtype of a full tensor");
  SAME(a->rank, b->rank, "rank of a full tensor");
  for (uint32_t k = 0; !differs && k < a->rank; k++) SAME(a->dims[k], b->dims[k], "size of a full tensor");
  SAME(a->loss, b->loss, "loss of a full tensor");
  SAME(a->of_param, b->of_param, "of_param of a full tensor");
}

static void same_sub(const Plan *p, uint32_t i, const Plan *q, uint32_t j) {
  SAME(i == NO_PLAN, j == NO_PLAN, "presence of a tensor");
  if (differs || i == NO_PLAN) return;
  const PlanSub *a = &p->subs.at[i], *b = &q->subs.at[j];
  const PlanFull *f = &p->fulls.at[a->full], *g = &q->fulls.at[b->full];
  SAME(a->id, b->id, "id of a tensor");
  same_full(f, g);
  SAME(f->grad == NO_PLAN, g->grad == NO_PLAN, "presence of the gradient of a full tensor");
  if (!differs && f->grad != NO_PLAN) same_full(&p->fulls.at[f->grad], &q->fulls.at[g->grad]);
  for (uint32_t k = 0; !differs && k < f->rank; k++) {
    SAME(a->start[k], b->start[k], "start of a tensor");
    SAME(a->end[k], b->end[k], "end of a tensor");
  }
  SAME(a->addend, b->addend, "addend of a tensor");
  SAME(a->n_addends, b->n_addends, "number of addends of a tensor");
}

static void same_args(const Plan *p, const PlanArg *a, uint32_t n, const Plan *q, const PlanArg *b, uint32_t m);

static void same_arg(const Plan *p, const PlanArg *a, const Plan *q, const PlanArg *b) {
  SAME(a->kind, b->kind, "kind of an argument");
  if (differs) return;
  if (a->kind == PA_TENSOR) same_sub(p, a->sub, q, b->sub), same_sub(p, a->grad, q, b->grad);
  SAME(a->i, b->i, "integer");
  if (a->kind == PA_INT || a->kind == PA_BOOL || a->kind == PA_FLOAT) SAME(a->r, b->r, "number");
  SAME(a->s, b->s, "string");
  if (a->kind == PA_LIST) same_args(p, a->list, a->n, q, b->list, b->n);
}

static void same_args(const Plan *p, const PlanArg *a, uint32_t n, const Plan *q, const PlanArg *b, uint32_t m) {
  SAME(n, m, "length of a list");
  for (uint32_t k = 0; !differs && k < n; k++) same_arg(p, &a[k], q, &b[k]);
}

static void same_kws(const Plan *p, const PlanKw *a, uint32_t n, const Plan *q, const PlanKw *b, uint32_t m) {
  SAME(n, m, "number of named arguments");
  for (uint32_t k = 0; !differs && k < n; k++) {
    SAME(a[k].name, b[k].name, "name of an argument");
    same_arg(p, &a[k].value, q, &b[k].value);
  }
}

static void same_node(const Plan *p, const PlanNode *a, const Plan *q, const PlanNode *b) {
  SAME(a->kind, b->kind, "kind");
  SAME(a->forward, b->forward, "direction");
  SAME(a->id, b->id, "id");
  SAME(a->op, b->op, "operator");
  SAME(a->signature, b->signature, "signature");
  SAME(a->at, b->at, "place");
  SAME(a->text, b->text, "text");
  SAME(a->mirror, b->mirror, "mirror");
  SAME(a->n_nodes, b->n_nodes, "number of nodes");
  SAME(a->n_prims, b->n_prims, "number of primitives");
  SAME(a->n_devices, b->n_devices, "number of devices");
  for (uint32_t k = 0; !differs && k < a->n_nodes; k++) SAME(a->nodes[k], b->nodes[k], "node of a segment");
  for (uint32_t k = 0; !differs && k < a->n_devices; k++) SAME(a->devices[k], b->devices[k], "device");
  same_args(p, a->in, a->n_in, q, b->in, b->n_in);
  same_args(p, a->out, a->n_out, q, b->out, b->n_out);
  same_kws(p, a->kws, a->n_kws, q, b->kws, b->n_kws);
  for (uint32_t k = 0; !differs && k < a->n_prims; k++) {
    const PlanPrim *x = &a->prims[k], *y = &b->prims[k];
    SAME(x->op, y->op, "primitive");
    same_args(p, x->in, x->n_in, q, y->in, y->n_in);
    same_args(p, x->out, x->n_out, q, y->out, y->n_out);
    same_kws(p, x->kws, x->n_kws, q, y->kws, y->n_kws);
  }
}

static void same_plan(const char *name, const Plan *p, const Plan *q) {
  char at[64] = "";
  SAME(p->n_devices, q->n_devices, "devices");
  SAME(p->n_runtime, q->n_runtime, "devices of all replicas");
  SAME(p->fulls.len, q->fulls.len, "number of full tensors");
  SAME(p->subs.len, q->subs.len, "number of tensors");
  SAME(p->nodes.len, q->nodes.len, "number of nodes");
  same_args(p, p->losses, p->n_microbatches, q, q->losses, q->n_microbatches);
  for (size_t k = 0; !differs && k < p->nodes.len; k++) {
    snprintf(at, sizeof at, " of node %zu (%lld)", k, (long long)p->nodes.at[k].id);
    same_node(p, &p->nodes.at[k], q, &q->nodes.at[k]);
  }
  for (int64_t d = 0; !differs && d < p->n_devices; d++) {
    SAME(p->programs[d].n, q->programs[d].n, "number of steps");
    for (uint32_t k = 0; !differs && k < p->programs[d].n; k++) {
      const PlanStep *x = &p->programs[d].steps[k], *y = &q->programs[d].steps[k];
      snprintf(at, sizeof at, " of step %u of device %lld", k, (long long)d);
      SAME(x->node, y->node, "node");
      SAME(x->microbatch, y->microbatch, "microbatch");
      same_args(p, x->in, x->n_in, q, y->in, y->n_in);
      same_args(p, x->out, x->n_out, q, y->out, y->n_out);
    }
  }
  if (differs) failures++, fprintf(stderr, "%s: different %s%s\n", name, differs, at);
  differs = NULL;
}

static void same_files(const char *a, const char *b) {
  File f = read_path(a), g = read_path(b);
  if (!f.ok || !g.ok) failures++, fprintf(stderr, "%s: not read\n", f.ok ? b : a);
  else same_plan(a, &f.plan, &g.plan);
  close_file(&f);
  close_file(&g);
}

/* ---- what is refused */
static char *load(const char *name, size_t *len) {
  char path[256];
  snprintf(path, sizeof path, "tests/graphs/plans/%s", name);
  FILE *f = fopen(path, "rb");
  if (!f) {
    fprintf(stderr, "%s cannot be read\n", path);
    exit(1);
  }
  char *text = xmalloc(1 << 20);
  *len = fread(text, 1, (1 << 20) - 1, f);
  text[*len] = 0;
  fclose(f);
  return text;
}

static File read_text(const char *text, size_t len) {
  Sources *sources = sources_new();
  return read_file(sources_add(sources, "t", text, len), sources);
}

/* The file with one text (of its first place) replaced, which must be there, is refused with this error. */
static void refuses(int line, const char *name, const char *old, const char *new, const char *code, const char *what) {
  size_t len, n = strlen(old), size = 0;
  char *text = load(name, &len), *at = memmem(text, len, old, n), *out = NULL;
  if (!at) {
    failures++, fprintf(stderr, "line %d: '%s' is not in %s\n", line, old, name);
    free(text);
    return;
  }
  memmove(at + strlen(new), at + n, len - (size_t)(at - text) - n + 1);
  memcpy(at, new, strlen(new));
  File f = read_text(text, len - n + strlen(new));
  FILE *to = open_memstream(&out, &size);
  diags_print(f.diags, to, false);
  fclose(to);
  if (f.ok || !strstr(out, code) || !strstr(out, what)) {
    failures++;
    fprintf(stderr, "line %d: wanted %s, %s; got %s%s", line, code, what, f.ok ? "a plan\n" : "", out);
  }
  free(out);
  free(text);
  close_file(&f);
}
#define REFUSES(old, new, code, what) refuses(__LINE__, "mlp-dp2-pp2-tp2.json", old, new, code, what)
#define REFUSES_PICKLE(old, new, code, what) refuses(__LINE__, "mlp-dp2-pp2-tp2.pkl", old, new, code, what)

static void refusals(void) {
  REFUSES("\"version\":1", "\"version\":2", "E0408", "version 2");
  REFUSES("\"version\":1,", "", "E0401", "\"version\" must be an integer");
  REFUSES("\"runtime_devices\":8", "\"runtime_devices\":6", "E0503", "multiple");
  REFUSES("\"plan_devices\":4", "\"plan_devices\":0", "E0503", "multiple");
  REFUSES("\"plan_devices\":4", "\"plan_devices\":2", "E0503", "\"seq\" must have the steps of each of the 2");
  REFUSES("{\"t\":17},\n", "", "E0405", "microbatch 1 of 1");
  REFUSES("\"outputs\":[\n {\"t\":17},\n {\"t\":26}\n]", "\"outputs\":[]", "E0401", "at least one output");
  REFUSES("\"outputs\":[\n {\"t\":17}", "\"outputs\":[\n 17", "E0401", "an output is not a tensor");
  REFUSES("\"float32\"", "\"float99\"", "E0401", "'float99' is no element type");
  REFUSES("\"kind\":\"param\"", "\"kind\":\"prm\"", "E0401", "\"kind\" must be");
  REFUSES("\"shape\":[8,8]", "\"shape\":[8,-8]", "E0401", "negative");
  REFUSES("\"shape\":[8,8]", "\"shape\":[1000000000,1000000000]", "E0405", "too large");
  REFUSES("\"grad\":2}", "\"grad\":1}", "E0402", "full tensor 1 is not declared");
  REFUSES("\"id\":3,", "\"id\":2,", "E0402", "full tensor 2 is declared twice");
  REFUSES("\"full\":7,\"ind\":[[0,4],[0,8]]", "\"full\":7,\"ind\":[[0,4]]", "E0404", "has 2");
  REFUSES("\"full\":7,\"ind\":[[0,4],[0,8]]", "\"full\":7,\"ind\":[[0,4],[0,9]]", "E0404", "which has size 8");
  REFUSES("\"full\":7,\"ind\":[[0,4],[0,8]]", "\"full\":7,\"ind\":[[0,4],[5,4]]", "E0404", "[5, 4)");
  REFUSES("\"full\":7,\"ind\":[[0,4],[0,8]]", "\"full\":7,\"ind\":[[-1,4],[0,8]]", "E0404", "[-1, 4)");
  REFUSES("\"full\":7,\"ind\":[[0,4],[0,8]]", "\"full\":1,\"ind\":[[0,4],[0,8]]", "E0402", "full tensor 1 is not");
  REFUSES("\"val\":[0,2]", "\"val\":[2,2]", "E0401", "addend 2 of 2");
  REFUSES("\"val\":[0,2]", "\"val\":[0]", "E0401", "number of addends");
  REFUSES("{\"id\":11,", "{\"id\":8,", "E0402", "tensor 8 is declared twice");
  REFUSES("\"n\":1,", "\"n\":2,", "E0402", "the place of the node in the list, 1");
  REFUSES("\"kind\":\"fw\"", "\"kind\":\"fx\"", "E0401", "\"kind\" must be");
  REFUSES("\"nodes\":[2,3,5]", "\"nodes\":[2,3,99]", "E0402", "there is no node 99");
  REFUSES("\"nodes\":[2,3,5]", "\"nodes\":[2,3,-1]", "E0401", "the number of a node");
  REFUSES("\"nodes\":[2,3,5]", "\"nodes\":[2,3,3]", "E0402", "stands in segments twice");
  REFUSES("\"nodes\":[2,3,5]", "\"nodes\":[2,3,6]", "E0408", "a segment of other things");
  REFUSES("\"nodes\":[2,3,5]", "\"nodes\":[2,5]", "E0402", "is in no segment that this one is the backward of");
  REFUSES("\"nodes\":[2,3,5]", "\"nodes\":[2,16,5]", "E0402", "stands in segments twice");
  REFUSES("\"mirror\":4}", "\"mirror\":17}", "E0402", "has another one");
  REFUSES("\"mirror\":4}", "\"mirror\":2}", "E0402", "is of the wrong kind");
  REFUSES("\"mirror\":4}", "\"mirror\":1000}", "E0402", "there is no node 1000");
  REFUSES("\"out\":[{\"t\":55},{\"t\":56}],\"mirror\":3", "\"out\":[{\"t\":55},{\"t\":56}]", "E0407", "is not said");
  REFUSES("\"out\":[{\"t\":55},{\"t\":56}]", "\"out\":[{\"t\":55},7]", "E0408", "a result that is not a tensor");
  REFUSES("\"fw\":true", "\"fw\":1", "E0401", "true or false");
  REFUSES("\"sig\":\"torch.nn.functional.linear\",", "", "E0401", "an operator needs \"sig\"");
  REFUSES("\"kw\":{\"bias\":null}", "\"kw\":[null]", "E0401", "must be an object");
  REFUSES("\"kw\":{\"bias\":null}", "\"kw\":{\"bias\":{}}", "E0408", "not understood");
  REFUSES("\"kw\":{\"bias\":null}", "\"kw\":{\"bias\":{\"float\":\"big\"}}", "E0401", "\"float\" must be");
  REFUSES("\"kw\":{\"bias\":null}", "\"kw\":{\"bias\":{\"global\":\"slice\",\"args\":[1]}}", "E0408", "not understood");
  REFUSES("\"kw\":{\"bias\":null}", "\"kw\":{\"bias\":[[[[[[[[[[1]]]]]]]]]]}", "E0102", "nested");
  REFUSES("{\"t\":54,\"g\":56}", "{\"t\":1,\"g\":56}", "E0402", "tensor 1 is not declared");
  REFUSES("\"ranks\":[0,1]", "\"ranks\":[0,4]", "E0409", "not devices of the plan");
  REFUSES("\"ranks\":[0,1]", "\"ranks\":[0,0]", "E0409", "twice");
  REFUSES("\"ranks\":[0,1]", "\"ranks\":[1,2]", "E0409", "not among the ranks");
  REFUSES("\"ranks\":[0,1]", "\"ranks\":1", "E0407", "not a list");
  REFUSES("\"src\":0", "\"src\":-1", "E0409", "'src' of Move");
  REFUSES("\"dev\":[0]", "\"dev\":[4]", "E0503", "device 4 is not one of");
  REFUSES("\"dev\":[0]", "\"dev\":[1]", "E0503", "not meant");
  REFUSES("\"dev\":[0]", "\"dev\":[0,0]", "E0503", "named twice");
  REFUSES("{\"t\":54,\"g\":56}]}", "{\"t\":54}]}", "E0407", "not a parameter with a gradient");
  REFUSES("{\"n\":9,\"mb\":1", "{\"n\":9,\"mb\":0", "E0402", "runs it twice");
  REFUSES("{\"n\":9,\"mb\":1", "{\"n\":54,\"mb\":1", "E0402", "a step needs");
  REFUSES("{\"n\":9,\"mb\":1", "{\"n\":3,\"mb\":1", "E0408", "outside a segment");
  REFUSES("{\"n\":9,\"mb\":1", "{\"n\":2,\"mb\":1", "E0402", "by itself and in a segment");
  REFUSES("{\"n\":9,\"mb\":1", "{\"n\":22,\"mb\":1", "E0503", "not meant");
  REFUSES("{\"n\":9,\"mb\":1,\"in\":[{\"t\":23}]", "{\"n\":9,\"mb\":1,\"in\":[]", "E0302", "gives 0 tensors for its 1");
  REFUSES("{\"n\":9,\"mb\":1,\"in\":[{\"t\":23}]", "{\"n\":9,\"mb\":1,\"in\":[{\"t\":26}]", "E0404", "another type");
  REFUSES("{\"n\":9,\"mb\":1,\"in\":[{\"t\":23}]", "{\"n\":9,\"mb\":1,\"in\":[1]", "E0203", "no tensor");
  REFUSES("\"seq\":{\n \"0\":", "\"seq\":{\n \"7\":", "E0503", "no steps of device 0");
  REFUSES("\"format\":\"tvr-plan\",", "\"format\":\"tvr-plan\",,", "E0004", "");
  REFUSES_PICKLE("ModuleCodeGen", "ModuleCodeGex", "E0408", "the pickle is no plan: it holds nnscaler.codegen");
  REFUSES_PICKLE("_indmap", "_indmax", "E0407", "IRSubTensor has no attribute '_indmap'");
  REFUSES_PICKLE("\x8c\x07""float32", "\x8c\x07""float33", "E0408", "element type");
  REFUSES_PICKLE("MovePrim", "MoveTrim", "E0407", "'_prims' of nnscaler.ir.adapter.adapter.IRAdapter is malformed");
}

/* ---- pickles */
static void show(FILE *f, const PickleValue *v, int depth) {
  static const char *const open[] = {[PV_TUPLE] = "(", [PV_LIST] = "[", [PV_SET] = "<", [PV_DICT] = "{"};
  if (depth == 4) {
    fputs("..", f);
    return;
  }
  switch ((PickleKind)v->kind) {
    case PV_NONE: fputs("None", f); return;
    case PV_BOOL: fputs(v->i ? "True" : "False", f); return;
    case PV_INT: fprintf(f, "%lld", (long long)v->i); return;
    case PV_FLOAT: fprintf(f, "%g", v->f); return;
    case PV_STRING: fprintf(f, "'%s'", sym_text(v->s)); return;
    case PV_GLOBAL: fputs(sym_text(v->s), f); return;
    case PV_BYTES: fprintf(f, "%u bytes", v->len); return;
    case PV_OTHER: fputs("?", f); return;
    case PV_RECORD:
      fprintf(f, "%s", v->record->cls ? sym_text(v->record->cls) : "?");
      show(f, &v->record->args, depth + 1);
      if (v->record->state.kind) show(f, &v->record->state, depth + 1);
      return;
    case PV_TUPLE:
    case PV_LIST:
    case PV_SET:
    case PV_DICT: break;
  }
  fputs(open[v->kind], f);
  for (uint32_t k = 0; k < v->list->len; k++) {
    if (k) fputs(" ", f);
    show(f, &v->list->at[k], depth + 1);
  }
  fputs(open[v->kind], f);
}

/* What a pickle holds, or what is wrong with it. */
static void pickle(int line, const char *bytes, size_t len, const PickleLimits *limits, const char *want) {
  uint8_t *copy = xmalloc(len + 1); /* of just this size */
  memcpy(copy, bytes, len);
  copy = xrealloc(copy, len ? len : 1);
  Arena arena = {0};
  PickleValue v;
  PickleFault fault;
  char *out = NULL;
  size_t size = 0;
  FILE *f = open_memstream(&out, &size);
  if (pickle_read(&arena, copy, len, limits, &v, &fault)) show(f, &v, 0);
  else fprintf(f, "%s: %s at %zu", diag_code_text(fault.code), fault.what, fault.at);
  fclose(f);
  if (strcmp(out, want)) failures++, fprintf(stderr, "line %d: wanted %s, got %s\n", line, want, out);
  free(out);
  free(copy);
  arena_free(&arena);
}
#define PICKLE(bytes, want) pickle(__LINE__, bytes, sizeof(bytes) - 1, &PICKLE_LIMITS, want)
#define LIMITED(bytes, limit, n, want)             \
  do {                                             \
    PickleLimits limits_ = PICKLE_LIMITS;          \
    limits_.limit = n;                             \
    pickle(__LINE__, bytes, sizeof(bytes) - 1, &limits_, want); \
  } while (0)

static void plain(void) {
  PICKLE("\x80\x04N.", "None");
  PICKLE("\x88.", "True");
  PICKLE("K\xff.", "255");
  PICKLE("M\xff\xff.", "65535");
  PICKLE("J\xfe\xff\xff\xff.", "-2");
  PICKLE("\x8a\x00.", "0");
  PICKLE("\x8a\x02\x00\x80.", "-32768");
  PICKLE("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", "9223372036854775807");
  PICKLE("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.", "?");
  PICKLE("\x8b\x01\x00\x00\x00\x05.", "5");
  PICKLE("G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "1.5");
  PICKLE("\x8c\x02hi.", "'hi'");
  PICKLE("X\x02\x00\x00\x00hi.", "'hi'");
  PICKLE("\x8d\x02\x00\x00\x00\x00\x00\x00\x00hi.", "'hi'");
  PICKLE("\x8c\x02\xff\xfe.", "?");
  PICKLE("C\x03""abc.", "3 bytes");
  PICKLE("(K\x01K\x02K\x03K\x04t.", "(1 2 3 4(");
  PICKLE(")K\x01\x85K\x01K\x02\x86K\x01K\x02K\x03\x87\x87.", "((1( (1 2( (1 2 3((");
  PICKLE("]K\x01""a(K\x02K\x03""e.", "[1 2 3[");
  PICKLE("(K\x01K\x02l.", "[1 2[");
  PICKLE("}K\x01K\x02s(K\x03K\x04u.", "{1 2 3 4{");
  PICKLE("(K\x01K\x02""d.", "{1 2{");
  PICKLE("\x8f(K\x01\x90.", "<1<");
  PICKLE("(K\x01\x91.", "<1<");
  PICKLE("K\x01K\x02""0.", "1");
  PICKLE("K\x01(K\x02K\x03""1.", "1");
  PICKLE("K\x01(0.", "1");
  PICKLE("K\x01""2\x86.", "(1 1(");
  PICKLE("]\x94h\x00""a.", "[[[[..[[[[");
  PICKLE("]q\x00K\x07r\x01\x00\x00\x00""aj\x01\x00\x00\x00\x86.", "([7[ 7(");
}

static void records(void) {
  PICKLE("ca.b\nC\n.", "a.b.C");
  PICKLE("\x8c\x03""a.b\x8c\x03""C.d\x93.", "a.b.C.d");
  PICKLE("ca\nC\n)\x81}\x8c\x01xK\x05sb.", "a.C(({'x' 5{");
  PICKLE("ca\nC\n)}\x92.", "a.C((");
  PICKLE("ca\nf\nK\x01\x85R.", "a.f(1(");
  PICKLE("ca\nf\n)RK\x01\x85R.", "?(1(");
  PICKLE("ca\nC\n)\x81K\x01""a(K\x02K\x03u.", "a.C((");
  PICKLE("ca\nC\n)\x81K\x01""bK\x02""b.", "E0408: an object that gets attributes twice at 12");
  PICKLE("ccollections\nOrderedDict\n)RK\x01K\x02s.", "{1 2{");
  PICKLE("ctorch\nSize\n(K\x02K\x03t\x85R.", "(2 3(");
#define I8 "cnumpy\ndtype\n\x8c\x02i8\x89\x88\x87R(K\x03\x8c\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
  PICKLE("cnumpy._core.multiarray\nscalar\n" I8 "C\x08\x05\x00\x00\x00\x00\x00\x00\x00\x86R.", "5");
  PICKLE("cnumpy.core.multiarray\nscalar\n" I8 "C\x08\xff\xff\xff\xff\xff\xff\xff\xff\x86R.", "-1");
  PICKLE("cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\n\x8c\x02u1\x85RC\x01\xff\x86R.", "255");
  PICKLE("cnumpy.core.multiarray\nscalar\ncnumpy\ndtype\n\x8c\x02i8\x85RC\x01\xff\x86R.",
         "numpy.core.multiarray.scalar(numpy.dtype(..( 1 bytes(");
}

static void broken(void) {
  PICKLE("", "E0401: the pickle is cut off at 0");
  PICKLE("K", "E0401: the pickle is cut off at 0");
  PICKLE("N", "E0401: the pickle is cut off at 1");
  PICKLE(".", "E0401: a value is missing at 0");
  PICKLE("N.N", "E0401: there is something behind the end at 1");
  PICKLE("\x8c\x03hi", "E0401: the pickle is cut off at 0");
  PICKLE("\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "E0401: the pickle is cut off at 0");
  PICKLE("ca\nC", "E0401: the pickle is cut off at 0");
  PICKLE("a.", "E0401: a value is missing at 0");
  PICKLE("t.", "E0401: a list has no start at 0");
  PICKLE("K\x01(\x85.", "E0401: a value is missing at 3");
  PICKLE("NNa.", "E0401: items are added to something else at 2");
  PICKLE("}(Nu.", "E0401: a key has no value at 3");
  PICKLE("(Nd.", "E0401: a key has no value at 2");
  PICKLE("h\x00.", "E0402: there is no value of that number at 0");
  PICKLE("Nq\x05.", "E0408: values are not numbered in order at 1");
  PICKLE("NN\x93.", "E0401: a name is no text at 2");
  PICKLE("ca\nf\nNR.", "E0401: arguments are no tuple at 6");
  PICKLE("NNb.", "E0401: attributes of something that has none at 2");
  PICKLE("P0\n.", "E0408: an instruction that is not read at 0");
  LIMITED("NNN\x87.", opcodes, 3, "E0003: too many instructions at 3");
  LIMITED("NNN\x87.", stack, 2, "E0003: too many values at a time at 2");
  LIMITED("((t\x85.", depth, 1, "E0102: lists are nested too deep at 1");
  LIMITED("N\x94\x94.", memo, 1, "E0003: too many numbered values at 2");
  LIMITED("NNN\x87\x85\x85.", memory, 64, "E0003: too much memory at 5");
}

/* Cut off anywhere, or with other bytes somewhere, it is read or refused with a report. */
static void damaged(void) {
  size_t len;
  char *text = load("mlp.pkl", &len);
  uint64_t random = 1;
  for (size_t n = 0; n < len; n++) {
    File f = read_text(text, n);
    if (f.ok || (n > 2 && !diag_errors(f.diags))) failures++, fprintf(stderr, "%zu bytes of a plan were read\n", n);
    close_file(&f);
  }
  for (int k = 0; k < 3000; k++) {
    char before[3];
    size_t at[3];
    for (int i = 0; i < 3; i++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
      at[i] = (random >> 33) % len;
      before[i] = text[at[i]];
      text[at[i]] = (char)(k % 2 ? text[at[i]] ^ 1 << (random >> 60 & 7) : (char)(random >> 20));
    }
    File f = read_text(text, len);
    if (f.ok == (diag_errors(f.diags) > 0) && f.plan.diags) failures++, fprintf(stderr, "change %d: no report\n", k);
    close_file(&f);
    for (int i = 3; i--;) text[at[i]] = before[i];
  }
  free(text);
}

int main(int argc, char **argv) {
  if (argc == 2) {
    File f = read_path(argv[1]);
    printf("%s: %s, %zu nodes\n", argv[1], f.ok ? "read" : "refused", f.plan.nodes.len);
    close_file(&f);
    return !f.ok;
  }
  if (argc == 3) return same_files(argv[1], argv[2]), failures != 0;
  same_files("tests/graphs/plans/mlp.json", "tests/graphs/plans/mlp.pkl");
  same_files("tests/graphs/plans/mlp-dp2-pp2-tp2.json", "tests/graphs/plans/mlp-dp2-pp2-tp2.pkl");
  refusals();
  plain();
  records();
  broken();
  damaged();
  return failures != 0;
}
