"""Two programs for one device: fused projections, another formula of the variance, a softmax block by block."""
import jax
import jax.numpy as jnp
from jax import lax
from jax.sharding import PartitionSpec as P

from models import norm
from tvr_jax import Program


def separate(p, x):
    return x @ p["q"], x @ p["k"], x @ p["v"]


def fused(p, x):
    y = x @ jnp.concatenate([p["q"], p["k"], p["v"]], axis=1)
    return y[:, :10], y[:, 10:15], y[:, 15:]


def moments(x, w, b):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(x * x, axis=-1, keepdims=True) - mean * mean
    return (x - mean) * lax.rsqrt(variance + norm.EPS) * w + b


def weighted(scores, v):
    return jax.nn.softmax(scores) @ v


def blockwise(scores, v):
    top, total, out = -jnp.inf, 0.0, 0.0
    for s, b in zip(jnp.split(scores, 3, axis=1), jnp.split(v, 3)):
        new = jnp.maximum(top, jnp.max(s, axis=1, keepdims=True))
        e, old = jnp.exp(s - new), jnp.exp(top - new)
        total, out, top = total * old + jnp.sum(e, axis=1, keepdims=True), out * old + e @ b, new
    return out / total


def product(x, w):
    return x @ w


def product_two_axes(x, w):
    return lax.psum_scatter(lax.psum(x @ w, "b"), "a", scatter_dimension=0, tiled=True)


def nearest(x, codes):
    distance = jnp.sum((x[:, None] - codes) ** 2, axis=-1)
    return jnp.argmin(distance, axis=-1), jnp.min(distance, axis=-1)


def nearest_expanded(x, codes):
    distance = jnp.sum(codes * codes, axis=-1) - 2 * x @ codes.T
    return jnp.argmin(distance, axis=-1), jnp.sum(x * x, axis=-1) + jnp.min(distance, axis=-1)


def mean_square(x, w):
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True)) * w


def length(x, w):
    return x / jnp.linalg.norm(x, axis=-1, keepdims=True) * (3 * w)


def attention(q, k, v):
    scores = q @ k.T / jnp.sqrt(5.0)
    return jax.nn.softmax(scores) @ v, jax.nn.logsumexp(scores, axis=-1)


def attention_base_2(q, k, v):
    """Powers of 2, as kernels take them: log2(e) goes into the scale of the scores."""
    log2_e = 1.4426950408889634
    scores = q @ k.T * (log2_e / 5 ** 0.5)
    top = jnp.max(scores, axis=-1, keepdims=True)
    weights = jnp.exp2(scores - top)
    total = jnp.sum(weights, axis=-1, keepdims=True)
    return weights @ v / total, (jnp.log2(total) + top)[:, 0] / log2_e


def evidence(x):
    return jax.nn.logsumexp(x, axis=-1)


def evidence_in_pairs(x):
    """Two terms at a time, as a reduction over a tree of devices has it."""
    terms = [x[:, i] for i in range(x.shape[1])]
    while len(terms) > 1:
        odd = terms[len(terms) // 2 * 2:]
        terms = [jnp.logaddexp(a, b) for a, b in zip(terms[::2], terms[1::2])] + odd
    return terms[0]


def decays(heads):
    return 1 - 2.0 ** (-2 - jnp.arange(heads, dtype=jnp.float32))


def retained(q, k, v):
    """Retention: every head forgets at a rate of its own."""
    places = jnp.arange(q.shape[0])
    ago = places[:, None] - places
    left = jnp.where(ago >= 0, decays(q.shape[1])[:, None, None] ** jnp.maximum(ago, 0), 0)
    return jnp.einsum("hst,thd->shd", jnp.einsum("shd,thd->hst", q, k) * left, v)


def retained_in_chunks(q, k, v):
    """Chunk by chunk, with what is left of the chunks before in a state."""
    state, out, size = jnp.zeros((q.shape[1], q.shape[2], v.shape[2])), [], 3
    rate, place = decays(q.shape[1]), jnp.arange(3)[:, None]
    for start in range(0, q.shape[0], size):
        a, b, c = (x[start:start + size] for x in (q, k, v))
        since = rate ** (place + 1)
        out.append(retained(a, b, c) + jnp.einsum("shd,hde->she", a * since[..., None], state))
        until = rate ** (size - 1 - place)
        state = state * (rate ** size)[:, None, None] + jnp.einsum("shd,she->hde", b * until[..., None], c)
    return jnp.concatenate(out)


def penalised(logits, last):
    """The logit of the token that came last counts less."""
    return logits.at[jnp.arange(logits.shape[0]), last].multiply(0.75, unique_indices=True)


def penalised_by_mask(logits, last):
    return jnp.where(jnp.arange(logits.shape[1]) == last[:, None], logits * 0.75, logits)


def programs():
    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    p = {"q": f(7, 10), "k": f(7, 5), "v": f(7, 5)}
    return {
        "rewrite-fused-projections": Program(separate, fused, (p, f(3, 7))),
        "rewrite-layer-norm": Program(norm.layer_norm, moments, (f(5, 11), f(11), f(11))),
        "rewrite-softmax-blocks": Program(weighted, blockwise, (f(5, 9), f(9, 7))),
        "rewrite-nearest": Program(nearest, nearest_expanded, (f(5, 3), f(7, 3))),
        "rewrite-mean-square": Program(mean_square, length, (f(4, 9), f(9))),
        "rewrite-base-2": Program(attention, attention_base_2, (f(3, 5), f(4, 5), f(4, 2))),
        "rewrite-penalty": Program(penalised, penalised_by_mask, (f(3, 7), jax.ShapeDtypeStruct((3,), jnp.int32)),
                                   assume={"last": (0, 7)}, names=["logits", "last"]),
        "rewrite-pairs": Program(evidence, evidence_in_pairs, (f(3, 7),)),
        "rewrite-retention": Program(retained, retained_in_chunks, (f(9, 2, 4), f(9, 2, 4), f(9, 2, 3))),
        "matmul-two-axes": Program(product, product_two_axes, (f(6, 24), f(24, 5)), {"a": 2, "b": 3},
                                   (P(None, ("b", "a")), P(("b", "a"), None)), P("a", None)),
    }
