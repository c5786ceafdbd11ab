"""Expert parallelism: every rank has two experts; tokens travel to them and back by all-to-all."""
import torch
import torch.distributed as dist
import torch.nn as nn

from tvr_torch import Program

EXPERTS, WIDTH, HIDDEN, TOKENS = 4, 5, 6, 8


class Experts(nn.Module):
    """Every token goes to every expert, weighted by its gate."""

    def __init__(self, here=EXPERTS):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.up = nn.Parameter(torch.zeros(here, WIDTH, HIDDEN))
        self.down = nn.Parameter(torch.zeros(here, HIDDEN, WIDTH))

    def run(self, x):
        """x: for each expert here its tokens."""
        return torch.bmm(torch.relu(torch.bmm(x, self.up)), self.down)

    def forward(self, x):
        gates = torch.softmax(self.router(x), -1)
        y = self.run(x.expand(EXPERTS, *x.shape))
        return torch.einsum("te,etd->td", gates, y)


class Exchange(torch.autograd.Function):
    """Equal pieces along the first dimension to every rank; gradients travel back."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group, y = group, torch.empty_like(x)
        dist.all_to_all_single(y, x.contiguous(), group=group)
        return y

    @staticmethod
    def backward(ctx, g):
        return Exchange.apply(g, ctx.group), None


class ParallelExperts(Experts):
    def __init__(self, mesh):
        super().__init__(EXPERTS // mesh.size())
        self.n, self.group = mesh.size(), mesh.get_group()

    def forward(self, x):
        t, here = x.shape[0], EXPERTS // self.n
        gates = torch.softmax(self.router(x), -1)
        sent = x.expand(EXPERTS, t, WIDTH)
        got = Exchange.apply(sent, self.group).view(self.n, here, t, WIDTH)
        y = self.run(got.transpose(0, 1).reshape(here, self.n * t, WIDTH))
        back = y.view(here, self.n, t, WIDTH).transpose(0, 1).reshape(EXPERTS, t, WIDTH)
        y = Exchange.apply(back, self.group)
        return torch.einsum("te,etd->td", gates, y)


def step(model, x):
    y = model(x)
    y.square().sum().backward()
    return y


def step_ep(model, x):
    y = model(x)
    y.square().sum().backward()
    dist.all_reduce(model.router.weight.grad)
    return y


def programs():
    return {"experts-ep2": Program(step, step_ep, {"x": torch.empty(TOKENS, WIDTH)}, {"ep": 2}, Experts,
                                   lambda model, mesh: ParallelExperts(mesh),
                                   placements={"x": "S(0)", "up": "S(0)", "down": "S(0)"}, outputs={"out": "S(0)"})}
