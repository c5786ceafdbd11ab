"""replay: runs captured graphs, all ranks in lockstep, in double precision on random inputs.

Says nothing about other inputs or sizes, and is no part of a proof: it is what the expected verdicts of examples and
tests were established with.
"""
import collections
import math
import zlib

import torch

from . import graph, relation

DOUBLE = {"f32": torch.float64, "f64": torch.float64, "f16": torch.float64, "bf16": torch.float64,
          "f8e4m3fn": torch.float64, "f8e5m2": torch.float64, "i64": torch.int64,
          "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool,
          "c64": torch.complex128}
REDUCE = {"sum": lambda xs: torch.stack(xs).sum(0), "avg": lambda xs: torch.stack(xs).mean(0),
          "max": lambda xs: torch.stack(xs).amax(0), "min": lambda xs: torch.stack(xs).amin(0),
          "product": lambda xs: torch.stack(xs).prod(0)}


def grouped(a, b, offs=None, bias=None, out_dtype=None):
    """`_grouped_mm`, which PyTorch has for no doubles: `offs` says where each group of rows, columns or addends ends."""
    if offs is None:
        return a @ b
    rows = a.shape[0] if b.dim() == 3 else b.shape[-1] if a.dim() == 3 else b.shape[0]
    own = (torch.bucketize(torch.arange(rows), offs, right=True) == torch.arange(offs.shape[0])[:, None]).to(a.dtype)
    if a.dim() == b.dim() == 2:
        return torch.einsum("mt,et,tn->emn", a, own, b)
    return torch.einsum("tk,et,ekn->tn", a, own, b) if b.dim() == 3 else torch.einsum("emk,et,kt->mt", a, own, b)


def operator_of(name):
    if name == "aten._grouped_mm.default":
        return grouped
    if name in ("aten.view.default", "aten._unsafe_view.default"):       # strides are no part of a graph
        name = "aten.reshape.default"
    at = torch.ops
    for part in name.split("."):
        at = getattr(at, part)
    return at


def constant(c):
    dtype = DOUBLE[c["dtype"]]
    if dtype.is_complex:
        return torch.view_as_complex(torch.tensor(c["data"], dtype=torch.float64).reshape([*c["shape"], 2]))
    return torch.tensor([float(v["float"]) if isinstance(v, dict) else v for v in c["data"]], dtype=dtype).reshape(c["shape"])


def decoded(a, values):
    if isinstance(a, list):
        return [decoded(x, values) for x in a]
    if not isinstance(a, dict):
        return a
    if "t" in a:                                                # some operators take no other strides
        return (values[a["t"]][a["i"]] if "i" in a else values[a["t"]]).contiguous()
    if "dtype" in a:
        return DOUBLE[a["dtype"]]
    return float(a["float"]) if "float" in a else a["group"]


def run(g, inputs):
    """A coroutine: yields (operator, arguments) of every communication, is sent the result; returns outputs by name."""
    values = dict(inputs) | {c["name"]: constant(c) for c in g.get("constants", [])}
    for n in g["nodes"]:
        args = decoded(n["args"], values)
        kwargs = {k: decoded(v, values) for k, v in n.get("kwargs", {}).items()}
        namespace, name, _ = n["op"].split(".")
        if namespace == "_c10d_functional":
            result = args[0] if name == "wait_tensor" else (yield name, args)
        else:
            op = operator_of(n["op"])
            numbers = [str(a.type) == "number" for a in op._schema.arguments] if hasattr(op, "_schema") else []
            for k, of_number in enumerate(numbers[:len(args)]):
                if of_number and isinstance(args[k], torch.Tensor):      # complex ones are constants
                    args[k] = args[k].item()
            makes = not any(isinstance(a, torch.Tensor) for a in args) and n["outs"][0]
            if makes and any(a.name == "dtype" for a in op._schema.arguments):
                kwargs["dtype"] = DOUBLE[n["outs"][0]["dtype"]]
            result = op(*args, **kwargs)
        values[n["name"]] = result
    return {name: decoded(o, values) for name, o in zip(g["output_names"], g["outputs"])}


def collective(name, args):
    """Results of the members of a group, from their arguments."""
    xs, n = [a[0] for a in args], len(args)
    if name == "all_reduce":
        return [REDUCE[args[0][1]](xs)] * n
    if name == "all_gather_into_tensor":
        return [torch.cat(xs)] * n
    if name == "reduce_scatter_tensor":
        return list(REDUCE[args[0][1]](xs).chunk(n))
    if name == "broadcast":
        return [xs[args[0][1]]] * n
    if name == "all_to_all_single":
        parts = [x.split(list(a[2]) or x.shape[0] // n) for x, a in zip(xs, args)]
        return [torch.cat([p[k] for p in parts]) for k in range(n)]
    raise ValueError(f"{name} is not known")


class Lockstep:
    """All ranks side by side; a collective happens when all members of a group have reached it."""

    def __init__(self, captured, inputs):
        self.mesh, self.groups = captured.program.mesh, captured.groups
        self.coordinates = captured.program.coordinates()
        self.ranks = [run(g, x) for g, x in zip(captured.ranks, inputs)]
        self.waits, self.outputs, self.sent = {}, {}, collections.defaultdict(collections.deque)
        for r in range(len(self.ranks)):
            self.resume(r, None)
        while self.waits:
            if not any([self.advance(r) for r in list(self.waits)]):
                raise RuntimeError(f"the ranks do not meet: {({r: w[0] for r, w in self.waits.items()})}")

    def resume(self, r, value):
        self.waits.pop(r, None)
        try:
            self.waits[r] = self.ranks[r].send(value)
        except StopIteration as end:
            self.outputs[r] = end.value

    def members(self, group, r):
        g = self.groups[group]
        if "ranks" in g:
            return next(members for members in g["ranks"] if r in members)
        return graph.Groups(self.mesh, r).along(g["axes"])

    def advance(self, r):
        if r not in self.waits:
            return False
        name, args = self.waits[r]
        if name == "isend":
            self.sent[r, args[1], args[2], args[3]].append(args[0])
            self.resume(r, args[0].new_empty(0))
            return True
        if name == "irecv":
            queue = self.sent[args[1], r, args[2], args[3]]
            if not queue:
                return False
            self.resume(r, queue.popleft())
            return True
        members = self.members(args[-1], r)
        there = [self.waits.get(m) for m in members]
        if not all(w and w[0] == name and self.members(w[1][-1], m) == members for w, m in zip(there, members)):
            return False
        for m, value in zip(members, collective(name, [w[1] for w in there])):
            self.resume(m, value)
        return True


# ---- relations
def arranged(x, e):
    if "blocks" not in e:
        return x
    parts = x.chunk(len(e["blocks"]["order"]), e["blocks"]["dim"])
    return torch.cat([parts[k] for k in e["blocks"]["order"]], e["blocks"]["dim"])


def axes_of(e, mesh):
    return list(dict.fromkeys([*e.get("order", []), *mesh]))


def addend(x, k, n, key):
    """Addend k of the n that x is the sum of: no multiple of x, as relu may be taken of those one by one."""
    def noise(j):
        seed = torch.Generator().manual_seed(zlib.crc32(f"{key} {j % n}".encode()))
        return torch.randint(-2, 3, x.shape, generator=seed).to(x.dtype)

    return (x if k == 0 else torch.zeros_like(x)) + noise(k) - noise(k + 1)


def piece(x, e, mesh, at):
    """The part of a sequential tensor at a coordinate, or an addend of it."""
    x = arranged(x, e)
    for axis in axes_of(e, mesh):
        p = e["placements"].get(axis, "R")
        if p[0] == "S":
            d, size = int(p[2:-1]), x.shape[int(p[2:-1])]
            width = math.ceil(size / mesh[axis])
            start = min(at[axis] * width, size)
            x = x.narrow(d, start, min(width, size - start))
        elif p in ("P(sum)", "P(avg)") and mesh[axis] > 1:
            n = mesh[axis]
            x = addend(x, at[axis], n, f"{e['dist']} {axis}") * (n if p == "P(avg)" else 1)
    return x


def number(x):
    """Truth values and integers as doubles: the first have no difference, and those without a sign wrap."""
    return x if x.is_complex() else x.double()


def error(e, whole, got, mesh, coordinates):
    """Largest difference on any rank, relative to the largest magnitude of the sequential tensor (zero is rounded)."""
    top, worst = max(float(number(whole).abs().max()) if whole.numel() else 0.0, 1e-6), 0.0
    summed = [a for a in mesh if e["placements"].get(a, "R")[0] == "P"]
    without = dict(e, placements={a: p for a, p in e["placements"].items() if p[0] != "P"})
    for r, x in got.items():
        if any(coordinates[r][a] != k for a, k in e.get("on", {}).items()):
            continue
        if summed:
            same = [v for q, v in got.items() if all(coordinates[q][a] == coordinates[r][a] for a in mesh if a not in summed)]
            x = REDUCE[e["placements"][summed[0]][2:-1]](same)
        want = piece(whole, without, mesh, coordinates[r])
        if want.shape != x.shape:
            return math.inf
        if want.numel():
            d = float((number(x) - number(want)).abs().max())
            worst = max(worst, d / top if math.isfinite(d) else math.inf)
    return worst


def draw(e, of, generator, scale=1.0):
    assume, shape, dtype = e.get("assume", {}), of["shape"], DOUBLE[of["dtype"]]
    if "values" in assume:
        pick = torch.randint(len(assume["values"]), shape, generator=generator)
        return torch.tensor(assume["values"], dtype=dtype)[pick]
    lo, hi = assume.get("range", (None, None))
    if not (dtype.is_floating_point or dtype.is_complex):
        top = 2 if hi is None or dtype == torch.bool else hi
        x = torch.randint(lo or 0, top, shape, generator=generator).to(dtype)
        if assume.get("or"):
            x = torch.where(torch.rand(shape, generator=generator) < 0.25, assume["or"][0], x)
        return x
    x = torch.randn(shape, dtype=dtype, generator=generator) * scale * (0.5 if len(shape) > 1 else 1.0)
    if lo is not None and hi is None:
        return lo + x.abs()
    return x if lo is None and hi is None else x.clamp(lo, hi)


def compare(captured, seed=0, scale=1.0):
    """Relative error of each output of the ranks, by name, at one random point; `scale`: the size of its numbers."""
    generator = torch.Generator().manual_seed(seed)
    entries, mesh, coordinates = captured.relation["inputs"], captured.program.mesh, captured.program.coordinates()
    types = {i["name"]: i for i in captured.seq["inputs"]}
    whole = {}
    for e in entries:
        if e["seq"] not in whole:
            whole[e["seq"]] = draw(e, types[e["seq"]], generator, scale)
    for name in types:
        whole.setdefault(name, draw({}, types[name], generator))
    try:
        next(run(captured.seq, whole))
        raise RuntimeError("the sequential program communicates")
    except StopIteration as end:
        want = end.value
    there = lambda e, at: all(at[a] == k for a, k in e.get("on", {}).items())
    inputs = [{e["dist"]: piece(whole[e["seq"]], e, mesh, at) for e in entries if there(e, at)} for at in coordinates]
    got = Lockstep(captured, inputs).outputs
    errors = collections.defaultdict(float)
    for e in captured.relation["outputs"]:
        held = {r: o[e["dist"]] for r, o in got.items() if e["dist"] in o}
        errors[e["dist"]] = max(errors[e["dist"]], error(e, want[e["seq"]], held, mesh, coordinates))
    return dict(errors)
