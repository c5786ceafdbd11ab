import torch
import torch.nn as nn
import tvr_torch as tvr
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, SequenceParallel, parallelize_module


class Model(nn.Module):
    """5 features are cut into 2, 2 and 1, the 4 rows of the head that a rank has into 2, 2 and none."""

    def __init__(self, broken=None):
        super().__init__()
        self.norm = nn.RMSNorm(5)
        self.up = nn.Linear(5, 10, bias=False)
        self.down = nn.Linear(10, 5, bias=False)
        self.head = nn.Linear(5, 8, bias=False)
        self.broken = broken

    def forward(self, x):
        return self.head(self.down(torch.relu(self.up(self.norm(x)))))


def parallelize(model, mesh):
    parallelize_module(model, mesh["tp"], {
        "norm": SequenceParallel(),
        "up": ColwiseParallel(input_layouts=Shard(1)),
        "down": RowwiseParallel(output_layouts=Shard(1)),
        "head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    })
    return fully_shard(model, mesh=mesh["dp"])


def program(broken=None):
    def step(model, x):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        model(x).square().mean().backward()
        clipped = list(model.parameters())
        nn.utils.clip_grad_norm_(clipped[1:] if model.broken == "one-not-counted" else clipped, 1.0, foreach=False)
        if model.broken == "clipped-twice":
            nn.utils.clip_grad_norm_(clipped, 0.5, foreach=False)
        optimizer.step()
        return {}

    def parallel(model, mesh):
        model.broken = broken
        return parallelize(model, mesh)

    return tvr.Program(step, None, {"x": torch.empty(3, 2, 5)}, {"dp": 3, "tp": 2}, Model, parallel,
                       placements={"x": {"dp": "S(0)"}})
