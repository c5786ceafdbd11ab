/* What only pretty forms have: loops, reductions, manual computations.
 *
 *     stablehlo.while(%i = %a, %j = %b) : t, t cond { .. } do { .. }
 *     stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (t, t) -> t
 *     stablehlo.reduce(%x init: %z), (%y init: %w) across dimensions = [0] : ..
 *       reducer(%a: t, %c: t) (%b: t, %d: t) { .. }
 *     sdy.manual_computation(%a) in_shardings=[..] out_shardings=[..] manual_axes={..} (%x: t) { .. } : .. */
#include "frontends/stablehlo/parser.h"

bool special_while(Reader *r) {
  Scan *s = r->s;
  Text name;
  if (!scan_expect(s, '(', "before the values of a loop")) return false;
  for (bool first = true; !scan_try(s, ')'); first = false) {
    if (!first && !scan_expect(s, ',', "between the values of a loop")) return false;
    if (!reader_name(r, &name) || !scan_expect(s, '=', "behind the name of a loop's value")) return false;
    scan_space(s);
    if (!reader_use(r)) return false;
    vec_push(&r->binders, name);
  }
  return reader_types(r);
}

bool special_loop(Reader *r, const MlirOp *op, size_t binders) {
  static const char *const words[] = {"cond", "do"};
  Scan *s = r->s;
  if (reader_word(r, "attributes") && !(scan_space(s), reader_dict(r))) return false;
  for (int k = 0; k < 2; k++) {
    if (!reader_word(r, words[k]))
      return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected '%s' of a loop", words[k]);
    size_t undo = r->undo.len;
    uint32_t param = (uint32_t)r->values.len;
    for (uint32_t i = 0; i < op->n_args; i++) reader_value(r, r->values.at[op->args[i]]);
    for (uint32_t i = 0; i < op->n_args; i++)
      if (!reader_bind(r, r->binders.at[binders + i], param + i, 1)) return false;
    if (!reader_region(r, param, op->n_args)) return false;
    reader_leave(r, undo);
  }
  return true;
}

void special_pairs(Reader *r, size_t args) {
  size_t n = (r->args.len - args) / 2;
  for (size_t k = 0; k < 2 * n; k++) vec_push(&r->args, r->args.at[args + k]);
  for (size_t k = 0; k < n; k++) {
    r->args.at[args + k] = r->args.at[args + 2 * n + 2 * k];
    r->args.at[args + n + k] = r->args.at[args + 2 * n + 2 * k + 1];
  }
  r->args.len -= 2 * n;
}

/* A region of one binary operator. */
static bool compact(Reader *r, const MlirOp *op, Text applied) {
  MlirType scalar = {.dtype = op->n_results ? op->types[0]->dtype : DT_F32};
  const MlirType *t = arena_copy(r->a, &scalar, sizeof scalar);
  uint32_t param = reader_value(r, t), args[3] = {param, reader_value(r, t), reader_value(r, t)};
  MlirOp ops[2] = {{.op = applied, .name = op->name, .n_args = 2, .n_results = 1, .result = param + 2,
                    .args = arena_copy(r->a, args, 2 * sizeof *args), .types = arena_copy(r->a, &t, sizeof t)},
                   {.op = {"stablehlo.return", 16}, .n_args = 1, .args = arena_copy(r->a, args + 2, sizeof *args)}};
  for (int k = 0; k < 2; k++) ops[k].at = op->at, ops[k].line = op->line;
  vec_push(&r->regions, (MlirRegion){param, 2, 2, arena_copy(r->a, ops, sizeof ops)});
  return true;
}

bool special_reducer(Reader *r, const MlirOp *op, size_t attrs) {
  Scan *s = r->s;
  for (size_t k = attrs; k < r->attrs.len; k++)
    if (text_equals(r->attrs.at[k].name, ATTR_APPLIES)) {
      Text applied = r->attrs.at[k].value;
      r->attrs.at[k] = vec_last(&r->attrs);
      r->attrs.len--;
      return compact(r, op, applied);
    }
  if (!reader_word(r, "reducer"))
    return SCAN_ERROR(s, s->p, *s->p ? s->p + 1 : s->p, E_GRAPH_SYNTAX, "expected 'reducer' of a reduction");
  size_t undo = r->undo.len;
  uint32_t n = op->n_args / 2, param = (uint32_t)r->values.len;
  for (uint32_t k = 0; k < 2 * n; k++) reader_value(r, NULL);
  for (uint32_t k = 0; k < n; k++) {
    if (!scan_expect(s, '(', "before the parameters of a reducer")) return false;
    for (uint32_t side = 0; side < 2; side++) {
      Text name, where;
      if (side && !scan_expect(s, ',', "between the parameters of a reducer")) return false;
      if (!reader_name(r, &name) || !scan_expect(s, ':', "before the type of a parameter")) return false;
      const MlirType *t = reader_type(r);
      if (!t || !reader_location(r, &where)) return false;
      r->values.at[param + side * n + k] = t;
      if (!reader_bind(r, name, param + side * n + k, 1)) return false;
    }
    if (!scan_expect(s, ')', "behind the parameters of a reducer")) return false;
  }
  if (!reader_region(r, param, 2 * n)) return false;
  reader_leave(r, undo);
  return true;
}

bool special_manual(Reader *r) {
  uint32_t param, n;
  size_t undo = r->undo.len;
  if (!scan_expect(r->s, '(', "before the parameters of a manual computation")) return false;
  if (!reader_params(r, &param, &n, false) || !reader_region(r, param, n)) return false;
  reader_leave(r, undo);
  return true;
}
