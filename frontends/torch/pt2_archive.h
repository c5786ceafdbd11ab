/* The files inside a .pt2 archive, read by libzip within limits. */
#ifndef TVR_FRONTENDS_TORCH_PT2_ARCHIVE_H
#define TVR_FRONTENDS_TORCH_PT2_ARCHIVE_H
#include <jansson.h>
#include <stddef.h>
#include <zip.h>

typedef struct Pt2Archive {
  zip_t *zip;
} Pt2Archive;

/* NULL, or what is wrong.  `bytes` must outlive the archive.  Close it either way. */
const char *pt2_open(Pt2Archive *a, const char *bytes, size_t len);
void pt2_close(Pt2Archive *a);
/* The first JSON file FOLDER/../NAMEending directly in a folder called so; NULL if there is none that can be read. */
json_t *pt2_json(Pt2Archive *a, const char *folder, const char *ending);
/* Values of a constant, as tvr-graph lists them: `type` is its {"dtype", "shape"}, `meta` how it is stored. */
json_t *pt2_values(Pt2Archive *a, const char *name, const json_t *type, const json_t *meta);
#endif
