"""Gradients of a loss over an MLP that is only partly a program of single devices: its rows are cut by hand over dp, its
columns by XLA's partitioner over tp, and the loss stands outside."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program
from tvr_jax.capture import device_mesh

MESH = {"dp": 2, "tp": 2}


def mlp(p, x):
    h = jnp.tanh(x @ p["up"])
    return h @ p["down"] + p["bias"], jnp.mean(h * h)


def training(run):
    def loss(p, x, y):
        out, size = run(p, x)
        return jnp.mean((out - y) ** 2) + 0.1 * size
    return jax.value_and_grad(loss)


def local(p, x):
    out, size = mlp(p, x)
    return out, lax.pmean(size, "dp")


def by_hand(p, x):
    run = jax.shard_map(local, mesh=device_mesh(MESH), in_specs=(P(), P("dp")), out_specs=(P("dp"), P()), axis_names={"dp"})
    return run(p, x)


def partly(p, x, y):
    return training(by_hand)(p, x, y)


def sequential(p, x, y):
    return training(mlp)(p, x, y)


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    shapes, specs = {"up": f(6, 8), "down": f(8, 6), "bias": f(6)}, {"up": P(None, "tp"), "down": P("tp"), "bias": P()}
    return {"partly-manual-dp2-tp2": Program(sequential, partly, (shapes, f(4, 6), f(4, 6)), MESH,
                                             (specs, P("dp"), P("dp")), (P(), specs), partitioner=True)}
