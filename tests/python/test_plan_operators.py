"""What the operators of execution plans mean, and their backward operators, against the same in PyTorch and its autograd.

A case is a function of tensors, an operator with its arguments (tensors and literals) and keywords, and the positions of the
arguments whose gradients are wanted."""
import json

import pytest
import torch
import torch.nn.functional as F

from evaluated import agree, evaluated

KINDS = "cases", "chains"
TYPES = {torch.float64: "f32", torch.int64: "i64", torch.complex128: "c64"}


def real(*shape, seed=0):
    generator = torch.Generator().manual_seed(sum(shape) * 7 + seed)
    return torch.randn(*shape, generator=generator, dtype=torch.float64)


def whole(high, *shape):
    return torch.randint(high, shape, generator=torch.Generator().manual_seed(3))


def embedding(ids, w, start, stop):
    inside = (ids >= start) & (ids < stop)
    return F.embedding((ids - start).clamp(0, len(w) - 1), w) * inside[..., None]


def rotary(q, k, table):
    def one(x):
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * table[None, :, None, :]).flatten(3)
    return one(q), one(k)


def mask(ids, h):
    s = ids.shape[1]
    return torch.full((s, s), -torch.inf, dtype=h.dtype).triu(1)[None, None]


def gate(x, w, score, groups, keep, k, scale):
    logits = x @ w.T
    scores = logits.sigmoid() if score == "sigmoid" else logits.softmax(-1)
    ranked = scores
    if groups > 1:
        best = scores.view(len(x), groups, -1).amax(-1).topk(keep, -1)[1]
        out = torch.ones(len(x), groups, dtype=torch.bool).scatter(1, best, False)
        ranked = scores.view(len(x), groups, -1).masked_fill(out[..., None], -torch.inf).flatten(1)
    places = ranked.topk(k, -1)[1]
    weights = scores.gather(1, places)
    if score == "sigmoid":
        weights = weights / weights.sum(-1, keepdim=True)
    return weights * scale, places


def experts(x, idx, p, w1, w3, w2, start, end):
    rows = []
    for t in range(len(x)):
        y = torch.zeros_like(x[t])
        for e, weight in zip(idx[t].tolist(), p[t]):
            if start <= e < end:
                y = y + weight * (w2[e - start] @ (F.silu(w1[e - start] @ x[t]) * (w3[e - start] @ x[t])))
        rows.append(y)
    return torch.stack(rows)


def self_attention(x, wqkv, bias, wo, h, scale, masked):
    length, n, _ = x.shape
    q, k, v = F.linear(x, wqkv, bias).view(length, n, -1, 3).unbind(-1)
    q, k, v = (y.reshape(length, n * h, -1).transpose(0, 1) for y in (q, k, v))
    scores = (q * scale) @ k.transpose(1, 2)
    if masked:
        scores = scores.masked_fill(torch.ones(length, length).triu(1).bool(), -10000.)
    return F.linear((scores.softmax(-1) @ v).transpose(0, 1).reshape(length, n, -1), wo)


def feedforward(x, w1, b1, w2):
    return F.linear(F.gelu(F.linear(x, w1, b1)), w2)


def cases():
    x, w, c = real(2, 3, 4), real(5, 4), real(4)
    yield "linear", F.linear, "torch.nn.functional.linear", [x, w], {"bias": None}, [0, 1]
    yield "linear matrix", F.linear, "torch.nn.functional.linear", [real(3, 4), w], {"bias": None}, [0, 1]
    yield "linear weight", F.linear, "torch.nn.functional.linear", [x, w], {}, [1]
    yield "multiref", lambda x: (x, x, x), "plan.multiref", [x], {"times": 3}, [0]
    yield "mul", torch.mul, "torch.mul", [x, real(2, 3, 4, seed=1)], {}, [0, 1]
    yield "mul vector", torch.mul, "torch.mul", [x, c], {}, [0, 1]
    yield "mul column", torch.mul, "torch.mul", [x, real(2, 3, 1)], {}, [0, 1]
    yield "add", torch.add, "torch.add", [x, real(2, 3, 4, seed=1)], {"alpha": 1}, [0, 1]
    yield "add vector", torch.add, "torch.add", [c, x], {"alpha": 1}, [0, 1]
    yield "add scaled", lambda x, y: x + 3 * y, "torch.add", [x, c], {"alpha": 3}, [0, 1]
    yield "add number", lambda x: x + 0.25, "torch.add", [x, 0.25], {"alpha": 1}, [0]
    yield "div", lambda x: x / 2, "torch.div", [x, 2.0], {"rounding_mode": None}, [0]
    yield "div tensor", torch.div, "torch.div", [x, real(4).square() + 1], {"rounding_mode": None}, [0, 1]
    yield "pow", lambda x: x.pow(2), "torch.pow", [x, 2], {}, [0]
    yield "pow 3", lambda x: x.pow(3), "torch.pow", [x, 3], {}, [0]
    yield "mean", lambda x: x.mean([2], keepdim=True), "torch.mean", [x], {"dim": [2], "keepdim": True}, [0]
    yield "sum", lambda x: x.sum().reshape(1), "torch.sum", [x], {}, [0]
    yield "rsqrt", torch.rsqrt, "torch.rsqrt", [x.square() + 0.5], {}, [0]
    yield "silu", F.silu, "torch.nn.functional.silu", [x], {"inplace": False}, [0]
    yield "softmax", lambda x: x.softmax(-1), "torch.nn.functional.softmax", [x], {
        "dim": -1, "_stacklevel": 3, "dtype": None}, [0]
    yield "matmul", torch.matmul, "torch.matmul", [real(2, 2, 3, 4), real(2, 2, 4, 5)], {}, [0, 1]
    yield "transpose", lambda x: x.transpose(1, 2), "torch.transpose", [x], {"dim0": 1, "dim1": 2}, [0]
    yield "view", lambda x: x.view(2, 3, 2, 2), "torch.Tensor.view", [x], {"size": [2, 3, -1, 2]}, [0]
    yield "float", lambda x: x, "torch.Tensor.float", [x], {}, [0]
    yield "contiguous", lambda x: x, "torch.Tensor.contiguous", [x], {}, [0]
    yield "to", lambda x: x, "plan.to", [x], {"dtype_or_device": {"dtype": "f32"}}, [0]
    yield "identity", lambda x: x, "plan.identity", [x], {}, [0]
    yield "alias", lambda x: x, "plan.alias", [x], {}, [0]
    yield "dropout", lambda x: x, "torch.nn.functional.dropout", [x], {"p": 0.5, "training": True, "inplace": False}, [0]
    yield "embedding", lambda i, w: embedding(i, w, 0, 5), "plan.embedding", [whole(5, 2, 3), w], {
        "padding_idx": None, "start": 0, "stop": 5}, [1]
    yield "embedding part", lambda i, w: embedding(i, w, 2, 7), "plan.embedding", [whole(9, 2, 6), w], {
        "padding_idx": None, "start": 2, "stop": 7}, [1]
    angles = real(3, 2)
    yield "rotary", rotary, "plan.apply_rotary_emb", [real(2, 3, 2, 4), real(2, 3, 1, 4), torch.polar(angles * 0 + 1, angles)], {
    }, [0, 1]
    yield "create_mask", mask, "plan.create_mask", [whole(5, 2, 3), x], {}, []
    yield "apply_mask", torch.add, "plan.apply_mask", [real(2, 2, 3, 3), real(1, 1, 3, 3)], {}, [0]
    for score, groups, keep, k in ("sigmoid", 4, 2, 3), ("softmax", 1, 1, 2), ("softmax", 2, 1, 2), ("sigmoid", 1, 1, 1):
        yield f"gate {score} {groups}", lambda x, w, score=score, groups=groups, keep=keep, k=k: gate(
            x, w, score, groups, keep, k, 2.5), "plan.gate_fw", [real(5, 4), real(8, 4)], {
            "score_func": score, "bias": None, "n_groups": groups, "topk_groups": keep, "topk": k, "route_scale": 2.5}, [0, 1]
    for start, end in (0, 4), (2, 4):
        yield f"experts {start}..{end}", lambda *a, start=start, end=end: experts(*a, start, end), "plan.nnscaler_moe_gmm", [
            real(5, 4), whole(4, 5, 2), real(5, 2), real(end - start, 3, 4), real(end - start, 3, 4, seed=1),
            real(end - start, 4, 3)], {"n_routed_experts": 4, "local_expert_start": start, "local_expert_end": end}, [
            0, 1, 2, 3, 4, 5]
    yield "layer_norm", lambda x, w, b: F.layer_norm(x, [4], w, b, 0.5), "plan.layer_norm", [x, c, real(4, seed=1)], {
        "normalized_shape": [4], "eps": 0.5}, [0, 1, 2]
    for masked in (False, True):
        yield f"self_attention {masked}", lambda *a, masked=masked: self_attention(*a, 2, 0.5, masked), "plan.self_attention", [
            real(3, 2, 4), real(12, 4), real(12), real(4, 4)], {"h": 2, "scale": 0.5, "dropout_p": 0.1, "mask": masked}, [
            0, 1, 2, 3]
    yield "feedforward", feedforward, "plan.feedforward", [real(3, 2, 4), real(6, 4), real(6), real(4, 6)], {
        "dropout": 0.1, "is_training": True}, [0, 1, 2, 3]


def chains():
    """Programs of several operators, each of values by number (inputs first): where one sees through another, or two operands
    are one value, the backward operator must still keep them apart."""
    x, view, size = real(4), "torch.Tensor.view", lambda *s: {"size": list(s)}
    yield "view of a view", lambda x: x.view(2, 2).view(1, 4).view(4, 1), [x], [
        (view, [0], size(2, 2)), (view, [1], size(1, 4)), (view, [2], size(4, 1))]
    yield "view back", lambda x: x.view(2, 2).view(4) * x, [x], [
        (view, [0], size(2, 2)), (view, [1], size(4)), ("torch.mul", [2, 0], {})]
    yield "two views", lambda x: x.view(4, 1) * x.view(1, 4), [x], [
        (view, [0], size(4, 1)), (view, [0], size(1, 4)), ("torch.mul", [1, 2], {})]
    yield "a view and itself", lambda x: x.view(4, 1) * x, [x], [(view, [0], size(4, 1)), ("torch.mul", [1, 0], {})]
    yield "square of copies", lambda x: x * x, [x], [("plan.multiref", [0], {"times": 2}), ("torch.mul", [1, 2], {})]
    yield "an alias", lambda x: x * x, [x], [("plan.alias", [0], {}), ("torch.mul", [0, 1], {})]
    yield "product of copies", lambda x: x @ x.transpose(0, 1), [real(2, 2)], [
        ("plan.multiref", [0], {"times": 2}), ("torch.transpose", [2], {"dim0": 0, "dim1": 1}), ("torch.matmul", [1, 3], {})]
    yield "rotary of one", lambda x, t: sum(rotary(x, x, t)), [real(2, 3, 2, 4), torch.polar(real(3, 2), real(3, 2))], [
        ("plan.multiref", [0], {"times": 2}), ("plan.apply_rotary_emb", [2, 3, 1], {}), ("torch.add", [4, 5], {"alpha": 1})]


def tuple_of(x):
    return x if isinstance(x, tuple) else (x,)


def type_of(x):
    return {"dtype": TYPES[x.dtype], "shape": list(x.shape)}


def values(x):
    return torch.view_as_real(x).tolist() if x.is_complex() else x.tolist()


MEANINGS = {"torch.Tensor.view": lambda x, size: x.view(size), "torch.mul": torch.mul, "torch.matmul": torch.matmul,
            "torch.transpose": torch.transpose, "torch.add": torch.add, "plan.alias": lambda x: x,
            "plan.multiref": lambda x, times: (x,) * times, "plan.apply_rotary_emb": rotary}


class Program:
    """A graph of all cases: each one's forward and backward operator."""

    def __init__(self):
        self.inputs, self.nodes, self.outputs, self.values, self.results = [], [], [], {}, []

    def input(self, name, x):
        self.inputs.append({"name": name, **type_of(x)})
        self.values[name] = values(x)
        return {"t": name}

    def node(self, name, op, args, kwargs, outs, case):
        self.nodes.append({"name": name, "op": op, "args": args, "kwargs": kwargs, "outs": [type_of(y) for y in outs]})
        if any(torch.isinf(y).any() for y in outs):  # which JSON has no number for
            return self.node(name + "_exp", "aten.exp.default", [{"t": name}], {}, [y.exp() for y in outs], case)
        for k, y in enumerate(outs):
            self.outputs.append({"t": name, "i": k})
            self.results.append((case, [float(z) for z in y.reshape(-1).tolist()]))

    def chain(self, k, case):
        """One gradient for each use: backward in reverse order, those of a value added up."""
        name, f, own, steps = case
        refs, like = [self.input(f"x{k}_{i}", x) for i, x in enumerate(own)], list(own)
        made = []
        for i, (op, at, kwargs) in enumerate(steps):
            outs = tuple_of(MEANINGS[op](*(like[j] for j in at), **kwargs))
            made.append((len(self.nodes), len(refs), len(outs)))
            self.nodes.append({"name": f"f{k}_{i}", "op": op, "args": [refs[j] for j in at], "kwargs": kwargs,
                               "outs": [type_of(y) for y in outs]})
            refs += [{"t": f"f{k}_{i}", "i": j} for j in range(len(outs))]
            like += outs
        own = [x.clone().requires_grad_(x.dtype == torch.float64) for x in own]
        y, seed = f(*own), real(*like[-1].shape, seed=9)
        y.backward(seed)
        gradients = {len(refs) - 1: [self.input(f"g{k}", seed)]}
        for i, (op, at, _) in reversed(list(enumerate(steps))):
            node, first, n = made[i]
            flows = [self.total(gradients.get(first + j), like[first + j]) for j in range(n)]
            wanted = [j for j, source in enumerate(at) if like[source].dtype == torch.float64]
            self.nodes.append({"name": f"b{k}_{i}", "op": "plan.backward", "args": [node, flows, wanted], "kwargs": {},
                               "outs": [type_of(like[at[j]]) for j in wanted]})
            for j, place in enumerate(wanted):
                gradients.setdefault(at[place], []).append({"t": f"b{k}_{i}", "i": j})
        for what, value, want in ("", refs[-1], y), (" backward", self.total(gradients[0], like[0]), own[0].grad):
            self.outputs.append(value)
            self.results.append((name + what, want.reshape(-1).tolist()))

    def total(self, parts, like):
        """Of gradients of one value; null if there is none."""
        while parts and len(parts) > 1:
            name = f"sum{len(self.nodes)}"
            self.nodes.append({"name": name, "op": "aten.add.Tensor", "args": parts[:2], "kwargs": {}, "outs": [type_of(like)]})
            parts = parts[2:] + [{"t": name}]
        return parts[0] if parts else None

    def add(self, k, case):
        if case[0] in {c[0] for c in chains()}:
            return self.chain(k, case)
        name, f, op, args, kwargs, wanted = case
        tensors = [x for x in args if isinstance(x, torch.Tensor)]
        refs = [self.input(f"x{k}_{i}", x) if isinstance(x, torch.Tensor) else x for i, x in enumerate(args)]
        tensors = [x.clone().requires_grad_(x.dtype == torch.float64) for x in tensors]
        outs = tuple_of(f(*tensors))
        self.node(f"f{k}", op, refs, kwargs, outs, name)
        if not wanted:
            return
        gradients = [real(*y.shape, seed=5 + i) for i, y in enumerate(outs)]  # of integers too, which counts for nothing
        torch.autograd.backward(*zip(*((y, g) for y, g in zip(outs, gradients) if y.dtype == torch.float64)))
        own = [self.input(f"g{k}_{i}", g) for i, g in enumerate(gradients)]
        found = [torch.zeros_like(tensors[i]) if tensors[i].grad is None else tensors[i].grad for i in wanted]
        self.node(f"b{k}", "plan.backward", [len(self.nodes) - 1, own, wanted], {}, found, name + " backward")

    def text(self):
        graph = {"name": "one", "coord": {}, "inputs": self.inputs, "constants": [], "nodes": self.nodes,
                 "outputs": self.outputs, "output_names": [f"y{k}" for k in range(len(self.outputs))]}
        whole = {"format": "tvr-graph", "version": 1, "producer": "test", "role": "seq", "mesh": {"axes": []}, "groups": {},
                 "graphs": [graph]}
        return json.dumps(whole, separators=(",", ":"))


def together(_, cases):
    program = Program()
    for k, case in enumerate(cases):
        program.add(k, case)
    return {".json": (program.text().encode(), program.values)}, program.results


@pytest.mark.parametrize("case", [*cases(), *chains()], ids=lambda c: c[0])
def test_operator(case, tmp_path):
    graphs, results = together("", [case])
    text, inputs = graphs[".json"]
    (tmp_path / "f.json").write_bytes(text)
    (tmp_path / "inputs.json").write_text(json.dumps(inputs))
    agree(evaluated(tmp_path / "f.json", tmp_path / "inputs.json"), [want for _, want in results], may_be_unknown=False)
