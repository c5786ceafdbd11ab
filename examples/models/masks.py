"""Attention over a window whose mask and rotation are arrays of constants, the sequence cut over cp: devices compute both from
positions."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

LENGTH, WINDOW, WIDTH = 12, 5, 6
BAND = np.tril(np.ones((LENGTH, LENGTH), bool)) & ~np.tril(np.ones((LENGTH, LENGTH), bool), -WINDOW)
ROTATED = np.kron(np.array([[0, 1], [-1, 0]]), np.eye(WIDTH // 2)).astype(np.float32)


def weighted(scores, v):
    return jax.nn.softmax(scores / WIDTH ** 0.5, axis=-1) @ v


def attention(q, k, v, angle):
    turn = lambda x: x * jnp.cos(angle) + (x @ ROTATED) * jnp.sin(angle)
    scores = turn(q) @ turn(k).swapaxes(1, 2)
    return weighted(scores + np.where(BAND, 0, -np.inf).astype(np.float32), v)


def turn_halves(x, angle):
    first, second = jnp.split(x, 2, -1)
    return x * jnp.cos(angle) + jnp.concatenate([-second, first], -1) * jnp.sin(angle)


def attention_cp(q, k, v, angle):
    own = lax.axis_index("cp") * q.shape[1] + jnp.arange(q.shape[1])
    k, v = (lax.all_gather(x, "cp", axis=1, tiled=True) for x in (turn_halves(k, angle), v))
    behind = own[:, None] - jnp.arange(LENGTH)
    scores = turn_halves(q, angle) @ k.swapaxes(1, 2)
    return weighted(jnp.where((behind >= 0) & (behind < WINDOW), scores, -jnp.inf), v)


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P(None, "cp")
    x = f(2, LENGTH, WIDTH)
    return {"masks-literal-cp3": Program(attention, attention_cp, (x, x, x, f(LENGTH, WIDTH)), {"cp": 3}, (cut, cut, cut, P("cp")), cut)}
