"""What tvr computes, for tests that compare it with what a framework does."""
import json
import os
import subprocess

TVR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "tvr")


def flat(x):
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


def evaluated(graph, inputs):
    """The elements of all results of the graph in a file, from a file of inputs; None is what tvr does not know."""
    run = subprocess.run([TVR, "eval", graph, f"--inputs={inputs}", "--json", "--elements=100000"], capture_output=True,
                         text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    return [flat(value["data"]) for value in json.loads(run.stdout)["values"]]


def agree(values, wanted, may_be_unknown=True, tolerance=1e-6):
    """Both are lists of numbers for every result."""
    assert len(values) == len(wanted)
    for found, want in zip(values, wanted):
        assert len(found) == len(want)
        for x, y in zip(found, want):
            assert may_be_unknown if x is None else abs(float(x) - y) <= tolerance * (1 + abs(y)), (found, want)
