import torch
import torch.distributed as dist


def places(kept):
    """Places of the tokens that each expert keeps, in their order; then of all others."""
    return kept.to(torch.int8).T.argsort(dim=-1, descending=True, stable=True)


def routed(x, gate, capacity):
    """Weights of each expert's tokens, and their places: at most so many of an expert, those of the largest weights."""
    chosen, experts = (x @ gate.T).topk(2, sorted=False)
    weight = torch.zeros(len(x), len(gate)).scatter(1, experts, chosen.softmax(-1))
    kept = torch.zeros_like(weight).scatter(0, weight.topk(capacity, dim=0, sorted=False)[1], 1).bool()
    at = places(kept)[:, :capacity]
    return (weight * kept).T.gather(1, at), at


def combined(x, y, weight, at):
    return torch.zeros_like(x).index_add(0, at.flatten(), (y * weight[..., None]).flatten(0, 1))


def step(x, gate, w):
    """As many places of every expert as there are tokens: none is dropped."""
    weight, at = routed(x, gate, len(x))
    y = torch.bmm(x[at.flatten()].view(len(gate), -1, x.shape[1]), w)
    return {"y": combined(x, y, weight, at)}


def exchanged(x):
    x = x.contiguous()
    y = torch.empty_like(x)
    dist.all_to_all_single(y, x)
    return y


def step_rank(x, gate, w):
    """A rank has some tokens and some experts; every expert has places for as many tokens of each rank as it has."""
    weight, at = routed(x, gate, len(x))
    n, local = dist.get_world_size(), len(w)
    sent = exchanged(x[at.flatten()].view(len(gate), -1, x.shape[1]))
    rows = sent.view(n, local, -1, x.shape[1]).transpose(0, 1).flatten(1, 2)
    y = torch.bmm(rows, w).view(local, n, -1, x.shape[1]).transpose(0, 1)
    return {"y": combined(x, exchanged(y).view(len(gate), -1, x.shape[1]), weight, at)}
