import torch
import torch.distributed as dist
import torch.nn.functional as F


def all_reduce(x):
    x = x.clone()
    dist.all_reduce(x)
    return x


def loss_of(x, label, hop=2, wrong=None):
    """Frames of a signal that overlap, pooled to a number of places that does not divide theirs; the largest so far."""
    frames = x.as_strided((x.shape[0], 3, 4), (8, hop, 1))
    padded = F.pad(F.softshrink(frames, 0.25), (1, 1), mode="replicate")[:, None]
    mean = F.adaptive_avg_pool2d(padded, (2, 4))
    most = F.adaptive_max_pool2d(padded, (2, 4))
    rising = (mean + most).flatten(1).cummax(1).values
    if wrong == "least":
        rising = (mean + most).flatten(1).cummin(1).values
    return F.multi_margin_loss(rising, label, reduction="sum")


def step(x, label):
    loss = loss_of(x, label)
    loss.backward()
    return {"loss": loss}


def step_batch(x, label, wrong=None):
    """Each rank has some of the signals."""
    loss = loss_of(x, label, 1 if wrong == "frames-closer" else 2, wrong)
    loss.backward()
    return {"loss": loss if wrong == "local" else all_reduce(loss.detach())}
