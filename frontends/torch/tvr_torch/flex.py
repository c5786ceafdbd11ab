"""flex: FlexAttention, a kernel that torch.compile makes of functions. What it computes is PyTorch's own definition.

A BlockMask means its `mask_mod`: the blocks it lists say where a kernel need not look, and are not compared with it.
"""
import contextlib
import importlib

from torch._library.custom_ops import OPDEFS

PARTS = ("_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", "_validate_device", "flex_attention_hop")   # of PyTorch's module


def found(name):
    """A module that another PyTorch may not have: then calls of FlexAttention end in its own errors."""
    with contextlib.suppress(ImportError):
        return importlib.import_module(name)


def prepare():
    """Calls are computed as written, also where gradients are asked for on a processor."""
    module, written = found("torch.nn.attention.flex_attention"), found("torch._higher_order_ops.flex_attention")
    if all(hasattr(module, part) for part in PARTS) and hasattr(written, "math_attention"):
        for part, new in zip(PARTS, (True, lambda query, key, value: None, written.math_attention)):
            setattr(module, part, new)


def table():
    """The operators that context parallelism exchanges keys and values by: PyTorch writes them in Python, with collectives."""
    found("torch.distributed.tensor.experimental._context_parallel")       # which defines them
    return {op._opoverload: op._init_fn for name, op in OPDEFS.items() if name.startswith("cplib::flex_cp_")}
