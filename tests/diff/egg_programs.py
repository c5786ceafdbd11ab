"""Random programs of egglog: containers, tables, rules, schedules, and commands that print what came of them.

Most are small and of a few sorts, so that rules match, classes merge and containers follow them.  A program is a list of
commands; some are wrong, and some checks fail."""

import random
import re

CLASSES = ["A", "B"]
CONTAINERS = {
    "VA": ("Vec", "A"), "VB": ("Vec", "B"), "VI": ("Vec", "i64"), "VVI": ("Vec", "VI"), "SA": ("Set", "A"),
    "SI": ("Set", "i64"), "SVA": ("Set", "VA"), "SSA": ("Set", "SA"), "MIA": ("Map", "i64", "A"), "MII": ("Map", "i64", "i64"),
    "MIV": ("Map", "i64", "VA"), "BA": ("MultiSet", "A"), "BB": ("MultiSet", "B"), "BI": ("MultiSet", "i64"),
    "PAI": ("Pair", "A", "i64"), "PSA": ("Pair", "SA", "SA"), "FAA": ("UnstableFn", "A", "A"), "FBA": ("UnstableFn", "B", "A"),
}
LITERALS = {
    "i64": ["0", "1", "2", "3", "4", "-1", "5"],
    "bool": ["true", "false"],
    "String": ['"a"', '"b"', '""', '"ab"'],
    "f64": ["0.5", "1.0", "2.0", "-1.5", "3.25"],
    "BigInt": ["(bigint 0)", "(bigint 1)", "(bigint -3)"],
    "BigRat": ["(bigrat (bigint 0) (bigint 1))", "(bigrat (bigint 1) (bigint 2))", "(bigrat (bigint -3) (bigint 2))"],
}
# What makes a value of a base sort or of a kind of container: C is the container, E and V its elements.
MAKES = {
    "i64": ["(% (+ {i64} {i64}) 5)", "(min {i64} {i64})", "(max {i64} {i64})", "(& {i64} {i64})", "(- 3 (min 3 {i64}))",
            "(% (* {i64} 3) 7)", "(abs (% {i64} 4))"],
    "bool": ["(not {bool})", "(and {bool} {bool})", "(or {bool} {bool})", "(bool-< {i64} {i64})", "(bool-= {i64} {i64})"],
    "String": ["(to-string {i64})", '(replace {String} "a" "b")'],
    "f64": ["(min {f64} {f64})", "(max {f64} {f64})", "(to-f64 {i64})"],
    "BigInt": ["(min {BigInt} {BigInt})", "(bigint {i64})"],
    "BigRat": ["(min {BigRat} {BigRat})", "(max {BigRat} {BigRat})", "(neg {BigRat})", "(floor {BigRat})"],
    "Vec": ["(vec-empty)", "(vec-of {E})", "(vec-of {E} {E})", "(vec-push {C} {E})", "(vec-pop {C})", "(vec-append {C} {C})",
            "(vec-set {C} 0 {E})", "(vec-remove {C} 0)"],
    "Set": ["(set-empty)", "(set-of {E})", "(set-of {E} {E})", "(set-insert {C} {E})", "(set-union {C} {C})",
            "(set-diff {C} {C})", "(set-intersect {C} {C})", "(set-remove {C} {E})"],
    "Map": ["(map-empty)", "(map-of {E} {V})", "(map-of {E} {V} {E} {V})", "(map-insert {C} {E} {V})", "(map-remove {C} {E})"],
    "MultiSet": ["(multiset-of)", "(multiset-of {E})", "(multiset-of {E} {E})", "(multiset-insert {C} {E})",
                 "(multiset-sum {C} {C})", "(multiset-intersection {C} {C})", "(multiset-single {E} 2)",
                 "(multiset-reset-counts {C})"],
    "Pair": ["(pair {E} {V})"],
}
EMPTY = {"Vec": "(vec-empty)", "Set": "(set-empty)", "Map": "(map-empty)", "MultiSet": "(multiset-of)"}
# What is read from a container: its sort (of E and V, that of the elements), and how.
READS = {
    "Vec": [("i64", "(vec-length {C})"), ("E", "(vec-get {C} 0)"), ("E", "(vec-get {C} {i64})")],
    "Set": [("i64", "(set-length {C})")],
    "Map": [("i64", "(map-length {C})"), ("V", "(map-get {C} {E})")],
    "MultiSet": [("i64", "(multiset-length {C})"), ("i64", "(multiset-count {C} {E})")],
    "Pair": [("E", "(pair-first {C})"), ("V", "(pair-second {C})")],
    "UnstableFn": [("V", "(unstable-app {C} {E})")],
}
# What applies functions to containers, where all these sorts are declared.
APPLIES = [("VA", "(unstable-vec-map {FAA} {VA})", {"FAA"}), ("BA", "(unstable-multiset-map {FAA} {BA})", {"FAA"}),
           ("BA", "(unstable-multiset-map {FBA} {BB})", {"FBA", "BB"})]
MERGES = {
    "i64": ["(min old new)", "(max old new)", "(| old new)", "(& old new)"], "bool": ["(or old new)", "(and old new)"],
    "f64": ["(min old new)", "(max old new)"], "BigInt": ["(min old new)"], "BigRat": ["(max old new)"],
    "Set": ["(set-union old new)", "(set-intersect old new)"], "MultiSet": ["(multiset-intersection old new)"],
}


class Table:
    def __init__(self, kind, inputs, output=None, merges=True):
        self.kind, self.inputs, self.output, self.merges = kind, inputs, output, merges


class Generator:
    """`where` an expression stands: "top", in a "rule" head, or in a "query", which has no functions to apply."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.commands, self.tables, self.globals, self.rulesets, self.n_names = [], {}, {}, [""], 0

    # ---- chance
    def pick(self, *of):
        return self.random.choice(of)

    def any_of(self, of):
        return self.random.choice(list(of))

    def chance(self, p):
        return self.random.random() < p

    def new(self, letter):
        self.n_names += 1
        return f"{letter}{self.n_names}"

    def call(self, name, arguments):
        return "(" + " ".join([name, *arguments]) + ")"

    # ---- declarations
    def some_sort(self):
        return self.any_of(self.pick(CLASSES, CLASSES, self.containers or CLASSES, self.base, ["i64"]))

    def declare_sorts(self):
        self.containers, self.base = [], ["i64"] + self.random.sample(list(LITERALS)[1:], self.pick(0, 0, 1, 2))

        def add(name):
            for element in CONTAINERS[name][1:]:
                if element in CONTAINERS:
                    add(element)
            if name not in self.containers:
                self.containers.append(name)

        for name in self.random.sample(list(CONTAINERS), self.pick(0, 0, 1, 2, 3, 4)):
            add(name)
        self.commands += [f"(sort {name})" for name in CLASSES]
        for name in self.containers:
            kind, *of = CONTAINERS[name]
            self.commands.append(f"(sort {name} ({kind} {' '.join(of) if kind != 'UnstableFn' else f'({of[0]}) {of[1]}'}))")

    def merge(self):
        """(sort, merge) of a function."""
        choices = [("i64", m) for m in MERGES["i64"]] + [("i64", None)]
        if self.chance(0.5):
            choices += [(s, m) for s in self.base + self.containers for m in MERGES.get(CONTAINERS.get(s, [s])[0], [])]
        return self.any_of(choices)

    def declare_tables(self):
        def constructor(name, inputs, output, *options):
            self.tables[name] = Table("constructor", inputs, output)
            self.commands.append(f"(constructor {name} ({' '.join(inputs)}) {output}{self.any_of(options)})")

        constructor("NA", ["i64"], "A", "")
        constructor("NB", ["i64"], "B", "", " :cost 2", " :cost 0")
        for k in range(self.pick(1, 2, 3, 4)):
            inputs = [self.some_sort() for _ in range(self.pick(0, 1, 1, 2, 2, 2, 3))]
            constructor(f"C{k}", inputs, self.pick("A", "A", "B"), *[""] * 6, " :cost 3", " :cost 0", " :unextractable", " :cost 10")
        for k in range(self.pick(1, 2, 3)):
            inputs = [self.some_sort() for _ in range(self.pick(1, 1, 2, 2, 2, 3))]
            self.tables[f"R{k}"] = Table("relation", inputs)
            self.commands.append(f"(relation R{k} ({' '.join(inputs)}))")
        for k in range(self.pick(0, 1, 2, 3)):
            inputs, (output, merge) = [self.some_sort() for _ in range(self.pick(0, 1, 1, 2))], self.merge()
            self.tables[f"f{k}"] = Table("function", inputs, output, merge is not None)
            self.commands.append(f"(function f{k} ({' '.join(inputs)}) {output} {f':merge {merge}' if merge else ':no-merge'})")
        for k in range(self.pick(0, 0, 1, 2)):
            self.rulesets.append(f"rs{k}")
            self.commands.append(f"(ruleset rs{k})")
        if len(self.rulesets) > 2:
            self.commands.append("(unstable-combined-ruleset both rs0 rs1)")

    def named(self, kind, output=None):
        return [n for n, t in self.tables.items() if t.kind == kind and output in (None, t.output)]

    # ---- expressions
    def fill(self, template, container, expression):
        """A template whose {sort}s are expressions."""
        kind, *of = CONTAINERS.get(container, [container])
        sorts = {"C": container, **dict(zip("EV", of))}
        return re.sub(r"\{(\w+)\}", lambda m: expression(sorts.get(m[1], m[1])), template)

    def reads(self, sort):
        """[(template, container)] of this sort, and of what a query may ask."""
        for container in self.containers:
            kind, *of = CONTAINERS[container]
            for what, template in READS[kind]:
                if dict(zip("EV", of)).get(what, what) == sort:
                    yield template, container

    def primitive(self, sort, expression, where):
        kind = CONTAINERS.get(sort, [sort])[0]
        choices = [(t, sort) for t in MAKES.get(kind, [])]
        choices += [(t, c) for t, c in self.reads(sort) if where != "query" or "unstable" not in t]
        if where != "query":
            choices += 2 * [(t, sort) for s, t, needs in APPLIES if s == sort and needs | {sort} <= set(self.containers)]
        return self.fill(*self.any_of(choices), expression) if choices else None

    def function_value(self, sort, variables, depth, where):
        _, last, output = CONTAINERS[sort]
        names = [n for n in self.named("constructor", output) if self.tables[n].inputs[-1:] == [last]]
        if not names or depth < -2:
            return f'(unstable-fn "N{last}")' if output == last else '(unstable-fn "C0")'
        name = self.any_of(names)
        bound = [self.expression(s, variables, min(depth - 1, 0), where) for s in self.tables[name].inputs[:-1]]
        return self.call("unstable-fn", [f'"{name}"', *bound])

    def expression(self, sort, variables, depth, where):
        own = [v for v, s in variables.items() if s == sort]
        shared = [v for v, s in self.globals.items() if s == sort]
        if own and (self.chance(0.65) or (depth <= 0 and sort in CLASSES)):
            return self.any_of(own)
        if shared and self.chance(0.2):
            return self.any_of(shared)
        below = lambda s: self.expression(s, variables, depth - 1, where)
        if CONTAINERS.get(sort, [""])[0] == "UnstableFn":
            return self.function_value(sort, variables, depth, where)
        if depth > 0 and self.chance(0.12 if sort in CLASSES else 0.5):
            found = self.primitive(sort, below, where)
            if found:
                return found
        if sort in CLASSES:
            if depth <= 0:
                return f"(N{sort} {self.any_of(LITERALS['i64'])})"
            name = self.any_of(self.named("constructor", sort))
            return self.call(name, map(below, self.tables[name].inputs))
        if sort in CONTAINERS:
            kind = CONTAINERS[sort][0]
            return EMPTY[kind] if depth <= -2 and kind in EMPTY else self.primitive(sort, below, where)
        return self.any_of(LITERALS[sort])

    # ---- queries
    def pattern(self, sort, variables, depth):
        """May add variables."""
        if self.chance(0.08):
            return "_"
        if depth > 0 and sort in CLASSES and self.chance(0.3):
            return self.pattern_of(self.any_of(self.named("constructor", sort)), variables, depth - 1)
        if sort in LITERALS and self.chance(0.12):
            return self.any_of(LITERALS[sort])
        known = [v for v, s in variables.items() if s == sort]
        if known and self.chance(0.5):
            return self.any_of(known)
        shared = [v for v, s in self.globals.items() if s == sort]
        if shared and self.chance(0.08):
            return self.any_of(shared)
        name = self.new("v")
        variables[name] = sort
        return name

    def pattern_of(self, table, variables, depth):
        return self.call(table, [self.pattern(s, variables, depth) for s in self.tables[table].inputs])

    def condition(self, variables):
        """A test of what is known, or a new variable for what is computed from it."""
        expression = lambda s: self.expression(s, variables, 1, "query")
        if self.chance(0.3):
            sort = self.some_sort()
            found = self.primitive(sort, expression, "query")
            if found:
                name = self.new("n")
                variables[name] = sort
                return f"(= {name} {found})"
        sort, kind = self.some_sort(), None
        kind = CONTAINERS.get(sort, [""])[0].lower()
        choices = ["(= {C} {C})", "(!= {C} {C})"]
        choices += {"bool": ["(guard {bool})"], "String": []}.get(sort, ["(< {C} {C})", "(>= {C} {C})"] if sort in LITERALS else [])
        if kind in ("vec", "set", "map", "multiset"):
            choices += [f"({kind}-contains {{C}} {{E}})", f"({kind}-not-contains {{C}} {{E}})"]
        return self.fill(self.any_of(choices), sort, expression)

    def query(self, n):
        """(facts, their variables)"""
        variables, facts = {}, []
        for _ in range(n):
            name = self.any_of(self.tables)
            fact = self.pattern_of(name, variables, 1)
            output = self.tables[name].output
            if output and self.chance(0.8):
                result = self.pattern(output, variables, 0)
                fact = fact if result == "_" else self.pick(f"(= {result} {fact})", f"(= {fact} {result})")
            facts.append(fact)
        if self.chance(0.35):
            facts += [self.condition(variables) for _ in range(self.pick(1, 1, 2))]
        if self.chance(0.3):
            self.random.shuffle(facts)
        return facts, variables

    # ---- actions and rules
    def action(self, variables, where):
        depth = 1 if where == "rule" else 2
        expression = lambda s: self.expression(s, variables, depth, where)
        call = lambda name: self.call(name, map(expression, self.tables[name].inputs))
        what = self.random.choices(["relation", "constructor", "set", "union", "delete", "subsume", "let"], [25, 15, 20, 22, 8, 7, 3])[0]
        if what in ("relation", "constructor"):
            return call(self.any_of(self.named(what)))
        if what == "set" and self.named("function"):
            name = self.any_of(self.named("function"))
            table = self.tables[name]
            return f"(set {call(name)} {expression(table.output) if table.merges or self.chance(0.1) else '7'})"
        if what == "delete":  # of a row that its own arguments make, they think differently
            name = self.any_of(self.tables)
            return f"(delete {self.call(name, [self.expression(s, variables, 0, where) for s in self.tables[name].inputs])})"
        if what == "subsume":
            return f"(subsume {call(self.any_of(self.named('relation') + self.named('constructor')))})"
        if what == "let" and where == "rule":
            sort, name = self.some_sort(), self.new("l")
            text = expression(sort)
            variables[name] = sort
            return f"(let {name} {text})"
        sort = self.pick("A", "A", "B")
        return f"(union {expression(sort)} {expression(sort)})"

    def rule(self):
        ruleset, name = self.any_of(self.rulesets), self.new("r")
        options = (f" :ruleset {ruleset}" if ruleset else "") + f' :name "{name}"'
        if self.chance(0.33):
            variables, sort = {}, self.pick("A", "A", "B")
            left = self.pattern_of(self.any_of(self.named("constructor", sort)), variables, 1)
            if self.chance(0.1):
                right = self.pattern_of(self.any_of(self.named("constructor", sort)), variables, 0)
                return f"(birewrite {left} {right}{options})"
            when = f" :when ({self.condition(variables)})" if self.chance(0.3) else ""
            options = " :subsume" + options if self.chance(0.12) else options
            return f"(rewrite {left} {self.expression(sort, variables, 1, 'rule')}{when}{options})"
        facts, variables = self.query(self.pick(1, 1, 2, 2, 2, 3, 3, 4))
        actions = [self.action(variables, "rule") for _ in range(self.pick(1, 1, 2, 2, 3))]
        naive = " :naive" if self.chance(0.1) else ""
        return f"(rule ({' '.join(facts)}) ({' '.join(actions)}){options}{naive})"

    def schedule(self, depth=2):
        ruleset = self.any_of(self.rulesets + ["both"] * (len(self.rulesets) > 2))
        if depth == 0 or self.chance(0.4):
            until = f" :until {self.pattern_of(self.any_of(self.named('relation')), {}, 1)}" if self.chance(0.1) else ""
            return f"(run {ruleset}{until})" if ruleset else f"(run{until})"
        inner = " ".join(self.schedule(depth - 1) for _ in range(self.pick(1, 2, 2, 3)))
        return self.pick(f"(seq {inner})", f"(repeat {self.pick(1, 2, 3)} {inner})", f"(repeat 2 {inner})", f"(saturate {inner})")

    # ---- what is printed: only what does not depend on which of several best terms is taken
    def is_base(self, sort):
        return sort in LITERALS or (sort in CONTAINERS and all(map(self.is_base, CONTAINERS[sort][1:])))

    def observe(self):
        self.commands.append("(print-size)")
        for name, table in self.tables.items():
            sorts = table.inputs + ([table.output] if table.output else [])
            if table.kind != "constructor" and all(map(self.is_base, sorts)):
                self.commands.append(f"(print-function {name} 1000)")

    def program(self):
        self.declare_sorts()
        self.declare_tables()
        rules = [self.rule() for _ in range(self.pick(1, 2, 3, 4, 5, 6, 9))]
        late = [self.rule() for _ in range(self.pick(0, 0, 1, 2))]
        for _ in range(self.pick(3, 5, 8, 10, 20)):
            self.commands.append(self.action({}, "top"))
            if self.chance(0.15):
                sort, name = self.any_of(CLASSES + self.containers), f"$g{len(self.globals)}"
                self.commands.append(f"(let {name} {self.expression(sort, {}, 2, 'top')})")
                self.globals[name] = sort
        self.commands += rules
        pushed = 0
        for _ in range(self.pick(1, 2, 2, 3, 4)):
            if self.chance(0.2):
                self.commands.append("(push)")
                pushed += 1
            if late and self.chance(0.5):
                self.commands.append(late.pop())
            self.commands.append(self.pick(f"(run {self.pick(1, 1, 2, 3)})", f"(run-schedule {self.schedule()})"))
            self.commands += [self.action({}, "top") for _ in range(self.pick(0, 0, 1, 2))]
            self.observe()
            for _ in range(self.pick(0, 1, 2, 3)):
                self.commands.append(f"(check {' '.join(self.query(self.pick(1, 1, 2))[0])})")
            for _ in range(self.pick(0, 1, 2)):
                sort = self.any_of(CLASSES + CLASSES + self.containers + self.base)
                self.commands.append(f"(extract {self.expression(sort, {}, 2, 'top')}{self.pick('', '', '', ' 3')})")
            if pushed and self.chance(0.5):
                self.commands.append("(pop)")
                pushed -= 1
                self.observe()
        return self.commands


def random_program(seed):
    return Generator(seed).program()
