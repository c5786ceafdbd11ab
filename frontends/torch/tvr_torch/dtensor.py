"""dtensor: what DTensor computes on the way is no part of the program."""
from torch.distributed.tensor import _utils
from torch.utils._python_dispatch import _disable_current_modes

OFFSETS = "_compute_local_shape_and_global_offset"       # of PyTorch's module: it looks numbers up in tensors


def prepare():
    """Where a rank's part begins is a number, which is not recorded."""
    plain = getattr(_utils, OFFSETS, None)

    def unseen(*args, **kwargs):
        with _disable_current_modes():
            return plain(*args, **kwargs)

    if plain is not None:
        setattr(_utils, OFFSETS, unseen)
