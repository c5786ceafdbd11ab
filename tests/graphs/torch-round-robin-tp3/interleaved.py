import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


def all_reduce(x):
    x = x.clone()
    dist.all_reduce(x)
    return x


class Leave(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: all_reduce(x))
    backward = staticmethod(lambda ctx, g: g)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(9, 4)

    def forward(self, ids):
        return self.table(ids)


class Interleaved(nn.Module):
    """The rows of the table go round the ranks: rank r of n has rows r, r + n, r + 2 n, .."""

    def __init__(self, rank, n, turn=0, shared=False):
        super().__init__()
        self.rank, self.n, self.turn, self.shared = rank, n, turn, shared
        self.table = nn.Embedding(9 // n, 4)

    def forward(self, ids):
        mine = (ids + self.turn) % self.n == self.rank
        row = ids % (9 // self.n) if self.shared else ids // self.n
        return Leave.apply(self.table(row) * mine[:, None])


def step(model, ids):
    y = model(ids)
    y.square().sum().backward()
    return {"y": y}
