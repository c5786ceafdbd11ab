import torch
import torch.distributed as dist
import torch.nn.functional as F


def loss_of(up, bias, down, x):
    return (F.gelu(x @ up + bias) @ down).square().mean()


def step(up, bias, down, x):
    """Gradients are added into views of one buffer, last parameter first."""
    ps = up, bias, down
    buffer = torch.zeros(sum(p.numel() for p in ps))
    views = [part.view_as(p) for p, part in zip(ps, buffer.split([p.numel() for p in ps]))]
    loss = loss_of(*ps, x)
    for view, grad in reversed(list(zip(views, torch.autograd.grad(loss, ps)))):
        view.add_(grad)
    return {"loss": loss.detach(), "up": views[0], "bias": views[1], "down": views[2]}


def step_in_buckets(up, bias, down, x, wrong=None):
    """The buffer is averaged over the devices as two buckets, in place; a third bucket is padding."""
    ps = up, bias, down
    sizes, n = [p.numel() for p in ps], dist.get_world_size()
    buffer = torch.zeros(sum(sizes) + 6)
    views = [part.view_as(p) for p, part in zip(ps, buffer.split([*sizes, 6]))]
    loss = loss_of(*ps, x)
    for view, grad in reversed(list(zip(views, torch.autograd.grad(loss, ps)))):
        view.add_(grad)
    cut = sizes[0] + (0 if wrong == "short-bucket" else sizes[1])
    for bucket in (buffer[sizes[0] + sizes[1]:], buffer[:cut]):
        bucket *= 1 / n
        dist.all_reduce(bucket)
    if wrong == "late-gradient":
        views[1].add_(torch.autograd.grad(loss_of(*ps, x), bias)[0])
    dist.all_reduce(loss := loss.detach())
    return {"loss": loss / n, "up": views[0], "bias": views[1], "down": views[2]}
