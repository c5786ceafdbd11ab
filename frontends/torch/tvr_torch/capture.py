"""capture: the sequential program and one graph for every rank, with the relation between their tensors.

Every rank is played by a forked process under a fake process group; nothing is communicated and no tensor has storage.
"""
import ctypes
import dataclasses
import difflib
import logging
import multiprocessing.connection
import os
import pickle
import signal
from typing import Any, Callable

import torch

from . import errors, files, graph, relation, step, trace


class TooLong(BaseException):
    """The time of a rank is over; no Exception, which PyTorch might take for one of its own."""


class CaptureError(RuntimeError):
    """The program could not be traced; the message says on which rank, and why."""


@dataclasses.dataclass
class Program:
    """What is captured; see README.md.

    sequential     step on one device: step(model, **inputs), or step(**inputs) without a model.  What it returns
                   (a tensor, or tuples and dictionaries of them), gradients, and inputs it changes are outputs
    distributed    the step of every rank; default: the same.  A parameter named `mesh` gets the DeviceMesh
    inputs         global tensors by name (only shape, type and requires_grad are read)
    mesh           axis sizes by name, major first: {"dp": 2, "tp": 4}
    model          makes the model (or is it)
    parallelize    parallelize(model, mesh): makes it distributed, or returns another model in its place
    placements     {name or pattern: placement} of inputs, and of parameters that are no DTensors
    outputs        {name or pattern: placement} of outputs that are no DTensors; default R, and for gradients and
                   changed inputs that of their tensor
    assume         {input: (lo, hi)}: integers lie in [lo, hi), floats in [lo, hi]
    optimizer      optimizer(parameters): made for the step, which gets it as `optimizer`; its state is an input
    optimizer_step how many steps it has done before
    root           folder that source lines are relative to; default: the working directory
    decompositions table for make_fx; default: what PyTorch says about operators that tvr does not define
    seconds        for one rank; what takes longer is not captured
    """
    sequential: Callable
    distributed: Callable | None = None
    inputs: dict[str, torch.Tensor] = dataclasses.field(default_factory=dict)
    mesh: dict[str, int] = dataclasses.field(default_factory=dict)
    model: Any = None
    parallelize: Callable | None = None
    placements: dict[str, Any] = dataclasses.field(default_factory=dict)
    outputs: dict[str, Any] = dataclasses.field(default_factory=dict)
    assume: dict[str, Any] = dataclasses.field(default_factory=dict)
    optimizer: Callable | None = None
    optimizer_step: int = 1
    root: str | None = None
    decompositions: dict | None = None
    seconds: float = 600

    def __post_init__(self):
        if not isinstance(self.mesh, dict) or not self.mesh:
            raise ValueError("mesh: name the axes and their sizes, as {\"tp\": 2}")
        for name, x in self.inputs.items():
            if not isinstance(x, torch.Tensor):
                raise ValueError(f"inputs: '{name}' is no tensor: give one of its shape and type, as torch.empty(4, 8)")
        self.root = os.path.abspath(self.root or os.getcwd())
        self.assume = {k: relation.assumption(v) for k, v in self.assume.items()}

    def coordinates(self):
        n = 1
        for size in self.mesh.values():
            n *= size
        return [graph.coordinate(self.mesh, r) for r in range(n)]


@dataclasses.dataclass
class Captured:
    """seq.json, dist.json and relation.json as dictionaries and texts."""
    program: Program
    seq: dict
    ranks: list
    groups: dict
    relation: dict

    def texts(self):
        producer, mesh = f"torch {torch.__version__.split('+')[0]}", self.program.mesh
        ranks = [(f"rank{r}", at, g) for r, (at, g) in enumerate(zip(self.program.coordinates(), self.ranks))]
        return {"seq.json": files.program_text("seq", producer, {}, {}, [("seq", {}, self.seq)]),
                "dist.json": files.program_text("dist", producer, mesh, self.groups, ranks),
                "relation.json": files.relation_text(self.relation)}

    def write(self, folder, suffix=""):
        """The files, with a suffix behind their names: seq-8.json."""
        os.makedirs(folder, exist_ok=True)
        for name, text in self.texts().items():
            with open(os.path.join(folder, name.replace(".json", suffix + ".json")), "w") as f:
                f.write(text)


# ---- one process a rank
def die_with_parent():
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):                           # Linux: PR_SET_PDEATHSIG
        libc.prctl(1, signal.SIGKILL)


def expire(seconds):
    def late(*_):
        raise TooLong(f"it took more than {seconds:g} seconds: Program(seconds=..) allows more")
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def play(program, rank, pipe):
    try:
        die_with_parent()
        expire(program.seconds)
        torch.set_num_threads(1)
        torch.backends.mkldnn.set_flags(False)           # which has one operator for a whole recurrent layer
        if not errors.whole():
            logging.disable(logging.ERROR)               # PyTorch writes errors down before it raises them
        answer = (True, step.Side(program, rank).capture())
    except BaseException as e:                           # whatever it is, the parent says it
        answer = (False, errors.explain(e))
    pipe.send_bytes(pickle.dumps(answer))
    pipe.close()
    os._exit(0)                                          # no handlers of the parent's


def play_all(program, ranks, against):
    """What each rank says (None: the sequential program of `against`); as many at a time as there are processors."""
    __tracebackhide__ = True
    trace.warm_up()
    fork, answers, failed, running, waiting = multiprocessing.get_context("fork"), {}, {}, {}, list(ranks)
    while waiting or running:
        while waiting and len(running) < (os.cpu_count() or 1):
            rank = waiting.pop(0)
            ours, theirs = fork.Pipe(duplex=False)
            process = fork.Process(target=play, args=(against if rank is None else program, rank, theirs), daemon=True)
            process.start()
            theirs.close()
            running[ours] = (rank, process)
        for ready in multiprocessing.connection.wait(list(running)):
            rank, process = running.pop(ready)
            try:
                good, answer = pickle.loads(ready.recv_bytes())
            except EOFError:
                good, answer = False, "the process ended without an answer"
            process.join()
            (answers if good else failed)[rank] = answer
            waiting = [] if failed else waiting
    for rank in sorted(failed, key=lambda r: -1 if r is None else r):    # the first one, whichever was the fastest
        side = "the sequential program" if rank is None else f"rank {rank} {program.coordinates()[rank]}"
        raise CaptureError(f"{side} could not be captured: {failed[rank]}")
    return answers


# ---- relation
def related_inputs(program, seq, ranks):
    """Entries of the inputs: a name is related where it exists."""
    places, coordinates, entries = {}, program.coordinates(), []
    for r, side in enumerate(ranks):
        for name, (where, shape, kind, _) in side["inputs"].items():
            places.setdefault(name, []).append((r, where, shape, kind))
    for name, found in places.items():
        kind, where = found[0][3], found[0][1] or relation.Place().on(program.mesh)
        source = where.seq or name
        if source not in seq["inputs"]:
            raise CaptureError(f"{kind} '{name}' of the ranks has no counterpart in the sequential program: say which "
                               f"with placements={{\"{name}\": Place(.., seq=NAME)}}")
        whole = seq["inputs"][source][1]
        for r, other, shape, _ in found:
            other = other or relation.Place().on(program.mesh)
            if other != where:
                raise CaptureError(f"'{name}' is placed in different ways on ranks {found[0][0]} and {r}")
            local = where.local_shape(name, whole, program.mesh, coordinates[r])
            if local != shape:
                raise CaptureError(f"{kind} '{name}' has shape {shape} on rank {r}; the sequential one, {whole}, placed "
                                   f"{where.along}, has {local}: "
                                   f"say how it is cut with placements={{\"{name}\": ..}}")
        for on in relation.ranks_with([r for r, *_ in found], program.mesh, coordinates):
            entries.append(relation.entry(source, name, where, on, seq["inputs"][source][3]))
    return entries


def related_outputs(program, seq, ranks):
    places, coordinates, entries = {}, program.coordinates(), []
    for r, side in enumerate(ranks):
        for name, where in side["outputs"].items():
            places.setdefault(name, []).append((r, where))
    for name, found in places.items():
        given = relation.matching(program.outputs, name)
        whole = relation.Place().on(program.mesh)
        where = relation.place(given).on(program.mesh, name) if given is not None else found[0][1] or whole
        for r, other in found if given is None else ():
            if (other or whole) != where:
                raise CaptureError(f"output '{name}' is placed in different ways on ranks {found[0][0]} and {r}")
        prefix = name[:name.index(".") + 1] if name.startswith(("grad.", "new.")) else ""
        source = (where.seq if where.seq is None or where.seq.startswith(prefix) else prefix + where.seq) or name
        if source not in seq["outputs"]:
            raise CaptureError(f"output '{name}' of the ranks has no counterpart in the sequential program")
        for on in relation.ranks_with([r for r, _ in found], program.mesh, coordinates):
            entries.append(relation.entry(source, name, dataclasses.replace(where, seq=None), on))
    lost = set(seq["outputs"]) - {e["seq"] for e in entries}
    if lost:
        raise CaptureError(f"outputs {sorted(lost)} of the sequential program are made on no rank")
    return entries


# ---- DistributedDataParallel
def alike(ranks):
    """Buffers that it broadcasts begin with the same values; gradients that it leaves alone are made on no rank."""
    for r, side in enumerate(ranks):
        for name, (group, values) in side["alike"].items():
            if ranks[group[0]]["alike"].get(name, (group, values)) != (group, values):
                raise CaptureError(f"buffer '{name}' is made with other values on rank {r} than on rank {group[0]}, from which "
                                   f"DistributedDataParallel broadcasts it: compute it in the step, or make it no buffer")
        for name, group in side["untouched"]:
            for other in group:
                if ranks[other]["untouched"].count((name, group)) != side["untouched"].count((name, group)):
                    raise CaptureError(f"rank {r} makes no gradient of '{name}' in a backward pass where rank {other} makes "
                                       f"one: let it take part in the loss on all ranks")


# ---- inputs that are changed
def kept_too(side, name, where):
    """An input that this side leaves as it is, and another changes, is an output like any other."""
    g = side["graph"]
    if "new." + name not in side["outputs"]:
        side["outputs"]["new." + name] = where
        g["output_names"].append("new." + name)
        g["outputs"].append({"t": name})


def changed_everywhere(seq, ranks):
    """What one side changes is compared on all that have it: a rank that forgets to is no less wrong."""
    source = lambda name, where: (where.seq if where else None) or name
    held = [{**side["inputs"], **{c["name"]: (None, c["shape"], "buffer", None) for c in side["graph"].get("constants", [])}}
            for side in (seq, *ranks)]
    changed = {name[len("new."):] for name in seq["outputs"] if name.startswith("new.")}
    for side, tensors in zip(ranks, held[1:]):
        changed |= {source(name, where) for name, (where, *_) in tensors.items() if "new." + name in side["outputs"]}
    for side, tensors in zip((seq, *ranks), held):
        for name, (where, *_) in tensors.items():
            if source(name, where) in changed:
                kept_too(side, name, where)


# ---- names that mean nothing
def unused(program, seq, ranks):
    """A name or pattern that fits no tensor is a mistake: what it was to say is not checked."""
    inputs = {name for side in (seq, *ranks) for name in (*side["inputs"], *program.inputs)}
    inputs |= {c["name"] for side in (seq, *ranks) for c in side["graph"].get("constants", [])}
    outputs = {name for side in (seq, *ranks) for name in (*side["outputs"], *side["without"])}
    for field, names in (("placements", inputs), ("assume", inputs), ("outputs", outputs)):
        for pattern in getattr(program, field):
            if not any(relation.matching({pattern: True}, name) for name in names):
                near = difflib.get_close_matches(pattern, names, 3, 0.4) or sorted(names)[:8]
                raise CaptureError(f"{field}: '{pattern}' fits nothing; there are {', '.join(near)}")


# ---- gradients that do not exist, groups
def without_useless(seq, ranks):
    """Gradients that neither program makes are no outputs."""
    nowhere = set(seq["without"]).intersection(*[set(r["without"]) for r in ranks]) if ranks else set(seq["without"])
    for side in (seq, *ranks):
        g = side["graph"]
        kept = [(n, o) for n, o in zip(g["output_names"], g["outputs"]) if n not in nowhere]
        g["output_names"], g["outputs"] = [n for n, _ in kept], [o for _, o in kept]
        side["outputs"] = {n: w for n, w in side["outputs"].items() if n not in nowhere}
        used = {json_name(o) for o in g["outputs"]} | {t for n in g["nodes"] for t in read_by(n)}
        g["nodes"] = [n for n in g["nodes"] if n["op"] != "aten.zeros_like.default" or n["name"] in used]


def json_name(x):
    return x["t"]


def read_by(x):
    """Names of tensors in a JSON value."""
    if isinstance(x, dict):
        return [x["t"]] if "t" in x else [t for v in x.values() for t in read_by(v)]
    return [t for v in x for t in read_by(v)] if isinstance(x, list) else []


def families(ranks):
    """Groups by name; lists of ranks of one size that do not overlap are one group with several lists."""
    named, lists = {}, []
    for side in ranks:
        for name, g in side["groups"].items():
            if "axes" in g:
                named[name] = g
            elif (name, g["ranks"][0]) not in lists:
                lists.append((name, g["ranks"][0]))
    packed = []                                          # [(size, lists, old names)]
    for name, members in lists:
        for size, others, olds in packed:
            if size == len(members) and not set(members).intersection(*[set().union(*map(set, others))]):
                others.append(members)
                olds.append(name)
                break
        else:
            packed.append((len(members), [members], [name]))
    renamed = {}
    for k, (_, members, olds) in enumerate(packed):
        named[f"ranks{k}"] = {"ranks": members}
        renamed |= {old: f"ranks{k}" for old in olds}
    for side in ranks:
        for n in side["graph"]["nodes"]:
            for a in [*n["args"], *n.get("kwargs", {}).values()]:
                if isinstance(a, dict) and a.get("group") in renamed:
                    a["group"] = renamed[a["group"]]
    return named


def capture(program, distributed=None, against=None, **fields):
    """Traces a Program, or `sequential` with the fields of one; `against`: another one, for its sequential program."""
    __tracebackhide__ = True
    if not isinstance(program, Program):
        program = Program(program, distributed, **fields)
    if torch.distributed.is_initialized():
        raise CaptureError("a process group exists already: capture before init_process_group, or in another process")
    answers = play_all(program, [None, *range(len(program.coordinates()))], against or program)
    seq = answers.pop(None)
    ranks = [answers[r] for r in sorted(answers)]
    unused(program, seq, ranks)
    alike(ranks)
    without_useless(seq, ranks)
    changed_everywhere(seq, ranks)
    try:
        relates = {"inputs": related_inputs(program, seq, ranks), "outputs": related_outputs(program, seq, ranks)}
    except ValueError as e:                              # a placement that means nothing
        raise CaptureError(str(e)) from e
    groups = families(ranks)
    return Captured(program, seq["graph"], [r["graph"] for r in ranks], groups, relates)


def export(folder, program, distributed=None, **fields):
    """Writes seq.json, dist.json and relation.json into `folder`."""
    captured = capture(program, distributed, **fields)
    captured.write(folder)
    return captured
