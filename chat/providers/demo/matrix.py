"""The demo's answers about the matrix: which use cases are worth it, and why one stands where it does."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from chat.providers.demo.folding import bare
from chat.providers.demo.holdings import COMPANY, FOLDER, SUMMARY, USE_CASE, folders_of
from chat.providers.demo.holdings import listed as listed_below
from chat.providers.demo.lookups import Answered, Item, Lookups, rows, together
from chat.providers.demo.naming import called, meant
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import INTENTS, paragraphs, plain

SIDES = ("value", "complexity")
#: Use cases whose ratings are read where their places were not given, and those of a ranking.
MAX_PLACED = 24
MAX_RANKED = 5
_BEST = "highValueLowComplexity"
#: One level in the line that the data of a question has of an axis: "2 a few = 3".
_LEVEL = re.compile(r"(?:^|; )([1-5])(?: (.*?))? = (\d+(?:\.\d+)?)(?=; [1-5]|$)")
Words = dict[str, str]


@dataclass(frozen=True, slots=True)
class Axis:
    """`levels` are label and points of each rating."""

    id: str
    name: str
    weight: float
    levels: dict[int, tuple[str, float]]

    @property
    def most(self) -> float:
        return self.weight * max((points for _label, points in self.levels.values()), default=0)


@dataclass(frozen=True, slots=True)
class Side:
    """From `high_from` on an amount is high."""

    axes: tuple[Axis, ...]
    high_from: float

    def points(self, axis: Axis, ratings: dict[str, int]) -> float | None:
        """What the rating of an axis gives; None where it is not rated."""
        found = axis.levels.get(ratings.get(axis.id) or 0)
        return axis.weight * found[1] if found else None

    def amount(self, ratings: dict[str, int]) -> float:
        return sum(self.points(axis, ratings) or 0 for axis in self.axes)

    def unrated(self, ratings: dict[str, int]) -> list[str]:
        return [axis.name for axis in self.axes if axis.weight and self.points(axis, ratings) is None]

    def is_high(self, ratings: dict[str, int]) -> bool:
        return any(axis.most for axis in self.axes) and self.amount(ratings) >= self.high_from


Matrix = dict[str, Side]


@dataclass(frozen=True, slots=True)
class Placed:
    """Use cases with their places, of so many that there are at least."""

    rows: Sequence[Row]
    count: int


def matrix_of(looking: Lookups, folder: str) -> Matrix:
    """The axes of both sides of a folder: as the question's data gives them, else read. Raises `Answered`."""
    given, own = looking.given, looking.seen.at_hand
    here = own if own.startswith(f"{FOLDER}:") else given.get("parent")
    if folder == here and isinstance(matrix := given.get("matrix"), dict):
        return {side: _side(rows(matrix[side]["axes"]), matrix[side].get("highFrom")) for side in SIDES}
    fields = looking.object(folder).fields
    axes = {side: fields.get(f"matrix_config.{side}Axes") or [] for side in SIDES}
    if not all(isinstance(each, list) for each in axes.values()):
        raise Answered("matrix_too_long", item=looking.named(folder))
    thresholds = fields.get("matrix_config.thresholds") or {}
    return {side: _side(rows(axes[side]), thresholds.get(side)) for side in SIDES}


def matrix_at(looking: Lookups, item: Item) -> Matrix:
    """The matrix in which a use case stands; one without axes where it has no folder."""
    folder = str(item.row.get("parent") or "")
    return matrix_of(looking, folder) if folder else {side: Side((), 0) for side in SIDES}


def axis_names(looking: Lookups, *items: Item) -> dict[str, str]:
    """What the axes of use cases are called, by their ids."""
    rated = [item for item in items if any(item.fields.get(f"data.{side}Scores") for side in SIDES)]
    matrices = [matrix_at(looking, item) for item in rated]
    return {axis.id: axis.name for matrix in matrices for side in matrix.values() for axis in side.axes}


def ratings_of(fields: Row, side: str) -> dict[str, int]:
    """The ratings of one side, by axis."""
    return {each["axisId"]: each.get("rating") or 0 for each in rows(fields.get(f"data.{side}Scores"))}


def placed(looking: Lookups) -> Placed:
    """The use cases of what is at hand with their places: as they were given, else their ratings are read."""
    given = looking.given
    held = [row for row in rows(given.get("held")) if "quadrant" in row]
    if held:
        return Placed(held, int(((given.get("holds") or {}).get(USE_CASE) or {}).get("count", len(held))))
    if not (looking.seen.at_hand or "list_objects" in looking.seen.offered):
        raise Answered("no_places")
    listed, count = _listed(looking)
    if not listed:
        raise Answered("no_places")
    fields = [f"data.{side}Scores" for side in SIDES]
    folders = sorted({str(row["parent"]) for row in listed})
    reading = (partial(looking.one, "read_object", object=row["object"], fields=fields) for row in listed)
    matrices = (partial(matrix_of, looking, folder) for folder in folders)
    done = together(lambda work: work(), (*reading, *matrices))
    read, found = done[: len(listed)], dict(zip(folders, done[len(listed) :], strict=True))
    return Placed([_placed(row, found[str(row["parent"])]) for row in read if "fields" in row], count)


def _listed(looking: Lookups) -> tuple[list[Row], int]:
    """The first use cases that have a folder, and how many there are."""
    own, given = looking.seen.at_hand.partition(":")[0], looking.given
    if own == COMPANY:
        parents = [row["object"] for row in folders_of(looking, looking.seen.at_hand)]
    elif own in (FOLDER, SUMMARY):
        raise Answered("no_places")
    else:
        parents = [str(given["parent"])] if own == USE_CASE and given.get("parent") else [""]
    pages = together(lambda parent: listed_below(looking, USE_CASE, parent, MAX_PLACED), parents)
    found = [row for some, _count in pages for row in some if row.get("parent")]
    return found[:MAX_PLACED], sum(count for _some, count in pages)


def _placed(row: Row, matrix: Matrix) -> Row:
    ratings = {side: ratings_of(row["fields"], side) for side in SIDES}
    amounts = {side: matrix[side].amount(ratings[side]) for side in SIDES}
    unrated = [name for side in SIDES for name in matrix[side].unrated(ratings[side])]
    return {"object": row["object"], "title": row["title"], **amounts, "quadrant": _quadrant(matrix, ratings)} | {
        "unrated": unrated
    }


def _quadrant(matrix: Matrix, ratings: dict[str, dict[str, int]]) -> str:
    value, complexity = ("High" if matrix[side].is_high(ratings[side]) else "Low" for side in SIDES)
    return f"{value.lower()}Value{complexity}Complexity"


def _side(axes: Iterable[Row], high_from: Any) -> Side:
    found = tuple(Axis(each["id"], each["name"], each.get("weight", 1), _levels(each.get("levels"))) for each in axes)
    half = sum(axis.most for axis in found) / 2
    return Side(found, half if high_from is None else high_from)


def _levels(levels: Any) -> dict[int, tuple[str, float]]:
    if isinstance(levels, str):
        found = {int(rating): (label or "", float(points)) for rating, label, points in _LEVEL.findall(levels)}
    else:
        found = {each["rating"]: (str(each.get("label", "")), each["points"]) for each in rows(levels)}
    return found or {rating: ("", rating) for rating in range(1, 6)}


def valuable(looking: Lookups, words: Words) -> str:
    """The use cases in one quadrant: those that are worth much and cost little, unless another one is said."""
    say, found = looking.say, placed(looking)
    quadrant = meant("quadrants", words.get("quadrant", "")) or _BEST
    best = [row for row in found.rows if row["quadrant"] == quadrant and not row.get("unrated")]
    best.sort(key=lambda row: row["complexity"] - row["value"])
    what = called("quadrants", quadrant, say.language)
    phrase = "valuable" if quadrant == _BEST else "in_quadrant"
    lines = say.lines([*_lines(looking, best)])
    return paragraphs(
        say(phrase, what=what) if best else say(f"{phrase}_none", what=what), lines, _left(looking, found)
    )


def ranked(looking: Lookups, words: Words) -> str:
    """The first use cases by value or by complexity."""
    say, row, found = looking.say, INTENTS["ranked"], placed(looking)
    by = bare(words.get("by", "value"))
    way = row["sides"].get(by) or row["sides"].get(by.removesuffix("s"), "value")
    least, side = words.get("most", "").lower().strip() in row["least"], way.removeprefix("-")
    lowest = least != way.startswith("-")
    full = [each for each in found.rows if not each.get("unrated")]
    first = sorted(full, key=lambda each: (each[side] if lowest else -each[side], each["title"]))
    said = words.get("count", "").lower()
    most = int(said) if said.isdigit() else row["counts"].get(said, MAX_RANKED)
    phrase = "ranked_lowest" if lowest else "ranked"
    told = say(phrase, side=called("sides", side, say.language), count=min(most, len(first)))
    return paragraphs(
        told if first else say("no_places"), say.lines([*_lines(looking, first[:most])]), _left(looking, found)
    )


def _lines(looking: Lookups, places: Iterable[Row]) -> Iterator[str]:
    for row in places:
        place = looking.say("place", value=row["value"], complexity=row["complexity"])
        yield looking.say("pair", name=looking.named(row["object"], row["title"]), value=place)


def _left(looking: Lookups, found: Placed) -> str:
    """What was left out: those without a rating, and those that were not seen."""
    say, open_ = looking.say, [row for row in found.rows if row.get("unrated")]
    unrated = say.naming("without_place", [looking.named(row["object"], row["title"]) for row in open_])
    return paragraphs(
        unrated, say("seen_of", seen=len(found.rows), count=found.count) if len(found.rows) < found.count else ""
    )


def why(looking: Lookups, words: Words) -> str:
    """Why a use case stands where it does: the points of each axis, their sums and from where on these are high."""
    say, item = looking.say, looking.exactly(words.get("x", ""))
    if not item.key.startswith(f"{USE_CASE}:"):
        raise Answered("only_objects" if item.is_node else "no_rated", item=item)
    matrix = matrix_at(looking, item)
    if not any(side.axes for side in matrix.values()):
        raise Answered("no_matrix", item=item)
    ratings = {name: ratings_of(item.fields, name) for name in SIDES}
    open_ = [name for side in SIDES for name in matrix[side].unrated(ratings[side])]
    quadrant = _quadrant(matrix, ratings)
    asked = meant("quadrants", words.get("quadrant", ""))
    verdict = "stands" if not asked or asked == quadrant else "stands_elsewhere"
    what = {"item": item, "what": called("quadrants", quadrant, say.language)}
    what["asked"] = called("quadrants", asked, say.language) if asked else ""
    told = say.naming("stands_nowhere", [*map(plain, open_)]) if open_ else say(verdict, **what)
    return paragraphs(str(item), told, *(_sum(looking, name, matrix[name], ratings[name]) for name in SIDES))


def _sum(looking: Lookups, name: str, side: Side, ratings: dict[str, int]) -> str:
    say = looking.say
    lines = [_share(looking, side, axis, ratings) for axis in side.axes]
    high = "sum_high" if side.is_high(ratings) else "sum_low"
    total = say(high, side=called("sides", name, say.language), amount=side.amount(ratings), limit=side.high_from)
    return paragraphs(total, say.lines(lines))


def _share(looking: Lookups, side: Side, axis: Axis, ratings: dict[str, int]) -> str:
    """What one axis gives: "Savings: rated 4 (below 500,000 €), 8 points × 3 = 24"."""
    amount, rating = side.points(axis, ratings), ratings.get(axis.id) or 0
    if amount is None:
        return looking.say("not_rated", axis=plain(axis.name))
    label, points = axis.levels[rating]
    meaning = f" ({plain(label)})" if label else ""
    parts = {"axis": plain(axis.name), "rating": rating, "meaning": meaning, "points": points, "weight": axis.weight}
    return looking.say("share", amount=amount, **parts)
