"""What StableHLO means: `tvr eval` of a lowered function against JAX itself, in double precision.

A value that tvr does not know (an operator without a definition) is left out; a known one must agree. Those of `complex_`
are known, those of `unknown_` are not."""
import json
import re

import numpy as np
import pytest

jax = pytest.importorskip("jax")
jax.config.update("jax_enable_x64", True)
from jax import lax
from jax import numpy as jnp

from evaluated import agree, evaluated

RANDOM = np.random.default_rng(0)
E = np.array([-2.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5, 3.7])
D = np.array([1.5, -2, 0.5, 3, -0.7, 2, -1, 0.25, -3, 1])
I, J = np.array([-7, -3, -1, 0, 1, 2, 5, 9], np.int32), np.array([2, -2, 3, 5, -4, 3, 2, -5], np.int32)


def r(*shape):
    return np.round(RANDOM.normal(size=shape) * 16) / 8


def n(lo, hi, *shape):
    return RANDOM.integers(lo, hi, size=shape).astype(np.int32)


def cases():
    for name in "floor ceil sign abs exp tanh sin cos square expm1 trunc sinc".split():
        yield name, getattr(jnp, name), E
    for name in "logistic cbrt erf erfc round".split():
        yield name, getattr(lax, name), E
    yield "round_even", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), E
    for name in "gelu silu softplus relu6 elu leaky_relu log_sigmoid".split():
        yield name, getattr(jax.nn, name), E
    for name, f in ("rem", lax.rem), ("mod", jnp.mod), ("floor_divide", jnp.floor_divide), ("atan2", jnp.arctan2):
        yield name, f, E, D
    for f in lax.rem, jnp.mod, lax.div, jnp.floor_divide, jnp.bitwise_and, jnp.bitwise_or, jnp.bitwise_xor:
        yield "integer_" + f.__name__, f, I, J
    yield "shifts", lambda x: (x << 2) + (x >> 1), I
    yield "overflow", lambda x: (x * 100).astype(jnp.int8) * x.astype(jnp.uint8), I
    u = np.array([250, 9, 250], np.uint8)
    yield "unsigned_sums", lambda x: (lax.cumsum(x), x.at[np.array([0, 0])].add(x[:2]), x + x, x * x, jnp.sum(x, dtype=x.dtype)), u
    yield "unsigned_shifts", lambda x: (x << 30, x >> 30, lax.shift_right_arithmetic(x, x % 8)), u.astype(np.uint32) * 2**24
    yield "long_products", lambda x: x * x * x, u.astype(np.uint64) * 2**32
    yield "conversions", lambda x: (x.astype(jnp.int32), x.astype(bool), abs(x).astype(jnp.uint8)), E
    yield "clamp_crossed", lambda x: lax.clamp(5.0, x, 1.0), E
    yield "sums", lambda x: (x.sum(1), x.prod(1), x.max((0, 2)), x.min(), x.mean(0), x.var(0, ddof=1)), r(3, 4, 2)
    yield "positions", lambda x: (jnp.argmax(x, 1), jnp.argmin(x, 0), jnp.argmax(x)), np.round(r(4, 5))
    for name in "cumsum cumprod cummax cumlogsumexp".split():
        yield name, lambda x, f=getattr(lax, name): (f(x, axis=1), f(x, axis=1, reverse=True)), r(2, 5)
    yield "sort", lambda x: (jnp.sort(x, 1), jnp.argsort(x, 1), *lax.top_k(x, 2)), np.round(r(3, 6)) + 0.0  # -0 is below 0 there
    yield "pad", lambda x: (lax.pad(x, 9.0, ((-1, 2, 0), (1, -2, 1))), x[::-1, ::2], jnp.roll(x, 2, 1)), r(3, 5)
    yield "triangles", lambda x: (jnp.tril(x, -1), jnp.triu(x, 1), jnp.diag(x)), r(4, 4)
    for mode in "clip", "fill", "wrap":
        yield "take_" + mode, lambda x, i, m=mode: jnp.take(x, i, axis=0, mode=m, fill_value=7.0), r(4, 2), n(-3, 8, 5)
    yield "dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i[0], i[1]), (2, 3)), r(4, 6), np.array([3, -2])
    yield ("dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i[0], i[1])), r(4, 6), r(2, 2),
           np.array([3, 5], np.int32))
    for mode in "add", "min", "max":
        yield ("scatter_" + mode, lambda x, u, i, m=mode: getattr(x.at[i], m)(u, mode="drop"), r(5, 2), r(4, 2),
               np.array([0, 3, 9, -1], np.int32))
    for mode in "set", "add":
        put = lambda x, u, i, m=mode: getattr(x.at[i[:, 0], i[:, 1]], m)(u, mode="drop")
        yield "scatter_pairs_" + mode, put, r(5, 4, 2), r(4, 2), np.array([[0, 3], [3, 1], [9, 0], [4, -1]], np.int32)
        windows = lambda x, u, i, f=lax.scatter if mode == "set" else lax.scatter_add: f(
            x, i, u, lax.ScatterDimensionNumbers((1, 2), (), (0, 1), (), ()), mode="drop")
        yield "scatter_windows_" + mode, windows, r(6, 5), r(3, 2, 2), np.array([[0, 3], [4, 1], [5, 0]], np.int32)
    yield ("update_rows", jax.vmap(lambda x, u, i: lax.dynamic_update_slice(x, u[None], (i, i * 0))), r(3, 5, 2), r(3, 2),
           np.array([4, 0, 7], np.int32))
    yield "segment_sum", lambda x, i: jax.ops.segment_sum(x, i, 4), r(6, 2), n(0, 6, 6)
    yield "one_hot", lambda x: jax.nn.one_hot(x, 4), n(-1, 5, 6)
    yield "einsum", lambda x, y: jnp.einsum("abc,cbd->ad", x, y), r(2, 3, 4), r(4, 3, 2)
    for stride in 1, 2:
        for padding in "SAME", "VALID", [(1, 0), (2, 1)]:
            yield (f"convolution_{stride}{padding}", lambda x, w, s=stride, p=padding: lax.conv_general_dilated(
                x, w, (s, 1), p, rhs_dilation=(3 - s, 1)), r(2, 4, 6, 5), r(3, 4, 3, 2))
    for more, x, w in (({"lhs_dilation": (2,)}, r(1, 2, 4), r(3, 2, 3)),
                       ({"feature_group_count": 2}, r(2, 4, 5), r(6, 2, 3)),
                       ({"batch_group_count": 2}, r(4, 3, 5), r(4, 3, 2))):
        yield "convolution_" + "".join(more), lambda x, w, m=more: lax.conv_general_dilated(x, w, (1,), [(2, 1)], **m), x, w
    yield "windows", lambda x: (lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (2, 1), "SAME"),
                                lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 2), ((1, 0), (0, 1)))), r(5, 6)
    yield "loops", lambda x: (lax.scan(lambda c, a: (c / 2 + a, c), jnp.zeros(2), x),
                              lax.fori_loop(0, 4, lambda i, v: v / 2 + x[i], jnp.zeros(2))), r(4, 2)
    yield "branches", lambda p, x: lax.cond(p[0] > 0, lambda a: a * 2, lambda a: a - 1, x), r(1), r(3)
    z, parts = lambda x: lax.complex(x[0], x[1]), lambda *of: [(jnp.real(c), jnp.imag(c)) for c in of]
    yield "complex_arithmetic", lambda x, y: parts(z(x) * z(y), z(x) - z(y), -z(x)), r(2, 3, 4), r(2, 3, 4)
    yield ("complex_functions", lambda x: (parts(jnp.exp(z(x)), jnp.conj(z(x)), z(x) * x[1], z(x) * (2 - 1j) + x[0] * np.array(
        [1j, 2, 3 + 1j, 0, -1j])), abs(z(x))), r(2, 5))
    yield ("complex_moves", lambda x: parts(
        z(x).T, z(x)[1:, ::-1], z(x)[:, ::2].reshape(-1), jnp.roll(z(x), 1, 1), jnp.stack([z(x), z(x) * z(x)], 1),
        jnp.where(x[0] > 0, z(x), -z(x)), jnp.where(x[0, 0, 0] > 9, z(x), -z(x))), r(2, 3, 4))
    yield ("complex_slices", lambda x, i: parts(lax.dynamic_slice(z(x), (i[0], i[1]), (2, 2)), lax.dynamic_update_slice(
        z(x), z(x)[:1, :2], (i[0], i[1]))), r(2, 3, 4), np.array([1, 2]))
    yield ("complex_sums", lambda x, y: parts(
        z(x) / z(y), z(x).sum(0), jnp.pad(z(x), 1), z(x)[np.array([2, 0])], z(x) @ z(y).T,
        z(x).at[np.array([1, 1])].add(z(y)[:2])), r(2, 3, 4), r(2, 3, 4))
    t = jnp.fft
    yield ("complex_fourier", lambda x: parts(
        t.fft(z(x)), t.ifft(z(x), axis=0), t.fft2(z(x)), t.rfft(x[0]), t.rfft(x[0], axis=0), t.rfft2(x[1])), r(2, 3, 4))
    yield ("complex_fourier_back", lambda x: (
        t.irfft(z(x)), t.irfft(z(x), n=7), t.irfft(z(x), axis=0), t.irfftn(z(x)), t.irfft(z(x)[:, :1], n=1)), r(2, 3, 4))
    yield "unknown_complex", lambda x: parts(jnp.tanh(z(x)), z(x) ** 0.3, z(x).prod(0)), r(2, 3, 4)
    for name, f in {"gather": lambda x: (x[jnp.array([0, 2, 2])] ** 2).sum(), "max": jnp.max, "prod": jnp.prod,
                    "cumsum": lambda x: (jnp.cumsum(x) ** 2).sum(), "lse": jax.nn.logsumexp}.items():
        yield "gradient_" + name, jax.grad(f), r(5)


KINDS = "cases",


def together(kind, cases):
    """One program for all, as StableHLO and as HLO: ({ending: (bytes, {input: value})}, [(case, numbers)])."""
    args = [x for _, _, *own in cases for x in own]

    def f(*args):
        out, args = [], list(args)
        for _, case, *own in cases:
            out.append(case(*[args.pop(0) for _ in own]))
        return out

    lowered = jax.jit(f, keep_unused=True).lower(*args)
    mlir, hlo = lowered.as_text(), lowered.as_text("hlo")
    numbered = {int(k): n for n, k in re.findall(r"(\S+) = \S+ parameter\((\d+)\)", hlo.split("ENTRY")[1])}
    graphs = {ending: (text.encode(), {n: x.tolist() for n, x in zip(names, args)}) for ending, text, names in (
        (".mlir", mlir, inputs_of(mlir)), (".hlo", hlo, [numbered[k] for k in sorted(numbered)]))}
    results = [(name, want) for name, case, *own in cases for want in numbers(jax.jit(case)(*own))]
    return graphs, results


def inputs_of(text):
    return re.findall(r"%(arg\d+):", text.split("@main")[1].split("->")[0])


def numbers(results):
    return [np.asarray(y, np.float64).reshape(-1).tolist() for y in jax.tree.leaves(results)]


@pytest.mark.parametrize("case", list(cases()), ids=lambda c: c[0])
def test_operator(case, tmp_path):
    name, f, *args = case
    text = jax.jit(f).lower(*args).as_text()
    (tmp_path / "f.mlir").write_text(text)
    (tmp_path / "inputs.json").write_text(json.dumps({at: x.tolist() for at, x in zip(inputs_of(text), args)}))
    values = evaluated(tmp_path / "f.mlir", tmp_path / "inputs.json")
    for found in values:
        assert not (None in found if name.startswith("complex_") else name.startswith("unknown_") and any(found)), found
    agree(values, numbers(jax.jit(f)(*args)))
