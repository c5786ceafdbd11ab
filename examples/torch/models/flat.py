"""ZeRO 2 with one flat buffer: gradients of two microbatches are laid one after another, padded and cut; every rank clips
by the norm of all shards and updates its own part of the parameters, which are gathered again."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from tvr_torch import Program

ALIGN = 4                                    # every parameter begins at a multiple of this


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(5, 7)
        self.out = nn.Linear(7, 3)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


def error(model, x, target):
    return (model(x) - target).square().mean()


def updated(parameter, gradient, norm):
    return parameter - 0.1 * (gradient * torch.clamp(1.0 / (norm + 1e-6), max=1.0) + 0.01 * parameter)


def train(model, x, target):
    loss = error(model, x, target)
    parameters = list(model.parameters())
    gradients = torch.autograd.grad(loss, parameters)
    norm = sum(g.square().sum() for g in gradients).sqrt()
    return [loss.detach(), *(updated(p, g, norm) for p, g in zip(parameters, gradients))]


def place(n):
    return -(-n // ALIGN) * ALIGN


def flat(tensors, ranks):
    """One buffer of all tensors, which every rank has an equal part of."""
    buffer = torch.cat([F.pad(t.reshape(-1), (0, place(t.numel()) - t.numel())) for t in tensors])
    return F.pad(buffer, (0, -buffer.numel() % ranks))


def train_flat(model, x, target, mesh):
    ranks, rank = mesh.size(), mesh.get_rank()
    parameters, total, loss = list(model.parameters()), 0, 0
    for rows, wanted in zip(x.chunk(2), target.chunk(2)):
        part = error(model, rows, wanted) / 2
        total = total + flat(torch.autograd.grad(part, parameters), ranks)
        loss = loss + part.detach()
    own = total.new_empty(total.numel() // ranks)
    dist.reduce_scatter_tensor(own, total, dist.ReduceOp.AVG)
    square = own.square().sum()
    dist.all_reduce(square)
    dist.all_reduce(loss, dist.ReduceOp.AVG)
    mine = flat(parameters, ranks)[rank * own.numel():(rank + 1) * own.numel()]
    buffer = torch.empty_like(total)
    dist.all_gather_into_tensor(buffer, updated(mine, own, square.sqrt()))
    starts = [sum(place(p.numel()) for p in parameters[:k]) for k in range(len(parameters))]
    return [loss, *(buffer[at:at + p.numel()].view_as(p) for at, p in zip(starts, parameters))]


def programs():
    inputs = {"x": torch.empty(12, 5), "target": torch.empty(12, 3)}
    return {"zero2-flat-dp3": Program(train, train_flat, inputs, {"dp": 3}, Model,
                                      placements={"x": "S(0)", "target": "S(0)"})}
