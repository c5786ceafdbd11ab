/* Sources: a large file is mapped, a small one read; both end in a NUL byte, are given up and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lang/base/arena.h"
#include "lang/base/source.h"

static int failures;
#define CHECK(x) \
  if (!(x)) failures++, fprintf(stderr, "line %d: %s\n", __LINE__, #x)

/* A file of so many bytes, whose lines are numbered. */
static char *fill(int fd, size_t size) {
  char *text = xcalloc(size + 1, 1);
  for (size_t at = 0, line = 1; at < size; line++) {
    char number[32];
    size_t n = (size_t)snprintf(number, sizeof number, "%zu\n", line);
    memcpy(text + at, number, n < size - at ? n : size - at);
    at += n;
  }
  CHECK(ftruncate(fd, 0) == 0 && pwrite(fd, text, size, 0) == (ssize_t)size);
  return text;
}

static void loads(int fd, const char *path, size_t size, bool mapped) {
  char *text = fill(fd, size);
  const char *why = NULL;
  Sources *s = sources_new();
  uint32_t id = sources_load(s, path, &why);
  CHECK(id);
  for (int again = 0; id && again < 2; again++) {
    const Source *x = sources_get(s, id);
    CHECK(x->mapped == mapped && x->regular && x->len == size && !memcmp(x->text, text, size + 1));
    sources_drop(s, id);
    sources_drop(s, id);
  }
  if (size) { /* another file by now */
    free(fill(fd, size - 1));
    CHECK(sources_get(s, id)->len == 0 && !*sources_get(s, id)->text);
  }
  sources_free(s);
  free(text);
}

int main(void) {
  FILE *file = tmpfile();
  if (!file) return 1;
  int fd = fileno(file);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  static const size_t small[] = {0, 1, 4095, 4096, 200000}, large[] = {1 << 18, (1 << 18) + 1, 500000, 1 << 20};
  for (size_t k = 0; k < sizeof small / sizeof *small; k++) loads(fd, path, small[k], false);
  for (size_t k = 0; k < sizeof large / sizeof *large; k++) loads(fd, path, large[k], true);
  fclose(file);
  const char *why = NULL;
  Sources *s = sources_new();
  CHECK(!sources_load(s, "/nowhere/at/all", &why) && why && !sources_load(s, "/", &why));
  sources_free(s);
  return failures > 0;
}
