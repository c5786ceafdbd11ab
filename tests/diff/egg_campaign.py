#!/usr/bin/env python3
"""egg_campaign.py [TVR [SECONDS [SEED]]]: `tvr egg` and egglog itself on random programs (egg_programs.py).

The peer is the Python package egglog, in $EGGLOG_PYTHON (default: this interpreter).  Compared are what every command
prints (of a term that is extracted, its cost: which of several best ones is taken is nobody's promise), which checks
hold, and which commands are wrong.  A program on which they differ is printed, as small as it gets."""

import json, os, re, resource, select, subprocess, sys, tempfile, time

from egg_programs import random_program

MEMORY = 3 << 30
PYTHON = os.environ.get("EGGLOG_PYTHON", sys.executable)
PEER = """
import json, os, sys
import egglog.bindings as b
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what it says when it panics

def shown(o):
    kind, text = type(o).__name__, (lambda term: o.termdag.to_string(term))
    if kind == "ExtractBest": return "terms", [text(o.term)]
    if kind == "ExtractVariants": return "terms", [text(term) for term in o.terms]
    if kind == "PrintFunctionSize": return "text", f"{o.size}"
    if kind == "PrintAllFunctionsSize": return "rows", [f"({name} {size})" for name, size in o.sizes]
    if kind != "PrintFunctionOutput": return "text", ""
    return "rows", [text(row) + ("" if text(to) == "()" else " -> " + text(to)) for row, to in o.terms]

for line in sys.stdin:
    graph, results = b.EGraph(no_decomp=True), []
    for command in json.loads(line):
        try: results.append(["ok", *[shown(o) for o in graph.run_program(*graph.parse_program(command))]])
        except BaseException as e:
            if any(word in str(e) for word in ("anicked", "Poison", "unwrap")): break
            results.append(["wrong", str(e)])
    print(json.dumps(results), flush=True)
"""


class Peer:
    """egglog in a process of its own, which may die, or be stopped."""

    process = None

    def run(self, commands, seconds=5):
        """What the first of these commands did, up to one that egglog does not survive; None: it takes too long."""
        if not self.process or self.process.poll() is not None:
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            self.process = subprocess.Popen([PYTHON, "-c", PEER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=limit)
        self.process.stdin.write((json.dumps(commands) + "\n").encode())
        self.process.stdin.flush()
        answer, end = b"", time.time() + seconds
        while not answer.endswith(b"\n"):
            ready = select.select([self.process.stdout], [], [], max(0, end - time.time()))[0]
            more = os.read(self.process.stdout.fileno(), 1 << 20) if ready else b""
            if not more:
                self.process.kill()
                self.process.wait()
                return None
            answer += more
        return json.loads(answer)


def read(text):
    """S-expressions as lists of lists and words."""
    stack = [[]]
    for word in re.findall(r'"(?:\\.|[^"\\])*"|[()]|[^\s()"]+', text):
        if word == "(":
            stack.append([])
        elif word == ")":
            stack[-2].append(stack.pop())
        else:
            stack[-1].append(word)
    return stack[0]


def cost(term, costs):
    return 1 if isinstance(term, str) or not term else costs.get(term[0], 0) + sum(cost(t, costs) for t in term[1:])


def declared_costs(commands):
    """By constructor; other heads cost nothing, so that it is the elements of a container that count."""
    found = {}
    for command in commands:
        form = read(command)[0]
        if form[0] == "constructor":
            found[form[1]] = int(form[form.index(":cost") + 1]) if ":cost" in form else 1
    return found


def same(shown, text, costs):
    """Is this text of tvr what egglog has shown?"""
    kind, want = shown or ("text", "")
    forms = read(text)
    if kind == "text":
        return text.strip() == want
    if kind == "rows":
        return sorted(map(str, forms[0])) == sorted(map(str, read(" ".join(want)))) if forms else not want
    found = forms[0] if len(forms) == 1 and text.startswith("(\n") else forms
    return [cost(t, costs) for t in found] == [cost(read(t)[0], costs) for t in want]


def run_tvr(tvr, commands):
    """(exit code, standard output)"""
    with tempfile.NamedTemporaryFile("w", suffix=".egg") as f:
        f.write("\n".join(commands) + "\n")
        f.flush()
        try:
            done = subprocess.run([tvr, "egg", "--max-megabytes=800", f.name], capture_output=True, timeout=20)
        except subprocess.TimeoutExpired:
            return "none", ""
        return done.returncode, done.stdout.decode(errors="replace")


FAILS = re.compile("heck failed|nable to find any valid extraction")
STATIC = re.compile("nbound|[Tt]ype|[Aa]rity|nfer|round|lready|shadow|not exist|xpected")


def difference(tvr, commands, results):
    """What they disagree on, or None.  `results`: of egglog."""
    program, shown, wrong = [], [], []
    for command, (status, *what) in zip(commands, results):
        if status == "ok":
            program.append(command)
            shown.append(what[0] if what else None)
        elif FAILS.search(what[0]):
            program.append(f"(fail {command})")
            shown.append(None)
        elif STATIC.search(what[0]):
            wrong.append(program + [command])
        else:
            wrong.append(program + [command])
            break  # what it has done by then is not compared
    marked = [x for k, command in enumerate(program) for x in (command, f'(extract "@{k}")')]
    code, out = run_tvr(tvr, marked)
    if code != 0:
        return f"tvr ends with {code}"
    costs, texts = declared_costs(program), re.split(r'"@\d+"\n', out)
    for command, want, text in zip(program, shown, texts):
        if not same(want, text, costs):
            return f"{command} prints {text.strip()}, not {want}"
    for case in wrong[:3]:
        if run_tvr(tvr, case)[0] != 1:
            return f"{case[-1]} is wrong"
    return None


def smallest(commands, differs):
    """The commands without all that `differs` needs not."""
    size = len(commands)
    while size:
        at = 0
        while at < len(commands):
            fewer = commands[:at] + commands[at + size :]
            if differs(fewer):
                commands = fewer
            else:
                at += size
        size //= 2
    return commands


def main():
    tvr = sys.argv[1] if len(sys.argv) > 1 else "build/tvr"
    seconds, seed = [int(x) for x in (sys.argv[2:] + ["60", "1"][len(sys.argv[2:]) :])]
    if subprocess.run([PYTHON, "-c", "import egglog.bindings"], capture_output=True).returncode:
        print(f"egglog is not installed for {PYTHON}: nothing is compared")
        return 0
    peer, end, n, bad = Peer(), time.time() + seconds, 0, 0

    def compare(commands):
        results = peer.run(commands)
        return results and difference(tvr, commands, results)

    while time.time() < end and bad < 10:
        commands = random_program(seed)
        found = compare(commands)
        if found:
            kind = found.split()[0]
            commands = smallest(commands, lambda fewer: (compare(fewer) or "-").split()[0] == kind)
            print(f"seed {seed}: {compare(commands)}", *commands, sep="\n", flush=True)
            bad += 1
        n, seed = n + 1, seed + 1
    print(f"{n} programs, {bad} differ")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
