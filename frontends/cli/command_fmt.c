/* tvr fmt: the canonical text of .tvr files: printed, written back, or compared with what is there. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "frontends/cli/cli.h"
#include "lang/lang.h"

static bool write_file(Cli *cli, const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  bool good = out && fputs(text, out) >= 0;
  if (out && fclose(out) != 0) good = false;
  return good || diag_error(cli->diags, (Span){0, 0, 0}, E_FILE, "cannot write '%s': %s", path, strerror(errno));
}

/* The text only where it would be printed. */
static json_t *as_json(const Cli *cli, const char *path, bool same, const char *text) {
  bool quiet = cli->options.fmt_check || cli->options.fmt_write;
  return json_pack("{s:s, s:b, s:s*}", "file", path, "formatted", same, "text", quiet ? NULL : text);
}

static Exit format_one(Cli *cli, const char *path, json_t *all) {
  uint32_t id = cli_load(cli, path);
  size_t before = diag_errors(cli->diags);
  AstFile *file = id ? lang_parse(&cli->arena, cli->diags, id) : NULL;
  if (!file || diag_errors(cli->diags) > before) return EXIT_BAD;
  const char *text = lang_format(&cli->arena, file, cli->sources);
  bool same = strcmp(text, sources_get(cli->sources, id)->text) == 0;
  json_array_append_new(all, as_json(cli, path, same, text));
  bool json = cli->options.json;
  if (cli->options.fmt_check) {
    if (!same && !json) printf("%s\n", path);
    return same ? EXIT_VERIFIED : EXIT_REFUTED;
  }
  if (!cli->options.fmt_write && !json) fputs(text, stdout);
  else if (cli->options.fmt_write && !same && !write_file(cli, path, text)) return EXIT_BAD;
  return EXIT_VERIFIED;
}

Exit command_fmt(Cli *cli) {
  Exit worst = EXIT_VERIFIED;
  json_t *all = json_array();
  for (uint32_t i = 0; i < cli->n_args; i++) {
    Exit one = format_one(cli, cli->args[i], all);
    if (one > worst) worst = one;
  }
  if (cli->options.json && !diag_errors(cli->diags)) {
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_ENSURE_ASCII);
    printf("\n");
  }
  json_decref(all);
  return worst;
}
