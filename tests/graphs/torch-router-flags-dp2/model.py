import torch
import torch.distributed as dist
import tvr_torch as tvr

ROWS, EXPERTS, CHOSEN, LARGE = 4, 5, 2, 3.0
WRONG = {"one-side": ["skipped"], "two-ranks": ["skipped"]}    # for large values, not for any


def whole(scores, x):
    """The likeliest experts, their weights made to sum to 1; and whether any value is too large."""
    weights, experts = scores.softmax(-1).topk(CHOSEN)
    return {"weights": weights / weights.sum(-1, keepdim=True), "experts": experts, "skipped": x.abs().amax() > LARGE}


def cut(broken):
    def step(scores, x, mesh):
        chosen, experts = (-scores if broken == "least" else scores).topk(CHOSEN)
        if broken == "least":
            chosen = -chosen
        weights = torch.sigmoid(chosen) if broken == "sigmoid" else chosen.softmax(-1)
        flag = (x.amax() > LARGE if broken == "one-side" else (x.abs() > LARGE).any()).float()
        dist.all_reduce(flag, group=mesh.get_group())
        return {"weights": weights, "experts": experts, "skipped": flag > (1 if broken == "two-ranks" else 0)}
    return step


def program(broken=None):
    inputs = {"scores": torch.empty(ROWS, EXPERTS), "x": torch.empty(ROWS, 3)}
    return tvr.Program(whole, cut(broken), mesh={"dp": 2}, inputs=inputs, placements={"scores": "S(0)", "x": "S(0)"},
                       outputs={"weights": "S(0)", "experts": "S(0)"})
