"""Programs that read or write at positions, cut by XLA's partitioner along the dimension of these positions: a loss that
picks by pairs of them, a step of decoding with a cache, one with a place of its own for each row."""
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def log_softmax_along(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], 1))


def log_softmax_pairs(logits, labels):
    return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(logits.shape[0]), labels])


def cached(q, k, v, keys, values, place):
    keys = jax.lax.dynamic_update_index_in_dim(keys, k, place, 1)
    values = jax.lax.dynamic_update_index_in_dim(values, v, place, 1)
    scores = jnp.einsum("bd,bsd->bs", q, keys)
    weights = jax.nn.softmax(jnp.where(jnp.arange(keys.shape[1]) <= place, scores, -1e30), axis=-1)
    return jnp.einsum("bs,bsd->bd", weights, values), keys, values


def cached_cut(q, k, v, keys, values, place):
    return cached(q, k, v, keys, values, place)


def put_slices(rows, new, places):
    return jax.vmap(lambda row, x, at: jax.lax.dynamic_update_slice(row, x[None], (at, at * 0)))(rows, new, places)


def put_pairs(rows, new, places):
    return rows.at[jnp.arange(rows.shape[0]), places].set(new, unique_indices=True)


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    i = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)
    cut = P(None, "cp")
    return {"partitioned-pairs-tp4": Program(log_softmax_along, log_softmax_pairs, (f(6, 8), i(6)), {"tp": 4},
                                             (P(None, "tp"), P()), P(), partitioner=True, assume={"labels": (0, 8)}),
            "partitioned-cache-cp3": Program(cached, cached_cut, (f(4, 5), f(4, 5), f(4, 5), f(4, 6, 5), f(4, 6, 5), i()),
                                             {"cp": 3}, (P(), P(), P(), cut, cut, P()), (P(), cut, cut), partitioner=True,
                                             assume={"place": (0, 6)}),
            "partitioned-rows-cp3": Program(put_slices, put_pairs, (f(4, 6, 5), f(4, 5), i(4)), {"cp": 3}, (cut, P(), P()),
                                            cut, partitioner=True, assume={"places": (0, 6)})}
