#!/usr/bin/env python3
"""egg.py [TVR] [NAME ...]: `tvr egg` on the programs of programs.py, beside egglog where it is installed.

The peer is the command $EGGLOG or `egglog`, or else the Python package of that name in $EGGLOG_PYTHON (default: this
interpreter, whose memory is counted, its start not).  All run alternately, RUNS times, the peer with and without
--no-decomp; figures are the least processor seconds, of the peer's better way, and the largest resident memory.
Nothing is asserted, except that all end with tables of the same sizes."""

import math, os, resource, shutil, subprocess, sys, tempfile

from programs import PROGRAMS

LIMIT = 60
WHEEL = """
import resource, sys, time
import egglog.bindings as b
text = open(sys.argv[1]).read()
start = time.process_time()
graph = b.EGraph(**{option: True for option in sys.argv[2:]})
out = graph.run_program(*graph.parse_program(text, sys.argv[1]))
print(time.process_time() - start)
for name, size in getattr(out[-1], "sizes", []): print(name, size)
"""


def run(command):
    """(output, seconds, MB) or None."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.NamedTemporaryFile() as peak:
        try:
            done = subprocess.run(
                ["/usr/bin/time", "-q", "-f", "%M", "-o", peak.name, *command], capture_output=True, timeout=LIMIT
            )
        except subprocess.TimeoutExpired:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            return None
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return done.stdout.decode(errors="replace"), seconds, int(open(peak.name).read().split()[-1]) / 1024


def sizes(text):
    """What (print-size) printed last, sorted."""
    return sorted(text[text.rfind("((") :].replace("(", " ").replace(")", " ").split())


def find_peer():
    """(name, how to run a file in two ways) or None."""
    command = os.environ.get("EGGLOG") or shutil.which("egglog")
    if command:
        return command, [lambda path: run([command, path]), lambda path: run([command, "--no-decomp", path])]
    python = os.environ.get("EGGLOG_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import egglog.bindings"], capture_output=True).returncode:
        return None

    def wheel(path, *options):
        got = run([python, "-c", WHEEL, path, *options])
        if not got:
            return None
        first, *rest = got[0].splitlines()
        return "((" + " ".join(rest), float(first), got[2]

    return f"egglog of {python}", [wheel, lambda path: wheel(path, "no_decomp")]


def measure(tvr, ways, text):
    """The best of tvr's runs, and of the peer's, as `run` gives them; None where a run failed."""
    with tempfile.NamedTemporaryFile("w", suffix=".egg") as f:
        f.write(text + "\n(print-size)\n")
        f.flush()
        tools = [lambda path: run([tvr, "egg", path])] + ways
        runs = [[tool(f.name) for tool in tools] for _ in range(int(os.environ.get("RUNS", "3")))]

    def best(side):
        side = [s for s in side if s]
        return (side[0][0], min(s[1] for s in side), max(s[2] for s in side)) if side else None

    sides = [best([r[i] for r in runs]) for i in range(len(tools))]
    return sides[0], min((s for s in sides[1:] if s), key=lambda s: s[1], default=None)


def main():
    tvr, names = (sys.argv[1] if len(sys.argv) > 1 else "build/tvr"), sys.argv[2:] or PROGRAMS
    peer = find_peer()
    print(f"peer: {peer[0]}" if peer else "egglog is not installed: tvr alone")
    print(f"{'program':16} {'tvr s':>9} {'MB':>7} {'peer s':>9} {'MB':>7} {'time x':>8} {'memory x':>9}")
    time, memory, bad = [], [], 0
    for name in names:
        a, b = measure(tvr, peer[1] if peer else [], PROGRAMS[name])
        if not a:
            print(f"{name:16} failed")
            bad += 1
            continue
        line = f"{name:16} {a[1]:9.4f} {a[2]:7.1f}"
        if b:
            same = sizes(a[0]) == sizes(b[0])
            bad += not same
            time.append(b[1] / a[1])
            memory.append(b[2] / a[2])
            line += f" {b[1]:9.4f} {b[2]:7.1f} {time[-1]:8.2f} {memory[-1]:9.2f}" + ("" if same else "  sizes differ")
        elif peer:
            line += "         -"
        print(line, flush=True)
    if time:
        mean = lambda x: math.exp(sum(map(math.log, x)) / len(x))
        print(f"{'geometric mean':16} {'':35} {mean(time):8.2f} {mean(memory):9.2f}")
        print(f"tvr is slower on {sum(x < 1 for x in time)} of {len(time)}")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
