/* Certificates: those of right pairs hold; none holds for a broken twin; a multiple of the answer of any step does not
 * follow from its law; and no certificate that was tampered with makes a wrong pair hold.  Every word of the text is a
 * target: a number changed, a word exchanged with another, a line dropped, doubled or moved.  What still holds for the
 * right pair is another proof of the same claim. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "eval/verdict/witness.h"
#include "frontends/hlo/hlo.h"
#include "frontends/relation.h"

enum { TAMPERED = 40, MOST_TWINS = 3 }; /* of each certificate; another number may be given as an argument */

static int failures, right, tampered, rejected, malformed, scaled_steps, times = TAMPERED;

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
  HloOptions o = {.max_trips = 64, .max_nodes = 100000, .n_devices = c->relation->mesh.n_devices};
  if (!strcmp(file, "seq.hlo")) o.n_devices = 0;
  return id ? hlo_read(c->diags, id, &o) : NULL;
}

static CertifyProblem problem_of(const Case *c, uint32_t k) {
  CertifyProblem p = {.graph = {c->seq, c->dist[k]}, .relation = c->relation};
  p.files = library_files(c->library, &p.n_files);
  return p;
}

/* 1: holds, 0: does not, -1: malformed.  *step: whose law failed. */
static int holds_to(Case *c, uint32_t k, const char *text, size_t len, uint64_t *step) {
  CertifyProblem p = problem_of(c, k);
  Diags *quiet = diags_new(c->sources);
  Certificate *cert = certificate_read(&p, sources_add(c->sources, "tampered", text, len), quiet);
  CertifyResult r = {0};
  int out = cert && !cert->beyond ? certify_all(&p, cert, &r) : -1;
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

/* The answer of every step, in turn, multiplied by a number: the law of just this step must fail (`collect` poses other
 * questions then, and fails by them). */
static void scale_answers(Case *c, const char *folder, const char *text, size_t len) {
  static const char definitions[] = " tvr part axes each read cut end index table lin mul sum max lt eq select fn opaque ";
  char *out = xmalloc(len + 4200), word[32], scaled[4096];
  uint64_t step = 0, failed;
  for (size_t lo = 0, hi; lo < len; lo = hi) {
    hi = place_of(text, lo, len, '\n') + 1;
    size_t answer = place_of(text, lo, hi, ' ') + 1, star = place_of(text, answer, hi, '*');
    size_t name = place_of(text, lo, hi, '=') < answer ? place_of(text, lo, hi, '=') : answer - 1;
    snprintf(word, sizeof word, " %.*s ", (int)(name - lo), text + lo);
    if (!strcmp(word, " part ")) step = 0;
    if (answer > hi || strstr(definitions, word)) continue;
    step++;
    Rat k = RAT_1;
    if (!strcmp(word, " split ") || (star < hi && !rat_parse(text + answer, star - answer, &k)) || k == RAT_0) continue;
    rat_print(rat_mul(k, rat_frac(1000003, 1000033)), scaled, sizeof scaled);
    size_t n = strlen(scaled), rest = star < hi ? star + 1 : answer;
    memcpy(out, text, answer);
    memcpy(out + answer, scaled, n);
    out[answer + n] = '*';
    memcpy(out + answer + n + 1, text + rest, len - rest);
    int was = holds_to(c, 0, out, answer + n + 1 + len - rest, &failed);
    if (was != 0 || (failed != step && strcmp(word, " collect "))) {
      printf("%s: step %llu holds with another answer:%s\n", folder, (unsigned long long)step, word);
      failures++;
    }
    scaled_steps++;
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

/* One change at a random place; the result is in out, its length is returned. */
static size_t tamper(const char *s, size_t len, char *out, uint64_t *state) {
  size_t at = random_of(state) % len, lo = line_start(s, at), hi = line_end(s, len, at), n = len;
  memcpy(out, s, len);
  switch (random_of(state) % 6) {
    case 0: /* drop a line */
      memmove(out + lo, out + hi, len - hi);
      return len - (hi - lo);
    case 1: /* double it */
      memmove(out + hi, s + lo, len - lo);
      return len + hi - lo;
    case 2: { /* exchange it with the next */
      size_t end = line_end(s, len, hi);
      memcpy(out + lo, s + hi, end - hi);
      memcpy(out + lo + (end - hi), s + lo, hi - lo);
      return len;
    }
    case 3: { /* its words exchanged: the one here and the next */
      size_t a = at, b;
      while (a > lo && s[a - 1] != ' ') a--;
      for (b = a; b < hi && s[b] != ' ' && s[b] != '\n';) b++;
      size_t c = b + 1 < hi ? b + 1 : hi, d = c;
      while (d < hi && s[d] != ' ' && s[d] != '\n') d++;
      if (d <= c) break;
      memcpy(out + a, s + c, d - c);
      out[a + (d - c)] = ' ';
      memcpy(out + a + (d - c) + 1, s + a, b - a);
      return len;
    }
    default: break;
  }
  while (n-- && (s[at] < '0' || s[at] > '9')) at = (at + 1) % len; /* another digit */
  out[at] = (char)('0' + (s[at] - '0' + 1 + (int)(random_of(state) % 9)) % 10);
  return len;
}

static char *certificate_text(Case *c, const char *folder, size_t *len) {
  Pair pair = {0};
  char *text = NULL;
  if (pair_make(&pair, c->library, c->seq, c->dist[0], c->relation, c->diags)) {
    CheckOptions o = check_defaults();
    CheckReport *r = check_run(&pair.problem, &o);
    CertifyProblem p = problem_of(c, 0);
    Certificate *cert = r->verdict == VERDICT_VERIFIED ? witness_make(r, &p) : NULL;
    FILE *out = open_memstream(&text, len);
    if (cert) certificate_write(cert, &p, out);
    fclose(out);
    if (cert && cert->beyond) printf("%s: beyond the checker:%s\n", folder, cert->beyond), failures++;
    certificate_free(cert);
    check_report_free(r);
  }
  pair_free(&pair);
  return text;
}

static void run_case(const char *folder) {
  Case c = {.sources = sources_new()};
  c.diags = diags_new(c.sources);
  c.library = library_load(NULL, c.diags);
  uint32_t relation = text_of(c.sources, folder, "relation.json");
  c.relation = relation ? relation_read(c.diags, relation) : NULL;
  if (c.relation) c.seq = graph_of(&c, folder, "seq.hlo"), c.dist[c.n_dist++] = graph_of(&c, folder, "dist.hlo");
  char path[1024];
  snprintf(path, sizeof path, "%s/broken", folder);
  DIR *broken = c.dist[0] ? opendir(path) : NULL;
  for (struct dirent *e; broken && c.n_dist <= MOST_TWINS && (e = readdir(broken));) {
    char twin[1300];
    snprintf(twin, sizeof twin, "%s/%s", path, e->d_name);
    Graph *g = e->d_name[0] == '.' ? NULL : graph_of(&c, twin, "dist.hlo");
    if (g) c.dist[c.n_dist++] = g;
  }
  if (broken) closedir(broken);
  size_t len = 0;
  char *text = c.seq && c.dist[0] ? certificate_text(&c, folder, &len) : NULL;
  if (text && len) {
    right++;
    if (holds(&c, 0, text, len) != 1) printf("%s: its certificate does not hold\n", folder), failures++;
    for (uint32_t k = 1; k < c.n_dist; k++)
      if (holds(&c, k, text, len) == 1) printf("%s: holds for a broken twin\n", folder), failures++;
    if (len < 20000) scale_answers(&c, folder, text, len);
    char *out = xmalloc(2 * len + 16);
    uint64_t state = len;
    for (int i = 0; i < times; i++) {
      size_t n = tamper(text, len, out, &state);
      int was = holds(&c, 0, out, n);
      tampered++;
      rejected += was == 0;
      malformed += was < 0;
      for (uint32_t k = 1; k < c.n_dist; k++)
        if (holds(&c, k, out, n) == 1) printf("%s: tampered with, it holds for a broken twin\n", folder), failures++;
    }
    free(out);
  }
  free(text);
  graph_free(c.seq);
  for (uint32_t k = 0; k < c.n_dist; k++) graph_free(c.dist[k]);
  relation_free(c.relation);
  library_free(c.library);
  diags_free(c.diags);
  sources_free(c.sources);
}

int main(int argc, char **argv) {
  if (argc > 1) times = (int)strtol(argv[1], NULL, 10);
  DIR *examples = opendir("examples");
  for (struct dirent *e; examples && (e = readdir(examples));) {
    char folder[300];
    snprintf(folder, sizeof folder, "examples/%s", e->d_name);
    if (e->d_name[0] != '.' && strcmp(e->d_name, "lm-step-dp2-tp3") != 0) run_case(folder);
  }
  if (examples) closedir(examples);
  if (right < 10 || scaled_steps < 500 || rejected * 4 < tampered) failures++;
  printf("%d certificates; %d answers of steps changed; %d tampered with: %d malformed, %d rejected\n", right,
         scaled_steps, tampered, malformed, rejected);
  return failures != 0;
}
