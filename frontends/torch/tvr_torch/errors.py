"""errors: why a program cannot be captured, in a few lines: what failed, the user's lines that led there, what to do.

The whole traceback is shown where TVR_TRACEBACK is set.
"""
import os
import traceback

import torch

HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep
TORCH = os.path.dirname(os.path.abspath(torch.__file__)) + os.sep
LINES = 8

HINTS = (                                                # (in the name or the message of the error, what to do)
    ("DataDependentOutputException", "the step needs the value of a tensor (.item(), float(), `if` on a tensor, an object "
     "that is sent): what it does may depend on shapes and ranks only"),
    ("torch.storage.UntypedStorage", "each rank is captured by itself: objects that others send (all_gather_object, "
     "broadcast_object_list) are not there; exchange them before the step, or let each rank compute them"),
    ("DynamicOutputShapeException", "the shape of a result depends on values (nonzero, masked_select, unique, x[mask]): use "
     "torch.where, or a fixed number of places"),
    ("GuardOnDataDependent", "the step branches on the value of a tensor: it may branch on shapes and ranks only"),
    ("does not have a sharding strategy registered", "DTensor cannot run this operator: gather its operands first, or write "
     "it on local tensors; context_parallel in particular has attention for CUDA kernels only: exchange keys and values "
     "with collectives"),
    ("mixed torch.Tensor and DTensor", "some operands are DTensors and others are not: distribute_tensor the others, or "
     "give the module a plan"),
    ("No backend type associated with device type", "the mesh and tensors are on the CPU here: take devices from "
     "mesh.device_type"),
    ("got an unexpected keyword argument", "a step is called with the model, if there is one, and the inputs by their names: "
     "step(model, x=..)"),
    ("FakeTensorDeviceMismatch", "everything is on the CPU while the program is captured: take devices from tensors or "
     "mesh.device_type, not \"cuda\""),
    ("Torch not compiled with CUDA", "nothing is on a GPU while the program is captured: take devices from "
     "mesh.device_type, not \"cuda\""),
    ("Found no NVIDIA driver", "nothing is on a GPU while the program is captured: take devices from mesh.device_type, not "
     "\"cuda\""),
    ("Failed to run stage backward", "PipelineStage sends no gradient to a stage whose output_args require none: give "
     "output_args, and input_args of all stages but the first, with requires_grad_()"),
    ("init_process_group twice", "the process group is there when `parallelize` and the step are called"),
)


def whole():
    return bool(os.environ.get("TVR_TRACEBACK"))


def users(frame):
    path = os.path.abspath(frame.filename)
    return not path.startswith((TORCH, HERE)) and os.path.exists(path)


def explain(error):
    """The text for an error that is on its way."""
    said = f"{type(error).__name__}: {error}".strip()
    if whole():
        return f"{said}\n{traceback.format_exc()}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f"  at {f.filename}:{f.lineno} in {f.name}: {f.line}" for f in frames if users(f)][-LINES:]
    if frames and not users(frames[-1]):
        last = next((f for f in reversed(frames) if f.filename.startswith(TORCH) and "fake_" not in f.filename and
                     "_ops.py" not in f.filename and "proxy_tensor" not in f.filename and "_compile" not in f.filename and
                     "eval_frame" not in f.filename and "_stats" not in f.filename), None)
        if last:
            lines.append(f"  in PyTorch at torch/{last.filename[len(TORCH):]}:{last.lineno} in {last.name}: {last.line}")
    hints = [f"hint: {what}" for key, what in HINTS if key in said][:1]
    return "\n".join([said, *lines, *hints, "TVR_TRACEBACK=1 shows the whole traceback"])
