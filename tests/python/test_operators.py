"""What operators of PyTorch mean: `tvr eval` of an exported function against PyTorch itself, in double precision.

A value that tvr does not know (an operator without a definition) is left out; a known one must agree."""
import json
import math
import os
import subprocess

import pytest

torch = pytest.importorskip("torch")
from torch import nn
from torch.nn import functional as F

TVR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "tvr")
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
    yield "softmax", lambda x: (F.softmax(x, 1), F.log_softmax(x, 1)), r(2, 3, 4)
    yield "sort", lambda x: (*x.sort(1), *x.topk(2, 0)), torch.randperm(12).view(3, 4).double()
    yield "movements", lambda x: (x.permute(2, 0, 1), x.transpose(0, 2), x.flatten(1), x.flip(0, 2),
                                  x.roll(2, 1)), r(2, 3, 4)
    yield "pieces", lambda x: (*x.split(2, 1), *x.chunk(3, 1), x[:, 1:-1:2], x.select(1, -1),
                               x.narrow(1, 1, 2)), r(2, 7)
    yield "repeats", lambda x: (x.repeat(2, 3), x.repeat_interleave(3, 1), x.expand(3, 2, 2), x.tile(2)), r(2, 2)
    yield "pads", lambda x: (F.pad(x, (1, 2, 0, 1), value=9.0), F.pad(x, (-1, 2))), r(2, 4)
    yield "triangles", lambda x: (x.tril(-1), x.triu(1)), r(4, 5)
    yield "where", torch.where, b(3, 4), r(3, 4), r(4)
    yield "gather", lambda x, i: (x.gather(1, i), x.take_along_dim(i, 1)), r(3, 5), n(0, 5, 3, 2)
    yield "scatter_add", lambda x, i, s: x.scatter_add(0, i, s), r(3, 2), n(0, 3, 4, 2), r(4, 2)
    yield "index", lambda x, i, j: (x[i, j], x[:, j], x[i[:, None], j]), r(4, 5), n(-4, 4, 3), n(0, 5, 3)
    yield "index_add", lambda x, i, s: x.index_put((i,), s, accumulate=True), r(4, 2), n(0, 4, 5), r(5, 2)
    yield "embedding", lambda w, i: F.embedding(i, w), r(5, 3), n(0, 5, 2, 4)
    yield "one_hot", lambda i: F.one_hot(i, 5), n(0, 5, 4)
    yield "products", lambda x, y: (x @ y, torch.einsum("bij,bjk->ik", x, y)), r(2, 3, 4), r(2, 4, 5)
    yield "addmm", lambda x, y, z: torch.addmm(x, y, z, beta=0.5, alpha=2), r(4), r(2, 3), r(3, 4)
    for groups, stride, padding in (1, 1, 0), (2, 2, 1), (1, 2, 1):
        yield (f"conv_{groups}{stride}{padding}", lambda x, w, c, g=groups, s=stride, q=padding:
               F.conv2d(x, w, c, s, q, 1 + (s == 1), g), r(2, 4, 6, 5), r(4, 4 // groups, 2, 2), r(4))
    yield "pools", lambda x: (F.max_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, 2, 1),
                              F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)), r(1, 2, 5, 5)
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


class Function(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *args):
        return self.f(*args)


def leaves(x):
    return [x] if isinstance(x, torch.Tensor) else [y for z in x for y in leaves(z)]


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


@pytest.mark.parametrize("case", list(cases()), ids=lambda c: c[0])
def test_operator(case, tmp_path):
    _, f, *args = case
    program = torch.export.export(Function(f), tuple(args)).run_decompositions()
    torch.export.save(program, tmp_path / "f.pt2")
    names = [s.arg.name for s in program.graph_signature.input_specs if s.kind.name == "USER_INPUT"]
    (tmp_path / "inputs.json").write_text(json.dumps({name: x.tolist() for name, x in zip(names, args)}))
    run = subprocess.run([TVR, "eval", tmp_path / "f.pt2", f"--inputs={tmp_path / 'inputs.json'}", "--json",
                          "--elements=100000"], capture_output=True, text=True, timeout=60)
    values = json.loads(run.stdout)["values"]
    wanted = leaves(f(*args))
    assert len(values) == len(wanted)
    for value, want in zip(values, wanted):
        found, want = flat(value["data"]), [float(x) for x in want.reshape(-1).tolist()]
        assert len(found) == len(want)
        for x, y in zip(found, want):
            assert x is None or abs(float(x) - y) <= 1e-6 * (1 + abs(y)), (found, want)
