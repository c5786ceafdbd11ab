/* Tensors: TensorProto as one run of bytes, whichever of its fields or files holds the values. */
#include <math.h>
#include <string.h>

#include "frontends/onnx/model.h"

static const uint8_t types[] = {
    DT_OPAQUE, DT_F32, DT_U8, DT_S8, DT_U16, DT_S16, DT_S32, DT_S64, DT_OPAQUE, DT_PRED, DT_F16, DT_F64, DT_U32, DT_U64,
    DT_OPAQUE, DT_OPAQUE, DT_BF16, DT_OPAQUE, DT_OPAQUE, DT_OPAQUE, DT_OPAQUE, DT_U4, DT_S4};

DType onnx_dtype(int64_t code) {
  return code >= 0 && (size_t)code < sizeof types ? (DType)types[code] : DT_OPAQUE;
}

/* Bytes of n elements; truth values take one each. */
static size_t bytes_of(uint8_t dtype, int64_t n) {
  int bits = dtype == DT_PRED ? 8 : dtype_bits((DType)dtype);
  return bits == 4 ? ((size_t)n + 1) / 2 : (size_t)n * (size_t)bits / 8;
}

static bool fail(OnnxModel *m, const OnnxTensor *t, DiagCode code, const char *what) {
  return onnx_error(m, 0, code, "tensor '%s': %s", sym_text(t->name), what);
}

static bool read_dims(OnnxModel *m, Bytes message, OnnxTensor *t) {
  const uint64_t *v;
  size_t n;
  if (!onnx_numbers(m, message, 1, WIRE_VARINT, &v, &n)) return false;
  if (n > ONNX_MAX_RANK) return fail(m, t, E_LIMIT, "more than 32 dimensions");
  int64_t *dims = ARENA_ARRAY(&m->arena, int64_t, n);
  t->n = 1;
  for (size_t k = 0; k < n; k++) {
    dims[k] = (int64_t)v[k];
    if (dims[k] < 0 || (dims[k] && t->n > (INT64_C(1) << 40) / dims[k])) return fail(m, t, E_SIZE, "its size is too large");
    t->n *= dims[k];
  }
  t->rank = (uint32_t)n;
  t->dims = dims;
  return true;
}

/* Values in a field for their type, as bytes. */
static bool read_typed(OnnxModel *m, Bytes message, uint32_t field, WireType type, OnnxTensor *t) {
  const uint64_t *v;
  size_t n, size = dtype_bits((DType)t->dtype) < 8 ? 1 : (size_t)dtype_bits((DType)t->dtype) / 8;
  if (!onnx_numbers(m, message, field, type, &v, &n)) return false;
  uint8_t *to = ARENA_ARRAY(&m->arena, uint8_t, n * size + 1);
  for (size_t k = 0; k < n; k++)
    for (size_t b = 0; b < size; b++) to[k * size + b] = (uint8_t)(v[k] >> 8 * b);
  t->data = (Bytes){to, n * size};
  return true;
}

static bool read_values(OnnxModel *m, Bytes message, OnnxTensor *t) {
  switch (t->dtype) {
    case DT_F32: return read_typed(m, message, 4, WIRE_32, t);
    case DT_F64: return read_typed(m, message, 10, WIRE_64, t);
    case DT_S64: return read_typed(m, message, 7, WIRE_VARINT, t);
    case DT_U32:
    case DT_U64: return read_typed(m, message, 11, WIRE_VARINT, t);
    default: return read_typed(m, message, 5, WIRE_VARINT, t);
  }
}

typedef struct External {
  Bytes location, offset, length;
} External;

static bool read_entry(OnnxModel *m, Bytes message, External *e) {
  Bytes key = {0}, value = {0};
  Wire w = {message, NULL};
  WireField f;
  while (wire_next(&w, &f)) {
    if (f.number == 1 && f.type == WIRE_BYTES) key = f.bytes;
    if (f.number == 2 && f.type == WIRE_BYTES) value = f.bytes;
  }
  if (key.len == 8 && !memcmp(key.at, "location", 8)) e->location = value;
  if (key.len == 6 && !memcmp(key.at, "offset", 6)) e->offset = value;
  if (key.len == 6 && !memcmp(key.at, "length", 6)) e->length = value;
  return onnx_whole(m, &w);
}

static bool decimal(Bytes b, size_t otherwise, size_t *out) {
  *out = b.len ? 0 : otherwise;
  for (size_t k = 0; k < b.len; k++)
    if (b.at[k] < '0' || b.at[k] > '9' || *out > (SIZE_MAX - 9) / 10) return false;
    else *out = *out * 10 + (b.at[k] - '0');
  return true;
}

static bool read_external(OnnxModel *m, const External *e, OnnxTensor *t) {
  Bytes file;
  size_t offset, length;
  if (!onnx_external(m, t->name, e->location, &file)) return false;
  bool fits = decimal(e->offset, 0, &offset) && offset <= file.len && decimal(e->length, file.len - offset, &length);
  if (!fits || length > file.len - offset) return fail(m, t, E_GRAPH_SYNTAX, "its values are not within their file");
  t->data = (Bytes){file.at + offset, length};
  return true;
}

bool onnx_tensor_read(OnnxModel *m, Bytes message, OnnxTensor *t) {
  External external = {0};
  bool outside = false, raw = false, strings = false;
  Wire w = {message, NULL};
  WireField f;
  bool ok = true;
  *t = (OnnxTensor){.dtype = DT_OPAQUE};
  while (ok && wire_next(&w, &f)) {
    if (f.number == 2 && f.type == WIRE_VARINT) t->dtype = (uint8_t)onnx_dtype((int64_t)f.value);
    if (f.number == 6) strings = true;
    if (f.number == 8 && f.type == WIRE_BYTES) ok = onnx_name(m, f.bytes, &t->name);
    if (f.number == 9 && f.type == WIRE_BYTES) raw = true, t->data = f.bytes;
    if (f.number == 13 && f.type == WIRE_BYTES) ok = read_entry(m, f.bytes, &external);
    if (f.number == 14 && f.type == WIRE_VARINT) outside = f.value == 1;
  }
  if (!ok || !onnx_whole(m, &w) || !read_dims(m, message, t)) return false;
  if (strings) t->dtype = DT_OPAQUE;
  if (t->dtype == DT_OPAQUE) return true; /* whoever uses it says so */
  if (outside ? !read_external(m, &external, t) : !raw && !read_values(m, message, t)) return false;
  return t->data.len == bytes_of(t->dtype, t->n) ||
         fail(m, t, E_SHAPE, "the number of its values is not that of its shape");
}

/* ------------------------------------------------------------------ elements */
static uint64_t bits_at(const OnnxTensor *t, int64_t k) {
  int bits = t->dtype == DT_PRED ? 8 : dtype_bits((DType)t->dtype);
  if (bits == 4) return t->data.at[k / 2] >> (k % 2 ? 4 : 0) & 15;
  uint64_t v = 0;
  for (int b = 0; b < bits / 8; b++) v |= (uint64_t)t->data.at[(size_t)k * (size_t)bits / 8 + (size_t)b] << 8 * b;
  return v;
}

/* A half: sign, `e` bits of exponent, the rest fraction. */
static double half(uint64_t v, int e) {
  int f = 15 - e, bias = (1 << (e - 1)) - 1, exponent = (int)(v >> f) & ((1 << e) - 1);
  double fraction = (double)(v & ((UINT64_C(1) << f) - 1)), one = (double)(UINT64_C(1) << f), sign = v >> 15 ? -1 : 1;
  if (exponent == (1 << e) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp(1 + fraction / one, exponent - bias) : ldexp(fraction / one, 1 - bias));
}

double onnx_tensor_double(const OnnxTensor *t, int64_t k) {
  uint64_t v = bits_at(t, k);
  uint32_t low = (uint32_t)v;
  float single;
  double d;
  switch (t->dtype) {
    case DT_F32: memcpy(&single, &low, 4); return (double)single;
    case DT_F64: memcpy(&d, &v, 8); return d;
    case DT_F16: return half(v, 5);
    case DT_BF16: return half(v, 8);
    default: return rat_to_double(onnx_tensor_rat(t, k));
  }
}

Rat onnx_tensor_rat(const OnnxTensor *t, int64_t k) {
  uint64_t v = bits_at(t, k);
  int bits = dtype_bits((DType)t->dtype);
  if (t->dtype == DT_PRED) return v ? RAT_1 : RAT_0;
  if (dtype_is_float((DType)t->dtype)) {
    double d = onnx_tensor_double(t, k);
    return isnan(d) ? RAT_NAN : isinf(d) ? (d < 0 ? RAT_NEG_INF : RAT_POS_INF) : rat_from_double(d);
  }
  if (dtype_kind((DType)t->dtype) == DK_INT) return rat_int((int64_t)(v << (64 - bits)) >> (64 - bits));
  return rat_add(rat_mul(rat_int((int64_t)(v >> 32)), rat_int(INT64_C(1) << 32)), rat_int((int64_t)(v & UINT32_MAX)));
}
