"""trace: what one rank executes, as a graph of ATen operators and functional collectives.

`run` is executed once on fake tensors below autograd, so that the graph holds forward, backward and optimizer alike; a
second pass over that graph makes in-place operators functional.  Every node keeps the innermost line of the user's
program that led to it, the module it runs in, and its phase.  A node of the backward pass has no such line: it takes
that of the forward operator its autograd node was made by (their sequence numbers agree).
"""
import contextlib
import functools
import os
import re
import sys
import sysconfig

import torch
import typing_extensions
from torch.fx.experimental import proxy_tensor
from torch.nn.modules import module as nn_module
from torch.utils._python_dispatch import is_traceable_wrapper_subclass_type
from torch.utils._pytree import tree_leaves

from . import ddp, flex, fused, written
from .collectives import Functional

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
PACKAGES = {sysconfig.get_paths()[k] + os.sep for k in ("purelib", "platlib")}
WRAPPERS = os.path.abspath(typing_extensions.__file__)   # @deprecated: a function of the user's or of PyTorch's is behind
OPTIMIZER = (TORCH + "optim" + os.sep, os.path.join(TORCH, "nn", "utils", "clip_grad.py"))
ENGINE = "_engine_run_backward"
CALLERS = 6


class Where:
    """Line, module and phase of the operator that is being traced."""

    def __init__(self, root):
        self.root = os.path.join(os.path.abspath(root), "")
        self.modules = []                                # path of every module that is running, outermost first
        self.names = {}                                  # id of a module -> its path
        self.forward = {}                                # sequence number of an autograd node -> (lines, module)
        self.last = ([], None)                           # of the backward pass
        self.mark = None                                 # what nodes made now have besides
        self.kept = None                                 # second pass: the meta data of the node that is replayed

    def known(self, model):
        self.names |= {id(m): name for name, m in ddp.names(model)}

    def file(self, path):
        path = os.path.abspath(path)
        for base in (self.root, *PACKAGES):
            if path.startswith(base):
                return path[len(base):]
        return os.path.basename(path)

    def user(self, path):
        if path == WRAPPERS:
            return False
        if any(path.startswith(p) for p in PACKAGES):
            return not path.startswith((TORCH, HERE))
        return not path.startswith((TORCH, HERE, STDLIB, "<"))

    def stack(self):
        """Lines of the user's, innermost first, as far as autograd has not called them; and the phase.

        What the engine of autograd was called from says nothing about an operator of the backward pass.
        """
        frame, lines, phase = sys._getframe(2), [], "fwd"
        while frame:
            path, name = frame.f_code.co_filename, frame.f_code.co_name
            if path.startswith(HERE) and name == "record":
                break
            if name == ENGINE:
                return lines, "bwd"
            if phase == "fwd" and path.startswith(OPTIMIZER):
                phase = "opt"
            if len(lines) < CALLERS and self.user(path):
                lines.append(f"{self.file(path)}:{frame.f_lineno}")
            frame = frame.f_back
        return lines, phase

    def meta(self):
        """Of a node made now."""
        if self.kept is not None:
            return self.kept
        lines, phase = self.stack()
        module = self.modules[-1] if self.modules else None
        if phase == "bwd":
            node = torch._C._current_autograd_node()
            self.last = self.forward.get(node._sequence_nr() if node is not None else None, self.last)
            lines, module = lines + self.last[0], module or self.last[1]
        else:
            self.forward.setdefault(torch.autograd._get_sequence_nr() - 1, (lines, module))
        return {"at": lines[0] if lines else None, "callers": lines[1:], "module": module, "phase": phase,
                **({self.mark: True} if self.mark else {})}

    @contextlib.contextmanager
    def marked(self, mark):
        self.mark, before = mark, self.mark
        try:
            yield
        finally:
            self.mark = before

    # ---- hooks
    def enter(self, module, _inputs):
        outer = self.modules[-1] if self.modules else None
        self.modules.append(self.names.get(id(module), outer))

    def leave(self, _module, _inputs, _outputs):
        self.modules.pop()

    @contextlib.contextmanager
    def watched(self):
        """Nodes made meanwhile get their meta data, modules are followed."""
        plain = proxy_tensor.PythonKeyTracer.create_node

        def create_node(tracer, kind, *args, **kwargs):
            node = plain(tracer, kind, *args, **kwargs)
            if kind == "call_function":
                node.meta["tvr"] = self.meta()
            return node

        hooks = [nn_module.register_module_forward_pre_hook(self.enter),
                 nn_module.register_module_forward_hook(self.leave, always_call=True)]
        proxy_tensor.PythonKeyTracer.create_node = create_node
        try:
            yield
        finally:
            proxy_tensor.PythonKeyTracer.create_node = plain
            for hook in hooks:
                hook.remove()


class Replay(torch.fx.Interpreter):
    """Executes a graph again; nodes that result keep the meta data of the node they come from."""

    def __init__(self, graph, where):
        super().__init__(graph)
        self.where = where
        self.where.kept = {}

    def run_node(self, n):
        self.where.kept = n.meta.get("tvr", self.where.kept)
        return super().run_node(n)


def in_place(graph):
    """Operators that write into an argument and whose result is used."""
    schema = lambda n: getattr(n.target, "_schema", None)
    return [n for n in graph.graph.nodes
            if n.op == "call_function" and schema(n) is not None and schema(n).is_mutable and n.users]


def mutates(graph):
    schema = lambda n: getattr(n.target, "_schema", None)
    return any(n.op == "call_function" and schema(n) is not None and schema(n).is_mutable for n in graph.graph.nodes)


def warm_up():
    """Loads what tracing needs; the processes of the ranks then start with it.  No gradient is taken here: where there
    are devices, PyTorch starts threads for it, and refuses gradients in every process that is forked thereafter."""
    import torch._dynamo                                 # noqa: F401 (the optimizers load it)
    w = torch.ones(2, requires_grad=True)
    torch.optim.AdamW([w], foreach=False)
    proxy_tensor.make_fx(lambda x: (x * x).sum(), table(), "fake")(w)


def each(op):
    """A `_foreach_` operator, written with the operator that it applies to every tensor of its lists."""
    name = op._schema.name.split("::_foreach_")[1].rstrip("_")
    if name in ("norm", "copy", "clamp_max", "clamp_min", "maximum", "minimum"):
        one = {"norm": lambda x, ord=2, dtype=None: torch.linalg.vector_norm(x, ord, dtype=dtype),
               "copy": lambda x, y, *_: y.to(x.dtype).expand_as(x).clone(),
               "maximum": lambda x, y: torch.clamp(x, min=y), "clamp_min": lambda x, y: torch.clamp(x, min=y),
               "minimum": lambda x, y: torch.clamp(x, max=y), "clamp_max": lambda x, y: torch.clamp(x, max=y)}[name]
    elif name in ("addcmul", "addcdiv"):
        one = lambda x, y, z, value=1: getattr(torch, name)(x, y, z, value=value)
    else:
        one = getattr(torch, name, None)
    listed = lambda a: isinstance(a, (list, tuple))

    def run(*args, **kwargs):
        length = len(next(a for a in args if listed(a)))
        return [one(*[a[k] if listed(a) else a for a in args], **kwargs) for k in range(length)]

    return run if one else None


def overlap(tensors):
    """Do two of them share memory?"""
    ends = {}
    for x in tensors:
        if x.numel():
            last = x.storage_offset() + sum((n - 1) * step for n, step in zip(x.shape, x.stride()))
            ends.setdefault(x.untyped_storage()._cdata, []).append((x.storage_offset(), last))
    return any(b[0] <= a[1] for parts in ends.values() for a, b in zip(sorted(parts), sorted(parts)[1:]))


def in_turn(op):
    """A `_foreach_` operator that writes: where tensors overlap, each sees what was written into those before it."""
    run = each(op)

    def write(xs, *args, **kwargs):
        if not overlap([*xs, *(x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor))]):
            return NotImplemented
        for k, x in enumerate(xs):
            x.copy_(run([x], *[[a[k]] if isinstance(a, (list, tuple)) else a for a in args], **kwargs)[0])

    return write if run else None


def foreach():
    ops = [getattr(getattr(torch.ops.aten, name), overload) for name in dir(torch.ops.aten)
           if name.startswith("_foreach_") for overload in getattr(torch.ops.aten, name).overloads()]
    new = {op: run for op in ops if not op._schema.is_mutable and (run := each(op))}
    own = [op for op in ops if op._schema.name.endswith("_")]
    return new | {op: run for op in own if (run := in_turn(op))}


@functools.cache
def table():
    """Decompositions by PyTorch of the operators that tvr's reader has no row for."""
    with open(os.path.join(HERE, "aten.def")) as f:
        known = set(re.findall(r'^ATEN\("([^"]+)"', f.read(), re.M))
    plain = lambda op: f"{op.namespace}.{op._schema.name.split('::')[1]}"
    found = {op: d for op, d in torch._decomp.core_aten_decompositions().items() if plain(op) not in known}
    # It changes the running statistics, though its schema does not say so: written out, that is seen.
    own = fused.table() | flex.table() | written.table()
    return found | foreach() | own | torch._decomp.get_decompositions([torch.ops.aten.native_batch_norm])


@contextlib.contextmanager
def memory_followed():
    """`x.data = y` gives x the memory of y past every operator: from then on x is another name of y in the graph."""
    plain = torch._C.TensorBase.data

    def follow(x, y):
        tracer = proxy_tensor.get_proxy_mode().tracer
        if any(is_traceable_wrapper_subclass_type(type(t)) or t not in tracer.tensor_tracker for t in (x, y)):
            raise ValueError("`x.data = y` gives a tensor other memory, which cannot be followed here: write values into the "
                             "memory it has, as in `with torch.no_grad(): x.copy_(y)`")
        y = y.detach()
        plain.__set__(x, y)
        proxy_tensor.set_proxy_slot(x, tracer, proxy_tensor.get_proxy_slot(y, tracer))

    torch.Tensor.data = property(plain.__get__, follow)
    try:
        yield
    finally:
        del torch.Tensor.data


@contextlib.contextmanager
def groups_of_any_type():
    """PyTorch multiplies grouped float32 matrices too, but makes fake ones of the types and strides of GPUs alone."""
    from torch import _meta_registrations as meta
    plain, made = getattr(meta, "_meta_grouped_mm_common", None), getattr(meta, "_create_grouped_mm_output_tensor", None)

    def common(a, b, *args, **kwargs):
        scales = [*args[:2], *(kwargs.get(k) for k in ("scale_a", "scale_b"))]
        fits = a.dtype == b.dtype == torch.float32 and {a.dim(), b.dim()} <= {2, 3}
        if not fits or any(s is not None for s in scales) or a.dim() + b.dim() > 4 and a.shape[-1] != b.shape[-2]:
            return plain(a, b, *args, **kwargs)
        return made(a, b, kwargs.get("offs"), kwargs.get("out_dtype"))

    if plain is None or made is None:
        yield
        return
    meta._meta_grouped_mm_common = common
    try:
        yield
    finally:
        meta._meta_grouped_mm_common = plain


def record(run, args, where, decompositions=None, guard=None):
    """The graph of run(*args), functional.  `args` are fake tensors; `run` returns a list of tensors; `guard` is called
    with every operator."""
    decompositions = table() if decompositions is None else decompositions

    def make(f, args):
        return proxy_tensor.make_fx(f, decompositions, "fake", _allow_non_fake_inputs=True)(*args)

    def program(*inputs):
        with Functional(guard), memory_followed():
            return run(*inputs)

    again = [a.detach() for a in args]                   # the program may change them
    with where.watched(), torch.autograd.set_multithreading_enabled(False), groups_of_any_type():
        graph = make(program, args)
        if mutates(graph):
            replay = Replay(graph, where)
            with torch.no_grad():
                graph = make(torch.func.functionalize(lambda *xs: replay.run(*xs), remove="mutations"), again)
            where.kept = None
    left = in_place(graph)
    if left:                                             # what remains are copies into inputs, read by nobody
        raise RuntimeError(f"{left[0].target} writes into its argument and could not be made functional")
    return graph
