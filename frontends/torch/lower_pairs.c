/* Operators that move complex numbers, as they move pairs of real ones: tensors with one more dimension, the last. */
#include <string.h>

#include "frontends/torch/lower.h"

/* Handlers that do with pairs what they do with complex numbers, where a dimension is not counted from the end. */
static bool moves_pairs(const Lower *l, Handler *h) {
  static Handler *const list[] = {lower_copy, lower_slice_scatter, lower_select_scatter, lower_slice_backward,
                                  lower_select_backward, lower_split, lower_unbind, lower_flip, lower_narrow};
  for (size_t k = 0; k < sizeof list / sizeof *list; k++)
    if (list[k] == h) return !*l->text;
  return h == lower_reduce && (!strcmp(l->text, "reduce_sum") || !strcmp(l->text, "reduce_mean"));
}

/* Dimensions of n, counted from the beginning; NULL: all of them. */
static const TorchArg *from_beginning(Lower *l, const TorchArg *a, uint32_t n) {
  TorchArg *out = ARENA_NEW(&l->arena, TorchArg);
  *out = a ? *a : (TorchArg){.kind = TA_LIST};
  uint32_t len = !a || (a->kind == TA_LIST && !a->n) ? n : a->kind == TA_LIST ? a->n : 1;
  TorchArg *list = ARENA_ARRAY(&l->arena, TorchArg, len + 1);
  for (uint32_t k = 0; k < len; k++) {
    bool all = !a || (a->kind == TA_LIST && !a->n);
    list[k] = all ? (TorchArg){.kind = TA_INT, .i = k} : a->kind == TA_LIST ? a->list[k] : *a;
    if (list[k].ranks || list[k].kind != TA_INT) return NULL;
    if (list[k].i < 0) list[k].i += n ? n : 1;
    list[k].r = rat_int(list[k].i);
  }
  if (a && a->kind == TA_INT) return *out = list[0], out;
  out->list = list, out->n = len;
  return out;
}

/* All tensors it reads are complex. */
LowerResult lower_pairs(Lower *l, Handler *h) {
  const TorchNode *n = l->node;
  if (!moves_pairs(l, h)) return LOWER_OPAQUE;
  TorchNode real = *n;
  TorchType *outs = arena_copy(&l->arena, n->outs, n->n_outs * sizeof *outs);
  uint32_t rank = n->outs[0].rank, k = 0;
  for (uint32_t i = 0; i < n->n_outs; i++) {
    int64_t *dims = ARENA_ARRAY(&l->arena, int64_t, TORCH_MAX_RANK + 1);
    if (!outs[i].tensor || outs[i].dtype != DT_C64 || outs[i].rank >= TORCH_MAX_RANK) return LOWER_OPAQUE;
    memcpy(dims, outs[i].dims, outs[i].rank * sizeof *dims);
    dims[outs[i].rank] = 2;
    outs[i] = (TorchType){.tensor = true, .dtype = DT_F32, .rank = outs[i].rank + 1, .dims = dims};
  }
  real.outs = outs;
  for (uint32_t i = 0; i < LOWER_MAX_PARAMS; i++)
    if (l->arg[i] && l->arg[i]->kind == TA_TENSOR && !arg_complex(l, l->arg[i])) return LOWER_OPAQUE;
  if (arg_tensor(l, l->arg[0]) == NO_NODE) return LOWER_OPAQUE;
  if (h != lower_slice_backward && h != lower_select_backward) rank = arg_rank(l, l->arg[0]);
  if (!rank && h == lower_reduce) return LOWER_OPAQUE; /* over no dimension, which is not over all */
  for (const char *p = l->params; *p; k++) {
    size_t len = strcspn(p, " ");
    bool dims = (len == 3 && !memcmp(p, "dim", 3)) || (len == 4 && !memcmp(p, "dims", 4));
    p += len + (p[len] == ' ');
    if (dims && (l->arg[k] || h == lower_reduce) && !(l->arg[k] = from_beginning(l, l->arg[k], rank)))
      return LOWER_OPAQUE;
  }
  l->node = arena_copy(&l->arena, &real, sizeof real);
  LowerResult r = h(l);
  l->node = n;
  for (uint32_t i = 0; i < n->n_outs; i++) l->results.at[l->first[l->value] + i].complex = true;
  return r;
}
