import torch
import torch.distributed as dist
from tvr_torch import Program


def step(x):
    return {"largest": torch.linalg.vector_norm(x, float("inf")), "third": torch.linalg.vector_norm(x, 3)}


def program(bug=None):
    def ranks(x, mesh):
        largest, cubes = x.abs().max(), (x.abs() ** 3).sum()
        if bug == "root-of-part":
            cubes = cubes ** (1 / 3)
        dist.all_reduce(largest, dist.ReduceOp.SUM if bug == "largest-summed" else dist.ReduceOp.MAX, mesh.get_group())
        dist.all_reduce(cubes, group=mesh.get_group())
        return {"largest": largest, "third": cubes if bug == "root-of-part" else cubes ** (1 / 3)}

    return Program(step, ranks, {"x": torch.empty(7, 2)}, {"dp": 3}, placements={"x": "S(0)"})
