/* libFuzzer target: any bytes are read as a .pt2 archive; those that are none are taken for its model.json, and what
 * follows a NUL byte for the list of its constants.  A graph that comes out is in order. */
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "eval/graph/graph.h"
#include "frontends/torch/pt2.h"
#include "frontends/torch/torch.h"

typedef struct ReaderOptions {
  int64_t max_trips, max_nodes;
} ReaderOptions;

static void put(zip_t *z, const char *name, const char *data, size_t len) {
  zip_source_t *s = zip_source_buffer(z, data, len, 0);
  zip_int64_t k = zip_file_add(z, name, s, 0);
  if (k >= 0) zip_set_file_compression(z, (zip_uint64_t)k, ZIP_CM_STORE, 0);
}

/* Text `source` in an archive of its own. */
static uint32_t packed(Sources *sources, const Source *source) {
  const char *nul = memchr(source->text, 0, source->len);
  size_t n = nul ? (size_t)(nul - source->text) : source->len;
  zip_source_t *out = zip_source_buffer_create(NULL, 0, 0, NULL);
  zip_source_keep(out);
  zip_t *z = zip_open_from_source(out, ZIP_TRUNCATE, NULL);
  put(z, "a/models/model.json", source->text, n);
  if (nul) put(z, "a/data/constants/model_constants_config.json", nul + 1, source->len - n - 1);
  put(z, "a/data/constants/weight_0", "0123456789abcdef", 16);
  zip_close(z);
  zip_stat_t st;
  zip_source_stat(out, &st);
  char *bytes = malloc(st.size + 1);
  zip_source_open(out);
  zip_int64_t len = zip_source_read(out, bytes, st.size);
  zip_source_close(out);
  zip_source_free(out);
  uint32_t id = sources_add(sources, "a.pt2", bytes, len > 0 ? (size_t)len : 0);
  free(bytes);
  return id;
}

static Graph *read_archive(Diags *diags, uint32_t id, const ReaderOptions *o) {
  (void)o;
  Sources *sources = (Sources *)diags_sources(diags);
  if (!pt2_is(sources_get(sources, id))) id = packed(sources, sources_get(sources, id));
  OpenSizes sizes = {.list = "s0=2,s77=3,s44=4"};
  id = pt2_is(sources_get(sources, id)) ? pt2_unpack(sources, diags, id, &sizes) : 0;
  vec_free(&sizes.known);
  if (id) return torch_read(diags, id);
  if (!diag_errors(diags)) abort();
  return NULL;
}

#define READ read_archive
#include "tests/fuzz/reader.h"
