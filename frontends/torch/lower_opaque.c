/* Operators that are not understood: unknown functions of their operands and literals. */
#include <string.h>

#include "frontends/torch/lower.h"

static char *literal_text(Lower *l, const TorchArg *a) {
  char buf[64];
  switch ((TorchArgKind)a->kind) {
    case TA_NONE: return "null";
    case TA_TENSOR: return "t";
    case TA_INT: return arena_printf(&l->arena, "%lld", (long long)a->i);
    case TA_BOOL: return a->i ? "true" : "false";
    case TA_FLOAT:
      if (!rat_is_finite(a->r)) return a->r == RAT_POS_INF ? "inf" : a->r == RAT_NEG_INF ? "-inf" : "nan";
      return arena_printf(&l->arena, "%s.", rat_print(a->r, buf, sizeof buf));
    case TA_STRING: return arena_printf(&l->arena, "%zu\"%s\"", strlen(sym_text(a->s)), sym_text(a->s));
    case TA_DTYPE: return arena_printf(&l->arena, "%s", dtype_text((DType)a->i));
    case TA_GROUP: return "group";
    case TA_LIST: break;
  }
  char *out = "[";
  for (uint32_t k = 0; k < a->n; k++)
    out = arena_printf(&l->arena, "%s%s%s", out, k ? "," : "", literal_text(l, &a->list[k]));
  return arena_printf(&l->arena, "%s]", out);
}

/* An argument that is no tensor: numbers and lists of integers as such, for definitions to use; others as text. */
static Attr literal_attr(Lower *l, const char *name, const TorchArg *a) {
  int64_t list[TORCH_MAX_RANK];
  uint32_t n;
  if (a->kind == TA_INT || a->kind == TA_BOOL) return attr_int(name, a->i);
  if (a->kind == TA_FLOAT && rat_is_finite(a->r)) return attr_rat(name, a->r);
  if (a->kind == TA_STRING) return attr_sym(name, sym_text(a->s));
  if (a->n && arg_ints(a, list, TORCH_MAX_RANK, &n)) return attr_ints(l, name, list, n);
  return attr_sym(name, literal_text(l, a));
}

typedef struct Opaque {
  Vec(NodeId) args;
  Vec(Attr) attrs;
} Opaque;

/* Numbers on all ranks, of one kind: 1 and 1.0 may be different arguments. */
static bool is_number(const Lower *l, const TorchArg *a) {
  bool number = a->kind == TA_INT || a->kind == TA_BOOL || a->kind == TA_FLOAT;
  for (int64_t r = 0; r < l->p->n_ranks && number && a->ranks; r++)
    number = (a->ranks[r].kind == TA_FLOAT) == (a->kind == TA_FLOAT);
  return number;
}

static bool opaque_arg(Lower *l, Opaque *o, const char *name, const TorchArg *a) {
  bool number = is_number(l, a);
  if (a->kind == TA_TENSOR || (a->ranks && number)) {
    NodeId id = a->kind == TA_TENSOR ? arg_tensor(l, a) : arg_scalar(l, a, a->kind == TA_FLOAT ? DT_F64 : DT_S64);
    if (id == NO_NODE) return lower_error(l, E_UNSUPPORTED, "an operand differs from rank to rank");
    vec_push(&o->args, id);
    return true;
  }
  if (a->ranks) return lower_error(l, E_UNSUPPORTED, "%s has another argument on every rank", sym_text(l->node->op));
  if (a->kind == TA_LIST)
    for (uint32_t k = 0; k < a->n; k++)
      if ((a->list[k].kind == TA_TENSOR || a->list[k].kind == TA_LIST || a->list[k].ranks) &&
          !opaque_arg(l, o, NULL, &a->list[k])) return false;
  if (a->kind == TA_GROUP) {
    const TorchGroup *g = &l->p->groups[a->i];
    vec_push(&o->attrs, (Attr){.name = sym("replica_groups"), .kind = ATTR_GROUPS, .i = g->size, .ints = g->ranks,
                               .n = g->n * g->size});
  } else if (name) {
    vec_push(&o->attrs, literal_attr(l, name, a));
    if (a->kind == TA_STRING) /* and no other literal with this text */
      vec_push(&o->attrs, attr_int(arena_printf(&l->arena, "%s.string", name), 1));
  }
  return true;
}

Attr unique_attr(Lower *l) {
  return attr_sym("unique", arena_printf(&l->arena, "%s:%s", sym_text(l->g->path), sym_text(l->node->name)));
}

/* A definition of PyTorch's own name counts dimensions, of which complex operands have one more: it is none of those. */
static const char *opaque_name(Lower *l) {
  const TorchNode *n = l->node;
  bool complex = false;
  for (uint32_t k = 0; k < n->n_outs; k++) complex |= n->outs[k].tensor && n->outs[k].dtype == DT_C64;
  for (uint32_t k = 0; k < n->n_args; k++) complex |= arg_complex(l, &n->args[k]);
  for (uint32_t k = 0; k < n->n_kwargs; k++) complex |= arg_complex(l, &n->kwargs[k]);
  const char *name = sym_text(n->op);
  return complex && !strncmp(name, "aten.", 5) ? arena_printf(&l->arena, "%s of complex numbers", name) : name;
}

LowerResult lower_opaque(Lower *l, bool unique) {
  const TorchNode *n = l->node;
  Opaque o = {0};
  bool ok = true;
  for (uint32_t k = 0; ok && k < n->n_args; k++)
    ok = opaque_arg(l, &o, arena_printf(&l->arena, "arg%u", k), &n->args[k]);
  const char *keywords = "";
  for (uint32_t k = 0; ok && k < n->n_kwargs; k++) {
    size_t before = o.args.len;
    ok = opaque_arg(l, &o, sym_text(n->keys[k]), &n->kwargs[k]);
    if (o.args.len > before)
      keywords = arena_printf(&l->arena, "%s%s=%zu ", keywords, sym_text(n->keys[k]), o.args.len - before);
  }
  if (*keywords) vec_push(&o.attrs, attr_sym("keywords", keywords)); /* which operands they are */
  if (unique) {
    vec_push(&o.attrs, unique_attr(l));
    vec_push(&o.args, make_partition_id(l));
  }
  if (l->why) vec_push(&o.attrs, attr_sym("why", l->why));
  for (uint32_t k = 0; ok && k < n->n_outs; k++) {
    if (!n->outs[k].tensor) continue;
    NodeId id = make_out(l, k, opaque_name(l), o.args.at, (uint32_t)o.args.len, o.attrs.at, (uint32_t)o.attrs.len);
    l->g->nodes.at[id].result = (uint16_t)k;
    set_result(l, k, id);
  }
  vec_free(&o.args);
  vec_free(&o.attrs);
  return ok ? LOWER_DONE : LOWER_FAILED;
}

/* grad_output output_size input_size ..: an unknown function that does not know how many images there are. */
LowerResult lower_resize_gradient(Lower *l) {
  const TorchNode *n = l->node;
  TorchNode each = *n;
  if (n->n_args < 3 || n->args[2].kind != TA_LIST || n->args[2].ranks || n->args[2].n != 4) return LOWER_OPAQUE;
  TorchArg *args = arena_copy(&l->arena, n->args, n->n_args * sizeof *args);
  args[2].list += 2, args[2].n -= 2;
  each.args = args;
  l->node = arena_copy(&l->arena, &each, sizeof each);
  LowerResult r = lower_opaque(l, false);
  l->node = n;
  return r;
}
