import torch
import torch.distributed as dist
from tvr_torch import Program


class Router(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(3, 4))

    def forward(self, x):
        logits = x @ self.weight
        best, place = logits.topk(2, 1)
        kept = torch.full_like(logits, float("-inf")).scatter(1, place, best)
        return torch.sigmoid(kept)


def program(bug=None):
    def seq(model, x):
        scores = model(x)
        scores.square().mean().backward()
        return {"scores": scores.detach()}

    def ranks(model, x, mesh):
        scores = model(x)
        if bug == "softmax":
            scores = scores / scores.sum(1, keepdim=True)
        scores.square().mean().backward()
        dist.all_reduce(model.weight.grad, group=mesh.get_group())
        if bug != "not-averaged":
            model.weight.grad /= 2
        return {"scores": scores.detach()}

    return Program(seq, ranks, {"x": torch.empty(4, 3)}, {"dp": 2}, Router, lambda model, mesh: model,
                   placements={"x": "S(0)"}, outputs={"scores": "S(0)"})
