"""Gradients of one batch, added up over microbatches on every device and averaged over dp."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

MICRO = 3


def loss(p, x, target):
    h = jax.nn.gelu(x @ p["w1"] + p["b1"], approximate=True)
    return jnp.mean(jnp.square(h @ p["w2"] - target))


def sequential(p, x, target):
    return jax.grad(loss)(p, x, target)


def unrolled(p, x, target):
    total = jax.tree.map(jnp.zeros_like, p)
    for mx, mt in zip(jnp.split(x, MICRO), jnp.split(target, MICRO)):
        g = jax.grad(loss)(p, mx, mt)
        total = jax.tree.map(jnp.add, total, g)
    return jax.tree.map(lambda g: lax.pmean(g / MICRO, "dp"), total)


def looped(p, x, target):
    def add(total, micro):
        g = jax.grad(loss)(p, *micro)
        return jax.tree.map(jnp.add, total, g), None
    parts = jax.tree.map(lambda t: t.reshape(MICRO, -1, t.shape[-1]), (x, target))
    total, _ = lax.scan(add, jax.tree.map(jnp.zeros_like, p), parts)
    return jax.tree.map(lambda g: lax.pmean(g / MICRO, "dp"), total)


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    args, rows = ({"w1": f(7, 9), "b1": f(9), "w2": f(9, 5)}, f(18, 7), f(18, 5)), P("dp", None)
    return {
        "accumulate-dp2": Program(sequential, unrolled, args, {"dp": 2}, (P(), rows, rows), P()),
        "accumulate-loop-dp2": Program(sequential, looped, args, {"dp": 2}, (P(), rows, rows), P()),
    }
