#include "lang/base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/vec.h"

struct Sources {
  Arena arena;
  Vec(Source) all;
};

Sources *sources_new(void) { return xcalloc(1, sizeof(Sources)); }

void sources_free(Sources *s) {
  if (!s) return;
  for (size_t i = 0; i < s->all.len; i++) free((char *)s->all.at[i].text);
  vec_free(&s->all);
  arena_free(&s->arena);
  free(s);
}

static uint32_t keep(Sources *s, const char *path, char *text, size_t len) {
  text[len] = 0;
  vec_push(&s->all, (Source){arena_strdup(&s->arena, path, strlen(path)), text, len, false});
  return (uint32_t)s->all.len;
}

uint32_t sources_add(Sources *s, const char *path, const char *text, size_t len) {
  char *copy = xmalloc(len + 1);
  memcpy(copy, text, len);
  return keep(s, path, copy, len);
}

/* The bytes of an open file, with room for one more.  NULL with *why. */
static char *read_all(int fd, size_t expected, size_t *len, const char **why) {
  size_t cap = expected ? expected + 2 : 1 << 16; /* a file of that size is read without growing */
  char *text = xmalloc(cap);
  *len = 0;
  for (ssize_t n;;) {
    if (*len + 1 >= cap) text = xrealloc(text, cap *= 2);
    n = read(fd, text + *len, cap - *len - 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || *len > UINT32_MAX - 2) {
      *why = n < 0 ? strerror(errno) : "it is larger than 4 GiB";
      free(text);
      return NULL;
    }
    if (n == 0) return text;
    *len += (size_t)n;
  }
}

static char *read_file(const char *path, size_t *len, bool *regular, const char **why) {
  int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  struct stat st;
  char *text = NULL;
  if (fd < 0 || fstat(fd, &st) < 0) *why = strerror(errno);
  else if (S_ISDIR(st.st_mode)) *why = "it is a directory";
  else text = read_all(fd, st.st_size > 0 ? (size_t)st.st_size : 0, len, why);
  *regular = text && fd != STDIN_FILENO && S_ISREG(st.st_mode);
  if (fd > 0) close(fd);
  return text;
}

uint32_t sources_load(Sources *s, const char *path, const char **why) {
  size_t len;
  bool regular;
  char *text = read_file(path, &len, &regular, why);
  if (!text) return 0;
  uint32_t id = keep(s, path, text, len);
  vec_last(&s->all).regular = regular;
  return id;
}

void sources_drop(Sources *s, uint32_t id) {
  Source *x = id && id <= s->all.len ? &s->all.at[id - 1] : NULL;
  if (!x || !x->regular) return;
  free((char *)x->text);
  x->text = NULL;
}

/* What was dropped, as long as the file has the size it had; spans into another text mean nothing. */
static void read_again(Source *x) {
  const char *why;
  bool regular;
  size_t len;
  char *text = read_file(x->path, &len, &regular, &why);
  if (!text || len != x->len) {
    free(text);
    text = xmalloc(1);
    x->len = len = 0;
  }
  text[len] = 0;
  x->text = text;
}

uint32_t sources_last(const Sources *s) { return (uint32_t)s->all.len; }

const Source *sources_get(const Sources *s, uint32_t id) {
  Source *x = id && id <= s->all.len ? &s->all.at[id - 1] : NULL;
  if (x && !x->text) read_again(x);
  return x;
}

void sources_locate(const Sources *s, uint32_t id, uint32_t at, uint32_t *line, uint32_t *column,
                    const char **line_text, size_t *line_len) {
  const Source *src = sources_get(s, id);
  *line = *column = 0;
  *line_text = "";
  *line_len = 0;
  if (!src) return;
  if (at > src->len) at = (uint32_t)src->len;
  uint32_t n = 1;
  const char *start = src->text, *end = src->text + at;
  for (const char *p; (p = memchr(start, '\n', (size_t)(end - start))); n++) start = p + 1;
  const char *stop = memchr(start, '\n', (size_t)(src->text + src->len - start));
  *line = n;
  *column = (uint32_t)(end - start) + 1;
  *line_text = start;
  *line_len = (size_t)((stop ? stop : src->text + src->len) - start);
}
