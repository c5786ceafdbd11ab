import torch
import torch.distributed as dist
import torch.nn.functional as F


def loss_of(x, keep, w, rows):
    """Rows that are not kept count nothing; keep is 0 or 1, as a float."""
    return F.softplus(torch.where(keep.unsqueeze(-1) > 0, x @ w, 0.0)).sum(-1).mul(keep).sum() / rows


def loss_of_rank(x, keep, seen, w, rows):
    """What is not kept, or not seen, is multiplied by 0: before the activation, and once more behind it."""
    each = F.softplus((x * keep.unsqueeze(-1)) @ w).sum(-1)
    return (each * keep * keep).sum() / rows + (torch.exp(x * seen.to(x.dtype)) * seen).sum() / rows


def step(x, keep, seen, w):
    rows = x.shape[0]
    loss = loss_of(x, keep, w, rows) + torch.where(seen, x, 0.0).exp().masked_fill(~seen, 0.0).sum() / rows
    loss.backward()
    return {"loss": loss.detach()}


def step_rank(x, keep, seen, w):
    loss = loss_of_rank(x, keep, seen, w, x.shape[0] * dist.get_world_size())
    loss.backward()
    loss = loss.detach()
    dist.all_reduce(loss)
    dist.all_reduce(w.grad)
    return {"loss": loss}
