"""Smoothed cross entropy of labels of which some, -1, do not count; the vocabulary is cut over tp."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models.parallel import enter, leave
from models.vocabulary import mine
from tvr_jax import Program

SMOOTH = 0.125


def mean_of_counted(losses, labels):
    counted = (labels != -1).astype(losses.dtype)
    return jnp.sum(losses * counted) / jnp.sum(counted)


def losses(logits, labels):
    known = jnp.where(labels == -1, 0, labels)
    target = jnp.take_along_axis(logits, known[..., None], axis=-1)[..., 0]
    return jax.nn.logsumexp(logits, axis=-1) - (1 - SMOOTH) * target - SMOOTH * jnp.mean(logits, axis=-1)


def losses_tp(logits, labels):
    top = lax.pmax(lax.stop_gradient(jnp.max(logits, axis=-1)), "tp")
    total = leave(jnp.sum(jnp.exp(logits - top[..., None]), axis=-1), "tp")
    known = jnp.where(labels == -1, 0, labels)
    local, inside = mine(known, logits.shape[-1])
    picked = jnp.take_along_axis(logits, local[..., None], axis=-1)[..., 0]
    target = leave(jnp.where(inside, picked, 0), "tp")
    mean = leave(jnp.sum(logits, axis=-1), "tp") / (logits.shape[-1] * lax.axis_size("tp"))
    return jnp.log(total) + top - (1 - SMOOTH) * target - SMOOTH * mean


def sequential(w, x, labels):
    return jax.value_and_grad(lambda w, x: mean_of_counted(losses(x @ w, labels), labels), argnums=(0, 1))(w, x)


def cut_vocabulary(w, x, labels):
    def loss(w, x):
        return mean_of_counted(losses_tp(enter(x, "tp") @ w, labels), labels)
    return jax.value_and_grad(loss, argnums=(0, 1))(w, x)


def programs():
    f, labels = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), jax.ShapeDtypeStruct((5,), jnp.int32)
    cut = P(None, "tp")
    return {"ignored-labels-tp3": Program(sequential, cut_vocabulary, (f(4, 15), f(5, 4), labels), {"tp": 3},
                                          (cut, P(), P()), (P(), (cut, P())), assume={"labels": (-1, 15)})}
