"""The exporter for JAX: what `check` answers, and what it says of programs that do not fit."""
import json
import os
import sys

import pytest

jax = pytest.importorskip("jax")
import numpy as np
from conftest import ROOT
sys.path.insert(0, os.path.join(ROOT, "frontends", "jax"))
import tvr_jax
from jax import numpy as jnp
from jax.sharding import PartitionSpec as P

f = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
ROWS, COLUMNS = P("tp", None), P(None, "tp")


def model(p, x):
    return jax.nn.relu(x @ p["w1"]) @ p["w2"]


def model_tp(p, x):
    return jax.lax.psum(model(p, x), "tp")


def program(**fields):
    fields = {"sequential": model, "distributed": model_tp, "args": ({"w1": f(10, 12), "w2": f(12, 10)}, f(4, 10)),
              "mesh": {"tp": 2}, "in_specs": ({"w1": COLUMNS, "w2": ROWS}, P()), "out_specs": P(), **fields}
    return tvr_jax.Program(**fields)


def test_the_right_program_is_verified_and_the_wrong_one_refuted_with_its_line():
    assert tvr_jax.check(program()) == "verified"
    with pytest.raises(tvr_jax.Refuted) as failure:
        tvr_jax.check(program(distributed=model), root=ROOT)
    assert f"1. tests/python/test_jax.py:{model.__code__.co_firstlineno + 1}: dot" in str(failure.value)
    assert "the sum over tp is missing" in str(failure.value)


def test_results_have_the_same_names():
    """They correspond in order: x and y were compared with y and z."""
    seq, other = lambda x: {"x": x, "y": 2 * x}, lambda x: {"y": x, "z": 2 * x}
    with pytest.raises(ValueError, match=r"the result \['x'\] where the distributed one has \['y'\]"):
        tvr_jax.check(tvr_jax.Program(seq, other, (f(4),), {"tp": 2}))
    with pytest.raises(ValueError, match=r"the result a single array where the distributed one has \[0\]"):
        tvr_jax.check(tvr_jax.Program(lambda x: x, lambda x: (x, x), (f(4),), {"tp": 2}))


def test_types_that_are_no_numbers():
    with pytest.raises(ValueError, match="k: values of type key<fry> are not written as numbers"):
        tvr_jax.check(tvr_jax.Program(lambda k: jax.random.normal(k), lambda k: jax.random.normal(k), (jax.random.key(0),)))


def test_what_is_not_proved_raises_unless_accepted():
    squares = lambda p, x: jax.scipy.special.i0(x)
    other = lambda p, x: jax.scipy.special.i1(x)
    unknown = program(sequential=squares, distributed=other)
    options = ["--points=0", "--coarse-points=0"]
    with pytest.raises(tvr_jax.Unproved):
        tvr_jax.check(unknown, options=options)
    assert tvr_jax.check(unknown, options=options, unproved="accept") == "unproved"


def gate(x, limit):
    return jax.ffi.ffi_call("tvr_test_gate", f(*x.shape))(x, limit=np.float32(limit))


def test_operators_of_ones_own(tmp_path):
    """A custom call that nobody has registered is exported, and defined by its configuration."""
    meaning = tmp_path / "own.tvr"
    meaning.write_text("op custom_call(x[*i]; limit: rat) -> [*i] when custom_call_target == tvr_test_gate = minimum(x[*i], limit)")
    gated = lambda limit: tvr_jax.Program(lambda x: 2 * gate(x, 1.5), lambda x: gate(2 * x, limit), (f(4, 6),), {"tp": 2},
                                          P(None, "tp"), P(None, "tp"))
    with pytest.raises(tvr_jax.Unproved, match=r"op custom_call\(x\[\*i\]; limit: rat\) -> \[\*i\] when"):
        tvr_jax.check(gated(3.0))
    assert tvr_jax.check(gated(3.0), definitions=meaning) == "verified"
    with pytest.raises(tvr_jax.Refuted):
        tvr_jax.check(gated(1.5), definitions=meaning)
    with pytest.raises(FileNotFoundError, match="nowhere.tvr"):
        tvr_jax.check(gated(3.0), definitions="nowhere.tvr")


def test_places_are_those_of_the_model_even_if_it_runs_while_imported(tmp_path, monkeypatch):
    (tmp_path / "runs.py").write_text("import test_jax\ntest_jax.tvr_jax.export('out', test_jax.program())\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.syspath_prepend(os.path.dirname(os.path.abspath(__file__)))
    monkeypatch.chdir(tmp_path)
    __import__("runs")
    text = (tmp_path / "out" / "seq.hlo").read_text()
    assert "test_jax.py" in text and "<frozen" not in text


def test_a_mesh_of_one_device(tmp_path):
    """XLA has nothing to partition then."""
    assert tvr_jax.check(program(mesh={"tp": 1}), folder=tmp_path) == "verified"
    twice = lambda p, x: 2 * model_tp(p, x)
    with pytest.raises(tvr_jax.Refuted):
        tvr_jax.check(program(mesh={"tp": 1}, distributed=twice))


def test_arguments_of_a_starred_name_are_numbered(tmp_path):
    chain = lambda x, *w: x @ w[0] @ w[1]
    tvr_jax.export(tmp_path, sequential=chain, distributed=chain, args=(f(4, 10), f(10, 12), f(12, 10)))
    names = [x["name"] for x in json.loads((tmp_path / "relation.json").read_text())["inputs"]]
    assert names == ["x", "w[0]", "w[1]"]


def test_a_mesh_of_jax_is_the_one_the_program_is_traced_in(tmp_path):
    """Constraints and shard_map may leave the mesh out; and what explicit axes need is there."""
    kind = jax.sharding.AxisType
    mesh = lambda t: jax.sharding.AbstractMesh((2, 3), ("dp", "tp"), axis_types=(t, t))
    named = lambda spec: jax.sharding.NamedSharding(tvr_jax.capture.device_mesh({"dp": 2, "tp": 3}), spec)

    def constrained(p, x):
        h = jax.lax.with_sharding_constraint(jax.nn.relu(x @ p["w1"]), P("dp", "tp"))
        return jax.shard_map(model_tp, in_specs=({"w1": COLUMNS, "w2": ROWS}, P("dp")), out_specs=P("dp"))(p, x) + 0 * jnp.sum(h)

    def explicit(p, x, missing=0):
        h = jax.nn.relu(x @ p["w1"])
        return jnp.einsum("bf,fd->bd", h, p["w2"], out_sharding=P("dp", None)) + missing

    of = dict(in_specs=({"w1": named(COLUMNS), "w2": named(ROWS)}, P("dp")), out_specs=P("dp"), partitioner=True)
    assert tvr_jax.check(program(distributed=constrained, mesh=mesh(kind.Auto), **of)) == "verified"
    assert tvr_jax.check(program(distributed=explicit, mesh=mesh(kind.Explicit), **of)) == "verified"
    with pytest.raises(tvr_jax.Refuted):
        tvr_jax.check(program(distributed=lambda p, x: explicit(p, x, 1), mesh=mesh(kind.Explicit), **of))


def test_gradients_within_shard_map_are_those_of_jax_if_it_checks_what_varies():
    loss = lambda p, x: jnp.sum(model(p, x) ** 2)
    loss_tp = lambda p, x: jnp.sum(model_tp(p, x) ** 2)
    fields = {"sequential": jax.grad(loss), "distributed": jax.grad(loss_tp), "out_specs": {"w1": COLUMNS, "w2": ROWS}}
    assert tvr_jax.check(program(**fields, check_vma=True)) == "verified"
    with pytest.raises(tvr_jax.Refuted):  # where nothing is kept of that, a sum is summed again on the way back
        tvr_jax.check(program(**fields))


def test_arguments_that_lie_on_devices_are_those_of_one():
    mesh = tvr_jax.capture.device_mesh({"tp": 2})
    placed = lambda spec, *shape: jax.ShapeDtypeStruct(shape, jnp.float32, sharding=jax.sharding.NamedSharding(mesh, spec))
    args = {"w1": placed(COLUMNS, 10, 12), "w2": placed(ROWS, 12, 10)}, placed(P(), 4, 10)
    assert tvr_jax.check(program(args=args)) == "verified"


def test_arguments_of_a_weak_type_stay_so(tmp_path):
    scale, x = jax.jit(lambda: 3)(), jnp.zeros(4, jnp.int8)
    tvr_jax.export(tmp_path, lambda scale, x: scale * x, lambda scale, x: scale * x, (scale, x))
    assert "s8[4]{0} multiply" in (tmp_path / "seq.hlo").read_text()


@pytest.mark.parametrize("fields, message", [
    ({"mesh": {"tp": 5}}, r"p\['w1'\]: a dimension of size 12 is cut into 5 parts"),
    ({"out_specs": P("dp")}, r"out: its spec names \['dp'\], the mesh has the axes \['tp'\]"),
    ({"out_specs": P(None, None, "tp")}, r"out: a spec of 3 dimensions for a tensor of shape \[4, 10\]"),
    ({"assume": {"y": (0, 1)}}, r"assume: 'y' fits nothing; there are p\['w1'\], p\['w2'\], x"),
    ({"in_specs": (P(),)}, "in_specs is no tree like the arguments"),
    ({"names": ["x", "x"]}, "names: two arguments are called 'x'"),
    ({"distributed": lambda p, x: x @ p["w1"]}, r"out is \['f32', \[4, 6\]\] in dist.hlo; a tensor of shape \[4, 10\]"),
])
def test_what_does_not_fit_is_named(fields, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        tvr_jax.export(tmp_path, program(**fields))
