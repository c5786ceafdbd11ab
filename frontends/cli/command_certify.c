/* tvr certify: checks a certificate against both graphs and the relation, by itself. */
#include "certify/certify.h"
#include "frontends/cli/ask.h"

static void print_readings(const Certificate *c) {
  char x[64], y[64];
  for (uint32_t i = 0; i < c->n_parts; i++)
    for (uint32_t k = 0; k < c->parts[i].n_readings; k++) {
      const Rounding *r = &c->parts[i].readings[k];
      bool said = false;
      for (uint32_t j = 0; j < i; j++)
        for (uint32_t q = 0; q < c->parts[j].n_readings; q++) said |= c->parts[j].readings[q].literal == r->literal;
      if (!said) printf("  reading %s as %s\n", rat_print(r->literal, x, sizeof x), rat_print(r->read, y, sizeof y));
    }
}

static Exit answer(Cli *cli, const Asked *a, void *context) {
  CertifyProblem p = {.graph = {a->seq, a->dist}, .relation = a->relation};
  p.files = library_files(a->library, &p.n_files);
  if (!relation_check(a->relation, a->seq, a->dist, cli->diags)) return EXIT_BAD;
  uint32_t source = cli_load(cli, (const char *)context);
  Certificate *c = source ? certificate_read(&p, source, cli->diags) : NULL;
  if (!c) return EXIT_BAD;
  Exit code = EXIT_UNPROVED;
  CertifyResult r = {0};
  if (c->beyond) {
    printf("not certified: the proof is beyond the checker:%s\n", c->beyond);
  } else if (certify_all(&p, c, &r)) {
    printf("certified: %u outputs, %llu steps\n", a->relation->n_outputs, (unsigned long long)r.n_steps);
    print_readings(c);
    if (r.lemmas) printf("  by lemma %s\n", r.lemmas);
    code = EXIT_VERIFIED;
  } else {
    printf("not certified: %s\n", r.why);
    code = EXIT_REFUTED;
  }
  arena_free(&r.arena);
  certificate_free(c);
  return code;
}

Exit command_certify(Cli *cli) {
  const char *path = cli->args[0];
  cli->args++;
  cli->n_args--;
  return ask_each(cli, cli->n_args, answer, (void *)path);
}
