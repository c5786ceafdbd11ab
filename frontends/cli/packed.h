/* packed: text files that may be compressed by gzip. */
#ifndef TVR_CLI_PACKED_H
#define TVR_CLI_PACKED_H
#include "frontends/cli/cli.h"

/* A text as a source, unpacked if the file is compressed; 0 after an error, which is reported. */
uint32_t packed_load(Cli *cli, const char *path);
/* Writes a text, compressed (the same bytes always) unless the name ends in .txt; false: it could not be written. */
bool packed_write(const char *path, const char *text, size_t len);
#endif
