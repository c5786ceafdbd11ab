"""New keys are written into the slots of a cache, which may be the same one twice; each device has one head."""
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def write(cache, slots, keys):
    return cache.at[slots].set(keys * 0.5)


def write_tp(cache, slots, keys):
    return cache.at[slots].set(keys * 0.5)


def programs():
    f, heads = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P(None, "tp")
    args = (f(8, 3, 4), jax.ShapeDtypeStruct((2,), jnp.int32), f(2, 3, 4))
    return {"slots-tp3": Program(write, write_tp, args, {"tp": 3}, (heads, P(), heads), heads,
                                 names=("cache", "slots", "keys"), assume={"slots": (0, 8)})}
