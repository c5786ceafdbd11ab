"""Writes tests/operators, what operators mean as the frameworks themselves compute them:  python write_operators.py torch|jax|onnx|plan

One program for some twenty cases of test_torch_operators.py (and so on), its inputs, and the values of its results; null is
what tvr does not know.  tests/run.sh evaluates them, where no framework is installed."""
import importlib
import json
import os
import sys

from evaluated import agree, evaluated

HERE = os.path.dirname(os.path.abspath(__file__))
MANY = 20


def write(path, graphs, results):
    """graphs: {file ending: (bytes, {input: value})}; results: [(case, numbers)], which every graph computes."""
    for ending, (data, inputs) in graphs.items():
        with open(path + ending, "wb") as f:
            f.write(data)
        with open(path + ending + ".inputs.json", "w") as f:
            json.dump(inputs, f)
        found = evaluated(path + ending, path + ending + ".inputs.json")
        agree(found, [want for _, want in results], tolerance=1e-5)
        values = [json.dumps({"case": case, "data": [None if x is None else y for x, y in zip(have, want)]})
                  for (case, want), have in zip(results, found)]
        with open(path + ending + ".values.json", "w") as f:
            f.write("[\n" + ",\n".join(values) + "\n]\n")


def groups(module, kinds):
    """[(name of a group, its cases)]"""
    for kind in kinds:
        cases = list(getattr(module, kind)())
        for at in range(0, len(cases), MANY):
            yield f"{kind}-{at // MANY + 1:02}", cases[at:at + MANY]


if __name__ == "__main__":
    framework = sys.argv[1]
    module = importlib.import_module(f"test_{framework}_operators")
    folder = os.path.join(HERE, "..", "operators", framework)
    os.makedirs(folder, exist_ok=True)
    for name, cases in groups(module, module.KINDS):
        write(os.path.join(folder, name), *module.together(name, cases))
