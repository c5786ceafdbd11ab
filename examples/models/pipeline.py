"""A pipeline: one layer per stage, microbatches flow through by permutes. And layers as a loop."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models.parallel import enter, leave
from tvr_jax import Program

STAGES, MICRO = 3, 2


def layer(w, x):
    return x + jnp.tanh(x @ w)


def sequential(w, x):
    for i in range(w.shape[0]):
        x = layer(w[i], x)
    return x


def pipeline(w, x):
    stage, received, done = lax.axis_index("pp"), 0.0, []
    parts = jnp.split(x, MICRO)
    for tick in range(MICRO + STAGES - 1):
        fed = parts[min(tick, MICRO - 1)]
        y = layer(w[0], jnp.where(stage == 0, fed, received))
        received = lax.ppermute(y, "pp", [(i, i + 1) for i in range(STAGES - 1)])
        done.append(y)
    last = jnp.where(stage == STAGES - 1, jnp.concatenate(done[STAGES - 1:]), 0)
    return lax.psum(last, "pp")


def deep(up, down, x):
    for i in range(up.shape[0]):
        x = x + jax.nn.relu(x @ up[i]) @ down[i]
    return x


def deep_loop(up, down, x):
    def one(x, w):
        return x + leave(jax.nn.relu(enter(x, "tp") @ w[0]) @ w[1], "tp"), None
    return lax.scan(one, x, (up, down))[0]


def gradients(f):
    def run(up, down, x, dy):
        y, back = jax.vjp(f, up, down, x)
        return {"y": y, "grads": back(dy)}
    return run


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    x, up, down = f(5, 7), P(None, None, "tp"), P(None, "tp", None)
    return {
        "pipeline-pp3": Program(sequential, pipeline, (f(STAGES, 7, 7), f(6, 7)), {"pp": STAGES}, (P("pp"), P()), P()),
        "layers-loop-tp2": Program(gradients(deep), gradients(deep_loop), (f(3, 7, 10), f(3, 10, 7), x, x), {"tp": 2},
                                   (up, down, P(), P()), {"y": P(), "grads": (up, down, P())}),
    }
