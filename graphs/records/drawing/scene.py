"""What a drawing shows, in the words of its reader, as the process that draws gets it. Nothing in here knows Django."""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

#: How much of a side has room for all use cases that may have names.
_LEAST_PART = 0.2
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Canvas:
    """The inner plane of a drawing in its units, without what is around it. No name is longer than `name_width`."""

    width: int
    height: int
    name_width: int
    #: So many use cases have names; more are counted in cells.
    names: int
    columns: int
    rows: int


CANVASES = {"wide": Canvas(860, 560, 190, 60, 12, 10), "narrow": Canvas(310, 700, 118, 25, 5, 12)}


@dataclass(frozen=True, slots=True)
class Axis:
    """From 0 to `most`; from `threshold` on an amount is high."""

    name: str
    most: float
    threshold: float

    @property
    def split(self) -> float:
        """How much of the plane is below the threshold; a fifth at least is on each side that may have something."""
        if not 0 < self.threshold < self.most:
            return self.threshold / self.most if self.most else 0.0
        return min(max(self.threshold / self.most, _LEAST_PART), 1 - _LEAST_PART)

    def share(self, amount: float) -> float:
        """How far along the plane an amount is, from 0 to 1."""
        if not self.most:
            return 0.0
        if self.split == self.threshold / self.most:
            return min(max(amount / self.most, 0.0), 1.0)
        if amount < self.threshold:
            return self.split * max(amount / self.threshold, 0.0)
        beyond = min((amount - self.threshold) / (self.most - self.threshold), 1.0)
        return self.split + (1 - self.split) * beyond


@dataclass(frozen=True, slots=True)
class Mark:
    """One use case by its id and status, or the `count` of a cell, which has no status."""

    key: str
    complexity: float
    value: float
    name: str
    status: str
    count: int
    #: What it is, in a sentence, and where a click leads.
    told: str
    href: str


@dataclass(frozen=True, slots=True)
class Scene:
    """`quadrants` are the names of the quadrants: high value and low complexity, both high, both low, the other way."""

    size: str
    locale: Literal["en-US", "fr-FR"]
    title: str
    description: str
    complexity: Axis
    value: Axis
    quadrants: tuple[str, str, str, str]
    statuses: tuple[tuple[str, str], ...]
    marks: tuple[Mark, ...]
    #: What stands above the drawing, of one that stands alone.
    heading: str = ""

    @property
    def canvas(self) -> Canvas:
        return CANVASES[self.size]

    def to_json(self) -> str:
        """One line; the same scene gives the same text. What XML does not have is replaced."""
        return json.dumps(_in_xml(asdict(self)), ensure_ascii=True, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The scene that `to_json` made the text of."""
        given: dict[str, Any] = json.loads(text)
        return cls(
            **given
            | {
                "complexity": Axis(**given["complexity"]),
                "value": Axis(**given["value"]),
                "quadrants": tuple(given["quadrants"]),
                "statuses": tuple((status, label) for status, label in given["statuses"]),
                "marks": tuple(_mark(mark) for mark in given["marks"]),
            }
        )


def _in_xml(value: Any) -> Any:
    """A JSON value whose texts have a replacement character for each letter that no XML may hold."""
    if isinstance(value, str):
        return _NO_XML.sub("\ufffd", value)
    if isinstance(value, dict):
        return {key: _in_xml(each) for key, each in value.items()}
    return [_in_xml(each) for each in value] if isinstance(value, list | tuple) else value


def _mark(given: Mapping[str, Any]) -> Mark:
    return Mark(**given)
