"""The demo's answers to questions, out of what its tools have shown."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from chat.providers.demo import records
from chat.providers.demo.lookups import HANDLE, MAX_HITS, Item, Lookups, PlannedCall, is_for_errors, mention, rows
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import MAX_READ, Phrases, paragraphs, plain, subject

#: Edges that one look around follows.
DEPTH = 3
#: Of the nodes that a failure may mean, those that are looked at.
MAX_FAILING = 3
#: Where the graph begins, whatever the node is called.
_START = frozenset({"start", "beginning", "début", "départ"})
#: What is read of the nodes in which errors are looked for.
_WHAT = {"fields": ["type", "process", "data", "handles"], "includeTypes": True, "includeEdges": False}

Words = dict[str, str]


def _overview(looking: Lookups, words: Words) -> str:
    """What the graph or the object at hand is, else which graphs there are."""
    if looking.seen.at_hand:
        return _detail(looking, {"x": ""})
    if "read_graph_overview" not in looking.seen.offered:
        return _listing(looking, {"kind": "graph"})
    say, facts = looking.say, looking.here().row
    types = [f"`{plain(each['key'])}` ({each['nodes']})" for each in rows(facts.get("types"))]
    sheets = [f"*{plain(each['name'] or each['key'])}* ({each['nodes']})" for each in rows(facts.get("sheets"))]
    starts = facts.get("startNodes") or []
    return paragraphs(
        say("overview", name=plain(facts.get("name")), nodes=facts.get("nodes"), edges=facts.get("edges")),
        plain(facts.get("description")),
        say.naming("sheets", sheets, facts.get("sheetCount", 0)),
        say.naming("types", types, facts.get("typeCount", 0)),
        say.naming("begins", [mention(key) for key in starts]),
        _way_on(looking, starts[0], "outbound") if starts else "",
    )


def _detail(looking: Lookups, words: Words) -> str:
    """What a node is, its edges and its code; the fields of an object, what holds it and what it holds."""
    item, say = looking.item(words["x"]), looking.say
    row, held = item.row, item.row.get("holds") or {}
    if item.is_node:
        return paragraphs(
            say("node_is", node=item.titled, type=plain(row.get("type")), sheet=plain(row.get("sheet"))),
            _edges(item.edges, say) or say("no_edges"),
            say("data", data=plain(row["data"])) if row.get("data") else "",
            say.code(row["process"]) if row.get("process") else say("no_code"),
        )
    if "fields" not in row and not looking.seen.at_hand:
        return _overview(looking, words)
    return paragraphs(
        str(item),
        say.lines([f"{name}: {plain(value)}" for name, value in item.fields.items()]),
        say("held_by", object=looking.named(row["parent"])) if "parent" in row else "",
        say.naming("holds", [f"{kind} ({count})" for kind, count in held.items()]),
    )


def _way(direction: str, looking: Lookups, words: Words) -> str:
    """What comes after a node, or before it."""
    if subject(words["x"]).lower() in _START:
        key = next(iter(looking.one("read_graph_overview").get("startNodes") or ()), "")
        if not key:
            return looking.say("no_start")
    else:
        key = looking.item(words["x"]).key
    way, node = _way_on(looking, key, direction), mention(key)
    return paragraphs(looking.say(direction, node=node), way) if way else looking.say(f"{direction}_nothing", node=node)


def _way_on(looking: Lookups, key: str, direction: str) -> str:
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
    return "\n".join(filter(None, (_edges(rows(shown.get("edges")), looking.say), goes_on)))


def _leaves(edges: Iterable[Row], nodes: Iterable[Row]) -> bool:
    """Whether an edge leads to none of these nodes, or comes from none of them."""
    return any(not {edge["source"], edge["target"]} <= {row["key"] for row in nodes} for edge in edges)


def _errors(looking: Lookups, words: Words) -> str:
    """What is wrong with the first nodes of the graph, as far as its form shows it, and its error paths."""
    say, seen = looking.say, looking.seen
    if records.is_record(looking):
        return records.missing(looking, words)
    if seen.at_hand or not (looking.can_load or "read_object" in seen.offered):
        return _failure(looking, words)
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
        paragraphs(say("on_failure"), paths) if (paths := _edges(filter(is_for_errors, edges), say)) else "",
    )


def _hangs_on_nothing(node: Row, edges: Iterable[Row]) -> bool:
    """Whether an edge of the node hangs on a handle that it has not."""
    ways = {"source": "out", "target": "in"}
    hung = ((edge[f"{end}Handle"], way) for edge in edges for end, way in ways.items() if edge[end] == node["key"])
    return not node["handles"].endswith("…") and not set(hung) <= set(HANDLE.findall(node["handles"]))


def _failure(looking: Lookups, words: Words) -> str:
    """The error paths of what these words find; without words those around all that has to do with errors."""
    say, failing = looking.say, words.get("x", "")
    hits = [hit for hit in looking.find(failing or "error") if hit.is_node][: MAX_FAILING if failing else MAX_HITS]
    if not hits:
        return say("found_nothing", subject=plain(failing or "error"))
    shown = looking.look(*(PlannedCall("list_node_edges", {"nodeKey": hit.key}) for hit in hits))
    edges = {edge["key"]: edge for each in shown for edge in rows(each.get("edges"))}.values()
    paths = _edges(filter(is_for_errors, edges), say)
    return paragraphs(say("on_failure"), paths) if paths else say.naming("no_failure_path", [*map(str, hits)])


def _find(looking: Lookups, words: Words) -> str:
    return found(subject(words["x"]), looking.find(words["x"]), looking.say)


def found(words: str, items: Sequence[Item], say: Phrases) -> str:
    """The list of what was found; without words as a guess."""
    if not items:
        return say("found_nothing", subject=plain(words))
    lines = [item.titled + (f", `{plain(item.row['type'])}`" if item.row.get("type") else "") for item in items]
    return paragraphs(say("found", subject=plain(words)) if words else say("maybe"), say.lines(lines))


def _listing(looking: Lookups, words: Words) -> str:
    """The objects of a kind; where there is no such kind, what has these words."""
    if "list_objects" in looking.seen.offered or (looking.can_load and not looking.find(words["kind"])):
        parent = {"parent": looking.item(words["x"]).key} if words.get("x") else {}
        _kind, shown = looking.of_kind(words["kind"], **parent)
        if "objects" in shown:
            return _page(looking, shown)
        if not looking.find(words["kind"]):
            return looking.say("refused", error=plain(shown.get("error")))
    return _find(looking, {"x": words["kind"]})


def _page(looking: Lookups, shown: Row) -> str:
    """One page of a list of objects."""
    say, listed = looking.say, [str(looking.as_item(row)) for row in rows(shown.get("objects"))]
    more = say("more_pages") if "nextOffset" in shown else ""
    return paragraphs(say("listed", count=shown.get("total", len(listed))), say.lines(listed), more)


def _more(looking: Lookups, words: Words) -> str:
    next_page = looking.seen.next_page
    return _page(looking, looking.one("list_objects", **next_page)) if next_page else looking.say("help")


def _history(looking: Lookups, words: Words) -> str:
    """The latest changes of an object; of a node those of its graph that changed it."""
    say, item = looking.say, looking.item(words.get("x", ""))
    of, part = (looking.here().key, f"node:{item.key}") if item.is_node else (item.key, "")
    lines = []
    for version in rows(looking.one("read_history", object=of).get("versions")):
        if changes := [_change(each) for each in rows(version["changes"]) if part in ("", each.get("item"))]:
            line = say("version", number=version["version"], when=version["when"], who=plain(version["who"]))
            lines.append(f"{line} {'; '.join(changes)}")
    return paragraphs(say("changed", object=item), say.lines(lines)) if lines else say("changed_nothing", object=item)


def _change(change: Row) -> str:
    what = " ".join(plain(change[name]) for name in ("item", "action", "field") if name in change)
    return f"{what}: {plain(change['old'])} → {plain(change['new'])}" if "field" in change else what


def _other(looking: Lookups, words: Words) -> str:
    """What has these words, as a guess."""
    hits = looking.find(words["x"]) if subject(words["x"]) else []
    return paragraphs(found("", hits, looking.say) if hits else "", looking.say("help"))


def _edges(edges: Iterable[Row], say: Phrases) -> str:
    labels = ((edge, f" ({plain(edge['label'])})" if edge["label"] else "") for edge in edges)
    lines = [f"{mention(edge['source'])} → {mention(edge['target'])}{label}" for edge, label in labels]
    return say.lines(lines)


ANSWERS: dict[str, Callable[[Lookups, Words], str]] = records.ANSWERS | {
    "help": lambda looking, words: looking.say("help"),
    "unknown": lambda looking, words: looking.say("which_change"),
    "too_long": lambda looking, words: looking.say("too_long", most=MAX_READ),
    "overview": _overview,
    "detail": _detail,
    "after": partial(_way, "outbound"),
    "before": partial(_way, "inbound"),
    "failure": _failure,
    "errors": _errors,
    "find": _find,
    "list": _listing,
    "history": _history,
    "more": _more,
    "other": _other,
}
