/* bitcast: the same bytes under another shape and layout.
 *
 * With plain layouts that is: bring the operand's dimensions into physical order, reshape, bring them into the result's
 * order.  Where element types differ or a layout is tiled it stays an opaque operator that names both layouts. */
#include "frontends/hlo/flatten.h"
#include "frontends/hlo/parser.h"

/* Dimensions major to minor from the text `{0,1}` at an offset (0: the default order); false if it says more. */
static bool read_layout(const char *text, uint32_t at, int rank, int64_t *major) {
  uint64_t seen = 0;
  for (int d = 0; d < rank; d++) major[d] = d;
  if (!at) return true;
  const char *p = text + at + 1;
  for (int d = rank; d-- > 0;) {
    int64_t n = 0;
    while (*p == ' ' || *p == ',') p++;
    if (!SCAN_IS(*p, SCAN_DIGIT)) return false;
    for (; SCAN_IS(*p, SCAN_DIGIT) && n < rank; p++) n = n * 10 + (*p - '0');
    if (n >= rank || (seen >> n & 1)) return false;
    seen |= UINT64_C(1) << n;
    major[d] = n;
  }
  while (*p == ' ') p++;
  return *p == '}';
}

static Text layout_text(const Parser *p, uint32_t at) {
  if (!at) return (Text){"", 0};
  const char *lo = p->s.text + at, *hi = strchr(lo, '}');
  return (Text){lo, hi ? (uint32_t)(hi - lo) + 1 : 1};
}

bool bitcast_lower(Parser *p, HloInstr *i) {
  const HloOperand *o = hlo_args(p->m, i);
  const HloInstr *x = hlo_instr(p->m, p->comp, o->instr);
  int64_t from[MAX_RANK], to[MAX_RANK], n = 1, m = 1;
  if (i->shape->tuple || x->shape->tuple || o->shape->dtype == DT_TOKEN) /* whose parts have layouts of their own */
    return INSTR_ERROR(p, i, E_UNSUPPORTED, "a bitcast of a tuple");
  for (int d = 0; d < i->shape->rank; d++) n *= i->shape->dims[d];
  for (int d = 0; d < o->shape->rank; d++) m *= o->shape->dims[d];
  bool plain = i->shape->dtype == o->shape->dtype && n == m &&
               read_layout(p->s.text, x->layout, o->shape->rank, from) &&
               read_layout(p->s.text, i->layout, i->shape->rank, to);
  if (plain) {
    attrs_add(p, attrs_ints(p, "from", from, o->shape->rank));
    attrs_add(p, attrs_ints(p, "to", to, i->shape->rank));
    return true;
  }
  Text a = layout_text(p, x->layout), b = layout_text(p, i->layout);
  const char *both = arena_printf(p->arena, "%.*s %.*s", (int)a.len, a.at, (int)b.len, b.at);
  attrs_add(p, (Attr){.name = sym("layouts"), .kind = ATTR_SYM, .s = sym(both)});
  return true;
}

/* transpose by `perm`, unless that changes nothing. */
static NodeId transpose(Flat *f, const HloInstr *i, NodeId x, const int64_t *perm, int rank) {
  int64_t dims[MAX_RANK];
  bool same = true;
  for (int d = 0; d < rank; d++) {
    dims[d] = f->g->nodes.at[x].dims[perm[d]];
    same &= perm[d] == d;
  }
  if (same) return x;
  Attr a = {.name = sym("dimensions"), .kind = ATTR_INTS, .n = (uint32_t)rank,
            .ints = arena_copy(f->arena, perm, (size_t)rank * sizeof *perm)};
  return flat_made(f, i, "transpose", f->g->nodes.at[x].dtype, dims, (size_t)rank, &x, 1, &a, 1);
}

bool bitcast_flatten(Flat *f, const HloInstr *i, size_t base) {
  const Attr *from = NULL, *to = NULL;
  for (uint32_t k = 0; k < i->n_attrs; k++) {
    if (i->attrs[k].name == sym("from")) from = &i->attrs[k];
    if (i->attrs[k].name == sym("to")) to = &i->attrs[k];
  }
  if (!from || !to) return flat_results(f, i, base, NULL, 0, false);
  uint32_t n;
  NodeId *args = flat_args(f, i, base, &n);
  if (!args || n != 1) return false;
  int64_t physical[MAX_RANK], back[MAX_RANK];
  for (uint32_t d = 0; d < to->n; d++) {
    physical[d] = i->shape->dims[to->ints[d]];
    back[to->ints[d]] = d;
  }
  NodeId x = transpose(f, i, args[0], from->ints, (int)from->n);
  const Node *y = &f->g->nodes.at[x];
  if (y->rank != to->n || memcmp(y->dims, physical, to->n * sizeof *physical))
    x = flat_reshape(f, i, x, physical, to->n);
  f->values.at[base + i->leaf] = transpose(f, i, x, back, (int)to->n);
  return true;
}
