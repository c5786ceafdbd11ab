/* Resizing. */
#include <string.h>

#include "frontends/base/along.h"
#include "frontends/onnx/lower.h"

/* Sizes of the result and scales, by dimension. */
static bool sizes_of(const OnnxLower *l, const Node *in, int64_t *size, Rat *scale) {
  int64_t axes[ONNX_MAX_RANK], given[ONNX_MAX_RANK];
  uint32_t n = in->rank, m = 0, d;
  for (uint32_t k = 0; k < in->rank; k++) axes[k] = k, size[k] = in->dims[k], scale[k] = RAT_1;
  if (onnx_has(l, 3) && !onnx_attr_ints(l, 3, axes, ONNX_MAX_RANK, &n)) return false;
  NodeId scales = onnx_in(l, 2), sizes = onnx_in(l, 3);
  if (scales != NO_NODE && !node_elements(onnx_node(l, scales))) scales = NO_NODE;
  if ((scales == NO_NODE) == (sizes == NO_NODE)) return false;
  if (sizes != NO_NODE && (!onnx_known_ints(l, sizes, given, ONNX_MAX_RANK, &m) || m != n)) return false;
  for (uint32_t k = 0; k < n; k++) {
    if (!onnx_dim(axes[k], in->rank, &d) || !in->dims[d]) return false;
    if (sizes != NO_NODE) {
      size[d] = given[k];
      scale[d] = rat_frac(given[k], in->dims[d]);
    } else if (!onnx_known_at(l, scales, k, &scale[d]) || !rat_is_finite(scale[d]) || rat_sign(scale[d]) <= 0 ||
               !rat_to_int(rat_floor(rat_mul(scale[d], rat_int(in->dims[d]))), &size[d])) {
      return false;
    }
    if (size[d] < 1 || size[d] > ALONG_MAX || in->dims[d] > ALONG_MAX) return false;
  }
  return true;
}

/* mode coordinate_transformation_mode nearest_mode axes, and what is only of use for others. */
OnnxResult onnx_resize(OnnxLower *l) {
  const Node in = *onnx_node(l, l->in[0]);
  const char *mode, *policy;
  int64_t size[COMPOSE_MAX_RANK], antialias, outside;
  Rat scale[COMPOSE_MAX_RANK];
  AlongResize r;
  if (!onnx_attr_word(l, 0, "nearest", &mode) || !onnx_attr_word(l, 1, "half_pixel", &r.at) ||
      !onnx_attr_word(l, 2, "round_prefer_floor", &r.nearest) || !onnx_attr_int(l, 4, 0, &antialias) || antialias ||
      !onnx_attr_word(l, 5, "stretch", &policy) || strcmp(policy, "stretch") || !onnx_attr_int(l, 6, 0, &outside) ||
      outside || !sizes_of(l, &in, size, scale))
    return ONNX_OPAQUE;
  r.linear = !strcmp(mode, "linear");
  if (!r.linear && strcmp(mode, "nearest")) return ONNX_OPAQUE;
  NodeId x = l->in[0];
  for (uint32_t d = 0; d < in.rank && x != NO_NODE; d++)
    if (scale[d] != RAT_1) x = along_resized(&l->c, &l->arena, &r, x, d, size[d], scale[d]);
  return onnx_done(l, x);
}
