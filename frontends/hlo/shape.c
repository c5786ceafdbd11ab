/* Shapes: `f32[8,128]{1,0:T(8,128)}`, tuples of them, `b(shape)`.
 *
 * Array shapes are kept once per text, found by hash, so equal shapes are mostly equal pointers.  Layouts have no
 * meaning for values and are skipped; where one stood is remembered for bitcast. */
#include "frontends/hlo/parser.h"

bool hlo_shape_equal(const HloShape *a, const HloShape *b) {
  if (a == b) return true;
  if (a->tuple != b->tuple) return false;
  if (!a->tuple)
    return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
  if (a->n_parts != b->n_parts || a->n_leaves != b->n_leaves) return false;
  for (uint32_t i = 0; i < a->n_parts; i++)
    if (!hlo_shape_equal(a->parts[i], b->parts[i])) return false;
  return true;
}

static const HloShape *parse_array(Parser *p, Text dtype) {
  Scan *s = &p->s;
  const char *lo = dtype.at;
  int t = words_find(&p->dtypes, dtype);
  if (t < 0) {
    SCAN_ERROR(s, lo, lo + dtype.len, E_GRAPH_SYNTAX, "unknown element type '%.*s'", (int)dtype.len, dtype.at);
    return NULL;
  }
  s->p++;
  vec_clear(&p->ints);
  int64_t n = 1;
  while (!scan_try(s, ']')) {
    int64_t d;
    if (p->ints.len && !scan_expect(s, ',', "between dimensions")) return NULL;
    scan_space(s);
    if (*s->p == '<' || *s->p == '?') {
      SCAN_ERROR(s, s->p, s->p + 1, E_UNSUPPORTED, "a dimension has no fixed size");
      diag_hint(s->diags, "tvr reads programs with static shapes only");
      return NULL;
    }
    if (!scan_int(s, &d)) return NULL;
    if (d < 0 || p->ints.len == MAX_RANK) {
      SCAN_ERROR(s, lo, s->p, E_SIZE, d < 0 ? "a dimension is negative" : "a shape has more than %d dimensions",
                 MAX_RANK);
      return NULL;
    }
    if (d && __builtin_mul_overflow(n, d, &n)) {
      SCAN_ERROR(s, lo, s->p, E_SIZE, "the shape has more elements than fit 64 bits");
      return NULL;
    }
    vec_push(&p->ints, d);
  }
  HloShape *shape = ARENA_NEW(p->arena, HloShape);
  *shape = (HloShape){.dtype = (uint8_t)t, .rank = (uint8_t)p->ints.len, .n_leaves = 1,
                      .dims = arena_copy(p->arena, p->ints.at, p->ints.len * sizeof *p->ints.at)};
  return shape;
}

static const HloShape *parse_tuple(Parser *p, unsigned depth) {
  Scan *s = &p->s;
  const char *lo = s->p++;
  size_t base = p->parts.len;
  uint64_t leaves = 0;
  while (!scan_try(s, ')')) {
    if (p->parts.len > base && !scan_expect(s, ',', "between shapes")) return NULL;
    const HloShape *part = shape_parse(p, depth + 1);
    if (!part) return NULL;
    leaves += part->n_leaves;
    vec_push(&p->parts, part);
  }
  size_t n = p->parts.len - base;
  if (leaves > INT32_MAX) {
    SCAN_ERROR(s, lo, s->p, E_SIZE, "the tuple has too many elements");
    return NULL;
  }
  const HloShape *const *parts = arena_copy(p->arena, p->parts.at + base, n * sizeof *p->parts.at);
  const HloShape **flat = ARENA_ARRAY(p->arena, const HloShape *, leaves);
  uint32_t *offsets = ARENA_ARRAY(p->arena, uint32_t, n), at = 0;
  for (size_t k = 0; k < n; k++) {
    offsets[k] = at;
    for (uint32_t j = 0; j < parts[k]->n_leaves; j++) flat[at++] = hlo_shape_leaf(parts[k], j);
  }
  HloShape *shape = ARENA_NEW(p->arena, HloShape);
  *shape = (HloShape){.tuple = true, .n_leaves = at, .n_parts = (uint32_t)n, .parts = parts, .leaves = flat,
                      .offsets = offsets};
  p->parts.len = base;
  p->layout = NULL;
  return shape;
}

const HloShape *shape_parse(Parser *p, unsigned depth) {
  Scan *s = &p->s;
  scan_space(s);
  if (depth > MAX_NESTING) {
    SCAN_ERROR(s, s->p, s->p + 1, E_NESTING, "shapes are nested more than %d deep", MAX_NESTING);
    return NULL;
  }
  if (*s->p == '(') return parse_tuple(p, depth);
  Text t;
  const char *lo = s->p;
  if (!scan_name(s, &t, "a shape")) return NULL;
  if (TEXT_IS(t, "b") && *s->p == '(') { /* a buffer: the same value */
    s->p++;
    const HloShape *inner = shape_parse(p, depth + 1);
    return inner && scan_expect(s, ')', "behind the shape of a buffer") ? inner : NULL;
  }
  if (*s->p != '[') {
    SCAN_ERROR(s, t.at, t.at + t.len, E_GRAPH_SYNTAX, "expected a shape");
    return NULL;
  }
  const char *q = s->p;
  while (*q && *q != ']' && *q != '\n') q++;
  const HloShape *shape;
  if (*q == ']') {
    const void **known = textmap_at(&p->shapes, (Text){lo, (uint32_t)(q - lo)});
    shape = *known ? *known : parse_array(p, t);
    *known = shape;
    if (shape) s->p = q + 1;
  } else {
    shape = parse_array(p, t);
  }
  if (!shape) return NULL;
  p->layout = NULL;
  if (*s->p == '{') {
    p->layout = s->p;
    if (!scan_balanced(s)) return NULL;
  }
  return shape;
}
