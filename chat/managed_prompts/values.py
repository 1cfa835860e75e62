"""What the variables of a prompt stand for where it is about an object: texts, as short as they have to be."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from chat.subjects.generating import FEWEST, MOST
from graphs.models import Folder, Object, UseCase
from graphs.objects.headers import holder_of, object_for
from graphs.objects.kinds import KINDS
from graphs.objects.model_rows import row_of
from graphs.objects.model_values import record_of
from graphs.objects.operations import Record
from graphs.objects.refs import Ref
from graphs.records.folder_matrix import matrix_of
from graphs.records.kinds import COMPANY, EXECUTIVE_SUMMARY, FOLDER, USE_CASE
from graphs.site.access import Member, NotFound
from rag.sources.records.matrix import MatrixOfFolder
from rag.texts.shortening import cut
from rag.texts.tables import encode, encode_tables

#: Use cases of a folder that a prompt names; of further ones it says how many there are.
MOST_USE_CASES = 300
DESCRIPTION_CHARS = 300
#: Characters that all values of a prompt take together.
ROOM = 18_000
NOTHING = "-"
#: What is asked for where nobody said how many.
ANY_COUNT = f"{FEWEST}-{MOST}"


@dataclass(frozen=True, slots=True)
class Values:
    """Texts by the names of variables, and the objects that they tell of."""

    texts: Mapping[str, str]
    read: frozenset[Ref]


def values_for(
    member: Member, about: Ref, names: Collection[str], *, instructions: str = "", count: int | None = None
) -> Values:
    """What these variables stand for where a prompt is about that object. Raises `NotFound`."""
    around = dict(_around(member, object_for(member, about)))
    folder = around.get(FOLDER.name)
    makers: dict[str, Callable[[], str]] = {
        "company": lambda: _fields(around.get(COMPANY.name)),
        "folder": lambda: _fields(folder),
        "use_case": lambda: _fields(around.get(USE_CASE.name)),
        "use_cases": lambda: _use_cases(folder.row) if folder else NOTHING,
        "axes": lambda: encode(MatrixOfFolder(folder.row.matrix_config).of_holder()) if folder else NOTHING,
        "instructions": lambda: instructions.strip() or NOTHING,
        "count": lambda: str(count or ANY_COUNT),
    }
    read = {about, *(each.ref for each in around.values())}
    if folder and "use_cases" in names:
        read |= {Ref(USE_CASE.name, use_case.id) for use_case in matrix_of(folder.row).use_cases[:MOST_USE_CASES]}
    return Values(_fitting({name: makers[name]() for name in names}), frozenset(read))


@dataclass(frozen=True, slots=True)
class _Around:
    """An object as it is: the one that a prompt is about, or one that holds it."""

    ref: Ref
    row: Any
    record: Record


def _around(member: Member, of: Object) -> Iterable[tuple[str, _Around]]:
    """The object and what holds it, step by step, by the names of their kinds; a summary is in its folder."""
    while True:
        kind = FOLDER if of.type == EXECUTIVE_SUMMARY.name else KINDS[of.type]
        row = row_of(of)
        if row is None:
            raise NotFound
        record = record_of(kind, row)
        # What a summary is asked about is told of its folder, which has the same key.
        yield kind.name, _Around(Ref(kind.name, of.key), row, record)
        holder = holder_of(member, kind, record)
        if holder is None:
            return
        of = object_for(member, holder)


def _fields(around: _Around | None) -> str:
    """The fields that say something, as a record for a model."""
    if around is None:
        return NOTHING
    return encode({name: value for name, value in around.record.items() if value not in (None, "", {}, [])})


def _use_cases(folder: Folder) -> str:
    """The use cases with their places in the matrix, and how many more there are."""
    rated = matrix_of(folder).use_cases
    shown = rated[:MOST_USE_CASES]
    told = UseCase.objects.filter(pk__in=[each.id for each in shown]).values_list("pk", "data__description")
    descriptions = {str(key): str(text or "") for key, text in told}
    rows = [
        {
            "name": each.name,
            "description": cut(descriptions.get(each.id, ""), DESCRIPTION_CHARS) or None,
            "value": each.place.value.points,
            "complexity": each.place.complexity.points,
            "quadrant": None if each.place.unrated else str(each.place.quadrant),
        }
        for each in shown
    ]
    more = f"\nand {len(rated) - len(shown)} more" if len(rated) > len(shown) else ""
    return encode_tables({"useCases": rows}, {}) + more if rows else NOTHING


def _fitting(texts: Mapping[str, str]) -> dict[str, str]:
    """The texts, the longest cut so that all fit: what takes less leaves the rest to the others."""
    room, fitting = ROOM, {}
    for left, name in zip(range(len(texts), 0, -1), sorted(texts, key=lambda each: len(texts[each])), strict=True):
        fitting[name] = cut(texts[name], room // left)
        room -= len(fitting[name])
    return fitting
