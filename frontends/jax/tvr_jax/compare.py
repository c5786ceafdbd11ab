"""compare: run both programs in double precision and compare every device's block of every output.

Says nothing for other inputs or sizes; it is what the expected verdicts of the examples were established with.
"""
import itertools

import jax
import numpy as np

from . import relation

try:
    enable_x64 = jax.enable_x64
except AttributeError:                                                  # before JAX 0.8
    from jax.experimental import enable_x64


def draw(e, rng):
    """Random values of an input, within its assumed range."""
    lo, hi = e.get("assume", {}).get("range", (None, None))
    if e["dtype"][0] in "su":
        kind = {"s": "int", "u": "uint"}[e["dtype"][0]]
        return rng.integers(lo or 0, 2 if hi is None else hi, size=e["seq_shape"]).astype(kind + e["dtype"][1:])
    if e["dtype"] == "pred":
        return rng.integers(0, 2, size=e["seq_shape"]).astype(bool)
    x = rng.normal(size=e["seq_shape"]) * (0.5 if len(e["seq_shape"]) > 1 else 1.0)
    if lo is not None and hi is None:
        return lo + np.abs(x)
    return x if lo is None and hi is None else np.clip(x, lo, hi)


def blocks(array, mesh):
    """The block on each device, by its coordinate; an array on one device has the empty coordinate."""
    if not mesh:
        return {(): np.asarray(array)}
    points = list(itertools.product(*map(range, mesh.values())))
    data = {s.device.id: np.asarray(s.data) for s in array.addressable_shards}
    return {point: data[i] for i, point in enumerate(points)}


def block(whole, spec, point, mesh):
    """The part of a sequential tensor that a layout puts on the device at a coordinate."""
    at = dict(zip(mesh, point))
    for dim, axes in enumerate(spec):
        i, n = 0, 1
        for a in axes:
            i, n = i * mesh[a] + at[a], n * mesh[a]
        width = whole.shape[dim] // n
        whole = np.take(whole, range(i * width, (i + 1) * width), axis=dim)
    return whole


def in_order(whole, e):
    """The blocks of a tensor in the order that its entry says."""
    if "blocks" not in e:
        return whole
    dim, order = e["blocks"]["dim"], e["blocks"]["order"]
    parts = np.split(np.asarray(whole), len(order), dim)
    return np.concatenate([parts[i] for i in order], dim)


def error(e, whole, got, mesh):
    """Largest difference on any device, relative to the largest magnitude of the sequential tensor."""
    top, worst = max(np.abs(whole).max(initial=0.0), 1e-30), 0.0
    kept = [i for i, a in enumerate(mesh) if a not in e["partial"]]
    for point, value in got.items():
        if e["partial"]:
            value = sum(v for q, v in got.items() if all(q[i] == point[i] for i in kept))
        difference = np.abs(value - block(whole, e["spec"], point, mesh)).max(initial=0.0)
        worst = max(worst, float(difference / top) if np.isfinite(difference) else float("inf"))
    return worst


def compare(program, seed=0):
    """Relative error of each output, by name, over all devices, for random inputs."""
    relates, rng = relation.of(program), np.random.default_rng(seed)
    with enable_x64(True):
        treedef = jax.tree.structure(program.args)
        drawn = [draw(e, rng) for e in relates["inputs"]]
        want = jax.tree.leaves(jax.jit(program.sequential)(*treedef.unflatten(drawn)))
        moved = [in_order(x, e) for x, e in zip(drawn, relates["inputs"])]
        with program.context():
            got = jax.tree.leaves(program.jitted()(*treedef.unflatten(moved)))
    return {e["name"]: error(e, in_order(np.asarray(w, dtype=np.float64), e), blocks(g, program.mesh), program.mesh)
            for e, w, g in zip(relates["outputs"], want, got)}
