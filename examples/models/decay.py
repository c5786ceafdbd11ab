"""What is left after the gates of all earlier positions, the sequence cut over cp: each device multiplies its own gates, and
by what the devices before it leave."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def kept(gates, x):
    return jnp.cumprod(jax.nn.sigmoid(gates), axis=1) * x


def kept_cp(gates, x):
    own = jnp.cumprod(jax.nn.sigmoid(gates), axis=1)
    whole = lax.all_gather(own[:, -1], "cp")
    before = jnp.arange(3)[:, None] < lax.axis_index("cp")
    return jnp.prod(jnp.where(before, whole, 1.0), axis=0)[:, None] * own * x


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P(None, "cp")
    return {"decay-cp3": Program(kept, kept_cp, (f(4, 12), f(4, 12)), {"cp": 3}, (cut, cut), cut)}
