"""A language model in microbatches: the loss is divided by the number of labels that count, on all ranks."""
import torch
import torch.distributed as dist
import torch.nn.functional as F

VOCABULARY, LENGTH, WIDTH, MICROBATCHES = 6, 4, 3, 2
IGNORED = -100


def shifted(labels):
    return labels[:, 1:]


def count(labels):
    return (shifted(labels) != IGNORED).sum()


def loss_of(embedding, scale, output, ids, labels):
    x = F.rms_norm(F.embedding(ids, embedding), (WIDTH,), scale, 1e-5)
    y = (x @ output.t())[:, :-1]
    return F.cross_entropy(y.flatten(0, 1), shifted(labels).flatten(), ignore_index=IGNORED, reduction="sum")


def sequential(embedding, scale, output, ids, labels):
    loss = loss_of(embedding, scale, output, ids, labels) / count(labels)
    loss.backward()
    return {"loss": loss.detach()}


def distributed(embedding, scale, output, ids, labels):
    counted = count(labels)
    dist.all_reduce(counted)
    total = 0
    for micro_ids, micro_labels in zip(ids.chunk(MICROBATCHES), labels.chunk(MICROBATCHES)):
        loss = loss_of(embedding, scale, output, micro_ids, micro_labels) / counted
        loss.backward()
        total = total + loss.detach()
    dist.all_reduce(total)
    for p in (embedding, scale, output):
        dist.all_reduce(p.grad)
    return {"loss": total}


def program():
    from tvr_torch import Program
    batch = torch.empty(2 * MICROBATCHES, LENGTH, dtype=torch.long)
    return Program(sequential, distributed,
                   {"embedding": torch.empty(VOCABULARY, WIDTH, requires_grad=True),
                    "scale": torch.empty(WIDTH, requires_grad=True),
                    "output": torch.empty(VOCABULARY, WIDTH, requires_grad=True), "ids": batch, "labels": batch},
                   {"dp": 2}, placements={"ids": "S(0)", "labels": "S(0)"},
                   assume={"ids": (0, VOCABULARY), "labels": {"range": [0, VOCABULARY], "or": [IGNORED]}})
