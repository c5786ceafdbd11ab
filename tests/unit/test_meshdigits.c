/* Mesh digits: positions in replica groups and per-device vectors, for several axes and device orders. */
#include "eval/digits/meshdigits.h"

#include <stdio.h>

static int failures;
#define CHECK(x) \
  do { \
    if (!(x)) printf("%s:%d: %s\n", __FILE__, __LINE__, #x), failures++; \
  } while (0)

typedef struct Fix {
  Axis axes[3];
  int64_t order[16];
  Mesh mesh;
} Fix;

static void mesh(Fix *f, uint32_t n_axes, const int64_t *sizes, const int64_t *order) {
  f->mesh = (Mesh){n_axes, f->axes, 1, f->order};
  for (uint32_t a = 0; a < n_axes; a++) f->axes[a] = (Axis){0, sizes[a]}, f->mesh.n_devices *= sizes[a];
  for (int64_t i = 0; i < f->mesh.n_devices; i++) f->order[i] = order ? order[i] : i;
}

static Attr groups(int64_t size, uint32_t n, const int64_t *devices) {
  return (Attr){.kind = ATTR_GROUPS, .i = size, .n = n, .ints = devices};
}

/* The position as sizes and strides of its digits: "2@4 2@1", "" for groups of one, "-" if irregular. */
static const char *position(MeshDigits *md, Attr g, char *buf) {
  MeshList l;
  size_t at = 0;
  if (!meshdigits_position(md, &g, &l)) return "-";
  buf[0] = 0;
  for (uint32_t i = 0; i < l.n; i++) {
    const MeshDigit *d = meshdigits_get(md, l.digit[i]);
    at += (size_t)snprintf(buf + at, 100 - at, "%s%lld@%lld", i ? " " : "", (long long)d->size, (long long)d->stride);
  }
  return buf;
}
#define POSITION(text, size, ...) do { \
    int64_t l_[] = {__VA_ARGS__}; \
    Attr g_ = groups(size, sizeof l_ / sizeof *l_, l_); \
    char b_[100]; \
    meshdigits_need_groups(md, &g_); \
    meshdigits_settle(md); \
    CHECK(!strcmp(position(md, g_, b_), text)); \
  } while (0)

static void two_axes(void) { /* dp 2 x tp 4, devices in order */
  Fix f;
  mesh(&f, 2, (int64_t[]){2, 4}, NULL);
  MeshDigits *md = meshdigits_new(&f.mesh);
  POSITION("", 1, 0, 1, 2, 3, 4, 5, 6, 7);
  POSITION("4@1", 4, 0, 1, 2, 3, 4, 5, 6, 7);
  POSITION("4@1", 4, 4, 5, 6, 7, 0, 1, 2, 3);
  POSITION("2@4", 2, 0, 4, 1, 5, 2, 6, 3, 7);
  POSITION("2@4 4@1", 8, 0, 1, 2, 3, 4, 5, 6, 7);
  POSITION("4@1 2@4", 8, 0, 4, 1, 5, 2, 6, 3, 7);
  CHECK(meshdigits_count(md) == 2);
  POSITION("2@1", 2, 0, 1, 2, 3, 4, 5, 6, 7); /* cuts tp in two */
  CHECK(meshdigits_count(md) == 3);
  POSITION("2@2 2@1", 4, 0, 1, 2, 3, 4, 5, 6, 7);
  POSITION("2@1 2@2", 4, 0, 2, 1, 3, 4, 6, 5, 7);
  POSITION("2@4 2@2", 4, 0, 2, 4, 6, 1, 3, 5, 7);
  /* irregular: reversed, unequal groups, one device twice, none at all, a device too many */
  POSITION("-", 2, 1, 0, 2, 3, 4, 5, 6, 7);
  POSITION("-", 2, 0, 1, 2, 3, 4, 6, 5, 7);
  POSITION("-", 2, 0, 1, 2, 3, 4, 5, 6, 6);
  POSITION("-", 4, 0, 1, 2, 3);
  POSITION("-", 4, 0, 3, 1, 2, 4, 7, 5, 6);
  POSITION("-", 4, 0, 1, 2, 9, 4, 5, 6, 7);
  POSITION("-", 4, 3, 2, 1, 0, 7, 6, 5, 4);
  POSITION("-", 4, 0, 1, 4, 7, 2, 3, 6, 5);
  uint32_t first;
  CHECK(meshdigits_axis(md, 0, &first) == 1 && first == 0);
  CHECK(meshdigits_axis(md, 1, &first) == 2 && first == 1);
  CHECK(meshdigits_value(md, 0, 6) == 1 && meshdigits_value(md, 1, 6) == 1 && meshdigits_value(md, 2, 6) == 0);
  meshdigits_free(md);
}

static void device_order(void) { /* a, b, c = 2 x 2 x 2; devices number (c, a, b) */
  Fix f;
  int64_t order[8];
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++)
      for (int c = 0; c < 2; c++) order[a * 4 + b * 2 + c] = c * 4 + a * 2 + b;
  mesh(&f, 3, (int64_t[]){2, 2, 2}, order);
  MeshDigits *md = meshdigits_new(&f.mesh);
  POSITION("2@1", 2, 0, 4, 1, 5, 2, 6, 3, 7);
  POSITION("2@4 2@2", 4, 0, 1, 2, 3, 4, 5, 6, 7);
  POSITION("2@4 2@1", 4, 0, 4, 2, 6, 1, 5, 3, 7);
  POSITION("-", 2, 0, 7, 1, 6, 2, 5, 3, 4);
  Arena arena = {0};
  MeshForm form;
  CHECK(meshdigits_refit(md, (int64_t[]){0, 1, 2, 3, 4, 5, 6, 7}, &arena, &form));
  CHECK(form.constant == 0 && form.weight[0] == 2 && form.weight[1] == 1 && form.weight[2] == 4);
  CHECK(!meshdigits_refit(md, (int64_t[]){0, 0, 0, 1, 0, 0, 0, 1}, &arena, &form));
  arena_free(&arena);
  meshdigits_free(md);
}

static void vectors(void) { /* tp 12 */
  Fix f;
  Arena arena = {0};
  MeshForm form;
  int64_t v[12];
  mesh(&f, 2, (int64_t[]){1, 12}, NULL);
  MeshDigits *md = meshdigits_new(&f.mesh);
  for (int i = 0; i < 12; i++) v[i] = 7 - 3 * i;
  CHECK(meshdigits_need_values(md, v));
  for (int i = 0; i < 12; i++) v[i] = i % 6 / 2 * 8;
  CHECK(meshdigits_need_values(md, v)); /* 2 x 3 x 2 */
  CHECK(!meshdigits_refit(md, v, &arena, &form));
  meshdigits_settle(md);
  CHECK(meshdigits_count(md) == 3);
  CHECK(meshdigits_refit(md, v, &arena, &form) && form.constant == 0);
  CHECK(form.weight[0] == 0 && form.weight[1] == 8 && form.weight[2] == 0);
  for (int i = 0; i < 12; i++) v[i] = i % 4;
  CHECK(!meshdigits_need_values(md, v)); /* 4 does not fit 2 x 3 x 2 */
  CHECK(!meshdigits_need_values(md, v));
  for (int i = 0; i < 12; i++) v[i] = i * i;
  CHECK(!meshdigits_need_values(md, v));
  for (int i = 0; i < 12; i++) v[i] = i ? INT64_MAX : INT64_MIN;
  CHECK(!meshdigits_need_values(md, v) && !meshdigits_refit(md, v, &arena, &form));
  meshdigits_settle(md);
  CHECK(meshdigits_count(md) == 3);
  uint32_t first;
  CHECK(meshdigits_axis(md, 0, &first) == 0);
  arena_free(&arena);
  meshdigits_free(md);
}

static void odd_factors(void) { /* an axis of 6 cut as 3 x 2, and not as 2 x 3 as well */
  Fix f;
  mesh(&f, 1, (int64_t[]){6}, NULL);
  MeshDigits *md = meshdigits_new(&f.mesh);
  POSITION("2@1", 2, 0, 1, 2, 3, 4, 5);
  POSITION("-", 3, 0, 1, 2, 3, 4, 5);
  POSITION("3@2", 3, 0, 2, 4, 1, 3, 5);
  meshdigits_free(md);
}

int main(void) {
  two_axes();
  device_order();
  vectors();
  odd_factors();
  return failures != 0;
}
