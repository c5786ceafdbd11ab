import torch
import torch.distributed as dist
import torch.nn.functional as F

NODES, LOWEST = 5, -1e30


def all_reduce(x, op=dist.ReduceOp.SUM):
    x = x.clone()
    dist.all_reduce(x, op)
    return x


def attend(h, a, source, target, largest=lambda x: x, weights=lambda x: x,
           total=lambda x: x):
    """Every node takes the mean of its neighbours, weighted by a softmax over the edges that end there."""
    e = F.leaky_relu((h[source] * a[0]).sum(1) + (h[target] * a[1]).sum(1), 0.2)
    top = largest(torch.full((NODES,), LOWEST).scatter_reduce(0, target, e, "amax"))
    p = torch.exp(e - top[target])
    weight = weights(torch.zeros(NODES).index_add(0, target, p))
    return total(torch.zeros(NODES, h.shape[1]).index_add(0, target, (p / (weight[target] + 1e-16))[:, None] * h[source]))


def step(h, a, source, target):
    return attend(h, a, source, target)


def step_edges(h, a, source, target, wrong=None):
    """Each device has a part of the edges."""
    largest = (lambda x: x) if wrong == "maximum-local" else lambda x: all_reduce(x, dist.ReduceOp.MAX)
    weights = (lambda x: x) if wrong == "weights-local" else all_reduce
    return attend(h, a, source, target, largest, weights, all_reduce)
