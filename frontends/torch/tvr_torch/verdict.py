"""verdict: asks tvr, and says what it answers."""
import json
import os
import shutil
import subprocess
import tempfile

from .capture import Captured, capture

VERDICTS = {0: "verified", 1: "refuted", 2: "unproved"}


class NotVerified(AssertionError):
    """The message is tvr's report; `verdict` holds the answer."""

    def __init__(self, verdict):
        super().__init__(verdict.report)
        self.verdict = verdict


class Refuted(NotVerified):
    pass


class Unproved(NotVerified):
    pass


class Verdict:
    """`word` is verified, refuted or unproved; true if verified.  `report` is the text, `json` all that tvr says."""

    def __init__(self, word, report, json_text, folder):
        self.word, self.report, self._json, self.folder = word, report, json_text, folder

    def __bool__(self):
        return self.word == "verified"

    def __repr__(self):
        return f"<{self.word}>"

    @property
    def json(self):
        return json.loads(self._json)

    @property
    def blame(self):
        """Source lines, the likeliest first."""
        return [b["at"] for b in self.json["blame"] if b.get("at")]

    @property
    def wrong(self):
        """Names of the outputs that are refuted."""
        return [o["name"] for o in self.json["outputs"] if o["verdict"] == "refuted"]


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


def ask(captured, folder=None, options=(), definitions=None):
    """The verdict on what was captured; the files are kept in `folder` if one is given."""
    options = [*options, *own(definitions)]
    with tempfile.TemporaryDirectory() as temporary:
        at = folder or temporary
        captured.write(at)
        return answer(["seq.json", "dist.json", "--relation=relation.json", f"--sources={captured.program.root}", *options],
                      at, folder)


def answer(arguments, at, folder):
    """What `tvr check` says, run in the folder `at`."""
    command = [tvr_binary(), "check", *arguments]
    text = subprocess.run(command, cwd=at, capture_output=True, text=True)
    if text.returncode not in VERDICTS:
        raise RuntimeError(f"tvr: exit {text.returncode}\n{text.stdout}{text.stderr}")
    json_text = subprocess.run([*command, "--json"], cwd=at, capture_output=True, text=True).stdout
    return Verdict(VERDICTS[text.returncode], text.stdout + text.stderr, json_text, folder)


def accept(verdict, unproved):
    """The verdict, or the error it is."""
    __tracebackhide__ = True
    if verdict.word == "refuted":
        raise Refuted(verdict)
    if verdict.word == "unproved" and unproved != "accept":
        raise Unproved(verdict)
    return verdict


def check(program, distributed=None, *, folder=None, unproved="raise", options=(), definitions=None, **fields):
    """Captures and checks; raises Refuted with the report, and Unproved unless unproved="accept".

    The first arguments are those of `capture`; `folder` keeps the files; `definitions` are .tvr files (a name, or several)
    that define operators of your own, `options` further ones of `tvr check`.
    """
    __tracebackhide__ = True
    captured = program if isinstance(program, Captured) else capture(program, distributed, **fields)
    return accept(ask(captured, folder, options, definitions), unproved)
