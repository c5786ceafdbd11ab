"""held: what there is of a parameter besides its values: hooks and attributes.

While a program is traced, its modules hold other tensors than those it was made with.  Hooks and attributes go over to
them.
"""
import sys

import torch

TABLES = ("_backward_hooks", "_post_accumulate_grad_hooks")


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
    if x.requires_grad and x.grad_fn is None and node_kept(x, reduced):
        raise ValueError(f"the AccumulateGrad node of '{name}' was kept when the model was made (`expand_as(..).grad_fn`, "
                         f"register_multi_grad_hook): its hooks cannot be captured; use "
                         f"register_post_accumulate_grad_hook, or register them in the step")
