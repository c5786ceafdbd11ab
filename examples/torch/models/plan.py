"""Tensor and sequence parallelism of a transformer block, written as a plan of DTensor."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch.distributed.tensor.parallel import (ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel,
                                               parallelize_module)

from tvr_torch import Program

HEADS, WIDTH = 4, 3


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, HEADS * WIDTH, bias=False) for _ in range(3))
        self.o = nn.Linear(HEADS * WIDTH, 8, bias=False)

    def forward(self, x):
        split = lambda t: t.view(*t.shape[:2], -1, WIDTH).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(x)), split(self.v(x))
        scores = q @ k.transpose(-1, -2) * WIDTH ** -0.5
        hidden = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        y = F.softmax(scores.masked_fill(hidden, float("-inf")), -1) @ v
        return self.o(y.transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate, self.up = nn.Linear(8, 12, bias=False), nn.Linear(8, 12, bias=False)
        self.down = nn.Linear(12, 8, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.RMSNorm(8), nn.RMSNorm(8)
        self.attention, self.mlp = Attention(), MLP()

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


def step(model, x):
    y = model(x)
    loss = y.square().sum()
    loss.backward()
    return y


def step_sp(model, x, mesh):
    x = DTensor.from_local(x, mesh, [Shard(1)])
    y = model(x)
    loss = y.square().sum()
    loss.backward()
    return y


def tensor_parallel(block, mesh):
    columns, rows = ColwiseParallel(), RowwiseParallel()
    return parallelize_module(block, mesh, {
        "attention.q": columns, "attention.k": columns, "attention.v": columns, "attention.o": rows,
        "mlp.gate": columns, "mlp.up": columns, "mlp.down": rows})


def sequence_parallel(block, mesh):
    columns = ColwiseParallel()
    whole = PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))
    rows = RowwiseParallel(output_layouts=Shard(1), use_local_output=False)
    return parallelize_module(block, mesh, {
        "norm1": SequenceParallel(), "norm2": SequenceParallel(),
        "attention": whole, "attention.q": columns, "attention.k": columns, "attention.v": columns, "attention.o": rows,
        "mlp": whole, "mlp.gate": columns, "mlp.up": columns, "mlp.down": rows})


def programs():
    x = {"x": torch.empty(2, 6, 8, requires_grad=True)}
    return {"block-tp2": Program(step, None, x, {"tp": 2}, Block, tensor_parallel),
            "block-sp2": Program(step, step_sp, {"x": torch.empty(2, 6, 8)}, {"tp": 2}, Block, sequence_parallel,
                                 placements={"x": "S(1)"})}
