/* Attributes of an instruction: `, name=value`, in any order.
 *
 * attr.def says how each value is read.  What has no meaning over the reals is skipped as balanced text; an attribute
 * that is not in the table is kept as its text and reported once: it may mean something. */
#include "frontends/base/decimal.h"
#include "frontends/hlo/parser.h"

static const HloAttrForm forms[] = {
#define ATTRIBUTE(id, text, form) form,
#include "frontends/hlo/attr.def"
#undef ATTRIBUTE
};

void attrs_add(Parser *p, Attr a) { vec_push(&p->attr_list, a); }

Attr *attrs_find(Parser *p, HloAttr a) {
  if (!(p->seen[a / 64] >> a % 64 & 1)) return NULL;
  for (size_t i = 0; i < p->attr_list.len; i++)
    if (p->attr_list.at[i].name == p->attr_name[a]) return &p->attr_list.at[i];
  return NULL;
}

Attr attrs_ints(Parser *p, const char *name, const int64_t *ints, size_t n) {
  return (Attr){.name = sym(name), .kind = ATTR_INTS, .ints = arena_copy(p->arena, ints, n * sizeof *ints),
                .n = (uint32_t)n};
}

/* {1,2,3} into p->ints (cleared first). */
static bool parse_ints(Parser *p) {
  Scan *s = &p->s;
  vec_clear(&p->ints);
  if (!scan_expect(s, '{', "before a list of integers")) return false;
  while (!scan_try(s, '}')) {
    int64_t n;
    if (p->ints.len && !scan_expect(s, ',', "between integers")) return false;
    if (!scan_int(s, &n)) return false;
    vec_push(&p->ints, n);
  }
  return true;
}

/* A computation's name; its number goes to p->ints. */
static bool parse_computation(Parser *p) {
  Scan *s = &p->s;
  Text t;
  if (scan_try(s, '%')) {}
  if (!scan_name(s, &t, "the name of a computation")) return false;
  Sym name = sym_n(t.at, t.len);
  uint32_t c = name < p->comp_of.len ? p->comp_of.at[name] : 0;
  if (!c) {
    if (name == p->comp->name)
      return SCAN_ERROR(s, t.at, t.at + t.len, E_GRAPH_CYCLE, "computation '%s' calls itself", sym_text(name));
    SCAN_ERROR(s, t.at, t.at + t.len, E_GRAPH_NAME, "computation '%s' is not defined above its use", sym_text(name));
    return false;
  }
  vec_push(&p->ints, c - 1);
  return true;
}

/* One name, or several in braces: an attribute of computation numbers, which lower.c takes out again. */
static bool parse_computations(Parser *p, Attr *out) {
  Scan *s = &p->s;
  vec_clear(&p->ints);
  if (scan_try(s, '{')) {
    for (bool first = true; !scan_try(s, '}'); first = false) {
      if (!first && !scan_expect(s, ',', "between computations")) return false;
      if (!parse_computation(p)) return false;
    }
  } else if (!parse_computation(p)) {
    return false;
  }
  *out = (Attr){.name = out->name, .kind = ATTR_INTS, .n = (uint32_t)p->ints.len,
                .ints = arena_copy(p->arena, p->ints.at, p->ints.len * sizeof *p->ints.at)};
  return true;
}

/* {[0:8], [1:9:2]} as three lists. */
static bool parse_slice(Parser *p) {
  Scan *s = &p->s;
  int64_t at[3][MAX_RANK];
  size_t n = 0;
  const char *lo = s->p;
  if (!scan_expect(s, '{', "before the ranges of a slice")) return false;
  while (!scan_try(s, '}')) {
    if (n == MAX_RANK) return SCAN_ERROR(s, lo, s->p, E_SIZE, "a slice has more than %d ranges", MAX_RANK);
    if (n && !scan_expect(s, ',', "between ranges")) return false;
    at[2][n] = 1;
    if (!scan_expect(s, '[', "before a range") || !scan_int(s, &at[0][n])) return false;
    if (!scan_expect(s, ':', "within a range") || !scan_int(s, &at[1][n])) return false;
    if (scan_try(s, ':') && !scan_int(s, &at[2][n])) return false;
    if (!scan_expect(s, ']', "behind a range")) return false;
    n++;
  }
  attrs_add(p, attrs_ints(p, "starts", at[0], n));
  attrs_add(p, attrs_ints(p, "limits", at[1], n));
  attrs_add(p, attrs_ints(p, "strides", at[2], n));
  return true;
}

/* `3x-1x2`, or with `_` inside: up to `width` integers for each dimension into at[..]; *n dimensions. */
static bool parse_by(Parser *p, int64_t at[][MAX_RANK], int width, int least, size_t *n) {
  Scan *s = &p->s;
  const char *lo = s->p;
  scan_space(s);
  for (*n = 0;;) {
    if (*n == MAX_RANK) return SCAN_ERROR(s, lo, s->p, E_SIZE, "more than %d dimensions", MAX_RANK);
    int k = 0;
    do {
      if (k == width) return SCAN_ERROR(s, s->p - 1, s->p, E_GRAPH_SYNTAX, "too many numbers for one dimension");
      if (!scan_int(s, &at[k][*n])) return false;
      k++;
    } while (*s->p == '_' && s->p++);
    if (k < least) return SCAN_ERROR(s, lo, s->p, E_GRAPH_SYNTAX, "too few numbers for one dimension");
    for (; k < width; k++) at[k][*n] = 0;
    ++*n;
    if (*s->p != 'x') return true;
    s->p++;
  }
}

static bool parse_padding(Parser *p) {
  int64_t at[3][MAX_RANK];
  size_t n = 0;
  scan_space(&p->s);
  bool any = SCAN_IS(*p->s.p, SCAN_DIGIT) || *p->s.p == '-'; /* a scalar's padding is empty */
  if (any && !parse_by(p, at, 3, 2, &n)) return false;
  attrs_add(p, attrs_ints(p, "low", at[0], n));
  attrs_add(p, attrs_ints(p, "high", at[1], n));
  attrs_add(p, attrs_ints(p, "interior", at[2], n));
  return true;
}

static const struct { const char *text, *name[2]; int64_t otherwise; } window_parts[] = {
    {"size", {"window_size"}, 1},          {"stride", {"window_strides"}, 1},
    {"pad", {"window_low", "window_high"}, 0}, {"lhs_dilate", {"lhs_dilation"}, 1},
    {"rhs_dilate", {"rhs_dilation"}, 1},   {"rhs_reversal", {"window_reversal"}, 0},
};
enum { N_WINDOW = sizeof window_parts / sizeof *window_parts };

void attrs_empty_window(Parser *p) {
  for (size_t k = 0; k < N_WINDOW; k++)
    for (int j = 0; j < 2 && window_parts[k].name[j]; j++)
      if (!(p->seen[HA_WINDOW / 64] >> HA_WINDOW % 64 & 1))
        attrs_add(p, attrs_ints(p, window_parts[k].name[j], NULL, 0));
}

/* window={size=3x3 stride=1x1 pad=0_0x1_1 lhs_dilate=.. rhs_dilate=.. rhs_reversal=1x0}: all six lists. */
static bool parse_window(Parser *p) {
  Scan *s = &p->s;
  int64_t at[N_WINDOW][2][MAX_RANK];
  size_t len[N_WINDOW] = {0}, n = 0;
  const char *lo = s->p;
  if (!scan_expect(s, '{', "before a window")) return false;
  while (!scan_try(s, '}')) {
    Text key;
    scan_try(s, ',');
    if (!scan_name(s, &key, "the name of a window's field") || !scan_expect(s, '=', "behind a window's field"))
      return false;
    size_t k = 0;
    while (k < N_WINDOW && !scan_is(key, window_parts[k].text, strlen(window_parts[k].text))) k++;
    if (k == N_WINDOW)
      return SCAN_ERROR(s, key.at, key.at + key.len, E_GRAPH_SYNTAX, "a window has no field of this name");
    int width = window_parts[k].name[1] ? 2 : 1;
    if (!parse_by(p, at[k], width, width, &len[k])) return false;
    if (n && len[k] != n) return SCAN_ERROR(s, key.at, s->p, E_ATTRIBUTE, "the window's fields have different lengths");
    n = len[k];
  }
  if (n && !len[0]) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "the window has no size");
  for (size_t k = 0; k < N_WINDOW; k++)
    for (int j = 0; j < 2 && window_parts[k].name[j]; j++) {
      for (size_t i = 0; i < n && !len[k]; i++) at[k][j][i] = window_parts[k].otherwise;
      attrs_add(p, attrs_ints(p, window_parts[k].name[j], at[k][j], n));
    }
  return true;
}

/* One side of dim_labels up to `stop`: positions of two letters and of the digits. */
static bool parse_side(Parser *p, char stop, const char letters[2], int64_t pos[2], int64_t *spatial, size_t *n) {
  Scan *s = &p->s;
  const char *lo = s->p;
  bool seen[10] = {0};
  pos[0] = pos[1] = -1;
  *n = 0;
  int64_t k = 0;
  for (; *s->p != stop && (SCAN_IS(*s->p, SCAN_DIGIT) || *s->p == letters[0] || *s->p == letters[1]); s->p++, k++) {
    if (SCAN_IS(*s->p, SCAN_DIGIT)) {
      int d = *s->p - '0';
      if (seen[d]) return SCAN_ERROR(s, lo, s->p + 1, E_ATTRIBUTE, "a dimension is named twice");
      seen[d] = true;
      spatial[d] = k;
      ++*n;
    } else {
      pos[*s->p == letters[1]] = k;
    }
  }
  for (size_t d = 0; d < *n; d++)
    if (!seen[d]) return SCAN_ERROR(s, lo, s->p, E_ATTRIBUTE, "the spatial dimensions are not numbered from 0");
  if (pos[0] < 0 || pos[1] < 0 || (size_t)k != *n + 2)
    return SCAN_ERROR(s, lo, *s->p ? s->p + 1 : s->p, E_ATTRIBUTE, "expected '%c', '%c' and digits", letters[0],
                      letters[1]);
  return true;
}

/* dim_labels=b01f_01io->b01f */
static bool parse_labels(Parser *p) {
  static const struct { char stop; const char *letters, *name[2], *spatial; } sides[] = {
      {'_', "bf", {"input_batch_dimension", "input_feature_dimension"}, "input_spatial_dimensions"},
      {'-', "io", {"kernel_input_feature_dimension", "kernel_output_feature_dimension"}, "kernel_spatial_dimensions"},
      {0, "bf", {"output_batch_dimension", "output_feature_dimension"}, "output_spatial_dimensions"},
  };
  Scan *s = &p->s;
  scan_space(s);
  size_t n[3];
  for (int k = 0; k < 3; k++) {
    int64_t pos[2], spatial[10];
    if (!parse_side(p, sides[k].stop, sides[k].letters, pos, spatial, &n[k])) return false;
    for (int j = 0; j < 2; j++) attrs_add(p, (Attr){.name = sym(sides[k].name[j]), .kind = ATTR_INT, .i = pos[j]});
    attrs_add(p, attrs_ints(p, sides[k].spatial, spatial, n[k]));
    if (k == 0 && !scan_expect(s, '_', "within dim_labels")) return false;
    if (k == 1 && !(scan_expect(s, '-', "within dim_labels") && scan_expect(s, '>', "within dim_labels"))) return false;
  }
  if (n[0] != n[1] || n[0] != n[2])
    return SCAN_ERROR(s, s->p - 1, s->p, E_ATTRIBUTE,
                      "input, kernel and output have different numbers of spatial dimensions");
  return true;
}

/* Sharding annotations in frontend_attributes have no meaning for values; anything else may: what is left without them, or
 * nothing. */
static Text without_annotations(Parser *p, Text t) {
  static const char *const harmless[] = {"xla.sdy.", "is_spmd_generated", "_xla_", "mhlo.", "neff_"};
  const char *at = t.at + 1, *end = t.at + t.len - 1;
  char *left = arena_alloc(p->arena, t.len + 1), *to = left;
  while (at < end) {
    while (at < end && (SCAN_IS(*at, SCAN_SPACE) || *at == ',')) at++;
    if (at == end) break;
    bool annotation = false;
    for (size_t k = 0; k < sizeof harmless / sizeof *harmless; k++)
      annotation |= (size_t)(end - at) > strlen(harmless[k]) && !strncmp(at, harmless[k], strlen(harmless[k]));
    Scan s = p->s;
    s.p = at;
    while (s.p < end && *s.p != ',') {
      if (*s.p == '"') {
        for (s.p++; s.p < end && *s.p != '"'; s.p++) s.p += *s.p == '\\';
        s.p += s.p < end;
      } else if (*s.p == '{') {
        if (!scan_balanced(&s)) return t;
      } else {
        s.p++;
      }
    }
    if (s.p > end) s.p = end;
    if (!annotation) {
      *to = to == left ? '{' : ',';
      to++;
      memcpy(to, at, (size_t)(s.p - at));
      to += s.p - at;
    }
    at = s.p;
  }
  if (to > left) *to++ = '}';
  return (Text){left, (uint32_t)(to - left)};
}

static bool parse_words(Parser *p, HloAttr a, HloAttrForm form) {
  Scan *s = &p->s;
  Text t;
  if (form == A_STRING ? !scan_string(s, &t) : !scan_value(s, &t)) return false;
  if (form == A_FRONTEND && t.len >= 2 && *t.at == '{') t = without_annotations(p, t);
  if (form == A_FRONTEND && !t.len) return true;
  if (a == HA_BACKEND_CONFIG && config_read(t, p->arena, &p->attr_list)) return true;
  Attr attr = {.name = p->attr_name[a], .kind = ATTR_SYM};
  if (form == A_BOOL) {
    if (!TEXT_IS(t, "true") && !TEXT_IS(t, "false"))
      return SCAN_ERROR(s, t.at, t.at + t.len, E_ATTRIBUTE, "expected true or false");
    attr.kind = ATTR_INT;
    attr.i = *t.at == 't';
  } else if (form == A_REAL) {
    attr.kind = ATTR_RAT;
    if (decimal_read(t.at, t.len, DT_F32, &attr.r) != DECIMAL_OK || !rat_is_finite(attr.r))
      return SCAN_ERROR(s, t.at, t.at + t.len, E_NUMBER, "expected a finite number");
  } else {
    attr.s = sym_n(t.at, t.len);
  }
  attrs_add(p, attr);
  return true;
}

static bool parse_value(Parser *p, HloAttr a, HloInstr *i) {
  Text t;
  Attr attr = {.name = p->attr_name[a]};
  switch (forms[a]) {
    case A_SKIP: return scan_value(&p->s, &t);
    case A_METADATA: return places_metadata(p, i);
    case A_INT:
      attr.kind = ATTR_INT;
      if (!scan_int(&p->s, &attr.i)) return false;
      break;
    case A_INTS:
      if (!parse_ints(p)) return false;
      attr.kind = ATTR_INTS;
      attr.n = (uint32_t)p->ints.len;
      attr.ints = arena_copy(p->arena, p->ints.at, p->ints.len * sizeof *p->ints.at);
      break;
    case A_GROUPS:
      if (!groups_parse(p, &attr)) return false;
      break;
    case A_PAIRS:
      if (!pairs_parse(p, &attr)) return false;
      break;
    case A_SLICE: return parse_slice(p);
    case A_PADDING: return parse_padding(p);
    case A_WINDOW: return parse_window(p);
    case A_LABELS: return parse_labels(p);
    case A_COMPUTATION:
    case A_COMPUTATIONS:
      if (!parse_computations(p, &attr)) return false;
      break;
    default: return parse_words(p, a, forms[a]);
  }
  attrs_add(p, attr);
  return true;
}

/* An attribute the table does not know. */
static bool parse_unknown(Parser *p, Text name) {
  Text t;
  if (!scan_value(&p->s, &t)) return false;
  Sym n = sym_n(name.at, name.len);
  for (size_t k = 0; k < p->attr_list.len; k++)
    if (p->attr_list.at[k].name == n)
      return SCAN_ERROR(&p->s, name.at, name.at + name.len, E_ATTRIBUTE, "attribute '%s' is given twice", sym_text(n));
  attrs_add(p, (Attr){.name = n, .kind = ATTR_SYM, .s = sym_n(t.at, t.len)});
  p->unknown_attr = n;
  for (size_t k = 0; k < p->warned.len; k++)
    if (p->warned.at[k] == n) return true;
  if (p->warned.len == MAX_ERRORS) return true;
  vec_push(&p->warned, n);
  diag_warning(p->s.diags, scan_span(&p->s, name.at, name.at + name.len), W_UNKNOWN_ATTRIBUTE,
               "attribute '%s' is not known", sym_text(n));
  return true;
}

/* What the attributes up to the end of a line say: lines end alike again and again, word for word. */
typedef struct AttrTail {
  uint32_t len, n, frames;
  Sym label, unknown;
  uint64_t seen[(HLO_N_ATTRS + 63) / 64];
  const DeviceList *devices;
  Attr at[];
} AttrTail;

static void take_tail(Parser *p, HloInstr *i, const AttrTail *t) {
  p->s.p += t->len;
  for (uint32_t k = 0; k < t->n; k++) vec_push(&p->attr_list, t->at[k]);
  memcpy(p->seen, t->seen, sizeof p->seen);
  p->unknown_attr = t->unknown;
  p->devices = t->devices;
  i->label = t->label;
  i->frames = t->frames;
}

static const AttrTail *keep_tail(Parser *p, const HloInstr *i, uint32_t len) {
  size_t size = p->attr_list.len * sizeof(Attr);
  AttrTail *t = arena_alloc(p->arena, sizeof *t + size);
  *t = (AttrTail){len, (uint32_t)p->attr_list.len, i->frames, i->label, p->unknown_attr, {0}, p->devices};
  memcpy(t->seen, p->seen, sizeof t->seen);
  if (size) memcpy(t->at, p->attr_list.at, size);
  return t;
}

bool attrs_parse(Parser *p, HloInstr *i) {
  Scan *s = &p->s;
  const char *lo = s->p, *end = p->line_end;
  const void **tail = end && *lo == ',' && lo < end ? textmap_at(&p->tails, (Text){lo, (uint32_t)(end - lo)}) : NULL;
  vec_clear(&p->attr_list);
  memset(p->seen, 0, sizeof p->seen);
  p->unknown_attr = 0;
  if (tail && *tail) take_tail(p, i, *tail);
  const char *last = s->p;
  for (; scan_try(s, ','); last = s->p) {
    Text name;
    if (!scan_name(s, &name, "the name of an attribute") || !scan_expect(s, '=', "behind the name of an attribute"))
      return false;
    if (p->attr_list.len > MAX_ATTRS)
      return SCAN_ERROR(s, name.at, name.at + name.len, E_LIMIT, "more than %d attributes", MAX_ATTRS);
    int a = words_find(&p->attrs, name);
    if (a < 0) {
      if (!parse_unknown(p, name)) return false;
      continue;
    }
    if (p->seen[a / 64] >> a % 64 & 1)
      return SCAN_ERROR(s, name.at, name.at + name.len, E_ATTRIBUTE, "attribute '%.*s' is given twice", (int)name.len,
                        name.at);
    p->seen[a / 64] |= UINT64_C(1) << a % 64;
    if (!parse_value(p, (HloAttr)a, i)) return false;
  }
  if (tail && !*tail && last <= end) *tail = keep_tail(p, i, (uint32_t)(last - lo));
  return true;
}
