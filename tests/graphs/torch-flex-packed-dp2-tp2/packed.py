"""Packed documents: positions begin again at 0 with each.  A token sees those before it in its own document, by a mask
of FlexAttention that looks up where the document ends; queries and keys are turned by angles that positions look up."""
import torch
import torch.distributed as dist
from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

from tvr_torch import Program

LENGTH, HALF = 6, 2


def ends(positions):
    """The last token of each token's document; `into` the document before it, a beginning writes where it begins."""
    starts, at = positions == 0, torch.arange(LENGTH).expand_as(positions)
    document = starts.long().cumsum(1) - 1
    later = starts & (document > 0)
    into, begins = torch.where(later, document - 1, LENGTH - 1), torch.where(later, at, LENGTH)
    return torch.full_like(positions, LENGTH).scatter(1, into, begins).gather(1, document.clamp(min=0)) - 1


def turned(x, positions):
    angles = torch.outer(torch.arange(LENGTH).float(), torch.tensor([1.0, 0.25]))
    table = torch.polar(torch.ones_like(angles), angles)[None].expand(len(x), -1, -1)
    turn = table.gather(1, positions[:, :, None].expand(-1, -1, HALF))[:, None]
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (HALF, 2))) * turn).flatten(-2)


def attend(x, wq, wk, wv, positions, seen=lambda b, h, i, j: i >= j, turns=None):
    q, k, v = (torch.einsum("bld,hde->bhle", x, w) for w in (wq, wk, wv))
    last, turns = ends(positions), positions if turns is None else turns
    mask = create_block_mask(and_masks(seen, lambda b, h, i, j: i <= last[b, j]), len(x), None, LENGTH, LENGTH, device="cpu")
    return flex_attention(turned(q, turns), turned(k, positions), v, block_mask=mask)


def step(x, wq, wk, wv, positions):
    attend(x, wq, wk, wv, positions).square().sum().backward()


def step_parallel(x, wq, wk, wv, positions, mesh, **changed):
    attend(x, wq, wk, wv, positions, **changed).square().sum().backward()
    for w in (wq, wk, wv):
        dist.all_reduce(w.grad, group=mesh.get_group("dp"))
    dist.all_reduce(x.grad, group=mesh.get_group("tp"))


def step_other_row(x, wq, wk, wv, positions, mesh):
    step_parallel(x, wq, wk, wv, positions[:1].expand_as(positions), mesh)


def step_not_causal(x, wq, wk, wv, positions, mesh):
    step_parallel(x, wq, wk, wv, positions, mesh, seen=lambda b, h, i, j: i >= 0)


def step_packed_angles(x, wq, wk, wv, positions, mesh):
    step_parallel(x, wq, wk, wv, positions, mesh, turns=torch.arange(LENGTH).expand_as(positions))


def program(distributed=step_parallel):
    w = {name: torch.empty(4, 5, 4, requires_grad=True) for name in ("wq", "wk", "wv")}
    inputs = {"x": torch.empty(4, LENGTH, 5, requires_grad=True), **w, "positions": torch.zeros(4, LENGTH, dtype=torch.long)}
    placements = {"x": {"dp": "S(0)"}, "positions": {"dp": "S(0)"}} | {name: {"tp": "S(0)"} for name in w}
    return Program(step, distributed, inputs, {"dp": 2, "tp": 2}, placements=placements, assume={"positions": (0, LENGTH)})
