"""AdamW and clipping of gradients by their global norm."""
import jax
import jax.numpy as jnp
from jax import lax

RATE, BETA1, BETA2, EPS, DECAY, LIMIT = 0.01, 0.9, 0.95, 1e-8, 0.1, 1.0


def squares(tree):
    return sum(jnp.sum(jnp.square(g)) for g in jax.tree.leaves(tree))


def clip(grads):
    return scaled(grads, squares(grads))


def clip_tp(grads, whole):
    """Gradients named in `whole` are whole on every device of tp, the others are shards."""
    shards = {k: g for k, g in grads.items() if k not in whole}
    copies = {k: g for k, g in grads.items() if k in whole}
    return scaled(grads, lax.psum(squares(shards), "tp") + squares(copies))


def scaled(grads, total):
    factor = jnp.minimum(1.0, LIMIT / (jnp.sqrt(total) + 1e-6))
    return jax.tree.map(lambda g: g * factor, grads)


def adamw(p, m, v, g, t):
    m = jax.tree.map(lambda m, g: BETA1 * m + (1 - BETA1) * g, m, g)
    v = jax.tree.map(lambda v, g: BETA2 * v + (1 - BETA2) * g * g, v, g)
    update = lambda p, m, v: (m / (1 - BETA1 ** t)) / (jnp.sqrt(v / (1 - BETA2 ** t)) + EPS) + DECAY * p
    return jax.tree.map(lambda p, m, v: p - RATE * update(p, m, v), p, m, v), m, v
