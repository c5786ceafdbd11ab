"""relation.json: the mesh, and the layout of every parameter and every result (format: README.md)."""
import difflib
import inspect
import itertools
import json
import math
import re

import jax
from jax.sharding import NamedSharding, PartitionSpec as P

SHORT = {"float64": "f64", "float32": "f32", "bfloat16": "bf16", "float16": "f16", "bool": "pred", "int64": "s64",
         "int32": "s32", "int16": "s16", "int8": "s8", "uint64": "u64", "uint32": "u32", "uint16": "u16", "uint8": "u8"}


def is_spec(x):
    return isinstance(x, (NamedSharding, P))


def leaves(tree):
    """(path, leaf) pairs of a pytree, in the order of the program's parameters or results."""
    return jax.tree_util.tree_flatten_with_path(tree)[0]


def spread(field, specs, tree, values):
    """One spec for each leaf: a tree of specs may be a prefix of the tree of values."""
    try:
        full = jax.tree.map(lambda s, below: jax.tree.map(lambda _: s, below), specs, tree, is_leaf=is_spec)
    except ValueError as e:
        raise ValueError(f"{field} is no tree like {values}, nor a prefix of one: {e}") from e
    return jax.tree.leaves(full, is_leaf=is_spec)


def axes_of(spec, rank):
    """Per dimension the list of axes that cut it."""
    lists = [[] if e is None else [e] if isinstance(e, str) else list(e) for e in spec]
    return lists + [[] for _ in range(rank - len(lists))]


def belongs(name, key):
    """Whether an entry's name is `key` or a leaf below it: p['w'] belongs to p."""
    return name == key or name.startswith((key + "[", key + "."))


def entry(position, name, value, spec, sizes):
    spec, local = axes_of(spec, len(value.shape)), []
    if len(spec) > len(value.shape):
        raise ValueError(f"{name}: a spec of {len(spec)} dimensions for a tensor of shape {list(value.shape)}")
    for dim, axes in zip(value.shape, spec):
        if any(a not in sizes for a in axes):
            raise ValueError(f"{name}: its spec names {axes}, the mesh has the axes {list(sizes)}")
        n = math.prod(sizes[a] for a in axes)
        if dim % n:
            raise ValueError(f"{name}: a dimension of size {dim} is cut into {n} parts, which are not equal")
        local.append(dim // n)
    if str(value.dtype) not in SHORT:
        raise ValueError(f"{name}: values of type {value.dtype} are not written as numbers: make them of numbers in the program")
    return {"name": name, "seq": position, "dist": position, "dtype": SHORT[str(value.dtype)],
            "seq_shape": list(value.shape), "dist_shape": local, "spec": spec, "partial": []}


def argument_names(function, n):
    """Of the first n arguments of a function; those of `*a` are a[0], a[1], .."""
    names = []
    for p in inspect.signature(function).parameters.values():
        names += [f"{p.name}[{k}]" for k in range(n - len(names))] if p.kind is p.VAR_POSITIONAL else [p.name]
    return names


def of(program):
    """The relation of a Program, as the dictionary that relation.json holds."""
    args, sizes = program.args, program.mesh
    names = program.names or argument_names(program.sequential, len(args))
    if len(names) < len(args):
        raise ValueError(f"{len(args)} arguments and {len(names)} names: give `names`")
    twice = [n for k, n in enumerate(names[:len(args)]) if n in names[:k]]
    if twice:
        raise ValueError(f"names: two arguments are called '{twice[0]}'")
    out = jax.eval_shape(program.sequential, *args)
    key = jax.tree_util.keystr
    inputs = [entry(i, names[path[0].idx] + key(path[1:]), x, spec, sizes)
              for i, ((path, x), spec) in enumerate(zip(leaves(args), spread("in_specs", program.in_specs, args, "the arguments")))]
    outputs = [entry(i, "out" + key(path), x, spec, sizes)
               for i, ((path, x), spec) in enumerate(zip(leaves(out), spread("out_specs", program.out_specs, out, "the results")))]
    for field, wanted, entries, set_it in (
            ("assume", program.assume, inputs, lambda e, v: e.update(assume={"range": list(v)})),
            ("partial", program.partial, outputs, lambda e, v: e.update(partial=list(v))),
            ("blocks", program.blocks, inputs + outputs, lambda e, v: e.update(blocks={"dim": v[0], "order": list(v[1])}))):
        for name, value in wanted.items():
            found = [e for e in entries if belongs(e["name"], name)]
            if not found:
                there = [e["name"] for e in entries]
                near = difflib.get_close_matches(name, there, 3, 0.4) or there[:8]
                raise ValueError(f"{field}: '{name}' fits nothing; there are {', '.join(near)}")
            for e in found:
                set_it(e, value)
    return {"mesh": {"axes": [list(a) for a in sizes.items()], "device_order": list(range(math.prod(sizes.values())))},
            "inputs": inputs, "outputs": outputs}


def must_agree(seq, dist):
    """Results correspond in order: where they have other names, it is not known which is which."""
    names = [[jax.tree_util.keystr(path) for path, _ in leaves(jax.tree.unflatten(tree, range(tree.num_leaves)))]
             for tree in (seq, dist)]
    if names[0] != names[1]:
        there, here = next((a, b) for a, b in itertools.zip_longest(*names, fillvalue="nothing") if a != b)
        there, here = there or "a single array", here or "a single array"
        raise ValueError(f"the sequential program has the result {there} where the distributed one has {here}: return the same "
                         f"tree from both")


def must_fit(relates, side, hlo):
    """The entry computation of a text has the parameters and results that the relation speaks of."""
    layout = re.search(r"entry_computation_layout=\{(.*?)\}(?:, [a-z_]+=|$)", hlo.split("\n", 1)[0]).group(1)
    parts = re.sub(r"/\*.*?\*/", "", layout).split("->")
    for what, text in zip(("inputs", "outputs"), parts):
        shapes = [[t, [int(n) for n in dims.split(",") if n]] for t, dims in re.findall(r"([a-z]+[0-9]*)\[([0-9,]*)\]", text)]
        expected = [[e["dtype"], e[side + "_shape"]] for e in relates[what]]
        if len(shapes) != len(expected):
            raise ValueError(f"{side}.hlo has {len(shapes)} {what}, the relation {len(expected)}")
        for e, is_, want in zip(relates[what], shapes, expected):
            if is_ != want:
                raise ValueError(f"{e['name']} is {is_} in {side}.hlo; a tensor of shape {e['seq_shape']} with the spec "
                                 f"{e['spec']} is {want}")


def text(relates):
    rows = lambda entries: ",\n  ".join(map(json.dumps, entries))
    return (f'{{"mesh": {json.dumps(relates["mesh"])},\n "inputs": [\n  {rows(relates["inputs"])}],\n'
            f' "outputs": [\n  {rows(relates["outputs"])}]}}\n')
