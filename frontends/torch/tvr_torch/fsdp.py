"""fsdp: modules of `fully_shard`, whose hooks gather and free parameters behind the module's back.

Its own operators are written with those of ATen, and its parameters follow when the traced ones take their place.
"""
import math

import torch
from torch.distributed.fsdp import FSDPModule

from .collectives import replaces


@replaces("fsdp::split_with_sizes_copy")
def split_with_sizes_copy(x, sizes, dim=0, *, out):
    for o, part in zip(out, x.split_with_sizes(sizes, dim)):
        o.copy_(part)


@replaces("fsdp::all_gather_copy_in")
def all_gather_copy_in(inputs, output, sizes, numel, rank):
    return torch.cat([x.reshape(-1) for x in inputs]), output            # the whole output is written afterwards


def strided(x, size, stride):
    """Elements `stride` apart of the last dimension, which is long enough."""
    for k, (n, step) in enumerate(zip(size, stride)):
        inner = reach(size[k + 1:], stride[k + 1:])
        if n == 1 or step == 0:
            x = x.narrow(-1, 0, inner).unsqueeze(-2).expand(*x.shape[:-1], n, inner)
        else:
            x = x.unfold(-1, inner, step).narrow(-2, 0, n)
    return x.select(-1, 0)


def reach(size, stride):
    return 1 + sum((n - 1) * step for n, step in zip(size, stride))


@replaces("aten::as_strided")
def as_strided(x, size, stride, storage_offset=None):
    """Parts of a row-major tensor are views, and dimensions that stay; of others it is not known where elements are."""
    start = 0 if storage_offset is None else storage_offset - x.storage_offset()
    size, stride = list(size), list(stride)
    shape, row_major = list(size), [math.prod(size[k + 1:]) for k in range(len(size))]
    if not x.is_contiguous() or start < 0 or start + reach(size, stride) > x.numel() or 0 in size:
        return torch.ops.aten.as_strided.default(x, size, stride, storage_offset)
    if stride == row_major:
        return x.view(-1).narrow(0, start, math.prod(shape)).view(shape)
    same = 0
    while not start and same < min(len(size), x.dim() - 1) and size[same] == x.shape[same] and stride[same] == x.stride(same) \
            and reach(size[same + 1:], stride[same + 1:]) <= x.stride(same):
        same += 1
    flat = x.view(*size[:same], -1)
    return strided(flat.narrow(-1, start, flat.shape[-1] - start), size[same:], stride[same:])


@replaces("fsdp::chunk_cat")
@replaces("fsdp::chunk_cat_mixed_dtype")                 # since PyTorch 2.15
def chunk_cat(tensors, dim, n, *, out):
    """For every chunk the k-th pieces of all tensors, flat, one after the other; short pieces are filled with zeros."""
    columns = []
    for x in tensors:
        width = -(-x.shape[dim] // n)
        missing = n * width - x.shape[dim]
        if missing:
            x = torch.cat([x, x.new_zeros(*x.shape[:dim], missing, *x.shape[dim + 1:])], dim)
        columns.append(torch.stack([c.reshape(-1) for c in x.split(width, dim)]).to(out.dtype))
    out.copy_(torch.cat(columns, 1).view(out.shape))


@replaces("fsdp::record_grad_output_stream")
def record_grad_output_stream(*_):
    pass                                                 # about memory alone


@replaces("fsdp::copy_")
def copy_(to, x):
    to.copy_(x)


@replaces("aten::_foreach_copy_")
def foreach_copy_(to, xs, *_, **__):
    for t, x in zip(to, xs):
        t.copy_(x)


def shards(model):
    """Its hooks exchange parameters of modules for those that are gathered."""
    return any(isinstance(module, FSDPModule) for module in model.modules())


def groups(model):
    for module in model.modules():
        state = module._get_fsdp_state() if isinstance(module, FSDPModule) else None
        yield from getattr(state, "_fsdp_param_groups", None) or filter(None, [getattr(state, "_fsdp_param_group", None)])


def follow(model):
    """The parameters in the modules are those that are gathered.

    A factor inside a reduction cannot be read from the operator, so one that is set is an operator of its own.
    """
    for group in groups(model):
        if group.gradient_divide_factor is not None:
            group.force_sum_reduction_for_comms = True
        for p in group.fsdp_params:
            p._sharded_param_data = None
            p.reset_sharded_param()
