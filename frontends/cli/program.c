#include "frontends/cli/program.h"

#include <string.h>
#include <unistd.h>

ProgramOptions cli_program_options(Cli *cli) {
  const Options *o = &cli->options;
  WhyQuestion *questions = ARENA_ARRAY(&cli->arena, WhyQuestion, 2);
  uint32_t n = 0;
  if (o->program_explain) questions[n++] = (WhyQuestion){o->program_explain, false};
  if (o->program_why_not) questions[n++] = (WhyQuestion){o->program_why_not, true};
  return (ProgramOptions){
    .fact_directory = *o->program_facts ? o->program_facts : NULL,
    .naive = o->program_naive,
    .strict = o->program_strict,
    .quiet = !strcmp(o->program_mode, "no-messages"),
    .profile = o->program_profile,
    .json = o->json,
    .no_reasons = !strcmp(o->program_reasons, "off"),
    .max_rows = (uint64_t)o->program_max_rows,
    .max_matches = (uint64_t)o->program_max_matches,
    .max_megabytes = (uint64_t)o->program_max_megabytes,
    .max_seconds = (uint64_t)o->program_max_seconds,
    .max_iterations = (uint64_t)o->program_max_iterations,
    .max_dag = (uint64_t)o->program_max_dag,
    .progress = !o->json && isatty(STDERR_FILENO),
    .max_proof_steps = (uint64_t)o->program_proof_steps,
    .max_proof_lines = (uint64_t)o->program_proof_lines,
    .n_questions = n,
    .questions = questions,
  };
}

Exit cli_program_end(Cli *cli, Diags *diags, ProgramResult result) {
  static const Exit codes[] = {EXIT_VERIFIED, EXIT_BAD, EXIT_REFUTED, EXIT_LIMIT};
  const char *colour = cli->options.colour;
  fflush(stdout);
  diags_print(diags, stderr, !strcmp(colour, "always") || (!strcmp(colour, "auto") && isatty(STDERR_FILENO)));
  diags_free(diags);
  return codes[result];
}
