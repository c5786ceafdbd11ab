"""check: exports a Program, asks tvr, and raises what it answers."""
import os
import shutil
import subprocess
import tempfile

from .capture import export

VERDICTS = {0: "verified", 1: "refuted", 2: "unproved"}


class NotVerified(AssertionError):
    """The message is tvr's report."""


class Refuted(NotVerified):
    pass


class Unproved(NotVerified):
    pass


def tvr_binary():
    """$TVR, tvr on the path, or the one built in the tree this package lies in."""
    tree = os.path.join(os.path.dirname(__file__), "..", "..", "..", "build", "tvr")
    for path in (os.environ.get("TVR"), shutil.which("tvr"), tree):
        if path and os.path.exists(path):
            return os.path.abspath(path)
    raise FileNotFoundError("tvr is not found: build it with `make` and put build/tvr on the PATH, or set $TVR to it")


def own(definitions):
    """The option that has tvr read files of definitions, one or several."""
    files = [definitions] if isinstance(definitions, (str, os.PathLike)) else list(definitions or ())
    for path in files:
        if not os.path.exists(path):
            raise FileNotFoundError(f"definitions: there is no file '{path}'")
    return [f"--with={','.join(map(os.path.abspath, files))}"] if files else []


def check(program, *, folder=None, unproved="raise", options=(), definitions=None, root=None):
    """"verified"; raises Refuted with the report, and Unproved unless unproved="accept" (then "unproved").

    `folder` keeps the files; `definitions` are .tvr files (a name, or several) that define operators of your own, `options`
    further ones of `tvr check`; `root` is that of `export`.
    """
    __tracebackhide__ = True
    with tempfile.TemporaryDirectory() as temporary:
        export(folder or temporary, program, stablehlo=False, root=root)
        run = subprocess.run([tvr_binary(), "check", "seq.hlo", "dist.hlo", "--relation=relation.json",
                              f"--sources={os.path.abspath(root or os.getcwd())}", *own(definitions), *options],
                             cwd=folder or temporary, capture_output=True, text=True)
    if run.returncode not in VERDICTS:
        raise RuntimeError(f"tvr: exit {run.returncode}\n{run.stdout}{run.stderr}")
    word = VERDICTS[run.returncode]
    if word == "refuted" or word == "unproved" and unproved != "accept":
        raise (Refuted if word == "refuted" else Unproved)(f"\n{run.stdout}{run.stderr}")
    return word
