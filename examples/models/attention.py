"""Causal attention with grouped keys and values (fewer key heads than query heads); heads are cut over tp."""
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from models.parallel import enter, leave
from tvr_jax import Program

WIDTH = 5                                                               # of a head


def heads(x, w):
    return (x @ w).reshape(*x.shape[:2], -1, WIDTH)


def attend(q, k, v):
    k, v = (jnp.repeat(t, q.shape[2] // k.shape[2], axis=2) for t in (k, v))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * WIDTH ** -0.5
    past = jnp.arange(q.shape[1])[:, None] >= jnp.arange(k.shape[1])[None, :]
    weights = jax.nn.softmax(jnp.where(past, scores, -1e30))
    out = jnp.einsum("bhqk,bkhd->bqhd", weights, v)
    return out.reshape(*out.shape[:2], -1)


def attention(p, x):
    return attend(heads(x, p["q"]), heads(x, p["k"]), heads(x, p["v"])) @ p["o"]


def attention_tp(p, x):
    x = enter(x, "tp")
    y = attend(heads(x, p["q"]), heads(x, p["k"]), heads(x, p["v"])) @ p["o"]
    return leave(y, "tp")


def step(model):
    def run(p, x, dy):
        y, back = jax.vjp(model, p, x)
        dp, dx = back(dy)
        return {"y": y, "p": dp, "x": dx}
    return run


SPECS = {"q": P(None, "tp"), "k": P(None, "tp"), "v": P(None, "tp"), "o": P("tp", None)}


def shapes(model, n_heads, n_kv):
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    return {"q": f(model, n_heads * WIDTH), "k": f(model, n_kv * WIDTH), "v": f(model, n_kv * WIDTH),
            "o": f(n_heads * WIDTH, model)}


def programs():
    x = jax.ShapeDtypeStruct((2, 7, 11), jnp.float32)
    return {"attention-gqa-tp3": Program(step(attention), step(attention_tp), (shapes(11, 6, 3), x, x), {"tp": 3},
                                         (SPECS, P(), P()), {"y": P(), "p": SPECS, "x": P()})}
