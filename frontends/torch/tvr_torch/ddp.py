"""ddp: DistributedDataParallel, whose reducer works in C++, outside the operators that can be recorded.

PyTorch has the same in Python, for its compiler: a hook of every parameter averages the gradient when it is complete.
Buckets change the order of communication, not what is computed.
"""
import torch
from torch.nn.parallel import DistributedDataParallel


def prepare():
    """Modules that are made from now on have the hooks in Python."""
    torch._dynamo.config.optimize_ddp = "python_reducer"


def modules(model):
    return [(path, m) for path, m in model.named_modules() if isinstance(m, DistributedDataParallel)]


def names(model):
    """[(path, module)], the wrappers left out: the module inside has the name that it has without them."""
    inside = [f"{path}.module" if path else "module" for path, _ in modules(model)]
    for path, module in model.named_modules():
        for outer in sorted(inside, key=len, reverse=True):
            if path == outer or path.startswith(outer + "."):
                path = (outer[:-len("module")].rstrip(".") + path[len(outer):]).lstrip(".")
        yield path, module


def refuse(model):
    for _, m in modules(model):
        if m._comm_hooks or m.mixed_precision:
            raise ValueError("DistributedDataParallel with a communication hook, or with mixed_precision, cannot be "
                             "captured: reduce the gradients in the step")


def follow(model):
    """The hooks are those of the parameters that are there now."""
    for _, m in modules(model):
        for hook in m._accum_grad_hooks:
            hook.remove()
        m._accum_grad_hooks.clear()
        m._module_parameters = [p for p in m.module.parameters() if p.requires_grad]
        m._register_accum_grad_hook()
