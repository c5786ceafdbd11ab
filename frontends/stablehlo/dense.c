/* Constants: `dense<[[1, 2], [3, 4]]>`, `dense<0.5>` for all elements, `dense<"0x..">` the bytes, `dense<0x7FC00000>`
 * the bits of an element.
 *
 * Lists must follow the shape: at depth k each has dims[k] entries.  What a printer left out (`dense_resource`, `...`)
 * is an error of its own. */
#include <ctype.h>
#include <math.h>

#include "frontends/base/decimal.h"
#include "frontends/stablehlo/module.h"

typedef Vec(Rat) Rats;

static bool elided(Scan *s, const char *at, size_t n) {
  SCAN_ERROR(s, at, at + n, E_ELIDED, "this constant was left out when the text was written");
  diag_hint(s->diags, "write the text again without limits on the size of constants");
  return false;
}

static int64_t elements(const MlirType *t) {
  int64_t n = 1;
  for (int d = 0; d < t->rank; d++) n *= t->dims[d];
  return n;
}

/* The number whose bits these are; false for types whose bits are not read. */
static bool from_bits(uint64_t bits, DType t, Rat *out) {
  double x;
  float f;
  int n = dtype_bits(t);
  switch (dtype_kind(t)) {
    case DK_BOOL: return *out = rat_int(bits & 1), true;
    case DK_INT: return *out = rat_int((int64_t)(bits << (64 - n)) >> (64 - n)), true;
    case DK_UINT:
      bits &= n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
      *out = rat_int((int64_t)(bits >> 1));
      *out = rat_add(rat_add(*out, *out), rat_int((int64_t)(bits & 1)));
      return true;
    default: break;
  }
  if (t == DT_F64) {
    memcpy(&x, &bits, sizeof x);
  } else if (t == DT_F32 || t == DT_BF16) {
    uint32_t w = (uint32_t)(t == DT_BF16 ? bits << 16 : bits);
    memcpy(&f, &w, sizeof f);
    x = (double)f;
  } else if (t == DT_F16) {
    int e = (int)(bits >> 10 & 31), frac = (int)(bits & 1023);
    x = e == 31 ? (frac ? NAN : INFINITY) : e ? ldexp(1024 + frac, e - 25) : ldexp(frac, -24);
    x = copysign(x, bits >> 15 & 1 ? -1.0 : 1.0);
  } else {
    return false;
  }
  return decimal_round(x, NULL, t, out) == DECIMAL_OK;
}

static int hex_digit(char c) {
  return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? (c | 32) - 'a' + 10 : -1;
}

static bool read_scalar(Scan *s, const MlirType *t, Rats *out) {
  const char *lo = s->p, *q = lo;
  if (*q == '+') q++;
  while (SCAN_IS(*q, SCAN_NAME) || (*q == '+' && (q[-1] == 'e' || q[-1] == 'E'))) q++;
  if (q == lo) return SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "expected a value of the constant");
  if (!strncmp(lo, "...", 3) || !strncmp(lo, "__elided__", 10)) return elided(s, lo, (size_t)(q - lo));
  Rat r = 0;
  bool ok;
  s->p = q;
  if (lo[0] == '0' && (lo[1] == 'x' || lo[1] == 'X')) {
    uint64_t bits = 0;
    ok = q - lo > 2 && q - lo <= 18;
    for (const char *p = lo + 2; ok && p < q; p++) {
      ok = hex_digit(*p) >= 0;
      bits = bits << 4 | (uint64_t)(hex_digit(*p) & 15);
    }
    ok = ok && (dtype_bits(t->dtype) >= 64 || !(bits >> dtype_bits(t->dtype))) && from_bits(bits, t->dtype, &r);
  } else {
    DecimalResult result = decimal_read(lo, (size_t)(q - lo), t->dtype, &r);
    if (result == DECIMAL_RANGE)
      return SCAN_ERROR(s, lo, q, E_NUMBER, "the value does not fit type %s", dtype_text(t->dtype));
    ok = result == DECIMAL_OK;
  }
  if (!ok)
    return SCAN_ERROR(s, lo, q, E_NUMBER, "'%.*s' is not a value of type %s", (int)(q - lo > 40 ? 40 : q - lo), lo,
                      dtype_text(t->dtype));
  vec_push(out, r);
  return true;
}

/* "0x..": the bytes of all elements, or of one; truth values are bytes or, in older texts, bits. */
static bool read_bytes(Scan *s, const MlirType *t, Rats *out) {
  Text hex;
  if (!scan_string(s, &hex)) return false;
  bool ok = hex.len >= 2 && hex.len % 2 == 0 && hex.at[0] == '0' && (hex.at[1] | 32) == 'x';
  for (uint32_t k = 2; ok && k < hex.len; k++) ok = hex_digit(hex.at[k]) >= 0;
  if (!ok) {
    if (!strncmp(hex.at, "...", 3) || !strncmp(hex.at, "__elided__", 10)) return elided(s, hex.at, hex.len);
    return SCAN_ERROR(s, hex.at, hex.at + hex.len, E_NUMBER, "expected bytes: \"0x..\"");
  }
  int64_t n = elements(t), have = hex.len / 2 - 1;
  bool packed = t->dtype == DT_PRED && have != n && have == (n + 7) / 8;
  int64_t size = dtype_bits(t->dtype) > 8 ? dtype_bits(t->dtype) / 8 : 1;
  bool one = !packed && have == size;
  if (!packed && !one && (n > INT64_MAX / size || have != n * size))
    return SCAN_ERROR(s, hex.at, hex.at + hex.len, E_SHAPE, "the constant has %lld bytes, its shape says %lld",
                      (long long)have, (long long)(n > INT64_MAX / size ? INT64_MAX : n * size));
  if (packed && have == 1) { /* a bit of each, or, since MLIR packs no more, a byte for all of them */
    int byte = hex_digit(hex.at[2]) << 4 | hex_digit(hex.at[3]), all = (1 << n) - 1;
    if (byte && (byte & all) != all)
      return SCAN_ERROR(s, hex.at, hex.at + hex.len, E_UNSUPPORTED, "one byte is all %lld truth values, or a bit of each",
                        (long long)n);
  }
  for (int64_t k = 0; k < (one ? 1 : n); k++) {
    uint64_t bits = 0;
    for (int64_t b = packed ? 1 : size; b-- > 0;) {
      const char *p = hex.at + 2 + 2 * (packed ? k / 8 : k * size + b);
      bits = bits << 8 | (uint64_t)(hex_digit(p[0]) << 4 | hex_digit(p[1]));
    }
    if (packed) bits = bits >> (k % 8) & 1;
    Rat r;
    if (!from_bits(t->dtype == DT_PRED ? bits != 0 : bits, t->dtype, &r))
      return SCAN_ERROR(s, hex.at, hex.at + hex.len, E_UNSUPPORTED, "bytes of type %s are not read",
                        dtype_text(t->dtype));
    vec_push(out, r);
  }
  return true;
}

/* Nested lists up to the closing angle; `*lists`: there were any. */
static bool read_lists(Scan *s, const MlirType *t, Rats *out, bool *lists) {
  int64_t count[MAX_RANK + 1] = {0};
  unsigned depth = 0;
  *lists = false;
  for (;;) {
    scan_space(s);
    if (*s->p == ',' && depth) {
      s->p++;
    } else if (*s->p == '[') {
      if (depth == t->rank || (!depth && *lists))
        return SCAN_ERROR(s, s->p, s->p + 1, E_SHAPE, "the constant is nested deeper than its %d dimensions", t->rank);
      *lists = true;
      count[depth]++;
      count[++depth] = 0;
      s->p++;
    } else if (*s->p == ']' && depth) {
      if (count[depth] != t->dims[depth - 1])
        return SCAN_ERROR(s, s->p, s->p + 1, E_SHAPE, "this list of the constant has %lld entries, its shape says %lld",
                          (long long)count[depth], (long long)t->dims[depth - 1]);
      depth--;
      s->p++;
    } else if (*s->p == '>' && !depth) {
      return true;
    } else {
      if (*lists && depth < t->rank && *s->p != '.')
        return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_SHAPE, "expected '[': the constant has %d dimensions",
                          t->rank);
      count[depth]++;
      if (!read_scalar(s, t, out)) return false;
      if (!depth && *s->p != '>' && !SCAN_IS(*s->p, SCAN_SPACE)) return scan_expect(s, '>', "behind a constant");
    }
  }
}

static bool read_values(Scan *s, Text value, const MlirType *t, Rats *out) {
  scan_space(s);
  if (!strncmp(s->p, "dense_resource", 14)) return elided(s, value.at, value.len);
  if (strncmp(s->p, "dense<", 6)) return read_scalar(s, t, out);
  s->p += 6;
  scan_space(s);
  bool lists = false;
  if (*s->p == '"' ? !read_bytes(s, t, out) : *s->p != '>' && !read_lists(s, t, out, &lists)) return false;
  if (!scan_expect(s, '>', "behind a constant")) return false;
  int64_t n = elements(t);
  if ((int64_t)out->len == n || (out->len == 1 && !lists)) return true;
  return SCAN_ERROR(s, value.at, value.at + value.len, E_SHAPE, "the constant has %zu values, its shape says %lld",
                    out->len, (long long)n);
}

bool dense_literal(MlirModule *m, Text value, const MlirType *t, Literal *out, Sym *complex) {
  Arena *a = &m->graph->arena;
  *complex = 0;
  if (dtype_kind(t->dtype) == DK_COMPLEX) return *complex = text_squeeze(a, value), true;
  if (dtype_kind(t->dtype) == DK_OTHER)
    return diag_error(m->scan.diags, mlir_span(m, value), E_UNSUPPORTED, "a constant has element type %s",
                      dtype_text(t->dtype));
  Scan s = m->scan;
  s.p = value.at;
  Rats rats = {0};
  bool ok = read_values(&s, value, t, &rats);
  size_t same = 1;
  while (same < rats.len && rats.at[same] == rats.at[0]) same++;
  bool splat = rats.len && same == rats.len;
  if (ok)
    *out = (Literal){splat ? LIT_SPLAT : LIT_VALUES, (uint64_t)elements(t),
                     arena_copy(a, rats.at, (splat ? 1 : rats.len) * sizeof *rats.at)};
  vec_free(&rats);
  return ok;
}

/* dense<..> : tensor<..> of integers. */
static bool dense_list(MlirModule *m, Text value, const int64_t **out, uint32_t *n, int64_t *columns) {
  Scan s = m->scan;
  s.p = value.at + 5;
  if (!text_skip(&s) || !scan_expect(&s, ':', "before the type of a constant")) return false;
  const MlirType *t = type_read(&s, &m->graph->arena, &m->types);
  Literal l;
  Sym complex;
  if (!t) return false;
  if (elements(t) > 2 * MAX_DEVICES || (dtype_kind(t->dtype) > DK_UINT))
    return diag_error(m->scan.diags, mlir_span(m, value), E_ATTRIBUTE, "expected a short list of integers");
  if (!dense_literal(m, value, t, &l, &complex)) return false;
  *n = (uint32_t)l.n;
  int64_t *ints = ARENA_ARRAY(&m->graph->arena, int64_t, l.n + 1);
  for (uint32_t k = 0; k < *n; k++)
    if (!rat_to_int(l.values[l.kind == LIT_SPLAT ? 0 : k], &ints[k]))
      return diag_error(m->scan.diags, mlir_span(m, value), E_NUMBER, "a number does not fit 64 bits");
  if (columns) *columns = t->rank ? t->dims[t->rank - 1] : 1;
  *out = ints;
  return true;
}

bool dense_ints(MlirModule *m, Text value, const int64_t **out, uint32_t *n, int64_t *columns) {
  if (!value.len) return *out = NULL, *n = 0, true;
  if (value.len > 6 && !strncmp(value.at, "dense<", 6)) return dense_list(m, value, out, n, columns);
  Scan s = m->scan;
  s.p = value.at;
  const char *end = value.at + value.len;
  Vec(int64_t) list = {0};
  bool ok = true, many = value.len && *value.at != '-' && !SCAN_IS(*value.at, SCAN_DIGIT);
  if (value.len > 6 && !strncmp(value.at, "array<", 6)) {
    for (s.p += 6; s.p < end && *s.p != ':' && *s.p != '>'; s.p++) {}
    s.p++;
  }
  while (ok && s.p < end && *s.p != ':') {
    int64_t v = 0;
    if (!strncmp(s.p, "true", 4) || !strncmp(s.p, "false", 5)) {
      v = *s.p == 't';
      s.p += v ? 4 : 5;
      vec_push(&list, v);
    } else if (*s.p == '-' || SCAN_IS(*s.p, SCAN_DIGIT)) {
      ok = scan_int(&s, &v);
      vec_push(&list, v);
      if (!many) break;
    } else if (strchr("[]<>, \n\r\t", *s.p)) {
      s.p++;
    } else {
      ok = SCAN_ERROR(&s, s.p, s.p + 1, E_ATTRIBUTE, "expected a list of integers");
    }
  }
  *n = (uint32_t)list.len;
  *out = arena_copy(&m->graph->arena, list.at, list.len * sizeof *list.at);
  if (columns) *columns = *n;
  vec_free(&list);
  return ok;
}
