"""Causal attention with the sequence dealt out over cp, so that all devices have as much to do: device r has the positions
r, r + n, .. of n devices.  On one device the same order is made, and undone, by a table of places."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

DEVICES, LENGTH = 3, 6
DEALT = np.arange(LENGTH, dtype=np.int32).reshape(-1, DEVICES).T.reshape(-1)
ORDER = np.argsort(DEALT).astype(np.int32)


def whole(q, k, v):
    q, k, v = q[ORDER], k[ORDER], v[ORDER]
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), q @ k.T, -1e30)
    return (jax.nn.softmax(scores) @ v)[DEALT]


def dealt(q, k, v):
    """Of a block of keys that comes from a device further on, the row's own place is hidden as well."""
    rank, rows, columns = lax.axis_index("cp"), jnp.arange(q.shape[0])[:, None], jnp.arange(q.shape[0])
    top, total, out = -1e30, 0.0, 0.0
    for hop in range(DEVICES):
        source = (rank - hop) % DEVICES
        seen = jnp.where(source > rank, rows > columns, rows >= columns)
        scores = jnp.where(seen, q @ k.T, -1e30)
        new = jnp.maximum(top, jnp.max(scores, axis=1, keepdims=True))
        weights = jnp.exp(scores - new)
        total = total * jnp.exp(top - new) + jnp.sum(weights, axis=1, keepdims=True)
        out, top = out * jnp.exp(top - new) + weights @ v, new
        k, v = lax.ppermute((k, v), "cp", [(i, (i + 1) % DEVICES) for i in range(DEVICES)])
    return out / total


def programs():
    x, cut = jax.ShapeDtypeStruct((LENGTH, 4), jnp.float32), P("cp")
    return {"striped-cp3": Program(whole, dealt, (x, x, x), {"cp": DEVICES}, (cut, cut, cut), cut)}
