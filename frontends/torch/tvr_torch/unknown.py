"""unknown: operators that tvr has no definition of, and how one is written for each of them."""
import itertools

MARK = " is an unknown function of its operands: no definition"
KINDS = ((bool, "int"), (int, "int"), (float, "rat"), (str, "sym"))


def named(assumptions):
    """Operators of PyTorch in what a verdict assumes."""
    return [a[:a.index(MARK)] for a in assumptions if MARK in a and "." in a[:a.index(MARK)]]


def types(graph):
    """{(name, result or None): type} of all tensors of a graph."""
    found = {(x["name"], None): x for x in [*graph["inputs"], *graph.get("constants", [])]}
    for n in graph["nodes"]:
        found |= {(n["name"], k): t for k, t in enumerate(n["outs"])} | {(n["name"], None): n["outs"][0]}
    return found


def attribute(name, value):
    if isinstance(value, list):
        return f"{name}: ints" if value and all(isinstance(v, int) for v in value) else None
    return next((f"{name}: {word}" for kind, word in KINDS if isinstance(value, kind)), None)


def letters(text):
    """Each of them, then again with a number behind it."""
    return (f"{c}{k or ''}" for k in itertools.count() for c in text)


def definition(op, graphs):
    """The line to begin with: its operands with their dimensions, its numbers, and what is left to say."""
    graph, node = next((g, n) for g in graphs for n in g["nodes"] if n["op"] == op)
    known, out = types(graph), node["outs"][0]
    operands = [known[a["t"], a.get("i")] for a in node["args"] if isinstance(a, dict) and "t" in a]
    numbers = [attribute(f"arg{k}", a) for k, a in enumerate(node["args"])]
    numbers += [attribute(k, a) for k, a in node.get("kwargs", {}).items()]
    numbers = "; " + ", ".join(filter(None, numbers)) if any(numbers) else ""
    index = letters("ijklmnopqrstuvw")
    if out and all(t["shape"] == out["shape"] for t in operands):
        where, into = ["*i"] * len(operands), "*i"
    else:
        where = [", ".join(next(index) for _ in t["shape"]) for t in operands]
        into = ", ".join(next(index) for _ in (out or {"shape": []})["shape"])
    text = ", ".join(f"{name}[{w}]" for name, w in zip(letters("xyzabcdefg"), where))
    return f'op "{op}"({text}{numbers}) -> [{into}] = ..'


def advice(assumptions, graphs):
    """What to write, or "" if everything is known."""
    lines = [definition(op, graphs) for op in named(assumptions) if any(n["op"] == op for g in graphs for n in g["nodes"])]
    if not lines:
        return ""
    return "\n".join([
        "", "what tvr does not know: say it in a file of your own, own.tvr, and give check(.., definitions=\"own.tvr\")",
        *(f"  {line}" for line in lines),
        "  where .. is its value at one index (SPEC.md, section 2); `opaque batch *i` in the place of `= ..` says only that",
        "  an element of the result depends on the same element of the operands", ""])
