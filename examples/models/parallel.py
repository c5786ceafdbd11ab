"""The four communication patterns of tensor and sequence parallelism, each with the pattern of its gradient."""
from functools import partial

import jax
from jax import lax


def _pair(forward, backward):
    """A function of (x, axis) whose gradient is `backward` of the cotangent."""
    f = partial(jax.custom_vjp, nondiff_argnums=(1,))(forward)
    f.defvjp(lambda x, axis: (forward(x, axis), None), lambda axis, _, g: (backward(g, axis),))
    return f


def _same(x, axis):
    return x


def _sum(x, axis):
    return lax.psum(x, axis)


def _gather(x, axis):
    return lax.all_gather(x, axis, axis=1, tiled=True)


def _scatter(x, axis):
    return lax.psum_scatter(x, axis, scatter_dimension=1, tiled=True)


enter = _pair(_same, _sum)           # a copy goes into a parallel region: its gradients are summed
leave = _pair(_sum, _same)           # partial sums leave it: every device has the same gradient
gather = _pair(_gather, _scatter)    # a sequence shard becomes the whole sequence
scatter = _pair(_scatter, _gather)   # partial sums become a shard of the summed sequence
