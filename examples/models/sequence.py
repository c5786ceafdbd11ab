"""Layers on a sequence that is cut over cp, and their gradients: attention that passes keys around a ring, and windows
that reach into the rows of the device before."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def attend(q, k, v):
    scores = jnp.einsum("bqd,bkd->bqk", q, k)
    scores = jnp.where(jnp.tril(jnp.ones(scores.shape[1:], bool)), scores, -1e30)
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores, -1), v)


def ring(q, k, v):
    n, rank, rows = lax.axis_size("cp"), lax.axis_index("cp"), jnp.arange(q.shape[1])
    top, total, out = -1e30, 0.0, 0.0
    for hop in range(n):
        columns = (rank - hop) % n * len(rows) + rows
        scores = jnp.einsum("bqd,bkd->bqk", q, k)
        scores = jnp.where((rank * len(rows) + rows)[:, None] >= columns[None, :], scores, -1e30)
        new = jnp.maximum(top, jnp.max(scores, axis=-1, keepdims=True))
        weights = jnp.exp(scores - new)
        total = total * jnp.exp(top - new) + jnp.sum(weights, axis=-1, keepdims=True)
        out = out * jnp.exp(top - new) + jnp.einsum("bqk,bkd->bqd", weights, v)
        top = new
        if hop < n - 1:
            k, v = lax.ppermute((k, v), "cp", [(i, (i + 1) % n) for i in range(n)])
    return out / total


def attention(attend):
    return lambda w, x: x + jnp.tanh(attend(x @ w["q"], x @ w["k"], x @ w["v"]))


def window(before):
    def layer(w, x):
        rows = jnp.concatenate([before(x[:, -2:]), x], 1)
        return x + jnp.tanh(sum(rows[:, i:i + x.shape[1]] @ w[i] for i in range(3)))
    return layer


def none_before(rows):
    return jnp.zeros_like(rows)


def rows_before(rows):
    n = lax.axis_size("cp")
    return lax.ppermute(rows, "cp", [(i, i + 1) for i in range(n - 1)])


def step(layer, p, x, y):
    def loss(p):
        out = x
        for w in p:
            out = layer(w, out)
        return jnp.mean((out - y) ** 2)
    return jax.value_and_grad(loss)(p)


def whole(layer):
    return lambda p, x, y: step(layer, p, x, y)


def cut(layer):
    return lambda p, x, y: lax.pmean(step(layer, p, x, y), "cp")


def programs():
    f, rows = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P(None, "cp")
    p, x = [{name: f(5, 5) for name in "qkv"} for _ in range(2)], f(2, 6, 5)
    large, long = [{name: f(48, 48) for name in "qkv"} for _ in range(2)], f(4, 1536, 48)
    w, y = [f(3, 5, 5) for _ in range(2)], f(2, 9, 5)
    return {"layers-ring-cp2": Program(whole(attention(attend)), cut(attention(ring)), (p, x, x), {"cp": 2}, (P(), rows, rows),
                                       (P(), P())),
            "layers-long-cp4": Program(whole(attention(attend)), cut(attention(ring)), (large, long, long), {"cp": 4},
                                       (P(), rows, rows), (P(), P())),
            "layers-window-cp3": Program(whole(window(none_before)), cut(window(rows_before)), (w, y, y), {"cp": 3},
                                         (P(), rows, rows), (P(), P()))}
