"""Experts with capacity: every token goes to its two best experts, at the place that counts how many went there before
it; the places of the experts travel to their ranks by all-to-all, and back. One device runs every expert on every token;
no expert can get more tokens than its capacity, so both compute the same."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from tvr_torch import Program

EXPERTS, CHOSEN, WIDTH, HIDDEN, TOKENS = 4, 2, 5, 6, 4        # tokens of a rank
CAPACITY = TOKENS                                             # of an expert, for the tokens of one rank


class Experts(nn.Module):
    def __init__(self, here=EXPERTS):
        super().__init__()
        self.router = nn.Linear(WIDTH, EXPERTS, bias=False)
        self.up = nn.Parameter(torch.zeros(here, WIDTH, HIDDEN))
        self.down = nn.Parameter(torch.zeros(here, HIDDEN, WIDTH))

    def route(self, x):
        weight, expert = torch.topk(torch.softmax(self.router(x), -1), CHOSEN)
        return weight / weight.sum(-1, keepdim=True), expert

    def run(self, x):
        """x: for each expert here its tokens."""
        return torch.bmm(F.silu(torch.bmm(x, self.up)), self.down)

    def forward(self, x):
        weight, expert = self.route(x)
        gates = torch.zeros(len(x), EXPERTS).scatter(-1, expert, weight)
        return torch.einsum("te,etd->td", gates, self.run(x.expand(EXPERTS, *x.shape)))


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

    def places(self, expert):
        """Which token, by which choice, goes to which place of which expert."""
        to = F.one_hot(expert, EXPERTS)                       # token, choice, expert
        flat = to.view(-1, EXPERTS)
        before = (torch.cumsum(flat, 0) - flat).view_as(to)
        place = (before * to).sum(-1)
        at = F.one_hot(place.clamp(max=CAPACITY - 1), CAPACITY) * (place < CAPACITY).unsqueeze(-1)
        return torch.einsum("tke,tkc->tkec", to.to(torch.float32), at.to(torch.float32))

    def forward(self, x):
        weight, expert = self.route(x)
        chosen = self.places(expert)
        sent = torch.einsum("tkec,td->ecd", chosen, x)
        here = EXPERTS // self.n
        got = Exchange.apply(sent, self.group).view(self.n, here, CAPACITY, WIDTH)
        y = self.run(got.transpose(0, 1).reshape(here, self.n * CAPACITY, WIDTH))
        back = y.view(here, self.n, CAPACITY, WIDTH).transpose(0, 1).reshape(EXPERTS, CAPACITY, WIDTH)
        return torch.einsum("tk,tkec,ecd->td", weight, chosen, Exchange.apply(back, self.group))


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
    return {"dispatch-ep2": Program(step, step_ep, {"x": torch.empty(2 * TOKENS, WIDTH)}, {"ep": 2}, Experts,
                                    lambda model, mesh: ParallelExperts(mesh),
                                    placements={"x": "S(0)", "up": "S(0)", "down": "S(0)"}, outputs={"out": "S(0)"})}
