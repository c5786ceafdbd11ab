#include "frontends/torch/pt2_inplace.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char prefix[] = "torch.ops.aten.";

/* Operators whose result is a tensor of its own. */
static const char *const makers[] = {"conv1d",
                                     "conv2d",
                                     "conv3d",
                                     "convolution",
                                     "conv_transpose1d",
                                     "conv_transpose2d",
                                     "conv_transpose3d",
                                     "linear",
                                     "mm",
                                     "bmm",
                                     "addmm",
                                     "baddbmm",
                                     "batch_norm",
                                     "layer_norm",
                                     "group_norm",
                                     "instance_norm",
                                     "add",
                                     "sub",
                                     "mul",
                                     "div",
                                     "cat",
                                     "relu",
                                     "silu",
                                     "hardtanh",
                                     "leaky_relu",
                                     "elu"};
/* Operators that write what their namesakes without _ make, in the type of their first argument. */
static const char *const writers[] = {"relu_", "silu_", "hardtanh_", "hardswish_", "leaky_relu_", "elu_", "relu6_"};

/* Name of an operator of ATen without overload, or "". */
static const char *name_of(const json_t *node, char *out, size_t size) {
  const char *target = json_string_value(json_object_get(node, "target"));
  *out = 0;
  if (target && !strncmp(target, prefix, sizeof prefix - 1))
    snprintf(out, size, "%.*s", (int)strcspn(target + sizeof prefix - 1, "."), target + sizeof prefix - 1);
  return out;
}

static bool among(const char *name, const char *const *list, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (!strcmp(list[k], name)) return true;
  return false;
}

static const char *tensor_of(const json_t *arg) {
  return json_string_value(json_object_get(json_object_get(arg, "as_tensor"), "name"));
}

/* How often each tensor is read: every {"name": NAME} below. */
static void count(const json_t *x, json_t *reads, int depth) {
  const char *key, *name = json_string_value(json_object_get(x, "name"));
  json_t *y;
  size_t k;
  if (depth > 16) return;
  if (name) json_object_set_new(reads, name, json_integer(json_integer_value(json_object_get(reads, name)) + 1));
  json_object_foreach((json_t *)x, key, y) count(y, reads, depth + 1);
  json_array_foreach(x, k, y) count(y, reads, depth + 1);
}

void pt2_without_writes(json_t *graph) {
  json_t *nodes = json_object_get(graph, "nodes"), *reads = json_object(), *made = json_object(), *node, *in;
  char name[80], target[160];
  size_t k, i;
  json_array_foreach(nodes, k, node) json_array_foreach(json_object_get(node, "inputs"), i, in)
      count(json_object_get(in, "arg"), reads, 0);
  count(json_object_get(graph, "outputs"), reads, 0);
  json_array_foreach(nodes, k, node) {
    const json_t *first = json_object_get(json_array_get(json_object_get(node, "inputs"), 0), "arg");
    const char *into = tensor_of(first), *result = tensor_of(json_array_get(json_object_get(node, "outputs"), 0));
    name_of(node, name, sizeof name);
    if (among(name, writers, sizeof writers / sizeof *writers) && into && json_object_get(made, into) &&
        json_integer_value(json_object_get(reads, into)) == 1) {
      const char *overload = json_string_value(json_object_get(node, "target")) + sizeof prefix - 1 + strlen(name);
      name[strlen(name) - 1] = 0;
      snprintf(target, sizeof target, "%s%s%.40s", prefix, name, overload);
      json_object_set_new(node, "target", json_string(target));
    }
    if (result && json_array_size(json_object_get(node, "outputs")) == 1 &&
        among(name, makers, sizeof makers / sizeof *makers))
      json_object_set_new(made, result, json_true());
  }
  json_decref(reads);
  json_decref(made);
}
