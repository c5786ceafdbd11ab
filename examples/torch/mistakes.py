"""One changed line each: what goes wrong in practice. (case, name, file, function or class, old, new, what is wrong)

`old` is looked for below `def function` or `class name` of models/FILE.py; only the distributed program is built from
the changed source. Whether the change makes a difference is found out by running the graphs: those that make none must
be verified. An eighth entry names the function or class to blame where it is not the changed one: a plan of
DTensor is no operator, what it plans is."""

MISTAKES = [
    ("adamw-dp3", "not-divided", "data", "train_dp", "p.grad /= dist.get_world_size()", "p.grad /= 1",
     "gradients are summed, not averaged"),
    ("adamw-dp3", "one-not-reduced", "data", "train_dp", "dist.all_reduce(p.grad)",
     "p is model.out.bias or dist.all_reduce(p.grad)", "one gradient stays local"),
    ("adamw-dp3", "clipped-before", "data", "train_dp", "for p in model.parameters():",
     "for p in (nn.utils.clip_grad_norm_(model.parameters(), 1.0, foreach=False), *model.parameters())[1:]:",
     "local gradients are clipped before they are averaged"),
    ("block-tp2", "columns-for-rows", "plan", "tensor_parallel", '"mlp.down": rows',
     '"mlp.down": RowwiseParallel(output_layouts=Partial())', "the output of the MLP stays a partial sum", "MLP"),
    ("block-tp2", "scale-local", "plan", "Attention", "WIDTH ** -0.5", "(WIDTH * 2) ** -0.5",
     "scores are scaled by another width"),
    ("block-sp2", "residual-detached", "plan", "Block", "x = x + self.attention", "x = x.detach() + self.attention",
     "no gradient passes the first residual, which nothing reads"),
    ("block-sp2", "norm-local", "plan", "Block", "self.mlp(self.norm2(x))", "self.mlp(self.norm1(x))",
     "the second norm uses the first one's weights"),
    ("block-sp2", "gradient-lost", "plan", "step_sp", "y = model(x)",
     "y = DTensor.from_local(model(x).to_local(), mesh, [Shard(1)])", "to_local and back, which changes nothing"),
    ("fsdp-dp2", "loss-summed", "fully", "step", "ReduceOp.AVG", "ReduceOp.SUM", "the loss is that of all ranks, summed"),
    ("zero3-dp4", "norm-local", "zero", "train_sharded", "dist.all_reduce(total)", "pass",
     "every rank clips by the norm of its own shards"),
    ("zero3-dp4", "not-averaged", "zero", "averaged", "dist.ReduceOp.AVG", "dist.ReduceOp.SUM", "gradients are summed"),
    ("zero3-dp4", "loss-local", "zero", "train_sharded", "dist.all_reduce(loss, dist.ReduceOp.AVG)", "pass",
     "every rank reports the loss of its own rows"),
    ("gather-cp3", "positions", "context", "step_gather", "mesh.get_rank() * q.shape[1]", "0", "rows are counted from 0"),
    ("gather-cp3", "gradient-cut", "parallel", "gather = ", "reduce_scatter",
     "lambda x, group: x.chunk(3, 1)[dist.get_rank(group)].contiguous()", "gradients of keys are cut, not summed"),
    ("ring-cp3", "not-rescaled", "context", "ring", "out = out * old[..., None] +", "out = out +",
     "the weighted sum is not rescaled when the maximum grows"),
    ("ring-cp3", "keys-stay", "context", "ring", "k, v = shifted(k, mesh), shifted(v, mesh)", "v = shifted(v, mesh)",
     "only values travel"),
    ("experts-ep2", "no-way-back", "experts", "ParallelExperts", "y = Exchange.apply(back, self.group)", "y = back",
     "results stay with the expert"),
    ("experts-ep2", "router-not-reduced", "experts", "step_ep", "dist.all_reduce(model.router.weight.grad)", "pass",
     "the router's gradient stays that of the local tokens"),
    ("pipeline-pp3", "not-divided", "pipeline", "step_stage", ".mean() / MICRO", ".mean()",
     "losses of the microbatches are not divided by their number"),
    ("pipeline-pp3", "labels-swapped", "pipeline", "step_stage", "zip(held, target.chunk(MICRO))",
     "zip(held, target.chunk(MICRO)[::-1])", "a microbatch meets the labels of the other"),
    ("vocabulary-tp3", "offset", "vocabulary", "mine", "ids - self.first, 0)", "ids - self.first + 1, 0) % self.size",
     "rows of the table are shifted by one"),
    ("vocabulary-tp3", "not-masked", "vocabulary", "forward", "* there[:, None]", "* 1",
     "ranks that do not have a word add their first row"),
    ("vocabulary-tp3", "no-maximum", "vocabulary", "forward", "logits - top[:, None]", "logits - 0 * top[:, None]",
     "no maximum is subtracted, which changes nothing over the reals"),
    ("vocabulary-tp3", "gradient-not-summed", "vocabulary", "forward", "enter(torch.tanh(x), self.group)", "torch.tanh(x)",
     "the gradient of the hidden state is not summed over tp"),
]

TOUR_MISTAKES = [("gradient-not-summed", "ParallelMLP", "self.up(Enter.apply(x))", "self.up(x)")]
