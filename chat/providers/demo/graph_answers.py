"""The demo's answers about a graph: ways through it, its errors, and what happens on a failure."""

from collections.abc import Callable, Iterable
from functools import partial

from chat.providers.demo.lookups import HANDLE, MAX_HITS, Lookups, PlannedCall, is_for_errors, mention, rows
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import Phrases, paragraphs, plain, subject

#: Edges that one look around follows.
DEPTH = 3
#: Of the nodes that a failure may mean, those that are looked at.
MAX_FAILING = 3
#: Where the graph begins, whatever the node is called.
_START = frozenset({"start", "beginning", "début", "départ"})
#: What is read of the nodes in which errors are looked for.
_WHAT = {"fields": ["type", "process", "data", "handles"], "includeTypes": True, "includeEdges": False}

Words = dict[str, str]


def _way(direction: str, looking: Lookups, words: Words) -> str:
    """What comes after a node, or before it."""
    if subject(words["x"]).lower() in _START:
        key = next(iter(looking.one("read_graph_overview").get("startNodes") or ()), "")
        if not key:
            return looking.say("no_start")
    else:
        key = looking.item(words["x"]).key
    way, node = way_on(looking, key, direction), mention(key)
    return paragraphs(looking.say(direction, node=node), way) if way else looking.say(f"{direction}_nothing", node=node)


def way_on(looking: Lookups, key: str, direction: str) -> str:
    """The edges up to some steps from a node, and from which nodes it goes on."""
    shown = looking.one("explore_neighborhood", nodeKey=key, maxDepth=DEPTH, direction=direction)
    nodes = rows(shown.get("nodes"))
    distant = [row["key"] for row in nodes if row["distance"] == DEPTH]
    ends = looking.look(
        *(PlannedCall("list_node_edges", {"nodeKey": end, "direction": direction}) for end in distant[:MAX_HITS])
    )
    open_ends = [key for key, end in zip(distant, ends, strict=False) if _leaves(rows(end.get("edges")), nodes)]
    open_ends += distant[MAX_HITS:] or [row["key"] for row in nodes[-1:] if "note" in shown and not open_ends]
    goes_on = looking.say.naming("goes_on", [*map(mention, open_ends)])
    return "\n".join(filter(None, (edges_told(rows(shown.get("edges")), looking.say), goes_on)))


def _leaves(edges: Iterable[Row], nodes: Iterable[Row]) -> bool:
    """Whether an edge leads to none of these nodes, or comes from none of them."""
    return any(not {edge["source"], edge["target"]} <= {row["key"] for row in nodes} for edge in edges)


def errors(looking: Lookups, words: Words) -> str:
    """What is wrong with the first nodes of the graph, as far as its form shows it, and its error paths."""
    say, seen = looking.say, looking.seen
    if seen.at_hand or not (looking.can_load or "read_object" in seen.offered):
        return failure(looking, words)
    parts = looking.object(looking.here().key).row.get("parts", {}).get("node", {"first": [], "count": 0})
    keys = [name.partition(":")[2] for name in parts["first"]]
    batches = [PlannedCall("read_subgraph", _WHAT | {"nodeKeys": keys[at : at + 8]}) for at in range(0, len(keys), 8)]
    shown = looking.look(*batches, *(PlannedCall("list_node_edges", {"nodeKey": key}) for key in keys))
    nodes = {row["key"]: row for each in shown for row in rows(each.get("nodes"))}
    built_in = {row["key"] for each in shown for row in rows(each.get("types")) if row["builtIn"]}
    edges = {edge["key"]: edge for each in shown for edge in rows(each.get("edges"))}.values()
    connected = {edge[end] for edge in edges for end in ("source", "target")}
    own = {key for key, row in nodes.items() if row["type"] not in built_in}
    wrong = {
        "unconnected": [key for key in nodes if key not in connected and (key in own or nodes[key]["handles"])],
        "no_handle": [key for key in nodes if _hangs_on_nothing(nodes[key], edges)],
        "empty": [key for key in nodes if key in own and not nodes[key]["process"] and not nodes[key]["data"]],
    }
    return paragraphs(
        say("looked", seen=len(nodes), count=parts["count"]),
        *(say.naming(name, [*map(mention, found)]) for name, found in wrong.items()),
        "" if any(wrong.values()) else say("nothing_wrong"),
        paragraphs(say("on_failure"), paths) if (paths := edges_told(filter(is_for_errors, edges), say)) else "",
    )


def _hangs_on_nothing(node: Row, edges: Iterable[Row]) -> bool:
    """Whether an edge of the node hangs on a handle that it has not; one without any takes what is given."""
    ways = {"source": "out", "target": "in"}
    hung = ((edge[f"{end}Handle"], way) for edge in edges for end, way in ways.items() if edge[end] == node["key"])
    own = set(HANDLE.findall(node["handles"]))
    return bool(own) and not node["handles"].endswith("…") and not set(hung) <= own


def failure(looking: Lookups, words: Words) -> str:
    """The error paths of what these words find; without words those around all that has to do with errors."""
    say, failing = looking.say, words.get("x", "")
    hits = [hit for hit in looking.find(failing or "error") if hit.is_node][: MAX_FAILING if failing else MAX_HITS]
    if not hits:
        return say("found_nothing", subject=plain(failing or "error"))
    shown = looking.look(*(PlannedCall("list_node_edges", {"nodeKey": hit.key}) for hit in hits))
    edges = {edge["key"]: edge for each in shown for edge in rows(each.get("edges"))}.values()
    paths = edges_told(filter(is_for_errors, edges), say)
    return paragraphs(say("on_failure"), paths) if paths else say.naming("no_failure_path", [*map(str, hits)])


def edges_told(edges: Iterable[Row], say: Phrases) -> str:
    labels = ((edge, f" ({plain(edge['label'])})" if edge["label"] else "") for edge in edges)
    lines = [f"{mention(edge['source'])} → {mention(edge['target'])}{label}" for edge, label in labels]
    return say.lines(lines)


ANSWERS: dict[str, Callable[[Lookups, Words], str]] = {
    "after": partial(_way, "outbound"),
    "before": partial(_way, "inbound"),
}
