import torch
import torch.distributed as dist


def all_reduce(x):
    x = x.clone()
    dist.all_reduce(x)
    return x


def loss_of(x, angle, wrong=None):
    """A spectrum, turned by learned angles and back; how far its absolute values are from one."""
    spectrum = torch.fft.rfft(x)
    turned = spectrum * torch.polar(torch.ones_like(angle), angle)
    if wrong == "turned-back":
        turned = spectrum * torch.polar(torch.ones_like(angle), angle).conj()
    return (torch.fft.irfft(turned, 4) * torch.arange(4.0)).square().sum() + (spectrum.abs() - 1).square().sum()


def step(x, angle):
    loss = loss_of(x, angle)
    loss.backward()
    return {"loss": loss}


def step_batch(x, angle, wrong=None):
    """Each rank has some of the signals."""
    loss = loss_of(x, angle, wrong)
    loss.backward()
    if wrong != "angle-local":
        dist.all_reduce(angle.grad)
    return {"loss": all_reduce(loss.detach())}
