"""A convolutional classifier, data parallel: every rank has some images, gradients are averaged."""
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
import tvr_torch as tvr


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(2, 4, 3, padding=1, bias=False), nn.Conv2d(4, 4, 3, stride=2, padding=1)
        self.batch, self.group = nn.BatchNorm2d(4), nn.GroupNorm(2, 4)
        self.head = nn.Linear(4, 3)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.batch(self.first(x))), 3, stride=2, padding=1)
        x = F.avg_pool2d(F.silu(self.group(self.second(x))), 2, stride=1, padding=1)
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


def frozen():
    model = Classifier()
    model.batch.eval()                      # its statistics are given: those of a batch would be those of a rank
    return model


def loss_of(model, images, labels):
    return F.cross_entropy(model(images), labels)


def step(model, images, labels):
    loss = loss_of(model, images, labels)
    loss.backward()
    return {"loss": loss.detach()}


def data_parallel(model, images, labels, mesh):
    loss = loss_of(model, images, labels)
    loss.backward()
    n = mesh.size()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= n
    loss = loss.detach().clone()
    dist.all_reduce(loss)
    return {"loss": loss / n}


def programs():
    return {"classifier-dp2": tvr.Program(
        step, model=frozen, distributed=data_parallel, mesh={"dp": 2},
        inputs={"images": torch.empty(4, 2, 8, 8), "labels": torch.empty(4, dtype=torch.long)},
        placements={"images": "S(0)", "labels": "S(0)"}, assume={"labels": (0, 3)})}
