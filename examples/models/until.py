"""Loops that may end before they have run as often as they can, and branches that only some steps take."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def solve(product, b):
    """Conjugate gradients: at most three steps, until the residual is small."""
    def more(s):
        return (s[3] < 3) & (jnp.sum(jnp.square(s[1])) > 0.01)

    def step(s):
        x, r, p, i = s
        q = product(p)
        a = r @ r / (p @ q)
        new = r - a * q
        return x + a * p, new, new + (new @ new) / (r @ r) * p, i + 1

    return lax.while_loop(more, step, (jnp.zeros_like(b), b, b, 0))[0]


def sequential(a, b, w, step):
    x = solve(lambda p: a.T @ (a @ p) + p, a.T @ b)
    return lax.cond(step % 4 != 1, lambda w: w - 0.1 * x, lambda w: w, w)


def rows(a, b, w, step):
    """Rows of the matrix on devices; these exchange values within the loop, and within the branch."""
    def every_fourth(w):
        total = lax.psum(a.T @ b, "dp")
        return w - 0.1 * solve(lambda p: lax.psum(a.T @ (a @ p), "dp") + p, total)

    return lax.cond(step % 4 != 1, every_fourth, lambda w: w, w)


def programs():
    f32 = lambda *s: jax.ShapeDtypeStruct(s, jnp.float32)
    args = (f32(6, 3), f32(6), f32(3), jax.ShapeDtypeStruct((), jnp.int32))
    given = {"assume": {"step": (0, 8)}, "names": ["a", "b", "w", "step"]}
    specs = (P("dp"), P("dp"), P(), P())
    return {"until-dp2": Program(sequential, rows, args, {"dp": 2}, specs, P(), **given),
            "until-stablehlo-dp3": Program(sequential, rows, args, {"dp": 3}, specs, P(), **given)}
