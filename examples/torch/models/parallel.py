"""The communication patterns of tensor and sequence parallelism, each with the pattern of its gradient."""
import torch
import torch.distributed as dist


def all_reduce(x, group):
    x = x.contiguous().clone()
    dist.all_reduce(x, group=group)
    return x


def all_gather(x, group):
    parts = [torch.empty_like(x) for _ in range(dist.get_world_size(group))]
    dist.all_gather(parts, x.contiguous(), group=group)
    return torch.cat(parts, 1)


def reduce_scatter(x, group):
    parts = [p.contiguous() for p in x.chunk(dist.get_world_size(group), 1)]
    out = torch.empty_like(parts[0])
    dist.reduce_scatter(out, parts, group=group)
    return out


def pair(there, back):
    """A function of (x, group) whose gradient is `back` of the gradient."""
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, group):
            ctx.group = group
            return there(x, group)

        @staticmethod
        def backward(ctx, g):
            return back(g, ctx.group), None
    return Pair.apply


def same(x, group):
    return x.clone()


enter = pair(same, all_reduce)               # a copy goes into a parallel region: its gradients are summed
leave = pair(all_reduce, same)               # partial sums leave it: every rank has the same gradient
gather = pair(all_gather, reduce_scatter)    # a shard of the sequence becomes the whole sequence
scatter = pair(reduce_scatter, all_gather)   # partial sums become a shard of the summed sequence
