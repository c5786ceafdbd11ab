/* Source texts and spans.  A span is a byte range of one text; lines and columns are computed only when shown. */
#ifndef TVR_BASE_SOURCE_H
#define TVR_BASE_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Span {
  uint32_t source; /* 1-based id of the text in its Sources; 0: no place */
  uint32_t lo, hi; /* bytes [lo, hi) */
} Span;

typedef struct Source {
  const char *path;
  const char *text; /* NUL-terminated after len bytes */
  size_t len;
  bool regular; /* a file that can be read again */
  bool mapped;  /* the text is the file itself: filemap.h */
  uint32_t from, to; /* the bytes that somebody wrote, what is around them is not shown; 0, 0: all */
} Source;

typedef struct Sources Sources;

Sources *sources_new(void);
void sources_free(Sources *s);
/* Reads a file ("-" is standard input), at most 4 GiB.  Returns its id, or 0 with *why set (a static or errno text). */
uint32_t sources_load(Sources *s, const char *path, const char **why);
/* Adds a text that is already in memory; it is copied. */
uint32_t sources_add(Sources *s, const char *path, const char *text, size_t len);
/* The same with something around it that places do not count nor show. */
uint32_t sources_add_within(Sources *s, const char *path, const char *before, const char *text, const char *after);
/* The highest id there is. */
uint32_t sources_last(const Sources *s);
/* The text of a file is not needed any more; who asks for it all the same has it read again. */
void sources_drop(Sources *s, uint32_t id);
const Source *sources_get(const Sources *s, uint32_t id);
/* 1-based line and column (bytes) of an offset, and the line's text without its newline. */
void sources_locate(const Sources *s, uint32_t id, uint32_t at, uint32_t *line, uint32_t *column,
                    const char **line_text, size_t *line_len);
#endif
