"""relation: where the tensors of the ranks come from, in DTensor's words.

A placement says for every mesh axis R (the whole tensor), S(d) (a piece along dimension d), P(sum) (an addend) or
P(avg) (the mean of the ranks is the tensor).
Pieces are those of torch.chunk.  DTensors carry their placements; for other tensors the user says them.
"""
import dataclasses
import fnmatch
import math
import re

import torch.distributed as dist
from torch.distributed.tensor import Partial

from . import graph

PLACEMENT = re.compile(r"R|S\(\d+\)|P\((sum|avg|max|min)\)")


@dataclasses.dataclass(frozen=True)
class Place:
    """How a tensor of the ranks comes from one of the sequential program.

    along    a placement for each mesh axis; axes that are not named: R.  A string or a list of strings: in mesh order
    seq      name of the sequential tensor, if another one
    order    axes in the order in which they cut a dimension, if not that of the mesh
    blocks   (dimension, order): cut it into equal blocks and put them in this order first
    """
    along: dict | str | list = dataclasses.field(default_factory=dict)
    seq: str | None = None
    order: list | None = None
    blocks: tuple | None = None

    def on(self, mesh, name=""):
        """The same, checked, with `along` a complete dictionary.  `name` is that of the tensor."""
        along = self.along
        if isinstance(along, str):
            along = [along]
        if isinstance(along, (list, tuple)):
            if len(along) > len(mesh):
                raise ValueError(f"'{name}': {len(along)} placements on a mesh of {len(mesh)} axes")
            along = dict(zip(mesh, along))
        for axis, p in along.items():
            if axis not in mesh:
                raise ValueError(f"'{name}': the mesh {mesh} has no axis '{axis}'")
            if not PLACEMENT.fullmatch(p):
                raise ValueError(f"'{name}': '{p}' is no placement: R, S(dimension), P(sum) or P(avg)")
        return dataclasses.replace(self, along={axis: along.get(axis, "R") for axis in mesh})

    def cuts(self, axis):
        """The dimension that an axis cuts, or None."""
        p = self.along[axis]
        return int(p[2:-1]) if p[0] == "S" else None

    def local_shape(self, name, shape, mesh, at):
        """The shape of the tensor of that name on the rank at a coordinate."""
        whole, shape = shape, list(shape)
        for axis in dict.fromkeys([*(self.order or []), *mesh]):
            d = self.cuts(axis)
            if d is None:
                continue
            if d >= len(shape):
                raise ValueError(f"'{name}': there is no dimension {d} to cut in a tensor of shape {list(whole)}")
            piece = math.ceil(shape[d] / mesh[axis])
            shape[d] = max(0, min(piece, shape[d] - at[axis] * piece))
        return shape


def place(x):
    return x if isinstance(x, Place) else Place(x)


def matching(patterns, name):
    """The value of the last pattern that fits; a name fits itself and what is below it."""
    found = None
    for pattern, value in patterns.items():
        if fnmatch.fnmatchcase(name, pattern) or name.startswith((pattern + "[", pattern + ".")):
            found = value
    return found


def spanned(device_mesh, k, mesh):
    """The axes of `mesh` that axis k of a DeviceMesh goes over, major first: several if it is flattened, none of size 1."""
    if device_mesh.size(k) == 1:
        return ()
    ranks = dist.get_process_group_ranks(device_mesh.get_group(k))
    at = [graph.coordinate(mesh, r) for r in ranks]
    axes = tuple(a for a in mesh if len({c[a] for c in at}) > 1)
    in_order = ranks[device_mesh.get_coordinate()[k]] == dist.get_rank() and ranks == sorted(ranks)
    if math.prod(mesh[a] for a in axes) != len(ranks) or not in_order:
        raise ValueError(f"a DTensor lives on ranks {device_mesh.mesh.tolist()}, of which no axes of the mesh {mesh} make "
                         f"dimension {k}: give `mesh` the axes that the program cuts along, major first")
    return axes


def of_dtensor(spec, mesh):
    """The placement of a DTensor's spec; axes that its own mesh lacks: R."""
    along, cut = {}, {}
    order = [k for one in getattr(spec, "shard_order", None) or () for k in one.mesh_dims]
    for k in dict.fromkeys([*order, *range(len(spec.placements))]):
        p, axes = spec.placements[k], spanned(spec.mesh, k, mesh)
        text = f"P({p.reduce_op})" if p.is_partial() else "R" if p.is_replicate() else f"S({p.dim})"
        if p.is_partial() and (type(p) is not Partial or not PLACEMENT.fullmatch(text)):
            raise ValueError(f"a DTensor is {p!r} over {axes}, more than a sum of what the ranks have: return its full_tensor()")
        along |= {axis: text for axis in axes}
        if axes and text[0] == "S":
            cut.setdefault(p.dim, []).append((axes, getattr(p, "split_factor", 1)))
    order = []
    for axes_of_it in cut.values():
        order += cut_order(axes_of_it, mesh) if len(axes_of_it) > 1 else []
    return Place(along, order=order or None).on(mesh)


def cut_order(parts, mesh):
    """Axes that cut one dimension, in the order in which they cut; parts: (axes, factor), in that of a DeviceMesh.

    A strided shard with factor k is cut after axes to the right of it whose sizes multiply to k.
    """
    done = []
    for axes, factor in reversed(parts):
        k, after = 1, 0
        while k < factor and after < len(done):
            k *= math.prod(mesh[a] for a in done[after])
            after += 1
        if k != factor:
            raise ValueError(f"{axes} cut with a stride of {factor}, which no order of {[a for a, _ in parts]} gives")
        done.insert(after, axes)
    flat = [a for axes in done for a in axes]
    return [] if flat == [a for a in mesh if a in flat] else flat


def ranks_with(present, mesh, coordinates):
    """What `on` has to say, once or several times, for exactly the ranks in `present`; None stands for all ranks."""
    if len(present) == len(coordinates):
        return [None]
    on = {a: coordinates[present[0]][a] for a in mesh if len({coordinates[r][a] for r in present}) == 1}
    if [r for r, at in enumerate(coordinates) if all(at[a] == i for a, i in on.items())] == list(present):
        return [on]
    axis = next(a for a in mesh if a not in on)          # where they differ: each place of it by itself
    places = sorted({coordinates[r][axis] for r in present})
    parts = [[r for r in present if coordinates[r][axis] == i] for i in places]
    return [one for part in parts for one in ranks_with(part, mesh, coordinates)]


def entry(seq, dist, where, on=None, assume=None):
    e = {"seq": seq, "dist": dist, "placements": where.along}
    if where.order:
        e["order"] = list(where.order)
    if where.blocks:
        e["blocks"] = {"dim": where.blocks[0], "order": list(where.blocks[1])}
    if on:
        e["on"] = on
    if assume:
        e["assume"] = assume
    return e


def assumption(x):
    """(lo, hi), {"values": [..]} or {"range": .., "or": ..} as relation files say it."""
    return dict(x) if isinstance(x, dict) else {"range": list(x)}
