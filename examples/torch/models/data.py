"""Data parallelism: every rank takes a part of the batch, gradients are averaged, AdamW steps."""
import torch
import torch.distributed as dist
import torch.nn as nn

from tvr_torch import Program


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(5, 7)
        self.out = nn.Linear(7, 3)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))


def train(model, x, target, optimizer):
    loss = nn.functional.mse_loss(model(x), target)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
    optimizer.step()
    return loss.detach()


def train_dp(model, x, target, optimizer):
    loss = nn.functional.mse_loss(model(x), target)
    loss.backward()
    loss = loss.detach()
    dist.all_reduce(loss, dist.ReduceOp.AVG)
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= dist.get_world_size()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False)
    optimizer.step()
    return loss


def adamw(parameters):
    return torch.optim.AdamW(parameters, lr=0.01, foreach=False)


def programs():
    inputs = {"x": torch.empty(6, 5), "target": torch.empty(6, 3)}
    return {"adamw-dp3": Program(train, train_dp, inputs, {"dp": 3}, Model, optimizer=adamw, optimizer_step=4,
                                 placements={"x": "S(0)", "target": "S(0)"})}
