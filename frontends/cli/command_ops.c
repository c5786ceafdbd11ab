/* tvr ops: the definitions in force, all or those of one operator, with the facts about sharding that follow from them. */
#include "eval/meaning/ops.h"
#include "frontends/cli/cli.h"

static bool is_defined(Cli *cli, const Library *library, const char *name) {
  uint32_t n, n_names;
  library_ops(library, sym(name), &n);
  if (n) return true;
  const Sym *names = library_names(library, &n_names);
  const char **texts = ARENA_ARRAY(&cli->arena, const char *, n_names);
  for (uint32_t i = 0; i < n_names; i++) texts[i] = sym_text(names[i]);
  const char *near = suggest_name(name, texts, n_names);
  diag_error(cli->diags, (Span){0, 0, 0}, E_UNBOUND, "there is no operator '%s'", name);
  if (near) diag_hint(cli->diags, "did you mean '%s'?", near);
  return false;
}

Exit command_ops(Cli *cli) {
  Library *library = cli_library(cli);
  if (!library) return EXIT_BAD;
  const char *name = cli->n_args ? cli->args[0] : NULL;
  bool known = !name || is_defined(cli, library, name);
  Sym op = name ? sym(name) : 0;
  if (known && cli->options.json) ops_json(library, op, cli->sources, stdout);
  else if (known) ops_print(library, op, cli->sources, stdout);
  library_free(library);
  return known ? EXIT_VERIFIED : EXIT_BAD;
}
