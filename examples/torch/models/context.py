"""Context parallelism: the sequence is cut; causal attention gathers keys and values, or passes them around a ring."""
import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as funcol

from models.parallel import gather
from tvr_torch import Program

SCALE = 4 ** -0.5


def attention(q, k, v, first=0):
    """Causal attention of queries whose first row is at position `first`."""
    scores = q @ k.transpose(-1, -2) * SCALE
    row, column = torch.arange(q.shape[1]) + first, torch.arange(k.shape[1])
    return torch.softmax(scores.masked_fill(column > row[:, None], float("-inf")), -1) @ v


def step(q, k, v):
    y = attention(q, k, v)
    y.square().sum().backward()
    return y


def step_gather(q, k, v, mesh):
    group = mesh.get_group()
    y = attention(q, gather(k, group), gather(v, group), mesh.get_rank() * q.shape[1])
    y.square().sum().backward()
    return y


def whole(q, k, v):
    return torch.softmax(q @ k.transpose(-1, -2) * SCALE, -1) @ v


def shifted(x, mesh):
    """The block of the rank before, by a ring of sends."""
    n, rank = mesh.size(), mesh.get_rank()
    rows = lambda peer: [x.shape[0] if r == peer else 0 for r in range(n)]
    return funcol.wait_tensor(funcol.all_to_all_single(x, rows((rank - 1) % n), rows((rank + 1) % n), mesh.get_group()))


def ring(q, k, v, mesh):
    """Softmax block by block: the sum and the weighted sum are rescaled as the maximum grows."""
    top = torch.full(q.shape[:-1], -1e30)
    total, out = torch.zeros(q.shape[:-1]), torch.zeros(q.shape)
    for hop in range(mesh.size()):
        scores = q @ k.transpose(-1, -2) * SCALE
        new = torch.maximum(top, scores.amax(-1))
        old, weights = torch.exp(top - new), torch.exp(scores - new[..., None])
        total = total * old + weights.sum(-1)
        out = out * old[..., None] + weights @ v
        top = new
        if hop + 1 < mesh.size():
            k, v = shifted(k, mesh), shifted(v, mesh)
    return out / total[..., None]


def programs():
    f = lambda **more: {name: torch.empty(2, 6, 4, **more) for name in "qkv"}
    cut = {name: "S(1)" for name in "qkv"}
    return {"gather-cp3": Program(step, step_gather, f(requires_grad=True), {"cp": 3},
                                  placements=cut, outputs={"out": "S(1)"}),
            "ring-cp3": Program(whole, ring, f(), {"cp": 3}, placements=cut, outputs={"out": "S(1)"})}
