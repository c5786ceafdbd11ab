"""Layers on global arrays, cut by XLA's partitioner as the shardings of arguments and results say."""
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


def sublayer(p, x):
    q, k, v = (jnp.tanh(attn.heads(rms_norm(x, p["norm"]), p[name])) for name in ("q", "k", "v"))
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k)
    out = jnp.einsum("bhqk,bkhd->bqhd", scores, v)
    return x + out.reshape(*x.shape[:2], -1) @ p["out"]


def gradients(p, x, dy):
    y, back = jax.vjp(sublayer, p, x)
    dp, dx = back(dy)
    return {"y": y, "p": dp, "x": dx}


def both_axes(p, x, dy):
    return gradients(p, x, dy)


def fused(p, x):
    for w in p:  # columns of "qkv" are cut in two, which is in the middle of the keys
        thirds = jnp.split(rms_norm(x, w["norm"]) @ w["qkv"], 3, -1)
        q, k, v = (jnp.tanh(h.reshape(*h.shape[:2], 6, 2)) for h in thirds)
        out = jnp.einsum("bqhd,bkhd->bhqk", q, k)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", out, v).reshape(*x.shape[:2], -1) @ w["out"]
    return x


def fused_gradients(p, x, dy):
    y, back = jax.vjp(fused, p, x)
    dp, dx = back(dy)
    return {"y": y, "p": dp, "x": dx}


def fused_cut(p, x, dy):
    return fused_gradients(p, x, dy)


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    x, rows, mesh = f(4, 7, 11), P("dp", None, None), {"dp": 2, "tp": 3}
    p = {"norm": f(12), "q": f(12, 30), "k": f(12, 30), "v": f(12, 30), "out": f(30, 12)}
    cut, y = {name: P("dp", "tp") for name in p} | {"norm": P("tp")}, f(2, 3, 12)  # 12 and 30 by two and by three
    w = [{"norm": f(8), "qkv": f(8, 36), "out": f(12, 8)} for _ in range(2)]
    w_cut, z = [{"norm": P(), "qkv": P(None, "tp"), "out": P("tp", None)} for _ in w], f(2, 3, 8)
    return {"partitioned-thirds-tp2": Program(fused_gradients, fused_cut, (w, z, z), {"tp": 2}, (w_cut, P(), P()),
                                              {"y": P(), "p": w_cut, "x": P()}, partitioner=True),
            "partitioned-block-dp2-tp3": Program(block.block, annotated, (block.shapes(11, 21, 6, 3), x), mesh,
                                                 (block.SPECS, rows), rows, partitioner=True),
            "partitioned-both-dp2-tp3": Program(gradients, both_axes, (p, y, y), mesh, (cut, rows, rows),
                                                {"y": rows, "p": cut, "x": rows}, partitioner=True)}
