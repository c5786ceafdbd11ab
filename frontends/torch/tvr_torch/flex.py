"""flex: FlexAttention, a kernel that torch.compile makes of functions. What it computes is PyTorch's own definition.

A BlockMask means its `mask_mod`: the blocks it lists say where a kernel need not look, and are not compared with it.
"""
from torch._higher_order_ops.flex_attention import math_attention
from torch._library.custom_ops import OPDEFS
from torch.distributed.tensor.experimental import _context_parallel        # noqa: F401 (it defines operators)
from torch.nn.attention import flex_attention as module


def prepare():
    """Calls are computed as written, also where gradients are asked for on a processor."""
    module._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = True
    module._validate_device = lambda query, key, value: None
    module.flex_attention_hop = math_attention


def table():
    """The operators that context parallelism exchanges keys and values by: PyTorch writes them in Python, with collectives."""
    return {op._opoverload: op._init_fn for name, op in OPDEFS.items() if name.startswith("cplib::flex_cp_")}
