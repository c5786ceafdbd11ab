"""Normalisation: the sequence cut over sp, with gradients of the weights; and the hidden dimension cut over tp."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

EPS = 1e-5


def rms_norm(x, w):
    return x * lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + EPS) * w


def layer_norm(x, w, b):
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(centred), axis=-1, keepdims=True)
    return centred * lax.rsqrt(variance + EPS) * w + b


def norms(p, x):
    return layer_norm(x + rms_norm(x, p["rms"]), p["scale"], p["shift"])


def sequential(p, x, dy):
    y, back = jax.vjp(norms, p, x)
    dp, dx = back(dy)
    return {"y": y, "p": dp, "x": dx}


def sequence_parallel(p, x, dy):
    y, back = jax.vjp(norms, p, x)
    dp, dx = back(dy)
    dp = jax.tree.map(lambda g: lax.psum(g, "sp"), dp)
    return {"y": y, "p": dp, "x": dx}


def rms_norm_hidden(x, w):
    squares = lax.pmean(jnp.mean(jnp.square(x), axis=-1, keepdims=True), "tp")
    return x * lax.rsqrt(squares + EPS) * w


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    p, x, cut = {"rms": f(11), "scale": f(11), "shift": f(11)}, f(3, 12, 11), P(None, "sp", None)
    return {
        "norm-sp4": Program(sequential, sequence_parallel, (p, x, x), {"sp": 4}, (P(), cut, cut),
                            {"y": cut, "p": P(), "x": cut}),
        "norm-hidden-tp3": Program(rms_norm, rms_norm_hidden, (f(5, 21), f(21)), {"tp": 3}, (P(None, "tp"), P("tp")),
                                   P(None, "tp")),
    }
