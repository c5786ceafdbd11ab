"""An image is enlarged: rows and columns are read at half their index, rounded down.  Its rows are cut."""
import torch
import torch.nn.functional as F

from tvr_torch import Program


def step(x, w):
    y = F.interpolate(x, scale_factor=2, mode="nearest") * w
    y.square().sum().backward()
    return y


def step_sp(x, w):
    y = x.repeat_interleave(2, -2)[..., torch.arange(8) // 2] * w
    y.square().sum().backward()
    return y


def program():
    inputs = {"x": torch.empty(1, 2, 6, 4, requires_grad=True), "w": torch.empty(12, 8)}
    return Program(step, step_sp, inputs, {"sp": 3}, placements={"x": "S(2)", "w": "S(0)"}, outputs={"out": "S(2)"})
