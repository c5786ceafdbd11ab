"""A mixture of experts, every expert weighted by its gate; one expert per device, tokens cut over the same axis."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def sequential(router, w1, w2, x):
    gates = jax.nn.softmax(x @ router)
    h = jnp.tanh(jnp.einsum("td,edf->tef", x, w1))
    return jnp.einsum("te,tef,efd->td", gates, h, w2)


def expert_parallel(router, w1, w2, x):
    gates = jax.nn.softmax(x @ router)
    tokens = lax.all_gather(x, "ep", axis=0, tiled=True)
    y = jnp.tanh(tokens @ w1[0]) @ w2[0]
    y = lax.all_to_all(y[None], "ep", split_axis=1, concat_axis=0, tiled=True)
    return jnp.einsum("te,etd->td", gates, y)


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P("ep")
    return {"experts-ep4": Program(sequential, expert_parallel, (f(7, 4), f(4, 7, 5), f(4, 5, 7), f(12, 7)), {"ep": 4},
                                   (P(), cut, cut, cut), cut)}
