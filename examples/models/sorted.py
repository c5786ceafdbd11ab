"""Tokens sorted by the expert they go to, each of two; the experts of a device run on all of them, and the results are
put back in the order of the tokens."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def chosen(router, x):
    gates, experts = lax.top_k(jax.nn.softmax(x @ router), 2)
    return gates / gates.sum(-1, keepdims=True), experts


def sequential(router, w1, w2, x):
    gates, experts = chosen(router, x)
    weights = jnp.einsum("tk,tke->te", gates, jax.nn.one_hot(experts, 4, dtype=x.dtype))
    h = jnp.tanh(jnp.einsum("td,edf->tef", x, w1))
    return jnp.einsum("te,tef,efd->td", weights, h, w2)


def sorted_tokens(router, w1, w2, x):
    gates, experts = chosen(router, x)
    order = jnp.argsort(experts.reshape(-1), stable=True)
    back = jnp.argsort(order)
    tokens, expert = x[order // 2], experts.reshape(-1)[order]
    first = 2 * lax.axis_index("ep")
    y = 0
    for e in range(2):
        here = expert == first + e
        y = y + jnp.where(here[:, None], jnp.tanh(tokens @ w1[e]) @ w2[e], 0)
    y = lax.psum(y, "ep")[back].reshape(6, 2, 5)
    return jnp.einsum("tk,tkd->td", gates, y)


def ranked(x):
    return jnp.argsort(x, axis=1)


def ranked_gathered(x):
    """Columns are gathered, and their places, which every device counts from its own first one."""
    own = x.shape[1]
    places = jnp.broadcast_to(lax.axis_index("ep") * own + jnp.arange(own), x.shape)
    columns = [lax.all_gather(t, "ep", axis=1, tiled=True) for t in (x, places)]
    return lax.sort(columns, dimension=1, num_keys=1)[1]


def programs():
    f, cut = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), P("ep")
    return {"sorted-tokens-ep2": Program(sequential, sorted_tokens, (f(5, 4), f(4, 5, 7), f(4, 7, 5), f(6, 5)), {"ep": 2},
                                         (P(), cut, cut, P()), P()),
            "sorted-places-ep3": Program(ranked, ranked_gathered, (f(4, 6),), {"ep": 3}, P(None, "ep"), P())}
