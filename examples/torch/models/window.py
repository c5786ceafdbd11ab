"""Causal attention with the sequence cut over cp: over all keys, where ranks exchange heads for positions, or over a
window of keys, where a rank needs the last ones of the rank before it."""
import torch
import torch.distributed as dist

from tvr_torch import Program

BATCH, HEADS, KEY_HEADS, WIDTH, WINDOW = 2, 4, 2, 4, 3


def attend(q, k, v, rows, columns, window=None):
    k, v = (t.repeat_interleave(q.shape[2] // t.shape[2], 2) for t in (k, v))
    seen = (rows[:, None] >= columns) & (columns >= 0)
    if window:
        seen = seen & (rows[:, None] - columns < window)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * WIDTH ** -0.5
    return torch.einsum("bhqk,bkhd->bqhd", torch.softmax(scores.masked_fill(~seen, float("-inf")), -1), v)


class Exchange(torch.autograd.Function):
    """Cut along dimension `split` into pieces for the ranks; what comes is put together along dimension `join`."""

    @staticmethod
    def forward(ctx, x, split, join, mesh):
        ctx.how = split, join, mesh
        sent = torch.stack(x.chunk(mesh.size(), split))
        got = torch.empty_like(sent)
        dist.all_to_all_single(got, sent)
        return torch.cat(got.unbind(), join)

    @staticmethod
    def backward(ctx, g):
        split, join, mesh = ctx.how
        return Exchange.apply(g, join, split, mesh), None, None, None


class Shift(torch.autograd.Function):
    """To the rank `by` places on."""

    @staticmethod
    def forward(ctx, x, by, mesh):
        ctx.how, n, rank = (by, mesh), mesh.size(), mesh.get_rank()
        to, out = [0] * n, torch.empty_like(x)
        come = list(to)
        to[(rank + by) % n] = come[(rank - by) % n] = x.shape[0]
        dist.all_to_all_single(out, x.contiguous(), come, to)
        return out

    @staticmethod
    def backward(ctx, g):
        by, mesh = ctx.how
        return Shift.apply(g, -by, mesh), None, None


def heads(q, k, v, mesh):
    q, k, v = (Exchange.apply(t, 2, 1, mesh) for t in (q, k, v))
    positions = torch.arange(q.shape[1])
    return Exchange.apply(attend(q, k, v, positions, positions), 1, 2, mesh)


def window(q, k, v, mesh):
    halo, first = WINDOW - 1, mesh.get_rank() * q.shape[1]
    k, v = (torch.cat([Shift.apply(t[:, -halo:], 1, mesh), t], 1) for t in (k, v))
    return attend(q, k, v, first + torch.arange(q.shape[1]), first - halo + torch.arange(k.shape[1]), WINDOW)


def run(y):
    y.square().sum().backward()
    return y


def program(parallel, window, length, ranks):
    def step(q, k, v):
        positions = torch.arange(length)
        return run(attend(q, k, v, positions, positions, window))

    def step_cp(q, k, v, mesh):
        return run(parallel(q, k, v, mesh))

    inputs = {n: torch.empty(BATCH, length, h, WIDTH, requires_grad=True)
              for n, h in (("q", HEADS), ("k", KEY_HEADS), ("v", KEY_HEADS))}
    return Program(step, step_cp, inputs, {"cp": ranks}, placements={n: "S(1)" for n in inputs}, outputs={"out": "S(1)"})


def programs():
    return {"heads-cp2": program(heads, None, 6, 2), "window-cp3": program(window, WINDOW, 9, 3)}
