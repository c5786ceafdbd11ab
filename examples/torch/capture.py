"""Writes the example folders: python3 capture.py [CASE...]   (needs torch; the folders are part of the tree)

CASE/                 seq.json, dist.json, relation.json, expect.json, README.md
CASE/broken/MISTAKE/  dist.json of the program with one changed line, expect.json
CASE/same/MISTAKE/    the same, where the change makes no difference

Expected verdicts are found by running the captured graphs of all ranks in double precision on random inputs. The tour
of the main README is `torch-tour` beside this folder."""
import importlib
import json
import os
import shutil
import sys
import tempfile
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
TOUR = os.path.join(os.path.dirname(HERE), "torch-tour")
sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(HERE)), "frontends", "torch"), HERE]
warnings.filterwarnings("ignore", message=".*autograd kernel was not registered.*")

import tvr_torch                                                        # noqa: E402
from mistakes import MISTAKES, TOUR_MISTAKES                            # noqa: E402

RIGHT, WRONG = 1e-12, 1e-9


def imported(folder, name):
    """A module as it stands in `folder`, freshly imported."""
    for old in [m for m in sys.modules if m.split(".")[0] in ("models", "mlp")]:
        del sys.modules[old]
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


def models():
    return sorted(f[:-3] for f in os.listdir(os.path.join(HERE, "models")) if f.endswith(".py") and f[0] != "_")


def programs_of(folder, file):
    module = imported(folder, f"models.{file}")
    found = module.programs() if hasattr(module, "programs") else {}
    for program in found.values():
        program.root = folder
    return found, module


def extent(lines, name):
    """First and last line of a function, class or assignment, from 0."""
    at = lambda *heads: [i for i, line in enumerate(lines) if line.strip().startswith(heads)]
    start = (at(f"def {name}(", f"class {name}(") + at(name))[0]
    indent = len(lines[start]) - len(lines[start].lstrip())
    inside = lambda line: not line.strip() or len(line) - len(line.lstrip()) > indent
    end = next((i for i in range(start + 1, len(lines)) if not inside(lines[i])), len(lines))
    while not lines[end - 1].strip():
        end -= 1
    return start, end - 1


def change(path, shown, function, old, new, to_blame=None):
    """Edits one line of a file; returns its place, and the lines of the function to blame."""
    with open(path) as f:
        lines = f.read().split("\n")
    first, _ = extent(lines, function)
    at = next(i for i in range(first, len(lines)) if old in lines[i])
    lines[at] = lines[at].replace(old, new)
    write(path, "\n".join(lines))
    first, last = extent(lines, to_blame or function)
    return {"where": f"{shown}:{at + 1}", "function": [first + 1, last + 1]}


def expectation(captured, place=None):
    points = [tvr_torch.compare(captured, seed, scale) for seed, scale in ((0, 1.0), (1, 0.2), (2, 3.0))]
    errors = {name: max(p[name] for p in points) for name in points[0]}
    wrong = [name for name, e in errors.items() if e > RIGHT]
    assert all(errors[name] > WRONG for name in wrong), errors
    return {"verdict": "refuted", "wrong": wrong} | place if wrong else {"verdict": "verified", "wrong": []}


def write(path, text):
    with open(path, "w") as f:
        f.write(text)


def write_right(folder, program):
    for twins in ("broken", "same"):
        shutil.rmtree(os.path.join(folder, twins), ignore_errors=True)
    captured = tvr_torch.export(folder, program)
    expect = expectation(captured)
    assert expect["verdict"] == "verified", (folder, expect)
    write(os.path.join(folder, "expect.json"), json.dumps(expect) + "\n")


def write_mistake(folder, name, program, right, place):
    captured = tvr_torch.capture(program, against=right)
    expect = expectation(captured, place)
    kind = "broken" if expect["wrong"] else "same"
    to = os.path.join(folder, kind, name)
    os.makedirs(to)
    write(os.path.join(to, "dist.json"), captured.texts()["dist.json"])
    write(os.path.join(to, "expect.json"), json.dumps(expect) + "\n")
    print(" ", kind, name, *expect["wrong"])
    return f"{kind}/{name}"


def capture_case(case, program, module, file):
    folder = os.path.join(HERE, case)
    write_right(folder, program)
    print(case)
    mesh = " x ".join(f"{a}={n}" for a, n in program.mesh.items())
    readme = [f"# {case}\n\n{module.__doc__.strip()}\n\nMesh: {mesh}. Source: `models/{file}.py`.\n\n"
              f"    tvr check seq.json dist.json --relation relation.json\n"]
    rows = []
    for _, name, changed, function, old, new, what, *to_blame in (m for m in MISTAKES if m[0] == case):
        with tempfile.TemporaryDirectory() as copy:
            shutil.copytree(os.path.join(HERE, "models"), os.path.join(copy, "models"),
                            ignore=shutil.ignore_patterns("__pycache__"))
            shown = f"models/{changed}.py"
            place = change(os.path.join(copy, shown), shown, function, old, new, *to_blame)
            twin = write_mistake(folder, name, programs_of(copy, file)[0][case], program, place)
        rows.append(f"| `{twin}` | {what} | `{place['where']}` |")
    if rows:
        readme += ["| folder | the changed line | where |", "|---|---|---|", *rows, ""]
    write(os.path.join(folder, "README.md"), "\n".join(readme))


def capture_tour():
    right = imported(TOUR, "mlp").program
    right.root = TOUR
    write_right(TOUR, right)
    print("torch-tour")
    for name, function, old, new in TOUR_MISTAKES:
        with tempfile.TemporaryDirectory() as copy:
            shutil.copy(os.path.join(TOUR, "mlp.py"), copy)
            path = os.path.join(copy, "mlp.py")
            place = change(path, "mlp.py", function, old, new)
            program = imported(copy, "mlp").program
            program.root = copy
            twin = write_mistake(TOUR, name, program, right, place)
            shutil.copy(path, os.path.join(TOUR, twin))                 # reports show its lines


def main(*wanted):
    for file in models():
        found, module = programs_of(HERE, file)
        for case, program in found.items():
            if not wanted or case in wanted:
                capture_case(case, program, module, file)
    if not wanted or "torch-tour" in wanted:
        capture_tour()


if __name__ == "__main__":
    main(*sys.argv[1:])
