#include "lang/base/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/base/filemap.h"
#include "lang/base/vec.h"

struct Sources {
  Arena arena;
  Vec(Source) all;
};

Sources *sources_new(void) { return xcalloc(1, sizeof(Sources)); }

static void release(Source *x) {
  if (x->mapped) filemap_close(x->text, x->len);
  else free((char *)x->text);
  x->text = NULL;
  x->mapped = false;
}

void sources_free(Sources *s) {
  if (!s) return;
  for (size_t i = 0; i < s->all.len; i++) release(&s->all.at[i]);
  vec_free(&s->all);
  arena_free(&s->arena);
  free(s);
}

static uint32_t keep(Sources *s, const char *path, Source x) {
  x.path = arena_strdup(&s->arena, path, strlen(path));
  vec_push(&s->all, x);
  return (uint32_t)s->all.len;
}

uint32_t sources_add(Sources *s, const char *path, const char *text, size_t len) {
  char *copy = xmalloc(len + 1);
  memcpy(copy, text, len);
  copy[len] = 0;
  return keep(s, path, (Source){.text = copy, .len = len});
}

uint32_t sources_add_within(Sources *s, const char *path, const char *before, const char *text, const char *after) {
  size_t n = strlen(before), len = strlen(text), more = strlen(after);
  char *copy = xmalloc(n + len + more + 1);
  memcpy(copy, before, n);
  memcpy(copy + n, text, len);
  memcpy(copy + n + len, after, more + 1);
  return keep(s, path, (Source){.text = copy, .len = n + len + more, .from = (uint32_t)n, .to = (uint32_t)(n + len)});
}

/* The bytes of an open file and a NUL byte.  NULL with *why. */
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
    *len += (size_t)n;
    text[*len] = 0;
    if (n == 0) return text;
  }
}

/* Text, length and what kind of file it is; no text with *why. */
static Source read_file(const char *path, const char **why) {
  int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
  Source x = {0};
  struct stat st;
  if (fd < 0 || fstat(fd, &st) < 0) {
    *why = strerror(errno);
  } else if (S_ISDIR(st.st_mode)) {
    *why = "it is a directory";
  } else {
    x.regular = fd != STDIN_FILENO && S_ISREG(st.st_mode);
    x.len = st.st_size > 0 ? (size_t)st.st_size : 0;
    x.mapped = x.regular && x.len <= UINT32_MAX - 2 && (x.text = filemap_open(fd, x.len));
    if (!x.mapped) x.text = read_all(fd, x.len, &x.len, why);
  }
  if (fd > 0) close(fd);
  return x;
}

uint32_t sources_load(Sources *s, const char *path, const char **why) {
  Source x = read_file(path, why);
  return x.text ? keep(s, path, x) : 0;
}

void sources_drop(Sources *s, uint32_t id) {
  Source *x = id && id <= s->all.len ? &s->all.at[id - 1] : NULL;
  if (x && x->regular && x->text) release(x);
}

/* What was dropped, as long as the file has the size it had; spans into another text mean nothing. */
static void read_again(Source *x) {
  const char *why;
  Source again = read_file(x->path, &why);
  if (again.text && again.len != x->len) release(&again);
  x->mapped = again.text && again.mapped;
  x->text = again.text ? again.text : xcalloc(1, 1);
  x->len = again.text ? again.len : 0;
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
  uint32_t last = src->to ? src->to : (uint32_t)src->len, n = 1;
  at = at > last ? last : at < src->from ? src->from : at;
  const char *start = src->text + src->from, *end = src->text + at;
  for (const char *p; (p = memchr(start, '\n', (size_t)(end - start))); n++) start = p + 1;
  const char *stop = memchr(start, '\n', (size_t)(src->text + last - start));
  *line = n;
  *column = (uint32_t)(end - start) + 1;
  *line_text = start;
  *line_len = (size_t)((stop ? stop : src->text + last) - start);
}
