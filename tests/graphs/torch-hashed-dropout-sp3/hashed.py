import torch
import torch.distributed as dist

COLUMNS, SEED = 4, 7


def kept(position):
    """A quarter is dropped, by a hash of the place in the whole tensor: products of 60 bits, cut to 32."""
    h = ((position + SEED) * 0x45d9f3b) & 0xffffffff
    h = (((h >> 16) ^ h) * 0x45d9f3b) & 0xffffffff
    return ((h >> 16) ^ h) % 1024 >= 256


def dropout(x, first):
    rows = torch.arange(x.shape[0]).unsqueeze(1) + first
    return torch.where(kept(rows * COLUMNS + torch.arange(COLUMNS)), x / 0.75, 0.0)


def step(x, w):
    y = dropout(torch.tanh(x), 0) @ w
    y.square().sum().backward()
    return {"y": y.detach()}


def step_rank(x, w):
    y = dropout(torch.tanh(x), dist.get_rank() * x.shape[0]) @ w
    y.square().sum().backward()
    dist.all_reduce(w.grad)
    return {"y": y.detach()}
