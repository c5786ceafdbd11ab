"""The tour of README.md: an MLP for one device, and the part of it that every rank of a tensor-parallel group runs."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

import tvr_torch as tvr


class MLP(nn.Module):
    def __init__(self, ranks=1):
        super().__init__()
        self.up = nn.Linear(8, 12 // ranks)
        self.down = nn.Linear(12 // ranks, 8)

    def forward(self, x):
        return self.down(F.gelu(self.up(x)))


def all_reduce(x):
    x = x.clone()
    dist.all_reduce(x)
    return x


class Enter(torch.autograd.Function):                    # every rank uses x, so its gradients add up
    forward = staticmethod(lambda ctx, x: x.clone())
    backward = staticmethod(lambda ctx, g: all_reduce(g))


class Leave(torch.autograd.Function):                    # the products of the ranks add up
    forward = staticmethod(lambda ctx, x: all_reduce(x))
    backward = staticmethod(lambda ctx, g: g)


class ParallelMLP(MLP):
    def forward(self, x):
        h = F.gelu(self.up(x))
        return Leave.apply(F.linear(h, self.down.weight)) + self.down.bias


def step(model, x):
    loss = model(x).square().mean()
    loss.backward()
    return {"loss": loss}


program = tvr.Program(
    step, model=MLP, parallelize=lambda model, mesh: ParallelMLP(mesh.size()), mesh={"tp": 2},
    inputs={"x": torch.empty(4, 8, requires_grad=True)}, placements={"up": "S(0)", "down.weight": "S(1)"})


def test_mlp():
    tvr.check(program)
