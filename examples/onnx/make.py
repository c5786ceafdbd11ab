#!/usr/bin/env python3
"""Writes the models of this folder: before.onnx, after.onnx as a graph pass leaves it, and what a wrong pass leaves.

    pip install onnx && ./make.py
"""
import json
import math
import os
import random

import onnx
from onnx import TensorProto as T
from onnx import helper as h

HERE = os.path.dirname(os.path.abspath(__file__))


def weight(name, *shape, seed=0):
    """Numbers that single precision holds exactly."""
    r = random.Random(f"{name}{seed}")
    n = math.prod(shape)
    return h.make_tensor(name, T.FLOAT, shape, [r.randrange(-64, 65) / 64 for _ in range(n)])


def number(name, value):
    return h.make_tensor(name, T.FLOAT, [], [value])


def ints(name, *values):
    return h.make_tensor(name, T.INT64, [len(values)], values)


def values(t):
    return list(t.float_data)


def node(op, inputs, outputs, **attrs):
    return h.make_node(op, inputs.split(), outputs.split(), name="/" + outputs.split()[0], **attrs)


def save(path, nodes, inputs, outputs, weights, opset=21, **more):
    def info(d):
        return [h.make_tensor_value_info(k, T.FLOAT, v) for k, v in d.items()]

    graph = h.make_graph(nodes, "net", info(inputs), info(outputs), weights)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", opset)] + more.pop("opsets", []), ir_version=10, **more)
    onnx.checker.check_model(model)
    path = os.path.join(HERE, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    onnx.save(model, path)


def expect(path, verdict, wrong=()):
    with open(os.path.join(HERE, path, "expect.json"), "w") as f:
        json.dump({"verdict": verdict, "wrong": list(wrong)}, f)
        f.write("\n")


def case(name, before, after, **broken):
    save(f"{name}/before.onnx", *before)
    save(f"{name}/after.onnx", *after)
    expect(name, "verified")
    for mistake, model in broken.items():
        path = f"{name}/broken/{mistake.replace('_', '-')}"
        save(f"{path}/after.onnx", *model)
        expect(path, "refuted", list(model[2]))


def layer_norm():
    """The eight operators of a layer norm as one."""
    x, y = {"x": [2, 3, 8]}, {"y": [2, 3, 8]}
    scale, bias = weight("scale", 8), weight("bias", 8)
    before = [
        node("ReduceMean", "x axes", "mean"),
        node("Sub", "x mean", "centred"),
        node("Pow", "centred two", "squares"),
        node("ReduceMean", "squares axes", "variance"),
        node("Add", "variance epsilon", "shifted"),
        node("Sqrt", "shifted", "deviation"),
        node("Div", "centred deviation", "normal"),
        node("Mul", "normal scale", "scaled"),
        node("Add", "scaled bias", "y"),
    ]
    weights = [scale, bias, ints("axes", -1), number("two", 2), number("epsilon", 1e-5)]

    def after(**attrs):
        return [node("LayerNormalization", "x scale bias", "y", **{"axis": -1, "epsilon": 1e-5, **attrs})], x, y, [scale, bias]

    case("layer-norm", (before, x, y, weights), after(), epsilon=after(epsilon=1e-3), axis=([
        node("LayerNormalization", "x scale bias", "y", axis=1, epsilon=1e-5)], x, y,
        [h.make_tensor("scale", T.FLOAT, [3, 8], values(scale) * 3), h.make_tensor("bias", T.FLOAT, [3, 8], values(bias) * 3)]))


def gemm():
    """MatMul and Add as Gemm, which takes the weight the other way round: a new initialiser."""
    x, y = {"x": [5, 6]}, {"y": [5, 6]}
    w, b = weight("w", 6, 6), weight("b", 6)
    turned = h.make_tensor("w_folded", T.FLOAT, [6, 6], [values(w)[i * 6 + j] for j in range(6) for i in range(6)])
    before = [node("MatMul", "x w", "h"), node("Add", "h b", "y")]

    def after(weights, **attrs):
        return [node("Gemm", f"x {weights[0].name} b", "y", **attrs)], x, y, weights

    case("gemm", (before, x, y, [w, b]), after([turned, b], transB=1), not_transposed=after([w, b], transB=1),
         half_a_bias=after([turned, b], transB=1, beta=0.5))


def attention(packed=False, order=(0, 1, 2), scale=0.5, perm=(0, 2, 1, 3), late=False):
    """Nodes of attention with two heads of four features."""
    heads = [
        node("Reshape", f"{v} heads", f"{v}1") if not late else node("Reshape", f"{v} heads", f"{v}1") for v in "qkv"
    ] + [node("Transpose", f"{v}1", f"{v}2", perm=list(perm)) for v in "qv"] + [
        node("Transpose", "k1", "k2", perm=[0, 2, 3, 1])
    ]
    if packed:
        first = [node("MatMul", "x w_qkv", "qkv"),
                 node("Split", "qkv", " ".join("qkv"[k] for k in order), axis=-1, num_outputs=3)]
    else:
        first = [node("MatMul", f"x w_{v}", v) for v in "qkv"]
    return first + heads + [
        node("MatMul", "q2 k2", "scores"),
        node("Mul", "scores scale", "scaled"),
        node("Softmax", "scaled", "weights"),
        node("MatMul", "weights v2", "values"),
        node("Transpose", "values", "back", perm=[0, 2, 1, 3]),
        node("Reshape", "back flat", "y"),
    ], [ints("heads", 0, 0, 2, 4), ints("flat", 0, 0, -1), number("scale", scale)]


def qkv():
    """The three projections of attention as one product with a packed weight."""
    x, y = {"x": [2, 5, 8]}, {"y": [2, 5, 8]}
    w = [weight(f"w_{v}", 8, 8) for v in "qkv"]
    packed = h.make_tensor("w_qkv", T.FLOAT, [8, 24], [values(w[k])[i * 8 + j] for i in range(8) for k in range(3) for j in range(8)])

    def after(**options):
        nodes, more = attention(packed=True, **options)
        return nodes, x, y, [packed] + more

    nodes, more = attention()
    case("fused-qkv", (nodes, x, y, w + more), after(), keys_for_values=after(order=(0, 2, 1)), scale=after(scale=0.25))


def shapes():
    """Shapes computed in the graph become constants."""
    x, y = {"x": [2, 6, 8]}, {"y": [2, 4, 6, 2]}
    one = h.make_tensor("one", T.INT64, [], [1])
    zero = h.make_tensor("zero", T.INT64, [], [0])
    before = [
        node("Shape", "x", "shape"),
        node("Gather", "shape zero", "batch"),
        node("Gather", "shape one", "length"),
        node("Unsqueeze", "batch first", "batch1"),
        node("Unsqueeze", "length first", "length1"),
        node("Concat", "batch1 length1 heads rest", "split", axis=0),
        node("Reshape", "x split", "apart"),
        node("Transpose", "apart", "turned", perm=[0, 2, 1, 3]),
        node("Slice", "turned starts ends axes steps", "reversed"),
        node("Range", "zero_f length_f one_f", "positions"),
        node("Cast", "length", "length_f", to=T.FLOAT),
        node("Unsqueeze", "positions last", "column"),
        node("Mul", "reversed column", "y"),
    ]
    before = before[:9] + [before[10], before[9]] + before[11:]
    weights = [zero, one, ints("first", 0), ints("heads", 4), ints("rest", -1), ints("last", -1), ints("starts", -1),
               ints("ends", -100), ints("axes", 2), ints("steps", -1), number("zero_f", 0), number("one_f", 1)]

    def after(shape=(2, 6, 4, 2), positions=(0, 1, 2, 3, 4, 5), start=-1):
        return [
            node("Reshape", "x split", "apart"),
            node("Transpose", "apart", "turned", perm=[0, 2, 1, 3]),
            node("Slice", "turned starts ends axes steps", "reversed"),
            node("Mul", "reversed column", "y"),
        ], x, y, [ints("split", *shape), ints("starts", start), ints("ends", -100), ints("axes", 2), ints("steps", -1),
                  h.make_tensor("column", T.FLOAT, [6, 1], positions)]

    case("folded-shapes", (before, x, y, weights), after(), positions=after(positions=(1, 2, 3, 4, 5, 6)),
         order=([node("Transpose", "x", "turned", perm=[0, 2, 1]), node("Reshape", "turned split", "reversed"),
                 node("Mul", "reversed column", "y")], x, y,
                [ints("split", 2, 4, 6, 2), h.make_tensor("column", T.FLOAT, [6, 1], (0, 1, 2, 3, 4, 5))]))


def gelu():
    """A function of the model, written out, as the operator; and what does not depend on position first."""
    x, y = {"x": [3, 8]}, {"y": [4, 3]}
    w = weight("w", 8, 4)
    function = h.make_function("local", "Erf_gelu", ["a"], ["b"], [
        node("Constant", "", "two", value=number("", 2)),
        node("Sqrt", "two", "root"),
        node("Div", "a root", "scaled"),
        node("Erf", "scaled", "e"),
        node("Constant", "", "one", value=number("", 1)),
        node("Add", "e one", "up"),
        node("Constant", "", "half", value_float=0.5),
        node("Mul", "a half", "halved"),
        node("Mul", "halved up", "b"),
    ], [h.make_opsetid("", 21)])
    before = [
        node("MatMul", "x w", "m"),
        h.make_node("Erf_gelu", ["m"], ["g"], domain="local", name="/act"),
        node("Transpose", "g", "y", perm=[1, 0]),
    ]

    def save_before(*model):
        save("gelu/before.onnx", *model, opsets=[h.make_opsetid("local", 1)], functions=[function])

    def after(**attrs):
        return [node("MatMul", "x w", "m"), node("Transpose", "m", "t", perm=[1, 0]), node("Gelu", "t", "y", **attrs)], x, y, [w]

    case("gelu", after(), after(), tanh=after(approximate="tanh"))
    save(*("gelu/before.onnx", before, x, y, [w]), opsets=[h.make_opsetid("local", 1)], functions=[function])


def convolution():
    """A classifier: the padding becomes part of the convolution, batch normalisation moves behind ReLU's input, global
    pooling replaces a mean."""
    x, y = {"x": [2, 3, 8, 8]}, {"y": [2, 10]}
    w, b = weight("w", 4, 3, 3, 3), weight("b", 4)
    bn = [weight("bn_scale", 4), weight("bn_bias", 4), weight("bn_mean", 4),
          h.make_tensor("bn_var", T.FLOAT, [4], [0.25, 0.5, 1.5, 2])]
    dense, dense_b = weight("dense", 10, 4), weight("dense_b", 10)
    before = [
        node("Pad", "x pads", "padded"),
        node("Conv", "padded w b", "c"),
        node("BatchNormalization", "c bn_scale bn_bias bn_mean bn_var", "n", epsilon=1e-5),
        node("Relu", "n", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2]),
        node("ReduceMean", "p axes", "pooled", keepdims=0),
        node("Gemm", "pooled dense dense_b", "y", transB=1),
    ]
    weights = [w, b, *bn, dense, dense_b]

    def after(pads=(1, 1, 1, 1), strides=(2, 2), turned=False):
        spread = h.make_tensor("column", T.INT64, [3], [-1, 1, 1])
        return [
            node("Conv", "x w", "c", pads=list(pads)),
            node("Unsqueeze", "b two", "b1"),
            node("Unsqueeze", "b1 two", "b2"),
            node("Add", "c b2", "biased"),
            node("BatchNormalization", "biased bn_scale bn_bias bn_mean bn_var", "n", epsilon=1e-5),
            node("Clip", "n zero", "r"),
            node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=list(strides)),
            node("GlobalAveragePool", "p", "g"),
            node("Flatten", "g", "flat"),
            node("Gemm", "flat dense dense_b", "y", transB=1),
        ], x, y, weights + [ints("two", 1), number("zero", 0)]

    case("classifier", (before, x, y, weights + [ints("pads", 0, 0, 1, 1, 0, 0, 1, 1), ints("axes", 2, 3)]), after(),
         padding=after(pads=(2, 2, 0, 0)), stride=after(strides=(1, 1)))


def folded():
    """Batch normalisation folded into the convolution before it: a new kernel and bias, rounded to single precision."""
    x, y = {"x": [2, 3, 6, 6]}, {"y": [2, 4, 6, 6]}
    w = weight("w", 4, 3, 3, 3)
    scale, bias, mean = (weight(f"bn_{n}", 4) for n in ("scale", "bias", "mean"))
    var = h.make_tensor("bn_var", T.FLOAT, [4], [0.25, 0.5, 1.5, 2])
    before = [node("Conv", "x w", "c", pads=[1, 1, 1, 1]),
              node("BatchNormalization", "c bn_scale bn_bias bn_mean bn_var", "n", epsilon=1e-5),
              node("Relu", "n", "y")]

    def after(epsilon=1e-5, lost=1):
        factor = [s / math.sqrt(v + epsilon) for s, v in zip(values(scale), values(var))]
        kernel = [v * factor[k // 27] for k, v in enumerate(values(w))]
        shift = [b - lost * m * f for b, m, f in zip(values(bias), values(mean), factor)]
        return [node("Conv", "x w_folded b_folded", "c", pads=[1, 1, 1, 1]), node("Relu", "c", "y")], x, y, [
            h.make_tensor("w_folded", T.FLOAT, [4, 3, 3, 3], kernel), h.make_tensor("b_folded", T.FLOAT, [4], shift)]

    case("folded-norm", (before, x, y, [w, scale, bias, mean, var]), after(), epsilon=after(epsilon=1e-3),
         mean_lost=after(lost=0))


def attention_operator():
    """Attention written out, as the one operator of ONNX Runtime; its weights are packed."""
    x, y = {"x": [2, 5, 8]}, {"y": [2, 5, 8]}
    w = [weight(f"w_{v}", 8, 8) for v in "qkv"]
    nodes, more = attention()

    def after(order=(0, 1, 2), **attrs):
        packed = h.make_tensor("w_qkv", T.FLOAT, [8, 24],
                               [values(w[k])[i * 8 + j] for i in range(8) for k in order for j in range(8)])
        attrs = {"num_heads": 2, "scale": 0.5, **attrs}
        return [h.make_node("Attention", ["x", "w_qkv"], ["y"], domain="com.microsoft", name="/attention", **attrs)], x, y, [packed]

    def save_model(path, model):
        save(path, *model, opsets=[h.make_opsetid("com.microsoft", 1)])

    save("fused-attention/before.onnx", nodes, x, y, w + more)
    save_model("fused-attention/after.onnx", after())
    expect("fused-attention", "verified")
    for mistake, model in {"heads": after(num_heads=4), "keys-for-queries": after(order=(1, 0, 2)), "scale": after(scale=0.25)}.items():
        save_model(f"fused-attention/broken/{mistake}/after.onnx", model)
        expect(f"fused-attention/broken/{mistake}", "refuted", ["y"])


for make in (layer_norm, gemm, qkv, shapes, gelu, convolution, folded, attention_operator):
    make()
