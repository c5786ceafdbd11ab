import torch
import torch.distributed as dist


def step(h, table):
    value, index = (h @ table.T).max(-1)
    return {"value": value, "index": index}


def step_rank(h, table):
    """A rank has one row of the table: its best one is the first, and the ranks' numbers are the places of the rows."""
    value, index = (h @ table.T).max(-1)
    index = index + dist.get_rank()
    values, indices = ([torch.empty_like(one) for _ in range(dist.get_world_size())] for one in (value, index))
    dist.all_gather(values, value)
    dist.all_gather(indices, index)
    best = torch.stack(values).argmax(0, keepdim=True)
    return {"value": torch.stack(values).gather(0, best)[0], "index": torch.stack(indices).gather(0, best)[0]}
