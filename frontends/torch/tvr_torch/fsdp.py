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


@replaces("aten::as_strided")
def as_strided(x, size, stride, storage_offset=None):
    """Row-major parts of a row-major tensor are views; others stay what they are."""
    start = 0 if storage_offset is None else storage_offset - x.storage_offset()
    shape, row_major = list(size), [math.prod(size[k + 1:]) for k in range(len(size))]
    if not x.is_contiguous() or list(stride) != row_major or start < 0 or start + math.prod(shape) > x.numel():
        return torch.ops.aten.as_strided.default(x, size, stride, storage_offset)
    return x.view(-1).narrow(0, start, math.prod(shape)).view(shape)


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
