"""Embedding and cross entropy with tied weights; the vocabulary is cut over tp, no device sees all logits."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models.parallel import enter, leave
from tvr_jax import Program


def embed(table, ids):
    return table[ids]


def cross_entropy(logits, labels):
    top = lax.stop_gradient(jnp.max(logits, axis=-1))
    total = jnp.sum(jnp.exp(logits - top[..., None]), axis=-1)
    target = jnp.take_along_axis(logits, labels[..., None], axis=-1)[..., 0]
    return jnp.mean(jnp.log(total) + top - target)


def mine(ids, size):
    """Ids as rows of the local part of the vocabulary, and whether they lie in it."""
    local = ids - lax.axis_index("tp") * size
    inside = (local >= 0) & (local < size)
    return jnp.clip(local, 0, size - 1), inside


def embed_tp(table, ids):
    local, inside = mine(ids, table.shape[0])
    return leave(jnp.where(inside[..., None], table[local], 0), "tp")


def cross_entropy_tp(logits, labels):
    top = lax.pmax(lax.stop_gradient(jnp.max(logits, axis=-1)), "tp")
    total = leave(jnp.sum(jnp.exp(logits - top[..., None]), axis=-1), "tp")
    local, inside = mine(labels, logits.shape[-1])
    picked = jnp.take_along_axis(logits, local[..., None], axis=-1)[..., 0]
    target = leave(jnp.where(inside, picked, 0), "tp")
    return jnp.mean(jnp.log(total) + top - target)


def sequential(table, w, ids, labels):
    def loss(table, w):
        h = jnp.tanh(embed(table, ids) @ w)
        return cross_entropy(h @ table.T, labels)
    value, (dt, dw) = jax.value_and_grad(loss, argnums=(0, 1))(table, w)
    return {"loss": value, "table": dt, "w": dw}


def vocabulary_parallel(table, w, ids, labels):
    def loss(table, w):
        h = jnp.tanh(embed_tp(table, ids) @ w)
        return cross_entropy_tp(enter(h, "tp") @ table.T, labels)
    value, (dt, dw) = jax.value_and_grad(loss, argnums=(0, 1))(table, w)
    return {"loss": value, "table": dt, "w": dw}


def programs():
    f, ids = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), jax.ShapeDtypeStruct((3, 5), jnp.int32)
    cut = P("tp", None)
    return {"vocabulary-tp3": Program(sequential, vocabulary_parallel, (f(33, 7), f(7, 7), ids, ids), {"tp": 3},
                                      (cut, P(), P(), P()), {"loss": P(), "table": cut, "w": P()},
                                      assume={"ids": (0, 33), "labels": (0, 33)})}
