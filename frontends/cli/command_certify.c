/* tvr certify: checks a certificate against both graphs and the relation, by itself.  The lemmas that it rests on must
 * be axioms or proved: their status is looked up under the hash of their text and all it rests on, or found out. */
#include <jansson.h>
#include <string.h>

#include "certify/certify.h"
#include "eval/graph/narrowing.h"
#include "eval/lemma/cache.h"
#include "frontends/cli/ask.h"
#include "frontends/cli/packed.h"

/* What a certified proof rests on, line by line. */
typedef struct Lines {
  Arena *arena;
  Vec(const char *) at;
} Lines;

static void add(Lines *l, const char *text) { vec_push(&l->at, text); }

static void add_readings(Lines *l, const Certificate *c) {
  char of[64], y[64];
  for (uint32_t i = 0; i < c->n_parts; i++)
    for (uint32_t k = 0; k < c->parts[i].n_readings; k++) {
      const Rounding *r = &c->parts[i].readings[k];
      bool said = false;
      for (uint32_t j = 0; j < i; j++)
        for (uint32_t q = 0; q < c->parts[j].n_readings; q++) {
          const Rounding *x = &c->parts[j].readings[q];
          said |= x->literal == r->literal && x->read == r->read && x->root == r->root;
        }
      const char *as = r->read == RAT_NEG_INF ? "minus infinity" : rat_print(r->read, y, sizeof y);
      static const char *const roots[] = {NULL, "", "the square root of ", "the third root of ", "the fourth root of ",
                                          "the square root of ", "log(2) times the square root of ",
                                          "1 / log(2) times the square root of "};
      const char *literal = rat_print(r->literal, of, sizeof of);
      const char *over = r->root == 5 ? " / pi" : "";
      if (!said) add(l, arena_printf(l->arena, "reading %s as %s%s%s", literal, roots[r->root], as, over));
    }
}

/* The status of every lemma used; EXIT_VERIFIED if each is proved or an axiom, EXIT_BAD after an error. */
static Exit check_lemmas(Cli *cli, const Asked *a, const CertifyResult *r, Lines *said) {
  LemmaOptions options = lemma_defaults();
  options.solver = cli_solver(cli);
  LemmaKnown known = {0};
  options.known = &known;
  Exit code = EXIT_VERIFIED;
  Cache *cache = cache_open(cli->options.cache, a->library, cli->sources, cli->diags);
  if (cli->options.cache && !cache) return EXIT_BAD;
  for (size_t i = 0; i < r->lemmas.len; i++) {
    const AstItem *item = r->lemmas.at[i];
    LemmaReport l;
    if (!cache_find(cache, item, &cli->arena, &l)) {
      l = lemma_check(item, a->library, &options, &cli->arena, cli->diags);
      cache_keep(cache, item, &l);
    }
    const char *status = lemma_standing(&l, &cli->arena);
    add(said, arena_printf(said->arena, "by lemma %s, which is %s", sym_text(l.name), status));
    if (l.status > LEMMA_AXIOM && code != EXIT_REFUTED) code = l.status == LEMMA_TESTED ? EXIT_UNPROVED : EXIT_REFUTED;
  }
  cache_close(cache);
  vec_free(&known);
  return code;
}

static void add_needs(Lines *l, uint32_t needs, const Relation *relation) {
  static const struct {
    uint32_t need;
    const char *text;
  } texts[] = {{NEEDS_EXP_OF_SUM, "by axiom exp_of_sum"},
               {NEEDS_EXP_IS_POSITIVE, "by axiom exp_is_positive"},
               {NEEDS_LOG_OF_EXP, "by axiom log_of_exp"},
               {NEEDS_EXP_OF_LOG, "by axiom exp_of_log"},
               {NEEDS_SINE_IS_ODD, "by axiom sine_is_odd"},
               {NEEDS_COSINE_IS_EVEN, "by axiom cosine_is_even"},
               {NEEDS_COSINE_OF_ZERO, "by axiom cosine_of_zero"},
               {NEEDS_SINE_OF_SUM, "by axiom sine_of_sum"},
               {NEEDS_COSINE_OF_SUM, "by axiom cosine_of_sum"},
               {NEEDS_SINE_SQUARED, "by axiom sine_squared"},
               {NEEDS_EXP_INCREASES, "by axiom exp_increases"},
               {NEEDS_POWER_IS_EXPONENTIAL, "by axiom power_is_exponential"},
               {NEEDS_NONZERO, "assuming denominators are not zero"},
               {NEEDS_NONNEGATIVE, "assuming what is under an even root is not negative"},
               {NEEDS_FINITE, "assuming values are finite"}};
  bool ranges = false;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (needs & texts[i].need) add(l, texts[i].text);
  for (uint32_t i = 0; i < relation->n_inputs; i++) {
    const Related *r = &relation->inputs[i];
    ranges |= r->has_lo || r->has_hi || r->only_also;
  }
  if (ranges) add(l, "assuming inputs are in the ranges the relation states");
}

/* Integers are exact here as well. */
static void add_narrowing(Lines *l, const CertifyProblem *p) {
  Narrowing c;
  narrowing_begin(&c, p->graph, p->relation, l->arena);
  size_t had = l->at.len;
  for (int side = 0; side < 2; side++)
    for (NodeId i = 0; i < p->graph[side]->nodes.len; i++) {
      const char *text = c.reached[side][i] ? narrowing_text(&c, side, i, l->arena) : NULL;
      bool known = !text;
      if (text) text = arena_printf(l->arena, "assuming %s", text);
      for (size_t k = had; k < l->at.len && !known; k++) known = !strcmp(l->at.at[k], text);
      if (!known) add(l, text);
    }
}

/* `verdict` and, behind a colon, what else is to be said of it; then the lines. */
static void tell(const Cli *cli, const char *verdict, const char *more, const Lines *l) {
  if (!cli->options.json) {
    printf("%s: %s\n", verdict, more);
    for (size_t i = 0; i < l->at.len; i++) printf("  %s\n", l->at.at[i]);
    return;
  }
  json_t *rests = json_array(), *o = json_pack("{s:s, s:s}", "verdict", verdict, "says", more);
  for (size_t i = 0; i < l->at.len; i++) json_array_append_new(rests, json_string_nocheck(l->at.at[i]));
  json_object_set_new(o, "rests_on", rests);
  json_dumpf(o, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
  printf("\n");
  json_decref(o);
}

static Exit answer(Cli *cli, const Asked *a, void *context) {
  CertifyProblem p = {.graph = {a->seq, a->dist}, .relation = a->relation};
  p.library = a->library;
  if (!relation_check(a->relation, a->seq, a->dist, cli->diags)) return EXIT_BAD;
  uint32_t source = *(const uint32_t *)context;
  if (a->unroll) *a->unroll = false;
  Certificate *c = source ? certificate_read(&p, source, cli->diags) : NULL;
  if (!c) return EXIT_BAD;
  Exit code = EXIT_UNPROVED;
  CertifyResult r = {0};
  Lines lines = {.arena = &cli->arena};
  if (c->beyond) {
    tell(cli, "not certified", arena_printf(&cli->arena, "the proof is beyond the checker:%s", c->beyond), &lines);
  } else if (certify_all(c, &r)) {
    code = check_lemmas(cli, a, &r, &lines);
    add_needs(&lines, r.needs, a->relation);
    add_narrowing(&lines, &c->problem);
    add_readings(&lines, c);
    if (code == EXIT_VERIFIED)
      tell(cli, "certified", arena_printf(&cli->arena, "%u outputs, %llu steps%s", a->relation->n_outputs,
                                          (unsigned long long)r.n_steps,
                                          a->dist->loops.len ? ", with base and step of what loops carry" : ""), &lines);
    else if (code != EXIT_BAD) tell(cli, "not certified", "it follows from lemmas that are not all proved", &lines);
  } else {
    tell(cli, "not certified", r.why, &lines);
    code = EXIT_REFUTED;
  }
  vec_free(&lines.at);
  certify_result_free(&r);
  certificate_free(c);
  return code;
}

Exit command_certify(Cli *cli) {
  uint32_t source = packed_load(cli, cli->args[0]);
  if (!source) return EXIT_BAD;
  cli->open_loops = certificate_opens_loops(sources_get(cli->sources, source));
  cli->args++;
  cli->n_args--;
  return ask_each(cli, cli->n_args, answer, &source);
}
