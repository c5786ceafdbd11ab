"""graph: a traced program as one graph of a tvr-graph file (format: README.md).

Nothing is simplified.  Left out are nodes whose result nobody reads (never a collective), keyword arguments that only
concern memory, and defaults; `getitem` becomes the number of a result.
"""
import itertools
import math
import operator

import torch
import torch.distributed as dist

DTYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
          torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8",
          torch.uint64: "u64", torch.bool: "bool", torch.complex64: "c64",
          torch.float8_e4m3fn: "f8e4m3fn", torch.float8_e5m2: "f8e5m2"}
OF_MEMORY = {"device", "layout", "pin_memory", "memory_format", "non_blocking"}
LARGEST_CONSTANT = 1 << 20


PYTORCH = {"aten", "prims", "_c10d_functional", "_c10d_functional_autograd"}


def tensors(x):
    """A tensor, or a list with some."""
    return isinstance(x, torch.fx.Node) or isinstance(x, (list, tuple)) and any(map(tensors, x))


def dtype_name(dtype):
    if dtype not in DTYPES:
        raise ValueError(f"tensors of type {dtype} cannot be written")
    return DTYPES[dtype]


def type_of(x):
    return {"dtype": dtype_name(x.dtype), "shape": [int(n) for n in x.shape]} if isinstance(x, torch.Tensor) else None


def number(x):
    return x if math.isfinite(x) else {"float": "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"}


def values(x):
    """The elements of a constant, flat, row-major; complex ones as pairs."""
    if x.numel() > LARGEST_CONSTANT:
        raise ValueError(f"a constant of {x.numel()} elements: make it an input (an argument, or a buffer of the model)")
    x = torch.view_as_real(x) if x.is_complex() else x
    flat = x.detach().cpu().contiguous().reshape(-1)
    return [number(v) for v in flat.to(torch.float64).tolist()] if x.is_floating_point() else flat.tolist()


class Groups:
    """Names of process groups: mesh axes where the ranks are those along axes, else lists of ranks."""

    def __init__(self, mesh, rank):
        self.mesh, self.rank, self.used = mesh, rank, {}

    def along(self, axes):
        """The ranks that differ from this one along these axes only, in row-major order."""
        sizes = list(self.mesh.values())
        at = list(coordinate(self.mesh, self.rank).values())
        places = [range(n) if axis in axes else [at[k]] for k, (axis, n) in enumerate(self.mesh.items())]
        return [rank_of(sizes, point) for point in itertools.product(*places)]

    def name(self, group, apart=False):
        """`apart`: other groups of the same ranks, in the order in which they were made, have names of their own."""
        from .collectives import group_of
        group = group_of(group)
        ranks = dist.get_process_group_ranks(group)
        name, spec = self.described(ranks)
        if apart:
            alike = [g for g in dist.distributed_c10d._world.pg_names if dist.get_process_group_ranks(g) == ranks]
            name += f"_again{alike.index(group)}" if group in alike[1:] else ""
        self.used[name] = spec
        return name

    def described(self, ranks):
        for n in range(1, len(self.mesh) + 1):
            for axes in itertools.combinations(self.mesh, n):
                if self.along(axes) == ranks:
                    return "_".join(axes), {"axes": list(axes)}
        return "ranks_" + "_".join(map(str, ranks)), {"ranks": [ranks]}


def coordinate(mesh, rank):
    at = {}
    for axis, n in reversed(mesh.items()):
        at[axis], rank = rank % n, rank // n
    return dict(reversed(at.items()))


def rank_of(sizes, point):
    rank = 0
    for n, i in zip(sizes, point):
        rank = rank * n + i
    return rank


def communicates(node):
    return node.op == "call_function" and getattr(node.target, "namespace", "") == "_c10d_functional" and \
        "wait_tensor" not in str(node.target)


def live(graph, wanted):
    """Nodes that an output or a collective depends on."""
    seen, todo = set(), [n for n in graph.nodes if communicates(n)] + [n for n in wanted if isinstance(n, torch.fx.Node)]
    while todo:
        n = todo.pop()
        if n not in seen:
            seen.add(n)
            todo.extend(n.all_input_nodes)
    return seen


class Writer:
    def __init__(self, module, inputs, groups):
        """`inputs`: names of the placeholders, in order."""
        self.module, self.groups, self.taken = module, groups, set(inputs)
        self.names = dict(zip((n for n in module.graph.nodes if n.op == "placeholder"), inputs))
        self.constants = []                              # complex numbers among the arguments

    def name(self, node):
        if node not in self.names:
            name = node.name
            while name in self.taken:
                name += "_"
            self.names[node] = name
            self.taken.add(name)
        return self.names[node]

    def reference(self, node):
        if node.op == "call_function" and node.target is operator.getitem:
            whole, k = node.args
            if not isinstance(whole.meta["val"], (list, tuple)):
                raise ValueError(f"{node}: an element of what is not a list")
            return {"t": self.name(whole), "i": k}
        return {"t": self.name(node)}

    def argument(self, a):
        if isinstance(a, torch.fx.Node):
            return self.reference(a)
        if isinstance(a, (list, tuple)):
            return [self.argument(x) for x in a]
        if a is None or isinstance(a, (bool, int, str)):
            return a
        if isinstance(a, float):
            return number(a)
        if isinstance(a, complex):
            return {"t": self.complex(a)}
        if isinstance(a, torch.dtype):
            return {"dtype": dtype_name(a)}
        if isinstance(a, (torch.device, torch.layout, torch.memory_format)):
            return None
        raise ValueError(f"an argument of type {type(a).__name__} cannot be written: {a}")

    def complex(self, x):
        name = f"complex_{len(self.constants)}"
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.constants.append({"name": name, "dtype": "c64", "shape": [], "data": [number(x.real), number(x.imag)]})
        return name

    def arguments(self, node):
        names = [a.name for a in node.target._schema.arguments]
        sent = str(node.target).startswith(("_c10d_functional.isend", "_c10d_functional.irecv"))
        return [{"group": self.groups.name(a, sent)} if name == "group_name" else self.argument(a)
                for name, a in zip(names, node.args)]

    def node(self, n):
        if not isinstance(n.target, torch._ops.OpOverload):
            raise ValueError(f"{n.target} is no operator of ATen; control flow and higher-order operators are not written")
        value = n.meta.get("val")
        args, by_name = self.arguments(n), {}
        if n.target.namespace not in PYTORCH:            # what is no tensor is called by its name, as a definition has it
            names = [a.name for a in n.target._schema.arguments]
            by_name = {k: a for k, a, x in zip(names, args, n.args) if not tensors(x)}
            args = [a for a, x in zip(args, n.args) if tensors(x)]
        row = {"name": self.name(n), "op": str(n.target), "args": args}
        kwargs = by_name | {k: {"group": self.groups.name(a)} if k == "group_name" else self.argument(a)
                  for k, a in n.kwargs.items() if k not in OF_MEMORY}
        if kwargs:
            row["kwargs"] = kwargs
        row["outs"] = [type_of(x) for x in (value if isinstance(value, (list, tuple)) else [value])]
        row |= {k: v for k, v in n.meta.get("tvr", {}).items() if v}
        return row


def written(module, inputs, outputs, groups, known=None):
    """A graph: inputs [(name, fqn or None)] in the order of the placeholders, outputs names of what it returns.

    Inputs with values in `known` (by name) become constants.  Inputs that nothing reads are left out unless they are
    arguments (no fqn): their place in the relation is the user's.
    """
    known = known or {}
    names = [name for name, _ in inputs]
    w = Writer(module, names, groups)
    nodes = list(module.graph.nodes)
    results = nodes[-1].args[0]
    keep = live(module.graph, results)
    places = [n for n in nodes if n.op == "placeholder"]
    graph = {"inputs": [], "constants": [], "nodes": []}
    for place, (name, fqn) in zip(places, inputs):
        if name in known:
            if place in keep:
                x = known[name]
                graph["constants"].append({"name": name, **type_of(x), "data": values(x)})
        else:
            graph["inputs"].append({"name": name, **type_of(place.meta["val"]), **({"fqn": fqn} if fqn else {})})
    for n in nodes:
        if n not in keep or n.op in ("placeholder", "output"):
            continue
        if n.op == "get_attr":
            x = getattr(module, n.target)
            x = getattr(x, "constant", None) if type(x).__name__ == "FakeTensor" else x
            if x is None:
                raise ValueError(f"the values of the constant {n.target} are not known")
            graph["constants"].append({"name": w.name(n), **type_of(x), "data": values(x)})
        elif n.target is not operator.getitem:
            graph["nodes"].append(w.node(n))
    graph["constants"] += w.constants
    graph["outputs"] = [w.reference(r) for r in results]
    graph["output_names"] = outputs
    if not graph["constants"]:
        del graph["constants"]
    return graph
