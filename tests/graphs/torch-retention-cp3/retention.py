import torch
import torch.distributed as dist

DECAY = [1 / 2, 3 / 4]                                                  # by head


def decayed(t):
    """decay ** (i - j) where j is not later than i."""
    i = torch.arange(t)
    d = i[:, None] - i
    return torch.stack([torch.where(d >= 0, r ** d.clamp(min=0).float(), 0.0) for r in torch.tensor(DECAY)])


def step(q, k, v):
    return (q @ k.mT * decayed(q.shape[-2])) @ v


def step_parts(q, k, v, wrong=None):
    """What the parts before leave, decayed by the length of every part in between, and by the place within the own one."""
    n, rank, t = dist.get_world_size(), dist.get_rank(), q.shape[-2]
    i, r = torch.arange(t).float(), torch.tensor(DECAY)[:, None]
    left = (k * (r ** (t - 1 - i))[..., None]).mT @ v
    parts = torch.empty(n, *left.shape)
    dist.all_gather_into_tensor(parts, left[None].contiguous())
    before = torch.zeros_like(left)
    for part in range(rank):
        before = before * (1 if wrong == "part-not-decayed" else (r ** t)[..., None]) + parts[part]
    place = i if wrong == "place-early" else i + 1
    return step(q, k, v) + (q * (r ** place)[..., None]) @ before
