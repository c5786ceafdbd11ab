"""Rotary positions by complex numbers, the sequence cut over cp, with the gradient."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def rotate(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None] * 10000.0 ** (-jnp.arange(half) / half)
    turn = (jnp.cos(angles) + 1j * jnp.sin(angles))[None, :, None, :]
    pairs = x.reshape(*x.shape[:-1], half, 2)
    turned = lax.complex(pairs[..., 0], pairs[..., 1]) * turn
    return jnp.stack([jnp.real(turned), jnp.imag(turned)], -1).reshape(x.shape)


def whole(x, dy):
    y, back = jax.vjp(lambda x: rotate(x, jnp.arange(x.shape[1])), x)
    return {"y": y, "x": back(dy)[0]}


def cut(x, dy):
    first = lax.axis_index("cp") * x.shape[1]
    y, back = jax.vjp(lambda x: rotate(x, first + jnp.arange(x.shape[1])), x)
    return {"y": y, "x": back(dy)[0]}


def programs():
    x, rows = jax.ShapeDtypeStruct((2, 9, 2, 6), jnp.float32), P(None, "cp")
    return {"rotary-complex-cp3": Program(whole, cut, (x, x), {"cp": 3}, (rows, rows), {"y": rows, "x": rows})}
