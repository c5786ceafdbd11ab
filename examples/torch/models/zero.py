"""ZeRO 3: parameters, gradients and the state of AdamW are cut over the ranks, each of which takes part of the batch."""
import torch
import torch.distributed as dist
import torch.nn as nn

from models.parallel import pair
from tvr_torch import Program


class Model(nn.Module):
    def __init__(self, ranks=1):
        super().__init__()
        self.up = nn.Parameter(torch.zeros(8 // ranks, 6))
        self.down = nn.Parameter(torch.zeros(4 // ranks, 8))

    def forward(self, x):
        return torch.relu(x @ self.up.T) @ self.down.T


def whole(x, group):
    out = x.new_empty(x.shape[0] * dist.get_world_size(group), *x.shape[1:])
    dist.all_gather_into_tensor(out, x.contiguous(), group=group)
    return out


def averaged(g, group):
    out = g.new_empty(g.shape[0] // dist.get_world_size(group), *g.shape[1:])
    dist.reduce_scatter_tensor(out, g.contiguous(), dist.ReduceOp.AVG, group=group)
    return out


gathered = pair(whole, averaged)             # a parameter for use; its gradient is averaged and cut


class Sharded(Model):
    def __init__(self, mesh):
        super().__init__(mesh.size())
        self.group = mesh.get_group()

    def forward(self, x):
        return torch.relu(x @ gathered(self.up, self.group).T) @ gathered(self.down, self.group).T


def train(model, x, target, optimizer):
    loss = (model(x) - target).square().mean()
    loss.backward()
    norm = sum(p.grad.square().sum() for p in model.parameters()).sqrt()
    for p in model.parameters():
        p.grad *= torch.clamp(1.0 / (norm + 1e-6), max=1.0)
    optimizer.step()
    return loss.detach(), norm


def train_sharded(model, x, target, optimizer, mesh):
    loss = (model(x) - target).square().mean()
    loss.backward()
    total = sum(p.grad.square().sum() for p in model.parameters())
    dist.all_reduce(total)
    norm, loss = total.sqrt(), loss.detach()
    dist.all_reduce(loss, dist.ReduceOp.AVG)
    for p in model.parameters():
        p.grad *= torch.clamp(1.0 / (norm + 1e-6), max=1.0)
    optimizer.step()
    return loss, norm


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=0.01, foreach=False)


def programs():
    inputs = {"x": torch.empty(8, 6), "target": torch.empty(8, 4)}
    cut = {"x": "S(0)", "target": "S(0)", "up": "S(0)", "down": "S(0)"}
    return {"zero3-dp4": Program(train, train_sharded, inputs, {"dp": 4}, Model, lambda model, mesh: Sharded(mesh),
                                 optimizer=adamw, optimizer_step=2, placements=cut)}
