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


NEAR = 2


def near_or_first(q, k, v):
    """Both sides of a position are seen, and the first position from everywhere."""
    distance = jnp.arange(LENGTH)[:, None] - jnp.arange(LENGTH)
    seen = (abs(distance) <= NEAR) | (jnp.arange(LENGTH) == 0)
    return weighted(jnp.where(seen, q @ k.T, -1e30), v)


def near_or_first_cp(q, k, v):
    """Keys and values come from both neighbours, the first ones from the first device."""
    rank, n = lax.axis_index("cp"), lax.axis_size("cp")
    up, down = [(i, i + 1) for i in range(n - 1)], [(i + 1, i) for i in range(n - 1)]
    around = lambda x: jnp.concatenate([lax.ppermute(x[-NEAR:], "cp", up), x, lax.ppermute(x[:NEAR], "cp", down)])
    first = lambda x: lax.psum(jnp.where(rank == 0, x[:1], 0.0), "cp")
    at = rank * q.shape[0] + jnp.arange(q.shape[0])[:, None]
    other = rank * q.shape[0] - NEAR + jnp.arange(q.shape[0] + 2 * NEAR)
    seen = (abs(at - other) <= NEAR) & (other > 0) & (other < LENGTH)
    scores = jnp.concatenate([q @ first(k).T, jnp.where(seen, q @ around(k).T, -1e30)], 1)
    return weighted(scores, jnp.concatenate([first(v), around(v)]))


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P(None, "cp")
    x = f(2, LENGTH, WIDTH)
    return {"masks-literal-cp3": Program(attention, attention_cp, (x, x, x, f(LENGTH, WIDTH)), {"cp": 3}, (cut, cut, cut, P("cp")), cut),
            "masks-first-cp3": Program(near_or_first, near_or_first_cp, (f(LENGTH, WIDTH),) * 3, {"cp": 3}, (P("cp"),) * 3, P("cp"))}
