"""A transformer block with its gradients: heads and the MLP cut over tp, the sequence too, outside of them."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models import attention as attn
from models.norm import rms_norm
from models.parallel import enter, gather, leave, scatter
from tvr_jax import Program


def gated(p, x):
    return jax.nn.silu(x @ p["gate"]) * (x @ p["up"])


def block(p, x):
    x = x + attn.attention(p["attention"], rms_norm(x, p["norm1"]))
    return x + gated(p, rms_norm(x, p["norm2"])) @ p["down"]


def block_tp(p, x):
    """Activations whole on every device between the two parallel regions."""
    x = x + attn.attention_tp(p["attention"], rms_norm(x, p["norm1"]))
    h = enter(rms_norm(x, p["norm2"]), "tp")
    return x + leave(gated(p, h) @ p["down"], "tp")


def block_sp(p, x):
    """Activations cut along the sequence between the two parallel regions."""
    h = gather(rms_norm(x, p["norm1"]), "tp")
    x = x + scatter(attn.attention(p["attention"], h), "tp")
    h = gather(rms_norm(x, p["norm2"]), "tp")
    return x + scatter(gated(p, h) @ p["down"], "tp")


def sequential(p, x, dy):
    y, back = jax.vjp(block, p, x)
    dp, dx = back(dy)
    return {"y": y, "p": dp, "x": dx}


def sequence_parallel(p, x, dy):
    y, back = jax.vjp(block_sp, p, x)
    dp, dx = back(dy)
    for name in ("norm1", "norm2"):
        dp[name] = lax.psum(dp[name], "tp")
    return {"y": y, "p": dp, "x": dx}


def shapes(model, hidden, n_heads, n_kv):
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    return {"norm1": f(model), "norm2": f(model), "attention": attn.shapes(model, n_heads, n_kv),
            "gate": f(model, hidden), "up": f(model, hidden), "down": f(hidden, model)}


SPECS = {"norm1": P(), "norm2": P(), "attention": attn.SPECS, "gate": P(None, "tp"), "up": P(None, "tp"),
         "down": P("tp", None)}


def programs():
    x, cut = jax.ShapeDtypeStruct((2, 9, 11), jnp.float32), P(None, "tp", None)
    return {"block-tp3-sp": Program(sequential, sequence_parallel, (shapes(11, 21, 6, 3), x, x), {"tp": 3},
                                    (SPECS, cut, cut), {"y": cut, "p": SPECS, "x": cut})}
