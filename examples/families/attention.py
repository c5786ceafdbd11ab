"""Causal attention with the sequence cut over `cp`, every rank's queries against gathered keys, traced at several lengths.

python3 attention.py writes attention-cp2/ again (needs jax)."""
import glob
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "frontends", "jax"))

import jax                                                              # noqa: E402
import jax.numpy as jnp                                                 # noqa: E402
from jax.sharding import PartitionSpec as P                             # noqa: E402

import tvr_jax                                                          # noqa: E402

WIDTH, HEAD = 8, 4


def attend(q, k, v, first):
    scores = q @ k.T / jnp.sqrt(jnp.float32(HEAD))
    rows = first + jnp.arange(q.shape[0])[:, None]
    causal = jnp.arange(k.shape[0])[None, :] <= rows
    return jax.nn.softmax(jnp.where(causal, scores, -1e9), axis=-1) @ v


def loss(p, x, target):
    y = attend(x @ p["q"], x @ p["k"], x @ p["v"], 0) @ p["o"]
    return jnp.mean((y - target) ** 2)


def first_row(length):                                                  # of the second rank
    return length


def first_row_in_tiles(length):                                         # forgets the rows of a last, smaller tile
    return length - length % 16 if length > 16 else length


def parallel(first):
    def loss_of_rank(p, x, target):
        gather = lambda t: jax.lax.all_gather(t, "cp", axis=0, tiled=True)
        row = jax.lax.axis_index("cp") * first(x.shape[0])
        y = attend(x @ p["q"], gather(x @ p["k"]), gather(x @ p["v"]), row) @ p["o"]
        return jax.lax.pmean(jnp.mean((y - target) ** 2), "cp")
    return loss_of_rank


def family(first):
    def make(s):
        f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
        weights = {"q": f(WIDTH, HEAD), "k": f(WIDTH, HEAD), "v": f(WIDTH, HEAD), "o": f(HEAD, WIDTH)}
        return tvr_jax.Program(loss, parallel(first), (weights, f(s, WIDTH), f(s, WIDTH)), mesh={"cp": 2},
                               in_specs=(P(), P("cp"), P("cp")), out_specs=P())
    return make


if __name__ == "__main__":
    folder = os.path.join(HERE, "attention-cp2")
    tvr_jax.export_family(folder, family(first_row), {"s": (8, 16, 24, 32, 40, 520, 1016, 1048)}, stablehlo=False, root=HERE)
    tvr_jax.export_family(os.path.join(folder, "broken", "tiles"), family(first_row_in_tiles), {"s": (8, 16, 24, 32, 40)},
                          stablehlo=False, root=HERE)
    for path in glob.glob(os.path.join(folder, "broken", "*", "[sr]e[ql]*")):
        os.remove(path)                                                 # the same as of the right one
