import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Packed(nn.Module):
    """Attention within the sequences that are packed into a row: a new one starts where positions do not follow."""

    def __init__(self, step=1, before=False, shift=1):
        super().__init__()
        self.step, self.before, self.shift = step, before, shift
        self.token, self.place = nn.Embedding(11, 6), nn.Embedding(5, 6)
        self.qkv, self.out = nn.Linear(6, 18, bias=False), nn.Linear(6, 11, bias=False)

    def mask(self, batch, length):
        at = torch.arange(length)[None].expand(batch, -1)
        steps = torch.diff(at, prepend=at[:, :1] - 1, dim=-1)
        sequence = (steps != self.step).cumsum(-1)
        rows, q, k = torch.arange(batch)[:, None, None], torch.arange(length)[:, None], torch.arange(length)
        same = sequence[rows, q] == sequence[rows, k]
        seen = k < q if self.before else k <= q
        return torch.where(same & seen, 0.0, torch.finfo(torch.float32).min)

    def forward(self, ids):
        x = self.token(ids) + self.place(torch.arange(ids.shape[1]))
        q, k, v = self.qkv(x).chunk(3, -1)
        s = q @ k.mT + self.mask(*ids.shape)
        return self.out(x + s.softmax(-1) @ v)


def loss(model, ids, labels):
    following = F.pad(labels, (0, model.shift), value=-100)[:, model.shift:]
    return F.cross_entropy(model(ids).flatten(0, 1), following.flatten())


def step(model, ids, labels):
    value = loss(model, ids, labels)
    value.backward()
    return {"loss": value}


def step_dp(model, ids, labels, mesh):
    value = loss(model, ids, labels)
    value.backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= mesh.size()
    value = value.detach().clone()
    dist.all_reduce(value)
    return {"loss": value / mesh.size()}
