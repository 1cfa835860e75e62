"""The boxes of one sheet, found by where they are: a place is looked for without a look at the whole sheet."""

from math import floor

from graphs.workflows.planning.boxes import Box

#: A strip of the sheet, from top to bottom, is so wide.
STRIP = 500.0
#: A box over more strips is looked at wherever a place is looked for.
MOST_STRIPS = 20


class DrawnSheet:
    """`boxes` has all of them by key."""

    def __init__(self) -> None:
        self.boxes: dict[str, Box] = {}
        self._strips: dict[int, dict[str, Box]] = {}
        self._wide: dict[str, Box] = {}

    def put(self, key: str, box: Box) -> None:
        """Draws a box, which may have stood elsewhere."""
        self.take(key)
        self.boxes[key] = box
        for boxes in self._holding(box):
            boxes[key] = box

    def take(self, key: str) -> None:
        """Takes a box away, if there is one."""
        box = self.boxes.pop(key, None)
        for boxes in self._holding(box) if box else ():
            del boxes[key]

    def between(self, left: float, right: float) -> dict[str, Box]:
        """The boxes that stand between two places from left to right, and some around them."""
        first, last = floor(left / STRIP), floor(right / STRIP)
        if last - first >= len(self._strips):
            strips = [boxes for number, boxes in self._strips.items() if first <= number <= last]
        else:
            strips = [self._strips[number] for number in range(first, last + 1) if number in self._strips]
        found = dict(self._wide)
        for boxes in strips:
            found |= boxes
        return found

    def _holding(self, box: Box) -> list[dict[str, Box]]:
        first, last = floor(box.x / STRIP), floor(box.right / STRIP)
        if last - first >= MOST_STRIPS:
            return [self._wide]
        return [self._strips.setdefault(number, {}) for number in range(first, last + 1)]
