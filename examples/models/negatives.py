"""Pairs of a batch against each other: the items of the other pairs are negatives, unless they are the same item. Rows on
devices, which gather the items."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def loss(users, items, ids):
    scores = users @ items.T
    same = (ids[:, None] == ids) & ~jnp.eye(ids.shape[0], dtype=bool)
    return -jnp.mean(jnp.diagonal(jax.nn.log_softmax(jnp.where(same, -1e9, scores))))


def loss_dp(users, items, ids):
    own = lax.axis_index("dp") * ids.shape[0] + jnp.arange(ids.shape[0])
    items, others = (lax.all_gather(x, "dp", tiled=True) for x in (items, ids))
    mine = jax.nn.one_hot(own, others.shape[0], dtype=bool)
    scores = jnp.where((ids[:, None] == others) & ~mine, -1e9, users @ items.T)
    return lax.pmean(-jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), own[:, None], 1)), "dp")


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P("dp")
    args = (f(6, 2), f(6, 2), jax.ShapeDtypeStruct((6,), jnp.int32))
    given = {"assume": {"ids": (0, 4)}, "names": ["users", "items", "ids"]}
    return {"negatives-dp3": Program(loss, loss_dp, args, {"dp": 3}, (cut, cut, cut), P(), **given)}
