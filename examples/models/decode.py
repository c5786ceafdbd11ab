"""Greedy decoding: the next token is the one with the largest logit; the vocabulary is cut over tp."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def greedy(h, head):
    return jnp.argmax(h @ head, axis=-1)


def greedy_tp(h, head):
    """The first of the largest logits: every device's first, and of these the first of the largest."""
    logits = h @ head
    best, token = jnp.max(logits, axis=-1), jnp.argmax(logits, axis=-1)
    token = token + lax.axis_index("tp") * head.shape[1]
    return lax.pmin(jnp.where(best == lax.pmax(best, "tp"), token, 1 << 30), "tp")


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    return {"decode-tp3": Program(greedy, greedy_tp, (f(4, 7), f(7, 15)), {"tp": 3}, (P(), P(None, "tp")), P())}
