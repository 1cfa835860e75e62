"""The layered layout of nodes. Who stands in which layer, and where in it, comes from fast-sugiyama; the places follow
from that and from the sizes of the nodes. Pure, and the same for the same nodes in the same places.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import median
from typing import Literal

from fast_sugiyama import from_edges

from graphs.changes.boxes import GAP_ACROSS, GAP_ALONG, Box

# The library tells every step it takes.
for _name in ("rust-sugiyama", "connected_components"):
    logging.getLogger(_name).setLevel(logging.WARNING)

Strategy = Literal["leftToRight", "topToBottom"]

#: Nodes and edges that are arranged at once.
MAX_NODES = 1_000
MAX_LINKS = 2_000
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
        part = _from(top, _spread(layers, boxes))
        placed |= part
        top = max(box.bottom for box in part.values()) + GAP_ACROSS
    alone = {key: boxes[key] for key in order if key not in placed}
    return placed | _rows(alone, top)


def _turned(box: Box) -> Box:
    return Box(box.y, box.x, box.height, box.width)


def _parts(order: Sequence[str], links: Iterable[tuple[str, str]]) -> list[list[_Layer]]:
    """Each connected part as its layers along the edges; the one with the foremost node comes first.

    The library is given numbers in the order of the nodes: it would go through names in no order.
    """
    numbers = {key: number for number, key in enumerate(order)}
    edges = sorted({(numbers[source], numbers[target]) for source, target in links if source != target})
    if not edges:
        return []
    edges += _late_starts(edges, {number: layer for part in _layered(edges) for number, (layer, _at) in part.items()})
    parts = []
    for part in _layered(edges):
        places = sorted((layer, at, number) for number, (layer, at) in part.items())
        layers = groupby(places, key=lambda place: place[0])
        parts.append((min(part), [[(order[number], at) for _layer, at, number in layer] for _, layer in layers]))
    return [layers for _first, layers in sorted(parts, key=lambda part: part[0])]


def _layered(edges: list[_Edge]) -> list[dict[int, tuple[int, float]]]:
    """The layer of each node, and its place in it, for each connected part.

    Bounded on purpose: the library's other way to find layers may never end, and its search for fewer crossings takes
    minutes in large graphs; all of it runs with Python's lock held.
    """
    few = len(edges) <= CAREFUL_EDGES
    parts = from_edges(edges, vertex_spacing=1, ranking_type="up", transpose=few, dummy_vertices=False)
    return [{number: (round(-y), x) for number, (x, y) in places} for places, *_size in parts]


def _late_starts(edges: list[_Edge], layers: Mapping[int, int]) -> list[_Edge]:
    """Further edges that let nodes to which nothing leads stand right before what they lead to, not in the first layer:
    each from a node that stands one layer before that place.
    """
    before: dict[int, list[int]] = {}
    after: dict[int, list[int]] = {}
    for source, target in edges:
        before.setdefault(target, []).append(source)
        after.setdefault(source, []).append(target)
    late = []
    for start in after.keys() - before.keys():
        target = min(after[start], key=lambda node: (layers[node], node))
        beside = [node for node in before[target] if layers[node] == layers[target] - 1]
        late += [
            (node, start) for other in beside[:1] for node in before.get(other, ()) if layers[node] == layers[other] - 1
        ][:1]
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


def _from(top: float, boxes: dict[str, Box]) -> dict[str, Box]:
    above = min(box.y for box in boxes.values()) - top
    return {key: box.at(box.x, box.y - above) for key, box in boxes.items()}


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
