"""FSDP: fully_shard cuts the parameters of every module and gathers them for use."""
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import fully_shard

from tvr_torch import Program


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(6, 8, bias=False)
        self.down = nn.Linear(8, 4, bias=False)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def step(model, x, target):
    """On one device the all-reduce does nothing."""
    loss = (model(x) - target).square().mean()
    loss.backward()
    loss = loss.detach()
    dist.all_reduce(loss, dist.ReduceOp.AVG)
    return {"loss": loss}


def sharded(model, mesh):
    fully_shard(model.up, mesh=mesh)
    fully_shard(model.down, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def programs():
    inputs = {"x": torch.empty(4, 6), "target": torch.empty(4, 4)}
    return {"fsdp-dp2": Program(step, None, inputs, {"dp": 2}, MLP, sharded,
                                placements={"x": "S(0)", "target": "S(0)"})}
