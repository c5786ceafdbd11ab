/* Elementwise operators, constants, contractions, and what stays opaque. */
#include "frontends/base/config.h"
#include "frontends/base/custom.h"
#include "frontends/base/decimal.h"
#include "frontends/stablehlo/flow.h"

static bool same_dims(const MlirType *a, const MlirType *b) {
  return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

/* Nothing behind the reader compares these dimensions; a predicate or a bound may be a scalar. */
static bool check_dims(Low *l) {
  bool select = l->what == sym("select"), clamp = l->what == sym("clamp");
  for (uint32_t k = 0; k < l->op->n_args; k++) {
    const MlirType *t = low_type(l, k);
    bool scalar = !t->rank && ((select && k == 0) || (clamp && k != 1));
    if (!scalar && !same_dims(t, low_out(l)))
      return LOW_ERROR(l, E_SHAPE, "operand %u of %.*s has not the dimensions of the result", k, (int)l->op->op.len,
                       l->op->op.at);
  }
  return true;
}

bool become_elementwise(Low *l) { return check_dims(l) && low_results(l); }
bool become_plain(Low *l) { return low_results(l); }

bool become_compare(Low *l) {
  const MlirAttr *a = low_attr(l, "comparison_direction", NULL);
  Text d = {0};
  if (a) {
    d = low_enum(a->value);
  } else {
    for (uint32_t k = 0; k < l->op->n_attrs; k++) { /* `EQ` and perhaps `SIGNED` */
      const MlirAttr *w = &l->op->attrs[k];
      if (!text_equals(w->name, ATTR_WORD)) continue;
      l->used |= UINT64_C(1) << k;
      if (!d.len) d = w->value;
    }
  }
  low_attr(l, "compare_type", NULL);
  static const char *const directions[] = {"EQ", "NE", "LT", "LE", "GT", "GE"};
  for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
    if (text_equals(d, directions[k])) {
      low_add_sym(l, "direction", sym(directions[k]));
      return check_dims(l) && low_results(l);
    }
  return LOW_ERROR(l, E_ATTRIBUTE, "compare needs one of EQ, NE, LT, LE, GT, GE");
}

bool become_constant(Low *l) {
  const MlirAttr *a = low_attr(l, ATTR_VALUE, "value");
  const MlirType *t = low_out(l);
  Literal lit;
  Sym complex;
  if (!a) return LOW_ERROR(l, E_ATTRIBUTE, "the constant has no value");
  if (!dense_literal(l->f->m, a->value, t, &lit, &complex)) return false;
  if (complex) {
    low_add_sym(l, "value", complex);
    l->what = sym("complex_constant");
    return low_results(l);
  }
  NodeId id = low_node(l, sym("constant"), t->dtype, t->dims, t->rank, 0, NULL, 0, NULL, 0);
  l->f->g->nodes.at[id].literal = arena_copy(l->f->arena, &lit, sizeof lit);
  low_set(l, 0, id);
  return true;
}

bool become_fourier(Low *l) {
  const MlirAttr *type = low_attr(l, "type", "fft_type");
  const int64_t *lengths;
  uint32_t n;
  if (!type) return LOW_ERROR(l, E_ATTRIBUTE, "fft needs one of FFT, IFFT, RFFT, IRFFT");
  if (!low_ints(l, "length", "fft_length", true, &lengths, &n)) return false;
  Text t = low_enum(type->value);
  low_add_sym(l, "fft_type", sym_n(t.at, t.len));
  low_add_ints(l, "fft_length", lengths, n);
  return low_results(l);
}

bool become_square(Low *l) {
  NodeId twice[2] = {l->args[0], l->args[0]};
  if (!check_dims(l)) return false;
  l->args = twice;
  l->n_args = 2;
  return low_results(l);
}

/* erfc(x) = 1 - erf(x) */
bool become_erfc(Low *l) {
  const MlirType *t = low_out(l);
  if (!check_dims(l)) return false;
  NodeId one = low_constant(l, t, RAT_1);
  NodeId erf = low_node(l, sym("erf"), t->dtype, t->dims, t->rank, 0, l->args, 1, NULL, 0);
  NodeId both[2] = {one, erf};
  l->args = both;
  l->n_args = 2;
  l->what = sym("subtract");
  return low_results(l);
}

bool become_top_k(Low *l) {
  int64_t k, last = low_type(l, 0)->rank - 1;
  if (!low_int(l, "k", NULL, true, 0, &k)) return false;
  if (l->op->n_results != 2 || last < 0 || low_out(l)->rank != last + 1 || low_out(l)->dims[last] != k)
    return LOW_ERROR(l, E_SHAPE, "the results are not the k largest of the last dimension");
  low_add_int(l, "k", k);
  low_add_int(l, "largest", 1);
  if (k <= 1) return low_results(l);
  const MlirType *t = low_out(l), *places = l->op->types[1]; /* the largest values are the operand's at their places */
  NodeId both[] = {l->args[0], low_node(l, l->what, places->dtype, places->dims, places->rank, 1, l->args, l->n_args,
                                        l->attrs, l->n_attrs)};
  Attr a = {.name = sym("dimensions"), .kind = ATTR_INTS, .n = 1, .ints = &last};
  low_set(l, 0, low_node(l, sym("take_along"), t->dtype, t->dims, t->rank, 0, both, 2, &a, 1));
  low_set(l, 1, both[1]);
  return true;
}

/* "[0, 1] x [2, 3]" onto two attributes. */
static bool both_sides(Low *l, const char *name, const char *lhs, const char *rhs) {
  const MlirAttr *a = low_attr(l, name, NULL);
  const int64_t *ints;
  uint32_t n;
  Text left = {0}, right = {0};
  if (a) {
    const char *x = memchr(a->value.at, ']', a->value.len), *end = a->value.at + a->value.len;
    left = (Text){a->value.at, x ? (uint32_t)(x + 1 - a->value.at) : 0};
    const char *q = x ? memchr(x, '[', (size_t)(end - x)) : NULL;
    if (!q) return LOW_ERROR(l, E_ATTRIBUTE, "'%s' is not '[..] x [..]'", name);
    right = (Text){q, (uint32_t)(end - q)};
  }
  if (!dense_ints(l->f->m, left, &ints, &n, NULL)) return false;
  low_add_ints(l, lhs, ints, n);
  if (!dense_ints(l->f->m, right, &ints, &n, NULL)) return false;
  low_add_ints(l, rhs, ints, n);
  return true;
}

bool become_dot_general(Low *l) {
  static const char *const from[] = {"lhs_batching_dimensions", "rhs_batching_dimensions", "lhs_contracting_dimensions",
                                     "rhs_contracting_dimensions"};
  static const char *const to[] = {"lhs_batch_dims", "rhs_batch_dims", "lhs_contracting_dims", "rhs_contracting_dims"};
  const MlirAttr *numbers = low_attr(l, "dot_dimension_numbers", NULL);
  if (!numbers)
    return both_sides(l, "batching_dims", to[0], to[1]) && both_sides(l, "contracting_dims", to[2], to[3]) &&
           low_results(l);
  for (int k = 0; k < 4; k++) {
    Text v = {0};
    const int64_t *ints;
    uint32_t n;
    text_field(&l->f->m->scan, numbers->value, from[k], &v);
    if (!dense_ints(l->f->m, v, &ints, &n, NULL)) return false;
    low_add_ints(l, to[k], ints, n);
  }
  return low_results(l);
}

bool become_dot(Low *l) {
  int64_t lhs = low_type(l, 0)->rank - 1, rhs = 0;
  if (lhs < 0 || !low_type(l, 1)->rank) return LOW_ERROR(l, E_SHAPE, "dot of a scalar");
  low_add_ints(l, "lhs_batch_dims", NULL, 0);
  low_add_ints(l, "rhs_batch_dims", NULL, 0);
  low_add_ints(l, "lhs_contracting_dims", &lhs, 1);
  low_add_ints(l, "rhs_contracting_dims", &rhs, 1);
  return low_results(l);
}

/* One of [b, 0, 1, f]: positions of two letters and of the numbered dimensions. */
static bool dim_list(Low *l, Scan *s, const char letters[2], int64_t pos[2], int64_t *spatial, uint32_t *n) {
  int64_t at = 0, total = 0;
  pos[0] = pos[1] = -1;
  for (int k = 0; k < MAX_RANK; k++) spatial[k] = -1;
  if (!scan_expect(s, '[', "in dimension numbers")) return false;
  for (; !scan_try(s, ']'); at++) {
    int64_t d;
    if (at && !scan_expect(s, ',', "between dimension numbers")) return false;
    scan_space(s);
    if (*s->p == letters[0] || *s->p == letters[1]) {
      pos[*s->p++ == letters[1]] = at;
    } else if (*s->p == '?') {
      return LOW_ERROR(l, E_UNSUPPORTED, "a convolution with dimensions of no use");
    } else if (!scan_int(s, &d)) {
      return false;
    } else if (d < 0 || d >= MAX_RANK || spatial[d] >= 0) {
      return LOW_ERROR(l, E_ATTRIBUTE, "a dimension is named twice, or is none");
    } else {
      spatial[d] = at;
      total++;
    }
  }
  for (int64_t k = 0; k < total; k++)
    if (spatial[k] < 0) return LOW_ERROR(l, E_ATTRIBUTE, "the spatial dimensions are not numbered from 0");
  *n = (uint32_t)total;
  return pos[0] >= 0 && pos[1] >= 0 ? true : LOW_ERROR(l, E_ATTRIBUTE, "expected '%c' and '%c' in dimension numbers",
                                                        letters[0], letters[1]);
}

/* A list of the window: under its name in the generic form, or within `window = {..}`. */
static bool window_list(Low *l, Text window, const char *inner, const char *name, uint32_t n, uint32_t columns,
                        int64_t otherwise, int64_t *out) {
  Text v = {0};
  const int64_t *ints = NULL;
  uint32_t have = 0;
  const MlirAttr *a = low_attr(l, name, NULL);
  if (a) v = a->value;
  else if (window.len) text_field(&l->f->m->scan, window, inner, &v);
  if (v.len && !dense_ints(l->f->m, v, &ints, &have, NULL)) return false;
  if (v.len && have != n * columns)
    return LOW_ERROR(l, E_ATTRIBUTE, "'%s' has not an entry per spatial dimension", name);
  for (uint32_t k = 0; k < n * columns; k++) out[k] = v.len ? ints[k] : otherwise;
  return true;
}

bool become_convolution(Low *l) {
  static const struct { const char *letters, *name[2], *spatial; } sides[] = {
      {"bf", {"input_batch_dimension", "input_feature_dimension"}, "input_spatial_dimensions"},
      {"io", {"kernel_input_feature_dimension", "kernel_output_feature_dimension"}, "kernel_spatial_dimensions"},
      {"bf", {"output_batch_dimension", "output_feature_dimension"}, "output_spatial_dimensions"},
  };
  static const struct { const char *inner, *name, *to; int64_t otherwise; } lists[] = {
      {"stride", "window_strides", "window_strides", 1}, {"lhs_dilate", "lhs_dilation", "lhs_dilation", 1},
      {"rhs_dilate", "rhs_dilation", "rhs_dilation", 1}, {"reverse", "window_reversal", "window_reversal", 0}};
  const MlirAttr *numbers = low_attr(l, "dim_numbers", "dimension_numbers"), *w = low_attr(l, "window", NULL);
  const MlirType *kernel = low_type(l, 1);
  if (!numbers) return LOW_ERROR(l, E_ATTRIBUTE, "convolution needs dim_numbers");
  Scan s = l->f->m->scan;
  s.p = memchr(numbers->value.at, '[', numbers->value.len);
  if (!s.p) return LOW_ERROR(l, E_ATTRIBUTE, "dim_numbers are not '[..]x[..]->[..]'");
  uint32_t n[3];
  int64_t size[MAX_RANK], spatial[3][MAX_RANK];
  for (int k = 0; k < 3; k++) {
    int64_t pos[2];
    if (k && !(k == 1 ? scan_expect(&s, 'x', "in dimension numbers")
                      : scan_expect(&s, '-', "in dimension numbers") && scan_expect(&s, '>', "in dimension numbers")))
      return false;
    if (!dim_list(l, &s, sides[k].letters, pos, spatial[k], &n[k])) return false;
    for (int j = 0; j < 2; j++) low_add_int(l, sides[k].name[j], pos[j]);
    low_add_ints(l, sides[k].spatial, spatial[k], n[k]);
  }
  if (n[0] != n[1] || n[0] != n[2] || n[0] + 2 != kernel->rank)
    return LOW_ERROR(l, E_ATTRIBUTE, "input, kernel and output have different numbers of spatial dimensions");
  for (uint32_t k = 0; k < n[0]; k++) size[k] = kernel->dims[spatial[1][k]];
  low_add_ints(l, "window_size", size, n[0]);
  Text window = w ? w->value : (Text){0};
  int64_t list[2 * MAX_RANK], low[MAX_RANK], high[MAX_RANK];
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    if (!window_list(l, window, lists[k].inner, lists[k].name, n[0], 1, lists[k].otherwise, list)) return false;
    low_add_ints(l, lists[k].to, list, n[0]);
  }
  if (!window_list(l, window, "pad", "padding", n[0], 2, 0, list)) return false;
  for (uint32_t k = 0; k < n[0]; k++) low[k] = list[2 * k], high[k] = list[2 * k + 1];
  low_add_ints(l, "window_low", low, n[0]);
  low_add_ints(l, "window_high", high, n[0]);
  int64_t count;
  if (!low_int(l, "feature_group_count", NULL, false, 1, &count)) return false;
  low_add_int(l, "feature_group_count", count);
  if (!low_int(l, "batch_group_count", NULL, false, 1, &count)) return false;
  low_add_int(l, "batch_group_count", count);
  return low_results(l);
}

bool become_batch_norm(Low *l) {
  const MlirAttr *e = low_attr(l, "epsilon", NULL);
  int64_t feature;
  Rat r;
  uint32_t n = 0;
  if (!e || !low_int(l, "feature_index", NULL, true, 0, &feature))
    return LOW_ERROR(l, E_ATTRIBUTE, "batch normalisation needs epsilon and feature_index");
  while (n < e->value.len && (SCAN_IS(e->value.at[n], SCAN_NAME) || e->value.at[n] == '+')) n++;
  if (decimal_read(e->value.at, n, DT_F32, &r) != DECIMAL_OK || !rat_is_finite(r))
    return LOW_ERROR(l, E_NUMBER, "epsilon is no finite number");
  low_add(l, (Attr){.name = sym("epsilon"), .kind = ATTR_RAT, .r = r});
  low_add_int(l, "feature_index", feature);
  return low_results(l);
}

/* Everything that is written goes along. */
bool become_opaque(Low *l) {
  low_rest(l, false);
  l->used = ~UINT64_C(0);
  return region_opaque(l) && low_results(l);
}

/* No function of its operands: it differs from every other node, and from device to device. */
bool become_unique(Low *l) {
  Flow *f = l->f;
  low_add_sym(l, "unique", sym(arena_printf(f->arena, "%u:%s:%zu", f->m->scan.source, sym_text(l->op->name),
                                            f->g->nodes.len)));
  if (f->n_devices != 1) {
    if (f->device == NO_NODE) f->device = low_node(l, sym("partition_id"), DT_U32, NULL, 0, 0, NULL, 0, NULL, 0);
    NodeId *args = ARENA_ARRAY(f->arena, NodeId, l->n_args + 1);
    memcpy(args, l->args, l->n_args * sizeof *args);
    args[l->n_args++] = f->device;
    l->args = args;
  }
  low_rest(l, false);
  l->used = ~UINT64_C(0);
  return low_results(l);
}

bool become_refuse(Low *l) {
  return LOW_ERROR(l, E_UNSUPPORTED, "%.*s is not read", (int)l->op->op.len, l->op->op.at);
}

bool become_token(Low *l) {
  (void)l;
  return true;
}

bool custom_is_function(Low *l) {
  const MlirAttr *target = low_attr(l, ATTR_SYMBOL, "call_target_name"), *effect = low_attr(l, "has_side_effect", NULL);
  const MlirAttr *called = low_attr(l, "called_computations", NULL);
  bool calls = called && memchr(called->value.at, '@', called->value.len);
  if (!target || calls || (effect && text_equals(effect->value, "true"))) return false;
  return !tiles_call(l->op) && !custom_annotates(sym_text(text_unquote(target->value)));
}

/* The entries of a configuration that is a dictionary; an empty one says nothing. */
static void add_config(Low *l, const char *name) {
  for (uint32_t k = 0; k < l->op->n_attrs; k++) {
    const MlirAttr *a = &l->op->attrs[k];
    if (!text_equals(a->name, name)) continue;
    Attrs entries = {0};
    bool read = text_equals(a->value, "\"\"") || config_read(a->value, l->f->arena, &entries);
    if (read && l->n_attrs + entries.len + l->op->n_attrs <= sizeof l->attrs / sizeof *l->attrs) {
      for (size_t i = 0; i < entries.len; i++) low_add(l, entries.at[i]);
      l->used |= UINT64_C(1) << k;
    }
    vec_free(&entries);
  }
}

bool become_custom(Low *l) {
  const MlirAttr *target = low_attr(l, ATTR_SYMBOL, "call_target_name"), *effect = low_attr(l, "has_side_effect", NULL);
  const MlirAttr *called = low_attr(l, "called_computations", NULL);
  if (!target) return LOW_ERROR(l, E_ATTRIBUTE, "a custom call names no target");
  if (called && memchr(called->value.at, '@', called->value.len))
    return LOW_ERROR(l, E_UNSUPPORTED, "custom calls of functions are not read");
  Sym name = text_unquote(target->value);
  if (tiles_call(l->op)) return become_tiles(l);
  if (custom_annotates(sym_text(name)) && l->op->n_args == 1 && l->op->n_results == 1) {
    if (mlir_type_equal(low_type(l, 0), low_out(l))) return become_identity(l);
    LOW_ERROR(l, E_UNSUPPORTED, "%s changes the shape: the program is not partitioned yet", sym_text(name));
    diag_hint(l->f->diags, "lower it with Shardy, or read the HLO after the pass spmd-partitioning");
    return false;
  }
  if (!strcmp(sym_text(name), "mhlo.erf") && l->op->n_args == 1 && l->op->n_results == 1) {
    l->what = sym("erf");
    l->used = ~UINT64_C(0);
    return become_elementwise(l);
  }
  low_add_sym(l, "custom_call_target", name);
  static const char *const said[] = {"operand_layouts", "result_layouts", "api_version", "output_operand_aliases"};
  for (size_t k = 0; k < sizeof said / sizeof *said; k++) low_attr(l, said[k], NULL); /* nothing of values */
  add_config(l, "backend_config");
  add_config(l, "mhlo.backend_config");
  if (effect && text_equals(effect->value, "true")) return become_unique(l);
  return become_opaque(l);
}
