"""The block of block.py on global arrays, cut by XLA's partitioner as the shardings of arguments and results say."""
import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

from models import attention as attn
from models.norm import rms_norm
from models import block
from tvr_jax import Program


def annotated(p, x):
    h = rms_norm(x, p["norm1"])
    x = x + attn.attention(p["attention"], h)
    h = block.gated(p, rms_norm(x, p["norm2"]))
    return x + h @ p["down"]


def programs():
    x, rows = jax.ShapeDtypeStruct((4, 7, 11), jnp.float32), P("dp", None, None)
    return {"partitioned-block-dp2-tp3": Program(block.block, annotated, (block.shapes(11, 21, 6, 3), x),
                                                 {"dp": 2, "tp": 3}, (block.SPECS, rows), rows, partitioner=True)}
