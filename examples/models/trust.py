"""A training step with a factored second moment (Adafactor), whose update is scaled to the norm of the weights (LAMB); the layer's
norm takes the mean of squares less the square of the mean. The columns of `up` and the rows of `down` are cut over tp."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models.parallel import enter, leave
from tvr_jax import Program

RATE, DECAY, BETA = 0.1, 0.9, 0.8


def norm(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.maximum(0.0, jnp.mean(jnp.square(x), axis=-1, keepdims=True) - jnp.square(mean))
    return (x - mean) * lax.rsqrt(variance + 1e-6)


def loss(p, x):
    return jnp.mean(norm(x + jnp.tanh(x @ p["up"]) @ p["down"]) ** 3)


def loss_tp(p, x):
    return jnp.mean(norm(x + leave(jnp.tanh(enter(x, "tp") @ p["up"]) @ p["down"], "tp")) ** 3)


def size(x, total):
    """The norm, without a gradient at 0 that is no number."""
    square = total(jnp.sum(x * x))
    root = jnp.sqrt(total(jnp.sum(jnp.square(jnp.where(jnp.sqrt(square) <= 0, 1.0, x)))))
    return jnp.where(jnp.sqrt(square) <= 0, 0.0, root)


def update(w, rows, columns, g, t, of_rows, of_columns, total):
    """Of one matrix; `of_rows`, `of_columns` and `total` make means and sums over its parts those over all of it."""
    decay = 1 - (t + 1) ** -BETA
    square = jnp.square(g) + 1e-30
    rows = decay * rows + (1 - decay) * of_rows(jnp.mean(square, axis=1))
    columns = decay * columns + (1 - decay) * of_columns(jnp.mean(square, axis=0))
    step = g * ((rows / of_columns(jnp.mean(rows))) ** -0.5)[:, None] * (columns ** -0.5)[None]
    step = step / (1 - DECAY ** t)
    weights, change = size(w, total), size(step, total)
    ratio = jnp.where((weights == 0) | (change == 0), 1.0, weights / change)
    return w - RATE * ratio * step, rows, columns


def same(x):
    return x


def step(p, rows, columns, x, t):
    g = jax.grad(loss)(p, x)
    new = {k: update(p[k], rows[k], columns[k], g[k], t, same, same, same) for k in p}
    return [{k: new[k][i] for k in p} for i in range(3)]


def summed(x):
    return lax.psum(x, "tp")


def averaged(x):
    return lax.pmean(x, "tp")


def step_tp(p, rows, columns, x, t):
    g = jax.grad(loss_tp)(p, x)
    of = {"up": (averaged, same), "down": (same, averaged)}
    new = {k: update(p[k], rows[k], columns[k], g[k], t, *of[k], summed) for k in p}
    return [{k: new[k][i] for k in p} for i in range(3)]


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    p, rows, columns = {"up": f(5, 9), "down": f(9, 5)}, {"up": f(5), "down": f(9)}, {"up": f(9), "down": f(5)}
    cut = {"up": P(None, "tp"), "down": P("tp", None)}, {"up": P(), "down": P("tp")}, {"up": P("tp"), "down": P()}
    assume = {name: (0.01, None) for name in ("rows", "columns")} | {"t": (1, None)}
    return {"trust-step-tp3": Program(step, step_tp, (p, rows, columns, f(4, 5), f()), {"tp": 3}, (*cut, P(), P()), list(cut),
                                      assume=assume)}
