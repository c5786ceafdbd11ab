"""A training step with everything cut over dp: parameters are gathered for use, gradients are reduced and scattered."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

RATE, MOMENTUM = 0.1, 0.9


def loss(p, x, target):
    h = jnp.tanh(x @ p["w1"] + p["b1"])
    return jnp.mean(jnp.square(h @ p["w2"] + p["b2"] - target))


def update(p, m, g):
    m = jax.tree.map(lambda m, g: MOMENTUM * m + g, m, g)
    return jax.tree.map(lambda p, m: p - RATE * m, p, m), m


def sequential(p, m, x, target):
    value, g = jax.value_and_grad(loss)(p, x, target)
    p, m = update(p, m, g)
    return {"loss": value, "p": p, "m": m}


def sharded(p, m, x, target):
    whole = jax.tree.map(lambda w: lax.all_gather(w, "dp", tiled=True), p)
    value, g = jax.value_and_grad(loss)(whole, x, target)
    g = jax.tree.map(lambda g: lax.psum_scatter(g, "dp", tiled=True) / 4, g)
    p, m = update(p, m, g)
    return {"loss": lax.pmean(value, "dp"), "p": p, "m": m}


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    p, cut = {"w1": f(12, 20), "b1": f(20), "w2": f(20, 8), "b2": f(8)}, P("dp")
    return {"fsdp-dp4": Program(sequential, sharded, (p, p, f(12, 12), f(12, 8)), {"dp": 4}, (cut, cut, cut, cut),
                                {"loss": P(), "p": cut, "m": cut})}
