import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    """Masked by a part of a buffer that is made for the longest sequence; scores are kept above the least number."""

    def __init__(self, before=False):
        super().__init__()
        self.token, self.norm = nn.Embedding(11, 6), nn.LayerNorm(6)
        self.q, self.k, self.v, self.out = (nn.Linear(6, m, bias=False) for m in (6, 6, 6, 11))
        self.register_buffer("seen", torch.ones(8, 8).tril(-1 if before else 0))

    def forward(self, ids):
        x = self.norm(self.token(ids))
        seen = self.seen[: ids.shape[1], : ids.shape[1]]
        s = self.q(x) @ self.k(x).mT / 6**0.5 * seen - 10000.0 * (1 - seen)
        s = torch.max(s, torch.tensor(torch.finfo(s.dtype).min))
        return self.out(x + s.softmax(-1) @ self.v(x))


def loss(model, ids, labels):
    following = F.pad(labels, (0, 1), value=-100)[:, 1:]
    return F.cross_entropy(model(ids).flatten(0, 1), following.flatten())


def step(model, ids, labels):
    value = loss(model, ids, labels)
    value.backward()
    return {"loss": value}


def step_dp(model, ids, labels, mesh, wrong=None):
    value = loss(model, ids, labels)
    value.backward()
    for name, p in model.named_parameters():
        if wrong == "gradient-left" and name == "q.weight":
            continue
        dist.all_reduce(p.grad)
        p.grad /= mesh.size()
    value = value.detach().clone()
    dist.all_reduce(value)
    return {"loss": value / mesh.size()}
