import torch
import torch.distributed as dist
import tvr_torch as tvr

WORDS, FEATURES, ROWS = 6, 3, 4


class Copied(torch.autograd.Function):
    """What every rank has: its gradient is summed."""
    @staticmethod
    def forward(ctx, x, group):
        ctx.group = group
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.clone()
        dist.all_reduce(grad, group=ctx.group)
        return grad, None


class Summed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, group):
        x = x.clone()
        dist.all_reduce(x, group=group)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad, None


def focal(log_p, power=2):
    """Rows that are almost right count less."""
    return (-(1 - log_p.exp()) ** power * log_p).mean()


def whole(x, w, y):
    focal(torch.log_softmax(x @ w.t(), -1).gather(1, y[:, None])[:, 0]).backward()


def cut(broken):
    def step(x, w, y, mesh):
        group = mesh.get_group()
        scores = Copied.apply(x, group) @ w.t()
        first = dist.get_rank(group) * scores.shape[1]
        largest = scores.detach().amax(-1)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX, group=group)
        total = Summed.apply((scores - largest[:, None]).exp().sum(-1), group)
        other = (y < first) | (y >= first + scores.shape[1])
        place = torch.where(other, 0, y - first)[:, None]
        own = scores.gather(1, place)[:, 0]
        if broken != "not-masked":
            own = own.masked_fill(other, 0.0)
        target = Summed.apply(own, group)
        focal(target - largest - total.log(), 3 if broken == "other-power" else 2).backward()
    return step


def program(broken=None):
    inputs = {"x": torch.empty(ROWS, FEATURES, requires_grad=True), "w": torch.empty(WORDS, FEATURES, requires_grad=True),
              "y": torch.zeros(ROWS, dtype=torch.int64)}
    return tvr.Program(whole, cut(broken), mesh={"tp": 2}, inputs=inputs, placements={"w": "S(0)"}, assume={"y": (0, WORDS)})
