"""Embedding and cross entropy with the vocabulary cut."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F

from models.parallel import enter, leave
from tvr_torch import Program

WORDS, WIDTH = 12, 5


class Model(nn.Module):
    def __init__(self, words=WORDS):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(words, WIDTH))
        self.head = nn.Parameter(torch.zeros(words, WIDTH))

    def forward(self, ids, labels):
        logits = torch.tanh(F.embedding(ids, self.table)) @ self.head.T
        return F.cross_entropy(logits, labels)


class Parallel(Model):
    def __init__(self, mesh):
        super().__init__(WORDS // mesh.size())
        self.group, self.size = mesh.get_group(), WORDS // mesh.size()
        self.first = mesh.get_rank() * self.size

    def mine(self, ids):
        """Row of this rank, and whether it has the word."""
        there = (ids >= self.first) & (ids < self.first + self.size)
        return torch.where(there, ids - self.first, 0), there

    def forward(self, ids, labels):
        row, there = self.mine(ids)
        x = leave(F.embedding(row, self.table) * there[:, None], self.group)
        logits = enter(torch.tanh(x), self.group) @ self.head.T
        top = logits.detach().amax(-1)
        dist.all_reduce(top, dist.ReduceOp.MAX, group=self.group)
        logits = logits - top[:, None]
        total = leave(logits.exp().sum(-1), self.group)
        row, there = self.mine(labels)
        picked = leave(logits.gather(-1, row[:, None])[:, 0] * there, self.group)
        return (total.log() - picked).mean()


def step(model, ids, labels):
    loss = model(ids, labels)
    loss.backward()
    return {"loss": loss}


def programs():
    words = torch.empty(7, dtype=torch.long)
    return {"vocabulary-tp3": Program(step, None, {"ids": words, "labels": words}, {"tp": 3}, Model,
                                      lambda model, mesh: Parallel(mesh), placements={"table": "S(0)", "head": "S(0)"},
                                      assume={"ids": (0, WORDS), "labels": (0, WORDS)})}
