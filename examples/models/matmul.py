"""One matrix product, the weights cut by rows or by columns."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def sequential(x, w):
    return x @ w


def rows(x, w):
    y = x @ w
    return lax.psum(y, "tp")


def columns(x, w):
    y = x @ w
    return lax.all_gather(y, "tp", axis=1, tiled=True)


def programs():
    x, w = jax.ShapeDtypeStruct((5, 15), jnp.float32), jax.ShapeDtypeStruct((15, 18), jnp.float32)
    return {
        "matmul-rows-tp3": Program(sequential, rows, (x, w), {"tp": 3}, (P(None, "tp"), P("tp", None)), P()),
        "matmul-columns-tp6": Program(sequential, columns, (x, w), {"tp": 6}, (P(), P(None, "tp")), P()),
    }
