"""Gradients of attention to all positions, keys and values travelling around a ring: a running maximum that starts at the
least number of the type, through which the gradient goes as well."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

HEADS, WIDTH = 2, 4


def scored(q, k):
    return jnp.einsum("bqhd,bkhd->bhqk", q, k) * WIDTH ** -0.5


def attend(q, k, v):
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scored(q, k)), v)


def ring(q, k, v):
    n = lax.axis_size("cp")
    total, out = jnp.zeros(scored(q, k).shape[:-1]), 0.0
    top = total + float(jnp.finfo(jnp.float32).min)
    for _ in range(n):
        scores = scored(q, k)
        new = jnp.maximum(top, jnp.max(scores, axis=-1))
        weights, old = jnp.exp(scores - new[..., None]), jnp.exp(top - new)
        total = total * old + jnp.sum(weights, axis=-1)
        out = out * old[..., None] + jnp.einsum("bhqk,bkhd->bhqd", weights, v)
        top = new
        k, v = lax.ppermute((k, v), "cp", [(i, (i + 1) % n) for i in range(n)])
    return jnp.swapaxes(out / total[..., None], 1, 2)


def gradients(f, total):
    def run(q, k, v, target):
        loss, grads = jax.value_and_grad(lambda *x: jnp.sum((f(*x) - target) ** 2), argnums=(0, 1, 2))(q, k, v)
        return {"loss": total(loss), "grads": grads}
    return run


def programs():
    x, cut = jax.ShapeDtypeStruct((1, 6, HEADS, WIDTH), jnp.float32), P(None, "cp")
    return {"ring-gradients-cp2": Program(gradients(attend, lambda x: x), gradients(ring, lambda x: lax.psum(x, "cp")),
                                          (x, x, x, x), {"cp": 2}, (cut,) * 4, {"loss": P(), "grads": (cut,) * 3})}
