"""Collectives made functional while a program is traced.

Calls into torch.distributed reach the dispatcher as `c10d.*` operators that write into their arguments and take
process groups as opaque objects.  A dispatch mode replaces each by the functional operator of `_c10d_functional` and a
copy into the argument, so that it does not matter how a program imported or wrapped the call.  A group of one rank
communicates nothing.  What has no functional counterpart is an error, not a guess.
"""
import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FakeWork, ProcessGroup, ReduceOp, Work, _create_work_from_future
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass_type

F = torch.ops._c10d_functional
REPLACED = {}       # operator without overload -> what runs instead
REDUCTIONS = {int(getattr(ReduceOp, name.upper())): name for name in ("sum", "avg", "max", "min", "product")}


class NotFunctional(RuntimeError):
    pass


def prepare():
    """Groups made from now on are fake, whatever backend they ask for."""
    make = dist.distributed_c10d._new_process_group_helper

    def fake(size, rank, ranks, backend, *rest, **options):
        options.pop("backend_options", None)
        return make(size, rank, ranks, "fake", *rest, **options)

    dist.distributed_c10d._new_process_group_helper = fake


def replaces(name):
    def register(f):
        REPLACED[name] = f
        return f
    return register


def group_of(group):
    """The process group behind a name, a boxed object or the group itself."""
    if isinstance(group, str):
        return dist.distributed_c10d._resolve_process_group(group)
    return group if isinstance(group, ProcessGroup) else ProcessGroup.unbox(group)


def size(group):
    return dist.get_world_size(group)


def done(result=None):
    """Work that is complete, and whose future has the tensors written."""
    if result is None:
        return Work.boxed(FakeWork())
    future = torch.futures.Future()
    future.set_result(result)
    return Work.boxed(_create_work_from_future(future))


def wait(x):
    return F.wait_tensor(x)


def reduction(op):
    value = int(op.op()) if hasattr(op, "op") else int(op)
    if value not in REDUCTIONS:
        raise NotFunctional(f"the reduction {op} has no functional counterpart")
    return REDUCTIONS[value]


# ---- functional forms, a group of one rank left out
def all_reduce(x, op, group):
    return x.clone() if size(group) == 1 else wait(F.all_reduce(x, op, group.group_name))


def all_gather(x, group):
    return x.clone() if size(group) == 1 else wait(F.all_gather_into_tensor(x, size(group), group.group_name))


def reduce_scatter(x, op, group):
    return x.clone() if size(group) == 1 else wait(F.reduce_scatter_tensor(x, op, size(group), group.group_name))


def all_to_all(x, out_sizes, in_sizes, group):
    return x.clone() if size(group) == 1 else wait(F.all_to_all_single(x, out_sizes, in_sizes, group.group_name))


def broadcast(x, src, group):
    return x.clone() if size(group) == 1 else wait(F.broadcast(x, src, group.group_name))


def rows(x):
    """A tensor with a first dimension along which members' tensors can be put together."""
    return x.unsqueeze(0) if x.dim() == 0 else x


def same_shapes(tensors):
    if any(t.shape != tensors[0].shape for t in tensors):
        raise NotFunctional("a collective over a list of tensors of different shapes has no functional counterpart")


# ---- c10d.*: (arguments as in the schema of torch 2.13) -> result
@replaces("c10d::allreduce_")
def c10d_allreduce_(tensors, group, op, *_, **__):
    for t in tensors:
        t.copy_(all_reduce(t, reduction(op), group_of(group)))
    return tensors, done(tensors)


@replaces("c10d::allreduce_coalesced_")
def c10d_allreduce_coalesced_(tensors, group, op, *_, **__):
    return c10d_allreduce_(tensors, group, op)[1]


@replaces("c10d::reduce_")
def c10d_reduce_(tensors, group, op, root, *_, **__):
    group = group_of(group)
    for t in tensors:
        total = all_reduce(t, reduction(op), group)
        t.copy_(total if group.rank() == root else torch.empty_like(t))    # elsewhere the content is undefined
    return done()


@replaces("c10d::broadcast_")
def c10d_broadcast_(tensors, group, root, *_, **__):
    for t in tensors:
        t.copy_(broadcast(t, root, group_of(group)))
    return tensors, done(tensors)


@replaces("c10d::allgather_")
def c10d_allgather_(outputs, inputs, group, *_, **__):
    for outs, x in zip(outputs, inputs):
        same_shapes([x, *outs])
        parts = all_gather(x.unsqueeze(0), group_of(group)).unbind(0)
        for o, part in zip(outs, parts):
            o.copy_(part)
    return outputs, done(outputs)


@replaces("c10d::_allgather_base_")
def c10d_allgather_base_(output, x, group, *_, **__):
    y = all_gather(rows(x), group_of(group))
    output.copy_(y if y.shape == output.shape else y.reshape(output.shape))
    return output, done([output])


@replaces("c10d::allgather_into_tensor_coalesced_")
def c10d_allgather_into_tensor_coalesced_(outputs, inputs, group, *_, **__):
    for o, x in zip(outputs, inputs):
        c10d_allgather_base_(o, x, group)
    return done()


@replaces("c10d::_reduce_scatter_base_")
def c10d_reduce_scatter_base_(output, x, group, op, *_, **__):
    y = reduce_scatter(x, reduction(op), group_of(group))
    output.copy_(y if y.shape == output.shape else y.reshape(output.shape))
    return output, done([output])


@replaces("c10d::reduce_scatter_tensor_coalesced_")
def c10d_reduce_scatter_tensor_coalesced_(outputs, inputs, group, op, *_, **__):
    for o, x in zip(outputs, inputs):
        c10d_reduce_scatter_base_(o, x, group, op)
    return done()


@replaces("c10d::reduce_scatter_")
def c10d_reduce_scatter_(outputs, inputs, group, op, *_, **__):
    for o, parts in zip(outputs, inputs):
        same_shapes([o, *parts])
        o.copy_(reduce_scatter(torch.stack(parts), reduction(op), group_of(group)).squeeze(0))
    return outputs, done(outputs)


@replaces("c10d::alltoall_base_")
def c10d_alltoall_base_(output, x, group, out_sizes, in_sizes, *_, **__):
    n = size(group_of(group))
    out_sizes = list(out_sizes) or [output.shape[0] // n] * n
    in_sizes = list(in_sizes) or [x.shape[0] // n] * n
    output.copy_(all_to_all(x, out_sizes, in_sizes, group_of(group)))
    return done()


@replaces("c10d::alltoall_")
def c10d_alltoall_(outputs, inputs, group, *_, **__):
    rest = {t.shape[1:] for t in (*outputs, *inputs)}
    if len(rest) != 1 or inputs[0].dim() == 0:
        raise NotFunctional("all_to_all over tensors that differ in more than their first dimension")
    sizes = [t.shape[0] for t in outputs]
    y = all_to_all(torch.cat(list(inputs)), sizes, [t.shape[0] for t in inputs], group_of(group))
    for o, part in zip(outputs, y.split(sizes)):
        o.copy_(part)
    return outputs, done(outputs)


@replaces("c10d::gather_")
def c10d_gather_(outputs, inputs, group, root, *_, **__):
    for k, x in enumerate(inputs):
        parts = all_gather(x.unsqueeze(0), group_of(group)).unbind(0)
        if group_of(group).rank() == root:
            for o, part in zip(outputs[k], parts):
                o.copy_(part)
    return done()


@replaces("c10d::scatter_")
def c10d_scatter_(outputs, inputs, group, root, *_, **__):
    group = group_of(group)
    for k, o in enumerate(outputs):
        all_of_them = torch.stack(inputs[k]) if group.rank() == root else o.new_empty((size(group), *o.shape))
        o.copy_(broadcast(all_of_them, root, group)[group.rank()])
    return outputs, done(outputs)


@replaces("c10d::send")
def c10d_send(tensors, group, dst, tag):
    group = group_of(group)
    for t in tensors:
        F.isend(t, dist.get_global_rank(group, dst), tag, group.group_name)
    return done()


@replaces("c10d::recv_")
def c10d_recv_(tensors, group, src, tag):
    group = group_of(group)
    for t in tensors:
        t.copy_(wait(F.irecv(t, dist.get_global_rank(group, src), tag, group.group_name)))
    return done()


@replaces("c10d::barrier")
def c10d_barrier(*_, **__):
    return done()


# ---- functional operators, written with the simple ones
def simple(op):
    """The operator itself, its group by name; over a group of one rank a copy."""
    def run(x, *rest, group_name=None):
        *rest, group = rest if group_name is None else (*rest, group_name)
        return x.clone() if size(group_of(group)) == 1 else op(x, *rest, group_of(group).group_name)
    return run


def into(form):
    def run(x, *rest, out):
        return out.copy_(form(x, *rest))
    return run


for name in ("all_reduce", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all_single", "broadcast"):
    REPLACED["_c10d_functional::" + name] = simple(getattr(F, name).default)

REPLACED |= {"_c10d_functional::" + name: form for name, form in {
    "all_reduce_": lambda x, op, group: x.copy_(all_reduce(x, op, group_of(group))),
    "broadcast_": lambda x, src, group: x.copy_(broadcast(x, src, group_of(group))),
    "all_reduce_coalesced": lambda xs, op, group: [all_reduce(x, op, group_of(group)) for x in xs],
    "all_gather_into_tensor_coalesced": lambda xs, n, group: [all_gather(x, group_of(group)) for x in xs],
    "reduce_scatter_tensor_coalesced":
        lambda xs, op, n, group: [reduce_scatter(x, op, group_of(group)) for x in xs],
    "all_gather_into_tensor_out": into(lambda x, n, group: all_gather(x, group_of(group))),
    "reduce_scatter_tensor_out": into(lambda x, op, n, group: reduce_scatter(x, op, group_of(group))),
}.items()}


@replaces("_dtensor::shard_dim_alltoall")
def shard_dim_alltoall(x, gather_dim, shard_dim, group):
    group, n = group_of(group), size(group_of(group))
    pieces = torch.cat(x.chunk(n, shard_dim), 0)
    sizes = [pieces.shape[0] // n] * n
    return torch.cat(all_to_all(pieces, sizes, sizes, group).chunk(n, 0), gather_dim)


class Functional(TorchDispatchMode):
    """While active, every collective is one of `_c10d_functional`; `guard` is called before each operator."""

    def __init__(self, guard=None):
        super().__init__()
        self.guard = guard

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if any(is_traceable_wrapper_subclass_type(t) for t in types):
            return NotImplemented                        # DTensor desugars first; what it calls comes by here again
        if self.guard:
            self.guard(func, args, kwargs or {})
        replacement = REPLACED.get(func.name().split(".")[0])
        if replacement:
            return replacement(*args, **(kwargs or {}))
        if func.namespace == "c10d":
            raise NotFunctional(f"{func.name()} has no functional counterpart")
        return func(*args, **(kwargs or {}))
