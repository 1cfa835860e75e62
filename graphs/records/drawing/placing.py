"""Where marks and names stand in the plane of a drawing, in its units: beside each other, never one on the other."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphs.records.drawing.scene import Axis, Canvas, Mark, Scene

#: Half the size of the mark of a use case, and the least distance of two.
RADIUS = 5.5
APART = 13.0
NAME_HEIGHT = 15.0
#: How far the names of the quadrants are from the sides.
CORNER = 6.0
_GAP = 3.0
#: What is free at both sides of a name, beside marks and beside names.
_AIR, _OWN_AIR = 2.5, 4.0


@dataclass(frozen=True, slots=True)
class Spot:
    """The middle of a mark, and how far it reaches."""

    x: float
    y: float
    radius: float

    @property
    def box(self) -> "Box":
        return Box(self.x - self.radius, self.y - self.radius, 2 * self.radius, 2 * self.radius)


@dataclass(frozen=True, slots=True)
class Box:
    """Its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: "Box") -> bool:
        beside = self.x + self.width <= other.x or other.x + other.width <= self.x
        return not (beside or self.y + self.height <= other.y or other.y + other.height <= self.y)

    def is_crossed(self, x: float, y: float, x2: float, y2: float) -> bool:
        """Whether a line runs through it."""
        begin, end = 0.0, 1.0
        for start, step, low, size in ((x, x2 - x, self.x, self.width), (y, y2 - y, self.y, self.height)):
            if not step:
                if not low < start < low + size:
                    return False
                continue
            enters, leaves = sorted(((low - start) / step, (low + size - start) / step))
            begin, end = max(begin, enters), min(end, leaves)
        return begin < end

    def nearest(self, spot: Spot) -> tuple[float, float]:
        """The point of the box that is nearest to a spot."""
        return (
            min(max(spot.x, self.x), self.x + self.width),
            min(max(spot.y, self.y), self.y + self.height),
        )

    def wider(self, by: float) -> "Box":
        """The box with so much more at both sides."""
        return Box(self.x - by, self.y, self.width + 2 * by, self.height)


@dataclass(frozen=True, slots=True)
class _Field:
    """What the middles of marks may be in."""

    left: float
    right: float
    top: float
    bottom: float

    def moved_into(self, spot: Spot) -> Spot:
        """The spot, or the nearest one within."""
        x, y = min(max(spot.x, self.left), self.right), min(max(spot.y, self.top), self.bottom)
        return Spot(x, y, spot.radius)


def spots(scene: Scene, corners: Sequence[float]) -> list[Spot]:
    """Where the marks of a scene stand. Those at one place stand around it, on their side of the thresholds.

    `corners` are the widths of the names of the quadrants, which stay free.
    """
    canvas, placed, kept, found = scene.canvas, _Taken(), _Taken(), []
    for box in corner_boxes(corners, canvas):
        kept.add(box)
    for mark in scene.marks:
        reach = RADIUS if mark.count == 1 else cluster_radius(mark.count)
        x = canvas.width * scene.complexity.share(mark.complexity)
        y = canvas.height * (1 - scene.value.share(mark.value))
        own, field = Spot(x, y, reach), _quadrant_of(mark, scene, reach)
        # A count says nothing of one place: it stands in the plane as a whole, beside the numbers of the axes.
        own = own if mark.count == 1 else field.moved_into(own)
        places = _around(own, field, canvas)
        spot = next((each for each in places if not (placed.meets(_room(each)) or kept.meets(each.box))), own)
        placed.add(_room(spot))
        found.append(spot)
    return found


def _quadrant_of(mark: Mark, scene: Scene, reach: float) -> _Field:
    """Where a mark may stand that cannot stand in its place."""
    canvas, edge = scene.canvas, 0.0 if mark.count == 1 else reach
    left, right = _side_of(scene.complexity, mark.complexity, canvas.width, edge, reach)
    lowest, highest = _side_of(scene.value, mark.value, canvas.height, edge, reach)
    return _Field(left, right, canvas.height - highest, canvas.height - lowest)


def _side_of(axis: Axis, amount: float, size: float, edge: float, reach: float) -> tuple[float, float]:
    """What a mark has of its side of the threshold so that it reaches over neither that nor the edge of the plane."""
    line = size * axis.split
    begin, end = edge, size - edge
    if amount < axis.threshold:
        end = min(end, line - reach - 1)
    elif line > 0:
        begin = line + reach + 1
    return (begin, end) if begin <= end else (edge, size - edge)


def cluster_radius(count: int) -> float:
    """Half the size of the mark that stands for so many use cases."""
    return min(10 + 4 * math.log10(count), 24.0)


def names(
    widths: Sequence[float],
    marks: Sequence[Spot],
    corners: Sequence[float],
    canvas: Canvas,
    lines: Sequence[Box] = (),
) -> list[Box | None]:
    """The boxes of the names of marks, in their order; None for one that has no name, or no room.

    `corners` are the widths of the names of the quadrants, which stay free; so do `lines` through the plane where
    there is another place. Up to 60 names have room: where they have not, all are cut shorter.
    """
    boxes: list[Box | None] = []
    kept = [*(mark.box for mark in marks), *corner_boxes(corners, canvas)]
    for most in (canvas.name_width, canvas.name_width * 0.75, canvas.name_width * 0.5):
        boxes = _names([min(width, most) for width in widths], marks, kept, lines, canvas)
        if all(box or not width for box, width in zip(boxes, widths, strict=True)):
            break
    return boxes


def corner_boxes(widths: Sequence[float], canvas: Canvas) -> Iterator[Box]:
    """The boxes of the names of the quadrants."""
    for number, width in enumerate(widths):
        right, below = number % 2, number // 2
        x, y = CORNER if not right else canvas.width - width - CORNER, canvas.height - NAME_HEIGHT - 4 if below else 4
        yield Box(x, y, width, NAME_HEIGHT)


def threshold_lines(scene: Scene) -> list[Box]:
    """The lines of the thresholds, as boxes that are hardly any."""
    canvas = scene.canvas
    x, y = canvas.width * scene.complexity.split, canvas.height * (1 - scene.value.split)
    return [Box(0, y - _GAP / 2, canvas.width, _GAP), Box(x - _GAP / 2, 0, _GAP, canvas.height)]


def _names(
    widths: Sequence[float], marks: Sequence[Spot], kept: Iterable[Box], lines: Sequence[Box], canvas: Canvas
) -> list[Box | None]:
    taken = _Taken()
    for box in kept:
        taken.add(box)
    boxes: list[Box | None] = [None] * len(marks)
    for index in sorted(range(len(marks)), key=lambda each: (marks[each].y, marks[each].x)):
        if widths[index]:
            found = boxes[index] = _place(marks[index], widths[index], taken, lines, canvas)
            if found:
                taken.add(found.wider(_OWN_AIR))
    return boxes


def _place(mark: Spot, width: float, taken: "_Taken", lines: Sequence[Box], canvas: Canvas) -> Box | None:
    """The best free place for the name of a mark: beside it and off the lines, beside it, or where a line leads to it.

    Of those a line leads to, one to which nothing stands in the way, if there is one.
    """
    on_line = in_the_way = None
    for box in _around_mark(mark, width, canvas):
        if on_line and not is_beside(mark, box):
            return on_line
        if taken.meets(box.wider(_AIR)):
            continue
        if taken.crossed(mark, box):
            in_the_way = in_the_way or box
        elif is_beside(mark, box) and any(box.overlaps(line) for line in lines):
            on_line = on_line or box
        else:
            return box
    every = (box for box in _everywhere(mark, width, canvas) if not taken.meets(box.wider(_AIR)))
    return on_line or in_the_way or next(every, None)


def is_beside(mark: Spot, box: Box) -> bool:
    """Whether a name in this box needs no line to its mark."""
    x, y = box.nearest(mark)
    return abs(x - mark.x) + abs(y - mark.y) <= mark.radius + 8


def _around_mark(mark: Spot, width: float, canvas: Canvas) -> Iterator[Box]:
    """Places for a name around its mark, the best first."""
    reach = mark.radius + _GAP
    middle = mark.y - NAME_HEIGHT / 2
    places = [
        (mark.x + reach, middle),
        (mark.x - reach - width, middle),
        (mark.x - width / 2, mark.y - reach - NAME_HEIGHT),
        (mark.x - width / 2, mark.y + reach),
    ]
    places += [(mark.x + side, mark.y + end) for side in (3, -width - 3) for end in (-reach - NAME_HEIGHT, reach)]
    for distance in range(1, 9):
        for sixteenth in range(16):
            angle = sixteenth * math.pi / 8
            x, y = mark.x + distance * 22 * math.cos(angle), mark.y + distance * NAME_HEIGHT * math.sin(angle)
            places.append((x - (width if math.cos(angle) < -0.1 else 0), y - NAME_HEIGHT / 2))
    yield from _within((Box(x, y, width, NAME_HEIGHT) for x, y in places), canvas)


def _everywhere(mark: Spot, width: float, canvas: Canvas) -> Iterator[Box]:
    """Places for a name in the whole canvas, the nearest to its mark first."""
    rows, columns = int(canvas.height // NAME_HEIGHT), int((canvas.width - width) // 10) + 1
    # Thousands are compared for some names: as numbers, which are boxes once they are asked for.
    across = [
        (max(10 * column - mark.x, mark.x - 10 * column - width, 0.0) ** 2, 10.0 * column) for column in range(columns)
    ]
    down = [
        (max(top - mark.y, mark.y - top - NAME_HEIGHT, 0.0) ** 2, top)
        for top in (row * NAME_HEIGHT for row in range(rows))
    ]
    for _distance, x, y in sorted((dx + dy, x, y) for dx, x in across for dy, y in down):
        yield Box(x, y, width, NAME_HEIGHT)


def _within(boxes: Iterable[Box], canvas: Canvas) -> Iterator[Box]:
    for box in boxes:
        begins, ends = min(box.x, box.y) >= 0, box.x + box.width <= canvas.width
        if begins and ends and box.y + box.height <= canvas.height:
            yield box


def _around(spot: Spot, field: _Field, canvas: Canvas) -> Iterator[Spot]:
    """The spot itself, those around it in its field, the nearest first, and at last those anywhere in the canvas."""
    yield spot
    inside = field.moved_into(spot)
    apart = max(APART, 2 * spot.radius)
    for step in (apart, apart / 4):
        yield from _lattice(inside, step, field)
    edge = 0.0 if spot.radius <= RADIUS else spot.radius
    yield from _lattice(inside, APART, _Field(edge, canvas.width - edge, edge, canvas.height - edge))


def _lattice(spot: Spot, step: float, field: _Field) -> list[Spot]:
    """The spots of a field in rows and columns through one of them, the nearest to it first."""
    columns = range(math.ceil((field.left - spot.x) / step), math.floor((field.right - spot.x) / step) + 1)
    rows = range(math.ceil((field.top - spot.y) / step), math.floor((field.bottom - spot.y) / step) + 1)
    places = ((column, row) for column in columns for row in rows)
    nearest = sorted(places, key=lambda place: (math.hypot(*place), place))
    return [Spot(spot.x + column * step, spot.y + row * step, spot.radius) for column, row in nearest]


def _room(spot: Spot) -> Box:
    """What no other mark may touch."""
    half = max(spot.radius, APART / 2) - 0.01
    return Box(spot.x - half, spot.y - half, 2 * half, 2 * half)


class _Taken:
    """Boxes by the bands that they are in, so that only near ones are compared."""

    _BAND = 24

    def __init__(self) -> None:
        self._bands: dict[int, list[Box]] = defaultdict(list)

    def add(self, box: Box) -> None:
        for band in self._of(box):
            self._bands[band].append(box)

    def meets(self, box: Box) -> bool:
        return any(box.overlaps(other) for band in self._of(box) for other in self._bands[band])

    def crossed(self, mark: Spot, box: Box) -> bool:
        """Whether the line from a mark to its name would run over something else."""
        x, y = box.nearest(mark)
        way = Box(min(x, mark.x), min(y, mark.y), abs(x - mark.x), abs(y - mark.y))
        own = mark.box
        others = (other for band in self._of(way) for other in self._bands[band] if other != own)
        return any(other.is_crossed(mark.x, mark.y, x, y) for other in others)

    def _of(self, box: Box) -> range:
        return range(int(box.y // self._BAND), int((box.y + box.height) // self._BAND) + 1)
