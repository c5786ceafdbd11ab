#include "frontends/cli/program.h"

#include <string.h>
#include <unistd.h>

EggOptions cli_program_options(Cli *cli) {
  const Options *o = &cli->options;
  WhyQuestion *questions = ARENA_ARRAY(&cli->arena, WhyQuestion, 2);
  uint32_t n = 0;
  if (o->egg_explain) questions[n++] = (WhyQuestion){o->egg_explain, false};
  if (o->egg_why_not) questions[n++] = (WhyQuestion){o->egg_why_not, true};
  return (EggOptions){
    .fact_directory = *o->egg_facts ? o->egg_facts : NULL,
    .naive = o->egg_naive,
    .strict = o->egg_strict,
    .quiet = !strcmp(o->egg_mode, "no-messages"),
    .profile = o->egg_profile,
    .json = o->json,
    .no_reasons = !strcmp(o->egg_reasons, "off"),
    .max_rows = (uint64_t)o->egg_max_rows,
    .max_matches = (uint64_t)o->egg_max_matches,
    .max_megabytes = (uint64_t)o->egg_max_megabytes,
    .max_seconds = (uint64_t)o->egg_max_seconds,
    .max_iterations = (uint64_t)o->egg_max_iterations,
    .progress = !o->json && isatty(STDERR_FILENO),
    .max_proof_steps = (uint64_t)o->egg_proof_steps,
    .max_proof_lines = (uint64_t)o->egg_proof_lines,
    .n_questions = n,
    .questions = questions,
  };
}

Exit cli_program_end(Cli *cli, Diags *diags, EggResult result) {
  const char *colour = cli->options.colour;
  fflush(stdout);
  diags_print(diags, stderr, !strcmp(colour, "always") || (!strcmp(colour, "auto") && isatty(STDERR_FILENO)));
  diags_free(diags);
  return result == EGG_OK ? EXIT_VERIFIED : result == EGG_LIMIT ? EXIT_LIMIT : EXIT_REFUTED;
}
