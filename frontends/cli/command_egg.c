/* tvr egg: runs an egglog program.  Diagnostics are printed here: a wrong program is exit 1, as in egglog. */
#include <string.h>
#include <unistd.h>

#include "frontends/cli/cli.h"
#include "frontends/egg/egg.h"

Exit command_egg(Cli *cli) {
  const Options *o = &cli->options;
  EggOptions options = {
    .fact_directory = *o->egg_facts ? o->egg_facts : NULL,
    .naive = o->egg_naive,
    .no_reasons = !strcmp(o->egg_reasons, "off"),
    .strict = o->egg_strict,
    .quiet = !strcmp(o->egg_mode, "no-messages"),
    .profile = o->egg_profile,
    .json = o->json,
    .max_rows = (uint64_t)o->egg_max_rows,
    .max_matches = (uint64_t)o->egg_max_matches,
    .max_megabytes = (uint64_t)o->egg_max_megabytes,
    .max_seconds = (uint64_t)o->egg_max_seconds,
  };
  uint32_t source = cli_load(cli, cli->args[0]);
  if (!source) return EXIT_BAD;
  Diags *diags = diags_new(cli->sources);
  EggResult result = egg_run(diags, source, &options, stdout);
  fflush(stdout);
  diags_print(diags, stderr, !strcmp(o->colour, "always") || (!strcmp(o->colour, "auto") && isatty(STDERR_FILENO)));
  diags_free(diags);
  return result == EGG_OK ? EXIT_VERIFIED : result == EGG_LIMIT ? EXIT_LIMIT : EXIT_REFUTED;
}
