/* Operators as unknown functions: of their operands, attributes, and which operands are left out.  Their results need the
 * shapes that the file gives.  Graphs inside are known by their bytes. */
#include <inttypes.h>
#include <xxhash.h>

#include "frontends/onnx/lower.h"

/* An attribute as a text that is equal for equal values only. */
static const char *attr_text(OnnxLower *l, const OnnxAttr *a) {
  char number[64];
  if (a->kind == ONNX_INT) return arena_printf(&l->arena, "%" PRId64, a->i);
  if (a->kind == ONNX_FLOAT && rat_is_finite(rat_from_double(a->f)))
    return arena_printf(&l->arena, "%s.", rat_print(rat_from_double(a->f), number, sizeof number));
  if (a->kind == ONNX_STRING && a->s) return arena_printf(&l->arena, "\"%s\"", sym_text(a->s));
  XXH128_hash_t h = XXH3_128bits(a->raw.at, a->raw.len); /* with its name, which may be another in a function */
  return arena_printf(&l->arena, "#%016" PRIx64 "%016" PRIx64, (uint64_t)h.high64, (uint64_t)h.low64);
}

/* Is a graph inside known by its bytes and what it reads?  Functions that it calls and values in other files are not
 * among the bytes. */
static bool same_graph(const OnnxLower *l, const OnnxAttr *a) {
  if (!a->g || l->m->n_functions || l->m->external.len) return false;
  for (uint32_t i = 0; i < a->g->n_captures; i++) {
    NodeId x = l->scope->node[a->g->captures[i].outer];
    if (x == NO_NODE || onnx_is_list(x)) return false;
  }
  return true;
}

static bool result_type(OnnxLower *l, uint32_t k, uint8_t *dtype, uint32_t *rank, int64_t *dims) {
  const OnnxType *t = &l->scope->body->types[l->node->out[k]];
  bool known = t->known && t->dtype != DT_OPAQUE;
  for (uint32_t d = 0; known && d < t->rank; d++) known = (dims[d] = t->dims[d]) >= 0;
  *dtype = t->dtype;
  *rank = t->rank;
  if (known) return true;
  onnx_lower_error(l, E_SHAPE, "it has no definition here, and the file does not say which shape its results have");
  diag_hint(l->m->diags, "onnx.shape_inference.infer_shapes adds them");
  return false;
}

OnnxResult onnx_opaque(OnnxLower *l, bool unique) {
  const OnnxNode *n = l->node;
  Vec(Attr) attrs = {0};
  Vec(NodeId) args = {0};
  char *given = ARENA_ARRAY(&l->arena, char, l->n_in + 1);
  OnnxResult r = ONNX_DONE;
  for (uint32_t k = 0; k < n->n_attrs; k++) {
    const OnnxAttr *a = onnx_resolve(l->scope, &n->attrs[k]);
    if (!a) continue;
    if (r == ONNX_DONE && (a->kind > ONNX_STRINGS || (a->kind == ONNX_GRAPH && !same_graph(l, a))))
      r = (onnx_lower_error(l, E_UNSUPPORTED, "what is inside cannot be compared"), ONNX_FAILED);
    vec_push(&attrs, attr_sym(sym_text(n->attrs[k].name), attr_text(l, a)));
  }
  for (uint32_t k = 0; k < l->n_in; k++) {
    given[k] = l->in[k] == NO_NODE ? '0' : '1';
    if (l->in[k] != NO_NODE) vec_push(&args, l->in[k]);
  }
  for (uint32_t k = 0; k < n->n_attrs; k++) { /* what graphs inside read from outside */
    const OnnxAttr *a = onnx_resolve(l->scope, &n->attrs[k]);
    for (uint32_t i = 0; r == ONNX_DONE && a && a->g && i < a->g->n_captures; i++)
      vec_push(&args, l->scope->node[a->g->captures[i].outer]);
  }
  if (strstr(given, "01")) vec_push(&attrs, attr_sym("operands", given)); /* one is absent before others */
  vec_push(&attrs, attr_int("opset", l->opset));
  if (unique) vec_push(&attrs, attr_sym("unique", arena_printf(&l->arena, "%s:%u:%" PRId64, sym_text(l->g->path), n->line,
                                                               l->n_lowered)));
  const char *name = arena_printf(&l->arena, "%s.%s", n->domain ? sym_text(n->domain) : "onnx", sym_text(n->op));
  for (uint32_t k = 0; r == ONNX_DONE && k < l->n_out; k++) {
    int64_t dims[ONNX_MAX_RANK];
    uint8_t dtype;
    uint32_t rank;
    if (n->out[k] == ONNX_NONE || !l->scope->body->names[n->out[k]]) continue;
    if (!result_type(l, k, &dtype, &rank, dims)) r = ONNX_FAILED;
    else l->out[k] = compose(&l->c, name, dtype, rank, dims, args.at, (uint32_t)args.len, attrs.at, (uint32_t)attrs.len);
    if (r == ONNX_DONE && l->out[k] == NO_NODE)
      r = (onnx_lower_error(l, E_SIZE, "result %u is too large", k), ONNX_FAILED);
    if (r == ONNX_DONE) l->g->nodes.at[l->out[k]].result = (uint16_t)k;
  }
  vec_free(&attrs);
  vec_free(&args);
  return r;
}
