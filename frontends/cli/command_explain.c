/* tvr explain: the title of an error code, which is also the heading of its paragraph in SPEC.md. */
#include <string.h>

#include "frontends/cli/cli.h"

Exit command_explain(Cli *cli) {
  const char *codes[DIAG_N_CODES];
  for (int i = 0; i < DIAG_N_CODES; i++) {
    codes[i] = diag_code_text((DiagCode)i);
    if (strcmp(cli->args[0], codes[i]) != 0) continue;
    printf("%s: %s\n", codes[i], diag_title((DiagCode)i));
    return EXIT_VERIFIED;
  }
  const char *near = suggest_name(cli->args[0], codes, DIAG_N_CODES);
  diag_error(cli->diags, (Span){0, 0, 0}, E_USAGE, "there is no error code '%s'", cli->args[0]);
  if (near) diag_hint(cli->diags, "did you mean %s?", near);
  return EXIT_BAD;
}
