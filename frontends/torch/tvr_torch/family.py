"""family: the same step captured at several sizes, for one claim about all of them."""
import itertools
import os
import tempfile

from .capture import capture
from .verdict import accept, answer


def points(sizes):
    """{"s": (8, 16), "b": (1, 2)}: every combination; or a list of {"s": 8, "b": 1}."""
    if not isinstance(sizes, dict):
        return list(sizes)
    return [dict(zip(sizes, values)) for values in itertools.product(*sizes.values())]


def export_family(folder, make, sizes):
    """Captures make(s=8, ..), a Program, at every point; writes seq-8.json, dist-8.json, relation-8.json and so on.

    Returns the names of the files with the sizes in braces, as `tvr check` takes them.
    """
    captured = None
    for point in points(sizes):
        captured = capture(make(**point))
        captured.write(folder, suffix="-" + "-".join(map(str, point.values())))
    braces = "-" + "-".join("{%s}" % name for name in points(sizes)[0])
    return captured, [f"seq{braces}.json", f"dist{braces}.json", f"--relation=relation{braces}.json"]


def check_family(make, sizes, where=None, *, folder=None, unproved="raise", options=()):
    """Checks make(s=8, ..) at every point, and claims what follows for all sizes that meet `where` ("s % 8 == 0").

    Give a few small sizes and at least one that is larger than all other numbers of the programs.
    """
    __tracebackhide__ = True
    with tempfile.TemporaryDirectory() as temporary:
        at = folder or temporary
        captured, names = export_family(at, make, sizes)
        family = [f"--family={where}"] if where else []
        command = [*names, f"--sources={captured.program.root}", *family, *options]
        return accept(answer(command, at, folder), unproved)
