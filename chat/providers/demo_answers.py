"""The demo's answers, in Markdown, out of what its tools have shown. Called by `demo_steps.py`."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from chat.providers.demo_observations import Edge, Node, Observation

MAX_CODE_LINES = 12
MAX_LISTED = 8
_MENTIONABLE = re.compile(r"[^{}\s]+")

Phrases = dict[str, str]


def mention(key: str) -> str:
    """`{{node:KEY}}`, which the page shows as a link."""
    return f"{{{{node:{key}}}}}" if _MENTIONABLE.fullmatch(key) else _plain(key)


def detail(node: Node, edges: Sequence[Edge], say: Phrases) -> str:
    before = [edge for edge in edges if edge.target == node.key]
    after = [edge for edge in edges if edge.source == node.key]
    return _paragraphs(
        say["node_is"].format(
            node=mention(node.key),
            name=_name(node),
            type=say["of_type"].format(_plain(node.type)) if node.type else "",
            sheet=say["on_sheet"].format(_plain(node.sheet)) if node.sheet else "",
        ),
        _sources(before, say) or say["comes_from_nothing"],
        _targets(after, say) or say["leads_to_nothing"],
        _code(node.process, say),
    )


def way(kind: str, node_key: str, edges: Sequence[Edge], say: Phrases) -> str:
    """What comes "after" or "before" a node: its neighbours, and what follows those."""
    near = [edge for edge in edges if _near_end(edge, kind) == node_key]
    if not near:
        return say[f"{kind}_nothing"].format(node=mention(node_key))
    neighbours = list(dict.fromkeys(_far_end(edge, kind) for edge in near))
    known = {node_key, *neighbours}
    further = [
        key for edge in edges if _near_end(edge, kind) in neighbours and (key := _far_end(edge, kind)) not in known
    ]
    labelled = [_labelled(_far_end(edge, kind), edge.label) for edge in near]
    return _paragraphs(
        say[kind].format(node=mention(node_key), next=_join(labelled, say)),
        say[f"further_{kind}"].format(_join(map(mention, dict.fromkeys(further)), say)) if further else "",
    )


def failure(node_key: str, edges: Sequence[Edge], targets: Sequence[Node], say: Phrases) -> str:
    leaving = [edge for edge in edges if edge.source == node_key]
    bad = [edge for edge in leaving if edge.is_for_errors]
    good = [edge for edge in leaving if not edge.is_for_errors]
    if not bad:
        told = say["no_failure_path"].format(node=mention(node_key))
        return _paragraphs(told, say["normally"].format(_ends(good, say)) if good else "")
    by_key = {node.key: node for node in targets}
    reached = [by_key[edge.target] for edge in bad if edge.target in by_key]
    return _paragraphs(
        say["on_failure"].format(node=mention(node_key), next=_ends(bad, say)),
        *(_failure_target(node, say) for node in reached),
        say["normally"].format(_ends(good, say)) if good else "",
    )


def found(subject: str, nodes: Sequence[Node], say: Phrases) -> str:
    if not nodes:
        return _paragraphs(say["found_nothing"].format(_plain(subject)), say["help"])
    heading = say["found_one"] if len(nodes) == 1 else say["found_many"]
    return _paragraphs(heading.format(_plain(subject), count=len(nodes), subject=_plain(subject)), node_list(nodes))


def guess(nodes: Sequence[Node], say: Phrases) -> str:
    return _paragraphs(say["maybe"], node_list(nodes), say["help"])


def node_list(nodes: Sequence[Node]) -> str:
    return "\n".join(
        f"- {mention(node.key)}{_name(node)}" + (f", `{_plain(node.type)}`" if node.type else "")
        for node in nodes[:MAX_LISTED]
    )


def overview(shown: Observation, edges: Sequence[Edge], say: Phrases) -> str:
    """Of the answer of `read_graph_overview`, and of edges around the first start node where they were read."""
    facts, sheets, starts = shown.result, shown.objects("sheets"), shown.texts("startNodes")
    name = f"*{_plain(str(facts.get('name') or facts.get('key') or ''))}*"
    return _paragraphs(
        say["overview"].format(name=name, nodes=facts.get("nodes", "?"), edges=facts.get("edges", "?")),
        _plain(str(facts.get("description") or "")),
        "\n".join(_sheet_line(sheet, say) for sheet in sheets[:MAX_LISTED]) if len(sheets) > 1 else "",
        _types(shown.objects("types"), say),
        say["begins"].format(_join(map(mention, starts[:MAX_LISTED]), say)) if starts else "",
        say["main_way"].format(" → ".join(map(mention, path))) if len(path := _main_way(starts, edges)) > 1 else "",
    )


def _main_way(starts: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """From the first start along the first edge that is not for errors, until a node comes twice or nothing follows."""
    way = list(starts[:1])
    while way and len(way) < MAX_LISTED:
        following = [edge.target for edge in edges if edge.source == way[-1] and not edge.is_for_errors]
        if not following or following[0] in way:
            break
        way.append(following[0])
    return way


def _types(listed: Sequence[dict[str, Any]], say: Phrases) -> str:
    names = [f"`{_plain(str(item.get('key')))}` ({item.get('nodes', '?')})" for item in listed[:MAX_LISTED]]
    return say["types"].format(_join(names, say)) if names else ""


def _sheet_line(sheet: dict[str, Any], say: Phrases) -> str:
    name = _plain(str(sheet.get("name") or sheet.get("key") or ""))
    return say["sheet_line"].format(name=name, nodes=sheet.get("nodes", "?"), edges=sheet.get("edges", "?"))


def _failure_target(node: Node, say: Phrases) -> str:
    told = say["failure_target"].format(node=mention(node.key), name=_name(node), type=_plain(node.type))
    return _paragraphs(told, _code(node.process, say) if node.process.strip() else "")


def _code(process: str, say: Phrases) -> str:
    lines = process.strip().splitlines()
    if not lines:
        return say["no_code"]
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", process)), default=0))
    heading = say["code"] if len(lines) <= MAX_CODE_LINES else say["code_begins"]
    return "\n".join([heading, "", f"{fence}js", *lines[:MAX_CODE_LINES], fence])


def _sources(edges: Sequence[Edge], say: Phrases) -> str:
    return say["comes_from"].format(_join([_labelled(edge.source, edge.label) for edge in edges], say)) if edges else ""


def _targets(edges: Sequence[Edge], say: Phrases) -> str:
    return say["leads_to"].format(_ends(edges, say)) if edges else ""


def _ends(edges: Sequence[Edge], say: Phrases) -> str:
    return _join([_labelled(edge.target, edge.label) for edge in edges], say)


def _labelled(key: str, label: str) -> str:
    return f"{mention(key)} ({_plain(label)})" if label else mention(key)


def _near_end(edge: Edge, kind: str) -> str:
    return edge.source if kind == "after" else edge.target


def _far_end(edge: Edge, kind: str) -> str:
    return edge.target if kind == "after" else edge.source


def _name(node: Node) -> str:
    return f" ({_plain(node.name)})" if node.name and node.name != node.key else ""


def _plain(text: str) -> str:
    """A value of the graph on one line, without what Markdown would read as its own."""
    return " ".join(re.sub(r"[`*_\[\]<>{}|\\]", " ", text).split()) if re.search(r"[`*\[\]<>{}|\\\s]", text) else text


def _join(parts: Iterable[str], say: Phrases) -> str:
    listed = list(parts)
    return listed[0] if len(listed) == 1 else f"{', '.join(listed[:-1])} {say['and']} {listed[-1]}"


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)
