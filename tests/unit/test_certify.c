/* Certificates: those of right pairs hold; none holds for a broken twin; a multiple of the answer of any step does not
 * follow from its law; and no certificate that was tampered with makes a wrong pair hold.  Every word of the text is a
 * target: a digit changed, a sign put in or taken away, a label made a constant or the other way round, a word dropped,
 * doubled, exchanged with the next or taken from anywhere, another law; a line dropped, doubled, exchanged or moved.
 * What still holds for the right pair is another proof of the same claim. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "eval/witness/witness.h"
#include "eval/witness/witness_search.h"
#include "frontends/base/relation.h"
#include "frontends/hlo/hlo.h"
#include "frontends/plan/plan.h"
#include "frontends/torch/torch.h"

/* Of each certificate; another number may be given as an argument. */
#ifdef TVR_SANITIZED
enum { TAMPERED = 8, EVERY = 4 };
#else
enum { TAMPERED = 40, EVERY = 1 };
#endif
enum { MOST_TWINS = 3 };

static int failures, beyond, right, tampered, rejected, malformed, scaled_steps, other_wholes, times = TAMPERED;

typedef struct Case {
  Sources *sources;
  Diags *diags;
  Library *library;
  Relation *relation;
  Graph *seq, *dist[1 + MOST_TWINS]; /* the right one, then broken twins */
  uint32_t n_dist;
} Case;

static uint32_t text_of(Sources *s, const char *folder, const char *file) {
  char path[1024];
  const char *why;
  snprintf(path, sizeof path, "%s/%s", folder, file);
  return access(path, R_OK) == 0 ? sources_load(s, path, &why) : 0;
}

static Graph *graph_of(Case *c, const char *folder, const char *file) {
  uint32_t id = text_of(c->sources, folder, file);
  if (id && plan_is(sources_get(c->sources, id))) return plan_read(c->diags, id, &(PlanOptions){0});
  if (id && torch_is(sources_get(c->sources, id))) return torch_read(c->diags, id);
  if (!c->relation) return NULL;
  HloOptions o = {.max_trips = 64, .max_nodes = 100000, .n_devices = c->relation->mesh.n_devices};
  if (!strcmp(file, "seq.hlo")) o.n_devices = 0;
  return id ? hlo_read(c->diags, id, &o) : NULL;
}

static CertifyProblem problem_of(const Case *c, uint32_t k) {
  CertifyProblem p = {.graph = {c->seq, c->dist[k]}, .relation = c->relation};
  p.library = c->library;
  return p;
}

/* 1: holds, 0: does not, -1: malformed.  *step: whose law failed. */
static int holds_to(Case *c, uint32_t k, const char *text, size_t len, uint64_t *step) {
  CertifyProblem p = problem_of(c, k);
  Diags *quiet = diags_new(c->sources);
  Certificate *cert = certificate_read(&p, sources_add(c->sources, "tampered", text, len), quiet);
  CertifyResult r = {0};
  int out = cert && !cert->beyond ? certify_all(cert, &r) : -1;
  *step = r.step;
  certificate_free(cert);
  certify_result_free(&r);
  diags_free(quiet);
  return out;
}

static int holds(Case *c, uint32_t k, const char *text, size_t len) {
  uint64_t step;
  return holds_to(c, k, text, len, &step);
}

/* Place of a character in s[lo .. hi); hi: none. */
static size_t place_of(const char *s, size_t lo, size_t hi, char c) {
  while (lo < hi && s[lo] != c) lo++;
  return lo;
}

/* The answer of every step (EVERY), in turn, multiplied by a number: the law of just this step must fail (some pose other
 * questions then, and fail by them). */
static void scale_answers(Case *c, const char *folder, const char *text, size_t len) {
  static const char definitions[] =
      " tvr beyond part input way claim axes each read mask as seal whole cut end index table at lin mul sum max lt eq "
      "select fn opaque symmetry same ";
  char *out = xmalloc(len + 4200), word[32], scaled[4096];
  uint64_t step = 0, failed;
  for (size_t lo = 0, hi; lo < len; lo = hi) {
    hi = place_of(text, lo, len, '\n') + 1;
    size_t answer = place_of(text, lo, hi, ' ') + 1, star = place_of(text, answer, hi, '*');
    snprintf(word, sizeof word, " %.*s ", (int)(answer - 1 - lo), text + lo);
    if (!strncmp(text + lo, "part", 4)) step = 0;
    if (answer > hi || strstr(definitions, word)) continue;
    step++;
    Rat k = RAT_1;
    if (step % EVERY || star >= hi || !rat_parse(text + answer, star - answer, &k) || k == RAT_0) continue;
    rat_print(rat_mul(k, rat_frac(1000003, 1000033)), scaled, sizeof scaled);
    size_t n = strlen(scaled), rest = star + 1;
    memcpy(out, text, answer);
    memcpy(out + answer, scaled, n);
    out[answer + n] = '*';
    memcpy(out + answer + n + 1, text + rest, len - rest);
    int was = holds_to(c, 0, out, answer + n + 1 + len - rest, &failed);
    if (was != 0 || (failed != step && !strstr(" pieces exponential split ", word))) {
      printf("%s: step %llu holds with another answer:%s\n", folder, (unsigned long long)step, word);
      failures++;
    }
    scaled_steps++;
  }
  free(out);
}

/* What is said of the values of an unknown function, said differently: another number is never so. */
static void other_places(Case *c, const char *folder, const char *text, size_t len) {
  char *out = xmalloc(len + 2);
  for (const char *at = text; (at = strstr(at, "\nwhole ")); at++) {
    size_t end = place_of(text, (size_t)(at - text) + 1, len, '\n');
    memcpy(out, text, end);
    out[end] = '1';
    memcpy(out + end + 1, text + end, len - end);
    if (holds(c, 0, out, len + 1) == 1) printf("%s: holds with other places\n", folder), failures++;
    other_wholes++;
  }
  free(out);
}

static uint64_t random_of(uint64_t *state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return *state >> 33;
}

static size_t line_start(const char *s, size_t at) {
  while (at && s[at - 1] != '\n') at--;
  return at;
}

static size_t line_end(const char *s, size_t len, size_t at) {
  while (at < len && s[at] != '\n') at++;
  return at < len ? at + 1 : len;
}

static const char *const laws[] = {
#define LAW(name, goals, statements) #name,
#include "certify/law.def"
#undef LAW
};
enum { N_LAWS = sizeof laws / sizeof *laws, LINES = 4, WORDS = 4, KINDS = 12 };

/* s[lo .. hi) becomes `with`; the result is in out, its length is returned. */
static size_t replace(const char *s, size_t len, size_t lo, size_t hi, const char *with, size_t n, char *out) {
  memcpy(out, s, lo);
  memcpy(out + lo, with, n);
  memcpy(out + lo + n, s + hi, len - hi);
  return len - (hi - lo) + n;
}

static bool ends_word(char c) { return c == ' ' || c == '\n'; }

static void word_at(const char *s, size_t len, size_t at, size_t *lo, size_t *hi) {
  while (at > 0 && ends_word(s[at])) at--;
  for (*lo = at; *lo > 0 && !ends_word(s[*lo - 1]);) --*lo;
  for (*hi = at; *hi < len && !ends_word(s[*hi]);) ++*hi;
}

static size_t tamper_line(const char *s, size_t len, size_t at, int kind, char *out, uint64_t *state) {
  size_t lo = line_start(s, at), hi = line_end(s, len, at), end = line_end(s, len, hi);
  size_t other = line_start(s, random_of(state) % len), other_end = line_end(s, len, other);
  if (kind == 0) return replace(s, len, lo, hi, "", 0, out);
  if (kind == 1) return replace(s, len, hi, hi, s + lo, hi - lo, out);
  if (kind == 2) { /* exchanged with the next */
    memcpy(out, s, len);
    memcpy(out + lo, s + hi, end - hi);
    memcpy(out + lo + (end - hi), s + lo, hi - lo);
    return len;
  }
  return replace(s, len, lo, hi, s + other, other_end - other, out); /* another one in its place */
}

static size_t tamper_word(const char *s, size_t len, size_t at, int kind, char *out, uint64_t *state) {
  size_t lo, hi, from, to;
  word_at(s, len, at, &lo, &hi);
  word_at(s, len, kind == 2 ? (hi + 1 < len ? hi + 1 : hi) : random_of(state) % len, &from, &to);
  if (kind == 0) return replace(s, len, lo, hi < len ? hi + 1 : hi, "", 0, out);
  if (kind == 1 || (kind == 2 && from < hi)) return replace(s, len, lo, lo, s + lo, hi + 1 - lo, out);
  if (kind == 3) return replace(s, len, lo, hi, s + from, to - from, out);
  memcpy(out, s, lo); /* exchanged with the next */
  memcpy(out + lo, s + from, to - from);
  memcpy(out + lo + (to - from), s + hi, from - hi);
  memcpy(out + lo + (to - from) + (from - hi), s + lo, hi - lo);
  memcpy(out + to, s + to, len - to);
  return len;
}

/* One change at a random place; the result is in out, its length is returned. */
static size_t tamper(const char *s, size_t len, char *out, uint64_t *state) {
  size_t at = random_of(state) % len, lo, hi, n = len;
  int kind = (int)(random_of(state) % KINDS);
  if (kind < LINES) return tamper_line(s, len, at, kind, out, state);
  if (kind < LINES + WORDS) return tamper_word(s, len, at, kind - LINES, out, state);
  if (kind == LINES + WORDS) { /* another law */
    const char *law = laws[random_of(state) % N_LAWS];
    word_at(s, len, line_start(s, at), &lo, &hi);
    return replace(s, len, lo, hi, law, strlen(law), out);
  }
  while (n-- && (s[at] < '0' || s[at] > '9')) at = (at + 1) % len;
  if (kind > LINES + WORDS + 1) { /* another digit */
    memcpy(out, s, len);
    out[at] = (char)('0' + (s[at] - '0' + 1 + (int)(random_of(state) % 9)) % 10);
    return len;
  }
  while (at > 0 && s[at - 1] >= '0' && s[at - 1] <= '9') at--;
  bool sign = random_of(state) % 2; /* a sign or the mark of a constant, there or not */
  char mark = sign ? '-' : '#';
  return at > 0 && s[at - 1] == mark ? replace(s, len, at - 1, at, "", 0, out) : replace(s, len, at, at, &mark, 1, out);
}

static char *certificate_text(Case *c, const char *folder, size_t *len) {
  Pair pair = {0};
  char *text = NULL;
  if (pair_make(&pair, c->library, c->seq, c->dist[0], c->relation, c->diags)) {
    CheckOptions o = check_defaults();
    o.keeps = true;
    CheckReport *r = check_run(&pair.problem, &o);
    CertifyProblem p = problem_of(c, 0);
    Certificate *cert = r->verdict == VERDICT_VERIFIED ? witness_make(r, &p, (WitnessLimits){10, 1000}) : NULL;
    FILE *out = open_memstream(&text, len);
    if (cert) certificate_write(cert, &p, out);
    fclose(out);
    bool beyond_it = cert && cert->beyond; /* an example must not be */
    if (beyond_it && !strncmp(folder, "examples/", 9))
      printf("%s: beyond the checker:%s\n", folder, cert->beyond), failures++;
    beyond += beyond_it;
    if (beyond_it) *len = 0;
    certificate_free(cert);
    check_report_free(r);
  }
  pair_free(&pair);
  return text;
}

static Case case_new(void) {
  Case c = {.sources = sources_new()};
  c.diags = diags_new(c.sources);
  c.library = library_load(NULL, c.diags);
  return c;
}

static void case_free(Case *c) {
  graph_free(c->seq);
  for (uint32_t k = 0; k < c->n_dist; k++) graph_free(c->dist[k]);
  relation_free(c->relation);
  library_free(c->library);
  diags_free(c->diags);
  sources_free(c->sources);
}

/* The certificate of a right pair, and of what becomes of it. */
static void try_case(Case *c, const char *name) {
  size_t len = 0;
  char *text = c->seq && c->dist[0] && c->relation ? certificate_text(c, name, &len) : NULL;
  if (text && len) {
    right++;
    if (holds(c, 0, text, len) != 1) printf("%s: its certificate does not hold\n", name), failures++;
    for (uint32_t k = 1; k < c->n_dist; k++)
      if (holds(c, k, text, len) == 1) printf("%s: holds for a broken twin\n", name), failures++;
    other_places(c, name, text, len);
    if (len < 20000) scale_answers(c, name, text, len);
    char *out = xmalloc(2 * len + 64);
    uint64_t state = len;
    for (int i = 0; i < times; i++) {
      size_t n = tamper(text, len, out, &state);
      int was = holds(c, 0, out, n);
      tampered++;
      rejected += was == 0;
      malformed += was < 0;
      for (uint32_t k = 1; k < c->n_dist; k++)
        if (holds(c, k, out, n) == 1) printf("%s: tampered with, it holds for a broken twin\n", name), failures++;
    }
    free(out);
  }
  free(text);
}

/* Plans say by themselves how they are related. */
static void plans(void) {
  static const char *const dist[] = {"mlp-dp2-pp2-tp2.json", "mlp-no-sum.json", "mlp-swapped.json"},
                    *const folder = "tests/graphs/plans";
  Case c = case_new();
  int was = right;
  c.seq = graph_of(&c, folder, "mlp.json");
  for (; c.n_dist < 3; c.n_dist++) c.dist[c.n_dist] = graph_of(&c, folder, dist[c.n_dist]);
  if (c.seq && c.dist[0] && c.dist[1] && c.dist[2]) {
    c.relation = relation_of_names(c.diags, c.seq, c.dist[0]);
    try_case(&c, folder);
  }
  if (right == was) printf("%s: no certificate\n", folder), failures++;
  case_free(&c);
}

static void run_case(const char *folder) {
  Case c = case_new();
  uint32_t relation = text_of(c.sources, folder, "relation.json");
  bool named = relation && relation_is_named(c.diags, relation);
  const char *dist = named ? "dist.json" : "dist.hlo";
  if (relation && !named) c.relation = relation_read(c.diags, relation);
  c.seq = graph_of(&c, folder, named ? "seq.json" : "seq.hlo");
  if (c.seq) c.dist[c.n_dist++] = graph_of(&c, folder, dist);
  if (named && c.dist[0]) c.relation = relation_read_named(c.diags, relation, &c.seq, c.dist[0]);
  char path[1024];
  snprintf(path, sizeof path, "%s/broken", folder);
  DIR *broken = c.dist[0] ? opendir(path) : NULL;
  for (struct dirent *e; broken && c.n_dist <= MOST_TWINS && (e = readdir(broken));) {
    char twin[1300];
    snprintf(twin, sizeof twin, "%s/%s", path, e->d_name);
    Graph *g = e->d_name[0] == '.' ? NULL : graph_of(&c, twin, dist);
    if (g) c.dist[c.n_dist++] = g;
  }
  if (broken) closedir(broken);
  try_case(&c, folder);
  case_free(&c);
}

/* That -x is x follows from nothing, though the certificate says so on the way; that x is x needs no steps.  And what an
 * unknown function gives are whole numbers, but no places. */
static void false_claims(void) {
  static const char *const program = "HloModule m\nENTRY main {\n  x = %s[4] parameter(0)\n  y = %s[4] %s(x)\n"
                                     "  ROOT out = (%s[4]) tuple(y)\n}\n",
                    *const relation =
                        "{\"mesh\": {\"axes\": [[\"dp\", 2]]}, \"inputs\": [{\"name\": \"x\", \"seq\": 0, \"dist\": 0, "
                        "\"seq_shape\": [4], \"dist_shape\": [4], \"spec\": [[]], \"partial\": []}], "
                        "\"outputs\": [{\"name\": \"y\", \"seq\": 0, \"dist\": 0, \"seq_shape\": [4], "
                        "\"dist_shape\": [4], \"spec\": [[]], \"partial\": []}]}",
                    *const text = "tvr certificate 4\npart\nclaim 1 1 1 0 0\naxes 2\npart 0\nway 0\naxes 2\nend\n";
  Case c = case_new();
  c.n_dist = 2;
  c.relation = relation_read(c.diags, sources_add(c.sources, "relation", relation, strlen(relation)));
  Graph *unknown[2], **graphs[] = {&c.seq, &c.dist[0], &c.dist[1], &unknown[0], &unknown[1]};
  for (int i = 0; i < 5; i++) {
    char own[512];
    const char *type = i < 3 ? "f32" : "s32";
    snprintf(own, sizeof own, program, type, type, i < 2 ? "negate" : i < 3 ? "copy" : "popcnt", type);
    HloOptions o = {.max_trips = 64, .max_nodes = 1000, .n_devices = i % 3 ? 2 : 0};
    *graphs[i] = hlo_read(c.diags, sources_add(c.sources, "program", own, strlen(own)), &o);
  }
  for (uint32_t k = 0; k < 2; k++)
    if (!c.seq || !c.dist[k] || !c.relation || holds(&c, k, text, strlen(text)) != !k)
      printf("a claim on the way: %s\n", k ? "x is -x" : "-x is not -x"), failures++;
  graph_free(c.seq);
  for (uint32_t k = 0; k < 2; k++) graph_free(c.dist[k]);
  c.seq = unknown[0], c.dist[0] = unknown[1], c.n_dist = 1;
  size_t len = 0;
  char *whole = c.seq && c.dist[0] ? certificate_text(&c, "popcnt", &len) : NULL;
  if (whole && len) other_places(&c, "popcnt", whole, len);
  free(whole);
  case_free(&c);
}

/* Parts that claim that m is m, and go on from there with an unknown number or with what is known of m.  Where m is
 * infinite no part may say so: m - m would be 0. */
static void parts_of_claims(void) {
  static const struct {
    const char *m, *y, *dist, *first, *last; /* y of either program; lines of the part that claims, of that after it */
    int holds; /* as `holds` says */
    bool uneven; /* m is cut over three devices, blocks of two */
  } of[] = {
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 1 0 0\naxes 2\n", "input 0\naxes 2\narithmetic 2*3:0\n", 1},
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 1 0 0\naxes 2\n", "way 0\naxes 2\n", 1},
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 2 0 0\naxes 2\n", "input 0\naxes 2\narithmetic 2*3:0\n", 0},
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 0 0 0\naxes 2\n", "input 0\naxes 2\narithmetic 2*3:0\n", -1},
      {"3", "add(m, m)", "add(m, m)", "claim 2 3 2 0 0\naxes 2\n", "way 0\naxes 2\n", 1},
      {"3", "add(m, m)", "add(m, x)", "claim 2 2 1 0 0\naxes 2\n", "input 0\naxes 2\narithmetic 2*3:0\n", 0},
      {"3", "subtract(m, m)", "subtract(x, x)", "claim 2 2 1 0 0\naxes 2\n",
       "input 0\naxes 2\narithmetic 0*0\narithmetic 0*0\n", 1},
      {"-inf", "subtract(m, m)", "subtract(x, x)", "claim 2 2 1 0 0\naxes 2\n",
       "input 0\naxes 2\narithmetic 0*0\narithmetic 0*0\n", 0},
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 1 0 0\naxes 2\n", "input 1\naxes 2\narithmetic 2*3:0\n", -1},
      {"3", "add(m, m)", "add(m, m)", "input 0\nclaim 2 2 1 0 0\naxes 2\n", "way 0\naxes 2\n", -1},
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 1 0 1.0\naxes 2\n", "way 0\naxes 2\n", -1},
      {"3", "add(m, m)", "add(m, m)", "claim 2 0 1 0 0\naxes 2\n", "way 0\naxes 2\n", -1},
      {"3", "add(m, m)", "add(m, m)", "claim 2 2 1 0 0\naxes 2\n", "input 0\ninput 0\naxes 2\narithmetic 2*3:0\n", -1},
      {"3", "add(x, x)", "add(x, x)", "claim 2 2 1 1.0 0\naxes 3\n", "way 0\naxes 3\narithmetic 2*2:0\n", 0, true},
      {"3", "add(x, x)", "add(m, m)", "claim 0 2 1 0 0\naxes 2\n", "way 0\naxes 2\narithmetic 2*2:0\n", 0},
  };
  static const char *const relation =
      "{\"mesh\": {\"axes\": [[\"dp\", %d]]}, \"inputs\": [{\"name\": \"x\", \"seq\": 0, \"dist\": 0, \"seq_shape\": [4], "
      "\"dist_shape\": [4], \"spec\": [[]], \"partial\": []}], \"outputs\": [{\"name\": \"y\", \"seq\": 0, \"dist\": 0, "
      "\"seq_shape\": [4], \"dist_shape\": [4], \"spec\": [[]], \"partial\": []}, {\"name\": \"m\", \"seq\": 1, "
      "\"dist\": 1, "
      "\"seq_shape\": [4], \"dist_shape\": [%d], \"spec\": [[%s]], \"partial\": []}]}";
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    Case c = case_new();
    c.n_dist = 1;
    Graph **graphs[] = {&c.seq, &c.dist[0]};
    char text[1024];
    bool uneven = of[i].uneven;
    snprintf(text, sizeof text, relation, uneven ? 3 : 2, uneven ? 2 : 4, uneven ? "\"dp\"" : "");
    c.relation = relation_read(c.diags, sources_add(c.sources, "relation", text, strlen(text)));
    for (int k = 0; k < 2; k++) {
      snprintf(text, sizeof text,
               "HloModule m\nENTRY main {\n  x = f32[4] parameter(0)\n  c = f32[] constant(%s)\n"
               "  m = f32[%d] broadcast(c), dimensions={}\n  y = f32[4] %s\n  ROOT out = (f32[4], f32[%d]) tuple(y, m)\n}\n",
               of[i].m, k && uneven ? 2 : 4, k ? of[i].dist : of[i].y, k && uneven ? 2 : 4);
      HloOptions o = {.max_trips = 64, .max_nodes = 1000, .n_devices = !k ? 0 : uneven ? 3 : 2};
      *graphs[k] = hlo_read(c.diags, sources_add(c.sources, "program", text, strlen(text)), &o);
    }
    snprintf(text, sizeof text, "tvr certificate 4\npart\n%spart 0 1\n%send\n", of[i].first, of[i].last);
    int held = c.seq && c.dist[0] && c.relation ? holds(&c, 0, text, strlen(text)) : -2;
    if (held != of[i].holds)
      printf("parts that claim: number %zu: %d instead of %d\n", i, held, of[i].holds), failures++;
    case_free(&c);
  }
}

/* x over axes d, a, b becomes x over d, b, a: the certificate of that holds for no other permutation of the devices, which
 * differs from it by two senders or by one that sends nothing. */
static void permuted_devices(void) {
  static const char *const program = "HloModule m\nENTRY main {\n  x = f32[%d] parameter(0)\n  y = f32[%d] %s\n"
                                     "  ROOT out = (f32[%d]) tuple(y)\n}\n",
                    *const relation =
                        "{\"mesh\": {\"axes\": [[\"d\", 2], [\"a\", 2], [\"b\", 2]]}, \"inputs\": [{\"name\": \"x\", "
                        "\"seq\": 0, \"dist\": 0, \"seq_shape\": [8], \"dist_shape\": [1], "
                        "\"spec\": [[\"d\", \"a\", \"b\"]], \"partial\": []}], \"outputs\": [{\"name\": \"y\", \"seq\": 0, "
                        "\"dist\": 0, \"seq_shape\": [8], \"dist_shape\": [1], \"spec\": [[\"d\", \"b\", \"a\"]], "
                        "\"partial\": []}]}";
  size_t len = 0;
  char *text = NULL;
  for (int from = 0; from < 8; from++)
    for (int to = from; to <= 8; to++) { /* 0, 0: the right one; 8: nothing is sent */
      if (from && from == to) continue;
      Case c = case_new();
      char own[512], pairs[256] = "";
      int sender[9] = {0, 2, 1, 3, 4, 6, 5, 7, -1}, was = sender[from];
      sender[from] = sender[to], sender[to] = was;
      for (int k = 0; k < 8; k++)
        if (sender[k] >= 0) snprintf(pairs + strlen(pairs), 16, "%s{%d,%d}", *pairs ? "," : "", sender[k], k);
      c.relation = relation_read(c.diags, sources_add(c.sources, "relation", relation, strlen(relation)));
      for (int k = 0; k < 2; k++) {
        char permute[300];
        snprintf(permute, sizeof permute, "collective-permute(x), source_target_pairs={%s}", pairs);
        snprintf(own, sizeof own, program, k ? 1 : 8, k ? 1 : 8, k ? permute : "copy(x)", k ? 1 : 8);
        HloOptions o = {.max_trips = 64, .max_nodes = 1000, .n_devices = k ? 8 : 0};
        *(k ? &c.dist[c.n_dist++] : &c.seq) = hlo_read(c.diags, sources_add(c.sources, "program", own, strlen(own)), &o);
      }
      bool read = c.seq && c.dist[0] && c.relation;
      if (read && !text) text = certificate_text(&c, "permuted devices", &len);
      if (!read || !len || holds(&c, 0, text, len) != !to)
        printf("permuted devices, %s: %s\n", pairs, to ? "another permutation" : "not certified"), failures++;
      case_free(&c);
    }
  free(text);
}

int main(int argc, char **argv) {
  false_claims();
  permuted_devices();
  parts_of_claims();
  if (argc > 1) times = (int)strtol(argv[1], NULL, 10);
  plans();
  static const char *const places[] = {"examples", "tests/graphs"};
  for (int i = 0; i < 2; i++) {
    DIR *all = opendir(places[i]);
    for (struct dirent *e; all && (e = readdir(all));) {
      char folder[300];
      snprintf(folder, sizeof folder, "%s/%s", places[i], e->d_name);
      if (e->d_name[0] != '.' && strcmp(e->d_name, "lm-step-dp2-tp3") != 0) run_case(folder);
    }
    if (all) closedir(all);
  }
  if (right < 20 || scaled_steps < 500 || !other_wholes || rejected * 6 < tampered) failures++;
  printf(
      "%d certificates, %d beyond the checker; %d answers of steps changed; %d tampered with: %d malformed, %d "
      "rejected\n",
      right, beyond, scaled_steps, tampered, malformed, rejected);
  return failures != 0;
}
