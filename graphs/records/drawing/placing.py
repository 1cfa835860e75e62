"""Where marks and names stand in the plane of a drawing, in its units: beside each other, never one on the other."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from graphs.records.drawing.scene import Canvas, Scene

#: Half the size of the mark of a use case, and the least distance of two.
RADIUS = 5.5
APART = 13.0
NAME_HEIGHT = 15.0
#: How far the names of the quadrants are from the sides.
CORNER = 6.0
_GAP = 3.0


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


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is shown: in its box, cut if it is longer, and as long as it is."""

    box: Box
    text: str
    length: float


def spots(scene: Scene) -> list[Spot]:
    """Where the marks of a scene stand. Those at one place stand around it."""
    canvas, placed, found = scene.canvas, _Taken(), []
    for mark in scene.marks:
        reach = RADIUS if mark.count == 1 else cluster_radius(mark.count)
        x = canvas.width * _share(mark.complexity, scene.complexity.most)
        y = canvas.height * (1 - _share(mark.value, scene.value.most))
        spot = next(each for each in _around(Spot(x, y, reach), canvas) if not placed.meets(_room(each)))
        placed.add(_room(spot))
        found.append(spot)
    return found


def cluster_radius(count: int) -> float:
    """Half the size of the mark that stands for so many use cases."""
    return min(10 + 4 * math.log10(count), 24.0)


def names(widths: Sequence[float], marks: Sequence[Spot], corners: Sequence[float], canvas: Canvas) -> list[Box | None]:
    """The boxes of the names of marks, in their order; None for one that has no name, or no room.

    `corners` are the widths of the names of the quadrants, which stay free. Up to 60 names have room: where they have
    not, all are cut shorter.
    """
    boxes: list[Box | None] = []
    kept = [*(mark.box for mark in marks), *_corners(corners, canvas)]
    for most in (canvas.name_width, canvas.name_width * 0.75, canvas.name_width * 0.5):
        boxes = _names([min(width, most) for width in widths], marks, kept, canvas)
        if all(box or not width for box, width in zip(boxes, widths, strict=True)):
            break
    return boxes


def _corners(widths: Sequence[float], canvas: Canvas) -> Iterator[Box]:
    """The boxes of the names of the quadrants."""
    for number, width in enumerate(widths):
        right, below = number % 2, number // 2
        x, y = CORNER if not right else canvas.width - width - CORNER, canvas.height - NAME_HEIGHT - 4 if below else 4
        yield Box(x, y, width, NAME_HEIGHT)


def _names(widths: Sequence[float], marks: Sequence[Spot], kept: Iterable[Box], canvas: Canvas) -> list[Box | None]:
    taken = _Taken()
    for box in kept:
        taken.add(box)
    boxes: list[Box | None] = [None] * len(marks)
    for index in sorted(range(len(marks)), key=lambda each: (marks[each].y, marks[each].x)):
        if widths[index]:
            found = boxes[index] = _place(marks[index], widths[index], taken, canvas)
            if found:
                taken.add(found)
    return boxes


def _place(mark: Spot, width: float, taken: "_Taken", canvas: Canvas) -> Box | None:
    """The best free place for the name of a mark: one to which a line leads over nothing, if there is one."""
    second = None
    for box in _around_mark(mark, width, canvas):
        if not taken.meets(box):
            if not taken.crossed(mark, box):
                return box
            second = second or box
    return second or next((box for box in _everywhere(mark, width, canvas) if not taken.meets(box)), None)


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


def _everywhere(mark: Spot, width: float, canvas: Canvas) -> list[Box]:
    """Places for a name in the whole canvas, the nearest to its mark first."""
    rows, columns = int(canvas.height // NAME_HEIGHT), int((canvas.width - width) // 10) + 1
    boxes = [
        Box(column * 10, row * NAME_HEIGHT, width, NAME_HEIGHT) for row in range(rows) for column in range(columns)
    ]
    return sorted(boxes, key=lambda box: math.dist(box.nearest(mark), (mark.x, mark.y)))


def _within(boxes: Iterable[Box], canvas: Canvas) -> Iterator[Box]:
    for box in boxes:
        begins, ends = min(box.x, box.y) >= 0, box.x + box.width <= canvas.width
        if begins and ends and box.y + box.height <= canvas.height:
            yield box


def _around(spot: Spot, canvas: Canvas) -> Iterator[Spot]:
    """The spot itself, and then ever wider circles around it, all within the canvas."""
    yield spot
    distance = APART
    while True:
        steps = int(2 * math.pi * distance / APART)
        for step in range(steps):
            x = spot.x + distance * math.cos(2 * math.pi * step / steps)
            y = spot.y + distance * math.sin(2 * math.pi * step / steps)
            if 0 <= x <= canvas.width and 0 <= y <= canvas.height:
                yield Spot(x, y, spot.radius)
        distance += APART


def _room(spot: Spot) -> Box:
    """What no other mark may touch."""
    half = max(spot.radius, APART / 2) - 0.01
    return Box(spot.x - half, spot.y - half, 2 * half, 2 * half)


def _share(amount: float, most: float) -> float:
    return min(max(amount / most, 0.0), 1.0) if most else 0.0


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
