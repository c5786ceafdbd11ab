/* pt2_archive: see pt2_archive.h.  Sizes are looked at before anything is unpacked. */
#include "frontends/torch/pt2_archive.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lang/base/arena.h"
#include "lang/base/library.h"

#define LIBZIP "libzip.so.4"
#define ZIP(function) LIBRARY_CALL(LIBZIP, function)
#define MAX_JSON ((zip_uint64_t)1 << 30)
enum { MAX_ELEMENTS = 1 << 20 };

const char *pt2_open(Pt2Archive *a, const char *bytes, size_t len) {
  a->zip = NULL;
  if (!library_find(LIBZIP, "zip_open_from_source")) return LIBZIP ", which unpacks archives, is not installed";
  zip_source_t *source = ZIP(zip_source_buffer_create)(bytes, len, 0, NULL);
  a->zip = source ? ZIP(zip_open_from_source)(source, ZIP_RDONLY, NULL) : NULL;
  if (a->zip) return NULL;
  if (source) ZIP(zip_source_free)(source);
  return "the ZIP archive is malformed";
}

void pt2_close(Pt2Archive *a) {
  if (a->zip) ZIP(zip_discard)(a->zip);
}

/* All of a file, NUL-terminated; NULL if it is too large or cannot be unpacked. */
static char *content(Pt2Archive *a, zip_uint64_t index, zip_uint64_t most, size_t *len) {
  zip_stat_t st;
  if (ZIP(zip_stat_index)(a->zip, index, 0, &st) || !(st.valid & ZIP_STAT_SIZE) || st.size > most) return NULL;
  zip_file_t *f = ZIP(zip_fopen_index)(a->zip, index, 0);
  if (!f) return NULL;
  char *text = xmalloc((size_t)st.size + 1);
  zip_uint64_t n = 0;
  for (zip_int64_t got = 1; n < st.size && got > 0; n += got > 0 ? (zip_uint64_t)got : 0)
    got = ZIP(zip_fread)(f, text + n, st.size - n);
  ZIP(zip_fclose)(f);
  text[n] = 0;
  *len = (size_t)n;
  if (n == st.size) return text;
  free(text);
  return NULL;
}

/* NAME/FOLDER/FILE, nothing between. */
static bool directly_in(const char *path, const char *folder, const char *ending) {
  const char *slash = strchr(path, '/'), *file = slash ? slash + 1 : path;
  size_t n = strlen(folder), len = strlen(path), e = strlen(ending);
  return !strncmp(file, folder, n) && !strchr(file + n, '/') && len >= e && !strcmp(path + len - e, ending);
}

static char *find(Pt2Archive *a, const char *folder, const char *ending, zip_uint64_t most, size_t *len) {
  zip_int64_t n = ZIP(zip_get_num_entries)(a->zip, 0);
  for (zip_int64_t k = 0; k < n; k++) {
    const char *path = ZIP(zip_get_name)(a->zip, (zip_uint64_t)k, ZIP_FL_ENC_RAW);
    if (path && directly_in(path, folder, ending)) return content(a, (zip_uint64_t)k, most, len);
  }
  return NULL;
}

json_t *pt2_json(Pt2Archive *a, const char *folder, const char *ending) {
  size_t len;
  char *text = find(a, folder, ending, MAX_JSON, &len);
  json_t *root = text ? json_loadb(text, len, 0, NULL) : NULL;
  free(text);
  return root;
}

/* ---- values: little-endian, row-major */
typedef struct Kind {
  const char *dtype;
  uint8_t bytes;
  bool real;
} Kind;

static uint64_t bits_at(const char *at, unsigned bytes) {
  uint64_t v = 0;
  for (unsigned k = bytes; k-- > 0;) v = v << 8 | (uint8_t)at[k];
  return v;
}

static double half(uint64_t b) {
  int e = (int)(b >> 10 & 31), sign = b >> 15 & 1 ? -1 : 1;
  double m = (double)(b & 1023);
  if (e == 31) return m != 0 ? NAN : sign * INFINITY;
  return sign * (e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
}

static json_t *value_at(const char *at, const Kind *k) {
  uint64_t b = bits_at(at, k->bytes);
  if (!k->real) {
    if (!strcmp(k->dtype, "bool")) return json_boolean(b != 0);
    int64_t v =
        k->dtype[0] == 'u' || k->bytes == 8 ? (int64_t)b : (int64_t)(b << (64 - 8 * k->bytes)) >> (64 - 8 * k->bytes);
    return json_integer(v);
  }
  double x = half(b);
  float f;
  uint32_t word = (uint32_t)(k->bytes == 2 ? b << 16 : b);
  memcpy(&f, &word, sizeof f);
  if (strcmp(k->dtype, "f16")) x = f;
  if (k->bytes == 8) memcpy(&x, &b, sizeof x);
  if (isnan(x)) return json_pack("{ss}", "float", "nan");
  return isinf(x) ? json_pack("{ss}", "float", x > 0 ? "inf" : "-inf") : json_real(x);
}

/* Stored without gaps, from the start? */
static bool row_major(const json_t *meta, const json_t *shape) {
  json_int_t step = 1;
  const json_t *strides = json_object_get(meta, "strides");
  for (size_t k = json_array_size(shape); k-- > 0;) {
    json_int_t n = json_integer_value(json_array_get(shape, k));
    json_t *given = json_object_get(json_array_get(strides, k), "as_int");
    if (!json_is_integer(given) || (n > 1 && json_integer_value(given) != step)) return false;
    step *= n > 0 ? n : 1;
    if (step > MAX_ELEMENTS) return false;
  }
  json_t *start = json_object_get(json_object_get(meta, "storage_offset"), "as_int");
  return json_is_integer(start) && json_integer_value(start) == 0;
}

json_t *pt2_values(Pt2Archive *a, const char *name, const json_t *type, const json_t *meta) {
  static const Kind kinds[] = {{"f32", 4, true},  {"f64", 8, true},  {"f16", 2, true},  {"bf16", 2, true},
                               {"i64", 8, false}, {"i32", 4, false}, {"i16", 2, false}, {"i8", 1, false},
                               {"u8", 1, false},  {"bool", 1, false}};
  const json_t *shape = json_object_get(type, "shape");
  const char *dtype = json_string_value(json_object_get(type, "dtype"));
  const Kind *kind = NULL;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (dtype && !strcmp(kinds[k].dtype, dtype)) kind = &kinds[k];
  if (!kind || !*name || strchr(name, '/') || !row_major(meta, shape)) return NULL;
  size_t n = 1, len;
  for (size_t k = 0; k < json_array_size(shape); k++) {
    json_int_t size = json_integer_value(json_array_get(shape, k));
    if (size < 0 || size > MAX_ELEMENTS || (n *= (size_t)size) > MAX_ELEMENTS) return NULL;
  }
  char *bytes = find(a, "data/constants/", name, (zip_uint64_t)MAX_ELEMENTS * 8, &len);
  json_t *out = bytes && len == n * kind->bytes ? json_array() : NULL;
  for (size_t k = 0; out && k < n; k++) json_array_append_new(out, value_at(bytes + k * kind->bytes, kind));
  free(bytes);
  return out;
}
