/* tvr: reads the command line, runs one command, prints what went wrong, returns the verdict as the exit code. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontends/cli/cli.h"

static bool wants_colour(const Cli *cli) {
  const char *when = cli->options.colour;
  return strcmp(when, "always") == 0 || (strcmp(when, "auto") == 0 && isatty(STDERR_FILENO));
}

/* Diagnostics go to standard error; with --json errors are the whole answer, on standard output. */
static Exit finish(Cli *cli, Exit code) {
  bool failed = diag_errors(cli->diags) > 0;
  fflush(stdout);
  if (cli->options.json && failed) {
    printf("{\"verdict\": \"error\", \"diagnostics\": ");
    diags_json(cli->diags, stdout);
    printf("}\n");
  } else {
    diags_print(cli->diags, stderr, wants_colour(cli));
  }
  return failed && code < EXIT_BAD ? EXIT_BAD : code;
}

/* Readers free many small pieces at once (a JSON tree): where free pieces are joined at once, not in rounds over all of
 * them, that costs half.  What is given back is used again: the system need not have it in between.  In large pages, where
 * the system has some, a run takes a sixth less. */
static void tune_memory(void) {
#if defined __GLIBC__ && !defined TVR_SANITIZED
  enum { ROOM = 1 << 24, PAGE = 1 << 21 };
  mallopt(M_MXFAST, 0);
  mallopt(M_TRIM_THRESHOLD, ROOM);
  mallopt(M_MMAP_THRESHOLD, 1 << 24);
  mallopt(M_TOP_PAD, ROOM);
  char *top = malloc(PAGE);
  if (top) madvise(top + (-(uintptr_t)top & (PAGE - 1)), ROOM - PAGE, MADV_HUGEPAGE);
  free(top);
#endif
}

int main(int argc, char **argv) {
  tune_memory();
  Cli cli = {0};
  cli.sources = sources_new();
  cli.diags = diags_new(cli.sources);
  bool done = false;
  Exit code = EXIT_BAD;
  if (options_parse(&cli, argc, argv, &done)) code = done ? EXIT_VERIFIED : cli.command->run(&cli);
  code = finish(&cli, code);
  diags_free(cli.diags);
  sources_free(cli.sources);
  arena_free(&cli.arena);
  return (int)code;
}
