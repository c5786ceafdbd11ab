"""zero: ZeroRedundancyOptimizer of torch.distributed.optim, which keeps the state of some parameters on each rank, and
broadcasts those when they have changed."""
import torch
from torch.distributed.optim import ZeroRedundancyOptimizer


def holder(optimizer):
    """The optimizer that has the state."""
    return optimizer.optim if isinstance(optimizer, ZeroRedundancyOptimizer) else optimizer


def plain(optimizer, parameters):
    """The same without sharing, over these parameters."""
    if isinstance(optimizer, ZeroRedundancyOptimizer):
        if optimizer._overlap_with_ddp:
            raise ValueError("ZeroRedundancyOptimizer(overlap_with_ddp=True) works in hooks that cannot be captured")
        return optimizer._optim_constructor(parameters, **optimizer._optim_defaults)
    return optimizer


def owned(make, shapes):
    """For each parameter whether its state is on this rank."""
    parameters = [torch.empty(shape, device="meta", requires_grad=True) for shape in shapes]
    optimizer = make(parameters)
    if not isinstance(optimizer, ZeroRedundancyOptimizer):
        return [True] * len(shapes)
    return [optimizer._param_to_rank[p] == optimizer.rank for p in parameters]
