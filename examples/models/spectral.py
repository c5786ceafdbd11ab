"""Layers that mix along a sequence by Fourier transforms, the sequence cut over sp: tokens are exchanged for channels."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from tvr_jax import Program


def mixed(x):
    return jnp.fft.fft2(x).real


def filtered(x, w):
    """Every frequency has a complex matrix of its own."""
    modes = jnp.fft.rfft(x, axis=0)
    return jnp.fft.irfft(jnp.einsum("kd,kde->ke", modes, lax.complex(w[0], w[1])), n=x.shape[0], axis=0)


def sequential(x, w):
    y = mixed(x)
    return x + filtered(y, w)


def channels(x):
    return lax.all_to_all(x, "sp", 1, 0, tiled=True)


def tokens(x):
    return lax.all_to_all(x, "sp", 0, 1, tiled=True)


def exchanged(x, w):
    modes = channels(jnp.fft.fft(x, axis=1))
    y = jnp.fft.fft(modes, axis=0).real
    modes = jnp.fft.rfft(y, axis=0)
    out = lax.psum(jnp.einsum("kd,kde->ke", modes, lax.complex(w[0], w[1])), "sp")
    own = out.shape[1] // lax.axis_size("sp")
    out = lax.dynamic_slice_in_dim(out, lax.axis_index("sp") * own, own, 1)
    return x + tokens(jnp.fft.irfft(out, n=y.shape[0], axis=0))


def programs():
    x, w = jax.ShapeDtypeStruct((6, 4), jnp.float32), jax.ShapeDtypeStruct((2, 4, 4, 4), jnp.float32)
    return {"spectral-sp2": Program(sequential, exchanged, (x, w), {"sp": 2}, (P("sp"), P(None, None, "sp")), P("sp"))}
