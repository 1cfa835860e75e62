"""The demo's answers about what is missing in a record and in those that it holds."""

from chat.providers.demo.holdings import COMPANY, FOLDER, HELD, SUMMARY, USE_CASE
from chat.providers.demo.lookups import Answered, Item, Lookups, rows
from chat.providers.demo.matrix import SIDES, matrix_at, ratings_of
from chat.providers.demo.naming import field_called
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import paragraphs, plain

KINDS = (COMPANY, FOLDER, USE_CASE, SUMMARY)
#: What a use case says first, by the last part of the names of its fields.
FIRST = ("description", "problem", "solution", "benefits")
#: The fields that a record is given with where another one holds it.
_TOLD = {USE_CASE: ("data.description", "data.problem"), FOLDER: ("description",)}
#: Fields that nobody fills in, or that are told otherwise.
_UNSAID = ("*", "model", "valueScores", "complexityScores")
Words = dict[str, str]


def is_record(looking: Lookups) -> bool:
    """Whether the conversation is about a record."""
    return looking.seen.at_hand.partition(":")[0] in KINDS


def missing(looking: Lookups, words: Words) -> str:
    """The fields of a record that say nothing and the axes that are not rated; of what it holds what was given."""
    say, given = looking.say, looking.given
    if not is_record(looking) and not words.get("x"):
        raise Answered("no_places")
    item = looking.exactly(words.get("x", ""))
    own = _missing_in(looking, item)
    kind = HELD.get(item.key.partition(":")[0], "")
    if item.key != looking.seen.at_hand:
        return paragraphs(own, say("own_fields_only") if kind else "")
    told = [row for row in rows(given.get("held")) if row["object"].startswith(f"{kind}:")] if kind else []
    pairs = ((looking.named(row["object"], row["title"]), _gaps(looking, row)) for row in told)
    lines = [say("pair", name=name, value=gaps) for name, gaps in pairs if gaps]
    numbers = (given.get("holds") or {}).get(kind) or {"count": len(told)}
    count = say("at_least", count=numbers["count"]) if "andMore" in numbers else numbers["count"]
    looked = say("looked_at", seen=len(told), count=count) if told else ""
    return paragraphs(own, looked, (say.lines(lines) or say("nothing_there")) if told else "")


def empty_fields(looking: Lookups, item: Item) -> tuple[list[str], list[str]]:
    """The fields of a record that say nothing: those that matter first, and the others."""
    kind = looking.kind_of(item.key)
    if item.is_node or kind is None:
        raise Answered("only_objects", item=item)
    known = [name for name in kind.fields if name.rpartition(".")[2] not in _UNSAID and name != kind.title]
    empty = [name for name in known if name not in item.fields and not name.startswith("matrix_config.")]
    is_rated = item.key.startswith(f"{USE_CASE}:")
    first = [name for name in empty if not is_rated or name.rpartition(".")[2] in FIRST]
    return first, [name for name in empty if name not in first]


def unrated_axes(looking: Lookups, item: Item) -> list[str]:
    """The axes of its matrix on which a use case is not rated, by name."""
    if not item.key.startswith(f"{USE_CASE}:"):
        return []
    matrix = matrix_at(looking, item)
    return [name for side in SIDES for name in matrix[side].unrated(ratings_of(item.fields, side))]


def _missing_in(looking: Lookups, item: Item) -> str:
    """The empty fields and unrated axes of one record."""
    say, (first, other) = looking.say, empty_fields(looking, item)
    unrated, is_rated = unrated_axes(looking, item), item.key.startswith(f"{USE_CASE}:")
    return paragraphs(
        str(item),
        say.naming("empty_fields", _called(looking, first)),
        say.naming("unrated_axes", [*map(plain, unrated)]),
        "" if first or unrated else say("nothing_missing" if is_rated else "no_empty_field", item=item),
        say.naming("empty_besides", _called(looking, other)),
    )


def _gaps(looking: Lookups, row: Row) -> str:
    """What is missing in what was given of a record in brief."""
    told = _TOLD.get(row["object"].partition(":")[0], ())
    empty = _called(looking, [name for name in told if not row.get(name)])
    unrated = looking.say.naming("unrated_axes", [*map(plain, row.get("unrated") or ())])
    return " ".join(filter(None, (unrated, looking.say.naming("empty_fields", empty))))


def _called(looking: Lookups, names: list[str]) -> list[str]:
    return [plain(field_called(name, looking.say.language)) for name in names]
