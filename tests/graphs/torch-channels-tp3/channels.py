"""A convolution and a norm over all of its channels, with the channels cut over tp."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

import tvr_torch as tvr


class Net(nn.Module):
    def __init__(self, channels=6):
        super().__init__()
        self.conv = nn.Conv2d(2, channels, 3, padding=1)
        self.scale = nn.Parameter(torch.ones(channels))
        self.shift = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        return F.silu(F.group_norm(self.conv(x), 1, self.scale, self.shift, 1e-5))


def all_reduce(x):
    x = x.clone()
    dist.all_reduce(x)
    return x


class Enter(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x.clone())
    backward = staticmethod(lambda ctx, g: all_reduce(g))


class Total(torch.autograd.Function):                    # every rank uses the sum over all
    forward = staticmethod(lambda ctx, x: all_reduce(x))
    backward = staticmethod(lambda ctx, g: all_reduce(g))


class ParallelNet(Net):
    def __init__(self, ranks):
        super().__init__(6 // ranks)
        self.ranks = ranks

    def forward(self, x):
        h = self.conv(Enter.apply(x))
        n = h[0].numel() * self.ranks
        h = h - Total.apply(h.sum((1, 2, 3), keepdim=True)) / n
        variance = Total.apply(h.square().sum((1, 2, 3), keepdim=True)) / n
        h = h * torch.rsqrt(variance + 1e-5)
        return F.silu(h * self.scale[:, None, None] + self.shift[:, None, None])


def step(model, x, dy):
    y = model(x)
    (y * dy).sum().backward()
    return {"y": y}


program = tvr.Program(
    step, model=Net, parallelize=lambda model, mesh: ParallelNet(mesh.size()), mesh={"tp": 3},
    inputs={"x": torch.empty(2, 2, 4, 5, requires_grad=True), "dy": torch.empty(2, 6, 4, 5)},
    placements={"conv": "S(0)", "scale": "S(0)", "shift": "S(0)", "dy": "S(1)"}, outputs={"y": "S(1)"})
