"""step: one execution of the user's program on the tensors of one rank.

Runs in a process of its own, which plays one rank only: DTensor keeps a rank's slices in caches.  Parameters, buffers,
optimizer state and arguments are flat local tensors outside; inside the traced function they are put back where the
program expects them, DTensors with their layouts.
"""
import collections
import math

import torch
import torch.distributed as dist
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.distributed.fsdp import FullyShardedDataParallel
from torch.distributed.tensor import DTensor

from . import collectives, ddp, dtensor, flex, fsdp, graph, held, pipeline, relation, trace, zero

NOT_NEGATIVE = {"exp_avg_sq", "max_exp_avg_sq", "square_avg", "sum", "acc_delta", "exp_inf", "running_var"}
FEW = 1 << 16                                                            # elements of a buffer that is kept by value


class Slot:
    """A flat input: its name, where the program keeps it, and how the rank's part comes from the whole."""

    def __init__(self, name, tensor, holders=(), fqn=None, where=None, kind="argument", assume=None):
        self.name, self.holders, self.fqn, self.kind, self.assume = name, holders, fqn, kind, assume
        self.spec = tensor._spec if isinstance(tensor, DTensor) else None
        local = tensor._local_tensor if self.spec else tensor
        self.shape, self.dtype, self.where = list(local.shape), local.dtype, where
        self.grad = tensor.requires_grad
        few = kind == "buffer" and not local.is_meta and local.numel() <= FEW
        self.values = local.detach().clone() if few else None
        self.tensor = tensor if holders else None        # the one that the program was made with

    def inside(self, flat):
        """The tensor that the program sees."""
        if self.spec:
            x = DTensor(flat, self.spec, requires_grad=self.grad)
        else:
            x = flat.requires_grad_() if self.grad else flat
        if self.kind == "parameter":
            x._is_param = True                           # isinstance(x, torch.nn.Parameter)
        if self.holders:
            held.carry(self.tensor, x)
        for table, key in self.holders:
            table[key] = x
        return x


def tensors_of(model, kind):
    """[(name, tensor, [(table, key)])]: a tensor that several modules hold is listed once, under its first name."""
    found = {}
    for prefix, module in ddp.names(model):
        table = module._parameters if kind == "parameter" else module._buffers
        for key, x in table.items():
            if x is not None:
                name = f"{prefix}.{key}" if prefix else key
                found.setdefault(id(x), (name, x, []))[2].append((table, key))
    return list(found.values())


def state(model):
    """Buffers that begin as zeros or ones and go into checkpoints: what they hold later is not known."""
    found = set()
    for _, m in ddp.names(model):
        for key in m._buffers.keys() - m._non_persistent_buffers_set:
            x = getattr(m._buffers[key], "_local_tensor", m._buffers[key])
            if x is not None and x.is_floating_point() and not x.is_meta and x.numel() > 1 and (not x.any() or x.eq(1).all()):
                found.add(id(m._buffers[key]))
    return found


def not_negative(key):
    return {"range": [0, None]} if key in NOT_NEGATIVE else None


def flatten(x, name):
    """[(name, leaf)] of what a step returns."""
    if isinstance(x, dict):
        return [leaf for k, v in x.items() for leaf in flatten(v, str(k) if name == "out" else f"{name}.{k}")]
    if isinstance(x, (list, tuple)):
        return [leaf for k, v in enumerate(x) for leaf in flatten(v, f"{name}[{k}]")]
    return [] if x is None else [(name, x)]


def differ(names, what, how):
    """One of two things with one name would not be compared."""
    twice = [name for name, n in collections.Counter(names).items() if n > 1]
    if twice:
        raise ValueError(f"two {what} are called '{twice[0]}': {how}")


def refuse(model):
    """Wrappers that reduce gradients outside autograd and the dispatcher: their graph would lack it."""
    for m in model.modules():
        if isinstance(m, (FullyShardedDataParallel, torch.nn.DataParallel)):
            raise ValueError(f"{type(m).__name__} works outside the operators that can be captured: use fully_shard, or "
                             f"reduce the gradients in the step")
    ddp.refuse(model)


class Side:
    """The sequential program, or one rank of the distributed one."""

    def __init__(self, program, rank=None):
        self.program, self.rank, self.mesh = program, rank, {} if rank is None else program.mesh
        self.at = graph.coordinate(self.mesh, rank or 0)
        self.device_mesh = self.model = None
        self.counts, self.state = {}, None               # state of the optimizer: that is kept by value, all of it
        self.outputs = {}                                # name -> Place, as far as the tensors say it
        torch.manual_seed(0)
        sizes = tuple(1 if rank is None else n for n in program.mesh.values())   # one device: a mesh of one
        dist.init_process_group("fake", rank=rank or 0, world_size=math.prod(sizes))
        self.device_mesh = dist.device_mesh.init_device_mesh("cpu", sizes, mesh_dim_names=tuple(program.mesh))
        collectives.prepare()
        ddp.prepare()
        pipeline.prepare()
        flex.prepare()
        dtensor.prepare()
        if program.model is not None:
            self.model = program.model() if not isinstance(program.model, torch.nn.Module) else program.model
            if rank is not None and program.parallelize:
                made = program.parallelize(self.model, self.device_mesh)
                self.model = self.model if made is None else made
            refuse(self.model)
        self.slots = self.arguments() + self.held()
        for s in self.slots:
            if s.name in program.inputs and s.kind != "argument":
                raise ValueError(f"the input '{s.name}' has the name of a {s.kind} of the model: call it something else")
        differ([s.name for s in self.slots], "inputs", "parameters and buffers have their names in the model, without those of "
               "wrappers, the state of an optimizer is KEY.NAME")

    def arguments(self):
        slots = []
        for name, x in self.program.inputs.items():
            where = relation.place(relation.matching(self.program.placements, name) or {}).on(self.program.mesh, name)
            shape = list(x.shape) if self.rank is None else where.local_shape(name, x.shape, self.mesh, self.at)
            local = torch.empty(shape, dtype=x.dtype, device="meta", requires_grad=x.requires_grad)
            slots.append(Slot(name, local, where=where, assume=self.program.assume.get(name)))
        return slots

    def held(self):
        """Parameters and buffers of the model, and the state of the optimizer."""
        slots, begun = [], state(self.model) if self.model is not None else ()
        reduced = {id(p) for p in ddp.reduced(self.model)} if self.model is not None else ()
        for kind in ("parameter", "buffer") if self.model is not None else ():
            for name, x, holders in tensors_of(self.model, kind):
                if isinstance(x, DTensor):
                    where = relation.of_dtensor(x._spec, self.mesh)
                else:
                    where = relation.matching(self.program.placements, name)
                    where = relation.place(where).on(self.program.mesh, name) if where is not None else None
                assume = self.program.assume.get(name) or not_negative(holders[0][1])
                held.refuse(name, x, id(x) in reduced)
                slots.append(Slot(name, x, holders, name, where, kind, assume))
                if id(x) in begun:
                    slots[-1].values = None
        trained = [p for p in slots if p.kind == "parameter" and p.grad]
        if not self.program.optimizer or not trained:
            return slots
        here = zero.owned(self.program.optimizer, [p.shape for p in trained])
        return slots + [s for p, own in zip(trained, here) if own for s in self.state_of(p)]

    def state_of(self, p):
        """Optimizer state as inputs: what steps of the optimizer on a small parameter of as many dimensions leave behind.

        State that is no tensor like the parameter, such as the number of steps, is kept by value.
        """
        small = torch.zeros(tuple(range(2, 2 + len(p.shape))) if len(p.shape) > 1 else 1, requires_grad=True)
        small.grad = torch.zeros_like(small)
        optimizer = zero.plain(self.program.optimizer([small]), [small])
        for _ in range(max(self.program.optimizer_step, 1)):
            optimizer.step()
        slots = []
        for key, x in optimizer.state[small].items():
            if isinstance(x, torch.Tensor) and x.numel() > 1 and x.shape != small.shape:
                raise ValueError(f"the optimizer's state '{key}' of '{p.name}' has not the shape of the parameter: it cannot be "
                                 f"made an input; write the optimizer's step with that state as an input of the step")
            if not isinstance(x, torch.Tensor) or x.shape != small.shape:
                self.counts[key] = (x.tolist(), x.dtype) if isinstance(x, torch.Tensor) else (x, None)
            else:
                x = torch.empty(p.shape, dtype=p.dtype, device="meta")
                x = DTensor(x, p.spec, requires_grad=False) if p.spec else x
                slots.append(Slot(f"{key}.{p.name}", x, (), None, p.where, "state", not_negative(key)))
                slots[-1].of, slots[-1].key = p.name, key
        return slots

    def make_optimizer(self, seen):
        parameters = {s.name: seen[s.name] for s in self.slots if s.kind == "parameter" and s.grad}
        optimizer = self.program.optimizer(list(parameters.values()))
        for name, p in parameters.items():
            state = {s.key: seen[s.name] for s in self.slots if s.kind == "state" and s.of == name}
            if state:
                made = {k: torch.tensor(x, dtype=t) if t else x for k, (x, t) in self.counts.items()}
                zero.holder(optimizer).state[p] = {**made, **state}
        self.state = zero.holder(optimizer).state
        return optimizer

    def call(self, seen):
        step = self.program.sequential if self.rank is None else self.program.distributed or self.program.sequential
        given = {name: seen[name] for name in self.program.inputs}
        names = step.__code__.co_varnames[:step.__code__.co_argcount] if hasattr(step, "__code__") else ()
        if "mesh" in names and "mesh" not in given:
            given["mesh"] = self.device_mesh
        if self.program.optimizer:
            given["optimizer"] = self.make_optimizer(seen)
        return step(**given) if self.model is None else step(self.model, **given)

    def run(self, *flat):
        """Flat tensors in, flat tensors out: results, gradients, then every input as it is at the end."""
        seen = {s.name: s.inside(x) for s, x in zip(self.slots, flat)}
        if self.model is not None:
            fsdp.follow(self.model)
            ddp.follow(self.model, self.where)
        self.guard.close()
        before = self.attributes()
        results = flatten(self.call(seen), "out")
        after = self.attributes()
        exchanged = [name for name, x in before.items() if after.get(name) is not x]
        if exchanged:
            raise ValueError(f"the step puts another tensor in the place of the attribute '{exchanged[0]}', which nothing would "
                             f"be compared with: make it a buffer of the model")
        if self.model is not None:
            self.untouched = ddp.finished(self.model)
        for s in self.slots:
            if s.kind == "state":                        # which an optimizer may put in the place of the one it had
                s.holders = [(self.state[seen[s.of]], s.key)]
            x = seen[s.name]
            if s.grad or x.requires_grad:
                results.append(("grad." + s.name, self.gradient(s, x)))
        results += [("new." + s.name, self.last(s, seen[s.name])) for s in self.slots] + self.made(seen)
        self.names = [name for name, _ in results]
        differ(self.names, "outputs", "what a step returns is called after its keys there, gradients and changed inputs are "
               "grad.NAME and new.NAME")
        return [self.local(name, x) for name, x in results]

    def last(self, s, x):
        """What stands at the end where x stood: `model.buffer = y` puts another tensor there."""
        now = [table.get(key) for table, key in s.holders if not (s.kind == "parameter" and fsdp.shards(self.model))] or [x]
        if s.kind == "parameter" and any(y is not x for y in now):
            raise ValueError(f"the step puts another tensor in the place of the parameter '{s.name}', which an optimizer does not "
                             f"know: write into it, as in `with torch.no_grad(): p.copy_(y)`")
        if any(y is not now[0] for y in now) or not isinstance(now[0], torch.Tensor):
            raise ValueError(f"the step takes the {s.kind} '{s.name}' away from where it is, or leaves others with what was "
                             f"there: write into it, as in buffer.copy_(y)")
        return now[0]

    def attributes(self):
        """Tensors of the model that are neither parameters nor buffers."""
        return {f"{path}.{key}".lstrip("."): x for path, m in (self.model.named_modules() if self.model is not None else ())
                for key, x in vars(m).items() if isinstance(x, torch.Tensor)}

    def made(self, seen):
        """Parameters and buffers that were not there when the step began, and state that is no tensor like its parameter."""
        held_before = {(id(table), key) for s in self.slots for table, key in s.holders}
        tables = [(prefix, table) for prefix, m in (ddp.names(self.model) if self.model is not None else ())
                  for table in (m._parameters, m._buffers)]
        found = [(f"new.{prefix}.{key}" if prefix else f"new.{key}", x)
                 for prefix, table in tables for key, x in table.items() if (id(table), key) not in held_before]
        for s in self.slots if self.state is not None else ():
            if s.kind == "parameter" and s.grad:
                table = self.state[seen[s.name]]
                found += [(f"new.{key}.{s.name}", x) for key, x in table.items() if (id(table), key) not in held_before]
        return [(name, x) for name, x in found if isinstance(x, torch.Tensor)]

    def gradient(self, s, x):
        """The gradient in the layout of its tensor, as an optimizer reads it; none counts as zero."""
        if x.grad is None:
            self.without.append("grad." + s.name)
            return torch.zeros_like(x)
        if s.spec and x.grad._spec.placements != s.spec.placements:
            return x.grad.redistribute(placements=s.spec.placements)
        return x.grad

    def local(self, name, x):
        if not isinstance(x, torch.Tensor):
            raise ValueError(f"'{name}' is returned and is no tensor: {x!r}")
        if isinstance(x, DTensor):
            self.outputs[name] = relation.of_dtensor(x._spec, self.mesh)
            return x._local_tensor
        return x

    def capture(self):
        self.where = where = trace.Where(self.program.root)
        alike = ddp.alike(self.model) if self.model is not None else {}
        if self.model is not None:
            where.known(self.model)
        self.untouched = []
        self.without, self.guard = [], held.Guard(self.slots)
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            flat = [torch.empty(s.shape, dtype=s.dtype) for s in self.slots]
        module = trace.record(self.run, flat, where, self.program.decompositions, self.guard)
        groups = graph.Groups(self.mesh, self.rank or 0)
        ddp.settle(module, self.common(module), origin)
        outputs = self.changed(module)
        constants = {s.name: s.values for s in self.slots if s.values is not None and "new." + s.name not in outputs}
        self.guard.check(constants)
        g = graph.written(module, [(s.name, s.fqn) for s in self.slots], outputs, groups, constants)
        slots = {s.name: s for s in self.slots if s.name not in constants}
        grads = {prefix + s.name: s.where for s in self.slots if not s.spec for prefix in ("grad.", "new.")}
        return {"graph": g, "groups": groups.used, "without": sorted(set(self.without)),
                "untouched": self.untouched,
                "alike": {s.name: (alike[id(s.tensor)], graph.values(s.values)) for s in self.slots
                          if id(s.tensor) in alike and s.name in constants},
                "inputs": {s.name: (s.where, s.shape, s.kind, s.assume) for s in slots.values()},
                "outputs": {name: self.outputs.get(name) or grads.get(name) for name in outputs}}

    def common(self, module):
        """Inputs that are buffers and the same on all ranks."""
        return {node for s, node in zip(self.slots, module.graph.nodes) if s.kind == "buffer" and
                (s.where is None or all(p == "R" for p in s.where.along.values()))}

    def changed(self, module):
        """Names of the outputs; inputs that are the same at the end are taken out of the graph's results."""
        nodes = list(module.graph.nodes)
        output, places = nodes[-1], dict(zip(("new." + s.name for s in self.slots), nodes))
        known = counted(nodes)
        kept = [(name, node) for name, node in zip(self.names, output.args[0])
                if not (origin(node) is places[name] if name in places else name.startswith("new.") and node in known)]
        output.args = ([node for _, node in kept],)
        return [name for name, _ in kept]


def counted(nodes):
    """Those that depend on no input, such as a number of steps."""
    known = set()
    for n in nodes:
        if n.op != "placeholder" and known.issuperset(n.all_input_nodes):
            known.add(n)
    return known


def origin(node):
    """The node with the same values, seen through larger tensors they were written into and read back from
    (`fully_shard` pads short shards)."""
    while node.op == "call_function":
        before = whence(node, str(node.target), node.args)
        if before is None:
            break
        node = before
    return node


def whence(node, op, args):
    """The node whose values an operator passes on as they are; None: there is none."""
    if op in ("aten.detach.default", "aten.alias.default"):
        return args[0]
    if op == "aten.copy.default":
        to, x = (a.meta["val"] for a in args[:2])
        return args[1] if (to.shape, to.dtype) == (x.shape, x.dtype) else None
    written = args[0] if op == "aten.slice.Tensor" else None
    if written is None or str(getattr(written, "target", "")) != "aten.slice_scatter.default":
        return None
    return written.args[1] if span(written, args[1:]) == span(written, written.args[2:]) else None


def span(tensor, given):
    dim, start, end, step = (*given, *(0, 0, None, 1)[len(given):])
    size = tensor.meta["val"].shape[dim]
    return dim % tensor.meta["val"].dim(), *slice(start, end, step).indices(size)
