"""One training step of a small language model on a dp x tp mesh: loss, gradients, clipping, AdamW."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models import block, optimizer, vocabulary
from models.norm import rms_norm
from models.parallel import enter
from tvr_jax import Program

WHOLE = ("norm", "norm1", "norm2")                                      # parameters that are not cut over tp


def loss(p, ids, labels):
    h = vocabulary.embed(p["table"], ids)
    h = rms_norm(block.block(p, h), p["norm"])
    return vocabulary.cross_entropy(h @ p["table"].T, labels)


def loss_tp(p, ids, labels):
    h = vocabulary.embed_tp(p["table"], ids)
    h = rms_norm(block.block_tp(p, h), p["norm"])
    return vocabulary.cross_entropy_tp(enter(h, "tp") @ p["table"].T, labels)


def sequential(p, m, v, t, ids, labels):
    value, g = jax.value_and_grad(loss)(p, ids, labels)
    p, m, v = optimizer.adamw(p, m, v, optimizer.clip(g), t)
    return {"loss": value, "p": p, "m": m, "v": v}


def parallel(p, m, v, t, ids, labels):
    value, g = jax.value_and_grad(loss_tp)(p, ids, labels)
    value, g = lax.pmean((value, g), "dp")
    g = optimizer.clip_tp(g, WHOLE)
    p, m, v = optimizer.adamw(p, m, v, g, t)
    return {"loss": value, "p": p, "m": m, "v": v}


def programs():
    f, ids = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32), jax.ShapeDtypeStruct((6, 7), jnp.int32)
    p = block.shapes(11, 15, 6, 3) | {"norm": f(11), "table": f(27, 11)}
    cut, rows = block.SPECS | {"norm": P(), "table": P("tp", None)}, P("dp", None)
    return {"lm-step-dp2-tp3": Program(
        sequential, parallel, (p, p, p, f(), ids, ids), {"dp": 2, "tp": 3}, (cut, cut, cut, P(), rows, rows),
        {"loss": P(), "p": cut, "m": cut, "v": cut},
        assume={"ids": (0, 27), "labels": (0, 27), "t": (1, 1000), "v": (0, None)})}
