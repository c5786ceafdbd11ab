"""Context parallelism in zig-zag order: every rank has an early and a late block of the sequence, so that all have as much
to do under a causal mask. Keys and values are gathered; rotary embedding and mask go by the positions of the rows."""
import torch

from models.parallel import gather
from tvr_torch import Place, Program

WIDTH, RANKS = 4, 2


def rotated(x, position):
    """Rotary embedding of rows at these positions."""
    angle = position[:, None] * 10000.0 ** (-torch.arange(0, WIDTH, 2) / WIDTH)
    cos, sin = angle.cos(), angle.sin()
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)


def attention(q, k, v, row, column):
    """Causal attention of queries and keys at these positions."""
    scores = q @ k.transpose(-1, -2) * WIDTH ** -0.5
    return torch.softmax(scores.masked_fill(column > row[:, None], float("-inf")), -1) @ v


def step(q, k, v):
    row = torch.arange(q.shape[1])
    y = attention(rotated(q, row), rotated(k, row), v, row, row)
    y.square().sum().backward()
    return y


def blocks(n):
    """Of the sequence, in the order of the ranks: rank r has the r-th from the front and the r-th from the end."""
    return [block for r in range(n) for block in (r, 2 * n - 1 - r)]


def rows(numbers, length):
    """Positions of the rows of these blocks."""
    return torch.cat([n * length + torch.arange(length) for n in numbers])


def step_zigzag(q, k, v, mesh):
    n, r, group, length = mesh.size(), mesh.get_rank(), mesh.get_group(), q.shape[1] // 2
    row = rows([r, 2 * n - 1 - r], length)
    column = rows(blocks(n), length)
    q, k = rotated(q, row), rotated(k, row)
    y = attention(q, gather(k, group), gather(v, group), row, column)
    y.square().sum().backward()
    return y


def programs():
    folded = Place("S(1)", blocks=(1, blocks(RANKS)))
    return {"zigzag-cp2": Program(step, step_zigzag, {n: torch.empty(2, 8, WIDTH, requires_grad=True) for n in "qkv"},
                                  {"cp": RANKS}, placements={n: folded for n in "qkv"}, outputs={"out": folded})}
