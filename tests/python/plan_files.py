#!/usr/bin/env python3
"""Writes small execution plans, as the pickles that nnScaler dumps and as tvr-plan JSON (SPEC.md): plan_files.py FOLDER.

A plan is built from objects whose classes have the modules, names and attributes of nnScaler's, which need not be
installed; `pickled` and `neutral` write one such object in the two forms.  `Plan` has what is needed to build others;
`write` adds them to the folder."""
import contextlib
import itertools
import json
import pathlib
import pickle
import sys
import types

CLASSES = {
    "nnscaler.codegen.module.module": ["ModuleCodeGen"],
    "nnscaler.execplan.execplan": ["ExecutionPlan", "ExeReuseCell"],
    "nnscaler.graph.segment": ["IRSegment"],
    "nnscaler.graph.function.dimops": ["IRDimops"],
    "nnscaler.ir.operator": ["IRDataOperation", "IRBpOperation"],
    "nnscaler.ir.adapter.adapter": ["IRAdapter", "IRWeightReducer"],
    "nnscaler.ir.adapter.prim": [name + "Prim" for name in (
        "Move", "Broadcast", "AllReduce", "AllGather", "Chunk", "AllReduceIdentity", "IdentityAllreduce",
        "AllGatherSplit", "SplitAllGather", "AllToAllAllToAll")],
    "nnscaler.ir.tensor": ["IRFullTensor", "IRSubTensor", "IndexMap", "ValueMap"],
    "nnscaler.ir.cten": ["IRObject"],
}
FUNCTIONS = {
    "Move": "adapter.move", "Broadcast": "adapter.broadcast", "AllReduce": "adapter.all_reduce",
    "AllGather": "adapter.all_gather", "Chunk": "adapter.chunk", "AllReduceIdentity": "adapter.nn.allreduce_identity",
    "IdentityAllreduce": "adapter.nn.identity_allreduce", "AllGatherSplit": "adapter.nn.allgather_split",
    "SplitAllGather": "adapter.nn.split_allgather", "AllToAllAllToAll": "adapter.nn.alltoall_alltoall",
}


class Thing:
    """An object of a class of nnScaler: attributes, nothing else."""

    def __init__(self, **attributes):
        self.__dict__.update(attributes)


STANDINS = {name: type(name, (Thing,), {"__module__": module, "__qualname__": name})
            for module, names in CLASSES.items() for name in names}


def make(cls, **attributes):
    return STANDINS[cls](**attributes)


class DType:
    """torch.float32 and the like, which a pickle holds by name."""
    __module__ = "torch"

    def __init__(self, name):
        self.name = name

    def __reduce__(self):
        return self.name


DTYPES = {name: DType(name) for name in ("float32", "int64", "complex64")}


class NumpyType:
    def __reduce__(self):
        return NumpyType, ("i8", False, True), (3, "<", None, None, None, -1, -1, 0)

    def __init__(self, *_):
        pass

    def __setstate__(self, _):
        pass


NumpyType.__module__, NumpyType.__qualname__, NumpyType.__name__ = "numpy", "dtype", "dtype"
NUMPY_TYPE = NumpyType()


def scalar(_type, data):
    return NumpyInt(int.from_bytes(data, "little", signed=True))


scalar.__module__ = "numpy._core.multiarray"


class NumpyInt(int):
    """An integer that a pickle holds as numpy's, as nnScaler's shapes have them here and there."""

    def __reduce__(self):
        return scalar, (NUMPY_TYPE, int(self).to_bytes(8, "little", signed=True))


@contextlib.contextmanager
def standing_in():
    """Modules of the classes' names, for as long as a pickle is written."""
    held = {module: {name: STANDINS[name] for name in names} for module, names in CLASSES.items()}
    held["torch"] = DTYPES
    held["numpy"] = {"dtype": NumpyType}
    held["numpy._core.multiarray"] = {"scalar": scalar}
    for module in list(held):
        parts = module.split(".")
        for k in range(1, len(parts)):
            held.setdefault(".".join(parts[:k]), {})
    before = {module: sys.modules.get(module) for module in held}
    for module, members in held.items():
        sys.modules[module] = types.ModuleType(module)
        sys.modules[module].__dict__.update(members)
    try:
        yield
    finally:
        for module, old in before.items():
            if old is None:
                del sys.modules[module]
            else:
                sys.modules[module] = old


class Part:
    """A part of a full tensor; equal parts have one number."""

    def __init__(self, full, ranges, addend, number):
        self.full, self.ranges, self.addend, self.number = full, ranges, addend, number

    @property
    def shape(self):
        return tuple(hi - lo for lo, hi in self.ranges)


class Plan:
    def __init__(self, devices, replicas=1):
        self.devices, self.replicas = devices, replicas
        self.numbers = itertools.count(1)
        self.parts, self.losses = {}, []
        self.programs = {device: [] for device in range(devices)}
        self.loader = make("IRObject", _id=next(self.numbers), name="dataloader", _value=None)

    # ---- tensors
    def full(self, name, shape, attr=False, loss=False, dtype="float32", trained=True):
        """A full tensor; `full._grad` is that of its gradients, if it has some."""
        def one(name, is_grad, grad):
            return make("IRFullTensor", _id=next(self.numbers), name=name, _shape=tuple(shape), _dtype=DTYPES[dtype],
                        _is_attr=attr, _is_grad=is_grad, _requires_grad=trained, _is_loss=loss, _grad=grad)
        return one(name, False, one("g" + name.replace(".", "_"), True, None) if trained else None)

    def part(self, full, *ranges, addend=(0, 1)):
        """Of a full tensor: (start, end) of each dimension, or all of it."""
        key = full._id, ranges or tuple((0, n) for n in full._shape), addend
        if key not in self.parts:
            self.parts[key] = Part(full, key[1], addend, next(self.numbers))
        return self.parts[key]

    def grad(self, part, addend=(0, 1)):
        """The gradient of a part: the same part of the gradients."""
        return self.part(part.full._grad, *part.ranges, addend=addend)

    def value(self, x):
        """What a list of tensors holds: a part, a pair of a part and the gradient of this use, or something else."""
        part, grad = x if isinstance(x, tuple) and isinstance(x[0], Part) else (x, None)
        if not isinstance(part, Part):
            return part
        return make("IRSubTensor", _id=part.number, name=part.full.name, _shape=part.shape, _full_tensor=part.full,
                    _indmap=make("IndexMap", _indices=part.ranges), _valmap=make("ValueMap", _weight=part.addend),
                    _grad=None if grad is None else self.value(grad))

    def values(self, xs):
        return [self.value(x) for x in xs]

    # ---- nodes
    def cell(self, kind, name, device, inputs, outputs, number=None, **attributes):
        return make(kind, _id=number or next(self.numbers), name=name, _device=tuple(device),
                    _inputs=self.values(inputs), _outputs=self.values(outputs), _mirror=None, **attributes)

    def forward(self, device, signature, inputs, outputs, at, text, **kwargs):
        """An operator and its backward: tensors that are given with a gradient have one."""
        path, line = at.split(":")
        node = self.cell("IRDimops", signature.split(".")[-1], [device], inputs, outputs, signature=signature,
                         _kwargs=kwargs, _comment=f'File "checkout/{path}", line {line}, in forward,  {text}')
        grads = [[x[1] for x in xs if isinstance(x, tuple) and isinstance(x[0], Part)] for xs in (outputs, inputs)]
        if grads[0]:
            node._mirror = self.cell("IRBpOperation", "backward", [device], *grads)
            node._mirror._mirror = node
        return node

    def prim(self, device, op, inputs, outputs, **kwargs):
        return make(op + "Prim", _inputs=self.values(inputs), _outputs=self.values(outputs), _device=[device],
                    kwargs=kwargs, signature="nnscaler.runtime." + FUNCTIONS[op])

    def adapter(self, device, inputs, outputs, prims, forward=True, fused=False, number=None):
        return self.cell("IRAdapter", "adapter", [device], inputs, outputs, number, _prims=prims, _forward=forward,
                         _differentiable=fused)

    def fused(self, device, op, x, y, gy, gx, numbers=(None, None), **kwargs):
        """A pair of primitives that are each other's backward: from x to y, from the gradient gy to gx."""
        prims = [self.prim(device, op, [x], [y], **kwargs)]
        there = self.adapter(device, [x], [y], prims, True, True, numbers[0])
        back = self.adapter(device, [gy], [gx], prims, False, True, numbers[1])
        there._mirror, back._mirror = back, there
        return there, back

    def segments(self, nodes, inputs, outputs, back_nodes, grads_in, grads_out, numbers=(None, None)):
        """A segment and its backward."""
        there = self.cell("IRSegment", "segment", [], inputs, outputs, numbers[0], _nodes=nodes)
        back = self.cell("IRSegment", "segment", [], grads_in, grads_out, numbers[1], _nodes=back_nodes)
        there._mirror, back._mirror = back, there
        return there, back

    def batch(self, device, part, number=None):
        return self.cell("IRDataOperation", "dataloader", [device], [self.loader], [part], number)

    # ---- programs
    def run(self, device, cell, inputs=None, outputs=None):
        """A step: the cell itself, or with these tensors instead of its own."""
        if inputs is not None:
            cell = make("ExeReuseCell", _id=next(self.numbers), name=cell.name, _device=(), _cell=cell, _mirror=None,
                        _inputs=self.values(inputs), _outputs=self.values(outputs))
        self.programs[device].append(cell)

    def reduce(self, devices, weights):
        """The weights, with gradients, are summed over these devices and all replicas."""
        cell = self.cell("IRWeightReducer", "reducer", devices, weights, [])
        for device in devices:
            self.programs[device].append(cell)

    def root(self):
        plan = make("ExecutionPlan", _seq=self.programs, _outputs=self.values(self.losses))
        return make("ModuleCodeGen", execplan=plan, devices=tuple(range(self.devices)),
                    runtime_ndevs=self.devices * self.replicas, enable_dp=self.replicas > 1, comm_groups=[])


# ---- the two forms
def pickled(root):
    with standing_in():
        return pickle.dumps(root, protocol=4)


class Neutral:
    """tvr-plan: one record per line, nodes in the order in which programs come to them."""
    KINDS = {"IRDimops": "fw", "IRBpOperation": "bw", "IRAdapter": "adapter", "IRSegment": "segment",
             "IRDataOperation": "data", "IRWeightReducer": "reducer"}

    def __init__(self, root):
        self.root, self.fulls, self.subs, self.nodes, self.known = root, {}, {}, [], {}

    def full(self, x):
        if x._id in self.fulls:
            return x._id
        kind = "grad" if x._is_grad else "activation" if not x._is_attr else "param" if x._requires_grad else "buffer"
        row = self.fulls[x._id] = {"id": x._id, "name": x.name, "shape": list(x._shape), "dtype": x._dtype.name,
                                   "kind": kind}
        if x._is_grad and x._is_attr:
            row["of_param"] = True
        if x._is_loss:
            row["loss"] = True
        row["grad"] = None if x._grad is None else self.full(x._grad)
        return x._id

    def sub(self, x):
        self.subs[x._id] = {"id": x._id, "full": self.full(x._full_tensor),
                            "ind": [list(pair) for pair in x._indmap._indices], "val": list(x._valmap._weight)}
        return x._id

    def value(self, x, grads=False):
        name = type(x).__name__
        if name == "IRSubTensor":
            return {"t": self.sub(x), **({"g": self.sub(x._grad)} if grads and x._grad is not None else {})}
        if name == "IRObject":
            return {"o": x._id}
        if name == "DType":
            return {"global": "torch." + x.name, "args": []}
        return [self.value(v, grads) for v in x] if isinstance(x, (list, tuple)) else int(x) if name == "NumpyInt" else x

    def values(self, xs, grads=False):
        return [self.value(x, grads) for x in xs]

    def source(self, comment):
        path, line = comment.split('"')[1], comment.split(", line ")[1].split(",")[0]
        function, text = comment.split(", in ", 1)[1].split(",  ", 1)
        return {"at": "/".join(path.split("/")[-2:]) + ":" + line, "in": function, "text": text}

    def node(self, x, device):
        kind = self.KINDS[type(x).__name__]
        key = id(x), None if kind == "reducer" else device
        if key in self.known:
            return self.known[key]
        n = self.known[key] = len(self.nodes)
        row = {"n": n, "cid": x._id, "dev": list(x._device), "kind": kind}
        self.nodes.append(row)
        if kind == "fw":
            row.update(op=x.name, sig=x.signature)
        if kind == "adapter":
            row.update(fw=x._forward, diff=x._differentiable)
        row["in"] = self.values(x._inputs, kind in ("fw", "reducer"))
        if kind != "reducer":
            row["out"] = self.values(x._outputs, kind == "fw")
        if kind == "adapter":
            row["prims"] = [{"op": type(p).__name__[:-4], "sig": p.signature, "dev": p._device,
                             "in": self.values(p._inputs), "out": self.values(p._outputs),
                             "kw": {k: self.value(v) for k, v in p.kwargs.items()}} for p in x._prims]
        if kind == "segment":
            row["nodes"] = [self.node(y, device) for y in x._nodes]
            row["fw"] = not any(type(y).__name__ == "IRBpOperation" for y in x._nodes)
        if kind == "fw":
            row.update(kw={k: self.value(v, True) for k, v in x._kwargs.items()}, src=self.source(x._comment))
        if kind in ("fw", "bw", "segment"):
            row["mirror"] = None if x._mirror is None else self.node(x._mirror, device)
        return n

    def program(self, cells, device):
        seen, rows = {}, []
        for cell in cells:
            reused = type(cell).__name__ == "ExeReuseCell"
            inner = cell._cell if reused else cell
            row = {"n": self.node(inner, device), "mb": seen.get(inner._id, 0)}
            seen[inner._id] = row["mb"] + 1
            if reused:
                row.update({"in": self.values(cell._inputs), "out": self.values(cell._outputs)})
            rows.append(row)
        return rows

    def text(self, name):
        plan = self.root.execplan
        outputs = self.values(plan._outputs)
        seq = {str(d): self.program(plan._seq[d], d) for d in self.root.devices}
        line = lambda row: json.dumps(row, separators=(",", ":"))
        rows = lambda xs: "[\n" + ",\n".join(" " + line(x) for x in xs) + "\n]"
        ordered = lambda table: [table[k] for k in sorted(table)]
        members = {"format": line("tvr-plan"), "version": "1", "name": line(name),
                   "plan_devices": str(len(self.root.devices)), "runtime_devices": str(self.root.runtime_ndevs),
                   "outputs": rows(outputs), "full": rows(ordered(self.fulls)), "sub": rows(ordered(self.subs)),
                   "nodes": rows(self.nodes),
                   "seq": "{\n" + ",\n".join(f" {line(d)}:{rows(steps)}" for d, steps in seq.items()) + "\n}"}
        return "{\n" + ",\n".join(f"{line(k)}:{v}" for k, v in members.items()) + "\n}\n"


def neutral(root, name):
    return Neutral(root).text(name)


# ---- a multilayer perceptron: y = x W0^T, z = y W1^T, the loss is the sum of z
DIM = 8
LINEAR, SUM = "torch.nn.functional.linear", "torch.sum"
LAYER, LOSS = ("model/mlp.py:15", "x = layer(x)"), ("model/mlp.py:16", "loss = torch.sum(x)")


def weights(p, dim):
    return [p.full(f"layers.{k}.weight", (dim, dim), attr=True) for k in range(2)]


def mlp_sequential(rows=16, dim=DIM):
    """On one device."""
    p = Plan(1)
    w = [p.part(x) for x in weights(p, dim)]
    x, y, z = (p.part(p.full(name, (rows, dim))) for name in ("data", "linear", "linear_1"))
    loss = p.part(p.full("sum_1", (1,), loss=True))
    with_grad = lambda t: (t, p.grad(t))
    nodes = [p.forward(0, LINEAR, [with_grad(x), with_grad(w[0])], [with_grad(y)], *LAYER, bias=None),
             p.forward(0, LINEAR, [with_grad(y), with_grad(w[1])], [with_grad(z)], *LAYER, bias=None),
             p.forward(0, SUM, [with_grad(z)], [with_grad(loss)], *LOSS)]
    there, back = p.segments(nodes, [x], [loss], [n._mirror for n in reversed(nodes)], [p.grad(loss)], [])
    for cell in (p.batch(0, x), there, back):
        p.run(0, cell)
    p.losses = [loss]
    return p.root()


def mlp_parallel(rows=16, replicas=2, microbatches=2, swap=False, dim=DIM):
    """The same over two stages of two devices each: the rows of W0 are cut, the columns of W1 are; the tensor between
    the stages is sent in halves.  swap: each half goes to the device of the other, as index maps allow and ranks do not."""
    p = Plan(4, replicas)
    n, half = rows // (replicas * microbatches), dim // 2
    w0, w1 = weights(p, dim)
    x, y, z = (p.part(p.full(name, (n, dim))) for name in ("data", "linear", "linear_1"))
    loss = p.part(p.full("sum_1", (1,), loss=True))
    later = [[p.part(p.full(t.full.name, t.shape, loss=t is loss)) for t in (x, y, loss)] for _ in range(microbatches - 1)]
    xs, ys, p.losses = (list(ts) for ts in zip((x, y, loss), *later))
    gx, gy, gz, gloss = (p.grad(t) for t in (x, y, z, loss))
    gxs, gys, glosses = ([p.grad(t) for t in ts] for ts in (xs, ys, p.losses))
    cut = [(0, half), (half, dim)]
    numbers = [[next(p.numbers), next(p.numbers)] for _ in range(9)]  # of nodes and their mirrors, the same on all devices
    first_ids, second_ids, copy_ids, gather_ids, split_ids, sum_ids, send_ids, tell_ids, load_ids = numbers
    sent = {"shape": (n, NumpyInt(half)), "dtype": "torch.float32"}
    told = {"shape": (1,), "dtype": "torch.float32"}
    for r in range(2):
        a, b, one, two = r, r + 2, [0, 1], [2, 3]
        to = 1 - r if swap else r
        part, came = p.part(y.full, (0, n), cut[r]), p.part(y.full, (0, n), cut[to])
        gpart, gcame = p.grad(part), p.grad(came)
        # the first stage: the gradient of x is a sum over both devices
        v, gx_r = p.part(w0, cut[r], (0, dim)), p.grad(x, addend=(r, 2))
        copy, copy_back = p.fused(a, "IdentityAllreduce", x, x, gx_r, gx, copy_ids, ranks=one)
        linear = p.forward(a, LINEAR, [(x, gx_r), (v, p.grad(v))], [(part, gpart)], *LAYER, bias=None)
        gather, gather_back = p.fused(a, "AllGatherSplit", part, y, gy, gpart, gather_ids, dim=1, ranks=one)
        first, first_back = p.segments([copy, linear, gather], [x], [y], [gather_back, linear._mirror, copy_back],
                                       [gy], [gx], first_ids)
        # the second: z is a sum over both devices
        u, z_r = p.part(w1, (0, dim), cut[r]), p.part(z.full, addend=(r, 2))
        split, split_back = p.fused(b, "SplitAllGather", y, part, gpart, gy, split_ids, dim=1, ranks=two)
        linear = p.forward(b, LINEAR, [(part, gpart), (u, p.grad(u))], [(z_r, gz)], *LAYER, bias=None)
        total, total_back = p.fused(b, "AllReduceIdentity", z_r, z, gz, gz, sum_ids, ranks=two)
        end = p.forward(b, SUM, [(z, gz)], [(loss, gloss)], *LOSS)
        second, second_back = p.segments([split, linear, total, end], [y], [loss],
                                         [end._mirror, total_back, linear._mirror, split_back], [gloss], [gy], second_ids)
        # between them
        send = p.adapter(a, [y], [], [p.prim(a, "Chunk", [y], [part], dim=1, ranks=one),
                                      p.prim(a, "Move", [part], [], **sent, src=a, dst=to + 2)], number=send_ids[0])
        receive = p.adapter(b, [], [y], [p.prim(b, "Move", [], [came], **sent, src=to, dst=b),
                                         p.prim(b, "AllGather", [came], [y], dim=1, ranks=two)], number=send_ids[0])
        send_back = p.adapter(b, [gy], [], [p.prim(b, "Chunk", [gy], [gpart], dim=1, ranks=two),
                                            p.prim(b, "Move", [gpart], [], **sent, src=b, dst=to)], False,
                              number=send_ids[1])
        receive_back = p.adapter(a, [], [gy], [p.prim(a, "Move", [], [gcame], **sent, src=to + 2, dst=a),
                                               p.prim(a, "AllGather", [gcame], [gy], dim=1, ranks=one)], False,
                                 number=send_ids[1])
        tell = p.adapter(b, [loss], [loss], [p.prim(b, "Move", [loss], [], **told, src=b, dst=a)], number=tell_ids[0])
        learn = p.adapter(a, [], [loss], [p.prim(a, "Move", [], [loss], **told, src=b, dst=a)], number=tell_ids[0])
        load = p.batch(a, x, load_ids[0])
        # a device sends or receives at a time: the first stage is one microbatch ahead
        for k in range(microbatches + 1):
            if k < microbatches:
                p.run(a, load, [p.loader], [xs[k]])
                p.run(a, first, [xs[k]], [ys[k]])
                p.run(a, send, [ys[k]], [])
                p.run(b, receive, [], [ys[k]])
            if k > 0:
                p.run(a, receive_back, [], [gys[k - 1]])
                p.run(a, first_back, [gys[k - 1]], [gxs[k - 1]])
                p.run(b, send_back, [gys[k - 1]], [])
            if k < microbatches:
                p.run(b, second, [ys[k]], [p.losses[k]])
                p.run(b, second_back, [glosses[k]], [gys[k]])
        for k in range(microbatches):
            p.run(a, learn, [], [p.losses[k]])
            p.run(b, tell, [p.losses[k]], [p.losses[k]])
        p.reduce([a], [(v, p.grad(v))])
        p.reduce([b], [(u, p.grad(u))])
    return p.root()


# ---- three layers, the first and the last of which are one parameter
def tied(stages, rows=4, devices=1, shared=True):
    """The layers over as many stages, of as many devices that all do the same.  shared: the gradients of the parameter
    that two stages have are summed."""
    p = Plan(stages * devices)
    first, between = (p.full(f"layers.{k}.weight", (DIM, DIM), attr=True) for k in range(2))
    names = ("data", "linear", "linear_1", "linear_2")
    parts = [p.part(p.full(name, (rows, DIM))) for name in names]
    loss = p.part(p.full("sum_1", (1,), loss=True))
    sent = {"shape": (rows, DIM), "dtype": "torch.float32"}
    layers = list(zip(parts, (first, between, first), parts[1:]))
    for stage in range(stages):
        mine = layers[stage * 3 // stages : (stage + 1) * 3 // stages]
        for t in range(devices):
            d = stage * devices + t
            before, after = d - devices, d + devices
            nodes = []
            for k, (x, w, y) in enumerate(mine):
                v = p.part(w)
                use = p.grad(v, addend=(stage + k, 3)) if w is first else p.grad(v)
                nodes.append(p.forward(d, LINEAR, [(x, p.grad(x)), (v, use)], [(y, p.grad(y))], *LAYER, bias=None))
            x, y = mine[0][0], mine[-1][2]
            if stage == stages - 1:
                nodes.append(p.forward(d, SUM, [(y, p.grad(y))], [(loss, p.grad(loss))], *LOSS))
                y = loss
            there, back = p.segments(nodes, [x], [y], [n._mirror for n in reversed(nodes)], [p.grad(y)], [p.grad(x)])
            if stage == 0:
                p.run(d, p.batch(d, x))
            else:
                p.run(d, p.adapter(d, [], [x], [p.prim(d, "Move", [], [x], **sent, src=before, dst=d)]))
            p.run(d, there)
            if stage < stages - 1:
                g = p.grad(y)
                p.run(d, p.adapter(d, [y], [], [p.prim(d, "Move", [y], [], **sent, src=d, dst=after)]))
                p.run(d, p.adapter(d, [], [g], [p.prim(d, "Move", [], [g], **sent, src=after, dst=d)], False))
            p.run(d, back)
            if stage > 0:
                g = p.grad(x)
                p.run(d, p.adapter(d, [g], [], [p.prim(d, "Move", [g], [], **sent, src=d, dst=before)], False))
    for t in range(devices if stages > 1 and shared else 0):
        v = p.part(first)
        p.reduce([t, (stages - 1) * devices + t], [(v, p.grad(v, addend=(0, 3)))])
    p.losses = [loss]
    return p.root()


# ---- one layer
def one_layer(devices=1, rows=4):
    """Over devices: rows are cut, and exchanged for columns, as those of W are."""
    p = Plan(devices)
    w = p.full("layers.0.weight", (DIM, DIM), attr=True)
    x, y = (p.part(p.full(name, (rows, DIM))) for name in ("data", "linear"))
    loss = p.part(p.full("sum_1", (1,), loss=True))
    gx, gy, gloss = (p.grad(t) for t in (x, y, loss))
    everyone = list(range(devices))
    for d in everyone:
        n, m = rows // devices, DIM // devices
        nodes, back = [], []

        def both(pair):
            nodes.append(pair[0])
            back.insert(0, pair[1])
        v, part = p.part(w), x
        gpart, sum_of = gx, y
        if devices > 1:
            row, column = (p.part(x.full, *at) for at in (((d * n, d * n + n), (0, DIM)), ((0, rows), (d * m, d * m + m))))
            v = p.part(w, (0, DIM), (d * m, d * m + m))
            part, gpart, sum_of = column, p.grad(column), p.part(y.full, addend=(d, devices))
            both(p.fused(d, "SplitAllGather", x, row, p.grad(row), gx, (901, 902), dim=0, ranks=everyone))
            both(p.fused(d, "AllToAllAllToAll", row, column, gpart, p.grad(row), (903, 904), idim=0, odim=1,
                         ranks=everyone))
        linear = p.forward(d, LINEAR, [(part, gpart), (v, p.grad(v))], [(sum_of, gy)], *LAYER, bias=None)
        both((linear, linear._mirror))
        if devices > 1:
            both(p.fused(d, "AllReduceIdentity", sum_of, y, gy, gy, (905, 906), ranks=everyone))
        end = p.forward(d, SUM, [(y, gy)], [(loss, gloss)], *LOSS)
        both((end, end._mirror))
        there, again = p.segments(nodes, [x], [loss], back, [gloss], [gx])
        for cell in (p.batch(d, x), there, again):
            p.run(d, cell)
    p.losses = [loss]
    return p.root()


PLANS = {"mlp": mlp_sequential, "mlp-dp2-pp2-tp2": mlp_parallel, "mlp-swapped": lambda: mlp_parallel(swap=True),
         "tied": lambda: tied(1), "tied-pp3": lambda: tied(3), "tied-pp3-alone": lambda: tied(3, shared=False),
         "tied-pp3-tp2": lambda: tied(3, devices=2), "one": one_layer, "one-tp2": lambda: one_layer(2),
         "large": lambda: mlp_sequential(65536, 4096),
         "large-dp512-swapped": lambda: mlp_parallel(65536, 512, 8, True, 4096)}


# ---- broken on purpose: what is changed in the JSON of mlp-dp2-pp2-tp2, as in plans that went wrong
def adapters(plan, op, device):
    return [n for n in plan["nodes"] if n["kind"] == "adapter" and n["dev"] == [device] and n["prims"][0]["op"] == op]


def no_sum(plan):
    """The all-reduce of the second stage is an identity: the loss stays a part of the sum."""
    for device in (2, 3):
        for n in adapters(plan, "AllReduceIdentity", device):
            n["prims"][0]["op"] = "IdentityAllreduce"


def unmade(plan):
    """The all-reduce is gone: nothing makes what the next operator reads."""
    for device in (2, 3):
        for n in adapters(plan, "AllReduceIdentity", device):
            n["prims"] = []


def shape(plan):
    """An all-reduce where the pieces are to be put together."""
    for device in (0, 1):
        for n in adapters(plan, "AllGatherSplit", device):
            n["prims"][0].update(op="AllReduceIdentity", kw={"ranks": [0, 1]})


def waits(plan):
    """Device 0 lacks the last backward segment: device 1 waits for it."""
    steps = plan["seq"]["0"]
    last = [s for s in steps if plan["nodes"][s["n"]]["kind"] == "segment"][-1]
    steps.remove(last)


BROKEN = {"mlp-no-sum": no_sum, "mlp-unmade": unmade, "mlp-shape": shape, "mlp-waits": waits}


def broken(name):
    plan = json.loads(neutral(mlp_parallel(), name))
    BROKEN[name](plan)
    return "{\n" + ",\n".join(
        json.dumps(key) + ":" + ("[\n" + ",\n".join(" " + json.dumps(row, separators=(",", ":")) for row in value) + "\n]"
                                if isinstance(value, list) else json.dumps(value, separators=(",", ":")))
        for key, value in plan.items()) + "\n}\n"


# Those that examples/plan shows, by path there.
EXAMPLES = {"seq": "mlp", "dist": "mlp-dp2-pp2-tp2", "broken/halves-exchanged/dist": "mlp-swapped",
            "broken/loss-not-summed/dist": "mlp-no-sum", "broken/device-left-behind/dist": "mlp-waits"}


def write_examples(folder):
    for path, name in EXAMPLES.items():
        (folder / f"{path}.json").write_text(broken(name) if name in BROKEN else neutral(PLANS[name](), name))


def write(folder):
    for name in BROKEN:
        (folder / f"{name}.json").write_text(broken(name))
    for name, plan in PLANS.items():
        root = plan()
        (folder / f"{name}.json").write_text(neutral(root, name))
        (folder / f"{name}.pkl").write_bytes(pickled(root))


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
    write_examples(pathlib.Path(__file__).parents[2] / "examples" / "plan")
