"""Convolutions over images whose rows are cut over sp: a rank needs a row of each neighbour, and sends it the gradient of
that row.  The ranks at both ends have one neighbour, so their programs differ from those between."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from tvr_torch import Program

BATCH, CHANNELS, ROWS, COLUMNS, SLICES = 1, 2, 6, 3, 3


def exchange(above, below, mesh):
    """`above` goes to the rank before, `below` to the one behind; what comes from these, or zeros beyond the ends."""
    me, last = mesh.get_rank(), mesh.size() - 1
    before, behind = torch.zeros_like(above), torch.zeros_like(below)
    ops = []
    if me > 0:
        ops += [dist.P2POp(dist.isend, above, me - 1), dist.P2POp(dist.irecv, before, me - 1)]
    if me < last:
        ops += [dist.P2POp(dist.isend, below, me + 1), dist.P2POp(dist.irecv, behind, me + 1)]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    return before, behind


class Halo(torch.autograd.Function):
    """With the last row of the rank before, and the first of the one behind."""

    @staticmethod
    def forward(ctx, x, mesh):
        ctx.mesh = mesh
        before, behind = exchange(x[:, :, :1].clone(), x[:, :, -1:].clone(), mesh)
        return torch.cat([before, x, behind], 2)

    @staticmethod
    def backward(ctx, g):
        before, behind = exchange(g[:, :, :1].clone(), g[:, :, -1:].clone(), ctx.mesh)
        inner = g[:, :, 1:-1].clone()
        inner[:, :, :1] += before
        inner[:, :, -1:] += behind
        return inner, None


class Weight(torch.autograd.Function):
    """Every rank uses it, so its gradients add up."""
    forward = staticmethod(lambda ctx, w: w.clone())

    @staticmethod
    def backward(ctx, g):
        g = g.clone()
        dist.all_reduce(g)
        return g


class Model(nn.Module):
    def __init__(self, mesh=None):
        super().__init__()
        self.mesh = mesh
        self.first = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)
        self.second = nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1, bias=False)

    def convolve(self, x, layer):
        if self.mesh is None:
            return F.conv2d(x, layer.weight, padding=1)
        return F.conv2d(Halo.apply(x, self.mesh), Weight.apply(layer.weight), padding=(0, 1))

    def forward(self, x):
        x = x + F.gelu(self.convolve(x, self.first))
        return self.convolve(torch.tanh(x), self.second)


def step(model, x, target):
    loss = F.mse_loss(model(x), target, reduction="sum") / (BATCH * CHANNELS * ROWS * COLUMNS)
    loss.backward()
    loss = loss.detach().clone()
    if model.mesh is not None:
        dist.all_reduce(loss)
    return {"loss": loss}


def programs():
    image = torch.empty(BATCH, CHANNELS, ROWS, COLUMNS)
    return {"halo-sp3": Program(step, model=Model, parallelize=lambda model, mesh: Model(mesh), mesh={"sp": SLICES},
                                inputs={"x": image.clone().requires_grad_(), "target": image},
                                placements={"x": "S(2)", "target": "S(2)"})}
