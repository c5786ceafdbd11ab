import math
import torch
import torch.distributed as dist
import torch.nn as nn
from tvr_torch import Place, Program

WIDTH, HEADS, KEYS, SIZE = 4, 6, 3, 2


class Gather(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        parts = [torch.empty_like(x) for _ in range(dist.get_world_size(group))]
        dist.all_gather(parts, x.contiguous(), group=group)
        return torch.cat(parts, 1)

    @staticmethod
    def backward(ctx, g):
        parts = [p.contiguous() for p in g.chunk(dist.get_world_size(ctx.group), 1)]
        out = torch.empty_like(parts[0])
        dist.reduce_scatter(out, parts, group=ctx.group)
        return out, None


class Scatter(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        parts = [p.contiguous() for p in x.chunk(dist.get_world_size(group), 1)]
        out = torch.empty_like(parts[0])
        dist.reduce_scatter(out, parts, group=group)
        return out

    @staticmethod
    def backward(ctx, g):
        return Gather.apply(g, ctx.group), None


class Attention(nn.Module):
    def __init__(self, group=None):
        super().__init__()
        self.group, self.n = group, dist.get_world_size(group) if group else 1
        self.norm = nn.RMSNorm(WIDTH, eps=1e-5)
        self.qkv = nn.Linear(WIDTH, (HEADS + 2 * KEYS) * SIZE // self.n)
        self.out = nn.Linear(HEADS * SIZE // self.n, WIDTH, bias=False)

    def forward(self, x):
        h = self.norm(x)
        if self.group:
            h = Gather.apply(h, self.group)
        parts = [heads * SIZE // self.n for heads in (HEADS, KEYS, KEYS)]
        q, k, v = (t.unflatten(-1, (-1, SIZE)).transpose(1, 2) for t in self.qkv(h).split(parts, -1))
        k, v = (t.repeat_interleave(HEADS // KEYS, 1) for t in (k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(SIZE)
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        y = scores.masked_fill(mask, -torch.inf).softmax(-1) @ v
        y = self.out(y.transpose(1, 2).flatten(2))
        return x + (Scatter.apply(y, self.group) if self.group else y)


def step(model, x):
    y = model(x)
    (0.5 * y.square().sum()).backward()
    return {"y": y}


def step_on_ranks(model, x):
    y = model(x)
    (0.5 * y.square().sum()).backward()
    dist.all_reduce(model.norm.weight.grad)
    return {"y": y}


def order(n):
    rows = []
    for r in range(n):
        for first, heads in ((0, HEADS), (HEADS, KEYS), (HEADS + KEYS, KEYS)):
            rows += range(first + r * heads // n, first + (r + 1) * heads // n)
    return rows


def program():
    packed = Place({"tp": "S(0)"}, blocks=(0, order(3)))
    return Program(step, step_on_ranks, {"x": torch.empty(1, 3, WIDTH, requires_grad=True)}, {"tp": 3}, Attention,
                   lambda model, mesh: Attention(mesh.get_group()),
                   placements={"x": "S(1)", "qkv": packed, "out.weight": "S(1)"}, outputs={"y": "S(1)"})
