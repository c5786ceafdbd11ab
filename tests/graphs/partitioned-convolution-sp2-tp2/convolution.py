"""A convolution cut by XLA's partitioner: rows of the images over sp, features of the kernel over tp.  That of jaxlib
0.10.2 adds the same product up over tp as well, so what comes out is twice too much.

python3 convolution.py writes seq.hlo, dist.hlo and relation.json here (needs jax)."""
import os

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec as P

import tvr_jax


def convolution(x, w):
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def partitioned(x, w):
    return convolution(x, w)


if __name__ == "__main__":
    here = os.path.dirname(os.path.abspath(__file__))
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    program = tvr_jax.Program(convolution, partitioned, (f(2, 8, 5, 3), f(3, 3, 3, 4)), {"sp": 2, "tp": 2},
                              (P(None, "sp"), P(None, None, None, "tp")), P(None, "sp", None, "tp"), partitioner=True)
    tvr_jax.export(here, program, stablehlo=False, root=here)
    print(tvr_jax.compare(program))
