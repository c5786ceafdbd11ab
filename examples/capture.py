"""Writes the example folders: python3 capture.py [CASE...]   (needs jax; the folders are part of the tree)

CASE/                 seq.hlo, dist.hlo, relation.json, expect.json, README.md
CASE/broken/MISTAKE/  dist.hlo of the program with one changed line, expect.json
CASE/same/MISTAKE/    the same, where the change makes no difference

Cases that serve only as tests go to tests/graphs. Expected verdicts are found by
running both programs in double precision on random inputs."""
import importlib
import json
import os
import shutil
import sys
import tempfile

os.environ.setdefault("JAX_PLATFORMS", "cpu")
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "frontends", "jax"))

import jax                                                              # noqa: E402
from jax.extend.source_info_util import register_exclusion              # noqa: E402

import tvr_jax                                                          # noqa: E402
from mistakes import MISTAKES                                           # noqa: E402

register_exclusion(HERE + "/capture.py")                                # its lines are no part of a model

RIGHT, WRONG = 1e-9, 1e-6
TESTS = ("accumulate-loop-dp2", "decode-tp3", "decay-cp3", "ring-gradients-", "attention-ring-cp3", "attention-exchange-cp2", "experts-ep4",
         "sorted-", "pipeline-pp3", "pipeline-step", "layers-loop-tp2", "matmul-two-axes", "rewrite-", "partly-manual",
         "partitioned-both", "partitioned-thirds", "layers-ring", "layers-long", "layers-window", "rotary-", "partitioned-pairs", "partitioned-cache", "partitioned-rows", "loops-", "ignored-", "hashed-", "masks-", "slots-", "halo-", "spectral-",
         "trust-", "until-", "packed-", "negatives-", "striped-")  # these go to tests/graphs
STABLEHLO = ("partly-manual", "loops-stablehlo", "until-stablehlo")                        # kept as StableHLO, before partitioning


def models():
    return sorted(f[:-3] for f in os.listdir(os.path.join(HERE, "models")) if f.endswith(".py") and f[0] != "_")


def programs_of(folder):
    """Every program of the models as they stand in `folder`, freshly imported; and the model each comes from."""
    jax.clear_caches()                                                  # they remember source lines
    for name in [m for m in sys.modules if m.split(".")[0] == "models"]:
        del sys.modules[name]
    sys.path.insert(0, folder)
    try:
        found = {}
        for model in models():
            module = importlib.import_module("models." + model)
            for case, program in (module.programs() if hasattr(module, "programs") else {}).items():
                found[case] = (program, module)
        return found
    finally:
        sys.path.remove(folder)


def change(folder, file, function, old, new):
    """Edits one line of a copy of the models; returns its place, and the lines of the function it is in."""
    path = os.path.join(folder, "models", file + ".py")
    lines = open(path).read().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith((f"def {function}(", f"{function} = ")))
    at = next(i for i in range(start, len(lines)) if old in lines[i])
    lines[at] = lines[at].replace(old, new)
    with open(path, "w") as f:
        f.write("\n".join(lines))
    end = next((i for i in range(start + 1, len(lines)) if lines[i][:1].strip()), len(lines))
    while not lines[end - 1].strip():
        end -= 1
    return {"where": f"models/{file}.py:{at + 1}", "function": [start + 1, end]}


def expectation(errors, place=None):
    wrong = [name for name, e in errors.items() if e > RIGHT]
    assert all(errors[name] > WRONG for name in wrong), errors
    return {"verdict": "refuted", "wrong": wrong} | place if wrong else {"verdict": "verified", "wrong": []}


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def export(folder, case, program, root):
    """Exports one form of both programs; returns its ending."""
    keep = case.startswith(STABLEHLO)
    tvr_jax.export(folder, program, stablehlo=keep, root=root)
    if keep:
        for side in ("seq", "dist"):
            os.remove(os.path.join(folder, side + ".hlo"))
    return "mlir" if keep else "hlo"


def capture_right(out, case, program, module):
    folder = os.path.join(out, case)
    for twins in ("broken", "same"):
        shutil.rmtree(os.path.join(folder, twins), ignore_errors=True)
    form = export(folder, case, program, HERE)
    expect = expectation(tvr_jax.compare(program))
    assert expect["verdict"] == "verified", case
    write(os.path.join(folder, "expect.json"), json.dumps(expect) + "\n")
    mesh = " x ".join(f"{a}={n}" for a, n in program.mesh.items()) or "one device"
    return [f"# {case}\n\n{module.__doc__.strip()}\n\nMesh: {mesh}. Source: `models/{module.__name__.split('.')[1]}.py`.\n\n"
            f"    tvr check seq.{form} dist.{form} --relation relation.json\n"]


def capture_mistake(out, right, case, name, file, function, old, new, what):
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(os.path.join(HERE, "models"), os.path.join(copy, "models"),
                        ignore=shutil.ignore_patterns("__pycache__"))
        place = change(copy, file, function, old, new)
        program = programs_of(copy)[case][0]
        program.sequential = right.sequential
        expect = expectation(tvr_jax.compare(program), place)
        kind = "broken" if expect["wrong"] else "same"
        folder = os.path.join(out, case, kind, name)
        form = export(folder, case, program, copy)
        for file in ("seq." + form, "relation.json"):                   # those of the right case
            os.remove(os.path.join(folder, file))
        write(os.path.join(folder, "expect.json"), json.dumps(expect) + "\n")
    print(" ", kind, name, *expect["wrong"])
    return f"| `{kind}/{name}` | {what} | `{place['where']}` |"


def main(*wanted):
    for case, (program, module) in programs_of(HERE).items():
        if wanted and case not in wanted:
            continue
        to = os.path.join(os.path.dirname(HERE), "tests", "graphs") if case.startswith(TESTS) else HERE
        readme = capture_right(to, case, program, module)
        print(case)
        rows = [capture_mistake(to, program, *m) for m in MISTAKES if m[0] == case]
        if rows:
            readme += ["| folder | the changed line | where |", "|---|---|---|", *rows, ""]
        write(os.path.join(to, case, "README.md"), "\n".join(readme))


if __name__ == "__main__":
    main(*sys.argv[1:])
