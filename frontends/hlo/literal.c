/* Constants: `constant(5)`, `constant({ { 1, 2 }, { 3, 4 } })`, with comments, specials and any nesting of braces.
 *
 * The braces must follow the shape: at depth k every list has dims[k] entries.  Values are read into a scratch array
 * and kept once if they are all equal. */
#include "frontends/base/decimal.h"
#include "frontends/hlo/parser.h"

static bool elided(Parser *p, const char *at) {
  SCAN_ERROR(&p->s, at, at + 3, E_ELIDED, "this constant was left out when the text was written");
  diag_hint(p->s.diags, "write the text again with --xla_dump_large_constants, or with print_large_constants set");
  return false;
}

/* One scalar into p->rats. */
static bool read_value(Parser *p, DType t) {
  Scan *s = &p->s;
  const char *lo = s->p, *q = lo;
  if (*q == '+') q++;
  while (SCAN_IS(*q, SCAN_NAME) || (*q == '+' && (q[-1] == 'e' || q[-1] == 'E'))) q++;
  if (q == lo) return SCAN_ERROR(s, lo, *lo ? lo + 1 : lo, E_GRAPH_SYNTAX, "expected a value of the constant");
  if (!strncmp(lo, "...", 3)) return elided(p, lo);
  Rat r;
  DecimalResult result = decimal_read(lo, (size_t)(q - lo), t, &r);
  if (result == DECIMAL_MALFORMED)
    return SCAN_ERROR(s, lo, q, E_NUMBER, "'%.*s' is not a value of type %s", (int)(q - lo > 40 ? 40 : q - lo), lo,
                      dtype_text(t));
  if (result == DECIMAL_RANGE)
    return SCAN_ERROR(s, lo, q, E_NUMBER, "the value does not fit type %s", dtype_text(t));
  s->p = q;
  if (r == RAT_NAN && *s->p == '(' && !scan_balanced(s)) return false;
  vec_push(&p->rats, r);
  return true;
}

/* A brace closes a list of `n` entries at a depth: must be what the shape says. */
static bool right_count(Parser *p, const HloShape *shape, unsigned depth, int64_t n) {
  int64_t want = shape->dims[depth - 1];
  if (n == want) return true;
  return SCAN_ERROR(&p->s, p->s.p, p->s.p + 1, E_SHAPE,
                    "this list of the constant has %lld entries, its shape says %lld",
                    (long long)n, (long long)want);
}

/* Values and braces up to the closing parenthesis. */
static bool read_values(Parser *p, const HloShape *shape) {
  Scan *s = &p->s;
  int64_t count[MAX_RANK + 1] = {0};
  unsigned depth = 0;
  for (;;) {
    scan_space(s);
    if (*s->p == ',') {
      s->p++;
    } else if (*s->p == '{') {
      if (!strncmp(s->p, "{...}", 5)) return elided(p, s->p + 1);
      if (depth == shape->rank)
        return SCAN_ERROR(s, s->p, s->p + 1, E_SHAPE, "the constant is nested deeper than its %d dimensions",
                          shape->rank);
      count[depth]++;
      count[++depth] = 0;
      s->p++;
    } else if (*s->p == '}' && depth) {
      if (!right_count(p, shape, depth, count[depth])) return false;
      depth--;
      s->p++;
    } else if (*s->p == ')' && !depth) {
      s->p++;
      return true;
    } else {
      if (depth < shape->rank && s->p[0] != '.' && *s->p)
        return SCAN_ERROR(s, s->p, s->p + 1, E_SHAPE, "expected '{': the constant has %d dimensions", shape->rank);
      count[depth]++;
      if (!read_value(p, shape->dtype)) return false;
    }
  }
}

/* Complex numbers are not computed with: the text without its spaces stands for the value. */
static bool read_complex(Parser *p, const char *lo) {
  Scan *s = &p->s;
  s->p = lo;
  if (!scan_balanced(s)) return false;
  Scan in = *s;
  char *out = arena_alloc(p->arena, (size_t)(s->p - lo) + 1);
  size_t n = 0;
  for (in.p = lo; in.p < s->p;) {
    scan_space(&in);
    if (in.p < s->p) out[n++] = *in.p++;
  }
  p->complex = sym_n(out, n);
  return true;
}

bool literal_parse(Parser *p, HloInstr *i) {
  Scan *s = &p->s;
  const HloShape *shape = i->shape;
  const char *lo = s->p;
  scan_space(s);
  if (!strncmp(s->p, "{...}", 5)) return elided(p, s->p + 1);
  if (shape->tuple) return SCAN_ERROR(s, lo, s->p + 1, E_UNSUPPORTED, "a constant is a tuple");
  DKind kind = dtype_kind(shape->dtype);
  if (kind == DK_COMPLEX) return read_complex(p, lo - 1);
  if (kind == DK_OTHER)
    return SCAN_ERROR(s, lo, s->p + 1, E_UNSUPPORTED, "a constant has element type %s", dtype_text(shape->dtype));
  vec_clear(&p->rats);
  if (!read_values(p, shape)) return false;
  int64_t n = 1;
  for (int d = 0; d < shape->rank; d++) n *= shape->dims[d];
  if ((int64_t)p->rats.len != n)
    return SCAN_ERROR(s, lo, s->p, E_SHAPE, "the constant has %zu values, its shape says %lld", p->rats.len,
                      (long long)n);
  size_t same = 1;
  while (same < p->rats.len && p->rats.at[same] == p->rats.at[0]) same++;
  Literal *l = ARENA_NEW(p->arena, Literal);
  bool splat = p->rats.len && same == p->rats.len;
  *l = (Literal){splat ? LIT_SPLAT : LIT_VALUES, p->rats.len,
                 arena_copy(p->arena, p->rats.at, (splat ? 1 : p->rats.len) * sizeof *p->rats.at)};
  i->literal = l;
  return true;
}
