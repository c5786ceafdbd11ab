import torch
import torch.distributed as dist
from tvr_torch import Program


def step(gradient, left):
    """Gradients of all ranks by rows: rounded to 255 steps of the largest, summed; what rounding left is kept."""
    v = gradient + left
    scale = v.abs().max() / 127
    rounded = (v / scale).round()
    return {"mean": rounded.sum(0) * scale / v.shape[0], "left": v - rounded * scale}


def program(mistake=None):
    def ranks(gradient, left):
        v, n = gradient + left, dist.get_world_size()
        scale = v.abs().max() / 127
        if mistake != "own-scale":
            dist.all_reduce(scale, dist.ReduceOp.MAX)
        rounded = (v / scale).round().to(torch.int32) if mistake != "cut-off" else (v / scale).to(torch.int32)
        total = rounded.clone()
        dist.all_reduce(total)
        return {"mean": total[0] * scale / n, "left": v - rounded * scale}

    inputs = {"gradient": torch.empty(3, 4), "left": torch.empty(3, 4)}
    return Program(step, ranks, inputs, {"dp": 3}, placements={k: "S(0)" for k in inputs}, outputs={"left": "S(0)"})
