"""written: operators without a row of tvr's reader and without a decomposition of PyTorch's, written with others.

Each function is what PyTorch documents of its operator, or NotImplemented where it says more than is written here.
"""
import torch

MOST_ROWS = 32                                           # of a system that is solved row by row


def trilinear(a, b, c, expand1, expand2, expand3, sumdim, unroll_dim=1):
    product = 1
    for x, new in ((a, expand1), (b, expand2), (c, expand3)):
        for d in sorted(new):
            x = x.unsqueeze(d)
        product = product * x
    return product.sum(sumdim) if sumdim else product


def cdist(a, b, p, compute_mode):
    return torch.linalg.vector_norm(a.unsqueeze(-2) - b.unsqueeze(-3), p, -1) if p in (1, 2) else NotImplemented


def cdist_backward(g, a, b, p, distance):
    if p not in (1, 2):
        return NotImplemented
    across = a.unsqueeze(-2) - b.unsqueeze(-3)
    if p == 1:
        return (g.unsqueeze(-1) * across.sign()).sum(-2)
    some = distance == 0
    share = torch.where(some, 0.0, g / torch.where(some, 1.0, distance))
    return (share.unsqueeze(-1) * across).sum(-2)


def solve_triangular(a, b, *, upper, left=True, unitriangular=False):
    """x of a x = b (or x a = b) by substitution."""
    if a.shape[-1] > MOST_ROWS:
        return NotImplemented
    if not left:
        return solve_triangular(a.mT, b.mT, upper=not upper, unitriangular=unitriangular).mT
    n, rows = a.shape[-1], {}
    for i in reversed(range(n)) if upper else range(n):
        done = slice(i + 1, n) if upper else slice(0, i)
        x = b[..., i:i + 1, :]
        if rows:
            x = x - a[..., i:i + 1, done] @ torch.cat([rows[k] for k in sorted(rows)], -2)
        rows[i] = x if unitriangular else x / a[..., i:i + 1, i:i + 1]
    return torch.cat([rows[k] for k in range(n)], -2)


def resize_backward(forward, n):
    """Resizing is a matrix for each of n dimensions: what becomes of the unit vectors. Its gradient is their transposes."""
    def run(grad, output_size, input_size, *more):
        align, scales = more[:-n], more[-n:]
        for k in range(n):
            size, one = input_size[2 + k], [1] * n
            units = torch.eye(size, dtype=grad.dtype).reshape([1, size] + one[:k] + [size] + one[k + 1:])
            alone = forward(units, one[:k] + [output_size[k]] + one[k + 1:], *align, *[s if d == k else None for d, s in enumerate(scales)])
            grad = (grad.movedim(2 + k, -1) @ alone.reshape(size, output_size[k]).t()).movedim(-1, 2 + k)
        return grad

    return run


def table():
    aten, known = torch.ops.aten, torch._decomp.decomposition_table
    resized = {"nearest1d": 1, "nearest2d": 2, "nearest3d": 3, "linear1d": 1, "bilinear2d": 2, "trilinear3d": 3, "bicubic2d": 2}
    forward = {kind: getattr(aten, f"upsample_{kind}").default for kind in resized}
    found = {getattr(aten, f"upsample_{kind}_backward").default: resize_backward(known[forward[kind]], n)
             for kind, n in resized.items() if forward[kind] in known}
    return found | {aten._trilinear.default: trilinear, aten._cdist_forward.default: cdist,
                    aten._cdist_backward.default: cdist_backward, aten.linalg_solve_triangular.default: solve_triangular}
