/* relation.json: what is read of it, what is refused and where; relations against graphs; decimals in element types. */
#include <stdio.h>

#include "frontends/base/decimal.h"
#include "frontends/base/relation.h"
#include "frontends/hlo/hlo.h"

static int failures;
#define CHECK(x) \
  if (!(x)) failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #x)

#define MESH "{\"mesh\": {\"axes\": [[\"dp\", 2], [\"tp\", 3]], \"device_order\": [0, 2, 4, 1, 3, 5]},\n"
#define ENTRY(n, spec, rest) \
  "{\"name\": \"" #n "\", \"seq\": " #n ", \"dist\": " #n ", \"dtype\": \"f32\", \"spec\": " spec rest "}"
#define ONE(spec, rest) \
  MESH " \"inputs\": [" ENTRY(0, spec, rest) "],\n \"outputs\": [" ENTRY(0, "[[], [\"tp\"]]", "") "]}\n"

static void fields(void) {
  Sources *s = sources_new();
  Diags *d = diags_new(s);
  const char *text = MESH " \"inputs\": [" ENTRY(0, "[[\"tp\", \"dp\"], []]", ", \"scale\": 0.5") ",\n"
                          "{\"seq\": 1, \"dist\": 1, \"dtype\": \"s32\", \"spec\": [], \"partial\": [\"tp\"], "
                          "\"assume\": {\"range\": [0, 32]}},\n"
                          "{\"seq\": 2, \"dist\": 2, \"dtype\": \"f32\", \"spec\": [], \"assume\": {\"range\": "
                          "[0.01, null]}}], \"outputs\": []}";
  Relation *r = relation_read(d, sources_add(s, "r", text, strlen(text)));
  CHECK(r && r->n_inputs == 3 && r->n_outputs == 0 && r->mesh.n_axes == 2 && r->mesh.n_devices == 6);
  if (r) {
    Arena a = {0};
    int64_t at[2];
    CHECK(!strcmp(layout_print(&r->inputs[0].layout, &r->mesh, &a), "[(tp, dp, i), j]"));
    CHECK(!strcmp(layout_print(&r->inputs[1].layout, &r->mesh, &a), "[] partial(tp)"));
    CHECK(r->inputs[0].scale == 0.5 && !r->inputs[0].has_lo && !r->inputs[0].has_hi);
    CHECK(r->inputs[1].has_hi && r->inputs[1].hi == RAT_INT(31) && r->inputs[1].lo == RAT_0);
    CHECK(r->inputs[2].has_lo && r->inputs[2].lo == rat_frac(1, 100) && !r->inputs[2].has_hi);
    mesh_coordinate(&r->mesh, 4, at);
    CHECK(at[0] == 0 && at[1] == 2 && mesh_device(&r->mesh, at) == 4);
    mesh_coordinate(&r->mesh, 1, at);
    CHECK(at[0] == 1 && at[1] == 0 && mesh_device(&r->mesh, at) == 1);
    arena_free(&a);
  }
  relation_free(r);
  diags_free(d);
  sources_free(s);
}

/* Reads a relation and checks it against two graphs of one parameter and result; wants a code at a line, or none. */
static void try(int line, const char *text, const char *seq, const char *dist, const char *code, int at) {
  Sources *s = sources_new();
  Diags *d = diags_new(s);
  char hlo[2][300], *out = NULL, want[64];
  size_t n = 0;
  Graph *g[2];
  for (int k = 0; k < 2; k++) {
    snprintf(hlo[k], sizeof hlo[k], "HloModule m%s\nENTRY e { p = %s parameter(0)\n ROOT n = %s negate(p) }",
             k ? ", num_partitions=6" : "",
             k ? dist : seq, k ? dist : seq);
    g[k] = hlo_read(d, sources_add(s, k ? "dist" : "seq", hlo[k], strlen(hlo[k])), &HLO_OPTIONS);
  }
  Relation *r = relation_read(d, sources_add(s, "r", text, strlen(text)));
  bool ok = r && relation_check(r, g[0], g[1], d);
  FILE *f = open_memstream(&out, &n);
  diags_print(d, f, false);
  fclose(f);
  snprintf(want, sizeof want, at ? "r:%d:" : "error", at);
  if (ok != !code || (code && (!strstr(out, code) || !strstr(out, want))))
    failures++, fprintf(stderr, "line %d: wanted %s at %d, got\n%s", line, code ? code : "nothing", at, out);
  free(out);
  relation_free(r);
  graph_free(g[0]);
  graph_free(g[1]);
  diags_free(d);
  sources_free(s);
}
#define TRY(text, seq, dist, code, at) try(__LINE__, text, seq, dist, code, at)

static void fits(void) {
  TRY(ONE("[[], [\"tp\"]]", ""), "f32[4,6]", "f32[4,2]", NULL, 0);
  TRY(ONE("[[], [\"tp\"]]", ""), "f32[4,7]", "f32[4,3]", NULL, 0); /* padded blocks */
  TRY(ONE("[[], [\"tp\"]]", ""), "f32[4,7]", "f32[4,2]", "E0502", 2);
  TRY(ONE("[[], [\"tp\"]]", ""), "f32[4,6]", "f32[4,6]", "E0502", 2);
  TRY(ONE("[[], [\"tp\"]]", ""), "s32[4,6]", "f32[4,2]", "E0502", 2);
  TRY(ONE("[[\"tp\"]]", ""), "f32[4,6]", "f32[4,2]", "E0502", 2);
  TRY(MESH "\"inputs\": [], \"outputs\": []}", "f32[4]", "f32[4]", "E0502", 0);
  TRY(MESH "\"inputs\": [" ENTRY(0, "[[]]", "") ",\n" ENTRY(0, "[[]]", "") "], \"outputs\": []}", "f32[4]", "f32[4]",
      "E0502", 3);
  TRY(MESH "\"inputs\": [" ENTRY(0, "[[]]", "") ",\n" ENTRY(3, "[[]]", "") "], \"outputs\": []}", "f32[4]", "f32[4]",
      "E0502", 3);
  TRY(MESH "\"inputs\": [" ENTRY(0, "[[]]", "") "],\n\"outputs\": [" ENTRY(1, "[[]]", "") "]}", "f32[4]", "f32[4]",
      "E0502", 3);
  TRY("{\"mesh\": {\"axes\": {\"tp\": 4}}, \"inputs\": [" ENTRY(0, "[[]]", "") "], \"outputs\": []}", "f32[4]",
      "f32[4]", "E0503", 0);
}

static void refusals(void) {
#define REFUSED(text, code, at) TRY(text, "f32[4,6]", "f32[4,2]", code, at)
  REFUSED("", "E0004", 1);
  REFUSED("{\"mesh\": 3,\n \"inputs\": [}", "E0004", 2);
  REFUSED("{\"mesh\": {}, \"mesh\": {}}", "E0004", 1);
  REFUSED("[]", "E0501", 1);
  REFUSED("{}", "E0503", 1);
  REFUSED("{\n\"mesh\": {}}", "E0503", 2);
  REFUSED("{\n\"mesh\": {\"axes\": [[\"a\", 0]]}}", "E0503", 2);
  REFUSED("{\n\"mesh\": {\"axes\": [[\"a\", 2], [\"a\", 2]]}}", "E0503", 2);
  REFUSED("{\n\"mesh\": {\"axes\": [[\"a\", 1000000], [\"b\", 1000000]]}}", "E0503", 2);
  REFUSED("{\n\"mesh\": {\"axes\": [[\"a\", 2]], \"device_order\": [0, 0]}}", "E0503", 2);
  REFUSED("{\n\"mesh\": {\"axes\": [[\"a\", 2]], \"device_order\": [0]}}", "E0503", 2);
  REFUSED(MESH "\"inputs\": [],\n\"outputs\": 4}", "E0501", 3);
  REFUSED(ONE("[[], [\"xp\"]]", ""), "E0504", 2);
  REFUSED(ONE("[[\"tp\"], [\"tp\"]]", ""), "E0501", 2);
  REFUSED(ONE("[[], [\"tp\"]]", ", \"partial\": [\"tp\"]"), "E0501", 2);
  REFUSED(ONE("[[], 3]", ""), "E0501", 2);
  REFUSED(ONE("[[], []]", ", \"seq_shape\": [4]"), "E0501", 2);
  REFUSED(ONE("[[], []]", ", \"assume\": {\"range\": [1]}"), "E0501", 2);
  REFUSED(ONE("[[], []]", ", \"assume\": {\"range\": [2, 1]}"), "E0501", 2);
  REFUSED(ONE("[[], []]", ", \"assume\": {\"range\": [\"a\", 1]}"), "E0501", 2);
  REFUSED(MESH "\"inputs\": [7], \"outputs\": []}", "E0501", 2);
  REFUSED(MESH "\"inputs\": [{\"seq\": 0}], \"outputs\": []}", "E0501", 2);
  char *deep = xmalloc(100001);
  memset(deep, '[', 100000);
  deep[100000] = 0;
  REFUSED(deep, "E0102", 1);
  free(deep);
}

static bool is(const char *text, DType t, double want) {
  Rat r;
  return decimal_read(text, strlen(text), t, &r) == DECIMAL_OK && rat_cmp(r, rat_from_double(want)) == 0;
}

static DecimalResult result(const char *text, DType t) {
  Rat r;
  return decimal_read(text, strlen(text), t, &r);
}

static void decimals(void) {
  CHECK(is("0.1", DT_F64, 0.1) && is("0.1", DT_F32, 0.1f) && is("-1e-45", DT_F32, -0x1p-149) && is("0", DT_F16, 0));
  /* ties go to even; a decimal just beyond a tie that a double cannot tell from it does not */
  CHECK(is("257", DT_BF16, 256) && is("259", DT_BF16, 260) && is("2049", DT_F16, 2048));
  CHECK(is("257.00000000000000000000000000001", DT_BF16, 258) && is("256.99999999999999999999999999999", DT_BF16, 256));
  CHECK(is("16777217", DT_F32, 16777216) && is("16777217.0000000000000000000001", DT_F32, 16777218));
  CHECK(is("3.4028235e38", DT_F32, 0x1.fffffep127) && result("3.4028236e38", DT_F32) == DECIMAL_RANGE);
  CHECK(is("65519", DT_F16, 65504) && result("65520", DT_F16) == DECIMAL_RANGE);
  CHECK(is("448", DT_F8E4M3FN, 448) && is("464", DT_F8E4M3FN, 448) && result("465", DT_F8E4M3FN) == DECIMAL_RANGE);
  CHECK(is("6e-8", DT_F16, 0x1p-24) && is("2.9e-8", DT_F16, 0) && is("0.25", DT_F4E2M1FN, 0) && is("0.26", DT_F4E2M1FN,
      0.5));
  CHECK(result("inf", DT_F8E4M3FN) == DECIMAL_RANGE && result("inf", DT_F8E5M2) == DECIMAL_OK);
  CHECK(result("0", DT_F8E8M0FNU) == DECIMAL_RANGE && is("3", DT_F8E8M0FNU, 4) && is("0.5", DT_F8E8M0FNU, 0.5));
  CHECK(result("0x10", DT_F32) == DECIMAL_MALFORMED && result("1e", DT_F32) == DECIMAL_MALFORMED && result("",
      DT_S8) == DECIMAL_MALFORMED);
  CHECK(is("-128", DT_S8, -128) && result("128", DT_S8) == DECIMAL_RANGE && result("-1", DT_U8) == DECIMAL_RANGE);
  CHECK(is("-9223372036854775808", DT_S64, -0x1p63) && result("9223372036854775808", DT_S64) == DECIMAL_RANGE);
  CHECK(result("18446744073709551616", DT_U64) == DECIMAL_RANGE && is("true", DT_PRED, 1) && result("2",
      DT_PRED) == DECIMAL_RANGE);
}

int main(void) {
  fields();
  fits();
  refusals();
  decimals();
  return failures > 0;
}
