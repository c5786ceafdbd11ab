"""A pipeline of stages that send and receive: two microbatches forward, then backward."""
import torch
import torch.distributed as dist
import torch.nn as nn

from tvr_torch import Place, Program

MICRO, ROWS, WIDTH, STAGES = 2, 3, 5, 3


class Model(nn.Module):
    def __init__(self, layers=range(STAGES)):
        super().__init__()
        self.layers = nn.ModuleDict({str(k): nn.Linear(WIDTH, WIDTH) for k in layers})

    def forward(self, x):
        for layer in self.layers.values():
            x = torch.tanh(layer(x))
        return x


def step(model, x, target):
    loss = (model(x) - target).square().mean()
    loss.backward()
    return {"loss": loss}


def received(source):
    buffer = torch.empty(ROWS, WIDTH)
    dist.recv(buffer, source)
    return buffer


def step_stage(model, x, target, mesh):
    """All forwards, then all backwards; only the last stage knows the loss."""
    stage, held, total = mesh.get_rank(), [], 0
    for part in x.chunk(MICRO):
        given = part if stage == 0 else received(stage - 1).requires_grad_()
        made = model(given)
        if stage < STAGES - 1:
            dist.send(made.detach(), stage + 1)
        held.append((given, made))
    for (given, made), labels in zip(held, target.chunk(MICRO)):
        if stage == STAGES - 1:
            loss = (made - labels).square().mean() / MICRO
            total = total + loss.detach()
            loss.backward()
        else:
            made.backward(received(stage + 1))
        if stage > 0:
            dist.send(given.grad, stage - 1)
    return {"loss": total} if stage == STAGES - 1 else {}


def programs():
    inputs = {"x": torch.empty(MICRO * ROWS, WIDTH), "target": torch.empty(MICRO * ROWS, WIDTH)}
    return {"pipeline-pp3": Program(step, step_stage, inputs, {"pp": STAGES}, Model,
                                    lambda model, mesh: Model([mesh.get_rank()]))}
