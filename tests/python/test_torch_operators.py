"""What operators of PyTorch mean: `tvr eval` of an exported function against PyTorch itself, in double precision.

A value that tvr does not know (an operator without a definition) is left out; a known one must agree."""
import io
import json
import math
import re
import zipfile

import pytest

torch = pytest.importorskip("torch")
from torch import nn
from torch.nn import functional as F

from evaluated import agree, evaluated

E = torch.tensor([-2.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5, 3.7], dtype=torch.float64)
D = torch.tensor([1.5, -2.0, 0.5, 3.0, -0.7, 2.0, -1.0, 0.25, -3.0, 1.0], dtype=torch.float64)
I, J = torch.tensor([-7, -3, -1, 0, 1, 2, 5, 9]), torch.tensor([2, -2, 3, 5, -4, 3, 2, -5])


def r(*shape):
    return torch.round(torch.randn(*shape, dtype=torch.float64) * 16) / 8


def p(*shape):
    return r(*shape).abs() + 0.25


def n(lo, hi, *shape):
    return torch.randint(lo, hi, shape)


def b(*shape):
    return n(0, 2, *shape).bool()


def cases():
    torch.manual_seed(0)
    op = torch.ops.aten
    for name in ("floor ceil sign abs round trunc frac exp exp2 expm1 tanh sin cos square sigmoid relu erf erfc"
                 " neg atan sinh cosh asinh sgn logical_not").split():
        yield name, getattr(torch, name), E
    for name in ("relu6 silu mish softplus elu selu celu hardtanh hardswish hardsigmoid logsigmoid softsign"
                 " gelu").split():
        yield name, getattr(F, name), E
    for name in "log log2 log10 log1p sqrt rsqrt reciprocal".split():
        yield name, getattr(torch, name), p(6)
    for name in "add sub mul maximum minimum atan2 hypot eq ne lt le gt ge logical_and logical_xor".split():
        yield name, getattr(torch, name), r(3, 4), r(4)
    for name in "div remainder fmod floor_divide".split():
        yield name, getattr(torch, name), E, D
        if name != "div":
            yield "int_" + name, getattr(torch, name), I, J
    for name in "bitwise_and bitwise_or bitwise_xor".split():
        yield name, getattr(torch, name), I, J
    yield "shifts", lambda x: (x << 2) + (x >> 1), I
    for mode in "trunc", "floor":
        yield "div_" + mode, lambda x, y, m=mode: torch.div(x, y, rounding_mode=m), E, D
    yield "integers_of_reals", lambda x: x.to(torch.int64), E
    yield "integer_powers", lambda x, y: x**y, n(-2, 3, 8), n(-3, 4, 8)
    yield "flip_nothing", lambda x: x.flip([]), r(2, 3)
    yield "bytes", lambda x: (x * 3, x.cumsum(0, dtype=torch.uint8), x.sum(dtype=torch.uint8), x >> 1), \
        torch.tensor([250, 9, 1], dtype=torch.uint8)
    yield "truth_of_reals", lambda x: x.to(torch.bool), E
    yield "bits_of_reals", lambda x: x.view(torch.int64), E
    yield "leaky_relu", lambda x: F.leaky_relu(x, 0.1), E
    yield "elu_half", lambda x: F.elu(x, 0.5), E
    yield "softplus_sharp", lambda x: F.softplus(x, 2, 1), E
    yield "clamp", lambda x: x.clamp(-1, 1.2), E
    yield "clamp_crossed", lambda x: x.clamp(5, 1), E
    yield "powers", lambda x: torch.stack([x**2, x**3, 2**x]), E
    yield "lerp", lambda x, y: torch.lerp(x, y, 0.3), r(3), r(3)
    yield "addcdiv", lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), r(3), r(3), p(3)
    yield "hardtanh_backward", lambda g, x: op.hardtanh_backward(g, x, -1, 2), r(10), E
    yield "hardsigmoid_backward", lambda g, x: op.hardsigmoid_backward(g, x), r(10), 2 * E
    yield "leaky_relu_backward", lambda g, x: op.leaky_relu_backward(g, x, 0.1, False), r(10), E
    yield "elu_backward", lambda g, x: op.elu_backward(g, 0.5, 1.3, 0.7, False, x), r(10), E
    yield "elu_backward_result", lambda g, x: op.elu_backward(g, 0.5, 1.3, 0.7, True, x.clamp(min=-0.6)), r(10), E
    yield "softplus_backward", lambda g, x: op.softplus_backward(g, x, 2, 3), r(10), E
    yield "mish_backward", lambda g, x: op.mish_backward(g, x), r(10), E
    for name in "sum mean amax amin var std argmax argmin".split():
        yield name, getattr(torch, name), r(3, 4)
        yield name + "_dim", lambda x, f=getattr(torch, name): f(x, dim=1), r(3, 4)
        yield name + "_keep", lambda x, f=getattr(torch, name): f(x, dim=0, keepdim=True), r(3, 4)
    for order in 1, 2, 3, math.inf:
        yield f"norm_{order}", lambda x, o=order: torch.linalg.vector_norm(x, o, dim=1), r(3, 4)
    yield "any_all", lambda x: (x.any(0), x.all(1)), b(3, 4)
    yield "logsumexp", lambda x: torch.logsumexp(x, 1), r(3, 4)
    yield "cumsum", lambda x: x.cumsum(1), r(2, 5)
    yield "cumprod", lambda x: (x.cumprod(1), x.cumprod(0), x[0, 0].cumprod(0), x.to(torch.int32).cumprod(1)), r(2, 5)
    yield "softmax", lambda x: (F.softmax(x, 1), F.log_softmax(x, 1)), r(2, 3, 4)
    yield "sort", lambda x: (*x.sort(1), *x.topk(2, 0)), torch.randperm(12).view(3, 4).double()
    yield "middle", lambda x: (*x.median(1), *x.kthvalue(2, 0), *x.median(-1, keepdim=True)), \
        torch.randperm(12).view(3, 4).double()
    yield "movements", lambda x: (x.permute(2, 0, 1), x.transpose(0, 2), x.flatten(1), x.flip(0, 2),
                                  x.roll(2, 1)), r(2, 3, 4)
    yield "pieces", lambda x: (*x.split(2, 1), *x.chunk(3, 1), x[:, 1:-1:2], x.select(1, -1),
                               x.narrow(1, 1, 2)), r(2, 7)
    yield "repeats", lambda x: (x.repeat(2, 3), x.repeat_interleave(3, 1), x.expand(3, 2, 2), x.tile(2)), r(2, 2)
    yield "pads", lambda x: (F.pad(x, (1, 2, 0, 1), value=9.0), F.pad(x, (-1, 2))), r(2, 4)
    yield "triangles", lambda x: (x.tril(-1), x.triu(1)), r(4, 5)
    yield "where", torch.where, b(3, 4), r(3, 4), r(4)
    yield "gather", lambda x, i: (x.gather(1, i), x.take_along_dim(i, 1)), r(3, 5), n(0, 5, 3, 2)
    places = torch.tensor([[4, 1, 4, 1], [0, 2, 2, 2]])
    yield "scatter_equal", lambda x, s: x.scatter(1, places, s), r(2, 5), 3 * places.double()
    yield "complex_moves", lambda x, i, j: [torch.view_as_real(y) for z in [torch.view_as_complex(x.float())] for y in (
        z.gather(-1, j), z.index_select(-1, i), z[:, i], z.select(-1, 1), torch.cat([z, z.conj()], -1),
        torch.stack([z, 2 * z], -1))], r(3, 4, 2), n(0, 4, 5), n(0, 4, 3, 2)
    yield "scatter_add", lambda x, i, s: x.scatter_add(0, i, s), r(3, 2), n(0, 3, 4, 2), r(4, 2)
    yield "index", lambda x, i, j: (x[i, j], x[:, j], x[i[:, None], j]), r(4, 5), n(-4, 4, 3), n(0, 5, 3)
    yield "index_add", lambda x, i, s: x.index_put((i,), s, accumulate=True), r(4, 2), n(0, 4, 5), r(5, 2)
    yield "embedding", lambda w, i: F.embedding(i, w), r(5, 3), n(0, 5, 2, 4)
    yield "one_hot", lambda i: F.one_hot(i, 5), n(0, 5, 4)
    yield "products", lambda x, y: (x @ y, torch.einsum("bij,bjk->ik", x, y)), r(2, 3, 4), r(2, 4, 5)
    half = lambda x, y, o: torch._grouped_mm(x.bfloat16(), y.bfloat16(), offs=o).double()     # small integers: exact
    for k, (x, y, last) in enumerate((((6, 8), (3, 8, 16), 6), ((3, 2, 8), (8, 16), 16), ((8, 16), (16, 8), 16))):
        yield f"grouped_{k}", half, n(-2, 3, *x), n(-2, 3, *y), torch.tensor([2, 2, last], dtype=torch.int32)
    z = lambda x, y: torch.complex(x.float(), y.float())
    yield ("complex_products", lambda x, y: tuple(torch.view_as_real(c) for c in (
        z(x, y) @ z(y, x).mT, z(x, y) @ y.mT.to(torch.complex64), torch.bmm(z(x, y)[None], z(y, x).mT[None]), x.to(torch.complex64))),
           r(3, 4), r(3, 4))
    yield "histogram", lambda x, i: (x.histc(5, -1.5, 2.5), i.double().histc(4, 0, 4), i.double().histc(4, 1, 4)), E, n(0, 4, 9)
    yield "addmm", lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2), r(4), r(2, 3), r(3, 4)
    for groups, stride, padding in (1, 1, 0), (2, 2, 1), (1, 2, 1):
        yield (f"conv_{groups}{stride}{padding}", lambda x, w, c, g=groups, s=stride, q=padding:
               F.conv2d(x, w, c, s, q, 1 + (s == 1), g), r(2, 4, 6, 5), r(4, 4 // groups, 2, 2), r(4))
    yield "pools", lambda x: (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, 2, 1),
                              F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)), r(1, 2, 5, 5)
    for padding, with_padding, by in (1, False, None), (1, True, None), (0, True, None), (1, False, 5):
        yield (f"avg_pool_backward_{padding}{with_padding}{by}", lambda g, x, q=padding, c=with_padding, d=by:
               op.avg_pool2d_backward(g, x, (3, 2), (2, 1), q, False, c, d),
               r(1, 2, 2 + padding, 4 + 2 * padding), r(1, 2, 5, 5))
    yield "layer_norm", lambda x, w, c: F.layer_norm(x, (4,), w, c), r(2, 3, 4), r(4), r(4)
    yield "group_norm", lambda x, w, c: F.group_norm(x, 2, w, c), r(2, 4, 3), r(4), r(4)
    yield "rms_norm", lambda x, w: F.rms_norm(x, (4,), w, 1e-5), r(2, 4), r(4)
    for more in {}, {"ignore_index": 2}, {"label_smoothing": 0.1}, {"reduction": "sum"}:
        yield "cross_entropy" + "".join(more), lambda x, t, m=more: F.cross_entropy(x, t, **m), r(6, 4), n(0, 4, 6)
    yield "losses", lambda x, y: (F.mse_loss(x, y), F.l1_loss(x, y), F.smooth_l1_loss(x, y, beta=0.5),
                                  F.huber_loss(x, y)), r(6), r(6)
    yield "bce", F.binary_cross_entropy_with_logits, r(4), torch.rand(4, dtype=torch.float64)
    yield ("attention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
           *(r(2, 2, 3, 4) for _ in range(3)))
    yield "pool_places", lambda x, y: (*F.max_pool3d(y, 2, 1, return_indices=True), *F.max_pool2d(
        x, (3, 2), (1, 2), (1, 0), (1, 2), return_indices=True)), r(1, 2, 5, 6), r(1, 2, 3, 3, 4)
    yield "resize_otherwise", lambda x: (op.upsample_nearest2d(x, [5, 4], 2.0, 1.5), op.upsample_nearest2d(x, [6, 3], 2.0, 1.0)), \
        r(1, 2, 3, 3)


def composites():
    """What torch.export keeps as it is called, and tracing writes with simpler operators: all must be known."""
    torch.manual_seed(1)
    labels, chance = torch.tensor([0, 2, 1, 3, 2, 0]), torch.rand(3, 4, dtype=torch.float64)
    op = torch.ops.aten
    for k, shapes in enumerate((((3,), (3,)), ((3,), (2, 3, 4)), ((2, 4, 3), (3,)), ((5, 3), (2, 3, 4)),
                                ((2, 5, 3), (4, 2, 3, 2)))):
        yield f"matmul_{k}", torch.matmul, *(r(*s) for s in shapes)
    for k, (text, *shapes) in enumerate((("bhid,bhjd->bhij", (2, 2, 3, 4), (2, 2, 5, 4)), ("ij->", (2, 3)),
                                         ("bij,bjk,bkl->bil", (2, 2, 3), (2, 3, 4), (2, 4, 2)))):
        yield f"einsum_{k}", lambda *x, t=text: torch.einsum(t, *x), *(r(*s) for s in shapes)
    yield "addbmm", lambda x, y, z: torch.addbmm(x, y, z, beta=0.5, alpha=2), r(2, 4), r(3, 2, 5), r(3, 5, 4)
    yield "addr", lambda x, y, z: torch.addr(x, y, z, beta=0.5, alpha=3), r(2, 3), r(2), r(3)
    yield "tensordot", lambda x, y: torch.tensordot(x, y, ([1, 2], [1, 0])), r(2, 3, 4), r(4, 3, 2)
    yield "vectors", lambda x, y: (torch.inner(x, y), torch.outer(x, y), torch.kron(x, y), torch.vdot(x, y)), r(3), r(3)
    yield "bilinear", F.bilinear, r(2, 3), r(2, 4), r(5, 3, 4)
    yield "moves", lambda x: (x.movedim((0, 2), (1, 0)), x.swapaxes(0, 2), x.mT, torch.rot90(x, 3, (2, 0)),
                              x.roll((1, -2), (0, 1)), x.repeat_interleave(2, 1), x.tile(2, 1), x.roll(2)), r(2, 3, 4)
    yield "splits", lambda x: (*torch.tensor_split(x, 3, 1), *torch.tensor_split(x, (1, 3)), *torch.vsplit(x, 2)), r(4, 7)
    yield "stacks", lambda x, y: (torch.hstack([x, y]), torch.vstack([x, y]), torch.dstack([x, y])), r(3), r(3)
    yield "grids", lambda x, y: (*torch.meshgrid(x, y, indexing="ij"), *torch.meshgrid(x, y, indexing="xy")), r(2), r(3)
    yield "shuffles", lambda x: (F.pixel_shuffle(x, 2), F.pixel_unshuffle(x, 2), F.channel_shuffle(x, 2)), r(1, 4, 2, 4)
    yield "diagonals", lambda x, y: (x.diagonal(-1), x.trace(), torch.diag_embed(y, -1), torch.diag(y),
                                     torch.diagonal_scatter(x, y, 1)), r(4, 4), r(3)
    for mode in "reflect", "replicate", "circular":
        yield "pad_" + mode, lambda x, m=mode: F.pad(x, (1, 2, 2, 1), mode=m), r(1, 2, 4, 5)
    for mode in "nearest", "nearest-exact", "bilinear":
        yield "resize_" + mode, lambda x, m=mode: F.interpolate(x, size=(5, 4), mode=m), r(1, 2, 3, 3)
    yield "windows", lambda x: (x.unfold(1, 3, 2), x.diff(), torch.linspace(0, 1, 5) * x[:, 0:5]), r(2, 7)
    yield "statistics", lambda x: (*torch.std_mean(x, 1), x.std(unbiased=False), x.var(1, unbiased=False),
                                   x.norm(3, dim=1), torch.linalg.matrix_norm(x), x.prod(1),
                                   torch.logcumsumexp(x, 1)), r(3, 4)
    yield "distances", lambda x, y: (torch.dist(x, y), torch.cdist(x, y, p=1), F.pairwise_distance(x, y),
                                     F.cosine_similarity(x, y)), r(3, 4), r(3, 4)
    yield "pointwise", lambda x: (F.selu(x), F.glu(x), torch.sinc(x), torch.round(x, decimals=1), F.dropout(x, 0.5, False),
                                  torch.logit(torch.sigmoid(x)), torch.deg2rad(x)), E
    yield "constants", lambda x: (torch.eye(3, 4, dtype=x.dtype) * x[0], torch.tril_indices(3, 4, -1) * x.to(torch.int64)[0],
                                  torch.triu_indices(3, 3) + x.to(torch.int64)[0]), r(1)
    yield "one_hot", lambda i: F.one_hot(i, 4), n(0, 4, 2, 3)
    yield "extremes", lambda x: (*torch.aminmax(x, dim=1), *torch.aminmax(x), torch.count_nonzero(x, 0),
                                 torch.count_nonzero(x)), torch.round(r(3, 4))
    yield "matrix_norms", lambda x: (torch.frobenius_norm(x, (0, 1)), torch.linalg.norm(x), torch.linalg.norm(x[0], 3),
                                     torch.linalg.vecdot(x, x + 1)), r(3, 4)
    yield "chains", lambda x, y, z: (torch.linalg.multi_dot([x, y, z]), torch.matrix_power(z, 3), torch.chain_matmul(x, y)), \
        r(2, 3), r(3, 4), r(4, 4)
    yield "leaks", lambda x: F.rrelu(x, 0.1, 0.3), E
    yield "prelu", F.prelu, r(2, 3, 2), r(3)
    yield "isnan", lambda x: torch.where(torch.isnan(x), 0.0, x), r(3)
    yield "weight_norm", lambda v, g: (torch._weight_norm(v, g, 0), torch._weight_norm(v, g, -1)), r(3, 4), r(3, 1)
    yield "take_from_end", lambda x, i: x.take_along_dim(i, 1), r(2, 4), n(-4, 4, 2, 3)
    yield "prelu_kernel", lambda x, w: op._prelu_kernel(x, w), r(2, 3), r(3)
    yield "diagonal_of_others", lambda x, s: torch.diagonal_scatter(x, s), b(2, 3), r(2)
    yield "index_writes", lambda x, i, s: (x.index_add(0, i, s, alpha=2), x.index_fill(0, i, 5.0)), r(4, 2), n(0, 4, 5), r(5, 2)
    yield "takes", lambda x, i: (x.take(i), x.take_along_dim(i[:, :1], 0)), r(2, 3), n(0, 2, 2, 2)
    for how in "sum", "mean", "amax", "amin":
        for own in True, False:
            yield (f"scatter_{how}_{own}", lambda x, i, s, h=how, o=own: x.scatter_reduce(1, i, s, h, include_self=o),
                   r(2, 4), n(0, 4, 2, 5), r(2, 5))
    yield "buckets", lambda x: (torch.bucketize(x, torch.tensor([-1.0, 0.0, 2.0]), right=True),
                                torch.searchsorted(torch.tensor([-1.0, 0.0, 2.0]), x), torch.isin(x, x[:2])), E
    for mode in "sum", "mean", "max":
        yield "bags_" + mode, lambda w, i, m=mode: F.embedding_bag(i, w, mode=m), r(5, 3), n(0, 5, 4, 2)
    yield "bags", lambda w, i: F.embedding_bag(i, w, torch.tensor([0, 3, 3, 6]), mode="sum"), r(5, 3), n(0, 5, 7)
    yield "convolutions", lambda x, w: (F.conv1d(x, w, padding="same", dilation=2), F.conv1d(x, w, padding="valid"),
                                        F.conv_transpose1d(x, w, stride=2, padding=1, output_padding=1)), r(1, 3, 6), r(3, 3, 2)
    for k, (g, x, w, more) in enumerate((((1, 4, 6, 4), (1, 4, 3, 3), (4, 2, 2, 2), ([2, 1], [0, 0], [1, 1], True, [0, 0], 2)),
                                         ((2, 3, 8), (2, 2, 4), (2, 3, 3), ([2], [1], [1], True, [1], 1)))):
        yield (f"conv_transpose_backward_{k}", lambda g, x, w, m=more, n=w[1] * more[5]:
               torch.ops.aten.convolution_backward(g, x, w, [n], *m, [True] * 3), r(*g), r(*x), r(*w))
    yield "conv_transpose", lambda x, w, c: F.conv_transpose2d(x, w, c, stride=(2, 1), groups=2), r(1, 4, 3, 3), r(4, 2, 2, 3), r(4)
    yield "norms", lambda x, w: (F.layer_norm(x, (4,), w), F.rms_norm(x, (4,), w), F.group_norm(x, 3), F.instance_norm(x)), \
        r(2, 3, 4), r(4)
    for how in "none", "mean", "sum":
        yield "losses_" + how, lambda x, y, w, h=how: (
            F.mse_loss(x, y, reduction=h), F.l1_loss(x, y, reduction=h), F.smooth_l1_loss(x, y, beta=0.5, reduction=h),
            F.huber_loss(x, y, delta=0.7, reduction=h), F.binary_cross_entropy(torch.sigmoid(x), y, w, reduction=h),
            F.binary_cross_entropy_with_logits(x, y, w, pos_weight=w + 1, reduction=h), F.kl_div(x, y, reduction=h),
            F.kl_div(x, y, log_target=True, reduction=h), F.poisson_nll_loss(x, y, reduction=h)), r(3, 4), chance, p(4)
        yield "labels_" + how, lambda x, w, h=how: (
            F.cross_entropy(x, labels, w, ignore_index=2, label_smoothing=0.2, reduction=h),
            F.cross_entropy(x, labels, ignore_index=2, label_smoothing=0.2, reduction=h),
            F.nll_loss(x, labels, w, ignore_index=2, reduction=h)), r(6, 4), p(4)
        yield "chances_" + how, lambda x, w, h=how: F.cross_entropy(x, chance, w, label_smoothing=0.2, reduction=h), r(3, 4), p(4)
    yield "batch_norm_gradient", lambda g, x, w: op.native_batch_norm_backward(
        g, x, w, None, None, x.mean((0, 2)), (x.var((0, 2), unbiased=False) + 0.1).rsqrt(), True, 0.1, [True] * 3), \
        r(3, 2, 4), r(3, 2, 4), p(2)
    yield "batch_norm_gradient_running", lambda g, x, w, m, v: op.native_batch_norm_backward(
        g, x, w, m, v, None, None, False, 0.1, [True] * 3), r(3, 2, 4), r(3, 2, 4), p(2), r(2), p(2)
    yield "adaptive_pools", lambda x, g: (F.adaptive_avg_pool1d(x[0], 3), F.adaptive_avg_pool2d(x, (2, 3)),
                                          F.adaptive_avg_pool3d(x, (1, 2, 3)), op._adaptive_avg_pool2d_backward(g, x)), \
        r(2, 3, 4, 6), r(2, 3, 2, 3)
    pool = (2, 3), (2, 1), (1, 1), (1, 1), False
    yield "max_pool_gradient", lambda x: op.max_pool2d_with_indices_backward(
        op.max_pool2d_with_indices(x, *pool)[0] * 2, x, *pool, op.max_pool2d_with_indices(x, *pool)[1]), r(1, 2, 5, 4)
    yield "attention_mask", lambda q, k, v, m: F.scaled_dot_product_attention(q, k, v, m), r(2, 2, 3, 4), r(2, 2, 5, 4), \
        r(2, 2, 5, 2), b(2, 1, 3, 5) | (torch.arange(5) == 0)
    yield "attention_heads", lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3, enable_gqa=True), \
        r(1, 4, 3, 2), r(1, 2, 3, 2), r(1, 2, 3, 2)
    yield "attention_math", lambda q, k, v: op._scaled_dot_product_attention_math(q, k, v), *(r(1, 2, 3, 2) for _ in range(3))
    yield "attention_flat", lambda q, k, v: F.scaled_dot_product_attention(q, k, v), *(r(2, 3, 4) for _ in range(3))
    yield "maximum_of_two", lambda x, y: (op.max.other(x, y), op.min.other(x, y)), r(3, 4), r(3, 4)
    yield "three_operands", lambda x, y, z: (torch.lerp(x, y, z), torch.addcmul(x, y, z), torch.addcmul(x, y, z, value=-2)), \
        r(3, 4), r(3, 4), r(4)
    yield "resize_factors", lambda x: (F.interpolate(x, scale_factor=2), F.interpolate(x, scale_factor=(2, 3), mode="bilinear")), \
        r(1, 2, 3, 3)
    yield "weighted_bags", lambda w, i, s: F.embedding_bag(i, w, mode="sum", per_sample_weights=s), r(5, 3), n(0, 5, 4, 2), r(4, 2)
    yield "batch_norm_legit", lambda x, w, m, v: (
        *op._native_batch_norm_legit_functional(x, w, None, m, v, True, 0.3, 0.1),
        *op._native_batch_norm_legit_functional(x, w, w, m, v, False, 0.3, 0.1)), r(4, 3, 5), r(3), r(3), p(3)
    yield "rms_norm_gradient", without_kernel(lambda g, x, w: op._fused_rms_norm_backward(
        g, x, [4], torch.rsqrt((x * x).mean(-1, keepdim=True) + 0.5), w, [True, True]), lambda g, x, w: torch.autograd.grad(
            F.rms_norm(x, (4,), w, 0.5), (x, w), g)), r(2, 3, 4), r(2, 3, 4).requires_grad_(), r(4).requires_grad_()
    yield "shrink_backward", lambda g, x: (op.softshrink_backward(g, x, 0.5), op.hardshrink_backward(g, x, 1.5)), r(10), E
    yield "signbit", lambda x, i: (torch.signbit(x), torch.signbit(i)), E, I
    for name in "cummax", "cummin":
        yield name, lambda x, i, f=getattr(torch, name): (*f(x, 1), *f(x, 0), *f(i, 0), *f(x[0, 0], 0)), r(4, 6).round(), n(0, 3, 6)
    for how in "mean", "amax", "amin":
        for own in True, False:
            yield (f"index_reduce_{how}_{own}", lambda x, i, s, h=how, o=own: x.index_reduce(1, i, s, h, include_self=o),
                   r(2, 4, 3), n(0, 4, 5), r(2, 5, 3))
    for pad in (1, 2), (0, 3), (-1, 0):
        yield f"pad_backward_{pad}", lambda g, x, p=pad: op.replication_pad1d_backward(g, x, p), r(2, 3, 4 + sum(pad)), r(2, 3, 4)
    yield "pad_backward_2", lambda g, x: op.replication_pad2d_backward(g, x, (1, 2, 0, 1)), r(2, 3, 5, 7), r(2, 3, 4, 4)
    yield "pad_backward_3", lambda g, x: op.replication_pad3d_backward(g, x, (1, 0, 0, 1, 2, 0)), r(1, 2, 4, 4, 4), r(1, 2, 2, 3, 3)
    yield "adaptive_pools_overlapping", lambda x, g: (
        op._adaptive_avg_pool2d(x, (3, 4)), op._adaptive_avg_pool2d(x, (2, 7)), op._adaptive_avg_pool2d_backward(g, x),
        op._adaptive_avg_pool3d(x, (2, 4, 3)), *F.adaptive_max_pool2d(x, (3, 4), return_indices=True)), r(2, 3, 5, 6).round(), \
        r(2, 3, 3, 4)
    yield "adaptive_maxima", lambda x, y, g: (
        *F.adaptive_max_pool2d(x, (2, 3), return_indices=True), *F.adaptive_max_pool3d(y, (2, 1, 3), return_indices=True),
        op.adaptive_max_pool2d_backward(g, x, F.adaptive_max_pool2d(x, (3, 4), return_indices=True)[1])), \
        r(2, 3, 4, 6).round(), r(1, 3, 3, 4).round(), r(2, 3, 3, 4)
    pairs = lambda f: lambda x, y: [torch.view_as_real(c) if c.is_complex() else c for c in f(
        torch.view_as_complex(x.float()), torch.view_as_complex(y.float()))]
    yield "complex_functions", pairs(lambda z, w: (z.abs(), z.sgn(), -z, z / (w + 3), 2 / (w + 3), z - 1, 1.5 + w, z / 2, z * 0.5,
                                                   w.abs() * z, w.abs() + z)), r(3, 4, 2).round(), r(3, 4, 2)
    yield "complex_sums", pairs(lambda z, w: (z.sum(), z.sum(-1), z.mean(0), z.mean((0, -1), keepdim=True))), r(3, 4, 2), r(3, 4, 2)
    yield "complex_tensors", pairs(lambda z, w: (
        torch.zeros_like(z) + w, torch.ones_like(z) * w, torch.full_like(z, 2.5), z.new_zeros(2), z.new_full((2,), -1),
        op.copy(z, w))), r(3, 4, 2), r(3, 4, 2)
    yield "complex_pieces", pairs(lambda z, w: (
        torch.slice_scatter(z, w[:, 1:3], -1, 1, 3), torch.select_scatter(z, w[:, 0], -1, 2), *z.split(3, -1), *z.unbind(-1),
        z.flip(-1), z.narrow(-1, 1, 2), op.slice_backward(z, [3, 9], -1, 0, 7, 2), op.select_backward(z, [3, 2, 4], -2, 1),
        op.slice_backward(w, [3, 6], 1, 1, 5, 1))), r(3, 4, 2), r(3, 4, 2)
    yield "leaks_functional", lambda x, y: op.rrelu_with_noise_functional(x, y, 0.1, 0.3, False), E, r(10)


def without_kernel(f, same):
    """A case whose operator runs on other devices alone, and what it means."""
    return lambda *args: f(*args) if torch.compiler.is_exporting() else same(*args)


class Function(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


KINDS = "cases", "composites"


class Together(nn.Module):
    """All cases in one module, their arguments behind one another."""
    def __init__(self, cases):
        super().__init__()
        self.cases = cases

    def forward(self, *args):
        out = []
        for _, f, *own in self.cases:
            out.append(f(*args[:len(own)]))
            args = args[len(own):]
        return out


def together(kind, cases):
    """One archive for all: ({ending: (bytes, {input: value})}, [(case, numbers)])."""
    args = [x for _, _, *own in cases for x in own]
    program = torch.export.export(Together(cases), tuple(args))
    if kind.startswith("cases"):
        program = program.run_decompositions()
    file, small = io.BytesIO(), io.BytesIO()
    torch.export.save(program, file)
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(small, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():  # without the folders that frames of the stack were in
            new.writestr(zipfile.ZipInfo(entry), re.sub(rb'File \\"[^"]*/', rb'File \\"', old.read(entry)), zipfile.ZIP_DEFLATED)
    results = [(name, want) for name, f, *own in cases for want in numbers(f(*own))]
    return {".pt2": (small.getvalue(), {n: x.tolist() for n, x in zip(inputs_of(program), args)})}, results


def inputs_of(program):
    return [s.arg.name for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]


def leaves(x):
    return [x] if isinstance(x, torch.Tensor) else [y for z in x for y in leaves(z)]


def numbers(results):
    return [[float(x) for x in y.reshape(-1).tolist()] for y in leaves(results)]


def run(program, args, folder):
    torch.export.save(program, folder / "f.pt2")
    (folder / "inputs.json").write_text(json.dumps({name: x.tolist() for name, x in zip(inputs_of(program), args)}))
    return evaluated(folder / "f.pt2", folder / "inputs.json")


@pytest.mark.parametrize("case", list(cases()), ids=lambda c: c[0])
def test_operator(case, tmp_path):
    _, f, *args = case
    program = torch.export.export(Function(f), tuple(args)).run_decompositions()
    agree(run(program, args, tmp_path), numbers(f(*args)))


@pytest.mark.parametrize("case", list(composites()), ids=lambda c: c[0])
def test_composite(case, tmp_path):
    _, f, *args = case
    agree(run(torch.export.export(Function(f), tuple(args)), args, tmp_path), numbers(f(*args)), may_be_unknown=False)
