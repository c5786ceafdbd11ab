"""relation: where the tensors of the ranks come from, in DTensor's words.

A placement says for every mesh axis R (the whole tensor), S(d) (a piece along dimension d), P(sum) (an addend) or
P(avg) (the mean of the ranks is the tensor).
Pieces are those of torch.chunk.  DTensors carry their placements; for other tensors the user says them.
"""
import dataclasses
import fnmatch
import math
import re

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


def of_dtensor(spec, mesh):
    """The placement of a DTensor's spec; axes that its own mesh lacks: R."""
    axes = spec.mesh.mesh_dim_names
    if not axes or any(a not in mesh for a in axes):
        raise ValueError(f"a DTensor lives on a mesh with axes {axes}; name them as those of {list(mesh)}")
    along, cut = {}, {}
    for k, (axis, p) in enumerate(zip(axes, spec.placements)):
        if p.is_partial():
            along[axis] = f"P({p.reduce_op})"
        elif p.is_replicate():
            along[axis] = "R"
        else:
            along[axis] = f"S({p.dim})"
            cut.setdefault(p.dim, []).append((axis, getattr(p, "split_factor", 1)))
    order = []
    for dim, axes_of_it in cut.items():
        order += cut_order(axes_of_it, mesh) if len(axes_of_it) > 1 else []
    return Place(along, order=order or None).on(mesh)


def cut_order(axes, mesh):
    """Axes that cut one dimension, in the order in which they cut.

    A strided shard with factor k is cut after axes to the right of it whose sizes multiply to k.
    """
    done = []
    for axis, factor in reversed(axes):
        k, after = 1, 0
        while k < factor and after < len(done):
            k *= mesh[done[after]]
            after += 1
        if k != factor:
            raise ValueError(f"axis '{axis}' cuts with a stride of {factor}, which no order of the axes {axes} gives")
        done.insert(after, axis)
    return [] if done == [a for a, _ in axes] else done


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
