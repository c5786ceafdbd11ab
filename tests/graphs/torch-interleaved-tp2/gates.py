import torch
import torch.distributed as dist
import torch.nn.functional as F
from tvr_torch import Program


def all_reduce(x, group):
    x = x.clone()
    dist.all_reduce(x, group=group)
    return x


class Enter(torch.autograd.Function):
    """The identity; gradients are summed."""

    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.clone()

    @staticmethod
    def backward(ctx, d):
        return all_reduce(d, ctx.group), None


class Leave(torch.autograd.Function):
    """The sum; gradients are the same on all ranks."""

    @staticmethod
    def forward(ctx, x, group):
        return all_reduce(x, group)

    @staticmethod
    def backward(ctx, d):
        return d, None


def gated(x, up, down, bound=2.0):
    """Gates and values stand side by side, in turn, as in GPT-OSS; both are bounded."""
    y = x @ up.t()
    gate, value = y[..., ::2].clamp(max=bound), y[..., 1::2].clamp(-bound, bound)
    return (F.silu(gate) * (value + 1)) @ down


def step(x, up, down):
    loss = gated(x, up, down).square().sum()
    loss.backward()
    return {"loss": loss.detach()}


def gated_tp(x, up, down, bound=2.0):
    y = x @ up.t()
    gate, value = y[..., ::2].clamp(max=bound), y[..., 1::2].clamp(-bound, bound)
    return (F.silu(gate) * (value + 1)) @ down


def step_tp(x, up, down, mesh):
    group = mesh.get_group()
    loss = Leave.apply(gated_tp(Enter.apply(x, group), up, down), group).square().sum()
    loss.backward()
    return {"loss": loss.detach()}


def program():
    inputs = {"x": (3, 4), "up": (16, 4), "down": (8, 4)}
    return Program(step, step_tp, {name: torch.empty(*shape, requires_grad=True) for name, shape in inputs.items()},
                   {"tp": 2}, placements={"up": "S(0)", "down": "S(0)"})
