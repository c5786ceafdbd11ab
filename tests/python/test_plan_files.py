"""The plans of tests/graphs/plans are those that plan_files.py writes, in both forms."""
import pathlib
import pickle

import plan_files
import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "graphs" / "plans"


@pytest.mark.parametrize("name", plan_files.PLANS)
def test_files(name):
    text = (FOLDER / f"{name}.json").read_text()
    assert plan_files.neutral(plan_files.PLANS[name](), name) == text
    with plan_files.standing_in():
        root = pickle.loads((FOLDER / f"{name}.pkl").read_bytes())
    assert plan_files.neutral(root, name) == text


@pytest.mark.parametrize("name", plan_files.BROKEN)
def test_broken(name):
    assert plan_files.broken(name) == (FOLDER / f"{name}.json").read_text()


@pytest.mark.parametrize("path", plan_files.EXAMPLES)
def test_examples(path):
    example = FOLDER.parents[2] / "examples" / "plan" / f"{path}.json"
    assert example.read_text() == (FOLDER / f"{plan_files.EXAMPLES[path]}.json").read_text()
