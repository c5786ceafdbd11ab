/* Shardings in the form of GSPMD, which JAX wrote before Shardy, and the custom calls that go between whole tensors and
 * blocks by them.
 *
 *     %1 = stablehlo.custom_call @Sharding(%0) {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"}
 *     %2 = stablehlo.custom_call @SPMDFullToShardShape(%1) {mhlo.sharding = "{manual}"}
 * The list behind `devices=` is how many tiles there are along each dimension; what goes beyond the tensor's rank counts
 * copies.  Then comes the device of each tile: as a list, or as numbers 0, 1, .. laid out as `<=[..]` says, transposed
 * (`T(..)`). */
#include "frontends/stablehlo/flow.h"

typedef struct List {
  int64_t at[MAX_RANK];
  uint32_t n;
} List;

/* `2,1,4` up to the closing bracket. */
static bool read_list(Scan *s, char close, List *out) {
  for (out->n = 0; !scan_try(s, close); out->n++) {
    if (out->n) scan_try(s, ',');
    if (out->n == MAX_RANK || !SCAN_IS(*s->p, SCAN_DIGIT) || !scan_int(s, &out->at[out->n])) return false;
  }
  return true;
}

static bool word(Scan *s, const char *w) {
  size_t n = strlen(w);
  scan_space(s);
  if (strncmp(s->p, w, n)) return false;
  s->p += n;
  return true;
}

/* The devices of `n` tiles, from `<=[4,2]T(1,0)` or `0,2,1,3`. */
static bool read_devices(Scan *s, int64_t n, int64_t *out) {
  List dims, perm = {.n = 0};
  int64_t total = 1, at[MAX_RANK] = {0}, stride[MAX_RANK];
  uint32_t seen = 0;
  if (!word(s, "<=[")) {
    for (int64_t k = 0; k < n; k++) {
      if (k) scan_try(s, ',');
      if (!SCAN_IS(*s->p, SCAN_DIGIT) || !scan_int(s, &out[k])) return false;
    }
    return true;
  }
  if (!read_list(s, ']', &dims) || dims.n > 32) return false;
  if (word(s, "T(") ? !read_list(s, ')', &perm) : false) return false;
  for (uint32_t k = dims.n; k-- > 0;) {
    stride[k] = total;
    if (dims.at[k] < 1 || __builtin_mul_overflow(total, dims.at[k], &total)) return false;
  }
  if (!perm.n)
    for (; perm.n < dims.n; perm.n++) perm.at[perm.n] = perm.n;
  for (uint32_t k = 0; k < perm.n; k++) {
    if (perm.n != dims.n || perm.at[k] >= dims.n || seen >> perm.at[k] & 1) return false;
    seen |= UINT32_C(1) << perm.at[k];
  }
  if (total != n) return false;
  for (int64_t k = 0; k < n; k++) {
    out[k] = 0;
    for (uint32_t d = 0; d < perm.n; d++) out[k] += at[d] * stride[perm.at[d]];
    for (uint32_t d = perm.n; d-- > 0 && ++at[d] == dims.at[perm.at[d]];) at[d] = 0;
  }
  return true;
}

bool tiles_read(Flow *f, Text t, const MlirType *whole, const Cut **out, bool *manual) {
  Scan s = f->m->scan;
  Sym text = text_unquote(t);
  List tiles;
  int64_t n = 1, reps = 1;
  s.p = sym_text(text);
  *out = NULL;
  *manual = false;
  if (!word(&s, "{")) return false;
  if (word(&s, "replicated}")) return true;
  if (word(&s, "maximal device=0}")) return f->m->n_partitions <= 1;
  if (word(&s, "manual}")) return *manual = true;
  if (!word(&s, "devices=[") || !read_list(&s, ']', &tiles) || tiles.n < whole->rank) return false;
  for (uint32_t d = 0; d < tiles.n; d++) {
    if (tiles.at[d] < 1 || __builtin_mul_overflow(n, tiles.at[d], &n) || n > MAX_DEVICES) return false;
    if (d >= whole->rank) reps *= tiles.at[d];
  }
  int64_t *devices = ARENA_ARRAY(f->arena, int64_t, n), *tile = ARENA_ARRAY(f->arena, int64_t, n);
  if (!read_devices(&s, n, devices) || strstr(s.p, "unreduced") || strstr(s.p, "unknown")) return false;
  memset(tile, -1, (size_t)n * sizeof *tile);
  for (int64_t k = 0; k < n; k++) {
    if (devices[k] < 0 || devices[k] >= n || tile[devices[k]] >= 0) return false;
    tile[devices[k]] = k / reps;
  }
  return n == reps || (*out = cut_of_tiles(f, whole, tiles.at, tile, devices, n, NULL, 0)) != NULL;
}

TilesCall tiles_call(const MlirOp *op) {
  static const char *const names[] = {[TILES_ASK] = "Sharding", [TILES_ENTER] = "SPMDFullToShardShape",
                                      [TILES_LEAVE] = "SPMDShardToFullShape"};
  if (op->n_args != 1 || op->n_results != 1 || !text_equals(op->op, "stablehlo.custom_call")) return TILES_NOTHING;
  for (uint32_t k = 0; k < op->n_attrs; k++) {
    if (!text_equals(op->attrs[k].name, ATTR_SYMBOL) && !text_equals(op->attrs[k].name, "call_target_name")) continue;
    const char *target = sym_text(text_unquote(op->attrs[k].value));
    for (int c = TILES_ASK; c <= TILES_LEAVE; c++)
      if (!strcmp(target, names[c])) return (TilesCall)c;
  }
  return TILES_NOTHING;
}

static bool same_block(const MlirType *block, const Cut *c, const MlirType *whole) {
  return block->dtype == whole->dtype && block->rank == whole->rank &&
         !memcmp(block->dims, c ? c->dims : whole->dims, whole->rank * sizeof *whole->dims);
}

bool become_tiles(Low *l) {
  Flow *f = l->f;
  Bound b = *flow_args(l);
  const MlirType *in = low_type(l, 0), *out = low_out(l);
  const MlirAttr *a = low_attr(l, "mhlo.sharding", NULL);
  const Cut *cut = NULL;
  bool manual = false, read = a && tiles_read(f, a->value, l->op->n_results ? out : in, &cut, &manual);
  switch (tiles_call(l->op)) {
    case TILES_ASK: /* one that is not read is a wish of the partitioner */
      if (!mlir_type_equal(in, out)) return LOW_ERROR(l, E_SHAPE, "an annotation changes the shape");
      if (read && !manual) b.asked = cut;
      break;
    case TILES_ENTER:
      cut = b.asked;
      if (!same_block(out, cut, in)) return LOW_ERROR(l, E_SHAPE, "the result is not the block that the operand's "
                                                                  "annotation cuts it into");
      if (cut && !cut_devices(f, l->op, NULL, cut->n_devices)) return false;
      if (!cut_block(l, &b, in, cut)) return false;
      break;
    case TILES_LEAVE:
      if (!read || manual || !same_block(in, cut, out))
        return LOW_ERROR(l, E_SHAPE, "the operand is not the block that the annotation cuts the result into");
      if (cut && !cut_devices(f, l->op, NULL, cut->n_devices)) return false;
      if (!cut_whole(l, &b, in)) return false;
      b = (Bound){.node = b.node, .cut = cut};
      break;
    default: return false;
  }
  f->values.at[l->base + l->op->result] = b;
  return true;
}
