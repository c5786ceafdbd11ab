import torch
import torch.distributed as dist
import torch.nn.functional as F

BETA, RATE, EPS = 0.99, 0.1, 1e-6


def gradients(up, bias, down, x):
    loss = (F.gelu(x @ up + bias) @ down).square().mean()
    return loss.detach(), torch.cat([g.flatten() for g in torch.autograd.grad(loss, (up, bias, down))])


def adam(flat, grad, norm, v, eps_inside=False):
    grad = grad * torch.clamp(1 / (norm + EPS), max=1.0)
    v = BETA * v + (1 - BETA) * grad * grad
    return flat - RATE * grad / ((v + EPS).sqrt() if eps_inside else v.sqrt() + EPS), v


def step(up, bias, down, v, x):
    """Parameter by parameter; what is kept of each is a part of one buffer of 24 + 6 + 12 = 42 numbers."""
    ps = up, bias, down
    loss, grad = gradients(*ps, x)
    norm, sizes = grad.square().sum().sqrt(), [p.numel() for p in ps]
    parts = zip(ps, grad.split(sizes), v.split(sizes))
    new = [adam(p.detach(), g.view_as(p), norm, w.view_as(p)) for p, g, w in parts]
    return {"loss": loss, "flat": torch.cat([p.flatten() for p, _ in new]), "v": torch.cat([w.flatten() for _, w in new])}


def step_sharded(up, bias, down, v, x, wrong=None):
    """Each device updates a third of the buffer, 14 numbers: the matrices are cut within their rows."""
    loss, grad = gradients(up, bias, down, x)
    n, rank = dist.get_world_size(), dist.get_rank()
    dist.all_reduce(loss)
    dist.all_reduce(grad)
    grad = grad / n
    norm = grad.chunk(n)[rank].square().sum() if wrong == "norm-of-shard" else grad.square().sum()
    of = (rank + 1) % n if wrong == "another-shard" else rank
    flat = torch.cat([p.detach().flatten() for p in (up, bias, down)])
    mine, v = adam(flat.chunk(n)[rank], grad.chunk(n)[of], norm.sqrt(), v, wrong == "epsilon-inside")
    parts = torch.empty(flat.numel())
    dist.all_gather_into_tensor(parts, mine)
    return {"loss": loss / n, "flat": parts, "v": v}
