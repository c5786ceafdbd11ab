/* External data: initialisers in files beside the model.
 *
 * A location is a path below the model's folder.  Absolute paths and `..` are refused by their text; then the path is
 * resolved, and must still be below the folder, so that no link leads out of it.  Each file is read once. */
#include <stdlib.h>
#include <string.h>

#include "frontends/onnx/model.h"

static bool climbs(const char *path) {
  for (const char *at = path; *at;) {
    size_t n = strcspn(at, "/\\");
    if (n == 2 && at[0] == '.' && at[1] == '.') return true;
    at += n + (at[n] != 0);
  }
  return false;
}

/* The file itself, below `folder`; NULL: it is not, or there is none.  The caller frees it. */
static char *resolve(Arena *a, const char *folder, const char *path, bool *outside) {
  char *base = realpath(*folder ? folder : ".", NULL), *file = realpath(path, NULL);
  size_t n = base ? strlen(base) : 0;
  bool below = base && file && !strncmp(base, file, n) && (file[n] == '/' || (n == 1 && *base == '/'));
  *outside = base && file && !below;
  char *out = below ? arena_strdup(a, file, strlen(file)) : NULL;
  free(base);
  free(file);
  return out;
}

bool onnx_external(OnnxModel *m, Sym tensor, Bytes location, Bytes *out) {
  Sources *sources = diags_sources(m->diags);
  const char *model = sources_get(sources, m->source)->path, *slash = strrchr(model, '/'), *why = NULL;
  Sym name;
  if (!onnx_name(m, location, &name)) return false;
  const char *relative = sym_text(name);
  if (!*relative || *relative == '/' || *relative == '\\' || strchr(relative, ':') || climbs(relative))
    return onnx_error(m, 0, E_FILE, "tensor '%s': external data in '%s': only a path below the model's folder is read",
                      sym_text(tensor), relative);
  const char *folder = slash ? arena_strdup(&m->arena, model, (size_t)(slash - model) + 1) : "";
  const char *path = arena_printf(&m->arena, "%s%s", folder, relative);
  bool outside = false;
  const char *file = resolve(&m->arena, folder, path, &outside);
  if (outside)
    return onnx_error(m, 0, E_FILE, "tensor '%s': external data in '%s': the link leaves the model's folder",
                      sym_text(tensor), relative);
  for (size_t k = 0; file && k < m->external.len; k++) {
    const Source *s = sources_get(sources, m->external.at[k]);
    if (strcmp(s->path, file)) continue;
    *out = (Bytes){(const uint8_t *)s->text, s->len};
    return true;
  }
  uint32_t id = file ? sources_load(sources, file, &why) : 0;
  if (!id)
    return onnx_error(m, 0, E_FILE, "tensor '%s': external data in '%s' cannot be read: %s", sym_text(tensor), relative,
                      why ? why : "there is no such file");
  vec_push(&m->external, id);
  const Source *s = sources_get(sources, id);
  *out = (Bytes){(const uint8_t *)s->text, s->len};
  return true;
}
