/* Types: tensors of fixed shape, and tokens.  Tuples, dynamic sizes and quantised elements are refused.
 *
 * A type's text is met again and again, so each is read once. */
#include <ctype.h>

#include "frontends/stablehlo/module.h"

/* i32, ui8, bf16, f8E4M3FN, complex<f32>. */
static bool element(Scan *s, DType *out) {
  Text t;
  if (!scan_name(s, &t, "an element type")) return false;
  char buf[32];
  size_t n = 0;
  if (TEXT_IS(t, "complex") && *s->p == '<') {
    s->p++;
    if (!element(s, out) || !scan_expect(s, '>', "behind the type of a complex number")) return false;
    if (*out == DT_F32) *out = DT_C64;
    else if (*out == DT_F64) *out = DT_C128;
    else return SCAN_ERROR(s, t.at, s->p, E_UNSUPPORTED, "complex numbers are of f32 or f64");
    return true;
  }
  if (TEXT_IS(t, "i1")) return *out = DT_PRED, true;
  if (TEXT_IS(t, "index")) return *out = DT_S64, true;
  if (*t.at == 'i' || (t.len > 2 && t.at[0] == 's' && t.at[1] == 'i')) {
    buf[n++] = 's';
  } else if (t.len > 2 && t.at[0] == 'u' && t.at[1] == 'i') {
    buf[n++] = 'u';
  } else {
    buf[n++] = *t.at;
  }
  for (uint32_t k = *t.at == 'u' || *t.at == 's' ? 2 : 1; k < t.len && n < sizeof buf; k++)
    buf[n++] = (char)tolower((unsigned char)t.at[k]);
  if (n < sizeof buf && dtype_parse(buf, n, out)) return true;
  return SCAN_ERROR(s, t.at, t.at + t.len, E_UNSUPPORTED, "element type '%.*s' is not read", (int)t.len, t.at);
}

static bool dynamic(Scan *s) {
  SCAN_ERROR(s, s->p, s->p + 1, E_UNSUPPORTED, "a dimension has no fixed size");
  diag_hint(s->diags, "tvr reads programs with static shapes only");
  return false;
}

/* Behind `tensor<`. */
static bool tensor(Scan *s, const char *lo, MlirType *out, int64_t *dims) {
  int64_t n = 1, d;
  DType dtype;
  for (out->rank = 0;;) {
    scan_space(s);
    if (*s->p == '?' || *s->p == '*') return dynamic(s);
    if (*s->p == '!') return SCAN_ERROR(s, s->p, s->p + 1, E_UNSUPPORTED, "elements of this type are not read");
    if (!SCAN_IS(*s->p, SCAN_DIGIT)) break;
    if (!scan_int(s, &d)) return false;
    if (*s->p != 'x') return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected 'x' behind a size");
    s->p++;
    if (out->rank == MAX_RANK) return SCAN_ERROR(s, lo, s->p, E_SIZE, "a shape has more than %d dimensions", MAX_RANK);
    if (d && __builtin_mul_overflow(n, d, &n))
      return SCAN_ERROR(s, lo, s->p, E_SIZE, "the shape has more elements than fit 64 bits");
    dims[out->rank++] = d;
  }
  if (!element(s, &dtype)) return false;
  out->dtype = (uint8_t)dtype;
  if (scan_try(s, ',')) {
    Text encoding;
    if (!text_value(s, &encoding)) return false;
    return SCAN_ERROR(s, encoding.at, s->p, E_UNSUPPORTED, "tensors with an encoding are not read");
  }
  return scan_expect(s, '>', "behind a tensor's type");
}

const MlirType *type_read(Scan *s, Arena *a, TextMap *known) {
  scan_space(s);
  const char *lo = s->p;
  static const char token[] = "!stablehlo.token";
  MlirType t = {.dtype = DT_TOKEN};
  int64_t dims[MAX_RANK];
  const void **slot = NULL;
  if (!strncmp(lo, token, sizeof token - 1)) {
    s->p += sizeof token - 1;
  } else if (!strncmp(lo, "tensor<", 7)) {
    const char *q = lo + 7;
    while (SCAN_IS(*q, SCAN_NAME) && *q != '-') q++;
    if (*q == '>') {
      slot = textmap_at(known, (Text){lo, (uint32_t)(q - lo)});
      if (*slot) return s->p = q + 1, *slot;
    }
    s->p += 7;
    if (!tensor(s, lo, &t, dims)) return NULL;
  } else if (!strncmp(lo, "tuple<", 6)) {
    SCAN_ERROR(s, lo, lo + 5, E_UNSUPPORTED, "tuples are not read");
    return NULL;
  } else {
    DType scalar;
    if (!SCAN_IS(*lo, SCAN_NAME) || SCAN_IS(*lo, SCAN_DIGIT)) {
      SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "expected a type");
      return NULL;
    }
    if (!element(s, &scalar)) return NULL;
    t.dtype = (uint8_t)scalar;
  }
  MlirType *out = ARENA_NEW(a, MlirType);
  t.dims = arena_copy(a, dims, t.rank * sizeof *dims);
  *out = t;
  if (slot) *slot = out;
  return out;
}
