"""Writes the graphs of this folder:  python operators.py

A block of GPT and one of Llama with experts, forward and backward, as an execution plan has them: operators of nnScaler, and
backward operators that say of which forward operator they are."""
import inspect
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TP, S, B, E, H, EXPERTS = 2, 3, 2, 4, 2, 4


class Rank:
    """The program of one rank (of one device, with tp = 1)."""

    def __init__(self, rank, tp, mistake=None):
        self.rank, self.tp, self.mistake = rank, tp, mistake
        self.inputs, self.placements, self.nodes, self.outputs, self.shapes, self.steps = [], {}, [], {}, {}, []
        block(self)
        self.backward()

    def wrong(self, name):
        return self.mistake == name and self.rank == self.tp - 1

    def input(self, name, *shape, cut=None, dtype="f32"):
        shape = [n // self.tp if d == cut else n for d, n in enumerate(shape)]
        self.inputs.append({"name": name, "dtype": dtype, "shape": shape})
        self.placements[name] = "R" if cut is None else f"S({cut})"
        self.shapes[name, 0] = (shape, dtype)
        return name, 0

    def node(self, op, args, outs, kwargs, at):
        name = f"{op.split('.')[-1]}_{len(self.nodes)}"
        as_json = lambda a: {"t": a[0], "i": a[1]} if isinstance(a, tuple) else [as_json(b) for b in a] if isinstance(a, list) else a
        self.nodes.append({"name": name, "op": op, "args": [as_json(a) for a in args], "kwargs": kwargs,
                           "outs": [{"dtype": d, "shape": s} for s, d in outs], "at": at})
        for k, out in enumerate(outs):
            self.shapes[name, k] = out
        return [(name, k) for k in range(len(outs))]

    def op(self, op, *args, shapes=None, at=None, **kwargs):
        """Results have the shape of the first argument, if nothing else is said."""
        at = at or f"operators.py:{inspect.currentframe().f_back.f_lineno}"
        shapes = [s if isinstance(s, tuple) else (s, "f32") for s in shapes or [self.shapes[args[0]][0]]]
        outs = self.node(op, list(args), shapes, kwargs, at)
        self.steps.append((op, len(self.nodes) - 1, list(args), outs, at))
        return outs[0] if len(outs) == 1 else outs

    def reduced(self, x, at):
        return self.node("_c10d_functional.all_reduce", [x, "sum", {"group": "tp"}], [self.shapes[x]], {}, at)[0]

    def enter(self, x):
        """Every rank uses x, so its gradients add up."""
        at = f"operators.py:{inspect.currentframe().f_back.f_lineno}"
        y = self.op("plan.identity", x, at=at)
        if self.tp > 1:
            self.steps[-1] = ("enter", None, [x], [y], at)
        return y

    def leave(self, x):
        at = f"operators.py:{inspect.currentframe().f_back.f_lineno}"
        if self.tp == 1:
            return x
        y = self.reduced(x, at)
        self.steps.append(("leave", None, [x], [y], at))
        return y

    def backward(self):
        gradients = {self.loss: ("one", 0)}
        self.shapes["one", 0] = ([1], "f32")
        for op, node, args, outs, at in reversed(self.steps):
            flows = [gradients.get(y) for y in outs]
            wanted = [k for k, x in enumerate(args) if isinstance(x, tuple) and self.shapes[x][1] == "f32"]
            if not wanted or not any(flows):
                continue
            if op == "plan.multiref" and self.mistake == "counted-twice" and self.nodes[node]["at"] == self.twice:
                flows[1] = flows[0]
            if op == "leave" or op == "enter":
                found = [flows[0] if op == "leave" or self.mistake == "not-summed" and at == self.unsummed else
                         self.reduced(flows[0], at)]
            else:
                found = self.node("plan.backward", [node, flows, wanted], [self.shapes[args[k]] for k in wanted], {}, at)
            for k, g in zip(wanted, found):
                assert args[k] not in gradients, "a value with two uses wants a multiref"
                gradients[args[k]] = g
        self.outputs = {"loss": self.loss, **{f"d_{i['name']}": gradients[i["name"], 0] for i in self.inputs
                                              if (i["name"], 0) in gradients}}

    def graph(self):
        return {"name": f"rank{self.rank}", "coord": {"tp": self.rank} if self.tp > 1 else {}, "inputs": self.inputs,
                "constants": [{"name": "one", "dtype": "f32", "shape": [1], "data": [1]}], "nodes": self.nodes,
                "outputs": [{"t": t, "i": k} for t, k in self.outputs.values()], "output_names": list(self.outputs)}


def block(r):
    n, heads = B * S, H // r.tp
    linear, view, norm = "torch.nn.functional.linear", "torch.Tensor.view", {"normalized_shape": [E], "eps": 1e-5}
    x = r.op("plan.embedding", r.input("ids", B, S, dtype="i64"), r.input("table", 6, E), shapes=[[B, S, E]],
             padding_idx=None, start=0, stop=6)
    x, rest = r.op("plan.multiref", r.op("torch.transpose", x, shapes=[[S, B, E]], dim0=0, dim1=1), shapes=[[S, B, E]] * 2, times=2)

    x = r.enter(r.op("plan.layer_norm", x, r.input("norm_1", E), r.input("norm_1_bias", E), **norm)); r.unsummed = r.nodes[-1]["at"]
    x = r.op("plan.self_attention", x, r.input("qkv", 3 * E, E, cut=0), r.input("qkv_bias", 3 * E, cut=0),
             r.input("out", E, E, cut=1), h=heads, scale=0.5, dropout_p=0.2, mask=not r.wrong("mask"))
    x = r.op("torch.nn.functional.dropout", r.leave(x), p=0.2, training="self.training", inplace=False)
    x, rest = r.op("plan.multiref", r.op("torch.add", rest, x, alpha=1), shapes=[[S, B, E]] * 2, times=2); r.twice = r.nodes[-1]["at"]

    x = r.enter(r.op("plan.layer_norm", x, r.input("norm_2", E), r.input("norm_2_bias", E), **norm))
    x = r.leave(r.op("plan.feedforward", x, r.input("up", 2 * E, E, cut=0), r.input("up_bias", 2 * E, cut=0),
                     r.input("down", E, 2 * E, cut=1), dropout=0.2, is_training=True))
    x = r.op("torch.transpose", r.op("torch.add", rest, x, alpha=1), shapes=[[B, S, E]], dim0=0, dim1=1)

    x, rest = r.op("plan.multiref", x, shapes=[[B, S, E]] * 2, times=2)
    x, y = r.op("plan.multiref", r.op("plan.to", r.op("torch.Tensor.float", x), dtype_or_device={"dtype": "f32"}),
                shapes=[[B, S, E]] * 2, times=2)
    y = r.op("torch.mean", r.op("torch.pow", y, 2), shapes=[[B, S, 1]], dim=[2], keepdim=True)
    y = r.op("torch.rsqrt", r.op("torch.add", y, 2.0 if r.wrong("epsilon") else 1e-5, alpha=1))
    x = r.op("torch.mul", r.op("torch.mul", x, y), r.input("norm_3", E))
    q, k, v, m = r.op("plan.multiref", r.enter(x), shapes=[[B, S, E]] * 4, times=4)
    q, k, v = (r.op(view, r.op(linear, x, r.input(name, E, E, cut=0), shapes=[[B, S, E // r.tp]], bias=None),
                    shapes=[[B, S, heads, E // H]], size=[B, S, -1, E // H]) for x, name in ((q, "wq"), (k, "wk"), (v, "wv")))
    mask = r.op("plan.create_mask", ("ids", 0), m, shapes=[[1, 1, S, S]])
    q, k = r.op("plan.apply_rotary_emb", q, k, r.input("angles", S, E // H // 2, dtype="c64"), shapes=[[B, S, heads, E // H]] * 2)
    q, k, v = (r.op("torch.transpose", x, shapes=[[B, heads, S, E // H]], dim0=1, dim1=2) for x in (q, k, v))
    k = r.op("torch.transpose", k, shapes=[[B, heads, E // H, S]], dim0=2, dim1=3)
    x = r.op("torch.div", r.op("torch.matmul", q, k, shapes=[[B, heads, S, S]]), 1.4142135623730951, rounding_mode=None)
    x = r.op("torch.nn.functional.softmax", r.op("plan.apply_mask", x, mask), dim=-1, _stacklevel=3, dtype=None)
    x = r.op("torch.transpose", r.op("torch.matmul", x, v, shapes=[[B, heads, S, E // H]]), shapes=[[B, S, heads, E // H]],
             dim0=1, dim1=2)
    x = r.op(view, r.op("torch.Tensor.contiguous", x), shapes=[[B, S, E // r.tp]], size=[B, S, -1])
    x = r.leave(r.op(linear, x, r.input("wo", E, E, cut=1), shapes=[[B, S, E]], bias=None))
    x, rest = r.op("plan.multiref", r.op("torch.add", rest, x, alpha=1), shapes=[[B, S, E]] * 2, times=2)

    x, y = r.op("plan.multiref", r.op(view, x, shapes=[[n, E]], size=[-1, E]), shapes=[[n, E]] * 2, times=2)
    p, chosen = r.op("plan.gate_fw", y, r.input("gate", EXPERTS, E), shapes=[[n, 2], ([n, 2], "i64")], score_func="sigmoid",
                     bias=None, n_groups=2, topk_groups=1, topk=2, route_scale=2.5)
    own = EXPERTS // r.tp
    start = 0 if r.wrong("experts") else own * r.rank
    x = r.op("plan.nnscaler_moe_gmm", r.enter(x), chosen, r.enter(p), *(r.input(f"experts_{k}", EXPERTS, *s, cut=0) for k, s in (
        (1, (3, E)), (3, (3, E)), (2, (E, 3)))), n_routed_experts=EXPERTS, local_expert_start=start, local_expert_end=start + own)
    x = r.op(view, r.leave(x), shapes=[[B, S, E]], size=[B, S, E])
    x = r.op("torch.nn.functional.silu", r.op("torch.add", rest, x, alpha=1), inplace=False)
    r.loss = r.op("torch.sum", r.op(linear, x, r.input("head", 6, E), shapes=[[B, S, 6]], bias=None), shapes=[[1]])


def write(path, role, ranks):
    graphs = ",\n".join(
        "{" + ",\n ".join(f'"{k}": ' + ("[\n  " + ",\n  ".join(map(json.dumps, v)) + "]" if k in ("inputs", "nodes") else json.dumps(v))
                          for k, v in r.graph().items()) + "}" for r in ranks)
    tp = len(ranks) > 1
    head = {"format": "tvr-graph", "version": 1, "producer": "operators.py", "role": role,
            "mesh": {"axes": [["tp", TP]] if tp else []}, "groups": {"tp": {"axes": ["tp"]}} if tp else {}}
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(json.dumps(head)[:-1] + ', "graphs": [\n' + graphs + "]}\n")


if __name__ == "__main__":
    ranks = [Rank(k, TP) for k in range(TP)]
    write(f"{HERE}/seq.json", "seq", [Rank(0, 1)])
    write(f"{HERE}/dist.json", "dist", ranks)
    placed = ranks[0].placements
    entry = lambda name, place, **more: json.dumps({"seq": name, "dist": name, "placements": {"tp": place}, **more})
    with open(f"{HERE}/relation.json", "w") as f:
        f.write('{"inputs": [\n ' + ",\n ".join(entry(k, p, **({"assume": {"range": [0, 6]}} if k == "ids" else {}))
                                               for k, p in placed.items())
                + '],\n "outputs": [\n ' + ",\n ".join(entry(k, placed.get(k[2:], "R")) for k in ranks[0].outputs) + "]}\n")
    for mistake in "not-summed", "counted-twice", "mask", "epsilon", "experts":
        write(f"{HERE}/broken/{mistake}/dist.json", "dist", [Rank(k, TP, mistake) for k in range(TP)])
