"""Documents packed into one sequence, which is cut over cp: positions count from where the own document begins, keys are
turned by them."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def used(position):
    return {"position": position, "angle": jnp.cos(position * 0.5), "square": position * position}


def positions(starts):
    """starts[i]: 1 where a document begins."""
    at = jnp.arange(starts.shape[0])
    return used(at - lax.cummax(jnp.where(starts == 1, at, 0)))


def positions_cp(starts):
    rank, n = lax.axis_index("cp"), lax.axis_size("cp")
    at = rank * starts.shape[0] + jnp.arange(starts.shape[0])
    begin = lax.cummax(jnp.where(starts == 1, at, 0))
    last = lax.all_gather(begin[-1], "cp")
    return used(at - jnp.maximum(begin, jnp.where(jnp.arange(n) < rank, last, 0).max()))


def programs():
    starts, given = jax.ShapeDtypeStruct((9,), jnp.int32), {"assume": {"starts": (0, 2)}, "names": ["starts"]}
    return {"packed-cp3": Program(positions, positions_cp, (starts,), {"cp": 3}, (P("cp"),), P("cp"), **given)}
