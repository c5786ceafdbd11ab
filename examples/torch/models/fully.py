"""FSDP: fully_shard cuts the parameters of every module and gathers them for use; with tensor parallelism, too."""
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor import Partial
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from tvr_torch import Program


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(6, 8)
        self.down = nn.Linear(8, 4)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


class Odd(nn.Module):
    """Sizes that no two ranks can share evenly: they hold pieces of different sizes, padded in the buffers."""

    def __init__(self):
        super().__init__()
        self.up = nn.Linear(6, 5)
        self.norm = nn.LayerNorm(5)
        self.down = nn.Linear(5, 3)

    def forward(self, x):
        return self.down(self.norm(nn.functional.silu(self.up(x))))


def step(model, x, target):
    """On one device the all-reduce does nothing."""
    loss = (model(x) - target).square().mean()
    loss.backward()
    loss = loss.detach()
    dist.all_reduce(loss, dist.ReduceOp.AVG)
    return {"loss": loss}


def sharded(model, mesh):
    """The first layer by itself; the second and its bias in one buffer."""
    fully_shard(model.up, mesh=mesh)
    return fully_shard(model, mesh=mesh)


def sharded_mixed(model, mesh):
    """Gathered in half precision, reduced in single precision."""
    policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32, output_dtype=torch.float32)
    fully_shard(model.up, mesh=mesh, mp_policy=policy)
    return fully_shard(model, mesh=mesh, mp_policy=policy)


def sharded_twice(model, mesh):
    """Tensor parallel along tp, and every part of a parameter cut along dp."""
    parallelize_module(model, mesh["tp"], {"up": ColwiseParallel(), "down": RowwiseParallel()})
    return fully_shard(model, mesh=mesh["dp"])


def programs():
    inputs = {"x": torch.empty(4, 6), "target": torch.empty(4, 4)}
    cut = {"x": {"dp": "S(0)"}, "target": {"dp": "S(0)"}}
    return {"fsdp-dp2": Program(step, None, inputs, {"dp": 2}, MLP, sharded, placements=cut),
            "fsdp-uneven-dp2": Program(step, None, inputs | {"target": torch.empty(4, 3)}, {"dp": 2}, Odd, sharded_mixed,
                                       placements=cut),
            "fsdp-dp2-tp2": Program(step, None, inputs, {"dp": 2, "tp": 2}, MLP, sharded_twice, placements=cut)}
