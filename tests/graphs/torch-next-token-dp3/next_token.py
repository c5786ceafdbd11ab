import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel


class Model(nn.Module):
    """One layer of attention; a token is to be known from those before it, so the last one of a sequence has no label."""

    def __init__(self, last=-100, shift=1):
        super().__init__()
        self.last, self.shift = last, shift
        self.table = nn.Embedding(7, 4)
        self.q, self.k, self.v, self.o = (nn.Linear(4, 4, bias=False) for _ in range(4))
        self.head = nn.Linear(4, 7, bias=False)

    def forward(self, ids, labels):
        x = self.table(ids)
        x = x + self.o(F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x), is_causal=True))
        x = self.head(x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6))
        labels = F.pad(labels, (0, self.shift), value=self.last)[..., self.shift:]
        return F.cross_entropy(x.reshape(-1, 7), labels.reshape(-1), ignore_index=-100)


def data_parallel(model, mesh):
    return DistributedDataParallel(model, process_group=mesh.get_group())


def step(model, ids, labels):
    loss = model(ids, labels)
    loss.backward()
    return {"loss": loss}
