"""Training through a pipeline: microbatches go through stages of layers and back, on several replicas."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program

STAGES, MICRO = 4, 4


def layer(p, x):
    h = x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * p["scale"]
    return x + (jax.nn.silu(h @ p["gate"]) * (h @ p["up"])) @ p["down"]


def loss(x, y):
    return ((x - y) ** 2).mean()


def sequential(p, x, y):
    for i in range(p["up"].shape[0]):
        x = layer(jax.tree.map(lambda a: a[i], p), x)
    return loss(x, y)


def stages(p, x, y):
    stage, last, done = lax.axis_index("pp"), STAGES - 1, []
    parts = x.reshape(MICRO, -1, x.shape[-1])
    state = jnp.zeros_like(parts[0])
    for tick in range(MICRO + last):
        state = jnp.where(stage == 0, parts[min(tick, MICRO - 1)], state)
        state = layer(jax.tree.map(lambda a: a[0], p), state)
        if tick >= last:
            done.append(state)
        state = lax.ppermute(state, "pp", [(i, i + 1) for i in range(last)])
    return jnp.where(stage == last, loss(jnp.concatenate(done), y), 0.0)


def train(p, x, y):
    return jax.value_and_grad(sequential)(p, x, y)


def train_stages(p, x, y):
    value, grads = jax.value_and_grad(stages)(p, x, y)
    return lax.pmean((lax.psum(value, "pp"), grads), "dp")


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    p = {"scale": f(STAGES, 5), "gate": f(STAGES, 5, 7), "up": f(STAGES, 5, 7), "down": f(STAGES, 7, 5)}
    x, cut = f(16, 5), {k: P("pp") for k in p}
    return {"pipeline-step-dp2-pp4": Program(train, train_stages, (p, x, x), {"dp": 2, "pp": STAGES}, (cut, P("dp"), P("dp")),
                                             (P(), cut), names=["p", "x", "y"])}
