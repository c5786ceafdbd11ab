"""written: operators without a row of tvr's reader and without a decomposition of PyTorch's, written with others.

Each function is what PyTorch documents of its operator, or NotImplemented where it says more than is written here.
"""
import math

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


def resize_matrices(forward, n, dtype, input_size, output_size, more):
    """Resizing is a matrix for each of n dimensions: what becomes of the unit vectors."""
    align, scales = more[:-n], more[-n:]
    for k in range(n):
        size, one = input_size[k], [1] * n
        units = torch.eye(size, dtype=dtype).reshape([1, size] + one[:k] + [size] + one[k + 1:])
        alone = forward(units, one[:k] + [output_size[k]] + one[k + 1:], *align, *[s if d == k else None for d, s in enumerate(scales)])
        yield 2 + k, alone.reshape(size, output_size[k])


def resize(forward, n):
    def run(x, output_size, align, *scales):
        scales = scales + (None,) * (n - len(scales))
        for d, matrix in resize_matrices(forward, n, x.dtype, x.shape[2:], output_size, (align, *scales)):
            x = (x.movedim(d, -1) @ matrix).movedim(-1, d)
        return x

    return run


def resize_backward(forward, n):
    def run(grad, output_size, input_size, *more):
        for d, matrix in resize_matrices(forward, n, grad.dtype, input_size[2:], output_size, more):
            grad = (grad.movedim(d, -1) @ matrix.t()).movedim(-1, d)
        return grad

    return run


def turns(n, rows, columns, dtype):
    """cos and sin of 2 pi j k / n."""
    j, k = (torch.arange(m, dtype=dtype) for m in (rows, columns))
    angle = (j[:, None] * k).remainder(n) * (2 * math.pi / n)
    return angle.cos(), angle.sin()


def fourier(re, im, dim, forward):
    """The transform of re + i im along one dimension."""
    n = re.shape[dim]
    c, s = turns(n, n, n, re.dtype)
    along = lambda x, m: (x.movedim(dim, -1) @ m).movedim(-1, dim)
    s = s if forward else -s
    return along(re, c) + along(im, s), along(im, c) - along(re, s)


def scaled(x, dims, sizes, normalization):
    n = math.prod(sizes[d] for d in dims)
    return x / (1, math.sqrt(n), n)[normalization]


def fft_c2c(x, dim, normalization, forward):
    re, im = torch.view_as_real(x).unbind(-1)
    for d in dim:
        re, im = fourier(re, im, d % x.dim(), forward)
    return torch.view_as_complex(scaled(torch.stack((re, im), -1), dim, x.shape, normalization))


def fft_r2c(x, dim, normalization, onesided):
    y = fft_c2c(torch.view_as_complex(torch.stack((x, torch.zeros_like(x)), -1)), dim, normalization, True)
    return y.narrow(dim[-1], 0, x.shape[dim[-1]] // 2 + 1) if onesided else y


def fft_c2r(x, dim, normalization, last_dim_size):
    last, n = dim[-1] % x.dim(), last_dim_size
    for d in dim[:-1]:
        x = fft_c2c(x, [d], 0, False)
    re, im = (y.movedim(last, -1) for y in torch.view_as_real(x).unbind(-1))
    k = torch.arange(n // 2 + 1)
    twice = torch.where((k == 0) | (2 * k == n), 1, 2).to(re.dtype)       # the other half is conjugate
    c, s = turns(n, n // 2 + 1, n, re.dtype)
    y = ((re * twice) @ c - (im * twice) @ s).movedim(-1, last)
    return scaled(y, dim, y.shape, normalization)


def fake_quantized(x, scale, zero, low, high):
    q = torch.round(x / scale + zero)
    return (q.clamp(low, high) - zero) * scale, (q >= low) & (q <= high)


def fake_quantized_channels(x, scale, zero, axis, low, high):
    shape = [-1 if d == axis else 1 for d in range(x.dim())]
    return fake_quantized(x, scale.reshape(shape), zero.reshape(shape), low, high)


def fake_quantized_by_tensors(x, scale, zero, enabled, low, high):
    y, mask = fake_quantized(x, scale, zero, low, high)
    return torch.where(enabled == 1, y, x), mask | (enabled != 1)


def bags_of(indices, offsets):
    """A bag is where its offset says, not what the forward operator put into offset2bag."""
    return (offsets <= torch.arange(indices.shape[0])[:, None]).sum(1) - 1


def bags_backward(grad, indices, offsets, offset2bag, bag_size, maximum, rows, by_freq, mode, weights, padding=-1):
    if by_freq or mode > 1 or padding >= 0 or offsets.shape[0] != grad.shape[0]:
        return NotImplemented
    bag = bags_of(indices, offsets)
    if mode == 1:
        grad = grad / (bag == torch.arange(grad.shape[0])[:, None]).sum(1, keepdim=True).clamp(min=1)
    each = grad[bag] if weights is None else grad[bag] * weights[:, None]
    return grad.new_zeros(rows, grad.shape[1]).index_put((indices,), each, accumulate=True)


def bag_weights_backward(grad, table, indices, offsets, offset2bag, mode, padding=-1):
    if mode or padding >= 0 or offsets.shape[0] != grad.shape[0]:
        return NotImplemented
    return (grad[bags_of(indices, offsets)] * table[indices]).sum(1)


def bags_backward_sparse(grad, indices, offsets, offset2bag, bag_size, maximum, rows, by_freq, mode, sparse, weights,
                         padding=-1):
    return NotImplemented if sparse else bags_backward(grad, indices, offsets, offset2bag, bag_size, maximum, rows, by_freq,
                                                       mode, weights, padding)


def scaled_product(x, y, scale_x, scale_y, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False):
    """Of matrices of 8 bits, with a scale for each of them, or for each of their rows and columns."""
    if scale_result is not None or scale_x.numel() not in (1, x.shape[0]) or scale_y.numel() not in (1, y.shape[1]):
        return NotImplemented
    z = (x.float() @ y.float()) * scale_x.reshape(-1, 1) * scale_y.reshape(1, -1)
    return (z if bias is None else z + bias).to(out_dtype or x.dtype)


def margins_backward(grad, x, target, p, margin, weight=None, reduction=1):
    """Of multi_margin_loss: a class other than the target counts where it is less than the margin below it."""
    rows, target, n = x.reshape(-1, x.shape[-1]), target.reshape(-1, 1), x.shape[-1]
    above = margin - rows.gather(1, target) + rows
    each = (above > 0).to(x.dtype) * (1 if p == 1 else 2 * above) / n
    if weight is not None:
        each = each * weight[target]
    own = target == torch.arange(n)
    each = torch.where(own, 0.0, each)
    each = torch.where(own, -each.sum(1, keepdim=True), each) / (rows.shape[0] if reduction == 1 else 1)
    return (each * grad.reshape(-1, 1)).reshape(x.shape)


def masked_scatter(x, mask, source):
    mask = mask.expand_as(x)
    place = mask.reshape(-1).cumsum(0).reshape(x.shape) - 1
    return torch.where(mask, source.reshape(-1)[place.clamp(min=0)], x) if source.numel() else NotImplemented


def masked_scatter_backward(grad, mask, sizes):
    mask, n = mask.expand_as(grad).reshape(-1), math.prod(sizes)
    place = (mask.cumsum(0) - 1).clamp(0, n - 1)
    return grad.new_zeros(n).index_put((place,), torch.where(mask, grad.reshape(-1), 0.0), accumulate=True).reshape(sizes)


def table():
    aten, known = torch.ops.aten, torch._decomp.decomposition_table
    resized = {"nearest1d": 1, "nearest2d": 2, "nearest3d": 3, "linear1d": 1, "bilinear2d": 2, "trilinear3d": 3, "bicubic2d": 2}
    forward = {kind: getattr(aten, f"upsample_{kind}").default for kind in resized}
    found = {getattr(aten, f"upsample_{kind}_backward").default: resize_backward(known[forward[kind]], n)
             for kind, n in resized.items() if forward[kind] in known}
    if forward["bicubic2d"] in known:
        found[forward["bicubic2d"]] = resize(known[forward["bicubic2d"]], 2)
    kept = [aten.grid_sampler_2d.default, aten.col2im.default, aten.rrelu_with_noise_backward.default]           # core operators, so PyTorch's own table has none
    found |= {op: known[op] for op in kept}
    through = lambda g, mask: g * mask
    found |= {aten._fft_c2c.default: fft_c2c, aten._fft_r2c.default: fft_r2c, aten._fft_c2r.default: fft_c2r,
              aten.fake_quantize_per_channel_affine_cachemask.default: fake_quantized_channels,
              aten.fake_quantize_per_tensor_affine_cachemask.default: fake_quantized,
              aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default: fake_quantized_by_tensors,
              aten.fake_quantize_per_channel_affine_cachemask_backward.default: through,
              aten.fake_quantize_per_tensor_affine_cachemask_backward.default: through,
              aten._scaled_mm.default: scaled_product,
              aten._embedding_bag_backward.default: bags_backward_sparse,
              aten._embedding_bag_dense_backward.default: bags_backward,
              aten._embedding_bag_per_sample_weights_backward.default: bag_weights_backward,
              aten.masked_scatter.default: masked_scatter, aten.masked_scatter_backward.default: masked_scatter_backward,
              aten.multi_margin_loss_backward.default: margins_backward, aten.isinf.default: lambda x: x.abs() == math.inf}
    return found | {aten._trilinear.default: trilinear, aten._cdist_forward.default: cdist,
                    aten._cdist_backward.default: cdist_backward, aten.linalg_solve_triangular.default: solve_triangular}
