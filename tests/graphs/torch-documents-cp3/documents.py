"""Documents packed into one sequence: a position sees those before it in its own document.  The sequence is cut."""
import torch
import torch.distributed as dist

from tvr_torch import Program


def gather(x, group):
    out = torch.empty(dist.get_world_size(group) * x.shape[0], *x.shape[1:], dtype=x.dtype)
    dist.all_gather_into_tensor(out, x, group=group)
    return out


def attend(q, k, v, seen):
    return (q @ k.t() / 2).masked_fill(~seen, float("-inf")).softmax(-1) @ v


def step(q, k, v, document):
    at = torch.arange(len(q))
    return attend(q, k, v, (document[:, None] == document) & (at[:, None] >= at))


def step_cp(q, k, v, document, mesh):
    group, n, rank = mesh.get_group(), len(q), mesh.get_rank()
    every = gather(document, group)
    at = torch.arange(len(every))
    own = document[:, None] == every
    return attend(q, gather(k, group), gather(v, group), own & (at[n * rank:n * (rank + 1), None] >= at))


def program():
    inputs = {name: torch.empty(6, 4) for name in "qkv"} | {"document": torch.zeros(6, dtype=torch.long)}
    return Program(step, step_cp, inputs, {"cp": 3}, placements={name: "S(0)" for name in inputs}, outputs={"out": "S(0)"},
                   assume={"document": (0, 4)})
