"""ddp: DistributedDataParallel, whose reducer works in C++, outside the operators that can be recorded.

PyTorch has the same in Python, for its compiler: a hook of every parameter averages the gradient when it is complete.
Buckets change the order of communication, not what is computed; a communication hook gets a bucket for each parameter.
"""
import functools

import torch
from torch.nn.parallel import DistributedDataParallel

WRAPPED = {"_checkpoint_wrapped_module", "_orig_mod"}    # what checkpoint_wrapper and torch.compile call the module inside


def prepare():
    """Modules that are made from now on have the hooks in Python; what torch.compile made runs as it was written."""
    torch._dynamo.config.error_on_nested_fx_trace = False
    torch._dynamo.config.optimize_ddp = "python_reducer"


def modules(model):
    return [(path, m) for path, m in model.named_modules() if isinstance(m, DistributedDataParallel)]


def names(model):
    """[(path, module)], the wrappers left out: the module inside has the name that it has without them."""
    inside = {f"{path}.module".lstrip(".") for path, _ in modules(model)}
    for path, module in model.named_modules():
        parts = path.split(".")
        yield ".".join(p for k, p in enumerate(parts)
                       if p not in WRAPPED and ".".join(parts[:k + 1]) not in inside), module


def reduced(model):
    """Parameters whose gradients they average."""
    return [p for _, m in modules(model) for p in m.module.parameters() if p.requires_grad]


def refuse(model):
    for _, m in modules(model):
        if m.mixed_precision:
            raise ValueError("DistributedDataParallel with mixed_precision cannot be captured: reduce the gradients in the "
                             "step")


class Bucket:
    """The gradient of one parameter, as a hook sees it (torch.distributed.GradBucket)."""

    def __init__(self, index, last, parameter):
        self._index, self._last, self._parameter = index, last, parameter
        self._flat = parameter.grad.reshape(-1).clone()

    def index(self):
        return self._index

    def is_last(self):
        return self._last

    def buffer(self):
        return self._flat

    def set_buffer(self, flat):
        self._flat = flat

    def gradients(self):
        return [self._flat.view_as(self._parameter)]

    def parameters(self):
        return [self._parameter]


def reduce_by_hooks(model, index, parameter):
    if not model.require_backward_grad_sync or parameter.grad is None:
        return
    for hook, state in model._comm_hooks:
        bucket = Bucket(index, index == 0, parameter)    # gradients are complete from the last parameter on
        result = hook(state, bucket)
        if not hasattr(result, "wait"):
            raise ValueError(f"the communication hook {getattr(hook, '__name__', hook)} returns no Future")
        parameter.grad.copy_(result.wait().view_as(parameter.grad))


def follow(model):
    """The hooks are those of the parameters that are there now."""
    for _, m in modules(model):
        for hook in m._accum_grad_hooks:
            hook.remove()
        m._accum_grad_hooks.clear()
        m._module_parameters = [p for p in m.module.parameters() if p.requires_grad]
        if not m._comm_hooks:
            m._register_accum_grad_hook()
        for k, p in enumerate(m._module_parameters if m._comm_hooks else ()):
            m._accum_grad_hooks.append(p.register_post_accumulate_grad_hook(functools.partial(reduce_by_hooks, m, k)))
