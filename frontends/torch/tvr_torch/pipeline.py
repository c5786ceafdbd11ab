"""pipeline: the schedules of torch.distributed.pipelining, whose stages first agree on shapes by exchanging objects.

Where every stage is told the shapes of a microbatch there is nothing to agree on, and only tensors are sent.
"""
from torch.distributed.pipelining import schedules
from torch.distributed.pipelining.stage import InferenceMode, PipelineStage


def agree(self, stages, has_backward, p2p_done):
    for stage in stages:
        if not isinstance(stage, PipelineStage):
            raise ValueError(f"{type(stage).__name__} cannot be captured: make the stages with PipelineStage")
        if InferenceMode.needs_dynamic(stage._user_meta, has_backward):
            raise ValueError(f"stage {stage.stage_index} of the pipeline does not know its shapes: give "
                             f"PipelineStage(.., input_args=(x,), output_args=(y,)), tensors of one microbatch; else the "
                             f"processes ask each other")
        stage._inference_mode = InferenceMode.STATIC


def prepare():
    """Schedules that are stepped from now on exchange tensors only."""
    schedules._PipelineSchedule._warmup_p2p = agree
