"""Loops in both programs: layers, microbatches whose gradients are added up, and steps within layers."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models.accumulate import loss
from models.parallel import enter, leave
from models.pipeline import gradients
from tvr_jax import Program

LAYERS, MICRO, STEPS = 40, 5, 3


def layers(up, down, x):
    return lax.scan(lambda x, w: (x + jnp.tanh(x @ w[0]) @ w[1] / LAYERS, None), x, (up, down))[0]


def layers_cut(up, down, x):
    def one(x, w):
        h = jnp.tanh(enter(x, "tp") @ w[0])
        return x + leave(h @ w[1], "tp") / LAYERS, None
    return lax.scan(one, x, (up, down))[0]


def indexed(up, down, x):
    def one(i, x):
        return x + jnp.tanh(x @ up[i]) @ down[i]
    return lax.fori_loop(0, LAYERS, one, x)


def indexed_cut(up, down, x):
    def one(i, x):
        h = jnp.tanh(x @ up[i])
        return x + lax.psum(h @ down[i], "tp")
    return lax.fori_loop(0, LAYERS, one, x)


def added_up(p, x, target):
    def add(total, micro):
        return jax.tree.map(jnp.add, total, jax.grad(loss)(p, *micro)), None
    total, _ = lax.scan(add, jax.tree.map(jnp.zeros_like, p), (x, target))
    return jax.tree.map(lambda g: g / MICRO, total)


def added_up_cut(p, x, target):
    def add(total, micro):
        g = jax.grad(loss)(p, *micro)
        return jax.tree.map(jnp.add, total, g), None
    total, _ = lax.scan(add, jax.tree.map(jnp.zeros_like, p), (x, target))
    return jax.tree.map(lambda g: lax.pmean(g, "dp") / MICRO, total)


def nested(w, x):
    def layer(x, w):
        return lax.fori_loop(0, STEPS, lambda i, h: jnp.sin(x + h @ w), x), jnp.sum(x)
    return lax.scan(layer, x, w)


def nested_cut(w, x):
    def layer(x, w):
        def step(i, h):
            whole = lax.all_gather(h, "tp", axis=1, tiled=True)
            return jnp.sin(x + whole @ w)
        return lax.fori_loop(0, STEPS, step, x), lax.psum(jnp.sum(x), "tp")
    return lax.scan(layer, x, w)


def mean_square(w, x):
    return jnp.mean(layers(*w, x) ** 2)


def with_norm(up, down, x):
    loss, grads = jax.value_and_grad(mean_square)((up, down), x)
    return loss, grads, sum(jnp.sum(g * g) for g in grads)


def with_norm_cut(up, down, x):
    loss, grads = jax.value_and_grad(mean_square)((up, down), x)
    grads = [lax.psum_scatter(g, "dp", scatter_dimension=2 - i, tiled=True) / 2 for i, g in enumerate(grads)]
    return lax.pmean(loss, "dp"), tuple(grads), lax.psum(sum(jnp.sum(g * g) for g in grads), "dp")


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    up, down, x = f(LAYERS, 7, 10), f(LAYERS, 10, 7), f(5, 7)
    cut = P(None, None, "tp"), P(None, "tp", None)
    back = gradients(layers), gradients(layers_cut), (up, down, x, x), {"tp": 2}
    back += ((*cut, P(), P()), {"y": P(), "grads": (*cut, P())})
    rows_cut = P(None, None, "dp"), P(None, "dp", None)
    params, rows = {"w1": f(7, 9), "b1": f(9), "w2": f(9, 5)}, P(None, "dp", None)
    return {
        "loops-layers-tp2": Program(*back),
        "loops-stablehlo-layers-tp2": Program(*back),
        "loops-indexed-tp2": Program(indexed, indexed_cut, (up, down, x), {"tp": 2}, (*cut, P()), P()),
        "loops-microbatches-dp2": Program(added_up, added_up_cut, (params, f(MICRO, 6, 7), f(MICRO, 6, 5)), {"dp": 2},
                                          (P(), rows, rows), P()),
        "loops-mean-dp2": Program(with_norm, with_norm_cut, (up, down, f(6, 7)), {"dp": 2}, (P(), P(), P("dp")),
                                  (P(), rows_cut, P())),
        "loops-nested-tp3": Program(nested, nested_cut, (f(4, 6, 6), f(5, 6)), {"tp": 3},
                                    (P(None, None, "tp"), P(None, "tp")), (P(None, "tp"), P())),
    }
