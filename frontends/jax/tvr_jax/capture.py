"""export: lower both programs, take the texts tvr reads, and write down how inputs and outputs correspond.

The sequential program is HLO before any optimisation. The distributed one is the module right after XLA's
`spmd-partitioning` pass: per-device shapes, explicit collectives. A rewrite for one device (no mesh) is lowered like
the sequential program. Nothing is executed on devices.
"""
import contextlib
import dataclasses
import glob
import inspect
import itertools
import math
import os
import tempfile
from typing import Any, Callable

import jax
import numpy as np
from jax.extend.source_info_util import register_exclusion
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

from . import relation

try:
    shard_map, VARYING = jax.shard_map, "check_vma"
except AttributeError:                                                  # before JAX 0.6
    from jax.experimental.shard_map import shard_map
    VARYING = "check_rep"

register_exclusion(os.path.dirname(os.path.abspath(__file__)) + os.sep)   # source locations are those of the model
register_exclusion("<frozen ")                                            # .. and not of Python, importing it


@dataclasses.dataclass
class Program:
    """Two programs and how they correspond; see `export` for the fields."""
    sequential: Callable
    distributed: Callable
    args: tuple
    mesh: Any = dataclasses.field(default_factory=dict)                 # axis sizes by name, or a mesh of JAX
    in_specs: Any = P()
    out_specs: Any = P()
    partitioner: bool = False
    names: list[str] | None = None
    assume: dict[str, tuple] = dataclasses.field(default_factory=dict)
    partial: dict[str, list[str]] = dataclasses.field(default_factory=dict)
    blocks: dict[str, tuple] = dataclasses.field(default_factory=dict)
    check_vma: bool = False

    def __post_init__(self):
        self.jax_mesh = None if isinstance(self.mesh, dict) else self.mesh
        self.mesh = dict(getattr(self.mesh, "shape", self.mesh))
        self.args = jax.tree.map(unplaced, self.args)
        plain = lambda specs: jax.tree.map(lambda s: getattr(s, "spec", s), specs, is_leaf=relation.is_spec)
        self.in_specs, self.out_specs = plain(self.in_specs), plain(self.out_specs)

    def jitted(self):
        """The distributed program over the mesh, ready to lower or to run."""
        if not self.mesh:
            return jax.jit(self.distributed, keep_unused=True)
        mesh = device_mesh(self.mesh, self.jax_mesh)
        place = lambda specs: jax.tree.map(lambda s: NamedSharding(mesh, s), specs, is_leaf=relation.is_spec)
        run = self.distributed
        if not self.partitioner:
            run = shard_map(run, mesh=mesh, in_specs=self.in_specs, out_specs=self.out_specs, **{VARYING: self.check_vma})
        return jax.jit(run, keep_unused=True, in_shardings=place(self.in_specs), out_shardings=place(self.out_specs))

    def context(self):
        """What a program on global arrays is traced in, if its mesh is one of JAX: it may leave that out then."""
        if not self.jax_mesh or not self.partitioner:
            return contextlib.nullcontext()
        mesh = device_mesh(self.mesh, self.jax_mesh)
        return jax.set_mesh(mesh) if hasattr(jax, "set_mesh") else mesh


def unplaced(x):
    """An argument without the devices it lies on, or is to lie on: where they matter, the specs say so."""
    weak = {"weak_type": True} if getattr(x, "weak_type", False) else {}
    return jax.ShapeDtypeStruct(x.shape, x.dtype, **weak) if hasattr(x, "sharding") else x


def device_mesh(axes, like=None):
    """A mesh over the first devices; more virtual CPU devices are asked for while that is still possible."""
    n = int(np.prod(list(axes.values())))
    if "device_count" not in os.environ.get("XLA_FLAGS", ""):
        try:
            jax.config.update("jax_num_cpu_devices", max(n, 8))
        except RuntimeError:
            pass                                                        # the devices exist already
        except AttributeError:                                          # before JAX 0.5: read as the devices are made
            flag = f"--xla_force_host_platform_device_count={max(n, 8)}"
            os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    if len(jax.devices()) < n:
        raise ValueError(f"the mesh has {n} devices and JAX {len(jax.devices())}: "
                         f"start with XLA_FLAGS=--xla_force_host_platform_device_count={n}")
    types = {"axis_types": like.axis_types} if getattr(like, "axis_types", None) else {}
    return Mesh(np.array(jax.devices()[:n]).reshape(list(axes.values())), list(axes), **types)


def text(lowered, dialect):
    """Text with source locations."""
    if "debug_info" in inspect.signature(lowered.as_text).parameters:
        return lowered.as_text(dialect, debug_info=True)
    ir = lowered.compiler_ir(dialect)                                   # before JAX 0.5
    return ir.as_hlo_text() if dialect == "hlo" else ir.operation.get_asm(enable_debug_info=True)


def partitioned(lowered):
    """Text of the module right after the partitioner."""
    with tempfile.TemporaryDirectory() as dump:
        failure = None
        try:
            lowered.compile({"xla_dump_to": dump, "xla_dump_hlo_as_text": True, "xla_dump_large_constants": True,
                             "xla_dump_hlo_pass_re": "spmd-partitioning", "xla_backend_optimization_level": "0",
                             "xla_llvm_disable_expensive_passes": True})
        except jax.errors.JaxRuntimeError as error:                     # such as a custom call that is not registered here
            failure = error
        texts = glob.glob(os.path.join(dump, "*after_spmd-partitioning*.txt"))
        if len(texts) != 1:
            raise failure or RuntimeError(f"XLA wrote {len(texts)} modules after spmd-partitioning, expected one")
        with open(texts[0]) as f:
            return f.read()


def export(folder, sequential, distributed=None, args=(), *, mesh=None, in_specs=P(), out_specs=P(), partitioner=False,
           names=None, assume=None, partial=None, blocks=None, check_vma=False, stablehlo=True, root=None, suffix=""):
    """Writes seq.hlo, dist.hlo, relation.json (and seq.mlir, dist.mlir) into `folder`.

    sequential   the model for one device; may also be a Program, then the arguments up to `check_vma` are its fields
    distributed  the program of one device (run under shard_map over `mesh`); with `partitioner`, a program on global
                 arrays that XLA partitions; without a mesh, a rewrite for one device
    args         arguments of both, global: pytrees of arrays or jax.ShapeDtypeStruct
    mesh         axis sizes by name, in order: {"dp": 2, "tp": 4}; or a Mesh or AbstractMesh of JAX: with its
                 axis types, and with `partitioner` the program is traced within jax.set_mesh(mesh)
    in_specs, out_specs   PartitionSpecs (or NamedShardings): trees (or prefixes of trees) like the arguments and the result
    names        names of the arguments; default: those of the parameters of `sequential`
    assume       {input: (lo, hi)}: integers lie in [lo, hi), floats in [lo, hi]
    partial      {output: [axes]}: the output is a sum over these axes, which its spec must not name
    blocks       {input or output: (dim, order)}: equal blocks along a dimension, put in this order before it is cut
    check_vma    shard_map keeps track of what varies over which axis, as by default in JAX, and gradients taken within
                 are summed accordingly; else they are as the program says
    root         folder that source locations are relative to; default: the working directory
    suffix       what stands behind the names of the files: "-8" for seq-8.hlo
    """
    program = sequential
    if not isinstance(program, Program):
        program = Program(sequential, distributed, args, mesh or {}, in_specs, out_specs, partitioner, names,
                          assume or {}, partial or {}, blocks or {}, check_vma)
    if program.mesh:
        device_mesh(program.mesh)                                       # before anything makes JAX choose its devices
    relates = relation.of(program)
    seq = jax.jit(program.sequential, keep_unused=True).lower(*program.args)
    with program.context():
        dist = program.jitted().lower(*program.args)
    relation.must_agree(seq.out_tree, dist.out_tree)
    devices = math.prod(program.mesh.values())                          # one has nothing to partition
    texts = {"seq.hlo": text(seq, "hlo"), "dist.hlo": partitioned(dist) if devices > 1 else text(dist, "hlo")}
    if stablehlo:
        texts |= {"seq.mlir": text(seq, "stablehlo"), "dist.mlir": text(dist, "stablehlo")}
    for name in ("seq", "dist"):
        relation.must_fit(relates, name, texts[name + ".hlo"])
    here = os.path.join(os.path.abspath(root or os.getcwd()), "")
    os.makedirs(folder, exist_ok=True)
    for name, written in (texts | {"relation.json": relation.text(relates)}).items():
        stem, dot, kind = name.partition(".")
        with open(os.path.join(folder, stem + suffix + dot + kind), "w") as f:
            f.write(written.replace(here, ""))
    return relates


def export_family(folder, make, sizes, **options):
    """Exports make(s=8, ..), a Program, for every point of `sizes`, as seq-8.hlo and so on.

    sizes    {"s": (8, 16), "b": (1, 2)}: every combination; or a list of {"s": 8, "b": 1}
    Returns the arguments of `tvr check`, with the sizes in braces.
    """
    points = list(sizes)
    if isinstance(sizes, dict):
        points = [dict(zip(sizes, values)) for values in itertools.product(*sizes.values())]
    for point in points:
        export(folder, make(**point), suffix="-" + "-".join(map(str, point.values())), **options)
    braces = "-" + "-".join("{%s}" % name for name in points[0])
    return [f"seq{braces}.hlo", f"dist{braces}.hlo", f"--relation=relation{braces}.json"]
