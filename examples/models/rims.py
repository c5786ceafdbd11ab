"""Max-pooling of an image that is cut along its rows: a row of each neighbour, and at both ends a rim of minus infinity."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def pool(image, rows):
    return lax.reduce_window(image, -jnp.inf, lax.max, (3, 3, 1), (1, 1, 1), (rows, (1, 1), (0, 0)))


def pooled(image):
    return pool(image, (1, 1))


def rims(image):
    rank, last = lax.axis_index("sp"), lax.axis_size("sp") - 1
    above = lax.ppermute(image[-1:], "sp", [(i, i + 1) for i in range(last)])
    below = lax.ppermute(image[:1], "sp", [(i + 1, i) for i in range(last)])
    above = jnp.where(rank == 0, -jnp.inf, above)
    below = jnp.where(rank == last, -jnp.inf, below)
    return jnp.concatenate([above, image, below])


def pooled_sp(image):
    return pool(rims(image), (0, 0))


def programs():
    image, rows = jax.ShapeDtypeStruct((12, 6, 2), jnp.float32), P("sp")
    return {"halo-rims-sp3": Program(pooled, pooled_sp, (image,), {"sp": 3}, (rows,), rows, names=("image",))}
