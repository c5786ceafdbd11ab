import torch
import torch.distributed as dist
from tvr_torch import Program


def mixed(x):
    return torch.fft.fftn(x, dim=(0, 1)).real


def filtered(x, w):
    """Every frequency has a complex matrix of its own."""
    return torch.einsum("kd,kde->ke", torch.fft.rfft(x, dim=0), torch.complex(w[0], w[1]))


def step(x, w):
    return {"y": torch.fft.irfft(filtered(x, w), n=x.shape[0], dim=0), "mixed": mixed(x)}


def program(mistake=None):
    def ranks(x, w):
        w = w if mistake != "conjugate" else w * torch.tensor([1.0, -1.0])[:, None, None, None]
        total = torch.view_as_real(filtered(x, w)).contiguous()
        if mistake != "not-summed":
            dist.all_reduce(total)
        columns = [torch.empty_like(x) for _ in range(dist.get_world_size())]
        dist.all_gather(columns, x)
        columns = columns if mistake != "columns-exchanged" else columns[::-1]
        return {"y": torch.fft.irfft(torch.view_as_complex(total), n=x.shape[0], dim=0), "mixed": mixed(torch.cat(columns, 1))}

    return Program(step, ranks, {"x": torch.empty(4, 4), "w": torch.empty(2, 3, 4, 2)}, {"tp": 2},
                   placements={"x": "S(1)", "w": "S(2)"})
