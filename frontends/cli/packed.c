#include "frontends/cli/packed.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "lang/base/library.h"

#define LIBZ "libz.so.1"
#define Z(function) LIBRARY_CALL(LIBZ, function)
#define MOST_TEXT ((size_t)1 << 30)

/* All of a compressed file, or NULL with *why. */
static char *unpacked(const char *path, size_t *len, const char **why) {
  gzFile in = library_find(LIBZ, "gzopen") ? Z(gzopen)(path, "rb") : NULL;
  char *text = NULL;
  size_t cap = 0;
  int got = 1;
  *len = 0;
  *why = in ? "the compressed data is malformed" : LIBZ ", which unpacks it, is not installed";
  while (in && got > 0) {
    if (*len == cap) text = xrealloc(text, cap = cap ? 2 * cap : 1 << 16);
    got = Z(gzread)(in, text + *len, (unsigned)(cap - *len));
    if (got > 0) *len += (size_t)got;
    if (*len > MOST_TEXT) got = -1, *why = "it is larger than 1 GiB when unpacked";
  }
  if (in && Z(gzclose)(in) != Z_OK) got = -1;
  if (in && got == 0) return text;
  free(text);
  return NULL;
}

uint32_t packed_load(Cli *cli, const char *path) {
  uint32_t id = cli_load(cli, path);
  const Source *s = id ? sources_get(cli->sources, id) : NULL;
  if (!s || s->len < 2 || memcmp(s->text, "\x1f\x8b", 2) != 0) return id;
  const char *why;
  size_t len;
  char *text = unpacked(path, &len, &why);
  if (text) id = sources_add(cli->sources, path, text, len);
  else id = 0, diag_error(cli->diags, (Span){0, 0, 0}, E_FILE, "cannot read '%s': %s", path, why);
  free(text);
  return id;
}

bool packed_write(const char *path, const char *text, size_t len) {
  size_t n = strlen(path);
  if ((n >= 4 && !strcmp(path + n - 4, ".txt")) || !library_find(LIBZ, "gzopen")) {
    FILE *out = fopen(path, "w");
    bool ok = out && fwrite(text, 1, len, out) == len;
    return out && fclose(out) == 0 && ok;
  }
  gzFile out = Z(gzopen)(path, "wb9");
  bool ok = out != NULL;
  for (size_t at = 0, part; ok && at < len; at += part) {
    part = len - at < 1 << 20 ? len - at : 1 << 20;
    ok = Z(gzwrite)(out, text + at, (unsigned)part) == (int)part;
  }
  return out && Z(gzclose)(out) == Z_OK && ok;
}
