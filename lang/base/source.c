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
  vec_push(&s->all, (Source){arena_strdup(&s->arena, path, strlen(path)), text, len});
  return (uint32_t)s->all.len;
}

uint32_t sources_add(Sources *s, const char *path, const char *text, size_t len) {
  char *copy = xmalloc(len + 1);
  memcpy(copy, text, len);
  return keep(s, path, copy, len);
}

uint32_t sources_load(Sources *s, const char *path, const char **why) {
  int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  struct stat st;
  if (fd < 0 || fstat(fd, &st) < 0) {
    *why = strerror(errno);
    if (fd > 0) close(fd);
    return 0;
  }
  if (S_ISDIR(st.st_mode)) {
    *why = "it is a directory";
    close(fd);
    return 0;
  }
  size_t cap = st.st_size > 0 ? (size_t)st.st_size + 1 : 1 << 16, len = 0;
  char *text = xmalloc(cap);
  for (ssize_t n;;) {
    if (len + 1 >= cap) text = xrealloc(text, cap *= 2);
    n = read(fd, text + len, cap - len - 1);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 || len > UINT32_MAX - 2) {
      *why = n < 0 ? strerror(errno) : "it is larger than 4 GiB";
      free(text);
      if (fd != STDIN_FILENO) close(fd);
      return 0;
    }
    if (n == 0) break;
    len += (size_t)n;
  }
  if (fd != STDIN_FILENO) close(fd);
  return keep(s, path, text, len);
}

uint32_t sources_last(const Sources *s) { return (uint32_t)s->all.len; }

const Source *sources_get(const Sources *s, uint32_t id) {
  return id && id <= s->all.len ? &s->all.at[id - 1] : NULL;
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
