"""Writes the graphs of `make bench`: python3 capture.py [NAME...]   (needs jax; the archives are part of the tree)

A language model of several layers at real sizes, gradients of all parameters: 8, 16 and 32 layers over tp = 8 show growth
with the graph, and dp = 8 x tp = 8 shows growth with the devices. NAME.tar.gz holds seq.hlo, dist.hlo, relation.json."""
import os
import sys
import tarfile
import tempfile

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=64"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(ROOT, "frontends", "jax"), os.path.join(ROOT, "examples")]

import jax                                                              # noqa: E402
import jax.numpy as jnp                                                 # noqa: E402
from jax import lax                                                     # noqa: E402
from jax.sharding import PartitionSpec as P                             # noqa: E402

import tvr_jax                                                          # noqa: E402
from models import block, vocabulary                                    # noqa: E402
from models.norm import rms_norm                                        # noqa: E402
from models.parallel import enter                                       # noqa: E402

VOCABULARY, MODEL, HIDDEN, HEADS, KV = 32000, 4096, 14336, 32, 8


def gradients(layers, dp, tp):
    def loss(p, ids, labels):
        h = vocabulary.embed(p["table"], ids)
        for q in p["layers"]:
            h = block.block(q, h)
        return vocabulary.cross_entropy(rms_norm(h, p["norm"]) @ p["table"].T, labels)

    def loss_tp(p, ids, labels):
        h = vocabulary.embed_tp(p["table"], ids)
        for q in p["layers"]:
            h = block.block_tp(q, h)
        return vocabulary.cross_entropy_tp(enter(rms_norm(h, p["norm"]), "tp") @ p["table"].T, labels)

    def parallel(p, ids, labels):
        value = jax.value_and_grad(loss_tp)(p, ids, labels)
        return lax.pmean(value, "dp") if dp > 1 else value

    f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    ids = jax.ShapeDtypeStruct((16, 512), jnp.int32)
    p = {"table": f(VOCABULARY, MODEL), "norm": f(MODEL),
         "layers": [block.shapes(MODEL, HIDDEN, HEADS, KV) for _ in range(layers)]}
    cut = {"table": P("tp", None), "norm": P(), "layers": [block.SPECS] * layers}
    mesh, rows = ({"dp": dp, "tp": tp}, P("dp", None)) if dp > 1 else ({"tp": tp}, P())
    return tvr_jax.Program(jax.value_and_grad(loss), parallel, (p, ids, ids), mesh, (cut, rows, rows), (P(), cut),
                           assume={"ids": (0, VOCABULARY), "labels": (0, VOCABULARY)})


PROGRAMS = {"lm-8layers-tp8": (8, 1, 8), "lm-16layers-tp8": (16, 1, 8), "lm-32layers-tp8": (32, 1, 8),
            "lm-8layers-dp8-tp8": (8, 8, 8)}

if __name__ == "__main__":
    for name in sys.argv[1:] or PROGRAMS:
        with tempfile.TemporaryDirectory() as folder:
            tvr_jax.export(folder, gradients(*PROGRAMS[name]), stablehlo=False, root=os.path.join(ROOT, "examples"))
            with tarfile.open(os.path.join(HERE, name + ".tar.gz"), "w:gz") as archive:
                for file in ("seq.hlo", "dist.hlo", "relation.json"):
                    archive.add(os.path.join(folder, file), file)
        print(name)
