"""held: what there is of a parameter besides its values: hooks, attributes, and those who keep it elsewhere.

While a program is traced, its modules hold other tensors than those it was made with.  Hooks and attributes go over to
them.  Whoever kept an old tensor (a list, an optimizer, a closure) would see values that mean nothing: that is an error.
"""
import sys

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree as pytree

TABLES = ("_backward_hooks", "_post_accumulate_grad_hooks")
HARMLESS = {"shape", "dtype", "device", "layout", "ndim", "size", "dim", "numel", "is_meta", "is_leaf", "requires_grad"}
MARKS = {"_is_param", "_is_buffer"}                      # what isinstance asks for


def carry(old, new):
    """Hooks and attributes; the tables of hooks are the same ones, so that a handle still removes its hook."""
    for table in TABLES:
        if getattr(old, table):
            setattr(new, table, getattr(old, table))
    for name, value in old.__dict__.items():
        new.__dict__.setdefault(name, value)


def references(x):
    return sys.getrefcount(torch.autograd.graph.get_gradient_edge(x).node)


def node_kept(x, reduced):
    """Does the program keep the node that accumulates the gradient?  `reduced`: DistributedDataParallel does."""
    other = torch.zeros(1, requires_grad=True)
    alive = other * 2 if reduced else other              # one more who keeps the node
    return references(x) > references(other) and alive is not None


def refuse(name, x, reduced):
    """What a tensor of another kind would lose."""
    if type(x).__module__.split(".")[0] != "torch":
        raise ValueError(f"'{name}' is a {type(x).__name__}: what this class does besides torch.nn.Parameter cannot be "
                         f"captured")
    if x.grad is not None:
        raise ValueError(f"'{name}' has a gradient before the step, to which a captured step would not add: clear it in "
                         f"`parallelize`, as model.zero_grad() does")
    if x.requires_grad and x.grad_fn is None and node_kept(x, reduced):
        raise ValueError(f"something keeps the AccumulateGrad node of '{name}' (`expand_as(..).grad_fn`, "
                         f"register_multi_grad_hook, a DistributedDataParallel that is no part of the model): its hooks "
                         f"cannot be captured; use register_post_accumulate_grad_hook, or register them in the step")


def stale(slot):
    return (f"the {slot.kind} '{slot.name}' is used from elsewhere than its module (a list, an optimizer or a closure that "
            f"kept it, or memory that it shares), where a captured step has no values for it: in the step, take it from "
            f"the model, as model.get_{slot.kind}(\"{slot.name}\"); an optimizer is given as optimizer=")


def harmless(func):
    name = getattr(func, "__name__", "")
    return (getattr(func.__self__, "__name__", "") if name == "__get__" else name) in HARMLESS


def close(slot):
    """Every use of the tensor that the slot's comes in place of is an error, its shape and type excepted."""
    kind = type(slot.tensor)

    def function(cls, func, types, args=(), kwargs=None):
        if not harmless(func):
            raise ValueError(stale(slot))
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))

    def read(self, name):                                # an attribute that the program has set, or asks for
        if not hasattr(kind, name) and name not in MARKS and not name.startswith("__"):
            raise ValueError(stale(slot))
        return kind.__getattribute__(self, name)

    def write(self, name, value):
        raise ValueError(stale(slot))

    slot.tensor.__class__ = type(kind.__name__, (kind,), {
        "__torch_function__": classmethod(function), "__getattribute__": read, "__setattr__": write})


class Guard:
    """Looks at the operands of every operator for tensors that were made before the step."""

    def __init__(self, slots):
        self.slots = [s for s in slots if s.tensor is not None]
        self.memory, self.read = {}, {}                  # slots by storage; buffers kept by value that were read, by name
        for s in self.slots:
            local = getattr(s.tensor, "_local_tensor", s.tensor)
            self.memory.setdefault(local.untyped_storage()._cdata, s)

    def close(self):
        for s in self.slots:
            if s.values is None:
                close(s)

    def __call__(self, func, args, kwargs):
        writes = {k for k, a in enumerate(func._schema.arguments) if a.alias_info is not None and a.alias_info.is_write}
        names = {a.name: k for k, a in enumerate(func._schema.arguments)}
        for k, x in [*enumerate(args), *((names[n], x) for n, x in kwargs.items())]:
            for t in pytree.tree_leaves(x):
                if isinstance(t, torch.Tensor) and not isinstance(t, FakeTensor):
                    self.seen(t, k in writes or func.namespace == "c10d")

    def seen(self, x, written):
        slot = self.memory.get(x.untyped_storage()._cdata) if x.layout == torch.strided else None
        if slot is not None and (written or slot.values is None):
            raise ValueError(stale(slot))
        if slot is not None:
            self.read[slot.name] = slot
        elif written:
            raise ValueError(f"a tensor of shape {list(x.shape)} that was made before the step is changed in it: what it "
                             f"holds then is not known; make it a buffer of the model, or an input")
        elif x.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"a tensor of shape {list(x.shape)} that was made before the step gets a gradient in it, which "
                             f"nothing would be compared with: make it a parameter of the model, or an input")

    def check(self, constants):
        """A buffer that was read by way of another tensor must be a constant."""
        for name, slot in self.read.items():
            if name not in constants:
                raise ValueError(stale(slot))
