"""The layered layout of nodes: layers and order come from fast-sugiyama, positions from the sizes. Pure."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from graphlib import TopologicalSorter
from itertools import accumulate, groupby
from statistics import median
from typing import Any, Literal

from fast_sugiyama import from_edges

from graphs.workflows.planning.boxes import GAP_ACROSS, GAP_ALONG, Box

# The library tells every step it takes.
for _name in ("rust-sugiyama", "connected_components"):
    logging.getLogger(_name).setLevel(logging.WARNING)

Strategy = Literal["leftToRight", "topToBottom"]

#: Nodes and edges that are arranged at once.
MAX_NODES = 1_000
MAX_LINKS = 2_000
#: Layers that all edges together may span: to the library each one between its ends is one node more.
MAX_SPAN = 50_000
#: Up to so many edges, a second look is taken at their crossings.
CAREFUL_EDGES = 100
#: Nodes without connections stand in rows of so many.
NODES_IN_ROW = 6

#: The nodes of one layer with their places in it, in units of nodes.
_Layer = Sequence[tuple[str, float]]
_Edge = tuple[int, int]


def arranged(boxes: Mapping[str, Box], links: Iterable[tuple[str, str]], strategy: Strategy) -> dict[str, Box]:
    """The boxes in new places from (0, 0) on, none over another. Where they were decides what has no other reason."""
    if strategy == "topToBottom":
        turned = arranged({key: _turned(box) for key, box in boxes.items()}, links, "leftToRight")
        return {key: _turned(box) for key, box in turned.items()}
    order = sorted(boxes, key=lambda key: (boxes[key].y, boxes[key].x, key))
    placed: dict[str, Box] = {}
    top = 0.0
    for layers in _parts(order, links):
        spread = _spread(layers, boxes)
        above = min(box.y for box in spread.values()) - top
        part = {key: box.at(box.x, box.y - above) for key, box in spread.items()}
        placed |= part
        top = max(box.bottom for box in part.values()) + GAP_ACROSS
    alone = {key: boxes[key] for key in order if key not in placed}
    return placed | _rows(alone, top)


def _turned(box: Box) -> Box:
    return Box(box.y, box.x, box.height, box.width)


def _parts(order: Sequence[str], links: Iterable[tuple[str, str]]) -> list[list[_Layer]]:
    """Each connected part as its layers along the edges; the one with the foremost node comes first."""
    numbers = {key: number for number, key in enumerate(order)}
    edges = _without_circles(sorted({(numbers[source], numbers[target]) for source, target in links}))
    if not edges:
        return []
    parts: list[tuple[int, list[_Layer]]] = []
    for part in _layered(_short(edges + _late_starts(edges))):
        places = sorted((layer, at, number) for number, (layer, at) in part.items())
        by_layer = groupby(places, key=lambda place: place[0])
        parts.append((min(part), [[(order[number], at) for _layer, at, number in found] for _, found in by_layer]))
    return [found for _first, found in sorted(parts, key=lambda part: part[0])]


def _without_circles(edges: list[_Edge]) -> list[_Edge]:
    """The edges, those that lead back on the way from the first nodes turned around; none of a node with itself."""
    after: dict[int, list[int]] = {}
    for source, target in edges:
        after.setdefault(source, []).append(target)
    led_to = {target for _source, target in edges}
    seen: set[int] = set()
    back: set[_Edge] = set()
    for start in sorted(after, key=lambda node: (node in led_to, node)):
        if start in seen:
            continue
        seen.add(start)
        way = {start: iter(after[start])}
        while way:
            node, further = next(reversed(way.items()))
            following = next(further, None)
            if following is None:
                del way[node]
            elif following in way:
                back.add((node, following))
            elif following not in seen:
                seen.add(following)
                way[following] = iter(after.get(following, ()))
    turned = {(target, source) if (source, target) in back else (source, target) for source, target in edges}
    return sorted((source, target) for source, target in turned if source != target)


def _layered(edges: list[_Edge]) -> list[dict[int, tuple[int, float]]]:
    """The layer of each node, and its place in it, for each connected part.

    Bounded on purpose: the library's better way to find layers may never end, and its second look at crossings takes
    minutes in large graphs, all with Python's lock held.
    """
    few = len(edges) <= CAREFUL_EDGES
    found: Any = from_edges(edges, vertex_spacing=1, ranking_type="up", transpose=few, dummy_vertices=False)
    return [{number: (round(-y), x) for number, (x, y) in places} for places, *_size in found]


def _short(edges: list[_Edge]) -> list[_Edge]:
    """The edges; without the longest ones where all together span too many layers."""
    before: dict[int, list[int]] = {}
    for source, target in edges:
        before.setdefault(target, []).append(source)
    layers = _longest_ways(before)
    spans = sorted((layers[target] - layers[source], (source, target)) for source, target in edges)
    together = accumulate(span for span, _edge in spans)
    return sorted(edge for (_span, edge), sum_ in zip(spans, together, strict=True) if sum_ <= MAX_SPAN)


def _longest_ways(before: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """The layer of each node: how many edges the longest way to it has."""
    layers: dict[int, int] = {}
    for node in TopologicalSorter(before).static_order():
        layers[node] = max((layers[other] + 1 for other in before.get(node, ())), default=0)
    return layers


def _late_starts(edges: list[_Edge]) -> list[_Edge]:
    """Edges from two layers before that keep a start next to what it leads to, not in the first layer."""
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for source, target in edges:
        before.setdefault(target, []).append(source)
        after.setdefault(source, []).append(target)

    layers = _longest_ways(before)

    def one_layer_before(node: int) -> list[int]:
        return [other for other in before.get(node, ()) if layers[other] == layers[node] - 1]

    late = []
    for start in after.keys() - before.keys():
        target = min(after[start], key=lambda node: (layers[node], node))
        two_before = [other for node in one_layer_before(target) for other in one_layer_before(node)]
        late += [(other, start) for other in two_before[:1]]
    return sorted(late)


def _spread(layers: Sequence[_Layer], boxes: Mapping[str, Box]) -> dict[str, Box]:
    """One column for each layer; in it, each node at its place, or under the one before it."""
    unit = median(boxes[key].height for layer in layers for key, _at in layer) + GAP_ACROSS
    spread: dict[str, Box] = {}
    left = 0.0
    for layer in layers:
        width = max(boxes[key].width for key, _at in layer)
        free = float("-inf")
        for key, at in layer:
            box = boxes[key]
            y = max(round(at * unit - box.height / 2), free)
            spread[key] = box.at(round(left + (width - box.width) / 2), y)
            free = y + box.height + GAP_ACROSS
        left += width + GAP_ALONG
    return spread


def _rows(boxes: Mapping[str, Box], top: float) -> dict[str, Box]:
    placed: dict[str, Box] = {}
    keys = list(boxes)
    for start in range(0, len(keys), NODES_IN_ROW):
        row, left = keys[start : start + NODES_IN_ROW], 0.0
        for key in row:
            placed[key] = boxes[key].at(left, top)
            left += boxes[key].width + GAP_ALONG
        top += max(boxes[key].height for key in row) + GAP_ACROSS
    return placed
