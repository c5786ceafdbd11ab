import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F


class Patches(nn.Module):
    """A picture as a row of patches behind a class token, as vision transformers read it."""

    def __init__(self, last=False, ahead=0):
        super().__init__()
        self.last, self.ahead = last, ahead
        self.patch = nn.Conv2d(2, 6, 2, stride=2)
        self.token, self.place = nn.Parameter(torch.empty(1, 1, 6)), nn.Parameter(torch.empty(1, 5, 6))
        self.out = nn.Linear(6, 3)

    def forward(self, picture):
        if self.ahead:
            picture = F.pad(picture, (0, 0, self.ahead, 0))[:, :, : -self.ahead]
        x = self.patch(picture).flatten(2).mT
        row = [self.token.expand(x.shape[0], -1, -1), x]
        x = torch.cat(row[::-1] if self.last else row, 1) + self.place
        x = x + (x @ x.mT).softmax(-1) @ x
        return self.out(x[:, 0])


def step(model, picture, label):
    value = F.cross_entropy(model(picture), label)
    value.backward()
    return {"loss": value}


def make_step_dp(skip=None):
    def step_dp(model, picture, label, mesh):
        value = F.cross_entropy(model(picture), label)
        value.backward()
        for name, p in model.named_parameters():
            if name != skip:
                dist.all_reduce(p.grad)
                p.grad /= mesh.size()
        value = value.detach().clone()
        dist.all_reduce(value)
        return {"loss": value / mesh.size()}
    return step_dp
