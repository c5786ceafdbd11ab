#!/usr/bin/env python3
"""Writes the models in files/, most of them wrong:  pip install onnx && ./make.py"""
import math
import os

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files")


def node(op, inputs, outputs, **attrs):
    return h.make_node(op, inputs.split(), outputs.split(), name="/" + outputs.split()[0], **attrs)


def model(nodes, inputs={"x": [2, 3]}, outputs={"y": [2, 3]}, weights=(), opset=21, more=(), **options):
    def info(d):
        return [h.make_tensor_value_info(k, T.FLOAT, v) for k, v in d.items()]

    graph = h.make_graph(nodes, "net", info(inputs), info(outputs), weights, value_info=info(dict(more)))
    opsets = [h.make_opsetid("", opset)] + options.pop("opsets", [])
    return h.make_model(graph, opset_imports=opsets, ir_version=10, **options)


def save(name, *args, **options):
    with open(os.path.join(HERE, name + ".onnx"), "wb") as f:
        f.write(model(*args, **options).SerializeToString())


def outside(name, location, **more):
    """A weight whose values are in another file."""
    w = T(name="w", dims=[3], data_type=T.FLOAT, data_location=T.EXTERNAL)
    for key, value in {"location": location, **more}.items():
        w.external_data.add(key=key, value=str(value))
    save(name, [node("Add", "x w", "y")], weights=[w])


relu = [node("Relu", "x", "y")]
whole = model(relu).SerializeToString()
for name, data in {
    "cut": whole[:-3], "no-graph": b"\x08\x0a\x12\x01a", "endless": b"\x08" + b"\xff" * 11, "group": b"\x08\x0a\x0b",
    "long-field": b"\x08\x0a\x3a\xff\xff\x03\x00", "bad-name": whole.replace(b"/y", b"\xff\x01"),
}.items():
    with open(os.path.join(HERE, name + ".onnx"), "wb") as f:
        f.write(data)

with open(os.path.join(HERE, "weights.bin"), "wb") as f:
    f.write(bytes.fromhex("00000000" "0000003f" "0000c03f" "000000c0"))
outside("external", "weights.bin", offset=4, length=12)
outside("external-short", "weights.bin", offset=8, length=12)
outside("external-up", "../files/weights.bin")
outside("external-absolute", "/etc/hostname")
outside("external-link", "link.bin")
outside("external-missing", "none.bin")
if not os.path.islink(os.path.join(HERE, "link.bin")):
    os.symlink("../make.py", os.path.join(HERE, "link.bin"))

save("twice", [node("Relu", "x", "y"), node("Tanh", "x", "y")])
save("undefined", [node("Add", "x z", "y")])
save("cyclic", [node("Add", "x b", "a"), node("Add", "x a", "b"), node("Add", "a b", "y")])
save("old", relu, opset=11)
save("no-opset", relu, opset=0)
save("fit", [node("Add", "x w", "y")], weights=[h.make_tensor("w", T.FLOAT, [4], [1, 2, 3, 4.5])])
save("declared", relu, outputs={"y": [2, 4]})
save("values", [node("Add", "x w", "y")],
     weights=[T(name="w", dims=[3], data_type=T.FLOAT, raw_data=b"\x00" * 8)])
save("strings", [node("Add", "x w", "y")], weights=[T(name="w", dims=[1], data_type=T.STRING, string_data=[b"a"])])
save("open", relu, inputs={"x": ["batch", "width"]}, outputs={"y": ["batch", "width"]})
save("nameless", relu, inputs={"x": [None, 3]}, outputs={"y": [None, 3]})
save("large", [node("Add", "x w", "y")],
     weights=[h.make_tensor("w", T.FLOAT, [2, 3], [0.5, 1.5, 2.25, 3.5, 4.5, 5.75])])

branch = h.make_graph([node("Identity", "x", "z")], "branch", [], [h.make_tensor_value_info("z", T.FLOAT, [2, 3])])
save("branches", [node("If", "c", "y", then_branch=branch, else_branch=branch)],
     weights=[h.make_tensor("c", T.BOOL, [], [True])])

# An operator that nobody knows: the same function of the same operands, wherever it stands.
custom = [h.make_opsetid("my", 1)]
mine = [h.make_node("Mine", ["x", "", "x"], ["m"], name="/m", domain="my", size=3)]
save("unknown", mine + [node("Relu", "m", "y")], opsets=custom, more={"m": [2, 3]})
save("unknown-after", mine + [node("Max", "zero m", "y")], opsets=custom, more={"m": [2, 3]},
     weights=[h.make_tensor("zero", T.FLOAT, [], [0])])
other = [h.make_node("Mine", ["x", "", "x"], ["m"], name="/m", domain="my", size=4)]
save("unknown-other", other + [node("Relu", "m", "y")], opsets=custom, more={"m": [2, 3]})
save("unknown-shape", mine + [node("Relu", "m", "y")], opsets=custom)


def function(name, nodes, attributes=()):
    return h.make_function("my", name, ["a"], ["b"], nodes, [h.make_opsetid("", 21), *custom], attributes)


def call(name, a, b, **attrs):
    return h.make_node(name, [a], [b], domain="my", **attrs)


endless = [function("F", [call("F", "a", "b")])]
save("recursion", [call("F", "x", "y")], opsets=custom, functions=endless)
many = [function("F0", [node("Relu", "a", "b")])] + [
    function(f"F{k}", [call(f"F{k - 1}", "a", "c"), call(f"F{k - 1}", "c", "b")]) for k in range(1, 40)]
save("many", [call("F39", "x", "y")], opsets=custom, functions=many)

# An attribute of a function's operator is that of the call.
leaky = h.make_node("LeakyRelu", ["a"], ["b"], name="/leaky")
leaky.attribute.add(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
leaks = [function("Leaky", [leaky], ["slope"])]
save("attribute", [call("Leaky", "x", "y", slope=0.25)], opsets=custom, functions=leaks)
save("attribute-other", [call("Leaky", "x", "y", slope=0.5)], opsets=custom, functions=leaks)
save("attribute-inlined", [node("LeakyRelu", "x", "y", alpha=0.25)])

# Weights: changed, doubled, under other names; inputs and outputs under other names and in another order.
def linear(name, w, weights, x="x", outputs=("y", "z")):
    r = {"y": "y" if outputs[0] in "yz" else outputs[0], "z": "z" if outputs[0] in "yz" else outputs[1]}
    save(name, [node("MatMul", f"{x} {w}", r["y"]), node("Relu", r["y"], r["z"])], inputs={x: [2, 3]},
         outputs={k: [2, 2] for k in outputs}, weights=weights)


w = h.make_tensor("w", T.FLOAT, [3, 2], [0.5, 1.5, -2.25, 3.5, -4.5, 5.75])
linear("linear", "w", [w])
linear("linear-changed", "w", [h.make_tensor("w", T.FLOAT, [3, 2], [0.5, 1.5, -2.25, 3.5, -4.5, 5.5])])
linear("linear-renamed", "v", [h.make_tensor("v", T.FLOAT, [3, 2], list(w.float_data))])
linear("linear-swapped", "w", [w], outputs=("z", "y"))
linear("linear-names", "w", [w], x="input", outputs=("first", "second"))
save("linear-doubled", [node("MatMul", "x w2", "d"), node("Mul", "d half", "y"), node("Relu", "y", "z")],
     outputs={"y": [2, 2], "z": [2, 2]},
     weights=[h.make_tensor("w2", T.FLOAT, [3, 2], [2 * v for v in w.float_data]), h.make_tensor("half", T.FLOAT, [], [0.5])])


def gelu(name, root):
    save(name, [node("Div", "x root", "scaled"), node("Erf", "scaled", "e"), node("Add", "e one", "up"),
                node("Mul", "x up", "twice"), node("Mul", "twice half", "y")],
         weights=[h.make_tensor(k, T.FLOAT, [], [v]) for k, v in {"root": root, "one": 1, "half": 0.5}.items()])


# Literals that are rounded square roots, and one that is rounded too much.
save("gelu", [node("Gelu", "x", "y")])
gelu("gelu-root", 2 ** 0.5)
gelu("gelu-short", 1.4142)


# A mask computed, and as a constant.
def masked(name, nodes, weights):
    save(name, nodes + [node("Add", "x mask", "m"), node("Softmax", "m", "y")], inputs={"x": [2, 4, 4]},
         outputs={"y": [2, 4, 4]}, weights=weights)


def mask(offset):
    inf = float("inf")
    return h.make_tensor("mask", T.FLOAT, [1, 4, 4], [0 if j <= i + offset else -inf for i in range(4) for j in range(4)])


masked("mask", [node("Trilu", "ones", "triangle", upper=0), node("Cast", "triangle", "seen", to=T.BOOL),
                node("Where", "seen zero inf", "mask")],
       [h.make_tensor("ones", T.FLOAT, [4, 4], [1] * 16), h.make_tensor("zero", T.FLOAT, [], [0]),
        h.make_tensor("inf", T.FLOAT, [], [-float("inf")])])
masked("mask-constant", [], [mask(0)])
masked("mask-shifted", [], [mask(1)])

# Pieces of a sequence.
one = [h.make_tensor(str(k), T.INT64, [], [k]) for k in range(3)]
save("sequence", [node("SplitToSequence", "x 1", "s", axis=1), node("SequenceAt", "s 2", "a"), node("SequenceAt", "s 0", "b"),
                  node("Sub", "a b", "y")], outputs={"y": [2, 1]}, weights=one)
save("sequence-length", [node("SplitToSequence", "x 1", "s", axis=1), node("SequenceLength", "s", "n"),
                         node("Cast", "n", "y", to=T.FLOAT)], outputs={"y": []}, weights=one)
save("split", [node("Split", "x", "a b c", axis=1, num_outputs=3), node("Sub", "c a", "y")], outputs={"y": [2, 1]})
save("split-other", [node("Split", "x", "a b c", axis=1, num_outputs=3), node("Sub", "c b", "y")], outputs={"y": [2, 1]})

# What a negative pad cuts off: is it repeated on the other side?  A whole number to a power that is none is whole.
save("pad-cut", [node("Pad", "x pads none axes", "y", mode="wrap")],
     weights=[h.make_tensor("pads", T.INT64, [2], [-1, 1]), h.make_tensor("none", T.FLOAT, [], [0]),
              h.make_tensor("axes", T.INT64, [1], [1])])
save("pad-turned", [node("Gather", "x places", "y", axis=1)], weights=[h.make_tensor("places", T.INT64, [3], [1, 2, 0])])
half = [h.make_tensor("half", T.FLOAT, [], [0.5])]
save("power-whole", [node("Cast", "x", "n", to=T.INT64), node("Pow", "n half", "p"), node("Cast", "p", "y", to=T.FLOAT)],
     weights=half)
save("power-real", [node("Cast", "x", "n", to=T.INT64), node("Cast", "n", "r", to=T.FLOAT), node("Pow", "r half", "y")],
     weights=half)

# What a pass computes from weights, which no input reaches, is a new initialiser, rounded.
folds = {"Neg": np.negative, "Abs": np.abs, "Identity": lambda a: a, "Sqrt": np.sqrt, "Reciprocal": lambda a: 1 / a,
         "Exp": np.exp, "Log": np.log, "Sin": np.sin, "Cos": np.cos, "Tanh": np.tanh, "Erf": np.vectorize(math.erf),
         "Sigmoid": lambda a: 1 / (1 + np.exp(-a)), "Softplus": lambda a: np.log1p(np.exp(a)), "Relu": lambda a: np.maximum(a, 0)}
pairs = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Max": np.maximum,
         "Min": np.minimum}
a, b = np.array([[0.7, 1.3, 0.1], [2.9, 0.3, 1.1]], np.float32), np.array([[1.7, 0.9, 2.3], [0.2, 1.9, 0.6]], np.float32)
signed = np.array([[-1.0, 0.4, 0.8], [-2.7, 1.6, -0.5]], np.float32)
numbers = {"weight_a": a, "weight_b": b, "signed": signed, "zero": np.float32(0), "three": np.float32(3), "many": np.float32(4000), "step": np.float32(0.7),
           "axes": np.array([1])}
made = {op: ([node(op, "weight_a", f"v_{op}")], f(a.astype(float))) for op, f in folds.items()}
made |= {op: ([node(op, "signed", f"v_{op}")], folds[op](signed)) for op in ("Abs", "Relu")}
made |= {op: ([node(op, "weight_a weight_b", f"v_{op}")], f(a.astype(float), b)) for op, f in pairs.items()}
made |= {
    "Where": ([node("Less", "weight_a weight_b", "less"), node("Where", "less weight_b weight_a", "v_Where")], np.where(a < b, b, a)),
    "Largest": ([node("GreaterOrEqual", "weight_a step", "least"), node("Where", "least weight_a zero", "v_Largest")],
                np.where(a >= 0.7, a, 0)),
    "Concat": ([node("Sin", "weight_a", "sine"), node("Concat", "weight_b sine", "both", axis=0),
                node("Slice", "both one3 three3 first", "v_Concat")], np.concatenate([b, np.sin(a)])[1:3]),
    "Flip": ([node("Slice", "weight_a last3 least3 second backwards", "flipped"),
              node("Exp", "flipped", "v_Flip")], np.exp(a[:, ::-1])),
    "Turn": ([node("Transpose", "weight_a", "turned"), node("Cos", "turned", "cosine"), node("Reshape", "cosine shape", "v_Turn")],
             np.cos(a.T).reshape(2, 3)),
    "Spread": ([node("ReduceMean", "weight_a axes", "mean", keepdims=1), node("Expand", "mean shape", "v_Spread")],
               a.astype(float).mean(1, keepdims=True).repeat(3, 1)),
    "Total": ([node("ReduceSum", "weight_a axes", "total", keepdims=1), node("Mul", "total weight_b", "v_Total")],
              a.astype(float).sum(1, keepdims=True) * b),
    "Product": ([node("Transpose", "weight_b", "other"), node("MatMul", "weight_a other", "square"),
                 node("MatMul", "square weight_b", "v_Product")],
                a.astype(float) @ b.T @ b),
    "Range": ([node("Range", "zero three step", "range"), node("Slice", "range one3 four3", "some"),
               node("Mul", "weight_a some", "v_Range")],
              a * (0.7 * np.arange(1, 4))),
}
made |= {
    "Long": ([node("Range", "zero many step", "long"), node("Slice", "long one3 four3", "few"), node("Mul", "weight_b few", "v_Long")],
             b * (0.7 * np.arange(1, 4))),
    "Cast": ([node("Cast", "weight_a", "double", to=T.DOUBLE), node("Sin", "double", "sines"), node("Cast", "sines", "v_Cast", to=T.FLOAT)],
             np.sin(a.astype(float))),
    "Unit": ([node("LpNormalization", "signed", "v_Unit", axis=1)], signed / np.sqrt((signed.astype(float) ** 2).sum(1, keepdims=True))),
}
places = {"one3": [1], "three3": [3], "four3": [4], "first": [0], "second": [1], "last3": [-1], "least3": [-9],
          "backwards": [-1], "shape": [2, 3]}


def constants(values):
    return [numpy_helper.from_array(np.asarray(v), k) for k, v in values.items()]


def folded(name, off=1.0, computed=False):
    outputs = {f"y_{k}": [2, 3] for k in made}
    last = [node("Mul", f"x v_{k}", f"y_{k}") for k in made]
    if computed:
        nodes = [n for nodes, _ in made.values() for n in nodes]
        weights = {**numbers, **{k: np.array(v) for k, v in places.items()}}
    else:
        nodes, weights = [], {f"v_{k}": (off * v).astype(np.float32) for k, (_, v) in made.items()}
    save(name, nodes + last, outputs=outputs, weights=constants(weights))


folded("fold", computed=True)
folded("fold-done")
folded("fold-off", off=1 + 1e-5)

# A product over nothing is 0.
exponent = np.array([0.1, 0.2, 0.3], np.float32)
save("fold-nothing", [node("MatMul", "p q", "none"), node("Add", "x none", "u"), node("Exp", "c", "v"), node("Add", "u v", "y")],
     weights=constants({"p": np.zeros((2, 0), np.float32), "q": np.zeros((0, 3), np.float32), "c": exponent}))
save("fold-nothing-done", [node("Add", "x v", "y")], weights=constants({"v": np.exp(exponent)}))

# Two tensors in one file.
both = [T(name=k, dims=[3], data_type=T.FLOAT, data_location=T.EXTERNAL) for k in ("w", "v")]
for k, w in enumerate(both):
    for key, value in {"location": "weights.bin", "offset": 4 * k, "length": 12}.items():
        w.external_data.add(key=key, value=str(value))
save("external-both", [node("Mul", "x v", "m"), node("Add", "m w", "y")], weights=both)

# Where PyTorch's exporter says a node comes from.
traced = node("Mul", "x two", "y")
traced.metadata_props.add(key="pkg.torch.onnx.stack_trace", value='File "models/net.py", line 30, in main\n    net(x)\n'
                          'File "models/net.py", line 12, in forward\n    return x * 2')
save("traced", [traced], weights=constants({"two": np.float32(3)}))
save("traced-before", [node("Add", "x x", "y")])

# Random numbers are no function of their operands; a graph inside an unknown operator is known by its bytes.
noise = [node("RandomNormalLike", "x", "a"), node("RandomNormalLike", "x", "b"), node("Sub", "a b", "c"), node("Add", "x c", "y")]
save("random", noise, more={"a": [2, 3], "b": [2, 3]})
save("random-none", [node("Identity", "x", "y")])


def applied(name, op):
    body = h.make_graph([h.make_node(op, ["w"], ["z"])], "body", [], [h.make_tensor_value_info("z", T.FLOAT, [2, 3])])
    unknown = h.make_node("Apply", ["x"], ["m"], name="/m", domain="my", body=body)
    save(name, [node("Tanh", "x", "w"), unknown, node("Relu", "m", "y")], opsets=custom, more={"m": [2, 3]})


applied("applied", "Exp")
applied("applied-other", "Sin")

# ONNX Runtime's group norm has the channels last, and perhaps an activation.
norm = {"scale": np.array([1.5, 0.5, 2, 1], np.float32), "shift": np.array([0.25, -1, 0.75, 3], np.float32)}
images = {"inputs": {"x": [2, 3, 3, 4]}, "outputs": {"y": [2, 3, 3, 4]}, "opsets": [h.make_opsetid("com.microsoft", 1)]}


def grouped(name, groups, *then):
    save(name, [node("Transpose", "x", "t", perm=[0, 3, 1, 2]), node("GroupNormalization", "t scale shift", "n", num_groups=groups),
                *then, node("Transpose", "m", "y", perm=[0, 2, 3, 1])], weights=constants(norm), **images)


silu = [node("Sigmoid", "n", "s"), node("Mul", "n s", "m")]
grouped("group-norm", 2, *silu)
grouped("group-norm-groups", 4, *silu)
grouped("group-norm-plain", 2, node("Identity", "n", "m"))
save("group-norm-fused", [h.make_node("GroupNorm", ["x", "scale", "shift"], ["y"], domain="com.microsoft", name="/y", groups=2,
                                      activation=1, epsilon=1e-5)], weights=constants(norm), **images)

# Pieces of a sequence without the dimension that was cut; halves of all kinds.
save("sequence-each", [node("SplitToSequence", "x", "s", axis=1, keepdims=0), node("SequenceAt", "s 2", "a"),
                       node("SequenceAt", "s 0", "b"), node("Sub", "a b", "y")], outputs={"y": [2]}, weights=one)
save("sequence-taken", [node("Gather", "x 2", "a", axis=1), node("Gather", "x 0", "b", axis=1), node("Sub", "a b", "y")],
     outputs={"y": [2]}, weights=one)
halves = [0x3c00, 0xbe00, 0x0001, 0x8400, 0x7bff, 0xfc00]
save("halves", [node("Cast", f"w{k}", f"y{k}", to=T.FLOAT) for k in range(2)], outputs={f"y{k}": [6] for k in range(2)}, weights=[
    T(name=f"w{k}", dims=[6], data_type=t, raw_data=np.array(halves, "<u2").tobytes())
    for k, t in enumerate([T.FLOAT16, T.BFLOAT16])])

# A factor that stands behind movements of a product's channels moves into its weight.
factor = np.array([0.5, 1.5, -2, 0.75], np.float32)
plain = np.array([[0.1, 0.2, -0.3, 0.4], [1.1, -0.6, 0.7, 0.9], [-0.8, 0.3, 1.7, 0.2]], np.float32)
channels = {"outputs": {"y": [1, 4, 2]}}
behind = [node("MatMul", "x w", "h"), node("Reshape", "h apart", "a")]
apart = {"apart": np.array([1, 2, 4])}
save("moved", behind + [node("Transpose", "a", "t", perm=[0, 2, 1]), node("Mul", "t factor", "y")], weights=constants({"w": plain, "factor": factor[:, None], **apart}), **channels)
for name, by in ("moved-folded", factor), ("moved-turned", factor[::-1]):
    save(name, behind + [node("Transpose", "a", "y", perm=[0, 2, 1])], weights=constants({"w": plain * by, **apart}), **channels)
