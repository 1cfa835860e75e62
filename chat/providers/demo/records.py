"""What the demo finds out for a change of a record: ratings, a better description, a longer list."""

from typing import Any

from chat.providers.demo.folding import bare
from chat.providers.demo.holdings import USE_CASE
from chat.providers.demo.lookups import Answered, Item, Lookups, rows
from chat.providers.demo.matrix import SIDES, matrix_at
from chat.providers.demo.naming import field_called, meant
from chat.providers.demo.seen import Row
from chat.providers.demo.sentences import plain, subject

_RATINGS = ("1", "2", "3", "4", "5")


def better(looking: Lookups, item: Item) -> Row:
    """A description put together from what the other fields say: problem, solution, first benefit."""
    name = next((name for name in item.fields if name.rpartition(".")[2] == "description"), "data.description")
    if not (found := composed(item)):
        raise Answered("no_better", item=item)
    if found == item.fields.get(name):
        raise Answered("is_best", item=item)
    return {name: found}


def composed(item: Item) -> str:
    """Problem, solution and first benefit as one text; "" where they say too little."""
    fields = {name.rpartition(".")[2]: value for name, value in item.fields.items()}
    benefits = fields.get("benefits")
    first = benefits[0] if isinstance(benefits, list) and benefits else benefits
    parts = [fields.get("problem"), fields.get("solution"), first]
    sentences = [f"{part.strip().rstrip('.')}." for part in parts if isinstance(part, str) and part.strip()]
    return " ".join(sentences) if len(sentences) > 1 else ""


def rated(looking: Lookups, item: Item, axis: str, rating: str) -> Row:
    """The scores of a use case with a rating: of one axis, or of all axes of a side."""
    if not item.key.startswith(f"{USE_CASE}:"):
        raise Answered("no_rated", item=item)
    matrix = matrix_at(looking, item)
    names = [plain(each.name) for side in SIDES for each in matrix[side].axes]
    known = looking.say.joined(names)
    if names and not axis:
        raise Answered("which_rating", axis=names[0], item=item, known=known)
    if rating not in _RATINGS:
        raise Answered("no_rating", rating=plain(rating))
    wanted, name = meant("sides", subject(axis)), bare(subject(axis))
    for side in SIDES:
        meant_ids = [
            each.id for each in matrix[side].axes if side == wanted or name in {bare(each.id), bare(each.name)}
        ]
        if meant_ids:
            field = f"data.{side}Scores"
            kept = {each["axisId"]: each for each in rows(item.fields.get(field))}
            kept |= {id_: {**kept.get(id_, {"axisId": id_}), "rating": int(rating)} for id_ in meant_ids}
            return {field: [*kept.values()]}
    raise Answered("no_axis" if names else "no_matrix", axis=plain(axis), item=item, known=known)


def is_axis(looking: Lookups, words: str) -> bool:
    """Whether these words name an axis of the matrix that the question's data gives, or a side of it."""
    matrix = looking.given.get("matrix") or {}
    axes = (axis for side in matrix.values() for axis in rows(side.get("axes")))
    names = {name for axis in axes for name in (bare(axis["id"]), bare(axis["name"]))}
    return bare(subject(words)) in names or bool(meant("sides", subject(words)))


def longer(looking: Lookups, item: Item, field: str, text: str) -> Row:
    """The list of a field with one text more."""
    wanted = meant("fields", field)
    kind = looking.kind_of(item.key)
    name = next((each for each in (kind.fields if kind else ()) if each.rpartition(".")[2] == wanted), "")
    if not name:
        raise Answered("no_field", field=plain(field), item=item, known=known_fields(looking, item))
    return {name: [*texts(item.fields.get(name)), text]}


def texts(value: Any) -> list[str]:
    """The texts of a field that has a list of them, or one."""
    if isinstance(value, list):
        return [str(each) for each in value]
    return [value] if isinstance(value, str) and value else []


def known_fields(looking: Lookups, item: Item) -> str:
    """What the fields of a record are called, as a list in words."""
    kind = looking.kind_of(item.key)
    names = kind.fields if kind else item.fields
    return looking.say.joined([plain(field_called(name, looking.say.language)) for name in names])
