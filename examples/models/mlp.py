"""A gated MLP with its gradients; columns of gate and up, rows of down are cut over tp."""
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from models.parallel import enter, leave
from tvr_jax import Program


def mlp(p, x):
    h = jax.nn.silu(x @ p["gate"]) * (x @ p["up"])
    return h @ p["down"] + p["bias"]


def mlp_tp(p, x):
    x = enter(x, "tp")
    h = jax.nn.silu(x @ p["gate"]) * (x @ p["up"])
    return leave(h @ p["down"], "tp") + p["bias"]


def step(model):
    def loss(p, x, target):
        return jnp.mean(jnp.square(model(p, x) - target))

    def run(p, x, target):
        value, (dp, dx) = jax.value_and_grad(loss, argnums=(0, 1))(p, x, target)
        return {"loss": value, "p": dp, "x": dx}
    return run


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    p = {"gate": f(14, 18), "up": f(14, 18), "down": f(18, 14), "bias": f(14)}
    cut = {"gate": P(None, "tp"), "up": P(None, "tp"), "down": P("tp", None), "bias": P()}
    return {"mlp-tp6": Program(step(mlp), step(mlp_tp), (p, f(5, 14), f(5, 14)), {"tp": 6}, (cut, P(), P()),
                               {"loss": P(), "p": cut, "x": P()})}
