import torch
import torch.distributed as dist
import torch.nn.functional as F
from tvr_torch import Program

EXPERTS, CHOICES, WIDTH = 3, 2, 4


def experts(x, router, up, down, mistake):
    """Rows of tokens, each of two choices, are sorted by expert; every expert multiplies the rows of its own group."""
    weight, expert = torch.topk((x @ router).softmax(-1), CHOICES, dim=-1)
    ids, order = torch.sort(expert.flatten())
    rows = x[order // CHOICES] if mistake != "choice-as-token" else x[order % x.shape[0]]
    counted = ids if mistake != "counts-of-choices" else expert[:, 0].repeat(CHOICES)
    counts = torch.histc(counted.float(), bins=EXPERTS, min=0, max=EXPERTS - 1)
    ends = counts.cumsum(0, dtype=torch.int32)
    y = F.grouped_mm(F.silu(F.grouped_mm(rows, up, offs=ends)), down, offs=ends) * weight.flatten()[order][:, None]
    back = torch.empty_like(order)
    back[order] = torch.arange(order.shape[0])
    return y[back if mistake != "not-put-back" else order].unflatten(0, (-1, CHOICES)).sum(1)


def step(x, router, up, down, mistake=None):
    y = experts(x, router, up, down, mistake)
    y.square().sum().backward()
    return {"y": y.detach()}


def program(mistake=None):
    def ranks(x, router, up, down):
        out = step(x, router, up, down, mistake)
        for w in (router, up, down):
            dist.all_reduce(w.grad)
        return out

    w = lambda *shape: torch.empty(shape, requires_grad=True)
    inputs = {"x": torch.empty(4, WIDTH), "router": w(WIDTH, EXPERTS), "up": w(EXPERTS, WIDTH, WIDTH), "down": w(EXPERTS, WIDTH, WIDTH)}
    return Program(step, ranks, inputs, {"dp": 2}, placements={"x": "S(0)"}, outputs={"y": "S(0)"})
