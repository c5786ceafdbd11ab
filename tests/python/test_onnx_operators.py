"""What ONNX operators mean: `tvr eval` of one node against ONNX Runtime, or against ONNX's own evaluator where that has none.

A value that tvr does not know (an operator without a definition) is left out; a known one must agree."""
import json

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
runtime = pytest.importorskip("onnxruntime")
from onnx import helper as h
from onnx import numpy_helper
from onnx.reference import ReferenceEvaluator

from evaluated import agree, evaluated

RANDOM = np.random.default_rng(0)
OPSETS = [h.make_opsetid("", 23), h.make_opsetid("com.microsoft", 1)]
E = np.array([-2.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2.5, 3.75], np.float32)
I, J = np.array([-7, -3, -1, 0, 1, 2, 5, 9]), np.array([2, -2, 3, 5, -4, 3, 2, -5])
KINDS = "cases",


class Known(np.ndarray):
    """An operand that is an initialiser."""


def known(*x, of=np.int64):
    return np.array(x, of).view(Known)


def scalar(x, of=np.int64):
    return np.array(x, of).view(Known)


def r(*shape):
    return (np.round(RANDOM.normal(size=shape) * 16) / 8).astype(np.float32)


def p(*shape):
    return np.abs(r(*shape)) + np.float32(0.25)


def n(lo, hi, *shape):
    return RANDOM.integers(lo, hi, size=shape)


def b(*shape):
    return n(0, 2, *shape).astype(bool)


def node(op, *args, outputs=1, name=None, **attributes):
    """(name, operator, operands, attributes, results); None is an operand that is left out."""
    return name or op, op, args, attributes, outputs


def elementwise():
    for op in ("Abs Sign Floor Ceil Round Exp Erf Sin Cos Tan Atan Sinh Cosh Tanh Asinh Sigmoid Relu Softplus Softsign Mish"
               " HardSwish Neg Identity LeakyRelu Elu Celu Selu HardSigmoid ThresholdedRelu IsNaN").split():
        yield node(op, E)
    for op in "Log Sqrt Reciprocal Acosh".split():
        yield node(op, p(6) + 1)
    for op in "Asin Acos Atanh".split():
        yield node(op, E / 4)
    for approximate in "none", "tanh":
        yield node("Gelu", E, approximate=approximate)
    yield node("LeakyRelu", E, alpha=0.3)
    yield node("Selu", E, alpha=1.5, gamma=0.7)
    yield node("HardSigmoid", E, alpha=0.3, beta=0.4)
    yield node("ThresholdedRelu", E, alpha=0.7)
    for op in "Add Sub Mul Equal Less LessOrEqual Greater GreaterOrEqual".split():
        yield node(op, r(3, 4), r(4))
    yield node("Div", r(3, 4), p(4))
    yield node("Div", I, J)
    yield node("Pow", p(3, 4), r(4))
    yield node("Mod", I, J)
    yield node("Mod", E, p(10), fmod=1)
    yield node("PRelu", r(3, 4), r(4))
    for op in "Sum Mean Max Min".split():
        yield node(op, r(3, 4), r(4), r(3, 1))
    for op in "And Or Xor".split():
        yield node(op, b(3, 4), b(4))
    yield node("Not", b(4))
    for op in "BitwiseAnd BitwiseOr BitwiseXor".split():
        yield node(op, I, J)
    yield node("BitwiseNot", I)
    yield node("Where", b(3, 1), r(3, 4), r(4))
    yield node("Clip", E, scalar(-1, np.float32), scalar(1.5, np.float32))
    yield node("Clip", E, None, scalar(0.5, np.float32))
    yield node("Clip", E, np.array(1, np.float32), np.array(-1, np.float32))
    for to in onnx.TensorProto.INT32, onnx.TensorProto.BOOL, onnx.TensorProto.DOUBLE:
        yield node("Cast", E, to=to)
    yield node("CastLike", E, I)
    yield node("Dropout", E)
    yield node("DequantizeLinear", n(-9, 9, 2, 6).astype(np.int8), p(6), n(-3, 3, 6).astype(np.int8), axis=1)
    yield node("DequantizeLinear", n(-9, 9, 2, 6).astype(np.int8), scalar(0.5, np.float32))
    yield node("QuickGelu", E, domain="com.microsoft")
    yield node("QuickGelu", E, domain="com.microsoft", alpha=0.5)
    yield node("Gelu", E, domain="com.microsoft")
    yield node("BiasGelu", r(3, 4), r(4), domain="com.microsoft")
    yield node("FastGelu", r(3, 4), r(4), domain="com.microsoft")


def reductions():
    for op in "ReduceSum ReduceMean ReduceMax ReduceMin ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp".split():
        yield node(op, p(2, 3, 4), known(1), name=op + "_middle")
        yield node(op, p(2, 3, 4), known(0, -1), keepdims=0, name=op + "_ends")
        yield node(op, p(2, 3), name=op + "_all")
        yield node(op, p(2, 3), known(), noop_with_empty_axes=1, name=op + "_none")
    for op in "ArgMax", "ArgMin":
        yield node(op, np.round(r(3, 5)), axis=1)
        yield node(op, np.round(r(3, 5)), axis=0, keepdims=0)
        yield node(op, np.round(r(3, 5)), axis=-1, select_last_index=1, name=op + "_last")
    for op in "Softmax", "LogSoftmax":
        yield node(op, r(2, 3, 4))
        yield node(op, r(2, 3, 4), axis=1)
    for exclusive in 0, 1:
        for reverse in 0, 1:
            yield node("CumSum", r(2, 4), scalar(1), exclusive=exclusive, reverse=reverse)
    yield node("TopK", r(3, 5), known(2), outputs=2)
    yield node("TopK", r(5, 3), known(3), axis=0, largest=0, outputs=2)
    yield node("LpNormalization", r(3, 4), axis=1)
    yield node("LpNormalization", r(3, 4), axis=0, p=1)
    for reduction in "none", "sum", "mean":
        yield node("SoftmaxCrossEntropyLoss", r(4, 3), n(0, 3, 4), reduction=reduction)
        yield node("NegativeLogLikelihoodLoss", r(2, 3, 4), n(0, 3, 2, 4), reduction=reduction)
    yield node("SoftmaxCrossEntropyLoss", r(4, 3), np.array([0, 2, 1, 2]), ignore_index=2)


def moves():
    yield node("Reshape", r(2, 3, 4), known(0, -1))
    yield node("Reshape", r(2, 3, 4), known(4, 6))
    for axis in 0, 1, -1:
        yield node("Flatten", r(2, 3, 4), axis=axis)
    yield node("Squeeze", r(1, 3, 1), known(2))
    yield node("Squeeze", r(1, 3, 1))
    yield node("Unsqueeze", r(3, 2), known(0, -1))
    yield node("Transpose", r(2, 3, 4))
    yield node("Transpose", r(2, 3, 4), perm=[1, 2, 0])
    yield node("Concat", r(2, 3), r(2, 1), r(2, 2), axis=1)
    yield node("Split", r(5, 2), known(2, 3), axis=0, outputs=2)
    yield node("Split", r(2, 5), axis=1, num_outputs=3, outputs=3)
    yield node("Slice", r(5, 6), known(1, 4), known(4, 0), known(0, 1), known(1, -1))
    yield node("Slice", r(5, 6), known(-3), known(99), known(1), known(2))
    yield node("Slice", r(5, 6), known(1, 1), known(-1, 5))
    yield node("Slice", r(5), known(-1), known(-(2**31)), known(0), known(-1))
    yield node("Gather", r(4, 3), np.array([[0, -1], [2, 2]]), axis=0)
    yield node("Gather", r(4, 3), known(2, 0), axis=1)
    yield node("GatherElements", r(3, 4), n(-3, 3, 2, 4), axis=0)
    yield node("GatherElements", r(3, 4), n(0, 4, 3, 2), axis=1)
    yield node("GatherND", r(3, 4, 2), np.array([[0, 1], [2, -1]]))
    yield node("GatherND", r(2, 3, 4), np.array([[1], [2]]), batch_dims=1)
    for reduction in "none", "add", "mul", "max":
        places = np.array([[0, 2], [1, 0], [2, 1]])
        yield node("ScatterElements", r(3, 4), places, r(3, 2), axis=1, reduction=reduction)
        yield node("ScatterND", r(4, 2), np.array([[3], [0], [1]]), r(3, 2), reduction=reduction)
        yield node("ScatterND", r(4, 2), known([3, 1], [0, 0]), r(2), reduction=reduction, name="ScatterND_known")
    yield node("ScatterElements", r(3, 4), known([2, 0, 1, 1]), r(1, 4), axis=0)
    yield node("Expand", r(3, 1), known(2, 1, 4))
    yield node("Tile", r(2, 3), known(2, 3))
    yield node("Pad", r(3, 4), known(1, 0, 2, 3), scalar(0.5, np.float32))
    yield node("Pad", r(3, 4), known(1, 2), None, known(1), name="Pad_axis")
    for mode in "reflect", "edge":
        yield node("Pad", r(3, 4), known(1, 2, 2, 0), mode=mode)
    yield node("Shape", r(2, 3, 4), start=1)
    yield node("Size", r(2, 3))
    yield node("ConstantOfShape", known(2, 3), value=numpy_helper.from_array(np.array([1.5], np.float32)))
    yield node("Range", scalar(1), scalar(9), scalar(3))
    yield node("Range", scalar(2.0, np.float32), scalar(0.0, np.float32), scalar(-0.5, np.float32))
    for upper in 0, 1:
        yield node("Trilu", r(3, 4), scalar(1), upper=upper)
    yield node("OneHot", n(-3, 3, 4), scalar(3), known(0.25, 2, of=np.float32))
    yield node("OneHot", n(0, 3, 2, 2), scalar(3), known(0, 1, of=np.float32), axis=1)
    for mode in "DCR", "CRD":
        yield node("DepthToSpace", r(1, 8, 2, 3), blocksize=2, mode=mode)
    yield node("SpaceToDepth", r(1, 2, 4, 6), blocksize=2)
    for mode in "asymmetric", "half_pixel":
        yield node("Resize", r(1, 1, 3, 4), None, known(1, 1, 2, 2, of=np.float32), mode="nearest", nearest_mode="floor",
                   coordinate_transformation_mode=mode)
        yield node("Resize", r(1, 1, 3, 4), None, None, known(1, 1, 6, 8), mode="linear", coordinate_transformation_mode=mode)
    for value in ({"value_float": 1.5}, {"value_floats": [1.5, -2.0]}, {"value_int": 3}, {"value_ints": [3, -4]},
                  {"value": numpy_helper.from_array(np.arange(6).reshape(2, 3))}):
        yield node("Constant", **value)


def products():
    yield node("MatMul", r(2, 3, 4), r(4, 5))
    yield node("MatMul", r(4), r(2, 4, 3))
    yield node("Einsum", r(2, 3, 4), r(4, 2, 5), equation="abc,cad->bd")
    yield node("Einsum", r(3, 3), equation="ii->i")
    yield node("Gemm", r(4, 3), r(5, 4), r(5), transA=1, transB=1, alpha=0.5, beta=2.0)
    yield node("Gemm", r(3, 4), r(4, 5))
    yield node("FusedMatMul", r(2, 4, 3), r(2, 5, 4), transA=1, transB=1, alpha=0.5, domain="com.microsoft")
    yield node("FusedGemm", r(3, 4), r(4, 5), r(5), activation="Relu", domain="com.microsoft")
    yield node("FusedGemm", r(3, 4), r(4, 5), r(5), activation="LeakyRelu", activation_alpha=0.2, domain="com.microsoft")
    for more in ({"strides": [2, 1], "pads": [1, 0, 1, 2]}, {"dilations": [2, 1]}, {"auto_pad": "SAME_UPPER", "strides": [2, 2]},
                 {"auto_pad": "SAME_LOWER"}, {"auto_pad": "VALID"}):
        yield node("Conv", r(2, 4, 6, 5), r(3, 4, 3, 2), r(3), **more)
    yield node("Conv", r(1, 4, 5), r(6, 2, 3), group=2)
    yield node("FusedConv", r(1, 2, 5, 4), r(3, 2, 3, 2), r(3), activation="Relu", domain="com.microsoft")
    for more in {"strides": [2, 1], "pads": [1, 0, 0, 1]}, {"output_padding": [1, 0], "strides": [2, 2]}, {"dilations": [2, 1]}:
        yield node("ConvTranspose", r(1, 4, 3, 4), r(4, 3, 3, 2), r(3), **more)
    yield node("ConvTranspose", r(1, 4, 5), r(4, 3, 3), group=2)
    for more in ({"strides": [2, 1]}, {"pads": [1, 0, 1, 1]}, {"ceil_mode": 1, "strides": [2, 2]}, {"dilations": [2, 1]},
                 {"auto_pad": "SAME_UPPER"}):
        yield node("MaxPool", r(1, 2, 6, 5), kernel_shape=[3, 2], **more)
        if "dilations" not in more:
            yield node("AveragePool", r(1, 2, 6, 5), kernel_shape=[3, 2], **more)
    yield node("AveragePool", r(1, 2, 6, 5), kernel_shape=[3, 2], pads=[1, 1, 1, 0], count_include_pad=1)
    yield node("GlobalAveragePool", r(2, 3, 4, 5))
    yield node("GlobalMaxPool", r(2, 3, 4, 5))


def networks():
    yield node("LayerNormalization", r(2, 3, 4), p(4), r(4))
    yield node("LayerNormalization", r(2, 3, 4), p(3, 4), axis=1, epsilon=0.1)
    yield node("RMSNormalization", r(2, 3, 4), p(4), epsilon=0.1)
    yield node("SimplifiedLayerNormalization", r(2, 3, 4), p(4), epsilon=0.1)
    yield node("GroupNormalization", r(2, 6, 4), p(6), r(6), num_groups=2)
    yield node("InstanceNormalization", r(2, 3, 4, 2), p(3), r(3))
    yield node("BatchNormalization", r(2, 3, 4), p(3), r(3), r(3), p(3))
    yield node("SkipLayerNormalization", r(2, 3, 8), r(2, 3, 8), p(8), r(8), r(8), domain="com.microsoft")
    yield node("SkipSimplifiedLayerNormalization", r(2, 3, 8), r(2, 3, 8), p(8), r(8), domain="com.microsoft")
    yield node("Attention", r(2, 4, 3, 2), r(2, 2, 5, 2), r(2, 2, 5, 2), scale=0.3)
    yield node("Attention", r(2, 3, 8), r(2, 3, 4), r(2, 3, 4), q_num_heads=4, kv_num_heads=2, is_causal=1)
    yield node("Attention", r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4), r(3, 5))
    yield node("Attention", r(1, 2, 3, 4), r(1, 2, 5, 4), r(1, 2, 5, 4), np.arange(15).reshape(3, 5) % 4 < 3)
    yield node("RotaryEmbedding", r(2, 3, 4, 6), r(2, 4, 3), r(2, 4, 3))
    yield node("RotaryEmbedding", r(2, 3, 4, 6), r(9, 2), r(9, 2), n(0, 9, 2, 4), interleaved=1, rotary_embedding_dim=4)
    yield node("RotaryEmbedding", r(2, 4, 18), r(9, 3), r(9, 3), n(0, 9, 2, 4), num_heads=3)
    yield node("RotaryEmbedding", r(2, 3, 4, 8), n(0, 9, 2, 4), r(9, 4), r(9, 4), domain="com.microsoft", name="RotaryOfRuntime")
    yield node("MultiHeadAttention", r(2, 3, 8), r(2, 5, 8), r(2, 5, 8), r(24), num_heads=2, domain="com.microsoft")
    yield node("MultiHeadAttention", r(2, 3, 8), r(2, 3, 8), r(2, 3, 8), num_heads=2, scale=0.3, domain="com.microsoft")
    yield node("Attention", r(2, 3, 8), r(8, 24), r(24), num_heads=2, domain="com.microsoft", name="PackedAttention")
    for direction, k in ("forward", 1), ("reverse", 1), ("bidirectional", 2):
        yield node("RNN", r(3, 2, 4), r(k, 5, 4), r(k, 5, 5), r(k, 10), hidden_size=5, direction=direction, outputs=2)
        yield node("GRU", r(3, 2, 4), r(k, 15, 4), r(k, 15, 5), r(k, 30), hidden_size=5, direction=direction, outputs=2)
        yield node("LSTM", r(3, 2, 4), r(k, 20, 4), r(k, 20, 5), r(k, 40), hidden_size=5, direction=direction, outputs=3)
    yield node("GRU", r(3, 2, 4), r(1, 15, 4), r(1, 15, 5), r(1, 30), None, r(1, 2, 5), hidden_size=5, linear_before_reset=1,
               outputs=2)
    yield node("LSTM", r(3, 2, 4), r(1, 20, 4), r(1, 20, 5), None, None, r(1, 2, 5), r(1, 2, 5), r(1, 15), hidden_size=5,
               input_forget=0, outputs=3)


def variants():
    """Other forms of these, and operators of ONNX Runtime."""
    for activation, *numbers in ("LeakyRelu", 0.2), ("HardSigmoid", 0.3, 0.4), ("Clip", -0.5, 0.75), ("Tanh",), ("Sigmoid",):
        yield node("FusedConv", r(1, 2, 5, 4), r(3, 2, 3, 2), r(3), activation=activation, domain="com.microsoft",
                   name="FusedConv_" + activation, **({"activation_params": numbers} if numbers else {}))
        if activation != "Clip":  # there is no kernel for it
            named = dict(zip(("activation_alpha", "activation_beta"), numbers))
            yield node("FusedGemm", r(3, 4), r(4, 5), r(5), activation=activation, domain="com.microsoft",
                       name="FusedGemm_" + activation, **named)
    yield node("FusedConv", r(1, 2, 5, 4), r(3, 2, 3, 2), r(3), r(1, 3, 3, 3), activation="Relu", domain="com.microsoft",
               name="FusedConv_added")
    yield node("FusedMatMul", r(3, 2, 4), r(2, 4, 5), transBatchA=1, domain="com.microsoft", name="FusedMatMul_batch")
    yield node("FusedMatMul", r(2, 3, 4), r(5, 2, 4), transBatchB=1, transB=1, domain="com.microsoft", name="FusedMatMul_both")
    yield node("LayerNormalization", r(2, 3, 4), p(3, 4), r(3, 4), axis=1, outputs=3, name="LayerNormalization_statistics")
    yield node("RNN", r(3, 2, 4), r(1, 5, 4), r(1, 5, 5), r(1, 10), hidden_size=5, activations=["Tanh"], outputs=2)
    yield node("GRU", r(3, 2, 4), r(2, 15, 4), r(2, 15, 5), r(2, 30), hidden_size=5, direction="bidirectional",
               activations=["Sigmoid", "Tanh", "Sigmoid", "Tanh"], outputs=2)
    yield node("RNN", r(3, 2, 4), r(1, 5, 4), r(1, 5, 5), r(1, 10), hidden_size=5, activations=["Relu"], outputs=2)
    yield node("RotaryEmbedding", r(2, 3, 4, 8), np.array([2]), r(9, 4), r(9, 4), domain="com.microsoft", name="RotaryFrom")
    yield node("ScatterND", r(5, 2), known([1], [2]), r(2, 2), name="ScatterND_run")
    yield node("ScatterND", r(3, 4), known([0, 3], [1, 0]), r(2), name="ScatterND_across")
    yield node("Cast", known(2.75, -2.75, of=np.float32), to=onnx.TensorProto.INT64, name="Cast_known")
    for op in "Add Sub Mul Div Mod Max Min BitwiseAnd BitwiseOr BitwiseXor Equal Less LessOrEqual Greater GreaterOrEqual".split():
        yield node(op, known(-7, 5, 6, 2), known(3, 5, -4, 9), name=op + "_known")
    for op in "Neg", "Abs", "Sign":
        yield node(op, known(-7, 0, 6), name=op + "_known")
    for op in "And", "Or", "Xor":
        yield node(op, known(True, True, False, of=bool), known(True, False, False, of=bool), name=op + "_known")
    yield node("Not", known(True, False, of=bool), name="Not_known")
    yield node("Clip", known(-7, 0, 6), scalar(-2), scalar(3), name="Clip_known")
    yield node("Where", known(True, False, of=bool), known(3, 4), known(-3, -4), name="Where_known")
    yield node("Mod", known(-7, 5, 6, -2), known(3, -3, -4, 9), fmod=1, name="Mod_known_as_c")
    for equation in "ij,jk", "bA,Ac", "...ij,...jk":
        yield node("Einsum", r(2, 3), r(3, 4), equation=equation)
    yield node("Gather", known(3, 5, 8), known(2, 0, -1), name="Gather_known")
    halves = np.array([1.5, -0.375, 65504, 2**-14, 0, -1], np.float16).view(Known)
    yield node("Cast", halves, to=onnx.TensorProto.FLOAT, name="Cast_halves")


def cases():
    global RANDOM
    RANDOM = np.random.default_rng(0)
    for some in elementwise, reductions, moves, products, networks, variants:
        yield from some()


def model(cases):
    """One graph for all: (model, {input: value})."""
    nodes, inputs, weights, outputs = [], {}, [], []
    for at, (_, op, args, attributes, results) in enumerate(cases):
        names = [f"x{at}_{k}" if x is not None else "" for k, x in enumerate(args)]
        for name, x in zip(names, args):
            if isinstance(x, Known):
                weights.append(numpy_helper.from_array(np.asarray(x), name))
            elif x is not None:
                inputs[name] = x
        made = [f"y{at}_{k}" for k in range(results)]
        outputs += made
        nodes.append(h.make_node(op, names, made, name=f"/{at}/{op}", **attributes))
    info = [h.make_tensor_value_info(k, h.np_dtype_to_tensor_dtype(x.dtype), x.shape) for k, x in inputs.items()]
    graph = h.make_graph(nodes, "net", info, [onnx.ValueInfoProto(name=y) for y in outputs], weights)
    return onnx.shape_inference.infer_shapes(h.make_model(graph, opset_imports=OPSETS, ir_version=10)), inputs


def computed(case):
    """The numbers of all results, as ONNX Runtime, or ONNX itself, computes them."""
    one, inputs = model([case])
    try:
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        session = runtime.InferenceSession(one.SerializeToString(), options, providers=["CPUExecutionProvider"])
        results = session.run(None, inputs)
    except Exception:  # of whatever kind: there is no kernel for it
        results = ReferenceEvaluator(one).run(None, inputs)
    return [np.asarray(y, np.float64).reshape(-1).tolist() for y in results]


def together(kind, cases):
    """({ending: (bytes, {input: value})}, [(case, numbers)])."""
    whole, inputs = model(cases)
    results = [(case[0], want) for case in cases for want in computed(case)]
    return {".onnx": (whole.SerializeToString(), {k: x.tolist() for k, x in inputs.items()})}, results


@pytest.mark.parametrize("case", list(cases()), ids=lambda c: c[0])
def test_operator(case, tmp_path):
    one, inputs = model([case])
    (tmp_path / "f.onnx").write_bytes(one.SerializeToString())
    (tmp_path / "inputs.json").write_text(json.dumps({k: x.tolist() for k, x in inputs.items()}))
    agree(evaluated(tmp_path / "f.onnx", tmp_path / "inputs.json"), computed(case), tolerance=1e-5)
