"""Causal attention with the sequence cut over cp: keys travel around a ring, or heads are exchanged for positions."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models import attention as attn
from tvr_jax import Program


def sequential(q, k, v):
    return attn.attend(q, k, v)


def ring(q, k, v):
    """Softmax over blocks of keys as they come by, with a running maximum and sum."""
    n, rank, length = 3, lax.axis_index("cp"), q.shape[1]
    rows = rank * length + jnp.arange(length)
    top, total, out = -1e30, 0.0, 0.0
    for hop in range(n):
        columns = ((rank - hop) % n) * length + jnp.arange(length)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * attn.WIDTH ** -0.5
        scores = jnp.where(rows[:, None] >= columns[None, :], scores, -1e30)
        new = jnp.maximum(top, jnp.max(scores, axis=-1, keepdims=True))
        weights = jnp.exp(scores - new)
        total = total * jnp.exp(top - new) + jnp.sum(weights, axis=-1, keepdims=True)
        out = out * jnp.exp(top - new) + jnp.einsum("bhqk,bkhd->bhqd", weights, v)
        top = new
        k, v = lax.ppermute((k, v), "cp", [(i, (i + 1) % n) for i in range(n)])
    out = jnp.swapaxes(out / total, 1, 2)
    return out.reshape(*out.shape[:2], -1)


def exchange(q, k, v):
    """Every device gets all positions of some heads, and gives back its positions of all heads."""
    q, k, v = (lax.all_to_all(t, "cp", split_axis=2, concat_axis=1, tiled=True) for t in (q, k, v))
    out = attn.attend(q, k, v)
    return lax.all_to_all(out, "cp", split_axis=1, concat_axis=2, tiled=True)


def gradients(f):
    def run(q, k, v, dy):
        y, back = jax.vjp(f, q, k, v)
        return {"y": y, "grads": back(dy)}
    return run


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P(None, "cp")
    x = f(1, 9, 2, attn.WIDTH)
    y = f(2, 10, 4, attn.WIDTH)
    return {
        "attention-ring-cp3": Program(sequential, ring, (x, x, x), {"cp": 3}, (cut, cut, cut), cut),
        "attention-exchange-cp2": Program(gradients(sequential), gradients(exchange), (y, y, y, f(2, 10, 20)), {"cp": 2},
                                          (cut, cut, cut, cut), cut),
    }
