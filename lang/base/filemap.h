/* filemap: the text of a large file where the system has it already, instead of a copy.
 *
 * Clearing pages and copying into them costs more than what readers do with a text.  The last page is copied all the
 * same, so that the text ends in a NUL byte whatever becomes of the file; a file cut short while it is mapped ends the
 * process with a message. */
#ifndef TVR_BASE_FILEMAP_H
#define TVR_BASE_FILEMAP_H
#include <stddef.h>

/* The first `size` bytes of an open file, and a NUL byte; NULL where reading is better or all there is. */
const char *filemap_open(int fd, size_t size);
void filemap_close(const char *text, size_t size);
#endif
