import torch
import torch.distributed as dist
import torch.nn.functional as F
import tvr_torch as tvr

WORDS, FEATURES, ROWS, RANKS = 5, 2, 4, 3


class Copied(torch.autograd.Function):
    """What every rank has: its gradient is summed."""
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.clone()
        dist.all_reduce(grad, group=ctx.group)
        return grad, None


class Summed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        x = x.clone()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Head(torch.nn.Module):
    """5 words are cut into 2, 2 and 1."""
    def __init__(self, rank=0, ranks=1):
        super().__init__()
        self.words = torch.nn.Parameter(torch.empty(len(torch.arange(WORDS).chunk(ranks)[rank]), FEATURES))


def whole(head, x, y):
    F.cross_entropy(x @ head.words.t(), y).backward()


def cut(broken):
    def step(head, x, y, mesh):
        group = mesh.get_group()
        scores = Copied.apply(x, group) @ head.words.t()
        first = dist.get_rank(group) * 2
        if broken == "first-of-all" and dist.get_rank(group) == 2:
            first = 3
        largest = scores.detach().amax(-1)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX, group=group)
        total = (scores - largest[:, None]).exp().sum(-1)
        if broken != "last-not-counted" or dist.get_rank(group) < 2:
            total = total * 1
        else:
            total = total * 0
        total = Summed.apply(total, group)
        other = (y < first) | (y >= first + scores.shape[1])
        own = scores.gather(1, torch.where(other, 0, y - first)[:, None])[:, 0].masked_fill(other, 0.0)
        (total.log() + largest - Summed.apply(own, group)).mean().backward()
    return step


def program(broken=None):
    inputs = {"x": torch.empty(ROWS, FEATURES, requires_grad=True), "y": torch.zeros(ROWS, dtype=torch.int64)}
    return tvr.Program(whole, cut(broken), model=Head, parallelize=lambda model, mesh: Head(mesh.get_local_rank(), mesh.size()),
                       mesh={"tp": RANKS}, inputs=inputs, placements={"words": "S(0)"}, assume={"y": (0, WORDS)})
