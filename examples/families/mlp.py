"""An MLP under a tensor-parallel plan, forward and backward, captured at several batch sizes.

python3 mlp.py writes mlp-tp2/ again (needs torch); pytest mlp.py asks tvr."""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "frontends", "torch"))

import torch                                                            # noqa: E402
import torch.nn as nn                                                   # noqa: E402
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module  # noqa: E402

import tvr_torch as tvr                                                 # noqa: E402

SIZES = {"s": (4, 8, 12, 16, 516)}


class MLP(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(6, 8), nn.Linear(8, 6)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def tensor_parallel(model, mesh):
    return parallelize_module(model, mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()})


def step(model, x):
    loss = model(x).square().mean()
    loss.backward()
    return {"loss": loss}


def step_in_chunks(model, x):                            # drops what is left of the last chunk
    rows = x.shape[0] - x.shape[0] % 8 if x.shape[0] > 8 else x.shape[0]
    return step(model, x[:rows])


def family(distributed):
    return lambda s: tvr.Program(step, distributed, model=MLP, parallelize=tensor_parallel, root=HERE,
                                 inputs={"x": torch.empty(s, 6)}, mesh={"tp": 2})


def test_any_batch():
    tvr.check_family(family(step), SIZES, where="s % 4 == 0")


if __name__ == "__main__":
    folder = os.path.join(HERE, "mlp-tp2")
    tvr.export_family(folder, family(step), SIZES)
    tvr.export_family(os.path.join(folder, "broken", "last-chunk"), family(step_in_chunks), {"s": (4, 8, 12, 16)})
    for path in glob.glob(os.path.join(folder, "broken", "*", "[sr]e[ql]*")):
        os.remove(path)                                  # the same as of the right one
