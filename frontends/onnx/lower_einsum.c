/* Einsum. */
#include "frontends/base/einsum.h"
#include "frontends/onnx/lower.h"

/* equation */
OnnxResult onnx_einsum(OnnxLower *l) {
  const char *text;
  if (!onnx_attr_word(l, 0, "", &text) || l->n_out != 1) return ONNX_OPAQUE;
  return onnx_done(l, einsum_compose(&l->c, &l->arena, text, l->in, l->n_in));
}
