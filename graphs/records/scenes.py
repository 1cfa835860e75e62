"""A matrix as it is drawn for a reader: every use case by its name, or where they are too many counted in cells."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, ngettext
from django.utils.translation import gettext as _

from graphs.models.records import Status
from graphs.records.drawing.scene import CANVASES, Mark, Scene
from graphs.records.folder_matrix import Cell, FolderMatrix, Rated, axis_of
from graphs.records.matrix import Quadrant

QUADRANTS: Mapping[Quadrant, str | Promise] = {
    Quadrant.HIGH_VALUE_LOW_COMPLEXITY: gettext_lazy("Quick wins"),
    Quadrant.HIGH_VALUE_HIGH_COMPLEXITY: gettext_lazy("Large projects"),
    Quadrant.LOW_VALUE_LOW_COMPLEXITY: gettext_lazy("Small extras"),
    Quadrant.LOW_VALUE_HIGH_COMPLEXITY: gettext_lazy("Hard to justify"),
}
_LOCALES: Mapping[str, Literal["en-US", "fr-FR"]] = {"en": "en-US", "fr": "fr-FR"}


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the marks of a drawing lead: to the page of a use case, and to the table of a cell."""

    of_use_case: Callable[[str], str]
    of_cell: Callable[[Cell], str]


def scene_of(of: FolderMatrix, size: str, addresses: Addresses) -> Scene:
    """The drawing of a matrix in one of the sizes of `CANVASES`."""
    canvas, placed = CANVASES[size], of.placed
    if len(placed) <= canvas.names:
        marks = [_mark(each, addresses) for each in placed]
    else:
        marks = list(_counted(of, size, addresses))
    return Scene(
        size=size,
        locale=_LOCALES.get(get_language() or "", "en-US"),
        title=_("Matrix of {folder}").format(folder=of.folder.name),
        description=_description(of),
        complexity=axis_of(_("Complexity"), of.matrix.complexity),
        value=axis_of(_("Value"), of.matrix.value),
        quadrants=tuple(str(label) for label in QUADRANTS.values()),  # type: ignore[arg-type]
        statuses=tuple((status.value, str(status.label)) for status in Status),
        marks=tuple(marks),
    )


def amount(points: float) -> str:
    """An amount of points, with two digits at most behind the point of the reader's language."""
    rounded = round(points, 2)
    return number_format(int(rounded) if rounded == int(rounded) else rounded, use_l10n=True, force_grouping=True)


def shown_of(of: FolderMatrix) -> str:
    """How many of the folder's use cases are in its matrix, where it has more of them."""
    shown, count = amount(len(of.use_cases)), amount(of.count)
    return _("Shown are the first {shown} of {count} use cases, by name.").format(shown=shown, count=count)


def _counted_as(label: str | Promise, count: int) -> str:
    return _("{label}: {count}").format(label=label, count=amount(count))


def _description(of: FolderMatrix) -> str:
    """What who does not see the drawing is told of all of it."""
    counts = Counter(each.place.quadrant for each in of.placed)
    parts = "; ".join(_counted_as(label, counts[quadrant]) for quadrant, label in QUADRANTS.items())
    told = _("Value against complexity. Use cases by quadrant: {parts}.").format(parts=parts)
    return f"{told} {shown_of(of)}" if of.is_cut else told


def _mark(each: Rated, addresses: Addresses) -> Mark:
    value, complexity = each.place.value.points, each.place.complexity.points
    told = _("{name}: {status}, value {value}, complexity {complexity}, {quadrant}").format(
        name=each.name,
        status=Status(each.status).label if each.status in Status.values else each.status,
        value=amount(value),
        complexity=amount(complexity),
        quadrant=QUADRANTS[each.place.quadrant],
    )
    return Mark(each.id, complexity, value, each.name, each.status, 1, told, addresses.of_use_case(each.id))


def _counted(of: FolderMatrix, size: str, addresses: Addresses) -> Iterator[Mark]:
    """A mark for each cell that has some: a use case that is alone by its name, and others as a number."""
    canvas, cells = CANVASES[size], defaultdict[Cell, list[Rated]](list)
    for each in of.placed:
        cells[of.cell(each, canvas.columns, canvas.rows)].append(each)
    for cell, members in sorted(cells.items(), key=lambda item: (item[0].column, item[0].row)):
        yield _mark(members[0], addresses) if len(members) == 1 else _cluster(cell, members, addresses)


def _cluster(cell: Cell, members: Sequence[Rated], addresses: Addresses) -> Mark:
    statuses = Counter(each.status for each in members)
    parts = ", ".join(_counted_as(status.label, statuses[status]) for status in Status if statuses[status])
    count = len(members)
    told = ngettext("{count} use case ({parts})", "{count} use cases ({parts})", count)
    return Mark(
        key=f"cell-{cell}",
        complexity=fmean(each.place.complexity.points for each in members),
        value=fmean(each.place.value.points for each in members),
        name="",
        status="",
        count=count,
        told=told.format(count=amount(count), parts=parts),
        href=addresses.of_cell(cell),
    )
