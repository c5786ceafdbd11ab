"""What ONNX means: `tvr eval` of the models of ONNX's own tests against the results that these have.

A value that tvr does not know (an operator without a definition, a quotient by 0) is left out; a known one must agree. Models
that only write an operator out are left out, too."""
import json
import os
import subprocess
import warnings

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
from onnx.backend.test.case.node import collect_testcases

TVR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "tvr")
LEAST_KNOWN = 450  # cases of which every result is known


def plain(value):
    """What JSON can hold; numbers in lists, or None."""
    try:
        numbers = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        return None
    return numbers.tolist() if np.isfinite(numbers).all() else None


def cases():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases(None)
    for case in found:
        if case.model is None or not case.data_sets or case.name.endswith("_expanded"):
            continue
        values = [*case.model.graph.input, *case.model.graph.output]
        if all(v.type.HasField("tensor_type") for v in values):
            yield case


def settled(case, path):
    """The model with shapes, axes and the like as constants; values of the other inputs."""
    model, given = onnx.ModelProto(), {}
    model.CopyFrom(case.model)
    for value, x in zip(list(model.graph.input), case.data_sets[0][0]):
        x = np.asarray(x)
        if x.dtype in (np.int32, np.int64) and x.ndim <= 1 or x.dtype == bool and not x.ndim or not x.size:
            model.graph.initializer.append(onnx.numpy_helper.from_array(x, value.name))
            model.graph.input.remove(value)
        else:
            given[value.name] = plain(x)
    onnx.save(model, path)
    return given


def known(case, folder):
    """None: it is not read, or some number of it is not known."""
    path, inputs = str(folder / "model.onnx"), folder / "inputs.json"
    given = settled(case, path)
    if None in given.values():
        return None
    inputs.write_text(json.dumps(given))
    command = [TVR, "eval", path, f"--inputs={inputs}", "--weights=values", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if run.returncode:
        assert run.returncode == 3, case.name + run.stdout + run.stderr
        return None
    every = True
    for got, want in zip(json.loads(run.stdout)["values"], case.data_sets[0][1], strict=True):
        if isinstance(want, onnx.TensorProto):  # a type that NumPy has not
            return None
        want = np.asarray(want)
        assert got["shape"] == list(want.shape), case.name
        if (want := plain(want)) is None or got["dtype"] in ("bf16", "f16"):
            return None
        have = np.array([np.nan if x is None else float(x) for x in got["data"]])
        here = ~np.isnan(have)
        every = every and here.all()
        np.testing.assert_allclose(have[here], np.ravel(want)[here], 2e-3, 2e-4, err_msg=case.name)
    return every


def test_operators(tmp_path):
    assert sum(bool(known(case, tmp_path)) for case in cases()) >= LEAST_KNOWN
