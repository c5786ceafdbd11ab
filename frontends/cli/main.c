/* tvr: reads the command line, runs one command, prints what went wrong, returns the verdict as the exit code. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "frontends/cli/cli.h"
#include "lang/base/heap.h"

static bool wants_colour(const Cli *cli) {
  const char *when = cli->options.colour;
  return strcmp(when, "always") == 0 || (strcmp(when, "auto") == 0 && isatty(STDERR_FILENO));
}

/* Diagnostics go to standard error; with --json errors are the whole answer, on standard output, or close its list. */
static Exit finish(Cli *cli, Exit code) {
  if (fflush(stdout) || ferror(stdout))
    diag_error(cli->diags, (Span){0, 0, 0}, E_FILE, "cannot write standard output: %s", strerror(errno));
  bool failed = diag_errors(cli->diags) > 0;
  if (cli->options.json && failed && !ferror(stdout)) {
    printf("{\"verdict\": \"error\", \"diagnostics\": ");
    diags_json(cli->diags, stdout);
    printf("}\n");
  } else {
    diags_print(cli->diags, stderr, wants_colour(cli));
  }
  if (cli->lists) printf("]\n");
  if (failed && code <= EXIT_BAD) code = diags_only(cli->diags, E_LIMIT, E_LIMIT) ? EXIT_LIMIT : EXIT_BAD;
  return code;
}

int main(int argc, char **argv) {
  heap_tune();
  heap_large_pages(1 << 23);
  Cli cli = {0};
  cli.sources = sources_new();
  cli.diags = diags_new(cli.sources);
  bool done = false;
  Exit code = EXIT_BAD;
  if (options_parse(&cli, argc, argv, &done)) code = done ? EXIT_VERIFIED : cli.command->run(&cli);
  code = finish(&cli, code);
  diags_free(cli.diags);
  sources_free(cli.sources);
  vec_free(&cli.open.known);
  arena_free(&cli.arena);
  return (int)code;
}
