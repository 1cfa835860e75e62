"""The demo's answers about business records: what is worth it, what is missing, what is alike."""

import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

from chat.providers.demo.holdings import COMPANY, FOLDER, HELD, SUMMARY, USE_CASE, held, holding
from chat.providers.demo.lookups import Answered, Item, Lookups, rows
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import INTENTS, bare, paragraphs, plain, subject

#: Two texts are alike that share more than this of the words of the one with fewer; short words say little.
ALIKE = 1 / 3
_WORD = re.compile(r"\w{4,}")
_BEST = "highValueLowComplexity"
KINDS = (COMPANY, FOLDER, USE_CASE, SUMMARY)
#: What a use case says first, by the last part of the names of its fields.
_FIRST = ("description", "problem", "solution", "benefits")
#: The fields that a record is given with where another one holds it.
_TOLD = {USE_CASE: ("data.description", "data.problem"), FOLDER: ("description",)}
#: Fields that nobody fills in, or that are told otherwise.
_UNSAID = ("*", "model", "valueScores", "complexityScores")
#: The sides of a matrix.
_SIDES = ("value", "complexity")
_RATINGS = ("1", "2", "3", "4", "5")
Words = dict[str, str]


def is_record(looking: Lookups) -> bool:
    """Whether the conversation is about a record."""
    return looking.seen.at_hand.partition(":")[0] in KINDS


def valuable(looking: Lookups, words: Words) -> str:
    """The use cases that are worth much and cost little, by the matrix."""
    say, best = looking.say, [row for row in _places(looking) if row["quadrant"] == _BEST]
    best.sort(key=lambda row: row["complexity"] - row["value"])
    lines = [
        f"{_named(looking, row)}: {say('place', value=row['value'], complexity=row['complexity'])}" for row in best
    ]
    return paragraphs(say("valuable"), say.lines(lines)) if lines else say("valuable_none")


def missing(looking: Lookups, words: Words) -> str:
    """The fields of a record that say nothing and the axes that are not rated; of what it holds what was given."""
    say, given = looking.say, looking.given
    if words.get("x"):
        return _missing_in(looking, looking.item(words["x"]))
    if not is_record(looking):
        raise Answered("no_places")
    own = _missing_in(looking, looking.as_item(given))
    kind = HELD.get(looking.seen.at_hand.partition(":")[0], "")
    told = [row for row in rows(given.get("held")) if row["object"].startswith(f"{kind}:")] if kind else []
    lines = [f"{_named(looking, row)}: {gaps}" for row in told if (gaps := _gaps(looking, row))]
    count = ((given.get("holds") or {}).get(kind) or {}).get("count", len(told))
    looked = say("looked_at", seen=len(told), count=count) if told else ""
    return paragraphs(own, looked, (say.lines(lines) or say("nothing_there")) if told else "")


def _missing_in(looking: Lookups, item: Item) -> str:
    """The empty fields and unrated axes of one record."""
    say, kind = looking.say, looking.kind_of(item.key)
    if item.is_node or kind is None:
        raise Answered("only_objects", item=item)
    is_rated = item.key.startswith(f"{USE_CASE}:")
    known = [name for name in kind.fields if name.rpartition(".")[2] not in _UNSAID]
    empty = [name for name in known if name not in item.fields and not name.startswith("matrix_config.")]
    first = [name for name in empty if not is_rated or name.rpartition(".")[2] in _FIRST]
    unrated = list[str]()
    if is_rated:
        scored = {
            each["axisId"]
            for side in _SIDES
            for each in rows(item.fields.get(f"data.{side}Scores"))
            if each.get("rating")
        }
        unrated = [each["name"] for axes in _axes(looking, item).values() for each in axes if each["id"] not in scored]
    other = [name for name in empty if name not in first]
    return paragraphs(
        say.naming("empty_fields", [f"`{name.rpartition('.')[2]}`" for name in first]),
        say.naming("unrated_axes", [*map(plain, unrated)]),
        "" if first or unrated else say("nothing_missing", item=item),
        say.naming("empty_besides", [f"`{name.rpartition('.')[2]}`" for name in other]),
    )


def _gaps(looking: Lookups, row: Row) -> str:
    """What is missing in what was given of a record in brief."""
    told = _TOLD.get(row["object"].partition(":")[0], ())
    empty = [f"`{name.rpartition('.')[2]}`" for name in told if not row.get(name)]
    unrated = looking.say.naming("unrated_axes", [*map(plain, row.get("unrated") or ())])
    return " ".join(filter(None, (unrated, looking.say.naming("empty_fields", empty))))


def alike(looking: Lookups, words: Words) -> str:
    """Use cases that share many words: with the one at hand, else with one another."""
    say, at_hand = looking.say, looking.seen.at_hand
    texts = {row["object"]: (row, _words_of(row)) for row in holding(looking, USE_CASE).rows}
    pairs = combinations(texts, 2)
    wanted = [pair for pair in pairs if not at_hand.startswith(f"{USE_CASE}:") or at_hand in pair]
    lines = [
        say("alike_pair", x=_named(looking, texts[one][0]), y=_named(looking, texts[other][0]), words=", ".join(shared))
        for one, other in wanted
        if (shared := _shared(texts[one][1], texts[other][1]))
    ]
    return paragraphs(say("alike"), say.lines(lines), say("alike_by_words")) if lines else say("alike_none")


def compared(looking: Lookups, words: Words) -> str:
    """What differs between two objects, field by field."""
    one, other = looking.item(words["x"]), looking.item(words["y"])
    if one.is_node or other.is_node:
        raise Answered("only_objects", item=one if one.is_node else other)
    names = [
        name for name in dict.fromkeys((*one.fields, *other.fields)) if one.fields.get(name) != other.fields.get(name)
    ]
    lines = [f"`{name}`: {_said(one.fields.get(name))} ↔ {_said(other.fields.get(name))}" for name in names]
    return paragraphs(looking.say("compared", x=one, y=other), looking.say.lines(lines) or looking.say("same"))


def versions(looking: Lookups, words: Words) -> str:
    """What differs between two versions of an object."""
    item = looking.item(words.get("x", ""))
    shown = looking.one("compare_versions", object=item.key, a=int(words["a"]), b=int(words["b"]))
    if "error" in shown:
        raise Answered("refused", error=plain(shown["error"]))
    found = rows(shown.get("differences"))
    lines = [
        f"`{plain(row.get('field') or row.get('action'))}`: {_said(row.get('a'))} → {_said(row.get('b'))}"
        for row in found
    ]
    told = looking.say("versions", x=item, a=words["a"], b=words["b"])
    return paragraphs(told, looking.say.lines(lines) or looking.say("same"))


def better(looking: Lookups, item: Item) -> Row:
    """A description put together from what the other fields say: problem, solution, first benefit."""
    fields = {name.rpartition(".")[2]: value for name, value in item.fields.items()}
    name = next((name for name in item.fields if name.rpartition(".")[2] == "description"), "data.description")
    benefits = fields.get("benefits")
    first = benefits[0] if isinstance(benefits, list) and benefits else ""
    parts = [fields.get("problem"), fields.get("solution"), first]
    sentences = [f"{part.strip().rstrip('.')}." for part in parts if isinstance(part, str) and part.strip()]
    if len(sentences) < 2:
        raise Answered("no_better", item=item)
    return {name: " ".join(sentences)}


def rated(looking: Lookups, item: Item, axis: str, rating: str) -> Row:
    """The scores of a use case with a rating: of one axis, or of all axes of a side."""
    if not item.key.startswith(f"{USE_CASE}:"):
        raise Answered("no_rated", item=item)
    if rating not in _RATINGS:
        raise Answered("no_rating", rating=plain(rating))
    wanted = INTENTS["rate"]["sides"].get(bare(axis), "")
    for side, known in _axes(looking, item).items():
        meant = [each["id"] for each in known if side == wanted or bare(axis) in {bare(each["id"]), bare(each["name"])}]
        if meant:
            field = f"data.{side}Scores"
            kept = {each["axisId"]: each for each in rows(item.fields.get(field))}
            kept |= {id_: {**kept.get(id_, {"axisId": id_}), "rating": int(rating)} for id_ in meant}
            return {field: [*kept.values()]}
    raise Answered("no_axis", axis=plain(axis), item=item)


def is_axis(looking: Lookups, words: str) -> bool:
    """Whether these words name an axis of the matrix that the question's data gives, or a side of it."""
    matrix = looking.given.get("matrix") or {}
    axes = (axis for side in matrix.values() for axis in rows(side.get("axes")))
    called = {name for axis in axes for name in (bare(axis["id"]), bare(axis["name"]))}
    return bare(subject(words)) in called | INTENTS["rate"]["sides"].keys()


def _axes(looking: Lookups, item: Item) -> dict[str, list[Row]]:
    """The axes of both sides by which a use case is rated: as the question's data gives them, else read."""
    given, holder = looking.given, str(item.row.get("parent") or "folder:none")
    here = looking.seen.at_hand if looking.seen.at_hand.startswith(f"{FOLDER}:") else given.get("parent")
    if holder == here and isinstance(matrix := given.get("matrix"), dict):
        return {side: rows(matrix[side]["axes"]) for side in _SIDES}
    fields = looking.object(holder).fields
    return {side: rows(fields.get(f"matrix_config.{side}Axes")) for side in _SIDES}


def _places(looking: Lookups) -> list[Row]:
    """The use cases that were given with their places. Raises `Answered` where there are none."""
    given = [row for row in rows(looking.given.get("held")) if "quadrant" in row]
    given += [row for row in rows(looking.given.get("related")) if "quadrant" in row]
    if not given:
        raise Answered("no_places")
    return given


def _words_of(row: Row) -> set[str]:
    texts = (value for name, value in row.items() if name == "title" or name.rpartition(".")[2] in _FIRST)
    return {word for text in texts for word in _WORD.findall(str(text).lower())}


def _shared(one: set[str], other: set[str]) -> list[str]:
    """The words that two texts share, if these are so many that they are alike."""
    both = one & other
    return sorted(both) if len(both) > ALIKE * min(len(one), len(other)) else []


def _named(looking: Lookups, row: Row) -> str:
    return looking.named(row["object"], row["title"])


def _said(value: Any) -> str:
    return plain(value) if value not in (None, "", []) else "–"


ANSWERS: dict[str, Callable[[Lookups, Words], str]] = {
    "held": held,
    "valuable": valuable,
    "missing": missing,
    "alike": alike,
    "compare": compared,
    "versions": versions,
}
