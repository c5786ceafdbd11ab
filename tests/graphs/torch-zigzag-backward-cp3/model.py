import torch
import torch.distributed as dist
import tvr_torch as tvr

RANKS, CHUNK, WIDTH = 3, 1, 2


def whole(q, k, v):
    later = torch.ones(q.shape[0], q.shape[0], dtype=torch.bool).triu(1)
    y = (q @ k.t() * 0.5).masked_fill(later, float("-inf")).softmax(-1) @ v
    y.square().sum().backward()
    return {"y": y}


def rows(rank):
    """Two chunks: the rank's from the front, and as many from the back."""
    chunk = torch.arange(CHUNK)
    return torch.cat([chunk + rank * CHUNK, chunk + (2 * RANKS - 1 - rank) * CHUNK])


def around(x, group):
    """To the next rank, from the one before."""
    rank, out = dist.get_rank(group), torch.empty_like(x)
    sends, gets = [0] * RANKS, [0] * RANKS
    sends[(rank + 1) % RANKS] = gets[(rank - 1) % RANKS] = x.shape[0]
    dist.all_to_all_single(out, x.contiguous(), gets, sends, group=group)
    return out


class Ring(torch.autograd.Function):
    """Gradients of keys and values go around with them."""
    @staticmethod
    def forward(ctx, q, k, v, group, broken):
        rank, total, out, keys, values = dist.get_rank(group), 0.0, 0.0, k, v
        for hop in range(RANKS):
            seen = rows((rank - hop) % RANKS) <= rows(rank)[:, None]
            weights = torch.exp(q @ keys.t() * 0.5) * seen
            total, out = total + weights.sum(-1), out + weights @ values
            if hop + 1 < RANKS:
                keys, values = around(keys, group), around(values, group)
        out = out / total[:, None]
        ctx.save_for_backward(q, k, v, out, total.log())
        ctx.group, ctx.broken = group, broken
        return out

    @staticmethod
    def backward(ctx, dy):
        q, k, v, out, lse = ctx.saved_tensors
        group, rank = ctx.group, dist.get_rank(ctx.group)
        own = (dy * out).sum(-1, keepdim=True)
        dq, dk, dv = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        for hop in range(RANKS):
            place = rows(rank) if ctx.broken == "own-rows" else rows((rank - hop) % RANKS)
            p = torch.exp(q @ k.t() * 0.5 - lse[:, None]) * (place <= rows(rank)[:, None])
            ds = p * (dy @ v.t() - (0 if ctx.broken == "no-own" else own))
            dq, dk, dv = dq + ds @ k * 0.5, dk + ds.t() @ q * 0.5, dv + p.t() @ dy
            if hop + 1 < RANKS:
                k, v = around(k, group), around(v, group)
            if hop + 1 < RANKS or ctx.broken != "one-hop-short":
                dk, dv = around(dk, group), around(dv, group)
        return dq, dk, dv, None, None


def cut(broken):
    def step(q, k, v, mesh):
        y = Ring.apply(q, k, v, mesh.get_group(), broken)
        y.square().sum().backward()
        return {"y": y}
    return step


def program(broken=None):
    x = lambda: torch.empty(2 * RANKS * CHUNK, WIDTH, requires_grad=True)
    order = sum(((i, 2 * RANKS - 1 - i) for i in range(RANKS)), ())
    place = tvr.Place("S(0)", blocks=(0, order))
    return tvr.Program(whole, cut(broken), mesh={"cp": RANKS}, inputs={"q": x(), "k": x(), "v": x()},
                       placements={name: place for name in "qkv"}, outputs={"y": place})
