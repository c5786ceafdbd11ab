import torch
import torch.distributed as dist
import torch.nn.functional as F


def all_reduce(x):
    x = x.clone()
    dist.all_reduce(x)
    return x


def loss_of(a, image):
    """Of matrices and images, each by itself; functions of elements."""
    spd = a @ a.mT + torch.eye(3)
    solved = torch.linalg.solve(spd, a)
    volume = torch.logdet(spd) + torch.linalg.det(spd)
    values = torch.linalg.svdvals(a).sum(1) + torch.linalg.eigvalsh(spd).sum(1) + torch.linalg.qr(spd)[1].sum((1, 2))
    grown = torch.mode(a.round(), -1)[0][..., None] + torch.matrix_exp(a) + torch.lgamma(spd.abs() + 1) + torch.erfinv(torch.tanh(a)) + torch.special.i0(a)
    images = F.interpolate(image, size=(3, 3), mode="bilinear", antialias=True)
    return ((solved + grown + images.squeeze(1)).square().sum((1, 2)) + volume * values).sum()


def step(a, image):
    loss = loss_of(a, image)
    loss.backward()
    return {"loss": loss}


def step_batch(a, image, wrong=None):
    """Each rank has some of the matrices and images."""
    loss = loss_of(a, image)
    loss.backward()
    return {"loss": loss if wrong == "local" else all_reduce(loss.detach())}
