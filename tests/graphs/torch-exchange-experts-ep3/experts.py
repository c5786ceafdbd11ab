import torch
import torch.distributed as dist
import torch.nn.functional as F

EXPERTS, CAPACITY, WIDTH, TOKENS, OWN = 5, 2, 3, 4, (2, 2, 1)


class Exchange(torch.autograd.Function):
    """Rows go to the ranks by `sizes`, and `arriving` come from them."""
    @staticmethod
    def forward(ctx, x, arriving, sizes, wrong):
        ctx.sizes = arriving, sizes, wrong
        y = x.new_empty(sum(arriving), *x.shape[1:])
        dist.all_to_all_single(y, x.contiguous(), arriving, sizes)
        return y

    @staticmethod
    def backward(ctx, g):
        arriving, sizes, wrong = ctx.sizes
        y = g.new_empty(sum(sizes), *g.shape[1:])
        dist.all_to_all_single(y, g.contiguous(), sizes, arriving)
        return y.roll(1, 0) if wrong == "gradient-shifted" else y, None, None, None


def dispatch(router, x):
    weight, place = torch.softmax(x @ router, -1).t().topk(CAPACITY, -1)
    return x[place], weight[..., None], place


def combine(y, weight, place):
    return torch.zeros(TOKENS, WIDTH).index_add(0, place.flatten(), (y * weight).flatten(0, 1))


def step(x, router, w):
    out = []
    for tokens in x:
        rows, weight, place = dispatch(router, tokens)
        out.append(combine(F.relu(torch.einsum("ecd,edf->ecf", rows, w)), weight, place))
    out = torch.stack(out)
    out.square().sum().backward()
    return {"out": out}


def step_experts(x, router, w, wrong=None):
    """Three ranks have two, two and one of the experts, and tokens of their own."""
    own, n = OWN[dist.get_rank()], len(OWN)
    rows, weight, place = dispatch(router, x[0])
    y = Exchange.apply(rows, [own] * n, OWN, wrong).view(n, own, CAPACITY, WIDTH)
    y = F.relu(torch.einsum("necd,edf->necf", y.flip(0) if wrong == "ranks-reversed" else y, w))
    y = Exchange.apply(y.flatten(0, 1), OWN, [own] * n, wrong)
    out = combine(y, weight * 0 + 1 if wrong == "not-weighted" else weight, place)
    out.square().sum().backward()
    dist.all_reduce(router.grad)
    return {"out": out[None]}
