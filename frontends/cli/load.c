/* What commands read: files, graphs by their format, the library of operators. */
#include <stdlib.h>

#include "frontends/cli/cli.h"
#include "frontends/hlo/hlo.h"
#include "frontends/stablehlo/stablehlo.h"
#include "frontends/torch/pt2.h"
#include "frontends/torch/torch.h"

uint32_t cli_load(Cli *cli, const char *path) {
  const char *why = NULL;
  uint32_t id = sources_load(cli->sources, path, &why);
  if (!id) diag_error(cli->diags, (Span){0, 0, 0}, E_FILE, "cannot read '%s': %s", path, why);
  return id;
}

Graph *cli_graph(Cli *cli, const char *path) { return cli_graph_over(cli, path, 0); }

Graph *cli_graph_over(Cli *cli, const char *path, int64_t n_devices) {
  uint32_t id = cli_load(cli, path);
  if (!id) return NULL;
  if (pt2_is(sources_get(cli->sources, id)) && !(id = pt2_unpack(cli->sources, cli->diags, id))) return NULL;
  const Source *source = sources_get(cli->sources, id);
  HloOptions options = {.max_trips = cli->options.max_trips, .max_nodes = cli->options.max_nodes, .n_devices = n_devices};
  StablehloOptions mlir = {options.max_trips, options.max_nodes, n_devices};
  if (torch_is(source)) return torch_read(cli->diags, id);
  return stablehlo_is(source) ? stablehlo_read(cli->diags, id, &mlir) : hlo_read(cli->diags, id, &options);
}

Library *cli_library(Cli *cli) {
  const char *dir = cli->options.stdlib ? cli->options.stdlib : getenv("TVR_STDLIB");
  return library_load(dir, cli->diags);
}
