"""files: tvr-graph files and relations as text, one node a line."""
import json


def merged_groups(all_groups):
    """Groups of all ranks: lists of ranks under one name where each list is one group of it."""
    out = {}
    for groups in all_groups:
        for name, g in groups.items():
            out.setdefault(name, g)
    return out


def rows(items):
    return "[" + ",\n ".join(["\n " * bool(items) + json.dumps(i, separators=(",", ":")) for i in items][:1] +
                             [json.dumps(i, separators=(",", ":")) for i in items[1:]]) + "]"


def graph_text(name, coord, g):
    parts = [f'"name":{json.dumps(name)},"coord":{json.dumps(coord)},"inputs":{rows(g["inputs"])}']
    if g.get("constants"):
        parts.append(f'"constants":{rows(g["constants"])}')
    parts.append(f'"nodes":{rows(g["nodes"])}')
    outputs = ",".join(json.dumps(o, separators=(",", ":")) for o in g["outputs"])
    return "{" + ",".join(parts) + f',\n"outputs":[{outputs}],"output_names":{json.dumps(g["output_names"])}' + "}"


def program_text(role, producer, mesh, groups, graphs):
    """`graphs`: [(name, coordinate, graph)]."""
    head = {"format": "tvr-graph", "version": 1, "producer": producer, "role": role,
            "mesh": {"axes": [[a, n] for a, n in mesh.items()]}, "groups": groups}
    body = ",\n".join(graph_text(*g) for g in graphs)
    return json.dumps(head, separators=(",", ":"))[:-1] + ',"graphs":[\n' + body + "]}\n"


def relation_text(relation):
    lists = [f'"{key}": [\n  ' + ",\n  ".join(map(json.dumps, relation[key])) + "]" for key in ("inputs", "outputs")]
    return "{" + ",\n ".join(lists) + "}\n"
